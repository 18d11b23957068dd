// The bound. Products of two numbers of 16 bits or less are exact in f32, of f32 off by one operation. Their sum over
// K, in any order, is off by at most K u sum|a b| with u = 2^-23 for one f32 operation (2^-24 when it rounds to
// nearest; hardware may truncate inside a block). Scaling by alpha and adding beta C are three more operations, each
// scale, bias and part of a split K one. So P, the argument of the activation, is off by at most
//   e = (K + 4 + parts) u (|alpha scales| sum|a b| + |beta scale C| + |biases|)
// and each operation after it adds its own rounding to what it makes of e: an activation multiplies it by its largest
// slope and adds `error` u |x| (kernels/parts/epilogue.cpp), clamping changes nothing, a residual adds u of the sum, a
// scale of D multiplies by it. A product may also flush to zero below 2^-126; an activation below that, or within its
// error, may be zero: times infinity it may be NaN. D is then off by half a unit in its last place in addition. The
// reference itself (f64, K <= 2^31) is 2^29 times finer; for f64, u = 2^-52 counts its operations and ours. Factors of
// xf32 are those that the matrix unit reads, truncated to 10 bits of mantissa. Infinity is right where the error
// reaches beyond D's largest number; or that number, where the conversion saturates. i32 is exact, modulo 2^32.
//
// Scaled sums of 128 k (SumScales): the product of two scales, the product with a sum and, for each block, its addition
// are ceil(K / 128) + 3 more operations; what is made of a scale may flush to zero below 2^-126.
//
// f32 as three bf16 (GemmConfig::split_f32): the parts have the sign of their sum, so that the absolute values of the
// six products, each exact, add up to at most |a b|: 6 K operations, and 1.01 2^-21 < 5 u of each |a b| that is left
// out. Infinities count as NaN; parts of factors below 2^-102 can be below 2^-126.
//
// Where the target's matrix unit flushes denormal factors to zero (sim::flushes_denormals), products with such factors
// may be missing: the sum of these |a b| is allowed in addition, and 2^-126 for each product, sum and accumulator that
// may become zero: 3 K. Infinities and NaN follow from the flushed factors: a denormal times infinity is NaN.
//
// Units that align products by their factors' exponents (docs/reference/numerics.md) take a denormal for a number with
// the smallest exponent: in sum|a b| of the bound, such factors count as the smallest normal number.
#include "tools/reference/gemm_reference.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "simulator/numerics/numerics.h"
#include "tools/reference/accuracy.h"

namespace wavesmith::tools {
namespace {

using isa::Type;

double activated(Activation a, double x) {
  switch (a) {
    case Activation::relu: return x > 0 || std::isnan(x) ? x : 0;
    case Activation::gelu: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf: return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

// How factors count: as they are; those below `least` as zeros; or, of sums of absolute values, as at least `least`.
struct Factors {
  bool absolute = false;
  double least = 0;
  bool raised = false;
  double operator()(double x) const {
    if (raised) return x == 0 ? 0 : std::fabs(x) < least ? least : std::fabs(x);
    return seen(absolute ? std::fabs(x) : x, least);
  }
};
// `k_first`: a column of `m` is a row of op(A) or a column of op(B).
void apply_scales(std::vector<double>& values, const HostMatrix& m, const std::vector<uint8_t>& scales,
                  const GemmConfig& g, uint32_t batch, bool k_first) {
  const uint32_t rows = k_first ? m.cols : m.rows, k = k_first ? m.rows : m.cols;
  for (uint32_t c = 0; c < m.cols; ++c)
    for (uint32_t r = 0; r < m.rows; ++r) {
      const uint8_t code =
          scales[block_scale_at(g.block_scales, rows, k, batch, k_first ? c : r, (k_first ? r : c) / 32)];
      values[uint64_t{c} * m.rows + r] *= code == 0xff ? NAN : std::ldexp(1.0, code - 127);
    }
}
// What i4 beside 16-bit floats is made: (q - zero point) scale, exact in f32, rounded to their type. Likewise
// contiguous.
void dequantise(std::vector<double>& values, const HostMatrix& m, const GemmData& p, const GemmConfig& g,
                uint32_t batch) {
  const uint64_t before = batch * group_count(g.groups, m.cols, m.rows);
  HostMatrix rounded{.type = multiplied_a(g), .rows = 1, .cols = 1, .ld = 1, .bytes = std::vector<uint8_t>(2)};
  for (uint32_t c = 0; c < m.cols; ++c)
    for (uint32_t r = 0; r < m.rows; ++r) {
      const uint64_t group = before + group_at(g.groups, m.cols, m.rows, c, r / static_cast<uint32_t>(g.groups.size));
      double& x = values[uint64_t{c} * m.rows + r];
      if (g.groups.zero_points) x = (x < 0 ? x + 16 : x) - p.zero_points.get(group);
      rounded.set(0, x * p.group_scales.get(group));
      x = rounded.get(0);
    }
}
// Part of a dimension, and the matrices of A and B that it is of.
struct Slice {
  uint32_t m = 0, rows, n = 0, columns, k = 0, depth, a, b;
};
// Of one batch; ragged, of its groups (gated, m is not).
std::vector<Slice> slices(const GemmData& p, const GemmConfig& g, uint32_t batch) {
  const uint32_t rows = p.d.rows * static_cast<uint32_t>(g.epilogue.halves());
  const Slice whole{.rows = rows, .columns = p.d.cols, .depth = p.size.k, .a = batch, .b = batch};
  if (g.ragged == Ragged::none) return {whole};
  std::vector<Slice> all;
  uint32_t begin = 0;
  for (uint32_t i = 0; i < p.groups.size(); begin += p.groups[i++]) {
    Slice s = whole;
    const uint32_t size = p.groups[i];
    if (g.ragged == Ragged::m) s.m = begin, s.rows = size, s.b = i;
    else if (g.ragged == Ragged::n) s.n = begin, s.columns = size, s.a = i;
    else if (i == batch) s.k = begin, s.depth = size, s.a = s.b = 0;
    else continue;
    all.push_back(s);
  }
  return all;
}
// op(A) op(B) of one batch, or of absolute values; 0 if alpha is, when A and B are not read. Gated, with twice D's
// rows.
std::vector<double> product(const GemmData& p, const GemmConfig& g, uint32_t batch, const Factors& factor) {
  const auto rows = p.d.rows * static_cast<uint32_t>(g.epilogue.halves());
  std::vector<double> d(uint64_t{rows} * p.d.cols);
  if (p.size.alpha == 0) return d;
  const auto factors = [&](const HostMatrix& m, uint32_t number) {
    auto w = m.widened(number);
    if (has_weights(g) && m.type == Type::i4) dequantise(w, m, p, g, number);
    for (double& x : w) {
      if (g.split_f32 && std::isinf(x)) x = NAN;
      x = factor(g.input == Type::xf32 ? sim::to_xf32(static_cast<float>(x)) : x);
    }
    const bool is_a = &m == &p.a;
    if (g.block_scales != BlockScales::none)
      apply_scales(w, m, is_a ? p.scales_a : p.scales_b, g, number, is_a ? g.trans_a : !g.trans_b);
    return w;
  };
  const auto as_int = [](uint32_t n) { return static_cast<blasint>(n); };
  const bool scaled_sums = g.sum_scales_a.rows || g.sum_scales_b.rows;
  for (const Slice& s : slices(p, g, batch)) {
    if (!s.rows || !s.columns || !s.depth) continue;
    const auto a = factors(p.a, s.a), b = factors(p.b, s.b);
    const auto first = [](const HostMatrix& m, bool transposed, uint32_t row, uint32_t column) {
      return transposed ? uint64_t{row} * m.rows + column : uint64_t{column} * m.rows + row;
    };
    const auto multiply = [&](double* to, uint32_t begin, uint32_t depth) {  // of the slice's k
      cblas_dgemm(CblasColMajor, g.trans_a ? CblasTrans : CblasNoTrans, g.trans_b ? CblasTrans : CblasNoTrans,
                  as_int(s.rows), as_int(s.columns), as_int(depth), 1, &a[first(p.a, g.trans_a, s.m, s.k + begin)],
                  as_int(p.a.rows), &b[first(p.b, g.trans_b, s.k + begin, s.n)], as_int(p.b.rows), 0, to, as_int(rows));
    };
    double* const part = &d[uint64_t{s.n} * rows + s.m];
    if (!scaled_sums) {
      multiply(part, 0, s.depth);
      continue;
    }
    std::vector<double> sum(uint64_t{rows} * s.columns);
    for (uint32_t begin = 0; begin < s.depth; begin += sum_scale_k) {
      multiply(sum.data(), begin, std::min<uint32_t>(sum_scale_k, s.depth - begin));
      const auto scale = [&](SumScales how, const std::vector<float>& all, uint32_t extent, uint32_t number,
                             uint32_t row) {
        if (!how.rows) return 1.0;
        const double of = all[number * sum_scale_count(how, extent, p.size.k) +
                              sum_scale_at(how, extent, p.size.k, row, (s.k + begin) / sum_scale_k)];
        return factor.absolute || factor.raised ? std::fabs(of) : of;
      };
      for (uint32_t column = 0; column < s.columns; ++column) {
        const double of_column = scale(g.sum_scales_b, p.sum_scales_b, p.d.cols, s.b, s.n + column);
        for (uint32_t row = 0; row < s.rows; ++row)
          part[uint64_t{column} * rows + row] += scale(g.sum_scales_a, p.sum_scales_a, rows, s.a, s.m + row) *
                                                 of_column * sum[uint64_t{column} * rows + row];
      }
    }
  }
  return d;
}

struct Place {
  uint32_t batch, row, col, half = 0;  // half: 1 of what is gated
};
// Of a part that the kernel has, the value for an element of D.
double value(const GemmData& p, const EpiloguePartInfo& part, const Place& at) {
  const HostMatrix& m = p.epilogue[part.part];
  switch (part.shape) {
    case PartShape::rows: return m.get(at.row + (part.use <= PartUse::adds ? at.half * p.d.rows : 0));
    case PartShape::columns: return m.get(at.col);
    case PartShape::matrix: return m.get(m.at(at.batch, at.row, at.col));
    default: return m.get(0);
  }
}

// D of i32, modulo 2^32. Sums of products are below 2^53, where f64 is exact.
GemmVerdict compare_integers(const GemmData& p, const GemmConfig& g) {
  GemmVerdict v;
  const auto word = [](double x) { return static_cast<uint64_t>(static_cast<int64_t>(x)); };
  for (uint32_t batch = 0; batch < p.d.batch; ++batch) {
    const auto ab = product(p, g, batch, {});
    for (uint64_t i = 0; i < ab.size(); ++i, ++v.checked) {
      const Place at{batch, static_cast<uint32_t>(i % p.d.rows), static_cast<uint32_t>(i / p.d.rows)};
      uint64_t want = word(p.size.alpha) * word(ab[i]);
      if (p.size.beta != 0) want += word(p.size.beta) * word(p.c.get(p.c.at(batch, at.row, at.col)));
      for (const EpiloguePartInfo& part : epilogue_parts())
        if (g.epilogue.has(part.part)) want += word(value(p, part, at));
      const auto got = static_cast<int32_t>(p.d.get(p.d.at(batch, at.row, at.col)));
      if (got == static_cast<int32_t>(want)) continue;
      v.worst_share = v.worst_relative = INFINITY;
      if (v.wrong++ == 0)
        v.first_wrong = fmt::format("D[{},{}] of batch {} is {}, reference {}", at.row, at.col, batch, got,
                                    static_cast<int32_t>(want));
    }
  }
  return v;
}

// A number, how far off the kernel's may be, and the sum of the absolute values that it is made of.
struct Bounded {
  double value, error, size;
  bool or_nan = false;  // a factor of the infinity may have become zero
};

class Reference {
 public:
  Reference(const GemmData& p, const GemmConfig& g) : p_(p), g_(g), e_(g.epilogue) {
    for (const EpiloguePartInfo& part : epilogue_parts())
      if (e_.has(part.part)) (part.use <= PartUse::adds ? before_ : after_) += 1;
    const auto least = [](const std::vector<float>& all) {
      double of = 1;
      for (const float x : all)
        if (x != 0 && std::fabs(x) < of) of = std::fabs(x);
      return of;
    };
    scales_vanish_ = least(p.sum_scales_a) * least(p.sum_scales_b) <= 0x1p-150;
  }

  double u() const { return g_.input == Type::f64 ? 0x1p-52 : 0x1p-23; }
  double sums() const {
    return (p_.size.k * static_cast<double>(products_of(g_)) + (g_.split_f32 ? 5 : 0) + 4.0 + before_ +
            (g_.split_k > 1 ? g_.split_k : 0) + (scaled_blocks() ? 3 + scaled_blocks() : 0)) *
           u();
  }
  // Relative to `size`, before D is rounded.
  double relative() const {
    const ActivationInfo& a = about(e_.activation);
    return a.slope * sums() + (a.error + after_) * u() + (e_.gated ? sums() + u() : 0);
  }

  // `sum`: of products; `size`: of their absolute values; `lost`: of those that may be missing.
  Bounded argument(double sum, double size, double counted, double lost, const Place& at) const {
    const double alpha = factor(p_.size.alpha, PartUse::scales_sum, at),
                 beta = factor(p_.size.beta, PartUse::scales_c, at);
    Bounded x{alpha * sum, lost * std::fabs(alpha), std::fabs(alpha) * size};
    double terms = std::fabs(alpha) * counted;
    const auto add = [&](double term) { x.value += term, x.size += std::fabs(term), terms += std::fabs(term); };
    if (beta != 0) add(beta * p_.c.get(p_.c.at(at.batch, at.row, at.col)));
    for (const EpiloguePartInfo& part : epilogue_parts())
      if (part.use == PartUse::adds && e_.has(part.part)) add(value(p_, part, at));
    x.error +=
        sums() * terms + (before_ ? (1 + size) * 0x1p-126 : 0) + 3 * scaled_blocks() * 0x1p-126 * std::fabs(alpha);
    if (!std::isfinite(x.value)) x.error = 0;
    return x;
  }
  // What is stored, before it is rounded; and |R| for absmax. `gated`: what x is the gate of.
  Bounded result(Bounded x, const std::optional<Bounded>& gated, const Place& at, Bounded& largest) const {
    const ActivationInfo& a = about(e_.activation);
    const double own = a.error > 0 ? a.error * u() * x.size : 0;  // size may be infinite
    x = {activated(a.activation, x.value), a.slope * x.error + own, a.slope * x.size};
    if (e_.clamp && !std::isnan(x.value)) x.value = std::clamp<double>(x.value, e_.clamp->low, e_.clamp->high);
    x.size = std::max(x.size, std::fabs(x.value));  // a bound may be larger
    const bool vanishes = std::fabs(x.value) <= x.error + 0x1p-126;
    const bool or_nan = gated && vanishes && std::isinf(gated->value);
    if (gated) {
      const double value = x.value * gated->value;
      x = {value,
           std::fabs(x.value) * gated->error + (std::fabs(gated->value) + gated->error) * x.error +
               u() * std::fabs(value) + 0x1p-126,
           x.size * gated->size};
    }
    for (const EpiloguePartInfo& part : epilogue_parts()) {
      if (!e_.has(part.part) || part.use <= PartUse::adds) continue;
      if (part.use == PartUse::adds_after) {
        const double term = value(p_, part, at);
        x.value += term, x.size += std::fabs(term), x.error += u() * x.size;
      } else if (part.use == PartUse::largest) {
        const bool more = std::isnan(x.value) || std::fabs(x.value) > largest.value;
        if (more && !std::isnan(largest.value)) largest.value = std::fabs(x.value);
        largest.error = std::max(largest.error, x.error);
      } else {
        const double f = value(p_, part, at);
        x = {x.value * f, x.error * std::fabs(f) + u() * std::fabs(x.value * f) + 0x1p-126, x.size * std::fabs(f)};
      }
    }
    x.or_nan = or_nan || (scales_vanish_ && std::isinf(x.value));
    return x;
  }

 private:
  double scaled_blocks() const {  // sums of 128 k that are scaled
    return g_.sum_scales_a.rows || g_.sum_scales_b.rows ? std::ceil(p_.size.k / 128.0) : 0;
  }
  double factor(double x, PartUse use, const Place& at) const {
    for (const EpiloguePartInfo& part : epilogue_parts())
      if (part.use == use && e_.has(part.part)) x *= value(p_, part, at);
    return x;
  }
  const GemmData& p_;
  const GemmConfig& g_;
  const Epilogue& e_;
  int before_ = 0, after_ = 0;  // operations
  bool scales_vanish_ = false;  // the product of two, in f32
};

// As D's type has it: saturated, where it is.
double limited(double x, const GemmConfig& g, const HostMatrix& d) {
  if (g.output == Type::i8) return std::isnan(x) ? 0 : std::clamp<double>(x, -128, 127);
  if (isa::bits(g.output) > 8 || !g.epilogue.saturate || std::isnan(x)) return x;
  const sim::FloatFormat& f = small_format(d.type, d.fnuz);
  const double largest = sim::decode(f, f.largest());
  return std::clamp(x, -largest, largest);
}
// Checks the scales that the kernel wrote, and divides the results by them. A scale of f32 is off by what the largest
// |value| is, a product and a reciprocal; of E8M0, by one where that reaches another power of two.
template <class Check>
void quantise(std::vector<Bounded>& results, const GemmData& p, const GemmConfig& g, uint32_t batch, Check check) {
  const QuantisationInfo& q = about(g.epilogue.quantisation);
  const sim::FloatFormat& f = small_format(p.d.type, p.d.fnuz);
  const double most = sim::decode(f, f.largest());
  const auto rows = static_cast<uint32_t>(q.rows);
  for (uint32_t col = 0; col < p.d.cols; ++col)
    for (uint32_t first = 0; first < p.d.rows; first += rows) {
      const std::span block(&results[uint64_t{col} * p.d.rows + first], std::min(rows, p.d.rows - first));
      Bounded largest{0, 0, 0};
      for (const Bounded& x : block) {
        largest.value = std::max(largest.value, std::isfinite(x.value) ? std::fabs(x.value) : 0x1.fffffep127);
        if (std::isfinite(x.value)) largest.error = std::max(largest.error, x.error);
      }
      const double got = p.scales.get(p.scales.at(batch, first / rows, col));
      double scale = got;
      if (q.e8m0) {
        const auto code = [&](double x) { return x > 0 ? std::max(std::ilogb(x) - std::ilogb(most) + 127, 0) : 0; };
        const int least = code(largest.value - largest.error), last = code(largest.value + largest.error);
        const int byte = static_cast<int>(got) & 0xff;
        check(byte, {static_cast<double>(std::clamp(byte, least, last)), 0, 1}, first / rows, col);
        scale = std::ldexp(1, byte - 127);
      } else {
        const double want = std::max<double>(largest.value / most, least_block_scale);
        check(got, {want, largest.error / most + 3 * 0x1p-24 * want, want}, first / rows, col);
      }
      for (Bounded& x : block) {
        x = {x.value / scale, x.error / scale, x.size / scale};
        if (!q.e8m0) x.error += 3 * 0x1p-23 * std::fabs(x.value);
      }
    }
}
double share(double got, double want, double allowed, const Precision& f, const GemmConfig& g) {
  const bool past = isa::bits(g.output) == 8 && std::isnan(got) && std::fabs(want) + allowed >= f.overflows_at;
  return past ? 0 : share_of_allowed(got, want, allowed, f);  // some 8-bit floats have no infinity
}

}  // namespace

GemmVerdict compare(const GemmData& p, const GemmConfig& g, const SmallFactors& small) {
  if (g.output == Type::i32) return compare_integers(p, g);
  Precision f = precision(g.output, p.d.fnuz);
  if (isa::bits(g.output) == 8 && g.epilogue.saturate) f.overflows_at = INFINITY;  // neither infinity nor NaN is right
  const Reference reference(p, g);
  GemmVerdict v;
  v.bound = reference.relative() + f.roundoff;
  Bounded largest{0, 0, 0};
  const auto check = [&](double got, const Bounded& want, double allowed, auto&& name) {
    const double used = want.or_nan && std::isnan(got) ? 0 : share(got, want.value, allowed, f, g);
    if (std::isfinite(want.size) && want.size > 0 && std::isfinite(got))
      v.worst_relative = std::max(v.worst_relative, std::fabs(got - want.value) / want.size);
    v.worst_share = std::max(v.worst_share, used);
    if (!(used <= 1) && v.wrong++ == 0) v.first_wrong = fmt::format("{} is {}, reference {}", name(), got, want.value);
    ++v.checked;
  };
  for (uint32_t batch = 0; batch < p.d.batch; ++batch) {
    auto sum = product(p, g, batch, {});
    const auto size = product(p, g, batch, {.absolute = true});
    const auto counted =
        small.aligned > 0 ? product(p, g, batch, {.absolute = true, .least = small.aligned, .raised = true}) : size;
    std::vector<double> lost(sum.size());
    if (small.least > 0) {
      const auto seen_sum = product(p, g, batch, {.least = small.least}),
                 seen_size = product(p, g, batch, {.absolute = true, .least = small.least});
      for (size_t i = 0; i < sum.size(); ++i) {
        lost[i] = size[i] - seen_size[i] + 3 * p.size.k * 0x1p-126;
        if (!std::isfinite(lost[i])) sum[i] = seen_sum[i], lost[i] = 0;
      }
    }
    std::vector<Bounded> results(uint64_t{p.d.rows} * p.d.cols);
    for (uint64_t i = 0; i < results.size(); ++i) {
      Place at{batch, static_cast<uint32_t>(i % p.d.rows), static_cast<uint32_t>(i / p.d.rows)};
      const auto argument = [&](uint32_t half) {
        at.half = half;
        const size_t j = i + (g.epilogue.gated ? i / p.d.rows + half : 0) * p.d.rows;
        return reference.argument(sum[j], size[j], counted[j], lost[j], at);
      };
      const Bounded x = argument(0);
      const auto gated = g.epilogue.gated ? std::optional(argument(1)) : std::nullopt;
      results[i] = reference.result(x, gated, at, largest);
    }
    if (g.epilogue.quantisation != Quantisation::none)
      quantise(results, p, g, batch, [&](double got, const Bounded& want, uint32_t block, uint32_t col) {
        check(got, want, want.error, [&] { return fmt::format("scale[{},{}] of batch {}", block, col, batch); });
      });
    for (uint64_t i = 0; i < results.size(); ++i) {
      const auto row = static_cast<uint32_t>(i % p.d.rows), col = static_cast<uint32_t>(i / p.d.rows);
      Bounded want = results[i];
      want.value = limited(want.value, g, p.d);
      const double rounding = f.roundoff * (std::fabs(want.value) + want.error) + f.half_smallest;
      check(p.d.get(p.d.at(batch, row, col)), want, want.error + rounding,
            [&] { return fmt::format("D[{},{}] of batch {}", row, col, batch); });
    }
  }
  if (g.epilogue.has(EpiloguePart::absmax) && v.checked)
    check(p.epilogue[EpiloguePart::absmax].get(0), largest, largest.error + 0x1p-126, [] { return "absmax"; });
  return v;
}

}  // namespace wavesmith::tools
