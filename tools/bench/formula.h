// Formulas of launch metadata (--meta): numbers, names, + - * / and parentheses, ceil, min and max.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace wavesmith::tools {

using Quantities = std::map<std::string, double, std::less<>>;

// InputError: the formula, what is wrong with it, and the known names.
double evaluate(std::string_view formula, const Quantities&);

}  // namespace wavesmith::tools
