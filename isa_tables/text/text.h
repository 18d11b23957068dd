// A cursor over one line of assembly text, shared by the parsers of operands and of modifiers.
#pragma once
#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

struct Text {
  std::string_view all, rest;
  [[noreturn]] void fail(const std::string& what) const { throw IsaError(fmt::format("{}: {}", all, what)); }
  void skip() {
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest[0]))) rest.remove_prefix(1);
  }
  bool eat(std::string_view s) {
    skip();
    if (!rest.starts_with(s)) return false;
    rest.remove_prefix(s.size());
    return true;
  }
  void expect(std::string_view s) {
    if (!eat(s)) fail(fmt::format("expected '{}' before '{}'", s, rest));
  }
  std::string_view word() {
    skip();
    size_t n = 0;
    while (n < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[n])) || rest[n] == '_' || rest[n] == '.'))
      ++n;
    const auto w = rest.substr(0, n);
    rest.remove_prefix(n);
    return w;
  }
  bool number_ahead() const {
    const size_t n = rest.starts_with("-") ? 1 : 0;
    return rest.size() > n && std::isdigit(static_cast<unsigned char>(rest[n]));
  }
  int64_t integer() {
    skip();
    const bool negative = eat("-");
    const bool hex = eat("0x");
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, hex ? 16 : 10);
    if (error != std::errc{}) fail(fmt::format("expected a number at '{}'", rest));
    rest.remove_prefix(end - rest.data());
    return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
  }
};

void parse_modifier(Text&, Inst&);                  // one of those after the last operand
uint32_t parse_named_immediate(Text&, Kind, Arch);  // hwreg(...), sendmsg(...), s_delay_alu and s_wait_alu fields

}  // namespace wavesmith::isa
