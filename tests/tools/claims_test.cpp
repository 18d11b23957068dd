// Every combination of target, type, transpose, schedule, head dimension and mask that the program claims: it verifies
// right or refuses in one line that says why, and does nothing else.
#include <array>
#include <set>

#include "isa_tables/isa.h"
#include "tests/support/command.h"

using namespace clitest;

namespace {

using Options = std::vector<std::string>;
struct Claim {
  std::string command;
  std::vector<Options> choices;  // one of each
};

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    Options targets;
    for (const auto& t : wavesmith::isa::all_targets()) targets.push_back(fmt::format("--arch {}", t.name));
    return std::vector<Claim>{{"verify gemm --tile 64x64x64 -m 75 -n 67 -k 70",
                               {targets,
                                {"--a f16", "--a bf16"},
                                {"", "--d f32", "--d f32 --split-k 2", "--epilogue bias,gelu"},
                                {"--transa n", "--transa t"},
                                {"--transb n", "--transb t"},
                                {"--schedule staged", "--schedule interleaved", "--schedule direct --stages 3"}}},
                              {"verify attention --sq 70 --sk 133 --h 2 --hkv 1",
                               {targets,
                                {"--type f16", "--type bf16"},
                                {"--head-dim 64", "--head-dim 128"},
                                {"--head-dim-v 64", "--head-dim-v 128"},
                                {"--mask 0", "--mask t", "--mask b"},
                                {"", "--varlen --lse -b 3"}}}};
  }();
  return all;
}

using Choice = std::vector<size_t>;  // of each list, which
std::vector<Choice> everything(const Claim& c) {
  std::vector<Choice> out{{}};
  for (const Options& some : c.choices) {
    std::vector<Choice> longer;
    for (const Choice& before : out)
      for (size_t i = 0; i < some.size(); ++i) longer.push_back(before), longer.back().push_back(i);
    out = std::move(longer);
  }
  return out;
}
// So many of them that every two options of different lists meet: each adds most pairs of what is left.
std::vector<Choice> every_pair(const Claim& c) {
  const auto all = everything(c);
  std::set<std::array<size_t, 4>> seen;
  const auto pairs = [](const Choice& x, auto f) {
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = i + 1; j < x.size(); ++j) f(std::array{i, x[i], j, x[j]});
  };
  const auto gain = [&](const Choice& x) {
    int n = 0;
    pairs(x, [&](const auto& p) { n += !seen.contains(p); });
    return n;
  };
  std::vector<Choice> out;
  while (true) {
    const auto best = std::ranges::max_element(all, {}, gain);
    if (!gain(*best)) return out;
    pairs(*best, [&](const auto& p) { seen.insert(p); });
    out.push_back(*best);
  }
}

void hold(const Claim& claim, const std::vector<Choice>& choices) {
  size_t right = 0;
  for (const Choice& choice : choices) {
    std::string command = claim.command;
    for (size_t i = 0; i < choice.size(); ++i) command += " " + claim.choices[i][choice[i]];
    const Ran r = run_program(command);
    INFO(command << "\n" << r.out << r.err);
    if (r.status == 2) {
      CHECK(r.out.empty());
      CHECK(lines(r.err) == 1);
      CHECK_THAT(r.err, Catch::Contains("legal"));
    } else {
      CHECK(r.status == 0);
      CHECK(r.err.empty());
      CHECK_THAT(r.out, Catch::Contains("right"));
      ++right;
    }
  }
  CHECK(right > choices.size() / 8);
}

}  // namespace

TEST_CASE("every two options of gemm and attention together verify right or are refused in one line",
          "[cli][hostile][claims]") {
  for (const Claim& c : claims()) hold(c, every_pair(c));
}

TEST_CASE("everything the program claims verifies right or is refused in one line", "[cli][hostile][claims][.slow]") {
  for (const Claim& c : claims()) hold(c, everything(c));
}
