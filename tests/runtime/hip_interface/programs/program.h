// What the programs share: HIP's host interface, the few device definitions they need (HIP's device headers take
// seconds to compile), and checks that print what differs.
#pragma once
#include <hip/hip_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECKED(what) \
  do { \
    const hipError_t e_ = (what); \
    if (e_ != hipSuccess) { \
      std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #what, hipGetErrorName(e_)); \
      std::exit(1); \
    } \
  } while (0)
#define EXPECT(what) \
  do { \
    if (!(what)) { \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what); \
      std::exit(1); \
    } \
  } while (0)

#ifndef __managed__
#define __managed__ __attribute__((managed))
#endif
inline __device__ unsigned item() { return __builtin_amdgcn_workitem_id_x(); }
inline __device__ unsigned group() { return __builtin_amdgcn_workgroup_id_x(); }
inline __device__ unsigned place() { return group() * __builtin_amdgcn_workgroup_size_x() + item(); }
inline __device__ void synchronize() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <class T>
struct Device {  // a buffer
  T* p = nullptr;
  explicit Device(const std::vector<T>& v) {
    CHECKED(hipMalloc(reinterpret_cast<void**>(&p), v.size() * sizeof(T)));
    CHECKED(hipMemcpy(p, v.data(), v.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  std::vector<T> read(size_t n) const {
    std::vector<T> v(n);
    CHECKED(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
    return v;
  }
  ~Device() { CHECKED(hipFree(p)); }
};
