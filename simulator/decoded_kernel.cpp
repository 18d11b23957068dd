#include "simulator/decoded_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "isa_tables/mc/mc.h"
#include "isa_tables/names.h"
#include "isa_tables/timing/issue.h"
#include "simulator/access.h"
#include "simulator/atomic_loads.h"
#include "simulator/code_addresses.h"
#include "simulator/deferred.h"

namespace wavesmith::sim {
namespace {
using isa::Access, isa::File, isa::Format, isa::Kind;

// An inline constant of f16 as f32; other bits as they are.
u32 widened(u32 f16) {
  switch (f16 & 0x7fff) {
    case 0x3800:
    case 0x3c00:
    case 0x4000:
    case 0x4400: return (f16 & 0x8000) << 16 | (((f16 & 0x7fff) << 13) + 0x38000000);
    case 0x3118: return 0x3e22f983;  // 1 / (2 pi)
    default: return f16;
  }
}

// Inline constants of operands with several widths. V_FMA_MIX*: f32, or f16 in the low half if OPSEL_HI selects it
// (LLVM pull request 183487; BF16 uses a half of the f32). V_PK_FMAC_F16 and V_DOT2ACC_F32_F16: Target::fills_halves().
u32 adapted(const Step& st, u32 bits, const isa::OperandSpec& spec, bool as_half, const isa::Target& target) {
  if ((st.row->implicit & isa::mix) && spec.constant == isa::Constant::f16 && !as_half) return widened(bits);
  const bool without_halves = st.inst.op == isa::Opcode::v_pk_fmac_f16 || st.inst.op == isa::Opcode::v_dot2c_f32_f16;
  if (without_halves && target.fills_halves() && widened(bits) != bits) return bits | bits << 16;
  return bits;
}

Source source(const Step& st, const isa::Operand& o, const isa::OperandSpec& spec, int position,
              const isa::Target& target) {
  Source s;
  const isa::Mods& m = st.inst.mods;
  s.dwords = std::max<u8>(1, spec.dwords);
  s.neg = o.neg, s.abs = o.abs, s.sext = o.sext;
  if (st.row->format == Format::vop3p) s.neg ^= m.neg_lo >> position & 1;
  // v_dot2_f16_f16 and v_dot2_bf16_bf16, VOP3 with pairs: both halves (measured on gfx1201: bjacob/goc).
  s.neg_hi = st.row->format == Format::vop3 ? s.neg : m.neg_hi >> position & 1;
  s.sel_lo = (m.op_sel >> position & 1) || o.part == 2;
  s.sel_hi = m.op_sel_hi >> position & 1;
  if (o.file == File::s && spec.constant == isa::Constant::f32_pair && target.one_scalar_feeds_pairs())
    s.sel_lo = s.sel_hi = false;
  switch (o.file) {
    case File::v:
    case File::a:
      s.from = Source::From::vector;
      s.reg = static_cast<u16>(isa::number_of(o));
      break;
    case File::s:
      s.from = Source::From::scalar;
      s.reg = o.index;
      break;
    case File::imm: {
      s.from = Source::From::constant;
      const u64 wide = isa::constant(o, spec);
      s.bits[0] = adapted(st, static_cast<u32>(wide), spec, s.sel_hi, target), s.bits[1] = static_cast<u32>(wide >> 32);
      break;
    }
    default: break;
  }
  return s;
}

// Why no wave can execute the instruction with this kernel's registers; empty: it can.
std::string refusal(const Step& st, isa::Arch arch, const KernelInfo& k) {
  const isa::Target& t = isa::target(arch);
  // Separate files (gfx908) are allocated alike.
  const int agprs = std::min(t.agprs, t.unified ? k.vgprs - k.accum_offset : k.vgprs),
            vgprs = std::min(k.vgprs, t.vgprs);
  for (int i = 0; i < isa::max_operands && st.row->operands[i].kind != Kind::none; ++i) {
    const isa::Operand& o = st.inst.operands[i];
    if (o.file == File::s && o.index == sreg::lds_direct)
      return t.has_lds_direct() ? "reads LDS by src_lds_direct, which is not modelled"
                                : fmt::format("reads LDS by src_lds_direct, which {} does not have", t.name);
    if (o.file != File::v && o.file != File::a) continue;
    const int limit = o.file == File::v ? vgprs : agprs;
    if (o.index + o.dwords > limit)
      return fmt::format("{} is beyond the {} {}s the kernel descriptor allocates", isa::print(o), limit,
                         o.file == File::v ? "VGPR" : "AGPR");
    if (const int align = isa::tuple_align(*st.row, i, arch); o.dwords > 1 && o.index % align)
      return fmt::format("{} must start at a multiple of {}", isa::print(o), align);
  }
  return {};
}

// The register operands of `relative` rows are bases; their other operands are plain sources.
bool is_base(const isa::Info& row, const isa::OperandSpec& spec) {
  return (row.implicit & isa::relative) && (spec.kind == Kind::v || spec.kind == Kind::s);
}

// A lane of the result may come from another lane, apart from DPP.
bool crosses_lanes(isa::Opcode op) {
  using isa::Opcode;
  constexpr Opcode rows[] = {Opcode::v_readlane_b32,       Opcode::v_readfirstlane_b32,  Opcode::v_permlane16_b32,
                             Opcode::v_permlanex16_b32,    Opcode::v_permlane16_var_b32, Opcode::v_permlanex16_var_b32,
                             Opcode::v_permlane64_b32,     Opcode::v_permlane_bcast_b32, Opcode::v_permlane_up_b32,
                             Opcode::v_permlane_down_b32,  Opcode::v_permlane_xor_b32,   Opcode::v_permlane16_swap_b32,
                             Opcode::v_permlane32_swap_b32};
  return isa::is_crossbar(op) || std::ranges::find(rows, op) != std::end(rows);
}
LaneCopy copy_of(const Step& st) {
  using isa::Opcode;
  if (st.inst.op == Opcode::v_writelane_b32) return LaneCopy::to_lane;
  int sources = 0, results = 0;
  st.cold->reads.each([&](int) { ++sources; }), st.cold->writes.each([&](int) { ++results; });
  if (!st.direct || st.high_result || st.inst.mods.op_sel || sources != 1 || results != 1) return LaneCopy::no;
  switch (st.inst.op) {
    case Opcode::v_mov_b32:
    case Opcode::v_accvgpr_read_b32:
    case Opcode::v_accvgpr_write_b32:
    case Opcode::v_accvgpr_mov_b32: return LaneCopy::lanes;
    case Opcode::v_readlane_b32: return LaneCopy::from_lane;  // one source: the lane's number is a constant
    case Opcode::v_readfirstlane_b32: return LaneCopy::first_lane;
    default: return LaneCopy::no;
  }
}
// The instruction changes only registers, and its result depends only on registers.
bool is_pure(const isa::Info& row, isa::Opcode op) {
  constexpr u32 more = isa::pc_w | isa::ends | isa::mode_w | isa::relative;
  if (row.implicit & more) return false;
  if (row.unit == isa::Unit::salu)
    return row.counter == isa::Counter::none && (row.count() == 0 || row.operands[0].access != Access::read ||
                                                 (row.implicit & (isa::scc_w | isa::exec_w | isa::m0_w)));
  return isa::is_crossbar(op) || (row.is_vector() && !row.is_matrix());
}
// The bits of its last data dword that a narrow store uses.
u32 data_bits(isa::Opcode op) {
  using isa::Opcode;
  switch (op) {
#define NARROW(prefix) \
  case Opcode::prefix##_store_byte: return 0xff; \
  case Opcode::prefix##_store_byte_d16_hi: return 0xff0000; \
  case Opcode::prefix##_store_short: return 0xffff; \
  case Opcode::prefix##_store_short_d16_hi: return 0xffff0000;
    NARROW(global)
    NARROW(flat)
    NARROW(scratch)
    NARROW(buffer)
#undef NARROW
    case Opcode::ds_write_b8: return 0xff;
    case Opcode::ds_write_b8_d16_hi: return 0xff0000;
    case Opcode::ds_write_b16: return 0xffff;
    case Opcode::ds_write_b16_d16_hi: return 0xffff0000;
    case Opcode::buffer_store_format_d16_x:
    case Opcode::buffer_store_format_d16_xyz: return 0xffff;
    case Opcode::buffer_store_format_d16_hi_x: return 0xffff0000;
    default: return ~u32{0};
  }
}

// The operands that the instruction reads, and its results.
void resolve_operands(Step& st, isa::Arch arch) {
  const isa::Info& row = *st.row;
  int position = 0;
  const bool memory = row.counter != isa::Counter::none && !(row.implicit & isa::atomic);
  for (const bool tied : {false, true}) {
    for (int i = 0; i < isa::max_operands && row.operands[i].kind != Kind::none; ++i) {
      const isa::OperandSpec& spec = row.operands[i];
      if (spec.access == Access::write || (spec.access == Access::both) != tied) continue;
      const isa::Operand& o = st.inst.operands[i];
      st.src[st.sources++] = source(st, o, spec, position++, isa::target(arch));
      if (is_base(row, spec) || (i == 0 && (row.implicit & isa::keeps)) || (tied && memory))
        continue;  // the half that a D16 load keeps
      if (!memory || spec.kind != Kind::vaddr || o.is_reg()) st.cold->reads.add(isa::read_from(st.inst, i, arch));
    }
  }
  int outputs = 0;
  for (int i = 0; i < isa::max_operands && row.operands[i].kind != Kind::none; ++i) {
    if (row.operands[i].access == Access::read) continue;
    const isa::Operand& o = st.inst.operands[i];
    (outputs++ == 0 ? st.dst : st.mask_dst) = static_cast<u16>(o.file == File::s ? o.index : isa::number_of(o));
  }
  st.no_mask = outputs == 0;
}

bool reverses_difference(const isa::Info& row) {  // of integers
  const std::string_view name = row.mnemonic;
  return name == "v_subrev_u32" || name == "v_subrev_co_u32" || name == "v_subbrev_co_u32";
}

// Modifiers that the hardware ignores do nothing.
void drop_modifiers(Step& st, const isa::Target& target) {
  const isa::Opcode ignoring[] = {isa::Opcode::v_dot2_f32_f16, isa::Opcode::v_dot2_f32_bf16,
                                  isa::Opcode::v_cvt_pkrtz_f16_f32};
  if (target.drops_output_modifiers() && std::ranges::find(ignoring, st.inst.op) != std::end(ignoring))
    st.inst.mods.omod = 0, st.inst.mods.flags &= ~isa::clamp;
}

void resolve(Step& st, isa::Arch arch, int wave_size) {
  const isa::Info& row = *st.row;
  drop_modifiers(st, isa::target(arch));
  const isa::Mods& m = st.inst.mods;
  st.plain = !m.dpp && !m.sdwa;
  st.permuted = isa::target(arch).subrev_permutes_second() && reverses_difference(row);
  st.all_lanes = row.is_matrix();
  st.high_result = (m.op_sel & 8) || (row.operands[0].access != Access::read && st.inst.operands[0].part == 2);
  resolve_operands(st, arch);
  st.direct = st.plain && !m.dpp8 && !m.omod && !m.has(isa::clamp) &&
              std::none_of(st.src, st.src + st.sources, [](const Source& s) { return s.neg || s.abs || s.neg_hi; });
  if (replay_order(row, arch))
    for (const auto& o : isa::replay_sources(st.inst, arch, wave_size)) st.cold->replayed.add(o), st.may_replay = true;
  st.cold->pure = is_pure(row, st.inst.op);
  st.cold->crosses_lanes = m.dpp || m.dpp8 || crosses_lanes(st.inst.op);
  st.cold->moves = (row.implicit & isa::carries) || row.unit == isa::Unit::salu || crosses_lanes(st.inst.op);
  st.cold->data_bits = data_bits(st.inst.op);
  const isa::Effects e = isa::effects(st.inst, arch, wave_size);
  for (const auto& o : e.reads) st.cold->touched.add(o);
  for (const auto& o : e.writes) st.cold->touched.add(o), st.cold->writes.add(o);
  if (row.implicit & isa::scc_r) st.cold->reads.add(scalar_base + sreg::scc);
  if (row.implicit & isa::vcc_r)
    for (int k = 0; k < wave_size / 32; ++k) st.cold->reads.add(scalar_base + sreg::vcc + k);
  if ((row.implicit & isa::exec_r) && !row.is_vector() && row.counter == isa::Counter::none)
    for (int k = 0; k < wave_size / 32; ++k) st.cold->reads.add(scalar_base + sreg::exec + k);
  if (((row.implicit & isa::m0_r) && row.unit != isa::Unit::message) || m.has(isa::lds))
    st.cold->reads.add(scalar_base + sreg::m0);
  st.cold->copies = copy_of(st);
}

// Both halves of a pair read before either writes: the first one's result is saved and restored around the second one.
// Their destinations never overlap (RDNA3 ISA, VOPD).
void run_pair(Wave& w, const Step& st) {
  const Step &x = st.cold->halves[0], &y = st.cold->halves[1];
  const size_t n = x.row->operands[0].dwords * static_cast<size_t>(Wave::lanes);
  u32* d = w.vreg(x.dst);
  const std::vector<u32> before(d, d + n);
  x.run(w, x);
  const std::vector<u32> after(d, d + n);
  std::copy(before.begin(), before.end(), d);
  y.run(w, y);
  std::copy(after.begin(), after.end(), d);
}

struct Context {
  isa::Arch arch;
  const isa::Target& target;
  const KernelInfo& kernel;
};

// Everything that follows from the instruction: operands, semantics, refusal.
void complete(Step& st, const Context& c, const Shift& by) {
  if (st.inst.dual) {
    for (const int k : {0, 1}) {
      Step h;
      h.inst = isa::half(st.inst, k);
      h.pc = st.pc, h.size = st.size;
      complete(h, c, by);
      st.cold->moves = (k == 0 || st.cold->moves) && h.cold->moves;
      if (!h.run && st.cold->refusal.empty()) st.cold->refusal = h.cold->refusal, st.cold->refused = h.cold->refused;
      for (const auto& [from, to] : {std::pair(&h.cold->touched, &st.cold->touched),
                                     {&h.cold->reads, &st.cold->reads},
                                     {&h.cold->writes, &st.cold->writes}})
        from->each([to = to](int r) { to->add(r); });
      st.cold->halves.push_back(std::move(h));
    }
    st.row = &st.inst.info();
    st.cold->pure = true;
    if (st.cold->refusal.empty()) st.run = run_pair;
    return;
  }
  shift_registers(st.inst, by);
  st.row = &st.inst.info();
  st.run = semantics(st.inst.op);
  if (!st.run) st.cold->refusal = "has no semantics";
  resolve(st, c.arch, c.kernel.wave_size);
  if (st.row->is_matrix()) st.plan = &matrix_plan(c.arch, c.kernel.wave_size, st);
  if (const auto why = refusal(st, c.arch, c.kernel); !why.empty())
    st.run = nullptr, st.cold->refusal = why, st.cold->refused = Fault::Kind::illegal;
}

std::string no_instruction(std::span<const u8> code) {
  std::string s = "(no instruction:";
  for (const u8 b : code.first(std::min<size_t>(code.size(), 8))) s += fmt::format(" {:02x}", b);
  return s + ")";
}

}  // namespace

Execute semantics(isa::Opcode op) {
  static const auto table = [] {
    std::vector<Execute> all(isa::table().size());
    for (const auto part :
         {salu_semantics(),          salu_float_semantics(), control_semantics(),        hwreg_semantics(),
          barrier_semantics(),       int_semantics(),        packed_semantics(),         compare_semantics(),
          lane_semantics(),          float_semantics(),      transcendental_semantics(), half_semantics(),
          float_compare_semantics(), convert_semantics(),    scaled_convert_semantics(), lds_semantics(),
          smem_semantics(),          global_semantics(),     buffer_semantics(),         typed_semantics(),
          atomic_semantics(),        exchange_semantics(),   tensor_semantics(),         wait_semantics()})
      for (const Semantics& s : part) all[isa::row_of(s.mnemonic)] = s.run;
    for (size_t i = 0; i < all.size(); ++i)
      if (isa::table()[i].is_matrix()) all[i] = multiply_matrices;
    return all;
  }();
  return table[static_cast<size_t>(op)];
}

bool executes(const isa::Inst& i) { return semantics(i.op) && (!i.dual || semantics(i.second)); }

void shift_registers(isa::Inst& inst, const Shift& by) {
  using isa::File;
  const auto slots = isa::register_slots(inst.info());
  for (size_t i = 0; i < slots.size(); ++i)
    if (isa::Operand& o = inst.operands[i]; slots[i] != absent && (o.file == File::v || o.file == File::a))
      o.index = static_cast<u16>(o.index + (slots[i] == 3 ? by.destination : by.source[static_cast<size_t>(slots[i])]));
}

std::optional<u64> branch_target(const isa::Inst& inst, u64 end) {
  const isa::Info& row = inst.info();
  for (int i = 0; i < row.count(); ++i)
    if (row.operands[i].kind == isa::Kind::label)
      return end + 4 * static_cast<u64>(static_cast<i64>(static_cast<i16>(inst.operands[i].bits)));
  return {};
}

std::string with_label(std::string text, std::string_view name) {
  if (!name.empty()) text.replace(text.find_last_of(" \t") + 1, text.npos, name);
  return text;
}

Shift shift_of(u8 msb) { return {{256 * (msb & 3), 256 * (msb >> 2 & 3), 256 * (msb >> 4 & 3)}, 256 * (msb >> 6)}; }

static Step moved(const Step& st, const Shift& by, isa::Arch arch, const KernelInfo& kernel) {
  Step moved;
  moved.inst = st.inst;
  moved.pc = st.pc, moved.number = st.number, moved.next = st.next, moved.target = st.target, moved.size = st.size;
  complete(moved, {arch, isa::target(arch), kernel}, by);
  moved.concerns_matrices = moved.anywhere = true;
  return moved;
}
Step ready(const Step& st, isa::Arch arch, const KernelInfo& kernel) { return moved(st, {}, arch, kernel); }
Step shifted(const Step& st, const Shift& by, const isa::Target& target, const KernelInfo& kernel) {
  const isa::Arch arch = *isa::find_arch(target.name);
  Step s = moved(st, by, arch, kernel);
  s.cold->text = isa::print(s.inst, arch);
  return s;
}

namespace {

struct DecodePoint {
  u64 pc;
  u8 msb;
};
struct Link {
  u64 next = 0, target = 0;
};  // places; 0: none

constexpr size_t most_steps = size_t{1} << 19;

bool reads_time(const Step& st, isa::Arch arch) {
  using isa::Opcode;
  static constexpr Opcode clocks[] = {Opcode::s_memtime, Opcode::s_memrealtime, Opcode::s_get_shader_cycles_u64,
                                      Opcode::s_sendmsg_rtn_b32, Opcode::s_sendmsg_rtn_b64};
  if (std::ranges::find(clocks, st.inst.op) != std::end(clocks)) return true;
  if (st.inst.op != Opcode::s_getreg_b32) return false;
  const auto name = isa::number_name(isa::hwreg_names(), static_cast<int>(st.src[0].bits[0] & 63), arch);
  return name.find("SHADER_CYCLES") != name.npos;
}

// Instructions by encoding, for code that has many again, as candidates of one kernel do. Not those whose text says
// where they are. None begins another: gfx1250's half of a scaled WMMA, which would, has no row.
class KnownEncodings {
 public:
  struct Known {
    isa::Mc::Decoded decoded;
    isa::Inst inst;
    std::vector<std::pair<u8, Step>> steps;  // by the state of s_set_vgpr_msb; none that a kernel may refuse
  };
  KnownEncodings(isa::Arch arch, int lanes) : mc(arch, lanes) {}
  static KnownEncodings& of(isa::Arch arch, int lanes) {  // one per thread
    static thread_local std::map<std::pair<isa::Arch, int>, KnownEncodings> all;
    return all.try_emplace({arch, lanes}, arch, lanes).first->second;
  }
  Known* find(std::span<const u8> code) {
    Key key{};
    for (size_t n = 1; n <= most && 4 * n <= code.size(); ++n) {
      key[0] = static_cast<u32>(n);
      std::memcpy(&key[n], code.data() + 4 * (n - 1), 4);
      if (const auto at = known_.find(key); at != known_.end()) return &at->second;
    }
    return nullptr;
  }
  Known* add(std::span<const u8> code, const isa::Mc::Decoded& d, const isa::Inst& inst) {
    const auto n = static_cast<size_t>(d.size) / 4;
    if (d.size % 4 || n < 1 || n > most || (inst.info().implicit & isa::pc_w)) return nullptr;
    constexpr size_t enough = 1 << 14;
    if (known_.size() >= enough) known_.clear();
    Key key{static_cast<u32>(n)};
    std::memcpy(&key[1], code.data(), 4 * n);
    return &known_.try_emplace(key, Known{d, inst, {}}).first->second;
  }

  isa::Mc mc;

 private:
  static constexpr size_t most = 5;
  using Key = std::array<u32, most + 1>;  // the number of dwords, and these
  struct Hash {
    size_t operator()(const Key& key) const {
      u64 h = 0;
      for (const u32 x : key) h = (h ^ x) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
      return h;
    }
  };
  std::unordered_map<Key, Known, Hash> known_;
};

struct KernelDecoder {
  const CodeObject& object;
  Context context;
  KnownEncodings& encodings;
  DecodedKernel program;
  std::unordered_map<u64, int> by_place;
  std::vector<DecodePoint> todo;
  std::vector<Link> links;
  std::vector<DecodePoint> pointed_at;  // addresses that the code computes from the program counter: mostly functions
  bool indirect = false;                // some call has a target that the code does not determine
  // First SGPRs of the targets of indirect jumps and of return addresses; SGPRs that are loaded from memory.
  std::set<int> jumps, returns, loaded;

  // Adds the places where execution may continue after the step. False: not at the next instruction.
  bool follow_branch(const Step& st, DecodePoint at, Link& link, const CodeAddresses& known) {
    const isa::Info& row = *st.row;
    if (row.implicit & isa::ends) return false;
    if (!(row.implicit & isa::pc_w)) return true;
    const isa::Operand& first = st.inst.operands[0];
    if (row.count() && row.operands[0].access != isa::Access::read) returns.insert(first.index);
    if (const auto to = branch_target(st.inst, at.pc + st.size)) {
      todo.push_back({*to, at.msb});
      link.target = DecodedKernel::place(*to, at.msb);
      return st.inst.op != isa::Opcode::s_branch;  // all others are conditional, or come back
    }
    if (st.src[0].from == Source::From::constant) {  // s_add_pc_i64 of a constant
      todo.push_back({at.pc + st.size + (st.src[0].bits[0] | u64{st.src[0].bits[1]} << 32), at.msb});
      return false;
    }
    const bool call = row.operands[1].kind != Kind::none;  // returns
    const isa::Operand& from = call ? st.inst.operands[1] : first;
    if (const auto to = known.pair(from)) todo.push_back({*to, at.msb});  // a long branch
    else if (call) indirect = true;
    else jumps.insert(from.index);
    return call;
  }

  // The program's next step.
  Step& add_step(DecodePoint at) {
    const auto code = object.code(at.pc);
    KnownEncodings::Known* known = encodings.find(code);
    if (known)
      for (const auto& [msb, step] : known->steps)
        if (msb == at.msb && refusal(step, context.arch, context.kernel).empty()) {
          program.steps.push_back(step);
          program.steps.back().pc = at.pc;
          return program.steps.back();
        }
    return program.steps.emplace_back(decode_one(at, code, known));
  }
  Step decode_one(DecodePoint at, std::span<const u8> code, KnownEncodings::Known* known) {
    Step st;
    st.pc = at.pc;
    const auto d = known ? known->decoded : code.empty() ? isa::Mc::Decoded{} : encodings.mc.disassemble(code, at.pc);
    std::string& text = st.cold->text;
    text = d.size ? d.text : code.empty() ? "(outside of the code)" : no_instruction(code);
    st.size = static_cast<u8>(d.size);
    if (const auto first = text.find_first_not_of(" \t"); first != std::string::npos) text.erase(0, first);
    std::replace(text.begin(), text.end(), '\t', ' ');
    if (!d.size) return st;
    try {
      st.inst = known ? known->inst : encodings.mc.instruction(d, code);
      if (!known) known = encodings.add(code, d, st.inst);
      complete(st, context, shift_of(at.msb));
      if (context.target.has_vgpr_msb())
        text = isa::print(st.inst, context.arch);  // with the registers after s_set_vgpr_msb
      if (const auto to = branch_target(st.inst, at.pc + st.size))
        text = with_label(std::move(text), object.name_at(*to));
      if (known && st.run && !st.inst.dual) known->steps.emplace_back(at.msb, st);
    } catch (const isa::IsaError& e) { st.run = nullptr, st.cold->refusal = e.what(); }
    return st;
  }

  void follow(DecodePoint at) {
    CodeAddresses known;
    for (;;) {
      const u64 place = DecodedKernel::place(at.pc, at.msb);
      if (!by_place.emplace(place, static_cast<int>(program.steps.size())).second) return;
      if (program.steps.size() == most_steps)
        throw LoadError(fmt::format("{}: more than {} reachable instructions", context.kernel.name, most_steps));
      Step& st = add_step(at);
      Link link;
      bool falls_through = st.size != 0;
      if (st.row) {
        falls_through = follow_branch(st, at, link, known), known.see(st.inst, at.pc + st.size);
        if (const auto made = known.made(st.inst); made && !object.code(*made).empty())
          pointed_at.push_back({*made, at.msb});
        program.reads_time |= reads_time(st, context.arch);
        if (st.row->counter == isa::Counter::smem || st.inst.op == isa::Opcode::v_readfirstlane_b32)
          for (int k = 0; k < st.inst.operands[0].dwords; ++k) loaded.insert(st.inst.operands[0].index + k);
        program.orders_workgroups |=
            (st.row->implicit & isa::atomic) && st.row->unit != isa::Unit::lds && !commutes(st.inst.op);
      }
      const DecodePoint next{at.pc + st.size, st.row && st.inst.op == isa::Opcode::s_set_vgpr_msb
                                                  ? static_cast<u8>(st.inst.operands[0].bits)
                                                  : at.msb};
      st.number = static_cast<u32>(program.by_place.size());
      if (falls_through) link.next = DecodedKernel::place(next.pc, next.msb);
      program.by_place.emplace_back(place, static_cast<int>(st.number));
      links.push_back(link);
      if (!falls_through) return;
      at = next;
    }
  }

  int number_of(u64 place) const {
    const auto at = by_place.find(place);
    return place && at != by_place.end() ? at->second : absent;
  }

  // The kernel's own code from its entry to its end, for jumps to computed places in it.
  void sweep() {
    for (const Symbol& s : object.symbols())
      if (s.function && s.address == context.kernel.entry)
        for (u64 pc = s.address; pc < s.address + s.size;) {
          follow({pc, 0});
          const u32 size = program.steps[static_cast<size_t>(by_place.at(DecodedKernel::place(pc, 0)))].size;
          pc += size ? size : 4;
        }
  }

  DecodedKernel run() {
    const u64 bytes = context.kernel.code_end - std::min(context.kernel.code_end, context.kernel.entry);
    const size_t likely = std::min<u64>(bytes / 6, most_steps);
    program.steps.reserve(likely), links.reserve(likely), by_place.reserve(likely), program.by_place.reserve(likely);
    todo.push_back({context.kernel.entry, 0});
    for (int phase = 0;; ++phase) {
      while (!todo.empty()) {
        const DecodePoint at = todo.back();
        todo.pop_back();
        follow(at);
      }
      // A return continues after one of the calls, which is decoded anyway.
      for (const int s : jumps) indirect |= !returns.contains(s) || loaded.contains(s) || loaded.contains(s + 1);
      if (!indirect || phase == 2) break;
      if (phase == 1) {
        sweep();
        continue;
      }
      // Callees are only known at run time: decode every function, and what is pointed at.
      todo = pointed_at;
      for (const Symbol& s : object.symbols())
        if (s.function) todo.push_back({s.address, 0});
    }
    std::ranges::sort(program.by_place);
    for (size_t i = 0; i < links.size(); ++i) {
      program.steps[i].next = number_of(links[i].next);
      program.steps[i].target = number_of(links[i].target);
    }
    share_file();
    mark_deferred(program);
    for (Step& st : program.steps) {
      const bool mode = st.run && (st.row->implicit & isa::mode_w) && st.inst.op != isa::Opcode::s_set_vgpr_msb;
      st.straight = st.run && st.next == static_cast<int>(st.number) + 1 && !st.anywhere && !mode &&
                    !(st.row->implicit & (isa::pc_w | isa::ends)) && st.inst.op != isa::Opcode::s_setvskip;
    }
    program.atomic_loads = atomic_loads(program.steps);
    return std::move(program);
  }

  // In a unified file VGPRs from accum_offset on are the AGPRs. Kernels that have no AGPRs use them under either name
  // (hand-written attention kernels do); that one register has two names in one kernel is not modelled, and so refused.
  void share_file() {
    if (!context.target.unified) return;
    const auto uses = [&](const Step& st, File f, int from) {
      return std::ranges::any_of(st.inst.operands,
                                 [&](const isa::Operand& o) { return o.file == f && o.index + o.dwords > from; });
    };
    if (std::ranges::none_of(program.steps, [&](const Step& st) { return uses(st, File::a, 0); })) return;
    for (Step& st : program.steps)
      if (st.run && uses(st, File::v, context.kernel.accum_offset)) {
        std::string text = st.text();
        st.cold = ready(st, context.arch, context.kernel).cold;  // other kernels share what it has
        st.cold->text = std::move(text);
        st.run = nullptr, st.cold->refused = Fault::Kind::illegal;
        st.cold->refusal = fmt::format(
            "names a register that is also an AGPR: VGPRs end at accum_offset {} in a kernel that uses AGPRs",
            context.kernel.accum_offset);
      }
  }
};

}  // namespace

DecodedKernel decode(const CodeObject& object, const KernelInfo& kernel) {
  return KernelDecoder{.object = object,
                       .context = {object.arch(), isa::target(object.arch()), kernel},
                       .encodings = KnownEncodings::of(object.arch(), kernel.wave_size)}
      .run();
}

}  // namespace wavesmith::sim
