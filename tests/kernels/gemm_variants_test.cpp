// Options of a GEMM other than its tile: matrix instruction, LDS stages, schedule, epilogue, split K. All at sizes that
// fill no tile, on every target that has them, against the reference in gemm_bench.h.
#include <bit>

#include <map>

#include "generator/passes/check_program.h"
#include "isa_tables/opcodes.h"
#include "tests/kernels/gemm_bench.h"

namespace wavesmith::gemm_bench {
using Catch::Contains;

TEST_CASE("every matrix instruction of a type can be asked for and is right", "[gemm]") {
  const Arch arch = GENERATE(Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950);
  const Type type = GENERATE(Type::f16, Type::bf16);
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const GemmConfig config{type, Type::f32, ta, tb, wide};
  for (const Opcode op : matrix_instructions(config, arch)) {
    Case t{config, 77, 69, 135, 3, 2, 1.5f, -0.5f, arch};
    t.config.mma = op;
    check_right(t);
    t.config.block = {64, 128, 64}, t.config.waves_m = 1, t.config.waves_n = 4;
    check_right(t);
  }
}

TEST_CASE("instructions are ordered by products a clock, and those of other types are refused with the legal ones",
          "[gemm]") {
  CHECK(matrix_instructions({}, Arch::gfx942) ==
        std::vector{Opcode::v_mfma_f32_32x32x8_f16, Opcode::v_mfma_f32_16x16x16_f16});
  CHECK(matrix_instructions({.input = Type::bf16}, Arch::gfx950).front() == Opcode::v_mfma_f32_32x32x16_bf16);
  CHECK_THROWS_WITH(
      check({.mma = Opcode::v_mfma_f32_32x32x8_bf16}, Arch::gfx942),
      Contains("v_mfma_f32_32x32x8_bf16; legal on gfx942 with f16: v_mfma_f32_32x32x8_f16 v_mfma_f32_16x16x16_f16"));
  CHECK_THROWS_WITH(check({.mma = Opcode::v_mfma_f32_32x32x16_f16}, Arch::gfx942), Contains("legal on gfx942"));
}

TEST_CASE("two to four LDS stages are right for every transpose, schedule and depth of K", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const int stages = GENERATE(2, 3, 4);
  const auto schedule = GENERATE(GemmSchedule::staged, GemmSchedule::interleaved);
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950);
  for (const uint32_t k : {97u, 200u, 330u, 640u}) {
    GemmConfig config{.output = Type::f32,
                      .trans_a = ta,
                      .trans_b = tb,
                      .block = arch == Arch::gfx950 ? small : wide,
                      .stages = stages,
                      .schedule = schedule};
    if (k % 97 == 0 && schedule == GemmSchedule::staged) config.mma = matrix_instructions(config, arch).back();
    check_right({.config = config, .m = 65, .n = 63, .k = k, .pad = 1, .arch = arch});
  }
}

TEST_CASE("loads that go to LDS directly are right with two, three and four stages, at every depth of K and edge",
          "[gemm]") {
  const int stages = GENERATE(2, 3, 4);
  const GemmTile tile =
      GENERATE(GemmTile{64, 64, 64}, GemmTile{128, 64, 64}, GemmTile{64, 256, 64}, GemmTile{256, 256, 64});
  GemmConfig config{
      .output = Type::f32, .trans_a = true, .block = tile, .stages = stages, .schedule = GemmSchedule::direct};
  if (tile.m == 256 && stages > 3) return;  // beyond LDS
  for (const Opcode op : matrix_instructions(config, Arch::gfx950)) {
    config.mma = op;
    if (tile.m == 256 && op != matrix_instructions(config, Arch::gfx950).front()) continue;
    for (const uint32_t k : {1u, 97u, 192u, 330u})
      check_right({.config = config, .m = 65, .n = 63, .k = k, .pad = 1, .arch = Arch::gfx950});
    check_right({.config = config, .m = 3, .n = 70, .k = 200, .batch = 2, .beta = 1, .arch = Arch::gfx950});
  }
}

TEST_CASE(
    "direct loads need no registers on the way: the loop neither stores to LDS nor moves data, and three stages leave "
    "loads flying",
    "[gemm]") {
  const auto loosest = [](int stages) {
    const Program p = build_gemm({.trans_a = true, .stages = stages, .schedule = GemmSchedule::direct}, Arch::gfx950);
    int flying = 0, loads = 0;
    for (const Node& n : p.nodes)
      if (n.hot && n.is_instruction()) {
        CHECK_FALSE(n.inst.info().unit == isa::Unit::valu);
        CHECK_FALSE((n.inst.info().unit == isa::Unit::lds && n.inst.op != Opcode::ds_read_b128));
        loads += n.inst.info().unit == isa::Unit::vmem;
        if (n.inst.op == Opcode::s_waitcnt) flying = std::max(flying, isa::waits_of(n.inst, Arch::gfx950).vm);
      }
    CHECK(loads > 0);
    return flying;
  };
  CHECK(loosest(2) <= 0);
  CHECK(loosest(3) == 8);  // a k_slice of A and of B, four each
}

TEST_CASE("more stages than LDS holds are refused with how many it does", "[gemm]") {
  CHECK_THROWS_WITH(check({.stages = 3}, Arch::gfx942),
                    Contains("3 stages of a tile 256x256 with 64 bytes along k, each 32768 bytes of LDS; legal: 2 "
                             "(gfx942 has 65536 bytes)"));
  CHECK_THROWS_WITH(check({.block = {128, 128, 64}, .stages = 5}, Arch::gfx942), Contains("legal: 2 to 4"));
  CHECK_THROWS_WITH(check({.block = small, .stages = 1}, Arch::gfx942), Contains("legal: 2 to 4"));
  CHECK_NOTHROW(check({.stages = 3}, Arch::gfx950));
}

TEST_CASE("with three stages no barrier of the loop waits for LDS: the data it releases was stored a k_slice earlier",
          "[gemm]") {
  const auto waiting = [](int stages) {  // barriers with a wait right in front
    const Program p = build_gemm({.trans_a = true, .block = {128, 128, 64}, .stages = stages}, Arch::gfx942);
    int barriers = 0, waits = 0;
    for (size_t i = 1; i < p.nodes.size(); ++i)
      if (p.nodes[i].hot && p.nodes[i].inst.op == Opcode::s_barrier)
        ++barriers, waits += p.nodes[i - 1].inst.op == Opcode::s_waitcnt;
    REQUIRE(barriers > 0);
    return waits;
  };
  CHECK(waiting(2) > 0);
  CHECK(waiting(3) == 0);
}

// On gfx950 reads have 64 banks, for which only the layout of operands whose k is contiguous is made.
TEST_CASE("no LDS access conflicts for any instruction, stages or schedule", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const int stages = GENERATE(2, 3);
  const auto schedule = GENERATE(from_range(std::begin(all_schedules), std::end(all_schedules)));
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    if (schedule == GemmSchedule::tensor) continue;  // gfx1250
    if ((arch == Arch::gfx950 && (!ta || tb)) || (arch == Arch::gfx942 && schedule >= GemmSchedule::direct)) continue;
    for (const Opcode op : matrix_instructions({}, arch)) {
      if (schedule == GemmSchedule::interleaved && isa::info(op).matrix.m == 16) continue;
      const Case t{.config = {.output = Type::f32,
                              .trans_a = ta,
                              .trans_b = tb,
                              .block = {128, 128, 64},
                              .mma = op,
                              .stages = stages,
                              .schedule = schedule},
                   .m = 128,
                   .n = 128,
                   .k = 200,
                   .arch = arch};
      const Outcome o = run(t, assemble(build_gemm(t.config, t.arch)).bytes);
      CAPTURE(kernel_name(t.config), isa::target(arch).name);
      REQUIRE_FALSE(o.result.fault);
      CHECK(o.error <= o.bound);
      CHECK((o.result.lds_accesses > 0 || schedule == GemmSchedule::stream));  // whole parts of D need no LDS either
      CHECK(o.result.lds_conflict_cycles == 0);
    }
  }
}

TEST_CASE("a variant with one wait or barrier taken out is caught", "[gemm][mutation]") {
  const auto [arch, config] = GENERATE(table<Arch, GemmConfig>(
      {{Arch::gfx950,
        {.output = Type::f32, .trans_a = true, .block = small, .stages = 3, .schedule = GemmSchedule::direct}},
       {Arch::gfx942, {.output = Type::f32, .block = small, .mma = Opcode::v_mfma_f32_16x16x16_f16, .stages = 3}},
       {Arch::gfx942,
        {.output = Type::f32,
         .trans_b = true,
         .block = small,
         .epilogue = epilogue_of({EpiloguePart::bias}, Activation::silu)}}}));
  const Program good = build_gemm(config, arch);
  // All of the loop's exits, few blocks and the rest of K; once without C, whose waits are others' too, and once with
  // rows that are accessed element by element.
  const std::vector<uint32_t> depths = {424, 40, 65, 104, 168, 232, 296, 360, 488, 552, 616, 680};
  const auto caught = [&, arch = arch, config = config](const Program& p) {
    const auto code = assemble(p).bytes;
    return std::ranges::any_of(depths, [&](uint32_t k) {
      const Outcome o =
          run({.config = config, .m = k == 65 ? 63u : 64u, .n = 64, .k = k, .beta = k == 40 ? 0.f : 1.f, .arch = arch},
              code);
      return o.result.fault || o.result.warning;
    });
  };
  const auto orders = [](const isa::Inst& inst) {
    return inst.op == Opcode::s_waitcnt || inst.op == Opcode::s_barrier;
  };
  check_each_needed(good, orders, caught);
}

TEST_CASE(
    "staged reads from LDS, then stores to it; interleaved does both in turn, and neither has two memory instructions "
    "side by side",
    "[gemm]") {
  const auto order = [](GemmSchedule schedule) {  // of the loop: m matrix, r LDS read, w LDS write, l load
    std::string out;
    for (const Node& n : build_gemm({.trans_a = true, .schedule = schedule}, Arch::gfx942).nodes)
      if (n.hot && n.is_instruction() && n.inst.info().unit != isa::Unit::salu &&
          n.inst.info().unit != isa::Unit::branch && n.inst.info().unit != isa::Unit::message)
        out += n.inst.info().is_matrix()            ? 'm'
               : n.inst.op == Opcode::ds_read_b128  ? 'r'
               : n.inst.op == Opcode::ds_write_b128 ? 'w'
                                                    : 'l';
    return out;
  };
  for (const GemmSchedule schedule : {GemmSchedule::staged, GemmSchedule::interleaved}) {
    std::string memory = order(schedule);
    const auto adjacent = std::ranges::adjacent_find(memory, [](char a, char b) { return a != 'm' && b != 'm'; });
    CHECK(adjacent == memory.end());
    std::erase(memory, 'm');
    // The 8 fragments of a half, then stores; or stores between two of them.
    CHECK((memory.find("rwwr") != memory.npos) == (schedule == GemmSchedule::interleaved));
  }
}

TEST_CASE("schedules that are legal for a configuration are different code", "[gemm]") {
  const auto instructions = [](const GemmConfig& c, Arch arch) {
    std::vector<isa::Inst> out;
    for (const Node& n : build_gemm(c, arch).nodes)
      if (n.is_instruction()) out.push_back(n.inst);
    return out;
  };
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const Arch arch = GENERATE(Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950);
  for (const Type type : {Type::f16, Type::bf16})
    for (const GemmTile tile : {small, wide, GemmTile{64, 256, 64}})
      for (const Opcode op : matrix_instructions({.input = type}, arch)) {
        GemmConfig c{.input = type, .output = Type::f32, .trans_a = ta, .trans_b = tb, .block = tile, .mma = op};
        std::vector<std::vector<isa::Inst>> all;
        for (const GemmSchedule schedule : all_schedules)
          if (c.schedule = schedule; is_legal(c, arch)) all.push_back(instructions(c, arch));
        CAPTURE(kernel_name(c), isa::target(arch).name);
        CHECK(all.size() >= (isa::info(op).matrix.m == 32 ? 2u : 1u));
        for (size_t i = 0; i < all.size(); ++i)
          for (size_t j = 0; j < i; ++j) CHECK_FALSE(all[i] == all[j]);
      }
}

TEST_CASE(
    "a lane stores eight 16-bit results at once, rounded two by one instruction on gfx950; bf16 of bf16 compares no "
    "NaN",
    "[gemm]") {
  const Type in = GENERATE(Type::f16, Type::bf16), out = GENERATE(Type::f16, Type::bf16);
  const auto counts = [&](Arch arch) {
    std::map<Opcode, int> n;
    for (const Node& node : build_gemm({.input = in, .output = out, .trans_a = true, .block = small}, arch).nodes)
      if (node.is_instruction()) ++n[node.inst.op];
    return n;
  };
  auto packed = counts(Arch::gfx950), single = counts(Arch::gfx942);
  const int stores = packed[Opcode::buffer_store_dwordx4], through_lds = single[Opcode::buffer_store_dwordx4];
  REQUIRE(through_lds > 0);
  CHECK(stores == 2 * through_lds);  // gfx950 stores whole parts of D straight from registers, others as gfx942
  CHECK(packed[out == Type::f16 ? Opcode::v_cvt_pk_f16_f32 : Opcode::v_cvt_pk_bf16_f32] == 4 * stores);
  CHECK(packed[Opcode::v_add3_u32] == 0);
  if (out == Type::f16) CHECK(single[Opcode::v_fma_mixlo_f16] + single[Opcode::v_fma_mixhi_f16] == 8 * through_lds);
  else CHECK(single[Opcode::v_cmp_u_f32] == (in == Type::bf16 ? 0 : 8 * through_lds));
}

TEST_CASE("a NaN of any payload as alpha is a NaN of D", "[gemm]") {
  const GemmConfig config{.input = Type::bf16, .output = Type::bf16, .block = small};
  const auto code = assemble(build_gemm(config, Arch::gfx942)).bytes;
  for (const uint32_t bits : {0x7fffffffu, 0xffffffffu, 0x7f800001u, 0x7fc00000u}) {
    const Outcome o = run({.config = config, .m = 40, .n = 40, .k = 70, .alpha = std::bit_cast<float>(bits)}, code);
    REQUIRE_FALSE(o.result.fault);
    CHECK(o.all_nan);
  }
}

TEST_CASE("a bias and an activation follow the sum, for every type and edge", "[gemm]") {
  const Type in = GENERATE(Type::f16, Type::bf16), out = GENERATE(Type::f16, Type::bf16, Type::f32);
  const bool with_bias = GENERATE(false, true);
  const auto activation = GENERATE(Activation::none, Activation::relu, Activation::gelu, Activation::silu);
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950);
  GemmConfig config{
      .input = in,
      .output = out,
      .trans_a = true,
      .block = small,
      .epilogue = with_bias ? epilogue_of({EpiloguePart::bias}, activation) : Epilogue{.activation = activation}};
  check_right(
      {.config = config, .m = 77, .n = 69, .k = 30, .pad = 3, .batch = 2, .alpha = 1.5f, .beta = -0.5f, .arch = arch});
  config.mma = matrix_instructions(config, arch).back();
  check_right({.config = config, .m = 1, .n = 65, .k = 3, .alpha = -4, .arch = arch});
}

TEST_CASE("workgroups that share K add up to the product, and only the first of them adds beta C", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const int split = GENERATE(2, 3, 7, 64);
  const Arch arch = split == 7 ? Arch::gfx908 : split == 3 ? Arch::gfx950 : Arch::gfx942;
  const GemmConfig config{.output = Type::f32, .trans_a = ta, .trans_b = tb, .block = small, .split_k = split};
  static uint32_t tried = 0;
  for (const uint32_t k : {1u, 200u, 513u}) {  // fewer blocks of K than parts among them
    if (!in_sample(tried++)) continue;
    check_right(
        {.config = config, .m = 65, .n = 70, .k = k, .pad = 1, .batch = 3, .alpha = 1.5f, .beta = 2, .arch = arch});
    check_right({.config = config, .m = 9, .n = 71, .k = k, .arch = arch});
  }
}

TEST_CASE("a split of K that cannot be is refused with what is legal", "[gemm]") {
  CHECK_THROWS_WITH(check({.split_k = 2}, Arch::gfx942), Contains("D of f16") && Contains("legal: f32"));
  CHECK_THROWS_WITH(check({.output = Type::f32, .split_k = 0}, Arch::gfx942), Contains("legal: 1 to 64"));
  CHECK_THROWS_WITH(launch({.output = Type::f32, .split_k = 64}, Arch::gfx942,
                           {.m = 8, .n = 8, .k = 8, .lda = 8, .ldb = 8, .ldd = 8, .batch = 1 << 20}, {}),
                    Contains("1048576 batches") && Contains("less than 1048576"));
  CHECK_THROWS_WITH(
      check({.output = Type::f32, .epilogue = epilogue_of({EpiloguePart::bias}), .split_k = 2}, Arch::gfx942),
      Contains("legal: no epilogue"));
}

// Scalars that an epilogue or a split takes move the registers that M0 and LDS addresses are made of.
TEST_CASE("direct GEMMs pass the check of their instructions and that of their file alike", "[gemm][check]") {
  checker::Decoder decoder(Arch::gfx950, 64);
  for (const int stages : {2, 3, 4})
    for (const Type output : {Type::f16, Type::f32})
      for (const bool bias : {false, true})
        for (const int split : {1, 2}) {
          if (split > 1 && (bias || output != Type::f32)) continue;
          const Program p = build_gemm({.output = output,
                                        .trans_a = true,
                                        .block = {64, 64, 64},
                                        .stages = stages,
                                        .schedule = GemmSchedule::direct,
                                        .epilogue = bias ? epilogue_of({EpiloguePart::bias}) : Epilogue{},
                                        .split_k = split},
                                       Arch::gfx950);
          INFO(p.name);
          CHECK(checker::check(p, {.advice = false}).good());
          const auto file = sim::CodeObject::load(assemble(p).bytes);
          CHECK(checker::check(file, file.kernel(""), decoder, {.advice = false}).good());
        }
}

}  // namespace wavesmith::gemm_bench
