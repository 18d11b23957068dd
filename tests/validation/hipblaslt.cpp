// hipBLASLt's hand-tuned GEMMs (code objects that are not part of this repository) against the published rates of
// hipBLASLt on the same problem. Which kernel the library takes for a size is not published: the one with the least
// work a CU is timed, and where the problem does not fill the device with any of them, the row is left out and said.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

double real_number(const std::string& s) { return std::strtod(s.c_str(), nullptr); }

struct Published {
  const isa::Gpu* gpu;
  std::string dtype;
  GemmSize size;
  double tflops, mhz;
  bool rotating;  // buffers: nothing is in the memory-side cache
};

void time_row(const Published& w, const Tensile& k, const std::string& file, const Sources& s, const Report& report) {
  const auto object = load_object(file);
  sim::Memory memory;
  const sim::Launch l = tensile_launch(k, w.size, memory);
  timing::Options o;
  o.gpu = w.gpu, o.jobs = s.jobs, o.warm = !w.rotating;
  if (w.mhz > 0) o.clock = {timing::Clock::Kind::fixed, w.mhz};
  const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
  const auto name =
      fmt::format("{} {} {}x{}x{}, tile {}x{}", w.gpu->name, w.dtype, w.size.m, w.size.n, w.size.k, k.tile_m, k.tile_n);
  report({"hipBLASLt", name, "TFLOP/s", w.size.flops() / r.seconds * 1e-12, w.tflops,
          fmt::format("{}, {}; {:.1f}+{:.1f} s", clock_note(r),
                      r.fault ? "FAULT " + r.fault->why : timing::name(r.limit), r.trace_seconds, r.model_seconds),
          w.mhz > 0 ? "at the clock published" : set_of(name)});
}

}  // namespace

void validate_hipblaslt(const Sources& s, const Report& report, const Missing& missing) {
  const auto rows = read_csv(s.facts + "/perf.csv");
  if (rows.empty()) return missing("hipBLASLt: no file perf.csv in the folder of facts (--facts)");
  if (s.peers.empty()) return missing("hipBLASLt: no folder of its kernels (--peers)");
  std::map<std::string, int> left_out;  // why -> rows
  for (const auto& row : rows) {
    const std::string library = field(row, "library_kernel"), note = field(row, "note");
    if (library.find("hipBLASLt") == std::string::npos || field(row, "op") != "gemm" ||
        field(row, "confidence") != "A" || field(row, "M").empty())
      continue;
    const std::string hardware = field(row, "hardware"), dtype = field(row, "dtype");
    const isa::Gpu* g = isa::find_gpu(hardware);
    const Published w{
        g,
        dtype,
        {static_cast<uint32_t>(real_number(field(row, "M"))), static_cast<uint32_t>(real_number(field(row, "N"))),
         static_cast<uint32_t>(real_number(field(row, "K")))},
        real_number(field(row, "tflops")),
        real_number(field(row, "clock_MHz")),
        note.find("rotating") != std::string::npos};
    const bool gfx942 = g && g->arch == isa::Arch::gfx942;
    const Tensile* k = gfx942 ? tensile_kernel(dtype, w.size, g->units) : nullptr;
    if (!k) {
      ++left_out[fmt::format("{} {}: no such kernel at hand", hardware, dtype)];
      continue;
    }
    if (uint64_t{w.size.m} * w.size.n * 5 < uint64_t{k->tile_m} * k->tile_n * static_cast<uint64_t>(g->units) * 4) {
      ++left_out[fmt::format(
          "{} {}: below four fifths of the CUs with the largest tiles, the library takes smaller ones, not at hand",
          hardware, dtype)];
      continue;
    }
    const auto file = fmt::format("{}/hipblaslt/{}.co", s.peers, k->file);
    if (std::filesystem::exists(file)) time_row(w, *k, file, s, report);
    else missing(fmt::format("hipBLASLt: {} is not there", file));
  }
  for (const auto& [why, n] : left_out)
    report({"hipBLASLt, left out", why, n == 1 ? "row" : "rows", static_cast<double>(n), 0, ""});
}

}  // namespace wavesmith::validation
