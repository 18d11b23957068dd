// The waits that the pass inserts, judged by the simulator: random programs of every kind of memory operation a target
// has run clean, and each wait, weakened by one in any of its counters, makes some run of them fault. Both ways of
// every branch and one to three trips of every loop are run, since a wait may be needed on one path only. With late
// memory operations and no checks, right programs compute the same, and many of the weakened ones do not (results of
// stale values are often overwritten).
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "generator/passes/check_program.h"
#include "generator/passes/passes.h"
#include "isa_tables/counters.h"
#include "isa_tables/opcodes.h"
#include "simulator/simulator.h"

namespace {

using namespace wavesmith;
using isa::Target;

constexpr uint32_t group_size = 128, trips_at = 16, branch_at = 20, vector_regs = 4, scalar_regs = 4;

// Two or four waves of 128 lanes. s[8:9] input, s[10:11] output, s12 trips, s13 which way branches go; v1 the lane's
// byte offset, v2 that of the lane half a workgroup away, v[4:5] the input's address. v10 and up and s20 and up are
// destinations of loads and sources of moves.
class AccessWriter {
 public:
  AccessWriter(Arch arch, unsigned seed) : t_(isa::target(arch)), random_(seed) {
    p.name = "k", p.arch = arch, p.workgroup_size = group_size, p.lds_bytes = 16384, p.kernarg_bytes = 24;
    p.vgprs = 64, p.sgprs = 64;
    p.arguments = {{"in", "u32*", 0, 8, true},
                   {"out", "u32*", 8, 8, true},
                   {"trips", "u32", trips_at, 4, false},
                   {"branch", "u32", branch_at, 4, false}};
  }
  Node& put(const std::string& text, std::optional<int> buffer = {}) {
    Node& n = p.nodes.emplace_back();
    n.inst = isa::parse(text, p.arch);
    n.buffer = buffer;
    return n;
  }
  void prologue() {
    if (isa::counter(isa::WaitCounter::x, p.arch).name)
      put("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1");  // else the hardware waits for translations itself
    put("s_load_dwordx4 s[8:11], s[0:1], 0");
    put("s_load_dwordx2 s[12:13], s[0:1], 16");
    put("v_lshlrev_b32 v1, 2, v0");
    put("v_xor_b32 v2, 0x100, v1");
    put("v_mov_b32 v4, s8"), put("v_mov_b32 v5, s9");
    put("v_readfirstlane_b32 s14, v1");
    for (uint32_t i = 0; i < vector_regs; ++i) put(fmt::format("v_mov_b32 v{}, {}", 10 + i, i));
    for (uint32_t i = 0; i < scalar_regs; ++i) put(fmt::format("s_mov_b32 s{}, {}", 20 + i, i));
    put("v_mov_b32 v20, 0"), put("s_mov_b32 s30, 0");
    put("ds_write_b32 v1, v10");
  }
  void epilogue() {
    put("v_xor_b32 v20, s30, v20"), put("global_store_dword v1, v20, s[10:11] offset:2560");
    for (uint32_t i = 0; i < vector_regs; ++i)
      put(fmt::format("global_store_dword v1, v{}, s[10:11] offset:{}", 10 + i, i * 512));
    for (uint32_t i = 0; i < scalar_regs; ++i) put(fmt::format("v_xor_b32 v10, s{}, v10", 20 + i));
    put("global_store_dword v1, v10, s[10:11] offset:2048");
    put("s_endpgm");
  }
  // Memory operations, and moves that read or overwrite what they load. Loops contain nothing that needs a barrier per
  // iteration.
  void steps(int count, bool loop) {
    for (int i = 0; i < count; ++i) {
      const uint32_t r = 10 + pick(vector_regs), s = 20 + pick(scalar_regs);
      switch (pick(13)) {
        case 0:
        case 1: put(fmt::format("global_load_dword v{}, v1, s[8:9] offset:{}", r, 512 * pick(4))); break;
        case 2:
        case 3: put(fmt::format("ds_read_b32 v{}, v1", r)); break;
        case 4: put(fmt::format("s_load_dword s{}, s[8:9], {}", s, 4 * pick(8))); break;
        case 5: put(fmt::format("flat_load_dword v{}, v[4:5]", r)); break;
        case 6: put(fmt::format("global_store_dword v1, v{}, s[10:11] offset:{}", r, 3072 + 512 * pick(2))); break;
        case 7: put(fmt::format("ds_write_b32 v1, v{}", r)); break;
        case 8: put(fmt::format("s_xor_b32 s30, s30, s{}", s)); break;
        case 9:
          if (!loop) exchange(r);
          break;
        case 10:
          if (!loop) transfer(r);
          break;
        case 11: put(fmt::format("v_mov_b32 v{}, 0", r)); break;
        default: put(fmt::format("v_xor_b32 v20, v{}, v20", r)); break;
      }
    }
  }
  // The following code is skipped or not, as the caller chooses.
  void branch(int count) {
    const int label = new_label();
    put("s_cmp_eq_u32 s13, 0");
    jump("s_cbranch_scc1", label);
    steps(count, false);
    land(label);
  }
  void loop(int count) {
    const int label = new_label();
    put("s_mov_b32 s15, s12");
    land(label);
    steps(count, true);
    put("s_sub_u32 s15, s15, 1");
    put("s_cmp_lg_u32 s15, 0");
    jump("s_cbranch_scc1", label);
  }
  Program p;

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  int new_label() {
    p.labels.push_back(fmt::format("L{}", p.labels.size()));
    return static_cast<int>(p.labels.size()) - 1;
  }
  void jump(const char* op, int label) {
    Node& n = p.nodes.emplace_back();
    n.inst.op = *isa::find_opcode(op);
    n.inst.operands[0].file = isa::File::label, n.inst.operands[0].index = static_cast<uint16_t>(label);
  }
  void land(int label) {
    Node& n = p.nodes.emplace_back();
    n.directive = directive::Label{label};
  }
  void wait_lds(int buffer) {
    Node& n = p.nodes.emplace_back();
    n.directive = directive::WaitLds{buffer};
  }
  // Another wave reads this one's data.
  void exchange(uint32_t r) {
    if (buffers_ == max_buffers) return;
    const int b = buffers_++;
    put(fmt::format("ds_write_b32 v1, v{} offset:{}", r, 512 * (b + 1)), b);
    steps(static_cast<int>(pick(3)), true);
    wait_lds(b);
    if (isa::info(Opcode::s_barrier).on(p.arch)) put("s_barrier");
    else put("s_barrier_signal -1"), put("s_barrier_wait -1");
    put(fmt::format("ds_read_b32 v{}, v2 offset:{}", 10 + pick(vector_regs), 512 * (b + 1)));
  }
  // Memory to LDS, in the ways that the target has; this wave reads it.
  void transfer(uint32_t r) {
    const bool tensors = isa::info(*isa::find_opcode("tensor_load_to_lds")).on(p.arch), resources = t_.gfx9();
    if (!(resources || tensors) || buffers_ == max_buffers) return;
    const int b = buffers_++, at = 512 * (b + 1);
    if (resources) {
      put("s_mov_b32 s36, s8"), put("s_mov_b32 s37, s9"), put("s_mov_b32 s38, 0x1000"), put("s_mov_b32 s39, 0x20000");
      put(fmt::format("s_add_u32 m0, s14, {:#x}", at));
      put("buffer_load_dword v1, s[36:39], 0 offen lds", b);
    } else if (pick(2)) {
      put(fmt::format("v_add_nc_u32 v30, {:#x}, v1", at));
      put("global_load_async_to_lds_b32 v30, v1, s[8:9]", b);
    } else tensor(at, b);
    steps(static_cast<int>(pick(3)), true);
    wait_lds(b);
    put(fmt::format("ds_read_b32 v{}, v1 offset:{}", r, at));
  }
  // A row of a dword a lane (CDNA5 ISA 10.11): group 0 is count, LDS address, global address and type; group 1 has the
  // size of an element from bit 16, dimensions from bit 48, the tile's from bit 112, the stride from bit 160.
  void tensor(int at, int b) {
    const int n = t_.wave_size;
    put("s_mov_b32 s36, 1"), put(fmt::format("s_add_u32 s37, s14, {:#x}", at)), put("s_mov_b32 s38, s8"),
        put("s_or_b32 s39, s9, 0x80000000");
    const int group[] = {2 << 16, n << 16, 1 << 16, n << 16, 1, n, 0, 0};
    for (int i = 0; i < 8; ++i) put(fmt::format("s_mov_b32 s{}, {:#x}", 40 + i, group[i]));
    put("tensor_load_to_lds s[36:39], s[40:47]", b);
  }
  const Target& t_;
  std::mt19937 random_;
  static constexpr int max_buffers = 15;  // of 512 bytes, after the first 512
  int buffers_ = 0;
};

Program program(Arch arch, unsigned seed) {
  AccessWriter w(arch, seed);
  w.prologue();
  w.steps(10, false);
  if (seed % 3 == 1) w.branch(4);
  if (seed % 3 == 2) w.loop(6);
  w.steps(6, false);
  w.epilogue();
  insert_waits(w.p.nodes, arch);
  resolve_hazards(w.p.nodes, arch);
  return std::move(w.p);
}

struct AllRuns {
  std::optional<sim::Fault> fault;
  std::vector<uint8_t> out;
};
// Of the runs, one for each number of trips and way of the branch, up to the first fault. `out`: what they store.
AllRuns run_all(const Program& p, sim::Options options) {
  AllRuns all;
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  for (uint32_t trips = 1; trips <= (p.labels.empty() ? 1u : 3u); ++trips) {
    sim::Memory memory;
    const uint64_t in = memory.allocate(8192, "in"), out = memory.allocate(8192, "out");
    std::vector<uint8_t> bytes(8192);
    std::ranges::generate(
        bytes, [random = std::mt19937(trips)]() mutable { return static_cast<uint8_t>(random() % 255 + 1); });
    memory.write(in, bytes);
    std::vector<uint8_t> args(24);
    const uint32_t numbers[] = {trips, trips & 1};  // which way the branch goes, too
    std::memcpy(args.data(), &in, 8), std::memcpy(args.data() + 8, &out, 8),
        std::memcpy(args.data() + trips_at, numbers, 8);
    options.checks.uninitialized = sim::Checks::Uninitialized::ignore;
    options.max_instructions = 10000, options.jobs = 1;
    if (auto r = sim::run(co, co.kernel("k"), memory,
                          {.grid = {1, 1, 1}, .block = {group_size, 1, 1}, .kernargs = args}, options);
        r.fault)
      return {r.fault, {}};
    memory.read(out, bytes);
    all.out.insert(all.out.end(), bytes.begin(), bytes.end());
  }
  return all;
}
std::optional<sim::Fault> fault(const Program& p) { return run_all(p, {}).fault; }

// The program with one counter of one wait weakened by one, for each in turn: the counter's name, and what changed.
void for_each_weaker(const Program& p,
                     const std::function<void(const Program&, const std::string&, const std::string&)>& see) {
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    const isa::Waits waits = n.is_instruction() ? isa::waits_of(n.inst, p.arch) : isa::Waits{};
    for (int c = 0; c < isa::wait_counters; ++c) {
      if (waits[c] < 0) continue;
      Program weaker = p;
      isa::Waits w = waits;
      ++w[c];
      weaker.nodes[i].inst = isa::wait_instruction(n.inst.op, w, p.arch);
      see(weaker, isa::counter(static_cast<isa::WaitCounter>(c), p.arch).name,
          fmt::format("weakened: {} to {} at node {}", isa::print(n.inst, p.arch),
                      isa::print(weaker.nodes[i].inst, p.arch), i));
    }
  }
}

}  // namespace

TEST_CASE("on every target generated waits run clean, and weakening any by one makes the simulator fault",
          "[waits][sim]") {
  std::map<std::string, int> weakened;  // by counter, over all targets
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Program p = program(arch, seed);
      CAPTURE(isa::target(arch).name, seed);
      const auto clean = fault(p);
      INFO(assembly(p));
      INFO((clean ? clean->message() : ""));
      REQUIRE_FALSE(clean);
      CHECK(checker::check(p, {.advice = false}).good());
      for_each_weaker(p, [&](const Program& weaker, const std::string& counter, const std::string& change) {
        INFO(change);
        CHECK(fault(weaker));
        CHECK_FALSE(checker::check(weaker, {.advice = false}).good());
        ++weakened[counter];
      });
    }
  }
  for (const char* name : {"vmcnt", "lgkmcnt", "loadcnt", "dscnt", "kmcnt", "asynccnt", "tensorcnt", "xcnt"}) {
    CAPTURE(name);
    CHECK(weakened[name] > 5);
  }
}

TEST_CASE("operations that land late or are replayed change no right program, and many whose waits are too weak",
          "[waits][sim][late]") {
  std::map<std::string, std::pair<int, int>> shown;  // by counter, over all targets: of how many weaker waits
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Program p = program(arch, seed);
      CAPTURE(isa::target(arch).name, seed);
      INFO(assembly(p));
      const sim::Options late{.checks = sim::Checks::none(), .late = true},
          replay{.checks = sim::Checks::none(), .replay = true};
      const auto right = run_all(p, {.checks = sim::Checks::none()});
      CHECK(run_all(p, late).out == right.out);
      CHECK(run_all(p, {.late = true}).out == right.out);  // and with the default checks
      CHECK(run_all(p, {.late_lds = true}).out == right.out);
      CHECK(run_all(p, {.late = true, .late_lds = true}).out == right.out);
      CHECK(run_all(p, {.replay = true}).out == right.out);
      CHECK(run_all(p, {.late = true, .replay = true}).out == right.out);
      for_each_weaker(p, [&](const Program& weaker, const std::string& counter, const std::string&) {
        auto& [seen, all] = shown[counter];
        seen += run_all(weaker, counter == "xcnt" ? replay : late).out != right.out, ++all;
      });
    }
  }
  for (const char* name : {"vmcnt", "lgkmcnt", "loadcnt", "dscnt", "kmcnt", "asynccnt", "tensorcnt", "xcnt"}) {
    const auto [seen, all] = shown[name];
    CAPTURE(name, seen, all);
    CHECK(seen > 1);
    CHECK(seen >= all / 4);
  }
}
