// A kernel that leaves its buffer: an error of the program, not its end, and the simulator's line about it.
#include "program.h"

__global__ void write(int* p) { p[place()] = 1; }

int main() {
  int* p = nullptr;
  CHECKED(hipMalloc(reinterpret_cast<void**>(&p), 400));
  write<<<2, 64>>>(p);
  EXPECT(hipGetLastError() == hipErrorIllegalAddress);
  EXPECT(hipDeviceSynchronize() == hipErrorIllegalAddress);
  void* q = nullptr;
  EXPECT(hipMalloc(&q, 4) == hipErrorIllegalAddress);
  CHECKED(hipDeviceReset());
  CHECKED(hipMalloc(reinterpret_cast<void**>(&p), 512));
  write<<<2, 64>>>(p);
  CHECKED(hipDeviceSynchronize());
  std::puts("passed");
}
