// The results of splits in the workspace, which attention_decode.cpp writes and attention_combine.cpp combines.
#pragma once
#include "kernels/attention/attention_kernel.h"

namespace wavesmith::attention {

constexpr int quad = 4;  // columns of a chunk of results, and splits that are added together

// Of the wave in the workspace. Chunk number (c << log2_rows) + row has columns 4 c to 4 c + 3 of a row, of all columns
// that the wave combines; before the chunks are sums and maxima by row.
struct Attention::Splits {
  explicit Splits(Registers& r)
      : scratch(r),
        resource(scratch.s("partial results", 4)),
        tile(scratch.s("wave among those of a split")),
        step(scratch.s("bytes of a split")),
        log2_rows(scratch.s("log2 of the rows, rounded up")),
        next(scratch.s("bytes to the next split")) {}
  Scratch scratch;
  Sgpr resource, tile, step, log2_rows, next;
};

}  // namespace wavesmith::attention
