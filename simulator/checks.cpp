// The names of the checks and the orders of waves, as users list them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "simulator/simulator.h"

namespace wavesmith::sim {

namespace {

// The next word of a list that commas separate; it is removed.
std::string_view take_word(std::string_view& list) {
  const std::string_view word = list.substr(0, list.find(','));
  list.remove_prefix(std::min(list.size(), word.size() + 1));
  return word;
}

// From 1 to `most`; 0: it is none.
uint64_t number_of(std::string_view digits, uint64_t most) {
  uint64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return error == std::errc{} && end == digits.data() + digits.size() && n <= most ? n : 0;
}

}  // namespace

Checks parse_checks(std::string_view list) {
  constexpr std::pair<std::string_view, bool Checks::*> known[] = {{"undefined", &Checks::undefined},
                                                                   {"in-flight", &Checks::in_flight},
                                                                   {"xcnt", &Checks::xcnt},
                                                                   {"hazards", &Checks::hazards},
                                                                   {"races", &Checks::races},
                                                                   {"lds-bounds", &Checks::lds_bounds},
                                                                   {"divergence", &Checks::divergence},
                                                                   {"undefined-stores", &Checks::undefined_stores},
                                                                   {"undefined-reads", &Checks::undefined_reads},
                                                                   {"same-value-races", &Checks::same_value_races}};
  if (list == "all") return {};
  Checks c = Checks::none();
  if (list == "none") return c;
  while (!list.empty()) {
    const std::string_view check = take_word(list);
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
    if (on && name == "undefined") c.undefined_stores = true;
    if (on && (name == "undefined-reads" || name == "undefined-stores")) c.undefined = true;
    if (on && name == "same-value-races") c.races = true;
  }
  return c;
}

void parse_order(std::string_view list, Options& o) {
  constexpr std::string_view late = "late:", random = "random:";
  o.late = o.late_lds = o.replay = false, o.latency = 0, o.seed = 0;
  do {
    const std::string_view word = take_word(list);
    uint64_t n = 0;
    if (word == "round-robin") continue;
    if (word == "late") o.late = true;
    else if (word == "late-lds") o.late_lds = true;
    else if (word == "replay") o.replay = true;
    else if (word.starts_with(late) && (n = number_of(word.substr(late.size()), 1'000'000)))
      o.late = true, o.latency = static_cast<uint32_t>(n);
    else if (word.starts_with(random) && (n = number_of(word.substr(random.size()), UINT64_MAX))) o.seed = n;
    else
      throw std::invalid_argument(
          fmt::format("'{}' is unknown, legal: round-robin, late, late:N with N from 1 to 1000000, late-lds, "
                      "replay, random:SEED with a seed of 1 and more, or several separated by commas",
                      word));
  } while (!list.empty());
}

}  // namespace wavesmith::sim
