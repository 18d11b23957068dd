// iglp_opt(2), after LLVM 22's MFMAExpInterleaveOpt: the second product of flash attention, whose right operand is
// exponentials, each converted, packed and multiplied. A round is the exponentials that one matrix instruction needs.
// The pipeline runs three rounds at once: matrix instructions of one, conversions of the next, exponentials of the one
// after it, and the FMAs that scale for the one after that. It supports two shapes of region, recognised by counts
// along data dependences.
#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>

#include "generator/passes/cfg.h"
#include "generator/schedule/sched_groups.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith {
namespace {

namespace sched = isa::sched;
using Region = std::vector<const Node*>;
using Rule = InstructionGroup::Rule;

bool is_any(const Node& n, std::initializer_list<Opcode> ops) {
  return n.is_instruction() && std::ranges::find(ops, n.inst.op) != ops.end();
}
bool packs(const Node& n) { return is_any(n, {Opcode::v_pack_b32_f16, Opcode::v_perm_b32}); }
bool converts(const Node& n) { return is_any(n, {Opcode::v_cvt_f16_f32, Opcode::v_cvt_i32_f32}); }
bool scales(const Node& n) { return is_any(n, {Opcode::v_fma_f32, Opcode::v_pk_fma_f32}); }
bool adds(const Node& n) { return is_any(n, {Opcode::v_add_f32}); }

// The data dependences of a region and the counts that identify its shape.
struct ExpShape {
  const Region& region;
  Dependences data;                        // writer to reader only, closed
  std::vector<std::vector<int>> before;    // by node, direct writers of what it reads
  std::vector<int> exps, matrices, seeds;  // seeds: the first matrix instruction of each chain
  int exps_in_pipe = 0, matrices_in_pipe = 0, add_count = 0;
  int enabled = 0, required = 0;  // matrix instructions that wait for one exponential; exponentials one needs
  bool converted = false, far_conversion = false;  // far: something stands between an exponential and its conversion
  std::optional<int> first_read;                   // LDS read for the first chain

  ExpShape(const Region& region, const Dependences& d) : region(region), data(d.size()), before(d.size()) {
    for (int i = 0; i < d.size(); ++i)
      for (const auto& e : d.next[i])
        if (e.data) data.next[i].push_back(e), before[e.to].push_back(i);
    data.close();
  }
  int size() const { return data.size(); }
  bool is(int node, int mask) const { return in_class(*region[node], mask); }
  bool matrix(int node) const { return is(node, sched::matrix); }
  bool reaches_any(int node, const std::vector<int>& targets) const {
    return std::ranges::any_of(targets, [&](int t) { return data.before(node, t); });
  }
  int followers(int node) const { return static_cast<int>(data.next[node].size()); }
  template <class F>
  int count(const std::vector<int>& nodes, F f) const {
    return static_cast<int>(std::ranges::count_if(nodes, f));
  }

  bool analyse() {
    std::vector<int> pack_nodes, conversions;
    for (int i = 0; i < size(); ++i) {
      if (is(i, sched::trans) && followers(i) < 7) exps.push_back(i);  // excludes one that all of them depend on
      if (matrix(i)) matrices.push_back(i);
      if (packs(*region[i])) pack_nodes.push_back(i);
      if (converts(*region[i])) conversions.push_back(i);
      add_count += adds(*region[i]);
    }
    std::vector<int> reached;                  // as LLVM counts: the first one of each exponential, then all others
    std::optional<std::pair<int, int>> first;  // an exponential, and a product after it
    for (int e : exps) {
      const auto m = std::ranges::find_if(matrices, [&](int x) { return data.before(e, x); });
      if (m == matrices.end()) continue;
      if (!first) first = {e, *m};
      reached.push_back(*m), ++exps_in_pipe;
    }
    if (!first) return false;
    const auto [exp, product] = *first;
    for (int m : matrices)
      if (std::ranges::find(reached, m) == reached.end() &&
          std::ranges::any_of(exps, [&](int e) { return data.before(e, m); }))
        reached.push_back(m);
    matrices_in_pipe = static_cast<int>(reached.size());
    far_conversion = std::ranges::none_of(data.next[exp], [&](const auto& e) { return converts(*region[e.to]); });
    const auto conversion = std::ranges::find_if(conversions, [&](int c) { return data.before(exp, c); });
    converted = conversion != conversions.end() && reaches_any(*conversion, reached);
    for (int m : reached)
      if (std::ranges::find(seeds, m) == seeds.end() &&
          std::ranges::none_of(before[m], [&](int x) { return matrix(x); }))
        seeds.push_back(m);
    if (seeds.empty()) return false;
    for (int x : before[seeds[0]])
      if (is(x, sched::ds_read)) first_read = std::min(x, first_read.value_or(x));
    const auto is_pack = [&](int x) { return packs(*region[x]); };
    const auto last_pack = std::ranges::find_if(before[product].rbegin(), before[product].rend(), is_pack);
    if (last_pack == before[product].rend()) return false;
    enabled =
        static_cast<int>(std::ranges::count_if(data.next[*last_pack], [&](const auto& e) { return matrix(e.to); })) *
        count(pack_nodes, [&](int x) { return data.before(exp, x); });
    required = count(exps, [&](int e) { return data.before(e, *last_pack); }) * count(before[product], is_pack);
    return true;
  }
  // Matrix instruction number n, taking the chains in turn; none if the chain is shorter.
  std::optional<int> product(int n) const {
    const int chains = static_cast<int>(seeds.size());
    int at = seeds[n % chains];
    for (int depth = n / chains; depth > 0; --depth) {
      const auto next = std::ranges::find_if(data.next[at], [&](const auto& e) { return matrix(e.to); });
      if (next == data.next[at].end()) return {};
      at = next->to;
    }
    return at;
  }
  // Fewer than eight instructions depend on it and, if its conversion is not a direct user, on each of its users.
  bool few_wait(int node) const {
    const auto many = [&](const auto& e) { return followers(e.to) >= 8; };
    return followers(node) < 8 && !(far_conversion && std::ranges::any_of(data.next[node], many));
  }
  bool small() const { return enabled == 2 && required == 4 && exps_in_pipe == 32; }
  bool large() const { return enabled == 4 && required == 4 && exps_in_pipe == 64; }
};

struct ExpInterleave {
  std::shared_ptr<const ExpShape> s;  // the rules outlive this
  std::vector<InstructionGroup> groups{};
  int round = 0;  // number of the matrix instruction whose exponentials come next
  int next_product = 0;
  const bool reads = s->large() && s->first_read, adds_between = s->small();

  void group(int mask, int size, std::vector<Rule> rules) {
    groups.push_back({mask, size, 0, s->size(), nullptr, std::move(rules)});
  }
  Rule enables(int n) const {
    return [s = s, target = s->product(n)](const auto&, size_t, int node) {
      return target && s->data.before(node, *target);
    };
  }
  Rule exactly(int n) const {
    return [target = s->product(n)](const auto&, size_t, int node) { return target && node == *target; };
  }
  Rule kind(bool (*of)(const Node&)) const {
    return [s = s, of](const auto&, size_t, int node) { return of(*s->region[node]); };
  }
  Rule exponential(bool few) const {
    return [s = s, few](const auto&, size_t, int node) {
      return s->reaches_any(node, s->matrices) && s->few_wait(node) == few;
    };
  }
  // Converts the result of the group `distance` places earlier.
  Rule converts_of(int distance) const {
    return [s = s, distance](const std::vector<InstructionGroup*>& pipe, size_t place, int node) {
      if (static_cast<int>(place) < distance) return false;
      const auto& from = pipe[place - distance]->members;
      const auto follows = [&](int m) {
        return s->far_conversion ? s->data.before(m, node)
                                 : std::ranges::any_of(s->data.next[m], [&](const auto& e) { return e.to == node; });
      };
      return from.empty() || std::ranges::any_of(from, follows);
    };
  }
  void conversion(int distance) {
    if (s->converted) group(sched::valu, 1, {kind(converts), converts_of(distance)});
  }
  void fma(int size, int n) { group(sched::valu, size, {enables(n), kind(scales)}); }
  void exp(int size) { group(sched::trans, size, {enables(round), exponential(true)}); }
  void lds_reads() {
    group(sched::ds_read, 2, {[first = *s->first_read](const auto&, size_t, int node) { return node >= first; }});
  }

  void fill_up() {  // FMAs of two rounds, exponentials of one; then a conversion, an FMA, an exponential in turn
    fma(s->required, round), fma(s->required, round + s->enabled);
    if (reads) lds_reads();
    exp(s->required);
    round += s->enabled;
    for (int i = 0; i < s->required; ++i) conversion(1 + 3 * i), fma(1, round + s->enabled), exp(1);
    group(sched::trans, 1, {exponential(false)});  // the one that all matrix instructions depend on
  }
  void interleave() {
    const int matrices = std::max(1, s->enabled / s->required),
              exps = s->enabled > s->required ? 1 : s->required / s->enabled;
    const int left = std::max(0, s->exps_in_pipe - 2 * s->required),
              in_loop = std::max(0, s->matrices_in_pipe - 2 * s->enabled);
    const int turns = std::min(left / exps, in_loop / matrices),
              add_size = std::max(1, s->add_count / s->matrices_in_pipe);
    const int a_turn = (1 + adds_between) * matrices, most = a_turn * s->required / exps;
    for (int i = 0; i < turns; ++i) {
      if (i * exps % s->required == 0) round += s->enabled;
      group(sched::matrix, matrices, {exactly(next_product++)});
      if (adds_between) group(sched::valu, add_size, {kind(adds)});
      if (reads && i % 4 == 0) lds_reads();
      for (int j = 0; j < exps; ++j) {  // converts the exponential one round of groups earlier
        const int passed = std::min(most, a_turn * (i + 1)) + (reads ? std::min(most / 4, i / 4 + 1) : 0);
        conversion(passed + 3 * (s->required - 1) + 1 + (i * exps + j < s->required));
        fma(1, round + s->enabled);
        exp(1);
      }
    }
  }
  void drain() {
    const auto exp =
        std::ranges::find_if(std::views::iota(0, s->size()), [&](int i) { return s->is(i, sched::trans); });
    group(sched::matrix, 2 * s->enabled, {[first = *exp](const auto&, size_t, int node) { return node > first; }});
  }
};

}  // namespace

std::vector<InstructionGroup> exp_interleave(const Node& directive, const Region& region, const Dependences& d) {
  const auto shape = std::make_shared<ExpShape>(region, d);
  if (!shape->analyse())
    throw isa::IsaError(
        fmt::format("{}: iglp_opt(2): the region has no exponentials that are packed for a matrix instruction; legal: "
                    "0, 1, 3, or sched_group_barriers",
                    place(directive)));
  if (!shape->small() && !shape->large())
    throw isa::IsaError(
        fmt::format("{}: iglp_opt(2): {} exponentials, {} for a matrix instruction, {} of which wait for one; legal: "
                    "32, 4, 2 and 64, 4, 4 (LLVM ignores other regions)",
                    place(directive), shape->exps_in_pipe, shape->required, shape->enabled));
  ExpInterleave b{shape};
  b.fill_up();
  b.interleave();
  b.drain();
  return std::move(b.groups);
}

}  // namespace wavesmith
