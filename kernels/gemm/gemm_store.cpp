// From accumulators to D: the epilogue's results (kernels/parts/apply_epilogue.h) are stored, or, where workgroups
// share D, added to it. A wave's part of D passes through LDS, 16 or 32 columns at a time: from lanes that hold rows of
// a column as the matrix instruction has them to lanes that hold 16 consecutive bytes of D, so that a store covers
// whole columns of the part. Edges are exact: lanes outside D are masked, and where 16 bytes are not aligned or the
// last ones reach past M, they are accessed element by element.
#include "generator/dsl/emit_offset.h"
#include "generator/dsl/scratch.h"
#include "kernels/gemm/gemm_kernel.h"
#include "kernels/parts/element_access.h"

namespace wavesmith::gemm {
// Where a matrix instruction has the lane's first row: "lane" -> "row" (column of D), "chunk", "within".
isa::LinearLayout Gemm::result_lanes() const {
  isa::LinearLayout l(
      {{"lane", log2(wave)}},
      {{"row", log2(result_columns)}, {"chunk", log2(result_rows() / chunk_rows())}, {"within", log2(chunk_bytes)}});
  for (int i = 0; i < log2(wave); ++i) {
    const auto row = atom.product.basis("lane", i, "row"), in_chunk = static_cast<uint32_t>(chunk_rows());
    l.move("lane", i, "row", atom.product.basis("lane", i, "col"))
        .move("lane", i, "chunk", row / in_chunk)
        .move("lane", i, "within", row % in_chunk * static_cast<uint32_t>(acc_bytes));
  }
  return l;
}
// Columns one after the other; short ones two by two, 16 columns apart, or four by four, so that the next ones are in
// other spans of banks, which a swizzle can tell apart.
isa::LinearLayout Gemm::result_tile() const {
  const int columns = log2(result_columns), column = log2(result_rows() * acc_bytes), pair = std::max(0, 8 - column);
  isa::LinearLayout places({{"row", columns}}, {{"byte", columns}});
  for (int i = 0; i < columns; ++i) places.move("row", i, "byte", 1u << ((i + pair) % columns));
  return isa::LinearLayout::identity("within", "byte", log2(chunk_bytes)) *
         isa::LinearLayout::identity("chunk", "byte", log2(result_rows() / chunk_rows())) * places;
}
// Where a lane's element of a store begins: along a column first.
isa::LinearLayout Gemm::stored_lanes() const {
  isa::LinearLayout l(
      {{"lane", log2(wave)}},
      {{"within", log2(chunk_bytes)}, {"chunk", log2(result_rows() / chunk_rows())}, {"row", log2(result_columns)}});
  for (int i = 0; i < log2(wave); ++i) {
    const int element = stored_rows << i;
    if (element < chunk_rows()) l.move("lane", i, "within", static_cast<uint32_t>(element * acc_bytes));
    else if (element < d_span()) l.move("lane", i, "chunk", static_cast<uint32_t>(element / chunk_rows()));
    else l.move("lane", i, "row", static_cast<uint32_t>(element / d_span()));
  }
  return l;
}

void Gemm::free_loop() {
  packed.free();
  sums = {}, moved_scales = {};
  if (dequantiser) dequantiser->free();
  for (TileOperand* o : {&A, &B}) {
    o->resource.free(), o->on_the_way.clear();
    o->tile = {}, o->prefetch = {};
    for (auto& set : o->scales.loaded) set.clear();
    o->scales.place.clear(), o->scales.receivers.free();
    o->sum_scales.loaded.clear();
    o->groups.scales.clear(), o->groups.zeros.clear(), o->groups.factors.free();
    for (auto& registers : o->groups.converted) registers.free();
    for (auto& set : o->fragment) set.clear();
    for (auto& set : o->fragment_agprs) set.clear();
  }
}
// The main loop's registers are free here.
void Gemm::declare_output() {
  const int written = written_rows() * acc_bytes, read = std::min(chunk_bytes, stored_rows * acc_bytes);
  const isa::LdsTileAccess all[] = {{"results written", isa::LdsAccess::write, written, result_lanes()},
                                    {"results read", isa::LdsAccess::read, read, stored_lanes()}};
  const auto tile = isa::swizzled_for(result_tile(), isa::target(kernel.arch).family, all);
  if (!tile) throw ConfigError("gemm: no swizzle of the results' LDS tile is free of bank conflicts");
  out = {.d = r.s.alloc(4, "D buffer resource", 4),
         .c = r.s.alloc(4, "C buffer resource", 4),
         .rows_left = r.s.alloc(1, "rows of D in the wave's part"),
         .columns_left = r.s.alloc(1, "columns of D in the wave's part"),
         .wide = r.s.alloc(1, "0: whole 16 bytes at once"),
         .passes = r.s.alloc(1, "passes left"),
         .first_column = r.s.alloc(1, "of the pass"),
         .alpha = r.s.alloc(2, "alpha, of f32 twice", 2),
         .row_mask = r.s.alloc(4, "lanes with rows of D", 2),
         .d_step = r.s.alloc(1, "bytes of D between steps"),
         .c_step = r.s.alloc(1, "bytes of C between steps"),
         .row = r.v.alloc(1, "first row in the wave's part of D"),
         .column = r.v.alloc(1, "column in a step"),
         .d_at = r.v.alloc(1, "byte offset in D"),
         .c_at = r.v.alloc(1, "byte offset in C"),
         .tile = *tile,
         .writes = AddressSet(result_lanes().then(*tile), written),
         .reads = AddressSet(stored_lanes().then(*tile), read)};
  for (int tm = 0; tm < A.wave_rows; tm += atom.extent)
    for (int item = 0; item < atom.items; item += written_rows())
      for (int tn = 0; tn < result_columns; tn += atom.extent) out.writes.at(result_place(tn, tm, item));
  for (int step = 0; step < steps(); ++step)
    for (int half = 0; half < halves; ++half)
      for (int row = 0; row < stored_rows; row += chunk_rows()) out.reads.at(stored_place(step, row, half));
  for (size_t i = 0; i < out.writes.patterns().size(); ++i)
    out.write_at.push_back(r.v.alloc(1, "LDS address of results written"));
  for (size_t i = 0; i < out.reads.patterns().size(); ++i)
    out.read_at.push_back(r.v.alloc(1, "LDS address of results read"));
  declare_epilogue();
  if (cfg.epilogue.has(EpiloguePart::residual)) {
    out.residual = r.s.alloc(4, "residual buffer resource", 4);
    out.residual_step = r.s.alloc(1, "bytes of the residual between steps");
    out.residual_at = r.v.alloc(1, "byte offset in the residual");
  }
  const InFlight most = most_in_flight();
  for (int i = 0; i < most.steps; ++i) {
    out.result.push_back(r.v.alloc(result_dwords(), "results"));
    if (halves > 1) out.gated.push_back(r.v.alloc(stored_rows, "results that are gated"));
    if (reads_old()) out.old.push_back(r.v.alloc(stored_rows * scale_dwords, "values of C"));
  }
  for (int i = 0; i < most.further; ++i) out.further.push_back(r.v.alloc(result_dwords(), "further results"));
  for (int i = 0; i < most.copies; ++i) out.moved.push_back(r.v.alloc(written / 4, "results on their way to LDS"));
}
std::vector<int> Gemm::registers_of(const InFlight& most) const {
  std::vector<int> tuples;
  for (int i = 0; i < most.steps; ++i) {
    tuples.push_back(result_dwords());
    if (halves > 1) tuples.push_back(stored_rows);
    if (reads_old()) tuples.push_back(stored_rows * scale_dwords);
  }
  tuples.insert(tuples.end(), static_cast<size_t>(most.further), result_dwords());
  if (stores_from_registers() && !stores_from_registers(false)) {
    const std::vector<int> of_epilogue = epilogue_code.registers(B.tiles(), A.tiles());
    tuples.insert(tuples.end(), of_epilogue.begin(), of_epilogue.end());
  }
  tuples.insert(tuples.end(), static_cast<size_t>(most.copies), written_rows() * acc_bytes / 4);
  return tuples;
}
void Gemm::declare_epilogue() { epilogue_code.declare(steps(), std::max(stored_columns(), 1), d_rows()); }
// As many as the loop's waves on a SIMD leave registers for: workgroups that hide each other's latencies are worth more
// than steps that do, and the epilogue is short.
Gemm::InFlight Gemm::most_in_flight() const {
  const bool copies = acc.agprs() && !isa::target(kernel.arch).unified;  // LDS takes no AGPRs
  const int wanted = stored_rows * halves > 8 ? 2 : 4,
            fewest = stores_from_registers() ? 2 : 1,  // see store_from_registers()
      further = stores_from_registers() ? 12 : 0;
  const int beside_loop = r.v.high_water() + isa::occupancy(kernel.arch, needs()).vgprs_free;
  InFlight most;
  for (const int registers : {beside_loop, r.v.size()}) {
    most = {std::min(steps(), wanted), copies ? wanted : 0, registers == beside_loop ? further : 0};
    const auto fits = [&] {
      const auto needed = r.v.high_water_with(registers_of(most));
      return needed && *needed <= registers;
    };
    while (most.further && !fits()) --most.further;
    while (most.copies > 1 && !fits()) most.copies /= 2;
    while (most.steps > fewest && !fits()) most.steps /= 2;
    if (fits()) break;
  }
  return most;
}
// The most that the epilogue takes beside these at a time: base and stride of the residual; resource, first row and
// address of an operand of rows, with the second half's; absmax's.
void Gemm::try_scratch() {
  if (cfg.epilogue.has(EpiloguePart::residual)) {
    Scratch s(r);
    s.s("residual", 2), s.s("its batch stride", 2);
  }
  const bool operands = std::ranges::any_of(epilogue_parts(), [&](const EpiloguePartInfo& p) {
    return cfg.epilogue.has(p.part) && p.shape == PartShape::rows;
  });
  if (operands || cfg.epilogue.has(EpiloguePart::absmax)) {
    Scratch s(r);
    s.s("buffer resource", 4), s.s("first row"), s.s("address", 2);
  }
}
// LDS bytes from the lane's first access: of a tile's accumulators from `item` on,
uint32_t Gemm::result_place(int tn, int tm, int item) const {
  const int half = tm / d_rows() * (d_span() - d_rows());  // further than in the fragments
  const auto row = static_cast<int>(atom.product.at({{"item", static_cast<uint32_t>(item)}}, "row")) + tm + half;
  const auto column = static_cast<int>(atom.product.at({{"item", static_cast<uint32_t>(item)}}, "col")) + tn;
  return out.tile.at({{"row", static_cast<uint32_t>(column)},
                      {"chunk", static_cast<uint32_t>(row / chunk_rows())},
                      {"within", static_cast<uint32_t>(row % chunk_rows() * acc_bytes)}},
                     "byte");
}
// of the rows from `row` on that a step stores.
uint32_t Gemm::stored_place(int step, int row, int half) const {
  const int element = step * wave * stored_rows;
  return out.tile.at({{"row", static_cast<uint32_t>(element / d_span())},
                      {"chunk", static_cast<uint32_t>((element % d_span() + row + half * d_span()) / chunk_rows())}},
                     "byte");
}

void Gemm::epilogue() {
  k.comment("nobody reads A and B in LDS any more");
  k.barrier();
  free_loop();
  if (loads_output_late()) {
    pointers = args.registers(&Args::d, &Args::c), strides = args.registers(&Args::stride_d, &Args::stride_c);
    for (const auto* group : {&pointers, &strides}) kernel.load(*group);
  }
  if (has_workspace(cfg)) share_sums([&] { results(); });
  else results();
  if (no_tile) k.bind(*no_tile);
  if (cfg.persistent) next_tile();
  k.s_endpgm();
}
// Of the tile that begins there, which becomes the part's place.
void Gemm::place_part(Sgpr m, Sgpr n) {
  k.comment("D and C: this wave's part");
  k.s_mul_i32(t[3], wave_m, d_rows());
  k.s_add_u32(m, m, t[3]);
  k.s_mul_i32(t[3], wave_n, B.wave_rows);
  k.s_add_u32(n, n, t[3]);
}
EpilogueCode::LoadPointer Gemm::epilogue_pointers() {
  return [this](Sgpr pair, EpiloguePart p) { kernel.load(pair, args[{&Args::epilogue, static_cast<size_t>(p)}]); };
}
void Gemm::begin_results() {
  epilogue_code.fold_scales(epilogue_pointers(), alpha, beta);
  for (int i : {0, 1}) k.s_mov_b32(out.alpha[i], alpha[i % scale_dwords]);
  output_resource(out.d, pointers[&Args::d], strides[&Args::stride_d], ldd);
  k.s_lshl_b32(out.d_step, ldd, out_shift);
}
void Gemm::results() {
  if (cfg.persistent) load_factors(), plain_factors();  // a tile before may have scaled them
  place_part(m0_, n0);
  declare_output();
  out.m = m0_, out.n = n0;
  const auto left = [&](Sgpr to, Sgpr extent, Sgpr first, int most) {
    k.s_sub_u32(to, extent, first);
    k.s_cselect_b32(to, 0, to);  // borrow: the part begins past the edge
    k.s_min_u32(to, to, most);
  };
  left(out.rows_left, M, out.m, d_rows());
  left(out.columns_left, N, out.n, B.wave_rows);
  k.s_min_u32(t[3], out.rows_left, out.columns_left);
  k.s_cmp_lg_u32(t[3], 0);
  k.when_scc(true, "end", [&] {
    const EpilogueCode::LoadPointer pointer = epilogue_pointers();
    begin_results();
    if (stores_from_registers()) {
      is_whole_part(out.passes);
      k.s_cmp_eq_u32(out.passes, 0);
      k.when_scc(true, "through_lds", [&] {
        begin_direct_epilogue(out.m, out.n, out.rows_left, out.columns_left);
        std::vector<Vgpr> results;
        for (const auto* some : {&out.result, &out.further}) results.insert(results.end(), some->begin(), some->end());
        store_from_registers(results);
        declare_epilogue();  // again: of the way through LDS
        end_tile();
        if (goes_on()) relay_next_tile();
      });
    }
    output_addresses();
    const Sgpr of_batch = by_tiles() ? static_cast<Sgpr>(no_batch) : batch();
    const EpiloguePlace place{out.m, out.n, out.rows_left, out.columns_left, M, N, of_batch, out.row, out.column};
    epilogue_code.begin(pointer, place);
    if (quantised) {
      Scratch scratch(r);
      const Sgpr scales = scratch.s("address of D's scales", 2);
      kernel.load(scales, args[&Args::scales]);
      epilogue_code.begin_scales(scales, place);
    }
    k.s_mov_b32(out.first_column, 0);
    k.s_add_u32(out.passes, out.columns_left, result_columns - 1);
    k.s_lshr_b32(out.passes, out.passes, log2(result_columns));
    k.loop("columns", out.passes, [&] {
      to_lds();
      epilogue_code.load_columns(out.first_column);
      for (int step = 0; step < steps(); step += static_cast<int>(out.result.size())) {
        from_lds(step);
        add_c(step);
        finish(step);
        store(step);
        k.mask_mov(exec, -1);
      }
      k.s_add_u32(out.first_column, out.first_column, result_columns);
      k.s_sub_u32(out.columns_left, out.columns_left, result_columns);
    });
    epilogue_code.end(pointer);
  });
}

void Gemm::add_c(int step) {
  if (cfg.epilogue.gated) return;
  test_zero(beta);  // then C is not read
  k.when_scc(false, "beta_zero", [&] {
    read_old({out.c_at, out.c_step, out.c}, step,
             [&](Vgpr result, Vgpr value) { epilogue_code.add_scaled(result, beta, value); });
  });
}

void Gemm::output_addresses() {
  output_resource(out.c, pointers[&Args::c], strides[&Args::stride_c], ldc);
  k.s_lshl_b32(out.c_step, ldc, out_shift);
  const bool residual = cfg.epilogue.has(EpiloguePart::residual);
  if (residual) {
    Scratch scratch(r);
    const Sgpr base = scratch.s("residual", 2), stride = scratch.s("its batch stride", 2);
    kernel.load(base, args[{&Args::epilogue, static_cast<size_t>(EpiloguePart::residual)}]);
    kernel.load(stride, args[&Args::stride_residual]);
    kernel.load(out.residual_step, args[&Args::ld_residual]);
    output_resource(out.residual, base, stride, out.residual_step);
    k.s_lshl_b32(out.residual_step, out.residual_step, out_shift);
  }
  // 16 bytes at once: bases and columns a multiple of four bytes, rows of a whole access.
  k.s_or_b32(t[0], out.c[0], out.c_step);
  k.s_mov_b32(t[1], t[0]);
  test_zero(beta);  // C is not read then
  k.s_cselect_b32(t[0], 0, t[1]);
  k.s_or_b32(t[0], t[0], out.d[0]);
  k.s_or_b32(t[0], t[0], out.d_step);
  if (residual) k.s_or_b32(t[0], t[0], out.residual[0]), k.s_or_b32(t[0], t[0], out.residual_step);
  k.s_and_b32(t[0], t[0], 3);
  k.s_and_b32(t[1], out.rows_left, stored_rows - 1);
  k.s_or_b32(out.wide, t[0], t[1]);
  const AxisValue values[] = {{"lane", lane}};
  const isa::LinearLayout lanes_of = stored_lanes();
  emit_offset(k, x, lanes_of, "within", values, {});
  emit_offset(k, out.row, lanes_of, "chunk", values, {});
  k.v_lshlrev_b32(out.row, log2(chunk_rows()), out.row);
  k.v_lshrrev_b32(x, log2(acc_bytes), x);
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
  if (residual) first_address(out.residual_at, out.residual_step);
  for (int part = 0; part < (stored_columns() ? 1 : d_span() / wave); ++part) {
    if (part) k.v_add_u32(x, part * wave, out.row);
    k.v_cmp_gt_u32(vcc, out.rows_left, part ? x : out.row);
    k.mask_mov(out.row_mask.slice(part * wave / 32, wave / 32), vcc);
  }
  // LDS: each wave has a tile of its own.
  k.s_mul_i32(t[0], wave_n, cfg.waves_m);
  k.s_add_u32(t[0], t[0], wave_m);
  k.s_mul_i32(t[0], t[0], result_bytes());
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
void Gemm::output_resource(Sgpr resource, Sgpr pointer, Sgpr stride, Sgpr ld) {
  const Sgpr base = resource.slice(0, 2);
  k.s_mov_b64(base, pointer);
  at.add_strided(base, stride, batch(), out_shift);
  at.add_product(base, out.n, ld, out_shift);
  k.s_lshl_b32(t[0], out.m, out_shift);
  if (out_shift) k.s_lshr_b32(t[1], out.m, 32 - out_shift);
  else k.s_mov_b32(t[1], 0);
  k.s_add_u32(base[0], base[0], t[0]);
  k.s_addc_u32(base[1], base[1], t[1]);
  raw_buffer(k, resource, base, no_bound);
}
// result_columns from first_column on. A wave's LDS accesses are in order: it needs no barrier.
void Gemm::to_lds() {
  for (int columns = 0; columns < B.wave_rows; columns += result_columns) {
    k.s_cmp_eq_u32(out.first_column, columns);
    k.when_scc(true, "other_columns", [&] {
      size_t moved = 0;
      for (int tn = 0; tn < std::min(result_columns, B.wave_rows - columns); tn += atom.extent)
        for (int tm = 0; tm < A.wave_rows; tm += atom.extent)
          for (int item = 0; item < atom.items; item += written_rows()) {
            const int dwords = written_rows() * atom.item_dwords;
            const auto to = out.writes.at(result_place(tn, tm, item));
            const int product = product_of((columns + tn) / atom.extent, tm / atom.extent),
                      first = item * atom.item_dwords;
            VAArg from = acc.part(product, first, dwords);
            if (!out.moved.empty()) {
              const Vgpr copy = out.moved[moved++ % out.moved.size()];
              for (int i = 0; i < dwords; ++i) acc.read(k, copy[i], product, first + i);
              from = copy;
            }
            const Vgpr address = out.write_at[to.address];
            const isa::Mods at_offset{.offset = to.offset};
            if (dwords == 4) k.ds_write_b128(address, from, at_offset);
            else if (dwords == 2) k.ds_write_b64(address, from, at_offset);
            else k.ds_write_b32(address, from, at_offset);
          }
    });
  }
}
// Steps from `first` on, each with a register tuple of its own: the sums, scaled.
void Gemm::from_lds(int first) {
  const auto all = [&](auto&& f) {
    for (size_t i = 0; i < out.result.size(); ++i)
      for (int half = 0; half < halves; ++half)
        f(half ? out.gated[i] : out.result[i], first + static_cast<int>(i), half);
  };
  const bool gaps = d_rows() != d_span() || B.wave_rows % result_columns;  // that nobody wrote
  all([&](Vgpr results, int step, int half) {
    if (gaps && !stored_columns()) k.mask_mov(exec, -1);  // another part of the column
    if (gaps) select_lanes(step);
    for (int row = 0; row < stored_rows; row += chunk_rows()) {
      const auto from = out.reads.at(stored_place(step, row, half));
      const Vgpr address = out.read_at[from.address];
      const isa::Mods at_offset{.offset = from.offset};
      const Vgpr to = results.slice(row * scale_dwords, std::min(stored_rows, chunk_rows()) * scale_dwords);
      if (to.dwords == 1) k.ds_read_b32(to, address, at_offset);
      else if (to.dwords == 2) k.ds_read_b64(to, address, at_offset);
      else k.ds_read_b128(to, address, at_offset);
    }
  });
  if (gaps) k.mask_mov(exec, -1);
  all([&](Vgpr results, int step, int half) { epilogue_code.scale(results, out.alpha, step, half); });
}
// Bytes from the lane's address in a step: where a column takes two of them, that of the second.
int Gemm::step_offset(int step) const {
  return stored_columns() ? 0 : step * wave * stored_rows % d_span() * out_bytes;
}
// The address of this step, one step on, and active the lanes that have elements of D in it.
void Gemm::step_to(int step, Vgpr address, Sgpr bytes) {
  k.mask_mov(exec, -1);
  if (step_offset(step) == 0) k.v_add_u32(address, bytes, address);
  select_lanes(step);
}
void Gemm::select_lanes(int step) {
  const int element = step * wave * stored_rows, part = element % d_span() / wave;
  k.s_sub_u32(t[0], out.columns_left, element / d_span());
  k.v_cmp_gt_i32(vcc, t[0], out.column);
  k.mask_and(exec, vcc, out.row_mask.slice(stored_columns() ? 0 : part * wave / 32, wave / 32));
}
void Gemm::when_wide(const std::function<void()>& wide, const std::function<void()>& by_element) {
  if (stored_rows == 1) return wide();
  for (const bool elements : {false, true}) {
    k.s_cmp_lg_u32(out.wide, 0);
    k.when_scc(elements, elements ? "wide" : "by_element", elements ? by_element : wide);
  }
}
// C or the residual, of the steps from `first` on.
void Gemm::read_old(const OldMatrix& m, int first, const std::function<void(Vgpr result, Vgpr value)>& use) {
  const int per_dword = std::max(1, 4 / out_bytes);
  const bool widened = per_dword > 1;
  const auto all = [&](auto&& load) {
    for (size_t i = 0; i < out.result.size(); ++i) {
      const int step = first + static_cast<int>(i);
      step_to(step, m.address, m.step);
      load(out.old[i], step_offset(step));
    }
    k.mask_mov(exec, -1);
  };
  const auto each = [&](auto&& f) {
    for (size_t i = 0; i < out.result.size(); ++i)
      for (int j = 0; j < stored_rows; ++j) f(element(out.result[i], j), out.old[i], j);
  };
  when_wide(
      [&] {
        all([&](Vgpr old, int offset) {
          const bool one = stored_rows == 1;
          k.buffer(one ? access_of(out_bytes).load : Opcode::buffer_load_dwordx4, old.slice(0, one ? out_bytes / 4 : 4),
                   m.address, m.resource, 0, {.offset = offset, .flags = isa::offen});
        });
        each([&](Vgpr result, Vgpr old, int j) {
          if (widened) epilogue_code.widen(cfg.output, x, old[j / per_dword], j % per_dword);
          use(result, widened ? static_cast<Vgpr>(x) : element(old, j));
        });
      },
      [&] {
        all([&](Vgpr old, int) {
          by_rows([&](int j) {
            k.buffer(access_of(out_bytes).load, element(old, j), m.address, m.resource, 0,
                     {.offset = j * out_bytes, .flags = isa::offen});
          });
        });
        each([&](Vgpr result, Vgpr old, int j) {
          epilogue_code.widen(cfg.output, element(old, j), element(old, j), 0);
          use(result, element(old, j));
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
// What follows the sum with C.
void Gemm::finish(int first) {
  const auto all = [&](auto&& f) {
    for (size_t i = 0; i < out.result.size(); ++i) f(out.result[i], first + static_cast<int>(i));
  };
  all([&](Vgpr results, int step) { epilogue_code.activate(results, step); });
  if (cfg.epilogue.gated)
    all([&](Vgpr results, int step) {
      epilogue_code.gate(results, out.gated[static_cast<size_t>(step - first)], step);
    });
  if (cfg.epilogue.has(EpiloguePart::residual))
    read_old({out.residual_at, out.residual_step, out.residual}, first,
             [&](Vgpr result, Vgpr value) { epilogue_code.add(result, value); });
  if (cfg.epilogue.has(EpiloguePart::absmax)) {
    all([&](Vgpr results, int step) {
      select_lanes(step);
      by_rows([&](int j) { epilogue_code.observe(results, j); });
      k.mask_mov(exec, -1);
    });
  }
  all([&](Vgpr results, int step) {
    epilogue_code.scale_result(results, step);
    if (quantised) {
      epilogue_code.quantise(results);
      select_lanes(step);
      epilogue_code.store_scales();
      k.mask_mov(exec, -1);
    }
    epilogue_code.convert(results);
  });
}
void Gemm::store(int first) {
  const auto all = [&](auto&& write) {
    for (size_t i = 0; i < out.result.size(); ++i) {
      const int step = first + static_cast<int>(i);
      step_to(step, out.d_at, out.d_step);
      write(out.result[i], isa::Mods{.offset = step_offset(step), .flags = isa::offen});
    }
  };
  if (adds_to_d(cfg))
    return all([&](Vgpr results, const isa::Mods& m) {
      k.buffer(atomic_add(cfg.output), element(results, 0), out.d_at, out.d, 0, m);
    });
  when_wide(
      [&] {
        all([&](Vgpr results, const isa::Mods& m) {
          k.buffer_store_dwordx4(results.slice(0, 4), out.d_at, out.d, 0, m);
        });
      },
      [&] {
        all([&](Vgpr results, const isa::Mods&) {
          by_rows([&](int j) {
            const ElementAccess& one = access_of(out_bytes);
            const int per_dword = std::max(1, 4 / out_bytes), in_dword = j % per_dword;
            Vgpr from = per_dword > 1 ? results[j / per_dword] : element(results, j);
            const bool high = per_dword > 1 && in_dword >= per_dword / 2;
            if (per_dword == 4 && in_dword % 2) k.v_lshrrev_b32(x, 8, from), from = x;
            k.buffer(high ? one.store_high : one.store, from, out.d_at, out.d, 0,
                     {.offset = j * out_bytes, .flags = isa::offen});
          });
        });
      });
}
}  // namespace wavesmith::gemm
