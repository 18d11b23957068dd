// Inclusive prefix sums of each workgroup's part of an array.
#include "common.h"

kernel void scan_lds(global const int* in, global int* out, int n) {
  local int sums[2][256];
  const uint l = LANE_X, i = GLOBAL_X;
  int from = 0;
  sums[0][l] = i < n ? in[i] : 0;
  for (uint step = 1; step < SIZE_X; step *= 2) {
    group_barrier();
    sums[1 - from][l] = sums[from][l] + (l >= step ? sums[from][l - step] : 0);
    from = 1 - from;
  }
  if (i < n) out[i] = sums[from][l];
}

// Within the wave by shuffles, across waves through LDS.
kernel void scan_wave(global const int* in, global int* out, int n) {
  local int totals[8];
  const uint i = GLOBAL_X, lane = wave_lane(), wave = LANE_X / WAVE;
  int s = i < n ? in[i] : 0;
  for (uint step = 1; step < WAVE; step *= 2) {
    const int below = from_lane(lane - step, s);
    if (lane >= step) s += below;
  }
  if (lane == WAVE - 1) totals[wave] = s;
  group_barrier();
  for (uint w = 0; w < wave; ++w) s += totals[w];
  if (i < n) out[i] = s;
}

// Where the set elements go: ranks from the ballot.
kernel void compact(global const int* in, global int* out, global int* count, int n) {
  const uint i = GLOBAL_X;
  const bool keep = i < n && in[i] > 0;
#if defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ == 32
  const ulong ballot = __builtin_amdgcn_ballot_w32(keep);
#else
  const ulong ballot = __builtin_amdgcn_ballot_w64(keep);
#endif
  const uint rank = __builtin_amdgcn_mbcnt_hi((uint)(ballot >> 32), __builtin_amdgcn_mbcnt_lo((uint)ballot, 0));
  if (keep) out[i / WAVE * WAVE + rank] = in[i];
  if (wave_lane() == 0) count[i / WAVE] = __builtin_popcountl(ballot);
}
