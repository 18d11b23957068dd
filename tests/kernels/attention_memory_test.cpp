// Where K and V are, of which type, and what takes part beside the keys: pages, fp8 with scales, sinks, prefixes, tiles
// that a window leaves out. Through the command line: verify puts keys in pages of a random order among pages of NaNs,
// and draws scales, sinks and prefixes.
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::attention_bench {
namespace {

void verifies(const std::string& options) {
  const clitest::Ran r = clitest::run_program("verify attention " + options);
  INFO(options << "\n" << r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Catch::Contains("right"));
}
void is_refused(const std::string& options, const std::string& what) {
  const clitest::Ran r = clitest::run_program("verify attention --sq 1 " + options);
  INFO(options);
  CHECK(r.status == 2);
  CHECK(std::ranges::count(r.err, '\n') == 1);
  CHECK_THAT(r.err, Catch::Contains(what));
}

}  // namespace

TEST_CASE("keys in pages of any size are found, by many queries and by few", "[attention][cli]") {
  const std::string problems[] = {"--sq 1 --sk 300,5,0 --lse --causal", "--sq 40 --sk 90,0,33 --mask t",
                                  "--varlen --sq 3,0,70 --sk 60,5,131 --lse --causal"};
  const int sizes[] = {1, 16, 17, 64, 128};
  size_t next = 0;
  for (const char* arch : {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"})
    for (int i = 0; i < 2; ++i, ++next)
      verifies(fmt::format("--arch {} --head-dim {} --b 3 --h 4 --hkv 2 --page-size {} {}", arch, i ? 64 : 72,
                           sizes[next % 5], problems[next % 3]));
}

TEST_CASE("K, V and Q in fp8 and bf8 count times their scales", "[attention][cli]") {
  const std::string problems[] = {"--kv-type fp8 --sq 1 --sk 300",
                                  "--kv-type bf8 --head-scales --sq 40 --sk 90 --causal",
                                  "--kv-type fp8 --q-type fp8 --sq 33 --sk 70 --init special",
                                  "--kv-type fp8 --q-type bf8 --page-size 16 --sq 4 --sk 70 --head-scales --alibi"};
  size_t next = 0;
  for (const char* arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    for (const char* type : {"f16", "bf16"})
      for (int i = 0; i < 2; ++i)
        verifies(fmt::format("--arch {} --type {} --head-dim {} --h 4 --hkv 2 --lse {}", arch, type, i ? 64 : 80,
                             problems[next++ % 4]));
}

TEST_CASE("products of fp8 are within the bound of one rounding of P to fp8, in both schedules", "[attention][cli]") {
  const std::string problems[] = {
      "--sq 150 --sk 215 --h 4 --hkv 2 --causal --head-scales",
      "--varlen --sq 3,0,40 --sk 5,7,90 --h 2 --causal --o-type f16",
      "--sq 33 --sk 97 --init special --head-dim 64",
      "--sq 65 --sk 40 --mask t --head-dim 64 --head-dim-v 128 --sink --prefix",
      "--sq 1 --sk 1 --head-dim 96 --head-dim-v 48",
      "--sq 40 --sk 70 --schedule sequential --head-dim 80 --bias --documents --dropout 0.1 --soft-cap 20"};
  const std::string few[] = {"--sq 3 --sk 300 --h 8 --hkv 2 --splits 2 --head-scales",
                             "--head-dim 64 --sq 5 --sk 70 --h 12 --hkv 2 --causal --sink --scale-rows 0,64",
                             "--head-dim 48 --head-dim-v 80 --sq 1 --sk 200 --b 2 --h 5 --hkv 1 --alibi"};
  size_t next = 0;
  for (const char* arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    for (int i = 0; i < 3; ++i, ++next) {
      verifies(fmt::format("--arch {} --type fp8 --lse {}", arch, problems[next % 6]));
      verifies(fmt::format("--arch {} --type fp8 --lse --schedule decode {}", arch, few[next % 3]));
    }
  for (const char* arch : {"gfx942", "gfx950"})
    verifies(fmt::format("--arch {} --type fp8 --lse {}", arch, problems[0]));
  for (const char* arch : {"gfx942", "gfx950", "gfx1201"})
    verifies(
        fmt::format("--arch {} --type fp8 --lse --head-dim 64 --b 2 --sq {} --sk 300,7 --h 4 --hkv 2 --page-size 17",
                    arch, arch == std::string_view("gfx950") ? 2 : 70));
}

TEST_CASE("fp8 tensors have scales by rows, of Q, of K and V, in every schedule", "[attention][cli]") {
  const std::string problems[] = {
      "--type fp8 --scale-rows 128,64 --sq 150 --sk 215 --h 4 --hkv 2 --b 2 --causal",
      "--type fp8 --scale-rows 32,128 --varlen --sq 3,0,140 --sk 5,7,390 --h 2 --mask t --o-type f16",
      "--type fp8 --scale-rows 0,64 --schedule sequential --head-dim 80 --sq 40 --sk 170 --bias --dropout 0.1 "
      "--soft-cap 20",
      "--type fp8 --scale-rows 64,0 --head-dim 64 --sq 133 --sk 97 --init special --head-scales --window 50,20",
      "--kv-type fp8 --q-type bf8 --scale-rows 1,64 --sq 3 --sk 700 --h 8 --hkv 2 --b 2 --splits 3 --alibi",
      "--kv-type bf8 --scale-rows 0,64 --b 3 --sq 1 --sk 300,5,0 --page-size 17 --h 4 --hkv 2 --sink",
      "--kv-type fp8 --q-type fp8 --scale-rows 256,64 --sq 300 --sk 0 --documents",
      "--type fp8 --scale-rows 32,64 --head-dim 192 --head-dim-v 128 --sq 70 --sk 600 --prefix"};
  size_t next = 0;
  for (const char* arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"}) {
    for (int i = 0; i < 4; ++i, ++next)
      if (in_sample(static_cast<uint32_t>(next))) verifies(fmt::format("--arch {} --lse {}", arch, problems[next % 8]));
    verifies(fmt::format("--arch {} --lse {}", arch, problems[arch == std::string_view("gfx942") ? 7 : 0]));
  }
  is_refused("--arch gfx942 --type fp8 --scale-rows 16,64 --sk 9 --schedule sequential",
             "scales of 16 rows of Q; legal: powers of two from 32");
  is_refused("--arch gfx942 --type fp8 --scale-rows 0,96 --sk 9 --schedule sequential",
             "scales of 96 rows of K and V; legal: powers of two from 64");
  is_refused("--arch gfx1201 --type fp8 --q-type bf8 --sk 9",
             "products of fp8 with Q of bf8, K and V of fp8; legal: fp8 for all three");
  is_refused("--scale-rows 0,64 --sk 9", "scales of rows of K and V in bf16; legal: of tensors in fp8 or bf8");
  is_refused("--kv-type fp8 --scale-rows 64 --sk 9", "--scale-rows: '64', legal: two numbers, as 128,64");
  is_refused("--latent --head-dim 576 --head-dim-v 512 --kv-type fp8 --scale-rows 0,64 --sk 9",
             "scales of rows with latent keys; legal: scales of tensors or heads");
}

TEST_CASE("MX types have a scale for 32 columns of Q and K, and 32 keys of V", "[attention][cli]") {
  const std::string problems[] = {"--type mxfp8 --sq 150 --sk 215 --h 4 --hkv 2 --b 2 --causal",
                                  "--type mxfp4 --varlen --sq 3,0,140 --sk 5,7,390 --h 2 --mask t --o-type f16",
                                  "--type mxbf8 --schedule sequential --head-dim 96 --head-dim-v 48 --sq 40 --sk 170 "
                                  "--bias --dropout 0.1 --soft-cap 20",
                                  "--type mxfp8 --head-dim 64 --sq 133 --sk 97 --init special --window 50,20",
                                  "--type mxfp8 --head-dim 192 --head-dim-v 128 --sq 70 --sk 300 --prefix",
                                  "--type mxfp4 --v-type mxbf8 --head-dim 32 --head-dim-v 16 --sq 1 --sk 33 --h 3",
                                  "--type mxfp4 --head-dim 64 --head-dim-v 128 --sq 64 --sk 129 --sink --documents",
                                  "--type mxfp8 --sq 20 --sk 0"};
  uint32_t next = 0;
  for (const char* arch : {"gfx950", "gfx1250"})
    for (const std::string& problem : problems)
      if (in_sample(++next)) verifies(fmt::format("--arch {} --lse {}", arch, problem));
  const std::string few[] = {"--type mxfp8 --head-dim 64 --sq 3 --sk 300 --h 8 --hkv 2 --b 2 --causal --splits 2",
                             "--type mxfp4 --head-dim 96 --head-dim-v 48 --sq 7 --sk 77 --h 5 --hkv 1 --alibi",
                             "--type mxbf8 --head-dim 64 --sq 1 --sk 700 --h 5 --hkv 1 --window 200,0 --sink"};
  for (const char* arch : {"gfx950", "gfx1250"})
    for (const std::string& problem : few) verifies(fmt::format("--arch {} --lse --schedule decode {}", arch, problem));
  is_refused("--arch gfx942 --type mxfp8", "has no matrix instruction with scales of blocks; legal: gfx950 gfx1250");
  is_refused("--arch gfx950 --type mxfp8 --head-dim 80",
             "head dimension 80 in MX; legal: multiples of 32, the nearest 96");
  is_refused("--arch gfx950 --type mxfp6", "--type: 'mxfp6' is not available");
  is_refused("--arch gfx950 --type mxfp8 --v-type mxfp4 --schedule sequential", "fp8 and bf8 for V");
  is_refused("--arch gfx950 --type mxfp8 --page-size 16", "MX with keys in pages; legal: fp8");
  is_refused("--arch gfx950 --type mxfp8 --varlen --schedule decode",
             "with any head dimensions; legal: fewer features, or another schedule");
  is_refused("--arch gfx950 --type mxfp8 --scale-rows 64,64 --schedule sequential", "scales of rows in MX");
  is_refused("--arch gfx950 --type mxfp8 --head-scales --schedule sequential", "scales of heads in MX");
  is_refused("--arch gfx950 --type mxfp8 --kv-type fp8", "--kv-type: 'fp8' with --type mxfp8, legal: --v-type");
  is_refused("--v-type mxfp8", "--v-type: with --type bf16");
}

TEST_CASE("products of fp8 double the matrix rate of bf16 and are pipelined likewise", "[attention]") {
  const AttentionConfig fp8{.head_dim = 128, .kv_type = Type::fp8, .q_type = Type::fp8, .fp8_products = true};
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    CHECK(schedule_of(fp8, arch) == AttentionSchedule::pipelined);
    const Program p = build_attention(fp8, arch), wide = build_attention({.head_dim = 128}, arch);
    CHECK(p.total_vgprs() <= 256);
    CHECK(2 * p.lds_bytes <= isa::target(arch).lds_pool);
    // Its tiles have twice as many keys.
    CHECK(report(p).matrix_cycles == report(wide).matrix_cycles);
  }
  CHECK(schedule_of(fp8, Arch::gfx1250) == AttentionSchedule::pipelined);
  AttentionConfig many = fp8;
  many.sequences = Sequences::packed, many.prefix = true;  // more scalar registers than gfx1250's schedule leaves
  CHECK(schedule_of(many, Arch::gfx1250) == AttentionSchedule::sequential);
  CHECK_THROWS_WITH(check(fp8, Arch::gfx90a), Catch::Contains("fp8"));
  AttentionConfig bad = fp8;
  bad.page_size = 16;
  CHECK_THROWS_WITH(check(bad, Arch::gfx1250), Catch::Contains("keys in pages with tiles of 64 keys on gfx1250"));
  bad = fp8, bad.head_dim = 72;
  CHECK_THROWS_WITH(check(bad, Arch::gfx942), Catch::Contains("72 in fp8; legal: multiples of 16"));
}

TEST_CASE("sinks take part in the sum, and a prefix is seen whatever the mask, in every schedule", "[attention][cli]") {
  const std::string features[] = {"--sink", "--prefix --causal", "--sink --prefix --mask t"};
  size_t next = 0;
  for (const char* arch : {"gfx908", "gfx942", "gfx950", "gfx1100", "gfx1201"})
    for (const char* problem : {"--sq 70 --sk 99 --head-dim 64", "--sq 70 --sk 30 --schedule sequential --head-dim 64",
                                "--varlen --sq 3,1,8 --sk 0,77,150 --schedule decode --splits 2 --head-dim 64"})
      verifies(fmt::format("--arch {} --b 3 --h 4 --hkv 2 --lse {} {}", arch, problem, features[next++ % 3]));
}

TEST_CASE("a window costs no tiles outside of it", "[attention]") {
  const auto instructions = [](Arch arch, uint32_t queries, uint32_t keys, std::optional<AttentionSchedule> schedule) {
    const Case c{
        .config = {.head_dim = 64, .schedule = schedule, .scores = {window(63, 0)}},
        .arch = arch,
        .problem = {.queries = queries, .keys = keys, .mask = Mask::bottom_right, .splits = schedule ? 1u : 0u}};
    const Outcome o = run(c);
    REQUIRE_FALSE(o.result.fault);
    return o.result.instructions;
  };
  for (const Arch arch : {Arch::gfx942, Arch::gfx1201}) {
    CHECK(instructions(arch, 64, 4096, {}) < 1.05 * static_cast<double>(instructions(arch, 64, 512, {})));
    CHECK(instructions(arch, 1, 4096, AttentionSchedule::decode) <
          1.05 * static_cast<double>(instructions(arch, 1, 512, AttentionSchedule::decode)));
  }
}

TEST_CASE("memory that cannot be is refused", "[attention][cli]") {
  is_refused("--arch gfx90a --kv-type fp8", "fp8 of K and V on gfx90a; legal: bf16 of the configuration");
  is_refused("--kv-type f32", "--kv-type: 'f32' is not available, legal: bf16 fp8 bf8");
  is_refused("--page-size -4", "pages of -4 keys; legal: 1 to");
  is_refused("--page-size 16 --schedule pipelined", "without biases, documents, dropout, pages and conversions of fp8");
  CHECK_THROWS_WITH(launch({.head_dim = 64, .page_size = 16}, Arch::gfx942, {.queries = 1, .keys = 100}, {}),
                    Catch::Contains("0 pages, 7 in a block table for 100 keys in pages of 16; legal: at least 7"));
  CHECK_THROWS_WITH(
      launch({.head_dim = 128, .page_size = 16}, Arch::gfx942, {.queries = 1, .keys = 100, .pages = 1 << 20}, {}),
      Catch::Contains("legal: less than 4 GiB together"));
}

}  // namespace wavesmith::attention_bench
