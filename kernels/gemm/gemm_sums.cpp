// Scales of sums (SumScales): the products of each 128 k are summed from zero, multiplied by the scales of their row
// and column and added to the accumulators by VALU instructions, which run beside matrix instructions of other tiles: a
// tile's sum is added two tiles later. The sums of the last two tiles are added beside the first products of the next
// 128 k. A scale is loaded an iteration ahead, without LDS.
#include "generator/dsl/emit_offset.h"
#include "generator/schedule/interleave.h"
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
    const int addresses = o->is_a && scales_rows() ? o->tiles() * atom.items / scales_of_load(*o)
                          : s.how.rows == 1        ? o->tiles()
                                                   : 1;
    for (int i = 0; i < addresses; ++i) s.address.push_back(r.v.alloc(1, name + " scales' load address"));
  }
}
// Zeros: the first block adds the sums of a block before it.
void Gemm::declare_sums() {
  for (TileOperand* o : {&A, &B}) {
    auto& s = o->sum_scales;
    if (!s.how.rows) continue;
    s.loaded.resize(static_cast<size_t>(sum_blocks()));
    for (auto& block : s.loaded)
      for (size_t i = 0; i < s.address.size(); ++i)
        block.push_back(r.v.alloc(scales_of_load(*o), std::string(o->name) + " scales", 0));
  }
  sums.of = Accumulators(r, kernel.arch, tiles(), atom.items, fmt::format("sum of 128 k of tile {0}x{0}", atom.extent),
                         SumsIn::vgprs);
  if (scales_rows())
    for (int i = 0; i < A.tiles(); ++i) sums.rows.push_back(r.v.alloc(atom.items, "factors of rows"));
  const bool each_column = B.sum_scales.how.rows == 1;
  if (each_column || !scales_rows())
    for (int i = 0; i < (each_column ? B.tiles() : 1); ++i) sums.columns.push_back(r.v.alloc(1, "factor of a column"));
}
void Gemm::clear_sums() {
  sums.of.clear(k);
  for (const auto* all : {&sums.rows, &sums.columns})
    for (const Vgpr factors : *all)
      for (int i = 0; i < factors.dwords; ++i) k.v_mov_b32(factors[i], 0);
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

// The scales of the next iteration. In the rest of K, blocks behind its end are not read and count as 0.
Block Gemm::load_sum_scales(bool rest) {
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
    for (int block = 0; block < sum_blocks(); ++block)
      for (size_t i = 0; i < s.address.size(); ++i) {
        const Vgpr to = s.loaded[static_cast<size_t>(block)][i];
        Vgpr address = s.address[i];
        if (block && rest) {
          b.s_sub_u32(t[0], k_left, sum_scale_k * block + 1);
          b.s_ashr_i32(t[0], t[0], 31);
          b.v_or_b32(x, t[0], address);
          address = x;
        }
        if (s.how.transposed) {
          const SSrcArg block_bytes = block ? SSrcArg(s.stride) : SSrcArg(0);
          const int each = to.dwords % 4 ? 1 : 4;
          for (int item = 0; item < to.dwords; item += each)
            b.buffer(each == 1 ? Opcode::buffer_load_dword : Opcode::buffer_load_dwordx4, to.slice(item, each), address,
                     s.resource, block_bytes, {.offset = 4 * item, .flags = isa::offen});
          continue;
        }
        for (int item = 0; item < to.dwords; ++item) {
          if (item) b.s_mul_i32(t[1], s.stride, item);
          b.buffer_load_dword(to[item], address, s.resource, item ? SSrcArg(t[1]) : SSrcArg(0),
                              {.offset = 4 * block, .flags = isa::offen});
        }
      }
  }
  return b;
}
// Behind the factors of the last block of this iteration, whose registers they take.
Pipeline::Stages Gemm::sum_scale_loads() {
  return {{ahead(1).over(1).in_segment(whole_blocks), [this](int) { return load_sum_scales(false); }},
          {ahead(1).over(1).in_segment(rest_of_k), [this](int) { return load_sum_scales(true); }}};
}

// What the sums of a block are multiplied by: a scale that all rows or columns share belongs to the factor of the
// other.
Block Gemm::sum_factors(int block) {
  Block b(k.arch(), "sum_factors");
  const auto scales = [&](const TileOperand& o) -> const std::vector<Owned<File::v>>* {
    return o.sum_scales.how.rows ? &o.sum_scales.loaded[static_cast<size_t>(block)] : nullptr;
  };
  const auto *of_a = scales(A), *of_b = scales(B);
  for (const auto* of : {of_a, of_b})
    if (of) b.wait_for(of->back());
  const auto factor = [&](Vgpr to, Vgpr scale, const std::vector<Owned<File::v>>* shared) {
    if (shared) b.v_mul_f32(to, scale, shared->front());
    else b.v_mov_b32(to, scale);
  };
  const int run = scales_of_load(A);
  for (int tm = 0; scales_rows() && tm < A.tiles(); ++tm)
    for (int item = 0; item < atom.items; ++item)
      factor(sums.rows[tm][item], (*of_a)[static_cast<size_t>((tm * atom.items + item) / run)][item % run],
             B.sum_scales.how.rows == 1 ? nullptr : of_b);
  for (size_t tn = 0; tn < sums.columns.size(); ++tn)
    if (scales_rows()) factor(sums.columns[tn], (*of_b)[tn], nullptr);
    else if (of_b) factor(sums.columns[tn], (*of_b)[std::min(tn, of_b->size() - 1)], of_a);
    else factor(sums.columns[tn], of_a->front(), nullptr);
  return b;
}
Block Gemm::add_sum(int product) {
  Block b(k.arch(), "add_sum");
  const Vgpr sum = sums.of.vgprs(product), total = acc.vgprs(product);
  const auto tn = static_cast<size_t>(product / A.tiles());
  for (int item = 0; item < atom.items; ++item) {
    if (sums.columns.empty()) {
      b.v_fmac_f32(total[item], sums.rows[product % A.tiles()][item], sum[item]);
      continue;
    }
    if (scales_rows()) b.v_mul_f32(sum[item], sums.rows[product % A.tiles()][item], sum[item]);
    b.v_fmac_f32(total[item], sums.columns[std::min(tn, sums.columns.size() - 1)], sum[item]);
  }
  return b;
}

// Multiplies one set of fragments. In the first set of a block sums begin anew, in the last one they are complete.
Block Gemm::multiply_sums(int k_slice, int of_slice) {
  Block b(k.arch(), "multiply_sums");
  const int number = k_slice % 2 * fragments + of_slice, late = late_tiles(), from = set(k_slice, of_slice);
  const bool first = number % sets_of_sum() == 0, last = (number + 1) % sets_of_sum() == 0;
  if (last) b << sum_factors(number / sets_of_sum());
  const auto one = [&](Block& to, int tile, int part) {
    const isa::Operand d = sums.of(tile);
    atom.multiply(to, d, A.fragment[from][tile % A.tiles()], B.fragment[from][tile / A.tiles()], part,
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
    const int added = last ? tile - late : tile < late ? tiles() - late + tile : -1;
    if (added < 0) b << products;
    else if (late) b << spread(products, {add_sum(added)});
    else b << products << add_sum(added);
  }
  return b;
}

}  // namespace wavesmith::gemm
