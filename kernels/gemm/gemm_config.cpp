// What a GEMM's configuration means: its types, its instructions, the names of schedules and kernels.
#include <cctype>

#include "kernels/gemm/gemm_kernel.h"
#include "kernels/plan/instructions.h"

namespace wavesmith {

using isa::Type;

isa::Type type_of_b(const GemmConfig& g) { return g.input_b.value_or(g.input); }
namespace {
bool is_half(Type t) { return t == Type::f16 || t == Type::bf16; }
}  // namespace
bool has_weights(const GemmConfig& g) {
  const Type a = g.input, b = type_of_b(g);
  return (a == Type::i4 && is_half(b)) || (b == Type::i4 && is_half(a));
}
isa::Type multiplied_a(const GemmConfig& g) {
  if (g.split_f32) return Type::bf16;
  return has_weights(g) && g.input == Type::i4 ? type_of_b(g) : g.input;
}
isa::Type multiplied_b(const GemmConfig& g) { return has_weights(g) || g.split_f32 ? multiplied_a(g) : type_of_b(g); }
int parts_of(const GemmConfig& g) { return g.split_f32 ? split_parts : 1; }
int products_of(const GemmConfig& g) { return g.split_f32 ? split_products : 1; }
isa::Type accumulated(const GemmConfig& g) {
  const Type a = multiplied_a(g);
  return a == Type::f64 ? Type::f64 : a == Type::i8 || a == Type::i4 ? Type::i32 : Type::f32;
}
isa::Type scaled_as(const GemmConfig& g) {
  return g.input == Type::f64 ? Type::f64 : g.output == Type::i32 ? Type::i32 : Type::f32;
}
bool can_add_to_d(const GemmConfig& g, Arch arch) {
  return g.output == accumulated(g) && isa::info(gemm::atomic_add(g.output)).on(arch) && g.epilogue.is_plain();
}
bool adds_to_d(const GemmConfig& g) { return g.split_k > 1 && g.reduction == Reduction::atomic; }
uint64_t whole_tiles(const GemmConfig& g, uint64_t tiles) {
  const auto round = static_cast<uint64_t>(g.stream_k);
  return round ? tiles / round * round : 0;
}
bool has_workspace(const GemmConfig& g) { return g.split_k > 1 && g.reduction == Reduction::ordered; }
int rows_of_d(const GemmConfig& g) { return g.block.m / g.epilogue.halves(); }
int block_k(Type input) { return 2 * gemm::default_chunks * chunk_k(input); }
int line_k(const GemmConfig& g) { return std::min(block_k(multiplied_a(g)), block_k(multiplied_b(g))); }
int block_k(const GemmConfig& g, Arch arch) {
  const auto legal = g.mma ? std::vector{*g.mma} : matrix_instructions(g, arch);
  if (legal.empty()) return block_k(g.input);  // check() says what is wrong
  const Atom& atom = Atom::of(legal.front(), arch, multiplied_a(g), multiplied_b(g));
  if (g.split_f32)  // LDS holds three of them; waves of 64 lanes load rows of 64 bytes
    return 2 * std::max(chunk_k(Type::bf16) * (isa::target(arch).wave_size == 64 ? 4 : 2), atom.k_of_fragment());
  return std::max(2 * gemm::slice_k(atom), g.block_scales == BlockScales::shuffled ? 256 : 0);
}

std::vector<Opcode> matrix_instructions(const GemmConfig& g, Arch arch) {
  // All 128 k of a sum with scales by one instruction: few sums are under way.
  const auto has_whole_sum = [&](const plan::InstructionCandidate& c) {
    const isa::Matrix& x = c.row->matrix;
    const bool has_own = x.kind == isa::MatrixKind::wmma && x.a == Type::f8f6f4;  // others are of these two types
    return (g.sum_scales_a.rows || g.sum_scales_b.rows) && x.k == sum_scale_k && !has_own;
  };
  const auto can = [&](const plan::InstructionCandidate& c) {
    const isa::Matrix& x = c.row->matrix;
    const bool scaled = g.block_scales != BlockScales::none;
    if (c.scale_block != (scaled ? 32 : 0) || c.per_step != 1 || x.m != x.n || (x.m != 32 && x.m != 16) ||
        x.d != accumulated(g) || !multiplies(x, multiplied_a(g), multiplied_b(g)))
      return false;
    if (by_32_rows(g.block_scales) && (g.block_scales == BlockScales::shuffled) != (x.kind == isa::MatrixKind::mfma))
      return false;
    return scaled || has_whole_sum(c) ||
           Atom::of(plan::opcode(c), arch, multiplied_a(g), multiplied_b(g)).a.row_chunks <= gemm::default_chunks;
  };
  std::vector<Opcode> all;
  for (const bool whole : {false, true})
    for (const plan::InstructionCandidate& c : plan::candidates(arch))
      if (can(c) && has_whole_sum(c) == whole) all.push_back(plan::opcode(c));
  // Shuffled scales are in the order of 16x16x128. But where that takes all k of a line, fragments of two lines leave
  // no registers for large tiles.
  if (g.block_scales == BlockScales::shuffled)
    std::ranges::stable_sort(all, {}, [&](Opcode op) {
      const Atom& atom = Atom::of(op, arch, multiplied_a(g), multiplied_b(g));
      return std::pair(line_k(g) < 2 * atom.depth, atom.extent);
    });
  if (!all.empty() || g.block_scales != BlockScales::none || multiplied_a(g) != multiplied_b(g)) return all;
  if (const auto op = multiply_add(multiplied_a(g))) all.push_back(*op);
  return all;
}

double flops_per_clock(const GemmConfig& g, Opcode op, Arch arch) {
  return flops_per_clock(op, arch, multiplied_a(g), multiplied_b(g));
}
const isa::Info* needed_by(GemmSchedule s) {
  return s == GemmSchedule::direct || s == GemmSchedule::refill ? &isa::info(Opcode::global_load_lds_dwordx4)
         : s == GemmSchedule::tensor                            ? &isa::info(Opcode::tensor_load_to_lds)
                                                                : nullptr;
}

const char* name_of(BlockScales s) {
  return s == BlockScales::tiles      ? "tiles"
         : s == BlockScales::shuffled ? "shuffled"
         : s == BlockScales::plain    ? "plain"
                                      : "none";
}
const char* name_of(GemmSchedule s) {
  return s == GemmSchedule::staged        ? "staged"
         : s == GemmSchedule::interleaved ? "interleaved"
         : s == GemmSchedule::refill      ? "refill"
         : s == GemmSchedule::stream      ? "stream"
         : s == GemmSchedule::tensor      ? "tensor"
                                          : "direct";
}

const char* name_of(Ragged r) { return r == Ragged::m ? "m" : r == Ragged::n ? "n" : r == Ragged::k ? "k" : "none"; }
const char* name_of(Offsets o) { return o == Offsets::i64 ? "i64" : "i32"; }

namespace {
// In a name of letters, digits and underscores: clamp:-1.5:6 is clamp_m1p5_6.
std::string symbol(std::string word) {
  const size_t numbers = std::min(word.find(':'), word.size());
  for (size_t i = 0; i < word.size(); ++i)
    word[i] = word[i] == '.'                                      ? 'p'
              : word[i] == '-' && i > numbers                     ? 'm'
              : std::isalnum(static_cast<unsigned char>(word[i])) ? word[i]
                                                                  : '_';
  return word;
}
}  // namespace

std::string kernel_name(const GemmConfig& g) {
  std::string name = fmt::format(
      "gemm_{0}{1}{2}_{3}_{4}{5}_{6}x{7}x{8}_{9}x{10}", g.block_scales == BlockScales::none ? "" : "mx",
      isa::type_name(g.input), type_of_b(g) == g.input ? "" : isa::type_name(type_of_b(g)), isa::type_name(g.output),
      g.trans_a ? 't' : 'n', g.trans_b ? 't' : 'n', g.block.m, g.block.n, g.block.k, g.waves_m, g.waves_n);
  if (g.mma && isa::info(*g.mma).is_matrix())
    name += fmt::format("_mma{0}x{0}x{1}", isa::info(*g.mma).matrix.m, isa::info(*g.mma).matrix.k);
  if (by_32_rows(g.block_scales)) name += g.block_scales == BlockScales::tiles ? "_tiledscales" : "_shuffled";
  for (const auto& [operand, how] : {std::pair('a', g.sum_scales_a), {'b', g.sum_scales_b}})
    if (how.rows) name += fmt::format("_{}{}", operand, symbol(name_of(how)));
  if (g.split_f32) name += "_bf16x3";
  if (g.order_a == MatrixOrder::tiles) name += "_atiles";
  if (g.order_b == MatrixOrder::tiles) name += "_btiles";
  if (has_weights(g))
    name += fmt::format("_group{}{}{}", g.groups.size, g.groups.zero_points ? "z" : "", g.groups.transposed ? "t" : "");
  if (g.stages != 2) name += fmt::format("_stages{}", g.stages);
  if (g.schedule != GemmSchedule::staged) name += fmt::format("_{}", name_of(g.schedule));
  if (g.cluster.groups() > 1) name += fmt::format("_cluster{}x{}", g.cluster.m, g.cluster.n);
  if (g.prefetch) name += fmt::format("_prefetch{}", g.prefetch);
  for (const std::string& word : g.epilogue.words()) name += "_" + symbol(word);
  if (g.epilogue.alpha_on_device) name += "_alpha";
  if (g.epilogue.beta_on_device) name += "_beta";
  if (g.split_k > 1) name += fmt::format("_split{}{}", g.split_k, has_workspace(g) ? "_ordered" : "");
  if (g.stream_k) name += fmt::format("_stream{}", g.stream_k);
  if (g.persistent) name += fmt::format("_persistent{}", g.persistent);
  if (g.ragged != Ragged::none)
    name += fmt::format("_groups_{}{}", name_of(g.ragged), g.offsets == Offsets::i64 ? "_i64" : "");
  if (!g.order.plain()) name += fmt::format("_{}", name_of(g.order));
  return name;
}

}  // namespace wavesmith
