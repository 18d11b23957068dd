// Standard output and standard error for scripts: an answer is printed completely or not at all, an error is one line.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wavesmith::tools {

// The answer is no: exit status 1. One line.
struct AnswerIsNo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Call first: reserves closed descriptors, so that no file gets their number, and turns a closed pipe and a full quota
// into errors instead of signals.
void prepare_console();

// While it lives, standard output is buffered, up to `most` bytes.
class Answer {
 public:
  Answer();
  ~Answer();
  Answer(const Answer&) = delete;
  void discard();
  void print();  // MachineError if standard output cannot be written

 private:
  void* kept_ = nullptr;  // FILE
  void* real_ = nullptr;
  char* text_ = nullptr;
  size_t bytes_ = 0;
};

// Control characters and bytes that are not UTF-8 as \n, \x1b; very long text is truncated.
std::string one_line(std::string_view);
// "wavesmith: TEXT" and a line break on standard error; ignores write errors.
void say(std::string_view);

// A document with any strings: bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json&, int indent = 2);
void print_json(const nlohmann::ordered_json&, int indent = 2);
// With the author's line of an instruction as "where", if it is known.
nlohmann::ordered_json located(nlohmann::ordered_json, const std::string& where);

}  // namespace wavesmith::tools
