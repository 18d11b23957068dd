// The rows of lds.def and the count of conflicts.
#include "isa_tables/lds.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa_tables/arch_sets.h"

namespace wavesmith::isa {
namespace {

constexpr bool measured = false, inferred = true;

using Order = std::array<uint8_t, 64>;
// The order of one half wave, repeated for the other.
constexpr Order twice(const std::array<uint8_t, 32>& half) {
  Order out{};
  for (int i = 0; i < 64; ++i) out[i] = static_cast<uint8_t>(half[i % 32] + i / 32 * 32);
  return out;
}
constexpr Order ascending() {
  Order out{};
  for (int i = 0; i < 64; ++i) out[i] = static_cast<uint8_t>(i);
  return out;
}
constexpr Order in_order = ascending();
// Eight lanes a phase: four and the four that are 16 away, their neighbours swapped.
constexpr Order pairs_of_quads = twice({0, 1, 2,  3,  20, 21, 22, 23, 4,  5,  6,  7,  16, 17, 18, 19,
                                        8, 9, 10, 11, 28, 29, 30, 31, 12, 13, 14, 15, 24, 25, 26, 27});
// Sixteen lanes a phase.
constexpr Order split_quads = twice({0, 1, 2, 3, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27,
                                     4, 5, 6, 7, 8,  9,  10, 11, 16, 17, 18, 19, 28, 29, 30, 31});

struct LdsRow {
  ArchSet archs;
  LdsAccess access;
  int bytes;
  LdsPhases phases;
};
constexpr LdsRow lds_rows[] = {
#define LDS_PHASES(archs, access, bytes, banks, lanes, order, source) \
  {[] { \
     using namespace sets; \
     return archs; \
   }(), \
   LdsAccess::access, \
   bytes, \
   {banks, lanes, order, source}},
#include "isa_tables/lds.def"
#undef LDS_PHASES
};

static_assert(std::all_of(std::begin(lds_rows), std::end(lds_rows),
                          [](const LdsRow& r) { return r.phases.lanes * r.bytes <= 256; }),
              "a phase is at most 64 dwords");

constexpr int families = static_cast<int>(Family::gfx1250) + 1, widest = 16;
using Index = std::array<std::array<std::array<const LdsPhases*, widest + 1>, 2>, families>;
constexpr Index make_index() {
  Index index{};
  for (const LdsRow& r : lds_rows)
    for (int f = 0; f < families; ++f)
      if (r.archs & sets::of(static_cast<Family>(f))) index[f][static_cast<int>(r.access)][r.bytes] = &r.phases;
  for (auto& of_family : index)
    for (auto& of_access : of_family) of_access[1] = of_access[2] = of_access[4];
  return index;
}
constexpr Index phases_by_width = make_index();

}  // namespace

const LdsPhases& lds_phases(Family f, LdsAccess access, int bytes) {
  const LdsPhases* found =
      bytes > 0 && bytes <= widest
          ? phases_by_width[static_cast<size_t>(f)][static_cast<size_t>(access)][static_cast<size_t>(bytes)]
          : nullptr;
  if (!found) throw IsaError(fmt::format("LDS access of {} bytes per lane, legal: 1 2 4 8 12 16", bytes));
  return *found;
}

int lds_conflict_cycles(const LdsPhases& p, std::span<const uint32_t> address, uint64_t active, int bytes) {
  const int dwords = std::max(1, bytes / 4), wave = static_cast<int>(address.size());
  const uint32_t mask = static_cast<uint32_t>(p.banks - 1);
  int extra = 0;
  for (int first = 0; first < wave; first += p.lanes) {
    uint64_t banks = 0;
    bool clean = true;  // the usual case, found without sorting
    uint32_t wanted[64];
    int n = 0;
    for (int i = first; i < std::min(wave, first + p.lanes); ++i) {
      const int l = p.order[static_cast<size_t>(i)];
      if (!(active >> l & 1)) continue;
      for (int d = 0; d < dwords; ++d) {
        const uint32_t dword = address[static_cast<size_t>(l)] / 4 + static_cast<uint32_t>(d);
        const uint64_t one = uint64_t{1} << (dword & mask);
        clean &= !(banks & one);
        banks |= one;
        wanted[n++] = dword;
      }
    }
    if (clean) continue;
    int count[64] = {}, worst = 1;
    std::sort(wanted, wanted + n);
    n = static_cast<int>(std::unique(wanted, wanted + n) - wanted);
    for (int i = 0; i < n; ++i) worst = std::max(worst, ++count[wanted[i] & mask]);
    extra += worst - 1;
  }
  return extra;
}

int lds_conflict_cycles(Family f, LdsAccess access, std::span<const uint32_t> address, uint64_t active, int bytes) {
  const LdsPhases &own = lds_phases(f, access, bytes), &one = lds_phases(f, access, 4);
  const auto touched = [&](size_t l) {
    return active >> l & 1 ? static_cast<int>((address[l] % 4 + static_cast<uint32_t>(bytes) + 3) / 4) : 0;
  };
  int most = 0;
  for (size_t l = 0; l < address.size(); ++l) most = std::max(most, touched(l));
  if (most <= std::max(1, bytes / 4)) return lds_conflict_cycles(own, address, active, bytes);
  const int wave = static_cast<int>(address.size());
  int cycles = 0;
  for (int d = 0; d < most; ++d) {
    uint32_t at[64];
    uint64_t there = 0;
    for (size_t l = 0; l < address.size(); ++l)
      at[l] = address[l] + 4 * static_cast<uint32_t>(d), there |= uint64_t{touched(l) > d} << l;
    cycles += wave / one.lanes + lds_conflict_cycles(one, {at, address.size()}, there, 4);
  }
  return std::max(0, cycles - wave / own.lanes);
}

}  // namespace wavesmith::isa
