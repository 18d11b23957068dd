// Our kernels against those of others on the same problems, all by the timing model and with nothing in a cache: what a
// ratio says is how much longer the best of theirs takes than what plan_gemm() chooses, or our attention. Theirs are
// code objects that are not part of this repository: hipBLASLt's hand-tuned ones, HipKittens' and rocm_wmma_gemm's
// (--peers) and all that aiter's tuner would try for the shape (--production).
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>

#include "choice/plan_gemm.h"
#include "choice/time_gemm.h"
#include "isa_tables/names.h"
#include "tests/validation/aiter.h"
#include "tests/validation/competition.h"
#include "tests/validation/peers.h"

namespace wavesmith::validation {

double seconds_of(const std::string& file, const sim::Launch& launch, sim::Memory& memory, const isa::Gpu& gpu,
                  double flops) {
  const auto object = load_object(file);
  timing::Options o;
  o.gpu = &gpu, o.jobs = 1, o.warm = false;
  const timing::Result r = timing::time(object, object.kernel(""), memory, launch, o);
  constexpr double rounding = 0.99;  // of the workgroups that a sampled one stands for
  return r.fault || r.flops < rounding * flops ? 0 : r.seconds;
}
double seconds_of(const Program& kernel, const KernelLaunch& l, sim::Memory& memory, const isa::Gpu& gpu) {
  const auto object = sim::CodeObject::load(assemble(kernel).bytes);
  timing::Options o;
  o.gpu = &gpu, o.jobs = 1, o.warm = false;
  const timing::Result r =
      timing::time(object, object.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}, o);
  if (r.fault) throw std::runtime_error(r.fault->why);
  return r.seconds;
}

namespace {

// D[M,N] = A[M,K] B[N,K]^T with rows contiguous, as the peers have it.
struct Contest {
  std::string group;
  const isa::Gpu* gpu;
  GemmSize size;
  GemmRequest request;          // of ours, column-major: op(A) is their B
  std::vector<Measured> aiter;  // one for each list of kernels that aiter's tuner would try
  std::string dtype;            // of peers.h's kernels
};

GemmRequest ours(isa::Type input) {
  return {.input = input, .output = isa::Type::bf16, .trans_a = true, .trans_b = false};
}

Measured row(const isa::Gpu& gpu, const char* file, const GemmSize& s) {
  return {.file = fmt::format("{}/bf16gemm/{}.co", isa::target(gpu.arch).name, file),
          .gpu = &gpu,
          .m = s.m,
          .n = s.n,
          .k = s.k};
}

void add_dense(std::vector<Contest>& all) {
  std::vector<GemmSize> sizes = {{2048, 2048, 2048}, {4096, 4096, 4096},  {8192, 8192, 8192},  {16384, 16384, 16384},
                                 {4864, 4096, 8256}, {8192, 6144, 18432}, {16384, 1280, 8192}, {1, 8192, 8192},
                                 {4, 8192, 8192},    {16, 8192, 8192},    {64, 8192, 8192}};
  for (const char* name : {"MI300X", "MI355X"})
    for (const GemmSize& s : sizes) {
      const isa::Gpu& gpu = *isa::find_gpu(name);
      Contest c{
          fmt::format("{} bf16{}", name, s.m <= 64 ? ", skinny" : ""), &gpu, s, ours(isa::Type::bf16), {}, "bf16"};
      for (const char* file :
           {"bf16gemm_fp32bf16_tn_64x64_splitk_clean", "bf16gemm_fp32bf16_tn_64x64_bshuffle_splitk_clean"})
        c.aiter.push_back(row(gpu, file, s));
      all.push_back(c);
    }
  for (const GemmSize& s : {sizes[1], sizes[2], sizes[3]}) {
    Contest c{"MI300X fp8", isa::find_gpu("MI300X"), s, ours(isa::Type::fp8), {}, "fp8"};
    c.request.epilogue.add(EpiloguePart::scale_a).add(EpiloguePart::scale_b);
    all.push_back(c);
  }
}

// rocm_wmma_gemm's own order, which has its best times. It sums in f16 where C is f16, ours always in f32.
void add_rdna3(std::vector<Contest>& all) {
  for (const char* name : {"RX 7900 GRE", "Radeon 8060S (Strix Halo)"})
    for (const char* type : {"half", "float"})
      for (const GemmSize& s :
           {GemmSize{2048, 2048, 2048}, {4096, 4096, 4096}, {4096, 5120, 5120}, {8192, 8192, 1024}}) {
        GemmRequest request{.input = isa::Type::f16, .output = isa::Type::f16, .trans_a = false, .trans_b = true};
        if (type == std::string_view("float")) request.output = isa::Type::f32;
        all.push_back({fmt::format("{} f16, D {}", name, isa::type_name(request.output)),
                       isa::find_gpu(name),
                       s,
                       request,
                       {},
                       type});
      }
}

// 30 of the shapes that aiter's tuner measured, over families, parts and times.
constexpr int measured_shapes = 30;
void add_measured(std::vector<Contest>& all, const std::string& facts, int most) {
  const std::map<std::string, GemmRequest> requests = [] {
    std::map<std::string, GemmRequest> r{{"i8gemm", ours(isa::Type::i8)},
                                         {"fp8gemm_blockscale", ours(isa::Type::fp8)},
                                         {"f4gemm", ours(isa::Type::fp4)}};
    r["i8gemm"].epilogue.add(EpiloguePart::scale_a_row).add(EpiloguePart::scale_b_col);
    r["fp8gemm_blockscale"].sum_scales_a = {128, false}, r["fp8gemm_blockscale"].sum_scales_b = {1, true};
    r["f4gemm"].block_scales = BlockScales::shuffled;
    for (auto& [family, request] : r) request.order_a = MatrixOrder::tiles;  // their B is shuffled too
    return r;
  }();
  std::vector<Measured> rows = measured_launches(facts);
  std::map<std::string, bool> seen;
  std::erase_if(rows, [&](const Measured& w) {
    Measured shape = w;
    shape.split = 1;
    return !requests.contains(w.family()) || !w.left_out.empty() || std::exchange(seen[shape.shape()], true);
  });
  for (const Measured& w :
       sample(rows, most, [](const Measured& x) { return std::tuple(x.family(), x.gpu->units, x.us); }))
    all.push_back(
        {fmt::format("{} {}", w.gpu->name, w.family()), w.gpu, {w.m, w.n, w.k}, requests.at(w.family()), {w}, ""});
}

std::vector<Time> times_of_peers(const Contest& c, const Sources& s, const AiterKernels& kernels) {
  std::vector<Time> times;
  const auto there = [](const std::string& file) { return std::filesystem::exists(file); };
  for (const Tensile& t : tensile_kernels()) {
    const auto file = fmt::format("{}/hipblaslt/{}.co", s.peers, t.file);
    if (c.gpu->arch != isa::Arch::gfx942 || c.dtype != t.dtype || !there(file)) continue;
    sim::Memory memory;
    const sim::Launch l = tensile_launch(t, {c.size.n, c.size.m, c.size.k}, memory);  // column-major
    times.push_back({fmt::format("hipBLASLt {}x{}", t.tile_m, t.tile_n), seconds_of(file, l, memory, *c.gpu)});
  }
  for (const uint32_t tile : {256u, 128u}) {
    const auto file = fmt::format("{}/hipkittens/{}_{}_{}x{}.{}x{}x{}.co", s.peers, c.dtype,
                                  isa::target(c.gpu->arch).name, tile, tile, c.size.m, c.size.n, c.size.k);
    if (!there(file)) continue;
    sim::Memory memory;
    const sim::Launch l = kittens_launch({"", tile, tile, 512}, c.size, memory);
    times.push_back({fmt::format("HipKittens {}x{}", tile, tile), seconds_of(file, l, memory, *c.gpu)});
  }
  for (const Rdna3Gemm& g : rdna3_gemms(s.peers, c.gpu->arch, c.dtype, "crr")) {
    if (c.size.m % g.tile_m || c.size.n % g.tile_n) continue;
    sim::Memory memory;
    times.push_back({g.name, seconds_of(g.file, rdna3_launch(g, c.dtype, c.size, memory), memory, *c.gpu)});
  }
  for (Measured w : c.aiter)
    for (const auto& [kernel, split] : candidates(w, kernels)) {
      if (!there(s.production + "/" + kernel.file)) continue;
      w.split = split;
      const Timed t = time_kernel(s.production, w, kernel, false);
      const size_t name = kernel.file.find_last_of('/') + 1;
      times.push_back({fmt::format("aiter {}{}", kernel.file.substr(name, kernel.file.size() - name - 3),
                                   split > 1 ? fmt::format(" / {}", split) : ""),
                       t.fault.empty() ? t.seconds : 0});
    }
  return times;
}

Time time_of_ours(const Contest& c) try {
  const isa::Arch arch = c.gpu->arch;
  const GemmProblem p{.m = c.size.n, .n = c.size.m, .k = c.size.k};
  const GemmPlan plan = plan_gemm(c.request, arch, p, {.gpu = c.gpu, .cache = "", .warm = false});
  timing::Options o;
  o.gpu = c.gpu, o.jobs = 1, o.warm = false;
  return {kernel_name(plan.config), choice::time_whole(plan.config, arch, p, o).seconds};
} catch (const std::exception& e) { return {e.what()}; }

void compete(std::vector<Match> all, const Sources& s, const Missing& missing) {
  std::erase_if(all, [&](const Match& m) { return m.name().find(s.problem) == std::string::npos; });
  if (s.most_rows) all = sample(all, s.most_rows, [](const Match& m) { return m.group; });
  fmt::print("\n{:<44} {:>9} {:>9} {:>6}  kernels\n", "competition", "best peer", "ours", "ratio");
  std::map<std::string, std::vector<double>> ratios;
  std::mutex printing;
  each(all.size(), s.jobs, [&](size_t i) {
    const Match& m = all[i];
    std::vector<Time> theirs = m.theirs();
    std::erase_if(theirs, [](const Time& t) { return t.seconds <= 0; });
    std::ranges::sort(theirs, {}, &Time::seconds);
    const Time own = theirs.empty() ? Time{} : m.ours();
    const std::string name = m.name();
    const std::lock_guard lock(printing);
    if (theirs.empty()) return fmt::print("{:<44} no kernel of others\n", name);
    if (own.seconds <= 0) return missing(fmt::format("competition: {}: {}", name, own.name));
    const double ratio = theirs.front().seconds / own.seconds;
    for (const std::string& group : {m.group, std::string("~ all")}) ratios[group].push_back(ratio);
    fmt::print("{:<44} {:>9.1f} {:>9.1f} {:>6.2f}  {}; {}\n", name, theirs.front().seconds * 1e6, own.seconds * 1e6,
               ratio, theirs.front().name, own.name);
    std::fflush(stdout);
  });
  if (ratios.empty()) return missing("competition: no kernel of others was run");
  fmt::print("\n{:<44} {:>9} {:>9} {:>9}\n", "competition: best peer / ours, microseconds", "shapes", "mean", "least");
  for (const auto& [group, r] : ratios) {
    double logs = 0;
    for (const double x : r) logs += std::log(x);
    fmt::print("{:<44} {:>9} {:>9.2f} {:>9.2f}\n", group == "~ all" ? "all" : group, r.size(),
               std::exp(logs / static_cast<double>(r.size())), std::ranges::min(r));
  }
}

bool has_folders(const Sources& s, const Missing& missing) {
  if (s.peers.empty()) missing("competition: no folder of kernels (--peers)");
  else if (s.production.empty()) missing("competition: no folder of aiter's kernels (--production)");
  return !s.peers.empty() && !s.production.empty();
}

}  // namespace

void validate_competition(const Sources& s, const Report&, const Missing& missing) {
  if (!has_folders(s, missing)) return;
  const AiterKernels kernels = aiter_kernels(s.production);
  std::vector<Contest> gemms;
  add_dense(gemms);
  add_rdna3(gemms);
  add_measured(gemms, s.facts, s.problems >= 0 ? s.problems : measured_shapes);
  std::vector<Match> all;
  for (const Contest& c : gemms)
    all.push_back({c.group, fmt::format("{}x{}x{}", c.size.m, c.size.n, c.size.k),
                   [&] { return times_of_peers(c, s, kernels); }, [&] { return time_of_ours(c); }});
  for (Match& m : mx_matches(s)) all.push_back(std::move(m));
  compete(std::move(all), s, missing);
}
void validate_attention_competition(const Sources& s, const Report&, const Missing& missing) {
  if (has_folders(s, missing)) compete(attention_matches(s), s, missing);
}
void validate_backward_competition(const Sources& s, const Report&, const Missing& missing) {
  if (has_folders(s, missing)) compete(backward_matches(s), s, missing);
}
void validate_decode_competition(const Sources& s, const Report&, const Missing& missing) {
  if (has_folders(s, missing)) compete(decode_matches(s), s, missing);
}

}  // namespace wavesmith::validation
