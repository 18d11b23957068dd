#include "tools/bench/formula.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "tools/print/exit.h"

namespace wavesmith::tools {
namespace {

class Formula {
 public:
  Formula(std::string_view text, const Quantities& known) : text_(text), rest_(text), known_(known) {}
  double value() {
    const double x = sum(0);
    if (skip(); !rest_.empty()) fail(fmt::format("'{}' is not understood", rest_));
    if (!std::isfinite(x)) fail("the value is not finite");
    return x;
  }

 private:
  static constexpr int deepest = 32;
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("formula '{}': {}, legal: numbers, names, + - * / ( ) ceil(x) min(x, y) max(x, y)",
                                 text_.substr(0, 80), why));
  }
  void skip() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  double sum(int depth) {
    if (depth > deepest) fail("more than 32 nested parentheses");
    double x = product(depth);
    for (;;)
      if (take('+')) x += product(depth);
      else if (take('-')) x -= product(depth);
      else return x;
  }
  double product(int depth) {
    double x = factor(depth);
    for (;;)
      if (take('*')) x *= factor(depth);
      else if (take('/')) x /= factor(depth);
      else return x;
  }
  double factor(int depth) {
    if (take('-')) return -operand(depth);
    return operand(depth);
  }
  double operand(int depth) {
    if (take('(')) return closed(sum(depth + 1));
    skip();
    size_t n = 0;
    while (n < rest_.size() &&
           (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_' || rest_[n] == '.'))
      ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    if (word.empty()) fail("a number or name is missing");
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(word);
    if (take('(')) return function(word, depth);
    const auto known = known_.find(word);
    if (known != known_.end()) return known->second;
    std::string names;
    for (const auto& [name, _] : known_) names += " " + name;
    throw InputError(fmt::format("formula '{}': '{}' is unknown, legal:{}", text_.substr(0, 80), word, names));
  }
  double number(std::string_view word) const {
    double x = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
    if (error != std::errc() || end != word.data() + word.size()) fail(fmt::format("'{}' is not a number", word));
    return x;
  }
  double closed(double x) {
    if (!take(')')) fail("a parenthesis is not closed");
    return x;
  }
  double function(std::string_view name, int depth) {
    const double x = sum(depth + 1);
    if (name == "ceil") return closed(std::ceil(x));
    if (name == "floor") return closed(std::floor(x));
    if (!take(',') || (name != "min" && name != "max"))
      fail(fmt::format("'{}' is not a function of these arguments", name));
    const double y = sum(depth + 1);
    return closed(name == "min" ? std::min(x, y) : std::max(x, y));
  }

  std::string_view text_, rest_;
  const Quantities& known_;
};

}  // namespace

double evaluate(std::string_view formula, const Quantities& known) { return Formula(formula, known).value(); }

}  // namespace wavesmith::tools
