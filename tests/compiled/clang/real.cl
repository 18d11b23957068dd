// Floating point whose instructions come in sequences: correctly rounded division and square root, doubles, conversions.
#include "common.h"

kernel void divide_f32(global const float* a, global const float* b, global float* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  out[i * 4] = a[i] / b[i], out[i * 4 + 1] = __builtin_elementwise_sqrt(__builtin_fabsf(a[i]));
  out[i * 4 + 2] = __builtin_fmaf(a[i], b[i], -a[i]), out[i * 4 + 3] = __builtin_elementwise_floor(a[i]) - __builtin_elementwise_trunc(b[i]);
}

kernel void divide_f64(global const double* a, global const double* b, global double* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  out[i * 5] = a[i] / b[i], out[i * 5 + 1] = __builtin_elementwise_sqrt(__builtin_fabs(a[i])), out[i * 5 + 2] = __builtin_fma(a[i], b[i], -a[i]);
  out[i * 5 + 3] = __builtin_elementwise_rint(a[i]), out[i * 5 + 4] = __builtin_fmax(a[i], b[i]);
}

kernel void convert(global const float* a, global const double* d, global long* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const float x = a[i];
  const double y = d[i];
  global long* o = out + i * 9;
  o[0] = (int)x, o[1] = (uint)__builtin_fabsf(x), o[2] = (long)x, o[3] = (long)y, o[4] = (ulong)__builtin_fabs(y);
  o[5] = as_uint((float)o[3]), o[6] = as_long((double)o[3]), o[7] = as_ushort((half)x), o[8] = as_uint((float)y);
}
