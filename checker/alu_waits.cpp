// Scheduling mode 2 of gfx12 and gfx1250 (WAVE_SCHED_MODE), in which the hardware does not check VGPR dependences
// between VALU and memory: a wait for VA_VDST is required before memory instructions use VALU results, VM_VSRC before
// VALU writes what memory instructions read. Both counters decrease in issue order only within a class of instructions:
// after a wait for n, an instruction is known to be done if n of its own class are younger. Code that may run in either
// mode is not checked.
#include <algorithm>
#include <bit>
#include <optional>

#include "checker/rules.h"
#include "isa_tables/opcodes.h"

namespace wavesmith::checker {
namespace {

using isa::Counter;

constexpr const char* source = "LLVM pull request 170319; ROCm/aiter pull request 5402";
constexpr HardwareField dependency_mode{"HW_REG_WAVE_SCHED_MODE", 0, 2};
constexpr int none = std::numeric_limits<int>::min() / 2;
constexpr int registers = scalar_base;

// LLVM also counts f64 arithmetic as a class of its own. Here it belongs to the other VALU instructions: a finding may
// be missed, but none is reported wrongly.
enum Class : uint8_t { valu, trans, matrix, lds, vmem, classes };
constexpr bool is_alu(int c) { return c <= matrix; }

std::optional<Class> class_of(const Item& item) {
  const isa::Info& row = item.inst.info();
  if (row.is_matrix()) return matrix;
  if (row.is_vector()) return row.unit == isa::Unit::trans ? trans : valu;
  if (row.counter == Counter::none) return {};
  return row.unit == isa::Unit::lds    ? std::optional(lds)
         : row.unit == isa::Unit::vmem ? std::optional(vmem)
                                       : std::nullopt;
}

// Fields of s_wait_alu (RDNA4 ISA); all ones wait for nothing.
struct AluWait {
  std::optional<int> va_vdst, vm_vsrc;
};
AluWait alu_wait_of(const Item& item) {
  if (item.inst.op != Opcode::s_waitcnt_depctr) return {};
  const uint32_t bits = item.inst.operands[0].bits, va = bits >> 12 & 15, vm = bits >> 2 & 7;
  AluWait w;
  if (va != 15) w.va_vdst = static_cast<int>(va);
  if (vm != 7) w.vm_vsrc = static_cast<int>(vm);
  return w;
}

struct AluState {
  bool on = false;                            // the mode, on every path
  int head[classes] = {}, done[classes];      // by class: the newest instruction; all up to here are done
  std::array<std::vector<int>, classes> seq;  // by class and VGPR: the newest that writes it (memory: reads it)
  // By counter, memory class and age: the newest instruction that is done once the counter is at most `age`. Results
  // are written after sources are read.
  using Ages = std::array<int, 64>;
  std::array<std::array<Ages, 2>, isa::wait_counters> counted;

  AluState() { clear(); }
  void clear() {
    std::ranges::fill(done, none);
    for (auto& s : seq) s.assign(registers, none);
    for (auto& c : counted)
      for (auto& a : c) a.fill(0);
    std::ranges::fill(head, 0);
  }
  bool pending(int c, int reg) const { return seq[static_cast<size_t>(c)][static_cast<size_t>(reg)] > done[c]; }
  void waited(bool alu, int n) {
    for (int c = 0; c < classes; ++c)
      if (is_alu(c) == alu) done[c] = std::max(done[c], head[c] - n);
  }
  void waited(std::span<const CounterWait> waits) {
    for (const auto& [c, n] : waits)
      for (int m = 0; n < 64 && m < 2; ++m)
        done[lds + m] =
            std::max(done[lds + m], counted[static_cast<size_t>(c)][static_cast<size_t>(m)][static_cast<size_t>(n)]);
  }
  void issue(const Item& item, Class c, Arch arch) {
    ++head[c];
    (is_alu(c) ? item.writes : item.reads).each([&](int r) {
      if (r < registers) seq[c][static_cast<size_t>(r)] = head[c];
    });
    if (is_alu(c)) return;
    for (const auto& e : isa::counter_events(isa::counter_class(item.inst.info()), arch)) {
      if (e.counter == isa::WaitCounter::x || !isa::tells_by_count(e.order)) continue;
      for (int m = 0; m < 2; ++m) {
        Ages& ages = counted[static_cast<size_t>(e.counter)][static_cast<size_t>(m)];
        std::shift_right(ages.begin(), ages.end(), 1);
        if (m == c - lds) ages[0] = head[c];
      }
    }
  }
  void rebase() {
    for (int c = 0; c < classes; ++c) {
      for (int& s : seq[static_cast<size_t>(c)]) s = s > done[c] ? s - head[c] : none;
      const bool idle = std::ranges::all_of(seq[static_cast<size_t>(c)],
                                            [](int s) { return s == none; });  // whatever is waited for, all are done
      if (!is_alu(c))
        for (auto& k : counted)
          for (int& s : k[static_cast<size_t>(c - lds)]) s = idle ? 0 : std::max(s - head[c], -1000);
      head[c] = 0, done[c] = none;
    }
  }
  bool join(const AluState& o) {  // both rebased
    if (!on) return false;
    if (!o.on) return on = false, clear(), true;
    bool changed = false;
    const auto set = [&](int& x, int v) { changed |= x != v, x = v; };
    for (size_t c = 0; c < classes; ++c)
      for (size_t r = 0; r < registers; ++r) set(seq[c][r], std::max(seq[c][r], o.seq[c][r]));
    for (size_t k = 0; k < counted.size(); ++k)
      for (size_t m = 0; m < 2; ++m)
        for (size_t n = 0; n < 64; ++n) set(counted[k][m][n], std::min(counted[k][m][n], o.counted[k][m][n]));
    return changed;
  }
};

struct AluWalk {
  const Code& code;
  Report& report;

  void describe(int line, int reg, bool alu, int younger) const {
    const std::optional<int> owner = search_back(code, line, [&](int i) {
      const Item& o = *code.lines[static_cast<size_t>(i)].item;
      const auto c = o.refusal.empty() ? class_of(o) : std::nullopt;
      return c && is_alu(*c) == alu && has(alu ? o.writes : o.reads, reg);
    });
    Finding& f = report.at(line, alu ? "VALU result used by memory before VA_VDST" : "VGPR overwritten before VM_VSRC");
    f.source = source;
    f.what = fmt::format("{} {}, which {} {}, in scheduling mode 2; {} of that class are in between",
                         alu ? "uses" : "overwrites", named_register(code, reg),
                         owner ? fmt::format("{} at {}", instruction_of(code, *owner), place_of(code, *owner))
                               : "a preceding instruction",
                         alu ? "may not have written yet" : "may not have read yet", younger);
    f.legal =
        fmt::format("s_wait_alu depctr_{}({}) before it", alu ? "va_vdst" : "vm_vsrc", std::min(younger, alu ? 14 : 6));
  }
  // Memory must not use a register that VALU has yet to write; VALU must not write one that memory has yet to read.
  void use(AluState& st, int line, const Item& item, Class c) const {
    const auto judge = [&](const RegView& set, bool alu) {
      set.each([&](int r) {
        for (int k = 0; k < classes && r < registers; ++k)
          if (is_alu(k) == alu && st.pending(k, r))
            describe(line, r, alu, st.head[k] - st.seq[static_cast<size_t>(k)][static_cast<size_t>(r)]),
                st.done[k] = st.seq[static_cast<size_t>(k)][static_cast<size_t>(r)];
      });
    };
    if (!is_alu(c)) judge(item.reads, true), judge(item.writes, true);
    else judge(item.writes, false);
  }
  bool operator()(AluState& st, const Span& b, bool) const {
    for (int i = b.begin; i < b.end; ++i) {
      const Item& item = *code.lines[static_cast<size_t>(i)].item;
      if (!item.refusal.empty() || item.flow == Flow::call) {
        st.on = false, st.clear();
        continue;
      }
      if (const FieldWrite w = field_write(item, dependency_mode, code.arch); w.any) {
        if (w.value != 2u) st.clear();
        st.on = w.value == 2u;
      }
      if (!st.on) continue;
      if (const auto c = class_of(item)) use(st, i, item, *c), st.issue(item, *c, code.arch);
      else st.waited(item.waits);
      const AluWait w = alu_wait_of(item);
      if (w.va_vdst) st.waited(true, *w.va_vdst);
      if (w.vm_vsrc) st.waited(false, *w.vm_vsrc);
      if (item.inst.op == Opcode::s_wait_idle) st.waited(true, 0), st.waited(false, 0);
    }
    st.rebase();
    return true;
  }
};

}  // namespace

void check_alu_waits(const Code& code, Report& report, const Options& options) {
  if (!code.some.sets_hardware) return;
  bool used = false;
  for (int i = 0; i < static_cast<int>(code.lines.size()); ++i) {
    const FieldWrite w = field_write(*code.lines[static_cast<size_t>(i)].item, dependency_mode, code.arch);
    used |= w.any && w.value == 2u;
    if (!w.any || w.value == 0u || w.value == 2u || !options.advice) continue;
    Finding& f = report.at(i, "scheduling mode not judged");
    f.advice = true, f.source = source;
    f.what =
        "sets WAVE_SCHED_MODE to a value other than 0 and 2: the dependences that the hardware then checks are not "
        "known";
    f.legal = "0, or 2 and waits for VA_VDST and VM_VSRC";
  }
  if (used)
    fixpoint(code, AluState(), AluWalk{code, report},
             [](AluState& into, const AluState& from) { return into.join(from); });
}

}  // namespace wavesmith::checker
