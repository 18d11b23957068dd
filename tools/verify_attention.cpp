// wavesmith verify attention: generate a kernel, run it, compare every element of O and the log-sum-exp with a reference in f64.
//
// The bound, u = 2^-23 for one f32 operation (hardware may truncate inside a matrix instruction), v the unit roundoff of the type. A score is
// off by e = (d + 4) u scale sum|q k|: a sum of d exact products in any order, scaled, the maximum taken off. 2^x adds 2 u, so P is off by
// e + 2u relative, and v more when it is rounded; numbers below the normal ones by half the smallest instead. Sums over n keys add n u to
// numerator and denominator. As P is in both, with the largest e of the query's keys,
//   |O - reference| <= (2 (e + 2u) + v + (2n + 4) u) sum P|V| / sum P + v |reference| + smallest (1 + sum|V| / sum P)
//   |LSE - reference| <= e + (n + 8) u + 4u |reference|
#include <cblas.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "simulator/numerics/numerics.h"
#include "tools/accuracy.h"
#include "tools/attention_options.h"
#include "tools/launch.h"
#include "tools/matrices.h"
#include "tools/text.h"
#include "tools/verify.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Verify {
  AttentionOptions attention;
  OutputFiles files;
  DeviceOptions device;
  AttentionProblem problem;
  std::string init = "rand";
  uint64_t seed = 1;
  bool json = false;
};

// One of O, Q, K, V, contiguous [batch][row][head][column]: column-major `dim` x `heads * rows * batch` to Matrix.
Matrix tensor(const char* name, isa::Type type, const AttentionProblem& p, uint32_t rows, uint32_t heads, uint32_t dim) {
  return {.name = name, .type = type, .rows = dim, .cols = heads * rows, .ld = dim, .batch = p.batch, .stride = uint64_t{dim} * heads * rows};
}
struct Tensors { Matrix o, q, k, v; std::vector<float> lse; };

struct Verdict {
  double worst_share = 0, worst_lse_share = 0, worst_error = 0;   // shares of what is allowed; error relative to sum P|V| / sum P
  uint64_t wrong = 0, checked = 0;
  std::string first_wrong;
};

constexpr const char* legal_init = "rand, int, special, or Q.npy,K.npy,V.npy";
Init init_of(const std::string& word) {
  if (word == "rand") return Init::rand;
  if (word == "int") return Init::ints;
  if (word == "special") return Init::special;
  throw InputError(fmt::format("--init: '{}' is unknown, legal: {}", word, legal_init));
}

// [batch][row][head][column], C order.
void load(Matrix& m, const std::string& path, const std::vector<uint64_t>& shape) {
  runtime::Array a = runtime::load_npy(path);
  if (a.type != stored_as(m.type) || a.fortran || a.shape != shape)
    throw InputError(fmt::format("{}: {}{}, legal: {} ({}) in C order for {}", path, a.describe(), a.fortran ? " in Fortran order" : "", runtime::name(stored_as(m.type)), fmt::join(shape, ", "), m.name));
  m.bytes = std::move(a.bytes);
}

Tensors make_tensors(const Verify& o, const AttentionConfig& c, const AttentionProblem& p) {
  const auto dim = static_cast<uint32_t>(c.head_dim);
  Tensors t{tensor("O", c.type, p, p.queries, p.heads, dim), tensor("Q", c.type, p, p.queries, p.heads, dim), tensor("K", c.type, p, p.keys, p.kv_heads, dim), tensor("V", c.type, p, p.keys, p.kv_heads, dim), {}};
  Matrix* const inputs[] = {&t.q, &t.k, &t.v};
  const auto files = o.init.find(".npy") == o.init.npos ? std::vector<std::string>{} : split(o.init, ',');
  if (!files.empty() && files.size() != std::size(inputs)) throw InputError(fmt::format("--init: '{}' names {} files, legal: {}", o.init, files.size(), legal_init));
  for (size_t i = 0; i < std::size(inputs); ++i) {
    if (files.empty()) fill(*inputs[i], init_of(o.init), o.seed + i);
    else load(*inputs[i], files[i], {p.batch, i ? p.keys : p.queries, i ? p.kv_heads : p.heads, dim});
  }
  t.o.bytes.assign(t.o.elements() * 2, 0xa5);
  if (o.attention.lse) t.lse.assign(uint64_t{p.batch} * p.heads * p.queries, NAN);
  return t;
}

runtime::Outcome run_on(runtime::Device& device, const BuiltAttention& built, const AttentionProblem& p, Tensors& t) {
  const auto upload = [&](const char* name, const void* data, size_t bytes) {
    const auto b = device.allocate(std::max<size_t>(bytes, 1), name);
    if (bytes) device.write({b.address, bytes}, {static_cast<const uint8_t*>(data), bytes});
    return b;
  };
  const auto o = upload("O", t.o.bytes.data(), t.o.bytes.size()), q = upload("Q", t.q.bytes.data(), t.q.bytes.size()), k = upload("K", t.k.bytes.data(), t.k.bytes.size()),
             v = upload("V", t.v.bytes.data(), t.v.bytes.size());
  const auto lse = t.lse.empty() ? runtime::Buffer{} : upload("LSE", t.lse.data(), t.lse.size() * 4);
  const AttentionLaunch l = launch(built.config, p, {.o = o.address, .q = q.address, .k = k.address, .v = v.address, .lse = lse.address});
  auto outcome = device.launch(built.object.bytes, {.kernel = built.program.name, .grid = l.grid, .block = {l.block, 1, 1}, .dynamic_lds = 0, .kernargs = l.kernargs});
  if (outcome.fault) return outcome;
  device.read(o, t.o.bytes);
  if (!t.lse.empty()) device.read(lse, {reinterpret_cast<uint8_t*>(t.lse.data()), t.lse.size() * 4});
  return outcome;
}

// One head of a tensor as rows of `dim` doubles.
std::vector<double> head_of(const Matrix& m, uint32_t batch, uint32_t head, uint32_t heads, bool absolute) {
  const uint32_t rows = m.cols / heads;
  std::vector<double> out;
  out.reserve(uint64_t{rows} * m.rows);
  for (uint32_t r = 0; r < rows; ++r)
    for (uint32_t c = 0; c < m.rows; ++c) {
      const double x = m.get(m.at(batch, c, r * heads + head));
      out.push_back(absolute ? std::fabs(x) : x);
    }
  return out;
}

// left (rows x inner) times right, (inner x cols) or transposed.
std::vector<double> product(const std::vector<double>& left, const std::vector<double>& right, uint64_t rows, uint64_t cols, uint64_t inner, bool right_transposed) {
  std::vector<double> out(rows * cols);
  const auto n = [](uint64_t x) { return static_cast<blasint>(x); };
  if (rows && cols && inner)
    cblas_dgemm(CblasRowMajor, CblasNoTrans, right_transposed ? CblasTrans : CblasNoTrans, n(rows), n(cols), n(inner), 1, left.data(), n(inner), right.data(), n(right_transposed ? inner : cols), 0, out.data(), n(cols));
  return out;
}

// Scores become P in place; what each query's largest score, sum and error are.
struct Query { double maximum = -INFINITY, sum = 0, off = 0; uint64_t seen = 0; };
std::vector<Query> softmax(std::vector<double>& s, const std::vector<double>& magnitude, const AttentionProblem& p, int dim) {
  std::vector<Query> all(p.queries);
  for (uint64_t i = 0; i < p.queries; ++i) {
    Query& q = all[i];
    const int64_t last = static_cast<int64_t>(i) + 1 + (p.mask == Mask::bottom_right ? int64_t{p.keys} - p.queries : 0);
    q.seen = static_cast<uint64_t>(p.mask == Mask::none ? p.keys : std::clamp<int64_t>(last, 0, p.keys));
    double* row = &s[i * p.keys];
    for (uint64_t j = 0; j < q.seen; ++j) {
      row[j] *= p.scale;
      q.maximum = std::isnan(row[j]) ? row[j] : std::max(q.maximum, row[j]);
      q.off = std::max(q.off, (dim + 4) * 0x1p-23 * p.scale * magnitude[i * p.keys + j]);
    }
    for (uint64_t j = 0; j < p.keys; ++j) q.sum += row[j] = j < q.seen ? std::exp(row[j] - q.maximum) : 0;
  }
  return all;
}

void compare_head(const Tensors& t, const AttentionProblem& p, const AttentionConfig& c, uint32_t batch, uint32_t head, Verdict& v) {
  const uint32_t kv = head / (p.heads / p.kv_heads);
  const auto dim = static_cast<uint64_t>(c.head_dim);
  const auto part = [&](const Matrix& m, uint32_t h, uint32_t heads, bool absolute) { return head_of(m, batch, h, heads, absolute); };
  auto weights = product(part(t.q, head, p.heads, false), part(t.k, kv, p.kv_heads, false), p.queries, p.keys, dim, true);
  const auto magnitude = product(part(t.q, head, p.heads, true), part(t.k, kv, p.kv_heads, true), p.queries, p.keys, dim, true);
  const auto queries = softmax(weights, magnitude, p, c.head_dim);
  const auto values = part(t.v, kv, p.kv_heads, false), sizes = part(t.v, kv, p.kv_heads, true);
  const auto want = product(weights, values, p.queries, dim, p.keys, false), spread = product(weights, sizes, p.queries, dim, p.keys, false);
  std::vector<double> all(dim);
  for (uint64_t j = 0; j < p.keys; ++j)
    for (uint64_t x = 0; x < dim; ++x) all[x] += sizes[j * dim + x];
  const Precision f = precision(c.type);
  constexpr double u = 0x1p-23;
  for (uint64_t i = 0; i < p.queries; ++i) {
    const Query& q = queries[i];
    const double n = static_cast<double>(q.seen);
    for (uint64_t x = 0; x < dim; ++x, ++v.checked) {
      const double reference = q.seen ? want[i * dim + x] / q.sum : 0, weight = q.seen ? spread[i * dim + x] / q.sum : 0;
      const double got = t.o.get(t.o.at(batch, static_cast<uint32_t>(x), static_cast<uint32_t>(i * p.heads + head)));
      const double allowed = (2 * (q.off + 2 * u) + f.roundoff + (2 * n + 4) * u) * weight + f.roundoff * std::fabs(reference) + 2 * f.half_smallest * (1 + (q.seen ? all[x] / q.sum : 0));
      const double share = share_of_allowed(got, reference, allowed, f);
      if (std::isfinite(got) && weight > 0) v.worst_error = std::max(v.worst_error, std::fabs(got - reference) / weight);
      v.worst_share = std::max(v.worst_share, share);
      if (share > 1 && v.wrong++ == 0) v.first_wrong = fmt::format("O[{},{},{},{}] is {}, reference {}", batch, i, head, x, got, reference);
    }
    if (t.lse.empty()) continue;
    const double reference = q.seen ? q.maximum + std::log(q.sum) : -INFINITY, got = t.lse[(uint64_t{batch} * p.heads + head) * p.queries + i];
    const double share = share_of_allowed(got, reference, q.off + (n + 8) * u + 4 * u * std::fabs(reference), precision(isa::Type::f32));
    v.worst_lse_share = std::max(v.worst_lse_share, share), ++v.checked;
    if (share > 1 && v.wrong++ == 0) v.first_wrong = fmt::format("LSE[{},{},{}] is {}, reference {}", batch, head, i, got, reference);
  }
}

int verify(const Verify& o) {
  if (!o.problem.batch || !o.problem.heads) throw InputError(fmt::format("verify attention: {} batches of {} heads, legal: 1 or more", o.problem.batch, o.problem.heads));
  const auto device = o.device.open();
  const BuiltAttention built = build(o.attention);
  AttentionProblem p = o.problem;
  p.mask = o.attention.mask_kind();
  if (!p.kv_heads) p.kv_heads = p.heads;
  if (!p.keys) p.keys = p.queries;
  p = complete(built.config, p);
  launch(built.config, p, {});                             // refuses before anything large is made
  Tensors t = make_tensors(o, built.config, p);
  o.files.write(built, launch_facts(built));
  const runtime::Outcome outcome = run_on(*device, built, p, t);
  if (outcome.fault) return report_fault(*outcome.fault, o.json);
  Verdict v;
  for (uint32_t b = 0; b < p.batch; ++b)
    for (uint32_t h = 0; h < p.heads; ++h) compare_head(t, p, built.config, b, h, v);
  const bool right = v.wrong == 0;
  if (o.json) {
    auto times = seconds(built);
    times["run"] = outcome.seconds;
    const auto number = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
    fmt::print("{}\n", ordered_json{{"good", right}, {"kernel", built.program.name}, {"b", p.batch}, {"h", p.heads}, {"hkv", p.kv_heads}, {"sq", p.queries}, {"sk", p.keys}, {"d", built.config.head_dim},
                                    {"max_error", v.worst_error}, {"share_of_allowed", number(v.worst_share)}, {"lse_share_of_allowed", number(v.worst_lse_share)}, {"checked", v.checked},
                                    {"wrong", v.wrong}, {"fault", nullptr}, {"main_loop", main_loop(built)}, {"seconds", times}}.dump(2));
    return right ? good : answer_is_no;
  }
  Table table;
  describe(built, table);
  const double flops = 4.0 * p.batch * p.heads * p.queries * p.keys * built.config.head_dim;
  table.add(o.device.device == "sim" ? "simulate" : "run", fmt::format("{}, {:.3g} GFLOPS{}, b {} h {}/{} s {}/{} d {}", milliseconds(outcome.seconds), flops / outcome.seconds * 1e-9,
                                                                        p.mask == Mask::none ? "" : " (masked products counted)", p.batch, p.heads, p.kv_heads, p.queries, p.keys, built.config.head_dim));
  table.add("max error", fmt::format("{:.3g} of sum P|V| / sum P, {:.0f} % of what is allowed (LSE {:.1f} %), against f64 ({} numbers)", v.worst_error, 100 * v.worst_share, 100 * v.worst_lse_share, v.checked));
  o.files.list(table);
  table.add("verdict", right ? "right" : fmt::format("WRONG: {} numbers, first {}", v.wrong, v.first_wrong));
  fmt::print("{}", table.text());
  return right ? good : answer_is_no;
}

}  // namespace

Command add_verify_attention(CLI::App& app) {
  auto o = std::make_shared<Verify>();
  o->problem.kv_heads = 0;
  o->attention.declare(app);
  auto& p = o->problem;
  app.add_option("-b,--b,--batch", p.batch, "batches; default 1");
  app.add_option("-h,--h,--heads", p.heads, "heads of Q; default 1");
  app.add_option("--hkv,--h_k,--kv-heads", p.kv_heads, "heads of K and V; default: as of Q");
  app.add_option("-s,--sq,--s", p.queries, "queries")->required();
  app.add_option("--sk,--s_k", p.keys, "keys; default: as queries");
  app.add_option("--scale,--scale_s", p.scale, "of Q K^T; default 1 / sqrt(head dimension)");
  app.add_option("--init", o->init, "rand (default), int, special, or files: Q.npy,K.npy,V.npy, each (batch, rows, heads, head dimension)");
  app.add_option("--seed", o->seed, "of the made-up tensors");
  o->device.declare(app);
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Examples:\n  wavesmith verify attention --arch gfx942 --type bf16 --b 1 --h 8 --hkv 2 --sq 300 --sk 515 --causal --lse\n"
             "  wavesmith verify attention --arch gfx950 -b=1 -h=16 -h_k=4 -s=512 -d=128 -prec=bf16 -mask=b");
  return [o] { return verify(*o); };
}

}  // namespace wavesmith::tools
