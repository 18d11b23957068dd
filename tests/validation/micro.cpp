// Micro-benchmarks as third parties ran them, replayed by the model: issue intervals, co-execution, latencies,
// bandwidths. A row is a few instructions, and how the published figure follows from the clocks they take.
#include <fmt/format.h>

#include "isa_tables/timing/peaks.h"
#include "simulator/timing/stream.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

using isa::Arch;
using timing::Level, timing::TimedInstruction, timing::TimedStream, timing::WaveTrace;
using Texts = std::vector<std::string>;

constexpr int times = 64;

std::vector<TimedInstruction> lines(const Texts& l, uint32_t conflicts = 0) {
  std::vector<TimedInstruction> out;
  for (const auto& text : l) out.push_back({text, conflicts});
  return out;
}

// Clocks of one turn of the loop in its steady state: twice as many turns less the turns. The loop has no branch, as if
// it were unrolled.
double per_turn(Arch arch, const std::vector<std::vector<TimedInstruction>>& waves, uint64_t pc = 0, double mhz = 2100,
                uint32_t stride = 0) {
  uint64_t clocks[2];
  for (const int part : {0, 1}) {
    TimedStream s(arch, 0, pc);
    std::vector<WaveTrace> traces;
    for (const auto& body : waves) {
      const auto first = static_cast<uint32_t>(s.program.steps.size());
      s.add(body);
      traces.push_back(s.repeat(first, static_cast<uint32_t>(s.program.steps.size()), times * (part + 1), stride));
    }
    clocks[part] = timing::run(s, traces, mhz).cycles;
  }
  return static_cast<double>(clocks[1] - clocks[0]) / times;
}

// From the issue of the first instruction to the issue of the last.
double distance(Arch arch, const std::vector<TimedInstruction>& body, double mhz = 2100) {
  TimedStream s(arch);
  for (const TimedInstruction& l : body) s.add(l);
  const auto at = timing::issue_times(timing::run(s, {s.all()}, mhz, true), 0);
  return static_cast<double>(at.back() - at[0]);
}

struct Measured {
  const char* what;
  Arch arch;
  double published;
  const char* unit;
  std::vector<std::vector<TimedInstruction>> waves;
  uint64_t pc = 0;
};
Texts repeat(const std::string& first, const std::string& text, int n) {
  Texts l;
  if (!first.empty()) l.push_back(first);
  for (int i = 0; i < n; ++i) l.push_back(fmt::format(fmt::runtime(text), i));
  return l;
}
std::vector<TimedInstruction> beside(int matrix_instructions) {  // what a second wave of the SIMD does: MFMA alone
  return std::vector<TimedInstruction>(static_cast<size_t>(matrix_instructions),
                                       TimedInstruction{"v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3]"});
}

void intervals(const Report& report) {
  const Arch g942 = Arch::gfx942, g950 = Arch::gfx950, g90a = Arch::gfx90a, g11 = Arch::gfx1100, g12 = Arch::gfx1200;
  const std::string mfma = "v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3]";
  const auto one = [](const Texts& l) { return std::vector<std::vector<TimedInstruction>>{lines(l)}; };
  std::vector<Measured> all = {
      {"gfx942 MFMA 16x16x16 bf16, independent", g942, 16.026, "clk",
       one({"v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3]",
            "v_mfma_f32_16x16x16_bf16 v[8:11], v[4:5], v[6:7], v[8:11]"})},
      {"gfx950 MFMA 16x16x32 f16, independent", g950, 17, "clk",
       one({"v_mfma_f32_16x16x32_f16 v[0:3], v[16:19], v[20:23], v[0:3]",
            "v_mfma_f32_16x16x32_f16 v[8:11], v[16:19], v[20:23], v[8:11]"})},
      {"gfx950 MFMA 16x16x32 f16, dependent", g950, 18, "clk",
       one({"v_mfma_f32_16x16x32_f16 v[0:3], v[16:19], v[20:23], v[0:3]"})},
      {"gfx90a MFMA 32x32x8 bf16_1k", g90a, 64, "clk",
       one({"v_mfma_f32_32x32x8bf16_1k a[0:15], v[16:17], v[18:19], a[0:15]"})},
      {"gfx942 v_add_f32", g942, 4.012, "clk", one({"v_add_f32 v0, v1, v2"})},
      {"gfx942 v_fma_f32, 8 bytes, aligned", g942, 4.016, "clk", one({"v_fma_f32 v0, v1, v2, v3"})},
      {"gfx942 v_fma_f32 at PC mod 8 = 4", g942, 5.012, "clk", one(repeat("", "v_fma_f32 v{0}, v10, v11, v12", 8)), 4},
      {"gfx942 v_exp_f32", g942, 16.0, "clk", one({"v_exp_f32 v0, v1"})},
      {"gfx942 v_pk_add_f32", g942, 4.008, "clk", one({"v_pk_add_f32 v[0:1], v[2:3], v[4:5]"})},
      {"gfx942 v_exp_f32 and v_add_f32", g942, 20.036, "clk", one({"v_exp_f32 v0, v1", "v_add_f32 v2, v3, v4"})},
      {"gfx1100 v_add_f32, dependent", g11, 5, "clk", one({"v_add_f32 v0, v0, v1"})},
      {"gfx1100 v_add_f32, independent", g11, 1, "clk", one(repeat("", "v_add_f32 v{0}, v20, v21", 8))},
      {"gfx1100 v_exp_f32, independent", g11, 4, "clk",
       one({"v_exp_f32 v0, v10", "v_exp_f32 v1, v11", "v_exp_f32 v2, v12", "v_exp_f32 v3, v13"})},
      {"gfx1100 v_lshlrev_b64", g11, 2, "clk",
       one({"v_lshlrev_b64 v[0:1], 2, v[10:11]", "v_lshlrev_b64 v[2:3], 2, v[10:11]",
            "v_lshlrev_b64 v[4:5], 2, v[10:11]"})},
      {"gfx1100 s_add_u32, dependent", g11, 2, "clk", one({"s_add_u32 s0, s0, s1"})},
      {"gfx1200 WMMA 16x16x16 f16 and iu8", g12, 24, "clk",
       one({"v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]",
            "v_wmma_i32_16x16x16_iu8 v[16:23], v[24:25], v[26:27], v[16:23]"})}};
  for (const int n : {1, 2, 3, 4}) {
    const double add[] = {16.02, 16.024, 16.028, 20.028}, exp[] = {20.028, 36.028, 52.028, 68.028},
                 packed[] = {28.012, 32.012, 36.013, 40.013};
    const double add_other[] = {16.0, 16.0, 16.0, 19.966}, exp_other[] = {19.99, 35.966, 51.966, 67.966},
                 packed_other[] = {20.964, 25.964, 30.964, 35.964};
    static std::vector<std::string> names;
    names.reserve(64);
    const auto name = [&](std::string s) {
      names.push_back(std::move(s));
      return names.back().c_str();
    };
    all.push_back({name(fmt::format("gfx942 MFMA 16x16x16 and {} v_add_f32", n)), g942, add[n - 1], "clk",
                   one(repeat(mfma, "v_add_f32 v1{0}, v20, v21", n))});
    all.push_back({name(fmt::format("gfx942 MFMA 16x16x16 and {} v_exp_f32", n)), g942, exp[n - 1], "clk",
                   one(repeat(mfma, "v_exp_f32 v1{0}, v20", n))});
    all.push_back({name(fmt::format("gfx942 MFMA 16x16x16 and {} v_pk_add_f32", n)), g942, packed[n - 1], "clk",
                   one(repeat(mfma, "v_pk_add_f32 v[10:11], v[20:21], v[22:23]", n))});
    // The other wave of the SIMD is the fifth: four lie between.
    const auto pair = [&](const std::string& text) {
      return std::vector<std::vector<TimedInstruction>>{beside(1), {}, {}, {}, lines(repeat("", text, n))};
    };
    all.push_back({name(fmt::format("gfx942 MFMA, other wave {} v_add_f32", n)), g942, add_other[n - 1], "clk",
                   pair("v_add_f32 v1{0}, v20, v21")});
    all.push_back({name(fmt::format("gfx942 MFMA, other wave {} v_exp_f32", n)), g942, exp_other[n - 1], "clk",
                   pair("v_exp_f32 v1{0}, v20")});
    all.push_back({name(fmt::format("gfx942 MFMA, other wave {} v_pk_add_f32", n)), g942, packed_other[n - 1], "clk",
                   pair("v_pk_add_f32 v[10:11], v[20:21], v[22:23]")});
  }
  for (const Measured& m : all) {
    const double turn = per_turn(m.arch, m.waves, m.pc);
    const bool group = std::string_view(m.what).find(" and ") != std::string_view::npos ||
                       std::string_view(m.what).find("other wave") != std::string_view::npos;
    report({"issue", m.what, m.unit, group ? turn : turn / static_cast<double>(m.waves[0].size()), m.published, ""});
  }
}

void lds_figures(const Report& report) {
  const Arch g = Arch::gfx942;
  const auto latency = [&](const char* name, Arch a, const std::string& text, double published, const char* note) {
    report({"LDS", name, "clk",
            distance(a, {{text},
                         {isa::target(a).resources == isa::ResourceFormat::gfx12 ? "s_wait_dscnt 0x0"
                                                                                 : "s_waitcnt lgkmcnt(0)"},
                         {"s_nop 0"}}),
            published, note});
  };
  latency("gfx942 ds_read_b32 latency", g, "ds_read_b32 v0, v1", 52, "with the wait");
  latency("gfx942 ds_read_b128 latency", g, "ds_read_b128 v[4:7], v1", 64, "with the wait");
  latency("gfx942 ds_write_b32 latency", g, "ds_write_b32 v1, v2", 39, "");
  latency("gfx942 ds_write_b64 latency", g, "ds_write_b64 v1, v[2:3]", 48, "");
  latency("gfx942 ds_write_b128 latency", g, "ds_write_b128 v1, v[4:7]", 60, "");
  latency("gfx90a LDS latency", Arch::gfx90a, "ds_read_b32 v0, v1", 49.95, "p-chase");
  latency("gfx1100 ds_load_b32 latency", Arch::gfx1100, "ds_load_b32 v0, v1", 32, "with the wake-up");
  latency("gfx1100 ds_load_b128 latency", Arch::gfx1100, "ds_load_b128 v[4:7], v1", 37, "with the wake-up");
  latency("gfx1100 ds_store_b32 latency", Arch::gfx1100, "ds_store_b32 v1, v2", 33, "");
  const auto rate = [&](const char* name, const std::string& text, uint32_t conflicts, int waves, double published,
                        const char* note) {
    const std::vector<std::vector<TimedInstruction>> all(
        static_cast<size_t>(waves), std::vector<TimedInstruction>(4, TimedInstruction{text, conflicts}));
    report({"LDS", name, "clk/inst", per_turn(g, all) / 4 / waves, published, note});
  };
  rate("gfx942 ds_read_b32, one wave", "ds_read_b32 v0, v1", 0, 1, 4, "pyhip; 6.6 by gcnasm");
  rate("gfx942 ds_read_b128, one wave", "ds_read_b128 v[4:7], v1", 0, 1, 16, "pyhip; 23 by gcnasm");
  rate("gfx942 ds_read_b128, all SIMDs", "ds_read_b128 v[4:7], v1", 0, 4, 8, "");
  rate("gfx942 ds_read_b32, 64-way conflict", "ds_read_b32 v0, v1", 62, 1, 64, "");
  rate("gfx942 ds_write_b32, one wave", "ds_write_b32 v1, v2", 0, 1, 8, "documented; 9.3 by gcnasm");
  rate("gfx942 ds_write_b128, one wave", "ds_write_b128 v1, v[4:7]", 0, 1, 20, "documented; 31.3 by gcnasm");
}

void memory_figures(const Report& report) {
  const auto chase = [&](const char* name, Arch a, Level level, bool twice, double mhz, double published) {
    const bool split = isa::target(a).resources == isa::ResourceFormat::gfx12;
    const std::string load = isa::target(a).wave_size == 64 ? "global_load_dword v0, v[2:3], off"
                                                            : "global_load_b32 v0, v[2:3], off",
                      wait = split ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)";
    std::vector<TimedInstruction> body{{load, 0, {1000}, level}, {wait}};
    if (twice) body.push_back({load, 0, {1000}, level}), body.push_back({wait});
    body.push_back({"s_nop 0"});
    const double all = distance(a, body, mhz);
    report({"memory", name, "clk", twice ? all - distance(a, {body[0], body[1], body.back()}, mhz) : all, published,
            fmt::format("p-chase at {:.0f} MHz", mhz)});
  };
  chase("gfx942 L1 hit", Arch::gfx942, Level::l2, true, 2100, 116);
  chase("gfx942 L2 hit", Arch::gfx942, Level::l2, false, 2100, 287.5);
  chase("gfx942 memory", Arch::gfx942, Level::memory, false, 2100, 899.7);
  chase("gfx942 (MI308X) memory", Arch::gfx942, Level::memory, false, 1420, 622);
  chase("gfx90a L1 hit", Arch::gfx90a, Level::l2, true, 1700, 124);
  chase("gfx90a L2 hit", Arch::gfx90a, Level::l2, false, 1700, 302.1);
  chase("gfx90a memory", Arch::gfx90a, Level::memory, false, 1700, 740.9);
  chase("gfx1100 L2 hit", Arch::gfx1100, Level::l2, false, 2400, 340);
  std::vector<uint32_t> sectors(16);
  for (uint32_t i = 0; i < 16; ++i) sectors[i] = i;
  const std::vector<TimedInstruction> load{{"global_load_dwordx4 v[4:7], v[2:3], off", 0, sectors, Level::l2}};
  TimedStream s(Arch::gfx942);  // the 17th to the 48th: at the 50th the wave waits for data
  s.add(load);
  const auto at = timing::issue_times(timing::run(s, {s.repeat(0, 1, 48, 16)}, 2100, true), 0);
  report({"memory", "gfx942 dwordx4 loads of one wave, interval", "clk", static_cast<double>(at[47] - at[16]) / 31, 16,
          "after the first 16"});
  const std::vector<std::vector<TimedInstruction>> all(8, load);
  report({"memory", "gfx942 L2 read, one CU", "B/clk", 8 * 1024 / per_turn(Arch::gfx942, all, 0, 2100, 16), 24.1,
          "mt4g: 14365 GiB/s by 304 CUs at 2.1 GHz; documented 64"});
}

}  // namespace

void validate_micro(const Sources&, const Report& report, const Missing&) {
  intervals(report);
  lds_figures(report);
  memory_figures(report);
}

}  // namespace wavesmith::validation
