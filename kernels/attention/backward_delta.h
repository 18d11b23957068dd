// delta: for each query, -LSE / scale and -delta, the first accumulators of S and dP. Included by backward_delta.cpp
// and backward_host.cpp.
#pragma once
#include "generator/dsl/arguments.h"
#include "isa_tables/names.h"
#include "kernels/attention/backward.h"

namespace wavesmith::attention {

constexpr int delta_workgroup = 256;
// Lanes that share a query, each with 16 bytes of its rows: a power of two of at most 32.
int lanes_of_query(const AttentionBackwardConfig&);

struct DeltaArguments {
  DevicePointer o, d_o, lse, rows;
  uint64_t o_batch, o_head, do_batch, do_head, lse_batch, lse_head, rows_batch, rows_head;  // bytes
  uint32_t o_row, do_row;                                                                   // bytes
  uint32_t queries;                                                                         // packed: of all sequences
  float by_scale;                                                                           // -1 / scale
  void list(auto&& to, const AttentionBackwardConfig& c) {
    const char* type = isa::type_name(c.type);
    to("O", o, type), to("dO", d_o, type), to("LSE", lse, "f32"), to("rows", rows, "f32");
    to("o_batch", o_batch), to("o_head", o_head), to("do_batch", do_batch), to("do_head", do_head);
    to("lse_batch", lse_batch), to("lse_head", lse_head), to("rows_batch", rows_batch), to("rows_head", rows_head);
    to("o_row", o_row), to("do_row", do_row), to("queries", queries), to("by_scale", by_scale);
  }
};

Program build_delta(const AttentionBackwardConfig&, Arch, const std::string& name, const LowerOptions&);

}  // namespace wavesmith::attention
