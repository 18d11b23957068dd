// A HIP runtime without a GPU, for the tests of `--device hip`: one device whose memory is the host's. A launch runs
// nothing; it stores blocks * 1000 + threads where the kernel's second argument points.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>

extern "C" {
const char* hipGetErrorName(hipError_t) { return "hipErrorUnknown"; }
hipError_t hipGetDeviceCount(int* count) { return *count = 1, hipSuccess; }
hipError_t hipSetDevice(int) { return hipSuccess; }
hipError_t hipMalloc(void** p, size_t bytes) { return (*p = std::malloc(bytes)) ? hipSuccess : hipErrorOutOfMemory; }
hipError_t hipFree(void* p) { return std::free(p), hipSuccess; }
hipError_t hipMemset(void* p, int value, size_t bytes) { return std::memset(p, value, bytes), hipSuccess; }
hipError_t hipMemcpy(void* to, const void* from, size_t bytes, hipMemcpyKind) {
  return std::memcpy(to, from, bytes), hipSuccess;
}
hipError_t hipModuleLoadData(hipModule_t* m, const void*) { return *m = nullptr, hipSuccess; }
hipError_t hipModuleUnload(hipModule_t) { return hipSuccess; }
hipError_t hipModuleGetFunction(hipFunction_t* f, hipModule_t, const char*) { return *f = nullptr, hipSuccess; }
hipError_t hipModuleLaunchKernel(hipFunction_t, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned,
                                 unsigned, unsigned, hipStream_t, void**, void** extra) {
  unsigned* out = nullptr;  // HIP_LAUNCH_PARAM_BUFFER_POINTER, the arguments, ...
  std::memcpy(&out, static_cast<const char*>(extra[1]) + 8, sizeof out);
  return *out = blocks * 1000 + threads, hipSuccess;
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }
}
