// All rules over one kernel or function.
#include "generator/check/check.h"

#include <algorithm>
#include <iterator>

#include "generator/check/conditions.h"
#include "generator/check/rules.h"
#include "generator/check/values.h"

namespace wavesmith::checker {

Finding& Report::at(int line, const std::string& rule) {
  Finding& f = found_[{line, rule}];
  const Line& l = code_.lines[static_cast<size_t>(line)];
  f = {};
  f.kernel = entry_.name, f.pc = l.pc, f.rule = rule;
  f.instruction = l.item->refusal.empty() ? isa::print(l.item->inst, code_.arch) : "(not understood)";
  return f;
}

std::vector<Finding> Report::take() {
  std::vector<Finding> all;
  for (auto& [where, f] : found_) all.push_back(std::move(f));
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.pc < b.pc; });
  // An instruction that is followed under two modes (VSKIP) stands on two lines: one finding.
  const auto same = [](const Finding& a, const Finding& b) { return a.pc == b.pc && a.rule == b.rule; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

void Result::add(Result&& o) {
  findings.insert(findings.end(), std::make_move_iterator(o.findings.begin()), std::make_move_iterator(o.findings.end()));
  instructions += o.instructions;
}

namespace {

// What functions write, each with all those that it calls; nothing where one of them cannot be followed.
class Callees {
 public:
  Callees(const sim::CodeObject& object, Decoder& decoder) : object_(object), decoder_(decoder) {}
  void find(Code& code) {
    for (auto& [line, call] : code.calls) {
      std::set<uint64_t> seen;
      call.known = follow(call.to, code.lines[static_cast<size_t>(line)].item->inst.operands[0], seen, call.writes);
    }
  }

 private:
  // A jump through the registers that keep the place behind the call is the way back; calls of all levels keep it in the same.
  bool follow(uint64_t address, const Operand& way_back, std::set<uint64_t>& seen, RegBits& writes) {
    if (!seen.insert(address).second) return true;
    auto& code = functions_[address];
    if (!code) code = std::make_unique<Code>(decoder_.decode(object_, address, 0));
    const auto item = [&](int line) -> const Item& { return *code->lines[static_cast<size_t>(line)].item; };
    if (code->lines.empty() || std::ranges::any_of(code->jumps, [&](int line) { return !(item(line).inst.operands[0] == way_back); })) return false;
    for (int i = 0; i < static_cast<int>(code->lines.size()); ++i) {
      if (!item(i).refusal.empty() || (item(i).flow == Flow::call && !code->calls.contains(i))) return false;
      for (int k = 0; k < item(i).writes.count; ++k) writes[item(i).writes.parts[static_cast<size_t>(k)].word] |= item(i).writes.parts[static_cast<size_t>(k)].mask;
    }
    return std::ranges::all_of(code->calls, [&](const auto& c) { return follow(c.second.to, way_back, seen, writes); });
  }
  const sim::CodeObject& object_;
  Decoder& decoder_;
  std::map<uint64_t, std::unique_ptr<Code>> functions_;
};

// The rules about what happens on paths. What is found on all paths of the control flow is looked at again on those that conditions leave, if there are fewer.
std::vector<Finding> judge_paths(const Code& code, const Entry& entry, const Options& options) {
  const auto on_paths_of = [&](const Code& paths, const Options& o) {
    Report report(paths, entry);
    check_wait_states(paths, entry, report, o);
    check_in_flight(paths, report, o);
    check_alu_waits(paths, report, o);
    return report.take();
  };
  const auto grave = [](const Finding& f) { return !f.advice; };
  auto all = on_paths_of(code, options);
  if (std::ranges::none_of(all, grave)) return all;
  const auto fewer = at_conditions(code);
  if (!fewer) return all;
  std::erase_if(all, grave);
  for (auto& f : on_paths_of(*fewer, {.advice = false})) if (grave(f)) all.push_back(std::move(f));
  return all;
}

Result judge(const Code& code, const Entry& entry, const sim::Kernel& kernel, const Options& options) {
  Report report(code, entry);
  if (!code.lines.empty()) {
    check_flow(code, entry, report);
    check_limits(code, entry, report);
    check_written(code, entry, report);
    check_lds(code, entry, kernel, report, options);
    if (options.advice) check_narrow(code, report);
  }
  Result r{report.take(), code.lines.size()};
  if (code.lines.empty()) return r;
  auto paths = judge_paths(code, entry, options);
  std::ranges::move(paths, std::back_inserter(r.findings));
  std::ranges::stable_sort(r.findings, {}, &Finding::pc);
  return r;
}

}  // namespace

Result check(const sim::CodeObject& object, const sim::Kernel& kernel, Decoder& decoder, const Options& options) {
  decoder.forget_if_full();
  const bool sized = kernel.code_end < kernel.entry + object.code(kernel.entry).size();
  Code code = decoder.decode(object, kernel.entry, sized ? kernel.code_end : 0);
  Callees(object, decoder).find(code);
  using Replays = in_flight::Streams::Replays;
  code.replays = !object.may_replay() ? Replays::none : asks_for_replay_groups(code) ? Replays::any : Replays::grouped;
  return judge(code, entry_of(kernel, object.arch()), kernel, options);
}

Result check(const sim::CodeObject& object, const sim::Symbol& symbol, Decoder& decoder, const Options& options) {
  decoder.forget_if_full();
  Code code = decoder.decode(object, symbol.address, symbol.size ? symbol.address + symbol.size : 0);
  if (!object.may_replay()) code.replays = in_flight::Streams::Replays::none;
  Entry entry;
  entry.name = symbol.name;
  entry.function = true;
  entry.lds_bytes = isa::target(object.arch()).lds_bytes;
  return judge(code, entry, {}, options);
}

Result check(const Program& p, const Options& options) {
  std::deque<Item> items;
  const isa::Target& t = isa::target(p.arch);
  sim::Kernel kernel;
  kernel.name = p.name;
  kernel.wave_size = t.wave_size;
  kernel.vgprs = p.total_vgprs(), kernel.accum_offset = t.unified ? p.accum_offset() : kernel.vgprs;
  kernel.max_workgroup_size = p.workgroup_size;
  return judge(code_of(p, items), entry_of(p), kernel, options);
}

}  // namespace wavesmith::checker
