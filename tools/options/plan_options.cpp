// Command line and case rows to a planner problem.
#include "tools/options/plan_options.h"

#include <fmt/format.h>

#include "runtime/files.h"
#include "tools/options/needs.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using plan::Elem;
using plan::Problem;

template <class T>
struct Word {
  const char* word;
  T value;
};
template <class T, size_t N>
T choose(const Word<T> (&words)[N], std::string_view text, std::string_view option) {
  std::string legal;
  for (const auto& w : words) {
    if (text == w.word) return w.value;
    legal += fmt::format(" {}", w.word);
  }
  throw InputError(fmt::format("{}: '{}' is unknown, legal:{}", option, text, legal));
}

constexpr plan::Chain head_a{true, false, false}, head_b{false, true, false}, tail{false, false, true},
    both{true, false, true};
constexpr Word<plan::Chain> roles[] = {
    {"none", {}},     {"chain-head", head_a}, {"chain-head-b", head_b}, {"chain-tail", tail}, {"chain-both", both},
    {"head", head_a}, {"tail", tail},         {"head_b", head_b},       {"head+tail", both},  {"", {}}};
constexpr Word<plan::OperandSource> sources[] = {{"lds", plan::OperandSource::lds},
                                                 {"global", plan::OperandSource::global},
                                                 {"registers", plan::OperandSource::registers}};
constexpr Word<bool> packings_a[] = {{"k", true}, {"m", false}}, packings_b[] = {{"k", true}, {"n", false}};
constexpr Word<bool> truths[] = {{"", false}, {"false", false}, {"true", true}, {"0", false}, {"1", true}};

bool is_mx_name(std::string_view word) { return word.starts_with("mx"); }

}  // namespace

void PlannerOptions::declare(CLI::App& app) {
  app.add_option("--arch", arch, "target")->capture_default_str();
  app.add_option("--m,-m", m, "rows of the workgroup's dot"), app.add_option("--n,-n", n, "columns"),
      app.add_option("--k,-k", k, "elements along K");
  app.add_option("--batch", batch, "rank 3: number of matrices");
  app.add_option("--a,--a_type", a, "type of A (f16, fp8, mxfp4, f8E5M2, ...)"),
      app.add_option("--b,--b_type", b, "type of B");
  app.add_option("--c,--d,--d_type", c, "type of C and D")->capture_default_str();
  app.add_option("--waves", waves, "waves of the workgroup")->capture_default_str();
  app.add_option("--role", role, "none, chain-head, chain-head-b (feeds operand B), chain-tail, chain-both")
      ->capture_default_str();
  app.add_option("--graph", graph, "dataflow graph (lines 's = dot(q, k)') that determines the role");
  app.add_option("--dot", dot, "the dot of the graph to plan");
  app.add_flag("--carried", carried, "follow loop-carried values of the graph");
  app.add_option("--nonkdim", nonkdim, "MFMA: force 16x16 or 32x32")->capture_default_str();
  app.add_option("--kpack", kpack, "MFMA: consecutive K groups per lane, 1 or 2")->capture_default_str();
  app.add_option("--scaled", scaled, "dot_scaled; format of both operands unless --a, --b are given");
  app.add_option("--scale-a", scale_a,
                 "absent, present, constant, shuffled16, shuffled32 (default: present for mx types)");
  app.add_option("--scale-b", scale_b, "the same for B");
  app.add_option("--pack-a", pack_a, "e2m1: pairs along k or m")->capture_default_str(),
      app.add_option("--pack-b", pack_b, "e2m1: pairs along k or n")->capture_default_str();
  app.add_option("--source-a", source_a, "lds, global, registers")->capture_default_str(),
      app.add_option("--source-b", source_b, "the same for B")->capture_default_str();
  app.add_flag("--fast-math", fast_math, "dot_scaled: no test for NaN scales");
  app.add_flag("--tf32", tf32, "f32 inputs may be read as TF32");
  app.add_flag("--pad", pad, "pad with zeros to a matrix instruction where the rules would not");
}

Problem PlannerOptions::problem() const {
  const bool any_mx = is_mx_name(a) || is_mx_name(b) || !scaled.empty() || !scale_a.empty() || !scale_b.empty();
  const std::string type_a = a.empty() ? scaled : a, type_b = b.empty() ? scaled : b;
  if (type_a.empty() || type_b.empty())
    throw InputError("--a and --b are required, legal: f16, bf16, fp8, i8, mxfp4, ... (or --scaled FMT for both)");
  if (!m || !n || !k) throw InputError("--m, --n and --k are required: the size of the workgroup's dot");
  constexpr int64_t most = 1 << 20;  // of a workgroup's dot
  for (const auto& [option, size, least] : {std::tuple("--m", m, int64_t{1}),
                                            {"--n", n, int64_t{1}},
                                            {"--k", k, int64_t{1}},
                                            {"--batch", batch, int64_t{0}}})
    in_range(option, size, least, most);
  in_range("--waves", waves, 1, 64);
  Problem p;
  p.arch = plan::find_target(target_name(arch));
  const plan::FamilyTraits& t = plan::traits(p.arch);
  const auto operand = [&](const std::string& type, const std::string& scale, int64_t x, std::string_view option) {
    plan::DotOperand o;
    o.type = plan::find_elem(type, t);
    const std::string state = !scale.empty() ? scale : is_mx_name(type) ? "present" : "absent";
    if (any_mx && state != "absent" && k % 32)
      throw InputError(fmt::format("--k: {} is not a multiple of 32, the elements of one scale ({})", k, option));
    if (any_mx) o.scale = plan::parse_scale(state, x, k / 32);
    return o;
  };
  p.a = operand(type_a, scale_a, m, "--a"), p.b = operand(type_b, scale_b, n, "--b");
  p.a.k_packed = choose(packings_a, pack_a, "--pack-a"), p.b.k_packed = choose(packings_b, pack_b, "--pack-b");
  p.a.source = choose(sources, source_a, "--source-a"), p.b.source = choose(sources, source_b, "--source-b");
  p.tf32 = tf32 || p.a.type == Elem::xf32 || p.b.type == Elem::xf32;
  for (plan::DotOperand* o : {&p.a, &p.b})
    if (o->type == Elem::xf32) o->type = Elem::f32;
  p.c = plan::find_elem(c, t);
  p.waves = waves, p.batch = batch, p.shape = {m, n, k}, p.scaled = any_mx, p.fast_math = fast_math,
  p.nonkdim = nonkdim, p.kpack = kpack;
  p.remainder = pad ? plan::Remainder::pad : plan::Remainder::as_stated;
  p.chain = choose(roles, role, "--role");
  if (!graph.empty()) {
    const auto bytes = runtime::read_file(graph, 1 << 20);
    const plan::Graph g = plan::parse_graph({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (dot.empty()) throw InputError("--graph: --dot is missing, legal: a dot of the graph");
    p.chain = g.chain(g.find(dot), carried ? plan::Graph::Carried::followed : plan::Graph::Carried::ignored);
  }
  return p;
}

// -- Case files ------------------------------------------------------------------------------------------------------
namespace {

using Fields = std::vector<std::string>;
std::vector<Fields> parse_csv(std::string_view text) {  // RFC 4180: quoted fields, "" inside them
  std::vector<Fields> lines(1, {""});
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') lines.back().back() += c, ++i;
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) lines.back().emplace_back();
    else if (c == '\n' && !quoted) lines.push_back({""});
    else if (c != '\r' || quoted) lines.back().back() += c;
  }
  std::erase_if(lines, [](const Fields& f) { return f.size() == 1 && f[0].empty(); });
  return lines;
}

struct Row {
  const Fields& header;
  const Fields& fields;
  std::string text(std::string_view column, std::string_view missing = "") const {
    for (size_t i = 0; i < header.size(); ++i)
      if (header[i] == column) return i < fields.size() && !fields[i].empty() ? fields[i] : std::string(missing);
    return std::string(missing);
  }
  int64_t number(std::string_view column, std::string_view missing) const {
    const uint64_t n = parse_number(text(column, missing), column);
    if (n > 1 << 30) throw InputError(fmt::format("{}: {} is out of range", column, n));
    return static_cast<int64_t>(n);
  }
};

Problem problem_of(const Row& r) {
  PlannerOptions o;
  o.arch = r.text("arch"), o.m = r.number("M", "0"), o.n = r.number("N", "0"), o.k = r.number("K", "0"),
  o.batch = r.number("batch", "0");
  o.waves = static_cast<int>(r.number("num_warps", "4")),
  o.nonkdim = static_cast<int>(r.number("matrix_instr_nonkdim", "0")),
  o.kpack = static_cast<int>(r.number("kpack", "1"));
  o.a = r.text("a_type"), o.b = r.text("b_type"), o.c = r.text("c_type", "f32"), o.role = r.text("chain_role");
  o.fast_math = choose(truths, r.text("fast_math"), "fast_math");
  o.tf32 = r.text("input_precision") == "tf32";
  const bool scaled = choose<bool>({{"dot", false}, {"dot_scaled", true}}, r.text("op", "dot"), "op");
  if (scaled) o.scale_a = r.text("a_scale", "absent"), o.scale_b = r.text("b_scale", "absent");
  Problem p = o.problem();
  p.scaled = scaled;
  p.a.k_packed = choose(truths, r.text("lhs_k_pack", "true"), "lhs_k_pack"),
  p.b.k_packed = choose(truths, r.text("rhs_k_pack", "true"), "rhs_k_pack");
  return p;
}

}  // namespace

std::vector<PlanCase> read_plan_cases(const std::string& path) {
  const auto bytes = runtime::read_file(path, 1 << 25);
  return parse_plan_cases({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

std::vector<PlanCase> parse_plan_cases(std::string_view text, const std::string& path) {
  const auto lines = parse_csv(text);
  if (lines.empty())
    throw InputError(fmt::format(
        "{}: empty, legal: a header line with id,arch,M,N,K,a_type,b_type,... and one line per case", path));
  for (const char* column : {"id", "arch", "M", "N", "K", "a_type", "b_type"})
    if (std::find(lines[0].begin(), lines[0].end(), column) == lines[0].end())
      throw InputError(fmt::format("{}: no column {}, legal: those of planner_cases.csv", path, column));
  std::vector<PlanCase> out;
  for (size_t i = 1; i < lines.size(); ++i) {
    const Row row{lines[0], lines[i]};
    const std::string id = row.text("id");
    try {
      out.push_back({id, problem_of(row)});
    } catch (const std::runtime_error& e) {
      throw InputError(
          fmt::format("{}: case {}: {}", path, id.empty() ? fmt::format("in line {}", i + 1) : id, e.what()));
    }
  }
  return out;
}

namespace {

std::string quoted(const std::string& s) {
  if (s.find_first_of(",\"\n") == s.npos) return s;
  std::string out = "\"";
  for (const char c : s) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string list(const std::vector<int>& v) { return v.empty() ? "" : fmt::format("[{}]", fmt::join(v, ",")); }

Fields fields_of(const plan::Plan& p) {
  const bool matrix = p.instruction.has_value();
  const auto number = [&](int n) { return matrix ? fmt::to_string(n) : std::string(); };
  return {plan::name(p.kind),
          p.subkind,
          number(p.version),
          matrix ? list({p.m, p.n, p.k}) : "",
          matrix ? p.transposed ? "true" : "false" : "",
          list(p.warps),
          list(p.tiles),
          number(p.kwidth_a),
          number(p.kwidth_b),
          casts_text(p),
          p.scale_a ? plan::bases_text(*p.scale_a) : "",
          p.scale_b ? plan::bases_text(*p.scale_b) : "",
          remarks_text(p),
          notes_text(p)};
}

}  // namespace

std::string plan_csv(const std::vector<PlanCase>& cases) {
  std::string out =
      "id,kind,subkind,version,instr_shape,is_transposed,warps_per_cta,tiles_per_warp,kwidth_a,kwidth_b,casts,scale_"
      "layout_a,scale_layout_b,remarks,other\n";
  for (const PlanCase& c : cases) {
    out += quoted(c.id);
    try {
      for (const std::string& field : fields_of(plan::plan(c.problem))) out += "," + quoted(field);
    } catch (const std::runtime_error& e) { throw InputError(fmt::format("case {}: {}", c.id, e.what())); }
    out += "\n";
  }
  return out;
}

std::string casts_text(const plan::Plan& p) {
  std::string out;
  for (const plan::Cast& c : p.casts)
    out += fmt::format("{}{}: {}", out.empty() ? "" : "; ", c.operand == 'D' ? "result" : std::string(1, c.operand),
                       c.steps);
  return out.empty() ? "none" : out;
}

std::string remarks_text(const plan::Plan& p) {
  std::string out;
  for (const auto& r : p.remarks) out += fmt::format("{}remark: {}", out.empty() ? "" : " | ", r);
  return out;
}

std::string notes_text(const plan::Plan& p) {
  std::string out;
  if (p.instruction) out = plan::mnemonic(*p.instruction, p.problem.arch);
  else if (p.dot_instruction)
    out = isa::mnemonic(static_cast<isa::Opcode>(p.dot_instruction - isa::table().data()), p.problem.arch);
  for (const auto& n : p.notes) out += (out.empty() ? "" : "; ") + n;
  return out;
}

}  // namespace wavesmith::tools
