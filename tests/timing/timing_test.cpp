// The timing model's core on instruction streams given as text. Expectations are published measurements
// (tests/facts/timing.csv and mi300_hw_measurements.csv, named where they stand) or properties that follow from the ISA
// guides.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>

#include "simulator/timing/found.h"
#include "simulator/timing/stream.h"

using namespace wavesmith;
using timing::WaveTrace;

namespace {

constexpr isa::Arch gfx942 = isa::Arch::gfx942;
constexpr double boost = 2100;
using Body = std::vector<timing::TimedInstruction>;

// The waves of one workgroup, each repeating its body. Waves i and i + 4 share a SIMD.
struct WaveBench {
  timing::TimedStream stream;
  std::vector<WaveTrace> waves;
  explicit WaveBench(isa::Arch arch, uint64_t pc = 0) : stream(arch, 0, pc) {}
  WaveBench& wave(const Body& body, int times = 1, uint32_t stride = 0) {
    const auto first = static_cast<uint32_t>(stream.program.steps.size());
    stream.add(body);
    waves.push_back(stream.repeat(first, static_cast<uint32_t>(stream.program.steps.size()), times, stride));
    return *this;
  }
  timing::UnitResult run() const { return timing::run(stream, waves, boost, true); }
  std::vector<uint64_t> times(int w = 0) const { return timing::issue_times(run(), w); }
};

// Clocks of a turn in the steady state.
double turn(const std::vector<Body>& waves, isa::Arch arch = gfx942, uint64_t pc = 0) {
  uint64_t clocks[2];
  for (const int part : {0, 1}) {
    WaveBench b(arch, pc);
    for (const Body& body : waves) b.wave(body, 50 * (part + 1));
    clocks[part] = b.run().cycles;
  }
  return static_cast<double>(clocks[1] - clocks[0]) / 50;
}
Body repeated(const std::string& text, int n) { return Body(static_cast<size_t>(n), timing::TimedInstruction{text}); }
Body joined(Body head, const Body& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

const std::string mfma16 = "v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3]", add = "v_add_f32 v10, v20, v21";

}  // namespace

TEST_CASE("independent v_mfma_f32_32x32x8_f16 issue every 32 clocks on gfx942", "[time]") {
  const auto at = WaveBench(gfx942)
                      .wave({{"v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]"},
                             {"v_mfma_f32_32x32x8_f16 v[16:31], v[64:65], v[66:67], v[16:31]"}},
                            10)
                      .times();
  for (size_t i = 1; i < at.size(); ++i) CHECK(at[i] - at[i - 1] == 32);
}

TEST_CASE("three VALU instructions hide under a 16-clock MFMA, each further one costs 4 clocks",
          "[time]") {  // MI308X: +0.02, +0.02, +0.03, +4.03
  for (const int n : {1, 2, 3}) CHECK(turn({joined({{mfma16}}, repeated(add, n))}) == 16);
  CHECK(turn({joined({{mfma16}}, repeated(add, 4))}) == 20);
  CHECK(turn({joined({{mfma16}}, repeated(add, 5))}) == 24);
}

TEST_CASE("another wave of the SIMD hides as many", "[time]") {  // MI308X: 0 for three, +3.97 for four
  CHECK(turn({{{mfma16}}, {}, {}, {}, repeated(add, 3)}) == 16);
  CHECK(turn({{{mfma16}}, {}, {}, {}, repeated(add, 4)}) == Approx(20).margin(0.2));
}

TEST_CASE("packed f32 never runs beside a matrix instruction", "[time]") {  // MI308X: +12.0, +16.0, +20.0
  for (const int n : {1, 2, 3})
    CHECK(turn({joined({{mfma16}}, repeated("v_pk_add_f32 v[10:11], v[20:21], v[22:23]", n))}) == 16 + 8 + 4 * n);
}

TEST_CASE("an exponential takes 16 clocks of the VALU, of which a matrix instruction hides 12",
          "[time]") {  // MI308X: 16.0; 20.03, 36.03
  CHECK(turn({{{"v_exp_f32 v0, v1"}}}) == 16);
  CHECK(turn({joined({{mfma16}}, repeated("v_exp_f32 v10, v20", 1))}) == 20);
  CHECK(turn({joined({{mfma16}}, repeated("v_exp_f32 v10, v20", 2))}) == 36);
  CHECK(turn({{{"v_exp_f32 v10, v20"}, {add}}}) == 20);  // and nothing else of the VALU
}

TEST_CASE("waves of one SIMD share its matrix pipe, waves of two do not", "[time]") {
  const Body body{{mfma16}};
  CHECK(turn({body, body}) == 16);
  CHECK(turn({body, {}, {}, {}, body}) == 32);
}

TEST_CASE("waves of a SIMD issue to different units at once", "[time]") {  // CDNA: one instruction a category each turn
  const Body valu = repeated(add, 4), salu = repeated("s_add_u32 s0, s1, s2", 4);
  CHECK(turn({valu, {}, {}, {}, salu}) == 16);
  CHECK(turn({valu, {}, {}, {}, valu}) == 32);
}

TEST_CASE("the wave with the higher priority goes first, whatever its age", "[time]") {
  const auto last = [](const std::string& first_of_fifth) {
    WaveBench b(gfx942);
    b.wave(joined({{"s_nop 0"}}, repeated(add, 40)));
    for (int i = 0; i < 3; ++i) b.wave({{"s_nop 0"}});
    b.wave(joined({{first_of_fifth}}, repeated(add, 40)));
    const auto r = b.run();
    return std::pair(timing::issue_times(r, 0).back(), timing::issue_times(r, 4).back());
  };
  const auto [old_plain, young_plain] = last("s_setprio 0");
  CHECK(old_plain < young_plain);
  const auto [old_low, young_high] = last("s_setprio 3");
  CHECK(young_high < old_low);
}

TEST_CASE("waves of one priority go in turn on CDNA, the oldest first on RDNA",
          "[time]") {  // n-body on MI300A: two waves a SIMD take 1.21 of one's time
  const auto ends = [](isa::Arch arch) {
    WaveBench b(arch);
    b.wave(repeated("v_add_f32 v10, v20, v21", 200));
    for (int i = 0; i < 3; ++i) b.wave({{"s_nop 0"}});
    b.wave(repeated("v_add_f32 v11, v20, v21", 200));
    const auto r = b.run();
    return std::pair(static_cast<double>(timing::issue_times(r, 0).back()),
                     static_cast<double>(timing::issue_times(r, 4).back()));
  };
  const auto [first, second] = ends(gfx942);
  CHECK(second > 1500);                  // 400 instructions of 4 clocks
  CHECK(std::abs(second - first) < 80);  // the second started 64 later
  const auto [older, younger] = ends(isa::Arch::gfx1100);
  CHECK(older < 0.6 * younger);
}

TEST_CASE("vector memory takes the oldest wave first, so that waves which stream do not end together", "[time]") {
  WaveBench b(gfx942);
  for (int i = 0; i < 5; ++i)
    b.wave(i % 4 ? Body{{"s_nop 0"}}
                 : Body(64, timing::TimedInstruction{"global_load_dwordx4 v[4:7], v[2:3], off", 0, {1000}}));
  const auto r = b.run();
  CHECK(timing::issue_times(r, 0).back() < 0.7 * static_cast<double>(timing::issue_times(r, 4).back()));
}

TEST_CASE("8-byte instructions across fetches cost a clock each on the average",
          "[time]") {  // MI308X: 4.016 aligned, 5.012 at PC mod 8 = 4
  const Body body = repeated("v_fma_f32 v0, v1, v2, v3", 16);
  CHECK(turn({body}) / 16 == 4);
  CHECK(turn({body}, gfx942, 4) / 16 == 5);
}

TEST_CASE("LDS: bandwidth of a port and of the whole, and bank conflicts cost their phases", "[time]") {
  const auto reads = [](const std::string& text, int waves, uint32_t conflicts) {
    return turn(std::vector<Body>(static_cast<size_t>(waves), Body(4, timing::TimedInstruction{text, conflicts}))) / 4 /
           waves;
  };
  CHECK(reads("ds_read_b128 v[4:7], v1", 1, 0) == 16);   // one wave: 64 B/clk
  CHECK(reads("ds_read_b128 v[4:7], v1", 4, 0) == 8);    // the CU: 128
  CHECK(reads("ds_read_b32 v0, v1", 1, 62) == 64);       // all lanes in one bank: two phases of 32
  CHECK(reads("ds_write_b128 v1, v[4:7]", 1, 0) == 20);  // 4 clocks of address, 16 of data
  // Two stores by one instruction move what they move.
  CHECK(reads("ds_write2_b64 v1, v[4:5], v[6:7] offset1:1", 1, 0) == reads("ds_write_b128 v1, v[4:7]", 1, 0));
  CHECK(reads("ds_write2_b32 v1, v4, v5 offset1:1", 1, 0) == reads("ds_write_b64 v1, v[4:5]", 1, 0));
}

TEST_CASE("each CU of a WGP reads its own half of the LDS banks",
          "[time]") {  // the documented peak is 128 B/clk per CU
  const Body reads(8, timing::TimedInstruction{"ds_load_b128 v[4:7], v1"});
  const auto clocks = [&](const std::vector<Body>& waves) { return turn(waves, isa::Arch::gfx1100); };
  const double alone = clocks({reads});
  CHECK(alone == 8 * 32 * 16 / 128);
  CHECK(clocks({reads, reads}) == 2 * alone);  // SIMD 0 and 1: one CU
  CHECK(clocks({reads, {}, reads}) == alone);  // SIMD 0 and 2: two
}

TEST_CASE("a full queue of WMMA holds its wave, whatever comes next",
          "[time]") {  // sqtt gfx1200: eight at once, then as the pipe takes them
  const std::string wmma = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]";
  const auto at = WaveBench(isa::Arch::gfx1200)
                      .wave(joined(repeated(wmma, 12), {{"s_mov_b32 s0, 0"}, {"s_mov_b32 s1, 0"}}))
                      .times();
  for (size_t i = 1; i < 8; ++i) CHECK(at[i] - at[i - 1] == 1);
  const uint64_t each = at[11] - at[10];
  CHECK(each > 4);
  CHECK(at[12] - at[11] == each);  // the scalar instruction waits as a matrix instruction would
  CHECK(at[13] - at[12] == 1);
}

TEST_CASE("waves with starts of their own share one SIMD", "[time]") {
  timing::TimedStream s(isa::Arch::gfx1100);
  const Body body = repeated("v_add_f32 v1, v2, v3", 40);
  s.add(body);
  const WaveTrace w = s.repeat(0, 40, 1);
  const auto apart = timing::run(s, {w, w}, boost, true, {0, 100}),
             together = timing::run(s, {w, w}, boost, true, {0, 0});
  CHECK(timing::issue_times(apart, 1)[0] == timing::issue_times(apart, 0)[0] + 100);
  CHECK(apart.done[0] == 140);
  CHECK(together.done[0] == 80);
}

TEST_CASE("a wait ends when all but its count of loads are there", "[time]") {
  const timing::TimedInstruction near{"global_load_dword v0, v[2:3], off", 0, {0}, timing::Level::l2},
      far{"global_load_dword v1, v[2:3], off", 0, {4000}, timing::Level::memory};
  const auto until = [&](const char* wait) {
    const auto at = WaveBench(gfx942).wave({near, far, {wait}, {"s_nop 0"}}).times();
    return at[3] - at[0];
  };
  CHECK(until("s_waitcnt vmcnt(1)") == Approx(288).margin(10));  // MI300X: L2 hit 287.5
  CHECK(until("s_waitcnt vmcnt(0)") == Approx(900).margin(30));  // memory 899.7
}

TEST_CASE("addresses are translated as soon as a hit would be there, wherever the data are", "[time]") {
  for (const auto level : {timing::Level::l2, timing::Level::memory}) {
    const timing::TimedInstruction load{"global_load_b32 v0, v[2:3], off", 0, {0}, level};
    const auto until = [&](const char* wait) {
      const auto at = WaveBench(isa::Arch::gfx1250).wave({load, {wait}, {"s_nop 0"}}).times();
      return at[2] - at[0];
    };
    CHECK(until("s_wait_xcnt 0x0") == Approx(100).margin(10));
    CHECK(until("s_wait_loadcnt 0x0") > 300);
  }
}

TEST_CASE("a load finds what was requested early enough in the L2, and waits for what is on its way", "[time]") {
  const auto after = [](int clocks) {
    const auto at = WaveBench(isa::Arch::gfx1250)
                        .wave(joined(joined({{"global_prefetch_b8 v[2:3], off", 0, {4000}, timing::Level::memory}},
                                            repeated("v_add_f32 v9, v9, v9", clocks)),
                                     {{"global_load_b32 v0, v[2:3], off", 0, {4000}, timing::Level::l2},
                                      {"s_wait_loadcnt 0x0"},
                                      {"s_nop 0"}}))
                        .times();
    return std::pair(at[at.size() - 1] - at[at.size() - 3], at[at.size() - 1] - at[0]);
  };
  CHECK(after(2000).first == Approx(340).margin(20));  // of the L2
  const auto [load, all] = after(10);
  CHECK(all == Approx(340 + 613 + 100).margin(120));  // 292 ns of memory at 2100 MHz
  CHECK(load > 600);
}

TEST_CASE("a data mover takes a line a clock, one for each pair of SIMDs, and nothing where it moves nothing",
          "[time]") {
  const auto ends = [](bool both) {
    const auto move = [](uint32_t first, uint32_t sectors) {
      std::vector<uint32_t> tile;
      for (uint32_t s = 0; s < sectors; ++s) tile.push_back(first + s);
      return Body{{"tensor_load_to_lds s[0:3], s[4:11]", 0, tile, timing::Level::l2}, {"s_wait_tensorcnt 0x0"}};
    };
    WaveBench b(isa::Arch::gfx1250);
    b.wave(move(0, 1024)).wave(move(0, 0)).wave(move(0, 0)).wave(move(100'000, both ? 1024 : 0));  // 512 lines
    const auto r = b.run();
    return std::array{timing::issue_times(r, 0).back(), timing::issue_times(r, 1).back(),
                      timing::issue_times(r, 3).back()};
  };
  const auto [first, nothing, none] = ends(false);
  CHECK(first == Approx(512 + 340).margin(30));
  CHECK(nothing < 100);
  CHECK(none < 100);
  CHECK(ends(true)[2] == Approx(first + 512).margin(30));  // of the WGP's port to the L2, 128 bytes a clock
}

TEST_CASE("atomics find what they found in an earlier run, in whatever order waves come", "[time]") {
  timing::TimedStream s(gfx942);
  s.add({"global_atomic_add v0, v1, v2, s[0:1] sc0"});
  const sim::Step& add = s.program.steps[0];
  sim::Memory memory;
  const uint64_t at = memory.allocate(8, "two counters");
  const auto value = [&](uint64_t address) {
    uint32_t x = 0;
    memory.read(address, {reinterpret_cast<uint8_t*>(&x), sizeof x});
    return x;
  };
  memory.write(at, std::vector<uint8_t>(8));
  const timing::FoundValues before{{at, {5}, 4}, {at + 4, {7}, 4}, {at, {6}, 4}};
  timing::Found found(memory, &before);
  for (const auto& [address, is] : {std::pair(at + 4, 7u), {at, 5u}, {at, 6u}, {at, 6u}}) {
    found.look(add, {&address, 1}, 1, 4);
    CHECK(value(address) == is);
  }
  found.undo();
  CHECK(value(at) == 0);
  CHECK(value(at + 4) == 0);
}

TEST_CASE("all waves leave a barrier when the slowest arrives", "[time]") {
  WaveBench b(gfx942);
  b.wave({{"s_barrier"}, {"s_nop 0"}}).wave(joined(repeated(add, 100), {{"s_barrier"}, {"s_nop 0"}}));
  const auto r = b.run();
  const auto fast = timing::issue_times(r, 0), slow = timing::issue_times(r, 1);
  CHECK(fast.back() > slow[100]);
  CHECK(fast.back() < slow[100] + 40);
}

TEST_CASE("s_nop n takes n + 1 issue slots", "[time]") {
  const auto at = WaveBench(gfx942).wave({{"s_nop 7"}, {"s_nop 0"}, {"s_nop 0"}}).times();
  CHECK(at[1] - at[0] == 32);
  CHECK(at[2] - at[1] == 4);
}

TEST_CASE("RDNA waits for results itself", "[time]") {  // gfx1100, hardware thread trace: 5, 1, 4 and 2 clocks
  CHECK(turn({{{"v_add_f32 v0, v0, v1"}}}, isa::Arch::gfx1100) == 5);
  CHECK(turn({{{"v_add_f32 v0, v8, v9"}, {"v_add_f32 v1, v8, v9"}, {"v_add_f32 v2, v8, v9"}}}, isa::Arch::gfx1100) ==
        3);
  CHECK(turn({{{"v_exp_f32 v0, v8"}, {"v_exp_f32 v1, v8"}, {"v_exp_f32 v2, v8"}}}, isa::Arch::gfx1100) == 12);
  CHECK(turn({{{"s_add_u32 s0, s0, s1"}}}, isa::Arch::gfx1100) == 2);
}

// gfx1100, hardware thread trace: v_add_co_ci_u32 one clock after v_add_co_u32. gfx1200: dependent s_mul_i32 9 apart.
TEST_CASE("a carry is forwarded on RDNA3, and a scalar product takes its time on RDNA4", "[time]") {
  const Body carry{{"v_add_co_u32 v0, vcc_lo, v8, v9"}, {"v_add_co_ci_u32 v1, vcc_lo, v10, v11, vcc_lo"}},
      select{{"v_cmp_lt_f32 vcc_lo, v8, v9"}, {"v_cndmask_b32 v0, v10, v11, vcc_lo"}},
      number{{"v_cmp_lt_f32 s4, v8, v9"}, {"v_xor_b32 v0, s4, v10"}};
  CHECK(turn({carry}, isa::Arch::gfx1100) == 2);
  CHECK(turn({select}, isa::Arch::gfx1100) == 2);
  CHECK(turn({number}, isa::Arch::gfx1100) == 5 + 1);  // as any other result
  CHECK(turn({carry}, isa::Arch::gfx1200) == 5 + 1);
  CHECK(turn({{{"s_mul_i32 s0, s0, s1"}}}, isa::Arch::gfx1200) == 9);
  CHECK(turn({{{"s_add_co_u32 s0, s0, s1"}}}, isa::Arch::gfx1200) == 2);
}

TEST_CASE("a stream takes the same time every time", "[time]") {
  const auto once = [] {
    WaveBench b(gfx942);
    for (int i = 0; i < 8; ++i)
      b.wave(joined({{mfma16}, {"ds_read_b128 v[40:43], v1", static_cast<uint32_t>(i)}}, repeated(add, i)), 30);
    return b.run();
  };
  const auto a = once(), b = once();
  CHECK(a.cycles == b.cycles);
  CHECK(a.done == b.done);
  CHECK(std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(),
                   [](const auto& x, const auto& y) { return x.stalled == y.stalled && x.issued == y.issued; }));
}

TEST_CASE("a wave's clocks are its issue slots and its stalls", "[time]") {
  WaveBench b(gfx942);
  b.wave(joined({{mfma16}, {"s_nop 3"}}, repeated(add, 6)), 20);
  const auto r = b.run();
  uint64_t sum = 0;
  for (const auto& s : r.steps) {
    sum += 4 * s.issued;
    for (const uint64_t x : s.stalled) sum += x;
  }
  CHECK(sum == r.done[0] - r.waves[0].start);
}

TEST_CASE("every parameter of the timing model has a value and a source on every target", "[time]") {
  for (const isa::Target& t : isa::all_targets()) {
    const auto arch = *isa::find_arch(t.name);
    std::vector<std::string> named, valued;
    for (const isa::TimingRow& r : isa::timing_rows()) {
      named.push_back(r.parameter);
      if (r.archs & isa::bit(arch)) valued.push_back(r.parameter);
      CHECK(*r.source);
    }
    for (auto* v : {&named, &valued})
      std::sort(v->begin(), v->end()), v->erase(std::unique(v->begin(), v->end()), v->end());
    INFO(t.name);
    CHECK(named == valued);
    CHECK(named.size() == sizeof(isa::Timing) / sizeof(double));
  }
}

TEST_CASE("every GPU of the peaks table is a device of the timing model", "[time]") {
  for (const isa::Gpu& g : isa::gpus()) {
    CHECK(isa::gpu_timing(g).sustained_mhz <= g.mhz);
    CHECK(isa::gpu_timing(g).dies >= 1);
  }
  CHECK(isa::gpu_timings().size() == isa::gpus().size());
}
