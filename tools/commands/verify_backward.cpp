// wavesmith verify attention --backward: generates the kernels, runs them on Q, K, V, dO and on O and the log-sum-exp
// of the f64 forward, and compares every element of dQ, dK and dV with a reference (backward_reference.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/commands/verify_attention.h"
#include "tools/print/console.h"
#include "tools/print/text.h"
#include "tools/reference/accuracy.h"
#include "tools/reference/backward_reference.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct BackwardRun {
  BuiltBackward built;
  AttentionBackwardProblem problem;
  BackwardTensors tensors;
};

void ask_backward(const AttentionQuestion& o, const BackwardRun& r, const Lengths& queries, const Lengths& keys) {
  double rows_q = 0, rows_k = 0, products = 0, largest = 0;
  for (size_t b = 0; b < queries.size(); ++b) {
    const double q = queries[b], k = keys[b];
    rows_q += q, rows_k += k, products += q * k, largest = std::max(largest, q * k);
  }
  const AttentionBackwardConfig& c = r.built.kernels.config;
  const double width = c.head_dim + c.dim_v();
  // Eight tensors on host and device; the reference's matrices of scores in f64.
  const double bytes = width * (8 * rows_q * r.problem.heads + 8 * rows_k * r.problem.kv_heads) +
                       (o.device.only_times() ? 0 : 8 * 14 * largest),
               flops = o.device.device == "sim" ? 7 * products * r.problem.heads * width : 0;
  o.force.ask_for({bytes, simulated_seconds(flops, o.device.numerics == "fast", o.device.jobs)},
                  fmt::format("attention --backward of {:.0f} queries and {:.0f} keys, {} heads,", rows_q, rows_k,
                              r.problem.heads));
}

BackwardTensors make_backward_tensors(const AttentionQuestion& o, const BackwardRun& r, const Lengths& queries,
                                      const Lengths& keys) {
  const AttentionBackwardConfig& c = r.built.kernels.config;
  const AttentionProblem& p = r.problem;
  const bool packed = c.sequences == Sequences::packed;
  BackwardTensors t;
  uint64_t rows_q = 0, rows_k = 0;
  for (size_t b = 0; b < queries.size(); ++b) {
    t.sequences.push_back({rows_q, queries[b], rows_k, keys[b], packed ? rows_q : rows_q * p.heads});
    rows_q += queries[b], rows_k += keys[b];
  }
  t.lse_head = packed ? rows_q : queries[0];
  t.lse.assign(p.heads * rows_q, NAN);
  const auto matrix = [&](const char* name, bool of_queries, int dim) {
    const uint64_t rows = of_queries ? rows_q : rows_k;
    const uint32_t heads = of_queries ? p.heads : p.kv_heads, width = static_cast<uint32_t>(dim);
    if (rows * heads >= UINT64_C(1) << 32)
      throw InputError(
          fmt::format("verify attention: {} rows of {} heads, legal: less than 2^32 together", rows, heads));
    HostMatrix m{.name = name,
                 .type = c.type,
                 .rows = width,
                 .cols = static_cast<uint32_t>(rows * heads),
                 .ld = width,
                 .batch = 1,
                 .stride = rows * heads * width};
    m.bytes.assign(m.elements() * 2, 0xa5);
    return m;
  };
  t.q = matrix("Q", true, c.head_dim), t.k = matrix("K", false, c.head_dim), t.v = matrix("V", false, c.dim_v());
  t.d_o = matrix("dO", true, c.dim_v()), t.o = matrix("O", true, c.dim_v());
  t.dq = matrix("dQ", true, c.head_dim), t.dk = matrix("dK", false, c.head_dim), t.dv = matrix("dV", false, c.dim_v());
  HostMatrix* const inputs[] = {&t.q, &t.k, &t.v, &t.d_o};
  const auto draw = o.device.only_times() ? fill_repeating : fill;
  const auto files = o.init.find(".npy") == o.init.npos ? std::vector<std::string>{} : split(o.init, ',');
  if (o.init == "special" || (!files.empty() && files.size() != std::size(inputs)))
    throw InputError(
        fmt::format("--init: '{}', legal with --backward: rand, int, or Q.npy,K.npy,V.npy,dO.npy", o.init));
  for (size_t i = 0; i < std::size(inputs); ++i) {
    const bool of_queries = i % 3 == 0;
    const uint64_t rows = of_queries ? rows_q : rows_k, heads = of_queries ? p.heads : p.kv_heads;
    if (files.empty()) draw(*inputs[i], init_of(o.init), o.seed + i);
    else
      load_rows(*inputs[i], files[i],
                packed ? std::vector{rows, heads, uint64_t{inputs[i]->rows}}
                       : std::vector{uint64_t{p.batch}, rows / p.batch, heads, uint64_t{inputs[i]->rows}});
  }
  return t;
}

// The kernels, and the problem completed with defaults. Refuses before it allocates anything large.
BackwardRun make_backward(const AttentionQuestion& o) {
  BackwardRun r;
  AttentionBackwardProblem& p = r.problem;
  static_cast<AttentionProblem&>(p) = o.problem;
  if (o.queries.empty()) throw InputError("attention: --sq is missing, legal: --sq N, the number of queries");
  if (p.batch) in_range("--b", p.batch, 1u, 65535u);
  if (!p.batch) p.batch = o.attention.packed() ? static_cast<uint32_t>(split(o.queries, ',').size()) : 1;
  if (!p.heads) throw InputError("verify attention: 0 heads, legal: 1 or more");
  r.built = build_backward(o.attention);
  const Lengths queries = lengths(o.queries, "--sq", o, p.batch, o.seed + 5),
                keys = o.keys.empty() ? queries : lengths(o.keys, "--sk", o, p.batch, o.seed + 6);
  p.mask = o.attention.mask_kind();
  p.dropout = o.attention.dropout;
  if (!p.kv_heads) p.kv_heads = p.heads;
  p.queries = std::ranges::max(queries), p.keys = std::ranges::max(keys);
  const uint64_t total = std::accumulate(queries.begin(), queries.end(), uint64_t{0});
  p.total_queries = static_cast<uint32_t>(std::min<uint64_t>(total, UINT32_MAX));
  launch(r.built.kernels, p, {});
  p = complete(r.built.kernels.config, p);
  ask_backward(o, r, queries, keys);
  r.tensors = make_backward_tensors(o, r, queries, keys);
  return r;
}

// Runs the kernels; reads the gradients. The outcome has the seconds of all.
runtime::Outcome run_backward(runtime::Device& device, BackwardRun& r) {
  BackwardTensors& t = r.tensors;
  const auto upload = [&](const char* name, const void* data, size_t bytes) {
    const auto b = device.allocate(std::max<size_t>(bytes, 1), name);
    if (bytes) device.write({b.address, bytes}, {static_cast<const uint8_t*>(data), bytes});
    return b;
  };
  const auto matrix = [&](const HostMatrix& m) { return upload(m.name, m.bytes.data(), m.bytes.size()); };
  const runtime::Buffer gradients[] = {matrix(t.dq), matrix(t.dk), matrix(t.dv)};
  AttentionBackwardPointers to{
      .o = matrix(t.o).address,
      .d_o = matrix(t.d_o).address,
      .q = matrix(t.q).address,
      .k = matrix(t.k).address,
      .v = matrix(t.v).address,
      .lse = upload("LSE", t.lse.data(), 4 * t.lse.size()).address,
      .dq = gradients[0].address,
      .dk = gradients[1].address,
      .dv = gradients[2].address,
      .rows = device.allocate(std::max<uint64_t>(row_bytes(r.built.kernels.config, r.problem), 1), "rows").address,
      .dq_sums = device.allocate(std::max<uint64_t>(dq_sum_bytes(r.built.kernels.config, r.problem), 1), "sums of dQ")
                     .address};
  if (r.built.kernels.config.sequences == Sequences::packed) {
    std::vector<int32_t> q{0}, k{0};
    for (const Sequence& s : t.sequences)
      q.push_back(static_cast<int32_t>(s.first_query + s.queries)),
          k.push_back(static_cast<int32_t>(s.first_key + s.keys));
    to.cu_seqlens_q = upload("cu_seqlens_q", q.data(), 4 * q.size()).address,
    to.cu_seqlens_k = upload("cu_seqlens_k", k.data(), 4 * k.size()).address;
  }
  const auto launches = launch(r.built.kernels, r.problem, to);
  runtime::Outcome all{};
  for (size_t i = 0; i < launches.size(); ++i) {
    const KernelLaunch& l = launches[i];
    if (l.empty()) continue;
    auto outcome =
        device.launch(r.built.object.bytes, r.built.kernels.kernels[i].program.name,
                      {.grid = l.grid, .block = l.block, .dynamic_lds = 0, .cluster = {}, .kernargs = l.kernargs});
    if (outcome.fault) return outcome;
    all.seconds += outcome.seconds;
  }
  HostMatrix* const to_host[] = {&t.dq, &t.dk, &t.dv};
  for (size_t i = 0; i < std::size(to_host); ++i)
    if (!to_host[i]->bytes.empty()) device.read(gradients[i], to_host[i]->bytes);
  return all;
}

void print_backward_json(const BackwardRun& r, const BackwardVerdict& v, double run) {
  const AttentionBackwardConfig& c = r.built.kernels.config;
  ordered_json kernels = ordered_json::array();
  for (const BackwardKernel& kernel : r.built.kernels.kernels) kernels.push_back(kernel.program.name);
  const auto number = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
  print_json(ordered_json{{"good", v.wrong == 0},
                          {"kernels", kernels},
                          {"b", r.problem.batch},
                          {"h", r.problem.heads},
                          {"hkv", r.problem.kv_heads},
                          {"sq", r.problem.queries},
                          {"sk", r.problem.keys},
                          {"d", c.head_dim},
                          {"d_v", c.dim_v()},
                          {"dq_share_of_allowed", number(v.worst_share[0])},
                          {"dk_share_of_allowed", number(v.worst_share[1])},
                          {"dv_share_of_allowed", number(v.worst_share[2])},
                          {"checked", v.checked},
                          {"wrong", v.wrong},
                          {"open", v.open},
                          {"fault", nullptr},
                          {"seconds", {{"generate", r.built.generate_seconds}, {"run", run}}}});
}

}  // namespace

int verify_backward(const VerifyAttention& o) {
  const auto device = o.device.open();
  BackwardRun r = make_backward(o);
  fill_forward(r.tensors, r.built.kernels.config, r.problem);
  write_files(r.built, o.files, backward_facts(r.built, o.attention));
  const runtime::Outcome outcome = run_backward(*device, r);
  if (outcome.fault) return report_fault(*outcome.fault, o.json);
  const BackwardVerdict v = compare(r.tensors, r.built.kernels.config, r.problem, isa::target(r.built.kernels.arch));
  if (o.json) {
    print_backward_json(r, v, outcome.seconds);
    return v.wrong ? answer_is_no : good;
  }
  const AttentionProblem& p = r.problem;
  const AttentionBackwardConfig& c = r.built.kernels.config;
  Table table;
  describe(r.built, table);
  table.add("run", fmt::format("{}, b {} h {}/{} s {}/{} d {}/{}", milliseconds(outcome.seconds), p.batch, p.heads,
                               p.kv_heads, p.queries, p.keys, c.head_dim, c.dim_v()));
  table.add("max error",
            fmt::format("dQ {:.0f} %, dK {:.0f} %, dV {:.0f} % of the bound, against f64 ({} numbers{})",
                        100 * v.worst_share[0], 100 * v.worst_share[1], 100 * v.worst_share[2], v.checked,
                        v.open ? fmt::format(", {} of them not compared: dS beyond the type's range", v.open) : ""));
  o.files.list(table);
  table.add("verdict", v.wrong ? fmt::format("WRONG: {} numbers, first {}", v.wrong, v.first_wrong) : "right");
  fmt::print(out(), "{}", table.text());
  return v.wrong ? answer_is_no : good;
}

void launch_backward(const AttentionQuestion& o, runtime::Device& device) {
  BackwardRun r = make_backward(o);
  std::ranges::fill(r.tensors.lse, 0.0f);  // the time does not depend on it
  run_backward(device, r);
}

}  // namespace wavesmith::tools
