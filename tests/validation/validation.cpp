// Reading the published tables.
#include "tests/validation/validation.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <fstream>

#include "runtime/files.h"

namespace wavesmith::validation {
namespace {

// The fields of the next record; false at the end of the file.
bool record(std::istream& in, std::vector<std::string>& fields) {
  fields.assign(1, "");
  bool quoted = false, any = false;
  for (int c; (c = in.get()) != EOF;) {
    any = true;
    if (c == '"') {
      if (quoted && in.peek() == '"') fields.back() += static_cast<char>(in.get());
      else quoted = !quoted;
    } else if (c == ',' && !quoted) fields.emplace_back();
    else if (c == '\n' && !quoted) return true;
    else if (c != '\r') fields.back() += static_cast<char>(c);
  }
  return any;
}

}  // namespace

sim::CodeObject load_object(const std::string& file) {
  try {
    return sim::CodeObject::load(runtime::read_file(file));
  } catch (const sim::LoadError& e) { throw std::runtime_error(fmt::format("{}: {}", file, e.what())); }
}

std::vector<std::vector<std::pair<std::string, std::string>>> read_csv(const std::string& path) {
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  std::ifstream in(path);
  std::vector<std::string> names, fields;
  if (!in || !record(in, names)) return rows;
  while (record(in, fields)) {
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < names.size() && i < fields.size(); ++i) row.emplace_back(names[i], fields[i]);
  }
  return rows;
}

std::string field(const std::vector<std::pair<std::string, std::string>>& row, const std::string& name) {
  for (const auto& [key, value] : row)
    if (key == name) return value;
  return "";
}

std::string set_of(const std::string& name) {
  uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  return hash % 2 ? "held out" : "visible";
}

std::string clock_note(const timing::Result& r) {
  if (r.clock.kind != timing::Clock::Kind::load) return fmt::format("{:.0f} MHz", r.clock_mhz);
  return fmt::format("{:.0f} MHz at {:.1f} % of the matrix pipes", r.clock_mhz, 100 * r.matrix_utilisation);
}

uint32_t whole_number(const std::string& s) { return static_cast<uint32_t>(std::strtoul(s.c_str(), nullptr, 10)); }

std::vector<uint64_t> numbers(const std::string& text) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[i]))) {
      ++i;
      continue;
    }
    size_t used = 0;
    out.push_back(std::stoull(text.substr(i), &used));
    i += used;
  }
  return out;
}

}  // namespace wavesmith::validation
