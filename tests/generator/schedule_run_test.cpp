// Scheduling against a second source: on the simulator, random straight-line programs compute the same in both orders.
#include <catch2/catch.hpp>

#include <cstring>
#include <random>

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "generator/schedule/schedule.h"
#include "isa_tables/mc/sample.h"
#include "isa_tables/timing/issue.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

constexpr int values = 12, scalars = 6;  // live VGPRs and SGPRs of a program

struct Working {  // everything a random program uses
  Vgpr v, address, lane;
  Sgpr s, data;
  Agpr a;
};

// `count` instructions over few registers and little memory, so that almost everything depends on something.
Block random_program(const Working& p, unsigned seed, int count) {
  std::mt19937 rng(seed);
  const auto pick = [&](int n) { return static_cast<int>(rng() % n); };
  const auto v = [&] { return p.v[pick(values)]; };
  const auto s = [&] { return p.s[pick(scalars)]; };
  Block b(Arch::gfx942, "random");
  for (int i = 0; i < count; ++i) switch (pick(14)) {
      case 0: b.v_add_u32(v(), v(), v()); break;
      case 1: b.v_xor_b32(v(), v(), v()); break;
      case 2: b.v_add_u32(v(), s(), v()); break;
      case 3: b.ds_write_b32(p.address, v(), {.offset = 256 * pick(3)}); break;
      case 4: b.ds_read_b32(v(), p.address, {.offset = 256 * pick(3)}); break;
      case 5: b.global_store_dword(p.lane, v(), p.data, {.offset = 256 * pick(3)}); break;
      case 6: b.global_load_dword(v(), p.lane, p.data, {.offset = 256 * pick(3)}); break;
      case 7: b.s_add_u32(s(), s(), s()); break;
      case 8: b.s_addc_u32(s(), s(), s()); break;
      case 9: b.v_cmp_lt_u32(vcc, v(), v()); break;
      case 10: b.v_cndmask_b32(v(), v(), v(), vcc); break;
      case 11: b.v_mfma_f32_4x4x4_16b_f16(p.a, p.v.slice(2 * pick(4), 2), p.v.slice(2 * pick(4), 2), p.a); break;
      case 12: b.v_accvgpr_read_b32(v(), p.a[pick(4)]); break;
      default: b.s_xor_b32(s(), s(), s()); break;
    }
  return b;
}

// The program's final registers and memory, in the author's order or scheduled.
std::vector<uint32_t> values_of_seed(unsigned seed, bool in_schedule, ScheduleReport* report = nullptr) {
  Kernel kernel("random", Arch::gfx942, 64);
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  kernel.lds_bytes = 1024;
  const auto arg = kernel.pointer("data", "u32");
  const auto data = r.s.alloc(2, "data");
  const auto s = r.s.alloc(scalars, "scalars", 2);
  const auto v = r.v.alloc(values, "values", 2), address = r.v.alloc(1, "LDS address"),
             lane = r.v.alloc(1, "byte of a lane");
  const auto a = r.a.alloc(4, "accumulators", 4);
  kernel.load(data, arg);
  k.v_lshlrev_b32(lane, 2, kernel.workitem);
  k.v_xor_b32(address, 4, lane);  // lanes exchange through LDS
  for (int i = 0; i < values; ++i) k.v_add_u32(v[i], 17 * i, kernel.workitem);
  for (int i = 0; i < scalars; ++i) k.s_mov_b32(s[i], 0x70000000 + i * 0x1234567);
  for (int i = 0; i < 4; ++i) k.v_accvgpr_write_b32(a[i], 0), k.ds_write_b32(lane, v[i], {.offset = 256 * i});
  k.wait_for(data);
  k.s_cmp_eq_u32(s[0], 0);
  k.v_cmp_eq_u32(vcc, v[0], v[1]);
  const Block b = random_program({v, address, lane, s, data, a}, seed, 80);
  k << (in_schedule ? scheduled(b, report) : b);
  for (int i = 0; i < values; ++i) k.global_store_dword(lane, v[i], data, {.offset = 256 * (3 + i)});
  for (int i = 0; i < scalars; ++i) {
    k.v_mov_b32(address, s[i]);
    k.v_lshlrev_b32(v[0], 2, kernel.workitem);
    k.v_add_u32(v[0], 256 * (3 + values + i), v[0]);
    k.global_store_dword(v[0], address, data);
  }
  k.s_endpgm();
  const auto co = sim::CodeObject::load(assemble(lower(std::move(kernel))).bytes);
  sim::Memory memory;
  std::vector<uint32_t> words(64 * (3 + values + scalars));
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  const uint64_t at = memory.allocate(words.size() * 4, "data");
  memory.write(at, {reinterpret_cast<const uint8_t*>(words.data()), words.size() * 4});
  std::vector<uint8_t> kernargs(8);
  std::memcpy(kernargs.data(), &at, 8);
  const auto result = sim::run(co, co.kernel(""), memory, {.kernargs = kernargs});
  INFO((result.fault ? result.fault->message() : ""));
  REQUIRE_FALSE(result.fault);
  memory.read(at, {reinterpret_cast<uint8_t*>(words.data()), words.size() * 4});
  return words;
}

}  // namespace

TEST_CASE("random programs compute the same scheduled as written", "[schedule]") {
  int moved = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    ScheduleReport report;
    INFO("seed " << seed);
    const auto written = values_of_seed(seed, false), in_schedule = values_of_seed(seed, true, &report);
    REQUIRE(written == in_schedule);
    CHECK(report.clocks_after <= report.clocks_before);
    moved += report.clocks_after < report.clocks_before;
  }
  CHECK(moved > 50);  // otherwise the comparison proves nothing
}

TEST_CASE("every instruction of every target has issue costs, and a region of any target is scheduled",
          "[schedule][isa]") {
  for (const isa::Target& target : isa::all_targets()) {
    const Arch arch = *isa::find_arch(target.name);
    Block all(arch);
    for (size_t op = 0; op < isa::table().size(); ++op) {
      if (!isa::table()[op].on(arch)) continue;
      Node n;
      n.inst = isa::sample(static_cast<Opcode>(op), arch);
      INFO(isa::print(n.inst, arch) << " on " << isa::target(arch).name);
      const isa::Issue cost = isa::issue_of(n.inst, arch);
      CHECK((cost.busy > 0 || isa::is_fence(n.inst)));
      CHECK(cost.ready >= 0);
      if (const isa::Matrix& m = n.inst.info().matrix; m.kind != isa::MatrixKind::none) {
        const int hidden = isa::hidden_slots(n.inst, arch);
        CHECK(hidden * isa::slot_clocks(arch) < cost.busy);
        if (arch == Arch::gfx1250)
          CHECK((hidden > 0) == (m.a != isa::Type::f32));  // tests/facts/matrix_instructions.csv, valu_coexec
      }
      if (all.nodes.size() < 400) all.nodes.push_back(n);
    }
    ScheduleReport report;
    CHECK(scheduled(all, &report).nodes.size() == all.nodes.size());
    CHECK(report.clocks_after <= report.clocks_before);
  }
}

TEST_CASE("a group directive that nothing reads is refused", "[schedule]") {
  Kernel kernel("unread", Arch::gfx942, 64);
  kernel.k.sched_group_barrier(0x8, 1, 0);
  kernel.k.s_endpgm();
  CHECK_THROWS_WITH(lower(std::move(kernel)),
                    Catch::Contains("schedule_run_test.cpp:") &&
                        Catch::Contains("sched_group_barrier has no effect outside scheduled()"));
}
