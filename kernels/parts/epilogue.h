// What is done to a matrix between its sums and memory, as data; apply_epilogue.h emits it. For row i and column j
//
//   P = alpha scale_a scale_b scale_a_row[i] scale_b_col[j] sum + beta scale_c C + bias[i] + bias_col[j]
//   R = clamp(activation(P)) + residual, or gated: clamp(activation(P)) P' + residual
//   D = scale_d scale_d_row[i] scale_d_col[j] R, rounded to D's type; absmax = the largest |R|
//
// P' is P of the second half of the rows: gated, op(A) has twice the rows of D, first those of the gate, then those
// that it gates, and so have the operands along rows of P; there is no C. A part that is absent changes nothing. A new
// operand is a row of epilogue_parts(), a new activation one of activations(); names, kernel arguments, checks and
// error bounds follow from them.
#pragma once
#include <array>
#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa_tables/isa.h"

namespace wavesmith {

inline bool is_float8(isa::Type t) { return t == isa::Type::fp8 || t == isa::Type::bf8; }

enum class Activation : uint8_t { none, relu, gelu, gelu_erf, silu };
struct ActivationInfo {
  Activation activation;
  const char* name;     // in --epilogue and kernel names
  double slope, error;  // the largest |derivative|; of what is computed, in units of 2^-23 |x|
};
std::span<const ActivationInfo> activations();  // all but none
const ActivationInfo& about(Activation);
const char* name_of(Activation);

enum class EpiloguePart : uint8_t {
  scale_a,
  scale_b,
  scale_c,
  scale_a_row,
  scale_b_col,
  bias,
  bias_col,
  residual,
  absmax,
  scale_d,
  scale_d_row,
  scale_d_col
};
constexpr size_t epilogue_part_count = 12;
// scalar: one value; rows: one for each row of D; columns: one for each column; matrix: one for each element.
enum class PartShape : uint8_t { scalar, rows, columns, matrix };
enum class PartUse : uint8_t {
  scales_sum,  // multiplies the sum
  scales_c,
  adds,          // before the activation
  adds_after,    // after it
  largest,       // is written: the largest |R|, to a value that is 0 before the launch
  scales_result  // multiplies the result
};
struct EpiloguePartInfo {
  EpiloguePart part;
  const char* name;  // of the kernel's argument, a device pointer; in --epilogue with - for _
  PartShape shape;
  PartUse use;
  bool of_results;  // has D's type (f32, where D has 8 bits); else f32
  const char* meaning;
};
std::span<const EpiloguePartInfo> epilogue_parts();  // in the order of kernel arguments
const EpiloguePartInfo& about(EpiloguePart);

// Of D as 8-bit floats: consecutive rows of a column share a scale, which is written beside D; D times its scale is the
// result. Infinities and NaNs count as the largest f32 in the choice of a scale.
enum class Quantisation : uint8_t { none, rows128, mx };
struct QuantisationInfo {
  Quantisation kind;
  const char* name;  // in --epilogue
  int rows;          // that share a scale
  bool e8m0;  // the scale is 2^(e - 127), e a byte: the largest |value| has the largest exponent of D's type (OCP
              // MX 1.0, 6.3); else f32: the largest |value| is D's largest number, but 2^-64 at least
  int bytes() const { return e8m0 ? 1 : 4; }
};
std::span<const QuantisationInfo> quantisations();  // all but none
const QuantisationInfo& about(Quantisation);
constexpr float least_block_scale = 0x1p-64f;
struct Largest {
  float value;
  int exponent;
};
Largest largest_of(isa::Type float8, bool fnuz);  // number of the type

struct Clamp {
  float low, high;
};
struct Epilogue {
  std::bitset<epilogue_part_count> parts{};
  Activation activation = Activation::none;
  std::optional<Clamp> clamp{};
  bool gated = false;
  Quantisation quantisation = Quantisation::none;
  bool saturate = true;  // 8-bit floats: beyond the largest number of D's type is that number; else NaN or infinity
  bool alpha_on_device = false, beta_on_device = false;  // passed by address

  Epilogue& add(EpiloguePart p) { return parts.set(static_cast<size_t>(p)), *this; }
  bool has(EpiloguePart p) const { return parts[static_cast<size_t>(p)]; }
  bool has(PartUse) const;
  bool has_f32_vectors() const;                 // beside D's type
  int halves() const { return gated ? 2 : 1; }  // sums for each element of D
  // Values of a part along the rows, for each row of D.
  int halves(const EpiloguePartInfo& p) const { return p.use <= PartUse::adds ? halves() : 1; }
  bool is_plain() const;                   // alpha sum + beta C
  std::vector<std::string> words() const;  // as --epilogue takes them
};
// Epilogue of these parts, in any order.
Epilogue epilogue_of(std::initializer_list<EpiloguePart>, Activation = Activation::none);

// Type of a part's values in memory, with D of `output`.
isa::Type type_of(const EpiloguePartInfo&, isa::Type output);
// Sums of f64 and i32 can have it as well.
bool is_addition(const EpiloguePartInfo&);

// Of a column of `rows` rows, quantised.
uint64_t scales_of(const Epilogue&, uint64_t rows);
// The rule that an epilogue violates, with what is legal; empty if none. `arithmetic`: of alpha, beta and the epilogue.
std::string violation(const Epilogue&, isa::Type arithmetic, isa::Type output);

// One address or other value for each part.
template <class T>
struct OfParts {
  std::array<T, epilogue_part_count> all{};
  T& operator[](EpiloguePart p) { return all[static_cast<size_t>(p)]; }
  const T& operator[](EpiloguePart p) const { return all[static_cast<size_t>(p)]; }
};

}  // namespace wavesmith
