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
  Program program(const std::string& name);

 private:
  using Parts = std::vector<Node>;
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
  Node expression(Type, int depth);
  Node leaf(Type);
  Node literal(Type);
  Node integer(Type, int depth);
  Node builtin(Type, int depth);
  Node minimum_or_sum(Type, int depth);
  Node real(Type, int depth);
  Node vector(Type, int depth);
  Node converted(Type to, Type from, Node);
  Node condition(int depth);
  Node index(int elements, int depth);  // below `elements`, a power of two
  static Node make(Type t, std::string text, Parts parts = {}) {
    return {Node::Kind::expression, t, std::move(text), std::move(parts)};
  }

  // Statements.
  Node statements(Where, int count);
  Node statement(Where);
  Node assignment();
  Node uniform_assignment();
  Node branch(Where);
  Node loop(Where);
  Node choice(Where);
  Node call();
  Node exchange();
  Node across_lanes(Where);
  Node atomic(Where);
  Node memory();
  static Node line(std::string text, Parts parts = {}) {
    return {Node::Kind::statement, {}, std::move(text), std::move(parts)};
  }
  static Node list() { return {Node::Kind::list, {}, "", {}}; }

  // The program.
  Node function(int number);
  Node declaration(const std::string& name, Type);
  void declare_variables(Node& into, int count);
  void declare_uniform(Node& into);
  void declare_arrays(Node& into, bool shared);
  void declare_structure(Node& types, Node& into);
  Node store(const Variable&, int& offset);
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
