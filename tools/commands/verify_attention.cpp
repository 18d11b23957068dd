// wavesmith verify attention: generate a kernel, run it, compare every element of O and the log-sum-exp with a
// reference in f64 (attention_reference.cpp, where the bound is derived).
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

#include "tools/commands/verify_attention.h"
#include "tools/print/console.h"
#include "tools/print/text.h"
#include "tools/reference/accuracy.h"
#include "tools/reference/attention_case.h"

namespace wavesmith::tools {
using nlohmann::ordered_json;

Lengths lengths(const std::string& text, const char* option, const AttentionQuestion& o, uint32_t batch,
                uint64_t seed) {
  Lengths all;
  for (const std::string& word : split(text, ',')) {
    const uint64_t n = parse_number(word, option);
    if (n >= 1u << 29) throw InputError(fmt::format("{}: {}, legal: less than 2^29", option, n));
    all.push_back(static_cast<uint32_t>(n));
  }
  if (all.size() > 1 && !o.attention.packed() && !(o.attention.page_size && option == std::string_view("--sk")))
    throw InputError(
        fmt::format("{}: {} lengths, legal: one, or --varlen; several of keys with --page-size", option, all.size()));
  if (all.size() > 1 && all.size() != batch)
    throw InputError(
        fmt::format("{}: {} lengths for {} batches, legal: one, or one per batch", option, all.size(), batch));
  if (all.size() > 1 || batch == 1) return all;
  if (!o.attention.packed()) return Lengths(batch, all[0]);
  std::mt19937_64 random(seed);
  std::vector<uint64_t> ends(batch, uint64_t{all[0]} * batch);
  for (size_t i = 1; i < ends.size(); ++i) ends[i] = random() % (uint64_t{all[0]} * batch + 1);
  std::ranges::sort(ends);
  std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
  return Lengths(ends.begin(), ends.end());
}

namespace {

constexpr const char* legal_init = "rand, int, special, or Q.npy,K.npy,V.npy";

}  // namespace

Init init_of(const std::string& word) {
  if (word == "rand") return Init::rand;
  if (word == "int") return Init::ints;
  if (word == "special") return Init::special;
  throw InputError(fmt::format("--init: '{}' is unknown, legal: {}", word, legal_init));
}

void load_rows(HostMatrix& m, const std::string& path, const std::vector<uint64_t>& shape) {
  runtime::Array a = runtime::load_npy(path);
  if (a.type != stored_as(m.type) || a.fortran || a.shape != shape)
    throw InputError(fmt::format("{}: {}{}, legal: {} ({}) in C order for {}", path, a.describe(),
                                 a.fortran ? " in Fortran order" : "", runtime::name(stored_as(m.type)),
                                 fmt::join(shape, ", "), m.name));
  m.bytes = std::move(a.bytes);
}

namespace {

void ask(const AttentionQuestion& o, const AttentionConfig& c, const AttentionProblem& p, const Lengths& queries,
         const Lengths& keys) {
  double rows_q = 0, rows_k = 0, products = 0, largest = 0;
  for (size_t b = 0; b < queries.size(); ++b) {
    const double q = queries[b], k = keys[b];
    rows_q += q, rows_k += k, products += q * k, largest = std::max(largest, q * k);
  }
  const double width = c.head_dim + c.dim_v();
  const std::string what =
      fmt::format("attention of {:.0f} queries and {:.0f} keys, {} heads,", rows_q, rows_k, p.heads);
  // f16 on host and device; two matrices of scores in f64
  const double bytes = width * (4 * rows_q * p.heads + 4 * rows_k * p.kv_heads) + 16 * largest,
               flops = o.device.device == "sim" ? 2 * products * p.heads * width : 0;
  o.force.ask_for({bytes, simulated_seconds(flops, o.device.numerics == "fast", o.device.jobs)}, what);
}

// Scales, sinks and prefixes, as random as the tensors.
void draw_features(const AttentionQuestion& o, const AttentionConfig& c, const AttentionProblem& p,
                   AttentionTensors& t) {
  std::mt19937 random(static_cast<uint32_t>(o.seed + 5));
  const auto between = [&](size_t n, float low, float high) {
    std::vector<float> all(n);
    for (float& x : all) x = std::uniform_real_distribution<float>(low, high)(random);
    return all;
  };
  const auto scales = [&](uint32_t heads, uint32_t rows, int together) {
    const size_t whole = p.head_scales ? p.kv_heads : 1;
    if (!together) return between(whole, 0.5f, 2.0f);
    return between(t.sequences.size() * heads * scales_of_head(rows, together), 0.125f, 4.0f);
  };
  if (c.mx) {
    const uint64_t of_row = mx_scale_bytes(c), values = mx_value_scale_bytes(c, p);
    // Of special values, now and then the smallest or NaN; NaN not of K, which every query would see.
    const auto code = [&](bool may_be_nan) {
      const auto pick = static_cast<uint32_t>(random()), rare = pick >> 8 & 255;
      return static_cast<uint8_t>(o.init != "special" || rare > 1 ? 124 + pick % 7 : rare || !may_be_nan ? 0 : 0xff);
    };
    const auto of_rows = [&](const HostMatrix& m, bool may_be_nan) {  // bytes past the last block: NaN
      std::vector<uint8_t> all(m.cols * of_row, 0xff);
      for (uint64_t row = 0; row < m.cols; ++row)
        for (uint64_t block = 0; block < static_cast<uint64_t>(c.head_dim) / 32; ++block)
          all[row * of_row + block] = code(may_be_nan);
      return all;
    };
    t.q_mx = of_rows(t.q, true), t.k_mx = of_rows(t.k, false);
    t.v_mx.assign(t.sequences.size() * p.kv_heads * values, 0xff);
    for (size_t i = 0; i < t.sequences.size() * p.kv_heads; ++i)
      for (uint64_t j = 0; j < values; ++j)
        if (32 * (j / 4 / static_cast<uint64_t>(c.dim_v()) * 4 + j % 4) < t.sequences[i / p.kv_heads].keys)
          t.v_mx[i * values + j] = code(true);
  } else if (c.q_type) t.q_scale = scales(p.heads, p.queries, c.scale_rows.q);
  if (c.kv_type && !c.mx)
    t.k_scale = scales(p.kv_heads, p.keys, c.scale_rows.kv), t.v_scale = scales(p.kv_heads, p.keys, c.scale_rows.kv);
  if (c.sinks) t.sinks = between(p.heads, -2.0f, 4.0f);
  if (c.bias) {
    t.bias = {.name = "bias",
              .type = c.type,
              .rows = p.keys,
              .cols = p.queries,
              .ld = p.keys,
              .batch = p.heads * static_cast<uint32_t>(t.sequences.size()),
              .stride = uint64_t{p.keys} * p.queries};
    (o.device.only_times() ? fill_repeating : fill)(
        t.bias, o.init.find(".npy") == o.init.npos ? init_of(o.init) : Init::rand, o.seed + 6);
  }
  if (c.documents)
    for (const Sequence& s : t.sequences) {  // one after the other, of random lengths
      const uint64_t length = 1 + random() % (s.keys + 1);
      for (uint64_t i = 0; i < s.queries; ++i) t.query_documents.push_back(static_cast<int32_t>(i / length));
      for (uint64_t j = 0; j < s.keys; ++j) t.key_documents.push_back(static_cast<int32_t>(j / length));
    }
  if (c.prefix)
    for (const Sequence& s : t.sequences) t.prefix.push_back(static_cast<int32_t>(random() % (s.keys + 1)));
}

// K or V in pages: those of the sequences in an order that is random, with rows that no key has, and three pages that
// none has, of NaNs.
struct Pages {
  std::vector<uint8_t> bytes;
  std::vector<int32_t> table;
};
Pages in_pages(const AttentionConfig& c, const AttentionProblem& p, const AttentionTensors& t, const HostMatrix& m) {
  const auto size = static_cast<uint64_t>(c.page_size),
             row = uint64_t{p.kv_heads} * m.rows * m.bytes.size() / std::max<uint64_t>(1, m.elements());
  std::vector<int32_t> order(p.pages);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937(p.pages));
  Pages out{std::vector<uint8_t>(p.pages * size * row, 0xff),
            std::vector<int32_t>(t.sequences.size() * p.table_stride, -1)};
  size_t next = 0;
  for (size_t b = 0; b < t.sequences.size(); ++b)
    for (uint64_t j = 0; j < t.sequences[b].keys; ++j) {
      int32_t& page = out.table[b * p.table_stride + j / size];
      if (j % size == 0) page = order[next++];
      std::memcpy(&out.bytes[(static_cast<uint64_t>(page) * size + j % size) * row],
                  &m.bytes[(t.sequences[b].first_key + j) * row], row);
    }
  return out;
}

AttentionTensors make_tensors(const AttentionQuestion& o, const AttentionConfig& c, const AttentionProblem& p,
                              const Lengths& queries, const Lengths& keys) {
  const bool packed = c.sequences == Sequences::packed;
  AttentionTensors t;
  uint64_t rows_q = 0, rows_k = 0;
  for (size_t b = 0; b < queries.size(); ++b) {
    t.sequences.push_back({rows_q, queries[b], rows_k, keys[b], packed ? rows_q : rows_q * p.heads});
    rows_q += queries[b], rows_k += keys[b];
  }
  t.lse_head = packed ? rows_q : queries[0];
  if (o.attention.lse) t.lse.assign(p.heads * rows_q, NAN);
  const bool fnuz = isa::target(o.attention.target()).fnuz_fp8();
  const auto matrix = [&](const char* name, uint64_t rows, uint32_t heads, int dim, isa::Type type) {
    const auto width = static_cast<uint32_t>(dim);
    if (rows * heads >= UINT64_C(1) << 32)
      throw InputError(
          fmt::format("verify attention: {} rows of {} heads, legal: less than 2^32 together", rows, heads));
    return HostMatrix{.name = name,
                      .type = type,
                      .rows = width,
                      .cols = static_cast<uint32_t>(rows * heads),
                      .ld = width,
                      .batch = 1,
                      .stride = rows * heads * width,
                      .fnuz = fnuz};
  };
  const isa::Type of_q = c.q_type.value_or(c.type), of_kv = c.kv_type.value_or(c.type);
  t.o = matrix("O", rows_q, p.heads, c.dim_v(), c.type), t.q = matrix("Q", rows_q, p.heads, c.head_dim, of_q);
  t.k = matrix("K", rows_k, p.kv_heads, c.head_dim, c.mx ? of_q : of_kv),
  t.v = matrix("V", rows_k, p.kv_heads, c.dim_v(), of_kv);
  draw_features(o, c, p, t);
  HostMatrix* const inputs[] = {&t.q, &t.k, &t.v};
  const auto draw = o.device.only_times() ? fill_repeating : fill;
  const auto files = o.init.find(".npy") == o.init.npos ? std::vector<std::string>{} : split(o.init, ',');
  if (!files.empty() && files.size() != std::size(inputs))
    throw InputError(fmt::format("--init: '{}' names {} files, legal: {}", o.init, files.size(), legal_init));
  for (size_t i = 0; i < std::size(inputs); ++i) {
    const uint64_t rows = i ? rows_k : rows_q, heads = i ? p.kv_heads : p.heads;
    if (files.empty()) draw(*inputs[i], init_of(o.init), o.seed + i);
    else
      load_rows(*inputs[i], files[i],
                packed ? std::vector{rows, heads, uint64_t{inputs[i]->rows}}
                       : std::vector{uint64_t{p.batch}, rows / p.batch, heads, uint64_t{inputs[i]->rows}});
  }
  if (c.latent) {
    const size_t of_k = t.k.bytes.size() / std::max<uint64_t>(1, t.k.cols),
                 of_v = t.v.bytes.size() / std::max<uint64_t>(1, t.v.cols);
    for (size_t i = 0; i < t.k.cols; ++i) std::memcpy(&t.v.bytes[i * of_v], &t.k.bytes[i * of_k], of_v);
    t.v_scale = t.k_scale;
  }
  t.o.bytes.assign(t.o.elements() * 2, 0xa5);
  return t;
}

}  // namespace

AttentionBuffers upload(runtime::Device& device, const AttentionCase& c) {
  const AttentionTensors& t = c.tensors;
  AttentionBuffers made;
  const auto upload = [&](const char* name, const void* data, size_t bytes) {
    const auto b = made.all.emplace_back(device.allocate(std::max<size_t>(bytes, 1), name));
    if (bytes) device.write({b.address, bytes}, {static_cast<const uint8_t*>(data), bytes});
    return b;
  };
  const auto matrix = [&](const HostMatrix& m) { return upload(m.name, m.bytes.data(), m.bytes.size()); };
  made.o = matrix(t.o);
  if (!t.lse.empty()) made.lse = upload("LSE", t.lse.data(), t.lse.size() * 4);
  const AttentionConfig& config = c.built.config;
  const auto list = [&](const char* name, const auto& values) {
    return values.empty() ? 0 : upload(name, values.data(), values.size() * sizeof(values[0])).address;
  };
  AttentionPointers& to = made.at = {.o = made.o.address, .q = matrix(t.q).address, .lse = made.lse.address};
  if (config.page_size) {
    const Pages k = in_pages(config, c.problem, t, t.k), v = in_pages(config, c.problem, t, t.v);
    to.k = upload("pages of K", k.bytes.data(), k.bytes.size()).address;
    to.v = upload("pages of V", v.bytes.data(), v.bytes.size()).address;
    to.block_table = upload("block table", k.table.data(), 4 * k.table.size()).address;
    std::vector<int32_t> keys;
    for (const Sequence& s : t.sequences) keys.push_back(static_cast<int32_t>(s.keys));
    to.seqlens_k = list("seqlens_k", keys);
  } else {
    to.k = matrix(t.k).address, to.v = matrix(t.v).address;
  }
  if (config.mx)
    to.q_scale = list("Q scales", t.q_mx), to.k_scale = list("K scales", t.k_mx), to.v_scale = list("V scales", t.v_mx);
  else
    to.q_scale = list("Q scale", t.q_scale), to.k_scale = list("K scale", t.k_scale),
    to.v_scale = list("V scale", t.v_scale);
  if (config.bias) to.bias = matrix(t.bias).address;
  to.query_documents = list("documents of the queries", t.query_documents);
  to.key_documents = list("documents of the keys", t.key_documents);
  to.sinks = list("sinks", t.sinks), to.prefix = list("prefix", t.prefix);
  if (config.sequences == Sequences::packed) {
    std::vector<int32_t> q{0}, k{0};
    for (const Sequence& s : t.sequences)
      q.push_back(static_cast<int32_t>(s.first_query + s.queries)),
          k.push_back(static_cast<int32_t>(s.first_key + s.keys));
    to.cu_seqlens_q = upload("cu_seqlens_q", q.data(), 4 * q.size()).address,
    to.cu_seqlens_k = upload("cu_seqlens_k", k.data(), 4 * k.size()).address;
  }
  if (const uint64_t bytes = workspace_bytes(c.built.config, c.built.program.arch, c.problem))
    to.workspace = made.all.emplace_back(device.allocate(bytes, "workspace")).address;
  made.launch = launch(c.built.config, c.built.program.arch, c.problem, to);
  return made;
}

void download(const runtime::Device& device, const AttentionBuffers& from, AttentionTensors& t) {
  device.read({from.o.address, t.o.bytes.size()}, t.o.bytes);
  if (!t.lse.empty()) device.read(from.lse, {reinterpret_cast<uint8_t*>(t.lse.data()), t.lse.size() * 4});
}

namespace {

runtime::Outcome run_on(runtime::Device& device, AttentionCase& c) {
  const AttentionBuffers buffers = upload(device, c);
  if (buffers.launch[0].empty()) return {};
  auto outcome = launch(device, c.built, buffers.launch);
  if (!outcome.fault) download(device, buffers, c.tensors);
  return outcome;
}

void print_verdict_json(const BuiltAttention& built, const AttentionProblem& p, const AttentionTensors& t,
                        const AttentionVerdict& v, double run) {
  const bool packed = built.config.sequences == Sequences::packed;
  auto times = seconds(built);
  times["run"] = run;
  const auto number = [](double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); };
  ordered_json sq = p.queries, sk = p.keys;
  if (packed) {
    sq = sk = ordered_json::array();
    for (const Sequence& s : t.sequences) sq.push_back(s.queries), sk.push_back(s.keys);
  }
  print_json(ordered_json{{"good", v.wrong == 0},
                          {"kernel", built.program.name},
                          {"schedule", name_of(schedule_of(built.config, built.program.arch))},
                          {"schedule_because", built.schedule_because},
                          {"b", p.batch},
                          {"h", p.heads},
                          {"hkv", p.kv_heads},
                          {"sq", sq},
                          {"sk", sk},
                          {"d", built.config.head_dim},
                          {"d_v", built.config.dim_v()},
                          {"max_error", v.worst_error},
                          {"share_of_allowed", number(v.worst_share)},
                          {"lse_share_of_allowed", number(v.worst_lse_share)},
                          {"checked", v.checked},
                          {"wrong", v.wrong},
                          {"open", v.open},
                          {"fault", nullptr},
                          {"main_loop", main_loop(built)},
                          {"seconds", times}});
}

void print_table(const VerifyAttention& o, const BuiltAttention& built, const AttentionProblem& p,
                 const AttentionTensors& t, const AttentionVerdict& v, double run) {
  Table table;
  describe(built, table);
  if (o.attention.explain) table.add("schedule", built.schedule());
  const AttentionConfig& c = built.config;
  double flops = 0;
  for (const Sequence& s : t.sequences)
    flops += 2.0 * p.heads * static_cast<double>(s.queries * s.keys) * (c.head_dim + c.dim_v());
  const bool packed = c.sequences == Sequences::packed;
  table.add(
      o.device.device == "sim" ? "simulate" : "run",
      fmt::format("{}, {:.3g} GFLOPS{}, b {} h {}/{} s {}{}/{} d {}/{}", milliseconds(run),
                  run > 0 ? flops / run * 1e-9 : 0, p.mask == Mask::none ? "" : " (masked products included)", p.batch,
                  p.heads, p.kv_heads, packed ? "up to " : "", p.queries, p.keys, c.head_dim, c.dim_v()));
  table.add(
      "max error",
      fmt::format(
          "{:.3g} of sum P|V| / sum P, {:.0f} % of the bound (LSE {:.1f} %), against f64 ({} numbers{})", v.worst_error,
          100 * v.worst_share, 100 * v.worst_lse_share, v.checked,
          v.open ? fmt::format(", {} of them not compared: infinities of V with negligible weight", v.open) : ""));
  o.files.list(table);
  table.add("verdict", v.wrong ? fmt::format("WRONG: {} numbers, first {}", v.wrong, v.first_wrong) : "right");
  fmt::print(out(), "{}", table.text());
}

// Up to eight queries take schedule decode, unless another one is given or it takes too many registers. `group`: heads
// of a K/V head.
BuiltAttention build_for(AttentionOptions o, uint32_t queries, uint32_t group) {
  if (!o.latent_rows && o.latent) o.latent_rows = latent_rows_for(o.config(), o.target(), uint64_t{queries} * group);
  if (queries > 8 || !o.schedule.empty()) return build(o);
  try {
    AttentionOptions decode = o;
    decode.schedule = "decode";
    BuiltAttention built = build(decode);
    built.schedule_because = "up to eight queries";
    return built;
  } catch (const ConfigError& e) {
    BuiltAttention built = build(o);
    built.schedule_because = fmt::format("decode is refused ({}); {}", e.what(), built.schedule_because);
    return built;
  }
}

}  // namespace

// The kernel, and the problem completed with defaults. Refuses before it allocates anything large.
AttentionCase make_case(const AttentionQuestion& o) {
  if (o.attention.backward) throw InputError("--backward: not available in bench, legal: attention, verify and time");
  AttentionCase m;
  m.options = o.attention;
  AttentionProblem& p = m.problem = o.problem;
  if (o.queries.empty()) throw InputError("attention: --sq is missing, legal: --sq N, the number of queries");
  if (p.batch) in_range("--b", p.batch, 1u, 65535u);
  if (!p.batch) p.batch = o.attention.packed() ? static_cast<uint32_t>(split(o.queries, ',').size()) : 1;
  if (!p.heads) throw InputError("verify attention: 0 heads, legal: 1 or more");
  const Lengths queries = lengths(o.queries, "--sq", o, p.batch, o.seed + 3);
  m.built =
      build_for(o.attention, std::ranges::max(queries), p.heads / std::max(1u, p.kv_heads ? p.kv_heads : p.heads));
  const Lengths keys = o.keys.empty() ? queries : lengths(o.keys, "--sk", o, p.batch, o.seed + 4);
  p.mask = o.attention.mask_kind();
  p.dropout = o.attention.dropout;
  if (!p.kv_heads) p.kv_heads = p.heads;
  p.queries = std::ranges::max(queries), p.keys = std::ranges::max(keys);
  const uint64_t total = std::accumulate(queries.begin(), queries.end(), uint64_t{0});
  p.total_queries = static_cast<uint32_t>(std::min<uint64_t>(total, UINT32_MAX));
  if (const auto size = static_cast<uint32_t>(m.built.config.page_size)) {
    p.pages = 3;
    for (const uint32_t n : keys) p.pages += (n + size - 1) / size;
  }
  launch(m.built.config, m.built.program.arch, p, {});
  p = complete(m.built.config, p);
  ask(o, m.built.config, p, queries, keys);
  m.tensors = make_tensors(o, m.built.config, p, queries, keys);
  return m;
}

namespace {

int verify(const VerifyAttention& o) {
  o.files.check(true);
  if (o.attention.backward) return verify_backward(o);
  const auto device = o.device.open();
  AttentionCase m = make_case(o);
  o.files.write(m.built, launch_facts(m.built));
  const runtime::Outcome outcome = run_on(*device, m);
  if (outcome.fault) return report_fault(*outcome.fault, o.json);
  const AttentionVerdict v = compare(m.tensors, m.built.config, m.problem, isa::target(m.built.program.arch));
  if (o.json) print_verdict_json(m.built, m.problem, m.tensors, v, outcome.seconds);
  else print_table(o, m.built, m.problem, m.tensors, v, outcome.seconds);
  return v.wrong ? answer_is_no : good;
}

}  // namespace

void declare_attention_question(CLI::App& app, AttentionQuestion& o) {
  o.attention.declare(app);
  o.force.declare(app);
  auto& p = o.problem;
  app.add_option("-b,--b,--batch", p.batch, "batches; default 1, or the number of lengths")
      ->check(CLI::Range(1u, UINT_MAX));
  app.add_option("-h,--h,--heads", p.heads, "heads of Q; default 1");
  app.add_option("--hkv,--h_k,--kv-heads", p.kv_heads, "heads of K and V; default: as Q");
  app.add_option("-s,--sq,--s", o.queries,
                 "queries. With --varlen: one number per batch, for example 100,0,200, or the mean of random lengths");
  app.add_option("--sk,--s_k", o.keys, "keys, in the same form; default: as queries");
  app.add_option(
      "--heads-in-turn", p.heads_in_turn,
      "number of heads whose query tiles are dispatched in turn, the last tile of each head first; default: all "
      "heads with a mask, else the number of XCDs");
  app.add_option("--splits,--num_splits", p.splits,
                 "schedule decode: workgroups that share the keys of a head; default: by the compute units");
  app.add_option("--compute-units", p.compute_units,
                 "compute units for the default of --splits; default: those of the target's largest GPU");
  app.add_option("--drop-seed,--drop_seed", p.seed, "seed of dropout");
  app.add_option("--drop-offset,--drop_offset", p.offset, "offset of its random numbers");
  app.add_flag("--head-scales", p.head_scales,
               "the scales of fp8 tensors are one per K/V head; default: one per tensor");
  app.add_option("--scale,--scale_s", p.scale, "scale of Q K^T; default 1 / sqrt(head dimension)");
  app.add_option("--init", o.init,
                 "rand (default), int, special, or files: Q.npy,K.npy,V.npy, each (batch, rows, heads, head "
                 "dimension), or with --varlen (rows, heads, head dimension)");
  app.add_option("--seed", o.seed, "seed of the random tensors and lengths");
}

LaunchOn add_attention_launch(CLI::App& app) {
  auto o = std::make_shared<AttentionQuestion>();
  declare_attention_question(app, *o);
  o->device.device = "time";  // what takes long on the simulator does not on the timing model
  return [o](runtime::Device& device, const LaunchFor& wanted) {
    o->attention.gpu = wanted.gpu;
    if (o->attention.backward) return launch_backward(*o, device);
    AttentionCase m = make_case(*o);
    if (o->attention.explain) fmt::print(stderr, "schedule: {}\n", m.built.schedule());
    run_on(device, m);
  };
}

Command add_verify_attention(CLI::App& app) {
  auto o = std::make_shared<VerifyAttention>();
  declare_attention_question(app, *o);
  o->device.declare(app);
  o->files.declare(app);
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer(
      "Example:\n  wavesmith verify attention --arch gfx942 --type bf16 --b 1 --h 8 --hkv 2 --sq 300 --sk 515 "
      "--causal --lse\n"
      "  wavesmith verify attention --varlen --h 4 --hkv 2 --sq 100,0,200 --sk 515,31,200 --causal --lse --head-dim 64 "
      "--head-dim-v 128\n"
      "  wavesmith verify attention --arch gfx950 -mode=1 -b=3 -h=16 -h_k=4 -s=512 -d=128 -prec=bf16 -mask=b");
  return [o] { return verify(*o); };
}

}  // namespace wavesmith::tools
