// wavesmith isa: the rows of the instruction tables, one instruction as a page or a pattern as a list. Everything shown
// is read or derived from the rows; nothing about an instruction is written here.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa_tables/counters.h"
#include "isa_tables/hazards/hazards.h"
#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/sample.h"
#include "isa_tables/timing/peaks.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using isa::Arch;
using isa::Info;
using isa::Opcode;
using nlohmann::ordered_json;

struct IsaCommand {
  std::string arch, pattern;
  bool json = false;
};

// Matches with * for any text and ? for one character. On a mismatch the last star takes one more character; earlier
// stars never need to.
bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = pattern.npos, taken = 0;  // taken: where the text after the star's run begins
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') star = p++, taken = t;
    else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) ++p, ++t;
    else if (star != pattern.npos) p = star + 1, t = ++taken;
    else return false;
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

const char* name(isa::Format f) {
  constexpr const char* names[] = {"SOP1", "SOP2",  "SOPK",  "SOPC",   "SOPP", "SMEM",    "VOP1",
                                   "VOP2", "VOP3",  "VOP3P", "VOPC",   "MAI",  "DS",      "DS (two offsets)",
                                   "GWS",  "MUBUF", "MTBUF", "GLOBAL", "FLAT", "SCRATCH", "tensor"};
  static_assert(std::size(names) == static_cast<size_t>(isa::Format::tensor) + 1);
  return names[static_cast<int>(f)];
}
const char* name(isa::Unit u) {
  constexpr const char* names[] = {"scalar ALU",     "branch", "message", "scalar memory", "vector ALU",
                                   "transcendental", "matrix", "LDS",     "vector memory"};
  static_assert(std::size(names) == static_cast<size_t>(isa::Unit::vmem) + 1);
  return names[static_cast<int>(u)];
}
const char* name(isa::Kind k) {
  constexpr const char* names[] = {"",
                                   "VGPR",
                                   "AGPR",
                                   "VGPR or AGPR",
                                   "SGPR",
                                   "SGPR or constant",
                                   "VGPR, SGPR or constant",
                                   "lane mask",
                                   "VGPR or off",
                                   "SGPR or off",
                                   "VGPR, AGPR or constant",
                                   "barrier number or M0",
                                   "null",
                                   "immediate or SGPR",
                                   "immediate",
                                   "hardware register",
                                   "message",
                                   "delays",
                                   "ALU wait fields",
                                   "index modes",
                                   "version",
                                   "wait counts",
                                   "label"};
  static_assert(std::size(names) == static_cast<size_t>(isa::Kind::label) + 1);
  return names[static_cast<int>(k)];
}
const char* name(isa::Access a) {
  return a == isa::Access::read ? "read" : a == isa::Access::write ? "written" : "read and written";
}

std::vector<Arch> targets_of(const Info& row, const std::optional<Arch>& only) {
  std::vector<Arch> out;
  for (const auto& t : isa::all_targets())
    if (const Arch a = *isa::find_arch(t.name); row.on(a) && (!only || *only == a)) out.push_back(a);
  return out;
}

std::string names_of(const std::vector<Arch>& archs) {
  std::string out;
  for (Arch a : archs) out += (out.empty() ? "" : " ") + std::string(isa::target(a).name);
  return out;
}

Opcode opcode_of(const Info& row) { return static_cast<Opcode>(&row - isa::table().data()); }

std::string encoding(const Info& row, Arch arch) {
  isa::Mc mc(arch);
  std::vector<uint8_t> bytes;
  try {
    mc.encode(isa::sample(opcode_of(row), arch), bytes);
  } catch (const isa::IsaError&) { return ""; }
  std::string out;
  for (uint8_t b : bytes) out += fmt::format("{}{:02x}", out.empty() ? "" : " ", b);
  return out;
}

std::string counters(const Info& row, Arch arch) {
  std::string out;
  for (const auto& e : isa::counter_events(row, arch))
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", isa::counter(e.counter, arch).name,
                       isa::tells_by_count(e.order) ? "" : " (out of order)");
  return out;
}

struct RuleUse {
  const isa::HazardRule* rule;
  std::vector<Arch> archs;
};
// The hazard rows that can apply, with the targets of `archs` on which they do.
std::vector<RuleUse> hazards(const Info& row, const std::vector<Arch>& archs, bool as_producer) {
  std::vector<RuleUse> out;
  for (const auto& r : isa::hazard_rules()) {
    RuleUse use{&r, {}};
    for (Arch a : archs)
      if (as_producer ? isa::can_produce(r, row, a) : isa::can_consume(r, row, a)) use.archs.push_back(a);
    if (!use.archs.empty()) out.push_back(std::move(use));
  }
  return out;
}

std::string amount(const isa::HazardRule& r) {
  using enum isa::hazard::Fix;
  const auto& w = r.wait_states;
  const std::string n = w[0] == w[1] && w[1] == w[2] && w[2] == w[3]
                            ? fmt::format("{}", w[0])
                            : fmt::format("{}/{}/{}/{}", w[0], w[1], w[2], w[3]);
  switch (r.fix) {
    case s_nop: return n + (n == "1" ? " wait state" : " wait states");
    case v_nop: return n + " VALU or v_nop";
    case valu_op: return n + " VALU";
    default: return alu_wait_text(r.fix);
  }
}

ordered_json to_json(const Info& row, const std::vector<Arch>& archs) {
  ordered_json j{{"mnemonic", row.mnemonic},
                 {"format", name(row.format)},
                 {"unit", name(row.unit)},
                 {"targets", ordered_json::array()},
                 {"operands", ordered_json::array()}};
  for (Arch a : archs) {
    ordered_json t{
        {"target", isa::target(a).name}, {"spelt", isa::mnemonic(opcode_of(row), a)}, {"counters", counters(row, a)}};
    if (row.is_matrix())
      t["clocks"] = row.clocks(a), t["passes"] = row.passes(a), t["flops_per_clock"] = isa::flops_per_clock(row, a);
    j["targets"].push_back(t);
  }
  for (int i = 0; i < row.count(); ++i)
    j["operands"].push_back({{"kind", name(row.operands[i].kind)},
                             {"registers", isa::dwords(isa::sample(opcode_of(row), archs[0]), i, archs[0])},
                             {"access", name(row.operands[i].access)}});
  if (row.is_matrix())
    j["shape"] = {{"m", row.matrix.m},           {"n", row.matrix.n},           {"k", row.matrix.k},
                  {"blocks", row.matrix.blocks}, {"flops", row.matrix.flops()}, {"sparse", row.matrix.sparse()}};
  for (bool producer : {true, false})
    for (const auto& h : hazards(row, archs, producer))
      j["hazards"].push_back({{"as", producer ? "producer" : "consumer"},
                              {"rule", h.rule->name},
                              {"needs", amount(*h.rule)},
                              {"targets", names_of(h.archs)},
                              {"source", h.rule->source}});
  return j;
}

void page(const Info& row, const std::vector<Arch>& archs) {
  Table t;
  t.add(row.mnemonic, names_of(archs));
  t.add("unit", fmt::format("{}, {}", name(row.unit), name(row.format)));
  for (int i = 0; i < row.count(); ++i)
    t.add(fmt::format("operand {}", i),
          fmt::format("{}, {} register{} per lane, {}", name(row.operands[i].kind),
                      isa::dwords(isa::sample(opcode_of(row), archs[0]), i, archs[0]),
                      row.operands[i].dwords == 1 ? "" : "s", name(row.operands[i].access)));
  if (row.is_matrix())
    t.add("shape", fmt::format("{}x{}x{}, {} block{}{}; {} operations", row.matrix.m, row.matrix.n, row.matrix.k,
                               row.matrix.blocks, row.matrix.blocks == 1 ? "" : "s",
                               row.matrix.sparse() ? ", A 2:4 sparse" : "", row.matrix.flops()));
  for (Arch a : archs) {
    std::string line = fmt::format("{}  [{}]", isa::print(isa::sample(opcode_of(row), a), a), encoding(row, a));
    if (row.is_matrix())
      line += fmt::format("; {} clocks ({} passes), {:.0f} operations per clock and {}", row.clocks(a), row.passes(a),
                          isa::flops_per_clock(row, a), isa::target(a).cu());
    if (const auto c = counters(row, a); !c.empty()) line += "; " + c;
    t.add(isa::target(a).name, line);
  }
  for (bool producer : {true, false})
    for (const auto& h : hazards(row, archs, producer))
      t.add(producer ? "hazard after" : "hazard before",
            fmt::format("{}: {} ({}; {})", h.rule->name, amount(*h.rule), names_of(h.archs), h.rule->source));
  fmt::print(out(), "{}", t.text());
}

int run(const IsaCommand& o) {
  std::optional<Arch> arch;
  if (!o.arch.empty()) arch = parse_target(o.arch);
  const bool list = o.pattern.empty() || o.pattern.find_first_of("*?") != o.pattern.npos;
  std::vector<const Info*> rows;
  if (list) {
    for (const Info& row : isa::table())
      if ((o.pattern.empty() || matches(o.pattern, row.mnemonic)) && !targets_of(row, arch).empty())
        rows.push_back(&row);
    if (rows.empty())
      throw InputError(fmt::format("isa: no instruction{} matches '{}'; legal: mnemonics with * and ?",
                                   arch ? std::string(" of ") + isa::target(*arch).name : "", o.pattern));
  } else {
    const auto op = arch ? isa::find_opcode(o.pattern, *arch) : isa::find_opcode(o.pattern);
    if (!op) {
      const auto close = isa::nearest(o.pattern);
      throw InputError(fmt::format(
          "isa: '{}' is unknown{}", o.pattern,
          close.empty() ? "; legal: mnemonics, and patterns with * and ?" : "; did you mean " + close + "?"));
    }
    if (arch && !isa::info(*op).on(*arch))
      throw InputError(fmt::format("isa: {} is not available on {} ({} has it)", o.pattern, o.arch,
                                   isa::archs_with(isa::info(*op))));
    rows = {&isa::info(*op)};
  }
  if (o.json) {
    ordered_json j = ordered_json::array();
    for (const Info* row : rows) j.push_back(to_json(*row, targets_of(*row, arch)));
    print_json(j);
  } else if (!list) {
    page(*rows[0], targets_of(*rows[0], arch));
  } else {
    Table t;
    for (const Info* row : rows) {
      const auto archs = targets_of(*row, arch);
      std::string line =
          fmt::format("{:<14}  {}", name(row->unit), isa::print(isa::sample(opcode_of(*row), archs[0]), archs[0]));
      if (row->is_matrix() && arch)
        line += fmt::format("  {} clocks, {:.0f} operations per clock", row->clocks(*arch),
                            isa::flops_per_clock(*row, *arch));
      if (!arch) line += "  (" + names_of(archs) + ")";
      t.add(row->mnemonic, line);
    }
    fmt::print(out(), "{}", t.text());
  }
  return good;
}

}  // namespace

Command add_isa(CLI::App& app) {
  auto o = std::make_shared<IsaCommand>();
  app.add_option("instruction", o->pattern, "a mnemonic, or a pattern with * and ?; default: all");
  app.add_option("--arch", o->arch, "only what this target has");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer("Example:\n  wavesmith isa --arch gfx942 'v_mfma_*f16'");
  return [o] { return run(*o); };
}

}  // namespace wavesmith::tools
