// The test program: Catch2 with several processes, each of which takes the next test when it is done with one. A test
// that dies takes its process with it and nothing else. The last line is the count of test cases: "N passed, N failed".
// How long each test took is kept in a file, so that --under leaves out the long ones the next time.
#define CATCH_CONFIG_RUNNER
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/copies.h"

namespace {

using Tests = std::vector<const Catch::TestCase*>;

// What the processes share.
struct Board {
  std::atomic<size_t> next{0}, passed{0}, failed{0};
  std::atomic_flag printing;
};

// Seconds of each test when it last ran, by name.
const char* const durations_file = WAVESMITH_BUILD "/test_seconds.tsv";
using Durations = std::map<std::string, double>;
Durations last_durations() {
  Durations all;
  std::ifstream in(durations_file);
  for (std::string name, seconds; std::getline(in, seconds, '\t') && std::getline(in, name);)
    all[name] = std::strtod(seconds.c_str(), nullptr);
  return all;
}
void keep_durations(const Tests& tests, const double* seconds) {
  Durations all = last_durations();
  for (size_t i = 0; i < tests.size(); ++i)
    if (seconds[i] > 0) all[tests[i]->name] = seconds[i];
  std::ofstream out(durations_file);
  for (const auto& [name, took] : all) out << took << '\t' << name << '\n';
}

// As Catch chooses them: the names and tags asked for, else all that are not hidden; without those that took longer
// than `under` seconds the last time.
Tests chosen(const Catch::Config& config, double under) {
  const Durations last = last_durations();
  std::set<const Catch::TestCase*> asked;
  for (const auto& match : config.testSpec().matchesByFilter(getAllTestCasesSorted(config), config))
    asked.insert(match.tests.begin(), match.tests.end());
  Tests tests;
  for (const auto& test : getAllTestCasesSorted(config))
    if (config.hasTestFilters() ? asked.contains(&test) : !test.isHidden())
      if (const auto took = last.find(test.name); took == last.end() || took->second <= under) tests.push_back(&test);
  // Those that run the commands of the pages take longest: first, so that no process runs the last of them alone.
  std::ranges::stable_partition(tests,
                                [](const Catch::TestCase* t) { return std::ranges::count(t->tags, "docs") != 0; });
  return tests;
}

void write_all(int file, const char* text, size_t bytes) {
  for (ssize_t n; bytes && (n = write(file, text, bytes)) > 0; bytes -= static_cast<size_t>(n)) text += n;
}

// One process: its output goes to a file of its own and is shown test by test.
class Worker {
 public:
  // `said`: the file of its output, which outlives it.
  Worker(Board& board, const Tests& tests, double* seconds, int said)
      : board_(board), tests_(tests), seconds_(seconds), said_(said) {}

  [[noreturn]] void run(const std::shared_ptr<Catch::Config>& config, std::atomic<size_t>& current) {
    clitest::Copies::start();
    out_ = dup(STDOUT_FILENO);
    dup2(said_, STDOUT_FILENO), dup2(said_, STDERR_FILENO);
    auto* const context = new Catch::RunContext(config, Catch::makeReporter(config));  // its end would print totals
    context->testGroupStarting(config->name(), 1, 1);
    for (size_t i; (i = board_.next++) < tests_.size();) {
      current = i;
      const auto began = std::chrono::steady_clock::now();
      const auto totals = context->runTest(*tests_[i]);
      seconds_[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      ++(totals.testCases.failed ? board_.failed : board_.passed);
      show();
    }
    current = tests_.size();
    _exit(0);
  }

  // Shows what a worker has said, and forgets it.
  static void show(int said, int out) {
    std::string text(static_cast<size_t>(lseek(said, 0, SEEK_CUR)), '\0');
    const auto got = pread(said, text.data(), text.size(), 0);
    write_all(out, text.data(), got > 0 ? static_cast<size_t>(got) : 0);
    if (ftruncate(said, 0) == 0) lseek(said, 0, SEEK_SET);
  }

 private:
  void show() {
    std::cout.flush(), std::cerr.flush(), std::fflush(nullptr);
    while (board_.printing.test_and_set()) std::this_thread::yield();
    show(STDOUT_FILENO, out_);
    board_.printing.clear();
  }

  Board& board_;
  const Tests& tests_;
  double* seconds_;
  int said_, out_ = STDOUT_FILENO;
};

template <class T>
T* shared(size_t count = 1) {
  void* at = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) std::perror("tests"), std::exit(3);
  return new (at) T[count]();
}

int run(Catch::Session& session, size_t jobs, double under) {
  const auto began = std::chrono::steady_clock::now();
  const auto config = std::make_shared<Catch::Config>(session.configData());
  Catch::seedRng(*config);
  const Tests tests = chosen(*config, under);
  Board& board = *shared<Board>();
  auto* const seconds = shared<double>(tests.size() + 1);
  auto* const current = shared<std::atomic<size_t>>(jobs);
  std::vector<pid_t> workers(jobs, -1);
  std::vector<int> said;
  for (size_t j = 0; j < jobs; ++j) {
    FILE* const file = std::tmpfile();
    if (!file) return std::perror("tests"), 3;
    said.push_back(fileno(file));
  }
  const auto start = [&](size_t j) {
    std::cout.flush(), std::fflush(nullptr);
    current[j] = tests.size();
    workers[j] = fork();
    if (workers[j] == 0) Worker(board, tests, seconds, said[j]).run(config, current[j]);
  };
  for (size_t j = 0; j < jobs; ++j) start(j);
  for (int status; const pid_t done = wait(&status);) {
    if (done < 0) break;
    const auto j = static_cast<size_t>(std::ranges::find(workers, done) - workers.begin());
    if (j == jobs || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) continue;
    const size_t i = current[j];
    if (i >= tests.size()) return 3;
    board.printing.clear();  // it may have died while it printed
    std::fflush(stdout), Worker::show(said[j], STDOUT_FILENO);
    std::printf("%s\ndied: %s\n\n", tests[i]->name.c_str(),
                WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit in the middle of the test");
    ++board.failed;
    start(j);
  }
  keep_durations(tests, seconds);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.0f s, %zu processes\n", took.count(), jobs);
  std::printf("%zu passed, %zu failed\n", board.passed.load(), board.failed.load());
  return board.failed || tests.empty();
}

// The choices that commands make, once for all tests: nothing is read from or left in the user's cache.
class Choices {
 public:
  Choices() {
    if (std::getenv("WAVESMITH_CACHE")) return;
    std::string name = (std::filesystem::temp_directory_path() / "wavesmith-choices-XXXXXX").string();
    if (mkdtemp(name.data())) folder_ = name;
    setenv("WAVESMITH_CACHE", folder_.empty() ? "off" : folder_.c_str(), 1);
  }
  ~Choices() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Choices(const Choices&) = delete;

 private:
  std::string folder_;
};

}  // namespace

int main(int argc, char** argv) {
  const Choices choices;
  Catch::Session session;
  size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  double under = std::numeric_limits<double>::infinity();
  session.cli(session.cli() | Catch::clara::Opt(jobs, "count")["-j"]["--jobs"]("processes that run tests") |
              Catch::clara::Opt(under, "seconds")["--under"]("leave out tests that took longer when they last ran"));
  if (const int bad = session.applyCommandLine(argc, argv)) return bad;
  const auto& asked = session.configData();
  if (asked.showHelp || asked.libIdentify || asked.listTests || asked.listTags || asked.listReporters ||
      asked.listTestNamesOnly)
    return session.run();
  return run(session, std::max<size_t>(jobs, 1), under);
}
