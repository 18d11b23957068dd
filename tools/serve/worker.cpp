#include "tools/serve/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "runtime/files.h"

namespace wavesmith::tools {
namespace {

void limit(int resource, uint64_t most) {
  const rlimit both{most, most};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

[[noreturn]] void run(int to, pid_t parent, const Limits& limits, const std::function<std::string()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose own maps of memory count
  limit(RLIMIT_DATA, limits.memory);
#endif
  limit(RLIMIT_CORE, 0);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int protocol : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing, protocol);
  std::string answer;
  try {
    answer = work();
  } catch (...) { ::_exit(1); }
  std::string_view rest = answer;
  while (!rest.empty()) {
    const ssize_t n = ::write(to, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);
    rest.remove_prefix(static_cast<size_t>(n));
  }
  ::_exit(0);
}

}  // namespace

Worker::Worker(const Limits& limits, const std::function<std::string()>& work)
    : limits_(limits),
      deadline_(Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds))) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw runtime::MachineError(fmt::format("serve: no pipe: {}", std::strerror(errno)));
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) {
    ::close(ends[0]);
    run(ends[1], parent, limits, work);
  }
  ::close(ends[1]);
  if (process_ < 0) {
    ::close(ends[0]);
    throw runtime::MachineError(fmt::format("serve: no process: {}", std::strerror(errno)));
  }
  from_ = ends[0];
}

Worker::~Worker() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
  }
  ::close(from_);
}

bool Worker::take() {
  char chunk[1 << 16];
  const ssize_t n = ::read(from_, chunk, sizeof chunk);
  if (n < 0 && errno == EINTR) return false;
  if (n > 0) answer_.append(chunk, static_cast<size_t>(n));
  complete_ = n <= 0;
  return complete_ || answer_.size() > limits_.answer;
}

Worker::End Worker::end() {
  if (answer_.size() > limits_.answer)
    return {{}, fmt::format("the answer is larger than the limit of {} bytes", limits_.answer)};
  if (!complete_) return {{}, fmt::format("not done within the limit of {:g} s", limits_.seconds)};
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {}
  process_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {std::move(answer_), {}};
  if (WIFSIGNALED(status))
    return {{},
            fmt::format("the call was ended by signal {} (its memory is limited to {} bytes)", WTERMSIG(status),
                        limits_.memory)};
  return {{}, fmt::format("the call failed (its memory is limited to {} bytes)", limits_.memory)};
}

}  // namespace wavesmith::tools
