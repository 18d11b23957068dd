// Reads the CSV files of ../shared for tests: quoted fields, a header line, rows as maps from column name to text.
#pragma once
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace csv {

using Row = std::map<std::string, std::string>;

// Empty if the file is not there: the caller says so and skips what depends on it.
inline std::vector<Row> read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (char c; in.get(c);) {
    if (c == '"' && quoted && in.peek() == '"') {
      lines.back().back() += c;
      in.get(c);
    } else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) lines.back().emplace_back();
    else if (c == '\n' && !quoted) lines.push_back({""});
    else if (c != '\r') lines.back().back() += c;
  }
  std::vector<Row> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() < 2) continue;
    Row row;
    for (size_t c = 0; c < lines[0].size() && c < lines[i].size(); ++c) row[lines[0][c]] = lines[i][c];
    rows.push_back(std::move(row));
  }
  return rows;
}

// A file of tests/facts.
inline std::vector<Row> facts(const std::string& name) {
  auto rows = read(std::string(WAVESMITH_SOURCE) + "/tests/facts/" + name);
  if (rows.empty()) throw std::runtime_error("tests/facts/" + name + " is not there, or empty");
  return rows;
}

}  // namespace csv
