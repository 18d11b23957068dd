// Single instructions by LLVM MC (source.cpp: whole texts). LLVM does not install AMDGPU's opcode enumeration, so LLVM
// parses one printed sample of each row, with distinct registers and numbers; the positions of these values in the
// MCInst are the slots that later instructions of the same shape fill. After that no text is parsed, and of a shape
// that is used often neither is LLVM's emitter asked: its bytes are a linear map of the numbers' bits.
#include "isa_tables/mc/mc.h"
#include "isa_tables/arch_sets.h"
#include "isa_tables/dpp.h"
#include "isa_tables/mc/llvm_target.h"

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUDisassembler();
}

namespace wavesmith::isa {

const llvm::Target& amdgpu() {
  static const llvm::Target* found = [] {
    // LLVM would end the program. It unwinds, and leaks what it had allocated.
    llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { throw std::bad_alloc(); });
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), error);
  }();
  if (!found) throw std::runtime_error("LLVM was built without the AMDGPU target");
  return *found;
}

namespace {

class Capture : public llvm::MCStreamer {  // keeps the instructions the parser produces
 public:
  explicit Capture(llvm::MCContext& c) : MCStreamer(c) {}
  std::vector<llvm::MCInst> insts;
  void emitInstruction(const llvm::MCInst& i, const llvm::MCSubtargetInfo&) override { insts.push_back(i); }
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
};

bool inline_constant(uint32_t bits, bool half) {
  const auto i = static_cast<int32_t>(bits);
  if (!half) return isa::inline_constant(bits);
  if (i >= -16 && i <= 64) return true;
  return bits == 0x3800 || bits == 0xb800 || bits == 0x3c00 || bits == 0xbc00 || bits == 0x4000 || bits == 0xc000 ||
         bits == 0x4400 || bits == 0xc400 || bits == 0x3118;
}

bool literal_slot(const Operand& o, const OperandSpec& spec) {
  return o.file == File::imm && (spec.kind == Kind::imm || spec.kind == Kind::soff);
}
// Immediates printed as fields are part of the shape.
bool fixed_number(const Operand& o, const OperandSpec& spec) {
  return o.file == File::imm && (spec.kind == Kind::hwreg || spec.kind == Kind::message || spec.kind == Kind::delay ||
                                 spec.kind == Kind::depctr || spec.kind == Kind::gpr_index ||
                                 spec.kind == Kind::version || spec.kind == Kind::barrier);
}
// A 16-bit inline float is part of the shape: operands that LLVM treats as 16-bit integers have no inline floats.
bool short_float(const Operand& o, const OperandSpec& spec) {
  const auto i = static_cast<int32_t>(o.bits);
  return o.file == File::imm && o.dwords == 1 && spec.constant == Constant::f16 && inline_constant(o.bits, true) &&
         (i < -16 || i > 64);
}
bool takes_offset(Format f) {
  return f == Format::mubuf || f == Format::mtbuf || f == Format::ds || f == Format::gws || f == Format::global ||
         f == Format::flat || f == Format::scratch;
}

// From gfx11 on, short encodings of 16-bit operands reach only v0 to v127.
bool beyond_short(const Operand& o) { return o.file == File::v && o.dwords == 1 && o.index >= 128; }

// Which registers a pair may use depends on their banks, four of them, and on what both halves read alike.
constexpr int half_operands = max_operands / 2;
bool read_by_both(const Inst& inst, int i) {
  return i >= half_operands && inst.operands[i] == inst.operands[i - half_operands];
}
int dual_place(const Inst& inst, int i) {
  const int first = read_by_both(inst, i) ? i - half_operands : i;
  return 16 * first + 16 + inst.operands[i].index % 4;
}

// The instruction with every fillable value replaced by a sample value, so that equal shapes compare equal.
Inst shape_of(const Inst& inst) {
  Inst s = inst;
  const Info& row = inst.info();
  for (int i = 0; i < max_operands; ++i) {
    Operand& o = s.operands[i];
    const OperandSpec& spec = inst.spec(i);
    const bool special = o.file == File::s && o.index >= sreg::vcc;
    if (fixed_number(o, spec) || short_float(o, spec)) continue;
    if (inst.dual && o.is_reg() && !special)
      o.index = static_cast<uint16_t>(o.file == File::s ? 4 + 8 * i : dual_place(inst, i));
    else if (o.is_reg() && !special)
      o.index = static_cast<uint16_t>(o.file == File::s ? 16 * i + (i == 5 ? 0 : 4)
                                      : beyond_short(o) ? 200 + 5 * i
                                      : i == 3          ? 120
                                                        : 32 * (i + 1));
    else if (literal_slot(o, spec)) o.bits = 48 + i;
    else if (o.file == File::imm && spec.kind == Kind::waits) o.bits = 48 + i;
    else if (o.file == File::imm)
      o.bits = o.dwords == 1 && inline_constant(o.bits, spec.constant == Constant::f16) ? 40 + i
               : spec.constant == Constant::f16 || spec.constant == Constant::bf16      ? 0x1230 + i
                                                                                        : 0x12345670 + i;
    else if (o.file == File::label) o = imm(0x70);
  }
  if (s.mods.offset || (takes_offset(row.format) && row.count())) s.mods.offset = 0x7c;
  if (row.format == Format::ds2) {
    s.mods.offset0 = 0x35;
    s.mods.offset1 = 0x36;
  }
  return s;
}

// Two instructions of one row with equal keys have the same shape. FNV-1a over the values that shape_of() keeps.
uint64_t key_of(const Inst& inst) {
  uint64_t h = 0xcbf29ce484222325;
  const auto mix = [&](uint64_t v) {
    h = (h ^ v) * 0x100000001b3;
    h ^= h >> 29;
  };
  const auto pack = [&](auto... bytes) {
    uint64_t v = 0;
    ((v = v << 8 | static_cast<uint8_t>(bytes)), ...);
    mix(v);
  };
  if (inst.dual) mix(static_cast<uint64_t>(inst.second) + 1);
  for (int i = 0, n = inst.dual ? max_operands : inst.info().count(); i < n; ++i) {
    const Operand& o = inst.operands[i];
    static_assert(std::has_unique_object_representations_v<Operand> && sizeof o == 16);
    const auto halves = std::bit_cast<std::array<uint64_t, 2>>(o);
    uint64_t v = (halves[0] & 0xffff) | (halves[1] & 0xffffffff) << 16;  // file, dwords; neg, abs, sext, part
    if (o.file == File::s && o.index >= sreg::vcc) v |= static_cast<uint64_t>(o.index) << 48;
    else if (inst.dual && o.is_reg()) v |= (o.index % 4u | (read_by_both(inst, i) ? 4ull : 0)) << 48;
    if (o.file == File::imm) {
      const OperandSpec& spec = inst.spec(i);
      if (fixed_number(o, spec) || short_float(o, spec)) mix(o.bits);
      else if (!literal_slot(o, spec) && o.dwords == 1 && inline_constant(o.bits, spec.constant == Constant::f16))
        v |= 1ull << 60;
    }
    if (o.high) v |= 1ull << 61;
    if (beyond_short(o)) v |= 1ull << 62;
    mix(v | 1ull << 63);
  }
  const Mods& m = inst.mods;
  mix(m.flags | static_cast<uint64_t>(m.offset != 0) << 32 | static_cast<uint64_t>(m.dpp) << 33 |
      static_cast<uint64_t>(m.sdwa) << 34 | static_cast<uint64_t>(m.e64) << 35 | static_cast<uint64_t>(m.dpp8) << 36 |
      static_cast<uint64_t>(m.bound_ctrl) << 37);
  pack(m.omod, m.op_sel, m.op_sel_hi, m.neg_lo, m.neg_hi, m.cbsz, m.abid, m.blgp);
  pack(m.th, m.scope, m.bitop3, m.byte_sel, m.scale_sel, m.index_key, m.scale, m.scale_fmt);
  if (m.format) mix(m.format);
  if (m.dpp || m.sdwa) {
    mix(m.dpp_ctrl);
    pack(m.row_mask, m.bank_mask, m.dst_sel, m.src0_sel, m.src1_sel, m.dst_unused);
  }
  return h;
}

// Bits that a target ignores (CDNA5 guide 10.11, 7.12.6): AMD's assembler leaves them zero, LLVM's disassembler
// requires a value. An encoding is recognised by `mask` and `value` of its dword `at`; in dword `dword` the bits
// `fixed` are set to `bits`.
struct Ignored {
  ArchSet archs;
  int at;
  uint32_t mask, value;
  int dword;
  uint32_t fixed, bits;
};
constexpr Ignored ignored_bits[] = {
    {sets::gfx1250, 0, 0xfc3f8000, 0xd0310000, 0, 0x03c03fff, 0x00400001},
    {sets::gfx1250, 0, 0xfc3f8000, 0xd0310000, 1, 0xff000000, 0x7c000000},  // tensor_load_to_lds, tensor_store_from_lds
    {sets::gfx1250, 0, 0xffff0000, 0xcc350000, 1, 0x07fc0000, 0x04000000},
    {sets::gfx1250, 0, 0xffff0000, 0xcc3a0000, 1, 0x07fc0000, 0x04000000},  // src2 of the scale half
    {sets::gfx1250, 0, 0xffff0000, 0xcc880000, 0, 0x00004000, 0x00004000},
    {sets::gfx1250, 0, 0xffff0000, 0xcc880000, 1, 0x18000000, 0x18000000},  // op_sel_hi of v_wmma_f32_32x16x128_f4
    {sets::gfx1250, 2, 0xffff0000, 0xcc880000, 2, 0x00004000, 0x00004000},
    {sets::gfx1250, 2, 0xffff0000, 0xcc880000, 3, 0x18000000, 0x18000000},
};

// Undefined encodings that crash LLVM 22: the disassembler, on a literal (255 as a source or scalar result) where the
// format has none; the printer, on an SDWA selection that does not exist.
bool kills_llvm(std::span<const uint8_t> code, Arch arch) {
  constexpr uint32_t literal = 255, sdwa = 249;
  std::array<uint32_t, 2> words{};
  if (code.size() < 4) return false;
  std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
  const auto first = [&](int at, int width) { return words[0] >> at & ((1u << width) - 1); };
  const auto second = [&](int at, int width) { return words[1] >> at & ((1u << width) - 1); };
  if (target(arch).cache_hints()) {  // gfx12, SOP1: s_barrier_signal to s_barrier_join, s_wakeup_barrier
    const uint32_t op = first(8, 8);
    return first(23, 9) == 0x17d && first(0, 8) == literal && ((op >= 0x4e && op <= 0x52) || op == 0x57);
  }
  if (!target(arch).gfx9()) return false;
  const uint32_t format = first(26, 6);
  if (format == 0x34) {  // VOP3, VOP3P
    const uint32_t op = first(16, 10);
    const bool scalar =
        op < 0x100 || op == 0x142 || op == 0x289;  // the result of comparisons, v_readfirstlane_b32, v_readlane_b32
    return second(0, 9) == literal || second(9, 9) == literal || second(18, 9) == literal ||
           (scalar && first(0, 8) == literal);
  }
  if (format == 0x38 || format == 0x3a) return second(24, 8) == literal;  // SOFFSET of MUBUF, MTBUF
  if (first(31, 1) == 0 && first(0, 9) == sdwa) {
    const bool vop1 = first(25, 6) == 0x3f,
               vopc = first(25, 6) == 0x3e;  // VOPC has a lane mask instead of DST_SEL and DST_UNUSED
    return second(16, 3) == 7 || (!vop1 && second(24, 3) == 7) || (!vopc && (second(8, 3) == 7 || second(11, 2) == 3));
  }
  return false;
}

// v_madmk_f16, v_madak_f16 (gfx9), v_fmamk_f16 and v_fmaak_f16 with the literal 255 crash LLVM 22, which confuses it
// with the code of a literal source. The literal is decoded as 254 and replaced in the text.
bool literal_255(std::span<const uint8_t> code, Arch arch) {
  std::array<uint32_t, 2> words{};  // also of code that ends within the literal: the rest reads as zeros
  if (code.size() <= 4) return false;
  std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
  const uint32_t op = words[0] >> 25, madmk = target(arch).gfx9() ? 0x24 : 0x37;
  return words[1] == 255 && (op == madmk || op == madmk + 1);
}

// The first instruction with its ignored bits as LLVM requires them; empty if nothing changes.
std::vector<uint8_t> with_usual_bits(std::span<const uint8_t> code, Arch arch) {
  std::array<uint32_t, 4> words{};
  const size_t n = std::min<size_t>(code.size(), sizeof words) / 4;
  std::memcpy(words.data(), code.data(), 4 * n);
  bool changed = false;
  for (const Ignored& r : ignored_bits) {
    if (!(r.archs & bit(arch)) || r.at >= static_cast<int>(n) || r.dword >= static_cast<int>(n) ||
        (words[r.at] & r.mask) != r.value)
      continue;
    words[r.dword] = (words[r.dword] & ~r.fixed) | r.bits;
    changed = true;
  }
  if (!changed) return {};
  std::vector<uint8_t> out(4 * n);
  std::memcpy(out.data(), words.data(), out.size());
  return out;
}

using RegisterTuples = std::array<std::array<std::vector<uint16_t>, 33>, 4>;  // [file][dwords][first] -> LLVM's
                                                                              // number, 0: none

// Register tuples by LLVM's names: VGPR4_VGPR5 is v[4:5]. The names are those of all AMDGPU targets.
RegisterTuples read_register_tuples() {
  RegisterTuples all;
  const std::unique_ptr<llvm::MCRegisterInfo> regs(amdgpu().createMCRegInfo(llvm::Triple("amdgcn-amd-amdhsa")));
  for (unsigned r = 1; r < regs->getNumRegs(); ++r) {
    const std::string_view name = regs->getName(r);
    if (name.size() < 5 || name.substr(1, 3) != "GPR" || name.ends_with("_LO16")) continue;
    if (name.ends_with("_HI16")) continue;
    const char c = name[0];
    if (c != 'V' && c != 'A' && c != 'S') continue;
    int first = 0;
    size_t at = 4;
    while (at < name.size() && name[at] >= '0' && name[at] <= '9') first = first * 10 + (name[at++] - '0');
    if (at == 4) continue;
    const int dwords = 1 + static_cast<int>(std::count(name.begin(), name.end(), '_'));
    const File f = c == 'V' ? File::v : c == 'A' ? File::a : File::s;
    auto& known = all[static_cast<int>(f)][dwords];
    if (static_cast<int>(known.size()) <= first) known.resize(first + 1);
    known[first] = static_cast<uint16_t>(r);
  }
  return all;
}

const RegisterTuples& register_tuples() {
  static const RegisterTuples all = read_register_tuples();
  return all;
}

}  // namespace

struct Mc::Impl {
  struct Slot {
    int mc_operand, source;  // source: operand number, or one of these
  };
  enum : int { slot_offset = 100, slot_offset0, slot_offset1 };
  // An encoding as a linear map over bits: that of certain numbers of its registers, offsets and constants, and what
  // each bit in which a number differs inverts.
  struct Linear {
    using Code = std::array<uint64_t, 3>;
    struct Source {
      int source;
      uint32_t at_zero = 0;          // the number that `zero` has
      uint32_t most = ~uint32_t{0};  // larger numbers are encoded otherwise
      std::vector<Code> inverts{};   // by bit
      // A field of the encoding: bit i of those in `field` inverts bit `shift` + i of word `word`, the other bits none.
      // Absent: otherwise.
      int word = absent, shift = 0;
      uint32_t field = 0;
      void find_field();
    };
    Code zero{};
    size_t bytes = 0;
    std::vector<Source> sources;
  };
  struct Template {
    uint64_t key = 0;
    llvm::MCInst inst;
    std::vector<Slot> slots;
    bool by_text = false;  // the sample does not show all operand slots: LLVM parses each instruction's text
    int uses = 0;
    std::optional<Linear> linear{};  // of a template that is used often
  };

  Arch arch;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> regs;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  std::unique_ptr<llvm::MCInstrInfo> instrs;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  llvm::SourceMgr sources;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  const RegisterTuples& by_tuple = register_tuples();
  std::vector<std::vector<Template>> templates;  // per Opcode
  std::string message;                           // LLVM's last error
  int by_text = 0;                               // instructions encoded through text

  Impl(Arch a, const std::string& features);
  llvm::MCRegister lookup(const Operand& o) const {
    if (o.dwords > 32) return {};
    const auto& known = by_tuple[static_cast<int>(o.file)][o.dwords];
    return o.index < known.size() ? llvm::MCRegister(known[o.index]) : llvm::MCRegister();
  }
  bool parse(std::string_view text, std::vector<llvm::MCInst>& out);
  // Of several lines: the instruction of each that has one and about which LLVM says nothing.
  std::vector<std::optional<llvm::MCInst>> parse_lines(const std::vector<std::string>&);
  Template* known(uint64_t key, Opcode);
  Template& find(std::span<const Inst>);  // of the first; what is new of the others is learnt with it
  void learn(std::span<const Inst>);
  std::optional<Template> template_of(const Inst& shape, const llvm::MCInst& sample) const;
  llvm::MCOperand filled(const Inst&, int source) const;
  std::optional<Linear> linear_of(const Template&, const Inst&);
  bool encode_linear(const Inst&, const Linear&, std::vector<uint8_t>& out) const;  // false: not with these numbers
  struct Complaint {
    int line;  // from 1 on
    std::string text;
  };
  std::vector<llvm::MCInst> run_parser(llvm::SourceMgr&, std::string_view text, std::vector<Complaint>&, bool& failed);
  llvm::SmallVector<char, 32> bytes;
  llvm::SmallVector<llvm::MCFixup, 2> fixups;
  void encode(const llvm::MCInst& i, std::vector<uint8_t>& out) {
    bytes.clear();
    fixups.clear();
    emitter->encodeInstruction(i, bytes, fixups, *subtarget);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
};

Mc::Impl::Impl(Arch a, const std::string& features) : arch(a) {
  const llvm::Target& t = amdgpu();
  regs.reset(t.createMCRegInfo(triple));
  asm_info.reset(t.createMCAsmInfo(*regs, triple, options));
  instrs.reset(t.createMCInstrInfo());
  subtarget.reset(t.createMCSubtargetInfo(triple, target(a).name, features));
  context = std::make_unique<llvm::MCContext>(triple, asm_info.get(), regs.get(), subtarget.get(), &sources, &options);
  emitter.reset(t.createMCCodeEmitter(*instrs, *context));
  disassembler.reset(t.createMCDisassembler(*subtarget, *context));
  printer.reset(t.createMCInstPrinter(triple, 0, *asm_info, *instrs, *regs));
  templates.resize(table().size());
}

std::vector<llvm::MCInst> Mc::Impl::run_parser(llvm::SourceMgr& manager, std::string_view text,
                                               std::vector<Complaint>& complaints, bool& failed) {
  manager.setDiagHandler(
      [](const llvm::SMDiagnostic& d, void* all) {
        static_cast<std::vector<Complaint>*>(all)->push_back({d.getLineNo(), d.getMessage().str()});
      },
      &complaints);
  manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())), {});
  llvm::MCContext ctx(triple, asm_info.get(), regs.get(), subtarget.get(), &manager, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> files(amdgpu().createMCObjectFileInfo(ctx, /*PIC=*/true));
  ctx.setObjectFileInfo(files.get());
  Capture capture(ctx);
  amdgpu().createNullTargetStreamer(capture);  // the streamer owns it
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(manager, ctx, capture, *asm_info));
  std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      amdgpu().createMCAsmParser(*subtarget, *parser, *instrs, options));
  parser->setTargetParser(*target_parser);
  failed = parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/true);
  return std::move(capture.insts);
}
bool Mc::Impl::parse(std::string_view text, std::vector<llvm::MCInst>& out) {
  llvm::SourceMgr manager;
  std::vector<Complaint> complaints;
  bool failed = false;
  out = run_parser(manager, text, complaints, failed);
  message = complaints.empty() ? "" : complaints.front().text;
  return !failed && message.empty();
}
std::vector<std::optional<llvm::MCInst>> Mc::Impl::parse_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  llvm::SourceMgr manager;
  std::vector<Complaint> complaints;
  bool failed = false;
  const auto all = run_parser(manager, text, complaints, failed);
  std::vector<std::optional<llvm::MCInst>> of_line(lines.size());
  std::vector<int> count(lines.size());
  const auto at = [](auto line) { return static_cast<size_t>(line) - 1; };
  for (const llvm::MCInst& i : all)
    if (const size_t line = at(manager.FindLineNumber(i.getLoc())); line < lines.size())
      of_line[line] = i, ++count[line];
  for (const Complaint& c : complaints)
    if (at(c.line) < lines.size()) of_line[at(c.line)].reset();
  for (size_t i = 0; i < lines.size(); ++i)
    if (count[i] != 1) of_line[i].reset();
  return of_line;
}

Mc::Impl::Template* Mc::Impl::known(uint64_t key, Opcode op) {
  for (auto& t : templates[static_cast<size_t>(op)])
    if (t.key == key) return &t;
  return nullptr;
}
Mc::Impl::Template& Mc::Impl::find(std::span<const Inst> all) {
  const Inst& inst = all.front();
  const uint64_t key = key_of(inst);
  if (Template* t = known(key, inst.op)) return *t;
  learn(all);
  return *known(key, inst.op);
}

// The parser's beginning takes most of its time: all shapes that are new are parsed together.
void Mc::Impl::learn(std::span<const Inst> all) {
  std::vector<Inst> shapes;
  std::vector<std::string> lines;
  std::vector<uint64_t> keys;
  for (const Inst& i : all) {
    const uint64_t key = key_of(i);
    if (known(key, i.op)) continue;
    templates[static_cast<size_t>(i.op)].push_back({.key = key, .inst = {}, .slots = {}, .by_text = true});
    try {
      const Inst shape = shape_of(i);
      lines.push_back(isa::print(shape, arch));
      shapes.push_back(shape), keys.push_back(key);
    } catch (const IsaError&) {}  // its encoding says so
  }
  if (shapes.empty()) return;
  const auto samples = parse_lines(lines);
  for (size_t i = 0; i < shapes.size(); ++i)
    if (samples[i])
      if (auto t = template_of(shapes[i], *samples[i])) t->key = keys[i], *known(keys[i], shapes[i].op) = std::move(*t);
}

// Empty if an operand's slot cannot be found.
std::optional<Mc::Impl::Template> Mc::Impl::template_of(const Inst& shape, const llvm::MCInst& sample) const {
  Template t{0, sample, {}};
  const auto matches = [&](const llvm::MCOperand& m, const Operand& o) {
    if (o.is_reg() && !(o.file == File::s && o.index >= sreg::vcc)) return m.isReg() && m.getReg() == lookup(o).id();
    if (o.file != File::imm) return false;
    return m.isImm() ? static_cast<uint32_t>(m.getImm()) == o.bits : m.isExpr() && o.bits >= 0x1230;
  };
  for (int m = 0; m < static_cast<int>(t.inst.getNumOperands()); ++m) {
    const auto& mo = t.inst.getOperand(m);
    for (int i = 0; i < max_operands; ++i)
      if (matches(mo, shape.operands[i])) {
        t.slots.push_back({m, i});
        break;
      }
    if (!mo.isImm()) continue;
    if (shape.mods.offset0 && mo.getImm() == 0x35) t.slots.push_back({m, slot_offset0});
    if (shape.mods.offset0 && mo.getImm() == 0x36) t.slots.push_back({m, slot_offset1});
    if (shape.mods.offset && mo.getImm() == shape.mods.offset) t.slots.push_back({m, slot_offset});
  }
  for (int i = 0; i < max_operands; ++i) {  // every operand that varies needs a slot
    const Operand& o = shape.operands[i];
    const bool fixed = o.file == File::none || o.file == File::off || (o.file == File::s && o.index >= sreg::vcc) ||
                       fixed_number(o, shape.spec(i)) || short_float(o, shape.spec(i));
    const bool f64_literal =
        o.file == File::imm && o.dwords == 2 && shape.spec(i).constant == Constant::f64;  // several texts, by value
    if (o.high || o.part || f64_literal ||
        (!fixed && !(shape.dual && read_by_both(shape, i)) &&
         std::none_of(t.slots.begin(), t.slots.end(), [&](Slot s) { return s.source == i; })))
      return {};
  }
  if (shape.mods.offset && std::none_of(t.slots.begin(), t.slots.end(), [](Slot s) { return s.source == slot_offset; }))
    return {};
  return t;
}

Mc::Mc(Arch a, int lanes) {
  if (lanes && !target(a).runs_wave(lanes))
    throw IsaError(fmt::format("{} has no waves of {} lanes", target(a).name, lanes));
  impl_ = std::make_unique<Impl>(a, lanes == 64 && target(a).wave_size == 32 ? "+wavefrontsize64" : "");
}
// The encodings are the hardware's either way. LLVM 22 has this as its default for RDNA3 only.
Mc::Impl* Mc::halves() {
  if (!halves_ && impl_->subtarget->checkFeatures("+true16") && !impl_->subtarget->checkFeatures("+real-true16"))
    halves_ = std::make_unique<Impl>(impl_->arch, impl_->subtarget->getFeatureString().str() + ",+real-true16");
  return halves_.get();
}
Mc::~Mc() = default;
Mc::Mc(Mc&&) noexcept = default;
Arch Mc::arch() const { return impl_->arch; }
int Mc::encoded_by_text() const { return impl_->by_text; }

void Mc::encode(std::span<const Inst> all, std::vector<uint8_t>& out, std::vector<uint32_t>& begins) {
  for (size_t i = 0; i < all.size(); ++i)
    begins.push_back(static_cast<uint32_t>(out.size())), encode_first(all.subspan(i), out);
}
void Mc::encode(const Inst& inst, std::vector<uint8_t>& out) { encode_first({&inst, 1}, out); }

void Mc::encode_first(std::span<const Inst> all, std::vector<uint8_t>& out) {
  const Inst& inst = all.front();
  Impl::Template& t = impl_->find(all);  // its slots are overwritten each time
  if (t.by_text) {
    ++impl_->by_text;
    const auto bytes = assemble(isa::print(inst, impl_->arch));
    out.insert(out.end(), bytes.begin(), bytes.end());
    return;
  }
  if (t.linear && impl_->encode_linear(inst, *t.linear, out)) return;
  constexpr int often = 24;  // what it takes to learn the map is then saved
  if (++t.uses == often) t.linear = impl_->linear_of(t, inst);
  for (const Impl::Slot s : t.slots) t.inst.getOperand(s.mc_operand) = impl_->filled(inst, s.source);
  impl_->encode(t.inst, out);
}
llvm::MCOperand Mc::Impl::filled(const Inst& inst, int source) const {
  using llvm::MCOperand;
  if (source == slot_offset) return MCOperand::createImm(inst.mods.offset);
  if (source == slot_offset0) return MCOperand::createImm(inst.mods.offset0);
  if (source == slot_offset1) return MCOperand::createImm(inst.mods.offset1);
  const Operand& o = inst.operands[source];
  if (o.is_reg()) {
    const llvm::MCRegister r = lookup(o);
    if (!r)
      throw IsaError(
          fmt::format("{}: {} is not a register of {}", isa::print(inst, arch), isa::print(o), target(arch).name));
    return MCOperand::createReg(r);
  }
  const OperandSpec& spec = inst.spec(source);
  // LLVM recognises an inline constant by its full-width bits.
  if (o.file == File::imm && (spec.dwords == 2 || spec.constant == Constant::f64) &&
      spec.constant != Constant::f32_pair)
    return MCOperand::createImm(static_cast<int64_t>(constant(o, spec)));
  return MCOperand::createImm(o.file == File::label ? 0 : static_cast<int32_t>(o.bits));
}
namespace {
uint32_t number_of(const Inst& inst, int source, int slot_offset) {
  if (source < slot_offset)
    return inst.operands[source].is_reg() ? inst.operands[source].index : inst.operands[source].bits;
  return source == slot_offset       ? static_cast<uint32_t>(inst.mods.offset)
         : source == slot_offset + 1 ? inst.mods.offset0
                                     : inst.mods.offset1;
}
void set_number(Inst& inst, int source, int slot_offset, uint32_t number) {
  if (source == slot_offset) inst.mods.offset = static_cast<int>(number);
  else if (source == slot_offset + 1) inst.mods.offset0 = static_cast<uint8_t>(number);
  else if (source == slot_offset + 2) inst.mods.offset1 = static_cast<uint8_t>(number);
  else if (inst.operands[source].is_reg()) inst.operands[source].index = static_cast<uint16_t>(number);
  else inst.operands[source].bits = number;
}
}  // namespace
std::optional<Mc::Impl::Linear> Mc::Impl::linear_of(const Template& t, const Inst& like) {
  constexpr uint32_t a_literal = 0x12345678;
  constexpr int number_bits = 16;
  Linear l;
  Inst zero = like;
  std::vector<int> bits;  // by source: of its number
  for (const Slot s : t.slots) {
    const bool operand = s.source < slot_offset;
    if (operand && like.operands[s.source].file == File::label) continue;  // encoded as 0
    if (std::ranges::any_of(l.sources, [&](const auto& known) { return known.source == s.source; })) continue;
    Linear::Source source{s.source};
    bits.push_back(number_bits);
    if (operand && !like.operands[s.source].is_reg()) {
      const OperandSpec& spec = like.spec(s.source);
      const bool field = spec.kind == Kind::imm || spec.kind == Kind::waits;
      if (spec.dwords == 2 || like.operands[s.source].dwords == 2 || spec.constant != Constant::plain) return {};
      if (!field && inline_constant(like.operands[s.source].bits, false)) source.most = 64, bits.back() = 7;
      else if (!field) source.at_zero = a_literal, bits.back() = 32;
    }
    set_number(zero, s.source, slot_offset, source.at_zero);
    l.sources.push_back(source);
  }
  llvm::MCInst i = t.inst;
  std::vector<uint8_t> code;
  const auto encoded = [&](const Inst& inst) {
    for (const Slot s : t.slots) i.getOperand(s.mc_operand) = filled(inst, s.source);
    code.clear(), encode(i, code);
    Linear::Code words{};
    std::memcpy(words.data(), code.data(), std::min(code.size(), sizeof words));
    return words;
  };
  l.zero = encoded(zero), l.bytes = code.size();
  if (l.bytes > sizeof l.zero) return {};
  for (size_t k = 0; k < l.sources.size(); ++k) {
    Linear::Source& source = l.sources[k];
    const bool reg = source.source < slot_offset && like.operands[source.source].is_reg();
    for (int bit = 0; bit < bits[k]; ++bit) {
      Inst one = zero;
      set_number(one, source.source, slot_offset, source.at_zero ^ 1u << bit);
      Linear::Code inverts = l.zero;
      if (!reg || lookup(one.operands[source.source])) inverts = encoded(one);  // else no register has this bit
      if (code.size() != l.bytes) return {};
      uint64_t in_another_field = 0;
      for (size_t w = 0; w < inverts.size(); ++w) inverts[w] ^= l.zero[w], in_another_field |= inverts[w] & l.zero[w];
      if (in_another_field && !source.at_zero) break;
      source.inverts.push_back(inverts);
    }
    source.find_field();
  }
  return l;
}
void Mc::Impl::Linear::Source::find_field() {
  while (!inverts.empty() && inverts.back() == Code{}) inverts.pop_back();  // of numbers without a register
  size_t first = 0;  // the lowest bit that is encoded: of a pair's second result bit 0 follows from the first's
  while (first < inverts.size() && inverts[first] == Code{}) ++first;
  for (size_t w = 0; w < std::tuple_size_v<Code> && first < inverts.size(); ++w) {
    const int distance = std::countr_zero(inverts[first][w]) - static_cast<int>(first);
    if (distance < 0 || distance + inverts.size() > 64) continue;
    const auto in_place = [&](size_t i) {
      Code only{};
      only[w] = uint64_t{1} << (distance + static_cast<int>(i));
      return inverts[i] == only;
    };
    size_t i = first;
    while (i < inverts.size() && in_place(i)) ++i;
    if (i == inverts.size()) word = static_cast<int>(w), shift = distance, field = ~uint32_t{0} << first;
  }
}
bool Mc::Impl::encode_linear(const Inst& inst, const Linear& l, std::vector<uint8_t>& out) const {
  Linear::Code code = l.zero;
  for (const Linear::Source& source : l.sources) {
    const uint32_t number = number_of(inst, source.source, slot_offset);
    const bool reg = source.source < slot_offset && inst.operands[source.source].is_reg();
    if (number > source.most || (reg && !lookup(inst.operands[source.source]))) return false;
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
  out.insert(out.end(), bytes, bytes + l.bytes);
  return true;
}

bool Mc::assembles(std::string_view text) {
  std::vector<llvm::MCInst> parsed;
  return impl_->parse(text, parsed);
}

std::vector<uint8_t> Mc::assemble(std::string_view text) {
  std::vector<llvm::MCInst> parsed;
  Impl* by = impl_.get();
  if (!by->parse(text, parsed)) {
    if (!halves() || !halves()->parse(text, parsed))
      throw IsaError(fmt::format("{}: {}", text, impl_->message.empty() ? "not an instruction" : impl_->message));
    by = halves();
  }
  std::vector<uint8_t> out;
  for (const auto& i : parsed) by->encode(i, out);
  return out;
}

Mc::Decoded Mc::disassemble(std::span<const uint8_t> code, uint64_t pc) {
  if (kills_llvm(code, impl_->arch)) return {};
  if (literal_255(code, impl_->arch)) {
    std::vector<uint8_t> other(code.begin(), code.end());
    other[4] = 254;
    Decoded d = disassemble(other, pc);
    for (size_t at = 0; (at = d.text.find("0xfe", at)) != d.text.npos;) d.text.replace(at, 4, "0xff");
    return d;
  }
  llvm::MCInst inst;
  uint64_t size = 0;
  Impl* by = impl_.get();
  const auto decode = [&](std::span<const uint8_t> bytes) {
    inst = {};
    std::array<uint8_t, 32> padded{};  // LLVM crashes if the code ends before a literal
    const size_t given = bytes.size();
    if (given < padded.size()) std::copy(bytes.begin(), bytes.end(), padded.begin()), bytes = padded;
    const auto status = by->disassembler->getInstruction(
        inst, size, llvm::ArrayRef<uint8_t>(bytes.data(), bytes.size()), pc, llvm::nulls());
    return status != llvm::MCDisassembler::Fail && size != 0 && size <= given;
  };
  const auto usual = with_usual_bits(
      code, impl_->arch);  // first, because LLVM decodes the scale half of a scaled WMMA as an instruction of its own
  Decoded d;
  const auto decoded = [&] {
    if ((usual.empty() || !decode(usual)) && !decode(code)) return false;
    d = {static_cast<int>(size), {}};
    llvm::raw_string_ostream os(d.text);
    by->printer->printInst(&inst, pc, "", *by->subtarget, os);
    return true;
  };
  // Without halves LLVM ignores op_sel of VOP1, VOP2 and VOPC in VOP3 encoding, and refuses upper halves in their short
  // encodings.
  const bool has_op_sel = code.size() >= 8 && code[3] >> 2 == 0x35 && (code[1] & 0x78);
  if (!decoded() || (has_op_sel && d.text.find("op_sel") == d.text.npos)) {
    if (halves()) by = halves(), decoded();
    if (!d.size) return {};
  }
  if (const auto start = d.text.find_first_not_of(" \t"); start != d.text.npos) d.text.erase(0, start);
  for (char& c : d.text)
    if (c == '\t') c = ' ';
  // On RDNA, gfx9's two DPP broadcasts are codes without meaning, for which LLVM prints a remark. Bits 16:8 of the last
  // dword distinguish them.
  if (const auto remark = d.text.find("/* row_bcast"); remark != d.text.npos && size >= 8) {
    const int control = code[size - 3] | (code[size - 2] & 1) << 8;
    d.text.replace(remark, d.text.find("*/", remark) + 2 - remark,
                   control == dpp_ctrl::row_bcast15 ? "row_bcast:15" : "row_bcast:31");
  }
  return d;
}

Inst Mc::instruction(const Decoded& d, std::span<const uint8_t> code) const {
  Inst i = parse(d.text, impl_->arch);
  if (i.info().format == Format::ds)
    i.mods.offset = code[0] | code[1] << 8;  // LLVM prints ds_swizzle's rotation without its mask
  return i;
}

}  // namespace wavesmith::isa
