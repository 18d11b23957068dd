// A HIP runtime without a GPU, for the tests of `--device hip`: one device whose memory is the host's, of the target
// that WAVESMITH_STAND_IN_TARGET names. A launch of wavesmith's f32 GEMM (by its name) computes it with OpenBLAS; of
// any other kernel it stores blocks * 1000 + threads where the second argument points. By HIP 5's headers; with
// STAND_IN_R0600 the properties are those of release 6.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <cblas.h>
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>

extern "C" {
const char* hipGetErrorName(hipError_t) { return "hipErrorUnknown"; }
hipError_t hipGetDeviceCount(int* count) { return *count = 1, hipSuccess; }
hipError_t hipSetDevice(int) { return hipSuccess; }
hipError_t hipRuntimeGetVersion(int* version) { return *version = 60443482, hipSuccess; }
hipError_t hipMalloc(void** p, size_t bytes) { return (*p = std::malloc(bytes)) ? hipSuccess : hipErrorOutOfMemory; }
hipError_t hipFree(void* p) { return std::free(p), hipSuccess; }
hipError_t hipMemset(void* p, int value, size_t bytes) { return std::memset(p, value, bytes), hipSuccess; }
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind) {
  return std::memcpy(to, from, bytes), hipSuccess;
}
hipError_t hipModuleLoadData(hipModule_t* m, const void*) { return *m = nullptr, hipSuccess; }
hipError_t hipModuleUnload(hipModule_t) { return hipSuccess; }
hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t, const char* name) {
  return *f = reinterpret_cast<hipFunction_t>(strdup(name)), hipSuccess;
}

// As `gemm --meta` lists them.
struct GemmArguments {
  float *d, *c, *a, *b;
  uint64_t stride_d, stride_c, stride_a, stride_b;
  uint32_t m, n, k, lda, ldb, ldc, ldd;
  float alpha, beta;
};
static void gemm(const char* name, const GemmArguments& g, unsigned batches) {
  const auto op = [&](char c) { return c == 't' ? CblasTrans : CblasNoTrans; };
  const auto as_int = [](uint32_t x) { return static_cast<blasint>(x); };
  for (unsigned i = 0; i < batches; ++i) {
    for (uint32_t col = 0; col < g.n && g.beta != 0; ++col)
      std::memcpy(g.d + i * g.stride_d + col * g.ldd, g.c + i * g.stride_c + col * g.ldc, 4 * g.m);
    cblas_sgemm(CblasColMajor, op(name[0]), op(name[1]), as_int(g.m), as_int(g.n), as_int(g.k), g.alpha,
                g.a + i * g.stride_a, as_int(g.lda), g.b + i * g.stride_b, as_int(g.ldb), g.beta, g.d + i * g.stride_d,
                as_int(g.ldd));
  }
}
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned blocks, unsigned, unsigned z, unsigned threads, unsigned,
                                 unsigned, unsigned, hipStream_t, void**, void** extra) {
  const char* const name = reinterpret_cast<const char*>(f);
  const char prefix[] = "gemm_f32_f32_";
  if (std::strncmp(name, prefix, sizeof prefix - 1) == 0) {
    GemmArguments g;
    std::memcpy(&g, extra[1], sizeof g);
    return gemm(name + sizeof prefix - 1, g, z), hipSuccess;
  }
  if (std::strcmp(name, "wavesmith_icache_flush") == 0) return hipSuccess;
  unsigned* out = nullptr;  // HIP_LAUNCH_PARAM_BUFFER_POINTER, the arguments, ...
  std::memcpy(&out, static_cast<const char*>(extra[1]) + 8, sizeof out);
  if (out) *out = blocks * 1000 + threads;
  return hipSuccess;
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }
hipError_t hipEventCreate(hipEvent_t* e) { return *e = nullptr, hipSuccess; }
hipError_t hipEventDestroy(hipEvent_t) { return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t, hipStream_t) { return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float* ms, hipEvent_t, hipEvent_t) {
  static int calls = 0;
  return *ms = 0.25f + 0.01f * static_cast<float>(calls++ % 4), hipSuccess;
}

static const char* target() {
  const char* named = std::getenv("WAVESMITH_STAND_IN_TARGET");
  return named ? named : "gfx942:sramecc+:xnack-";
}
#ifdef STAND_IN_R0600
// Release 6.4's structure has 1472 bytes.
hipError_t hipGetDevicePropertiesR0600(char* p, int) {
  std::memset(p, 0, 1472);
  std::strcpy(p, "stand-in"), std::strcpy(p + 1160, target());
  const int units = 304, khz = 2100000;
  return std::memcpy(p + 388, &units, 4), std::memcpy(p + 348, &khz, 4), hipSuccess;
}
#else
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int) {
  *p = {};
  std::strcpy(p->name, "stand-in"), std::strcpy(p->gcnArchName, target());
  return p->multiProcessorCount = 304, p->clockRate = 2100000, hipSuccess;
}
#endif
}
