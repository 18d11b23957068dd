// Runs a random program's work-items on the host, each on a stack of its own: an item runs until it meets others (a
// barrier, an operation across lanes), and goes on when all of its group or wave are there. One group after the other.
// Linked with the program that the host's compiler made of the same source.
#define _XOPEN_SOURCE 700
#include <string.h>
#include <ucontext.h>

enum { most = 256 };
typedef unsigned u32;
typedef unsigned long u64;

static ucontext_t scheduler, context[most];
static char stack[most][1 << 17];
static u32 item, group, block, wave_size, gfx9;
static int ended[most];
static u32 rounds[2][most], arrived[2][most];  // [of the group, of the wave]
static u64 slot[2][2][most];                   // values brought along, in even and odd rounds
static void (*entry)(const void*);
static const void* arguments;

u32 w_item(void) { return item; }
u32 w_group(void) { return group; }
u32 w_wave_size(void) { return wave_size; }
u32 w_gfx9(void) { return gfx9; }

static void yield(void) {
  const u32 me = item;
  swapcontext(&context[me], &scheduler);
}
// All of the wave's (the group's) values, this item's among them: valid until its next meeting but one.
static const u64* meet(int wave, u64 value) {
  const u32 me = item, size = wave ? wave_size : block, team = wave ? me / wave_size : 0, first = team * size;
  const u32 members = first + size > block ? block - first : size, round = ++rounds[wave][me];
  slot[wave][round & 1][me] = value;
  ++arrived[wave][team];
  while (arrived[wave][team] < round * members) yield();
  return &slot[wave][round & 1][first];
}
void w_barrier(void) { meet(0, 0); }

static u32 lane(void) { return item % wave_size; }
u32 w_read_lane(u32 x, u32 from) { return (u32)meet(1, x)[from % wave_size]; }
u64 w_ballot(int c) {
  const u64* v = meet(1, c != 0);
  u64 mask = 0;
  for (u32 i = 0; i < wave_size; ++i) mask |= v[i] << i;
  return mask;
}
u32 w_permute(u32 to, u32 x) {  // `to` is a permutation
  const u64* v = meet(1, (u64)(to % wave_size) << 32 | x);
  for (u32 i = 0; i < wave_size; ++i)
    if (v[i] >> 32 == lane()) return (u32)v[i];
  return 0;
}
u32 w_swizzle(u32 x, u32 pattern) {  // groups of 32 lanes: and, or, xor masks; with bit 15, groups of four
  const u32 l = lane();
  const u32 from = pattern & 0x8000 ? (l & ~3u) | (pattern >> 2 * (l & 3) & 3)
                                    : (l & ~31u) | (((l & 31 & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
  return (u32)meet(1, x)[from];
}
u32 w_permlane16(u32 x, u32 low, u32 high, u32 other) {
  const u32 l = lane(), from = (l % 16 < 8 ? low : high) >> 4 * (l % 8) & 15;
  return (u32)meet(1, x)[((l & ~15u) ^ (other ? 16 : 0)) + from];
}
u32 w_dpp(u32 old, u32 x, u32 control, u32 rows, u32 banks, u32 bound) {
  const u64* v = meet(1, x);
  const int l = (int)lane(), row = l & ~15, in = l & 15, n = (int)control & 15;
  int from = -1;  // none
  if (control < 0x100) from = (l & ~3) | (int)(control >> 2 * (l & 3) & 3);
  else if (control < 0x110) from = in + n < 16 ? l + n : -1;              // row_shl
  else if (control < 0x120) from = in - n >= 0 ? l - n : -1;              // row_shr
  else if (control < 0x130) from = row + ((in - n) & 15);                 // row_ror
  else if (control == 0x130) from = l + 1 < (int)wave_size ? l + 1 : -1;  // wave_shl, wave_rol, wave_shr, wave_ror
  else if (control == 0x134) from = (l + 1) % (int)wave_size;
  else if (control == 0x138) from = l - 1;
  else if (control == 0x13c) from = (l + (int)wave_size - 1) % (int)wave_size;
  else if (control == 0x140) from = row + 15 - in;
  else if (control == 0x141) from = (l & ~7) + 7 - (l & 7);
  else if (control == 0x142) from = row - 1;  // row_bcast15, row_bcast31
  else if (control == 0x143) from = l < 32 ? -1 : 31;
  else if (control < 0x160) from = row + n;  // row_share
  else from = row + (in ^ n);                // row_xmask
  if (!(rows >> (l / 16) & 1) || !(banks >> (in / 4) & 1)) return old;
  return from >= 0 ? (u32)v[from] : bound ? 0 : old;
}
u32 w_reduce(u32 x, u32 op) {
  const u64* v = meet(1, x);
  u32 r = (u32)v[0];
  for (u32 i = 1; i < wave_size; ++i) {
    const u32 y = (u32)v[i];
    switch (op) {
      case 0: r += y; break;
      case 1: r &= y; break;
      case 2: r |= y; break;
      case 3: r ^= y; break;
      case 4: r = r < y ? r : y; break;  // unsigned, then signed
      case 5: r = r > y ? r : y; break;
      case 6: r = (int)r < (int)y ? r : y; break;
      default: r = (int)r > (int)y ? r : y;
    }
  }
  return r;
}

// a * b + c rounded once: exact in fixed point with 48 fraction bits, then to an odd 50-bit number, which no second
// rounding can spoil.
static _Float16 half_of(unsigned short x) {
  _Float16 h;
  memcpy(&h, &x, 2);
  return h;
}
unsigned short w_fma_half(unsigned short a, unsigned short b, unsigned short c) {
  const double p = (double)half_of(a) * (double)half_of(b), s = p + (double)half_of(c);
  _Float16 r = (_Float16)s;
  if (s - s == 0 && p - p == 0 && s != 0) {
    __int128 x = (__int128)(p * 0x1p48) + (__int128)((double)half_of(c) * 0x1p48);
    double scale = 0x1p-48;
    const int negative = x < 0;
    unsigned __int128 m = negative ? -x : x;
    for (; m >> 50; scale *= 2) m = m >> 1 | (m & 1);
    const double exact = (double)(u64)m * scale;
    r = (_Float16)(negative ? -exact : exact);
  }
  unsigned short bits;
  memcpy(&bits, &r, 2);
  return bits;
}

static void start(void) {
  entry(arguments);
  ended[item] = 1;
  swapcontext(&context[item], &scheduler);
}
void w_run(void (*kernel)(const void*), const void* args, u32 groups, u32 items, u32 wave, u32 is_gfx9) {
  entry = kernel, arguments = args, block = items, wave_size = wave, gfx9 = is_gfx9;
  for (group = 0; group < groups; ++group) {
    memset(rounds, 0, sizeof rounds), memset(arrived, 0, sizeof arrived), memset(ended, 0, sizeof ended);
    for (u32 i = 0; i < block; ++i) {
      getcontext(&context[i]);
      context[i].uc_stack.ss_sp = stack[i], context[i].uc_stack.ss_size = sizeof stack[i], context[i].uc_link = 0;
      makecontext(&context[i], start, 0);
    }
    for (u32 left = block; left > 0;)
      for (item = 0; item < block; ++item) {
        if (ended[item]) continue;
        swapcontext(&scheduler, &context[item]);
        left -= (u32)ended[item];
      }
  }
}
