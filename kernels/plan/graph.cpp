// Slices of the graph, forward along uses and backward along operands.
#include "kernels/plan/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/plan/types.h"

namespace wavesmith::plan {

Graph::Value Graph::argument(std::string name, Region r) {
  operations_.push_back({std::move(name), {}, r, false, true});
  return static_cast<Value>(operations_.size()) - 1;
}

Graph::Value Graph::op(std::string name, std::vector<Value> operands, Region r) {
  operations_.push_back({std::move(name), std::move(operands), r, false, false});
  return static_cast<Value>(operations_.size()) - 1;
}

Graph::Value Graph::dot(std::string name, Value a, Value b, Value c, Region r) {
  const Value v = op(std::move(name), {a, b, c}, r);
  operations_.back().is_dot = true;
  dots_.push_back(v);
  return v;
}

Graph::Value Graph::find(std::string_view wanted) const {
  std::string legal;
  for (const Value d : dots_) {
    if (name(d) == wanted) return d;
    legal += " " + name(d);
  }
  throw PlanError(fmt::format("the graph has no dot '{}', legal:{}", wanted, legal.empty() ? " none" : legal));
}

// All values reachable from `from` within the region; `from` itself only if it is on a cycle.
std::vector<bool> Graph::reach(Value from, Region r, const std::function<std::vector<Value>(Value)>& next) const {
  std::vector<bool> seen(operations_.size());
  for (std::vector<Value> work{from}; !work.empty();) {
    const Value v = work.back();
    work.pop_back();
    for (const Value w : next(v)) {
      if (seen[static_cast<size_t>(w)] || (!defined_in(w, r) && !at(w).is_argument)) continue;
      seen[static_cast<size_t>(w)] = true;
      work.push_back(w);
    }
  }
  return seen;
}

std::vector<Graph::Value> Graph::users(Value v, Carried carried) const {
  std::vector<Value> out;
  for (size_t i = 0; i < operations_.size(); ++i)
    if (std::find(operations_[i].operands.begin(), operations_[i].operands.end(), v) != operations_[i].operands.end())
      out.push_back(static_cast<Value>(i));
  if (carried == Carried::followed)
    for (const auto& [from, argument] : carried_)
      if (from == v) out.push_back(argument);
  return out;
}

std::vector<Graph::Value> Graph::makers(Value v, Carried carried) const {
  std::vector<Value> out = at(v).operands;
  if (carried == Carried::followed)
    for (const auto& [from, argument] : carried_)
      if (argument == v) out.push_back(from);
  return out;
}

// planner_spec 3. Unlike in the compilers that the rule describes, a result that is directly the operand counts.
// Compilers never see that case, because they insert a layout conversion in between; a graph written by hand has none.
Chain Graph::chain(Value dot, Carried carried) const {
  const Region r = at(dot).region;
  Chain out;
  const auto after = reach(dot, r, [&](Value v) { return users(v, carried); });
  const auto fed = [&](Value operand) {
    return operand == dot ||
           (after[static_cast<size_t>(operand)] && (carried == Carried::followed || defined_in(operand, r)));
  };
  for (const Value d : dots_) {
    if (d == dot || !after[static_cast<size_t>(d)]) continue;
    out.head_a |= fed(at(d).operands[0]);
    out.head_b |= fed(at(d).operands[1]);
  }
  const Value a = at(dot).operands[0];
  if (carried == Carried::ignored && !defined_in(a, r)) return out;
  auto before = reach(a, r, [&](Value v) { return makers(v, carried); });
  before[static_cast<size_t>(a)] = true;
  for (const Value d : dots_) out.tail |= d != dot && before[static_cast<size_t>(d)] && at(d).region == r;
  return out;
}

namespace {

std::string_view trim(std::string_view s) {
  const auto first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == s.npos ? std::string_view{} : s.substr(first, last - first + 1);
}

struct Reader {
  Graph graph{};
  std::map<std::string, Graph::Value, std::less<>> values{};
  std::vector<Graph::Region> open{0};
  int line_number = 0;

  [[noreturn]] void fail(std::string_view line) const {
    throw PlanError(fmt::format(
        "graph, line {}: '{}' is not an operation, legal: name = op(value, ...), name = dot(a, b[, c]), {{ or }}",
        line_number, line));
  }
  Graph::Value value(std::string_view name) {
    const auto found = values.find(name);
    if (found != values.end()) return found->second;
    return values[std::string(name)] = graph.argument(std::string(name), open.back());
  }
  void operation(std::string_view line) {
    const size_t equals = line.find('='), left = line.find('('), right = line.rfind(')');
    if (equals == line.npos || left == line.npos || right == line.npos || !(equals < left && left < right)) fail(line);
    const std::string name(trim(line.substr(0, equals))), what(trim(line.substr(equals + 1, left - equals - 1)));
    std::vector<Graph::Value> operands;
    for (std::string_view rest = line.substr(left + 1, right - left - 1); !trim(rest).empty();) {
      const size_t comma = std::min(rest.find(','), rest.size());
      operands.push_back(value(trim(rest.substr(0, comma))));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    const bool dot = what == "dot" || what == "dot_scaled";
    if (name.empty() || what.empty() || (dot && operands.size() < 2)) fail(line);
    if (dot && operands.size() == 2) operands.push_back(graph.argument("zero", open.back()));
    values[name] = dot ? graph.dot(name, operands[0], operands[1], operands[2], open.back())
                       : graph.op(name, operands, open.back());
  }
};

}  // namespace

Graph parse_graph(std::string_view text) {
  Reader r;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++r.line_number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (line == "{") r.open.push_back(r.graph.region(r.open.back()));
    else if (line == "}" && r.open.size() > 1) r.open.pop_back();
    else r.operation(line);
  }
  if (r.open.size() > 1)
    throw PlanError(fmt::format("graph, line {}: a region is not closed, legal: a line with }}", r.line_number));
  return std::move(r.graph);
}

}  // namespace wavesmith::plan
