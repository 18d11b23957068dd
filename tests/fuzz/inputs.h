// What the fuzzers feed: one function for each kind of input the program reads. Each ends by itself whatever the bytes
// are; what must not happen ends in a signal (an assertion here, or a sanitizer).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace fuzz {

struct Input {
  const char* name;  // of its corpus, too: tests/fuzz/corpus/NAME
  void (*run)(std::span<const uint8_t>);
};
std::span<const Input> inputs();

}  // namespace fuzz
