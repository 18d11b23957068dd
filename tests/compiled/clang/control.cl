// Divergent control flow: loops of different lengths, nested breaks, switches, early returns.
#include "common.h"

kernel void collatz(global const uint* in, global uint* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  uint steps = 0;
  for (ulong x = in[i]; x > 1; ++steps) x = x & 1 ? 3 * x + 1 : x / 2;
  out[i] = steps;
}

kernel void interpret(global const uchar* code, global const int* in, global int* out, int n, int length) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  int x = in[i], y = i;
  for (int at = 0; at < length; ++at) {
    switch ((code[at] + i) % 9) {
      case 0: x += y; break;
      case 1: x = x * 3 - y; break;
      case 2: y ^= x; break;
      case 3: if (x < 0) { x = -x; continue; } y -= 1; break;
      case 4: x = (int)((uint)x << 3 | (uint)x >> 29); break;
      case 5: if (y % 64 == 13) { out[i] = x; return; }  // fall through
      case 6: y += 5; break;
      case 7: { const int t = x; x = y, y = t; break; }
      default: x ^= at;
    }
  }
  out[i] = x ^ y;
}

// The first divisor of each number: two nested loops, left from the inside.
kernel void pairs(global const int* in, global int* out, int n) {
  const int i = GLOBAL_X;
  int found = -1;
  if (i < n) {
    for (int a = 1; a < 40 && found < 0; ++a) {
      if (a % 5 == i % 5) continue;
      for (int b = a; b < 40; ++b) {
        if (a * a + b * b == in[i]) { found = a * 64 + b; break; }
        if (a * a + b * b > in[i]) break;
      }
    }
    out[i] = found;
  }
}
