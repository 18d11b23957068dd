// Scheduling on request: which instructions may move, which may not, and the orders that the author's groups give.
#include <catch2/catch.hpp>

#include <functional>

#include "generator/schedule/issue_model.h"
#include "generator/schedule/schedule.h"
#include "pass_text.h"

namespace {

using namespace wavesmith;

Block block_of(const std::string& text) {
  Block b(Arch::gfx942);
  b.nodes = read(text);
  return b;
}
std::vector<std::string> printed_lines(const Block& b) {
  std::vector<std::string> out;
  for (const Node& n : b.nodes)
    out.push_back(n.is_instruction() ? isa::print(n.inst, b.arch()) : n.as<directive::Label>() ? ".L" : "--");
  return out;
}
int position(const Block& b, const std::string& text) {
  const auto all = printed_lines(b);
  const auto at = std::ranges::find_if(all, [&](const std::string& l) { return l.starts_with(text); });
  REQUIRE(at != all.end());
  return static_cast<int>(at - all.begin());
}
// One letter per instruction: m matrix, r/w LDS, l/s global, v VALU, t trans, a SALU, '.' else.
std::string shape(const Block& b) {
  namespace sched = isa::sched;
  std::string out;
  for (const Node& n : b.nodes) {
    const int c = n.is_instruction() ? isa::sched_classes(n.inst) : 0;
    const std::pair<int, char> letters[] = {{sched::matrix, 'm'},    {sched::ds_read, 'r'},    {sched::ds_write, 'w'},
                                            {sched::vmem_read, 'l'}, {sched::vmem_write, 's'}, {sched::valu, 'v'},
                                            {sched::trans, 't'},     {sched::salu, 'a'}};
    char letter = '.';
    for (const auto& [bit, x] : letters)
      if (c & bit) {
        letter = x;
        break;
      }
    out += letter;
  }
  return out;
}

// n independent matrix instructions, each reading fragments of its own at v[100 + 4 i].
Block matrices(int n, int from = 0) {
  Block b(Arch::gfx942, "multiply");
  for (int i = from; i < from + n; ++i) {
    const Vgpr f{static_cast<uint16_t>(100 + 4 * i), 4};
    b.v_mfma_f32_16x16x16_f16(Agpr{static_cast<uint16_t>(4 * i), 4}, f.slice(0, 2), f.slice(2, 2),
                              Agpr{static_cast<uint16_t>(4 * i), 4});
  }
  return b;
}
Block reads(int n, int from = 0) {
  Block b(Arch::gfx942, "read");
  for (int i = from; i < from + n; ++i)
    b.ds_read_b128(Vgpr{static_cast<uint16_t>(100 + 4 * i), 4}, Vgpr{0, 1}, {.offset = 16 * i});
  return b;
}

}  // namespace

TEST_CASE("an LDS read never rises above the barrier that releases its data", "[schedule]") {
  // The failure that performance guides of compilers document: barrier, barrier, reads instead of barrier, reads,
  // barrier.
  const Block b = block_of(R"(ds_write_b32 v0, v1
                              s_waitcnt lgkmcnt(0)
                              s_barrier
                              v_mfma_f32_16x16x16_f16 a[0:3], v[4:5], v[6:7], a[0:3]
                              ds_read_b128 v[8:11], v2
                              v_mfma_f32_16x16x16_f16 a[4:7], v[8:9], v[10:11], a[4:7]
                              s_barrier
                              ds_write_b32 v0, v3
                              ds_read_b128 v[12:15], v2)");
  const Block out = scheduled(b);
  const std::string s = shape(out);
  CHECK(s.size() == 9);
  CHECK(s.substr(0, 3) == "w..");
  CHECK(s.substr(3, 3) == "rmm");  // the read may rise, up to the barrier
  CHECK(s.substr(6) == ".wr");     // and stays after the write of its own wave
}

TEST_CASE("nothing crosses a fence", "[schedule]") {
  const std::string fence =
      GENERATE("s_barrier", "s_waitcnt vmcnt(0)", "s_setprio 1", "s_nop 0", "s_sleep 1", ".L0:", "wait_for v[0:1]",
               "wait_lds 0", "sched_barrier", "s_cbranch_scc1 .L0", "s_endpgm");
  const Block b = block_of("v_mov_b32 v0, v1\n" + fence + "\nglobal_load_dword v2, v3, s[0:1]\nv_mov_b32 v4, v5");
  CAPTURE(fence);
  const Block out = scheduled(b);
  CHECK(position(out, "v_mov_b32") == 0);
  CHECK(position(out, "global_load") == 2);
}

TEST_CASE("loads rise, what reads them sinks, and dependences hold", "[schedule]") {
  const Block b = block_of(R"(v_mov_b32 v10, 1
                              v_mov_b32 v11, 2
                              global_load_dword v0, v4, s[0:1]
                              v_add_f32 v1, v0, v0
                              v_mul_f32 v12, v10, v11
                              v_mul_f32 v13, v12, v11)");
  const Block out = scheduled(b);
  CHECK(position(out, "global_load") == 0);
  CHECK(position(out, "v_add_f32") == 5);
  CHECK(position(out, "v_mul_f32 v13") > position(out, "v_mul_f32 v12"));
}

TEST_CASE("fixed registers keep their order: SCC, VCC, EXEC, M0", "[schedule]") {
  const auto order_kept = [](const std::string& text) {
    const Block b = block_of("global_load_dword v200, v201, s[50:51]\nv_add_f32 v202, v200, v200\n" + text);
    const Block out = scheduled(b);
    std::vector<std::string> kept;
    for (const auto& l : printed_lines(out))
      if (l.find("v20") == l.npos) kept.push_back(l);
    const auto all = printed_lines(b);
    CHECK(kept == std::vector<std::string>(all.begin() + 2, all.end()));
  };
  order_kept("s_add_u32 s0, s1, s2\ns_addc_u32 s3, s4, s5\ns_cmp_eq_u32 s6, 0\ns_cselect_b32 s7, s8, s9");
  order_kept(
      "v_cmp_lt_f32 vcc, v0, v1\nv_cndmask_b32 v2, v3, v4, vcc\nv_cmp_gt_f32 vcc, v5, v6\nv_cndmask_b32 v7, v8, v9, "
      "vcc");
  order_kept("v_mov_b32 v0, 1\ns_mov_b64 exec, s[0:1]\nv_mov_b32 v1, 2\ns_mov_b64 exec, -1\nv_mov_b32 v2, 3");
  order_kept("v_mov_b32 v1, v2\nbuffer_load_dword v1, s[4:7], 0 offen lds\nv_mov_b32 v1, v3");  // its address is read
  order_kept(
      "s_mov_b32 m0, s0\nbuffer_load_dword v1, s[4:7], 0 offen lds\ns_mov_b32 m0, s1\nbuffer_load_dword v1, s[4:7], 0 "
      "offen offset:64 lds");
}

TEST_CASE("memory accesses that may meet keep their order", "[schedule]") {
  const auto may_rise = [](const std::string& first,
                           const std::string& second) {  // `second` has the longer chain after it
    const Block out = scheduled(
        block_of("v_mov_b32 v9, 1\n" + first + "\n" + second + "\nv_add_f32 v60, v50, v50\nv_mul_f32 v61, v60, v60"));
    return position(out, printed_lines(block_of(second))[0]) < position(out, printed_lines(block_of(first))[0]);
  };
  CHECK(may_rise("ds_read_b32 v40, v1", "ds_read_b32 v50, v2"));
  CHECK_FALSE(may_rise("ds_write_b32 v1, v9", "ds_read_b32 v50, v2"));
  CHECK_FALSE(may_rise("ds_write_b32 v1, v9 @0", "ds_read_b32 v50, v2"));
  CHECK_FALSE(may_rise("ds_write_b32 v1, v9 @0", "ds_read_b32 v50, v2 @0"));
  CHECK(may_rise("ds_write_b32 v1, v9 @0", "ds_read_b32 v50, v2 @1"));
  CHECK_FALSE(may_rise("buffer_load_dword v1, s[4:7], 0 offen lds", "ds_read_b32 v50, v2"));
  CHECK(may_rise("global_store_dword v1, v9, s[0:1]", "ds_read_b32 v50, v2"));
  CHECK_FALSE(may_rise("global_store_dword v1, v9, s[0:1]", "global_load_dword v50, v2, s[2:3]"));
  CHECK_FALSE(may_rise("flat_store_dword v[2:3], v9", "ds_read_b32 v50, v4"));
  CHECK(may_rise("ds_write_b32 v1, v9", "ds_bpermute_b32 v50, v2, v3"));
}

TEST_CASE("groups order what they claim", "[schedule]") {
  SECTION("reads and matrix instructions in turn") {
    Block b = reads(8, 4) << matrices(4);
    for (int i = 0; i < 4; ++i) b.sched_group_barrier(0x100, 2, 0), b.sched_group_barrier(0x8, 1, 0);
    ScheduleReport report;
    CHECK(shape(scheduled(b, &report)) == "rrmrrmrrmrrm");
    CHECK(report.unfilled.empty());
  }
  SECTION("a group takes what is above it only") {
    Block b = matrices(2);
    b.sched_group_barrier(0x100, 2, 0);
    b.sched_group_barrier(0x8, 2, 0);
    b << reads(2, 8);
    ScheduleReport report;
    scheduled(b, &report);
    REQUIRE(report.unfilled.size() == 1);
    CHECK(report.unfilled[0].filled == 0);
    CHECK(report.unfilled[0].wanted == 2);
    CHECK(report.text().find("schedule_test.cpp") != std::string::npos);
    CHECK(report.text().find("sched_group_barrier(0x100, 2, 0) found 0 instructions") != std::string::npos);
  }
  SECTION("dependences win over groups") {
    Block b = reads(1) << matrices(1);  // the matrix instruction needs the read
    b.sched_group_barrier(0x8, 1, 0);
    b.sched_group_barrier(0x100, 1, 0);
    CHECK(shape(scheduled(b)) == "rm");
  }
  SECTION("sync ids do not order each other") {
    Block b = reads(2, 8) << matrices(2);
    b.sched_group_barrier(0x8, 2, 0);
    b.sched_group_barrier(0x100, 2, 1);
    CHECK(shape(scheduled(b)) == shape(scheduled(reads(2, 8) << matrices(2))));
    Block one = reads(2, 8) << matrices(2);
    one.sched_group_barrier(0x8, 2, 0);
    one.sched_group_barrier(0x100, 2, 0);
    CHECK(shape(scheduled(one)) == "mmrr");
  }
}

TEST_CASE("a sched_barrier with a mask is crossed by its classes only", "[schedule]") {
  const auto with = [](int mask) {
    Block b = matrices(1);
    b.sched_barrier(mask);
    b << reads(2, 8);
    for (int i : {132, 136}) b.v_add_f32(Vgpr{static_cast<uint16_t>(i), 1}, Vgpr{static_cast<uint16_t>(i), 1}, 1.f);
    return shape(scheduled(b));
  };
  CHECK(with(0) == "m.rrvv");
  CHECK(with(0x2) == "m.rrvv");  // the reads may not rise, so what uses them cannot either
  CHECK(with(0x200) == "m.rrvv");
  CHECK(with(0x100) == "rm.rvv");  // one rises; the LDS is taken for 16 clocks, the next gains nothing
  CHECK(with(0x80) == "rm.rvv");
  CHECK(with(0x8 | 0x2) == ".rmrvv");  // the matrix instruction executes while the reads are in flight
}

TEST_CASE("iglp_opt gives LLVM's predefined pipelines", "[schedule]") {
  const auto with = [](Block b, int option) {
    b.iglp_opt(option);
    return shape(scheduled(b));
  };
  CHECK(with(reads(8, 4) << matrices(4), 0) == "mrrmrrmrrmrr");
  Block exps(Arch::gfx942);
  for (int i = 0; i < 3; ++i)
    exps.v_exp_f32(Vgpr{static_cast<uint16_t>(200 + i), 1}, Vgpr{static_cast<uint16_t>(210 + i), 1});
  CHECK(with(exps << matrices(3), 3) == "mtmtmt");
  CHECK(with(reads(8) << matrices(8), 1) ==
        "rrrrmrmrmrmrmmmm");  // four for the first matrix instructions, then in turn
  CHECK_THROWS_WITH(with(matrices(1), 2),
                    Catch::Contains("iglp_opt(2): the region has no exponentials that are packed"));
  CHECK_THROWS_WITH(with(matrices(1), 4), Catch::Contains("legal: 0 to 3"));
  Block both = matrices(2);
  both.sched_group_barrier(0x8, 1, 0);
  CHECK_THROWS_WITH(with(both, 0), Catch::Contains("in a region with sched barriers or groups"));
}

TEST_CASE("iglp_opt(1) writes transposed tiles as soon as they are permuted, and loads their sources again",
          "[schedule]") {
  const auto v = [](int first, int n = 1) { return Vgpr{static_cast<uint16_t>(first), static_cast<uint8_t>(n)}; };
  const auto tile = [&](bool shared) {  // two writes; sources v[200:201] and v[202:203], or v[200:201] for both
    Block b(Arch::gfx942);
    b << reads(6);
    const int other = shared ? 200 : 202;
    for (int i = 0; i < 2; ++i) b.v_perm_b32(v(210 + i), v(200), v(201), Sgpr{static_cast<uint16_t>(i), 1});
    for (int i = 0; i < 2; ++i) b.v_perm_b32(v(212 + i), v(other), v(other + 1), Sgpr{static_cast<uint16_t>(2 + i), 1});
    for (int i : {0, 2}) b.ds_write_b64(v(0), v(210 + i, 2), {.offset = 1024 + i}).buffer = 1;
    for (int i = 0; i < (shared ? 2 : 4); ++i)
      b.buffer_load_dword(v(200 + i), v(1), Sgpr{4, 4}, 0, {.offset = 4 * i, .flags = isa::offen});
    for (Node& n : b.nodes)
      if (!n.buffer && isa::sched_classes(n.inst) & isa::sched::ds) n.buffer = 0;
    b << matrices(12);
    b.iglp_opt(1);
    return shape(scheduled(b));
  };
  // The order that llc-22 gives the same loops, letter for letter.
  CHECK(tile(false) == "rrrrmrmrmvvwllmmvvwllmmmmmmm");
  CHECK(tile(true) == "rrrrmrmrmvvwmvvwmllmmmmmmm");
}

namespace {

// The second product of an attention kernel: `exps` exponentials, four to a right operand of four f16, each multiplied
// into `chains` accumulators; their sum is accumulated separately. The left operands are in registers, or read from
// LDS, two per 128-bit read.
Block second_product(int exps, int chains, bool from_lds = false) {
  const auto v = [](int first, int n = 1) { return Vgpr{static_cast<uint16_t>(first), static_cast<uint8_t>(n)}; };
  const int operands = exps / 4;
  const auto a = [](int first, int n) { return Agpr{static_cast<uint16_t>(first), static_cast<uint8_t>(n)}; };
  const auto left = [&](int k, int c) -> VAArg {
    if (from_lds) return a(64 + 4 * (k / 2 * chains + c) + 2 * (k % 2), 2);
    return v(250, 2);
  };
  Block b(Arch::gfx942);
  if (from_lds)
    for (int i = 0; i < operands / 2 * chains; ++i) b.ds_read_b128(a(64 + 4 * i, 4), v(253), {.offset = 16 * i});
  for (int i = 0; i < exps; ++i) b.v_fma_f32(v(exps + i), v(i), Sgpr{0, 1}, v(254));
  for (int i = 0; i < exps; ++i) b.v_exp_f32(v(exps + i), v(exps + i));
  for (int i = 0; i < exps; ++i) b.v_add_f32(v(255), v(exps + i), v(255));
  for (int i = 0; i < exps; ++i) b.v_cvt_f16_f32(v(i), v(exps + i));
  for (int i = 0; i < exps / 2; ++i) b.v_pack_b32_f16(v(2 * exps + i), v(2 * i), v(2 * i + 1));
  for (int k = 0; k < operands; ++k)
    for (int c = 0; c < chains; ++c) {
      const Agpr acc{static_cast<uint16_t>(16 * c), 16};
      b.v_mfma_f32_32x32x8_f16(acc, left(k, c), v(2 * exps + 2 * k, 2), acc);
    }
  return b;
}
// What the pipeline orders: m matrix, e exponential, c conversion, f FMA, r LDS read.
std::string rounds(const Block& b) {
  std::string out;
  for (const Node& n : b.nodes)
    for (const auto& [op, letter] : {std::pair(Opcode::v_fma_f32, 'f'),
                                     {Opcode::v_exp_f32, 'e'},
                                     {Opcode::v_cvt_f16_f32, 'c'},
                                     {Opcode::v_mfma_f32_32x32x8_f16, 'm'},
                                     {Opcode::ds_read_b128, 'r'}})
      if (n.is_instruction() && n.inst.op == op) out += letter;
  return out;
}

}  // namespace

TEST_CASE("iglp_opt(2) runs three rounds of exponentials at once beside the matrix instructions", "[schedule]") {
  // The order that llc-22 gives the same regions before register allocation, letter for letter where the pipeline
  // determines it: two rounds of FMAs, one of exponentials, then in turn; after each matrix instruction two
  // exponentials, or one, until none are left.
  const auto times = [](int n, const std::string& text) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
  };
  const std::string start = "ffffffffeeee" + times(4, "cfe");
  Block b = second_product(32, 2);
  b.iglp_opt(2);
  CHECK(rounds(scheduled(b)) == start + times(10, "mcfecfe") + times(2, "mcece") + "mccmccmm");
  b = second_product(64, 4);
  b.iglp_opt(2);
  CHECK_THAT(rounds(scheduled(b)), Catch::StartsWith(start + times(52, "mcfe") + "mce") && Catch::EndsWith("mmmmmm"));
  b = second_product(64, 4, true);
  b.iglp_opt(2);
  CHECK_THAT(rounds(scheduled(b)), Catch::Contains(times(4, "cfe") + times(13, "mrrcfe" + times(3, "mcfe")) +
                                                   "mrrce"));  // two reads more than the pipeline orders
  b = second_product(32, 4);
  b.iglp_opt(2);
  CHECK_THROWS_WITH(
      scheduled(b),
      Catch::Contains(
          "32 exponentials, 4 for a matrix instruction, 4 of which wait for one; legal: 32, 4, 2 and 64, 4, 4"));
}

TEST_CASE("scheduling is deterministic, keeps every instruction and never predicts slower", "[schedule]") {
  Block b = reads(6) << matrices(6);
  for (int i = 0; i < 12; ++i)
    b.v_add_f32(Vgpr{static_cast<uint16_t>(160 + i), 1}, Vgpr{static_cast<uint16_t>(180 + i / 2), 1}, 1.f);
  ScheduleReport report;
  const Block once = scheduled(b, &report), twice = scheduled(b);
  CHECK(printed_lines(once) == printed_lines(twice));
  auto before = printed_lines(b), after = printed_lines(once);
  std::ranges::sort(before), std::ranges::sort(after);
  CHECK(before == after);
  CHECK(report.clocks_after < report.clocks_before);
  CHECK(scheduled(once).nodes.size() == b.nodes.size());
}

TEST_CASE("the issue model reproduces co-issue measurements of gfx942", "[schedule]") {
  // Clocks of one group in a long loop, tests/facts/timing.csv "mfma_coexec" (measured by a third party on MI308X), to
  // the clock.
  const auto per_group = [](const std::string& group) {
    const auto clocks = [&](int n) {
      std::string text;
      for (int i = 0; i < n; ++i) text += group;
      return predicted_clocks(block_of(text));
    };
    return clocks(20) - clocks(19);
  };
  const std::string mfma = "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]\n",
                    other = "v_mfma_f32_16x16x16_bf16 a[4:7], v[0:1], v[2:3], a[4:7]\n";
  const std::string add = "v_add_f32 v10, v11, v12\n", exp = "v_exp_f32 v13, v14\n",
                    packed = "v_pk_add_f32 v[20:21], v[22:23], v[24:25]\n";
  CHECK(per_group(mfma) == 16);
  CHECK(per_group(mfma + add + add + add) == 16);
  CHECK(per_group(mfma + add + add + add + add) == 20);
  CHECK(per_group(mfma + exp) == 20);
  CHECK(per_group(mfma + exp + exp) == 36);
  CHECK(per_group(exp + add) == 20);
  CHECK(per_group(mfma + packed) == 28);
  CHECK(per_group(mfma + packed + packed + packed) == 36);
  CHECK(per_group(mfma + add + add + add + other + exp) == 36);
  CHECK(per_group(mfma + other + add + add + add + exp) == 48);
}

TEST_CASE("the issue model follows what is published of RDNA and gfx1250", "[schedule]") {
  const auto clocks = [](Arch arch, const std::function<void(Block&, int)>& one, int n) {
    Block b(arch);
    for (int i = 0; i < n; ++i) one(b, i);
    return predicted_clocks(b);
  };
  const auto each = [&](Arch arch, const std::function<void(Block&, int)>& one) {
    return clocks(arch, one, 20) - clocks(arch, one, 19);
  };
  const auto reg = [](int i) { return Vgpr{static_cast<uint16_t>(i), 1}; };
  const auto add = [&](Block& b, int i) { b.v_add_f32(reg(10 + i), reg(1), reg(2)); };
  const auto chain = [&](Block& b, int) { b.v_add_f32(reg(1), reg(1), reg(2)); };
  const auto exp = [&](Block& b, int i) { b.v_exp_f32(reg(10 + i), reg(1)); };
  for (const Arch arch :
       {Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {  // tests/facts/timing.csv: 1, 5, and 4 or 2 clocks
    CHECK(each(arch, add) == 1);
    CHECK(each(arch, chain) == 5);
    CHECK(each(arch, exp) == (arch == Arch::gfx1250 ? 2 : 4));
  }
  const auto wmma = [](Block& b, int) {
    const Opcode op = b.arch() == Arch::gfx1250   ? Opcode::v_wmma_f32_16x16x32_f16
                      : b.arch() == Arch::gfx1201 ? Opcode::v_wmma_f32_16x16x16_f16
                                                  : Opcode::v_wmma_f32_16x16x16_f16_gfx11;
    const uint8_t wide = b.arch() == Arch::gfx1201 ? 4 : 8;
    b.mfma(op, Vgpr{40, 8}, Vgpr{50, wide}, Vgpr{60, wide}, Vgpr{40, 8});
  };
  const auto beside = [&](int n) {
    return [&, n](Block& b, int i) {
      wmma(b, i);
      for (int j = 0; j < n; ++j) b.v_add_f32(reg(100 + j), reg(1), reg(2));
    };
  };
  // A WMMA of RDNA takes the VALU; one of gfx1250, 8 clocks, hides four VALU instructions (LLVM's window: 0EIIEEIIV).
  CHECK(each(Arch::gfx1201, beside(0)) == 16);
  CHECK(each(Arch::gfx1201, beside(3)) == 16 + 3);
  CHECK(each(Arch::gfx1100, beside(3)) == 32 + 3);
  CHECK(each(Arch::gfx1250, beside(4)) == 8);
  CHECK(each(Arch::gfx1250, beside(5)) == 9);
}
