// NumPy .npy arrays (format 1.0 to 3.0, little-endian numbers, C or Fortran order). A type that NumPy lacks is stored
// as its bits in u1/u2.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files.h"

namespace wavesmith::runtime {

enum class Dtype : uint8_t { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8 };
int size_of(Dtype);       // bytes
const char* name(Dtype);  // "f2"

struct Array {
  Dtype type{};
  std::vector<uint64_t> shape;  // {}: a scalar
  bool fortran = false;         // column-major: the first index runs fastest
  std::vector<uint8_t> bytes;
  uint64_t count() const;        // elements
  std::string describe() const;  // "f2 (1000, 777)"
};

// FileError: not an .npy file, a type or layout not listed above, a length that does not match the shape.
Array parse_npy(std::span<const uint8_t> file, const std::string& name_in_errors);
Array load_npy(const std::string& path);
std::vector<uint8_t> format_npy(const Array&);
void save_npy(const std::string& path, const Array&);  // completely or not at all

}  // namespace wavesmith::runtime
