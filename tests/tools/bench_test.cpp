// wavesmith bench: lists of problems, predicted times, results and their comparison.
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

using namespace clitest;
using Catch::Contains;
using nlohmann::json;

namespace {

const std::string bench_small = "bench gemm -m 70 -n 67 -k 75 --tile 64x64x64 ";

void put_text(const std::string& file, const std::string& text) { wavesmith::runtime::write_file(file, text); }

Ran runs_well(const std::string& arguments) {
  const Ran r = run_program(arguments);
  INFO("wavesmith " << arguments << "\n" << r.out << r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  return r;
}
json bench_results(const std::string& arguments) {
  return json::parse(runs_well(arguments + " --json").out)["results"];
}

bool kits_run() {
  if (*WAVESMITH_SANITIZE) WARN("not run: a kit's program, which has no sanitizer, cannot load the stand-in for HIP");
  return !*WAVESMITH_SANITIZE;
}

}  // namespace

TEST_CASE("bench predicts what time does, and its rates are those of the operation", "[cli][bench]") {
  const std::string problem = "gemm -m 300 -n 200 -k 128 --tile 64x64x64 --a bf16 --transa t --gpu MI300X";
  const auto rows = bench_results("bench " + problem);
  const auto timed = json::parse(runs_well(fmt::format("time {} --json", problem)).out);
  REQUIRE(rows.size() == 1);
  const auto us = rows[0]["measured"][0]["us"][0].get<double>();
  CHECK(us == Approx(timed["seconds"].get<double>() * 1e6).epsilon(1e-12));
  CHECK(rows[0]["measured"][0]["Gflops"].get<double>() == Approx(2e-3 * 300 * 200 * 128 / us));
  CHECK(rows[0]["bytes"].get<double>() == 2 * (300 * 128 + 128 * 200 + 300 * 200));
  CHECK(rows[0]["config"]["tile"] == "64x64x64");
  CHECK(rows[0]["config"]["gpu"] == "MI300X");
}

TEST_CASE("CSV of bench has the columns of rocblas-bench and hipblaslt-bench, and is a list of problems itself",
          "[cli][bench]") {
  const Directory d;
  const std::string csv = runs_well(bench_small + "--csv --a f16_r --beta 2 -o " + (d / "r.csv")).out;
  CHECK_THAT(csv,
             Catch::StartsWith("transA,transB,M,N,K,alpha,lda,stride_a,beta,ldb,stride_b,ldc,stride_c,ldd,stride_d,"
                               "batch_count,a_type,b_type,c_type,d_type,compute_type,wavesmith-Gflops,"
                               "wavesmith-GB/s,us,"));
  CHECK_THAT(csv, Contains("\nN,N,70,67,75,1,70,5250,2,75,5025,70,4690,70,4690,1,f16_r,f16_r,f16_r,f16_r,f32_r,"));
  CHECK(text(d / "r.csv") == csv);
  CHECK(runs_well(fmt::format("bench gemm --tile 64x64x64 --csv --problems {}", d / "r.csv")).out == csv);
}

TEST_CASE("a file of results has all that makes a problem, and gives it back", "[cli][bench]") {
  const Directory d;
  for (const std::string problem :
       {"attention --arch gfx942 --type fp8 --sq 60 --sk 90", "attention --arch gfx942 --kv-type fp8 --sq 1 --sk 90",
        "attention --arch gfx942 --page-size 16 --sq 60 --sk 90",
        "attention --arch gfx942 --bias --documents --sq 60 --sk 90",
        "attention --arch gfx942 --dropout 0.25 --sink --prefix --sq 60 --sk 90",
        "attention --arch gfx942 --latent --head-dim 576 --head-dim-v 512 --h 16 --hkv 1 --sq 1 --sk 64",
        "gemm --arch gfx942 --a f16 --b i4 --group-size 64 --zero-points --transa t -m 64 -n 64 -k 128 --tile 64x64x64",
        "gemm --arch gfx942 --a bf16 --transa t --shuffle-b -m 64 -n 64 -k 128 --tile 64x64x64",
        "gemm --arch gfx942 --a bf16 --grouped m --groups 10,20 --offsets i64 -m 30 -n 64 -k 64 --tile 64x64x64"}) {
    const std::string operation = problem.substr(0, problem.find(' ')),
                      csv = runs_well("bench " + problem + " --csv").out;
    put_text(d / "r.csv", csv);
    CAPTURE(problem);
    CHECK(runs_well(fmt::format("bench {} --arch gfx942 {} --problems {} --csv", operation,
                                operation == "gemm" ? "--tile 64x64x64" : "", d / "r.csv"))
              .out == csv);
  }
}

TEST_CASE("problems come from YAML, CSV and logged command lines, as the libraries write them", "[cli][bench]") {
  const Directory d;
  put_text(
      d / "p.yaml",
      "# logged by rocBLAS and hipBLASLt\n"
      "- { rocblas_function: \"rocblas_gemm_ex\", atomics_mode: atomics_allowed, transA: 'T', transB: 'N', M: 64, N: "
      "48, "
      "K: 80, alpha: 1.0, a_type: bf16_r, lda: 80, b_type: bf16_r, ldb: 80, beta: 0.0, c_type: bf16_r, ldc: 64, "
      "d_type: "
      "bf16_r, ldd: 64, compute_type: f32_r, algo: 0, solution_index: 0, flags: none, call_count: 3 }\n"
      "- {function: matmul, M: [64, 128], N: 48, K: 32, transA: N, a_type: f16_r, bias_vector: true, iters: 3}\n"
      "- {rocblas_function: rocblas_sgemm, M: 64, N: 48, K: 32}\n");
  put_text(d / "p.csv", "transA,M,N,K,a_type,us,rocblas-Gflops\nT,64,48,80,f16_r,12.5,99\nN,128,48,32,bf16_r,,\n");
  put_text(d / "p.log",
           "./rocblas-bench -f gemm_ex -r f16_r --transposeA T -m 64 -n 48 -k 80 -i 10 -j 2\n"
           "hipblaslt-bench --api_method c -m 64 -n 48 -k 80 --a_type bf16_r --bias_vector\n");
  const auto yaml = bench_results(fmt::format("bench gemm --tile 64x64x64 --problems {}", d / "p.yaml"));
  REQUIRE(yaml.size() == 4);
  CHECK(yaml[0]["problem"]["lda"] == "80");
  CHECK(yaml[0]["problem"]["transA"] == "T");
  CHECK(yaml[2]["problem"]["M"] == "128");
  CHECK(yaml[2]["problem"]["epilogue"] == "bias");
  CHECK(yaml[3]["problem"]["a_type"] == "f32_r");
  const auto csv = bench_results(fmt::format("bench gemm --tile 64x64x64 --problems {}", d / "p.csv"));
  REQUIRE(csv.size() == 2);
  CHECK(csv[1]["problem"]["a_type"] == "bf16_r");
  refuses(fmt::format("bench gemm --tile 64x64x64 --problems {}", d / "p.log"),
          {"p.log:2: ", "not available here: --api_method"});
}

TEST_CASE("a bad list of problems is refused in one line with the place", "[cli][bench]") {
  const Directory d;
  const auto bad = [&](const std::string& name, const std::string& content, std::initializer_list<const char*> parts) {
    put_text(d / name, content);
    CAPTURE(content);
    refuses(fmt::format("bench gemm --problems {}", d / name), parts);
  };
  bad("a.yaml", "- {M: 1, N: 1, K: 1, unit_check: 1}\n", {"a.yaml:1: not available here: --unit_check=1"});
  bad("b.yaml", "- {M: 1, N: [1, {}], K: 1}\n", {"b.yaml:1: N: legal: one value, or a list"});
  bad("c.yaml", "- {M: 1\n", {"c.yaml:"});
  bad("d.yaml", "M: 1\n", {"d.yaml: not a list of problems, legal: lines as - { M: 1024"});
  bad("e.yaml", "- 5\n", {"e.yaml:1: not a problem, legal: - { M: 1024"});
  bad("f.yaml", "- " + std::string(100000, '['), {"f.yaml:"});
  bad("g.csv", "M,N,K\n1,2\n", {"g.csv:2: 2 cells under 3 column names"});
  bad("h.csv", "M,N,K,colour\n1,2,3,red\n", {"h.csv:2: not available here: --colour=red"});
  bad("i.csv", "M,N\n1,2\n", {"i.csv:2: ", "-k is missing"});
  bad("j.csv", "\n\n", {"j.csv: no problems"});
  bad("k.csv", "M,N,K\n1,2,\"3\n", {"k.csv:2: a quotation mark that is not closed"});
  bad("l.log", "rocblas-bench -m 1\nls\n", {"l.log:2: not a command line of rocblas-bench"});
  std::string lists = "- {M: 1";  // 2^16 problems
  for (int i = 0; i < 16; ++i) lists += fmt::format(", x{}: [1, 2]", i);
  bad("m.yaml", lists + ", N: [1, 2]}\n", {"m.yaml:1: more than 100000 problems"});
  bad("n.yaml", lists + fmt::format(", N: {}}}\n", std::string(10000, '1')),
      {"n.yaml:1: problems of more than 512 MiB in memory"});
  refuses(fmt::format("bench gemm --problems {}", d / "none.yaml"), {"none.yaml", "cannot open"});
}

TEST_CASE("what a benchmark cannot do is refused by name", "[cli][bench]") {
  const Directory kit;
  refuses(fmt::format("bench kit {} gemm -m 64 -n 0 -k 64 --tile 64x64x64", kit / "k"), {"the result has no elements"});
  refuses(fmt::format("bench kit {} attention --sq 0 --sk 5", kit / "k"), {"the result has no elements"});
  refuses(bench_small + "--against rocblas", {"--against rocblas: with --device sim", "legal: --device hip"});
  refuses(bench_small + "--against cublas", {"--against: 'cublas' is unknown, legal: rocblas hipblaslt"});
  refuses(bench_small + "-o r.txt", {"-o r.txt: legal: FILE.csv, FILE.json or FILE.db"});
  refuses(bench_small + "--against-co x.co", {"1 of --against-co and 0 of --meta"});
  const Ran both = run_program(bench_small + "--csv --json");
  CHECK(both.status == 2);
  CHECK_THAT(both.err, Contains("--csv with --json"));
  refuses(bench_small + "--grouped_gemm", {"--grouped_gemm: not available here"});
  refuses(bench_small + "--compute_type f64_r", {"--compute_type: 'f64_r' is not available with A of f16, legal: f32"});
  refuses(bench_small + "--gpu MI300X --arch gfx950", {"MI300X is a gfx942, the code object is for gfx950"});
  refuses("bench attention --gpu MI300X", {"--sq is missing"});
}

TEST_CASE("results come back from CSV, JSON and SQLite as they were", "[cli][bench]") {
  const Directory d;
  for (const char* arch : {"gfx942", "gfx950"})
    runs_well(fmt::format("{} --arch {} -o {} -o {} -o {}", bench_small, arch, d / (std::string(arch) + ".csv"),
                          d / (std::string(arch) + ".json"), d / "all.db"));
  const auto ratio = [&](const std::string& a, const std::string& b) {
    const Ran r = run_program(fmt::format("bench compare {} {} --json", d / a, d / b));
    INFO(r.out << r.err);
    REQUIRE(r.status <= 1);
    const auto rows = json::parse(r.out)["rows"];
    REQUIRE(rows.size() == 1);
    return rows[0]["ratio"].get<double>();
  };
  const double want = ratio("gfx942.json", "gfx950.json");
  CHECK(want != 1);
  for (const char* a : {"gfx942.csv", "gfx942.json", "all.db:1"})
    for (const char* b : {"gfx950.csv", "gfx950.json", "all.db", "all.db:2"}) {
      CAPTURE(a, b);
      CHECK(ratio(a, b) == Approx(want).epsilon(1e-5));
    }
  // the six digits of a table are no difference
  CHECK(run_program(fmt::format("bench compare {} {}", d / "gfx942.csv", d / "all.db:1")).status == 0);
  CHECK(run_program(fmt::format("bench compare {} {}", d / "all.db:1", d / "gfx942.csv")).status == 0);
  refuses(fmt::format("bench compare {} {}", d / "all.db:7", d / "all.db"), {"there is no run 7"});
  put_text(d / "bad.db", std::string(5000, 'x'));
  refuses(fmt::format("bench compare {} {}", d / "bad.db", d / "all.db"), {"bad.db: file is not a database"});
  refuses(fmt::format("{} -o {}", bench_small, d / "bad.db"), {"bad.db: file is not a database"});
  put_text(d / "bad.json", "{\"operation\": 5}");
  refuses(fmt::format("bench compare {} {}", d / "bad.json", d / "all.db"),
          {"bad.json: not results of wavesmith bench"});
  put_text(d / "bad.csv", "M,N\n1,2\n");
  refuses(fmt::format("bench compare {} {}", d / "bad.csv", d / "all.db"), {"bad.csv: no columns of results"});
}

TEST_CASE("compare tells differences beyond the samples' spread from those within it", "[cli][bench]") {
  const Directory d;
  const std::string header = "transA,M,N,K,wavesmith-Gflops,us,us_rounds\n";
  put_text(d / "a.csv", header + "T,1,2,3,1,10,9;10;11\nT,1,2,4,1,10,9;10;11\nT,1,2,5,1,10,9;10;11\n");
  put_text(d / "b.csv",
           header + "T,1,2,5,1,8,7;8;8.9\nT,1,2,4,1,12,10.9;12;13\nT,1,2,3,1,14,11.1;14;15\nT,9,9,9,1,1,1\n");
  const Ran r = run_program(fmt::format("bench compare {} {} --json", d / "a.csv", d / "b.csv"));
  CHECK(r.status == 1);
  const auto j = json::parse(r.out);
  REQUIRE(j["rows"].size() == 3);
  CHECK(j["rows"][0]["verdict"] == "slower");
  CHECK(j["rows"][0]["low"].get<double>() == Approx(11.1 / 11));
  CHECK(j["rows"][0]["high"].get<double>() == Approx(15.0 / 9));
  CHECK(j["rows"][1]["verdict"] == "within the spread");
  CHECK(j["rows"][2]["verdict"] == "faster");
  CHECK(j["geometric_mean"].get<double>() == Approx(std::cbrt(1.4 * 1.2 * 0.8)));
  CHECK(run_program(fmt::format("bench compare {0} {0}", d / "a.csv")).status == 0);
  // rocblas-bench's own output, in other cases and with fewer columns
  put_text(d / "roc.csv", "transA,M,N,K,rocblas-Gflops,us\nt,1,2,3,1,20\n");
  CHECK_THAT(runs_well(fmt::format("bench compare {} {}", d / "roc.csv", d / "a.csv")).out, Contains("0.500"));
}

TEST_CASE("a kernel from a file is launched as its metadata says, beside ours", "[cli][bench]") {
  const Directory d;
  runs_well(
      fmt::format("gemm --arch gfx942 --tile 64x64x64 --kernel theirs -o {} --meta {}", d / "p.co", d / "p.json"));
  const std::string against = fmt::format(" --arch gfx942 --against-co {} --meta {}", d / "p.co", d / "p.json");
  const auto rows = bench_results(bench_small + against + " -v");
  const auto& measured = rows[0]["measured"];
  REQUIRE(measured.size() == 2);
  CHECK(measured[1]["by"] == "p");
  CHECK(measured[1]["kernel"] == "theirs");
  CHECK(measured[1]["us"] == measured[0]["us"]);
  CHECK(measured[1]["norm_error"] == 0);
  // A peer with a wrong argument computes something else.
  auto meta = json::parse(text(d / "p.json"));
  for (auto& a : meta["arguments"])
    if (a["name"] == "k") a["value"] = "max(k - 2 * 16, 16)";
  put_text(d / "p.json", meta.dump());
  const Ran wrong = run_program(bench_small + against + " -v");
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.err, Contains("p and wavesmith differ by"));
  for (const auto& [value, why] : {std::pair("ceil(k", "a parenthesis is not closed"),
                                   {"k +", "a number or name is missing"},
                                   {"colour", "'colour' is unknown, legal: alpha batch"},
                                   {"k / 2", "legal: a whole number"},
                                   {"sin(k)", "'sin' is not a function"}}) {
    meta["arguments"][10]["value"] = value;
    put_text(d / "p.json", meta.dump());
    refuses(bench_small + against, {why});
  }
  put_text(d / "p.json", "[]");
  refuses(bench_small + against, {"p.json: not what `wavesmith gemm --meta` writes"});
}

TEST_CASE("bench attention takes the letters of CK's examples and counts what the mask leaves", "[cli][bench]") {
  const auto row = bench_results(
      "bench attention -b=2 -h=4 -h_k=2 -s=64 -s_k=96 -d=64 -prec=bf16 -mask=b -warmup=1 -repeat=2 --gpu MI300X -v")[0];
  CHECK(row["problem"]["h_k"] == "2");
  CHECK(row["problem"]["s_k"] == "96");
  double products = 0;
  for (int i = 0; i < 64; ++i) products += i + 1 + 32;
  CHECK(row["flops"].get<double>() == 2 * products * 2 * 4 * (64 + 64));
  CHECK(row["measured"][0]["norm_error"].get<double>() < 0.02);
}

// The stand-ins of tests/support/hip: HIP's runtime computes wavesmith's f32 GEMM and the libraries theirs, with
// OpenBLAS on the host.
TEST_CASE("on a GPU, rocBLAS and hipBLASLt run in turn with ours on the same buffers, and results are compared",
          "[cli][bench][hip]") {
  const std::string hip =
      fmt::format("LD_LIBRARY_PATH={}7 WAVESMITH_STAND_IN_TARGET=gfx942:sramecc+:xnack- ", WAVESMITH_HIP_FOLDER);
  const std::string gemm =
      "bench gemm --device hip --tile 64x64x32 --a f32_r -m 70 -n 67 -k 75 --lda 90 --alpha 2 --beta 3 --batch_count 3 "
      "--transA T -i 4 -j 1 --rounds 3 ";
  const auto benched = [&](const std::string& options, const std::string& more = "") {
    return run_program(gemm + options, hip + more);
  };
  for (const char* how : {"", "--rotating 1", "--flush"}) {
    const Ran r = benched(std::string("--against rocblas,hipblaslt -v --json ") + how);
    INFO(how << r.out << r.err);
    REQUIRE(r.status == 0);
    const auto j = json::parse(r.out);
    CHECK(j["run"]["gpu"] == "stand-in");
    CHECK(j["run"]["rocblas"] == "4.2.0.stand-in");
    CHECK(j["run"]["hipblaslt"] == "100000");
    const auto& measured = j["results"][0]["measured"];
    REQUIRE(measured.size() == 3);
    for (const auto& m : measured) {
      CHECK(m["us"].size() == 3);
      CHECK(m["norm_error"].get<double>() < 1e-6);
    }
    const double least =
        std::string(how) == "--flush" ? 250 : 250 / 4.0;  // each timed alone, or four between two events
    for (const double us : measured[0]["us"].get<std::vector<double>>())
      CHECK((us >= least - 1e-3 && us <= 1.2 * least));
  }
  const Ran wrong = benched("--against rocblas", "WAVESMITH_STAND_IN_WRONG=1 ");
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.err, Contains("rocblas and wavesmith differ by 0.0"));
  ends_with_line(benched("--against rocblas --epilogue bias"), 2, {"--against: with an epilogue"});
  ends_with_line(
      run_program("bench gemm --device hip --against rocblas --a f16 -m 64 -n 64 -k 64 --tile 64x64x64", hip), 2,
      {"rocblas: rocblas_gemm_strided_batched_ex: rocblas_status_not_implemented"});
  ends_with_line(
      run_program("bench gemm --device hip --against hipblaslt --a f16 -m 64 -n 64 -k 64 --tile 64x64x64", hip), 2,
      {"hipblaslt: hipblasLtMatmulAlgoGetHeuristic finds no kernel"});
  ends_with_line(
      run_program("bench gemm --device hip --against rocblas --a fp8 -m 64 -n 64 -k 64 --tile 64x64x128", hip), 2,
      {"rocblas: it has none of these types"});
  ends_with_line(run_program(gemm + "--against rocblas", fmt::format("LD_LIBRARY_PATH={}5", WAVESMITH_HIP_FOLDER)), 3,
                 {"rocblas: the library is not installed"});
}

TEST_CASE("a kit runs without anything of ours, checks its results, and they come back to be compared",
          "[cli][bench][hip][kit]") {
  if (!kits_run()) return;
  const Directory d;
  put_text(d / "p.csv",
           "transA,transB,M,N,K,lda,alpha,beta,batch_count\nT,N,70,67,75,90,2,3,3\nN,T,33,130,20,,1,0,1\nN,N,128,64,64,"
           ",1,1,1\n");
  const std::string kit = d / "kit";
  runs_well(fmt::format("bench kit {} gemm --arch gfx942 --a f32 --tile 64x64x32 --problems {}", kit, d / "p.csv"));
  refuses(fmt::format("bench kit {} gemm -m 4 -n 4 -k 4", kit), {"it exists, legal: a folder that is new or empty"});
  refuses(fmt::format("bench import {}", kit), {"results.csv: cannot open"});
  const auto run_kit = [&](const std::string& environment, const std::string& options) {
    return std::system(fmt::format("env LD_LIBRARY_PATH={}7 {} {}/run.sh {} >{} 2>{}", WAVESMITH_HIP_FOLDER,
                                   environment, kit, options, d / "out", d / "err")
                           .c_str()) >>
           8;
  };
  const int status = run_kit("WAVESMITH_STAND_IN_TARGET=gfx942", "-i 4 -j 1 --rounds 3 --rotating 1");
  INFO(text(d / "out") << text(d / "err"));
  REQUIRE(status == 0);
  const auto j =
      json::parse(runs_well(fmt::format("bench import {} --json -o {} -o {}", kit, d / "hip.csv", d / "all.db")).out);
  CHECK(j["run"]["gpu"] == "stand-in");
  CHECK(j["run"]["clock_MHz"] == "2100");
  CHECK(j["run"]["predicted"] == "false");
  REQUIRE(j["results"].size() == 3);
  for (const auto& r : j["results"]) {
    REQUIRE(r["measured"].size() == 3);
    CHECK(r["measured"][0]["by"] == "wavesmith");
    CHECK(r["measured"][1]["by"] == "rocblas");
    CHECK(r["measured"][2]["by"] == "hipblaslt");
    for (const auto& m : r["measured"]) CHECK(m["us"].size() == 3);
  }
  CHECK(j["results"][1]["problem"]["N"] == "130");
  CHECK(j["results"][0]["measured"][0]["us"][0].get<double>() == Approx(260 / 4.0).margin(20 / 4.0));
  // The same problems predicted: the columns match.
  runs_well(
      fmt::format("bench gemm --arch gfx942 --a f32 --tile 64x64x32 --problems {} -o {}", d / "p.csv", d / "sim.csv"));
  const Ran compared = run_program(fmt::format("bench compare {} {}", d / "sim.csv", d / "hip.csv"));
  CHECK(compared.status == 1);  // the stand-in is slower
  CHECK_THAT(compared.out, Contains("3 of 3 problems"));
  // Results of a library that is wrong by a hundredth, a GPU of another target, options that it has not.
  CHECK(run_kit("WAVESMITH_STAND_IN_TARGET=gfx942 WAVESMITH_STAND_IN_WRONG=1", "--rounds 1") == 1);
  CHECK_THAT(text(d / "err"), Contains("rocblas: WRONG"));
  const Ran wrong = run_program(fmt::format("bench import {}", kit));
  CHECK(wrong.status == 1);
  CHECK_THAT(wrong.err, Contains("rocblas is wrong by"));
  CHECK(run_kit("WAVESMITH_STAND_IN_TARGET=gfx90a", "") == 2);
  CHECK(run_kit("", "--colour 3") == 2);
  put_text(kit + "/results.csv", "case,implementation,version,round,us,error\n7,wavesmith,,0,1,0\n");
  refuses(fmt::format("bench import {}", kit), {"results.csv:2: case 7, the kit has 3"});
  put_text(kit + "/results.csv", "us\n7\n");
  refuses(fmt::format("bench import {}", kit), {"not what a kit's run.sh writes"});
}

TEST_CASE("a kit of attention or of 16-bit types runs with buffers as the kernel has them", "[cli][bench][hip][kit]") {
  if (!kits_run()) return;
  const Directory d;
  runs_well(
      fmt::format("bench kit {} attention -b=2 -h=2 -s=100 -d=64 -prec=bf16 -mask=b --lse --arch gfx942", d / "a"));
  runs_well(fmt::format("bench kit {} gemm -m 64 -n 64 -k 64 --a bf16 --epilogue bias,gelu --arch gfx950", d / "g"));
  for (const auto& [kit, target] : {std::pair("a", "gfx942"), {"g", "gfx950"}}) {
    const int status =
        std::system(fmt::format("env LD_LIBRARY_PATH={}7 WAVESMITH_STAND_IN_TARGET={} {}/run.sh --rounds 2 >{} 2>&1",
                                WAVESMITH_HIP_FOLDER, target, d / kit, d / "out")
                        .c_str());
    INFO(text(d / "out"));
    REQUIRE(status == 0);
    CHECK(json::parse(runs_well(fmt::format("bench import {} --json", d / kit)).out)["results"].size() == 1);
  }
  // A library without the types is left out; the kernel, of which the stand-in runs nothing, is wrong.
  runs_well(fmt::format("bench kit {} gemm -m 64 -n 64 -k 64 --a bf16 --arch gfx942", d / "b"));
  CHECK(
      std::system(fmt::format("env LD_LIBRARY_PATH={}7 WAVESMITH_STAND_IN_TARGET=gfx942 {}/run.sh --rounds 1 >{} 2>&1",
                              WAVESMITH_HIP_FOLDER, d / "b", d / "out")
                      .c_str()) >>
          8 ==
      1);
  CHECK_THAT(text(d / "out"), Contains("case 0: rocblas is left out: rocblas_gemm_strided_batched_ex") &&
                                  Contains("hipblaslt is left out") && Contains("wavesmith: WRONG"));
  CHECK_THAT(text(d / "b/results.csv"), Contains("0,wavesmith,,0,") && !Contains("rocblas"));
}
