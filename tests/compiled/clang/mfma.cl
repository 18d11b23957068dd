// C[m][n] = A[m][k] B[k][n] by CDNA's matrix builtins: one wave a tile of C, edges filled with zeros. Which element a lane's register
// holds is the ISA guide's; A and B take their k in the same order.
#include "common.h"

typedef half half4_t __attribute__((ext_vector_type(4)));
typedef half half8_t __attribute__((ext_vector_type(8)));

#define A(i, j) ((i) < m && (j) < k ? a[(i) * k + (j)] : 0)
#define B(i, j) ((i) < k && (j) < n ? b[(i) * n + (j)] : 0)

kernel void mfma_f16(global const half* a, global const half* b, global float* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 32, column = GROUP_X * 32 + l % 32;
  float16 sum = 0;
  for (int at = 0; at < k; at += 8) {
    half4_t x, y;
    for (int j = 0; j < 4; ++j) x[j] = A(row + l % 32, at + l / 32 * 4 + j), y[j] = B(at + l / 32 * 4 + j, column);
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 16; ++r) {
    const int i = row + 8 * (r / 4) + l / 32 * 4 + r % 4;
    if (i < m && column < n) c[i * n + column] = sum[r];
  }
}

kernel void mfma_f32(global const float* a, global const float* b, global float* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16, column = GROUP_X * 16 + l % 16;
  float4 sum = 0;
  for (int at = 0; at < k; at += 4) sum = __builtin_amdgcn_mfma_f32_16x16x4f32(A(row + l % 16, at + l / 16), B(at + l / 16, column), sum, 0, 0, 0);
  for (int r = 0; r < 4; ++r) {
    const int i = row + 4 * (l / 16) + r;
    if (i < m && column < n) c[i * n + column] = sum[r];
  }
}

kernel void mfma_i8(global const char* a, global const char* b, global int* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16, column = GROUP_X * 16 + l % 16;
  int4 sum = 0;
#if defined(__gfx908__) || defined(__gfx90a__)
  for (int at = 0; at < k; at += 16) {
    char4 x, y;
    for (int j = 0; j < 4; ++j) x[j] = A(row + l % 16, at + l / 16 * 4 + j), y[j] = B(at + l / 16 * 4 + j, column);
    sum = __builtin_amdgcn_mfma_i32_16x16x16i8(as_int(x), as_int(y), sum, 0, 0, 0);
  }
#else
  for (int at = 0; at < k; at += 32) {
    char8 x, y;
    for (int j = 0; j < 8; ++j) x[j] = A(row + l % 16, at + l / 16 * 8 + j), y[j] = B(at + l / 16 * 8 + j, column);
    sum = __builtin_amdgcn_mfma_i32_16x16x32_i8(as_long(x), as_long(y), sum, 0, 0, 0);
  }
#endif
  for (int r = 0; r < 4; ++r) {
    const int i = row + 4 * (l / 16) + r;
    if (i < m && column < n) c[i * n + column] = sum[r];
  }
}

#if !defined(__gfx908__)
kernel void mfma_f64(global const double* a, global const double* b, global double* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16, column = GROUP_X * 16 + l % 16;
  double4 sum = 0;
  for (int at = 0; at < k; at += 4) sum = __builtin_amdgcn_mfma_f64_16x16x4f64(A(row + l % 16, at + l / 16), B(at + l / 16, column), sum, 0, 0, 0);
  for (int r = 0; r < 4; ++r) {
    const int i = row + 4 * r + l / 16;
    if (i < m && column < n) c[i * n + column] = sum[r];
  }
}
#endif

#if defined(__gfx950__)
kernel void mfma_f16_wide(global const half* a, global const half* b, global float* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16, column = GROUP_X * 16 + l % 16;
  float4 sum = 0;
  for (int at = 0; at < k; at += 32) {
    half8_t x, y;
    for (int j = 0; j < 8; ++j) x[j] = A(row + l % 16, at + l / 16 * 8 + j), y[j] = B(at + l / 16 * 8 + j, column);
    sum = __builtin_amdgcn_mfma_f32_16x16x32_f16(x, y, sum, 0, 0, 0);
  }
  for (int r = 0; r < 4; ++r) {
    const int i = row + 4 * (l / 16) + r;
    if (i < m && column < n) c[i * n + column] = sum[r];
  }
}
#endif
