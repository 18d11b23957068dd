// Channels of the L2 and of memory: which one serves an address, and what it costs to ask one for everything. The
// hashes stand here once more, as AMD's address translation library in the Linux kernel states them, and the strides'
// expected collisions are counted from them by brute force.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstring>
#include <set>

#include "simulator/timing/contention.h"
#include "simulator/timing/stream.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;

namespace {

constexpr uint32_t interleave_bytes = 256;

uint32_t bit_of(uint64_t a, std::initializer_list<int> bits) {
  uint32_t x = 0;
  for (const int b : bits) x ^= static_cast<uint32_t>(a >> b & 1);
  return x;
}
// MI300: four bits of the channel within a stack, the stack of a die, two bits of the die.
uint32_t mi300_channel(uint64_t a) {
  return bit_of(a, {8, 12, 15, 22, 29, 36, 43}) | bit_of(a, {9, 13, 16, 23, 30, 37, 44}) << 1 |
         bit_of(a, {10, 14, 17, 24, 31, 38, 45}) << 2 | bit_of(a, {11, 18, 25, 32, 39, 46}) << 3 |
         bit_of(a, {14, 19, 26, 33, 40, 47}) << 4 | bit_of(a, {12, 20, 27, 34, 41}) << 5 |
         bit_of(a, {13, 21, 28, 35, 42}) << 6;
}
uint32_t mi200_channel(uint64_t a) {
  return bit_of(a, {8, 16, 21, 30}) | bit_of(a, {9, 17, 22, 31}) << 1 | bit_of(a, {10, 18, 23, 32}) << 2 |
         bit_of(a, {11, 19, 24, 33}) << 3 | bit_of(a, {12, 20, 25, 34}) << 4;
}

// Every lane reads one dword at the offset that a table has for it.
timing::Result gather(const std::vector<uint32_t>& offsets, uint64_t bytes, const isa::Gpu* gpu) {
  static simtest::Assembly k{
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_lshl_b32 s8, s2, 8\n v_lshlrev_b32 v1, 2, v0\n v_add_u32 v1, s8, v1\n "
      "s_waitcnt lgkmcnt(0)\n"
      " global_load_dword v2, v1, s[4:5]\n s_waitcnt vmcnt(0)\n global_load_dword v3, v2, s[6:7]\n s_waitcnt "
      "vmcnt(0)\n s_endpgm\n"};
  const auto object = sim::CodeObject::load(k.build());
  sim::Memory memory;
  sim::Launch l;
  const uint64_t table = memory.allocate(offsets.size() * 4, "table"),
                 data = memory.allocate(bytes, "data", uint64_t{1} << 30);  // so that the base only exchanges channels
  memory.write(table, {reinterpret_cast<const uint8_t*>(offsets.data()), offsets.size() * 4});
  l.grid = {static_cast<uint32_t>(offsets.size() / 64), 1, 1}, l.block = {64, 1, 1}, l.kernargs.resize(16);
  std::memcpy(l.kernargs.data(), &table, 8), std::memcpy(l.kernargs.data() + 8, &data, 8);
  return timing::time(object, object.kernel("k"), memory, l, {.gpu = gpu, .warm = false});
}
std::vector<uint32_t> strided(uint32_t stride, size_t n) {
  std::vector<uint32_t> at(n);
  for (size_t i = 0; i < n; ++i) at[i] = static_cast<uint32_t>(i) * stride;
  return at;
}
size_t channels_hit(const std::vector<uint32_t>& offsets) {
  std::set<uint32_t> hit;
  for (const uint32_t a : offsets) hit.insert(mi300_channel(a));
  return hit.size();
}

}  // namespace

TEST_CASE("channels are those of AMD's address hashes", "[time]") {
  const isa::Channels mi300(isa::Arch::gfx942, isa::channels_of::memory), l2(isa::Arch::gfx942, isa::channels_of::l2),
      mi200(isa::Arch::gfx90a, isa::channels_of::memory);
  CHECK(mi300.count() == 128);  // as CDNA3's and CDNA2's whitepapers have them, and 16 of an XCD's L2
  CHECK(mi200.count() == 32);
  CHECK(l2.count() == 16);
  uint64_t a = 1;
  for (int i = 0; i < 5000; ++i) {
    a = a * 6364136223846793005u + 1442695040888963407u;
    const uint64_t address = a >> 20;
    CHECK(mi300.of(address) == mi300_channel(address));
    CHECK(mi200.of(address) == mi200_channel(address));
    CHECK(l2.of(address) == (mi300_channel(address) & 15));
  }
}

TEST_CASE("a row of memory as long as all channels together touches each as often", "[time]") {
  for (const auto arch : {isa::Arch::gfx942, isa::Arch::gfx90a}) {
    const isa::Channels c(arch, isa::channels_of::memory);
    for (const uint64_t base : {uint64_t{0}, uint64_t{1} << 21, uint64_t{0x12340000}}) {
      std::vector<int> times(c.count(), 0);
      for (uint64_t a = 0; a < uint64_t{c.count()} * interleave_bytes; a += interleave_bytes) ++times[c.of(base + a)];
      CHECK(times == std::vector<int>(c.count(), 1));
    }
  }
}

TEST_CASE("cache lines of one channel are counted against a random distribution", "[time]") {
  const isa::Channels c(isa::Arch::gfx942, isa::channels_of::memory);
  const auto factor = [&](auto address, size_t n, size_t dies = 1) {
    timing::Contention contention(c, static_cast<double>(n), dies);
    std::vector<uint8_t> levels(n, 0), shifts(dies, 0);
    uint64_t x = 1;
    for (size_t i = 0; i < n; ++i)
      contention.request(address(i, x = x * 6364136223846793005u + 1442695040888963407u), &levels[i], shifts);
    contention.finish();
    CHECK(timing::contention_factor(levels[0]) ==
          Approx(contention.factor()).epsilon(0.1));  // quarters of a power of two
    return contention.factor();
  };
  CHECK(factor([](size_t, uint64_t) { return uint64_t{0}; }, 2000) == Approx(128));
  CHECK(factor([](size_t i, uint64_t) { return uint64_t{256} * (i & 15); }, 2000) ==
        Approx(8).epsilon(0.05));  // 16 channels
  CHECK(factor([](size_t i, uint64_t) { return uint64_t{256} * i; }, 2000) == 1);
  CHECK(factor([](size_t, uint64_t x) { return x >> 24; }, 2000) == 1);     // chance
  CHECK(factor([](size_t, uint64_t x) { return x >> 24; }, 2000, 8) == 1);  // the same chance on eight dies
  CHECK(factor([](size_t, uint64_t) { return uint64_t{0}; }, 2000, 8) == Approx(128));
}

TEST_CASE("a launch all of whose lines lie in one channel takes what one channel gives", "[time]") {
  const isa::Gpu& gpu = *isa::find_gpu("MI300X");
  constexpr uint32_t bytes = 1u << 26;  // 4096 of its lines are in one channel
  std::vector<uint32_t> one, all;
  for (uint32_t a = 0; one.size() < 4096 && a < bytes; a += 128)
    if (mi300_channel(a) == mi300_channel(0)) one.push_back(a);
  all = strided(bytes / 4096, 4096);
  REQUIRE(one.size() == 4096);
  REQUIRE(channels_hit(all) == 128);
  const auto a = gather(one, bytes, &gpu), b = gather(all, bytes, &gpu);
  CAPTURE(a.cycles, b.cycles);
  const double slice = isa::gpu_timing(gpu).mall_tb_per_s * 1e12 / 128,
               channel = gpu.tb_per_s * 1e12 * isa::timing(gpu.arch).memory_read / 128;
  const double clocks = a.clock_mhz * 1e6;
  CHECK(a.cycles > 4096 * 128 / slice * clocks);  // all of it passes one slice of the memory-side cache,
  CHECK(a.cycles >
        0.95 * 4096 * 128 / channel * clocks);  // and one channel of memory, but for the few lines of the table
  CHECK(a.cycles < 4096 * 128 / channel * clocks + b.cycles);
  CHECK(a.cycles > 5 * b.cycles);
  CHECK(a.limit == timing::Limit::memory);
}

TEST_CASE("strides that are powers of two run as their neighbours do, and those collide that the hash makes collide",
          "[time]") {
  const isa::Gpu& gpu = *isa::find_gpu("MI300X");
  constexpr size_t n = 8192;  // rows: what a column of a matrix asks for at once
  constexpr uint64_t bytes = uint64_t{n} * (1u << 15) + (1 << 20);
  const auto cycles = [&](uint32_t stride) { return gather(strided(stride, n), bytes, &gpu).cycles; };
  const double even = cycles(128 * 3);
  for (const uint32_t power : {1u << 12, 1u << 13, 1u << 14,
                               1u << 15}) {  // MI300A transposes 4096^2 and 8192^2, rows of 16 and 32 KB, at full rate
    CAPTURE(power);
    REQUIRE(channels_hit(strided(power, n)) == 128);
    CHECK(cycles(power) == Approx(cycles(power - 128)).epsilon(0.05));
    CHECK(cycles(power) < 1.3 * even);
  }
}

TEST_CASE("the more loads are in flight, the longer each takes, by Little's law at the available bandwidth", "[time]") {
  const isa::Gpu& gpu = *isa::find_gpu("MI300X");
  const isa::Timing& t = isa::timing(gpu.arch);
  static simtest::Assembly k{
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_lshl_b32 s8, s2, 18\n v_lshlrev_b32 v1, 4, v0\n v_add_u32 v1, s8, v1\n "
      "s_waitcnt lgkmcnt(0)\n" +
      [] {
        std::string loads;
        for (int i = 0; i < 16; ++i)
          loads += " global_load_dwordx4 v[4:7], v1, s[4:5]\n v_add_u32 v1, 0x4000, v1\n s_waitcnt vmcnt(0)\n";
        return loads;
      }() +
      " s_endpgm\n"};  // 16 loads of each wave, one after the other
  k.agprs = 0;         // 16 waves fit on a CU
  const auto object = sim::CodeObject::load(k.build());
  const auto wait = [&](uint32_t waves) {  // of a CU; the mean clocks of a load
    sim::Memory memory;
    sim::Launch l;
    const uint64_t in = memory.allocate(uint64_t{304} << 18, "in");
    memory.allocate(uint64_t{2} << 30, "so that little of it is in the memory-side cache");
    l.grid = {304, 1, 1}, l.block = {64 * waves, 1, 1}, l.kernargs.resize(16);
    std::memcpy(l.kernargs.data(), &in, 8);
    const timing::Result r = timing::time(object, object.kernel("k"), memory, l, {.gpu = &gpu});
    uint64_t clocks = 0, loads = 0;
    for (const timing::Instruction& i : r.list)
      if (i.text.find("vmcnt(0)") != std::string::npos)
        clocks += i.stalled[static_cast<size_t>(timing::Stall::wait_vm)], loads += i.issued;
    return static_cast<double>(clocks) / static_cast<double>(loads);
  };
  const double latency = t.l2_latency + t.memory_ns * gpu.mhz * 1e-3,
               bytes_a_clock = gpu.tb_per_s * 1e6 * t.memory_read / gpu.mhz;
  double before = 0;
  for (const uint32_t waves : {1u, 2u, 4u, 8u, 16u}) {
    const double w = wait(waves),
                 by_bandwidth = 304.0 * waves * 1024 / bytes_a_clock;  // all under way at once, served in turn
    CAPTURE(waves, w, by_bandwidth, latency);
    CHECK(w >= before);
    CHECK(w >= 0.9 * std::max(latency, by_bandwidth));
    CHECK(w < 1.1 * (latency + by_bandwidth));
    before = w;
  }
}

TEST_CASE("what no other die asks for comes from memory, however large the cache in front of it", "[time]") {
  static simtest::Assembly k{.body =
                                 "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_lshl_b32 s8, s2, 16\n v_lshlrev_b32 v1, 4, "
                                 "v0\n s_waitcnt lgkmcnt(0)\n s_cmp_lg_u64 s[6:7], 0\n"
                                 " s_cselect_b32 s8, 0, s8\n v_add_u32 v1, s8, v1\n" +
                                 [] {
                                   std::string loads;
                                   for (int i = 0; i < 16; ++i)
                                     loads += fmt::format(
                                         " global_load_dwordx4 v[{}:{}], v1, s[4:5]\n v_add_u32 v1, 0x1000, v1\n",
                                         4 + 4 * i, 7 + 4 * i);
                                   return loads;
                                 }() +
                                 " s_waitcnt vmcnt(0)\n s_endpgm\n",
                             .target = "gfx950"};  // 64 KB each; the same 64 KB with a second argument
  const auto object = sim::CodeObject::load(k.build());
  const auto timed = [&](uint64_t together) {
    sim::Memory memory;
    sim::Launch l;
    const uint64_t in = memory.allocate(uint64_t{2} << 30, "in");
    l.grid = {1u << 15, 1, 1}, l.block = {256, 1, 1}, l.kernargs.resize(16);
    std::memcpy(l.kernargs.data(), &in, 8), std::memcpy(l.kernargs.data() + 8, &together, 8);
    return timing::time(object, object.kernel("k"), memory, l,
                        {.gpu = isa::find_gpu("MI355X"), .clock = {timing::Clock::Kind::sustained}});
  };
  const auto apart = timed(0), same = timed(1);
  const double rate = apart.memory_bytes / (apart.cycles / (apart.clock_mhz * 1e6)) * 1e-12;
  CHECK(apart.mall_bytes == 0);
  CHECK(rate < isa::find_gpu("MI355X")->tb_per_s);
  CHECK(rate > 6.4);                               // measured: 6.4 to 7.2 (tests/facts/timing.csv)
  CHECK(same.mall_bytes > 6 * same.memory_bytes);  // one die of eight fetches it
}

TEST_CASE("a line of which another wave had the other half first still comes from where it is", "[time]") {
  timing::TimedStream s(isa::Arch::gfx942);
  s.add({"global_load_dword v0, v[2:3], off", 0, {100}, timing::Level::l2});
  s.add({"global_load_dword v0, v[2:3], off", 0, {101}, timing::Level::memory});
  const auto r = timing::run(s, {s.all()}, 2100);
  CHECK(r.traffic.memory_bytes == 128);
}

TEST_CASE("tag RAMs: lines 512 bytes apart share one, others are looked up four per clock",
          "[time]") {  // AMD's MI300X tuning guide
  const auto clocks = [](uint32_t stride) {
    std::vector<uint32_t> sectors;
    for (uint32_t i = 0; i < 32; ++i) sectors.push_back(i * stride / timing::sector_bytes);
    timing::TimedStream s(isa::Arch::gfx942);
    s.add({"global_load_dword v0, v[2:3], off", 0, sectors, timing::Level::l2});
    double t[2];
    for (const int k : {0, 1}) t[k] = static_cast<double>(timing::run(s, {s.repeat(0, 1, 100 * (k + 1))}, 2100).cycles);
    return (t[1] - t[0]) / 100;
  };
  CHECK(clocks(512) == Approx(32).epsilon(0.02));  // two lanes a line
  CHECK(clocks(1024) == Approx(32).epsilon(0.02));
  CHECK(clocks(512 + 128) == Approx(8).epsilon(0.02));
  CHECK(clocks(128) == Approx(8).epsilon(0.02));
}
