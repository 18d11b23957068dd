// Lists of problems as other benchmarks read and write them: YAML (a list of mappings, as rocblas-bench --yaml and the
// libraries' logs), CSV (a header line of column names), or logged command lines.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::tools {

// One problem: options of `bench gemm` or `bench attention`, as --name=value or --flag.
struct ListedProblem {
  std::vector<std::string> options;
  int line = 0;  // of the file, from 1
};

// Limits (docs/reference/limits.md): 16 MiB, 100,000 problems, 512 MiB of options. InputError: `file` in one line, with
// the line number.
std::vector<ListedProblem> parse_problem_list(std::string_view text, const std::string& file);
std::vector<ListedProblem> read_problem_list(const std::string& file);  // FileError too

// Of a CSV text: rows of cells, the header first; quoted cells as in RFC 4180. Empty lines are left out.
struct CsvRow {
  std::vector<std::string> cells;
  int line = 0;
};
std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file);
// A column of measured times or of a result's configuration, which a list of problems may have and which is no option.
bool is_result_column(std::string_view name);

}  // namespace wavesmith::tools
