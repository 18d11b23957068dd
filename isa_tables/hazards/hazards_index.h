// Lookup tables of the tracker of hazards.h: rows and classes by target and opcode, precomputed as masks, and shared
// helpers.
#pragma once
#include <bit>
#include <optional>

#include "isa_tables/hazards/hazards.h"
#include "isa_tables/names.h"

namespace wavesmith::isa {

namespace hazard {
inline constexpr Classes set_vskip = at(49), setreg_vskip = at(50);
}  // namespace hazard

using hazard::Classes;
using hazard::Fix;
using hazard::Link;

// A field of s_waitcnt_depctr and s_wait_alu (LLVM: AMDGPU depctr encodings): mask of its bits, all ones for no wait.
struct AluWaitField {
  Fix fix;
  uint32_t mask;
};
inline constexpr AluWaitField alu_wait_fields[] = {{Fix::va_vdst, 0xf000},
                                                   {Fix::va_sdst, 0x0e00},
                                                   {Fix::sa_sdst, 0x0001},
                                                   {Fix::vm_vsrc, 0x001c},
                                                   {Fix::idle, 0xff9f}};
inline constexpr uint32_t depctr_none = 0xff9f, depctr_va_vcc = 0x0002;

// Rows of one target as a bit set, so that a pair of instructions visits only the rows that name both.
struct RowSet {
  std::array<uint64_t, 2> bits{};
  void add(size_t row) { bits[row >> 6] |= uint64_t{1} << (row & 63); }
  RowSet& operator|=(const RowSet& o) {
    bits[0] |= o.bits[0], bits[1] |= o.bits[1];
    return *this;
  }
};

// Per target: the rows by class bit, and for every opcode its classes and its possible producers.
struct HazardIndex {
  struct Op {
    Classes classes, cares;
    uint8_t reads, writes, passes;
  };  // reads, writes: a bit an operand
  Arch arch;
  std::vector<Op> ops;
  std::array<Classes, 64> producers_of{};               // consumer class bit -> producer classes
  std::array<RowSet, 64> consumed_by{}, produced_by{};  // class bit -> rows that name it
  std::vector<const HazardRule*> rows;
  std::array<std::array<std::array<uint8_t, 4>, 3>, 64>
      life{};                           // producer class bit, clock, passes -> most wait states
  Classes produced = 0;                 // classes that some row of the target names as producer
  Classes anywhere = 0;                 // those of rows whose link is not about registers
  const HazardRule* by_salu = nullptr;  // the reuse rows
  const HazardRule* by_valu = nullptr;
  const HazardRule* forwarding = nullptr;
  std::vector<const HazardRule*> until_wait;  // rows that only an ALU wait ends
  bool nops_only = true, same_op = false;     // same_op: some row needs the producer's opcode
  Opcode alu_wait{}, v_nop{};
  bool has_alu_wait = false;
  HazardIndex(Arch, bool wave64);
  static RowSet all_of(const std::array<RowSet, 64>& sets, Classes classes) {
    RowSet out;
    for (Classes c = classes; c; c &= c - 1) out |= sets[std::countr_zero(c)];
    return out;
  }
  Classes cares(Classes classes) const {
    Classes out = 0;
    for (Classes c = classes & hazard::consumers; c; c &= c - 1) out |= producers_of[std::countr_zero(c)];
    return out;
  }
};

// Built on first use. lanes: per wave; 0: the target's default.
const HazardIndex& index_of(Arch, int lanes = 0);

inline int column(int passes) {
  return passes >= 16 ? 3 : passes >= 8 ? 2 : passes >= 4 ? 1 : 0;
}  // of a row's amounts
bool writes_part(const Inst&);  // of a register
Classes consumer_classes(Classes of_opcode, const Inst&);
Classes wide_store_data(const Inst&, int& data);  // its class, 0 if it is none; which operand
bool writes_vskip(const Inst&);
std::optional<int> hwreg_of(const Inst&);  // the hwreg immediate's number field
bool reads_wave_state(const Inst&);        // s_getreg of a register that rows of gfx1250 name

}  // namespace wavesmith::isa
