// The Model Context Protocol over lines of JSON-RPC 2.0: what a message means and what answers it. It reads and writes
// nothing itself; tools/commands/serve.cpp does.
// https://modelcontextprotocol.io/specification/2025-11-25
#pragma once
#include <deque>
#include <map>
#include <memory>

#include "tools/operations/operations.h"
#include "tools/serve/worker.h"

namespace wavesmith::tools {

class Protocol {
 public:
  Protocol(const Limits& limits, size_t calls_at_once) : limits_(limits), at_once_(calls_at_once) {}
  void line(std::string_view text);  // a message, without its line break
  void refuse_line(size_t longest);  // one that is longer
  std::string take_output() { return std::exchange(output_, {}); }

  struct Running {
    Json id;
    std::unique_ptr<Worker> worker;
  };
  std::deque<Running>& running() { return running_; }
  void finish(size_t running);  // its worker is at the end, or too late
  void start_waiting();         // as many as may run at once
  bool busy() const { return !running_.empty() || !waiting_.empty(); }

 private:
  struct Waiting {
    Json id;
    const Operation* operation;
    Json arguments;
  };
  void message(Json&);
  void request(const std::string& method, const Json& id, Json& parameters);
  void notification(const std::string& method, const Json& parameters);
  void call(const Json& id, Json& parameters);
  void send(const Json& message);
  void reply(const Json& id, Json result);
  void error(const Json& id, int code, const std::string& text);
  bool in_use(const Json& id) const;

  Limits limits_;
  size_t at_once_;
  bool initialized_ = false;
  std::deque<Running> running_;
  std::deque<Waiting> waiting_;
  std::string output_;
};

}  // namespace wavesmith::tools
