// A matrix instruction as a kernel uses it: what its lanes supply and hold, from the layouts of the instruction tables.
// Each lane reads a fragment of A or B from LDS in chunks of 16 bytes along k: one operand of an instruction, or
// several. Without block scales the order of k is free as long as A and B agree; with them it is the instruction's. The
// order of the rows of A, which is that of D's, is chosen such that a lane has at least 16 bytes of consecutive rows.
// Where a target has no matrix instruction for a type, fused multiply-adds take its place: a wave's tile is 32x32, of
// which each lane has a block of 4x4 (64 lanes) or 4x8 (32); it reads the rows of A and columns of B of its own.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "isa_tables/layout.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

// Elements along k in a chunk of an LDS row: 16 bytes of them, or 16 elements of 6 bits, of which two chunks have 24
// bytes: 16 in the first one, 8 in the second half of the other.
int chunk_k(isa::Type);
struct FragmentPart {
  int chunk, byte;    // of the row, from the lane's first chunk; in the chunk
  int first, dwords;  // registers
  int row = 0;        // from the lane's first one
};
// A or B.
struct AtomOperand {
  isa::Type type;
  int registers;                    // of one instruction
  isa::LinearLayout fragment;       // "lane" -> "row" (m of A, n of B), "chunk" (of the row)
  std::vector<FragmentPart> parts;  // a lane reads
  int row_chunks;                   // of a row that a fragment of all lanes covers
  int step_chunks = 0;              // from a row's fragment to the next; 0: what it covers
  int fragment_dwords() const { return parts.back().first + parts.back().dwords; }
  int row_bytes() const { return row_chunks * chunk_bytes; }
  int groups() const;        // of lanes with different k
  int group_chunks() const;  // of a row from the second group's first chunk to the first group's; 0: one group
  int chunks() const { return static_cast<int>(parts.size()); }  // of a lane's fragment
  // Chunk j of fragment `step` of a row, of the first group.
  int chunk(int step, int j) const {
    return step * (step_chunks ? step_chunks : row_chunks) + parts[static_cast<size_t>(j)].chunk;
  }
  // Of an instruction with `blocks` blocks of k that have scales: the same with the blocks of `fragments` fragments of
  // a row in another order, in which the scales that a lane supplies for them are consecutive.
  AtomOperand by_blocks(int blocks, int fragments) const;
};
// The scales, e8m0 by rows and blocks of 32 k, as lanes supply them.
struct AtomScales {
  int tiles = 0;                // fragments whose scales share a register, by lanes; 0: no scales
  isa::LinearLayout a, b;       // "lane" -> "row" of these tiles, "block" of the instruction
  bool block_per_lane = false;  // a lane supplies one byte, that of its block; else all blocks of its row, in order
};

struct Atom {
  // `a` and `b`: types of the operands in memory. Error: IsaError if the target does not have the instruction.
  Atom(isa::Opcode, isa::Arch, isa::Type a, isa::Type b);
  // The same, computed once. Error: as the constructor's.
  static const Atom& of(isa::Opcode, isa::Arch, isa::Type a, isa::Type b);

  isa::Opcode op;
  isa::Arch arch;
  int lanes;   // of a wave
  int extent;  // rows of A, columns of B
  int depth;   // k of an instruction
  AtomOperand a, b;
  AtomScales scales;
  isa::LinearLayout product;  // "lane", "item" -> "row", "col" of D
  int items, item_dwords;     // results of a lane, registers of one
  int run;                    // consecutive rows of D in consecutive items
  isa::Mods mods;             // formats and signs of A and B

  bool scaled() const { return scales.tiles != 0; }
  bool multiplies_by_lanes() const { return !isa::info(op).is_matrix(); }
  int k_of_fragment() const { return a.row_chunks * chunk_k(a.type); }
  int parts() const { return k_of_fragment() / depth; }  // instructions that two fragments take
  // The scales of one operand of an instruction: the byte of the register, or the tile of those that share it.
  struct Scale {
    Vgpr in;
    int select;
  };
  // d += a b, one of the parts. `d`: the registers of a product.
  void multiply(Block& to, isa::Operand d, VAArg of_a, VAArg of_b, int part, Where w = Where::current()) const {
    multiply(to, d, of_a, of_b, part, d, w);
  }
  void multiply(Block&, isa::Operand d, VAArg a, VAArg b, int part, isa::Operand c, Where = Where::current()) const;
  void multiply(Block& to, isa::Operand d, VAArg of_a, VAArg of_b, Scale scale_a, Scale scale_b,
                Where w = Where::current()) const {
    multiply(to, d, of_a, of_b, scale_a, scale_b, d, w);
  }
  void multiply(Block&, isa::Operand d, VAArg a, VAArg b, Scale of_a, Scale of_b, isa::Operand c,
                Where = Where::current()) const;

 private:
  void take_lanes(isa::Type);
  void multiply_by_lanes(Block&, Vgpr d, Vgpr a, Vgpr b, Where) const;
};
// The fused multiply-add that is an atom for this type, where the target has no matrix instruction for it.
std::optional<isa::Opcode> multiply_add(isa::Type);
// Operations per clock of one CU (WGP) whose SIMDs all do nothing else but multiply A and B of these types by a matrix
// instruction or a multiply-add (at the rate of its pairs, where the target has these). Source: the timing rows.
double flops_per_clock(isa::Opcode, isa::Arch, isa::Type a, isa::Type b);
// True if instructions of this row multiply A of type `a` by B of type `b`. Formats that an instruction selects by
// modifiers (f8f6f4) and signs (iu8, iu4) are its own as well.
bool multiplies(const isa::Matrix&, isa::Type a, isa::Type b);

// Registers of products: AGPRs where the target has them, unless VALU instructions work on them.
enum class SumsIn : uint8_t { agprs, vgprs };
class Accumulators {
 public:
  Accumulators() = default;
  // `count` products of `dwords` registers.
  Accumulators(Registers&, isa::Arch, int count, int dwords, const std::string& name, SumsIn = SumsIn::agprs,
               Where = Where::current());
  isa::Operand operator()(int product) const;
  VAArg part(int product, int first, int dwords) const;
  bool agprs() const { return !a_.empty(); }
  Vgpr vgprs(int product) const { return v_[static_cast<size_t>(product)]; }
  void read(Block&, Vgpr to, int product, int register_of_it) const;
  void write(Block&, int product, int register_of_it, Vgpr from) const;
  void clear(Block&) const;  // sets them to zero
  void clear(Block&, int product) const;
  // Multiplies a product by the lane's `factor`. `scratch`: needed where they are AGPRs.
  void multiply(Block&, int product, Vgpr factor, std::array<Vgpr, 2> scratch) const;

 private:
  std::vector<Owned<File::a>> a_;
  std::vector<Owned<File::v>> v_;
};

}  // namespace wavesmith
