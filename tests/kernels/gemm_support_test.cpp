// docs/reference/gemm_support.md lists what a GEMM takes on each target; WAVESMITH_UPDATE=1 writes it anew. And every
// target, type and transpose through the command line: it verifies, or is refused in one line.
#include <functional>
#include <map>

#include "isa_tables/names.h"
#include "isa_tables/opcodes.h"
#include "kernels/gemm/choose.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"
#include "tests/support/generated_page.h"
#include "tests/support/sampling.h"

namespace wavesmith {
namespace {

using isa::Type;
constexpr Type all_types[] = {Type::f64, Type::f32, Type::xf32, Type::f16, Type::bf16,
                              Type::fp8, Type::bf8, Type::i8,   Type::i4,  Type::i32};

std::string rows_of(Arch arch) {
  std::string out;
  for (const Type input : all_types) {
    std::string outputs, ops, mixed;
    const auto legal = [&](Type output, std::optional<Type> b) {
      return is_legal(
          {.input = input, .output = output, .trans_a = true, .block = {64, 64, block_k(input)}, .input_b = b}, arch);
    };
    for (const Type output : all_types)
      if (legal(output, {})) outputs += fmt::format("{}{}", outputs.empty() ? "" : ", ", isa::type_name(output));
    if (outputs.empty()) continue;
    for (const Type b : all_types)
      if (b != input && legal(Type::f32, b)) mixed += fmt::format(", B {}", isa::type_name(b));
    for (const isa::Opcode op : matrix_instructions({.input = input}, arch))
      ops += fmt::format("{}`{}`", ops.empty() ? "" : " ", isa::mnemonic(op, arch));
    std::string tile = "none";
    try {
      const GemmConfig c =
          choose_gemm(
              {.input = input, .output = outputs == "f64" ? Type::f64 : Type::f32, .trans_a = input == Type::i4}, arch)
              .config;
      tile = fmt::format("{}x{}x{} by {}x{}", c.block.m, c.block.n, c.block.k, c.waves_m, c.waves_n);
    } catch (const ConfigError&) {}
    out += fmt::format("| {}{} | {} | {} | {} |\n", isa::type_name(input), mixed, outputs, tile, ops);
  }
  return out;
}

// The parts of an epilogue, in the order in which they are applied.
std::string epilogue() {
  const auto shape = [](const EpiloguePartInfo& p) {
    return p.shape == PartShape::scalar    ? "one value"
           : p.shape == PartShape::rows    ? "M values"
           : p.shape == PartShape::columns ? "N values"
                                           : "M x N, `ld_residual`";
  };
  std::string out =
      "\n## Epilogue\n| `--epilogue` | kernel argument | values | sums of f64, D of i32 | |\n|---|---|---|---|---|\n";
  const auto rows = [&](auto&& uses) {
    for (const EpiloguePartInfo& p : epilogue_parts())
      if (uses(p.use))
        out += fmt::format("| `{}` | `{}` | {} of {} | {} | {} |\n", epilogue_of({p.part}).words().front(), p.name,
                           shape(p), p.of_results ? "D's type" : "f32", is_addition(p) ? "yes" : "no", p.meaning);
  };
  rows([](PartUse u) { return u <= PartUse::adds; });
  std::string names;
  for (const ActivationInfo& a : activations()) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", a.name);
  out += fmt::format("| {} | | | no | activation |\n", names);
  out += "| `clamp:LOW:HIGH` | | | no | bounds of what the activation gives |\n";
  out += "| `gated` | | | no | times the second half of the rows, of which op(A) and operands above have 2 M |\n";
  rows([](PartUse u) { return u > PartUse::adds; });
  for (const QuantisationInfo& q : quantisations())
    out +=
        fmt::format("| `{}` | `scales` | ceil(M / {}) x N of {} | no | D of fp8 or bf8 with a scale for {} rows{} |\n",
                    q.name, q.rows, q.e8m0 ? "E8M0" : "f32", q.rows, q.e8m0 ? "; not gfx942" : "");
  return out + "| `nosat` | | | no | D of fp8 or bf8 does not saturate |\n";
}
// The MX types, all in any pairing.
std::string scaled_rows(Arch arch) {
  GemmConfig c{.input = Type::fp8, .output = Type::f32, .trans_a = true};
  c.block_scales = BlockScales::plain;
  std::string ops;
  for (const isa::Opcode op : matrix_instructions(c, arch))
    ops += fmt::format("{}`{}`", ops.empty() ? "" : " ", isa::mnemonic(op, arch));
  if (ops.empty()) return {};
  std::string types, tiles;
  for (const Type t : {Type::fp8, Type::bf8, Type::fp6, Type::bf6, Type::fp4}) {
    const GemmConfig of =
        choose_gemm({.input = t, .output = Type::f32, .trans_a = true, .block_scales = BlockScales::plain}, arch)
            .config;
    const std::string tile =
        fmt::format("{}x{}x{} by {}x{}", of.block.m, of.block.n, of.block.k, of.waves_m, of.waves_n);
    types += fmt::format("{}mx{}", types.empty() ? "" : ", ", isa::type_name(t));
    if (tiles.find(tile) == tiles.npos) tiles += fmt::format("{}{}", tiles.empty() ? "" : ", ", tile);
  }
  return fmt::format("| {}, in any pairing, A transposed, B not | f16, bf16, f32 | {} | {} |\n", types, tiles, ops);
}

// f32 as three bf16.
std::string split_row(Arch arch) {
  const GemmConfig c = choose_gemm({.input = Type::f32, .output = Type::f32, .split_f32 = true}, arch).config;
  return fmt::format("| f32 as three bf16{} | f32, f16, bf16{} | {}x{}x{} by {}x{} | as bf16 |\n",
                     matrix_instructions({.input = Type::f32}, arch).empty() ? "" : ", `--f32-as bf16x3`",
                     isa::info(Opcode::v_cvt_pk_fp8_f32).on(arch) ? ", fp8, bf8" : "", c.block.m, c.block.n, c.block.k,
                     c.waves_m, c.waves_n);
}
// Scales of sums: of fp8 and bf8 in any pairing.
std::string sum_scaled_rows(Arch arch) {
  const SumScales rows{1, false}, blocks{128, false};
  GemmConfig c{.input = Type::fp8, .output = Type::f32, .trans_a = true, .block = {64, 64, 128}};
  c.sum_scales_a = rows, c.sum_scales_b = blocks;
  if (!is_legal(c, arch)) return {};
  std::string tiles;
  for (const auto& [a, b] : {std::pair(rows, blocks), {blocks, rows}}) {
    const GemmConfig of =
        choose_gemm({.input = Type::fp8, .output = Type::f32, .trans_a = true, .sum_scales_a = a, .sum_scales_b = b},
                    arch)
            .config;
    tiles += fmt::format("{}{}x{}x{} by {}x{}", tiles.empty() ? "" : ", ", of.block.m, of.block.n, of.block.k,
                         of.waves_m, of.waves_n);
  }
  return fmt::format(
      "| fp8, bf8, in any pairing, `--scale-a`, `--scale-b` in f32 of 1x128 or 128x128 | f32, f16, bf16, fp8, bf8 | {} "
      "| "
      "as fp8 |\n",
      tiles);
}

// The types that some tile of `of` takes on the target, each with its transposes unless these are all.
std::string types_of(Arch arch, const std::function<void(GemmConfig&)>& of) {
  const auto can = [&](GemmConfig c) {
    of(c);
    const int k = block_k(c.input);
    for (const auto& [tile, waves] : {std::pair(GemmTile{64, 64, k}, 2), {{64, 64, k}, 1}, {{128, 128, 2 * k}, 2}}) {
      GemmConfig one = c;
      one.block = tile, one.waves_m = one.waves_n = waves;
      if (is_legal(one, arch)) return true;
    }
    return false;
  };
  std::vector<std::pair<std::string, std::string>> by_transposes;
  for (const Type input : all_types) {
    std::string transposes;
    for (const bool a : {false, true})
      for (const bool b : {false, true})
        if (can({.input = input,
                 .output = input == Type::f64                       ? Type::f64
                           : input == Type::i8 || input == Type::i4 ? Type::i32
                                                                    : Type::f32,
                 .trans_a = a,
                 .trans_b = b}))
          transposes += fmt::format(" {}{}", a ? 't' : 'n', b ? 't' : 'n');
    if (transposes.empty()) continue;
    const auto known = std::ranges::find(by_transposes, transposes, [](const auto& x) { return x.second; });
    if (known == by_transposes.end()) by_transposes.emplace_back(isa::type_name(input), transposes);
    else known->first += fmt::format(" {}", isa::type_name(input));
  }
  std::string out;
  for (const auto& [types, transposes] : by_transposes)
    out += fmt::format("{}{}{}", out.empty() ? "" : "; ", types,
                       transposes == " nn nt tn tt" ? "" : fmt::format(" ({})", transposes.substr(1)));
  return out.empty() ? "-" : out;
}
// A table for the targets that agree, a row for each way.
std::string per_target(const std::string& title,
                       const std::vector<std::pair<std::string, std::function<void(GemmConfig&)>>>& ways) {
  std::vector<std::pair<std::vector<std::string>, std::string>> rows;  // cells, targets
  for (const auto& target : isa::all_targets()) {
    std::vector<std::string> cells;
    for (const auto& [name, of] : ways) cells.push_back(types_of(*isa::find_arch(target.name), of));
    const auto known = std::ranges::find(rows, cells, [](const auto& x) { return x.first; });
    if (known == rows.end()) rows.emplace_back(cells, target.name);
    else known->second += fmt::format(", {}", target.name);
  }
  std::string out = title;
  for (const auto& [cells, targets] : rows) {
    out += fmt::format("\n{}:\n\n| | types |\n|---|---|\n", targets);
    for (size_t i = 0; i < ways.size(); ++i) out += fmt::format("| {} | {} |\n", ways[i].first, cells[i]);
  }
  return out;
}
std::string schedules() {
  std::vector<std::pair<std::string, std::function<void(GemmConfig&)>>> ways;
  for (const GemmSchedule s : all_schedules)
    ways.emplace_back(fmt::format("`{}`", name_of(s)), [s](GemmConfig& c) { c.schedule = s; });
  return per_target(
      "\n## Schedules\nThe types that each [schedule](../guide/gemm.md) takes, with their transposes (of A and B, as "
      "`tn`) unless all are; D of the type of the sums, or f32.\n",
      ways);
}
std::string divisions() {
  const auto split = [](Reduction how, int round) {
    return [=](GemmConfig& c) { c.split_k = 2, c.reduction = how, c.stream_k = round; };
  };
  const auto groups = [](Ragged of) { return [=](GemmConfig& c) { c.ragged = of; }; };
  return per_target("\n## Parts of K, persistent workgroups and groups\nAs above, with the schedule `staged`.\n",
                    {{"`--split-k N --reduction atomic`", split(Reduction::atomic, 0)},
                     {"`--split-k N --reduction ordered`", split(Reduction::ordered, 0)},
                     {"`--stream-k N`", split(Reduction::ordered, 64)},
                     {"`--persistent N`", [](GemmConfig& c) { c.persistent = 64; }},
                     {"`--grouped m`", groups(Ragged::m)},
                     {"`--grouped n`", groups(Ragged::n)},
                     {"`--grouped k`", groups(Ragged::k)}});
}

std::string document() {
  std::map<std::string, std::string> targets;  // by their rows
  std::vector<std::string> order;
  for (const auto& target : isa::all_targets()) {
    const Arch arch = *isa::find_arch(target.name);
    const std::string rows = rows_of(arch) + split_row(arch) + sum_scaled_rows(arch) + scaled_rows(arch);
    if (!targets.contains(rows)) order.push_back(rows);
    std::string& names = targets[rows];
    names += fmt::format("{}{}", names.empty() ? "" : ", ", target.name);
  }
  std::string out =
      "# What a GEMM takes\n\nTypes of A (and of B, where it is not A's), of C and D; the tile and waves without a "
      "size, for operands "
      "as they are in BLAS\nwithout transposes; the matrix instructions, the default first. fp8 and bf8 are FNUZ on "
      "gfx942, OCP elsewhere. Every transpose "
      "and size\nis supported for every row, unless it says otherwise (mx types need K in multiples of 32; i4 is "
      "contiguous along k: A transposed, B not), and every "
      "part of an [epilogue](#epilogue) where the sums are not f64 or "
      "D is not "
      "i32. Generated: `WAVESMITH_UPDATE=1 build/wavesmith_tests \"what a GEMM "
      "takes*\"`.\n";
  for (const std::string& rows : order)
    out += fmt::format("\n## {}\n| A, B | C, D | default tile and waves | instructions |\n|---|---|---|---|\n{}",
                       targets[rows], rows);
  return out + schedules() + divisions() + epilogue();
}

}  // namespace

TEST_CASE("what a GEMM takes is listed in docs/reference/gemm_support.md", "[gemm][docs]") {
  check_page("gemm_support.md", document(), 30);
}

TEST_CASE("every target, type and transpose verifies by the command line or is refused in one line", "[gemm][cli]") {
  const std::string_view transposes[] = {"n n", "n t", "t n", "t t"};
  int right = 0, refused = 0;
  size_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const Type input : all_types) {
      const std::string_view t = transposes[next++ % 4];
      const std::string command =
          fmt::format("verify gemm --arch {} --a {} --transa {} --transb {} --tile 64x64x{} -m 33 -n 65 -k 70 --beta 2",
                      target.name, isa::type_name(input), t[0], t[2], block_k(input));
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      const bool can =
          is_legal({.input = input,
                    .output = input == Type::f64                       ? Type::f64
                              : input == Type::i8 || input == Type::i4 ? Type::i32
                                                                       : Type::f32,
                    .trans_a = t[0] == 't',
                    .trans_b = t[2] == 't',
                    .block = {64, 64, block_k(input)},
                    .split_f32 = input == Type::f32 &&
                                 matrix_instructions({.input = input}, *isa::find_arch(target.name)).empty()},
                   *isa::find_arch(target.name));
      CHECK(r.status == (can ? 0 : 2));
      if (can) CHECK_THAT(r.out, Catch::Contains("right"));
      else CHECK(std::ranges::count(r.err, '\n') == 1);
      (can ? right : refused) += 1;
    }
  CHECK(right >= 60);
  CHECK(refused >= 14);
}

TEST_CASE("every target x type x transpose x schedule verifies by the command line or is refused in one line",
          "[gemm][cli]") {
  std::vector<std::string> types;
  for (const Type t : all_types) types.emplace_back(isa::type_name(t));
  for (const char* more :
       {"fp8 --b bf8", "bf8 --b fp8", "mxfp8", "mxbf8", "mxfp6", "mxbf6", "mxfp4", "mxfp8 --b mxfp4", "f16 --b i4",
        "bf16 --b i4", "fp8 --scale-a 1x128 --scale-b 128x128", "fp8 --d fp8", "bf16 --d bf16", "i8 --d i8"})
    types.emplace_back(more);
  int right = 0, refused = 0;
  uint32_t number = 0;
  for (const auto& target : isa::all_targets())
    for (const std::string& type : types)
      for (const char* transposes : {"n --transb n", "n --transb t", "t --transb n", "t --transb t"})
        for (const char* schedule : {"", "staged", "interleaved", "direct", "refill", "stream", "tensor"}) {
          if (!in_sample(++number, 240)) continue;
          const std::string command =
              fmt::format("verify gemm --arch {} --a {} --transa {}{}{} -m 33 -n 72 -k 160", target.name, type,
                          transposes, *schedule ? " --schedule " : "", schedule);
          const clitest::Ran r = clitest::run_program(command);
          INFO(command << "\n" << r.out << r.err);
          if (r.status == 0) {
            CHECK_THAT(r.out, Catch::Contains("right"));
            ++right;
          } else {
            clitest::ends_with_line(r, 2, {"legal"});
            ++refused;
          }
        }
  CHECK(right >= 4);
  CHECK(refused >= 4);
}

}  // namespace wavesmith
