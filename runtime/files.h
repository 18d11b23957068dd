// Reads and writes whole files: a file is written without a name and then replaces the existing one. An interrupted run
// leaves nothing (on a file system without O_TMPFILE, SIGKILL leaves a temporary file).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::runtime {

// One line: the file and what is wrong with it.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The file is accessible, but a resource is exhausted (disk, quota, descriptors) or a device fails.
struct MachineError : FileError {
  using FileError::FileError;
};

// Up to `largest_file` bytes, checked before memory is allocated.
constexpr uint64_t largest_file = uint64_t{4} << 30;
std::vector<uint8_t> read_file(const std::string& path, uint64_t largest = largest_file);
void write_file(const std::string& path, std::span<const uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);
std::optional<uint64_t> file_size(const std::string& path);  // bytes; none: it cannot be accessed

// Files by name.
using Files = std::map<std::string, std::vector<uint8_t>, std::less<>>;
// While it lives, the functions above find the calling thread's files in memory: no name reaches the file system.
// nullptr: in the file system, again.
class FilesInMemory {
 public:
  explicit FilesInMemory(Files*);
  ~FilesInMemory();
  FilesInMemory(const FilesInMemory&) = delete;
  static Files* current();  // nullptr: the file system

 private:
  Files* before_;
};
// May a file in memory have this name: letters, digits and _ - + . inside, up to 100?
bool is_plain_name(std::string_view);

}  // namespace wavesmith::runtime
