// Program order is a topological order of the initial edges, so one backward sweep computes their transitive closure;
// edges added later update it.
#include "generator/schedule/dependences.h"

#include <algorithm>

#include "generator/schedule/issue_model.h"

namespace wavesmith {

void Dependences::inherit(int from, int to) {
  for (size_t w = 0; w < words; ++w) reach[from * words + w] |= reach[to * words + w];
  reach[from * words + (to >> 6)] |= uint64_t{1} << (to & 63);
}

void Dependences::close() {
  for (int i = size(); i-- > 0;)
    for (const Edge& e : next[i]) inherit(i, e.to);
}

bool Dependences::add(int a, int b) {
  if (a == b || before(b, a)) return false;
  if (before(a, b)) return true;
  next[a].push_back({b, 0});
  for (int x = 0; x < size(); ++x)
    if (x == a || before(x, a)) inherit(x, b);
  return true;
}

namespace {

struct DependenceBuilder {
  const std::vector<const Node*>& region;
  Arch arch;
  Dependences& d;

  void edge(int a, int b, int clocks, bool data = false) {
    auto& out = d.next[a];
    if (!out.empty() && out.back().to == b)
      out.back().clocks = std::max(out.back().clocks, clocks), out.back().data |= data;
    else out.push_back({b, clocks, data});
  }
  void registers() {
    std::vector<int> writer(isa::reg_numbers, absent);
    std::vector<std::vector<int>> readers(isa::reg_numbers);
    const auto each = [](const Operand& o, auto f) {
      for (int k = 0, first = isa::number_of(o); k < o.dwords; ++k) f(first + k);
    };
    for (int i = 0; i < d.size(); ++i) {
      if (!region[i]->is_instruction()) continue;
      const isa::Effects e = isa::effects(region[i]->inst, arch);
      for (const Operand& o : e.reads)
        each(o, [&](int r) {
          if (writer[r] != absent) edge(writer[r], i, isa::issue_of(region[writer[r]]->inst, arch).ready, true);
        });
      for (const Operand& o : e.writes)
        each(o, [&](int r) {
          if (writer[r] != absent) edge(writer[r], i, 0);
          for (int reader : readers[r]) edge(reader, i, 0);
        });
      for (const Operand& o : e.reads)
        each(o, [&](int r) {
          if (readers[r].empty() || readers[r].back() != i) readers[r].push_back(i);
        });
      for (const Operand& o : e.writes) each(o, [&](int r) { writer[r] = i, readers[r].clear(); });
    }
  }
  static bool conflict(const Node& a, uint8_t ma, const Node& b, uint8_t mb) {
    using namespace isa;
    const auto meet = [&](uint8_t read, uint8_t write) {
      return ((ma & write) && (mb & (read | write))) || ((mb & write) && (ma & read));
    };
    const bool apart = a.buffer && b.buffer && a.buffer != b.buffer;
    return meet(global_read, global_write) || (!apart && meet(lds_read, lds_write));
  }
  void memory() {
    struct Access {
      int node;
      uint8_t memory;
    };
    std::vector<Access> seen;
    for (int i = 0; i < d.size(); ++i) {
      if (!region[i]->is_instruction()) continue;
      const uint8_t m = isa::memory_of(region[i]->inst);
      if (!m) continue;
      for (const Access& a : seen)
        if (conflict(*region[a.node], a.memory, *region[i], m)) edge(a.node, i, 0);
      seen.push_back({i, m});
    }
  }
  void barriers() {
    for (int b = 0; b < d.size(); ++b) {
      const auto* barrier = region[b]->as<directive::SchedBarrier>();
      if (!barrier) continue;
      for (int i = 0; i < d.size(); ++i) {
        const bool crosses = region[i]->is_instruction() && isa::may_cross(barrier->mask, region[i]->inst);
        if (i == b || crosses) continue;
        if (i < b) edge(i, b, 0);
        else edge(b, i, 0);
      }
    }
  }
};

}  // namespace

Dependences dependences(const std::vector<const Node*>& region, Arch arch) {
  Dependences d(static_cast<int>(region.size()));
  DependenceBuilder b{region, arch, d};
  b.registers();
  b.memory();
  b.barriers();
  d.close();
  return d;
}

}  // namespace wavesmith
