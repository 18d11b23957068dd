// Builds code objects for the simulator's tests with LLVM: text by its assembler in this process, the rest by clang.
#pragma once
#include <fmt/format.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/source.h"
#include "simulator/simulator.h"

namespace simtest {

using namespace wavesmith;

inline std::vector<uint8_t> compile(const std::string& text, const std::string& flags, const char* extension,
                                    const std::string& target = "gfx942") {
  // As clang does it, without starting a process.
  if (flags.empty() && std::string_view(extension) == ".s")
    return isa::assemble_source(text, "k.s", target, /*line_tables=*/false);
  const auto stem = (std::filesystem::temp_directory_path() / fmt::format("wavesmith_sim_{}", getpid())).string();
  const std::string in = stem + extension, out = stem + ".o";
  std::ofstream(in) << text;
  const auto command = fmt::format(
      "/usr/lib/llvm-22/bin/clang {} -target amdgcn-amd-amdhsa -mcpu={} -nogpulib -w -Qunused-arguments -c -o {} {}",
      flags, target, out, in);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  std::ifstream file(out, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(in), std::filesystem::remove(out);
  return isa::link(bytes);  // a process less than ld.lld, which takes longer to start than to link
}

// A kernel of this body: s[0:1] points at the arguments, s2 is the workgroup (ttmp9 from gfx12 on), v0 the work-item.
// With scratch on targets that leave FLAT_SCRATCH to the kernel, s[2:3] is its base and s5 the wave's offset.
struct Assembly {
  std::string body;
  int lds = 0, denorm_f32 = 3, vgprs = 128, agprs = 64, args = 16;
  std::string target = "gfx942";
  int scratch = 0;                          // private bytes a lane
  int preload = 0;                          // dwords of arguments in SGPRs, after the pointer
  std::string directives = {}, flags = {};  // further lines of the kernel descriptor; further options of the compiler
  const isa::Target& info() const { return isa::target(*isa::find_arch(target)); }
  std::vector<uint8_t> build() const {
    const isa::Target& t = info();
    const int all = t.unified ? vgprs + agprs : std::max(vgprs, t.agprs ? agprs : 0);
    std::string more;  // directives that only some targets have
    if (t.unified) more += fmt::format("  .amdhsa_accum_offset {}\n", vgprs);
    if (scratch && t.architected_scratch()) more += "  .amdhsa_enable_private_segment 1\n";
    if (scratch && !t.architected_scratch())
      more += "  .amdhsa_user_sgpr_flat_scratch_init 1\n  .amdhsa_system_sgpr_private_segment_wavefront_offset 1\n";
    more += directives;
    return compile(fmt::format(R"(
.amdgcn_target "amdgcn-amd-amdhsa--{}"
.text
.globl k
.p2align 8
.type k,@function
k:
{}
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size {}
  .amdhsa_kernarg_size {}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_count {}
  .amdhsa_private_segment_fixed_size {}
  .amdhsa_next_free_vgpr {}
  .amdhsa_next_free_sgpr 96
{}  .amdhsa_float_denorm_mode_32 {}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {}
    .group_segment_fixed_size: {}
    .private_segment_fixed_size: {}
    .kernarg_segment_align: 8
    .wavefront_size: {}
    .sgpr_count: 96
    .vgpr_count: {}
    .max_flat_workgroup_size: 1024
    .args:
      - {{ .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }}
      - {{ .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }}
...
.end_amdgpu_metadata
)",
                               target, body, lds, args, (scratch && !t.architected_scratch() ? 4 : 2) + preload,
                               scratch, all, more, denorm_f32, args, lds, scratch, t.wave_size, all),
                   flags, ".s", target);
  }
};

// One launch with an input and an output buffer.
struct Bench {
  sim::Memory memory;
  uint64_t in = 0, out = 0, in_bytes = 4096, out_bytes = 4096;
  sim::Launch launch;
  sim::Options options;
  explicit Bench(uint64_t in_size = 4096, uint64_t out_size = 4096) : in_bytes(in_size), out_bytes(out_size) {
    in = memory.allocate(in_bytes, "in");
    out = memory.allocate(out_bytes, "out");
    options.max_instructions = 1'000'000;
    for (const uint64_t p : {in, out}) append(p);
  }
  template <class T>
  void append(T value) {
    const auto* b = reinterpret_cast<const uint8_t*>(&value);
    launch.kernargs.insert(launch.kernargs.end(), b, b + sizeof value);
  }
  template <class T>
  void fill(const std::vector<T>& values) {
    memory.write(in, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)});
  }
  template <class T>
  std::vector<T> result(size_t count) const {
    std::vector<T> r(count);
    memory.read(out, {reinterpret_cast<uint8_t*>(r.data()), count * sizeof(T)});
    return r;
  }
  sim::Result run(const std::vector<uint8_t>& object, std::string_view name = "k") {
    const auto co = sim::CodeObject::load(object);
    return sim::run(co, co.kernel(name), memory, launch, options);
  }
  sim::Result run(const std::string& body, int lds = 0) {
    Assembly a{body};
    a.lds = lds;
    return run(a.build());
  }
};

// What a launch came to, and what it stored.
struct Launched {
  sim::Result result;
  std::vector<uint32_t> out;
};

inline std::string fault_of(const sim::Result& r) { return r.fault ? r.fault->message() : "none"; }
inline sim::Fault::Kind kind_of(const sim::Result& r) {
  REQUIRE(r.fault);
  INFO(r.fault->message());
  return r.fault->kind;
}
inline sim::Fault::Kind kind_of(const Launched& r) { return kind_of(r.result); }

// The beginning of a kernel of gfx9: s[4:5] in, s[6:7] out, v1 = 4 * lane.
inline const std::string pointers =
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n s_waitcnt lgkmcnt(0)\n";

}  // namespace simtest
