// MX products on gfx1250 beside aiter's, whose workgroups stay until all tiles are done. Its A and B stand in
// tiles, ours in rows.
#include <fmt/format.h>

#include <filesystem>

#include "choice/plan_gemm.h"
#include "choice/time_gemm.h"
#include "isa_tables/names.h"
#include "tests/support/aiter_launch.h"
#include "tests/validation/competition.h"

namespace wavesmith::validation {
namespace {

struct MxKernel {
  const char* file;
  uint32_t tile_m, tile_n;
  aiter::Cluster cluster;
};
struct MxContest {
  isa::Type a, b;
  std::vector<MxKernel> kernels;
};
struct MxSize {
  uint32_t m, n, k;
};

std::vector<Time> mx_of_peers(const MxContest& c, const MxSize& s, const isa::Gpu& gpu, const Sources& from) {
  std::vector<Time> times;
  for (const MxKernel& kernel : c.kernels) {
    const std::string file = fmt::format("{}/gfx1250/{}", from.production, kernel.file);
    if (!std::filesystem::exists(file) || s.n % (kernel.tile_n * kernel.cluster.x) ||
        s.m % (kernel.tile_m * kernel.cluster.y))
      continue;
    sim::Memory memory;
    const uint64_t of_a = uint64_t{s.k} * static_cast<uint32_t>(isa::bits(c.a)) / 8,
                   of_b = uint64_t{s.k} * static_cast<uint32_t>(isa::bits(c.b)) / 8;
    const aiter::Gemm g{s.m, s.n, s.k, kernel.tile_m, kernel.tile_n};
    const aiter::GemmBuffers p{.d = memory.allocate(uint64_t{s.m} * s.n * 2, "D"),
                               .a = memory.allocate(s.m * of_a, "A"),
                               .b = memory.allocate(s.n * of_b, "B"),
                               .a_scales = memory.allocate(uint64_t{s.m} * s.k / 32, "A scales"),
                               .b_scales = memory.allocate(uint64_t{s.n} * s.k / 32, "B scales")};
    const sim::Launch l = c.a == isa::Type::fp4 ? aiter::mxfp4_gemm(g, p, kernel.cluster)
                                                : aiter::mx_gemm(g, p, static_cast<uint32_t>(of_b), kernel.cluster);
    times.push_back({fmt::format("aiter {}", std::filesystem::path(file).stem().string()),
                     seconds_of(file, l, memory, gpu, 2.0 * s.m * s.n * s.k)});
  }
  return times;
}

// Column-major: op(A) is their B.
Time mx_of_ours(const MxContest& c, const MxSize& s, const isa::Gpu& gpu) try {
  const GemmProblem p{.m = s.n, .n = s.m, .k = s.k};
  GemmRequest request{.input = c.b, .output = isa::Type::bf16, .trans_a = true, .trans_b = false};
  request.block_scales = BlockScales::tiles;
  if (c.a != c.b) request.input_b = c.a;
  const GemmPlan plan = plan_gemm(request, gpu.arch, p, {.gpu = &gpu, .cache = "", .warm = false});
  timing::Options o;
  o.gpu = &gpu, o.jobs = 1, o.warm = false;
  return {kernel_name(plan.config), choice::time_whole(plan.config, gpu.arch, p, o).seconds};
} catch (const std::exception& e) { return {e.what()}; }

}  // namespace

std::vector<Match> mx_matches(const Sources& from) {
  constexpr aiter::Cluster squares{4, 4}, columns{4, 1};
  static const std::vector<MxContest> contests{
      {isa::Type::fp4,
       isa::Type::fp4,
       {{"f4gemm/f4gemm_bf16_mxfp4_ABpreShuffle_256x256_4x4_ps.co", 256, 256, squares}}},
      {isa::Type::fp8,
       isa::Type::fp8,
       {{"mxfp8fp4gemm/f8gemm_bf16_mxfp8fp8_ABpreShuffle_256x256_4x4_ps.co", 256, 256, squares},
        {"mxfp8fp4gemm/f8gemm_bf16_mxfp8fp8_ABpreShuffle_64x512_4x1_ps.co", 64, 512, columns}}},
      {isa::Type::fp8,
       isa::Type::fp4,
       {{"mxfp8fp4gemm/f8gemm_bf16_mxfp8fp4_ABpreShuffle_256x256_4x4_ps.co", 256, 256, squares},
        {"mxfp8fp4gemm/f8gemm_bf16_mxfp8fp4_ABpreShuffle_64x512_4x1_ps.co", 64, 512, columns}}}};
  const isa::Gpu& gpu = *isa::find_gpu("MI455X");
  std::vector<Match> all;
  for (const MxContest& c : contests)
    for (const MxSize& s :
         {MxSize{64, 8192, 8192}, {4096, 4096, 4096}, {8192, 8192, 8192}, {8192, 6144, 18432}, {16384, 2048, 8192}})
      all.push_back({fmt::format("MI455X mx{} by mx{}", isa::type_name(c.a), isa::type_name(c.b)),
                     fmt::format("{}x{}x{}", s.m, s.n, s.k),
                     [&c, s, &gpu, &from] { return mx_of_peers(c, s, gpu, from); },
                     [&c, s, &gpu] { return mx_of_ours(c, s, gpu); }});
  return all;
}

}  // namespace wavesmith::validation
