// Changes of the scores: through the command line against the reference in f64, and by properties that need none.
#include "generator/dsl/block.h"
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

TEST_CASE("changes of the scores that cannot be are refused", "[attention]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(soft_cap(0), Contains("soft cap 0; legal: positive numbers"));
  CHECK_THROWS_WITH(window(-1, 0), Contains("window of -1 and 0 keys"));
  CHECK_THROWS_WITH(check({.schedule = AttentionSchedule::pipelined, .scores = {alibi()}}, Arch::gfx942),
                    Contains("without changes of the scores"));
  for (const auto& [option, what] : {std::pair("--window 3", "--window: '3', legal: two numbers"),
                                     {"--soft-cap -2", "soft cap -2; legal: positive numbers"}}) {
    const clitest::Ran r = clitest::run_program(fmt::format("attention {}", option));
    CHECK(r.status == 2);
    CHECK(std::ranges::count(r.err, '\n') == 1);
    CHECK_THAT(r.err, Contains(what));
  }
}

}  // namespace wavesmith::attention_bench
