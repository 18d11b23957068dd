// insert_waits as text in, text out: every wait is the weakest that the state requires, and there are no others.
#include <catch2/catch.hpp>

#include <chrono>
#include <map>
#include <random>
#include <set>

#include "isa_tables/counters.h"
#include "isa_tables/opcodes.h"
#include "tests/generator/pass_text.h"

namespace {

using namespace wavesmith;

// The waits only, each with the text of the instruction after it.
std::string waits(const std::string& text) {
  auto nodes = read(text);
  insert_waits(nodes, Arch::gfx942);
  std::string out;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].is_instruction() && !nodes[i].as<directive::Label>()) return "directive left";
    if (!nodes[i].is_instruction() || nodes[i].inst.op != Opcode::s_waitcnt) continue;
    const std::string after =
        i + 1 < nodes.size() ? nodes[i + 1].as<directive::Label>() ? ".L" : nodes[i + 1].inst.info().mnemonic : "end";
    out += isa::print(nodes[i].inst, Arch::gfx942).substr(10) + " | " + after + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("a read waits for its load and lets younger ones fly", "[waits]") {
  CHECK(waits(R"(global_load_dwordx4 v[0:3], v[20:21], off
                 global_load_dwordx4 v[4:7], v[20:21], off
                 global_store_dword v[20:21], v30, off
                 v_mov_b32 v8, v3
                 v_mov_b32 v8, v0
                 v_mov_b32 v8, v4)") == "vmcnt(2) | v_mov_b32\nvmcnt(1) | v_mov_b32\n");
}

TEST_CASE("overwriting a register in flight waits, overwriting store data does not", "[waits]") {
  CHECK(waits("global_load_dword v0, v[2:3], off\nv_mov_b32 v0, 0") == "vmcnt(0) | v_mov_b32\n");
  CHECK(waits("global_store_dword v[2:3], v0, off\nds_write_b32 v5, v6\nv_mov_b32 v0, 0\nv_mov_b32 v6, 0").empty());
}

TEST_CASE("scalar loads wait for zero and do not loosen LDS waits", "[waits]") {
  CHECK(waits(R"(ds_read_b32 v0, v9
                 s_load_dwordx4 s[4:7], s[0:1], 0
                 ds_read_b32 v1, v9
                 v_mov_b32 v2, v0
                 s_mov_b32 s20, s4
                 v_mov_b32 v2, v1)") == "lgkmcnt(1) | v_mov_b32\nlgkmcnt(0) | s_mov_b32\n");
}

TEST_CASE("both counters share one wait", "[waits]") {
  CHECK(waits("global_load_dword v0, v[2:3], off\nds_read_b32 v1, v9\nds_read_b32 v4, v9\nv_add_f32 v5, v0, v1") ==
        "vmcnt(0) lgkmcnt(1) | v_add_f32\n");
  CHECK(waits("flat_load_dword v0, v[2:3]\nglobal_load_dword v1, v[2:3], off\nv_mov_b32 v5, v0") ==
        "vmcnt(0) lgkmcnt(0) | v_mov_b32\n");
}

TEST_CASE("wait_lds covers one buffer, or all LDS accesses and no global load", "[waits]") {
  const std::string body = R"(global_load_dword v8, v[2:3], off
                 ds_write_b32 v9, v0 @0
                 ds_write_b32 v9, v0 @1
                 ds_read_b32 v1, v9 @0
                 ds_write_b32 v9, v0 @2
                 )";
  CHECK(waits(body + "wait_lds 1\ns_barrier") == "lgkmcnt(2) | s_barrier\n");
  CHECK(waits(body + "wait_lds 0\ns_barrier") == "lgkmcnt(1) | s_barrier\n");
  CHECK(waits(body + "wait_lds -1\ns_barrier") == "lgkmcnt(0) | s_barrier\n");
  CHECK(waits(body + "wait_lds 3\ns_barrier").empty());
  CHECK(waits(R"(buffer_load_dword v1, s[4:7], 0 offen lds @1
                 global_load_dword v8, v[2:3], off
                 wait_lds 1
                 s_barrier)") == "vmcnt(1) | s_barrier\n");
}

TEST_CASE("directives in a row and the next instruction share one wait", "[waits]") {
  CHECK(waits(R"(global_load_dword v0, v[2:3], off
                 ds_read_b32 v1, v9
                 wait_for v0
                 sched_barrier
                 v_mov_b32 v4, v1)") == "vmcnt(0) lgkmcnt(0) | v_mov_b32\n");
  CHECK(waits("global_load_dword v0, v[2:3], off\nwait_for v0\n.L0:\ns_branch .L0") == "vmcnt(0) | .L\n");
}

TEST_CASE("a wait the author wrote counts, and takes up what is due in its place", "[waits]") {
  CHECK(waits("global_load_dword v0, v[2:3], off\ns_waitcnt vmcnt(0)\nv_mov_b32 v4, v0") == "vmcnt(0) | v_mov_b32\n");
  CHECK(waits("global_load_dword v0, v[2:3], off\nds_read_b32 v1, v9\nwait_for v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v4, "
              "v1") == "vmcnt(0) lgkmcnt(0) | v_mov_b32\n");
}

TEST_CASE("a loop sees the loads of its last trip, and an exit after one trip those before it", "[waits]") {
  // Before the loop v0 has one younger load, on the back edge two; the smaller number decides. The loads over v0, v4
  // and v5 of the last trip need no wait, they land in order. v1 has three younger loads after one trip; a second
  // trip's wait covers it.
  CHECK(waits(R"(global_load_dword v0, v[20:21], off
                 global_load_dword v1, v[20:21], off
                 .L0:
                 v_mov_b32 v10, v0
                 global_load_dword v0, v[20:21], off
                 global_load_dword v4, v[22:23], off
                 global_load_dword v5, v[22:23], off
                 s_cbranch_scc1 .L0
                 v_mov_b32 v10, v1
                 s_endpgm)") == "vmcnt(1) | v_mov_b32\nvmcnt(3) | v_mov_b32\n");
  // v1 is loaded before the loop only: after one trip it is the oldest of three.
  CHECK(waits(R"(global_load_dword v1, v[20:21], off
                 .L0:
                 global_store_dword v[20:21], v6, off
                 global_store_dword v[20:21], v7, off
                 s_cbranch_scc1 .L0
                 v_mov_b32 v10, v1)") == "vmcnt(2) | v_mov_b32\n");
  CHECK(waits(R"(.L0:
                 v_mov_b32 v10, v0
                 global_load_dword v0, v[20:21], off
                 s_cbranch_scc1 .L0)") == "vmcnt(0) | v_mov_b32\n");
}

TEST_CASE("where branches join the tighter side decides", "[waits]") {
  CHECK(waits(R"(global_load_dword v0, v[20:21], off
                 s_cbranch_scc1 .L1
                 global_load_dword v1, v[20:21], off
                 .L1:
                 v_mov_b32 v10, v0)") == "vmcnt(0) | v_mov_b32\n");
  CHECK(waits(R"(global_load_dword v0, v[20:21], off
                 s_cbranch_scc1 .L1
                 s_waitcnt vmcnt(0)
                 s_branch .L2
                 .L1:
                 v_mov_b32 v10, v0
                 .L2:
                 v_mov_b32 v10, v0)") == "vmcnt(0) | s_branch\nvmcnt(0) | v_mov_b32\n");
}

TEST_CASE("a distance past the counter's maximum still waits", "[waits]") {
  std::string text = "global_load_dword v0, v[20:21], off\n";
  for (int i = 0; i < 80; ++i) text += "global_store_dword v[20:21], v6, off\n";
  CHECK(waits(text + "v_mov_b32 v1, v0") == "vmcnt(62) | v_mov_b32\n");
}

TEST_CASE("waits on random straight code match a queue that is emptied from the front", "[waits]") {
  std::mt19937 random(7);
  for (int program = 0; program < 300; ++program) {
    std::string text;
    std::vector<int> queue[2];  // registers in flight, oldest first: loads, LDS reads
    std::vector<std::pair<int, int>> expected;
    for (int i = 0; i < 24; ++i) {
      const int kind = random() % 3, r = random() % 6;
      const int other = kind == 2 ? 6 + random() % 2 : -1;
      int n[2] = {-1, -1};
      for (int q : {0, 1})
        for (int k = static_cast<int>(queue[q].size()) - 1; k >= 0 && n[q] < 0 && kind != q;
             --k)  // a load over one of its own kind lands after it
          if (queue[q][k] == r) {
            n[q] = static_cast<int>(queue[q].size()) - 1 - k;
            queue[q].erase(queue[q].begin(), queue[q].begin() + k + 1);
          }
      if (n[0] >= 0 || n[1] >= 0) expected.emplace_back(n[0], n[1]);
      if (kind == 0) text += fmt::format("global_load_dword v{}, v[20:21], off\n", r), queue[0].push_back(r);
      if (kind == 1) text += fmt::format("ds_read_b32 v{}, v20\n", r), queue[1].push_back(r);
      if (kind == 2) text += fmt::format("v_mov_b32 v{}, v{}\n", other + 10, r);
    }
    auto nodes = read(text);
    insert_waits(nodes, Arch::gfx942);
    std::vector<std::pair<int, int>> got;
    for (const Node& n : nodes)
      if (n.inst.op == Opcode::s_waitcnt)
        got.emplace_back(isa::waits_of(n.inst, Arch::gfx942).vm, isa::waits_of(n.inst, Arch::gfx942).lgkm);
    INFO(text);
    CHECK(got == expected);
  }
}

TEST_CASE("both passes on 3800 instructions", "[.][benchmark]") {
  std::string text;
  for (int part = 0; part < 2; ++part) {
    if (part) text += ".L0:\n";
    for (int i = 0; i < 95; ++i) {
      text += fmt::format("ds_read_b128 v[{}:{}], v100 @{}\n", 4 * (i % 8), 4 * (i % 8) + 3, i & 1);
      for (int k = 0; k < 16; ++k)
        text += fmt::format("v_mfma_f32_16x16x16_f16 a[{0}:{1}], v[{2}:{3}], v[40:41], a[{0}:{1}]\n", 4 * k, 4 * k + 3,
                            4 * ((i + 4) % 8), 4 * ((i + 4) % 8) + 1);
      text += fmt::format(
          "global_load_dwordx4 v[{}:{}], v[102:103], off\nv_add_u32 v100, v100, v101\ns_add_u32 s4, s4, s5\n",
          48 + 4 * (i % 8), 51 + 4 * (i % 8));
    }
    if (part) text += "s_cbranch_scc1 .L0\n";
  }
  const auto source = read(text);
  double best[2] = {1e9, 1e9};
  for (int run = 0; run < 20; ++run) {
    auto nodes = source;
    const auto t0 = std::chrono::steady_clock::now();
    insert_waits(nodes, Arch::gfx942);
    const auto t1 = std::chrono::steady_clock::now();
    resolve_hazards(nodes, Arch::gfx942);
    const auto t2 = std::chrono::steady_clock::now();
    best[0] = std::min(best[0], std::chrono::duration<double, std::nano>(t1 - t0).count());
    best[1] = std::min(best[1], std::chrono::duration<double, std::nano>(t2 - t1).count());
  }
  WARN(fmt::format("{} instructions: waits {:.0f} ns each, hazards {:.0f} ns each", source.size(),
                   best[0] / source.size(), best[1] / source.size()));
}

namespace {

// An independent account of what may be in flight: every operation with the counters it moves, as the ISA guides say
// it, worst case.
struct Flight {
  std::string counter, kind;
  std::set<int> regs;
  bool source;
};  // kind empty: out of order; source: what an xcnt protects
struct CounterModel {
  std::vector<Flight> flying;
  // A wait leaves the youngest n of each ordered kind, and everything that is out of order unless n is 0.
  void wait(const std::string& counter, int n) {
    std::map<std::pair<std::string, bool>, int> seen;
    for (size_t i = flying.size(); i-- > 0;) {
      Flight& f = flying[i];
      if (f.counter != counter && !(f.source && counter == "xcnt")) continue;
      if (f.kind.empty() ? n == 0 : ++seen[{f.kind, f.source}] > n) flying.erase(flying.begin() + static_cast<long>(i));
    }
  }
  bool holds(int reg, const std::string& but_kind = "-", bool source = false) const {
    return std::any_of(flying.begin(), flying.end(), [&](const Flight& f) {
      return f.regs.contains(reg) && f.source == source && f.kind != but_kind;
    });
  }
  // Scalar and vector memory are not translated at the same time: one stalls until the other's addresses are.
  void translates(const std::string& kind) {
    std::erase_if(flying, [&](const Flight& f) { return f.source && f.kind.empty() != kind.empty(); });
  }
};

struct Step {
  std::string text;
  int reads = -1, writes = -1;
  std::vector<std::pair<std::string, std::string>> moves;
  std::set<int> sources;  // that a replay would read again
};

// Is every register access of the program safe? Waits are taken from the instructions themselves.
bool safe(const std::vector<Node>& nodes, const std::map<std::string, Step>& steps, Arch arch) {
  CounterModel m;
  for (const Node& n : nodes) {
    const isa::Waits w = isa::waits_of(n.inst, arch);
    for (int c = 0; c < isa::wait_counters; ++c)
      if (w[c] >= 0) m.wait(isa::counter(static_cast<isa::WaitCounter>(c), arch).name, w[c]);
    const auto found = steps.find(isa::print(n.inst, arch));
    if (found == steps.end()) continue;
    const Step& s = found->second;
    if (s.reads >= 0 && m.holds(s.reads)) return false;
    // A load over an older one of its kind is safe where data lands in order ("counted" says it does not).
    const std::string kind =
        s.moves.empty() || s.moves[0].second.empty() || s.moves[0].second == "counted" ? "-" : s.moves[0].second;
    if (s.writes >= 0 && m.holds(s.writes, kind)) return false;
    if (!s.sources.empty()) m.translates(s.moves[0].second);
    if (s.writes >= 0 && m.holds(s.writes, "-", true)) return false;
    for (const auto& [counter, kind] : s.moves) {
      m.flying.push_back({counter, kind, {s.writes}, false});
      if (!s.sources.empty()) m.flying.push_back({counter, kind, s.sources, true});
    }
  }
  return true;
}

}  // namespace

TEST_CASE("on every target the waits suffice, and none can be weaker", "[waits]") {
  struct Names {
    Arch arch;
    const char *load, *lds, *smem;
    bool lands_in_order;
  } const all[] = {{Arch::gfx908, "vmcnt", "lgkmcnt", "lgkmcnt", true},
                   {Arch::gfx942, "vmcnt", "lgkmcnt", "lgkmcnt", true},
                   {Arch::gfx1100, "vmcnt", "lgkmcnt", "lgkmcnt", true},
                   {Arch::gfx1201, "loadcnt", "dscnt", "kmcnt", false},
                   {Arch::gfx1250, "loadcnt", "dscnt", "kmcnt", false}};
  int checked = 0;
  for (const auto& t : all) {
    std::mt19937 random(11);
    for (int program = 0; program < 60; ++program) {
      std::map<std::string, Step> steps;
      std::vector<Node> nodes;
      const auto put = [&](const std::string& text, Step s) {
        Node n;
        n.inst = isa::parse(text, t.arch);
        s.text = isa::print(n.inst, t.arch);
        steps[s.text] = s;
        nodes.push_back(n);
      };
      for (int i = 0; i < 24; ++i) {
        const int r = random() % 6;
        switch (random() % 6) {
          case 0:
            put(fmt::format("global_load_dword v{}, v[20:21], off", r),
                {"", -1, r, {{t.load, t.lands_in_order ? "load" : "counted"}}});
            break;
          case 1: put(fmt::format("ds_read_b32 v{}, v20", r), {"", -1, r, {{t.lds, "lds"}}}); break;
          case 2: put(fmt::format("s_load_dword s{}, s[20:21], 0", 4 + r), {"", -1, 100 + r, {{t.smem, ""}}}); break;
          case 3: put(fmt::format("s_mov_b32 s30, s{}", 4 + r), {"", 100 + r, -1, {}}); break;
          default: put(fmt::format("v_mov_b32 v{}, v{}", 10 + random() % 4, r), {"", r, -1, {}}); break;
        }
      }
      insert_waits(nodes, t.arch);
      std::string text;
      for (const Node& n : nodes) text += isa::print(n.inst, t.arch) + "\n";
      INFO(isa::target(t.arch).name << "\n" << text);
      CHECK(safe(nodes, steps, t.arch));
      for (size_t i = 0; i < nodes.size(); ++i) {
        const isa::Waits w = isa::waits_of(nodes[i].inst, t.arch);
        for (int c = 0; c < isa::wait_counters; ++c) {
          if (w[c] < 0 || c == static_cast<int>(isa::WaitCounter::x)) continue;
          isa::Waits weaker = w;
          weaker[c] += 1;
          auto changed = nodes;
          changed[i].inst = isa::wait_instruction(nodes[i].inst.op, weaker, t.arch);
          INFO("weakened: " << isa::print(nodes[i].inst, t.arch));
          CHECK_FALSE(safe(changed, steps, t.arch));
          ++checked;
        }
      }
    }
  }
  CHECK(checked > 500);
}

TEST_CASE("sources of an access stay as they are until its address is translated", "[waits][xcnt]") {
  constexpr Arch arch = Arch::gfx1250;
  constexpr int scalar = 100, exec = 300;
  std::mt19937 random(13);
  int xcnt_waits = 0;
  for (int program = 0; program < 400; ++program) {
    std::map<std::string, Step> steps;
    std::vector<Node> nodes;
    const auto put = [&](const std::string& text, Step s) {
      Node n;
      n.inst = isa::parse(text, arch);
      s.text = isa::print(n.inst, arch);
      steps[s.text] = s;
      nodes.push_back(n);
    };
    for (int i = 0; i < 24; ++i) {
      const int r = random() % 4, address = 20 + 2 * (random() % 2), over = 20 + random() % 4;
      switch (random() % 7) {
        case 0:
          put(fmt::format("global_load_dword v{}, v[{}:{}], off", r, address, address + 1),
              {"", -1, r, {{"loadcnt", "counted"}}, {address, address + 1, exec}});
          break;
        case 1:
          put(fmt::format("s_load_dword s{}, s[{}:{}], 0", 4 + r, address, address + 1),
              {"", -1, scalar + 4 + r, {{"kmcnt", ""}}, {scalar + address, scalar + address + 1}});
          break;
        case 2: put(fmt::format("s_mov_b32 s30, s{}", 4 + r), {"", scalar + 4 + r, -1, {}, {}}); break;
        case 3: put(fmt::format("v_mov_b32 v10, v{}", r), {"", r, -1, {}, {}}); break;
        case 4: put(fmt::format("s_mov_b32 s{}, 0", over), {"", -1, scalar + over, {}, {}}); break;
        case 5: put(fmt::format("v_mov_b32 v{}, 0", over), {"", -1, over, {}, {}}); break;
        default: put(fmt::format("v_cmpx_eq_u32 0, v{}", r), {"", r, exec, {}, {}}); break;
      }
    }
    insert_waits(nodes, arch);
    std::string text;
    for (const Node& n : nodes) text += isa::print(n.inst, arch) + "\n", xcnt_waits += n.inst.op == Opcode::s_wait_xcnt;
    INFO(text);
    CHECK(safe(nodes, steps, arch));
  }
  CHECK(xcnt_waits > 400);
}

TEST_CASE("an atomic waits until the addresses of other accesses are translated", "[waits][xcnt]") {
  constexpr Arch arch = Arch::gfx1250;
  const std::string load = "global_load_dword v0, v[20:21], off", store = "global_store_dword v[20:21], v1, off",
                    atomic = "global_atomic_add_u32 v[22:23], v2, off", scalar = "s_load_dword s4, s[20:21], 0";
  const auto waits = [](const std::vector<std::string>& texts) {
    std::vector<Node> nodes(texts.size());
    for (size_t i = 0; i < texts.size(); ++i) nodes[i].inst = isa::parse(texts[i], arch);
    insert_waits(nodes, arch);
    std::string all;
    for (const Node& n : nodes)
      if (n.inst.op == Opcode::s_wait_xcnt) all += std::to_string(n.inst.operands[0].bits);
      else all += n.inst.info().implicit & isa::atomic ? "a" : n.inst.info().counter != isa::Counter::none ? "." : "";
    return all;
  };
  CHECK(waits({load, atomic}) == ".0a");
  CHECK(waits({store, atomic, atomic}) == ".0aa");
  CHECK(waits({load, atomic, load, atomic}) == ".0a.0a");
  CHECK(waits({load, "s_wait_loadcnt 0x0", atomic}) == ".a");
  CHECK(waits({atomic, atomic}) == "aa");
  CHECK(waits({scalar, atomic}) == ".a");  // one kind stalls until the other is translated
  CHECK(waits({load, scalar, atomic}) == "..a");
}
