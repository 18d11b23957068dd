// Target sets that the .def columns name, derived from the families of arch.def.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa::sets {

constexpr ArchSet of(Family wanted) {
  ArchSet set = 0;
#define ARCH(name, family, ...) \
  if (Family::family == wanted) set |= bit(Arch::name);
#include "isa_tables/arch.def"
#undef ARCH
  return set;
}
inline constexpr ArchSet cdna1 = of(Family::cdna1), cdna2 = of(Family::cdna2), cdna3 = of(Family::cdna3),
                         cdna4 = of(Family::cdna4);
inline constexpr ArchSet rdna3 = of(Family::rdna3), rdna35 = of(Family::rdna35), rdna4 = of(Family::rdna4),
                         gfx1250 = of(Family::gfx1250);
inline constexpr ArchSet gfx9 = cdna1 | cdna2 | cdna3 | cdna4, gfx11 = rdna3 | rdna35, gfx12 = rdna4 | gfx1250;
inline constexpr ArchSet gfx90a_up = cdna2 | cdna3 | cdna4, cdna34 = cdna3 | cdna4, rdna = gfx11 | rdna4,
                         all = gfx9 | gfx11 | gfx12;
inline constexpr ArchSet gfx11_up = gfx11 | gfx12, gfx11_rdna4 = gfx11 | rdna4, rdna35_up = rdna35 | gfx12;
inline constexpr ArchSet gfx9_to_11 = gfx9 | gfx11, gfx9_to_12 = gfx9 | gfx11 | rdna4;
inline constexpr ArchSet gfx90a_up_1250 = gfx90a_up | gfx1250, cdna34_1250 = cdna34 | gfx1250,
                         cdna4_1250 = cdna4 | gfx1250;

}  // namespace wavesmith::isa::sets
