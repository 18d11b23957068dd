// Runs a matrix multiplication made by `wavesmith gemm` on a GPU and checks it: D = A B with everything column-major.
//
//   wavesmith gemm --arch gfx942 --a f16 --d f32 --tile 128x128x64 --kernel gemm -o gemm.co --meta gemm.json
//   ./launch_with_hip gemm.co
//
// The struct below is the kernarg segment as gemm.json lists it; the grid is ceil(m / tile m), ceil(n / tile n),
// batches.
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void check(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, hipGetErrorName(error));
  std::exit(3);
}

struct Arguments {
  void *d, *c, *a, *b;
  uint64_t stride_d = 0, stride_c = 0, stride_a = 0, stride_b = 0;  // between batches, in elements
  uint32_t m, n, k, lda, ldb, ldc, ldd;
  float alpha = 1, beta = 0;
};
static_assert(offsetof(Arguments, m) == 64 && offsetof(Arguments, beta) == 96);

// Small integers are exact in f16: sign, exponent, mantissa of -3..3.
uint16_t to_f16(int i) {
  static const uint16_t magnitude[] = {0x0000, 0x3c00, 0x4000, 0x4200};
  return static_cast<uint16_t>(magnitude[std::abs(i)] | (i < 0 ? 0x8000 : 0));
}

template <class T>
T* device_copy(const std::vector<T>& host) {
  void* p = nullptr;
  check(hipMalloc(&p, host.size() * sizeof(T)), "hipMalloc");
  check(hipMemcpy(p, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
  return static_cast<T*>(p);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: launch_with_hip gemm.co\n");
    return 2;
  }
  const uint32_t m = 300, n = 200, k = 100, tile_m = 128, tile_n = 128;
  std::vector<int> a(m * k), b(k * n);
  std::vector<uint16_t> a16(a.size()), b16(b.size());
  for (size_t i = 0; i < a.size(); ++i) a16[i] = to_f16(a[i] = static_cast<int>(i * 7 % 5) - 2);
  for (size_t i = 0; i < b.size(); ++i) b16[i] = to_f16(b[i] = static_cast<int>(i * 11 % 7) - 3);
  std::vector<float> d(m * n);

  int devices = 0;
  check(hipGetDeviceCount(&devices), "looking for a GPU");
  check(hipSetDevice(0), "hipSetDevice");
  hipModule_t module;
  hipFunction_t kernel;
  check(hipModuleLoad(&module, argv[1]), argv[1]);
  check(hipModuleGetFunction(&kernel, module, "gemm"), "kernel 'gemm'");

  uint16_t *a_device = device_copy(a16), *b_device = device_copy(b16);
  float* d_device = device_copy(d);
  Arguments arguments{.d = d_device,
                      .c = nullptr,
                      .a = a_device,
                      .b = b_device,
                      .m = m,
                      .n = n,
                      .k = k,
                      .lda = m,
                      .ldb = k,
                      .ldc = m,
                      .ldd = m};
  size_t size = sizeof arguments;
  void* config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                    HIP_LAUNCH_PARAM_END};
  check(hipModuleLaunchKernel(kernel, (m + tile_m - 1) / tile_m, (n + tile_n - 1) / tile_n, 1, 256, 1, 1, 0, nullptr,
                              nullptr, config),
        "hipModuleLaunchKernel");
  check(hipDeviceSynchronize(), "running the kernel");
  check(hipMemcpy(d.data(), d_device, d.size() * sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");

  size_t wrong = 0;
  for (uint32_t col = 0; col < n; ++col)
    for (uint32_t row = 0; row < m; ++row) {
      int sum = 0;
      for (uint32_t i = 0; i < k; ++i) sum += a[i * m + row] * b[col * k + i];
      wrong += d[col * m + row] != static_cast<float>(sum);
    }
  std::printf("%zu of %zu elements wrong\n", wrong, d.size());

  for (void* p : {static_cast<void*>(a_device), static_cast<void*>(b_device), static_cast<void*>(d_device)})
    check(hipFree(p), "hipFree");
  check(hipModuleUnload(module), "hipModuleUnload");
  return wrong ? 1 : 0;
}
