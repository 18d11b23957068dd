// ROCm/aiter's bf16 GEMM of gfx950 (256 x 256 tiles) through the model, and our own kernels beside the published rates
// of others on the same problem: theirs are other kernels, so that ratio says how our kernel would stand, not how good
// the model is.
#include <fmt/format.h>

#include <filesystem>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

// Kernel arguments of tests/facts/peer_launch.md 3; bf16 in and out.
sim::Launch launch_of(uint32_t m, uint32_t n, uint32_t k, sim::Memory& memory) {
  sim::Launch l;
  const uint64_t d = memory.allocate(uint64_t{m} * n * 2, "D"), a = memory.allocate(uint64_t{m} * k * 2, "A"),
                 b = memory.allocate(uint64_t{n} * k * 2, "B");
  l.kernargs.resize(352);
  put(l.kernargs, 0x00, d), put(l.kernargs, 0x20, a), put(l.kernargs, 0x30, b);
  put(l.kernargs, 0x40, 1.0f), put(l.kernargs, 0x50, 0.0f);
  put(l.kernargs, 0x80, n * 2), put(l.kernargs, 0xa0, k * 2), put(l.kernargs, 0xc0, k * 2);
  put(l.kernargs, 0xe0, m), put(l.kernargs, 0xf0, n), put(l.kernargs, 0x100, k), put(l.kernargs, 0x110, 1u),
      put(l.kernargs, 0x120, 1u);
  l.grid = {(n + 255) / 256, (m + 255) / 256, 1}, l.block = {256, 1, 1};
  return l;
}

}  // namespace

void validate_gemm(const Sources& s, const Report& report, const Missing& missing) {
  const auto rows = read_csv(s.facts + "/perf.csv");
  if (rows.empty()) return missing("GEMM: no file perf.csv in the folder of facts (--facts)");
  const auto file = s.production + "/gfx950/bf16gemm/bf16gemm_bf16_tn_256x256.co";
  if (s.production.empty() || !std::filesystem::exists(file))
    return missing("GEMM: no gfx950/bf16gemm in the folder of production kernels (--production)");
  const auto object = load_object(file);
  const isa::Gpu* g = isa::find_gpu("MI355X");
  for (const auto& row : rows) {
    const uint32_t m = whole_number(field(row, "M")), n = whole_number(field(row, "N")),
                   k = whole_number(field(row, "K"));
    const bool asm_kernel = field(row, "library_kernel").find("aiter") == 0 &&
                            field(row, "library_kernel").find("asm") != std::string::npos;
    // Which tile the library takes for a small problem is not known: those the 256 x 256 one fills the device with are
    // compared.
    if (!asm_kernel || field(row, "op") != "gemm" || field(row, "dtype") != "bf16" || field(row, "confidence") != "A" ||
        field(row, "hardware").find("MI355X") == std::string::npos)
      continue;
    if (m % 256 || n % 256 || k % 64 || uint64_t{m} / 256 * (n / 256) < static_cast<uint64_t>(g->units)) continue;
    sim::Memory memory;
    const sim::Launch l = launch_of(m, n, k, memory);
    timing::Options o;
    o.gpu = g, o.jobs = s.jobs, o.warm = false;
    const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
    const double flops = 2.0 * m * n * static_cast<double>(k);
    const auto name = fmt::format("{} {}x{}x{}, 256x256 tiles", g->name, m, n, k);
    report({"GEMM, aiter bf16", name, "TFLOP/s", flops / r.seconds * 1e-12,
            std::strtod(field(row, "tflops").c_str(), nullptr),
            fmt::format("{}, {}; {:.1f}+{:.1f} s", clock_note(r),
                        r.fault ? "FAULT " + r.fault->why : timing::name(r.limit), r.trace_seconds, r.model_seconds),
            set_of(name)});
  }
}

}  // namespace wavesmith::validation
