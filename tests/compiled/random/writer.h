// The state of a program being written: what is in scope, and the draws. Expressions are pure: whatever has an effect
// is a statement.
#pragma once
#include <fmt/format.h>

#include <random>
#include <string_view>

#include "tests/compiled/random/program.h"

namespace wavesmith::random {

struct Variable {
  std::string name;
  Type type;
  bool assignable = true;
};
struct Array {
  std::string text;
  Type type;
  int elements = 1;
  bool aligned = true;
};  // text: a place, '$' the index
struct Function {
  std::string name;
  Type result;
  std::vector<Type> parameters;
  Type pointee;
};  // pointee: of a last parameter, a pointer

// How much of the workgroup goes the same way here.
enum class Flow : uint8_t { lane, wave, group };
struct Where {
  Flow flow = Flow::group;
  int depth = 2;
  bool loop = false;
};

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}
  RandomProgram program(const std::string& name);

 private:
  using Parts = std::vector<Piece>;
  // Draws.
  uint64_t bits() { return random_(); }
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& v) {
    return v[static_cast<size_t>(below(static_cast<int>(v.size())))];
  }
  std::string_view pick(std::initializer_list<std::string_view> v) {
    return v.begin()[below(static_cast<int>(v.size()))];
  }
  Type any_type();
  Type integer_type();
  Type scalar_type();

  // Expressions of a type.
  Piece expression(Type, int depth);
  Piece leaf(Type);
  Piece literal(Type);
  Piece integer(Type, int depth);
  Piece builtin(Type, int depth);
  Piece minimum_or_sum(Type, int depth);
  Piece real(Type, int depth);
  Piece vector(Type, int depth);
  Piece converted(Type to, Type from, Piece);
  Piece condition(int depth);
  Piece index(int elements, int depth);  // below `elements`, a power of two
  static Piece make(Type t, std::string text, Parts parts = {}) {
    return {Piece::Kind::expression, t, std::move(text), std::move(parts)};
  }

  // Statements.
  Piece statements(Where, int count);
  Piece statement(Where);
  Piece assignment();
  Piece uniform_assignment();
  Piece branch(Where);
  Piece loop(Where);
  Piece choice(Where);
  Piece call();
  Piece exchange();
  Piece across_lanes(Where);
  Piece atomic(Where);
  Piece memory();
  static Piece line(std::string text, Parts parts = {}) {
    return {Piece::Kind::statement, {}, std::move(text), std::move(parts)};
  }
  static Piece list() { return {Piece::Kind::list, {}, "", {}}; }

  // The program.
  Piece function(int number);
  Piece declaration(const std::string& name, Type);
  void declare_variables(Piece& into, int count);
  void declare_uniform(Piece& into);
  void declare_arrays(Piece& into, bool shared);
  void declare_structure(Piece& types, Piece& into);
  Piece store(const Variable&, int& offset);
  std::string fresh(std::string_view stem) { return fmt::format("{}{}", stem, names_++); }

  std::mt19937_64 random_;
  std::string prefix_;  // of the file's names
  int names_ = 0, block_ = 64;
  bool in_kernel_ = false, uniform_ = false,
       crosses_lanes_ = false;  // uniform_: the expression being written is the same in all of the group
  std::vector<Variable> variables_, uniform_variables_;
  std::vector<Array> arrays_;
  std::vector<Function> functions_;
  std::vector<Array> tables_;
};

}  // namespace wavesmith::random
