// docs/reference/attention_support.md lists what attention takes on each target; WAVESMITH_UPDATE=1 writes it anew. And
// every target, with a mask and the options in turn, through the command line.
#include <algorithm>
#include <map>
#include <ranges>

#include "isa_tables/names.h"
#include "tests/kernels/attention_bench.h"
#include "tests/support/command.h"
#include "tests/support/generated_page.h"

namespace wavesmith::attention_bench {
namespace {

bool builds(const AttentionConfig& c, Arch arch) {
  try {
    build_attention(c, arch, "", {.check = false});
    return true;
  } catch (const ConfigError&) { return false; }
}

std::string rows_of(Arch arch) {
  std::string largest, out;
  for (const auto& [dim, dim_v] : {std::pair(64, 64), {128, 128}, {192, 128}, {256, 256}, {512, 512}}) {
    const AttentionConfig c{.head_dim = dim, .head_dim_v = dim_v};
    std::string what = "too many registers";
    if (builds(c, arch)) {
      const Program p = build_attention(c, arch, "", {.check = false});
      what = fmt::format("{}, {} queries by {} waves, {} KiB of LDS, {} registers", name_of(schedule_of(c, arch)),
                         block_queries(c, arch), p.workgroup_size / isa::target(arch).wave_size, p.lds_bytes / 1024,
                         p.total_vgprs());
    }
    out += fmt::format("| {} / {} | {} |\n", dim, dim_v, what);
  }
  for (const int dim : {64, 128, 256}) {
    const AttentionConfig c{.head_dim = dim, .schedule = AttentionSchedule::decode};
    std::string what = "too many registers";
    if (builds(c, arch)) {
      const Program p = build_attention(c, arch, "", {.check = false});
      what = fmt::format("{} queries times heads, {} waves with their own keys, {} KiB of LDS, {} registers",
                         block_queries(c, arch), p.workgroup_size / isa::target(arch).wave_size, p.lds_bytes / 1024,
                         p.total_vgprs());
    }
    out += fmt::format("| {} / {}, decode | {} |\n", dim, dim, what);
  }
  AttentionConfig latent{.head_dim = 576, .head_dim_v = 512, .latent = true, .schedule = AttentionSchedule::decode};
  for (const int rows : {latent_rows_for(latent, arch, 1), 0}) {
    latent.latent_rows = rows;
    if (!builds(latent, arch)) continue;
    const Program p = build_attention(latent, arch, "", {.check = false});
    const std::string line = fmt::format(
        "| 576 / 512, decode, latent | {} queries times heads, {} waves that share the keys, {} KiB of "
        "LDS, {} registers |\n",
        block_queries(latent, arch), p.workgroup_size / isa::target(arch).wave_size, p.lds_bytes / 1024,
        p.total_vgprs());
    if (!out.ends_with(line)) out += line;
  }
  const auto eighths = std::views::iota(2, 65);
  const auto first = std::ranges::partition_point(eighths, [&](int i) { return builds({.head_dim = 8 * i}, arch); });
  largest = fmt::format("| largest of both | {} |\n", 8 * (*first - 1));
  std::string types;
  const auto add = [&](const char* name, const AttentionConfig& c) {
    if (builds(c, arch)) types += fmt::format("{}{}", types.empty() ? "" : "; ", name);
  };
  using isa::Type;
  add("Q, K and V in fp8 or bf8 in memory", {.head_dim = 64, .kv_type = Type::fp8, .q_type = Type::bf8});
  add("fp8", {.head_dim = 64, .kv_type = Type::fp8, .q_type = Type::fp8, .fp8_products = true});
  add("mxfp8, mxbf8, mxfp4", {.head_dim = 64,
                              .kv_type = Type::fp8,
                              .q_type = Type::fp4,
                              .fp8_products = true,
                              .mx = MxTypes{Type::fp4, Type::fp8}});
  if (!types.empty()) largest += fmt::format("| further types | {} |\n", types);
  return out + largest;
}

std::string document() {
  std::map<std::string, std::string> targets;  // by their rows
  std::vector<std::string> order;
  for (const auto& target : isa::all_targets()) {
    const std::string rows = rows_of(*isa::find_arch(target.name));
    if (!targets.contains(rows)) order.push_back(rows);
    std::string& names = targets[rows];
    names += fmt::format("{}{}", names.empty() ? "" : ", ", target.name);
  }
  std::string out =
      "# What attention takes\n\nEvery target takes f16 and bf16, head dimensions of any multiples of 8 from 16 to "
      "512, V's own among them, as far as\nregisters suffice; all masks, grouped heads, strides, packed sequences and "
      "the "
      "log-sum-exp. Below: schedule and\nworkgroup by head dimensions (of Q and K / of V), for bf16. Generated: "
      "`WAVESMITH_UPDATE=1 build/wavesmith_tests \"what attention takes*\"`.\n";
  for (const std::string& rows : order)
    out += fmt::format("\n## {}\n| head dimensions | kernel |\n|---|---|\n{}", targets[rows], rows);
  return out;
}

}  // namespace

TEST_CASE("what attention takes is listed in docs/reference/attention_support.md", "[attention][docs]") {
  check_page("attention_support.md", document(), 30);
}

TEST_CASE("attention verifies on every target by the command line, with each option in turn", "[attention][cli]") {
  const std::string options[] = {"--causal --lse --h 2 --sq 35 --sk 70",
                                 "--varlen --lse --h 4 --hkv 2 --sq 20,0,1 --sk 33,5,0 --mask t",
                                 "--schedule sequential --head-dim 72 --head-dim-v 40 --sq 3 --sk 50 --init special",
                                 "--head-dim 24 --b 2 --h 3 --hkv 1 --sq 1 --sk 1 --lse --heads-in-turn 4"};
  size_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const char* type : {"f16", "bf16"}) {
      const std::string command =
          fmt::format("verify attention --arch {} --type {} {}", target.name, type, options[next++ % 4]);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

}  // namespace wavesmith::attention_bench
