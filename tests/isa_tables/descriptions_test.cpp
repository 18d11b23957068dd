// What LLVM's instruction descriptions say of a row beside the registers that it touches (effects_test.cpp): width,
// files, alignment and constants of every operand, memory, control flow, atomics, counters, unit and encoding. Where
// they differ and the table is right, the reason is listed here.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "isa_tables/counters.h"
#include "isa_tables/timing/issue.h"
#include "tests/support/row_forms.h"

namespace wavesmith::isa {
namespace {

// SIInstrFlags of LLVM 22 (SIDefines.h, which LLVM does not install). A moved bit fails every comparison below.
namespace flag {
constexpr uint64_t bit(int n) { return uint64_t{1} << n; }
constexpr uint64_t salu = bit(0), valu = bit(1), sop1 = bit(2), sop2 = bit(3), sopc = bit(4), sopk = bit(5),
                   sopp = bit(6), vop1 = bit(7), vop2 = bit(8), vopc = bit(9), vop3 = bit(10), vop3p = bit(12),
                   trans = bit(16), mubuf = bit(17), mtbuf = bit(18), smem = bit(19), flat = bit(24), ds = bit(25),
                   vm_cnt = bit(32), exp_cnt = bit(33), lgkm_cnt = bit(34), tensor_cnt = bit(38), async_cnt = bit(41),
                   flat_global = bit(51), mai = bit(54), flat_scratch = bit(56), atomic_no_return = bit(57),
                   atomic_return = bit(58), wmma = bit(59), tied_not_read = bit(60), gws = bit(62), swmmac = bit(63);
}  // namespace flag

enum class About : uint8_t {
  width,
  files,
  alignment,
  tied,
  constant,
  memory,
  control,
  atomics,
  counters,
  unit,
  format
};
constexpr const char* abouts[] = {"width",   "files",   "alignment", "tied operand", "constant", "memory",
                                  "control", "atomics", "counters",  "unit",         "format"};

// `rows`: a mnemonic, with stars for any text.
struct Exception {
  const char* rows;
  About about;
  const char* reason;
};
constexpr Exception exceptions[] = {
    {"*_d16", About::tied,
     "a load into half of a register keeps the other half, which LLVM's buffer, flat and scratch rows leave out"},
    {"*_d16_hi", About::tied, "same"},
    {"buffer_load_format_*x", About::tied, "same"},
    {"s_bitset*", About::tied, "keeps the other bits"},
    {"s_cmov*", About::tied, "keeps the old value if SCC is 0"},
    {"s_subvector_loop_end", About::tied, "LLVM describes the mask as a source; the guide stores into it"},
    {"v_pk_fmac_f16", About::tied, "accumulates"},
    {"ds_gws_*", About::width,
     "LLVM names a pair so that the register is even; the value is one dword (CDNA3 ISA, DS_GWS_INIT)"},
    {"ds_gws_*", About::files, "refused in the simulator, and the DSL has no use for AGPRs there"},
    {"global_atomic_*_rtn", About::files,
     "LLVM 22 has the AGPR form of these two on gfx90a alone; all global instructions have the ACC bit (CDNA3 ISA "
     "13.1)"},
    {"v_dot2c_f32_f16", About::files, "gfx11 has no long encoding"},
    {"v_pk_fmac_f16", About::files, "no long encoding from gfx11 on"},
    {"s_*_f16", About::constant, "LLVM takes them for f32 (CDNA5 ISA 4.1; constants_test.cpp)"},
    {"v_cmp*_class_f16", About::constant, "a mask"},
    {"v_alignb*", About::constant, "a count, of whose bits the lowest five are used"},
    {"v_cvt_pk_f32_*8", About::constant, "two bytes: no floats (CDNA5 ISA 4.1)"},
    {"v_fma_mix*bf16", About::constant, "half of an f32 (LLVM pull request 183487, later than 22)"},
    {"v_wmma_*", About::constant,
     "C's constant is converted to C's type (matrix.cpp); LLVM 22 has no type of its own for it on gfx11"},
    {"v_perm_pk16_*", About::constant, "indices"},
    {"s_cbranch_*_fork", About::control, "LLVM describes no control flow of these"},
    {"s_cbranch_join", About::control, "same"},
    {"s_rfe_b64", About::control, "same"},
    {"ds_write_b*", About::atomics, "stores share LLVM's class of atomics without result"},
    {"ds_*_src2_*", About::atomics, "LLVM leaves the mark out: it selects none of these"},
    {"ds_append", About::atomics, "same"},
    {"ds_consume", About::atomics, "same"},
    {"ds_wrxchg2*", About::atomics, "same"},
    {"s_sendmsg*", About::counters, "LLVM's pass counts it by opcode (SIInsertWaitcnts)"},
    {"s_get_barrier_state", About::counters, "same"},
    {"s_barrier_signal_isfirst", About::counters, "same"},
    {"s_barrier_leave", About::counters, "same"},
    {"s_dcache_*", About::counters,
     "cache control has no result that a wait could protect; an event out of order makes no other wait weaker"},
    {"s_gl1_inv", About::counters, "same"},
    {"ds_nop", About::counters, "same"},
    {"*_load_lds_*", About::counters, "LLVM's pass waits for vmcnt alone (CDNA3 ISA 9.1.9)"},
    {"*_prefetch_*", About::memory, "reads no register and writes none: LLVM's marks keep its place"},
    {"s_wait*", About::memory, "waits keep their place as fences"},
    {"s_wakeup", About::memory, "same"},
    {"ds_gws_*", About::memory, "counts as a write"},
    {"ds_write_src2_*", About::memory, "counts as a write, as an atomic without result does"},
    {"v_accvgpr_*", About::unit, "moves of the VALU in MFMA's encoding"},
    {"v_accvgpr_*", About::format, "same"},
};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && fits(pattern.substr(1), name.substr(1));
}
const Exception* exception_of(std::string_view mnemonic, About about) {
  for (const Exception& e : exceptions)
    if (e.about == about && fits(e.rows, mnemonic)) return &e;
  return nullptr;
}

enum Files : uint8_t { V = 1, A = 2, S = 4 };
std::string named(int files) {
  return std::string(files & V ? "V" : "") + (files & A ? "A" : "") + (files & S ? "S" : "");
}
struct Class {
  int dwords = 0, files = 0;
};

struct Descriptions : LlvmTarget {
  using LlvmTarget::LlvmTarget;
  const unsigned mode = subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo);
  std::map<int, Class> classes;

  std::string first_register(unsigned reg) const {
    const std::string name = regs->getName(reg);
    return name.substr(0, name.find('_'));
  }
  const Class& class_of(const llvm::MCOperandInfo& o) {
    const int id = instrs->getOpRegClassID(o, mode);
    const auto [at, fresh] = classes.try_emplace(id);
    if (!fresh || id < 0) return at->second;
    const auto& all = regs->getRegClass(static_cast<unsigned>(id));
    at->second.dwords = std::max(1, static_cast<int>(all.getSizeInBits() / 32));
    for (const auto r : all) {
      const std::string name = first_register(r);
      if (name.substr(1, 3) != "GPR") continue;
      at->second.files |= name[0] == 'V' ? V : name[0] == 'A' ? A : S;
    }
    return at->second;
  }
};

// The register files that an operand may be in.
int files_of(const Info& row, int i, const Target& t) {
  const OperandSpec& s = row.operands[i];
  switch (s.kind) {
    case Kind::a: return A;
    case Kind::va:  // matrix sources of gfx908 too, whose results are AGPRs
      return row.is_matrix() && !t.unified && t.agprs ? (i == 0 ? A : V | A) : t.unified ? V | A : V;
    case Kind::vac: return !t.agprs ? V : t.unified ? V | A : A;
    case Kind::v:
    case Kind::vaddr: return V;
    case Kind::any: return V | S;
    default: return S;
  }
}

// How LLVM's operand type reads a constant, which knows no sign of integers; nothing for operands without constants.
// (AMDGPU::OperandType, in order.)
std::optional<Constant> constant_of(const llvm::MCOperandInfo& o) {
  using enum Constant;
  constexpr Constant types[] = {
      plain,    plain,    f16, plain, f64,   bf16, f16, bf16,  f16, f16,   plain, plain,  // literals
      f32_pair, f32_pair, f16, plain, plain, bf16, f16, plain, f64, plain, bf16,  f16};
  const int type = o.OperandType - llvm::MCOI::OPERAND_FIRST_TARGET;
  return type >= 0 && type < static_cast<int>(std::size(types)) ? std::optional(types[type]) : std::nullopt;
}

std::string text(Constant c) {
  constexpr const char* names[] = {"plain", "f16", "bf16", "plain", "f64", "f32_pair"};
  return names[static_cast<int>(c)];
}

int counters_in(uint64_t flags) {
  const bool vm = flags & flag::vm_cnt;
  return vm | bool(flags & flag::lgkm_cnt) << 1 | (flags & flag::exp_cnt && !vm) << 2 |  // stores of old targets
         bool(flags & flag::async_cnt) << 3 | bool(flags & flag::tensor_cnt) << 4;
}
int counters_in(const CounterEvents& events) {
  int set = 0;
  for (const CounterEvent& e : events) switch (e.counter) {
      case WaitCounter::lgkm:
      case WaitCounter::km: set |= 2; break;
      case WaitCounter::exp: set |= 4; break;
      case WaitCounter::async: set |= 8; break;
      case WaitCounter::tensor: set |= 16; break;
      case WaitCounter::x: break;  // LLVM's pass counts it by unit
      default: set |= 1;
    }
  return set;
}

std::string_view unit_in(uint64_t f) {
  return f & flag::smem                                                    ? "smem"
         : f & flag::ds                                                    ? "lds"
         : f & (flag::mubuf | flag::mtbuf | flag::flat | flag::tensor_cnt) ? "vmem"
         : f & flag::salu                                                  ? "salu"
         : f & (flag::wmma | flag::swmmac | flag::mai)                     ? "xdl"
         : f & flag::trans                                                 ? "trans"
                                                                           : "valu";
}
std::string_view unit_of(const Info& row) {
  constexpr const char* names[] = {"salu", "salu", "salu", "smem", "valu", "trans", "xdl", "lds", "vmem"};
  return names[static_cast<int>(row.unit)];
}
// The encoding; the long one of a vector instruction is not told from its short one, which differs between targets.
uint64_t format_in(uint64_t f) {
  using namespace flag;
  const bool vector = f & (vop1 | vop2 | vopc | vop3) && !(f & (vop3p | mai));
  return vector ? vop3
                : f & (sop1 | sop2 | sopc | sopk | sopp | vop3p | mubuf | mtbuf | smem | flat | ds | flat_global |
                       flat_scratch | gws | mai);
}
uint64_t format_of(const Info& row) {
  using namespace flag;
  switch (row.format) {
    case Format::sop1: return sop1;
    case Format::sop2: return sop2;
    case Format::sopk: return sopk;
    case Format::sopc: return sopc;
    case Format::sopp: return sopp;
    case Format::smem: return smem;
    case Format::vop3p: return vop3p;
    case Format::mai: return mai;
    case Format::ds:
    case Format::ds2: return ds;
    case Format::gws: return ds | gws;
    case Format::mubuf: return mubuf;
    case Format::mtbuf: return mtbuf;
    case Format::global: return flat | flat_global;
    case Format::flat: return flat;
    case Format::scratch: return flat | flat_scratch;
    case Format::tensor: return 0;
    default: return vop3;
  }
}

struct Comparison {
  std::map<std::string, std::set<std::string>> found;  // difference -> targets
  std::set<const Exception*> used;
  size_t operands = 0;

  void same(const Info& row, Arch arch, About about, const std::string& where, const std::string& llvm,
            const std::string& table) {
    if (llvm == table) return;
    if (const Exception* e = exception_of(row.mnemonic, about)) used.insert(e);
    else
      found[fmt::format("{}{}: {}: LLVM {}, the table {}", row.mnemonic, where, abouts[static_cast<int>(about)], llvm,
                        table)]
          .insert(target(arch).name);
  }
};

void compare_row(Comparison& c, Arch arch, const Inst& inst, const llvm::MCInstrDesc& d) {
  const Info& row = inst.info();
  const auto same = [&](About about, const std::string& llvm, const std::string& table) {
    c.same(row, arch, about, "", llvm, table);
  };
  const uint8_t m = memory_of(inst);
  const bool writes = m & (lds_write | global_write), reads = m & (lds_read | global_read),
             result = row.operands[0].access != Access::read && row.count();
  const auto access = [](bool r, bool w) { return std::string(r ? "reads" : "") + (w ? "writes" : ""); };
  const bool also_reads = writes && !reads && d.mayLoad() && (row.implicit & atomic);  // one without result
  same(About::memory, access(d.mayLoad() && !also_reads, d.mayStore()), access(reads, writes));
  same(About::control,
       d.isReturn()                 ? "ends"
       : d.isBranch() || d.isCall() ? "branches"
                                    : "goes on",
       row.implicit & ends   ? "ends"
       : row.implicit & pc_w ? "branches"
                             : "goes on");
  same(About::atomics,
       d.TSFlags & flag::atomic_return      ? "returns"
       : d.TSFlags & flag::atomic_no_return ? "no result"
                                            : "none",
       !(row.implicit & atomic) ? "none"
       : result                 ? "returns"
                                : "no result");
  same(About::counters, fmt::format("{:05b}", counters_in(d.TSFlags)),
       fmt::format("{:05b}", counters_in(counter_events(row, arch))));
  same(About::unit, std::string(unit_in(d.TSFlags)), std::string(unit_of(row)));
  same(About::format, fmt::format("{:x}", format_in(d.TSFlags)), fmt::format("{:x}", format_of(row)));
}

void compare_operands(Comparison& c, Arch arch, const Inst& inst, const llvm::MCInst& i, Descriptions& llvm,
                      std::array<int, max_operands>& files) {
  const Info& row = inst.info();
  const llvm::MCInstrDesc& d = llvm.instrs->get(i.getOpcode());
  for (int o = 0; o < row.count(); ++o) {
    const Operand& mine = inst.operands[o];
    if (!mine.is_reg() || (mine.file == File::s && mine.index >= sreg::vcc)) continue;
    const std::string name = fmt::format("{}GPR{}",
                                         mine.file == File::v   ? 'V'
                                         : mine.file == File::a ? 'A'
                                                                : 'S',
                                         mine.index);
    const auto same = [&](About about, const std::string& theirs, const std::string& ours) {
      c.same(row, arch, about, fmt::format(" operand {}", o), theirs, ours);
    };
    bool tied = false, found = false;
    for (unsigned k = 0; k < std::min<size_t>(i.getNumOperands(), d.operands().size()); ++k) {
      if (!i.getOperand(k).isReg() || !i.getOperand(k).getReg() ||
          llvm.first_register(i.getOperand(k).getReg()) != name)
        continue;
      const llvm::MCOperandInfo& op = d.operands()[k];
      const Class& all = llvm.class_of(op);
      found = true;
      tied |= d.getOperandConstraint(k, llvm::MCOI::TIED_TO) >= 0 && !(d.TSFlags & flag::tied_not_read);
      const bool offset = row.operands[o].kind == Kind::vaddr;  // its width follows from the other addresses
      same(About::width, std::to_string(all.dwords), std::to_string(offset ? mine.dwords : dwords(inst, o, arch)));
      files[static_cast<size_t>(o)] |= all.files;
      if (const auto constant = constant_of(op)) same(About::constant, text(*constant), text(row.operands[o].constant));
      ++c.operands;
    }
    if (found)
      same(About::tied, tied ? "read and written" : "one of the two",
           access(row, o, arch) == Access::both ? "read and written" : "one of the two");
  }
}

}  // namespace

// LLVM's assembler alone knows which tuples may start at odd registers: its classes leave that open for LDS.
void compare_alignment(Comparison& c, Arch arch, Opcode op, Mc& mc) {
  const Info& row = info(op);
  const Inst plain = sample(op, arch);
  for (int o = 0; o < row.count(); ++o) {
    if (plain.operands[o].file != File::v || plain.operands[o].dwords < 2) continue;
    Inst odd = plain;
    ++odd.operands[o].index;
    c.same(row, arch, About::alignment, fmt::format(" operand {}", o), mc.assembles(print(odd, arch)) ? "1" : "2",
           std::to_string(tuple_align(row, o, arch)));
  }
}

TEST_CASE("rows have the operands, memory, control flow, atomics, counters, units and encodings that LLVM describes",
          "[isa][effects]") {
  Comparison c;
  size_t rows = 0;
  for (size_t a = 0; a < all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    Descriptions llvm(arch);
    Mc mc(arch);
    std::optional<Opcode> last;
    std::array<int, max_operands> files{};
    const auto finish = [&] {
      if (!last) return;
      const Info& row = info(*last);
      for (int o = 0; o < row.count(); ++o)
        if (const int seen = files[static_cast<size_t>(o)])
          c.same(row, arch, About::files, fmt::format(" operand {}", o), named(seen),
                 named(files_of(row, o, target(arch))));
      ++rows;
    };
    each_row_form(arch, llvm, [&](Opcode op, const Inst& form, const llvm::MCInst& i) {
      if (last != op) finish(), files = {}, compare_row(c, arch, form, llvm.instrs->get(i.getOpcode()));
      if (last != op && target(arch).tuple_align > 1) compare_alignment(c, arch, op, mc);
      last = op;
      if (!form.dual) compare_operands(c, arch, form, i, llvm, files);
    });
    finish();
  }
  std::string differences;
  for (const auto& [what, on] : c.found) differences += fmt::format("{} ({})\n", what, fmt::join(on, " "));
  CHECK(differences == "");
  for (const Exception& e : exceptions) {
    INFO(e.rows << ", " << abouts[static_cast<int>(e.about)] << ": the exception is not needed: " << e.reason);
    CHECK(c.used.contains(&e));
  }
  CHECK(rows > 16000);
  CHECK(c.operands > 40000);
}

}  // namespace wavesmith::isa
