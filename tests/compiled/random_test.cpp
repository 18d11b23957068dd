// Random OpenCL C programs (docs/reference/random_programs.md): clang's code for every target on the simulator against
// the host.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "tests/compiled/random/run.h"

using namespace wavesmith;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  explicit Folder(const std::string& name) : path(fs::path(WAVESMITH_TOOL).parent_path() / "random_programs" / name) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

// What fails of one source file in these ways, a line each. Undefined reads whose value nobody needs are no failure
// here.
std::string failures(const std::string& source, const std::string& name, const std::vector<random::Way>& ways) {
  const Folder folder(name);
  std::string all;
  try {
    random::Trial trial(source, folder.path);
    for (const random::Way& way : ways)
      for (const random::Failure& f : trial.run(way))
        if (f.kind != random::Failure::Kind::undefined) all += fmt::format("{} {}: {}\n", way.name(), f.kernel, f.text);
  } catch (const std::runtime_error& e) { all += fmt::format("{}: {}\n", name, e.what()); }
  return all;
}
std::string failures(uint64_t seed, int count, const std::vector<random::Way>& ways) {
  std::vector<random::RandomProgram> programs;
  for (int i = 0; i < count; ++i)
    programs.push_back(
        random::generate(fmt::format("k{}", seed + static_cast<uint64_t>(i)), seed + static_cast<uint64_t>(i)));
  return failures(random::print(programs), fmt::format("seed{}", seed), ways);
}

// Spread over the machine's cores.
std::string each(size_t count, const std::function<std::string(size_t)>& job) {
  std::atomic<size_t> next{0};
  std::mutex lock;
  std::string all;
  {
    std::vector<std::jthread> threads;
    for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n)
      threads.emplace_back([&] {
        for (size_t i; (i = next++) < count;) {
          const std::string found = job(i);
          const std::scoped_lock l(lock);
          all += found;
        }
      });
  }
  return all;
}

std::vector<random::Way> every_target(uint64_t turn) {  // one level each, all of them in turn
  std::vector<random::Way> all;
  for (const isa::Target& t : isa::all_targets()) {
    const auto level = static_cast<int>((turn + all.size()) % 4);
    all.push_back({&t, level, t.wave_size == 32 && (turn + all.size()) % 7 == 6 && t.runs_wave(64)});
  }
  return all;
}

struct Kept {
  fs::path path;
  std::string source;
  random::Way way;
};
// The file's first line is "// seed N, TARGET -ON: what went wrong".
std::vector<Kept> kept_programs() {
  std::vector<Kept> all;
  for (const auto& f : fs::directory_iterator(fs::path(WAVESMITH_SOURCE) / "tests" / "compiled" / "random" / "kept")) {
    std::ifstream in(f.path());
    Kept k{f.path(), {std::istreambuf_iterator<char>(in), {}}, {}};
    std::istringstream words(k.source);
    std::string slashes, seed, number, target, level;
    words >> slashes >> seed >> number >> target >> level;
    INFO(f.path());
    const auto arch = isa::find_arch(target);
    REQUIRE(arch);
    REQUIRE(level.starts_with("-O"));
    k.way = {&isa::target(*arch), level.at(2) - '0'};
    all.push_back(std::move(k));
  }
  return all;
}

bool no_compiler() {
  if (!random::compiler().empty()) return false;
  WARN("clang-22 is not here: skipped");
  return true;
}

}  // namespace

TEST_CASE("random programs are the same for the same seed, and differ for others", "[random]") {
  const auto text = [](uint64_t seed) { return random::print({random::generate("k", seed)}); };
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    CHECK(text(seed) == text(seed));
    seen.insert(text(seed));
    const auto launches = random::launches(text(seed));
    REQUIRE(launches.size() == 1);
    CHECK(launches[0].out_bytes > 64);
  }
  CHECK(seen.size() == 50);
}

TEST_CASE("a failing random program is reduced to what makes it fail", "[random]") {
  const std::string wanted = "exchanged)[lid";  // an exchange through LDS stands for the failure
  uint64_t seed = 7;
  random::RandomProgram big = random::generate("k", seed);
  while (random::print({big}).find(wanted) == std::string::npos) big = random::generate("k", ++seed);
  const random::RandomProgram small = random::reduce(
      big, [&](const random::RandomProgram& q) { return random::print({q}).find(wanted) != std::string::npos; });
  CHECK(random::print({small}).find(wanted) != std::string::npos);
  CHECK(random::size(small.body) < 20);
}

TEST_CASE("indices stay in bounds while a random program is reduced", "[random]") {
  const std::regex element(R"(\(\(\w+\*\)&\w+\)\[)"),
      bounded(R"(\(\(\w+\*\)&\w+\)\[(\d+|\(\(int\)\(.*\) & (\d+|ONE\(\))\))\])");
  const auto has = [&](const random::RandomProgram& q) { return std::regex_search(random::print({q}), element); };
  uint64_t seed = 1;
  random::RandomProgram big = random::generate("k", seed);
  for (int found = 0; found < 3; big = random::generate("k", ++seed)) {
    if (!has(big) || std::regex_search(random::print({big}), std::regex(R"(&\w+\)\[\d)"))) continue;
    ++found;
    const std::string small = random::print({random::reduce(big, has)});
    CAPTURE(seed, small);
    CHECK(std::regex_search(small, bounded));
  }
}

TEST_CASE("a few random programs give the host's bytes on every target", "[random][sim]") {
  if (no_compiler()) return;
  CHECK(each(2, [&](size_t i) {
          auto ways = every_target(i);
          std::erase_if(ways, [&](const random::Way& w) { return (&w - ways.data()) % 2 != static_cast<int>(i); });
          return failures(9001 + 2 * i, 2, ways);
        }) == "");
}

TEST_CASE("kept random programs that once failed give the host's bytes where they failed", "[random][sim]") {
  if (no_compiler()) return;
  const auto all = kept_programs();
  CHECK(all.size() >= 4);
  CHECK(each(all.size(),
             [&](size_t i) { return failures(all[i].source, all[i].path.stem().string(), {all[i].way}); }) == "");
}

TEST_CASE("kept random programs give the host's bytes on every target at every level", "[random][sim][.slow]") {
  if (no_compiler()) return;
  std::vector<random::Way> ways;
  for (const isa::Target& t : isa::all_targets())
    for (int level = 0; level < 4; ++level) ways.push_back({&t, level});
  const auto all = kept_programs();
  CHECK(each(all.size(), [&](size_t i) { return failures(all[i].source, all[i].path.stem().string(), ways); }) == "");
}

// WAVESMITH_RANDOM_SEED and WAVESMITH_RANDOM_FILES: others, and more of them (20 programs a file, on every target at
// one level).
TEST_CASE("thousands of random programs give the host's bytes on every target", "[random][sim][.slow]") {
  if (no_compiler()) return;
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* v = std::getenv(name);
    return v ? std::strtoull(v, nullptr, 10) : otherwise;
  };
  const uint64_t seed = number("WAVESMITH_RANDOM_SEED", 30001), files = number("WAVESMITH_RANDOM_FILES", 10);
  CHECK(each(files, [&](size_t i) { return failures(seed + 20 * i, 20, every_target(i)); }) == "");
}
