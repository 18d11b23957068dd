// The representation of a kernel between DSL and object file: a list of Nodes, each an instruction or a directive that
// the passes lower. This header knows no instruction by name.
#pragma once
#include <optional>
#include <source_location>
#include <variant>

#include "generator/dsl/registers.h"
#include "isa_tables/inst.h"

namespace wavesmith {

using isa::Inst;
using isa::Mods;
using isa::Opcode;
using isa::Operand;

// Nodes that are not instructions.
namespace directive {
struct Label {
  int id;  // index into Stream::labels
  bool operator==(const Label&) const = default;
};
struct WaitRegister {  // wait until nothing is in flight into or out of `registers`
  Operand registers;
  bool operator==(const WaitRegister&) const = default;
};
struct WaitLds {  // wait until every LDS access of `buffer` is complete; without a buffer, every LDS access
  std::optional<int> buffer;
  bool operator==(const WaitLds&) const = default;
};
struct SchedBarrier {  // LLVM's sched_barrier
  int mask;            // what may cross
  bool operator==(const SchedBarrier&) const = default;
};
struct SchedGroup {  // LLVM's sched_group_barrier
  int mask, count, sync;
  bool operator==(const SchedGroup&) const = default;
};
struct IglpOpt {  // LLVM's iglp_opt
  int option;
  bool operator==(const IglpOpt&) const = default;
};
}  // namespace directive
using Directive = std::variant<directive::Label, directive::WaitRegister, directive::WaitLds, directive::SchedBarrier,
                               directive::SchedGroup, directive::IglpOpt>;

// The iteration of a pipeline that an instruction belongs to.
struct Iteration {
  int number;
  bool relative;  // to the loop's current one, not to the first
  auto operator<=>(const Iteration&) const = default;
};

struct Node {
  Inst inst;
  std::optional<Directive> directive;  // none: an instruction
  bool hot = false;                    // in a loop in which hazards are errors instead of s_nops
  std::optional<int> buffer;           // LDS buffer this access belongs to
  const char* block = "";              // the Block it was written in, for the .s
  std::optional<Iteration> iteration;
  std::source_location where;
  std::string note;  // comment for the .s

  bool is_instruction() const { return !directive; }
  // The directive if it has this type; nullptr otherwise.
  template <class D>
  const D* as() const {
    return directive ? std::get_if<D>(&*directive) : nullptr;
  }
  // An instruction that a pass inserts next to this node.
  Node beside(const Inst& added) const {
    Node n;
    n.inst = added, n.hot = hot, n.block = block, n.iteration = iteration, n.where = where;
    return n;
  }
};

inline std::string place(const Node& n) { return place(n.where); }
// Nodes from `first` on that a DSL function emitted itself get the line of its caller.
inline void name_caller(std::vector<Node>& nodes, size_t first, Where caller, Where own = Where::current()) {
  for (size_t i = first; i < nodes.size(); ++i)
    if (std::strcmp(nodes[i].where.file_name(), own.file_name()) == 0) nodes[i].where = caller;
}

}  // namespace wavesmith
