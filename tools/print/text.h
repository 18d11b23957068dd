// Parses user input (numbers, triples, NAME=SPEC) and prints aligned tables.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa_tables/timing/peaks.h"

namespace wavesmith::tools {

// Errors: InputError with `option`, the text and what would be legal.
uint64_t parse_number(std::string_view text, std::string_view option);  // decimal or 0x...
std::array<uint32_t, 3> parse_triple(std::string_view text,
                                     std::string_view option);  // "X", "X,Y", "X,Y,Z"; missing: 1
std::pair<std::string, std::string> parse_assignment(std::string_view text, std::string_view option,
                                                     std::string_view form);
std::vector<uint8_t> parse_hex(std::string_view text, std::string_view option);
std::vector<std::string> split(std::string_view text, char separator, int at_most = 1 << 30);

// "f16_r", as hipblaslt-bench writes types, is f16.
std::string without_suffix(std::string type);
std::string lower_case(std::string);
// A target in any case, with features as in gfx942:sramecc+:xnack- (generated code runs with either setting of both).
// InputError naming the legal targets.
isa::Arch parse_target(const std::string& text);
// What --arch and --gpu say together. Without --arch the GPU's target, without both gfx942. InputError
isa::Arch target_of(const std::string& arch, const std::string& gpu);
// --gpu. Error: InputError with the names of all.
const isa::Gpu* find_gpu_option(const std::string& name);
std::string gpu_names();
std::string target_name(const std::string& text);  // only its name, which may be unknown

// Two columns, the first padded to its widest entry.
struct Table {
  std::vector<std::pair<std::string, std::string>> rows;
  void add(std::string name, std::string value) { rows.emplace_back(std::move(name), std::move(value)); }
  std::string text() const;
};
std::string milliseconds(double seconds);  // "1.23 ms"
// "1 file", "2 files"; `many`: the plural, if it is not `one` with an s.
std::string counted(uint64_t n, std::string_view one, std::string_view many = {});

}  // namespace wavesmith::tools
