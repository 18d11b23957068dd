// Element types and target families of the planner. The same three letters mean different bits on different targets
// (`fp8` is FNUZ on gfx942, OCP on gfx950 and gfx12), so an Elem always says which one it is; the names are MLIR's.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "isa_tables/isa.h"

namespace wavesmith::plan {

// Invalid input, or no pattern takes it: one line with what, where, and what would be legal.
struct PlanError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Elem : uint8_t {
  none,
  f64,
  f32,
  xf32,
  f16,
  bf16,
  f8e4m3,
  f8e5m2,
  f8e4m3_fnuz,
  f8e5m2_fnuz,
  f6e3m2,
  f6e2m3,
  f4e2m1,
  i4,
  i8,
  u8,
  i16,
  i32,
  f8f6f4,  // of an instruction's operand: any OCP type of 8, 6 or 4 bits, selected by a modifier
};
const char* name(Elem);
int bits(Elem);
bool is_float(Elem);
bool is_int(Elem);
bool is_ocp_fp8(Elem);  // f8E4M3FN, f8E5M2
bool is_f8f6f4(Elem);   // what V_MFMA_*_F8F6F4 reads: the OCP 8-, 6- and 4-bit floats, whose blocks of 32 carry a scale
int format_code(Elem);  // cbsz/blgp of an F8F6F4 instruction, CDNA4 ISA 7: e4m3 0, e5m2 1, e2m3 2, e3m2 3, e2m1 4

// The matrix-core patterns, highest benefit first in a family's row (planner_spec 2).
enum class Pattern : uint8_t {
  scaled_native,      // dot_scaled -> scaled MFMA or WMMA
  decompose,          // dot_scaled -> scale folded into the operands, then dot
  decompose_generic,  // the same with every operand cast first, where no instruction converts with a scale
  dot,                // dot -> MFMA or WMMA
  emulate,            // dot_scaled -> MFMA on 16-bit operands, at most one scale
};
const char* name(Pattern);

// Properties of a family that the rules depend on. Registers and instructions come from isa::target() and isa::table().
struct FamilyTraits {
  isa::Family family;
  const char* name;
  int mfma, wmma;                // generation of the matrix core, 0: none of this kind
  bool fnuz;                     // its fp8 instructions read the FNUZ flavour
  bool xf32;                     // a request for TF32 is honoured
  bool emulates_ocp_fp8;         // OCP fp8 operands are widened to f16 (planner_spec 4, rule 3)
  bool kpack_is_one;             // the instruction fills a 16-byte LDS read by itself (planner_spec 2)
  bool scale_as_bf16;            // a decomposed scale is widened to bf16 before it is applied (planner_spec 8.2)
  std::vector<Elem> vdot_pairs;  // operand types with a dot instruction of the vector unit (planner_spec 9)
  std::vector<Pattern> patterns;
};
const FamilyTraits& traits(isa::Family);
inline const FamilyTraits& traits(isa::Arch a) { return traits(isa::target(a).family); }
Elem elem(isa::Type, const FamilyTraits&);  // an instruction's operand type; none: no such element

// A user's word for a type: this project's (fp8, mxfp4), MLIR's (f8E4M3FN), the dialect's (e4m3), hipBLASLt's (f16_r).
// `fp8` and `bf8` are the target's own. Error: PlanError naming the legal words.
Elem find_elem(std::string_view, const FamilyTraits&);
isa::Arch find_target(std::string_view);  // PlanError naming the targets

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }
constexpr bool is_pow2(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }
constexpr int64_t next_pow2(int64_t n) {
  int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace wavesmith::plan
