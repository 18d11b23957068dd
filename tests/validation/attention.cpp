// Production flash attention (ROCm/aiter's code objects, which are not part of this repository) through the model,
// against the published TFLOP/s. Published figures do not say their clock: it is the model's, whose law was fitted to
// the visible rows.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

// Who measured, and therefore how: aiter's own benchmark_mha_fwd as its README calls it (op_tests/cpp/mha: tensors
// [b][h][s][d] by -iperm=1 -operm=1, -lse=1, the default rounding -v3_bf16_cvt=1, 10 launches after 10), or others
// through its Python interface ([b][s][h][d], no LSE, rounding 1 as well; HipKittens: 100 launches after 500).
// The data decide how much power the matrix pipes take: aiter's are uniform in [0, 1), the others' normally
// distributed.
enum class Bench : uint8_t { aiter, python };
constexpr double normal_data_mhz = 1360;  // MI355X: with all matrix pipes in use; fitted to six visible rows

}  // namespace

void validate_attention(const Sources& s, const Report& report, const Missing& missing) {
  const auto rows = read_csv(s.facts + "/perf.csv");
  if (rows.empty()) return missing("attention: no file perf.csv in the folder of facts");
  if (s.production.empty()) return missing("attention: no folder of production kernels (--production)");
  constexpr uint64_t most_elements = uint64_t{1} << 28;  // of a tensor: 512 MB
  int taken = 0;
  std::map<std::string, int> large;  // by GPU
  for (const auto& row : rows) {
    const std::string gpu = field(row, "hardware"), kernel = field(row, "library_kernel");
    if (kernel.find("aiter asm") != 0 || field(row, "confidence") != "A" || field(row, "pass") != "fwd" ||
        field(row, "D") != "128" || field(row, "dtype") != "bf16")
      continue;
    const bool own = field(row, "source").find("op_tests/cpp/mha") != std::string::npos;
    const Bench bench = own ? Bench::aiter : Bench::python;
    const AttentionShape a{.batch = whole_number(field(row, "B")),
                           .heads = whole_number(field(row, "H")),
                           .kv_heads = whole_number(field(row, "Hkv")),
                           .queries = whole_number(field(row, "Sq")),
                           .keys = whole_number(field(row, "Skv")),
                           .causal = field(row, "causal") == "1",
                           .heads_first = own,
                           .lse = own};
    const isa::Gpu* g = isa::find_gpu(gpu);
    if (!g || !a.batch || a.queries % 1024) continue;
    if (uint64_t{a.batch} * a.heads * a.queries * a.dim > most_elements) {
      ++large[gpu];
      continue;
    }
    if (s.most_rows && taken++ % std::max(1, 160 / s.most_rows)) continue;
    const bool gfx942 = g->arch == isa::Arch::gfx942;
    const auto file = s.production + "/" + aiter_attention_file(a, g->arch);
    if (!std::filesystem::exists(file)) {
      missing(fmt::format("attention: {} is not there", file));
      continue;
    }
    const auto object = load_object(file);
    sim::Memory memory;
    const sim::Launch l = aiter_attention_launch(a, g->arch, memory);
    timing::Options o;
    o.gpu = g, o.jobs = s.jobs;
    if (bench == Bench::python && !gfx942) o.clock.mhz = normal_data_mhz;
    const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
    const double flops =
        4.0 * a.batch * a.heads * static_cast<double>(a.queries) * a.keys * a.dim * (a.causal ? 0.5 : 1);
    const char* data = bench == Bench::python ? ", normal data" : "";
    const auto name = fmt::format("{} b{} h{}/{} s{}{}{}", gpu, a.batch, a.heads, a.kv_heads, a.queries,
                                  a.causal ? " causal" : "", data);
    report({fmt::format("attention, {}{}", gpu, data), name, "TFLOP/s", flops / r.seconds * 1e-12,
            std::strtod(field(row, "tflops").c_str(), nullptr),
            fmt::format("{}, {}; {:.1f} M instr, {:.1f}+{:.1f} s", clock_note(r),
                        r.fault ? "FAULT " + r.fault->why : timing::name(r.limit),
                        static_cast<double>(r.simulated) * 1e-6, r.trace_seconds, r.model_seconds),
            set_of(name)});
  }
  for (const auto& [gpu, n] : large)
    report({"attention, left out", fmt::format("{}: tensors above {} MB", gpu, most_elements >> 19),
            n == 1 ? "row" : "rows", static_cast<double>(n), 0, ""});
}

}  // namespace wavesmith::validation
