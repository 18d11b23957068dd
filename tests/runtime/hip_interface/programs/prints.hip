// printf and assert in kernels: what is printed, and that a failed assert is an error of the program's next calls.
#include "program.h"

extern "C" __device__ int printf(const char*, ...);
#ifdef BUFFERED  // the library that Debian has keeps this in the part that is not linked for HIP
extern "C" __device__ char* __printf_alloc(unsigned bytes) {
  auto* args = (const char*)__builtin_amdgcn_implicitarg_ptr();
  auto* buffer = *reinterpret_cast<unsigned* const*>(args + 72);  // hidden_printf_buffer
  const unsigned at = __atomic_fetch_add(buffer, bytes, __ATOMIC_RELAXED);
  return at + bytes + 8 <= buffer[1] ? reinterpret_cast<char*>(buffer) + 8 + at : nullptr;
}
#endif

__global__ void say(int x, const char* text) {
  if (item() == 1) return;
  printf("item %u: %d %5.2f %s|%-4s|%%|%c\n", item(), x, x * 0.5, "constant", text, 'z');
}
__global__ void fails(int* p) {
  if (p[item()] != 7) {
    printf("assertion of item %u\n", item());
    __builtin_trap();
  }
}

int main() {
  Device<char> text({'a', 'b', '\0'});
  say<<<1, 3>>>(-42, text.p);
  CHECKED(hipDeviceSynchronize());
  int* p = nullptr;
  CHECKED(hipMalloc(reinterpret_cast<void**>(&p), 256));
  std::vector<int> v(64, 7);
  CHECKED(hipMemcpy(p, v.data(), 256, hipMemcpyHostToDevice));
  fails<<<1, 64>>>(p);
  CHECKED(hipDeviceSynchronize());
  v[5] = 8;
  CHECKED(hipMemcpy(p, v.data(), 256, hipMemcpyHostToDevice));
  fails<<<1, 64>>>(p);
  EXPECT(hipDeviceSynchronize() == hipErrorAssert);
  EXPECT(hipGetLastError() == hipErrorAssert);
  EXPECT(hipFree(p) == hipErrorAssert);  // sticky
  CHECKED(hipDeviceReset());
  std::puts("passed");
  std::fflush(stdout);
  std::_Exit(0);
}
