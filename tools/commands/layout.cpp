// wavesmith layout: which lane and register hold each element of an operand, as a table, JSON or a picture.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa_tables/layout.h"
#include "runtime/files.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"
#include "tools/print/layout_grid.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using isa::OperandLayout;
using nlohmann::ordered_json;

struct LayoutCommand {
  std::string mnemonic, arch, operand, svg, a_format = "fp8", b_format = "fp8";
  int wave = 0, select = 0;
  bool json = false;
};

isa::Type narrow_type(const std::string& text, const char* option) {
  constexpr const char* names[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  for (int code = 0; code < 5; ++code)
    if (text == names[code]) return isa::narrow_format(code);
  throw InputError(
      fmt::format("{}: '{}' is not a format of an f8f6f4 operand, legal: fp8 bf8 fp6 bf6 fp4", option, text));
}

std::string matrix_mnemonics(isa::Arch arch) {
  std::string out;
  for (size_t i = 0; i < isa::table().size(); ++i)
    if (isa::table()[i].is_matrix() && isa::table()[i].on(arch))
      out += fmt::format(" {}", isa::mnemonic(static_cast<isa::Opcode>(i), arch));
  return out;
}

isa::Opcode find_instruction(const LayoutCommand& o, isa::Arch arch) {
  const auto op = isa::find_opcode(o.mnemonic, arch);
  if (!op) {
    const std::string close = isa::nearest(o.mnemonic);
    throw InputError(fmt::format("instruction '{}' is unknown{}", o.mnemonic,
                                 close.empty() ? fmt::format(", legal on {}:{}", o.arch, matrix_mnemonics(arch))
                                               : fmt::format(", nearest: {}", close)));
  }
  if (!isa::info(*op).on(arch)) {  // one spelling may stand for several rows
    std::string legal;
    for (const isa::Target& t : isa::all_targets())
      if (const auto other = isa::find_arch(t.name); isa::info(*isa::find_opcode(o.mnemonic, *other)).on(*other))
        legal += fmt::format(" {}", t.name);
    throw InputError(fmt::format("{} is not on {}, legal:{}", o.mnemonic, o.arch, legal));
  }
  if (!isa::info(*op).is_matrix())
    throw InputError(
        fmt::format("{} is not a matrix instruction, legal on {}:{}", o.mnemonic, o.arch, matrix_mnemonics(arch)));
  return *op;
}

OperandLayout find_layout(const LayoutCommand& o, isa::Arch arch, const isa::Info& row) {
  const auto operand = isa::find_matrix_operand(o.operand);
  if (!operand) {
    std::string legal;
    for (const auto x : isa::operands_of(row.matrix)) legal += fmt::format(" {}", isa::name(x));
    throw InputError(fmt::format("--operand: '{}' is not an operand of {}, legal:{}", o.operand, o.mnemonic, legal));
  }
  return isa::layout(row, arch, *operand,
                     {.wave_size = o.wave,
                      .a_format = narrow_type(o.a_format, "--a-format"),
                      .b_format = narrow_type(o.b_format, "--b-format"),
                      .select = o.select});
}

// {"lane": [{"row": 1}, ...], "item": [...]}: what each bit of an input moves, from the lowest up.
ordered_json bases(const isa::LinearLayout& map) {
  ordered_json out;
  for (const auto& input : map.inputs()) {
    ordered_json& bits = out[input.name] = ordered_json::array();
    for (int i = 0; i < input.bits; ++i) {
      ordered_json moved = ordered_json::object();
      for (const auto& o : map.outputs())
        if (const uint32_t by = map.basis(input.name, i, o.name)) moved[o.name] = by;
      bits.push_back(std::move(moved));
    }
  }
  return out;
}

ordered_json to_json(const OperandLayout& l, const LayoutCommand& o) {
  ordered_json j{{"instruction", o.mnemonic},
                 {"target", o.arch},
                 {"wave_size", l.lanes},
                 {"operand", isa::name(l.operand)},
                 {"blocks", l.blocks},
                 {"rows", l.rows},
                 {"cols", l.cols},
                 {"item_bits", l.item_bits},
                 {"items_per_lane", l.items()},
                 {"registers", l.registers()},
                 {"copies", l.copies()},
                 {"inferred", l.inferred},
                 {"map", formulas(l)},
                 {"bases", bases(l.map)}};
  j["elements"] = ordered_json::array();
  for (int b = 0; b < l.blocks; ++b)
    for (int r = 0; r < l.rows; ++r)
      for (int c = 0; c < l.cols; ++c) {
        const auto at = l.where(l.find({b, r, c})[0].item);
        j["elements"].push_back({{"block", b},
                                 {"row", r},
                                 {"col", c},
                                 {"lanes", lanes_of(l, {b, r, c})},
                                 {"register", at.reg},
                                 {"bit", at.bit}});
      }
  return j;
}

// Rows of cells, each column as wide as its widest.
void print_aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{}{:<{}}", i ? "  " : "", row[i], widths[i]);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_table(const OperandLayout& l, const LayoutCommand& o) {
  fmt::print("{} on {}, wave{}\n{}; {} element{} (items) in {} register{} of each lane{}{}\n", o.mnemonic, o.arch,
             l.lanes, title(l), l.items(), l.items() == 1 ? "" : "s", l.registers(), l.registers() == 1 ? "" : "s",
             l.copies() > 1 ? fmt::format("; each element in {} lanes", l.copies()) : "",
             l.inferred ? "; inferred: AMD's guide does not state it" : "");
  if (l.used_lanes() < l.lanes)
    fmt::print("lanes {}-{} are read, the others are not\n", l.first_lane, l.first_lane + l.used_lanes() - 1);
  for (const auto& f : formulas(l)) fmt::print("  {}\n", f);
  for (const auto& line : split(to_string(l.map), '\n'))
    if (!line.empty()) fmt::print("  {}\n", line);
  fmt::print("\n");
  const Grouping g = by_lane(l);
  const int across = g.across ? g.run : 1, down = g.across ? 1 : g.run;
  const auto range = [](int first, int run) {
    return run == 1 ? std::to_string(first) : fmt::format("{}-{}", first, first + run - 1);
  };
  for (int b = 0; b < l.blocks; ++b) {
    std::vector<std::vector<std::string>> rows{{l.blocks > 1 ? fmt::format("block {}", b) : "row\\col"}};
    for (int c = 0; c < l.cols; c += across) rows[0].push_back(range(c, across));
    for (int r = 0; r < l.rows; r += down) {
      rows.push_back({range(r, down)});
      for (int c = 0; c < l.cols; c += across)
        rows.back().push_back(fmt::format("{}:{}", lanes_text(lanes_of(l, {b, r, c})),
                                          registers_text(l, l.find({b, r, c})[0].item, g.run)));
    }
    print_aligned(rows);
    if (b + 1 < l.blocks) fmt::print("\n");
  }
}

int layout(const LayoutCommand& o) {
  const isa::Arch arch = parse_target(o.arch);
  const OperandLayout l = find_layout(o, arch, isa::info(find_instruction(o, arch)));
  if (!o.svg.empty()) runtime::write_file(o.svg, std::string_view(layout_svg(l, o.mnemonic, o.arch)));
  if (o.json) print_json(to_json(l, o), 1);
  else if (o.svg.empty()) print_table(l, o);
  return good;
}

}  // namespace

Command add_layout(CLI::App& app) {
  auto o = std::make_shared<LayoutCommand>();
  app.add_option("mnemonic", o->mnemonic, "matrix instruction (MFMA, SMFMAC, WMMA, SWMMAC)")->required();
  app.add_option("--arch", o->arch, "target")->required();
  app.add_option("--operand", o->operand, "a, b, c, d, index (sparse instructions), scale_a or scale_b (scaled ones)")
      ->required();
  app.add_option("--wave", o->wave, "lanes of a wave: 32 or 64 where the target has both (default: its own)");
  app.add_option("--a-format", o->a_format, "format of an f8f6f4 A: fp8 bf8 fp6 bf6 fp4")->capture_default_str();
  app.add_option("--b-format", o->b_format, "format of an f8f6f4 B")->capture_default_str();
  app.add_option("--select", o->select,
                 "the half, scale byte, row of lanes or index set that the instruction's modifiers select")
      ->capture_default_str();
  app.add_option("--svg", o->svg, "write an SVG drawing to this file");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer(
      "Each cell shows LANES:REGISTERS.\nExample:\n  wavesmith layout v_mfma_f32_32x32x8_f16 --arch gfx942 --operand a "
      "--svg a.svg");
  return [o] { return layout(*o); };
}

}  // namespace wavesmith::tools
