// Memory accesses of whole waves, which take a short way when no check has to see each lane: the numbers are those of
// the long way. And hazards that warn instead of stopping the run.
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

const sim::Checks none{.undefined = false,
                       .in_flight = false,
                       .hazards = false,
                       .races = false,
                       .xcnt = false,
                       .uninitialized = sim::Checks::Uninitialized::ignore};

// Lane l: 16 bytes of `in`, through LDS from lane l ^ 21 to `out`; and those of lane l + 1 through a buffer that ends
// after lane 62's.
const std::string whole_wave_kernel = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32 v1, 4, v0
  v_xor_b32 v2, 0x150, v1
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[8:9], s[4:5]
  s_mov_b32 s10, 1024
  s_mov_b32 s11, 0x20000
  global_load_dwordx4 v[4:7], v1, s[4:5]
  buffer_load_dwordx4 v[12:15], v1, s[8:11], 0 offen offset:16
  s_waitcnt vmcnt(0)
  ds_write_b128 v2, v[4:7]
  s_waitcnt lgkmcnt(0)
  ds_read_b128 v[8:11], v1
  s_waitcnt lgkmcnt(0)
  global_store_dwordx4 v1, v[8:11], s[6:7]
  global_store_dwordx4 v1, v[12:15], s[6:7] offset:1024
  s_mov_b64 exec, 0xff
  ds_read_u16_d16_hi v8, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v8, s[6:7] offset:2048
  s_endpgm
)";

}  // namespace

TEST_CASE("a whole wave's loads and stores give the same with and without checks", "[sim][memory]") {
  std::vector<uint32_t> in(256);
  for (uint32_t i = 0; i < 256; ++i) in[i] = i * 0x01010101u + 7;
  for (const bool checked : {true, false}) {
    CAPTURE(checked);
    Bench b;
    if (!checked) b.options.checks = none;
    b.fill(in);
    const auto r = b.run(whole_wave_kernel, 1024);
    REQUIRE(fault_of(r) == "none");
    const auto out = b.result<uint32_t>(768);
    for (uint32_t l = 0; l < 64; ++l)
      for (uint32_t k = 0; k < 4; ++k) {
        REQUIRE(out[4 * l + k] == in[4 * (l ^ 21) + k]);
        REQUIRE(out[256 + 4 * l + k] == (l < 63 ? in[4 * (l + 1) + k] : 0));
        if (k == 0 && l < 8) REQUIRE(out[512 + 4 * l] == in[4 * (l ^ 21)] << 16);
        if (k == 0 && l >= 8) REQUIRE(out[512 + 4 * l] == 0);
      }
  }
}

TEST_CASE("without checks too, an access outside of LDS or of an allocation stops the run", "[sim][memory][fault]") {
  Bench b;
  b.options.checks = none;
  const auto lds = b.run("v_lshlrev_b32 v1, 4, v0\nds_read_b128 v[4:7], v1 offset:16\ns_endpgm\n", 1024);
  REQUIRE(lds.fault);
  CHECK(lds.fault->kind == Kind::out_of_bounds);
  CHECK(lds.fault->lane == 63);
  const auto odd = b.run(
      "v_lshlrev_b32 v1, 4, v0\nv_mov_b32 v2, 2\nv_cmp_eq_u32 vcc, 9, v0\ns_nop 1\nv_cndmask_b32 v2, 0, v2, "
      "vcc\nv_add_u32 v1, v1, v2\nds_add_u32 v1, v0\ns_endpgm\n",
      2048);
  REQUIRE(odd.fault);
  CHECK(odd.fault->kind == Kind::misaligned);
  CHECK(odd.fault->lane == 9);
  const auto memory = b.run(
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 6, v0\ns_waitcnt lgkmcnt(0)\nglobal_load_dwordx4 v[4:7], "
      "v1, s[4:5] offset:64\ns_endpgm\n");
  REQUIRE(memory.fault);
  CHECK(memory.fault->kind == Kind::out_of_bounds);
  CHECK(memory.fault->lane == 63);
}

TEST_CASE(
    "wait states before a mask are advice, those that kernels in use do without are warnings, others are needed unless "
    "hazards are to be warnings",
    "[sim][hazards]") {
  Bench b;
  const auto mask = b.run("v_cmp_lt_i32 s[8:9], 31, v0\nv_cndmask_b32 v2, 0, v0, s[8:9]\ns_endpgm\n");
  CHECK(fault_of(mask) == "none");
  REQUIRE(mask.warning);
  CHECK(mask.warning->kind == Kind::hazard);
  CHECK(mask.warnings == 1);
  CHECK_FALSE(b.run("v_cmp_lt_i32 s[8:9], 31, v0\ns_nop 1\nv_cndmask_b32 v2, 0, v0, s[8:9]\ns_endpgm\n").warning);
  const auto constant = b.run("v_cmp_lt_i32 s[8:9], 31, v0\nv_mov_b32 v2, s8\ns_endpgm\n");  // kernels in use do that
  CHECK(fault_of(constant) == "none");
  REQUIRE(constant.warning);
  CHECK(constant.warning->text.find("v_mov_b32") != std::string::npos);
  const std::string divides = "v_cmp_lt_i32 vcc, 31, v0\nv_div_fmas_f32 v2, v0, v0, v0\ns_endpgm\n";
  const auto stopped = b.run(divides);
  REQUIRE(stopped.fault);
  CHECK(stopped.fault->kind == Kind::hazard);
  b.options.checks.hazard_warnings = true;
  const auto warned = b.run(divides);
  CHECK(fault_of(warned) == "none");
  REQUIRE(warned.warning);
  CHECK(warned.warning->text.find("v_div_fmas_f32") != std::string::npos);
}
