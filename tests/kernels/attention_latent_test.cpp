// Latent keys, where V is the first columns of K: through the command line against the reference in f64.
#include <set>

#include "kernels/attention/attention_kernel.h"
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::attention_bench {
namespace {

void latent_verifies(const std::string& options) {
  const clitest::Ran r = clitest::run_program("verify attention --latent --lse " + options);
  INFO(options << "\n" << r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Catch::Contains("right"));
}

}  // namespace

TEST_CASE("latent keys verify with heads, lengths, splits and dimensions of all kinds", "[attention][cli]") {
  const std::string dims[] = {"--head-dim 576 --head-dim-v 512", "--head-dim 576 --head-dim-v 512",
                              "--head-dim 512 --head-dim-v 512", "--head-dim 320 --head-dim-v 192",
                              "--head-dim 64 --head-dim-v 64"};
  const std::string problems[] = {"--h 128 --hkv 1 --sq 1 --sk 70 --splits 2",
                                  "--h 16 --hkv 1 --sq 1 --sk 200 --b 2",
                                  "--h 130 --hkv 1 --sq 2 --sk 65 --causal --splits 5",
                                  "--h 6 --hkv 2 --varlen --sq 1,0,4 --sk 33,5,80 --causal --splits 3",
                                  "--h 5 --hkv 1 --sq 1 --sk 0",
                                  "--h 40 --hkv 1 --sq 3 --sk 99 --scale 8 --splits 1",
                                  "--h 33 --hkv 1 --sq 1 --sk 700 --splits 19",
                                  "--h 34 --hkv 1 --sq 1 --sk 200 --b 3 --splits 6 --compute-units 1"};
  const std::string features[] = {"",
                                  "--page-size 64",
                                  "--sink --soft-cap 20",
                                  "--page-size 7 --window 40,0",
                                  "--prefix --alibi",
                                  "--dropout 0.3",
                                  "--init special"};
  uint32_t next = 0;
  for (const char* arch : {"gfx90a", "gfx942", "gfx950", "gfx1250"})
    for (const char* type : {"f16", "bf16"})
      for (int i = 0; i < 4; ++i, ++next)
        if (in_sample(next))
          latent_verifies(fmt::format("--arch {} --type {} {} {} {}", arch, type, dims[next % 5], problems[next % 8],
                                      features[next % 7]));
  // Rows of a wave that the problem's rows do not ask for: several workgroups of waves of 16, one wave of 32.
  for (const char* arch : {"gfx90a", "gfx942", "gfx950"})
    for (const char* type : {"f16", "bf16"})
      for (const int rows : {16, 32})
        for (int i = 0; i < 8; ++i, ++next)
          if (in_sample(next))
            latent_verifies(fmt::format("--arch {} --type {} --latent-rows {} {} {} {}", arch, type, rows,
                                        dims[next % 5], problems[i], features[next % 7]));
  for (const char* arch : {"gfx908", "gfx1100", "gfx1201", "gfx1250"})  // fewer registers: smaller dimensions
    for (int i = 0; i < 3; ++i, ++next)
      if (in_sample(next))
        latent_verifies(fmt::format("--arch {} --head-dim 128 --head-dim-v {} {} {}", arch, i ? 128 : 64,
                                    problems[next % 8], features[next % 7]));
  for (const char* arch : {"gfx942", "gfx950", "gfx1250"})
    latent_verifies(
        fmt::format("--arch {} --head-dim 576 --head-dim-v 512 --h 16 --hkv 1 --sq 1 --sk 70 --kv-type fp8 "
                    "--head-scales",
                    arch));
  // Dropout and the loads have the same scratch registers: they must not be beside each other.
  for (const char* arch : {"gfx942", "gfx950", "gfx1250"})
    for (const char* keys : {"--page-size 16", "--kv-type fp8", "--page-size 7 --kv-type fp8"})
      latent_verifies(fmt::format(
          "--arch {} --head-dim 128 --head-dim-v 128 --h 16 --hkv 1 --sq 1 --sk 150 --dropout 0.3 {}", arch, keys));
}

// With eight waves a lane has 512 registers: features that need more have four.
TEST_CASE("latent keys of the largest dimensions take every feature on gfx1250", "[attention][cli]") {
  for (const char* features :
       {"--page-size 16 --kv-type fp8 --sink --prefix", "--dropout 0.1 --page-size 16", "--dropout 0.1",
        "--kv-type fp8 --alibi", "--bias", "--documents --dropout 0.1", "--soft-cap 30 --alibi --window 30,0"})
    latent_verifies(fmt::format(
        "--arch gfx1250 --head-dim 576 --head-dim-v 512 --h 16 --hkv 1 --sq 1 --sk 70 --splits 2 {}", features));
}

// Memory has one tensor: bytes that are not K's first columns are never read.
TEST_CASE("latent keys are read once", "[attention]") {
  const AttentionConfig c{.head_dim = 576, .head_dim_v = 512, .latent = true, .schedule = AttentionSchedule::decode};
  const auto tiles = lds_tiles(c, Arch::gfx942);
  CHECK(build_attention(c, Arch::gfx942).lds_bytes == 32 * 576 * 2);
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].offsets == tiles[1].offsets);
}

TEST_CASE("a tile of latent keys is in two partitions of LDS, which are read in turn", "[attention]") {
  const attention::AttentionPlan plan(
      {.head_dim = 576, .head_dim_v = 512, .latent = true, .schedule = AttentionSchedule::decode}, Arch::gfx1250);
  const auto partition = [&](int column) {
    return (plan.tile_begin() + plan.keys * column * 2) / isa::lds_partition;  // columns of 64 are together
  };
  for (const auto& [count, columns] : {std::pair(18, 32), std::pair(32, 16)}) {
    std::set<int> seen;
    for (int i = 0; i < count; ++i) {
      const int part = plan.in_turn(i, count, columns);
      seen.insert(part);
      if (i < 2 * 256 / columns) CHECK(partition(part * columns) == i % 2);
    }
    CHECK(seen.size() == static_cast<size_t>(count));
    CHECK(*seen.begin() == 0);
    CHECK(*seen.rbegin() == count - 1);
  }
  CHECK(partition(575) == 1);
  CHECK(plan.part_lds() <= isa::target(Arch::gfx1250).lds_bytes);
}

TEST_CASE("latent keys that cannot be are refused", "[attention][cli]") {
  const std::pair<const char*, const char*> refused[] = {
      {"--arch gfx1201 --head-dim 576 --head-dim-v 512",
       "more registers than gfx1201 has; legal, the nearest: 256 and 256"},
      {"--head-dim 576 --head-dim-v 520", "legal: multiples of 64"},
      {"--head-dim 512 --head-dim-v 576", "legal: multiples of 64"},
      {"--arch gfx1100 --head-dim 576 --head-dim-v 512",
       "head dimensions 576 and 512 of V take more registers than gfx1100 has; legal, the nearest: 192 and 128"},
      {"--head-dim 576 --head-dim-v 512 --latent-rows 48",
       "waves of 48 rows of latent keys in bf16 on gfx942; legal: 16 or 32"},
      {"--arch gfx1250 --head-dim 576 --head-dim-v 512 --latent-rows 32",
       "waves of 32 rows of latent keys in bf16 on gfx1250; legal: 16"},
      {"--head-dim 576 --head-dim-v 512 --schedule sequential", "latent keys in schedule sequential; legal: decode"},
      {"--head-dim 576 --head-dim-v 512 --backward", "--backward: --latent, legal: without it"}};
  for (const auto& [options, what] : refused) {
    const clitest::Ran r = clitest::run_program(fmt::format("attention --latent {}", options));
    INFO(options << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK(std::ranges::count(r.err, '\n') == 1);
    CHECK_THAT(r.err, Catch::Contains(what));
  }
}

}  // namespace wavesmith::attention_bench
