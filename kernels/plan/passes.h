// Steps of the planner that plan() tries in the order of the target's patterns. Each either plans the dot, filling the
// Plan, or returns false and only adds a decision with the reason.
#pragma once
#include "kernels/plan/plan.h"

namespace wavesmith::plan {

struct Work {
  Plan plan;
  Problem dot;  // the remaining problem, or the dot into which a decomposition turned it
};
// Records why a pattern does not take the dot; returns false.
inline bool not_taken(Work& w, const char* pattern, std::string why) {
  w.plan.decide(pattern, "not taken", std::move(why));
  return false;
}

bool scaled_native(Work&);            // planner_spec 8.1, 8.4
bool decompose(Work&, bool generic);  // 8.2, 8.5; also plans the resulting dot
bool emulate(Work&);                  // 8.3
bool dot_to_mfma(Work&);              // 5
bool dot_to_wmma(Work&);              // 10
bool dot_to_matrix(Work&);            // whichever the target has
void dot_to_vector_unit(Work&);       // 9

// -- Parts they share ------------------------------------------------------------------------------------------------
// M and N for the rules: unchanged where the stated rules apply, otherwise rounded up to the tile.
DotShape covered(const Problem&, int m, int n);
// Of the result, batch first (planner_spec 6).
struct Warps {
  std::vector<int> count;
  std::string rule;
};
Warps warps_per_tile(const Problem&, int m, int n);

struct MfmaChoice {
  std::optional<InstructionCandidate> instruction;
  Elem a{}, b{};  // operand types when multiplied
  InstructionTile tile{};
  Fit fit{};
};
enum class Scaling : uint8_t {
  none,
  format_only,
  operands
};  // operands of the F8F6F4 instruction: none, without and with scales
MfmaChoice choose_mfma(const Problem&, Elem a, Elem b, Scaling);

// kPack applied to kBase where it fits (planner_spec 5.7, 13a, 13b); adds a decision.
int packed_kwidth(Plan&, const InstructionCandidate&, const Problem&);

void take(Plan&, const InstructionCandidate&,
          const Problem&);               // instruction, layout shape, padding, and notes on masking
void distribute(Plan&, const Problem&);  // warps
void set_kwidth(Plan&, int a, int b, std::string rule);
Elem accumulator(Elem a);                   // of a matrix instruction with these operands: i32, f64 or f32
std::string cast(Elem from, Elem to);       // "extf f16->f32"; empty: none needed
void cast_all(Work&);                       // from the problem's types to plan.types and back
void operand_sources(Plan&);                // how operands are read from LDS, memory and registers
std::string dims(const std::vector<int>&);  // "[4,1]"

}  // namespace wavesmith::plan
