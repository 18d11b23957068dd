// The documents' schedules with matrix instructions in them: four waves, one a SIMD, each interleaving its own matrix,
// LDS and global instructions; K and V in two LDS buffers each, V a tile late. Declared with Pipeline, run with all
// checks against integer products.
#include <catch2/catch.hpp>

#include <cstring>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/kernel.h"
#include "generator/dsl/lds_dma.h"
#include "generator/passes/lower.h"
#include "generator/schedule/interleave.h"
#include "generator/schedule/pipeline.h"
#include "generator/schedule/wave_stages.h"
#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

// C[128][128] = A[128][64 t] B[128][64 t]^T in f16, A and B packed as tiles of [row][64 k], 16 KiB; a wave multiplies
// 64 x 64 of it. Tiles go directly to LDS, two buffers; fragments are read an iteration ahead into a second set of
// registers.
struct FourWaves {
  static constexpr int tile_bytes = 128 * 128, buffer_bytes = 2 * tile_bytes, steps = 4, tiles = 2;
  Kernel kernel{"four_waves", Arch::gfx950, 256};
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  Owned<File::s> args = r.s.alloc(8, "A, B, C", 4), trips = r.s.alloc(1, "tiles of K"), wave = r.s.alloc(1, "wave"),
                 lds = r.s.alloc(1, "LDS bytes before this wave"), next = r.s.alloc(1, "bytes to the next tile");
  Owned<File::s> source[2] = {r.s.alloc(4, "A", 4), r.s.alloc(4, "B", 4)};
  Owned<File::v> own = r.v.alloc(1, "byte this lane loads"), lane = r.v.alloc(1, "lane"), x = r.v.alloc(1, "scratch"),
                 read_at[2] = {r.v.alloc(1, "A LDS read address"), r.v.alloc(1, "B LDS read address")};
  std::vector<Owned<File::v>> fragment[2][2], c;  // [slot][operand], [step][tile]

  FourWaves() {
    kernel.lds_bytes = 2 * buffer_bytes;
    const auto pointers = kernel.pointer("A", "f16");
    kernel.pointer("B", "f16");
    kernel.pointer("C", "f32");
    kernel.load(args, pointers);
    kernel.load(trips, kernel.value("tiles", "u32"));
    for (auto& slot : fragment)
      for (auto& operand : slot)
        for (int i = 0; i < steps * tiles; ++i) operand.push_back(r.v.alloc(4, "fragment", 4));
    for (int i = 0; i < tiles * tiles; ++i) c.push_back(r.v.alloc(16, "C tile", 4));
    k.v_lshrrev_b32(x, 6, kernel.workitem);
    k.v_readfirstlane_b32(wave, x);
    k.v_and_b32(lane, 63, kernel.workitem);
    k.v_lshlrev_b32(own, 4, lane);
    k.v_lshl_add_u32(own, x, 12, own);
    k.s_lshl_b32(lds, wave, 12);
    k.s_mov_b32(next, 0);
    for (int o : {0, 1}) {  // row lane % 32 of this wave's 64, 8 k from 8 (lane / 32) on
      raw_buffer(k, source[o], args.slice(2 * o, 2), -1);
      k.s_lshr_b32(vcc.slice(0, 1), wave, o);
      k.s_and_b32(vcc.slice(0, 1), vcc.slice(0, 1), 1);
      k.s_lshl_b32(vcc.slice(0, 1), vcc.slice(0, 1), 6);
      k.v_and_b32(x, 31, lane);
      k.v_add_u32(x, vcc.slice(0, 1), x);
      k.v_lshlrev_b32(read_at[o], 7, x);
      k.v_lshrrev_b32(x, 5, lane);
      k.v_lshl_add_u32(read_at[o], x, 4, read_at[o]);
      k.v_add_u32(read_at[o], o * tile_bytes, read_at[o]);
    }
    for (auto& tile : c)
      for (int i = 0; i < 16; ++i) k.v_mov_b32(tile[i], 0);
  }
  Block to_lds(int buffer) {  // 4 KiB a wave and operand; the offset counts in memory and in LDS
    Block b(Arch::gfx950, "load to LDS");
    for (int o : {0, 1}) {
      b.s_add_u32(m0, lds, buffer * buffer_bytes + o * tile_bytes);
      for (int turn = 0; turn < 4; ++turn)
        load_to_lds(b, {Opcode::buffer_load_dwordx4, own, source[o], next, turn * 1024, buffer});
    }
    b.s_add_u32(next, next, tile_bytes);
    return b;
  }
  Block stage_barrier() {
    Block b(Arch::gfx950, "stage barrier");
    b.wait_for_lds();
    b.s_barrier();
    return b;
  }
  Block read(int slot) {
    Block b(Arch::gfx950, "read");
    for (int step = 0; step < steps; ++step)
      for (int o : {0, 1})
        for (int t = 0; t < tiles; ++t)
          b.ds_read_b128(fragment[slot][o][step * tiles + t], read_at[o],
                         {.offset = slot * buffer_bytes + t * 32 * 128 + step * 32})
              .buffer = slot;
    return b;
  }
  Block multiply(int slot) {
    Block b(Arch::gfx950, "multiply");
    for (int step = 0; step < steps; ++step)
      for (int n = 0; n < tiles; ++n)
        for (int m = 0; m < tiles; ++m)
          b.v_mfma_f32_32x32x16_f16(c[n * tiles + m], fragment[slot][0][step * tiles + m],
                                    fragment[slot][1][step * tiles + n], c[n * tiles + m]);
    return b;
  }
  Program finish(const LowerOptions& options = {}) {  // C[wave][tile][register][lane]
    k.v_lshlrev_b32(x, 2, lane);
    k.s_lshl_b32(wave, wave, 14);
    k.v_add_u32(x, wave, x);
    for (auto& tile : c)
      for (int i = 0; i < 16; ++i) k.global_store_dword(x, tile[i], args.slice(4, 2)), k.v_add_u32(x, 256, x);
    k.s_endpgm();
    return lower(std::move(kernel), options);
  }
};

std::string run_product(const Program& p, uint32_t k_tiles) {  // "" or what is wrong
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  sim::Memory memory;
  const size_t n = size_t{k_tiles} * 128 * 64;
  std::vector<int> value[2];
  uint64_t at[3];
  for (int o : {0, 1}) {
    std::vector<uint16_t> bits(n + 8);
    for (size_t i = 0; i < n; ++i)
      value[o].push_back(static_cast<int>((i * 2654435761u >> 20) % 7) - 3 + o),
          bits[i] = static_cast<uint16_t>(sim::encode(sim::format::f16, value[o].back()));
    at[o] = memory.allocate(bits.size() * 2, "operand");
    memory.write(at[o], {reinterpret_cast<const uint8_t*>(bits.data()), bits.size() * 2});
  }
  std::vector<float> out(128 * 128);
  at[2] = memory.allocate(out.size() * 4, "C");
  std::vector<uint8_t> kernargs(28);
  std::memcpy(&kernargs[0], at, 24);
  std::memcpy(&kernargs[24], &k_tiles, 4);
  const auto result = sim::run(co, co.kernel(""), memory, {.block = {256, 1, 1}, .kernargs = kernargs});
  if (result.fault) return result.fault->message();
  memory.read(at[2], {reinterpret_cast<uint8_t*>(out.data()), out.size() * 4});
  for (int i = 0; i < 128 * 128;
       ++i) {  // CDNA4 ISA guide: column lane % 32, rows 8 (register / 4) + 4 (lane / 32) + register % 4
    const int lane = i & 63, reg = i >> 6 & 15, tile = i >> 10 & 3, wave = i >> 12;
    const int m = wave % 2 * 64 + tile % 2 * 32 + 8 * (reg / 4) + 4 * (lane / 32) + reg % 4,
              col = wave / 2 * 64 + tile / 2 * 32 + lane % 32;
    int want = 0;
    for (uint32_t t = 0; t < k_tiles; ++t)
      for (int k = 0; k < 64; ++k) want += value[0][(t * 128 + m) * 64 + k] * value[1][(t * 128 + col) * 64 + k];
    if (out[i] != static_cast<float>(want)) return fmt::format("C[{}][{}] is {}, not {}", m, col, out[i], want);
  }
  return "";
}

// The most instructions between two matrix instructions within a step of the hot loop; a barrier ends a step.
int widest_gap(const Program& p) {
  int gap = 0, widest = 0;
  bool inside = false;
  for (const Node& n : p.nodes) {
    if (!n.hot || !n.is_instruction() || n.inst.op == Opcode::s_barrier) {
      inside = false;
      continue;
    }
    if (n.inst.info().is_matrix()) {
      if (inside) widest = std::max(widest, gap);
      inside = true, gap = 0;
    } else ++gap;
  }
  return widest;
}

}  // namespace

TEST_CASE("four waves, one a SIMD, interleave matrix, LDS and global instructions with no gap above two",
          "[pipeline]") {
  FourWaves w;
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int) { return w.stage_barrier(); });
  p.merge(evenly, {{ahead(0), [&](int slot) { return w.multiply(slot); }}},
          {{{ahead(1), [&](int slot) { return w.read(slot); }}},
           {{ahead(2).over(2), [&](int slot) { return w.to_lds(slot); }}}});
  p.emit(w.k, w.trips, {.hot = true});
  const Program program = w.finish();
  int matrix = 0, others = 0;
  for (const Node& n : program.nodes)
    if (n.hot && n.is_instruction()) (n.inst.info().is_matrix() ? matrix : others) += 1;
  CHECK(matrix == 2 * 16);
  CHECK(others == 2 * (16 + 8 + 3 + 2 + 2));  // reads, loads, their scalars; count and branch; wait and barrier
  CHECK(widest_gap(program) <= 2);  // 27 between 16; MI350's best loop has up to four (tests/facts/kernel_tricks.md)
  for (uint32_t tiles = 0; tiles <= 6; ++tiles) {
    INFO(tiles << " tiles");
    CHECK(run_product(program, tiles) == "");
  }
}

TEST_CASE("a fine interleave whose loads are not waited for is caught", "[pipeline]") {
  FourWaves w;
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int) {
    Block b(Arch::gfx950, "stage barrier");
    b.s_barrier();
    return b;
  });
  p.merge(evenly, {{ahead(0), [&](int slot) { return w.multiply(slot); }}},
          {{{ahead(1), [&](int slot) { return w.read(slot); }}},
           {{ahead(2).over(2), [&](int slot) { return w.to_lds(slot); }}}});
  p.emit(w.k, w.trips, {.hot = true});
  const Program program = w.finish({.check = false});
  CHECK(run_product(program, 4) != "");
}

TEST_CASE("stages of a warp pipeline have priorities 0 to 3, and an unnamed one is reset to 0", "[pipeline]") {
  Block load(Arch::gfx942), prepare(Arch::gfx942), compute(Arch::gfx942);
  load.buffer_load_dword(Vgpr{1, 1}, Vgpr{0, 1}, Sgpr{4, 4}, 0, {.flags = isa::offen});
  prepare.ds_read_b32(Vgpr{2, 1}, Vgpr{0, 1});
  compute.v_add_f32(Vgpr{3, 1}, Vgpr{4, 1}, Vgpr{5, 1});
  const auto text = [&](const std::vector<WaveStage>& stages) {
    std::string out;
    for (const Node& n : wave_stages(stages).nodes)
      out += fmt::format("{}{} ", n.inst.info().mnemonic,
                         n.inst.op == Opcode::s_setprio ? std::to_string(n.inst.operands[0].bits) : "");
    return out;
  };
  CHECK(text({{load, 3}, {prepare}, {compute, 0}}) ==
        "s_setprio3 buffer_load_dword s_barrier s_setprio0 ds_read_b32 s_barrier s_setprio0 v_add_f32 s_barrier ");
  CHECK(text({{load}, {prepare}, {compute}}) ==
        "buffer_load_dword s_barrier ds_read_b32 s_barrier v_add_f32 s_barrier ");
  for (const int priority : {0, 1, 2, 3})
    CHECK_THAT(text({{load}, {compute, priority}}),
               Catch::StartsWith("s_setprio0 ") && Catch::Contains(fmt::format("s_setprio{} v_add", priority)));
  CHECK_THROWS_WITH(wave_stages({{load}, {compute, -1}}), Catch::Contains("priority -1; legal: 0 to 3"));
}
