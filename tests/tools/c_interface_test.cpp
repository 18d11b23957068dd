// libwavesmith and its Python package as their users meet them: a C99 compiler and the header, pip and NumPy.
#include <catch2/catch.hpp>

#include "tests/support/command.h"

using namespace clitest;

namespace {

const std::string library = std::string(WAVESMITH_BUILD) + "/libwavesmith.so.0";

Ran shell(const std::string& command) {
  return run_command(fmt::format("timeout {} sh -c '{}'", hangs_after, command));
}

// Compiles and links a program of this source; its path.
std::string compiled(const Directory& d, const std::string& source, const char* compiler = WAVESMITH_CC " -std=c99") {
  const Ran r =
      shell(fmt::format("{} -Wall -Wextra -pedantic -Werror {} -I{}/include {}/{} -x none {} -Wl,-rpath,{} -o {}",
                        compiler, *WAVESMITH_SANITIZE ? "-fsanitize=" WAVESMITH_SANITIZE : "", WAVESMITH_SOURCE,
                        WAVESMITH_SOURCE, source, library, WAVESMITH_BUILD, d / "program"));
  INFO(r.err);
  REQUIRE(r.status == 0);
  return d / "program";
}

const char* const python = "/usr/bin/python3";  // Debian's, which Debian's NumPy is for

// A sanitizer's runtime would have to be in the interpreter.
bool python_runs() {
  if (!*WAVESMITH_SANITIZE && shell(fmt::format("{} -c \"import setuptools, numpy, pip, wheel\"", python)).status == 0)
    return true;
  WARN("not run: python3-numpy and python3-pip are not here, or a sanitizer is");
  return false;
}

}  // namespace

TEST_CASE("the C interface refuses bad input in one line", "[c_interface]") {
  const Directory d;
  const Ran r = shell(compiled(d, "tests/tools/c_interface/refusals.c"));
  INFO(r.err);
  CHECK(r.status == 0);
}

TEST_CASE("a C program runs a kernel on its array", "[c_interface][docs]") {
  const Directory d;
  const std::string program = compiled(d, "docs/examples/double.c");
  const std::string source = std::string(WAVESMITH_SOURCE) + "/docs/examples/double.s";
  const Ran faulty = shell(program + " " + source);
  CHECK(faulty.status == 1);
  CHECK(faulty.err.find("in flight") != faulty.err.npos);
  const Ran mended = shell(fmt::format("sed \"s/^.v_add_f32/s_waitcnt vmcnt(0)\\n&/\" {} >{}; {} {}", source, d / "k.s",
                                       program, d / "k.s"));
  INFO(mended.err);
  CHECK(mended.status == 0);
  CHECK(mended.out == "126\n");
  CHECK(shell(program).status == 2);
  compiled(d, "docs/examples/double.c", WAVESMITH_CXX " -x c++ -std=c++11");
}

TEST_CASE("libwavesmith exports the functions of its header and nothing else", "[c_interface]") {
  const Ran r =
      shell(fmt::format("nm -D --defined-only {} | grep -v \" A \" | sed \"s/.* //; s/@.*//\" | sort", library));
  const Ran declared = shell(fmt::format(
      "sed \"s@/[*].*@@\" {}/include/wavesmith/wavesmith.h | grep -o \"wavesmith_[a-z_]*(\" | tr -d \"(\" | sort",
      WAVESMITH_SOURCE));
  CHECK(lines(r.out) == 14);
  CHECK(r.out == declared.out);
  CHECK(shell(fmt::format("readelf -d {} | grep -q \"SONAME.*libwavesmith.so.0]\"", library)).status == 0);
}

TEST_CASE("the Python package computes what NumPy does", "[c_interface][docs]") {
  if (!python_runs()) return;
  for (const char* file : {"docs/examples/double.py", "tests/tools/c_interface/arrays.py"}) {
    const Ran r = shell(fmt::format(
        "cd / && PYTHONDONTWRITEBYTECODE=1 WAVESMITH_BUILD={} PYTHONPATH={}/tools/python {} {}/{} {}/docs/examples",
        WAVESMITH_BUILD, WAVESMITH_SOURCE, python, WAVESMITH_SOURCE, file, WAVESMITH_SOURCE));
    INFO(file << "\n" << r.err);
    CHECK(r.status == 0);
  }
}

TEST_CASE("pip installs the Python package from the source tree, with its library", "[c_interface][package]") {
  if (!python_runs()) return;
  const Directory d;
  const Ran pip = shell(
      fmt::format("cd / && WAVESMITH_BUILD={} {} -m pip install --quiet --root-user-action=ignore "
                  "--disable-pip-version-check --no-index --no-build-isolation --no-deps --target {} {}/tools/python",
                  WAVESMITH_BUILD, python, d / "site", WAVESMITH_SOURCE));
  INFO(pip.err);
  REQUIRE(pip.status == 0);
  CHECK(std::filesystem::exists(d / "site/wavesmith/libwavesmith.so.0"));
  const Ran r = shell(
      fmt::format("cd / && PYTHONPATH={} {} -c \"import wavesmith; print(wavesmith.version())\"", d / "site", python));
  INFO(r.err);
  CHECK(r.out == "0.1\n");
}
