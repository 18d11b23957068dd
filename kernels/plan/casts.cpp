// Code around the instruction: conversions of operands and results, and loading of operands
// (planner_spec 5.8, 8.2, 9).
#include <fmt/format.h>

#include <algorithm>

#include "kernels/plan/passes.h"

namespace wavesmith::plan {

std::string cast(Elem from, Elem to) {
  if (from == to || to == Elem::xf32) return {};
  const char* op = "fp_to_fp";
  if (from == Elem::f16 && to == Elem::f32) op = "extf";
  else if (from == Elem::f32 && to == Elem::f16) op = "truncf";
  else if (is_int(from) && is_float(to)) op = from == Elem::u8 ? "uitofp" : "sitofp";
  else if (is_float(from) && is_int(to)) op = "fptosi";
  else if (is_int(from))
    op = bits(to) > bits(from) ? from == Elem::u8 ? "extui" : "extsi" : bits(to) < bits(from) ? "trunci" : "bitcast";
  return fmt::format("{} {}->{}", op, name(from), name(to));
}

void cast_all(Work& w) {
  Plan& out = w.plan;
  const Problem& p = w.dot;
  const char* moved = out.instruction ? "convert_layout then " : "";
  const auto add = [&](char operand, Elem from, Elem to, const char* before) {
    if (const std::string steps = cast(from, to); !steps.empty()) out.casts.push_back({operand, before + steps});
  };
  add('A', p.a.type, out.types.a, moved);
  add('B', p.b.type, out.types.b, moved);
  add('C', p.c, out.types.c, moved);
  add('D', out.types.d, p.c, moved);
}

void take(Plan& out, const InstructionCandidate& c, const Problem& p) {
  out.instruction = c;
  out.m = c.m, out.n = c.n, out.k = c.k;
  out.accumulator_bits = bits(c.d) == 64 ? 64 : 32;
  out.padded = {round_up(p.shape.m, c.m), round_up(p.shape.n, c.n), round_up(p.shape.k, c.k)};
  out.decide("accumulator width", fmt::to_string(out.accumulator_bits),
             fmt::format("accumulator width, {}: {} bits (planner 4, 5.6)", name(c.d), out.accumulator_bits));
  const auto note = [&](char dim, int64_t size, int64_t padded, const char* what) {
    if (size != padded) out.notes.push_back(fmt::format("{} {} -> {}: {}", dim, size, padded, what));
  };
  note('M', p.shape.m, out.padded.m, "rows beyond read as zero (bounds-checked loads) and are masked when stored");
  note('N', p.shape.n, out.padded.n, "columns beyond read as zero (bounds-checked loads) and are masked when stored");
  note('K', p.shape.k, out.padded.k,
       "both operands are zero beyond; a zero in one alone would let NaN and infinity through");
}

void set_kwidth(Plan& out, int a, int b, std::string rule) {
  out.kwidth_a = a, out.kwidth_b = b;
  out.decide("kWidth", a == b ? fmt::to_string(a) : fmt::format("A {}, B {}", a, b), std::move(rule));
}

namespace {

std::string access(int bytes) {  // widest is 16
  return bytes <= 16 ? fmt::format("one access of {} bytes", bytes)
                     : fmt::format("{} accesses of 16 bytes", ceil_div(bytes, 16));
}

void operand_source(Plan& out, char which, const DotOperand& operand, int kwidth) {
  const Elem type = out.instruction->a == Elem::f8f6f4 ? operand.type : which == 'A' ? out.types.a : out.types.b;
  const int element = type == Elem::f4e2m1 ? 8 : bits(type),
            bytes = std::max(1, kwidth * element / 8);  // kWidth counts bytes of e2m1
  const InstructionCandidate& c = *out.instruction;     // lane groups along K; gfx11's half-waves hold the same K twice
  const int groups =
      c.per_step == 1 ? c.k / c.k_base : isa::target(out.problem.arch).wave_size / (which == 'A' ? out.m : out.n);
  const std::string subject = fmt::format("operand {}", which);
  const int across = which == 'A' ? out.warps.back() : out.warps[out.warps.size() - 2];
  switch (operand.source) {
    case OperandSource::lds:
      return out.decide(subject, "from LDS",
                        fmt::format("operand from LDS, kWidth {} element{}: {} per lane (planner 5.7)", kwidth,
                                    kwidth == 1 ? "" : "s", access(bytes)));
    case OperandSource::global:
      out.notes.push_back(fmt::format(
          "operand {} from memory: {} per lane, {} adjacent lanes cover {} bytes of a row; no LDS, no barrier{}", which,
          access(bytes), groups, groups * bytes,
          across > 1 ? fmt::format(", but {} warps read the same data", across) : ""));
      return out.decide(subject, "from memory",
                        "operand from memory directly to registers: the layout is the same, kWidth must match the "
                        "other operand's (ours; planner 11.2)");
    case OperandSource::registers: {
      const bool in_place = which == 'A' && out.problem.chain.tail && out.transposed && kwidth == 4 && out.m == out.n;
      out.notes.push_back(
          in_place ? "operand A is already in place: the head's transposed accumulators have its layout (planner 11.2)"
                   : fmt::format("operand {} in registers has another layout: exchange between lanes or through LDS "
                                 "before the product",
                                 which));
      return out.decide(
          subject, "from registers",
          "operand from registers: no conversion only for operand A of a tail with kWidth 4 (ours; planner 11.2)");
    }
  }
}

}  // namespace

void operand_sources(Plan& out) {
  if (!out.instruction) return;
  operand_source(out, 'A', out.problem.a, out.kwidth_a);
  operand_source(out, 'B', out.problem.b, out.kwidth_b);
}

}  // namespace wavesmith::plan
