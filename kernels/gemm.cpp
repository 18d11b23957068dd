// D = alpha op(A) op(B) + beta C. One workgroup computes block.m x block.n; A and B pass through two LDS stages; the accumulators live in
// AGPRs, transposed (lanes run along m) so that stores are contiguous and exact at every edge. Behind
// the whole blocks of K comes a leg of the same pipeline for the rest, which loads element by element with bounds.
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
    at.raw_buffer(o->resource, pointer, no_bound);
    k.s_sub_u32(o->resource[0], o->resource[0], o->block_step);
    k.s_subb_u32(o->resource[1], o->resource[1], 0);
    read_addresses(*o, is_a ? wave_m : wave_n);
  }
  count_blocks();
  for (auto& tile : c)
    for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(tile[i], 0);
}

// Blocks of K that are loaded 128 bits at a time, and the rest. Where a row-contiguous operand ends inside the block, lanes read up to 7
// rows too many: 14 bytes that are surely the matrix' own as long as 8 more k follow.
void Gemm::count_blocks() {
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
  k.s_add_u32(rest, k_left, block_k - 1);
  k.s_lshr_b32(rest, rest, 6);
}

// -- Phases --
// 8 k of a half: every C tile once.
Block Gemm::multiply(int half, int k8) {
  Block b(k.arch(), "multiply");
  if (k8 == 0) b.wait_for(A.fragment[half].back());        // the last one read: one wait for all
  for (int tn = 0; tn < B.tiles(); ++tn)
    for (int tm = 0; tm < A.tiles(); ++tm)
      b.mfma(mma, acc(tn, tm), B.fragment[half][tn].slice(2 * k8, 2), A.fragment[half][tm].slice(2 * k8, 2), acc(tn, tm));
  return b;
}

// Where loads find the next 64 k; in front of the first they are one block back.
Block Gemm::next_block(Operand& o) {
  Block b(k.arch(), "next_block");
  b.s_add_u32(o.resource[0], o.resource[0], o.block_step);
  b.s_addc_u32(o.resource[1], o.resource[1], 0);
  return b;
}
Block Gemm::count_rest() {
  Block b(k.arch(), "count_rest");
  b.s_sub_u32(k_left, k_left, block_k);
  return b;
}
// The stages that start with this plane are in LDS, and nobody reads any more what they replaced.
Block Gemm::publish(int plane) {
  Block b(k.arch(), "publish");
  for (Operand* o : {&A, &B})
    if (o->starts_stage(plane)) b.wait_for_lds(o->tag(plane));
  if (b.size()) b.s_barrier();
  return b;
}

// -- Schedule --
// A phase for plane number `plane`, counted from the first of an iteration's two; in one leg or all.
Pipeline::Stage Gemm::of_plane(int plane, std::function<Block(int plane)> phase, int leg) {
  const int iterations = std::max(A.planes(), B.planes()); // after so many all LDS stages have come round
  return {ahead(plane / 2).over(iterations).in_leg(leg), [=](int slot) { return phase(2 * slot + plane % 2); }};
}
// While one plane is multiplied, the LDS stage that comes next is filled and the one after that fetched.
void Gemm::step_of_plane(Pipeline& p, int plane) {
  Pipeline::Stages read = {of_plane(plane, [this](int n) { return read_fragments(n, 1); })}, loads, stores;
  for (Operand* o : {&A, &B})
    if (plane == 0) loads.push_back({ahead(o->planes()).over(1), [this, o](int) { return next_block(*o); }});
  for (Operand* o : {&A, &B})
    if (o->starts_stage(plane)) {
      stores.push_back(of_plane(plane + o->planes(), [this, o](int n) { return store(*o, n); }));
      const int fetched = plane + 2 * o->planes();
      loads.push_back(of_plane(fetched, [this, o](int n) { return load(*o, n); }, whole_blocks));
      loads.push_back(of_plane(fetched, [this, o](int n) { return load_rest(*o, n); }, rest_of_k));
    }
  p.merge(spread, {of_plane(plane, [this](int) { return multiply(0, 0) << multiply(0, 1); })}, {read, stores});
  p.merge(spread, {of_plane(plane, [this](int) { return multiply(1, 0); })}, {loads});
  p.at(of_plane(plane + 1, [this](int n) { return publish(n); }));
  p.merge(spread, {of_plane(plane, [this](int) { return multiply(1, 1); })}, {{of_plane(plane + 1, [this](int n) { return read_fragments(n, 0); })}});
}

void Gemm::build() {
  declare();
  prologue();
  Pipeline p;
  for (int plane : {0, 1}) step_of_plane(p, plane);
  p.at(ahead(0).in_leg(rest_of_k), [this](int) { return count_rest(); });
  p.emit(k, {{.trips = trips, .hot = true}, {.trips = rest, .tail = true}});
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
