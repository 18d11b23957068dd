// Sums of an array three ways: a tree in LDS, a butterfly of lane exchanges, and DPP shifts. One partial sum a workgroup.
#include "common.h"

kernel void sum_tree(global const float* in, global float* out, int n) {
  local float part[256];
  const uint l = LANE_X;
  float s = 0;
  for (int i = GLOBAL_X; i < n; i += ITEMS_X) s += in[i];
  part[l] = s;
  for (uint step = 128; step > 0; step /= 2) {
    group_barrier();
    if (l < step && l + step < SIZE_X) part[l] += part[l + step];
  }
  if (l == 0) out[GROUP_X] = part[0];
}

// One partial sum a wave, each lane's value reaching all others in log2(wave) exchanges.
kernel void sum_butterfly(global const int* in, global int* out, int n) {
  const uint i = GLOBAL_X, lane = wave_lane();
  int s = i < n ? in[i] : 0;
  for (uint m = 1; m < WAVE; m *= 2) s += from_lane(lane ^ m, s);
  if (lane == 0) out[i / WAVE] = s;
}

// Rows of 16 lanes summed with row_shr into lane 15 of each; the rows are then read lane by lane.
kernel void sum_dpp(global const int* in, global int* out, int n) {
  const uint i = GLOBAL_X;
  int s = i < n ? in[i] : 0;
  s += __builtin_amdgcn_update_dpp(0, s, 0x118, 0xf, 0xf, false);
  s += __builtin_amdgcn_update_dpp(0, s, 0x114, 0xf, 0xf, false);
  s += __builtin_amdgcn_update_dpp(0, s, 0x112, 0xf, 0xf, false);
  s += __builtin_amdgcn_update_dpp(0, s, 0x111, 0xf, 0xf, false);
  int total = __builtin_amdgcn_readlane(s, 15) + __builtin_amdgcn_readlane(s, 31);
  if (WAVE == 64) total += __builtin_amdgcn_readlane(s, 47) + __builtin_amdgcn_readlane(s, 63);
  if (wave_lane() == 0) out[i / WAVE] = total;
}

// The compiler's own reductions over the active lanes, and their number.
kernel void reduce_active(global const uint* in, global uint* out, int n) {
  const uint i = GLOBAL_X;
  if (i < n && in[i] & 1) {
    const uint sum = __builtin_amdgcn_wave_reduce_add_u32(in[i], 0), most = __builtin_amdgcn_wave_reduce_max_u32(in[i], 0);
    const uint any = __builtin_amdgcn_wave_reduce_or_b32(in[i], 0), first = __builtin_amdgcn_readfirstlane(in[i]);
    const uint active = __builtin_popcountl(__builtin_amdgcn_read_exec());
    global uint* o = out + i / WAVE * 5;
    o[0] = sum, o[1] = most, o[2] = any, o[3] = first, o[4] = active;
  }
}
