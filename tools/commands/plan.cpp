// wavesmith plan: instruction, tile, warps and layouts for one dot or for a file of cases, each decision with its rule;
// the guides' advice for the kernel around it, and the choices that `gemm` makes from it.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "kernels/plan/recommend.h"
#include "tools/commands/commands.h"
#include "tools/options/gemm_options.h"
#include "tools/options/plan_options.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct PlanCommand {
  PlannerOptions options;
  std::string cases, kernel, problem = "4096x4096";
  int cus = 0;
  bool json = false;
};

struct PlanLine {
  std::string what, value, reason;
};

// What `wavesmith gemm` chooses for this product: with this tile, or with the tile for the problem on so many CUs.
std::vector<PlanLine> gemm_lines(const PlanCommand& o, const plan::Problem& p) {
  const auto type = [&](plan::Elem e) -> std::optional<isa::Type> {
    for (const isa::Type t : {isa::Type::f16, isa::Type::bf16, isa::Type::f32, isa::Type::f64, isa::Type::fp8,
                              isa::Type::bf8, isa::Type::i8, isa::Type::i32})
      if (e == plan::elem(t, plan::traits(p.arch))) return t;
    return {};
  };
  const auto input = type(p.a.type), output = type(p.c);
  try {
    if (p.scaled || p.batch || p.a.type != p.b.type || !input || !output)
      throw ConfigError(fmt::format("gemm: {} x {} -> {}; legal: one type for both and a result of f32, f64 or i32",
                                    plan::name(p.a.type), plan::name(p.b.type), plan::name(p.c)));
    GemmRequest asked{.input = *input, .output = *output};
    const auto tile = [](int64_t n) { return static_cast<int>(n); };
    if (!o.cus) asked.block = GemmTile{tile(p.shape.m), tile(p.shape.n), tile(p.shape.k)};
    else {
      const auto [m, n] = parse_problem(o.problem);
      asked.grid = GemmGrid{m, n, o.cus};
    }
    std::vector<PlanLine> out;
    for (Choice& c : choose_gemm(asked, p.arch).choices)
      out.push_back({"gemm: " + c.what, std::move(c.value), std::move(c.why)});
    return out;
  } catch (const ConfigError& e) { return {{"gemm", "none", e.what()}}; }
}

std::vector<PlanLine> guidance(const PlanCommand& o, const plan::Problem& p) {
  std::vector<PlanLine> out;
  if (!o.kernel.empty()) {
    const auto kind = plan::find_kernel_kind(o.kernel);
    if (kind == plan::KernelKind::elementwise) {
      const auto block = plan::elementwise_block(p.a.type);
      out.push_back({"elements of a step", fmt::to_string(block.value), block.reason});
    } else {
      const auto s = plan::stages(kind);
      out.push_back(
          {"stages", s.least == s.most ? fmt::to_string(s.least) : fmt::format("{} to {}", s.least, s.most), s.reason});
      const auto kpack = plan::kpack_for(p.arch, kind), nonkdim = plan::nonkdim_for(p.arch, kind);
      out.push_back({"kPack", fmt::to_string(kpack.value), kpack.reason});
      out.push_back({"non-K dimension", nonkdim.value ? fmt::to_string(nonkdim.value) : "-", nonkdim.reason});
      const plan::BlockSize block{static_cast<int>(p.shape.m), static_cast<int>(p.shape.n)};
      const auto k = plan::block_k(p.a.type, p.arch, block, s.most);
      out.push_back({"BLOCK_K", fmt::to_string(k.practical), k.reason});
      const auto pad = plan::lds_padding(p.a.type, p.arch, block, k.practical);
      out.push_back({"LDS padding", fmt::format("{} elements a row", pad.value), pad.reason});
      if (kind == plan::KernelKind::gemm) std::ranges::move(gemm_lines(o, p), std::back_inserter(out));
    }
  }
  if (o.cus) {
    const auto [m, n] = parse_problem(o.problem);
    const auto best = plan::choose_block(m, n, o.cus);
    for (const auto b : plan::usual_blocks()) {
      const auto u = plan::utilisation(m, n, b, o.cus);
      out.push_back(
          {fmt::format("block {}x{}", b.m, b.n), fmt::format("{:.1f} %", 100 * u.used),
           b.m == best.block.m && b.n == best.block.n
               ? "recommended: " + best.reason
               : fmt::format("{} workgroups in {} round{}", u.workgroups, u.rounds, u.rounds == 1 ? "" : "s")});
    }
    if (plan::find_kernel_kind(o.kernel) == plan::KernelKind::gemm)
      out.push_back({"kernel for a size", "-",
                     fmt::format("blocks above are compared by their rounds alone; wavesmith gemm -m {} -n {} -k K "
                                 "--explain times candidates",
                                 m, n)});
  }
  return out;
}

ordered_json to_json(const plan::Plan& p, const std::vector<PlanLine>& lines) {
  ordered_json j{{"target", isa::target(p.problem.arch).name}, {"kind", plan::name(p.kind)}, {"subkind", p.subkind}};
  if (p.instruction) {
    j["version"] = p.version, j["instruction"] = plan::mnemonic(*p.instruction, p.problem.arch),
    j["instr_shape"] = {p.m, p.n, p.k}, j["is_transposed"] = p.transposed;
    j["warps_per_cta"] = p.warps, j["tiles_per_warp"] = p.tiles, j["kwidth_a"] = p.kwidth_a, j["kwidth_b"] = p.kwidth_b;
  }
  j["accumulator_bits"] = p.accumulator_bits, j["padded"] = {p.padded.m, p.padded.n, p.padded.k};
  j["types"] = {plan::name(p.types.a), plan::name(p.types.b), plan::name(p.types.c), plan::name(p.types.d)};
  j["casts"] = ordered_json::array();
  for (const auto& c : p.casts) j["casts"].push_back({{"operand", std::string(1, c.operand)}, {"steps", c.steps}});
  if (p.scale_a) j["scale_layout_a"] = plan::bases_text(*p.scale_a);
  if (p.scale_b) j["scale_layout_b"] = plan::bases_text(*p.scale_b);
  j["remarks"] = p.remarks, j["notes"] = p.notes, j["decisions"] = ordered_json::array();
  for (const auto& d : p.decisions)
    j["decisions"].push_back({{"subject", d.subject}, {"value", d.value}, {"rule", d.rule}});
  for (const auto& l : lines) j["advice"].push_back({{"what", l.what}, {"value", l.value}, {"reason", l.reason}});
  return j;
}

void print(const plan::Plan& p, const std::vector<PlanLine>& lines) {
  Table head;
  head.add("plan", fmt::format("{}{}{}", plan::name(p.kind), p.subkind.empty() ? "" : ", ", p.subkind));
  if (p.instruction) {
    head.add("layout", fmt::format("{}x{}x{}, {}, warps [{}], tiles per warp [{}]", p.m, p.n, p.k,
                                   p.transposed ? "transposed" : "not transposed", fmt::join(p.warps, ","),
                                   fmt::join(p.tiles, ",")));
    head.add("kWidth", fmt::format("A {}, B {}", p.kwidth_a, p.kwidth_b));
  }
  head.add("casts", casts_text(p));
  if (p.scale_a) head.add("scales of A", plan::bases_text(*p.scale_a));
  if (p.scale_b) head.add("scales of B", plan::bases_text(*p.scale_b));
  for (const auto& r : p.remarks) head.add("remark", r);
  for (const auto& n : p.notes) head.add("note", n);
  fmt::print(out(), "{}\ndecisions\n", head.text());
  const auto columns = [](const std::vector<PlanLine>& rows) {
    size_t what = 0, value = 0;
    for (const auto& r : rows) what = std::max(what, r.what.size()), value = std::max(value, r.value.size());
    for (const auto& r : rows) fmt::print(out(), "  {:<{}}  {:<{}}  {}\n", r.what, what, r.value, value, r.reason);
  };
  std::vector<PlanLine> decisions;
  for (const auto& d : p.decisions) decisions.push_back({d.subject, d.value, d.rule});
  columns(decisions);
  if (!lines.empty()) fmt::print(out(), "\nadvice\n"), columns(lines);
}

int run(const PlanCommand& o) {
  if (!o.cases.empty()) {
    fmt::print(out(), "{}", plan_csv(read_plan_cases(o.cases)));
    return good;
  }
  const plan::Problem problem = o.options.problem();
  const plan::Plan p = plan::plan(problem);
  if (p.kind == plan::DotKind::none) {
    std::string why;
    for (const auto& d : p.decisions)
      if (d.value == "not taken") why += (why.empty() ? "" : "; ") + d.rule;
    throw InputError(fmt::format("{} {}x{}x{}: no pattern applies: {}", isa::target(problem.arch).name, problem.shape.m,
                                 problem.shape.n, problem.shape.k, why));
  }
  const auto lines = guidance(o, problem);
  if (o.json) print_json(to_json(p, lines));
  else print(p, lines);
  return good;
}

}  // namespace

Command add_plan(CLI::App& app) {
  auto o = std::make_shared<PlanCommand>();
  o->options.declare(app);
  app.add_option("--cases", o->cases, "plan every row of a CSV file and print CSV");
  app.add_option("--kernel", o->kernel,
                 "advice for a kernel: gemm, gemm-indirect, fused-compute, fused-memory, elementwise");
  app.add_option("--cus", o->cus, "advice on the block for this number of CUs")->check(CLI::Range(1, 100000));
  app.add_option("--problem", o->problem, "size of the whole result for --cus, MxN")->capture_default_str();
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.footer(
      "Example:\n  wavesmith plan --arch gfx950 --m 128 --n 128 --k 64 --a bf16 --b bf16 --role chain-tail\n"
      "  wavesmith plan --arch gfx950 --m 128 --n 128 --k 256 --scaled mxfp4 --scale-a shuffled16 --scale-b shuffled16 "
      "--nonkdim 16\n"
      "  wavesmith plan --m 256 --n 256 --k 64 --a f16 --b f16 --kernel gemm --cus 304 --problem 4096x4096");
  return [o] { return run(*o); };
}

}  // namespace wavesmith::tools
