// Rounds: the likely fastest tiles, each with its likely best division among waves; other divisions of the fastest
// tile; its schedules; its stages and instructions; other tiles with these; its orders; its tile divided among waves of
// more rows. What cannot be faster than the best of the rounds before, by its bound, is not timed.
#include "choice/plan_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <span>
#include <tuple>

#include "choice/candidate.h"
#include "choice/plan_cache.h"
#include "choice/time_gemm.h"
#include "choice/tunables.h"
#include "isa_tables/names.h"
#include "isa_tables/timing/timing.h"
#include "simulator/timing/timing.h"

namespace wavesmith {
namespace {

constexpr size_t most_tiles = 6, most_odd_tiles = 2, most_divisions = 2, most_schedules = 3, most_stages = 5,
                 most_orders = 5, most_splits = 3, most_others = 2, most_likewise = 4, most_in_its_order = 2,
                 most_tall = 2, most_persistent = 1;  // timed
constexpr size_t most_likely = 80;  // tiles that are tried with what the best one has, before the bounds are compared
constexpr double hopeless = 2.5;    // tiles whose likely time is so many times the least likely one are not timed
constexpr double nearly = 1.06;     // the time of a second tile whose divisions are timed
constexpr double unordered = 1.15;  // the time of others that are timed in the best one's order
constexpr double surely = 1.02;     // slower by more than the order of events changes
constexpr double worth = 0.98;      // of the best so far: variants whose bound is above this are not timed
constexpr size_t at_first = 2;      // tiles, before any rules out others
constexpr double gained = 1.02;     // by persistent workgroups, at most: not timed where less is to be gained
constexpr double by_far = 1.6;      // nor those that likely take so many times the best one's
constexpr double unlikely = 1.5;    // nor variants, so many times that of what they vary
constexpr double unlikely_split = 1.1;  // likewise: the model takes longest for these

// Candidates to time; those slower than the best so far by `factor` are only ruled out.
struct Round {
  std::vector<choice::Candidate> candidates;
  double factor;
};
struct Search {
  const GemmRequest& asked;
  const GemmConfig& base;  // choose_gemm()'s
  Arch arch;
  const GemmProblem& problem;
  const isa::Gpu& gpu;
  std::vector<TimedGemm> timed{};
  std::vector<GemmConfig> ruled_out{};       // slower by a lower bound of the model
  std::vector<GemmConfig> likely{};          // tiles, before any was timed
  std::vector<choice::Candidate> later{};    // tiles that the likely fastest may rule out
  std::vector<choice::Candidate> unbuilt{};  // tiles that have no scalar registers left for their order
  std::vector<GemmConfig> close{};           // other_tiles(), once the best one's divisions are timed
  int candidates = 0;

  const TimedGemm& best() const { return *std::ranges::min_element(timed, {}, &TimedGemm::seconds); }
  choice::GemmTimer::Round to_time(const Round& round) const {
    choice::GemmTimer::Round to;
    for (const auto& [config, bound] : round.candidates) to.configs.push_back({config, bound.mhz});
    if (!timed.empty()) to.longest = round.factor * best().seconds;
    return to;
  }
  void learn(const Round& round, const std::vector<std::optional<choice::GemmTime>>& times) {
    for (size_t i = 0; i < times.size(); ++i) {
      const auto& [config, bound] = round.candidates[i];
      if (!times[i]) {
        if (asked.order || config.order.plain()) continue;
        unbuilt.push_back({config, bound}), unbuilt.back().config.order = {};
        continue;
      }
      if (times[i]->at_least) ruled_out.push_back(config);
      else timed.push_back({config, times[i]->seconds, bound.least, choice::limit(bound, times[i]->seconds)});
    }
  }
  // The candidate; without requests into the L2, which nobody asked for, where only those take too many registers.
  std::optional<choice::Candidate> legal_of(choice::Candidate c) const {
    if (is_legal(c.config, arch)) return c;
    if (asked.prefetch || !std::exchange(c.config.prefetch, 0) || !is_legal(c.config, arch)) return {};
    return c;
  }
  void order(GemmConfig& c, double held) const {
    const bool fits = std::ranges::find(unbuilt, c.schedule,
                                        [](const choice::Candidate& u) { return u.config.schedule; }) == unbuilt.end();
    if (!asked.order && fits && c.cluster.groups() == 1) c.order = choice::likely_order(c, held, problem, gpu);
  }
  // Slower by far, if the schedule takes as much more than is likely as it did in the best of those timed.
  bool is_too_slow(const choice::Candidate& c) const {
    double ratio = std::numeric_limits<double>::infinity();
    for (const TimedGemm& t : timed)
      if (t.config.schedule == c.config.schedule)
        ratio = std::min(ratio, t.seconds / choice::bound(t.config, arch, problem, gpu).likely);
    return std::isfinite(ratio) && c.bound.likely * ratio > by_far * best().seconds;
  }
  bool is_timed(const GemmConfig& c) const {
    const auto same = [name = kernel_name(c)](const GemmConfig& o) { return kernel_name(o) == name; };
    return std::ranges::any_of(timed, same, &TimedGemm::config) || std::ranges::any_of(ruled_out, same);
  }
  // Tiles that may be faster divided otherwise: of other extents than the best one's, and nearly as fast.
  std::vector<GemmConfig> other_tiles() const {
    std::vector<TimedGemm> sorted = timed;
    std::ranges::stable_sort(sorted, {}, &TimedGemm::seconds);
    std::vector<GemmConfig> all;
    std::set<std::pair<int, int>> seen{{sorted[0].config.block.m, sorted[0].config.block.n}};
    for (const TimedGemm& t : sorted)
      if (all.size() < most_others && t.seconds < nearly * sorted[0].seconds &&
          seen.emplace(t.config.block.m, t.config.block.n).second)
        all.push_back(t.config);
    return all;
  }
  // Persistent workgroups of the fastest one that may gain by them.
  std::vector<GemmConfig> persistent() const {
    std::vector<TimedGemm> sorted = timed;
    std::ranges::stable_sort(sorted, {}, &TimedGemm::seconds);
    for (const TimedGemm& t : sorted) {
      if (t.seconds > nearly * sorted[0].seconds) break;
      if (const auto all = choice::persistent(t.config, asked, arch, problem, gpu); !all.empty()) return all;
    }
    return {};
  }
  // Other tiles, timed or likely, K divided as theirs is, with what the best one has by now: schedule, k, stages,
  // instruction.
  std::vector<GemmConfig> likewise() const {
    const GemmConfig& now = best().config;
    std::vector<GemmConfig> all;
    std::set<std::string> known;
    for (const TimedGemm& t : timed) known.insert(kernel_name(t.config));
    for (const GemmConfig& c : ruled_out) known.insert(kernel_name(c));
    const auto add = [&](const GemmConfig& tile) {
      GemmConfig c = now;
      c.block.m = tile.block.m, c.block.n = tile.block.n;
      c.waves_m = tile.waves_m, c.waves_n = tile.waves_n;
      c.split_k = tile.split_k, c.stream_k = tile.stream_k, c.reduction = tile.reduction;
      order(c, choice::bound(c, arch, problem, gpu).held);
      const bool same = c.block.m == now.block.m && c.block.n == now.block.n;
      const bool streams_alike = c.stream_k == now.stream_k;  // whose short runs miss the same part of a launch
      if (!same && streams_alike && known.insert(kernel_name(c)).second) all.push_back(c);
    };
    for (const TimedGemm& t : timed) add(t.config);
    for (const GemmConfig& c : ruled_out) add(c);
    for (const GemmConfig& c : likely) add(c);
    return all;
  }
  // Others that are nearly as fast, in the best one's order and clusters: these change what the L2 limits.
  std::vector<GemmConfig> in_its_order() const {
    const GemmConfig& now = best().config;
    std::vector<TimedGemm> sorted = timed;
    std::ranges::stable_sort(sorted, {}, &TimedGemm::seconds);
    std::vector<GemmConfig> all;
    for (const TimedGemm& t : sorted) {
      if (all.size() == most_in_its_order || t.seconds > unordered * sorted[0].seconds) break;
      GemmConfig c = t.config;
      c.order = now.order, c.cluster = now.cluster;
      if (!is_timed(c)) all.push_back(c);
    }
    return all;
  }
  // The likely fastest legal ones of `all`: of each tile and schedule one with all of D in parts of K, and one without.
  // Tiles of which a side is no power of two are timed beside them if they are likely faster than all of them; one that
  // covers all rows or columns counts as the others do.
  Round tiles() {
    const auto all = choice::tiles(base, asked, arch, problem, gpu);
    std::vector<choice::Candidate> chosen, odd;
    std::set<std::tuple<int, int, GemmSchedule, bool>> seen;
    const auto usual_side = [](int side, uint32_t extent) {
      return std::has_single_bit(static_cast<unsigned>(side)) || static_cast<uint32_t>(side) >= extent;
    };
    candidates += static_cast<int>(all.size());
    for (size_t i = 0; i < std::min(all.size(), most_likely); ++i) likely.push_back(all[i].config);
    for (const choice::Candidate& c : all) {
      if (chosen.size() == most_tiles || (!chosen.empty() && c.bound.likely > hopeless * chosen.front().bound.likely))
        break;
      const bool usual = usual_side(c.config.block.m, problem.m) && usual_side(c.config.block.n, problem.n);
      if (!usual && (!chosen.empty() || odd.size() == most_odd_tiles)) continue;
      const std::tuple tile(c.config.block.m, c.config.block.n, c.config.schedule,
                            c.config.split_k > 1 && !c.config.stream_k);
      if (seen.contains(tile)) continue;
      if (auto fits = legal_of(c)) {
        order(fits->config, c.bound.held);
        seen.insert(tile), (usual ? chosen : odd).push_back(*fits);
      }
    }
    chosen.insert(chosen.end(), odd.begin(), odd.end());
    // The likely fastest rule out others.
    const size_t first = std::min(chosen.size(), at_first);
    later.assign(chosen.begin() + static_cast<std::ptrdiff_t>(first), chosen.end());
    chosen.resize(first);
    return {chosen, nearly};
  }
  // The likely fastest `most` legal ones of `all` that can be faster than the best so far.
  Round variants(const std::vector<GemmConfig>& all, size_t most, double factor = unlikely) {
    std::vector<choice::Candidate> sorted, chosen;
    if (has_workspace(best().config)) most = (most + 1) / 2;  // workgroups differ: the model takes longer
    candidates += static_cast<int>(all.size());
    for (const GemmConfig& c : all)
      if (!is_timed(c)) sorted.push_back({c, choice::bound(c, arch, problem, gpu)});
    std::ranges::stable_sort(sorted, {}, [](const choice::Candidate& c) { return c.bound.likely; });
    const double base = choice::bound(best().config, arch, problem, gpu).likely;
    for (const choice::Candidate& c : sorted)
      if (chosen.size() < most && c.bound.likely < factor * base && c.bound.least < worth * best().seconds &&
          !is_too_slow(c))
        if (const auto fits = legal_of(c)) chosen.push_back(*fits);
    return {chosen, surely};
  }
  // The best one and it in other clusters, also with taller waves: all at once, which takes the least time. With scales
  // of sums choices take the longest, and taller waves gained 2 % at most.
  Round clusters_and_tall() {
    std::vector<GemmConfig> clusters = choice::other_clusters(best().config, asked);
    Round all = variants(clusters, most_orders);
    clusters.push_back(best().config);
    if (base.sum_scales_a.rows || base.sum_scales_b.rows) return all;
    for (const GemmConfig& c : clusters)
      std::ranges::move(variants(choice::divisions(c, asked, arch, true), most_tall).candidates,
                        std::back_inserter(all.candidates));
    return all;
  }
  Round divisions_of_close(size_t i) {
    if (i == 0) close = other_tiles();
    return i < close.size() ? variants(choice::divisions(close[i], asked, arch), most_divisions) : Round{};
  }
};

// Each follows from what those before have found.
using NextRound = Round (*)(Search&);
constexpr NextRound rounds[] = {
    [](Search& s) { return s.tiles(); },
    [](Search& s) {
      std::erase_if(s.later, [&](const choice::Candidate& c) { return s.is_too_slow(c); });
      return Round{s.later, nearly};
    },
    [](Search& s) { return Round{s.unbuilt, nearly}; },
    [](Search& s) {
      return s.variants(choice::splits(s.best().config, s.asked, s.problem, s.gpu), most_splits, unlikely_split);
    },
    [](Search& s) { return s.variants(choice::divisions(s.best().config, s.asked, s.arch), most_divisions); },
    [](Search& s) { return s.divisions_of_close(0); },
    [](Search& s) { return s.divisions_of_close(1); },
    [](Search& s) { return s.variants(choice::schedules(s.best().config, s.asked), most_schedules); },
    [](Search& s) { return s.variants(choice::stages(s.best().config, s.asked, s.arch), most_stages); },
    [](Search& s) { return s.variants(s.likewise(), most_likewise); },
    [](Search& s) { return s.variants(choice::orders(s.best().config, s.asked, s.gpu), most_orders); },
    [](Search& s) { return s.variants(s.in_its_order(), most_in_its_order); },
    [](Search& s) { return s.clusters_and_tall(); },
    [](Search& s) {
      if (s.best().seconds < gained * s.best().least_seconds) return Round{};
      return s.variants(s.persistent(), most_persistent);
    }};
constexpr size_t rounds_of_tiles = 3;
static_assert(most_others == 2);

// The round that follows `at`, if its times are these; none if that is the last one.
choice::GemmTimer::Round following(Search s, size_t at, const Round& round,
                                   const std::vector<std::optional<choice::GemmTime>>& times) {
  s.learn(round, times);
  while (++at < std::size(rounds) && (at < rounds_of_tiles || !s.timed.empty()))
    if (const Round next = rounds[at](s); !next.candidates.empty()) return s.to_time(next);
  return {};
}
// As if those under way were slower than the best so far; as if the first of them was slightly faster.
std::vector<choice::GemmTimer::Round> guess(const Search& s, size_t at, const Round& round,
                                            std::vector<std::optional<choice::GemmTime>> so_far) {
  std::vector all{following(s, at, round, so_far)};
  const auto under_way = std::ranges::find_if(so_far, [](const auto& t) { return t && t->at_least && !t->seconds; });
  if (under_way == so_far.end() || at < rounds_of_tiles) return all;
  double best = s.best().seconds;
  for (const auto& t : so_far)
    if (t && !t->at_least) best = std::min(best, t->seconds);
  *under_way = {best * (1 - 1e-9), false};
  all.push_back(following(s, at, round, so_far));
  return all;
}

void search_all(Search& s, bool warm) {
  choice::GemmTimer timer(s.arch, s.problem, s.gpu, warm, most_tiles + most_odd_tiles);
  for (size_t at = 0; at < std::size(rounds); ++at) {
    if (at == rounds_of_tiles && s.timed.empty()) {
      const Round default_one{{{s.base, choice::bound(s.base, s.arch, s.problem, s.gpu)}}, nearly};
      s.learn(default_one, timer.time(s.to_time(default_one)));
      if (s.timed.empty()) return;
    }
    const Round round = rounds[at](s);
    s.learn(round, timer.time(s.to_time(round), [&](const auto& so_far) { return guess(s, at, round, so_far); }));
  }
}

// The choices of a configuration: what the request has is given, the rest is the timing model's.
std::vector<Choice> reasons(const GemmRequest& asked, Arch arch, const GemmPlan& plan, const isa::Gpu& gpu) {
  GemmRequest all = asked;
  for (const choice::Tunable& d : choice::tunables()) d.give(all, plan.config);
  all.grid.reset();
  std::vector<Choice> out = choose_gemm(all, arch).choices;
  const TimedGemm& best = plan.timed.front();
  for (Choice& one : out) {
    const auto tunable = std::ranges::find(choice::tunables(), one.what, &choice::Tunable::what);
    one.given = tunable != choice::tunables().end() && tunable->given(asked);
    if (one.given) continue;
    one.why = one.what == "tile"
                  ? fmt::format("the fastest of {} timed, of {} candidates: {:.4g} us on {}, limited by {}",
                                plan.timed.size(), plan.candidates, best.seconds * 1e6, gpu.name, best.limit)
                  : "the fastest one timed";
  }
  return out;
}

}  // namespace

namespace {

// As a batch of groups of the same size. Tiles of ragged rows or columns are taken by columns.
GemmPlan plan_groups(GemmRequest asked, Arch arch, GemmProblem p, const PlanOptions& options) {
  const GemmConfig whole = choose_gemm(asked, arch).config;
  const Ragged ragged = std::exchange(asked.ragged, Ragged::none);
  p.batch = std::max(p.groups, 1u);
  uint32_t& extent = ragged == Ragged::m ? p.m : ragged == Ragged::n ? p.n : p.k;
  extent = (extent + p.batch - 1) / p.batch;
  p.lda = p.ldb = p.ldc = p.ldd = p.ld_residual = 0;
  p.stride_a = p.stride_b = p.stride_c = p.stride_d = p.stride_residual = 0;
  const bool order_given = asked.order.has_value();
  if (ragged != Ragged::k) asked.order = whole.order;
  GemmPlan plan = plan_gemm(asked, arch, p, options);
  plan.config.ragged = ragged, plan.config.offsets = asked.offsets;
  for (TimedGemm& t : plan.timed) t.config.ragged = ragged, t.config.offsets = asked.offsets;
  for (Choice& c : plan.choices)
    if (c.what == "order" && !order_given && ragged != Ragged::k)
      c.given = false, c.why = "groups of m and n have their tiles by columns";
  check(plan.config, arch);
  return plan;
}

}  // namespace

GemmPlan plan_gemm(const GemmRequest& asked, Arch arch, const GemmProblem& given, const PlanOptions& options) {
  if (asked.ragged != Ragged::none) return plan_groups(asked, arch, given, options);
  GemmPlan plan{choose_gemm(asked, arch)};
  GemmProblem problem = choice::dense(given, plan.config);
  problem.alpha = 1, problem.beta = given.beta != 0 && !asked.epilogue.gated;  // which factors does not matter
  if (!problem.m || !problem.n || !problem.k || !problem.batch) return plan;
  const isa::Gpu& gpu = options.gpu ? *options.gpu : timing::default_gpu(arch);
  if (options.gpu && gpu.arch != arch)
    throw isa::IsaError(
        fmt::format("{} is a {}, the kernel is for {}", gpu.name, isa::target(gpu.arch).name, isa::target(arch).name));
  const choice::PlanCache cache(options, asked, plan.config, arch, gpu, problem);
  if (auto known = cache.find()) {
    plan.timed = std::move(known->timed), plan.candidates = known->candidates, plan.cached = true;
  } else {
    Search search{asked, plan.config, arch, problem, gpu};
    try {
      search_all(search, options.warm);
      if (search.timed.empty()) return plan;  // building it will say why
    } catch (const std::bad_alloc&) { return plan; }
    std::ranges::stable_sort(search.timed, {}, &TimedGemm::seconds);
    plan.timed = std::move(search.timed), plan.candidates = search.candidates;
    cache.keep(plan);
  }
  plan.config = plan.timed.front().config;
  plan.choices = reasons(asked, arch, plan, gpu);
  return plan;
}

}  // namespace wavesmith
