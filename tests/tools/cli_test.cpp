// The built program as scripts see it: exit status, one line of error, JSON, files.
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "runtime/npy.h"
#include "tests/support/command.h"

using namespace wavesmith;
using namespace clitest;
namespace fs = std::filesystem;
using Catch::Contains;

namespace {

Ran wavesmith_(const std::string& arguments) { return run_program(arguments); }

constexpr const char* small_tile = "--tile 64x64x64";  // quick to build and to run

}  // namespace

TEST_CASE("gemm writes a code object, its assembly and its description", "[cli]") {
  const Directory d;
  const Ran r = wavesmith_(fmt::format("gemm {} --arch gfx942 --a bf16 --d f32 -o {} --asm {} --meta {}", small_tile,
                                       d / "g.co", d / "g.s", d / "g.json"));
  CHECK(r.err == "");
  REQUIRE(r.status == 0);
  for (const char* row : {"kernel", "registers", "LDS", "code", "generate", "assemble", "link", "main loop"})
    CHECK_THAT(r.out, Contains(row));
  CHECK_THAT(text(d / "g.s"), Contains("v_mfma_f32_32x32x8_bf16") && Contains(".amdgpu_metadata"));
  const auto meta = nlohmann::json::parse(text(d / "g.json"));
  CHECK(meta["workgroup_size"] == 256);
  CHECK(meta["config"]["d"] == "f32");
  CHECK(d.files() == 3);
}

TEST_CASE("one of a kernel's files may be standard output, which then has nothing else", "[cli]") {
  const Directory d;
  for (const std::string command : {"gemm --arch gfx942 --tile 64x64x64", "attention --arch gfx942 --head-dim 64",
                                    "attention --backward --arch gfx942 --head-dim 64"}) {
    INFO(command);
    const Ran file = wavesmith_(fmt::format("{} --asm {} --meta {}", command, d / "k.s", d / "k.json"));
    REQUIRE(file.status == 0);
    CHECK(wavesmith_(command + " --asm -").out == text(d / "k.s"));
    CHECK(wavesmith_(command + " --meta -").out == text(d / "k.json"));
    CHECK(wavesmith_(command + " -o -")
              .out.starts_with("\x7f"
                               "ELF"));
  }
  CHECK(wavesmith_("gemm --tile 64x64x64 --asm - --meta /nowhere/k.json").out.empty());  // all of it or nothing
  refuses("gemm --tile 64x64x64 -o g.co --asm g.co", {"-o and --asm", "g.co", "a file each"});
  refuses("gemm --tile 64x64x64 --asm - --explain", {"--asm -", "standard output"});
  refuses("verify gemm -m 4 -n 4 -k 4 --meta -", {"--meta -", "standard output"});
  refuses("attention --asm ''", {"--asm", "no file name"});
}

TEST_CASE("gfx908 multiplies bf16 with instructions of two elements a lane", "[cli]") {
  for (const char* command : {"gemm --explain", "gemm --transa t --stages 3 --tile 64x64x64",
                              "verify gemm -m 70 -n 67 -k 75", "verify gemm -m 70 -n 67 -k 75 --transa t --d f32",
                              "verify gemm -m 70 -n 67 -k 75 --mma v_mfma_f32_16x16x8bf16 --transb t"}) {
    const Ran r = wavesmith_(fmt::format("{} --arch gfx908 --a bf16", command));
    INFO(command << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    CHECK(r.err.empty());
  }
}

TEST_CASE("the same configuration always gives the same bytes", "[cli]") {
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("gemm {} -o {}", small_tile, d / "1.co")).status == 0);
  REQUIRE(wavesmith_(fmt::format("gemm {} -o {}", small_tile, d / "2.co")).status == 0);
  CHECK(text(d / "1.co") == text(d / "2.co"));
}

TEST_CASE("inspect reads from the file what gemm said of it", "[cli]") {
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("gemm {} -o {} --meta {}", small_tile, d / "g.co", d / "g.json")).status == 0);
  const auto meta = nlohmann::json::parse(text(d / "g.json"));
  const Ran r = wavesmith_(fmt::format("inspect {} --json --listing", d / "g.co"));
  REQUIRE(r.status == 0);
  const auto kernel = nlohmann::json::parse(r.out)["kernels"][0];
  CHECK(kernel["name"] == meta["kernel"]);
  CHECK(kernel["lds_bytes"] == meta["lds_bytes"]);
  CHECK(kernel["code_bytes"] == meta["code_bytes"]);
  CHECK(kernel["kernarg_bytes"] == meta["kernarg_bytes"]);
  CHECK(kernel["args"].size() == meta["arguments"].size());
  CHECK(kernel["listing"].back()["instruction"] == "s_endpgm");
  CHECK_THAT(wavesmith_(fmt::format("inspect {} --listing", d / "g.co")).out,
             Contains("v_mfma_f32_32x32x8_f16") && Contains("kernargs"));
}

TEST_CASE("the program names its version and LLVM's", "[cli]") {
  const Ran r = wavesmith_("--version");
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Catch::StartsWith("wavesmith ") && Contains("(LLVM 22."));
}

TEST_CASE("layout prints a table, JSON or a picture of an operand", "[cli][layout]") {
  const Ran table = wavesmith_("layout v_mfma_f32_32x32x8_f16 --arch gfx942 --operand a");
  CHECK(table.status == 0);
  CHECK_THAT(table.out, Contains("col = {lane[5], item[1:0]}") && Contains("\n31       31:v0-1  63:v0-1\n"));
  CHECK_THAT(table.out,
             Contains("\n  lane: [row 1] [row 2] [row 4] [row 8] [row 16] [col 4]\n  item: [col 1] [col 2]\n\n"));
  const auto j = nlohmann::json::parse(
      wavesmith_("layout v_wmma_f16_16x16x16_f16 --arch gfx1100 --operand d --select 1 --json").out);
  CHECK(j["elements"].size() == 256);
  CHECK(j["bases"].dump() ==  // RDNA3 ISA 7.9: neighbouring rows in neighbouring groups of lanes
        R"({"item":[{"row":2},{"row":4},{"row":8}],)"
        R"("lane":[{"col":1},{"col":2},{"col":4},{"col":8},{"row":1}]})");
  CHECK(j["elements"][3 * 16 + 5] ==
        nlohmann::json({{"block", 0}, {"row", 3}, {"col", 5}, {"lanes", {21}}, {"register", 1}, {"bit", 16}}));
  const Directory d;
  CHECK(wavesmith_("layout v_mfma_f32_4x4x4_16b_f16 --arch gfx942 --operand d --svg " + d / "d.svg").status == 0);
  const std::string svg = text(d / "d.svg");
  CHECK_THAT(svg, Contains("<svg ") && Contains(">block 15<") && Contains(">m (row)<") && Contains(">lanes 48-63<") &&
                      Contains("</svg>"));
  CHECK(d.files() == 1);
}

TEST_CASE("layout gemm shows the LDS addresses that the kernel reads and writes", "[cli][layout]") {
  const Directory d;
  const std::string options = "--tile 64x64x64 --transa t";  // A's k is contiguous, B's too
  REQUIRE(wavesmith_(fmt::format("gemm {} --kernel gemm -o {}", options, d / "g.co")).status == 0);
  const auto code = nlohmann::json::parse(wavesmith_(fmt::format("inspect {} --listing --json", d / "g.co")).out);
  const auto said = nlohmann::json::parse(wavesmith_(fmt::format("layout gemm {} --json", options)).out);
  // The address register of the first eight lanes, as `run --break --dump` prints it.
  const auto addresses = [&](const std::string& mnemonic, const std::string& base) {
    for (const auto& line : code["kernels"][0]["listing"]) {
      const auto text = line["instruction"].get<std::string>();
      if (!text.starts_with(mnemonic)) continue;
      const size_t v = mnemonic == "ds_read_b128" ? text.rfind(", v") + 2 : text.find('v', mnemonic.size());
      const std::string reg = text.substr(v, text.find_first_not_of("0123456789", v + 1) - v);
      std::string run = fmt::format(
          "run {} --grid 1 --buffer a=fill:524288:0000 --buffer d=zeros:524288 --arg ptr:d --arg ptr:d --arg ptr:a "
          "--arg ptr:a --arg u64:0 --arg u64:0 --arg u64:0 --arg u64:0 --arg u32:64 --arg u32:64",
          d / "g.co");
      for (int i = 0; i < 5; ++i) run += " --arg u32:512";
      const Ran r = wavesmith_(
          fmt::format("{} --arg f32:1 --arg f32:0 --break {} --dump {}", run, line["pc"].get<uint64_t>(), reg));
      INFO(r.out << r.err);
      const size_t at = r.out.find("[0x");
      if (at == std::string::npos) break;  // the rest of the code, which this launch does not run
      if (r.out.compare(at + 1, base.size() + 1, base + " ") == 0) return r.out.substr(at, r.out.find("...", at) - at);
    }
    return std::string("no such access");
  };
  for (const auto& tile : said["tiles"]) {
    CAPTURE(tile["tile"].get<std::string>());
    std::map<std::pair<int, int>, int> byte;
    for (const auto& e : tile["elements"]) byte[{e["row"].get<int>(), e["chunk"].get<int>()}] = e["byte"].get<int>();
    const auto base = tile["offsets"][0].get<int>();
    std::string reads = "[", writes = "[";
    for (int lane = 0; lane < 8; ++lane) {  // a lane of a fragment has a row; four lanes load a row
      reads += fmt::format("0x{:x} ", base + byte[{lane, 0}]);
      writes += fmt::format("0x{:x} ", base + byte[{lane / 4, lane % 4}]);
    }
    const std::string first = fmt::format("0x{:x}", base);
    CHECK(addresses("ds_read_b128", first) == reads);
    CHECK(addresses("ds_write_b128", first) == writes);
    REQUIRE(tile["accesses"].size() == 2);
    for (const auto& a : tile["accesses"]) CHECK(a["conflict_cycles"] == 0);
    CHECK(tile["accesses"][0]["conflict_cycles_without_swizzle"] > 0);
  }
}

TEST_CASE("layout attention shows the tiles of K and V, and both kernels' tiles are free of conflicts",
          "[cli][layout]") {
  for (const char* command :
       {"attention --arch gfx942", "attention --arch gfx950", "attention --arch gfx90a --head-dim 64",
        "gemm --arch gfx950 --transa t --schedule direct --tile 128x128x64", "gemm --transb t"}) {
    INFO(command);
    const Ran r = wavesmith_(fmt::format("layout {} --json", command));
    INFO(r.err);
    REQUIRE(r.status == 0);
    const auto j = nlohmann::json::parse(r.out);
    REQUIRE(j["tiles"].size() == 2);
    for (const auto& tile : j["tiles"]) {
      std::set<int> bytes;
      for (const auto& e : tile["elements"]) bytes.insert(e["byte"].get<int>());
      CHECK(bytes.size() == tile["elements"].size());  // no two elements at one address
      for (const auto& a : tile["accesses"]) CHECK(a["conflict_cycles"] == 0);
    }
  }
  const Ran r = wavesmith_("layout attention --arch gfx942 --operand v");
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Catch::StartsWith("V: 8192 bytes, 2 buffers at LDS byte 16384, 24576\n") &&
                        Contains("V read: read of 16 bytes per lane, 0 conflict cycles (") && !Contains("K:"));
  refuses("layout gemm --operand c", {"--operand", "'c'", "legal: A B"});
  refuses("layout", {"no instruction", "layout gemm"});
  refuses("layout v_mfma_f32_32x32x8_f16 --arch gfx942", {"--operand is missing"});
}

TEST_CASE("layout refuses what an instruction does not have, naming what is legal", "[cli][layout]") {
  refuses("layout v_mfma_f32_32x32x8_f17 --arch gfx942 --operand a",
          {"v_mfma_f32_32x32x8_f17", "nearest: v_mfma_f32_32x32x8_f16"});
  refuses("layout v_mfma_f32_32x32x8_f16 --arch gfx942 --operand scale_a", {"no operand scale_a", "legal: a b c d"});
  refuses("layout v_mfma_f32_32x32x8_f16 --arch gfx942 --operand x", {"'x'", "legal: a b c d"});
  refuses("layout v_wmma_f32_16x16x16_f16 --arch gfx1250 --operand a", {"not on gfx1250", "gfx1100", "gfx1201"});
  refuses("layout v_add_f32 --arch gfx942 --operand a", {"not a matrix instruction"});
  refuses("layout v_mfma_f32_16x16x128_f8f6f4 --arch gfx950 --operand a --a-format f16",
          {"--a-format", "fp8 bf8 fp6 bf6 fp4"});
}

TEST_CASE("verify says right with status 0 for good kernels, in both vocabularies", "[cli]") {
  for (const char* problem : {"-m 64 -n 64 -k 64", "-m 96 -n 72 -k 80 --transA T --a_type bf16_r --d_type f32_r",
                              "--m 70 --n 40 --k 66 --transb t --alpha 2 --beta -0.5 --batch-count 2",
                              "-m 64 -n 64 -k 64 --init int", "-m 64 -n 64 -k 64 --init special"}) {
    const Ran r = wavesmith_(fmt::format("verify gemm {} {}", small_tile, problem));
    INFO(problem << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    CHECK_THAT(r.out, Contains("right") && Contains("bound"));
  }
}

TEST_CASE("verify finds every way of making a gemm right, in both vocabularies", "[cli][gemm]") {
  for (const char* how :
       {"--mma v_mfma_f32_16x16x16_f16", "--stages 3 --transa t", "--schedule interleaved --transa t",
        "--epilogue bias,gelu --d f32", "--bias_vector --activation_type relu",
        "--d f32 --split-k 3 --beta 2 --batch-count 2 --ldd 90", "--epilogue silu --a bf16 --init special",
        "--arch gfx950 --mma v_mfma_f32_16x16x32_f16 --stages 4",
        "--arch gfx950 --transa t --schedule direct --stages 3 --d f32 --split-k 2", "--epilogue relu --init special",
        "--epilogue gelu --init special"}) {
    const Ran r = wavesmith_(fmt::format("verify gemm {} -m 75 -n 67 -k 205 {}", small_tile, how));
    INFO(how << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    CHECK_THAT(r.out, Contains("right"));
  }
}

TEST_CASE("verify allows what gfx90a's matrix unit makes of denormals, and no more on targets that keep them",
          "[cli][gemm][numerics]") {
  const auto error = [](const char* arch, const char* problem) {
    const Ran r = wavesmith_(fmt::format("verify gemm --arch {} {} --json", arch, problem));
    INFO(arch << " " << problem << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    const auto j = nlohmann::json::parse(r.out);
    return j["max_relative_error"].get<double>() / j["bound"].get<double>();
  };
  const char* few =
      "--tile 128x128x64 --transa t --transb t --d f32 -m 512 -n 512 -k 31 --seed 1";  // some of A's and B's numbers
                                                                                       // are denormals
  CHECK(error("gfx90a", few) > 1);  // beyond what a kernel may be off by where they are not
  CHECK(error("gfx942", few) <= 1);
  error("gfx90a", "-m 256 -n 256 -k 31 --d f32 --init special");  // a denormal times infinity
  error("gfx90a", "-m 256 -n 256 -k 31 --d f32 --init special --a bf16 --alpha 0.5 --epilogue bias,gelu");
}

TEST_CASE("gemm --explain says what was chosen and why, in words and in JSON", "[cli][gemm]") {
  const Ran words = wavesmith_("gemm --arch gfx942 --stages 3 --explain");
  INFO(words.out << words.err);
  CHECK(words.status == 0);
  CHECK_THAT(words.out, Contains("stages       3: given") && Contains("128x128x64: the largest whose 3 stages") &&
                            Contains("v_mfma_f32_32x32x8_f16: 512 FLOPs per clock"));
  const Directory d;
  const auto j = nlohmann::json::parse(
      wavesmith_(fmt::format(
                     "gemm {} --transa t --mma v_mfma_f32_16x16x16_f16 --epilogue bias,relu --explain --json --meta {}",
                     small_tile, d / "g.json"))
          .out);
  const auto choice = [&](const char* what) {
    return *std::ranges::find_if(j["choices"], [&](const auto& c) { return c["what"] == what; });
  };
  CHECK(choice("tile") == nlohmann::json({{"what", "tile"}, {"value", "64x64x64"}, {"given", true}, {"why", "given"}}));
  CHECK(choice("waves")["given"] == false);
  CHECK(choice("instruction")["value"] == "v_mfma_f32_16x16x16_f16");
  CHECK(j["config"]["epilogue"] == nlohmann::json({"bias", "relu"}));
  CHECK_THAT(nlohmann::json::parse(text(d / "g.json"))["arguments"].dump(), Contains("bias"));
}

TEST_CASE("a gemm that cannot be is refused in one line with what is legal", "[cli][gemm]") {
  refuses("gemm --mma v_mfma_f32_32x32x16_f16",
          {"--mma", "legal on gfx942 with f16: v_mfma_f32_32x32x8_f16 v_mfma_f32_16x16x16_f16"});
  refuses("gemm --mma nonsense --a bf16", {"nonsense", "v_mfma_f32_32x32x8_bf16"});
  refuses("gemm --mma v_mfma_f32_32x32x8_f16 --arch gfx1100", {"legal on gfx1100 with f16: v_wmma_f32_16x16x16_f16"});
  refuses("gemm --a i4", {"A of i4 not contiguous along k", "legal: transa t, transb n"});
  refuses("gemm --arch gfx1201 --a xf32", {"A of xf32 on gfx1201", "legal: f64 f32 f16 bf16 fp8 bf8 i8 i4"});
  refuses("gemm --a fp8 --b f16", {"A of fp8 and B of f16"});
  refuses("verify gemm --a i8 -m 8 -n 8 -k 8 --alpha 0.5", {"0.5 with D of i32", "integers"});
  refuses("gemm --stages 9", {"9 stages", "legal: 2"});
  refuses("gemm --tile 256x256x64 --stages 3", {"3 stages", "tile 256x256", "32768 bytes of LDS", "legal: 2", "65536"});
  refuses("gemm --schedule q", {"--schedule", "staged interleaved direct refill"});
  refuses(
      "gemm --schedule interleaved --mma v_mfma_f32_16x16x16_f16",
      {"interleaved", "v_mfma_f32_16x16x16_f16", "legal: schedule staged, or an instruction with fewer bytes along k"});
  refuses("gemm --schedule direct --transa t", {"direct on gfx942", "gfx950"});
  refuses("gemm --schedule direct --arch gfx950", {"direct", "transa t, transb n"});
  refuses("gemm --arch gfx1250 --a bf16 --cluster 2", {"--cluster", "MxN as in 2x4"});
  refuses("gemm --a bf16 --cluster 2x2", {"schedule tensor on gfx942", "legal: gfx1250"});
  refuses("gemm --arch gfx1250 --a bf16 --prefetch 9", {"--prefetch"});
  refuses("gemm --split-k 2 --reduction atomic", {"split_k is 2", "legal: f32"});
}

TEST_CASE("verify prints one JSON document and nothing else", "[cli]") {
  const Ran r = wavesmith_(fmt::format("verify gemm {} -m 64 -n 64 -k 64 --json", small_tile));
  INFO(r.out << r.err);
  const auto j = nlohmann::json::parse(r.out);
  CHECK(j["good"] == true);
  CHECK(j["max_relative_error"].get<double>() <= j["bound"].get<double>());
}

TEST_CASE("run launches a code object on .npy files and writes its result", "[cli]") {
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("gemm {} --kernel g --d f32 -o {}", small_tile, d / "g.co")).status == 0);
  runtime::Array a{.type = runtime::Dtype::f2, .shape = {64, 64}, .fortran = true, .bytes = {}};
  for (int i = 0; i < 64 * 64; ++i) a.bytes.insert(a.bytes.end(), {0x00, 0x3c});  // 1.0
  runtime::save_npy(d / "a.npy", a);
  const std::string launch = fmt::format(
      "run {} --kernel g --grid 1,1,1 --block 256 --buffer a=in:{} --buffer d=out:f32:64x64:{} --buffer c=zeros:4",
      d / "g.co", d / "a.npy", d / "d.npy");
  const std::string sizes =
      " --arg u64:0 --arg u64:0 --arg u64:0 --arg u64:0 --arg u32:64 --arg u32:64 --arg u32:64 --arg u32:64 --arg "
      "u32:64 --arg u32:64 --arg u32:64 --arg f32:1 --arg f32:0";
  SECTION("good") {
    const Ran r = wavesmith_(launch + " --arg ptr:d --arg ptr:c --arg ptr:a --arg ptr:a" + sizes);
    INFO(r.out << r.err);
    REQUIRE(r.status == 0);
    const auto result = runtime::load_npy(d / "d.npy");
    std::vector<float> values(64 * 64);
    REQUIRE(result.bytes.size() == 4 * values.size());
    std::copy(result.bytes.begin(), result.bytes.end(), reinterpret_cast<uint8_t*>(values.data()));
    CHECK(values == std::vector<float>(64 * 64, 64.f));
  }
  SECTION("a fault is one line, status 1, and leaves no output") {
    const Ran r = wavesmith_(launch + " --arg ptr:d --arg ptr:c --arg ptr:c --arg ptr:a" + sizes);
    INFO(r.err);
    CHECK(r.status == 1);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    for (const char* part : {"pc 0x", "workgroup (0,0,0)", "wave", "lane", "address 0x", "'c'"})
      CHECK_THAT(r.err, Contains(part));
    CHECK_FALSE(fs::exists(d / "d.npy"));
  }
  SECTION("a fault is a JSON member under --json") {
    const Ran r = wavesmith_(launch + " --json --arg ptr:d --arg ptr:c --arg ptr:c --arg ptr:a" + sizes);
    CHECK(r.status == 1);
    const auto fault = nlohmann::json::parse(r.out)["fault"];
    CHECK((fault["kind"].is_string() && fault["lane"].is_number()));
    const Ran endless =
        wavesmith_(launch + " --json --max-instructions 50 --arg ptr:d --arg ptr:c --arg ptr:c --arg ptr:a" + sizes);
    CHECK(nlohmann::json::parse(endless.out)["fault"]["lane"].is_null());  // of no lane
  }
  SECTION("an input that is an output's memory is read unwritten: a warning, and a fault if listed") {
    const std::string reads_output = " --arg ptr:d --arg ptr:c --arg ptr:d --arg ptr:a" + sizes;
    const Ran warned = wavesmith_(launch + reads_output);
    CHECK(warned.status == 0);
    CHECK_THAT(warned.err, Contains("warning") && Contains("never written") && Contains("'d'"));
    CHECK(wavesmith_(launch + reads_output + " --sanitize uninitialized").status == 1);
    CHECK(wavesmith_(launch + reads_output + " --sanitize all,divergence").status == 0);
    CHECK(wavesmith_(launch + reads_output + " --sanitize none").err.empty());
  }
  SECTION("as many faults are told as asked for") {
    const Ran r = wavesmith_(launch + " --fault-limit 3 --arg ptr:d --arg ptr:c --arg ptr:c --arg ptr:a" + sizes);
    CHECK(r.status == 1);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);  // there is one workgroup
    refuses(launch + " --fault-limit 0", {"--fault-limit"});
  }
  SECTION("bad launches are refused") {
    const std::string co = d / "g.co";
    refuses(fmt::format("run {} --kernel nope --grid 1 --block 256", co), {"no kernel 'nope'", "g"});
    refuses(fmt::format("run {} --block 256", co), {"--grid is missing"});
    refuses(fmt::format("run {} --grid 0 --block 256", co), {"--grid", "legal"});
    refuses(fmt::format("run {} --grid 1,2,3,4 --block 256", co), {"--grid", "legal: X"});
    refuses(fmt::format("run {} --grid 1 --block 256 --arg u32:1", co), {"takes 17 arguments", "got 1"});
    refuses(fmt::format("run {} --grid 1 --block 256 --buffer a=in:{}", co, d / "none.npy"), {"none.npy"});
    refuses(fmt::format("run {} --grid 1 --block 256 --buffer a=in:{}", co, co), {"not an .npy file"});
    refuses(fmt::format("run {} --grid 1 --block 256 --buffer a=out:q7:3:x.npy", co), {"'q7'", "f16"});
    refuses(fmt::format("run {} --grid 1 --block 256 --buffer a", co), {"--buffer", "legal"});
    refuses(launch + " --arg ptr:q --arg ptr:c --arg ptr:a --arg ptr:a" + sizes, {"no buffer 'q'", "a d c"});
    refuses(launch + " --arg u32:1 --arg ptr:c --arg ptr:a --arg ptr:a" + sizes, {"--arg u32:1", "'D'"});
    refuses(launch + " --sanitize everything", {"--sanitize", "legal"});
  }
  SECTION("every instruction of a generated kernel runs") {
    CHECK(wavesmith_(fmt::format("run --coverage {}", d / "g.co")).status == 0);
  }
}

TEST_CASE("check says good with status 0, names a finding with its rule and source with status 1", "[cli][check]") {
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("gemm {} -o {} --meta {}", small_tile, d / "g.co", d / "g.json")).status == 0);
  CHECK(nlohmann::json::parse(text(d / "g.json"))["checked"] == true);
  const Ran good = wavesmith_(fmt::format("check {}", d / "g.co"));
  CHECK(good.status == 0);
  CHECK_THAT(good.out, Contains("0 findings") && Contains("instructions/s"));

  std::string code = text(d / "g.co");  // every s_barrier becomes s_nop 0
  const std::string barrier("\0\0\x8a\xbf", 4), nop("\0\0\x80\xbf", 4);
  for (size_t at = 0; (at = code.find(barrier, at)) != code.npos; at += 4)
    if (at % 4 == 0) code.replace(at, 4, nop);
  runtime::write_file(d / "broken.co", code);
  const Ran bad = wavesmith_(fmt::format("check {} {} --json", d / "g.co", d / "broken.co"));
  CHECK(bad.status == 1);
  const auto j = nlohmann::json::parse(bad.out);
  CHECK(j["files"][0]["findings"].empty());
  REQUIRE_FALSE(j["files"][1]["findings"].empty());
  CHECK(j["files"][1]["findings"][0]["rule"] == "LDS order between waves");
  CHECK_FALSE(j["files"][1]["findings"][0]["source"] == "");

  REQUIRE(wavesmith_(fmt::format("gemm {} --no-check -o {} --meta {}", small_tile, d / "g.co", d / "g.json")).status ==
          0);
  CHECK(nlohmann::json::parse(text(d / "g.json"))["checked"] == false);
}

TEST_CASE("files that are no code objects are refused", "[cli]") {
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("gemm {} -o {}", small_tile, d / "g.co")).status == 0);
  const std::string whole = text(d / "g.co");
  for (const size_t n : {size_t{0}, size_t{3}, size_t{40}, size_t{500}, whole.size() / 2, whole.size() - 1}) {
    INFO(n);
    runtime::write_file(d / "cut.co", std::string_view(whole).substr(0, n));
    refuses(fmt::format("inspect {}", d / "cut.co"), {"cut.co"});
    refuses(fmt::format("run {} --grid 1 --block 64", d / "cut.co"), {"cut.co"});
  }
  refuses(fmt::format("check {}", d / "cut.co"), {"cut.co"});
  refuses(fmt::format("check {} /nowhere/x.co", d / "g.co"), {"/nowhere/x.co", "No such file"});
  refuses(fmt::format("check {} --kernel other", d / "g.co"), {"no kernel 'other'"});
  refuses(fmt::format("inspect {}", WAVESMITH_TOOL), {"not AMDGPU"});
  refuses("inspect /nowhere/x.co", {"/nowhere/x.co", "No such file"});
}

TEST_CASE("bad input is one line saying what, where and what would be legal", "[cli]") {
  refuses("gemm --arch gfx900", {"gfx900", "gfx942"});
  refuses("gemm --arch gfx1099", {"gfx1099", "legal"});
  refuses("gemm --tile 512x256x64", {"512x256", "256x256"});
  refuses("gemm --tile 64x64x64 --waves 1x8", {"waves", "the nearest: m 64, n 128"});
  refuses("gemm --tile 64", {"MxNxK"});
  refuses("gemm --a u16", {"u16", "bf16"});
  refuses("gemm --transa q", {"'q'", "n t"});
  refuses("gemm -o /nowhere/g.co", {"/nowhere/g.co"});
  refuses("gemm --nonsense", {"--nonsense", "--help"});
  refuses("nonsense", {"nonsense", "gemm"});
  refuses("", {"--help"});
  refuses("verify gemm -m 4 -n 4", {"-k is missing"});
  refuses("verify gemm -m 64 -n 64 -k 64 --lda 3", {"--lda", "64 or more"});
  refuses("verify gemm -m 4 -n 4 -k 4 --init nonsense", {"--init", "special"});
  refuses("verify gemm -m 4 -n 4 -k 4 --device cuda", {"cuda", "sim"});
  refuses("serve --seconds nan", {"--seconds", "nan", "0.001"});
  refuses("array --shape 3xq /tmp/never.npy", {"--shape", "q"});
}

TEST_CASE("matrices of the wrong shape or type are refused", "[cli]") {
  const Directory d;
  const std::string a = d / "a.npy", b = d / "b.npy", f = d / "f.npy";
  REQUIRE(wavesmith_("array --shape 8x6 " + a).status == 0);
  REQUIRE(wavesmith_("array --shape 7x8 " + b).status == 0);
  REQUIRE(wavesmith_("array --shape 6x8 --type f32 " + f).status == 0);
  refuses(fmt::format("verify gemm {} --init {},{}", small_tile, a, b), {"b.npy", "(7, 8)", "(6, 8)"});
  refuses(fmt::format("verify gemm {} --init {},{}", small_tile, a, f), {"f.npy", "f4 (6, 8)", "f2"});
  refuses(fmt::format("verify gemm {} --init {}", small_tile, a), {"--init", "A.npy,B.npy"});
}

TEST_CASE("without a GPU --device hip ends with status 3 and one line", "[cli][hip]") {
  if (fs::exists("/dev/kfd")) {
    WARN("there may be a GPU: skipped");
    return;
  }
  const Ran r = wavesmith_(fmt::format("verify gemm {} -m 4 -n 4 -k 4 --device hip", small_tile));
  CHECK(r.status == 3);
  CHECK(r.out.empty());
  CHECK_THAT(r.err, Contains("hipErrorNoDevice"));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("every command and subcommand explains itself with an example", "[cli]") {
  std::vector<std::string> commands = {""};
  for (size_t i = 0; i < commands.size(); ++i) {
    const Ran r = wavesmith_(commands[i] + " --help");
    INFO(commands[i]);
    CHECK(r.status == 0);
    if (i > 0) CHECK_THAT(r.out, Contains("\nExample") && Contains("\n  wavesmith" + commands[i]));
    const size_t list = r.out.find("Subcommands:\n");
    if (list == std::string::npos || r.out.find("folder SUBCOMMAND") != std::string::npos) continue;  // of `bench gemm`
    std::istringstream rows(r.out.substr(list + 13));
    for (std::string row; std::getline(rows, row) && row.starts_with("  ");)
      commands.push_back(commands[i] + " " + row.substr(2, row.find(' ', 2) - 2));
  }
  CHECK(commands.size() > 24);
}

TEST_CASE("attention writes the code object, the assembly and what a host needs to launch it", "[cli][attention]") {
  const Directory d;
  const Ran r =
      wavesmith_(fmt::format("attention --arch gfx950 --type f16 --head-dim 64 --causal --lse -o {} --asm {} --meta {}",
                             d / "a.co", d / "a.s", d / "a.json"));
  INFO(r.err);
  REQUIRE(r.status == 0);
  CHECK_THAT(text(d / "a.s"), Contains("v_mfma_f32_32x32x16_f16") && Contains("ds_read_b64_tr_b16") &&
                                  Contains("v_permlane32_swap_b32") && Contains("s_setprio"));
  const auto meta = nlohmann::json::parse(text(d / "a.json"));
  CHECK(meta["workgroup_size"] == 256);
  CHECK(meta["formulas"]["diagonal"] == "keys - queries");
  CHECK(meta["config"]["head_dim"] == 64);
  CHECK(meta["checked"] == true);
}

TEST_CASE("verify attention takes Composable Kernel's letters and finds the kernel right", "[cli][attention]") {
  const Ran r = wavesmith_(
      "verify attention --arch gfx942 -b=1 -h=4 -h_k=2 -s=70 -s_k=133 -d=64 -prec=fp16 -mask=b -lse=1 --json");
  INFO(r.err);
  REQUIRE(r.status == 0);
  const auto j = nlohmann::json::parse(r.out);
  CHECK(j["good"] == true);
  CHECK(j["checked"] == 4 * 70 * (64 + 1));
  CHECK(j["hkv"] == 2);
  CHECK(j["share_of_allowed"].get<double>() > 0.01);  // or the bound says nothing
}

TEST_CASE("verify attention takes Q, K and V from files", "[cli][attention]") {
  const Directory d;
  const auto save = [&](const char* name, std::vector<uint64_t> shape, uint16_t bits) {
    runtime::Array a{.type = runtime::Dtype::f2, .shape = shape};
    a.bytes.resize(a.count() * 2);
    for (uint64_t i = 0; i < a.count(); ++i) std::memcpy(&a.bytes[2 * i], &bits, 2);
    runtime::save_npy(d / name, a);
  };
  save("q.npy", {1, 5, 2, 64}, 0x3c00), save("k.npy", {1, 9, 1, 64}, 0), save("v.npy", {1, 9, 1, 64}, 0x4000);
  const std::string kernel =
      "verify attention --arch gfx942 --type f16 --head-dim 64 --h 2 --hkv 1 --sq 5 --sk 9 --init ";
  const Ran r = wavesmith_(fmt::format("{}{},{},{} --json", kernel, d / "q.npy", d / "k.npy", d / "v.npy"));
  INFO(r.err);
  REQUIRE(r.status == 0);
  CHECK(nlohmann::json::parse(r.out)["max_error"] == 0);  // all weights are one: exactly V
  refuses(fmt::format("{}{},{},{}", kernel, d / "q.npy", d / "k.npy", d / "q.npy"),
          {"q.npy", "(1, 9, 1, 64)", "for V"});
  refuses(fmt::format("{}{}", kernel, d / "q.npy"), {"--init", "Q.npy,K.npy,V.npy"});
}

TEST_CASE("verify attention packs sequences, of lengths given or drawn, in both vocabularies", "[cli][attention]") {
  const Ran given = wavesmith_(
      "verify attention --arch gfx942 --varlen --h 2 --hkv 1 --sq 70,0,33 --sk 5,40,100 --causal --lse --type f16 "
      "--head-dim 64 --head-dim-v 128 --json");
  INFO(given.err);
  REQUIRE(given.status == 0);
  const auto j = nlohmann::json::parse(given.out);
  CHECK(j["b"] == 3);
  CHECK(j["sq"] == std::vector<int>{70, 0, 33});
  CHECK(j["d_v"] == 128);
  CHECK(j["checked"] == 2 * 103 * (128 + 1));
  CHECK(j["share_of_allowed"].get<double>() > 0.01);
  const Ran drawn = wavesmith_(
      "verify attention --arch gfx950 -mode=1 -b=4 -h=1 -s=50 -s_k=60 -d=64 -prec=bf16 -mask=b -lse=1 --json");
  INFO(drawn.err);
  REQUIRE(drawn.status == 0);
  const auto sq = nlohmann::json::parse(drawn.out)["sq"].get<std::vector<int>>();
  CHECK(sq.size() == 4);
  CHECK(std::accumulate(sq.begin(), sq.end(), 0) == 200);
  CHECK(*std::ranges::max_element(sq) > 50);  // they differ
  const Directory d;
  REQUIRE(wavesmith_(fmt::format("attention --varlen --causal --lse --meta {}", d / "a.json")).status == 0);
  const auto meta = nlohmann::json::parse(text(d / "a.json"));
  CHECK(meta["config"]["varlen"] == true);
  CHECK(meta["formulas"]["from_end"] == "-1");
  CHECK_THAT(meta["arguments"].dump(),
             Contains("cu_seqlens_q") && Contains("cu_seqlens_k") && Contains("\"i32*\"") && !Contains("**"));
}

TEST_CASE("verify attention takes special numbers, whole ones, and nothing at all", "[cli][attention]") {
  for (const char* problem : {"--init special --arch gfx942 --type f16 --sq 70 --sk 90 --h 3 --head-dim 64 --lse",
                              "--init special --arch gfx950 --type bf16 --sq 150 --sk 200 --causal --lse",
                              "--init special --arch gfx942 --type bf16 --varlen --sq 7 -b 40 --h 2 --causal",
                              "--init special --arch gfx950 --type f16 --varlen --sq 90,3,40 --mask t --head-dim 64",
                              "--init int --sq 70 --head-dim 64 --head-dim-v 128", "--varlen --sq 0,0 --sk 5,9",
                              "--sq 0 --sk 9", "--sq 3 --sk 0 --lse", "--varlen --sq 3,4 --sk 0,0 --lse"}) {
    const Ran r = wavesmith_(fmt::format("verify attention {} --json", problem));
    INFO(problem << "\n" << r.out << r.err);
    REQUIRE(r.status == 0);
    const auto j = nlohmann::json::parse(r.out);
    CHECK(j["good"] == true);
    CHECK(j["open"].get<double>() <= j["checked"].get<double>() / 2);
  }
}

TEST_CASE("attention in f16 on gfx90a keeps weights that its matrix unit would take for zeros",
          "[cli][attention][numerics]") {
  for (const char* problem : {"--sk 63 --scale 1.0 --seed 3", "--sk 4000 --scale 1.0 --seed 2 --lse",
                              "--sk 163 --scale 3.0 --causal --lse", "--sk 63 --init special --lse"}) {
    const Ran r =
        wavesmith_(fmt::format("verify attention --arch gfx90a --type f16 --head-dim 128 --sq 127 {}", problem));
    INFO(problem << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}
TEST_CASE("many small weights of attention add up on gfx90a as elsewhere", "[cli][attention][numerics]") {
  // One key scores 16 ln 2 above the others: 2^-16 each, denormals of f16, of which 4096 weigh 2^-4. V is 1 there and 0
  // for the one.
  const Directory d;
  const auto save = [&](const char* name, std::vector<uint64_t> shape, auto&& bits_of_row) {
    runtime::Array a{.type = runtime::Dtype::f2, .shape = shape};
    a.bytes.resize(a.count() * 2);
    for (uint64_t i = 0; i < a.count(); ++i) {
      const uint16_t bits = bits_of_row(i / 128, i % 128);
      std::memcpy(&a.bytes[2 * i], &bits, 2);
    }
    runtime::save_npy(d / name, a);
  };
  save("q.npy", {1, 5, 1, 128}, [](uint64_t, uint64_t x) { return x == 0 ? 0x3c00 : 0; });
  save("k.npy", {1, 4097, 1, 128},
       [](uint64_t row, uint64_t x) { return row == 70 && x == 0 ? 0x498b : 0; });  // 11.09: 16 ln 2 is 11.090
  save("v.npy", {1, 4097, 1, 128}, [](uint64_t row, uint64_t) { return row == 70 ? 0 : 0x3c00; });
  const Ran r = wavesmith_(
      fmt::format("verify attention --arch gfx90a --type f16 --head-dim 128 --scale 1 --sq 5 --sk 4097 --init {},{},{}",
                  d / "q.npy", d / "k.npy", d / "v.npy"));
  INFO(r.out << r.err);
  CHECK(r.status == 0);
}

TEST_CASE("attention problems that no kernel supports are refused in one line", "[cli][attention]") {
  refuses("attention --head-dim 520", {"head dimension 520", "multiples of 8 from 16 to 512, the nearest 512"});
  refuses("attention --arch gfx1100 --head-dim 256", {"256 and 256", "more registers than gfx1100", "the nearest"});
  refuses("attention --arch gfx1201 --schedule pipelined", {"gfx1201", "gfx942", "sequential"});
  refuses("attention --schedule both", {"--schedule: 'both'", "pipelined sequential"});
  refuses("attention --type f32", {"--type", "f16 bf16"});
  refuses("attention --mask x", {"--mask", "0 t b"});
  refuses("attention --head-dim 128 --head-dim-v 97",
          {"head dimension 97 of V", "multiples of 8 from 16 to 512, the nearest 96"});
  refuses("attention -mode=2", {"--mode", "0 1"});
  refuses("verify attention --sq 8,9", {"--sq: 2 lengths", "--varlen"});
  refuses("verify attention --varlen -b 3 --sq 8,9", {"--sq: 2 lengths for 3 batches", "one per batch"});
  refuses("verify attention --varlen --sq 8,9 --sk 7,8,9", {"--sk: 3 lengths for 2 batches"});
  refuses("verify attention --sq 8,x --varlen", {"--sq", "x"});
  refuses("verify attention --h 3 --hkv 2 --sq 8", {"3 heads for 2"});
  refuses("verify attention --sq 8 --scale -1", {"scale"});
}
