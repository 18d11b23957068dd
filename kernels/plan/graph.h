// A small dataflow graph, sufficient to determine whether a dot's result becomes an operand of another dot, as QK^T
// becomes the left operand of PV in attention. The operations in between (softmax, conversions, reductions) are
// irrelevant, except their region: only operations of the same region (loop body, branch of an if) count.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::plan {

// The role of a dot in relation to other dots (planner_spec 3).
struct Chain {
  bool head_a = false, head_b = false;  // its result becomes operand A (B) of a later dot
  bool tail = false;                    // its operand A comes from an earlier dot
};

class Graph {
 public:
  using Value = int;
  using Region = int;  // 0: the outermost

  Region region(Region) { return ++regions_; }
  Value argument(std::string name, Region = 0);  // of the kernel or the loop: not the result of an operation
  Value op(std::string name, std::vector<Value> operands, Region = 0);
  Value dot(std::string name, Value a, Value b, Value c, Region = 0);
  void carry(Value from, Value argument) {
    carried_.emplace_back(from, argument);
  }  // a loop's next iteration receives `from` as `argument`

  const std::string& name(Value v) const { return operations_[static_cast<size_t>(v)].name; }
  Value find(std::string_view name) const;  // PlanError naming the dots

  // Loop-carried values are followed only on request: the stated cases do not, later compilers do (planner_spec 16,
  // #10200).
  enum class Carried : uint8_t { ignored, followed };
  Chain chain(Value dot, Carried = Carried::ignored) const;

 private:
  struct Operation {
    std::string name;
    std::vector<Value> operands;
    Region region;
    bool is_dot, is_argument;
  };
  const Operation& at(Value v) const { return operations_[static_cast<size_t>(v)]; }
  bool defined_in(Value v, Region r) const { return !at(v).is_argument && at(v).region == r; }
  std::vector<bool> reach(Value from, Region, const std::function<std::vector<Value>(Value)>& next) const;
  std::vector<Value> users(Value, Carried) const;
  std::vector<Value> makers(Value, Carried) const;
  std::vector<Operation> operations_;
  std::vector<Value> dots_;
  std::vector<std::pair<Value, Value>> carried_;
  Region regions_ = 0;
};

// One operation a line, `#` starts a comment, names that nothing defines are arguments, { and } on lines of their own
// are a region:
//   s = dot(q, k)
//   p = softmax(s)
//   o = dot(p, v, acc)
// Error: PlanError naming the line.
Graph parse_graph(std::string_view text);

}  // namespace wavesmith::plan
