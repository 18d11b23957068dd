// Matrix products that are put off (simulator/deferred.h) against the same instructions one at a time, which put
// nothing off.
#include <random>

#include "tests/support/one_wave.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;

namespace {

// Registers 16 to 111 are compared, those from 64 on a0 to a47 where there are AGPRs: what looks at accumulators, feeds
// operands, and multiplies, in any order and at any overlap.
constexpr int first = 16, last = 112, border = 64;
struct Shape {
  const char* name;
  int d, ab;
};  // registers
struct MatrixTarget {
  const char *name, *load, *store, *wait;
  int operand_align;
  std::vector<Shape> shapes;
  bool agprs;
};
const MatrixTarget matrix_targets[] = {
    {"gfx942",
     "global_load_dword",
     "global_store_dword",
     "s_waitcnt vmcnt(0)",
     2,
     {{"v_mfma_f32_32x32x8_f16", 16, 2},
      {"v_mfma_f32_16x16x16_f16", 4, 2},
      {"v_mfma_f32_4x4x4_16b_f16", 4, 2},
      {"v_mfma_f32_32x32x16_fp8_bf8", 16, 2},
      {"v_mfma_f32_32x32x4_2b_bf16", 32, 2},
      {"v_mfma_f32_16x16x4_f32", 4, 1},
      {"v_mfma_i32_16x16x32_i8", 4, 2}},
     true},
    {"gfx1200",
     "global_load_b32",
     "global_store_b32",
     "s_wait_loadcnt 0x0",
     1,
     {{"v_wmma_f32_16x16x16_f16", 8, 4},
      {"v_wmma_f32_16x16x16_bf16", 8, 4},
      {"v_wmma_f32_16x16x16_fp8_bf8", 8, 2},
      {"v_wmma_f16_16x16x16_f16", 4, 4}},
     false},
};

struct MatrixWriter {
  const MatrixTarget& m;
  std::mt19937 random;
  int upto(int n) { return static_cast<int>(random() % static_cast<uint32_t>(n)); }
  bool in_one_file(int reg, int size) const { return !m.agprs || reg + size <= border || reg >= border; }
  bool accumulates(int reg) const { return m.agprs && reg >= border; }
  int tuple(int size) {
    const int step = size > 1 ? m.operand_align : 1;
    for (;;)
      if (const int reg = first + upto((last - first - size) / step + 1) * step; in_one_file(reg, size)) return reg;
  }
  std::string name(int reg, int count) const {
    const char file = accumulates(reg) ? 'a' : 'v';
    const int at = accumulates(reg) ? reg - border : reg;
    return count == 1 ? fmt::format("{}{}", file, at) : fmt::format("{}[{}:{}]", file, at, at + count - 1);
  }
  static bool apart(int a, int na, int b, int nb) { return a + na <= b || b + nb <= a; }

  std::string product() {
    const Shape& s = m.shapes[static_cast<size_t>(upto(static_cast<int>(m.shapes.size())))];
    const int kind = upto(10);
    int a, b, c, d;
    do d = first + upto((last - first) / s.d) * s.d;
    while (!in_one_file(d, s.d));  // few of them, so that chains form
    do a = tuple(s.ab), b = tuple(s.ab);
    while (!apart(a, s.ab, d, s.d) || !apart(b, s.ab, d, s.d));
    c = kind == 1 ? tuple(s.d) : d;
    if (!apart(c, s.d, d, s.d) || accumulates(c) != accumulates(d)) c = d;
    return fmt::format("{} {}, {}, {}, {}", s.name, name(d, s.d), name(a, s.ab), name(b, s.ab),
                       kind == 0 ? "0" : name(c, s.d));
  }
  std::string line() {
    const int kind = upto(8), x = first + upto(last - first), y = first + upto(last - first);
    if (kind == 0) {
      const char* move = accumulates(x)   ? (accumulates(y) ? "v_accvgpr_mov_b32" : "v_accvgpr_write_b32")
                         : accumulates(y) ? "v_accvgpr_read_b32"
                                          : "v_mov_b32";
      return fmt::format("{} {}, {}", move, name(x, 1), name(y, 1));
    }
    if (kind == 1 && !accumulates(x) && !accumulates(y)) return fmt::format("v_add_f32 v{}, 1.0, v{}", x, y);
    return product();
  }
};

// Small numbers in the formats of any operand: the sums stay finite, mostly.
std::vector<uint32_t> contents(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint32_t> x(static_cast<size_t>(last - first) * 64);
  for (uint32_t& v : x) v = (random() & 0x87ff87ff) | 0x30003000;
  return x;
}

std::vector<uint32_t> launched(const MatrixTarget& m, const std::vector<std::string>& lines, uint32_t seed,
                               sim::Numerics numerics) {
  const int lanes = isa::target(*isa::find_arch(m.name)).wave_size;
  std::string body = fmt::format("s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\n{}\n",
                                 m.agprs ? "s_waitcnt lgkmcnt(0)" : "s_wait_kmcnt 0x0");
  const auto each = [&](const char* op, int base, bool store) {
    for (int r = first; r < last; ++r) {
      const std::string at = fmt::format("s[{}:{}]", base, base + 1);
      const std::string name = MatrixWriter{m, {}}.name(r, 1);
      body += store ? fmt::format("{} v1, {}, {}\n", op, name, at) : fmt::format("{} {}, v1, {}\n", op, name, at);
      body += fmt::format("s_add_u32 s{0}, s{0}, {2}\ns_addc_u32 s{1}, s{1}, 0\n", base, base + 1, 256);
    }
  };
  each(m.load, 4, false);
  body += std::string(m.wait) + "\n";
  for (const auto& l : lines) body += l + "\n";
  each(m.store, 6, true);
  simtest::Assembly kernel{body + "s_endpgm\n"};
  kernel.target = m.name, kernel.agprs = m.agprs ? last - border : 0;
  const auto in = contents(seed);
  simtest::Bench bench(in.size() * 4, in.size() * 4);
  bench.launch.block = {static_cast<uint32_t>(lanes), 1, 1};
  bench.options.numerics = numerics, bench.options.checks.hazards = false, bench.options.checks.undefined = false;
  bench.fill(in);
  const auto result = bench.run(kernel.build());
  REQUIRE(simtest::fault_of(result) == "none");
  return bench.result<uint32_t>(in.size());
}

std::vector<uint32_t> one_by_one(const MatrixTarget& m, const std::vector<std::string>& lines, uint32_t seed,
                                 sim::Numerics numerics) {
  simtest::OneWave one(*isa::find_arch(m.name));
  one.numerics(numerics);
  auto x = contents(seed);
  const auto at = [&](int r) { return one.v(m.agprs && r >= border ? 256 + r - border : r); };
  for (int r = first; r < last; ++r) std::copy_n(x.begin() + (r - first) * 64, one.width(), at(r));
  for (const auto& l : lines) one.run(l);
  std::fill(x.begin(), x.end(), 0);
  for (int r = first; r < last; ++r) std::copy_n(at(r), one.width(), x.begin() + (r - first) * 64);
  return x;
}

}  // namespace

TEST_CASE("deferred matrix products leave every register as immediate ones do", "[sim][matrix]") {
  for (const MatrixTarget& m : matrix_targets)
    for (const auto numerics : {sim::Numerics::fast, sim::Numerics::exact})
      for (uint32_t seed = 1; seed <= 12; ++seed) {
        MatrixWriter writer{m, std::mt19937(seed)};
        std::vector<std::string> lines;
        for (int i = 0; i < 150; ++i) lines.push_back(writer.line());
        const auto got = launched(m, lines, seed, numerics), want = one_by_one(m, lines, seed, numerics);
        for (size_t i = 0; i < got.size(); ++i) {
          if (static_cast<int>(i % 64) >= isa::target(*isa::find_arch(m.name)).wave_size || got[i] == want[i]) continue;
          INFO(m.name << " seed " << seed << " register " << first + static_cast<int>(i / 64) << " lane " << i % 64);
          REQUIRE(got[i] == want[i]);
        }
      }
}
