// Mistakes that the DSL, the assembler and the encoder refuse, each with the author's line or the names concerned.
#include <random>

#include "generator/dsl/program.h"
#include "generator/schedule/interleave.h"
#include "isa_tables/mc/mc.h"
#include "tests/support/dsl_kernel.h"

using namespace wavesmith;

namespace {

template <class Body>
std::string error_of(Arch arch, Body body) {
  try {
    Kernel kernel("k", arch, 64);
    body(kernel, kernel.k);
    kernel.k.s_endpgm();
    assemble(std::array{lower(std::move(kernel))});
  } catch (const isa::IsaError& e) { return e.what(); }
  return "";
}

}  // namespace

TEST_CASE("pairs are encoded as LLVM encodes their text, or refused where it refuses", "[isa][encode]") {
  std::mt19937 random(3);
  for (const Arch arch : {Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {
    isa::Mc mc(arch), reference(arch);
    const auto v = [&] { return fmt::format("v{}", random() % 12); };
    const auto half = [&] {
      switch (random() % 4) {
        case 0: return fmt::format("v_dual_mov_b32 {}, {}", v(), v());
        case 1: return fmt::format("v_dual_add_f32 {}, {}, {}", v(), v(), v());
        case 2: return fmt::format("v_dual_fmac_f32 {}, {}, {}", v(), v(), v());
        default: return fmt::format("v_dual_cndmask_b32 {}, {}, {}", v(), v(), v());
      }
    };
    int legal = 0, refused = 0;
    for (int n = 0; n < 400; ++n) {
      const std::string text = half() + " :: " + half();
      CAPTURE(text);
      std::vector<uint8_t> expected, got;
      if (reference.assembles(text)) expected = reference.assemble(text);
      try {
        mc.encode(isa::parse(text, arch), got);
      } catch (const isa::IsaError&) { got.clear(); }
      CHECK(got == expected);
      ++(expected.empty() ? refused : legal);
    }
    CHECK(legal > 40);
    CHECK(refused > 40);
  }
}

TEST_CASE("a pair with a mask of its own or a modifier is refused where it has no encoding", "[dsl]") {
  const auto pair = [](const isa::Mods& mods, bool own_mask) {
    return [=](Kernel& kernel, Stream& k) {
      auto v = kernel.r.v.alloc(6, "v");
      auto mask = kernel.r.s.alloc(1, "mask");
      k.s_mov_b32(mask, 1);
      for (int i = 0; i < 6; ++i) k.v_mov_b32(v[i], i);
      Block two(Arch::gfx1100);
      if (own_mask) two.v_cndmask_b32(v[0], v[2], v[3], mask);
      else two.v_add_f32(v[0], v[2], v[3], mods);
      two.v_mov_b32(v[1], v[5]);
      k.dual(two);
    };
  };
  CHECK(error_of(Arch::gfx1100, pair({}, false)).empty());
  CHECK_THAT(error_of(Arch::gfx1100, pair({.flags = isa::clamp}, false)),
             Catch::Contains("dsl_mistakes_test.cpp") && Catch::Contains("legal: two instructions"));
  CHECK_THAT(error_of(Arch::gfx1100, pair({}, true)), Catch::Contains("dsl_mistakes_test.cpp"));
}

TEST_CASE("immediates that their fields do not hold are refused with the author's line", "[dsl]") {
  const auto refuses = [](auto body, const char* legal) {
    CHECK_THAT(error_of(Arch::gfx942, [&](Kernel& kernel, Stream& k) { body(kernel, k); }),
               Catch::Contains("dsl_mistakes_test.cpp") && Catch::Contains(legal));
  };
  refuses([](Kernel& kernel, Stream& k) { k.s_movk_i32(kernel.workgroup[0], 40000); }, "legal: -32768 to 32767");
  refuses([](Kernel&, Stream& k) { k.s_sleep(70000); }, "legal: -32768 to 65535");
  refuses([](Kernel& kernel, Stream& k) { k.s_mov_b32(kernel.workgroup[0], int64_t{1} << 32); }, "has 32 bits");
  refuses([](Kernel& kernel, Stream& k) { k.s_mov_b64(kernel.kernargs, int64_t{3} << 32); }, "s_mov_b64");
}

TEST_CASE("labels, names and targets of a code object are checked", "[dsl]") {
  CHECK_THAT(error_of(Arch::gfx942,
                      [](Kernel&, Stream& k) {
                        const int twice = k.new_label("twice");
                        k.bind(twice), k.bind(twice);
                      }),
             Catch::Contains("'twice' is bound a second time"));
  const auto program = [](const char* name, Arch arch) {
    Kernel kernel(name, arch, 64);
    kernel.k.s_endpgm();
    return lower(std::move(kernel));
  };
  CHECK_THROWS_WITH(assemble(std::span<const Program>{}), Catch::Contains("legal: one or more"));
  CHECK_THROWS_WITH(assemble(std::array{program("a", Arch::gfx942), program("b", Arch::gfx950)}),
                    Catch::Contains("legal: one target"));
  CHECK_THROWS_WITH(assemble(std::array{program("a", Arch::gfx942), program("a", Arch::gfx942)}),
                    Catch::Contains("two kernels are named 'a'"));
  CHECK_THROWS_WITH(part(Block(Arch::gfx942), 0, 0), Catch::Contains("part 0 of 0"));
}

TEST_CASE("MFMA whose C overlaps D in part is refused", "[dsl]") {
  const auto overlapping = [](int at) {
    return [=](Kernel& kernel, Stream& k) {
      auto v = kernel.r.v.alloc(40, "v", 2);
      for (int i = 0; i < 40; ++i) k.v_mov_b32(v[i], 0);
      k.v_mfma_f32_32x32x8_f16(v.slice(0, 16), v.slice(32, 2), v.slice(34, 2), v.slice(at, 16));
    };
  };
  CHECK(error_of(Arch::gfx942, overlapping(0)).empty());
  CHECK(error_of(Arch::gfx942, overlapping(16)).empty());
  CHECK_THAT(error_of(Arch::gfx942, overlapping(8)), Catch::Contains("overlaps D") && Catch::Contains("legal: "));
}
