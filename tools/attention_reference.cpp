// The bound, u = 2^-23 for one f32 operation (hardware may truncate inside a matrix instruction), v the unit roundoff of the type. A score is
// off by e = (d + 4) u scale sum|q k|: a sum of d exact products in any order, scaled, the maximum taken off. 2^x adds 2 u, so P is off by
// e + 2u relative, and v more when it is rounded; numbers below the normal ones by half the smallest instead. Sums over n keys add n u to
// numerator and denominator. As P is in both, with the largest e of the query's keys,
//   |O - reference| <= (2 (e + 2u) + v + (2n + 4) u) sum P|V| / sum P + v |reference| + smallest (1 + sum|V| / sum P)
//   |LSE - reference| <= e + (n + 8) u + 4u |reference|
//
// An infinity or NaN of V counts where its key has a weight that is surely no zero in the type, 2^-12 of the largest. With less, P may be zero and
// the product a NaN; behind the mask it is either that or, in a tile that nobody sees, not looked at. Scores of minus infinity alone are as no keys.
#include "tools/attention_reference.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/accuracy.h"

namespace wavesmith::tools {
namespace {

constexpr double u = 0x1p-23;
using Numbers = std::vector<double>;

// `rows` rows of one head, from `first` on.
Numbers head_of(const Matrix& m, uint64_t first, uint64_t rows, uint32_t head, uint32_t heads) {
  Numbers out;
  out.reserve(rows * m.rows);
  for (uint64_t r = first; r < first + rows; ++r)
    for (uint32_t c = 0; c < m.rows; ++c) out.push_back(m.get(m.at(0, c, static_cast<uint32_t>(r * heads + head))));
  return out;
}
Numbers magnitudes(Numbers x) {
  for (double& each : x) each = std::fabs(each);
  return x;
}

// left (rows x inner) times right, (inner x cols) or transposed.
Numbers product(const Numbers& left, const Numbers& right, uint64_t rows, uint64_t cols, uint64_t inner, bool right_transposed) {
  Numbers out(rows * cols);
  const auto n = [](uint64_t x) { return static_cast<blasint>(x); };
  if (rows && cols && inner)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, right_transposed ? CblasTrans : CblasNoTrans, n(rows), n(cols), n(inner), 1, left.data(), n(inner), right.data(), n(right_transposed ? inner : cols), 0, out.data(), n(cols));
  return out;
}

// Scores become P in place; what each query's largest score, sum and error are.
struct Query { double maximum = -INFINITY, sum = 0, off = 0; uint64_t seen = 0; };
std::vector<Query> softmax(Numbers& scores, const Numbers& magnitude, const Sequence& s, const AttentionProblem& p, int dim) {
  std::vector<Query> all(s.queries);
  for (uint64_t i = 0; i < s.queries; ++i) {
    Query& q = all[i];
    const auto keys = static_cast<int64_t>(s.keys), last = static_cast<int64_t>(i) + 1 + (p.mask == Mask::bottom_right ? keys - static_cast<int64_t>(s.queries) : 0);
    q.seen = static_cast<uint64_t>(p.mask == Mask::none ? keys : std::clamp<int64_t>(last, 0, keys));
    double* row = &scores[i * s.keys];
    for (uint64_t j = 0; j < q.seen; ++j) {
      row[j] *= p.scale;
      q.maximum = std::isnan(row[j]) ? row[j] : std::max(q.maximum, row[j]);
      q.off = std::max(q.off, (dim + 4) * u * p.scale * magnitude[i * s.keys + j]);
    }
    if (q.maximum == -INFINITY) q.seen = 0;
    for (uint64_t j = 0; j < s.keys; ++j) q.sum += row[j] = j < q.seen ? std::exp(row[j] - q.maximum) : 0;
  }
  return all;
}

void compare_lse(const AttentionTensors& t, size_t batch, uint32_t head, const std::vector<Query>& queries, AttentionVerdict& v) {
  for (uint64_t i = 0; i < queries.size(); ++i) {
    const Query& q = queries[i];
    const double reference = q.seen ? q.maximum + std::log(q.sum) : -INFINITY, got = t.lse[t.sequences[batch].lse + head * t.lse_head + i];
    const double share = share_of_allowed(got, reference, q.off + (static_cast<double>(q.seen) + 8) * u + 4 * u * std::fabs(reference), precision(isa::Type::f32));
    v.worst_lse_share = std::max(v.worst_lse_share, share), ++v.checked;
    if (share > 1 && v.wrong++ == 0) v.first_wrong = fmt::format("LSE[{},{},{}] is {}, reference {}", batch, head, i, got, reference);
  }
}

void compare_head(const AttentionTensors& t, const AttentionConfig& c, const AttentionProblem& p, size_t batch, uint32_t head, AttentionVerdict& v) {
  const Sequence& s = t.sequences[batch];
  const uint32_t kv = head / (p.heads / p.kv_heads);
  const auto dim = static_cast<uint64_t>(c.head_dim), dim_v = static_cast<uint64_t>(c.dim_v());
  const auto q = head_of(t.q, s.first_query, s.queries, head, p.heads), k = head_of(t.k, s.first_key, s.keys, kv, p.kv_heads), values = head_of(t.v, s.first_key, s.keys, kv, p.kv_heads);
  const auto sizes = magnitudes(values);
  auto weights = product(q, k, s.queries, s.keys, dim, true);
  const auto queries = softmax(weights, product(magnitudes(q), magnitudes(k), s.queries, s.keys, dim, true), s, p, c.head_dim);
  const auto want = product(weights, values, s.queries, dim_v, s.keys, false), spread = product(weights, sizes, s.queries, dim_v, s.keys, false);
  Numbers all(dim_v);
  std::vector<std::vector<uint64_t>> endless(dim_v);       // keys whose V is no finite number, by column
  for (uint64_t j = 0; j < s.keys; ++j)
    for (uint64_t x = 0; x < dim_v; ++x) {
      all[x] += sizes[j * dim_v + x];
      if (!std::isfinite(sizes[j * dim_v + x])) endless[x].push_back(j);
    }
  const Precision f = precision(c.type);
  for (uint64_t i = 0; i < s.queries; ++i)
    for (uint64_t x = 0; x < dim_v; ++x, ++v.checked) {
      const Query& query = queries[i];
      if (std::ranges::any_of(endless[x], [&](uint64_t j) { return j >= query.seen || weights[i * s.keys + j] < 0x1p-12; })) { ++v.open; continue; }
      const auto over_sum = [&](double value) { return query.seen ? value / query.sum : 0; };
      const double reference = over_sum(want[i * dim_v + x]), weight = over_sum(spread[i * dim_v + x]), n = static_cast<double>(query.seen);
      const double got = t.o.get(t.o.at(0, static_cast<uint32_t>(x), static_cast<uint32_t>((s.first_query + i) * p.heads + head)));
      const double allowed = (2 * (query.off + 2 * u) + f.roundoff + (2 * n + 4) * u) * weight + f.roundoff * std::fabs(reference) + 2 * f.half_smallest * (1 + over_sum(all[x]));
      const double share = share_of_allowed(got, reference, allowed, f);
      if (std::isfinite(got) && weight > 0) v.worst_error = std::max(v.worst_error, std::fabs(got - reference) / weight);
      v.worst_share = std::max(v.worst_share, share);
      if (share > 1 && v.wrong++ == 0) v.first_wrong = fmt::format("O[{},{},{},{}] is {}, reference {}", batch, i, head, x, got, reference);
    }
  if (!t.lse.empty()) compare_lse(t, batch, head, queries, v);
}

}  // namespace

AttentionVerdict compare(const AttentionTensors& t, const AttentionConfig& c, const AttentionProblem& p) {
  AttentionVerdict v;
  for (size_t b = 0; b < t.sequences.size(); ++b)
    for (uint32_t h = 0; h < p.heads; ++h) compare_head(t, c, p, b, h, v);
  return v;
}

}  // namespace wavesmith::tools
