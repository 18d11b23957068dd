#include "choice/time_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>

#include "choice/candidate.h"
#include "isa_tables/timing/timing.h"
#include "simulator/timing/timing.h"

namespace wavesmith::choice {

struct Timed {
  double seconds = 0, least = 0;  // least: what it takes at least, if that was found
};

namespace {

constexpr uint32_t run_blocks = 10, most_blocks = 16;  // of K for each workgroup: simulated; simulated if K has no more
// A whole launch with parts of K in order takes this much longer than its run for the choice says, in which workgroups
// that come first and last are few: 1.01 to 1.08 in six problems that were timed both ways.
constexpr double whole_parts = 1.04;
// timing::Options. With 1 M instructions of neighbours the best times of nine problems were within 0.5 % of these.
constexpr uint64_t traced_beside = 200'000, fewest_rounds = 1;
// Where lines are requested ahead, the first iterations are not like the others: more of the neighbours is traced.
constexpr uint64_t traced_with_prefetch = 2'400'000;
constexpr double turns_traced = 8;                                // of persistent workgroups
constexpr uint64_t traced_persistent = 4 * traced_with_prefetch;  // all tiles of a workgroup

uint32_t rows_of_a(const GemmProblem& p, const GemmConfig& g) {
  return p.m * static_cast<uint32_t>(g.epilogue.halves());
}

// With 0 a kernel would leave A and B, or C, unread.
std::vector<uint8_t> one(isa::Type type) {
  std::vector<uint8_t> bytes(8);
  const auto put = [&](auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
  if (type == isa::Type::f64) put(1.0);
  else if (type == isa::Type::i32) put(1);
  else put(1.0f);
  return bytes;
}

struct Matrices {
  sim::Memory memory;
  GemmPointers at;
  Matrices(const GemmConfig& g, const GemmProblem& p) {
    const auto put = [&](const char* name, isa::Type type, uint64_t lines, uint64_t ld, uint64_t stride) {
      const uint64_t elements = stride * (p.batch - 1) + lines * ld;
      return memory.allocate(elements * static_cast<uint64_t>(isa::bits(type)) / 8, name);
    };
    at.a = put("A", g.input, g.trans_a ? rows_of_a(p, g) : p.k, p.lda, p.stride_a);
    at.b = put("B", type_of_b(g), g.trans_b ? p.k : p.n, p.ldb, p.stride_b);
    at.d = put("D", g.output, p.n, p.ldd, p.stride_d);
    if (g.block_scales != BlockScales::none) {
      const auto scales = [&](const char* name, uint32_t rows) {
        return memory.allocate(block_scale_bytes(g.block_scales, rows, p.k, p.batch), name);
      };
      at.block_scales_a = scales("scales of A", rows_of_a(p, g)), at.block_scales_b = scales("scales of B", p.n);
    }
    for (const auto& [to, how, rows] :
         {std::tuple(&at.block_scales_a, g.sum_scales_a, rows_of_a(p, g)), {&at.block_scales_b, g.sum_scales_b, p.n}})
      if (how.rows) *to = memory.allocate(sum_scale_count(how, rows, p.k) * p.batch * 4, "scales of sums");
    if (const uint64_t bytes = workspace_bytes(g, p)) at.workspace = memory.allocate(bytes, "workspace");
    if (has_weights(g)) {
      const uint64_t groups = group_count(g.groups, g.input == isa::Type::i4 ? rows_of_a(p, g) : p.n, p.k) * p.batch;
      at.group_scales = memory.allocate(groups * 2, "scales of groups");
      if (g.groups.zero_points) at.zero_points = memory.allocate(groups, "zero points");
    }
    if (p.beta != 0 || g.epilogue.beta_on_device) at.c = put("C", g.output, p.n, p.ldc, p.stride_c);
    for (const auto& [on_device, address] :
         {std::pair(g.epilogue.alpha_on_device, &at.alpha), {g.epilogue.beta_on_device, &at.beta}})
      if (on_device) memory.write(*address = memory.allocate(8, "factor"), one(scaled_as(g)));
    if (g.epilogue.quantisation != Quantisation::none)
      at.scales = memory.allocate(
          scales_of(g.epilogue, p.m) * p.n * p.batch * static_cast<uint64_t>(about(g.epilogue.quantisation).bytes()),
          "scales");
    for (const EpiloguePartInfo& part : epilogue_parts()) {
      if (!g.epilogue.has(part.part)) continue;
      const bool matrix = part.shape == PartShape::matrix;
      const uint64_t ld = matrix ? p.ld_residual
                          : part.shape == PartShape::rows
                              ? uint64_t{p.m} * static_cast<uint64_t>(g.epilogue.halves(part))
                          : part.shape == PartShape::columns ? p.n
                                                             : 1;
      at.epilogue[part.part] =
          put(part.name, type_of(part, g.output), matrix ? p.n : 1, ld, matrix ? p.stride_residual : 0);
    }
  }
};

}  // namespace

GemmProblem dense(GemmProblem p, const GemmConfig& g) {
  const auto set = [](uint32_t& ld, uint64_t& stride, uint32_t rows, uint32_t columns, isa::Type type = {}) {
    if (!ld) ld = std::max(rows, 1u);
    if (type == isa::Type::i4) ld = (ld + 7) / 8 * 8;  // whole words
    if (!stride) stride = uint64_t{ld} * columns;
  };
  set(p.lda, p.stride_a, g.trans_a ? p.k : rows_of_a(p, g), g.trans_a ? rows_of_a(p, g) : p.k, g.input);
  set(p.ldb, p.stride_b, g.trans_b ? p.n : p.k, g.trans_b ? p.k : p.n, type_of_b(g));
  set(p.ldc, p.stride_c, p.m, p.n);
  set(p.ldd, p.stride_d, p.m, p.n);
  set(p.ld_residual, p.stride_residual, p.m, p.n);
  return p;
}

namespace {

// A workgroup's loop that multiplies, in clocks for a block of k, of which a wave's products take `product_clocks`; 0
// if there is none. A loop of multiply-adds has other VALU instructions too, less than a block takes.
double clocks_of_block(const timing::Result& r, double product_clocks, bool on_matrix_cores) {
  const timing::Loop* most = nullptr;
  const auto clocks = [&](const timing::Loop& l) { return on_matrix_cores ? l.matrix_clocks : l.valu_clocks; };
  const auto of_all_trips = [&](const timing::Loop& l) { return static_cast<double>(l.trips) * clocks(l); };
  // The loop for what K has beyond whole blocks may take longer than the blocks of a short run, but multiplies less.
  // That of persistent workgroups' tiles has all others inside.
  const auto has_others = [&](const timing::Loop& l) {
    return std::ranges::any_of(r.loops, [&](const timing::Loop& o) {
      return clocks(o) > 0 && (o.first != l.first || o.last != l.last) && o.first >= l.first && o.last <= l.last;
    });
  };
  for (const timing::Loop& l : r.loops)
    if (!has_others(l) && clocks(l) >= (on_matrix_cores ? 1e-9 : product_clocks) &&
        (!most || of_all_trips(l) > of_all_trips(*most)))
      most = &l;
  if (!most) return 0;
  const double blocks = clocks(*most) / product_clocks;
  return most->clocks / (on_matrix_cores ? blocks : std::floor(blocks + 1e-3));
}

timing::Result time_launch(const GemmConfig& g, const sim::CodeObject& object, const GemmProblem& p, Matrices& matrices,
                           const timing::Options& options) {
  const KernelLaunch l = launch(g, object.arch(), p, matrices.at);
  timing::Result r = timing::time(
      object, object.kernel(object.kernels().front().name), matrices.memory,
      {.grid = l.grid, .block = l.block, .dynamic_lds = 0, .cluster = {}, .kernargs = l.kernargs}, options);
  if (r.fault) throw ConfigError(fmt::format("gemm: {}", r.fault->message()));
  return r;
}

struct HowToTime {
  bool warm;
  double longest;    // seconds that are of interest
  bool wants_least;  // whatever `longest` is
  int jobs;
  const std::atomic<bool>* abandoned;
};
Timed time_one(const ToTime& one, const sim::CodeObject& object, const GemmProblem& whole, const isa::Gpu& gpu,
               const HowToTime& how) {
  const GemmConfig& g = one.config;
  const Arch arch = object.arch();
  Matrices matrices(g, whole);
  GemmProblem p = whole;
  const auto step = static_cast<uint32_t>(g.block.k * g.split_k);
  const bool ahead = g.prefetch || g.cluster.groups() > 1;  // nor are a cluster's first iterations like the others
  const uint32_t blocks = whole.k / step,
                 run = g.stream_k ? std::max(2u, run_blocks / static_cast<uint32_t>(g.split_k))
                       : ahead    ? most_blocks  // until the first loads have caught up with the requests
                                  : run_blocks;
  if (blocks > (g.stream_k ? run + 2 : most_blocks)) p.k = run * step + whole.k % step;
  const bool persistent = g.persistent != 0;
  double rows = 1;  // of all: the tiles behind a workgroup's first ones are alike
  if (const double turns = blocks_of_d(g, whole) / gpu.units / turns_traced; persistent && turns > 1) {
    const auto at_once = static_cast<uint32_t>(rows_of_d(g) * g.cluster.m);
    p.m = std::min(p.m, (static_cast<uint32_t>(p.m / std::ceil(turns)) + at_once - 1) / at_once * at_once);
    rows = blocks_of_d(g, p) / blocks_of_d(g, whole);
  }
  timing::Options options{.gpu = gpu.arch == arch ? &gpu : nullptr,  // else the family's
                          .clock = {timing::Clock::Kind::fixed, one.mhz},
                          .list = false,
                          .detail = fewest_rounds,
                          .warm = how.warm,
                          .alike = g.split_k == 1,
                          .beside = ahead ? traced_with_prefetch : traced_beside,
                          .beside_whole = persistent ? traced_persistent
                                          : ahead    ? traced_with_prefetch
                                                     : traced_beside,
                          .part = rows * p.k / std::max(1u, whole.k),
                          .jobs = how.jobs,
                          .abandoned = how.abandoned};
  const isa::Opcode op = instruction_of(g, arch);
  const double simds = isa::target(arch).simds_per_cu, waves = g.waves_m * g.waves_n,
               flops = products_of(g) * 2.0 * g.block.m * g.block.n * g.block.k,
               of_wave = flops / waves / (flops_per_clock(g, op, arch) / simds);
  const auto seconds = [&](const timing::Result& r) {
    const double tiles = persistent ? blocks_of_d(g, whole) : static_cast<double>(r.workgroups);
    const double on_unit = g.stream_k ? rounds_of_unit(g, whole, gpu) * g.split_k : std::ceil(tiles / r.units),
                 rounds = on_unit / r.groups_per_unit;
    // A last round of few workgroups takes as long as these need alone.
    const double of_group = std::ceil(tiles / static_cast<double>(r.workgroups));
    const double in_turn = persistent
                               ? of_group * std::ceil(static_cast<double>(r.workgroups) / (r.units * r.groups_per_unit))
                           : g.stream_k ? std::max<double>(g.split_k, rounds)  // a whole tile at least
                           : r.stay > 0 ? std::clamp(r.cycles / r.stay, std::max(1.0, rounds), std::ceil(rounds))
                                        : std::max(1.0, rounds);
    // Beside the beginnings and ends of others, of which there are more in a short run, a block takes less than its
    // share of the matrix pipes or of the VALU.
    const bool on_matrix_cores = isa::info(op).is_matrix();
    // Of multiply-adds the LDS may be the bound, which beginnings and ends leave free, too.
    const double further = p.k < whole.k ? blocks - run : 0,
                 of_lds = on_matrix_cores ? 0 : r.lds_utilisation * r.cycles / run,
                 block = std::max({in_turn * clocks_of_block(r, of_wave, on_matrix_cores),
                                   on_unit * waves * of_wave / simds, of_lds}),
                 cycles = r.cycles / rows + further * block;
    const double shares = g.stream_k
                              ? static_cast<double>((whole.m + g.block.m - 1) / static_cast<uint32_t>(g.block.m)) *
                                    ((whole.n + g.block.n - 1) / static_cast<uint32_t>(g.block.n)) * g.split_k
                              : tiles;
    const double products = shares * (run + further) * of_wave * waves,
                 used = !on_matrix_cores ? 0
                        : p.k < whole.k  ? products / (cycles * r.units * simds)
                                         : r.matrix_utilisation;
    return cycles * (has_workspace(g) ? whole_parts : 1) /
               (isa::load_mhz(gpu, isa::gpu_timing(gpu).load_mhz, used) * 1e6) +
           r.launch_seconds;
  };
  // The workgroups of a CU take little to time beside so many neighbours.
  Timed t;
  if (ahead && (how.wants_least || how.longest < std::numeric_limits<double>::infinity()))
    options.enough = [&](const timing::Result& r) { return t.least = seconds(r), t.least > how.longest; };
  const timing::Result r = time_launch(g, object, p, matrices, options);
  t.seconds = r.at_least ? t.least : seconds(r);
  return t;
}

}  // namespace

// A configuration that a thread times.
struct GemmTimer::Job {
  ToTime what;
  double longest;
  bool guessed;  // nobody has asked for it when it began
  std::string name = kernel_name(what.config);
  int jobs = 1;
  bool begun = false, finished = false;
  std::atomic<bool> abandoned = false;
  std::optional<Timed> time{};  // once finished
  std::exception_ptr error{};

  Job(const ToTime& w, double l, bool g) : what(w), longest(l), guessed(g) {}
  bool is(const ToTime& o, double limit) const {  // the same result, as far as `limit`
    return what.mhz == o.mhz && longest >= limit && name == kernel_name(o.config);
  }
  std::optional<GemmTime> within(double limit) const {
    if (!finished) return GemmTime{0, true};
    if (!time) return {};
    return time->least > limit ? GemmTime{time->least, true} : GemmTime{time->seconds, false};
  }
};

namespace {
const auto finished = [](const auto& job) { return job->finished; };
// The model takes longest where workgroups differ; next where more of the neighbours is traced.
template <class Jobs>
void longest_first(Jobs& jobs) {
  std::ranges::stable_sort(jobs, std::greater(), [](const auto& job) {
    const GemmConfig& c = job->what.config;
    return has_workspace(c) ? 2 : c.prefetch ? 1 : 0;
  });
}
}  // namespace

GemmTimer::GemmTimer(Arch arch, const GemmProblem& problem, const isa::Gpu& gpu, bool warm, size_t most)
    : arch_(arch), problem_(problem), gpu_(gpu), warm_(warm) {
  const size_t count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, std::max<size_t>(1, most));
  for (size_t i = 0; i < count; ++i) try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) { break; }
}
GemmTimer::~GemmTimer() {
  {
    const std::lock_guard hold(lock_);
    ends_ = true;
    for (const auto& job : guessed_) job->abandoned = true;
  }
  more_.notify_all();
}

void GemmTimer::run(Job& job) const {
  try {
    const GemmConfig& config = job.what.config;
    const auto object = sim::CodeObject::load(assemble(build_gemm(config, arch_, "", {.check = false})).bytes);
    if (!job.abandoned)
      job.time = time_one(job.what, object, dense(problem_, config), gpu_,
                          {warm_, job.longest, job.guessed, job.jobs, &job.abandoned});
  } catch (const std::runtime_error&) {  // cannot be built, or not timed
  } catch (...) { job.error = std::current_exception(); }
}

// Anew once more is known.
void GemmTimer::guess_next() {
  const std::ptrdiff_t known = std::ranges::count_if(asked_, finished);
  if (!guess_ || std::exchange(known_at_guess_, known) == known) return;
  std::vector<std::optional<GemmTime>> so_far;
  for (const auto& job : asked_) so_far.push_back(job->within(longest_));
  std::vector<Round> next;
  try {
    next = guess_(so_far);
  } catch (const std::exception&) {}
  std::erase_if(guessed_, [](const auto& job) { return !job->begun; });
  for (const Round& round : next) {
    Jobs jobs;
    for (const ToTime& what : round.configs)
      if (std::ranges::none_of(guessed_, [&](const auto& job) { return job->is(what, round.longest); }))
        jobs.push_back(std::make_shared<Job>(what, round.longest, true));
    longest_first(jobs);
    guessed_.insert(guessed_.end(), jobs.begin(), jobs.end());
  }
}

std::shared_ptr<GemmTimer::Job> GemmTimer::next_job() {
  const auto waits = [](const auto& job) { return !job->begun; };
  auto at = std::ranges::find_if(asked_, waits);
  if (at == asked_.end()) {
    if (std::ranges::all_of(asked_, finished)) return {};  // the next call comes soon
    guess_next();
    if (at = std::ranges::find_if(guessed_, waits); at == guessed_.end()) return {};
  }
  (*at)->begun = true;
  return *at;
}

void GemmTimer::work() {
  std::unique_lock hold(lock_);
  while (!ends_) {
    const auto job = next_job();
    if (!job) {
      more_.wait(hold);
      continue;
    }
    hold.unlock();
    run(*job);
    hold.lock();
    job->finished = true;
    finished_.notify_one(), more_.notify_all();
  }
}

std::vector<std::optional<GemmTime>> GemmTimer::time(const Round& round, Guess guess) {
  if (round.configs.empty()) return {};  // what was guessed may be asked for next
  Jobs asked;
  {
    std::unique_lock hold(lock_);
    for (const ToTime& what : round.configs) {
      const auto known = std::ranges::find_if(
          guessed_, [&](const auto& job) { return job->begun && !job->error && job->is(what, round.longest); });
      asked.push_back(known != guessed_.end() ? *known : std::make_shared<Job>(what, round.longest, false));
      if (known != guessed_.end()) guessed_.erase(known);
    }
    for (const auto& job : guessed_) job->abandoned = true;
    guessed_.clear(), guess_ = std::move(guess), known_at_guess_ = -1, longest_ = round.longest;
    asked_ = asked;
    longest_first(asked_);
    const auto to_do = static_cast<int>(std::ranges::count_if(asked_, [](const auto& job) { return !job->begun; })),
               threads = static_cast<int>(threads_.size());
    for (const auto& job : asked_)
      if (!job->begun) job->jobs = std::max(1, to_do ? threads / to_do - (guess_ ? 1 : 0) : 1);
    more_.notify_all();
    if (threads_.empty())
      for (const auto& job : asked_) run(*job), job->finished = true;
    finished_.wait(hold, [&] { return std::ranges::all_of(asked_, finished); });
    asked_.clear(), guess_ = {};
  }
  std::vector<std::optional<GemmTime>> times;
  for (const auto& job : asked) {
    if (job->error) std::rethrow_exception(job->error);
    times.push_back(job->within(round.longest));
  }
  return times;
}

std::vector<std::optional<GemmTime>> time_gemms(const std::vector<ToTime>& all, Arch arch, const GemmProblem& p,
                                                const isa::Gpu& gpu, bool warm, double longest) {
  return GemmTimer(arch, p, gpu, warm, all.size()).time({all, longest});
}

timing::Result time_whole(const GemmConfig& g, Arch arch, const GemmProblem& given, const timing::Options& options) {
  const auto object = sim::CodeObject::load(assemble(build_gemm(g, arch)).bytes);
  const GemmProblem p = dense(given, g);
  Matrices matrices(g, p);
  return time_launch(g, object, p, matrices, options);
}

}  // namespace wavesmith::choice
