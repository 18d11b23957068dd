// `wavesmith plan` as scripts meet it: the case file of compilers' own tests through --cases, the report, JSON, and
// refusals.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "isa_tables/isa.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"

using namespace clitest;
using Catch::Contains;

namespace {

Ran plan_(const std::string& arguments, const std::string& file = {}) {  // `file`: contents of FILE in the arguments
  const Directory d;
  std::ofstream(d / "file") << file;
  return run_program("plan " + std::regex_replace(arguments, std::regex("FILE"), d / "file"));
}

void plan_refuses(const std::string& arguments, std::initializer_list<const char*> parts,
                  const std::string& file = {}) {
  const Ran r = plan_(arguments, file);
  INFO("wavesmith plan " << arguments << "\n" << r.err);
  ends_with_line(r, 2, parts);
}

std::string squeezed(std::string s) {
  s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
  return s;
}

// What a free-text statement about casts claims, operand by operand: conversions, operations, kWidths.
std::vector<std::string> claims(const std::string& text) {
  std::vector<std::string> out;
  const std::regex fact(
      R"(\w+->\w+|sitofp|fptosi|fp_to_fp|extui|shli 7|bitcast|broadcast x32|kept i8|scaled_upcast_fp\d|select|kWidth \d+)");
  for (auto i = std::sregex_iterator(text.begin(), text.end(), fact); i != std::sregex_iterator(); ++i)
    out.push_back(i->str());
  return out;
}

// Statements in other words than ours. Each is a fact about the plan, not about the wording.
const std::map<std::string, std::string> other_words{
    {"T035", "constant 127 (1.0 in E8M0), i8 [128x4]"},
    {"T038", "constant 127 (1.0 in E8M0), i8 [128x4]"},
    {"T040", "becomes a dot_scaled without scales: formats 1 (cbsz) and 1"},
    {"T042", "B: packed along N; staged in swizzled LDS (vec=16 perPhase=4 maxPhase=4 order=[1,0])"},
    {"T044", "A: packed along M; staged in swizzled LDS (vec=16 perPhase=4 maxPhase=4 order=[0,1])"},
    {"T045", "v_mfma_f32_16x16x32_bf8_bf8"},
    {"T048", "v_mfma_f32_32x32x16_bf16"},
    {"T050", "v_mfma_f32_32x32x16_bf16"}};

}  // namespace

TEST_CASE("every case that compilers' tests state is planned as stated", "[plan][cli]") {
  const auto stated = csv::facts("planner_cases.csv");
  const Ran r = plan_("--cases FILE", text(std::string(WAVESMITH_SOURCE) + "/tests/facts/planner_cases.csv"));
  CHECK(r.err == "");
  REQUIRE(r.status == 0);
  const Directory d;
  std::ofstream(d / "ours.csv") << r.out;
  const auto ours = csv::read(d / "ours.csv");
  REQUIRE(ours.size() == stated.size());
  for (size_t i = 0; i < stated.size(); ++i) {
    const auto& want = stated[i];
    const auto& got = ours[i];
    REQUIRE(got.at("id") == want.at("id"));
    for (const char* column : {"version", "instr_shape", "is_transposed", "warps_per_cta", "tiles_per_warp", "kwidth_a",
                               "kwidth_b", "scale_layout_a", "scale_layout_b", "remarks"}) {
      const std::string& value = want.at(std::string("exp_") + column);
      if (value.empty()) continue;
      INFO(want.at("id") << " " << column);
      CHECK(squeezed(got.at(column)) == squeezed(value));
    }
    INFO(want.at("id"));
    // One decision, two words: "vdot" is how tests that look at the machine code call what the pass tests call an
    // untouched fma.
    const bool vdot = want.at("exp_kind") == "vdot";
    CHECK(got.at("kind") == (vdot ? "fma" : want.at("exp_kind")));
    if (vdot) CHECK_THAT(got.at("subkind"), Contains("V_DOT form: f16 x f16 -> f32"));
    else if (want.at("exp_subkind") != "not mfma" && !want.at("exp_subkind").empty())
      CHECK(got.at("subkind") == want.at("exp_subkind"));
    const std::string& casts = want.at("exp_casts");
    if (casts.starts_with("none")) CHECK(got.at("casts") == "none");
    for (const auto& claim : claims(casts)) {
      if (casts.starts_with("none")) break;  // "none (no fp_to_fp)"
      if (claim == "select" && casts.find("no NaN select") != std::string::npos)
        CHECK_THAT(got.at("casts"), Contains("no NaN select"));
      else CHECK_THAT(got.at("casts"), Contains(claim));
    }
    const std::string& other = want.at("exp_other");
    if (other.starts_with("ISA contains v_mfma")) CHECK_THAT(got.at("other"), Contains("v_mfma_f32_4x4"));
    // The vector unit's dot instruction is named once the instruction table has its row.
    if (other.starts_with("ISA contains v_dot2c") && wavesmith::isa::find_opcode("v_dot2c_f32_f16"))
      CHECK_THAT(got.at("other"), Contains("v_dot2c_f32_f16"));
    if (const auto words = other_words.find(want.at("id")); words != other_words.end())
      CHECK_THAT(got.at("other"), Contains(words->second));
  }
}

TEST_CASE("a plan is printed with the rule of each decision", "[plan][cli]") {
  const Ran r = plan_("--arch gfx942 --m 128 --n 256 --k 64 --a f16 --b f16");
  CHECK(r.err == "");
  REQUIRE(r.status == 0);
  for (const char* part :
       {"mfma, regular", "v_mfma_f32_32x32x8_f16", "MFMA tile, min(M,N) >= 32 (planner 4)", "(planner 6.4)", "kWidth"})
    CHECK_THAT(r.out, Contains(part));
  const Ran j = plan_(
      "--arch gfx950 --m 128 --n 128 --k 256 --scaled mxfp4 --nonkdim 16 --scale-a shuffled16 --scale-b shuffled16 "
      "--waves 8 --json");
  REQUIRE(j.status == 0);
  const auto document = nlohmann::json::parse(j.out);
  CHECK(document["instruction"] == "v_mfma_scale_f32_16x16x128_f8f6f4");
  CHECK(document["tiles_per_warp"] == std::vector{2, 2});
  CHECK_FALSE(document["decisions"].empty());
}

TEST_CASE("the role of a dot can be read from a dataflow graph", "[plan][cli]") {
  const char* graph = "s = dot(q, k)\np = softmax(s)\no = dot(p, v, acc)\n";
  const Ran r = plan_("--arch gfx950 --m 128 --n 128 --k 128 --a bf16 --b bf16 --graph FILE --dot o --json", graph);
  REQUIRE(r.status == 0);
  CHECK(nlohmann::json::parse(r.out)["kwidth_a"] == 4);
  plan_refuses("--m 1 --n 1 --k 1 --a f16 --b f16 --graph FILE --dot z", {"'z'", "legal: s o"}, graph);
}

TEST_CASE("advice around the plan comes with its reasons", "[plan][cli]") {
  const Ran r = plan_("--m 256 --n 256 --k 64 --a f16 --b f16 --kernel gemm --cus 304 --problem 4096x4096");
  REQUIRE(r.status == 0);
  for (const char* part : {"stages", "BLOCK_K", "block 256x256", "84.2 %", "96.2 %", "recommended"})
    CHECK_THAT(r.out, Contains(part));
}

TEST_CASE("plan refuses bad input in one line that says what would be legal", "[plan][cli]") {
  plan_refuses("--arch gfx941 --m 16 --n 16 --k 16 --a f16 --b f16", {"'gfx941'", "gfx942"});
  plan_refuses("--m 16 --n 16 --k 16 --a f17 --b f16", {"'f17'", "bf16"});
  plan_refuses("--m 16 --n 16 --a f16 --b f16", {"--k"});
  plan_refuses("--m 16 --n 16 --k 16 --a f16 --b f16 --role head-of-state", {"--role", "chain-head"});
  plan_refuses("--m 16 --n 16 --k 16 --a f16 --b f16 --waves 3", {"waves 3", "power of two"});
  plan_refuses("--m 16 --n 16 --k 16 --a f16 --b f16 --nonkdim 4", {"nonkdim 4", "16, 32"});
  plan_refuses("--m 16 --n 16 --k 100 --a mxfp8 --b mxfp8", {"100", "multiple of 32"});
  plan_refuses("--m 16 --n 16 --k 64 --a mxfp4 --b f32", {"f32", "legal"});
  plan_refuses("--cases FILE", {"no column arch"}, "id,M\nx,4\n");
  plan_refuses("--cases FILE", {"case x", "'gfx1'"}, "id,arch,M,N,K,a_type,b_type\nx,gfx1,4,4,4,f16,f16\n");
  plan_refuses("--cases FILE", {"case y", "M"}, "id,arch,M,N,K,a_type,b_type\ny,gfx942,four,4,4,f16,f16\n");
  plan_refuses("--cases /nowhere", {"/nowhere"});
}
