// What a kernel finds at its start: ids, sizes and counts on three axes, the implicit (hidden) arguments, dynamic LDS, and that a
// file may hold several kernels and data of its own.
#include "common.h"

// Who each item is, in order of workgroups and items.
kernel void geometry(global uint* out) {
  const uint group = (GROUP_Z * (__builtin_amdgcn_grid_size_y() / SIZE_Y) + GROUP_Y) * (ITEMS_X / SIZE_X) + GROUP_X;
  const uint item = (LANE_Z * SIZE_Y + LANE_Y) * SIZE_X + LANE_X;
  out[group * SIZE_X * SIZE_Y * SIZE_Z + item] = LANE_X | LANE_Y << 8 | LANE_Z << 16 | (GROUP_X ^ GROUP_Y << 2 ^ GROUP_Z << 4) << 24;
}

typedef constant const uchar* bytes_t;

// The implicit arguments by their documented offsets: with code object 5 counts, sizes, remainders, offsets and dimensions, with 4
// the offsets only, for which the dispatch packet has the sizes.
kernel void hidden(global uint* out, char ignored) {
  if (LANE_X | LANE_Y | LANE_Z | GROUP_X | GROUP_Y | GROUP_Z) return;
  const bytes_t implicit = (bytes_t)__builtin_amdgcn_implicitarg_ptr();
#if !defined(V4)
  for (int k = 0; k < 3; ++k) {
    out[k] = ((constant const uint*)implicit)[k];
    out[3 + k] = ((constant const ushort*)(implicit + 12))[k];
    out[6 + k] = ((constant const ushort*)(implicit + 18))[k];
    out[9 + k] = (uint)((constant const ulong*)(implicit + 40))[k];
  }
  out[12] = *(constant const ushort*)(implicit + 64);
#else
  const bytes_t packet = (bytes_t)__builtin_amdgcn_dispatch_ptr();
  for (int k = 0; k < 3; ++k) {
    const uint size = ((constant const ushort*)(packet + 4))[k], items = ((constant const uint*)(packet + 12))[k];
    out[k] = items / size, out[3 + k] = size, out[6 + k] = items % size;
    out[9 + k] = (uint)((constant const ulong*)implicit)[k];
  }
  out[12] = *(constant const ushort*)(packet + 2);
#endif
}

// Dynamic LDS after a static array: reverses the items of the group.
kernel void dynamic_lds(global const int* in, global int* out, local int* scratch, int n) {
  local int edge;
  const uint l = LANE_X;
  scratch[l] = in[GLOBAL_X];
  if (l == 0) edge = n;
  group_barrier();
  out[GLOBAL_X] = scratch[SIZE_X - 1 - l] + edge;
}

constant int powers[10] = {1, 3, 9, 27, 81, 243, 729, 2187, 6561, 19683};
kernel void look_up(global const uchar* in, global int* out, int n) {
  const int i = GLOBAL_X;
  if (i < n) out[i] = powers[in[i] % 10];
}

// Addresses in the code object's own data.
constant int squares[4] = {0, 1, 4, 9};
constant const int* constant tables[2] = {powers, squares};
kernel void look_up_far(global const uchar* in, global int* out, int n) {
  const int i = GLOBAL_X;
  if (i < n) out[i] = tables[in[i] & 1][in[i] >> 1 & 3];
}

// Arguments of every size, with the gaps that alignment makes.
kernel void arguments(char a, long b, short c, float4 d, uchar e, double f, int3 g, global double* out) {
  if (GLOBAL_X == 0) out[0] = a, out[1] = b, out[2] = c, out[3] = d.x + d.w * 10, out[4] = e, out[5] = f, out[6] = g.x + g.y * 10 + g.z * 100;
}
