// The planner: from one dot (what a workgroup multiplies in one step of its loop) to the instruction, warps, layouts
// and casts that run it, each decision with the rule that made it. The rules are those of planner_spec (facts/);
// "planner 4" in a rule is its section 4, "ours" marks what goes beyond it: shapes that are no powers of two, tiles
// smaller than an instruction, operands outside LDS.
#pragma once
#include "kernels/plan/graph.h"
#include "kernels/plan/instructions.h"
#include "kernels/plan/scales.h"

namespace wavesmith::plan {

enum class Source : uint8_t { lds, global, registers };  // where the operand of an instruction is read from
struct Operand {
  Elem type = Elem::f16;
  bool k_packed = true;  // two e2m1 values of a byte follow each other along K (else along M or N)
  Scale scale{};         // dot_scaled only
  Source source = Source::lds;
};

struct Problem {
  isa::Arch arch{};
  int waves = 4;      // of the workgroup, a power of two
  int64_t batch = 0;  // 0: rank 2
  Shape shape{};      // of the workgroup's dot, in elements
  Operand a{}, b{};
  Elem c = Elem::f32;      // of C and D
  bool scaled = false;     // dot_scaled
  bool fast_math = false;  // no test for NaN scales
  bool tf32 = false;       // f32 inputs may be read as TF32
  Chain chain{};
  int nonkdim = 0;  // 0, 16, 32; MFMA only
  int kpack = 1;    // 1, 2; MFMA only
  Remainder remainder = Remainder::as_stated;
};

enum class Kind : uint8_t { none, fma, mfma, wmma, decomposed, emulated };
const char* name(Kind);

struct Cast {
  char operand;
  std::string steps;
};  // operand: 'A', 'B', 'C', or 'D' for the result
struct Decision {
  std::string subject, value, rule;
};

struct Plan {
  Problem problem;
  Kind kind = Kind::none;
  std::string subkind;                   // "regular", "scaled_native", ... ; of a decomposition what its dot became
  int version = 0;                       // of MFMA or WMMA, 0 for the vector unit
  std::optional<Candidate> instruction;  // none for the vector unit
  bool vdot = false;                     // fma: a form that lowers to dot instructions of the vector unit
  const isa::Info* dot_instruction = nullptr;  // that instruction, where the table has it
  int m = 0, n = 0, k = 0;                     // of the layout
  bool transposed = false;                     // of the accumulators
  std::vector<int> warps, tiles;               // per dimension of the result, batch first
  int kwidth_a = 0, kwidth_b = 0;              // elements (bytes of e2m1) a lane reads in a row
  int accumulator_bits = 0;
  Types types{};  // of operands and accumulators when multiplied
  Shape padded{};
  std::vector<Cast> casts;
  std::optional<LinearLayout> scale_a, scale_b;
  std::vector<std::string> remarks, notes;  // remarks: what a compiler would warn of; notes: what the code has to do
  std::vector<Decision> decisions;

  void decide(std::string subject, std::string value, std::string rule) {
    decisions.push_back({std::move(subject), std::move(value), std::move(rule)});
  }
};

Encoding encoding(const Plan&);  // of the result; PlanError if it runs on the vector unit

// Error: PlanError for input no rule speaks about. A dot_scaled that no pattern takes comes back with Kind::none and
// the reasons in notes.
Plan plan(const Problem&);

}  // namespace wavesmith::plan
