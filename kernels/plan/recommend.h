// The guides' advice for the kernel around a dot, with reasons: pipeline stages, the tile for the number of CUs, waves
// per EU, kPack, BLOCK_K, the MFMA's non-K dimension. Sources: performance_guide.md and mfma_kernel_patterns.md
// (seeds), with the corrections of planner_spec 12.
#pragma once
#include <optional>
#include <span>

#include "isa_tables/occupancy.h"
#include "kernels/plan/types.h"

namespace wavesmith::plan {

enum class KernelKind : uint8_t {
  gemm,           // operands loaded directly
  gemm_indirect,  // addresses loaded first (gather, grouped)
  fused_compute,  // several products, compute-bound: attention prefill
  fused_memory,   // several products, memory-bound: paged attention, decode
  elementwise,    // layer norm, softmax
};
const char* name(KernelKind);
KernelKind find_kernel_kind(std::string_view);  // PlanError naming the kinds

struct Stages {
  int least, most;
  std::string reason;
};
Stages stages(KernelKind);  // of the software pipeline

// Workgroups of an m x n result on `cus` CUs, one workgroup per CU at a time: used = workgroups / (rounds * cus); only
// the last round may be partial.
struct BlockSize {
  int m, n;
};
struct Utilisation {
  int64_t workgroups, rounds;
  double used;
};
Utilisation utilisation(int64_t m, int64_t n, BlockSize, int cus);
struct BlockChoice {
  BlockSize block;
  Utilisation utilisation;
  std::string reason;
};
std::span<const BlockSize> usual_blocks();  // largest first
// The largest block whose utilisation is within 5 % of the best.
BlockChoice choose_block(int64_t m, int64_t n, int cus, std::span<const BlockSize> = usual_blocks());

// Waves per SIMD to request from the register allocator: more than now, if only VGPRs limit them and few need to be
// saved; otherwise none. Error: IsaError, as for isa::occupancy.
struct WavesPerEu {
  std::optional<int> ask;
  std::string reason;
};
WavesPerEu waves_per_eu(isa::Arch, const isa::Resources&);

struct Recommendation {
  int value;
  std::string reason;
};
Recommendation kpack_for(isa::Arch, KernelKind);
Recommendation nonkdim_for(isa::Arch, KernelKind);  // 0: not applicable on this target
struct BlockK {
  int ideal, practical;
  std::string reason;
};  // elements
BlockK block_k(Elem, isa::Arch, BlockSize, int stages);
Recommendation elementwise_block(Elem);  // elements of a workgroup's step
// Elements to add to each row of `row` elements of both operands in LDS so that the rows of a column fall into
// different banks; 0 where LDS has no room for them.
Recommendation lds_padding(Elem, isa::Arch, BlockSize, int row);

}  // namespace wavesmith::plan
