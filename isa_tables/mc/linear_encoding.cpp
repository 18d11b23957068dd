#include "isa_tables/mc/linear_encoding.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wavesmith::isa {
namespace {

uint32_t number_of(const Inst& inst, int source) {
  if (source < slot_offset)
    return inst.operands[source].is_reg() ? inst.operands[source].index : inst.operands[source].bits;
  return source == slot_offset    ? static_cast<uint32_t>(inst.mods.offset)
         : source == slot_offset0 ? inst.mods.offset0
                                  : inst.mods.offset1;
}
void set_number(Inst& inst, int source, uint32_t number) {
  if (source == slot_offset) inst.mods.offset = static_cast<int>(number);
  else if (source == slot_offset0) inst.mods.offset0 = static_cast<uint8_t>(number);
  else if (source == slot_offset1) inst.mods.offset1 = static_cast<uint8_t>(number);
  else if (inst.operands[source].is_reg()) inst.operands[source].index = static_cast<uint16_t>(number);
  else inst.operands[source].bits = number;
}

}  // namespace

std::optional<LinearEncoding> LinearEncoding::learn(const Inst& like, std::span<const int> sources, Encode encode,
                                                    Exists exists) {
  constexpr uint32_t a_literal = 0x12345678;
  constexpr int number_bits = 16;
  LinearEncoding l;
  Inst zero = like;
  std::vector<int> bits;  // by source: of its number
  for (const int s : sources) {
    const bool operand = s < slot_offset;
    if (operand && like.operands[s].file == File::label) continue;  // encoded as 0
    if (std::ranges::any_of(l.sources_, [&](const auto& known) { return known.source == s; })) continue;
    Source source{s};
    bits.push_back(number_bits);
    if (operand && !like.operands[s].is_reg()) {
      const OperandSpec& spec = like.spec(s);
      const bool field = spec.kind == Kind::imm || spec.kind == Kind::waits;
      if (spec.dwords == 2 || like.operands[s].dwords == 2 || spec.constant != Constant::plain) return {};
      if (!field && inline_constant(like.operands[s].bits)) source.most = 64, bits.back() = 7;
      else if (!field) source.at_zero = a_literal, bits.back() = 32;
    }
    set_number(zero, s, source.at_zero);
    l.sources_.push_back(source);
  }
  std::vector<uint8_t> code;
  const auto encoded = [&](const Inst& inst) {
    code.clear(), encode(inst, code);
    Code words{};
    std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
    return words;
  };
  l.zero_ = encoded(zero), l.bytes_ = code.size();
  if (l.bytes_ > sizeof l.zero_) return {};
  for (size_t k = 0; k < l.sources_.size(); ++k) {
    Source& source = l.sources_[k];
    const bool reg = source.source < slot_offset && like.operands[source.source].is_reg();
    for (int bit = 0; bit < bits[k]; ++bit) {
      Inst one = zero;
      set_number(one, source.source, source.at_zero ^ 1u << bit);
      Code inverts = l.zero_;
      if (!reg || exists(one.operands[source.source])) inverts = encoded(one);  // else no register has this bit
      if (code.size() != l.bytes_) return {};
      uint64_t in_another_field = 0;
      for (size_t w = 0; w < inverts.size(); ++w) inverts[w] ^= l.zero_[w], in_another_field |= inverts[w] & l.zero_[w];
      if (in_another_field && !source.at_zero) break;
      source.inverts.push_back(inverts);
    }
    source.find_field();
  }
  return l;
}

void LinearEncoding::Source::find_field() {
  while (!inverts.empty() && inverts.back() == Code{}) inverts.pop_back();  // of numbers without a register
  size_t first = 0;  // the lowest bit that is encoded: of a pair's second result bit 0 follows from the first's
  while (first < inverts.size() && inverts[first] == Code{}) ++first;
  for (size_t w = 0; w < std::tuple_size_v<Code> && first < inverts.size(); ++w) {
    const int distance = std::countr_zero(inverts[first][w]) - static_cast<int>(first);
    if (distance < 0 || static_cast<size_t>(distance) + inverts.size() > 64) continue;
    const auto in_place = [&](size_t i) {
      Code only{};
      only[w] = uint64_t{1} << (static_cast<size_t>(distance) + i);
      return inverts[i] == only;
    };
    size_t i = first;
    while (i < inverts.size() && in_place(i)) ++i;
    if (i == inverts.size()) word = static_cast<int>(w), shift = distance, field = ~uint32_t{0} << first;
  }
}

bool LinearEncoding::encode(const Inst& inst, Exists exists, std::vector<uint8_t>& out) const {
  Code code = zero_;
  for (const Source& source : sources_) {
    const uint32_t number = number_of(inst, source.source);
    const bool reg = source.source < slot_offset && inst.operands[source.source].is_reg();
    if (number > source.most || (reg && !exists(inst.operands[source.source]))) return false;
    uint32_t bits = number ^ source.at_zero;
    if (uint64_t{bits} >> source.inverts.size()) return false;
    if (source.word != absent) {
      code[static_cast<size_t>(source.word)] ^= uint64_t{bits & source.field} << source.shift;
      continue;
    }
    for (; bits; bits &= bits - 1)
      for (size_t w = 0; w < code.size(); ++w)
        code[w] ^= source.inverts[static_cast<size_t>(std::countr_zero(bits))][w];
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(code.data());
  out.insert(out.end(), bytes, bytes + bytes_);
  return true;
}

}  // namespace wavesmith::isa
