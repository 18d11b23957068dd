// The host's side of the GEMM: checks of the configuration, the kernel's name, the launch.
#include "kernels/gemm/gemm_kernel.h"
#include "kernels/plan/instructions.h"

namespace wavesmith {

using isa::Type;

void check(const GemmConfig& g, Arch arch) {
  const auto refuse = [](const std::string& what) { throw ConfigError("gemm: " + what); };
  if (!isa::info(Opcode::v_mfma_f32_32x32x8_f16).on(arch))
    refuse(fmt::format("target {} is not supported; legal: {}", isa::target(arch).name,
                       isa::archs_with(isa::info(Opcode::v_mfma_f32_32x32x8_f16))));
  if (g.input != Type::f16 && g.input != Type::bf16) refuse("A and B are f16 or bf16");
  if (g.output != Type::f16 && g.output != Type::bf16 && g.output != Type::f32) refuse("C and D are f16, bf16 or f32");
  if (g.block.k != gemm::block_k)
    refuse(fmt::format("tile {}x{}x{}: k is {}; legal: {}", g.block.m, g.block.n, g.block.k, g.block.k, gemm::block_k));
  const auto power = [](int v, int low, int high) { return v >= low && v <= high && (v & (v - 1)) == 0; };
  if (!power(g.block.m, 64, 256) || !power(g.block.n, 64, 256))
    refuse(fmt::format("tile {}x{}x{}: m and n are 64, 128 or 256", g.block.m, g.block.n, g.block.k));
  if (g.waves_m * g.waves_n != gemm::waves || !power(g.waves_m, 1, gemm::waves))
    refuse(fmt::format("{}x{} waves; legal: 1x4, 2x2, 4x1", g.waves_m, g.waves_n));
  const auto legal = matrix_instructions(g, arch);
  if (legal.empty())
    refuse(fmt::format(
        "A and B of {} on {}, which has no matrix instruction with 4, 8 or 16 bytes of them per lane; legal: {}",
        gemm::name_of(g.input), isa::target(arch).name, gemm::name_of(g.input == Type::bf16 ? Type::f16 : Type::bf16)));
  if (g.mma && std::ranges::find(legal, *g.mma) == legal.end()) {
    std::string names;
    for (const Opcode op : legal) names += fmt::format(" {}", isa::mnemonic(op, arch));
    refuse(fmt::format("matrix instruction {}; legal on {} with {}:{}", isa::mnemonic(*g.mma, arch),
                       isa::target(arch).name, gemm::name_of(g.input), names));
  }
  const Opcode mma = g.mma.value_or(legal.front());
  if (g.schedule == GemmSchedule::interleaved && isa::info(mma).matrix.m == 16)
    refuse(fmt::format(
        "schedule interleaved with {}, whose LDS reads all follow the barrier, so that there is nothing to interleave "
        "with them; legal: schedule staged, or a 32x32 instruction",
        isa::mnemonic(mma, arch)));
  const int wm = g.block.m / g.waves_m, wn = g.block.n / g.waves_n;
  if (wm < 32 || wn < 32 || wm * wn > 128 * 128)
    refuse(fmt::format("tile {}x{} over {}x{} waves is {}x{} per wave; legal: 32x32 to 128x128", g.block.m, g.block.n,
                       g.waves_m, g.waves_n, wm, wn));
  const auto lds = [&](int stages) {
    const auto bytes = [&](int rows, bool k_contiguous) {
      return gemm::TileOperand{.name = "", .k_contiguous = k_contiguous, .rows = rows, .stages = stages}.lds_bytes();
    };
    return bytes(g.block.m, g.trans_a) + bytes(g.block.n, !g.trans_b);
  };
  int most = 4;
  while (most > 2 && lds(most) > isa::target(arch).lds_bytes) --most;
  if (g.stages < 2 || g.stages > most)
    refuse(
        fmt::format("{} stages, each of a tile {}x{}x{} of A and B in {} bytes of LDS; legal: {} ({} has "
                    "{} bytes)",
                    g.stages, g.block.m, g.block.n, g.block.k, lds(1), most == 2 ? "2" : fmt::format("2 to {}", most),
                    isa::target(arch).name, isa::target(arch).lds_bytes));
  const auto& wide_load = isa::info(Opcode::global_load_lds_dwordx4);
  if (g.schedule == GemmSchedule::direct && !wide_load.on(arch))
    refuse(fmt::format("schedule direct on {}; legal: {}", isa::target(arch).name, isa::archs_with(wide_load)));
  if (g.schedule == GemmSchedule::direct && !(g.trans_a && !g.trans_b))
    refuse("schedule direct with A or B not contiguous along k; legal: transa t, transb n");
  if (g.split_k < 1 || g.split_k > 64) refuse(fmt::format("split_k is {}; legal: 1 to 64", g.split_k));
  if (g.split_k > 1 && g.output != Type::f32)
    refuse(fmt::format("split_k is {} with D of {}, but workgroups add to D in memory; legal: f32", g.split_k,
                       gemm::name_of(g.output)));
  if (g.split_k > 1 && (g.epilogue.bias || g.epilogue.activation != Activation::none))
    refuse(fmt::format("split_k is {} with an epilogue, but no workgroup has the whole sum; legal: no epilogue",
                       g.split_k));
}

std::vector<Opcode> matrix_instructions(const GemmConfig& g, Arch arch) {
  const plan::Elem type = plan::elem(g.input, plan::traits(arch));
  const auto can = [&](const plan::Candidate&
                           c) {  // k_base: elements of a lane; 16 bytes from LDS hold one, two or four such operands
    return c.row->matrix.kind == isa::MatrixKind::mfma && c.a == type && c.b == type && c.d == plan::Elem::f32 &&
           !c.scale_block && c.per_step == 1 && c.m == c.n && (c.m == 32 || c.m == 16) &&
           (c.k_base == 2 || c.k_base == 4 || c.k_base == 8);
  };
  std::vector<Opcode> all;
  for (const plan::Candidate& c : plan::candidates(arch))
    if (can(c)) all.push_back(plan::opcode(c));
  return all;
}

const char* name_of(GemmSchedule s) {
  return s == GemmSchedule::staged ? "staged" : s == GemmSchedule::interleaved ? "interleaved" : "direct";
}
const char* name_of(Activation a) {
  return a == Activation::relu ? "relu" : a == Activation::gelu ? "gelu" : a == Activation::silu ? "silu" : "none";
}

std::string kernel_name(const GemmConfig& g) {
  std::string name =
      fmt::format("gemm_{}_{}_{}{}_{}x{}x{}_{}x{}", gemm::name_of(g.input), gemm::name_of(g.output),
                  g.trans_a ? 't' : 'n', g.trans_b ? 't' : 'n', g.block.m, g.block.n, g.block.k, g.waves_m, g.waves_n);
  if (g.mma) name += fmt::format("_mma{0}x{0}x{1}", isa::info(*g.mma).matrix.m, isa::info(*g.mma).matrix.k);
  if (g.stages != 2) name += fmt::format("_stages{}", g.stages);
  if (g.schedule != GemmSchedule::staged) name += fmt::format("_{}", name_of(g.schedule));
  if (g.epilogue.bias) name += "_bias";
  if (g.epilogue.activation != Activation::none) name += fmt::format("_{}", name_of(g.epilogue.activation));
  if (g.split_k > 1) name += fmt::format("_split{}", g.split_k);
  return name;
}

KernelLaunch launch(const GemmConfig& g, const GemmProblem& p, const GemmPointers& at) {
  // Lanes address `lines` columns of a matrix with 32-bit offsets; the highest offsets mean "out of range".
  const auto need = [](const char* name, uint32_t ld, uint32_t rows, uint64_t lines, Type type) {
    const uint64_t most =
        (UINT64_C(0xffffffff) - 4096) / (std::max<uint64_t>(lines, 1) * static_cast<uint64_t>(isa::bits(type)) / 8);
    if (ld < std::max(rows, 1u))
      throw ConfigError(fmt::format("gemm: {} is {}; legal: {} or more", name, ld, std::max(rows, 1u)));
    if (ld > most) throw ConfigError(fmt::format("gemm: {} is {}; legal: {} or less with this tile", name, ld, most));
  };
  const auto block = [](uint32_t extent, int tile) { return std::min<uint64_t>(extent, static_cast<uint64_t>(tile)); };
  const uint64_t columns = block(p.n, g.block.n / g.waves_n);
  need("lda", p.lda, g.trans_a ? p.k : p.m, g.trans_a ? block(p.m, g.block.m) : block(p.k, g.block.k), g.input);
  need("ldb", p.ldb, g.trans_b ? p.n : p.k, g.trans_b ? block(p.k, g.block.k) : block(p.n, g.block.n), g.input);
  need("ldd", p.ldd, p.m, columns, g.output);
  if (p.beta != 0) need("ldc", p.ldc, p.m, columns, g.output);
  if (g.split_k > 1 && uint64_t{p.batch} * static_cast<uint64_t>(g.split_k * g.split_k) >>
                           32)  // z of the grid is divided by a reciprocal
    throw ConfigError(fmt::format("gemm: {} batches with split_k {}; legal: less than {}", p.batch, g.split_k,
                                  (UINT64_C(1) << 32) / static_cast<uint64_t>(g.split_k * g.split_k)));
  KernelLaunch out;
  out.grid = {(p.m + g.block.m - 1) / g.block.m, (p.n + g.block.n - 1) / g.block.n,
              p.batch * static_cast<uint32_t>(g.split_k)};
  out.block[0] = gemm::lanes;
  const uint64_t blocks = (uint64_t{p.k} + gemm::block_k - 1) / gemm::block_k, parts = static_cast<uint64_t>(g.split_k);
  out.kernargs = kernarg_bytes(gemm::GemmArguments{.d = {at.d},
                                                   .c = {at.c},
                                                   .a = {at.a},
                                                   .b = {at.b},
                                                   .stride_d = p.stride_d,
                                                   .stride_c = p.stride_c,
                                                   .stride_a = p.stride_a,
                                                   .stride_b = p.stride_b,
                                                   .m = p.m,
                                                   .n = p.n,
                                                   .k = p.k,
                                                   .lda = p.lda,
                                                   .ldb = p.ldb,
                                                   .ldc = p.ldc,
                                                   .ldd = p.ldd,
                                                   .alpha = p.alpha,
                                                   .beta = p.beta,
                                                   .bias = {at.bias},
                                                   .k_per_split = static_cast<uint32_t>(std::min<uint64_t>(
                                                       (blocks + parts - 1) / parts * gemm::block_k, UINT32_MAX))},
                               g);
  return out;
}

}  // namespace wavesmith
