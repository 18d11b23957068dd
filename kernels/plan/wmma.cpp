// dot -> WMMA: operand types by conversion cost, a K smaller than the instruction's is padded with zeros (planner_spec
// 10). Mixed FP8 types are kept: there are instructions for all four pairs, so the conversion to one type (13c) is not
// needed.
#include <fmt/format.h>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {
bool dot_to_wmma(Work& w) {
  const Problem& p = w.dot;
  const int version = traits(p.arch).wmma;
  const Types wanted{p.a.type, p.b.type, p.c, p.c};
  const auto cheapest = cheapest_types(wanted, version);
  if (!cheapest)
    return not_taken(w, "WMMA",
                     fmt::format("operand types, no conversion of {} x {} -> {} costs less than MAX (planner 10)",
                                 name(wanted.a), name(wanted.b), name(wanted.d)));
  if (p.shape.k == 1) return not_taken(w, "WMMA", "K = 1 is an outer product (planner 10)");
  const InstructionTile tile = wmma_tile(p.shape, p.remainder);
  if (!tile.m) return not_taken(w, "WMMA", tile.rule);
  const Types& t = cheapest->types;
  const Fit fit = fit_k(alternatives(p.arch, {tile.m, tile.n, t.a, t.b, t.d}), p.shape.k, p.remainder, true);
  if (!fit.instruction) return not_taken(w, "WMMA", fit.rule);
  Plan& out = w.plan;
  const InstructionCandidate& c = *fit.instruction;
  out.version = version, out.kind = out.kind == DotKind::none ? DotKind::wmma : out.kind;
  out.types = t;
  out.decide("operand types", fmt::format("{} x {} -> {}", name(t.a), name(t.b), name(t.d)),
             fmt::format("operand types, cheapest conversion: cost {} (planner 10)", cheapest->cost));
  out.decide("tile", "16x16", tile.rule);
  out.decide("instruction", mnemonic(c, p.arch), fit.rule);
  take(out, c, p);
  out.transposed = true;
  out.decide("accumulators", "transposed", "accumulators, WMMA: always transposed (planner 10)");
  distribute(out, p);
  const int short_k = static_cast<int>(next_pow2(p.shape.k) / 2);
  if (p.shape.k < c.k) set_kwidth(out, short_k, short_k, "kWidth, K < kDim: K/2 (planner 10)");
  else if (version == 3 && t.a == Elem::f32) set_kwidth(out, 2, 2, "kWidth, f32 WMMA: 2 (planner 16)");
  else if (version == 3) set_kwidth(out, 8, 8, "kWidth, third generation of WMMA: 8 (planner 10)");
  else set_kwidth(out, c.k_base, c.k_base, "kWidth, WMMA: kBase (planner 10)");
  if (out.kind == DotKind::wmma) out.subkind = "regular";
  cast_all(w);
  return true;
}

}  // namespace wavesmith::plan
