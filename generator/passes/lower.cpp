#include "generator/passes/lower.h"

#include <algorithm>
#include <array>

#include "generator/dsl/kernel.h"
#include "generator/passes/cfg.h"
#include "generator/passes/check_program.h"
#include "generator/passes/passes.h"
#include "isa_tables/names.h"
#include "isa_tables/occupancy.h"

namespace wavesmith {

namespace {

using IdsRead = std::array<bool, 3>;

IdsRead ids_read(const Kernel& k) {
  IdsRead read{};
  for (const Node& n : k.k.nodes) {
    if (!n.is_instruction()) continue;
    for (const Operand& o : isa::effects(n.inst, k.arch).reads)
      for (int i = 0; i < 3; ++i) read[i] |= o.covers(File::s, k.workgroup.index + i);
  }
  return read;
}

// In a cluster the hardware's ids are the cluster's. ttmp6 then holds four bits each of the position in the cluster (x,
// y, z from bit 0) and of the cluster's size - 1 (from bit 12); it is undefined where IB_STS2 9:6 is 0, in a launch
// without clusters. (CDNA5 ISA 2.3.1 and 3.4; LLVM computes the ids likewise.)
void place_in_grid(Block& b, const Kernel& k, const IdsRead& read) {
  constexpr Sgpr state{isa::sreg::ttmp0 + 6, 1};
  constexpr int field = 4, size_first_bit = 12;
  const auto bits_from = [](int first) { return first | field << 16; };  // the second source of s_bfe_u32
  const isa::HwregField in_cluster{isa::number_of(isa::hwreg_names(), "HW_REG_IB_STS2", k.arch).value(), 6, 4};
  const Sgpr place = vcc[0], part = vcc[1];
  b.s_getreg_b32(place, in_cluster.encoded());
  b.s_cmp_eq_u32(place, 0);
  b.s_cselect_b32(place, 0, state);
  for (int i = 0; i < 3; ++i) {
    if (!read[i]) continue;
    const Sgpr id = k.workgroup[i];
    b.s_bfe_u32(part, place, bits_from(size_first_bit + field * i));
    b.s_add_u32(part, part, 1);
    b.s_mul_i32(id, id, part);
    b.s_bfe_u32(part, place, bits_from(field * i));
    b.s_add_u32(id, id, part);
  }
}

// gfx12, gfx1250: x in ttmp9, y and z the halves of ttmp7 (AMDGPUUsage, "Initial Kernel Execution State").
void bring_workgroup_ids(Kernel& k) {
  if (!isa::target(k.arch).workgroup_ids_in_ttmp()) return;
  constexpr Sgpr x{isa::sreg::ttmp0 + 9, 1}, yz{isa::sreg::ttmp0 + 7, 1};
  const IdsRead read = ids_read(k);
  if (read == IdsRead{}) return;
  Block b(k.arch, "workgroup ids");
  if (read[0]) b.s_mov_b32(k.workgroup[0], x);
  if (read[1]) b.s_and_b32(k.workgroup[1], yz, 0xffff);
  if (read[2]) b.s_lshr_b32(k.workgroup[2], yz, 16);
  if (isa::target(k.arch).has_clusters()) place_in_grid(b, k, read);
  name_caller(b.nodes, 0, k.where);
  k.k.nodes.insert(k.k.nodes.begin(), b.nodes.begin(), b.nodes.end());
}

void require_no_findings(const Program& p) {
  for (const checker::Finding& f : checker::check(p, {.advice = false}).findings)
    if (!f.advice)
      throw CheckError(fmt::format("{}: {}: {} [{}]: {}; legal: {}", f.where.empty() ? p.name : f.where, f.instruction,
                                   f.rule, f.source, f.what, f.legal));
}
}  // namespace

Program lower(Kernel&& k, const LowerOptions& options) {
  bring_workgroup_ids(k);
  Program p;
  p.preloaded_dwords = preload_arguments(k);
  p.name = k.name;
  p.arch = k.arch;
  p.workgroup_size = k.workgroup_size, p.cluster = k.cluster;
  p.lds_bytes = k.lds_bytes;
  p.kernarg_bytes = k.kernarg_bytes();
  p.vgprs = k.r.v.high_water();
  p.agprs = k.r.a.high_water();
  p.sgprs = k.r.s.high_water();
  for (const auto* history : {&k.r.s.history(), &k.r.v.history(), &k.r.a.history()})
    p.registers.insert(p.registers.end(), history->begin(), history->end());
  p.arguments = std::move(k.arguments);
  p.labels = std::move(k.k.labels);
  p.nodes = std::move(k.k.nodes);
  if (std::ranges::none_of(p.nodes, &Node::is_instruction))
    throw isa::IsaError(fmt::format("{}: {}: no instructions; legal: s_endpgm at least", place(k.where), p.name));
  if (k.lds_bytes > isa::target(p.arch).lds_bytes)
    throw isa::IsaError(fmt::format("{}: {}: {} bytes of LDS, {} has {}", place(k.where), p.name, k.lds_bytes,
                                    isa::target(p.arch).name, isa::target(p.arch).lds_bytes));
  if (const auto& c = p.cluster; c != std::array<int, 3>{}) {
    const bool has = isa::target(p.arch).has_clusters();
    constexpr int most = isa::most_clustered;
    const bool some = std::ranges::all_of(c, [](int n) { return n >= 1 && n <= most; });
    if (!has || !some || c[0] * c[1] * c[2] > most)
      throw isa::IsaError(fmt::format(
          "{}: {}: clusters of {}x{}x{} workgroups; legal on {}: {}", place(k.where), p.name, c[0], c[1], c[2],
          isa::target(p.arch).name, has ? fmt::format("1 to {} in all, or zeros", most) : "zeros, it has no clusters"));
  }
  for (const Node& n : p.nodes)
    if (n.as<directive::SchedGroup>() || n.as<directive::IglpOpt>())
      throw isa::IsaError(
          fmt::format("{}: {} has no effect outside scheduled(); legal: `k << scheduled(block)` with it in the block",
                      place(n), n.as<directive::IglpOpt>() ? "iglp_opt" : "sched_group_barrier"));
  insert_waits(p.nodes, p.arch);
  resolve_hazards(p.nodes, p.arch, options.hot_nops);
  if (p.vgprs > isa::vgpr_bank) select_banks(p.nodes);
  if (!options.lone_wave) insert_delays(p.nodes, p.arch);
  if (options.check) require_no_findings(p);
  return p;
}

}  // namespace wavesmith
