// A cooperative launch: workgroups wait for each other by global wave sync, and more waves than a workgroup can have
// print at once.
#include "program.h"

extern "C" __device__ int printf(const char*, ...);

// One wave of each workgroup counts, as in the device library.
__device__ void synchronize_all(unsigned groups) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
  synchronize();
  if (item() / 64 == 0) __builtin_amdgcn_ds_gws_barrier(groups - 1, 0);
  synchronize();
}

// Every workgroup adds what its two neighbours had, `rounds` times.
__global__ void sums_of_neighbours(unsigned* v, unsigned groups, unsigned rounds) {
  for (unsigned r = 0; r < rounds; ++r) {
    unsigned* const from = v + r % 2 * groups;
    unsigned* const to = v + (r + 1) % 2 * groups;
    if (item() == 0) {
      const unsigned left = __atomic_load_n(from + (group() + groups - 1) % groups, __ATOMIC_RELAXED);
      const unsigned right = __atomic_load_n(from + (group() + 1) % groups, __ATOMIC_RELAXED);
      __atomic_store_n(to + group(), left + right, __ATOMIC_RELAXED);
    }
    synchronize_all(groups);
  }
}
__global__ void every_wave_prints() {
  if (item() % 64 == 0) printf("%u.%u\n", group(), item() / 64);
}

int main() {
  unsigned groups = 70, rounds = 9;
  std::vector<unsigned> now(2 * groups), next(groups);
  for (unsigned i = 0; i < groups; ++i) now[i] = i * i + 1;
  Device<unsigned> v(now);
  void* arguments[] = {&const_cast<unsigned*&>(v.p), &groups, &rounds};
  const auto cooperative = [](auto* kernel, unsigned grid, unsigned block, void** a) {
    CHECKED(hipLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(grid), dim3(block), a, 0, nullptr));
    CHECKED(hipDeviceSynchronize());
  };
  for (int again = 0; again < 2; ++again) {  // resource 0 is initialised before each launch
    CHECKED(hipMemcpy(v.p, now.data(), 8 * groups, hipMemcpyHostToDevice));
    cooperative(sums_of_neighbours, groups, 128, arguments);
    std::vector<unsigned> from(now.begin(), now.begin() + groups);
    for (unsigned r = 0; r < rounds; ++r, from = next)
      for (unsigned i = 0; i < groups; ++i) next[i] = from[(i + groups - 1) % groups] + from[(i + 1) % groups];
    const std::vector<unsigned> got = v.read(2 * groups);
    for (unsigned i = 0; i < groups; ++i) EXPECT(got[rounds % 2 * groups + i] == from[i]);
  }
  cooperative(every_wave_prints, 104, 1024, nullptr);
  std::puts("passed");
}
