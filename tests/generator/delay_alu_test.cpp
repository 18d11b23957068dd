// s_delay_alu: the hints for random code equal those of LLVM's own pass, instruction by instruction; targets without
// s_delay_alu get none.
#include <random>

#include "isa_tables/opcodes.h"
#include "tests/generator/llc_pass.h"
#include "tests/generator/pass_text.h"

using namespace wavesmith;
using isa::Arch;

namespace {

using llvm_pass::Line;

Line any_line(std::mt19937& random) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const unsigned d = pick(6), a = pick(6), b = pick(6);
  switch (pick(9)) {
    case 0:
      return {fmt::format("$vgpr{} = V_EXP_F32_e32 $vgpr{}, implicit $exec, implicit $mode", d, a),
              fmt::format("v_exp_f32 v{}, v{}", d, a)};
    case 1:
    case 2:
      return {fmt::format("$sgpr{} = S_ADD_U32 $sgpr{}, $sgpr{}, implicit-def $scc", d, a, b),
              fmt::format("s_add_u32 s{}, s{}, s{}", d, a, b)};
    case 3:
      return {fmt::format("$vgpr{} = V_ADD_F32_e32 $sgpr{}, $vgpr{}, implicit $exec, implicit $mode", d, a, b),
              fmt::format("v_add_f32 v{}, s{}, v{}", d, a, b)};
    case 4: return {fmt::format("S_NOP {}", b), fmt::format("s_nop {}", b)};
    case 5:
      return pick(3) ? Line{fmt::format("$vgpr{} = V_MOV_B32_e32 $vgpr{}, implicit $exec", d, a),
                            fmt::format("v_mov_b32 v{}, v{}", d, a)}
                     : Line{fmt::format("$vgpr{} = GLOBAL_LOAD_DWORD $vgpr8_vgpr9, 0, 0, implicit $exec", d),
                            fmt::format("global_load_dword v{}, v[8:9], off", d)};
    default:
      return {fmt::format("$vgpr{} = V_ADD_F32_e32 $vgpr{}, $vgpr{}, implicit $exec, implicit $mode", d, a, b),
              fmt::format("v_add_f32 v{}, v{}, v{}", d, a, b)};
  }
}

// LLVM's ".id0_VALU_DEP_1_skip_NEXT_id1_VALU_DEP_2" as assembly.
std::string as_text(const std::string& llvm) {
  if (llvm.empty()) return "";
  const std::string s = llvm.substr(5);
  const auto skip = s.find("_skip_"), second = s.find("_id1_");
  std::string text = "s_delay_alu instid0(" + s.substr(0, skip) + ")";
  if (skip == s.npos) return text;
  const std::string distance = s.substr(skip + 6, second - skip - 6);
  if (distance != "SAME") text += " | instskip(" + distance + ")";
  return text + " | instid1(" + s.substr(second + 5) + ")";
}

std::vector<std::string> our_hints(const std::vector<Line>& program, Arch arch) {
  std::string text;
  for (const Line& l : program) text += l.text + "\n";
  auto nodes = read(text, false, arch);
  insert_delays(nodes, arch);
  std::vector<std::string> out;
  std::string hint;
  for (const Node& n : nodes) {
    if (!n.is_instruction()) continue;
    if (n.inst.op == Opcode::s_delay_alu) hint = isa::print(n.inst, arch);
    else out.push_back(std::exchange(hint, ""));
  }
  return out;
}

}  // namespace

TEST_CASE("ALU delays of random code, straight and in loops, are those of LLVM's pass", "[delay]") {
  if (!llvm_pass::here()) {
    WARN("llc 22 is not here: skipped");
    return;
  }
  for (const Arch arch : {Arch::gfx1100, Arch::gfx1151, Arch::gfx1201, Arch::gfx1250}) {
    std::mt19937 random(5);
    std::vector<std::vector<Line>> programs(60);
    for (size_t p = 0; p < programs.size(); ++p) {
      const bool loop = p % 2;  // of a few instructions, so that many results come from the previous iteration
      const size_t begin = loop ? random() % 12 : 0, end = begin + 1 + random() % 10;
      for (size_t i = 0; i < 30; ++i) {
        if (loop && i == begin) programs[p].push_back({"bb.1: %bb.1, %bb.2", ".L1:"});
        if (loop && i == end)
          programs[p].push_back({"S_CBRANCH_SCC1 %bb.1, implicit $scc", "s_cbranch_scc1 .L1"}),
              programs[p].push_back({"bb.2:", ".L2:"});
        programs[p].push_back(any_line(random));
      }
    }
    auto wanted = llvm_pass::run(programs, fmt::format("-mcpu={}", isa::target(arch).name), "amdgpu-insert-delay-alu",
                                 "S_DELAY_ALU");
    REQUIRE(wanted.size() == programs.size());
    size_t hints = 0;
    for (size_t p = 0; p < programs.size(); ++p) {
      std::string text;
      wanted[p].pop_back();  // nothing is inserted before the end
      for (auto& hint : wanted[p]) hint = as_text(hint);
      auto hint = wanted[p].begin();
      for (const Line& l : programs[p])
        text += fmt::format("{:60} {}\n", l.text.starts_with('.') ? "" : *hint++, l.text);
      hints += static_cast<size_t>(std::ranges::count_if(wanted[p], [](const auto& h) { return !h.empty(); }));
      INFO(isa::target(arch).name << "\n" << text);
      CHECK(our_hints(programs[p], arch) == wanted[p]);
    }
    CHECK(hints > 200);
  }
}

TEST_CASE("targets without s_delay_alu get none, and a hint has its second half in its own block", "[delay]") {
  auto nodes = read("v_add_f32 v0, v1, v2\nv_add_f32 v3, v0, v2");
  insert_delays(nodes, Arch::gfx942);
  CHECK(nodes.size() == 2);
  insert_delays(nodes, Arch::gfx1200);
  CHECK(nodes.size() == 3);
  auto parted = read("v_add_f32 v0, v1, v2\n.L0:\nv_add_f32 v3, v0, v2");
  insert_delays(parted, Arch::gfx1200);
  CHECK(parted.size() == 4);  // results of the previous block count
  auto twice = read("v_add_f32 v0, v1, v2\nv_add_f32 v3, v0, v2\n.L0:\nv_add_f32 v4, v3, v2");
  insert_delays(twice, Arch::gfx1200);
  CHECK(twice.size() == 6);  // without a branch, one hint holds both
}
