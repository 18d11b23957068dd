#include "generator/dsl/program.h"

#include "isa_tables/occupancy.h"

namespace wavesmith {

int Program::accum_offset() const { return (std::max(vgprs, 1) + 3) / 4 * 4; }
int Program::total_vgprs() const { return isa::vgprs_in_file(isa::target(arch), vgprs, agprs); }

}  // namespace wavesmith
