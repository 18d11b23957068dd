// One run of the branches alone. A launch with very many workgroups is sampled evenly, with a stride that has no common
// factor with the grid's width, so that all columns occur.
#include "simulator/timing/kinds.h"

#include <algorithm>
#include <climits>
#include <map>
#include <numeric>

#include "simulator/launch.h"
#include "simulator/timing/slice.h"

namespace wavesmith::timing {
namespace {

// Of workgroups looked at: how many, the steps executed for it, the bytes of their counts.
constexpr u64 most_workgroups = 16384, budget = 40'000'000, most_bytes = u64{1} << 28;
// Kinds, of which one workgroup each is traced: so many, or fewer if together they had more than so many instructions.
constexpr size_t most_kinds = 12, fewest_kinds = 3;
constexpr u64 most_traced = 60'000'000;
constexpr double alike = 1.02;  // ratio of the instructions of workgroups of one kind, at first

// Steps that are executed equally often are a block. Only one of its steps is counted, its leader (keep_branches).
struct Blocks {
  explicit Blocks(const std::vector<u32>& leader) : led(leader.size(), none), of(leader.size()) {
    for (size_t i = 0; i < leader.size(); ++i) {
      u32& block = led[leader[i]];
      if (block == none) block = static_cast<u32>(steps.size()), steps.push_back(0);
      of[i] = block, ++steps[block];
    }
  }
  u64 instructions(const std::vector<u32>& times) const {
    u64 n = 0;
    for (size_t b = 0; b < steps.size(); ++b) n += u64{times[b]} * steps[b];
    return n;
  }
  static constexpr u32 none = ~u32{0};
  std::vector<u32> led, of;  // by step: the block that it leads, or none; its block
  std::vector<u32> steps;    // by block: how many
};

class StepCounter : public sim::Observer {
 public:
  StepCounter(const Blocks& blocks, sim::Memory& memory)
      : times(blocks.steps.size(), 0), found(memory), blocks_(blocks) {}
  void executed(const sim::Wave&, const sim::Step& st) override {
    ++run;
    if (const u32 b = blocks_.led[st.number]; b != Blocks::none) ++times[b];
  }
  void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
  void memory(const sim::Wave&, const sim::Step& st, std::span<const u64> at, u64 lanes, int bytes) override {
    found.look(st, at, lanes, bytes);
  }
  std::vector<u32> times;  // by block
  u64 run = 0;             // steps
  Found found;

 private:
  const Blocks& blocks_;
};

class Counters : public sim::Observers {
 public:
  Counters(const std::array<u32, 3>& grid, const std::array<u32, 3>& cluster, std::vector<u64> wanted,
           const Blocks& blocks, sim::Memory& memory)
      : grid_(grid), cluster_(cluster), wanted_(std::move(wanted)) {
    for (size_t i = 0; i < wanted_.size(); ++i) found_.push_back(std::make_unique<StepCounter>(blocks, memory));
  }
  sim::Observer* workgroup(const std::array<u32, 3>& id) override {
    for (size_t i = 0; i < 3; ++i)
      if (id[i] % cluster_[i]) return nullptr;
    const u64 n = id[0] / cluster_[0] + u64{grid_[0]} * (id[1] / cluster_[1] + u64{grid_[1]} * (id[2] / cluster_[2]));
    const auto at = std::ranges::lower_bound(wanted_, n);
    return at == wanted_.end() || *at != n ? nullptr : found_[static_cast<size_t>(at - wanted_.begin())].get();
  }
  std::optional<std::span<const u64>> chosen() const override { return wanted_; }
  // Of the i-th workgroup wanted, by block: how often its waves executed it.
  const std::vector<u32>& executed(size_t i) const { return found_[i]->times; }
  u64 steps_run(size_t i) const { return found_[i]->run; }
  const FoundValues& values(size_t i) const { return found_[i]->found.values; }
  // What atomics changed is as before. Of workgroups that run at the same time the order does not matter.
  void undo() {
    for (size_t i = found_.size(); i-- > 0;) found_[i]->found.undo();
  }

 private:
  std::array<u32, 3> grid_, cluster_;
  std::vector<u64> wanted_;
  std::vector<std::unique_ptr<StepCounter>> found_;
};

// Workgroups that executed every step equally often.
struct Signatures {
  std::map<std::vector<u32>, size_t> known;  // by executions of blocks
  std::vector<u64> instructions,
      first;               // by signature: of a workgroup; the first workgroup on die 0 that has it, or any
  std::vector<size_t> of;  // by workgroup looked at
};

bool run(Counters& c, const sim::CodeObject& object, const sim::KernelInfo& kernel, const sim::DecodedKernel& program,
         sim::Memory& memory, const sim::Launch& launch, u64 most_instructions, int jobs) {
  sim::Options o;
  o.checks = sim::Checks::none();
  o.numerics = sim::Numerics::fast;
  o.jobs = jobs;
  o.fault_limit = UINT_MAX;
  o.max_instructions = most_instructions;
  o.observers = &c;
  const bool ended = !sim::run(object, kernel, program, memory, launch, o).fault;
  c.undo();
  return ended;
}

// By step: whether waves that came there jumped more often than not.
std::vector<bool> usually_taken(const Traced& t) {
  std::vector<int64_t> balance(t.program->steps.size(), 0);
  for (const GroupTrace& g : t.groups)
    for (const WaveTrace& w : g.waves)
      for (size_t i = 1; i < w.steps.size(); ++i) {
        const sim::Step& st = t.program->steps[w.steps[i - 1]];
        if (st.target != absent) balance[st.number] += static_cast<int>(w.steps[i]) == st.target ? 1 : -1;
      }
  std::vector<bool> taken(balance.size());
  for (size_t i = 0; i < taken.size(); ++i) taken[i] = balance[i] > 0;
  return taken;
}

// Signatures with about the same number of instructions become one kind; the limit grows until there are few.
std::vector<u16> merge(const std::vector<u64>& instructions, size_t most, size_t& kinds) {
  std::vector<size_t> order(instructions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return instructions[i]; });
  std::vector<u16> kind(order.size());
  for (double limit = alike;; limit *= 1.02) {
    kinds = 0;
    for (size_t i = 0, low = 0; i < order.size(); ++i) {
      const double ratio = static_cast<double>(instructions[order[i]]) / static_cast<double>(instructions[order[low]]);
      if (i == 0 || ratio > limit) ++kinds, low = i;
      kind[order[i]] = static_cast<u16>(kinds - 1);
    }
    if (kinds <= most) return kind;
  }
}

}  // namespace

std::vector<double> WorkgroupKinds::executed(u64 workgroups) const {
  std::vector<double> sum(kinds[0].executed.size(), 0);
  for (const WorkgroupKind& k : kinds)
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(k.executed[i]);
  const double times = static_cast<double>(workgroups) / static_cast<double>(kind.size());
  for (double& x : sum) x *= times;
  return sum;
}

std::optional<WorkgroupKinds> find_kinds(const sim::CodeObject& object, const sim::KernelInfo& kernel,
                                         sim::DecodedKernel program, sim::Memory& memory, const sim::Launch& launch,
                                         const Traced& some, Computed otherwise, u64 dies, int jobs) {
  std::vector<u32> leader = keep_branches(program, usually_taken(some));
  const bool branches_alone = !leader.empty();
  if (!branches_alone) {
    if (!skip_unneeded(program, otherwise).steps) return {};  // all of it would be computed
    leader.resize(program.steps.size());
    std::iota(leader.begin(), leader.end(), u32{0});
  }
  const Blocks blocks(leader);
  // Of a wave: one that runs longer waits for a workgroup that is not looked at.
  const u64 endless = std::clamp(64 * longest_wave(some), u64{1} << 18, u64{1} << 22);
  const auto cluster = sim::cluster_of(kernel, launch);
  const std::array<u32, 3> grid{launch.grid[0] / cluster[0], launch.grid[1] / cluster[1], launch.grid[2] / cluster[2]};
  const u64 total = u64{grid[0]} * grid[1] * grid[2];
  Counters few(grid, cluster, total > 2 ? std::vector<u64>{0, total / 2, total - 1} : std::vector<u64>{0}, blocks,
               memory);
  if (!run(few, object, kernel, program, memory, launch, endless, jobs)) return {};
  u64 each = 1;
  for (size_t i = 0; i < (total > 2 ? 3u : 1u); ++i) each = std::max(each, few.steps_run(i));
  const u64 fit = most_bytes / (sizeof(u32) * leader.size());
  constexpr u64 fewest = 16;
  if (!branches_alone && each * std::min(total, fewest) > budget) return {};
  const u64 looks = std::clamp<u64>(std::min(budget / each, fit), fewest, most_workgroups);

  WorkgroupKinds r;
  r.every = (total + looks - 1) / looks;
  while (r.every > 1 && std::gcd(r.every, u64{grid[0]}) != 1) ++r.every;
  std::vector<u64> wanted;
  for (u64 n = 0; n < total; n += r.every) wanted.push_back(n);
  Counters all(grid, cluster, wanted, blocks, memory);
  if (!run(all, object, kernel, program, memory, launch, endless, jobs)) return {};
  if (r.every > 1 && !all.values(0).empty()) return {};

  Signatures s;
  std::vector<const std::vector<u32>*> executed;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto [at, fresh] = s.known.emplace(all.executed(i), s.known.size());
    if (fresh)
      executed.push_back(&at->first), s.first.push_back(wanted[i]),
          s.instructions.push_back(blocks.instructions(at->first));
    if (u64& first = s.first[at->second]; first % dies && wanted[i] % dies == 0) first = wanted[i];
    s.of.push_back(at->second);
  }
  size_t kinds = 0;
  const auto kind = merge(
      s.instructions,
      std::clamp<size_t>(most_traced / std::max<u64>(1, std::ranges::max(s.instructions)), fewest_kinds, most_kinds),
      kinds);
  r.kinds.resize(kinds);
  std::vector<u64> members(s.instructions.size(), 0), most(kinds, 0);
  for (const size_t of : s.of) r.kind.push_back(kind[of]), r.instructions.push_back(s.instructions[of]), ++members[of];
  for (size_t k = 0; k < members.size(); ++k) {
    WorkgroupKind& into = r.kinds[kind[k]];
    into.workgroups += members[k];
    into.executed.resize(leader.size(), 0);
    for (size_t i = 0; i < leader.size(); ++i) into.executed[i] += u64{(*executed[k])[blocks.of[i]]} * members[k];
    most[kind[k]] = std::max(most[kind[k]], members[k]);
  }
  // Of a frequent signature, near the start of the launch and on die 0: there are the neighbours that are traced beside
  // it, with which it shares lines (of a head, of a tile's row).
  const auto away = [&](u64 workgroup) { return std::pair(workgroup % dies != 0, workgroup); };
  std::vector<bool> has_example(kinds, false);
  for (size_t k = 0; k < members.size(); ++k) {
    WorkgroupKind& into = r.kinds[kind[k]];
    if (2 * members[k] < most[kind[k]] || (has_example[kind[k]] && away(into.example) < away(s.first[k]))) continue;
    into.example = s.first[k], into.found = all.values(s.first[k] / r.every), into.instructions = s.instructions[k];
    has_example[kind[k]] = true;
  }
  return r;
}

}  // namespace wavesmith::timing
