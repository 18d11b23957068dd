// The kernels at each level of the host's vector unit, and the choice among them at run time.
#include "simulator/matrix.h"
#include "simulator/numerics/numerics.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wavesmith::sim {
namespace {
constexpr int W = Wave::lanes;

#pragma GCC diagnostic ignored "-Wpsabi"            // vector values never leave this file; said at its end too
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // each compiler has its own
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512")
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), apply_to = function)
namespace avx512 {
constexpr int width = 16;
inline __m512 fused_vector(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m128 fused_vector(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
// Of `count` lanes, a multiple of 16; denormals are kept.
inline void f16_block(const u32* r, int shift, int count, f32* out) {
  for (int l = 0; l < count; l += 16)
    _mm512_storeu_ps(out + l, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(
                                  _mm512_srli_epi32(_mm512_loadu_si512(r + l), static_cast<unsigned>(shift)))));
}
#include "simulator/matrix_kernels.inc"
inline void to_f32(__m512i halves, f32* out) { _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(halves))); }
void chunks_of_f16(const u32* registers, const OperandPlan& s, f32* out) {
  for (const Chunk& c : s.chunks) {
    const __m512i x = _mm512_loadu_si512(registers + c.reg * W + c.lane);
    to_f32(x, out + c.to[0]), to_f32(_mm512_srli_epi32(x, 16), out + c.to[1]);
  }
}
void chunks_of_bf16(const u32* registers, const OperandPlan& s, f32* out) {
  for (const Chunk& c : s.chunks) {
    const __m512i x = _mm512_loadu_si512(registers + c.reg * W + c.lane);
    _mm512_storeu_si512(out + c.to[0], _mm512_slli_epi32(x, 16)),
        _mm512_storeu_si512(out + c.to[1], _mm512_and_si512(x, _mm512_set1_epi32(-65536)));
  }
}
}  // namespace avx512
#pragma clang attribute pop
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
namespace avx2 {
constexpr int width = 8;
inline __m256 fused_vector(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m128 fused_vector(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
inline void f16_block(const u32* r, int shift, int count, f32* out);
#include "simulator/matrix_kernels.inc"
inline void f16_block(const u32* r, int shift, int count, f32* out) { f16_lanes(r, shift, count, out); }
}  // namespace avx2
#pragma clang attribute pop
#pragma GCC pop_options
namespace plain {
constexpr int width = 4;
typedef f32 F4 __attribute__((vector_size(16)));
inline F4 fused_vector(F4 a, F4 b, F4 c) {
  for (int l = 0; l < 4; ++l) c[l] = __builtin_fmaf(a[l], b[l], c[l]);
  return c;
}
inline void f16_block(const u32* r, int shift, int count, f32* out);
#include "simulator/matrix_kernels.inc"
inline void f16_block(const u32* r, int shift, int count, f32* out) { f16_lanes(r, shift, count, out); }
}  // namespace plain

// 8-bit floats by table: the upper half of the f32 of each of the 128 magnitudes, all that is not zero of it, its two
// bytes apart.
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,prefer-vector-width=512")
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi"))), \
                             apply_to = function)
namespace vbmi {
struct Magnitudes {
  alignas(64) u8 low[128], high[128];
  bool sign_alone_is_nan;
  template <const FloatFormat* format>
  static const Magnitudes& of() {
    static const Magnitudes all = [] {
      Magnitudes m;
      for (u32 i = 0; i < 128; ++i) {
        const u32 x = std::bit_cast<u32>(plain::from_8_bits<format>(i));
        m.low[i] = static_cast<u8>(x >> 16), m.high[i] = static_cast<u8>(x >> 24);
      }
      m.sign_alone_is_nan = format->special == FloatFormat::Special::minus_zero_is_nan;
      return m;
    }();
    return all;
  }
};
void chunks_of_bytes(const u32* registers, const OperandPlan& s, const Magnitudes& m, f32* out) {
  const __m512i low0 = _mm512_load_si512(m.low), low1 = _mm512_load_si512(m.low + 64),
                high0 = _mm512_load_si512(m.high), high1 = _mm512_load_si512(m.high + 64);
  const __m512i sign = _mm512_set1_epi8(-128), top = _mm512_set1_epi32(-1 << 24), next = _mm512_set1_epi32(0xff << 16);
  constexpr int a_or_b_and_c = 0xf8;
  for (const Chunk& c : s.chunks) {
    const __m512i x = _mm512_loadu_si512(registers + c.reg * W + c.lane);  // the index is bits 6:0 of each byte
    __m512i low = _mm512_permutex2var_epi8(low0, x, low1),
            high = _mm512_ternarylogic_epi32(_mm512_permutex2var_epi8(high0, x, high1), x, sign, a_or_b_and_c);
    if (m.sign_alone_is_nan) {
      const __mmask64 nan = _mm512_cmpeq_epi8_mask(x, sign);
      high = _mm512_mask_mov_epi8(high, nan, _mm512_set1_epi8(-1)),
      low = _mm512_mask_mov_epi8(low, nan, _mm512_set1_epi8(-64));
    }
    const auto put = [&](int part, __m512i of_high, __m512i of_low) {
      _mm512_storeu_si512(out + c.to[static_cast<size_t>(part)],
                          _mm512_ternarylogic_epi32(_mm512_and_si512(of_high, top), of_low, next, a_or_b_and_c));
    };
    put(0, _mm512_slli_epi32(high, 24), _mm512_slli_epi32(low, 16)),
        put(1, _mm512_slli_epi32(high, 16), _mm512_slli_epi32(low, 8));
    put(2, _mm512_slli_epi32(high, 8), low), put(3, high, _mm512_srli_epi32(low, 8));
  }
}
}  // namespace vbmi
#pragma clang attribute pop
#pragma GCC pop_options

enum class InstructionSet : u8 { plain, avx2, avx512 };
const InstructionSet level =
    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
        ? InstructionSet::avx512
    : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? InstructionSet::avx2
                                                                      : InstructionSet::plain;

template <int N>
Multiply kernel_for(const Summation& s) {
  return level == InstructionSet::avx512 ? avx512::exact_of<N>(s)
         : level == InstructionSet::avx2 ? avx2::exact_of<N>(s)
                                         : plain::exact_of<N>(s);
}
Multiply kernel_of(const Summation& s, int n) {
  switch (n) {
    case 4: return kernel_for<4>(s);
    case 16: return kernel_for<16>(s);
    case 32: return kernel_for<32>(s);
    default: return nullptr;
  }
}

}  // namespace

Multiply exact_kernel(const Summation& s, const Operands& o) {
  if ((s.how == Sum::truncated || s.how == Sum::halves) &&
      (o.lowest < Operands::least_aligned || o.highest > Operands::most_aligned))
    return nullptr;
  if ((s.how == Sum::complement || s.how == Sum::floored) &&
      (o.lowest < Operands::least_aligned || o.highest > 60 || s.result != isa::Type::f32))
    return nullptr;
  if (o.k % s.group) return nullptr;
  return kernel_of(s, o.n);
}
MultiplyFused fma_kernel(int n) {
  static constexpr auto choice = [](auto avx512, auto avx2, auto plain) {
    return level == InstructionSet::avx512 ? avx512 : level == InstructionSet::avx2 ? avx2 : plain;
  };
  switch (n) {
    case 4: return choice(avx512::fused<4>, avx2::fused<4>, plain::fused<4>);
    case 16: return choice(avx512::fused<16>, avx2::fused<16>, plain::fused<16>);
    case 32: return choice(avx512::fused<32>, avx2::fused<32>, plain::fused<32>);
    default: return nullptr;
  }
}
Multiply integer_kernel(int n) { return kernel_of({.how = Sum::integer}, n); }

void convert_f16(const u32* lanes, int shift, int count, f32* out) {
  (level == InstructionSet::avx512 ? avx512::f16_block
   : level == InstructionSet::avx2 ? avx2::f16_lanes
                                   : plain::f16_lanes)(lanes, shift, count, out);
}
bool converts_runs(isa::Type t) {
  return t == isa::Type::f16 || t == isa::Type::bf16 || t == isa::Type::fp8 || t == isa::Type::bf8;
}
void convert_runs(const u32* registers, const OperandPlan& s, bool fnuz, f32* out) {
  static const bool bytes_by_table = __builtin_cpu_supports("avx512vbmi");
  if (level == InstructionSet::avx512 && !s.chunks.empty()) switch (s.type) {
      case isa::Type::f16: return avx512::chunks_of_f16(registers, s, out);
      case isa::Type::bf16: return avx512::chunks_of_bf16(registers, s, out);
      case isa::Type::fp8:
        if (bytes_by_table)
          return vbmi::chunks_of_bytes(
              registers, s, fnuz ? vbmi::Magnitudes::of<&format::fp8_fnuz>() : vbmi::Magnitudes::of<&format::fp8>(),
              out);
        break;
      default:
        if (bytes_by_table)
          return vbmi::chunks_of_bytes(
              registers, s, fnuz ? vbmi::Magnitudes::of<&format::bf8_fnuz>() : vbmi::Magnitudes::of<&format::bf8>(),
              out);
        break;
    }
  (level == InstructionSet::avx512 ? avx512::runs_of
   : level == InstructionSet::avx2 ? avx2::runs_of
                                   : plain::runs_of)(registers, s, fnuz, out);
}
void exponent_codes(const f32* x, int least, int count, u32* codes, CodeRange& range) {
  (level == InstructionSet::avx512 ? avx512::codes_of
   : level == InstructionSet::avx2 ? avx2::codes_of
                                   : plain::codes_of)(x, least, count, codes, range);
}
void fma_row_f64(const f64* a, const f64* b, int m, int k, int n, f64* d) {
  (level == InstructionSet::avx512 ? avx512::fused_f64
   : level == InstructionSet::avx2 ? avx2::fused_f64
                                   : plain::fused_f64)(a, b, m, k, n, d);
}

void pair_codes(u32* codes, int depth, int extent) {
  for (int k = 0; k < depth / 2; ++k)
    for (int i = 0; i < extent; ++i)
      codes[k * extent + i] = codes[2 * k * extent + i] | codes[(2 * k + 1) * extent + i] << 16;
}

}  // namespace wavesmith::sim
