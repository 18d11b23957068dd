// D = A B for one 32 x 32 tile on the matrix cores: fragments, accumulators, a loop over k. Second step of
// docs/guide/first_kernel.md. A is row-major, B column-major (both have k contiguous), D row-major.
#include <wavesmith/dsl.h>

#include "host.h"

using namespace wavesmith;

struct MatrixTile {
  DevicePointer a, b, d;
  uint32_t depth;
  void list(auto&& to) { to("a", a, "f16"), to("b", b, "f16"), to("d", d, "f32"), to("depth", depth); }
};

Program matrix_tile() {
  Kernel kernel("matrix_tile", Arch::gfx942, 64);  // one wave
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  Arguments<MatrixTile> args(kernel);

  auto a = args.registers(&MatrixTile::a), b = args.registers(&MatrixTile::b), d = args.registers(&MatrixTile::d),
       depth = args.registers(&MatrixTile::depth);  // becomes the trips
  auto stride = r.s.alloc(1, "bytes of a row");
  auto row = r.v.alloc(1, "row of A, column of B and D"), half = r.v.alloc(1, "half of the wave"),
       at = r.v.alloc(1, "byte offset");
  auto fa = r.v.alloc(2, "A fragment"), fb = r.v.alloc(2, "B fragment"), x = r.v.alloc(1, "result");
  auto acc = r.a.alloc(16, "D tile");

  kernel.load(a), kernel.load(b), kernel.load(d), kernel.load(depth);
  k.v_and_b32(row, 31, kernel.workitem);
  k.v_lshrrev_b32(half, 5, kernel.workitem);
  k.s_lshl_b32(stride, depth, 1);
  k.v_mul_lo_u32(at, row, stride);
  k.v_lshl_add_u32(at, half, 3, at);  // the upper half wave holds k 4..7
  for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(acc[i], 0);

  k.s_lshr_b32(depth, depth, 3);
  k.loop("k_loop", depth, [&] {
    k.global_load_dwordx2(fa, at, a);
    k.global_load_dwordx2(fb, at, b);
    k.v_mfma_f32_32x32x8_f16(acc, fa, fb, acc);
    k.v_add_u32(at, 16, at);
  });

  k.v_lshlrev_b32(at, 9, half);  // 4 rows of 32 floats
  k.v_lshl_add_u32(at, row, 2, at);
  for (int i = 0; i < 16; ++i) {
    k.v_accvgpr_read_b32(x, acc[i]);
    k.global_store_dword(at, x, d, {.offset = (8 * (i / 4) + i % 4) * 128});
  }
  k.s_endpgm();
  return lower(std::move(kernel));
}

int main() {
  const uint32_t depth = 64;
  const auto [a, b, expected] = example::product(32, depth);
  example::Host host;
  const auto da = host.upload(a, "A"), db = host.upload(b, "B"), dd = host.upload(std::vector<float>(32 * 32), "D");
  host.launch(matrix_tile(), 1, MatrixTile{.a = da, .b = db, .d = dd, .depth = depth});
  if (host.download<float>(dd) != expected) return std::printf("matrix_tile: wrong\n"), 1;
  std::printf("matrix_tile: 32 x 32 x %u right\n", depth);
}
