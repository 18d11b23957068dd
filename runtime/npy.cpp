// The header is a Python dictionary literal: {'descr': '<f2', 'fortran_order': False, 'shape': (1000, 777), }
// (numpy.lib.format). It is read by a scanner for exactly this grammar, in any order of keys.
#include "runtime/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <optional>

namespace wavesmith::runtime {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view magic = "\x93NUMPY";
struct TypeName {
  const char* name;
  int size;
};
constexpr TypeName types[] = {{"f2", 2}, {"f4", 4}, {"f8", 8}, {"i1", 1}, {"i2", 2}, {"i4", 4},
                              {"i8", 8}, {"u1", 1}, {"u2", 2}, {"u4", 4}, {"u8", 8}};
constexpr const char* legal_types = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8, little-endian";

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& file) : text_(text), file_(file) {}
  [[noreturn]] void fail(std::string_view why) const { throw FileError(fmt::format("{}: {}", file_, why)); }
  bool accept(char c) {
    while (!text_.empty() && std::strchr(" \t\r\n", text_[0])) text_.remove_prefix(1);
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("bad .npy header: expected '{}' before '{}'", c, text_.substr(0, 16)));
  }
  std::string_view quoted() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const size_t end = text_.find(quote);
    if (end == text_.npos) fail("bad .npy header: unterminated string");
    const auto s = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return s;
  }
  std::string_view word() {
    accept(' ');
    size_t n = 0;
    while (n < text_.size() && std::isalnum(static_cast<unsigned char>(text_[n]))) ++n;
    const auto w = text_.substr(0, n);
    text_.remove_prefix(n);
    return w;
  }
  uint64_t number() {
    const auto w = word();
    uint64_t n = 0;
    if (w.empty() || w.size() > 15) fail("bad .npy header: the shape is not a tuple of numbers");
    for (const char c : w) {
      if (c < '0' || c > '9') fail("bad .npy header: the shape is not a tuple of numbers");
      n = n * 10 + static_cast<uint64_t>(c - '0');
    }
    return n;
  }

 private:
  std::string_view text_;
  const std::string& file_;
};

Dtype dtype(std::string_view descr, const Scanner& at) {
  if (descr.size() == 3 && (descr[0] == '<' || descr[0] == '|' || descr[0] == '='))
    for (size_t i = 0; i < std::size(types); ++i)
      if (descr.substr(1) == types[i].name) return static_cast<Dtype>(i);
  at.fail(fmt::format("dtype '{}' is not supported, legal: {}", descr, legal_types));
}

std::vector<uint64_t> shape(Scanner& s) {
  std::vector<uint64_t> out;
  s.expect('(');
  while (!s.accept(')')) {
    out.push_back(s.number());
    if (!s.accept(',')) {
      s.expect(')');
      break;
    }
  }
  return out;
}

}  // namespace

int size_of(Dtype t) { return types[static_cast<int>(t)].size; }
const char* name(Dtype t) { return types[static_cast<int>(t)].name; }

uint64_t Array::count() const {
  uint64_t n = 1;
  for (const uint64_t d : shape) n *= d;
  return n;
}

std::string Array::describe() const {
  return fmt::format("{} ({}{})", name(type), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Array parse_npy(std::span<const uint8_t> file, const std::string& path) {
  const auto fail = [&](const std::string& why) { throw FileError(fmt::format("{}: {}", path, why)); };
  if (file.size() < 10 || std::memcmp(file.data(), magic.data(), magic.size()) != 0)
    fail("not an .npy file (it does not start with \\x93NUMPY)");
  const int major = file[6];
  if (major < 1 || major > 3)
    fail(fmt::format(".npy format {}.{} is not supported, legal: 1.0 to 3.0", major, file[7]));
  const size_t start = major == 1 ? 10 : 12;
  uint32_t header = file[8] | file[9] << 8;
  if (major > 1 && file.size() >= 12) std::memcpy(&header, file.data() + 8, 4);
  if (file.size() < start || file.size() - start < header)
    fail(fmt::format("truncated .npy file: {} bytes, the header alone needs {}", file.size(), start + header));

  Array a;
  Scanner s({reinterpret_cast<const char*>(file.data() + start), header}, path);
  bool seen[3] = {};
  s.expect('{');
  while (!s.accept('}')) {
    const auto key = s.quoted();
    s.expect(':');
    if (key == "descr") a.type = dtype(s.quoted(), s), seen[0] = true;
    else if (key == "fortran_order") a.fortran = s.word() == "True", seen[1] = true;
    else if (key == "shape") a.shape = shape(s), seen[2] = true;
    else s.fail(fmt::format("bad .npy header: unknown key '{}', legal: descr fortran_order shape", key));
    if (!s.accept(',')) {
      s.expect('}');
      break;
    }
  }
  if (!seen[0] || !seen[1] || !seen[2]) fail("bad .npy header: descr, fortran_order and shape are needed");
  const auto data = file.subspan(start + header);
  unsigned __int128 bytes = static_cast<unsigned>(size_of(a.type));
  for (const uint64_t d : a.shape)
    if (bytes *= d; bytes > file.size() && d) break;
  if (std::ranges::find(a.shape, uint64_t{0}) != a.shape.end()) bytes = 0;
  if (bytes != data.size())
    fail(fmt::format("{} needs {} bytes of data, the file has {}", a.describe(), static_cast<uint64_t>(bytes),
                     data.size()));
  a.bytes.assign(data.begin(), data.end());
  return a;
}

Array load_npy(const std::string& path) { return parse_npy(read_file(path), path); }

std::vector<uint8_t> format_npy(const Array& a) {
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': ({}{}), }}", size_of(a.type) == 1 ? '|' : '<',
                  name(a.type), a.fortran ? "True" : "False", fmt::join(a.shape, ", "), a.shape.size() == 1 ? "," : "");
  header.append(63 - (10 + header.size()) % 64, ' ') += '\n';  // data starts at a multiple of 64
  std::string start(magic);
  for (const size_t byte : {size_t{1}, size_t{0}, header.size() & 0xff, header.size() >> 8})
    start += static_cast<char>(byte);  // version 1.0, length
  start += header;
  std::vector<uint8_t> out(start.begin(), start.end());
  out.insert(out.end(), a.bytes.begin(), a.bytes.end());
  return out;
}

void save_npy(const std::string& path, const Array& a) { write_file(path, format_npy(a)); }

}  // namespace wavesmith::runtime
