// wavesmith attention: a flash attention forward kernel as .co, .s and the description a host needs to launch it. Mask, scale, grouped heads,
// strides and lengths are arguments of the one kernel; the description says how to fill them in.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "tools/attention_options.h"
#include "tools/commands.h"
#include "tools/matrices.h"
#include "tools/text.h"

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
  j["grid"] = {"ceil(queries / 256)", "heads", "batch"};
  j["formulas"] = {{"strides", "bytes; all multiples of 16"},
                   {"kv_group", "ceil(2^31 / (heads / kv_heads))"},
                   {"diagonal", mask == Mask::none ? "2^29" : mask == Mask::top_left ? "0" : "keys - queries"},
                   {"scale_log2", "scale * log2(e)"},
                   {"LSE", o.lse ? "f32, natural logarithm" : "0: not written"}};
  j["config"] = {{"type", type_name(b.config.type)}, {"head_dim", b.config.head_dim}, {"mask", mask == Mask::none ? "0" : mask == Mask::top_left ? "t" : "b"}};
  return j;
}

int attention(const Options& o) {
  const BuiltAttention b = build(o.attention);
  return deliver(b, metadata(b, o.attention), o.files, o.json);
}

}  // namespace

Command add_attention(CLI::App& app) {
  auto o = std::make_shared<Options>();
  o->attention.declare(app);
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Any number of queries and keys, any strides that are multiples of 8 elements; tensors as [batch][row][head][column] by default.\n"
             "Example:\n  wavesmith attention --arch gfx942 --type bf16 --head-dim 128 --causal --lse -o fa.co --asm fa.s --meta fa.json");
  return [o] { return attention(*o); };
}

}  // namespace wavesmith::tools
