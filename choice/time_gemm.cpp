#include "choice/time_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <numeric>
#include <system_error>
#include <thread>

#include "choice/candidate.h"
#include "isa_tables/timing/timing.h"
#include "simulator/timing/timing.h"

namespace wavesmith::choice {
namespace {

constexpr uint32_t run_blocks = 10, most_blocks = 16;  // of K for each workgroup: simulated; simulated if K has no more
// A whole launch with parts of K in order takes this much longer than its run for the choice says, in which workgroups
// that come first and last are few: 1.01 to 1.08 in six problems that were timed both ways.
constexpr double whole_parts = 1.04;
// timing::Options. With 1 M instructions of neighbours the best times of nine problems were within 0.5 % of these.
constexpr uint64_t traced_beside = 200'000, fewest_rounds = 1;
// Where lines are requested ahead, the first iterations are not like the others: more of the neighbours is traced.
constexpr uint64_t traced_with_prefetch = 2'400'000;

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
  for (const timing::Loop& l : r.loops)
    if (clocks(l) >= (on_matrix_cores ? 1e-9 : product_clocks) && (!most || l.share > most->share)) most = &l;
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

GemmTime time_one(const ToTime& one, const sim::CodeObject& object, const GemmProblem& whole, const isa::Gpu& gpu,
                  bool warm, double longest, int jobs) {
  const GemmConfig& g = one.config;
  const Arch arch = object.arch();
  Matrices matrices(g, whole);
  GemmProblem p = whole;
  const auto step = static_cast<uint32_t>(g.block.k * g.split_k);
  const uint32_t blocks = whole.k / step,
                 run = g.stream_k   ? std::max(2u, run_blocks / static_cast<uint32_t>(g.split_k))
                       : g.prefetch ? most_blocks  // until the first loads have caught up with the requests
                                    : run_blocks;
  if (blocks > (g.stream_k ? run + 2 : most_blocks)) p.k = run * step + whole.k % step;
  timing::Options options{.gpu = gpu.arch == arch ? &gpu : nullptr,  // else the family's
                          .clock = {timing::Clock::Kind::fixed, one.mhz},
                          .list = false,
                          .detail = fewest_rounds,
                          .warm = warm,
                          .alike = g.split_k == 1,
                          .beside = g.prefetch ? traced_with_prefetch : traced_beside,
                          .part = static_cast<double>(p.k) / std::max(1u, whole.k),
                          .jobs = jobs};
  const isa::Opcode op = instruction_of(g, arch);
  const double simds = isa::target(arch).simds_per_cu, waves = g.waves_m * g.waves_n,
               flops = products_of(g) * 2.0 * g.block.m * g.block.n * g.block.k,
               of_wave = flops / waves / (flops_per_clock(g, op, arch) / simds);
  const auto seconds = [&](const timing::Result& r) {
    const double parts = g.stream_k ? rounds_of_unit(g, whole, gpu) * g.split_k : 0,
                 on_unit = g.stream_k ? parts : std::ceil(static_cast<double>(r.workgroups) / r.units),
                 in_turn =
                     std::max(g.stream_k ? g.split_k : 1.0, on_unit / r.groups_per_unit);  // a whole tile at least
    const double further = p.k < whole.k ? blocks - run : 0,
                 cycles = r.cycles + further * in_turn * clocks_of_block(r, of_wave, isa::info(op).is_matrix());
    const double shares = g.stream_k
                              ? static_cast<double>((whole.m + g.block.m - 1) / static_cast<uint32_t>(g.block.m)) *
                                    ((whole.n + g.block.n - 1) / static_cast<uint32_t>(g.block.n)) * g.split_k
                              : static_cast<double>(r.workgroups);
    const double products = shares * (run + further) * of_wave * waves,
                 used = !isa::info(op).is_matrix() ? 0
                        : p.k < whole.k            ? products / (cycles * r.units * simds)
                                                   : r.matrix_utilisation;
    return cycles * (has_workspace(g) ? whole_parts : 1) /
               (isa::load_mhz(gpu, isa::gpu_timing(gpu).load_mhz, used) * 1e6) +
           r.launch_seconds;
  };
  // The workgroups of a CU take little to time beside so many neighbours.
  if (g.prefetch && longest < std::numeric_limits<double>::infinity())
    options.enough = [&](const timing::Result& r) { return seconds(r) > longest; };
  const timing::Result r = time_launch(g, object, p, matrices, options);
  return {seconds(r), r.at_least};
}

}  // namespace

Workers::Workers(size_t most)
    : turn_(static_cast<std::ptrdiff_t>(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, most))) {
  const auto stay = [this] {
    for (;; turn_.arrive_and_wait()) {
      turn_.arrive_and_wait();
      if (!work_) return;
      (*work_)();
    }
  };
  for (size_t i = 1; i < std::clamp<size_t>(std::thread::hardware_concurrency(), 1, most); ++i) try {
      others_.emplace_back(stay);
    } catch (const std::system_error&) { turn_.arrive_and_drop(); }
}
Workers::~Workers() {
  work_ = nullptr;
  turn_.arrive_and_wait();
}
void Workers::run(const std::function<void()>& work) {
  work_ = &work;
  turn_.arrive_and_wait();
  work();
  turn_.arrive_and_wait();
}

std::vector<std::optional<GemmTime>> time_gemms(const std::vector<ToTime>& all, Arch arch, const GemmProblem& given,
                                                const isa::Gpu& gpu, bool warm, double longest, Workers* workers) {
  if (all.empty()) return {};
  std::optional<Workers> own;
  if (!workers) workers = &own.emplace(all.size());
  std::vector<std::optional<GemmTime>> times(all.size());
  std::vector<std::exception_ptr> errors(all.size());
  std::vector<size_t> order(all.size());  // the model takes longest where workgroups differ: these first
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_partition(order, [&](size_t i) { return has_workspace(all[i].config); });
  std::atomic<size_t> next{0};
  const size_t threads = std::min(workers->count(), all.size()),
               in_rounds = all.size() / threads * threads;  // those left over have fewer threads beside them
  const auto work = [&] {
    for (size_t at; (at = next++) < all.size();) {
      const size_t i = order[at];
      try {
        const auto object =
            sim::CodeObject::load(assemble(build_gemm(all[i].config, arch, "", {.check = false})).bytes);
        times[i] = time_one(all[i], object, dense(given, all[i].config), gpu, warm, longest,
                            threads > 1 && at < in_rounds ? 1 : 0);
      } catch (const std::runtime_error&) {  // cannot be built, or not timed
      } catch (...) { errors[i] = std::current_exception(); }
    }
  };
  workers->run(work);
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
  return times;
}

timing::Result time_whole(const GemmConfig& g, Arch arch, const GemmProblem& given, const timing::Options& options) {
  const auto object = sim::CodeObject::load(assemble(build_gemm(g, arch)).bytes);
  const GemmProblem p = dense(given, g);
  Matrices matrices(g, p);
  return time_launch(g, object, p, matrices, options);
}

}  // namespace wavesmith::choice
