// Every target, type and transpose of a GEMM, the waves that share a tile, and each matrix instruction: right at sizes
// that fill no tile, with no LDS access in conflict. Reference: gemm_bench.h.
#include <set>

#include "isa_tables/names.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/sampling.h"

namespace wavesmith::gemm_bench {
namespace {

constexpr Type all_inputs[] = {Type::f64, Type::f32, Type::xf32, Type::f16, Type::bf16, Type::fp8, Type::bf8, Type::i8};

std::vector<Type> outputs_of(Type input) {
  if (input == Type::f64) return {Type::f64};
  if (input == Type::i8) return {Type::i32, Type::f32, Type::f16, Type::bf16};
  return {Type::f16, Type::bf16, Type::f32};
}
GemmConfig config_of(Type input, Type output, bool ta, bool tb, int m, int n) {
  return {.input = input, .output = output, .trans_a = ta, .trans_b = tb, .block = {m, n, block_k(input)}};
}
// One target of each family that LLVM tells apart.
const std::vector<Arch> families = {Arch::gfx908,  Arch::gfx90a,  Arch::gfx942,  Arch::gfx950,
                                    Arch::gfx1100, Arch::gfx1150, Arch::gfx1200, Arch::gfx1250};
Case awkward(const GemmConfig& c, Arch arch) {
  const bool integers = c.output == Type::i32;
  return {.config = c,
          .m = 77,
          .n = 69,
          .k = static_cast<uint32_t>(2 * c.block.k + 7),
          .pad = 3,
          .batch = 2,
          .alpha = integers                                       ? 2
                   : c.input == Type::i8 && c.output == Type::f16 ? 0x1p-12f  // below infinity
                                                                  : 1.5f,
          .beta = integers ? -3 : -0.5f,
          .arch = arch};
}

}  // namespace

// What matrix cores multiply: ISA guides, tables of MFMA and WMMA instructions; f64 and f32 everywhere, by fused
// multiply-adds where there is no matrix instruction.
TEST_CASE("a GEMM takes the types that the target's matrix cores have, f64 and f32", "[gemm][types]") {
  using enum Type;
  const std::set<Type> cdna1{f64, f32, f16, bf16, i8}, cdna2{f64, f32, f16, bf16, i8},
      cdna3{f64, f32, xf32, f16, bf16, fp8, bf8, i8}, cdna4{f64, f32, f16, bf16, fp8, bf8, i8},
      rdna3{f64, f32, f16, bf16, i8}, rdna4{f64, f32, f16, bf16, fp8, bf8, i8},
      gfx1250{f64, f32, f16, bf16, fp8, bf8, i8};
  for (const auto& target : isa::all_targets()) {
    const auto& expected = target.family == isa::Family::cdna1     ? cdna1
                           : target.family == isa::Family::cdna2   ? cdna2
                           : target.family == isa::Family::cdna3   ? cdna3
                           : target.family == isa::Family::cdna4   ? cdna4
                           : target.family == isa::Family::rdna4   ? rdna4
                           : target.family == isa::Family::gfx1250 ? gfx1250
                                                                   : rdna3;
    for (const Type input : all_inputs) {
      INFO(target.name << " " << isa::type_name(input));
      CHECK(is_legal(config_of(input, outputs_of(input).front(), true, false, 64, 64), *isa::find_arch(target.name)) ==
            expected.contains(input));
    }
  }
}

TEST_CASE("every target, type and transpose is right at sizes that fill no tile, without LDS conflicts",
          "[gemm][types]") {
  static uint32_t number = 0;  // through all of them
  const Arch arch = GENERATE(from_range(families));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  for (const Type input : all_inputs) {
    if (matrix_instructions({.input = input}, arch).empty()) continue;
    for (const Type output : outputs_of(input)) {
      if (!in_sample(number++)) continue;
      const Case t = awkward(config_of(input, output, ta, tb, 64, 64), arch);
      const Outcome o = run(t, assemble(build_gemm(t.config, arch)).bytes);
      INFO(kernel_name(t.config) << " " << isa::target(arch).name << "\n"
                                 << (o.result.fault ? o.result.fault->message() : ""));
      REQUIRE_FALSE(o.result.fault);
      CHECK_FALSE(o.result.warning);
      CHECK(o.error <= o.bound);
      CHECK(o.padding_kept);
      CHECK(o.result.lds_accesses > 0);
      CHECK(o.result.lds_conflict_cycles == 0);
    }
  }
}

TEST_CASE("the tile's k may be 64, 128 or 256 bytes", "[gemm][types]") {
  int tried = 0;
  for (const Arch arch : families)
    for (const Type input : {Type::f16, Type::f32, Type::i8})
      for (const int bytes : {64, 256})
        for (const auto& [ta, tb] : {std::pair(true, false), {false, true}})
          for (const GemmSchedule schedule : {GemmSchedule::staged, GemmSchedule::direct, GemmSchedule::refill}) {
            GemmConfig c = config_of(input, outputs_of(input).front(), ta, tb, 64, 64);
            c.block.k = bytes * 8 / isa::bits(input), c.schedule = schedule;
            if (!is_legal(c, arch)) continue;
            ++tried;
            check_right(awkward(c, arch));
          }
  CHECK(tried >= 30);
  // Eight loads of a lane, which take two values of M0.
  GemmConfig far{.trans_a = true, .block = {256, 64, 64}, .waves_m = 2, .waves_n = 1};
  far.schedule = GemmSchedule::direct;
  check_right(awkward(far, Arch::gfx950));
}

TEST_CASE("schedule stream is right on every target, with tails, stages and parts of K", "[gemm][types][stream]") {
  int tried = 0;
  for (const Arch arch : families)
    for (const Type input : {Type::f64, Type::f32, Type::bf16, Type::fp8, Type::i8})
      for (const int stages : {2, 3, 4}) {
        GemmConfig c = config_of(input, outputs_of(input).front(), true, false, 32, 64);
        c.waves_m = 1, c.waves_n = 2, c.stages = stages, c.schedule = GemmSchedule::stream;
        if (stages == 3) c.split_k = 2, c.reduction = Reduction::ordered;
        if (!is_legal(c, arch)) continue;
        ++tried;
        check_right(awkward(c, arch));
      }
  CHECK(tried >= 60);
  GemmConfig other{.trans_a = true, .trans_b = true, .block = {32, 64, 64}, .waves_m = 1, .waves_n = 2};
  other.schedule = GemmSchedule::stream;
  CHECK_THROWS_WITH(check(other, Arch::gfx942), Catch::Contains("legal: transa t, transb n"));
  other.input = Type::i8, other.output = Type::i32, other.trans_a = other.trans_b = true;
  other.block = {256, 32, 64}, other.waves_m = 4, other.waves_n = 1;  // fewer columns than lanes load
  CHECK_THROWS_WITH(check(other, Arch::gfx908), Catch::Contains("legal: transa t, transb n"));
}

TEST_CASE("fp8 and bf8 can be mixed", "[gemm][types]") {
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950, Arch::gfx1201, Arch::gfx1250);
  for (const auto& [a, b] : {std::pair(Type::fp8, Type::bf8), {Type::bf8, Type::fp8}}) {
    GemmConfig c = config_of(a, Type::f32, true, false, 64, 64);
    c.input_b = b;
    check_right(awkward(c, arch));
  }
  CHECK_THROWS_WITH(check({.block = {64, 64, 64}, .input_b = Type::bf16}, arch),
                    Catch::Contains("A of f16 and B of bf16; legal: the same type, or fp8 and bf8"));
}

TEST_CASE("every matrix instruction of every type is right, by one wave to eight", "[gemm][types]") {
  const Arch arch = GENERATE(from_range(families));
  const bool ta = GENERATE(false, true);
  uint32_t tried = 0;
  size_t turn = ta;  // each tile of an instruction has one of the two transposes, in turn
  for (const Type input : all_inputs)
    for (const Opcode op : matrix_instructions({.input = input}, arch)) {
      GemmConfig c = config_of(input, outputs_of(input).front(), ta, ta, 64, 64);
      c.mma = op;
      ++turn;
      for (const auto& [m, n, waves_m, waves_n] : {std::tuple(32, 32, 1, 1),
                                                   {64, 32, 1, 1},
                                                   {32, 64, 1, 2},
                                                   {128, 64, 2, 2},
                                                   {128, 128, 4, 2},
                                                   {256, 64, 8, 1}}) {
        c.block.m = m, c.block.n = n, c.waves_m = waves_m, c.waves_n = waves_n;
        if (++turn % 2 || !is_legal(c, arch) || !in_sample(tried++)) continue;
        check_right(awkward(c, arch));
      }
    }
  CHECK(tried >= 6);
}

TEST_CASE("workgroups that share K add integers and f64 too", "[gemm][types]") {
  for (const auto& [arch, input] : {std::pair(Arch::gfx1100, Type::i8),
                                    {Arch::gfx942, Type::i8},
                                    {Arch::gfx90a, Type::f64},
                                    {Arch::gfx950, Type::f64},
                                    {Arch::gfx1201, Type::fp8}}) {
    GemmConfig c = config_of(input, input == Type::fp8 ? Type::f32 : outputs_of(input).front(), true, true, 64, 64);
    c.split_k = 3;
    check_right(awkward(c, arch));
  }
}

TEST_CASE("a bias is added in the type of the sum, and only f32 has an activation", "[gemm][types]") {
  for (const auto& [arch, input] : {std::pair(Arch::gfx1100, Type::i8),
                                    {Arch::gfx90a, Type::f64},
                                    {Arch::gfx1201, Type::f16},
                                    {Arch::gfx950, Type::bf8}}) {
    GemmConfig c = config_of(input, outputs_of(input).front(), false, false, 64, 64);
    c.epilogue.add(EpiloguePart::bias);
    check_right(awkward(c, arch));
    c.epilogue.activation = Activation::silu;
    if (isa::bits(accumulated(c)) == 32 && c.output != Type::i32) check_right(awkward(c, arch));
    else CHECK_THROWS_WITH(check(c, arch), Catch::Contains("activation silu with D of"));
  }
  CHECK_THROWS_WITH(launch(config_of(Type::i8, Type::i32, true, false, 64, 64), Arch::gfx942,
                           {.m = 8, .n = 8, .k = 8, .lda = 8, .ldb = 8, .ldd = 8, .alpha = 0.5}, {}),
                    Catch::Contains("0.5 with D of i32; legal: integers of 32 bits"));
}

TEST_CASE("a kernel of another wave size or type with one wait or barrier taken out is caught",
          "[gemm][types][mutation]") {
  const auto [arch, input, nt] = GENERATE(table<Arch, Type, bool>({{Arch::gfx1100, Type::f16, false},
                                                                   {Arch::gfx1201, Type::fp8, true},
                                                                   {Arch::gfx1250, Type::bf16, true},
                                                                   {Arch::gfx942, Type::i8, true},
                                                                   {Arch::gfx90a, Type::f64, true}}));
  const GemmConfig config = config_of(input, outputs_of(input).front(), !nt, nt, 64, 64);
  const Program good = build_gemm(config, arch);
  const auto depth = static_cast<uint32_t>(config.block.k);
  const auto caught = [&, arch = arch](const Program& p) {
    const auto code = assemble(p).bytes;
    return std::ranges::any_of(
        std::array{6 * depth + 8, 7 * depth + 8, depth + 8, 2 * depth + 8, depth + 1}, [&](uint32_t k) {
          const Outcome o =
              run({.config = config, .m = k == depth + 1 ? 63u : 64u, .n = 64, .k = k, .beta = 1, .arch = arch}, code);
          return o.result.fault || o.result.warning;
        });
  };
  // s_wait_xcnt: `run` does not check translation by default.
  const auto orders = [](const isa::Inst& inst) {
    const std::string_view name = inst.info().mnemonic;
    return (name.starts_with("s_wait") && name != "s_wait_xcnt") || name.starts_with("s_barrier");
  };
  check_each_needed(good, orders, caught);
}

}  // namespace wavesmith::gemm_bench
