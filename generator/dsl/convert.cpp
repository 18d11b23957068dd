#include "generator/dsl/convert.h"

#include "isa_tables/names.h"

namespace wavesmith {
namespace {

std::optional<Opcode> packed_conversion(isa::Type to) {
  switch (to) {
    case isa::Type::f16: return Opcode::v_cvt_pk_f16_f32;
    case isa::Type::bf16: return Opcode::v_cvt_pk_bf16_f32;
    case isa::Type::fp8: return Opcode::v_cvt_pk_fp8_f32;
    case isa::Type::bf8: return Opcode::v_cvt_pk_bf8_f32;
    default: return std::nullopt;
  }
}

}  // namespace

PairConversion::PairConversion(Constants& constants, Arch arch, isa::Type to, Nans nans, Ties ties, Where w)
    : to_(to), nans_(nans), ties_(nans == Nans::quiet_16 ? ties : Ties::even) {
  const auto op = packed_conversion(to);
  if (!op)
    throw isa::IsaError(
        fmt::format("{}: conversion of f32 to {}; legal: f16, bf16, fp8, bf8", place(w), isa::type_name(to)));
  if (isa::info(*op).on(arch)) {
    packed_ = op;
    return;
  }
  if (isa::bits(to) == 8)
    throw isa::IsaError(fmt::format("{}: conversion of f32 to {} on {}; legal: {}", place(w), isa::type_name(to),
                                    isa::target(arch).name, isa::archs_with(isa::info(*op))));
  if (to != isa::Type::bf16) return;
  half_ = ties_ == Ties::away ? constants(0x8000, "half of bf16's last place")
                              : constants(0x7fff, "just below half of bf16's last place");
  high_halves_ = half_selector(constants, Half::high);
}

// Ties away from zero: adds half of the last place to the magnitude. Ties to even: adds 0x7fff plus the lowest bit of
// the result; the upper half is the result. The addition can turn a NaN into a number or an infinity, so with Nans::any
// NaNs are selected unchanged, made quiet.
void PairConversion::round_bf16(Block& b, std::array<Vgpr, 2> values, std::array<Vgpr, 2> scratch, Where w) const {
  constexpr int quiet = 1 << 22;
  if (ties_ == Ties::away) {
    for (size_t i : {0, 1}) b.v_add_u32(values[i], half_, values[i], {}, w);
    return;
  }
  for (size_t i : {0, 1}) b.v_bfe_u32(scratch[i], values[i], 16, 1, {}, w);
  if (nans_ == Nans::quiet_16) {
    for (size_t i : {0, 1}) b.v_add3_u32(values[i], values[i], scratch[i], half_, {}, w);
    return;
  }
  for (size_t i : {0, 1}) {
    b.v_add3_u32(scratch[i], values[i], scratch[i], half_, {}, w);
    b.v_cmp_u_f32(vcc, values[i], values[i], {}, w);
    b.v_or_b32(values[i], quiet, values[i], {}, w);
    b.v_cndmask_b32(values[i], scratch[i], values[i], vcc, {}, w);
  }
}

std::array<PairConversion::Place, 2> PairConversion::round(Block& b, Vgpr low, Vgpr high, std::array<Vgpr, 2> scratch,
                                                           Where w) const {
  if (packed_) {
    b.emit(*packed_, {low.operand(), low.operand(), high.operand()}, {}, w);
    return {{{low, Half::low}, {low, Half::high}}};
  }
  if (to_ == isa::Type::f16) {
    b.v_cvt_f16_f32(low, low, {}, w);
    b.v_cvt_f16_f32(high, high, {}, w);
    return {{{low, Half::low}, {high, Half::low}}};
  }
  round_bf16(b, {low, high}, scratch, w);
  return {{{low, Half::high}, {high, Half::high}}};
}

void PairConversion::pack(Block& b, Vgpr dst, Vgpr low, Vgpr high, std::array<Vgpr, 2> scratch, Where w) const {
  if (packed_) return void(b.emit(*packed_, {dst.operand(), low.operand(), high.operand()}, {}, w));
  if (to_ == isa::Type::f16) return pack_f16(b, dst, low, high, w);
  round(b, low, high, scratch, w);
  join_halves(b, dst, low, high, high_halves_, w);
}

// x * 1 - 0, which is x with its sign, rounded into one half of dst, at the full rate of the VALU, where v_cvt_f16_f32
// has a quarter of it on CDNA (LLVM 22's model; not measured). A half of dst that is still f32 is read first.
void PairConversion::pack_f16(Block& b, Vgpr dst, Vgpr low, Vgpr high, Where w) const {
  const bool high_first = dst.operand() == high.operand();
  if (high_first) b.v_fma_mixhi_f16(dst, high, 1.0f, neg(0), {}, w);
  b.v_fma_mixlo_f16(dst, low, 1.0f, neg(0), {}, w);
  if (!high_first) b.v_fma_mixhi_f16(dst, high, 1.0f, neg(0), {}, w);
}

void PairConversion::pack_bytes(Block& b, Vgpr dst, Half half, Vgpr low, Vgpr high, Where w) const {
  b.emit(*packed_, {dst.operand(), low.operand(), high.operand()}, {.op_sel = uint8_t(half == Half::high ? 8 : 0)}, w);
}

void widen_half(Block& b, isa::Type type, Vgpr to, Vgpr from, Half half, Where w) {
  const bool high = half == Half::high;
  if (type == isa::Type::f16)
    b.v_fma_mix_f32(to, from, 1.0f, neg(0), {.op_sel = uint8_t(high ? 1 : 0), .op_sel_hi = 1}, w);
  else if (high) b.v_and_b32(to, 0xffff0000u, from, {}, w);
  else b.v_lshlrev_b32(to, 16, from, {}, w);
}

namespace {
Opcode widening(isa::Type from) { return from == isa::Type::fp8 ? Opcode::v_cvt_pk_f32_fp8 : Opcode::v_cvt_pk_f32_bf8; }
Opcode direct_widening(isa::Type from, isa::Type to) {
  if (to == isa::Type::f16)
    return from == isa::Type::fp8 ? Opcode::v_cvt_scalef32_pk_f16_fp8 : Opcode::v_cvt_scalef32_pk_f16_bf8;
  return from == isa::Type::fp8 ? Opcode::v_cvt_scalef32_pk_bf16_fp8 : Opcode::v_cvt_scalef32_pk_bf16_bf8;
}
}  // namespace

bool widens(Arch arch, isa::Type from) {
  return (from == isa::Type::fp8 || from == isa::Type::bf8) && isa::info(widening(from)).on(arch);
}
PairWidening::PairWidening(Constants& constants, Arch arch, isa::Type from, isa::Type to, Where w)
    : to_(to), op_(widening(from)), halves_(constants) {
  if (!widens(arch, from))
    throw isa::IsaError(fmt::format("{}: {} has no conversion from {}", place(w), isa::target(arch).name,
                                    from == isa::Type::fp8 ? "fp8" : "bf8"));
  if (const Opcode one = direct_widening(from, to); isa::info(one).on(arch)) op_ = one, direct_ = true;
}
void PairWidening::widen(Block& b, Vgpr dst, Vgpr from, Vgpr scratch, Where w) const {
  if (direct_) return void(b.emit(op_, {dst.operand(), from.operand(), isa::immf(1.0f)}, {}, w));
  b.emit(op_, {scratch.operand(), from.operand()}, {}, w);
  if (to_ == isa::Type::f16) b.v_cvt_pkrtz_f16_f32(dst, scratch[0], scratch[1], {}, w);
  else halves_.column(b, dst, scratch[0], scratch[1], Half::high, w);
}

}  // namespace wavesmith
