// The attention kernels against a naive softmax in double precision, written without looking at the kernel. Every run
// has all checks on; device allocations are exactly as large as the tensors, so nothing outside is touched.
#pragma once
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/attention/attention.h"
#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"

namespace wavesmith::attention_bench {

using isa::Type;

struct Case {
  AttentionConfig config;
  Arch arch = Arch::gfx942;
  AttentionProblem problem;  // packed: lengths and batches are those of the two lists
  double spread = 1;         // of Q and K
  bool rising = false;       // later keys score higher and higher: the maximum grows with every tile
  uint32_t pad = 0;          // elements between rows
  bool by_head = false;      // [head][row][column] of one batch
  std::vector<uint32_t> query_lengths = {}, key_lengths = {};
  bool ones = false;  // V; with spread 0 all weights are the same
};

struct Tensor {  // [row][head][column] of all batches one after the other, or [head][row][column]; rows `pad` further
                 // apart
  const sim::FloatFormat& format;
  uint32_t rows, heads, dim, pad;
  std::vector<uint16_t> bits;
  bool by_head = false;
  std::vector<double> values = {};  // of the bits
  uint32_t row() const { return (by_head ? 1 : heads) * dim + pad; }
  size_t head() const { return by_head ? size_t{rows} * row() : dim; }
  size_t size() const { return size_t{rows} * row() * (by_head ? heads : 1); }
  size_t at(uint32_t h, size_t r, uint32_t c) const { return r * row() + h * head() + c; }
  double get(uint32_t h, size_t r, uint32_t c) const { return values[at(h, r, c)]; }
  void decode() {
    values.clear();
    for (const uint16_t b : bits) values.push_back(sim::decode(format, b));
  }
};

struct Outcome {
  sim::Result result;
  double worst_share = 0, worst_lse = 0;
  bool padding_kept = true, repeats = true;
  std::vector<double> o;   // as Tensor has them
  std::vector<float> lse;  // [head][query] of each sequence
};

struct Sequence {
  uint32_t first_query, queries, first_key, keys;
};
inline std::vector<Sequence> sequences(const Case& c) {
  std::vector<Sequence> all;
  uint32_t q = 0, k = 0;
  const size_t n = c.config.sequences == Sequences::packed ? c.query_lengths.size() : c.problem.batch;
  for (size_t b = 0; b < n; ++b) {
    const bool packed = c.config.sequences == Sequences::packed;
    all.push_back({q, packed ? c.query_lengths[b] : c.problem.queries, k, packed ? c.key_lengths[b] : c.problem.keys});
    q += all.back().queries, k += all.back().keys;
  }
  return all;
}

// Error bound. The score of a key, in natural logarithms, is off by e = (d + 4) u scale sum|q k| (an f32 sum in any
// order, scaled and reduced), 2^x by two units more: P is off by e + 2u relative, its rounding by v. Sums of n numbers
// are off by n u. Numerator and denominator of O take all of these, so |O - reference| <= (2 (e + 2u) + v + 2 n u + 4u)
// sum P|V| / sum P + v |O|, with u = 2^-23 and v the unit roundoff of the type; P below the type's normal numbers is
// off by half its smallest one, weighted by |V|.
struct Comparison {
  const Case& c;
  const Tensor &q, &k, &v, &o;
  float scale;

  void query(const Sequence& s, uint32_t h, uint32_t i, float got_lse, Outcome& out) const {
    const AttentionProblem& p = c.problem;
    const bool half = c.config.type == Type::f16;
    const double u = 0x1p-23, roundoff = half ? 0x1p-11 : 0x1p-8, smallest = half ? 0x1p-24 : 0x1p-133;
    const uint32_t g = h / (p.heads / p.kv_heads), row = s.first_query + i;
    const int64_t seen = std::clamp<int64_t>(
        p.mask == Mask::none ? s.keys
                             : int64_t{i} + 1 + (p.mask == Mask::bottom_right ? int64_t{s.keys} - s.queries : 0),
        0, s.keys);
    double maximum = -INFINITY, off = 0, total = 0;
    std::vector<double> weight(s.keys);
    for (int64_t j = 0; j < seen; ++j) {
      double sum = 0, magnitude = 0;
      for (uint32_t x = 0; x < q.dim; ++x) {
        const double product = q.get(h, row, x) * k.get(g, s.first_key + j, x);
        sum += product, magnitude += std::abs(product);
      }
      weight[j] = scale * sum;
      maximum = std::max(maximum, weight[j]);
      off = std::max(off, (q.dim + 4) * u * scale * magnitude);
    }
    for (int64_t j = 0; j < seen; ++j) total += weight[j] = std::exp(weight[j] - maximum);
    const double want_lse = seen ? maximum + std::log(total) : -INFINITY;
    if (want_lse != got_lse)
      out.worst_lse =
          std::max(out.worst_lse, std::abs(got_lse - want_lse) /
                                      (off + (static_cast<double>(seen) + 8) * u + 4 * u * std::abs(want_lse)));
    for (uint32_t x = 0; x < v.dim; ++x) {
      double sum = 0, magnitude = 0, all = 0;
      for (int64_t j = 0; j < seen; ++j) {
        const double value = v.get(g, s.first_key + j, x);
        sum += weight[j] * value, magnitude += weight[j] * std::abs(value), all += std::abs(value);
      }
      const double want = seen ? sum / total : 0, got = o.get(h, row, x);
      const double allowed =
          seen ? (2 * (off + 2 * u) + roundoff + (2 * static_cast<double>(seen) + 4) * u) * magnitude / total +
                     roundoff * std::abs(want) + smallest * (all / total + 1)
               : 0;
      if (got != want)
        out.worst_share =
            std::max(out.worst_share, std::isnan(got) || allowed == 0 ? INFINITY : std::abs(got - want) / allowed);
    }
  }
};

inline Outcome run(const Case& c, const Program& program) {
  const AttentionProblem& given = c.problem;
  const bool packed = c.config.sequences == Sequences::packed;
  const auto all = sequences(c);
  const uint32_t queries = all.empty() ? 0 : all.back().first_query + all.back().queries,
                 keys = all.empty() ? 0 : all.back().first_key + all.back().keys;
  const auto dim = static_cast<uint32_t>(c.config.head_dim), dim_v = static_cast<uint32_t>(c.config.dim_v());
  const auto& format = c.config.type == Type::f16 ? sim::format::f16 : sim::format::bf16;
  std::mt19937 random(queries * 131 + keys * 7 + given.heads + dim);
  std::normal_distribution<double> normal;
  const auto tensor = [&](uint32_t rows, uint32_t heads, uint32_t width, double spread, double offset, bool rising) {
    Tensor t{format, rows, heads, width, c.pad, {}, c.by_head};
    t.bits.resize(t.size());
    for (size_t i = 0; i < t.bits.size(); ++i)
      t.bits[i] = static_cast<uint16_t>(sim::encode(
          format, offset + normal(random) * spread +
                      (rising ? static_cast<double>(i / t.row() % (rows / std::max<size_t>(all.size(), 1))) / 16 : 0)));
    t.decode();
    return t;
  };
  const Tensor q = tensor(queries, given.heads, dim, c.rising ? 0.01 : c.spread, c.rising ? 0.5 : 0, false),
               k = tensor(keys, given.kv_heads, dim, c.spread, 0, c.rising),
               v = tensor(keys, given.kv_heads, dim_v, c.ones ? 0 : 1, c.ones ? 1 : 0, false);
  Tensor o = tensor(queries, given.heads, dim_v, 1, 0, false);
  const Tensor before = o;
  std::vector<float> lse(size_t{given.heads} * queries, 77.0f);
  std::vector<int32_t> q_starts{0}, k_starts{0};

  sim::Memory memory;
  const auto place = [&](const auto& values, const char* name) {
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(values.data()),
                                         values.size() * sizeof(values[0]));
    const uint64_t at = memory.allocate(std::max<size_t>(bytes.size(), 1), name);
    memory.write(at, bytes);
    return at;
  };
  AttentionProblem p = given;
  AttentionPointers to{.o = place(o.bits, "O"),
                       .q = place(q.bits, "Q"),
                       .k = place(k.bits, "K"),
                       .v = place(v.bits, "V"),
                       .lse = place(lse, "LSE")};
  if (packed) {
    p.batch = static_cast<uint32_t>(all.size()), p.total_queries = queries;
    for (const Sequence& s : all) {
      p.queries = std::max(p.queries, s.queries), p.keys = std::max(p.keys, s.keys);
      q_starts.push_back(static_cast<int32_t>(s.first_query + s.queries)),
          k_starts.push_back(static_cast<int32_t>(s.first_key + s.keys));
    }
    to.cu_seqlens_q = place(q_starts, "cu_seqlens_q"), to.cu_seqlens_k = place(k_starts, "cu_seqlens_k");
  }
  const auto strides = [&](const Tensor& t, uint32_t rows) {
    return AttentionStrides{packed ? 0 : uint64_t{rows} * t.row(), t.head(), t.row()};
  };
  p.q = strides(q, given.queries), p.k = strides(k, given.keys), p.v = strides(v, given.keys),
  p.o = strides(o, given.queries);
  const uint64_t workspace = workspace_bytes(c.config, c.arch, p);
  if (workspace) to.workspace = place(std::vector<uint8_t>(workspace), "workspace");
  const auto launches = launch(c.config, c.arch, p, to);
  const auto code = sim::CodeObject::load(assemble(program).bytes);
  Outcome out;
  const auto run_all = [&] {
    for (const KernelLaunch& l : launches) {
      out.result = sim::run(code, code.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
      if (out.result.fault) return;
    }
  };
  run_all();
  if (out.result.fault) return out;
  memory.read(to.o, {reinterpret_cast<uint8_t*>(o.bits.data()), o.bits.size() * 2});
  if (workspace) {  // is ready for the next launch
    const auto first = o.bits;
    run_all();
    if (out.result.fault) return out;
    memory.read(to.o, {reinterpret_cast<uint8_t*>(o.bits.data()), o.bits.size() * 2});
    out.repeats = o.bits == first;
  }
  o.decode();
  memory.read(to.lse, {reinterpret_cast<uint8_t*>(lse.data()), lse.size() * 4});
  for (size_t i = 0; i < o.bits.size(); ++i)
    if (i % o.row() >= o.row() - c.pad) out.padding_kept &= o.bits[i] == before.bits[i];
  out.o = o.values, out.lse = lse;
  const Comparison compare{c, q, k, v, o, complete(c.config, p).scale};
  for (const Sequence& s : all)
    for (uint32_t h = 0; h < given.heads; ++h)
      for (uint32_t i = 0; i < s.queries; ++i) {
        const size_t in_lse = packed
                                  ? size_t{h} * queries + s.first_query + i
                                  : (size_t{s.first_query} / std::max(s.queries, 1u) * given.heads + h) * s.queries + i;
        compare.query(s, h, i, lse[in_lse], out);
      }
  return out;
}
inline Outcome run(const Case& c) { return run(c, build_attention(c.config, c.arch)); }

// Clocks of a pipelined workgroup's four waves: each writes O in runs of 8 bytes for 8 columns, in which lanes of a
// bank meet in pairs, for 4 clocks.
inline uint64_t conflicts_of_o(const AttentionConfig& c) { return 4 * 4 * static_cast<uint64_t>(c.dim_v()) / 8; }

inline void is_right(const Case& c) {
  const auto& p = c.problem;
  CAPTURE(isa::target(c.arch).name, kernel_name(c.config), p.batch, p.heads, p.kv_heads, p.queries, p.keys,
          c.query_lengths, c.key_lengths, static_cast<int>(p.mask));
  const Outcome o = run(c);
  INFO((o.result.fault ? o.result.fault->message() : ""));
  REQUIRE_FALSE(o.result.fault);
  CHECK_FALSE(o.result.warning);
  CHECK(o.worst_share <= 1);
  CHECK(o.worst_lse <= 1);
  CHECK(o.padding_kept);
  CHECK(o.repeats);
}

}  // namespace wavesmith::attention_bench
