// seed 9002, gfx1100 -O0: register in flight
#include "prelude.h"

// run k9002 block 128 groups 2 out 45440 data 4713740316233886137
kernel void k9002(PARAMETERS) {
local uint counted[8];
local ulong owned[256];
local uchar exchanged[16384] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 128 + lid;
for (uint i = lid; i < 8; i += 128) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
half u0 = ((half)(0));
u0 = (a_half * u0);
BARRIER();
for (uint i = lid; i < 8; i += 128) ((global uint*)out)[GROUP * 8 + i] = counted[i];
}
PROGRAM(k9002)
