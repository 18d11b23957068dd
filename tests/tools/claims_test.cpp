// Every combination of target, type, transpose, schedule, head dimension and mask that the program claims: it verifies
// right or refuses in one line that says why, and does nothing else.
#include <array>
#include <random>
#include <set>

#include "isa_tables/isa.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

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

bool is_right(const std::string& command) {  // or it is refused
  const Ran r = run_program(command);
  INFO(command << "\n" << r.out << r.err);
  if (r.status == 2) {
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    CHECK_THAT(r.err, Catch::Contains("legal"));
    return false;
  }
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK_THAT(r.out, Catch::Contains("right"));
  return true;
}

void hold(const Claim& claim, const std::vector<Choice>& choices) {
  size_t right = 0;
  for (const Choice& choice : choices) {
    std::string command = claim.command;
    for (size_t i = 0; i < choice.size(); ++i) command += " " + claim.choices[i][choice[i]];
    right += is_right(command);
  }
  CHECK(right > choices.size() / 8);
}

// Options of which a command has any number: with `chance` one of `some`.
struct Draw {
  double chance;
  Options some;
};
// `of(target)`: what goes with this target; `always`: one of each.
struct Anything {
  const char* command;
  std::vector<Options> (*of)(std::string_view target);
  std::vector<Draw> draws;
  std::vector<Options> always;
};

const std::vector<Anything>& anything() {
  static const std::vector<Anything> all{
      {"verify gemm",
       [](std::string_view target) {
         const bool gfx12 = target.starts_with("gfx12"), mx = target == "gfx950" || target == "gfx1250";
         Options types{"--a f64",
                       "--a f32",
                       "--a f32 --f32-as bf16x3",
                       "--a f16",
                       "--a f16 --d f32",
                       "--a bf16",
                       "--a bf16 --d f32",
                       "--a i8",
                       "--a i8 --d f16",
                       "--a f16 --b i4 --transa t"};
         if (target == "gfx942") types.insert(types.end(), {"--a xf32"});
         if (target == "gfx942" || mx || gfx12)
           types.insert(types.end(),
                        {"--a fp8", "--a bf8 --b fp8", "--a fp8 --transa t --scale-a block --scale-b block",
                         "--a fp8 --scale-a 1x128-t --scale-b 128x128-t"});
         if (mx) types.insert(types.end(), {"--a mxfp8", "--a mxfp4 --transa t", "--a mxfp8 --b mxfp6 --transa t"});
         if (target.starts_with("gfx11") || target.starts_with("gfx120")) types.push_back("--a i4 --transa t");
         Options schedules{"staged", "interleaved", "stream"};
         if (target == "gfx950") schedules.insert(schedules.end(), {"direct", "refill"});
         if (target == "gfx1250") schedules.push_back("tensor");
         for (std::string& s : schedules) s.insert(0, "--schedule ");
         schedules.insert(schedules.end(), schedules.size(), "");
         return std::vector<Options>{types, schedules};
       },
       {{.4, {"--transb t"}},
        {.4, {"--tile 96x32x64", "--tile 64x160x128", "--tile 48x48x64", "--tile 128x64x128", "--tile 256x128x128"}},
        {.2, {"--waves 1x1", "--waves 2x2", "--waves 1x4", "--waves 4x2"}},
        {.2, {"--stages 3", "--stages 4"}},
        {.3,
         {"--epilogue bias", "--epilogue scale-a,bias-col,relu", "--epilogue gated,silu", "--epilogue residual",
          "--epilogue scale-d-row,gelu", "--epilogue absmax", "--epilogue clamp:-1:2"}},
        {.1, {"--alpha-device", "--beta-device"}},
        {.3, {"--split-k 2", "--split-k 5", "--split-k 3 --reduction ordered", "--stream-k 6 --split-k 2"}},
        {.1, {"--work-order bands2", "--work-order xcds8_bands2"}},
        {.1, {"--cluster 2x2", "--prefetch 0"}},
        {.2, {"--alpha 1.5 --beta 0.5", "--alpha 0", "--beta 1"}},
        {.1, {"--batch-count 3"}},
        {.2, {"--ldd 400", "--ldc 333", "--lda 640"}},
        {.2, {"--init int", "--init special"}},
        {.2, {"--order late", "--order random:7", "--quantum 1"}}},
       {{"-m 1", "-m 50", "-m 130", "-m 257", "-m 33 --grouped m --groups 33,0,0"},
        {"-n 3", "-n 77", "-n 190", "-n 16"},
        {"-k 0", "-k 32", "-k 96", "-k 160", "-k 515", "-k 1024"}}},
      {"verify attention",
       [](std::string_view target) {
         const bool mx = target == "gfx950" || target == "gfx1250";
         Options types{"--type f16", "--type bf16", "--type bf16 --kv-type fp8", "--type f16 --backward",
                       "--type bf16 --backward --reduction atomic"};
         if (target == "gfx942" || target.starts_with("gfx12") || mx) types.push_back("--type fp8");
         if (mx) types.insert(types.end(), {"--type mxfp8", "--type mxfp4"});
         return std::vector<Options>{types};
       },
       {{.6,
         {"--head-dim 64", "--head-dim 16", "--head-dim 40 --head-dim-v 72", "--head-dim 128 --head-dim-v 64",
          "--head-dim 256", "--head-dim 192 --head-dim-v 128", "--latent --head-dim 192 --head-dim-v 128"}},
        {.5, {"--causal", "--mask t"}},
        {.3, {"--schedule sequential", "--schedule pipelined", "--schedule decode"}},
        {.3, {"--lse"}},
        {.2, {"--soft-cap 30", "--alibi", "--bias", "--documents", "--prefix", "--sink"}},
        {.2, {"--window 5,5", "--window 64,0", "--dropout 0.3", "--sink"}},
        {.2, {"--page-size 16", "--page-size 48", "--page-size 64 --splits 3"}},
        {.2, {"--scale-rows 128,64", "--head-scales"}},
        {.2, {"--init int", "--init special"}},
        {.2, {"--order late", "--order random:7", "--quantum 1"}}},
       {{"--h 1", "--h 4 --hkv 1", "--h 6 --hkv 3", "--h 2"},
        {"-b 1 --sq 1 --sk 257", "-b 2 --sq 4 --sk 99", "--sq 70 --sk 128", "--sq 129 --sk 31", "--sq 17 --sk 0",
         "--varlen --sq 33,0,5 --sk 17,64,200"}}}};
  return all;
}

std::string any_command(const Anything& a, std::mt19937& random) {
  const auto one = [&](const Options& some) { return " " + some[random() % some.size()]; };
  const std::string target = wavesmith::isa::all_targets()[random() % wavesmith::isa::all_targets().size()].name;
  std::string command = fmt::format("{} --arch {} --seed {}", a.command, target, random() % 1000);
  for (const Options& some : a.of(target)) command += one(some);
  for (const Draw& d : a.draws)
    if (random() < d.chance * static_cast<double>(random.max())) command += one(d.some);
  for (const Options& some : a.always) command += one(some);
  return command;
}

}  // namespace

TEST_CASE("every two options of gemm and attention together verify right or are refused in one line",
          "[cli][hostile][claims]") {
  for (const Claim& c : claims()) hold(c, every_pair(c));
}

TEST_CASE("everything the program claims verifies right or is refused in one line", "[cli][hostile][claims][.slow]") {
  for (const Claim& c : claims()) hold(c, everything(c));
}

TEST_CASE("any options of gemm and attention together verify right or are refused in one line",
          "[cli][hostile][claims]") {
  constexpr uint32_t tries = 480, some = 24;  // of so many commands of each, ./dev test takes a part
  for (const Anything& a : anything()) {
    std::mt19937 random(20261127);
    size_t right = 0, tried = 0;
    for (uint32_t i = 0; i < tries; ++i)
      if (const std::string command = any_command(a, random); in_sample(i, some)) ++tried, right += is_right(command);
    CHECK(right > tried / 8);
  }
}
