// Options of `plan`: one dot on the command line, or a file of cases.
#pragma once
#include <CLI/CLI.hpp>

#include "kernels/plan/plan.h"

namespace wavesmith::tools {

struct PlannerOptions {
  std::string arch = "gfx942", a, b, c = "f32", role = "none", scaled, scale_a, scale_b, source_a = "lds",
              source_b = "lds", pack_a = "k", pack_b = "k", graph, dot;
  int64_t m = 0, n = 0, k = 0, batch = 0;
  int waves = 4, nonkdim = 0, kpack = 1;
  bool fast_math = false, tf32 = false, pad = false, carried = false;
  void declare(CLI::App&);
  plan::Problem problem() const;  // InputError, plan::PlanError
};

// Columns as in tests/facts/planner_cases.csv; missing columns take the command line's defaults. InputError with row
// and column.
struct PlanCase {
  std::string id;
  plan::Problem problem;
};
std::vector<PlanCase> read_plan_cases(const std::string& path);
std::vector<PlanCase> parse_plan_cases(std::string_view text, const std::string& name_in_errors);
std::string plan_csv(const std::vector<PlanCase>&);  // id and the exp_ columns without exp_

// Parts of a plan as text, for the CSV and the report.
std::string casts_text(const plan::Plan&);  // "A: ...; B: ...", "none"
std::string remarks_text(const plan::Plan&);
std::string notes_text(const plan::Plan&);

}  // namespace wavesmith::tools
