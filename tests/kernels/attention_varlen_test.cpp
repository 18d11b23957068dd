// Attention over packed sequences, and with V of another width than K, which concern only prologue and addresses.
#include "tests/kernels/attention_bench.h"
#include "tests/support/sampling.h"

namespace wavesmith::attention_bench {
using Lengths = std::vector<uint32_t>;

namespace {

const std::vector<std::pair<int, int>> widths = {{128, 128}, {64, 64}, {64, 128}, {128, 64}};

}  // namespace

TEST_CASE("values may be wider or narrower than keys", "[attention]") {
  const Type type = GENERATE(Type::bf16, Type::f16);
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950);
  const auto [dim, dim_v] = GENERATE(table<int, int>({{64, 128}, {128, 64}}));
  const AttentionConfig config{type, dim, dim_v};
  static uint32_t tried = 0;
  for (const auto& [queries, keys] : {std::pair(256u, 256u), {1u, 1u}, {300u, 33u}, {40u, 515u}}) {
    if (!in_sample(tried++)) continue;
    is_right({.config = config, .arch = arch, .problem = {.heads = 2, .queries = queries, .keys = keys}, .pad = 8});
    is_right({.config = config,
              .arch = arch,
              .problem = {.heads = 2, .queries = queries, .keys = keys, .mask = Mask::bottom_right}});
  }
  is_right({.config = config, .arch = arch, .problem = {.queries = 64, .keys = 400}, .rising = true});
}

TEST_CASE("sequences of any lengths are packed one after the other, none at all among them", "[attention]") {
  const Type type = GENERATE(Type::bf16, Type::f16);
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950);
  const auto [dim, dim_v] = GENERATE(from_range(widths));
  const Mask mask = GENERATE(Mask::none, Mask::top_left, Mask::bottom_right);
  static uint32_t number = 0;  // through all of them
  if (!in_sample(number++)) return;
  const Case c{.config = {type, dim, dim_v, Sequences::packed},
               .arch = arch,
               .problem = {.heads = 2, .kv_heads = 1, .mask = mask},
               .query_lengths = {1, 70, 0, 300, 33, 0, 64},
               .key_lengths = {129, 31, 5, 200, 0, 0, 515}};
  is_right(c);
}

TEST_CASE("packed sequences keep rows apart and heads in groups, and one of them alone is as good as many",
          "[attention]") {
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx950);
  const AttentionConfig config{Type::bf16, 64, 128, Sequences::packed};
  is_right({.config = config,
            .arch = arch,
            .problem = {.heads = 6, .kv_heads = 2, .mask = Mask::bottom_right},
            .pad = 16,
            .query_lengths = {37, 5},
            .key_lengths = {70, 3}});
  is_right({.config = config, .arch = arch, .problem = {}, .query_lengths = {300}, .key_lengths = {77}});
  is_right({.config = config, .arch = arch, .problem = {}, .query_lengths = {0, 9}, .key_lengths = {0, 64}});
  is_right({.config = config,
            .arch = arch,
            .problem = {},
            .rising = true,
            .query_lengths = {64, 64},
            .key_lengths = {200, 200}});
}

TEST_CASE("packing sequences costs the main loop nothing, and no LDS access but of O conflicts where widths differ",
          "[attention]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx950})
    for (const auto& [dim, dim_v] : widths) {
      const AttentionConfig equal{Type::bf16, dim, dim_v}, packed{Type::bf16, dim, dim_v, Sequences::packed};
      CAPTURE(isa::target(arch).name, kernel_name(packed));
      const Program p = build_attention(packed, arch);
      const LoopReport with = report(p), without = report(build_attention(equal, arch));
      CHECK(with.matrix_cycles == without.matrix_cycles);
      CHECK(with.other_instructions == without.other_instructions);
      CHECK(p.total_vgprs() <= 256);  // two waves a SIMD
      const Outcome o = run({.config = equal, .arch = arch, .problem = {.queries = 33, .keys = 160}});
      CHECK(o.result.lds_accesses > 0);
      CHECK(o.result.lds_conflict_cycles == conflicts_of_o(equal));
    }
}

TEST_CASE("packed problems that cannot be are refused with what is legal", "[attention]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(check({Type::f16, 64, 84}, Arch::gfx942),
                    Contains("head dimension 84 of V; legal: multiples of 8 from 16 to 512, the nearest 88"));
  CHECK_THROWS_WITH(launch({Type::f16, 64, 128}, Arch::gfx942, {.queries = 9, .keys = 9, .v = {0, 64, 64}}, {}),
                    Contains("row stride of V is 64") && Contains("128 to"));
  CHECK_THROWS_WITH(
      launch({Type::f16, 64, 64, Sequences::packed}, Arch::gfx942, {.queries = 9, .keys = 9, .total_queries = 8}, {}),
      Contains("8 queries in total, 9 in the longest"));
}

}  // namespace wavesmith::attention_bench
