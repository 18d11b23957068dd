// Registers that rows say they touch, against LLVM's instruction descriptions: a second source that shares nothing with
// the tables but the bytes. LLVM's decoder turns the bytes of a sample into its own instruction, whose operands and
// implicit registers are compared.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <set>

#include "tests/support/row_forms.h"

namespace wavesmith::isa {

namespace {

using Set = std::set<std::string>;
struct Touched {
  Set reads, writes;
};

struct LlvmEffects : LlvmTarget {
  using LlvmTarget::LlvmTarget;

  // VGPR4_VGPR5 -> v4, v5; VCC -> vcc_lo, vcc_hi. Registers that hold constants and the apertures are no effects.
  void add(Set& set, unsigned reg, bool wide) const {
    std::string name = regs->getName(reg);
    if (const auto suffix = name.find("_gfx"); suffix != name.npos) name.resize(suffix);
    for (const char* half : {"_LO16", "_HI16"})
      if (name.ends_with(half)) name.resize(name.size() - 5);
    if (name == "VCC" || name == "EXEC" || name == "FLAT_SCR") {
      const std::string low = name == "VCC" ? "vcc_lo" : name == "EXEC" ? "exec_lo" : "flat_scratch_lo";
      set.insert(low);
      if (wide || name == "FLAT_SCR") set.insert(low.substr(0, low.size() - 2) + "hi");
      return;
    }
    if (name == "VCC_LO" || name == "EXEC_LO" || name == "M0" || name == "SCC" || name == "MODE") {
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      set.insert(name);
      return;
    }
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find('_', at), name.size());
      const std::string part = name.substr(at, end - at);
      if (part.size() > 4 && part.substr(1, 3) == "GPR")
        set.insert(std::string(1, static_cast<char>(std::tolower(static_cast<unsigned char>(part[0])))) +
                   part.substr(4));
      at = end + 1;
    }
  }

  Touched touched(const llvm::MCInst& inst, bool wide) const {
    const llvm::MCInstrDesc& d = instrs->get(inst.getOpcode());
    Touched t;
    for (unsigned k = 0; k < inst.getNumOperands(); ++k)
      if (inst.getOperand(k).isReg() && inst.getOperand(k).getReg())
        add(k < d.getNumDefs() ? t.writes : t.reads, inst.getOperand(k).getReg(), wide);
    for (const auto r : d.implicit_defs()) add(t.writes, r, wide);
    for (const auto r : d.implicit_uses()) add(t.reads, r, wide);
    return t;
  }
};

Touched ours(const Inst& inst, Arch arch) {
  Touched t;
  const Effects e = effects(inst, arch);
  const auto add = [](Set& set, const Operand& o) {
    for (int k = 0; k < o.dwords; ++k) {
      const Operand one = reg(o.file, o.index + k);
      set.insert(o.file == File::s && o.index == sreg::mode                 ? "mode"
                 : o.file == File::s && one.index == sreg::flat_scratch     ? "flat_scratch_lo"
                 : o.file == File::s && one.index == sreg::flat_scratch + 1 ? "flat_scratch_hi"
                                                                            : print(one));
    }
  };
  for (const Operand& o : e.reads) add(t.reads, o);
  for (const Operand& o : e.writes) add(t.writes, o);
  return t;
}

std::string differences(const Set& llvm, const Set& table) {
  std::string out;
  for (const auto& r : llvm)
    if (!table.contains(r)) out += " -" + r;
  for (const auto& r : table)
    if (!llvm.contains(r)) out += " +" + r;
  return out;
}

}  // namespace

namespace {

// Where the tables know better, with the reason.
void settle(const Inst& inst, Arch arch, Set& llvm, Set& table) {
  const Info& row = inst.info();
  const Operand& first = inst.operands[0];
  const auto forget = [&](std::initializer_list<const char*> names) {
    for (const char* n : names) llvm.erase(n), table.erase(n);
  };
  if (row.unit == Unit::lds && !(row.implicit & m0_r))
    forget({"m0"});  // LLVM decodes gfx9's LDS instructions as gfx8's, which had a limit in M0
  if (row.is_matrix())
    forget({"mode"});  // integer MFMA has no rounding; WMMA rounds to nearest even, whatever MODE says (RDNA3 ISA 7.9)
  if (row.format == Format::scratch) forget({"flat_scratch_lo", "flat_scratch_hi"});  // also when the data goes to LDS
  const Opcode op = inst.op;
  if (op == Opcode::s_set_gpr_idx_on) forget({"m0"});  // keeps the bits it does not write
  if (op == Opcode::s_barrier_signal_isfirst) forget({"scc"});
  if (op == Opcode::s_movrelsd_2_b32 || op == Opcode::s_subvector_loop_begin || op == Opcode::s_subvector_loop_end)
    return forget({"s16"});  // indexed by M0; counted in place
  if (op == Opcode::v_movrelsd_2_b32 || op == Opcode::v_swaprel_b32)
    forget({"exec_lo", "exec_hi"});  // vector instructions like any other
  if (row.operands[0].access == Access::both && access(row, 0, arch) == Access::write)
    llvm.erase(print(first)), table.erase(print(first));  // LLVM ties what a D16 load writes to what it does not read
  if (access(row, 0, arch) ==
      Access::both)  // LLVM leaves out what a partial write keeps: d16 loads, s_cmov, s_bitset, v_pk_fmac_f16
    for (int k = 0; k < first.dwords; ++k) llvm.insert(print(reg(first.file, first.index + k)));
}

}  // namespace

TEST_CASE("rows read and write the registers that LLVM's descriptions name", "[isa][effects]") {
  size_t forms = 0;
  for (size_t a = 0; a < all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    const LlvmEffects llvm(arch);
    each_row_form(arch, llvm, [&](Opcode, const Inst& inst, const llvm::MCInst& theirs) {
      Touched mine = ours(inst, arch), llvms = llvm.touched(theirs, target(arch).wave_size == 64);
      settle(inst, arch, llvms.reads, mine.reads);
      settle(inst, arch, llvms.writes, mine.writes);
      const std::string reads = differences(llvms.reads, mine.reads), writes = differences(llvms.writes, mine.writes);
      ++forms;
      if (reads.empty() && writes.empty()) return;
      FAIL_CHECK(target(arch).name << ": " << print(inst, arch) << ": reads" << reads << ", writes" << writes);
    });
  }
  CHECK(forms > 25000);
}

}  // namespace wavesmith::isa
