// Combines lanes of a row by DPP, rows through scalars (or gfx9's broadcasts), waves through LDS. The result of a wave
// is in all of its lanes, so all of them may write it and no lane is masked.
#include "generator/dsl/wave_ops.h"

#include <bit>
#include <limits>

#include "isa_tables/dpp.h"

namespace wavesmith {
namespace dpp {
namespace {

Mods control(uint32_t code) {
  Mods m;
  m.dpp = true, m.dpp_ctrl = code;
  return m;
}
Mods numbered(const char* name, uint32_t base, int n, int low, Where w) {
  if (n < low || n > 15) throw isa::IsaError(fmt::format("{}: {}({}); legal: {} to 15", place(w), name, n, low));
  return control(base | static_cast<uint32_t>(n));
}

}  // namespace

Mods quad_perm(int lane0, int lane1, int lane2, int lane3, Where w) {
  uint32_t code = 0;
  for (const int lane : {lane3, lane2, lane1, lane0}) {
    if (lane < 0 || lane > 3)
      throw isa::IsaError(
          fmt::format("{}: quad_perm({}, {}, {}, {}); legal: lanes 0 to 3", place(w), lane0, lane1, lane2, lane3));
    code = code << 2 | static_cast<uint32_t>(lane);
  }
  return control(code);
}
Mods row_shl(int n, Where w) { return numbered("row_shl", isa::dpp_ctrl::row_shl, n, 1, w); }
Mods row_shr(int n, Where w) { return numbered("row_shr", isa::dpp_ctrl::row_shr, n, 1, w); }
Mods row_ror(int n, Where w) { return numbered("row_ror", isa::dpp_ctrl::row_ror, n, 1, w); }
Mods row_newbcast(int n, Where w) { return numbered("row_newbcast", isa::dpp_ctrl::row_newbcast, n, 0, w); }
Mods row_share(int n, Where w) { return numbered("row_share", isa::dpp_ctrl::row_share, n, 0, w); }
Mods row_xmask(int n, Where w) { return numbered("row_xmask", isa::dpp_ctrl::row_xmask, n, 0, w); }
Mods wave_shl() { return control(isa::dpp_ctrl::wave_shl); }
Mods wave_rol() { return control(isa::dpp_ctrl::wave_rol); }
Mods wave_shr() { return control(isa::dpp_ctrl::wave_shr); }
Mods wave_ror() { return control(isa::dpp_ctrl::wave_ror); }
Mods row_mirror() { return control(isa::dpp_ctrl::row_mirror); }
Mods row_half_mirror() { return control(isa::dpp_ctrl::row_half_mirror); }
Mods row_bcast15() { return control(isa::dpp_ctrl::row_bcast15); }
Mods row_bcast31() { return control(isa::dpp_ctrl::row_bcast31); }

}  // namespace dpp

namespace {

constexpr int row_lanes = 16;

int rows(Arch a) { return isa::target(a).wave_size / row_lanes; }
int wave_shift(Arch a) { return std::countr_zero(static_cast<unsigned>(isa::target(a).wave_size)); }

Mods only_rows(Mods m, int mask) {
  m.row_mask = static_cast<uint8_t>(mask);
  return m;
}

void need_scratch(const Kernel& k, Vgpr scratch, Where w) {
  if (scratch.dwords < 3)
    throw isa::IsaError(fmt::format("{}: {}: scratch has {} registers; legal: 3 or more", place(w), k.name,
                                    static_cast<int>(scratch.dwords)));
}

// x = x of the next lower lane; lane 0 gets `first`.
void shift_up(Block& b, Vgpr x, Vgpr scratch, uint32_t first, Where w) {
  b.v_mov_b32(scratch, first, {}, w);
  if (rows(b.arch()) == 4) b.v_mov_b32(scratch, x, dpp::wave_shr(), w);
  else {
    b.v_mov_b32(scratch, x, dpp::row_shr(1), w);
    b.v_readlane_b32(vcc[0], x, row_lanes - 1, {}, w);
    b.v_writelane_b32(scratch, vcc[0], row_lanes, {}, w);
  }
  b.v_mov_b32(x, scratch, {}, w);
}

// Calls use(slot, register) for the values of the first `count` waves in LDS; reads as many at a time as `into` has
// registers.
template <class Use>
void each_slot(Block& b, int count, Vgpr zero, Vgpr into, int lds, Use use, Where w) {
  b.v_mov_b32(zero, 0, {}, w);
  for (int first = 0; first < count; first += into.dwords) {
    const int n = std::min<int>(into.dwords, count - first);
    for (int i = 0; i < n; ++i) b.ds_read_b32(into[i], zero, {.offset = lds + 4 * (first + i)}, w);
    for (int i = 0; i < n; ++i) use(first + i, into[i]);
  }
}

}  // namespace

Block global_address(Arch arch, Vgpr dst, Sgpr base, Vgpr index, int shift) {
  Block b(arch, "global_address");
  if (shift) b.v_lshrrev_b32(dst[1], 32 - shift, index), b.v_lshlrev_b32(dst[0], shift, index);
  else {
    b.v_mov_b32(dst[1], 0);
    if (dst.index != index.index) b.v_mov_b32(dst[0], index);
  }
  b.v_add_co_u32(dst[0], vcc, base[0], dst[0]);
  b.v_add_u32(dst[1], base[1], dst[1]);
  b.v_addc_co_u32(dst[1], vcc, 0, dst[1], vcc);
  return b;
}

uint32_t identity(Opcode op, Where w) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  switch (op) {
    case Opcode::v_add_u32:
    case Opcode::v_or_b32:
    case Opcode::v_xor_b32:
    case Opcode::v_max_u32: return 0;
    case Opcode::v_and_b32:
    case Opcode::v_min_u32: return ~uint32_t{0};
    case Opcode::v_max_i32: return uint32_t{1} << 31;
    case Opcode::v_min_i32: return ~(uint32_t{1} << 31);
    case Opcode::v_add_f32: return bits(-0.0f);  // +0 would turn -0 into +0
    case Opcode::v_mul_f32: return bits(1);
    case Opcode::v_max_f32: return bits(-infinity);
    case Opcode::v_min_f32: return bits(infinity);
    default:
      throw isa::IsaError(
          fmt::format("{}: {}: its identity element is not known; legal: v_add_u32, v_or_b32, v_xor_b32, "
                      "v_and_b32, v_max_u32, v_min_u32, v_max_i32, v_min_i32, v_add_f32, v_mul_f32, v_max_f32, "
                      "v_min_f32",
                      place(w), isa::info(op).mnemonic));
  }
}

Block wave_reduce(Arch arch, Opcode op, Vgpr x, Vgpr scratch, Where w) {
  Block b(arch, "wave_reduce");
  const auto combine = [&](Vgpr d, AnyArg a, Vgpr c, const Mods& m = {}) {
    b.emit(op, {d.operand(), a.o, c.operand()}, m, w);
  };
  for (const Mods& m :
       {dpp::quad_perm(1, 0, 3, 2), dpp::quad_perm(2, 3, 0, 1), dpp::row_half_mirror(), dpp::row_mirror()})
    combine(x, x, x, m);
  const int last = rows(arch) - 1;
  for (int row = 0; row <= last; ++row) {
    const Sgpr sum = vcc[row % 2];
    b.v_readlane_b32(sum, x, row_lanes * row, {}, w);
    if (row == 0) b.v_mov_b32(scratch, sum, {}, w);
    else combine(row == last ? x : scratch, sum, scratch);
  }
  return b;
}

Block wave_scan(Arch arch, Opcode op, Vgpr x, Vgpr scratch, Scan kind, Where w) {
  Block b(arch, "wave_scan");
  const auto combine = [&](Vgpr below, const Mods& m) {
    b.emit(op, {x.operand(), below.operand(), x.operand()}, m, w);
  };
  if (kind == Scan::exclusive) shift_up(b, x, scratch, identity(op, w), w);
  for (const int n : {1, 2, 4, 8}) combine(x, dpp::row_shr(n));
  if (rows(arch) == 4) {
    combine(x, only_rows(dpp::row_bcast15(), 0b1010));
    combine(x, only_rows(dpp::row_bcast31(), 0b1100));
    return b;
  }
  b.v_readlane_b32(vcc[0], x, row_lanes - 1, {}, w);
  b.v_mov_b32(scratch, vcc[0], {}, w);
  combine(scratch, only_rows(dpp::quad_perm(0, 1, 2, 3), 0b10));
  return b;
}

Block group_reduce(const Kernel& k, Opcode op, Vgpr x, Vgpr scratch, int lds, Where w) {
  need_scratch(k, scratch, w);
  Block b = wave_reduce(k.arch, op, x, scratch[0], w);
  const int waves = k.workgroup_size >> wave_shift(k.arch);
  if (waves == 1) return b;
  const Vgpr address = scratch[0];
  b.v_lshrrev_b32(address, wave_shift(k.arch), k.workitem, {}, w);
  b.v_lshlrev_b32(address, 2, address, {}, w);
  b.ds_write_b32(address, x, {.offset = lds}, w);
  b.wait_for_lds(w);
  b.barrier(w);
  each_slot(
      b, waves, address, scratch.slice(1, scratch.dwords - 1), lds,
      [&](int wave, Vgpr sum) {
        if (wave == 0) b.v_mov_b32(x, sum, {}, w);
        else b.emit(op, {x.operand(), sum.operand(), x.operand()}, {}, w);
      },
      w);
  return b;
}

Block group_scan(const Kernel& k, Opcode op, Vgpr x, Vgpr scratch, int lds, Scan kind, Where w) {
  need_scratch(k, scratch, w);
  const int lanes = isa::target(k.arch).wave_size, waves = k.workgroup_size / lanes;
  if (waves == 1) return wave_scan(k.arch, op, x, scratch[0], kind, w);
  Block b = wave_scan(k.arch, op, x, scratch[0], Scan::inclusive, w);
  const Vgpr number = scratch[0], other = scratch[1];
  b.v_readlane_b32(vcc[0], x, lanes - 1, {}, w);
  b.v_mov_b32(other, vcc[0], {}, w);
  b.v_lshrrev_b32(number, wave_shift(k.arch), k.workitem, {}, w);
  b.v_lshlrev_b32(number, 2, number, {}, w);
  b.ds_write_b32(number, other, {.offset = lds}, w);
  b.v_lshrrev_b32(number, 2, number, {}, w);
  b.wait_for_lds(w);
  b.barrier(w);
  if (kind == Scan::exclusive) shift_up(b, x, other, identity(op, w), w);
  each_slot(
      b, waves - 1, other, scratch.slice(2, scratch.dwords - 2), lds,
      [&](int wave, Vgpr sum) {
        b.emit(op, {sum.operand(), sum.operand(), x.operand()}, {}, w);
        b.v_cmp_lt_u32(vcc, wave, number, {}, w);
        b.v_cndmask_b32(x, x, sum, vcc, {}, w);
      },
      w);
  return b;
}

Block among_active(Arch arch, Opcode op, Vgpr x, Vgpr copy, Sgpr saved, const std::function<Block(Vgpr)>& all_lanes,
                   Where w) {
  Block b(arch, "among_active");
  b.mask_mov(saved, exec, w);
  b.mask_mov(exec, -1, w);
  b.v_mov_b32(copy, identity(op, w), {}, w);
  b.mask_mov(exec, saved, w);
  b.v_mov_b32(copy, x, {}, w);
  b.mask_mov(exec, -1, w);
  b << all_lanes(copy);
  b.mask_mov(exec, saved, w);
  b.v_mov_b32(x, copy, {}, w);
  return b;
}

}  // namespace wavesmith
