// Assembly text as llvm-mc takes it, with its directives: kernels that somebody wrote.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::isa {

// One line: the text's lines that are wrong, each with LLVM's message.
struct SourceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The target that a text's .amdgcn_target names, as gfx942:xnack-; empty: none.
std::string target_in(std::string_view text);
// The shared object (.co) of a text for a target, as gfx942:sramecc+. Its line tables name the text's lines, unless it
// has line directives of its own or is to have none. `name`: the text's, in messages and line tables. .include and
// .incbin find no files.
std::vector<uint8_t> assemble_source(std::string_view text, const std::string& name, const std::string& target,
                                     bool line_tables = true);

}  // namespace wavesmith::isa
