// Every row of the tables on every target, in the forms that give operands another width or register file: long
// encoding, AGPRs, addresses in registers, formats of f8f6f4, and one half of a pair.
#pragma once
#include <vector>

#include "isa_tables/mc/sample.h"
#include "isa_tables/opcodes.h"
#include "tests/support/llvm_target.h"

namespace wavesmith::isa {

inline std::vector<Inst> row_forms(Opcode op, Arch arch) {
  const Info& row = info(op);
  const Inst plain = sample(op, arch);
  std::vector<Inst> forms{plain};
  if (row.is_vector() && !row.is_matrix()) {
    if (row.format != Format::vop3p) {  // some of format vop3 are short on gfx12
      Inst& e64 = forms.emplace_back(plain);
      e64.mods.e64 = true;
      for (Operand& o : e64.operands)
        if (o.file == File::s && o.index == sreg::vcc) o.index = 20;
    }
    Inst other = sample(Opcode::v_mov_b32, arch);
    for (Operand& o : other.operands)
      if (o.file == File::v) o.index += 3;
    if (pair_form(op, Opcode::v_mov_b32, arch) != PairForm::none) forms.push_back(paired(plain, other));
    if (pair_form(Opcode::v_mov_b32, op, arch) != PairForm::none) forms.push_back(paired(other, plain));
  }
  if (row.matrix.a == Type::f8f6f4)
    for (uint8_t x = 0; x < 25; ++x) {
      Inst& f = forms.emplace_back(plain);
      f.mods.cbsz = x / 5, f.mods.blgp = x % 5;
      for (int i : {1, 2}) f.operands[i].dwords = static_cast<uint8_t>(dwords(f, i, arch));
    }
  const auto replaced = [&](auto with) {
    Inst f = plain;
    bool changed = false;
    for (int i = 0; i < row.count(); ++i) changed |= with(f, i, row.operands[i]);
    if (changed) forms.push_back(f);
  };
  if (target(arch).unified)
    replaced([](Inst& f, int i, const OperandSpec& s) {
      const bool either = (s.kind == Kind::va || s.kind == Kind::vac) && f.operands[i].file == File::v;
      if (either) f.operands[i].file = File::a;
      return either;
    });
  replaced([&](Inst& f, int i, const OperandSpec& s) {
    const bool buffer = row.format == Format::mubuf || row.format == Format::mtbuf;
    if (s.kind == Kind::vaddr && buffer) f.operands[i] = reg(File::v, 32 * (i + 1)), f.mods.flags |= offen;
    else if (s.kind == Kind::soff || s.kind == Kind::saddr || s.optional)
      f.operands[i] = reg(File::s, 16 * (i + 1), s.dwords);
    else return false;
    for (int k = 0; k < i; ++k)  // beside a base: an offset of 32 bits, or none
      if (row.operands[k].kind == Kind::vaddr && !buffer)
        f.operands[k] = row.format == Format::scratch ? off() : reg(File::v, 32 * (k + 1));
    return true;
  });
  return forms;
}

// Calls f(op, form, LLVM's instruction of the same bytes) for all rows of a target in all of their forms that exist.
template <class F>
void each_row_form(Arch arch, const LlvmTarget& llvm, F&& f) {
  Mc mc(arch);
  for (size_t i = 0; i < table().size(); ++i) {
    if (!table()[i].on(arch)) continue;
    const auto op = static_cast<Opcode>(i);
    const auto forms = row_forms(op, arch);
    for (const Inst& form : forms) {
      std::vector<uint8_t> bytes;
      try {
        mc.encode(form, bytes);
      } catch (const IsaError&) {
        if (&form == &forms[0]) throw;
        continue;  // no such form
      }
      const auto decoded = llvm.decode(bytes);
      if (!decoded) throw IsaError(print(form, arch) + ": LLVM decodes no instruction");
      f(op, form, decoded->first);
    }
  }
}

}  // namespace wavesmith::isa
