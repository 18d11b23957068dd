// How a command ends.
#pragma once
#include <stdexcept>

namespace wavesmith::tools {

// Exit status: 0 success, 1 a wrong result, a finding or a fault, 2 invalid input, 3 a problem of the machine.
enum Exit { good = 0, answer_is_no = 1, bad_input = 2, bad_machine = 3 };

// Invalid input: what is wrong, where, and what would be legal. One line.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace wavesmith::tools
