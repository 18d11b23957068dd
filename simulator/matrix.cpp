// All matrix instructions in one function that reads the table row: the plan states where elements are and how they are
// summed, operands are gathered as f32, and a kernel adds the products of each row of D to the accumulators, in place
// if these have 32 bits.
#include "simulator/matrix_operands.h"

#include "simulator/deferred.h"
#include "simulator/semantics.h"

#include <algorithm>

namespace wavesmith::sim {
namespace {
using isa::Type;

// -- Accumulators --

// An inline constant as C: a float constant is converted to C's type; an integer constant is used as bits.
f32 constant_accumulator(Type t, u32 bits) {
  const bool whole = bits >> 16 == 0 || bits >> 16 == 0xffff;
  if (t == Type::f16) return from_f16(whole ? static_cast<u16>(bits) : nearest_f16(std::bit_cast<f32>(bits)));
  if (t == Type::bf16) return from_bf16(whole ? static_cast<u16>(bits) : to_bf16(std::bit_cast<f32>(bits)));
  return std::bit_cast<f32>(bits);
}
// One register per 16-bit element (gfx11), or two elements in one; unwritten halves keep their value.
void load_accumulators(Wave& w, const Step& st, const OperandPlan& s, int source, f32* buffer, int m, int n) {
  const Source& src = st.src[source];
  for (const Run& r : s.runs) {
    const isa::RegisterBits at = s.layout.where(r.item);
    f32* out = buffer + (r.block * m + r.k) * n + r.along;
    for (int i = 0; i < s.width; ++i) {
      if (src.from == Source::From::constant) {
        out[i] = constant_accumulator(s.type, src.bits[0]);
        continue;
      }
      const u32 raw = w.vreg(src.reg + at.reg)[r.lane + i] >> at.bit;
      out[i] = s.type == Type::f16    ? from_f16(static_cast<u16>(raw))
               : s.type == Type::bf16 ? from_bf16(static_cast<u16>(raw))
                                      : std::bit_cast<f32>(raw);
    }
  }
}
// MODE.FP16_OVFL keeps results of these widths finite, and integers saturated.
bool overflow_saturates(const Wave& w, const isa::Matrix& x) {
  if (!w.fp16_overflow) return false;
  const bool mfma = x.kind == isa::MatrixKind::mfma || x.kind == isa::MatrixKind::smfmac;
  return mfma ? w.group->target->overflow_mode_of_mfma() && x.d != Type::f64
              : w.group->target->overflow_mode_of_wmma() && x.d != Type::f32;
}
void store_results(Wave& w, const Step& st, const OperandPlan& s, const f32* buffer, int m, int n) {
  const bool finite = overflow_saturates(w, st.row->matrix);
  for (const Run& r : s.runs) {
    const isa::RegisterBits at = s.layout.where(r.item);
    const f32* in = buffer + (r.block * m + r.k) * n + r.along;
    u32* d = w.vreg(st.dst + at.reg) + r.lane;
    for (int i = 0; i < s.width; ++i) {
      if (s.layout.item_bits == 32) {
        d[i] = std::bit_cast<u32>(in[i]);
        continue;
      }
      u32 half = s.type == Type::f16 ? nearest_f16(in[i]) : to_bf16(in[i]);
      if (finite && std::isfinite(in[i]) && (half & 0x7fff) == (s.type == Type::f16 ? 0x7c00 : 0x7f80)) --half;
      d[i] = (d[i] & ~(0xffffu << at.bit)) | half << at.bit;
    }
  }
}

// -- Products --

// Rows that no vector kernel supports: element by element, as the sum is defined. Scales: [k / block][row or column],
// or nullptr.
struct Scales {
  const int *a = nullptr, *b = nullptr;
  int block = 0;
};
void by_definition(const MatrixPlan& p, const Operands& o, const Scales& scales, std::span<const Row> rows, f32* d) {
  const auto depth = static_cast<size_t>(o.k);
  std::vector<Factor> a(depth), of_block(depth * static_cast<size_t>(o.n));  // of_block: B's, column after column
  const auto factor = [](f32 x, Type t, bool fnuz) { return Factor{x, exponent_of(x, least_exponent(t, fnuz))}; };
  for (int block = -1; const Row& r : rows) {
    for (int k = 0; k < o.k; ++k)
      a[static_cast<size_t>(k)] = factor(o.a[(r.block * o.k + k) * o.m + r.row], p.a.type, p.fnuz);
    if (std::exchange(block, r.block) != r.block)
      for (int k = 0; k < o.k; ++k)
        for (int col = 0; col < o.n; ++col)
          of_block[static_cast<size_t>(col) * depth + static_cast<size_t>(k)] =
              factor(o.b[(r.block * o.k + k) * o.n + col], p.b.type, p.fnuz);
    for (int col = 0; col < o.n; ++col) {
      const std::span<const Factor> b(of_block.data() + static_cast<size_t>(col) * depth, depth);
      f32& c = d[r.d + static_cast<u32>(col)];
      const int step = scales.a ? scales.block : o.k;
      for (int k = 0; k < o.k; k += step) {
        const int scale = !scales.a ? 0 : [&] {
          const int x = scales.a[k / step * o.m + r.row], y = scales.b[k / step * o.n + col];
          return x == nan_scale || y == nan_scale ? nan_scale : x + y;
        }();
        c = accumulate(p.sum, std::span(a).subspan(static_cast<size_t>(k), static_cast<size_t>(step)),
                       b.subspan(static_cast<size_t>(k), static_cast<size_t>(step)), c, scale);
      }
    }
  }
}

// Fast numerics: the sum of each block of scales, then scaled.
void multiply_scaled(MultiplyFused fused, const Operands& o, const Scales& scales, std::span<const Row> rows, f32* d) {
  static thread_local f32 sums[Operands::most];
  for (int k = 0; k < o.k; k += scales.block) {
    const Factors factors{o.a + k * o.m, o.b + k * o.n};
    const int *a = scales.a + k / scales.block * o.m, *b = scales.b + k / scales.block * o.n;
    for (const Row& r : rows) std::fill_n(sums + r.d, o.n, 0.f);
    fused({o.m, scales.block}, {&factors, 1}, rows, sums);
    for (const Row& r : rows)
      for (int col = 0; col < o.n; ++col)
        d[r.d + static_cast<u32>(col)] += a[r.row] == nan_scale || b[col] == nan_scale
                                              ? std::numeric_limits<f32>::quiet_NaN()
                                              : std::ldexp(sums[r.d + static_cast<u32>(col)], a[r.row] + b[col]);
  }
}

void multiply(Wave& w, const MatrixPlan& p, const Operands& o, const Scales& scales, std::span<const Row> rows,
              f32* d) {
  if (p.sum.how == Sum::integer) {
    std::vector<Row> none;
    return integer_kernel(o.n)(o, rows, d, none);
  }
  const bool fast = w.group->options->numerics == Numerics::fast;
  const Factors factors{o.a, o.b};
  if (const auto fused = fast ? fma_kernel(o.n) : nullptr)
    return scales.a ? multiply_scaled(fused, o, scales, rows, d) : fused({o.m, o.k}, {&factors, 1}, rows, d);
  const Multiply kernel = scales.a || fast ? nullptr : exact_kernel(p.sum, o);
  if (!kernel) return by_definition(p, o, scales, rows, d);
  static thread_local std::vector<Row> left;
  left.clear();
  kernel(o, rows, d, left);
  if (!left.empty()) by_definition(p, o, scales, left, d);
}

// Formats of scales: 0 E8M0, and of FP4 elements also 1 E5M3 and 2 E4M3. False: silicon has no such pair (CDNA5
// ISA 7.12.6).
struct ScaleFormats {
  int a, b;
};
ScaleFormats scale_formats(const Step& st) { return {st.inst.mods.scale_fmt & 15, st.inst.mods.scale_fmt >> 4}; }
bool legal(ScaleFormats f, Type a, Type b) {
  const auto alone = [](int format, Type t) { return format == 0 || (format < 3 && t == Type::fp4); };
  return alone(f.a, a) && alone(f.b, b) && (a != Type::fp4 || b != Type::fp4 || f.a == f.b);
}
u32 scale_bits(Wave& w, const Source& s,
               const BitsAt& b) {  // inline constants: 0 means 1; others are undocumented (inferred: used as they are)
  return (s.from == Source::From::vector   ? w.vreg(s.reg + b.reg)[b.lane] >> b.bit
          : s.from == Source::From::scalar ? scalar(w, s.reg)
          : s.bits[0]                      ? s.bits[0]
                                           : 127) &
         255;
}
// Exponents. E8M0 (OCP MX 1.0, 5.4.1): 2^(s - 127), 0xff is NaN.
void read_scales(Wave& w, const Source& s, std::span<const BitsAt> at, int* out) {
  for (const BitsAt& b : at) {
    const u32 bits = scale_bits(w, s, b);
    *out++ = bits == 255 ? nan_scale : static_cast<int>(bits) - 127;
  }
}
// E5M3 and E4M3 scales: their significands, in [1, 2), are multiplied into the elements, exactly.
struct Elements {
  const OperandPlan& side;
  int block;
  f32* x;
  u32* codes;
  int least;
};
void read_small_floats(Wave& w, const Source& s, std::span<const BitsAt> at, int format, const Elements& in, int* out) {
  const int extent = in.side.extent;
  for (size_t n = 0; n < at.size(); ++n) {
    const u32 bits = scale_bits(w, s, at[n]);
    const f64 scale = format == 1 ? decode(format::e5m3, bits) : decode(format::fp8, bits & 0x7f);
    int e = 0;
    const f32 significand = static_cast<f32>(2 * std::frexp(scale, &e));
    out[n] = std::isnan(scale) ? nan_scale : scale == 0 ? 0 : e - 1;
    const int block = static_cast<int>(n) / extent, i = static_cast<int>(n) % extent;
    for (int k = block * in.block; k < (block + 1) * in.block; ++k) {
      f32& x = in.x[k * extent + i];
      if (!std::isnan(scale)) x *= significand;
      in.codes[k * extent + i] = x == 0 ? 0 : static_cast<u32>(Operands::code_zero_exponent + exponent_of(x, in.least));
    }
  }
}
// Scales are multiplied into the operand beforehand if it stays within the range of the kernels.
struct Reach {
  int lowest, highest;
};  // exponents of the nonzero elements
bool foldable(std::span<const int> scales, Reach& r) {
  const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
  if (*least < -100 || *most > 100) return false;
  if (r.lowest > r.highest) return true;  // zeros alone
  const Reach scaled{r.lowest + *least, r.highest + *most};
  if (scaled.lowest < Operands::least_aligned || scaled.highest > Operands::most_aligned) return false;
  r = scaled;
  return true;
}
void fold(const int* scales, int block, const OperandPlan& s, f32* x, u32* codes) {
  for (int k = 0; k < s.depth; ++k)
    for (int i = 0; i < s.extent; ++i) {
      const int e = scales[k / block * s.extent + i], at = k * s.extent + i;
      x[at] *= static_cast<f32>(power_of_two(e));
      if (codes[at]) codes[at] = static_cast<u32>(static_cast<int>(codes[at]) + e);
    }
}

// With a 2:4 sparse A, each row is multiplied by the rows of B that its index selects: kept element kk of group g is
// column 4g + index.
void multiply_sparse(Wave& w, const Step& st, const MatrixPlan& p, const Operands& o, std::span<const Row> rows,
                     f32* d) {
  static thread_local f32 b[Operands::most];
  static thread_local u32 eb[Operands::most];
  const int depth = p.a.depth;
  Operands picked = o;
  picked.k = depth, picked.b = b, picked.eb = eb;
  const Source& index = st.src[2];
  for (const Row& r : rows) {
    for (int k = 0; k < depth; ++k) {
      const BitsAt at = p.index[static_cast<size_t>(k * o.m + r.row)];
      const int from = k / 2 * 4 + static_cast<int>(w.vreg(index.reg + at.reg)[at.lane] >> at.bit & 3);
      std::copy_n(o.b + from * o.n, o.n, b + k * o.n);
      if (o.eb) std::copy_n(o.eb + from * o.n, o.n, eb + k * o.n);
    }
    if (o.eb) pair_codes(eb, depth, o.n);
    multiply(w, p, picked, {}, {&r, 1}, d);
  }
}

void multiply_f64(Wave& w, const Step& st, const MatrixPlan& p) {
  static thread_local f64 a[1024], b[1024];
  const auto load = [&](const OperandPlan& s, const Input& in, f64* out) {
    for (const Run& r : s.runs) {
      const int reg = st.src[in.source].reg + s.layout.where(r.item).reg;
      for (int i = 0; i < s.width; ++i) {
        const f64 x = std::bit_cast<f64>(w.vreg(reg)[r.lane + i] | u64{w.vreg(reg + 1)[r.lane + i]} << 32);
        out[(r.block * s.depth + r.k) * s.extent + r.along + i] = in.neg_even ? -x : x;
      }
    }
  };
  load(p.a, input_of(p, st, true), a), load(p.b, input_of(p, st, false), b);
  const Source& c = st.src[2];
  const bool neg_c = st.inst.mods.blgp & 4;
  const int k = p.a.depth, m = p.a.extent, n = p.b.extent;
  static thread_local f64 sums[1024];  // complete before D is written, which may overlap C or A
  size_t at = 0;
  for (const Run& r : p.d.runs) {
    const int reg = p.d.layout.where(r.item).reg;
    for (int i = 0; i < p.d.width; ++i) {
      const u64 bits = c.from == Source::From::constant
                           ? c.bits[0] | u64{c.bits[1]} << 32
                           : w.vreg(c.reg + reg)[r.lane + i] | u64{w.vreg(c.reg + reg + 1)[r.lane + i]} << 32;
      sums[at + static_cast<size_t>(i)] = neg_c ? -std::bit_cast<f64>(bits) : std::bit_cast<f64>(bits);
    }
    fma_row_f64(a + r.block * k * m + r.k, b + r.block * k * n, m, k, n, sums + at);
    at += static_cast<size_t>(p.d.width);
  }
  at = 0;
  for (const Run& r : p.d.runs)
    for (int i = 0; i < p.d.width; ++i, ++at) {
      const int reg = st.dst + p.d.layout.where(r.item).reg;
      const u64 bits = std::bit_cast<u64>(sums[at]);
      w.vreg(reg)[r.lane + i] = static_cast<u32>(bits), w.vreg(reg + 1)[r.lane + i] = static_cast<u32>(bits >> 32);
    }
}

bool both_32_bits(const isa::Matrix& x) { return isa::bits(x.c) == 32 && isa::bits(x.d) == 32; }

// C's sign modifiers (RDNA3 ISA 7.9: NEG of source 2 negates C, NEG_HI takes its absolute value first).
void modify_accumulators(const Step& st, std::span<const Row> rows, int n, f32* d) {
  const bool neg = st.inst.mods.neg_lo & 4, abs = st.inst.mods.neg_hi & 4;
  if (st.row->format != isa::Format::vop3p || st.row->matrix.d == Type::i32 || !(neg || abs)) return;
  for (const Row& r : rows)
    for (f32* x = d + r.d; x < d + r.d + n; ++x) *x = neg ? -(abs ? std::fabs(*x) : *x) : std::fabs(*x);
}

// f32 results that overflowed become the largest number; infinities from operands stay. `before`: the contents of d
// before the products were added.
void finite_results(const MatrixPlan& p, const Operands& o, std::span<const Row> rows, const std::vector<f32>& before,
                    f32* d) {
  const auto finite = [](const f32* x, int step, int count) {
    for (int k = 0; k < count; ++k)
      if (!std::isfinite(x[k * step])) return false;
    return true;
  };
  const int depth = p.b.depth;
  size_t at = 0;
  for (const Row& r : rows)
    for (f32* x = d + r.d; x < d + r.d + o.n; ++x, ++at) {
      if (!std::isinf(*x) || !std::isfinite(before[at])) continue;
      if (finite(o.a + r.block * o.k * o.m + r.row, o.m, o.k) &&
          finite(o.b + r.block * depth * o.n + (x - d - r.d), o.n, depth))
        *x = std::copysign(std::numeric_limits<f32>::max(), *x);
    }
}

// A, B and their scales, without those that were multiplied into the elements.
Scales gather_operands(Wave& w, const Step& st, const MatrixPlan& p, Operands& o) {
  const isa::Matrix& x = st.row->matrix;
  o.m = p.a.extent, o.n = p.b.extent, o.k = p.a.depth;
  const bool coded = aligns(p.sum.how) && (w.group->options->numerics == Numerics::exact || x.scale_block);
  struct Room {
    alignas(64) f32 x[Operands::most];
    alignas(64) u32 codes[Operands::most];
  };
  static thread_local Room room[2];
  const Input inputs[] = {input_of(p, st, true, w.denorm_f32), input_of(p, st, false, w.denorm_f32)};
  Gathered own[2];
  const Gathered* made[2];
  bool paired[2] = {};  // its codes
  for (const int i : {0, 1}) {
    const bool sparse_b = x.sparse() && i == 1;  // its codes are paired when rows are selected
    if (w.deferred && st.fragment[i] != absent && !x.scale_block && !(sparse_b && coded)) {
      made[i] = &w.deferred->fragment(w, st, i, coded), paired[i] = true;
      continue;
    }
    own[i].x = room[i].x, own[i].codes = coded ? room[i].codes : nullptr;
    gather(w, st, p, inputs[i], own[i]);
    made[i] = &own[i];
  }
  constexpr int zero = Operands::code_zero_exponent;
  Scales scales;
  Reach a{}, b{};
  if (coded)
    a = {made[0]->range.least() - zero, made[0]->range.most() - zero},
    b = {made[1]->range.least() - zero, made[1]->range.most() - zero};
  if (x.scale_block) {
    static thread_local int scale_a[256], scale_b[256];
    const ScaleFormats f = scale_formats(st);
    if (f.a)
      read_small_floats(w, st.src[3], p.scale_a, f.a,
                        {p.a, x.scale_block, own[0].x, own[0].codes, least_exponent(p.a.type, p.fnuz)}, scale_a),
          ++a.highest;
    else read_scales(w, st.src[3], p.scale_a, scale_a);
    if (f.b)
      read_small_floats(w, st.src[4], p.scale_b, f.b,
                        {p.b, x.scale_block, own[1].x, own[1].codes, least_exponent(p.b.type, p.fnuz)}, scale_b),
          ++b.highest;
    else read_scales(w, st.src[4], p.scale_b, scale_b);
    Reach a_scaled = a, b_scaled = b;
    if (foldable({scale_a, p.scale_a.size()}, a_scaled) && foldable({scale_b, p.scale_b.size()}, b_scaled)) {
      fold(scale_a, x.scale_block, p.a, own[0].x, own[0].codes),
          fold(scale_b, x.scale_block, p.b, own[1].x, own[1].codes);
      a = a_scaled, b = b_scaled;
    } else {
      scales = {scale_a, scale_b, x.scale_block};
    }
  }
  o.lowest = std::min(a.lowest, b.lowest), o.highest = std::max(a.highest, b.highest);
  if (coded && !paired[0]) pair_codes(own[0].codes, x.blocks * o.k, o.m);
  if (coded && !paired[1] && !x.sparse()) pair_codes(own[1].codes, x.blocks * o.k, o.n);
  o.a = made[0]->x, o.b = made[1]->x;
  if (coded) o.ea = made[0]->codes, o.eb = made[1]->codes;
  return scales;
}

// Adds the sums of products that `products` puts into a buffer of zeros, of all k or of alternate eights of them.
template <class Products>
void add_saturating(const Wave& w, const MatrixPlan& p, Operands& o, f32* buffer, int count, const Products& products) {
  static thread_local f32 sums[Operands::most], part[Operands::most];
  const f32* const a = o.a;
  const int steps = w.group->target->saturates_by_halves() ? 2 : 1;
  static thread_local std::vector<int> step_of;  // a k's
  step_of.assign(static_cast<size_t>(o.k), 0);
  for (const Run& r : p.a.runs) step_of[r.k] = r.lane >= 16;
  std::copy_n(buffer, count, sums);
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; steps > 1 && k < o.k; ++k)
      if (step_of[static_cast<size_t>(k)] == step) std::copy_n(a + k * o.m, o.m, part + k * o.m);
      else std::fill_n(part + k * o.m, o.m, 0.f);
    if (steps > 1) o.a = part;
    std::fill_n(buffer, count, 0.f);
    products();
    for (int i = 0; i < count; ++i) {
      const i64 sum = i64{std::bit_cast<i32>(sums[i])} + std::bit_cast<i32>(buffer[i]);
      sums[i] = std::bit_cast<f32>(static_cast<i32>(std::clamp<i64>(sum, INT32_MIN, INT32_MAX)));
    }
  }
  std::copy_n(sums, count, buffer);
}

[[gnu::noinline]] void multiply_now(Wave& w, const Step& st) {
  const isa::Matrix& x = st.row->matrix;
  const MatrixPlan& p = *st.plan;
  if (!p.refusal.empty()) return w.fail(Fault::Kind::illegal, p.refusal);
  if (x.scale_block && !legal(scale_formats(st), p.a.type, p.b.type))
    return w.fail(
        Fault::Kind::illegal,
        "has scale formats that its element formats do not allow; legal: E8M0, for FP4 also E5M3 or E4M3, the "
        "same for both if both are FP4");
  if (x.d == Type::f64) return multiply_f64(w, st, p);

  Operands o;
  const Scales scales = gather_operands(w, st, p, o);

  static thread_local f32 buffer[Operands::most];
  static thread_local std::vector<Row> buffer_rows;
  const bool saturate = x.d == Type::i32 && (st.inst.mods.has(isa::clamp) || overflow_saturates(w, x)),
             in_place = both_32_bits(x) && !saturate;
  const int c_source = x.sparse() ? 3 : 2;
  std::span<const Row> rows = p.rows;
  f32* d = reinterpret_cast<f32*>(w.vreg(st.dst));  // A and B are gathered: accumulating in place is safe
  if (in_place) {
    const Source& c = st.src[c_source];
    const int registers = p.d.registers;
    if (c.from == Source::From::constant) std::fill_n(d, W * registers, std::bit_cast<f32>(c.bits[0]));
    else if (c.reg != st.dst) std::memmove(d, w.vreg(c.reg), sizeof(f32) * static_cast<size_t>(W * registers));
  } else {
    d = buffer;
    buffer_rows.clear();
    for (u16 block = 0; block < x.blocks; ++block)
      for (u16 row = 0; row < o.m; ++row)
        buffer_rows.push_back({block, row, static_cast<u32>((block * o.m + row) * o.n)});
    rows = buffer_rows;
    load_accumulators(w, st, p.c, c_source, buffer, o.m, o.n);
  }
  modify_accumulators(st, rows, o.n, d);
  const auto products = [&] {
    if (x.sparse()) multiply_sparse(w, st, p, o, rows, d);
    else multiply(w, p, o, scales, rows, d);
  };
  static thread_local std::vector<f32> before;
  const bool finite = x.d == Type::f32 && overflow_saturates(w, x);
  if (finite) {
    before.clear();
    for (const Row& r : rows) before.insert(before.end(), d + r.d, d + r.d + o.n);
  }
  if (saturate) add_saturating(w, p, o, buffer, x.m * x.n * x.blocks, products);
  else products();
  if (finite) finite_results(p, o, rows, before, d);
  if (!in_place) store_results(w, st, p.d, buffer, o.m, o.n);
}

}  // namespace

namespace {
// gfx11: A and B are in lanes 0 to 15 and again in 16 to 31; those above are not read.
bool is_copied(Wave& w, const OperandPlan& s, const Source& from) {
  for (int r = 0; r < s.registers; ++r) {
    const u32* lanes = w.vreg(from.reg + r);
    if (std::memcmp(lanes, lanes + 16, 16 * sizeof *lanes) != 0) return false;
  }
  return true;
}
void exchange_copies(Wave& w, const OperandPlan& s, const Source& from) {
  for (int r = 0; r < s.registers; ++r) {
    u32* lanes = w.vreg(from.reg + r);
    std::swap_ranges(lanes, lanes + 16, lanes + 16);
  }
}
// Odd rows of D, in every second 16 lanes, are products of the copies of A and B in lanes 16 to 31. (MIOpen's Winograd
// Fury has other columns of B there, rocWMMA another order of k in both, and they give right results only so.)
[[gnu::noinline]] void multiply_by_halves(Wave& w, const Step& st) {
  using Registers = std::vector<std::array<u32, W>>;
  const MatrixPlan& p = *st.plan;
  const auto count = static_cast<size_t>(p.d.registers);
  const auto swapped = [&](Registers other) {  // with the registers of D
    for (size_t r = 0; r < count; ++r)
      std::swap_ranges(other[r].begin(), other[r].end(), w.vreg(st.dst + static_cast<int>(r)));
    return other;
  };
  if (w.deferred) w.deferred->settle(w);
  auto* const known = std::exchange(w.deferred, nullptr);  // whose fragments are of the first copy
  Registers before(count);
  for (size_t r = 0; r < count; ++r) std::copy_n(w.vreg(st.dst + static_cast<int>(r)), W, before[r].begin());
  multiply_now(w, st);
  const Registers even = swapped(before);
  exchange_copies(w, p.a, st.src[0]), exchange_copies(w, p.b, st.src[1]);
  multiply_now(w, st);
  exchange_copies(w, p.a, st.src[0]), exchange_copies(w, p.b, st.src[1]);
  for (size_t r = 0; r < count; ++r)
    for (int l = 0; l < W; ++l)
      if (!(l / 16 & 1)) w.vreg(st.dst + static_cast<int>(r))[l] = even[r][static_cast<size_t>(l)];
  w.deferred = known;
}
}  // namespace

// A separate function, because the other one's stack frame is large and deferred products do not need it.
void multiply_matrices(Wave& w, const Step& st) {
  w.group->counts->mfma_flops += static_cast<u64>(st.row->matrix.flops());
  if (st.row->matrix.gfx11() && st.plan->refusal.empty() &&
      !(is_copied(w, st.plan->a, st.src[0]) && is_copied(w, st.plan->b, st.src[1])))
    return multiply_by_halves(w, st);
  if (st.chain == absent || !w.deferred || !w.deferred->put_off(w, st)) multiply_now(w, st);
}

}  // namespace wavesmith::sim
