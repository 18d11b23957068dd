// The checker on small programs: each rule where it is broken, and nothing where it is kept. What is right is taken
// from the ISA guides.
#include <catch2/catch.hpp>

#include "tests/checker/check_program.h"

using namespace wavesmith;
using isa::Arch;
using Found = std::vector<std::string>;

TEST_CASE("a missing wait state is reported at the consumer with its rule, its source and what is missing", "[check]") {
  const auto text = [](const char* between) {
    return std::string(
               "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n s_nop 7\n v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[8:9], 0\n") +
           between + "v_mov_b32 v10, v3\n s_endpgm\n";
  };
  CHECK(findings(program_of(Arch::gfx942, text("s_nop 5\n"))) == Found{"5: XDL result used by VALU or memory"});
  CHECK(findings(program_of(Arch::gfx942, text("s_nop 6\n"))).empty());  // 4 passes: 7 wait states
  const auto f = checker::check(program_of(Arch::gfx942, text("")), {}).findings.at(0);
  CHECK(f.source == "LLVM");
  CHECK(f.instruction == "v_mov_b32 v10, v3");
  CHECK(f.what.find("7 more wait states after v_mfma_f32_16x16x16_f16") != f.what.npos);
}

TEST_CASE("wait states are counted along every path into a block", "[check]") {
  const char* text = R"(
    v_mov_b32 v8, 0
    v_mov_b32 v9, 0
    s_mov_b32 s9, 4
    s_nop 4
    .L0:
    v_mov_b32 v10, v3
    v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[8:9], 0
    s_add_u32 s9, s9, -1
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 .L0
    s_endpgm)";
  CHECK(findings(program_of(Arch::gfx942, text)) ==
        Found{"5: XDL result used by VALU or memory"});  // v3 is written on the way round
}

TEST_CASE("a register in flight is reported when it is read and when it is overwritten", "[check]") {
  const auto text = [](const char* wait, const char* use) {
    return std::string("v_mov_b32 v1, 0\n ds_read_b32 v2, v1\n ds_read_b32 v3, v1 offset:4\n") + wait + use +
           "s_endpgm\n";
  };
  CHECK(findings(program_of(Arch::gfx90a, text("", "v_mov_b32 v4, v2\n"))) == Found{"3: register in flight"});
  CHECK(findings(program_of(Arch::gfx90a, text("", "v_mov_b32 v2, 0\n"))) == Found{"3: register in flight"});
  CHECK(findings(program_of(Arch::gfx90a, text("s_waitcnt lgkmcnt(1)\n", "v_mov_b32 v4, v2\n"))).empty());
  CHECK(findings(program_of(Arch::gfx90a, text("s_waitcnt lgkmcnt(1)\n", "v_mov_b32 v4, v3\n"))) ==
        Found{"4: register in flight"});
  CHECK(findings(program_of(Arch::gfx1200, text("s_wait_dscnt 1\n", "v_mov_b32 v4, v2\n"))).empty());
  CHECK(findings(program_of(Arch::gfx1200, text("s_wait_loadcnt 0\n", "v_mov_b32 v4, v2\n"))) ==
        Found{"4: register in flight"});
  CHECK(checker::check(program_of(Arch::gfx90a, text("", "v_mov_b32 v4, v2\n")), {.advice = false})
            .findings.at(0)
            .legal == "s_waitcnt lgkmcnt(1) before it");
}

TEST_CASE("SCC of a barrier's first signal is in flight until KMcnt is zero or that barrier is waited for", "[check]") {
  const auto text = [](const char* signal, const char* wait) {
    return std::string(signal) + wait + "s_cselect_b32 s9, 1, 0\n s_endpgm\n";
  };
  const char* const signal = "s_barrier_signal_isfirst -1\n";
  for (const Arch arch : {Arch::gfx1201, Arch::gfx1250}) {
    CHECK(findings(program_of(arch, text(signal, ""))) == Found{"1: register in flight"});
    CHECK(findings(program_of(arch, text(signal, "s_wait_kmcnt 0x0\n"))).empty());
    CHECK(findings(program_of(arch, text(signal, "s_barrier_wait -1\n"))).empty());
  }
  CHECK(findings(program_of(Arch::gfx1250, text("s_barrier_signal_isfirst 3\n", "s_barrier_wait 2\n"))) ==
        Found{"2: register in flight"});
}

TEST_CASE("the access that is named is the one in flight, not one that was waited for", "[check]") {
  const auto what = [](const char* text) {
    return checker::check(program_of(Arch::gfx90a, text), {.advice = false}).findings.at(0).what;
  };
  // The nearest access to v2 has read it, the one before has landed.
  const char* stored =
      "v_mov_b32 v1, 0\n ds_read_b32 v2, v1 offset:8\n s_waitcnt lgkmcnt(0)\n ds_read_b32 v2, v1 offset:12\n "
      "ds_write_b32 v1, v2\n s_endpgm\n";
  CHECK(what(stored) == "reads v2 while ds_read_b32 v2, v1 offset:12 at 0x3 is in flight");
  const char* after = R"(
    v_mov_b32 v1, 0
    s_cmp_eq_u32 s2, 0
    s_cbranch_scc1 .L0
    ds_read_b32 v2, v1 offset:4
    ds_write_b32 v1, v1
    s_branch .L1
    .L0:
    ds_read_b32 v2, v1 offset:8
    s_waitcnt lgkmcnt(0)
    .L1:
    v_mov_b32 v3, v2
    s_endpgm)";
  CHECK(what(after) == "reads v2 while ds_read_b32 v2, v1 offset:4 at 0x3 is in flight");
}

TEST_CASE("an access is complete once its counter has been filled after it", "[check]") {
  const auto reads = [](int n) {
    std::string text = "v_mov_b32_e32 v0, 0\n";
    for (int i = 0; i < n; ++i) text += fmt::format("ds_read_b32 v{}, v0\n", 4 + i);
    return text + "s_waitcnt lgkmcnt(15)\nv_mov_b32_e32 v3, v4\ns_waitcnt lgkmcnt(0)\ns_endpgm\n";
  };
  CHECK(findings(program_of(isa::Arch::gfx908, reads(16), 64, 1024)).empty());
  CHECK(findings(program_of(isa::Arch::gfx908, reads(15), 64, 1024)) ==
        std::vector<std::string>{"17: register in flight"});
}

TEST_CASE("two branches on the same unchanged scalars are one condition", "[check]") {
  // v2 is loaded on one side of a first branch, and read on one side of a second.
  const auto text = [](const char* first, const char* between, const char* second) {
    return fmt::format(
        "v_mov_b32 v1, 0\n {}\n s_cbranch_scc1 .L0\n ds_read_b32 v2, v1\n .L0:\n {}\n {}\n v_mov_b32 v3, v2\n "
        "s_waitcnt lgkmcnt(0)\n .L1:\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
        first, between, second);
  };
  const auto good = [&](const char* first, const char* between, const char* second) {
    return findings(program_of(Arch::gfx942, text(first, between, second))).empty();
  };
  const char* equal = "s_cmp_eq_u32 s2, 0";
  CHECK(good(equal, "s_nop 0", "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L1"));
  CHECK(good(equal, "s_nop 0", "s_cmp_lg_u32 s2, 0\n s_cbranch_scc1 .L1"));  // the opposite
  CHECK(good(equal, "s_nop 0", "s_cmp_eq_i32 s2, 0\n s_cbranch_scc0 .L1"));
  CHECK(good(equal, "s_nop 0", "s_cmp_gt_u32 s2, 4\n s_cbranch_scc0 .L1") == false);  // 1 to 4 come here with the load
  CHECK(
      good("s_cmp_lt_u32 s2, 9", "s_nop 0", "s_cmp_gt_u32 s2, 4\n s_cbranch_scc1 .L1"));  // 9 and more are more than 4
  CHECK(good("s_cmp_lt_u32 s2, s3", "s_nop 0", "s_cmp_le_u32 s3, s2\n s_cbranch_scc1 .L1"));
  CHECK(good("s_cmp_lt_i32 s2, s3", "s_nop 0", "s_cmp_le_u32 s3, s2\n s_cbranch_scc1 .L1") == false);  // another order
  CHECK(good("s_and_b32 s8, s2, 7\n s_cmp_eq_u32 s8, 3", "s_mov_b32 s8, 0\n s_and_b32 s9, s2, 7\n s_mov_b32 s10, s9",
             "s_cmp_eq_u32 s10, 3\n s_cbranch_scc0 .L1"));  // worked out again
  CHECK(good("s_and_b32 s8, s2, 7\n s_cmp_eq_u32 s8, 3", "s_and_b32 s9, s2, 6",
             "s_cmp_eq_u32 s9, 3\n s_cbranch_scc0 .L1") == false);
  CHECK(good("s_bitcmp1_b32 s2, 3", "s_nop 0", "s_bitcmp1_b32 s2, 3\n s_cbranch_scc0 .L1"));
  CHECK(good("s_cmp_eq_u32 s2, 0", "s_mov_b32 s2, s3", "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L1") ==
        false);  // s2 has changed
  CHECK(good("s_cmp_eq_u32 s2, 0", "v_readfirstlane_b32 s2, v0", "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L1") == false);
  CHECK(good(equal, "s_cmp_eq_u32 s3, 0\n s_cbranch_scc1 .L2\n s_nop 0\n .L2:",
             "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L1"));  // beside another condition
  CHECK(good(equal, "s_cmp_eq_u32 s3, 0\n s_cbranch_scc1 .L2\n s_mov_b32 s2, 1\n .L2:",
             "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L1") == false);  // one way changes it
}

TEST_CASE("a condition is what it is in this turn of a loop", "[check]") {
  // The load stands in turns in which s8 is 0, the read in those in which it is not: of the next turn, or of the same.
  const auto text = [](const char* changes) {
    return fmt::format(
        "v_mov_b32 v1, 0\n v_mov_b32 v2, 0\n s_mov_b32 s8, s2\n .L0:\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 .L1\n "
        "ds_read_b32 v2, v1\n .L1:\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .L2\n v_mov_b32 v3, v2\n .L2:\n {}"
        "s_cmp_lg_u32 s3, s4\n s_cbranch_scc1 .L0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
        changes);
  };
  CHECK(findings(program_of(Arch::gfx942, text("s_nop 0\n"))).empty());
  CHECK(findings(program_of(Arch::gfx942, text("s_not_b32 s8, s8\n"))).size() == 1);
  CHECK(findings(program_of(Arch::gfx942, text("v_readfirstlane_b32 s8, v1\n s_nop 3\n"))).size() == 1);
}

TEST_CASE("both halves of a pair are looked at", "[check]") {
  const char* text =
      "v_mov_b32 v1, 0\n ds_read_b32 v3, v1\n v_dual_mov_b32 v4, v1 :: v_dual_mov_b32 v5, v3\n s_endpgm\n";
  CHECK(findings(program_of(Arch::gfx1100, text)) == Found{"2: register in flight"});
}

TEST_CASE("of a packed f32 source the dwords count that op_sel and op_sel_hi choose; of a spill one suffices",
          "[check]") {
  const auto with = [](const std::string& line) {
    return findings(
        program_of(Arch::gfx942, "v_mov_b32 v2, 0\n v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n " + line + "\n s_endpgm\n"));
  };
  const Found never{"3: register never written"};
  CHECK(with("v_pk_mul_f32 v[4:5], v[2:3], v[8:9] op_sel_hi:[0,1]").empty());
  CHECK(with("v_pk_mul_f32 v[4:5], v[8:9], v[2:3] op_sel_hi:[1,0]").empty());
  CHECK(with("v_pk_mul_f32 v[4:5], v[2:3], v[8:9]") == never);
  CHECK(with("v_pk_mul_f32 v[4:5], v[2:3], v[8:9] op_sel:[1,0] op_sel_hi:[1,1]") == never);
  CHECK(with("v_pk_mov_b32 v[4:5], v[2:3], v[8:9] op_sel:[0,1]").empty());
  CHECK(with("v_pk_mov_b32 v[4:5], v[2:3], v[8:9] op_sel:[1,0]") == never);
  CHECK(with("scratch_store_dwordx2 off, v[2:3], off").empty());
  CHECK(with("scratch_store_dwordx2 off, v[10:11], off") == never);
  CHECK(with("global_store_dwordx2 v8, v[2:3], s[0:1]") == never);
}

TEST_CASE("a register that no path has written is reported, one that some path has written is not", "[check]") {
  CHECK(findings(program_of(Arch::gfx942, "v_add_f32 v1, v0, v2\n s_endpgm\n")) ==
        Found{"0: register never written"});  // v0: the work-item id
  CHECK(findings(program_of(Arch::gfx942, "s_mov_b32 s8, s4\n s_endpgm\n"))
            .empty());  // kernarg address, workgroup ids: s0 to s4
  CHECK(findings(program_of(Arch::gfx942, "s_mov_b32 s8, s5\n s_endpgm\n")) == Found{"0: register never written"});
  CHECK(
      findings(program_of(
                   Arch::gfx942,
                   "s_cmp_eq_u32 s2, 0\n s_cbranch_scc1 .L0\n v_mov_b32 v2, 0\n .L0:\n v_mov_b32 v3, v2\n s_endpgm\n"))
          .empty());
  CHECK(findings(program_of(Arch::gfx942, "s_cbranch_scc1 .L0\n .L0:\n s_endpgm\n")) ==
        Found{"0: register never written"});  // SCC
  CHECK(findings(program_of(Arch::gfx942,
                            "v_mov_b32 v1, 0\n s_mov_b64 s[8:9], 0\n s_mov_b64 s[10:11], 0\n s_nop 0\n "
                            "buffer_load_dword v1, s[8:11], 0 offen lds\n s_endpgm\n")) == Found{"4: M0 never set"});
}

TEST_CASE("what writes a part of a register does not read the rest", "[check]") {
  for (const char* text :
       {"v_cvt_pk_fp8_f32 v10, v2, v2", "v_cvt_sr_fp8_f32 v10, v2, v2", "v_fma_mixlo_f16 v10, v2, v2, v2",
        "v_cvt_scalef32_pk_fp4_f32 v10, v2, v2, v2", "v_cvt_sr_f16_f32 v10, v2, v2"}) {
    CAPTURE(text);
    CHECK(findings(program_of(isa::Arch::gfx950, fmt::format("v_mov_b32_e32 v2, 0\n{}\ns_endpgm\n", text))).empty());
  }
}

TEST_CASE("registers beyond the allocation are reported", "[check]") {
  CHECK(findings(program_of(Arch::gfx942, "v_mov_b32 v63, 0\n v_mov_b32 v64, 0\n s_endpgm\n")) ==
        Found{"1: VGPR beyond the descriptor"});
  CHECK(findings(program_of(Arch::gfx942, "v_accvgpr_write_b32 a64, 0\n s_endpgm\n")) ==
        Found{"0: AGPR beyond the descriptor"});
}

TEST_CASE("code that runs off its end is reported at its last instruction", "[check]") {
  CHECK(
      findings(program_of(Arch::gfx1250, "s_cmp_eq_u32 ttmp9, 0\n s_cbranch_scc1 .L0\n s_endpgm\n .L0:\n s_nop 0\n")) ==
      Found{"4: runs off its end"});
}

namespace {

// Every lane writes its dword and reads one of the other wave, a constant number of bytes away.
std::string lds_exchange(const char* between, const char* base = "") {
  return std::string(base) +
         "v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x100, v1\n v_mov_b32 v3, 0\n ds_write_b32 v1, v3\n" + between +
         "ds_read_b32 v4, v2\n s_endpgm\n";
}

}  // namespace

TEST_CASE("LDS that another wave wrote needs a wait and a barrier", "[check][lds]") {
  const std::string rule = "LDS order between waves";
  CHECK(findings(program_of(Arch::gfx942, lds_exchange("s_waitcnt lgkmcnt(0)\n s_barrier\n"), 128, 512)).empty());
  CHECK(findings(program_of(Arch::gfx942, lds_exchange("s_waitcnt lgkmcnt(0)\n"), 128, 512)) == Found{"5: " + rule});
  CHECK(findings(program_of(Arch::gfx942, lds_exchange("s_barrier\n"), 128, 512)) ==
        Found{"5: " + rule});  // the write may still be on its way
  CHECK(findings(program_of(Arch::gfx942, lds_exchange("s_barrier\n s_waitcnt lgkmcnt(0)\n"), 128, 512)) ==
        Found{"6: " + rule});
  CHECK(findings(program_of(Arch::gfx1200, lds_exchange("s_wait_dscnt 0\n s_barrier_signal -1\n s_barrier_wait -1\n"),
                            128, 512))
            .empty());
  CHECK(findings(program_of(Arch::gfx1200, lds_exchange("s_wait_dscnt 0\n s_barrier_signal -1\n"), 128, 512)) ==
        Found{"6: " + rule});
}

TEST_CASE("LDS that only its own wave uses needs no barrier", "[check][lds]") {
  CHECK(findings(program_of(Arch::gfx942, lds_exchange(""), 64, 512)).empty());  // one wave
  const char* own =
      "v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 4, v1\n v_mov_b32 v3, 0\n ds_write_b32 v1, v3\n ds_read_b32 v4, v2\n "
      "s_endpgm\n";
  CHECK(findings(program_of(Arch::gfx942, own, 128, 512)).empty());  // neighbours within a wave
}

TEST_CASE("LDS that this wave is still loading from memory needs a wait, and no barrier", "[check][lds]") {
  const std::string rule = "LDS bytes in flight";
  const auto buffer = [](const char* wait) {
    return fmt::format(
        "v_lshlrev_b32 v1, 2, v0\n s_mov_b64 s[8:9], 0\n s_mov_b64 s[10:11], 0\n s_mov_b32 m0, 0\n s_nop 0\n "
        "buffer_load_dword v1, s[8:11], 0 offen lds\n {}ds_read_b32 v2, v1\n s_endpgm\n",
        wait);
  };
  CHECK(findings(program_of(Arch::gfx942, buffer("s_waitcnt vmcnt(0)\n "), 64, 512)).empty());
  CHECK(findings(program_of(Arch::gfx942, buffer(""), 64, 512)) == Found{"6: " + rule});
  CHECK(findings(program_of(Arch::gfx942, buffer("s_waitcnt lgkmcnt(0)\n "), 64, 512)) == Found{"7: " + rule});
  const auto async = [](const char* wait) {
    return fmt::format(
        "v_lshlrev_b32 v1, 2, v0\n global_load_async_to_lds_b32 v1, v1, s[0:1] offset:64\n {}ds_read_b32 v2, v1 "
        "offset:{}\n s_endpgm\n",
        wait, 64);
  };
  CHECK(findings(program_of(Arch::gfx1250, async("s_wait_asynccnt 0\n "), 32, 512)).empty());
  CHECK(findings(program_of(Arch::gfx1250, async(""), 32, 512)) == Found{"2: " + rule});
}

TEST_CASE("a tile that the tensor data mover brings to LDS needs its wait, and a barrier for other waves",
          "[check][lds]") {
  // 64 dwords from byte 256 on, two rows of 32; what is in memory, and how large the tensor is, are arguments. Every
  // wave moves it to bytes of its own.
  const auto text = [](const char* between, const char* use) {
    return fmt::format(
        "s_load_b64 s[22:23], s[0:1], 0\n s_load_b32 s26, s[0:1], 8\n v_readfirstlane_b32 s8, v0\n s_lshl_b32 s8, s8, "
        "3\n s_wait_kmcnt 0\n s_or_b32 s23, s23, 0x80000000\n"
        "s_mov_b32 s20, 1\n s_add_co_u32 s21, s8, 0x100\n s_mov_b32 s24, 0x20000\n s_mov_b32 s25, 0\n s_mov_b32 s27, "
        "0x200000\n s_mov_b32 s28, 2\n s_mov_b32 s29, 32\n s_mov_b64 s[30:31], 0\n"
        "v_lshlrev_b32 v1, 3, v0\n v_xor_b32 v2, 0x100, v1\n v_mov_b32 v3, 0\n"
        "tensor_load_to_lds s[20:23], s[24:31]\n {}{}s_endpgm\n",
        between, use);
  };
  const char *own = "ds_load_b64 v[4:5], v1 offset:256\n ", *other = "ds_load_b64 v[4:5], v2 offset:256\n ",
             *elsewhere = "ds_load_b64 v[4:5], v1 offset:1024\n ";
  const std::string rule = "LDS order between waves";
  CHECK(findings(program_of(Arch::gfx1250, text("", own), 64, 2048)) == Found{"18: LDS bytes in flight"});
  CHECK(findings(program_of(Arch::gfx1250, text("s_wait_dscnt 0\n ", own), 64, 2048)) ==
        Found{"19: LDS bytes in flight"});
  CHECK(findings(program_of(Arch::gfx1250, text("s_wait_tensorcnt 0\n ", own), 64, 2048)).empty());
  CHECK(findings(program_of(Arch::gfx1250, text("", elsewhere), 64, 2048)).empty());
  CHECK(findings(program_of(Arch::gfx1250, text("s_wait_tensorcnt 0\n ", other), 64, 2048)) == Found{"19: " + rule});
  CHECK(findings(program_of(Arch::gfx1250, text("s_barrier_signal -1\n s_barrier_wait -1\n ", other), 64, 2048)) ==
        Found{"20: " + rule});
  CHECK(findings(program_of(Arch::gfx1250,
                            text("s_wait_tensorcnt 0\n s_barrier_signal -1\n s_barrier_wait -1\n ", other), 64, 2048))
            .empty());
}

TEST_CASE("lanes that data decides are those that the rest of the mask leaves", "[check][lds]") {
  // The first half of the workgroup, as far as data says, adds the second half's dwords to its own; then the first
  // quarter those of the second.
  const auto step = [](int lanes) {
    return fmt::format(
        "v_cmp_gt_u32 vcc, {0}, v0\n s_and_b64 s[10:11], vcc, s[8:9]\n s_and_saveexec_b64 s[12:13], s[10:11]\n "
        "ds_read_b32 v4, v1 offset:{1}\n s_waitcnt lgkmcnt(0)\n ds_write_b32 v1, v4\n s_or_b64 exec, exec, s[12:13]\n",
        lanes, lanes * 4);
  };
  const auto text = [&](const char* between) {
    return "s_load_dwordx2 s[8:9], s[0:1], 0\n v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v3, 0\n ds_write_b32 v1, v3\n "
           "s_waitcnt lgkmcnt(0)\n s_barrier\n" +
           step(128) + between + step(64) + "s_endpgm\n";
  };
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n s_barrier\n"), 256, 1024)).empty());
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n"), 256, 1024)) ==
        Found{"17: LDS order between waves"});
}

TEST_CASE("the first iterations of a loop have addresses of their own", "[check][lds]") {
  // A dword further each turn, written by this wave and read by the next one over.
  const auto text = [](const char* between) {
    return fmt::format(
        "s_load_dword s8, s[0:1], 0\n v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x100, v1\n v_mov_b32 v3, 0\n s_waitcnt "
        "lgkmcnt(0)\n .L0:\n ds_write_b32 v1, v3\n {}ds_read_b32 v4, v2\n s_waitcnt lgkmcnt(0)\n s_barrier\n"
        " v_add_u32 v1, 0x200, v1\n v_add_u32 v2, 0x200, v2\n s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n "
        "s_cbranch_scc1 .L0\n s_endpgm\n",
        between);
  };
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n s_barrier\n "), 128, 4096)).empty());
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n "), 128, 4096)) ==
        Found{"8: LDS order between waves"});
}

TEST_CASE("an address that a loaded byte makes is any of its array, and no other array's", "[check][lds]") {
  // A histogram of 256 bins; beside it in LDS a dword of each lane's own.
  const auto text = [](const char* between, const char* read) {
    return fmt::format(
        "s_load_dwordx2 s[8:9], s[0:1], 0\n v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v3, 1\n ds_write_b32 v1, v3 "
        "offset:1024\n s_waitcnt lgkmcnt(0)\n global_load_ubyte v2, v0, s[8:9]\n s_waitcnt vmcnt(0)\n"
        " v_lshlrev_b32 v2, 2, v2\n ds_add_u32 v2, v3\n {}{}s_waitcnt lgkmcnt(0)\n s_endpgm\n",
        between, read);
  };
  const char *bins = "ds_read_b32 v4, v1\n ", *own = "ds_read_b32 v4, v1 offset:1024\n ";
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n s_barrier\n ", bins), 256, 2048)).empty());
  CHECK(findings(program_of(Arch::gfx942, text("s_waitcnt lgkmcnt(0)\n ", bins), 256, 2048)) ==
        Found{"10: LDS order between waves"});
  CHECK(findings(program_of(Arch::gfx942, text("s_barrier\n ", bins), 256, 2048)) ==
        Found{"10: LDS order between waves"});
  CHECK(findings(program_of(Arch::gfx942, text("", own), 256, 2048)).empty());
}

TEST_CASE("waves that part come together again where all paths lead, if there is no barrier before", "[check][lds]") {
  const auto text = [](const char* inside, const char* between) {
    return fmt::format(
        "v_readfirstlane_b32 s8, v0\n v_lshlrev_b32 v1, 2, v0\n v_xor_b32 v2, 0x100, v1\n v_mov_b32 v3, 0\n "
        "ds_write_b32 v1, v3\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .L0\n {}.L0:\n {}ds_read_b32 v4, v2\n s_endpgm\n",
        inside, between);
  };
  CHECK(
      findings(program_of(Arch::gfx942, text("s_nop 0\n ", "s_waitcnt lgkmcnt(0)\n s_barrier\n "), 128, 512)).empty());
  CHECK(findings(program_of(Arch::gfx942, text("s_nop 0\n ", "s_waitcnt lgkmcnt(0)\n "), 128, 512)) ==
        Found{"10: LDS order between waves"});
  CHECK(findings(program_of(Arch::gfx942, text("s_barrier\n ", "s_waitcnt lgkmcnt(0)\n "), 128, 512))
            .empty());  // nothing is said: who has been at which barrier?
}

TEST_CASE("a read followed by an atomic operation of its wave does not race with others' atomic operations",
          "[check][lds]") {
  const auto text = [](const char* last) {
    return fmt::format(
        "v_mov_b32 v1, 0\n v_mov_b32 v3, 1\n ds_read_b32 v4, v1\n s_waitcnt lgkmcnt(0)\n ds_cmpst_rtn_b32 v5, v1, v4, "
        "v3{}\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
        last);
  };
  CHECK(findings(program_of(Arch::gfx942, text(""), 128, 512)).empty());
  CHECK(findings(program_of(Arch::gfx942,
                            "v_mov_b32 v1, 0\n v_mov_b32 v3, 1\n ds_add_u32 v1, v3\n s_waitcnt lgkmcnt(0)\n "
                            "ds_read_b32 v4, v1\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
                            128, 512)) == Found{"4: LDS order between waves"});
}

TEST_CASE("LDS addresses beyond the allocation are reported where they are known", "[check][lds]") {
  CHECK(findings(program_of(Arch::gfx942, "v_mov_b32 v1, 0x1fc\n ds_read_b32 v2, v1\n s_endpgm\n", 64, 512)).empty());
  CHECK(findings(program_of(Arch::gfx942, "v_mov_b32 v1, 0x1fc\n ds_read_b32 v2, v1 offset:4\n s_endpgm\n", 64, 512)) ==
        Found{"1: LDS beyond the descriptor"});
  CHECK(
      findings(
          program_of(
              Arch::gfx942,
              "s_load_dword s8, s[0:1], 0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, s8\n ds_read_b32 v2, v1\n s_endpgm\n",
              64, 512))
          .empty());
}

TEST_CASE("bank conflicts of known addresses are advice", "[check][lds]") {
  const auto p = program_of(Arch::gfx942, "v_lshlrev_b32 v1, 7, v0\n ds_read_b32 v2, v1\n s_endpgm\n", 64, 8192);
  const auto all = checker::check(p, {});
  REQUIRE(all.findings.size() == 1);
  CHECK(all.good());
  CHECK(all.findings[0].rule == "LDS bank conflicts");
  CHECK(all.findings[0].what.starts_with("62.0 more cycles"));  // 32 dwords apart: 32 lanes of each half on one bank
}

TEST_CASE("waste that can be proven is advice and leaves the result good", "[check]") {
  const auto advice = [](Arch arch, const char* text) {
    Found out;
    const auto result = checker::check(program_of(arch, text), {});
    CHECK(result.good());
    for (const auto& f : result.findings) out.push_back(std::to_string(f.pc) + ": " + f.rule + ": " + f.legal);
    return out;
  };
  CHECK(advice(Arch::gfx942, "v_mov_b32 v1, 0\n s_nop 3\n v_mov_b32 v2, v1\n s_endpgm\n") ==
        Found{"1: nop that no hazard requires: none"});
  CHECK(advice(Arch::gfx942, "v_mov_b32 v1, 0\n s_nop 3\n v_readfirstlane_b32 s8, v1\n s_endpgm\n") ==
        Found{"1: nop that no hazard requires: s_nop 0"});
  const char* strict =
      "v_mov_b32 v1, 0\n ds_read_b32 v2, v1\n ds_read_b32 v4, v1 offset:64\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v2\n "
      "s_waitcnt lgkmcnt(0)\n v_mov_b32 v6, v4\n s_endpgm\n";
  CHECK(advice(Arch::gfx942, strict) == Found{
                                            "3: wait stricter than needed: lgkmcnt: a count of 1",
                                        });
  CHECK(advice(Arch::gfx942, "s_load_dword s8, s[0:1], 0x10\n s_load_dword s9, s[0:1], 0x14\n s_endpgm\n") ==
        Found{"0: load narrower than it could be: s_load_dwordx2 for both"});
  CHECK(advice(Arch::gfx942, "s_load_dword s7, s[0:1], 0x10\n s_load_dword s8, s[0:1], 0x14\n s_endpgm\n")
            .empty());  // s[7:8] is no pair
  const char* loop =
      "v_mov_b32 v1, 0\n s_mov_b32 s8, 4\n .L0:\n global_load_dword v2, v1, s[0:1]\n s_waitcnt vmcnt(0)\n v_add_u32 "
      "v1, v1, v2\n s_add_u32 s8, s8, -1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .L0\n s_endpgm\n";
  CHECK(advice(Arch::gfx942, loop) ==
        Found{"4: wait for zero in a loop: loads one iteration ahead, and a wait that leaves them in flight"});
}

// Lane by lane: odd lanes point into LDS, even ones to memory that the kernel knows nothing of.
TEST_CASE("a FLAT access by pointers into LDS is one of LDS, lane by lane", "[check]") {
  const auto text = [](const char* from_lane) {
    return fmt::format(
        "v_lshlrev_b32 v1, 2, v0\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n s_mov_b64 s[4:5], src_shared_base\n "
        "v_mov_b32 v4, s2\n v_mov_b32 v5, s3\n"
        "v_and_b32 v6, 1, v0\n v_cmp_eq_u32 vcc, 1, v6\n s_and_saveexec_b64 s[6:7], vcc\n v_mov_b32 v5, s5\n {}\n "
        "s_or_b64 exec, exec, s[6:7]\n"
        "flat_load_dword v8, v[4:5]\n s_waitcnt vmcnt(0) lgkmcnt(0)\n s_endpgm\n",
        from_lane);
  };
  for (const char* own : {"v_mov_b32 v4, v1", "v_lshlrev_b32 v4, 2, v0"})
    CHECK(findings(program_of(Arch::gfx942, text(own), 128, 512)) == Found{});
  CHECK(findings(program_of(Arch::gfx942, text("v_xor_b32 v4, 0x100, v1"), 128, 512)) ==
        Found{"12: LDS order between waves"});
}

// Rows of 64 in LDS, one a wave; waves below s8 add the row `ahead` of theirs to their own.
TEST_CASE("after a branch on the wave's number the accesses of the waves that take it count, without a barrier",
          "[check]") {
  const auto text = [](const char* between, const char* limit, const char* inside = "") {
    return fmt::format(
        "v_lshlrev_b32 v1, 2, v0\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n {}\n v_readfirstlane_b32 s4, v0\n "
        "s_lshr_b32 s4, s4, 6\n s_cmp_ge_u32 s4, {}\n s_cbranch_scc1 .L0\n {}\n"
        "ds_read_b32 v2, v1 offset:256\n s_waitcnt lgkmcnt(0)\n .L0:\n s_endpgm\n",
        between, limit, inside);
  };
  const auto said = [&](const std::string& t) { return findings(program_of(Arch::gfx942, t, 256, 2048)); };
  CHECK(said(text("s_nop 0", "2", "s_nop 0")) == Found{"9: LDS order between waves"});
  CHECK(said(text("s_barrier", "2", "s_nop 0")) == Found{});
  CHECK(said(text("s_nop 0", "0", "s_nop 0")) == Found{});    // nobody comes there
  CHECK(said(text("s_nop 0", "s2", "s_nop 0")) == Found{});   // who comes there is not known
  CHECK(said(text("s_nop 0", "2", "s_barrier")) == Found{});  // a barrier for some of them: nothing is concluded
  // The last wave alone: what it reads nobody writes.
  CHECK(said("v_lshlrev_b32 v1, 2, v0\n ds_write_b32 v1, v0\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s4, v0\n "
             "s_cmp_lg_u32 s4, 192\n s_cbranch_scc1 .L0\n ds_read_b32 v2, v1 offset:256\n s_waitcnt lgkmcnt(0)\n "
             ".L0:\n s_endpgm\n") == Found{});
}

TEST_CASE(
    "sources of gfx1250's memory accesses wait for XCNT where MODE allows several replay groups, and never otherwise",
    "[check]") {
  const std::string start =
                        "s_mov_b64 s[2:3], 0\n v_mov_b32 v1, 0\n v_mov_b32 v4, 0\n v_mov_b32 v5, 0\n global_load_b32 "
                        "v2, v1, s[2:3]\n ",
                    groups = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n ";
  const auto said = [&](const std::string& text) { return findings(program_of(Arch::gfx1250, text + "s_endpgm\n")); };
  CHECK(said(start + "v_mov_b32 v1, 0\n ") == Found{});
  CHECK(said(groups + start + "v_mov_b32 v1, 0\n ") == Found{"6: register in flight"});
  CHECK(said(groups + start + "s_wait_xcnt 0\n v_mov_b32 v1, 0\n ") == Found{});
  // FLAT comes back out of order: it must not overwrite what an older access may have to read again, in either mode.
  CHECK(said(start + "flat_load_b32 v1, v[4:5]\n ") == Found{"5: register in flight"});
  CHECK(said(groups + start + "flat_load_b32 v1, v[4:5]\n ") == Found{"6: register in flight"});
  CHECK(said(groups + start + "global_load_b32 v1, v[4:5], off\n ") == Found{});
}

TEST_CASE("an MFMA that waits for its unit anyway may follow at the distance of production kernels: a note",
          "[check]") {
  const char *rest = "v_mfma_f32_16x16x16_f16 a[0:3], v[2:3], v[4:5], a[0:3]\n ",
             *reads = "v_mfma_f32_16x16x16_f16 a[4:7], v[20:21], v[4:5], a[4:7]\n ",
             *f64 = "v_mfma_f64_16x16x4_f64 a[8:15], v[6:7], v[8:9], a[8:15]\n ";
  const auto verdict = [](const std::string& text, const std::string& rule) -> std::string {
    const auto all = checker::check(program_of(Arch::gfx942, text + "s_endpgm\n"), {}).findings;
    const auto f = std::ranges::find(all, rule, &checker::Finding::rule);
    return f == all.end()                                                                   ? "nothing"
           : !f->advice                                                                     ? "finding"
           : f->what.ends_with("harmless: an MFMA in between waits for its unit that long") ? "harmless"
                                                                                            : "advice";
  };
  const std::string by_mfma = "VALU result read by MFMA", move = "v_mov_b32 v20, 1\n ", other = "v_mov_b32 v30, 1\n ";
  CHECK(verdict(move + reads, by_mfma) == "finding");
  CHECK(verdict(move + other + reads, by_mfma) == "finding");
  CHECK(verdict(move + other + other + reads, by_mfma) == "nothing");
  CHECK(verdict(move + rest + reads, by_mfma) == "harmless");
  CHECK(verdict(rest + move + reads, by_mfma) == "harmless");  // 4 passes: two are left
  CHECK(verdict(move + f64 + reads, by_mfma) == "finding");    // a unit of its own
  CHECK(verdict(rest + std::string("s_cbranch_scc0 .L0\n .L0:\n ") + move + reads, by_mfma) ==
        "finding");  // beyond the block nothing is known
  const std::string first = "v_mfma_f32_16x16x16_f16 v[40:43], v[2:3], v[4:5], v[40:43]\n ",
                    use = "v_mov_b32 v30, v40\n ", by_valu = "XDL result used by VALU or memory";
  CHECK(verdict(first + rest + rest + use, by_valu) == "harmless");
  CHECK(verdict(first + rest + use, by_valu) == "finding");
  CHECK(verdict(first + rest + rest + "v_rcp_f32 v31, v32\n v_add_f32 v30, v40, v31\n ",
                "trans result read by a non-trans VALU") == "finding");  // what else is missing there is
}

TEST_CASE("a lane read too soon after v_cmpx is a note that says when it is harmless, and a permlane swap a finding",
          "[check]") {
  const auto said = [](Arch arch, const char* read) {
    return checker::check(
               program_of(arch, fmt::format("v_mov_b32 v1, v0\n v_cmpx_lt_u32 vcc, 5, v0\n {}\n s_endpgm\n", read)), {})
        .findings;
  };
  const std::string rule = "VALU writes EXEC before a lane access";
  for (const auto& [read, words] : {std::pair{"v_readfirstlane_b32 s4, v0", "harmless if the condition is uniform"},
                                    {"v_readlane_b32 s4, v0, 3", "harmless: the instruction ignores EXEC"}}) {
    const auto all = said(Arch::gfx942, read);
    const auto note = std::ranges::find(all, rule, &checker::Finding::rule);
    REQUIRE(note != all.end());
    CHECK(note->advice);
    CHECK(note->what.find(words) != std::string::npos);
    CHECK(findings(program_of(Arch::gfx942, fmt::format("v_cmpx_lt_u32 vcc, 5, v0\n {}\n s_endpgm\n", read))) ==
          Found{});
  }
  const auto all = said(Arch::gfx950, "v_permlane32_swap_b32 v0, v1");
  CHECK(std::ranges::any_of(all, [&](const auto& f) { return f.rule == rule && !f.advice; }));
  CHECK(std::ranges::none_of(said(Arch::gfx942, "s_nop 3\n v_readfirstlane_b32 s4, v0"),
                             [&](const auto& f) { return f.rule == rule; }));
}

TEST_CASE("EXEC and M0 are sources of gfx1250's memory accesses too, and the tensor data mover holds none", "[check]") {
  const std::string start =
      "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n s_mov_b64 s[2:3], 0\n s_mov_b32 m0, 0\n v_mov_b32 v1, "
      "0\n ";
  const std::string load = start + "global_load_b32 v2, v1, s[2:3]\n ",
                    cluster = start + "cluster_load_b32 v2, v1, s[2:3]\n ",
                    scalar = start + "s_load_b32 s4, s[2:3], 0x0\n ";
  const auto said = [&](const std::string& text) { return findings(program_of(Arch::gfx1250, text + "s_endpgm\n")); };
  for (const char* writes :
       {"s_mov_b32 exec_lo, 1\n ", "s_and_saveexec_b32 s8, exec_lo\n ", "v_cmpx_eq_u32_e32 0, v1\n "}) {
    CAPTURE(writes);
    CHECK(said(load + writes) == Found{"5: register in flight"});
    CHECK(said(load + "s_wait_xcnt 0\n " + writes) == Found{});
    CHECK(said(load + "s_wait_loadcnt 0\n " + writes) == Found{});
    CHECK(said(scalar + writes) == Found{});  // scalar memory knows no lanes
  }
  CHECK(said(cluster + "s_mov_b32 m0, 1\n ") == Found{"5: register in flight"});
  CHECK(said(load + "s_mov_b32 m0, 1\n ") == Found{});
  CHECK(said(load + "s_cmp_eq_u32 s2, 0\n s_cbranch_scc0 .L0\n s_nop 0\n .L0:\n s_mov_b32 exec_lo, 1\n ") ==
        Found{"9: register in flight"});  // unless the branch is taken
  std::string tile = start;
  for (int s = 8; s < 20; ++s) tile += fmt::format("s_mov_b32 s{}, 0\n ", s);
  CHECK(said(tile + "tensor_load_to_lds s[8:11], s[12:19]\n s_mov_b32 s8, 1\n s_mov_b32 exec_lo, 1\n ") == Found{});
  const auto f =
      checker::check(program_of(Arch::gfx1250, load + "s_mov_b32 exec_lo, 1\n s_endpgm\n"), {.advice = false})
          .findings.at(0);
  CHECK(f.what.starts_with("overwrites exec_lo while global_load_b32 v2, v1, s[2:3] at "));
  CHECK(f.legal == "s_wait_xcnt 0 before it");
}

TEST_CASE("gfx1250: atomics, scalar prefetches and endless sleep imply that all earlier addresses are translated",
          "[check]") {
  const std::string start =
                        "s_mov_b64 s[2:3], 0\n v_mov_b32 v1, 0\n v_mov_b32 v4, 0\n global_load_b32 v2, v1, s[2:3]\n ",
                    atomic = "global_atomic_add_u32 v1, v4, s[2:3]\n ";
  const auto said = [&](const std::string& text) { return findings(program_of(Arch::gfx1250, text + "s_endpgm\n")); };
  CHECK(said(start + atomic) == Found{"4: address translation open"});
  CHECK(said(start + "s_wait_xcnt 0\n " + atomic + atomic) == Found{});  // one atomic operation after another
  CHECK(said(start + "s_wait_loadcnt 0\n " + atomic) == Found{});
  CHECK(said(start + "v_mov_b32 v5, 0\n " + atomic) == Found{});  // REPLAY_MODE 0: the hardware has waited
  CHECK(said("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n " + start +
             "s_prefetch_data s[2:3], 0x0, null, 0\n ") == Found{"5: address translation open"});
  CHECK(said("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n " + start + "s_sleep 0x8000\n ") ==
        Found{"5: address translation open"});
  CHECK(said("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n " + start + "s_sleep 1\n ") == Found{});
}

// v[8:11] is an array: only an index reads what is loaded into v9 to v11.
TEST_CASE("registers that an index may mean are in flight until they are waited for", "[check]") {
  const auto text = [](const char* wait, const char* after) {
    return fmt::format(
        "v_mov_b32 v1, 0\n s_mov_b32 m0, ttmp9\n global_load_b32 v8, v1, s[0:1]\n global_load_b32 v9, v1, s[0:1]\n "
        "global_load_b32 v10, v1, s[0:1]\n global_load_b32 v11, v1, s[0:1]\n"
        "{}\n v_movrels_b32 v2, v8\n {}\n s_endpgm\n",
        wait, after);
  };
  const auto said = [&](const char* wait, const char* after = "s_nop 0") {
    return findings(program_of(Arch::gfx1200, text(wait, after)));
  };
  CHECK(said("s_wait_loadcnt 0") == Found{});
  CHECK(said("s_wait_loadcnt 1") == Found{"7: register in flight"});
  CHECK(said("s_wait_loadcnt 3") == Found{"7: register in flight"});
  CHECK(said("s_wait_loadcnt 3", "s_wait_loadcnt 0\n v_mov_b32 v3, v9") ==
        Found{});  // v9 is wanted by name: the array ends before it
  const char* on_gfx9 =
      "v_mov_b32 v1, 0\n global_load_dword v8, v1, s[0:1]\n global_load_dword v9, v1, s[0:1]\n s_waitcnt vmcnt({})\n "
      "s_set_gpr_idx_on s2, gpr_idx(SRC0)\n"
      "v_mov_b32 v2, v8\n s_set_gpr_idx_off\n s_endpgm\n";
  CHECK(findings(program_of(Arch::gfx942, fmt::format(fmt::runtime(on_gfx9), 0))) == Found{});
  CHECK(findings(program_of(Arch::gfx942, fmt::format(fmt::runtime(on_gfx9), 1))) == Found{"5: register in flight"});
}
