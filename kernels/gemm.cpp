// D = alpha op(A) op(B) + beta C. One workgroup computes block.m x block.n; A and B pass through two LDS buffers of 32 k each;
// the accumulators live in AGPRs, transposed (lanes run along m) so that stores are contiguous and exact at every edge.
// Whole blocks of K go through the pipelined loop; the rest of K, and edges of operands contiguous along m or n, through a
// careful loop that loads element by element with bounds.
#include "kernels/gemm.h"

#include "generator/interleave.h"

namespace wavesmith {
namespace {

using isa::Type;

constexpr int stage_k = 32;                                // k elements of one LDS buffer: a row is 64 bytes, four 16-byte chunks
constexpr int row_bytes = stage_k * 2;
constexpr int mma_mn = 32;

// One of A, B: where it is in memory, in LDS and in registers. `rows` runs along m for A, n for B.
struct Operand2d {
  const char* name;
  bool k_contiguous;
  int rows, wave_rows;                                     // of the block, of a wave
  int lds_offset;                                          // within a buffer
  // registers
  Owned<File::s> base, tile_base, resource, row_stride, k_stride, step, rows_left;   // strides in bytes
  std::vector<Owned<File::v>> load_address, store_address; // per load / per LDS store of a lane
  Owned<File::v> stage;                                    // tile data on its way to LDS
  Owned<File::v> read_address[2];                          // per 16-k half of the buffer
  std::vector<Owned<File::v>> fragment[2];                 // per half: one 4-register fragment a 32-row tile

  int tiles() const { return wave_rows / mma_mn; }
  int per_lane(int lanes) const { return rows * stage_k / lanes; }           // elements
  int loads(int lanes) const { return k_contiguous ? per_lane(lanes) / 8 : 4; }
  int width(int lanes) const { return k_contiguous ? 8 : per_lane(lanes) / 4; }   // elements of one load
  int swap_bit(int lanes) const { const int w = width(lanes); return k_contiguous || w == 8 ? 3 : w == 4 ? 2 : 1; }
};

struct Gemm {
  Kernel& kernel;
  const GemmConfig& cfg;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const int lanes = cfg.waves_m * cfg.waves_n * 64;
  const bool bf16 = cfg.input == Type::bf16;
  const Opcode mma = bf16 ? Opcode::v_mfma_f32_32x32x8_bf16 : Opcode::v_mfma_f32_32x32x8_f16;
  const int out_bytes = isa::bits(cfg.output) / 8;
  const int buffer_bytes = (cfg.block.m + cfg.block.n) * row_bytes;

  // -- Registers: the map, in one place --
  Owned<File::s> pointers = r.s.alloc(8, "D, C, A, B", 4), strides = r.s.alloc(8, "batch strides D, C, A, B", 4);
  Owned<File::s> sizes = r.s.alloc(8, "M N K lda ldb ldc ldd alpha", 4), beta = r.s.alloc(1, "beta");
  Sgpr M = sizes[0], N = sizes[1], K = sizes[2], lda = sizes[3], ldb = sizes[4], ldc = sizes[5], ldd = sizes[6], alpha = sizes[7];
  Owned<File::s> trips = r.s.alloc(1, "whole K blocks"), k_left = r.s.alloc(1, "k left");
  Owned<File::s> m0_ = r.s.alloc(1, "first row of the block"), n0 = r.s.alloc(1, "first column of the block");
  Owned<File::s> wave_m = r.s.alloc(1, "wave row"), wave_n = r.s.alloc(1, "wave column");
  Owned<File::s> t = r.s.alloc(4, "scratch", 4), mask = r.s.alloc(2, "scratch mask"), select = r.s.alloc(2, "v_perm selectors: low, high halves");
  Owned<File::v> lane = r.v.alloc(1, "lane"), x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"), row = r.v.alloc(1, "scratch row"), chunk = r.v.alloc(1, "scratch chunk");
  Owned<File::v> packed = r.v.alloc(8, "transposed pairs, results", 2), old_c = r.v.alloc(8, "C values");
  Operand2d A{"A", cfg.trans_a, cfg.block.m, cfg.block.m / cfg.waves_m, 0};
  Operand2d B{"B", !cfg.trans_b, cfg.block.n, cfg.block.n / cfg.waves_n, cfg.block.m * row_bytes};
  std::vector<Owned<File::a>> c;                           // [tile n][tile m], 16 registers each
  Argument d_arg, stride_arg, size_arg, beta_arg;

  Agpr acc(int tn, int tm) { return c[tn * A.tiles() + tm]; }

  void declare() {
    d_arg = kernel.pointer("D", name_of(cfg.output));
    kernel.pointer("C", name_of(cfg.output));
    kernel.pointer("A", name_of(cfg.input));
    kernel.pointer("B", name_of(cfg.input));
    stride_arg = kernel.value("stride_d", "u64");
    for (const char* n : {"stride_c", "stride_a", "stride_b"}) kernel.value(n, "u64");
    size_arg = kernel.value("m", "u32");
    for (const char* n : {"n", "k", "lda", "ldb", "ldc", "ldd"}) kernel.value(n, "u32");
    kernel.value("alpha", "f32");
    beta_arg = kernel.value("beta", "f32");
    for (Operand2d* o : {&A, &B}) {
      const std::string name = o->name;
      o->base = r.s.alloc(2, name + " careful base");
      o->tile_base = r.s.alloc(2, name + " block base");
      o->resource = r.s.alloc(4, name + " buffer resource", 4);
      o->row_stride = r.s.alloc(1, name + " bytes per row");
      o->k_stride = r.s.alloc(1, name + " bytes per k");
      o->step = r.s.alloc(1, name + " bytes per stage");
      o->rows_left = r.s.alloc(1, name + " rows left");
      for (int i = 0; i < o->loads(lanes); ++i) o->load_address.push_back(r.v.alloc(1, name + " load address"));
      const int stores = o->k_contiguous ? 1 : o->width(lanes);
      for (int i = 0; i < stores; ++i) o->store_address.push_back(r.v.alloc(1, name + " LDS store address"));
      o->stage = r.v.alloc(o->per_lane(lanes) / 2, name + " tile on its way to LDS", 4);
      for (int h : {0, 1}) {
        o->read_address[h] = r.v.alloc(1, name + " LDS read address");
        for (int i = 0; i < o->tiles(); ++i) o->fragment[h].push_back(r.v.alloc(4, fmt::format("{} fragment, half {}", name, h), 4));
      }
    }
    for (int i = 0; i < A.tiles() * B.tiles(); ++i) c.push_back(r.a.alloc(16, "C tile 32x32", 4));
    kernel.lds_bytes = 2 * buffer_bytes;
  }
  static const char* name_of(Type t) { return t == Type::f32 ? "f32" : t == Type::f16 ? "f16" : "bf16"; }

  // -- Scalar arithmetic on addresses --
  // pair += a * b * scale (a power of two), all 64 bits.
  void add_product(Sgpr pair, Sgpr a, Sgpr b, int scale) {
    k.s_mul_i32(t[0], a, b);
    k.s_mul_hi_u32(t[1], a, b);
    if (scale > 1) k.s_lshl_b64(t.slice(0, 2), t.slice(0, 2), scale == 2 ? 1 : 2);
    k.s_add_u32(pair[0], pair[0], t[0]);
    k.s_addc_u32(pair[1], pair[1], t[1]);
  }
  // pair += stride (64 bits, elements) * workgroup z * bytes.
  void add_batch(Sgpr pair, Sgpr stride, int bytes) {
    const Sgpr z = kernel.workgroup[2];
    k.s_mul_i32(t[0], stride[0], z);
    k.s_mul_hi_u32(t[1], stride[0], z);
    k.s_mul_i32(t[2], stride[1], z);
    k.s_add_u32(t[1], t[1], t[2]);
    k.s_lshl_b64(t.slice(0, 2), t.slice(0, 2), bytes == 2 ? 1 : 2);
    k.s_add_u32(pair[0], pair[0], t[0]);
    k.s_addc_u32(pair[1], pair[1], t[1]);
  }
  void advance(Block& b, const Operand2d& o, Sgpr base) {
    b.s_add_u32(base[0], base[0], o.step);
    b.s_addc_u32(base[1], base[1], 0);
  }
  void make_resource(Sgpr resource, Sgpr base) {           // raw buffer: stride 0, 32-bit data format
    k.s_mov_b32(resource[0], base[0]);
    k.s_and_b32(resource[1], base[1], 0xffff);
    k.s_mov_b32(resource[2], no_bound);
    k.s_mov_b32(resource[3], 0x00020000);
  }
  static constexpr int no_bound = -16;                     // offsets at or above it are out of range: what masked lanes use
  static constexpr int masked = -1;

  // LDS byte offset of 16-byte chunk `chunk` of row `row` (both VGPRs). Rows whose bit `swap_bit` is set trade places with
  // their neighbour and chunks are rotated by the row, so that reads down a column and both kinds of writes touch every bank once.
  void lds_address(Vgpr dst, Vgpr row_v, Vgpr chunk_v, int swap_bit) {
    k.v_bfe_u32(x, row_v, swap_bit, 1);
    k.v_xor_b32(x, x, row_v);
    k.v_bfe_u32(y, row_v, 1, 2);
    k.v_xor_b32(y, y, chunk_v);
    k.v_lshlrev_b32(y, 4, y);
    k.v_lshl_add_u32(dst, x, 6, y);
  }

  // -- Phases --
  void prologue() {
    k.comment("arguments");
    kernel.load(pointers, d_arg);
    kernel.load(strides, stride_arg);
    kernel.load(sizes, size_arg);
    kernel.load(beta, beta_arg);
    k.v_lshrrev_b32(x, 6, kernel.workitem);
    k.v_and_b32(lane, 63, kernel.workitem);
    k.v_readfirstlane_b32(t[0], x);
    k.s_lshr_b32(wave_n, t[0], cfg.waves_m == 1 ? 0 : cfg.waves_m == 2 ? 1 : 2);
    k.s_and_b32(wave_m, t[0], cfg.waves_m - 1);
    k.s_mul_i32(m0_, kernel.workgroup[0], cfg.block.m);
    k.s_mul_i32(n0, kernel.workgroup[1], cfg.block.n);
    k.s_lshl_b32(t[0], alpha, 1);                          // alpha = 0: A and B are not read
    k.s_cmp_eq_u32(t[0], 0);
    k.s_cselect_b32(K, 0, K);
    k.s_mov_b32(select[0], 0x05040100);
    k.s_mov_b32(select[1], 0x07060302);
    operand_addresses(A, M, m0_, lda, pointers.slice(4, 2), strides.slice(4, 2), wave_m);
    operand_addresses(B, N, n0, ldb, pointers.slice(6, 2), strides.slice(6, 2), wave_n);
    whole_blocks();
    for (auto& tile : c)
      for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(tile[i], 0);
  }

  void operand_addresses(Operand2d& o, Sgpr extent, Sgpr first, Sgpr ld, Sgpr pointer, Sgpr stride, Sgpr wave) {
    k.comment(fmt::format("{}: strides, block base, lane addresses", o.name));
    k.s_lshl_b32(o.k_contiguous ? o.row_stride : o.k_stride, ld, 1);
    k.s_mov_b32(o.k_contiguous ? o.k_stride : o.row_stride, 2);
    k.s_lshl_b32(o.step, o.k_stride, 5);
    k.s_sub_u32(o.rows_left, extent, first);
    add_batch(pointer, stride, 2);
    add_product(pointer, first, o.row_stride, 1);
    k.s_mov_b64(o.tile_base, pointer);
    if (o.k_contiguous) k_contiguous_addresses(o); else row_contiguous_addresses(o);
    k.v_and_b32(row, 31, lane);
    k.s_mul_i32(t[0], wave, o.wave_rows);
    k.v_add_u32(row, t[0], row);
    for (int h : {0, 1}) {
      k.v_lshrrev_b32(chunk, 5, lane);
      k.v_or_b32(chunk, 2 * h, chunk);
      lds_address(o.read_address[h], row, chunk, o.swap_bit(lanes));
      k.v_add_u32(o.read_address[h], o.lds_offset, o.read_address[h]);
    }
  }
  // A lane loads 8 k of one row: rows lane/4 and every lanes/4 after it. Rows past the edge repeat the last one; nothing of
  // them is ever stored.
  void k_contiguous_addresses(Operand2d& o) {
    k.v_lshrrev_b32(row, 2, kernel.workitem);
    k.v_and_b32(chunk, 3, kernel.workitem);
    lds_address(o.store_address[0], row, chunk, o.swap_bit(lanes));
    k.v_add_u32(o.store_address[0], o.lds_offset, o.store_address[0]);
    k.s_sub_u32(t[0], o.rows_left, 1);
    for (int i = 0; i < o.loads(lanes); ++i) {
      k.v_add_u32(x, i * lanes / 4, row);
      k.v_min_u32(x, t[0], x);
      k.v_mul_lo_u32(x, x, o.row_stride);
      k.v_lshl_add_u32(o.load_address[i], chunk, 4, x);
    }
  }
  // A lane loads `width` rows at 4 consecutive k, to be transposed on the way to LDS.
  void row_contiguous_addresses(Operand2d& o) {
    const int w = o.width(lanes);
    k.v_and_b32(chunk, 7, kernel.workitem);                // block of 4 k
    k.v_lshrrev_b32(row, 3, kernel.workitem);
    k.v_mul_u32_u24(row, w, row);
    for (int i = 0; i < 4; ++i) {
      k.v_lshlrev_b32(x, 2, chunk);
      k.v_add_u32(x, i, x);
      k.v_mul_lo_u32(x, x, o.k_stride);
      k.v_lshl_add_u32(o.load_address[i], row, 1, x);
    }
    for (int j = 0; j < w; ++j) {
      const Vgpr half = packed[0], pair = packed[1], r_j = packed[2];
      k.v_and_b32(half, 1, chunk);
      k.v_lshrrev_b32(pair, 1, chunk);
      k.v_add_u32(r_j, j, row);
      lds_address(o.store_address[j], r_j, pair, o.swap_bit(lanes));
      k.v_lshl_add_u32(o.store_address[j], half, 3, o.store_address[j]);
      k.v_add_u32(o.store_address[j], o.lds_offset, o.store_address[j]);
    }
  }
  // How many iterations the pipelined loop may run: none where a row-contiguous operand ends inside this block.
  void whole_blocks() {
    k.s_lshr_b32(trips, K, 6);
    for (const Operand2d* o : {&A, &B})
      if (!o->k_contiguous) {
        k.s_cmp_ge_u32(o->rows_left, o->rows);
        k.s_cselect_b32(trips, trips, 0);
      }
    k.s_lshl_b32(t[0], trips, 6);
    k.s_sub_u32(k_left, K, t[0]);
    k.s_lshl_b32(t[3], trips, 1);
    for (Operand2d* o : {&A, &B}) {
      k.s_mov_b64(o->base, o->tile_base);
      add_product(o->base, t[3], o->step, 1);
    }
  }

  Block load_tile() {
    Block b(k.arch(), "load_tile");
    for (Operand2d* o : {&A, &B}) {
      const int dwords = o->width(lanes) / 2;
      const Opcode op = dwords == 4 ? Opcode::buffer_load_dwordx4 : dwords == 2 ? Opcode::buffer_load_dwordx2 : Opcode::buffer_load_dword;
      for (int i = 0; i < o->loads(lanes); ++i) b.buffer(op, o->stage.slice(i * dwords, dwords), o->load_address[i], o->resource, 0, {.flags = isa::offen});
      advance(b, *o, o->resource);
    }
    return b;
  }
  Block store_tile(int p) {
    Block b(k.arch(), "store_tile");
    for (Operand2d* o : {&A, &B}) {
      b.wait_for(o->stage);
      if (o->k_contiguous) store_rows(b, *o, p); else store_transposed(b, *o, p);
    }
    return b;
  }
  void store_rows(Block& b, Operand2d& o, int p) {
    for (int i = 0; i < o.per_lane(lanes) / 8; ++i)
      b.ds_write_b128(o.store_address[0], o.stage.slice(4 * i, 4), {.offset = p * buffer_bytes + i * (lanes / 4) * row_bytes}).buffer = static_cast<int16_t>(p);
  }
  // stage holds 4 k x w rows; a row's 4 k make 8 bytes.
  void store_transposed(Block& b, Operand2d& o, int p) {
    const int w = o.width(lanes), dwords = w / 2;
    for (int j = 0; j < w; ++j) {
      const Vgpr pair = packed.slice(j % 4 * 2, 2);
      for (int q : {0, 1}) b.v_perm_b32(pair[q], o.stage[(2 * q + 1) * dwords + j / 2], o.stage[2 * q * dwords + j / 2], select[j % 2]);
      b.ds_write_b64(o.store_address[j], pair, {.offset = p * buffer_bytes}).buffer = static_cast<int16_t>(p);
    }
  }
  Block read_fragments(int p, int half) {
    Block b(k.arch(), "read_fragments");
    for (Operand2d* o : {&B, &A})
      for (int i = 0; i < o->tiles(); ++i)
        b.ds_read_b128(o->fragment[half][i], o->read_address[half], {.offset = p * buffer_bytes + i * mma_mn * row_bytes}).buffer = static_cast<int16_t>(p);
    return b;
  }
  // The 8-k step `step` (0, 1) of a half: every C tile once.
  Block multiply(int half, int step) {
    Block b(k.arch(), "multiply");
    if (step == 0) b.wait_for(A.fragment[half].back());    // the last one read: one wait for all
    for (int tn = 0; tn < B.tiles(); ++tn)
      for (int tm = 0; tm < A.tiles(); ++tm)
        b.mfma(mma, acc(tn, tm), B.fragment[half][tn].slice(2 * step, 2), A.fragment[half][tm].slice(2 * step, 2), acc(tn, tm));
    return b;
  }

  // -- Schedule: one stage computes buffer p, fills buffer 1-p and fetches the stage after that --
  void stage(int p) {
    k << spread(Block(multiply(0, 0)) << multiply(0, 1), Block(read_fragments(p, 1)) << store_tile(1 - p));
    k << spread(multiply(1, 0), load_tile());
    k.wait_for_lds(1 - p);
    k.s_barrier();
    k << spread(multiply(1, 1), read_fragments(1 - p, 0));
  }
  void pipelined_loop() {
    k.s_cmp_eq_u32(trips, 0);
    k.when_scc(false, "careful", [&] {
      for (Operand2d* o : {&A, &B}) make_resource(o->resource, o->tile_base);
      k << load_tile() << store_tile(0) << load_tile();
      k.wait_for_lds(0);
      k.s_barrier();
      k << read_fragments(0, 0);
      k.loop("k_loop", trips, [&] {
        k.comment("nothing is fetched beyond the last block");
        k.s_cmp_gt_u32(trips, 1);
        for (Operand2d* o : {&A, &B}) k.s_cselect_b32(o->resource[2], no_bound, 0);
        stage(0);
        stage(1);
      }, {.hot = true});
      k.wait_for_lds();
      k.s_barrier();
    });
  }

  // The rest of K: 32 k a turn, element by element, every element bounded by row and k.
  void careful_loop() {
    k.s_cmp_eq_u32(k_left, 0);
    k.when_scc(false, "epilogue", [&] {
      k.s_add_u32(trips, k_left, stage_k - 1);
      k.s_lshr_b32(trips, trips, 5);
      for (Operand2d* o : {&A, &B}) make_resource(o->resource, o->base);
      k.loop("careful_loop", trips, [&] {
        for (Operand2d* o : {&A, &B}) careful_tile(*o);
        k.s_min_u32(t[0], k_left, stage_k);
        k.s_sub_u32(k_left, k_left, t[0]);
        k.wait_for_lds(0);
        k.s_barrier();
        for (int half : {0, 1}) k << read_fragments(0, half) << multiply(half, 0) << multiply(half, 1);
        k.wait_for_lds(0);
        k.s_barrier();
      });
    });
  }
  void careful_tile(Operand2d& o) {
    const Vgpr tmp = o.fragment[0][0], halves = packed;    // free between multiplications
    k.v_lshrrev_b32(row, 2, kernel.workitem);
    k.v_and_b32(chunk, 3, kernel.workitem);
    lds_address(tmp[0], row, chunk, o.swap_bit(lanes));
    k.v_add_u32(tmp[0], o.lds_offset, tmp[0]);
    k.v_lshlrev_b32(chunk, 3, chunk);
    for (int i = 0; i < o.per_lane(lanes) / 8; ++i) {
      k.v_add_u32(tmp[1], i * lanes / 4, row);
      k.v_cmp_gt_u32(mask, o.rows_left, tmp[1]);
      k.v_mul_lo_u32(tmp[1], tmp[1], o.row_stride);
      for (int j = 0; j < 8; ++j) {
        k.v_add_u32(x, j, chunk);
        k.v_cmp_gt_u32(vcc, k_left, x);
        k.s_and_b64(vcc, vcc, mask);
        k.v_mul_lo_u32(x, x, o.k_stride);
        k.v_add_u32(x, x, tmp[1]);
        k.v_mov_b32(y, masked);
        k.v_cndmask_b32(x, y, x, vcc);
        k.buffer_load_ushort(halves[j], x, o.resource, 0, {.flags = isa::offen});
      }
      for (int j = 0; j < 4; ++j) k.v_lshl_or_b32(o.stage[4 * i + j], halves[2 * j + 1], 16, halves[2 * j]);
      k.ds_write_b128(tmp[0], o.stage.slice(4 * i, 4), {.offset = i * (lanes / 4) * row_bytes}).buffer = 0;
    }
    advance(k, o, o.resource);
  }

  // -- Epilogue: lanes run along m, registers along n --
  void epilogue() {
    k.comment("D and C: bases of this wave's part, bounds by columns left");
    const Sgpr d_base = pointers.slice(0, 2), c_base = pointers.slice(2, 2);
    k.s_mul_i32(t[3], wave_m, A.wave_rows);
    k.s_add_u32(m0_, m0_, t[3]);
    k.s_mul_i32(t[3], wave_n, B.wave_rows);
    k.s_add_u32(n0, n0, t[3]);
    k.s_cmp_lt_u32(n0, N);
    k.when_scc(true, "end", [&] {
      output_resource(A.resource, d_base, strides.slice(0, 2), ldd);
      output_resource(B.resource, c_base, strides.slice(2, 2), ldc);
      k.s_sub_u32(A.rows_left, M, m0_);
      k.v_and_b32(row, 31, lane);
      k.v_lshrrev_b32(chunk, 5, lane);
      k.v_lshlrev_b32(chunk, 2, chunk);                    // column of register 0
      for (int tm = 0; tm < A.tiles(); ++tm) {
        k.v_add_u32(x, tm * mma_mn, row);
        k.v_cmp_gt_i32(vcc, A.rows_left, x);               // signed: a wave may lie beyond the last row
        k.s_mov_b64(mask, exec);
        k.s_and_b64(exec, exec, vcc);
        k.when_any_lane("past_rows", [&] {
          for (int tn = 0; tn < B.tiles(); ++tn)
            for (int half : {0, 1}) write_columns(tm, tn, 8 * half);
        });
        k.s_mov_b64(exec, mask);
      }
    });
    k.s_endpgm();
  }
  // A bound that excludes every column past N: (columns left - 1) * ld + rows left, in bytes; 32 bits hold it because a wave
  // has at most 128 columns.
  void output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld) {
    add_batch(base, stride, out_bytes);
    add_product(base, n0, ld, out_bytes);
    k.s_lshl_b32(t[0], m0_, out_bytes == 2 ? 1 : 2);
    k.s_add_u32(base[0], base[0], t[0]);
    k.s_addc_u32(base[1], base[1], 0);
    make_resource(resource, base);
    k.s_sub_u32(t[0], N, n0);
    k.s_min_u32(t[0], t[0], B.wave_rows);
    k.s_sub_u32(t[0], t[0], 1);
    k.s_mul_i32(t[0], t[0], ld);
    k.s_sub_u32(t[1], M, m0_);
    k.s_add_u32(t[0], t[0], t[1]);
    k.s_lshl_b32(resource[2], t[0], out_bytes == 2 ? 1 : 2);
  }
  // Eight registers of one 32x32 tile: columns 8*(i/4) + 4*(lane/32) + i%4.
  void write_columns(int tm, int tn, int first) {
    const Vgpr value = packed, old = old_c;
    for (int i = 0; i < 8; ++i) {
      k.v_accvgpr_read_b32(value[i], acc(tn, tm)[first + i]);
      k.v_mul_f32(value[i], alpha, value[i]);
    }
    k.s_lshl_b32(t[0], beta, 1);                           // beta = 0 of either sign must not read C
    k.s_cmp_eq_u32(t[0], 0);
    k.when_scc(false, "beta_zero", [&] {
      for (int i = 0; i < 8; ++i) {
        column_address(tm, tn, first + i, ldc);
        k.buffer(cfg.output == Type::f32 ? Opcode::buffer_load_dword : Opcode::buffer_load_ushort, old[i], x, B.resource, 0, {.flags = isa::offen});
      }
      for (int i = 0; i < 8; ++i) {
        if (cfg.output == Type::f16) k.v_cvt_f32_f16(old[i], old[i]);
        if (cfg.output == Type::bf16) k.v_lshlrev_b32(old[i], 16, old[i]);
        k.v_fma_f32(value[i], beta, old[i], value[i]);
      }
    });
    for (int i = 0; i < 8; ++i) {
      round_output(value[i]);
      column_address(tm, tn, first + i, ldd);
      k.buffer(cfg.output == Type::f32 ? Opcode::buffer_store_dword : Opcode::buffer_store_short, value[i], x, A.resource, 0, {.flags = isa::offen});
    }
  }
  void column_address(int tm, int tn, int i, Sgpr ld) {    // x: byte offset of this lane's element; y is scratch
    k.v_add_u32(x, tn * mma_mn + 8 * (i / 4) + i % 4, chunk);
    k.v_mul_lo_u32(x, x, ld);
    k.v_add_u32(y, tm * mma_mn, row);
    k.v_add_u32(x, x, y);
    k.v_lshlrev_b32(x, out_bytes == 2 ? 1 : 2, x);
  }
  void round_output(Vgpr v) {
    if (cfg.output == Type::f16) k.v_cvt_f16_f32(v, v);
    if (cfg.output != Type::bf16) return;
    k.v_bfe_u32(x, v, 16, 1);                              // round to nearest even; a NaN keeps its top half, made quiet
    k.s_mov_b32(t[0], 0x7fff);
    k.v_add3_u32(x, v, x, t[0]);
    k.v_or_b32(y, 0x400000, v);
    k.v_cmp_u_f32(vcc, v, v);
    k.v_cndmask_b32(v, x, y, vcc);
    k.v_lshrrev_b32(v, 16, v);
  }

  void build() {
    declare();
    prologue();
    pipelined_loop();
    careful_loop();
    epilogue();
  }
};

}  // namespace

void check(const GemmConfig& g, Arch arch) {
  const auto refuse = [](const std::string& what) { throw ConfigError("gemm: " + what); };
  if (!isa::info(Opcode::v_mfma_f32_32x32x8_f16).on(arch))
    refuse(fmt::format("target {} has no kernel yet; legal is {}", isa::target(arch).name, isa::archs_with(isa::info(Opcode::v_mfma_f32_32x32x8_f16))));
  if (g.input != Type::f16 && g.input != Type::bf16) refuse("A and B are f16 or bf16");
  if (g.output != Type::f16 && g.output != Type::bf16 && g.output != Type::f32) refuse("C and D are f16, bf16 or f32");
  if (g.block.k != 2 * stage_k) refuse(fmt::format("tile {}x{}x{}: k is {}, legal is {}", g.block.m, g.block.n, g.block.k, g.block.k, 2 * stage_k));
  const auto power = [](int v, int low, int high) { return v >= low && v <= high && (v & (v - 1)) == 0; };
  if (!power(g.block.m, 64, 256) || !power(g.block.n, 64, 256)) refuse(fmt::format("tile {}x{}x{}: m and n are 64, 128 or 256", g.block.m, g.block.n, g.block.k));
  if (g.waves_m * g.waves_n != 4 || !power(g.waves_m, 1, 4)) refuse(fmt::format("{}x{} waves; legal are 1x4, 2x2, 4x1", g.waves_m, g.waves_n));
  const int wm = g.block.m / g.waves_m, wn = g.block.n / g.waves_n;
  if (wm < mma_mn || wn < mma_mn || wm * wn > 128 * 128)
    refuse(fmt::format("tile {}x{} over {}x{} waves is {}x{} a wave; legal are 32x32 to 128x128", g.block.m, g.block.n, g.waves_m, g.waves_n, wm, wn));
}

std::string kernel_name(const GemmConfig& g) {
  return fmt::format("gemm_{}_{}_{}{}_{}x{}x{}_{}x{}", Gemm::name_of(g.input), Gemm::name_of(g.output), g.trans_a ? 't' : 'n', g.trans_b ? 't' : 'n', g.block.m, g.block.n,
                     g.block.k, g.waves_m, g.waves_n);
}

Program build_gemm(const GemmConfig& cfg, Arch arch, std::string name) {
  check(cfg, arch);
  Kernel kernel(name.empty() ? kernel_name(cfg) : std::move(name), arch, cfg.waves_m * cfg.waves_n * 64);
  Gemm{kernel, cfg}.build();
  return lower(std::move(kernel));
}

GemmReport report(const Program& p) {
  GemmReport r;
  for (const Node& n : p.nodes) {
    if (!n.hot || n.directive == Directive::label) continue;
    const auto& row = n.inst.info();
    if (row.is_matrix()) r.matrix_cycles += isa::clocks(n.inst, p.arch);
    else ++r.other_instructions;
  }
  return r;
}

GemmLaunch launch(const GemmConfig& g, const GemmProblem& p, const GemmPointers& at) {
  const auto need = [](const char* name, uint32_t ld, uint32_t rows) {
    if (ld < std::max(rows, 1u)) throw ConfigError(fmt::format("gemm: {} is {}, legal is {} or more", name, ld, std::max(rows, 1u)));
  };
  need("lda", p.lda, g.trans_a ? p.k : p.m);
  need("ldb", p.ldb, g.trans_b ? p.n : p.k);
  need("ldd", p.ldd, p.m);
  if (p.beta != 0) need("ldc", p.ldc, p.m);
  GemmLaunch out;
  out.grid = {(p.m + g.block.m - 1) / g.block.m, (p.n + g.block.n - 1) / g.block.n, p.batch};
  out.block = static_cast<uint32_t>(g.waves_m * g.waves_n * 64);
  const auto put = [&](auto value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out.kernargs.insert(out.kernargs.end(), bytes, bytes + sizeof value);
  };
  for (const uint64_t v : {at.d, at.c, at.a, at.b, p.stride_d, p.stride_c, p.stride_a, p.stride_b}) put(v);
  for (const uint32_t v : {p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.ldd}) put(v);
  put(p.alpha);
  put(p.beta);
  return out;
}

}  // namespace wavesmith
