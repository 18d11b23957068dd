#include "tools/bench/bench_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa_tables/names.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

// Products of a query and a key that the mask leaves, of one head of all batches.
double visible_products(const AttentionCase& c) {
  double count = 0;
  for (const Sequence& s : c.tensors.sequences) {
    const auto q = static_cast<int64_t>(s.queries), k = static_cast<int64_t>(s.keys);
    if (c.problem.mask == Mask::none) count += static_cast<double>(q) * static_cast<double>(k);
    else
      for (int64_t i = 0; i < q; ++i)
        count +=
            static_cast<double>(std::clamp<int64_t>(i + 1 + (c.problem.mask == Mask::bottom_right ? k - q : 0), 0, k));
  }
  return count;
}

Columns attention_columns(const AttentionCase& c) {
  const AttentionConfig& g = c.built.config;
  const AttentionProblem& p = c.problem;
  const auto number = [](auto x) { return fmt::format("{}", x); };
  const bool packed = g.sequences == Sequences::packed;
  std::vector<uint64_t> queries{p.queries}, keys{p.keys};
  if (packed) {
    queries.clear(), keys.clear();
    for (const Sequence& s : c.tensors.sequences) queries.push_back(s.queries), keys.push_back(s.keys);
  }
  Columns columns{{"b", number(p.batch)},
                  {"h", number(p.heads)},
                  {"h_k", number(p.kv_heads)},
                  {"s", fmt::format("{}", fmt::join(queries, ","))},
                  {"s_k", fmt::format("{}", fmt::join(keys, ","))},
                  {"d", number(g.head_dim)},
                  {"d_v", number(g.dim_v())},
                  {"mode", packed ? "1" : "0"},
                  {"mask", p.mask == Mask::none       ? "0"
                           : p.mask == Mask::top_left ? "t"
                                                      : "b"},
                  {"prec", without_suffix(c.options.type)},
                  {"lse", c.tensors.lse.empty() ? "false" : "true"}};
  const AttentionOptions& o = c.options;
  if (o.cap) columns.emplace_back("soft-cap", number(*o.cap));
  if (o.with_alibi) columns.emplace_back("alibi", "true");
  for (const auto& [name, value] : {std::pair("window", &o.window_keys),
                                    {"o-type", &o.o_type},
                                    {"v-type", &o.v_type},
                                    {"q-type", &o.q_type},
                                    {"kv-type", &o.kv_type},
                                    {"scale-rows", &o.scale_rows}})
    if (!value->empty()) columns.emplace_back(name, *value);
  for (const auto& [name, set] : {std::pair("latent", o.latent),
                                  {"sink", o.sinks},
                                  {"prefix", o.prefix},
                                  {"bias", o.bias},
                                  {"documents", o.documents}})
    if (set) columns.emplace_back(name, "true");
  if (o.page_size) columns.emplace_back("page-size", number(o.page_size));
  if (o.dropout > 0) columns.emplace_back("dropout", number(o.dropout));
  return columns;
}

Quantities attention_quantities(const AttentionCase& c) {
  const AttentionProblem& p = c.problem;
  const AttentionConfig& g = c.built.config;
  const auto number = [](auto x) { return static_cast<double>(x); };
  const double scale = p.scale > 0 ? number(p.scale) : 1 / std::sqrt(number(g.head_dim));
  Quantities known{
      {"batch", number(p.batch)},     {"heads", number(p.heads)}, {"kv_heads", number(p.kv_heads)},
      {"queries", number(p.queries)}, {"keys", number(p.keys)},   {"d", number(g.head_dim)},
      {"d_v", number(g.dim_v())},     {"scale", scale},           {"total_queries", number(p.total_queries)}};
  for (const auto& [name, strides] : {std::pair("q", &p.q), {"k", &p.k}, {"v", &p.v}, {"o", &p.o}}) {  // elements
    known[fmt::format("{}_row", name)] = number(strides->row);
    known[fmt::format("{}_head", name)] = number(strides->head);
    known[fmt::format("{}_batch", name)] = number(strides->batch);
  }
  return known;
}

}  // namespace

BenchRow AttentionBench::row(const Case& c) {
  const auto bytes = [](const HostMatrix& m) { return static_cast<double>(m.rows) * m.cols * isa::bits(m.type) / 8; };
  const AttentionConfig& g = c.built.config;
  const isa::Arch arch = c.built.program.arch;
  return {.problem = attention_columns(c),
          .config = {{"arch", isa::target(arch).name}, {"schedule", name_of(schedule_of(g, arch))}},
          .flops = 2.0 * c.problem.heads * visible_products(c) * (g.head_dim + g.dim_v()),
          .bytes = bytes(c.tensors.o) + bytes(c.tensors.q) + bytes(c.tensors.k) + bytes(c.tensors.v),
          .measured = {}};
}

std::vector<Implementation> AttentionBench::implementations(const Libraries& libraries,
                                                            const std::vector<PeerFile>& files) {
  if (!libraries.empty())
    throw InputError(
        fmt::format("--against {}: it has no attention, legal: --against-co FILE --meta FILE", libraries[0].first));
  std::vector<Implementation> all{ours(case_.built)};
  for (const PeerFile& f : files)
    all.push_back({f.name, f.kernel, [this, &f, enqueue = device_.prepare(f.code, f.kernel)](uint64_t i) {
                     const AttentionPointers& at = copy(i).at;
                     enqueue(f.launch(attention_quantities(case_), {{"O", at.o},
                                                                    {"Q", at.q},
                                                                    {"K", at.k},
                                                                    {"V", at.v},
                                                                    {"LSE", at.lse},
                                                                    {"cu_seqlens_q", at.cu_seqlens_q},
                                                                    {"cu_seqlens_k", at.cu_seqlens_k}}));
                   }});
  return all;
}

std::string AttentionBench::check(const std::vector<Implementation>& all, bool, std::vector<Measured>& measured) {
  std::string wrong;
  for (size_t i = 0; i < all.size(); ++i) {
    AttentionCase c = case_;
    device_.write({copies_[0].o.address, c.tensors.o.bytes.size()}, c.tensors.o.bytes);
    device_.seconds([&] { all[i].enqueue(0); });
    download(device_, copies_[0], c.tensors);
    const AttentionVerdict v = compare(c.tensors, c.built.config, c.problem, isa::target(c.built.program.arch));
    measured[i].error = v.worst_error;
    if (v.wrong && wrong.empty())
      wrong = fmt::format("{}: wrong: {} numbers, first {}", all[i].by, v.wrong, v.first_wrong);
  }
  return wrong;
}

int bench_attention(const BenchOptions& o, const AttentionQuestion& q) { return bench_operation<AttentionBench>(o, q); }

}  // namespace wavesmith::tools
