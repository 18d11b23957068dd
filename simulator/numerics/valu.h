// Arithmetic of the vector ALU for which the host's operators do not suffice: MODE's rounding and denormal bits, NaN
// rules, dot products and packed conversions. One function each; lanes.h applies modifiers, clamp and omod around them.
#pragma once
#include <array>

#include "simulator/numerics/numerics.h"

namespace wavesmith::sim {

// -- f32 and f64 under MODE.fp_round: one rounding of the exact result --
double odd_sum(double,
               double);  // the sum rounded to odd: rounding that to 51 bits or fewer rounds the exact sum
float round_f32(double exact, Round);
float add_f32(float, float, Round);
float mul_f32(float, float, Round);
float fma_f32(float a, float b, float c, Round);

// -- NaN rules (MODE.IEEE; RDNA3 and CDNA3 ISA, V_MIN_F32) --

// A NaN operand is ignored; with IEEE a signalling NaN is returned, quieted. -0 counts as less than +0.
float min_f32(float, float, bool ieee);
float max_f32(float, float, bool ieee);

// -- Random numbers of stochastic rounding: V_PRNG_B32 (CDNA4 ISA) --
inline uint32_t next_random(uint32_t x) { return x << 1 ^ (x >> 31 ? 197u : 0u); }

// -- Integer dot products (those of floats: matrix.h) --
struct DotInt {
  int bits;
  bool signed_a, signed_b, clamp;
};  // elements of 4 or 8 bits of a dword
int32_t dot_i32(uint32_t a, uint32_t b, int32_t c, DotInt);  // clamp saturates, otherwise wraps
uint32_t dot_u32(uint32_t a, uint32_t b, uint32_t c, DotInt);

// -- Conversions --
int16_t norm_i16(double x);  // x * 32767, nearest even, saturated; NaN is 0
uint16_t norm_u16(double x);
int32_t to_i32(double x);  // toward zero, saturated; NaN is 0
uint32_t to_u32(double x);
uint8_t to_u8(double x);  // nearest even, saturated; NaN is 0 (V_CVT_PK_U8_F32)

// V_CVT_SCALEF32_*: the scale operand is an f32 of which only the exponent counts (CDNA4 ISA, VOP3): 2^(exponent -
// 127), 255 is NaN.
double scale_of(float);

}  // namespace wavesmith::sim
