// seed 20051, gfx1100 -O2: hazard: trans result read by VALU
#include "prelude.h"

// run k20051 block 128 groups 2 out 34112 data 5792791324978070325
kernel void k20051(PARAMETERS) {
local uint counted[8];
local ulong owned[256];
local uchar exchanged[16384] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 128 + lid;
for (uint i = lid; i < 8; i += 128) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
uint v5 = float_to_uint(a_float3.s1);
long v9 = ((long)(0));
v9 = ((long)(((((half)(0)) * __builtin_elementwise_sqrt(((half)(short)(v5))) - (((half)(short)(v5)) * ((half)(0.5h)) - ((half)(1)))) != ((half)(0))) ? ((long)(0)) : ((long)(1))));
BARRIER();
for (uint i = lid; i < 8; i += 128) ((global uint*)out)[GROUP * 8 + i] = counted[i];
((global long*)(out + 12352))[gid] = v9;
}
PROGRAM(k20051)
