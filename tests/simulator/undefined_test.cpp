// Registers that were never written: a fault where the value shows, and none where it is only moved about or computed
// with.
#include <random>

#include "isa_tables/mc/sample.h"
#include "tests/support/one_wave.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

sim::Result result_of(const std::string& body, const char* target, int scratch = 0, bool at_reads = false) {
  Bench b;
  b.options.checks.undefined_reads = at_reads, b.options.checks.hazards = false;
  Assembly a{body + "\ns_endpgm\n"};
  a.target = target, a.scratch = scratch, a.lds = 1024;
  return b.run(a.build());
}
std::string outcome_of(const sim::Result& r) {
  return r.fault ? fmt::format("{} {}", name(r.fault->kind), r.fault->text.substr(0, r.fault->text.find(' '))) : "none";
}
std::string outcome(const std::string& body, const char* target = "gfx942", int scratch = 0) {
  return outcome_of(result_of(body, target, scratch));
}
std::string at_read(const std::string& body, const char* target = "gfx942", int scratch = 0) {
  return outcome_of(result_of(body, target, scratch, true));
}

// Is what the body leaves in a VGPR seen to lack a value once it is added to LDS (at a place of its own)?
bool lacks(const std::string& body, const std::string& reg, const char* target = "gfx942") {
  return outcome(body + "\nv_mov_b32 v100, 0x200\nds_add_u32 v100, " + reg, target) == "undefined read ds_add_u32";
}

// The same where the body uses private memory.
bool lacks_scratch(const std::string& body, const std::string& reg) {
  return outcome(body + "\nv_mov_b32 v100, 0\nds_add_u32 v100, " + reg, "gfx942", 32) == "undefined read ds_add_u32";
}

}  // namespace

TEST_CASE("a condition that is undefined in some lanes makes undefined what they may write, and only that",
          "[sim][undefined]") {
  // v9 has no value in lane 0; `region` runs in lanes in which it is equal to `number`; v4 is 1 before.
  const auto after = [](int number, const std::string& region, const std::string& use, const char* target) {
    return outcome(fmt::format("v_mov_b32 v1, 0\nv_mov_b32 v4, 1\ns_mov_b64 exec, -2\nv_mov_b32 v9, 5\n"
                               "s_mov_b64 exec, -1\nv_cmp_eq_u32 vcc, {}, v9\ns_and_saveexec_b64 s[4:5], vcc\n"
                               "s_cbranch_execz .Lx\n{}\n.Lx:\ns_or_b64 exec, exec, s[4:5]\n{}",
                               number, region, use),
                   target, 32);
  };
  const std::string store = "ds_add_u32 v1, v4", others = "s_mov_b64 exec, -2\n" + store,
                    fault = "undefined read ds_add_u32";
  for (const char* target : {"gfx90a", "gfx942"})
    for (const int number :
         {5, 6, 0}) {  // all other lanes; none of them, where the branch must not skip lane 0; or lane 0
      CAPTURE(target, number);
      CHECK(after(number, "v_mov_b32 v4, 7", store, target) == fault);
      CHECK(after(number, "v_mov_b32 v4, 7", others, target) == "none");
      CHECK(after(number, "s_nop 0", store, target) == "none");
      CHECK(after(number, store, "", target) == fault);
      CHECK(after(number, "v_cmp_eq_u32 s[6:7], 1, v4", "v_cndmask_b32 v4, 0, 1, s[6:7]\n" + store, target) == fault);
      CHECK(after(number, "v_cmp_eq_u32 s[6:7], 1, v4", "v_cndmask_b32 v4, 0, 1, s[6:7]\n" + others, target) == "none");
      // The first lane may be lane 0 or another.
      CHECK(after(number, "v_readfirstlane_b32 s8, v4", "v_mov_b32 v4, s8\n" + others, target) == "none");
      CHECK(after(number, "v_readfirstlane_b32 s8, v9", "v_mov_b32 v4, s8\n" + others, target) == fault);
      // What such a lane loads is undefined, whatever its address is.
      CHECK(after(number, "v_mov_b32 v5, v1\nds_read_b32 v6, v5\ns_waitcnt lgkmcnt(0)", store, target) == "none");
      CHECK(after(number, "v_mov_b32 v5, v1\nds_read_b32 v4, v5\ns_waitcnt lgkmcnt(0)", store, target) == fault);
      CHECK(after(number, "v_mov_b32 v5, 3", "v_mov_b32 v4, v1\n" + store, target) == "none");
    }
  // Waves of 32, whose masks may be in odd SGPRs.
  const auto in_wave32 = [](const std::string& lanes) {
    return outcome(
        "v_mov_b32 v1, 0\nv_mov_b32 v4, 1\ns_mov_b32 exec_lo, -2\nv_mov_b32 v9, 5\ns_mov_b32 exec_lo, -1\n"
        "s_mov_b32 s4, exec_lo\nv_cmpx_eq_u32 5, v9\nv_cmp_eq_u32 s7, 1, v4\ns_mov_b32 exec_lo, s4\n"
        "v_cndmask_b32 v4, 0, 1, s7\ns_mov_b32 exec_lo, " +
            lanes + "\nds_add_u32 v1, v4",
        "gfx1201");
  };
  CHECK(in_wave32("-1") == "undefined read ds_add_u32");
  CHECK(in_wave32("-2") == "none");
  // Any number of such conditions, one after the other.
  CHECK(outcome("v_mov_b32 v1, 0\ns_mov_b32 s8, 0x11000\ns_mov_b64 exec, -2\nv_mov_b32 v9, 5\ns_mov_b64 exec, -1\n"
                ".Ln:\nv_cmp_eq_u32 vcc, 6, v9\ns_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz .Lx\ns_nop 0\n.Lx:\n"
                "s_or_b64 exec, exec, s[4:5]\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 .Ln") == "none");
  // A loop that lane 0 alone would repeat.
  const std::string loop =
      ".Ly:\nv_mov_b32 v4, 7\nv_cmp_eq_u32 vcc, 6, v9\ns_and_b64 exec, exec, vcc\n"
      "s_cbranch_execnz .Ly";
  CHECK(after(6, loop, others, "gfx942") == "none");
  CHECK(after(6, loop, store, "gfx942") == fault);
}

TEST_CASE("after both sides of a condition that is undefined in some lanes EXEC is defined", "[sim][undefined]") {
  // LLVM's form of if and else, and one within the other. v9 has no value in lane 0.
  const auto both = [](const std::string& first, const std::string& second, const std::string& saved, int number) {
    return fmt::format(
        "v_cmp_eq_u32 vcc, {3}, v9\ns_and_saveexec_b64 {2}, vcc\ns_xor_b64 {2}, exec, {2}\n"
        "s_cbranch_execz .Le{3}\n{0}\n.Le{3}:\ns_andn2_saveexec_b64 {2}, {2}\n"
        "s_cbranch_execz .Lx{3}\n{1}\n.Lx{3}:\ns_or_b64 exec, exec, {2}\n",
        first, second, saved, number);
  };
  const std::string before =
      "v_mov_b32 v1, 0\nv_mov_b32 v4, 1\nv_mov_b32 v5, 1\ns_mov_b64 exec, -2\nv_mov_b32 v9, 5\n"
      "s_mov_b64 exec, -1\n";
  const auto stored = [&](const std::string& region, const std::string& reg) {
    return outcome(before + region + "ds_add_u32 v1, " + reg);
  };
  const std::string set = "v_mov_b32 v4, 7", fault = "undefined read ds_add_u32";
  for (const int number : {5, 6}) {
    CAPTURE(number);
    const std::string inner = both(set, "s_nop 0", "s[6:7]", 15 - number);
    for (const std::string& region :
         {both(set, "s_nop 0", "s[4:5]", number), both("s_nop 0", set, "s[4:5]", number),
          both(inner, "s_nop 0", "s[4:5]", number), both("s_nop 0", inner, "s[4:5]", number)}) {
      CAPTURE(region);
      CHECK(stored(region, "v5") == "none");
      CHECK(stored(region, "v4") == fault);
      CHECK(stored(region + "s_mov_b64 exec, -2\n", "v4") == "none");
    }
  }
  // Conditions that do not belong together.
  CHECK(outcome(before + "v_cmp_eq_u32 s[4:5], 5, v9\nv_cmp_ne_u32 s[6:7], 6, v9\ns_or_b64 exec, s[4:5], s[6:7]\n"
                         "ds_add_u32 v1, v5") == fault);
}

TEST_CASE("a value that was never written is a fault in addresses, conditions, EXEC and stores",
          "[sim][fault][undefined]") {
  CHECK(outcome("s_cbranch_scc0 .Lx\ns_nop 0\n.Lx:") == "undefined read s_cbranch_scc0");
  CHECK(outcome("s_load_dword s4, s[40:41], 0") == "undefined read s_load_dword");
  CHECK(outcome("s_mov_b64 exec, s[40:41]") == "undefined read s_mov_b64");
  CHECK(outcome("s_or_saveexec_b64 s[4:5], s[40:41]\ns_and_saveexec_b64 s[4:5], s[40:41]") ==
        "undefined read s_and_saveexec_b64");
  CHECK(outcome("v_cmpx_eq_u32 v9, v0") == "undefined read v_cmpx_eq_u32_e32");
  CHECK(outcome("v_mov_b32 v1, 0\nds_write_b32 v9, v1") == "undefined read ds_write_b32");
  CHECK(outcome("v_mov_b32 v1, 0\nds_add_u32 v1, v9") == "undefined read ds_add_u32");
  CHECK(outcome("v_mov_b32 v1, 0\nds_add_rtn_u32 v9, v1, v9") == "undefined read ds_add_rtn_u32");
  CHECK(outcome("v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[8:9], 0") ==
        "undefined read v_mfma_f32_32x32x8_f16");
  CHECK(outcome("s_setreg_b32 hwreg(HW_REG_MODE), s40") == "undefined read s_setreg_b32");
}

TEST_CASE("of a comparison of floats each lane has its own bit, with a value or without", "[sim][fault][undefined]") {
  const auto stored_by = [](const char* lanes) {
    return outcome(
        fmt::format("s_mov_b64 exec, 5\nv_mov_b32 v9, 1.0\ns_mov_b64 exec, -1\nv_mov_b32 v100, 0\n"
                    "v_cmp_u_f32 vcc, v9, v9\nv_cndmask_b32 v4, 0, 1, vcc\ns_mov_b64 exec, {}\n"
                    "ds_add_u32 v100, v4",
                    lanes));
  };
  CHECK(stored_by("5") == "none");
  CHECK(stored_by("2") == "undefined read ds_add_u32");
}

TEST_CASE("a computation passes on that there is no value, to the instruction where it shows",
          "[sim][fault][undefined]") {
  CHECK(outcome("v_add_u32 v1, v9, v0") == "none");
  CHECK(outcome("s_mov_b32 s4, s40\ns_add_u32 s5, s4, 1\nv_mov_b32 v1, s5\nv_add_u32 v2, v1, v1") == "none");
  CHECK(lacks("v_add_u32 v1, v9, v0", "v1"));
  CHECK(lacks("v_add_u32 v1, s40, v0", "v1"));
  CHECK(lacks("s_mov_b32 s4, s40\ns_add_u32 s5, s4, 1\nv_mov_b32 v1, s5\nv_mul_f32 v2, v1, v1", "v2"));
  CHECK(lacks("v_mov_b32 v1, 1\nv_mov_b32 v1, v9", "v1"));  // overwritten
  CHECK_FALSE(lacks("v_mov_b32 v1, v9\nv_mov_b32 v1, 1", "v1"));
  CHECK(outcome("s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 .Lx\ns_nop 0\n.Lx:") == "undefined read s_cbranch_scc1");
  CHECK(outcome("v_readlane_b32 s4, v9, 3\ns_mov_b32 s5, s4") == "none");
  CHECK(lacks("v_readlane_b32 s4, v9, 3\nv_add_u32 v1, s4, v0", "v1"));
  CHECK(lacks("v_mov_b32 v9, 1\nv_writelane_b32 v9, s40, 5", "v9"));
  CHECK(outcome("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, 0", "gfx1100") == "none");
  CHECK_FALSE(lacks("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, 0", "v2", "gfx1100"));
  CHECK(lacks("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, 0", "v1", "gfx1100"));
}

TEST_CASE("a copy lacks what its source lacks, lane by lane and bit by bit", "[sim][undefined]") {
  // v4: lanes 0 to 7 have a value, of the others only the lower half; v5 has one in lanes 8 to 63.
  const std::string parts =
      "s_mov_b32 s12, 0xffff\ns_mov_b64 exec, 0xff\nv_mov_b32 v4, 1\ns_mov_b64 exec, -1\nv_mov_b32 v6, 2\n"
      "s_not_b64 exec, 0xff\nv_mov_b32 v5, 3\nv_bfi_b32 v4, s12, v6, v4\ns_mov_b64 exec, -1\n";
  const std::string low = "v_and_b32 v9, 0xffff, ", lanes = "s_mov_b64 exec, 0xff\n", rest = "s_not_b64 exec, 0xff\n";
  for (const std::string copy : {"v_mov_b32 v8, v4\n", "v_accvgpr_write_b32 a1, v4\nv_accvgpr_read_b32 v8, a1\n",
                                 "v_accvgpr_write_b32 a1, v4\nv_accvgpr_mov_b32 a2, a1\nv_accvgpr_read_b32 v8, a2\n"}) {
    CAPTURE(copy);
    CHECK(lacks(parts + copy, "v8"));
    CHECK_FALSE(lacks(parts + copy + low + "v8", "v9"));
    CHECK_FALSE(lacks(parts + copy + lanes, "v8"));
    CHECK_FALSE(lacks(parts + lanes + copy, "v8"));                     // what is stored under this EXEC
    CHECK(lacks(parts + lanes + copy + "s_mov_b64 exec, -1\n", "v8"));  // the other lanes were not copied
    CHECK_FALSE(lacks(parts + "v_mov_b32 v8, 5\n" + lanes + copy + "s_mov_b64 exec, -1\n", "v8"));
    CHECK(lacks(parts + "v_mov_b32 v8, 5\n" + rest + copy + "s_mov_b64 exec, -1\n", "v8"));
  }
  const std::string use = "v_mov_b32 v8, s4\n";
  CHECK_FALSE(lacks(parts + "v_readlane_b32 s4, v4, 7\n" + use, "v8"));
  CHECK(lacks(parts + "v_readlane_b32 s4, v4, 8\n" + use, "v8"));
  CHECK_FALSE(lacks(parts + "v_readlane_b32 s4, v4, 8\n" + use + low + "v8", "v9"));
  CHECK_FALSE(lacks(parts + "v_readfirstlane_b32 s4, v4\n" + use, "v8"));
  CHECK(lacks(parts + "v_readfirstlane_b32 s4, v5\n" + use, "v8"));
  CHECK_FALSE(lacks(parts + rest + "v_readfirstlane_b32 s4, v5\ns_mov_b64 exec, -1\n" + use, "v8"));
  // Each v_writelane adds one lane.
  const std::string write = "s_mov_b32 s4, 1\nv_writelane_b32 v10, s4, 3\nv_writelane_b32 v10, s4, 40\n";
  CHECK(lacks(write, "v10"));
  CHECK_FALSE(lacks(write + "v_readlane_b32 s4, v10, 40\n" + use, "v8"));
  CHECK(lacks(write + "v_readlane_b32 s4, v10, 41\n" + use, "v8"));
  CHECK(lacks(write + "v_writelane_b32 v10, s40, 3\nv_readlane_b32 s4, v10, 3\n" + use, "v8"));
}

TEST_CASE("undefined-reads reports the computation itself, but no moves", "[sim][fault][undefined]") {
  CHECK(at_read("v_add_u32 v1, v9, v0") == "undefined read v_add_u32_e32");
  CHECK(at_read("v_add_u32 v1, s40, v0") == "undefined read v_add_u32_e32");
  CHECK(at_read("v_mov_b32 v1, v9\nv_and_b32 v1, 0, v9\nv_readlane_b32 s4, v9, 3\ns_add_u32 s5, s4, 1") == "none");
}

TEST_CASE("an instruction reads of its sources what its result depends on", "[sim][undefined]") {
  struct Case {
    const char *target, *body, *reg;
    bool lacks;
  };
  const Case cases[] = {
      // packed f32: one half of a pair
      {"gfx942", "v_mov_b32 v2, 1.0\nv_pk_mul_f32 v[4:5], v[2:3], v[2:3] op_sel_hi:[0,0]", "v5", false},
      {"gfx942", "v_mov_b32 v2, 1.0\nv_pk_mul_f32 v[4:5], v[2:3], v[2:3]", "v4", false},
      {"gfx942", "v_mov_b32 v2, 1.0\nv_pk_mul_f32 v[4:5], v[2:3], v[2:3]", "v5", true},
      {"gfx942", "v_mov_b32 v3, 1.0\nv_pk_fma_f32 v[4:5], v[2:3], v[2:3], v[2:3] op_sel:[1,1,1]", "v4", false},
      {"gfx90a", "v_mov_b32 v3, 1.0\nv_pk_mov_b32 v[4:5], v[2:3], v[2:3] op_sel:[1,0]", "v4", false},
      {"gfx1250", "v_mov_b32 v2, 1.0\nv_pk_add_f32 v[4:5], v[2:3], v[2:3] op_sel_hi:[0,0]", "v5", false},
      // the source that a mask does not select
      {"gfx942", "s_mov_b64 vcc, -1\nv_cndmask_b32 v4, v9, v0, vcc", "v4", false},
      {"gfx942", "s_mov_b64 vcc, -2\nv_cndmask_b32 v4, v9, v0, vcc", "v4", true},
      {"gfx1100", "s_mov_b32 vcc_lo, -1\nv_cndmask_b32 v4, v9, v0, vcc_lo", "v4", false},
      {"gfx942", "s_cmp_eq_u32 s0, s0\ns_cselect_b32 s4, 1, s40\nv_mov_b32 v4, s4", "v4", false},
      {"gfx942", "s_cmp_eq_u32 s0, s0\ns_cselect_b32 s4, s40, 1\nv_mov_b32 v4, s4", "v4", true},
      // half a register is written: the other half stays as it was
      {"gfx942", "v_cvt_pk_fp8_f32 v4, v0, v0 op_sel:[0,0,1]\nv_lshrrev_b32 v4, 16, v4", "v4", false},
      {"gfx942", "v_cvt_pk_fp8_f32 v4, v0, v0 op_sel:[0,0,1]", "v4", true},
      {"gfx942", "v_mov_b32 v4, 0\nv_cvt_pk_fp8_f32 v4, v0, v0 op_sel:[0,0,1]", "v4", false},
      {"gfx942", "v_cvt_pk_fp8_f32 v4, v0, v0\nv_cvt_pk_fp8_f32 v4, v0, v0 op_sel:[0,0,1]", "v4", false},
      {"gfx942", "v_cvt_sr_fp8_f32 v4, v0, v0 op_sel:[0,0,0,0]\nv_and_b32 v4, 0xff, v4", "v4", false},
      {"gfx942", "v_cvt_sr_bf8_f32 v4, v0, v0 op_sel:[0,0,0,0]\nv_bfe_u32 v4, v4, 8, 1", "v4", true},
      {"gfx950", "v_cvt_scalef32_pk_fp8_f32 v4, v0, v0, 1.0 op_sel:[0,0,0,1]\nv_lshrrev_b32 v4, 16, v4", "v4", false},
      {"gfx950", "v_cvt_scalef32_pk_fp8_f32 v4, v0, v0, 1.0 op_sel:[0,0,0,1]", "v4", true},
      {"gfx942", "v_fma_mixlo_f16 v4, v0, v0, v0\nv_and_b32 v4, 0xffff, v4", "v4", false},
      {"gfx942", "v_fma_mixlo_f16 v4, v0, v0, v0", "v4", true},
      {"gfx942", "v_fma_mixlo_f16 v4, v0, v0, v0\nv_fma_mixhi_f16 v4, v0, v0, v0", "v4", false},
      {"gfx942", "v_fma_mixhi_f16 v4, v9, v0, v0\nv_and_b32 v4, 0xffff0000, v4", "v4", true},
      {"gfx1100", "v_cvt_f16_f32 v4, v0\nv_lshlrev_b32 v4, 16, v4", "v4", false},
      {"gfx1100", "v_cvt_f16_f32 v4, v0", "v4", true},
      {"gfx942", "v_cvt_f16_f32 v4, v0", "v4", false},  // gfx9 clears it
      {"gfx942", "v_cvt_f16_f32_sdwa v4, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE", "v4", true},
      // shifts of 64 bits
      {"gfx942", "v_mov_b32 v2, 5\nv_lshlrev_b64 v[4:5], 32, v[2:3]", "v5", false},
      {"gfx942", "v_mov_b32 v2, 5\nv_lshlrev_b64 v[4:5], 31, v[2:3]", "v5", true},
      {"gfx942", "v_mov_b32 v3, 5\nv_lshrrev_b64 v[4:5], 32, v[2:3]", "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 6, v9\nv_mov_b32 v2, 5\nv_mov_b32 v3, 5\nv_lshlrev_b64 v[4:5], v1, v[2:3]", "v5",
       false},  // an amount has six bits
      {"gfx942", "v_lshlrev_b32 v1, 5, v9\nv_mov_b32 v2, 4\nv_mov_b32 v3, 5\nv_lshlrev_b64 v[4:5], v1, v[2:3]", "v5",
       true},
      {"gfx942", "s_mov_b32 s4, 5\ns_lshl_b64 s[4:5], s[4:5], 32\nv_mov_b32 v4, s5", "v4", false},
      {"gfx942", "s_lshl_b32 s6, s40, 6\ns_lshr_b64 s[4:5], s[0:1], s6\nv_mov_b32 v4, s5", "v4", false},
      {"gfx942", "s_lshl_b32 s6, s40, 5\ns_lshr_b64 s[4:5], s[0:1], s6\nv_mov_b32 v4, s5", "v4", true},
      {"gfx908", "v_mov_b32 v1, 5\nv_lshlrev_b64 v[1:2], 2, v[0:1]", "v2", false},  // result and source overlap
      // bits, bytes, halves
      {"gfx942", "v_and_b32 v1, 0xffff0000, v9\nv_bfe_u32 v4, v1, 0, 16", "v4", false},
      {"gfx942", "v_and_b32 v1, 0xffff0000, v9\nv_bfe_u32 v4, v1, 0, 17", "v4", true},
      {"gfx942", "v_and_b32 v1, 0xffff0000, v9\nv_bfe_i32 v4, v1, 0, 16", "v4", false},
      {"gfx942", "v_or_b32 v4, -1, v9", "v4", false},
      {"gfx942", "v_or_b32 v4, 1, v9", "v4", true},
      {"gfx942", "s_mov_b32 s4, -1\nv_bfi_b32 v4, s4, v0, v9", "v4", false},
      {"gfx942", "v_bfi_b32 v4, 1, v0, v9", "v4", true},
      {"gfx942", "s_mov_b32 s4, 0x03020100\nv_perm_b32 v4, v9, v0, s4", "v4", false},
      {"gfx942", "s_mov_b32 s4, 0x03020107\nv_perm_b32 v4, v9, v0, s4", "v4", true},
      {"gfx942", "v_alignbit_b32 v4, v9, v0, 0", "v4", false},
      {"gfx942", "v_alignbit_b32 v4, v9, v0, 1", "v4", true},
      {"gfx942", "v_alignbyte_b32 v4, v9, v0, 0", "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_cvt_f32_ubyte1 v4, v1", "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_cvt_f32_ubyte2 v4, v1", "v4", true},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_add_u32_sdwa v4, v1, v0 dst_sel:DWORD src0_sel:WORD_0 src1_sel:DWORD",
       "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_add_u32_sdwa v4, v1, v0 dst_sel:DWORD src0_sel:BYTE_2 src1_sel:DWORD",
       "v4", true},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_pk_add_f16 v4, v1, v0 op_sel_hi:[0,1]", "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_fma_mix_f32 v4, v1, v0, v0 op_sel_hi:[1,0,0]", "v4", false},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\nv_fma_mix_f32 v4, v1, v0, v0 op_sel:[1,0,0] op_sel_hi:[1,0,0]", "v4", true},
      {"gfx942", "v_lshlrev_b32 v1, 16, v9\ns_movk_i32 s4, 0x7fff\nv_dot2_i32_i16 v4, v1, s4, 1", "v4", false},
      {"gfx942", "s_lshl_b32 s4, s40, 16\ns_bfe_u32 s4, s4, 0x100000\nv_mov_b32 v4, s4", "v4", false},
      {"gfx942", "s_lshl_b32 s4, s40, 16\ns_bfe_u32 s4, s4, 0x110000\nv_mov_b32 v4, s4", "v4", true},
      {"gfx942", "s_lshl_b32 s4, s40, 16\ns_pack_ll_b32_b16 s4, s4, 1\nv_mov_b32 v4, s4", "v4", false},
      {"gfx942", "v_xor_b32 v4, v9, v9", "v4", false},
      {"gfx942", "v_mul_lo_u32 v4, v9, 0", "v4", false},
      // comparisons come out either way
      {"gfx942", "v_cmp_eq_u32 vcc, 77, v9\nv_cndmask_b32 v4, 0, 1, vcc", "v4", true},
      {"gfx942", "v_cmp_eq_u32 vcc, v0, v9\nv_cndmask_b32 v4, 0, 1, vcc", "v4", true},
      {"gfx942", "s_mov_b32 s4, 0x12345678\nv_cmp_eq_u32 vcc, s4, v9\nv_cndmask_b32 v4, 0, 1, vcc", "v4", true},
      {"gfx942", "v_cmp_ge_u32 vcc, v9, 0\nv_cndmask_b32 v4, 0, 1, vcc", "v4", false},
      {"gfx942", "v_mov_b32 v3, 0x60\nv_cmp_class_f32 vcc, v9, v3\nv_cndmask_b32 v4, 0, 1, vcc", "v4", true},
      {"gfx942", "v_mov_b32 v2, 3\nv_mov_b32 v3, 4\nv_cmp_eq_u64 vcc, v[2:3], v[8:9]\nv_cndmask_b32 v4, 0, 1, vcc",
       "v4", true},
      {"gfx942", "v_mov_b32 v2, 3\nv_mov_b32 v3, 4\nv_cmp_eq_f64 vcc, v[2:3], v[8:9]\nv_cndmask_b32 v4, 0, 1, vcc",
       "v4", true},
      {"gfx942", "v_max_u32 v4, -1, v9", "v4", false},
      // lanes
      {"gfx942", "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nv_readfirstlane_b32 s4, v1\nv_mov_b32 v4, s4",
       "v4", false},
      {"gfx942", "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nv_readlane_b32 s4, v1, 1\nv_mov_b32 v4, s4",
       "v4", true},
      {"gfx942",
       "s_mov_b32 exec_lo, 0x11111111\ns_mov_b32 exec_hi, 0x11111111\nv_mov_b32 v1, 5\ns_mov_b64 exec, "
       "-1\nv_mov_b32_dpp v4, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf",
       "v4", false},
      {"gfx942",
       "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nv_mov_b32_dpp v4, v1 quad_perm:[0,0,0,0] row_mask:0xf "
       "bank_mask:0xf",
       "v4", true},
      {"gfx942", "v_mov_b32_dpp v4, v0 row_shr:1 row_mask:0xf bank_mask:0xf", "v4",
       true},  // lane 0 of a row keeps what it held
      {"gfx942", "v_mov_b32_dpp v4, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0", "v4", false},
      {"gfx942",
       "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nv_mov_b32 v2, 0\nds_bpermute_b32 v4, v2, v1\ns_waitcnt "
       "lgkmcnt(0)",
       "v4", false},
      {"gfx942",
       "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nv_mov_b32 v2, 4\nds_bpermute_b32 v4, v2, v1\ns_waitcnt "
       "lgkmcnt(0)",
       "v4", true},
      {"gfx942",
       "s_mov_b64 exec, 1\nv_mov_b32 v1, 5\ns_mov_b64 exec, -1\nds_swizzle_b32 v4, v1 "
       "offset:swizzle(BROADCAST,32,0)\ns_waitcnt lgkmcnt(0)",
       "v4", true},
      {"gfx950",
       "s_mov_b64 exec, 0xffff\nv_mov_b32 v1, 5\nv_mov_b32 v2, 5\ns_mov_b64 exec, -1\nv_permlane32_swap_b32 v1, v2",
       "v1", true},
      {"gfx950", "v_mov_b32 v1, 5\nv_permlane32_swap_b32 v1, v2\nv_readlane_b32 s4, v1, 3\nv_mov_b32 v1, s4", "v1",
       false},
      {"gfx1100", "s_mov_b32 s4, 0\nv_permlane16_b32 v4, v0, s4, s4", "v4", false},
      // loads of half a register
      {"gfx1100",
       "v_mov_b32 v1, 0\nds_store_b32 v1, v1\nds_load_u16_d16 v4, v1\ns_waitcnt lgkmcnt(0)\nv_and_b32 v4, 0xffff, v4",
       "v4", false},
      {"gfx1100", "v_mov_b32 v1, 0\nds_store_b32 v1, v1\nds_load_u16_d16 v4, v1\ns_waitcnt lgkmcnt(0)", "v4", true},
      {"gfx1100",
       "v_mov_b32 v1, 0\nds_store_b32 v1, v1\nds_load_u16_d16 v4, v1\nds_load_u16_d16_hi v4, v1\ns_waitcnt lgkmcnt(0)",
       "v4", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.target, c.body);
    CHECK(lacks(c.body, c.reg, c.target) == c.lacks);
  }
}

TEST_CASE("a narrow store uses its half or byte of the data", "[sim][undefined]") {
  const std::string low = "v_mov_b32 v1, 0\nv_cvt_f16_f32 v4, v0\n",
                    high =
                        "v_mov_b32 v1, 0\nv_cvt_f16_f32 v4, v0\nv_lshlrev_b32 v4, 16, v4\nv_lshrrev_b32 v9, 16, "
                        "v9\nv_or_b32 v4, v4, v9\n";
  const auto stored_undefined = [](const std::string& body, const char* size, const char* half) {
    return lacks(fmt::format("{0}ds_store_b{1}{2} v1, v4\nds_load_u{1} v5, v1\ns_waitcnt lgkmcnt(0)", body, size, half),
                 "v5", "gfx1100");
  };
  for (const char* size : {"16", "8"}) {
    CHECK_FALSE(stored_undefined(low, size, ""));
    CHECK(stored_undefined(low, size, "_d16_hi"));
    CHECK_FALSE(stored_undefined(high, size, "_d16_hi"));
    CHECK(stored_undefined(high, size, ""));
  }
}

// Another fill of the bits without a value must not change a register's lane, or a scalar, all of which is said to hold
// a value; and sources without any value leave none in the result, unless it is the same for all.
TEST_CASE(
    "which results are defined does not depend on the contents of undefined registers, in every row of every target",
    "[sim][undefined][rows]") {
  std::mt19937 random(11);
  int rows = 0;
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    const auto arch = static_cast<isa::Arch>(a);
    OneWave w(arch);
    for (size_t i = 0; i < isa::table().size(); ++i) {
      const isa::Info& row = isa::table()[i];
      if (!row.on(arch) || row.refused & isa::bit(arch)) continue;
      sim::Step given;
      given.inst = isa::sample(static_cast<isa::Opcode>(i), arch), given.size = 8;
      const sim::Step st = w.step(given);
      if (!st.cold->pure || !st.cold->reads.count || !st.cold->writes.count) continue;
      CAPTURE(isa::print(st.inst, arch), isa::all_targets()[a].name);
      // Values: small numbers, floats about 1, anything. Bits: whole registers, halves, bytes, single ones.
      const auto value = [&](size_t k) {
        const uint32_t x = random();
        return k % 3 == 0 ? x & 63 : k % 3 == 1 ? 0x3f000000 | (x & 0x1ffffff) : x;
      };
      const auto start = [&](unsigned seed, bool other, bool all) {
        random.seed(seed);
        w.know_nothing();
        w.wave.set_exec(w.wave.all);
        std::mt19937 fill(seed + 1 + other);
        const auto put = [&](int r) {
          const uint32_t kind = random() % 4, mask = all || kind == 0 ? ~0u
                                                     : kind == 1      ? 0xffffu << 16 * (random() & 1)
                                                     : kind == 2      ? 0xffu << 8 * (random() & 3)
                                                                      : random() & random();
          if (r >= sim::scalar_base) {
            const uint32_t known = value(seed), noise = random(),
                           x = (known & ~mask) | ((other ? fill() : noise) & mask);
            if (r == sim::scalar_base + isa::sreg::scc) w.wave.scc = x & 1;
            else if (r - sim::scalar_base < 126) w.wave.s[r - sim::scalar_base] = x;
            else return;
            w.wave.known_bits[r - sim::scalar_base] = ~mask;
            return;
          }
          if (w.wave.lane_bits.empty()) w.wave.lane_bits.assign(sim::Wave::vector_regs * sim::Wave::lanes, 0);
          for (int l = 0; l < 64; ++l) {
            const uint32_t x = value(seed) & ~mask, noise = random();
            w.v(r)[l] = x | ((other ? fill() : noise) & mask);
            w.wave.lane_bits[static_cast<size_t>(r * 64 + l)] = ~mask;
          }
        };
        st.cold->reads.each(put), st.cold->writes.each([&](int r) {
          bool read = false;
          st.cold->reads.each([&](int x) { read |= x == r; });
          if (!read) put(r);
        });
        w.follow(st);
      };
      const auto held = [&](int r, int l) {
        return r < sim::scalar_base                     ? w.v(r)[l]
               : r == sim::scalar_base + isa::sreg::scc ? w.wave.scc
                                                        : w.wave.s[r - sim::scalar_base];
      };
      ++rows;
      for (unsigned seed = 0; seed < 3; ++seed) {
        std::map<std::pair<int, int>, std::pair<uint32_t, uint32_t>> first;  // value, bits without
        start(seed, false, false);
        if (w.wave.problem) continue;
        const int lanes = w.width();
        st.cold->writes.each([&](int r) {
          for (int l = 0; l < (r < sim::scalar_base ? lanes : 1); ++l)
            first[{r, l}] = {held(r, l), sim::unknown(w.wave, r, l)};
        });
        start(seed, true, false);
        bool same = true;
        st.cold->writes.each([&](int r) {
          for (int l = 0; l < (r < sim::scalar_base ? lanes : 1); ++l)
            same &= held(r, l) == first[{r, l}].first || first[{r, l}].second;
        });
        CHECK(same);
      }
      start(1, false, true);
      bool some = w.wave.problem.has_value();  // EXEC
      st.cold->writes.each([&](int r) {
        for (int l = 0; l < (r < sim::scalar_base ? w.width() : 1); ++l) some |= sim::unknown(w.wave, r, l) != 0;
      });
      // Always true or false; EXEC is all ones; the sample's truth table is 0.
      const std::string_view m = row.mnemonic;
      const bool same_for_all = m.find("_t_") != m.npos || m.find("_f_") != m.npos || m.find("_tru_") != m.npos ||
                                m.find("saveexec") != m.npos || m.find("wrexec") != m.npos || m == "v_bitop3_b32";
      CHECK((some || same_for_all));
    }
  }
  CHECK(rows > 5000);
}

TEST_CASE("a fault of an undefined value names the register it comes from and where it was first read",
          "[sim][fault][undefined]") {
  const auto r =
      result_of("v_mov_b32 v1, 0\nv_add_u32 v2, v9, v0\nv_lshlrev_b32 v3, 2, v2\nds_write_b32 v3, v1", "gfx942");
  REQUIRE(r.fault);
  CHECK(r.fault->why.find("reads v3 (bits 0xfffffffc), which is undefined: it comes from v9, which was never written "
                          "in this lane, at 0x") == 0);
  CHECK(r.fault->why.ends_with("'v_add_u32_e32 v2, v9, v0'"));
  const auto loaded = result_of(
      "v_mov_b32 v1, 0\nscratch_load_dword v4, off, off\ns_waitcnt vmcnt(0)\nds_write_b32 v4, v1", "gfx942", 16);
  REQUIRE(loaded.fault);
  CHECK(loaded.fault->why.find("reads v4, loaded from private memory that its lane had not written, at 0x") == 0);
}

TEST_CASE("a fault for a lane that was never written names the lane", "[sim][fault][undefined]") {
  Bench b;
  b.options.checks.undefined_reads = true;
  const auto r =
      b.run("s_mov_b64 exec, 0xff\n v_mov_b32 v1, 0\n s_mov_b64 exec, -1\n v_add_u32 v2, v1, v0\n s_endpgm\n");
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::undefined_read);
  CHECK(r.fault->lane == 8);
}

TEST_CASE("scalar logic knows the bits that do not depend on the missing ones", "[sim][undefined]") {
  CHECK(outcome("s_or_b64 s[4:5], s[40:41], -1\ns_mov_b64 exec, s[4:5]") == "none");
  CHECK(outcome("s_and_b64 s[4:5], s[40:41], 0\ns_cbranch_scc1 .Lx\ns_nop 0\n.Lx: v_add_u32 v1, s4, v0") == "none");
  CHECK(outcome("s_or_b32 s4, s40, 1\ns_cbranch_scc1 .Lx\ns_nop 0\n.Lx:") == "none");  // not zero, whatever the rest
  CHECK(outcome("s_and_b32 s4, s40, 1\ns_cbranch_scc1 .Lx\ns_nop 0\n.Lx:") == "undefined read s_cbranch_scc1");
  CHECK(at_read("s_mov_b64 exec, 0xff\ns_or_b64 s[4:5], s[40:41], exec\ns_nop 4\nv_cndmask_b32 v1, 0, 1, s[4:5]") ==
        "none");  // a mask of the active lanes
  CHECK(at_read("s_mov_b64 exec, 0xff\ns_or_b64 s[4:5], s[40:41], exec\ns_mov_b64 exec, -1\ns_nop 4\nv_cndmask_b32 v1, "
                "0, 1, s[4:5]") == "undefined read v_cndmask_b32_e64");
}

TEST_CASE("the upper half of a multiply-add's addend only reaches the upper half of the sum", "[sim][undefined]") {
  CHECK(at_read("v_mov_b32 v2, 5\nv_mad_u64_u32 v[4:5], s[8:9], v0, v0, v[2:3]\nv_add_u32 v6, v4, v4") == "none");
  CHECK(at_read("v_mov_b32 v2, 5\nv_mad_u64_u32 v[4:5], s[8:9], v0, v0, v[2:3]\nv_add_u32 v6, v5, v5") ==
        "undefined read v_add_u32_e32");
  CHECK(at_read("v_mov_b32 v2, 5\nv_mov_b32 v1, -1\nv_mad_u64_u32 v[4:5], s[8:9], v1, v1, v[2:3]\ns_nop "
                "4\nv_cndmask_b32 v6, 0, 1, s[8:9]") == "undefined read v_cndmask_b32_e64");
}

TEST_CASE("lanes without a value may be saved to private memory", "[sim][undefined]") {
  CHECK(outcome("scratch_store_dword off, v9, off", "gfx942", 16) == "none");
  CHECK(outcome("v_mov_b32 v1, 0\nscratch_store_dword v9, v1, off", "gfx942", 16) ==
        "undefined read scratch_store_dword");  // as an address
}

TEST_CASE("a flat store saves lanes without a value to private memory and LDS as well, and to no other",
          "[sim][undefined]") {
  // clang -O0 copies objects of the stack through generic pointers, members without a value included.
  const std::string address = "v_mov_b32 v2, 8\ns_mov_b64 s[4:5], src_private_base\nv_mov_b32 v3, s5\n",
                    store = "flat_store_dword v[2:3], v9\n",
                    use = "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32 v5, v4, v4\n";
  CHECK(at_read(address + store, "gfx942", 16) == "none");
  CHECK(at_read(address + store + use, "gfx942", 16) == "undefined read v_add_u32_e32");
  CHECK(at_read(address + "v_mov_b32 v9, 1\n" + store + use, "gfx942", 16) == "none");
  const std::string lds = "v_mov_b32 v2, 0\ns_mov_b64 s[4:5], src_shared_base\nv_mov_b32 v3, s5\n";
  CHECK(at_read(lds + store, "gfx942", 16) == "none");
  CHECK(at_read(lds + store + use, "gfx942", 16) == "undefined read v_add_u32_e32");
  CHECK(at_read(lds + store + "flat_load_dwordx2 v[4:5], v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32 v6, v4, v4",
                "gfx942", 16) == "undefined read v_add_u32_e32");
  CHECK(at_read("v_mov_b32 v2, s0\nv_mov_b32 v3, s1\n" + store, "gfx942", 16) == "undefined read flat_store_dword");
  // One lane's address lies elsewhere: its data is checked.
  const std::string other = "s_mov_b64 exec, 0x10\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\n";
  CHECK(at_read(address + other + "s_mov_b64 exec, -1\n" + store, "gfx942", 16) == "undefined read flat_store_dword");
  CHECK(at_read(address + other + "s_mov_b64 exec, 0xf\n" + store, "gfx942", 16) == "none");
  CHECK(at_read("v_mov_b32 v2, 0\n" + store, "gfx942", 16) == "undefined read flat_store_dword");  // as an address
}

TEST_CASE("loads of private memory that the lane has not written make registers undefined", "[sim][undefined]") {
  const std::string load = "scratch_load_dword v4, off, off offset:8\ns_waitcnt vmcnt(0)\n",
                    use = "v_add_u32 v5, v4, v4\n",
                    store = "v_mov_b32 v6, 1\nscratch_store_dword off, v6, off offset:8\n";
  const auto after = [](const std::string& body) { return at_read(body, "gfx942", 32); };
  CHECK(after(load) == "none");
  CHECK(after(load + "v_mov_b32 v5, v4\nscratch_store_dword off, v5, off offset:8\n" + load) == "none");
  CHECK(after(load + use) == "undefined read v_add_u32_e32");
  CHECK(after("v_mov_b32 v4, 0\n" + load + use) == "undefined read v_add_u32_e32");  // what the register held is gone
  CHECK(after(store + load + use) == "none");
  CHECK(after("s_mov_b64 exec, 0xff\n" + store + "s_mov_b64 exec, -1\n" + load + use) ==
        "undefined read v_add_u32_e32");
  CHECK(after("s_mov_b64 exec, 0xff\n" + store + "s_mov_b64 exec, -1\n" + load + "s_mov_b64 exec, 0xf0\n" + use) ==
        "none");
  CHECK(after(store + "scratch_store_dword off, v9, off offset:8\n" + load + use) ==
        "undefined read v_add_u32_e32");  // v9 has none to store
  // dword by dword
  const std::string two = store + "scratch_load_dwordx2 v[4:5], off, off offset:8\ns_waitcnt vmcnt(0)\n";
  CHECK(after(two + "v_add_u32 v7, v4, v4") == "none");
  CHECK(after(two + "v_add_u32 v7, v5, v5") == "undefined read v_add_u32_e32");
}

TEST_CASE("private memory is each workgroup's own: what the one before has written has no value", "[sim][undefined]") {
  Bench b;
  b.launch.grid = {3, 1, 1}, b.options.jobs = 1,
  b.options.checks.undefined_reads = true;  // in the same memory, one after the other
  Assembly a{
      "v_mov_b32 v6, 1\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc0 .Lload\nscratch_store_dword off, v6, "
      "off\n.Lload:\nscratch_load_dword v4, off, off\ns_waitcnt vmcnt(0)\nv_add_u32 v5, v4, v4\ns_endpgm\n"};
  a.scratch = 32;
  const auto r = b.run(a.build());
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::undefined_read);
  CHECK(r.fault->workgroup == std::array<uint32_t, 3>{1, 0, 0});
}

TEST_CASE("from gfx11 on FLAT loads are waited for one by one, on both counters", "[sim][undefined][waits]") {
  const std::string loads =
      "s_load_b64 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_load_b32 v4, "
      "v[2:3]\nflat_load_b32 v5, v[2:3]\n";
  CHECK(outcome(loads + "s_waitcnt vmcnt(1) lgkmcnt(1)\nv_add_nc_u32 v6, v4, v4", "gfx1100") == "none");
  CHECK(outcome(loads + "s_waitcnt vmcnt(1)\nv_add_nc_u32 v6, v4, v4", "gfx1100") ==
        "register in flight v_add_nc_u32_e32");
  CHECK(outcome(loads + "s_waitcnt vmcnt(1) lgkmcnt(1)\nv_add_nc_u32 v6, v5, v5", "gfx1100") ==
        "register in flight v_add_nc_u32_e32");
  CHECK(outcome(loads + "flat_load_b32 v5, v[2:3]", "gfx1100") ==
        "register in flight flat_load_b32");  // either may land last
}

TEST_CASE("private memory gives back each byte that was written, and no other", "[sim][undefined]") {
  // As clang 22 returns a struct of one byte at -O0: two bytes are loaded, of which one was written.
  const std::string one = "v_mov_b32 v6, 1\nscratch_store_byte off, v6, off offset:8\n";
  const std::string two = "scratch_load_ushort v4, off, off offset:8\ns_waitcnt vmcnt(0)\n";
  const std::string low = "scratch_store_byte off, v4, off offset:12\n", load = "s_waitcnt vmcnt(0)\n";
  const auto after = [](const std::string& body) { return at_read(body, "gfx942", 32); };
  const std::string back = "scratch_load_ubyte v7, off, off offset:12\ns_waitcnt vmcnt(0)\nv_add_u32 v8, v7, v7\n";
  CHECK(after(one + two + low + back) == "none");
  CHECK(after(one + two + "v_mov_b32 v5, v4\nscratch_store_byte off, v5, off offset:12\n" + back) == "none");
  // The bits of each load that lack a value, for one byte written at 8.
  struct Case {
    const char* load;
    uint32_t lacks;
  };
  for (const Case& c : {Case{"scratch_load_ushort v4, off, off offset:8", 0x0000ff00},
                        {"scratch_load_sshort v4, off, off offset:8", 0xffffff00},
                        {"scratch_load_ushort v4, off, off offset:7", 0x000000ff},
                        {"scratch_load_sshort v4, off, off offset:7", 0x000000ff},
                        {"scratch_load_sbyte v4, off, off offset:8", 0},
                        {"scratch_load_sbyte v4, off, off offset:9", 0xffffffff},
                        {"scratch_load_ubyte v4, off, off offset:9", 0x000000ff},
                        {"scratch_load_dword v4, off, off offset:8", 0xffffff00}}) {
    CAPTURE(c.load);
    const std::string loaded = one + "v_mov_b32 v4, 0\n" + c.load + "\ns_waitcnt vmcnt(0)\n",
                      kept = fmt::format("v_and_b32 v5, {:#x}, v4\n", ~c.lacks);
    CHECK_FALSE(lacks_scratch(loaded + kept, "v5"));
    for (int bit = 0; bit < 32; bit += 8) {
      const bool gone = c.lacks >> bit & 1;
      CHECK(lacks_scratch(loaded + fmt::format("v_bfe_u32 v5, v4, {}, 8\n", bit), "v5") == gone);
    }
  }
}

TEST_CASE("LDS keeps which bytes were stored without a value, and loads of them have none", "[sim][undefined]") {
  // What is loaded into `reg` is seen to lack a value once it is used. v9 has none, v8 has one.
  const std::string at = "v_mov_b32 v1, 0\nv_mov_b32 v8, 5\n";
  const auto loads = [&](const std::string& store, const std::string& load, const char* reg,
                         const char* target = "gfx942") {
    const std::string wait = std::string_view(target) == "gfx1250" ? "\ns_wait_dscnt 0" : "\ns_waitcnt lgkmcnt(0)";
    return lacks(at + store + "\n" + load + wait, reg, target);
  };
  CHECK(outcome(at + "ds_write_b32 v1, v9") == "none");
  CHECK(loads("ds_write_b32 v1, v9", "ds_read_b32 v4, v1", "v4"));
  CHECK_FALSE(loads("ds_write_b32 v1, v9\nds_write_b32 v1, v8", "ds_read_b32 v4, v1", "v4"));
  CHECK(loads("ds_write_b32 v1, v8\nds_write_b32 v1, v9", "ds_read_b32 v4, v1", "v4"));
  // Each dword of a wide one, each byte of a narrow one, sign bits included.
  CHECK_FALSE(loads("ds_write_b64 v1, v[8:9]", "ds_read_b64 v[4:5], v1", "v4"));
  CHECK(loads("ds_write_b64 v1, v[8:9]", "ds_read_b64 v[4:5], v1", "v5"));
  CHECK_FALSE(loads("ds_write_b128 v1, v[6:9]\nds_write_b32 v1, v8 offset:12", "ds_read_b32 v4, v1 offset:12", "v4"));
  CHECK(loads("ds_write2_b32 v1, v8, v9 offset0:1 offset1:5", "ds_read2_b32 v[4:5], v1 offset0:1 offset1:5", "v5"));
  CHECK_FALSE(
      loads("ds_write2_b32 v1, v8, v9 offset0:1 offset1:5", "ds_read2_b32 v[4:5], v1 offset0:1 offset1:5", "v4"));
  CHECK(loads("ds_write2st64_b32 v1, v9, v8 offset1:1", "ds_read2st64_b32 v[4:5], v1 offset1:1", "v4"));
  CHECK(loads("ds_write_b16 v1, v9 offset:2", "ds_read_u8 v4, v1 offset:3", "v4"));
  CHECK_FALSE(loads("ds_write_b32 v1, v8\nds_write_b16 v1, v9 offset:2", "ds_read_u8 v4, v1 offset:1", "v4"));
  const std::string one = "ds_write_b32 v1, v8\nds_write_b8 v1, v9 offset:1\n";
  for (const auto& [load, mask] : {std::pair("ds_read_b32 v4, v1", 0x0000ff00u),
                                   {"ds_read_u16 v4, v1", 0x0000ff00u},
                                   {"ds_read_i16 v4, v1", 0xffffff00u},
                                   {"ds_read_i8 v4, v1 offset:1", 0xffffffffu},
                                   {"ds_read_u8 v4, v1", 0u},
                                   {"ds_read_u8 v4, v1 offset:1", 0xffu}}) {
    CAPTURE(load);
    CHECK(loads(one, load, "v4") == (mask != 0));
    CHECK_FALSE(lacks(at + one + load + fmt::format("\ns_waitcnt lgkmcnt(0)\nv_and_b32 v5, {:#x}, v4", ~mask), "v5"));
  }
  CHECK(loads("s_mov_b32 m0, 0\nds_write_addtid_b32 v9", "ds_read_addtid_b32 v4", "v4"));
  CHECK(loads("ds_store_b32 v1, v9", "ds_load_b32 v4, v1", "v4", "gfx1250"));
  // Lane by lane.
  const std::string lanes =
      "v_lshlrev_b32 v2, 2, v0\ns_mov_b64 exec, 0xf0\nv_mov_b32 v7, 1\ns_mov_b64 exec, -1\n"
      "ds_write_b32 v2, v7\nds_read_b32 v4, v2\ns_waitcnt lgkmcnt(0)\n";
  CHECK(lacks(lanes, "v4"));
  CHECK_FALSE(lacks(lanes + "s_mov_b64 exec, 0xf0", "v4"));
}

TEST_CASE("LDS bytes without a value are a fault for what has no register for them", "[sim][fault][undefined]") {
  const std::string store = "v_lshlrev_b32 v1, 3, v0\nds_write_b64 v1, v[8:9]\n";
  CHECK(outcome(store + "v_mov_b32 v2, 1\nds_add_rtn_u32 v4, v1, v2") == "undefined read ds_add_rtn_u32");
  const auto transposed = result_of(store + "ds_read_b64_tr_b16 v[4:5], v1", "gfx950");
  REQUIRE(transposed.fault);
  CHECK(transposed.fault->why.find("reads LDS bytes that hold an undefined value, at 0x") == 0);
  CHECK(transposed.fault->why.ends_with("'ds_write_b64 v1, v[8:9]'"));
  const auto used = result_of(
      "v_mov_b32 v1, 0\nds_write_b32 v1, v9\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\n"
      "ds_add_u32 v1, v4",
      "gfx942");
  REQUIRE(used.fault);
  CHECK(used.fault->why.find("reads v4, loaded from LDS, where an undefined value was stored, at 0x") == 0);
  CHECK(used.fault->why.ends_with("'ds_write_b32 v1, v9'"));
}

TEST_CASE("stores to device memory without a value are a fault, or a warning and not written", "[sim][undefined]") {
  const auto run = [](const std::string& stores, bool fault) {
    Bench b;
    b.options.checks.undefined_stores = fault;
    Assembly a{
        "s_load_dwordx2 s[4:5], s[0:1], 0x8\nv_mov_b32 v1, 0\ns_mov_b64 exec, 1\nv_mov_b32 v8, 1\n"
        "s_waitcnt lgkmcnt(0)\n" +
        stores + "\ns_endpgm\n"};
    return b.run(a.build());
  };
  for (const char* store : {"global_store_dword v1, v9, s[4:5]", "global_store_dwordx2 v1, v[8:9], s[4:5]",
                            "v_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_store_dwordx2 v[2:3], v[8:9]"}) {
    CAPTURE(store);
    const auto strict = run(store, true), lenient = run(store, false);
    REQUIRE(strict.fault);
    CHECK(strict.fault->kind == Kind::undefined_read);
    CHECK_FALSE(lenient.fault);
    REQUIRE(lenient.warning);
    CHECK(lenient.warning->kind == Kind::undefined_read);
    CHECK(lenient.warning->why.find("reads v9, which was never written in this lane") == 0);
    CHECK(lenient.warnings == 1);
  }
  // The first dword is written, the second one is not.
  const std::string store = "global_store_dwordx2 v1, v[8:9], s[4:5]\n";
  CHECK(run(store + "global_load_dword v4, v1, s[4:5]", false).warnings == 1);
  CHECK(run(store + "global_load_dword v4, v1, s[4:5] offset:4", false).warnings == 2);
  CHECK(run(store + "global_store_dword v1, v8, s[4:5] offset:4\nglobal_load_dword v4, v1, s[4:5] offset:4", false)
            .warnings == 1);
  // An undefined address stays a fault.
  CHECK(run("global_store_dword v9, v8, s[4:5]", false).fault);
  CHECK(run("global_store_dword v9, v9, s[4:5]", false).fault);
}
