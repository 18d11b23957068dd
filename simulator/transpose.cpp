// Sixteen bytes of every lane, from anywhere in memory to four registers: blocks of sixteen lanes are transposed in the host's vector registers.
#include "simulator/access.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wavesmith::sim {
namespace {

#if defined(__x86_64__)
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,prefer-vector-width=512")
// Row i of the four holds lanes i, i + 4, i + 8 and i + 12, so that transposing within 128 bits leaves lanes in order; registers are written by whole vectors, as they will be read.
template <class At> void wide(const u8* base, const At* at, int lanes, u32* to) {
  const auto row = [&](int l) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + at[l])); };
  for (int l = 0; l < lanes; l += 16) {
    __m512i r[4];
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm512_castsi128_si512(row(l + i));
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 4), 1);
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 8), 2);
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 12), 3);
    }
    const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpacklo_epi32(r[2], r[3]), c = _mm512_unpackhi_epi32(r[0], r[1]), d = _mm512_unpackhi_epi32(r[2], r[3]);
    const __m512i columns[] = {_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), _mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d)};
    for (int i = 0; i < 4; ++i) _mm512_storeu_si512(to + i * W + l, columns[i]);
  }
}
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx512dq");
#else
template <class At> void wide(const u8*, const At*, int, u32*) {}
constexpr bool has_wide = false;
#endif

template <class At> void narrow(const u8* base, const At* at, int lanes, u32* to) {
  Four r[4];
  for (int l = 0; l < lanes; l += 4) {
    for (int i = 0; i < 4; ++i) std::memcpy(&r[i], base + at[l + i], 16);
    transpose(r);
    for (int i = 0; i < 4; ++i) std::memcpy(to + i * W + l, &r[i], 16);
  }
}

}  // namespace

void rows_to_registers(const u8* base, const u32* at, int lanes, u32* to) { (has_wide ? wide<u32> : narrow<u32>)(base, at, lanes, to); }
void rows_to_registers(const u8* base, const u64* at, int lanes, u32* to) { (has_wide ? wide<u64> : narrow<u64>)(base, at, lanes, to); }

}  // namespace wavesmith::sim
