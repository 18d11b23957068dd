// Arguments that gfx1250 brings into SGPRs: moves in the place of loads, in any order, and loads that stay.
#include <catch2/catch.hpp>

#include <cstring>

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

int loads(const Program& p) {
  return static_cast<int>(std::ranges::count_if(
      p.nodes, [](const Node& n) { return n.is_instruction() && n.inst.info().unit == isa::Unit::smem; }));
}
constexpr Sgpr sgpr(uint16_t index, uint8_t dwords = 1) { return {index, dwords}; }

}  // namespace

TEST_CASE("preloaded arguments are moved to their registers, whichever these are", "[preload]") {
  const Arch arch = GENERATE(Arch::gfx1250, Arch::gfx1201);
  Kernel kernel("preloaded", arch, 32);
  Stream& k = kernel.k;
  const auto out = kernel.pointer("out", "u32");
  kernel.value("behind the workgroup's ids", "u32");
  std::vector<Argument> values;
  for (int i = 0; i < 7; ++i) values.push_back(kernel.value(fmt::format("x{}", i), "u32"));
  kernel.r.s.alloc(20, "all that follow");
  // x0 is in s5 and so on: x0 and x1 change places, x2 to x4 go round, x5 stays, x6 goes further.
  const std::pair<int, int> places[] = {{5, 1}, {6, 0}, {7, 3}, {8, 4}, {9, 2}, {10, 5}, {14, 6}};
  for (const auto& [to, value] : places)
    kernel.load(sgpr(static_cast<uint16_t>(to)), values[static_cast<size_t>(value)]);
  kernel.load(sgpr(12, 2), out);
  const auto x = kernel.r.v.alloc(1, "x"), at = kernel.r.v.alloc(1, "offset");
  k.v_lshlrev_b32(at, 7, kernel.workitem);
  int n = 0;
  for (const auto& [to, value] : places) {
    k.v_mov_b32(x, sgpr(static_cast<uint16_t>(to)));
    k.global_store_dword(at, x, sgpr(12, 2), {.offset = 4 * n++});
  }
  k.s_endpgm();
  const Program p = lower(std::move(kernel));
  const bool preloads = arch == Arch::gfx1250;
  CHECK(loads(p) == (preloads ? 0 : 8));
  CHECK(p.preloaded_dwords == (preloads ? 10 : 0));
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  sim::Memory memory;
  const uint64_t to = memory.allocate(32 * 128, "out");
  std::vector<uint8_t> kernargs(40);
  std::memcpy(kernargs.data(), &to, 8);
  for (uint32_t i = 0; i < 7; ++i) {
    const uint32_t value = 100 + i;
    std::memcpy(&kernargs[12 + 4 * i], &value, 4);
  }
  const auto result = sim::run(co, co.kernel(""), memory, {.block = {32, 1, 1}, .kernargs = kernargs});
  INFO((result.fault ? result.fault->message() : ""));
  REQUIRE_FALSE(result.fault);
  std::vector<uint32_t> got(7);
  memory.read(to + 128, {reinterpret_cast<uint8_t*>(got.data()), 28});  // of lane 1
  for (size_t i = 0; i < 7; ++i) CHECK(got[i] == 100 + static_cast<uint32_t>(places[i].second));
}

TEST_CASE("loads of arguments stay where registers are used before, behind labels and beyond 30 dwords", "[preload]") {
  Kernel kernel("loaded", Arch::gfx1250, 32);
  Stream& k = kernel.k;
  std::vector<Argument> values;
  for (int i = 0; i < 32; ++i) values.push_back(kernel.value(fmt::format("x{}", i), "u32"));
  const auto all = kernel.r.s.alloc(6, "values", 2);
  kernel.load(all[0], values[29]);
  kernel.load(all[1], values[30]);           // beyond
  kernel.load(all.slice(2, 2), values[29]);  // in part
  k.s_mov_b32(all[4], 1);
  kernel.load(all[4], values[0]);  // used before
  k.bind(k.new_label("label"));
  kernel.load(all[5], values[1]);
  k.s_endpgm();
  const Program p = lower(std::move(kernel));
  CHECK(p.preloaded_dwords == 30);
  CHECK(loads(p) == 4);
}
