// What writes cost: the L2 keeps them until it writes their sectors back, whole or not, and takes requests at a rate of
// its own. Bytes against what the kernels move; rates against what others measured (tests/facts).
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

#include "isa_tables/timing/timing.h"
#include "simulator/observer.h"
#include "simulator/timing/stream.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;

namespace {

constexpr uint64_t mebibyte = uint64_t{1} << 20;

struct MovingKernel {
  sim::CodeObject object;
  // The kernel has s[4:5] = in, s[6:7] = out, v1 = 16 times the number of the work-item.
  explicit MovingKernel(const std::string& body, const char* target = "gfx942")
      : object(sim::CodeObject::load(
            simtest::Assembly{.body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_lshl_b32 s8, s2, 12\n"
                                      " v_lshl_add_u32 v1, v0, 4, s8\n s_waitcnt lgkmcnt(0)\n" +
                                      body + " s_endpgm\n",
                              .target = target}
                .build())) {}
  timing::Result time(const char* gpu, uint64_t bytes, bool in_place, bool warm = true,
                      timing::Clock clock = {}) const {
    return time(bytes, in_place, bytes / 4096, {.gpu = isa::find_gpu(gpu), .clock = clock, .warm = warm});
  }
  timing::Result time(uint64_t bytes, bool in_place, uint64_t workgroups, const timing::Options& o) const {
    sim::Memory memory;
    sim::Launch l;
    const uint64_t in = memory.allocate(bytes, "in"), out = in_place ? in : memory.allocate(bytes, "out");
    l.grid = {static_cast<uint32_t>(workgroups), 1, 1}, l.block = {256, 1, 1}, l.kernargs.resize(16);
    std::memcpy(l.kernargs.data(), &in, 8), std::memcpy(l.kernargs.data() + 8, &out, 8);
    const auto r = timing::time(object, object.kernel("k"), memory, l, o);
    REQUIRE(!r.fault);
    return r;
  }
};
double outside(const timing::Result& r) { return r.memory_bytes + r.mall_bytes; }

const char* copy =
    " global_load_dwordx4 v[4:7], v1, s[4:5]\n s_waitcnt vmcnt(0)\n global_store_dwordx4 v1, v[4:7], s[6:7]\n";
const char* read_only = " global_load_dwordx4 v[4:7], v1, s[4:5]\n s_waitcnt vmcnt(0)\n";
const char* write_only = " global_store_dwordx4 v1, v[4:7], s[6:7]\n";

}  // namespace

TEST_CASE("what is written leaves the L2 once; one of several L2s first takes ownership of the lines it has read",
          "[time]") {
  const double bytes = 64 * mebibyte;
  for (const char* gpu : {"MI300X", "MI300A"}) {
    CHECK(outside(MovingKernel(read_only).time(gpu, 64 * mebibyte, true)) == Approx(bytes).epsilon(0.01));
    CHECK(outside(MovingKernel(write_only).time(gpu, 64 * mebibyte, true)) == Approx(bytes).epsilon(0.01));
    const auto elsewhere = MovingKernel(copy).time(gpu, 64 * mebibyte, false),
               in_place = MovingKernel(copy).time(gpu, 64 * mebibyte, true);
    CHECK(outside(elsewhere) == Approx(2 * bytes).epsilon(0.01));
    CHECK(outside(in_place) == Approx(3 * bytes).epsilon(0.01));
    for (const auto* r : {&elsewhere, &in_place}) CHECK(r->written_bytes == Approx(bytes).epsilon(0.01));
    CHECK(in_place.mall_bytes - elsewhere.mall_bytes == Approx(bytes).epsilon(0.01));  // memory sees none of it
    CHECK(in_place.cycles > 1.3 * elsewhere.cycles);  // all of it is in the memory-side cache
  }
  const MovingKernel one(copy, "gfx90a");
  CHECK(outside(one.time("MI210", 64 * mebibyte, true)) == Approx(2 * bytes).epsilon(0.01));
}

TEST_CASE("a sector that is written in two halves leaves the L2 once, also after the neighbours' traces end",
          "[time]") {
  const char* halves =
      " s_movk_i32 s9, 0x400\nwait:\n s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 wait\n"
      " v_and_b32 v2, 3, v0\n v_cmp_gt_u32 vcc, 2, v2\n s_mov_b64 s[10:11], exec\n s_and_b64 exec, exec, vcc\n"
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n s_xor_b64 exec, exec, s[10:11]\n"
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  constexpr uint64_t bytes = 16 * mebibyte;
  for (const uint64_t beside : {uint64_t{1}, uint64_t{8'000'000}}) {
    const auto r =
        MovingKernel(halves).time(bytes, true, bytes / 4096, {.gpu = isa::find_gpu("MI300X"), .beside = beside});
    CAPTURE(beside);
    CHECK(r.written_bytes == Approx(bytes).epsilon(0.01));
  }
}

// Two workgroups read each 4 KB, half a launch apart.
TEST_CASE("what a launch fetches again comes from the memory-side cache behind one L2, in whole lines", "[time]") {
  const MovingKernel twice(
      " s_and_b32 s8, s2, 0x3fff\n s_lshl_b32 s8, s8, 12\n v_lshl_add_u32 v1, v0, 4, s8\n"
      " global_load_dwordx4 v[4:7], v1, s[4:5]\n s_waitcnt vmcnt(0)\n",
      "gfx1151");
  constexpr uint64_t bytes = 64 * mebibyte;
  const auto r = twice.time(bytes, true, 2 * bytes / 4096, {.gpu = isa::find_gpu("Radeon 8060S"), .warm = false});
  CHECK(outside(r) == Approx(2.0 * bytes).epsilon(0.02));
  CHECK(r.mall_bytes == Approx(bytes).epsilon(0.02));
}

TEST_CASE("a line whose sectors are written one after the other is owned once, one written before it is read never",
          "[time]") {
  const char* halves =
      " global_load_dwordx4 v[4:7], v1, s[4:5]\n v_and_b32 v2, 7, v0\n v_cmp_gt_u32 vcc, 4, v2\n s_waitcnt vmcnt(0)\n"
      " s_mov_b64 s[10:11], exec\n s_and_b64 exec, exec, vcc\n global_store_dwordx4 v1, v[4:7], s[6:7]\n"
      " s_xor_b64 exec, exec, s[10:11]\n global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  const char* written_first =
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n s_waitcnt vmcnt(0)\n global_load_dwordx4 v[4:7], v1, s[6:7]\n"
      " s_waitcnt vmcnt(0)\n global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  const double bytes = 64 * mebibyte;
  CHECK(outside(MovingKernel(halves).time("MI300X", 64 * mebibyte, true)) == Approx(3 * bytes).epsilon(0.01));
  CHECK(outside(MovingKernel(written_first).time("MI300X", 64 * mebibyte, true)) == Approx(bytes).epsilon(0.01));
}

// At a clock at which nothing but memory limits; timing.def has the sources of the three limits.
TEST_CASE("memory has a limit for reads, one for writes, and a lower one where both alternate", "[time]") {
  const isa::Timing& t = isa::timing(isa::Arch::gfx942);
  const isa::Gpu& gpu = *isa::find_gpu("MI300X");
  constexpr uint64_t bytes = 512 * mebibyte;
  const auto of_peak = [&](const char* body, double moved) {
    const auto r = MovingKernel(body).time("MI300X", bytes, false, false, {timing::Clock::Kind::fixed, 10000});
    return moved * static_cast<double>(bytes) / (r.seconds - r.launch_seconds) / (gpu.tb_per_s * 1e12);
  };
  CHECK(of_peak(read_only, 1) == Approx(t.memory_read).epsilon(0.1));
  CHECK(of_peak(write_only, 1) == Approx(t.memory_write).epsilon(0.1));
  CHECK(of_peak(copy, 2) == Approx(t.memory_copy).epsilon(0.1));
}

TEST_CASE("a single L2 keeps what is written until another line takes its place, several write it back at the end",
          "[time]") {
  const MovingKernel one(write_only, "gfx90a"), several(write_only);
  CHECK(outside(one.time("MI210", 2 * mebibyte, true)) == 0);
  CHECK(outside(one.time("MI210", 64 * mebibyte, true)) == Approx(64.0 * mebibyte).epsilon(0.01));
  CHECK(outside(several.time("MI300X", 2 * mebibyte, true)) == Approx(2.0 * mebibyte).epsilon(0.01));
}

TEST_CASE("sectors written in several pieces are written back once; pieces that stay pieces cost memory a change",
          "[time]") {
  const char* in_two = " global_store_dwordx2 v1, v[4:5], s[6:7]\n global_store_dwordx2 v1, v[6:7], s[6:7] offset:8\n";
  const char* a_half =
      " v_and_b32 v2, 3, v0\n v_cmp_gt_u32 vcc, 2, v2\n s_and_b64 exec, exec, vcc\n"
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n";  // 32 of 64 bytes
  const char* a_quarter =
      " v_and_b32 v2, 3, v0\n v_cmp_eq_u32 vcc, 0, v2\n s_and_b64 exec, exec, vcc\n"
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n";  // 16
  constexpr uint64_t bytes = 512 * mebibyte;
  const auto whole = MovingKernel(write_only).time("MI300X", bytes, true, false),
             pieces = MovingKernel(in_two).time("MI300X", bytes, true, false),
             half = MovingKernel(a_half).time("MI300X", bytes, true, false),
             quarter = MovingKernel(a_quarter).time("MI300X", bytes, true, false);
  for (const auto* r : {&whole, &pieces, &half, &quarter}) CHECK(outside(*r) == Approx(bytes).epsilon(0.01));
  CHECK(half.cycles == Approx(whole.cycles).epsilon(0.1));
  CHECK(quarter.cycles > 2 * half.cycles);  // MI308X past the L2: 3.4 times as long (pyhip vmem-bandwidth.md)
}

TEST_CASE("a line of which only a part was written is fetched when the rest is read", "[time]") {
  // The lower half of each line; then the whole line.
  const char* then_read =
      " v_and_b32 v2, 7, v0\n v_cmp_gt_u32 vcc, 4, v2\n s_mov_b64 s[10:11], exec\n s_and_b64 exec, exec, vcc\n"
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n s_waitcnt vmcnt(0)\n s_mov_b64 exec, s[10:11]\n"
      " global_load_dwordx4 v[4:7], v1, s[6:7]\n s_waitcnt vmcnt(0)\n";
  const char* all_then_read =
      " global_store_dwordx4 v1, v[4:7], s[6:7]\n s_waitcnt vmcnt(0)\n global_load_dwordx4 v[4:7], v1, s[6:7]\n"
      " s_waitcnt vmcnt(0)\n";
  const double bytes = 64 * mebibyte;
  const auto part = MovingKernel(then_read).time("MI300X", 64 * mebibyte, true),
             all = MovingKernel(all_then_read).time("MI300X", 64 * mebibyte, true);
  CHECK(outside(all) == Approx(bytes).epsilon(0.01));
  CHECK(outside(part) == Approx(1.5 * bytes).epsilon(0.01));
}

// MI308X: a wave's first gap of 100 clocks comes at the same number of loads, of stores and of both in turn, so they
// are in one queue (tests/facts/mi300_hw_measurements.csv, vmem_issue). RDNA counts and completes them apart.
TEST_CASE("loads of CDNA start when the stores before them have gone to the L2, those of RDNA do not wait", "[time]") {
  constexpr uint32_t stores = 16, sectors = 16;
  const auto clocks = [](isa::Arch arch, bool loads_after) {
    std::vector<uint32_t> stored;
    for (uint32_t i = 0; i < sectors; ++i) stored.push_back(128 + i);
    timing::TimedStream s(arch);
    const auto load = [&] {
      s.add({"global_load_dword v0, v[2:3], off", 0, {7}, timing::Level::l2}), s.add({"s_waitcnt vmcnt(0)"});
    };
    load();  // its line is in the L1
    for (uint32_t i = 0; i < stores; ++i)
      s.add({"global_store_dwordx4 v[2:3], v[4:7], off", 0, stored, timing::Level::l2});
    if (loads_after) load();
    return static_cast<double>(timing::run(s, {s.all()}, 2100).cycles);
  };
  const auto later = [&](isa::Arch arch) { return clocks(arch, true) - clocks(arch, false); };
  const auto queued = [](isa::Arch arch) {
    return stores * sectors * timing::sector_bytes / isa::timing(arch).l2_port_bytes;
  };
  CHECK(later(isa::Arch::gfx942) > queued(isa::Arch::gfx942));
  CHECK(later(isa::Arch::gfx1100) < queued(isa::Arch::gfx1100));
}

// MI308X, 80 CUs at 1800 MHz, 4 waves each, every group of lanes in a stripe of its own: GB/s of
// tests/facts/mi300_hw_measurements.csv (VMEM store default cache policy). The rate of requests decides: 16 and 32
// bytes take an L2 as long as 64.
TEST_CASE("stores run at the rate measured, by how many bytes are consecutive", "[time][long]") {
  struct Stores {
    int lanes, bytes;
    double published;
  };
  for (const auto& [lanes, bytes, published] : {Stores{64, 8, 3547.7}, Stores{16, 4, 3260.9}, Stores{8, 8, 3413.5},
                                                Stores{8, 4, 1573.2}, Stores{4, 8, 1637.9}, Stores{4, 4, 726.9}}) {
    constexpr int turns = 64, stores = 32;
    const int groups = 256 / lanes, step = lanes * bytes, stripe = turns * stores * step;
    std::string body = fmt::format(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_mul_i32 s6, s2, {}\n v_lshrrev_b32 v1, {}, v0\n v_mov_b32 v2, {}\n"
        " v_mul_lo_u32 v1, v1, v2\n v_and_b32 v2, {}, v0\n v_lshlrev_b32 v2, {}, v2\n v_add3_u32 v1, v1, v2, s6\n"
        " s_movk_i32 s7, {}\n s_waitcnt lgkmcnt(0)\nloop:\n",
        groups * stripe, std::countr_zero(static_cast<unsigned>(lanes)), stripe, lanes - 1,
        std::countr_zero(static_cast<unsigned>(bytes)), turns);
    for (int i = 0; i < stores; ++i)
      body += fmt::format(" global_store_dword{} v1, v{}, s[4:5]\n v_add_u32 v1, {}, v1\n", bytes == 8 ? "x2" : "",
                          bytes == 8 ? "[4:5]" : "4", step);
    body += " s_waitcnt vmcnt(0)\n s_sub_u32 s7, s7, 1\n s_cmp_lg_u32 s7, 0\n s_cbranch_scc1 loop\n s_endpgm\n";
    const auto object = sim::CodeObject::load(simtest::Assembly{.body = body, .lds = 65536}.build());
    sim::Memory memory;
    const uint64_t total = uint64_t{80} * static_cast<uint64_t>(groups * stripe), out = memory.allocate(total, "out");
    sim::Launch l;
    l.grid = {80, 1, 1}, l.block = {256, 1, 1}, l.kernargs.resize(16);
    std::memcpy(l.kernargs.data(), &out, 8);
    const auto r =
        timing::time(object, object.kernel("k"), memory, l,
                     {.gpu = isa::find_gpu("MI308X"), .clock = {timing::Clock::Kind::fixed, 1800}, .warm = false});
    REQUIRE(!r.fault);
    const double rate = static_cast<double>(total) / (r.cycles / 1.8e9) * 1e-9;
    CAPTURE(lanes, bytes, rate, published);
    CHECK(rate == Approx(published).epsilon(0.25));
  }
}

TEST_CASE("a run asks its observers about the workgroups they have chosen alone", "[simulator]") {
  struct Few : sim::Observers {
    sim::Observer* workgroup(const std::array<uint32_t, 3>& id) override {
      asked.push_back(id);
      return nullptr;
    }
    std::optional<std::span<const sim::u64>> chosen() const override { return numbers; }
    std::vector<sim::u64> numbers{0, (sim::u64{1} << 31) - 5};
    std::vector<std::array<uint32_t, 3>> asked;
  } few;
  const auto object = sim::CodeObject::load(simtest::Assembly{.body = " s_endpgm\n"}.build());
  sim::Memory memory;
  sim::Options o;
  o.observers = &few, o.jobs = 1;
  const auto r =
      sim::run(object, object.kernel("k"), memory,
               {.grid = {1u << 20, 1u << 11, 1}, .block = {64, 1, 1}, .kernargs = std::vector<uint8_t>(16)}, o);
  CHECK(!r.fault);
  CHECK(few.asked == std::vector<std::array<uint32_t, 3>>{{0, 0, 0}, {(1u << 20) - 5, (1u << 11) - 1, 0}});
}
