// A call in a process of its own, with limits: whatever it does, it ends, and nothing else does.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace wavesmith::tools {

struct Limits {
  double seconds = 60;                   // wall clock
  uint64_t memory = uint64_t{4} << 30;   // bytes of data
  uint64_t answer = uint64_t{64} << 20;  // bytes
};

class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  // Forks: the caller has one thread. The process writes what `work` returns, and ends. MachineError
  Worker(const Limits&, const std::function<std::string()>& work);
  ~Worker();  // ends it
  Worker(const Worker&) = delete;

  int descriptor() const { return from_; }  // readable when there is something to take
  // Takes what it has written. True at its end.
  bool take();
  Clock::time_point deadline() const { return deadline_; }
  // After the end, or past the deadline: its answer, or why there is none.
  struct End {
    std::string answer, failure;
  };
  End end();

 private:
  Limits limits_;
  Clock::time_point deadline_;
  pid_t process_ = -1;
  int from_ = -1;
  std::string answer_;
  bool complete_ = false;
};

}  // namespace wavesmith::tools
