// Kernels that clang compiled from matrix builtins (MFMA, WMMA), on every target that has them.
#include <catch2/catch.hpp>

#include "tests/compiled/clang_product.h"

namespace clangtest {

namespace {

template <class T>
std::vector<T> as(const std::vector<float>& v) {
  std::vector<T> r;
  for (const float x : v) r.push_back(static_cast<T>(x));
  return r;
}

void mfma(Trial& t) {
  constexpr Triple wave{64, 1, 1};
  const Product p = product(37, 54, 42, 9);
  multiply(t, "mfma_f16", p, halves(p.a), halves(p.b), p.c, {2, 2, 1}, wave);
  multiply(t, "mfma_f32", p, p.a, p.b, p.c, {4, 3, 1}, wave);
  multiply(t, "mfma_i8", p, as<int8_t>(p.a), as<int8_t>(p.b), as<int>(p.c), {4, 3, 1}, wave);
  const auto has = [&](std::string_view name) {
    for (const auto& k : t.object.kernels())
      if (k.name == name) return true;
    return false;
  };
  if (has("mfma_f64")) multiply(t, "mfma_f64", p, as<double>(p.a), as<double>(p.b), as<double>(p.c), {4, 3, 1}, wave);
  if (has("mfma_f16_wide")) multiply(t, "mfma_f16_wide", p, halves(p.a), halves(p.b), p.c, {4, 3, 1}, wave);
}

void wmma(Trial& t) {
  constexpr Triple wave{32, 1, 1};
  const Product p = product(37, 54, 42, 9), q = product(37, 54, 42, 9, adds_complements(t));
  multiply(t, "wmma_f16", q, halves(q.a), halves(q.b), q.c, {4, 3, 1}, wave);
  multiply(t, "wmma_i8", p, as<int8_t>(p.a), as<int8_t>(p.b), as<int>(p.c), {4, 3, 1}, wave);
}

}  // namespace

CLANG_TEST("compiled matrix products by MFMA builtins are the host's on every CDNA target", "mfma", mfma)
CLANG_TEST("compiled matrix products by WMMA builtins are the host's on every RDNA and gfx1250 target", "wmma", wmma)

}  // namespace clangtest
