// Occupancy and kernel descriptors against LLVM 22: the numbers its code generator prints for the same registers and
// LDS, and the bytes its assembler makes of the same .amdhsa_ directives.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "generator/object/descriptor.h"
#include "isa_tables/occupancy.h"
#include "isa_tables/opcodes.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/sampling.h"

namespace {

using namespace wavesmith;
using clitest::Directory;
using isa::Occupancy;
using isa::Resources;
namespace fs = std::filesystem;

// One LLVM function a case: registers clobbered up to the wanted count, so much LDS, so large a workgroup.
std::string kernel_ir(const Resources& r, int index, int lanes) {
  std::string clobbers;
  const auto clobber = [&](char file, int n) {
    if (n) clobbers += fmt::format("{}~{{{}{}}}", clobbers.empty() ? "" : ",", file, n - 1);
  };
  clobber('v', r.vgprs), clobber('a', r.agprs), clobber('s', r.sgprs);
  std::string ir;
  if (r.lds_bytes) ir += fmt::format("@l{} = internal addrspace(3) global [{} x i8] poison\n", index, r.lds_bytes);
  ir += fmt::format(
      "define amdgpu_kernel void @k{}() \"amdgpu-flat-work-group-size\"=\"{},{}\" {{\n  call void asm sideeffect \"\", "
      "\"{}\"()\n",
      index, lanes, lanes, clobbers);
  if (r.lds_bytes) ir += fmt::format("  store volatile i8 0, ptr addrspace(3) @l{}\n", index);
  return ir + "  ret void\n}\n";
}

struct Said {
  int sgprs, occupancy;
};  // SGPRs with the fixed ones that LLVM counts

std::vector<Said> llvm_says(isa::Arch arch, const std::vector<Resources>& cases) {
  const Directory d;
  {
    std::ofstream out(d / "k.ll");
    for (size_t i = 0; i < cases.size(); ++i)
      out << kernel_ir(cases[i], static_cast<int>(i), cases[i].waves_per_group * isa::target(arch).wave_size);
  }
  if (std::system(fmt::format("cd {} && /usr/lib/llvm-22/bin/llc -mtriple=amdgcn-amd-amdhsa -mcpu={} k.ll -o k.s 2>err",
                              d.path(), isa::target(arch).name)
                      .c_str()))
    return {};
  const std::string text = clitest::text(d / "k.s");
  std::vector<Said> said;
  const std::regex line("; TotalNumSgprs: (\\d+)|; Occupancy: (\\d+)");
  for (std::sregex_iterator m(text.begin(), text.end(), line), end; m != end; ++m) {
    if ((*m)[1].matched) said.push_back({std::stoi((*m)[1]), 0});
    else said.back().occupancy = std::stoi((*m)[2]);
  }
  return said;
}

constexpr const char* llc = "/usr/lib/llvm-22/bin/llc";

}  // namespace

TEST_CASE("occupancy is what LLVM prints for the same registers and LDS", "[occupancy][mc]") {
  if (!fs::exists(llc)) {
    WARN("no llc of LLVM 22 here: skipped");
    return;
  }
  for (const auto& t : isa::all_targets()) {
    const isa::Arch arch = *isa::find_arch(t.name);
    std::vector<Resources>
        cases;  // as many waves in a workgroup as SIMDs, so that rounding to workgroups changes nothing
    for (int v = 8; v <= 256; v += 4) cases.push_back({.vgprs = v, .waves_per_group = 4});
    for (int v : {1, 23, 25, 63, 65, 95, 97, 127, 129, 255}) cases.push_back({.vgprs = v, .waves_per_group = 4});
    if (t.agprs)
      for (int v : {10, 33, 64, 128, 200, 256})
        for (int a : {4, 30, 64, 100, 128, 256}) cases.push_back({.vgprs = v, .agprs = a, .waves_per_group = 4});
    for (int lds : {512, 1024, 1280, 1281, 8192, 10000, 10240, 16384, 20480, 25600, 32768, 40960, 51200, 65536, 81920,
                    163840, 327680})
      if (lds <= t.lds_bytes) cases.push_back({.vgprs = 8, .lds_bytes = lds, .waves_per_group = 4});
    const auto said = llvm_says(arch, cases);
    CAPTURE(t.name);
    REQUIRE(said.size() == cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      const Resources& r = cases[i];
      CAPTURE(r.vgprs, r.agprs, r.lds_bytes);
      // LLVM divides the LDS by the bytes used, the hardware by the blocks granted.
      if (r.lds_bytes == isa::occupancy(arch, r).lds_granted)
        CHECK(isa::occupancy(arch, r).waves_per_simd == said[i].occupancy);
      else CHECK(isa::occupancy(arch, r).waves_per_simd <= said[i].occupancy);
    }
  }
}

TEST_CASE("SGPRs limit gfx9 alone, by blocks of 16 where LLVM counts single registers", "[occupancy][mc]") {
  if (!fs::exists(llc)) {
    WARN("no llc of LLVM 22 here: skipped");
    return;
  }
  for (const auto& t : isa::all_targets()) {
    const isa::Arch arch = *isa::find_arch(t.name);
    std::vector<Resources> cases;
    for (int s = 10; s <= 102; s += 2) cases.push_back({.vgprs = 8, .sgprs = s, .waves_per_group = 4});
    const auto said = llvm_says(arch, cases);
    CAPTURE(t.name);
    REQUIRE(said.size() == cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      Resources r = cases[i];
      const int fixed = t.wave_size == 64 ? 6 : 0;
      if (t.wave_size == 64 && said[i].sgprs - fixed > t.sgprs) continue;
      r.sgprs = t.wave_size == 64 ? std::max(0, said[i].sgprs - fixed) : r.sgprs;
      // LLVM's steps are 80, 88 and 100; blocks of 16 put 81..88 at 96 and 97..100 at 112.
      const bool in_block = t.wave_size == 64 && ((said[i].sgprs > 80 && said[i].sgprs <= 88) ||
                                                  (said[i].sgprs > 96 && said[i].sgprs <= 100));
      CAPTURE(r.sgprs, said[i].sgprs);
      CHECK(isa::occupancy(arch, r).waves_per_simd ==
            said[i].occupancy - (in_block && said[i].occupancy == (said[i].sgprs > 96 ? 8 : 9) ? 1 : 0));
    }
  }
}

TEST_CASE("the most registers for each occupancy are those of the probed table", "[occupancy][facts]") {
  const auto facts = csv::facts("timing.csv");
  int checked = 0;
  const std::regex item("max VGPRs .* for (\\d+) waves/SIMD");
  for (const auto& row : facts) {
    std::smatch m;
    const std::string what = row.at("item");
    if (!std::regex_match(what, m, item)) continue;
    std::istringstream names(std::regex_replace(row.at("arch"), std::regex("\\||wave32"), " "));
    const int waves = std::stoi(m[1]), most = std::stoi(row.at("value"));
    for (std::string name; names >> name; ++checked) {
      CAPTURE(name, waves, most);
      const auto arch = isa::find_arch(name);
      REQUIRE(arch);
      const auto& t = isa::target(*arch);
      const auto with = [&](int n) {
        return isa::occupancy(*arch,
                              {.vgprs = std::min(n, t.vgprs), .agprs = std::max(0, n - t.vgprs), .waves_per_group = 4})
            .waves_per_simd;
      };
      CHECK(with(most) == waves);
      if (most < t.vgprs + (t.unified ? t.agprs : 0)) CHECK(with(most + 1) < waves);
    }
  }
  CHECK(checked >= 10 + 3 * 8 + 2 * 8 + 9);
}

TEST_CASE("whole workgroups decide, not single waves", "[occupancy]") {
  // 168 registers leave room for 3 waves a SIMD, 12 a CU: one workgroup of 8 waves, which puts 2 on each SIMD.
  const auto o = isa::occupancy(isa::Arch::gfx942, {.vgprs = 168, .waves_per_group = 8});
  CHECK(o.limits[1].waves_per_simd == 2);  // the limit that decides says what the result says
  CHECK(o.groups == 1);
  CHECK(o.waves_per_simd == 2);
  CHECK(o.limited_by == Occupancy::By::vgprs);
  CHECK(o.vgprs_free == 256 - 168);  // 2 waves a SIMD remain up to 256
  CHECK(isa::occupancy(isa::Arch::gfx942, {.vgprs = 256, .agprs = 256, .waves_per_group = 8}).groups == 0);
  CHECK(isa::occupancy(isa::Arch::gfx942, {.vgprs = 8, .waves_per_group = 2}).groups == 16);
  CHECK(isa::occupancy(isa::Arch::gfx942, {.vgprs = 8, .waves_per_group = 1}).groups == 32);
  CHECK(isa::occupancy(isa::Arch::gfx942, {.vgprs = 8, .lds_bytes = 40000}).limited_by == Occupancy::By::lds);
}

TEST_CASE("the limit that decides has the result's workgroups and waves", "[occupancy]") {
  for (const auto& t : isa::all_targets())
    for (const int vgprs : {24, 96, 128, 168, 256})
      for (const int lds : {0, 1, 20000, 65536})
        for (int waves = 1; waves <= 1024 / t.wave_size; ++waves) {
          const auto o =
              isa::occupancy(*isa::find_arch(t.name), {.vgprs = vgprs, .lds_bytes = lds, .waves_per_group = waves});
          const auto& decides = o.limits[static_cast<size_t>(o.limited_by)];
          INFO(t.name << " " << vgprs << " VGPRs, " << lds << " bytes, " << waves << " waves");
          CHECK((decides.groups == o.groups && decides.waves_per_simd == o.waves_per_simd));
          CHECK((o.groups * waves + t.simds_per_cu - 1) / t.simds_per_cu == o.waves_per_simd);
        }
}

TEST_CASE("the guide's coarse table and the granules differ where stated", "[occupancy]") {
  // performance_guide.md, MI300X: up to 128 registers 4 waves, 129-170 "2-3", 171-256 2, beyond 1, in units of 16.
  const auto waves = [](int n) {
    return isa::occupancy(isa::Arch::gfx942, {.vgprs = std::min(n, 256), .agprs = std::max(0, n - 256)}).waves_per_simd;
  };
  CHECK(waves(128) == 4);
  CHECK(waves(129) == 3);
  CHECK(waves(168) == 3);
  CHECK(waves(170) == 2);  // the guide: 2-3; units of 8 make it 176
  CHECK(waves(256) == 2);
  CHECK(waves(257) == 1);
  CHECK(waves(64) == 8);  // the guide stops at 4
}

TEST_CASE("a wave64 kernel of a wave32 target has half the file in half the granules", "[occupancy]") {
  CHECK(isa::occupancy(isa::Arch::gfx1100, {.vgprs = 96, .wave_size = 64}).waves_per_simd == 8);
  CHECK(isa::occupancy(isa::Arch::gfx1100, {.vgprs = 97, .wave_size = 64}).vgprs_granted == 108);
  CHECK(isa::occupancy(isa::Arch::gfx1102, {.vgprs = 65, .wave_size = 64}).vgprs_granted == 72);
  CHECK_THROWS_WITH(isa::occupancy(isa::Arch::gfx1250, {.vgprs = 8, .wave_size = 64}),
                    Catch::Contains("waves of 64 on gfx1250, legal: 32"));
  CHECK_THROWS_WITH(isa::occupancy(isa::Arch::gfx942, {.vgprs = 300}),
                    Catch::Contains("300 VGPRs on gfx942; legal: 0 to 256"));
}

TEST_CASE("the kernel descriptor is byte for byte what llvm-mc makes of the same directives",
          "[occupancy][descriptor][mc]") {
  const Directory d;
  uint32_t number = 0;
  for (const auto& t : isa::all_targets()) {
    for (int vgprs : {1, 8, 9, 24, 25, 64, 96, 97, 200, 256, 1024}) {
      if (vgprs > t.vgprs || !in_sample(number++, 3)) continue;
      Program p;
      p.name = "k", p.arch = *isa::find_arch(t.name), p.workgroup_size = 256, p.lds_bytes = 4096, p.kernarg_bytes = 16;
      p.vgprs = vgprs, p.sgprs = vgprs % 90 + 8, p.agprs = t.unified ? vgprs / 2 : t.agprs ? vgprs : 0;
      Node end;
      end.inst.op = Opcode::s_endpgm;
      p.nodes = {end};
      std::ofstream(d / "k.s") << assembly(p);
      CAPTURE(t.name, vgprs);
      REQUIRE(std::system(fmt::format("cd {} && llvm-mc-22 -triple amdgcn-amd-amdhsa -mcpu={} -filetype=obj k.s -o k.o "
                                      "&& llvm-objcopy-22 -O binary --only-section=.rodata k.o k.bin",
                                      d.path(), t.name)
                              .c_str()) == 0);
      const std::string elf = clitest::text(d / "k.o"), bytes = clitest::text(d / "k.bin");
      uint32_t flags = 0;
      std::memcpy(&flags, elf.data() + 48, 4);  // e_flags of an ELF64 header
      CHECK((flags & 0xff) == t.elf_mach);
      llvm::amdhsa::kernel_descriptor_t theirs, ours = kernel_descriptor(p);
      REQUIRE(bytes.size() >= sizeof theirs);
      std::memcpy(&theirs, bytes.data(), sizeof theirs);
      CHECK(ours.group_segment_fixed_size == theirs.group_segment_fixed_size);
      CHECK(ours.kernarg_size == theirs.kernarg_size);
      CHECK(ours.compute_pgm_rsrc1 == theirs.compute_pgm_rsrc1);
      CHECK(ours.compute_pgm_rsrc2 == theirs.compute_pgm_rsrc2);
      CHECK(ours.compute_pgm_rsrc3 == theirs.compute_pgm_rsrc3);
      CHECK(ours.kernel_code_properties == theirs.kernel_code_properties);
    }
  }
}
