#include "tools/options/attention_options.h"
#include "isa_tables/names.h"

#include <fmt/format.h>

#include "tools/options/matrices.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

isa::Arch AttentionOptions::target() const { return target_of(arch, gpu); }

void AttentionOptions::declare(CLI::App& app) {
  app.set_help_flag("--help", "Print this help message and exit");  // -h is the number of heads
  app.add_option("--arch", arch, "target; default: gfx942, or where there is --gpu, that GPU's");
  app.add_option(
      "--type,--prec", type,
      "type of Q, K, V and O: bf16 (default) or f16. fp8 (the target's own kind): Q, K, V and P are multiplied "
      "as fp8; O has --o-type. mxfp8, mxbf8, mxfp4 (gfx950, gfx1250): Q and K with a scale for each 32 elements, V as "
      "--v-type, P as fp8");
  app.add_option("--o-type,--o_type", o_type, "with --type fp8 and those of MX: type of O, bf16 (default) or f16");
  app.add_option("--v-type,--v_type", v_type,
                 "with a --type of MX: type of V, mxfp8 or mxbf8; default: as --type, with mxfp4 mxfp8");
  app.add_option("--head-dim,-d,--d", head_dim, "columns of Q and K: a multiple of 8 from 16 to 512; default 128");
  app.add_option("--head-dim-v,--d_v", head_dim_v, "columns of V and O, in the same range; default: --head-dim");
  app.add_option("--mask", mask, "0 (default), t: query i sees the keys up to i, b: up to i + keys - queries");
  app.add_flag("--causal", causal, "as --mask b");
  app.add_flag("--lse", lse,
               "write the log-sum-exp of each query; every kernel supports it, a null pointer turns it off");
  app.add_flag("--gqa", gqa, "fewer heads of K and V than of Q; every kernel supports it");
  app.add_flag("--varlen", varlen,
               "each batch has its own lengths, and the batches are concatenated: cu_seqlens_q and cu_seqlens_k hold "
               "their first "
               "rows");
  app.add_option("--mode", mode, "0 (default), or 1: as --varlen");
  app.add_option("--schedule", schedule,
                 "pipelined: products overlap the softmax of another tile (gfx90a, gfx942, gfx950, gfx1250; head "
                 "dimensions 64 and "
                 "128, on CDNA also 192 for Q and K; default there); sequential; or decode: few queries, waves and "
                 "workgroups share "
                 "the keys");
  app.add_flag("--explain", explain, "print the chosen schedule and the reason");
  app.add_option("--soft-cap", cap, "scores become cap * tanh(score / cap)");
  app.add_flag("--alibi", with_alibi, "linear biases: 2^(-8 (head + 1) / heads) times the distance is subtracted");
  app.add_option(
      "--window", window_keys,
      "keys that a query sees before and after its position, for example 127,0; positions count from the ends");
  app.add_option("--kv-type,--kv_type", kv_type,
                 "type of K and V in memory: as --type (default), fp8 or bf8, the target's own kind");
  app.add_option("--q-type,--q_type", q_type, "type of Q in memory, as --kv-type");
  app.add_option(
      "--scale-rows,--scale_rows", scale_rows,
      "rows of Q, and of K and V, that share a scale, where these are fp8 or bf8, for example 128,64: powers of "
      "two; 0 (default): a scale is a tensor's or a head's");
  app.add_option("--page-size,--page_block_size", page_size,
                 "K and V are in pages of this many keys, listed in a block table; 0 (default): no pages");
  app.add_flag(
      "--latent", latent,
      "V is the first --head-dim-v columns of K (absorbed MLA: --head-dim 576 --head-dim-v 512); schedule decode");
  app.add_option(
      "--latent-rows,--latent_rows", latent_rows,
      "with --latent: rows (queries times heads) of a wave, 16 or 32 on CDNA; default: by the problem's rows, "
      "without a problem 32; elsewhere always 16");
  app.add_flag("--sink,--sinks", sinks, "each head has a score without a value, which takes part in the softmax sum");
  app.add_flag("--prefix", prefix, "each sequence has a number of first keys that are visible to all its queries");
  app.add_flag("--bias", bias, "a number of --type, [batch][head][query][key], is added to each score");
  app.add_flag("--documents", documents, "queries see only the keys of their own document");
  app.add_option("--dropout,--p_drop", dropout, "probability of dropping an element of P: 0 (default) to less than 1");
  app.add_flag("--backward", backward, "the gradients dQ, dK and dV: the kernels of the backward pass");
  app.add_flag("--deterministic", deterministic, "the same bits in every run; backward: --reduction ordered");
  app.add_option(
      "--reduction", reduction,
      "backward, how dQ is summed: ordered (default: the same bits in every run) or atomic (faster: S and dP "
      "are computed once)");
  app.add_flag("--no-check", no_check, "do not check the kernel");
  app.add_option("--kernel", kernel, "name of the kernel; default: from the configuration");
}

AttentionConfig AttentionOptions::config() const {
  if (!reduction.empty() && !backward) throw InputError("--reduction: without --backward, legal: with it");
  if (mode != 0 && mode != 1) throw InputError(fmt::format("--mode: {}, legal: 0 1", mode));
  std::optional<AttentionSchedule> chosen;
  for (const AttentionSchedule x :
       {AttentionSchedule::pipelined, AttentionSchedule::sequential, AttentionSchedule::decode})
    if (schedule == name_of(x)) chosen = x;
  if (!schedule.empty() && !chosen)
    throw InputError(fmt::format("--schedule: '{}' is unknown, legal: pipelined sequential decode", schedule));
  const auto small = [&](const std::string& word, const char* option) -> std::optional<isa::Type> {
    const std::string name = without_suffix(word);
    if (name.empty() || name == without_suffix(type)) return {};
    for (const isa::Type t : {isa::Type::fp8, isa::Type::bf8})
      if (name == isa::type_name(t)) return t;
    throw InputError(fmt::format("{}: '{}' is not available, legal: {} fp8 bf8", option, word, type));
  };
  std::vector<ScoreMod> scores;
  if (cap) scores.push_back(soft_cap(*cap));
  if (with_alibi) scores.push_back(alibi());
  if (!window_keys.empty()) {
    const auto both = split(window_keys, ',');
    if (both.size() != 2) throw InputError(fmt::format("--window: '{}', legal: two numbers, as 127,0", window_keys));
    const auto number = [](const std::string& word) {
      return static_cast<int>(std::min<uint64_t>(parse_number(word, "--window"), 1u << 30));
    };
    scores.push_back(window(number(both[0]), number(both[1])));
  }
  const auto rows = scale_rows.empty() ? std::vector<std::string>{"0", "0"} : split(scale_rows, ',');
  if (rows.size() != 2) throw InputError(fmt::format("--scale-rows: '{}', legal: two numbers, as 128,64", scale_rows));
  const auto rows_of = [&](size_t i) {
    return static_cast<int>(std::min<uint64_t>(parse_number(rows[i], "--scale-rows"), 1u << 30));
  };
  if (latent && schedule.empty()) chosen = AttentionSchedule::decode;
  const auto mx_type = [](const std::string& word) -> std::optional<isa::Type> {
    for (const isa::Type t : {isa::Type::fp8, isa::Type::bf8, isa::Type::fp4})
      if (without_suffix(word) == fmt::format("mx{}", isa::type_name(t))) return t;
    return {};
  };
  std::optional<MxTypes> mx;
  if (const auto qk = mx_type(type)) {
    const auto v = v_type.empty() ? *qk == isa::Type::fp4 ? isa::Type::fp8 : *qk : mx_type(v_type);
    if (!v) throw InputError(fmt::format("--v-type: '{}' is not available, legal: mxfp8 mxbf8", v_type));
    for (const auto& [word, option] : {std::pair(q_type, "--q-type"), {kv_type, "--kv-type"}})
      if (!word.empty()) throw InputError(fmt::format("{}: '{}' with --type {}, legal: --v-type", option, word, type));
    mx = {*qk, *v};
  } else if (!v_type.empty()) {
    throw InputError(fmt::format("--v-type: with --type {}, legal: with --type mxfp8 mxbf8 mxfp4", type));
  }
  const bool fp8 = mx || without_suffix(type) == isa::type_name(isa::Type::fp8);
  if (!fp8 && !o_type.empty() && without_suffix(o_type) != without_suffix(type))
    throw InputError(
        fmt::format("--o-type: '{}' with --type {}, legal: with --type fp8 and those of MX", o_type, type));
  const std::string of_o = !fp8 ? type : o_type.empty() ? "bf16" : o_type;
  const auto in_memory = [&](const std::string& word, const char* option) -> std::optional<isa::Type> {
    return fp8 && word.empty() ? isa::Type::fp8 : small(word, option);
  };
  for (const isa::Type t : {isa::Type::f16, isa::Type::bf16})
    if (isa::type_name(t) == without_suffix(of_o) || (of_o == "fp16" && t == isa::Type::f16))
      return {.type = t,
              .head_dim = head_dim,
              .head_dim_v = head_dim_v,
              .sequences = packed() ? Sequences::packed : Sequences::equal,
              .kv_type = mx ? mx->v : in_memory(kv_type, "--kv-type"),
              .q_type = mx ? mx->qk : in_memory(q_type, "--q-type"),
              .fp8_products = fp8,
              .mx = mx,
              .scale_rows = {.q = rows_of(0), .kv = rows_of(1)},
              .page_size = page_size,
              .latent = latent,
              .latent_rows = latent_rows,
              .sinks = sinks,
              .prefix = prefix,
              .bias = bias,
              .documents = documents,
              .dropout = dropout != 0,
              .schedule = chosen,
              .scores = std::move(scores)};
  throw InputError(fmt::format("--type: '{}' is not available, legal: f16 bf16 fp8 mxfp8 mxbf8 mxfp4", of_o));
}

AttentionBackwardConfig AttentionOptions::backward_config() const {
  const AttentionConfig forward = config();
  const std::pair<bool, std::string> of_forward[] = {{forward.fp8_products, fmt::format("--type {}", type)},
                                                     {forward.kv_type.has_value(), "--kv-type"},
                                                     {forward.q_type.has_value(), "--q-type"},
                                                     {!scale_rows.empty(), "--scale-rows"},
                                                     {forward.page_size != 0, "--page-size"},
                                                     {forward.latent, "--latent"},
                                                     {forward.sinks, "--sink"},
                                                     {forward.prefix, "--prefix"},
                                                     {forward.bias, "--bias"},
                                                     {forward.documents, "--documents"}};
  for (const auto& [given, option] : of_forward)
    if (given) throw InputError(fmt::format("--backward: {}, legal: without it", option));
  if (forward.schedule) throw InputError(fmt::format("--backward: --schedule {}, legal: without --schedule", schedule));
  AttentionBackwardConfig c{.type = forward.type,
                            .head_dim = forward.head_dim,
                            .head_dim_v = forward.head_dim_v,
                            .sequences = forward.sequences,
                            .scores = forward.scores,
                            .dropout = forward.dropout};
  const auto named = std::ranges::find_if(all_reductions, [&](Reduction r) { return reduction == name_of(r); });
  if (named != std::end(all_reductions)) c.reduction = *named;
  else if (!reduction.empty())
    throw InputError(fmt::format("--reduction: '{}' is unknown, legal: atomic ordered", reduction));
  if (deterministic && c.reduction == Reduction::atomic)
    throw InputError("--deterministic: with --reduction atomic, legal: --reduction ordered");
  return c;
}

Mask AttentionOptions::mask_kind() const {
  const Mask m = mask == "0" ? Mask::none : mask == "t" || mask == "1" ? Mask::top_left : Mask::bottom_right;
  if (m == Mask::bottom_right && mask != "b" && mask != "2")
    throw InputError(fmt::format("--mask: '{}' is unknown, legal: 0 t b", mask));
  return causal ? Mask::bottom_right : m;
}

namespace {
std::string because(AttentionConfig c, isa::Arch arch) {
  if (c.schedule) return "as asked";
  if (can_pipeline(c, arch)) return "the fastest that takes these options";
  c.schedule = AttentionSchedule::pipelined;
  try {
    check(c, arch);
  } catch (const ConfigError& e) { return e.what(); }
  return "default";
}
}  // namespace

BuiltAttention build(const AttentionOptions& o) {
  const AttentionConfig config = o.config();
  const isa::Arch arch = o.target();
  o.mask_kind();
  const auto generate = [&](const LowerOptions& how) { return build_attention(config, arch, o.kernel, how); };
  return {build_timed({.check = !o.no_check}, generate), config, because(config, arch)};
}
std::string BuiltAttention::schedule() const {
  return fmt::format("{}: {}", name_of(schedule_of(config, program.arch)), schedule_because);
}

}  // namespace wavesmith::tools
