// Vector types: wide loads and stores, shuffles, elements in registers.
#include "common.h"

kernel void saxpy4(global const float4* x, global float4* y, float a, int n) {
  const int i = GLOBAL_X;
  if (i < n) y[i] = a * x[i] + y[i].wzyx;
}

kernel void cross3(global const float* a, global const float* b, global float* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const float3 x = {a[i * 3], a[i * 3 + 1], a[i * 3 + 2]}, y = {b[i * 3], b[i * 3 + 1], b[i * 3 + 2]}, z = x.yzx * y.zxy - x.zxy * y.yzx;
  out[i * 3] = z.x, out[i * 3 + 1] = z.y, out[i * 3 + 2] = z.z;
}

kernel void shuffle16(global const uchar16* in, global uchar16* out, global ulong2* wide, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const uchar16 x = in[i];
  out[i] = x.s0f1e2d3c4b5a6978 + (uchar16)(1);
  wide[i] = as_ulong2(x).yx * (ulong2)(3, 5);
}

kernel void shorts8(global const short8* a, global const short8* b, global short8* out, int n) {
  const int i = GLOBAL_X;
  if (i < n) out[i] = __builtin_elementwise_max(a[i] * b[i], a[i] - b[i]) >> (short8)(1);
}
