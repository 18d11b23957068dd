// C[m][n] = A[m][k] B[k][n] on the vector unit: a tile in LDS (f32), packed pairs (f16), dot products of pairs, and doubles.
#include "common.h"

typedef half half2_t __attribute__((ext_vector_type(2)));

kernel void gemm_f32(global const float* a, global const float* b, global float* c, int m, int n, int k) {
  local float ta[16][16], tb[16][16];
  const int x = LANE_X, y = LANE_Y, row = GROUP_Y * 16 + y, column = GROUP_X * 16 + x;
  float sum = 0;
  for (int at = 0; at < k; at += 16) {
    ta[y][x] = row < m && at + x < k ? a[row * k + at + x] : 0;
    tb[y][x] = column < n && at + y < k ? b[(at + y) * n + column] : 0;
    group_barrier();
    for (int i = 0; i < 16; ++i) sum += ta[y][i] * tb[i][x];
    group_barrier();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Two columns an item; n is even.
kernel void gemm_f16(global const half* a, global const half2_t* b, global half2_t* c, int m, int n, int k) {
  const int row = GROUP_Y * SIZE_Y + LANE_Y, pair = GROUP_X * SIZE_X + LANE_X;
  if (row >= m || pair >= n / 2) return;
  half2_t sum = 0;
  for (int i = 0; i < k; ++i) sum = __builtin_elementwise_fma((half2_t)(a[row * k + i]), b[i * (n / 2) + pair], sum);
  c[row * (n / 2) + pair] = sum;
}

// B is transposed; k is even.
kernel void gemm_dot2(global const half2_t* a, global const half2_t* bt, global float* c, int m, int n, int k) {
  const int row = GROUP_Y * SIZE_Y + LANE_Y, column = GROUP_X * SIZE_X + LANE_X;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k / 2; ++i) {
    const half2_t x = a[row * (k / 2) + i], y = bt[column * (k / 2) + i];
#if __has_builtin(__builtin_amdgcn_fdot2) && !defined(__gfx1250__)
    sum = __builtin_amdgcn_fdot2(x, y, sum, false);
#else
    sum += (float)x.x * (float)y.x + (float)x.y * (float)y.y;
#endif
  }
  c[row * n + column] = sum;
}

kernel void gemm_f64(global const double* a, global const double* b, global double* c, int m, int n, int k) {
  const int row = GROUP_Y * SIZE_Y + LANE_Y, column = GROUP_X * SIZE_X + LANE_X;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
