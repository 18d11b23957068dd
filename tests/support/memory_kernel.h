// What the tests of memory instructions share: how each generation waits, and kernels that move one value a lane.
#pragma once
#include "generator/dsl/buffer_resource.h"
#include "tests/support/simulator_kernel.h"

namespace simtest {

struct Machine {
  const char *name, *scalar, *load, *lds, *flat;  // a target and the text of its waits for everything
};
inline const Machine machines[] = {
    {"gfx908", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)"},
    {"gfx942", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)"},
    {"gfx1100", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)"},
    {"gfx1200", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0", "s_wait_loadcnt_dscnt 0x0"},
    {"gfx1250", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0", "s_wait_loadcnt_dscnt 0x0"},
};
inline const Machine& machine(std::string_view name) {
  for (const Machine& m : machines)
    if (name == m.name) return m;
  throw std::out_of_range("no such machine");
}
inline const Machine cdna4{"gfx950", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)",
                           "s_waitcnt vmcnt(0) lgkmcnt(0)"};

// s[4:5] in, s[6:7] out, v1 = 4 * lane, v2 = 16 * lane.
inline std::string start(const Machine& m) {
  return fmt::format("s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\nv_lshlrev_b32 v2, 4, v0\n{}\n",
                     m.scalar);
}
inline int lanes(const Machine& m) { return isa::target(*isa::find_arch(m.name)).wave_size; }

// s[8:11]: a buffer resource of the first `bytes` of the input.
inline std::string input_resource(const Machine& m, uint32_t bytes) {
  const auto words = raw_buffer_words(*isa::find_arch(m.name), 0, bytes);
  return fmt::format("s_mov_b32 s8, s4\ns_or_b32 s9, s5, 0x{:x}\ns_mov_b32 s10, 0x{:x}\ns_mov_b32 s11, 0x{:x}\n",
                     words[1], words[2], words[3]);
}

// What a register holds before a load that may keep some of it.
constexpr uint32_t old_value = 0x5a5a5a5a;

struct Run {
  std::optional<Bench> bench;
  sim::Result result;
  std::string fault() const { return fault_of(result); }
  template <class T>
  std::vector<T> out(size_t n) const {
    return bench->result<T>(n);
  }
};
// One wave of `body` after start(), with `in` as the input buffer.
template <class T>
Run run_on(const Machine& m, const std::string& body, const std::vector<T>& in, int lds = 0, int scratch = 0) {
  Run r;
  r.bench.emplace(65536, 65536);
  r.bench->launch.block = {static_cast<uint32_t>(lanes(m)), 1, 1};
  r.bench->fill(in);
  Assembly a{start(m) + body + "\ns_endpgm\n"};
  a.target = m.name, a.lds = lds, a.scratch = scratch;
  if (scratch && !a.info().architected_scratch())
    a.body = "s_add_u32 flat_scratch_lo, s2, s5\ns_addc_u32 flat_scratch_hi, s3, 0\n" + a.body;
  r.result = r.bench->run(a.build());
  return r;
}

inline std::vector<uint8_t> pattern(size_t n) {
  std::vector<uint8_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<uint8_t>(i * 151 + (i >> 8) * 7 + 0x8d);
  return v;
}

}  // namespace simtest
