// Paths through code as the check of LDS walks them: which lines matter, where waves that parted meet again, and loops
// unrolled.
#pragma once
#include <optional>

#include "checker/code.h"

namespace wavesmith::checker {

bool uses_lds(const Item&);     // and nothing else, but for what a load into LDS reads
bool may_use_lds(const Item&);  // FLAT
bool signals(Opcode);           // at a split barrier
bool is_barrier(Opcode);        // that is waited at

// By block, the lines that have to do with LDS: accesses, what their addresses and the active lanes follow from, what
// counts and waits, barriers, and all that leads elsewhere. The other lines change nothing of what is asked here.
std::vector<std::vector<int>> lds_lines(const Code& code);
// By block: the first that all paths from it lead to, its immediate postdominator; the number of blocks: none.
std::vector<int> meetings(const Code& code);
// Whether waves that part behind block `from` come to a barrier, or to their end, before they meet at `to`.
bool barrier_before(const Code& code, int from, int to);
// The same code, whatever runs behind none, one and several branches back in copies of its own: what is known of an
// address in the first turns of a loop often is not of all of them together.
Code unrolled(const Code&);
bool has_loops(const Code&);

// The code as written, and unrolled if it is: blocks are copies of those of the first.
struct Paths {
  const Code& written;
  std::vector<std::vector<int>> lines;  // lds_lines(written)
  std::optional<Code> turns{};
  const Code& code() const { return turns ? *turns : written; }
  int number(const Span& b) const {
    return static_cast<int>(&b - code().blocks.data()) % static_cast<int>(written.blocks.size());
  }
  const std::vector<int>& lines_of(const Span& b) const { return lines[static_cast<size_t>(number(b))]; }
};

}  // namespace wavesmith::checker
