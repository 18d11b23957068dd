// What a trace leaves uncomputed does not change it: the same instructions, addresses and conflicts as with everything
// computed.
#include <catch2/catch.hpp>

#include <cstring>

#include "kernels/attention/attention.h"
#include "kernels/gemm/gemm.h"
#include "simulator/timing/kinds.h"
#include "simulator/timing/trace.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;
using timing::Computed;

namespace {

struct Traceable {
  sim::CodeObject object;
  sim::Memory memory{};
  sim::Launch launch{};
  timing::Traced trace(Computed c) {
    return timing::trace(object, object.kernel(""), memory, launch, {{{0, 0, 0}, {1, 0, 0}}}, c);
  }
};

size_t matrix_steps_computed(const timing::Traced& t, const timing::Traced& all) {
  size_t n = 0;
  for (size_t i = 0; i < t.program->steps.size(); ++i) {
    const sim::Step& st = t.program->steps[i];
    n += st.row && st.row->is_matrix() && st.run == all.program->steps[i].run;
  }
  return n;
}

// Conflicts and sectors of its accesses but scalar ones: arguments are somewhere else each time.
std::vector<uint32_t> accesses(const timing::Traced& t, const timing::WaveTrace& w) {
  std::vector<uint32_t> out;
  size_t at = 0;
  for (const uint32_t step : w.steps) {
    if (!timing::has_data(t.program->steps[step])) continue;
    const size_t end = at + 1 + (w.data[at] >> 16);
    if (timing::memory_op_of(t.program->steps[step]) != timing::MemoryOp::scalar)
      out.insert(out.end(), w.data.begin() + static_cast<long>(at), w.data.begin() + static_cast<long>(end));
    at = end;
  }
  return out;
}

// Returns the number of matrix instructions of the program that are computed nevertheless.
template <class Make>
size_t same_trace(Make make) {
  const auto all = make().trace(Computed::all), sliced = make().trace(Computed::needed_but_products);
  REQUIRE(!all.fault);
  REQUIRE(!sliced.fault);
  REQUIRE(sliced.groups.size() == all.groups.size());
  for (size_t g = 0; g < all.groups.size(); ++g) {
    REQUIRE(sliced.groups[g].waves.size() == all.groups[g].waves.size());
    for (size_t w = 0; w < all.groups[g].waves.size(); ++w) {
      const timing::WaveTrace &a = all.groups[g].waves[w], &b = sliced.groups[g].waves[w];
      CAPTURE(g, w);
      CHECK(a.steps == b.steps);
      CHECK(accesses(all, a) == accesses(sliced, b));
      CHECK(a.covered == b.covered);
    }
  }
  CHECK(all.skipped == 0);
  return matrix_steps_computed(sliced, all);
}

// Two workgroups of one wave. s[4:5]: 8 KB whose first 64 dwords are 0, 4, 8, ...; s[6:7]: 8 KB of zeros. Each lane
// loads its offset from the first (v1), then a product is in v[8:11].
Traceable assembled(const std::string& rest) {
  Traceable k{sim::CodeObject::load(simtest::Assembly{.body = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v8, 1.0
  v_mov_b32 v9, 1.0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  v_mfma_f32_16x16x16_f16 v[8:11], v[8:9], v[8:9], 0
  s_nop 15
  s_waitcnt vmcnt(0)
)" + rest + "\n  s_endpgm\n",
                                                      .lds = 4096}
                                        .build())};
  std::vector<uint32_t> offsets(2048);
  for (size_t i = 0; i < 64; ++i) offsets[i] = static_cast<uint32_t>(4 * i);
  const uint64_t at[] = {k.memory.allocate(8192, "offsets"), k.memory.allocate(8192, "D")};
  k.memory.write(at[0], {reinterpret_cast<const uint8_t*>(offsets.data()), 8192});
  k.launch.grid = {2, 1, 1}, k.launch.block = {64, 1, 1}, k.launch.kernargs.resize(16);
  std::memcpy(k.launch.kernargs.data(), at, sizeof at);
  return k;
}

}  // namespace

TEST_CASE("a trace without unneeded values is the trace", "[time]") {
  SECTION("GEMM, an edge on each side") {
    const auto [arch, schedule, cluster] =
        GENERATE(table<Arch, GemmSchedule, int>({{Arch::gfx942, GemmSchedule::staged, 1},
                                                 {Arch::gfx1250, GemmSchedule::tensor, 1},
                                                 {Arch::gfx1250, GemmSchedule::tensor, 2}}));
    GemmConfig c{.trans_a = true, .block = {128, 128, 64}};
    c.schedule = schedule, c.cluster = {cluster, cluster};
    CHECK(same_trace([&, arch = arch] {
            Traceable k{sim::CodeObject::load(assemble(build_gemm(c, arch)).bytes)};
            const uint64_t a = k.memory.allocate(300 * 320 * 2, "A"), b = k.memory.allocate(200 * 320 * 2, "B"),
                           d = k.memory.allocate(300 * 200 * 2, "D");
            const KernelLaunch l = launch(
                c, arch, {.m = 300, .n = 200, .k = 320, .lda = 320, .ldb = 320, .ldc = 300, .ldd = 300}, {a, b, d, d});
            k.launch.grid = l.grid, k.launch.block = l.block, k.launch.kernargs = l.kernargs;
            return k;
          }) == 0);
  }
  SECTION("attention: the rescale slow path depends on products") {
    const AttentionConfig c{.head_dim = 64};
    CHECK(same_trace([&] {
            Traceable k{sim::CodeObject::load(assemble(build_attention(c, Arch::gfx942)).bytes)};
            const auto buffer = [&](const char* name) { return k.memory.allocate(4 * 512 * 128, name); };
            const AttentionPointers p{.o = buffer("O"), .q = buffer("Q"), .k = buffer("K"), .v = buffer("V")};
            const KernelLaunch l =
                launch(c, Arch::gfx942,
                       {.heads = 4, .kv_heads = 4, .queries = 512, .keys = 512, .mask = Mask::bottom_right}, p)[0];
            k.launch.grid = l.grid, k.launch.block = l.block, k.launch.kernargs = l.kernargs;
            return k;
          }) > 0);
  }
}

TEST_CASE("products that are only stored are not computed, though other values are loaded", "[time]") {
  SECTION("stored, and added by an atomic") {
    CHECK(same_trace([] {
            return assembled(R"(
  global_store_dwordx4 v1, v[8:11], s[6:7]
  global_atomic_pk_add_f16 v1, v8, s[6:7] offset:1024
  global_atomic_add_f32 v1, v9, s[6:7] offset:2048)");
          }) == 0);
  }
  SECTION("exchanged through LDS, which also holds offsets") {
    CHECK(same_trace([] {
            return assembled(R"(
  ds_write_b32 v0, v1
  ds_write_b128 v0, v[8:11] offset:1024
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v0
  ds_read_b32 v3, v0 offset:1024
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v3, s[6:7])");
          }) == 0);
  }
  SECTION("EXEC restored from a scalar that holds all ones") {
    CHECK(same_trace([] {
            return assembled(R"(
  s_mov_b32 s8, -1
  s_mov_b32 s9, s8
  s_mov_b64 exec, 0xff
  v_mov_b32 v1, v0
  s_mov_b64 exec, s[8:9]
  v_mov_b32 v12, v8
  global_store_dword v1, v12, s[6:7]
  v_mov_b32 v12, v0
  global_store_dword v12, v1, s[6:7])");
          }) == 0);
  }
}

TEST_CASE("the upper dword of an addend is not computed for the lower dword of a sum", "[time]") {
  CHECK(same_trace([] {
          return assembled(R"(
  v_mov_b32 v8, 0
  v_mad_u64_u32 v[12:13], s[8:9], v0, 1, v[8:9]
  global_store_dword v12, v1, s[6:7])");
        }) == 0);
  CHECK(same_trace([] {
          return assembled(R"(
  v_mov_b32 v8, 0
  v_mad_u64_u32 v[12:13], s[8:9], v0, 1, v[8:9]
  v_and_b32 v13, 0x40, v13
  global_store_dword v13, v1, s[6:7])");
        }) > 0);
}

TEST_CASE("what writes half a register leaves the other half needed", "[time]") {
  const std::string halves = GENERATE(R"(
  global_load_d16_b16 v1, v0, s[4:5]
  global_load_d16_hi_b16 v1, v0, s[6:7])",
                                      R"(
  ds_store_b32 v0, v0
  v_mov_b32 v1, 0
  s_waitcnt lgkmcnt(0)
  ds_load_u16_d16 v1, v0
  ds_load_u16_d16_hi v1, v0 offset:2)",
                                      R"(
  v_lshlrev_b32 v1, 16, v0
  v_add_nc_u16 v1, v0, v0
  v_lshrrev_b32 v1, 16, v1)");
  CAPTURE(halves);
  same_trace([&] {
    Traceable k{sim::CodeObject::load(simtest::Assembly{.body = R"(
  s_load_b128 s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0))" + halves + R"(
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_load_b32 v2, v1, s[6:7]
  s_endpgm
)",
                                                        .lds = 4096,
                                                        .target = "gfx1100"}
                                          .build())};
    const uint64_t at[] = {k.memory.allocate(8192, "offsets"), k.memory.allocate(8192, "D")};
    std::vector<uint32_t> offsets(2048);
    for (size_t i = 0; i < 64; ++i) offsets[i] = static_cast<uint32_t>(100 * i);
    k.memory.write(at[0], {reinterpret_cast<const uint8_t*>(offsets.data()), 8192});
    k.launch.grid = {2, 1, 1}, k.launch.block = {64, 1, 1}, k.launch.kernargs.resize(16);
    std::memcpy(k.launch.kernargs.data(), at, sizeof at);
    return k;
  });
}

TEST_CASE("products that are loaded as addresses are computed", "[time]") {
  constexpr const char* use = R"(
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_cvt_u32_f32 v2, v2
  v_lshlrev_b32 v2, 5, v2
  global_load_dword v3, v2, s[6:7]
  s_waitcnt vmcnt(0))";
  const std::string product = GENERATE("  v_mov_b32 v2, v8",
                                       R"(
  ds_write_b32 v0, v8
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v0)",
                                       R"(
  global_store_dword v1, v8, s[6:7] offset:1024
  s_waitcnt vmcnt(0)
  global_load_dword v2, v1, s[6:7] offset:1024)");
  CAPTURE(product);
  CHECK(same_trace([&] { return assembled(product + use); }) > 0);
}

TEST_CASE("sums of products that the last workgroup loads and stores are not computed", "[time]") {
  CHECK(same_trace([] {
          return assembled(R"(
  global_store_dword v1, v8, s[6:7] offset:1024
  v_mov_b32 v20, 1
  v_mov_b32 v21, 0
  s_mov_b64 exec, 1
  global_atomic_add v22, v21, v20, s[6:7] sc0
  s_waitcnt vmcnt(0)
  v_readfirstlane_b32 s8, v22
  s_mov_b64 exec, -1
  s_cmp_lg_u32 s8, 1
  s_cbranch_scc1 done
  v_mov_b32 v8, 0
  global_load_dword v9, v1, s[6:7] offset:1024
  s_waitcnt vmcnt(0)
  v_add_f32 v8, v8, v9
  global_store_dword v1, v8, s[6:7] offset:2048
done:)");
        }) == 0);
}

TEST_CASE("lanes that are out of a buffer's range access nothing", "[time]") {
  Traceable k = assembled(R"(
  s_mov_b32 s5, 0
  s_mov_b32 s4, s6
  s_and_b32 s5, s7, 0xffff
  s_mov_b32 s6, 128
  s_mov_b32 s7, 0x20000
  buffer_load_dword v2, v0, s[4:7], 0 offen
  buffer_store_dword v8, v0, s[4:7], 0 offen)");
  const auto t = k.trace(Computed::needed_but_products);
  std::vector<uint32_t> sectors;  // of each instruction with data
  const timing::WaveTrace& w = t.groups[0].waves[0];
  for (size_t i = 0; i < w.data.size(); i += 1 + (w.data[i] >> 16)) sectors.push_back(w.data[i] >> 16);
  REQUIRE(sectors.size() == 4);
  CHECK(sectors[1] == 4);  // 64 lanes
  CHECK(sectors[2] == 2);  // 32 of them
  CHECK(sectors[3] == 2);
}

TEST_CASE("instructions that VSKIP passes over are not counted", "[time][vskip]") {
  Traceable k = assembled(R"(
  s_mov_b32 s8, 3
loop:
  s_setvskip s8, 0
  v_add_u32 v4, v4, v4
  v_add_u32 v5, v5, v5
  s_setvskip 0, 0
  v_add_u32 v6, v6, v6
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 loop)");
  const auto t = k.trace(Computed::needed_but_products);
  const auto kinds = timing::find_kinds(k.object, k.object.kernel(""), sim::decode(k.object, k.object.kernel("")),
                                        k.memory, k.launch, t, Computed::needed, 1, 1);
  REQUIRE(kinds);
  CHECK(kinds->kinds[0].instructions == t.groups[0].instructions());
}

// Where the branches depend on what an atomic of the LDS returns, they cannot be followed alone: addresses are
// computed.
TEST_CASE("workgroups whose branches cannot be followed alone are counted all the same", "[time]") {
  Traceable k = assembled(R"(
  s_mul_i32 s8, s2, 5
  v_mov_b32 v2, 0
  v_mov_b32 v3, s8
  s_mov_b64 exec, 1
  ds_write_b32 v2, v3
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v3, 1
  ds_add_rtn_u32 v4, v2, v3
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s9, v4
loop:
  v_add_u32 v6, v6, v6
  s_sub_u32 s9, s9, 1
  s_cmp_gt_i32 s9, 0
  s_cbranch_scc1 loop)");
  const auto t = k.trace(Computed::needed_but_products);
  const auto kinds = timing::find_kinds(k.object, k.object.kernel(""), sim::decode(k.object, k.object.kernel("")),
                                        k.memory, k.launch, t, Computed::needed_but_products, 1, 1);
  REQUIRE(kinds);
  REQUIRE(kinds->kinds.size() == 2);
  for (size_t i = 0; i < 2; ++i) CHECK(kinds->kinds[i].instructions == t.groups[i].instructions());
}
