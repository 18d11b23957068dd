#include "simulator/undefined.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "simulator/scalar.h"

namespace wavesmith::sim {
namespace {
using isa::Opcode, isa::File, isa::Kind;

// -- Scalar instructions: which bits of the result are known ---
enum class Rule : u8 { all, move, bit_and, bit_or, bit_xor, select };   // all: every bit depends on every bit of the sources
struct Logic { Opcode op; Rule rule; bool not_a = false, not_b = false; };
// clang-format off
constexpr Logic logic[] = {                                // and_saveexec and its like: b is EXEC
    {Opcode::s_mov_b32, Rule::move},                {Opcode::s_mov_b64, Rule::move},                {Opcode::s_not_b32, Rule::move},             {Opcode::s_not_b64, Rule::move},
    {Opcode::s_and_b32, Rule::bit_and},             {Opcode::s_and_b64, Rule::bit_and},             {Opcode::s_nand_b32, Rule::bit_and},         {Opcode::s_nand_b64, Rule::bit_and},
    {Opcode::s_or_b32, Rule::bit_or},               {Opcode::s_or_b64, Rule::bit_or},               {Opcode::s_nor_b32, Rule::bit_or},           {Opcode::s_nor_b64, Rule::bit_or},
    {Opcode::s_xor_b32, Rule::bit_xor},             {Opcode::s_xor_b64, Rule::bit_xor},             {Opcode::s_xnor_b32, Rule::bit_xor},         {Opcode::s_xnor_b64, Rule::bit_xor},
    {Opcode::s_andn2_b32, Rule::bit_and, false, true}, {Opcode::s_andn2_b64, Rule::bit_and, false, true},
    {Opcode::s_orn2_b32, Rule::bit_or, false, true},   {Opcode::s_orn2_b64, Rule::bit_or, false, true},
    {Opcode::s_cselect_b32, Rule::select},          {Opcode::s_cselect_b64, Rule::select},
    {Opcode::s_and_saveexec_b32, Rule::bit_and},    {Opcode::s_and_saveexec_b64, Rule::bit_and},    {Opcode::s_or_saveexec_b32, Rule::bit_or},   {Opcode::s_or_saveexec_b64, Rule::bit_or},
    {Opcode::s_xor_saveexec_b32, Rule::bit_xor},    {Opcode::s_xor_saveexec_b64, Rule::bit_xor},
    {Opcode::s_andn2_saveexec_b64, Rule::bit_and, false, true}, {Opcode::s_and_not1_saveexec_b32, Rule::bit_and, false, true},
    {Opcode::s_andn2_wrexec_b64, Rule::bit_and, false, true},   {Opcode::s_and_not1_wrexec_b32, Rule::bit_and, false, true},
    {Opcode::s_andn1_saveexec_b64, Rule::bit_and, true, false}, {Opcode::s_and_not0_saveexec_b32, Rule::bit_and, true, false},
    {Opcode::s_andn1_wrexec_b64, Rule::bit_and, true, false},   {Opcode::s_and_not0_wrexec_b32, Rule::bit_and, true, false},
};
// clang-format on

bool written(const Wave& w, int joint) { return w.written[static_cast<size_t>(joint / 64)] >> joint % 64 & 1; }
u32 known_bits(const Wave& w, int reg) { return written(w, scalar_base + reg) ? ~u32{0} : w.known_bits[reg]; }

struct Bits { u64 value = 0, known = ~u64{0}; };
Bits bits_of(const Wave& w, const Source& s) {
  if (s.from != Source::From::scalar) return {s.bits[0] | u64{s.bits[1]} << 32};
  Bits b{scalar(w, s.reg), known_bits(w, s.reg)};
  if (s.dwords > 1 && s.reg < sreg::shared_base) b.value |= u64{scalar(w, s.reg + 1)} << 32, b.known |= u64{known_bits(w, s.reg + 1)} << 32;
  else b.known |= ~u64{0} << 32;
  return b;
}

Passed pass(const Wave& w, const Step& st) {
  const auto l = std::find_if(std::begin(logic), std::end(logic), [&](const Logic& x) { return x.op == st.inst.op; });
  if (l == std::end(logic)) return {0, false};
  Bits a = bits_of(w, st.src[0]), b;
  if (st.row->implicit & isa::exec_w) b.value = w.exec();
  else if (st.sources > 1) b = bits_of(w, st.src[1]);
  if (l->not_a) a.value = ~a.value;
  if (l->not_b) b.value = ~b.value;
  switch (l->rule) {
    case Rule::move: return {a.known, true};
    case Rule::bit_and: return {(a.known & b.known) | (a.known & ~a.value) | (b.known & ~b.value), true};
    case Rule::bit_or: return {(a.known & b.known) | (a.known & a.value) | (b.known & b.value), true};
    case Rule::bit_xor: return {a.known & b.known, true};
    case Rule::select: return {!written(w, scalar_base + sreg::scc) ? 0 : w.scc ? a.known : b.known, false};
    case Rule::all: break;
  }
  return {0, false};
}

bool passes(const isa::Info& row) { return row.unit == isa::Unit::salu && !(row.implicit & (isa::pc_w | isa::ends | isa::mode_w | isa::relative)); }

// -- Vector instructions ---
// A lane mask matters in the active lanes only.
bool known_as_mask(const Wave& w, const Step& st, int reg) {
  const u64 exec = w.exec();
  const auto covers = [&](int base) { return !(static_cast<u32>(exec >> 32 * (reg - base)) & ~known_bits(w, reg)); };
  if ((st.row->implicit & isa::vcc_r) && (reg | 1) == sreg::vcc + 1) {
    if (st.row->is_vector()) return covers(sreg::vcc);
    for (int k = 0; k < w.width() / 32; ++k)               // a branch on VCC being zero: one bit says that it is not
      if (w.s[sreg::vcc + k] & known_bits(w, sreg::vcc + k)) return true;
    return false;
  }
  for (int i = 0; i < st.row->count(); ++i) {
    const isa::Operand& o = st.inst.operands[i];
    if (st.row->operands[i].kind == Kind::mask && o.file == File::s && reg >= o.index && reg < o.index + w.width() / 32) return covers(o.index);
  }
  return false;
}

// Data on its way to private memory: scratch instructions, or a buffer that is the private segment's.
bool stored_privately(const Wave& w, const Step& st, int joint) {
  const isa::Info& row = *st.row;
  if (row.counter != isa::Counter::store || (row.implicit & isa::atomic)) return false;
  const bool buffer = row.format == isa::Format::mubuf;
  if (row.format != isa::Format::scratch && !buffer) return false;
  bool data = false, own = !buffer;
  for (int i = 0; i < row.count(); ++i) {
    const isa::Operand& o = st.inst.operands[i];
    const int first = o.file == File::a ? 256 + o.index : o.index;
    if ((o.file == File::v || o.file == File::a) && row.operands[i].kind != Kind::vaddr) data |= joint >= first && joint < first + o.dwords;
    if (buffer && o.file == File::s && o.dwords == 4) own = w.scratch_bytes && ((w.pair(o.index) ^ w.scratch) & 0xffffffffffff) == 0;   // the wave's offset has been added to it
  }
  return data && own;
}

struct Known { std::array<u64, 2> lanes{~u64{0}, ~u64{0}}; };
// A scalar of which some bits are known counts as known once it goes into a lane: a lane has no bits of its own, and compiled code spills
// masks of the active lanes that way. What the missing bits do is no longer followed then.
Known known_source(const Wave& w, const Step& st) {
  Known k;
  if (st.carried < 0) return k;
  for (int d = 0; d < st.row->operands[0].dwords; ++d) {
    const int r = st.carried + d;
    k.lanes[static_cast<size_t>(d)] = (d ? k.lanes[0] : ~u64{0}) & (r < scalar_base ? w.known_lanes(r) : known_bits(w, r - scalar_base) ? ~u64{0} : 0);
  }
  return k;
}
void put_known(Wave& w, const Step& st, const Known& k) {
  const u64 lanes = w.written_lanes;
  const int dwords = st.row->operands[0].dwords;
  for (int d = 0; d < dwords; ++d) {
    const int r = st.dst + d;
    const u64 now = (w.known_lanes(r) & ~lanes) | (k.lanes[static_cast<size_t>(d)] & lanes), bit = u64{1} << r % 64;
    w.written_mask[r] = now & w.all;
    w.written[static_cast<size_t>(r / 64)] = w.written_mask[r] == w.all ? w.written[static_cast<size_t>(r / 64)] | bit : w.written[static_cast<size_t>(r / 64)] & ~bit;
  }
  const bool whole = !(lanes & ~k.lanes[static_cast<size_t>(dwords - 1)]);
  st.aside->writes.each([&](int r) {                      // a lane mask beside the result
    if (r < scalar_base) return;
    const u64 bit = u64{1} << r % 64;
    if (whole) w.written[static_cast<size_t>(r / 64)] |= bit;
    else w.written[static_cast<size_t>(r / 64)] &= ~bit, w.known_bits[r - scalar_base] = 0;
  });
}

}  // namespace

bool check_written(Wave& w, const Step& st) {
  if (st.row && passes(*st.row)) {
    w.passed = pass(w, st);
    return w.passing = true;
  }
  bool good = true;
  const u64 lanes = st.all_lanes ? w.all : w.exec();
  st.aside->reads.each([&](int r) {
    if (!good || written(w, r)) return;
    const bool vector = r < scalar_base;
    const u64 missing = vector ? lanes & ~w.written_mask[r] : 1;
    if (!missing || (vector ? stored_privately(w, st, r) : known_as_mask(w, st, r - scalar_base))) return;
    good = false;
    w.fail(Fault::Kind::undefined_read, fmt::format("reads {}, which was never written{}", register_name(w, r), vector ? " in this lane" : ""), vector ? std::countr_zero(missing) : -1);
  });
  return good;
}

void record_passed(Wave& w, const Step& st) {
  w.passing = false;
  const Passed p = w.passed;
  u64 ones = 0;                                            // of the result, known
  st.aside->writes.each([&](int joint) {
    const int r = joint - scalar_base;
    const bool exec = (r | 1) == sreg::exec + 1, saved = (st.row->implicit & isa::exec_w) && !exec;
    if (r == sreg::scc || r < 0) return;
    const int half = exec ? r - sreg::exec : r - st.dst;
    const u32 known = saved ? ~u32{0} : static_cast<u32>(p.known >> 32 * half);
    if (!saved) ones |= u64{w.s[r] & known} << 32 * half;
    if (known == ~u32{0}) { w.written[static_cast<size_t>(joint / 64)] |= u64{1} << joint % 64; return; }
    if (exec) return w.fail(Fault::Kind::undefined_read, "gives EXEC lanes from bits that were never written");
    w.written[static_cast<size_t>(joint / 64)] &= ~(u64{1} << joint % 64);
    w.known_bits[r] = known;
  });
  st.aside->writes.each([&](int joint) {
    if (joint != scalar_base + sreg::scc) return;
    const bool known = p.scc_follows && (ones || p.known == ~u64{0});
    const u64 bit = u64{1} << joint % 64;
    w.written[static_cast<size_t>(joint / 64)] = known ? w.written[static_cast<size_t>(joint / 64)] | bit : w.written[static_cast<size_t>(joint / 64)] & ~bit;
  });
}

void take_back(Wave& w) {
  for (const auto& [r, lane] : w.valueless) {
    w.written_mask[r] = w.known_lanes(r) & ~(u64{1} << lane);
    w.written[static_cast<size_t>(r / 64)] &= ~(u64{1} << r % 64);
  }
  w.valueless.clear();
}

void record_carried(Wave& w, const Step& st) {
  if (st.aside->halves.empty()) return put_known(w, st, known_source(w, st));
  const Known x = known_source(w, st.aside->halves[0]), y = known_source(w, st.aside->halves[1]);      // both read before either writes
  put_known(w, st.aside->halves[0], x), put_known(w, st.aside->halves[1], y);
}

}  // namespace wavesmith::sim
