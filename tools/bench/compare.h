// `wavesmith bench compare`: two results side by side.
#pragma once
#include <string>

namespace wavesmith::tools {

// Ratios of time, B to A, of the problems that both have. The exit status: answer_is_no if B is slower anywhere by more
// than the spread. InputError, FileError.
int compare_results(const std::string& a, const std::string& b, bool json);

}  // namespace wavesmith::tools
