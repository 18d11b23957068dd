// The code of the GEMM kernels' main loop: its non-matrix instructions for every transpose and tile, against a count
// from sizes alone; and two whole kernels against golden assembly. Results are tested in gemm_test.cpp.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>

#include "isa_tables/opcodes.h"
#include "simulator/occupancy.h"
#include "tests/kernels/gemm_bench.h"

namespace wavesmith::gemm_bench {

namespace {

// Non-matrix instructions of one wave per 64 k, from sizes alone. f16: two bytes; 64 lanes and 16 bytes an instruction
// at most; four waves in 2x2.
struct Least {
  int reads, loads, perms, writes, scalars, barriers;
  int sum() const { return reads + loads + perms + writes + scalars + barriers; }
};
Least least(const GemmConfig& c) {
  constexpr int k = 64, per_instruction = 64 * 16;
  const bool rows_run[] = {!c.trans_a, c.trans_b};  // contiguous along m, n
  const int sizes[] = {c.block.m, c.block.n};
  Least l{};
  for (int i : {0, 1}) {
    const int bytes = sizes[i] * k * 2;
    l.reads += bytes / 2 / per_instruction;  // the half of the block that this wave multiplies
    // A quarter of the block. A lane needs two k of a row to make a dword, so rows are loaded 8 bytes at a time where a
    // lane has only 16 of a k_slice.
    l.loads += bytes / 4 / (rows_run[i] && sizes[i] == 64 ? per_instruction / 2 : per_instruction);
    l.scalars += 2;  // a 64-bit address
    if (!rows_run[i]) {
      l.writes += bytes / 4 / per_instruction;
      continue;
    }
    l.perms += bytes / 4 / (64 * 4);  // every dword stored to LDS is two halves of different dwords
    // A lane has as many k of a row as it makes loads a k_slice: 4 of 256 rows, 2 of fewer; two such runs a ds_write2,
    // but of 64 rows, where no swizzle leaves the rows of a lane at one distance.
    l.writes += bytes / 4 / (64 * (sizes[i] == 256 ? 16 : sizes[i] == 128 ? 8 : 4));
  }
  l.scalars += 2;  // count down, branch
  l.barriers = 2;
  return l;
}

}  // namespace

TEST_CASE("the main loop has no instructions other than those that move data, and waits", "[gemm]") {
  const auto tile = GENERATE(from_range(tiles));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const GemmConfig c{.input = GENERATE(Type::f16, Type::bf16), .trans_a = ta, .trans_b = tb, .block = tile};
  const Program p = build_gemm(c, Arch::gfx942);
  const auto r = report(p);
  const int per_64k = tile.m * tile.n / 16;  // matrix cycles: 256 multiply-adds a cycle and SIMD, four SIMDs
  REQUIRE(r.matrix_cycles % per_64k == 0);
  const int blocks = r.matrix_cycles / per_64k;
  int waits = 0, perms = 0, valu = 0;
  for (const Node& n : p.nodes)
    if (n.hot && n.is_instruction()) {
      waits += n.inst.op == Opcode::s_waitcnt;
      perms += n.inst.op == Opcode::v_perm_b32;
      valu += n.inst.info().unit == isa::Unit::valu;
    }
  CAPTURE(kernel_name(c), r.slots_per_matrix_cycle());
  CHECK(valu == perms);  // no address arithmetic, no moves
  CHECK(perms == blocks * least(c).perms);
  CHECK(r.other_instructions - waits <= blocks * least(c).sum());
  // A k-slice of 32 k: each operand's loads, LDS before the barrier, and each fragment.
  CHECK(waits <= blocks * (10 + least(c).reads));
}

TEST_CASE("the 256x256x64 loop spends at most 0.045 other instructions per matrix cycle", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const auto r = report(build_gemm({.trans_a = ta, .trans_b = tb}, Arch::gfx942));
  CHECK(r.matrix_cycles == 4096);
  CHECK(r.slots_per_matrix_cycle() <= 0.045);
}

TEST_CASE("every global load of the main loop is 128 bits wide, but of 64 rows that are not contiguous along k",
          "[gemm]") {
  const auto tile = GENERATE(from_range(tiles));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  int loads = 0;
  for (const Node& n : build_gemm({.trans_a = ta, .trans_b = tb, .block = tile}, Arch::gfx942).nodes)
    if (n.hot && n.is_instruction() && n.inst.info().unit == isa::Unit::vmem) {
      ++loads;
      const bool narrow = (!ta && tile.m == 64) || (tb && tile.n == 64);
      CHECK((n.inst.operands[0].dwords == 4 || (narrow && n.inst.operands[0].dwords == 2)));
    }
  CHECK(loads > 0);
}

// Read a change of it as a review of the schedule: rerun with WAVESMITH_REFRESH_GOLDEN=1 and look at the diff.
TEST_CASE("an epilogue keeps as many steps in flight as leave the loop its waves", "[gemm]") {
  // Both loops need more than 48 registers, that of nt more than 64; with four steps in flight the epilogue has 69, 89.
  for (const auto& [ta, tb, workgroups] : {std::tuple(true, false, 4), {false, true, 3}}) {
    const auto object = sim::CodeObject::load(
        assemble(build_gemm({.trans_a = ta, .trans_b = tb, .block = {64, 64, 64}}, Arch::gfx908)).bytes);
    CHECK(isa::occupancy(Arch::gfx908, sim::resources(Arch::gfx908, object.kernels().front(), 256, 0)).groups ==
          workgroups);
  }
}

TEST_CASE("the 128x128x64 f16 tn and nt kernels are the golden assembly", "[gemm][golden]") {
  const bool nt = GENERATE(false, true);
  const GemmConfig c{.trans_a = !nt, .trans_b = nt, .block = {128, 128, 64}};
  const std::string path = fmt::format("{}/tests/golden/gemm_f16_{}_128x128x64_gfx942.s", WAVESMITH_SOURCE,
                                       nt ? "nt" : "tn"),
                    now = assembly(build_gemm(c, Arch::gfx942));
  if (std::getenv("WAVESMITH_REFRESH_GOLDEN")) std::ofstream(path) << now;
  std::ifstream in(path);
  const std::string golden{std::istreambuf_iterator<char>(in), {}};
  REQUIRE_FALSE(golden.empty());
  const auto differ = std::mismatch(golden.begin(), golden.end(), now.begin(), now.end()).first;
  INFO(path << ": first difference in line " << 1 + std::count(golden.begin(), differ, '\n')
            << "; refresh with WAVESMITH_REFRESH_GOLDEN=1");
  CHECK((golden == now));
}

}  // namespace wavesmith::gemm_bench
