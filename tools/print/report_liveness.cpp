// Dataflow on whole register files as bit masks: tens of thousands of instructions take milliseconds. Operands come
// from the rows (isa::effects), with partial writes, tied operands and implicit registers.
#include "tools/print/report_liveness.h"

#include <bit>

#include "isa_tables/dataflow.h"

namespace wavesmith::tools {
namespace {

using isa::File, isa::Operand, isa::RegBits, sim::Step;

struct Uses {
  RegBits reads{}, writes{}, ends{};
};  // ends: overwritten completely

void add(RegBits& to, const Operand& o) {
  if (!o.is_reg() || (o.file == File::s && o.index == isa::sreg::null)) return;
  for (int r = isa::number_of(o), end = r + o.dwords; r < end; ++r)
    to[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
}

Uses uses_of(const Step& st, isa::Arch arch, int wave_size) {
  Uses u;
  if (!st.row) return u;
  const isa::Effects e = isa::effects(st.inst, arch, wave_size);
  for (const Operand& o : e.reads) add(u.reads, o);
  for (const Operand& o : e.writes) {
    add(u.writes, o);
    if (!o.part && !(st.row->implicit & isa::keeps) && st.cold->copies != sim::LaneCopy::to_lane) add(u.ends, o);
  }
  return u;
}

int count(const RegBits& bits, int first, int end) {
  int n = 0;
  for (int w = first / 64; w * 64 < end; ++w) {
    const int left = end - w * 64;
    n += std::popcount(left >= 64 ? bits[static_cast<size_t>(w)]
                                  : bits[static_cast<size_t>(w)] & ((uint64_t{1} << left) - 1));
  }
  return n;
}

}  // namespace

Pressure pressure(const sim::DecodedKernel& p, isa::Arch arch, int wave_size) {
  const isa::Target& t = isa::target(arch);
  std::vector<Uses> uses;
  for (const Step& st : p.steps) uses.push_back(uses_of(st, arch, wave_size));
  const auto flow = [&](RegBits& live, size_t i, bool) {
    for (size_t w = 0; w < live.size(); ++w) live[w] = (live[w] & ~uses[i].ends[w]) | uses[i].reads[w];
    return true;
  };
  isa::States<RegBits> after(p.steps.size(), RegBits{});
  isa::solve<isa::Direction::backward>(
      isa::Edges(p.steps.size(), [&](size_t i, auto f) { f(p.steps[i].next), f(p.steps[i].target); }), after, flow,
      isa::unite);
  Pressure out;
  const int vector = t.agprs ? isa::agpr_base : isa::scalar_base;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    RegBits held = *after[i];
    flow(held, i, true);
    for (size_t w = 0; w < held.size(); ++w) held[w] |= uses[i].writes[w];
    out.at.push_back({count(held, 0, vector), t.agprs ? count(held, isa::agpr_base, isa::agpr_base + t.agprs) : 0,
                      count(held, isa::scalar_base, isa::scalar_base + t.sgprs)});
    out.indirect += p.steps[i].row && (p.steps[i].row->implicit & isa::pc_w) && p.steps[i].target == absent;
  }
  return out;
}

}  // namespace wavesmith::tools
