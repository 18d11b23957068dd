// D = alpha op(A) op(B) + beta C. One workgroup computes block.m x block.n; A and B pass through two LDS stages; the accumulators live in
// AGPRs, transposed (lanes run along m) so that stores are contiguous and exact at every edge. Whole blocks of K go through the
// pipelined loop, the rest through a careful one that loads element by element with bounds.
#include "kernels/gemm.h"

#include "generator/interleave.h"
#include "kernels/gemm_kernel.h"

namespace wavesmith {
namespace gemm {

const char* name_of(Type t) { return t == Type::f32 ? "f32" : t == Type::f16 ? "f16" : "bf16"; }

void Gemm::declare() {
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
  for (Operand* o : {&A, &B}) declare_operand(*o);
  for (int i = 0; i < A.tiles() * B.tiles(); ++i) c.push_back(r.a.alloc(16, "C tile 32x32", 4));
  kernel.lds_bytes = A.lds_bytes() + B.lds_bytes();
}

void Gemm::advance(Block& b, Sgpr base, Sgpr step) {
  b.s_add_u32(base[0], base[0], step);
  b.s_addc_u32(base[1], base[1], 0);
}
// -- Phases --
void Gemm::prologue() {
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
  k.s_lshl_b32(t[0], alpha, 1);                            // alpha = 0: A and B are not read
  k.s_cmp_eq_u32(t[0], 0);
  k.s_cselect_b32(K, 0, K);
  k.s_mov_b32(select[0], 0x05040100);
  k.s_mov_b32(select[1], 0x07060302);
  for (Operand* o : {&A, &B}) {
    const bool is_a = o == &A;
    const Sgpr pointer = pointers.slice(is_a ? 4 : 6, 2), first = is_a ? m0_ : n0;
    k.comment(fmt::format("{}: strides, block base, lane addresses", o->name));
    operand_addresses(*o, is_a ? M : N, first, is_a ? lda : ldb);
    at.add_strided(pointer, strides.slice(is_a ? 4 : 6, 2), kernel.workgroup[2], 1);
    at.add_product(pointer, first, o->row_stride);
    k.s_mov_b64(o->tile_base, pointer);
    read_addresses(*o, is_a ? wave_m : wave_n);
  }
  whole_blocks();
  for (auto& tile : c)
    for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(tile[i], 0);
}

// How many iterations the pipelined loop may run. Where a row-contiguous operand ends inside the block, lanes read up to 7 rows too
// many: 14 bytes that are surely the matrix' own as long as 8 more k follow.
void Gemm::whole_blocks() {
  k.s_sub_u32(t[0], K, 8);
  k.s_cselect_b32(t[0], 0, t[0]);
  k.s_mov_b32(trips, K);
  for (const Operand* o : {&A, &B})
    if (!o->k_contiguous) {
      k.s_cmp_ge_u32(o->rows_left, o->rows);
      k.s_cselect_b32(trips, trips, t[0]);
    }
  k.s_lshr_b32(trips, trips, 6);
  k.s_lshl_b32(t[0], trips, 6);
  k.s_sub_u32(k_left, K, t[0]);
  for (Operand* o : {&A, &B}) {
    k.s_mov_b64(o->base, o->tile_base);
    at.add_product(o->base, trips, o->block_step);
  }
}

// 8 k of a half: every C tile once.
Block Gemm::multiply(int half, int k8) {
  Block b(k.arch(), "multiply");
  if (k8 == 0) b.wait_for(A.fragment[half].back());        // the last one read: one wait for all
  for (int tn = 0; tn < B.tiles(); ++tn)
    for (int tm = 0; tm < A.tiles(); ++tm)
      b.mfma(mma, acc(tn, tm), B.fragment[half][tn].slice(2 * k8, 2), A.fragment[half][tm].slice(2 * k8, 2), acc(tn, tm));
  return b;
}

// Moves on what is fetched by one iteration, and fetches nothing beyond the last. An operand of one-plane stages is fetched one
// iteration ahead, one of two-plane stages two. trips: iterations after this one; leaves SCC set in the last.
Block Gemm::next_iteration() {
  Block b(k.arch(), "next_iteration");
  for (Operand* o : {&A, &B}) advance(b, o->resource, o->block_step);
  if (A.planes() == 2 || B.planes() == 2) b.s_cmp_gt_u32(trips, 1);
  for (Operand* o : {&A, &B})
    if (o->planes() == 2) b.s_cselect_b32(o->resource[2], no_bound, 0);
  b.s_sub_u32(trips, trips, 1);
  for (Operand* o : {&A, &B})
    if (o->planes() == 1) b.s_cselect_b32(o->resource[2], 0, no_bound);
  return b;
}

// -- Schedule: a step computes one plane, fills the LDS stage that comes next and fetches the one after that --
void Gemm::fill() {
  for (Operand* o : {&A, &B}) at.raw_buffer(o->resource, o->tile_base, no_bound);
  k << load(A, 0) << load(B, 0) << store(A, 0) << store(B, 0);
  for (Operand* o : {&A, &B}) {
    if (o->planes() == 2) {                                // its second stage is the second iteration's
      advance(k, o->resource, o->block_step);
      k.s_cmp_gt_u32(trips, 1);
      k.s_cselect_b32(o->resource[2], no_bound, 0);
    }
    k << load(*o, o->planes());
  }
  k.wait_for_lds();
  k.s_barrier();
  k << read_fragments(0, 0);
}
void Gemm::step(int plane) {
  Block stores(k.arch()), loads(k.arch());
  for (Operand* o : {&A, &B})
    if (o->starts_stage(plane)) stores << store(*o, plane + o->planes()), loads << load(*o, plane + 2 * o->planes());
  if (plane % 2 == 0) loads = next_iteration() << loads;
  k << spread(multiply(0, 0) << multiply(0, 1), read_fragments(plane, 1) << stores);
  k << spread(multiply(1, 0), loads);
  bool filled = false;
  for (Operand* o : {&A, &B})
    if (o->starts_stage(plane + 1)) filled = true, k.wait_for_lds(o->tag(plane + 1));
  if (filled) k.s_barrier();
  k << spread(multiply(1, 1), read_fragments(plane + 1, 0));
}
void Gemm::pipelined_loop() {
  const int iterations = std::max(A.planes(), B.planes()); // unrolled, so that LDS stages are known: two of the longer kind
  k.s_cmp_eq_u32(trips, 0);
  k.when_scc(false, "careful", [&] {
    fill();
    k.s_sub_u32(trips, trips, 1);
    const int top = k.new_label("k_loop"), done = k.new_label("k_loop_done");
    const size_t first = k.nodes.size();
    k.bind(top);
    for (int i = 0; i < iterations; ++i) {
      step(2 * i);
      step(2 * i + 1);
      if (i + 1 < iterations) k.s_cbranch_scc1(LabelArg{isa::label(done)}); else k.s_cbranch_scc0(LabelArg{isa::label(top)});
    }
    for (size_t i = first; i < k.nodes.size(); ++i) k.nodes[i].hot = true;
    k.bind(done);
    k.wait_for_lds();
    k.s_barrier();
  });
}

void Gemm::build() {
  declare();
  prologue();
  pipelined_loop();
  careful_loop();
  epilogue();
}

}  // namespace gemm

Program build_gemm(const GemmConfig& cfg, Arch arch, std::string name) {
  check(cfg, arch);
  Kernel kernel(name.empty() ? kernel_name(cfg) : std::move(name), arch, cfg.waves_m * cfg.waves_n * 64);
  gemm::Gemm{kernel, cfg}.build();
  return lower(std::move(kernel));
}

}  // namespace wavesmith
