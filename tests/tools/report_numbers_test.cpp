// What `time` says limits a launch, and where its report puts the kernel in the roofline, for kernels that clang
// compiled.
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/csv.h"
#include "tests/support/simulator_kernel.h"

using namespace clitest;
using Catch::Contains;
using nlohmann::json;

namespace {

constexpr const char* rows_of_4096 = R"(
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define LANE __builtin_amdgcn_workitem_id_x()
static inline void barrier_(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void rmsnorm(global const float* x, global float* y) {
  local float part[256];
  float s = 0;
  for (int i = LANE; i < 4096; i += 256) s += x[GROUP * 4096 + i] * x[GROUP * 4096 + i];
  part[LANE] = s;
  barrier_();
  for (int k = 128; k; k /= 2) {
    if (LANE < k) part[LANE] += part[LANE + k];
    barrier_();
  }
  const float scale = __builtin_amdgcn_rcpf(__builtin_sqrtf(part[0] / 4096));
  for (int i = LANE; i < 4096; i += 256) y[GROUP * 4096 + i] = x[GROUP * 4096 + i] * scale;
}
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void reciprocals(global const float* x, global float* y) {
  float v = x[GROUP * 256 + LANE];
  for (int i = 0; i < 4000; ++i) v = __builtin_amdgcn_rcpf(v);
  y[GROUP * 256 + LANE] = v;
}
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void products(global const float* x, global float* y) {
  float a = x[GROUP * 256 + LANE], b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < 4000; ++i)
    a = __builtin_fmaf(a, a, 1), b = __builtin_fmaf(b, b, 1), c = __builtin_fmaf(c, c, 1), d = __builtin_fmaf(d, d, 1);
  y[GROUP * 256 + LANE] = a + b + c + d;
}
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void doubles(global const double* x, global double* y) {
  double a = x[GROUP * 256 + LANE];
  for (int i = 0; i < 4000; ++i) a = __builtin_fma(a, a, a);
  y[GROUP * 256 + LANE] = a;
}
)";

struct TimedKernel {
  json said, page;  // --json, and the data of the report
};
TimedKernel timed_kernel(const std::string& command) {
  const Directory d;
  const Ran r = run_program(fmt::format("{} --json --report {}", command, d / "r.html"));
  INFO(command << "\n" << r.err);
  REQUIRE(r.status == 0);
  const std::string page = text(d / "r.html"), begin = R"(<script type="application/json" id="data">)";
  const size_t at = page.find(begin) + begin.size();
  return {json::parse(r.out), json::parse(page.substr(at, page.find("</script>", at) - at))};
}

// The kernels above, as one file for the target.
struct Kernels {
  Directory d;
  explicit Kernels(const char* target) {
    wavesmith::runtime::write_file(d / "k.co",
                                   simtest::compile(rows_of_4096, "-x cl -cl-std=CL2.0 -O3", ".cl", target));
  }
  std::string launch(const char* kernel, const char* gpu, const char* more = "") const {
    return fmt::format(
        "time {} --kernel {} --grid 1024 --gpu '{}' --buffer x=zeros:16777216 --buffer y=zeros:16777216 --arg ptr:x "
        "--arg ptr:y {}",
        d / "k.co", kernel, gpu, more);
  }
};

// The rule as docs/reference/reports.md states it, on what the JSON says of the units.
std::string limit_by_the_rule(const json& j) {
  if (j["launch_seconds"].get<double>() > j["seconds"].get<double>() / 2) return "launch";
  std::string most;
  double share = -1;
  for (const auto& [unit, busy] : j["busy"].items())
    if (busy.get<double>() > share) most = unit, share = busy.get<double>();
  return share >= 0.8 ? most : "latency";
}

}  // namespace

TEST_CASE("what limits a launch is the busiest unit if it is busy 80 % of the time, else latency", "[report][limit]") {
  const Kernels k("gfx942");
  std::map<std::string, int> seen;
  for (const std::string& command :
       {k.launch("rmsnorm", "MI300X"), k.launch("rmsnorm", "MI300X", "--cold"), k.launch("reciprocals", "MI300X"),
        k.launch("products", "MI300X"), std::string("time gemm --arch gfx942 --transa t -m 2048 -n 2048 -k 1024"),
        std::string("time gemm --arch gfx942 --tile 64x64x64 -m 64 -n 64 -k 1024")}) {
    CAPTURE(command);
    const TimedKernel t = timed_kernel(command);
    const auto limit = t.said["limited_by"].get<std::string>(), reason = t.said["limited_by_reason"].get<std::string>();
    CAPTURE(limit, reason, t.said["busy"].dump());
    CHECK(limit == limit_by_the_rule(t.said));
    CHECK(t.page["time"]["limited_by"] == limit);
    CHECK(t.page["time"]["limited_by_reason"] == reason);
    CHECK_THAT(run_program(command).out, Contains(fmt::format("{}: {}", limit, reason)));
    // A level that moved no bytes limits nothing.
    for (const auto& [unit, bytes] : {std::pair("memory", "memory"), {"memory-side cache", "mall"}, {"L2", "l2"}})
      if (t.said["bytes"][bytes] == 0) CHECK(limit != unit);
    ++seen[limit];
  }
  CHECK(seen["VALU"] == 2);
  CHECK(seen["latency"] > 0);
}

TEST_CASE("the roof of a kernel without matrix instructions is the data sheet's vector peak, and its points are below",
          "[report][roofline][facts]") {
  for (const auto& [target, gpu] : {std::pair("gfx942", "MI300X"), {"gfx90a", "MI210"}, {"gfx1100", "RX 7900 XTX"}}) {
    const Kernels k(target);
    const bool slow_f64 = std::string_view(target) == "gfx1100";  // timing.def has LLVM's rate, half the data sheet's
    for (const auto& [kernel, column] :
         {std::pair("rmsnorm", "f32_vector"), {"reciprocals", "f32_vector"}, {"doubles", "f64_vector"}}) {
      if (slow_f64 && std::string_view(column) == "f64_vector") continue;
      CAPTURE(gpu, kernel);
      const TimedKernel t = timed_kernel(k.launch(kernel, gpu));
      const json &time = t.page["time"], &peaks = t.page["peaks"];
      double published = 0;  // "22.6 (45.3 packed)": the largest of the cell's numbers
      for (const auto& row : csv::facts("peaks.csv"))
        if (row.at("gpu") == gpu) {
          const std::string cell = row.at(column);
          for (size_t at = 0; at < cell.size(); ++at)
            if (std::isdigit(static_cast<unsigned char>(cell[at])) &&
                (at == 0 || cell[at - 1] == ' ' || cell[at - 1] == '('))
              published = std::max(published, std::strtod(cell.c_str() + at, nullptr));
        }
      REQUIRE(published > 0);
      const auto seconds = time["seconds"].get<double>(), flops = time["vector_flops"].get<double>();
      CHECK(peaks["vector"].get<double>() * 1e-12 == Approx(published).epsilon(0.015));
      CHECK(flops / seconds <= peaks["vector"]);
      for (const char* level : {"l1", "l2", "mall", "memory"})
        CHECK(time["bytes"][level].get<double>() / seconds <= peaks[level].get<double>() * 1.0001);
    }
  }
}

TEST_CASE("occupancy does not contradict itself", "[isa_tool][occupancy]") {
  // AGPRs alone fill the file: VGPRs limit, and fewer of them would not help.
  const std::string full = run_program("occupancy --arch gfx942 --vgprs 256 --agprs 256 --waves 4").out;
  CHECK_THAT(full, Contains("limited by") && Contains("the limit is AGPRs") && !Contains("another resource"));
  CHECK_THAT(full, Contains("1 of 8 waves per SIMD, 1 workgroup per CU"));
  // Every limit's workgroups are at most those of the wave slots, and its waves are theirs.
  for (const char* asked : {"--arch gfx942 --vgprs 40 --waves 4", "--arch gfx1100 --vgprs 96 --lds 20000 --waves 3",
                            "--arch gfx90a --vgprs 24 --waves 2", "--arch gfx1201 --vgprs 200 --waves 8"}) {
    const json j = json::parse(run_program(fmt::format("occupancy --json {}", asked)).out);
    CAPTURE(asked, j.dump());
    const json& slots = j["limits"][0];
    for (const json& l : j["limits"]) {
      CHECK(l["workgroups_per_cu"] <= slots["workgroups_per_cu"]);
      const int waves = l["workgroups_per_cu"].get<int>() * j["waves_per_group"].get<int>();
      CHECK(l["waves_per_simd"] == (waves + 3) / 4);
      CHECK(l["workgroups_per_cu"] >= j["workgroups_per_cu"]);
    }
  }
}
