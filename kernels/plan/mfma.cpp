// dot -> MFMA: instruction, transposition, tiles per warp, kWidth (planner_spec 4, 5, 7).
#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {
namespace {

constexpr const char* no_mfma = "Unable to select MFMA intrinsic";  // these two and the FP8 remarks have the
                                                                    // compilers' wording, which users search for

// 16x16 instructions of 16-bit operands on CDNA4: two neighbouring tiles along the free dimension give the next dot its
// operand in place.
void chain_tiles(Plan& out, const Problem& p) {
  const bool sixteen = out.types.a == Elem::f16 || out.types.a == Elem::bf16;
  if (traits(p.arch).mfma < 4 || !sixteen || out.m != 16 || out.n != 16 || p.batch ||
      (out.tiles[0] > 1 && out.tiles[1] > 1))
    return;
  const auto& [m, n, k] = p.shape;
  if (p.chain.head_a && m >= 32 * out.warps[0] && n == 16 && out.warps[1] == 1) {
    out.transposed = true, out.tiles = {2, 1};
    out.decide("tiles per warp", dims(out.tiles),
               "tiles per warp, 16x16 head through operand A with N = 16 and room for two tiles along M (planner 5.5)");
  } else if (p.chain.head_b && m == 16 && n >= 32 * out.warps[1] && out.warps[0] == 1) {
    out.transposed = false, out.tiles = {1, 2};
    out.decide("tiles per warp", dims(out.tiles),
               "tiles per warp, 16x16 head through operand B with M = 16 and room for two tiles along N (planner 5.5)");
  }
}

void tiles_per_warp(Plan& out, const Problem& p) {
  const bool square = out.m == out.n, scaled = p.a.scale.state != Scale::absent || p.b.scale.state != Scale::absent;
  if (square && scaled && !p.batch) {
    const TilesPerWarp t = tiles_for_scales(p.a.scale, p.b.scale, encoding(out), {p.shape.m, p.shape.n, p.shape.k});
    out.tiles = {t.m, t.n};
    out.decide("tiles per warp", dims(out.tiles), t.rule);
  }
  chain_tiles(out, p);
  if (out.decisions.back().subject != "tiles per warp")
    out.decide("tiles per warp", dims(out.tiles),
               "tiles per warp, no scales to read and no chain to serve: one (planner 5.4)");
}

void kwidth(Plan& out, const InstructionCandidate& c, const Problem& p, bool f8f6f4) {
  if (f8f6f4) return set_kwidth(out, 16, 16, "kWidth, F8F6F4 operands: 16 (planner 5.9)");
  const bool sixteen = c.a == Elem::f16 || c.a == Elem::bf16;
  if (p.chain.tail && sixteen)
    return set_kwidth(
        out, 4, 4,
        "kWidth, tail of a chain with 16-bit operands: 4, the accumulators of the head in place (planner 5.7)");
  if (p.chain.tail)
    return set_kwidth(out, c.k_base, c.k_base, "kWidth, tail of a chain: kBase, kPack not applied (planner 5.7)");
  const int width = packed_kwidth(out, c, p);
  set_kwidth(out, width, width,
             fmt::format("kWidth, kBase {}{} (planner 5.7)", c.k_base, width > c.k_base ? " times kPack" : ""));
}

}  // namespace

Elem accumulator(Elem a) { return is_int(a) ? Elem::i32 : a == Elem::f64 ? Elem::f64 : Elem::f32; }

MfmaChoice choose_mfma(const Problem& p, Elem a, Elem b, Scaling scaling) {
  MfmaChoice c{{}, a, b};
  c.tile = mfma_tile(p.shape, p.nonkdim, a == Elem::f64 || b == Elem::f64, p.remainder);
  if (!c.tile.m) {
    c.fit.rule = c.tile.rule;
    return c;
  }
  const bool narrow = scaling != Scaling::none;
  const auto key = [&](const InstructionTile& t) {
    return Key{t.m,
               t.n,
               narrow ? Elem::f8f6f4 : a,
               narrow ? Elem::f8f6f4 : b,
               accumulator(a),
               scaling == Scaling::operands ? 32 : 0};
  };
  c.fit = fit_k(alternatives(p.arch, key(c.tile)), p.shape.k, p.remainder, false);
  c.instruction = c.fit.instruction;
  return c;
}

int packed_kwidth(Plan& out, const InstructionCandidate& c, const Problem& p) {
  if (p.kpack == 1) return c.k_base;
  if (traits(p.arch).kpack_is_one) {
    out.decide("kPack", "1", "kPack, one K group of these instructions fills an LDS read: forced to 1 (planner 2)");
    out.remarks.push_back(fmt::format("kpack is deprecated on {}: 1 is used", isa::target(p.arch).name));
    return c.k_base;
  }
  if (c.per_step > 1) {
    out.decide("kPack", "1", "kPack, 64x4 and 4x64: the broadcast operand steps otherwise, so 1 (planner 13a)");
    return c.k_base;
  }
  const int groups = isa::target(p.arch).wave_size / c.m;
  if (p.shape.k < int64_t{c.k_base} * p.kpack * groups) {
    out.decide(
        "kPack", "1",
        fmt::format("kPack, K < kBase * kPack * {} lane groups would duplicate data, so 1 (planner 13b)", groups));
    return c.k_base;
  }
  out.decide("kPack", fmt::to_string(p.kpack),
             "kPack, as asked: fits K, and both operands permute K alike (planner 5.7, 11.2)");
  return c.k_base * p.kpack;
}

bool dot_to_mfma(Work& w) {
  const Problem& p = w.dot;
  const FamilyTraits& t = traits(p.arch);
  Plan out = w.plan;
  Elem a = p.a.type, b = p.b.type;
  const auto& all = candidates(p.arch);
  const bool has_f8f6f4 =
      std::any_of(all.begin(), all.end(), [](const InstructionCandidate& c) { return c.a == Elem::f8f6f4; });
  bool f8f6f4 = has_f8f6f4 && is_f8f6f4(a) && is_f8f6f4(b);
  if (t.emulates_ocp_fp8 && is_ocp_fp8(a) && is_ocp_fp8(b)) {
    out.remarks.push_back(
        "missing native support for fp8 variant on current architecture; emulated with fp16 so low performance");
    if (t.fnuz)
      out.remarks.push_back(fmt::format("for {} please use native supported fp8 variants", isa::target(p.arch).name));
    out.decide("operand types", "f16",
               "operand types, OCP fp8 has no instruction here: widened to f16 (planner 4, rule 3)");
    a = b = Elem::f16;
  }
  if (p.tf32 && t.xf32 && a == Elem::f32 && b == Elem::f32) {
    a = b = Elem::xf32;
    out.decide("operand types", "xf32", "operand types, TF32 allowed and the target has it (planner 4, rule 2)");
  }
  MfmaChoice c = choose_mfma(p, a, b, f8f6f4 ? Scaling::format_only : Scaling::none);
  if (f8f6f4 && !c.instruction) {
    out.decide("F8F6F4", "not taken", c.fit.rule);
    f8f6f4 = false, c = choose_mfma(p, a, b, Scaling::none);
  }
  if (!c.instruction) {
    w.plan.remarks.push_back(no_mfma);
    return not_taken(w, "MFMA", c.fit.rule);
  }
  out.version = t.mfma, out.kind = out.kind == DotKind::none ? DotKind::mfma : out.kind;
  out.types = {a, b, accumulator(a), accumulator(a)};
  out.decide("tile", fmt::format("{}x{}", c.tile.m, c.tile.n), c.tile.rule);
  out.decide("instruction", mnemonic(*c.instruction, p.arch), c.fit.rule);
  take(out, *c.instruction, p);
  out.transposed = !(out.m == 4 && out.n == 64);
  out.decide("accumulators", out.transposed ? "transposed" : "not transposed",
             out.transposed ? "accumulators transposed, so that a lane holds a run of a row (planner 5.3)"
                            : "accumulators, 4x64: not transposed (planner 5.3)");
  distribute(out, p);
  tiles_per_warp(out, p);
  kwidth(out, *c.instruction, p, f8f6f4);
  if (out.kind == DotKind::mfma) out.subkind = f8f6f4 ? "f8f6f4_unscaled" : "regular";
  if (f8f6f4)
    out.notes.push_back(fmt::format("the dot becomes a dot_scaled without scales: formats {} (cbsz) and {} (blgp)",
                                    format_code(a), format_code(b)));
  w.plan = std::move(out);
  cast_all(w);
  return true;
}

}  // namespace wavesmith::plan
