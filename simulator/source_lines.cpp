#include "simulator/source_lines.h"

#include <fmt/format.h>

#include <llvm/BinaryFormat/Dwarf.h>
#include <algorithm>
#include <cstring>
#include <map>

#include "simulator/code_object.h"

namespace wavesmith::sim {
namespace {

namespace dw = llvm::dwarf;

constexpr size_t row_limit = size_t{1} << 22, file_name_limit = 4096, file_names_limit = size_t{1} << 24;  // bytes

struct Malformed {};

// Bytes in order. Every read is checked; what is not there throws Malformed, which ends the table.
struct ByteCursor {
  std::span<const uint8_t> bytes;
  size_t at = 0;

  size_t left() const { return bytes.size() - at; }
  template <class T>
  T fixed() {
    if (left() < sizeof(T)) throw Malformed();
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if (shift < 64 && byte & 0x40) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  std::string_view string() {
    const auto rest = bytes.subspan(at);
    const auto end = std::find(rest.begin(), rest.end(), 0);
    if (end == rest.end()) throw Malformed();
    const auto size = static_cast<size_t>(end - rest.begin());
    at += size + 1;
    return {reinterpret_cast<const char*>(rest.data()), size};
  }
  ByteCursor part(uint64_t size) {
    if (size > left()) throw Malformed();
    ByteCursor c{bytes.subspan(at, size)};
    at += size;
    return c;
  }
};

}  // namespace

// One line table after the other (DWARF 5, 6.2.4 and 6.2.5).
struct SourceLines::Reader {
  SourceLines& out;
  const Sections& sections;
  std::map<std::string, uint32_t, std::less<>> numbers{};  // of the files
  size_t names = 0;                                        // bytes of all names read

  struct Header {
    uint8_t advance = 4, line_range = 1, opcode_base = 1;
    int8_t line_base = 0;
    std::vector<uint8_t> lengths;  // of the standard opcodes' operands
    std::vector<uint32_t> files;   // numbers in SourceLines
  };

  void read() {
    for (ByteCursor all{sections.line}; all.left();) {
      const uint64_t size = all.fixed<uint32_t>();
      if (size >= dw::DW_LENGTH_lo_reserved) throw Malformed();  // 64-bit DWARF: no device code has it
      ByteCursor unit = all.part(size);
      if (unit.fixed<uint16_t>() == 5) table(unit);
    }
  }

  // An entry of the lists of directories and files: its path and its directory.
  struct Entry {
    std::string_view path;
    uint64_t directory = 0;
  };
  std::vector<Entry> entries(ByteCursor& c) {
    std::vector<std::pair<uint64_t, uint64_t>> format(c.fixed<uint8_t>());
    for (auto& [content, form] : format) content = c.uleb(), form = c.uleb();
    const uint64_t count = c.uleb();
    if (format.empty() ? count != 0 : count > c.left()) throw Malformed();
    std::vector<Entry> all(count);
    for (Entry& e : all)
      for (const auto& [content, form] : format) field(c, e, content, form);
    return all;
  }
  void field(ByteCursor& c, Entry& e, uint64_t content, uint64_t form) {
    uint64_t number = 0;
    std::string_view text;
    switch (form) {
      case dw::DW_FORM_string: text = c.string(); break;
      case dw::DW_FORM_line_strp: text = string_at(sections.line_strings, c.fixed<uint32_t>()); break;
      case dw::DW_FORM_strp: text = string_at(sections.strings, c.fixed<uint32_t>()); break;
      case dw::DW_FORM_udata: number = c.uleb(); break;
      case dw::DW_FORM_data1: number = c.fixed<uint8_t>(); break;
      case dw::DW_FORM_data2: number = c.fixed<uint16_t>(); break;
      case dw::DW_FORM_data4: number = c.fixed<uint32_t>(); break;
      case dw::DW_FORM_data8: number = c.fixed<uint64_t>(); break;
      case dw::DW_FORM_data16: c.part(16); break;
      case dw::DW_FORM_block: c.part(c.uleb()); break;
      default: throw Malformed();
    }
    if (content == dw::DW_LNCT_path) e.path = text;
    if (content == dw::DW_LNCT_directory_index) e.directory = number;
  }
  // Many entries may name one long string, so its bytes count each time.
  std::string_view string_at(std::span<const uint8_t> section, uint32_t offset) {
    if (offset > section.size()) throw Malformed();
    const auto rest = section.subspan(offset, std::min(section.size() - offset, file_name_limit + 1));
    return counted(ByteCursor{rest}.string());
  }
  std::string_view counted(std::string_view name) {
    if (name.size() > file_name_limit || (names += name.size()) > file_names_limit) throw Malformed();
    return name;
  }

  // A path is relative to directory 0, the compilation's, which is left out.
  uint32_t file(const Entry& e, const std::vector<Entry>& directories) {
    std::string name(e.path);
    if (e.directory && !name.starts_with('/')) {
      if (e.directory >= directories.size()) throw Malformed();
      if (const auto d = directories[e.directory].path; !d.empty()) name = fmt::format("{}/{}", d, name);
    }
    if (!is_text(counted(name))) throw Malformed();
    const auto [known, fresh] = numbers.try_emplace(std::move(name), static_cast<uint32_t>(out.files_.size()));
    if (fresh) out.files_.push_back(known->first);
    return known->second;
  }

  void table(ByteCursor& unit) {
    if (unit.fixed<uint8_t>() != 8 || unit.fixed<uint8_t>() != 0) throw Malformed();  // address bytes, no segments
    ByteCursor c = unit.part(unit.fixed<uint32_t>());
    Header h;
    h.advance = c.fixed<uint8_t>();
    if (c.fixed<uint8_t>() != 1) throw Malformed();  // no VLIW
    c.fixed<uint8_t>();                              // default of is_stmt
    h.line_base = c.fixed<int8_t>(), h.line_range = c.fixed<uint8_t>(), h.opcode_base = c.fixed<uint8_t>();
    if (!h.line_range || !h.opcode_base) throw Malformed();
    for (int i = 1; i < h.opcode_base; ++i) h.lengths.push_back(c.fixed<uint8_t>());
    const auto directories = entries(c);
    for (const Entry& e : entries(c)) h.files.push_back(file(e, directories));
    program(h, unit);
  }

  struct State {
    uint64_t address = 0, file = 1, discriminator = 0;
    uint32_t line = 1;
  };
  void row(const Header& h, State& s, bool end) {
    if (out.rows_.size() == row_limit) throw Malformed();
    const bool known = s.file < h.files.size();
    out.rows_.push_back({s.address, known ? h.files[s.file] : 0, known ? s.line : 0,
                         static_cast<uint32_t>(std::min<uint64_t>(s.discriminator, ~uint32_t{0})), end});
    s.discriminator = 0;
  }
  void program(const Header& h, ByteCursor& c) {
    for (State s; c.left();) {
      const auto op = c.fixed<uint8_t>();
      const auto special = [&](unsigned adjusted) { s.address += uint64_t{adjusted / h.line_range} * h.advance; };
      if (op >= h.opcode_base) {
        const unsigned adjusted = static_cast<unsigned>(op - h.opcode_base);
        special(adjusted), s.line += static_cast<uint32_t>(h.line_base + static_cast<int>(adjusted % h.line_range));
        row(h, s, false);
      } else if (op == 0) {
        ByteCursor extended = c.part(c.uleb());
        switch (extended.fixed<uint8_t>()) {
          case dw::DW_LNE_end_sequence: row(h, s, true), s = {}; break;
          case dw::DW_LNE_set_address: s.address = extended.fixed<uint64_t>(); break;
          case dw::DW_LNE_set_discriminator: s.discriminator = extended.uleb(); break;
          default: break;
        }
      } else {
        switch (op) {
          case dw::DW_LNS_copy: row(h, s, false); break;
          case dw::DW_LNS_advance_pc: s.address += c.uleb() * h.advance; break;
          case dw::DW_LNS_advance_line: s.line += static_cast<uint32_t>(c.sleb()); break;
          case dw::DW_LNS_set_file: s.file = c.uleb(); break;
          case dw::DW_LNS_const_add_pc: special(255u - h.opcode_base); break;
          case dw::DW_LNS_fixed_advance_pc: s.address += c.fixed<uint16_t>(); break;
          default:
            for (int n = h.lengths[op - 1u]; n > 0; --n) c.uleb();
        }
      }
    }
  }

  // Two strings for each discriminator.
  void notes() {
    for (ByteCursor c{sections.notes}; c.left();) {
      const auto block = c.string(), note = c.string();
      if (!is_text(block) || !is_text(note)) throw Malformed();
      out.origins_.push_back({std::string(block), std::string(note)});
    }
  }
};

SourceLines::SourceLines(const Sections& sections) {
  Reader r{*this, sections};
  try {
    r.notes();
    r.read();
  } catch (const Malformed&) {}
  // Where a sequence ends another may begin.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return a.address != b.address ? a.address < b.address : a.end > b.end;
  });
  const auto hidden = [](const Row& a, const Row& b) { return a.address == b.address; };  // only the last one counts
  rows_.erase(rows_.begin(), std::unique(rows_.rbegin(), rows_.rend(), hidden).base());
}

std::optional<SourceLine> SourceLines::at(uint64_t address) const {
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), address, [](uint64_t a, const Row& r) { return a < r.address; });
  if (after == rows_.begin() || after[-1].end || !after[-1].line) return {};
  const Row& r = after[-1];
  SourceLine s{files_[r.file], r.line, {}, {}};
  if (r.origin && r.origin <= origins_.size())
    s.block = origins_[r.origin - 1].block, s.note = origins_[r.origin - 1].note;
  return s;
}

std::vector<uint64_t> SourceLines::addresses(std::string_view file, uint32_t line) const {
  std::vector<uint64_t> all;
  for (const Row& r : rows_) {
    if (r.end || r.line != line || !line) continue;
    const std::string_view name = files_[r.file];
    const bool same =
        name.ends_with(file) && (name.size() == file.size() || name[name.size() - file.size() - 1] == '/');
    if (same) all.push_back(r.address);
  }
  return all;
}

std::string SourceLine::place() const { return fmt::format("{}:{}", file, line); }
std::string SourceLine::text() const { return block.empty() ? place() : fmt::format("{} ({})", place(), block); }

}  // namespace wavesmith::sim
