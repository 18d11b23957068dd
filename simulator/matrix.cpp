// Every matrix instruction in one function that reads its table row: A and B are gathered into arrays of f32, then each result
// register is a row of lanes that accumulates in k order. Lane layouts: AMD matrix instruction calculator, CDNA3 ISA 7.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"            // g++ 12 about its own header (PR 105593)
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

using isa::Type;

// Lanes of one register, element `shift`/bits of each, as f32.
using Convert = void (*)(const u32* lanes, int shift, f32* out);

__attribute__((target("avx512f"))) void f16_avx512(const u32* r, int shift, f32* out) {
  for (int l = 0; l < W; l += 16) _mm512_storeu_ps(out + l, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_loadu_si512(r + l), shift))));
}
void f16_any(const u32* r, int shift, f32* out) { for (int l = 0; l < W; ++l) out[l] = from_f16(static_cast<u16>(r[l] >> shift)); }
void bf16_any(const u32* r, int shift, f32* out) { for (int l = 0; l < W; ++l) out[l] = std::bit_cast<f32>(shift ? r[l] & 0xffff0000 : r[l] << 16); }
template <int mantissa, bool fnuz> void fp8_any(const u32* r, int shift, f32* out) {
  static const auto table = [] { std::array<f32, 256> t; for (int i = 0; i < 256; ++i) t[i] = from_fp8(static_cast<u8>(i), mantissa, fnuz); return t; }();
  for (int l = 0; l < W; ++l) out[l] = table[r[l] >> shift & 255];
}
void f32_any(const u32* r, int, f32* out) { std::memcpy(out, r, sizeof(f32) * W); }
void xf32_any(const u32* r, int, f32* out) { for (int l = 0; l < W; ++l) out[l] = to_xf32(std::bit_cast<f32>(r[l])); }

// nullptr: no semantics yet.
Convert converter(Type t, bool fnuz) {
  static const bool avx512 = __builtin_cpu_supports("avx512f");
  switch (t) {
    case Type::f16: return avx512 ? f16_avx512 : f16_any;
    case Type::bf16: return bf16_any;
    case Type::fp8: return fnuz ? fp8_any<3, true> : fp8_any<3, false>;
    case Type::bf8: return fnuz ? fp8_any<2, true> : fp8_any<2, false>;
    case Type::f32: return f32_any;
    case Type::xf32: return xf32_any;
    default: return nullptr;
  }
}

// The lane that feeds B (or A with cbsz) when a broadcast modifier is set.
int blgp_lane(int lane, int blgp) {
  switch (blgp) {
    case 1: return lane & 31;
    case 2: return 32 + (lane & 31);
    case 3: return (lane + 16) & 63;
    case 4: case 5: case 6: case 7: return 16 * (blgp - 4) + (lane & 15);
    default: return lane;
  }
}
int cbsz_block(int block, int cbsz, int abid) { return cbsz == 0 ? block : (block & ~((1 << cbsz) - 1)) + abid; }

constexpr int max_elements = 64 * 32;                      // of A or B over all blocks
struct Tile { alignas(64) f32 a[max_elements], b[max_elements]; };

// a[(block * k + kk) * m + row], b[(block * k + kk) * n + col]. Runs of m (n) lanes are one row; k runs over elements, then runs.
bool gather(Wave& w, const Step& st, const isa::Matrix& x, Tile& t) {
  const bool fnuz = w.group->target->family == isa::Family::cdna3;
  const isa::Mods& mods = st.inst.mods;
  for (const bool is_a : {true, false}) {
    const int side = is_a ? x.m : x.n, per_lane = side * x.k * x.blocks / W, bits = isa::bits(is_a ? x.a : x.b);
    const Convert convert = converter(is_a ? x.a : x.b, fnuz);
    if (!convert) return false;
    f32* out = is_a ? t.a : t.b;
    for (int j = 0; j < per_lane; ++j) {
      alignas(64) f32 lanes[W];
      convert(w.vreg(st.src[is_a ? 0 : 1].reg + j * bits / 32), j * bits % 32, lanes);
      for (int run = 0; run < W / side; ++run) {
        const int block = run % x.blocks, group = run / x.blocks;
        f32* row = out + (block * x.k + group * per_lane + j) * side;
        const int from = is_a ? run + cbsz_block(block, mods.cbsz, mods.abid) - block : run;
        if (is_a || mods.blgp == 0) std::memcpy(row, lanes + from * side, sizeof(f32) * side);
        else for (int i = 0; i < side; ++i) row[i] = lanes[blgp_lane(run * side + i, mods.blgp)];
      }
    }
  }
  return true;
}

// Which row and block each group of n lanes of result register r holds. Column is lane % n.
struct Place { int block, row; };
Place place(const isa::Matrix& x, int r, int group) {
  const int per_block = x.m * x.n / 64;                    // registers of one block; 0 for 4x4, where a register holds all 16 blocks
  if (per_block == 0) return {group, r};
  const int q = r % per_block, groups = 64 / x.n;
  return {r / per_block, q / 4 * 4 * groups + 4 * group + q % 4};
}

// c[lane] += a[row] * b[col] over k, for each register. Rounded once per multiply-add.
#define MULTIPLY_BODY                                                                        \
  for (int r = 0; r < registers; ++r) {                                                      \
    for (int g = 0; g < 64 / N; ++g) {                                                       \
      const Place p = place(x, r, g);                                                        \
      f32* acc = c + r * 64 + g * N;                                                         \
      const f32 *a = t.a + p.block * x.k * x.m + p.row, *b = t.b + p.block * x.k * N;        \
      f32 sum[N];                                                                            \
      for (int l = 0; l < N; ++l) sum[l] = acc[l];                                           \
      for (int k = 0; k < x.k; ++k)                                                          \
        for (int l = 0; l < N; ++l) sum[l] = __builtin_fmaf(a[k * x.m], b[k * N + l], sum[l]); \
      for (int l = 0; l < N; ++l) acc[l] = sum[l];                                           \
    }                                                                                        \
  }

template <int N> __attribute__((target("avx512f,fma"), optimize("O3"))) void multiply_avx512(const isa::Matrix& x, const Tile& t, f32* c, int registers) { MULTIPLY_BODY }
template <int N> __attribute__((target("avx2,fma"), optimize("O3"))) void multiply_avx2(const isa::Matrix& x, const Tile& t, f32* c, int registers) { MULTIPLY_BODY }
template <int N> void multiply_any(const isa::Matrix& x, const Tile& t, f32* c, int registers) { MULTIPLY_BODY }
#undef MULTIPLY_BODY

template <int N> void multiply(const isa::Matrix& x, const Tile& t, f32* c, int registers) {
  static const bool avx512 = __builtin_cpu_supports("avx512f"), avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx512) multiply_avx512<N>(x, t, c, registers);
  else if (avx2) multiply_avx2<N>(x, t, c, registers);
  else multiply_any<N>(x, t, c, registers);
}

}  // namespace

void multiply_matrices(Wave& w, const Step& st) {
  const isa::Matrix& x = st.row->matrix;
  static thread_local Tile t;
  if (x.d != Type::f32 || !gather(w, st, x, t)) return w.fail(Fault::Kind::unknown_instruction, "matrix instructions of these types have no semantics yet");
  const int registers = x.m * x.n * x.blocks / W;
  f32* c = reinterpret_cast<f32*>(w.vreg(st.dst));         // A and B are gathered: accumulating in place is safe
  const Source& s = st.src[2];
  if (s.from == Source::From::constant) std::fill_n(c, W * registers, std::bit_cast<f32>(s.bits[0]));
  else if (s.reg != st.dst) std::memmove(c, w.vreg(s.reg), sizeof(f32) * W * registers);
  if (x.n == 32) multiply<32>(x, t, c, registers);
  else if (x.n == 16) multiply<16>(x, t, c, registers);
  else multiply<4>(x, t, c, registers);
  w.group->counts->mfma_flops += static_cast<u64>(x.flops());
}

}  // namespace wavesmith::sim
