// Targets of long branches: SGPR pairs that hold an address computed from the program counter and constants, along
// straight-line code.
#pragma once
#include <map>
#include <optional>

#include "isa_tables/inst.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::sim {

// Tracks s_getpc_b64 and what is added to it. Valid along straight-line code only: start anew after a branch.
class CodeAddresses {
 public:
  void see(const isa::Inst& i, uint64_t next) {  // next: the following address
    using isa::Opcode;
    const isa::Info& row = i.info();
    const isa::Operand& d = i.operands[0];
    if (row.operands[0].kind == isa::Kind::none || row.operands[0].access == isa::Access::read ||
        d.file != isa::File::s)
      return;
    const auto low = value(i.operands[1]), other = value(i.operands[2]);
    std::optional<uint32_t> result;
    if (i.op == Opcode::s_getpc_b64)
      return set(d.index, static_cast<uint32_t>(next)), set(d.index + 1, static_cast<uint32_t>(next >> 32));
    if (i.op == Opcode::s_add_u32 && low && other) result = *low + *other, carry_ = (uint64_t{*low} + *other) >> 32;
    else if (i.op == Opcode::s_add_i32 && low && other) result = *low + *other, carry_.reset();  // SCC is the overflow
    else if (i.op == Opcode::s_addc_u32 && low && other && carry_) result = *low + *other + *carry_;
    else if (i.op == Opcode::s_sub_u32 && low && other) result = *low - *other, carry_ = *low < *other;
    else if (i.op == Opcode::s_subb_u32 && low && other && carry_) result = *low - *other - *carry_;
    else if (i.op == Opcode::s_abs_i32 && low) result = *low >> 31 ? 0 - *low : *low;
    else if (i.op == Opcode::s_mov_b32 && low) result = *low;
    for (int k = 0; k < d.dwords; ++k) values_.erase(d.index + k);
    if (result) set(d.index, *result);
  }
  std::optional<uint64_t> pair(const isa::Operand& o) const {
    const auto a = values_.find(o.index), b = values_.find(o.index + 1);
    if (o.file != isa::File::s || a == values_.end() || b == values_.end()) return {};
    return a->second | uint64_t{b->second} << 32;
  }
  // The address completed by the instruction just seen, which added its upper half.
  std::optional<uint64_t> made(const isa::Inst& i) const {
    if (i.op != isa::Opcode::s_addc_u32 && i.op != isa::Opcode::s_subb_u32) return {};
    isa::Operand low = i.operands[0];
    --low.index;
    return pair(low);
  }

 private:
  std::optional<uint32_t> value(const isa::Operand& o) const {
    if (o.file == isa::File::imm) return o.bits;
    const auto it = values_.find(o.index);
    return o.file == isa::File::s && it != values_.end() ? std::optional(it->second) : std::nullopt;
  }
  void set(int reg, uint32_t v) { values_[reg] = v; }
  std::map<int, uint32_t> values_;
  std::optional<uint64_t> carry_;
};

}  // namespace wavesmith::sim
