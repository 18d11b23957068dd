// Whole files in, whole files out: a file has no name before it is whole, and then takes the place of what was there. A
// run that is interrupted leaves nothing (on a file system without nameless files, O_TMPFILE, SIGKILL alone leaves a
// temporary one).
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::runtime {

// Names the file and what is wrong with it; one line.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The file could be had, but the machine is out of something: disk, quota, descriptors, or a device fails.
struct MachineError : FileError {
  using FileError::FileError;
};

// Up to `largest_file` bytes, which is checked before memory is taken.
constexpr uint64_t largest_file = uint64_t{4} << 30;
std::vector<uint8_t> read_file(const std::string& path, uint64_t largest = largest_file);
void write_file(const std::string& path, std::span<const uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);

}  // namespace wavesmith::runtime
