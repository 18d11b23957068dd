// The effect of instructions on what is known, and the machine that works values out.
#include "generator/check/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "generator/in_flight.h"
#include "simulator/access.h"
#include "simulator/launch.h"
#include "simulator/program.h"
#include "simulator/semantics.h"

namespace wavesmith::checker {
namespace {

namespace sreg = isa::sreg;
constexpr int exec_lo = scalar_base + sreg::exec;
constexpr bool is_vector_number(int reg) { return reg < scalar_base; }

bool reads_other_lanes(const Inst& i) {
  if (i.mods.dpp || i.mods.dpp8) return true;
  switch (i.op) {
    case Opcode::v_readlane_b32: case Opcode::v_permlane16_b32: case Opcode::v_permlanex16_b32: case Opcode::v_permlane64_b32:
    case Opcode::v_permlane16_swap_b32: case Opcode::v_permlane32_swap_b32: case Opcode::v_permlane16_var_b32: case Opcode::v_permlanex16_var_b32:
    case Opcode::v_permlane_bcast_b32: case Opcode::v_permlane_up_b32: case Opcode::v_permlane_down_b32: case Opcode::v_permlane_xor_b32: return true;
    default: return false;
  }
}
bool is_move(const Inst& i) {
  if (i.op == Opcode::v_mov_b32 && i.operands[1].file == File::s) return false;   // one value a wave becomes one a lane
  return (i.op == Opcode::s_mov_b32 || i.op == Opcode::s_mov_b64 || i.op == Opcode::v_mov_b32) && !i.mods.dpp && !i.mods.dpp8 && !i.mods.sdwa && i.operands[1].is_reg() && !i.operands[1].neg && !i.operands[1].abs;
}
bool is_or(Opcode op) { return op == Opcode::s_or_b32 || op == Opcode::s_or_b64; }
bool is_and(Opcode op) { return op == Opcode::s_and_b32 || op == Opcode::s_and_b64; }
bool is_and_not(Opcode op) { return op == Opcode::s_andn2_b32 || op == Opcode::s_andn2_b64; }
bool is_and_save(Opcode op) { return op == Opcode::s_and_saveexec_b32 || op == Opcode::s_and_saveexec_b64; }

// The register of an LDS instruction's or asynchronous load's addresses; -1: it has none.
int address_register(const Item& item) {
  return item.inst.info().counter == isa::Counter::async_load ? number_of(item.inst.operands[0]) : item.lds_address - 1;
}
bool by_m0(const Inst& i) { return i.mods.has(isa::lds) || (i.info().implicit & isa::m0_r); }
bool moves_tiles(const Inst& i) { return i.info().counter == isa::Counter::tensor; }
// Of the tensor data mover's descriptor: what the LDS side follows from. Sizes and strides of the tensor, where it is in memory, and its
// type (2, if it is one) are no part of it. (CDNA5 ISA 10.11.)
std::vector<int> tile_registers(const Inst& i) {
  std::vector<int> all;
  for (const auto& [group, dword] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 3}, {1, 4}}) all.push_back(number_of(i.operands[group]) + dword);
  for (const int group : {2, 3})
    for (int k = 0; i.operands[group].file == File::s && i.operands[group].index != sreg::null && k < 4; ++k) all.push_back(number_of(i.operands[group]) + k);
  return all;
}

// What may be in a VGPR behind a load of less than two; 0: not asked.
uint32_t loaded_bits(Opcode op) {
  switch (op) {
    case Opcode::global_load_ubyte: return 0xff;
    case Opcode::global_load_ushort: return 0xffff;
    case Opcode::global_load_dword: return 0xffffffff;
    default: return 0;
  }
}

// The register contents of all waves: 64 lanes of each, or one scalar of each.
struct Data {
  std::vector<uint32_t> bits;
  std::vector<uint64_t> valid;                             // lanes, by wave; scalars: all or none
};

}  // namespace

struct Evaluator::Machine {
  struct Node { const Item* item; std::vector<std::pair<uint16_t, Value>> in; };
  struct Def { int node; uint16_t reg; };
  using Inputs = std::vector<std::pair<uint16_t, Value>>;
  struct Key { const Item* item = nullptr; Inputs in; bool operator==(const Key&) const = default; };
  struct Hash {
    size_t operator()(const Key& k) const {
      uint64_t h = reinterpret_cast<uintptr_t>(k.item);
      for (const auto& [reg, v] : k.in) h = (h ^ (uint64_t{reg} << 32 | static_cast<uint32_t>(v))) * 0x9e3779b97f4a7c15, h ^= h >> 29;
      return h;
    }
  };

  const Code& code;
  sim::Kernel kernel;
  sim::Memory memory;
  sim::Options options;
  sim::Launch launch;
  sim::Launched launched{};
  sim::Cluster cluster{};
  sim::Workgroup group{};
  sim::Result counts;
  std::vector<sim::Wave> waves;
  std::vector<uint32_t> registers;
  Values start;
  std::vector<Node> nodes;
  std::vector<Def> defs{{-1, 0}};                          // by Value
  std::vector<char> same;                                  // by Value: no lane or wave number in it
  std::vector<char> sampled;                               // by Value: what memory may have held, nothing of lane and wave numbers
  std::map<const Item*, Value> loaded;
  std::vector<std::unique_ptr<Data>> data;                 // by Value, once asked for
  std::unordered_map<Key, Value, Hash> known;              // first of the values the instruction makes, in the order of its writes
  std::map<const Item*, sim::Step> steps;
  std::map<const Item*, std::unique_ptr<std::array<Item, 2>>> halves;   // of pairs
  std::unordered_map<Key, std::unique_ptr<LdsTouch>, Hash> touches;
  Key asked;                                               // kept for its room
  bool usable = false;
  bool waves_said = false;                                 // by the metadata: at most how many there are
  int exec_words;
  uint64_t somewhere = 0;                                  // an address in memory that loads may read

  Machine(const Code& c, const Entry& e, const sim::Kernel& k, Shape shape) : code(c), kernel(k), exec_words(c.lanes / 32) {
    const isa::Target& t = isa::target(c.arch);
    if (e.function || c.indirect || !t.runs_wave(c.lanes)) return;
    for (const Line& l : c.lines)                          // VGPR numbers depend on M0
      if (l.item->refusal.empty() && l.item->inst.op == Opcode::s_set_gpr_idx_on) return;
    kernel.wave_size = c.lanes;
    kernel.lds_bytes = static_cast<uint32_t>(e.lds_bytes);
    launch.block = shape;
    options.checks = {.undefined = false, .in_flight = false, .hazards = false, .races = true, .uninitialized = sim::Checks::Uninitialized::ignore};
    launched = {.arch = c.arch, .target = &t, .kernel = &kernel, .memory = &memory, .options = &options, .launch = &launch, .lds_bytes = kernel.lds_bytes};
    sim::start_workgroup(group, waves, registers, launched, cluster, {0, 0, 0}, 0);
    group.counts = &counts;
    group.races.reset(kernel.lds_bytes, true);             // a single wave's accesses are asked for as well
    const bool reads = std::any_of(c.lines.begin(), c.lines.end(), [](const Line& l) { return l.item->refusal.empty() && l.item->inst.info().format != isa::Format::mubuf && in_flight::loads_into_lds(l.item->inst); });
    if (reads) somewhere = memory.allocate(kernel.lds_bytes + 64, "what loads into LDS read");   // an LDS address may be the offset too
    usable = true;
    waves_said = e.workgroup_size < 1024 || (kernel.required_workgroup[0] && kernel.required_workgroup[1] && kernel.required_workgroup[2]);
    set_start(e, t);
  }

  void set_start(const Entry& e, const isa::Target& t) {
    for (int r = 0; r < (t.packed_work_item_ids() ? 1 : kernel.workitem_id_dims); ++r) start.of[static_cast<size_t>(r)] = make(-1, static_cast<uint16_t>(r), false);
    for (int k = 0; k < exec_words; ++k) start.of[static_cast<size_t>(exec_lo + k)] = make(-1, static_cast<uint16_t>(exec_lo + k), true);
    for (int r = scalar_base; r < scalar_base + sreg::ttmp0; ++r)
      if (e.written[static_cast<size_t>(r / 64)] >> r % 64 & 1) start.of[static_cast<size_t>(r)] = uniform;
    for (int r = scalar_base + sreg::flat_scratch; r < scalar_base + sreg::vccz; ++r) start.of[static_cast<size_t>(r)] = uniform;
    start.of[scalar_base + sreg::null] = uniform;
    if (!t.work_group_ids_in_ttmp()) return;
    for (const int r : {7, 9}) start.of[static_cast<size_t>(scalar_base + sreg::ttmp0 + r)] = uniform;
    start.of[scalar_base + sreg::ttmp0 + 8] = make(-1, scalar_base + sreg::ttmp0 + 8, false);
  }

  Value make(int node, uint16_t reg, bool is_same) {
    defs.push_back({node, reg});
    same.resize(defs.size()), sampled.resize(defs.size());
    same.back() = is_same;
    data.resize(defs.size());
    if (node < 0) data.back() = std::make_unique<Data>(read(reg));
    return static_cast<Value>(defs.size()) - 1;
  }

  // -- The machine's registers --
  Data read(int reg) {
    Data d;
    for (sim::Wave& w : waves) {
      if (is_vector_number(reg)) d.bits.insert(d.bits.end(), w.vreg(reg), w.vreg(reg) + 64);
      else d.bits.push_back(reg == scalar_base + sreg::scc ? w.scc : w.s[reg - scalar_base]);
      d.valid.push_back(~uint64_t{0});
    }
    return d;
  }
  void write(size_t wave, int reg, const Data& d) {
    sim::Wave& w = waves[wave];
    if (is_vector_number(reg)) std::memcpy(w.vreg(reg), d.bits.data() + wave * 64, 256);
    else if (reg == scalar_base + sreg::scc) w.scc = d.bits[wave] != 0;
    else w.s[reg - scalar_base] = d.bits[wave];
  }
  const sim::Step& step_of(const Item& item) {
    const auto it = steps.find(&item);
    if (it != steps.end()) return it->second;
    sim::Step raw;
    raw.inst = item.inst;
    raw.size = item.size ? item.size : 8;
    return steps.emplace(&item, sim::shifted(raw, {}, isa::target(code.arch), kernel)).first->second;
  }

  // Runs the instruction on every wave; false: in some lane an input is not known, or the simulator refuses it.
  bool run(const Item& item, const std::vector<std::pair<uint16_t, Value>>& in, std::vector<uint64_t>& active, bool per_wave_barrier) {
    const sim::Step& st = step_of(item);
    if (!st.run) return false;
    const bool vector = item.inst.info().is_vector() || item.counted, whole = reads_other_lanes(item.inst);
    for (size_t n = 0; n < waves.size(); ++n) {
      sim::Wave& w = waves[n];
      w.problem.reset();
      uint64_t all = ~uint64_t{0};
      for (const auto& [reg, v] : in) {
        if (v <= 0) continue;
        const Data* d = get(v);
        if (!d || (!is_vector_number(reg) && !d->valid[n])) return false;
        write(n, reg, *d);
        if (is_vector_number(reg) && has(item.reads, reg)) all &= d->valid[n];
      }
      active[n] = vector ? w.exec() : w.all;
      if ((whole ? w.all : active[n]) & ~all) return false;
      w.written_lanes = w.exec();
      st.run(w, st);
      if (per_wave_barrier) group.races.barrier();
      if (w.problem && !per_wave_barrier) return false;
    }
    return true;
  }

  const Data* get(Value v) {
    if (data[static_cast<size_t>(v)]) return data[static_cast<size_t>(v)]->bits.empty() ? nullptr : data[static_cast<size_t>(v)].get();
    std::vector<Value> todo{v};
    while (!todo.empty()) {                                // inputs first, without recursion
      const Value at = todo.back();
      const size_t before = todo.size();
      for (const auto& [reg, in] : nodes[static_cast<size_t>(defs[static_cast<size_t>(at)].node)].in)
        if (in > 0 && !data[static_cast<size_t>(in)]) todo.push_back(in);
      if (todo.size() > before) continue;
      todo.pop_back();
      if (!data[static_cast<size_t>(at)]) evaluate(defs[static_cast<size_t>(at)].node);
    }
    return get(v);
  }
  void evaluate(int number) {
    const Node node = nodes[static_cast<size_t>(number)];
    std::vector<uint64_t> active(waves.size());
    const bool good = run(*node.item, node.in, active, false);
    const Value first = known.at({node.item, node.in});
    Value v = first;
    node.item->writes.each([&](int reg) {
      auto d = std::make_unique<Data>();
      if (good) *d = read(reg);
      if (good && is_vector_number(reg)) {
        const auto old = std::find_if(node.in.begin(), node.in.end(), [&](const auto& i) { return i.first == reg; });
        const Data* before = old != node.in.end() && old->second > 0 ? get(old->second) : nullptr;
        for (size_t n = 0; n < waves.size(); ++n) d->valid[n] = active[n] | (before ? before->valid[n] : 0);
      }
      data[static_cast<size_t>(v++)] = std::move(d);
    });
  }

  // -- The effect on what is known --
  Value exec(const Values& st) const {
    Value lowest = st.of[exec_lo];
    for (int k = 1; k < exec_words; ++k) lowest = st.of[static_cast<size_t>(exec_lo + k)] == unknown ? unknown : lowest;
    return lowest;
  }
  // Known if all inputs are; uniform if none of them may differ between waves.
  Value inputs(const Item& item, const Values& st, std::vector<std::pair<uint16_t, Value>>& in) const {
    Value worst = 1;
    item.reads.each([&](int reg) {
      const Value v = reg == scalar_base + sreg::mode ? uniform : st.of[static_cast<size_t>(reg)];
      if (v == unknown) worst = unknown;
      else if (v == uniform && worst != unknown && reg != scalar_base + sreg::mode && reg != scalar_base + sreg::null) worst = uniform;
      in.emplace_back(static_cast<uint16_t>(reg), v);
    });
    return worst;
  }
  bool all_same(const std::vector<std::pair<uint16_t, Value>>& in) const {
    return std::all_of(in.begin(), in.end(), [&](const auto& i) { return i.second == uniform || (i.second > 0 && same[static_cast<size_t>(i.second)]); });
  }
  void forget(const Item& item, Values& st, Value what) {
    item.writes.each([&](int reg) { st.of[static_cast<size_t>(reg)] = is_vector_number(reg) ? unknown : what; });
  }
  static void set_inner(Values& st, int reg, bool inner) {
    uint64_t& word = st.inner[static_cast<size_t>(reg / 64)];
    word = (word & ~(uint64_t{1} << reg % 64)) | uint64_t{inner} << reg % 64;
  }
  static bool any_inner(const RegSet& regs, const Values& st) {
    for (int k = 0; k < regs.count; ++k)
      if (const auto& p = regs.parts[static_cast<size_t>(k)]; p.word < scalar_base / 64 && (p.mask & st.inner[static_cast<size_t>(p.word)])) return true;
    return false;
  }
  // Lanes come back: what was worked out without them is not known of them.
  static void widen(Values& st) {
    for (size_t w = 0; w < st.inner.size(); ++w)
      for (uint64_t left = std::exchange(st.inner[w], 0); left; left &= left - 1) st.of[w * 64 + static_cast<size_t>(std::countr_zero(left))] = unknown;
  }
  bool takes_lanes_away(const Inst& i) const {
    return is_and_save(i.op) || i.info().is_vector() || ((is_and(i.op) || is_and_not(i.op)) && is_exec(i.operands[1])) || (is_and(i.op) && is_exec(i.operands[2]));
  }
  bool is_exec(const Operand& o) const { return o.file == File::s && o.index == sreg::exec; }

  // Masks of EXEC are often data: what is kept then is which mask they are part of, until the code restores that one.
  bool mask_step(const Item& item, Values& st) {
    const Inst& i = item.inst;
    const auto lanes = [&](int from) { return std::array<Value, 2>{st.of[static_cast<size_t>(from)], exec_words > 1 ? st.of[static_cast<size_t>(from + 1)] : unknown}; };
    const bool exec_known = exec(st) > 0;
    if (is_and_save(i.op) || (is_and(i.op) && is_exec(i.operands[0]) && (is_exec(i.operands[1]) || is_exec(i.operands[2])))) {
      asked.in.clear();
      if (inputs(item, st, asked.in) > 0) return false;
      const auto old = lanes(exec_lo);
      const auto outer = exec_known ? old : st.within;
      forget(item, st, unknown);
      if (is_and_save(i.op) && exec_known) for (int k = 0; k < exec_words; ++k) st.of[static_cast<size_t>(number_of(i.operands[0]) + k)] = old[static_cast<size_t>(k)];
      st.within = outer;
      return true;
    }
    if (is_or(i.op) && is_exec(i.operands[0]) && is_exec(i.operands[1]) && i.operands[2].file == File::s && !exec_known) {
      const auto saved = lanes(number_of(i.operands[2]));
      if (saved[0] <= 0 || saved != st.within) return false;
      forget(item, st, unknown);
      for (int k = 0; k < exec_words; ++k) st.of[static_cast<size_t>(exec_lo + k)] = saved[static_cast<size_t>(k)];
      st.within = {};
      st.lanes_split = false;
      return true;
    }
    return false;
  }

  // -- Masks that are part of known ones --
  Value mask_or_more(const Values& st, const Operand& o, int word) const {
    if (o.file != File::s || o.index + word >= static_cast<int>(st.part.size())) return unknown;
    const Value v = st.of[static_cast<size_t>(number_of(o) + word)];
    return v > 0 ? v : st.part[static_cast<size_t>(o.index + word)];
  }
  Value tighter(Value a, Value b, int word) const { return a <= 0 || a == start.of[static_cast<size_t>(exec_lo + word)] ? std::max(b, a) : a; }
  // What the scalars that the instruction writes are part of.
  std::array<Value, 128> parts(const Item& item, const Values& st) const {
    std::array<Value, 128> part = st.part;
    const Inst& i = item.inst;
    const Operand active = isa::reg(File::s, sreg::exec, exec_words), &d = i.operands[0];
    item.writes.each([&](int reg) { if (reg >= scalar_base && reg < scalar_base + 128) part[static_cast<size_t>(reg - scalar_base)] = unknown; });
    for (int k = 0; k < exec_words; ++k) {
      const auto set = [&](int index, Value v) { if (index + k < 128) part[static_cast<size_t>(index + k)] = v; };
      if (is_and_save(i.op)) {
        set(sreg::exec, tighter(mask_or_more(st, i.operands[1], k), mask_or_more(st, active, k), k));
        set(d.index, mask_or_more(st, active, k));
      } else if (d.file == File::s && d.dwords == exec_words && (is_and(i.op) || is_and_not(i.op) || is_move(i))) {
        set(d.index, is_and(i.op) ? tighter(mask_or_more(st, i.operands[1], k), mask_or_more(st, i.operands[2], k), k) : mask_or_more(st, i.operands[1], k));
      } else if (i.info().is_vector()) {                   // a comparison has no bits for inactive lanes
        for (int o = 0; o < 2; ++o)
          if (i.info().operands[o].kind == isa::Kind::mask && i.info().operands[o].access == isa::Access::write && i.operands[o].file == File::s) set(i.operands[o].index, mask_or_more(st, active, k));
        if (i.info().implicit & isa::vcc_w) set(sreg::vcc, mask_or_more(st, active, k));
        if (i.info().implicit & isa::exec_w) set(sreg::exec, mask_or_more(st, active, k));
      }
    }
    return part;
  }

  // A pair one after the other: both read before either writes, so only if the second does not read what the first writes.
  void step(const Item& item, Values& st) {
    if (!item.refusal.empty() || !item.inst.dual) return single(item, st);
    auto& pair = halves[&item];
    if (!pair) pair = std::make_unique<std::array<Item, 2>>(std::array{make_item(isa::half(item.inst, 0), code.arch, code.lanes), make_item(isa::half(item.inst, 1), code.arch, code.lanes)});
    bool depends = false;
    (*pair)[0].writes.each([&](int reg) { depends |= has((*pair)[1].reads, reg); });
    if (depends) return single(item, st);
    for (const Item& half : *pair) single(half, st);
  }
  void single(const Item& item, Values& st) {
    if (!item.refusal.empty() || item.flow != Flow::next || !writes_scalars(item)) return effect(item, st);
    const auto part = parts(item, st);
    const bool compares = item.inst.info().is_vector() && (item.inst.info().implicit & isa::exec_w);
    const auto outer = exec(st) > 0 ? std::array<Value, 2>{st.of[exec_lo], exec_words > 1 ? st.of[exec_lo + 1] : unknown} : st.within;
    effect(item, st);
    if (compares && exec(st) <= 0) st.within = outer;      // v_cmpx takes lanes away
    st.part = part;
    if (has(item.writes, exec_lo) && !takes_lanes_away(item.inst)) widen(st);
  }
  static bool writes_scalars(const Item& item) {
    for (int k = 0; k < item.writes.count; ++k) if (item.writes.parts[static_cast<size_t>(k)].word >= scalar_base / 64) return true;
    return false;
  }
  void effect(const Item& item, Values& st) {
    if (!item.refusal.empty() || item.flow == Flow::call) return void(st = Values{.waves_split = st.waves_split});
    const Inst& i = item.inst;
    if (item.flow == Flow::conditional) return branch(item, st);
    if (!item.writes.count) return;
    const bool vector = i.info().is_vector();
    if (!vector && mask_step(item, st)) return;
    if (is_move(i) && (!vector || exec(st) == start.of[exec_lo])) {
      std::array<Value, 2> from{};
      for (int k = 0; k < i.operands[1].dwords && k < 2; ++k) from[static_cast<size_t>(k)] = st.of[static_cast<size_t>(number_of(i.operands[1]) + k)];
      for (int k = 0; k < i.operands[0].dwords && k < 2; ++k) st.of[static_cast<size_t>(number_of(i.operands[0]) + k)] = vector && from[static_cast<size_t>(k)] < 0 ? unknown : from[static_cast<size_t>(k)];
      return;
    }
    if (i.info().format == isa::Format::global && i.info().counter == isa::Counter::load && !in_flight::loads_into_lds(i)) return load(item, st);
    asked.item = &item, asked.in.clear();
    Inputs& in = asked.in;
    const bool loads = i.info().counter == isa::Counter::smem, inner = vector && (exec(st) <= 0 || any_inner(item.reads, st));
    Value worst = item.pure || loads ? inputs(item, st, in) : unknown;
    if (worst <= 0 && item.pure && vector && exec(st) <= 0 && !writes_scalars(item) && !reads_other_lanes(i)) worst = in_most_lanes(st, in);
    if (worst == unknown || !item.pure || (vector && worst == uniform)) return forget(item, st, loads && worst != unknown && all_same(in) ? uniform : unknown);
    if (worst == uniform) return forget(item, st, all_same(in) ? uniform : unknown);
    const bool of_data = std::any_of(in.begin(), in.end(), [&](const auto& x) { return x.second > 0 && sampled[static_cast<size_t>(x.second)]; });
    if (of_data && !only_data(item, in)) return forget(item, st, unknown);
    if (vector && exec(st) != start.of[exec_lo] && exec(st) > 0)   // inactive lanes keep what they have
      item.writes.each([&](int reg) {
        if (is_vector_number(reg) && !has(item.reads, reg)) in.emplace_back(static_cast<uint16_t>(reg), std::max(st.of[static_cast<size_t>(reg)], 0));
      });
    const bool keeps_inner = vector && (inner || (exec(st) != start.of[exec_lo] && (of_data || any_inner(item.writes, st))));
    Value& first = known[asked];
    if (!first) {
      nodes.push_back({&item, in});
      const bool is_same = all_same(in);
      bool any = false;
      item.writes.each([&](int reg) {
        const Value v = make_later(static_cast<int>(nodes.size()) - 1, static_cast<uint16_t>(reg), is_same);
        sampled[static_cast<size_t>(v)] = of_data;
        if (!std::exchange(any, true)) first = v;
      });
    }
    Value v = first;
    item.writes.each([&](int reg) {
      if (is_vector_number(reg)) set_inner(st, reg, keeps_inner);
      st.of[static_cast<size_t>(reg)] = reg == scalar_base + sreg::null ? uniform : v;
      ++v;
    });
  }
  // Where EXEC is not known: in all lanes that it is part of, which is right as long as no lanes come back.
  Value in_most_lanes(const Values& st, Inputs& in) const {
    Value worst = 1;
    for (auto& [reg, v] : in) {
      if (reg >= exec_lo && reg < exec_lo + exec_words) v = most_lanes(st, reg - exec_lo);
      if (v <= 0) worst = v == unknown || worst == unknown ? unknown : uniform;
    }
    return worst;
  }
  // What of data alone is worked out, lane for lane, is as good as data.
  bool only_data(const Item& item, const Inputs& in) const {
    return !writes_scalars(item) && !reads_other_lanes(item.inst) && std::all_of(in.begin(), in.end(), [&](const auto& x) {
      return x.second == uniform || (x.first >= exec_lo && x.first < exec_lo + exec_words) || same[static_cast<size_t>(x.second)] || sampled[static_cast<size_t>(x.second)];
    });
  }
  // What global memory may hold: some numbers of the width that is loaded, zero among them. Part of what they are loaded into: unknown.
  void load(const Item& item, Values& st) {
    forget(item, st, unknown);
    const uint32_t bits = loaded_bits(item.inst.op);
    if (!bits || item.inst.operands[0].file != File::v) return;
    Value& v = loaded[&item];
    if (!v) {
      v = make_later(-1, 0, false);
      sampled[static_cast<size_t>(v)] = true;
      auto d = std::make_unique<Data>();
      for (size_t k = 0; k < waves.size() * 64; ++k) d->bits.push_back(static_cast<uint32_t>(k & 255) * 0x01010101 & bits);
      d->valid.assign(waves.size(), ~uint64_t{0});
      data[static_cast<size_t>(v)] = std::move(d);
    }
    const int reg = number_of(item.inst.operands[0]);
    st.of[static_cast<size_t>(reg)] = v;
    set_inner(st, reg, exec(st) != start.of[exec_lo]);
  }
  Value make_later(int node, uint16_t reg, bool is_same) {
    defs.push_back({node, reg});
    same.push_back(is_same), sampled.push_back(false);
    data.emplace_back();
    return static_cast<Value>(defs.size()) - 1;
  }

  // Waves may part where the condition is neither the same for all of them nor about lanes only.
  void branch(const Item& item, Values& st) const {
    const uint32_t implicit = item.inst.info().implicit;
    if (implicit & isa::exec_r) return void(st.lanes_split = true);
    const int reg = implicit & isa::scc_r ? scalar_base + sreg::scc : scalar_base + sreg::vcc;
    for (int k = 0; k < (implicit & isa::scc_r ? 1 : exec_words); ++k) {
      const Value v = st.of[static_cast<size_t>(reg + k)];
      if (v == unknown || (v > 0 && !same[static_cast<size_t>(v)])) st.waves_split = st.waves_split ? st.waves_split : Values::for_good;
    }
  }

  // -- LDS --
  // EXEC, or what it is part of.
  Value most_lanes(const Values& st, int word) const {
    const auto k = static_cast<size_t>(word);
    const Value part = st.part[sreg::exec + k];
    return exec(st) > 0 ? st.of[exec_lo + k] : part > 0 ? part : st.within[k] > 0 ? st.within[k] : start.of[exec_lo + k];
  }
  // A tensor of no bytes: all of the tile is beyond it. Its rows in elements of 8 bytes if they are a multiple of that, which is fewer.
  static void empty_tensor(sim::Wave& w, const Inst& i) {
    const int g0 = i.operands[0].index, g1 = i.operands[1].index;
    w.s[g0 + 2] = 0, w.s[g0 + 3] = 2u << 30;
    for (const int k : {1, 2, 5, 6, 7}) w.s[g1 + k] = 0;
    const uint32_t size = w.s[g1] >> 16 & 3, row = (w.s[g1 + 3] >> 16) << size;
    if (row % 8) return;
    w.s[g1] |= 3 << 16;
    w.s[g1 + 3] = (row / 8) << 16;
  }

  const LdsTouch* touch(const Item& item, const Values& st) {
    const Inst& i = item.inst;
    const int address = address_register(item);
    const bool m0 = by_m0(i);
    if (!usable || st.waves_split || (address < 0 && !m0 && !(moves_tiles(i) && waves_said)) || i.info().format == isa::Format::scratch) return nullptr;
    std::vector<std::pair<uint16_t, Value>> in;
    const auto need = [&](int reg) { in.emplace_back(static_cast<uint16_t>(reg), st.of[static_cast<size_t>(reg)]); };
    for (int k = 0; k < exec_words; ++k) in.emplace_back(static_cast<uint16_t>(exec_lo + k), most_lanes(st, k));
    std::ranges::for_each(lds_address_registers(item), need);
    if (std::any_of(in.begin(), in.end(), [](const auto& x) { return x.second <= 0; })) return nullptr;
    const bool of_data = std::any_of(in.begin(), in.end(), [&](const auto& x) { return sampled[static_cast<size_t>(x.second)]; });
    if (of_data && m0) return nullptr;
    for (int k = 0; of_data && k < exec_words; ++k) in[static_cast<size_t>(k)].second = start.of[static_cast<size_t>(exec_lo + k)];
    auto& known_touch = touches[{&item, in}];
    if (!known_touch) {
      known_touch = std::make_unique<LdsTouch>();
      if (!shift_touch(item, in, *known_touch)) run_touch(item, in, *known_touch);
      known_touch->sampled = of_data;
      for (Bytes& b : known_touch->bytes) {
        known_touch->lowest = std::min(known_touch->lowest, b.dword * 4 + static_cast<uint32_t>(std::countr_zero(b.mask)));
        if (of_data) b.waves = waves.size() < 32 ? (1u << waves.size()) - 1 : ~0u;
      }
    }
    return of_data && known_touch->refused ? nullptr : known_touch.get();
  }
  // Where a load into LDS reads does not matter: of a buffer of no bytes, all lanes zeros; otherwise the same few bytes.
  void read_somewhere(sim::Wave& w, const Item& item, int address) const {
    const Inst& i = item.inst;
    const bool buffer = i.info().format == isa::Format::mubuf;
    const uint64_t at = buffer ? 0 : somewhere - static_cast<uint64_t>(int64_t{i.mods.offset});
    const bool based = std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.file == File::s; });
    for (const Operand& o : i.operands)
      for (int k = 0; k < o.dwords; ++k) {
        const auto half = static_cast<uint32_t>(k ? at >> 32 : at);
        if (o.file == File::s && o.index != sreg::m0) w.s[o.index + k] = half;
        else if (o.file == File::v && !buffer && number_of(o) + k != address) std::fill_n(w.vreg(o.index + k), 64, based ? 0 : half);
      }
  }
  // The same instruction but for its offset has been run: its bytes, so much further. Banks repeat every 64 dwords.
  struct Run { Inst inst; Inputs in; const LdsTouch* touch; uint32_t end; };
  std::vector<Run> runs;
  bool shift_touch(const Item& item, const Inputs& in, LdsTouch& t) {
    if (item.inst.info().unit != isa::Unit::lds || item.inst.mods.offset0 || item.inst.mods.offset1) return false;
    for (const Run& r : runs) {
      const int64_t by = int64_t{item.inst.mods.offset} - r.inst.mods.offset;
      if (r.inst.op != item.inst.op || r.inst.mods.flags != item.inst.mods.flags || by % 256 || r.in != in || r.end + by > kernel.lds_bytes) continue;
      t = *r.touch;
      for (Bytes& b : t.bytes) b.dword += static_cast<uint32_t>(by / 4);
      return true;
    }
    return false;
  }
  void remember(const Item& item, const Inputs& in, const LdsTouch& t) {
    if (item.inst.info().unit != isa::Unit::lds || item.inst.mods.offset0 || item.inst.mods.offset1 || t.refused || !t.fault.empty() || t.bytes.empty()) return;
    uint32_t end = 0;
    for (const Bytes& b : t.bytes) end = std::max(end, b.dword * 4 + 4);
    runs.push_back({item.inst, in, &t, end});
  }
  void run_touch(const Item& item, const std::vector<std::pair<uint16_t, Value>>& in, LdsTouch& t) {
    const bool tiles = moves_tiles(item.inst);
    t.from_memory = in_flight::loads_into_lds(item.inst);
    if (t.from_memory || tiles) for (const auto& [reg, v] : in) get(v);   // now: working them out uses the registers below
    if (t.from_memory)
      for (sim::Wave& w : waves) read_somewhere(w, item, address_register(item));
    for (sim::Wave& w : waves) if (tiles) empty_tensor(w, item.inst);
    const uint64_t accesses = counts.lds_accesses, cycles = counts.lds_conflict_cycles;
    std::vector<uint64_t> active(waves.size());
    t.bytes.reserve(waves.size() * 64);
    if (!run(item, in, active, true)) return;
    t.accesses = counts.lds_accesses - accesses, t.conflict_cycles = counts.lds_conflict_cycles - cycles;
    for (size_t n = 0; n < waves.size(); ++n) {
      sim::Wave& w = waves[n];
      // Smaller work-groups may be what the kernel is for: only what its first lane does is certain.
      if (n == 0 && w.problem && w.problem->lane == std::countr_zero(w.exec())) t.fault = fmt::format("wave {}, lane {}, address {:#x}: {}", n, w.problem->lane, w.problem->address, w.problem->why);
      t.refused |= w.problem.has_value();
      isa::Waits all;
      for (int c = 0; c < isa::wait_counters; ++c) all[c] = 0;
      w.async.wait(all, [&](const sim::Pending& p) {
        for (const auto& s : p.lds) if (!tiles || s.use != sim::LdsUse::atomic) add(t, s, n);   // the arrival at a barrier is elsewhere
      });
    }
    t.from_memory |= tiles && t.writes;
    group.dma_in_flight = 0;
    for (const Bytes& b : t.bytes) if (b.mask == 0xf) place_of_dword[b.dword] = 0;
    remember(item, in, t);
  }
  // Dwords accessed whole are joined: of an access of all lanes that is all of them.
  void add(LdsTouch& t, const sim::LdsSpan& s, size_t wave) {
    t.writes |= s.use != sim::LdsUse::read, t.atomic |= s.use == sim::LdsUse::atomic;
    for (uint32_t a = s.address; a < s.address + s.bytes;) {
      const uint32_t n = std::min(4 - a % 4, s.address + s.bytes - a), dword = a / 4, bit = 1u << wave;
      const auto mask = static_cast<uint8_t>(((1u << n) - 1) << a % 4);
      if (dword >= place_of_dword.size()) place_of_dword.resize(dword + 1);
      if (mask == 0xf && place_of_dword[dword]) t.bytes[place_of_dword[dword] - 1].waves |= bit;
      else {
        t.bytes.push_back({dword, bit, mask});
        if (mask == 0xf) place_of_dword[dword] = static_cast<uint32_t>(t.bytes.size());
      }
      a += n;
    }
  }
  std::vector<uint32_t> place_of_dword;                    // in the access being added, one more than its index; 0: none
};

std::vector<int> lds_address_registers(const Item& item) {
  std::vector<int> all = moves_tiles(item.inst) ? tile_registers(item.inst) : std::vector<int>{};
  if (const int r = address_register(item); r >= 0) all.push_back(r);
  if (by_m0(item.inst)) all.push_back(scalar_base + sreg::m0);
  return all;
}

Evaluator::Evaluator(const Code& c, const Entry& e, const sim::Kernel& k, Shape shape) : machine_(std::make_unique<Machine>(c, e, k, shape)) {}
Evaluator::~Evaluator() = default;
int Evaluator::waves() const { return machine_->usable ? static_cast<int>(machine_->waves.size()) : 0; }
bool Evaluator::lanes_known(const Values& st) const { return machine_->exec(st) > 0; }
Values Evaluator::entry() const { return machine_->start; }
void Evaluator::step(const Item& item, Values& st) { machine_->step(item, st); }
const LdsTouch* Evaluator::touch(const Item& item, const Values& st) { return machine_->touch(item, st); }

// What differs stays the same in all waves only if all waves came the same way.
bool Evaluator::join(Values& into, const Values& from) {
  bool changed = false;
  const auto set = [&](auto& x, auto v) { if (x != v) x = v, changed = true; };
  set(into.lanes_split, into.lanes_split || from.lanes_split);
  if (from.waves_split) set(into.waves_split, into.waves_split && into.waves_split != from.waves_split ? Values::for_good : from.waves_split);
  for (size_t w = 0; w < into.inner.size(); ++w) set(into.inner[w], into.inner[w] | from.inner[w]);
  const bool apart = into.lanes_split || into.waves_split;
  const auto alike = [&](Value v) { return v == uniform || (v > 0 && machine_->same[static_cast<size_t>(v)]); };
  for (size_t r = 0; r < into.part.size(); ++r)
    if (into.part[r] != from.part[r]) {
      const auto more = [&](const Values& x) { const Value v = x.of[scalar_base + r]; return v > 0 ? v : x.part[r]; };
      set(into.part[r], more(into) == more(from) ? more(into) : unknown);
    }
  for (size_t r = 0; r < into.of.size(); ++r) {
    const Value a = into.of[r], b = from.of[r];
    if (a == b) continue;
    const bool scalar = !is_vector_number(static_cast<int>(r));
    const bool grown = a == uniform || b == uniform;       // what was known here is no longer: from all sides, mostly
    set(into.of[r], scalar && (!apart || grown) && alike(a) && alike(b) ? uniform : unknown);
  }
  if (into.within != from.within) set(into.within, std::array<Value, 2>{});
  return changed;
}

}  // namespace wavesmith::checker
