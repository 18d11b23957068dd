// The GEMM kernels against a naive product in double precision, written without looking at the kernel. Every run has
// all checks on; device allocations are exactly as large as the matrices, with unmapped space around them, so nothing
// outside is touched.
#pragma once
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/gemm/gemm.h"
#include "simulator/simulator.h"

namespace wavesmith::gemm_bench {

using isa::Type;

// -- Number formats, the slow and obvious way --
inline double from_bits(uint32_t bits, Type t) {
  if (t == Type::f32 || t == Type::bf16) {
    const uint32_t b = t == Type::bf16 ? bits << 16 : bits;
    float f;
    std::memcpy(&f, &b, 4);
    return f;
  }
  const int sign = bits >> 15 & 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction ? NAN : sign ? -INFINITY : INFINITY;
  const double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return sign ? -magnitude : magnitude;
}
inline uint32_t random_bits(std::mt19937& g, Type t) {  // multiples of 1/64 in [-1, 1]: exact in every format
  const float v = static_cast<float>(static_cast<int>(g() % 129) - 64) / 64;
  uint32_t b;
  std::memcpy(&b, &v, 4);
  if (t == Type::f32) return b;
  if (t == Type::bf16) return b >> 16;
  if (v == 0) return 0;
  return (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 1023);
}
// Unit roundoff of the stored result.
inline double roundoff(Type t) { return t == Type::f32 ? 0x1p-24 : t == Type::f16 ? 0x1p-11 : 0x1p-8; }

struct Matrix {  // column-major, `batch` of them `stride` apart
  Type type;
  uint32_t rows, cols, ld, batch;
  std::vector<uint8_t> bytes;
  uint64_t stride() const { return cols ? uint64_t{ld} * (cols - 1) + rows : 0; }  // without gaps
  size_t at(uint32_t r, uint32_t c, uint32_t z) const { return (z * stride() + uint64_t{c} * ld + r) * width(); }
  int width() const { return isa::bits(type) / 8; }
  double get(uint32_t r, uint32_t c, uint32_t z) const {
    uint32_t b = 0;
    std::memcpy(&b, &bytes[at(r, c, z)], width());
    return from_bits(b, type);
  }
};
inline Matrix random_matrix(std::mt19937& g, Type t, uint32_t rows, uint32_t cols, uint32_t pad, uint32_t batch) {
  Matrix m{t, rows, cols, rows + pad, batch, {}};
  m.bytes.resize(m.stride() * batch * m.width());
  for (size_t i = 0; i < m.bytes.size(); i += m.width()) {
    const bool padding = i / m.width() % m.stride() % m.ld >= rows;
    const uint32_t b =
        padding ? UINT32_MAX : random_bits(g, t);  // NaN: padding must not enter a sum, not even multiplied by zero
    std::memcpy(&m.bytes[i], &b, m.width());
  }
  return m;
}

// The rows or the columns of one of the batch.
inline std::vector<std::vector<double>> vectors(const Matrix& m, bool of_rows, uint32_t z) {
  std::vector<std::vector<double>> all(of_rows ? m.rows : m.cols, std::vector<double>(of_rows ? m.cols : m.rows));
  for (uint32_t r = 0; r < m.rows; ++r)
    for (uint32_t c = 0; c < m.cols; ++c) (of_rows ? all[r][c] : all[c][r]) = m.get(r, c, z);
  return all;
}

// Two that are quick to build and to run, and those for tests of every tile.
constexpr GemmTile small{64, 64, 64}, wide{128, 64, 64};
inline const std::vector<GemmTile> tiles = {{256, 256, 64}, {128, 128, 64}, {64, 64, 64},
                                            {256, 128, 64}, {64, 256, 64},  {128, 64, 64}};

struct Case {
  GemmConfig config;
  uint32_t m, n, k, pad = 0, batch = 1;
  float alpha = 1, beta = 0;
  Arch arch = Arch::gfx942;
};

// As it is defined (Hendrycks and Gimpel for gelu by tanh), each at most 1.13 times as steep as its argument.
inline double activated(Activation a, double x) {
  switch (a) {
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::gelu: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

struct Outcome {
  sim::Result result;
  double error = 0, bound = 0;
  bool padding_kept = true, all_nan = true;
};

inline Outcome run(const Case& t, const std::vector<uint8_t>& code) {
  std::mt19937 g(t.m * 31 + t.n * 7 + t.k);
  const auto& cfg = t.config;
  Matrix a = cfg.trans_a ? random_matrix(g, cfg.input, t.k, t.m, t.pad, t.batch)
                         : random_matrix(g, cfg.input, t.m, t.k, t.pad, t.batch);
  Matrix b = cfg.trans_b ? random_matrix(g, cfg.input, t.n, t.k, t.pad, t.batch)
                         : random_matrix(g, cfg.input, t.k, t.n, t.pad, t.batch);
  Matrix c = random_matrix(g, cfg.output, t.m, t.n, t.pad, t.batch),
         d = random_matrix(g, cfg.output, t.m, t.n, t.pad, t.batch);
  const Matrix bias = random_matrix(g, cfg.output, t.m, 1, 0, 1);
  if (cfg.split_k > 1)  // the kernel adds to D
    for (uint32_t z = 0; z < t.batch; ++z)
      for (uint32_t j = 0; j < t.n; ++j) std::memset(&d.bytes[d.at(0, j, z)], 0, size_t{t.m} * d.width());
  const Matrix before = d;
  sim::Memory memory;
  const auto place = [&](const Matrix& m, const char* name) {
    const uint64_t at = memory.allocate(m.bytes.size(), name);
    memory.write(at, m.bytes);
    return at;
  };
  const uint64_t pa = place(a, "A"), pb = place(b, "B"), pc = t.beta != 0 ? place(c, "C") : 0, pd = place(d, "D");
  const GemmProblem problem{t.m,        t.n,        t.k,        a.ld,       b.ld,    c.ld,    d.ld,
                            a.stride(), b.stride(), c.stride(), d.stride(), t.batch, t.alpha, t.beta};
  const KernelLaunch l = launch(cfg, problem, {pa, pb, pc, pd, cfg.epilogue.bias ? place(bias, "bias") : 0});
  const auto co = sim::CodeObject::load(code);
  Outcome out;
  out.result = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  if (out.result.fault) return out;
  memory.read(pd, d.bytes);
  // |error| <= k u32 sum|a b| |alpha| for any order of summation in f32 (Higham, Accuracy and Stability, 3.1), plus one
  // f32 rounding each for alpha, beta, the bias and each part of K, and one of the output format. Relative to the
  // largest sum of magnitudes. An activation passes on 1.13 times that. It is x / (1 + e^-y), where e^-y is off by 6 u
  // |y| + 2 u with u = 2^-23, y exact to six roundings and v_exp_f32 to one: the sigmoid by s (1 - s) as much, and s (1
  // - s) |y| < 0.23; adding, v_rcp_f32 and multiplying take 4 u.
  double largest = 0;
  for (uint32_t z = 0; z < t.batch; ++z) {
    const auto rows = vectors(a, !cfg.trans_a, z), columns = vectors(b, cfg.trans_b, z);
    for (uint32_t j = 0; j < t.n; ++j)
      for (uint32_t i = 0; i < t.m; ++i) {
        double sum = 0, magnitude = 0;
        for (uint32_t x = 0; x < t.k; ++x) {
          const double p = rows[i][x] * columns[j][x];
          sum += p;
          magnitude += std::abs(p);
        }
        const double add = cfg.epilogue.bias ? bias.get(i, 0, 0) : 0;
        const double want =
            activated(cfg.epilogue.activation, t.alpha * sum + (t.beta != 0 ? t.beta * c.get(i, j, z) : 0) + add);
        const double scale =
            std::abs(t.alpha) * magnitude + (t.beta != 0 ? std::abs(t.beta * c.get(i, j, z)) : 0) + std::abs(add);
        largest = std::max(largest, scale);
        const double error = std::abs(d.get(i, j, z) - want);
        out.all_nan &= std::isnan(d.get(i, j, z));
        out.error = std::isnan(error) ? INFINITY : std::max(out.error, error);
      }
  }
  double f32 = (t.k + 3 + cfg.epilogue.bias + (cfg.split_k > 1 ? cfg.split_k : 0)) * 0x1p-24;
  if (cfg.epilogue.activation != Activation::none) f32 = 1.13 * f32 + 8 * 0x1p-23;
  out.bound = (f32 + roundoff(cfg.output) * 1.01) * largest;
  for (uint32_t z = 0; z < t.batch; ++z)
    for (uint32_t j = 0; j + 1 < t.n; ++j)
      for (uint32_t i = t.m; i < d.ld; ++i)
        out.padding_kept &= !std::memcmp(&d.bytes[d.at(i, j, z)], &before.bytes[before.at(i, j, z)], d.width());
  return out;
}

inline void check_right(const Case& t) {
  const Outcome o = run(t, assemble(build_gemm(t.config, t.arch)).bytes);
  INFO(kernel_name(t.config) << " " << isa::target(t.arch).name << " m " << t.m << " n " << t.n << " k " << t.k
                             << " pad " << t.pad << " alpha " << t.alpha << " beta " << t.beta);
  INFO((o.result.fault ? o.result.fault->message() : "no fault"));
  CHECK_FALSE(o.result.fault);
  CHECK_FALSE(o.result.warning);
  CHECK(o.error <= o.bound);
  CHECK(o.padding_kept);
}

}  // namespace wavesmith::gemm_bench
