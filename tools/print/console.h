// Standard output and standard error for scripts: an answer is printed completely or not at all, an error is one line.
#pragma once
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::tools {

// A wrong result, a finding or a fault: exit status 1. One line.
struct AnswerIsNo : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Call first: reserves closed descriptors, so that no file gets their number, and turns a closed pipe and a full quota
// into errors instead of signals.
void prepare_console();

// Where this thread prints its answer: standard output, or the Answer that is being made.
FILE* out();

// While it lives, what this thread prints to out() is kept.
class Answer {
 public:
  Answer();
  ~Answer();
  Answer(const Answer&) = delete;
  void discard();
  std::string text() const;  // bad_alloc

 private:
  FILE *kept_ = nullptr, *before_ = nullptr;
  char* text_ = nullptr;
  size_t bytes_ = 0;
};

// To standard output, all of it. MachineError
void print_answer(std::string_view);

// While it lives, what this thread says is kept, a line each, instead of going to standard error.
class Notes {
 public:
  explicit Notes(std::vector<std::string>& lines);
  ~Notes();
  Notes(const Notes&) = delete;

 private:
  std::vector<std::string>* before_;
};

// Control characters and bytes that are not UTF-8 as \n, \x1b; very long text is truncated.
std::string one_line(std::string_view);
// "wavesmith: TEXT" and a line break on standard error, or TEXT to the Notes; ignores write errors.
void say(std::string_view);

// A document with any strings: bytes that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json&, int indent = 2);
void print_json(const nlohmann::ordered_json&, int indent = 2);
// With the author's line of an instruction as "where", if it is known.
nlohmann::ordered_json located(nlohmann::ordered_json, const std::string& where);

}  // namespace wavesmith::tools
