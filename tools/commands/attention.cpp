// wavesmith attention: a flash attention forward kernel as .co, .s and the description a host needs to launch it. Mask,
// scale, grouped heads, strides and lengths are arguments of the one kernel; the description says how to fill them in.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "isa_tables/names.h"
#include "tools/commands/commands.h"
#include "tools/options/attention_options.h"
#include "tools/options/matrices.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

struct Options {
  AttentionOptions attention;
  OutputFiles files;
  bool json = false;
};

nlohmann::ordered_json metadata(const BuiltAttention& b, const AttentionOptions& o) {
  auto j = launch_facts(b);
  const Mask mask = o.mask_kind();
  const bool packed = b.config.sequences == Sequences::packed;
  const bool decode = schedule_of(b.config, b.program.arch) == AttentionSchedule::decode;
  const std::string queries = packed ? "queries of the longest sequence" : "queries";
  const int rows = block_queries(b.config, b.program.arch);
  if (decode) j["grid"] = {"ceil(all_kv_heads / 2^log2_in_turn) * 2^log2_in_turn * row_tiles", "splits", "1"};
  else j["grid"] = {"heads_in_turn", fmt::format("ceil({} / {})", queries, rows), "ceil(all_heads / heads_in_turn)"};
  j["formulas"] = {
      {"strides", packed ? "bytes; all multiples of 16; of batches 0" : "bytes; all multiples of 16"},
      {"kv_group", "ceil(2^31 / (heads / kv_heads))"},
      {"diagonal", mask == Mask::none                                       ? "2^29"
                   : mask == Mask::top_left || packed || b.config.page_size ? "0"
                                                                            : "keys - queries"},
      {"scale_log2", !changes_scores(b.config, b.program.arch) ? "scale * log2(e)" : "scale"},
      {"all_heads", "heads * batch"},
      {"heads_in_turn",
       "1 to all_heads; good: the number of XCDs, with a mask so many of them that they have 256 tiles on each XCD"},
      {"LSE", !o.lse   ? "0: not written"
              : packed ? "f32, natural logarithm; [head][query of all batches]"
                       : "f32, natural logarithm"}};
  if (decode) {
    j["formulas"]["group_heads"] = "heads / kv_heads";
    j["formulas"]["all_kv_heads"] = "kv_heads * batch";
    j["formulas"]["row_tiles"] = fmt::format("ceil({} * group_heads / {})", queries, rows);
    j["formulas"]["log2_in_turn"] =
        "heads of K and V whose tiles of rows are dispatched in turn; with one tile 0; else good: log2 of the XCDs";
    j["formulas"]["splits"] = "workgroups that share the keys of a head, 1 to 512";
    const auto size = workspace_size(b.config, b.program.arch);
    j["formulas"]["counters"] =
        b.config.latent ? "not used"
                        : fmt::format(
                              "{} bytes for each workgroup of a split, 0 before the first launch; not used with "
                              "one split",
                              size.counters);
    j["formulas"]["partials"] =
        fmt::format("{} bytes for each workgroup of all splits; not used with one split", size.partials);
  }
  const AttentionConfig& c = b.config;
  if (c.page_size) {
    j["formulas"]["k_batch"] = "bytes of a page; v_batch: likewise";
    j["formulas"]["block_table"] = fmt::format("by batch the pages that have its keys, {} in each", c.page_size);
    j["formulas"]["table_stride"] = "bytes of a sequence's table";
    j["formulas"]["pages"] = "in memory, of K and of V";
    j["formulas"]["seqlens_k"] = "by batch, keys";
  }
  if (c.q_type || c.kv_type) {
    j["formulas"]["K_scale"] =
        "address of factors by K/V head, 0: all are 1 (scales of MX and of rows: required); Q_scale, V_scale: likewise";
    j["formulas"]["scale_step"] = "4, or 0 for one scale";
  }
  if (c.bias) j["formulas"]["bias_batch"] = "bytes, likewise bias_head and bias_row";
  if (c.documents) j["formulas"]["query_documents"] = "by row of Q; key_documents: of K";
  if (c.dropout) {
    j["formulas"]["drop_below"] = "probability * 2^32";
    j["formulas"]["keep_scale"] = "1 / (1 - probability)";
  }
  if (c.latent) {
    j["formulas"]["V"] = "K; v_batch, v_head, v_row, V_scale: as of K";
    j["formulas"]["combines"] =
        "0; with more than one split a second launch of the kernel has 4 n / split_waves, and a grid whose second "
        "number "
        "is 4 n, for any n from 1 to ceil(head_dim_v / 8)";
    j["formulas"]["split_waves"] = "4 where n is head_dim_v / 8, else 1";
  }
  if (c.sinks) j["formulas"]["sinks"] = "by head, natural units";
  if (c.prefix) j["formulas"]["prefix"] = "by batch, keys that every query sees";
  if (c.page_size || packed) j["formulas"]["from_end"] = mask == Mask::bottom_right ? "-1" : "0";
  if (packed) {
    j["formulas"]["cu_seqlens_q"] =
        "batch + 1 numbers: 0, then rows of Q and O up to each sequence's end; cu_seqlens_k: of K and V";
    j["formulas"]["queries"] = "of the longest sequence; not used, as keys: each sequence has its own";
  }
  j["config"] = {{"type", isa::type_name(b.config.type)},
                 {"head_dim", b.config.head_dim},
                 {"head_dim_v", b.config.dim_v()},
                 {"schedule", name_of(schedule_of(b.config, b.program.arch))},
                 {"varlen", packed},
                 {"q_type", isa::type_name(c.q_type.value_or(c.type))},
                 {"kv_type", isa::type_name(c.kv_type.value_or(c.type))},
                 {"fp8_products", c.fp8_products},
                 {"page_size", c.page_size},
                 {"latent", c.latent},
                 {"sinks", c.sinks},
                 {"prefix", c.prefix},
                 {"bias", c.bias},
                 {"documents", c.documents},
                 {"dropout", c.dropout},
                 {"mask", mask == Mask::none       ? "0"
                          : mask == Mask::top_left ? "t"
                                                   : "b"}};
  return j;
}

int attention(const Options& o) {
  o.files.check(o.json);
  if (o.attention.backward) {
    const BuiltBackward b = build_backward(o.attention);
    return deliver(b, o.files, backward_facts(b, o.attention), o.json);
  }
  const BuiltAttention b = build(o.attention);
  if (o.attention.explain) fmt::print(stderr, "schedule: {}\n", b.schedule());
  return deliver(b, metadata(b, o.attention), o.files, o.json);
}

}  // namespace

Command add_attention(CLI::App& app) {
  auto o = std::make_shared<Options>();
  o->attention.declare(app);
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer(
      "Any number of queries and keys, any strides that are multiples of 8 elements; tensors as "
      "[batch][row][head][column] by default,\n"
      "with --varlen as [row][head][column], the batches concatenated.\n"
      "Example:\n  wavesmith attention --arch gfx942 --type bf16 --head-dim 128 --causal --lse -o fa.co --asm fa.s "
      "--meta fa.json\n"
      "  wavesmith attention --backward --arch gfx942 --type bf16 --head-dim 128 --causal -o fa_bwd.co --meta "
      "fa_bwd.json");
  return [o] { return attention(*o); };
}

}  // namespace wavesmith::tools
