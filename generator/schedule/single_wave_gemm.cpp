// iglp_opt(1), after LLVM 22's MFMASmallGemmSingleWaveOpt. Four LDS reads for the first matrix instructions, then a
// read and a matrix instruction in turn; then an LDS write, 128 bits of the global loads after it and a matrix
// instruction in turn. Where v_perm_b32 produces the data of a write, as for a transposed tile, its permutes are placed
// before the write and the loads that refill their sources after it; if the permutes of two writes share sources, the
// loads follow both writes. Everywhere else: two VALU instructions per matrix instruction.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "generator/schedule/sched_groups.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith {
namespace {

namespace sched = isa::sched;
using Rule = InstructionGroup::Rule;

struct GemmShape {
  const std::vector<const Node*>& region;
  const Dependences& d;
  std::vector<std::vector<int>> permutes{};  // per LDS write: the permutes that produce its data
  std::vector<int> writes{}, permuted{};     // permuted: of the writes, those with permutes
  std::vector<int> matrices{};
  int reads = 0, sharing = 0;  // sharing: permuted writes that wait for the same loads as another

  bool is(int node, int mask) const { return in_class(*region[node], mask); }
  bool permute(int node) const { return region[node]->is_instruction() && region[node]->inst.op == Opcode::v_perm_b32; }
  bool feeds(int from, int to) const {
    return std::ranges::any_of(d.next[from], [&](const auto& e) { return e.data && e.to == to; });
  }

  void analyse() {
    permutes.resize(d.size());
    for (int i = 0; i < d.size(); ++i) {
      if (permute(i))
        for (const auto& e : d.next[i])
          if (e.data && is(e.to, sched::ds_write)) permutes[e.to].push_back(i);
      if (is(i, sched::ds_write)) writes.push_back(i);
      if (is(i, sched::matrix)) matrices.push_back(i);
      reads += is(i, sched::ds_read);
    }
    for (int w : writes)
      if (!permutes[w].empty()) permuted.push_back(w);
    count_sharing();
  }
  // A write is sharing if every load that refills its permutes' sources also refills those of one earlier write.
  void count_sharing() {
    std::map<int, int> first_write;  // by load
    std::vector<int> counted;
    const auto is_counted = [&](int w) { return std::ranges::find(counted, w) != counted.end(); };
    for (int w : permuted) {
      std::optional<int> partner;
      bool missed = false;
      for (int p : permutes[w]) {
        if (partner && is_counted(*partner)) break;
        for (const auto& e : d.next[p]) {
          if (!is(e.to, sched::vmem_read)) continue;
          if (missed || first_write.empty()) {
            missed = true, first_write[e.to] = w;
            continue;
          }
          const auto [at, inserted] = first_write.try_emplace(e.to, w);
          if (inserted) {
            missed = true;
            continue;
          }
          partner = at->second;
          if (is_counted(*partner)) {
            missed = true;
            break;
          }
        }
      }
      if (!missed && partner) sharing += 2, counted.push_back(*partner), counted.push_back(w);
    }
  }
};

struct SingleWaveGemm {
  std::shared_ptr<const GemmShape> s;  // the rules outlive this
  std::vector<InstructionGroup> groups{};

  void group(int mask, int size, std::vector<Rule> rules = {}, int sync = 1) {
    groups.push_back({mask, size, sync, s->d.size(), nullptr, std::move(rules)});
  }
  Rule permutes_for_one_write() const {
    return [s = s](const auto& pipe, size_t place, int node) {
      const auto& members = pipe[place]->members;
      return s->permute(node) && std::ranges::any_of(s->writes, [&](int w) {
               return s->feeds(node, w) && (members.empty() || s->feeds(members.front(), w));
             });
    };
  }
  Rule fed_by_previous() const {
    return [s = s](const auto& pipe, size_t place, int node) {
      const auto& from = pipe[place - 1]->members;
      return from.empty() || std::ranges::any_of(from, [&](int m) { return s->feeds(m, node); });
    };
  }
  Rule fills_sources_of(size_t distance) const {  // of the write `distance` groups earlier
    return [s = s, distance](const auto& pipe, size_t place, int node) {
      const auto& from = pipe[place - distance]->members;
      const auto after = [&](int w) {
        return std::ranges::any_of(s->permutes[w], [&](int p) { return s->d.before(p, node); });
      };
      return from.empty() || std::ranges::any_of(from, after);
    };
  }
  Rule up_to_128_bits() const {
    return [s = s](const auto& pipe, size_t place, int node) {
      const auto& members = pipe[place]->members;
      int dwords = s->region[node]->inst.operands[0].dwords;
      for (int m : members) dwords += s->region[m]->inst.operands[0].dwords;
      return members.empty() || dwords <= 4;
    };
  }
  Rule for_first_matrices() const {
    return [s = s](const auto&, size_t, int node) {
      return std::ranges::any_of(s->matrices.begin(),
                                 s->matrices.begin() + std::min<std::ptrdiff_t>(4, std::ssize(s->matrices)),
                                 [&](int m) { return s->d.before(node, m); });
    };
  }
  void matrix() { group(sched::matrix, 1); }
  void loads(std::vector<Rule> rules = {}) {
    rules.push_back(up_to_128_bits()), group(sched::vmem_read, 4, std::move(rules)), matrix();
  }
  void permuted_write() {
    group(sched::valu, 4, {permutes_for_one_write()}), group(sched::ds_write, 1, {fed_by_previous()});
  }

  void build() {
    const int permuted = static_cast<int>(s->permuted.size()), plain = static_cast<int>(s->writes.size()) - permuted;
    for (size_t i = 0; permuted && i < s->matrices.size(); ++i)
      group(sched::matrix, 1, {}, 0), group(sched::valu, 2, {}, 0);
    group(sched::ds_read, 4, {for_first_matrices()}), matrix();
    for (int i = 4; i < s->reads; ++i) group(sched::ds_read, 1), matrix();
    for (int i = s->sharing; i < permuted; ++i)
      permuted_write(), loads({fills_sources_of(1)}), loads({fills_sources_of(3)});
    for (int i = 0; i < plain; ++i) group(sched::ds_write, 1), loads();
    for (int i = 0; i < s->sharing; ++i) {
      permuted_write(), matrix(), permuted_write(), matrix();
      loads({fills_sources_of(2)}), loads({fills_sources_of(4)});
    }
  }
};

}  // namespace

std::vector<InstructionGroup> single_wave_gemm(const std::vector<const Node*>& region, const Dependences& d) {
  const auto shape = std::make_shared<GemmShape>(region, d);
  shape->analyse();
  SingleWaveGemm b{shape};
  b.build();
  return std::move(b.groups);
}

}  // namespace wavesmith
