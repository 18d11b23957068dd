// Hostile and unlucky input to the built program: whatever it is, exit status 0 to 3, one line on standard error, whole
// output or none.
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;
using namespace clitest;
namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes replaced(Bytes b, std::string_view from, std::string_view to) {
  REQUIRE(from.size() == to.size());
  int found = 0;
  for (auto at = b.begin();
       (at = std::search(at, b.end(), from.begin(), from.end(),
                         [](uint8_t x, char y) { return x == static_cast<uint8_t>(y); })) != b.end();
       at += static_cast<long>(from.size()), ++found)
    std::copy(to.begin(), to.end(), at);
  REQUIRE(found > 0);
  return b;
}
std::string word(uint32_t x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }

constexpr uint32_t lds_mark = 0x1234;  // finds the descriptor's field
Bytes object(const char* target, const std::string& directives = "") {
  simtest::Assembly a{"s_endpgm"};
  a.target = target, a.lds = lds_mark, a.directives = directives;
  if (a.info().agprs == 0) a.agprs = 0;
  return a.build();
}

constexpr const char* small_gemm = "gemm --tile 64x64x64";
constexpr const char* plan_command = "plan --arch gfx942 --m 64 --n 64 --k 64 --a f16 --b f16";

}  // namespace

TEST_CASE("descriptors and names that no kernel can have are refused in one line by every command that reads them",
          "[cli][hostile]") {
  const Directory d;
  const Bytes good = object("gfx942");
  struct Row {
    const char* what;
    std::string from, to;
    const char* says;
  };
  const Row rows[] = {{"LDS of a megabyte", word(lds_mark), word(0x100000), "1048576 bytes of LDS; gfx942 has 65536"},
                      {"LDS of four gigabytes", word(lds_mark), word(0xffffffff), "4294967295 bytes of LDS"},
                      {"a name with a line break", "k.kd", "\n.kd", "'\\n.kd' is not text"},
                      {"a name that is no UTF-8", "k.kd", "\xff.kd", "'\\xff.kd' is not text"},
                      {"no name", "k.kd", std::string(".kd\0", 4), "no kernel name"}};
  for (const Row& r : rows) {
    runtime::write_file(d / "x.co", replaced(good, r.from, r.to));
    for (const char* command : {"inspect {}", "inspect --json {} --kernel k", "check {}", "run {} --grid 1 --block 64",
                                "time {} --grid 1 --block 64", "run --coverage {}"}) {
      const Ran ran = run_program(fmt::format(fmt::runtime(command), d / "x.co"));
      INFO(r.what << ": " << command << "\n" << ran.out << ran.err);
      CHECK(ran.status == 2);
      CHECK(lines(ran.err) == 1);
      CHECK_THAT(ran.err, Catch::Contains(r.says));
      if (ran.out.empty()) continue;
      CHECK(nlohmann::json::parse(ran.out)["error"]["status"] == 2);
    }
  }
  runtime::write_file(d / "good.co", good);
  CHECK(run_program(fmt::format("inspect --listing {}", d / "good.co")).status == 0);
}

TEST_CASE("a code object with an encoding that LLVM dies of is listed, checked and refused like any other",
          "[cli][hostile]") {
  const Directory d;
  simtest::Assembly a{".long 0xd1ed000a\n.long 0x000000ff\ns_nop 0\ns_endpgm"};
  a.target = "gfx908";
  runtime::write_file(d / "x.co", a.build());
  CHECK_THAT(run_program(fmt::format("inspect --listing {}", d / "x.co")).out,
             Catch::Contains("not an instruction") && Catch::Contains("s_endpgm"));
  CHECK(run_program(fmt::format("run {} --grid 1 --block 64 --at 0=u32:0", d / "x.co")).status == 1);
  CHECK(run_program(fmt::format("check {}", d / "x.co")).status <= 2);
}

TEST_CASE("a grid that is not made of whole clusters is refused by run and time alike", "[cli][hostile]") {
  const Directory d;  // a key of the metadata becomes .cluster_dims: [4, 1, 1], in msgpack's longer forms
  runtime::write_file(d / "x.co", replaced(object("gfx1250"), "\xb6.kernarg_segment_align\x08",
                                           std::string("\xdb\0\0\0\x0d.cluster_dims\xdc\0\3\4\1\1", 24)));
  const std::string launch = fmt::format("{} --block 32 --at 0=hex:00000000000000000000000000000000", d / "x.co");
  for (const char* command : {"run", "time"}) {
    refuses(fmt::format("{} {} --grid 1", command, launch), {"a grid of 1x1x1 is not a multiple of clusters of 4x1x1"});
    CHECK(run_program(fmt::format("{} {} --grid 4", command, launch)).status == 0);
  }
}

TEST_CASE("kernel names that no symbol can have are refused", "[cli][hostile]") {
  for (const char* name :
       {"''", ".kd", "a.kd", "@x", "a@@b", "'a b'", "\"$(printf 'a\\nb')\"", "\"$(printf 'a\\377')\"", "1st", "."})
    for (const char* command : {small_gemm, "attention"}) {
      if (std::string_view(name) == "''") continue;  // the default
      refuses(fmt::format("{} --kernel {}", command, name), {"kernel name", "legal: 1 to 255 letters"});
    }
  CHECK(run_program(fmt::format("{} --kernel _ZN1a.b$c", small_gemm)).status == 0);
}

TEST_CASE("options with numbers beyond all bounds and with line breaks are refused in one line", "[cli][hostile]") {
  struct Row {
    std::string arguments;
    const char* says;
  };
  const std::string break_in = "\"$(printf 'a\\nb')\"";
  const Row rows[] = {{std::string(plan_command) + " --cus 304 --problem 9223372036854775807x9223372036854775807",
                       "legal: 1 to 2147483648"},
                      {std::string(plan_command) + " --cus 304 --problem 0x5", "--problem"},
                      {"plan --arch gfx942 --m 9223372036854775807 --n 64 --k 64 --a f16 --b f16",
                       "--m: 9223372036854775807 is out of range"},
                      {"plan --arch gfx942 --m -5 --n 64 --k 64 --a f16 --b f16", "--m: -5"},
                      {"plan --arch gfx942 --m 64 --n 64 --k 64 --a f16 --b f16 --waves 0", "--waves"},
                      {"plan --arch gfx942 --m 64 --n 64 --k 64 --a f16 --b f16 --waves -2147483648", "--waves"},
                      {"isa --arch " + break_in, "a\\nb"},
                      {break_in, "a\\nb"},
                      {"gemm --" + break_in, "a\\nb"},
                      {"gemm --transa " + break_in, "a\\nb"},
                      {"inspect " + break_in, "a\\nb"},
                      {"layout " + break_in + " --arch gfx942 --operand a", "a\\nb"},
                      {"occupancy --arch gfx942 --vgprs 8 --lds 1 --waves \"$(printf '\\033[2J')\"", "\\x1b"},
                      {"inspect \"$(printf 'a\\377b')\"", "a\\xffb"},
                      {"occupancy --arch gfx942 --vgprs 2147483647 --lds 0 --waves 4", "VGPRs"},
                      {"occupancy --arch gfx942 --vgprs 8 --lds 2147483647 --waves 4", "LDS"},
                      {"occupancy --arch gfx942 --vgprs -1 --lds 0 --waves 4", "VGPRs"},
                      {"array --shape 18446744073709551615x2 never.npy", "--shape"},
                      {"array --shape 4294967296x4294967296 never.npy", "--shape"}};
  for (const Row& r : rows) refuses(r.arguments, {r.says});
}

TEST_CASE("a pattern of forty stars is matched in no time", "[cli][hostile]") {
  const std::string stars(40, '*');
  const auto count = [](const std::string& pattern) {
    const Ran r = run_program(fmt::format("isa --arch gfx942 '{}'", pattern), "", "</dev/null");
    INFO(pattern << r.err);
    return r.status == 0 ? lines(r.out) : 0;
  };
  CHECK(count(stars + "_f64") == count("*_f64"));
  CHECK(count(stars + "nothing_is_called_this") == 0);
  CHECK(count("v_m?x_f*") == count("v_max_f*") + count("v_mix_f*"));
  CHECK(count("*v*m*a*x*f*64*") > 0);
}

TEST_CASE("files with line breaks where none belong are refused in one line", "[cli][hostile]") {
  const Directory d;
  const auto npy = [&](const std::string& shape) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
    runtime::write_file(d / "a.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' +
                                         header + std::string(16, '\0'));
    refuses(fmt::format("run {} --grid 1 --block 64 --buffer a=in:{}", d / "k.co", d / "a.npy"), {"a.npy"});
  };
  runtime::write_file(d / "k.co", object("gfx942"));
  for (const char* shape :
       {"(2.0, 2)", "(2\n, x)", "(4 4\n)", "(1e9,)", "(99999999999999, 99999999999999)", "(-1,)", "(4", "\n\n\n", "()"})
    npy(shape);
  for (const char* row :
       {"\"a\nb\",gfx942,64,64,x\ny,f16,f16", "\"a\nb\",gfx942,64,64,64,\"f\n16\",f16",
        "1,\"gfx\n\n\n\",64,64,64,f16,f16", "1,gfx942,64,64", "\"", "1,gfx942,99999999999999999999,64,64,f16,f16"}) {
    runtime::write_file(d / "c.csv", fmt::format("id,arch,M,N,K,a_type,b_type\n{}\n", row));
    refuses(fmt::format("plan --cases {}", d / "c.csv"), {"c.csv"});
  }
}

TEST_CASE("an error under --json is a document and a line", "[cli][hostile]") {
  const Directory d;
  for (const char* arguments :
       {"inspect /nowhere/x.co --json", "gemm --arch gfx900 --json", "isa --arch gfx942 nonsense --json",
        "verify gemm -m 4 -n 4 --json", "check --json /nowhere", "plan --json", "gemm --json --nonsense",
        "inspect --json \"$(printf '/nowhere/\\377\\n')\""}) {
    const Ran r = run_program(arguments);
    INFO(arguments << "\n" << r.out << r.err);
    CHECK(r.status == 2);
    CHECK(lines(r.err) == 1);
    const auto j = nlohmann::json::parse(r.out);
    CHECK(j["error"]["status"] == 2);
    CHECK_FALSE(j["error"]["message"] == "");
  }
  runtime::write_file(d / "\xff.co", object("gfx942"));  // a good answer about a file whose name is no UTF-8
  CHECK(nlohmann::json::parse(run_program(fmt::format("inspect --json {}", d / "\xff.co")).out)["target"] == "gfx942");
}

TEST_CASE(
    "standard output that takes nothing is the machine's fault, standard error that takes nothing changes no status",
    "[cli][hostile]") {
  for (const char* to : {">/dev/full", ">&-", "| true"}) {
    const Directory d;
    INFO(to);
    const bool pipe = to[0] == '|';
    // The status of a program in front of a pipe is the shell's PIPESTATUS; it sleeps until the reader is gone.
    const std::string command =
        pipe
            ? fmt::format("bash -c '(sleep 0.2; {0} isa --arch gfx942 2>{1}; echo $? >{2}) | true; sleep 1.5'",
                          WAVESMITH_TOOL, d / "err", d / "status")
            : fmt::format("{0} isa --arch gfx942 2>{1} {3}; echo $? >{2}", WAVESMITH_TOOL, d / "err", d / "status", to);
    CHECK(std::system(command.c_str()) == 0);
    CHECK(text(d / "status") == "3\n");
    CHECK_THAT(text(d / "err"), Catch::Contains("standard output: ") && Catch::EndsWith("\n"));
    CHECK(lines(text(d / "err")) == 1);
  }
  for (const char* to : {"2>/dev/full", "2>&-"}) {
    INFO(to);
    CHECK(run_program("gemm --arch gfx900", "", to).status == 2);
    CHECK(run_program("isa --arch gfx942 v_add_f32", "", to).status == 0);
  }
  const Directory d;
  CHECK(run_program(fmt::format("{} -o {}", small_gemm, d / "g.co"), "", ">&- 2>&-").status == 3);
  CHECK_THAT(text(d / "g.co").substr(0, 4),
             Catch::Equals("\177ELF"));  // no descriptor of the file was mistaken for standard output
}

TEST_CASE("a file that the disk or a limit does not take whole is not there, and that is the machine's fault",
          "[cli][hostile]") {
  const Directory d;
  struct Row {
    const char* before;
    std::string arguments;
  };
  const Row rows[] = {{"ulimit -f 4;", fmt::format("{} -o {}", small_gemm, d / "g.co")},
                      {"ulimit -f 4;", fmt::format("{} --asm {}", small_gemm, d / "g.s")},
                      {"ulimit -f 4;", fmt::format("array --shape 100x100 {}", d / "a.npy")}};
  for (const Row& r : rows) {
    const Ran ran = run_program(r.arguments, r.before);
    INFO(r.arguments << "\n" << ran.out << ran.err);
    ends_with_line(ran, 3, {"File too large"});
    CHECK(d.files() == 0);
  }
  ends_with_line(run_program("array --shape 100x100 /dev/full"), 3, {"/dev/full", "No space left"});
  ends_with_line(run_program(fmt::format("{} -o /dev/full", small_gemm)), 3, {"/dev/full", "No space left"});
  runtime::write_file(d / "a.npy", "before");
  CHECK(run_program(fmt::format("array --shape 100x100 {}", d / "a.npy"), "ulimit -f 4;").status == 3);
  CHECK(text(d / "a.npy") == "before");
}

TEST_CASE("a run that is interrupted, however, leaves nothing behind", "[cli][hostile]") {
  const auto left = [](const fs::path& where) {
    int count = 0;
    for (const auto& e : fs::directory_iterator(where))
      count += e.path().filename().string().find("wavesmith-") == 0 &&
               e.path().filename().string().find("wavesmith-cli") != 0;
    return count;
  };
  const int before = left("/dev/shm");
  const Directory d;
  for (const char* signal : {"INT", "TERM", "KILL"})
    for (const char* after : {"0.02", "0.05", "0.1"})
      std::system(fmt::format("timeout -s {} {} {} {} -o {} >/dev/null 2>&1", signal, after, WAVESMITH_TOOL, small_gemm,
                              d / "g.co")
                      .c_str());
  CHECK(left("/dev/shm") == before);
  CHECK(d.files() <= 1);  // whole, if it is there
  if (fs::exists(d / "g.co")) CHECK(run_program(fmt::format("inspect {}", d / "g.co")).status == 0);
}

TEST_CASE("assembly text that asks for more memory than there is ends with one line", "[cli][hostile]") {
  const Directory d;
  const auto check = [&](const char* text, const char* before) {
    runtime::write_file(d / "k.s", std::string(text));
    return run_program(fmt::format("check --arch gfx942 {}", d / "k.s"), before);
  };
  for (const char* text : {".text\n.space 1<<45\n", ".text\n.org 0xffffffffff\ns_endpgm\n"})
    ends_with_line(check(text, ""), 2, {"k.s: its directives ask for", "legal: up to 268435456"});
  // A macro that calls itself twice is expanded a million times and more; a string without an end goes to the text's.
  ends_with_line(check(".macro m\nm\nm\n.endm\nm\n", "ulimit -S -t 1;"), 2, {"k.s: is not assembled after", "legal"});
  ends_with_line(check("s_nop 0\n s_nop, \"1\n", ""), 2, {"k.s:2:9: unterminated string"});
  if (!std::string_view(WAVESMITH_SANITIZE).empty()) return;  // they need more address space than that
  ends_with_line(check(".text\n.fill 4000000000, 4, 1\n", "ulimit -v 1500000;"), 3, {"out of memory"});
}
