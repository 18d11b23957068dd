// Options::late, late_lds and replay: a program that waits sees no difference, one that does not sees what registers
// and LDS held before, what other waves have written since, or what its registers hold by then.
// tests/generator/waits_run_test.cpp has random programs.
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

struct Generation {
  const char *name, *scalar, *load, *lds;
};
constexpr Generation gfx9_waits{"gfx942", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)"},
    gfx1250_waits{"gfx1250", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0"};
constexpr Generation like(const Generation& g, const char* name) { return {name, g.scalar, g.load, g.lds}; }
constexpr Generation generations[] = {like(gfx9_waits, "gfx908"),
                                      like(gfx9_waits, "gfx90a"),
                                      gfx9_waits,
                                      like(gfx9_waits, "gfx950"),
                                      like(gfx9_waits, "gfx1100"),
                                      like(gfx9_waits, "gfx1151"),
                                      like(gfx1250_waits, "gfx1201"),
                                      gfx1250_waits};

// s[4:5] in: 100, 101, ...; s[6:7] out; v1 = 4 * lane.
std::string start(const Generation& g) {
  return fmt::format("s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v1, 2, v0\n {}\n",
                     g.scalar);
}
const std::string store = "global_store_dword v1, v3, s[6:7]\n s_endpgm\n";

struct Landed {
  std::string fault;
  std::vector<uint32_t> out;
};
Landed run_in(const char* order, const std::string& body, const char* target, bool checks, uint32_t items) {
  Bench b;
  sim::parse_order(order, b.options);
  b.options.max_instructions = 100'000;
  b.launch.block = {items, 1, 1};
  if (!checks) b.options.checks = sim::Checks::none();
  std::vector<uint32_t> in(1024);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = 100 + i;
  b.fill(in);
  Assembly a{body};
  a.target = target, a.lds = 1024;
  const auto r = b.run(a.build());
  return {fault_of(r), b.result<uint32_t>(32)};
}
Landed run_landing(bool late, const std::string& body, const char* target, bool checks = false, uint32_t items = 32) {
  return run_in(late ? "late" : "round-robin", body, target, checks, items);
}
// With the wait lane 5 stores `right` in either order. Without it it still does where loads land at once, and `before`
// where they land late.
void shows(const Generation& g, const std::string& head, const std::string& wait, const std::string& tail,
           uint32_t right, uint32_t before) {
  const std::string first = start(g) + head, rest = tail + "\n" + store;
  CAPTURE(g.name, head, wait, tail);
  for (const bool late : {false, true}) {
    const Landed r = run_landing(late, first + wait + "\n" + rest, g.name, true);
    CHECK(r.fault == "none");
    CHECK(r.out[5] == right);
  }
  CHECK(run_landing(false, first + rest, g.name).out[5] == right);
  CHECK(run_landing(true, first + rest, g.name).out[5] == before);
}

}  // namespace

TEST_CASE("a register that a late load goes to keeps its value until a wait covers the load", "[sim][late]") {
  for (const Generation& g : generations) {
    const std::string vector = fmt::format("v_mov_b32 v3, v2\n {}", g.load),
                      lds = fmt::format("v_mov_b32 v3, v2\n {}", g.lds), other = "v_mov_b32 v3, v2\n s_nop 0";
    shows(g, "v_mov_b32 v2, 7\n global_load_dword v2, v1, s[4:5]\n", g.load, vector, 105, 7);
    shows(g, "v_mov_b32 v2, 9\n ds_write_b32 v1, v0\n ds_read_b32 v2, v1\n", g.lds, lds, 5, 9);
    shows(g, "v_mov_b32 v2, 9\n ds_swizzle_b32 v2, v0 offset:0x041f\n", g.lds, lds, 4, 9);
    shows(g, "s_mov_b32 s8, 3\n s_load_dword s8, s[4:5], 0x10\n", g.scalar,
          fmt::format("v_mov_b32 v3, s8\n {}", g.scalar), 104, 3);
  }
  // The younger of two may still be under way.
  const std::string two =
      "v_mov_b32 v2, 7\n v_mov_b32 v4, 8\n global_load_dword v2, v1, s[4:5]\n global_load_dword v4, v1, s[4:5]\n "
      "s_waitcnt vmcnt(1)\n";
  shows(gfx9_waits, two, "s_waitcnt vmcnt(0)", "v_mov_b32 v3, v4\n s_waitcnt vmcnt(0)", 105, 8);
  CHECK(run_landing(true, start(gfx9_waits) + two + "v_mov_b32 v3, v2\n" + store, "gfx942").out[5] == 105);
  // FLAT waits for both of its counters.
  shows(
      gfx9_waits,
      "v_mov_b32 v2, 7\n v_mov_b32 v5, s5\n v_add_u32 v4, s4, v1\n flat_load_dword v2, v[4:5]\n s_waitcnt lgkmcnt(0)\n",
      "s_waitcnt vmcnt(0)", "v_mov_b32 v3, v2\n s_waitcnt vmcnt(0)", 105, 7);
  shows(gfx9_waits,
        "v_mov_b32 v2, 7\n v_mov_b32 v5, 0\n v_mov_b32 v6, 21\n global_store_dword v5, v6, s[4:5]\n global_atomic_add "
        "v2, v5, v6, s[4:5] sc0\n s_mov_b64 exec, 32\n",
        "s_waitcnt vmcnt(0)", "v_mov_b32 v3, v2\n s_waitcnt vmcnt(0)", 21 + 5 * 21, 7);
}

TEST_CASE("late loads of the two halves of a register land one by one", "[sim][late][d16]") {
  const Generation g = like(gfx9_waits, "gfx1100");  // keeps the other half
  const std::string loads =
      start(g) +
      "v_mov_b32 v3, 0x70008\n global_load_d16_b16 v3, v1, s[4:5]\n global_load_d16_hi_b16 v3, v1, s[4:5] offset:4\n";
  CHECK(run_landing(true, loads + "s_waitcnt vmcnt(0)\n" + store, "gfx1100", true).out[5] == 0x6a0069);
  CHECK(run_landing(true, loads + "s_waitcnt vmcnt(1)\n" + store, "gfx1100").out[5] == 0x70069);
  CHECK(run_landing(true, loads + store, "gfx1100").out[5] == 0x70008);
}

TEST_CASE("lanes that a late load does not write keep what is written to them meanwhile", "[sim][late]") {
  const std::string body = start(gfx9_waits) +
                           "v_mov_b32 v3, 7\n s_mov_b64 exec, 32\n global_load_dword v3, v1, s[4:5]\n s_mov_b64 exec, "
                           "64\n v_mov_b32 v3, 9\n s_mov_b64 exec, -1\n s_waitcnt vmcnt(0)\n" +
                           store;
  for (const bool late : {false, true}) {
    const auto out = run_landing(late, body, "gfx942").out;
    CHECK(out[5] == 105);
    CHECK(out[6] == 9);
    CHECK(out[7] == 7);
  }
}

TEST_CASE("LDS that a late load from memory writes keeps what it held until the wait", "[sim][late]") {
  for (const Generation& g :
       {like(gfx9_waits, "gfx908"), like(gfx9_waits, "gfx90a"), gfx9_waits, like(gfx9_waits, "gfx950")}) {
    const std::string before = "v_mov_b32 v2, 7\n ds_write_b32 v1, v2\n s_waitcnt lgkmcnt(0)\n s_mov_b32 m0, 0\n",
                      read = "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n s_waitcnt vmcnt(0)";
    shows(g,
          before +
              "s_mov_b32 s8, s4\n s_mov_b32 s9, s5\n s_mov_b32 s10, 4096\n s_mov_b32 s11, 0x27000\n buffer_load_dword "
              "v1, s[8:11], 0 offen lds\n",
          g.load, read, 105, 7);
    if (std::string_view(g.name) == "gfx942")
      shows(g, before + "s_nop 0\n global_load_lds_dword v1, s[4:5]\n", g.load, read, 105, 7);
  }
  const std::string filled = "v_mov_b32 v2, 7\n ds_store_b32 v1, v2\n s_wait_dscnt 0x0\n",
                    read = "ds_load_b32 v3, v1\n s_wait_dscnt 0x0\n s_wait_asynccnt 0x0\n s_wait_tensorcnt 0x0";
  shows(gfx1250_waits, filled + "global_load_async_to_lds_b32 v1, v1, s[4:5]\n", "s_wait_asynccnt 0x0", read, 105, 7);
  // A row of 32 dwords; without and with an arrival at the barrier at 512, which says that the row is there.
  std::string tensor =
      filled + "s_mov_b32 s12, 1\n s_mov_b32 s13, 0\n s_mov_b32 s14, s4\n s_or_b32 s15, s5, 0x80000000\n";
  const char* const group[] = {"0x20000", "0x200000", "0x10000", "0x200000", "1", "32", "0", "0"};
  for (int i = 0; i < 8; ++i) tensor += fmt::format("s_mov_b32 s{}, {}\n", 16 + i, group[i]);
  const std::string load = "tensor_load_to_lds s[12:15], s[16:23]\n";
  shows(gfx1250_waits, tensor + load, "s_wait_tensorcnt 0x0", read, 105, 7);
  const std::string barrier =
      "v_mov_b32 v4, 0x200\n v_mov_b32 v6, 0\n v_mov_b32 v7, 0\n ds_store_b64 v4, v[6:7]\n s_wait_dscnt 0x0\n";
  CHECK(run_landing(true,
                    start(gfx1250_waits) + tensor + barrier + "s_mov_b32 s16, 0x60000\n s_or_b32 s17, s17, 0x40\n" +
                        load + read + "\n" + store,
                    "gfx1250")
            .out[5] == 105);
  CHECK(run_landing(true,
                    start(gfx1250_waits) + filled + barrier +
                        "global_load_async_to_lds_b32 v1, v1, s[4:5]\n ds_atomic_async_barrier_arrive_b64 v4\n" + read +
                        "\n" + store,
                    "gfx1250")
            .out[5] == 105);
}

TEST_CASE("a late LDS store is seen by its own wave, and by others from its wait on", "[sim][late][barrier]") {
  // Both waves write 1, then wave 0 writes 8, and after the barrier wave 1 reads.
  const std::string
      head = start(gfx9_waits) +
             "v_and_b32 v2, 63, v0\n v_lshlrev_b32 v2, 2, v2\n v_mov_b32 v4, 1\n ds_write_b32 v2, v4\n s_waitcnt "
             "lgkmcnt(0)\n s_barrier\n v_readfirstlane_b32 s8, v0\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lother\n"
             "v_mov_b32 v3, 8\n ds_write_b32 v2, v3\n",
      rest =
          "s_barrier\n s_barrier\n s_endpgm\n.Lother:\n s_barrier\n ds_read_b32 v3, v2\n s_waitcnt lgkmcnt(0)\n "
          "global_store_dword v2, v3, s[6:7]\n s_barrier\n s_endpgm\n";
  CHECK(run_landing(false, head + rest, "gfx942", false, 128).out[5] == 8);
  CHECK(run_landing(true, head + rest, "gfx942", false, 128).out[5] == 1);
  for (const bool late : {false, true})
    CHECK(run_landing(late, head + "s_waitcnt lgkmcnt(0)\n" + rest, "gfx942", false, 128).out[5] == 8);
  CHECK(run_landing(true, head + "ds_read_b32 v5, v2\n" + rest, "gfx942", false, 128).out[5] == 8);  // in order
  CHECK(run_landing(
            true,
            start(gfx9_waits) +
                "v_mov_b32 v3, 3\n ds_write_b32 v1, v3\n ds_add_u32 v1, v0\n ds_write_b8 v1, v0 offset:1\n ds_read_b32 "
                "v3, v1\n s_waitcnt lgkmcnt(0)\n" +
                store,
            "gfx942", true)
            .out[5] == 0x508);
}

TEST_CASE("a late store that other waves poll for completes in the end", "[sim][late][barrier]") {
  const std::string body =
      start(gfx9_waits) +
      "v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n ds_write_b32 v2, v3\n s_waitcnt lgkmcnt(0)\n s_barrier\n "
      "v_readfirstlane_b32 s8, v0\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 .Lpoll\n"
      "v_mov_b32 v3, 1\n ds_write_b32 v2, v3\n s_barrier\n s_endpgm\n.Lpoll:\n ds_read_b32 v3, v2\n s_waitcnt "
      "lgkmcnt(0)\n v_readfirstlane_b32 s9, v3\n s_cmp_eq_u32 s9, 0\n s_cbranch_scc1 .Lpoll\n s_barrier\n s_endpgm\n";
  CHECK(run_landing(true, body, "gfx942", false, 128).fault == "none");
}

namespace {

// s8: zero for wave 0, which goes on at .Lfirst. LDS holds 1 at v2 = 4 * lane.
const std::string two_waves =
    start(gfx9_waits) +
    "v_and_b32 v2, 63, v0\n v_lshlrev_b32 v2, 2, v2\n v_mov_b32 v4, 1\n ds_write_b32 v2, v4\n "
    "s_waitcnt lgkmcnt(0)\n s_barrier\n v_readfirstlane_b32 s8, v0\n v_mov_b32 v4, 8\n "
    "s_mov_b32 m0, 0\n s_mov_b32 s12, s4\n s_mov_b32 s13, s5\n s_mov_b32 s14, 4096\n "
    "s_mov_b32 s15, 0x27000\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lfirst\n";
// Lane 5 of what one of the two waves stores.
uint32_t of_two_waves(const char* order, const std::string& second, const std::string& first) {
  const Landed r =
      run_in(order, two_waves + second + "\n s_barrier\n s_endpgm\n.Lfirst:\n" + first + "\n s_barrier\n s_endpgm\n",
             "gfx942", false, 128);
  CHECK(r.fault == "none");
  return r.out[5];
}
const std::string keep = "s_waitcnt lgkmcnt(0)\n global_store_dword v2, v3, s[6:7]\n";

}  // namespace

TEST_CASE("with late-lds a read without a wait before the barrier sees what another wave writes after it",
          "[sim][late][barrier]") {
  const std::string read = "ds_read_b32 v3, v2\n", barrier = "s_barrier\n", wait = "s_waitcnt lgkmcnt(0)\n";
  for (const std::string& writes :
       {std::string("s_barrier\n ds_write_b32 v2, v4\n s_waitcnt lgkmcnt(0)\n"),
        std::string("s_barrier\n buffer_load_dword v2, s[12:15], 0 offen lds\n s_waitcnt vmcnt(0)\n")}) {
    const uint32_t written = writes.find("buffer") == writes.npos ? 8 : 105;
    CAPTURE(writes);
    for (const char* order : {"round-robin", "late", "late-lds", "late,late-lds"}) {
      CAPTURE(order);
      CHECK(of_two_waves(order, read + wait + barrier + keep, writes) == 1);
      const bool late_lds = std::string(order).find("lds") != std::string::npos;
      CHECK(of_two_waves(order, read + barrier + keep, writes) == (late_lds ? written : 1));
    }
  }
}

TEST_CASE("with late-lds a wave's own read does not show its stores to others", "[sim][late][barrier]") {
  // The first wave stores and reads back; the other one reads after the barrier.
  const std::string store_and_read = "ds_write_b32 v2, v4\n ds_read_b32 v5, v2\n",
                    reads = "s_barrier\n ds_read_b32 v3, v2\n" + keep;
  for (const char* order : {"round-robin", "late", "late-lds"}) {
    CAPTURE(order);
    CHECK(of_two_waves(order, reads, store_and_read + "s_waitcnt lgkmcnt(1)\n s_barrier") == 8);
    CHECK(of_two_waves(order, reads, store_and_read + "s_barrier") == (std::string(order) == "late-lds" ? 1 : 8));
  }
}

TEST_CASE("late-lds executes a wave's LDS operations in their order from the registers of their issue", "[sim][late]") {
  for (const char* order : {"late-lds", "late,late-lds", "late-lds,late:3"})
    for (const Generation& g : generations) {
      CAPTURE(order, g.name);
      const auto lane_5 = [&](const std::string& body, bool checks = true) {
        const Landed r = run_in(order, start(g) + body + g.lds + "\n" + store, g.name, checks, 32);
        CHECK(r.fault == "none");
        return r.out[5];
      };
      CHECK(lane_5("ds_write_b32 v1, v0\n ds_read_b32 v3, v1\n") == 5);
      CHECK(lane_5("ds_write_b32 v1, v0\n ds_read_b32 v3, v1\n ds_write_b32 v1, v1\n") == 5);
      CHECK(lane_5("v_mov_b32 v3, v1\n ds_write_b32 v1, v0\n ds_read_b32 v3, v3\n") == 5);  // over its address
      CHECK(lane_5("v_mov_b32 v2, v1\n v_mov_b32 v4, v0\n ds_write_b32 v2, v4\n v_mov_b32 v2, 0\n v_mov_b32 v4, 77\n "
                   "ds_read_b32 v3, v1\n") == 5);
      CHECK(lane_5("v_mov_b32 v3, 3\n ds_write_b32 v1, v3\n ds_add_u32 v1, v0\n ds_write_b8 v1, v0 offset:1\n "
                   "ds_read_b32 v3, v1\n") == 0x508);
      CHECK(
          lane_5("v_lshlrev_b32 v6, 1, v1\n v_mov_b32 v4, v0\n v_mov_b32 v5, 9\n ds_write2_b32 v6, v4, v5 offset1:1\n "
                 "ds_read_b64 v[2:3], v6\n") == 9);
      CHECK(lane_5("ds_write_b32 v1, v0\n v_mov_b32 v4, 4\n ds_bpermute_b32 v3, v4, v1\n ds_read_b32 v3, v1\n") == 5);
      // EXEC of the issue counts.
      const bool wide = isa::target(*isa::find_arch(g.name)).wave_size == 64;
      const std::string save = wide ? "s_mov_b64 s[20:21], exec\n s_mov_b64 exec, 64\n "
                                    : "s_mov_b32 s20, exec_lo\n s_mov_b32 exec_lo, 64\n ",
                        restore = wide ? "s_mov_b64 exec, s[20:21]\n " : "s_mov_b32 exec_lo, s20\n ",
                        head = "v_mov_b32 v3, 3\n v_mov_b32 v4, 9\n ds_write_b32 v1, v0\n " + save;
      CHECK(lane_5(head + "ds_write_b32 v1, v4\n " + restore + "ds_read_b32 v3, v1\n") == 5);
      CHECK(lane_5(head + "ds_read_b32 v3, v1\n " + restore) == 3);
    }
  const std::string halves =
      start(gfx9_waits) +
      "v_mov_b32 v3, 0x70008\n v_mov_b32 v2, 0x6a0069\n ds_store_b32 v1, v2\n ds_load_u16_d16 v3, "
      "v1\n ds_load_u16_d16_hi v3, v1 offset:2\n s_waitcnt lgkmcnt(0)\n" +
      store;
  CHECK(run_in("late-lds", halves, "gfx1100", true, 32).out[5] == 0x6a0069);
}

TEST_CASE("with late-lds a register keeps its value until the wait, and a polled store executes in the end",
          "[sim][late][barrier]") {
  for (const Generation& g : generations) {
    CAPTURE(g.name);
    const std::string read = start(g) + "v_mov_b32 v2, 9\n ds_write_b32 v1, v0\n ds_read_b32 v2, v1\n",
                      use = "v_mov_b32 v3, v2\n s_nop 0\n" + store;
    CHECK(run_in("late-lds", read + g.lds + "\n" + use, g.name, true, 32).out[5] == 5);
    CHECK(run_in("late-lds", read + use, g.name, false, 32).out[5] == 9);
  }
  const std::string poll =
      "s_waitcnt lgkmcnt(0)\n.Lpoll:\n ds_read_b32 v3, v2\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s9, v3\n "
      "s_cmp_eq_u32 s9, 1\n s_cbranch_scc1 .Lpoll\n global_store_dword v2, v3, s[6:7]\n";
  CHECK(of_two_waves("late-lds", poll, "ds_write_b32 v2, v4\n") == 8);
}

TEST_CASE("with replay an access sees the registers that are overwritten before its address must be translated",
          "[sim][late][xcnt]") {
  const std::string groups = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 25, 1), 1\n", wait = "s_wait_xcnt 0x0\n",
                    head = start(gfx1250_waits) + "v_mov_b32 v2, v1\n v_mov_b32 v3, 7\n",
                    partial = "s_mov_b32 exec_lo, 1\n", all = "s_mov_b32 exec_lo, -1\n",
                    stores = "global_store_b32 v1, v3, s[6:7]\n", loads = "global_load_b32 v3, v2, s[4:5]\n",
                    adds = "global_atomic_add_u32 v1, v3, s[6:7]\n", end = "s_endpgm\n";
  const std::string loaded = "s_wait_loadcnt 0x0\n" + store;
  for (const char* order : {"round-robin", "late", "replay"}) {
    CAPTURE(order);
    const auto lane_5 = [&](const std::string& body) {
      const Landed r = run_in(order, body, "gfx1250", false, 32);
      CHECK(r.fault == "none");
      return r.out[5];
    };
    const bool replay = std::string(order) == "replay";
    CHECK(lane_5(groups + head + partial + stores + all + end) == (replay ? 7 : 0));
    CHECK(lane_5(groups + head + partial + stores + wait + all + end) == 0);
    CHECK(lane_5(head + partial + stores + all + end) == 0);  // without groups the hardware stalls
    CHECK(lane_5(groups + head + partial + adds + all + end) == 0);
    CHECK(lane_5(groups + head + loads + "v_mov_b32 v2, 4\n" + loaded) == (replay ? 101 : 105));
    CHECK(lane_5(groups + head + loads + wait + "v_mov_b32 v2, 4\n" + loaded) == 105);
    CHECK(lane_5(groups + head + loads + loaded + "v_mov_b32 v2, 4\n") == 105);
  }
}
