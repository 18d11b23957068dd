// C[m][n] = A[m][k] B[k][n] by the matrix builtins of RDNA3, RDNA4 and gfx1250: one wave32 a tile of 16 x 16, edges filled with zeros.
// Before RDNA4 both halves of the wave hold all of A and B; from then on each holds half of k, A and B in the same order.
#include "common.h"

#define A(i, j) ((i) < m && (j) < k ? a[(i) * k + (j)] : 0)
#define B(i, j) ((i) < k && (j) < n ? b[(i) * n + (j)] : 0)

#if defined(__gfx1250__)
enum { depth_f16 = 32, share_f16 = 16, depth_i8 = 64, share_i8 = 32, from_half = 1 };
#define WMMA_F16(x, y, z) __builtin_amdgcn_wmma_f32_16x16x32_f16(false, x, false, y, 0, z, false, false)
#define WMMA_I8(x, y, z) __builtin_amdgcn_wmma_i32_16x16x64_iu8(true, x, true, y, z, false, false)
#elif defined(__gfx1200__) || defined(__gfx1201__)
enum { depth_f16 = 16, share_f16 = 8, depth_i8 = 16, share_i8 = 8, from_half = 1 };
#define WMMA_F16(x, y, z) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x, y, z)
#define WMMA_I8(x, y, z) __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, x, true, y, z, false)
#else
enum { depth_f16 = 16, share_f16 = 16, depth_i8 = 16, share_i8 = 16, from_half = 0 };
#define WMMA_F16(x, y, z) __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, z)
#define WMMA_I8(x, y, z) __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, x, true, y, z, false)
#endif

typedef half halves_t __attribute__((ext_vector_type(share_f16)));
typedef int packed_t __attribute__((ext_vector_type(share_i8 / 4)));
typedef union { char bytes[share_i8]; packed_t all; } bytes_t;

#define ROW(r) (GROUP_Y * 16 + (from_half ? (r) + LANE_X / 16 * 8 : 2 * (r) + LANE_X / 16))

kernel void wmma_f16(global const half* a, global const half* b, global float* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16 + l % 16, column = GROUP_X * 16 + l % 16;
  float8 sum = 0;
  for (int at = 0; at < k; at += depth_f16) {
    const int from = at + from_half * (l / 16) * share_f16;
    halves_t x, y;
    for (int j = 0; j < share_f16; ++j) x[j] = A(row, from + j), y[j] = B(from + j, column);
    sum = WMMA_F16(x, y, sum);
  }
  for (int r = 0; r < 8; ++r)
    if (ROW(r) < m && column < n) c[ROW(r) * n + column] = sum[r];
}

kernel void wmma_i8(global const char* a, global const char* b, global int* c, int m, int n, int k) {
  const int l = LANE_X, row = GROUP_Y * 16 + l % 16, column = GROUP_X * 16 + l % 16;
  int8 sum = 0;
  for (int at = 0; at < k; at += depth_i8) {
    const int from = at + from_half * (l / 16) * share_i8;
    bytes_t x, y;
    for (int j = 0; j < share_i8; ++j) x.bytes[j] = A(row, from + j), y.bytes[j] = B(from + j, column);
    sum = WMMA_I8(x.all, y.all, sum);
  }
  for (int r = 0; r < 8; ++r)
    if (ROW(r) < m && column < n) c[ROW(r) * n + column] = sum[r];
}
