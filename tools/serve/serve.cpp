// wavesmith serve: reads messages from standard input, writes answers to standard output. One thread, which never waits
// for a call or for the client to read: calls are processes (tools/serve/worker.h).
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <thread>

#include "tools/commands/commands.h"
#include "tools/print/console.h"
#include "tools/serve/protocol.h"

namespace wavesmith::tools {
namespace {

struct Serve {
  Limits limits;
  uint64_t message = uint64_t{64} << 20;
  int calls = 0;
};

// Standard input in lines.
class Input {
 public:
  explicit Input(size_t longest) : longest_(longest) {}
  bool open() const { return open_; }
  void read(Protocol& to) {
    char chunk[1 << 16];
    const ssize_t n = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      open_ = false;
      if (!line_.empty() && !skips_) to.line(line_);
      return;
    }
    std::string_view got(chunk, static_cast<size_t>(n));
    for (size_t end; (end = got.find('\n')) != got.npos; got.remove_prefix(end + 1)) {
      add(got.substr(0, end), to);
      if (!std::exchange(skips_, false)) to.line(line_);
      line_.clear();
    }
    add(got, to);
  }

 private:
  void add(std::string_view part, Protocol& to) {
    if (skips_) return;
    if (line_.size() + part.size() > longest_) {
      to.refuse_line(longest_);
      skips_ = true;
      line_ = {};
    } else line_ += part;
  }
  size_t longest_;
  bool open_ = true, skips_ = false;
  std::string line_;
};

// Standard output, as fast as the client reads.
class Output {
 public:
  void add(const std::string& text) { rest_ += text; }
  bool pending() const { return sent_ < rest_.size(); }
  // False: nobody reads any more.
  bool write() {
    constexpr size_t never_blocks = 4096;  // PIPE_BUF, when poll says that it can be written
    const ssize_t n = ::write(STDOUT_FILENO, rest_.data() + sent_, std::min(rest_.size() - sent_, never_blocks));
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    sent_ += static_cast<size_t>(n);
    if (!pending()) rest_.clear(), sent_ = 0;
    return true;
  }

 private:
  std::string rest_;
  size_t sent_ = 0;
};

int milliseconds_to(Worker::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Worker::Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

// After standard input ends, what is in progress is answered as long as somebody reads it.
int serve(const Serve& o) {
  operations();  // before the first fork
  Protocol protocol(o.limits,
                    o.calls > 0 ? static_cast<size_t>(o.calls) : std::max(1u, std::thread::hardware_concurrency()));
  Input input(o.message);
  Output output;
  while (input.open() || protocol.busy() || output.pending()) {
    std::vector<pollfd> all = {{input.open() ? STDIN_FILENO : -1, POLLIN, 0},
                               {STDOUT_FILENO, static_cast<short>(output.pending() ? POLLOUT : 0), 0}};
    int timeout = -1;
    for (const auto& r : protocol.running()) {
      all.push_back({r.worker->descriptor(), POLLIN, 0});
      const int left = milliseconds_to(r.worker->deadline());
      timeout = timeout < 0 ? left : std::min(timeout, left);
    }
    if (::poll(all.data(), all.size(), timeout) < 0 && errno != EINTR)
      throw runtime::MachineError(fmt::format("serve: cannot wait: {}", std::strerror(errno)));
    if (all[1].revents & (POLLERR | POLLNVAL)) return good;  // the client is gone
    if (all[1].revents & POLLOUT && !output.write()) return good;
    for (size_t i = protocol.running().size(); i-- > 0;) {
      Worker& w = *protocol.running()[i].worker;
      const bool ended = all[i + 2].revents && w.take();
      if (ended || Worker::Clock::now() >= w.deadline()) protocol.finish(i);
    }
    if (all[0].revents) input.read(protocol);
    output.add(protocol.take_output());
  }
  return good;
}

}  // namespace

Command add_serve(CLI::App& app) {
  auto o = std::make_shared<Serve>();
  app.add_option("--seconds", o->limits.seconds, "longest call (60)")
      ->check(CLI::Range(0.001, 1e6))
      ->check([](const std::string& text) {
        return text.find_first_of("nN") == text.npos ? "" : text + " not in range [0.001 - 1000000]";
      });
  app.add_option("--memory", o->limits.memory, "bytes of memory of a call (4 GiB)");
  app.add_option("--answer", o->limits.answer, "bytes of the largest answer (64 MiB)");
  app.add_option("--message", o->message, "bytes of the longest message (64 MiB)")
      ->check(CLI::Range(uint64_t{1}, UINT64_MAX));
  app.add_option("--calls", o->calls, "calls at a time, each in a separate process; default: the number of cores")
      ->check(CLI::Range(0, INT_MAX));
  app.footer(
      "Implements the Model Context Protocol: one JSON-RPC message per line. Each command is a tool; its options are\n"
      "the tool's arguments. A call contains its files. Register it with an agent as the command line `wavesmith "
      "serve`.\n"
      "Example:\n  wavesmith serve --seconds 20 --memory 2147483648");
  return [o] { return serve(*o); };
}

}  // namespace wavesmith::tools
