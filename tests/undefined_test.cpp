// Registers that were never written: a fault where the value matters, and none where compiled code only moves it about.
#include "tests/simulator_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

std::string outcome(const std::string& body, const char* target = "gfx942", int scratch = 0) {
  Bench b;
  Assembly a{body + "\ns_endpgm\n"};
  a.target = target, a.scratch = scratch;
  const auto r = b.run(a.build());
  return r.fault ? fmt::format("{} {}", name(r.fault->kind), r.fault->text.substr(0, r.fault->text.find(' '))) : "none";
}

}  // namespace

TEST_CASE("a value that was never written is a fault in arithmetic of lanes, in addresses, conditions and EXEC", "[sim][fault][undefined]") {
  CHECK(outcome("v_add_u32 v1, v9, v0") == "undefined read v_add_u32_e32");
  CHECK(outcome("v_add_u32 v1, s40, v0") == "undefined read v_add_u32_e32");
  CHECK(outcome("s_cbranch_scc0 .Lx\n.Lx:") == "undefined read s_cbranch_scc0");
  CHECK(outcome("s_load_dword s4, s[40:41], 0") == "undefined read s_load_dword");
  CHECK(outcome("s_mov_b64 exec, s[40:41]") == "undefined read s_mov_b64");
  CHECK(outcome("s_or_saveexec_b64 s[4:5], s[40:41]\ns_and_saveexec_b64 s[4:5], s[40:41]") == "undefined read s_and_saveexec_b64");
  CHECK(outcome("v_readlane_b32 s4, v9, s40") == "undefined read v_readlane_b32");
}

TEST_CASE("moves and scalar arithmetic pass on that there is no value, to the instruction that needs one", "[sim][fault][undefined]") {
  CHECK(outcome("s_mov_b32 s4, s40\ns_add_u32 s5, s4, 1\nv_mov_b32 v1, s5\nv_mov_b32 v2, v9") == "none");
  CHECK(outcome("s_mov_b32 s4, s40\ns_add_u32 s5, s4, 1\nv_mov_b32 v1, s5\nv_add_u32 v2, v1, v1") == "undefined read v_add_u32_e32");
  CHECK(outcome("s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 .Lx\n.Lx:") == "undefined read s_cbranch_scc1");
  CHECK(outcome("v_readlane_b32 s4, v9, 3\ns_mov_b32 s5, s4") == "none");
  CHECK(outcome("v_readlane_b32 s4, v9, 3\nv_add_u32 v1, s4, v0") == "undefined read v_add_u32_e32");
  CHECK(outcome("v_mov_b32 v1, 1\nv_mov_b32 v1, v9\nv_add_u32 v2, v1, v1") == "undefined read v_add_u32_e32");   // overwritten
  CHECK(outcome("v_mov_b32 v9, 1\ns_nop 1\nv_writelane_b32 v9, s40, 5\nv_mov_b32 v1, v9\nv_add_u32 v2, v1, v1") == "undefined read v_add_u32_e32");
  CHECK(outcome("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, 0\nv_add_nc_u32 v3, v2, v2", "gfx1100") == "none");
  CHECK(outcome("v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v2, 0\nv_add_nc_u32 v3, v1, v1", "gfx1100") == "undefined read v_add_nc_u32_e32");
}

TEST_CASE("a fault for a lane that was never written names the lane", "[sim][fault][undefined]") {
  Bench b;
  const auto r = b.run("s_mov_b64 exec, 0xff\n v_mov_b32 v1, 0\n s_mov_b64 exec, -1\n v_add_u32 v2, v1, v0\n s_endpgm\n");
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::undefined_read);
  CHECK(r.fault->lane == 8);
}

TEST_CASE("scalar logic knows the bits that do not depend on the missing ones", "[sim][undefined]") {
  CHECK(outcome("s_or_b64 s[4:5], s[40:41], -1\ns_mov_b64 exec, s[4:5]") == "none");
  CHECK(outcome("s_and_b64 s[4:5], s[40:41], 0\ns_cbranch_scc1 .Lx\n.Lx: v_add_u32 v1, s4, v0") == "none");
  CHECK(outcome("s_or_b32 s4, s40, 1\ns_cbranch_scc1 .Lx\n.Lx:") == "none");                       // not zero, whatever the rest
  CHECK(outcome("s_and_b32 s4, s40, 1\ns_cbranch_scc1 .Lx\n.Lx:") == "undefined read s_cbranch_scc1");
  CHECK(outcome("s_mov_b64 exec, 0xff\ns_or_b64 s[4:5], s[40:41], exec\ns_nop 4\nv_cndmask_b32 v1, 0, 1, s[4:5]") == "none");   // a mask of the active lanes
  CHECK(outcome("s_mov_b64 exec, 0xff\ns_or_b64 s[4:5], s[40:41], exec\ns_mov_b64 exec, -1\ns_nop 4\nv_cndmask_b32 v1, 0, 1, s[4:5]") == "undefined read v_cndmask_b32_e64");
}

TEST_CASE("the upper half of a multiply-add's addend only reaches the upper half of the sum", "[sim][undefined]") {
  CHECK(outcome("v_mov_b32 v2, 5\nv_mad_u64_u32 v[4:5], s[8:9], v0, v0, v[2:3]\nv_add_u32 v6, v4, v4") == "none");
  CHECK(outcome("v_mov_b32 v2, 5\nv_mad_u64_u32 v[4:5], s[8:9], v0, v0, v[2:3]\nv_add_u32 v6, v5, v5") == "undefined read v_add_u32_e32");
  CHECK(outcome("v_mov_b32 v2, 5\nv_mad_u64_u32 v[4:5], s[8:9], v0, v0, v[2:3]\ns_nop 4\nv_cndmask_b32 v6, 0, 1, s[8:9]") == "undefined read v_cndmask_b32_e64");
}

TEST_CASE("lanes without a value may be saved to private memory", "[sim][undefined]") {
  CHECK(outcome("scratch_store_dword off, v9, off", "gfx942", 16) == "none");
  CHECK(outcome("v_mov_b32 v1, 0\nscratch_store_dword v9, v1, off", "gfx942", 16) == "undefined read scratch_store_dword");      // as an address
}

TEST_CASE("private memory that its lane has not written brings registers without a value", "[sim][undefined]") {
  const std::string load = "scratch_load_dword v4, off, off offset:8\ns_waitcnt vmcnt(0)\n", use = "v_add_u32 v5, v4, v4\n", store = "v_mov_b32 v6, 1\nscratch_store_dword off, v6, off offset:8\n";
  const auto after = [](const std::string& body) { return outcome(body, "gfx942", 32); };
  CHECK(after(load) == "none");
  CHECK(after(load + "v_mov_b32 v5, v4\nscratch_store_dword off, v5, off offset:8\n" + load) == "none");
  CHECK(after(load + use) == "undefined read v_add_u32_e32");
  CHECK(after("v_mov_b32 v4, 0\n" + load + use) == "undefined read v_add_u32_e32");            // what the register held is gone
  CHECK(after(store + load + use) == "none");
  CHECK(after("s_mov_b64 exec, 0xff\n" + store + "s_mov_b64 exec, -1\n" + load + use) == "undefined read v_add_u32_e32");
  CHECK(after("s_mov_b64 exec, 0xff\n" + store + "s_mov_b64 exec, -1\n" + load + "s_mov_b64 exec, 0xf0\n" + use) == "none");
  CHECK(after(store + "scratch_store_dword off, v9, off offset:8\n" + load + use) == "undefined read v_add_u32_e32");        // v9 has none to store
  // dword by dword
  const std::string two = store + "scratch_load_dwordx2 v[4:5], off, off offset:8\ns_waitcnt vmcnt(0)\n";
  CHECK(after(two + "v_add_u32 v7, v4, v4") == "none");
  CHECK(after(two + "v_add_u32 v7, v5, v5") == "undefined read v_add_u32_e32");
}

TEST_CASE("private memory is each work-group's own: what the one before has written has no value", "[sim][undefined]") {
  Bench b;
  b.launch.grid = {3, 1, 1}, b.options.jobs = 1;           // in the same memory, one after the other
  Assembly a{"v_mov_b32 v6, 1\ns_cmp_eq_u32 s2, 0\ns_cbranch_scc0 .Lload\nscratch_store_dword off, v6, off\n.Lload:\nscratch_load_dword v4, off, off\ns_waitcnt vmcnt(0)\nv_add_u32 v5, v4, v4\ns_endpgm\n"};
  a.scratch = 32;
  const auto r = b.run(a.build());
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::undefined_read);
  CHECK(r.fault->workgroup == std::array<uint32_t, 3>{1, 0, 0});
}

TEST_CASE("from gfx11 on FLAT loads are waited for one by one, on both counters", "[sim][undefined][waits]") {
  const std::string loads = "s_load_b64 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s4\nv_mov_b32 v3, s5\nflat_load_b32 v4, v[2:3]\nflat_load_b32 v5, v[2:3]\n";
  CHECK(outcome(loads + "s_waitcnt vmcnt(1) lgkmcnt(1)\nv_add_nc_u32 v6, v4, v4", "gfx1100") == "none");
  CHECK(outcome(loads + "s_waitcnt vmcnt(1)\nv_add_nc_u32 v6, v4, v4", "gfx1100") == "register in flight v_add_nc_u32_e32");
  CHECK(outcome(loads + "s_waitcnt vmcnt(1) lgkmcnt(1)\nv_add_nc_u32 v6, v5, v5", "gfx1100") == "register in flight v_add_nc_u32_e32");
  CHECK(outcome(loads + "flat_load_b32 v5, v[2:3]", "gfx1100") == "register in flight flat_load_b32");      // either may land last
}
