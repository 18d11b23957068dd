// Argument layouts as the kernels' metadata and their first instructions have them.
#include "tests/validation/peers.h"

namespace wavesmith::validation {

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
  const auto tensor = [&](uint64_t rows, uint64_t columns,
                          const char* name) {  // a global layout: pointer, four extents, padding
    put(l.kernargs, at, memory.allocate(rows * columns * 2, name));
    for (const uint64_t extent : {uint64_t{1}, uint64_t{1}, rows, columns}) put(l.kernargs, at += 8, extent);
    at += 16;
  };
  tensor(s.m, s.k, "A"), tensor(s.n, s.k, "B"), tensor(s.m, s.n, "C");
  memory.allocate(uint64_t{4} << 20, "after C");  // the last tiles are fetched in advance beyond the end
  put(l.kernargs, at, uint64_t{0});               // the stream
  const uint32_t tiles = s.m / t.tile_m * (s.n / t.tile_n);
  l.dynamic_lds = 160000;
  l.grid = {tiles, 1, 1}, l.block = {t.lanes, 1, 1};
  return l;
}

}  // namespace wavesmith::validation
