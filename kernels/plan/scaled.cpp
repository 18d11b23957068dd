// dot_scaled: the scaled instructions, decomposition into a dot, and emulation on 16-bit operands (planner_spec 8).
#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {
namespace {

constexpr int natural_kwidth = 16;  // bytes of an 8- or 4-bit operand: one LDS read of 128 bits (planner 8.1, 8.4)
int native_kwidth(Elem e) {
  return bits(e) == 6 ? 32 : natural_kwidth;
}  // 24 bytes in a row (CDNA4 ISA 7, f8f6f4 operands; no case states it)

bool packed_otherwise(const DotOperand& x) { return x.type == Elem::f4e2m1 && !x.k_packed; }  // along M or N
bool present(const DotOperand& x) { return x.scale.state != Scale::absent; }

std::vector<int> scale_shape(const Problem& p, OperandSide side) {
  return {static_cast<int>(side == OperandSide::a ? p.shape.m : p.shape.n), static_cast<int>(p.shape.k / 32)};
}

void note_packing(Plan& out, char which, const DotOperand& x) {
  if (x.type == Elem::f4e2m1 && !x.k_packed)
    out.notes.push_back(
        fmt::format("{}: packed along {}; staged in swizzled LDS (vec=16 perPhase=4 maxPhase=4 order={}) and read "
                    "transposed, 4 bits an element, into the K-packed operand",
                    which, which == 'A' ? 'M' : 'N', which == 'A' ? "[0,1]" : "[1,0]"));
}

void note_scale(Plan& out, char which, const DotOperand& x, const std::vector<int>& shape) {
  if (!present(x))
    out.notes.push_back(fmt::format("{} scale: constant 127 (1.0 in E8M0), i8 [{}x{}]", which, shape[0], shape[1]));
}

void finish_native(Work& w, const InstructionCandidate& c, bool always_scales) {
  const Problem& p = w.dot;
  Plan& out = w.plan;
  out.subkind = "scaled_native";
  set_kwidth(out, native_kwidth(p.a.type), native_kwidth(p.b.type),
             "kWidth, scaled operands: 16 for every 8- and 4-bit format (planner 8.1, 8.4)");
  if (always_scales || present(p.a) || present(p.b)) {
    const LayoutEncoding e = encoding(out);
    out.scale_a = scale_layout(e, OperandSide::a, scale_shape(p, OperandSide::a));
    out.scale_b = scale_layout(e, OperandSide::b, scale_shape(p, OperandSide::b));
    note_scale(out, 'A', p.a, scale_shape(p, OperandSide::a));
    note_scale(out, 'B', p.b, scale_shape(p, OperandSide::b));
    out.decide(
        "scales",
        fmt::format("{} + {} wide reads", vector_width(p.a.scale, *out.scale_a), vector_width(p.b.scale, *out.scale_b)),
        always_scales ? "scales, WMMA: both operands always, 1.0 where absent (planner 8.4)"
                      : "scales, in the instruction's layout, 1.0 where one is absent (planner 8.1, 11.4)");
  } else {
    out.notes.push_back("no scale operands: both are absent");
  }
  note_packing(out, 'A', p.a);
  note_packing(out, 'B', p.b);
  out.notes.push_back(
      fmt::format("formats {} for A and {} for B{}", format_code(p.a.type), format_code(p.b.type),
                  out.transposed ? ", exchanged with the operands when lowered: the accumulators are transposed" : ""));
  out.types = {p.a.type, p.b.type, c.d, c.d};
  cast_all(w);
}

bool native_wmma(Work& w) {
  const Problem& p = w.dot;
  const auto list = alternatives(p.arch, {16, 16, Elem::f8f6f4, Elem::f8f6f4, Elem::f32, 32});
  if (list.empty()) return not_taken(w, "scaled instruction", "no scaled WMMA in the target's table");
  Plan& out = w.plan;
  out.kind = DotKind::wmma, out.version = traits(p.arch).wmma;
  out.decide("instruction", mnemonic(list[0], p.arch),
             "scaled WMMA, fixed shape: any M, N, K, the rest is padded (planner 8.4)");
  take(out, list[0], p);
  out.transposed = true;
  distribute(out, p);
  finish_native(w, list[0], true);
  return true;
}

bool native_mfma(Work& w) {
  const Problem& p = w.dot;
  if (p.waves == 1) return not_taken(w, "scaled instruction", "scaled MFMA, one warp only (planner 8.1)");
  const MfmaChoice c = choose_mfma(p, p.a.type, p.b.type, Scaling::operands);
  if (!c.instruction) return not_taken(w, "scaled instruction", c.fit.rule);
  Plan& out = w.plan;
  out.kind = DotKind::mfma, out.version = traits(p.arch).mfma;
  out.decide("tile", fmt::format("{}x{}", c.tile.m, c.tile.n), c.tile.rule);
  out.decide("instruction", mnemonic(*c.instruction, p.arch), c.fit.rule);
  take(out, *c.instruction, p);
  out.transposed = true;
  out.decide("accumulators", "transposed", "accumulators, scaled MFMA: always transposed (planner 8.1)");
  distribute(out, p);
  if (present(p.a) || present(p.b)) {
    const TilesPerWarp t = tiles_for_scales(p.a.scale, p.b.scale, encoding(out), {p.shape.m, p.shape.n, p.shape.k});
    out.tiles = {t.m, t.n};
    out.decide("tiles per warp", dims(out.tiles), t.rule);
  }
  finish_native(w, *c.instruction, false);
  return true;
}

// -- Decomposition ---------------------------------------------------------------------------------------------------
Elem compute_type(const Problem& p) { return p.a.type == Elem::f16 || p.b.type == Elem::f16 ? Elem::f16 : Elem::bf16; }

// How an operand is converted before the dot: with its scale where the target's conversions take one, otherwise
// without, and multiplied by it afterwards.
std::string upcast(const DotOperand& x, Elem to, const Problem& p, int kwidth) {
  const bool fp4 = x.type == Elem::f4e2m1;
  const std::string from = fp4 ? "i8" : name(x.type), at = fmt::format("kWidth {}", fp4 ? kwidth / 2 : kwidth),
                    nan = p.fast_math ? "; no NaN select" : "; select NaN where the scale is 0xFF";
  if (!present(x)) return fmt::format("{} {}->{}", fp4 ? "fp4_to_fp" : "fp_to_fp", name(x.type), name(to));
  const char* scale = traits(p.arch).scale_as_bf16 ? "scale extui i8->i16, shli 7, bitcast bf16, broadcast x32"
                                                   : "i8 scale broadcast x32 (kept i8)";
  return fmt::format("operand at {}; {}; scaled_upcast_{} {}->{} kWidth {}{}", at, scale, fp4 ? "fp4" : "fp8", from,
                     name(to), kwidth, nan);
}

std::string generic_upcast(const DotOperand& x, Elem to, const Problem& p) {
  const std::string steps = (packed_otherwise(x) ? "unpack along M or N, " : "") + cast(x.type, to);
  if (!present(x)) return steps;
  return fmt::format("{}; scale to {}, broadcast x32, mulf{}", steps,
                     to == Elem::f16 ? "f32 and truncated to f16" : name(to),
                     p.fast_math ? "; no NaN select" : "; select NaN where the scale is 0xFF");
}

}  // namespace

bool scaled_native(Work& w) {
  const Problem& p = w.dot;
  if (p.batch) return not_taken(w, "scaled instruction", "scaled instruction, rank 2 only (planner 8.1, 8.4)");
  if (!is_f8f6f4(p.a.type) || !is_f8f6f4(p.b.type))
    return not_taken(w, "scaled instruction",
                     fmt::format("scaled instruction, both operands of 8, 6 or 4 bits: {} x {} (planner 8.1, 8.4)",
                                 name(p.a.type), name(p.b.type)));
  return traits(p.arch).wmma ? native_wmma(w) : native_mfma(w);
}

bool decompose(Work& w, bool generic) {
  const Problem given = w.dot;
  const char* subject = generic ? "generic decomposition" : "decomposition";
  if (!generic && (packed_otherwise(given.a) || packed_otherwise(given.b))) {
    w.plan.decide(subject, "not taken", "decomposition, operands packed along K only (planner 8.2)");
    return false;
  }
  const Elem to = compute_type(given);
  const auto inner = [&](DotOperand& x) {
    if (bits(x.type) < 16 || generic) x.type = to, x.k_packed = true;
  };
  w.dot.scaled = false;
  inner(w.dot.a), inner(w.dot.b);
  if (generic) w.dot.a.scale = w.dot.b.scale = {};  // applied before the product: no scale layout is needed
  w.plan.kind = DotKind::decomposed;
  w.plan.decide(
      subject, name(to),
      fmt::format("{}, scales folded into {} operands (planner {})", subject, name(to), generic ? "8.5" : "8.2"));
  const bool matrix = dot_to_matrix(w);
  if (!matrix) dot_to_vector_unit(w);
  else w.plan.subkind = traits(given.arch).mfma ? "mfma" : "wmma";
  std::vector<Cast> before;
  const auto add = [&](char which, const DotOperand& x, int kwidth) {
    if (x.type == to || (bits(x.type) == 16 && !generic)) return;
    before.push_back({which, generic ? generic_upcast(x, to, given) : upcast(x, to, given, kwidth)});
  };
  add('A', given.a, w.plan.kwidth_a);
  add('B', given.b, w.plan.kwidth_b);
  w.plan.casts.insert(w.plan.casts.begin(), before.begin(), before.end());
  return true;
}

bool emulate(Work& w) {
  const Problem& p = w.dot;
  const auto no = [&](std::string why) {
    w.plan.decide("emulation", "not taken", std::move(why));
    return false;
  };
  if (p.batch) return no("emulation, rank 2 only (planner 8.3)");
  if (packed_otherwise(p.a) || packed_otherwise(p.b))
    return no("emulation, operands packed along K only (planner 8.3)");
  if (present(p.a) && present(p.b)) return no("emulation, one scale only (planner 8.3)");
  for (const DotOperand* x : {&p.a, &p.b})
    if (bits(x->type) == 6) return no("emulation, formats e2m1, e4m3, e5m2, bf16, f16 (planner 8.3)");
  const Elem to = compute_type(p);
  const MfmaChoice c = choose_mfma(p, to, to, Scaling::none);
  if (!c.instruction) return no(c.fit.rule);
  if (c.instruction->per_step > 1) return no("emulation, scale layout for square tiles only (planner 13j)");
  Plan& out = w.plan;
  out.kind = DotKind::emulated, out.subkind = "mfma", out.version = traits(p.arch).mfma;
  out.types = {to, to, Elem::f32, Elem::f32};
  out.decide("tile", fmt::format("{}x{}", c.tile.m, c.tile.n), c.tile.rule);
  out.decide("instruction", mnemonic(*c.instruction, p.arch), c.fit.rule);
  take(out, *c.instruction, p);
  out.transposed = true;
  out.warps = present(p.a) ? std::vector{p.waves, 1} : std::vector{1, p.waves};
  out.tiles = {1, 1};
  out.decide("warps", dims(out.warps), "warps, emulation: along the scaled operand's free dimension (planner 8.3)");
  const bool fp4_a = p.a.type == Elem::f4e2m1, fp4_b = p.b.type == Elem::f4e2m1;
  if (fp4_a || fp4_b)
    set_kwidth(out, fp4_a ? 4 : 8, fp4_a ? 8 : 4,
               "kWidth, emulation with e2m1: 4 packed bytes against 8 elements (planner 8.3)");
  else {
    const int width = packed_kwidth(out, *c.instruction, p);
    set_kwidth(out, width, width, "kWidth, emulation: kBase times kPack (planner 8.3)");
  }
  const auto add = [&](char which, const DotOperand& x) {
    if (x.type == to) return;
    const bool fp4 = x.type == Elem::f4e2m1;
    std::string steps = fp4 ? "" : cast(x.type, to);
    if (present(x))
      steps += fmt::format("{}upcast_mxfp to {}{}", steps.empty() ? "" : ", then ", name(to),
                           p.fast_math ? "; no NaN select" : "; select NaN where the scale is 0xFF");
    out.casts.push_back({which, steps.empty() ? fmt::format("fp4_to_fp {}->{}", name(x.type), name(to)) : steps});
  };
  add('A', p.a), add('B', p.b);
  out.notes.push_back(fmt::format("scale layout: blocked, 1x1 per lane, lanes [{},{}], warps [{},1], order [1,0]",
                                  out.m, 64 / out.m, p.waves));
  if (const std::string back = cast(Elem::f32, p.c); !back.empty()) out.casts.push_back({'D', back});
  return true;
}

}  // namespace wavesmith::plan
