// From accumulators straight to D, without LDS, where the wave's part of D is whole, aligned and without C: each lane
// stores 16 bytes, so that an instruction writes 64 bytes of 16 columns. A matrix instruction gives a lane four
// consecutive rows. Of 16 bits they are 8 bytes: then two tiles are converted together, and neighbouring rows of 16
// lanes exchange half of them (v_permlane16_swap_b32), after which a lane has eight rows of one tile.
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/scratch.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

bool Gemm::swaps_rows() const { return stored_rows == 2 * atom.run; }

bool Gemm::stores_from_registers() const {
  constexpr int columns = 16;
  if (quantised || halves > 1 || adds_to_d(cfg) || scale != Type::f32 || cfg.epilogue.has(EpiloguePart::absmax))
    return false;
  for (const EpiloguePartInfo& p : epilogue_parts())
    if (cfg.epilogue.has(p.part) && p.shape != PartShape::scalar) return false;
  if (atom.extent != columns || atom.items != atom.run) return false;
  for (int i = 0; i < log2(columns); ++i)
    if (atom.product.basis("lane", i, "col") != 1u << i) return false;
  if (stored_rows == atom.run) return true;
  return swaps_rows() && wave == 4 * columns && A.tiles() % 2 == 0 &&
         isa::info(Opcode::v_permlane16_swap_b32).on(kernel.arch);
}

// Where a lane's element of a store is. Swapped: of lanes 0 to 15 and 32 to 47 in the first tile, of others in the
// second.
isa::LinearLayout Gemm::direct_lanes() const {
  isa::LinearLayout l({{"lane", log2(wave)}}, {{"row", log2(2 * atom.extent)}, {"col", log2(atom.extent)}});
  const int columns = log2(atom.extent);
  for (int i = 0; i < log2(wave); ++i)
    if (i < columns) l.move("lane", i, "col", 1u << i);
    else if (!swaps_rows()) l.move("lane", i, "row", atom.product.basis("lane", i, "row"));
    else l.move("lane", i, "row", static_cast<uint32_t>(i == columns ? atom.extent : stored_rows));
  return l;
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

void Gemm::store_from_registers() {
  const AxisValue values[] = {{"lane", lane}};
  const isa::LinearLayout lanes_of = direct_lanes();
  emit_offset(k, x, lanes_of, "col", values, {});
  k.v_mul_lo_u32(out.d_at, x, out.d_step);
  emit_offset(k, x, lanes_of, "row", values, {});
  k.v_lshl_add_u32(out.d_at, x, out_shift, out.d_at);
  k.s_lshl_b32(out.d_step, out.d_step, log2(atom.extent));
  k.s_mov_b32(out.first_column, 0);  // bytes from the part's first column to those of the step
  const int joined = stored_rows / atom.run;
  struct Step {
    Vgpr results;
    int tn, tm;
  };
  std::vector<Step> steps;
  const auto emit = [&] {
    const auto all = [&](auto&& f) {
      for (const Step& s : steps) f(s);
    };
    all([&](const Step& s) {
      for (int i = 0; i < stored_rows; ++i)
        acc.read(k, s.results[i], product_of(s.tn, s.tm + i / atom.run), i % atom.run);
    });
    all([&](const Step& s) { epilogue_code.scale(s.results, out.alpha, 0); });
    all([&](const Step& s) { epilogue_code.activate(s.results, 0); });
    all([&](const Step& s) { epilogue_code.scale_result(s.results, 0), epilogue_code.convert(s.results); });
    if (joined == 2)
      all([&](const Step& s) {
        for (int i : {0, 1}) k.v_permlane16_swap_b32(s.results[i], s.results[i + 2]);
      });
    all([&](const Step& s) {
      k.buffer_store_dwordx4(s.results.slice(0, 4), out.d_at, out.d, out.first_column,
                             {.offset = s.tm * atom.extent * out_bytes, .flags = isa::offen});
    });
    steps.clear();
  };
  for (int tn = 0; tn < B.tiles(); ++tn) {
    if (tn) k.s_add_u32(out.first_column, out.first_column, out.d_step);
    for (int tm = 0; tm < A.tiles(); tm += joined) {
      steps.push_back({out.result[steps.size()], tn, tm});
      if (steps.size() == out.result.size() || tm + joined >= A.tiles()) emit();
    }
  }
}

}  // namespace wavesmith::gemm
