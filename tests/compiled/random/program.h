// Random OpenCL C programs in the manner of Csmith and YARPGen: as a tree, so that a failing one can be made smaller,
// and as text. No program has undefined behaviour (shifts are masked by OpenCL, arithmetic wraps, division,
// conversions, indices and trip counts are bounded), no data race, and no result that the order of work-items could
// change; docs/reference/random_programs.md says what is generated.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wavesmith::random {

enum class Scalar : uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, none };
struct Type {
  Scalar scalar = Scalar::none;
  int count = 1;  // elements: 1, 2, 3, 4, 8, 16
  bool operator==(const Type&) const = default;
  bool real() const { return scalar >= Scalar::f16; }
  bool is_signed() const { return real() || static_cast<int>(scalar) % 2 == 0; }
  int element_bytes() const;
  int bytes() const { return element_bytes() * (count == 3 ? 4 : count); }
  std::string name() const;
  Type element() const { return {scalar, 1}; }
  Type of(int n) const { return {scalar, n}; }
};

// A piece of program text; each '$' in it stands for the next child.
struct Piece {
  enum class Kind : uint8_t { expression, statement, list } kind = Kind::statement;
  Type type;         // of an expression
  std::string text;  // not of a list, whose children follow each other
  std::vector<Piece> children;
};
std::string print(const Piece&);
size_t size(const Piece&);  // nodes

struct RandomProgram {
  std::string name;            // of its kernel
  int block = 64, groups = 2;  // work-items of a group, groups
  int out_bytes = 0;
  uint64_t data = 0;  // seed of its input and arguments
  Piece body;         // everything: functions and the kernel
};
inline constexpr int in_bytes = 4096 + 256, own_bytes = 64,
                     shared_words = 8;  // of the launch; `own` for each work-item

RandomProgram generate(const std::string& name, uint64_t seed);
std::string print(const std::vector<RandomProgram>&);  // one source file; parse() finds the launches in it again

struct Launch {
  std::string kernel;
  int block = 0, groups = 0, out_bytes = 0;
  uint64_t data = 0;
};
std::vector<Launch> launches(const std::string& source);  // std::runtime_error: a line of another form

// The smallest program found for which `fails` still says true: deletes statements, replaces statements by their bodies
// and expressions by their parts or by a constant. `fails` sees programs that may not compile.
RandomProgram reduce(RandomProgram, const std::function<bool(const RandomProgram&)>& fails);

}  // namespace wavesmith::random
