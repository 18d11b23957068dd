// MODE.VSKIP of gfx9: while it is set, VOP*, M*BUF, DS and FLAT instructions are skipped (Vega ISA, CDNA1-4 ISA,
// S_SETVSKIP).
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::sim {

inline constexpr uint32_t vskip = 1u << 28;  // in Wave::mode_rest
inline bool is_skippable(const isa::Info& row) { return row.unit >= isa::Unit::valu; }

}  // namespace wavesmith::sim
