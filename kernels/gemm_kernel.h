// The GEMM kernel being built: its registers and phases. Schedule: gemm.cpp; the way of A and B into LDS and the fragments: gemm_load.cpp;
// results: gemm_store.cpp. Only those files include this one.
#pragma once
#include "generator/pipeline.h"
#include "kernels/address.h"
#include "kernels/gemm.h"

namespace wavesmith::gemm {

using isa::Type;

constexpr int lanes = 256;                                 // of a workgroup: four waves
constexpr int plane_k = 32;                                // k of one LDS plane: a row is 64 bytes, four 16-byte chunks
constexpr int row_bytes = plane_k * 2;
constexpr int block_k = 2 * plane_k;                       // of one iteration
constexpr int mma_mn = 32;
constexpr int no_bound = -16;                              // buffer offsets at or above it are out of range: what masked lanes have, as -1
enum { all_legs = -1, whole_blocks, rest_of_k };           // of the pipeline

// One of A, B: where it is in memory, in LDS and in registers. `rows` runs along m for A, n for B.
//
// A stage is what is loaded, stored to LDS and waited for together: `planes` planes of 32 k. LDS holds two stages. Global loads are
// 128 bits: 8 k of a row where k is contiguous, else 8 rows at one k. Then a lane needs at least two k to make dwords of a row, so
// 64 rows are staged two planes at a time.
struct Operand {
  const char* name;
  bool k_contiguous;
  int rows, wave_rows;                                     // of the block, of a wave
  int lds_offset, first_tag;                               // bytes; LDS tags of the two stages
  // registers
  Owned<File::s> resource, row_stride, k_stride, block_step, rows_left;   // strides and steps in bytes
  std::vector<Owned<File::v>> load_address;                // per load of an iteration (k contiguous: of a plane)
  std::vector<Owned<File::v>> store_address[2];            // per LDS stage
  Owned<File::v> stage;                                    // on its way to LDS
  Owned<File::v> read_address[2];                          // per 16-k half of a plane
  std::vector<Owned<File::v>> fragment[2];                 // per half: one 4-register fragment a 32-row tile

  int planes() const { return !k_contiguous && rows == 64 ? 2 : 1; }
  int tiles() const { return wave_rows / mma_mn; }
  int plane_bytes() const { return rows * row_bytes; }
  int lds_bytes() const { return 2 * planes() * plane_bytes(); }
  int loads() const { return rows * planes() * plane_k / lanes / 8; }          // of a stage, 8 elements each
  int k_run() const { return k_contiguous ? 8 : loads(); }                     // consecutive k a lane has of a row: 2, 4, 8
  // In the loop, plane number `plane` from the first on:
  bool starts_stage(int plane) const { return plane % planes() == 0; }
  int lds_stage(int plane) const { return plane / planes() % 2; }
  int read_offset(int plane) const { return plane % (2 * planes()) * plane_bytes(); }
  int tag(int plane) const { return first_tag + lds_stage(plane); }
};

struct Gemm {
  Kernel& kernel;
  const GemmConfig& cfg;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Opcode mma = cfg.input == Type::bf16 ? Opcode::v_mfma_f32_32x32x8_bf16 : Opcode::v_mfma_f32_32x32x8_f16;
  const int out_bytes = isa::bits(cfg.output) / 8;

  // -- Registers: the map, in one place --
  Owned<File::s> pointers = r.s.alloc(8, "D, C, A, B", 4), strides = r.s.alloc(8, "batch strides D, C, A, B", 4);
  Owned<File::s> sizes = r.s.alloc(8, "M N K lda ldb ldc ldd alpha", 4), beta = r.s.alloc(1, "beta");
  Sgpr M = sizes[0], N = sizes[1], K = sizes[2], lda = sizes[3], ldb = sizes[4], ldc = sizes[5], ldd = sizes[6], alpha = sizes[7];
  Owned<File::s> trips = r.s.alloc(1, "whole K blocks"), rest = r.s.alloc(1, "blocks of the rest of K"), k_left = r.s.alloc(1, "k left in them");
  Owned<File::s> m0_ = r.s.alloc(1, "first row of the block"), n0 = r.s.alloc(1, "first column of the block");
  Owned<File::s> wave_m = r.s.alloc(1, "wave row"), wave_n = r.s.alloc(1, "wave column");
  Owned<File::s> t = r.s.alloc(4, "scratch", 4), mask = r.s.alloc(2, "scratch mask"), select = r.s.alloc(2, "v_perm selectors: low, high halves");
  AddressMath at{k, t.slice(0, 3)};
  Owned<File::v> lane = r.v.alloc(1, "lane"), x = r.v.alloc(1, "scratch x"), y = r.v.alloc(1, "scratch y"), row = r.v.alloc(1, "scratch row"), chunk = r.v.alloc(1, "scratch chunk");
  Owned<File::v> packed = r.v.alloc(8, "transposed runs of k, elements, results", 2), old_c = r.v.alloc(8, "C values");
  Operand A{"A", cfg.trans_a, cfg.block.m, cfg.block.m / cfg.waves_m, 0, 0};
  Operand B{"B", !cfg.trans_b, cfg.block.n, cfg.block.n / cfg.waves_n, A.lds_bytes(), 2};
  std::vector<Owned<File::a>> c;                           // [tile n][tile m], 16 registers each
  Argument d_arg, stride_arg, size_arg, beta_arg;

  Agpr acc(int tn, int tm) { return c[tn * A.tiles() + tm]; }

  // -- gemm.cpp: arguments, schedule --
  void declare();
  void prologue();
  void count_blocks();
  Pipeline::Stage of_plane(int plane, std::function<Block(int plane)>, int leg = all_legs);
  void step_of_plane(Pipeline&, int plane);
  void build();
  Block next_block(Operand&);
  Block count_rest();
  Block publish(int plane);
  Block multiply(int half, int k8);

  // -- gemm_load.cpp --
  void declare_operand(Operand&);
  void operand_addresses(Operand&, Sgpr extent, Sgpr first, Sgpr ld);
  void k_contiguous_addresses(Operand&);
  void row_contiguous_addresses(Operand&);
  void read_addresses(Operand&, Sgpr wave);
  void lds_address(Vgpr dst, Vgpr row, Vgpr chunk);
  Block load(Operand&, int plane);
  Block load_rest(Operand&, int plane);
  Vgpr within_k(Block&, Vgpr address, int ahead);
  Block store(Operand&, int plane);
  void store_rows(Block&, Operand&, int plane);
  void store_transposed(Block&, Operand&, int plane);
  Block read_fragments(int plane, int half);

  // -- gemm_store.cpp --
  void epilogue();
  void output_resource(Sgpr resource, Sgpr base, Sgpr stride, Sgpr ld);
  void write_columns(int tm, int tn, int first);
  void column_address(int tm, int tn, int i, Sgpr ld);
  void round_output(Vgpr);
};

const char* name_of(Type);

}  // namespace wavesmith::gemm
