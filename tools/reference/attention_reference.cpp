// The bound, u = 2^-23 for one f32 operation (hardware may truncate inside a matrix instruction), v the unit roundoff
// of the type. A score is off by e = (d + 4) u scale sum|q k|: a sum of d exact products in any order, scaled, the
// maximum taken off. 2^x adds 2 u, so P is off by e + 2u relative, and v more when it is rounded; numbers below the
// normal ones by half the smallest instead. Sums over n keys add n u to numerator and denominator. As P is in both,
// with the largest e of the query's keys,
//   |O - reference| <= (2 (e + 2u) + v + (2n + 4) u) sum P|V| / sum P + v |reference| + smallest (1 + sum|V| / sum P)
//   |LSE - reference| <= e + (n + 8) u + 4u |reference|
//
// Where the target's matrix unit flushes denormal factors to zero (sim::flushes_denormals), products with such factors
// may be missing: e grows by scale sum|q k| over them, O by sum P|V| / sum P over them, and by 2^-126 for each product,
// sum and accumulator that may become zero (at most 3n in O, over a sum of at least 1/2; in scores this is negligible
// beside 2 u). There P of f16 is scaled by 2^12 (attention_kernel.h): the flushed part stays below half the smallest
// number, 2^-25; its exponent and the log2 of its sum are larger by 12, so e grows by 12 u. Infinities and NaN follow
// from the flushed factors.
//
// Products of fp8: v of P is that of fp8. P is multiplied by a power of two such that the largest is between
// 2^(lift - 1) and four times 2^lift, so that half the smallest number counts 2^(1 - lift) times; e grows by lift u.
//
// Scales of fp8 tensors are two more roundings of a score and one of O. Where V has scales by rows, P is rounded times
// this scale over a unit; half the smallest number of P counts as many times more as the unit is larger than the scale,
// at most twice the largest scale. A sink is a key of weight 2^(sink - m) without
// a value, off by 4u |sink|.
//
// An infinity or NaN of V must show in O if its key's weight is certainly nonzero in the type: at least 2^-12 of the
// largest. With a smaller weight P may be zero and the product a NaN, so O is not compared; neither is it for a masked
// key, whose tile may or may not be computed. A query whose scores are all minus infinity is treated as one without
// keys.
#include "tools/reference/attention_reference.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/parts/philox.h"
#include "tools/reference/accuracy.h"

namespace wavesmith::tools {

bool dropped(const AttentionProblem& p, uint32_t head, uint64_t query, uint64_t key) {
  const auto words = philox({static_cast<uint32_t>(key / 4), static_cast<uint32_t>(query), head, p.offset}, p.seed);
  return words[key % 4] < static_cast<uint32_t>(static_cast<double>(p.dropout) * 0x1p32);
}

namespace {

constexpr double u = 0x1p-23;
using Numbers = std::vector<double>;

// `rows` rows of one head, from `first` on.
Numbers head_of(const HostMatrix& m, uint64_t first, uint64_t rows, uint32_t head, uint32_t heads) {
  Numbers out;
  out.reserve(rows * m.rows);
  for (uint64_t r = first; r < first + rows; ++r)
    for (uint32_t c = 0; c < m.rows; ++c) out.push_back(m.get(m.at(0, c, static_cast<uint32_t>(r * heads + head))));
  return out;
}
double mx_scale(uint8_t code) { return code == 0xff ? NAN : std::ldexp(1.0, code - 127); }
// MX: multiplies a head's rows of Q or K by their scales.
void scale_rows(Numbers& x, const std::vector<uint8_t>& scales, const AttentionConfig& c, uint64_t first, uint32_t head,
                uint32_t heads) {
  const auto width = static_cast<uint64_t>(c.head_dim), of_row = uint64_t{mx_scale_bytes(c)};
  for (size_t i = 0; i < x.size() && !scales.empty(); ++i)
    x[i] *= mx_scale(scales[((first + i / width) * heads + head) * of_row + i % width / 32]);
}
// MX: those of V.
void scale_columns(Numbers& x, const std::vector<uint8_t>& scales, const AttentionConfig& c, const AttentionProblem& p,
                   size_t batch, uint32_t head) {
  const auto width = static_cast<uint64_t>(c.dim_v()), of_head = mx_value_scale_bytes(c, p);
  for (size_t i = 0; i < x.size() && !scales.empty(); ++i) {
    const uint64_t block = i / width / 32;
    x[i] *= mx_scale(scales[(batch * p.kv_heads + head) * of_head + (block / 4 * width + i % width) * 4 + block % 4]);
  }
}
Numbers magnitudes(Numbers x) {
  for (double& each : x) each = std::fabs(each);
  return x;
}
Numbers seen_of(Numbers x, double least) {
  for (double& each : x) each = seen(each, least);
  return x;
}

// left (rows x inner) times right, (inner x cols) or transposed.
Numbers product(const Numbers& left, const Numbers& right, uint64_t rows, uint64_t cols, uint64_t inner,
                bool right_transposed) {
  Numbers out(rows * cols);
  const auto n = [](uint64_t x) { return static_cast<blasint>(x); };
  if (rows && cols && inner)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, right_transposed ? CblasTrans : CblasNoTrans, n(rows), n(cols), n(inner),
                1, left.data(), n(inner), right.data(), n(right_transposed ? inner : cols), 0, out.data(), n(cols));
  return out;
}

// Scores q k^T, sum|q k|, and the part of that sum from factors that the unit flushes to zero.
struct Scores {
  Numbers value, magnitude, lost;
};
Scores scores_of(const Numbers& q, const Numbers& k, const Sequence& s, uint64_t dim, double least) {
  const auto of = [&](const Numbers& left, const Numbers& right) {
    return product(left, right, s.queries, s.keys, dim, true);
  };
  Scores r{of(q, k), of(magnitudes(q), magnitudes(k)), {}};
  if (least == 0) return r;
  const auto q_seen = seen_of(q, least), k_seen = seen_of(k, least);
  const auto value = of(q_seen, k_seen), magnitude = of(magnitudes(q_seen), magnitudes(k_seen));
  for (size_t i = 0; i < value.size(); ++i) {
    if (!std::isfinite(r.magnitude[i])) r.value[i] = value[i], r.magnitude[i] = magnitude[i];
    r.lost.push_back(std::isfinite(r.magnitude[i]) ? r.magnitude[i] - magnitude[i] : 0);
  }
  return r;
}

// Replaces the scores by P; returns each query's largest score, sum and error.
struct Query {
  double maximum = -INFINITY, sum = 0, off = 0;
  uint64_t seen = 0;
  bool empty = false;  // no key, no sink
};
// The scale of each of a head's rows. `by_rows`: ScaleRows of the tensor; `longest`: rows of the longest sequence.
struct ScalesOf {
  const std::vector<float>& scales;
  int by_rows;
  uint32_t longest, heads;
};
Numbers factors(const ScalesOf& of, size_t batch, uint32_t head, uint32_t kv_head, uint64_t rows) {
  Numbers out(rows, 1.0);
  if (of.scales.empty()) return out;
  const size_t blocks = scales_of_head(of.longest, of.by_rows), first = (batch * of.heads + head) * blocks;
  for (uint64_t i = 0; i < rows; ++i)
    out[i] = of.by_rows ? of.scales[first + i / static_cast<uint64_t>(of.by_rows)]
                        : of.scales[of.scales.size() == 1 ? 0 : kv_head];
  return out;
}
std::vector<Query> softmax(Scores& of, const AttentionTensors& t, size_t batch, const AttentionProblem& p,
                           const AttentionConfig& c, uint32_t head, double lift) {
  const Sequence& s = t.sequences[batch];
  const uint32_t kv = head / (p.heads / p.kv_heads);
  const Numbers of_query = factors({t.q_scale, c.scale_rows.q, p.queries, p.heads}, batch, head, kv, s.queries),
                of_key = factors({t.k_scale, c.scale_rows.kv, p.keys, p.kv_heads}, batch, kv, kv, s.keys);
  const int dim = c.head_dim + (t.k_scale.empty() ? 0 : 2);
  std::vector<Query> all(s.queries);
  for (uint64_t i = 0; i < s.queries; ++i) {
    Query& q = all[i];
    q.off = lift * u;
    const auto keys = static_cast<int64_t>(s.keys),
               last = static_cast<int64_t>(i) + 1 +
                      (p.mask == Mask::bottom_right ? keys - static_cast<int64_t>(s.queries) : 0);
    const int64_t first = t.prefix.empty() ? 0 : t.prefix[batch];
    q.seen = static_cast<uint64_t>(p.mask == Mask::none ? keys : std::clamp<int64_t>(std::max(last, first), 0, keys));
    double* row = of.value.data() + i * s.keys;  // empty without keys
    for (uint64_t j = 0; j < q.seen; ++j) {
      const double scale = static_cast<double>(p.scale) * of_query[i] * of_key[j];
      row[j] *= scale;
      double added = 0;
      if (c.bias) {
        row[j] += t.bias.get(t.bias.at(static_cast<uint32_t>(batch * p.heads + head), static_cast<uint32_t>(j),
                                       static_cast<uint32_t>(i)));
        added += 4 * u * std::fabs(row[j]);  // of this sum, of log2(e) and of the maximum taken off
      }
      for (const ScoreMod& mod : c.scores) {
        const auto place = static_cast<int64_t>(i) - static_cast<int64_t>(s.queries);
        const ScoreMod::Point at{row[j], static_cast<int64_t>(j) - keys - place, head, p.heads};
        row[j] = mod.reference(at), added += mod.error(at);
      }
      if (c.documents && t.query_documents[s.first_query + i] != t.key_documents[s.first_key + j]) row[j] = -INFINITY;
      if (row[j] == -INFINITY) continue;
      q.maximum = std::isnan(row[j]) ? row[j] : std::max(q.maximum, row[j]);
      q.off = std::max(q.off, lift * u + added +
                                  scale * ((dim + 4) * u * of.magnitude[i * s.keys + j] +
                                           (of.lost.empty() ? 0 : of.lost[i * s.keys + j])));
    }
    if (q.maximum == -INFINITY) q.seen = 0;
    q.empty = q.seen == 0;
    if (!t.sinks.empty()) {
      const double sink = t.sinks[head];
      if (!std::isnan(q.maximum)) q.maximum = std::max(q.maximum, sink);
      q.off = std::max(q.off, 4 * u * std::fabs(sink));
      q.sum = std::exp(sink - q.maximum), q.empty = false;
    }
    for (uint64_t j = 0; j < s.keys; ++j) q.sum += row[j] = j < q.seen ? std::exp(row[j] - q.maximum) : 0;
    for (uint64_t j = 0; j < q.seen && c.dropout; ++j)
      row[j] *= dropped(p, static_cast<uint32_t>(batch * p.heads + head), i, j)
                    ? 0
                    : 1 / (1 - static_cast<double>(p.dropout));
  }
  return all;
}

void compare_lse(const AttentionTensors& t, size_t batch, uint32_t head, const std::vector<Query>& queries,
                 AttentionVerdict& v) {
  for (uint64_t i = 0; i < queries.size(); ++i) {
    const Query& q = queries[i];
    const double reference = !q.empty ? q.maximum + std::log(q.sum) : -INFINITY,
                 got = t.lse[t.sequences[batch].lse + head * t.lse_head + i];
    const double share =
        share_of_allowed(got, reference, q.off + (static_cast<double>(q.seen) + 8) * u + 4 * u * std::fabs(reference),
                         precision(isa::Type::f32));
    v.worst_lse_share = std::max(v.worst_lse_share, share), ++v.checked;
    if (share > 1 && v.wrong++ == 0)
      v.first_wrong = fmt::format("LSE[{},{},{}] is {}, reference {}", batch, head, i, got, reference);
  }
}

void compare_head(const AttentionTensors& t, const AttentionConfig& c, const AttentionProblem& p, double least,
                  const isa::Target& target, size_t batch, uint32_t head, AttentionVerdict& v) {
  const double fp8_lift = c.fp8_products ? static_cast<double>(wavesmith::fp8_lift(target)) : 0;
  const Sequence& s = t.sequences[batch];
  const uint32_t kv = head / (p.heads / p.kv_heads);
  const auto dim = static_cast<uint64_t>(c.head_dim), dim_v = static_cast<uint64_t>(c.dim_v());
  auto q = head_of(t.q, s.first_query, s.queries, head, p.heads), k = head_of(t.k, s.first_key, s.keys, kv, p.kv_heads);
  scale_rows(q, t.q_mx, c, s.first_query, head, p.heads);
  scale_rows(k, t.k_mx, c, s.first_key, kv, p.kv_heads);
  auto values = head_of(t.v, s.first_key, s.keys, kv, p.kv_heads);
  scale_columns(values, t.v_mx, c, p, batch, kv);
  const Numbers of_value = factors({t.v_scale, c.scale_rows.kv, p.keys, p.kv_heads}, batch, kv, kv, s.keys);
  for (size_t i = 0; i < values.size(); ++i) values[i] *= of_value[i / dim_v];
  // By rows, P is rounded times V's scale over a unit, at most twice the largest of these scales.
  const double unit = c.scale_rows.kv && s.keys ? 2 * std::ranges::max(of_value) : 0;
  const auto sizes = magnitudes(values);
  auto scores = scores_of(q, k, s, dim, least);
  const auto queries = softmax(scores, t, batch, p, c, head, least > 0 && c.type == isa::Type::f16 ? 12 : fp8_lift);
  const Numbers& weights = scores.value;
  const auto times = [&](const Numbers& right) { return product(weights, right, s.queries, dim_v, s.keys, false); };
  const auto want = times(values), spread = times(sizes),
             spread_seen = least > 0 ? times(seen_of(sizes, least)) : Numbers{};
  const double keep = c.dropout ? 1 / (1 - static_cast<double>(p.dropout)) : 1;
  Numbers all(dim_v);
  std::vector<std::vector<uint64_t>> endless(dim_v);  // by column, the keys whose V is an infinity or NaN
  for (uint64_t j = 0; j < s.keys; ++j)
    for (uint64_t x = 0; x < dim_v; ++x) {
      all[x] += sizes[j * dim_v + x] * (unit > 0 ? unit / of_value[j] : 1);
      if (!std::isfinite(sizes[j * dim_v + x])) endless[x].push_back(j);
    }
  const Precision f = precision(c.type), of_p = c.fp8_products ? precision(isa::Type::fp8, target.fnuz_fp8()) : f;
  const double half_smallest_p = of_p.half_smallest * (c.fp8_products ? std::exp2(1 - fp8_lift) : 1);
  for (uint64_t i = 0; i < s.queries; ++i)
    for (uint64_t x = 0; x < dim_v; ++x, ++v.checked) {
      const Query& query = queries[i];
      if (std::ranges::any_of(endless[x],
                              [&](uint64_t j) { return j >= query.seen || weights[i * s.keys + j] < 0x1p-12; })) {
        ++v.open;
        continue;
      }
      const auto over_sum = [&](double value) { return query.seen ? value / query.sum : 0; };
      const double reference = over_sum(want[i * dim_v + x]), weight = over_sum(spread[i * dim_v + x]),
                   n = static_cast<double>(query.seen);
      const double got =
          t.o.get(t.o.at(0, static_cast<uint32_t>(x), static_cast<uint32_t>((s.first_query + i) * p.heads + head)));
      const double lost =
          least > 0 ? over_sum(spread[i * dim_v + x] - spread_seen[i * dim_v + x]) + 6 * n * 0x1p-126 : 0;
      const double allowed = (2 * (query.off + 2 * u) + of_p.roundoff +
                              (2 * n + 4 + (t.v_scale.empty() ? 0 : 1) + (c.dropout ? 1 : 0)) * u) *
                                 weight +
                             lost + f.roundoff * std::fabs(reference) + 2 * f.half_smallest +
                             2 * half_smallest_p * keep * over_sum(all[x]);
      const double share = share_of_allowed(got, reference, allowed, f);
      if (std::isfinite(got) && weight > 0)
        v.worst_error = std::max(v.worst_error, std::fabs(got - reference) / weight);
      v.worst_share = std::max(v.worst_share, share);
      if (share > 1 && v.wrong++ == 0)
        v.first_wrong = fmt::format("O[{},{},{},{}] is {}, reference {}", batch, i, head, x, got, reference);
    }
  if (!t.lse.empty()) compare_lse(t, batch, head, queries, v);
}

}  // namespace

AttentionVerdict compare(const AttentionTensors& t, const AttentionConfig& c, const AttentionProblem& p,
                         const isa::Target& target) {
  AttentionVerdict v;
  for (size_t b = 0; b < t.sequences.size(); ++b)
    for (uint32_t h = 0; h < p.heads; ++h) compare_head(t, c, p, least_factor(target, c.type), target, b, h, v);
  return v;
}

}  // namespace wavesmith::tools
