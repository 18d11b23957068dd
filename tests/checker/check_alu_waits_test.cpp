// Scheduling mode 2 of gfx12 and gfx1250: what VALU and memory do to each other's VGPRs waits for VA_VDST and VM_VSRC.
#include <catch2/catch.hpp>

#include "isa_tables/opcodes.h"
#include "runtime/files.h"
#include "tests/checker/check_program.h"
#include "tests/compiled/clang_corpus.h"

using namespace wavesmith;
using isa::Arch;
using Found = std::vector<std::string>;

namespace {
const std::string expert_mode = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2\n ";
Found said(const std::string& text, Arch arch = Arch::gfx1250) {
  return findings(program_of(arch, text + "s_endpgm\n"));
}
}  // namespace

TEST_CASE("in scheduling mode 2 a VALU result waits for VA_VDST before memory uses it, and only there", "[check]") {
  const std::string body = "v_lshlrev_b32 v1, 2, v0\n ", use = "ds_load_b32 v2, v1\n ";
  CHECK(said(body + use) == Found{});
  for (const Arch arch : {Arch::gfx1200, Arch::gfx1250}) {
    CHECK(said(expert_mode + body + use, arch) == Found{"2: VALU result used by memory before VA_VDST"});
    CHECK(said(expert_mode + body + "s_wait_alu depctr_va_vdst(0)\n " + use, arch) == Found{});
    CHECK(said(expert_mode + body + "s_wait_alu depctr_va_vdst(1)\n " + use, arch) ==
          Found{"3: VALU result used by memory before VA_VDST"});
  }
  CHECK(said(expert_mode + body + "v_mov_b32 v3, 0\n s_wait_alu depctr_va_vdst(1)\n " + use) == Found{});
  // Transcendental instructions and the others do not finish in the order of issue.
  CHECK(said(expert_mode + body + "v_rcp_f32 v3, v0\n s_wait_alu depctr_va_vdst(1)\n " + use) ==
        Found{"4: VALU result used by memory before VA_VDST"});
  CHECK(said(expert_mode + body + "v_mov_b32 v3, v1\n ") == Found{});  // VALU is interlocked with itself
  CHECK(said(expert_mode + "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n s_wait_alu depctr_va_vdst(0)\n v_mov_b32 v5, 0\n "
                           "global_load_b32 v5, v[2:3], off\n ") ==
        Found{"5: VALU result used by memory before VA_VDST"});
  CHECK(said(expert_mode + body + "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 0\n " + use) == Found{});
  // Where one path has set the mode and the other has not, nothing is concluded.
  CHECK(said("s_cmp_eq_u32 ttmp9, 0\n s_cbranch_scc1 .L0\n " + expert_mode + ".L0:\n " + body + use) == Found{});
}

TEST_CASE("in scheduling mode 2 VALU waits for VM_VSRC, or for the access itself, before it writes what memory reads",
          "[check]") {
  const std::string body =
                        expert_mode + "v_lshlrev_b32 v1, 2, v0\n s_wait_alu depctr_va_vdst(0)\n ds_store_b32 v1, v0\n ",
                    use = "v_mov_b32 v0, 0\n ";
  CHECK(said(body + use) == Found{"4: VGPR overwritten before VM_VSRC"});
  CHECK(said(body + "s_wait_alu depctr_vm_vsrc(0)\n " + use) == Found{});
  CHECK(said(body + "s_wait_dscnt 0\n " + use) == Found{});
  CHECK(said(body + "ds_store_b32 v1, v1\n s_wait_alu depctr_vm_vsrc(1)\n " + use) == Found{});
  CHECK(said(body + "ds_store_b32 v1, v1\n s_wait_dscnt 1\n " + use) == Found{});
  CHECK(said(body + "v_mov_b32 v3, v0\n ") == Found{});
}

// clang with -amdgpu-expert-scheduling-mode; that it has no findings as it is, check_mutation_test.cpp says.
TEST_CASE(
    "what is left of clang's waits for VA_VDST and VM_VSRC if one is taken out is mostly too little, and reported",
    "[check][clang][mutation]") {
  if (corpus::compiler().empty()) {
    WARN("clang 22 is not here: skipped");
    return;
  }
  int tried[2] = {}, found[2] = {};
  for (const auto& source : corpus::sources)
    for (const auto& build : corpus::builds_of(source)) {
      if (build.options != "expert") continue;
      const auto bytes = runtime::read_file(corpus::compile(build).string());
      const auto co = sim::CodeObject::load(bytes);
      for (const auto& k : co.kernels()) {
        checker::Decoder decoder(co.arch(), k.wave_size);
        const checker::Code code = decoder.decode(co, k.entry, k.code_end);
        const size_t place = corpus::place_in_file(bytes, co, k);
        for (const auto& line : code.lines) {
          if (line.item->inst.op != Opcode::s_waitcnt_depctr || line.pc < k.entry || line.pc >= k.code_end) continue;
          for (const int field : {0, 1}) {
            const uint32_t mask = field ? 7u << 2 : 15u << 12, all = line.item->inst.operands[0].bits;
            if ((all & mask) == mask) continue;
            auto mutated = bytes;
            const size_t at = place + line.pc;
            mutated[at] = static_cast<uint8_t>(all | mask), mutated[at + 1] = static_cast<uint8_t>((all | mask) >> 8);
            const auto broken = sim::CodeObject::load(mutated);
            checker::Decoder fresh(co.arch(), k.wave_size);
            const auto f = checker::check(broken, broken.kernel(k.name), fresh, {.advice = false}).findings;
            ++tried[field];
            found[field] += std::any_of(f.begin(), f.end(), [&](const auto& x) {
              return x.rule ==
                     (field ? "VGPR overwritten before VM_VSRC" : "VALU result used by memory before VA_VDST");
            });
          }
        }
      }
    }
  if (std::getenv("WAVESMITH_FIGURES"))
    fmt::print("VA_VDST {} of {}, VM_VSRC {} of {}\n", found[0], tried[0], found[1], tried[1]);
  CHECK(tried[0] > 100);
  CHECK(tried[1] > 50);
  CHECK(found[0] > 0.8 * tried[0]);
  CHECK(found[1] > 0.5 * tried[1]);
}
