// What the simulator's sanitizers call a fault the checker has to find as well: a generated GEMM and compiled kernels,
// broken in one place at a time.
#include <catch2/catch.hpp>

#include <chrono>
#include <cstring>

#include "generator/passes/check_program.h"
#include "isa_tables/hazards/hazards.h"
#include "isa_tables/mc/mc.h"
#include "isa_tables/opcodes.h"
#include "kernels/gemm/gemm.h"
#include "runtime/files.h"
#include "simulator/simulator.h"
#include "tests/compiled/clang_corpus.h"

using namespace wavesmith;
using isa::Arch;

namespace {

struct ProgramMutation {
  std::string what;
  size_t node;
  Program program;
};

Program without(const Program& p, size_t node) {
  Program q = p;
  q.nodes.erase(q.nodes.begin() + static_cast<int64_t>(node));
  return q;
}

bool depends(const Inst& first, const Inst& second, Arch arch) {
  const auto e = isa::effects(first, arch), f = isa::effects(second, arch);
  for (const Operand& w : e.writes)
    for (const Operand& r : f.reads)
      if (w.file == r.file && w.index < r.index + r.dwords && r.index < w.index + w.dwords) return true;
  return false;
}

// Nops with one wait state less, waits weaker by one, barriers dropped, dependent neighbours swapped.
std::vector<ProgramMutation> mutations(const Program& p) {
  std::vector<ProgramMutation> all;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (!n.is_instruction()) continue;
    if (n.inst.op == Opcode::s_nop) {
      all.push_back({"nop", i, p});
      Operand& states = all.back().program.nodes[i].inst.operands[0];
      if (states.bits) --states.bits;
      else all.back().program = without(p, i);
    }
    if (n.inst.op == Opcode::s_barrier) all.push_back({"barrier", i, without(p, i)});
    const isa::Waits w = isa::waits_of(n.inst, p.arch);
    for (int c = 0; c < isa::wait_counters; ++c) {
      if (w[c] < 0) continue;
      isa::Waits weaker = w;
      ++weaker[c];
      all.push_back({"wait", i, p});
      all.back().program.nodes[i].inst = isa::wait_instruction(n.inst.op, weaker, p.arch);
    }
    const bool plain =
        n.inst.info().unit != isa::Unit::message && !(n.inst.info().implicit & (isa::pc_w | isa::ends)) && !w.any();
    if (plain && i + 1 < p.nodes.size() && p.nodes[i + 1].is_instruction() &&
        !(p.nodes[i + 1].inst.info().implicit & (isa::pc_w | isa::ends)) &&
        depends(n.inst, p.nodes[i + 1].inst, p.arch)) {
      all.push_back({"swap", i, p});
      std::swap(all.back().program.nodes[i], all.back().program.nodes[i + 1]);
    }
  }
  return all;
}

// Node number of each code offset.
std::map<uint64_t, size_t> offsets(const Program& p) {
  isa::Mc mc(p.arch);
  std::map<uint64_t, size_t> at;
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    if (!p.nodes[i].is_instruction()) continue;
    at[bytes.size()] = i;
    mc.encode(p.nodes[i].inst, bytes);
  }
  return at;
}

// One block of the matrix, on all sanitizers. Contents do not matter for what may run when.
std::optional<sim::Fault> fault_of_run(const Program& p, const GemmConfig& c) {
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  sim::Memory memory;
  const auto place = [&](uint64_t elements, isa::Type t, const char* name) {
    const std::vector<uint8_t> zeros(elements * static_cast<uint64_t>(isa::bits(t)) / 8);
    const uint64_t at = memory.allocate(zeros.size(), name);
    memory.write(at, zeros);
    return at;
  };
  const auto m = static_cast<uint32_t>(c.block.m), n = static_cast<uint32_t>(c.block.n),
             k = static_cast<uint32_t>(4 * c.block.k);
  const uint64_t a = place(uint64_t{m} * k, c.input, "A"), b = place(uint64_t{k} * n, c.input, "B"),
                 d = place(uint64_t{m} * n, c.output, "D");
  const GemmProblem problem{m, n, k, c.trans_a ? k : m, c.trans_b ? n : k, m, m, 0, 0, 0, 0, 1, 1, 0};
  const KernelLaunch l = launch(c, p.arch, problem, {a, b, 0, d});
  sim::Options options;
  options.numerics = sim::Numerics::fast, options.checks.undefined_reads = true;  // as the checker looks
  options.max_instructions = 1 << 20;
  return sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}, options).fault;
}

// The static rule is about registers that no path has written: one that some other path writes is not its affair.
bool written_elsewhere(const Program& p, size_t node) {
  const auto reads = isa::effects(p.nodes[node].inst, p.arch).reads;
  return std::any_of(p.nodes.begin(), p.nodes.begin() + static_cast<int64_t>(node), [&](const Node& n) {
    if (!n.is_instruction()) return false;
    for (const Operand& w : isa::effects(n.inst, p.arch).writes)
      for (const Operand& r : reads)
        if (w.file == r.file && w.file != File::s && w.index < r.index + r.dwords && r.index < w.index + w.dwords)
          return true;
    return false;
  });
}

// Is there a finding that says what the fault says, at its place? An LDS race may be seen from either side.
bool says_at_node(const std::vector<checker::Finding>& findings, const sim::Fault& fault, size_t node) {
  using Kind = sim::Fault::Kind;
  return std::any_of(findings.begin(), findings.end(), [&](const checker::Finding& f) {
    if (fault.kind == Kind::race) return f.rule == "LDS order between waves";
    // The simulator lets moves and scalar arithmetic pass on that there is no value; the checker names the first that
    // reads it.
    if (fault.kind == Kind::undefined_read && f.rule == "register never written" && f.pc <= node) return true;
    if (f.pc != node || f.source.empty()) return false;
    if (fault.kind == Kind::in_flight) return f.rule == "register in flight";
    return fault.kind == Kind::hazard && fault.why.find(f.rule) != fault.why.npos;
  });
}

}  // namespace

TEST_CASE("every mutation of a GEMM that the simulator faults on has a finding at the fault", "[check][mutation]") {
  const auto [arch, every] =
      GENERATE(table<Arch, size_t>({{Arch::gfx942, 3}, {Arch::gfx950, 3}, {Arch::gfx90a, 3}, {Arch::gfx908, 3}}));
  GemmConfig config;
  config.trans_a = true;
  config.block = {64, 64, 64};
  const Program p = build_gemm(config, arch);
  CAPTURE(isa::target(arch).name);
  REQUIRE_FALSE(fault_of_run(p, config));
  REQUIRE(checker::check(p, {.advice = false}).good());
  std::map<std::string, int> broken;
  size_t number = 0;
  for (const ProgramMutation& m : mutations(p)) {
    if (m.what == "swap" && number++ % every) continue;  // a sample of the many
    const auto fault = fault_of_run(m.program, config);
    if (!fault || fault->kind == sim::Fault::Kind::out_of_bounds || fault->kind == sim::Fault::Kind::misaligned ||
        fault->kind == sim::Fault::Kind::budget)
      continue;  // another program, as legal as the first
    const auto at = offsets(m.program);
    const auto entry = sim::CodeObject::load(assemble(m.program).bytes).kernel("").entry;
    const size_t node = at.at(fault->pc - entry);
    if (fault->kind == sim::Fault::Kind::undefined_read && written_elsewhere(m.program, node)) continue;
    if (fault->kind == sim::Fault::Kind::race && fault->why.starts_with("writes LDS") &&
        fault->why.find(" writes with") != fault->why.npos)
      continue;  // two writes: not a rule
    if (fault->kind == sim::Fault::Kind::race && m.program.nodes[node].inst.op == isa::Opcode::ds_write_b128 &&
        std::string_view(m.program.nodes[node].block) != "store")
      continue;  // results on their way to D: their address, of the wave's number, is none the checker knows
    ++broken[m.what];
    CAPTURE(m.what, m.node, node, fault->message());
    CHECK(says_at_node(checker::check(m.program, {.advice = false}).findings, *fault, node));
  }
  CAPTURE(broken["wait"], broken["barrier"], broken["nop"], broken["swap"]);
  CHECK(broken["wait"] > 5);
  CHECK(broken["barrier"] > 0);
  CHECK(broken["swap"] > 0);
}

TEST_CASE("the checker has nothing to say about what clang compiles", "[check][clang]") {
  if (corpus::compiler().empty()) {
    WARN("clang 22 is not here: skipped");
    return;
  }
  for (const auto& source : corpus::sources)
    for (const auto& build : corpus::builds_of(source)) {
      const auto co = sim::CodeObject::load(runtime::read_file(corpus::compile(build).string()));
      std::string said;
      const auto look = [&](const checker::Result& result) {
        for (const auto& f : result.findings) {
          // LLVM 22 does not look at dual instructions here; for WMMA it has since been mended (LLVM pull request
          // 183573).
          const bool known =
              f.rule == "trans source overwritten by VALU beside it" && f.instruction.find("::") != f.instruction.npos;
          // 11 wait states after 16 passes in LLVM; the manual's table 37 has 19, and so do we.
          const bool shorter = f.rule == "DGEMM result overwritten by VALU or a load";
          // LLVM 22 forgets a load's source if a second load overwrites its other half, and lets FLAT overwrite others'
          // (docs/reference/check.md).
          const bool half =
              build.options.ends_with("O0") && f.rule == "register in flight" && f.legal.starts_with("s_wait_xcnt");
          // Undecided whether LLVM or we are wrong: a scratch store's data overwritten after four younger stores, in
          // expert scheduling (docs/reference/check.md).
          const bool undecided = source.name == std::string_view("unaligned") && build.options == "expert" &&
                                 f.rule == "VGPR overwritten before VM_VSRC";
          if (!f.advice && !known && !shorter && !half && !undecided)
            said += fmt::format("{:#x} {}: {}: {}\n", f.pc, f.instruction, f.rule, f.what);
        }
      };
      checker::Decoder decoder(co.arch(), co.kernels()[0].wave_size);
      for (const auto& k : co.kernels()) look(checker::check(co, k, decoder, {.advice = false}));
      for (const auto& s : co.symbols())  // functions that are no kernels
        if (s.function && s.size && std::ranges::none_of(co.kernels(), [&](const auto& k) { return k.name == s.name; }))
          look(checker::check(co, s, decoder, {.advice = false}));
      CAPTURE(build.name());
      CHECK(said == "");
    }
}

TEST_CASE("a wait state less than clang leaves is a finding", "[check][clang][mutation]") {
  if (corpus::compiler().empty()) {
    WARN("clang 22 is not here: skipped");
    return;
  }
  int tried = 0, missed = 0;
  std::string where;
  for (const char* target : {"gfx908", "gfx90a", "gfx942", "gfx950"})
    for (const auto& source : corpus::sources) {
      const auto arch = *isa::find_arch(target);
      if (!source.on(isa::target(arch))) continue;
      const auto bytes = runtime::read_file(corpus::compile({source.name, target, "", "O3", "-O3"}).string());
      const auto co = sim::CodeObject::load(bytes);
      for (const auto& k : co.kernels()) {
        checker::Decoder decoder(arch, k.wave_size);
        const checker::Code code = decoder.decode(co, k.entry, k.code_end);
        const size_t place = corpus::place_in_file(bytes, co, k);
        for (const auto& line : code.lines) {
          if (line.item->inst.op != Opcode::s_nop || line.pc < k.entry || line.pc >= k.code_end) continue;
          auto mutated = bytes;
          uint8_t& states = mutated[place + line.pc];
          if (states == 0) continue;  // one wait state: it would have to be cut out
          --states;
          const auto broken = sim::CodeObject::load(mutated);
          checker::Decoder fresh(arch, k.wave_size);
          ++tried;
          const auto all = checker::check(broken, broken.kernel(k.name), fresh, {});
          const bool found = std::any_of(all.findings.begin(), all.findings.end(), [](const auto& f) {
            const auto rules = isa::hazard_rules();
            return std::any_of(rules.begin(), rules.end(), [&](const auto& r) { return f.rule == r.name; });
          });
          if (!found) ++missed, where += fmt::format("{} {} {} {:#x}\n", source.name, target, k.name, line.pc);
        }
      }
    }
  INFO(where);
  CHECK(tried > 50);
  CHECK(missed == 0);
}

TEST_CASE("the self-check of a GEMM of 256x256 tiles", "[.][benchmark]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx950}) {
    GemmConfig config;
    config.block = {256, 256, 64};
    const Program p = build_gemm(config, arch);
    double best = 1e9;
    for (int run = 0; run < 30; ++run) {
      const auto start = std::chrono::steady_clock::now();
      REQUIRE(checker::check(p, {.advice = false}).good());
      best =
          std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    WARN(fmt::format("{}: {} nodes, {:.2f} ms", isa::target(arch).name, p.nodes.size(), best));
  }
}
