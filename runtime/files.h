// Whole files in, whole files out: a file is written under a temporary name beside its place and then renamed.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::runtime {

// Names the file and what is wrong with it; one line.
struct FileError : std::runtime_error { using std::runtime_error::runtime_error; };

std::vector<uint8_t> read_file(const std::string& path);
void write_file(const std::string& path, std::span<const uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);

}  // namespace wavesmith::runtime
