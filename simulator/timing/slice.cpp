// Which values a trace needs: those that addresses, branches, EXEC and scalar instructions read, and what these are made of. The rest, mostly
// the matrix instructions and the arithmetic between them, is not computed. One answer for the whole program: a register that is an
// address anywhere counts as one everywhere, which is safe and sometimes more than needed.
#include "simulator/timing/slice.h"

#include "isa_tables/issue.h"

namespace wavesmith::timing {
namespace {

using sim::Step, isa::RegBits, isa::RegSet;

void nothing(sim::Wave&, const Step&) {}

bool is_arithmetic(const Step& st) { return st.row->is_vector() && st.run && !(st.row->implicit & isa::relative); }

// Data of stores, which only matters if somebody loads it to make an address of it.
int data_source(const Step& st) {
  const bool buffer = st.row->format == isa::Format::mubuf || st.row->format == isa::Format::mtbuf;
  return buffer ? 0 : 1;
}
bool only_stores(const Step& st) {
  const isa::Unit u = st.row->unit;
  if ((u != isa::Unit::lds && u != isa::Unit::vmem) || (st.row->implicit & isa::atomic) || st.sources < 2) return false;
  const auto m = isa::memory_of(st.inst);
  return (m == isa::lds_write || m == isa::global_write) && st.writes.count == 0;
}

struct Slice {
  std::vector<Step>& steps;
  RegBits needed{};
  bool lds = false, memory = false;                        // contents of LDS and of memory are
  bool changed = true;

  void need(const RegSet& set, const RegBits& without = {}) {
    for (int i = 0; i < set.count; ++i) {
      const u64 more = set.parts[i].mask & ~without[set.parts[i].word] & ~needed[set.parts[i].word];
      if (more) needed[set.parts[i].word] |= more, changed = true;
    }
  }
  void need_access(const Step& st) {
    RegBits data{};
    if (only_stores(st)) {
      const bool wanted = st.row->unit == isa::Unit::lds ? lds : memory;
      for (int s = data_source(st); !wanted && s < st.sources; ++s) {
        if (st.src[s].from != sim::Source::From::vector || (data_source(st) == 0 && s > 0)) continue;
        for (int k = 0; k < st.src[s].dwords; ++k) data[(st.src[s].reg + k) / 64] |= u64{1} << (st.src[s].reg + k) % 64;
      }
    }
    need(st.touched, data);
  }
  void loads(const Step& st) {                             // a needed register comes from memory
    if (!st.writes.meets(needed)) return;
    const auto m = isa::memory_of(st.inst);
    if (m & isa::lds_read) changed |= !lds, lds = true;
    if (m & isa::global_read) changed |= !memory && st.row->unit == isa::Unit::vmem, memory |= st.row->unit == isa::Unit::vmem;
    if (st.row->unit == isa::Unit::lds && m == 0) need(st.touched);   // a crossbar
  }
  // Loads write what they load whether it is needed or not: their results are no reason, their addresses are.
  void visit(const Step& st) {
    if (!st.row || !st.run) return;
    if (is_arithmetic(st)) {
      if (st.writes.meets(needed)) need(st.touched);
      return;
    }
    const isa::Unit u = st.row->unit;
    if (u == isa::Unit::lds || u == isa::Unit::vmem) {
      if (isa::memory_of(st.inst)) need_addresses(st);
      return loads(st);
    }
    need(st.touched);
  }
  void need_addresses(const Step& st) {
    if (only_stores(st)) return need_access(st);
    RegBits results{};
    for (int i = 0; i < st.writes.count; ++i) results[st.writes.parts[i].word] |= st.writes.parts[i].mask;
    for (int s = 0; s < st.sources; ++s)                   // an address that its own result replaces
      for (int k = 0; st.src[s].from == sim::Source::From::vector && k < st.src[s].dwords; ++k) results[(st.src[s].reg + k) / 64] &= ~(u64{1} << (st.src[s].reg + k) % 64);
    need(st.touched, results);
  }
};

}  // namespace

u64 skip_unneeded(sim::Program& program) {
  Slice s{program.steps};
  RegSet exec;
  exec.add(isa::scalar_base + isa::sreg::exec), exec.add(isa::scalar_base + isa::sreg::exec + 1);
  s.need(exec);
  while (s.changed) {
    s.changed = false;
    for (const Step& st : program.steps) s.visit(st);
  }
  u64 skipped = 0;
  for (Step& st : program.steps)
    if (st.row && is_arithmetic(st) && !st.writes.meets(s.needed)) st.run = nothing, ++skipped;
  return skipped;
}

}  // namespace wavesmith::timing
