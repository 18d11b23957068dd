// Records without padding, so that wide accesses start at any byte: in LDS (unaligned-ds-access), in private memory, through a flat pointer.
#include "common.h"

struct __attribute__((packed)) Record { char tag; uint4 quad; ulong wide; uint word; ushort low; uint three[3]; };
struct __attribute__((packed)) Quad { uint4 x; };
struct __attribute__((packed)) Wide { ulong x; };
struct __attribute__((packed)) Word { uint x; };
struct __attribute__((packed)) Half { ushort x; };

// What stands at byte `from[i]` of the workgroup's copy of `in`, in each width.
kernel void unaligned_lds_loads(global const uchar* in, global const int* from, global uint* out, int bytes) {
  local uchar shared[1024];
  const int t = LANE_X, i = GLOBAL_X;
  for (int k = t; k < bytes; k += SIZE_X) shared[k] = in[k];
  group_barrier();
  local const uchar* p = shared + from[i];
  const uint4 q = ((local const struct Quad*)p)->x;
  const ulong w = ((local const struct Wide*)(p + 17))->x;
  const uint a = ((local const struct Word*)(p + 26))->x, b = ((local const struct Word*)(p + 34))->x;
  const ushort h = ((local const struct Half*)(p + 39))->x;
  global uint* o = out + 9 * i;
  o[0] = q.x, o[1] = q.y, o[2] = q.z, o[3] = q.w, o[4] = (uint)w, o[5] = (uint)(w >> 32), o[6] = a, o[7] = b, o[8] = h;
}

// Each work-item writes its record beside its neighbours'; the bytes are what comes out.
kernel void unaligned_lds_stores(global const uint* in, global uchar* out) {
  local struct Record shared[64];
  const int t = LANE_X, n = SIZE_X;
  global const uint* x = in + 11 * GLOBAL_X;
  struct Record r;
  r.tag = (char)t, r.quad = (uint4)(x[0], x[1], x[2], x[3]), r.wide = x[4] | (ulong)x[5] << 32, r.word = x[6], r.low = (ushort)x[7], r.three[0] = x[8], r.three[1] = x[9], r.three[2] = x[10];
  shared[t] = r;
  group_barrier();
  local const uchar* bytes = (local const uchar*)shared;
  global uchar* o = out + GROUP_X * n * sizeof(struct Record);
  for (int k = t; k < n * (int)sizeof(struct Record); k += n) o[k] = bytes[k];
}

struct __attribute__((packed)) Small { char tag; int word; long wide; short low; };
static int sum(const struct Small* s) { return s->tag + s->word + (int)(s->wide >> 7) + s->low; }

// An array in private memory, indexed by data; the records are 15 bytes each.
kernel void unaligned_private(global const int* in, global int* out, int n, int turns) {
  const int i = GLOBAL_X;
  struct Small p[5];
  for (int k = 0; k < 5; ++k) {
    const int x = in[(i + k) % n], y = in[(i + 2 * k) % n], z = in[(i + 3 * k) % n];
    p[k].tag = (char)x, p[k].word = y * 3, p[k].wide = (long)z * 1000003, p[k].low = (short)(x + k);
  }
  int r = 0;
  for (int k = 0; k < turns; ++k) {
    struct Small* s = p + (in[(i + k) % n] & 0x7fffffff) % 5;
    r += sum(s);
    s->word += r, s->wide ^= (long)r << 11;
  }
  out[i] = r + sum(p) + sum(p + 4);
}

// The same through a pointer whose memory only the data tells.
kernel void unaligned_flat(global const int* in, global int* out, int n) {
  local uchar shared[256 * 5];
  uchar mine[16];
  const int t = LANE_X, i = GLOBAL_X;
  for (int k = 0; k < 5; ++k) shared[5 * t + k] = (uchar)(in[(i + k) % n]);
  for (int k = 0; k < 16; ++k) mine[k] = (uchar)(in[(i + k) % n] >> 8);
  group_barrier();
  uchar* where = in[i % n] & 1 ? (uchar*)shared + 5 * t + 1 : (uchar*)mine + ((in[i % n] >> 1) & 7) + 1;
  struct Word* w = (struct Word*)where;
  const uint before = w->x;
  w->x = before * 3 + (uint)i;
  out[i] = (int)(before ^ where[2] * 1009u);
}
