// The commands as operations that other programs call, with arguments and results in JSON and files in memory:
// `wavesmith serve`, the C API and Python are made of them. Names, schemas and arguments follow from the options that
// the commands declare.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/files.h"

namespace wavesmith::tools {

using Json = nlohmann::ordered_json;

// A command, or a command below one: time_gemm is `wavesmith time gemm`.
struct Operation {
  std::string name, description;
  std::vector<std::string> words;  // of the command line
  Json input;                      // JSON Schema (2020-12) of the arguments, one property an option
};
const std::vector<Operation>& operations();
const Operation* find_operation(std::string_view name);

struct CallResult {
  int status = 0;                  // as the command's exit status
  Json document;                   // what --json prints; a string: text for people
  std::string error;               // one line; empty unless there is no answer
  std::vector<std::string> notes;  // warnings
};
// Runs it in this thread. `files`: those that the arguments name, and afterwards those that the command wrote too. What
// is wrong with the arguments is status 2. Thread-safe; never throws, but for want of memory.
CallResult call(const Operation&, const Json& arguments, runtime::Files& files);

// A file in JSON: text, {"base64": ...}, or an array as {"array": nested lists, "type": "f32"}; written as .npy.
// InputError
std::vector<uint8_t> file_from_json(const Json&, const std::string& name);
// An .npy of up to `most_listed` numbers as lists, text as text, others as base64.
Json file_to_json(const std::vector<uint8_t>&);
constexpr uint64_t most_listed = 1 << 14;

// Moves the files that the arguments have in "files" into `files`. Null arguments become an object. InputError
void take_files(Json& arguments, runtime::Files& files);
// All of a call in JSON: {"status", "result", "error", "notes", "files": those that it wrote}. `arguments` may have
// "files".
Json call_json(const Operation&, Json arguments);
Json result_schema();

}  // namespace wavesmith::tools
