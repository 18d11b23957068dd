// Column-major matrices in the kernels' formats: generated, read from .npy files, widened to f64 for the reference.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "isa_tables/isa.h"
#include "runtime/npy.h"

namespace wavesmith::sim {
struct FloatFormat;
}
namespace wavesmith::tools {

struct HostMatrix {
  const char* name = "";
  isa::Type type{};  // in memory: f64, f32, f16, bf16, fp8, bf8, fp6, bf6, fp4, i32, i8, i4
  uint32_t rows = 0, cols = 0, ld = 0, batch = 1;  // elements
  uint64_t stride = 0;                             // between batches, in elements
  std::vector<uint8_t> bytes = {};
  bool fnuz = false;  // the target's kind of fp8 and bf8

  uint64_t elements() const { return rows && cols ? stride * (batch - 1) + uint64_t{ld} * (cols - 1) + rows : 0; }
  uint64_t at(uint32_t b, uint32_t row, uint32_t col) const { return stride * b + uint64_t{ld} * col + row; }
  uint64_t size_bytes() const;
  double get(uint64_t element) const;
  void set(uint64_t element, double value);       // rounds to the type
  std::vector<double> widened(uint32_t b) const;  // rows x cols, column-major, no padding
};

enum class Init { rand, ints, special };
// Every element of the matrices; padding between columns and batches is NaN, so that reading it is detected.
void fill(HostMatrix&, Init, uint64_t seed);
// For a launch that is timed, and whose results nobody reads: after a million numbers they repeat, in padding as well.
void fill_repeating(HostMatrix&, Init, uint64_t seed);

const sim::FloatFormat& small_format(isa::Type, bool fnuz);  // of fp8 and bf8
runtime::Dtype stored_as(isa::Type);                         // in .npy files: bf16 is stored as u2, fp8 and bf8 as u1
// Loads one matrix of shape (rows, cols), C or Fortran order. InputError if type or shape differ.
runtime::Array load_matrix(const std::string& path, isa::Type);
void fill_from(HostMatrix&, const runtime::Array&, const std::string& path);

}  // namespace wavesmith::tools
