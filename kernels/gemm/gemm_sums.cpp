// Scales of sums (SumScales): the products of each 128 k are summed from zero, multiplied by the scales of their row
// and column and added to the accumulators by VALU instructions, which run beside matrix instructions of other tiles: a
// tile's sum is added two tiles later. The sums of the last two tiles are added beside the first products of the next
// 128 k. A scale is loaded an iteration or two ahead, without LDS.
#include "generator/dsl/emit_offset.h"
#include "generator/schedule/interleave.h"
#include "isa_tables/counters.h"
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

void Gemm::declare_sum_scales() {
  block_scales = args.registers(&Args::block_scales_a, &Args::block_scales_b);
  for (TileOperand* o : {&A, &B}) {
    auto& s = o->sum_scales;
    if (!s.how.rows) continue;
    const std::string name = o->name;
    s.resource = r.s.alloc(4, name + " scales' buffer resource", 4);
    s.stride = r.s.alloc(1, name + (s.how.transposed ? " scales' bytes of a block of k" : " scales' bytes of a row"));
    s.bytes = r.s.alloc(1, name + " scales' bytes left");
    // A register that is computed anew for each load would wait for the load before (XCNT).
    if (!s.how.transposed && scales_of_load(*o) > 1 && isa::counter(isa::WaitCounter::x, kernel.arch).name)
      s.further = r.s.alloc(scales_of_load(*o) - 1, name + " scales' bytes to further rows of the lane");
    const int addresses = o->is_a && scales_rows() ? o->tiles() * atom.items / scales_of_load(*o)
                          : s.how.rows == 1        ? o->tiles()
                                                   : 1;
    for (int i = 0; i < addresses; ++i) s.address.push_back(r.v.alloc(1, name + " scales' load address"));
  }
}
// One load has the scales of both blocks of a row, which are next to each other.
Vgpr Gemm::sum_scale(const TileOperand& o, int set, int block, size_t address, int item, int dwords) const {
  const int at = blocks_together(o) ? item * sum_blocks() + block : block * scales_of_load(o) + item;
  return o.sum_scales.loaded[static_cast<size_t>(set)][address].slice(at, dwords);
}
int Gemm::declare_scale_set() {
  int registers = 0;
  for (TileOperand* o : {&A, &B}) {
    auto& s = o->sum_scales;
    if (!s.how.rows) continue;
    auto& set = s.loaded.emplace_back();
    const int each = sum_blocks() * scales_of_load(*o);
    for (size_t i = 0; i < s.address.size(); ++i)
      set.push_back(r.v.alloc(each, std::string(o->name) + " scales", 0)), registers += each;
  }
  return registers;
}
// Scales are loaded two iterations ahead with `refill`, where a wait for later ones would be one for its tiles too, and
// by the data mover's short loop, if no wave fewer fits because of it and the loop is two iterations long anyway.
void Gemm::declare_sums() {
  const int of_set = declare_scale_set();
  sums.of = Accumulators(r, kernel.arch, sum_registers(), atom.items,
                         fmt::format("sum of 128 k of tile {0}x{0}", atom.extent), SumsIn::vgprs);
  if (scales_rows())
    for (int i = 0; i < A.tiles(); ++i) sums.rows.push_back(r.v.alloc(atom.items, "factors of rows"));
  if (sum_columns())
    sums.columns = adds_pairs() ? r.v.alloc((sum_columns() + 1) / 2 * 2, "factors of columns")
                                : r.v.alloc(sum_columns(), "factors of columns", 1);
  if (!refill && (!tensor || std::lcm(A.iterations(), B.iterations()) % 2)) return;
  const isa::Resources used{
      .vgprs = r.v.high_water(), .lds_bytes = kernel.lds_bytes, .waves_per_group = cfg.waves_m * cfg.waves_n};
  if (isa::occupancy(kernel.arch, used).vgprs_free >= of_set) declare_scale_set();
}
// Zeros: the first block adds the sums of a block before it.
void Gemm::clear_sums() {
  sums.of.clear(k);
  for (const Vgpr factors : sums.rows)
    for (int i = 0; i < factors.dwords; ++i) k.v_mov_b32(factors[i], 0);
  for (int i = 0; i < sums.columns.dwords; ++i) k.v_mov_b32(sums.columns[i], 0);
}

// K and the batch: of the problem, before K is divided among workgroups.
void Gemm::sum_scale_strides() {
  for (TileOperand* o : {&A, &B}) {
    auto& s = o->sum_scales;
    if (!s.how.rows) continue;
    k.s_add_u32(t[0], K, sum_scale_k - 1);
    k.s_lshr_b32(t[0], t[0], log2(sum_scale_k));
    if (o->is_a) k.s_mul_i32(t[1], M, halves);
    else k.s_mov_b32(t[1], N);
    k.s_add_u32(t[1], t[1], s.how.rows - 1);
    k.s_lshr_b32(t[1], t[1], log2(s.how.rows));
    k.s_lshl_b32(s.stride, s.how.transposed ? t[1] : t[0], 2);
    k.s_mul_i32(s.bytes, s.stride, s.how.transposed ? t[0] : t[1]);
    for (int i = 0; i < s.further.dwords; ++i) k.s_mul_i32(s.further[i], s.stride, i + 1);
  }
}
void Gemm::sum_scale_addresses(TileOperand& o, Sgpr first, Sgpr wave_of) {
  auto& s = o.sum_scales;
  const Sgpr pointer = block_scales[o.is_a ? &Args::block_scales_a : &Args::block_scales_b];
  if (cfg.ragged != (o.is_a ? Ragged::m : Ragged::n)) at.add_product(pointer, batch(), s.bytes);
  if (cfg.split_k > 1) {
    k.s_lshr_b32(t[3], first_k, log2(sum_scale_k));
    if (s.how.transposed) k.s_mul_i32(t[3], t[3], s.stride);
    else k.s_lshl_b32(t[3], t[3], 2);
    k.s_add_u32(pointer[0], pointer[0], t[3]);
    k.s_addc_u32(pointer[1], pointer[1], 0);
    k.s_sub_u32(s.bytes, s.bytes, t[3]);
  }
  raw_buffer(k, s.resource, pointer, s.bytes);
  for (int i = 0; i < (s.how.transposed ? sum_blocks() : 1); ++i) {  // one iteration before the first
    const SSrcArg step = s.how.transposed ? SSrcArg(s.stride) : SSrcArg(4 * sum_blocks());
    k.s_sub_u32(s.resource[0], s.resource[0], step);
    k.s_subb_u32(s.resource[1], s.resource[1], 0);
    k.s_add_u32(s.bytes, s.bytes, step);
  }
  k.s_mul_i32(t[0], wave_of, o.wave_rows);
  k.s_sub_u32(t[1], o.rows_left, 1);
  Scratch scratch(r);
  const Vgpr row = scratch.v("row of the lane");
  const bool uniform = s.how.rows > 1 && !(o.is_a && scales_rows());
  const AxisValue values[] = {{"lane", lane}};
  const Vgpr free[] = {x, y};
  if (uniform) k.v_mov_b32(row, t[0]);
  else {
    emit_offset(k, row, atom.product, o.is_a ? "row" : "col", values, free);
    k.v_add_u32(row, t[0], row);
  }
  const int of_tile = static_cast<int>(s.address.size()) / (uniform ? 1 : o.tiles());
  for (int i = 0; i < static_cast<int>(s.address.size()); ++i) {
    const auto item = static_cast<uint32_t>(i % of_tile * scales_of_load(o));
    const int further = i / of_tile * atom.extent +
                        (o.is_a && !uniform ? static_cast<int>(atom.product.at({{"item", item}}, "row")) : 0);
    k.v_add_u32(x, further, row);
    memory_row(o, x, x, t[1]);
    k.v_add_u32(x, first, x);
    if (s.how.rows > 1) k.v_lshrrev_b32(x, log2(s.how.rows), x);
    if (s.how.transposed) k.v_lshlrev_b32(s.address[i], 2, x);
    else k.v_mul_lo_u32(s.address[i], x, s.stride);
  }
}

// The scales of an iteration. In the rest of K, blocks after its end are not read and count as 0.
Block Gemm::load_sum_scales(int set, bool rest) {
  Block b(k.arch(), "load_sum_scales");
  for (TileOperand* o : {&A, &B}) {
    auto& s = o->sum_scales;
    if (!s.how.rows) continue;
    for (int i = 0; i < (s.how.transposed ? sum_blocks() : 1); ++i) {
      const SSrcArg step = s.how.transposed ? SSrcArg(s.stride) : SSrcArg(4 * sum_blocks());
      b.s_add_u32(s.resource[0], s.resource[0], step);
      b.s_addc_u32(s.resource[1], s.resource[1], 0);
      b.s_sub_u32(s.bytes, s.bytes, step);
    }
    set_bytes(b, s.resource, s.bytes);
    const int run = scales_of_load(*o);
    const bool together = blocks_together(*o) && !rest;
    for (int block = 0; block < (together ? 1 : sum_blocks()); ++block)
      for (size_t i = 0; i < s.address.size(); ++i) {
        Vgpr address = s.address[i];
        if (block && rest) {
          b.s_sub_u32(t[0], k_left, sum_scale_k * block + 1);
          b.s_ashr_i32(t[0], t[0], 31);
          b.v_or_b32(x, t[0], address);
          address = x;
        }
        if (s.how.transposed) {
          const SSrcArg block_bytes = block ? SSrcArg(s.stride) : SSrcArg(0);
          const int each = run % 4 ? 1 : 4;
          for (int item = 0; item < run; item += each)
            b.buffer(each == 1 ? Opcode::buffer_load_dword : Opcode::buffer_load_dwordx4,
                     sum_scale(*o, set, block, i, item, each), address, s.resource, block_bytes,
                     {.offset = 4 * item, .flags = isa::offen});
          continue;
        }
        for (int item = 0; item < run; ++item) {
          if (item && !s.further.dwords) b.s_mul_i32(t[1], s.stride, item);
          b.buffer(together ? Opcode::buffer_load_dwordx2 : Opcode::buffer_load_dword,
                   sum_scale(*o, set, block, i, item, together ? 2 : 1), address, s.resource,
                   !item              ? SSrcArg(0)
                   : s.further.dwords ? SSrcArg(s.further[item - 1])
                                      : SSrcArg(t[1]),
                   {.offset = 4 * block, .flags = isa::offen});
        }
      }
  }
  return b;
}
// Behind the factors of the last block of this iteration, whose registers they take.
Pipeline::Stages Gemm::sum_scale_loads() {
  const Ahead by = ahead(sum_scale_sets()).over(sum_scale_sets());
  return {{by.in_segment(whole_blocks), [this](int set) { return load_sum_scales(set, false); }},
          {by.in_segment(rest_of_k), [this](int set) { return load_sum_scales(set, true); }}};
}

// What the sums of a block are multiplied by: a scale that all rows or columns share belongs to the factor of the
// other.
Block Gemm::sum_factors(int set, int block) {
  Block b(k.arch(), "sum_factors");
  // Of the address and the row that it reaches; null: no scales.
  using Scales = std::function<Vgpr(size_t, int)>;
  const auto scales = [&](const TileOperand& o) -> Scales {
    if (!o.sum_scales.how.rows) return {};
    const size_t last = o.sum_scales.address.size() - 1;
    b.wait_for(sum_scale(o, set, block, last, scales_of_load(o) - 1));
    return [this, &o, set, block](size_t address, int item) { return sum_scale(o, set, block, address, item); };
  };
  const Scales of_a = scales(A), of_b = scales(B);
  const auto factor = [&](Vgpr to, Vgpr scale, const Scales& shared) {
    if (shared) b.v_mul_f32(to, scale, shared(0, 0));
    else b.v_mov_b32(to, scale);
  };
  const int run = scales_of_load(A);
  for (int tm = 0; scales_rows() && tm < A.tiles(); ++tm)
    for (int item = 0; item < atom.items; ++item)
      factor(sums.rows[tm][item], of_a(static_cast<size_t>((tm * atom.items + item) / run), item % run),
             B.sum_scales.how.rows == 1 ? Scales() : of_b);
  for (int tn = 0; tn < sum_columns(); ++tn) {
    const Vgpr to = sums.columns[tn];
    const auto of_column = static_cast<size_t>(tn);
    if (scales_rows()) factor(to, of_b(of_column, 0), {});
    else if (of_b) factor(to, of_b(std::min(of_column, B.sum_scales.address.size() - 1), 0), of_a);
    else factor(to, of_a(0, 0), {});
  }
  return b;
}
Block Gemm::add_sum(int product) {
  Block b(k.arch(), "add_sum");
  const Vgpr sum = sums.of.vgprs(product % sum_registers()), total = acc.vgprs(product);
  const Vgpr rows = scales_rows() ? static_cast<Vgpr>(sums.rows[product % A.tiles()]) : Vgpr{};
  const int column = std::min(product / A.tiles(), sum_columns() - 1), high = column % 2;
  if (adds_pairs()) {
    // One register of a pair, twice.
    isa::Mods of_column{.op_sel = 0b000, .op_sel_hi = 0b101};
    if (high) of_column.op_sel = 0b010, of_column.op_sel_hi = 0b111;
    for (int item = 0; item < atom.items; item += 2) {
      const Vgpr from = sum.slice(item, 2), to = total.slice(item, 2);
      if (column >= 0 && rows.dwords) b.v_pk_mul_f32(from, rows.slice(item, 2), from);
      if (column >= 0) b.v_pk_fma_f32(to, from, sums.columns.slice(column - high, 2), to, of_column);
      else b.v_pk_fma_f32(to, from, rows.slice(item, 2), to);
    }
    return b;
  }
  for (int item = 0; item < atom.items; ++item) {
    if (column >= 0 && rows.dwords) b.v_mul_f32(sum[item], rows[item], sum[item]);
    b.v_fmac_f32(total[item], column >= 0 ? sums.columns[column] : rows[item], sum[item]);
  }
  return b;
}

// Multiplies one set of fragments. In the first set of a block sums begin anew, in the last one they are complete.
Block Gemm::multiply_sums(int k_slice, int of_slice) {
  Block b(k.arch(), "multiply_sums");
  const int number = k_slice % 2 * fragments + of_slice, late = late_tiles(), from = set(k_slice, of_slice);
  const bool first = number % sets_of_sum() == 0, last = (number + 1) % sets_of_sum() == 0;
  const auto factors = [&] { return sum_factors(k_slice / 2 % sum_scale_sets(), number / sets_of_sum()); };
  if (last && !first) b << factors();
  const auto one = [&](Block& to, int tile, int part) {
    const isa::Operand d = sums.of(tile % sum_registers());
    atom.multiply(to, d, A.fragment_of(from, tile % A.tiles()), B.fragment_of(from, tile / A.tiles()), part,
                  first && part == 0 ? isa::imm(0) : d);
  };
  if (!first && !last) {
    for (int part = 0; part < atom.parts(); ++part)
      for (int tile = 0; tile < tiles(); ++tile) one(b, tile, part);
    return b;
  }
  for (int tile = 0; tile < tiles(); ++tile) {
    Block products(k.arch(), "multiply_sums");
    for (int part = 0; part < atom.parts(); ++part) one(products, tile, part);
    if (last && first && tile == late) b << factors();  // the block before had others
    if (tile < late ? !first : !last) {                 // sums of the block before, or of this one, are not complete
      b << products;
      continue;
    }
    const int added = tile < late ? tiles() - late + tile : tile - late;
    if (late) b << spread(products, {add_sum(added)});
    else b << products << add_sum(added);
  }
  return b;
}

}  // namespace wavesmith::gemm
