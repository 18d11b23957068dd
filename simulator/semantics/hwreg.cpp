// Hardware registers: s_getreg_b32, s_setreg_b32 and the instructions that write MODE directly. A register that has no
// meaning in a functional model faults. Each reader documents the value, that of one CU with one workgroup.
#include <fmt/format.h>

#include "isa_tables/names.h"
#include "simulator/scalar.h"

namespace wavesmith::sim {
namespace {

// MODE: rounding 3:0, denormals 7:4, DX10_CLAMP 8 and IEEE 9 (to gfx11), the upper VGPR bits 19:12 (gfx1250),
// FP16_OVFL 23.
constexpr u32 fp16_ovfl = 1u << 23;
u32 mode(const Wave& w) {
  const u32 shared =
      w.round | (w.denorm_f32 & 3u) << 4 | (w.denorm_f16 & 3u) << 6 | w.fp16_overflow * fp16_ovfl | w.mode_rest;
  if (w.group->target->has_vgpr_msb()) return shared | (w.vgpr_msb >> 6 & 3u) << 12 | (w.vgpr_msb & 0x3fu) << 14;
  return shared | (w.group->target->ieee_is_a_mode() ? w.dx10_clamp * 0x100u | w.ieee * 0x200u : 0);
}
void set_mode(Wave& w, u32 x) {
  constexpr u32 vgpr_bits = 0xffu << 12;
  const bool msb = w.group->target->has_vgpr_msb();
  if (msb && ((x ^ mode(w)) & vgpr_bits))
    return w.fail(Fault::Kind::illegal,
                  "changes the upper VGPR bits through MODE: not modelled, legal: s_set_vgpr_msb");
  w.fp16_overflow = x & fp16_ovfl;
  w.round = x & 15, w.denorm_f32 = x >> 4 & 3, w.denorm_f16 = x >> 6 & 3;
  if (w.group->target->ieee_is_a_mode()) w.dx10_clamp = x >> 8 & 1, w.ieee = x >> 9 & 1;
  w.mode_rest = x & ~(0xffu | fp16_ovfl | (msb ? vgpr_bits : 0) | (w.group->target->ieee_is_a_mode() ? 0x300u : 0));
}

// STATUS: EXECZ 9, VCCZ 10, in a workgroup of several waves 11, VALID 16; SCC 0 up to gfx11, WAVE64 29 on gfx12.
u32 status(const Wave& w) {
  const bool several = w.group->barriers[0].members > 1, scc_here = w.group->target->ieee_is_a_mode();
  return (scc_here && w.scc) | (w.exec() == 0) << 9 | (w.mask(sreg::vcc) == 0) << 10 | several << 11 | 1u << 16 |
         (!scc_here && w.width() == 64 ? 1u << 29 : 0);
}
u32 state_priv(
    const Wave& w) {  // completions not waited for yet: the workgroup's 2, the joined barrier's 3, the cluster's 16
  const auto done = [&](int b) { return u32{barrier_of(*w.group, b).phase != w.seen_phase[static_cast<size_t>(b)]}; };
  return done(0) << 2 | (w.joined ? done(w.joined) : 0) << 3 | static_cast<u32>(w.joined) << 4 | w.scc << 9 |
         (clustered(w) ? done(Workgroup::cluster_barrier) : 0) << 16;
}
// IB_STS2: which of a workgroup's clusters, 9:6, never 0 in one; its number in the cluster, 24:21 (CDNA5 ISA 3.4).
u32 ib_sts2(const Wave& w) { return clustered(w) ? 1u << 6 | static_cast<u32>(w.group->rank) << 21 : 0; }
u32 wave_number(const Wave& w) {
  return static_cast<u32>(w.number);
}  // one CU: the wave's slot is its number, all else 0
u32 zero(const Wave&) { return 0; }  // no exception has been raised; the first XCC
u32 apertures(const Wave&) { return (shared_aperture & 0xffff0000) | private_aperture >> 16; }
u32 cycles(const Wave& w) { return static_cast<u32>(w.issued) & 0xfffff; }  // instructions issued
u32 cycles_lo(const Wave& w) { return static_cast<u32>(w.issued); }
u32 cycles_hi(const Wave& w) { return static_cast<u32>(w.issued >> 32); }
u32 scratch_lo(const Wave& w) { return static_cast<u32>(w.scratch); }
u32 scratch_hi(const Wave& w) { return static_cast<u32>(w.scratch >> 32); }
u32 sched_mode(const Wave& w) { return w.sched_mode; }
void set_sched_mode(Wave& w, u32 x) { w.sched_mode = x; }  // arbitration and dependency stalls: no functional effect

struct HardwareRegister {
  std::string_view name;
  u32 (*get)(const Wave&);
  void (*set)(Wave&, u32) = nullptr;
};
constexpr HardwareRegister registers[] = {
    {"HW_REG_MODE", mode, set_mode},
    {"HW_REG_WAVE_MODE", mode, set_mode},
    {"HW_REG_STATUS", status},
    {"HW_REG_WAVE_STATUS", status},
    {"HW_REG_WAVE_STATE_PRIV", state_priv},
    {"HW_REG_TRAPSTS", zero},
    {"HW_REG_WAVE_EXCP_FLAG_PRIV", zero},
    {"HW_REG_WAVE_EXCP_FLAG_USER", zero},
    {"HW_REG_HW_ID", wave_number},
    {"HW_REG_HW_ID1", wave_number},
    {"HW_REG_WAVE_HW_ID1", wave_number},
    {"HW_REG_HW_ID2", zero},
    {"HW_REG_WAVE_HW_ID2", zero},
    {"HW_REG_XCC_ID", zero},
    {"HW_REG_IB_STS2", ib_sts2},
    {"HW_REG_SH_MEM_BASES", apertures},
    {"HW_REG_SHADER_CYCLES", cycles},
    {"HW_REG_SHADER_CYCLES_LO", cycles_lo},
    {"HW_REG_SHADER_CYCLES_HI", cycles_hi},
    {"HW_REG_FLAT_SCR_LO", scratch_lo},
    {"HW_REG_FLAT_SCR_HI", scratch_hi},
    {"HW_REG_WAVE_SCRATCH_BASE_LO", scratch_lo},
    {"HW_REG_WAVE_SCRATCH_BASE_HI", scratch_hi},
    {"HW_REG_WAVE_SCHED_MODE", sched_mode, set_sched_mode},
};

struct Field {
  const HardwareRegister* reg;
  u32 offset, mask;
};  // simm16: register 5:0, offset 10:6, size - 1 in 15:11
std::optional<Field> field(Wave& w, u32 simm) {
  const int number = static_cast<int>(simm & 63);
  const auto name = isa::number_name(isa::hwreg_names(), number, w.arch);
  const auto* known = std::find_if(std::begin(registers), std::end(registers),
                                   [&](const HardwareRegister& r) { return r.name == name; });
  const u32 size = (simm >> 11 & 31) + 1;
  if (known != std::end(registers)) return Field{known, simm >> 6 & 31, size == 32 ? ~0u : (1u << size) - 1};
  w.fail(Fault::Kind::illegal,
         fmt::format("accesses {}: not modelled",
                     name.empty() ? fmt::format("hardware register {}", number) : std::string(name)));
  return {};
}

void getreg(Wave& w, const Step& st) {
  if (const auto f = field(w, st.src[0].bits[0])) put(w, st, f->reg->get(w) >> f->offset & f->mask);
}
void setreg(Wave& w, const Step& st) {
  int i = 1;
  const u32 x = source<u32>(w, st, i);
  const auto f = field(w, st.src[0].bits[0]);
  if (!f) return;
  if (!f->reg->set)
    return w.fail(Fault::Kind::illegal, fmt::format("writes {}, which is read-only in the simulator", f->reg->name));
  const u32 mask = f->mask << f->offset;
  f->reg->set(w, (f->reg->get(w) & ~mask) | (x << f->offset & mask));
}
void round_mode(Wave& w, const Step& st) { w.round = st.src[0].bits[0] & 15; }
void denorm_mode(Wave& w, const Step& st) {
  w.denorm_f32 = st.src[0].bits[0] & 3, w.denorm_f16 = st.src[0].bits[0] >> 2 & 3;
}
void set_vgpr_msb(Wave& w, const Step& st) {
  w.vgpr_msb = static_cast<u8>(st.src[0].bits[0]);
}  // the decoder has applied it already

constexpr Semantics rows[] = {
    {"s_getreg_b32", getreg},     {"s_setreg_b32", setreg},       {"s_setreg_imm32_b32", setreg},
    {"s_round_mode", round_mode}, {"s_denorm_mode", denorm_mode}, {"s_set_vgpr_msb", set_vgpr_msb},
};

}  // namespace

std::span<const Semantics> hwreg_semantics() { return rows; }

}  // namespace wavesmith::sim
