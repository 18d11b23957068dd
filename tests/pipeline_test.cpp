// Declared pipelines, run: a kernel that doubles a stream of rows must do so for every trip count, slot count and lookahead.
#include <catch2/catch.hpp>

#include <cstring>

#include "generator/kernel.h"
#include "generator/pipeline.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

// out[row][lane] = 2 * in[row][lane]: a load phase, a compute phase and a store phase, each with its own lookahead.
Program doubler(int slots, int load_ahead, int compute_ahead) {
  Kernel kernel("doubler", Arch::gfx942, 64);
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const auto in_arg = kernel.pointer("in", "f32");
  kernel.pointer("out", "f32");
  const auto trips_arg = kernel.value("rows", "u32");
  const auto in = r.s.alloc(4, "in, out", 4);
  const auto trips = r.s.alloc(1, "rows left");
  const auto offset = r.v.alloc(1, "lane offset");
  std::vector<Owned<File::v>> row;
  for (int i = 0; i < slots; ++i) row.push_back(r.v.alloc(1, "row"));
  kernel.load(in, in_arg);
  kernel.load(trips, trips_arg);
  k.v_lshlrev_b32(offset, 2, kernel.workitem);
  const auto advance = [](Block& b, Sgpr at) {
    b.s_add_u32(at[0], at[0], 256);
    b.s_addc_u32(at[1], at[1], 0);
  };
  Pipeline p{.slots = slots};
  p.at(ahead(load_ahead), [&](int s) {
    Block b(Arch::gfx942, "load");
    b.global_load_dword(row[s], offset, in.slice(0, 2));
    advance(b, in.slice(0, 2));
    return b;
  });
  p.at(ahead(compute_ahead), [&](int s) {
    Block b(Arch::gfx942, "compute");
    b.v_add_f32(row[s], row[s], row[s]);
    return b;
  });
  p.at(ahead(0), [&](int s) {
    Block b(Arch::gfx942, "store");
    b.global_store_dword(offset, row[s], in.slice(2, 2));
    advance(b, in.slice(2, 2));
    return b;
  });
  p.emit(k, trips, {.hot = true});
  k.s_endpgm();
  return lower(std::move(kernel));
}

}  // namespace

TEST_CASE("a declared pipeline runs every phase once an iteration, for every trip count", "[pipeline]") {
  const int slots = GENERATE(1, 2, 3, 4), load = GENERATE(0, 1, 2, 3), compute = GENERATE(0, 1, 2);
  if (load >= slots || compute > load) return;
  const auto co = sim::CodeObject::load(assemble(doubler(slots, load, compute)).bytes);
  for (uint32_t rows = 0; rows <= 9; ++rows) {
    sim::Memory memory;
    const uint64_t in = memory.allocate(rows * 256 + 4, "in"), out = memory.allocate(rows * 256 + 4, "out");
    std::vector<float> values(rows * 64 + 1, 7);
    for (size_t i = 0; i + 1 < values.size(); ++i) values[i] = static_cast<float>(i);
    memory.write(in, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * 4});
    std::vector<uint8_t> kernargs(20);
    std::memcpy(&kernargs[0], &in, 8);
    std::memcpy(&kernargs[8], &out, 8);
    std::memcpy(&kernargs[16], &rows, 4);
    const auto result = sim::run(co, co.kernel(""), memory, {.kernargs = kernargs});
    INFO("slots " << slots << " load ahead " << load << " compute ahead " << compute << " rows " << rows << " " << (result.fault ? result.fault->message() : ""));
    REQUIRE_FALSE(result.fault);
    std::vector<float> got(values.size());
    memory.read(out, {reinterpret_cast<uint8_t*>(got.data()), got.size() * 4});
    for (size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == (i + 1 < got.size() ? 2 * values[i] : 0.f));
  }
}

TEST_CASE("the steady loop of a pipeline waits only for the oldest load", "[pipeline]") {
  int waits = 0;
  for (const Node& n : doubler(3, 2, 0).nodes)
    if (n.hot && n.inst.op == Opcode::s_waitcnt && n.directive == Directive::none) {
      ++waits;
      CHECK(isa::waits_of(n.inst, Arch::gfx942).vm >= 2);                // two younger loads keep flying
    }
  CHECK(waits == 3);
}

TEST_CASE("a lookahead that would overwrite live slots is refused", "[pipeline]") {
  CHECK_THROWS_WITH(doubler(2, 2, 0), Catch::Contains("2 slots") && Catch::Contains("2 iterations ahead") && Catch::Contains("0 to 1"));
}
