// With s = q k, P = exp(scale s - LSE), delta = sum(dO * O), t = dO V^T - delta:
//   dV = P^T dO      dS = P t      dQ = scale dS K      dK = scale dS^T Q
// Where scores are changed, P = exp(f(scale s) - LSE) and dS = P t f'(scale s). With dropout, dV = (P m)^T dO and
// t = m dO V^T - delta, m 0 or 1 / (1 - probability); each product with m is off by u.
//
// The bound, u = 2^-23 for one f32 operation (hardware may truncate inside a matrix instruction), v the unit roundoff
// of the type, d and d' the head dimensions. The exponent is a sum of d products and of LSE / scale, scaled: it is off
// by e = (d + 8) u (scale sum|q k| + |LSE|) + 4 u, of which u / 2 |LSE| is that of LSE itself, and P by P (e^e - 1).
// delta is off by (d' + 8) u sum|O dO|, t by that and (d' + 4) u (sum|dO V| + |delta|), dS by the error of P times |t|,
// P times that of t, and 3 u |dS|. A change of the scores adds to e what its code may be off by (none of them enlarges
// the error of the score before) and 4 u |f|, as the scale and log2(e) are then two products; dS is off by P t times
// the error of the derivative, too. Rounding P and dS to the type adds v relative, and below the type's normal numbers
// half the smallest one. A sum of n terms adds n u of their magnitudes; the result is rounded once more.
//
// Where the unit flushes denormal factors to zero (sim::flushes_denormals), products with such factors may be missing,
// and P and dS are off by the smallest normal number. dS that may exceed the type's range is infinite; gradients it
// enters are not compared.
#include "tools/reference/backward_reference.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/reference/accuracy.h"

namespace wavesmith::tools {
namespace {

constexpr double f32_unit = 0x1p-23;
using Values = std::vector<double>;

// op(left), `rows` x inner, times op(right), inner x `cols`.
struct Turned {
  bool left = false, right = false;
};
Values times(const Values& left, const Values& right, uint64_t rows, uint64_t cols, uint64_t inner,
             Turned turned = {}) {
  Values out(rows * cols);
  const auto n = [](uint64_t x) { return static_cast<blasint>(x); };
  if (rows && cols && inner)
    cblas_dgemm(CblasRowMajor, turned.left ? CblasTrans : CblasNoTrans, turned.right ? CblasTrans : CblasNoTrans,
                n(rows), n(cols), n(inner), 1, left.data(), n(turned.left ? rows : inner), right.data(),
                n(turned.right ? inner : cols), 0, out.data(), n(cols));
  return out;
}
Values sizes_of(Values x, double least = 0) {
  for (double& each : x) each = std::fabs(seen(each, least));
  return x;
}
Values minus(Values x, const Values& y) {
  for (size_t i = 0; i < x.size(); ++i) x[i] -= y[i];
  return x;
}
// sum|x y^T| over the inner dimension, and the part of it from factors that the unit flushes to zero.
struct Magnitudes {
  Values all, lost;
};
Magnitudes magnitudes_of(const Values& x, const Values& y, uint64_t rows, uint64_t cols, uint64_t inner, double least) {
  const auto of = [&](double l) { return times(sizes_of(x, l), sizes_of(y, l), rows, cols, inner, {.right = true}); };
  Magnitudes m{of(0), {}};
  m.lost = least > 0 ? minus(m.all, of(least)) : Values(m.all.size());
  return m;
}

Values rows_of(const HostMatrix& m, uint64_t first, uint64_t rows, uint32_t head, uint32_t heads) {
  Values out;
  out.reserve(rows * m.rows);
  for (uint64_t r = first; r < first + rows; ++r)
    for (uint32_t c = 0; c < m.rows; ++c) out.push_back(m.get(m.at(0, c, static_cast<uint32_t>(r * heads + head))));
  return out;
}

BackwardHead head_of(const BackwardTensors& t, const AttentionBackwardConfig& c, const AttentionProblem& p,
                     const Sequence& s, uint32_t head) {
  const auto batch = static_cast<uint32_t>(&s - t.sequences.data());
  std::vector<bool> drops;
  for (uint64_t i = 0; i < s.queries && c.dropout; ++i)
    for (uint64_t j = 0; j < s.keys; ++j) drops.push_back(dropped(p, batch * p.heads + head, i, j));
  const uint32_t kv = head / (p.heads / p.kv_heads);
  const auto keys = static_cast<int64_t>(s.keys), queries = static_cast<int64_t>(s.queries);
  return {.queries = s.queries,
          .keys = s.keys,
          .dim = t.q.rows,
          .dim_v = t.v.rows,
          .scale = p.scale,
          .diagonal = p.mask == Mask::none       ? INT64_C(1) << 40
                      : p.mask == Mask::top_left ? 0
                                                 : keys - queries,
          .q = rows_of(t.q, s.first_query, s.queries, head, p.heads),
          .k = rows_of(t.k, s.first_key, s.keys, kv, p.kv_heads),
          .v = rows_of(t.v, s.first_key, s.keys, kv, p.kv_heads),
          .d_o = rows_of(t.d_o, s.first_query, s.queries, head, p.heads),
          .scores = c.scores,
          .head = head,
          .heads = p.heads,
          .dropout = p.dropout,
          .dropped = std::move(drops)};
}

}  // namespace

uint64_t BackwardHead::seen(uint64_t query) const {
  return static_cast<uint64_t>(
      std::clamp<int64_t>(static_cast<int64_t>(query) + diagonal + 1, 0, static_cast<int64_t>(keys)));
}

BackwardHead::Changed BackwardHead::changed(double score, double off, uint64_t query, uint64_t key) const {
  Changed out{.score = score, .off = off};
  for (const ScoreMod& mod : scores) {
    const ScoreMod::Point at{out.score, static_cast<int64_t>(key - keys) - static_cast<int64_t>(query - queries), head,
                             heads};
    if (mod.derivative) {
      const double slope_here = mod.derivative->reference(at);
      out.slope_off = out.slope_off * (std::fabs(slope_here) + 1) +
                      std::fabs(out.slope) * mod.derivative->error(at, out.off) + 2 * f32_unit * std::fabs(out.slope);
      out.slope *= slope_here;
    }
    out.score = mod.reference(at), out.off += mod.error(at);
  }
  if (!scores.empty() && std::isfinite(out.score)) out.off += 4 * f32_unit * std::fabs(out.score);
  return out;
}

ForwardResult attention_forward(const BackwardHead& h) {
  Values p = times(h.q, h.k, h.queries, h.keys, h.dim, {.right = true});
  ForwardResult out;
  for (uint64_t i = 0; i < h.queries; ++i) {
    double maximum = -INFINITY, sum = 0;
    double* row = p.data() + i * h.keys;
    for (uint64_t j = 0; j < h.seen(i); ++j)
      maximum = std::max(maximum, row[j] = h.changed(row[j] * h.scale, 0, i, j).score);
    for (uint64_t j = 0; j < h.keys; ++j)
      sum += row[j] = j < h.seen(i) && maximum > -INFINITY ? std::exp(row[j] - maximum) : 0;
    for (uint64_t j = 0; j < h.keys && sum > 0; ++j) row[j] *= h.kept(i, j) / sum;
    out.lse.push_back(sum > 0 ? maximum + std::log(sum) : -INFINITY);
  }
  out.o = times(p, h.v, h.queries, h.dim_v, h.keys);
  return out;
}

Gradients attention_gradients(const BackwardHead& h, const Values& o, const BackwardUnit& unit, uint64_t sums) {
  const Precision f = precision(unit.type);
  const double u = f32_unit, d = static_cast<double>(h.dim), dv = static_cast<double>(h.dim_v),
               n = static_cast<double>(sums), keys = static_cast<double>(h.keys),
               floor = unit.least > 0 ? unit.least : 2 * f.half_smallest;
  const Values lse = attention_forward(h).lse, s = times(h.q, h.k, h.queries, h.keys, h.dim, {.right = true}),
               dp = times(h.d_o, h.v, h.queries, h.keys, h.dim_v, {.right = true});
  const Magnitudes of_s = magnitudes_of(h.q, h.k, h.queries, h.keys, h.dim, unit.least),
                   of_dp = magnitudes_of(h.d_o, h.v, h.queries, h.keys, h.dim_v, unit.least);
  Values p(s.size()), ds(s.size()), p_off(s.size()), ds_off(s.size());
  for (uint64_t i = 0; i < h.queries; ++i) {
    double delta = 0, delta_size = 0;
    for (uint64_t x = 0; x < h.dim_v; ++x) {
      const double product = o[i * h.dim_v + x] * h.d_o[i * h.dim_v + x];
      delta += product, delta_size += std::fabs(product);
    }
    for (uint64_t j = 0; j < h.seen(i) && lse[i] > -INFINITY; ++j) {
      const uint64_t at = i * h.keys + j;
      const BackwardHead::Changed score =
          h.changed(h.scale * s[at], (d + 8) * u * h.scale * of_s.all[at] + h.scale * of_s.lost[at], i, j);
      if (score.score == -INFINITY) continue;  // a mask
      p[at] = std::exp(score.score - lse[i]);
      const double e = score.off + (d + 8) * u * std::fabs(lse[i]) + 4 * u,
                   exact_p_off = p[at] * std::expm1(e) + 0x1p-126, m = h.kept(i, j), t = m * dp[at] - delta,
                   t_off = (dv + (h.dropped.empty() ? 4 : 6)) * u * (m * of_dp.all[at] + std::fabs(delta)) +
                           (dv + 8) * u * delta_size + m * of_dp.lost[at];
      const double pt = p[at] * t,
                   pt_off = exact_p_off * (std::fabs(t) + t_off) + p[at] * t_off + 3 * u * std::fabs(pt);
      ds[at] = pt * score.slope;
      const double exact_ds_off = pt_off * (std::fabs(score.slope) + score.slope_off) +
                                  std::fabs(pt) * score.slope_off + (h.scores.empty() ? 0 : u * std::fabs(ds[at])),
                   largest = std::fabs(ds[at]) + exact_ds_off;
      p_off[at] = m * (exact_p_off + (p[at] + exact_p_off) * (f.roundoff + (h.dropped.empty() ? 0 : 2 * u)) + floor);
      p[at] *= m;
      ds_off[at] = largest < f.overflows_at ? exact_ds_off + largest * f.roundoff + floor : INFINITY;
    }
  }
  // Sums of products with P or dS: exact, and how far they may be off.
  const auto sum = [&](const Values& left, const Values& left_off, const Values& right, bool by_keys, uint64_t width,
                       double terms, Values& out, Values& allowed) {
    const uint64_t rows = by_keys ? h.keys : h.queries, inner = by_keys ? h.queries : h.keys;
    const auto product = [&](const Values& a, const Values& b) {
      return times(a, b, rows, width, inner, {.left = by_keys});
    };
    Values off = left_off;
    const Values left_size = sizes_of(left), right_size = sizes_of(right);
    for (size_t i = 0; i < off.size(); ++i) off[i] += terms * u * (left_size[i] + left_off[i]);
    out = product(left, right), allowed = product(off, right_size);
    if (unit.least > 0) {
      const Values missing = product(left_size, minus(right_size, sizes_of(right, unit.least)));
      for (size_t i = 0; i < allowed.size(); ++i) allowed[i] += missing[i] + 3 * terms * 0x1p-126;
    }
  };
  Gradients g;
  sum(p, p_off, h.d_o, true, h.dim_v, n, g.dv, g.dv_allowed);
  sum(ds, ds_off, h.q, true, h.dim, n, g.dk, g.dk_allowed);
  sum(ds, ds_off, h.k, false, h.dim, keys, g.dq, g.dq_allowed);
  for (auto* x : {&g.dk, &g.dq, &g.dk_allowed, &g.dq_allowed})
    for (double& each : *x) each *= h.scale;
  return g;
}

void fill_forward(BackwardTensors& t, const AttentionBackwardConfig& c, const AttentionProblem& p) {
  for (const Sequence& s : t.sequences)
    for (uint32_t h = 0; h < p.heads; ++h) {
      const ForwardResult r = attention_forward(head_of(t, c, p, s, h));
      for (uint64_t i = 0; i < s.queries; ++i) {
        t.lse[s.lse + h * t.lse_head + i] = static_cast<float>(r.lse[i]);
        for (uint32_t x = 0; x < t.o.rows; ++x)
          t.o.set(t.o.at(0, x, static_cast<uint32_t>((s.first_query + i) * p.heads + h)), r.o[i * t.o.rows + x]);
      }
    }
}

BackwardVerdict compare(const BackwardTensors& t, const AttentionBackwardConfig& c, const AttentionProblem& p,
                        const isa::Target& target) {
  BackwardVerdict verdict;
  const Precision f = precision(c.type);
  const uint32_t group = p.heads / p.kv_heads;
  const auto check = [&](int which, const HostMatrix& m, uint64_t first, uint32_t head, uint32_t heads,
                         const Values& want, const Values& allowed) {
    for (uint64_t i = 0; i < want.size(); ++i, ++verdict.checked) {
      const uint64_t row = i / m.rows;
      const double got = m.get(
                       m.at(0, static_cast<uint32_t>(i % m.rows), static_cast<uint32_t>((first + row) * heads + head))),
                   most = allowed[i] + (f.roundoff + 3 * f32_unit) * (std::fabs(want[i]) + allowed[i]) +
                          2 * f.half_smallest;
      if (!std::isfinite(most)) {
        ++verdict.open;
        continue;
      }
      const double share = share_of_allowed(got, want[i], most, f);
      verdict.worst_share[which] = std::max(verdict.worst_share[which], share);
      if (share > 1 && verdict.wrong++ == 0)
        verdict.first_wrong =
            fmt::format("{}[{},{},{}] is {}, reference {}", m.name, first + row, head, i % m.rows, got, want[i]);
    }
  };
  for (const Sequence& s : t.sequences)
    for (uint32_t kv = 0; kv < p.kv_heads; ++kv) {
      Values dk(s.keys * t.k.rows), dk_allowed = dk, dv(s.keys * t.v.rows), dv_allowed = dv;
      for (uint32_t head = kv * group; head < (kv + 1) * group; ++head) {
        const Gradients g =
            attention_gradients(head_of(t, c, p, s, head), rows_of(t.o, s.first_query, s.queries, head, p.heads),
                                {c.type, least_factor(target, c.type)}, s.queries * group);
        check(0, t.dq, s.first_query, head, p.heads, g.dq, g.dq_allowed);
        for (const auto& [to, from] :
             {std::pair{&dk, &g.dk}, {&dk_allowed, &g.dk_allowed}, {&dv, &g.dv}, {&dv_allowed, &g.dv_allowed}})
          for (size_t i = 0; i < to->size(); ++i) (*to)[i] += (*from)[i];
      }
      check(1, t.dk, s.first_key, kv, p.kv_heads, dk, dk_allowed);
      check(2, t.dv, s.first_key, kv, p.kv_heads, dv, dv_allowed);
    }
  return verdict;
}

}  // namespace wavesmith::tools
