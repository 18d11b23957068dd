// The table's rows and the buffers of their launches. Buffers are not filled, except those that decide what is done:
// which tokens go to which experts.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>

#include "tests/validation/aiter.h"

namespace wavesmith::validation {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
bool is_moe(const Measured& w) { return w.family().starts_with("fmoe"); }

// -- Buffers --

struct Buffers {
  sim::Memory& memory;
  double bytes = 0;  // arguments of the measured call
  uint64_t add(const char* name, uint64_t size) {
    bytes += static_cast<double>(size);
    return memory.allocate(std::max<uint64_t>(size, 4), name);
  }
  template <class T>
  uint64_t add(const char* name, const std::vector<T>& values) {
    const uint64_t p = add(name, values.size() * sizeof(T));
    memory.write(p, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
    return p;
  }
};

PreparedLaunch bf16(const Measured& w, const AiterKernel& kernel, sim::Memory& memory) {
  Buffers b{memory};
  const uint64_t m = w.m, n = w.n, k = w.k;
  aiter::GemmBuffers p{
      .d = b.add("D", m * n * (w.to_f32 ? 4 : 2)), .a = b.add("A", m * k * 2), .b = b.add("B", n * k * 2)};
  if (w.bias) p.bias = b.add("bias", n * 2);
  if (w.split > 1) {
    p.semaphores = memory.allocate(4096, "semaphores");
    memory.define(p.semaphores);
  }
  return {aiter::bf16_gemm({w.m, w.n, w.k, kernel.tile_m, kernel.tile_n, w.split}, p, !w.to_f32), b.bytes, 0};
}

PreparedLaunch int8_or_fp8(const Measured& w, const AiterKernel& kernel, sim::Memory& memory) {
  Buffers b{memory};
  const uint64_t m = w.m, n = w.n, k = w.k;
  const bool blocks = w.family() == "fp8gemm_blockscale";
  const aiter::GemmBuffers p{.d = b.add("D", m * n * 2),
                             .a = b.add("A", m * k),
                             .b = b.add("B", n * k),
                             .a_scales = b.add("A scales", 4 * m * (blocks ? k / 128 : 1)),
                             .b_scales = b.add("B scales", 4 * (blocks ? n / 128 * (k / 128) : n)),
                             .bias = b.add("bias", n * 4)};
  const aiter::Gemm g{w.m, w.n, w.k, kernel.tile_m, kernel.tile_n, w.split};
  return {blocks ? aiter::fp8_gemm(g, p) : aiter::int8_gemm(g, p), b.bytes,
          w.split > 1 ? static_cast<double>(m * n * 2) : 0};
}

PreparedLaunch fp4(const Measured& w, const AiterKernel& kernel, sim::Memory& memory) {
  Buffers b{memory};
  const uint64_t m = w.m, n = w.n, k = w.k, padded = (m + 255) / 256 * 256, row = aiter::fp4_scale_row(w.k);
  const aiter::GemmBuffers p{.d = b.add("D", padded * n * 2),
                             .a = b.add("A", m * k / 2),
                             .b = b.add("B", n * k / 2),
                             .a_scales = b.add("A scales", padded * row),
                             .b_scales = b.add("B scales", (n + 255) / 256 * 256 * row)};
  return {aiter::fp4_gemm({w.m, w.n, w.k, kernel.tile_m, kernel.tile_n, w.split}, p), b.bytes,
          w.split > 1 ? static_cast<double>(padded * n * 2) : 0};
}

// Each token's experts are drawn at random, as the tuner's scores are.
std::vector<std::vector<uint32_t>> routes(const Measured& w) {
  std::mt19937 bits(w.m);
  std::vector<uint32_t> expert(w.experts);
  std::iota(expert.begin(), expert.end(), 0u);
  std::vector<std::vector<uint32_t>> of(w.m);
  for (auto& chosen : of) {
    for (uint32_t i = 0; i < w.topk; ++i) std::swap(expert[i], expert[i + bits() % (w.experts - i)]);
    chosen.assign(expert.begin(), expert.begin() + w.topk);
  }
  return of;
}

struct Routed {
  uint64_t tokens, experts, weights, valid;
  uint32_t blocks;
};
Routed route(const Measured& w, const AiterKernel& kernel, Buffers& b) {
  const auto of = routes(w);
  if (kernel.unsorted) {
    std::vector<uint32_t> flat;
    for (const auto& chosen : of) flat.insert(flat.end(), chosen.begin(), chosen.end());
    flat.resize(flat.size() + 64);  // kernels load 16 bytes at a time, beyond the last row
    const uint64_t ids = b.add("topk_ids", flat);
    return {ids, ids, b.add("topk_weights", std::vector<float>(flat.size(), 0.125f)), ids, 0};
  }
  std::vector<std::vector<uint32_t>> rows(w.experts);
  for (uint32_t t = 0; t < w.m; ++t)
    for (uint32_t i = 0; i < w.topk; ++i) rows[of[t][i]].push_back(t | i << 24);
  const uint32_t padding = w.m | w.topk << 24;
  auto sorted = aiter::sort_tokens(rows, kernel.tile_m, padding);
  const auto used = static_cast<uint32_t>(sorted.tokens.size());
  // As large as any routing needs: the rest of the blocks is launched and returns.
  const uint32_t blocks = (w.m * w.topk + w.experts * kernel.tile_m - w.topk + kernel.tile_m - 1) / kernel.tile_m;
  sorted.tokens.resize(std::max<size_t>(used, size_t{blocks} * kernel.tile_m), padding);
  sorted.experts.resize(std::max<size_t>(sorted.experts.size(), blocks), ~0u);
  return {b.add("sorted_token_ids", sorted.tokens), b.add("sorted_expert_ids", sorted.experts),
          b.add("sorted_weights", std::vector<float>(sorted.tokens.size(), 0.125f)),
          b.add("num_valid_ids", std::vector<uint32_t>{used, w.m}), blocks};
}

PreparedLaunch moe(const Measured& w, const AiterKernel& kernel, sim::Memory& memory) {
  Buffers b{memory};
  const bool one_kernel = w.family() == "fmoe", blocks = has(w.file, "blockscale"), fp4 = has(w.file, "MXfp4"),
             bf16_input = has(w.file, "blockscaleBf16") || has(w.file, "_a16_") || (fp4 && kernel.unsorted);
  const uint64_t tokens = w.m, inter = w.n, dim = w.k, experts = w.experts;
  const auto scales = [&](uint64_t rows, uint64_t columns) {  // bytes
    return static_cast<uint32_t>(fp4 ? rows * columns / 32 : blocks ? 4 * (rows / 128) * (columns / 128) : 4 * rows);
  };
  const Routed r = route(w, kernel, b);
  aiter::Moe m{.tokens = w.m,
               .dim = w.k,
               .inter = w.n,
               .experts = w.experts,
               .topk = w.topk,
               .tile_m = kernel.tile_m,
               .tile_n = kernel.tile_n,
               .blocks = r.blocks,
               .gate_scales = scales(2 * inter, dim),
               .down_scales = scales(dim, inter),
               .row = static_cast<uint32_t>(bf16_input ? dim * 2
                                            : fp4      ? dim / 2
                                                       : dim),
               .fp4 = fp4,
               .persistent = kernel.persistent * static_cast<uint32_t>(w.gpu->units),
               .flat = kernel.unsorted && !kernel.persistent};
  const uint32_t output = blocks ? 1 : 2;  // of the first stage, bytes
  aiter::MoeBuffers p{.out = one_kernel ? memory.allocate(tokens * dim * 2 + 256, "O and the lock behind it")
                                        : b.add("O", (tokens + tokens / 32 + 1) * w.topk * inter * output),
                      .input = b.add("X", tokens * m.row),
                      .gate_up = b.add("gate, up", experts * 2 * inter * m.weights(w.k)),
                      .valid_rows = r.valid,
                      .input_scales = b.add("X scales", fp4 ? (tokens * w.topk + experts * kernel.tile_m) * dim / 32
                                                        : blocks ? 4 * tokens * (dim / 128)
                                                                 : 4 * tokens),
                      .gate_scales = b.add("gate, up scales", experts * m.gate_scales),
                      .sorted_tokens = r.tokens,
                      .sorted_experts = r.experts};
  if (!one_kernel) {
    b.bytes += static_cast<double>(experts * dim * inter);  // the second stage's weights are an argument, unused
    if (has(w.file, "doweight")) p.sorted_weights = r.weights;
    return {aiter::moe_stage1(m, p, output), b.bytes, 0};
  }
  p.sorted_weights = r.weights;
  p.down = b.add("down", experts * dim * m.weights(w.n));
  p.down_scales = b.add("down scales", experts * m.down_scales);
  return {aiter::moe(m, p), b.bytes, static_cast<double>(tokens * dim * 2)};
}

constexpr std::pair<const char*, PreparedLaunch (*)(const Measured&, const AiterKernel&, sim::Memory&)> families[] = {
    {"bf16gemm", bf16},      {"f4gemm", fp4}, {"fp8gemm_blockscale", int8_or_fp8},
    {"i8gemm", int8_or_fp8}, {"fmoe", moe},   {"fmoe_2stages", moe}};

// The rows with 304 CUs are MI325X's by the commits that added them: f8be2b2b ("[MI325][TUNE] igemm asm"), 84493f0e
// ("gfx942 MI325X: tuned a8w8 blockscale ... FMoE"), 6b831fb2 ("FSE FMoE tunings (E+1,K+1=257,9) for gfx942 (MI325)").
const isa::Gpu* part(const std::string& arch, const std::string& units) {
  for (const char* name : {"MI355X", "MI325X", "MI308X"}) {
    const isa::Gpu* g = isa::find_gpu(name);
    if (arch == isa::target(g->arch).name && whole_number(units) == static_cast<uint32_t>(g->units)) return g;
  }
  return nullptr;
}

// Of splits of K in multiples of 128, those that leave none empty.
bool splits_evenly(uint32_t k, uint32_t split) {
  return aiter::tiles(k, aiter::tiles(aiter::tiles(k, split), 128) * 128) == split;
}

}  // namespace

std::string Measured::family() const {
  const size_t from = file.find('/') + 1;
  return file.substr(from, file.find('/', from) - from);
}
std::string Measured::shape() const {
  std::string s = fmt::format("{} {} {}x{}x{}", gpu->name, family(), m, n, k);
  if (experts) s += fmt::format(" top {} of {}", topk, experts);
  if (split > 1) s += fmt::format(" / {}", split);
  return s;
}

std::vector<Measured> measured_launches(const std::string& facts) {
  std::vector<Measured> rows;
  for (const auto& row : read_csv(facts + "/aiter_measured.csv")) {
    const auto number = [&](const char* name) { return whole_number(field(row, name)); };
    Measured w{.file = field(row, "co"),
               .gpu = part(field(row, "arch"), field(row, "cu")),
               .m = number("M"),
               .n = number("N"),
               .k = number("K"),
               .split = number("splitK"),
               .experts = number("experts"),
               .topk = number("topk"),
               .bias = field(row, "bias") == "1",
               .to_f32 = field(row, "out") == "f32",
               .us = std::strtod(field(row, "us").c_str(), nullptr),
               .left_out = field(row, "note"),
               .line = rows.size()};
    if (w.family() == "f4gemm") w.split = 1u << w.split;
    else w.split = std::max(1u, w.split);
    rows.push_back(w);
  }
  return rows;
}

AiterKernel named_kernel(const std::string& file) {
  AiterKernel k;
  k.file = file;
  const size_t x = [&] {  // 64x128
    for (size_t i = file.rfind('x'); i != std::string::npos && i > 0; i = file.rfind('x', i - 1))
      if (std::isdigit(static_cast<unsigned char>(file[i - 1])) &&
          std::isdigit(static_cast<unsigned char>(file[i + 1])))
        return i;
    return std::string::npos;
  }();
  if (x == std::string::npos) return k;
  size_t from = x;
  while (from > 0 && std::isdigit(static_cast<unsigned char>(file[from - 1]))) --from;
  k.tile_m = whole_number(file.substr(from)), k.tile_n = whole_number(file.substr(x + 1));
  return k;
}

AiterKernels aiter_kernels(const std::string& production) {
  AiterKernels kernels;
  for (const char* arch : {"gfx942", "gfx950"})
    for (const auto& [family, unused] : families) {
      const fs::path folder = fs::path(production) / arch / family;
      if (!fs::exists(folder)) continue;
      for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".csv") continue;
        const auto name = [&](const fs::path& p) { return fs::relative(p, production).string(); };
        for (const auto& row : read_csv(entry.path().string())) {
          const auto any = [&](std::initializer_list<const char*> names) {
            for (const char* n : names)
              if (const std::string v = field(row, n); !v.empty()) return whole_number(v);
            return 0u;
          };
          AiterKernel k{.file = name(entry.path().parent_path() / field(row, "co_name")),
                        .list = name(entry.path()),
                        .tile_m = any({"tile_m", "tile_M", "tileM", "subGU_m"}),
                        .tile_n = any({"tile_n", "tile_N", "tileN", "subGU_n"}),
                        .splits = any({"splitK"}) != 0,
                        .shuffled = any({"bpreshuffle", "bPreshuffle"}) != 0,
                        .takes_bias = field(row, "bias") != "0",
                        .unsorted = any({"flat"}) != 0,
                        .smooth = any({"smf"}) != 0,
                        .persistent = any({"ps"}) ? any({"tg_num_perCU"}) : 0};
          kernels.emplace(k.file, k);
        }
      }
    }
  return kernels;
}

PreparedLaunch prepare(const Measured& w, const AiterKernel& kernel, sim::Memory& memory) {
  for (const auto& [name, launch] : families)
    if (w.family() == name) return launch(w, kernel, memory);
  throw isa::IsaError(w.family() + ": its arguments are not known");
}

std::vector<std::pair<AiterKernel, uint32_t>> candidates(const Measured& w, const AiterKernels& kernels) {
  std::vector<std::pair<AiterKernel, uint32_t>> out;
  const auto own = kernels.find(w.file);
  if (own == kernels.end()) return out;
  const std::string family = w.family();
  for (const auto& [file, k] : kernels) {
    const bool same_list = k.list == own->second.list;
    // The tuner takes the rows of a tile that are best for both stages together: a first stage has won among its
    // equals.
    if (family == "fmoe_2stages" && k.tile_m != own->second.tile_m) continue;
    if (!same_list || (is_moe(w) ? k.smooth || k.unsorted != own->second.unsorted || w.n % k.tile_n != 0
                                 : k.shuffled != own->second.shuffled))
      continue;
    if (family == "bf16gemm") {
      if ((w.bias && !k.takes_bias) || w.n % k.tile_n != 0) continue;
      const uint32_t tiles = aiter::tiles(w.m, k.tile_m) * aiter::tiles(w.n, k.tile_n),
                     units = static_cast<uint32_t>(w.gpu->units);
      const uint32_t most = std::min(16u, tiles < units ? units / tiles : 4);
      if (!k.splits) out.emplace_back(k, 1);
      else
        for (uint32_t s = 2; s <= most && w.k / s >= 64 && tiles <= 1024; ++s) out.emplace_back(k, s);
    } else if (family == "fp8gemm_blockscale" || family == "i8gemm") {
      if (w.n % k.tile_n != 0) continue;
      // None of MI325X's 21 rows of int8 has parts of K, 11 of MI308X's 28 do: its tuner ran without.
      const bool in_parts = k.splits && !(family == "i8gemm" && w.gpu == isa::find_gpu("MI325X"));
      for (uint32_t s = 1; s <= (in_parts ? 8 : 1); ++s)
        if (splits_evenly(w.k, s)) out.emplace_back(k, s);
    } else out.emplace_back(k, 1);
  }
  return out;
}

}  // namespace wavesmith::validation
