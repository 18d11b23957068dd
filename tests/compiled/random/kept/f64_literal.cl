// seed 33, gfx1201 -O3: out byte 10049 is 0xa5, on the host 0x0
#include "prelude.h"

// run k33 block 96 groups 2 out 14272 data 6025388974057613239
struct __attribute__((packed)) k33_structure {
  double m6;
  ushort4 m7;
  int m8;
  uchar2 m9;
};
__attribute__((reqd_work_group_size(96, 1, 1))) kernel void k33(PARAMETERS) {
local uint counted[8];
local ulong owned[192];
local uchar exchanged[12288] __attribute__((aligned(128)));
const uint lid = LID, gid = GROUP * 96 + lid;
for (uint i = lid; i < 8; i += 96) counted[i] = i * 77;
owned[lid * 2] = lid, owned[lid * 2 + 1] = 5;
BARRIER();
struct k33_structure s5[4]; for (int is5 = 0; is5 < 4; ++is5) {
s5[is5].m6 = (((double)(3)) * ((double)(a_short)));
s5[is5].m7 = ((ushort4)(0));
s5[is5].m8 = ((int)(0x3eUL));
s5[is5].m9 = ((uchar2)(0));
}
BARRIER();
for (uint i = lid; i < 8; i += 96) ((global uint*)out)[GROUP * 8 + i] = counted[i];
{ double v11 = s5[1].m6;
((global long*)(out + 10048))[gid] = bits_double(v11);
}
}
PROGRAM(k33)
