// Production flash attention (ROCm/aiter's code objects, which are not part of this repository) through the model,
// against the published TFLOP/s. Published figures do not say their clock: it is the model's, whose law was fitted to
// the visible rows.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

constexpr uint32_t dim = 128;

// Who measured, and therefore how: aiter's own benchmark_mha_fwd as its README calls it (op_tests/cpp/mha: tensors
// [b][h][s][d] by -iperm=1 -operm=1, -lse=1, the default rounding -v3_bf16_cvt=1, 10 launches after 10), or others
// through its Python interface ([b][s][h][d], no LSE, rounding 1 as well; HipKittens: 100 launches after 500).
// The data decide how much power the matrix pipes take: aiter's are uniform in [0, 1), the others' normally
// distributed.
enum class Bench : uint8_t { aiter, python };
constexpr double normal_data_mhz = 1360;  // MI355X: with all matrix pipes in use; fitted to six visible rows

struct Shape {
  uint32_t batch, heads, kv_heads, q, kv;
  bool causal;
  Bench bench;
};

// Bytes from row to row, head to head and batch to batch.
struct Strides {
  uint32_t row, head, batch;
};
Strides strides(const Shape& a, uint32_t heads, uint32_t length) {
  constexpr uint32_t bytes = dim * 2;
  if (a.bench == Bench::aiter) return {bytes, length * bytes, heads * length * bytes};
  return {heads * bytes, bytes, length * heads * bytes};
}

void slots(std::vector<uint8_t>& bytes, size_t offset, std::initializer_list<uint32_t> values) {
  for (const uint32_t x : values) put(bytes, offset, x), offset += 16;
}

// Kernel arguments of gfx942's and gfx950's forward kernels: slots of 16 bytes (tests/facts/peer_launch.md 1).
sim::Launch launch_of(const Shape& a, sim::Memory& m) {
  const uint64_t q_bytes = uint64_t{a.batch} * a.q * a.heads * dim * 2,
                 kv_bytes = uint64_t{a.batch} * a.kv * a.kv_heads * dim * 2;
  const uint64_t tensors[] = {m.allocate(q_bytes, "O"), m.allocate(q_bytes, "Q"), m.allocate(kv_bytes, "K"),
                              m.allocate(kv_bytes, "V"), m.allocate(uint64_t{a.batch} * a.heads * a.q * 4, "LSE")};
  const Strides q = strides(a, a.heads, a.q), kv = strides(a, a.kv_heads, a.kv);
  sim::Launch l;
  for (size_t i = 0; i < std::size(tensors); ++i) put(l.kernargs, 16 * i, tensors[i]);
  put(l.kernargs, 0x50, 1 / std::sqrt(static_cast<float>(dim)));
  const uint32_t opt = a.causal && (a.heads % 8 || a.q > 16384) ? 3 : 5;
  slots(l.kernargs, 0x60,
        {a.q, q.row, 256 * q.row, q.head, q.batch, a.heads / a.kv_heads, kv.row, kv.head, kv.batch, opt,
         a.bench == Bench::aiter, a.kv, dim, dim, a.heads});
  slots(l.kernargs, 0x150, {kv.row, kv.head, kv.batch, q.row, q.head, q.batch});
  slots(l.kernargs, 0x1d0, {a.q * 4});
  l.kernargs.resize(0x290);
  const uint32_t tiles = (a.q + 255) / 256;
  l.grid = {a.causal ? (tiles + 1) / 2 : tiles, a.heads, a.batch}, l.block = {512, 1, 1};
  return l;
}

std::vector<uint8_t> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

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
    const Shape a{whole_number(field(row, "B")),     whole_number(field(row, "H")),   whole_number(field(row, "Hkv")),
                  whole_number(field(row, "Sq")),    whole_number(field(row, "Skv")), field(row, "causal") == "1",
                  own ? Bench::aiter : Bench::python};
    const isa::Gpu* g = isa::find_gpu(gpu);
    if (!g || !a.batch || a.q % 1024) continue;
    if (uint64_t{a.batch} * a.heads * a.q * dim > most_elements) {
      ++large[gpu];
      continue;
    }
    if (s.most_rows && taken++ % std::max(1, 160 / s.most_rows)) continue;
    const bool gfx942 = g->arch == isa::Arch::gfx942;
    const auto file = fmt::format("{}/{}/fmha_v3_fwd/{}fwd_hd128_bf16{}{}.co", s.production, isa::target(g->arch).name,
                                  gfx942 ? "MI300/" : "", a.causal ? "_causal" : "", gfx942 ? "_rtna" : "");
    const auto bytes = read_bytes(file);
    if (bytes.empty()) {
      missing(fmt::format("attention: {} is not there", file));
      continue;
    }
    const auto object = sim::CodeObject::load(bytes);
    sim::Memory memory;
    const sim::Launch l = launch_of(a, memory);
    timing::Options o;
    o.gpu = g, o.jobs = s.jobs;
    if (a.bench == Bench::python && !gfx942) o.clock.mhz = normal_data_mhz;
    const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
    const double flops = 4.0 * a.batch * a.heads * static_cast<double>(a.q) * a.kv * dim * (a.causal ? 0.5 : 1);
    const auto name = fmt::format("{} b{} h{}/{} s{}{}{}", gpu, a.batch, a.heads, a.kv_heads, a.q,
                                  a.causal ? " causal" : "", a.bench == Bench::python ? ", normal data" : "");
    report({"attention, aiter bf16 d128", name, "TFLOP/s", flops / r.seconds * 1e-12,
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
