// Every combination of target, type, transpose, schedule, head dimension and mask that the program claims: it verifies
// right or refuses in one line that says why, and does nothing else.
#include "tests/command.h"

using namespace clitest;

namespace {

using Options = std::vector<std::string>;

// One of each, the last running fastest.
std::vector<std::string> product(const std::vector<Options>& all) {
  std::vector<std::string> out{""};
  for (const Options& some : all) {
    std::vector<std::string> longer;
    for (const std::string& before : out)
      for (const std::string& o : some) longer.push_back(before + " " + o);
    out = std::move(longer);
  }
  return out;
}

std::vector<std::string> claims() {
  auto all = product({{"verify gemm --tile 64x64x64 -m 75 -n 67 -k 70"},
                      {"--arch gfx908", "--arch gfx90a", "--arch gfx942", "--arch gfx950", "--arch gfx1201"},
                      {"--a f16", "--a bf16"},
                      {"", "--d f32", "--d f32 --split-k 2", "--epilogue bias,gelu"},
                      {"--transa n", "--transa t"},
                      {"--transb n", "--transb t"},
                      {"--schedule staged", "--schedule interleaved", "--schedule direct --stages 3"}});
  for (auto& a : product({{"verify attention --sq 70 --sk 133 --h 2 --hkv 1"},
                          {"--arch gfx90a", "--arch gfx942", "--arch gfx950", "--arch gfx1201"},
                          {"--type f16", "--type bf16"},
                          {"--head-dim 64", "--head-dim 128"},
                          {"--head-dim-v 64", "--head-dim-v 128"},
                          {"--mask 0", "--mask t", "--mask b"},
                          {"", "--varlen --lse -b 3"}}))
    all.push_back(std::move(a));
  return all;
}

void hold(size_t first, size_t every) {
  const auto all = claims();
  size_t right = 0, refused = 0;
  for (size_t i = first; i < all.size(); i += every) {
    const Ran r = run_program(all[i]);
    INFO(all[i] << "\n" << r.out << r.err);
    if (r.status == 2) {
      CHECK(r.out.empty());
      CHECK(lines(r.err) == 1);
      CHECK_THAT(r.err, Catch::Contains("legal"));
      ++refused;
    } else {
      CHECK(r.status == 0);
      CHECK(r.err.empty());
      CHECK_THAT(r.out, Catch::Contains("right"));
      ++right;
    }
  }
  CHECK(right > refused / 2);
}

}  // namespace

TEST_CASE("a spread of what the program claims verifies right or is refused in one line", "[cli][hostile][claims]") {
  hold(5, 29);
}

TEST_CASE("everything the program claims verifies right or is refused in one line", "[cli][hostile][claims][.slow]") {
  hold(0, 1);
}
