// Dots without a matrix instruction run on the vector unit: unchanged if there is a dot instruction or all operands
// have one type, otherwise converted to a common type (planner_spec 9).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {
namespace {

// Dot instructions of the vector unit: operands, accumulator, elements of K, names on the generations.
struct VDot {
  Elem operands, accumulator;
  int k;
  std::array<const char*, 3> names;
};
constexpr VDot forms[] = {
    {Elem::f16, Elem::f32, 2, {"v_dot2c_f32_f16", "v_dot2acc_f32_f16", "v_dot2_f32_f16"}},
    {Elem::bf16, Elem::f32, 2, {"v_dot2c_f32_bf16", "v_dot2_f32_bf16", nullptr}},
    {Elem::i8, Elem::i32, 4, {"v_dot4c_i32_i8", "v_dot4_i32_iu8", nullptr}},
};

const isa::Info* in_table(const VDot& form, isa::Arch arch) {
  for (const char* mnemonic : form.names)
    if (mnemonic)
      if (const auto op = isa::find_opcode(mnemonic, arch); op && isa::info(*op).on(arch)) return &isa::info(*op);
  return nullptr;
}

const VDot* vdot_form(const Problem& p) {
  const auto& pairs = traits(p.arch).vdot_pairs;
  for (const VDot& f : forms) {
    const bool may_pad = p.remainder == Remainder::pad || !is_pow2(p.shape.k);
    if (p.a.type == f.operands && p.b.type == f.operands && p.c == f.accumulator &&
        std::find(pairs.begin(), pairs.end(), f.operands) != pairs.end() && (p.shape.k % f.k == 0 || may_pad))
      return &f;
  }
  return nullptr;
}

Elem common_type(const Problem& p) {
  int widest = 0;
  bool needs_f32 = false, f64 = false;
  for (const Elem e : {p.a.type, p.b.type, p.c}) {
    widest = std::max(widest, bits(e));
    needs_f32 |= e == Elem::bf16 || (is_int(e) && bits(e) > 8);
    f64 |= e == Elem::f64;
  }
  return f64 ? Elem::f64 : widest <= 16 && !needs_f32 ? Elem::f16 : Elem::f32;
}

}  // namespace

void dot_to_vector_unit(Work& w) {
  const Problem& p = w.dot;
  Plan& out = w.plan;
  if (traits(p.arch).mfma || traits(p.arch).wmma)
    out.remarks.push_back("Attempting to map dot operation to FMA intrinsic.");
  const bool decomposed = out.kind == DotKind::decomposed;
  out.padded = p.shape;
  out.types = {p.a.type, p.b.type, p.c, p.c};
  out.accumulator_bits = bits(p.c);
  if (const VDot* f = vdot_form(p)) {
    const std::string form =
        fmt::format("V_DOT form: {0} x {0} -> {1}, K%{2}==0", name(f->operands), name(f->accumulator), f->k);
    out.kind = decomposed ? out.kind : DotKind::fma;
    out.vdot = true;
    out.subkind = decomposed ? "vdot" : fmt::format("unchanged ({})", form);
    out.dot_instruction = in_table(*f, p.arch);
    out.padded.k = round_up(p.shape.k, f->k);
    if (out.padded.k != p.shape.k)
      out.notes.push_back(fmt::format("K {} -> {}: both operands are zero beyond", p.shape.k, out.padded.k));
    out.decide("vector unit",
               out.dot_instruction
                   ? isa::mnemonic(static_cast<isa::Opcode>(out.dot_instruction - isa::table().data()), p.arch)
                   : "V_DOT",
               fmt::format("{}: legal as it is (planner 9)", form));
    return;
  }
  const Elem same = p.a.type == p.b.type && p.a.type == p.c ? p.c : Elem::none;
  out.kind = decomposed ? out.kind : DotKind::fma;
  if (same == Elem::f16 || same == Elem::f32 || same == Elem::f64) {
    out.subkind = decomposed ? "fma" : "unchanged";
    return out.decide("vector unit", fmt::format("FMA in {}", name(same)),
                      "FMA, all operands of one type among f16, f32, f64: legal as it is (planner 9)");
  }
  const Elem common = common_type(p);
  out.types = {common, common, common, common};
  out.accumulator_bits = bits(common);
  out.subkind = decomposed ? "fma" : fmt::format("legalised to {}", name(common));
  out.decide("vector unit", fmt::format("FMA in {}", name(common)),
             common == Elem::f64 ? "FMA, common type: f64, as an operand is (ours; planner 9 has none)"
             : common == Elem::f16
                 ? "FMA, common type: all of 16 bits or less, no bf16 and no integer above 8 bits: f16 (planner 9)"
                 : "FMA, common type: f32 (planner 9)");
  cast_all(w);
}

}  // namespace wavesmith::plan
