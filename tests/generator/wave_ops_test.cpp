// One source for every target: workgroup ids, lane masks, barriers, DPP controls, addresses, reductions and scans,
// run on the simulator of each and compared with loops on the host.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "generator/dsl/wave_ops.h"
#include "isa_tables/mc/mc.h"
#include "tests/support/dsl_kernel.h"

using namespace wavesmith;
using dsltest::Item, dsltest::on_every_target, dsltest::random_words, dsltest::run_items;

namespace {

// One value a work-item; `body` changes it.
struct OneValue {
  Kernel& kernel;
  Stream& k;
  Vgpr value, scratch;  // scratch: 4 registers
};
template <class Body>
std::vector<uint32_t> run_grid(Arch arch, int lanes, std::array<uint32_t, 3> grid, const std::vector<uint32_t>& input,
                               Body body) {
  return run_items({.arch = arch, .lanes = lanes, .grid = grid}, input, [&](const Item& i) {
    const auto scratch = i.kernel.r.v.alloc(4, "scratch", 4);
    i.k.v_mov_b32(i.out[0], i.in[0]);
    body(OneValue{i.kernel, i.k, i.out[0], scratch});
  });
}

struct Op {
  Opcode op;
  uint32_t (*host)(uint32_t, uint32_t);
  uint32_t none;  // of no lanes
};
uint32_t add_floats(uint32_t a, uint32_t b) {
  return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}
uint32_t larger_float(uint32_t a, uint32_t b) { return std::bit_cast<float>(a) > std::bit_cast<float>(b) ? a : b; }
const Op ops[] = {{Opcode::v_add_u32, [](uint32_t a, uint32_t b) { return a + b; }, 0},
                  {Opcode::v_xor_b32, [](uint32_t a, uint32_t b) { return a ^ b; }, 0},
                  {Opcode::v_max_u32, [](uint32_t a, uint32_t b) { return std::max(a, b); }, 0},
                  {Opcode::v_min_i32,
                   [](uint32_t a, uint32_t b) {
                     return static_cast<uint32_t>(std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)));
                   },
                   0x7fffffff},
                  {Opcode::v_add_f32, add_floats, 0x80000000},
                  {Opcode::v_max_f32, larger_float, 0xff800000}};

// Small integers for float operations: sums are exact in any order.
std::vector<uint32_t> input_for(Opcode op, size_t n) {
  auto in = random_words(n);
  if (op == Opcode::v_add_f32 || op == Opcode::v_max_f32)
    for (auto& x : in) x = std::bit_cast<uint32_t>(static_cast<float>(x % 1000) - 500);
  return in;
}
std::vector<uint32_t> reduced(const Op& op, std::vector<uint32_t> v, size_t of) {
  for (size_t i = 0; i < v.size(); i += of)
    std::fill_n(v.begin() + static_cast<std::ptrdiff_t>(i), of,
                std::accumulate(v.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                v.begin() + static_cast<std::ptrdiff_t>(i + of), v[i], op.host));
  return v;
}
std::vector<uint32_t> scanned(const Op& op, std::vector<uint32_t> v, size_t of) {
  for (size_t i = 1; i < v.size(); ++i)
    if (i % of) v[i] = op.host(v[i - 1], v[i]);
  return v;
}
std::vector<uint32_t> scanned_below(const Op& op, const std::vector<uint32_t>& v, size_t of, uint32_t first) {
  std::vector<uint32_t> out(v.size(), first);
  for (size_t i = 1; i < v.size(); ++i)
    if (i % of) out[i] = i % of == 1 ? v[i - 1] : op.host(out[i - 1], v[i - 1]);
  return out;
}
// The same three with only the active lanes; others keep their value.
enum class Across : uint8_t { all, below, strictly_below };
std::vector<uint32_t> among(const Op& op, const std::vector<uint32_t>& v, size_t of, const std::vector<bool>& active,
                            Across across, uint32_t none) {
  std::vector<uint32_t> out = v;
  for (size_t i = 0; i < v.size(); ++i) {
    if (!active[i]) continue;
    const size_t begin = i / of * of, end = across == Across::all ? begin + of : across == Across::below ? i + 1 : i;
    std::optional<uint32_t> sum;
    for (size_t j = begin; j < end; ++j)
      if (active[j]) sum = sum ? op.host(*sum, v[j]) : v[j];
    out[i] = sum.value_or(none);
  }
  return out;
}

}  // namespace

TEST_CASE("kernel.workgroup is x, y and z of the workgroup on every target", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto got = run_grid(arch, 64, {3, 4, 2}, random_words(64 * 24), [](const OneValue& w) {
      w.k.s_lshl_b32(vcc[0], w.kernel.workgroup[1], 8);
      w.k.s_or_b32(vcc[0], vcc[0], w.kernel.workgroup[0]);
      w.k.s_lshl_b32(vcc[1], w.kernel.workgroup[2], 16);
      w.k.s_or_b32(vcc[0], vcc[0], vcc[1]);
      w.k.v_mov_b32(w.value, vcc[0]);
    });
    for (uint32_t i = 0; i < got.size(); ++i) {
      const uint32_t group = i / 64;
      REQUIRE(got[i] == (group % 3 | group / 3 % 4 << 8 | group / 12 << 16));
    }
  });
}

TEST_CASE("a workgroup id that is not read costs no instruction", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    Kernel kernel("k", arch, 64);
    const auto copy = kernel.r.s.alloc(1, "copy");
    kernel.k.s_mov_b32(copy, kernel.workgroup[0]);
    kernel.k.s_endpgm();
    const Program p = lower(std::move(kernel));
    const int for_x = !isa::target(arch).workgroup_ids_in_ttmp() ? 0 : isa::target(arch).has_clusters() ? 9 : 1;
    CHECK(std::ranges::count_if(p.nodes, [](const Node& n) { return n.inst.op != Opcode::s_delay_alu; }) == 2 + for_x);
  });
}

TEST_CASE("lane masks are as wide as a wave on every target", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto in = random_words(128);
    const auto got = run_grid(arch, 128, {1, 1, 1}, in, [](const OneValue& w) {
      auto saved = w.kernel.r.lane_mask("saved"), low = w.kernel.r.lane_mask("low");
      w.k.v_cmp_gt_u32(vcc, 50, w.kernel.workitem);
      w.k.mask_mov(low, vcc);
      w.k.v_cmp_lt_u32(vcc, 20, w.kernel.workitem);
      w.k.mask_and(vcc, vcc, low);
      w.k.mask_and_saveexec(saved, vcc);
      w.k.when_any_lane("between", [&] { w.k.v_mov_b32(w.value, 7); });
      w.k.mask_not(vcc, low);
      w.k.mask_andn2(exec, saved, vcc);
      w.k.v_cndmask_b32(w.value, 1, w.value, low);
      w.k.mask_mov(exec, saved);
    });
    for (uint32_t i = 0; i < 128; ++i) REQUIRE(got[i] == (i > 20 && i < 50 ? 7 : in[i]));
  });
}

TEST_CASE("exec as a register pair is refused where a wave has 32 lanes", "[generator][wave_ops]") {
  Kernel kernel("k", Arch::gfx1201, 64);
  const int line = __LINE__ + 1;
  const auto wrong = [&] { kernel.k.s_and_b64(exec, exec, vcc); };
  CHECK_THROWS_WITH(wrong(), Catch::Contains(fmt::format("wave_ops_test.cpp:{}", line)) && Catch::Contains("mask_and"));
}

TEST_CASE("reductions and scans of a wave are those of a loop over its lanes", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto wave = static_cast<size_t>(isa::target(arch).wave_size);
    for (const Op& op : ops) {
      INFO(isa::info(op.op).mnemonic);
      const auto in = input_for(op.op, 512);
      CHECK(run_grid(arch, 256, {2, 1, 1}, in, [&](const OneValue& w) {
              w.k << wave_reduce(arch, op.op, w.value, w.scratch[0]);
            }) == reduced(op, in, wave));
      CHECK(run_grid(arch, 256, {2, 1, 1}, in, [&](const OneValue& w) {
              w.k << wave_scan(arch, op.op, w.value, w.scratch[0]);
            }) == scanned(op, in, wave));
      CHECK(run_grid(arch, 256, {2, 1, 1}, in, [&](const OneValue& w) {
              w.k << wave_scan(arch, op.op, w.value, w.scratch[0], Scan::exclusive);
            }) == scanned_below(op, in, wave, op.none));
    }
  });
}

TEST_CASE("every operation with an identity leaves its other operand as it is", "[generator][wave_ops]") {
  for (const Opcode op : {Opcode::v_add_u32, Opcode::v_or_b32, Opcode::v_xor_b32, Opcode::v_and_b32, Opcode::v_max_u32,
                          Opcode::v_min_u32, Opcode::v_max_i32, Opcode::v_min_i32, Opcode::v_add_f32, Opcode::v_mul_f32,
                          Opcode::v_max_f32, Opcode::v_min_f32}) {
    INFO(isa::info(op).mnemonic);
    auto in = random_words(64);
    for (auto& x : in)
      if ((x >> 23 & 0xff) == 0xff) x ^= 1u << 30;  // neither infinite nor a NaN, as a float
    in[0] = 0, in[1] = 0x80000000, in[2] = 0x7fffffff & ~(1u << 23), in[3] = 1;
    CHECK(run_grid(Arch::gfx942, 64, {1, 1, 1}, in, [&](const OneValue& w) {
            w.k.v_mov_b32(w.scratch[0], identity(op));
            w.k.emit(op, {w.value.operand(), w.value.operand(), w.scratch[0].operand()}, {}, Where::current());
          }) == in);
  }
  CHECK_THROWS_WITH(identity(Opcode::v_sub_u32), Catch::Contains("wave_ops_test.cpp:") && Catch::Contains("v_add_u32"));
}

// Lanes below `count`, of them every one or those with a bit of 5 in their number.
TEST_CASE("reductions and scans among active lanes leave the others alone", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const int lanes = 128;
    const auto wave = static_cast<size_t>(isa::target(arch).wave_size);
    for (const int count : {1, 7, 15, 16, 17, 31, 33, 50, 63, 127, 128})
      for (const bool some : {false, true}) {
        const Op& op = ops[(count + some) % std::size(ops)];
        INFO(isa::info(op.op).mnemonic << ", " << count << " lanes" << (some ? ", with gaps" : ""));
        const auto in = input_for(op.op, static_cast<size_t>(lanes));
        std::vector<bool> active(static_cast<size_t>(lanes));
        for (int i = 0; i < lanes; ++i) active[static_cast<size_t>(i)] = i < count && (!some || (i & 5));
        const auto with = [&](const std::function<Block(const OneValue&, Vgpr)>& body) {
          return run_grid(arch, lanes, {1, 1, 1}, in, [&](const OneValue& w) {
            w.kernel.lds_bytes = 64;
            auto all = w.kernel.r.lane_mask("all lanes"), saved = w.kernel.r.lane_mask("saved");
            auto copy = w.kernel.r.v.alloc(1, "copy");
            w.k.mask_mov(all, exec);
            w.k.v_cmp_gt_u32(vcc, count, w.kernel.workitem);
            w.k.mask_and(exec, exec, vcc);
            if (some) {
              w.k.v_and_b32(copy, 5, w.kernel.workitem);
              w.k.v_cmp_ne_u32(vcc, 0, copy);
              w.k.mask_and(exec, exec, vcc);
            }
            w.k << among_active(arch, op.op, w.value, copy, saved, [&](Vgpr x) { return body(w, x); });
            w.k.mask_mov(exec, all);
          });
        };
        CHECK(with([&](const OneValue& w, Vgpr x) { return wave_reduce(arch, op.op, x, w.scratch[0]); }) ==
              among(op, in, wave, active, Across::all, op.none));
        CHECK(with([&](const OneValue& w, Vgpr x) { return wave_scan(arch, op.op, x, w.scratch[0]); }) ==
              among(op, in, wave, active, Across::below, op.none));
        CHECK(with([&](const OneValue& w, Vgpr x) {
                return wave_scan(arch, op.op, x, w.scratch[0], Scan::exclusive);
              }) == among(op, in, wave, active, Across::strictly_below, op.none));
        CHECK(with([&](const OneValue& w, Vgpr x) { return group_reduce(w.kernel, op.op, x, w.scratch, 0); }) ==
              among(op, in, static_cast<size_t>(lanes), active, Across::all, op.none));
        CHECK(with([&](const OneValue& w, Vgpr x) {
                return group_scan(w.kernel, op.op, x, w.scratch, 0, Scan::exclusive);
              }) == among(op, in, static_cast<size_t>(lanes), active, Across::strictly_below, op.none));
      }
  });
}

TEST_CASE("reductions and scans of a workgroup are those of a loop over its lanes", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    for (const int lanes : {64, 192, 1024})
      for (const Op& op : {ops[0], ops[3], ops[4]}) {
        INFO(isa::info(op.op).mnemonic << ", " << lanes << " lanes");
        const auto n = static_cast<size_t>(lanes);
        const auto in = input_for(op.op, 2 * n);
        const auto with = [&](const std::function<Block(const OneValue&)>& body) {
          return run_grid(arch, lanes, {2, 1, 1}, in, [&](const OneValue& w) {
            w.kernel.lds_bytes = 256;
            w.k << body(w);
          });
        };
        CHECK(with([&](const OneValue& w) { return group_reduce(w.kernel, op.op, w.value, w.scratch, 128); }) ==
              reduced(op, in, n));
        CHECK(with([&](const OneValue& w) { return group_scan(w.kernel, op.op, w.value, w.scratch, 128); }) ==
              scanned(op, in, n));
        CHECK(with([&](const OneValue& w) {
                return group_scan(w.kernel, op.op, w.value, w.scratch, 128, Scan::exclusive);
              }) == scanned_below(op, in, n, op.none));
      }
  });
}

TEST_CASE("global_address adds a shifted index to a base in 64 bits", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    for (const int shift : {0, 3, 16})
      for (const int dword : {0, 1}) {
        constexpr uint64_t base = 0x00ff'ffff'8000'0123;
        auto in = random_words(64);
        in[0] = 0xffffffff, in[1] = 0;
        const auto got = run_grid(arch, 64, {1, 1, 1}, in, [&](const OneValue& w) {
          auto s = w.kernel.r.s.alloc(2, "base");
          w.k.s_mov_b32(s[0], static_cast<uint32_t>(base)), w.k.s_mov_b32(s[1], static_cast<uint32_t>(base >> 32));
          w.k.v_mov_b32(w.scratch[0], w.value);
          w.k << global_address(arch, w.scratch.slice(0, 2), s, w.scratch[0], shift);
          w.k.v_mov_b32(w.value, w.scratch[dword]);
        });
        for (size_t i = 0; i < in.size(); ++i)
          REQUIRE(got[i] == static_cast<uint32_t>((base + (uint64_t{in[i]} << shift)) >> 32 * dword));
      }
  });
}

TEST_CASE("DPP controls by name are LLVM's, on the targets that have them", "[generator][wave_ops][mc]") {
  const std::pair<Mods, const char*> all[] = {{dpp::quad_perm(3, 1, 0, 2), "quad_perm:[3,1,0,2]"},
                                              {dpp::row_shl(1), "row_shl:1"},
                                              {dpp::row_shr(15), "row_shr:15"},
                                              {dpp::row_ror(7), "row_ror:7"},
                                              {dpp::row_mirror(), "row_mirror"},
                                              {dpp::row_half_mirror(), "row_half_mirror"},
                                              {dpp::row_newbcast(9), "row_newbcast:9"},
                                              {dpp::row_share(9), "row_share:9"},
                                              {dpp::row_xmask(9), "row_xmask:9"},
                                              {dpp::wave_shl(), "wave_shl:1"},
                                              {dpp::wave_shr(), "wave_shr:1"},
                                              {dpp::wave_rol(), "wave_rol:1"},
                                              {dpp::wave_ror(), "wave_ror:1"},
                                              {dpp::row_bcast15(), "row_bcast:15"},
                                              {dpp::row_bcast31(), "row_bcast:31"}};
  on_every_target([&](Arch arch) {
    isa::Mc mc(arch);
    for (const auto& [mods, text] : all) {
      INFO(text);
      const std::string line = fmt::format("v_mov_b32_dpp v1, v2 {} row_mask:0xf bank_mask:0xf", text);
      Block b(arch);
      b.v_mov_b32(Vgpr{1, 1}, Vgpr{2, 1}, mods);
      std::vector<uint8_t> ours;
      const bool takes = mc.assembles(line);
      if (takes) {
        mc.encode(b.nodes[0].inst, ours);
        CHECK(ours == mc.assemble(line));
      } else if (std::string_view(text).find("share") == std::string_view::npos &&
                 std::string_view(text).find("newbcast") == std::string_view::npos)  // two names of one code
        CHECK_THROWS_AS(mc.encode(b.nodes[0].inst, ours), isa::IsaError);
    }
  });
  CHECK_THROWS_WITH(dpp::row_shr(16), Catch::Contains("wave_ops_test.cpp:") && Catch::Contains("1 to 15"));
  CHECK_THROWS_WITH(dpp::quad_perm(0, 1, 2, 4), Catch::Contains("0 to 3"));
}
