// Functions that are really called: arguments in registers and on the stack, a tree of calls, recursion, a pointer to a private array.
#include "common.h"
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

__attribute__((noinline)) static int square(int x) { return x * x + 1; }
__attribute__((noinline)) static int twice(int x, int y) { return square(x) + square(y) * 3; }
__attribute__((noinline)) static int digits(int x) { return x < 10 ? 1 : 1 + digits(x / 10); }
__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, int h, int8 i, int8 j, int16 k, int m) {
  return a - b + c * d - e + f * g - h + i.s0 + j.s7 * 2 + k.s0 - k.sf + m;
}
__attribute__((noinline)) static void fill(int* p, int n, int x) {
  for (int k = 0; k < n; ++k) p[k] = x * k;
}

kernel void calls(global const int* in, global int* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const int x = in[i];
  int own[6];
  fill(own, 6, x);
  out[i * 4] = twice(x, i);
  out[i * 4 + 1] = digits(x < 0 ? -x : x);
  out[i * 4 + 2] = many(x, 1, 2, x, 3, i, 4, 5, (int8)(x), (int8)(i), (int16)(x + i), 7);
  out[i * 4 + 3] = own[i % 6];
}

// Which function depends on the lane: the compiler loops over the different targets.
typedef int (*function_t)(int);
__attribute__((noinline)) static int minus(int x) { return -x; }
__attribute__((noinline)) static int plus3(int x) { return x + 3; }
kernel void indirect(global const int* in, global int* out, int n) {
  const int i = GLOBAL_X;
  if (i >= n) return;
  const function_t f = i % 3 == 0 ? minus : i % 3 == 1 ? plus3 : square;
  out[i] = f(in[i]);
}
