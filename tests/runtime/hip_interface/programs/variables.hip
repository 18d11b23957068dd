// Variables of a program that has no kernel.
#include "program.h"

__device__ int number = 7;
__constant__ float table[4] = {1, 2, 3, 4};

// Before main, and before the program's code objects are registered.
const int lanes = [] {
  hipDeviceProp_t p;
  return hipGetDeviceProperties(&p, 0) == hipSuccess ? p.warpSize : 0;
}();

int main() {
  EXPECT(lanes == LANES);
  int value = 0;
  CHECKED(hipMemcpyFromSymbol(&value, reinterpret_cast<const void*>(&number), 4, 0, hipMemcpyDeviceToHost));
  EXPECT(value == 7);
  const int nine = 9;
  CHECKED(hipMemcpyToSymbol(reinterpret_cast<const void*>(&number), &nine, 4, 0, hipMemcpyHostToDevice));
  CHECKED(hipMemcpyFromSymbol(&value, reinterpret_cast<const void*>(&number), 4, 0, hipMemcpyDeviceToHost));
  EXPECT(value == 9);
  size_t bytes = 0;
  CHECKED(hipGetSymbolSize(&bytes, reinterpret_cast<const void*>(table)));
  EXPECT(bytes == sizeof table);
  std::puts("passed");
}
