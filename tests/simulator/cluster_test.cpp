// Clusters of gfx1250: where a wave is, barriers of the whole cluster, multicast loads, and workgroups that run at the
// same time.
#include "simulator/observer.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

Launched run_cluster(const std::string& body, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> cluster,
                     int items = 32, uint64_t seed = 0, sim::Observers* observers = nullptr) {
  Bench b;
  Assembly a{body};
  a.target = "gfx1250", a.lds = 256;
  b.fill(std::vector<uint32_t>(1024, 0));
  b.launch.grid = grid, b.launch.cluster = cluster, b.launch.block = {static_cast<uint32_t>(items), 1, 1};
  b.options.observers = observers;
  b.options.seed = seed, b.options.max_instructions = 20'000;
  Launched r{b.run(a.build()), {}};
  r.out = b.result<uint32_t>(1024);
  return r;
}

const std::string place_in_cluster =
    "s_load_b128 s[4:7], s[0:1], 0x0\n v_and_b32 v0, 0x3ff, v0\n s_and_b32 s8, ttmp6, 15\n s_bfe_u32 s9, ttmp6, "
    "0x40018\n s_add_co_i32 s9, s9, 1\n s_wait_kmcnt 0x0\n";  // s8: number in the cluster, s9: how many
// Thread 0 of each workgroup stores its number plus 1 at in[number]; after the cluster's barrier it reads its
// neighbour's.
std::string neighbours(const std::string& signal) {
  return place_in_cluster +
         "v_mov_b32 v1, 0\n s_lshl_b32 s10, s8, 2\n v_mov_b32 v2, s10\n s_add_co_i32 s11, s8, 1\n v_mov_b32 v3, s11\n "
         "global_store_b32 v2, v3, s[4:5]\n s_wait_storecnt 0x0\n" +
         signal +
         "s_barrier_wait -3\n s_cmp_eq_u32 s11, s9\n s_cselect_b32 s12, 0, s11\n s_lshl_b32 s12, s12, 2\n v_mov_b32 "
         "v4, s12\n global_load_b32 v5, v4, s[4:5]\n s_wait_loadcnt 0x0\n global_store_b32 v2, v5, s[6:7]\n s_endpgm\n";
}

}  // namespace

TEST_CASE("compiled kernels find their place in the grid and in the cluster", "[sim][cluster][foreign]") {
  const std::string ir = R"(
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.cluster.id.x()
declare i32 @llvm.amdgcn.cluster.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.id.y()
declare i32 @llvm.amdgcn.cluster.workgroup.max.id.x()
declare i32 @llvm.amdgcn.cluster.workgroup.flat.id()
declare i32 @llvm.amdgcn.cluster.workgroup.max.flat.id()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %o) #0 {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %row = mul i32 %y, 6
  %n = add i32 %row, %x
  %p = getelementptr [8 x i32], ptr addrspace(1) %o, i32 %n
  store i32 %x, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i32 1
  store i32 %y, ptr addrspace(1) %p1
  %a = call i32 @llvm.amdgcn.cluster.id.x()
  %p2 = getelementptr i32, ptr addrspace(1) %p, i32 2
  store i32 %a, ptr addrspace(1) %p2
  %b = call i32 @llvm.amdgcn.cluster.id.y()
  %p3 = getelementptr i32, ptr addrspace(1) %p, i32 3
  store i32 %b, ptr addrspace(1) %p3
  %c = call i32 @llvm.amdgcn.cluster.workgroup.id.x()
  %p4 = getelementptr i32, ptr addrspace(1) %p, i32 4
  store i32 %c, ptr addrspace(1) %p4
  %d = call i32 @llvm.amdgcn.cluster.workgroup.id.y()
  %p5 = getelementptr i32, ptr addrspace(1) %p, i32 5
  store i32 %d, ptr addrspace(1) %p5
  %e = call i32 @llvm.amdgcn.cluster.workgroup.flat.id()
  %p6 = getelementptr i32, ptr addrspace(1) %p, i32 6
  store i32 %e, ptr addrspace(1) %p6
  %f = call i32 @llvm.amdgcn.cluster.workgroup.max.flat.id()
  %p7 = getelementptr i32, ptr addrspace(1) %p, i32 7
  store i32 %f, ptr addrspace(1) %p7
  ret void
}
attributes #0 = { )";
  for (const bool fixed : {true, false}) {  // the shape in the kernel's metadata, or of the launch
    Bench b(64, 6 * 4 * 32);
    b.launch.grid = {6, 4, 1}, b.launch.block = {1, 1, 1};
    if (!fixed) b.launch.cluster = {3, 2, 1};
    const auto r = b.run(compile(ir + (fixed ? "\"amdgpu-cluster-dims\"=\"3,2,1\" }\n" : "nounwind }\n"), "-x ir -O1",
                                 ".ll", "gfx1250"));
    REQUIRE(fault_of(r) == "none");
    const auto out = b.result<std::array<uint32_t, 8>>(24);
    for (uint32_t y = 0; y < 4; ++y)
      for (uint32_t x = 0; x < 6; ++x)
        CHECK(out[y * 6 + x] == std::array<uint32_t, 8>{x, y, x / 3, y / 2, x % 3, y % 2, x % 3 + 3 * (y % 2), 5});
  }
}

TEST_CASE("after the cluster's barrier every workgroup sees what the others wrote before it",
          "[sim][cluster][barrier]") {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Launched r = run_cluster(neighbours("s_barrier_signal -3\n"), {4, 1, 1}, {4, 1, 1}, 32, seed);
    REQUIRE(fault_of(r.result) == "none");
    for (uint32_t i = 0; i < 4; ++i) CHECK(r.out[i] == (i + 1) % 4 + 1);
  }
}

TEST_CASE("workgroups of a cluster run at the same time", "[sim][cluster]") {
  // Workgroup 0 waits for what the last one writes, without any barrier.
  const std::string spin =
      place_in_cluster +
      "v_mov_b32 v1, 0\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lwait\n v_mov_b32 v2, s8\n global_store_b32 v1, v2, "
      "s[4:5]\n s_endpgm\n"
      ".Lwait: global_load_b32 v3, v1, s[4:5]\n s_wait_loadcnt 0x0\n v_readfirstlane_b32 s10, v3\n s_cmp_eq_u32 s10, "
      "0\n s_cbranch_scc1 .Lwait\n global_store_b32 v1, v3, s[6:7]\n s_endpgm\n";
  CHECK(fault_of(run_cluster(spin, {2, 1, 1}, {2, 1, 1}).result) == "none");
  CHECK(run_cluster(spin, {1, 1, 1}, {1, 1, 1}).result.fault->kind == sim::Fault::Kind::budget);
}

TEST_CASE("the cluster's barrier counts workgroups, those that ended as arrived, and is nothing outside of clusters",
          "[sim][cluster][barrier]") {
  const std::string quits =
      place_in_cluster +
      "s_cmp_eq_u32 s8, 1\n s_cbranch_scc1 .Lquit\n s_barrier_signal -3\n s_barrier_wait -3\n.Lquit: s_endpgm\n";
  CHECK(fault_of(run_cluster(quits, {2, 1, 1}, {2, 1, 1}, 32).result) == "none");
  const std::string silent =
      place_in_cluster +
      "s_cmp_eq_u32 s8, 1\n s_cbranch_scc1 .Lskip\n s_barrier_signal -3\n.Lskip: s_barrier_wait -3\n s_endpgm\n";
  const auto r = run_cluster(silent, {2, 1, 1}, {2, 1, 1});
  REQUIRE(r.result.fault);
  CHECK(r.result.fault->why.find("the cluster's barrier, where 1 of 2 workgroups") != std::string::npos);
  CHECK(fault_of(run_cluster(silent, {2, 1, 1}, {1, 1, 1}).result) == "none");
  CHECK(run_cluster("s_barrier_signal_isfirst -3\n s_endpgm\n", {2, 1, 1}, {2, 1, 1}).result.fault->kind ==
        sim::Fault::Kind::illegal);
}

TEST_CASE("the cluster's barrier orders the LDS accesses of the wave that signals it before those after the waits",
          "[sim][cluster][barrier][races]") {
  const auto body = [](const std::string& before_wait, const std::string& after_wait) {
    return place_in_cluster +
           "v_mov_b32 v6, 0\n v_readfirstlane_b32 s13, v0\n s_cmp_eq_u32 s13, 0\n s_cbranch_scc0 .Lwrites\n "
           "ds_store_b32 v6, v0\n ds_load_b32 v5, v6\n s_wait_dscnt 0x0\n s_barrier_signal -3\n s_barrier_wait -3\n "
           "s_endpgm\n"
           ".Lwrites: " +
           before_wait + "s_barrier_wait -3\n" + after_wait + "s_endpgm\n";
  };
  const std::string write = "v_mov_b32 v7, 77\n ds_store_b32 v6, v7\n s_wait_dscnt 0x0\n";
  for (uint64_t seed = 0; seed < 5; ++seed) {
    CHECK(fault_of(run_cluster(body("", write), {2, 1, 1}, {2, 1, 1}, 64, seed).result) == "none");
    const auto r = run_cluster(body(write, ""), {2, 1, 1}, {2, 1, 1}, 64, seed);
    REQUIRE(r.result.fault);
    CHECK(r.result.fault->kind == sim::Fault::Kind::race);
  }
}

TEST_CASE("multicast loads give each workgroup of the mask its copy, and name none that the cluster does not have",
          "[sim][cluster]") {
  const auto body = [](const char* mask, const std::string& load) {
    return place_in_cluster + "v_lshlrev_b32 v1, 2, v0\n s_mov_b32 m0, " + mask + "\n" + load +
           " global_store_b32 v1, v2, s[6:7]\n s_endpgm\n";
  };
  const std::string load = "cluster_load_b32 v2, v1, s[4:5]\n s_wait_loadcnt 0x0\n",
                    into_lds =
                        "cluster_load_async_to_lds_b32 v1, v1, s[4:5]\n s_wait_asynccnt 0x0\n ds_load_b32 v2, v1\n "
                        "s_wait_dscnt 0x0\n";
  for (const auto& l : {load, into_lds}) {
    CHECK(fault_of(run_cluster(body("3", l), {2, 1, 1}, {2, 1, 1}).result) == "none");
    CHECK(fault_of(run_cluster(body("0", l), {2, 1, 1}, {2, 1, 1}).result) == "none");
    CHECK(fault_of(run_cluster(body("0xff", l), {2, 1, 1}, {1, 1, 1}).result) ==
          "none");  // no cluster: an ordinary load
    CHECK(fault_of(run_cluster(body("4", l), {2, 1, 1}, {2, 1, 1}).result).find("workgroups 2 and up") !=
          std::string::npos);
  }
}

TEST_CASE("observers hear of a multicast in a cluster, and of none without one", "[sim][cluster]") {
  struct Told : sim::Observer {
    void executed(const sim::Wave&, const sim::Step&) override {}
    void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
    void memory(const sim::Wave&, const sim::Step&, std::span<const uint64_t>, uint64_t, int) override {}
    void multicast(int workgroups) override { heard.push_back(workgroups); }
    std::vector<int> heard;
  };
  struct OfFirst : sim::Observers {
    sim::Observer* workgroup(const std::array<uint32_t, 3>& id) override { return id[0] ? nullptr : &told; }
    Told told;
  };
  const std::string body = place_in_cluster +
                           "v_lshlrev_b32 v1, 2, v0\n s_mov_b32 m0, 3\n cluster_load_b32 v2, v1, s[4:5]\n "
                           "s_wait_loadcnt 0x0\n s_endpgm\n";
  for (const uint32_t groups : {2u, 1u}) {
    OfFirst observers;
    CHECK(fault_of(run_cluster(body, {2, 1, 1}, {groups, 1, 1}, 32, 0, &observers).result) == "none");
    CHECK(observers.told.heard == (groups > 1 ? std::vector{2} : std::vector<int>{}));
  }
}

TEST_CASE("a grid that is not made of clusters, and clusters that cannot be, are refused", "[sim][cluster][load]") {
  CHECK_THROWS_WITH(run_cluster("s_endpgm\n", {3, 1, 1}, {2, 1, 1}),
                    Catch::Contains("3x1x1") && Catch::Contains("clusters of 2x1x1"));
  CHECK_THROWS_WITH(run_cluster("s_endpgm\n", {32, 1, 1}, {32, 1, 1}), Catch::Contains("1 to 16"));
  Bench b;
  b.launch.cluster = {2, 1, 1}, b.launch.grid = {2, 1, 1};
  CHECK_THROWS_WITH(b.run("s_endpgm\n"), Catch::Contains("gfx942 has none"));
}
