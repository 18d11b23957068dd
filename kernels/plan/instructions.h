// The matrix instruction for a dot: the candidates of a target, read from isa::table(), and the two choices made
// among them. A 4x4 instruction of 16 blocks appears twice, as 64x4 and as 4x64: one operand's 4 rows are broadcast to
// all blocks, 16 instructions with 16 different broadcast groups make up one step of K.
#pragma once
#include <optional>
#include <span>

#include "kernels/plan/types.h"

namespace wavesmith::plan {

struct InstructionCandidate {
  const isa::Info* row;
  int m, n, k;   // of one step; 64x4 and 4x64 count the 16 instructions of a step
  int k_base;    // elements of A (and B) per lane and instruction
  int per_step;  // instructions per step: 16 for 64x4 and 4x64, otherwise 1
  Elem a, b, d;
  int scale_block;  // elements of K that share a scale byte, 0: no scales
};
// All of a target, dense (no SMFMAC, SWMMAC), best first: highest rate, then the larger tile, which uses each element
// it reads more often, then the larger K. All choices among instructions filter this list.
std::span<const InstructionCandidate> candidates(isa::Arch);
isa::Opcode opcode(const InstructionCandidate&);
const char* mnemonic(const InstructionCandidate&, isa::Arch);  // as the target spells it

struct DotShape {
  int64_t m = 0, n = 0, k = 0;
};
struct InstructionTile {
  int m = 0, n = 0;
  std::string rule;
};  // 0x0: none; the rule gives the reason

// Handling of a dimension that is not a multiple of the instruction's. Compilers define the cases of powers of two;
// `as_stated` follows them there (K that does not divide: no matrix instruction) and pads other sizes. `pad` always
// pads.
enum class Remainder : uint8_t { as_stated, pad };

// planner_spec 4 and 10. `nonkdim` 0: by size; 16, 32: enforced for any M and N.
InstructionTile mfma_tile(DotShape, int nonkdim, bool f64, Remainder);
InstructionTile wmma_tile(DotShape, Remainder);

struct Key {
  int m, n;
  Elem a, b, d;
  int scale_block = 0;
};
// The alternatives of a key, in the order of candidates(): larger K first.
std::vector<InstructionCandidate> alternatives(isa::Arch, const Key&);

struct Fit {
  std::optional<InstructionCandidate> instruction;
  std::string rule;
};
// The first alternative with K >= its k, otherwise the last (planner_spec 4 "selectFor"); for a K that may be padded,
// the one that pads least. `partial`: K need not be a multiple, the rest is filled with zeros when lowered (WMMA,
// planner_spec 10).
Fit fit_k(std::span<const InstructionCandidate>, int64_t k, Remainder, bool partial);

// The operand types (A, B, C, D) of the cheapest WMMA conversion, ties to the earlier of the list (planner_spec 10).
// nullopt: none is below MAX.
struct Types {
  Elem a, b, c, d;
};
struct WmmaTypes {
  Types types;
  int cost;
};
std::optional<WmmaTypes> cheapest_types(const Types& wanted, int wmma);

}  // namespace wavesmith::plan
