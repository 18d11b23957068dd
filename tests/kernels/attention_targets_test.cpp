// Attention on every target, with the sequential schedule and head dimensions of any multiple of 8: right, or refused
// in one line. What the pipelined schedule has of its own is in attention_test.cpp.
#include "isa_tables/names.h"
#include "isa_tables/opcodes.h"
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::attention_bench {
namespace {

const std::vector<Arch> targets = {Arch::gfx908,  Arch::gfx90a,  Arch::gfx942,  Arch::gfx950, Arch::gfx1100,
                                   Arch::gfx1150, Arch::gfx1200, Arch::gfx1201, Arch::gfx1250};

}  // namespace

TEST_CASE("attention is right on every target, sequentially", "[attention]") {
  const Arch arch = GENERATE(from_range(targets));
  const Type type = GENERATE(Type::f16, Type::bf16);
  static uint32_t tried = 0;
  for (const int dim : {64, 128}) {
    if (!in_sample(tried++)) continue;
    AttentionConfig c{.type = type, .head_dim = dim, .schedule = AttentionSchedule::sequential};
    is_right({.config = c,
              .arch = arch,
              .problem = {.heads = 2, .queries = 131, .keys = 133, .mask = Mask::bottom_right},
              .pad = 8});
    is_right({.config = c, .arch = arch, .problem = {.queries = 33, .keys = 170}, .rising = true});
    c.sequences = Sequences::packed;
    is_right({.config = c,
              .arch = arch,
              .problem = {.heads = 2, .kv_heads = 1, .mask = Mask::top_left},
              .query_lengths = {1, 40, 0, 70},
              .key_lengths = {65, 0, 5, 31}});
  }
}

TEST_CASE("head dimensions are any multiples of 8 from 16 to 512, different ones for V", "[attention]") {
  const Arch arch = GENERATE(from_range(targets));
  Type type = Type::f16;
  int right = 0, refused = 0;
  static uint32_t tried = 0;
  for (const auto& [dim, dim_v] : {std::pair(16, 16),
                                   {24, 40},
                                   {72, 72},
                                   {80, 96},
                                   {112, 104},
                                   {136, 48},
                                   {192, 128},
                                   {128, 192},
                                   {256, 16},
                                   {16, 256},
                                   {256, 256},
                                   {264, 512},
                                   {512, 64},
                                   {512, 512}}) {
    if (dim != 80 && !in_sample(tried++)) continue;
    type = type == Type::f16 ? Type::bf16 : Type::f16;
    const AttentionConfig c{.type = type, .head_dim = dim, .head_dim_v = dim_v};
    const Case of{.config = c, .arch = arch, .problem = {.heads = 2, .queries = 35, .keys = 69}, .pad = 8};
    CAPTURE(isa::target(arch).name, dim, dim_v);
    try {
      const Program p = build_attention(c, arch);
      const Outcome o = run(of, p);
      INFO((o.result.fault ? o.result.fault->message() : ""));
      REQUIRE_FALSE(o.result.fault);
      CHECK(o.worst_share <= 1);
      CHECK(o.worst_lse <= 1);
      CHECK(o.padding_kept);
      ++right;
    } catch (const ConfigError& e) {
      CHECK_THAT(e.what(), Catch::Contains("registers") && Catch::Contains("the nearest"));
      ++refused;
    }
  }
  CHECK(right > 0);
  CHECK((!isa::target(arch).unified || refused == 0));
}

TEST_CASE("heads may lie inside rows or rows inside heads", "[attention]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201})
    for (const int dim : {40, 128})
      is_right({.config = {.head_dim = dim},
                .arch = arch,
                .problem = {.heads = 4, .kv_heads = 2, .queries = 37, .keys = 70, .mask = Mask::top_left},
                .pad = 16,
                .by_head = true});
}

TEST_CASE("attention of 192 columns is pipelined from CDNA2 on, and right", "[attention]") {
  const int dim_v = GENERATE(64, 128);
  const Type type = GENERATE(Type::bf16, Type::f16);
  const AttentionConfig c{.type = type, .head_dim = 192, .head_dim_v = dim_v};
  const Arch arch = GENERATE(Arch::gfx90a, Arch::gfx942, Arch::gfx950);
  CAPTURE(dim_v, isa::type_name(type), isa::target(arch).name);
  CHECK(schedule_of(c, arch) == AttentionSchedule::pipelined);
  AttentionConfig packed = c, sinks = c, prefix = c;
  packed.sequences = Sequences::packed, sinks.sinks = true, prefix.prefix = true;
  for (const AttentionConfig& with : {c, packed, sinks, prefix}) {
    CAPTURE(kernel_name(with));
    const Program p = build_attention(with, arch);  // two workgroups on a CU
    CHECK(p.total_vgprs() <= 256);
    CHECK(2 * p.lds_bytes <= isa::target(arch).lds_pool);
  }
  static uint32_t number = 0;  // through all of them
  for (const auto& [queries, keys] : {std::pair(1u, 1u), {129u, 31u}, {65u, 127u}, {128u, 256u}, {40u, 0u}})
    for (const Mask mask : {Mask::none, Mask::bottom_right})
      if (in_sample(number++))
        is_right({.config = c,
                  .arch = arch,
                  .problem = {.heads = 2, .kv_heads = 1, .queries = queries, .keys = keys, .mask = mask},
                  .pad = 16});
  is_right({.config = packed,
            .arch = arch,
            .problem = {.heads = 2, .mask = Mask::bottom_right},
            .query_lengths = {130, 0, 40},
            .key_lengths = {30, 7, 90}});
}

TEST_CASE("attention through the tensor data mover is right and free of LDS conflicts", "[attention][tensor]") {
  const auto [dim, dim_v] = GENERATE(table<int, int>({{128, 128}, {64, 64}, {128, 64}, {64, 128}}));
  const Arch arch = Arch::gfx1250;
  AttentionConfig c{.type = dim == dim_v ? Type::bf16 : Type::f16, .head_dim = dim, .head_dim_v = dim_v};
  CAPTURE(dim, dim_v);
  CHECK(schedule_of(c, arch) == AttentionSchedule::pipelined);
  CHECK(build_attention(c, arch).total_vgprs() <= isa::target(arch).vgprs / 2);  // two workgroups on a WGP
  static uint32_t number = 0;                                                    // through all of them
  for (const auto& [queries, keys] : {std::pair(1u, 1u), {129u, 31u}, {40u, 0u}, {65u, 64u}, {128u, 321u}, {70u, 650u}})
    for (const Mask mask : {Mask::none, Mask::bottom_right}) {
      if (!in_sample(number++)) continue;
      const Case t{.config = c,
                   .arch = arch,
                   .problem = {.heads = 2, .kv_heads = 1, .queries = queries, .keys = keys, .mask = mask},
                   .rising = keys == 650,
                   .pad = 16};
      is_right(t);
      CHECK(run(t).result.lds_conflict_cycles == 0);
    }
  c.sequences = Sequences::packed, c.sinks = c.prefix = true;  // scalar registers are short
  build_attention(c, arch);
  c.sinks = c.prefix = false;
  is_right({.config = c,
            .arch = arch,
            .problem = {.heads = 2, .mask = Mask::top_left},
            .query_lengths = {130, 0, 40},
            .key_lengths = {400, 7, 90}});
}

// Of the many waits for fragments every 24th. That before the end keeps loads past the last tile from the next
// workgroup's LDS, which no other workgroup has here.
TEST_CASE("attention through the tensor data mover with one wait or barrier left out is caught",
          "[attention][tensor][mutation]") {
  const AttentionConfig config{.type = Type::f16, .head_dim = 64};
  const Case rising{.config = config,
                    .arch = Arch::gfx1250,
                    .problem = {.queries = 128, .keys = 850, .mask = Mask::bottom_right},
                    .rising = true};
  const Program good = build_attention(config, Arch::gfx1250);
  REQUIRE_FALSE(run(rising, good).result.fault);
  int tried = 0, of_fragments = 0;
  std::string missed;
  for (size_t i = 0; i < good.nodes.size(); ++i) {
    const Node& n = good.nodes[i];
    const Opcode op = n.inst.op;
    const bool of_fragment = op == Opcode::s_wait_dscnt && of_fragments++ % 24 == 0;
    const bool at_end = !*n.block && op == Opcode::s_wait_tensorcnt;
    if (!n.is_instruction() || at_end ||
        (op != Opcode::s_wait_tensorcnt && op != Opcode::s_barrier_wait && !of_fragment))
      continue;
    Program broken = good;
    broken.nodes.erase(broken.nodes.begin() + static_cast<int>(i));
    ++tried;
    const Outcome o = run(rising, broken);
    if (!o.result.fault && !o.result.warning)
      missed += fmt::format("{} at node {}, written in {} line {}\n", isa::print(n.inst, Arch::gfx1250), i, n.block,
                            n.where.line());
  }
  CAPTURE(tried);
  CHECK(tried > 25);
  CHECK(missed == "");
}

TEST_CASE("the timing model counts all of a kernel that changes banks of VGPRs, which is faster than in sequence",
          "[attention][tensor][time]") {
  const auto time = [&](const std::string& more) {
    const auto r = clitest::run_program("time attention --arch gfx1250 --h 2 --sq 512 --json" + more);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.out);
  };
  const auto chosen = time(""), sequential = time(" --schedule sequential");
  CHECK_THAT(chosen.dump(), !Catch::Contains("workgroups differ"));  // all have the same keys
  CHECK(chosen["seconds"].get<double>() < sequential["seconds"].get<double>());
}

TEST_CASE("attention of gfx1250 sets MODE.REPLAY_MODE before its first access to memory, others have none",
          "[attention]") {
  for (const Arch arch : {Arch::gfx1250, Arch::gfx1201})
    for (const auto schedule : {AttentionSchedule::sequential, AttentionSchedule::decode}) {
      bool set = false;
      for (const Node& n : build_attention({.schedule = schedule}, arch).nodes) {
        if (!n.is_instruction()) continue;
        if (n.inst.info().counter != isa::Counter::none) break;
        set |= isa::print(n.inst, arch).find("hwreg(HW_REG_WAVE_MODE, 25, 1), 1") != std::string::npos;
      }
      CHECK(set == (arch == Arch::gfx1250));
    }
}

TEST_CASE("a launch has each tile of each head once, however many heads take turns", "[attention]") {
  const AttentionConfig c{.head_dim = 64};
  const AttentionProblem p{.batch = 2, .heads = 3, .queries = 300, .keys = 70, .mask = Mask::bottom_right};
  const auto grid = [&](AttentionProblem of, Arch arch) { return launch(c, arch, of, {})[0].grid; };
  using Grid = std::array<uint32_t, 3>;
  CHECK(grid(p, Arch::gfx942) == Grid{6, 3, 1});  // with a mask all heads: the heaviest tiles first
  AttentionProblem large = p;
  large.heads = large.kv_heads = 30, large.mask = Mask::none;
  CHECK(grid(large, Arch::gfx942) == Grid{8, 3, 8});  // without, a head stays on one of eight XCDs
  CHECK(grid(large, Arch::gfx1201) == Grid{1, 2, 60});
  large.mask = Mask::top_left;  // with one, those that have about 256 tiles on each XCD, or all where there is one XCD
  CHECK(grid(large, Arch::gfx942) == Grid{60, 3, 1});
  CHECK(grid(large, Arch::gfx1201) == Grid{60, 2, 1});
  large.queries = 16384, large.heads = 32;
  large.kv_heads = 1;
  CHECK(grid(large, Arch::gfx942) == Grid{16, 128, 4});
  for (const uint32_t in_turn : {1u, 2u, 4u, 6u, 100u})
    for (const Arch arch : {Arch::gfx942, Arch::gfx1201}) {
      AttentionProblem of = p;
      of.heads_in_turn = in_turn;
      CAPTURE(in_turn);
      is_right({.config = c, .arch = arch, .problem = of});
    }
  is_right({.config = {Type::bf16, 64, 128, Sequences::packed},
            .problem = {.heads = 3, .mask = Mask::top_left, .heads_in_turn = 4},
            .query_lengths = {257, 0, 40},
            .key_lengths = {30, 7, 90}});
}

}  // namespace wavesmith::attention_bench
