// From accumulators to D: D = f(alpha acc + beta C + bias), rounded; or, where workgroups share D, added to it. A
// wave's part of D passes through LDS, 32 columns at a time: from lanes that hold four rows of a column as the matrix
// instruction has them to lanes that hold 16 consecutive bytes of D, so that a store covers whole columns of the part.
// Edges are exact: lanes outside D are masked, and where 16 bytes are not aligned or the last ones reach past M, they
// are accessed element by element.
#include <numbers>

#include "generator/dsl/emit_offset.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {
namespace {
constexpr int steps_in_flight = 4;  // whose LDS reads, loads of C and stores overlap
}  // namespace

// Where a matrix instruction has the first of four rows: "lane" -> "row" (column of D), "chunk" (four rows).
isa::LinearLayout Gemm::result_lanes() const {
  isa::LinearLayout l({{"lane", log2(wave_lanes)}}, {{"row", log2(result_columns)}, {"chunk", log2(A.wave_rows / 4)}});
  for (int i = 0; i < log2(wave_lanes); ++i)
    l.move("lane", i, "row", product.basis("lane", i, "col"))
        .move("lane", i, "chunk", product.basis("lane", i, "row") / 4);
  return l;
}
// Columns one after the other; short ones two by two, 16 columns apart, so that the next ones are in other spans of
// banks, which a swizzle can tell apart.
isa::LinearLayout Gemm::result_tile() const {
  const int columns = log2(result_columns), pair = A.wave_rows < 64 ? 1 : 0;
  isa::LinearLayout places({{"row", columns}}, {{"byte", columns}});
  for (int i = 0; i < columns; ++i) places.move("row", i, "byte", 1u << ((i + pair) % columns));
  return isa::LinearLayout::identity("within", "byte", log2(chunk_bytes)) *
         isa::LinearLayout::identity("chunk", "byte", log2(A.wave_rows / 4)) * places;
}
// Where a lane's element of a store begins: along a column first.
isa::LinearLayout Gemm::stored_lanes() const {
  isa::LinearLayout l({{"lane", log2(wave_lanes)}},
                      {{"within", log2(chunk_bytes)}, {"chunk", log2(A.wave_rows / 4)}, {"row", log2(result_columns)}});
  for (int i = 0; i < log2(wave_lanes); ++i) {
    const int element = stored_rows << i;
    if (element < 4) l.move("lane", i, "within", static_cast<uint32_t>(element) * 4);
    else if (element < A.wave_rows) l.move("lane", i, "chunk", static_cast<uint32_t>(element) / 4);
    else l.move("lane", i, "row", static_cast<uint32_t>(element / A.wave_rows));
  }
  return l;
}

// The main loop's registers are free here.
void Gemm::declare_output() {
  packed.free();
  for (TileOperand* o : {&A, &B}) {
    o->resource.free(), o->on_the_way.clear();
    for (auto& set : o->fragment) set.clear();
  }
  const isa::LdsTileAccess all[] = {
      {"results written", isa::LdsAccess::write, chunk_bytes, result_lanes()},
      {"results read", isa::LdsAccess::read, std::min(chunk_bytes, 4 * stored_rows), stored_lanes()}};
  const auto tile = isa::swizzled_for(result_tile(), isa::target(kernel.arch).family, all);
  if (!tile) throw ConfigError("gemm: no swizzle of the results' LDS tile is free of bank conflicts");
  out = {.d = r.s.alloc(4, "D buffer resource", 4),
         .c = r.s.alloc(4, "C buffer resource", 4),
         .rows_left = r.s.alloc(1, "rows of D in the wave's part"),
         .columns_left = r.s.alloc(1, "columns of D in the wave's part"),
         .wide = r.s.alloc(1, "0: whole 16 bytes at once"),
         .passes = r.s.alloc(1, "passes left, of 32 columns"),
         .first_column = r.s.alloc(1, "of the pass"),
         .alpha = r.s.alloc(2, "alpha, twice", 2),
         .row_mask = r.s.alloc(4, "lanes with rows of D", 2),
         .d_step = r.s.alloc(1, "bytes of D between steps"),
         .c_step = r.s.alloc(1, "bytes of C between steps"),
         .row = r.v.alloc(1, "first row in the wave's part of D"),
         .column = r.v.alloc(1, "column in a step"),
         .d_at = r.v.alloc(1, "byte offset in D"),
         .c_at = r.v.alloc(1, "byte offset in C"),
         .tile = *tile,
         .writes = AddressSet(result_lanes().then(*tile), chunk_bytes),
         .reads = AddressSet(stored_lanes().then(*tile), std::min(chunk_bytes, 4 * stored_rows))};
  for (int tm = 0; tm < A.wave_rows; tm += mma_mn)
    for (int item = 0; item < held; item += 4)
      for (int tn = 0; tn < result_columns; tn += mma_mn) out.writes.at(result_place(tn, tm, item));
  for (int step = 0; step < steps(); ++step)
    for (int row = 0; row < stored_rows; row += 4) out.reads.at(stored_place(step, row));
  for (size_t i = 0; i < out.writes.patterns().size(); ++i)
    out.write_at.push_back(r.v.alloc(1, "LDS address of results written"));
  for (size_t i = 0; i < out.reads.patterns().size(); ++i)
    out.read_at.push_back(r.v.alloc(1, "LDS address of results read"));
  for (int i = 0; i < std::min(steps(), steps_in_flight); ++i) {
    out.result.push_back(r.v.alloc(std::max(stored_rows, 2), "results"));
    out.old_c.push_back(r.v.alloc(stored_rows, "values of C"));
  }
  if (cfg.epilogue.bias) out.bias = r.v.alloc(stored_rows, "bias of the lane's rows");
  if (!isa::target(kernel.arch).unified)  // LDS takes no AGPRs
    for (int i = 0; i < steps_in_flight; ++i) out.moved.push_back(r.v.alloc(4, "results on their way to LDS"));
}
// LDS bytes from the lane's first access: of a tile's four accumulators from `item` on,
uint32_t Gemm::result_place(int tn, int tm, int item) const {
  const uint32_t row = product.at({{"item", static_cast<uint32_t>(item)}}, "row") + static_cast<uint32_t>(tm);
  return out.tile.at({{"row", static_cast<uint32_t>(tn)}, {"chunk", row / 4}}, "byte");
}
// of the four rows from `row` on that a step stores.
uint32_t Gemm::stored_place(int step, int row) const {
  const int element = step * wave_lanes * stored_rows;
  return out.tile.at({{"row", static_cast<uint32_t>(element / A.wave_rows)},
                      {"chunk", static_cast<uint32_t>(element % A.wave_rows + row) / 4}},
                     "byte");
}

void Gemm::epilogue() {
  k.comment("nobody reads A and B in LDS any more");
  k.barrier();
  k.comment("D and C: this wave's part");
  k.s_mul_i32(t[3], wave_m, A.wave_rows);
  k.s_add_u32(m0_, m0_, t[3]);
  k.s_mul_i32(t[3], wave_n, B.wave_rows);
  k.s_add_u32(n0, n0, t[3]);
  declare_output();
  const auto left = [&](Sgpr to, Sgpr extent, Sgpr first, int most) {
    k.s_sub_u32(to, extent, first);
    k.s_cselect_b32(to, 0, to);  // borrow: the part begins past the edge
    k.s_min_u32(to, to, most);
  };
  left(out.rows_left, M, m0_, A.wave_rows);
  left(out.columns_left, N, n0, B.wave_rows);
  k.s_min_u32(t[3], out.rows_left, out.columns_left);
  k.s_cmp_lg_u32(t[3], 0);
  k.when_scc(true, "end", [&] {
    output_addresses();
    if (cfg.epilogue.bias) load_bias();
    k.s_mov_b32(out.first_column, 0);
    k.s_add_u32(out.passes, out.columns_left, result_columns - 1);
    k.s_lshr_b32(out.passes, out.passes, log2(result_columns));
    k.loop("columns", out.passes, [&] {
      to_lds();
      for (int step = 0; step < steps(); step += steps_in_flight) {
        from_lds(step);
        add_old(step);
        for (Vgpr results : out.result) finish(results);
        store(step);
        k.mask_mov(exec, -1);
      }
      k.s_add_u32(out.first_column, out.first_column, result_columns);
      k.s_sub_u32(out.columns_left, out.columns_left, result_columns);
    });
  });
  k.s_endpgm();
}

void Gemm::output_addresses() {
  output_resource(out.d, pointers[&Args::d], strides[&Args::stride_d], ldd);
  output_resource(out.c, pointers[&Args::c], strides[&Args::stride_c], ldc);
  k.s_lshl_b32(out.d_step, ldd, out_shift);
  k.s_lshl_b32(out.c_step, ldc, out_shift);
  // 16 bytes at once: bases and columns a multiple of four bytes, rows of a whole access.
  k.s_or_b32(t[0], out.c[0], out.c_step);
  k.s_lshl_b32(t[1], beta, 1);  // C is not read if beta is 0 of either sign
  k.s_cmp_eq_u32(t[1], 0);
  k.s_cselect_b32(t[0], 0, t[0]);
  k.s_or_b32(t[0], t[0], out.d[0]);
  k.s_or_b32(t[0], t[0], out.d_step);
  k.s_and_b32(t[0], t[0], 3);
  k.s_and_b32(t[1], out.rows_left, stored_rows - 1);
  k.s_or_b32(out.wide, t[0], t[1]);
  const AxisValue values[] = {{"lane", lane}};
  const isa::LinearLayout lanes_of = stored_lanes();
  emit_offset(k, x, lanes_of, "within", values, {});
  emit_offset(k, out.row, lanes_of, "chunk", values, {});
  k.v_lshlrev_b32(out.row, 2, out.row);
  k.v_lshrrev_b32(x, 2, x);
  k.v_or_b32(out.row, x, out.row);
  emit_offset(k, out.column, lanes_of, "row", values, {});
  const auto first_address = [&](Vgpr address, Sgpr bytes) {  // one step back; `bytes`: of a column, then of a step
    k.v_mul_lo_u32(address, out.column, bytes);
    k.v_lshl_add_u32(address, out.row, out_shift, address);
    if (stored_columns() > 1) k.s_mul_i32(bytes, bytes, stored_columns());
    k.v_subrev_u32(address, bytes, address);
  };
  first_address(out.d_at, out.d_step);
  first_address(out.c_at, out.c_step);
  k.v_cmp_gt_u32(vcc, out.rows_left, out.row);
  k.s_mov_b64(out.row_mask.slice(0, 2), vcc);
  if (!stored_columns()) {
    k.v_add_u32(x, wave_lanes, out.row);
    k.v_cmp_gt_u32(vcc, out.rows_left, x);
    k.s_mov_b64(out.row_mask.slice(2, 2), vcc);
  }
  for (int i : {0, 1}) k.s_mov_b32(out.alpha[i], alpha);
  // LDS: each wave has a tile of its own.
  k.s_mul_i32(t[0], wave_n, cfg.waves_m);
  k.s_add_u32(t[0], t[0], wave_m);
  k.s_mul_i32(t[0], t[0], result_columns * A.wave_rows * 4);
  const auto addresses = [&](auto& to, const isa::LinearLayout& lanes_to, const AddressSet& set) {
    const Vgpr scratch[] = {x, y};
    emit_offset(k, to[0], lanes_to.then(out.tile), "byte", values, scratch);
    k.v_add_u32(to[0], t[0], to[0]);
    for (size_t i = 1; i < to.size(); ++i) k.v_xor_b32(to[i], static_cast<int>(set.patterns()[i]), to[0]);
  };
  addresses(out.write_at, result_lanes(), out.writes);
  addresses(out.read_at, stored_lanes(), out.reads);
}
// Lanes outside D are masked: the bound excludes nothing.
void Gemm::output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld) {
  at.add_strided(base, stride, batch(), out_shift);
  at.add_product(base, n0, ld, out_shift);
  k.s_lshl_b32(t[0], m0_, out_shift);
  k.s_lshr_b32(t[1], m0_, 32 - out_shift);
  k.s_add_u32(base[0], base[0], t[0]);
  k.s_addc_u32(base[1], base[1], t[1]);
  raw_buffer(k, resource, base, no_bound);
}
// Rows past M are 0.
void Gemm::load_bias() {
  Scratch scratch(r);
  const Sgpr resource = scratch.s("bias buffer resource", 4);
  k.s_mov_b32(t[3], out_bytes);
  at.add_product(bias_base, m0_, t[3]);
  k.s_lshl_b32(t[3], out.rows_left, out_shift);
  raw_buffer(k, resource, bias_base, t[3]);
  k.v_lshlrev_b32(x, out_shift, out.row);
  for (int i = 0; i < stored_rows; ++i)
    k.buffer(cfg.output == Type::f32 ? Opcode::buffer_load_dword : Opcode::buffer_load_ushort, out.bias[i], x, resource,
             0, {.offset = i * out_bytes, .flags = isa::offen});
  for (int i = 0; i < stored_rows; ++i) widen(out.bias[i], out.bias[i], Half::low);
}
void Gemm::widen(Vgpr to, Vgpr from, Half half) {
  if (cfg.output == Type::bf16) {
    if (half == Half::low) k.v_lshlrev_b32(to, 16, from);
    else k.v_and_b32(to, static_cast<int>(0xffff0000), from);
  } else if (cfg.output == Type::f16) {
    if (half == Half::high) k.v_lshrrev_b32(to, 16, from);
    k.v_cvt_f32_f16(to, half == Half::high ? to : from);
  }
}

// 32 columns from first_column on. A wave's LDS accesses are in order: it needs no barrier.
void Gemm::to_lds() {
  for (int columns = 0; columns < B.wave_rows; columns += result_columns) {
    k.s_cmp_eq_u32(out.first_column, columns);
    k.when_scc(true, "other_columns", [&] {
      size_t moved = 0;
      for (int tn = 0; tn < result_columns; tn += mma_mn)
        for (int tm = 0; tm < A.wave_rows; tm += mma_mn)
          for (int item = 0; item < held; item += 4) {
            const Agpr four = acc((columns + tn) / mma_mn, tm / mma_mn).slice(item, 4);
            const auto to = out.writes.at(result_place(tn, tm, item));
            VAArg from = four;
            if (!out.moved.empty()) {
              const Vgpr copy = out.moved[moved++ % out.moved.size()];
              for (int i = 0; i < 4; ++i) k.v_accvgpr_read_b32(copy[i], four[i]);
              from = copy;
            }
            k.ds_write_b128(out.write_at[to.address], from, {.offset = to.offset});
          }
    });
  }
}
// Steps from `first` on, each with a register tuple of its own: alpha acc.
void Gemm::from_lds(int first) {
  for (size_t i = 0; i < out.result.size(); ++i)
    for (int row = 0; row < stored_rows; row += 4) {
      const auto from = out.reads.at(stored_place(first + static_cast<int>(i), row));
      const Vgpr address = out.read_at[from.address];
      if (stored_rows == 1) k.ds_read_b32(out.result[i][0], address, {.offset = from.offset});
      else k.ds_read_b128(out.result[i].slice(row, 4), address, {.offset = from.offset});
    }
  const bool pairs = stored_rows > 1 && isa::info(Opcode::v_pk_mul_f32).on(kernel.arch);
  for (Vgpr results : out.result)
    for (int i = 0; i < stored_rows; i += pairs ? 2 : 1) {
      if (pairs) k.v_pk_mul_f32(results.slice(i, 2), out.alpha, results.slice(i, 2));
      else k.v_mul_f32(results[i], out.alpha[0], results[i]);
    }
}
// Bytes from the lane's address in a step: where a column takes two of them, that of the second.
int Gemm::step_offset(int step) const {
  return stored_columns() ? 0 : step * wave_lanes * stored_rows % A.wave_rows * out_bytes;
}
// The address of this step, one step on, and active the lanes that have elements of D in it.
void Gemm::select_lanes(int step, Vgpr address, Sgpr bytes) {
  const int element = step * wave_lanes * stored_rows, half = element % A.wave_rows / wave_lanes;
  k.mask_mov(exec, -1);
  if (step_offset(step) == 0) k.v_add_u32(address, bytes, address);
  k.s_sub_u32(t[0], out.columns_left, element / A.wave_rows);
  k.v_cmp_gt_i32(vcc, t[0], out.column);
  k.mask_and(exec, vcc, out.row_mask.slice(stored_columns() ? 0 : 2 * half, 2));
}
void Gemm::when_wide(const std::function<void()>& wide, const std::function<void()>& by_element) {
  if (stored_rows == 1) return wide();
  for (const bool elements : {false, true}) {
    k.s_cmp_lg_u32(out.wide, 0);
    k.when_scc(elements, elements ? "wide" : "by_element", elements ? by_element : wide);
  }
}
void Gemm::add_old(int first) {
  const bool f32 = cfg.output == Type::f32;
  const auto all = [&](auto&& load) {
    for (size_t i = 0; i < out.result.size(); ++i) {
      const int step = first + static_cast<int>(i);
      select_lanes(step, out.c_at, out.c_step);
      load(out.old_c[i], step_offset(step));
    }
    k.mask_mov(exec, -1);
  };
  const auto add = [&](Vgpr result, Vgpr value) { k.v_fma_f32(result, beta, value, result); };
  k.s_lshl_b32(t[0], beta, 1);  // beta = 0 of either sign must not read C
  k.s_cmp_eq_u32(t[0], 0);
  k.when_scc(false, "beta_zero", [&] {
    when_wide(
        [&] {
          all([&](Vgpr old, int offset) {
            const bool one = stored_rows == 1;
            k.buffer(one ? Opcode::buffer_load_dword : Opcode::buffer_load_dwordx4, old.slice(0, one ? 1 : 4), out.c_at,
                     out.c, 0, {.offset = offset, .flags = isa::offen});
          });
          for (size_t i = 0; i < out.result.size(); ++i)
            for (int j = 0; j < stored_rows; ++j) {
              if (!f32) widen(x, out.old_c[i][j / 2], j % 2 ? Half::high : Half::low);
              add(out.result[i][j], f32 ? out.old_c[i][j] : static_cast<Vgpr>(x));
            }
        },
        [&] {
          all([&](Vgpr old, int) {
            by_rows([&](int j) {
              k.buffer(f32 ? Opcode::buffer_load_dword : Opcode::buffer_load_ushort, old[j], out.c_at, out.c, 0,
                       {.offset = j * out_bytes, .flags = isa::offen});
            });
          });
          for (size_t i = 0; i < out.result.size(); ++i)
            for (int j = 0; j < stored_rows; ++j) {
              widen(out.old_c[i][j], out.old_c[i][j], Half::low);
              add(out.result[i][j], out.old_c[i][j]);
            }
        });
  });
}
// For each of the lane's rows, with the lanes that have it.
void Gemm::by_rows(const std::function<void(int row)>& access) {
  for (int j = 0; j < stored_rows; ++j) {
    k.s_sub_u32(t[0], out.rows_left, j);
    k.v_cmp_gt_i32(vcc, t[0], out.row);
    k.mask_mov(exec, vcc);
    access(j);
  }
}
// Bias, activation, rounding: 16-bit results are in the first half of the tuple then.
void Gemm::finish(Vgpr results) {
  for (int i = 0; i < stored_rows; ++i) {
    if (cfg.epilogue.bias) k.v_add_f32(results[i], out.bias[i], results[i]);
    activate(results[i]);
  }
  if (to_output)
    for (int i = 0; i < stored_rows; i += 2) to_output->pack(k, results[i / 2], results[i], results[i + 1], {x, y});
}
void Gemm::store(int first) {
  const auto all = [&](auto&& write) {
    for (size_t i = 0; i < out.result.size(); ++i) {
      const int step = first + static_cast<int>(i);
      select_lanes(step, out.d_at, out.d_step);
      write(out.result[i], isa::Mods{.offset = step_offset(step), .flags = isa::offen});
    }
  };
  if (cfg.split_k > 1)
    return all([&](Vgpr results, const isa::Mods& m) { k.buffer_atomic_add_f32(results[0], out.d_at, out.d, 0, m); });
  when_wide(
      [&] {
        all([&](Vgpr results, const isa::Mods& m) {
          k.buffer_store_dwordx4(results.slice(0, 4), out.d_at, out.d, 0, m);
        });
      },
      [&] {
        all([&](Vgpr results, const isa::Mods&) {
          by_rows([&](int j) {
            const bool f32 = cfg.output == Type::f32;
            k.buffer(f32          ? Opcode::buffer_store_dword
                     : j % 2 == 0 ? Opcode::buffer_store_short
                                  : Opcode::buffer_store_short_d16_hi,
                     results[f32 ? j : j / 2], out.d_at, out.d, 0, {.offset = j * out_bytes, .flags = isa::offen});
          });
        });
      });
}
// Silu and gelu are x / (1 + 2^z): for silu z = -x log2(e); for gelu, 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x +
// 0.044715 x^3), z = -2 log2(e) u. NaNs are preserved.
void Gemm::activate(Vgpr v) {
  constexpr float log2e = std::numbers::log2e_v<float>, gelu = -2 * log2e * 0.7978845608f;
  switch (cfg.epilogue.activation) {
    case Activation::none: return;
    case Activation::relu:
      k.v_cmp_ngt_f32(vcc, 0, v);
      k.v_cndmask_b32(v, 0, v, vcc);
      return;
    case Activation::silu: k.v_mul_f32(x, -log2e, v); break;
    case Activation::gelu:
      k.v_mul_f32(x, v, v);
      k.v_mul_f32(x, gelu * 0.044715f, x);
      k.v_add_f32(x, gelu, x);
      k.v_mul_f32(x, x, v);
      break;
  }
  k.v_exp_f32(x, x);
  k.v_add_f32(x, 1.0f, x);
  k.v_rcp_f32(x, x);
  k.v_mul_f32(v, v, x);
}
}  // namespace wavesmith::gemm
