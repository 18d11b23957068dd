// lower() runs the checker: a wrong kernel is an error when it is lowered, at the author's line.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "generator/dsl/kernel.h"
#include "generator/passes/check_program.h"
#include "generator/passes/lower.h"

using namespace wavesmith;
using Catch::Contains;

namespace {

auto at(int line) { return Contains(fmt::format("lower_test.cpp:{}", line)); }

}  // namespace

TEST_CASE("a register that is read and never written is an error at the author's line", "[generator][lower]") {
  const auto wrong = [](int& line, const LowerOptions& options) {
    Kernel kernel("wrong", Arch::gfx942, 64);
    const auto v = kernel.r.v.alloc(2, "v");
    Block sum(Arch::gfx942, "sum");
    line = __LINE__ + 1;
    sum.v_add_u32(v[0], v[1], v[1]);
    kernel.k << sum;
    kernel.k.s_endpgm();
    return lower(std::move(kernel), options);
  };
  int line = 0;
  CHECK_THROWS_AS(wrong(line, {}), CheckError);
  CHECK_THROWS_WITH(wrong(line, {}), at(line) && Contains("(sum): v_add_u32") && Contains("never written") &&
                                         Contains("reads v3 (v), ") && Contains("legal: "));
  CHECK_NOTHROW(wrong(line, {.check = false}));
}

TEST_CASE("a kernel without instructions is refused", "[generator][lower]") {
  const int line = __LINE__ + 1;
  Kernel kernel("empty", Arch::gfx942, 64);
  CHECK_THROWS_WITH(lower(std::move(kernel)), at(line) && Contains("empty: no instructions"));
}

TEST_CASE("clusters are refused where there are none, and without an extent", "[generator][lower]") {
  const auto of = [](Arch arch, std::array<int, 3> cluster) {
    Kernel kernel("alone", arch, 64);
    kernel.cluster = cluster;
    kernel.k.s_endpgm();
    return lower(std::move(kernel)).cluster;
  };
  CHECK_THROWS_WITH(of(Arch::gfx950, {2, 1, 1}),
                    Contains("alone: clusters of 2x1x1 workgroups; legal on gfx950: zeros, it has no clusters"));
  CHECK_THROWS_WITH(of(Arch::gfx1250, {2, 0, 1}),
                    Contains("clusters of 2x0x1 workgroups; legal on gfx1250: 1 to 16 in all"));
  CHECK_THROWS_WITH(of(Arch::gfx1250, {8, 2, 2}), Contains("clusters of 8x2x2 workgroups"));
  CHECK(of(Arch::gfx1250, {2, 1, 1}) == std::array{2, 1, 1});
  CHECK(of(Arch::gfx950, {}) == std::array{0, 0, 0});
}

TEST_CASE("LDS that waves exchange without a barrier is an error that names both lines", "[generator][lower]") {
  const auto exchange = [](bool with_barrier, int& write, int& read) {
    Kernel kernel("exchange", Arch::gfx942, 128);
    kernel.lds_bytes = 1024;
    const auto a = kernel.r.v.alloc(1, "own address"), b = kernel.r.v.alloc(1, "the other wave's"),
               x = kernel.r.v.alloc(1, "x");
    kernel.k.v_lshlrev_b32(a, 2, kernel.workitem);
    kernel.k.v_xor_b32(b, 256, a);
    write = __LINE__ + 1;
    kernel.k.ds_write_b32(a, a);
    kernel.k.wait_for_lds();
    if (with_barrier) kernel.k.barrier();
    read = __LINE__ + 1;
    kernel.k.ds_read_b32(x, b);
    kernel.k.wait_for(x);
    kernel.k.s_endpgm();
    return lower(std::move(kernel));
  };
  int write = 0, read = 0;
  CHECK_NOTHROW(exchange(true, write, read));
  CHECK_THROWS_WITH(exchange(false, write, read), at(read) && at(write) && Contains("LDS order between waves"));
}

TEST_CASE("findings on a program name lines and labels, not numbers of nodes", "[generator][lower]") {
  Kernel kernel("loops", Arch::gfx942, 64);
  const auto trips = kernel.r.s.alloc(1, "trips"), never = kernel.r.s.alloc(1, "never written");
  kernel.k.s_mov_b32(trips, 2);
  kernel.k.loop("k_loop", trips, [&] {
    kernel.k.s_cmp_lg_u32(never, 0);
    kernel.k.when_scc(true, "not_zero", [&] { kernel.k.s_nop(0); });
  });
  kernel.k.s_endpgm();
  const Program p = lower(std::move(kernel), {.check = false});
  const auto found = checker::check(p, {.advice = false}).findings;
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].where, Contains("lower_test.cpp:"));
  CHECK_THAT(found[0].instruction, Contains("s_cmp_lg_u32"));
}

TEST_CASE("a wave of gfx1250 has more VGPRs than encodings name, in banks that change only where they must",
          "[generator][lower]") {
  for (const bool lone : {false, true}) {
    Kernel kernel("banks", Arch::gfx1250, 32);
    const auto low = kernel.r.v.alloc(250, "low"), more = kernel.r.v.alloc(99, "more"),
               high = kernel.r.v.alloc(99, "high");
    Stream& k = kernel.k;
    k.v_mov_b32(low[0], 1);
    k.v_mov_b32(high[0], 2);                // v352: the destination's bank
    k.v_add_u32(high[1], low[0], high[0]);  // and that of the second source, which the instruction before ignores
    k.v_add_u32(low[1], high[1], low[0]);
    k.s_endpgm();
    const Program p = lower(std::move(kernel), {.lone_wave = lone});
    std::vector<uint32_t> modes;
    for (const Node& n : p.nodes)
      if (n.is_instruction() && n.inst.op == Opcode::s_set_vgpr_msb) modes.push_back(n.inst.operands[0].bits);
    CHECK(modes == std::vector<uint32_t>{1 << 6 | 1 << 2, 1});
    const std::string text = assembly(std::array{p});
    CHECK_THAT(text, Contains("v_add_nc_u32 v97, v2, v96  ; v_add_nc_u32 v353, v2, v352"));
    CHECK((text.find("s_delay_alu") == std::string::npos) == lone);
  }
}
