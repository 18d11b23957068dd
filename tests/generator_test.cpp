// What the DSL promises its author: registers owned by scope, errors that name the author's line, comments that reach
// the .s, notes that LLVM's readers read, and encodings that never pass through text.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "generator/kernel.h"
#include "isa_tables/mc.h"
#include "isa_tables/sample.h"
#include "kernels/gemm.h"
#include "runtime/files.h"

using namespace wavesmith;
using Catch::Contains;

namespace {

Kernel small(Arch arch = Arch::gfx942) { return Kernel("small", arch, 64); }

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> part{};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  while (const size_t n = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
  pclose(pipe);
  return out;
}

}  // namespace

TEST_CASE("registers return to their pool at the end of their scope", "[generator][registers]") {
  Registers r(Arch::gfx942);
  const auto kept = r.v.alloc(3, "kept");
  uint16_t first = 0;
  {
    const auto inner = r.v.alloc(8, "inner");
    first = inner.index;
    CHECK(r.v.alloc(1, "beside").index != inner.index);
  }
  CHECK(r.v.alloc(8, "again").index == first);
  auto moved = r.v.alloc(2, "moved");
  const uint16_t index = moved.index;
  const auto owner = std::move(moved);
  moved.free();  // NOLINT: a moved-from owner owns nothing
  CHECK(r.v.alloc(2, "other").index != index);
  CHECK(r.v.high_water() >= first + 8);
}

TEST_CASE("tuples are aligned where the target asks for it", "[generator][registers]") {
  for (const auto& [arch, even] : {std::pair(Arch::gfx908, false),
                                   {Arch::gfx90a, true},
                                   {Arch::gfx942, true},
                                   {Arch::gfx950, true},
                                   {Arch::gfx1100, false},
                                   {Arch::gfx1201, false},
                                   {Arch::gfx1250, true}}) {
    Registers r(arch);
    const auto one = r.v.alloc(1, "one"), pair = r.v.alloc(2, "pair");
    INFO(isa::target(arch).name);
    CHECK(one.index == 0);
    CHECK(pair.index == (even ? 2 : 1));
    isa::Mc mc(arch);  // LLVM says the same: an odd tuple does not assemble exactly where even ones are asked for
    CHECK(mc.assembles(fmt::format("{} v[1:2], v[4:5], off",
                                   isa::target(arch).wave_size == 64 ? "global_load_dwordx2" : "global_load_b64")) ==
          !even);
  }
}

TEST_CASE("running out of registers prints who holds which", "[generator][registers]") {
  Registers r(Arch::gfx942);
  const auto a = r.v.alloc(250, "fragments of A"), b = r.v.alloc(4, "addresses");
  CHECK_THROWS_AS(r.v.alloc(16, "C"), OutOfRegisters);
  CHECK_THROWS_WITH(r.v.alloc(16, "C"), Contains("out of v-registers: need 16 for 'C', 254 of 256 in use") &&
                                            Contains("v[0:249] fragments of A") && Contains("v[250:253] addresses"));
}

TEST_CASE("a wrong width or target is refused at the author's line", "[generator]") {
  Kernel k = small();
  const auto narrow = k.r.v.alloc(1, "narrow"), wide = k.r.v.alloc(4, "wide");
  const std::string line = fmt::format("generator_test.cpp:{}", __LINE__ + 1);
  CHECK_THROWS_WITH(k.k.global_load_dwordx4(narrow, wide.slice(0, 2), off),
                    Contains(line) && Contains("global_load_dwordx4"));
  CHECK_THROWS_WITH(k.k.v_mfma_f32_32x32x8_f16(wide, wide.slice(0, 2), wide.slice(2, 2), 0),
                    Contains("generator_test.cpp:") && Contains("16"));
  CHECK_THROWS_WITH(k.k.ds_read_b64_tr_b16(wide.slice(0, 2), narrow),
                    Contains("generator_test.cpp:") && Contains("gfx950"));
  CHECK_THROWS_WITH(wide.slice(3, 2), Contains("slice(3, 2)") && Contains("0 to 3"));
  CHECK(k.k.nodes.empty());  // and nothing of it stays behind
}

TEST_CASE("the author's comments reach the assembly", "[generator]") {
  Kernel k = small();
  const auto v = k.r.v.alloc(1, "v");
  k.k.comment("the answer, for once");
  k.k.v_mov_b32(v, 42);
  k.k.s_endpgm();
  CHECK_THAT(assembly(lower(std::move(k))), Contains("v_mov_b32") && Contains("the answer, for once"));
}

TEST_CASE("llvm-readelf reads the notes and the arguments of a kernel", "[generator][object]") {
  const auto path = std::filesystem::temp_directory_path() / "wavesmith_generator_test.co";
  Kernel k("noted", Arch::gfx942, 256);
  k.pointer("input", "f16");
  k.value("count", "u32");
  k.k.s_endpgm();
  const auto object = assemble(lower(std::move(k))).bytes;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  const std::string notes = output_of("llvm-readelf-22 --notes " + path.string());
  std::filesystem::remove(path);
  for (const char* wanted :
       {"amdgcn-amd-amdhsa--gfx942", ".name:           noted", ".symbol:         noted.kd",
        ".max_flat_workgroup_size: 256", ".wavefront_size: 64", ".name:           input",
        ".value_kind:     global_buffer", ".name:           count", ".value_kind:     by_value", ".offset:         8"})
    CHECK_THAT(notes, Contains(wanted));
  CHECK(notes.find("warning") == std::string::npos);
}

TEST_CASE("kernels are encoded without passing through text", "[generator][mc]") {
  for (const auto& [trans_a, trans_b] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    const Program p = build_gemm({.trans_a = trans_a, .trans_b = trans_b}, Arch::gfx942);
    isa::Mc mc(p.arch);
    std::vector<uint8_t> bytes;
    for (const Node& n : p.nodes)
      if (n.directive == Directive::none) mc.encode(n.inst, bytes);
    CHECK(mc.encoded_by_text() == 0);
  }
}

TEST_CASE("rows are encoded by templates, but for 64-bit literals and halves", "[generator][mc]") {
  std::set<std::string> by_text;
  int rows = 0;
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    isa::Mc mc(static_cast<Arch>(a));
    for (size_t i = 0; i < isa::table().size(); ++i) {
      if (!isa::table()[i].on(mc.arch())) continue;
      const int before = mc.encoded_by_text();
      std::vector<uint8_t> bytes;
      mc.encode(isa::sample(static_cast<Opcode>(i), mc.arch()), bytes);
      ++rows;
      if (mc.encoded_by_text() != before) by_text.insert(std::string(isa::table()[i].mnemonic));
    }
  }
  CHECK(rows > 16000);
  CHECK(by_text ==
        std::set<std::string>{"v_fmaak_f64", "v_fmamk_f64", "v_mov_b16"});  // literals of 64 bits, halves of registers
}
