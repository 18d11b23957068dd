// rocm_wmma_gemm's kernels (code objects that are not part of this repository) against the rates that its authors
// publish, of the configuration that their tuner chose for each size and layout.
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

struct Rdna3Rate {
  const isa::Gpu* gpu;
  GemmSize size;
  std::string layout, kernel;
  double tflops;
};

std::vector<Rdna3Rate> rdna3_rates(const Sources& s) {
  std::vector<Rdna3Rate> all;
  for (const auto& row : read_csv(s.facts + "/rocm_wmma_gemm.csv")) {
    const auto of = [&](const char* column) { return field(row, column); };
    const std::string layout{of("a")[0], of("b")[0], of("c")[0]};
    if (layout[2] != 'r') continue;
    const isa::Gpu* gpu = isa::find_gpu(of("gpu"));
    const auto kernel = fmt::format("{}_half_{}_{}x{}_{}x{}_{}_{}", isa::target(gpu->arch).name, layout, of("waves_m"),
                                    of("waves_n"), of("tiles_m"), of("tiles_n"), of("swizzle"), of("bits"));
    all.push_back({gpu,
                   {whole_number(of("m")), whole_number(of("n")), whole_number(of("k"))},
                   layout,
                   kernel,
                   std::strtod(of("tflops").c_str(), nullptr)});
  }
  return all;
}

Row rate_row(const Rdna3Rate& p, const Rdna3Gemm& g) {
  const auto object = load_object(g.file);
  sim::Memory memory;
  const sim::Launch l = rdna3_launch(g, "half", p.size, memory);
  timing::Options o;
  o.gpu = p.gpu, o.jobs = 1;
  const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
  return {.group = fmt::format("rocm_wmma_gemm, {}", p.gpu->name),
          .name = fmt::format("{} {}x{}x{}", p.layout, p.size.m, p.size.n, p.size.k),
          .unit = "TFLOP/s",
          .predicted = p.size.flops() / r.seconds * 1e-12,
          .published = p.tflops,
          .note = fmt::format("{}; {}", p.kernel, r.fault ? "FAULT " + r.fault->why : timing::name(r.limit)),
          .set = p.layout};
}

}  // namespace

void validate_rdna3(const Sources& s, const Report& report, const Missing& missing) {
  std::vector<Rdna3Rate> rows = rdna3_rates(s);
  if (rows.empty()) return missing("rocm_wmma_gemm: no file rocm_wmma_gemm.csv in the folder of facts (--facts)");
  if (s.peers.empty()) return missing("rocm_wmma_gemm: no folder of its kernels (--peers)");
  rows = sample(std::move(rows), s.most_rows, [](const Rdna3Rate& p) { return std::pair(p.gpu, p.layout); });
  std::vector<Row> out(rows.size());
  std::mutex one_at_a_time;
  each(rows.size(), s.jobs, [&](size_t i) {
    const auto all = rdna3_gemms(s.peers, rows[i].gpu->arch, "half", rows[i].layout);
    const auto g = std::ranges::find(all, rows[i].kernel, &Rdna3Gemm::name);
    if (g != all.end()) out[i] = rate_row(rows[i], *g);
    else if (const std::lock_guard hold(one_at_a_time); true)
      missing(fmt::format("rocm_wmma_gemm: {} is not there", rows[i].kernel));
  });
  for (const Row& r : out)
    if (!r.name.empty()) report(r);
}

}  // namespace wavesmith::validation
