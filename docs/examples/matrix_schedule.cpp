// D = A B for a 64 x 64 tile whose loads for the next step run beside the multiplications of this one: Blocks and
// interleave(). Third step of docs/guide/first_kernel.md. A is row-major, B column-major, D row-major; depth is a
// multiple of 16.
#include <wavesmith/dsl.h>

#include "host.h"

using namespace wavesmith;

struct MatrixArguments {
  DevicePointer a, b, d;
  uint32_t depth;
  void list(auto&& to) { to("a", a, "f16"), to("b", b, "f16"), to("d", d, "f32"), to("depth", depth); }
};

struct MatrixSchedule {
  using Args = MatrixArguments;
  Kernel kernel{"matrix_schedule", Arch::gfx942, 64};
  Stream& k = kernel.k;
  Registers& r = kernel.r;

  // -- Registers --
  Arguments<Args> args{kernel};
  Arguments<Args>::Loaded a = args.registers(&Args::a), b = args.registers(&Args::b), d = args.registers(&Args::d),
                          depth = args.registers(&Args::depth);  // becomes the trips
  Owned<File::s> stride = r.s.alloc(1, "bytes of a row");
  Owned<File::s> upper = r.s.alloc(1, "byte offset of row 32"), step = r.s.alloc(1, "bytes of a step");
  Owned<File::v> row = r.v.alloc(1, "row of A, column of B and D"), half = r.v.alloc(1, "half of the wave"),
                 x = r.v.alloc(1, "result");
  Owned<File::v> at[2] = {r.v.alloc(1, "byte offset, rows 0..31"), r.v.alloc(1, "byte offset, rows 32..63")},
                 last[2] = {r.v.alloc(1, "last step, rows 0..31"), r.v.alloc(1, "last step, rows 32..63")};
  Owned<File::v> fa[2] = {r.v.alloc(4, "A fragments, even steps"), r.v.alloc(4, "A fragments, odd steps")};
  Owned<File::v> fb[2] = {r.v.alloc(4, "B fragments, even steps"), r.v.alloc(4, "B fragments, odd steps")};
  Owned<File::a> acc = r.a.alloc(64, "D tiles 2 x 2");

  // -- Phases: each returns a Block, none knows about the others --
  Block load(int p) {
    Block block(k.arch(), "load");
    for (int t : {0, 1}) {
      block.global_load_dwordx2(fa[p].slice(2 * t, 2), at[t], a);
      block.global_load_dwordx2(fb[p].slice(2 * t, 2), at[t], b);
    }
    for (int t : {0, 1}) {
      block.v_add_u32(at[t], step, at[t]);
      block.v_min_u32(at[t], last[t], at[t]).note = "past the end: the last step again, unused";
    }
    return block;
  }
  Block multiply(int p) {
    Block block(k.arch(), "multiply");
    for (int m : {0, 1})
      for (int n : {0, 1}) {
        const Agpr tile = acc.slice(16 * (2 * m + n), 16);
        block.v_mfma_f32_32x32x8_f16(tile, fa[p].slice(2 * m, 2), fb[p].slice(2 * n, 2), tile);
      }
    return block;
  }

  // -- Schedule --
  void build() {
    addresses();
    for (int i = 0; i < 64; ++i) k.v_accvgpr_write_b32(acc[i], 0);
    k << load(0);
    k.loop("k_loop", depth, [&] {
      for (int p : {0, 1}) k << interleave(multiply(p), {{load(1 - p), {.count = 2}}});
    });
    store();
    k.s_endpgm();
  }

  void addresses() {
    kernel.load(a), kernel.load(b), kernel.load(d), kernel.load(depth);
    k.v_and_b32(row, 31, kernel.workitem);
    k.v_lshrrev_b32(half, 5, kernel.workitem);
    k.s_lshl_b32(stride, depth, 1);
    k.s_lshl_b32(upper, stride, 5);
    k.s_mov_b32(step, 16);
    k.v_mul_lo_u32(at[0], row, stride);
    k.v_lshl_add_u32(at[0], half, 3, at[0]);
    k.v_add_u32(at[1], upper, at[0]);
    k.s_sub_u32(stride, stride, step);
    for (int t : {0, 1}) k.v_add_u32(last[t], stride, at[t]);
    k.s_lshr_b32(depth, depth, 4);  // two steps of 8 a trip
  }
  void store() {
    k.v_lshlrev_b32(at[0], 10, half);  // 4 rows of 64 floats
    k.v_lshl_add_u32(at[0], row, 2, at[0]);
    for (int m : {0, 1})
      for (int i = 0; i < 16; ++i) {
        for (int n : {0, 1}) {
          k.v_accvgpr_read_b32(x, acc[16 * (2 * m + n) + i]);
          k.global_store_dword(at[0], x, d, {.offset = 128 * n});
        }
        k.v_add_u32(at[0], i % 4 < 3 ? 256 : 5 * 256, at[0]);
      }
  }
};

Program matrix_schedule() {
  MatrixSchedule m;
  m.build();
  return lower(std::move(m.kernel));
}

int main() {
  const uint32_t depth = 96;
  const auto [a, b, expected] = example::product(64, depth);
  example::Host host;
  const auto da = host.upload(a, "A"), db = host.upload(b, "B"), dd = host.upload(std::vector<float>(64 * 64), "D");
  host.launch(matrix_schedule(), 1, MatrixArguments{.a = da, .b = db, .d = dd, .depth = depth});
  if (host.download<float>(dd) != expected) return std::printf("matrix_schedule: wrong\n"), 1;
  std::printf("matrix_schedule: 64 x 64 x %u right\n", depth);
}
