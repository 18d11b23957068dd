// What clang compiles, broken in one place at a time in the code object's bytes: a nop out or shorter, a wait weaker by
// one, a barrier out, dependent neighbours swapped. The simulator, with the launches of the corpus' own tests, is the
// judge: where it calls the broken kernel a missing wait state, a register in flight, a race or a register never
// written, the checker has to report that rule, at that instruction.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <set>

#include "checker/check.h"
#include "isa_tables/hazards/hazards.h"
#include "isa_tables/opcodes.h"
#include "tests/compiled/clang_run.h"

using namespace wavesmith;
using isa::Arch, isa::File, isa::Inst, isa::Opcode, isa::Operand;

namespace {

using Kind = sim::Fault::Kind;
using Bytes = std::vector<uint8_t>;

struct ByteMutation {
  const char* kind;
  uint64_t pc;
  Bytes bytes;
};  // pc: of the first byte changed, in the code object

// One kernel of a build, or a function that is run by way of one, and where its bytes are in the file.
struct Subject {
  const Bytes& file;
  const sim::CodeObject& object;
  const sim::KernelInfo& kernel;
  uint64_t begin, end;
  checker::Code code;
  size_t base = 0;  // file offset of address 0
  isa::Mc& mc;

  Bytes original(size_t line) const {
    const auto from = file.begin() + static_cast<int64_t>(base + code.lines[line].pc);
    return {from, from + code.lines[line].item->size};
  }
  Bytes encoded(const Inst& i) const {
    Bytes out;
    mc.encode(i, out);
    return out;
  }
};

Inst nop() {
  Inst i{Opcode::s_nop};
  i.operands[0] = isa::imm(0);
  return i;
}

bool depends(const checker::Item& first, const checker::Item& second) {
  bool any = false;
  first.writes.each([&](int r) { any |= checker::has(second.reads, r); });
  return any;
}

// May the two lines change places: what is between them in no other way, and nothing that reads or sets the program
// counter.
bool movable(const Subject& s, size_t a, const std::set<int>& starts) {
  const auto &x = s.code.lines[a], &y = s.code.lines[a + 1];
  const auto plain = [](const checker::CodeLine& l) {
    return l.item->flow == checker::Flow::next && l.item->refusal.empty() && l.item->inst.op != Opcode::s_getpc_b64;
  };
  return x.next == static_cast<int>(a) + 1 && y.pc == x.pc + x.item->size &&
         !starts.contains(static_cast<int>(a) + 1) && plain(x) && plain(y);
}

void mutate_line(const Subject& s, size_t i, const std::set<int>& starts, std::vector<ByteMutation>& all) {
  const auto& line = s.code.lines[i];
  const Inst& inst = line.item->inst;
  const bool pair = i + 1 < s.code.lines.size() && movable(s, i, starts);
  const auto exchange = [&](const char* kind) {
    Bytes both = s.original(i + 1);
    const Bytes first = s.original(i);
    both.insert(both.end(), first.begin(), first.end());
    all.push_back({kind, line.pc, both});
  };
  if (inst.op == Opcode::s_nop && inst.operands[0].bits) {
    Inst shorter = inst;
    --shorter.operands[0].bits;
    all.push_back({"nop", line.pc, s.encoded(shorter)});
  } else if (inst.op == Opcode::s_nop && pair) {  // the only wait state: it goes after what it is for
    exchange("nop");
  } else if (inst.op == Opcode::v_nop || inst.op == Opcode::s_waitcnt_depctr ||
             isa::mnemonic(inst.op, s.code.arch) == std::string_view("s_wait_alu")) {
    all.push_back({"nop", line.pc, s.encoded(nop())});
  } else if (inst.op == Opcode::s_barrier) {
    all.push_back({"barrier", line.pc, s.encoded(nop())});
  } else if (inst.op == Opcode::s_barrier_signal && pair &&
             s.code.lines[i + 1].item->inst.op == Opcode::s_barrier_wait) {
    Bytes both = s.encoded(nop()), again = both;
    both.insert(both.end(), again.begin(), again.end());
    all.push_back({"barrier", line.pc, both});
  } else if (const isa::Waits w = isa::waits_of(inst, s.code.arch); w.any()) {
    for (int c = 0; c < isa::wait_counters; ++c) {
      if (w[c] < 0 || inst.info().count() == 0) continue;
      isa::Waits weaker = w;
      ++weaker[c];
      all.push_back({"wait", line.pc, s.encoded(isa::wait_instruction(inst.op, weaker, s.code.arch))});
    }
  } else if (pair && depends(*line.item, *s.code.lines[i + 1].item) &&
             !isa::waits_of(s.code.lines[i + 1].item->inst, s.code.arch).any()) {
    exchange("swap");
  }
}

std::vector<ByteMutation> mutations(const Subject& s) {
  std::set<int> starts;
  for (const auto& b : s.code.blocks) starts.insert(b.begin);
  std::vector<ByteMutation> all;
  for (size_t i = 0; i < s.code.lines.size(); ++i) {
    const auto& line = s.code.lines[i];
    if (line.item->refusal.empty() && line.pc >= s.begin && line.pc < s.end) mutate_line(s, i, starts, all);
  }
  return all;
}

// Does some path to `pc`, or the entry, write the register that the fault says was never written in this lane? Then it
// is no register that no path has written.
bool written_on_a_path(const checker::Code& code, const checker::Entry& entry, const sim::Fault& f) {
  if (!f.why.starts_with("reads ")) return true;  // what scalar instructions have passed on
  // What has come from another instruction is that one's read: "... it comes from v1, which ..., at 0x31cc '...'".
  constexpr std::string_view origin = "it comes from ";
  const size_t from_other = f.why.find(origin), at = from_other == f.why.npos ? 6 : from_other + origin.size();
  const std::string reg = f.why.substr(at, f.why.find_first_of(", ", at) - at);
  const size_t place = from_other == f.why.npos ? f.why.npos : f.why.find(", at 0x", at);
  const uint64_t pc = place == f.why.npos ? f.pc : std::stoull(f.why.substr(place + 7), nullptr, 16);
  for (int r = 0; r < static_cast<int>(entry.written.size()) * 64; ++r)
    if ((entry.written[static_cast<size_t>(r / 64)] >> r % 64 & 1) && checker::register_name(r, code.arch) == reg)
      return true;
  std::vector<std::vector<int>> from(code.lines.size());
  std::vector<int> todo;
  for (int i = 0; i < static_cast<int>(code.lines.size()); ++i) {
    const auto& l = code.lines[static_cast<size_t>(i)];
    for (const int to : {l.next, l.target})
      if (to >= 0) from[static_cast<size_t>(to)].push_back(i);
    if (l.pc == pc) todo.push_back(i);
  }
  std::set<int> seen;
  while (!todo.empty()) {
    const int line = todo.back();
    todo.pop_back();
    for (const int before : from[static_cast<size_t>(line)]) {
      bool writes = false;
      code.lines[static_cast<size_t>(before)].item->writes.each(
          [&](int r) { writes |= checker::register_name(r, code.arch) == reg; });
      if (writes) return true;
      if (seen.insert(before).second) todo.push_back(before);
    }
  }
  return false;
}

// An array in registers, read past its end: the index is data, which a change elsewhere has made too large.
bool by_index(const checker::Code& code, const sim::Fault& f) {
  return std::any_of(code.lines.begin(), code.lines.end(), [&](const checker::CodeLine& l) {
    return l.pc == f.pc && (l.item->inst.info().implicit & isa::relative);
  });
}

// Rules that a fault breaks; the others mean another program, as legal as the first. Two writes of two waves may be of
// one value.
bool is_rule(const sim::Fault& f, const checker::Code& code, const checker::Entry& entry) {
  // Half a pair that compilers leave unwritten (docs/reference/check.md) reaches a result by another order alone.
  const bool half_a_pair = f.why.find("it comes from ") != f.why.npos && f.why.find("v_mad_u64_u32") != f.why.npos;
  if (f.kind == Kind::undefined_read) return !written_on_a_path(code, entry, f) && !by_index(code, f) && !half_a_pair;
  const bool two_writes = f.why.starts_with("writes LDS") && f.why.find(" writes with") != f.why.npos;
  return f.kind == Kind::in_flight || f.kind == Kind::hazard || (f.kind == Kind::race && !two_writes);
}

// One missing wait is reported once, at the first instruction that needs it.
bool says_at_pc(const std::vector<checker::Finding>& findings, const sim::Fault& fault, uint64_t mutated) {
  return std::any_of(findings.begin(), findings.end(), [&](const checker::Finding& f) {
    if (fault.kind == Kind::race) return f.rule == "LDS order between waves" || f.rule == "LDS bytes in flight";
    if (fault.kind == Kind::undefined_read && f.rule == "register never written" && f.pc <= fault.pc) return true;
    if (f.source.empty()) return false;
    if (fault.kind == Kind::in_flight)
      return (f.rule == "register in flight" || f.rule == "LDS bytes in flight") &&
             (f.pc == fault.pc || (mutated < f.pc && f.pc < fault.pc));
    return f.pc == fault.pc && fault.kind == Kind::hazard && fault.why.find(f.rule) != fault.why.npos;
  });
}

struct Count {
  int made = 0, faults = 0, found = 0, missed = 0;
};
struct Tally {
  std::map<std::pair<std::string, std::string>, Count> by;  // target and kind
  std::map<std::string, std::string> missed;                // what kind of fault -> the first of them
  std::map<std::string, int> times;
};

std::optional<sim::Fault> judge(const corpus::Build& build, const sim::CodeObject& object, const std::string& kernel) {
  clangtest::Trial t{build, object, isa::target(object.arch()), {}};
  t.only = kernel, t.max_instructions = 100'000;
  for (const auto launch : clangtest::launches()[build.source]) {
    launch(t);
    if (!t.faults.empty()) return t.faults[0];
  }
  return {};
}

void try_kernel(const corpus::Build& build, const Subject& s, checker::Decoder& decoder, size_t every, size_t& number,
                Tally& tally) {
  for (const ByteMutation& m : mutations(s)) {
    if (number++ % every) continue;
    Bytes file = s.file;
    std::copy(m.bytes.begin(), m.bytes.end(), file.begin() + static_cast<int64_t>(s.base + m.pc));
    const auto object = sim::CodeObject::load(std::move(file));
    Count& count = tally.by[{build.target, m.kind}];
    ++count.made;
    const auto findings = checker::check(object, object.kernel(s.kernel.name), decoder, {.advice = false}).findings;
    const auto fault = judge(build, object, s.kernel.name);
    count.found += !findings.empty();
    if (!fault || !is_rule(*fault, decoder.decode(object, s.kernel.entry, s.kernel.code_end),
                           checker::entry_of(object.kernel(s.kernel.name), object.arch())))
      continue;
    ++count.faults;
    if (says_at_pc(findings, *fault, m.pc)) continue;
    ++count.missed;
    const std::string what = fmt::format("{}: {}", m.kind, sim::name(fault->kind));
    tally.missed.try_emplace(what, fmt::format("{} {} {:#x}: {}", build.name(), s.kernel.name, m.pc, fault->message()));
    ++tally.times[what];
    if (std::getenv("WAVESMITH_FIGURES"))
      fmt::print("missed {}: {} {} {:#x}: {}\n", what, build.name(), s.kernel.name, m.pc, fault->message()),
          std::fflush(stdout);
  }
}

bool calls(checker::Decoder& decoder, const sim::CodeObject& object, const sim::KernelInfo& k) {
  return !decoder.decode(object, k.entry, k.code_end).calls.empty();
}

void try_build(const corpus::Build& build, size_t every, size_t& number, Tally& tally) {
  const std::string text = corpus::text_of(corpus::compile(build));
  const Bytes bytes(text.begin(), text.end());
  const auto object = sim::CodeObject::load(bytes);
  for (const sim::KernelInfo& k : object.kernels()) {
    checker::Decoder decoder(object.arch(), k.wave_size);
    isa::Mc mc(object.arch(), k.wave_size);
    const size_t place = corpus::place_in_file(bytes, object, k);
    const auto in_function = [&](uint64_t begin, uint64_t end) {
      try_kernel(build, {bytes, object, k, begin, end, decoder.decode(object, begin, end), place, mc}, decoder, every,
                 number, tally);
    };
    in_function(k.entry, k.code_end);
    for (const auto& f : object.symbols())
      if (calls(decoder, object, k) && f.function && f.size &&
          std::ranges::none_of(object.kernels(), [&](const auto& other) { return other.name == f.name; }))
        in_function(f.address, f.address + f.size);
  }
}

// All targets, or one, with -O3, every n-th mutation.
Tally try_all(size_t every, const char* target) {
  Tally tally;
  size_t number = 0;
  for (const auto& source : corpus::sources)
    for (const auto& build : corpus::builds_of(source))
      if (build.options == "O3" && (!target || build.target == target)) try_build(build, every, number, tally);
  return tally;
}

}  // namespace

TEST_CASE("every mutation of what clang compiles that the simulator faults on is reported there, with its rule",
          "[check][clang][mutation]") {
  if (corpus::compiler().empty()) {
    WARN("clang 22 is not here: skipped");
    return;
  }
  const char* figures = std::getenv("WAVESMITH_FIGURES");  // how many of them are tried: every n-th
  const char* target = std::getenv("WAVESMITH_FIGURES_TARGET");
  const Tally tally = try_all(figures ? static_cast<size_t>(std::atoi(figures)) : 97, target);
  std::map<std::string, Count> kinds;
  for (const auto& [key, c] : tally.by) {
    if (figures)
      fmt::print("{:8} {:8} {:6} made {:6} faults {:6} with a finding {:4} missed\n", key.first, key.second, c.made,
                 c.faults, c.found, c.missed);
    kinds[key.second].faults += c.faults;
  }
  for (const auto& [what, n] : tally.times) {
    INFO(tally.missed.at(what));
    CAPTURE(what, n);
    CHECK(n == 0);
  }
  for (const char* kind : {"nop", "wait", "swap", "barrier"}) {
    CAPTURE(kind);
    CHECK((kinds[kind].faults > 0 || target));  // one target alone may need no nops
  }
}
