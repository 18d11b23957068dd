// out[c][r] = in[r][c] through a padded tile in LDS; blocks of 32 x 8 items, tiles of 32 x 32.
#include "common.h"

#define TRANSPOSE(name, T)                                                                                     \
  kernel void name(global const T* in, global T* out, int rows, int columns) {                                 \
    local T tile[32][33];                                                                                      \
    const int c = GROUP_X * 32 + LANE_X, r = GROUP_Y * 32 + LANE_Y;                                            \
    for (int k = 0; k < 32; k += 8)                                                                            \
      if (c < columns && r + k < rows) tile[LANE_Y + k][LANE_X] = in[(r + k) * columns + c];                   \
    group_barrier();                                                                                           \
    const int oc = GROUP_Y * 32 + LANE_X, or = GROUP_X * 32 + LANE_Y;                                          \
    for (int k = 0; k < 32; k += 8)                                                                            \
      if (oc < rows && or + k < columns) out[(or + k) * rows + oc] = tile[LANE_X][LANE_Y + k];                 \
  }

TRANSPOSE(transpose_u8, uchar)
TRANSPOSE(transpose_u16, ushort)
TRANSPOSE(transpose_f32, float)
TRANSPOSE(transpose_f64, double)
