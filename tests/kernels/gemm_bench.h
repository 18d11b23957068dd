// The GEMM kernels against a naive product in double precision, written without looking at the kernel. Every run has
// all checks on; device allocations are exactly as large as the matrices, with unmapped space around them, so nothing
// outside is touched.
#pragma once
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <span>

#include "isa_tables/opcodes.h"
#include "kernels/gemm/gemm.h"
#include "simulator/simulator.h"
#include "tests/support/sampling.h"

namespace wavesmith::gemm_bench {

using isa::Type;

// -- Number formats, the slow and obvious way --
// A float of `exponent_bits` and `mantissa_bits`. Infinities and NaNs: IEEE's; or, of 8 bits, OCP E4M3's one NaN; or,
// with `fnuz`, the code of minus zero.
struct Format {
  int exponent_bits, mantissa_bits, bias;
  bool ieee, fnuz;
};
inline Format format_of(Type t, bool fnuz) {
  switch (t) {
    case Type::f64: return {11, 52, 1023, true, false};
    case Type::f16: return {5, 10, 15, true, false};
    case Type::bf16: return {8, 7, 127, true, false};
    case Type::fp8: return {4, 3, fnuz ? 8 : 7, false, fnuz};
    case Type::bf8: return {5, 2, fnuz ? 16 : 15, !fnuz, fnuz};
    default: return {8, 23, 127, true, false};
  }
}
inline double from_bits(uint64_t bits, Type t, bool fnuz) {
  if (t == Type::i8) return static_cast<int8_t>(bits);
  if (t == Type::i32) return static_cast<int32_t>(bits);
  const Format f = format_of(t, fnuz);
  const uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa_bits) - 1), top = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t exponent = bits >> f.mantissa_bits & top;
  const bool negative = bits >> (f.exponent_bits + f.mantissa_bits) & 1;
  if (f.fnuz && negative && !exponent && !mantissa) return NAN;
  if (f.ieee && exponent == top) return mantissa ? NAN : negative ? -INFINITY : INFINITY;
  if (!f.ieee && !f.fnuz && exponent == top && mantissa == 7) return NAN;
  const double magnitude = exponent ? std::ldexp(static_cast<double>(mantissa + (uint64_t{1} << f.mantissa_bits)),
                                                 static_cast<int>(exponent) - f.bias - f.mantissa_bits)
                                    : std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa_bits);
  return negative ? -magnitude : magnitude;
}
// Integers of their whole range, i32 of 2^16 numbers. Floats: multiples of 1/64 in [-1, 1], exact in every format from
// 16 bits on; of 8 bits, codes below 2.
inline uint64_t random_bits(std::mt19937& g, Type t, bool fnuz) {
  if (t == Type::i8) return g() & 0xff;
  if (t == Type::i32) return static_cast<uint32_t>(static_cast<int32_t>(g() & 0xffff) - 0x8000);
  if (isa::bits(t) == 8)
    for (;;)
      if (const uint64_t code = g() & 0xff; std::abs(from_bits(code, t, fnuz)) < 2) return code;
  const int n = static_cast<int>(g() % 129) - 64;
  if (!n) return 0;
  const Format f = format_of(t, fnuz);
  const int exponent = std::ilogb(std::abs(n));
  const auto mantissa = static_cast<uint64_t>(std::ldexp(std::abs(n), f.mantissa_bits - exponent));
  return uint64_t{n < 0} << (f.exponent_bits + f.mantissa_bits) |
         static_cast<uint64_t>(exponent - 6 + f.bias) << f.mantissa_bits | (mantissa ^ uint64_t{1} << f.mantissa_bits);
}
// Unit roundoff of the stored result.
inline double roundoff(Type t) { return t == Type::i32 ? 0 : std::ldexp(1, -1 - format_of(t, false).mantissa_bits); }

struct Matrix {  // column-major, `batch` of them `stride` apart
  Type type;
  uint32_t rows, cols, ld, batch;
  std::vector<uint8_t> bytes;
  bool fnuz = false;                                                               // kind of its 8-bit floats
  uint64_t stride() const { return cols ? uint64_t{ld} * (cols - 1) + rows : 0; }  // without gaps
  size_t at(uint32_t r, uint32_t c, uint32_t z) const { return (z * stride() + uint64_t{c} * ld + r) * width(); }
  int width() const { return isa::bits(type) / 8; }
  double get(uint32_t r, uint32_t c, uint32_t z) const {
    uint64_t b = 0;
    std::memcpy(&b, &bytes[at(r, c, z)], width());
    return from_bits(b, type, fnuz);
  }
};
inline Matrix random_matrix(std::mt19937& g, Type of, uint32_t rows, uint32_t cols, uint32_t pad, uint32_t batch,
                            bool fnuz) {
  const Type t = of == Type::xf32 ? Type::f32 : of;
  Matrix m{t, rows, cols, rows + pad, batch, {}, fnuz};
  m.bytes.resize(m.stride() * batch * m.width());
  for (size_t i = 0; i < m.bytes.size(); i += m.width()) {
    const bool padding = i / m.width() % m.stride() % m.ld >= rows;
    // NaN: padding must not enter a sum, not even multiplied by zero
    const uint64_t b = !padding ? random_bits(g, t, fnuz) : fnuz && isa::bits(t) == 8 ? 0x80 : UINT64_MAX;
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
    case Activation::gelu_erf: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

struct Outcome {
  sim::Result result;
  double error = 0, bound = 0;
  bool padding_kept = true, all_nan = true;
  std::vector<uint8_t> d;
};

inline Outcome run(const Case& t, const std::vector<uint8_t>& code) {
  std::mt19937 g(t.m * 31 + t.n * 7 + t.k);
  const auto& cfg = t.config;
  const auto random = [&](Type type, bool transposed, uint32_t rows, uint32_t cols, uint32_t pad, uint32_t batch) {
    return random_matrix(g, type, transposed ? cols : rows, transposed ? rows : cols, pad, batch,
                         isa::target(t.arch).fnuz_fp8());
  };
  Matrix a = random(cfg.input, cfg.trans_a, t.m, t.k, t.pad, t.batch),
         b = random(type_of_b(cfg), cfg.trans_b, t.k, t.n, t.pad, t.batch),
         c = random(cfg.output, false, t.m, t.n, t.pad, t.batch),
         d = random(cfg.output, false, t.m, t.n, t.pad, t.batch);
  const Matrix bias = random(cfg.output, false, t.m, 1, 0, 1);
  if (adds_to_d(cfg))
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
  const bool with_bias = cfg.epilogue.has(EpiloguePart::bias);
  GemmPointers at{.a = pa, .b = pb, .c = pc, .d = pd};
  if (with_bias) at.epilogue[EpiloguePart::bias] = place(bias, "bias");
  const uint64_t workspace = workspace_bytes(cfg, problem);
  if (workspace) {
    at.workspace = memory.allocate(workspace, "workspace");
    memory.write(at.workspace, std::vector<uint8_t>(workspace));
  }
  const KernelLaunch l = launch(cfg, t.arch, problem, at);
  const auto co = sim::CodeObject::load(code);
  Outcome out;
  out.result = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
  if (out.result.fault) return out;
  memory.read(pd, d.bytes);
  out.d = d.bytes;
  // |error| <= k u32 sum|a b| |alpha| for any order of summation in f32 (Higham, Accuracy and Stability, 3.1), plus one
  // f32 rounding each for alpha, beta, the bias and each part of K, and one of the output format. Relative to the
  // largest sum of magnitudes; f64 likewise, i32 is exact. An activation passes on 1.13 times that. It is x / (1 +
  // e^-y), where e^-y is off by 6 u |y| + 2 u with u = 2^-23, y exact to six roundings and v_exp_f32 to one: the
  // sigmoid by s (1 - s) as much, and s (1
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
        const double add = with_bias ? bias.get(i, 0, 0) : 0;
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
  double sums =
      (t.k + 3 + with_bias + (cfg.split_k > 1 ? cfg.split_k : 0)) * (cfg.input == Type::f64 ? 0x1p-53 : 0x1p-24);
  if (cfg.output == Type::i32) sums = 0;
  if (cfg.epilogue.activation != Activation::none) sums = 1.13 * sums + 8 * 0x1p-23;
  out.bound = (sums + roundoff(cfg.output) * 1.01) * largest;
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

// Takes out each instruction that `candidate` names (a sample of them: sampling.h), one at a time, and requires that
// each of these programs is caught.
inline void check_each_needed(const Program& good, const std::function<bool(const isa::Inst&)>& candidate,
                              const std::function<bool(const Program&)>& caught) {
  REQUIRE_FALSE(caught(good));
  uint32_t tried = 0;
  std::string missed;
  for (size_t i = 0; i < good.nodes.size(); ++i) {
    const Node& n = good.nodes[i];
    if (!n.is_instruction() || !candidate(n.inst) || !in_sample(tried++, 8)) continue;
    Program broken = good;
    broken.nodes.erase(broken.nodes.begin() + static_cast<int>(i));
    if (!caught(broken))
      missed += fmt::format("{} at node {}, written in {} line {}\n", isa::print(n.inst, good.arch), i, n.block,
                            n.where.line());
  }
  INFO(good.name << " " << isa::target(good.arch).name);
  CHECK(tried > 20);
  CHECK(missed == "");
}

// The waits and barriers of a kernel of the tensor data mover, for D of m x n and these K.
inline void check_waits_needed(const Case& t, std::span<const uint32_t> ks) {
  const auto caught = [&](const Program& p) {
    const auto code = assemble(p).bytes;
    return std::ranges::any_of(ks, [&](uint32_t k) {
      Case of_k = t;
      of_k.k = k;
      const Outcome o = run(of_k, code);
      return o.result.fault || o.result.warning;
    });
  };
  check_each_needed(
      build_gemm(t.config, t.arch),
      [](const isa::Inst& i) {
        return i.op == Opcode::s_wait_tensorcnt || i.op == Opcode::s_wait_dscnt || i.op == Opcode::s_barrier_wait;
      },
      caught);
}

}  // namespace wavesmith::gemm_bench
