// Classes of findings that can be told apart: sources of accesses that may be replayed (xcnt), LDS races of writes of
// one value, lane reads after a v_cmpx whose condition is uniform.
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

sim::Result run_checked(const std::string& body, const char* target, const sim::Checks& checks = {},
                        uint32_t items = 64) {
  Bench b;
  b.options.checks = checks, b.options.jobs = 1;
  b.launch.block = {items, 1, 1};
  Assembly a{body + "\ns_endpgm\n"};
  a.target = target, a.lds = 256;
  return b.run(a.build());
}
std::string fault_class(const sim::Result& r) {
  return r.fault ? fmt::format("{} {}", name(r.fault->kind), r.fault->text.substr(0, r.fault->text.find(' '))) : "none";
}

const std::string replay_mode =
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 25, 1), 1\ns_load_b64 s[4:5], s[0:1], 0x0\ns_wait_kmcnt 0x0\ns_mov_b32 m0, "
    "0\nv_mov_b32 v2, 0\nv_mov_b32 v3, 0\n";

// Waves of 64: the first writes v5 = 5 to LDS, every other one v6.
std::string two_writes(int other, const std::string& after = "") {
  return fmt::format(
      "v_readfirstlane_b32 s8, v0\nv_mov_b32 v3, 0\nv_mov_b32 v5, 5\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 "
      ".Lfirst\nv_mov_b32 v5, {}\n.Lfirst: ds_write_b32 v3, v5\n{}s_waitcnt lgkmcnt(0)\ns_barrier",
      other, after);
}

// Lanes below `limit` stay in EXEC, and the first of those in EXEC is read right after; EXEC began with the lanes from
// `first` on.
std::string first_lane(uint64_t before, const std::string& comparison,
                       const std::string& read = "v_readfirstlane_b32 s4, v0") {
  return fmt::format("v_mov_b32 v1, 3\ns_mov_b32 exec_lo, {:#x}\ns_mov_b32 exec_hi, {:#x}\ns_nop 4\n{}\n{}",
                     static_cast<uint32_t>(before), static_cast<uint32_t>(before >> 32), comparison, read);
}

}  // namespace

TEST_CASE(
    "EXEC, M0 and the registers of an access that may be replayed stay as they are until xcnt, on a switch of its own",
    "[sim][fault][xcnt]") {
  const sim::Checks all, others{.xcnt = false}, alone = [] {
    auto c = sim::Checks::none();
    c.xcnt = true;
    return c;
  }();
  const std::string load = replay_mode + "global_load_b32 v4, v2, s[4:5]\n",
                    lds = replay_mode + "global_load_async_to_lds_b32 v2, v3, s[4:5]\n",
                    cluster = replay_mode + "cluster_load_b32 v4, v2, s[4:5]\n",
                    add = "global_atomic_add_u32 v2, v3, s[4:5]";
  for (const auto& [text, fault] :
       {std::pair{load + "v_mov_b32 v2, 1", "register in flight v_mov_b32"},
        {load + "s_mov_b32 s4, 1", "register in flight s_mov_b32"},
        {load + "s_mov_b32 exec_lo, 1", "register in flight s_mov_b32"},
        {load + "s_and_saveexec_b32 s8, exec_lo", "register in flight s_and_saveexec_b32"},
        {load + "v_cmpx_eq_u32_e32 0, v3", "register in flight v_cmpx_eq_u32"},
        {cluster + "s_mov_b32 m0, 1", "register in flight s_mov_b32"},
        {load + "s_mov_b32 m0, 1", "none"},
        {load + "s_wait_xcnt 0x0\ns_mov_b32 exec_lo, 1", "none"},
        {load + "s_wait_loadcnt 0x0\ns_mov_b32 exec_lo, 1", "none"},
        {lds + "v_mov_b32 v6, 1", "none"},
        {load + add, "register in flight global_atomic_add_u32"},
        {load + "s_wait_xcnt 0x0\n" + add, "none"},
        {replay_mode + add + "\n" + add, "none"},
        {load + "s_prefetch_data s[4:5], 0x0, null, 0", "register in flight s_prefetch_data"},
        {load + "s_sleep 0x8000", "register in flight s_sleep"},
        {load + "s_sleep 1", "none"}}) {
    CAPTURE(text);
    CHECK(fault_class(run_checked(text, "gfx1250", all, 32)) == fault);
    CHECK(fault_class(run_checked(text, "gfx1250", alone, 32)) == fault);
    CHECK(fault_class(run_checked(text, "gfx1250", others, 32)) == "none");
  }
  const auto r = run_checked(load + "s_mov_b32 exec_lo, 1", "gfx1250", all, 32);
  REQUIRE(r.fault);
  CHECK(r.fault->why.find("no xcnt wait covers it, at 0x") != std::string::npos);
  CHECK(r.fault->why.ends_with("'global_load_b32 v4, v2, s[4:5]'"));
}

TEST_CASE("the tensor data mover is replayed from its own copy of the descriptor: its SGPRs may be overwritten",
          "[sim][xcnt]") {
  std::string body = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 25, 1), 1\n";
  for (int s = 8; s < 20; ++s) body += fmt::format("s_mov_b32 s{}, 0\n", s);  // type 0: nothing is moved
  CHECK(fault_class(run_checked(body + "tensor_load_to_lds s[8:11], s[12:19]\ns_mov_b32 s8, 1\ns_mov_b32 exec_lo, 1",
                                "gfx1250", {}, 32)) == "none");
}

TEST_CASE("waves that write one value to one place race on a switch of its own, and a finding names both accesses",
          "[sim][race]") {
  const sim::Checks strict{.same_value_races = true};
  CHECK(fault_class(run_checked(two_writes(5), "gfx942", {}, 256)) == "none");
  CHECK(fault_class(run_checked(two_writes(5), "gfx942", strict, 256)) == "LDS race ds_write_b32");
  CHECK(fault_class(run_checked(two_writes(6), "gfx942", {}, 256)) == "LDS race ds_write_b32");
  const std::string own = "s_waitcnt lgkmcnt(0)\nds_read_b32 v7, v3\n";  // what the wave has just written
  CHECK(fault_class(run_checked(two_writes(5, own), "gfx942", {}, 256)) == "none");
  CHECK(fault_class(run_checked(two_writes(5, own), "gfx942", strict, 256)).starts_with("LDS race"));
  const std::string reader =
      "v_readfirstlane_b32 s8, v0\nv_mov_b32 v3, 0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lfirst\nds_read_b32 v7, "
      "v3\ns_branch .Lafter\n.Lfirst: ds_write_b32 v3, v3\n.Lafter: s_waitcnt lgkmcnt(0)\ns_barrier";
  CHECK(fault_class(run_checked(reader, "gfx942", {}, 256)) ==
        "LDS race ds_read_b32");  // whoever only reads sees it or does not
  const auto r = run_checked(two_writes(6), "gfx942", {}, 256);
  REQUIRE(r.fault);
  CHECK(r.fault->why.find("writes LDS that wave 0 writes with no barrier between") == 0);
  CHECK(r.fault->why.ends_with("'ds_write_b32 v3, v5'"));
}

TEST_CASE("two waves may load the same bytes into one place in LDS, and arrive at a barrier before they are there",
          "[sim][race]") {
  // Each of four waves loads 64 dwords from `row` bytes behind the first argument times its number.
  const auto loads = [](int row, const std::string& wait, const std::string& then = "ds_read_b32 v7, v3") {
    return fmt::format(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\nv_readfirstlane_b32 s8, v0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s6, "
        "0x1000\ns_mov_b32 s7, 0x20000\ns_lshr_b32 s8, s8, 6\ns_mul_i32 s8, s8, {}\nv_lshlrev_b32 v2, 2, v0\nv_and_b32 "
        "v2, 0xff, v2\nv_mov_b32 v3, v2\ns_mov_b32 m0, 0\ns_nop 4\nbuffer_load_dword v2, s[4:7], s8 offen "
        "lds\n{}s_barrier\ns_waitcnt vmcnt(0)\ns_barrier\n{}\ns_waitcnt lgkmcnt(0)",
        row, wait, then);
  };
  const auto fault = [&](const std::string& body, const char* target, const sim::Checks& checks = {}) {
    Bench b;
    b.options.checks = checks, b.options.jobs = 1;
    b.launch.block = {256, 1, 1};
    Assembly a{body + "\ns_endpgm\n"};
    a.target = target, a.lds = 256;
    const uint64_t rows = b.memory.allocate(0x1000, "rows");
    std::vector<uint8_t> bytes(0x1000);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * i >> 3);
    b.memory.write(rows, bytes);
    b.launch.kernargs.resize(16), std::memcpy(b.launch.kernargs.data(), &rows, 8);
    return fault_class(b.run(a.build()));
  };
  for (const char* target : {"gfx90a", "gfx942", "gfx950"}) {
    CAPTURE(target);
    CHECK(fault(loads(0, ""), target) == "none");
    CHECK(fault(loads(0, "s_waitcnt vmcnt(0)\n"), target) == "none");
    CHECK(fault(loads(0, ""), target, {.same_value_races = true}).starts_with("register in flight"));
    CHECK(fault(loads(256, ""), target).starts_with("register in flight"));  // other rows
    CHECK(fault(loads(256, "s_waitcnt vmcnt(0)\n"), target).starts_with("LDS race"));
    // A wave reads or overwrites what its own load may not have brought yet.
    CHECK(fault(loads(0, "ds_read_b32 v7, v3\n"), target).starts_with("register in flight"));
    CHECK(fault(loads(0, "v_mov_b32 v8, 0\nds_write_b32 v3, v8\n"), target).starts_with("register in flight"));
  }
}

TEST_CASE("bytes beside those that two waves write alike may change", "[sim][race]") {
  // Wave n writes 16 bytes at 0 of one value, and the dword at 16 + 4 n; only that its own.
  CHECK(fault_class(run_checked(
            "v_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 4\nv_mov_b32 v3, 0\nv_mov_b32 v5, 5\nv_mov_b32 v6, "
            "s8\nds_write_b8 v3, v5\nds_write_b8 v6, v6 offset:16\ns_waitcnt lgkmcnt(0)\ns_barrier",
            "gfx942", {}, 256)) == "none");
}

TEST_CASE("a lane read too soon after v_cmpx is harmless where both EXECs give the same", "[sim][hazards]") {
  // A row that kernels in use break: a warning (isa_tables/hazards/hazards.def).
  const auto outcome = [](const sim::Result& r) -> std::string {
    return r.fault                                                    ? sim::name(r.fault->kind)
           : r.warning && r.warning->kind == sim::Fault::Kind::hazard ? "hazard"
                                                                      : "none";
  };
  const std::string fault = "hazard";
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_gt_u32 vcc, 64, v0"), "gfx942")) == "none");  // all stay
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_gt_u32 vcc, 5, v0"), "gfx942")) ==
        "none");  // the first one stays
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_lt_u32 vcc, 5, v0"), "gfx942")) == fault);  // lane 6, or 0
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_lt_u32 vcc, 5, v0", "v_readfirstlane_b32 s4, v1"),
                            "gfx942")) == "none");  // all hold 3
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_lt_u32 vcc, 5, v0\nv_cmpx_lt_u32 vcc, 5, v0"),
                            "gfx942")) == fault);  // stale by two
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_lt_u32 vcc, 5, v0\ns_nop 3"), "gfx942")) == "none");
  CHECK(outcome(run_checked(first_lane(~uint64_t{0}, "v_cmpx_lt_u32 vcc, 5, v0", "v_readlane_b32 s4, v0, 3"),
                            "gfx942")) == "none");  // EXEC does not matter to it
}
