// Arrays of an item's own, indexed by what is only known at run time, so that they live in scratch memory.
#include "common.h"

kernel void reverse_digits(global const uint* in, global uint* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  uint digits[32], x = in[i];
  const uint base = 2 + in[i] % 9;
  int count = 0;
  while (x) digits[count++] = x % base, x /= base;
  for (int d = 0; d < count; ++d) x = x * base + digits[d];
  out[i] = x;
}

// Insertion sort: loads and stores of one array at data-dependent places.
kernel void sort16(global const short* in, global short* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  short a[16];
  for (int k = 0; k < 16; ++k) a[k] = in[i * 16 + k];
  for (int k = 1; k < 16; ++k) {
    const short x = a[k];
    int at = k;
    for (; at > 0 && a[at - 1] > x; --at) a[at] = a[at - 1];
    a[at] = x;
  }
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = a[k];
}

// More values at once than there are registers (in -O3 too: the register budget is cut), so that some are spilled.
__attribute__((amdgpu_num_vgpr(32))) kernel void crowd(global const float* in, global float* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  float v[48], r = 0;
  for (int k = 0; k < 48; ++k) v[k] = in[(i + k * 5) % n];
  __builtin_amdgcn_sched_barrier(0);
  for (int k = 0; k < 48; ++k) r = r * 0.5f + v[47 - k];
  for (int k = 0; k < 48; ++k) r += v[k] * v[47 - k];
  out[i] = r;
}

// A byte array whose address escapes into flat pointers: private, LDS or global, chosen at run time.
kernel void flat_pointers(global int* in, global int* out, int n) {
  local int shared_words[64];
  int own[4];
  const int i = GLOBAL_X, l = LANE_X;
  if (l < 64) shared_words[l] = l * 3;
  for (int k = 0; k < 4; ++k) own[k] = l + k;
  group_barrier();
  int* p = i % 3 == 0 ? (int*)&own[i & 3] : i % 3 == 1 ? (int*)&shared_words[i & 63] : (int*)&in[i % n];
  if (i < n) out[i] = *p;
}
