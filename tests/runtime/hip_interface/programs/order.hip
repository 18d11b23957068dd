// Waves that exchange by LDS without a barrier: right only if they advance evenly.
#include "program.h"

__global__ void exchange(int* p) {
  __shared__ volatile int lds[128];
  lds[item()] = static_cast<int>(item()) + 1;
  p[item()] = lds[127 - item()];
}

int main() {
  int* p = nullptr;
  int got[128];
  CHECKED(hipMalloc(reinterpret_cast<void**>(&p), sizeof got));
  exchange<<<1, 128>>>(p);
  CHECKED(hipMemcpy(got, p, sizeof got, hipMemcpyDeviceToHost));
  int right = 0;
  for (int i = 0; i < 128; ++i) right += got[i] == 128 - i;
  std::puts(right == 128 ? "passed" : "wrong");
}
