// Wait states: the tracker of isa_tables/hazards/hazards.h joined over the control flow. A block is walked again only
// until no incoming producer can matter.
#include <algorithm>
#include <optional>

#include "checker/rules.h"
#include "isa_tables/hazards/hazard_policy.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

using isa::HazardTracker;
constexpr int longest = 20;  // the most wait states that a row of hazards.def requires

// MFMA issue in order, each after the earlier ones of its kind have passed the unit (AMD matrix instruction calculator;
// the peak rates follow from this). The ISA tables count clocks ("no internal 4 & 8 cycle forwarding path", CDNA3 ISA
// table 38), LLVM counts one wait state per MFMA. The wait states that the unit's occupancy adds between two lines of a
// block are inferred, so they only turn a finding into a note where production kernels break the rule.
int stalls(const Code& code, const Span& b, int producer, int consumer) {
  int now = 0, extra = 0;
  std::array<int, 3> free{};  // f64 and f32 have units of their own
  for (int i = std::max(b.begin, producer - longest); i <= consumer; ++i) {
    const Item& item = *code.lines[static_cast<size_t>(i)].item;
    if (!item.refusal.empty()) {
      now = 0, free = {};
      continue;
    }
    const Inst& inst = item.inst;
    if (inst.info().is_matrix()) {
      const isa::Type a = inst.info().matrix.a;
      int& unit = free[a == isa::Type::f64 ? 2 : a == isa::Type::f32 ? 1 : 0];
      const int stall = std::max(0, unit - now);
      if (i > producer) extra += stall;
      now += stall, unit = now + isa::clocks(inst, code.arch) / 4;
    }
    now += inst.op == Opcode::s_nop ? static_cast<int>(inst.operands[0].bits & 15) + 1 : 1;
  }
  return extra;
}

// The reason why missing wait states are only a note; empty: they are a finding.
std::string harmless(const HazardTracker::Need& need, int line, const Code& code, const Span& b) {
  const auto inst = [&](int i) -> const Inst& { return code.lines[static_cast<size_t>(i)].item->inst; };
  switch (isa::stale_exec(need, inst(line).op)) {
    case isa::StaleExec::counts: break;
    case isa::StaleExec::by_value: return "harmless if the condition is uniform; `wavesmith run` compares the values";
    case isa::StaleExec::harmless: return "harmless: the instruction ignores EXEC";
  }
  if (need.rule->fix != isa::hazard::Fix::s_nop || isa::standing(need, code.arch) != isa::Standing::warning) return {};
  int producer = line - 1;
  while (producer >= b.begin && !(inst(producer) == need.producer)) --producer;
  return producer >= b.begin && stalls(code, b, producer, line) >= need.wait_states
             ? "harmless: an MFMA in between waits for its unit that long"
             : "";
}

// The missing wait states, and the reason if they are only a note.
struct Missing {
  HazardTracker::Need need;
  std::string harmless{};
};

// If the worst case is harmless, the others within the block decide.
Missing gravest(const HazardTracker::Need& worst, int line, const Code& code, const Span& b) {
  const Missing note{worst, harmless(worst, line, code, b)};
  std::vector<Inst> left_out;
  for (Missing m = note; !m.harmless.empty();) {
    left_out.push_back(m.need.producer);
    HazardTracker t(code.arch, code.lanes);
    for (int i = std::max(b.begin, line - longest); i < line; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || std::ranges::find(left_out, item.inst) != left_out.end()) t.advance(1);
      else t.issue(item.inst);
    }
    m.need = t.check(code.lines[static_cast<size_t>(line)].item->inst);
    if (!m.need.rule || m.need.rule->advice) return note;
    m.harmless = harmless(m.need, line, code, b);
    if (m.harmless.empty()) return m;
  }
  return note;
}

// The text of a finding: what is missing and what would be legal, in the unit of the rule.
void describe(const Missing& missing, int line, const Code& code, Report& report) {
  const HazardTracker::Need& need = missing.need;
  using namespace isa::hazard;
  using enum Fix;
  const auto fix = need.rule->fix;
  const std::optional<int> producer =
      search_back(code, line, [&](int i) { return code.lines[static_cast<size_t>(i)].item->inst == need.producer; });
  Finding& f = report.at(line, need.rule->name);
  f.advice = need.rule->advice ||
             !missing.harmless.empty();  // a rule of LLVM alone that production kernels break, or without effect here
  f.source = need.rule->source;
  f.what = fmt::format("needs {} after {}{}", need.missing(), isa::print(need.producer, code.arch),
                       producer ? " at " + place_of(code, *producer) : "");
  if (isa::standing(need, code.arch) == isa::Standing::warning)
    f.what += fmt::format(" (kernels in use break this rule: {})", isa::policy(*need.rule).evidence);
  if (!missing.harmless.empty()) f.what += "; " + missing.harmless;
  f.legal = fix == s_nop ? fmt::format("s_nop {} or other instructions in between", need.wait_states - 1)
            : fix == v_nop || fix == valu_op ? "v_nop or other VALU instructions in between"
                                             : fmt::format("an ALU wait with {} in between", alu_wait_text(fix));
}

// The fewest wait states that an s_nop at `line` must have: each count is tried on every following path until no
// producer matters any more.
bool suffices(const Code& code, HazardTracker t, int line, int wait_states) {
  t.advance(wait_states);
  struct Path {
    HazardTracker t;
    int line, left;
  };
  const int first = code.lines[static_cast<size_t>(line)].next;
  if (first == absent) return true;
  std::vector<Path> paths{{std::move(t), first, longest}};
  for (int steps = 0; !paths.empty(); ++steps) {
    if (steps > 200) return false;
    Path& p = paths.back();
    const Item& item = *code.lines[static_cast<size_t>(p.line)].item;
    if (!item.refusal.empty() || p.t.missing(item.inst) > 0) return false;
    p.t.issue(item.inst);
    const CodeLine& l = code.lines[static_cast<size_t>(p.line)];
    if (--p.left == 0 || p.t.idle() || item.flow == Flow::call || (l.next == absent && l.target == absent)) {
      paths.pop_back();
      continue;
    }
    p.line = l.next != absent ? l.next : l.target;
    if (l.next != absent && l.target != absent)
      paths.push_back(Path{p.t, l.target, p.left});  // p is not used after this
  }
  return true;
}

void advise(const Code& code, int line, int needed, Report& report) {
  const int has = static_cast<int>(code.lines[static_cast<size_t>(line)].item->inst.operands[0].bits & 15) + 1;
  Finding& f = report.at(line, "nop that no hazard requires");
  f.advice = true;
  f.source = "isa_tables/hazards/hazards.def";
  f.what = fmt::format("{} wait states, of which {} needed", has,
                       needed == 0   ? "none is"
                       : needed == 1 ? "one is"
                                     : fmt::format("{} are", needed));
  f.legal = needed ? fmt::format("s_nop {}", needed - 1) : "none";
}

}  // namespace

void check_wait_states(const Code& code, const Entry& entry, Report& report, const Options& options) {
  std::map<int, int> needed;  // wait states, by line of an s_nop that has more
  const auto unknown = [&] {
    HazardTracker t(code.arch, code.lanes);
    t.assume_sgprs_read();
    return t;
  };
  const auto walk = [&](HazardTracker& t, const Span& b, bool again) {
    int since = 0;  // wait states since the block's begin, while incoming producers matter
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (again && since > longest && t.resolved_by_wait_states()) return false;
      if (!item.refusal.empty()) {
        t = unknown();
        continue;
      }
      if (!t.idle() && t.missing(item.inst) > 0) {
        const Missing m = gravest(t.check(item.inst), i, code, b);
        if (options.advice || (!m.need.rule->advice && m.harmless.empty())) describe(m, i, code, report);
        t.resolve(item.inst);  // one finding, not one for every instruction after it
      }
      if (options.advice && item.inst.op == Opcode::s_nop && t.resolved_by_wait_states()) {
        const int has = static_cast<int>(item.inst.operands[0].bits & 15) + 1;
        int least = 0;
        while (least < has && !suffices(code, t, i, least)) ++least;
        if (least < has) needed[i] = least;
        else needed.erase(i);
      }
      t.issue(item.inst);
      since += item.inst.op == Opcode::s_nop ? static_cast<int>(item.inst.operands[0].bits & 15) + 1 : 1;
      if (item.flow == Flow::call) t = unknown();
    }
    return true;
  };
  fixpoint(code, entry.function ? unknown() : HazardTracker(code.arch, code.lanes), walk,
           [](HazardTracker& into, const HazardTracker& from) {
             const HazardTracker before = into;
             into.merge(from);
             return !(before == into);
           });
  for (const auto& [line, least] : needed) advise(code, line, least, report);
}

}  // namespace wavesmith::checker
