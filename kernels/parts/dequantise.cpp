#include "kernels/parts/dequantise.h"

#include "isa_tables/opcodes.h"

namespace wavesmith {
namespace {
constexpr int middle = 8;                    // the zero point of -8 to 7, as 0 to 15
constexpr uint32_t flip_signs = 0x88888888;  // -8 to 7 become 0 to 15
constexpr uint32_t exponents = 0x64646464;   // the high byte of 1024 to 1279 as f16
constexpr uint32_t nibbles = 0x64f0640f;     // 1024 + q in the low half, 1024 + 16 q in the high one
constexpr uint32_t offsets = 0xd400e400;     // -1024 and -64; a zero point is added to bits 0 and 20
constexpr uint32_t one_and_16th = 0x2c003c00;
}  // namespace

Dequantiser::Dequantiser(Constants& constants, Arch arch, isa::Type to, Range range) : to_(to), range_(range) {
  if (to == isa::Type::bf16) {
    pair_.emplace(constants, arch, to, Nans::quiet_16);
    return;
  }
  for (uint32_t i = 0; i < 4; ++i)
    byte_twice_[i] = constants(0x04000400 + i * 0x00010001, fmt::format("v_perm selector: byte {} in both halves", i));
  sixteenth_ = constants(one_and_16th, "f16 of 1 and 1/16");
}
void Dequantiser::declare(Registers& r) {
  scratch_ = r.v.alloc(to_ == isa::Type::f16 ? 1 : 6, "elements on their way to 16-bit floats");
  if (to_ == isa::Type::f16) exponent_ = r.v.alloc(1, "high bytes of 1024 as f16");
}
void Dequantiser::begin(Block& b) const {
  if (to_ == isa::Type::f16) b.v_mov_b32(exponent_, exponents);
}

void Dequantiser::prepare(Block& b, Vgpr factors, Vgpr scale, Vgpr zero) const {
  const Vgpr offset = factors[1], factor = factors[0];
  const bool zeros = range_ == Range::with_zero_points;
  if (to_ == isa::Type::f16) {
    b.v_lshl_or_b32(factor, scale, 16, scale);
    if (!zeros) return void(b.v_mov_b32(offset, offsets | middle | middle << 20));
    b.v_lshl_or_b32(offset, zero, 20, zero);
    b.v_or_b32(offset, offsets, offset);
    return;
  }
  b.v_lshlrev_b32(factor, 16, scale);
  if (!zeros) return void(b.v_mul_f32(offset, static_cast<float>(-middle), factor));
  b.v_cvt_f32_ubyte0(offset, zero);
  b.v_mul_f32(offset, factor, offset);
  b.v_xor_b32(offset, 1 << 31, offset);
}

void Dequantiser::convert(Block& b, Vgpr to, Vgpr from, Vgpr factors) const {
  if (range_ == Range::with_sign) b.v_xor_b32(scratch_[0], flip_signs, from);
  const Vgpr q = range_ == Range::with_sign ? scratch_[0] : from;
  if (to_ == isa::Type::f16) to_f16(b, to, q, factors);
  else to_bf16(b, to, q, factors);
}
void Dequantiser::to_f16(Block& b, Vgpr to, Vgpr q, Vgpr factors) const {
  for (int i = 0; i < 4; ++i) b.v_perm_b32(to[i], exponent_, q, byte_twice_[i]);
  for (int i = 0; i < 4; ++i) b.v_and_b32(to[i], nibbles, to[i]);
  for (int i = 0; i < 4; ++i) b.v_pk_fma_f16(to[i], to[i], sixteenth_, factors[1]);
  for (int i = 0; i < 4; ++i) b.v_pk_mul_f16(to[i], to[i], factors[0]);
}
void Dequantiser::to_bf16(Block& b, Vgpr to, Vgpr q, Vgpr factors) const {
  constexpr uint32_t low_nibbles = 0x0f0f0f0f;
  constexpr Opcode byte_to_f32[] = {Opcode::v_cvt_f32_ubyte0, Opcode::v_cvt_f32_ubyte1, Opcode::v_cvt_f32_ubyte2,
                                    Opcode::v_cvt_f32_ubyte3};
  const Vgpr even = scratch_[0], odd = scratch_[1], low = scratch_[2], high = scratch_[3];
  b.v_lshrrev_b32(odd, 4, q);
  b.v_and_b32(odd, low_nibbles, odd);
  b.v_and_b32(even, low_nibbles, q);
  for (int i = 0; i < 4; ++i) {
    b.emit(byte_to_f32[i], {low.operand(), even.operand()}, {}, Where::current());
    b.emit(byte_to_f32[i], {high.operand(), odd.operand()}, {}, Where::current());
    for (const Vgpr value : {low, high}) b.v_fma_f32(value, value, factors[0], factors[1]);
    pair_->pack(b, to[i], low, high, {scratch_[4], scratch_[5]});
  }
}

}  // namespace wavesmith
