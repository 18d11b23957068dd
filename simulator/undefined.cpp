#include "simulator/undefined.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa_tables/opcodes.h"
#include "simulator/access.h"

namespace wavesmith::sim {
namespace {
using isa::File, isa::Kind;
using LaneBits = std::array<u32, W>;  // of a scalar the first element

bool is_scalar(int joint) { return joint >= scalar_base; }
constexpr int exec_lo = scalar_base + sreg::exec;
bool is_exec(int joint) { return joint == exec_lo || joint == exec_lo + 1; }
u64 lanes_of_half(u32 bits, int joint) { return joint == exec_lo ? u64{bits} : u64{bits} << 32; }
void set_written(Wave& w, int joint, bool all) {
  const u64 bit = u64{1} << joint % 64;
  u64& word = w.written[static_cast<size_t>(joint / 64)];
  word = all ? word | bit : word & ~bit;
}

// Whether a register has undefined bits, of a vector in some of `lanes`.
bool lacks(const Wave& w, int joint, u64 lanes) {
  if (w.written[static_cast<size_t>(joint / 64)] >> joint % 64 & 1) return false;
  return is_scalar(joint) ? unknown(w, joint) != 0 : (~w.written_mask[joint] & lanes & w.all) != 0;
}
// Stores the undefined bits of all lanes; returns whether there are any in `lanes`.
bool unknown_row(const Wave& w, int joint, u64 lanes, LaneBits& bits) {
  bits.fill(0);
  if (w.written[static_cast<size_t>(joint / 64)] >> joint % 64 & 1) return false;
  if (is_scalar(joint)) return (bits[0] = unknown(w, joint)) != 0;
  for (u64 left = ~w.written_mask[joint] & w.all; left; left &= left - 1) {
    const int l = std::countr_zero(left);
    bits[static_cast<size_t>(l)] = unknown(w, joint, l);
  }
  return lacks(w, joint, lanes);
}
void set_unknown(Wave& w, int joint, const LaneBits& bits) {
  if (is_scalar(joint)) {
    w.known_bits[joint - scalar_base] = ~bits[0];
    w.guesses.erase(joint);
    return set_written(w, joint, bits[0] == 0);
  }
  u64 whole = 0;
  bool some = false;
  for (int l = 0; l < w.width(); ++l) {
    const u32 x = bits[static_cast<size_t>(l)];
    whole |= u64{x == 0} << l, some |= x != 0 && x != ~u32{0};
  }
  if (some && w.lane_bits.empty()) w.lane_bits.assign(Wave::vector_regs * Wave::lanes, 0);
  if (!w.lane_bits.empty())
    for (int l = 0; l < w.width(); ++l) w.lane_bits[static_cast<size_t>(joint * W + l)] = ~bits[static_cast<size_t>(l)];
  w.written_mask[joint] = whole;
  set_written(w, joint, whole == w.all);
}

// -- Trials --

// The registers of a step, their contents and undefined bits. The destructor restores the contents.
class Trials {
 public:
  struct Register {
    int joint;
    LaneBits value, unknown;
    bool lacks;
  };
  Trials(Wave& w, const Step& st, bool results_only)
      : w_(w), st_(st), scc_(w.scc), next_(w.next), jump_(w.jump), lanes_(w.written_lanes) {
    RegSet all = st.cold->writes;
    if (!results_only) st.cold->reads.each([&](int r) { all.add(r); });
    std::memcpy(s_, w.s, sizeof s_);
    all.each([&](int r) {
      Register x{r, {}, {}, false};
      if (is_scalar(r)) x.value[0] = r - scalar_base == sreg::scc ? w.scc : w.s[r - scalar_base];
      else std::memcpy(x.value.data(), w.vreg(r), sizeof x.value);
      x.lacks = unknown_row(w, r, w.all, x.unknown);
      registers.push_back(x);
    });
  }
  ~Trials() {
    restore();
    w_.scc = scc_, w_.next = next_, w_.jump = jump_, w_.written_lanes = lanes_;
  }
  // Executes the step with `fill(register's place, lane)` in the undefined bits.
  template <class Fill>
  void run(Fill&& fill) {
    restore();
    for (size_t i = 0; i < registers.size(); ++i) {
      const Register& r = registers[i];
      if (!r.lacks) continue;
      if (is_scalar(r.joint)) {
        put_scalar(r.joint - scalar_base, (r.value[0] & ~r.unknown[0]) | (fill(i, 0) & r.unknown[0]));
        continue;
      }
      u32* v = w_.vreg(r.joint);
      for (int l = 0; l < w_.width(); ++l)
        if (const u32 u = r.unknown[static_cast<size_t>(l)]) v[l] = (v[l] & ~u) | (fill(i, l) & u);
    }
    w_.trying = true;
    st_.run(w_, st_);
    w_.trying = false;
    w_.problem.reset();
  }
  LaneBits result(int joint) const {
    LaneBits x{};
    if (is_scalar(joint)) x[0] = joint - scalar_base == sreg::scc ? w_.scc : w_.s[joint - scalar_base];
    else std::memcpy(x.data(), w_.vreg(joint), sizeof x);
    return x;
  }
  std::vector<Register> registers;

 private:
  void put_scalar(int reg, u32 x) {
    if (reg == sreg::scc) w_.scc = x & 1;
    else w_.s[reg] = x;
  }
  void restore() {
    std::memcpy(w_.s, s_, sizeof s_);
    w_.scc = scc_, w_.next = next_, w_.jump = ~u64{0};
    for (const Register& r : registers)
      if (!is_scalar(r.joint)) std::memcpy(w_.vreg(r.joint), r.value.data(), sizeof r.value);
  }
  Wave& w_;
  const Step& st_;
  u32 s_[256];
  bool scc_;
  int next_;
  u64 jump_, lanes_;
};

u32 mix(u32 x) { return x *= 0x9e3779b1, x ^= x >> 15, x *= 0x85ebca77, x ^ x >> 13; }

// The values tried in undefined bits: the complement (shows every bit that is only moved or combined), all ones or
// zeros, noise, small numbers, limits of the number formats, and the other sources' values, so that comparisons give
// both results.
template <class Seen>
void try_values(Trials& t, const Step& st, Seen&& seen) {
  constexpr u32 edges[] = {0,          ~u32{0},    0x80000000, 0x7fffffff, 0x7f800000, 0xff800000,
                           0x3f800000, 0x7ff00000, 0x7c007c00, 0xfc00fc00, 0x80008000, 0x7fff7fff};
  const auto& regs = t.registers;
  t.run([&](size_t i, int l) { return regs[i].value[static_cast<size_t>(l)]; }), seen(true);
  t.run([&](size_t i, int l) { return ~regs[i].value[static_cast<size_t>(l)]; }), seen(false);
  for (const u32 x : edges) t.run([&](size_t, int) { return x; }), seen(false);
  for (u32 n = 1; n <= 4; ++n)
    t.run([&](size_t i, int l) {
      return mix(mix(static_cast<u32>(i) * 64 + static_cast<u32>(l)) + n) >> (n > 2 ? 27 : 0);
    }),
        seen(false);
  std::vector<const u32*> others;  // a register's lanes, or a constant
  std::vector<bool> uniform;
  for (const auto& r : regs) others.push_back(r.value.data()), uniform.push_back(is_scalar(r.joint));
  const auto constants = [&](const Step& of) {
    for (int i = 0; i < of.sources; ++i)
      if (of.src[i].from == Source::From::constant)
        for (const u32& x : of.src[i].bits) others.push_back(&x), uniform.push_back(true);
  };
  constants(st);
  for (const Step& h : st.cold->halves) constants(h);
  for (size_t by = 1; by < std::min<size_t>(others.size(), 9); ++by)
    t.run([&](size_t i, int l) {
      const size_t k = (i + by) % others.size();
      return others[k][uniform[k] ? 0 : l];
    }),
        seen(false);
}

u32 whole_bytes(u32 x) {  // all bits of each byte that has any
  x |= x >> 4, x |= x >> 2, x |= x >> 1;
  return (x & 0x01010101) * 0xff;
}

struct TrialOutcome {
  int joint;
  LaneBits unknown;
  std::optional<Wave::Guesses> guesses = {};
};
thread_local std::vector<TrialOutcome> results;  // of the step being executed, from its trials to record_tried

// -- Origins and texts --

// The first undefined register that the step reads, preferably one that it does not write.
int first_lacking(const Wave& w, const Step& st, u64 lanes) {
  int found = absent;
  st.cold->reads.each([&](int r) {
    if (found == absent && lacks(w, r, lanes)) found = r;
  });
  return found;
}
int first_lane(const Wave& w, int joint, u64 lanes) {  // the first of `lanes` that is undefined; -1: a scalar
  if (is_scalar(joint)) return absent;
  while (lanes && !unknown(w, joint, std::countr_zero(lanes))) lanes &= lanes - 1;
  return lanes ? std::countr_zero(lanes) : absent;
}
std::string never_written(const Wave& w, int joint) {
  return fmt::format("{}, which was never written{}", register_name(w, joint), is_scalar(joint) ? "" : " in this lane");
}
void fail_undefined(Wave& w, const std::string& verb, int joint, int lane) {
  const auto from = w.origins.find(joint);
  const u32 bits = unknown(w, joint, std::max(lane, 0));
  const std::string part = bits == ~u32{0} ? "" : fmt::format(" (bits {:#x})", bits);
  if (from == w.origins.end())
    return w.fail(Fault::Kind::undefined_read, fmt::format("{} {}{}", verb, never_written(w, joint), part), lane);
  const Wave::Origin o = from->second;
  if (o.reg == absent && o.lds)
    return w.fail(Fault::Kind::undefined_read,
                  fmt::format("{} {}{}, loaded from LDS, where an undefined value was stored", verb,
                              register_name(w, joint), part),
                  lane, 0, o.step);
  if (o.reg == absent)
    return w.fail(Fault::Kind::undefined_read,
                  fmt::format("{} {}{}, loaded from private memory that its lane had not written", verb,
                              register_name(w, joint), part),
                  lane, 0, o.step);
  w.fail(Fault::Kind::undefined_read,
         fmt::format("{} {}{}, which is undefined: it comes from {}", verb, register_name(w, joint), part,
                     never_written(w, o.reg)),
         lane, 0, o.step);
}

// -- Where it shows --

// The lanes whose flat address lies in their private memory or in LDS.
u64 lanes_followed(Wave& w, const Step& st) {
  Addresses a;
  memory_addresses(w, st, 0, st.sources > 2 ? 2 : absent, 1, a);
  u64 lanes = 0;
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = std::countr_zero(m);
    lanes |= u64{place_of(w, st, a.at[l], l).space != Space::device} << l;
  }
  return lanes;
}
// Whether a store writes the register to memory, and the lanes of which it goes where undefined bytes are followed: to
// LDS, or to private memory by scratch instructions, flat stores, or a buffer that is the private segment's.
struct Stored {
  bool data = false;
  u64 followed = 0;
};
Stored stored(Wave& w, const Step& st, int joint) {
  const isa::Info& row = *st.row;
  if (row.format == isa::Format::ds || row.format == isa::Format::ds2) {
    const bool stores = std::string_view(row.mnemonic).starts_with("ds_write");
    return stores && (st.sources == 1 || joint != st.src[0].reg) ? Stored{true, ~u64{0}} : Stored{};
  }
  const bool buffer = row.format == isa::Format::mubuf, flat = row.format == isa::Format::flat;
  if ((row.counter != isa::Counter::store && !flat) || (row.implicit & isa::atomic)) return {};
  bool data = false, own = flat || row.format == isa::Format::scratch;
  for (int i = 0; i < row.count(); ++i) {
    const isa::Operand& o = st.inst.operands[i];
    const int first = isa::number_of(o);
    const bool read = (o.file == File::v || o.file == File::a) && row.operands[i].access == isa::Access::read &&
                      joint >= first && joint < first + o.dwords;
    if (read && row.operands[i].kind == Kind::vaddr) return {};  // as an address it is checked, whatever else it is
    data |= read;
    if (buffer && o.file == File::s && o.dwords == 4)
      own = w.scratch_bytes &&
            ((w.pair(o.index) ^ w.scratch) & 0xffffffffffff) == 0;  // the wave's offset has been added to it
  }
  if (!data || !own) return {data, 0};
  return {true, flat ? lanes_followed(w, st) : ~u64{0}};
}
// The bits of a data register that a narrow store uses.
u32 used_bits(const Step& st, int joint) {
  if (st.cold->data_bits == ~u32{0}) return ~u32{0};
  for (int i = 0; i < st.row->count(); ++i) {
    const isa::Operand& o = st.inst.operands[i];
    if (st.row->operands[i].kind != Kind::va || !o.is_reg()) continue;
    const int last = isa::number_of(o) + o.dwords - 1;
    if (joint == last) return st.cold->data_bits;
  }
  return ~u32{0};
}

bool check_used(Wave& w, const Step& st) {
  bool good = true;
  const u64 lanes = st.all_lanes ? w.all : w.exec() & ~w.doubtful;  // what the others load is undefined
  st.cold->reads.each([&](int r) {
    LaneBits bits;
    if (!good || !unknown_row(w, r, lanes, bits)) return;
    const Stored as = stored(w, st, r);
    const u32 used = used_bits(st, r);
    for (int l = 0; l < (is_scalar(r) ? 1 : w.width()); ++l) {
      if (!(bits[static_cast<size_t>(l)] & used) || !(is_scalar(r) || (lanes & ~as.followed) >> l & 1)) continue;
      good = as.data && !w.group->options->checks.undefined_stores;
      if (good && w.group->warning) return void(++w.group->warnings);  // only the first one has a text
      fail_undefined(w, "reads", r, is_scalar(r) ? absent : l);
      if (good) warn(w, *std::exchange(w.problem, {}));
      return;
    }
  });
  return good;
}

// A loop that only lanes of which it is undefined whether they are active would repeat. They have run it once.
bool only_doubtful_repeat(const Wave& w, const Step& st) {
  return st.inst.op == isa::Opcode::s_cbranch_execnz && w.doubtful && !(w.exec() & ~w.doubtful) &&
         st.target != absent && st.target < st.next;
}

bool check_branch(Wave& w, const Step& st) {  // whether undefined bits decide the branch
  if (only_doubtful_repeat(w, st)) return true;
  constexpr int most_unskipped = 1 << 16;  // a loop may end by such a branch
  if (st.inst.op == isa::Opcode::s_cbranch_execz && w.doubtful && ++w.unskipped < most_unskipped) return true;
  bool same = true;
  {
    Trials t(w, st, false);
    int next = 0;
    u64 jump = 0;
    try_values(t, st, [&](bool first) {
      if (first) next = w.next, jump = w.jump;
      same &= w.next == next && w.jump == jump;
    });
  }
  if (!same) fail_undefined(w, "reads", first_lacking(w, st, w.all), absent);
  return same;
}

// The undefined bits of the step's results, by trials.
void find_bits(Wave& w, const Step& st) {
  Trials t(w, st, false);
  std::vector<LaneBits> base;
  st.cold->writes.each([&](int r) { results.push_back({r, {}}); });
  base.resize(results.size());
  try_values(t, st, [&](bool first) {
    for (size_t i = 0; i < results.size(); ++i) {
      const LaneBits x = t.result(results[i].joint);
      if (first) base[i] = x;
      for (size_t l = 0; l < x.size(); ++l) results[i].unknown[l] |= x[l] ^ base[i][l];
    }
  });
}

bool is_bitwise(const Step& st) {
  constexpr std::string_view names[] = {"s_and", "s_or", "s_xor", "s_nand", "s_nor", "s_xnor", "s_not", "s_mov_b"};
  const std::string_view name = st.row->mnemonic;
  return std::ranges::any_of(names, [&](std::string_view x) { return name.starts_with(x); });
}
const Wave::Guesses& guesses_of(Wave& w, int joint, u32 value) {
  const auto [at, fresh] = w.guesses.try_emplace(joint);
  if (fresh) {
    ++w.guessed;
    for (size_t n = 0; n < at->second.size(); ++n)
      at->second[n] = n ? mix(mix(w.guessed) + static_cast<u32>(n)) : value;
  }
  return at->second;
}
// A mask and what was computed from it differ together: (a & b) | (a & ~b) is a. So the undefined bits of masks have
// values in several possible runs, and a bit of a bitwise result that is the same in all of them is defined.
void find_related_bits(Wave& w, const Step& st) {
  Trials t(w, st, false);
  std::vector<const Wave::Guesses*> guesses;
  for (const auto& r : t.registers)
    guesses.push_back(r.lacks && is_scalar(r.joint) ? &guesses_of(w, r.joint, r.value[0]) : nullptr);
  for (TrialOutcome& r : results)
    if (r.joint - scalar_base != sreg::scc) r.guesses.emplace();
  for (size_t n = 0; n < Wave::Guesses{}.size(); ++n) {
    t.run([&](size_t i, int) { return guesses[i] ? (*guesses[i])[n] : 0; });
    for (TrialOutcome& r : results)
      if (r.guesses) (*r.guesses)[n] = t.result(r.joint)[0];
  }
  for (TrialOutcome& r : results) {
    if (!r.guesses) continue;
    r.unknown[0] = 0;
    for (const u32 x : *r.guesses) r.unknown[0] |= x ^ r.guesses->front();
  }
}

// The lane of a vector that a copy into a scalar reads.
int lane_read(const Wave& w, const Step& st) {
  if (st.cold->copies == LaneCopy::from_lane) return static_cast<int>(st.inst.operands[2].bits) & (w.width() - 1);
  return w.exec() ? std::countr_zero(w.exec()) : 0;
}

// The same of a copy, whose result has the undefined bits of its source. Unoptimised code saves SGPRs in lanes of VGPRs
// that have no values in others, and copies these from register to register.
void copy_bits(const Wave& w, const Step& st) {
  int from = 0;
  TrialOutcome to{};
  st.cold->reads.each([&](int r) { from = r; }), st.cold->writes.each([&](int r) { to.joint = r; });
  if (st.cold->copies != LaneCopy::lanes) to.unknown[0] = unknown(w, from, lane_read(w, st));
  else {
    LaneBits source;
    unknown_row(w, from, w.all, source), unknown_row(w, to.joint, w.all, to.unknown);
    for (u64 left = w.exec(); left; left &= left - 1) {
      const auto l = static_cast<size_t>(std::countr_zero(left));
      to.unknown[l] = source[is_scalar(from) ? 0 : l];
    }
  }
  results.push_back(to);
}

}  // namespace

bool check_written(Wave& w, const Step& st) {
  if (st.row->implicit & isa::pc_w) return check_branch(w, st);
  if (!st.cold->pure) return check_used(w, st);
  const bool to_scalar = st.cold->copies == LaneCopy::from_lane || st.cold->copies == LaneCopy::first_lane;
  const u64 lanes = to_scalar ? u64{1} << lane_read(w, st) : st.cold->crosses_lanes ? w.all : w.exec();
  const int lacking = first_lacking(w, st, lanes);
  if (lacking == absent) return true;
  results.clear();
  const LaneCopy copies = st.cold->copies;
  if (copies == LaneCopy::no || copies == LaneCopy::to_lane) find_bits(w, st);
  else copy_bits(w, st);
  if (is_bitwise(st)) find_related_bits(w, st);
  if (st.row->implicit & isa::mode_r)  // floating point: trials do not show every bit of a rounded result
    for (TrialOutcome& r : results)
      if (!is_scalar(r.joint))  // of a comparison a bit is a lane
        for (u32& x : r.unknown) x = whole_bytes(x);
  u64 doubtful = 0;
  for (const TrialOutcome& r : results)
    if (is_exec(r.joint)) doubtful |= lanes_of_half(r.unknown[0], r.joint);
  if (doubtful && !(w.items & ~doubtful)) return fail_undefined(w, "gives EXEC lanes from", lacking, absent), false;
  const u64 active = w.exec();
  for (const TrialOutcome& r : results) {
    const auto at = std::find_if(r.unknown.begin(), r.unknown.end(), [](u32 x) { return x != 0; });
    if (at == r.unknown.end()) continue;
    const int lane = is_scalar(r.joint) ? absent : static_cast<int>(at - r.unknown.begin());
    if (lane != absent && !(active >> lane & 1)) continue;  // an inactive lane keeps its value
    if (w.group->options->checks.undefined_reads && !st.cold->moves)
      return fail_undefined(w, "reads", lacking, first_lane(w, lacking, lanes)), false;
    const auto from = w.origins.find(lacking);
    w.origins[r.joint] = from != w.origins.end() ? from->second : Wave::Origin{lacking, static_cast<int>(st.number)};
  }
  return w.tried = true;
}

void record_tried(Wave& w, const Step&) {
  w.tried = false;
  for (const TrialOutcome& r : results) {
    set_unknown(w, r.joint, r.unknown);
    if (r.guesses && r.unknown[0]) w.guesses[r.joint] = *r.guesses;
    if (is_exec(r.joint)) w.doubtful |= lanes_of_half(r.unknown[0], r.joint) & w.all;
  }
}

bool check_doubtful(Wave& w, const Step& st) {
  const isa::Info& row = *st.row;
  if (row.counter == isa::Counter::none || row.format == isa::Format::smem) return true;
  bool loads = false;
  st.cold->writes.each([&](int r) { loads |= !is_scalar(r); });
  if (loads && !(row.implicit & (isa::atomic | isa::stores)) && !st.inst.mods.has(isa::lds)) return true;
  fail_undefined(w, "stores in lanes of", exec_lo + !(w.doubtful & ~u32{0}), absent);
  return false;
}

void spread_doubt(Wave& w, const Step& st) {
  const u64 lanes = st.cold->crosses_lanes ? w.exec() | w.doubtful : w.doubtful;
  const isa::Opcode op = st.inst.op;
  const bool masked = (st.row->is_vector() || st.row->counter != isa::Counter::none) && !st.all_lanes &&
                      op != isa::Opcode::v_readlane_b32 && op != isa::Opcode::v_writelane_b32;
  if (masked && st.row->format != isa::Format::smem)
    st.cold->writes.each([&](int r) {
      LaneBits bits;
      unknown_row(w, r, w.all, bits);
      if (!is_scalar(r)) {
        for (u64 m = lanes; m; m &= m - 1) bits[static_cast<size_t>(std::countr_zero(m))] = ~u32{0};
      } else if (op == isa::Opcode::v_readfirstlane_b32) {
        const u64 sure = w.exec() & ~w.doubtful, first = sure ? sure & -sure : 1;  // without active lanes lane 0
        const u64 may_be_first = first | (sure ? w.doubtful & (first - 1) : w.doubtful);
        st.cold->reads.each([&](int v) {
          if (is_scalar(v)) return;
          for (u64 m = may_be_first; m; m &= m - 1) {
            const int l = std::countr_zero(m);
            bits[0] |= unknown(w, v, l) | (w.vreg(v)[l] == w.vreg(v)[std::countr_zero(first)] ? 0 : ~u32{0});
          }
        });
      } else bits[0] |= static_cast<u32>(w.width() == 64 && r & 1 ? w.doubtful >> 32 : w.doubtful);  // aligned pairs
      set_unknown(w, r, bits);
      if (!w.origins.contains(r) && w.origins.contains(exec_lo)) w.origins[r] = w.origins[exec_lo];
    });
  if (op == isa::Opcode::s_cbranch_execz && !(w.exec() & ~w.doubtful)) w.next = st.next;
  if (only_doubtful_repeat(w, st)) w.next = st.next;
  w.doubtful =
      (lanes_of_half(unknown(w, exec_lo), exec_lo) | lanes_of_half(unknown(w, exec_lo + 1), exec_lo + 1)) & w.all;
  if (!w.doubtful) w.unskipped = 0;
}

bool is_read(const Step& st, int joint) {
  bool found = false;
  st.cold->reads.each([&](int r) { found |= r == joint; });
  return found;
}
// Some lane of the result's registers was undefined: finds which still are. Result registers that are also sources were
// defined in the written lanes.
void record_kept(Wave& w, const Step& st) {
  std::vector<TrialOutcome> kept;
  const auto find_kept = [&] {
    kept.clear();
    Trials t(w, st, true);
    for (auto& r : t.registers) r.unknown.fill(~u32{0}), r.lacks = !is_scalar(r.joint) && !is_read(st, r.joint);
    t.run([](size_t, int) { return 0; });
    for (const auto& r : t.registers) kept.push_back({r.joint, t.result(r.joint)});
    t.run([](size_t, int) { return ~u32{0}; });
    for (TrialOutcome& r : kept) {
      const LaneBits x = t.result(r.joint);
      for (size_t l = 0; l < x.size(); ++l) r.unknown[l] ^= x[l];
    }
  };
  if (st.cold->keeps == Keeps::unknown) {
    const u64 exec = w.exec();
    w.set_exec(w.all);
    find_kept();
    w.set_exec(exec);
    const bool some = std::ranges::any_of(kept, [&](const TrialOutcome& r) {
      return !is_scalar(r.joint) &&
             std::ranges::any_of(r.unknown.begin(), r.unknown.begin() + w.width(), [](u32 x) { return x != 0; });
    });
    st.cold->keeps = some ? Keeps::some : Keeps::nothing;
    if (!some) return record_written(w, st);
  }
  find_kept();
  for (TrialOutcome& r : kept) {
    LaneBits before;
    unknown_row(w, r.joint, w.all, before);
    const bool read = is_read(st, r.joint);
    for (size_t l = 0; l < before.size(); ++l)
      r.unknown[l] = is_scalar(r.joint) || (read && w.written_lanes >> l & 1) ? 0
                     : read                                                   ? before[l]
                                                                              : r.unknown[l] & before[l];
    set_unknown(w, r.joint, r.unknown);
  }
}

void note_kept(Wave& w, int reg, int lane, u32 kept) {
  if (!w.group->options->checks.undefined) return;
  for (auto& v : w.valueless)
    if (v.reg == reg && v.lane == lane) v.bits &= ~kept;
  if (const u32 bits = unknown(w, reg, lane) & kept) w.valueless.push_back({reg, lane, bits});
}

void take_back(Wave& w) {
  for (const auto& [r, lane, bits, stored] : w.valueless) {
    if (!bits) continue;
    LaneBits now;
    unknown_row(w, r, w.all, now);
    now[static_cast<size_t>(lane)] |= bits;
    set_unknown(w, r, now);
    w.origins[r] = stored == absent ? Wave::Origin{absent, w.at} : Wave::Origin{absent, stored, true};
  }
  w.valueless.clear();
}

}  // namespace wavesmith::sim
