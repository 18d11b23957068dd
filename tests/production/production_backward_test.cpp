// Flash attention of ROCm/aiter, backward, in its three launches: D = rowsum(dO O); dK, dV and the sum of dQ by f32
// atomics; dQ to 16 bits. P, and dS with P as it was rounded, become 16-bit before they meet dO, Q and K: bf16 to
// nearest, f16 cut (v_cvt_pkrtz).
#include "tests/production/production_kernel.h"

namespace production {

namespace {

enum class CausalMask : uint8_t { none, top_left, bottom_right };
struct Backward {
  std::string odo, dqdkdv, convert;  // files
  uint32_t dim, heads, kv_heads, q, k;
  uint32_t tile;  // keys of a workgroup
  CausalMask mask = CausalMask::none;
  int quantum = 64;
};

struct Reference {
  Values q, k, v, o, d_o;                                                            // [row][head][dim]
  std::vector<float> lse;                                                            // [head][row]
  std::vector<double> d, d_allowed, dq, dq_allowed, dk, dk_allowed, dv, dv_allowed;  // dk, dv of each query head
};

Reference reference(const Backward& a, const sim::FloatFormat& f, uint32_t batch) {
  Random r{std::mt19937(31)};
  Reference t;
  const double u = std::ldexp(1, (f.mantissa_bits == 10 ? 0 : -1) - f.mantissa_bits),
               scale = 1 / std::sqrt(static_cast<double>(a.dim));
  const double floor =
      std::ldexp(1, f.mantissa_bits == 10 ? -24 : -133);  // the step of numbers below the format's range
  const uint32_t n = a.dim;
  const size_t qs = static_cast<size_t>(batch) * a.q * a.heads * n,
               ks = static_cast<size_t>(batch) * a.k * a.kv_heads * n,
               dks = static_cast<size_t>(batch) * a.k * a.heads * n;
  t.q = random_values(qs, f, r), t.k = random_values(ks, f, r), t.v = random_values(ks, f, r),
  t.d_o = random_values(qs, f, r);
  std::vector<double> o(qs);
  t.lse.resize(qs / n), t.d.resize(qs / n), t.d_allowed.resize(qs / n);
  for (auto* x : {&t.dq, &t.dq_allowed}) x->resize(qs);
  for (auto* x : {&t.dk, &t.dk_allowed, &t.dv, &t.dv_allowed}) x->resize(dks);
  const auto visible = [&](uint32_t i, uint32_t j) {
    return a.mask == CausalMask::none ||
           static_cast<int64_t>(j) <=
               static_cast<int64_t>(i) + (a.mask == CausalMask::bottom_right ? static_cast<int64_t>(a.k) - a.q : 0);
  };
  std::vector<double> s(a.k), s_error(a.k);
  for (uint32_t b = 0; b < batch; ++b)
    for (uint32_t h = 0; h < a.heads; ++h)
      for (uint32_t i = 0; i < a.q; ++i) {
        const size_t row = (static_cast<size_t>(b) * a.q + i) * a.heads + h,
                     at = (static_cast<size_t>(b) * a.heads + h) * a.q + i;
        const auto key = [&](uint32_t j) {
          return ((static_cast<size_t>(b) * a.k + j) * a.kv_heads + h / (a.heads / a.kv_heads)) * n;
        };
        double m = -HUGE_VAL, l = 0;
        for (uint32_t j = 0; j < a.k; ++j) {
          double sum = 0, magnitude = 0;
          for (uint32_t c = 0; c < n; ++c) {
            const double x = t.q.values[row * n + c] * t.k.values[key(j) + c];
            sum += x, magnitude += std::abs(x);
          }
          s[j] = visible(i, j) ? scale * sum : -HUGE_VAL, m = std::max(m, s[j]);
          s_error[j] = scale * magnitude * (n + 8) * 0x1p-24;
        }
        for (uint32_t j = 0; j < a.k; ++j) l += std::exp(s[j] - m);
        t.lse[at] = static_cast<float>(m + std::log(l));
        for (uint32_t j = 0; j < a.k; ++j)
          if (visible(i, j))
            for (uint32_t c = 0; c < n; ++c) o[row * n + c] += std::exp(s[j] - m) / l * t.v.values[key(j) + c];
        for (uint32_t c = 0; c < n; ++c) o[row * n + c] = sim::decode(f, sim::encode(f, o[row * n + c]));
        double d_magnitude = 0;
        for (uint32_t c = 0; c < n; ++c)
          t.d[at] += o[row * n + c] * t.d_o.values[row * n + c],
              d_magnitude += std::abs(o[row * n + c] * t.d_o.values[row * n + c]);
        t.d_allowed[at] = d_magnitude * (n + 1) * 0x1p-24 + 0x1p-133;
        for (uint32_t j = 0; j < a.k; ++j) {
          if (!visible(i, j)) continue;
          const size_t dk = ((static_cast<size_t>(b) * a.k + j) * a.heads + h) * n;
          double dp = 0, dp_magnitude = 0;
          for (uint32_t c = 0; c < n; ++c) {
            const double x = t.d_o.values[row * n + c] * t.v.values[key(j) + c];
            dp += x, dp_magnitude += std::abs(x);
          }
          const double p = std::exp(s[j] - t.lse[at]),
                       p_error = p * (2 * s_error[j] + std::abs(t.lse[at]) * 0x1p-22 + 0x1p-20);
          const double ds = p * (dp - t.d[at]),
                       ds_error = std::abs(ds) * 2 * u + 2 * floor + p_error * std::abs(dp - t.d[at]) +
                                  p * (dp_magnitude * (n + 1) * 0x1p-24 + 2 * t.d_allowed[at] + std::abs(dp) * 0x1p-22);
          for (uint32_t c = 0; c < n; ++c) {
            const double g = t.d_o.values[row * n + c], x = t.q.values[row * n + c], y = t.k.values[key(j) + c];
            t.dv[dk + c] += p * g, t.dv_allowed[dk + c] += std::abs(g) * (p_error + p * u + floor + p * a.q * 0x1p-24);
            t.dk[dk + c] += scale * ds * x,
                t.dk_allowed[dk + c] += scale * std::abs(x) * (ds_error + std::abs(ds) * a.q * 0x1p-24);
            t.dq[row * n + c] += scale * ds * y,
                t.dq_allowed[row * n + c] += scale * std::abs(y) * (ds_error + std::abs(ds) * a.k * 0x1p-24);
          }
        }
      }
  for (auto [x, allowed] : {std::pair{&t.dq, &t.dq_allowed}, {&t.dk, &t.dk_allowed}, {&t.dv, &t.dv_allowed}})
    for (size_t i = 0; i < x->size(); ++i) (*allowed)[i] += std::abs((*x)[i]) * 2 * u + floor;
  t.o = make_values(qs, f, [&](size_t i) { return o[i]; });
  return t;
}

void check_backward(const Backward& a) {
  const auto odo = code_object(a.odo);
  if (odo.empty()) return;
  const bool gfx1250 = a.odo.starts_with("gfx1250"), half = a.odo.find("fp16") != std::string::npos;
  const sim::FloatFormat f = half ? sim::format::f16 : sim::format::bf16;
  const uint32_t batch = 2, n = a.dim, head = n * 2, row = a.heads * head, kv_row = a.kv_heads * head,
                 threads = gfx1250 ? 128 : 256;
  const Reference t = reference(a, f, batch);
  Run run;
  run.options.quantum = a.quantum;
  const std::string problem = fmt::format("heads {}/{}, {} x {}", a.heads, a.kv_heads, a.q, a.k);
  const uint64_t q = run.buffer("Q", t.q.codes), k = run.buffer("K", t.k.codes), v = run.buffer("V", t.v.codes),
                 o = run.buffer("O", t.o.codes), d_o = run.buffer("dO", t.d_o.codes);
  const uint64_t lse = run.buffer("LSE", t.lse), d = run.output("D", t.d.size() * 4),
                 dk = run.output("dK", t.dk.size() * 2), dv = run.output("dV", t.dv.size() * 2),
                 dq = run.output("dQ", t.dq.size() * 2);
  const uint64_t sum = run.buffer("sum of dQ", Bytes(t.dq.size() * 4));
  const auto compare = [&](const char* name, uint64_t p, const std::vector<double>& wanted,
                           const std::vector<double>& allowed, bool f32) {
    const auto got = run.read(p, wanted.size() * (f32 ? 4 : 2));
    Errors e;
    for (size_t i = 0; i < wanted.size(); ++i)
      e.add(f32 ? f32_at(got, i) : half ? f16_at(got, i) : bf16_at(got, i), wanted[i], allowed[i]);
    return std::pair{name, e};
  };

  run.arguments<uint64_t, uint64_t, uint64_t>(0, gfx1250 ? 0 : 16, o, d_o, d);
  run.arguments<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                uint32_t>(gfx1250 ? 24 : 48, gfx1250 ? 0 : 16, head, a.q * row, row, head, a.q * row, row, a.q * 4,
                          a.heads * a.q * 4, 4, a.q, n);
  run.arguments<uint64_t, uint64_t>(gfx1250 ? 68 : 224, gfx1250 ? 0 : 16, 0, 0);
  run.launch.grid = {(a.q + 127) / 128, a.heads, batch}, run.launch.block = {threads, 1, 1};
  run.run(odo, a.odo + " | " + problem);
  run.compare({compare("D", d, t.d, t.d_allowed, true)});

  run.launch.kernargs.clear();
  run.arguments<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t>(
      0, 16, sum, dk, dv, q, k, v, d_o, lse, d);
  run.arguments<float, float>(0x90, 16, static_cast<float>(1 / std::sqrt(static_cast<double>(n))), 1.44269504f);
  run.slots(0xb0, {a.q, a.tile * kv_row, head, a.q * row, row, a.heads / a.kv_heads, head, a.k * kv_row, kv_row, row,
                   a.k, n, n, a.heads});
  run.slots(0x190, {head, a.k * kv_row, kv_row, head, a.q * row, row, head, a.k * row, head, a.k * row, row, a.q * 4});
  run.arguments<uint64_t, uint64_t, uint64_t, uint64_t>(0x250, 16, 0, 0, 0, 0);
  run.slots(0x290, {a.q, 0, 0});
  const uint32_t tiles = (a.k + a.tile - 1) / a.tile;
  run.launch.grid = {a.mask == CausalMask::none ? tiles : (tiles + 1) / 2, a.heads, batch};
  run.run(code_object(a.dqdkdv), a.dqdkdv + " | " + problem);
  run.compare({compare("dK", dk, t.dk, t.dk_allowed, false), compare("dV", dv, t.dv, t.dv_allowed, false)});

  run.launch.kernargs.clear();
  run.arguments<uint64_t, uint64_t>(0, 16, sum, dq);
  run.slots(0x20, {a.q * n * 4, a.heads * a.q * n * 4, n * 4, head, a.q * row, row, a.q, n});
  run.arguments<uint64_t, uint64_t>(0xa0, 16, 0, 0);
  run.launch.grid = {(a.q + 63) / 64, a.heads, batch};
  run.run(code_object(a.convert), a.convert + " | " + problem);
  run.compare({compare("dQ", dq, t.dq, t.dq_allowed, false)});
}

std::string file(const std::string& arch, const std::string& name) { return arch + "/fmha_v3_bwd/" + name + ".co"; }

}  // namespace

TEST_CASE("production attention backward of gfx942 gives the reference's numbers", "[.][production]") {
  const std::string g = "gfx942";
  check_backward({file(g, "bwd_hd128_odo_bf16"), file(g, "bwd_hd128_bf16_a32_rtne_psskddv"),
                  file(g, "bwd_hd128_dq_convert_bf16_rtne"), 128, 2, 1, 100, 213, 192});
  check_backward({file(g, "bwd_hd64_odo_fp16"), file(g, "bwd_hd64_fp16_causal_br_a32_pssk"),
                  file(g, "bwd_hd64_dq_convert_fp16"), 64, 2, 2, 133, 210, 192, CausalMask::bottom_right});
  check_backward({file(g, "bwd_hd128_odo_fp16"), file(g, "bwd_hd128_fp16_causal_a32_psskddv"),
                  file(g, "bwd_hd128_dq_convert_fp16"), 128, 1, 1, 100, 100, 192, CausalMask::top_left});
  check_backward({file(g, "bwd_hd192_odo_bf16"), file(g, "bwd_hd192_bf16_a32_rtne_psskddv"),
                  file(g, "bwd_hd192_dq_convert_bf16_rtne"), 192, 2, 1, 70, 90, 64});
}

TEST_CASE("production attention backward of gfx950 gives the reference's numbers", "[.][production]") {
  const std::string g = "gfx950";
  check_backward({file(g, "bwd_hd128_odo_bf16"), file(g, "bwd_hd128_bf16_a32_psskddv"),
                  file(g, "bwd_hd128_dq_convert_bf16"), 128, 2, 1, 100, 213, 256});
  check_backward({file(g, "bwd_hd64_odo_bf16"), file(g, "bwd_hd64_bf16_causal_a32_rtne_pssk"),
                  file(g, "bwd_hd64_dq_convert_bf16"), 64, 2, 2, 133, 210, 192, CausalMask::top_left});
  check_backward({file(g, "bwd_hd128_odo_fp16"), file(g, "bwd_hd128_fp16_causal_br_a32_psskddv"),
                  file(g, "bwd_hd128_dq_convert_fp16"), 128, 1, 1, 100, 130, 256, CausalMask::bottom_right});
  check_backward({file(g, "bwd_hd192_odo_fp16"), file(g, "bwd_hd192_fp16_causal_a32_psskddv"),
                  file(g, "bwd_hd192_dq_convert_fp16"), 192, 2, 1, 70, 90, 64, CausalMask::top_left});
}

// Rows in full tiles: the odo kernel takes the second half of its buffer descriptors for bytes, which the CDNA5 ISA
// scales by 128, and so has no bound.
TEST_CASE("production attention backward of gfx1250 gives the reference's numbers", "[.][production]") {
  const std::string g = "gfx1250";
  check_backward({file(g, "bwd_hd128_odo_bf16"), file(g, "bwd_hd128_bf16_a32_pssk"),
                  file(g, "bwd_hd128_dq_convert_bf16"), 128, 2, 1, 128, 213, 128});
  check_backward({file(g, "bwd_hd128_odo_bf16"), file(g, "bwd_hd128_bf16_causal_br_a32_pssk"),
                  file(g, "bwd_hd128_dq_convert_bf16"), 128, 2, 2, 256, 256, 128, CausalMask::bottom_right});
}

}  // namespace production
