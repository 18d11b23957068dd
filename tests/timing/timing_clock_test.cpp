// The clock of a launch: what power management leaves it, by the use of its matrix pipes, or what the user gives.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "isa_tables/timing/timing.h"
#include "tests/support/command.h"

using namespace wavesmith;
using Catch::Contains;

namespace {

// 304 tiles, one for each CU of MI300X.
constexpr const char* fills_mi300x = "time gemm --a bf16 --transa t -m 4096 -n 4864 -k 1024 --gpu MI300X";

std::string printed(const std::string& command) {
  const clitest::Ran r = clitest::run_program(command);
  INFO(r.err);
  REQUIRE(r.status == 0);
  return r.out;
}
nlohmann::json timed(const std::string& command) { return nlohmann::json::parse(printed(command + " --json")); }

}  // namespace

TEST_CASE("the clock under load falls as the matrix pipes are used more, from boost to that of the law", "[time]") {
  int laws = 0;
  for (const isa::Gpu& g : isa::gpus()) {
    const double full = isa::gpu_timing(g).load_mhz;
    CAPTURE(g.name);
    CHECK(isa::load_mhz(g, full, 0) == g.mhz);
    if (full == 0) continue;
    ++laws;
    CHECK(full < g.mhz);
    CHECK(isa::load_mhz(g, full, 1) == Approx(full));
    for (double u = 0.01, last = g.mhz; u <= 1; u += 0.01) {
      const double mhz = isa::load_mhz(g, full, u);
      CHECK(mhz <= last);
      // More work a second all the same: power rises with the clock.
      if (mhz < g.mhz) CHECK(mhz * u >= isa::load_mhz(g, full, u - 0.005) * (u - 0.005));
      last = mhz;
    }
  }
  CHECK(laws >= 4);
}

TEST_CASE("the clock of a launch follows from the use of the matrix pipes that is printed with it", "[time][cli]") {
  const isa::Gpu& g = *isa::find_gpu("MI300X");
  const auto j = timed(fills_mi300x);
  const auto mhz = j["clock_mhz"].get<double>(), used = j["matrix_utilisation"].get<double>();
  CHECK(used > 0.3);
  CHECK(mhz < g.mhz);
  CHECK(mhz == Approx(isa::load_mhz(g, isa::gpu_timing(g).load_mhz, used)).epsilon(1e-6));
  CHECK(j["clock_kind"] == "load");
  CHECK(j["seconds"].get<double>() ==
        Approx(j["cycles"].get<double>() / (mhz * 1e6) + j["launch_seconds"].get<double>()));
  // As many cycles as at that clock: memory is as far away.
  const auto fixed = timed(fmt::format("{} --clock {:.0f}", fills_mi300x, mhz));
  CHECK(fixed["cycles"].get<double>() == Approx(j["cycles"].get<double>()).epsilon(0.02));
  const auto text = printed(fills_mi300x);
  CHECK_THAT(text, Contains(fmt::format("{:.0f} MHz: power under load: {:.0f} MHz with all matrix pipes in use", mhz,
                                        isa::gpu_timing(g).load_mhz)));
}

TEST_CASE("a launch that hardly uses the matrix pipes runs at boost, and so does one without a law", "[time][cli]") {
  CHECK(timed("time gemm --a bf16 --transa t -m 256 -n 256 -k 512 --gpu MI300X")["clock_mhz"] == 2100);
  const auto j = timed("time gemm --arch gfx90a --a f16 --transa t -m 512 -n 512 -k 512 --gpu MI210");
  CHECK(j["clock_mhz"] == 1700);
  CHECK(j["clock_kind"] == "boost");
}

TEST_CASE("--clock fixes the clock, and fewer of its cycles pass until memory answers if it is slower", "[time][cli]") {
  const auto boost = timed(std::string(fills_mi300x) + " --clock boost"),
             slow = timed(std::string(fills_mi300x) + " --clock 700"),
             sustained = timed(std::string(fills_mi300x) + " --clock sustained");
  CHECK(boost["clock_mhz"] == 2100);
  CHECK(slow["clock_mhz"] == 700);
  CHECK(slow["clock_kind"] == "fixed");
  CHECK(sustained["clock_mhz"] == 1207);
  CHECK(slow["cycles"] < boost["cycles"]);
  CHECK(slow["seconds"] > boost["seconds"]);
  const clitest::Ran refused = clitest::run_program(std::string(fills_mi300x) + " --clock 7");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("legal: load, boost, sustained, or 100 to 10000"));
}
