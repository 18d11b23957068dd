#include "generator/object/debug_sections.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <cstring>
#include <map>
#include <unordered_map>

#include "generator/dsl/origin.h"

namespace wavesmith {
namespace {

namespace dw = llvm::dwarf;

constexpr int line_base = -5, line_range = 14, opcode_base = 13, code_unit = 4;  // as LLVM's; instructions are dwords
constexpr uint8_t operands_of_opcodes[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};  // DW_LNS_copy to DW_LNS_set_isa

struct Bytes {
  std::string out;
  template <class T>
  void fixed(T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void byte(int value) { out += static_cast<char>(value); }
  void uleb(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<int>(value & 0x7f) | 0x80);
    byte(static_cast<int>(value));
  }
  void sleb(int64_t value) {
    for (; value < -0x40 || value >= 0x40; value >>= 7) byte(static_cast<int>(value & 0x7f) | 0x80);
    byte(static_cast<int>(value & 0x7f));
  }
  void string(std::string_view text) { out.append(text), out += '\0'; }
  // Writes what `body` writes, preceded by its length.
  template <class Body>
  void sized(Body body) {
    const size_t at = out.size();
    fixed<uint32_t>(0);
    body();
    const auto size = static_cast<uint32_t>(out.size() - at - sizeof(uint32_t));
    out.replace(at, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
  }
};

// Distinct texts, numbered in order of first use.
class Numbers {
 public:
  uint32_t operator()(std::string text) {
    const auto [known, fresh] = known_.try_emplace(std::move(text), static_cast<uint32_t>(known_.size()));
    if (fresh) order_.push_back(&known->first);
    return known->second;
  }
  const std::vector<const std::string*>& all() const { return order_; }

 private:
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<const std::string*> order_;
};

class DebugWriter {
 public:
  DebugWriter() {
    line_strings_.byte(0);  // directory 0, the compilation's: unknown
    abbreviations();
  }
  // A unit of its own for each kernel.
  void add(const Program& p, const EncodedProgram& code) {
    p_ = &p, code_ = &code;
    rows_.clear(), files_ = {};
    find_rows();
    line_at_ = static_cast<uint32_t>(line_.out.size());
    line();
    info();
    ++kernel_;
  }
  std::vector<DebugSection> write() {
    for (const std::string* origin : origins_.all()) notes_.out += *origin;
    return {{".debug_line", std::move(line_.out), std::move(line_addresses_)},
            {".debug_info", std::move(info_.out), std::move(info_addresses_)},
            {".debug_abbrev", std::move(abbreviations_.out), {}},
            {".debug_line_str", std::move(line_strings_.out), {}},
            {".debug_wavesmith", std::move(notes_.out), {}}};
  }

 private:
  struct Row {
    uint32_t offset, file, line, origin;
  };

  // One row for each run of instructions of one line and origin. Most have the file and the origin of the row before.
  void find_rows() {
    const Node* before = nullptr;
    for (size_t i = 0; i < p_->nodes.size(); ++i) {
      const Node& n = p_->nodes[i];
      if (!n.is_instruction()) continue;
      const bool same_file = before && same_text(before->where.file_name(), n.where.file_name());
      const bool same_origin =
          before && same_text(before->block, n.block) && before->iteration == n.iteration && before->note == n.note;
      if (!same_file || !same_origin || before->where.line() != n.where.line())
        rows_.push_back({code_->offsets[i], same_file ? rows_.back().file : files_(std::string(author_file(n.where))),
                         n.where.line(), same_origin ? rows_.back().origin : origin(n)});
      before = &n;
    }
  }
  static bool same_text(const char* a, const char* b) { return a == b || std::strcmp(a, b) == 0; }
  uint32_t origin(const Node& n) {  // its discriminator; 0: none
    if (!n.note.empty()) return number(n);
    auto& known = of_block_[{n.block, n.iteration}];
    if (!known) known = number(n);
    return *known;
  }
  uint32_t number(const Node& n) {
    const std::string block = Origin(n).text();
    return block.empty() && n.note.empty() ? 0 : origins_(block + '\0' + n.note + '\0') + 1;
  }

  uint32_t line_string(std::string_view text) {
    const auto at = static_cast<uint32_t>(line_strings_.out.size());
    line_strings_.string(text);
    return at;
  }
  uint32_t code_bytes() const { return static_cast<uint32_t>(code_->text.size()); }
  void code_address(Bytes& to, std::vector<DebugSection::Address>& addresses) {
    addresses.push_back({to.out.size(), kernel_});
    to.fixed<uint64_t>(0);
  }

  void line() {
    line_.sized([&] {
      line_.fixed<uint16_t>(5);
      line_.byte(8), line_.byte(0);  // bytes of an address, of a segment
      line_.sized([&] { line_header(); });
      line_program();
    });
  }
  void line_header() {
    line_.byte(code_unit), line_.byte(1), line_.byte(1);  // operations of an instruction; rows are statements
    line_.byte(line_base), line_.byte(line_range), line_.byte(opcode_base);
    for (const uint8_t n : operands_of_opcodes) line_.byte(n);
    const auto paths = [&](uint64_t count) {
      line_.byte(1), line_.uleb(dw::DW_LNCT_path), line_.uleb(dw::DW_FORM_line_strp), line_.uleb(count);
    };
    paths(1), line_.fixed<uint32_t>(0);
    paths(files_.all().size());
    for (const std::string* f : files_.all()) line_.fixed(line_string(*f));
  }
  void extended(int opcode, auto operand) {
    Bytes b;
    b.byte(opcode), operand(b);
    line_.byte(0), line_.uleb(b.out.size()), line_.out += b.out;
  }
  void line_program() {
    line_.byte(0), line_.uleb(1 + sizeof(uint64_t)), line_.byte(dw::DW_LNE_set_address);
    code_address(line_, line_addresses_);
    Row at{0, 1, 1, 0};
    for (const Row& r : rows_) {
      if (r.file != at.file) line_.byte(dw::DW_LNS_set_file), line_.uleb(r.file);
      if (r.origin) extended(dw::DW_LNE_set_discriminator, [&](Bytes& b) { b.uleb(r.origin); });
      line_row((r.offset - at.offset) / code_unit, static_cast<int64_t>(r.line) - at.line);
      at = r;
    }
    line_.byte(dw::DW_LNS_advance_pc), line_.uleb((code_bytes() - at.offset) / code_unit);
    extended(dw::DW_LNE_end_sequence, [](Bytes&) {});
  }
  // A special opcode (one byte) if both advances are small enough.
  void line_row(uint64_t units, int64_t lines) {
    if (lines < line_base || lines >= line_base + line_range)
      line_.byte(dw::DW_LNS_advance_line), line_.sleb(std::exchange(lines, 0));
    const uint64_t most = static_cast<uint64_t>(255 - opcode_base - (lines - line_base)) / line_range;
    if (units > most) line_.byte(dw::DW_LNS_advance_pc), line_.uleb(std::exchange(units, 0));
    line_.byte(static_cast<int>(lines - line_base + static_cast<int64_t>(units) * line_range + opcode_base));
  }

  enum Code : uint8_t { end_of_children, compile_unit, subprogram };
  void abbreviations() {
    const auto add = [&](Code code, dw::Tag tag, bool children,
                         std::initializer_list<std::pair<dw::Attribute, dw::Form>> attributes) {
      abbreviations_.uleb(code), abbreviations_.uleb(tag), abbreviations_.byte(children);
      for (const auto& [attribute, form] : attributes) abbreviations_.uleb(attribute), abbreviations_.uleb(form);
      abbreviations_.uleb(0), abbreviations_.uleb(0);
    };
    add(compile_unit, dw::DW_TAG_compile_unit, true,
        {{dw::DW_AT_producer, dw::DW_FORM_line_strp},
         {dw::DW_AT_language, dw::DW_FORM_data2},
         {dw::DW_AT_name, dw::DW_FORM_line_strp},
         {dw::DW_AT_stmt_list, dw::DW_FORM_sec_offset},
         {dw::DW_AT_low_pc, dw::DW_FORM_addr},
         {dw::DW_AT_high_pc, dw::DW_FORM_data4}});
    add(subprogram, dw::DW_TAG_subprogram, false,
        {{dw::DW_AT_name, dw::DW_FORM_line_strp},
         {dw::DW_AT_external, dw::DW_FORM_flag_present},
         {dw::DW_AT_low_pc, dw::DW_FORM_addr},
         {dw::DW_AT_high_pc, dw::DW_FORM_data4}});
    abbreviations_.uleb(0);
  }
  void info() {
    info_.sized([&] {
      info_.fixed<uint16_t>(5);
      info_.byte(dw::DW_UT_compile), info_.byte(8), info_.fixed<uint32_t>(0);  // bytes of an address; abbreviations
      info_.uleb(compile_unit);
      info_.fixed(line_string("wavesmith")), info_.fixed<uint16_t>(dw::DW_LANG_Mips_Assembler);
      info_.fixed(line_string(files_.all().empty() ? "" : *files_.all()[0])), info_.fixed(line_at_);
      code_address(info_, info_addresses_), info_.fixed(code_bytes());
      info_.uleb(subprogram);
      info_.fixed(line_string(p_->name));
      code_address(info_, info_addresses_), info_.fixed(code_bytes());
      info_.uleb(end_of_children);
    });
  }

  const Program* p_ = nullptr;
  const EncodedProgram* code_ = nullptr;
  size_t kernel_ = 0;
  uint32_t line_at_ = 0;  // the kernel's unit in .debug_line
  std::vector<Row> rows_;
  std::map<std::pair<const char*, std::optional<Iteration>>, std::optional<uint32_t>> of_block_;  // without a note
  Numbers files_, origins_;
  Bytes line_, info_, abbreviations_, line_strings_, notes_;
  std::vector<DebugSection::Address> line_addresses_, info_addresses_;
};

}  // namespace

std::vector<DebugSection> debug_sections(std::span<const Program> programs, std::span<const EncodedProgram> code) {
  DebugWriter writer;
  for (size_t i = 0; i < programs.size(); ++i) writer.add(programs[i], code[i]);
  return writer.write();
}

}  // namespace wavesmith
