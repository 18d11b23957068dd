// All rules over one kernel or function.
#include "checker/check.h"

#include <algorithm>
#include <iterator>

#include "checker/calls.h"
#include "checker/conditions.h"
#include "checker/rules.h"
#include "checker/values.h"
#include "simulator/decoded_kernel.h"

namespace wavesmith::checker {

Finding& Report::at(int line, const std::string& rule) {
  Finding& f = found_[{line, rule}];
  const CodeLine& l = code_.lines[static_cast<size_t>(line)];
  f = {};
  f.kernel = entry_.name, f.pc = l.pc, f.rule = rule;
  f.instruction = instruction_of(code_, line), f.where = code_.where ? code_.where(l.pc) : "";
  return f;
}

std::string instruction_of(const Code& code, int line) {
  const CodeLine& l = code.lines[static_cast<size_t>(line)];
  if (!l.item->refusal.empty()) return "(not decoded)";
  std::string text = isa::print(l.item->inst, code.arch);
  if (l.target == absent || !code.label) return text;
  return sim::with_label(std::move(text), code.label(code.lines[static_cast<size_t>(l.target)].pc));
}

std::string place_of(const Code& code, int line) {
  const uint64_t pc = code.lines[static_cast<size_t>(line)].pc;
  const std::string where = code.where ? code.where(pc) : "", address = fmt::format("{:#x}", pc);
  return where.empty() ? address : code.addresses ? fmt::format("{}, {}", address, where) : where;
}

std::string named_register(const Code& code, int number) {
  const std::string reg = register_name(number, code.arch);
  const std::string names = code.register_names ? code.register_names(isa::register_of(number, code.arch)) : "";
  return names.empty() ? reg : fmt::format("{} ({})", reg, names);
}

std::vector<Finding> Report::take() {
  std::vector<Finding> all;
  for (auto& [where, f] : found_) all.push_back(std::move(f));
  std::stable_sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.pc < b.pc; });
  // An instruction that is decoded under two modes (VSKIP) has two lines but gets one finding.
  const auto same = [](const Finding& a, const Finding& b) { return a.pc == b.pc && a.rule == b.rule; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

void Result::add(Result&& o) {
  findings.insert(findings.end(), std::make_move_iterator(o.findings.begin()),
                  std::make_move_iterator(o.findings.end()));
  instructions += o.instructions;
}

namespace {

bool grave(const Finding& f) { return !f.advice; }

// The rules that depend on paths. Findings on the whole control flow are checked again on the paths that the branch
// conditions leave possible (conditions.h), if those are fewer.
template <class Rules>
std::vector<Finding> on_paths(const Code& code, const Entry& entry, const Options& options, Rules&& rules) {
  const auto on_paths_of = [&](const Code& paths, const Options& o) {
    Report report(paths, entry);
    rules(paths, report, o);
    return report.take();
  };
  auto all = on_paths_of(code, options);
  if (std::ranges::none_of(all, grave)) return all;
  const auto fewer = at_conditions(code);
  if (!fewer) return all;
  std::erase_if(all, grave);
  for (auto& f : on_paths_of(*fewer, {.advice = false}))
    if (grave(f)) all.push_back(std::move(f));
  return all;
}

// Accesses in flight at a call or a return are also in flight after it: that rule runs over `whole` (calls.h). The
// other rules, and advice, run over the code of the kernel or function alone.
std::vector<Finding> judge_paths(const Code& code, const std::optional<Code>& whole, const Entry& entry,
                                 const Options& options) {
  auto all = on_paths(code, entry, options, [&](const Code& paths, Report& report, const Options& o) {
    check_wait_states(paths, entry, report, o);
    if (!whole || o.advice) check_in_flight(paths, report, o);
    check_alu_waits(paths, report, o);
  });
  if (!whole) return all;
  std::erase_if(all, [](const Finding& f) { return grave(f) && is_of_in_flight(f); });
  auto after_calls = on_paths(*whole, entry, {.advice = false}, check_in_flight);
  std::ranges::move(after_calls, std::back_inserter(all));
  return all;
}

Result judge(const Code& code, const std::optional<Code>& whole, const Entry& entry, const sim::KernelInfo& kernel,
             const Options& options) {
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
  auto paths = judge_paths(code, whole, entry, options);
  std::ranges::move(paths, std::back_inserter(r.findings));
  std::ranges::stable_sort(r.findings, {}, &Finding::pc);
  return r;
}

}  // namespace

Result check(const Code& code, const Entry& entry, const sim::KernelInfo& kernel, const Options& options) {
  return judge(code, {}, entry, kernel, options);
}

Result check(const sim::CodeObject& object, const sim::KernelInfo& kernel, Decoder& decoder, const Options& options) {
  decoder.forget_if_full();
  const bool sized = kernel.code_end < kernel.entry + object.code(kernel.entry).size();
  Code code = decoder.decode(object, kernel.entry, sized ? kernel.code_end : 0);
  Callees callees(object, decoder);
  callees.find(code);
  using Replays = in_flight::Streams::Replays;
  code.replays = !object.may_replay() ? Replays::none : asks_for_replay_groups(code) ? Replays::any : Replays::grouped;
  return judge(code, callees.whole(code), entry_of(kernel, object.arch()), kernel, options);
}

Result check(const sim::CodeObject& object, const sim::Symbol& symbol, Decoder& decoder, const Options& options) {
  decoder.forget_if_full();
  Code code = decoder.decode(object, symbol.address, symbol.size ? symbol.address + symbol.size : 0);
  Callees callees(object, decoder);
  callees.find(code);
  if (!object.may_replay()) code.replays = in_flight::Streams::Replays::none;
  Entry entry;
  entry.name = symbol.name;
  entry.function = true;
  entry.lds_bytes = isa::target(object.arch()).lds_bytes;
  return judge(code, callees.whole(code), entry, {}, options);
}

}  // namespace wavesmith::checker
