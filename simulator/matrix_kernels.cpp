// The kernels at each level of the host's vector unit, and the choice among them at run time.
#include "simulator/matrix.h"
#include "simulator/numerics/numerics.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wavesmith::sim {
namespace {
constexpr int W = Wave::lanes;

#pragma GCC diagnostic ignored "-Wpsabi"                   // vector values never leave this file; said at its end too
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512")
namespace avx512 {
constexpr int width = 16;
inline __m512 fused_vector(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m128 fused_vector(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
// Of `count` lanes, a multiple of 16; denormals are kept.
inline void f16_block(const u32* r, int shift, int count, f32* out) {
  for (int l = 0; l < count; l += 16) _mm512_storeu_ps(out + l, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_loadu_si512(r + l), static_cast<unsigned>(shift)))));
}
#include "simulator/matrix_kernels.inc"
}
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace avx2 {
constexpr int width = 8;
inline __m256 fused_vector(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m128 fused_vector(__m128 a, __m128 b, __m128 c) { return _mm_fmadd_ps(a, b, c); }
inline void f16_block(const u32* r, int shift, int count, f32* out);
#include "simulator/matrix_kernels.inc"
inline void f16_block(const u32* r, int shift, int count, f32* out) { f16_lanes(r, shift, count, out); }
}
#pragma GCC pop_options
namespace plain {
constexpr int width = 4;
typedef f32 F4 __attribute__((vector_size(16)));
inline F4 fused_vector(F4 a, F4 b, F4 c) { for (int l = 0; l < 4; ++l) c[l] = __builtin_fmaf(a[l], b[l], c[l]); return c; }
inline void f16_block(const u32* r, int shift, int count, f32* out);
#include "simulator/matrix_kernels.inc"
inline void f16_block(const u32* r, int shift, int count, f32* out) { f16_lanes(r, shift, count, out); }
}

enum class Level : u8 { plain, avx2, avx512 };
const Level level = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? Level::avx512
                  : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Level::avx2 : Level::plain;

template <int N> Multiply kernel_for(const Summation& s) {
  return level == Level::avx512 ? avx512::exact_of<N>(s) : level == Level::avx2 ? avx2::exact_of<N>(s) : plain::exact_of<N>(s);
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
  if ((s.how == Sum::truncated || s.how == Sum::halves) && (o.lowest < Operands::least_aligned || o.highest > Operands::most_aligned)) return nullptr;
  if (s.how == Sum::exact && o.highest > 60) return nullptr;
  if (o.k % s.group) return nullptr;
  return kernel_of(s, o.n);
}
Multiply fma_kernel(int n) { return kernel_of({Sum::fma, 1, ""}, n); }
Multiply integer_kernel(int n) { return kernel_of({Sum::integer, 1, ""}, n); }

void convert_f16(const u32* lanes, int shift, int count, f32* out) {
  (level == Level::avx512 ? avx512::f16_block : level == Level::avx2 ? avx2::f16_lanes : plain::f16_lanes)(lanes, shift, count, out);
}
bool converts_runs(isa::Type t) { return t == isa::Type::f16 || t == isa::Type::bf16 || t == isa::Type::fp8 || t == isa::Type::bf8; }
void convert_runs(const u32* registers, const Side& s, bool fnuz, f32* out) {
  (level == Level::avx512 ? avx512::runs_of : level == Level::avx2 ? avx2::runs_of : plain::runs_of)(registers, s, fnuz, out);
}
void exponent_codes(const f32* x, int least, int count, u32* codes, CodeRange& range) {
  (level == Level::avx512 ? avx512::codes_of : level == Level::avx2 ? avx2::codes_of : plain::codes_of)(x, least, count, codes, range);
}
void fma_row_f64(const f64* a, const f64* b, int m, int k, int n, f64* d) {
  (level == Level::avx512 ? avx512::fused_f64 : level == Level::avx2 ? avx2::fused_f64 : plain::fused_f64)(a, b, m, k, n, d);
}

void pair_codes(u32* codes, int depth, int extent) {
  for (int k = 0; k < depth / 2; ++k)
    for (int i = 0; i < extent; ++i) codes[k * extent + i] = codes[2 * k * extent + i] | codes[(2 * k + 1) * extent + i] << 16;
}

}  // namespace wavesmith::sim
