// Kernels that clang compiled, on every target: integer and floating-point arithmetic, narrow and vector types,
// divergent control flow, each lane against the same expression on the host.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/numerics/numerics.h"
#include "tests/compiled/clang_run.h"

namespace clangtest {

namespace {

// One launch of `name` over two inputs: want(i, where) gives the results of item i.
template <class A, class B, class D, class F>
void each_pair(Trial& t, const char* name, const std::vector<A>& a, const std::vector<B>& b, D, F want,
               double relative = 0) {
  Call c(t, name);
  c.buffer(a), c.buffer(b);
  std::vector<D> reference;
  for (size_t i = 0; i < items; ++i)
    for (const D x : want(i)) reference.push_back(x);
  const auto out = c.out<D>(reference.size());
  c.value(static_cast<int>(items));
  c.launch(groups, block);
  c.expect(out, reference, relative);
}

template <class T>
T wrap_div(T a, T b) {
  return b == -1 ? static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a)) : a / b;
}
template <class T>
T wrap_mod(T a, T b) {
  return b == -1 ? 0 : a % b;
}

void integer(Trial& t) {
  auto a = any_bits<int>(items, 1), b = any_bits<int>(items, 2);
  for (auto& x : b) x = x ? x : 3;
  a[0] = std::numeric_limits<int>::min(), b[0] = 1, a[1] = -7, b[1] = 2, b[2] = std::numeric_limits<int>::min();
  each_pair(t, "divide32", a, b, int{}, [&](size_t i) {
    const uint32_t ua = static_cast<uint32_t>(a[i]), ub = static_cast<uint32_t>(b[i]);
    const int narrow = static_cast<short>(a[i]) / static_cast<short>(b[i] | 1);
    return std::array{wrap_div(a[i], b[i]),
                      wrap_mod(a[i], b[i]),
                      static_cast<int>(ua / ub),
                      static_cast<int>(ua % ub),
                      a[i] / 7,
                      narrow};
  });
  const auto x = any_bits<uint32_t>(items, 3), y = any_bits<uint32_t>(items, 4);
  each_pair(t, "bits32", x, y, uint32_t{}, [&](size_t i) {
    const uint32_t p = x[i], q = y[i];
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (p >> k & 1) << (31 - k);
    const uint64_t sum = uint64_t{p} + q;
    return std::array<uint32_t, 10>{p * q,
                                    static_cast<uint32_t>(uint64_t{p} * q >> 32),
                                    reversed,
                                    static_cast<uint32_t>(std::popcount(p)),
                                    std::rotl(p, static_cast<int>(q & 31)),
                                    __builtin_bswap32(p),
                                    static_cast<uint32_t>(std::countr_zero(p)),
                                    (p & q) | (~p & q >> 3),
                                    (p >> 5 & 0xff) * (q & 0xffffff) + p,
                                    static_cast<uint32_t>(std::min<uint64_t>(sum, 0xffffffff))};
  });
  auto c = any_bits<int64_t>(items, 5), d = any_bits<int64_t>(items, 6);
  for (auto& z : d) z = z ? z : 5;
  c[0] = -7, d[0] = 2, c[1] = std::numeric_limits<int64_t>::min(), d[1] = 3;
  each_pair(t, "divide64", c, d, int64_t{}, [&](size_t i) {
    const uint64_t uc = static_cast<uint64_t>(c[i]), ud = static_cast<uint64_t>(d[i]);
    return std::array{wrap_div(c[i], d[i]), wrap_mod(c[i], d[i]), static_cast<int64_t>(uc / ud),
                      static_cast<int64_t>(uc % ud)};
  });
  each_pair(t, "arithmetic64", c, d, int64_t{}, [&](size_t i) {
    const uint64_t p = static_cast<uint64_t>(c[i]), q = static_cast<uint64_t>(d[i]);
    uint64_t reversed = 0;
    for (int k = 0; k < 64; ++k) reversed |= (p >> k & 1) << (63 - k);
    const uint64_t high = static_cast<uint64_t>(static_cast<unsigned __int128>(p) * q >> 64),
                   mad = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int>(p)) * static_cast<int>(q)) + p;
    const std::array<uint64_t, 12> r{p + q,
                                     p - q,
                                     p * q,
                                     high,
                                     p << (q & 63),
                                     static_cast<uint64_t>(c[i] >> (q & 63)),
                                     p >> (q & 63),
                                     static_cast<uint64_t>(std::min(c[i], d[i])),
                                     static_cast<uint64_t>(std::popcount(p)),
                                     static_cast<uint64_t>(std::countl_zero(p)),
                                     reversed,
                                     mad};
    return std::bit_cast<std::array<int64_t, 12>>(r);
  });
}

template <class T>
std::vector<T> reals(size_t n, unsigned seed, int exponents) {  // both signs, 2^-exponents to 2^exponents
  std::minstd_rand random(seed);
  std::vector<T> v(n);
  for (auto& x : v) {
    const T mantissa = 1 + static_cast<T>(random()) / static_cast<T>(random.max());
    x = std::ldexp(random() & 1 ? mantissa : -mantissa,
                   static_cast<int>(random() % static_cast<unsigned>(2 * exponents + 1)) - exponents);
  }
  return v;
}

void real(Trial& t) {
  auto a = reals<float>(items, 1, 30), b = reals<float>(items, 2, 30);
  a[0] = 0, a[1] = INFINITY, b[2] = INFINITY, b[3] = 0;
  // OpenCL C asks for division within 2.5 ulp and sqrt within 3 unless correct rounding is asked for; the rest is
  // exact.
  each_pair(
      t, "divide_f32", a, b, float{},
      [&](size_t i) {
        return std::array{a[i] / b[i], std::sqrt(std::abs(a[i])), std::fma(a[i], b[i], -a[i]),
                          std::floor(a[i]) - std::trunc(b[i])};
      },
      3 * 0x1p-23);
  auto c = reals<double>(items, 3, 200), d = reals<double>(items, 4, 200);
  c[0] = 0, c[1] = INFINITY, d[2] = INFINITY, d[3] = 0;
  each_pair(t, "divide_f64", c, d, double{}, [&](size_t i) {
    return std::array{c[i] / d[i], std::sqrt(std::abs(c[i])), std::fma(c[i], d[i], -c[i]), std::nearbyint(c[i]),
                      std::fmax(c[i], d[i])};
  });
  const auto x = reals<float>(items, 5, 14);
  const auto y = reals<double>(items, 6, 40);
  each_pair(t, "convert", x, y, int64_t{}, [&](size_t i) {
    const int64_t whole = static_cast<int64_t>(y[i]);
    return std::array<int64_t, 9>{static_cast<int>(x[i]),
                                  static_cast<int64_t>(static_cast<uint32_t>(std::abs(x[i]))),
                                  static_cast<int64_t>(x[i]),
                                  whole,
                                  static_cast<int64_t>(std::abs(y[i])),
                                  std::bit_cast<uint32_t>(static_cast<float>(whole)),
                                  std::bit_cast<int64_t>(static_cast<double>(whole)),
                                  sim::to_f16(x[i]),
                                  std::bit_cast<uint32_t>(static_cast<float>(y[i]))};
  });
}

void narrow(Trial& t) {
  {
    Call c(t, "bytes");
    const auto a = any_bits<int8_t>(items, 1);
    const auto b = any_bits<uint8_t>(items, 2);
    c.buffer(a), c.buffer(b);
    const auto out = c.out<int8_t>(items);
    const auto wide = c.out<uint16_t>(items);
    c.value(static_cast<int>(items));
    c.launch(groups, block);
    std::vector<int8_t> sum;
    std::vector<uint16_t> product;
    for (size_t i = 0; i < items; ++i)
      sum.push_back(static_cast<int8_t>(a[i] + b[i])), product.push_back(static_cast<uint16_t>(a[i] * b[i]));
    c.expect(out, sum), c.expect(wide, product);
  }
  {
    Call c(t, "shorts");
    const auto a = any_bits<int16_t>(items, 3);
    const auto b = any_bits<uint16_t>(items, 4);
    c.buffer(a), c.buffer(b);
    const auto out = c.out<int16_t>(2 * items);
    const auto wide = c.out<int>(items);
    c.value(static_cast<int>(items));
    c.launch(groups, block);
    std::vector<int16_t> two;
    std::vector<int> difference;
    for (size_t i = 0; i < items; ++i) {
      const int16_t least = std::min(a[i], static_cast<int16_t>(b[i]));
      two.push_back(static_cast<int16_t>(a[i] * b[i] + 3)), two.push_back(static_cast<int16_t>(least >> (b[i] & 7))),
          difference.push_back(a[i] - b[i]);
    }
    c.expect(out, two), c.expect(wide, difference);
  }
  {
    Call c(t, "swap_bytes");
    const auto in = any_bits<uint8_t>(items * 2 + 1, 5);
    c.buffer(in);
    const auto out = c.out<uint8_t>(in.size());
    c.value(static_cast<int>(in.size()));
    c.launch({1, 1, 1}, {192, 1, 1});
    std::vector<uint8_t> want(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      const size_t from = i ^ 3;
      want[i] = static_cast<uint8_t>(static_cast<int8_t>(from < in.size() ? in[from] : 0) >> 1);
    }
    c.expect(out, want);
  }
  std::vector<uint16_t> a, b;
  for (const float x : reals<float>(items, 6, 6)) a.push_back(sim::to_f16(x));
  for (const float x : reals<float>(items, 7, 6)) b.push_back(sim::to_f16(x));
  each_pair(t, "half_math", a, b, uint16_t{}, [&](size_t i) {
    const float x = static_cast<float>(sim::from_f16(a[i])), y = static_cast<float>(sim::from_f16(b[i]));
    return std::array{sim::to_f16(static_cast<double>(x) * y + 1), x > y ? a[i] : b[i],
                      sim::to_f16(static_cast<short>(x))};  // contracted: one rounding
  });
}

void vectors(Trial& t) {
  {
    Call c(t, "saxpy4");
    const auto x = whole_floats(4 * items, 100, 1), y = whole_floats(4 * items, 100, 2);
    c.buffer(x);
    const auto out = c.buffer(y);
    c.value(3.f), c.value(static_cast<int>(items));
    c.launch(groups, block);
    std::vector<float> want(x.size());
    for (size_t i = 0; i < x.size(); ++i) want[i] = 3 * x[i] + y[i ^ 3];
    c.expect(out, want);
  }
  const auto a = whole_floats(3 * items, 100, 3), b = whole_floats(3 * items, 100, 4);
  each_pair(t, "cross3", a, b, float{}, [&](size_t i) {
    const float *p = &a[3 * i], *q = &b[3 * i];
    return std::array{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
  });
  {
    Call c(t, "shuffle16");
    const auto in = any_bits<uint8_t>(16 * items, 5);
    c.buffer(in);
    const auto out = c.out<uint8_t>(in.size());
    const auto wide = c.out<uint64_t>(2 * items);
    c.value(static_cast<int>(items));
    c.launch(groups, block);
    constexpr uint8_t from[16] = {0, 15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8};
    std::vector<uint8_t> want(in.size());
    std::vector<uint64_t> words(2 * items), want_wide(2 * items);
    for (size_t i = 0; i < in.size(); ++i) want[i] = static_cast<uint8_t>(in[i / 16 * 16 + from[i % 16]] + 1);
    std::memcpy(words.data(), in.data(), in.size());
    for (size_t i = 0; i < words.size(); ++i) want_wide[i] = words[i ^ 1] * (i % 2 ? 5 : 3);
    c.expect(out, want), c.expect(wide, want_wide);
  }
  const auto p = any_bits<int16_t>(8 * items, 6), q = any_bits<int16_t>(8 * items, 7);
  each_pair(t, "shorts8", p, q, int16_t{}, [&](size_t i) {
    std::array<int16_t, 8> r{};
    for (size_t k = 0; k < 8; ++k)
      r[k] = static_cast<int16_t>(std::max(static_cast<int16_t>(p[8 * i + k] * q[8 * i + k]),
                                           static_cast<int16_t>(p[8 * i + k] - q[8 * i + k])) >>
                                  1);
    return r;
  });
}

int interpreted(const std::vector<uint8_t>& code, int in, int i) {
  uint32_t x = static_cast<uint32_t>(in), y = static_cast<uint32_t>(i);
  for (size_t at = 0; at < code.size(); ++at) {
    switch ((code[at] + i) % 9) {
      case 0: x += y; break;
      case 1: x = x * 3 - y; break;
      case 2: y ^= x; break;
      case 3:
        if (static_cast<int>(x) < 0) x = 0 - x;
        else y -= 1;
        break;
      case 4: x = std::rotl(x, 3); break;
      case 5:
        if (static_cast<int>(y) % 64 == 13) return static_cast<int>(x);
        [[fallthrough]];
      case 6: y += 5; break;
      case 7: std::swap(x, y); break;
      default: x ^= static_cast<uint32_t>(at);
    }
  }
  return static_cast<int>(x ^ y);
}

void control(Trial& t) {
  {
    Call c(t, "collatz");
    const auto in = whole<uint32_t>(items, 1, 2000);
    std::vector<uint32_t> want;
    for (uint64_t x : in) {
      uint32_t steps = 0;
      for (; x > 1; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
      want.push_back(steps);
    }
    c.buffer(in);
    const auto out = c.out<uint32_t>(items);
    c.value(static_cast<int>(items));
    c.launch(groups, block);
    c.expect(out, want);
  }
  {
    Call c(t, "interpret");
    const auto code = any_bits<uint8_t>(61, 2);
    const auto in = any_bits<int>(items, 3);
    std::vector<int> want;
    for (size_t i = 0; i < items; ++i) want.push_back(interpreted(code, in[i], static_cast<int>(i)));
    c.buffer(code), c.buffer(in);
    const auto out = c.out<int>(items);
    c.value(static_cast<int>(items)), c.value(static_cast<int>(code.size()));
    c.launch(groups, block);
    c.expect(out, want);
  }
  Call c(t, "pairs");
  const auto in = whole<int>(items, 2, 3000, 4);
  std::vector<int> want;
  for (size_t i = 0; i < items; ++i) {
    int found = -1;
    for (int a = 1; a < 40 && found < 0; ++a)
      for (int b = a; b < 40 && found < 0 && a % 5 != static_cast<int>(i) % 5; ++b)
        if (a * a + b * b == in[i]) found = a * 64 + b;
    want.push_back(found);
  }
  c.buffer(in);
  const auto out = c.out<int>(items);
  c.value(static_cast<int>(items));
  c.launch(groups, block);
  c.expect(out, want);
}

}  // namespace

CLANG_TEST("compiled integer division, 64-bit arithmetic and bit counts are the host's on every target", "integer",
           integer)
CLANG_TEST("compiled division, square root and conversions of floats and doubles are the host's on every target",
           "real", real)
CLANG_TEST("compiled byte, 16-bit and f16 arithmetic is the host's on every target", "narrow", narrow)
CLANG_TEST("compiled vector types keep their elements in order on every target", "vectors", vectors)
CLANG_TEST("compiled loops, switches and early returns diverge and join on every target", "control", control)

}  // namespace clangtest
