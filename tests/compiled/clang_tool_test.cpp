// `wavesmith run` on code objects that clang made: which kernel, launch geometry, hidden arguments, dynamic LDS.
#include <catch2/catch.hpp>

#include "runtime/npy.h"
#include "tests/compiled/clang_corpus.h"
#include "tests/support/command.h"

using namespace wavesmith;
using namespace clitest;

namespace {

std::vector<uint32_t> words(const std::string& file) {
  const auto a = runtime::load_npy(file);
  std::vector<uint32_t> v(a.bytes.size() / 4);
  std::memcpy(v.data(), a.bytes.data(), v.size() * 4);
  return v;
}

}  // namespace

TEST_CASE("wavesmith run launches what clang compiled: kernel by name, three axes, hidden arguments, dynamic LDS",
          "[clang][cli]") {
  if (corpus::compiler().empty()) {
    WARN("clang-22 is not here: skipped");
    return;
  }
  const Directory scratch;
  const std::string out = scratch / "out.npy";
  for (const char* target : {"gfx908", "gfx942", "gfx1100", "gfx1201", "gfx1250"}) {
    CAPTURE(target);
    const std::string file = corpus::compile({"launch", target, "", "O3", "-O3"}).string();

    const Ran unnamed = run_program("run " + file + " --grid 1 --block 64");
    CHECK(unnamed.status == 2);
    CHECK(unnamed.err.find("geometry") != std::string::npos);  // names the kernels there are

    REQUIRE(
        run_program(
            fmt::format("run {} --kernel geometry --grid 3,2,4 --block 20,5,2 --buffer o=out:u32:4800:{} --arg ptr:o",
                        file, out))
            .status == 0);
    const auto ids = words(out);
    CHECK(ids[0] == 0);
    CHECK(ids[199] == (19 | 4 << 8 | 1 << 16));
    CHECK(ids[4799] == (19 | 4 << 8 | 1 << 16 | uint32_t{2 ^ 1 << 2 ^ 3 << 4} << 24));

    REQUIRE(
        run_program(
            fmt::format(
                "run {} --kernel hidden --grid 3,2,4 --block 20,5,2 --buffer o=out:u32:13:{} --arg ptr:o --arg hex:78",
                file, out))
            .status == 0);
    CHECK(words(out) == std::vector<uint32_t>{3, 2, 4, 20, 5, 2, 0, 0, 0, 0, 0, 0, 3});

    REQUIRE(run_program(
                fmt::format("run {} --kernel dynamic_lds --grid 4 --block 96 --buffer i=fill:1536:01000000 --buffer "
                            "o=out:u32:384:{} --arg ptr:i --arg ptr:o --arg lds:384 --arg i32:41",
                            file, out))
                .status == 0);
    CHECK(words(out) == std::vector<uint32_t>(384, 42));
  }
}
