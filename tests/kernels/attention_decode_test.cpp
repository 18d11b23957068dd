// Schedule decode: few queries, whose heads share a tile, and keys that waves and workgroups share. Every launch with a
// workspace is made twice with the same one (attention_bench.h): the second has the same bits.
#include "isa_tables/names.h"
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::attention_bench {
namespace {

const std::vector<Arch> decode_targets = {Arch::gfx908,  Arch::gfx90a,  Arch::gfx942,  Arch::gfx950,
                                          Arch::gfx1100, Arch::gfx1150, Arch::gfx1201, Arch::gfx1250};
AttentionConfig decode(int dim, Type type = Type::bf16, Sequences s = Sequences::equal) {
  return {.type = type, .head_dim = dim, .sequences = s, .schedule = AttentionSchedule::decode};
}

}  // namespace

TEST_CASE("decode is right for any heads of a K/V head, queries, lengths and splits", "[attention]") {
  const Arch arch = GENERATE(from_range(decode_targets));
  const Type type = GENERATE(Type::f16, Type::bf16);
  static uint32_t tried = 0;
  for (const uint32_t splits : {0u, 1u, 3u}) {
    if (!in_sample(tried++)) continue;
    is_right({.config = decode(64, type),
              .arch = arch,
              .problem = {.batch = 2, .heads = 14, .kv_heads = 2, .queries = 1, .keys = 389, .splits = splits},
              .pad = 8});
    is_right({.config = decode(80, type),
              .arch = arch,
              .problem = {.heads = 12, .queries = 5, .keys = 70, .mask = Mask::bottom_right, .splits = splits}});
  }
  is_right({.config = decode(64, type),
            .arch = arch,
            .problem = {.heads = 9, .queries = 8, .keys = 130, .mask = Mask::top_left, .splits = 2},
            .pad = 8,
            .by_head = true});
  is_right({.config = decode(64, type),
            .arch = arch,
            .problem = {.heads = 2, .queries = 3, .keys = 500, .splits = 2},
            .rising = true});
}

// A tile of K of 16 columns is one load of each lane.
TEST_CASE("decode takes the narrowest K beside narrow and wide V", "[attention]") {
  const Arch arch = GENERATE(from_range(decode_targets));
  for (const int dim_v : {16, 128}) {
    AttentionConfig c = decode(16);
    c.head_dim_v = dim_v;
    is_right({.config = c, .arch = arch, .problem = {.heads = 3, .queries = 2, .keys = 70, .splits = 2}});
  }
}

TEST_CASE("decode takes sequences of their own lengths, without queries or keys among them", "[attention]") {
  const Arch arch = GENERATE(Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201);
  for (const uint32_t splits : {1u, 4u})
    is_right({.config = decode(64, Type::bf16, Sequences::packed),
              .arch = arch,
              .problem = {.heads = 8, .kv_heads = 2, .mask = Mask::bottom_right, .splits = splits},
              .pad = 8,
              .query_lengths = {1, 0, 2, 8, 1, 3},
              .key_lengths = {300, 77, 1, 5, 0, 129}});
}

TEST_CASE("decode chooses splits that keep the compute units busy, the same ones each time", "[attention]") {
  const AttentionConfig c = decode(128);
  const AttentionProblem one{.heads = 64, .kv_heads = 8, .queries = 1, .keys = 131072};
  const auto splits = [&](AttentionProblem p, Arch arch = Arch::gfx942) { return launch(c, arch, p, {})[0].grid[1]; };
  CHECK(8 * splits(one) >= 304 / 2);
  CHECK(8 * splits(one) <= 304);
  AttentionProblem smaller = one;
  smaller.compute_units = 38;
  CHECK(8 * splits(smaller) >= 38 / 2);
  CHECK(8 * splits(smaller) <= 4 * 38);
  AttentionProblem huge = one;
  huge.compute_units = 1u << 31;  // times two workgroups each: beyond 32 bits
  CHECK(splits(huge, Arch::gfx1100) >= splits(one, Arch::gfx1100));
  AttentionProblem many = one;
  many.batch = 512, many.keys = 4096;  // more heads than compute units
  CHECK(splits(many) <= 2);
  AttentionProblem few = one;
  few.keys = 100;
  CHECK(splits(few) == 1);
  CHECK(workspace_bytes(c, Arch::gfx942, few) == 0);
  CHECK(workspace_bytes(c, Arch::gfx942, one) >= uint64_t{8} * splits(one) * 32 * 128 * 4);
}

TEST_CASE("decode's splits are as fast as others near them, on the timing model", "[attention][time][cli]") {
  const auto seconds = [](uint32_t splits) {
    const auto timed = clitest::run_json(
        fmt::format("time attention --gpu \"RX 7900 XTX\" --h 64 --hkv 8 --sq 1 --sk 4096 --splits {}", splits));
    return timed["seconds"].template get<double>();
  };
  const double chosen = seconds(0);
  for (const uint32_t splits : {6u, 8u, 16u}) {
    CAPTURE(splits);
    CHECK(chosen < 1.02 * seconds(splits));
  }
}

// 32 tiles of keys, 4 and 5 times 4 waves: with two tiles for each of the first 16, a fifth split would have none, and
// would combine the results before they are there.
TEST_CASE("the splits of a decode have about as many keys each", "[attention][time][cli]") {
  const auto seconds = [](int splits) {
    const auto timed = clitest::run_json(
        fmt::format("time attention --gpu MI300X --h 8 --hkv 1 --sq 1 --sk 1024 --splits {}", splits));
    return timed["seconds"].template get<double>();
  };
  CHECK(seconds(5) > 0.95 * seconds(4));
}

// Numbers of heads of K and V that are no multiple of the XCDs', and several tiles of rows on every target.
TEST_CASE("a decode of several tiles of rows is right, and memory has its keys once", "[attention][time][cli]") {
  uint32_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const char* problem :
         {"--h 24 --hkv 3 --sq 8 --sk 200 --b 3 --causal", "--h 24 --hkv 3 --sq 7 --sk 333 --b 2 --splits 3 --lse",
          "--h 40 --hkv 2 --varlen --sq 8,0,3 --sk 99,5,300 --causal --splits 2",
          "--h 64 --hkv 1 --sq 8 --sk 130 --page-size 16"})
      if (in_sample(next++)) {
        const clitest::Ran r =
            clitest::run_program(fmt::format("verify attention --arch {} --schedule decode {}", target.name, problem));
        INFO(target.name << " " << problem << "\n" << r.out << r.err);
        CHECK(r.status == 0);
        CHECK_THAT(r.out, Catch::Contains("right"));
      }
  // Two tiles of rows; four, which share a smaller L2.
  for (const auto& [gpu, most] : {std::pair("MI300X", 1.3), {"RX 7900 XTX", 2.5}}) {
    const auto bytes = [&, gpu = gpu](int queries) {
      const auto timed = clitest::run_json(
          fmt::format("time attention --gpu '{}' --h 64 --hkv 8 --sq {} --sk 4096 --b 16", gpu, queries));
      return timed["bytes"]["memory"].template get<double>() + timed["bytes"]["mall"].template get<double>();
    };
    CAPTURE(gpu);
    CHECK(bytes(8) < most * bytes(1));
  }
}

TEST_CASE("splits that cannot be are refused", "[attention]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(launch({.head_dim = 64}, Arch::gfx942, {.queries = 1, .keys = 1, .splits = 2}, {}),
                    Contains("2 splits in schedule pipelined; legal: decode"));
  CHECK_THROWS_WITH(launch(decode(64), Arch::gfx942, {.queries = 1, .keys = 1, .splits = 513}, {}),
                    Contains("513 splits; legal: 1 to 512"));
  CHECK_THROWS_WITH(launch(decode(64), Arch::gfx942, {.heads = 64, .queries = 512, .keys = 1}, {}),
                    Contains("legal: less than 32768 together"));
}

TEST_CASE("verify chooses decode for up to eight queries", "[attention][cli]") {
  for (const char* options :
       {"--sq 1 --sk 300 --h 8 --hkv 2 --lse", "--sq 8 --sk 65 --splits 2 --causal --alibi --h 3"})
    for (const char* arch : {"gfx942", "gfx1201"}) {
      const clitest::Ran r = clitest::run_program(fmt::format("verify attention --arch {} {}", arch, options));
      INFO(r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right") && Catch::Contains("decode"));
    }
}

TEST_CASE("decode takes 128 columns on every target, and --explain says where it does not fit", "[attention][cli]") {
  for (const auto& target : isa::all_targets()) {
    const AttentionConfig c{.head_dim = 128, .schedule = AttentionSchedule::decode};
    CAPTURE(target.name);
    CHECK_NOTHROW(build_attention(c, *isa::find_arch(target.name)));
  }
  const auto explained = [](const char* arch, int head_dim) {
    return clitest::run_program(fmt::format("verify attention --arch {} --h 4 --hkv 2 --sq 1 --sk 70 --explain "
                                            "--head-dim {}",
                                            arch, head_dim))
        .out;
  };
  CHECK_THAT(explained("gfx1201", 128), Catch::Contains("decode: up to eight queries"));
  CHECK_THAT(explained("gfx1201", 200), Catch::Contains("sequential: decode is refused"));
  CHECK_THAT(explained("gfx1250", 256), Catch::Contains("decode: up to eight queries") && Catch::Contains("right"));
}

}  // namespace wavesmith::attention_bench
