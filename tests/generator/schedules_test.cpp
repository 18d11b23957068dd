// Declared schedules as production kernels use them, each as a small kernel run on the simulator with all its checks:
// tiles through LDS, where every lane reads what a lane of another wave wrote.
#include <catch2/catch.hpp>

#include <cstring>
#include <functional>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/kernel.h"
#include "generator/dsl/lds_dma.h"
#include "generator/passes/lower.h"
#include "generator/schedule/interleave.h"
#include "generator/schedule/issue_model.h"
#include "generator/schedule/pipeline.h"
#include "generator/schedule/wave_stages.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

// out[lane] = sum over tiles t of (t + 1) * in[t][lane ^ 64]: tiles of `lanes` dwords, lanes of the neighbouring wave.
struct TileSum {
  int lanes;
  Kernel kernel;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  Owned<File::s> args = r.s.alloc(4, "in, out", 4), source = r.s.alloc(4, "buffer of in", 4),
                 trips = r.s.alloc(1, "tiles"), wave_base = r.s.alloc(1, "LDS bytes before this wave"),
                 zero = r.s.alloc(1, "0");
  Owned<File::v> own = r.v.alloc(1, "byte of this lane"), other = r.v.alloc(1, "byte of its partner"),
                 sum = r.v.alloc(1, "sum"), weight = r.v.alloc(1, "weight"), value = r.v.alloc(1, "value");

  TileSum(int lanes, int buffers) : lanes(lanes), kernel("tile_sum", Arch::gfx942, lanes) {
    kernel.lds_bytes = 4 * lanes * buffers;
    const auto in = kernel.pointer("in", "u32");
    kernel.pointer("out", "u32");
    const auto tiles = kernel.value("tiles", "u32");
    kernel.load(args, in);
    kernel.load(trips, tiles);
    k.v_lshlrev_b32(own, 2, kernel.workitem);
    k.v_xor_b32(other, 256, own);
    k.v_mov_b32(sum, 0);
    k.v_mov_b32(weight, 1);
    k.s_mov_b32(zero, 0);
    k.v_readfirstlane_b32(wave_base, own);
    raw_buffer(k, source, args.slice(0, 2), -1);
  }
  Block next_tile(const char* name) const {  // an address step, part of the phases that load
    Block b(Arch::gfx942, name);
    b.s_add_u32(source[0], source[0], 4 * lanes);
    b.s_addc_u32(source[1], source[1], 0);
    return b;
  }
  Block to_lds(int buffer) {
    Block b(Arch::gfx942, "load to LDS");
    b.s_add_u32(m0, wave_base, 4 * lanes * buffer);
    load_to_lds(
        b, {.op = Opcode::buffer_load_dword, .address = own, .resource = source, .soffset = zero, .buffer = buffer});
    return b << next_tile("load to LDS");
  }
  Block load(Vgpr staged) {
    Block b(Arch::gfx942, "load");
    b.buffer_load_dword(staged, own, source, 0, {.flags = isa::offen});
    return b << next_tile("load");
  }
  Block store(Vgpr staged, int buffer) {
    Block b(Arch::gfx942, "store");
    b.ds_write_b32(own, staged, {.offset = 4 * lanes * buffer}).buffer = buffer;
    return b;
  }
  Block stage_barrier(int buffer) {  // the buffer is written, and no wave still reads the previous one
    Block b(Arch::gfx942, "stage barrier");
    b.wait_for_lds(buffer);
    b.s_barrier();
    return b;
  }
  Block use(int buffer) {
    Block b(Arch::gfx942, "use");
    b.ds_read_b32(value, other, {.offset = 4 * lanes * buffer}).buffer = buffer;
    b.v_mul_lo_u32(value, value, weight);
    b.v_add_u32(sum, sum, value);
    b.v_add_u32(weight, 1, weight);
    return b;
  }
  Program finish(const LowerOptions& options = {}) {
    k.global_store_dword(own, sum, args.slice(2, 2));
    k.s_endpgm();
    return lower(std::move(kernel), options);
  }
};

struct Sums {
  std::vector<uint32_t> out, expected;
  std::string fault;
};

using Expected = std::function<uint32_t(uint32_t tile, uint32_t value)>;
uint32_t weighted(uint32_t tile, uint32_t value) { return (tile + 1) * value; }

Sums run_tiles(const Program& program, uint32_t tiles, const Expected& of = weighted) {
  const int lanes = program.workgroup_size;
  const auto co = sim::CodeObject::load(assemble(program).bytes);
  sim::Memory memory;
  std::vector<uint32_t> in(lanes * (tiles + 1)), out(lanes);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * 2654435761u);
  const uint64_t from = memory.allocate(in.size() * 4, "in"), to = memory.allocate(out.size() * 4, "out");
  memory.write(from, {reinterpret_cast<const uint8_t*>(in.data()), in.size() * 4});
  std::vector<uint8_t> kernargs(20);
  std::memcpy(&kernargs[0], &from, 8);
  std::memcpy(&kernargs[8], &to, 8);
  std::memcpy(&kernargs[16], &tiles, 4);
  const auto result =
      sim::run(co, co.kernel(""), memory, {.block = {static_cast<uint32_t>(lanes), 1, 1}, .kernargs = kernargs});
  memory.read(to, {reinterpret_cast<uint8_t*>(out.data()), out.size() * 4});
  std::vector<uint32_t> expected(lanes, 0);
  for (int lane = 0; lane < lanes; ++lane)
    for (uint32_t t = 0; t < tiles; ++t) expected[lane] += of(t, in[t * lanes + (lane ^ 64)]);
  return {out, expected, result.fault ? result.fault->message() : ""};
}

void check_sums(const Program& program, uint32_t tiles, const Expected& of = weighted) {
  const Sums o = run_tiles(program, tiles, of);
  INFO(tiles << " tiles");
  REQUIRE(o.fault == "");
  REQUIRE(o.out == o.expected);
}

}  // namespace

TEST_CASE("direct-to-LDS loads run through two and three buffers with one barrier a tile", "[pipeline]") {
  const int buffers = GENERATE(2, 3);
  TileSum t(256, buffers);
  Pipeline p{.slots = buffers};
  p.at(ahead(0), [&](int s) { return t.stage_barrier(s); });
  p.at(ahead(buffers - 1), [&](int s) { return t.to_lds(s); });
  p.at(ahead(0), [&](int s) { return t.use(s); });
  p.emit(t.k, t.trips);
  const Program program = t.finish();
  int barriers = 0, loosest = 0;
  for (const Node& n : program.nodes)
    if (n.is_instruction()) {
      barriers += n.inst.op == Opcode::s_barrier;
      loosest = std::max(loosest, isa::waits_of(n.inst, Arch::gfx942).vm);
    }
  CHECK(loosest == buffers - 2);  // number of tiles in flight while one is used
  CHECK(barriers > 0);
  for (uint32_t tiles = 0; tiles <= 8; ++tiles) check_sums(program, tiles);
}

TEST_CASE("a tile that is staged in registers needs two LDS buffers and one set of registers", "[pipeline]") {
  TileSum t(256, 2);
  const auto staged = t.r.v.alloc(1, "staged");
  Pipeline p{.slots = 2};
  p.at(ahead(0), [&](int s) { return t.stage_barrier(s); });
  p.at(ahead(1), [&](int s) { return t.store(staged, s); });
  p.at(ahead(2).over(1), [&](int) { return t.load(staged); });
  p.at(ahead(0), [&](int s) { return t.use(s); });
  p.emit(t.k, t.trips);
  const Program program = t.finish();
  for (uint32_t tiles = 0; tiles <= 9; ++tiles) check_sums(program, tiles);
}

TEST_CASE("K and V have two LDS buffers each, and a tile's V is used one step after its K", "[pipeline]") {
  TileSum t(256, 4);  // buffers 0, 1: K; 2, 3: V. Both are `in`; the sum is of (weight * K) * V
  const auto k_stage = t.r.v.alloc(1, "K on its way"), v_stage = t.r.v.alloc(1, "V on its way"),
             p = t.r.v.alloc(1, "weighted K"), v = t.r.v.alloc(1, "V");
  const auto v_source = t.r.s.alloc(4, "buffer of V", 4);
  t.k.s_mov_b64(v_source.slice(0, 2), t.args.slice(0, 2));
  t.k.s_mov_b64(v_source.slice(2, 2), t.source.slice(2, 2));
  for (const Sgpr bytes : {t.source.slice(2, 1), v_source.slice(2, 1)})
    t.k.s_mul_i32(bytes, t.trips, 4 * t.lanes);  // zeros beyond the last tile
  const auto read = [&](Vgpr to, int buffer) {
    Block b(Arch::gfx942, "read");
    b.ds_read_b32(to, t.other, {.offset = 4 * t.lanes * buffer}).buffer = buffer;
    return b;
  };
  const auto load = [&](Vgpr to, Sgpr from) {  // the bound moves with the base
    Block b(Arch::gfx942, "load");
    b.buffer_load_dword(to, t.own, from, 0, {.flags = isa::offen});
    b.s_add_u32(from[0], from[0], 4 * t.lanes);
    b.s_addc_u32(from[1], from[1], 0);
    b.s_max_u32(from[2], from[2], 4 * t.lanes);
    b.s_sub_u32(from[2], from[2], 4 * t.lanes);
    return b;
  };
  Block weigh(Arch::gfx942, "weigh"), add(Arch::gfx942, "add");
  weigh.v_mul_lo_u32(p, t.value, t.weight);
  weigh.v_add_u32(t.weight, 1, t.weight);
  add.v_mul_lo_u32(v, v, p);
  add.v_add_u32(t.sum, t.sum, v);
  t.k.v_mov_b32(v, 0);  // the first product is of zeros
  t.k.v_mov_b32(p, 0);
  Pipeline pipe{.slots = 2, .past_end = true};
  pipe.at(ahead(1), [&](int) { return t.stage_barrier(-1); });
  pipe.at(delayed(1), [&](int) { return add; });
  pipe.at(ahead(0), [&](int) { return weigh; });
  pipe.at(ahead(0), [&](int s) { return read(v, 2 + s); });
  pipe.at(ahead(1), [&](int s) { return read(t.value, s); });
  pipe.at(ahead(2).over(2), [&](int s) { return t.store(k_stage, s); }).at(ahead(1), [&](int s) {
    return t.store(v_stage, 2 + s);
  });
  pipe.at(ahead(3).over(1), [&](int) { return load(k_stage, t.source); }).at(ahead(2).over(1), [&](int) {
    return load(v_stage, v_source);
  });
  pipe.emit(t.k, t.trips);
  const Program program = t.finish();
  int barriers = 0;
  for (const Node& n : program.nodes) barriers += n.is_instruction() && n.inst.op == Opcode::s_barrier;
  CHECK(barriers == 3);  // one per tile of the unrolled loop, one before it
  for (uint32_t tiles = 0; tiles <= 7; ++tiles)
    check_sums(program, tiles, [](uint32_t tile, uint32_t value) { return (tile + 1) * value * value; });
}

TEST_CASE("filling the buffer that was just read before the barrier is a race, and caught", "[pipeline]") {
  TileSum t(256, 2);
  const auto staged = t.r.v.alloc(1, "staged");
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int s) { return t.store(staged, s); });  // belongs after the stage barrier
  p.at(ahead(2).over(1), [&](int) { return t.load(staged); });
  p.at(ahead(0), [&](int s) { return t.stage_barrier(s); });
  p.at(ahead(0), [&](int s) { return t.use(s); });
  p.emit(t.k, t.trips);
  CHECK_THAT(run_tiles(t.finish({.check = false}), 5).fault, Catch::Contains("LDS race"));
}

TEST_CASE("the .s says which phase and which iteration an instruction belongs to", "[pipeline]") {
  TileSum t(256, 3);
  Pipeline p{.slots = 3};
  p.at(ahead(0), [&](int s) { return t.stage_barrier(s); });
  p.at(ahead(2), [&](int s) { return t.to_lds(s); });
  p.at(ahead(0), [&](int s) { return t.use(s); });
  p.emit(t.k, t.trips);
  const std::string text = assembly(t.finish());
  CHECK_THAT(text,
             Catch::Contains("\t; -- load to LDS, iteration 1\n"));  // prologue: a run of four, on a line of its own
  CHECK_THAT(text, Catch::Contains("\t; -- load to LDS +2\n"));
  CHECK_THAT(text, Catch::Contains("s_barrier\n") || Catch::Contains("s_barrier  ;"));
  CHECK_THAT(text, Catch::Contains("  ; -- stage barrier\n"));  // a short run, after its first instruction
}

TEST_CASE("softmax work runs in the shadow of matrix instructions", "[pipeline][interleave]") {
  Block qk(Arch::gfx942, "qk"), softmax(Arch::gfx942, "softmax");
  for (int i = 0; i < 8; ++i) {
    qk.v_mfma_f32_32x32x8_f16(Agpr{static_cast<uint16_t>(16 * (i % 4)), 16}, Vgpr{100, 2}, Vgpr{102, 2},
                              Agpr{static_cast<uint16_t>(16 * (i % 4)), 16});
    const Vgpr s{static_cast<uint16_t>(i), 1}, e{static_cast<uint16_t>(20 + i), 1}, m{40, 1};
    softmax.v_sub_f32(s, s, m);
    softmax.v_mul_f32(s, s, 1.442695f);
    softmax.v_max_f32(e, s, e);
    softmax.v_exp_f32(e, s);
  }
  FillReport report;
  const Block together = fill(qk, {softmax}, &report);
  CHECK(report.left == std::vector<int>{0});
  // Eight of 32 clocks each, and under each exactly 3 * 4 + 16 clocks of softmax (tests/facts/timing.csv: three VALU or
  // one exp hidden, "mfma_coexec").
  CHECK(predicted_clocks(qk) == 256);
  CHECK(predicted_clocks(together) == 256);
  Block apart(Arch::gfx942);
  CHECK(predicted_clocks(apart << qk << softmax) == 256 + 7 * 28);  // only the last one's shadow is used
}

TEST_CASE("two waves of a SIMD take turns by barriers and priorities", "[pipeline]") {
  TileSum t(512, 1);  // 8 waves; waves 4 to 7 lag
  const auto second = t.r.s.alloc(1, "wave lags"), left = t.r.s.alloc(1, "tiles left");
  t.k.s_lshr_b32(second, t.wave_base, 10);  // 1024 bytes: four waves
  t.k.s_mov_b32(left, t.trips);
  Block load = t.load(t.value), use(Arch::gfx942, "use");
  use.v_mul_lo_u32(t.value, t.value, t.weight);
  use.v_add_u32(t.sum, t.sum, t.value);
  use.v_add_u32(t.weight, 1, t.weight);
  t.k.v_mov_b32(t.own, t.own);
  const auto home = t.r.v.alloc(1, "where to store");
  t.k.v_mov_b32(home, t.own);
  t.k.v_mov_b32(t.own, t.other);  // loads the partner's values directly
  ping_pong(t.k, second, [&] { t.k.loop("tiles", left, [&] { t.k << wave_stages({{load}, {use, 1}}); }); });
  t.k.v_mov_b32(t.own, home);
  const Program program = t.finish();
  std::vector<int> priorities;
  for (const Node& n : program.nodes)
    if (n.is_instruction() && n.inst.op == Opcode::s_setprio)
      priorities.push_back(static_cast<int>(n.inst.operands[0].bits));
  CHECK(priorities == std::vector<int>{0, 1});  // the unnamed one is reset
  for (uint32_t tiles = 1; tiles <= 4; ++tiles) check_sums(program, tiles);
  CHECK_THROWS_WITH(wave_stages({{load, 4}, {use}}), Catch::Contains("priority 4; legal: 0 to 3"));
  CHECK_THROWS_WITH(wave_stages({{load}}), Catch::Contains("legal: two or more"));
}
