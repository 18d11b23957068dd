// What a GEMM request leaves open is chosen by the planner, alike for library and command line; the explanation says
// where the kernel departs from a rule.
#include <nlohmann/json.hpp>

#include "isa_tables/names.h"
#include "kernels/gemm/choose.h"
#include "kernels/plan/plan.h"
#include "kernels/plan/recommend.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith {
namespace {

using Catch::Contains;
using isa::Type;

const Choice& choice_of(const GemmChoice& g, std::string_view what) {
  return *std::ranges::find(g.choices, what, &Choice::what);
}
std::vector<GemmRequest> requests() {
  std::vector<GemmRequest> all;
  for (const Type input : {Type::f16, Type::bf16})
    for (const Type output : {Type::f16, Type::f32})
      for (const bool ta : {false, true})
        for (const bool tb : {false, true})
          all.push_back({.input = input, .output = output, .trans_a = ta, .trans_b = tb});
  return all;
}
std::string words(const GemmRequest& r, const char* target) {
  return fmt::format("gemm --no-check --explain --json --arch {} --a {} --d {} --transa {} --transb {}", target,
                     isa::type_name(r.input), isa::type_name(r.output), r.trans_a ? 't' : 'n', r.trans_b ? 't' : 'n');
}

}  // namespace

TEST_CASE("library and command line choose the same for every target, type and transpose", "[gemm][choose][cli]") {
  uint32_t number = 0;
  for (const auto& target : isa::all_targets())
    for (const GemmRequest& r : requests()) {
      if ((r.output != r.input && r.output != Type::f32) || !in_sample(number++)) continue;
      const clitest::Ran ran = clitest::run_program(words(r, target.name));
      INFO(words(r, target.name) << "\n" << ran.err);
      try {
        const GemmChoice ours = choose_gemm(r, *isa::find_arch(target.name));
        REQUIRE(ran.status == 0);
        const auto said = nlohmann::json::parse(ran.out);
        REQUIRE(said["choices"].size() == ours.choices.size());
        for (size_t i = 0; i < ours.choices.size(); ++i) {
          CHECK(said["choices"][i]["what"] == ours.choices[i].what);
          CHECK(said["choices"][i]["value"] == ours.choices[i].value);
          CHECK(said["choices"][i]["why"] == ours.choices[i].why);
        }
        CHECK(said["kernel"] == kernel_name(ours.config));
      } catch (const ConfigError& e) {
        CHECK(ran.status == 2);
        CHECK_THAT(ran.err, Contains(e.what()));
      }
    }
}

TEST_CASE("the planner's instruction for the tile's dot is the first that a GEMM can be built from", "[gemm][choose]") {
  int chosen = 0;
  for (const auto& target : isa::all_targets())
    for (const GemmRequest& r : requests()) {
      const Arch arch = *isa::find_arch(target.name);
      const auto legal = matrix_instructions({.input = r.input}, arch);
      if (legal.empty()) continue;
      ++chosen;
      const GemmConfig c = choose_gemm(r, arch).config;
      plan::Problem p{.arch = arch, .shape = {c.block.m, c.block.n, c.block.k}};
      p.a.type = p.b.type = plan::elem(r.input, plan::traits(arch));
      const plan::Plan planned = plan::plan(p);
      INFO(target.name << " " << isa::type_name(r.input));
      REQUIRE(planned.instruction);
      CHECK(plan::opcode(*planned.instruction) == legal.front());
      CHECK_FALSE(c.mma);  // the kernel's name does not change
    }
  CHECK(chosen == static_cast<int>(isa::all_targets().size() * requests().size()));
}

TEST_CASE("candidates have one order, in which alternatives of a key have the larger K first", "[plan][choose]") {
  for (const auto& target : isa::all_targets()) {
    const Arch arch = *isa::find_arch(target.name);
    for (const plan::InstructionCandidate& c : plan::candidates(arch)) {
      const auto list = plan::alternatives(arch, {c.m, c.n, c.a, c.b, c.d, c.scale_block});
      INFO(target.name << " " << plan::mnemonic(c, arch));
      CHECK(std::ranges::is_sorted(list, std::greater{}, &plan::InstructionCandidate::k));
    }
  }
}

TEST_CASE("without a size, a GEMM's tile is the largest that LDS and waves hold", "[gemm][choose]") {
  const auto block = [](GemmRequest r, Arch arch) { return choice_of(choose_gemm(r, arch), "tile").value; };
  CHECK(block({}, Arch::gfx942) == "256x256x64");
  CHECK(block({.stages = 3}, Arch::gfx942) == "128x128x64");
  CHECK(block({.stages = 3}, Arch::gfx950) == "256x256x64");  // 160 KiB
  CHECK_THROWS_WITH(choose_gemm({.waves = {{3, 1}}}, Arch::gfx942), Contains("3x1 waves; legal:"));
  for (const auto& [arch, tile] : {std::pair(Arch::gfx1100, "128x128x64"),
                                   {Arch::gfx1201, "128x128x64"},
                                   {Arch::gfx1250, "256x128x64"}}) {  // up to 1024 VGPRs per wave
    CHECK(block({}, arch) == tile);
    CHECK(choice_of(choose_gemm({}, arch), "waves").value == "4x2");  // eight waves: four have too few registers
  }
  CHECK(block({.input = Type::i8, .output = Type::i32}, Arch::gfx942) == "256x256x128");
  CHECK(block({.input = Type::f64, .output = Type::f64}, Arch::gfx90a) == "256x128x16");
}

TEST_CASE("a size and a number of CUs choose the tile by utilisation, among those that are legal", "[gemm][choose]") {
  for (const auto& [m, n, cus] : {std::tuple(4096, 4096, 304), {512, 512, 304}, {256, 8192, 80}, {100, 100, 304}}) {
    const GemmConfig c = choose_gemm({.grid = GemmGrid{m, n, cus}}, Arch::gfx942).config;
    const auto used = [&](int bm, int bn) { return plan::utilisation(m, n, {bm, bn}, cus).used; };
    const double ours = used(c.block.m, c.block.n);
    INFO(m << "x" << n << " on " << cus << ": " << c.block.m << "x" << c.block.n);
    CHECK_NOTHROW(check(c, Arch::gfx942));
    std::vector<plan::BlockSize> legal;
    for (const plan::BlockSize b : plan::usual_blocks())
      for (const auto& [bm, bn] : {std::pair(b.m, b.n), {b.n, b.m}})
        if (std::min(bm, bn) >= 32 && std::max(bm, bn) <= 256) legal.push_back({bm, bn});
    double best = 0;
    for (const auto& b : legal) best = std::max(best, used(b.m, b.n));
    CHECK(ours >= 0.95 * best);
    for (const auto& b : legal)  // a larger one would have been taken
      if (b.m * b.n > c.block.m * c.block.n) CHECK(used(b.m, b.n) < 0.95 * best);
  }
  const GemmChoice g = choose_gemm({.grid = GemmGrid{4096, 4096, 304}}, Arch::gfx942);
  CHECK(choice_of(g, "tile").value == "128x64x64");
  CHECK_THAT(choice_of(g, "tile").why, Contains("2048 workgroups in 7 rounds of 304 CUs") && Contains("4096x4096"));
}

TEST_CASE("an explanation says where the kernel departs from the guides", "[gemm][choose]") {
  const auto why = [](const char* what, Arch arch, GemmRequest r = {}) {
    return choice_of(choose_gemm(r, arch), what).why;
  };
  CHECK_THAT(why("instruction", Arch::gfx942),
             Contains("non-K dimension 16") && Contains("reads LDS more often") && Contains("planner 4"));
  CHECK_THAT(why("stages", Arch::gfx942), Contains(plan::stages(plan::KernelKind::gemm).reason));
  CHECK_THAT(why("tile", Arch::gfx942), Contains("K 64 as the guides advise"));
  CHECK_THAT(why("tile", Arch::gfx950), Contains("K 64 is the kernel's, the guides advise 128"));
  const GemmRequest upright{.block = GemmTile{64, 128, 64}};
  CHECK_THAT(why("waves", Arch::gfx942, upright), Contains("1x4, the planner's order (planner 6.4), reads as much"));
}

TEST_CASE("gemm, verify and time take a number of CUs and the size of D", "[gemm][choose][cli]") {
  const auto tile = [](const std::string& command) {
    const clitest::Ran r = clitest::run_program(command);
    INFO(command << r.err);
    REQUIRE(r.status == 0);
    auto j = nlohmann::json::parse(r.out);
    for (const auto& c : j["choices"])  // time has none
      if (c["what"] == "tile") return c["value"].get<std::string>();
    return j["kernel"].get<std::string>();
  };
  CHECK(tile("gemm --no-check --explain --json --cus 304 --problem 4096x4096") == "128x64x64");
  CHECK(tile("gemm --no-check --explain --json") == "256x256x64");
  CHECK(tile("verify gemm --explain --json -m 70 -n 67 -k 65 --cus 304") == "32x32x64");
  CHECK_THAT(tile("time gemm -m 70 -n 67 -k 65 --cus 304 --gpu mi300x --json"), Contains("32x32x64"));
  clitest::refuses("gemm --cus 304", {"--cus", "legal: --problem MxN"});
  clitest::refuses("gemm --problem 64x64", {"--problem", "legal: --cus N"});
  clitest::refuses("gemm --cus 304 --problem 64", {"'64' is not a size", "MxN"});
}

TEST_CASE("plan --kernel gemm says what gemm takes, or why there is none", "[plan][choose][cli]") {
  const auto said = [](const std::string& arguments) {
    const clitest::Ran r = clitest::run_program("plan --kernel gemm --json " + arguments);
    INFO(r.err);
    REQUIRE(r.status == 0);
    std::map<std::string, std::pair<std::string, std::string>> out;
    const auto j = nlohmann::json::parse(r.out);
    for (const auto& a : j["advice"])
      out[a["what"].get<std::string>()] = {a["value"].get<std::string>(), a["reason"].get<std::string>()};
    return out;
  };
  auto lines = said("--m 128 --n 128 --k 64 --a f16 --b f16");
  for (const Choice& c : choose_gemm({.output = Type::f32, .block = GemmTile{128, 128, 64}}, Arch::gfx942).choices)
    CHECK(lines["gemm: " + c.what] == std::pair(c.value, c.why));
  CHECK(said("--m 128 --n 128 --k 64 --a f16 --b f16 --cus 304 --problem 4096x4096")["gemm: tile"].first ==
        "128x64x64");
  CHECK_THAT(said("--m 24 --n 32 --k 64 --a f16 --b f16")["gemm"].second, Contains("nearest: m "));
  CHECK_THAT(said("--m 64 --n 64 --k 32 --a fp8 --b fp8")["gemm"].second,
             Contains("k is 32; legal: 64 128 256 of fp8"));
  CHECK(said("--arch gfx1100 --m 64 --n 64 --k 64 --a f16 --b f16")["gemm: instruction"].first ==
        "v_wmma_f32_16x16x16_f16");
  CHECK_THAT(said("--arch gfx1100 --m 64 --n 64 --k 32 --a f64 --b f64")["gemm"].second,
             Contains("f32 with A of f64 on gfx1100; legal: f64"));
}

TEST_CASE("advice for a GEMM never adds up to more LDS than there is", "[plan][choose]") {
  for (const auto& target : isa::all_targets())
    for (const plan::Elem e : {plan::Elem::f32, plan::Elem::f16, plan::Elem::f8e4m3, plan::Elem::f4e2m1})
      for (const plan::BlockSize b : plan::usual_blocks()) {
        const Arch arch = *isa::find_arch(target.name);
        const int k = plan::block_k(e, arch, b, plan::stages(plan::KernelKind::gemm).most).practical;
        const int row = k + plan::lds_padding(e, arch, b, k).value;
        INFO(target.name << " " << b.m << "x" << b.n << " " << plan::name(e));
        CHECK((b.m + b.n) * row * plan::bits(e) / 8 <= target.lds_bytes);
      }
  CHECK_THAT(plan::lds_padding(plan::Elem::f16, Arch::gfx942, {256, 256}, 64).reason, Contains("swizzle"));
}

}  // namespace wavesmith
