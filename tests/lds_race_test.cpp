// Atomic operations of one wave against plain reads of another.
#include "tests/simulator_kernel.h"

using namespace simtest;

namespace {

// Two waves: the second adds to a word of LDS that the first one reads, with `behind` after the read.
std::string reads_and(const std::string& behind) {
  Bench b;
  b.launch.block = {128, 1, 1};
  const auto r = b.run("v_mov_b32 v3, 0\nv_mov_b32 v4, 1\nv_readfirstlane_b32 s8, v0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lfirst\n"
                       "ds_add_u32 v3, v4\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_endpgm\n"
                       ".Lfirst: ds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\n" + behind + "s_barrier\ns_endpgm\n", 64);
  return r.fault ? fmt::format("{} {}", name(r.fault->kind), r.fault->text) : "none";
}

}  // namespace

TEST_CASE("a plain read of what another wave changes atomically is a race unless its wave follows it with an atomic operation", "[sim][race]") {
  CHECK(reads_and("").starts_with("LDS race"));
  CHECK(reads_and("ds_cmpst_rtn_b32 v6, v3, v5, v4\ns_waitcnt lgkmcnt(0)\n") == "none");             // a compare-and-swap loop's one turn
  CHECK(reads_and("ds_add_u32 v3, v4 offset:4\ns_waitcnt lgkmcnt(0)\n").starts_with("LDS race"));    // another place
}
