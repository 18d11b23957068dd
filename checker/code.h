// Code as the checker sees it: lines with their successors, from a file or from the generator. Lines with the same
// encoding share one Item, which holds everything that follows from the instruction alone; a code object of ten
// thousand lines has perhaps a thousand.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
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
using isa::RegBits, isa::RegSet, isa::RegView, isa::number_of, isa::scalar_base;

// How execution continues after an instruction.
enum class Flow : uint8_t {
  next,
  branch,
  conditional,
  call,
  jump,
  ends,
  trap
};  // jump: to an address in registers; trap: may not return

// A register operand to whose number M0 is added: the instruction accesses that register or one above it.
struct Base {
  Operand reg;
  bool writes;
};

// A wait for a counter to be at most `count`.
struct CounterWait {
  int counter, count;
};

struct Item {
  const Inst& inst;
  uint8_t size = 0;  // bytes; 0: not from a file
  Flow flow = Flow::next;
  bool counted = false;                             // increments a counter
  bool pure = false;                                // its results follow from the registers it reads
  bool writes_indexed = false;                      // some base is written
  bool uses_lds = false, may_use_lds = false;       // and no other memory, except what a load into LDS reads; FLAT
  bool undefined_product = false;                   // of a matrix instruction (isa::undefined_product)
  bool synchronizes = false;                        // a barrier, a signal or a wait for one, GWS
  bool sets_hardware = false, writes_exec = false;  // s_setreg; part of EXEC
  int lds_address = 0;  // of an LDS instruction: one more than the number of its address register; 0: none
  int v_end = 0, a_end = 0,
      s_end = 0;          // one past the highest named register; s: without VCC and other special registers
  RegView reads, writes;  // as effects() says
  std::span<const Base> bases;
  std::span<const CounterWait> waits;
  std::string_view refusal;  // not in our tables: the reason
};

// The sources that must be defined. Except of a load into LDS, `reads` has them all.
struct Required {
  RegSet registers;             // parts that a write preserves are not sources
  isa::Few<Operand, 4> wide{};  // of several registers, of which one must be defined
};
Required required_by(const Item&, Arch, int lanes);

// Makes items and owns what they refer to.
class Items {
 public:
  // `memory`: bytes to begin with; or where they are.
  Items(Arch arch, int lanes, size_t memory) : arch_(arch), lanes_(lanes), memory_(memory) {}
  Items(Arch arch, int lanes, std::span<std::byte> memory)
      : arch_(arch), lanes_(lanes), memory_(memory.data(), memory.size()) {}
  // The instruction must live as long as the item. indexed: M0 is added to the VGPRs of a vector instruction by
  // s_set_gpr_idx_on, a bit each for its three sources and the result.
  Item* make(const Inst&, uint32_t indexed = 0);
  Item* refused(std::string_view reason);
  const Inst& keep(const Inst& inst) { return *put(std::span(&inst, 1)); }
  size_t count() const { return count_; }
  void clear() { memory_.release(), count_ = 0; }

 private:
  template <class T>
  T* put(std::span<const T> all) {
    T* to = static_cast<T*>(memory_.allocate(all.size_bytes(), alignof(T)));
    std::uninitialized_copy(all.begin(), all.end(), to);
    return to;
  }
  RegView put(const RegSet&);
  std::span<const CounterWait> put(const isa::Waits&);
  Item* put(const Item&);
  Arch arch_;
  int lanes_;
  size_t count_ = 0;
  std::pmr::monotonic_buffer_resource memory_;
};
// The effect of s_set_vgpr_msb and s_set_gpr_idx_on on register numbers, after one more instruction.
uint8_t mode_after(const Inst&, uint8_t mode);
std::string register_name(int number, Arch);
inline bool has(const RegView& set, int reg) {
  for (int k = 0; k < set.count; ++k)
    if (set.parts[static_cast<size_t>(k)].word == reg / 64)
      return set.parts[static_cast<size_t>(k)].mask >> reg % 64 & 1;
  return false;
}

struct CodeLine {
  const Item* item = nullptr;
  uint64_t pc = 0;                     // in a file: code object address; else the number of the node
  int next = absent, target = absent;  // lines
  const char* lost = nullptr;          // execution continues where there is no code: what is there instead
};

// What some line of the code has; most rules concern few lines, and many kernels have none of them.
struct Traits {
  bool refused = false, undefined_product = false, lost = false;
  bool sets_hardware = false, uses_lds = false, may_use_lds = false, indexed = false;
  int v_end = 0, a_end = 0, s_end = 0;  // the highest
  void add(const Traits&);
  void add(const CodeLine&);
};

struct Span {
  int begin = 0, end = 0;  // lines [begin, end)
  std::vector<int> to;
  bool enters = false;  // ends with a call and continues in the function (calls.h), not at the next line
};

// The target of a call: an address and, once analysed (check.cpp), the registers that the function and its callees may
// write.
struct Call {
  uint64_t to = 0;
  bool known = false;
  RegBits writes{};
};

struct Code {
  Arch arch{};
  int lanes = 64;
  std::vector<CodeLine> lines;  // lines[0] is the entry
  std::vector<Span> blocks;     // blocks[0] starts with it
  Traits some;                  // of the lines
  std::map<int, Call> calls;    // by line, where the address is known
  bool indirect = false;        // has jumps to unknown addresses
  std::vector<int> jumps;       // those lines
  in_flight::Streams::Replays replays = in_flight::Streams::Replays::any;
  bool addresses = true;  // the lines' pcs are addresses, not numbers of nodes
  // By pc, empty if unknown; nullptr: nothing is known. The author's line and Block, and the name of a branch target.
  std::function<std::string(uint64_t)> where, label;
  std::function<std::string(const Operand&)> register_names;  // the author's, of one register; as above
};
// A line's instruction, branches with the label they go to; and where it is: "0x1540, gemm.cpp:88 (read A)".
std::string instruction_of(const Code&, int line);
std::string place_of(const Code&, int line);
std::string named_register(const Code&, int number);  // "s14 (half of the last place)"
void find_blocks(Code&);                              // and traits
inline isa::Edges edges(std::span<const Span> blocks) {
  return isa::Edges(blocks.size(), [&](size_t b, auto f) { std::ranges::for_each(blocks[b].to, f); });
}
inline isa::Edges edges(const Code& code) { return edges(code.blocks); }
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
FieldWrite hardware_write(const Item&, HardwareField, Arch);
inline FieldWrite field_write(const Item& item, HardwareField field, Arch arch) {
  return item.sets_hardware ? hardware_write(item, field, arch) : FieldWrite{};
}
// Unless an instruction requests replay groups, the hardware stalls other instructions until addresses are translated
// (MODE.REPLAY_MODE).
bool asks_for_replay_groups(const Code&);

// Decodes what is reachable from an address. One per thread; caches encodings.
class Decoder {
 public:
  Decoder(Arch, int lanes);
  // The Code names the object's source lines, so the object must outlive it.
  // `end`: execution that falls through to this address has left the function. 0: unknown.
  Code decode(const sim::CodeObject&, uint64_t entry, uint64_t end);
  uint64_t known() const { return items_.count(); }
  void forget_if_full();  // invalidates all Code that it made

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
  // `mode`: from mode_after().
  const Item* item_at(std::span<const uint8_t> code, uint64_t pc, uint8_t mode);
  const Item* learn(std::span<const uint8_t> code, uint64_t pc, uint8_t mode);
  Arch arch_;
  int lanes_;
  isa::Mc mc_;
  Items items_;
  std::array<std::unordered_map<Key, const Item*, Hash>, 6> by_dwords_;  // index: dwords of the encoding
};

}  // namespace wavesmith::checker
