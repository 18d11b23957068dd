// A matrix instruction as a kernel uses it: what its lanes supply and hold, from the layouts of the instruction tables.
// Each lane reads a fragment of A or B from LDS in chunks of 16 bytes along k: one operand of an instruction, or
// several. The order of k is free as long as A and B agree, and so is the order of the rows of A, which is that of D's:
// it is chosen such that a lane has at least 16 bytes of consecutive rows of D.
#pragma once
#include <array>
#include <vector>

#include "isa_tables/layout.h"
#include "kernels/parts/wave.h"

namespace wavesmith {

struct Atom {
  // `a` and `b`: types of the operands in memory. Error: IsaError if the target does not have the instruction.
  Atom(isa::Opcode, isa::Arch, isa::Type a, isa::Type b);

  isa::Opcode op;
  isa::Arch arch;
  int lanes;                                 // of a wave
  int extent;                                // rows of A, columns of B
  int operand;                               // registers of A or B
  isa::LinearLayout fragment_a, fragment_b;  // "lane" -> "row" (m of A, n of B), "chunk" (number of its group of k)
  int groups;                                // of lanes with different k
  int chunks;                                // of a fragment: chunk j of group g is chunk j * groups + g of the row
  isa::LinearLayout product;                 // "lane", "item" -> "row", "col" of D
  int items, item_dwords;                    // results of a lane, registers of one
  int run;                                   // consecutive rows of D in consecutive items
  isa::Mods mods;                            // formats and signs of A and B

  int fragment_dwords() const { return chunks * chunk_bytes / 4; }
  int row_bytes() const { return groups * chunks * chunk_bytes; }  // along k: what a fragment of all lanes covers
  // d += a b, one of the parts() instructions that two fragments take. `d`: the registers of a product.
  void multiply(Block&, isa::Operand d, Vgpr a, Vgpr b, int part, Where = Where::current()) const;
  int parts() const { return fragment_dwords() / operand; }
};
// True if instructions of this row multiply A of type `a` by B of type `b`. Formats that an instruction selects by
// modifiers (f8f6f4) and signs (iu8) are its own as well.
bool multiplies(const isa::Matrix&, isa::Type a, isa::Type b);

// Registers of products: AGPRs where the target has them.
class Accumulators {
 public:
  Accumulators() = default;
  // `count` products of `dwords` registers.
  Accumulators(Registers&, isa::Arch, int count, int dwords, const std::string& name, Where = Where::current());
  isa::Operand operator()(int product) const;
  VAArg part(int product, int first, int dwords) const;
  bool agprs() const { return !a_.empty(); }
  void read(Block&, Vgpr to, int product, int register_of_it) const;
  void clear(Block&) const;  // sets them to zero
  // Multiplies a product by the lane's `factor`. `scratch`: needed where they are AGPRs.
  void multiply(Block&, int product, Vgpr factor, std::array<Vgpr, 2> scratch) const;

 private:
  std::vector<Owned<File::a>> a_;
  std::vector<Owned<File::v>> v_;
};

}  // namespace wavesmith
