// Atomics on global, flat, buffer and LDS memory: each operation against a formula of its own, the rules for NaN and
// denormals, and that workgroups on several threads add up.
#include <cmath>
#include <cstring>

#include "tests/support/memory_kernel.h"

using namespace simtest;

namespace {

struct AtomicCase {
  const char *op, *lds;
  uint32_t old, data, now;
};
// Worked by hand from the ISA guide's expressions.
const AtomicCase atomic_cases[] = {
    {"add", "add_u32", 0xfffffff0, 0x20, 0x10},
    {"sub", "sub_u32", 5, 7, 0xfffffffe},
    {"smin", "min_i32", 3, 0xffffffff, 0xffffffff},
    {"umin", "min_u32", 3, 0xffffffff, 3},
    {"smax", "max_i32", 3, 0xffffffff, 3},
    {"umax", "max_u32", 3, 0xffffffff, 0xffffffff},
    {"and", "and_b32", 0xf0f0, 0xff00, 0xf000},
    {"or", "or_b32", 0xf0f0, 0xff00, 0xfff0},
    {"xor", "xor_b32", 0xf0f0, 0xff00, 0x0ff0},
    {"inc", "inc_u32", 4, 5, 5},
    {"inc", "inc_u32", 5, 5, 0},
    {"inc", "inc_u32", 9, 5, 0},
    {"dec", "dec_u32", 4, 9, 3},
    {"dec", "dec_u32", 0, 9, 9},
    {"dec", "dec_u32", 12, 9, 9},
    {"swap", "wrxchg_rtn_b32", 1, 2, 2},
    {nullptr, "rsub_u32", 5, 7, 2},
};
// One lane: memory dword 0 is `old`, 1 the data. Out: the memory after, then what was returned.
std::vector<uint32_t> once(const Machine& m, const std::string& instruction, const std::string& wait,
                           std::vector<uint32_t> in, int lds = 0) {
  const std::string load =
      fmt::format("s_mov_b32 exec_lo, 1\n{}v_mov_b32 v3, 0\nglobal_load_dwordx4 v[12:15], v3, s[4:5]\n{}\n",
                  lanes(m) == 64 ? "s_mov_b32 exec_hi, 0\n" : "", m.load);
  const std::string prepare =
      "v_mov_b32 v16, v13\nv_mov_b32 v17, v14\nv_mov_b32 v8, 0xbad\nv_mov_b32 v9, 0xbad\nv_mov_b32 v10, s6\nv_mov_b32 "
      "v11, s7\n";
  const std::string place = lds ? "ds_write_b64 v3, v[12:13]\n" + std::string(m.lds)
                                : fmt::format("global_store_dword v3, v12, s[6:7]\n{}",
                                              std::string_view(m.name) == "gfx1250" ? "s_wait_xcnt 0x0\n" : "");
  const std::string fetch =
      lds ? fmt::format("ds_read_b32 v12, v3\n{}\nglobal_store_dword v3, v12, s[6:7]\n", m.lds) : "";
  const auto r = run_on(m,
                        load + prepare + place + "\n" + instruction + "\n" + wait + "\n" + fetch +
                            "global_store_dwordx2 v3, v[8:9], s[6:7] offset:16\n",
                        in, lds);
  INFO(instruction);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint32_t>(6);
  return {out[0], out[4]};
}

}  // namespace

TEST_CASE("integer atomics change memory as their expressions say and return the old value", "[sim][atomics]") {
  const auto& m = machine("gfx942");
  for (const AtomicCase& c : atomic_cases) {
    CAPTURE(c.lds, c.old, c.data);
    const std::vector<uint32_t> in{c.old, c.data, 0, 0}, want{c.now, c.old}, silent{c.now, 0xbad};
    if (c.op) {
      CHECK(once(m, fmt::format("global_atomic_{} v8, v3, v13, s[6:7] sc0", c.op), m.load, in) == want);
      CHECK(once(m, fmt::format("global_atomic_{} v3, v13, s[6:7]", c.op), m.load, in) == silent);
      CHECK(once(m, fmt::format("flat_atomic_{} v8, v[10:11], v13 sc0", c.op), m.flat, in) == want);
      CHECK(once(m,
                 fmt::format("s_mov_b32 s8, s6\ns_mov_b32 s9, s7\ns_mov_b32 s10, 4\ns_mov_b32 s11, 0x20000\nv_mov_b32 "
                             "v8, v13\nbuffer_atomic_{} v8, off, s[8:11], 0 sc0",
                             c.op),
                 m.load, in) == want);
      CHECK(once(m,
                 fmt::format("s_mov_b32 s8, s6\ns_mov_b32 s9, s7\ns_mov_b32 s10, 4\ns_mov_b32 s11, 0x20000\nv_mov_b32 "
                             "v8, v13\nbuffer_atomic_{} v8, off, s[8:11], 0 offset:4 sc0",
                             c.op),
                 m.load, in) == std::vector<uint32_t>{c.old, 0});  // out of range: dropped, 0 returned
    }
    const std::string lds = c.lds;
    if (lds.find("rtn") != std::string::npos)
      CHECK(once(m, fmt::format("ds_{} v8, v3, v13", lds), m.lds, in, 64) == want);
    else CHECK(once(m, fmt::format("ds_{} v3, v13", lds), m.lds, in, 64) == silent);
  }
}

TEST_CASE("compare and swap reads its two operands in the order of its generation", "[sim][atomics]") {
  const std::vector<uint32_t> in{7, 100, 7, 0}, want{100, 7};  // v16 = 100, v17 = 7
  for (const Machine& m : machines) {
    CAPTURE(m.name);
    const char* back = std::string(m.name).starts_with("gfx12") ? "th:TH_ATOMIC_RETURN"
                       : std::string(m.name) == "gfx942"        ? "sc0"
                                                                : "glc";
    CHECK(once(m, fmt::format("global_atomic_cmpswap v8, v3, v[16:17], s[6:7] {}", back), m.load, in) ==
          want);  // {new, compared}
    const bool gfx9 = m.name[3] == '9';
    CHECK(once(m, gfx9 ? "ds_cmpst_rtn_b32 v8, v3, v17, v16" : "ds_cmpstore_rtn_b32 v8, v3, v16, v17", m.lds, in, 64) ==
          want);
    CHECK(once(m, gfx9 ? "ds_cmpst_rtn_b32 v8, v3, v16, v17" : "ds_cmpstore_rtn_b32 v8, v3, v17, v16", m.lds, in, 64) ==
          std::vector<uint32_t>{7, 7});
  }
}

TEST_CASE("LDS has atomics of its own: wrap, mskor, cond_sub, sub_clamp", "[sim][atomics]") {
  const auto& m = machine("gfx942");
  CHECK(once(m, "ds_wrap_rtn_b32 v8, v3, v16, v17", m.lds, {10, 3, 50, 0}, 64) == std::vector<uint32_t>{7, 10});
  CHECK(once(m, "ds_wrap_rtn_b32 v8, v3, v16, v17", m.lds, {2, 3, 50, 0}, 64) == std::vector<uint32_t>{52, 2});
  CHECK(once(m, "ds_mskor_rtn_b32 v8, v3, v16, v17", m.lds, {0xffff, 0x0ff0, 0x0120, 0}, 64) ==
        std::vector<uint32_t>{0xf12f, 0xffff});
  CHECK(once(m, "ds_condxchg32_rtn_b64 v[8:9], v3, v[16:17]", m.lds, {5, 0x80000009, 9, 0}, 64) ==
        std::vector<uint32_t>{9, 5});
  CHECK(once(m, "ds_condxchg32_rtn_b64 v[8:9], v3, v[16:17]", m.lds, {5, 9, 9, 0}, 64) == std::vector<uint32_t>{5, 5});
  const auto& n = machine("gfx1200");
  CHECK(once(n, "ds_cond_sub_rtn_u32 v8, v3, v16", n.lds, {5, 6, 0, 0}, 64) == std::vector<uint32_t>{5, 5});
  CHECK(once(n, "ds_cond_sub_rtn_u32 v8, v3, v16", n.lds, {7, 6, 0, 0}, 64) == std::vector<uint32_t>{1, 7});
  CHECK(once(n, "ds_sub_clamp_rtn_u32 v8, v3, v16", n.lds, {5, 6, 0, 0}, 64) == std::vector<uint32_t>{0, 5});
}

TEST_CASE("a NaN stays in memory under gfx9's float minimum and loses under gfx12's", "[sim][atomics]") {
  const uint32_t nan = 0x7fc00001, one = 0x3f800000, two = 0x40000000, minus_zero = 0x80000000;
  const auto& old = machine("gfx942");
  const auto minimum = [](const Machine& m, uint32_t memory, uint32_t data) {
    return once(m, "ds_min_rtn_f32 v8, v3, v16", m.lds, {memory, data, 0, 0}, 64)[0];
  };
  CHECK(minimum(old, two, one) == one);
  CHECK(minimum(old, nan, one) == nan);
  CHECK(minimum(old, one, nan) == one);
  CHECK(minimum(old, 0, minus_zero) == 0);
  const auto& now = machine("gfx1200");
  CHECK(minimum(now, nan, one) == one);
  CHECK(minimum(now, one, nan) == one);
  CHECK(minimum(now, 0, minus_zero) == minus_zero);
  CHECK(minimum(now, 0x7f800001, 0x7f800002) == 0x7fc00002);  // both NaN: the data, made quiet
}

TEST_CASE("packed atomics add both halves, each rounded once", "[sim][atomics]") {
  const auto& m = machine("gfx942");
  // f16: 1 + 2 = 3 and 2048 + 1 = 2048 (a tie to even); bf16: 256 + 1 = 256 (tie), 1.5 + 1.5 = 3
  CHECK(once(m, "global_atomic_pk_add_f16 v8, v3, v16, s[6:7] sc0", m.load, {0x68003c00, 0x3c004000, 0, 0})[0] ==
        0x68004200);
  CHECK(once(m, "ds_pk_add_rtn_f16 v8, v3, v16", m.lds, {0x68003c00, 0x3c004000, 0, 0}, 64)[0] == 0x68004200);
  CHECK(once(m, "global_atomic_pk_add_bf16 v8, v3, v16, s[6:7] sc0", m.load, {0x43803fc0, 0x3f803fc0, 0, 0})[0] ==
        0x43804040);
  CHECK(once(m, "ds_pk_add_rtn_bf16 v8, v3, v16", m.lds, {0x43803fc0, 0x3f803fc0, 0, 0}, 64)[0] == 0x43804040);
}

TEST_CASE("additions in memory flush denormals on gfx908 and keep them on gfx942", "[sim][atomics]") {
  const std::vector<uint32_t> in{0x00000003, 0x00000004, 0, 0};
  CHECK(once(machine("gfx908"), "global_atomic_add_f32 v3, v16, s[6:7]", "s_waitcnt vmcnt(0)", in)[0] == 0);
  CHECK(once(machine("gfx942"), "global_atomic_add_f32 v3, v16, s[6:7]", "s_waitcnt vmcnt(0)", in)[0] == 7);
}

TEST_CASE("64-bit atomics carry, and must be aligned to their size", "[sim][atomics]") {
  const auto& m = machine("gfx942");
  const std::string body =
      "global_load_dwordx4 v[12:15], v3, s[4:5]\ns_waitcnt vmcnt(0)\nglobal_store_dwordx2 v3, v[12:13], "
      "s[6:7]\nglobal_atomic_add_x2 v3, v[14:15], s[6:7] offset:{}\ns_waitcnt vmcnt(0)\n";
  const std::vector<uint32_t> in{0xffffffff, 1, 2, 3};
  const std::string one = "s_mov_b64 exec, 1\nv_mov_b32 v3, 0\n";
  const auto r = run_on(m, one + fmt::format(fmt::runtime(body), 0), in);
  REQUIRE(r.fault() == "none");
  CHECK(r.out<uint64_t>(1)[0] == 0x00000005'00000001);
  const auto odd = run_on(m, one + fmt::format(fmt::runtime(body), 4), in);
  REQUIRE(odd.result.fault);
  CHECK(odd.result.fault->kind == sim::Fault::Kind::misaligned);
}

TEST_CASE("workgroups on several threads count right, and returning atomics give the same values whatever their number",
          "[sim][atomics]") {
  const std::string count =
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, 0\nv_mov_b32 v4, 1\n";
  std::vector<std::vector<uint32_t>> results;
  for (const int jobs : {1, 4}) {
    Bench b;
    b.launch.grid = {64, 1, 1};
    b.options.jobs = jobs;
    REQUIRE(fault_of(b.run(count + "global_atomic_add v3, v4, s[6:7]\ns_endpgm\n")) == "none");
    CHECK(b.result<uint32_t>(1)[0] == 64 * 64);
    Bench o;
    o.launch.grid = {16, 1, 1};
    o.options.jobs = jobs;
    REQUIRE(fault_of(o.run(
                count + "s_mov_b64 exec, 1\nglobal_atomic_add v5, v3, v4, s[6:7] sc0\ns_lshl_b32 s8, s2, 2\nv_mov_b32 "
                        "v6, s8\ns_waitcnt vmcnt(0)\nglobal_store_dword v6, v5, s[6:7] offset:64\ns_endpgm\n")) ==
            "none");
    results.push_back(o.result<uint32_t>(32));
    for (uint32_t i = 0; i < 16; ++i) CHECK(results.back()[16 + i] == i);
  }
  CHECK(results[0] == results[1]);
}
