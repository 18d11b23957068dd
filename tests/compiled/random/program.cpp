// Programs as text, and back to the launches that a text asks for.
#include "tests/compiled/random/program.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace wavesmith::random {

int Type::element_bytes() const {
  static constexpr int bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0};
  return bytes[static_cast<int>(scalar)];
}
std::string Type::name() const {
  static constexpr const char* names[] = {"char", "uchar", "short", "ushort", "int",    "uint",
                                          "long", "ulong", "half",  "float",  "double", "void"};
  return names[static_cast<int>(scalar)] + (count > 1 ? std::to_string(count) : "");
}

static void print(const Piece& n, std::string& out) {
  if (n.kind == Piece::Kind::list) {
    for (const Piece& c : n.children) print(c, out);
    return;
  }
  size_t next = 0;
  for (const char c : n.text) {
    if (c == '$') print(n.children.at(next++), out);
    else out += c;
  }
}
std::string print(const Piece& n) {
  std::string out;
  print(n, out);
  return out;
}
size_t size(const Piece& n) {
  size_t total = 1;
  for (const Piece& c : n.children) total += size(c);
  return total;
}

std::string print(const std::vector<RandomProgram>& programs) {
  std::string out = "#include \"prelude.h\"\n";
  for (const RandomProgram& p : programs)
    out += fmt::format("\n// run {} block {} groups {} out {} data {}\n{}PROGRAM({})\n", p.name, p.block, p.groups,
                       p.out_bytes, p.data, print(p.body), p.name);
  return out;
}

std::vector<Launch> launches(const std::string& source) {
  std::vector<Launch> all;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("// run ")) continue;
    std::istringstream words(line.substr(7));
    Launch l;
    std::string block, groups, out, data;
    if (!(words >> l.kernel >> block >> l.block >> groups >> l.groups >> out >> l.out_bytes >> data >> l.data) ||
        block != "block" || groups != "groups" || out != "out" || data != "data")
      throw std::runtime_error("no launch: " + line +
                               "; a launch is '// run KERNEL block N groups N out BYTES data SEED'");
    all.push_back(l);
  }
  return all;
}

}  // namespace wavesmith::random
