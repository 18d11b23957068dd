// The planner: for one dot (what a workgroup multiplies in one step of its loop) it chooses instruction, warps, layouts
// and casts, each decision with its rule. The rules are those of tests/facts/planner_spec.md; "planner 4" in a rule is
// its section 4, "ours" marks extensions: shapes that are not powers of two, tiles smaller than an instruction,
// operands outside LDS.
#pragma once
#include "kernels/plan/graph.h"
#include "kernels/plan/instructions.h"
#include "kernels/plan/scales.h"

namespace wavesmith::plan {

enum class OperandSource : uint8_t { lds, global, registers };  // where the operand of an instruction is read from
struct DotOperand {
  Elem type = Elem::f16;
  bool k_packed = true;  // the two e2m1 values of a byte are consecutive along K (otherwise along M or N)
  Scale scale{};         // dot_scaled only
  OperandSource source = OperandSource::lds;
};

struct Problem {
  isa::Arch arch{};
  int waves = 4;      // of the workgroup, a power of two
  int64_t batch = 0;  // 0: rank 2
  DotShape shape{};   // of the workgroup's dot, in elements
  DotOperand a{}, b{};
  Elem c = Elem::f32;      // of C and D
  bool scaled = false;     // dot_scaled
  bool fast_math = false;  // no test for NaN scales
  bool tf32 = false;       // f32 inputs may be read as TF32
  Chain chain{};
  int nonkdim = 0;  // 0, 16, 32; MFMA only
  int kpack = 1;    // 1, 2; MFMA only
  Remainder remainder = Remainder::as_stated;
};

enum class DotKind : uint8_t { none, fma, mfma, wmma, decomposed, emulated };
const char* name(DotKind);

struct Cast {
  char operand;
  std::string steps;
};  // operand: 'A', 'B', 'C', or 'D' for the result
struct Decision {
  std::string subject, value, rule;
};

struct Plan {
  Problem problem;
  DotKind kind = DotKind::none;
  std::string subkind;  // "regular", "scaled_native", ... ; for a decomposition the result for its dot
  int version = 0;      // of MFMA or WMMA, 0 for the vector unit
  std::optional<InstructionCandidate> instruction;  // none for the vector unit
  bool vdot = false;                                // fma: a form that lowers to vector dot instructions
  const isa::Info* dot_instruction = nullptr;       // that instruction, if it is in the table
  int m = 0, n = 0, k = 0;                          // of the layout
  bool transposed = false;                          // of the accumulators
  std::vector<int> warps, tiles;                    // per dimension of the result, batch first
  int kwidth_a = 0, kwidth_b = 0;                   // consecutive elements (bytes of e2m1) that a lane reads
  int accumulator_bits = 0;
  Types types{};  // of operands and accumulators when multiplied
  DotShape padded{};
  std::vector<Cast> casts;
  std::optional<LinearLayout> scale_a, scale_b;
  std::vector<std::string> remarks, notes;  // remarks: a compiler's warnings; notes: requirements for the code
  std::vector<Decision> decisions;

  void decide(std::string subject, std::string value, std::string rule) {
    decisions.push_back({std::move(subject), std::move(value), std::move(rule)});
  }
};

LayoutEncoding encoding(const Plan&);  // of the result; PlanError if it runs on the vector unit

// Error: PlanError for input that no rule covers. A dot_scaled to which no pattern applies returns DotKind::none and
// the reasons in notes.
Plan plan(const Problem&);

}  // namespace wavesmith::plan
