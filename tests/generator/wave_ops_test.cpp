// One source for every target: workgroup ids, lane masks, barriers, DPP controls, addresses, reductions and scans,
// run on the simulator of each and compared with loops on the host.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "generator/dsl/wave_ops.h"
#include "generator/passes/lower.h"
#include "isa_tables/mc/mc.h"
#include "runtime/device.h"

using namespace wavesmith;

namespace {

// A work-item's value: `body` leaves it in `value`; all of them are stored, in order of workgroups (x fastest), then
// lanes. `input` is read first.
struct Item {
  Kernel& kernel;
  Stream& k = kernel.k;
  Vgpr value, scratch;  // scratch: 4 registers
};
template <class Body>
std::vector<uint32_t> run_grid(Arch arch, int lanes, std::array<uint32_t, 3> grid, const std::vector<uint32_t>& input,
                               Body body) {
  Kernel kernel("k", arch, lanes);
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Argument in_arg = kernel.pointer("in", "u32"), out_arg = kernel.pointer("out", "u32");
  auto in = r.s.alloc(2, "in"), out = r.s.alloc(2, "out"), group = r.s.alloc(1, "linear workgroup id");
  auto at = r.v.alloc(1, "offset"), value = r.v.alloc(1, "value"), scratch = r.v.alloc(4, "scratch", 4);
  kernel.load(in, in_arg), kernel.load(out, out_arg);
  k.s_mul_i32(group, kernel.workgroup[2], static_cast<int>(grid[1]));
  k.s_add_u32(group, group, kernel.workgroup[1]);
  k.s_mul_i32(group, group, static_cast<int>(grid[0]));
  k.s_add_u32(group, group, kernel.workgroup[0]);
  k.s_mul_i32(group, group, lanes);
  k.v_add_u32(at, group, kernel.workitem);
  k.v_lshlrev_b32(at, 2, at);
  k.global_load_dword(value, at, in);
  body(Item{kernel, k, value, scratch});
  k.global_store_dword(at, value, out);
  k.s_endpgm();

  const size_t items = size_t{grid[0]} * grid[1] * grid[2] * static_cast<size_t>(lanes);
  std::vector<uint32_t> result(items);
  const auto device = runtime::Device::open("sim");
  const auto a = device->allocate(items * 4, "in"), b = device->allocate(items * 4, "out");
  device->write(a, {reinterpret_cast<const uint8_t*>(input.data()), items * 4});
  std::vector<uint8_t> arguments(16);
  std::memcpy(arguments.data(), &a.address, 8), std::memcpy(&arguments[8], &b.address, 8);
  const auto outcome =
      device->launch(assemble(lower(std::move(kernel))).bytes, {.kernel = "k",
                                                                .grid = grid,
                                                                .block = {static_cast<uint32_t>(lanes), 1, 1},
                                                                .dynamic_lds = 0,
                                                                .kernargs = arguments});
  INFO((outcome.fault ? outcome.fault->message() : ""));
  REQUIRE(!outcome.fault);
  device->read(b, {reinterpret_cast<uint8_t*>(result.data()), items * 4});
  return result;
}

std::vector<uint32_t> random_words(size_t n) {
  std::mt19937 random(7);
  std::vector<uint32_t> out(n);
  for (auto& x : out) x = random();
  return out;
}

template <class F>
void on_every_target(F f) {
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    INFO(isa::all_targets()[a].name);
    f(static_cast<Arch>(a));
  }
}

struct Op {
  Opcode op;
  uint32_t (*host)(uint32_t, uint32_t);
};
uint32_t add_floats(uint32_t a, uint32_t b) {
  return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
}
const Op ops[] = {{Opcode::v_add_u32, [](uint32_t a, uint32_t b) { return a + b; }},
                  {Opcode::v_xor_b32, [](uint32_t a, uint32_t b) { return a ^ b; }},
                  {Opcode::v_max_u32, [](uint32_t a, uint32_t b) { return std::max(a, b); }},
                  {Opcode::v_min_i32,
                   [](uint32_t a, uint32_t b) {
                     return static_cast<uint32_t>(std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)));
                   }},
                  {Opcode::v_add_f32, add_floats}};

// Small whole numbers where the sum is of floats: exact in any order.
std::vector<uint32_t> input_for(Opcode op, size_t n) {
  auto in = random_words(n);
  if (op == Opcode::v_add_f32)
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

}  // namespace

TEST_CASE("kernel.workgroup is x, y and z of the workgroup on every target", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto got = run_grid(arch, 64, {3, 4, 2}, random_words(64 * 24), [](const Item& w) {
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
    CHECK(std::ranges::count_if(p.nodes, [](const Node& n) { return n.inst.op != Opcode::s_delay_alu; }) ==
          (isa::target(arch).workgroup_ids_in_ttmp() ? 3 : 2));
  });
}

TEST_CASE("lane masks are as wide as a wave on every target", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto in = random_words(128);
    const auto got = run_grid(arch, 128, {1, 1, 1}, in, [](const Item& w) {
      const int dwords = isa::target(w.k.arch()).wave_size / 32;
      auto saved = w.kernel.r.s.alloc(dwords, "saved"), low = w.kernel.r.s.alloc(dwords, "low");
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
  CHECK_THROWS_WITH(kernel.k.s_and_b64(exec, exec, vcc),
                    Catch::Contains(fmt::format("wave_ops_test.cpp:{}", __LINE__ - 1)) && Catch::Contains("mask_and"));
}

TEST_CASE("reductions and scans of a wave are those of a loop over its lanes", "[generator][wave_ops]") {
  on_every_target([](Arch arch) {
    const auto wave = static_cast<size_t>(isa::target(arch).wave_size);
    for (const Op& op : ops) {
      INFO(isa::info(op.op).mnemonic);
      const auto in = input_for(op.op, 512);
      CHECK(run_grid(arch, 256, {2, 1, 1}, in, [&](const Item& w) {
              w.k << wave_reduce(arch, op.op, w.value, w.scratch[0]);
            }) == reduced(op, in, wave));
      CHECK(run_grid(arch, 256, {2, 1, 1}, in, [&](const Item& w) {
              w.k << wave_scan(arch, op.op, w.value, w.scratch[0]);
            }) == scanned(op, in, wave));
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
        const auto with = [&](bool scan) {
          return run_grid(arch, lanes, {2, 1, 1}, in, [&](const Item& w) {
            w.kernel.lds_bytes = 256;
            w.k << (scan ? group_scan(w.kernel, op.op, w.value, w.scratch, 128)
                         : group_reduce(w.kernel, op.op, w.value, w.scratch, 128));
          });
        };
        CHECK(with(false) == reduced(op, in, n));
        CHECK(with(true) == scanned(op, in, n));
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
        const auto got = run_grid(arch, 64, {1, 1, 1}, in, [&](const Item& w) {
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
