// seed 30098, gfx1200 -O3: false hazard (VALU SGPR), the SALU's read of ttmp9 that ends it was not seen
#include "prelude.h"

// run k30098 block 128 groups 2 out 43072 data 1144389068474602274
constant half k30098_c1[2] = {((half)(0.15915494h)), ((half)(329.663h)), };
static NOINLINE short k30098_f0(ushort a0, half a1, double a2, uint *p) {
int v3 = ((int)(0xffffffffffffffffUL));
int4 p4[2]; for (int i5 = 0; i5 < 2; ++i5) p4[i5] = (((int4)((int)(0x26997538538UL))) >> ((int4)((int)(0xfffffffffffffff6UL))));
p4[((int)(((ulong)((long)(int)(((ulong)(double_to_uint(a2) != 0))) * (long)(int)(divide_ulong(((ulong)(a0)), ((ulong)(0xffffffffffffffffUL)))) + (long)(((ulong)(((ulong)(v3)) >> ((ulong)(a0)))))))) & ONE())] = ((((((int4)((int)(0xe4332388b0eaa89UL))) >> ((int4)((int)(0x400001UL)))) << ((((int4)((int)(0xffffffffffff1cd1UL)))) / ((((int4)((int)(0x20UL))) & (int4)((int)127)) | (int4)((int)1))))) % ((((int4)((int)(0xff00ff00ff00ff0UL))) & (int4)((int)127)) | (int4)((int)1)));
return ((short)(((uint)(v3)) == ((uint)(a0))));
}
__attribute__((reqd_work_group_size(128, 1, 1))) kernel void k30098(PARAMETERS) {
local uint counted[8];
local ulong owned[256];
local uchar exchanged[16384] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 128 + lid;
for (uint i = lid; i < 8; i += 128) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
uint u6 = GROUP;
int v7 = ((int)(((int)(((int)(GROUP)) + half_to_int(a_half) | ((int)(0x52a0UL)))) ^ divide_int(float_to_int(a_float3.s0), ((int)(0x0UL)))));
uint v8 = ((uint)bits_double((((((long)(GROUP)) != 0) || (((uchar)(0xffffffffffffffffUL)) > 0)) ? ((double)(a_half)) : ((double)(a_int)))));
half4 v9 = __builtin_convertvector(__builtin_convertvector(((((ulong4)((ulong)(0x800000000UL)))) % ((__builtin_convertvector(a_char4, ulong4) & (ulong4)((ulong)255)) | (ulong4)((ulong)1))), short4), half4);
half v10 = ((a_half - ((half)(short)(v8))) - ((half)(a_double)));
float16 v11 = __builtin_convertvector((((ulong4)((ulong)(0x1ffffffffffffUL)))).s0103232132332022, float16);
ushort v12 = ((ushort)(a_char4.s1));
int16 p13[4]; for (int i14 = 0; i14 < 4; ++i14) p13[i14] = (((int16)((int)(0xfUL))) ^ ((int16)((int)(0x0UL))));
local int3 l15[512]; for (int i16 = 0; i16 < 4; ++i16) l15[lid * 4 + i16] = __builtin_convertvector(bits_half3(__builtin_convertvector(a_float3, half3)), int3);
*(global ulong_unaligned*)(own + gid * 64 + (((uint)((uint)(a_ulong2.s1))) & 15)) = ((ulong)((((int)__builtin_popcount((uint)(((int)(a_long))) | 1)) != 0) && (double_to_uchar(((double)(v9.s1))) > 0))); v7 = *(global int_unaligned*)(own + gid * 64 + (((uint)GROUP) & 15));
BARRIER(); ((local float16*)exchanged)[lid] = (__builtin_elementwise_fma(((float8)((float)(3.0f))), ((float8)((float)(50.840f))), ((float8)((float)(-4.0f))))).s1324716532002417; BARRIER();
v11 = ((local const float16*)exchanged)[((uint)(((uint)a_uint + lid))) % 128]; BARRIER();
l15[lid * 4 + 3] = ((((int3)((int)(0xffffca67dc130024UL)))) / ((__builtin_convertvector((((short3)((short)(0x11UL))) * ((global const short3*)in)[((int)(((ulong)(a_long))) & 511)]), int3) & (int3)((int)127)) | (int3)((int)1)));
v8 = GROUP;
BARRIER();
for (uint i = lid; i < 8; i += 128) ((global uint*)out)[GROUP * 8 + i] = counted[i];
((global uint*)(out + 64))[gid] = u6;
((global int*)(out + 1088))[gid] = v7;
((global uint*)(out + 2112))[gid] = v8;
((global short4*)(out + 3136))[gid] = bits_half4(v9);
((global short*)(out + 5184))[gid] = bits_half(v10);
((global int16*)(out + 5696))[gid] = bits_float16(v11);
((global ushort*)(out + 22080))[gid] = v12;
{ int16 v17 = p13[3];
((global int16*)(out + 22592))[gid] = v17;
}
{ int3 v18 = l15[lid * 4 + 0];
((global int4*)(out + 38976))[gid] = (int4)(v18, 0);
}
}
PROGRAM(k30098)
