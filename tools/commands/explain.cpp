// wavesmith explain: what faults, findings and hazards mean, and what mends them. Faults and the checker's rules are
// explanations of explain.def, hazards those of the ISA's tables.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa_tables/hazards/hazards.h"
#include "simulator/simulator.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct Explanation {
  const char *kind, *name, *means, *mend;
};
#define FAULT(kind, means, mend) {"fault", sim::name(sim::Fault::Kind::kind), means, mend},
#define RULE(name, means, mend) {"rule", name, means, mend},
const Explanation explanations[] = {
#include "tools/commands/explain.def"
};
#undef FAULT
#undef RULE

struct Explain {
  std::string word;
  bool json = false;
};

std::string unit(isa::hazard::Fix fix) {
  using enum isa::hazard::Fix;
  switch (fix) {
    case s_nop: return "wait states between the two (s_nop N is N + 1, any other instruction 1)";
    case v_nop: return "VALU instructions between the two, v_nop too";
    case valu_op: return "VALU instructions between the two";
    default: return fmt::format("s_waitcnt_depctr or s_wait_alu with {} between the two", alu_wait_text(fix));
  }
}

// A word names a row if it is in the row's name, in any case.
bool names(const std::string& word, const std::string& name) {
  return lower_case(name).find(lower_case(word)) != std::string::npos;
}

ordered_json found(const std::string& word) {
  auto all = ordered_json::array();
  for (const Explanation& r : explanations)
    if (names(word, r.name)) all.push_back({{"kind", r.kind}, {"name", r.name}, {"means", r.means}, {"mend", r.mend}});
  for (const isa::HazardRule& r : isa::hazard_rules())
    if (!word.empty() && names(word, r.name)) {
      const auto& w = r.wait_states;
      const bool counts = !*isa::hazard::alu_wait_text(r.fix);
      all.push_back(
          {{"kind", "hazard"},
           {"name", r.name},
           {"means",
            fmt::format("the hardware of {} does not interlock the two instructions", isa::arch_names(r.archs))},
           {"mend", counts && w[1] == w[0] && w[2] == w[0] && w[3] == w[0] ? fmt::format("{} {}", w[0], unit(r.fix))
                    : counts ? fmt::format("{}/{}/{}/{} (by the producer's passes: 2, 4, 8, 16) {}", w[0], w[1], w[2],
                                           w[3], unit(r.fix))
                             : unit(r.fix)},
           {"source", r.source}});
    }
  return all;
}

int explain(const Explain& o) {
  const auto all = found(o.word);
  if (all.empty()) {
    std::string legal;
    for (const Explanation& r : explanations) legal += fmt::format("{}{}", legal.empty() ? "" : ", ", r.name);
    throw InputError(fmt::format("explain: '{}' is unknown, legal: {}, and the names of hazards", o.word, legal));
  }
  if (o.json) print_json({{"explained", all}});
  else
    for (const auto& e : all)
      fmt::print(out(), "{} ({})\n  means  {}\n  remedy {}\n{}", e["name"].get<std::string>(),
                 e["kind"].get<std::string>(), e["means"].get<std::string>(), e["mend"].get<std::string>(),
                 e.contains("source") ? fmt::format("  source {}\n", e["source"].get<std::string>()) : "");
  return good;
}

}  // namespace

Command add_explain(CLI::App& app) {
  auto o = std::make_shared<Explain>();
  app.add_option("word", o->word,
                 "a fault's kind, a rule of check or a hazard, or part of its name; default: all faults and rules");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith explain 'in flight'\n  wavesmith explain 'XDL result overlaps'");
  return [o] { return explain(*o); };
}

}  // namespace wavesmith::tools
