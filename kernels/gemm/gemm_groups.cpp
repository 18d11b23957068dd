// The group of a workgroup (ragged.h). Of k: the grid's z. Of m and n: the lanes read the groups' offsets, a scan of
// their numbers of tiles gives the one that has this workgroup's tile. From there on the block begins inside the whole
// matrix, and M or N is where its group ends.
#include "generator/dsl/wave_ops.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

int Gemm::offset_shift() const { return cfg.offsets == Offsets::i64 ? 3 : 2; }

// K = its number of k; first_k = its first.
void Gemm::take_group_of_k(Sgpr group) {
  Scratch s(r);
  const Sgpr base = s.s("offsets of the groups", 2), size = s.s("bytes of an offset");
  kernel.load(base, args[&Args::offsets]);
  k.s_mov_b32(size, 1 << offset_shift());
  at.add_product(base, group, size);
  k.s_load_dword(first_k, base, 0);
  k.s_load_dword(K, base, 1 << offset_shift());
  k.s_sub_u32(K, K, first_k);
}

// `tile`: the number along the ragged dimension; becomes the first row or column of the block. Leaves by `no_tile`.
void Gemm::take_group_of_tiles(Sgpr tile) {
  k.comment("this workgroup's group");
  const bool rows = cfg.ragged == Ragged::m;
  const int extent = rows ? rows_of_d(cfg) : cfg.block.n;
  const Sgpr end = rows ? M : N;
  Scratch s(r);
  const Sgpr base = s.s("offsets of the groups", 2), resource = s.s("offsets' buffer resource", 4),
             groups = s.s("number of groups"), chunks = s.s("rounds of lanes"), first = s.s("first group of the lanes"),
             before = s.s("tiles before them"), found = s.s("the lane"), wanted = s.s("number of the tile");
  const Vgpr group = s.v("group"), low = s.v("its first row or column"), high = s.v("where it ends"),
             tiles = s.v("its tiles"), sum = s.v("tiles up to its last");
  kernel.load(base, args[&Args::offsets]);
  kernel.load(groups, args[&Args::groups]);
  k.s_mov_b32(wanted, tile);
  k.s_add_u32(t[0], groups, 1);
  k.s_lshl_b32(t[0], t[0], offset_shift());
  raw_buffer(k, resource, base, t[0]);
  k.s_add_u32(chunks, groups, wave - 1);
  k.s_lshr_b32(chunks, chunks, log2(wave));
  k.s_mov_b32(first, 0);
  k.s_mov_b32(before, 0);
  k.s_mov_b32(own_group, -1);
  k.loop("groups", chunks, [&] {
    k.v_add_u32(group, first, lane);
    k.v_lshlrev_b32(x, offset_shift(), group);
    k.buffer(Opcode::buffer_load_dword, low, x, resource, 0, {.flags = isa::offen});
    k.buffer(Opcode::buffer_load_dword, high, x, resource, 0, {.offset = 1 << offset_shift(), .flags = isa::offen});
    k.v_sub_u32(tiles, high, low);
    k.v_add_u32(tiles, extent - 1, tiles);
    divide(kernel, tiles, tiles, extent);
    k.v_cmp_gt_u32(vcc, groups, group);
    k.v_cndmask_b32(tiles, 0, tiles, vcc);
    k.v_mov_b32(sum, tiles);
    k << wave_scan(k.arch(), Opcode::v_add_u32, sum, y);
    k.v_add_u32(sum, before, sum);
    k.v_cmp_lt_u32(vcc, wanted, sum);
    if (wave == 64) k.s_ff1_i32_b64(found, vcc);
    else k.s_ff1_i32_b32(found, vcc[0]);
    k.v_readlane_b32(before, sum, wave - 1);
    k.s_cmp_ge_i32(found, 0);
    k.s_cselect_b32(t[0], 1, 0);
    k.s_cmp_eq_u32(own_group, -1);
    k.s_cselect_b32(t[1], 1, 0);
    k.s_and_b32(t[0], t[0], t[1]);  // SCC: found for the first time
    k.when_scc(true, "other_groups", [&] {
      k.s_add_u32(own_group, first, found);
      k.v_readlane_b32(t[0], sum, found);
      k.v_readlane_b32(t[1], tiles, found);
      k.s_sub_u32(t[0], t[0], t[1]);
      k.s_sub_u32(t[0], wanted, t[0]);  // the tile in the group
      k.s_mul_i32(t[0], t[0], extent);
      k.v_readlane_b32(t[1], low, found);
      k.s_add_u32(tile, t[1], t[0]);
      k.v_readlane_b32(end, high, found);
    });
    k.s_add_u32(first, first, wave);
  });
  k.s_cmp_eq_u32(own_group, -1);
  no_tile = k.new_label("no_tile");
  k.s_cbranch_scc1(LabelArg{isa::label(*no_tile)});
}

}  // namespace wavesmith::gemm
