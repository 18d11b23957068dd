// seed 30011, gfx908 -O0: register in flight
#include "prelude.h"

// run k30011 block 128 groups 2 out 9280 data 1293940433780206436
__attribute__((reqd_work_group_size(128, 1, 1))) kernel void k30011(PARAMETERS) {
local uint counted[8];
local ulong owned[256];
local uchar exchanged[16384] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 128 + lid;
for (uint i = lid; i < 8; i += 128) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
uint v3 = ((uint)(0));
short2 v5 = ((short2)(0));
v3 = float_to_uint(__builtin_ldexpf(a_float3.s0, (int)(((long)(v5.s1))) & 31));
BARRIER();
for (uint i = lid; i < 8; i += 128) ((global uint*)out)[GROUP * 8 + i] = counted[i];
}
PROGRAM(k30011)
