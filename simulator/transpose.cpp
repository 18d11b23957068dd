// Sixteen bytes of every lane, between anywhere in memory and four registers: blocks of sixteen lanes are transposed in
// the host's vector registers.
#include "simulator/access.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace wavesmith::sim {
namespace {

#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"  // each compiler has its own
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,prefer-vector-width=512")
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq"))), apply_to = function)
// Within each 128 bits, which is its own inverse.
inline __attribute__((always_inline)) void transpose(__m512i* r) {
  const __m512i a = _mm512_unpacklo_epi32(r[0], r[1]), b = _mm512_unpacklo_epi32(r[2], r[3]),
                c = _mm512_unpackhi_epi32(r[0], r[1]), d = _mm512_unpackhi_epi32(r[2], r[3]);
  r[0] = _mm512_unpacklo_epi64(a, b), r[1] = _mm512_unpackhi_epi64(a, b), r[2] = _mm512_unpacklo_epi64(c, d),
  r[3] = _mm512_unpackhi_epi64(c, d);
}
// Row i of the four holds lanes i, i + 4, i + 8 and i + 12, so that transposing leaves lanes in order; registers are
// written by whole vectors, as they will be read.
template <class At>
void load_wide(HostBase base, const At* at, int lanes, u32* to) {
  const auto row = [&](int l) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + at[l])); };
  for (int l = 0; l < lanes; l += 16) {
    __m512i r[4];
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm512_castsi128_si512(row(l + i));
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 4), 1);
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 8), 2);
      r[i] = _mm512_inserti32x4(r[i], row(l + i + 12), 3);
    }
    transpose(r);
    for (int i = 0; i < 4; ++i) _mm512_storeu_si512(to + i * W + l, r[i]);
  }
}
template <class At>
void store_wide(const u32* from, HostBase base, const At* at, int lanes) {
  for (int l = 0; l < lanes; l += 16) {
    __m512i r[4];
    for (int i = 0; i < 4; ++i) r[i] = _mm512_loadu_si512(from + i * W + l);
    transpose(r);
    const auto four = [&]<int part>() {
      for (int i = 0; i < 4; ++i)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(base + at[l + 4 * part + i]),
                         _mm512_extracti32x4_epi32(r[i], part));
    };
    four.template operator()<0>(), four.template operator()<1>(), four.template operator()<2>(),
        four.template operator()<3>();
  }
}
#pragma clang attribute pop
#pragma GCC pop_options
const bool has_wide = __builtin_cpu_supports("avx512dq");
#else
template <class At>
void load_wide(const u8*, const At*, int, u32*) {}
template <class At>
void store_wide(const u32*, u8*, const At*, int) {}
constexpr bool has_wide = false;
#endif

using Four = u32 __attribute__((vector_size(16)));
#if defined(__clang__)  // has no shuffle by values
void transpose(Four* r) {
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) {
      const u32 x = r[i][j];
      r[i][j] = r[j][i], r[j][i] = x;
    }
}
#else
void transpose(Four* r) {  // rows to columns
  const Four a = __builtin_shuffle(r[0], r[1], Four{0, 4, 1, 5}), b = __builtin_shuffle(r[2], r[3], Four{0, 4, 1, 5});
  const Four c = __builtin_shuffle(r[0], r[1], Four{2, 6, 3, 7}), d = __builtin_shuffle(r[2], r[3], Four{2, 6, 3, 7});
  r[0] = __builtin_shuffle(a, b, Four{0, 1, 4, 5}), r[1] = __builtin_shuffle(a, b, Four{2, 3, 6, 7});
  r[2] = __builtin_shuffle(c, d, Four{0, 1, 4, 5}), r[3] = __builtin_shuffle(c, d, Four{2, 3, 6, 7});
}
#endif
template <class At>
void load_narrow(HostBase base, const At* at, int lanes, u32* to) {
  Four r[4];
  for (int l = 0; l < lanes; l += 4) {
    for (int i = 0; i < 4; ++i) std::memcpy(&r[i], base + at[l + i], 16);
    transpose(r);
    for (int i = 0; i < 4; ++i) std::memcpy(to + i * W + l, &r[i], 16);
  }
}
template <class At>
void store_narrow(const u32* from, HostBase base, const At* at, int lanes) {
  Four r[4];
  for (int l = 0; l < lanes; l += 4) {
    for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * W + l, 16);
    transpose(r);
    for (int i = 0; i < 4; ++i) std::memcpy(base + at[l + i], &r[i], 16);
  }
}

}  // namespace

void rows_to_registers(HostBase base, const u32* at, int lanes, u32* to) {
  (has_wide ? load_wide<u32> : load_narrow<u32>)(base, at, lanes, to);
}
void rows_to_registers(HostBase base, const u64* at, int lanes, u32* to) {
  (has_wide ? load_wide<u64> : load_narrow<u64>)(base, at, lanes, to);
}
void registers_to_rows(const u32* from, HostBase base, const u32* at, int lanes) {
  (has_wide ? store_wide<u32> : store_narrow<u32>)(from, base, at, lanes);
}
void registers_to_rows(const u32* from, HostBase base, const u64* at, int lanes) {
  (has_wide ? store_wide<u64> : store_narrow<u64>)(from, base, at, lanes);
}

}  // namespace wavesmith::sim
