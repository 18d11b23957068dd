// Hazard rows: a pair of dependent instructions gets exactly the missing wait states, as hazards.csv has them for
// gfx942.
#include <catch2/catch.hpp>

#include <chrono>

#include <random>

#include "isa_tables/hazards/hazard_policy.h"
#include "isa_tables/opcodes.h"
#include "tests/generator/llc_pass.h"
#include "tests/generator/pass_text.h"

namespace {

using namespace wavesmith;

// Wait states inserted in front of the last instruction.
int nops(const std::string& text, Arch arch = Arch::gfx942) {
  auto nodes = read(text);
  resolve_hazards(nodes, arch);
  int n = 0;
  for (const Node& x : nodes)
    if (x.is_instruction() && x.inst.op == Opcode::s_nop) n += static_cast<int>(x.inst.operands[0].bits) + 1;
  return n;
}

// A matrix instruction of each pass count, by the type it multiplies; D = a[0:...].
const char* const xdl_by_passes[] = {"v_mfma_f32_4x4x4_16b_f16 v[0:3], v[40:41], v[42:43], v[44:47]\n",
                                     "v_mfma_f32_16x16x16_f16 v[0:3], v[40:41], v[42:43], v[44:47]\n",
                                     "v_mfma_f32_32x32x8_f16 v[0:15], v[40:41], v[42:43], v[44:59]\n",
                                     "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[44:75]\n"};
const char* const sgemm_by_passes[] = {"v_mfma_f32_4x4x1_16b_f32 v[0:3], v40, v42, v[44:47]\n", nullptr,
                                       "v_mfma_f32_16x16x4_f32 v[0:3], v40, v42, v[44:47]\n",
                                       "v_mfma_f32_32x32x2_f32 v[0:15], v40, v42, v[44:59]\n"};

}  // namespace

TEST_CASE("a matrix result waits by passes", "[hazards]") {
  constexpr int used[] = {5, 7, 11, 19}, overlap[] = {3, 5, 9, 17}, over_c[] = {1, 3, 7, 15},
                used_950[] = {5, 8, 12, 20}, sgemm_used[] = {4, 0, 10, 18}, sgemm_overlap[] = {2, 0, 8, 16};
  for (int p : {0, 1, 2, 3}) {
    const std::string m = xdl_by_passes[p];
    CAPTURE(m);
    for (const char* use : {"v_mov_b32 v90, v0", "v_mov_b32 v0, 0", "global_store_dword v[90:91], v0, off",
                            "ds_write_b32 v0, v90", "ds_read_b32 v0, v90", "global_load_dword v0, v[90:91], off",
                            "v_mfma_f32_16x16x16_f16 v[80:83], v[0:1], v[92:93], 0",
                            "v_mfma_f32_16x16x16_f16 v[80:83], v[92:93], v[2:3], 0", "v_accvgpr_write_b32 a0, v1"}) {
      CAPTURE(use);
      CHECK(nops(m + use) == used[p]);
      CHECK(nops(m + use, Arch::gfx950) == used_950[p]);
      CHECK(nops(m + "s_nop 1\n" + use) == used[p] - 2 + 2);
    }
    CHECK(nops(m + "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[92:93], v[94:95], v[2:5]") == overlap[p]);
    CHECK(nops(m + "v_mov_b32 v44, 0") == over_c[p]);
    CHECK(nops(m + "v_mov_b32 v40, 0") == 0);
    CHECK(nops(m + "v_mfma_f32_16x16x16_f16 v[0:3], v[92:93], v[94:95], 0") == 0);
    if (!sgemm_by_passes[p]) continue;
    const std::string s = sgemm_by_passes[p];
    CHECK(nops(s + "v_mov_b32 v90, v0") == sgemm_used[p]);
    CHECK(nops(s + "v_mov_b32 v44, 0") == 0);
    CHECK(nops(s + "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[92:93], v[94:95], v[2:5]") == sgemm_overlap[p]);
    CHECK(nops(s + "v_mfma_f32_4x4x4_16b_f16 v[80:83], v[92:93], v[94:95], v[2:5]", Arch::gfx950) == 0);
  }
}

TEST_CASE("the same accumulator goes through if the passes agree", "[hazards]") {
  CHECK(nops(std::string(xdl_by_passes[0]) + "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[40:41], v[42:43], v[0:3]") == 2);
  CHECK(nops(std::string(xdl_by_passes[1]) + "v_mfma_f32_16x16x16_f16 v[0:3], v[40:41], v[42:43], v[0:3]") == 0);
  CHECK(nops(std::string(xdl_by_passes[2]) + "v_mfma_f32_32x32x8_f16 v[0:15], v[40:41], v[42:43], v[0:15]") == 0);
  CHECK(nops(std::string(xdl_by_passes[1]) + "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[40:41], v[42:43], v[0:3]") ==
        5);  // ISA manual; LLVM 0
}

TEST_CASE("VALU results wait by what they are and who reads them", "[hazards]") {
  struct {
    const char* text;
    int wait_states;
  } const cases[] = {
      {"v_mov_b32 v0, 1\nv_mfma_f32_16x16x16_f16 v[80:83], v[0:1], v[92:93], 0", 2},
      {"v_mov_b32 v0, 1\nv_mfma_f32_16x16x16_f16 v[80:83], v[92:93], v[94:95], v[0:3]", 2},
      {"v_accvgpr_write_b32 a0, 0\nv_mfma_f32_16x16x16_f16 a[0:3], v[92:93], v[94:95], a[0:3]", 2},
      {"v_accvgpr_write_b32 a0, 0\nv_accvgpr_read_b32 v0, a0", 0},
      {"v_mov_b32 v0, 1\nv_mov_b32 v1, v0", 0},
      {"v_mov_b32 v0, 1\nglobal_store_dword v[2:3], v0, off", 0},
      {"v_readfirstlane_b32 s4, v0\nbuffer_load_dword v1, off, s[4:7], 0", 5},
      {"v_readfirstlane_b32 s9, v0\nbuffer_load_dword v1, off, s[4:7], s9", 5},
      {"v_readfirstlane_b32 s4, v0\nglobal_load_dword v1, v2, s[4:5]", 5},
      {"v_readfirstlane_b32 s4, v0\ns_nop 0\nglobal_load_dword v1, v2, s[4:5]", 5},
      {"v_readfirstlane_b32 s4, v0\ns_mov_b32 s9, s4", 0},
      {"v_readfirstlane_b32 s4, v0\nv_readlane_b32 s9, v1, s4", 4},
      {"v_readfirstlane_b32 s4, v0\nv_writelane_b32 v1, s9, s4", 4},
      {"v_readfirstlane_b32 s4, v0\nv_mov_b32 v1, s4", 2},
      {"v_cmp_lt_f32 vcc, v0, v1\nv_cndmask_b32 v2, v3, v4, vcc", 2},
      {"v_cmp_lt_f32 vcc, v0, v1\nv_div_fmas_f32 v2, v3, v4, v5", 4},
      {"v_cmp_lt_f32 vcc, v0, v1\ns_cbranch_vccz .L0\n.L0:", 0},
      {"v_mov_b32 v0, 1\nv_mov_b32_dpp v1, v0 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", 2},
      {"v_mov_b32 v0, 1\nv_readlane_b32 s9, v0, s4", 1},
      {"v_mov_b32 v0, 1\nv_readfirstlane_b32 s9, v0", 1},
      {"v_exp_f32 v0, v1\nv_mul_f32 v2, v0, v0", 1},
      {"v_exp_f32 v0, v1\nv_rcp_f32 v2, v0", 0},
      {"v_exp_f32 v0, v1\nv_mov_b32 v0, 0", 0},
      {"v_exp_f32 v0, v1\nv_mfma_f32_16x16x16_f16 v[80:83], v[0:1], v[92:93], 0", 2},
      {"v_mov_b32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\nv_mov_b32 v2, v0", 1},
      {"v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1\nv_mov_b32 v2, v0", 0},
      {"s_mov_b32 m0, s4\nbuffer_load_dword v1, s[4:7], 0 offen lds", 1},
      {"s_mov_b32 m0, s4\nds_read_b32 v0, v1", 0},
      {"global_store_dwordx4 v[8:9], v[0:3], off\nv_mov_b32 v3, 0", 2},
      {"global_store_dwordx2 v[8:9], v[0:1], off\nv_mov_b32 v1, 0", 0},
      {"buffer_store_dwordx4 v[0:3], off, s[4:7], 0\nv_mov_b32 v3, 0", 2},
      {"buffer_store_dwordx4 v[0:3], off, s[4:7], s9\nv_mov_b32 v3, 0", 1},  // LLVM pull request 197267; LLVM 22 has 0
      {"ds_write_b128 v8, v[0:3]\nv_mov_b32 v3, 0", 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(nops(c.text) == c.wait_states);
  }
}

TEST_CASE("instructions and waits in between count as wait states", "[hazards]") {
  CHECK(nops("v_readfirstlane_b32 s4, v0\ns_waitcnt vmcnt(0)\ns_mov_b32 s20, 0\nglobal_load_dword v1, v2, s[4:5]") ==
        3);
}

TEST_CASE("gfx1250: wave state and asynchronous arrivals wait as LLVM waits", "[hazards]") {
  const auto waits = [](const char* text) {
    auto nodes = read(text, false, Arch::gfx1250);
    resolve_hazards(nodes, Arch::gfx1250);
    std::string out;
    for (const Node& n : nodes)
      if (n.is_instruction())
        out += n.inst.info().mnemonic == std::string("s_waitcnt_depctr")
                   ? fmt::format("{:#x} ", n.inst.operands[0].bits)
                   : "- ";
    return out;
  };
  const std::string store = "ds_store_b32 v0, v1\n", arrive = "ds_atomic_async_barrier_arrive_b64 v2\n";
  CHECK(waits((store + arrive + store).c_str()) == "- 0xff83 - 0xff83 - ");  // llc 22: the same
  CHECK(waits((arrive + "v_mov_b32 v9, 0\n" + arrive).c_str()) == "- - 0xff83 - ");
  CHECK(waits((store + "s_wait_alu depctr_vm_vsrc(0)\nv_mov_b32 v9, 0\n" + arrive).c_str()) == "- 0xffe3 - - ");
  for (const int state : {2, 4, 17, 18}) {
    CAPTURE(state);
    const std::string read_state = fmt::format("s_getreg_b32 s2, hwreg({})\n", state);
    CHECK(waits(("v_mov_b32 v9, 0\ns_mov_b32 s9, 0\n" + read_state + read_state).c_str()) == "- - 0x0 - - ");
    CHECK(waits(("global_store_b32 v[0:1], v2, off\n" + read_state).c_str()) == "- 0x0 - ");
    CHECK(waits(("v_mov_b32 v9, 0\ns_wait_alu depctr_va_vdst(0)\n" + read_state).c_str()) == "- 0xfff 0x0 - ");
  }
  for (const int other : {1, 5, 20, 24})
    CHECK(waits(fmt::format("v_mov_b32 v9, 0\ns_getreg_b32 s2, hwreg({})\n", other).c_str()) == "- - ");
}

TEST_CASE("a hazard over the back edge is found, and the exit keeps its own", "[hazards]") {
  auto nodes = read(
      ".L0:\nv_mov_b32 v1, s4\nv_add_f32 v3, v3, v3\nv_readfirstlane_b32 s4, v0\ns_cbranch_scc1 .L0\nglobal_load_dword "
      "v1, v2, s[4:5]");
  resolve_hazards(nodes, Arch::gfx942);
  std::string out;
  for (const Node& n : nodes)
    out += n.as<directive::Label>() ? ".L0 | " : isa::print(n.inst, Arch::gfx942).substr(0, 8) + " | ";
  CHECK(out == ".L0 | s_nop 0 | v_mov_b3 | v_add_f3 | v_readfi | s_cbranc | s_nop 3 | global_l | ");
}

TEST_CASE("a hot loop fails and says what is missing", "[hazards]") {
  auto nodes = read("v_exp_f32 v0, v1\nv_mul_f32 v2, v0, v0", true);
  CHECK_THROWS_WITH(resolve_hazards(nodes, Arch::gfx942),
                    Catch::Contains("v_mul_f32 v2, v0, v0: trans result read by a non-trans VALU needs 1 more wait "
                                    "state after v_exp_f32 v0, v1 (LLVM)"));
}

TEST_CASE("a tracker forgets what has passed, and equals one that came another way", "[hazards]") {
  using isa::HazardTracker;
  const auto valu = isa::parse("v_mov_b32 v0, 1", Arch::gfx942),
             mfma = isa::parse("v_mfma_f32_16x16x16_f16 v[80:83], v[0:1], v[92:93], 0", Arch::gfx942);
  HazardTracker a(Arch::gfx942), b(Arch::gfx942);
  a.issue(valu);
  CHECK(a.check(mfma).wait_states == 2);
  CHECK(a.check(mfma).producer == valu);
  b.advance(7);
  b.issue(valu);
  CHECK(a == b);
  b.advance(1);
  CHECK_FALSE(a == b);
  b.merge(a);
  CHECK(b.check(mfma).wait_states == 2);
  a.advance(2);
  CHECK(a.idle());
}

TEST_CASE("a row that is lenient says which kernels break it; what none of them does is a fault", "[hazards]") {
  using isa::Standing;
  int lenient = 0;
  for (const auto& r : isa::hazard_rules()) {
    CAPTURE(r.name);
    const auto& p = isa::policy(r);
    CHECK((p.standing == Standing::warning) == (*p.evidence != 0));
    CHECK((p.standing == Standing::advice) == r.advice);
    lenient += p.standing == Standing::warning;
  }
  CHECK(lenient >= 10);
  const auto judged = [](const std::string& before, const char* use, Arch arch) {
    const auto nodes = read(before);
    isa::HazardTracker t(arch);
    for (const Node& n : nodes) t.issue(n.inst);
    const auto need = t.check(isa::parse(use, arch));
    REQUIRE(need.rule);
    return isa::standing(need, arch);
  };
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    for (const char* const mfma : {xdl_by_passes[1], xdl_by_passes[2]}) {
      CHECK(judged(mfma, "v_mov_b32 v90, v0", arch) == Standing::fault);  // garbage on gfx950
      CHECK(judged(std::string(mfma) + "v_nop\n", "v_mov_b32 v90, v0", arch) == Standing::fault);
      CHECK(judged(std::string(mfma) + "v_nop\nv_nop\n", "v_mov_b32 v90, v0", arch) ==
            Standing::warning);  // aiter's fp8 block-scale GEMM
    }
    CHECK(judged("v_readfirstlane_b32 s4, v0\n", "v_mov_b32 v1, s4", arch) == Standing::warning);
    CHECK(judged("v_readfirstlane_b32 s4, v0\n", "global_load_dword v1, v2, s[4:5]", arch) == Standing::fault);
    CHECK(judged("v_cmp_lt_i32 s[8:9], 31, v0\n", "v_cndmask_b32 v2, 0, v0, s[8:9]", arch) == Standing::advice);
    CHECK(judged("v_exp_f32 v0, v1\n", "v_mul_f32 v2, v0, v0", arch) == Standing::fault);
    CHECK(judged("buffer_store_dwordx4 v[0:3], off, s[4:7], s9\n", "v_mov_b32 v3, 0", arch) ==
          Standing::fault);  // measured
  }
}

namespace {

using llvm_pass::Line;
const std::string wave64 = "-mcpu=gfx1100 -mattr=+wavefrontsize64,-wavefrontsize32";

std::vector<llvm_pass::Source> random_programs(int lines, Line (*any)(std::mt19937&)) {
  std::mt19937 random(3);
  std::vector<llvm_pass::Source> programs(200);
  for (auto& p : programs)
    for (int i = 0; i < lines; ++i) p.push_back(any(random));
  return programs;
}
Line add_or_exec(std::mt19937& random) {
  const auto pick = [&] { return static_cast<unsigned>(random() % 4); };
  const unsigned d = pick(), a = pick(), b = pick();
  switch (random() % 8) {
    case 0:
    case 1: return {"$exec = S_MOV_B64 -1", "s_mov_b64 exec, -1"};
    case 2:
      if (d == 0)
        return {fmt::format("$vgpr{} = GLOBAL_LOAD_DWORD $vgpr8_vgpr9, 0, 0, implicit $exec", a),
                fmt::format("global_load_dword v{}, v[8:9], off", a)};
      return {"$sgpr4 = S_MOV_B32 0", "s_mov_b32 s4, 0"};
    default:
      return {fmt::format("$vgpr{} = V_ADD_F32_e32 $vgpr{}, $vgpr{}, implicit $exec, implicit $mode", d, a, b),
              fmt::format("v_add_f32 v{}, v{}, v{}", d, a, b)};
  }
}
Line mask_use(std::mt19937& random) {
  const char* const pairs[][2] = {{"$sgpr2_sgpr3", "s[2:3]"}, {"$sgpr4_sgpr5", "s[4:5]"}, {"$vcc", "vcc"}};
  const auto &p = pairs[random() % 3], &q = pairs[random() % 3];
  switch (random() % 5) {
    case 0:
      return {fmt::format("$vgpr1 = V_CNDMASK_B32_e64 0, $vgpr2, 0, $vgpr3, {}, implicit $exec", p[0]),
              fmt::format("v_cndmask_b32 v1, v2, v3, {}", p[1])};
    case 1:
      return {fmt::format("{} = V_CMP_EQ_U32_e64 $vgpr1, $vgpr2, implicit $exec", p[0]),
              fmt::format("v_cmp_eq_u32 {}, v1, v2", p[1])};
    case 2: return {fmt::format("{} = S_MOV_B64 {}", p[0], q[0]), fmt::format("s_mov_b64 {}, {}", p[1], q[1])};
    case 3: return {"$vgpr4 = V_MOV_B32_e32 $sgpr9, implicit $exec", "v_mov_b32 v4, s9"};
    default: return {"$vgpr4 = V_MOV_B32_e32 $vgpr5, implicit $exec", "v_mov_b32 v4, v5"};
  }
}

}  // namespace

TEST_CASE("RDNA3 in waves of 64 lanes: results from both sides of a write of EXEC wait where LLVM waits", "[hazards]") {
  if (!llvm_pass::here()) {
    WARN("llc 22 is not here: skipped");
    return;
  }
  const auto programs = random_programs(24, add_or_exec);
  const auto wanted = llvm_pass::run(programs, wave64, "post-RA-hazard-rec", "S_WAITCNT_DEPCTR");
  int waits = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    std::vector<Inst> insts;  // the tracker refers to them
    for (const Line& l : programs[p]) insts.push_back(isa::parse(l.text, Arch::gfx1100));
    isa::HazardTracker t(Arch::gfx1100, 64), own(Arch::gfx1100);
    const Inst wait = isa::parse("s_waitcnt_depctr 0xf9f", Arch::gfx1100);
    std::string text;
    for (size_t i = 0; i < insts.size(); ++i) {
      const bool missing = t.missing(insts[i]) > 0;
      text += fmt::format("{:10} {}\n", wanted[p][i], programs[p][i].text);
      INFO(text);
      CHECK(missing == !wanted[p][i].empty());
      CHECK(own.missing(insts[i]) == 0);  // waves of 32
      waits += missing;
      if (!wanted[p][i].empty()) t.issue(wait);
      t.issue(insts[i]), own.issue(insts[i]);
    }
  }
  CHECK(waits > 50);
}

TEST_CASE(
    "RDNA3 in waves of 64 lanes: masks that are written again before they are read need a wait, and LLVM's suffice",
    "[hazards]") {
  if (!llvm_pass::here()) {
    WARN("llc 22 is not here: skipped");
    return;
  }
  const auto programs = random_programs(16, mask_use);
  const auto wanted = llvm_pass::run(programs, wave64, "post-RA-hazard-rec", "S_WAITCNT_DEPCTR");
  int missed = 0;
  for (size_t p = 0; p < programs.size(); ++p) {
    std::vector<Inst> insts, waits(programs[p].size());
    for (const Line& l : programs[p]) insts.push_back(isa::parse(l.text, Arch::gfx1100));
    isa::HazardTracker with(Arch::gfx1100, 64), without(Arch::gfx1100, 64);
    std::string text;
    bool any = false;
    for (size_t i = 0; i < insts.size(); ++i) {
      text += fmt::format("{:10} {}\n", wanted[p][i], programs[p][i].text);
      INFO(text);
      if (!wanted[p][i].empty())
        waits[i] = isa::parse("s_waitcnt_depctr " + wanted[p][i], Arch::gfx1100), with.issue(waits[i]);
      CHECK(with.missing(insts[i]) == 0);
      any |= without.missing(insts[i]) > 0;
      with.issue(insts[i]), without.issue(insts[i]);
    }
    const bool llvm_waits = std::any_of(wanted[p].begin(), wanted[p].end(), [](const auto& w) { return !w.empty(); });
    if (any) CHECK(llvm_waits);
    missed += any;
  }
  CHECK(missed > 50);
}

TEST_CASE("the tracker per instruction", "[.][benchmark]") {
  std::vector<Node> nodes = read(
      "v_mfma_f32_16x16x16_f16 a[0:3], v[40:41], v[42:43], a[0:3]\nv_add_f32 v1, v2, v3\nds_read_b128 v[4:7], "
      "v60\nv_mfma_f32_16x16x16_f16 a[4:7], v[40:41], v[42:43], a[4:7]\ns_add_u32 s0, s0, s1\nv_exp_f32 v9, "
      "v8\nv_mfma_f32_16x16x16_f16 a[8:11], v[40:41], v[42:43], a[8:11]\nv_mul_f32 v10, v11, v11");
  isa::HazardTracker t(Arch::gfx942);
  constexpr int rounds = 200000;
  int sum = 0;
  const auto t0 = std::chrono::steady_clock::now();
  for (int r = 0; r < rounds; ++r)
    for (const Node& n : nodes) {
      sum += t.missing(n.inst);
      t.issue(n.inst);
    }
  const double ns =
      std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - t0).count() / (rounds * nodes.size());
  WARN(fmt::format("{:.1f} ns per check and issue ({})", ns, sum));
}
