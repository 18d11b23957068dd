// Arguments declared once: device loads, packed host bytes and metadata agree; errors name the author's line.
#include "generator/dsl/arguments.h"

#include <catch2/catch.hpp>

#include <cstring>

#include "generator/passes/lower.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

// Members whose alignment needs gaps; one is omitted on request.
struct MixedArguments {
  uint32_t count;
  DevicePointer out;
  float factor;
  uint64_t wide;
  int32_t shift;
  uint32_t last;
  void list(auto&& to, bool with_shift) {
    to("count", count), to("out", out, "u32"), to("factor", factor), to("wide", wide);
    if (with_shift) to("shift", shift);
    to("last", last);
  }
};

// Stores every argument's dwords to `out`.
Program store_arguments(Arch arch, bool with_shift) {
  using Args = MixedArguments;
  Kernel kernel("store_arguments", arch, isa::target(arch).wave_size);
  Arguments<Args> args(kernel, with_shift);
  auto count = args.registers(&Args::count), out = args.registers(&Args::out), factor = args.registers(&Args::factor),
       wide = args.registers(&Args::wide), last = args.registers(&Args::last);
  auto shift = kernel.r.s.alloc(1, "shift");
  for (const auto* group : {&count, &out, &factor, &wide, &last}) kernel.load(*group);
  if (with_shift) kernel.load(shift, args[&Args::shift]);
  else kernel.k.s_mov_b32(shift, 77);
  auto at = kernel.r.v.alloc(1, "offset"), x = kernel.r.v.alloc(1, "value");
  kernel.k.v_mov_b32(at, 0);
  int place = 0;
  for (const Sgpr s :
       {count[0], factor[0], wide[&Args::wide].slice(0), wide[&Args::wide].slice(1), shift[0], last[0]}) {
    kernel.k.v_mov_b32(x, s);
    kernel.k.global_store_dword(at, x, out[&Args::out], {.offset = 4 * place++});
  }
  kernel.k.s_endpgm();
  return lower(std::move(kernel));
}

}  // namespace

TEST_CASE("arguments are where the host packs them, whatever the configuration leaves out", "[arguments]") {
  const Arch arch = GENERATE(Arch::gfx908, Arch::gfx942, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250);
  const bool with_shift = GENERATE(false, true);
  CAPTURE(isa::target(arch).name, with_shift);
  const Program p = store_arguments(arch, with_shift);
  sim::Memory memory;
  const uint64_t out = memory.allocate(24, "out");
  const auto kernargs = kernarg_bytes(
      MixedArguments{.count = 11, .out = {out}, .factor = 1.5f, .wide = 0x1234567890abcdef, .shift = -3, .last = 99},
      with_shift);
  CHECK(kernargs.size() == static_cast<size_t>(p.kernarg_bytes));
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  const auto& of = co.kernel("").args;
  REQUIRE(of.size() >= p.arguments.size());
  for (size_t i = 0; i < p.arguments.size(); ++i) {
    CHECK(of[i].name == p.arguments[i].name);
    CHECK(of[i].offset == static_cast<uint32_t>(p.arguments[i].offset));
    CHECK(of[i].size == static_cast<uint32_t>(p.arguments[i].size));
    CHECK(of[i].type_name == (p.arguments[i].name == "out" ? "u32*" : p.arguments[i].type));
  }
  const auto result =
      sim::run(co, co.kernel(""), memory,
               {.grid = {1, 1, 1}, .block = {static_cast<uint32_t>(p.workgroup_size), 1, 1}, .kernargs = kernargs});
  INFO((result.fault ? result.fault->message() : "no fault"));
  REQUIRE_FALSE(result.fault);
  std::array<uint32_t, 6> got{};
  memory.read(out, {reinterpret_cast<uint8_t*>(got.data()), sizeof got});
  CHECK(got == std::array<uint32_t, 6>{11, 0x3fc00000, 0x90abcdef, 0x12345678, with_shift ? 0xfffffffdu : 77u, 99});
}

TEST_CASE("errors of arguments name the author's line and the argument", "[arguments]") {
  using Args = MixedArguments;
  Kernel kernel("short_of_one", Arch::gfx942, 64);
  Arguments<Args> args(kernel, false);
  const auto refused = [](int line, const std::string& why, auto use) {
    CHECK_THROWS_WITH(use(), fmt::format("arguments_test.cpp:{}: {}", line, why));
  };
  const std::string unlisted =
      "short_of_one: an argument that this configuration of the kernel does not list; legal: "
      "count out factor wide last";
  refused(__LINE__, unlisted, [&] { kernel.load(kernel.r.s.alloc(1, "s"), args[&Args::shift]); });
  refused(__LINE__, unlisted, [&] { args.registers(&Args::shift); });
  refused(__LINE__, unlisted, [&] { args.registers(&Args::count, &Args::shift); });
  const std::string five = "short_of_one: the arguments from 'count' to 'factor' take 5 dwords; legal: 1, 2, 4, 8, 16",
                    backward =
                        "short_of_one: the arguments from 'out' to 'count' take -1 dwords; legal: 1, 2, 4, 8, 16";
  refused(__LINE__, five, [&] { args.registers(&Args::count, &Args::factor); });
  refused(__LINE__, backward, [&] { args.registers(&Args::out, &Args::count); });
  const auto out = args.registers(&Args::out);
  const auto other = [&] { return out[&Args::wide]; };
  CHECK_THROWS_WITH(other(), Catch::StartsWith(fmt::format("arguments_test.cpp:{}: slice(4, 2) of", __LINE__ - 1)));
}
