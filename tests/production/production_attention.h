// One query of attention in f64, from the definition, with the error that rounding allows its kernel.
#pragma once
#include "tests/production/production_kernel.h"

namespace production {

// P (before the division by the sum), O and Q as the kernel holds them: relative error of one rounding, and the
// absolute one of P and, as a part of a row's largest, of Q. Roundings of Q are independent: scores are held to six
// standard deviations of their sum.
struct Rounding {
  double p = 0x1p-8, p_floor = 0, o = 0x1p-8, q = 0, q_step = 0;
};

struct Attended {
  std::vector<double> o, o_allowed;
  double lse = -HUGE_VAL, lse_allowed = 0;  // natural logarithm; -infinity without keys
};

// key(j, d), value(j, d): of key j. The scores are f32 sums of `dim` products, times the scale and log2(e).
template <class Key, class Value>
Attended attend(const double* q, size_t keys, uint32_t dim, uint32_t value_dim, double scale, const Rounding& r,
                Key&& key, Value&& value) {
  Attended a;
  a.o.resize(value_dim), a.o_allowed.assign(value_dim, 0x1p-133);
  if (keys == 0) return a;
  std::vector<double> s(keys), absolute(value_dim), plain(value_dim);
  double m = -HUGE_VAL, worst = 0, l = 0, largest = 0;
  for (uint32_t d = 0; d < dim; ++d) largest = std::max(largest, std::abs(q[d]));
  for (size_t j = 0; j < keys; ++j) {
    double sum = 0, magnitude = 0, variance = 0;
    for (uint32_t d = 0; d < dim; ++d) {
      const double k = key(j, d), x = q[d] * k, e = k * (r.q * q[d] + r.q_step * largest);
      sum += x, magnitude += std::abs(x), variance += e * e / 3;
    }
    s[j] = scale * sum, m = std::max(m, s[j]);
    worst = std::max(worst, std::abs(scale) * (magnitude * (dim + 8) * 0x1p-24 + 6 * std::sqrt(variance)));
  }
  for (size_t j = 0; j < keys; ++j) {
    const double p = std::exp(s[j] - m);
    l += p;
    for (uint32_t d = 0; d < value_dim; ++d) {
      const double v = value(j, d);
      a.o[d] += p * v, absolute[d] += std::abs(p * v), plain[d] += std::abs(v);
    }
  }
  const double count = static_cast<double>(keys);
  for (uint32_t d = 0; d < value_dim; ++d) {
    a.o[d] /= l;
    a.o_allowed[d] += (absolute[d] * (r.p + r.o + 2 * worst + count * 0x1p-24) + plain[d] * r.p_floor) / l;
  }
  a.lse = m + std::log(l);
  a.lse_allowed = 2 * worst + (count + 8) * 0x1p-24 + std::abs(a.lse) * 0x1p-22;
  return a;
}

// Splits over the keys, merged by their logarithms of sums; a split that was left out has NaN there, as `Run::output`
// filled it.
struct Merged {
  std::vector<double> o;
  double lse;
};
template <class O>
Merged merge(const std::vector<double>& lse, uint32_t value_dim, O&& o) {
  Merged m{std::vector<double>(value_dim), -HUGE_VAL};
  for (const double x : lse)
    if (x > m.lse) m.lse = x;
  double l = 0;
  for (size_t s = 0; s < lse.size(); ++s) {
    if (!(lse[s] > -HUGE_VAL)) continue;
    const double w = std::exp(lse[s] - m.lse);
    l += w;
    for (uint32_t d = 0; d < value_dim; ++d) m.o[d] += w * o(s, d);
  }
  for (double& x : m.o) x /= l;
  m.lse += std::log(l);
  return m;
}

}  // namespace production
