// Integer arithmetic that takes sequences of instructions: division, 64-bit products, shifts, bit counts.
#include "common.h"

kernel void divide32(global const int* a, global const int* b, global int* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const uint ua = a[i], ub = b[i];
  out[i * 6] = a[i] / b[i], out[i * 6 + 1] = a[i] % b[i], out[i * 6 + 2] = ua / ub, out[i * 6 + 3] = ua % ub;
  out[i * 6 + 4] = a[i] / 7, out[i * 6 + 5] = (short)a[i] / (short)(b[i] | 1);
}

kernel void divide64(global const long* a, global const long* b, global long* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const ulong ua = a[i], ub = b[i];
  out[i * 4] = a[i] / b[i], out[i * 4 + 1] = a[i] % b[i], out[i * 4 + 2] = ua / ub, out[i * 4 + 3] = ua % ub;
}

kernel void arithmetic64(global const long* a, global const long* b, global long* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const long x = a[i], y = b[i];
  const ulong ux = x;
  global long* o = out + i * 12;
  o[0] = x + y, o[1] = x - y, o[2] = x * y, o[3] = (long)((unsigned __int128)ux * (ulong)y >> 64);
  o[4] = x << (y & 63), o[5] = x >> (y & 63), o[6] = ux >> (y & 63), o[7] = x < y ? x : y;
  o[8] = __builtin_popcountl(x), o[9] = x ? __builtin_clzl(x) : 64, o[10] = __builtin_bitreverse64(x), o[11] = (long)(int)x * (int)y + x;
}

kernel void bits32(global const uint* a, global const uint* b, global uint* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const uint x = a[i], y = b[i];
  global uint* o = out + i * 10;
  o[0] = x * y, o[1] = (uint)((ulong)x * y >> 32), o[2] = __builtin_bitreverse32(x), o[3] = __builtin_popcount(x);
  o[4] = __builtin_rotateleft32(x, y & 31), o[5] = __builtin_bswap32(x), o[6] = x ? __builtin_ctz(x) : 32;
  o[7] = (x & y) | (~x & (y >> 3)), o[8] = (x >> 5 & 0xff) * (y & 0xffffff) + x, o[9] = __builtin_elementwise_add_sat(x, y);
}
