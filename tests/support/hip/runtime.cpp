// A HIP runtime without a GPU, for the tests of `--device hip`: one device whose memory is the host's, of the target
// that WAVESMITH_STAND_IN_TARGET names. A launch runs nothing; it stores blocks * 1000 + threads where the kernel's
// second argument points. By HIP 5's headers; with STAND_IN_R0600 the properties are those of release 6.
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
hipError_t hipRuntimeGetVersion(int* version) { return *version = 60443482, hipSuccess; }
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
hipError_t hipEventCreate(hipEvent_t* e) { return *e = nullptr, hipSuccess; }
hipError_t hipEventDestroy(hipEvent_t) { return hipSuccess; }
hipError_t hipEventRecord(hipEvent_t, hipStream_t) { return hipSuccess; }
hipError_t hipEventSynchronize(hipEvent_t) { return hipSuccess; }
hipError_t hipEventElapsedTime(float* ms, hipEvent_t, hipEvent_t) { return *ms = 0.25f, hipSuccess; }

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
