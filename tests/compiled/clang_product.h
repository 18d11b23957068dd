// A matrix product of small whole numbers, row-major, with its reference: as long as limit^2 k fits the type, every
// order of summation gives the same result.
#pragma once
#include "simulator/numerics/matrix.h"
#include "simulator/numerics/numerics.h"
#include "tests/compiled/clang_run.h"

namespace clangtest {

struct Product {
  int m, n, k;
  std::vector<float> a, b, c;
};
// one_sign: without negative numbers, which RDNA3's dot products count a unit too many of (simulator/numerics/dot.h).
inline Product product(int m, int n, int k, int limit, bool one_sign = false) {
  Product p{m,
            n,
            k,
            whole_floats(static_cast<size_t>(m * k), limit, 3),
            whole_floats(static_cast<size_t>(k * n), limit, 4),
            std::vector<float>(static_cast<size_t>(m * n))};
  if (one_sign)
    for (auto* x : {&p.a, &p.b})
      for (float& v : *x) v = std::fabs(v);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x)
        p.c[static_cast<size_t>(i * n + j)] +=
            p.a[static_cast<size_t>(i * k + x)] * p.b[static_cast<size_t>(x * n + j)];
  return p;
}
inline bool adds_complements(const Trial& t) {
  return sim::dot_summation(t.target.family, isa::Type::f16, 2, isa::Type::f32).how == sim::Sum::complement;
}
inline std::vector<uint16_t> halves(const std::vector<float>& v) {
  std::vector<uint16_t> h;
  for (const float x : v) h.push_back(sim::to_f16(x));
  return h;
}
inline std::vector<float> transposed(const std::vector<float>& v, int rows, int columns) {
  std::vector<float> r(v.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) r[static_cast<size_t>(j * rows + i)] = v[static_cast<size_t>(i * columns + j)];
  return r;
}

// The product of `T` elements by one kernel, one workgroup of `block` a tile of C.
template <class T, class D>
void multiply(Trial& t, const char* name, const Product& p, const std::vector<T>& a, const std::vector<T>& b,
              const std::vector<D>& want, Triple grid, Triple block) {
  Call c(t, name);
  c.buffer(a), c.buffer(b);
  const auto out = c.out<D>(want.size());
  c.value(p.m), c.value(p.n), c.value(p.k);
  c.launch(grid, block);
  c.expect(out, want);
}

}  // namespace clangtest
