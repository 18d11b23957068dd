#include "simulator/atomic_loads.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "isa_tables/opcodes.h"

namespace wavesmith::sim {
namespace {

bool is_load(const Step& st) {
  return st.row->format == isa::Format::ds && std::string_view(st.row->mnemonic).starts_with("ds_read") &&
         st.src[0].from == Source::From::vector;
}
bool branches(const Step& st) { return st.row->implicit & isa::pc_w && st.target != absent; }
// Has no effect but on registers, and is no load of anything else than LDS.
bool is_harmless(const Step& st) {
  if (!st.row) return false;
  const std::string_view name = st.row->mnemonic;
  for (const std::string_view idle : {"s_wait", "s_sleep", "s_nop", "s_delay_alu", "s_clause"})
    if (name.starts_with(idle)) return true;
  return st.cold->pure || branches(st) || is_load(st);
}

struct Search {
  const std::vector<Step>& steps;
  isa::RegBits address{};
  template <class F>
  void each_next(int at, F&& f) const {
    const Step& st = steps[static_cast<size_t>(at)];
    if (st.next != absent && st.inst.op != isa::Opcode::s_branch) f(st.next);
    if (branches(st)) f(st.target);
  }
  bool passes(int at) const {
    const Step& st = steps[static_cast<size_t>(at)];
    return is_harmless(st) && !st.cold->writes.meets(address);
  }
  // Steps that follow `at` by way of those that pass.
  std::set<int> following(int at) const {
    std::set<int> seen;
    std::vector<int> open{at};
    while (!open.empty()) {
      const int from = open.back();
      open.pop_back();
      each_next(from, [&](int to) {
        if (passes(to) && seen.insert(to).second) open.push_back(to);
      });
    }
    return seen;
  }
  // The loop that repeats `load` and does nothing else; empty: none.
  std::set<int> loop_of(int load) const {
    const std::set<int> after = following(load);
    std::set<int> loop;
    if (!after.contains(load)) return loop;
    loop.insert(load);
    for (bool more = true; more;) {
      more = false;
      for (const int at : after) {
        bool back = false;
        each_next(at, [&](int to) { back |= loop.contains(to); });
        more |= back && loop.insert(at).second;
      }
    }
    return loop;
  }
  // Whether what the load returns decides a branch out of its loop.
  bool ends_its_loop(int load) const {
    const std::set<int> loop = loop_of(load);
    isa::RegBits depends{};
    steps[static_cast<size_t>(load)].cold->writes.add_to(depends);
    for (bool more = true; more;) {
      more = false;
      for (const int at : loop) {
        const Step& st = steps[static_cast<size_t>(at)];
        if (!st.cold->reads.meets(depends) || st.cold->writes.inside(depends)) continue;
        st.cold->writes.add_to(depends);
        more = true;
      }
    }
    for (const int at : loop) {
      const Step& st = steps[static_cast<size_t>(at)];
      bool leaves = false;
      each_next(at, [&](int to) { leaves |= !loop.contains(to); });
      if (leaves && branches(st) && st.cold->reads.meets(depends)) return true;
    }
    return false;
  }
};

bool is_atomic_load(const std::vector<Step>& steps, size_t load) {
  const Step& st = steps[load];
  Search search{steps};
  search.address[static_cast<size_t>(st.src[0].reg / 64)] = u64{1} << st.src[0].reg % 64;
  const int first = static_cast<int>(load);
  if (!search.passes(first)) return false;  // it overwrites its address
  const auto same_address = [&](const Step& other) {
    return other.src[0].reg == st.src[0].reg && other.inst.mods.offset == st.inst.mods.offset;
  };
  std::set<int> next = search.following(first);
  next.insert(first);
  return std::ranges::any_of(next, [&](int at) {
    const Step& other = steps[static_cast<size_t>(at)];
    if (is_load(other) && other.inst.op == st.inst.op && same_address(other) && search.ends_its_loop(at)) return true;
    bool swaps = false;
    search.each_next(at, [&](int to) {
      const Step& then = steps[static_cast<size_t>(to)];
      swaps |= then.row && std::string_view(then.row->mnemonic).starts_with("ds_cmpst") && same_address(then);
    });
    return swaps;
  });
}

}  // namespace

std::vector<bool> atomic_loads(const std::vector<Step>& steps) {
  const auto is_atomic = [](const Step& st) {
    return st.row && st.row->counter == isa::Counter::lds && (st.row->implicit & isa::atomic);
  };
  if (std::ranges::none_of(steps, is_atomic)) return {};
  std::vector<bool> all(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) all[i] = steps[i].row && is_load(steps[i]) && is_atomic_load(steps, i);
  if (std::ranges::none_of(all, std::identity())) all.clear();
  return all;
}

}  // namespace wavesmith::sim
