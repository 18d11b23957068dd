// The values that a trace needs: those that addresses, branches, EXEC and scalar instructions read, and the values
// these depend on, found backwards over the control flow. The rest, mostly matrix instructions and the arithmetic
// between them, is not computed. A write ends the need for an older value only where EXEC is known to be full:
// otherwise inactive lanes keep it. LDS, and memory, are needed as a whole or not at all.
#include "simulator/timing/slice.h"

#include <utility>

#include "isa_tables/dataflow.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"
#include "simulator/access.h"

namespace wavesmith::timing {
namespace {

using sim::Step, sim::u32, isa::RegBits, isa::RegSet;

void nothing(sim::Wave&, const Step&) {}

// -- Accesses whose data nobody needs: their addresses alone, which the observer is told --
int dwords_of(const Step& st) {  // of a lane: the result's, else the widest source's after the address
  int written = 0, widest = 1;
  for (int i = 0; i < st.row->count(); ++i) {
    const auto& o = st.row->operands[i];
    const bool vector = o.kind == isa::Kind::v || o.kind == isa::Kind::a || o.kind == isa::Kind::va;
    if (o.access != isa::Access::read) written += o.dwords;
    else if (vector && (i > 0 || st.row->unit == isa::Unit::vmem)) widest = std::max<int>(widest, o.dwords);
  }
  return written ? written : widest;
}
template <bool read>
void touch_lds(sim::Wave& w, const Step& st) {
  sim::LdsAddresses a;
  sim::lds_addresses(w, st, static_cast<u32>(st.inst.mods.offset), 4 * dwords_of(st), read, a);
}
template <int address>
void touch_buffer(sim::Wave& w, const Step& st) {
  sim::BufferAddresses a;
  sim::buffer_addresses(w, st, address, 4 * dwords_of(st), false, a);
}
template <int base>
void touch_global(sim::Wave& w, const Step& st) {
  sim::Addresses a;
  sim::memory_addresses(w, st, 0, st.sources > base ? base : -1, 4 * dwords_of(st), a);
}
// nullptr: the instruction must run unchanged.
sim::Execute addresses_alone(const Step& st, uint8_t m) {
  if ((st.row->implicit & (isa::atomic | isa::stores)) || st.inst.mods.has(isa::scale_offset))
    return nullptr;  // its address is scaled by the number of bytes
  const bool loads = st.cold->writes.count != 0, to_lds = (m & isa::global_read) && (m & isa::lds_write);
  switch (st.row->format) {
    case isa::Format::ds:
      return m == isa::lds_read ? touch_lds<true> : m == isa::lds_write ? touch_lds<false> : nullptr;
    case isa::Format::mubuf:
      return (loads && m == isa::global_read) || to_lds ? touch_buffer<0>
             : m == isa::global_write                   ? touch_buffer<1>
                                                        : nullptr;
    case isa::Format::global:
      return loads && m == isa::global_read     ? touch_global<1>
             : m == isa::global_write && !loads ? touch_global<2>
                                                : nullptr;
    default: return nullptr;
  }
}

constexpr int exec = isa::scalar_base + isa::sreg::exec;
bool is_arithmetic(const Step& st) { return st.row->is_vector() && st.run && !(st.row->implicit & isa::relative); }

RegBits bits_of(const RegSet& s) {
  RegBits b{};
  for (int i = 0; i < s.count; ++i) b[s.parts[i].word] |= s.parts[i].mask;
  return b;
}
bool has(const RegBits& b, int r) { return b[static_cast<size_t>(r) / 64] >> r % 64 & 1; }
void add_source(RegBits& b, const Step& st, int s) {
  if (st.src[s].from == sim::Source::From::vector)
    for (int k = 0; k < st.src[s].dwords; ++k)
      b[static_cast<size_t>(st.src[s].reg + k) / 64] |= u64{1} << (st.src[s].reg + k) % 64;
}

// A store's data are needed only if a load whose result is needed may read them.
bool only_stores(const Step& st) {
  const isa::Unit u = st.row->unit;
  if ((u != isa::Unit::lds && u != isa::Unit::vmem) || (st.row->implicit & isa::atomic) || st.sources < 2) return false;
  const auto m = isa::memory_of(st.inst);
  return (m == isa::lds_write || m == isa::global_write) && st.cold->writes.count == 0;
}
RegBits data_of(const Step& st) {
  RegBits b{};
  const bool buffer = st.row->format == isa::Format::mubuf || st.row->format == isa::Format::mtbuf;
  for (int s = buffer ? 0 : 1; s < (buffer ? 1 : st.sources); ++s) add_source(b, st, s);
  return b;
}

struct Slice {
  std::vector<Step>& steps;
  const isa::Edges edges;
  std::vector<RegBits> needed;  // after each step
  std::vector<u8> full;         // EXEC is full before each step: 0 unknown yet, 1 yes, 2 no
  bool lds = false, memory = false;
  bool changed = true;  // lds or memory
  bool skips = false;   // VSKIP: vector instructions may be skipped

  explicit Slice(std::vector<Step>& s)
      : steps(s),
        edges(s.size(), [&](size_t i, auto f) { f(s[i].next), f(s[i].target); }),
        needed(s.size()),
        full(s.size()) {
    for (const Step& st : s) skips |= st.row && st.inst.op == isa::Opcode::s_setvskip;
  }

  bool refills(const Step& st) const {  // s_mov_b64 exec, -1
    return st.inst.op == isa::Opcode::s_mov_b64 && has(bits_of(st.cold->writes), exec) &&
           st.src[0].from == sim::Source::From::constant && st.src[0].bits[0] == ~0u;
  }
  void flow_exec() {
    isa::States<u8> states(steps.size());
    if (!states.empty()) states[0] = 1;
    isa::solve<isa::Direction::forward>(
        edges, states,
        [&](u8& full_here, size_t i, bool) {
          if (!steps[i].row) return false;
          if (has(bits_of(steps[i].cold->writes), exec)) full_here = refills(steps[i]) ? 1 : 2;
          return true;
        },
        [](u8& into, u8 from) { return from > into && (into = from, true); });
    for (size_t i = 0; i < steps.size(); ++i) full[i] = states[i].value_or(0);
  }

  // The registers needed before a step, given those needed after it.
  RegBits before(size_t i, RegBits b) {
    const Step& st = steps[i];
    b[exec / 64] |= u64{3} << exec % 64;
    if (!st.row || !st.run) return b;
    const bool wanted = st.cold->writes.meets(b),
               scalar = !st.row->is_vector() && st.row->unit != isa::Unit::lds && st.row->unit != isa::Unit::vmem;
    const bool arithmetic = is_arithmetic(st);
    if (arithmetic && !wanted) return b;
    if (!wanted && st.row->unit == isa::Unit::lds && st.cold->writes.count && isa::memory_of(st.inst) == isa::no_memory)
      return b;  // through the crossbar only
    const uint8_t m = scalar || arithmetic ? uint8_t{isa::no_memory} : isa::memory_of(st.inst);
    if (wanted && (m & isa::lds_read)) changed |= !lds, lds = true;
    if (wanted && (m & isa::global_read)) changed |= !memory, memory = true;
    RegBits reads = bits_of(st.cold->touched);
    const RegBits writes = bits_of(st.cold->writes), own = bits_of(st.cold->reads);
    const bool kills =
        ((full[i] == 1 && !skips) || scalar) && !(st.row->implicit & isa::keeps) && !st.high_result && st.plain;
    for (size_t w = 0; w < b.size(); ++w) {
      if (kills) b[w] &= ~writes[w];
      reads[w] &= ~writes[w] | own[w];
    }
    if (only_stores(st) && !(st.row->unit == isa::Unit::lds ? lds : memory)) {
      const RegBits data = data_of(st);
      for (size_t w = 0; w < b.size(); ++w) reads[w] &= ~data[w];
    }
    for (size_t w = 0; w < b.size(); ++w) b[w] |= reads[w];
    return b;
  }

  // Repeats when a load turns out to be needed, because the data of stores to that memory are then needed too.
  void solve() {
    isa::States<RegBits> out(steps.size(), RegBits{});
    while (std::exchange(changed, false))
      isa::solve<isa::Direction::backward>(
          edges, out, [&](RegBits& b, size_t i, bool) { return b = before(i, b), true; }, isa::unite);
    for (size_t i = 0; i < steps.size(); ++i) needed[i] = *out[i];
  }
};

// Jumps whose target is unknown.
bool jumps_anywhere(const Step& st) {
  return st.row && (st.row->implicit & isa::pc_w) && st.target < 0 && !(st.row->implicit & isa::ends);
}

}  // namespace

u64 skip_unneeded(sim::DecodedKernel& program) {
  for (const Step& st : program.steps)
    if (jumps_anywhere(st)) return 0;
  Slice s(program.steps);
  s.flow_exec();
  s.solve();
  u64 skipped = 0;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    Step& st = program.steps[i];
    if (!st.row || !st.run || st.cold->writes.meets(s.needed[i])) continue;
    if (is_arithmetic(st)) st.run = nothing, ++skipped;
    const isa::Unit u = st.row->unit;
    if (u != isa::Unit::lds && u != isa::Unit::vmem) continue;
    const auto m = isa::memory_of(st.inst);
    if (m == isa::no_memory || ((m & isa::lds_write) && s.lds) || ((m & isa::global_write) && s.memory)) continue;
    if (const auto run = addresses_alone(st, m)) st.run = run;
  }
  return skipped;
}

}  // namespace wavesmith::timing
