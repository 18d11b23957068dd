// The four words of a raw buffer resource: word 3 as published, the others as LLVM computes them, and the effect on
// accesses on the simulator.
#include "generator/dsl/buffer_resource.h"

#include "tests/support/dsl_kernel.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;

namespace {

constexpr uint64_t bases[] = {0x1234'5678'9abc, 0x7fff'ffff'fffc, 0x10'0000'0004};
constexpr uint32_t counts[] = {0, 1, 127, 128, 4096, 0x7fff'ffff, 0xffff'fff0};

// Composable Kernel, CK_BUFFER_RESOURCE_3RD_DWORD; gfx9 also tests/facts/peer_launch.md. On gfx1250 LLVM moves the low
// bits of the flags into word 3, so none are needed there.
uint32_t flags(Arch arch) {
  const std::string_view name = isa::target(arch).name;
  return name == "gfx1250" ? 0 : name.starts_with("gfx9") ? 0x00020000 : 0x31004000;
}

// The result of llvm.amdgcn.make.buffer.rsrc for each base and count.
std::vector<uint32_t> llvm_words(Arch arch) {
  std::string ir = R"(target triple = "amdgcn-amd-amdhsa"
declare ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1), i16, i64, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %o) {
)";
  int n = 0;
  for (const uint64_t base : bases)
    for (const uint32_t count : counts) {
      ir += fmt::format(
          "%a{0} = inttoptr i64 {1} to ptr addrspace(1)\n%r{0} = call ptr addrspace(8) "
          "@llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) %a{0}, i16 0, i64 {2}, i32 {3})\n%i{0} = ptrtoint ptr "
          "addrspace(8) %r{0} to i128\n%p{0} = getelementptr i128, ptr addrspace(1) %o, i32 {0}\nstore i128 %i{0}, ptr "
          "addrspace(1) %p{0}\n",
          n, base, count, flags(arch));
      ++n;
    }
  simtest::Bench bench;
  const auto result = bench.run(simtest::compile(ir + "ret void\n}\n", "-O1", ".ll", isa::target(arch).name));
  REQUIRE(simtest::fault_of(result) == "none");
  return bench.result<uint32_t>(4 * static_cast<size_t>(n));
}

}  // namespace

TEST_CASE("the words of a buffer resource are LLVM's, from numbers and in registers", "[generator][buffer_resource]") {
  dsltest::on_every_target([](Arch arch) {
    const auto expected = llvm_words(arch);
    std::vector<uint32_t> ours, registers;
    for (const uint64_t base : bases)
      for (const uint32_t count : counts)
        for (const uint32_t word : raw_buffer_words(arch, base, count)) ours.push_back(word);
    CHECK(ours == expected);

    for (const uint64_t base : bases)
      for (const uint32_t count : counts)
        for (const bool number : {false, true}) {
          if (number && count != 4096) continue;
          const std::vector<uint32_t> in(3 * 64, count);
          const auto got = dsltest::run_items({.arch = arch, .ins = 3, .outs = 4}, in, [&](const dsltest::Item& i) {
            auto at = i.kernel.r.s.alloc(2, "base"), bytes = i.kernel.r.s.alloc(1, "bytes"),
                 resource = i.kernel.r.s.alloc(4, "resource", 4);
            i.k.s_mov_b32(at[0], static_cast<uint32_t>(base)), i.k.s_mov_b32(at[1], static_cast<uint32_t>(base >> 32));
            i.k.v_readfirstlane_b32(bytes, i.in[2]);
            raw_buffer(i.k, resource, at, number ? SSrcArg(count) : SSrcArg(bytes));
            for (int w = 0; w < 4; ++w) i.k.v_mov_b32(i.out[static_cast<size_t>(w)], resource[w]);
          });
          const auto words = raw_buffer_words(arch, base, count);
          CHECK(std::equal(words.begin(), words.end(), got.begin()));
        }
  });
}

TEST_CASE("a raw buffer ends at its last byte on every target", "[generator][buffer_resource]") {
  dsltest::on_every_target([](Arch arch) {
    constexpr uint32_t bytes = 4 * 37;
    const auto in = dsltest::random_words(64);
    const auto got = dsltest::run_items({.arch = arch}, in, [&](const dsltest::Item& i) {
      auto base = i.kernel.r.s.alloc(2, "in"), resource = i.kernel.r.s.alloc(4, "resource", 4);
      auto at = i.kernel.r.v.alloc(1, "offset");
      i.kernel.load(base, i.kernel.arguments[0]);
      raw_buffer(i.k, resource, base, bytes);
      i.k.v_lshlrev_b32(at, 2, i.kernel.workitem);
      i.k.buffer_load_dword(i.out[0], at, resource, 0, {.flags = isa::offen});
    });
    for (size_t l = 0; l < 64; ++l) REQUIRE(got[l] == (4 * l < bytes ? in[l] : 0));
  });
}
