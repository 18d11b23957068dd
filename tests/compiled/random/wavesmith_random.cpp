// wavesmith_random: random OpenCL C programs on the simulator against the host, any seed, target and level
// (docs/reference/random_programs.md).
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "tests/compiled/random/run.h"

using namespace wavesmith;
namespace fs = std::filesystem;

namespace {

struct Work {
  std::vector<std::string> arch;
  std::vector<int> levels;
  uint64_t seed = 1;
  int count = 100, file = 20, jobs = 1;
  bool wave64 = false, each = false, print = false, keep = false, undefined = false;
  std::string reduce, source;
};

std::vector<random::Way> ways(const Work& w) {
  std::vector<random::Way> all;
  for (const isa::Target& t : isa::all_targets()) {
    if (!w.arch.empty() && std::find(w.arch.begin(), w.arch.end(), t.name) == w.arch.end()) continue;
    for (const int level : w.levels) all.push_back({&t, level, w.wave64 && t.wave_size == 32});
  }
  return all;
}

std::vector<random::RandomProgram> programs(uint64_t seed, int count) {
  std::vector<random::RandomProgram> all;
  for (int i = 0; i < count; ++i)
    all.push_back(
        random::generate(fmt::format("k{}", seed + static_cast<uint64_t>(i)), seed + static_cast<uint64_t>(i)));
  return all;
}

struct Folder {
  fs::path path;
  bool keep = false;
  Folder(bool keep_it, const std::string& name)
      : path(fs::temp_directory_path() / fmt::format("wavesmith_random.{}.{}", getpid(), name)), keep(keep_it) {
    fs::create_directories(path);
  }
  ~Folder() {
    if (!keep) fs::remove_all(path);
  }
};

void reduce(const Work& w, const random::Way& way) {
  const Folder folder(false, "reduce");
  int turn = 0;
  const auto failure = [&](const random::RandomProgram& p) -> std::vector<random::Failure> {
    const fs::path part = folder.path / std::to_string(++turn);  // a loaded library's file is not written again
    fs::create_directories(part);
    std::vector<random::Failure> found;
    try {
      found = random::Trial(random::print({p}), part).run(way);
    } catch (const std::runtime_error&) {}
    fs::remove_all(part);
    return found;
  };
  random::RandomProgram p = programs(w.seed, 1)[0];
  const auto first = failure(p);
  if (first.empty()) {
    fmt::print("seed {} does not fail on {}\n", w.seed, way.name());
    return;
  }
  random::reduce(p, [&](const random::RandomProgram& q) {
    const auto now = failure(q);
    const bool same = !now.empty() && now[0].kind == first[0].kind && now[0].sort == first[0].sort;
    if (same)
      p = q, std::ofstream(w.reduce) << fmt::format("// seed {}, {}: {}\n", w.seed, way.name(), first[0].text)
                                     << random::print({p});  // the best so far
    return same;
  });
  fmt::print("{}: {} trials, {} nodes\n", w.reduce, turn, size(p.body));
}

int run(const Work& w) {
  const auto all = ways(w);
  if (all.empty()) {
    fmt::print(stderr, "wavesmith_random: no such target\n");
    return 2;
  }
  if (w.print) {
    fmt::print("{}", random::print(programs(w.seed, w.count)));
    return 0;
  }
  if (!w.reduce.empty()) {
    reduce(w, all[0]);
    return 0;
  }
  std::mutex lock;
  uint64_t done = 0, failed = 0, undefined = 0, next = 0;
  const uint64_t files = w.source.empty() ? static_cast<uint64_t>((w.count + w.file - 1) / w.file) : 1;
  const auto work = [&] {
    for (;;) {
      uint64_t nth;
      {
        const std::scoped_lock l(lock);
        if ((nth = next++) >= files) return;
      }
      const uint64_t seed = w.seed + nth * static_cast<uint64_t>(w.file);
      const Folder folder(w.keep, std::to_string(seed));
      std::string text;
      if (!w.source.empty()) {
        std::ifstream in(w.source);
        text.assign(std::istreambuf_iterator<char>(in), {});
      } else text = random::print(programs(seed, std::min(w.file, w.count - static_cast<int>(nth) * w.file)));
      try {
        random::Trial trial(text, folder.path);
        for (size_t i = 0; i < all.size(); ++i) {
          // --each: every target one level a file, all of them in turn.
          if (w.each && i % w.levels.size() != (nth + i / w.levels.size()) % w.levels.size()) continue;
          const auto failures = trial.run(all[i]);
          const std::scoped_lock l(lock);
          done += trial.programs();
          for (const auto& f : failures) ++(f.kind == random::Failure::Kind::undefined ? undefined : failed);
          for (const auto& f : failures)
            if (f.kind != random::Failure::Kind::undefined || w.undefined)
              fmt::print("{} {}: {}\n", all[i].name(), f.kernel.empty() ? fmt::format("seed {}", seed) : f.kernel,
                         f.text);
          std::fflush(stdout);
        }
      } catch (const std::runtime_error& e) {
        const std::scoped_lock l(lock);
        fmt::print("seed {}: {}\n", seed, e.what()), ++failed;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < w.jobs; ++i) threads.emplace_back(work);
  }
  fmt::print("{} runs, {} failed, {} stopped at an undefined read and right without that check\n", done, failed,
             undefined);
  return failed || (w.undefined && undefined) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  Work w;
  CLI::App app(
      "Random OpenCL C programs: compiled by clang for a target, run on the simulator, compared with the host. Exit "
      "status 1: something failed.");
  app.add_option("--arch", w.arch, "targets; all of them if none is named");
  app.add_option("--level", w.levels, "optimisation: 0 to 3; all if none is named")->check(CLI::Range(0, 3));
  app.add_option("--seed", w.seed, "of the first program; the next ones count on from it");
  app.add_option("--count", w.count, "programs")->check(CLI::PositiveNumber);
  app.add_option("--file", w.file, "programs in a source file")->check(CLI::PositiveNumber);
  app.add_option("--jobs", w.jobs, "files at a time")->check(CLI::PositiveNumber);
  app.add_flag("--wave64", w.wave64, "waves of 64 lanes on targets of 32");
  app.add_flag("--each", w.each, "one level for each target and file, in turn, not all of them");
  app.add_flag("--print", w.print, "print the programs");
  app.add_flag("--keep", w.keep, "keep sources and code objects in the temporary folder");
  app.add_flag("--undefined", w.undefined, "undefined reads that change nothing are failures, too");
  app.add_option("--reduce", w.reduce,
                 "make the program of --seed smaller on the first target and level, and write it to this file");
  app.add_option("--source", w.source, "run this file's programs instead");
  CLI11_PARSE(app, argc, argv);
  if (w.levels.empty()) w.levels = {0, 1, 2, 3};
  if (random::compiler().empty()) {
    fmt::print(stderr, "wavesmith_random: clang-22 is not here\n");
    return 3;
  }
  return run(w);
}
