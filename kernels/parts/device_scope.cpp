#include "kernels/parts/device_scope.h"

#include "isa_tables/counters.h"

namespace wavesmith {
namespace {

bool has(Opcode op, Arch a) { return isa::info(op).on(a); }
constexpr uint8_t scope_of_device = 2;

// gfx12 names the scope; gfx942 and gfx950, where XCDs have an L2 each, bypass it with sc1; the others have one L2,
// which loads reach with glc.
isa::Mods at_device(Arch arch, int offset, uint32_t one_l2) {
  isa::Mods m{.offset = offset, .flags = isa::offen};
  if (has(Opcode::global_inv, arch)) m.scope = scope_of_device;
  else m.flags |= has(Opcode::buffer_inv, arch) ? static_cast<uint32_t>(isa::sc1) : one_l2;
  return m;
}

}  // namespace

isa::Mods device_load(Arch arch, int offset) { return at_device(arch, offset, isa::glc); }
isa::Mods device_store(Arch arch, int offset) { return at_device(arch, offset, 0); }
isa::Mods device_atomic(Arch arch) {
  isa::Mods m;
  if (has(Opcode::global_inv, arch)) m.scope = scope_of_device;
  return m;
}

void wait_for_stores(Block& b, Where w) {
  isa::Waits all;
  for (const isa::CounterEvent& e : isa::counter_events(isa::Counter::store, b.arch()))
    all[static_cast<int>(e.counter)] = 0;
  for (const isa::Inst& inst : isa::wait_instructions(all, b.arch())) {
    Node n;
    n.inst = inst, n.where = w;
    b.nodes.push_back(std::move(n));
  }
}

void count_arrival(Kernel& kernel, const Arrival& a) {
  Stream& k = kernel.k;
  wait_for_stores(k);
  k.s_sub_u32(a.t, a.expected, 1);
  k.v_mov_b32(a.x, a.t);
  k.v_mov_b32(a.y, 0);
  k.mask_mov(exec, 1);
  isa::Mods m = device_atomic(kernel.arch);
  m.flags |= isa::offen;
  k.buffer(Opcode::buffer_atomic_inc_rtn, a.x, a.y, a.counter, 0, m);  // 0 after `expected` - 1
  k.v_readfirstlane_b32(a.counter[0], a.x);
  k.mask_mov(exec, -1);
  k.s_cmp_eq_u32(a.counter[0], a.t);
}

}  // namespace wavesmith
