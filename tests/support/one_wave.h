// One wave of any target whose registers a test sets and reads, executing instructions given as text: assembled by
// LLVM, disassembled, parsed and decoded as a kernel's would be, without a kernel around them.
#pragma once
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "isa_tables/mc/mc.h"
#include "simulator/decoded_kernel.h"
#include "simulator/semantics.h"
#include "simulator/undefined.h"

namespace simtest {

using namespace wavesmith;

class OneWave {
 public:
  explicit OneWave(isa::Arch arch, int lanes = 0)
      : arch_(arch), mc_(arch, lanes), wave(arch), storage_(sim::Wave::vector_regs * sim::Wave::lanes + 16) {
    const isa::Target& t = isa::target(arch);
    kernel_.wave_size = lanes ? lanes : t.wave_size;
    kernel_.vgprs = t.vgprs + (t.unified ? t.agprs : 0), kernel_.accum_offset = t.vgprs;
    options_.checks.hazards = false;
    group_.cluster = &cluster_, group_.counts = &counts_;
    group_.target = &t, group_.kernel = &kernel_, group_.options = &options_;
    wave.group = &group_;
    wave.v = storage_.data() + (64 - reinterpret_cast<uintptr_t>(storage_.data()) % 64) % 64 / 4;
    wave.all = kernel_.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
    wave.set_exec(wave.all);
    wave.denorm_f32 = 3;
    wave.written.fill(~uint64_t{0});
  }

  void numerics(sim::Numerics n) { options_.numerics = n; }
  sim::Step step(const std::string& text) {
    const auto code = mc_.assemble(text);
    const auto decoded = mc_.disassemble(code, 0);
    REQUIRE(decoded.size == static_cast<int>(code.size()));
    sim::Step st;
    st.inst = mc_.instruction(decoded, code), st.size = static_cast<uint8_t>(decoded.size);
    return step(st);
  }
  sim::Step step(const sim::Step& given) {
    const sim::Step st = sim::shifted(given, {}, *group_.target, kernel_);
    INFO(st.cold->refusal);
    REQUIRE(st.run);
    return st;
  }
  // Executes one instruction; what a kernel would fault with is in fault().
  void run(const std::string& text) {
    INFO(text);
    const sim::Step st = step(text);
    wave.problem.reset();
    wave.written_lanes = wave.exec();
    st.run(wave, st);
  }
  // The same with the account of bits that hold a value.
  void follow(const sim::Step& st) {
    wave.problem.reset();
    if (!st.cold->reads.inside(wave.written) && !sim::check_written(wave, st)) return;
    wave.written_lanes = wave.exec();
    st.run(wave, st);
    if (!wave.problem) sim::record_written(wave, st);
  }
  // No register holds a value, but for EXEC and what is no register at all.
  void know_nothing() {
    for (int r = 0; r < sim::scalar_base + 106; ++r)
      wave.written[static_cast<size_t>(r / 64)] &= ~(uint64_t{1} << r % 64);
    for (const int r : {int{isa::sreg::vcc}, isa::sreg::vcc + 1, int{isa::sreg::scc}, int{isa::sreg::m0}})
      wave.written[static_cast<size_t>(sim::scalar_base + r) / 64] &= ~(uint64_t{1} << (sim::scalar_base + r) % 64);
    std::fill_n(wave.written_mask, sim::Wave::vector_regs, 0),
        std::fill_n(wave.known_bits, std::size(wave.known_bits), 0);
    wave.lane_bits.clear(), wave.origins.clear();
  }
  std::string fault() const { return wave.problem ? wave.problem->why : ""; }

  uint32_t* v(int reg) { return wave.vreg(reg); }
  uint32_t& s(int reg) { return wave.s[reg]; }
  void fill(int reg, uint32_t x) { std::fill_n(v(reg), 64, x); }
  void fill_pair(int reg, uint64_t x) {
    fill(reg, static_cast<uint32_t>(x)), fill(reg + 1, static_cast<uint32_t>(x >> 32));
  }
  uint64_t pair(int reg, int lane = 0) { return v(reg)[lane] | uint64_t{v(reg + 1)[lane]} << 32; }
  void lanes(int reg) {
    for (uint32_t l = 0; l < 64; ++l) v(reg)[l] = l;
  }
  int width() const { return kernel_.wave_size; }

 private:
  isa::Arch arch_;
  isa::Mc mc_;
  sim::KernelInfo kernel_;
  sim::Options options_;
  sim::Workgroup group_;
  sim::Cluster cluster_;
  sim::Result counts_;

 public:
  sim::Wave wave;

 private:
  std::vector<uint32_t> storage_;
};

}  // namespace simtest
