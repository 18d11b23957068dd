// A kernel's descriptor as the resources that isa::occupancy counts: the one reading of it that inspect, time and the
// reports print.
#pragma once
#include "isa_tables/occupancy.h"
#include "simulator/code_object.h"

namespace wavesmith::sim {

// Per wave as the descriptor reserves them; LDS bytes and waves of a workgroup of so many work-items.
isa::Resources resources(isa::Arch, const KernelInfo&, uint64_t work_items, uint32_t dynamic_lds = 0);

}  // namespace wavesmith::sim
