// Standard output and standard error as scripts meet them: an answer is printed whole or not at all, an error is one
// line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wavesmith::tools {

// Done, and the answer is no: exit status 1. One line.
struct AnswerIsNo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Before anything else: a closed descriptor is not a file that is opened later; a closed pipe and a full quota are
// errors, not signals.
void prepare_console();

// What is printed to standard output while it lives is kept, up to `most` bytes of memory.
class Answer {
 public:
  Answer();
  ~Answer();
  Answer(const Answer&) = delete;
  void discard();
  void print();  // MachineError if standard output does not take it

 private:
  void* kept_ = nullptr;  // FILE
  void* real_ = nullptr;
  char* text_ = nullptr;
  size_t bytes_ = 0;
};

// Control characters and bytes that are no UTF-8 as \n, \x1b; very long text is cut.
std::string one_line(std::string_view);
// "wavesmith: TEXT" and a line break on standard error, and if that takes nothing, nothing.
void say(std::string_view);

// A document, whatever its strings hold: bytes that are no UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json&, int indent = 2);
void print_json(const nlohmann::ordered_json&, int indent = 2);

}  // namespace wavesmith::tools
