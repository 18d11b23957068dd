// What `wavesmith bench` measured, and the files it is kept in: CSV (columns as rocblas-bench and hipblaslt-bench name
// them), JSON and SQLite (docs/guide/benchmarks.md).
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wavesmith::tools {

using Columns = std::vector<std::pair<std::string, std::string>>;  // name, value; in order

// Of one implementation of a problem.
struct Measured {
  std::string by;                 // wavesmith, rocblas, hipblaslt, or the name of a code object's file
  std::string kernel;             // where it is known
  std::vector<double> us;         // of each round; one if it is predicted
  std::optional<double> error{};  // the largest, relative, against a reference or (of a peer) against ours
  double median() const;
  double low() const;
  double high() const;
};
struct BenchRow {
  Columns problem, config;
  double flops = 0, bytes = 0;     // of the operation: operands read once, results written once
  std::vector<Measured> measured;  // ours first
};
struct BenchRun {
  std::string operation;  // gemm, attention
  // version, device, target, clock_MHz, predicted, iterations: the same for all rows
  Columns made_with;
  std::vector<BenchRow> rows;
};

std::string to_csv(const BenchRun&);
nlohmann::ordered_json to_json(const BenchRun&);
// For people: the columns named in `brief`, rates and times.
std::string to_table(const BenchRun&, const std::vector<std::string>& brief);

// Cells in columns, all but the last aligned to the right.
std::string aligned(const std::vector<std::vector<std::string>>& lines);

// Writes to FILE.csv or FILE.json, or adds to the data base FILE.db, FILE.sqlite or FILE.sqlite3. InputError: another
// name; FileError.
void save(const BenchRun&, const std::string& file);
void check_result_name(const std::string& file);  // InputError
// A file of these kinds; of a data base its last run, or run N of FILE.db:N. CSV of rocblas-bench and hipblaslt-bench
// too. InputError, FileError.
BenchRun load_results(const std::string& file);

// What to_json wrote, times or none. InputError: `file` in one line.
BenchRun results_from_json(const std::string& text, const std::string& file);
double parse_time(const std::string& text, const std::string& where);  // not negative. InputError

// SQLite. Errors: InputError for a file that is no such data base, FileError.
void add_to_database(const BenchRun&, const std::string& file);
BenchRun load_from_database(const std::string& file, std::optional<int64_t> run);

}  // namespace wavesmith::tools
