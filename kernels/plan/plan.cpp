// The order of the steps: the target's patterns, highest benefit first, then the vector unit.
#include "kernels/plan/plan.h"

#include <fmt/format.h>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {
namespace {

void check(const Problem& p) {
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw PlanError(what);
  };
  const int most = 1024 / isa::target(p.arch).wave_size;
  require(p.shape.m > 0 && p.shape.n > 0 && p.shape.k > 0,
          fmt::format("shape {}x{}x{}; legal: sizes from 1", p.shape.m, p.shape.n, p.shape.k));
  require(std::max({p.shape.m, p.shape.n, p.shape.k}) <= 1 << 20 && p.batch <= 1 << 20,
          "shape; legal: sizes up to 1048576, of one workgroup's tile");
  require(is_pow2(p.waves) && p.waves <= most, fmt::format("waves {}; legal: a power of two up to {}", p.waves, most));
  require(p.batch >= 0, fmt::format("batch {}; legal: sizes from 1, or none", p.batch));
  require(p.nonkdim == 0 || p.nonkdim == 16 || p.nonkdim == 32,
          fmt::format("nonkdim {}; legal: 0 (by size), 16, 32", p.nonkdim));
  require(p.kpack == 1 || p.kpack == 2, fmt::format("kpack {}; legal: 1, 2", p.kpack));
  for (const auto& [x, which] : {std::pair{&p.a, 'a'}, {&p.b, 'b'}}) {
    const bool has_scale = x->scale.state != Scale::absent;
    require(x->type != Elem::none && x->type != Elem::f8f6f4, fmt::format("operand {}: no type", which));
    require(p.scaled || !has_scale, fmt::format("operand {} has a scale: legal in dot_scaled only (--scaled)", which));
    if (!p.scaled) continue;
    require(is_f8f6f4(x->type) || ((x->type == Elem::f16 || x->type == Elem::bf16) && !has_scale),
            fmt::format("operand {} of dot_scaled is {}{}; legal: mxfp8 mxbf8 mxfp6 mxbf6 mxfp4, and f16 and bf16 "
                        "without a scale",
                        which, name(x->type), has_scale ? " with a scale" : ""));
    require(!has_scale || p.shape.k % 32 == 0,
            fmt::format("K = {}: legal with scales is a multiple of 32, the elements of one scale", p.shape.k));
  }
  require(p.c == Elem::f16 || p.c == Elem::bf16 || p.c == Elem::f32 || p.c == Elem::f64 || is_int(p.c),
          fmt::format("result type {}; legal: f64 f32 f16 bf16 i32 i16 i8", name(p.c)));
}

bool apply(Pattern pattern, Work& w) {
  switch (pattern) {
    case Pattern::scaled_native: return w.dot.scaled && scaled_native(w);
    case Pattern::decompose: return w.dot.scaled && decompose(w, false);
    case Pattern::decompose_generic: return w.dot.scaled && decompose(w, true);
    case Pattern::emulate: return w.dot.scaled && emulate(w);
    case Pattern::dot: return !w.dot.scaled && dot_to_matrix(w);
  }
  return false;
}

}  // namespace

const char* name(DotKind k) {
  constexpr const char* names[] = {"none", "fma", "mfma", "wmma", "decomposed", "emulated"};
  return names[static_cast<int>(k)];
}

bool dot_to_matrix(Work& w) { return traits(w.dot.arch).mfma ? dot_to_mfma(w) : dot_to_wmma(w); }

LayoutEncoding encoding(const Plan& p) {
  if (!p.instruction) throw PlanError("this plan runs on the vector unit: it has no matrix layout");
  const MatrixUnit unit =
      p.instruction->row->matrix.kind == isa::MatrixKind::mfma ? MatrixUnit::mfma : MatrixUnit::wmma;
  return {unit, p.version, {p.m, p.n, p.k}, p.warps, p.tiles, p.transposed, p.accumulator_bits, {}};
}

Plan plan(const Problem& problem) {
  check(problem);
  const FamilyTraits& t = traits(problem.arch);
  Work w{{}, problem};
  w.plan.problem = problem;
  w.plan.decide("family",
                t.mfma ? fmt::format("{} (MFMA {})", t.name, t.mfma) : fmt::format("{} (WMMA {})", t.name, t.wmma),
                fmt::format("family of {} (planner 1)", isa::target(problem.arch).name));
  bool taken = false;
  for (const Pattern pattern : t.patterns) {
    if ((taken = apply(pattern, w))) break;
  }
  if (!taken && !problem.scaled) dot_to_vector_unit(w);
  if (w.plan.kind == DotKind::none) w.plan.subkind = "left as dot_scaled";
  operand_sources(w.plan);
  return std::move(w.plan);
}

}  // namespace wavesmith::plan
