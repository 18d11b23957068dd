// Thrown for a configuration that a kernel does not support: one line per violated rule, with the values and what is
// legal.
#pragma once
#include <stdexcept>

namespace wavesmith {

struct ConfigError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace wavesmith
