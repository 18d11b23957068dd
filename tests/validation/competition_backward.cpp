// Attention backward: 4 batches of 16 heads, tensors [batch][row][head][column], beside aiter's launches: zeros for the
// sums of dQ (its host code asks torch for them); D = rowsum(dO O); dK, dV and f32 sums of dQ by atomics; dQ to bf16.
// For the zeros stands a kernel that only stores, 16 bytes a lane; our delta kernel stores ours.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "generator/dsl/arguments.h"
#include "kernels/attention/backward.h"
#include "tests/support/aiter_launch.h"
#include "tests/validation/competition.h"
#include "tests/validation/peers.h"

namespace wavesmith::validation {
namespace {

struct Gradients {
  uint64_t o, d_o, q, k, v, dq, dk, dv, lse, rows, sums;
};
Gradients allocate(const AttentionShape& a, sim::Memory& m) {
  const uint64_t rows = uint64_t{a.batch} * a.heads * a.queries, bytes = rows * a.dim * 2;
  const auto tensor = [&](const char* name, uint64_t size) { return m.allocate(size, name); };
  return {tensor("O", bytes),      tensor("dO", bytes),      tensor("Q", bytes),       tensor("K", bytes),
          tensor("V", bytes),      tensor("dQ", bytes),      tensor("dK", bytes),      tensor("dV", bytes),
          tensor("LSE", 4 * rows), tensor("rows", 8 * rows), tensor("sums", 2 * bytes)};
}

struct Zeros {
  DevicePointer to;
  void list(auto&& add) { add("to", to); }
};
double seconds_of_zeros(uint64_t to, uint64_t bytes, sim::Memory& memory, const isa::Gpu& gpu) {
  constexpr int lanes = 256, store = 16;
  Kernel kernel("zeros", gpu.arch, lanes);
  Stream& k = kernel.k;
  Arguments<Zeros> args(kernel);
  const auto base = args.registers(&Zeros::to, &Zeros::to);
  const auto zero = kernel.r.v.alloc(4, "zeros", 4), at = kernel.r.v.alloc(1, "address");
  const auto first = kernel.r.s.alloc(1, "first of the workgroup");
  kernel.load(base);
  k.s_mul_i32(first, kernel.workgroup[0], lanes * store);
  k.v_lshl_add_u32(at, kernel.workitem, 4, first);
  for (int i = 0; i < 4; ++i) k.v_mov_b32(zero[i], 0);
  k.global_store_dwordx4(at, zero, base[&Zeros::to]);
  k.s_endpgm();
  KernelLaunch launch{.grid = {static_cast<uint32_t>(bytes / (lanes * store)), 1, 1}, .block = {lanes, 1, 1}};
  launch.kernargs.resize(sizeof(to));
  std::memcpy(launch.kernargs.data(), &to, sizeof(to));
  return seconds_of(lower(std::move(kernel)), launch, memory, gpu);
}

// As tests/production/production_backward_test.cpp launches them, which compares their results.
Time time_of_aiter(const AttentionShape& a, const isa::Gpu& gpu, const std::string& folder, const std::string& kind) {
  const uint32_t head = a.dim * 2, row = a.heads * head, n = a.queries,
                 tile = gpu.arch == isa::Arch::gfx950 && a.dim == 128 ? 256 : 192;
  sim::Memory memory;
  const Gradients g = allocate(a, memory);
  double seconds = seconds_of_zeros(g.sums, uint64_t{4} * a.batch * a.heads * a.queries * a.dim, memory, gpu);
  const auto run = [&](const std::string& name, aiter::Arguments&& args, uint32_t x, double flops) {
    const std::string file = fmt::format("{}/bwd_hd{}_{}.co", folder, a.dim, name);
    args.bytes.resize(1024);  // the rest are zeros
    const double s = std::filesystem::exists(file)
                         ? seconds_of(file, aiter::launch(std::move(args), x, a.heads, a.batch), memory, gpu, flops)
                         : 0;
    seconds = s > 0 && seconds >= 0 ? seconds + s : -1;
  };
  const bool rounds = gpu.arch == isa::Arch::gfx942;
  aiter::Arguments delta, main, convert;
  delta.slots<uint64_t>(0, {g.o, g.d_o, g.rows});
  delta.slots<uint32_t>(48, {head, n * row, row, head, n * row, row, n * 4, a.heads * n * 4, 4, n, a.dim});
  run("odo_bf16", std::move(delta), (n + 127) / 128, 0);
  main.slots<uint64_t>(0, {g.sums, g.dk, g.dv, g.q, g.k, g.v, g.d_o, g.lse, g.rows});
  main.slots<float>(0x90, {static_cast<float>(1 / std::sqrt(static_cast<double>(a.dim))), 1.44269504f});
  main.slots<uint32_t>(0xb0, {n, tile * row, head, n * row, row, 1, head, n * row, row, row, n, a.dim, a.dim, a.heads});
  main.slots<uint32_t>(0x190, {head, n * row, row, head, n * row, row, head, n * row, head, n * row, row, n * 4});
  main.slots<uint32_t>(0x290, {n, 0, 0});
  const uint32_t tiles = (n + tile - 1) / tile;
  run(kind, std::move(main), a.causal ? (tiles + 1) / 2 : tiles,
      10.0 * a.batch * a.heads * n * n * a.dim * (a.causal ? 0.5 : 1));
  convert.slots<uint64_t>(0, {g.sums, g.dq});
  convert.slots<uint32_t>(0x20, {n * a.dim * 4, a.heads * n * a.dim * 4, a.dim * 4, head, n * row, row, n, a.dim});
  run(fmt::format("dq_convert_bf16{}", rounds ? "_rtne" : ""), std::move(convert), (n + 63) / 64, 0);
  return {"aiter " + kind, std::max(seconds, 0.0)};
}
std::vector<Time> backward_of_peers(const AttentionShape& a, const isa::Gpu& gpu, const Sources& s) {
  const std::string folder = fmt::format("{}/{}/fmha_v3_bwd", s.production, isa::target(gpu.arch).name);
  std::vector<Time> times;
  for (const char* kind : {"a32_rtne_psskddv", "a32_psskddv", "a32_rtne_pssk"}) {
    const std::string name = fmt::format("bf16{}_{}", a.causal ? "_causal" : "", kind);
    if (std::filesystem::exists(fmt::format("{}/bwd_hd{}_{}.co", folder, a.dim, name)))
      times.push_back(time_of_aiter(a, gpu, folder, name));
  }
  return times;
}

Time backward_of_ours(const AttentionShape& a, const isa::Gpu& gpu) try {
  const AttentionBackwardConfig c{.head_dim = static_cast<int>(a.dim), .reduction = Reduction::atomic};
  AttentionBackwardProblem p;
  p.batch = a.batch, p.heads = a.heads, p.kv_heads = a.kv_heads, p.queries = a.queries, p.keys = a.keys;
  p.mask = a.causal ? Mask::bottom_right : Mask::none;
  sim::Memory memory;
  const Gradients g = allocate(a, memory);
  const AttentionBackward kernels = build_attention_backward(c, gpu.arch);
  const auto launches = launch(kernels, p,
                               {.o = g.o,
                                .d_o = g.d_o,
                                .q = g.q,
                                .k = g.k,
                                .v = g.v,
                                .lse = g.lse,
                                .dq = g.dq,
                                .dk = g.dk,
                                .dv = g.dv,
                                .rows = g.rows,
                                .dq_sums = g.sums});
  double seconds = 0;
  for (size_t i = 0; i < launches.size(); ++i)
    seconds += seconds_of(kernels.kernels[i].program, launches[i], memory, gpu);
  return {kernels.kernels[1].program.name, seconds};
} catch (const std::exception& e) { return {e.what()}; }

}  // namespace

std::vector<Match> backward_matches(const Sources& s) {
  std::vector<Match> all;
  for (const char* name : {"MI300X", "MI355X"})
    for (const uint32_t dim : {128u, 64u})
      for (const bool causal : {false, true})
        for (const uint32_t length : {1024u, 2048u, 4096u, 8192u, 16384u}) {
          const isa::Gpu& gpu = *isa::find_gpu(name);
          const AttentionShape a{4, 16, 16, length, length, causal, dim, dim};
          all.push_back(
              {fmt::format("{} backward d{}", name, dim), fmt::format("{}k{}", length / 1024, causal ? " causal" : ""),
               [a, &gpu, &s] { return backward_of_peers(a, gpu, s); }, [a, &gpu] { return backward_of_ours(a, gpu); }});
        }
  return all;
}

}  // namespace wavesmith::validation
