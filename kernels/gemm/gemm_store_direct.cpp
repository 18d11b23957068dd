// From accumulators straight to D, without LDS, where the wave's part of D is whole, aligned and without C: each lane
// stores 16 bytes, so that an instruction writes 64 bytes of 16 columns. A matrix instruction gives a lane four
// consecutive rows. Of 16 bits they are 8 bytes: then results of two tiles of 16x16, or of one of 32x32, are exchanged
// among lanes until a lane has eight rows, and 64 lanes have 32 rows of 16 columns.
#include <numeric>

#include "generator/dsl/emit_offset.h"
#include "generator/dsl/scratch.h"
#include "generator/dsl/wave_ops.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// Of results of 16 bits: two tuples of the lane's rows make two instructions (32x32), or one makes one (16x16).
bool Gemm::swaps_rows() const { return stored_rows == 2 * atom.run; }

// `vectors`: with operands of rows and columns of D, too, whose registers a lane keeps for all of its results: a sixth
// of all at most.
bool Gemm::stores_from_registers(bool vectors) const {
  if (quantised || halves > 1 || adds_to_d(cfg) || scale != Type::f32 || cfg.epilogue.has(EpiloguePart::absmax))
    return false;
  for (const EpiloguePartInfo& p : epilogue_parts())
    if (cfg.epilogue.has(p.part) && p.shape != PartShape::scalar &&
        !(vectors && p.shape != PartShape::matrix && stored_rows == atom.run))
      return false;
  const std::vector<int> of_epilogue = epilogue_code.registers(B.tiles(), A.tiles());
  if (std::accumulate(of_epilogue.begin(), of_epilogue.end(), 0) > r.v.size() / 6) return false;
  for (int i = 0; i < log2(direct_columns); ++i)
    if (atom.product.basis("lane", i, "col") != 1u << i) return false;
  if (stored_rows == atom.run) return atom.extent == direct_columns && atom.items == atom.run;
  if (!swaps_rows() || wave != 4 * direct_columns || !isa::info(Opcode::v_permlane16_swap_b32).on(kernel.arch))
    return false;
  return atom.extent == 2 * direct_columns || (atom.extent == direct_columns && A.tiles() % 2 == 0);
}

bool Gemm::pairs_tiles() const {
  return !swaps_rows() && wave == 2 * direct_columns && stored_rows * out_bytes == chunk_bytes && A.tiles() % 2 == 0;
}

// Where a lane's element of a store is.
isa::LinearLayout Gemm::direct_lanes() const {
  isa::LinearLayout l({{"lane", log2(wave)}}, {{"row", log2(2 * direct_columns)}, {"col", log2(direct_columns)}});
  const int columns = log2(direct_columns);
  for (int i = 0; i < log2(wave); ++i)
    if (i < columns - pairs_tiles()) l.move("lane", i, "col", 1u << i);
    else if (pairs_tiles()) l.move("lane", i, "row", static_cast<uint32_t>(i < columns ? direct_columns : stored_rows));
    else if (!swaps_rows()) l.move("lane", i, "row", atom.product.basis("lane", i, "row"));
    else l.move("lane", i, "row", static_cast<uint32_t>(i == columns ? direct_columns : stored_rows));
  return l;
}

// Where a lane's first element of a tile's sums is.
isa::LinearLayout Gemm::sum_lanes() const {
  isa::LinearLayout l({{"lane", log2(wave)}}, {{"row", log2(atom.extent)}, {"col", log2(atom.extent)}});
  for (int i = 0; i < log2(wave); ++i)
    for (const char* axis : {"row", "col"})
      if (const uint32_t to = atom.product.basis("lane", i, axis)) l.move("lane", i, axis, to);
  return l;
}

// Packed results. Two tiles of 16x16, rows 4g to 4g + 3 of both in group g of 16 lanes: groups 1 and 3 of the first
// half and 0 and 2 of the second are exchanged. One tile of 32x32, rows 8q + 4h to 8q + 4h + 3 in half h of the lanes,
// q = 0 and 1 in `first`, 2 and 3 in `second`: halves exchange their rows, then groups of 16 lanes their columns.
void Gemm::exchange_rows(Vgpr first, Vgpr second) {
  const auto pairs = [&](Vgpr of, auto&& swap) {
    for (int i : {0, 1}) swap(of[i], of[i + 2]);
  };
  if (atom.extent == direct_columns) return pairs(first, [&](Vgpr a, Vgpr b) { k.v_permlane16_swap_b32(a, b); });
  for (const Vgpr of : {first, second}) pairs(of, [&](Vgpr a, Vgpr b) { k.v_permlane32_swap_b32(a, b); });
  for (int i = 0; i < 4; ++i) k.v_permlane16_swap_b32(first[i], second[i]);
}

// Pairs of tiles of 16x16 in waves of 32 lanes, of which lanes 16 apart have halves of a column: lanes 8 apart exchange
// columns 8 to 15 of the first tile with columns 0 to 7 of the second, so that a store covers 64 bytes of a column.
void Gemm::exchange_columns(const std::vector<DirectStep>& steps) {
  const auto take = [&](uint32_t lanes_that_keep, size_t kept, size_t other) {
    k.mask_mov(vcc, static_cast<int>(lanes_that_keep));
    for (size_t i = 0; i < steps.size(); i += 2)
      for (int j = 0; j < 4; ++j)
        k.v_cndmask_b32(steps[i + kept].stored[j], steps[i + other].results[j], steps[i + kept].results[j], vcc,
                        dpp::row_xmask(8));
  };
  take(0x00ff00ff, 0, 1);
  take(0xff00ff00, 1, 0);
}
// What is exchanged first does not overwrite what the other tile needs.
Gemm::DirectStep Gemm::direct_step(int tn, int tm, int first, Vgpr results) const {
  return {tn, tm, first, results, results.slice(pairs_tiles() && tm % 2 == 0 ? 4 : 0, 4)};
}

void Gemm::is_whole_part(Sgpr zero_if_so) {
  test_zero(beta);
  k.s_cselect_b32(zero_if_so, 0, 1);
  k.s_or_b32(t[0], out.d[0], out.d_step);
  k.s_and_b32(t[0], t[0], 3);
  k.s_or_b32(zero_if_so, zero_if_so, t[0]);
  k.s_sub_u32(t[0], out.rows_left, d_rows());
  k.s_or_b32(zero_if_so, zero_if_so, t[0]);
  k.s_sub_u32(t[0], out.columns_left, B.wave_rows);
  k.s_or_b32(zero_if_so, zero_if_so, t[0]);
}

// Not 0 if columns of D are not aligned to four bytes. Clobbers t[0].
void Gemm::add_misaligned(Sgpr to, Sgpr d, Sgpr stride) {
  k.s_or_b32(t[0], ldd, stride[0]);
  k.s_lshl_b32(t[0], t[0], out_shift);
  k.s_or_b32(t[0], t[0], d[0]);
  k.s_and_b32(t[0], t[0], 3);
  k.s_or_b32(to, to, t[0]);
}

// A lane keeps what it needs of operands along rows and columns.
void Gemm::begin_direct_epilogue(Sgpr m, Sgpr n, Sgpr rows_left, Sgpr columns_left) {
  if (stores_from_registers(false)) {
    epilogue_code.declare(0, 1, d_rows());
    epilogue_code.begin(epilogue_pointers(), {});
    return;
  }
  epilogue_code.declare(B.tiles(), atom.extent, d_rows(), A.tiles(), atom.extent);
  Scratch s(r);
  const Vgpr row = s.v("row"), column = y, scratch[] = {x};
  const AxisValue values[] = {{"lane", lane}};
  emit_offset(k, row, sum_lanes(), "row", values, scratch);
  emit_offset(k, column, sum_lanes(), "col", values, scratch);
  epilogue_code.begin(epilogue_pointers(), {m, n, rows_left, columns_left, M, N, batch(), row, column});
  epilogue_code.load_columns(0);
  epilogue_code.free_resources();
}
void Gemm::begin_direct_stores() {
  const AxisValue values[] = {{"lane", lane}};
  const isa::LinearLayout lanes_of = direct_lanes();
  emit_offset(k, x, lanes_of, "col", values, {});
  k.v_mul_lo_u32(out.d_at, x, out.d_step);
  const Vgpr scratch[] = {y};
  emit_offset(k, x, lanes_of, "row", values, scratch);
  k.v_lshl_add_u32(out.d_at, x, out_shift, out.d_at);
  k.s_lshl_b32(out.d_step, out.d_step, log2(direct_columns));
  out.column_bytes = 0;
  k.s_mov_b32(column_bytes(0), 0);
}
// From the part's first column to those of an instruction; further ones of the same 16: i > 0. In turn two registers
// hold them, so that instructions under way keep theirs.
Sgpr Gemm::column_bytes(int i) const {
  const int turn = out.passes.dwords ? out.column_bytes % 2 : 0;
  return i ? t[turn] : turn ? static_cast<Sgpr>(out.passes) : static_cast<Sgpr>(out.first_column);
}
void Gemm::next_direct_columns() {
  Sgpr from = column_bytes(0);
  ++out.column_bytes;
  for (int i = 0; i < direct_steps(); ++i) {
    k.s_add_u32(column_bytes(0), from, out.d_step);
    from = column_bytes(0);
  }
}
void Gemm::convert_directly(const std::vector<DirectStep>& steps) {
  const auto all = [&](auto&& f) {
    for (const DirectStep& s : steps) f(s);
  };
  const auto at_once = static_cast<size_t>(direct_steps());
  const auto product = [&](const DirectStep& s, int row) {
    return product_of(s.tn, s.tm + (s.first + row) / atom.items);
  };
  const auto item = [&](const DirectStep& s, int row) { return (s.first + row) % atom.items; };
  const bool sums = acc(product(steps.front(), 0)).covers(File::v, steps.front().results.index),
             in_place = sums || (!acc.agprs() && accumulator == Type::f32);  // instructions that scale can read them
  all([&](const DirectStep& s) {
    for (int i = 0; !in_place && i < stored_rows; ++i) acc.read(k, s.results[i], product(s, i), item(s, i));
  });
  all([&](const DirectStep& s) {
    epilogue_code.scale(
        s.results, out.alpha, {s.tn, s.tm}, 0, sums || !in_place ? EpilogueCode::Sums{} : [&](int row, int rows) {
          return acc.vgprs(product(s, row)).slice(item(s, row), rows);
        });
  });
  all([&](const DirectStep& s) { epilogue_code.activate(s.results, {s.tn, s.tm}); });
  all([&](const DirectStep& s) {
    epilogue_code.scale_result(s.results, {s.tn, s.tm}), epilogue_code.convert(s.results);
  });
  for (size_t i = 0; swaps_rows() && i < steps.size(); i += at_once)
    exchange_rows(steps[i].results, steps[i + at_once - 1].results);
  if (pairs_tiles()) exchange_columns(steps);
}
void Gemm::store_directly(const std::vector<DirectStep>& steps) {
  convert_directly(steps);
  const auto at_once = static_cast<size_t>(direct_steps());
  const Sgpr first = column_bytes(0), second = column_bytes(1);
  if (at_once > 1) k.s_add_u32(second, first, out.d_step);
  if (pairs_tiles()) k.s_lshr_b32(second, out.d_step, 1), k.s_add_u32(second, first, second);
  for (const DirectStep& s : steps) store_directly(s, s.first || is_odd(s) ? second : first);
}
void Gemm::store_directly(const DirectStep& s, Sgpr column) {
  k.buffer_store_dwordx4(s.stored, out.d_at, out.d, column,
                         {.offset = (s.tm - is_odd(s)) * atom.extent * out_bytes, .flags = isa::offen});
}
// Those of one half of the registers are stored while the other half's are computed.
void Gemm::store_from_registers(std::vector<Vgpr> results) {
  begin_direct_stores();
  const auto at_once = static_cast<size_t>(pairs_tiles() ? 2 : direct_steps()), all = results.size(),
             together = all >= 4 * at_once ? all / 2 / at_once * at_once : all;
  results.resize(all / together * together);
  size_t turn = 0;
  std::vector<DirectStep> steps;
  for (int tn = 0; tn < B.tiles(); ++tn) {
    if (tn) next_direct_columns();
    for (int tm = 0; tm < A.tiles(); tm += direct_tiles()) {
      for (int i = 0; i < direct_steps(); ++i)
        steps.push_back(direct_step(tn, tm, i * stored_rows, results[turn++ % results.size()]));
      if (steps.size() + static_cast<size_t>(direct_steps()) <= together && tm + direct_tiles() < A.tiles()) continue;
      store_directly(steps);
      steps.clear();
    }
  }
}

}  // namespace wavesmith::gemm
