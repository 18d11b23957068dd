// wavesmith isa and wavesmith occupancy as scripts see them, and their peak rates against published ones.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <nlohmann/json.hpp>

#include "isa_tables/timing/peaks.h"
#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/simulator_kernel.h"

namespace {

using namespace wavesmith;
using namespace clitest;
using Catch::Contains;

}  // namespace

TEST_CASE("isa shows one instruction with its rate, hazards and targets", "[isa_tool]") {
  const Ran r = run_program("isa --arch gfx942 v_mfma_f32_32x32x8_f16 --json");
  REQUIRE(r.status == 0);
  const auto j = nlohmann::json::parse(r.out).at(0);
  CHECK(j["targets"][0]["passes"] == 8);
  CHECK(j["targets"][0]["flops_per_clock"] == 2048);  // MI300X data sheet: 1307.4 TFLOP/s = 2048 x 304 x 2.1 GHz
  CHECK(j["operands"][0]["registers"] == 16);
  CHECK(j["operands"][1]["registers"] == 2);
  bool xdl = false;
  for (const auto& h : j["hazards"])
    xdl |= h["rule"] == "XDL result used by VALU or memory" && h["as"] == "producer" &&
           h["needs"] == "5/7/11/19 wait states";
  CHECK(xdl);
  const Ran page = run_program("isa ds_read_b128");
  CHECK(page.status == 0);
  CHECK_THAT(page.out, Contains("lgkmcnt"));
  CHECK_THAT(page.out, Contains("dscnt"));
  CHECK_THAT(page.out, Contains("4 registers per lane, written"));
}

TEST_CASE("isa lists a pattern, and only what the target has", "[isa_tool]") {
  const Ran all = run_program("isa 'v_mfma_f32_*_f16'"), one = run_program("isa --arch gfx908 'v_mfma_f32_*_f16'");
  CHECK(all.status == 0);
  CHECK_THAT(all.out, Contains("v_mfma_f32_16x16x32_f16"));
  CHECK(one.out.find("v_mfma_f32_16x16x32_f16") == std::string::npos);
  CHECK_THAT(one.out, Contains("v_mfma_f32_32x32x8"));
}

TEST_CASE("isa refuses what it does not know in one line", "[isa_tool]") {
  const std::pair<const char*, const char*> cases[] = {
      {"isa v_mfma_f32_32x32x8_f61", "did you mean v_mfma_f32_32x32x8_f16?"},
      {"isa --arch gfx1", "legal: gfx908"},
      {"isa 'zz*'", "matches 'zz*'"},
      {"isa --arch gfx942 ds_read_b64_tr_b16", "gfx950 has it"},
      {"occupancy --arch gfx942 --vgprs 600", "600 VGPRs on gfx942; legal: 0 to 256"}};
  for (const auto& [arguments, part] : cases) {
    const Ran r = run_program(arguments);
    CAPTURE(arguments, r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK_THAT(r.err, Contains(part));
  }
}

TEST_CASE("occupancy prints every limit, and the one that decides", "[isa_tool]") {
  const Ran r = run_program("occupancy --arch gfx942 --vgprs 128 --agprs 128 --lds 65536 --waves 4 --json");
  REQUIRE(r.status == 0);
  const auto j = nlohmann::json::parse(r.out);
  CHECK(j["waves_per_simd"] == 1);
  CHECK(j["limited_by"] == "LDS");
  CHECK(j["limits"].size() == 5);
  CHECK(j["limits"][1]["waves_per_simd"] == 2);
  CHECK_THAT(run_program("occupancy --arch gfx1100 --vgprs 97 --waves 8").out, Contains("12 of 16 waves per SIMD"));
}

TEST_CASE("inspect, occupancy and time say the same of one kernel", "[isa_tool]") {
  const clitest::Directory d;
  const auto json = [](const std::string& command) {
    const Ran r = run_program(command);
    INFO(command << r.err);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.out);
  };
  for (const char* gemm : {"--arch gfx908 --tile 128x128x64", "--arch gfx90a --tile 64x128x64 --a bf16",
                           "--arch gfx942 --tile 256x256x64", "--arch gfx950 --tile 64x64x64 --stages 4"}) {
    json(fmt::format("gemm --no-check --json {} -o {}", gemm, d / "g.co"));
    const auto all = json(fmt::format("inspect --json {}", d / "g.co"));
    const auto k = all["kernels"][0];
    std::string asked = fmt::format("occupancy --json --arch {}", all["target"].get<std::string>());
    for (const auto& [option, value] : k["resources"].items()) asked += fmt::format(" --{} {}", option, value.dump());
    const auto o = json(asked);
    INFO(asked);
    CHECK(k["waves_per_simd"] == o["waves_per_simd"]);
    CHECK(k["occupancy_limited_by"] == o["limited_by"]);
    CHECK_THAT(
        run_program(fmt::format("inspect {}", d / "g.co")).out,
        Contains(fmt::format("{} of {} waves a SIMD in workgroups of 256, limited by {}", o["waves_per_simd"].dump(),
                             o["max_waves_per_simd"].dump(), o["limited_by"].get<std::string>())));
    const auto t = json(fmt::format("time gemm --no-check --json {} -m 64 -n 64 -k 64", gemm));
    CHECK(t["waves_per_simd"] == o["waves_per_simd"]);
    CHECK(t["workgroups_per_cu"] == o["workgroups_per_cu"]);
    CHECK(t["occupancy_limited_by"] == o["limited_by"]);
  }
}

TEST_CASE("inspect says which workgroups fit where the largest that is allowed does not", "[isa_tool]") {
  const clitest::Directory d;
  simtest::Assembly a{"v_mov_b32 v199, 0\ns_endpgm\n"};  // metadata: workgroups of up to 1024
  a.vgprs = 200, a.agprs = 0;
  wavesmith::runtime::write_file(d / "k.co", a.build());
  const std::string out = run_program(fmt::format("inspect {}", d / "k.co")).out;
  INFO(out);
  CHECK_THAT(out, Contains("none in workgroups of 1024: VGPRs") &&
                      Contains("2 of 8 waves a SIMD in workgroups of 512, limited by VGPRs"));
  const std::string time = fmt::format("time {} --grid 1 --buffer a=zeros:64 --arg ptr:a --arg ptr:a", d / "k.co");
  refuses(time + " --block 1024", {"not one workgroup of 1024 work-items fits", "VGPRs", "legal: fewer"});
  CHECK_THAT(run_program(time + " --block 512").out, Contains("2 waves per SIMD, 1 workgroup per CU"));
}

TEST_CASE("peak rates derived from the rows are those of the data sheets", "[peaks][facts]") {
  const auto facts = csv::facts("peaks.csv");
  const std::pair<const char*, isa::Type> columns[] = {{"f64_matrix", isa::Type::f64},  {"f32_matrix", isa::Type::f32},
                                                       {"xf32", isa::Type::xf32},       {"f16_dense", isa::Type::f16},
                                                       {"bf16_dense", isa::Type::bf16}, {"f8_dense", isa::Type::fp8},
                                                       {"f6_dense", isa::Type::fp6},    {"f4_dense", isa::Type::fp4},
                                                       {"i8_dense", isa::Type::i8},     {"i4_dense", isa::Type::i4}};
  int checked = 0;
  for (const auto& row : facts) {
    const isa::Gpu* gpu = isa::find_gpu(row.at("gpu"));
    CAPTURE(row.at("gpu"));
    REQUIRE(gpu);
    const double dies = row.at("gpu") == "MI250" || row.at("gpu") == "MI250X" ? 2 : 1;  // the CSV counts both
    for (const auto& [column, type] : columns) {
      char* end = nullptr;
      const double published = std::strtod(row.at(column).c_str(), &end);
      if (end == row.at(column).c_str()) continue;
      CAPTURE(column);
      if (gpu->arch == isa::Arch::gfx908 && type == isa::Type::f64)
        continue;  // the data sheet's is the vector rate: no f64 MFMA there
      // Rounded clocks and data sheets: within 1.5 %.
      CHECK(isa::peak_tflops(*gpu, type) * dies == Approx(published).epsilon(0.015));
      ++checked;
    }
  }
  CHECK(checked > 60);
}
