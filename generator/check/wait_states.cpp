// Wait states: the tracker of isa_tables/hazards.h joined over the control flow. A block is walked again only until its first
// instructions have outlived what came in.
#include "generator/check/rules.h"
#include "isa_tables/hazards.h"

namespace wavesmith::check {
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
  f.source = need.rule->source;
  f.what = fmt::format("needs {} more after {}{}", unit, isa::print(need.producer, code.arch), producer < 0 ? "" : fmt::format(" at {:#x}", code.lines[static_cast<size_t>(producer)].pc));
  f.legal = fix == s_nop ? fmt::format("s_nop {} or other instructions in between", need.wait_states - 1) : fix == v_nop || fix == valu_op ? "v_nop or other VALU instructions in between" : "an ALU wait in between";
}

}  // namespace

void check_wait_states(const Code& code, const Entry& entry, Report& report) {
  const auto unknown = [&] {
    HazardTracker t(code.arch);
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
        describe(need, i, code, report);
        t.cure(item.inst);                                 // one finding, not one for every instruction behind it
      }
      t.issue(item.inst);
      since += item.inst.op == Opcode::s_nop ? static_cast<int>(item.inst.operands[0].bits & 15) + 1 : 1;
      if (item.flow == Flow::call) t = unknown();
    }
    return true;
  };
  fixpoint(code, entry.function ? unknown() : HazardTracker(code.arch), walk, [](HazardTracker& into, const HazardTracker& from) {
    const HazardTracker before = into;
    into.merge(from);
    return !(before == into);
  });
}

}  // namespace wavesmith::check
