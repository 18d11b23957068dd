// Code as the checker sees it: lines with their successors, whoever made them. Lines that are encoded alike share one
// Item, in which everything that follows from the instruction alone is worked out once; a code object of ten thousand
// lines has perhaps a thousand.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/in_flight.h"
#include "isa_tables/dataflow.h"
#include "isa_tables/mc/mc.h"
#include "isa_tables/reg_set.h"
#include "simulator/code_object.h"

namespace wavesmith::checker {

using isa::Arch, isa::File, isa::Inst, isa::Mods, isa::Opcode, isa::Operand;
using isa::RegBits, isa::RegSet, isa::number_of, isa::scalar_base;

// How execution goes on behind an instruction.
enum class Flow : uint8_t {
  next,
  branch,
  conditional,
  call,
  jump,
  ends,
  trap
};  // jump: to an address in registers; trap: may not come back

// A register operand to whose number M0 is added: what is meant is that register or one above it.
struct Base {
  Operand reg;
  bool writes;
};

struct Item {
  Inst inst;
  uint8_t size = 0;  // bytes; 0: not from a file
  Flow flow = Flow::next;
  bool counted = false, waits = false;  // moves a counter; waits for one
  std::string refusal;                  // our tables do not know it: why
  RegSet touched, reads, writes;        // as effects() says
  bool pure = false;                    // its results follow from the registers it reads
  int lds_address = 0;  // of an LDS instruction: one more than the number of its address register; 0: none
  RegSet required;      // sources whose value matters: what a write leaves in place is none
  isa::Few<Base, 4> bases;
  std::array<Operand, 4> wide{};        // sources of several registers that may be defined in part, but not in none
  int v_end = 0, a_end = 0, s_end = 0;  // behind the highest register it names; s: without VCC and the like
};
// indexed: M0 is added to the VGPRs of a vector instruction by s_set_gpr_idx_on, a bit each for its three sources and
// the result.
Item make_item(const Inst&, Arch, int lanes, uint32_t indexed = 0);
// What earlier instructions make of register numbers (s_set_vgpr_msb, s_set_gpr_idx_on), behind one more.
uint8_t mode_behind(const Inst&, uint8_t mode);
std::string register_name(int number, Arch);
inline bool has(const RegSet& set, int reg) {
  for (int k = 0; k < set.count; ++k)
    if (set.parts[static_cast<size_t>(k)].word == reg / 64)
      return set.parts[static_cast<size_t>(k)].mask >> reg % 64 & 1;
  return false;
}

struct Line {
  const Item* item = nullptr;
  uint64_t pc = 0;             // in a file: code object address; else the number of the node
  int next = -1, target = -1;  // lines; -1: none
  const char* lost = nullptr;  // execution goes on where there is no code: what is there instead
};

struct Span {
  int begin = 0, end = 0;  // lines [begin, end)
  std::vector<int> to;
  bool enters = false;  // ends with a call, and leads to the function (calls.h), not to the next line
};

// What a call leads to: an address, and once looked at (check.cpp), the registers that the function and those it calls
// may write.
struct Call {
  uint64_t to = 0;
  bool known = false;
  RegBits writes{};
};

struct Code {
  Arch arch{};
  int lanes = 64;
  std::vector<Line> lines;    // lines[0] is the entry
  std::vector<Span> blocks;   // blocks[0] starts with it
  std::map<int, Call> calls;  // by line, where the code says the address
  bool indirect = false;      // jumps where the code does not say
  std::vector<int> jumps;     // lines that do
  in_flight::Streams::Replays replays = in_flight::Streams::Replays::any;
};
void find_blocks(Code&);
inline isa::Edges edges(const Code& code) {
  return isa::Edges(code.blocks.size(), [&](size_t b, auto f) { std::ranges::for_each(code.blocks[b].to, f); });
}
// What s_setreg does to a field of a hardware register; value: none if that is not an immediate, or only part of the
// field is written.
struct HardwareField {
  std::string_view name;
  uint32_t bit, bits;
};
struct FieldWrite {
  bool any = false;
  std::optional<uint32_t> value{};
};
FieldWrite field_write(const Item&, HardwareField, Arch);
// Without an instruction that asks for replay groups the hardware holds others back until addresses are translated
// (MODE.REPLAY_MODE).
bool asks_for_replay_groups(const Code&);

// Decodes what is reachable from an address. One a thread; remembers encodings.
class Decoder {
 public:
  Decoder(Arch, int lanes);
  // `end`: execution that falls through to there has left the function. 0: not known.
  Code decode(const sim::CodeObject&, uint64_t entry, uint64_t end);
  uint64_t known() const { return items_.size(); }
  void forget_if_full();  // ends all Code that it made

 private:
  struct Walk;
  struct Key {
    std::array<uint32_t, 5> words{};
    uint32_t mode = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key&) const;
  };
  // `mode`: as mode_behind() says.
  const Item* item_at(std::span<const uint8_t> code, uint64_t pc, uint8_t mode);
  const Item* learn(std::span<const uint8_t> code, uint64_t pc, uint8_t mode);
  Arch arch_;
  int lanes_;
  isa::Mc mc_;
  std::deque<Item> items_;
  std::array<std::unordered_map<Key, const Item*, Hash>, 6> by_dwords_;  // index: dwords of the encoding
};

}  // namespace wavesmith::checker
