// Softmax of the rows of a matrix; one workgroup a row, maximum and sum through LDS.
#include "common.h"

static float combine(float x, local float* part, bool maximum) {
  const uint l = LANE_X;
  part[l] = x;
  for (uint step = 64; step > 0; step /= 2) {
    group_barrier();
    if (l < step) part[l] = maximum ? __builtin_fmaxf(part[l], part[l + step]) : part[l] + part[l + step];
  }
  group_barrier();
  const float all = part[0];
  group_barrier();
  return all;
}

kernel void softmax(global const float* in, global float* out, int columns) {
  local float part[128];
  in += GROUP_X * columns, out += GROUP_X * columns;
  float most = -INFINITY, sum = 0;
  for (int c = LANE_X; c < columns; c += 128) most = __builtin_fmaxf(most, in[c]);
  most = combine(most, part, true);
  for (int c = LANE_X; c < columns; c += 128) sum += __builtin_amdgcn_exp2f((in[c] - most) * 1.44269504f);
  sum = combine(sum, part, false);
  for (int c = LANE_X; c < columns; c += 128) out[c] = __builtin_amdgcn_exp2f((in[c] - most) * 1.44269504f) / sum;
}

kernel void softmax_half(global const half* in, global half* out, int columns) {
  local float part[128];
  in += GROUP_X * columns, out += GROUP_X * columns;
  float most = -INFINITY, sum = 0;
  for (int c = LANE_X; c < columns; c += 128) most = __builtin_fmaxf(most, (float)in[c]);
  most = combine(most, part, true);
  for (int c = LANE_X; c < columns; c += 128) sum += __builtin_amdgcn_exp2f(((float)in[c] - most) * 1.44269504f);
  sum = combine(sum, part, false);
  const float scale = __builtin_amdgcn_rcpf(sum);
  for (int c = LANE_X; c < columns; c += 128) out[c] = (half)(__builtin_amdgcn_exp2f(((float)in[c] - most) * 1.44269504f) * scale);
}
