// LDS banks and phases: which lanes of an access are served together, and the cost of accesses to different dwords of
// one bank.
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "isa_tables/isa.h"

namespace wavesmith::isa {

enum class LdsAccess : uint8_t { read, write };
struct LdsPhases {
  int banks;                             // of 4 bytes
  int lanes;                             // per phase, which takes one cycle without conflicts
  const std::array<uint8_t, 64>& order;  // lanes in order of service; a wave32 uses the first 32
  bool inferred;                         // not measured, not documented
};
// bytes: of one lane, 1 to 16; IsaError otherwise.
const LdsPhases& lds_phases(Family, LdsAccess, int bytes);

// Sum of the cycles beyond one per phase: in each phase the busiest bank counts; lanes that access the same dword count
// once. address: byte addresses, one per lane; active: EXEC.
int lds_conflict_cycles(const LdsPhases&, std::span<const uint32_t> address, uint64_t active, int bytes);
// The same for addresses of any alignment. A misaligned access that touches one dword more than its size is served
// dword by dword for each lane: inferred from LLVM, which rates it at a single dword's speed
// (SITargetLowering::allowsMisalignedMemoryAccessesImpl).
int lds_conflict_cycles(Family, LdsAccess, std::span<const uint32_t> address, uint64_t active, int bytes);

}  // namespace wavesmith::isa
