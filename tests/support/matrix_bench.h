// One matrix instruction on a wave of its own: operands are put where isa_tables/layout.h says they are, D is read back
// from there.
#pragma once
#include <catch2/catch.hpp>

#include <bit>
#include <cstring>
#include <random>

#include "isa_tables/layout.h"
#include "simulator/matrix.h"
#include "simulator/numerics/valu.h"
#include "simulator/semantics.h"

namespace simtest {
using namespace wavesmith;
using isa::MatrixOperand;

// Elements as bits and back.
inline const sim::FloatFormat* format_of(isa::Type t, isa::Arch arch) {
  const bool fnuz = isa::target(arch).fnuz_fp8();
  switch (t) {
    case isa::Type::f16: return &sim::format::f16;
    case isa::Type::bf16: return &sim::format::bf16;
    case isa::Type::fp8: return fnuz ? &sim::format::fp8_fnuz : &sim::format::fp8;
    case isa::Type::bf8: return fnuz ? &sim::format::bf8_fnuz : &sim::format::bf8;
    case isa::Type::fp6: return &sim::format::fp6;
    case isa::Type::bf6: return &sim::format::bf6;
    case isa::Type::fp4: return &sim::format::fp4;
    default: return nullptr;
  }
}
inline uint64_t bits_of(isa::Type t, isa::Arch arch, double x) {
  if (const auto* f = format_of(t, arch)) return sim::encode(*f, x);
  if (t == isa::Type::f64) return std::bit_cast<uint64_t>(x);
  if (t == isa::Type::f32 || t == isa::Type::xf32) return std::bit_cast<uint32_t>(static_cast<float>(x));
  return static_cast<uint64_t>(static_cast<int64_t>(x)) & ((uint64_t{1} << isa::bits(t)) - 1);
}
inline double value_of(isa::Type t, isa::Arch arch, uint64_t bits) {
  if (const auto* f = format_of(t, arch)) return sim::decode(*f, static_cast<uint32_t>(bits));
  return t == isa::Type::f64   ? std::bit_cast<double>(bits)
         : t == isa::Type::i32 ? static_cast<int32_t>(bits)
                               : std::bit_cast<float>(static_cast<uint32_t>(bits));
}

class MatrixBench {
 public:
  // Source registers of A, B, C, index or scales, scale of B; D.
  static constexpr int reg_a = 0, reg_b = 32, reg_c = 64, reg_index = 100, reg_scale_a = 104, reg_scale_b = 108,
                       reg_d = 128;

  MatrixBench(isa::Opcode op, isa::Arch arch, isa::Mods mods = {}, sim::Numerics numerics = sim::Numerics::exact)
      : arch_(arch), wave_(arch), registers_(sim::Wave::vector_regs * sim::Wave::lanes + 16) {
    options_.numerics = numerics;
    kernel_.wave_size = isa::target(arch).wave_size;
    group_.target = &isa::target(arch), group_.kernel = &kernel_, group_.options = &options_, group_.counts = &counts_;
    wave_.group = &group_;
    wave_.denorm_f32 = 3;  // as the published cases were taken
    wave_.v = registers_.data() + (64 - reinterpret_cast<uintptr_t>(registers_.data()) % 64) % 64 / 4;
    step_.inst.op = op, step_.inst.mods = mods, step_.row = &isa::info(op);
    const isa::Matrix& x = step_.row->matrix;
    const auto vgpr = [](int r) {
      sim::Source s;
      s.from = sim::Source::From::vector;
      s.reg = static_cast<uint16_t>(r);
      return s;
    };
    step_.src[0] = vgpr(reg_a), step_.src[1] = vgpr(reg_b);
    if (x.sparse()) step_.src[2] = vgpr(reg_index), step_.src[3] = vgpr(reg_d);
    else step_.src[2] = vgpr(reg_c), step_.src[3] = vgpr(reg_scale_a), step_.src[4] = vgpr(reg_scale_b);
    step_.dst = reg_d;
  }
  isa::LayoutChoice choice;
  sim::Step& step() { return step_; }
  sim::Wave& wave() { return wave_; }
  const isa::Matrix& shape() const { return step_.row->matrix; }
  isa::OperandLayout layout(MatrixOperand o) const { return isa::layout(*step_.row, arch_, o, choice); }
  int reg(MatrixOperand o) const {
    using enum MatrixOperand;
    return o == a                        ? reg_a
           : o == b                      ? reg_b
           : o == c && !shape().sparse() ? reg_c
           : o == index                  ? reg_index
           : o == scale_a                ? reg_scale_a
           : o == scale_b                ? reg_scale_b
                                         : reg_d;
  }
  void put(MatrixOperand o, isa::Element e, uint64_t bits) {
    const isa::OperandLayout l = layout(o);
    for (const isa::Place p : l.find(e))
      for (int done = 0; done < l.item_bits;) {
        const int at = l.where(p.item).reg * 32 + l.where(p.item).bit + done,
                  here = std::min(32 - at % 32, l.item_bits - done);
        uint32_t& r = wave_.vreg(reg(o) + at / 32)[p.lane];
        const uint32_t mask = (here == 32 ? ~0u : (1u << here) - 1) << at % 32;
        r = (r & ~mask) | (static_cast<uint32_t>(bits >> done) << at % 32 & mask);
        done += here;
      }
  }
  uint64_t get(isa::Element e) {
    const isa::OperandLayout l = layout(MatrixOperand::d);
    const isa::Place p = l.find(e).front();
    const isa::RegisterBits at = l.where(p.item);
    const uint64_t low = wave_.vreg(reg_d + at.reg)[p.lane];
    if (l.item_bits == 64) return low | uint64_t{wave_.vreg(reg_d + at.reg + 1)[p.lane]} << 32;
    return low >> at.bit & ((uint64_t{1} << l.item_bits) - 1);
  }
  void run() {
    step_.plan = &sim::matrix_plan(arch_, kernel_.wave_size, step_);
    sim::multiply_matrices(wave_, step_);
    if (wave_.problem) FAIL(wave_.problem->why);
  }

 private:
  isa::Arch arch_;
  sim::Options options_;
  sim::KernelInfo kernel_;
  sim::Result counts_;
  sim::Workgroup group_;
  sim::Wave wave_;
  std::vector<uint32_t> registers_;
  sim::Step step_;
};

}  // namespace simtest
