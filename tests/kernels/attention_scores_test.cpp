// Changes of the scores: through the command line against the reference in f64, and by properties that need none.
#include "generator/dsl/block.h"
#include "kernels/parts/philox.h"
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"

namespace wavesmith::attention_bench {

TEST_CASE("soft cap, linear biases and windows verify on every kind of target, together too", "[attention][cli]") {
  const std::string targets[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"};
  const std::string changes[] = {"--soft-cap 5 --scale 1", "--alibi --causal --h 6", "--window 20,3",
                                 "--soft-cap 30 --alibi --window 9,0 --mask t --varlen --sq 40,0,9 --sk 33,5,80 --lse"};
  size_t next = 0;
  for (const std::string& arch : targets)
    for (int i = 0; i < 2; ++i) {
      const std::string& change = changes[next++ % 4];
      const std::string command =
          fmt::format("verify attention --arch {} --head-dim {} --type {} {} {}", arch, i ? 128 : 72,
                      i ? "f16" : "bf16", change, change.find("--sq") == change.npos ? "--sq 70 --sk 99 --lse" : "");
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

TEST_CASE("the pipelined schedule has registers for every change of the scores that it takes", "[attention]") {
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx950})
    for (const isa::Type type : {isa::Type::f16, isa::Type::bf16, isa::Type::fp8})
      for (const auto& [dim, dim_v] : {std::pair{64, 64}, {64, 128}, {128, 64}, {128, 128}, {192, 64}, {192, 128}})
        for (const Sequences s : {Sequences::equal, Sequences::packed})
          for (const bool all : {false, true}) {
            const bool fp8 = type == isa::Type::fp8;
            if (fp8 && arch == Arch::gfx90a) continue;
            AttentionConfig c{.type = fp8 ? isa::Type::bf16 : type,
                              .head_dim = dim,
                              .head_dim_v = dim_v,
                              .sequences = s,
                              .fp8_products = fp8,
                              .sinks = true,
                              .scores = {window(9, 9)}};
            if (fp8) c.kv_type = c.q_type = isa::Type::fp8;
            if (all) c.scores = {soft_cap(3), alibi(), window(9, 9)};
            INFO(kernel_name(c) << " " << isa::target(arch).name);
            CHECK(schedule_of(c, arch) == AttentionSchedule::pipelined);
            CHECK_NOTHROW(build_attention(c, arch, "", {.check = false}));
          }
}

TEST_CASE("windows and changes of the scores verify in the pipelined schedule, shorter and longer than its rows",
          "[attention][cli]") {
  CHECK(schedule_of({.head_dim = 128, .scores = {window(100, 0)}}, Arch::gfx942) == AttentionSchedule::pipelined);
  CHECK(schedule_of({.head_dim = 128, .scores = {alibi(), alibi()}}, Arch::gfx942) == AttentionSchedule::sequential);
  CHECK(schedule_of({.head_dim = 128, .scores = {window(100, 0)}}, Arch::gfx1250) == AttentionSchedule::sequential);
  const std::string changes[] = {"--window 0,0",
                                 "--window 20,5",
                                 "--window 100,0 --causal",
                                 "--window 5,300 --mask t",
                                 "--window 300,2",
                                 "--window 900,900",
                                 "--window 70,600 --sink",
                                 "--window 60,0 --alibi --causal",
                                 "--window 40,9 --soft-cap 2"};
  const std::string problems[] = {"--sq 131 --sk 200",
                                  "--sq 700 --sk 650",
                                  "--sq 300 --sk 1",
                                  "--sq 900 --sk 1200",
                                  "--varlen --sq 300,0,20 --sk 401,31,20",
                                  "--sq 520 --sk 300"};
  size_t next = 0;
  for (const char* arch : {"gfx90a", "gfx942", "gfx950"})
    for (const char* dims :
         {"--head-dim 128", "--head-dim 64 --type f16", "--head-dim 192 --head-dim-v 128", "--head-dim 128 --type fp8"})
      for (int i = 0; i < 2; ++i, ++next) {
        if (std::strstr(dims, "fp8") && !std::strcmp(arch, "gfx90a")) continue;
        const std::string command =
            fmt::format("verify attention --arch {} {} --schedule pipelined --h 2 --hkv 1 --lse {} {}", arch, dims,
                        problems[next % std::size(problems)], changes[next % std::size(changes)]);
        const clitest::Ran r = clitest::run_program(command);
        INFO(command << "\n" << r.out << r.err);
        CHECK(r.status == 0);
      }
}

TEST_CASE("changes of the scores that cancel leave attention as it is", "[attention]") {
  const auto times = [](float factor) {
    return ScoreMod{.name = fmt::format("times{:g}", factor),
                    .change = [factor](Block& b, const ScoreMod::Element& e) { b.v_mul_f32(e.score, factor, e.score); },
                    .reference = [factor](const ScoreMod::Point& p) { return factor * p.score; }};
  };
  for (const Arch arch : {Arch::gfx942, Arch::gfx1100, Arch::gfx1201})
    for (const Sequences s : {Sequences::equal, Sequences::packed})
      is_right({.config = {.head_dim = 64, .sequences = s, .scores = {times(8), times(0.125f), window(500, 500)}},
                .arch = arch,
                .problem = {.heads = 2, .queries = 70, .keys = 133, .mask = Mask::bottom_right},
                .query_lengths = {70},
                .key_lengths = {133}});
}

TEST_CASE("biases, documents and dropout verify on every kind of target, for many queries and few",
          "[attention][cli]") {
  const std::string targets[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"};
  const std::string features[] = {"--bias --lse", "--documents --causal", "--dropout 0.3 --drop-seed 12345678901 --lse",
                                  "--bias --documents --dropout 0.1 --drop-offset 3 --alibi"};
  const std::string problems[] = {"--sq 70 --sk 99 --b 2", "--sq 5 --sk 133 --splits 2",
                                  "--varlen --sq 40,0,9 --sk 33,5,80 --mask t"};
  size_t next = 0;
  for (const std::string& arch : targets)
    for (int i = 0; i < 3; ++i, ++next) {
      const std::string command =
          fmt::format("verify attention --arch {} --h 4 --hkv 2 --head-dim {} --type {} {} {}", arch, i == 1 ? 24 : 64,
                      next % 2 ? "f16" : "bf16", features[next % 4], problems[i]);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

TEST_CASE("dropout with probability 0 changes no bit, and no dropout changes the log-sum-exp", "[attention]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx1201})
    for (const AttentionSchedule schedule : {AttentionSchedule::sequential, AttentionSchedule::decode}) {
      const auto with = [&](bool dropout, float probability) {
        const bool decode = schedule == AttentionSchedule::decode;
        return run({.config = {.head_dim = 64, .dropout = dropout, .schedule = schedule},
                    .arch = arch,
                    .problem = {.heads = 4,
                                .kv_heads = 2,
                                .queries = decode ? 3u : 70u,
                                .keys = 99,
                                .mask = Mask::bottom_right,
                                .splits = decode ? 2u : 0u,
                                .dropout = probability,
                                .seed = 7}});
      };
      const Outcome none = with(false, 0), zero = with(true, 0), some = with(true, 0.4f);
      CHECK(zero.o == none.o);
      CHECK(zero.lse == none.lse);
      CHECK(some.o != none.o);
      CHECK(some.lse == none.lse);
    }
}

// With equal weights and V of ones, O counts the elements that stay.
TEST_CASE("dropout keeps the elements that Philox names, as many as it should, in tiles of any shape", "[attention]") {
  constexpr uint32_t heads = 4, queries = 21, keys = 250;
  constexpr float probability = 0.3f;
  const auto below = static_cast<uint32_t>(static_cast<double>(probability) * 0x1p32);
  constexpr uint64_t seed = 0x123456789abcdef0;
  std::vector<uint32_t> want;
  double all = 0;
  for (uint32_t i = 0; i < queries; ++i)
    for (uint32_t h = 0; h < heads; ++h) {
      uint32_t kept = 0;
      for (uint32_t j = 0; j < keys; ++j) kept += philox({j / 4, i, h, 3}, seed)[j % 4] >= below;
      want.push_back(kept), all += kept;
    }
  const double n = heads * queries * keys, p = static_cast<double>(probability);
  CHECK(std::abs(all / n - (1 - p)) < 4 * std::sqrt(p * (1 - p) / n));
  const std::pair<Arch, AttentionSchedule> kernels[] = {{Arch::gfx942, AttentionSchedule::sequential},
                                                        {Arch::gfx942, AttentionSchedule::decode},
                                                        {Arch::gfx1100, AttentionSchedule::sequential},
                                                        {Arch::gfx1201, AttentionSchedule::decode},
                                                        {Arch::gfx950, AttentionSchedule::sequential}};
  for (const auto& [arch, schedule] : kernels) {
    CAPTURE(isa::target(arch).name, name_of(schedule));
    const Outcome got = run({.config = {.type = Type::f16, .head_dim = 64, .dropout = true, .schedule = schedule},
                             .arch = arch,
                             .problem = {.heads = heads,
                                         .kv_heads = 1,
                                         .queries = queries,
                                         .keys = keys,
                                         .dropout = probability,
                                         .seed = seed,
                                         .offset = 3},
                             .spread = 0,
                             .ones = true});
    REQUIRE_FALSE(got.result.fault);
    std::vector<uint32_t> counted;
    for (size_t i = 0; i < got.o.size(); i += 64)
      counted.push_back(static_cast<uint32_t>(std::lround(got.o[i] * keys * (1 - p))));
    CHECK(counted == want);
  }
}

// Known answers of Random123 (https://github.com/DEShawResearch/random123, tests/kat_vectors, philox4x32 of 10 rounds).
TEST_CASE("Philox numbers are the published ones", "[attention]") {
  using Words = std::array<uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({~0u, ~0u, ~0u, ~0u}, ~UINT64_C(0)) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("changes of the scores that cannot be are refused", "[attention]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(soft_cap(0), Contains("soft cap 0; legal: positive numbers"));
  CHECK_THROWS_WITH(window(-1, 0), Contains("window of -1 and 0 keys"));
  CHECK_THROWS_WITH(check({.schedule = AttentionSchedule::pipelined, .scores = {alibi()}}, Arch::gfx1250),
                    Contains("changes of the scores not on gfx1250"));
  CHECK_THROWS_WITH(check({.bias = true, .schedule = AttentionSchedule::pipelined}, Arch::gfx942),
                    Contains("without biases"));
  CHECK_THROWS_WITH(check({.page_size = 16, .documents = true}, Arch::gfx942), Contains("documents without pages"));
  CHECK_THROWS_WITH(launch({.head_dim = 64}, Arch::gfx942, {.queries = 1, .keys = 1, .dropout = 0.5f}, {}),
                    Contains("0 without dropout in the configuration"));
  CHECK_THROWS_WITH(
      launch({.head_dim = 64, .dropout = true}, Arch::gfx942, {.queries = 1, .keys = 1, .dropout = 1}, {}),
      Contains("dropout with probability 1; legal: 0 to less than 1"));
  for (const auto& [option, what] : {std::pair("--window 3", "--window: '3', legal: two numbers"),
                                     {"--soft-cap -2", "soft cap -2; legal: positive numbers"}}) {
    const clitest::Ran r = clitest::run_program(fmt::format("attention {}", option));
    CHECK(r.status == 2);
    CHECK(std::ranges::count(r.err, '\n') == 1);
    CHECK_THAT(r.err, Contains(what));
  }
}

}  // namespace wavesmith::attention_bench
