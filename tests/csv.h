// The sourced tables beside the repository (../shared/facts), a map a row. Empty where they are absent: tests then say so and skip.
#pragma once
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace wavesmith {

using CsvRow = std::map<std::string, std::string>;

inline std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) fields.emplace_back();
    else if (c != '\r') fields.back() += c;
  }
  return fields;
}

inline std::vector<CsvRow> read_facts(const std::string& file) {
  std::vector<CsvRow> rows;
  std::ifstream in(std::string(WAVESMITH_SOURCE) + "/../shared/facts/" + file);
  std::string line;
  if (!std::getline(in, line)) return rows;
  const auto names = csv_fields(line);
  while (std::getline(in, line)) {
    const auto values = csv_fields(line);
    CsvRow row;
    for (size_t i = 0; i < names.size(); ++i) row[names[i]] = i < values.size() ? values[i] : "";
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace wavesmith
