// Results that meet in one register: a load over an older load's that is still on its way, and 16-bit results in the
// two halves of a register. What has to be waited for is compared with LLVM's passes.
#include "isa_tables/hazards/hazards.h"
#include "isa_tables/opcodes.h"
#include "tests/generator/llc_pass.h"
#include "tests/generator/pass_text.h"
#include "tests/support/memory_kernel.h"

using namespace simtest;

namespace {

using Line = llvm_pass::Line;

const Line global{"$vgpr4 = GLOBAL_LOAD_DWORD $vgpr0_vgpr1, 0, 0, implicit $exec", "global_load_dword v4, v[0:1], off"};
const Line flat{"$vgpr4 = FLAT_LOAD_DWORD $vgpr2_vgpr3, 0, 0, implicit $exec, implicit $flat_scr",
                "flat_load_dword v4, v[2:3]"};
const Line lds{"$vgpr4 = DS_READ_B32_gfx9 $vgpr6, 0, 0, implicit $exec", "ds_read_b32 v4, v6"};

// What insert_waits puts between the two, as insert_waits prints it; "" for nothing.
std::string wait_between(const Line& older, const Line& younger, isa::Arch arch) {
  auto nodes = wavesmith::read(older.text + "\n" + younger.text + "\n", false, arch);
  wavesmith::insert_waits(nodes, arch);
  std::string out;
  for (size_t i = 1; i + 1 < nodes.size(); ++i) out += (out.empty() ? "" : "; ") + isa::print(nodes[i].inst, arch);
  return out;
}

}  // namespace

TEST_CASE(
    "a load over an older load's result waits for what LLVM waits for: FLAT's LDS half up to gfx11, every load from "
    "gfx12 on",
    "[waits]") {
  if (!llvm_pass::here()) {
    WARN("llc 22 is not here: skipped");
    return;
  }
  const std::vector<std::pair<Line, Line>> pairs{{global, global}, {flat, global}, {global, flat}, {lds, global}};
  for (const char* name : {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1200", "gfx1250"}) {
    const isa::Arch arch = *isa::find_arch(name);
    const bool split = isa::target(arch).family >= isa::Family::rdna4;
    std::vector<llvm_pass::Source> programs;
    for (const auto& [older, younger] : pairs) programs.push_back({older, younger});
    const auto options = fmt::format("-mcpu={}", name);
    const auto both =
        llvm_pass::run(programs, options, "si-insert-waitcnts", split ? "S_WAIT_LOADCNT_DSCNT" : "S_WAITCNT");
    const auto load = split ? llvm_pass::run(programs, options, "si-insert-waitcnts", "S_WAIT_LOADCNT") : both;
    for (size_t p = 0; p < programs.size(); ++p) {
      CAPTURE(name, pairs[p].first.text, pairs[p].second.text);
      const std::string ours = wait_between(pairs[p].first, pairs[p].second, arch);
      const auto in_front = [&](const auto& lists) {
        return lists[p][lists[p].size() - 2];
      };  // of the younger one: after it stands the end
      if (!split) {
        isa::Inst wait{isa::Opcode::s_waitcnt};
        if (!in_front(both).empty()) wait.operands[0] = isa::imm(std::stoi(in_front(both)));
        CHECK(ours == (in_front(both).empty() ? "" : isa::print(wait, arch)));
      } else if (p == 1 || p == 3) {  // both counters, or DScnt alone
        CHECK(ours == (p == 1 ? "s_wait_loadcnt_dscnt 0" : "s_wait_dscnt 0"));
        if (p == 1) CHECK(in_front(both) == "0");
      } else {
        CHECK(ours == "s_wait_loadcnt 0");
        CHECK(in_front(load) == "0");
      }
    }
  }
}

TEST_CASE("a load may follow a FLAT load into one register when LDS has been waited for, up to gfx11",
          "[sim][fault][memory]") {
  struct Case {
    const char *target, *flat_lds, *all;
    bool in_order;
  };
  for (const Case& c : {Case{"gfx908", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", true},
                        Case{"gfx942", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", true},
                        Case{"gfx1100", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)", true},
                        Case{"gfx1200", "s_wait_dscnt 0x0", "s_wait_loadcnt_dscnt 0x0", false},
                        Case{"gfx1250", "s_wait_dscnt 0x0", "s_wait_loadcnt_dscnt 0x0", false}}) {
    const Machine& m = machine(c.target);
    const std::string address = "v_mov_b32 v6, s4\nv_mov_b32 v7, s5\n",
                      over_flat = "\nglobal_load_dword v8, v1, s[4:5] offset:4\n",
                      end = "\nglobal_store_dword v1, v8, s[6:7]";
    const auto flies = [&](const std::string& body) {
      const auto r = run_on(m, address + body + "\n" + c.all + end, std::vector<uint32_t>(256, 7)).result;
      return r.fault && r.fault->kind == sim::Fault::Kind::in_flight;
    };
    CAPTURE(c.target);
    CHECK(flies("flat_load_dword v8, v[6:7]" + over_flat));
    CHECK(flies(fmt::format("flat_load_dword v8, v[6:7]\n{}", c.flat_lds) + over_flat) == !c.in_order);
    CHECK_FALSE(flies(fmt::format("flat_load_dword v8, v[6:7]\n{}", c.all) + over_flat));
    CHECK(flies("global_load_dword v8, v1, s[4:5]" + over_flat) == !c.in_order);
    CHECK(flies("global_load_dword v8, v1, s[4:5]\nflat_load_dword v8, v[6:7]"));
  }
}

TEST_CASE(
    "a transcendental result in one half of a register delays nothing that touches the other half alone, as LLVM has "
    "it",
    "[hazards]") {
  if (!llvm_pass::here()) {
    WARN("llc 22 is not here: skipped");
    return;
  }
  const Line sqrt{"$vgpr10_lo16 = V_SQRT_F16_t16_e64 0, $vgpr1_lo16, 0, 0, 0, implicit $mode, implicit $exec",
                  "v_sqrt_f16 v10.l, v1.l"};
  const std::vector<Line> next{
      {"$vgpr10_hi16 = V_MUL_F16_t16_e64 0, $vgpr10_hi16, 0, $vgpr12_lo16, 0, 0, 0, implicit $mode, implicit $exec",
       "v_mul_f16 v10.h, v10.h, v12.l"},
      {"$vgpr11_hi16 = V_MUL_F16_t16_e64 0, $vgpr10_lo16, 0, $vgpr12_lo16, 0, 0, 0, implicit $mode, implicit $exec",
       "v_mul_f16 v11.h, v10.l, v12.l"},
      {"$vgpr10_hi16 = V_MUL_F16_t16_e64 0, $vgpr11_hi16, 0, $vgpr12_lo16, 0, 0, 0, implicit $mode, implicit $exec",
       "v_mul_f16 v10.h, v11.h, v12.l"},
      {"$vgpr11 = V_MOV_B32_e32 $vgpr10, implicit $exec", "v_mov_b32 v11, v10"}};
  std::vector<llvm_pass::Source> programs;
  for (const Line& l : next) programs.push_back({sqrt, l});
  const auto wanted =
      llvm_pass::run(programs, "-mcpu=gfx1100 -mattr=+real-true16", "post-RA-hazard-rec", "S_WAITCNT_DEPCTR");
  for (size_t p = 0; p < programs.size(); ++p) {
    const isa::Inst first = isa::parse(sqrt.text, isa::Arch::gfx1100),
                    second = isa::parse(next[p].text, isa::Arch::gfx1100);
    isa::HazardTracker t(isa::Arch::gfx1100);
    t.issue(first);
    CAPTURE(next[p].text);
    CHECK((t.missing(second) > 0) == !wanted[p][1].empty());
    CHECK((t.missing(second) > 0) == (p == 1 || p == 3));
  }
}
