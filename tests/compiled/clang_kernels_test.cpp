// Kernels that clang compiled, on every target: reductions, scans, softmax, transposes and matrix products. Sizes are
// multiples of neither waves nor workgroups; data are small whole numbers where a sum's order must not matter.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/compiled/clang_product.h"

namespace clangtest {

namespace {

// A value for every `width` elements of `in`: f(first, past the last).
template <class T, class F>
auto by_wave(const std::vector<T>& in, size_t items, size_t width, F f) {
  std::vector<decltype(f(in.begin(), in.end()))> r;
  for (size_t i = 0; i < items; i += width)
    r.push_back(f(in.begin() + static_cast<long>(std::min(i, in.size())),
                  in.begin() + static_cast<long>(std::min(i + width, in.size()))));
  return r;
}

void reduce(Trial& t) {
  const int n = 5 * 192 + 77;
  {
    Call c(t, "sum_tree");
    const auto in = whole_floats(static_cast<size_t>(n), 100);
    c.buffer(in);
    const auto out = c.out<float>(3);
    c.value(n);
    c.launch({3, 1, 1}, {192, 1, 1});
    std::vector<float> want(3);
    for (size_t i = 0; i < in.size(); ++i) want[i / 192 % 3] += in[i];
    c.expect(out, want);
  }
  for (const char* name : {"sum_butterfly", "sum_dpp"}) {
    Call c(t, name);
    const auto in = whole<int>(static_cast<size_t>(n), -1000000, 1000000);
    const auto want =
        by_wave(in, 6 * 192, static_cast<size_t>(c.wave()), [](auto a, auto b) { return std::accumulate(a, b, 0); });
    c.buffer(in);
    const auto out = c.out<int>(want.size());
    c.value(n);
    c.launch({6, 1, 1}, {192, 1, 1});
    c.expect(out, want);
  }
  Call c(t, "reduce_active");
  const auto in = whole<uint32_t>(static_cast<size_t>(n), 0, 1u << 30);
  std::vector<uint32_t> want;
  for (size_t i = 0; i < 6 * 192; i += static_cast<size_t>(c.wave())) {
    uint32_t sum = 0, most = 0, any = 0, first = 0, active = 0;
    for (size_t k = i; k < std::min(i + static_cast<size_t>(c.wave()), in.size()); ++k)
      if (in[k] & 1) sum += in[k], most = std::max(most, in[k]), any |= in[k], first = active++ ? first : in[k];
    want.insert(want.end(), {sum, most, any, first, active});
  }
  c.buffer(in);
  const auto out = c.out<uint32_t>(want.size());
  c.value(n);
  c.launch({6, 1, 1}, {192, 1, 1});
  c.expect(out, want);
}

void scan(Trial& t) {
  const int n = 3 * 256 - 91;
  const auto in = whole<int>(static_cast<size_t>(n), -1000, 1000);
  std::vector<int> sums(in.size());
  for (size_t i = 0; i < in.size(); ++i) sums[i] = in[i] + (i % 256 ? sums[i - 1] : 0);
  for (const char* name : {"scan_lds", "scan_wave"}) {
    Call c(t, name);
    c.buffer(in);
    const auto out = c.out<int>(in.size());
    c.value(n);
    c.launch({3, 1, 1}, {256, 1, 1});
    c.expect(out, sums);
  }
  Call c(t, "compact");
  c.buffer(in);
  std::vector<int> kept(3 * 256, -1), want = kept;
  const size_t wave = static_cast<size_t>(c.wave());
  const auto counts = by_wave(in, kept.size(), wave, [](auto a, auto b) {
    return static_cast<int>(std::count_if(a, b, [](int x) { return x > 0; }));
  });
  for (size_t w = 0; w * wave < in.size(); ++w)
    std::copy_if(in.begin() + static_cast<long>(w * wave),
                 in.begin() + static_cast<long>(std::min(in.size(), (w + 1) * wave)),
                 want.begin() + static_cast<long>(w * wave), [](int x) { return x > 0; });
  const auto out = c.buffer(kept);
  const auto count = c.out<int>(counts.size());
  c.value(n);
  c.launch({3, 1, 1}, {256, 1, 1});
  c.expect(out, want);
  c.expect(count, counts);
}

void softmax(Trial& t) {
  const size_t rows = 5, columns = 333;
  std::vector<float> in = whole_floats(rows * columns, 64);
  for (auto& x : in) x /= 8;  // from -8 to 8 in steps that f16 has
  std::vector<double> want(in.size());
  for (size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (size_t c = 0; c < columns; ++c)
      sum += want[r * columns + c] = std::exp(static_cast<double>(in[r * columns + c]));
    for (size_t c = 0; c < columns; ++c) want[r * columns + c] /= sum;
  }
  {
    Call c(t, "softmax");
    c.buffer(in);
    const auto out = c.out<float>(in.size());
    c.value(static_cast<int>(columns));
    c.launch({rows, 1, 1}, {128, 1, 1});
    // exp2's argument is up to 24 with an error of half an ulp (2^-20), twice; the sum of 333 terms in a tree of 3 + 7
    // levels.
    c.expect(out, {want.begin(), want.end()}, 4e-6);
  }
  Call c(t, "softmax_half");
  std::vector<uint16_t> half(in.size());
  for (size_t i = 0; i < in.size(); ++i) half[i] = sim::to_f16(in[i]);
  c.buffer(half);
  const auto out = c.out<uint16_t>(in.size());
  c.value(static_cast<int>(columns));
  c.launch({rows, 1, 1}, {128, 1, 1});
  const auto got = c.read(out);
  for (size_t i = 0; c.ran() && i < got.size(); ++i) {  // half an ulp of f16, which is 2^-24 at least, and f32's error
    const double x = sim::from_f16(got[i]), off = std::abs(x - want[i]);
    if (off > want[i] * (0x1p-11 + 4e-6) + 0x1p-25) return c.fail(fmt::format("[{}] is {}, not {}", i, x, want[i]));
  }
}

template <class T>
void transpose_of(Trial& t, const char* name) {
  const int rows = 75, columns = 101;
  Call c(t, name);
  std::vector<T> in(static_cast<size_t>(rows * columns)), want(in.size());
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < columns; ++k)
      want[static_cast<size_t>(k * rows + r)] = in[static_cast<size_t>(r * columns + k)] =
          static_cast<T>(r * columns + k);
  c.buffer(in);
  const auto out = c.out<T>(in.size());
  c.value(rows), c.value(columns);
  c.launch({4, 3, 1}, {32, 8, 1});
  c.expect(out, want);
}
void transpose(Trial& t) {
  transpose_of<uint8_t>(t, "transpose_u8"), transpose_of<uint16_t>(t, "transpose_u16");
  transpose_of<float>(t, "transpose_f32"), transpose_of<double>(t, "transpose_f64");
}

void gemm(Trial& t) {
  const Product p = product(37, 54, 26, 5);  // f16: sums below 2^11
  constexpr Triple grid{4, 3, 1}, block{16, 16, 1};
  multiply(t, "gemm_f32", p, p.a, p.b, p.c, grid, block);
  multiply(t, "gemm_f16", p, halves(p.a), halves(p.b), halves(p.c), grid, block);
  const Product q = product(37, 54, 26, 5, adds_complements(t));
  multiply(t, "gemm_dot2", q, halves(q.a), halves(transposed(q.b, q.k, q.n)), q.c, grid, block);
  multiply<double, double>(t, "gemm_f64", p, {p.a.begin(), p.a.end()}, {p.b.begin(), p.b.end()},
                           {p.c.begin(), p.c.end()}, grid, block);
}

}  // namespace

CLANG_TEST("compiled sums by LDS tree, lane exchange and DPP are the host's on every target", "reduce", reduce)
CLANG_TEST("compiled prefix sums and compaction are the host's on every target", "scan", scan)
CLANG_TEST("compiled row softmax is the host's on every target", "softmax", softmax)
CLANG_TEST("compiled transposes through LDS move every element on every target", "transpose", transpose)
CLANG_TEST("compiled matrix products in f32, f16, f64 and dot products are the host's on every target", "gemm", gemm)

}  // namespace clangtest
