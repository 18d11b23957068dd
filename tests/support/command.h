// The built program as scripts meet it: a scratch folder, what a run printed, and the contract of a refusal.
#pragma once
#include <fmt/format.h>
#include <sys/wait.h>
#include <wordexp.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/files.h"
#include "tests/support/copies.h"

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

// The program without a shell (copies.h). Nothing if the arguments need one.
inline std::optional<Ran> run_copy(const std::string& arguments) {
  wordexp_t words{};
  if (wordexp(arguments.c_str(), &words, WRDE_NOCMD | WRDE_UNDEF) != 0) return {};
  const std::vector<std::string> all(words.we_wordv, words.we_wordv + words.we_wordc);
  wordfree(&words);
  const Directory d;
  const auto status = Copies::run(all, d / "out", d / "err", hangs_after);
  if (!status) return {};
  const int hung = WIFSIGNALED(*status) && WTERMSIG(*status) == SIGALRM ? 124 : -1;
  return Ran{WIFEXITED(*status) ? WEXITSTATUS(*status) : hung, text(d / "out"), text(d / "err")};
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
