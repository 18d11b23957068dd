// What a random program is written in, for both compilers: the device's (clang's builtins, no device library) and the host's (HOST: the
// same OpenCL C compiled for the processor that the test runs on, host.c below it). Every operation here has one result on both.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF

#define NOINLINE __attribute__((noinline))
#define INLINE static __attribute__((always_inline))
#define PARAMETERS                                                                                                                          \
  global const uchar *in, global uchar *out, global uchar *own, global uint *shared, int a_int, uint a_uint, long a_long, float a_float,    \
      double a_double, short a_short, uchar a_uchar, half a_half, uint4 a_uint4, char4 a_char4, float3 a_float3, ulong2 a_ulong2

#ifdef HOST
uint w_item(void), w_group(void), w_wave_size(void), w_gfx9(void);
void w_barrier(void);
ulong w_ballot(int);
uint w_read_lane(uint, uint), w_permute(uint, uint), w_swizzle(uint, uint), w_dpp(uint, uint, uint, uint, uint, uint), w_reduce(uint, uint);
uint w_permlane16(uint, uint, uint, uint);
ushort w_fma_half(ushort, ushort, ushort);
#define LID w_item()
#define GROUP w_group()
#define WAVE w_wave_size()
#define BARRIER() w_barrier()
#define READ_FIRST(x) w_read_lane(x, 0)
#define READ_LANE(x, lane) w_read_lane(x, lane)
#define HALF(lane) (w_gfx9() || WAVE == 32 ? (lane) : (((lane) & 31) | (LID & 32)))
#define BPERMUTE(lane, x) w_read_lane(x, HALF(lane))
#define PERMUTE(lane, x) w_permute(HALF(lane), x)
#define SWIZZLE(x, pattern) w_swizzle(x, pattern)
#define DPP(old, x, control, rows, banks, bound) w_dpp(old, x, control, rows, banks, bound)
#define DPP_FAMILY(old, x, gfx9, gfx10, rows, banks, bound) w_dpp(old, x, w_gfx9() ? gfx9 : gfx10, rows, banks, bound)
#define PERMLANE16(x, low, high, other) (w_gfx9() ? (x) : w_permlane16(x, low, high, other))
#define BALLOT(c) w_ballot(c)
#define REDUCE(op, number, x) w_reduce(x, number)
#define ALL_ONES() (-1UL)
#define ONE() 1
#define ZERO() 0UL
INLINE half fma_half(half a, half b, half c) { return __builtin_astype(w_fma_half(__builtin_astype(a, ushort), __builtin_astype(b, ushort), __builtin_astype(c, ushort)), half); }
INLINE half2 fma_half2(half2 a, half2 b, half2 c) { return (half2)(fma_half(a.x, b.x, c.x), fma_half(a.y, b.y, c.y)); }
struct arguments {
  global uchar *in, *out, *own; global uint *shared; int a_int; uint a_uint; long a_long; float a_float; double a_double; short a_short; uchar a_uchar; half a_half;
  uint4 a_uint4; char4 a_char4; float3 a_float3; ulong2 a_ulong2;
};
#define PROGRAM(name)                                                                                                                     \
  void host_##name(struct arguments *a) {                                                                                                 \
    name(a->in, a->out, a->own, a->shared, a->a_int, a->a_uint, a->a_long, a->a_float, a->a_double, a->a_short, a->a_uchar, a->a_half,    \
         a->a_uint4, a->a_char4, a->a_float3, a->a_ulong2);                                                                               \
  }
#else
#define LID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define WAVE __builtin_amdgcn_wavefrontsize()
#define BARRIER() (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define READ_FIRST(x) (uint)__builtin_amdgcn_readfirstlane(x)
#define READ_LANE(x, lane) (uint)__builtin_amdgcn_readlane(x, lane)
#if defined(WAVE64) && !defined(__GFX9__)                  // a wave of 64 permutes its halves alone there
#define HALF(lane) (((lane) & 31) | (LID & 32))
#else
#define HALF(lane) (lane)
#endif
#define BPERMUTE(lane, x) (uint)__builtin_amdgcn_ds_bpermute(HALF(lane) * 4, x)
#define PERMUTE(lane, x) (uint)__builtin_amdgcn_ds_permute(HALF(lane) * 4, x)
#define SWIZZLE(x, pattern) (uint)__builtin_amdgcn_ds_swizzle(x, pattern)
#define DPP(old, x, control, rows, banks, bound) (uint)__builtin_amdgcn_update_dpp(old, x, control, rows, banks, bound)
#ifdef __GFX9__
#define DPP_FAMILY(old, x, gfx9, gfx10, rows, banks, bound) (uint)__builtin_amdgcn_update_dpp(old, x, gfx9, rows, banks, bound)
#define PERMLANE16(x, low, high, other) (x)
#else
#define DPP_FAMILY(old, x, gfx9, gfx10, rows, banks, bound) (uint)__builtin_amdgcn_update_dpp(old, x, gfx10, rows, banks, bound)
#define PERMLANE16(x, low, high, other) (uint)(other ? __builtin_amdgcn_permlanex16(x, x, low, high, 0, 0) : __builtin_amdgcn_permlane16(x, x, low, high, 0, 0))
#endif
#ifdef WAVE64
#define BALLOT(c) __builtin_amdgcn_ballot_w64(c)
#else
#define BALLOT(c) ((ulong)__builtin_amdgcn_ballot_w32(c))
#endif
// What three defects of LLVM 22 must not see: it makes the constant itself of a constant's sum and exclusive or over the wave; of a half of `x | y` of
// 64 bits where y's half is known to be all ones, x's half; and of x & 1 == 0 beside x & 1 != 0, which an index into two elements becomes, the same.
// -O0 has none of them.
#ifdef __OPTIMIZE__
#define HIDE(x) __asm__("" : "+s"(x))
#else
#define HIDE(x)
#endif
INLINE ulong all_ones(void) { ulong ones = -1UL; HIDE(ones); return ones; }
INLINE uint hidden_zero(void) { uint zero = 0; HIDE(zero); return zero; }
INLINE ulong hidden_zero64(void) { ulong zero = 0; HIDE(zero); return zero; }
INLINE int hidden_one(void) { int one = 1; HIDE(one); return one; }
#define ALL_ONES() all_ones()
#define ONE() hidden_one()
#define ZERO() hidden_zero64()
#define REDUCE(op, number, x) (uint)__builtin_amdgcn_wave_reduce_##op((x) ^ hidden_zero(), 0)
INLINE half fma_half(half a, half b, half c) { return __builtin_elementwise_fma(a, b, c); }
INLINE half2 fma_half2(half2 a, half2 b, half2 c) { return __builtin_elementwise_fma(a, b, c); }
#define PROGRAM(name)
#endif

// Division where C leaves it open: by zero, and of the least number by -1.
#define INTEGER(T, wide)                                                                                       \
  INLINE T divide_##T(T a, T b) { return b == 0 ? a : b == (T)-1 ? (T)(0 - a) : (T)(a / b); }                  \
  INLINE T modulo_##T(T a, T b) { return b == 0 || b == (T)-1 ? (T)3 : (T)(a % b); }                           \
  typedef T __attribute__((aligned(1))) T##_unaligned;                                                         \
  INLINE T high_##T(T a, T b) { return (T)(((wide)a * (wide)b) >> (8 * sizeof(T))); }
#define HIGH64(T)                                                                                              \
  INLINE T divide_##T(T a, T b) { return b == 0 ? a : b == (T)-1 ? (T)(0 - a) : (T)(a / b); }                  \
  INLINE T modulo_##T(T a, T b) { return b == 0 || b == (T)-1 ? (T)3 : (T)(a % b); }                           \
  typedef T __attribute__((aligned(1))) T##_unaligned;                                                         \
  INLINE T high_##T(T a, T b) { return (T)(((__int128)a * (__int128)b) >> 64); }
INTEGER(char, int) INTEGER(uchar, uint) INTEGER(short, int) INTEGER(ushort, uint) INTEGER(int, long) INTEGER(uint, ulong) HIGH64(long) HIGH64(ulong)

// A float as its bits, every NaN alike: compilers and machines differ in which NaN they make.
INLINE short bits_half(half x) { return x != x ? (short)0x7e00 : __builtin_astype(x, short); }
INLINE int bits_float(float x) { return x != x ? 0x7fc00000 : __builtin_astype(x, int); }
INLINE long bits_double(double x) { return x != x ? 0x7ff8000000000000 : __builtin_astype(x, long); }
#define VECTOR_BITS(n)                                                                                                                    \
  INLINE short##n bits_half##n(half##n x) { return x != x ? (short##n)((short)0x7e00) : __builtin_astype(x, short##n); }                  \
  INLINE int##n bits_float##n(float##n x) { return x != x ? (int##n)(0x7fc00000) : __builtin_astype(x, int##n); }                         \
  INLINE long##n bits_double##n(double##n x) { return x != x ? (long##n)(0x7ff8000000000000) : __builtin_astype(x, long##n); }
VECTOR_BITS(2) VECTOR_BITS(3) VECTOR_BITS(4) VECTOR_BITS(8) VECTOR_BITS(16)

// LLVM 22 at -O0 moves 16 bits only of each half for gfx11.
INLINE ulong swap64(ulong x) { return (ulong)__builtin_bswap32((uint)x) << 32 | __builtin_bswap32((uint)(x >> 32)); }

// Conversions to integers where the value fits, 7 elsewhere.
#define TO_INTEGER(T, low, high)                                                             \
  INLINE T half_to_##T(half x) { return (float)x > low##f && (float)x < high##f ? (T)x : (T)7; } \
  INLINE T float_to_##T(float x) { return x > low##f && x < high##f ? (T)x : (T)7; }         \
  INLINE T double_to_##T(double x) { return x > low && x < high ? (T)x : (T)7; }
TO_INTEGER(char, -129.0, 128.0) TO_INTEGER(uchar, -1.0, 256.0) TO_INTEGER(short, -32769.0, 32768.0) TO_INTEGER(ushort, -1.0, 65536.0)
TO_INTEGER(int, -2147483648.0, 2147483648.0) TO_INTEGER(uint, -1.0, 4294967296.0) TO_INTEGER(long, -0x1p63, 0x1p63) TO_INTEGER(ulong, -1.0, 0x1p64)

typedef half __attribute__((aligned(1))) half_unaligned;
typedef float __attribute__((aligned(1))) float_unaligned;
typedef double __attribute__((aligned(1))) double_unaligned;

// Atomic operations; the scope is the workgroup's for LDS and the device's elsewhere.
#define ATOMIC(op, space, T, p, value, scope) __opencl_atomic_##op((volatile space atomic_##T *)(p), value, 0, scope)
#define SWAP_IF(space, T, p, expected, value, scope) __opencl_atomic_compare_exchange_strong((volatile space atomic_##T *)(p), expected, value, 0, 0, scope)
