// Variables of a program that has no kernel.
#include "program.h"

__device__ int number = 7;
__constant__ float table[4] = {1, 2, 3, 4};

int main() {
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
