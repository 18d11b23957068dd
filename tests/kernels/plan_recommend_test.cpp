// What the guides advise around a dot, against the guides' own numbers.
#include <catch2/catch.hpp>

#include "kernels/plan/recommend.h"

namespace wavesmith::plan {
using wavesmith::isa::Arch;

TEST_CASE("utilisation of 304 CUs by the blocks of a 4096 x 4096 result", "[plan]") {
  const auto percent = [](BlockSize b) { return utilisation(4096, 4096, b, 304).used * 100; };
  CHECK(percent({256, 256}) == Approx(84.2).margin(0.05));  // 256 of 304
  CHECK(percent({128, 128}) == Approx(84.2).margin(0.05));  // 1024 in 4 rounds
  // The guide prints 99 and 94 here; its own formula (workgroups / (rounds * CUs)) gives 2048 / 2128 and 4096 / 4256.
  CHECK(percent({128, 64}) == Approx(96.2).margin(0.05));
  CHECK(percent({64, 64}) == Approx(96.2).margin(0.05));
  CHECK(utilisation(4096, 4096, {128, 64}, 304).workgroups == 2048);
  const auto best = choose_block(4096, 4096, 304);
  CHECK((best.block.m == 128 && best.block.n == 64));  // the guide's choice as well
  CHECK(choose_block(70, 67, 304).block.m == 32);      // 9 CUs are few, but nine times one
}

TEST_CASE("recommendations give the guides' numbers, corrected for the target", "[plan]") {
  CHECK(stages(KernelKind::gemm).most == 2);
  CHECK(stages(KernelKind::gemm_indirect).most == 3);
  CHECK(stages(KernelKind::fused_compute).most == 1);
  CHECK((stages(KernelKind::fused_memory).least == 2 && stages(KernelKind::fused_memory).most == 3));
  CHECK(kpack_for(Arch::gfx942, KernelKind::gemm).value == 2);
  CHECK(kpack_for(Arch::gfx942, KernelKind::fused_compute).value == 1);
  CHECK(kpack_for(Arch::gfx950, KernelKind::gemm).value == 1);
  CHECK(nonkdim_for(Arch::gfx942, KernelKind::gemm).value == 16);
  CHECK(nonkdim_for(Arch::gfx950, KernelKind::fused_compute).value == 32);
  CHECK(nonkdim_for(Arch::gfx1201, KernelKind::gemm).value == 0);
  CHECK(block_k(Elem::f16, Arch::gfx942, {256, 256}, 2).ideal == 256);
  CHECK(block_k(Elem::f16, Arch::gfx942, {256, 256}, 2).practical == 64);  // 512 rows x 64 x 2 bytes fill 64 KiB
  CHECK(block_k(Elem::f16, Arch::gfx942, {128, 128}, 2).practical == 128);
  CHECK(block_k(Elem::f8e4m3, Arch::gfx950, {128, 128}, 2).practical == 256);  // the same bytes
  CHECK(elementwise_block(Elem::f16).value == 8192);
  CHECK(lds_padding(Elem::f16, Arch::gfx942, {64, 64}, 128).value == 2);  // 130 / 2 = 65 words
  CHECK(lds_padding(Elem::f16, Arch::gfx942, {256, 256}, 32).value == 2);
}

TEST_CASE("a waves-per-EU hint is given only where a few VGPRs keep a wave out", "[plan]") {
  const auto hint = [](int vgprs, int lds = 0) {
    return waves_per_eu(Arch::gfx942, {.vgprs = vgprs, .lds_bytes = lds, .waves_per_group = 4}).ask;
  };
  CHECK(hint(132) == 4);  // 128 holds four of 512 / 8, 136 three
  CHECK_FALSE(hint(128));
  CHECK_FALSE(hint(240));             // three need 168
  CHECK_FALSE(hint(132, 32 * 1024));  // LDS holds two
}

}  // namespace wavesmith::plan
