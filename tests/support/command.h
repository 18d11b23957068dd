// The built program as scripts meet it: a scratch folder, what a run printed, and the contract of a refusal.
#pragma once
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/files.h"
#include "tools/commands/reply.h"
#include "tools/print/console.h"

namespace clitest {

// Seconds; sanitizers slow the program down up to twenty times.
inline constexpr int hangs_after = *WAVESMITH_SANITIZE ? 1800 : 60;

struct Ran {
  int status;
  std::string out, err;
};  // status: -1 a signal, 124 longer than hangs_after

class Directory {  // scratch, gone at the end of the test
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "wavesmith-cli-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ / name; }
  size_t files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {})); }

 private:
  std::filesystem::path path_;
};

inline std::string text(const std::string& path) {
  const auto bytes = wavesmith::runtime::read_file(path);
  return {bytes.begin(), bytes.end()};
}

// How a command of the shell ends; -1: by a signal.
inline int status_of(const std::string& command) {
  const int rc = std::system(command.c_str());
  return WIFEXITED(rc) ? WEXITSTATUS(rc) : -1;
}

// What a command of the shell prints, and how it ends; `after` are further redirections.
inline Ran run_command(const std::string& command, const std::string& after = "") {
  const Directory d;
  const int status = status_of(fmt::format("{} >{} 2>{} {}", command, d / "out", d / "err", after));
  return {status, text(d / "out"), text(d / "err")};
}

// The program in a copy of this process, in which LLVM is loaded and the tables are built: a third of its time where a
// command is short. Nothing if the arguments need a shell.
inline std::optional<Ran> run_copy(const std::string& arguments) {
  wordexp_t words{};
  words.we_offs = 1;
  if (wordexp(arguments.c_str(), &words, WRDE_DOOFFS | WRDE_NOCMD | WRDE_UNDEF) != 0) return {};
  static char name[] = WAVESMITH_TOOL;
  words.we_wordv[0] = name;
  const Directory d;
  std::cout.flush(), std::cerr.flush(), std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (int s = 1; s < NSIG; ++s) std::signal(s, SIG_DFL);  // the tests' own handlers
    alarm(hangs_after);
    for (const auto& [file, fd] : {std::pair(d / "out", STDOUT_FILENO), {d / "err", STDERR_FILENO}})
      dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), fd);
    wavesmith::tools::prepare_console();
    const int status = wavesmith::tools::answer(static_cast<int>(words.we_wordc) + 1, words.we_wordv);
    std::fflush(nullptr);
    _exit(status);
  }
  wordfree(&words);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  const int hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? 124 : -1;
  return Ran{WIFEXITED(status) ? WEXITSTATUS(status) : hung, text(d / "out"), text(d / "err")};
}

// `before` is shell in front of the program, as a limit; `after` further redirections.
inline Ran run_program(const std::string& arguments, const std::string& before = "", const std::string& after = "") {
  if (before.empty() && after.empty())
    if (auto ran = run_copy(arguments)) return *ran;
  Ran r = run_command(fmt::format("{} timeout {} {} {}", before, hangs_after, WAVESMITH_TOOL, arguments), after);
  if (r.status >= 128) r.status = -1;
  return r;
}

inline long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

// Nothing on standard output, one line on standard error that contains all of `parts`.
inline void ends_with_line(const Ran& r, int status, std::initializer_list<const char*> parts) {
  CHECK(r.status == status);
  CHECK(r.out.empty());
  CHECK(lines(r.err) == 1);
  for (const char* part : parts) CHECK_THAT(r.err, Catch::Contains(part));
}
inline void refuses(const std::string& arguments, std::initializer_list<const char*> parts) {
  const Ran r = run_program(arguments);
  INFO("wavesmith " << arguments << "\n" << r.err);
  ends_with_line(r, 2, parts);
}

// What the command says with --json.
inline nlohmann::json run_json(const std::string& arguments) {
  const Ran r = run_program(arguments + " --json");
  INFO("wavesmith " << arguments << "\n" << r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

}  // namespace clitest
