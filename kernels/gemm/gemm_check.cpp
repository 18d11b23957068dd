// Which configurations of a GEMM are legal, and its matrix instruction.
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"
#include "kernels/plan/instructions.h"

namespace wavesmith {

using isa::Type;

namespace {

constexpr Type inputs[] = {Type::f64, Type::f32, Type::xf32, Type::f16, Type::bf16,
                           Type::fp8, Type::bf8, Type::i8,   Type::i4};
constexpr Type mx_formats[] = {Type::fp8, Type::bf8, Type::fp6, Type::bf6, Type::fp4};
bool is_mx(Type t) { return std::ranges::find(mx_formats, t) != std::end(mx_formats); }

std::vector<Type> outputs(Type input, Arch arch) {
  if (input == Type::f64) return {Type::f64};
  if (input == Type::i8 || input == Type::i4) return {Type::i32, Type::f32, Type::f16, Type::bf16, Type::i8};
  if (isa::info(Opcode::v_cvt_pk_fp8_f32).on(arch)) return {Type::f16, Type::bf16, Type::f32, Type::fp8, Type::bf8};
  return {Type::f16, Type::bf16, Type::f32};
}
std::string names(auto&& types) {
  std::string out;
  for (const Type t : types) out += fmt::format("{}{}", out.empty() ? "" : " ", isa::type_name(t));
  return out;
}
std::vector<Type> inputs_on(Arch arch) {
  std::vector<Type> all;
  for (const Type t : inputs)
    if (!matrix_instructions({.input = t}, arch).empty()) all.push_back(t);
  return all;
}
std::string targets_with(BlockScales scales) {
  return isa::archs_where(
      [&](Arch a) { return !matrix_instructions({.input = Type::fp8, .block_scales = scales}, a).empty(); });
}

constexpr int most_tile = 256;

[[noreturn]] void refuse_gemm(const std::string& what) { throw ConfigError("gemm: " + what); }

void check_scaled_types(const GemmConfig& g, Arch arch) {
  for (const Type t : {g.input, type_of_b(g)})
    if (!is_mx(t))
      refuse_gemm(fmt::format("block scales with {}; legal: A and B of {}", isa::type_name(t), names(mx_formats)));
  for (const auto& [name, type, contiguous] : {std::tuple("A", g.input, g.trans_a), {"B", type_of_b(g), !g.trans_b}})
    if (!contiguous && isa::bits(type) < 8)
      refuse_gemm(fmt::format("{} of mx{} not contiguous along k; legal: transa t, transb n, or mxfp8 and mxbf8", name,
                              isa::type_name(type)));
  if (matrix_instructions(g, arch).empty())
    refuse_gemm(fmt::format("{}block scales on {}, which has no matrix instruction with them; legal: {}",
                            by_32_rows(g.block_scales) ? fmt::format("{} ", name_of(g.block_scales)) : "",
                            isa::target(arch).name, targets_with(g.block_scales)));
}
void check_sum_scales(const GemmConfig& g) {
  for (const auto& [name, how] : {std::pair("A", g.sum_scales_a), {"B", g.sum_scales_b}}) {
    if (!how.rows) continue;
    if (how.rows != 1 && how.rows != sum_scale_k)
      refuse_gemm(fmt::format("scales of {} for {} rows and 128 k; legal: 1, 128", name, how.rows));
    if (g.block_scales != BlockScales::none || !is_float8(g.input) || !is_float8(type_of_b(g)))
      refuse_gemm(fmt::format("scales of {} for 128 k with A of {}{} and B of {}; legal: A and B of fp8 or bf8", name,
                              g.block_scales == BlockScales::none ? "" : "mx", isa::type_name(g.input),
                              isa::type_name(type_of_b(g))));
  }
}
void check_types(const GemmConfig& g, Arch arch) {
  check_sum_scales(g);
  const char* target = isa::target(arch).name;
  if (g.block_scales != BlockScales::none) check_scaled_types(g, arch);
  else if (std::ranges::find(inputs, g.input) == std::end(inputs))
    refuse_gemm(fmt::format("A of {}; legal: {}", isa::type_name(g.input), names(inputs)));
  const Type b = type_of_b(g);
  if (g.block_scales == BlockScales::none && b != g.input && !(is_float8(b) && is_float8(g.input)) && !has_weights(g))
    refuse_gemm(fmt::format("A of {} and B of {}; legal: the same type, or fp8 and bf8, or i4 and f16 or bf16",
                            isa::type_name(g.input), isa::type_name(b)));
  for (const auto& [name, type, contiguous] : {std::tuple("A", g.input, g.trans_a), {"B", b, !g.trans_b}})
    if (type == Type::i4 && !contiguous)
      refuse_gemm(fmt::format("{} of i4 not contiguous along k; legal: transa t, transb n", name));
  for (const auto& [name, type, contiguous, order] :
       {std::tuple("A", g.input, g.trans_a, g.order_a), {"B", b, !g.trans_b, g.order_b}}) {
    if (order == MatrixOrder::tiles && !contiguous)
      refuse_gemm(fmt::format("{} in tiles of 16 rows, not contiguous along k; legal: transa t, transb n", name));
    if (order == MatrixOrder::tiles && isa::bits(type) == 6)
      refuse_gemm(
          fmt::format("{} of {} in tiles of 16 rows; legal: types of 4, 8 and more bits", name, isa::type_name(type)));
  }
  if (g.split_f32 && (g.input != Type::f32 || b != Type::f32))
    refuse_gemm(
        fmt::format("split f32 with A of {} and B of {}; legal: f32", isa::type_name(g.input), isa::type_name(b)));
  if (has_weights(g) && std::ranges::find(weight_group_sizes, g.groups.size) == std::end(weight_group_sizes))
    refuse_gemm(fmt::format("groups of {} k; legal: {}", g.groups.size, fmt::join(weight_group_sizes, " ")));
  if (const auto legal = outputs(multiplied_a(g), arch); std::ranges::find(legal, g.output) == legal.end())
    refuse_gemm(fmt::format("C and D of {} with A of {} on {}; legal: {}", isa::type_name(g.output),
                            isa::type_name(g.input), target, names(legal)));
  const auto legal = matrix_instructions(g, arch);
  if (legal.empty())
    refuse_gemm(fmt::format("A of {} on {}, which has no matrix instruction for it; legal: {}", isa::type_name(g.input),
                            target, names(inputs_on(arch))));
  if (g.mma && std::ranges::find(legal, *g.mma) == legal.end()) {
    std::string ops;
    for (const Opcode op : legal) ops += fmt::format(" {}", isa::mnemonic(op, arch));
    refuse_gemm(fmt::format("matrix instruction {}; legal on {} with {}:{}", isa::mnemonic(*g.mma, arch), target,
                            isa::type_name(g.input), ops));
  }
}

// What A's or B's loads and place in LDS follow from.
gemm::TileOperand loaded(const GemmConfig& g, Arch arch, bool is_a) {
  const Type type = is_a ? multiplied_a(g) : multiplied_b(g);
  return {.name = is_a ? "A" : "B",
          .k_contiguous = is_a ? g.trans_a : !g.trans_b,
          .rows = is_a ? g.block.m : g.block.n,
          .stages = g.stages,
          .parts = parts_of(g),
          .element_bits = isa::bits(type),
          .lanes = gemm::lanes_of(g, arch),
          .row_chunks = g.block.k / 2 / chunk_k(type),
          .row_k = g.block.k / 2,
          .memory_bits = g.split_f32 ? 32 : isa::bits(type),
          .by_tensor = g.schedule == GemmSchedule::tensor,
          .halves = is_a ? g.epilogue.halves() : 1};
}

// Two k-slices of 32, 64 or 128 bytes of the wider operand and at least 32 of the other; block scales by whole dwords.
// Multiply-adds are many instructions: 128 bytes of them, or more than two stages, would not fit into the reach of
// branches.
std::vector<int> legal_block_k(const GemmConfig& g, const Atom& atom) {
  const int scales_k = g.sum_scales_a.rows || g.sum_scales_b.rows ? sum_scale_k
                       : g.block_scales == BlockScales::none      ? 1
                       : g.block_scales == BlockScales::plain     ? 128
                                                                  : 256;
  std::vector<int> legal;
  for (int k = atom.k_of_fragment(); k <= 1024; k *= 2) {
    const auto [narrow, wide] = std::minmax({k / chunk_k(atom.a.type), k / chunk_k(atom.b.type)});
    const int most = atom.multiplies_by_lanes() ? gemm::default_chunks : gemm::line_bytes / chunk_bytes;
    if (narrow >= 2 && wide <= most && 2 * k % scales_k == 0) legal.push_back(2 * k);
  }
  return legal;
}

// The multiples of `unit`, up to `most`, that are nearest to `value`.
std::string nearest(int value, int unit, int most) {
  const int below = std::clamp(value / unit * unit, unit, most), above = std::min(below + unit, most);
  return below == value || above == below ? fmt::format("{}", below) : fmt::format("{} or {}", below, above);
}
// The rows of a wave are a multiple of these, with an instruction of `extent` rows: of a gated D, whose halves are
// whole instructions unless one or two make both.
int rows_at_once(const GemmConfig& g, int extent) {
  return g.epilogue.gated && g.block.m / std::max(1, g.waves_m) > 2 * extent ? 2 * extent : extent;
}
// A wave has whole tiles of the instruction's shape, of a gated D's halves too.
void check_wave_tile(const GemmConfig& g, Arch arch, const Atom& atom, bool given) {
  int unit = atom.extent;
  for (const Opcode op : matrix_instructions(g, arch))
    if (!given) unit = std::min(unit, Atom::of(op, arch, multiplied_a(g), multiplied_b(g)).extent);
  constexpr int most_m = 128, most_n = most_tile;
  const int least_m = rows_at_once(g, unit);
  const auto wrong = [](int rows, int waves, int of, int most) {
    return rows < waves * of || rows % (waves * of) != 0 || rows > std::min(most_tile, waves * most);
  };
  if (wrong(g.block.m, g.waves_m, least_m, most_m) || wrong(g.block.n, g.waves_n, unit, most_n))
    refuse_gemm(fmt::format(
        "tile {}x{} over {}x{} waves{}; legal: per wave multiples of {} up to {} by multiples of {} up to {}, in all "
        "up "
        "to {}x{}; the nearest: m {}, n {}",
        g.block.m, g.block.n, g.waves_m, g.waves_n, g.epilogue.gated ? ", gated" : "", least_m, most_m, unit, most_n,
        most_tile, most_tile, nearest(g.block.m, g.waves_m * least_m, std::min(most_tile, g.waves_m * most_m)),
        nearest(g.block.n, g.waves_n * unit, std::min(most_tile, g.waves_n * most_n))));
  // A scale of 128 rows or columns is that of all of a wave; shuffled ones and those in tiles are of 32.
  const auto check_scales = [&](const char* name, int rows, const SumScales& how, bool by_row) {
    if (how.rows == sum_scale_k && !by_row && sum_scale_k % rows)
      refuse_gemm(fmt::format("scales {} of {} with {} of a tile {}x{} per wave; legal: 16, 32, 64 or 128",
                              name_of(how), name, rows, g.block.m, g.block.n));
    if (by_32_rows(g.block_scales) && rows % 32)
      refuse_gemm(fmt::format("{} block scales with {} of {} of a tile {}x{} per wave; legal: multiples of 32",
                              name_of(g.block_scales), rows, name, g.block.m, g.block.n));
  };
  check_scales("A", g.block.m / g.waves_m, g.sum_scales_a, g.epilogue.gated);
  check_scales("B", g.block.n / g.waves_n, g.sum_scales_b, false);
}
void check_tile(const GemmConfig& g, Arch arch, const Atom& atom, bool instruction_given) {
  const auto power = [](int v, int low, int high) { return v >= low && v <= high && (v & (v - 1)) == 0; };
  if (const auto legal = legal_block_k(g, atom); std::ranges::find(legal, g.block.k) == legal.end())
    refuse_gemm(fmt::format("tile {}x{}x{}: k is {}; legal: {} of {}", g.block.m, g.block.n, g.block.k, g.block.k,
                            fmt::join(legal, " "), isa::type_name(g.input)));
  if (!power(g.waves_m, 1, 8) || !power(g.waves_n, 1, 8) || g.waves_m * g.waves_n > 8)
    refuse_gemm(fmt::format("{}x{} waves; legal: each 1, 2, 4 or 8, together at most 8", g.waves_m, g.waves_n));
  check_wave_tile(g, arch, atom, instruction_given);
  for (const bool is_a : {true, false}) {  // a lane's run of k stays within a k-slice
    const gemm::TileOperand o = loaded(g, arch, is_a);
    if (!o.k_contiguous && g.schedule != GemmSchedule::stream && !o.by_tensor && o.run_bytes() > o.row_bytes())
      refuse_gemm(fmt::format("tile {}x{} of {} lanes, each with {} bytes along k; legal: {}, by more waves", g.block.m,
                              g.block.n, o.lanes, o.run_bytes(), o.row_bytes()));
  }
  if (g.schedule == GemmSchedule::interleaved && g.block.k == 2 * atom.k_of_fragment())
    refuse_gemm(fmt::format(
        "schedule interleaved with {}, whose LDS reads all follow the barrier, so that there is nothing to interleave "
        "with them; legal: schedule staged, or an instruction with fewer bytes along k",
        isa::mnemonic(atom.op, arch)));
}

void check_stages(const GemmConfig& g, Arch arch) {
  if (g.stages != 2 && !isa::info(*g.mma).is_matrix())
    refuse_gemm(fmt::format("{} stages with multiply-adds of {} ({} has no matrix instruction for it); legal: 2",
                            g.stages, isa::type_name(g.input), isa::target(arch).name));
  gemm::TileOperand of_a = loaded(g, arch, true), of_b = loaded(g, arch, false);
  if (g.schedule == GemmSchedule::tensor) {
    const Atom atom(*g.mma, arch, multiplied_a(g), multiplied_b(g));
    of_a.padding = tile_padding(of_a, atom.a, arch), of_b.padding = tile_padding(of_b, atom.b, arch);
  }
  const bool streams = g.schedule == GemmSchedule::stream;
  const auto lds = [&](int stages) { return (streams ? 0 : 1) * stages * (of_a.stage_bytes() + of_b.stage_bytes()); };
  const int bytes = isa::target(arch).lds_bytes;
  int most = 4;
  while (most > 2 && lds(most) > bytes) --most;
  if (g.stages < 2 || g.stages > most || lds(g.stages) > bytes)
    refuse_gemm(fmt::format(
        "{} stages of a tile {}x{} with {} bytes along k, each {} bytes of LDS; legal: {} ({} has {} bytes)", g.stages,
        g.block.m, g.block.n,
        of_a.row_bytes() == of_b.row_bytes() ? fmt::format("{}", of_a.row_bytes())
                                             : fmt::format("{} and {}", of_a.row_bytes(), of_b.row_bytes()),
        lds(1), most == 2 ? "2" : fmt::format("2 to {}", most), isa::target(arch).name, bytes));
  const int reach = isa::reach(isa::Format::ds, arch);
  for (const gemm::TileOperand* o : {&of_a, &of_b})
    if (!streams && !o->by_tensor && o->lds_bytes() > reach)
      refuse_gemm(fmt::format("{} stages of {} bytes of {}, beyond the range of immediate offsets; legal: {} bytes",
                              g.stages, o->stage_bytes(), o->name, reach));
  const int extent = Atom::of(*g.mma, arch, multiplied_a(g), multiplied_b(g)).extent,
            results = gemm::result_bytes(g, gemm::result_columns(g, arch, extent, lds(g.stages)));
  if (results > bytes)
    refuse_gemm(fmt::format("tile {}x{} over {}x{} waves, whose results take {} bytes of LDS; legal: {}", g.block.m,
                            g.block.n, g.waves_m, g.waves_n, results, bytes));
}

void check_stream(const GemmConfig& g, Arch arch) {
  if (g.schedule != GemmSchedule::stream) return;
  const auto refuse = [](const std::string& what, const char* legal) {
    refuse_gemm(fmt::format("schedule stream with {}; legal: {}", what, legal));
  };
  if (!g.trans_a || g.trans_b) refuse("A or B not contiguous along k", "transa t, transb n");
  if (has_weights(g) || g.split_f32 || isa::bits(g.input) < 8 || isa::bits(type_of_b(g)) < 8)
    refuse("elements below 8 bits, weights or split f32", "schedule staged");
  if (g.block_scales != BlockScales::none || g.sum_scales_a.rows || g.sum_scales_b.rows)
    refuse("block scales", "schedule staged");
  if (g.order_a != MatrixOrder::rows || g.order_b != MatrixOrder::rows)
    refuse("A or B in tiles of 16 rows", "matrices by rows");
  if (!isa::info(*g.mma).is_matrix())
    refuse(fmt::format("{} on {}, which has no matrix instruction for it", isa::type_name(g.input),
                       isa::target(arch).name),
           "schedule staged");
}

void check_cluster(const GemmConfig& g) {
  const auto [m, n] = g.cluster;
  const std::string what = fmt::format("clusters of {}x{} workgroups", m, n);
  const auto power = [](int x) { return x > 0 && std::has_single_bit(static_cast<unsigned>(x)); };
  if (!power(m) || !power(n) || m * n > isa::most_clustered)
    refuse_gemm(fmt::format("{}; legal: powers of two, at most {} together", what, isa::most_clustered));
  if (m * n == 1) return;
  const auto refuse = [&](const std::string& with, const char* legal) {
    refuse_gemm(fmt::format("{} with {}; legal: {}", what, with, legal));
  };
  if (g.schedule != GemmSchedule::tensor) refuse(fmt::format("schedule {}", name_of(g.schedule)), "schedule tensor");
  if (g.stream_k) refuse(fmt::format("stream_k {}", g.stream_k), "stream_k 0");
  if (!g.order.plain()) refuse(fmt::format("order {}", name_of(g.order)), "order columns");
  if (g.ragged == Ragged::m || g.ragged == Ragged::n)
    refuse(fmt::format("groups of {}", name_of(g.ragged)), "groups of k, or none");
}

void check_tensor(const GemmConfig& g, Arch arch) {
  if (g.prefetch < 0 || g.prefetch > most_prefetch)
    refuse_gemm(fmt::format("prefetch is {}; legal: 0 to {}", g.prefetch, most_prefetch));
  if (g.prefetch && g.schedule != GemmSchedule::tensor)
    refuse_gemm(fmt::format("prefetch with schedule {}; legal: schedule tensor", name_of(g.schedule)));
  check_cluster(g);
  if (g.schedule != GemmSchedule::tensor) return;
  const auto refuse = [](const std::string& what, const std::string& legal) {
    refuse_gemm(fmt::format("schedule tensor with {}; legal: {}", what, legal));
  };
  if (has_weights(g) || g.split_f32)
    refuse(fmt::format("{} that is converted to {}", g.split_f32 ? "f32" : "i4", isa::type_name(multiplied_a(g))),
           "staged interleaved");
  if (!isa::info(*g.mma).is_matrix())
    refuse(fmt::format("{} on {}, which has no matrix instruction for it", isa::type_name(g.input),
                       isa::target(arch).name),
           "schedule staged");
  // Each half of a gated wave's rows is moved by itself.
  if (const int rows = g.block.m / g.waves_m, whole = g.epilogue.halves() * isa::info(*g.mma).matrix.m; rows % whole)
    refuse(fmt::format("a gated epilogue and {} rows of A per wave", rows), fmt::format("multiples of {}", whole));
  for (const auto& [name, type, contiguous, order] :
       {std::tuple("A", g.input, g.trans_a, g.order_a), {"B", type_of_b(g), !g.trans_b, g.order_b}}) {
    if (isa::bits(type) == 6) refuse(fmt::format("{} of 6-bit elements", name), "schedule staged");
    if (order != MatrixOrder::rows) refuse(fmt::format("{} in tiles of 16 rows", name), "matrices by rows");
    if (!contiguous && isa::bits(type) > 16)
      refuse(fmt::format("{} of {}, not contiguous along k", name, isa::type_name(type)), "transa t, transb n");
  }
}

void check_split(const GemmConfig& g, Arch arch) {
  if (g.split_k < 1 || g.split_k > 64) refuse_gemm(fmt::format("split_k is {}; legal: 1 to 64", g.split_k));
  if (g.stream_k < 0) refuse_gemm(fmt::format("stream_k is {}; legal: 1 or more, or 0", g.stream_k));
  if (g.stream_k && !has_workspace(g))
    refuse_gemm(fmt::format("stream_k is {} with split_k {}, reduction {}; legal: split_k 2 to 64, reduction ordered",
                            g.stream_k, g.split_k, name_of(g.reduction)));
  if (g.persistent < 0) refuse_gemm(fmt::format("persistent is {}; legal: 1 or more, or 0", g.persistent));
  if (g.persistent % std::max(1, g.cluster.groups()))
    refuse_gemm(fmt::format("persistent is {} with clusters of {}x{}; legal: multiples of {}", g.persistent,
                            g.cluster.m, g.cluster.n, g.cluster.groups()));
  if (g.persistent && (g.split_k > 1 || g.ragged != Ragged::none))
    refuse_gemm(fmt::format(
        "persistent is {} with {}; legal: split_k 1, no groups", g.persistent,
        g.split_k > 1 ? fmt::format("split_k {}", g.split_k) : fmt::format("groups of {}", name_of(g.ragged))));
  if (g.stream_k && g.ragged != Ragged::none)
    refuse_gemm(fmt::format("stream_k with groups of {}; legal: no groups, or split_k alone", name_of(g.ragged)));
  if (!adds_to_d(g)) return;
  constexpr const char* other = ", or the ordered reduction";
  if (g.output != accumulated(g))
    refuse_gemm(fmt::format("split_k is {} with D of {}, but workgroups add to D in memory; legal: {}{}", g.split_k,
                            isa::type_name(g.output), isa::type_name(accumulated(g)), other));
  const isa::Info& atomic = isa::info(gemm::atomic_add(g.output));
  if (!atomic.on(arch))
    refuse_gemm(fmt::format("split_k is {} with D of {} on {}, which has no atomic addition of it; legal: {}{}",
                            g.split_k, isa::type_name(g.output), isa::target(arch).name, isa::archs_with(atomic),
                            other));
  if (!g.epilogue.is_plain())
    refuse_gemm(fmt::format("split_k is {} with an epilogue, but no workgroup has the whole sum; legal: no epilogue{}",
                            g.split_k, other));
}

void check_ragged(const GemmConfig& g) {
  if (g.ragged == Ragged::none) return;
  const auto refuse = [&](const char* what, const char* legal) {
    refuse_gemm(fmt::format("{} with groups of {}; legal: {}", what, name_of(g.ragged), legal));
  };
  for (const Type type : {g.input, type_of_b(g)})
    if (type == Type::i4) refuse("i4", "no groups");
  for (const MatrixOrder order : {g.order_a, g.order_b})
    if (order == MatrixOrder::tiles) refuse("A or B in tiles of 16 rows", "no groups");
  const bool by_tiles = g.ragged != Ragged::k;
  if (by_tiles && !g.order.plain()) refuse(name_of(g.order).c_str(), "order columns");
  if (g.block_scales != BlockScales::none && g.ragged == Ragged::k) refuse("block scales", "groups of m or n");
  const bool scaled_sums = g.sum_scales_a.rows || g.sum_scales_b.rows;
  if (scaled_sums && g.ragged == Ragged::k) refuse("scales of sums", "groups of m or n");
  if (const SumScales& s = g.ragged == Ragged::m ? g.sum_scales_a : g.sum_scales_b; s.rows && s != SumScales{1, false})
    refuse(fmt::format("scales {} of the ragged operand", name_of(s)).c_str(), "1x128");
  if (by_32_rows(g.block_scales)) refuse(fmt::format("{} block scales", name_of(g.block_scales)).c_str(), "plain ones");
  if (g.ragged == Ragged::m && g.epilogue.gated) refuse("a gated epilogue", "groups of n or k");
  if (g.ragged == Ragged::m && g.epilogue.quantisation != Quantisation::none) refuse("scales of D", "groups of n or k");
}

void check_order(const WorkOrder& o) {
  if (o.band < 0 || o.band > most_band)
    refuse_gemm(fmt::format("order with bands of {} tiles; legal: 1 to {}, or 0 for all", o.band, most_band));
  if (o.xcds < 1 || o.xcds > most_xcds)
    refuse_gemm(fmt::format("order for {} XCDs; legal: 1 to {}", o.xcds, most_xcds));
}

void check_quantisation(const GemmConfig& g, Arch arch) {
  if (g.epilogue.quantisation == Quantisation::none) return;
  const QuantisationInfo& q = about(g.epilogue.quantisation);
  if (q.e8m0 && isa::target(arch).fnuz_fp8())
    refuse_gemm(fmt::format("{} on {}, whose 8-bit floats are not OCP's; legal: {}", q.name, isa::target(arch).name,
                            isa::archs_where([](Arch a) {
                              return !isa::target(a).fnuz_fp8() && isa::info(Opcode::v_cvt_pk_fp8_f32).on(a);
                            })));
  if (const int rows = rows_of_d(g) / g.waves_m; rows % q.rows)
    refuse_gemm(fmt::format("{} with {} rows of D per wave (tile {}x{} over {}x{} waves); legal: multiples of {}",
                            q.name, rows, g.block.m, g.block.n, g.waves_m, g.waves_n, q.rows));
}

// Allocates what the kernel does, the epilogue's scratch too.
void check_registers(const GemmConfig& g, Arch arch) {
  Kernel kernel("trial", arch, gemm::lanes_of(g, arch));
  try {
    gemm::Gemm trial{kernel, g};
    trial.declare();
    if (trial.moves_scales) trial.declare_moved_scales();
    trial.free_prologue();
    trial.declare_loop();
    trial.free_loop();
    if (has_workspace(g)) kernel.r.v.alloc(12, "sums of other workgroups", 4).free();
    trial.declare_output();
    trial.try_scratch();
    trial.check_room();
  } catch (const OutOfRegisters&) {
    refuse_gemm(
        fmt::format("tile {}x{} over {}x{} waves takes more registers than {} has; legal: a smaller tile, or another "
                    "number of waves",
                    g.block.m, g.block.n, g.waves_m, g.waves_n, isa::target(arch).name));
  }
}

}  // namespace

void check(const GemmConfig& g, Arch arch) {
  gemm::check_config(g, arch);
  GemmConfig whole = g;
  whole.mma = instruction_of(g, arch);
  check_registers(whole, arch);
}

void gemm::check_config(const GemmConfig& g, Arch arch) {
  check_types(g, arch);
  GemmConfig whole = g;
  whole.mma = instruction_of(g, arch);
  const Atom& atom = Atom::of(*whole.mma, arch, multiplied_a(g), multiplied_b(g));
  check_tile(whole, arch, atom, g.mma.has_value());
  if (const auto* load = needed_by(g.schedule); load && !load->on(arch))
    refuse_gemm(fmt::format("schedule {} on {}; legal: {}", name_of(g.schedule), isa::target(arch).name,
                            isa::archs_with(*load)));
  check_tensor(whole, arch);
  check_stages(whole, arch);
  if (by_32_rows(g.block_scales) && g.epilogue.gated)
    refuse_gemm(fmt::format("{} block scales with a gated epilogue; legal: plain ones", name_of(g.block_scales)));
  const bool direct = g.schedule == GemmSchedule::direct || g.schedule == GemmSchedule::refill;
  if (direct && !(g.trans_a && !g.trans_b))
    refuse_gemm(
        fmt::format("schedule {} with A or B not contiguous along k; legal: transa t, transb n", name_of(g.schedule)));
  if (direct && (has_weights(g) || g.split_f32))
    refuse_gemm(fmt::format("schedule {} with {} that is converted to {}; legal: staged interleaved",
                            name_of(g.schedule), g.split_f32 ? "f32" : "i4", isa::type_name(multiplied_a(g))));
  check_stream(whole, arch);
  if (const auto wrong = violation(g.epilogue, scaled_as(g), g.output); !wrong.empty()) refuse_gemm(wrong);
  check_split(g, arch);
  check_order(g.order);
  check_ragged(g);
  check_quantisation(g, arch);
  const int wave_size = isa::target(arch).wave_size,
            least = wave_size * gemm::rows_stored(g) / gemm::most_result_columns;
  if (rows_of_d(g) / g.waves_m < least)
    refuse_gemm(fmt::format("tile {}x{} over {}x{} waves{} with D of {}; legal: {} rows of A or more per wave",
                            g.block.m, g.block.n, g.waves_m, g.waves_n, g.epilogue.gated ? ", gated" : "",
                            isa::type_name(g.output), least * g.epilogue.halves()));
}

bool is_legal(const GemmConfig& g, Arch arch) {
  try {
    check(g, arch);
    return true;
  } catch (const ConfigError&) { return false; }
}

Opcode instruction_of(const GemmConfig& g, Arch arch) {
  if (g.mma) return *g.mma;
  const auto legal = matrix_instructions(g, arch);
  const auto divides = [&](Opcode op) {
    const int extent = Atom::of(op, arch, multiplied_a(g), multiplied_b(g)).extent;
    return g.block.m / std::max(1, g.waves_m) % rows_at_once(g, extent) == 0 &&
           g.block.n / std::max(1, g.waves_n) % extent == 0;
  };
  const auto found = std::ranges::find_if(legal, divides);
  return found == legal.end() ? legal.front() : *found;
}

}  // namespace wavesmith
