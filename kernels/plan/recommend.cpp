// The guides' numbers with their reasons.
#include "kernels/plan/recommend.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::plan {
namespace {

struct KindRow {
  KernelKind kind;
  const char* name;
  Stages stages;
};
const KindRow kinds[] = {
    {KernelKind::gemm, "gemm", {2, 2, "the matrix instructions of this step hide the loads of the next"}},
    {KernelKind::gemm_indirect, "gemm-indirect", {3, 3, "one more stage for loading the addresses"}},
    {KernelKind::fused_compute,
     "fused-compute",
     {1, 1, "many inputs are live already; a second stage would spill registers"}},
    {KernelKind::fused_memory, "fused-memory", {2, 3, "memory-bound: it needs loads in flight"}},
    {KernelKind::elementwise,
     "elementwise",
     {1, 2, "only the innermost loop is pipelined; fall back to 1 if registers spill"}},
};
const KindRow& row(KernelKind k) { return kinds[static_cast<int>(k)]; }
bool is_gemm(KernelKind k) { return k == KernelKind::gemm || k == KernelKind::gemm_indirect; }

constexpr BlockSize usual[] = {{256, 256}, {256, 128}, {128, 128}, {128, 64}, {64, 64}, {64, 32}, {32, 32}};

}  // namespace

const char* name(KernelKind k) { return row(k).name; }

KernelKind find_kernel_kind(std::string_view word) {
  std::string legal;
  for (const KindRow& r : kinds) {
    if (word == r.name) return r.kind;
    legal += fmt::format(" {}", r.name);
  }
  throw PlanError(fmt::format("kernel '{}' is unknown, legal:{}", word, legal));
}

Stages stages(KernelKind k) { return row(k).stages; }

Utilisation utilisation(int64_t m, int64_t n, BlockSize b, int cus) {
  const int64_t workgroups = ceil_div(m, b.m) * ceil_div(n, b.n), rounds = ceil_div(workgroups, cus);
  return {workgroups, rounds, static_cast<double>(workgroups) / static_cast<double>(rounds * cus)};
}

std::span<const BlockSize> usual_blocks() { return usual; }

BlockChoice choose_block(int64_t m, int64_t n, int cus, std::span<const BlockSize> blocks) {
  if (cus < 1 || m < 1 || n < 1)
    throw PlanError(fmt::format("{} CUs and a result of {}x{}; legal: numbers from 1", cus, m, n));
  double best = 0;
  for (const BlockSize b : blocks) best = std::max(best, utilisation(m, n, b, cus).used);
  const double enough = best * 0.95;  // 5 %: halving a side of a block reads a third more bytes per product, which
                                      // costs more than a few idle CUs
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](BlockSize b) { return utilisation(m, n, b, cus).used >= enough; });
  const Utilisation u = utilisation(m, n, *found, cus);
  return {*found, u,
          fmt::format("{} workgroups in {} round{} of {} CUs; the largest block within 5 % of the best utilisation",
                      u.workgroups, u.rounds, u.rounds == 1 ? "" : "s", cus)};
}

WavesPerEu waves_per_eu(isa::Arch arch, const isa::Resources& kernel) {
  const auto with = [&](int v) {
    isa::Resources r = kernel;
    r.vgprs = v;
    return isa::occupancy(arch, r);
  };
  const auto waves = [&](int v) { return with(v).waves_per_simd; };
  const int vgprs = kernel.vgprs, now = waves(vgprs);
  if (const isa::Occupancy fewest = with(1); fewest.waves_per_simd <= now)
    return {{},
            fmt::format("fewer VGPRs would not allow more waves: the limit is {}",
                        fewest.limited_by == isa::Occupancy::By::vgprs ? "AGPRs" : isa::name(fewest.limited_by))};
  const int slightly = std::max(
      1, vgprs / 8);  // what an allocator can give up without spilling; the guides say "slightly above a boundary"
  for (int fewer = 1; fewer <= slightly && fewer < vgprs; ++fewer)
    if (const int then = waves(vgprs - fewer); then > now)
      return {then, fmt::format("{} VGPRs allow {} waves per SIMD, {} fewer allow {}", vgprs, now, fewer, then)};
  return {{},
          fmt::format("{} VGPRs allow {} waves per SIMD, and {} fewer allow no more: a request would only cause spills",
                      vgprs, now, slightly)};
}

Recommendation kpack_for(isa::Arch arch, KernelKind kind) {
  const FamilyTraits& t = traits(arch);
  if (!t.mfma) return {1, "no MFMA on this target"};
  if (t.kpack_is_one) return {1, "one K group of the instruction fills a 16-byte LDS read already"};
  if (!is_gemm(kind)) return {1, "helps the LDS reads of plain GEMMs only"};
  return {2,
          "two consecutive K groups: an LDS read takes twice as many bytes (where the tile allows it: planner 13a, "
          "13b)"};
}

Recommendation nonkdim_for(isa::Arch arch, KernelKind kind) {
  if (!traits(arch).mfma) return {0, "WMMA has 16x16 alone"};
  if (is_gemm(kind)) return {16, "GEMM: 16x16 instructions, with finer tiles"};
  return {32, "fused kernels: 32x32 instructions, fewer of them between the other work"};
}

BlockK block_k(Elem e, isa::Arch arch, BlockSize b, int stages) {
  const int ideal = 512 * 8 / bits(e);
  const auto lds = [&](int k) { return int64_t{b.m + b.n} * k * bits(e) / 8 * std::max(1, stages - 1); };
  const int limit = isa::target(arch).lds_bytes;
  int practical = ideal / 2;  // 256 bytes: 128 elements of 16 bits; the ideal makes tiles too large
  while (practical > 16 && lds(practical) > limit) practical /= 2;
  if (lds(practical) > limit)
    throw PlanError(
        fmt::format("block {}x{}: {} elements of K of both operands take {} bytes of LDS in {} stages, {} has "
                    "{}; legal: a smaller block",
                    b.m, b.n, practical, lds(practical), stages, isa::target(arch).name, limit));
  return {ideal, practical,
          fmt::format("{} elements are 512 contiguous bytes per load; {} of both operands take {} of {} bytes of LDS",
                      ideal, practical, lds(practical), limit)};
}

Recommendation elementwise_block(Elem e) {
  return {16384 * 8 / bits(e), "16 KiB in flight per workgroup, up to twice that: memory-bound; compute in f32"};
}

Recommendation lds_padding(Elem e, isa::Arch arch, BlockSize b, int row) {
  const int per_bank = std::max(1, 32 / bits(e));  // elements of a bank's 4 bytes
  const int words = ceil_div(row, per_bank), padded = (words | 1) * per_bank;
  const int64_t bytes = int64_t{b.m + b.n} * padded * bits(e) / 8;
  const int limit = isa::target(arch).lds_bytes;
  if (bytes > limit)
    return {0,
            fmt::format("rows of {} words would avoid bank conflicts but take {} of {} bytes of LDS: swizzle instead",
                        padded / per_bank, bytes, limit)};
  return {padded - row,
          fmt::format("a row of {} words: an odd number, so that rows begin in different banks", padded / per_bank)};
}

}  // namespace wavesmith::plan
