// Parsers and printers of the command line.
#include "tools/print/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tools/print/exit.h"

namespace wavesmith::tools {

uint64_t parse_number(std::string_view text, std::string_view option) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    throw InputError(fmt::format("{}: '{}' is not a number, legal: 4096 or 0x1000", option, text));
  return value;
}

std::vector<std::string> split(std::string_view text, char separator, int at_most) {
  std::vector<std::string> parts;
  while (static_cast<int>(parts.size()) + 1 < at_most) {
    const size_t at = text.find(separator);
    if (at == text.npos) break;
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::array<uint32_t, 3> parse_triple(std::string_view text, std::string_view option) {
  std::array<uint32_t, 3> out{1, 1, 1};
  const auto parts = split(text, ',');
  if (parts.size() > 3)
    throw InputError(fmt::format("{}: '{}' has {} parts, legal: X, X,Y or X,Y,Z", option, text, parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) {
    const uint64_t n = parse_number(parts[i], option);
    if (n < 1 || n > UINT32_MAX)
      throw InputError(fmt::format("{}: {} is out of range, legal: 1 to 4294967295", option, parts[i]));
    out[i] = static_cast<uint32_t>(n);
  }
  return out;
}

std::pair<std::string, std::string> parse_assignment(std::string_view text, std::string_view option,
                                                     std::string_view form) {
  const size_t at = text.find('=');
  if (at == text.npos || at == 0) throw InputError(fmt::format("{}: '{}' has no NAME=, legal: {}", option, text, form));
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::vector<uint8_t> parse_hex(std::string_view text, std::string_view option) {
  std::vector<uint8_t> out;
  for (size_t i = 0; i < text.size(); i += 2) {
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + std::min(i + 2, text.size()), byte, 16);
    if (i + 2 > text.size() || error != std::errc() || end != text.data() + i + 2)
      throw InputError(
          fmt::format("{}: '{}' is not hexadecimal bytes, legal: two digits per byte, as in 0011aabb", option, text));
    out.push_back(byte);
  }
  return out;
}

std::string Table::text() const {
  size_t width = 0;
  for (const auto& [name, _] : rows) width = std::max(width, name.size());
  std::string out;
  for (const auto& [name, value] : rows) out += fmt::format("{:<{}}  {}\n", name, width, value);
  return out;
}

std::string without_suffix(std::string type) {
  if (type.ends_with("_r")) type.resize(type.size() - 2);
  return type;
}
std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}
std::string target_name(const std::string& text) {
  const auto parts = split(lower_case(text), ':');
  std::string_view name = parts[0];
  if (constexpr std::string_view triple = "amdgcn-amd-amdhsa--"; name.starts_with(triple))
    name.remove_prefix(triple.size());
  for (size_t i = 1; i < parts.size(); ++i)
    if (parts[i] != "sramecc+" && parts[i] != "sramecc-" && parts[i] != "xnack+" && parts[i] != "xnack-")
      throw InputError(fmt::format("--arch: feature '{}' of '{}' is unknown, legal: sramecc+ sramecc- xnack+ xnack-",
                                   parts[i], text));
  return std::string(name);
}
isa::Arch parse_target(const std::string& text) {
  if (const auto found = isa::find_arch(target_name(text))) return *found;
  throw InputError(fmt::format("--arch: target '{}' is unknown, legal: {}", text, isa::arch_names()));
}
std::string gpu_names() {
  std::string s;
  for (const isa::Gpu& g : isa::gpus()) s += fmt::format("{}'{}'", s.empty() ? "" : " ", g.name);
  return s;
}
const isa::Gpu* find_gpu_option(const std::string& name) {
  if (const isa::Gpu* gpu = isa::find_gpu(name)) return gpu;
  throw InputError(fmt::format("--gpu: '{}' is unknown, legal: {}", name, gpu_names()));
}
isa::Arch target_of(const std::string& arch, const std::string& gpu) {
  if (!arch.empty()) return parse_target(arch);
  return gpu.empty() ? isa::Arch::gfx942 : find_gpu_option(gpu)->arch;
}
std::string counted(uint64_t n, std::string_view one, std::string_view many) {
  return n == 1         ? fmt::format("1 {}", one)
         : many.empty() ? fmt::format("{} {}s", n, one)
                        : fmt::format("{} {}", n, many);
}
std::string milliseconds(double seconds) { return fmt::format("{:.3g} ms", seconds * 1e3); }

}  // namespace wavesmith::tools
