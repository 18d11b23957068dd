// The names of the checks, as users list them.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "simulator/simulator.h"

namespace wavesmith::sim {

Checks parse_checks(std::string_view list) {
  constexpr std::pair<std::string_view, bool Checks::*> known[] = {{"undefined", &Checks::undefined},
                                                                   {"in-flight", &Checks::in_flight},
                                                                   {"xcnt", &Checks::xcnt},
                                                                   {"hazards", &Checks::hazards},
                                                                   {"races", &Checks::races},
                                                                   {"lds-bounds", &Checks::lds_bounds},
                                                                   {"divergence", &Checks::divergence},
                                                                   {"undefined-reads", &Checks::undefined_reads},
                                                                   {"same-value-races", &Checks::same_value_races}};
  if (list == "all") return {};
  Checks c = Checks::none();
  if (list == "none") return c;
  while (!list.empty()) {
    const std::string_view check = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), check.size() + 1));
    if (check.empty()) continue;
    if (check == "all") {
      c = {.undefined_reads = c.undefined_reads,
           .same_value_races = c.same_value_races,
           .divergence = c.divergence,
           .hazard_warnings = c.hazard_warnings};
      continue;
    }
    if (check == "hazard-warnings") {
      c.hazards = c.hazard_warnings = true;
      continue;
    }
    const bool on = check[0] != '-';
    const auto name = on ? check : check.substr(1);
    if (name == "uninitialized") {
      c.uninitialized = on ? Checks::Uninitialized::fault : Checks::Uninitialized::ignore;
      continue;
    }
    const auto k = std::ranges::find(known, name, [](const auto& x) { return x.first; });
    if (k == std::end(known)) throw std::invalid_argument(fmt::format("'{}' is unknown, legal: {}", name, check_names));
    c.*k->second = on;
    if (on && name == "undefined-reads") c.undefined = true;
    if (on && name == "same-value-races") c.races = true;
  }
  return c;
}

}  // namespace wavesmith::sim
