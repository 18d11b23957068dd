#include "generator/passes/lower.h"

#include <array>

#include "generator/passes/cfg.h"
#include "generator/passes/passes.h"

namespace wavesmith {

namespace {
// gfx12, gfx1250: x in ttmp9, y and z the halves of ttmp7 (AMDGPUUsage, "Initial Kernel Execution State").
void bring_workgroup_ids(Kernel& k) {
  if (!isa::target(k.arch).workgroup_ids_in_ttmp()) return;
  constexpr Sgpr x{isa::sreg::ttmp0 + 9, 1}, yz{isa::sreg::ttmp0 + 7, 1};
  std::array<bool, 3> read{};
  for (const Node& n : k.k.nodes) {
    if (n.directive != Directive::none) continue;
    for (const Operand& o : isa::effects(n.inst, k.arch).reads)
      for (int i = 0; i < 3; ++i) read[i] |= o.covers(File::s, k.workgroup.index + i);
  }
  Block b(k.arch, "workgroup ids");
  if (read[0]) b.s_mov_b32(k.workgroup[0], x);
  if (read[1]) b.s_and_b32(k.workgroup[1], yz, 0xffff);
  if (read[2]) b.s_lshr_b32(k.workgroup[2], yz, 16);
  k.k.nodes.insert(k.k.nodes.begin(), b.nodes.begin(), b.nodes.end());
}
}  // namespace

Program lower(Kernel&& k) {
  bring_workgroup_ids(k);
  Program p;
  p.name = k.name;
  p.arch = k.arch;
  p.workgroup_size = k.workgroup_size;
  p.lds_bytes = k.lds_bytes;
  p.kernarg_bytes = k.kernarg_bytes();
  p.vgprs = k.r.v.high_water();
  p.agprs = k.r.a.high_water();
  p.sgprs = k.r.s.high_water();
  p.arguments = std::move(k.arguments);
  p.labels = std::move(k.k.labels);
  p.nodes = std::move(k.k.nodes);
  if (k.lds_bytes > isa::target(p.arch).lds_bytes)
    throw isa::IsaError(fmt::format("{}: {} bytes of LDS, {} has {}", p.name, k.lds_bytes, isa::target(p.arch).name,
                                    isa::target(p.arch).lds_bytes));
  for (const Node& n : p.nodes)
    if (n.directive == Directive::sched_group || n.directive == Directive::iglp)
      throw isa::IsaError(
          fmt::format("{}: {} has no effect outside scheduled(); legal: `k << scheduled(block)` with it in the block",
                      place(n), n.directive == Directive::iglp ? "iglp_opt" : "sched_group_barrier"));
  insert_waits(p.nodes, p.arch);
  resolve_hazards(p.nodes, p.arch);
  insert_delays(p.nodes, p.arch);
  return p;
}

}  // namespace wavesmith
