// The program as somebody meets it who has never used it: names as they are written elsewhere, defaults that fit,
// numbers that say of what.
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace clitest;
using Catch::Contains;

namespace {

constexpr const char* small_problem = "--tile 64x64x64 -m 70 -n 67 -k 75";

Ran good(const std::string& arguments) {
  const Ran r = run_program(arguments);
  INFO("wavesmith " << arguments << "\n" << r.out << r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  return r;
}

}  // namespace

TEST_CASE("targets are understood in any case and with features", "[cli][users]") {
  good("gemm --tile 64x64x64 --arch GFX942:sramecc+:xnack-");
  good("isa --arch Gfx950 v_exp_f32");
  good("occupancy --arch gfx90a:xnack+ --vgprs 64");
  good("layout v_mfma_f32_32x32x8_f16 --arch GFX942 --operand a");
  good("plan --arch amdgcn-amd-amdhsa--gfx942:sramecc+ --m 64 --n 64 --k 64 --a f16 --b f16");
  refuses("gemm --arch gfx942:sramecc", {"feature 'sramecc'", "legal: sramecc+"});
  refuses("isa --arch gfx943", {"gfx943", "gfx942"});
}

TEST_CASE("a GPU says which target is meant", "[cli][users]") {
  const auto target = [](const std::string& arguments) { return run_json(arguments + " --gpu MI355X")["target"]; };
  CHECK(target("time gemm --tile 64x64x64 -m 64 -n 64 -k 64") == "gfx950");
  CHECK(target("time attention --sq 64") == "gfx950");
  CHECK_THAT(good("time attention --backward --sq 64 --gpu MI355X").out, Contains("gfx950"));
  CHECK_THAT(good("gemm -m 64 -n 64 -k 64 --no-cache --gpu mi355x --asm /dev/stdout").out, Contains("gfx950"));
  CHECK_THAT(good("verify gemm --gpu mi210 --a f64 -m 5 -n 6 -k 7").out, Contains("gfx90a"));
  refuses("time gemm --arch gfx942 --gpu MI355X -m 64 -n 64 -k 64", {"MI355X is a gfx950", "legal: --arch gfx950"});
  refuses("verify gemm --gpu MI999 -m 64 -n 64 -k 64", {"'MI999' is unknown", "'MI355X'"});
}

TEST_CASE("extents of a GEMM may be 0 in every schedule, by every division of K", "[cli][users]") {
  for (const char* options :
       {"--arch gfx942 --tile 64x64x64", "--arch gfx942 --tile 64x64x64 --split-k 2 --reduction ordered",
        "--arch gfx942 --tile 64x64x64 --d f32 --split-k 3", "--arch gfx942 --tile 64x64x64 --split-k 2 --stream-k 4",
        "--arch gfx950 --tile 64x64x64 --transa t --schedule direct",
        "--arch gfx950 --tile 64x64x64 --transa t --schedule refill", "--arch gfx950 --a mxfp8 --b mxfp8 --transa t",
        "--arch gfx942 --tile 64x64x64 --transa t --schedule stream", "--arch gfx1100", "--arch gfx1201 --a fp8",
        "--arch gfx1250 --a bf16", "--arch gfx90a --a f64", "--arch gfx942 --a fp8 --scale-a block --scale-b block"})
    for (const char* extents : {"-m 70 -n 9 -k 0", "-m 0 -n 9 -k 32", "-m 70 -n 0 -k 0"}) {
      CAPTURE(options, extents);
      const auto j = run_json(fmt::format("verify gemm {} {} --beta 0.5", options, extents));
      CHECK(j["good"] == true);
      CHECK(j["checked"] == (std::string(extents) == "-m 70 -n 9 -k 0" ? 630 : 0));
    }
  refuses("time gemm -m 64 -n 0 -k 8", {"nothing to launch", "legal: extents of 1 or more"});
  refuses("verify gemm -m 3 -k 4", {"-n is missing", "legal: 0 or more"});
}

TEST_CASE("usage lines and hints carry the whole command", "[cli][users]") {
  CHECK_THAT(good("gemm --help").out, Contains("Usage: wavesmith gemm "));
  CHECK_THAT(good("verify gemm --help").out, Contains("Usage: wavesmith verify gemm "));
  refuses("verify gemm --bogus 3 --other", {"not understood: --bogus 3 --other (see wavesmith verify gemm --help)"});
  refuses("", {"a command is missing, legal: gemm attention", "see wavesmith --help"});
}

TEST_CASE("command lines of hipblaslt-bench and rocblas-bench can be pasted, and what is not available is named",
          "[cli][users]") {
  for (const char* line :
       {"-m 70 -n 67 -k 75 --transA T --transB N --a_type bf16_r --b_type bf16_r --c_type bf16_r --d_type bf16_r "
        "--compute_type f32_r --initialization rand_int -i 10 -j 2 -v",
        "-m 70 -n 67 -k 75 --iters 10 --cold_iters 2 --rotating 512 --flush --use_gpu_timer --print_kernel_info "
        "--workspace 33554432 --algo_method heuristic --solution_index 3 --requested_solution 1 --bias_vector "
        "--activation_type relu",
        "-f gemm_ex -r f16_r --transposeA T --transposeB N -m 70 -n 67 -k 75 -i 10 -j 2 --algo 0 --flags 1",
        "-f gemm_strided_batched_ex -r bf16_r --compute_type f32_r -m 70 -n 67 -k 75 --batch_count 2 --any_stride"})
    CHECK_THAT(good(fmt::format("verify gemm --tile 64x64x64 {}", line)).out, Contains("right"));
  refuses("verify gemm -m 4 -n 4 -k 4 --use_e", {"--use_e", "not available here", "legal: leave it out"});
  refuses("verify gemm -m 4 -n 4 -k 4 --grouped_gemm", {"--grouped_gemm", "legal: leave it out"});
  refuses("verify gemm -m 4 -n 4 -k 4 --compute_type i32_r", {"--compute_type: 'i32_r'", "legal: f32"});
  refuses("verify gemm -m 4 -n 4 -k 4 --initialization zero", {"--initialization: 'zero'", "legal: hpl"});
  refuses("verify gemm -m 4 -n 4 -k 4 -f axpy", {"--function: 'axpy'", "legal: gemm"});
}

TEST_CASE("a kernel's required block is the default of run, and another is refused", "[cli][users]") {
  const Directory d;
  good(fmt::format("gemm --tile 64x64x64 -o {}", d / "g.co"));
  const std::string launch = fmt::format("run {} --grid 1 ", d / "g.co");
  refuses(launch + "--block 64", {"--block: 64,1,1", "legal: 256,1,1"});
  refuses(launch, {"takes 17 arguments"});  // it got as far as that
  simtest::Assembly other{"s_endpgm\n"};
  wavesmith::runtime::write_file(d / "other.co", other.build());
  refuses(fmt::format("run {} --grid 1", d / "other.co"), {"--block is missing"});
}

TEST_CASE("verify says what was chosen", "[cli][users]") {
  CHECK_THAT(good(fmt::format("verify gemm {} --explain", small_problem)).out,
             Contains("instruction  v_mfma_f32_32x32x8_f16: ") && Contains("right"));
  const auto j = nlohmann::json::parse(good(fmt::format("verify gemm {} --explain --json", small_problem)).out);
  CHECK(j["choices"].size() == 7);
  CHECK(j["good"] == true);
}

TEST_CASE("time generates a kernel and times it, with the options of verify", "[cli][users]") {
  const auto j =
      nlohmann::json::parse(good(fmt::format("time gemm {} --a bf16 --gpu mi300x --json", small_problem)).out);
  CHECK(j["seconds"] > 0);
  CHECK(j["gpu"] == "MI300X");
  CHECK_THAT(good("time attention --sq 64 --h 2 --causal --clock sustained").out, Contains("limited by"));
  refuses("time gemm --m 70 --n 67", {"-k is missing"});
  refuses("time", {"time FILE.co", "time gemm"});
}

TEST_CASE("plan refuses a block that LDS does not hold", "[cli][users]") {
  good("plan --m 256 --n 256 --k 64 --a f16 --b f16 --kernel gemm");
  refuses("plan --m 4096 --n 4096 --k 64 --a f16 --b f16 --kernel gemm",
          {"block 4096x4096", "262144 bytes of LDS", "65536", "legal: a smaller block"});
}

TEST_CASE("check counts in English and names a finding of an unrolled loop once", "[cli][users]") {
  const Directory d;
  std::string body;
  for (int i = 0; i < 3; ++i) body += fmt::format("v_mov_b32 v1, {}\nv_readlane_b32 s8, v1, 0\n", i);
  simtest::Assembly bad{body + "s_endpgm\n"};
  wavesmith::runtime::write_file(d / "bad.co", bad.build());
  const Ran r = run_program(fmt::format("check {} --no-advice", d / "bad.co"));
  INFO(r.out);
  CHECK(r.status == 1);
  CHECK(lines(r.out) == 2);
  CHECK_THAT(r.out,
             Contains("and 2 more like it") && Contains("3 findings, 0 pieces of advice; 7 instructions in 1 file,"));
}

TEST_CASE("work that takes the machine says how much memory and time before it begins", "[cli][users]") {
  refuses("verify gemm -m 100000 -n 100000 -k 100000",
          {"640 GB of memory (the machine has", "minutes on the simulator", "legal: less, or --force"});
  refuses("verify attention --sq 200000 --h 64", {"minutes on the simulator", "--force"});
}

TEST_CASE("a file that is a link stays one, and an open file is written beside the answer", "[cli]") {
  namespace fs = std::filesystem;
  const clitest::Directory d;
  std::ofstream(d / "real") << "old";
  fs::create_symlink(d / "real", d / "link");
  const clitest::Ran r = clitest::run_program(
      fmt::format("gemm --arch gfx942 --tile 64x64x64 -o {} --asm /dev/stdout", std::string(d / "link")));
  CHECK(r.status == 0);
  CHECK(fs::is_symlink(d / "link"));
  CHECK(fs::file_size(d / "real") > 1000);
  CHECK(fs::is_symlink("/dev/stdout"));
  CHECK_THAT(r.out, Catch::Contains(".amdgcn_target") && Catch::Contains("code object"));
}
