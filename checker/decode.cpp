// Bytes -> lines. Each encoding is decoded once (LLVM's disassembler, then our parser) and looked up afterwards. The
// first dwords determine an instruction's length, so looking up one dword, then two, and so on finds the right one.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "checker/code.h"
#include "isa_tables/opcodes.h"
#include "simulator/code_addresses.h"
#include "simulator/decoded_kernel.h"
#include "simulator/vskip.h"

namespace wavesmith::checker {
namespace {

// A bit of Place::mode: vector instructions are skipped (s_setvskip) and get no lines. gfx9 only, which has no
// s_set_vgpr_msb and so leaves the mode's bits free.
constexpr uint8_t skipping = 0x80;

constexpr size_t most_items = 100'000;  // a thread remembers: about 50 MB

std::optional<bool> skips(const Inst& i) {  // s_setvskip: the value it sets; empty: not a constant
  if (i.operands[0].file != File::imm || i.operands[1].file != File::imm) return {};
  return i.operands[0].bits >> (i.operands[1].bits & 31) & 1;
}

int64_t distance(const Inst& i) {  // of a branch, from the next instruction, in bytes
  for (int k = 0; k < i.info().count(); ++k)
    if (i.info().operands[k].kind == isa::Kind::label) return 4 * int64_t{static_cast<int16_t>(i.operands[k].bits)};
  return static_cast<int64_t>(i.operands[0].bits | uint64_t{i.operands[0].dwords == 2  ? i.operands[0].high
                                                            : i.operands[0].bits >> 31 ? ~0u
                                                                                       : 0u}
                                                       << 32);
}

}  // namespace

size_t Decoder::Hash::operator()(const Key& k) const {
  uint64_t h = k.mode;
  for (const uint32_t w : k.words) h = (h ^ w) * 0x9e3779b97f4a7c15, h ^= h >> 29;
  return h;
}

Decoder::Decoder(Arch arch, int lanes) : arch_(arch), lanes_(lanes), mc_(arch, lanes), items_(arch, lanes, 1 << 16) {}

const Item* Decoder::learn(std::span<const uint8_t> code, uint64_t pc, uint8_t mode) {
  const auto d = mc_.disassemble(code.first(std::min<size_t>(code.size(), 20)), pc);
  if (!d.size) return nullptr;
  Item* item = nullptr;
  const bool indexes = isa::info(Opcode::s_set_gpr_idx_on).on(arch_);
  try {
    Inst inst = mc_.instruction(d, code);
    if (mode && !indexes) sim::shift_registers(inst, sim::shift_of(mode));
    item = items_.make(items_.keep(inst), indexes ? mode & ~skipping : 0);
  } catch (const isa::IsaError& e) { item = items_.refused(fmt::format("{}: {}", d.text, e.what())); }
  item->size = static_cast<uint8_t>(d.size);
  return item;
}

const Item* Decoder::item_at(std::span<const uint8_t> code, uint64_t pc, uint8_t mode) {
  Key key;
  key.mode = mode;
  const size_t dwords = std::min<size_t>(code.size() / 4, key.words.size());
  for (size_t n = 1; n <= dwords; ++n) {
    std::memcpy(&key.words[n - 1], code.data() + 4 * (n - 1), 4);
    if (const auto it = by_dwords_[n].find(key); it != by_dwords_[n].end()) return it->second;
  }
  const Item* item = learn(code, pc, mode);
  if (!item) return nullptr;
  Key exact;
  exact.mode = mode;
  std::memcpy(exact.words.data(), code.data(), item->size);
  by_dwords_[item->size / 4].emplace(exact, item);
  return item;
}

struct Decoder::Walk {
  struct Place {
    uint64_t pc;
    uint8_t mode;
  };
  Decoder& decoder;
  const sim::CodeObject& object;
  uint64_t entry, end;
  Code code{};
  std::unordered_map<uint64_t, int> line_at;  // by pc and mode
  std::vector<Place> todo;
  std::vector<std::pair<int, Place>> targets;  // line of a branch, its target
  const bool may_skip = isa::info(Opcode::s_setvskip).on(decoder.arch_);

  static uint64_t key(Place p) { return p.pc | uint64_t{p.mode} << 56; }

  // The place after the vector instructions that VSKIP skips.
  Place past_skipped(Place at) const {
    if (!may_skip || !(at.mode & skipping)) return at;
    for (;;) {
      const auto bytes = object.code(at.pc);
      const Item* item = bytes.size() < 4 ? nullptr : decoder.item_at(bytes, at.pc, at.mode);
      if (!item || !item->refusal.empty() || !sim::is_skippable(item->inst.info())) return at;
      at.pc += item->size;
    }
  }
  uint8_t mode_of_next(const Item& item, uint8_t mode) const {
    if (!item.refusal.empty()) return mode;
    if (!may_skip) return mode_after(item.inst, mode);
    if (item.inst.op == Opcode::s_setvskip)
      return static_cast<uint8_t>(skips(item.inst).value_or(false) ? mode | skipping : mode & ~skipping);
    return static_cast<uint8_t>(mode_after(item.inst, mode & ~skipping) | (mode & skipping));
  }

  // Decodes instructions up to the first after which execution does not fall through.
  void run(Place at) {
    sim::CodeAddresses addresses;
    int last = absent;  // the line that falls through to here
    for (;;) {
      at = past_skipped(at);
      if (const auto it = line_at.find(key(at)); it != line_at.end()) {
        if (last != absent) code.lines[static_cast<size_t>(last)].next = it->second;
        return;
      }
      const auto bytes = object.code(at.pc);
      const Item* item =
          bytes.size() < 4 || (last != absent && at.pc == end) ? nullptr : decoder.item_at(bytes, at.pc, at.mode);
      if (!item || (item->refusal.empty() && item->inst.op == Opcode::s_code_end)) {
        if (last == absent) return;
        CodeLine& from = code.lines[static_cast<size_t>(last)];
        if (from.item->flow != Flow::call && from.item->flow != Flow::trap)
          from.lost = at.pc == end       ? "the end of the function"
                      : bytes.size() < 4 ? "the end of the code"
                      : item             ? "s_code_end"
                                         : "not an instruction";
        return;
      }
      const int line = static_cast<int>(code.lines.size());
      if (last != absent) code.lines[static_cast<size_t>(last)].next = line;
      line_at.emplace(key(at), line);
      code.lines.push_back({item, at.pc, absent, absent, nullptr});
      const uint64_t next = at.pc + item->size;
      if (!follow(*item, line, {next, at.mode}, addresses)) return;
      addresses.see(item->inst, next);
      at = {next, mode_of_next(*item, at.mode)};
      last = line;
    }
  }
  // False: execution does not continue with the next instruction.
  bool follow(const Item& item, int line, Place next, const sim::CodeAddresses& addresses) {
    const auto go = [&](uint64_t pc) {
      const Place to = past_skipped({pc, next.mode});
      targets.push_back({line, to}), todo.push_back(to);
    };
    const Inst& i = item.inst;
    if (item.refusal.empty() && i.op == Opcode::s_setvskip && !skips(i))
      return next.mode |= skipping, go(next.pc), true;  // not a constant: follow both modes
    switch (item.flow) {
      case Flow::next:
      case Flow::trap: return true;
      case Flow::ends: return false;
      case Flow::branch:
      case Flow::conditional: go(next.pc + static_cast<uint64_t>(distance(i))); return item.flow == Flow::conditional;
      case Flow::call:
        if (i.operands[1].file != File::s) code.calls[line].to = next.pc + static_cast<uint64_t>(distance(i));
        else if (const auto to = addresses.pair(i.operands[1])) code.calls[line].to = *to;
        return true;
      case Flow::jump:
        if (const auto to = addresses.pair(i.operands[0])) go(*to);
        else code.indirect = true, code.jumps.push_back(line);
        return false;
    }
    return true;
  }
};

void Decoder::forget_if_full() {
  if (items_.count() <= most_items) return;
  for (auto& known : by_dwords_) known.clear();
  items_.clear();
}

Code Decoder::decode(const sim::CodeObject& object, uint64_t entry, uint64_t end) {
  Walk w{*this, object, entry, end, {}, {}, {}, {}};
  w.code.arch = arch_;
  w.code.lanes = lanes_;
  w.code.where = [&object](uint64_t pc) { return object.where(pc); };
  w.code.label = [&object](uint64_t pc) { return std::string(object.name_at(pc)); };
  w.todo.push_back({entry, 0});
  while (!w.todo.empty()) {
    const auto at = w.todo.back();
    w.todo.pop_back();
    w.run(at);
  }
  for (const auto& [line, at] : w.targets) {
    const auto it = w.line_at.find(Walk::key(at));
    CodeLine& from = w.code.lines[static_cast<size_t>(line)];
    if (it != w.line_at.end()) from.target = it->second;
    else from.lost = "not an instruction";
  }
  find_blocks(w.code);
  return std::move(w.code);
}

}  // namespace wavesmith::checker
