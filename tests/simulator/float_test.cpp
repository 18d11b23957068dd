// Float arithmetic of the simulator against formulas that share nothing with it: quadruple precision, ordered tables,
// C++'s own operators.
#include <cmath>
#include <functional>
#include <random>

#include "tests/support/lane_program.h"

using namespace simtest;
using isa::Arch;

namespace {

constexpr float inf = INFINITY;
uint32_t low(double x) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(x)); }
uint32_t high(double x) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(x) >> 32); }
double d(uint32_t lo, uint32_t hi) { return std::bit_cast<double>(lo | uint64_t{hi} << 32); }

// binary16 from its definition.
double half_value(uint32_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double a = e == 31 ? (m ? NAN : double{inf}) : e ? std::ldexp(1024 + m, e - 25) : std::ldexp(m, -24);
  return h & 0x8000 ? -a : a;
}
// The half nearest to x: by search in the ordered positive ones; ties to the even code.
uint32_t nearest_half(double x) {
  static const auto table = [] {
    std::vector<double> t;
    for (uint32_t h = 0; h < 0x7c00; ++h) t.push_back(half_value(h));
    t.push_back(65536);
    return t;
  }();
  const uint32_t sign = std::signbit(x) ? 0x8000 : 0;
  const double a = std::fabs(x);
  if (std::isnan(x)) return sign | 0x7e00;
  if (a >= 65536) return sign | 0x7c00;
  const auto above = static_cast<uint32_t>(std::upper_bound(table.begin(), table.end(), a) - table.begin());
  const double down = a - table[above - 1], up = table[above] - a;
  return sign | (down < up || (down == up && (above - 1) % 2 == 0) ? above - 1 : above);
}
bool same_half(uint32_t a, uint32_t b) { return a == b || ((a & 0x7fff) > 0x7c00 && (b & 0x7fff) > 0x7c00); }
bool same_float(float a, float b) { return u(a) == u(b) || (std::isnan(a) && std::isnan(b)); }

std::vector<In> all_halves() {
  std::vector<In> in(65536);
  for (uint32_t i = 0; i < in.size(); ++i) in[i] = {i | 0xabcd0000u};
  return in;
}

// Floats whose exponents stay near enough for a quadruple to hold every sum and product exactly.
std::vector<In> moderate(size_t n, unsigned seed) {
  std::mt19937 r(seed);
  std::vector<In> in(n);
  for (auto& x : in)
    for (auto& b : x) b = (r() & 0x807fffff) | (107 + r() % 40) << 23;
  return in;
}
using quad = __float128;
// The float next to `exact` in MODE's direction: nearest even, up, down, zero.
float rounded(quad exact, int mode) {
  float r = static_cast<float>(exact);
  if (mode == 0) return r;
  const bool up = mode == 1 || (mode == 3 && exact < 0);
  if (up && static_cast<quad>(r) < exact) r = std::nextafterf(r, inf);
  if (!up && static_cast<quad>(r) > exact) r = std::nextafterf(r, -inf);
  return r;
}
double rounded64(quad exact, int mode) {
  double r = static_cast<double>(exact);
  if (mode == 0) return r;
  const bool up = mode == 1 || (mode == 3 && exact < 0);
  if (up && static_cast<quad>(r) < exact) r = std::nextafter(r, double{inf});
  if (!up && static_cast<quad>(r) > exact) r = std::nextafter(r, -double{inf});
  return r;
}

const std::vector<float> edges = {0.f,
                                  -0.f,
                                  1.f,
                                  -1.f,
                                  1.5f,
                                  -2.5f,
                                  0x1p-126f,
                                  -0x1p-126f,
                                  0x1p-149f,
                                  -0x1p-130f,
                                  0x1.fffffep127f,
                                  -0x1.fffffep127f,
                                  inf,
                                  -inf,
                                  NAN,
                                  3.f,
                                  0x1p-60f,
                                  0x1p100f};
std::vector<In> edge_pairs() {
  std::vector<In> in;
  for (float a : edges)
    for (float b : edges) in.push_back({u(a), u(b)});
  return in;
}

}  // namespace

TEST_CASE("f32 sums, products and fused multiply-adds are rounded as MODE says", "[sim][float]") {
  const auto in = moderate(4096, 1);
  for (int mode = 0; mode < 4; ++mode) {
    const auto out =
        run_lanes(Arch::gfx942,
                  "v_add_f32 v12, v4, v5\n v_mul_f32 v13, v4, v5\n v_fma_f32 v14, v4, v5, v6\n v_sub_f32 v15, v4, v5",
                  in, {.round_f32 = mode});
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const quad a = f(in[i][0]), b = f(in[i][1]), c = f(in[i][2]);
      wrong += !same_float(f(out[i][0]), rounded(a + b, mode)) + !same_float(f(out[i][1]), rounded(a * b, mode)) +
               !same_float(f(out[i][2]), rounded(a * b + c, mode)) + !same_float(f(out[i][3]), rounded(a - b, mode));
    }
    INFO("round mode " << mode);
    CHECK(wrong == 0);
  }
}

TEST_CASE("f64 arithmetic and narrowing are rounded as MODE says", "[sim][float]") {
  std::mt19937_64 r(2);
  std::vector<In> in(4096);
  for (auto& x : in)
    for (int k = 0; k < 8; k += 2) {
      const double v = std::bit_cast<double>((r() & 0x800fffffffffffff) | (1021 + r() % 4) << 52);
      x[k] = low(v), x[k + 1] = high(v);
    }
  for (int mode = 0; mode < 4; ++mode) {
    const Mode m{.round_f32 = mode, .round_f16_64 = mode};
    const auto sums =
        run_lanes(Arch::gfx942, "v_add_f64 v[12:13], v[4:5], v[6:7]\n v_mul_f64 v[14:15], v[4:5], v[6:7]", in, m);
    const auto fused = run_lanes(
        Arch::gfx1100, "v_fma_f64 v[12:13], v[4:5], v[6:7], v[8:9]\n v_cvt_f32_f64 v14, v[4:5]\n v_cvt_f32_i32 v15, v4",
        in, m);
    const auto apart = run_lanes(Arch::gfx942, "v_cvt_f32_f64 v12, v[4:5]", in,
                                 {.round_f32 = 3 - mode, .round_f16_64 = mode});  // the field of f64 counts
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const quad a = d(in[i][0], in[i][1]), b = d(in[i][2], in[i][3]), c = d(in[i][4], in[i][5]);
      wrong += d(sums[i][0], sums[i][1]) != rounded64(a + b, mode);
      wrong += d(sums[i][2], sums[i][3]) != rounded64(a * b, mode);
      wrong += d(fused[i][0], fused[i][1]) != rounded64(a * b + c, mode);
      wrong += f(fused[i][2]) != rounded(a, mode);
      wrong += f(fused[i][3]) != rounded(static_cast<int32_t>(in[i][0]), mode);
      wrong += f(apart[i][0]) != rounded(a, mode);
    }
    INFO("round mode " << mode);
    CHECK(wrong == 0);
  }
}

TEST_CASE("every f16 rounds to integers, splits and converts as its value says", "[sim][float]") {
  const auto in = all_halves();
  struct Unary {
    const char* text;
    std::function<double(double)> f;
  };
  const std::vector<Unary> exact = {
      {"v_trunc_f16", [](double x) { return std::trunc(x); }},
      {"v_ceil_f16", [](double x) { return std::ceil(x); }},
      {"v_floor_f16", [](double x) { return std::floor(x); }},
      {"v_rndne_f16", [](double x) { return std::nearbyint(x); }},
      {"v_fract_f16", [](double x) { return std::isinf(x) ? NAN : std::min(x - std::floor(x), 0x1.ffcp-1); }},
      {"v_frexp_mant_f16",
       [](double x) {
         int e;
         return std::isfinite(x) ? std::frexp(x, &e) : x;
       }},
      {"v_sqrt_f16", [](double x) { return std::sqrt(x); }},
      {"v_rcp_f16", [](double x) { return 1 / x; }}};
  for (const Arch arch : {Arch::gfx942, Arch::gfx1100})
    for (const auto& op : exact) {
      const auto out = run_lanes(arch, fmt::format("v_mov_b32 v12, 0x55550000\n{} v12, v4", op.text), in);
      int wrong = 0, halves = 0;
      for (uint32_t h = 0; h < 65536; ++h) {
        const double x = op.f(half_value(h));
        wrong += !same_half(out[h][0] & 0xffff, nearest_half(std::isnan(x) ? NAN : x));
        halves += out[h][0] >> 16 != (isa::target(arch).family >= isa::Family::rdna3
                                          ? 0x5555
                                          : 0);  // gfx9 clears the other half, later targets keep it
      }
      INFO(op.text << " on " << isa::target(arch).name);
      CHECK(wrong == 0);
      CHECK(halves == 0);
    }
}

TEST_CASE("the transcendental f16 instructions stay within one place of the true value", "[sim][float]") {
  const auto in = all_halves();
  struct Unary {
    const char* text;
    std::function<long double(long double)> f;
  };
  const std::vector<Unary> ops = {
      {"v_exp_f16", [](long double x) { return exp2l(x); }},
      {"v_log_f16", [](long double x) { return log2l(x); }},
      {"v_rsq_f16", [](long double x) { return 1 / sqrtl(x); }},
      {"v_sin_f16", [](long double x) { return sinl(x * 6.283185307179586476925286766559L); }},
      {"v_cos_f16", [](long double x) { return cosl(x * 6.283185307179586476925286766559L); }}};
  for (const auto& op : ops) {
    const auto out = run_lanes(Arch::gfx1100, fmt::format("{} v12, v4", op.text), in);
    int wrong = 0;
    for (uint32_t h = 0; h < 65536; ++h) {
      const double x = half_value(h), want = static_cast<double>(op.f(x)), got = half_value(out[h][0] & 0xffff);
      if (std::fabs(x) > 256 && (op.text[2] == 's' || op.text[2] == 'c') && op.text[3] != 'q' &&
          std::string(op.text) != "v_sqrt_f16")
        continue;  // outside the domain of sine and cosine
      if (std::isnan(want) || std::isnan(got)) {
        wrong += std::isnan(want) != std::isnan(got);
        continue;
      }
      const double place =
          std::max(std::ldexp(1.0, std::ilogb(want == 0 || !std::isfinite(want) ? 1.0 : want) - 10), 0x1p-24);
      wrong += half_value(nearest_half(want)) != got && !(std::fabs(got - want) <= place);
    }
    INFO(op.text);
    CHECK(wrong == 0);
  }
}

TEST_CASE("the transcendental f32 instructions stay within one place of the true value", "[sim][float]") {
  std::mt19937 r(3);
  std::vector<In> in(4096);
  for (auto& x : in) x = {static_cast<uint32_t>((r() & 0x807fffff) | (97 + r() % 37) << 23)};  // 2^-30 to 2^6
  const auto a =
      run_lanes(Arch::gfx942, "v_exp_f32 v12, v4\n v_log_f32 v13, |v4|\n v_rcp_f32 v14, v4\n v_rsq_f32 v15, |v4|", in);
  const auto b =
      run_lanes(Arch::gfx1250, "v_sin_f32 v12, v4\n v_cos_f32 v13, v4\n v_tanh_f32 v14, v4\n v_sqrt_f32 v15, |v4|", in);
  int wrong = 0;
  const auto check = [&](uint32_t got, long double want, double slack) {
    const double place = std::ldexp(1.0, std::ilogb(static_cast<double>(want)) - 23);
    wrong += std::fabs(f(got) - static_cast<double>(want)) > place + slack;
  };
  for (size_t i = 0; i < in.size(); ++i) {
    const long double x = f(in[i][0]), m = std::fabs(x), turn = 6.283185307179586476925286766559L;
    check(a[i][0], exp2l(x), 0), check(a[i][1], log2l(m), 0), check(a[i][2], 1 / x, 0), check(a[i][3], 1 / sqrtl(m), 0);
    check(b[i][0], sinl((x - floorl(x)) * turn), 0x1p-30), check(b[i][1], cosl((x - floorl(x)) * turn), 0x1p-30),
        check(b[i][2], tanhl(x), 0), check(b[i][3], sqrtl(m), 0);
  }
  CHECK(wrong == 0);
}

TEST_CASE("minimum and maximum follow each generation's rules for NaN and zero", "[sim][float]") {
  constexpr uint32_t quiet = 0x7fc00001, signalling = 0x7f800001, one = 0x3f800000, zero = 0, minus_zero = 0x80000000;
  struct Case {
    Arch arch;
    bool ieee;
    const char* op;
    uint32_t a, b, want;
  };
  const std::vector<Case> cases = {{Arch::gfx942, true, "v_min_f32", quiet, one, one},
                                   {Arch::gfx942, true, "v_min_f32", one, quiet, one},
                                   {Arch::gfx942, true, "v_max_f32", signalling, one, 0x7fc00001},
                                   {Arch::gfx942, true, "v_max_f32", one, signalling, 0x7fc00001},
                                   {Arch::gfx942, false, "v_max_f32", signalling, one, one},
                                   {Arch::gfx1100, true, "v_min_f32", signalling, one, 0x7fc00001},
                                   {Arch::gfx1100, false, "v_min_f32", one, signalling, one},
                                   {Arch::gfx1200, true, "v_min_num_f32", signalling, one, one},
                                   {Arch::gfx1200, true, "v_minimum_f32", quiet, one, quiet},
                                   {Arch::gfx1200, true, "v_maximum_f32", one, signalling, 0x7fc00001},
                                   {Arch::gfx942, true, "v_min_f32", zero, minus_zero, minus_zero},
                                   {Arch::gfx942, true, "v_max_f32", minus_zero, zero, zero},
                                   {Arch::gfx1200, true, "v_maximum_f32", minus_zero, zero, zero},
                                   {Arch::gfx1200, true, "v_minimum_f32", zero, minus_zero, minus_zero}};
  for (const auto& c : cases) {
    const auto out = run_lanes(c.arch, fmt::format("{} v12, v4, v5", c.op), {In{c.a, c.b}}, {.ieee = c.ieee});
    INFO(c.op << " on " << isa::target(c.arch).name << (c.ieee ? " with" : " without") << " MODE.IEEE of " << std::hex
              << c.a << " and " << c.b);
    CHECK(out[0][0] == c.want);
  }
}

TEST_CASE("min3, max3 and med3 order three numbers", "[sim][float]") {
  const auto in = moderate(1024, 4);
  const auto out = run_lanes(Arch::gfx942,
                             "v_min3_f32 v12, v4, v5, v6\n v_med3_f32 v13, v4, v5, v6\n v_max3_f32 v14, v4, v5, v6\n "
                             "v_med3_f32 v15, v4, v4, v6",
                             in);
  const auto halves = run_lanes(Arch::gfx1100,
                                "v_min3_f16 v12, v4, v5, v6\n v_med3_f16 v13, v4, v5, v6\n v_max3_f16 v14, v4, v5, "
                                "v6\n v_maxmin_f16 v15, v4, v5, v6",
                                in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    std::array<float, 3> s{f(in[i][0]), f(in[i][1]), f(in[i][2])};
    std::sort(s.begin(), s.end());
    for (int k = 0; k < 3; ++k) wrong += f(out[i][k]) != s[k];
    wrong += f(out[i][3]) != f(in[i][0]);
    std::array<double, 3> h{half_value(in[i][0] & 0xffff), half_value(in[i][1] & 0xffff),
                            half_value(in[i][2] & 0xffff)};
    if (std::isnan(h[0]) || std::isnan(h[1]) || std::isnan(h[2])) continue;
    wrong += half_value(halves[i][3] & 0xffff) != std::min(std::max(h[0], h[1]), h[2]);
    std::sort(h.begin(), h.end());
    for (int k = 0; k < 3; ++k) wrong += half_value(halves[i][k] & 0xffff) != h[k];
  }
  CHECK(wrong == 0);
}

TEST_CASE("denormals go in and come out as MODE says", "[sim][float]") {
  // v4: a denormal; v5: 1; v6, v7: two normals whose product is a denormal.
  const In in{0x00400000, u(1.f), u(0x1p-100f), u(0x1p-30f), 0x0001, 0x3c00};
  const std::string body =
      "v_mul_f32 v12, v4, v5\n v_mul_f32 v13, v6, v7\n v_mul_f16 v14, v8, v9\n v_add_f32 v15, -v4, 0";
  for (int mode = 0; mode < 4; ++mode) {
    const auto out = run_lanes(Arch::gfx942, body, {in}, {.denorm_f32 = mode, .denorm_f16_64 = mode})[0];
    INFO("denormal mode " << mode);
    CHECK(out[0] == (mode == 3 ? 0x00400000u : 0u));  // needs both: in (1) and out (2)
    CHECK(out[1] == ((mode & 2) ? u(0x1p-130f) : 0u));
    CHECK(out[2] == (mode == 3 ? 1u : 0u));
    CHECK((out[3] & 0x7fffffff) == (mode == 3 ? 0x00400000u : 0u));
  }
}

TEST_CASE("clamp and output modifiers act on results, under their conditions", "[sim][float]") {
  const In in{u(3.f), u(-1.f), 0x7fc00000, u(0.25f)};
  const std::string clamps =
      "v_add_f32 v12, v4, 0 clamp\n v_add_f32 v13, v5, 0 clamp\n v_add_f32 v14, v6, 0 clamp\n v_add_f32 v15, v7, 0 "
      "clamp";
  const auto out = run_lanes(Arch::gfx942, clamps, {in})[0];
  CHECK((out[0] == u(1.f) && out[1] == 0 && out[2] == 0 && out[3] == u(0.25f)));
  CHECK(std::isnan(f(run_lanes(Arch::gfx942, clamps, {in}, {.dx10_clamp = false})[0][2])));
  const std::string scales =
      "v_add_f32 v12, v4, 0 mul:2\n v_add_f32 v13, v5, 0 mul:4\n v_add_f32 v14, v7, 0 div:2\n v_add_f32 v15, v4, 0 "
      "clamp mul:4";
  const auto scaled = run_lanes(Arch::gfx942, scales, {in}, {.denorm_f32 = 0, .ieee = false})[0];
  CHECK((f(scaled[0]) == 6 && f(scaled[1]) == -4 && f(scaled[2]) == 0.125f && f(scaled[3]) == 1));
  for (const Mode m : {Mode{.denorm_f32 = 3, .ieee = false}, Mode{.denorm_f32 = 0, .ieee = true}})
    CHECK(f(run_lanes(Arch::gfx942, scales, {in}, m)[0][0]) == 3);  // ignored with output denormals, and with MODE.IEEE
}

TEST_CASE("compares answer what C++ answers, NaN and all", "[sim][float]") {
  const auto in = edge_pairs();
  struct Test {
    const char* name;
    bool (*holds)(float, float);
  };
  const std::vector<Test> tests = {{"lt", [](float a, float b) { return a < b; }},
                                   {"eq", [](float a, float b) { return a == b; }},
                                   {"le", [](float a, float b) { return a <= b; }},
                                   {"gt", [](float a, float b) { return a > b; }},
                                   {"lg", [](float a, float b) { return a < b || a > b; }},
                                   {"ge", [](float a, float b) { return a >= b; }},
                                   {"o", [](float a, float b) { return a == a && b == b; }},
                                   {"u", [](float a, float b) { return a != a || b != b; }},
                                   {"nge", [](float a, float b) { return !(a >= b); }},
                                   {"nlg", [](float a, float b) { return !(a < b || a > b); }},
                                   {"ngt", [](float a, float b) { return !(a > b); }},
                                   {"nle", [](float a, float b) { return !(a <= b); }},
                                   {"neq", [](float a, float b) { return !(a == b); }},
                                   {"nlt", [](float a, float b) { return !(a < b); }}};
  for (const auto& t : tests) {
    // f64 operands hold the same values; f16 ones are compared on their own below.
    const auto out = run_lanes(
        Arch::gfx942,
        fmt::format(
            "v_cvt_f64_f32 v[20:21], v4\n v_cvt_f64_f32 v[22:23], v5\n v_cvt_f16_f32 v24, v4\n v_cvt_f16_f32 v25, v5\n "
            "v_cmp_{0}_f32 vcc, v4, v5\n v_cndmask_b32 v12, 0, 1, vcc\n"
            "v_cmp_{0}_f64 vcc, v[20:21], v[22:23]\n v_cndmask_b32 v13, 0, 1, vcc\n v_cmp_{0}_f16 vcc, v24, v25\n "
            "v_cndmask_b32 v14, 0, 1, vcc\n"
            "s_mov_b64 s[10:11], exec\n v_cmpx_{0}_f32 s[12:13], v4, v5\n v_mov_b32 v15, 1\n s_mov_b64 exec, s[10:11]",
            t.name),
        in);
    int wrong = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      const bool want = t.holds(f(in[i][0]), f(in[i][1]));
      const auto h = [](uint32_t b) { return static_cast<float>(half_value(nearest_half(f(b)))); };
      wrong += (out[i][0] != want) + (out[i][1] != want) + (out[i][3] != want) +
               (out[i][2] != t.holds(h(in[i][0]), h(in[i][1])));
    }
    INFO(t.name);
    CHECK(wrong == 0);
  }
}

TEST_CASE("v_cmpx of later targets writes EXEC and no register", "[sim][float]") {
  const auto out =
      run_lanes(Arch::gfx1100,
                "s_mov_b32 s10, exec_lo\n s_mov_b32 s0, 0x1234\n s_mov_b32 vcc_lo, 0x77\n v_cmpx_lt_f32 v4, v5\n "
                "v_mov_b32 v12, 1\n s_mov_b32 exec_lo, s10\n v_mov_b32 v13, s0\n v_mov_b32 v14, vcc_lo",
                {In{u(1.f), u(2.f)}, In{u(2.f), u(1.f)}});
  CHECK((out[0][0] == 1 && out[1][0] == 0 && out[0][1] == 0x1234 && out[0][2] == 0x77));
}

TEST_CASE("v_cmp_class sorts every f16 into its one class", "[sim][float]") {
  const auto in = all_halves();
  const auto out = run_lanes(
      Arch::gfx1100,
      "v_mov_b32 v20, 1\n v_mov_b32 v21, 0\n v_mov_b32 v22, 0\n" +
          [] {
            std::string s;
            for (int k = 0; k < 10; ++k)
              s += fmt::format(
                  "v_mov_b32 v23, 0x{:x}\n v_cmp_class_f16 vcc_lo, v4, v23\n v_cndmask_b32 v24, 0, v23, vcc_lo\n "
                  "v_or_b32 v12, v12, v24\n",
                  1 << k);
            return s;
          }(),
      in);
  int wrong = 0;
  for (uint32_t h = 0; h < 65536; ++h) {
    const uint32_t m = h & 0x7fff;
    const bool negative = h & 0x8000;
    const int k = m > 0x7c00    ? (m & 0x200 ? 1 : 0)
                  : m == 0x7c00 ? (negative ? 2 : 9)
                  : m >= 0x400  ? (negative ? 3 : 8)
                  : m           ? (negative ? 4 : 7)
                  : negative    ? 5
                                : 6;
    wrong += out[h][0] != 1u << k;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the division sequences give the correctly rounded quotient", "[sim][float]") {
  auto in = edge_pairs();
  std::mt19937 r(5);
  for (int i = 0; i < 4096; ++i) in.push_back({static_cast<uint32_t>(r()), static_cast<uint32_t>(r())});
  const auto out = run_lanes(Arch::gfx942, R"(
    v_div_scale_f32 v20, s[10:11], v5, v5, v4
    v_div_scale_f32 v21, vcc, v4, v5, v4
    v_rcp_f32 v22, v20
    v_fma_f32 v23, -v20, v22, 1.0
    v_fma_f32 v22, v23, v22, v22
    v_mul_f32 v23, v21, v22
    v_fma_f32 v24, -v20, v23, v21
    v_fma_f32 v23, v24, v22, v23
    v_fma_f32 v24, -v20, v23, v21
    v_div_fmas_f32 v22, v24, v22, v23
    v_div_fixup_f32 v12, v22, v5, v4)",
                             in);
  int wrong = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const float want = f(in[i][0]) / f(in[i][1]);
    if (!same_float(f(out[i][0]), want) && ++wrong < 4)
      WARN("f32 " << std::hexfloat << f(in[i][0]) << " / " << f(in[i][1]) << " is " << want << ", got "
                  << f(out[i][0]));
  }
  CHECK(wrong == 0);
  std::vector<In> wide;
  std::mt19937_64 r64(6);
  for (int i = 0; i < 4096; ++i) {
    const uint64_t a = r64(), b = r64();
    wide.push_back({static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32), static_cast<uint32_t>(b),
                    static_cast<uint32_t>(b >> 32)});
  }
  const auto quotients = run_lanes(Arch::gfx942, R"(
    v_div_scale_f64 v[20:21], s[10:11], v[6:7], v[6:7], v[4:5]
    v_rcp_f64 v[22:23], v[20:21]
    v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
    v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
    v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0
    v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]
    v_div_scale_f64 v[26:27], vcc, v[4:5], v[6:7], v[4:5]
    v_mul_f64 v[28:29], v[26:27], v[22:23]
    v_fma_f64 v[20:21], -v[20:21], v[28:29], v[26:27]
    v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[28:29]
    v_div_fixup_f64 v[12:13], v[20:21], v[6:7], v[4:5])",
                                   wide);
  wrong = 0;
  for (size_t i = 0; i < wide.size(); ++i) {
    const double a = d(wide[i][0], wide[i][1]), b = d(wide[i][2], wide[i][3]), want = a / b,
                 got = d(quotients[i][0], quotients[i][1]);
    if (!(got == want || (std::isnan(got) && std::isnan(want))) && ++wrong < 4)
      WARN("f64 " << std::hexfloat << a << " / " << b << " is " << want << ", got " << got);
  }
  CHECK(wrong == 0);
}

TEST_CASE("operands of a division are scaled by their exponents, as silicon was seen to", "[sim][float]") {
  // Powers of two: numerator, denominator; what becomes of them, and whether the quotient is to be scaled. Of gfx1100
  // and gfx1201: ROCm/rocm-systems.
  struct Case {
    int num, den, scaled_num, scaled_den;
    bool flag;
  };
  const Case cases[] = {{-140, 0, -76, 0, true},       {-10, 127, -10, 63, true},       {-30, 70, 34, 70, true},
                        {-24, 65, -24, 65, false},     {100, -20, 100, 44, true},       {-53, -149, 11, -85, false},
                        {-103, -126, -39, -62, false}, {-102, -126, -102, -126, false}, {0, 126, 0, 62, true},
                        {31, 126, -33, 62, false}};
  std::vector<In> in;
  for (const Case& c : cases) in.push_back({u(std::ldexp(1.f, c.num)), u(std::ldexp(1.f, c.den))});
  in.push_back({u(1.f), 0}), in.push_back({0, u(1.f)});
  const auto out = run_lanes(Arch::gfx1100,
                             "v_div_scale_f32 v12, s10, v4, v5, v4\n v_div_scale_f32 v13, s11, v5, v5, v4\n "
                             "v_cndmask_b32 v14, 0, 1, s10\n v_cndmask_b32 v15, 0, 1, s11",
                             in);
  for (size_t i = 0; i < std::size(cases); ++i) {
    CAPTURE(i);
    CHECK(out[i] == Out{u(std::ldexp(1.f, cases[i].scaled_num)), u(std::ldexp(1.f, cases[i].scaled_den)), cases[i].flag,
                        cases[i].flag});
  }
  CHECK((out[std::size(cases)][0] == 0xffc00000 && out[std::size(cases) + 1][1] == 0xffc00000));
  const auto wide = [&](double num, double den, double want) {
    const auto x = run_lanes(Arch::gfx1201, "v_div_scale_f64 v[12:13], s10, v[4:5], v[6:7], v[4:5]",
                             {{low(num), high(num), low(den), high(den)}})[0];
    CHECK(d(x[0], x[1]) == want);
  };
  wide(0x1p-1040, 1, 0x1p-912), wide(0x1p-970, 0x1p-1022, 0x1p-842), wide(0x1p-969, 0x1p-1022, 0x1p-969);
}

TEST_CASE("a quotient too large or too small is rounded as MODE says", "[sim][float]") {
  const std::vector<In> in{{u(NAN), u(0x1p-130f), u(0x1p100f)}, {u(NAN), u(0x1p120f), u(-0x1p-100f)}, {1, u(1.f), 0}};
  for (int mode = 0; mode < 4; ++mode) {
    INFO("round mode " << mode);
    const auto out = run_lanes(Arch::gfx1100, "v_div_fixup_f32 v12, v4, v5, v6", in, {.round_f32 = mode});
    CHECK(out[0][0] == (mode < 2 ? 0x7f800000 : 0x7f7fffff));
    CHECK(out[1][0] == (mode == 2 ? 0x80000001 : 0x80000000));
    const auto kept = run_lanes(Arch::gfx1100, "s_mov_b32 vcc_lo, 0\n v_div_fmas_f32 v12, v4, v5, v6", in,
                                {.round_f32 = mode, .denorm_f32 = 2});
    CHECK(kept[2][0] == 1);  // v_div_fmas takes denormals as they are
  }
}

TEST_CASE("op_sel chooses halves, for sources and for the destination", "[sim][float]") {
  const In in{0x40003c00, 0x44004200};  // 2 | 1, 4 | 3
  const auto nine = run_lanes(Arch::gfx942,
                              "v_mov_b32 v12, 0x12345678\n v_fma_f16 v12, v4, v5, 1.0 op_sel:[1,0,0,1]\n v_pk_add_f16 "
                              "v13, v4, v5 op_sel:[1,0] op_sel_hi:[0,1]\n v_pk_mul_f16 v14, v4, v5 neg_lo:[1,0] "
                              "neg_hi:[0,1]\n v_mov_b32 v15, 0x12345678\n v_fma_legacy_f16 v15, v4, v5, 1.0",
                              {in})[0];
  CHECK(nine[0] == 0x47005678);  // 2 * 3 + 1 in the upper half
  CHECK(nine[1] == 0x45004500);  // 2 + 3 | 1 + 4
  CHECK(nine[2] == 0xc800c200);  // 2 * -4 | -1 * 3
  CHECK(nine[3] == 0x00004400);  // the legacy form clears
  const auto eleven =
      run_lanes(Arch::gfx1100,
                "v_mov_b32 v12, 0x12345678\n v_fma_f16 v12, v4, v5, 1.0 op_sel:[1,0,0,1]\n v_mov_b32 v13, 0x12345678\n "
                "v_add_f16_e64 v13, v4, v5\n v_fma_mix_f32 v14, v4, v5, 1.0 op_sel:[1,0,0] op_sel_hi:[1,1,0]\n "
                "v_mov_b32 v15, 0x12345678\n v_fma_mixhi_f16 v15, v4, v5, 1.0 op_sel:[0,1,0] op_sel_hi:[1,1,0]",
                {in})[0];
  CHECK(eleven[0] == 0x47005678);
  CHECK(eleven[1] == 0x12344400);
  CHECK(f(eleven[2]) == 7);
  CHECK(eleven[3] == 0x45005678);  // 1 * 4 + 1
}

TEST_CASE("the segments of v_trig_preop_f64 add up to 2/pi", "[sim][float]") {
  const In in{low(1.0), high(1.0)};
  const auto out =
      run_lanes(Arch::gfx942, "v_trig_preop_f64 v[12:13], v[4:5], 0\n v_trig_preop_f64 v[14:15], v[4:5], 1", {in})[0];
  const auto third = run_lanes(Arch::gfx942, "v_trig_preop_f64 v[12:13], v[4:5], 2", {in})[0];
  const long double two_over_pi_high = 0x1.45f306dc9c882a53p-1L;  // 64 bits of it
  const quad sum = static_cast<quad>(d(out[0], out[1])) + d(out[2], out[3]) + d(third[0], third[1]);
  CHECK(std::fabs(static_cast<double>(sum - two_over_pi_high)) < 0x1p-63);
  CHECK(d(out[0], out[1]) == 0x1.45f306dc9c882p-1);
  CHECK(d(out[2], out[3]) == 0x1.4a7f09d5f47d4p-54);  // bits 53 to 105
}
