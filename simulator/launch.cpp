#include "simulator/launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/occupancy.h"

namespace wavesmith::sim {
namespace {

template <class T>
void poke(std::vector<u8>& bytes, u32 offset, T value) {
  if (offset + sizeof value <= bytes.size()) std::memcpy(bytes.data() + offset, &value, sizeof value);
}

u16 dimensions(const Launch& l) { return l.grid[2] * l.block[2] > 1 ? 3 : l.grid[1] * l.block[1] > 1 ? 2 : 1; }

// Hidden arguments of code object versions 4 and 5 (AMDGPUUsage, kernel argument metadata). Those not listed are 0:
// global offsets, remainders (grids are whole workgroups), and what Launch::hidden does not have.
void fill_hidden(std::vector<u8>& bytes, const KernelInfo& k, const Launch& l, u64 queue) {
  for (const KernelArg& a : k.args) {
    if (!a.hidden()) continue;
    if (const auto known = l.hidden.find(a.value_kind); known != l.hidden.end())
      poke<u64>(bytes, a.offset, known->second);
    const int axis = a.value_kind.back() - 'x';
    const bool on_axis = axis >= 0 && axis < 3;
    if (on_axis && a.value_kind.starts_with("hidden_block_count_")) poke<u32>(bytes, a.offset, l.grid[axis]);
    if (on_axis && a.value_kind.starts_with("hidden_group_size_"))
      poke<u16>(bytes, a.offset, static_cast<u16>(l.block[axis]));
    if (a.value_kind == "hidden_grid_dims") poke<u16>(bytes, a.offset, dimensions(l));
    if (a.value_kind == "hidden_private_base") poke<u32>(bytes, a.offset, private_aperture);
    if (a.value_kind == "hidden_shared_base") poke<u32>(bytes, a.offset, shared_aperture);
    if (a.value_kind == "hidden_queue_ptr") poke<u64>(bytes, a.offset, queue);
    if (a.value_kind == "hidden_dynamic_lds_size") poke<u32>(bytes, a.offset, l.dynamic_lds);
  }
}

std::vector<u8> packet(const KernelInfo& k, const Launch& l, u64 kernarg, u32 lds) {  // hsa_kernel_dispatch_packet_t
  std::vector<u8> p(64);
  poke<u16>(p, 2, dimensions(l));
  for (u32 i = 0; i < 3; ++i) {
    poke<u16>(p, 4 + 2 * i, static_cast<u16>(l.block[i]));
    poke<u32>(p, 12 + 4 * i, l.grid[i] * l.block[i]);
  }
  poke<u32>(p, 24, k.private_bytes);
  poke<u32>(p, 28, lds);
  poke<u64>(p, 40, kernarg);
  return p;
}

std::vector<u8> queue_object() {  // amd_queue_t with the apertures, which is all that compiled code reads
  std::vector<u8> q(256);
  poke<u32>(q, 0x40, shared_aperture);
  poke<u32>(q, 0x44, private_aperture);
  return q;
}

struct ScalarInit {
  Wave& w;
  int at = 0;
  void put(u32 x) {
    if (at < sreg::vcc) {
      w.s[at] = x;
      w.written[(scalar_base + at) / 64] |= u64{1} << (scalar_base + at) % 64;
    }
    ++at;
  }
  void put64(u64 x) {
    put(static_cast<u32>(x));
    put(static_cast<u32>(x >> 32));
  }
};

// Nothing is defined but the scalar sources that are not registers.
void know_nothing(Wave& w) {
  std::fill_n(w.written_mask, Wave::vector_regs, 0), std::fill_n(w.known_bits, std::size(w.known_bits), 0);
  const auto known = [&](int r) {
    w.written[static_cast<size_t>(scalar_base + r) / 64] |= u64{1} << (scalar_base + r) % 64;
  };
  for (int r = sreg::shared_base; r < 256; ++r)
    if (r != sreg::scc) known(r);
  for (const int r : {int{sreg::exec}, sreg::exec + 1, int{sreg::null}}) known(r);
}

// FLAT_SCRATCH where the hardware sets it up, and its alias as a source operand (CDNA5 ISA 10.2.1 on targets that share
// scratch).
void initial_scratch(Wave& w, const isa::Target& t) {
  if (!t.architected_scratch()) return;
  const u64 alias = t.shares_scratch() ? u64{shared_private_aperture} << 58 | (w.scratch >> 7) << 2 : w.scratch;
  for (const auto& [reg, value] : {std::pair{sreg::flat_scratch, w.scratch}, std::pair{sreg::scratch_base, alias}}) {
    w.set_pair(reg, value);
    for (int r = reg; r < reg + 2; ++r) w.written[(scalar_base + r) / 64] |= u64{1} << (scalar_base + r) % 64;
  }
}

// ttmp6 of a cluster: nibbles {workgroups - 1, those in z, y, x - 1, position z, y, x}; 0 without (CDNA5 ISA 2.3.1).
u32 cluster_state(const Workgroup& g) {
  if (!g.cluster->hardware) return 0;
  const auto &n = g.cluster->size, &at = g.in_cluster;
  return static_cast<u32>(g.cluster->groups - 1) << 24 | (n[2] - 1) << 20 | (n[1] - 1) << 16 | (n[0] - 1) << 12 |
         at[2] << 8 | at[1] << 4 | at[0];
}

void initial_scalars(Wave& w, const Launched& l) {
  const auto& id = w.group->id;
  const KernelInfo& k = *l.kernel;
  initial_scratch(w, *l.target);
  ScalarInit s{w};
  if (k.private_segment_buffer) {  // V#: swizzled by lane, dwords of all lanes side by side; gfx9's ADD_TID,
                                   // INDEX_STRIDE 64
    s.put64((l.scratch & 0xffffffffffff) | u64{1} << 63);
    s.put64(u64{0xffffffff} | u64{1u << 23 | 3u << 21} << 32);
  }
  if (k.dispatch_ptr) s.put64(l.packet);
  if (k.queue_ptr) s.put64(l.queue);
  if (k.kernarg_ptr) s.put64(l.kernarg);
  if (k.dispatch_id) s.put64(1);
  if (k.flat_scratch_init) s.put64(l.scratch);
  if (k.private_segment_size) s.put(k.private_bytes);
  for (int i = 0; i < k.preload_length; ++i) {
    u32 x = 0;
    const size_t from = static_cast<size_t>(k.preload_offset + i) * 4;
    if (from + 4 > l.kernarg_bytes.size()) {
      ++s.at;
      continue;
    }  // after the arguments: undefined
    std::memcpy(&x, l.kernarg_bytes.data() + from, 4);
    s.put(x);
  }
  s.at = k.user_sgprs;
  if (!l.target->workgroup_ids_in_ttmp()) {
    for (int i = 0; i < 3; ++i)
      if (k.workgroup_id[i]) s.put(id[static_cast<size_t>(i)]);
    if (k.workgroup_info) s.put(0);
    if (k.private_offset && !l.target->architected_scratch()) s.put(static_cast<u32>(w.scratch - l.scratch));
    return;
  }
  const auto trap = [&](int n, u32 x) {  // ttmp8 29:25: the wave's number in its workgroup
    w.s[sreg::ttmp0 + n] = x;
    w.written[(scalar_base + sreg::ttmp0 + n) / 64] |= u64{1} << (scalar_base + sreg::ttmp0 + n) % 64;
  };
  const auto& place = w.group->cluster->hardware ? w.group->cluster->id : id;
  trap(9, place[0]);
  trap(7, place[1] | place[2] << 16);
  trap(8, static_cast<u32>(w.number) << 25);
  trap(6, cluster_state(*w.group));
}

}  // namespace

u64 load_image(const CodeObject& object, Memory& memory) {
  const u64 base = memory.allocate(object.image().size(), "code object", 4096);
  memory.write(base, object.image());
  for (const auto& r : object.relocations()) {
    const u64 address = base + r.value;
    memory.write(base + r.offset, {reinterpret_cast<const u8*>(&address), sizeof address});
  }
  return base;
}

void Launched::release(Memory& m) const {
  if (scratch) m.release(scratch);
  m.release(kernarg);
  m.release(packet);
  m.release(queue);
  if (image != launch->image) m.release(image);
}

namespace {

// The product, or `limit` + 1 if it exceeds the limit.
u64 product(const std::array<u32, 3>& n, u64 limit) {
  u64 p = n[0];
  for (const u32 x : {n[1], n[2]}) p = x && p > limit / x ? limit + 1 : p * x;
  return std::min(p, limit + 1);
}
u64 scratch_of(const KernelInfo& k) {
  constexpr u64 stack = 16384;  // bytes per lane if the depth of calls is unknown
  return k.private_bytes || k.dynamic_stack ? (u64{k.private_bytes} + (k.dynamic_stack ? stack : 0) + 15) & ~u64{15}
                                            : 0;
}

void check_cluster(const KernelInfo& k, const Launch& l, const isa::Target& t) {
  constexpr u64 most = isa::most_clustered;
  if (l.cooperative) {
    if (l.cluster != std::array<u32, 3>{} || k.cluster != std::array<u32, 3>{})
      throw LoadError(fmt::format("{}: a cooperative launch in clusters, legal: without", k.name));
    return;
  }
  const auto c = cluster_of(k, l);
  const u64 n = product(c, most);
  if (k.cluster != std::array<u32, 3>{} && c != k.cluster)
    throw LoadError(fmt::format("{}: clusters of {}x{}x{} workgroups; the kernel was compiled for {}x{}x{}", k.name,
                                c[0], c[1], c[2], k.cluster[0], k.cluster[1], k.cluster[2]));
  if (n == 1) return;
  if (!t.has_clusters())
    throw LoadError(fmt::format("{}: clusters of {}x{}x{} workgroups; {} has none, legal: 1x1x1", k.name, c[0], c[1],
                                c[2], t.name));
  if (n == 0 || n > most)
    throw LoadError(fmt::format("{}: clusters of {}x{}x{} workgroups, legal: 1 to {}", k.name, c[0], c[1], c[2], most));
  for (size_t i = 0; i < 3; ++i)
    if (l.grid[i] % c[i])
      throw LoadError(fmt::format("{}: a grid of {}x{}x{} is not a multiple of clusters of {}x{}x{} workgroups", k.name,
                                  l.grid[0], l.grid[1], l.grid[2], c[0], c[1], c[2]));
}

void check_fits(isa::Arch arch, const KernelInfo& k, const Launch& l, u64 items) {
  const isa::Occupancy held = [&] {
    try {
      return isa::occupancy(arch, resources(arch, k, items, l.dynamic_lds));
    } catch (const isa::IsaError& e) { throw LoadError(fmt::format("{}: {}", k.name, e.what())); }
  }();
  if (!held.groups)
    throw LoadError(fmt::format("{}: not one workgroup of {} work-items fits on a CU: {}; legal: fewer work-items",
                                k.name, items, isa::name(held.limited_by)));
}

}  // namespace

std::array<u32, 3> cluster_of(const KernelInfo& k, const Launch& l) {
  constexpr std::array<u32, 3> unsaid{};
  if (l.cooperative) return l.grid;
  return l.cluster != unsaid ? l.cluster : k.cluster != unsaid ? k.cluster : std::array<u32, 3>{1, 1, 1};
}

void check_launch(const CodeObject& object, const KernelInfo& k, const Launch& l) {
  const isa::Target& t = isa::target(object.arch());
  constexpr u64 most_items = 1024, most_groups = u64{1} << 31, most_kernargs = u64{1} << 20,
                wave_scratch = u64{8} << 20;  // scratch: COMPUTE_TMPRING_SIZE.WAVESIZE
  const u64 items = product(l.block, most_items),
            limit = std::min(most_items, static_cast<u64>(std::max(k.max_workgroup_size, 1)));
  if (!t.runs_wave(k.wave_size))
    throw LoadError(
        fmt::format("{}: waves of {} lanes; {} runs waves of {}", k.name, k.wave_size, t.name, t.wave_size));
  if (items == 0 || items > limit)
    throw LoadError(fmt::format("{}: a workgroup of {}x{}x{} work-items; the kernel takes 1 to {}", k.name, l.block[0],
                                l.block[1], l.block[2], limit));
  const u64 groups = product(l.grid, most_groups);
  if (groups == 0) throw LoadError(fmt::format("{}: an empty grid {}x{}x{}", k.name, l.grid[0], l.grid[1], l.grid[2]));
  if (groups > most_groups)
    throw LoadError(
        fmt::format("{}: a grid of {}x{}x{} workgroups, legal: up to 2^31", k.name, l.grid[0], l.grid[1], l.grid[2]));
  const u64 lds = u64{k.lds_bytes} + l.dynamic_lds;
  if (lds > static_cast<u64>(t.lds_bytes))
    throw LoadError(fmt::format("{}: {} bytes of LDS; {} has {} per workgroup", k.name, lds, t.name, t.lds_bytes));
  if (k.kernarg_bytes > most_kernargs)
    throw LoadError(fmt::format("{}: {} bytes of arguments, legal: up to {}", k.name, k.kernarg_bytes, most_kernargs));
  if (const u64 s = scratch_of(k) * static_cast<u64>(k.wave_size); s > wave_scratch)
    throw LoadError(fmt::format("{}: {} bytes of private memory per wave, legal: up to {}", k.name, s, wave_scratch));
  check_cluster(k, l, t);
  check_fits(object.arch(), k, l, items);
}

Launched prepare(const CodeObject& object, const KernelInfo& k, Memory& memory, const Launch& l, const Options& options,
                 unsigned jobs, unsigned room) {
  Launched r{object.arch(),
             &isa::target(object.arch()),
             &k,
             &memory,
             &options,
             &l,
             object.may_replay() && isa::counter(isa::WaitCounter::x, object.arch()).name,
             object.loads_keep_half(),
             true,
             0,
             0,
             0,
             0,
             l.kernargs,
             k.lds_bytes + l.dynamic_lds};
  r.cluster = cluster_of(k, l);
  u64 needed = 0;
  for (const KernelArg& a : k.args)
    if (!a.hidden()) needed = std::max(needed, u64{a.offset} + a.size);
  if (l.kernargs.size() < needed)
    throw LoadError(fmt::format("{}: {} bytes of arguments, the kernel needs {}", k.name, l.kernargs.size(), needed));
  r.kernarg_bytes.resize(std::max<size_t>(r.kernarg_bytes.size(), k.kernarg_bytes));
  r.image = l.image ? l.image : load_image(object, memory);
  const auto q = queue_object();
  r.queue = memory.allocate(q.size(), "queue");
  memory.write(r.queue, q);
  fill_hidden(r.kernarg_bytes, k, l, r.queue);
  r.slots = std::max(jobs, room);
  if ((r.scratch_bytes = scratch_of(k))) {
    const u64 lanes = static_cast<u64>(k.wave_size);
    r.group_scratch = r.scratch_bytes * ((l.work_items() + lanes - 1) / lanes) * lanes;
    constexpr u64 spare = u64{8} << 20;  // bytes for clusters that start while others wait for them
    const u64 one = r.group_scratch * r.groups_per_cluster();
    r.slots = static_cast<unsigned>(std::clamp<u64>(spare / one, jobs, r.slots));
    r.scratch = memory.allocate(one * r.slots, "private memory");
    memory.make_private(r.scratch);
    if (!options.checks.undefined) memory.define(r.scratch);
  }
  // The segment is aligned to 16 bytes (HSA); compilers widen a load at its end to the 16 bytes it starts in.
  r.kernarg_bytes.resize((r.kernarg_bytes.size() + 15) & ~size_t{15});
  r.kernarg = memory.allocate(r.kernarg_bytes.size(), "kernel arguments");
  memory.write(r.kernarg, r.kernarg_bytes);
  const auto p = packet(k, l, r.kernarg, r.lds_bytes);
  r.packet = memory.allocate(p.size(), "dispatch packet");
  memory.write(r.packet, p);
  return r;
}

void start_workgroup(Workgroup& g, std::vector<Wave>& waves, std::vector<u32>& registers, const Launched& l,
                     Cluster& cluster, std::array<u32, 3> in_cluster, u64 scratch) {
  const KernelInfo& k = *l.kernel;
  const auto& block = l.launch->block;
  const u32 items = block[0] * block[1] * block[2], width = static_cast<u32>(k.wave_size),
            count = (items + width - 1) / width;
  const size_t per_wave = static_cast<size_t>(std::max(512, k.vgprs)) * Wave::lanes;
  g.image = l.image;
  g.target = l.target, g.kernel = &k, g.memory = l.memory, g.options = l.options;
  g.cluster = &cluster, g.in_cluster = in_cluster;
  g.rank = static_cast<int>(in_cluster[0] + l.cluster[0] * (in_cluster[1] + l.cluster[1] * in_cluster[2]));
  for (size_t i = 0; i < 3; ++i) g.id[i] = cluster.id[i] * l.cluster[i] + in_cluster[i];
  if (l.fills_lds) g.lds.assign(l.lds_bytes, 0xcd);  // undefined contents
  else g.lds.resize(l.lds_bytes);
  g.races.reset(l.lds_bytes, l.options->checks.races && count > 1,
                l.options->checks.same_value_races ? nullptr : g.lds.data());
  g.barriers = {};
  g.barriers[0].members = g.waves = g.running = static_cast<int>(count);
  g.replays = l.replays;
  g.dma_in_flight = 0;
  g.dma_dwords.assign(g.follows_operations() ? l.lds_bytes / 4 + 1 : 0, 0);
  const Checks& checks = l.options->checks;
  const bool follows_bytes = checks.undefined || checks.uninitialized != Checks::Uninitialized::ignore;
  g.lds_written.assign(follows_bytes ? l.lds_bytes : 0, LdsByte::never_written);
  g.undefined_stores.clear();
  g.warning.reset();
  g.warnings = 0;
  if (l.scratch_bytes && l.options->checks.undefined) {  // another workgroup may have used it
    const Memory::Allocation* a = l.memory->find(scratch, l.group_scratch);
    a->written->forget(scratch - a->base, l.group_scratch);
  }
  if (waves.size() != count) waves.assign(count, Wave(l.arch));
  if (const size_t all = count * per_wave + 16; registers.size() < all) registers.resize(all);
  u32* base = registers.data() + (64 - reinterpret_cast<uintptr_t>(registers.data()) % 64) % 64 / 4;
  for (u32 n = 0; n < count; ++n) {
    Wave& w = waves[n];
    std::destroy_at(&w), std::construct_at(&w, l.arch, static_cast<int>(width));  // in place: 20 KB
    if (l.options->checks.undefined) know_nothing(w);
    w.group = &g, w.keeps_half = l.keeps_half;
    w.v = base + n * per_wave;
    w.number = static_cast<int>(n);
    w.denorm_f32 = static_cast<u8>(k.denorm_f32), w.denorm_f16 = static_cast<u8>(k.denorm_f16_64);
    w.round = static_cast<u8>(k.round_f32 | k.round_f16_64 << 2), w.fp16_overflow = k.fp16_overflow;
    // Without these mode bits signalling NaNs are treated like quiet ones, output modifiers act, and NaN clamps to
    // zero.
    w.ieee = k.ieee && l.target->ieee_is_a_mode(), w.dx10_clamp = k.dx10_clamp || !l.target->ieee_is_a_mode();
    w.all = width == 64 ? ~u64{0} : u64{0xffffffff};
    w.scratch_bytes = l.scratch_bytes;
    w.scratch = scratch + n * l.scratch_bytes * width;
    initial_scalars(w, l);
    const u32 first = n * width, active = std::min(width, items - first);
    w.items = active == 64 ? ~u64{0} : (u64{1} << active) - 1;
    w.set_exec(w.items);
    u32 x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
    const bool packed = l.target->packed_work_item_ids(), in_a_row = x + active <= block[0];
    for (u32 i = 0; i < active; ++i) {
      const u32 at = in_a_row ? x + i : x;
      if (packed) w.vreg(0)[i] = at | (k.workitem_id_dims > 1 ? y << 10 : 0) | (k.workitem_id_dims > 2 ? z << 20 : 0);
      else w.vreg(0)[i] = at, w.vreg(1)[i] = y, w.vreg(2)[i] = z;
      if (in_a_row) continue;
      if (++x == block[0]) x = 0, ++y;
      if (y == block[1]) y = 0, ++z;
    }
    for (int r = 0; r < (packed ? 1 : k.workitem_id_dims); ++r) {
      w.written_mask[r] = w.exec();
      if (w.exec() == w.all) w.written[0] |= u64{1} << r;
    }
  }
}

}  // namespace wavesmith::sim
