// VSKIP (gfx9): vector instructions that are passed over, in the simulator, the checker and the timing model. Rules:
// CDNA1 to CDNA4 ISA, MODE and S_SETVSKIP.
#include "checker/check.h"
#include "simulator/timing/timing.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

const char* const gfx9_targets[] = {"gfx908", "gfx90a", "gfx942", "gfx950"};

Assembly vskip_assembly(const char* target, const std::string& body) {
  Assembly a{body};
  a.target = target, a.lds = 1024;
  return a;
}
std::vector<std::string> checked(const std::string& body) {
  const auto co = sim::CodeObject::load(vskip_assembly("gfx942", body).build());
  checker::Decoder decoder(co.arch(), 64);
  std::vector<std::string> found;
  for (const auto& f : checker::check(co, co.kernel("k"), decoder, {.advice = false}).findings)
    if (!f.advice) found.push_back(f.instruction + ": " + f.rule);
  return found;
}

}  // namespace

TEST_CASE("s_setvskip takes one bit of its source; vector instructions after it do nothing, scalar ones go on",
          "[sim][vskip]") {
  for (const char* target : gfx9_targets) {
    CAPTURE(target);
    Bench b;
    const auto r =
        b.run(vskip_assembly(
                  target,
                  pointers +
                      "v_mov_b32 v2, 7\n v_mov_b32 v3, 0\n v_mov_b32 v4, 0\n ds_write_b32 v1, v2\n s_mov_b32 s9, 5\n "
                      "s_mov_b32 s10, 0\n s_mov_b32 s8, 2\n s_waitcnt lgkmcnt(0)\n"
                      "s_setvskip s8, 0\n v_mov_b32 v3, 1\n"  // bit 0: not set
                      "s_setvskip s8, 33\n v_mov_b32 v2, 9\n v_mov_b32 v4, v20\n v_readfirstlane_b32 s9, v0\n "
                      "ds_write_b32 v1, v3\n global_store_dword v1, v0, s[4:5] offset:-4096\n"  // bit 33 % 32
                      "v_cmpx_eq_u32 vcc, 0, v0\n v_mfma_f32_4x4x1f32 a[0:3], v0, v0, a[0:3]\n s_add_u32 s10, s10, 3\n "
                      "v_mov_b32 v2, 11\n s_setvskip 0, 0\n"
                      "ds_read_b32 v5, v1\n v_mov_b32 v6, s9\n v_mov_b32 v7, s10\n s_waitcnt lgkmcnt(0)\n"
                      "v_add_u32 v2, v2, v5\n v_lshlrev_b32 v3, 8, v3\n v_lshlrev_b32 v6, 12, v6\n v_lshlrev_b32 v7, "
                      "16, v7\n v_or_b32 v2, v2, v3\n v_or_b32 v6, v6, v7\n v_or_b32 v2, v2, v6\n v_or_b32 v2, v2, v4\n"
                      "global_store_dword v1, v2, s[6:7]\n s_endpgm\n")
                  .build());
    REQUIRE(fault_of(r) == "none");
    CHECK(b.result<uint32_t>(64) == std::vector<uint32_t>(64, 14 | 1 << 8 | 5 << 12 | 3 << 16));
  }
}

TEST_CASE("skipped memory instructions move no counter", "[sim][vskip]") {
  const auto run = [](const char* skip, const char* wait) {
    Bench b;
    return b.run(vskip_assembly("gfx942", pointers + "global_load_dword v2, v1, s[4:5]\n" + skip +
                                              "global_load_dword v3, v1, s[4:5]\n s_setvskip 0, 0\n s_waitcnt " + wait +
                                              "\n v_mov_b32 v4, v2\n s_endpgm\n")
                     .build());
  };
  CHECK(fault_of(run("s_setvskip 0, 0\n", "vmcnt(1)")) == "none");
  CHECK(fault_of(run("s_setvskip 1, 0\n", "vmcnt(0)")) == "none");
  const auto early = run("s_setvskip 1, 0\n", "vmcnt(1)");
  REQUIRE(early.fault);
  CHECK(early.fault->kind == Kind::in_flight);
}

TEST_CASE("VSKIP is bit 28 of MODE: read two wait states after s_setvskip, and obeyed two after s_setreg",
          "[sim][vskip][hazards]") {
  for (const char* target : gfx9_targets) {
    CAPTURE(target);
    const auto run = [&](const std::string& body) {
      Bench b;
      const auto r = b.run(vskip_assembly(target, pointers + body).build());
      return std::pair(r.fault ? std::string(sim::name(r.fault->kind)) : "none", b.result<uint32_t>(1)[0]);
    };
    const std::string store = "v_mov_b32 v2, s8\n v_mov_b32 v1, 0\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n";
    CHECK(run("s_setvskip 4, 2\n s_nop 1\n s_getreg_b32 s8, hwreg(HW_REG_MODE, 28, 1)\n s_setvskip 0, 0\n" + store) ==
          std::pair(std::string("none"), 1u));
    CHECK(run("s_setvskip 4, 2\n s_nop 0\n s_getreg_b32 s8, hwreg(HW_REG_MODE, 28, 1)\n s_setvskip 0, 0\n" + store)
              .first == "hazard");
    const std::string set = "s_mov_b32 s8, 6\n s_mov_b32 s9, 1\n s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s9\n",
                      clear = "s_mov_b32 s9, 0\n s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s9\n s_nop 1\n";
    CHECK(run(set + "s_nop 1\n v_readfirstlane_b32 s8, v0\n" + clear + store) == std::pair(std::string("none"), 6u));
    CHECK(run("s_mov_b32 s8, 6\n s_mov_b32 s9, 0\n s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s9\n s_nop 0\n v_mov_b32 "
              "v2, v0\n" +
              store)
              .first == "hazard");
    CHECK(run("s_mov_b32 s8, 6\n s_mov_b32 s9, 0\n s_setreg_b32 hwreg(HW_REG_MODE, 23, 1), s9\n v_mov_b32 v2, v0\n" +
              store)
              .first == "none");  // another field
  }
}

TEST_CASE("the checker follows both ways through what a value decides to skip", "[check][vskip]") {
  using Found = std::vector<std::string>;
  const auto body = [](const char* skip, const char* back = "s_setvskip 0, 0\n") {
    return std::string(skip) + "v_mov_b32 v2, 0\n" + back + "v_add_u32 v3, v2, v2\n s_endpgm\n";
  };
  CHECK(checked(body("s_setvskip 0, 0\n")) == Found{});
  CHECK(checked(body("s_setvskip s2, 0\n")) == Found{});  // some path writes it
  CHECK(checked(body("s_setvskip 1, 0\n")) == Found{"v_add_u32 v3, v2, v2: register never written"});
  CHECK(checked(body("s_setvskip 1, 0\n", "s_nop 0\n")) == Found{});  // nor is the reader executed
  const auto waits = [](const char* skip, const char* wait) {
    return checked(std::string("v_mov_b32 v1, 0\n global_load_dword v2, v1, s[0:1]\n") + skip +
                   "global_load_dword v3, v1, s[0:1]\n s_setvskip 0, 0\n s_waitcnt " + wait +
                   "\n v_mov_b32 v4, v2\n s_endpgm\n");
  };
  CHECK(waits("s_setvskip 0, 0\n", "vmcnt(1)") == Found{});
  CHECK(waits("s_setvskip s2, 3\n", "vmcnt(1)") == Found{"v_mov_b32 v4, v2: register in flight"});
  CHECK(waits("s_setvskip s2, 3\n", "vmcnt(0)") == Found{});
  CHECK(checked("s_setvskip s2, 0\n s_nop 0\n s_getreg_b32 s8, hwreg(HW_REG_MODE)\n s_setvskip 0, 0\n s_endpgm\n") ==
        Found{"s_getreg_b32 s8, hwreg(HW_REG_MODE): s_setvskip before s_getreg of MODE"});
}

TEST_CASE("skipped vector instructions take no time", "[time][vskip]") {
  const auto clocks = [](const char* skip) {
    std::string body = pointers + "v_mov_b32 v2, 1\n" + skip;
    for (int i = 0; i < 64; ++i) body += "v_mul_lo_u32 v2, v2, v0\n global_store_dword v1, v2, s[6:7]\n";
    const auto co = sim::CodeObject::load(vskip_assembly("gfx942", body + "s_setvskip 0, 0\n s_endpgm\n").build());
    Bench b;
    const auto r = timing::time(co, co.kernel("k"), b.memory, b.launch, {});
    REQUIRE_FALSE(r.fault);
    return r.cycles;
  };
  CHECK(clocks("s_setvskip 1, 0\n") + 64 < clocks("s_setvskip 0, 0\n"));
}
