#include "isa_tables/offsets.h"

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {

std::optional<OffsetRange> offset_range(Format format, Arch arch) {
  struct Row {
    Format format;
    ArchSet archs;
    OffsetRange range;
  };
  using namespace sets;
  static constexpr Row rows[] = {
#define OFFSET(format, archs, low, high) {Format::format, archs, {low, high}},
#include "isa_tables/offsets.def"
#undef OFFSET
  };
  for (const Row& r : rows)
    if (r.format == format && (r.archs & bit(arch))) return r.range;
  return {};
}

}  // namespace wavesmith::isa
