// A few instructions run over many lanes of any target: each lane loads eight dwords into v4..v11, executes the body,
// and stores v12..v15. LLVM assembles the text, so an encoding or a decoding that is wrong shows here too.
#pragma once
#include <array>

#include "tests/support/bit_casts.h"
#include "tests/support/simulator_kernel.h"

namespace simtest {

struct Mode {
  int round_f32 = 0, round_f16_64 = 0, denorm_f32 = 3, denorm_f16_64 = 3;
  bool ieee = true, dx10_clamp = true, fp16_overflow = false;
};
using In = std::array<uint32_t, 8>;
using Out = std::array<uint32_t, 4>;

// A code object of one kernel "k" with this body, for a target and a mode; two pointer arguments.
inline std::vector<uint8_t> kernel_object(isa::Arch arch, const std::string& body, const Mode& mode = {},
                                          int private_bytes = 0, int wave_size = 0) {
  const isa::Target& t = isa::target(arch);
  if (wave_size == 0) wave_size = t.wave_size;
  std::string descriptor = fmt::format(
      ".amdhsa_float_round_mode_32 {}\n.amdhsa_float_round_mode_16_64 {}\n.amdhsa_float_denorm_mode_32 "
      "{}\n.amdhsa_float_denorm_mode_16_64 {}\n.amdhsa_fp16_overflow {}\n.amdhsa_private_segment_fixed_size {}\n",
      mode.round_f32, mode.round_f16_64, mode.denorm_f32, mode.denorm_f16_64, int{mode.fp16_overflow}, private_bytes);
  if (t.ieee_is_a_mode())
    descriptor += fmt::format(".amdhsa_ieee_mode {}\n.amdhsa_dx10_clamp {}\n", int{mode.ieee}, int{mode.dx10_clamp});
  if (t.unified) descriptor += ".amdhsa_accum_offset 256\n";
  if (t.wave_size == 32 && arch != isa::Arch::gfx1250)
    descriptor += fmt::format(".amdhsa_wavefront_size32 {}\n", int{wave_size == 32});
  if (private_bytes && t.architected_scratch()) descriptor += ".amdhsa_enable_private_segment 1\n";
  const auto text = fmt::format(R"(
.amdgcn_target "amdgcn-amd-amdhsa--{0}"
.text
.globl k
.p2align 8
.type k,@function
k:
{1}
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_group_segment_fixed_size 32768
.amdhsa_kernarg_size 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.amdhsa_user_sgpr_count 2
.amdhsa_next_free_vgpr 256
.amdhsa_next_free_sgpr 100
{2}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 32768
    .private_segment_fixed_size: {4}
    .kernarg_segment_align: 8
    .wavefront_size: {3}
    .sgpr_count: 100
    .vgpr_count: 256
    .max_flat_workgroup_size: 1024
    .args:
      - {{ .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
      - {{ .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }}
...
.end_amdgpu_metadata
)",
                                t.name, body, descriptor, wave_size, private_bytes);
  return compile(text, wave_size == 64 && t.wave_size == 32 ? "-mwavefrontsize64" : "", ".s", t.name);
}

inline std::vector<Out> run_lanes(isa::Arch arch, const std::string& body, const std::vector<In>& inputs,
                                  const Mode& mode = {}) {
  const isa::Target& t = isa::target(arch);
  const bool old = t.gfx9(), split = t.workgroup_ids_in_ttmp();
  const std::string text =
      fmt::format(R"(
  s_lshl_b32 s8, {id}, 6
  v_and_b32 v0, 0x3ff, v0
  v_or_b32 v0, s8, v0
  v_lshlrev_b32 v1, 5, v0
  v_lshlrev_b32 v2, 4, v0
  {load4s} s[4:7], s[0:1], 0x0
  {wait_s}
  {load4} v[4:7], v1, s[4:5]
  {load4} v[8:11], v1, s[4:5] offset:16
  {wait}
  v_mov_b32 v12, 0
  v_mov_b32 v13, 0
  v_mov_b32 v14, 0
  v_mov_b32 v15, 0
  s_nop 7
  {body}
  s_nop 7
  s_nop 7
  {store4} v2, v[12:15], s[6:7]
  s_endpgm
)",
                  fmt::arg("id", split ? "ttmp9" : "s2"), fmt::arg("load4s", old ? "s_load_dwordx4" : "s_load_b128"),
                  fmt::arg("wait_s", split ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)"),
                  fmt::arg("load4", old ? "global_load_dwordx4" : "global_load_b128"),
                  fmt::arg("wait", split ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)"),
                  fmt::arg("store4", old ? "global_store_dwordx4" : "global_store_b128"), fmt::arg("body", body));
  const size_t groups = (inputs.size() + 63) / 64, count = groups * 64;
  Bench bench(count * sizeof(In), count * sizeof(Out));
  auto padded = inputs;
  padded.resize(count);
  bench.fill(padded);
  bench.launch.grid = {static_cast<uint32_t>(groups), 1, 1};
  bench.options.checks.hazards = false;  // bodies are one instruction after the other, as short as can be
  const auto r = bench.run(kernel_object(arch, text, mode));
  INFO(body << " on " << t.name);
  REQUIRE(fault_of(r) == "none");
  auto out = bench.result<Out>(count);
  out.resize(inputs.size());
  return out;
}

}  // namespace simtest
