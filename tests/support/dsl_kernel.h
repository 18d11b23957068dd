// A kernel of the DSL on the simulator of any target: each work-item loads `ins` dwords, the body computes, and `outs`
// dwords are stored. Items are in order of workgroups (x fastest), then lanes.
#pragma once
#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "runtime/device.h"

namespace dsltest {

using namespace wavesmith;

struct Item {
  Kernel& kernel;
  Stream& k;
  std::vector<Vgpr> in, out;
};
struct Shape {
  Arch arch;
  int lanes = 64;
  std::array<uint32_t, 3> grid{1, 1, 1};
  int ins = 1, outs = 1;
};

// `input`: ins dwords of an item together; the result likewise.
template <class Body>
std::vector<uint32_t> run_items(const Shape& s, const std::vector<uint32_t>& input, Body body) {
  Kernel kernel("k", s.arch, s.lanes);
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Argument in_arg = kernel.pointer("in", "u32"), out_arg = kernel.pointer("out", "u32");
  auto in = r.s.alloc(2, "in"), out = r.s.alloc(2, "out"), group = r.s.alloc(1, "linear workgroup id");
  auto item = r.v.alloc(1, "number of the item"), at = r.v.alloc(1, "offset");
  std::vector<Owned<File::v>> values;
  std::vector<Vgpr> ins, outs;
  for (int i = 0; i < s.ins; ++i) ins.push_back(values.emplace_back(r.v.alloc(1, "input")));
  for (int i = 0; i < s.outs; ++i) outs.push_back(values.emplace_back(r.v.alloc(1, "output")));
  kernel.load(in, in_arg), kernel.load(out, out_arg);
  k.s_mul_i32(group, kernel.workgroup[2], static_cast<int>(s.grid[1]));
  k.s_add_u32(group, group, kernel.workgroup[1]);
  k.s_mul_i32(group, group, static_cast<int>(s.grid[0]));
  k.s_add_u32(group, group, kernel.workgroup[0]);
  k.s_mul_i32(group, group, s.lanes);
  k.v_add_u32(item, group, kernel.workitem);
  k.v_mul_lo_u32(at, item, 4 * s.ins);
  for (int i = 0; i < s.ins; ++i) k.global_load_dword(ins[static_cast<size_t>(i)], at, in, {.offset = 4 * i});
  body(Item{kernel, k, ins, outs});
  k.v_mul_lo_u32(at, item, 4 * s.outs);
  for (int i = 0; i < s.outs; ++i) k.global_store_dword(at, outs[static_cast<size_t>(i)], out, {.offset = 4 * i});
  k.s_endpgm();

  const size_t items = size_t{s.grid[0]} * s.grid[1] * s.grid[2] * static_cast<size_t>(s.lanes);
  const size_t in_bytes = 4 * items * static_cast<size_t>(s.ins), out_bytes = 4 * items * static_cast<size_t>(s.outs);
  REQUIRE(input.size() * 4 >= in_bytes);
  const auto device = runtime::Device::open("sim");
  const auto a = device->allocate(in_bytes, "in"), b = device->allocate(out_bytes, "out");
  device->write(a, {reinterpret_cast<const uint8_t*>(input.data()), in_bytes});
  std::vector<uint8_t> arguments(16);
  std::memcpy(arguments.data(), &a.address, 8), std::memcpy(&arguments[8], &b.address, 8);
  const auto outcome = device->launch(assemble(lower(std::move(kernel))).bytes, "k",
                                      {.grid = s.grid,
                                       .block = {static_cast<uint32_t>(s.lanes), 1, 1},
                                       .dynamic_lds = 0,
                                       .cluster = {},
                                       .kernargs = arguments});
  INFO((outcome.fault ? *outcome.fault : ""));
  REQUIRE(!outcome.fault);
  std::vector<uint32_t> result(out_bytes / 4);
  device->read(b, {reinterpret_cast<uint8_t*>(result.data()), out_bytes});
  return result;
}

inline std::vector<uint32_t> random_words(size_t n, unsigned seed = 7) {
  std::mt19937 random(seed);
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

}  // namespace dsltest
