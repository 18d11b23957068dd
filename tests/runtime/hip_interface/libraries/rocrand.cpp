// Generators of rocRAND (Debian's librocrand1) on the device of libwavesmith_hip: means and deviations of what they
// draw.
#include <hip/hip_runtime_api.h>
#include <rocrand/rocrand.h>

#include <cmath>
#include <vector>

#include "results.h"

namespace {

constexpr size_t count = 20'000;

// Five standard errors of the mean, and of the deviation of a normal distribution.
template <class T, class Draw, class Value>
void expect(const char* generator, const char* what, double mean, double deviation, Draw&& draw, Value&& value) {
  void* device = nullptr;
  OK(hipMalloc(&device, count * sizeof(T)));
  OK(draw(static_cast<T*>(device)));
  std::vector<T> all(count);
  OK(hipMemcpy(all.data(), device, count * sizeof(T), hipMemcpyDeviceToHost));
  OK(hipFree(device));
  double sum = 0, squares = 0;
  for (const T x : all) sum += value(x);
  for (const T x : all) squares += std::pow(value(x) - sum / count, 2);
  const double got = sum / count, spread = std::sqrt(squares / count), error = 5 * deviation / std::sqrt(double{count});
  const bool good = std::abs(got - mean) < error && std::abs(spread - deviation) < error;
  std::printf("%s %s, %s: mean %.4f, deviation %.4f\n", good ? "right" : "WRONG", generator, what, got, spread);
  ++(good ? right : wrong);
}

void try_generator(const char* name, rocrand_rng_type type) {
  rocrand_generator g;
  OK(rocrand_create_generator(&g, type));
  if (type < ROCRAND_RNG_QUASI_DEFAULT) OK(rocrand_set_seed(g, 1234));
  const auto itself = [](auto x) { return static_cast<double>(x); };
  const double of_uniform = 1 / std::sqrt(12.0);
  expect<unsigned>(
      name, "32 bits", 0.5, of_uniform, [&](unsigned* p) { return rocrand_generate(g, p, count); },
      [](unsigned x) { return x / 4294967296.0; });
  expect<float>(
      name, "uniform", 0.5, of_uniform, [&](float* p) { return rocrand_generate_uniform(g, p, count); }, itself);
  expect<double>(
      name, "uniform double", 0.5, of_uniform, [&](double* p) { return rocrand_generate_uniform_double(g, p, count); },
      itself);
  expect<float>(name, "normal", 1, 2, [&](float* p) { return rocrand_generate_normal(g, p, count, 1, 2); }, itself);
  expect<double>(
      name, "normal double", 1, 2, [&](double* p) { return rocrand_generate_normal_double(g, p, count, 1, 2); },
      itself);
  expect<float>(
      name, "logarithm of log-normal", 0, 0.5,
      [&](float* p) { return rocrand_generate_log_normal(g, p, count, 0, 0.5f); },
      [](float x) { return std::log(double{x}); });
  expect<unsigned>(
      name, "Poisson", 7.5, std::sqrt(7.5), [&](unsigned* p) { return rocrand_generate_poisson(g, p, count, 7.5); },
      itself);
  OK(rocrand_destroy_generator(g));
}

}  // namespace

int main() {
  try_generator("xorwow", ROCRAND_RNG_PSEUDO_XORWOW);
  try_generator("mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A);
  try_generator("mtgp32", ROCRAND_RNG_PSEUDO_MTGP32);
  try_generator("philox4x32-10", ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  try_generator("sobol32", ROCRAND_RNG_QUASI_SOBOL32);
  std::printf("%d right, %d wrong\n", right, wrong);
  return wrong != 0;
}
