// What an attention configuration means: its schedule and plan, what is legal, the kernel's name.
#include <bit>

#include "kernels/attention/attention_kernel.h"

namespace wavesmith {

using attention::refuse;
using isa::Type;

void attention::refuse(const std::string& what) { throw ConfigError("attention: " + what); }

const char* name_of(AttentionSchedule s) {
  return s == AttentionSchedule::pipelined ? "pipelined" : s == AttentionSchedule::decode ? "decode" : "sequential";
}

namespace attention {
bool loads_to_lds(Arch arch) { return has(Opcode::global_load_lds_dwordx4, arch) && has(transposing, arch); }
std::optional<Opcode> transposing_on(Arch arch) {
  for (const Opcode op : {transposing, Opcode::ds_load_tr16_b128})
    if (has(op, arch)) return op;
  return {};
}
namespace {
bool moves_tiles(Arch arch) { return has(Opcode::tensor_load_to_lds, arch); }
}  // namespace
}  // namespace attention

namespace {
bool only_windows(const AttentionConfig& c) {
  return !c.scores.empty() && std::ranges::all_of(c.scores, &ScoreMod::only_masks_band) && !c.bias && !c.documents;
}
}  // namespace

// The fragments of a whole tile fit the registers, and products run beside the softmax without copies.
bool can_pipeline(const AttentionConfig& c, Arch arch) {
  const auto one_or_both = [](int dim) { return dim == 64 || dim == 128; };
  const bool widened = (c.q_type || c.kv_type) && !c.fp8_products;
  // Registers are left for one change that keeps something.
  const bool changes = !c.mx && !c.scale_rows.kv && !c.prefix && !attention::moves_tiles(arch) &&
                       std::ranges::count_if(c.scores, &ScoreMod::keeps) <= 1;
  if ((!c.scores.empty() && !changes) || c.bias || c.documents || c.dropout || c.page_size || widened) return false;
  const bool scalars_suffice = !(c.fp8_products && c.sequences == Sequences::packed && c.prefix);
  if (attention::moves_tiles(arch))
    return scalars_suffice && !c.mx && !c.scale_rows.kv && one_or_both(c.head_dim) && one_or_both(c.dim_v());
  return isa::target(arch).unified && (one_or_both(c.head_dim) || c.head_dim == 192) && one_or_both(c.dim_v());
}
AttentionSchedule schedule_of(const AttentionConfig& c, Arch arch) {
  return c.schedule.value_or(can_pipeline(c, arch) ? AttentionSchedule::pipelined : AttentionSchedule::sequential);
}

bool masks_bands(const AttentionConfig& c, Arch arch) {
  return only_windows(c) && schedule_of(c, arch) == AttentionSchedule::pipelined;
}
bool changes_scores(const AttentionConfig& c, Arch arch) {
  return (!c.scores.empty() && !masks_bands(c, arch)) || c.bias || c.documents;
}

namespace attention {
namespace {

// The matrix instructions that attention is made of, in the order of preference.
constexpr Opcode instructions[] = {
    Opcode::v_mfma_f32_32x32x16_bf16,       Opcode::v_mfma_f32_32x32x8_bf16,      Opcode::v_mfma_f32_32x32x4bf16,
    Opcode::v_mfma_f32_32x32x16_f16,        Opcode::v_mfma_f32_32x32x8_f16,       Opcode::v_wmma_f32_16x16x32_bf16,
    Opcode::v_wmma_f32_16x16x32_f16,        Opcode::v_wmma_f32_16x16x16_bf16,     Opcode::v_wmma_f32_16x16x16_f16,
    Opcode::v_wmma_f32_16x16x16_bf16_gfx11, Opcode::v_wmma_f32_16x16x16_f16_gfx11};

constexpr Opcode fp8_instructions[] = {Opcode::v_mfma_f32_32x32x64_f8f6f4, Opcode::v_mfma_f32_32x32x16_fp8_fp8,
                                       Opcode::v_wmma_f32_16x16x64_fp8_fp8, Opcode::v_wmma_f32_16x16x16_fp8_fp8};

// Of 16 rows, for latent keys of few rows.
constexpr Opcode narrow_instructions[] = {Opcode::v_mfma_f32_16x16x32_bf16, Opcode::v_mfma_f32_16x16x16_bf16,
                                          Opcode::v_mfma_f32_16x16x32_f16, Opcode::v_mfma_f32_16x16x16_f16};
std::optional<Opcode> narrow_instruction(Type type, Arch arch) {
  for (const Opcode op : narrow_instructions)
    if (has(op, arch) && isa::info(op).matrix.a == type) return op;
  return {};
}
Opcode instruction(Type type, Arch arch) {
  for (const Opcode op : instructions)
    if (has(op, arch) && isa::info(op).matrix.a == type) return op;
  for (const Opcode op : fp8_instructions)
    if (has(op, arch) && type == Type::fp8) return op;
  refuse(fmt::format("target {} has no matrix instruction for {}", isa::target(arch).name, isa::type_name(type)));
}
constexpr Opcode mx_instructions[] = {Opcode::v_mfma_scale_f32_32x32x64_f8f6f4,
                                      Opcode::v_wmma_scale_f32_16x16x128_f8f6f4};
Opcode mx_instruction(Arch arch) {
  for (const Opcode op : mx_instructions)
    if (has(op, arch)) return op;
  refuse(fmt::format("target {} has no matrix instruction with scales of blocks; legal: {} {}", isa::target(arch).name,
                     isa::archs_with(isa::info(mx_instructions[0])), isa::archs_with(isa::info(mx_instructions[1]))));
}
Atom atom_of(const AttentionConfig& c, Arch arch) {
  if (c.mx) return {mx_instruction(arch), arch, c.mx->v, Type::fp8};
  const Type type = c.fp8_products ? Type::fp8 : c.type;
  if (c.latent_rows == 16)
    if (const auto op = narrow_instruction(type, arch)) return {*op, arch, type, type};
  return {instruction(type, arch), arch, type, type};
}
int padded(int dim, int to) { return (dim + to - 1) / to * to; }

}  // namespace

AttentionPlan::AttentionPlan(const AttentionConfig& c, Arch arch)
    : schedule(schedule_of(c, arch)),
      atom(atom_of(c, arch)),
      score_atom(c.mx ? Atom(atom.op, arch, c.mx->qk, c.mx->qk) : atom),
      packed(c.mx && isa::bits(c.mx->qk) == 4 ? 2 : 1),
      pad_dim(padded(c.head_dim, score_atom.k_of_fragment()) / packed),
      pad_v(padded(c.dim_v(), atom.extent)),
      latent(c.latent),
      bytes(c.fp8_products ? 1 : element_bytes) {
  const int wider = std::max(pad_dim, pad_v), k = isa::info(atom.op).matrix.k;
  moved = schedule == AttentionSchedule::pipelined && moves_tiles(arch);
  keys = moved || (atom.extent == 32 && wider * bytes <= 128) ? 64
         : atom.extent == 16 && (wider > 192 || decode())     ? std::max(k, atom.k_of_fragment())
                                                              : 32;
  if (c.fp8_products) keys = std::max(keys, atom.k_of_fragment());
  // Registers that grow with a wave's queries (of which the second are accumulators), and those that do not: fragments,
  // what is on its way to LDS, addresses.
  const isa::Target& target = isa::target(arch);
  const int held = keys / atom.extent * atom.items;
  const int of_queries = score_atom.a.fragment_dwords() * bytes * pad_dim / score_atom.a.row_bytes() +
                         (c.bias ? 2 : 1) * held + 5,
            o = pad_v / atom.extent * atom.items;
  const auto others = [&](int w) {
    return 4 * atom.a.fragment_dwords() + (pad_dim + pad_v) * bytes * keys / 4 / (w * atom.lanes) + 40 +
           (c.documents ? held + 4 : 0) + (c.dropout ? 8 : 0);
  };
  columns = moved ? 2 : atom.extent == 16 && !decode() && 2 * (of_queries + o) + others(8) <= 256 ? 2 : 1;
  // Eight waves are two on a SIMD. In separate files, the accumulators are those of O, of S and zeros.
  const int vgprs = of_queries + others(8) + (target.agprs && !target.unified ? 0 : o),
            agprs = target.agprs && !target.unified ? o + (keys / atom.extent + 1) * atom.items : 0;
  const bool fit = 2 * std::max(vgprs, agprs) <= target.vgpr_file;
  waves = schedule == AttentionSchedule::pipelined || ((target.agprs || target.has_vgpr_msb()) && !fit) ? 4 : 8;
  const int reach = isa::reach(isa::Format::ds, arch);
  direct = schedule == AttentionSchedule::pipelined && loads_to_lds(arch) && bytes == element_bytes;
  rows = decode() && !latent && transposing_on(arch) && bytes == element_bytes;
  transposes = direct || rows || (latent && transposing_on(arch));
  if (decode()) {
    // More waves of a workgroup are fewer results to combine, and latent keys that are read for more rows. Eight are
    // two on a SIMD. Each has its loads of a tile, with an address each, to itself; latent keys are loaded by all
    // together.
    const bool widened_rows = latent && c.kv_type && !c.page_size;
    const int features = (c.page_size ? 8 : 0) + (c.documents ? held + 4 : 0) + (c.dropout ? latent ? 12 : 8 : 0) +
                         (changes_scores(c, arch) ? 4 : 0) + (widened_rows ? 4 : 0),
              per_load = chunk_bytes / 4, of_tile = (pad_dim + (latent ? 0 : pad_v)) * bytes * keys / 4,
              of_latent = 4 * atom.a.fragment_dwords() + of_tile / (8 * atom.lanes) + 15 + features,
              of_rows = others(1) + of_tile / atom.lanes / per_load;
    const bool two = 2 * (of_queries + o + (latent ? of_latent : of_rows)) <= target.vgpr_file;
    waves = target.has_vgpr_msb() && (latent || rows) && two ? 8 : 4;
    // Longer parts of a row in a block of LDS are fewer pieces of memory's lines in a load, and more addresses.
    row_bytes = !target.has_vgpr_msb() ? 128 : c.page_size && c.kv_type ? 32 : 64;
    // O is in AGPRs.
    two_sets = latent && target.agprs && target.unified &&
               of_queries + of_latent + 2 * of_tile / (waves * atom.lanes) + 20 <= target.vgpr_file / 2;
    // Four waves of CDNA keep a CU busy, as two do whose tiles are twice as large: LDS beyond the reach of immediate
    // offsets is of no use there.
    while (!latent && waves > 1 && waves * wave_lds() > (target.has_vgpr_msb() ? target.lds_bytes : reach)) waves /= 2;
  }
  lanes = waves * atom.lanes;
  alternates = latent && target.lds_bytes > reach && other_place() + wave_lds() <= target.lds_bytes;
  // Smaller tiles would leave LDS for fewer workgroups.
  constexpr int least = 32 << 10;
  if (alternates && isa::timing(arch).lds_partitions > 0 && wave_lds() >= least) near_columns = pad_v / 2;
  single = schedule == AttentionSchedule::sequential && 2 * keys * (pad_dim + pad_v) * bytes > target.lds_bytes;
  shared = schedule == AttentionSchedule::pipelined && !direct && !moved && pad_dim * bytes > 128 * element_bytes;
}

int AttentionPlan::wave_lds() const {
  if (latent) return padded(keys * pad_dim * element_bytes, lanes * chunk_bytes);
  const auto whole_loads = [&](int dim, int lane_bytes) { return padded(keys * dim * bytes, atom.lanes * lane_bytes); };
  const int run = Shapes{.atom = atom, .bytes = bytes}.run();
  return std::max(whole_loads(pad_dim, chunk_bytes) + whole_loads(pad_v, rows ? chunk_bytes : 2 * run * bytes),
                  wave_rows() * pad_v * 4);
}

}  // namespace attention

namespace {
void check_memory(const AttentionConfig& c, Arch arch) {
  if (c.page_size < 0 || c.page_size >= 1 << 20)
    refuse(fmt::format("pages of {} keys; legal: 1 to {}, 0 for none", c.page_size, (1 << 20) - 1));
  if (c.documents && c.page_size) refuse("documents of keys in pages; legal: documents without pages");
  for (const auto& [type, of] : {std::pair(c.q_type, "Q"), {c.kv_type, "K and V"}})
    if (type && !c.mx && !widens(arch, *type))
      refuse(fmt::format("{} of {} on {}; legal: {} of the configuration, or fp8 and bf8 on {}", isa::type_name(*type),
                         of, isa::target(arch).name, isa::type_name(c.type),
                         isa::archs_with(isa::info(Opcode::v_cvt_pk_f32_fp8))));
}
// O^T and the fragments of Q take 400 registers of a lane where both have their largest dimensions.
void check_latent(const AttentionConfig& c, Arch arch) {
  if (c.scale_rows.q || c.scale_rows.kv) refuse("scales of rows with latent keys; legal: scales of tensors or heads");
  if (c.schedule != AttentionSchedule::decode)
    refuse(fmt::format("latent keys in schedule {}; legal: decode", name_of(schedule_of(c, arch))));
  if (c.head_dim % 64 || c.head_dim < 64 || c.head_dim > 576 || c.dim_v() % 64 || c.dim_v() > 512 || c.dim_v() < 64 ||
      c.dim_v() > c.head_dim)
    refuse(
        fmt::format("latent keys of {} columns, {} of them those of V; legal: multiples of 64 up to 576, and up to "
                    "512 of these",
                    c.head_dim, c.dim_v()));
  const int extent = attention::atom_of(c, arch).extent;
  if (c.latent_rows && c.latent_rows != extent)
    refuse(fmt::format("waves of {} rows of latent keys in {} on {}; legal: {}", c.latent_rows, isa::type_name(c.type),
                       isa::target(arch).name,
                       attention::narrow_instruction(c.type, arch) ? "16 or 32" : fmt::format("{}", extent)));
}
}  // namespace

namespace {
void check_scale_rows(const AttentionConfig& c, Arch arch) {
  const ScaleRows least = least_scale_rows(c, arch);
  for (const auto& [rows, smallest, type, of] :
       {std::tuple(c.scale_rows.q, least.q, c.q_type, "Q"), {c.scale_rows.kv, least.kv, c.kv_type, "K and V"}}) {
    if (!rows) continue;
    if (!type)
      refuse(fmt::format("scales of rows of {} in {}; legal: of tensors in fp8 or bf8", of, isa::type_name(c.type)));
    constexpr int most = 1 << 20;
    if (rows < smallest || rows > most || !std::has_single_bit(static_cast<unsigned>(rows)))
      refuse(fmt::format("scales of {} rows of {}; legal: powers of two from {} to {}, 0 for none", rows, of, smallest,
                         most));
  }
}
void check_fp8(const AttentionConfig& c, Arch arch) {
  if (!c.mx && (c.q_type != Type::fp8 || c.kv_type != Type::fp8))
    refuse(fmt::format("products of fp8 with Q of {}, K and V of {}; legal: fp8 for all three",
                       isa::type_name(c.q_type.value_or(c.type)), isa::type_name(c.kv_type.value_or(c.type))));
  if (c.latent) refuse("products of fp8 with latent keys; legal: fp8 for K, V and Q with products of f16 or bf16");
  for (const int dim : {c.head_dim, c.dim_v()})
    if (dim % 16) refuse(fmt::format("head dimension {} in fp8; legal: multiples of 16", dim));
  if (!c.mx) return void(attention::instruction(Type::fp8, arch));
  if (c.page_size) refuse("MX with keys in pages; legal: fp8");
  attention::mx_instruction(arch);
  const auto one_of = [](Type t, std::initializer_list<Type> legal) {
    return std::ranges::find(legal, t) != legal.end();
  };
  if (!one_of(c.mx->qk, {Type::fp8, Type::bf8, Type::fp4}) || !one_of(c.mx->v, {Type::fp8, Type::bf8}))
    refuse(fmt::format("MX with Q and K in {}, V in {}; legal: fp8, bf8 and fp4 for Q and K, fp8 and bf8 for V",
                       isa::type_name(c.mx->qk), isa::type_name(c.mx->v)));
  if (c.head_dim % 32)
    refuse(fmt::format("head dimension {} in MX; legal: multiples of 32, the nearest {}", c.head_dim,
                       std::clamp((c.head_dim + 16) / 32 * 32, 32, 512)));
  if (c.scale_rows.q || c.scale_rows.kv) refuse("scales of rows in MX; legal: scales of 32 elements");
}
}  // namespace

int latent_rows_for(const AttentionConfig& c, Arch arch, uint64_t rows) {
  constexpr int of_wave = 16, waves = 4;
  return c.latent && rows <= of_wave * waves && attention::narrow_instruction(c.type, arch) ? of_wave : 0;
}

void check(const AttentionConfig& c, Arch arch) {
  if (c.type != Type::f16 && c.type != Type::bf16) refuse("Q, K, V and O are f16 or bf16");
  check_memory(c, arch);
  if (c.fp8_products) check_fp8(c, arch);
  if (c.latent) return check_latent(c, arch);
  if (c.latent_rows) refuse(fmt::format("waves of {} rows without latent keys; legal: with them", c.latent_rows));
  for (const auto& [dim, of] : {std::pair(c.head_dim, ""), {c.dim_v(), " of V"}})
    if (dim < 16 || dim > 512 || dim % 8)
      refuse(fmt::format("head dimension {}{}; legal: multiples of 8 from 16 to 512, the nearest {}", dim, of,
                         std::clamp((dim + 4) / 8 * 8, 16, 512)));
  if (c.schedule == AttentionSchedule::pipelined && !can_pipeline(c, arch)) {
    const auto archs = [](auto set) {
      AttentionConfig of{.head_dim_v = 128};
      set(of);
      return isa::archs_where([&](Arch a) { return can_pipeline(of, a); });
    };
    refuse(fmt::format(
        "no pipelined schedule for head dimensions {} and {} on {}; legal: sequential, or 64 and 128 on {} (192 of Q "
        "and K on {}; MX, scales of rows of K and V, changes of the scores not on {}), without biases, documents, "
        "dropout, pages and conversions of fp8, and with one change of the scores at most that keeps a register, "
        "without prefix",
        c.head_dim, c.dim_v(), isa::target(arch).name, archs([](auto&) {}), archs([](auto& of) { of.head_dim = 192; }),
        isa::archs_where(attention::moves_tiles)));
  }
  if (c.scale_rows.q || c.scale_rows.kv) check_scale_rows(c, arch);
  // A lane has the place of one key of a tile.
  if (!c.page_size) return;
  const attention::AttentionPlan plan(c, arch);
  if (plan.keys > plan.atom.lanes)
    refuse(fmt::format("keys in pages with tiles of {} keys on {}; legal: up to {}, as without products of fp8",
                       plan.keys, isa::target(arch).name, plan.atom.lanes));
}

ScaleRows least_scale_rows(const AttentionConfig& c, Arch arch) {
  const attention::AttentionPlan plan(c, arch);
  return {plan.decode() ? 1 : plan.wave_rows(), plan.keys};
}
int block_queries(const AttentionConfig& c, Arch arch) { return attention::AttentionPlan(c, arch).block_rows(); }

std::string kernel_name(const AttentionConfig& c) {
  const std::string v = c.dim_v() == c.head_dim ? "" : fmt::format("_dv{}", c.dim_v());
  std::string name = fmt::format("attention_forward_{}_d{}{}{}{}", c.type == Type::f16 ? "f16" : "bf16", c.head_dim, v,
                                 c.sequences == Sequences::packed ? "_varlen" : "",
                                 c.schedule ? fmt::format("_{}", name_of(*c.schedule)) : "");
  if (c.mx) name += fmt::format("_mx{}_{}", isa::type_name(c.mx->qk), isa::type_name(c.mx->v));
  else if (c.fp8_products) name += "_fp8";
  if (c.q_type && !c.fp8_products) name += fmt::format("_q{}", isa::type_name(*c.q_type));
  if (c.kv_type && !c.fp8_products) name += fmt::format("_kv{}", isa::type_name(*c.kv_type));
  if (c.scale_rows.q) name += fmt::format("_qscale{}", c.scale_rows.q);
  if (c.scale_rows.kv) name += fmt::format("_kvscale{}", c.scale_rows.kv);
  if (c.page_size) name += fmt::format("_page{}", c.page_size);
  if (c.latent) name += "_latent";
  if (c.latent_rows) name += fmt::format("_rows{}", c.latent_rows);
  if (c.sinks) name += "_sinks";
  if (c.bias) name += "_bias";
  if (c.documents) name += "_documents";
  if (c.dropout) name += "_dropout";
  if (c.prefix) name += "_prefix";
  for (const ScoreMod& mod : c.scores) name += "_" + mod.name;
  return name;
}

}  // namespace wavesmith
