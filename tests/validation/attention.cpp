// Production flash attention (ROCm/aiter's code objects, which are not part of this repository) through the model,
// against the published TFLOP/s. Published figures rarely say their clock: predictions are made at the sustained clock
// of the device's row, and the matrix utilisation that a figure implies at that clock is what is compared.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/validation/peers.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

constexpr uint32_t dim = 128;

struct Shape {
  uint32_t batch, heads, kv_heads, q, kv;
  bool causal;
};

void slots(std::vector<uint8_t>& bytes, size_t offset, std::initializer_list<uint32_t> values) {
  for (const uint32_t x : values) put(bytes, offset, x), offset += 16;
}

// Kernel arguments of gfx942's and gfx950's forward kernels: slots of 16 bytes (tests/facts/peer_launch.md 1).
sim::Launch launch_of(const Shape& a, sim::Memory& m) {
  const uint32_t q_row = a.heads * dim * 2, kv_row = a.kv_heads * dim * 2, head = dim * 2;
  const uint64_t q_bytes = uint64_t{a.batch} * a.q * q_row, kv_bytes = uint64_t{a.batch} * a.kv * kv_row;
  const uint64_t tensors[] = {m.allocate(q_bytes, "O"), m.allocate(q_bytes, "Q"), m.allocate(kv_bytes, "K"),
                              m.allocate(kv_bytes, "V"), m.allocate(uint64_t{a.batch} * a.heads * a.q * 4, "LSE")};
  sim::Launch l;
  for (size_t i = 0; i < std::size(tensors); ++i) put(l.kernargs, 16 * i, tensors[i]);
  put(l.kernargs, 0x50, 1 / std::sqrt(static_cast<float>(dim)));
  const uint32_t opt = !a.causal ? 0 : a.heads % 8 || a.q > 16384 ? 3 : 5;
  slots(l.kernargs, 0x60,
        {a.q, q_row, 256 * q_row, head, a.q * q_row, a.heads / a.kv_heads, kv_row, head, a.kv * kv_row, opt, 0, a.kv,
         dim, dim, a.heads});
  slots(l.kernargs, 0x150, {kv_row, head, a.kv * kv_row, q_row, head, a.q * q_row});
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
  constexpr uint64_t most_elements = uint64_t{1} << 27;  // of a tensor: 256 MB
  int taken = 0;
  for (const auto& row : rows) {
    const std::string gpu = field(row, "hardware"), kernel = field(row, "library_kernel");
    if (kernel.find("aiter asm") != 0 || field(row, "confidence") != "A" || field(row, "pass") != "fwd" ||
        field(row, "D") != "128" || field(row, "dtype") != "bf16")
      continue;
    const Shape a{whole_number(field(row, "B")),  whole_number(field(row, "H")),   whole_number(field(row, "Hkv")),
                  whole_number(field(row, "Sq")), whole_number(field(row, "Skv")), field(row, "causal") == "1"};
    const isa::Gpu* g = isa::find_gpu(gpu);
    if (!g || !a.batch || uint64_t{a.batch} * a.heads * a.q * dim > most_elements || a.q % 1024) continue;
    if (taken++ % std::max(1, 160 / std::max(1, s.most_rows))) continue;
    const std::string target = isa::target(g->arch).name, mask = a.causal ? "_causal" : "";
    const auto file = fmt::format("{}/{}/fmha_v3_fwd/{}fwd_hd128_bf16{}{}.co", s.production, target,
                                  target == std::string("gfx942") ? "MI300/" : "", mask,
                                  target == std::string("gfx942") ? "_rtne" : "");
    const auto bytes = read_bytes(file);
    if (bytes.empty()) {
      missing(fmt::format("attention: {} is not there", file));
      continue;
    }
    const auto object = sim::CodeObject::load(bytes);
    sim::Memory memory;
    const sim::Launch l = launch_of(a, memory);
    timing::Options o;
    o.gpu = g, o.clock.kind = timing::Clock::Kind::sustained, o.jobs = s.jobs;
    const timing::Result r = timing::time(object, object.kernel(""), memory, l, o);
    const double flops = 4.0 * a.batch * a.heads * static_cast<double>(a.q) * a.kv * dim * (a.causal ? 0.5 : 1);
    const double peak =
        isa::flops_per_clock(isa::Type::bf16, g->arch) * g->units * r.clock_mhz * 1e-6;  // TFLOP/s at that clock
    report({"attention",
            fmt::format("{} {} b{} h{}/{} s{}{}", gpu, "aiter fwd bf16 d128", a.batch, a.heads, a.kv_heads, a.q,
                        a.causal ? " causal" : ""),
            "% of matrix peak at the clock", 100 * flops / r.seconds * 1e-12 / peak,
            100 * std::strtod(field(row, "tflops").c_str(), nullptr) / peak,
            fmt::format("{:.0f} MHz, {}; steady {:.1f} %, {:.1f} M instr, {:.1f}+{:.1f} s", r.clock_mhz,
                        r.fault ? "FAULT " + r.fault->why : timing::name(r.limit), 100 * r.steady_matrix_utilisation,
                        static_cast<double>(r.simulated) * 1e-6, r.trace_seconds, r.model_seconds)});
  }
}

}  // namespace wavesmith::validation
