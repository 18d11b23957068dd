// seed 20018, gfx1250 -O2: out byte 5184 is 0x37, on the host 0x2c
#include "prelude.h"

// run k20018 block 64 groups 2 out 9792 data 677827164063194757
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void k20018(PARAMETERS) {
local uint counted[8];
local ulong owned[128];
local uchar exchanged[8192] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 64 + lid;
for (uint i = lid; i < 8; i += 64) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
short2 p18[1]; for (int i19 = 0; i19 < 1; ++i19) p18[i19] = ((global const short2*)in)[((int)(((ushort)(a_uint))) & 1023)];
BARRIER();
for (uint i = lid; i < 8; i += 64) ((global uint*)out)[GROUP * 8 + i] = counted[i];
{ short2 v28 = p18[0];
((global short2*)(out + 5184))[gid] = v28;
}
}
PROGRAM(k20018)
