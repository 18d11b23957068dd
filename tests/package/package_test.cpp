// What the build promises about headers: a layer sees those below it and no others; a program sees <wavesmith/...> of
// the installed package.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "tests/support/command.h"

namespace {

using clitest::Directory;
namespace files = std::filesystem;

// Whether a file of this one line is compiled with the include path that the build gives to `layer`.
bool includes(const std::string& layer, const std::string& header) {
  const Directory d;
  std::ofstream(d / "file.cpp") << "#include \"" << header << "\"\n";
  const std::string path = clitest::text(fmt::format("{}/layers/{}.path", WAVESMITH_BUILD, layer));
  return clitest::status_of(
             fmt::format("{} -std=c++20 -E {} {} >/dev/null 2>&1", WAVESMITH_CXX, path, d / "file.cpp")) == 0;
}

TEST_CASE("a layer includes those below it, and none above it", "[package]") {
  struct Layer {
    const char* header;
    std::vector<std::string> below;
  };
  const std::map<std::string, Layer> layers = {
      {"isa_tables", {"isa_tables/isa.h", {}}},
      {"simulator", {"simulator/simulator.h", {"isa_tables"}}},
      {"checker", {"checker/check.h", {"isa_tables", "simulator"}}},
      {"generator", {"generator/passes/lower.h", {"isa_tables", "simulator", "checker"}}},
      {"kernels", {"kernels/gemm/gemm.h", {"isa_tables", "simulator", "checker", "generator"}}},
      {"runtime", {"runtime/device.h", {"isa_tables", "simulator"}}},
#ifdef WAVESMITH_HIP_LIBRARY
      {"wavesmith_hip", {"runtime/hip_interface/version.h", {"isa_tables", "simulator"}}},
#endif
      {"choice", {"choice/plan_gemm.h", {"isa_tables", "simulator", "checker", "generator", "kernels", "runtime"}}},
  };
  for (const auto& [layer, own] : layers)
    for (const auto& [other, included] : layers) {
      CAPTURE(layer, other);
      CHECK(includes(layer, included.header) == (other == layer || std::ranges::count(own.below, other) == 1));
    }
}

TEST_CASE("examples of the guides build against the installed package, which has the public headers and what they need",
          "[package]") {
  const Directory d;
  const std::string prefix = d / "prefix", program = d / "program", log = d / "log";
  const auto quietly = [&](const std::string& command) {
    const int status = clitest::status_of(fmt::format("{} >{} 2>&1", command, log));
    INFO(command << "\n" << clitest::text(log));
    REQUIRE(status == 0);
  };
  quietly(fmt::format("cmake --install {} --prefix {}", WAVESMITH_BUILD, prefix));
  for (const auto& header : files::directory_iterator(WAVESMITH_SOURCE "/include/wavesmith"))
    CHECK(files::exists(prefix + "/include/wavesmith/" + header.path().filename().string()));
  CHECK_FALSE(files::exists(prefix + "/include/wavesmith/layers/simulator/lanes.h"));
  CHECK_FALSE(files::exists(prefix + "/include/wavesmith/layers/kernels/gemm/gemm_kernel.h"));

  quietly(fmt::format(
      "cmake -S {}/share/doc/libwavesmith-dev/examples -B {} -G Ninja -DCMAKE_PREFIX_PATH={} -DCMAKE_CXX_COMPILER={} "
      "-DCMAKE_CXX_FLAGS={}",
      prefix, program, prefix, WAVESMITH_CXX, *WAVESMITH_SANITIZE ? "-fsanitize=" WAVESMITH_SANITIZE : ""));
  quietly(fmt::format("ninja -C {}", program));
  quietly(program + "/vector_add");
  quietly(program + "/gemm_library");
}

TEST_CASE("a new row of the tables recompiles at most 25 objects", "[package]") {
  if (!WAVESMITH_UNITY) {
    WARN("not run: with WAVESMITH_UNITY=OFF there is an object for each file");
    return;
  }
  const Directory d;
  REQUIRE(clitest::status_of(fmt::format("ninja -C {} -t deps >{}", WAVESMITH_BUILD, d / "deps")) == 0);
  std::ifstream deps(d / "deps");
  std::vector<std::string> dependents;
  std::string object;
  for (std::string line; std::getline(deps, line);) {
    if (line.find(": #deps ") != line.npos) object = line.substr(0, line.find(':'));
    else if (line.ends_with("isa_tables/rows/vop2.def")) dependents.push_back(object);
  }
  CAPTURE(dependents);
  CHECK(dependents.size() >= 5);  // the tables, the DSL, kernels, the checker and tests name instructions
  CHECK(dependents.size() <= 25);
  const auto recompiles_more = [](const std::string& o) {
    return o.ends_with(".gch") && o.find("/example_") == o.npos;
  };
  CHECK(std::ranges::none_of(dependents, recompiles_more));
}

TEST_CASE("the name of a type stands for one thing in all headers", "[package]") {
  // What a layer's run takes and returns has one name in all of them.
  const std::set<std::string> of_each_layer = {"Options", "Launch", "Result"};
  std::map<std::string, std::set<std::string>> headers;
  const std::regex definition(R"(^(?:struct|class|enum|enum class) (\w+)(?: final)?(?: : [^;{]*)? \{.*)");
  for (const char* layer : {"isa_tables", "simulator", "checker", "generator", "kernels", "runtime", "choice", "tools"})
    for (const auto& file : files::recursive_directory_iterator(fmt::format("{}/{}", WAVESMITH_SOURCE, layer))) {
      if (file.path().extension() != ".h") continue;
      std::ifstream text(file.path());
      std::smatch name;
      for (std::string line; std::getline(text, line);)
        if (std::regex_match(line, name, definition)) headers[name[1]].insert(file.path().string());
    }
  CHECK(headers.size() > 300);
  for (const auto& [name, all] : headers) {
    CAPTURE(name, all);
    CHECK((all.size() == 1 || of_each_layer.contains(name)));
  }
}

TEST_CASE("guides and examples include public headers alone", "[package][docs]") {
  int found = 0;
  for (const auto& file : files::recursive_directory_iterator(WAVESMITH_SOURCE "/docs")) {
    if (!file.is_regular_file()) continue;
    std::ifstream text(file.path());
    for (std::string line; std::getline(text, line);) {
      found += line.starts_with("#include <wavesmith/");
      if (!line.starts_with("#include \"")) continue;
      CAPTURE(file.path(), line);
      CHECK(line == "#include \"host.h\"");
    }
  }
  CHECK(found >= 5);
}

}  // namespace
