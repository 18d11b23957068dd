// Wait states: the tracker of isa_tables/hazards.h joined over the control flow. A block is walked again only until its first
// instructions have outlived what came in.
#include <algorithm>

#include "generator/check/rules.h"
#include "isa_tables/hazard_policy.h"

namespace wavesmith::checker {
namespace {

using isa::HazardTracker;
constexpr int longest = 20;                                // wait states any row asks for (hazards.def)

std::string plural(int n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// What is missing, and what would be legal, in the unit of the rule.
void describe(const HazardTracker::Need& need, int line, const Code& code, Report& report) {
  using enum isa::hazard::Fix;
  const auto fix = need.rule->fix;
  const std::string unit = fix == s_nop ? plural(need.wait_states, "wait state") : fix == v_nop || fix == valu_op ? plural(need.wait_states, "VALU instruction") : "an ALU wait";
  const int producer = search_back(code, line, [&](int i) { return code.lines[static_cast<size_t>(i)].item->inst == need.producer; });
  Finding& f = report.at(line, need.rule->name);
  f.advice = need.rule->advice;                            // LLVM's alone, and production kernels do without
  f.source = need.rule->source;
  f.what = fmt::format("needs {} more after {}{}", unit, isa::print(need.producer, code.arch), producer < 0 ? "" : fmt::format(" at {:#x}", code.lines[static_cast<size_t>(producer)].pc));
  if (isa::standing(need, code.arch) == isa::Standing::warning) f.what += fmt::format(" (kernels in use break this rule: {})", isa::policy(*need.rule).evidence);
  f.legal = fix == s_nop ? fmt::format("s_nop {} or other instructions in between", need.wait_states - 1) : fix == v_nop || fix == valu_op ? "v_nop or other VALU instructions in between" : "an ALU wait in between";
}

// Wait states that an s_nop at `line` is needed for, tried from few to many: what follows, on every path, until no producer can count any more.
bool suffices(const Code& code, HazardTracker t, int line, int wait_states) {
  t.advance(wait_states);
  struct Path { HazardTracker t; int line, left; };
  const int first = code.lines[static_cast<size_t>(line)].next;
  if (first < 0) return true;
  std::vector<Path> paths{{std::move(t), first, longest}};
  for (int steps = 0; !paths.empty(); ++steps) {
    if (steps > 200) return false;
    Path& p = paths.back();
    const Item& item = *code.lines[static_cast<size_t>(p.line)].item;
    if (!item.refusal.empty() || p.t.missing(item.inst) > 0) return false;
    p.t.issue(item.inst);
    const Line& l = code.lines[static_cast<size_t>(p.line)];
    if (--p.left == 0 || p.t.idle() || item.flow == Flow::call || (l.next < 0 && l.target < 0)) {
      paths.pop_back();
      continue;
    }
    p.line = l.next >= 0 ? l.next : l.target;
    if (l.next >= 0 && l.target >= 0) paths.push_back(Path{p.t, l.target, p.left});   // p is not used behind this
  }
  return true;
}

void advise(const Code& code, int line, int needed, Report& report) {
  const int has = static_cast<int>(code.lines[static_cast<size_t>(line)].item->inst.operands[0].bits & 15) + 1;
  Finding& f = report.at(line, "nop that no hazard needs");
  f.advice = true;
  f.source = "isa_tables/hazards.def";
  f.what = fmt::format("{} wait states, of which {} needed", has, needed == 0 ? "none is" : needed == 1 ? "one is" : fmt::format("{} are", needed));
  f.legal = needed ? fmt::format("s_nop {}", needed - 1) : "none";
}

}  // namespace

void check_wait_states(const Code& code, const Entry& entry, Report& report, const Options& options) {
  std::map<int, int> needed;                               // wait states, by line of an s_nop that has more
  const auto unknown = [&] {
    HazardTracker t(code.arch, code.lanes);
    t.assume_sgprs_read();
    return t;
  };
  const auto walk = [&](HazardTracker& t, const Span& b, bool again) {
    int since = 0;                                         // wait states since an inherited producer could still count
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (again && since > longest && t.cured_by_wait_states()) return false;
      if (!item.refusal.empty()) {
        t = unknown();
        continue;
      }
      if (!t.idle() && t.missing(item.inst) > 0) {
        const auto need = t.check(item.inst);
        if (options.advice || !need.rule->advice) describe(need, i, code, report);
        t.cure(item.inst);                                 // one finding, not one for every instruction behind it
      }
      if (options.advice && item.inst.op == Opcode::s_nop && t.cured_by_wait_states()) {
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
  fixpoint(code, entry.function ? unknown() : HazardTracker(code.arch, code.lanes), walk, [](HazardTracker& into, const HazardTracker& from) {
    const HazardTracker before = into;
    into.merge(from);
    return !(before == into);
  });
  for (const auto& [line, least] : needed) advise(code, line, least, report);
}

}  // namespace wavesmith::checker
