// Published ablations: what one change to a kernel was worth, beside what the model makes of the same change. Ratios
// need no clock, but for the power that a slower kernel leaves unused. Published figures stand here with their source;
// code objects are not part of this repository.
#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

// One kernel of a family; `value` is published: TFLOP/s, or 1/ms.
struct Variant {
  std::string file;  // below the folder of peers
  double value;
};
struct Ablation {
  const char* what;
  Variant before, after;
};

// HipKittens at f09e9685, analysis/paper_experiments, MI355X; M x N x K.
constexpr GemmSize large{8192, 8192, 8192};
Variant kittens(const char* name, const GemmSize& s, double tflops) {
  return {fmt::format("hipkittens/{}.{}x{}x{}.co", name, s.m, s.n, s.k), tflops};
}

std::vector<Ablation> kittens_ablations() {
  const GemmSize a{7680, 8192, 8192}, b{9216, 8192, 8192}, c{3072, 4096, 4096}, d{3072, 3072, 3072};
  const Variant order = kittens("bf16_order_w8", large, 1113.9);
  const auto waves = [](const GemmSize& s, double t) { return kittens("bf16_8wave_16x16", s, t); };
  const auto wide = [](const GemmSize& s, double t) { return kittens("bf16_12c4p", s, t); };
  const auto narrow = [](const GemmSize& s, double t) { return kittens("bf16_8c4p", s, t); };
  return {
      {"workgroups over XCDs, bands of 8 to row by row", order, kittens("bf16_order_w0", large, 1016.6)},
      {"workgroups over XCDs, bands of 8 to bands of 2", order, kittens("bf16_order_w2", large, 1083.3)},
      {"workgroups over XCDs, bands of 8 to bands of 4", order, kittens("bf16_order_w4", large, 1108.8)},
      {"workgroups over XCDs, bands of 8 to bands of 32", order, kittens("bf16_order_w32", large, 875.1)},
      {"8 alike waves to 8 consumers, 4 producers, 7680x8192x8192", waves(a, 1521.9), narrow(a, 964)},
      {"8 alike waves to 8 consumers, 4 producers, 9216x8192x8192", waves(b, 1490.1), narrow(b, 1010.6)},
      {"8 alike waves to 12 consumers, 4 producers, 7680x8192x8192", waves(a, 1521.9), wide(a, 1251.2)},
      {"8 alike waves to 12 consumers, 4 producers, 9216x8192x8192", waves(b, 1490.1), wide(b, 1229.4)},
      {"tile 128x256 to 192x256, 7680x8192x8192", narrow(a, 964), wide(a, 1251.2)},
      {"tile 128x256 to 192x256, 9216x8192x8192", narrow(b, 1010.6), wide(b, 1229.4)},
      {"tile 128x256 to 192x256, 3072x4096x4096", narrow(c, 708.1), wide(c, 1006.5)},
      {"tile 128x256 to 192x256, 3072x3072x3072", narrow(d, 453.7), wide(d, 683.6)},
      {"MFMA 16x16x32 to 32x32x16, ping-pong", waves(large, 1580), kittens("bf16_8wave_32x32", large, 1291)},
  };
}

// seb-v/fp32_sgemm_amd README, RX 7900 XTX, 4096^3, ms. Kernels 6 to 8 are assembly, and of 5 that of their compiler is
// published too; 1 to 4, and 5 beside them, are another version's here.
std::vector<Ablation> sgemm_ablations() {
  const auto k = [](int n, double ms) { return Variant{fmt::format("sgemm/kernel{}.co", n), 1 / ms}; };
  return {
      {"sgemm: LDS tiles instead of none", k(1, 136.006), k(2, 34.2059)},
      {"sgemm: register tiles too", k(2, 34.2059), k(3, 6.0341)},
      {"sgemm: double buffer for loads", k(3, 6.0341), k(4, 5.3772)},
      {"sgemm: wave tiles, LDS padded", k(4, 5.3772), k(5, 4.0994)},
      {"sgemm: dual issue by hand", {"sgemm/kernel5_published.co", 1 / 4.0994}, k(6, 3.6368)},
      {"sgemm: inner loop unrolled", k(6, 3.6368), k(7, 3.3314)},
      {"sgemm: loads ahead in batches", k(7, 3.3314), k(8, 2.8032)},
  };
}

sim::Launch sgemm_launch(int kernel, sim::Memory& memory) {
  constexpr uint32_t n = 4096;
  sim::Launch l;  // 1 MB more each: the published kernel 5 loads tiles beyond the end
  for (const char* name : {"A", "B", "C"})
    put(l.kernargs, l.kernargs.size(), memory.allocate(uint64_t{n} * n * 4 + (1 << 20), name));
  for (int i = 0; i < (kernel == 1 ? 3 : 1); ++i) put(l.kernargs, l.kernargs.size(), n);
  if (kernel != 2) put(l.kernargs, l.kernargs.size(), 1.0f), put(l.kernargs, l.kernargs.size(), 0.0f);
  const uint32_t tile = kernel == 1 ? 16 : kernel == 2 ? 32 : 128;
  l.grid = {n / tile, n / tile, 1};
  l.block =
      kernel <= 2 ? std::array<uint32_t, 3>{tile, tile, 1} : std::array<uint32_t, 3>{kernel <= 4 ? 256u : 128u, 1, 1};
  return l;
}

const Kittens& kittens_kernel(const std::string& name) {
  static const Kittens kernels[] = {
      {"bf16_8c4p", 128, 256, 768}, {"bf16_12c4p", 192, 256, 1024}, {"bf16_", 256, 256, 512}};
  for (const Kittens& k : kernels)
    if (name.find(k.file) != std::string::npos) return k;
  return kernels[2];
}

double seconds(const Variant& v, const Sources& s, std::string& note) {
  const auto object = load_object(fmt::format("{}/{}", s.peers, v.file));
  const bool sgemm = v.file.starts_with("sgemm");
  const auto n = numbers(v.file.substr(v.file.find('.') == std::string::npos || sgemm ? 0 : v.file.find('.')));
  const auto size = [&](size_t i) { return static_cast<uint32_t>(n.at(i)); };
  sim::Memory memory;
  const sim::Launch l = sgemm ? sgemm_launch(static_cast<int>(size(0)), memory)
                              : kittens_launch(kittens_kernel(v.file), {size(0), size(1), size(2)}, memory);
  timing::Options o;
  o.gpu = isa::find_gpu(sgemm ? "RX 7900 XTX" : "MI355X"), o.jobs = s.jobs;
  o.clock.kind = sgemm ? timing::Clock::Kind::boost : timing::Clock::Kind::sustained;
  const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
  note = fmt::format("{:.4g} ms, {:.1f} GB beyond the L2, {}", r.seconds * 1e3, (r.memory_bytes + r.mall_bytes) * 1e-9,
                     r.fault ? "FAULT " + r.fault->why : timing::name(r.limit));
  return r.fault ? 0 : r.seconds;
}

}  // namespace

void validate_ablations(const Sources& s, const Report& report, const Missing& missing) {
  if (s.peers.empty()) return missing("ablations: no folder of kernels (--peers)");
  std::map<std::string, std::pair<double, std::string>> times;
  const auto timed = [&](const Variant& v) -> const std::pair<double, std::string>& {
    auto [it, is_new] = times.try_emplace(v.file);
    if (is_new) it->second.first = seconds(v, s, it->second.second);
    return it->second;
  };
  for (const auto& [group, list] : {std::pair("ablations, HipKittens on MI355X", kittens_ablations()),
                                    {"ablations, f32 GEMM on RX 7900 XTX", sgemm_ablations()}})
    for (const Ablation& a : list) {
      bool there = true;
      for (const Variant* v : {&a.before, &a.after})
        if (!std::filesystem::exists(fmt::format("{}/{}", s.peers, v->file)))
          missing(fmt::format("ablations: {}/{} is not there", s.peers, v->file)), there = false;
      if (!there) continue;
      const auto &before = timed(a.before), &after = timed(a.after);
      report({group, a.what, "times the rate", after.first > 0 ? before.first / after.first : 0,
              a.after.value / a.before.value, before.second + " to " + after.second});
    }
}

}  // namespace wavesmith::validation
