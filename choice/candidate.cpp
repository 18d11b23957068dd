#include "choice/candidate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "isa_tables/timing/timing.h"
#include "simulator/timing/limit.h"

namespace wavesmith::choice {
namespace {

constexpr int fewest_stages = 2, most_stages = 4;

double up(double x, double y) { return std::ceil(x / y); }

std::vector<std::pair<int, int>> wave_divisions() {  // along m, along n
  std::vector<std::pair<int, int>> all;
  for (const int m : {1, 2, 4, 8})
    for (const int n : {1, 2, 4, 8})
      if (m * n <= 8) all.emplace_back(m, n);
  return all;
}

// Waves of more rows than twice their lanes.
bool is_tall(const GemmConfig& c, Arch arch) { return c.block.m / c.waves_m > 2 * isa::target(arch).wave_size; }

// Numbers of workgroups for a block of D that do not fill the GPU more than four times, each with some blocks of k.
std::vector<int> useful_splits(const GemmConfig& c, const GemmProblem& p, const isa::Gpu& gpu) {
  constexpr int all[] = {2, 3, 4, 6, 8, 12, 16, 24, 32}, fewest_blocks = 4;
  std::vector<int> useful;
  for (const int split : all)
    if (blocks_of_d(c, p) * split <= 4.0 * gpu.units && up(p.k, c.block.k) >= fewest_blocks * split)
      useful.push_back(split);
  return useful;
}
void set_split(GemmConfig& c, int split) {
  c.split_k = split, c.reduction = Reduction::ordered;
  if (split > 1) c.cluster = {};
}
// Four workgroups or two that the grid divides into nearly. Squares halve what comes from the L2, others save less.
GemmCluster likely_cluster(const GemmConfig& c, const GemmProblem& p, const isa::Gpu& gpu) {
  constexpr double wasted = 1.05;
  const double m = up(p.m, rows_of_d(c)), n = up(p.n, c.block.n);
  if (isa::target(gpu.arch).has_clusters())
    for (const GemmCluster x : {GemmCluster{2, 2}, {4, 1}, {1, 4}, {2, 1}, {1, 2}})
      if (x.m * up(m, x.m) * x.n * up(n, x.n) < wasted * m * n) return x;
  return {};
}
void set_schedule(GemmConfig& c, const GemmRequest& asked, GemmSchedule to) {
  c.schedule = to, c.prefetch = asked.prefetch.value_or(usual_prefetch(to));
}

}  // namespace

double blocks_of_d(const GemmConfig& c, const GemmProblem& p) {
  return up(p.m, rows_of_d(c)) * up(p.n, c.block.n) * p.batch;
}
double rounds_of_unit(const GemmConfig& c, const GemmProblem& p, const isa::Gpu& gpu) {
  const double tiles = blocks_of_d(c, p), whole = static_cast<double>(whole_tiles(c, static_cast<uint64_t>(tiles)));
  return up(whole, gpu.units) + up((tiles - whole) * c.split_k, gpu.units) / c.split_k;
}

Bound bound(const GemmConfig& c, Arch arch, const GemmProblem& p, const isa::Gpu& gpu) {
  const isa::Timing& t = isa::timing(arch);
  const isa::GpuTiming& device = isa::gpu_timing(gpu);
  const isa::Target& target = isa::target(arch);
  const isa::Opcode op = instruction_of(c, arch);
  const double tile_m = c.block.m, tile_n = c.block.n, waves = c.waves_m * c.waves_n, units = gpu.units,
               dies = device.dies, simds = target.simds_per_cu;
  const double in_a = isa::bits(c.input) / 8.0, in_b = isa::bits(type_of_b(c)) / 8.0, out = isa::bits(c.output) / 8.0;
  const double lds_a = isa::bits(multiplied_a(c)) / 8.0 * parts_of(c),
               lds_b = isa::bits(multiplied_b(c)) / 8.0 * parts_of(c);
  // Of a workgroup: K in whole blocks, bytes of A and B.
  const double blocks = up(up(p.k, c.block.k), c.stream_k ? 1 : c.split_k), k = blocks * c.block.k,
               edges = (tile_m * in_a + tile_n * in_b) * k,
               // Of the L2: workgroups of a cluster with the same rows or columns get them by one read.
      of_a = tile_m * in_a * k / c.cluster.n, of_b = tile_n * in_b * k / c.cluster.m, of_l2 = of_a + of_b;
  const double groups = blocks_of_d(c, p) * (c.stream_k ? 1 : c.split_k);
  const double on_unit = c.stream_k ? rounds_of_unit(c, p, gpu)
                                    : up(up(groups, dies), std::max(1.0, std::floor(units / dies)));  // of the fullest
  const double matrix_each = products_of(c) * 2.0 * tile_m * tile_n * k / flops_per_clock(c, op, arch);
  // So many workgroups fit into the LDS at a time; SIMDs without a wave are idle.
  const double lds_each =
      c.schedule == GemmSchedule::stream
          ? tile_m * tile_n * 4
          : std::max(c.stages * (tile_m * lds_a + tile_n * lds_b) * k / std::max(1.0, blocks) / 2, 1.0);
  const double held = std::clamp(std::floor(target.lds_bytes / lds_each), 1.0, on_unit);
  const double matrix = on_unit * matrix_each / std::min(1.0, waves * held / simds);
  const double moved = c.schedule == GemmSchedule::tensor ? 1 : 0,  // data movers' writes take turns with the reads
      read = (tile_m * lds_a * (c.waves_n + moved) + tile_n * lds_b * (c.waves_m + moved)) * k;
  const bool streams = c.schedule == GemmSchedule::stream;
  const double lds = streams ? 0 : on_unit * (read / (t.lds_port_bytes * t.lds_ports));
  // Workgroups of a CU may read the same rows or columns at the same time, and its L1 the rest.
  const double alone = std::min(tile_m * in_a, tile_n * in_b) * k;
  const double port = (on_unit > 1 ? on_unit * alone : edges) / (t.l2_port_bytes * t.vmem_paths);
  const double l2 = groups * (groups > units ? std::min(of_a, of_b) : of_l2) / dies / t.l2_bytes;
  // Each element of the operands once, from the faster of memory and the last cache before it.
  const double batch = p.batch,
               once = batch * ((1.0 * c.epilogue.halves() * p.m * in_a + p.n * in_b) * p.k +
                               (p.beta != 0 ? 1.0 : 0.0) * p.m * p.n * out),
               written = batch * p.m * p.n * out;
  const double rate = std::max(gpu.tb_per_s, isa::last_cache(gpu).tb_per_s) * 1e12;

  struct Need {
    const char* by;
    double clocks;
  };
  const std::array needs{Need{isa::info(op).is_matrix() ? "matrix pipes" : "multiply-adds", matrix}, Need{"LDS", lds},
                         Need{"a CU's port to the L2", port}, Need{"L2", l2}};
  const Need& most = *std::ranges::max_element(needs, {}, &Need::clocks);
  const double memory = (once + written) / rate;
  const auto mhz = [&](double clocks) {  // that so much use of the matrix pipes leaves
    const double used = isa::info(op).is_matrix() ? groups * matrix_each / units / std::max(1.0, clocks) : 0;
    return isa::load_mhz(gpu, device.load_mhz, std::min(1.0, used));
  };
  const auto seconds = [&](double clocks) { return clocks / (mhz(clocks) * 1e6); };
  const double launch = t.launch_ns * 1e-9;
  Bound b{.least = launch + std::max(seconds(most.clocks), memory), .by = most.by, .launch = launch};
  if (memory > seconds(most.clocks)) b.by = "memory";

  // Likely: units that are nearly saturated get into each other's way (cubes: 0.8 of the time each make 1.01). Two
  // blocks of k are under way from the L2 for each workgroup that the registers hold, those of the data mover as many
  // as the LDS has stages.
  const bool sums = c.sum_scales_a.rows || c.sum_scales_b.rows;  // these take as many registers again
  const double accumulators =
                   tile_m * tile_n / waves / target.wave_size * isa::bits(accumulated(c)) / 32 * (sums ? 2 : 1),
               registers = 1.25 * accumulators + 90, file = target.wave_size == 64 ? 512 : 1024;
  const double fit = std::clamp(std::floor(file / registers) * simds / waves, 1.0, held);
  const double under_way = c.schedule == GemmSchedule::tensor ? c.stages : 2;
  const double latency = t.l2_latency + t.memory_ns * gpu.mhz * 1e-3,
               starved = on_unit / fit * blocks / under_way * latency,
               busy = on_unit * matrix_each / std::min(1.0, waves * fit / simds),
               all_ports = on_unit * edges / (t.l2_port_bytes * t.vmem_paths),
               all_l2 = groups * of_l2 / dies / t.l2_bytes;
  double cubes = 0;
  for (const double clocks : {busy, lds, all_ports, all_l2, starved}) cubes += clocks * clocks * clocks;
  // Before the first and after the last product of a workgroup: arguments, addresses, a load's latency; then D. Waves
  // of other workgroups fill this time if there are some.
  // Sums of parts of K go to memory and come back, of all parts of a wave one after the other.
  const double partial = has_workspace(c) ? tile_m * tile_n * isa::bits(accumulated(c)) / 8 : 0,
               shared = partial > 0 ? 3 * latency + partial * (c.split_k + 1.0) / 16 : 0;
  const double ends = on_unit / fit * (4000 + tile_m * tile_n * out / 16) + shared;
  // Where products limit, a wave that has its SIMD to itself waits at each stage (70 clocks with 4096 of products, 270
  // with 2048).
  constexpr double wait = 50;
  const bool by_products = busy >= std::max({lds, all_ports, all_l2, starved});
  const double alone_on_simd = by_products && fit * waves < 2 * simds ? on_unit / fit * blocks * wait : 0,
               clocks = std::cbrt(cubes) + ends + alone_on_simd;
  const double shared_tiles =
      c.stream_k ? blocks_of_d(c, p) - static_cast<double>(whole_tiles(c, static_cast<uint64_t>(blocks_of_d(c, p))))
                 : blocks_of_d(c, p);
  b.likely = launch + std::max(seconds(clocks), memory) + 2 * shared_tiles * c.split_k * partial / rate;
  b.mhz = mhz(std::max(clocks, memory * mhz(clocks) * 1e6)), b.held = fit;
  return b;
}

std::string limit(const Bound& b, double seconds) {
  const double share = std::min(1.0, (b.least - b.launch) / std::max(1e-12, seconds - b.launch));
  if (b.launch > seconds / 2)
    return fmt::format("launch: starting it takes {:.1f} of {:.1f} us", 1e6 * b.launch, 1e6 * seconds);
  return fmt::format("{}{}: needs {:.0f} % of the time", share < timing::saturated ? "latency; the busiest, " : "",
                     b.by, 100 * share);
}

std::optional<GemmConfig> stream(const GemmConfig& base, const GemmRequest& asked, const GemmProblem& p,
                                 const isa::Gpu& gpu) {
  constexpr int most_parts = 16, fewest_blocks = 4;
  if (asked.split_k || asked.stream_k || asked.reduction == Reduction::atomic || p.batch > 1) return {};
  GemmConfig c = base;
  c.stream_k = gpu.units;
  const auto tiles = static_cast<uint64_t>(blocks_of_d(c, p));
  const uint64_t left = tiles - whole_tiles(c, tiles), units = static_cast<uint64_t>(gpu.units);
  if (left == tiles || left == 0) return {};
  const int parts = static_cast<int>(std::min<uint64_t>(units / left, most_parts));
  if (parts < 2 || up(p.k, c.block.k) < fewest_blocks * parts) return {};
  set_split(c, parts);
  return c;
}

std::vector<Candidate> tiles(const GemmConfig& base, const GemmRequest& asked, Arch arch, const GemmProblem& p,
                             const isa::Gpu& gpu) {
  // Few rows or columns are one tile, of no more of them than instructions have.
  const auto sides = [](uint32_t extent) {
    constexpr int step = 32, most = 256, least_step = 16;
    std::vector<int> all;
    for (int side = step; side <= most; side += step) all.push_back(side);
    const int whole = static_cast<int>(up(extent, least_step)) * least_step;
    if (whole <= most && whole % step) all.push_back(whole);
    return all;
  };
  auto divisions = wave_divisions();
  if (asked.waves) divisions = {{(*asked.waves)[0], (*asked.waves)[1]}};
  const bool direct = needed_by(GemmSchedule::refill)->on(arch), tensor = needed_by(GemmSchedule::tensor)->on(arch);
  // That has all k of a sum with scales.
  const auto instructions = matrix_instructions(base, arch);
  std::optional<isa::Opcode> whole_sum;
  if ((base.sum_scales_a.rows || base.sum_scales_b.rows) && isa::info(instructions.back()).matrix.k == sum_scale_k)
    whole_sum = instructions.back();
  std::vector<Candidate> all;
  const auto add = [&](int m, int n) {
    for (const auto& [waves_m, waves_n] : divisions) {
      GemmConfig staged = base;
      staged.block = {m, n, base.block.k}, staged.waves_m = waves_m, staged.waves_n = waves_n;
      const bool tall = !asked.waves && is_tall(staged, arch);
      const auto add_splits = [&](const GemmConfig& c) {
        all.push_back({c, bound(c, arch, p, gpu)});
        if (asked.split_k || (asked.reduction && *asked.reduction == Reduction::atomic)) return;
        GemmConfig parts = c;
        for (const int split : useful_splits(c, p, gpu)) {
          set_split(parts, split);
          all.push_back({parts, bound(parts, arch, p, gpu)});
        }
        if (const auto streamed = stream(c, asked, p, gpu)) all.push_back({*streamed, bound(*streamed, arch, p, gpu)});
      };
      // By each instruction that leaves registers for other tiles, the first one first.
      const auto add_with_splits = [&](GemmConfig c) {
        add_splits(c);
        if (asked.mma || !whole_sum) return;
        c.mma = whole_sum;
        if (c.block.k >= 2 * sum_scale_k) add_splits(c);
      };
      const auto scheduled = [&](GemmSchedule schedule) {
        GemmConfig c = staged;
        set_schedule(c, asked, schedule);
        if (!asked.block && c.block.k < 2 * line_k(c)) c.block.k *= 2;  // whole lines
        return c;
      };
      bool is_moved = false;
      if (tensor && asked.schedule.value_or(GemmSchedule::tensor) == GemmSchedule::tensor) {
        GemmConfig moved = scheduled(GemmSchedule::tensor);
        moved.stages = asked.stages.value_or(most_stages);
        if (!asked.cluster && !asked.order && moved.split_k == 1) moved.cluster = likely_cluster(moved, p, gpu);
        add_with_splits(moved);
        if (!asked.prefetch) moved.prefetch = 0;
        is_moved = is_legal(moved, arch);
      }
      if (tall) continue;
      // Of 96 problems through registers was the fastest in four, of f32, by up to 0.3 %.
      if (!is_moved) add_with_splits(staged);
      if (const bool skinny = std::min(p.m, p.n) <= 64;
          skinny && base.trans_a && !base.trans_b && !asked.block && !asked.schedule && waves_m * waves_n == 1) {
        GemmConfig streaming = scheduled(GemmSchedule::stream);
        streaming.stages = asked.stages.value_or(most_stages);
        add_with_splits(streaming);
      }
      if (!asked.block && direct && asked.schedule.value_or(GemmSchedule::refill) == GemmSchedule::refill)
        add_with_splits(scheduled(GemmSchedule::refill));
    }
  };
  if (asked.block) add(asked.block->m, asked.block->n);
  else
    for (const int m : sides(p.m))
      for (const int n : sides(p.n)) add(m, n);
  std::ranges::stable_sort(all, {}, [](const Candidate& c) { return c.bound.likely; });
  return all;
}

std::vector<GemmConfig> splits(const GemmConfig& base, const GemmRequest& asked, const GemmProblem& p,
                               const isa::Gpu& gpu) {
  std::vector<GemmConfig> all;
  if (asked.split_k || asked.stream_k || (asked.reduction && *asked.reduction == Reduction::atomic)) return all;
  if (base.stream_k) {
    all.push_back(base);
    all.back().stream_k = 0, set_split(all.back(), 1);
    return all;
  }
  if (const auto streamed = stream(base, asked, p, gpu)) all.push_back(*streamed);
  auto numbers = useful_splits(base, p, gpu);
  numbers.insert(numbers.begin(), 1);
  for (const int split : numbers)
    if (split != base.split_k && split <= 4 * base.split_k && base.split_k <= 4 * split) {
      all.push_back(base);
      set_split(all.back(), split);
    }
  return all;
}

std::vector<GemmConfig> divisions(const GemmConfig& base, const GemmRequest& asked, Arch arch, bool tall) {
  std::vector<GemmConfig> all;
  if (asked.waves) return all;
  for (const auto& [m, n] : wave_divisions()) {
    GemmConfig c = base;
    c.waves_m = m, c.waves_n = n;
    if ((m != base.waves_m || n != base.waves_n) && is_tall(c, arch) == tall) all.push_back(c);
  }
  return all;
}

std::vector<GemmConfig> schedules(const GemmConfig& base, const GemmRequest& asked) {
  std::vector<GemmConfig> all;
  for (const GemmSchedule schedule : all_schedules) {
    if (base.schedule == GemmSchedule::tensor && schedule != GemmSchedule::tensor) continue;  // as in tiles()
    for (const int stages : {fewest_stages, most_stages}) {
      GemmConfig c = base;
      set_schedule(c, asked, asked.schedule.value_or(schedule)), c.stages = asked.stages.value_or(stages);
      const auto same = [&](const GemmConfig& o) { return o.schedule == c.schedule && o.stages == c.stages; };
      if (!same(base) && std::ranges::none_of(all, same)) all.push_back(c);
    }
  }
  return all;
}

std::vector<GemmConfig> stages(const GemmConfig& base, const GemmRequest& asked, Arch arch) {
  std::vector<GemmConfig> all;
  for (int n = fewest_stages + 1; n < most_stages && !asked.stages; ++n) {
    all.push_back(base);
    all.back().stages = n;
  }
  if (base.prefetch && !asked.prefetch)
    for (const int prefetch : {base.prefetch - 1, base.prefetch + 1, base.prefetch + 2}) {
      all.push_back(base);
      all.back().prefetch = prefetch;
    }
  if (!asked.block)
    for (const GemmSchedule schedule : {base.schedule, GemmSchedule::direct, GemmSchedule::refill})
      for (const int k : {2 * base.block.k, base.block.k / 2}) {
        if (schedule != base.schedule && asked.schedule) continue;
        // The short run flatters these: later iterations find less of what they need in the caches.
        if (k < base.block.k && !isa::info(instruction_of(base, arch)).is_matrix()) continue;
        GemmConfig c = base;
        c.block.k = k, set_schedule(c, asked, schedule);
        if (std::ranges::none_of(all, [&](const GemmConfig& o) { return o.block.k == k && o.schedule == schedule; }))
          all.push_back(c);
      }
  const auto legal = matrix_instructions(base, arch);
  GemmConfig open = base;
  open.mma.reset();
  const isa::Opcode by_default = instruction_of(open, arch);
  const auto rate = [&](isa::Opcode op) { return flops_per_clock(base, op, arch); };
  for (const isa::Opcode op : legal) {
    if (asked.mma || op == instruction_of(base, arch) || rate(op) < rate(legal.front())) continue;
    all.push_back(base);
    all.back().mma = op;
    if (op == by_default) all.back().mma.reset();
  }
  return all;
}

namespace {
std::array<WorkOrder, 2> orders_by_bands(const isa::Gpu& gpu) {
  const int l2s = isa::l2s(gpu);
  return {WorkOrder{4, l2s}, WorkOrder{8, l2s}};
}
}  // namespace

WorkOrder likely_order(const GemmConfig& c, double held, const GemmProblem& p, const isa::Gpu& gpu) {
  constexpr double saves = 0.9;
  const auto tiles_along = [](uint32_t extent, int tile) {
    const auto side = static_cast<uint32_t>(tile);
    return (extent + side - 1) / side;
  };
  const TileNumber tiles{tiles_along(p.m, rows_of_d(c)), tiles_along(p.n, c.block.n)};
  const auto l2s = static_cast<uint32_t>(isa::l2s(gpu));
  const auto at_once = static_cast<uint32_t>(held * gpu.units);
  const auto bytes = [&](const WorkOrder& order) {
    std::vector<bool> rows(tiles.m), columns(tiles.n);
    for (uint64_t i = 0; i < std::min<uint64_t>(at_once, uint64_t{tiles.m} * tiles.n); i += l2s) {
      const TileNumber at = tile_of(order, static_cast<uint32_t>(i), tiles);
      rows[at.m] = columns[at.n] = true;
    }
    return static_cast<double>(std::ranges::count(rows, true)) * c.block.m * isa::bits(c.input) +
           static_cast<double>(std::ranges::count(columns, true)) * c.block.n * isa::bits(type_of_b(c));
  };
  WorkOrder likely;
  double least = saves * bytes(likely);
  for (const WorkOrder& order : orders_by_bands(gpu))
    if (const double its = bytes(order); its < least) least = its, likely = order;
  return likely;
}

std::vector<GemmConfig> orders(const GemmConfig& base, const GemmRequest& asked, const isa::Gpu& gpu) {
  std::vector<GemmConfig> all;
  if (!asked.order) {
    if (!base.order.plain()) {
      all.push_back(base);
      all.back().order = {};
    }
    for (const WorkOrder& order : orders_by_bands(gpu)) {
      all.push_back(base);
      all.back().order = order;
    }
  }
  if (!asked.cluster && !asked.order && base.schedule == GemmSchedule::tensor && base.split_k == 1 &&
      isa::target(gpu.arch).has_clusters())
    for (const auto& [cluster, prefetch] :
         {std::pair(GemmCluster{4, 4}, base.prefetch), {GemmCluster{4, 4}, 0}, {GemmCluster{2, 2}, base.prefetch}}) {
      if (prefetch != base.prefetch && asked.prefetch) continue;
      if (std::ranges::any_of(all, [&](const GemmConfig& o) {
            return o.order.plain() && o.cluster == cluster && o.prefetch == prefetch;
          }))
        continue;
      all.push_back(base);
      all.back().cluster = cluster, all.back().order = {}, all.back().prefetch = prefetch;
    }
  return all;
}

std::vector<GemmConfig> persistent(const GemmConfig& base, const GemmRequest& asked, Arch arch, const GemmProblem& p,
                                   const isa::Gpu& gpu) {
  GemmConfig c = base;
  c.persistent = gpu.units;
  const double tiles = blocks_of_d(c, p) / std::max(1u, p.batch) / gpu.units;
  const bool goes_on = isa::bits(c.output) == 16 && !c.sum_scales_a.rows && !c.sum_scales_b.rows;  // others gain little
  const bool helps = c.schedule == GemmSchedule::tensor && goes_on && bound(base, arch, p, gpu).held == 1 && tiles > 1;
  if (asked.persistent || base.split_k > 1 || !helps) return {};
  return {c};
}

std::vector<GemmConfig> other_clusters(const GemmConfig& base, const GemmRequest& asked) {
  std::vector<GemmConfig> all;
  for (const GemmCluster cluster : {GemmCluster{4, 4}, GemmCluster{2, 2}})
    if (base.cluster.groups() > 1 && !asked.cluster && cluster != base.cluster)
      all.push_back(base), all.back().cluster = cluster;
  return all;
}

}  // namespace wavesmith::choice
