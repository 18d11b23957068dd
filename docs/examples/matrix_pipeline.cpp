// D = A B for a 64 x 64 tile by four waves: slices of A and B are loaded directly to LDS two iterations ahead,
// fragments are read one iteration ahead, and both are merged with the multiplications. The schedule is declared as a
// Pipeline (docs/guide/schedules.md). A is row-major, B column-major, D row-major; depth is a multiple of 32.
#include <wavesmith/dsl.h>

#include "host.h"

using namespace wavesmith;

struct PipelineArguments {
  DevicePointer a, b, d;
  uint32_t depth;
  void list(auto&& to) { to("a", a, "f16"), to("b", b, "f16"), to("d", d, "f32"), to("depth", depth); }
};

struct MatrixPipeline {
  using Args = PipelineArguments;
  static constexpr int row_bytes = 64, slice_bytes = 64 * row_bytes;  // 32 k of 64 rows
  Kernel kernel{"matrix_pipeline", Arch::gfx950, 256};
  Stream& k = kernel.k;
  Registers& r = kernel.r;

  // -- Registers --
  Arguments<Args> args{kernel};
  Arguments<Args>::Loaded a = args.registers(&Args::a), b = args.registers(&Args::b), d = args.registers(&Args::d),
                          trips = args.registers(&Args::depth);
  Owned<File::s> wave = r.s.alloc(1, "wave"), lds_wave = r.s.alloc(1, "LDS bytes before this wave"),
                 size = r.s.alloc(1, "bytes of A, of B");
  Owned<File::s> source[2] = {r.s.alloc(4, "A", 4), r.s.alloc(4, "B", 4)},
                 next[2] = {r.s.alloc(1, "A bytes along k"), r.s.alloc(1, "B bytes along k")};
  Owned<File::v> lane = r.v.alloc(1, "lane"), load_at = r.v.alloc(1, "load address"), x = r.v.alloc(1, "result"),
                 read_at[2] = {r.v.alloc(1, "A LDS read address"), r.v.alloc(1, "B LDS read address")};
  Owned<File::v> fragment[2][2] = {{r.v.alloc(8, "A fragments, even slices"), r.v.alloc(8, "B fragments, even slices")},
                                   {r.v.alloc(8, "A fragments, odd slices"), r.v.alloc(8, "B fragments, odd slices")}};
  Owned<File::a> acc = r.a.alloc(16, "D tile");

  // -- Phases: `slot` is the LDS buffer or the set of fragments --
  Block to_lds(int slot) {
    Block block(k.arch(), "to_lds");
    for (int o : {0, 1}) {
      block.s_add_u32(m0, lds_wave, (2 * slot + o) * slice_bytes);
      block.s_add_u32(next[o], next[o], row_bytes);  // separates the write of M0 from its use
      load_to_lds(block, {Opcode::buffer_load_dwordx4, load_at, source[o], next[o], 0, slot});
    }
    return block;
  }
  Block stage_barrier() {
    Block block(k.arch(), "stage_barrier");
    block.wait_for_lds();
    block.barrier();
    return block;
  }
  Block read(int slot) {
    Block block(k.arch(), "read");
    for (int o : {0, 1})
      for (int step : {0, 1})
        block
            .ds_read_b128(fragment[slot][o].slice(4 * step, 4), read_at[o],
                          {.offset = (2 * slot + o) * slice_bytes + 32 * step})
            .buffer = slot;
    return block;
  }
  Block multiply(int slot) {
    Block block(k.arch(), "multiply");
    for (int step : {0, 1})
      block.v_mfma_f32_32x32x16_f16(acc, fragment[slot][0].slice(4 * step, 4), fragment[slot][1].slice(4 * step, 4),
                                    acc);
    return block;
  }

  // -- Schedule --
  void build() {
    kernel.lds_bytes = 4 * slice_bytes;
    addresses();
    for (int i = 0; i < 16; ++i) k.v_accvgpr_write_b32(acc[i], 0);
    Pipeline p{.slots = 2};
    p.at(ahead(1), [&](int) { return stage_barrier(); });                     // wait_for_lds, barrier
    p.merge(evenly, {{ahead(0), [&](int slot) { return multiply(slot); }}},   // between its instructions ...
            {{{ahead(1), [&](int slot) { return read(slot); }}},              // ... LDS reads of the next iteration
             {{ahead(2).over(2), [&](int slot) { return to_lds(slot); }}}});  // ... and loads of the one after it
    p.emit(k, trips, {.hot = true});
    store();
    k.s_endpgm();
  }

  void addresses() {
    kernel.load(a), kernel.load(b), kernel.load(d), kernel.load(trips);
    Scratch s(kernel.r);
    const Vgpr row = s.v("row"), chunk = s.v("16-byte chunk");
    k.v_lshrrev_b32(row, 2, kernel.workitem);  // a lane loads 16 bytes, four lanes a row
    k.v_and_b32(chunk, 3, kernel.workitem);
    k.s_lshl_b32(size, trips, 1);
    k.v_mul_lo_u32(load_at, row, size);
    k.v_lshl_add_u32(load_at, chunk, 4, load_at);
    k.s_lshl_b32(size, size, 6);
    k.v_readfirstlane_b32(wave, kernel.workitem);
    k.s_lshr_b32(wave, wave, 6);
    k.s_lshl_b32(lds_wave, wave, 10);
    k.v_and_b32(lane, 63, kernel.workitem);
    k.v_lshrrev_b32(chunk, 5, lane);  // the upper half wave holds k 8..15
    for (int o : {0, 1}) {
      raw_buffer(k, source[o], o ? b : a, size);
      k.s_mov_b32(next[o], -row_bytes);
      k.s_lshr_b32(vcc[0], wave, o);  // waves 2 x 2: bit 0 along the rows of D, bit 1 along its columns
      k.s_and_b32(vcc[0], vcc[0], 1);
      k.s_lshl_b32(vcc[0], vcc[0], 5);
      k.v_and_b32(row, 31, lane);
      k.v_add_u32(row, vcc[0], row);
      k.v_lshlrev_b32(read_at[o], 6, row);
      k.v_lshl_add_u32(read_at[o], chunk, 4, read_at[o]);
    }
    k.s_lshr_b32(trips, trips, 5);
  }
  void store() {
    Scratch s(kernel.r);
    const Vgpr at = s.v("byte offset");
    k.v_lshrrev_b32(at, 5, lane);
    k.v_lshlrev_b32(at, 10, at);  // 4 rows of 64 floats
    k.v_and_b32(x, 31, lane);
    k.v_lshl_add_u32(at, x, 2, at);
    k.s_and_b32(vcc[0], wave, 1);
    k.s_lshl_b32(vcc[0], vcc[0], 13);
    k.v_add_u32(at, vcc[0], at);
    k.s_lshr_b32(vcc[0], wave, 1);
    k.s_lshl_b32(vcc[0], vcc[0], 7);
    k.v_add_u32(at, vcc[0], at);
    for (int i = 0; i < 16; ++i) {
      k.v_accvgpr_read_b32(x, acc[i]);
      k.global_store_dword(at, x, d);
      k.v_add_u32(at, i % 4 < 3 ? 256 : 5 * 256, at);
    }
  }
};

Program matrix_pipeline() {
  MatrixPipeline m;
  m.build();
  return lower(std::move(m.kernel));
}

int main() {
  for (const uint32_t depth : {0u, 32u, 64u, 96u, 128u, 160u}) {  // fewer iterations than the prologue needs, and more
    const auto [a, b, expected] = example::product(64, depth);
    example::Host host;
    const auto da = host.upload(a, "A"), db = host.upload(b, "B"), dd = host.upload(std::vector<float>(64 * 64), "D");
    host.launch(matrix_pipeline(), 1, PipelineArguments{.a = da, .b = db, .d = dd, .depth = depth});
    if (host.download<float>(dd) != expected) return std::printf("matrix_pipeline: depth %u wrong\n", depth), 1;
  }
  std::printf("matrix_pipeline: 64 x 64 right for every depth\n");
}
