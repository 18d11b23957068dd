#include "isa_tables/offsets.h"

#include <fmt/format.h>

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
  static constexpr uint32_t formats = [] {
    uint32_t all = 0;
    for (const Row& r : rows) all |= 1u << static_cast<int>(r.format);
    return all;
  }();
  if (!(formats >> static_cast<int>(format) & 1)) return {};  // most instructions
  for (const Row& r : rows)
    if (r.format == format && (r.archs & bit(arch))) return r.range;
  return {};
}

int reach(Format format, Arch arch) {
  if (const auto range = offset_range(format, arch)) return range->high + 1;
  throw IsaError(fmt::format("{}: the instructions of this format have no offset", target(arch).name));
}

}  // namespace wavesmith::isa
