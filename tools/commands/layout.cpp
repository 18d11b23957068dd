// wavesmith layout: which lane and register hold each element of an operand, as a table, JSON or a picture.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa_tables/layout.h"
#include "runtime/files.h"
#include "tools/commands/commands.h"
#include "tools/options/attention_options.h"
#include "tools/options/gemm_options.h"
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
    throw InputError(fmt::format("{} is not on {}, legal: {}", o.mnemonic, o.arch, isa::archs_where([&](Arch a) {
                                   return isa::info(*isa::find_opcode(o.mnemonic, a)).on(a);
                                 })));
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
    fmt::print(out(), "{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_table(const OperandLayout& l, const LayoutCommand& o) {
  fmt::print(out(), "{} on {}, wave{}\n{}; {} element{} (items) in {} register{} of each lane{}{}\n", o.mnemonic,
             o.arch, l.lanes, title(l), l.items(), l.items() == 1 ? "" : "s", l.registers(),
             l.registers() == 1 ? "" : "s", l.copies() > 1 ? fmt::format("; each element in {} lanes", l.copies()) : "",
             l.inferred ? "; inferred: AMD's guide does not state it" : "");
  if (l.used_lanes() < l.lanes)
    fmt::print(out(), "lanes {}-{} are read, the others are not\n", l.first_lane, l.first_lane + l.used_lanes() - 1);
  for (const auto& f : formulas(l)) fmt::print(out(), "  {}\n", f);
  for (const auto& line : split(to_string(l.map), '\n'))
    if (!line.empty()) fmt::print(out(), "  {}\n", line);
  fmt::print(out(), "\n");
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
    if (b + 1 < l.blocks) fmt::print(out(), "\n");
  }
}

// -- LDS tiles ---

// The last two axes that span the tile as rows and columns; a cell is a run of consecutive bytes that the swizzle keeps
// together.
struct TileGrid {
  isa::LinearLayout layout;
  std::string row, column;
  int rows, columns, run;  // run: columns of a cell
  explicit TileGrid(const isa::LinearLayout& l) : layout(l) {
    const bool bytes = l.inputs().size() == 3;  // "row", "chunk", "within", else "column", "key"
    row = bytes ? "row" : "column", column = bytes ? "chunk" : "key";
    rows = 1 << l.input_bits(row), columns = 1 << l.input_bits(column), run = 1;
    if (bytes) return;
    const uint32_t element = l.basis(column, 0, "byte");
    for (int i = 1; i < l.input_bits(column) && l.basis(column, i, "byte") == element << i; ++i) run = 2 << i;
  }
  uint32_t at(int r, int c) const {
    return layout.at({{row, static_cast<uint32_t>(r)}, {column, static_cast<uint32_t>(c)}}, "byte");
  }
};
struct TileAccessCost {
  const isa::LdsTileAccess& access;
  int cycles, plain;  // beyond one per phase; with and without the swizzle
};
std::vector<TileAccessCost> costs(const LdsTileInfo& t, isa::Arch arch) {
  std::vector<TileAccessCost> out;
  for (const auto& a : t.accesses) {
    const isa::Family f = isa::target(arch).family;
    out.push_back({a, isa::conflict_cycles(t.layout, a, f), isa::conflict_cycles(t.plain, a, f)});
  }
  return out;
}
const char* kind(const isa::LdsTileAccess& a) { return a.kind == isa::LdsAccess::read ? "read" : "write"; }

ordered_json to_json(const LdsTileInfo& t, isa::Arch arch) {
  const TileGrid g(t.layout);
  ordered_json j{
      {"tile", t.name},           {"bytes", 1 << t.layout.output_bits("byte")}, {"offsets", t.offsets},
      {"bases", bases(t.layout)}, {"accesses", ordered_json::array()},          {"elements", ordered_json::array()}};
  for (const auto& c : costs(t, arch))
    j["accesses"].push_back({{"name", c.access.name},
                             {"kind", kind(c.access)},
                             {"bytes_per_lane", c.access.bytes},
                             {"conflict_cycles", c.cycles},
                             {"conflict_cycles_without_swizzle", c.plain},
                             {"lanes", bases(c.access.lanes)}});
  for (int r = 0; r < g.rows; ++r)
    for (int c = 0; c < g.columns; c += g.run)
      j["elements"].push_back({{g.row, r}, {g.column, c}, {"byte", g.at(r, c)}});
  return j;
}

void print_tile(const LdsTileInfo& t, isa::Arch arch) {
  const TileGrid g(t.layout);
  fmt::print(out(), "{}: {} bytes, {} at LDS byte {}\n", t.name, 1 << t.layout.output_bits("byte"),
             counted(t.offsets.size(), "buffer"), fmt::join(t.offsets, ", "));
  for (const auto& line : split(to_string(t.layout), '\n'))
    if (!line.empty()) fmt::print(out(), "  {}\n", line);
  for (const auto& c : costs(t, arch))
    fmt::print(out(), "  {}: {} of {} bytes per lane, {} conflict cycles ({} without the swizzle)\n", c.access.name,
               kind(c.access), c.access.bytes, c.cycles, c.plain);
  fmt::print(out(), "\n");
  std::vector<std::vector<std::string>> rows{{g.row + "\\" + g.column}};
  for (int c = 0; c < g.columns; c += g.run)
    rows[0].push_back(g.run == 1 ? std::to_string(c) : fmt::format("{}-{}", c, c + g.run - 1));
  for (int r = 0; r < g.rows; ++r) {
    rows.push_back({std::to_string(r)});
    for (int c = 0; c < g.columns; c += g.run) rows.back().push_back(fmt::format("0x{:x}", g.at(r, c)));
  }
  print_aligned(rows);
}

int tiles(const std::vector<LdsTileInfo>& all, isa::Arch arch, const std::string& wanted, bool json) {
  std::vector<LdsTileInfo> shown;
  std::string legal;
  for (const auto& t : all) {
    legal += " " + t.name;
    if (wanted.empty() || lower_case(wanted) == lower_case(t.name)) shown.push_back(t);
  }
  if (shown.empty()) throw InputError(fmt::format("--operand: '{}' has no LDS tile, legal:{}", wanted, legal));
  if (json) {
    ordered_json j = ordered_json::array();
    for (const auto& t : shown) j.push_back(to_json(t, arch));
    print_json({{"target", isa::target(arch).name}, {"tiles", std::move(j)}}, 1);
    return good;
  }
  for (const auto& t : shown) {
    if (&t != &shown.front()) fmt::print(out(), "\n");
    print_tile(t, arch);
  }
  return good;
}

int layout(const LayoutCommand& o) {
  if (o.mnemonic.empty())
    throw InputError(
        "layout: no instruction, legal: layout MNEMONIC --operand ..., layout gemm ..., layout attention ...");
  if (o.operand.empty()) throw InputError("layout: --operand is missing, legal: a b c d index scale_a scale_b");
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
  app.add_option("mnemonic", o->mnemonic, "matrix instruction (MFMA, SMFMAC, WMMA, SWMMAC)");
  app.add_option("--arch", o->arch, "target");
  app.add_option("--operand", o->operand, "a, b, c, d, index (sparse instructions), scale_a or scale_b (scaled ones)");
  app.add_option("--wave", o->wave, "lanes of a wave: 32 or 64 where the target has both; default: the target's own");
  app.add_option("--a-format", o->a_format, "format of an f8f6f4 A: fp8 bf8 fp6 bf6 fp4")->capture_default_str();
  app.add_option("--b-format", o->b_format, "format of an f8f6f4 B")->capture_default_str();
  app.add_option("--select", o->select,
                 "the half, scale byte, row of lanes or index set that the instruction's modifiers select")
      ->capture_default_str();
  app.add_option("--svg", o->svg, "write an SVG drawing to this file");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  struct Tiles {
    GemmOptions gemm;
    AttentionOptions attention;
    std::string of;
    bool json = false;
  };
  auto t = std::make_shared<Tiles>();
  auto* gemm = app.add_subcommand("gemm", "LDS tiles of a matrix multiplication kernel: addresses, swizzle, conflicts");
  auto* attention = app.add_subcommand("attention", "LDS tiles of an attention kernel");
  t->gemm.declare(*gemm), t->attention.declare(*attention);
  gemm->footer("Example:\n  wavesmith layout gemm --arch gfx942 --transa t --tile 128x128x64 --operand a");
  attention->footer("Example:\n  wavesmith layout attention --arch gfx950 --head-dim 128 --operand v");
  for (auto* c : {gemm, attention}) {
    c->add_option("--operand", t->of, c == gemm ? "a or b (default: both)" : "k or v (default: both)");
    c->add_flag("--json", t->json, "one JSON document on standard output");
  }
  app.require_subcommand(0, 1);
  app.footer(
      "Each cell shows LANES:REGISTERS; of an LDS tile, the byte address in the tile.\nExample:\n  wavesmith layout "
      "v_mfma_f32_32x32x8_f16 --arch gfx942 --operand a --svg a.svg\n  wavesmith layout gemm --arch gfx942 --transa t "
      "--tile 128x128x64 --operand a");
  return [o, t, gemm, attention] {
    if (gemm->parsed()) {
      const isa::Arch arch = t->gemm.target();
      return tiles(lds_tiles(choose_gemm(t->gemm.request(), arch).config, arch), arch, t->of, t->json);
    }
    if (attention->parsed()) {
      const isa::Arch arch = t->attention.target();
      return tiles(lds_tiles(t->attention.config(), arch), arch, t->of, t->json);
    }
    return layout(*o);
  };
}

}  // namespace wavesmith::tools
