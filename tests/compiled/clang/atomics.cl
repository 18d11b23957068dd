// Atomic operations on global memory and LDS, with and without their results.
#include "common.h"

#define RELAXED(op, p, x, scope) __scoped_atomic_##op(p, x, __ATOMIC_RELAXED, scope)
#define DEVICE __MEMORY_SCOPE_DEVICE
#define GROUP __MEMORY_SCOPE_WRKGRP

kernel void histogram(global const uchar* in, global uint* bins, int n) {
  local uint mine[256];
  for (uint b = LANE_X; b < 256; b += SIZE_X) mine[b] = 0;
  group_barrier();
  for (int i = GLOBAL_X; i < n; i += ITEMS_X) RELAXED(fetch_add, &mine[in[i]], 1u, GROUP);
  group_barrier();
  for (uint b = LANE_X; b < 256; b += SIZE_X)
    if (mine[b]) RELAXED(fetch_add, &bins[b], mine[b], DEVICE);
}

// Each operation on a word of its own; what it returned shows that each item saw a value of its own.
kernel void integer_atomics(global int* words, global long* wide, global uint* seen, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  seen[RELAXED(fetch_add, &words[0], 1, DEVICE)] = i + 1;
  RELAXED(fetch_max, &words[1], i * 7 % 1009, DEVICE);
  RELAXED(fetch_min, &words[2], i * 7 % 1009 - 500, DEVICE);
  RELAXED(fetch_xor, &words[3], i * 0x9e3779b9, DEVICE);
  RELAXED(fetch_or, &words[4], 1 << i % 23, DEVICE);
  RELAXED(fetch_and, &words[5], ~(1 << i % 11), DEVICE);
  RELAXED(fetch_sub, &words[6], i, DEVICE);
  RELAXED(fetch_add, &wide[0], (long)i << 30, DEVICE);
  RELAXED(fetch_max, &wide[1], (long)(i * 7 % 1009) << 33, DEVICE);
}

// A product by compare and swap, and floating-point sums.
kernel void exchange_atomics(global uint* product, global float* sum, global double* wide_sum, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  uint old = __scoped_atomic_load_n(product, __ATOMIC_RELAXED, DEVICE);
  while (!__scoped_atomic_compare_exchange_n(product, &old, old * (2 * i + 1), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, DEVICE)) {}
  RELAXED(fetch_add, sum, (float)i, DEVICE);
  RELAXED(fetch_add, wide_sum, (double)i, DEVICE);
}

kernel void lds_atomics(global int* out, global float* sums, int n) {
  local int word[4];
  local float sum[2];
  const int l = LANE_X, i = GLOBAL_X;
  if (l < 4) word[l] = l == 1 ? -1 : 0;
  if (l < 2) sum[l] = 0;
  group_barrier();
  if (i < n) {
    const int place = RELAXED(fetch_add, &word[0], 1, GROUP);
    RELAXED(fetch_max, &word[1], l ^ 5, GROUP);
    RELAXED(fetch_add, &sum[0], (float)l, GROUP);
    if (place == 0) RELAXED(exchange_n, &word[2], 77, GROUP);
    int old = __scoped_atomic_load_n(&word[3], __ATOMIC_RELAXED, GROUP);
    while (!__scoped_atomic_compare_exchange_n(&word[3], &old, old * 3 + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED, GROUP)) {}
  }
  group_barrier();
  if (l < 4) out[GROUP_X * 4 + l] = word[l];
  if (l == 0) sums[GROUP_X] = sum[0];
}
