// Loads and stores of bytes and 16-bit words, and arithmetic in them.
#include "common.h"

kernel void bytes(global const char* a, global const uchar* b, global char* out, global ushort* wide, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  out[i] = a[i] + b[i], wide[i] = (ushort)(a[i] * b[i]);
}

kernel void shorts(global const short* a, global const ushort* b, global short* out, global int* wide, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const short least = a[i] < (short)b[i] ? a[i] : (short)b[i];
  out[i * 2] = (short)(a[i] * b[i] + 3), out[i * 2 + 1] = least >> (b[i] & 7), wide[i] = a[i] - b[i];
}

// Neighbouring bytes, which the compiler may merge into wider accesses; through LDS with sign extension on the way back.
kernel void swap_bytes(global const uchar* in, global uchar* out, int n) {
  local char stage[1024];
  const int l = LANE_X, i = GLOBAL_X;
  for (int k = 0; k < 4; ++k) stage[l * 4 + k] = i * 4 + k < n ? in[i * 4 + k] : 0;
  group_barrier();
  for (int k = 0; k < 4; ++k)
    if (i * 4 + k < n) out[i * 4 + k] = (uchar)(stage[l * 4 + (3 - k)] >> 1);
}

kernel void half_math(global const half* a, global const half* b, global half* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  out[i * 3] = a[i] * b[i] + (half)1, out[i * 3 + 1] = a[i] > b[i] ? a[i] : b[i], out[i * 3 + 2] = (half)(short)a[i];
}
