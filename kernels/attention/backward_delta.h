// The kernels by rows of queries. delta: for each query, -LSE / scale and -delta, the first accumulators of S and dP;
// zeros for the sums of dQ. convert: dQ from its sums. Included by backward_delta.cpp and backward_host.cpp.
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
  DevicePointer dq_sums;
  uint64_t dq_batch, dq_head;  // bytes
  void list(auto&& to, const AttentionBackwardConfig& c) {
    const char* type = isa::type_name(c.type);
    to("O", o, type), to("dO", d_o, type), to("LSE", lse, "f32"), to("rows", rows, "f32");
    to("o_batch", o_batch), to("o_head", o_head), to("do_batch", do_batch), to("do_head", do_head);
    to("lse_batch", lse_batch), to("lse_head", lse_head), to("rows_batch", rows_batch), to("rows_head", rows_head);
    to("o_row", o_row), to("do_row", do_row), to("queries", queries), to("by_scale", by_scale);
    if (c.reduction == Reduction::atomic)
      to("dq_sums", dq_sums, "f32"), to("dq_batch", dq_batch), to("dq_head", dq_head);
  }
};

struct ConvertArguments {
  DevicePointer dq_sums, dq;
  uint64_t sums_batch, sums_head, dq_batch, dq_head;  // bytes
  uint32_t dq_row;                                    // bytes
  uint32_t queries;                                   // packed: of all sequences
  float scale;
  void list(auto&& to, const AttentionBackwardConfig& c) {
    to("dq_sums", dq_sums, "f32"), to("dQ", dq, isa::type_name(c.type));
    to("sums_batch", sums_batch), to("sums_head", sums_head), to("dq_batch", dq_batch), to("dq_head", dq_head);
    to("dq_row", dq_row), to("queries", queries), to("scale", scale);
  }
};

Program build_delta(const AttentionBackwardConfig&, Arch, const std::string& name, const LowerOptions&);
Program build_convert(const AttentionBackwardConfig&, Arch, const std::string& name, const LowerOptions&);

}  // namespace wavesmith::attention
