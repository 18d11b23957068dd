// The GEMM from a program: choose the kernel for a size, build, launch (docs/guide/gemm.md).
#include <cstdio>
#include <cstring>

#include <wavesmith/kernels.h>
#include <wavesmith/simulator.h>

using namespace wavesmith;

int main() {
  // D = A^T B: A is K x M, B is K x N, D is M x N, column-major.
  const uint32_t m = 100, n = 70, k = 40;
  std::vector<uint16_t> a(k * m), b(k * n);  // bf16
  std::vector<float> d(m * n), expected(m * n);
  const auto bf16 = [](float x) {
    uint32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    return static_cast<uint16_t>(bits >> 16);
  };
  const auto value = [](size_t i) { return static_cast<float>(i * i % 7) - 3; };
  for (size_t i = 0; i < a.size(); ++i) a[i] = bf16(value(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = bf16(value(i + 2));
  for (size_t row = 0; row < m; ++row)
    for (size_t col = 0; col < n; ++col)
      for (size_t i = 0; i < k; ++i) expected[col * m + row] += value(row * k + i) * value(col * k + i + 2);

  const GemmProblem problem{.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldc = m, .ldd = m};
  const GemmPlan g =
      plan_gemm({.input = isa::Type::bf16, .output = isa::Type::f32, .trans_a = true}, isa::Arch::gfx942, problem);
  const Program p = build_gemm(g.config, isa::Arch::gfx942);
  for (const Choice& c : g.choices) std::printf("%s: %s (%s)\n", c.what.c_str(), c.value.c_str(), c.why.c_str());

  const auto device = runtime::Device::open("sim");
  const auto put = [&](const auto& values, const char* name) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    const runtime::Buffer buffer = device->allocate(values.size() * sizeof values[0], name);
    device->write(buffer, {bytes, buffer.bytes});
    return buffer;
  };
  const auto da = put(a, "A"), db = put(b, "B"), dd = put(d, "D");
  const KernelLaunch l = launch(g.config, isa::Arch::gfx942, problem,
                                {.a = da.address, .b = db.address, .c = dd.address, .d = dd.address});
  const auto outcome =
      device->launch(assemble(p).bytes, p.name,
                     {.grid = l.grid, .block = l.block, .dynamic_lds = 0, .cluster = {}, .kernargs = l.kernargs});
  if (outcome.fault) return std::printf("%s\n", outcome.fault->c_str()), 1;
  device->read(dd, {reinterpret_cast<uint8_t*>(d.data()), dd.bytes});
  if (d != expected) return std::printf("gemm_library: wrong\n"), 1;
  std::printf("gemm_library: %u x %u x %u right\n", m, n, k);
}
