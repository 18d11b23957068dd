// Argument layouts as the kernels' metadata and their first instructions have them.
#include "tests/validation/peers.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

// A global layout of HipKittens: pointer, four extents, padding.
void kittens_tensor(std::vector<uint8_t>& bytes, size_t& at, uint64_t address,
                    std::initializer_list<uint64_t> extents) {
  put(bytes, at, address);
  for (const uint64_t extent : extents) put(bytes, at += 8, extent);
  at += 16;
}

// Of a row, a head and a batch, bytes.
struct Strides {
  uint32_t row, head, batch;
};
Strides strides(const AttentionShape& a, uint32_t heads, uint32_t rows, uint32_t width, uint32_t of_element = 2) {
  const uint32_t bytes = width * of_element;
  if (a.heads_first) return {bytes, rows * bytes, heads * rows * bytes};
  return {heads * bytes, bytes, rows * heads * bytes};
}
struct Tensors {
  uint64_t o, q, k, v, lse;
};
Tensors tensors(const AttentionShape& a, sim::Memory& m) {
  const uint64_t rows = uint64_t{a.batch} * a.queries * a.heads, keys = uint64_t{a.batch} * a.keys * a.kv_heads;
  return {m.allocate(rows * a.dim_v * 2, "O"), m.allocate(rows * a.dim * 2, "Q"), m.allocate(keys * a.dim * 2, "K"),
          m.allocate(keys * a.dim_v * 2, "V"), m.allocate(rows * 4, "LSE")};
}
void slots(std::vector<uint8_t>& bytes, size_t offset, std::initializer_list<uint32_t> values) {
  for (const uint32_t x : values) put(bytes, offset, x), offset += 16;
}

}  // namespace

const std::vector<Tensile>& tensile_kernels() {
  static const std::vector<Tensile> kernels = {
      {"Custom_Cijk_Alik_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_K1_MIWT4_16_DTVA", "bf16", 256, 256,
       0, 2},
      {"Custom_Cijk_Alik_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT256x224x64_MI16x16x1_SN_K1_MIWT4_14_DTVA", "bf16", 256, 224,
       1, 2},
      {"Custom_Cijk_Alik_Bljk_F8BS_BH_BiasSB_AS_SABV_SAV_UserArgs_MT256x256x128_MI16x16x1_SN_K1_MIWT4_16_DTVA", "fp8",
       256, 256, 2, 1},
      {"Custom_Cijk_Alik_Bljk_F8BS_BH_BiasSB_AS_SABV_SAV_UserArgs_MT256x224x128_MI16x16x1_SN_K1_MIWT4_14_DTVA", "fp8",
       256, 224, 2, 1},
  };
  return kernels;
}

const Tensile* tensile_kernel(const std::string& dtype, const GemmSize& s, int units) {
  const Tensile* best = nullptr;
  uint64_t least = 0;
  for (const Tensile& t : tensile_kernels()) {
    if (dtype != t.dtype) continue;
    const uint64_t tiles = uint64_t{(s.m + t.tile_m - 1) / t.tile_m} * ((s.n + t.tile_n - 1) / t.tile_n);
    const uint64_t work =
        (tiles + static_cast<uint64_t>(units) - 1) / static_cast<uint64_t>(units) * t.tile_m * t.tile_n;
    if (!best || work < least) best = &t, least = work;
  }
  return best;
}

sim::Launch tensile_launch(const Tensile& t, const GemmSize& s, sim::Memory& memory) {
  const auto bytes = [&](uint64_t rows, int element) { return rows * s.k * static_cast<uint64_t>(element); };
  const uint64_t d = memory.allocate(uint64_t{s.m} * s.n * 2, "D"), a = memory.allocate(bytes(s.m, t.element), "A"),
                 b = memory.allocate(bytes(s.n, t.element), "B");
  constexpr uint32_t workgroup_mapping =
      8;  // columns of tiles side by side, as the library's logic files have for large problems
  sim::Launch l;
  auto& k = l.kernargs;
  put(k, 0, 1u);                                                 // one problem
  put(k, 4, t.version == 0 ? 1u | workgroup_mapping << 8 : 1u);  // no split of K, no staggered start
  if (t.version > 0) put(k, 8, workgroup_mapping);
  const size_t at = t.version == 0 ? 8 : 16;
  put(k, at, s.m), put(k, at + 4, s.n), put(k, at + 8, 1u), put(k, at + 12, s.k);
  put(k, at + 16, d), put(k, at + 24, d), put(k, at + 32, a), put(k, at + 40, b);
  const uint32_t strides[] = {s.m, s.m * s.n, s.m, s.m * s.n, s.k, s.m * s.k, s.k, s.n * s.k};
  for (size_t i = 0; i < std::size(strides); ++i) put(k, at + 48 + 4 * i, strides[i]);
  put(k, at + 80, 1.0f), put(k, at + 84, 0.0f);  // alpha, beta
  k.resize(at + 160);                            // no scales, no bias, no activation
  const uint32_t rows = (s.m + t.tile_m - 1) / t.tile_m, columns = (s.n + t.tile_n - 1) / t.tile_n;
  l.grid = t.version == 0 ? std::array<uint32_t, 3>{rows, columns, 1} : std::array<uint32_t, 3>{rows * columns, 1, 1};
  l.block = {256, 1, 1};
  return l;
}

sim::Launch kittens_launch(const Kittens& t, const GemmSize& s, sim::Memory& memory) {
  sim::Launch l;
  size_t at = 0;
  const auto tensor = [&](uint64_t rows, uint64_t columns, const char* name) {
    kittens_tensor(l.kernargs, at, memory.allocate(rows * columns * 2, name), {1, 1, rows, columns});
  };
  tensor(s.m, s.k, "A"), tensor(s.n, s.k, "B"), tensor(s.m, s.n, "C");
  memory.allocate(uint64_t{4} << 20, "after C");  // the last tiles are fetched in advance beyond the end
  put(l.kernargs, at, uint64_t{0});               // the stream
  const uint32_t tiles = s.m / t.tile_m * (s.n / t.tile_n);
  l.dynamic_lds = 160000;
  l.grid = {tiles, 1, 1}, l.block = {t.lanes, 1, 1};
  return l;
}

std::vector<Rdna3Gemm> rdna3_gemms(const std::string& peers, isa::Arch arch, const std::string& type,
                                   const std::string& layout) {
  std::vector<Rdna3Gemm> all;
  const std::string folder = peers + "/wmma", begin = fmt::format("{}_{}_{}_", isa::target(arch).name, type, layout);
  if (!std::filesystem::is_directory(folder)) return all;
  for (const auto& f : std::filesystem::directory_iterator(folder)) {
    const std::string name = f.path().stem().string();
    if (!name.starts_with(begin)) continue;
    const auto n = numbers(name.substr(begin.size()));  // waves, fragments of 16x16, swizzle, bits
    if (n.size() == 6)
      all.push_back({f.path().string(), name, static_cast<uint32_t>(16 * n[0] * n[2]),
                     static_cast<uint32_t>(16 * n[1] * n[3]), static_cast<uint32_t>(n[0] * n[1])});
  }
  std::ranges::sort(all, {}, &Rdna3Gemm::name);
  return all;
}
sim::Launch rdna3_launch(const Rdna3Gemm& g, const std::string& type, const GemmSize& s, sim::Memory& memory) {
  sim::Launch l;
  put(l.kernargs, 0, memory.allocate(uint64_t{s.m} * s.n * (type == "half" ? 2 : 4), "C"));
  put(l.kernargs, 8, memory.allocate(uint64_t{s.m} * s.k * 2, "A"));
  put(l.kernargs, 16, memory.allocate(uint64_t{s.k} * s.n * 2, "B"));
  put(l.kernargs, 24, s.m), put(l.kernargs, 28, s.n), put(l.kernargs, 32, s.k);
  l.grid = {s.m / g.tile_m * (s.n / g.tile_n), 1, 1}, l.block = {32 * g.waves, 1, 1};
  return l;
}

std::string aiter_attention_file(const AttentionShape& a, isa::Arch arch) {
  const bool gfx942 = arch == isa::Arch::gfx942;
  if (arch == isa::Arch::gfx1250)
    return fmt::format("gfx1250/fmha_fwd_bf16/fmha_bf16_pertokenBf16_hd{}_128x256{}.co", a.dim,
                       a.causal ? "_mask" : "");
  if (a.fp8)
    return fmt::format("{}/fmha_v3_fwd/{}fwd_hd{}_fp8{}.co", isa::target(arch).name, gfx942 ? "MI300/" : "", a.dim,
                       a.causal ? "_causal" : "");
  const auto dims = a.dim == a.dim_v ? fmt::format("{}", a.dim)
                    : gfx942         ? fmt::format("{}x{}", a.dim, a.dim_v)
                                     : fmt::format("{}_hd{}", a.dim, a.dim_v);
  return fmt::format("{}/fmha_v3_fwd/{}fwd_hd{}_bf16{}{}.co", isa::target(arch).name, gfx942 ? "MI300/" : "", dims,
                     a.causal ? "_causal" : "", gfx942 ? "_rtna" : "");
}
namespace {
// Packed (tests/facts/peer_launch.md 4).
sim::Launch aiter_packed_launch(const AttentionShape& a, sim::Memory& memory) {
  const Tensors t = tensors(a, memory);
  sim::Launch l;
  const uint64_t pointers[] = {t.o, t.q, t.k, t.v, t.lse};
  for (size_t i = 0; i < std::size(pointers); ++i) put(l.kernargs, 8 * i, pointers[i]);
  put(l.kernargs, 0x28, 1 / std::sqrt(static_cast<float>(a.dim)));
  const Strides q = strides(a, a.heads, a.queries, a.dim), o = strides(a, a.heads, a.queries, a.dim_v),
                k = strides(a, a.kv_heads, a.keys, a.dim), v = strides(a, a.kv_heads, a.keys, a.dim_v);
  const uint32_t rest[] = {a.queries, q.row,        128 * q.row, q.head,  q.batch, a.heads / a.kv_heads,
                           k.row,     k.head,       k.batch,     7,       a.lse,   a.keys,
                           a.heads,   v.row,        v.head,      v.batch, o.row,   o.head,
                           o.batch,   a.queries * 4};
  for (size_t i = 0; i < std::size(rest); ++i) put(l.kernargs, 0x2c + 4 * i, rest[i]);
  put(l.kernargs, 0x7c, memory.allocate(a.heads * 4, "sinks"));
  l.grid = {a.heads, ((a.queries + 127) / 128 + 1) / 2, a.batch}, l.block = {128, 1, 1};
  return l;
}
}  // namespace

// Slots of 16 bytes (tests/facts/peer_launch.md 1).
sim::Launch aiter_attention_launch(const AttentionShape& a, isa::Arch arch, sim::Memory& memory) {
  if (arch == isa::Arch::gfx1250) return aiter_packed_launch(a, memory);
  const Tensors t = tensors(a, memory);
  sim::Launch l;
  const uint64_t pointers[] = {t.o, t.q, t.k, t.v, t.lse};
  for (size_t i = 0; i < std::size(pointers); ++i) put(l.kernargs, 16 * i, pointers[i]);
  put(l.kernargs, 0x50, 1 / std::sqrt(static_cast<float>(a.dim)));
  const bool wide = a.dim == 192, heads_by_x = wide && arch == isa::Arch::gfx942;
  const uint32_t rows = wide ? 128 : 256, order = heads_by_x                                       ? 0
                                                  : a.causal && (a.heads % 8 || a.queries > 16384) ? 3
                                                                                                   : 5;
  const uint32_t bytes = a.fp8 ? 1 : 2;
  const Strides q = strides(a, a.heads, a.queries, a.dim, bytes), o = strides(a, a.heads, a.queries, a.dim_v),
                k = strides(a, a.kv_heads, a.keys, a.dim, bytes), v = strides(a, a.kv_heads, a.keys, a.dim_v, bytes);
  slots(l.kernargs, 0x60,
        {a.queries, q.row, rows * q.row, q.head, q.batch, a.heads / a.kv_heads, k.row, k.head, k.batch, order, a.lse,
         a.keys, a.dim, a.dim_v, a.heads});
  slots(l.kernargs, 0x150, {v.row, v.head, v.batch, o.row, o.head, o.batch});
  slots(l.kernargs, 0x1d0, {a.queries * 4});
  if (a.fp8) {
    const uint64_t one = memory.allocate(4, "scale");
    const float scale = 1;
    std::array<uint8_t, sizeof scale> code;
    std::memcpy(code.data(), &scale, sizeof scale);
    memory.write(one, code);
    for (const size_t at : {0x200u, 0x210u, 0x220u}) put(l.kernargs, at, one);
  }
  l.kernargs.resize(0x290);
  const uint32_t tiles = (a.queries + rows - 1) / rows, halved = (tiles + 1) / 2;
  l.grid = {a.causal ? halved : tiles, a.heads, a.batch}, l.block = {wide ? 256u : 512u, 1, 1};
  if (heads_by_x) l.grid = {a.heads, tiles, a.batch};
  return l;
}

std::string kittens_attention_file(const AttentionShape& a) {
  return fmt::format("attention{}_d{}.{}x{}x{}.co", a.causal ? "_causal" : "", a.dim, a.heads, a.kv_heads, a.queries);
}
sim::Launch kittens_attention_launch(const AttentionShape& a, sim::Memory& memory) {
  const Tensors t = tensors(a, memory);
  sim::Launch l;
  size_t at = 0;
  for (const auto& [address, heads, rows] : {std::tuple(t.q, a.heads, a.queries),
                                             {t.k, a.kv_heads, a.keys},
                                             {t.v, a.kv_heads, a.keys},
                                             {t.o, a.heads, a.queries}})
    kittens_tensor(l.kernargs, at, address, {a.batch, rows, heads, a.dim});
  kittens_tensor(l.kernargs, at, t.lse, {a.batch, a.heads, 1, a.queries});
  put(l.kernargs, at, uint64_t{0});  // the stream
  l.dynamic_lds = 160000;
  l.grid = {a.heads, (a.queries + 255) / 256, a.batch}, l.block = {512, 1, 1};
  return l;
}

}  // namespace wavesmith::validation
