// Runs of the program in copies of a process that has LLVM loaded and the tables built: tests of short commands take
// about a third less. It has run no tests, since what a process has allocated makes its copies slow.
#pragma once
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "isa_tables/isa.h"
#include "tools/commands/answer.h"
#include "tools/print/console.h"

namespace clitest {

class Copies {
 public:
  // Call before the first test: the process that is copied.
  static void start() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    if (const pid_t process = fork(); process == 0) close(ends[0]), serve(ends[1]);
    else if (process > 0) here_ = ends[0];
    else close(ends[0]);
    close(ends[1]);
  }
  // The words after the program's name, and the files of what it prints: its wait status, in this process's environment
  // and folder. After `seconds` a signal ends it (SIGALRM). Nothing if there is no process to copy.
  static std::optional<int> run(const std::vector<std::string>& words, const std::string& out, const std::string& err,
                                int seconds) {
    if (here_ < 0) return {};
    std::vector<std::string> request{out, err, std::to_string(seconds), std::to_string(words.size())};
    char folder[4096];
    request.emplace_back(getcwd(folder, sizeof folder) ? folder : ".");
    request.insert(request.end(), words.begin(), words.end());
    for (char** e = environ; *e; ++e) request.emplace_back(*e);
    std::string bytes;
    for (const std::string& s : request) bytes += s + '\0';
    const uint64_t size = bytes.size();
    int status = 0;
    if (!write_all(here_, &size, sizeof size) || !write_all(here_, bytes.data(), size) ||
        !read_all(here_, &status, sizeof status))
      return {};
    return status;
  }

 private:
  inline static int here_ = -1;

  static bool write_all(int fd, const void* from, size_t bytes) {
    const char* at = static_cast<const char*>(from);
    for (ssize_t n; bytes && (n = ::send(fd, at, bytes, MSG_NOSIGNAL)) > 0; bytes -= static_cast<size_t>(n)) at += n;
    return bytes == 0;
  }
  static bool read_all(int fd, void* to, size_t bytes) {
    char* at = static_cast<char*>(to);
    for (ssize_t n; bytes && (n = ::read(fd, at, bytes)) > 0; bytes -= static_cast<size_t>(n)) at += n;
    return bytes == 0;
  }
  [[noreturn]] static void serve(int fd) {
    bool warm = false;
    for (uint64_t size; read_all(fd, &size, sizeof size);) {
      std::string bytes(size, '\0');
      if (!read_all(fd, bytes.data(), size)) break;
      for (const auto& target : wavesmith::isa::all_targets())
        if (!warm) wavesmith::tools::reply({"gemm", "--arch", target.name, "--tile", "64x64x64", "--no-check"});
      warm = true;
      const pid_t child = fork();
      if (child == 0) answer(bytes);
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child || !write_all(fd, &status, sizeof status)) break;
    }
    _exit(0);
  }
  [[noreturn]] static void answer(const std::string& bytes) {
    std::vector<char*> all;
    for (size_t at = 0; at < bytes.size(); at = bytes.find('\0', at) + 1)
      all.push_back(const_cast<char*>(bytes.data()) + at);
    const auto words = static_cast<size_t>(std::atoi(all[3]));
    static char name[] = "wavesmith";
    std::vector<char*> arguments(all.begin() + 5, all.begin() + 5 + static_cast<long>(words));
    arguments.insert(arguments.begin(), name), arguments.push_back(nullptr);
    std::vector<char*> environment(all.begin() + 5 + static_cast<long>(words), all.end());
    environment.push_back(nullptr);
    environ = environment.data();
    for (int s = 1; s < NSIG; ++s) std::signal(s, SIG_DFL);
    if (chdir(all[4]) != 0) _exit(127);
    alarm(static_cast<unsigned>(std::atoi(all[2])));
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
      dup2(open(all[fd == STDOUT_FILENO ? 0 : 1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600), fd);
    wavesmith::tools::prepare_console();
    const int status = wavesmith::tools::answer(static_cast<int>(words) + 1, arguments.data());
    std::fflush(nullptr);
    _exit(status);
  }
};

}  // namespace clitest
