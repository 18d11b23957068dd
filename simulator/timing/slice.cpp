// The values that a trace needs: those that addresses, branches, EXEC and scalar instructions read, and the values
// these depend on, found backwards over the control flow. The rest, mostly matrix instructions and the arithmetic
// between them, is not computed. A write ends the need for an older value only where EXEC is known to be full:
// otherwise inactive lanes keep it. Once a needed value comes from LDS, or from memory, all that is stored there is
// needed; except, on trial, what matrix instructions made, and sums of that which another wave has stored.
#include "simulator/timing/slice.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "isa_tables/dataflow.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"
#include "simulator/access.h"
#include "simulator/lanes.h"
#include "simulator/observer.h"
#include "simulator/timing/decode.h"
#include "simulator/vskip.h"

namespace wavesmith::timing {
namespace {

using sim::Step, sim::u32, isa::RegBits, isa::RegSet;

void nothing(sim::Wave&, const Step&) {}

// -- Accesses whose data nobody needs: their addresses alone, which the observer is told --
// Bytes of a lane: an access of less than a dword stays within one, whichever byte it begins at.
int lds_bytes(const Step& st) {
  constexpr isa::Opcode smaller[] = {
      isa::Opcode::ds_read_u8,         isa::Opcode::ds_read_i8,         isa::Opcode::ds_read_u16,
      isa::Opcode::ds_read_i16,        isa::Opcode::ds_read_u8_d16,     isa::Opcode::ds_read_u8_d16_hi,
      isa::Opcode::ds_read_i8_d16,     isa::Opcode::ds_read_i8_d16_hi,  isa::Opcode::ds_read_u16_d16,
      isa::Opcode::ds_read_u16_d16_hi, isa::Opcode::ds_write_b8,        isa::Opcode::ds_write_b8_d16_hi,
      isa::Opcode::ds_write_b16,       isa::Opcode::ds_write_b16_d16_hi};
  return std::ranges::find(smaller, st.inst.op) != std::end(smaller) ? 1 : data_bytes(st);
}
template <bool read>
void touch_lds(sim::Wave& w, const Step& st) {
  const sim::Observer* const o = w.group->observer;
  const bool watched = !read && o && o->watches_lds;
  if (o && !o->wants_lds && !watched) return;
  sim::LdsAddresses a;
  sim::lds_addresses(w, st, static_cast<u32>(st.inst.mods.offset), lds_bytes(st), read, a);
  if (!watched) return;
  for (int l = 0; l < w.width(); ++l)
    if (w.exec() >> l & 1)
      w.group->observer->lds_bytes(w, a.at[l], static_cast<u32>(lds_bytes(st)), l, sim::LdsUse::write);
}
// bytes: data_bytes(), if it is a usual number; else 0.
template <int address, int bytes>
void touch_buffer(sim::Wave& w, const Step& st) {
  sim::BufferAddresses a;
  sim::buffer_addresses(w, st, address, bytes ? bytes : data_bytes(st), false, a);
}
template <int base, int bytes>
void touch_global(sim::Wave& w, const Step& st) {
  sim::Addresses a;
  sim::memory_addresses(w, st, 0, st.sources > base ? base : absent, bytes ? bytes : data_bytes(st), a);
}
template <class F>
sim::Execute for_bytes(const Step& st, F touch) {
  switch (data_bytes(st)) {
    case 4: return touch.template operator()<4>();
    case 8: return touch.template operator()<8>();
    case 16: return touch.template operator()<16>();
    default: return touch.template operator()<0>();
  }
}
template <int address>
sim::Execute touch_buffer_of(const Step& st) {
  return for_bytes(st, []<int bytes> { return &touch_buffer<address, bytes>; });
}
template <int base>
sim::Execute touch_global_of(const Step& st) {
  return for_bytes(st, []<int bytes> { return &touch_global<base, bytes>; });
}
// A store's data are needed only if a load whose result is needed may read them; so are those of an atomic that
// returns nothing and writes whatever was there.
bool compares(isa::Opcode op) {
  constexpr isa::Opcode all[] = {
      isa::Opcode::buffer_atomic_cmpswap, isa::Opcode::buffer_atomic_cmpswap_x2, isa::Opcode::buffer_atomic_cmpswap_f32,
      isa::Opcode::global_atomic_cmpswap, isa::Opcode::global_atomic_cmpswap_x2, isa::Opcode::global_atomic_cmpswap_f32,
  };
  return std::ranges::find(all, op) != std::end(all);
}
bool only_stores(const Step& st) {
  const isa::Unit u = st.row->unit;
  if ((u != isa::Unit::lds && u != isa::Unit::vmem) || st.sources < 2 || st.cold->writes.count) return false;
  if ((st.row->implicit & isa::atomic) && (u == isa::Unit::lds || compares(st.inst.op))) return false;
  const auto m = isa::memory_of(st.inst);
  return m == isa::lds_write || m == isa::global_write;
}
// nullptr: the instruction must run unchanged.
sim::Execute addresses_alone(const Step& st, uint8_t m) {
  if ((st.row->implicit & isa::stores) || st.inst.mods.has(isa::scale_offset))
    return nullptr;  // its address is scaled by the number of bytes
  if ((st.row->implicit & isa::atomic) && (st.row->unit == isa::Unit::lds || !only_stores(st))) return nullptr;
  const bool loads = st.cold->writes.count != 0, to_lds = (m & isa::global_read) && (m & isa::lds_write);
  switch (st.row->format) {
    case isa::Format::ds:
      return m == isa::lds_read ? touch_lds<true> : m == isa::lds_write ? touch_lds<false> : nullptr;
    case isa::Format::mubuf:
      return (loads && m == isa::global_read) || to_lds ? touch_buffer_of<0>(st)
             : m == isa::global_write                   ? touch_buffer_of<1>(st)
                                                        : nullptr;
    case isa::Format::global:
      return loads && m == isa::global_read     ? touch_global_of<1>(st)
             : m == isa::global_write && !loads ? touch_global_of<2>(st)
                                                : nullptr;
    case isa::Format::tensor: return to_lds ? sim::tensor_addresses : nullptr;
    default: return nullptr;
  }
}

constexpr int exec = isa::scalar_base + isa::sreg::exec;
bool is_arithmetic(const Step& st) { return st.row->is_vector() && st.run && !(st.row->implicit & isa::relative); }

// Given that EXEC is full: no DPP that leaves a lane as it was, no SDWA.
bool writes_every_lane(const Step& st) {
  const isa::Mods& m = st.inst.mods;
  if (st.plain || m.sdwa) return st.plain;
  if (m.row_mask != 15 || m.bank_mask != 15) return false;
  if (m.bound_ctrl || m.has(isa::fetch_inactive)) return true;
  for (int l = 0; l < sim::W; ++l)
    if (sim::dpp_source(m.dpp_ctrl, l) == absent) return false;
  return true;
}

// Its first result is a part of a register, which keeps the rest (16-bit results of the VALU: on gfx9 only of some).
bool writes_part(const Step& st) {
  const isa::Info& row = *st.row;
  if ((row.implicit & isa::keeps) || st.high_result) return true;
  if (!row.is_vector())  // D16 loads
    return row.operands[0].access == isa::Access::both && isa::memory_of(st.inst) && !(row.implicit & isa::atomic);
  const std::string_view name = row.mnemonic;  // the result's type comes first
  return !row.is_matrix() && name.find("pk_") == name.npos &&
         name.find("16") < std::min(name.find("32"), name.find("64"));
}

RegBits bits_of(const RegSet& s) {
  RegBits b{};
  for (int i = 0; i < s.count; ++i) b[s.parts[i].word] |= s.parts[i].mask;
  return b;
}
// What a step reads although it may write it too.
RegBits reads_of(const Step& st) {
  RegBits b = bits_of(st.cold->reads);  // without EXEC, of s_and_saveexec and the like
  if (st.row->implicit & isa::exec_r) b[exec / 64] |= u64{3} << exec % 64;
  return b;
}
bool has(const RegBits& b, int r) { return b[static_cast<size_t>(r) / 64] >> r % 64 & 1; }
void add_source(RegBits& b, const Step& st, int s) {
  if (st.src[s].from == sim::Source::From::vector)
    for (int k = 0; k < st.src[s].dwords; ++k)
      b[static_cast<size_t>(st.src[s].reg + k) / 64] |= u64{1} << (st.src[s].reg + k) % 64;
}

RegBits data_of(const Step& st) {
  RegBits b{};
  const bool buffer = st.row->format == isa::Format::mubuf || st.row->format == isa::Format::mtbuf;
  for (int s = buffer ? 0 : 1; s < (buffer ? 1 : st.sources); ++s) add_source(b, st, s);
  return b;
}

// What has to come out as on hardware: addresses, branches, EXEC and scalars; or branches alone.
enum class Purpose : u8 { addresses, branches };

struct Slice {
  std::vector<Step>& steps;
  const Purpose purpose;
  // Steps that always follow one another, in order.
  std::vector<std::vector<size_t>> blocks;
  const isa::Edges edges;       // of blocks
  std::vector<RegBits> needed;  // after each step
  std::vector<bool> biased;     // branches that results of matrix instructions decide: nobody follows these
  std::vector<bool> products;   // stores of such results
  bool trusting = false;        // that no needed load reads these
  std::vector<bool> full;       // EXEC is full before each step
  std::vector<bool> skips;      // VSKIP may be set: a vector instruction need not write
  std::vector<bool> parts;      // writes_part
  bool lds = false, memory = false;
  bool changed = true;   // lds or memory
  bool atomics = false;  // a needed value is what an atomic returns

  Slice(std::vector<Step>& s, Purpose p)
      : steps(s),
        purpose(p),
        blocks(blocks_of(s)),
        edges(edges_of(s, blocks)),
        needed(s.size()),
        biased(s.size()),
        products(s.size()),
        full(s.size()),
        skips(s.size()),
        parts(s.size()) {
    for (size_t i = 0; i < s.size(); ++i) parts[i] = s[i].row && writes_part(s[i]);
  }

  static std::vector<std::vector<size_t>> blocks_of(const std::vector<Step>& steps) {
    std::vector<int> entries(steps.size());  // ways to get there
    std::vector<bool> leads(steps.size());
    for (const Step& st : steps)
      for (const int to : {st.next, st.target}) {
        if (to == absent) continue;
        ++entries[static_cast<size_t>(to)];
        if (st.next != absent && st.target != absent) leads[static_cast<size_t>(to)] = true;
      }
    std::vector<std::vector<size_t>> blocks;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i && !leads[i] && entries[i] == 1) continue;
      blocks.emplace_back();
      for (size_t at = i;;) {
        blocks.back().push_back(at);
        const int next = std::max(steps[at].next, steps[at].target);
        if (next < 1 || leads[static_cast<size_t>(next)] || entries[static_cast<size_t>(next)] != 1) break;
        at = static_cast<size_t>(next);
      }
    }
    return blocks;
  }
  static isa::Edges edges_of(const std::vector<Step>& steps, const std::vector<std::vector<size_t>>& blocks) {
    std::vector<int> block_of(steps.size(), absent);
    for (size_t b = 0; b < blocks.size(); ++b) block_of[blocks[b].front()] = static_cast<int>(b);
    return isa::Edges(blocks.size(), [&](size_t b, auto f) {
      for (const int to : {steps[blocks[b].back()].next, steps[blocks[b].back()].target})
        if (to != absent) f(block_of[static_cast<size_t>(to)]);
    });
  }
  // isa::solve() with transfer(state, step), which returns whether anything follows; then visit(step, state) with the
  // state in front of each step, in the direction of the flow.
  template <isa::Direction D, class State, class Transfer, class Join, class Visit>
  void flow(isa::States<State> states, Transfer&& transfer, Join&& join, Visit&& visit) const {
    const auto walk = [&](State& state, size_t b, auto&& see) {
      const auto& all = blocks[b];
      for (size_t k = 0; k < all.size(); ++k) {
        const size_t i = all[D == isa::Direction::forward ? k : all.size() - 1 - k];
        see(i, state);
        if (!transfer(state, i)) return false;
      }
      return true;
    };
    isa::solve<D>(
        edges, states, [&](State& state, size_t b, bool) { return walk(state, b, [](size_t, const State&) {}); }, join);
    for (size_t b = 0; b < blocks.size(); ++b)
      if (states[b]) walk(*states[b], b, visit);
  }
  template <class State>
  isa::States<State> from_entry(State entry) const {
    isa::States<State> states(blocks.size());
    if (!states.empty()) states[0] = std::move(entry);
    return states;
  }

  // s_mov of -1, or of scalars that hold it.
  static bool moves_ones(const Step& st, const RegBits& ones) {
    const bool wide = st.inst.op == isa::Opcode::s_mov_b64;
    if (!wide && st.inst.op != isa::Opcode::s_mov_b32) return false;
    const sim::Source& from = st.src[0];
    if (from.from == sim::Source::From::constant) return from.bits[0] == ~0u && (!wide || from.bits[1] == ~0u);
    const int first = isa::scalar_base + from.reg;
    return from.from == sim::Source::From::scalar && has(ones, first) && (!wide || has(ones, first + 1));
  }
  void flow_modes() {
    RegBits at_entry{};
    at_entry[exec / 64] |= u64{3} << exec % 64;
    flow<isa::Direction::forward>(
        from_entry(at_entry),
        [&](RegBits& b, size_t i) {
          const Step& st = steps[i];
          if (!st.row) return false;
          const RegBits writes = bits_of(st.cold->writes);
          const bool now = moves_ones(st, b);
          for (size_t w = 0; w < b.size(); ++w) b[w] = now ? b[w] | writes[w] : b[w] & ~writes[w];
          return true;
        },
        [](RegBits& into, const RegBits& from) {
          bool fewer = false;
          for (size_t w = 0; w < into.size(); ++w) fewer |= (into[w] & ~from[w]) != 0, into[w] &= from[w];
          return fewer;
        },
        [&](size_t i, const RegBits& ones) { full[i] = has(ones, exec) && has(ones, exec + 1); });
    flow<isa::Direction::forward>(
        from_entry(u8{1}),
        [&](u8& x, size_t i) {  // `s_setvskip 0, n` ends it
          const Step& st = steps[i];
          if (st.row && st.inst.op == isa::Opcode::s_setvskip)
            x = st.src[0].from == sim::Source::From::constant && st.src[0].bits[0] == 0 ? 1 : 2;
          return st.row != nullptr;
        },
        [](u8& into, u8 from) { return from > into && (into = from, true); },
        [&](size_t i, u8 x) { skips[i] = x == 2; });
  }
  bool writes_all(size_t i) const { return full[i] && !skips[i]; }  // of a vector instruction

  // Decides branches by itself, whatever registers are needed: jumps and ends, the mode, and where LDS is needed what
  // orders and writes it.
  bool decides(const Step& st) const {
    if (biased[st.number]) return false;
    if ((st.row->implicit & (isa::pc_w | isa::ends | isa::mode_w)) || st.inst.op == isa::Opcode::s_setvskip)
      return true;
    if (!lds) return false;
    return (st.row->unit == isa::Unit::message && st.row->counter == isa::Counter::none) ||
           (isa::memory_of(st.inst) & isa::lds_write);
  }
  bool left_out(size_t i) const {
    const Step& st = steps[i];
    return st.row && st.run && !decides(st) && !st.cold->writes.meets(needed[i]);
  }

  // Registers that hold something, or what was made of that. `hidden`: in lanes that EXEC has switched off since other
  // values were written; nobody reads these before EXEC is written.
  struct Tainted {
    RegBits b{}, hidden{};
    bool join(const Tainted& from) {
      const bool more_visible = isa::unite(b, from.b), more_hidden = isa::unite(hidden, from.hidden);
      return more_visible || more_hidden;
    }
  };
  // What matrix instructions made, through registers and LDS; and, where such results are stored to memory, what loads
  // that may be sums of them return. Only the former make branches biased.
  struct Products {
    Tainted made{}, loaded{};
  };
  void flow_products() {
    bool made_in_lds = false, loaded_in_lds = false, in_memory = false, more = true;
    std::vector<RegSet> sources(steps.size());  // what decides a step's results
    for (size_t i = 0; i < steps.size(); ++i) {
      const Step& st = steps[i];
      if (!st.row || !st.run) continue;
      const RegBits own = reads_of(st), writes = bits_of(st.cold->writes);
      RegSet all = st.cold->touched;
      if (st.row->is_vector()) all.add(exec / 64, u64{3} << exec % 64);
      for (int k = 0; k < all.count; ++k)
        if (const auto [w, mask] = all.parts[static_cast<size_t>(k)]; mask & (~writes[w] | own[w]))
          sources[i].add(w, mask & (~writes[w] | own[w]));
    }
    const auto writes_any = [](const RegSet& set, int r) {
      for (int k = 0; k < set.count; ++k)
        if (set.parts[static_cast<size_t>(k)].word == r / 64)
          return (set.parts[static_cast<size_t>(k)].mask >> r % 64 & 1) != 0;
      return false;
    };
    const auto after = [&](Products& state, size_t i) {
      const Step& st = steps[i];
      if (!st.row || !st.run) return true;
      const RegSet &writes = st.cold->writes, &reads = sources[i];
      const auto m = isa::memory_of(st.inst);
      const bool in_all_lanes = writes_all(i) || !st.row->is_vector(),
                 kills = !skips[i] && !parts[i] && writes_every_lane(st),
                 activates = writes_any(writes, exec) || writes_any(writes, exec + 1);
      const auto pass = [&](Tainted& t, bool source, bool& in_lds) {
        auto& [b, hidden] = t;
        const bool product = source || ((m & isa::lds_read) && in_lds) || reads.meets(b);
        if (product && (m & isa::lds_write)) more |= !in_lds, in_lds = true;
        for (int k = 0; k < writes.count; ++k) {
          const auto [w, mask] = writes.parts[static_cast<size_t>(k)];
          if (product) {
            b[w] |= mask;
          } else if (kills) {
            hidden[w] = in_all_lanes ? hidden[w] & ~mask : hidden[w] | (b[w] & mask);
            b[w] &= ~mask;
          }
        }
        if (activates)
          for (size_t w = 0; w < b.size(); ++w) b[w] |= std::exchange(hidden[w], 0);
        return product;
      };
      if (only_stores(st)) {
        const RegBits data = data_of(st);
        const auto stores = [&](const Tainted& t) {
          for (size_t w = 0; w < data.size(); ++w)
            if (t.b[w] & data[w]) return true;
          return false;
        };
        const bool of_made = stores(state.made);
        if (of_made || ((m & isa::global_write) && stores(state.loaded))) products[i] = true;
        if (of_made && (m & isa::global_write)) more |= !in_memory, in_memory = true;
      }
      const bool loads =
          in_memory && st.row->unit == isa::Unit::vmem && (m & isa::global_read) && !(st.row->implicit & isa::atomic);
      if (pass(state.made, st.row->is_matrix(), made_in_lds) && st.target != absent) biased[i] = true;
      pass(state.loaded, loads, loaded_in_lds);
      return true;
    };
    while (std::exchange(more, false))
      flow<isa::Direction::forward>(
          from_entry(Products{}), after,
          [](Products& into, const Products& from) {
            const bool more_made = into.made.join(from.made), more_loaded = into.loaded.join(from.loaded);
            return more_made || more_loaded;
          },
          [](size_t, const Products&) {});
  }

  // Of a store: must what it writes be right?
  bool needs_data(size_t i) const {
    return (steps[i].row->unit == isa::Unit::lds ? lds : memory) && !(trusting && products[i]);
  }

  // Dwords of the last source of a row that `carries` above all dwords of the result in `wanted`.
  static void drop_high_dwords(RegBits& reads, const Step& st, const RegBits& wanted) {
    const int last = st.sources - 1;
    if ((st.row->implicit & isa::keeps) || last < 0 || st.src[last].from != sim::Source::From::vector) return;
    RegBits others{};
    for (int s = 0; s < last; ++s) add_source(others, st, s);
    for (int k = st.src[last].dwords - 1; k > 0 && !has(wanted, st.dst + k); --k)
      if (const int r = st.src[last].reg + k; !has(others, r))
        reads[static_cast<size_t>(r) / 64] &= ~(u64{1} << r % 64);
  }

  // What is needed in front of a step, given what is after it.
  RegBits before(size_t i, RegBits b) {
    const Step& st = steps[i];
    if (purpose == Purpose::addresses) b[exec / 64] |= u64{3} << exec % 64;
    if (!st.row || !st.run) return b;
    const bool wanted = st.cold->writes.meets(b),
               scalar = !st.row->is_vector() && st.row->unit != isa::Unit::lds && st.row->unit != isa::Unit::vmem;
    if (purpose == Purpose::branches) {
      if (!wanted && !decides(st)) return b;
      if (!scalar) b[exec / 64] |= u64{3} << exec % 64;
      atomics |= wanted && (st.row->implicit & isa::atomic) && st.row->unit == isa::Unit::lds;
    }
    const bool arithmetic = is_arithmetic(st);
    if (arithmetic && !wanted) return b;
    if (!wanted && st.row->unit == isa::Unit::lds && st.cold->writes.count && isa::memory_of(st.inst) == isa::no_memory)
      return b;  // through the crossbar only
    const uint8_t m = scalar || arithmetic ? uint8_t{isa::no_memory} : isa::memory_of(st.inst);
    if (wanted && (m & isa::lds_read)) changed |= !lds, lds = true;
    if (wanted && (m & isa::global_read)) changed |= !memory, memory = true;
    RegBits reads = bits_of(st.cold->touched);
    const RegBits writes = bits_of(st.cold->writes), own = reads_of(st);
    const bool kills = (writes_all(i) || scalar) && !parts[i] && writes_every_lane(st);
    for (size_t w = 0; w < b.size(); ++w) reads[w] &= ~writes[w] | own[w];
    if (st.row->implicit & isa::carries) drop_high_dwords(reads, st, b);
    if (kills)
      for (size_t w = 0; w < b.size(); ++w) b[w] &= ~writes[w];
    if (only_stores(st) && !needs_data(i)) {
      const RegBits data = data_of(st);
      for (size_t w = 0; w < b.size(); ++w) reads[w] &= ~data[w];
    }
    for (size_t w = 0; w < b.size(); ++w) b[w] |= reads[w];
    return b;
  }

  // Repeats when a load turns out to be needed, because the data of stores to that memory are then needed too.
  void solve() {
    while (std::exchange(changed, false))
      flow<isa::Direction::backward>(
          isa::States<RegBits>(blocks.size(), RegBits{}), [&](RegBits& b, size_t i) { return b = before(i, b), true; },
          isa::unite, [&](size_t i, const RegBits& b) { needed[i] = b; });
  }
};

// Jumps whose target is unknown.
bool jumps_anywhere(const Step& st) {
  return st.row && (st.row->implicit & isa::pc_w) && st.target == absent && !(st.row->implicit & isa::ends);
}

}  // namespace

std::vector<u32> keep_branches(sim::DecodedKernel& program, const std::vector<bool>& usually_taken) {
  std::vector<Step>& steps = program.steps;
  for (const Step& st : steps)
    if (jumps_anywhere(st) || (st.row && (st.row->implicit & isa::relative))) return {};
  Slice s(steps, Purpose::branches);
  s.flow_modes();
  s.flow_products();
  for (size_t i = 0; i < steps.size(); ++i)
    if (s.biased[i] && steps[static_cast<size_t>(steps[i].target)].pc <= steps[i].pc) return {};
  s.solve();
  if (s.atomics) return {};
  std::vector<bool> leads(steps.size()), passed(steps.size());
  leads[0] = true;
  for (const Step& st : steps)
    if (st.target != absent || !st.row || (st.row->implicit & isa::pc_w))
      for (const int to : {st.next, st.target})
        if (to != absent) leads[static_cast<size_t>(to)] = true;
  // Code that runs under several s_set_vgpr_msb has a step for each, which meet at the next one without a branch.
  std::vector<bool> entered(steps.size());
  for (const Step& st : steps)
    if (st.next != absent) {
      if (entered[static_cast<size_t>(st.next)]) leads[static_cast<size_t>(st.next)] = true;
      entered[static_cast<size_t>(st.next)] = true;
    }
  for (size_t i = 0; i < steps.size(); ++i) passed[i] = !s.biased[i] && s.left_out(i) && steps[i].next != absent;
  for (size_t i = 0; i < steps.size(); ++i)
    if (s.skips[i] && steps[i].row && sim::is_skippable(*steps[i].row)) {  // counts by itself
      leads[i] = true;
      if (steps[i].next != absent) leads[static_cast<size_t>(steps[i].next)] = true;
    }
  std::vector<int> first_kept(steps.size(), absent);  // by step, once known: where a run that comes to it goes on
  const auto follow = [&](int to) {
    const auto is_passed = [&](int at) { return passed[static_cast<size_t>(at)] && !leads[static_cast<size_t>(at)]; };
    int end = to;
    while (end != absent && is_passed(end)) {
      const int known = first_kept[static_cast<size_t>(end)];
      end = known != absent ? known : steps[static_cast<size_t>(end)].next;
    }
    for (int at = to; at != end && first_kept[static_cast<size_t>(at)] == absent;
         at = steps[static_cast<size_t>(at)].next)
      first_kept[static_cast<size_t>(at)] = end;
    return end;
  };
  std::vector<u32> leader(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!leads[i]) continue;
    leader[i] = static_cast<u32>(i);
    for (int to = steps[i].next; steps[i].target == absent && to != absent && !leads[static_cast<size_t>(to)];
         to = steps[static_cast<size_t>(to)].next) {
      leader[static_cast<size_t>(to)] = static_cast<u32>(i);
      if (steps[static_cast<size_t>(to)].target != absent) break;
    }
  }
  std::vector<std::pair<int, int>> links;
  for (const Step& st : steps) {
    const bool jumps = s.biased[st.number] && st.number < usually_taken.size() && usually_taken[st.number];
    links.emplace_back(follow(jumps ? st.target : st.next), follow(st.target));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    std::tie(steps[i].next, steps[i].target) = links[i];
    steps[i].straight = steps[i].straight && steps[i].next != absent;
    if (passed[i] || s.biased[i]) steps[i].run = nothing;
  }
  program.multiplies = false;
  return leader;
}

Skipped skip_unneeded(sim::DecodedKernel& program, Computed computed) {
  Skipped r;
  r.stores.resize(program.steps.size());
  if (computed == Computed::all) return r;
  for (const Step& st : program.steps)
    if (jumps_anywhere(st)) return r;
  Slice s(program.steps, Purpose::addresses);
  s.flow_modes();
  if (computed == Computed::needed_but_products) s.trusting = true, s.flow_products();
  s.solve();
  bool multiplies = false;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    Step& st = program.steps[i];
    if (!st.row || !st.run || st.cold->writes.meets(s.needed[i])) {
      multiplies |= st.row && st.row->is_matrix();
      continue;
    }
    if (is_arithmetic(st)) st.run = nothing, ++r.steps;
    const isa::Unit u = st.row->unit;
    if (u != isa::Unit::lds && u != isa::Unit::vmem) continue;
    const auto m = isa::memory_of(st.inst);
    if (m == isa::no_memory) continue;
    const bool untold = only_stores(st) && !s.needs_data(i);
    if (!untold && (((m & isa::lds_write) && s.lds) || ((m & isa::global_write) && s.memory))) continue;
    if (const auto run = addresses_alone(st, m)) {
      st.run = run;
      if (untold)
        r.stores[i] = true, (u == isa::Unit::lds ? r.lds : r.memory) |= u == isa::Unit::lds ? s.lds : s.memory;
    }
  }
  program.multiplies &= multiplies;
  return r;
}

}  // namespace wavesmith::timing
