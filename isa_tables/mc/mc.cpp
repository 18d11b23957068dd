// Single instructions by LLVM MC (source.cpp: whole texts). LLVM does not install AMDGPU's opcode enumeration, so LLVM
// parses one printed sample of each row, with distinct registers and numbers; the positions of these values in the
// MCInst are the slots that later instructions of the same shape fill. After that no text is parsed, and of a shape
// that is used often neither is LLVM's emitter asked: its bytes are a linear map of the numbers' bits.
#include "isa_tables/mc/mc.h"
#include "isa_tables/dpp.h"
#include "isa_tables/mc/linear_encoding.h"
#include "isa_tables/mc/llvm_limits.h"
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
  struct Template {
    uint64_t key = 0;
    llvm::MCInst inst;
    std::vector<Slot> slots;
    bool by_text = false;  // the sample does not show all operand slots: LLVM parses each instruction's text
    int uses = 0;
    std::optional<LinearEncoding> linear{};  // of a template that is used often
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
  std::optional<LinearEncoding> linear_of(const Template&, const Inst&);
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
  const auto exists = [&](const Operand& o) { return static_cast<bool>(impl_->lookup(o)); };
  if (t.linear && t.linear->encode(inst, exists, out)) return;
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
std::optional<LinearEncoding> Mc::Impl::linear_of(const Template& t, const Inst& like) {
  std::vector<int> sources;
  for (const Slot s : t.slots) sources.push_back(s.source);
  llvm::MCInst i = t.inst;
  return LinearEncoding::learn(
      like, sources,
      [&](const Inst& inst, std::vector<uint8_t>& out) {
        for (const Slot s : t.slots) i.getOperand(s.mc_operand) = filled(inst, s.source);
        encode(i, out);
      },
      [&](const Operand& o) { return static_cast<bool>(lookup(o)); });
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
