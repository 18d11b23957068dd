// The bytes of LDS that an access touches. Loads into LDS and tensor tiles are executed with substitute memory
// arguments.
#include "checker/machine.h"
#include "simulator/access.h"
#include "simulator/decoded_kernel.h"

namespace wavesmith::checker {
namespace {

// The register of an LDS instruction's or asynchronous load's addresses; -1: it has none.
int address_register(const Item& item) {
  return item.inst.info().counter == isa::Counter::async_load ? number_of(item.inst.operands[0]) : item.lds_address - 1;
}
bool by_m0(const Inst& i) { return i.mods.has(isa::lds) || (i.info().implicit & isa::m0_r); }
bool moves_tiles(const Inst& i) { return i.info().counter == isa::Counter::tensor; }
// The parts of the tensor data mover's descriptor that determine its LDS accesses (CDNA5 ISA 10.11): all but the
// tensor's sizes, strides, address and type (2 for a valid descriptor).
void add_tile_registers(const Inst& i, isa::Few<int, 16>& all) {
  for (const auto& [group, dword] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 3}, {1, 4}})
    all.push_back(number_of(i.operands[group]) + dword);
  for (const int group : {2, 3})
    for (int k = 0; i.operands[group].file == File::s && i.operands[group].index != sreg::null && k < 4; ++k)
      all.push_back(number_of(i.operands[group]) + k);
}

// The first of the two registers of a FLAT address; none if it is not FLAT, or the base is in SGPRs.
std::optional<int> generic_address(const Inst& i) {
  if (i.info().format != isa::Format::flat ||
      std::ranges::any_of(i.operands, [](const Operand& o) { return o.file == File::s; }))
    return {};
  for (int k = 0; k < i.info().count(); ++k)
    if (i.info().operands[k].kind == isa::Kind::vaddr && i.operands[k].file == File::v && i.operands[k].dwords == 2)
      return number_of(i.operands[k]);
  return {};
}
}  // namespace

isa::Few<int, 16> lds_address_registers(const Item& item) {
  isa::Few<int, 16> all;
  if (moves_tiles(item.inst)) add_tile_registers(item.inst, all);
  if (const int r = address_register(item); r != absent) all.push_back(r);
  if (by_m0(item.inst)) all.push_back(scalar_base + sreg::m0);
  if (const auto r = generic_address(item.inst)) all.push_back(*r), all.push_back(*r + 1);
  return all;
}

const LdsTouch* Evaluator::Machine::touch(const Item& item, const Values& st) {
  const Inst& i = item.inst;
  if (first_group && generic_address(i)) return touch_generic(item, st);
  const int address = address_register(item);
  const bool m0 = by_m0(i);
  if (!usable || (st.waves_split && (st.waves_split == Values::for_good || !st.here)) ||
      (address == absent && !m0 && !(moves_tiles(i) && waves_said)) || i.info().format == isa::Format::scratch)
    return nullptr;
  asked_touch.item = &item, asked_touch.in.clear();
  Inputs& in = asked_touch.in;
  const auto need = [&](int reg) { in.emplace_back(static_cast<uint16_t>(reg), st.of[static_cast<size_t>(reg)]); };
  for (int k = 0; k < exec_words; ++k) in.emplace_back(static_cast<uint16_t>(exec_lo + k), most_lanes(st, k));
  std::ranges::for_each(lds_address_registers(item), need);
  if (std::any_of(in.begin(), in.end(), [](const auto& x) { return x.second <= 0; })) return nullptr;
  const bool of_data =
      std::any_of(in.begin(), in.end(), [&](const auto& x) { return sampled[static_cast<size_t>(x.second)]; });
  if (of_data && m0) return nullptr;
  for (int k = 0; of_data && k < exec_words; ++k)
    in[static_cast<size_t>(k)].second = start.of[static_cast<size_t>(exec_lo + k)];
  auto& known_touch = touches[asked_touch];
  if (!known_touch) {
    known_touch = std::make_unique<LdsTouch>();
    if (!shift_touch(item, in, *known_touch)) run_touch(item, in, *known_touch);
    finish(*known_touch, of_data);
    known_touch->number = made_touches++;
  }
  return of_data && known_touch->refused ? nullptr : st.waves_split ? only(*known_touch, st.here) : known_touch.get();
}

const LdsTouch* Evaluator::Machine::only(const LdsTouch& all, uint32_t some_waves) {
  auto& part = parts_of_touches[{&all, some_waves}];
  if (part) return part.get();
  part = std::make_unique<LdsTouch>(all);
  part->number = made_touches++;
  for (Bytes& b : part->bytes) b.waves &= some_waves;
  std::erase_if(part->bytes, [](const Bytes& b) { return !b.waves; });
  part->conflict_cycles = 0;
  if (!(some_waves & 1)) part->fault.clear();
  return part.get();
}

void Evaluator::Machine::finish(LdsTouch& t, bool of_data) const {
  t.sampled = of_data;
  for (Bytes& b : t.bytes) {
    t.lowest = std::min(t.lowest, b.dword * 4 + static_cast<uint32_t>(std::countr_zero(b.mask)));
    if (of_data) b.waves = all_waves();
  }
}

// The address that a load into LDS reads has no effect here: buffers get a size of zero (lanes read zeros), other loads
// read a few bytes of scratch memory.
void Evaluator::Machine::read_somewhere(sim::Wave& w, const Item& item, int address) const {
  const Inst& i = item.inst;
  const bool buffer = i.info().format == isa::Format::mubuf;
  const uint64_t at = buffer ? 0 : somewhere - static_cast<uint64_t>(int64_t{i.mods.offset});
  const bool based =
      std::any_of(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.file == File::s; });
  for (const Operand& o : i.operands)
    for (int k = 0; k < o.dwords; ++k) {
      const auto half = static_cast<uint32_t>(k ? at >> 32 : at);
      if (o.file == File::s && o.index != sreg::m0) w.s[o.index + k] = half;
      else if (o.file == File::v && !buffer && number_of(o) + k != address)
        std::fill_n(w.vreg(o.index + k), 64, based ? 0 : half);
    }
}

// The LDS bytes of an access all move with its address, the last input. An offset in a load from memory may be of both
// its addresses.
bool Evaluator::Machine::can_shift(const Item& item, const Inputs& in) const {
  return in.size() == static_cast<size_t>(exec_words) + 1 && !moves_tiles(item.inst) &&
         (item.inst.info().unit == isa::Unit::lds ? !by_m0(item.inst) : in_flight::loads_into_lds(item.inst));
}

// Of addresses: the distance that all of them have.
static std::optional<uint32_t> apart(std::span<const uint32_t> from, std::span<const uint32_t> to) {
  const uint32_t first = to[0] - from[0];
  uint32_t others = (to.back() - from.back()) ^ first;
  if (others) return {};
  for (size_t i = 0; i < from.size(); ++i) others |= (to[i] - from[i]) ^ first;
  return others ? std::nullopt : std::optional(first);
}

// The bytes from one address to the other, if all lanes have the same distance. Of a scalar, only the low bits that
// address LDS count.
std::optional<int32_t> Evaluator::Machine::distance(Value from, Value to) {
  if (from == to) return 0;
  const Data *a = get(from), *b = get(to);
  if (!a || !b || a->valid != b->valid || a->bits.size() != b->bits.size()) return {};
  const auto small = [&](uint32_t x) { return x < kernel.lds_bytes; };
  const bool scalars = a->bits.size() == waves.size();
  if (scalars && !(std::ranges::all_of(a->bits, small) && std::ranges::all_of(b->bits, small))) return {};
  const auto by = apart(a->bits, b->bits);
  return by ? std::optional(static_cast<int32_t>(*by)) : std::nullopt;
}

// The same from wave 0 to another one, of which also the active lanes must be the same.
std::optional<int32_t> Evaluator::Machine::distance_of_wave(const Inputs& in, size_t n) {
  for (const auto& [reg, v] : in)
    if (const Data& d = *get(v); d.valid[n] != d.valid[0] || (&v != &in.back().second && d.bits[n] != d.bits[0]))
      return {};
  const Data& d = *get(in.back().second);
  const size_t lanes = d.bits.size() / waves.size();
  const std::span all(d.bits);
  if (lanes == 1 && std::max(d.bits[0], d.bits[n]) >= kernel.lds_bytes) return {};
  const auto by = apart(all.first(lanes), all.subspan(n * lanes, lanes));
  return by ? std::optional(static_cast<int32_t>(*by)) : std::nullopt;
}

// Accesses are aligned to 16 bytes at most; bank conflicts depend on the distances of lanes alone.
bool Evaluator::Machine::shift_touch(const Item& item, const Inputs& in, LdsTouch& t) {
  if (!can_shift(item, in)) return false;
  const isa::Mods& mods = item.inst.mods;
  for (const Run& r : runs) {
    const isa::Mods& known = r.inst.mods;
    if (r.inst.op != item.inst.op || known.flags != mods.flags || known.offset0 != mods.offset0 ||
        known.offset1 != mods.offset1 || !std::equal(in.begin(), in.end() - 1, r.in.begin(), r.in.end() - 1))
      continue;
    if (item.inst.info().unit != isa::Unit::lds && mods.offset != known.offset) continue;
    const auto apart = distance(r.in.back().second, in.back().second);
    if (!apart) continue;
    const int64_t by = int64_t{mods.offset} - known.offset + *apart;
    if (by % 16 || r.end + by > kernel.lds_bytes || r.touch->lowest + by < 0) continue;
    t = *r.touch, t.lowest = UINT32_MAX;
    for (Bytes& b : t.bytes) b.dword += static_cast<uint32_t>(by / 4);
    return true;
  }
  return false;
}

void Evaluator::Machine::remember(const Item& item, const Inputs& in, const LdsTouch& t) {
  if (!can_shift(item, in) || t.refused || !t.fault.empty() || t.bytes.empty()) return;
  uint32_t end = 0;
  for (const Bytes& b : t.bytes) end = std::max(end, b.end() * 4);
  runs.push_back({item.inst, in, &t, end});
}

// Waves whose addresses are those of wave 0, shifted, touch what it does, shifted, and have the same bank conflicts.
void Evaluator::Machine::run_touch(const Item& item, const Inputs& in, LdsTouch& t) {
  t.from_memory = in_flight::loads_into_lds(item.inst);
  bool shifts = can_shift(item, in);
  for (const auto& [reg, v] : in) shifts &= get(v) != nullptr;  // first, because evaluation overwrites registers
  if (t.from_memory)
    for (sim::Wave& w : waves) read_somewhere(w, item, address_register(item));
  for (auto& of : touched.of_wave) of.clear();
  touched.tiles = moves_tiles(item.inst);
  const auto& first = touched.of_wave[0];
  uint64_t cycles = 0, of_first = 0;
  for (size_t n = 0; n < waves.size(); ++n) {
    const auto by = n && shifts ? distance_of_wave(in, n) : std::nullopt;
    if (by && *by % 16 == 0 && first.begin() + *by >= 0 && first.end() + *by <= kernel.lds_bytes) {
      waves[n].problem.reset();
      touched.shift(n, *by / 4);
      cycles += of_first;
      continue;
    }
    const uint64_t before = counts.lds_conflict_cycles;
    uint64_t active = 0;
    if (!run_wave(n, item, in, active)) return;
    cycles += counts.lds_conflict_cycles - before;
    if (n) continue;
    of_first = cycles;
    shifts &= !waves[0].problem && first.first <= first.last;
  }
  t.conflict_cycles = cycles;
  for (size_t n = 0; n < waves.size(); ++n) {
    sim::Wave& w = waves[n];
    // The kernel may be launched with smaller workgroups: only the accesses of the first lane are certain.
    if (n == 0 && w.problem && w.problem->lane == std::countr_zero(w.exec()))
      t.fault =
          fmt::format("wave {}, lane {}, address {:#x}: {}", n, w.problem->lane, w.problem->address, w.problem->why);
    t.refused |= w.problem.has_value();
  }
  collect(t);
  t.from_memory |= touched.tiles && t.writes;
  remember(item, in, t);
}

// FLAT: the lanes whose addresses are known and in the LDS aperture. Other lanes are not checked.
const LdsTouch* Evaluator::Machine::touch_generic(const Item& item, const Values& st) {
  if (!usable || st.waves_split) return nullptr;
  const int address = *generic_address(item.inst);
  Inputs in;
  for (int k = 0; k < exec_words; ++k) in.emplace_back(static_cast<uint16_t>(exec_lo + k), most_lanes(st, k));
  for (const int reg : {address, address + 1})
    in.emplace_back(static_cast<uint16_t>(reg), st.of[static_cast<size_t>(reg)]);
  if (std::any_of(in.begin(), in.end(), [&](const auto& x) { return x.second <= 0 || !get(x.second); })) return nullptr;
  auto& t = touches[{&item, in}];
  if (!t) {
    t = std::make_unique<LdsTouch>();
    t->generic = true;
    run_generic(item, in, *t);
    finish(*t, false);
    t->number = made_touches++;
  }
  return t->refused || t->bytes.empty() ? nullptr : t.get();
}
void Evaluator::Machine::run_generic(const Item& item, const Inputs& in, LdsTouch& t) {
  const sim::Step& s = step_of(item);
  if (!s.run) return;
  for (auto& of : touched.of_wave) of.clear();
  touched.tiles = false;
  const Data &low = *get(in[in.size() - 2].second), &high = *get(in.back().second);
  for (size_t n = 0; n < waves.size(); ++n) {
    sim::Wave& w = waves[n];
    w.problem.reset();
    for (const auto& [reg, v] : in) write(n, reg, *get(v));
    uint64_t lanes = w.exec() & low.valid[n] & high.valid[n];
    for (uint64_t m = lanes; m; m &= m - 1)
      if (high.bits[n * 64 + static_cast<size_t>(std::countr_zero(m))] != sim::shared_aperture) lanes &= ~(m & -m);
    w.set_exec(lanes);
    if (lanes) s.run(w, s);
    t.refused |= w.problem.has_value();
  }
  collect(t);
}

void Evaluator::Machine::Touched::lds_bytes(const sim::Wave& w, uint32_t address, uint32_t bytes, int,
                                            sim::LdsUse use) {
  if (tiles && use == sim::LdsUse::atomic) return;
  OfWave& of = of_wave[static_cast<size_t>(w.number)];
  of.writes |= use != sim::LdsUse::read, of.atomic |= use == sim::LdsUse::atomic;
  of.first = std::min(of.first, address / 256), of.last = std::max(of.last, (address + bytes - 1) / 256);
  for (uint32_t a = address, n, end = address + bytes; a < end; a += n) {
    if (n = std::min(4 - a % 4, end - a); n < 4) {
      of.parts.push_back({a / 4, static_cast<uint8_t>(((1u << n) - 1) << a % 4)});
      continue;
    }
    n = std::min((end - a) / 4 * 4, 256 - a % 256);
    of.whole[a / 256] |= (~uint64_t{0} >> (64 - n / 4)) << a / 4 % 64;
  }
}

// The caller ensures that all stays within LDS.
void Evaluator::Machine::Touched::shift(size_t wave, int32_t dwords) {
  const OfWave& from = of_wave[0];
  OfWave& to = of_wave[wave];
  to.writes = from.writes, to.atomic = from.atomic;
  for (const Part& p : from.parts) to.parts.push_back({p.dword + static_cast<uint32_t>(dwords), p.mask});
  const auto word_of = [&](uint32_t word) { return static_cast<uint32_t>(word * 64 + dwords) / 64; };
  const uint32_t by = static_cast<uint32_t>(dwords) % 64;
  to.first = word_of(from.first), to.last = word_of(from.last) + (by != 0);
  for (uint32_t w = from.first; w <= from.last; ++w) {
    const uint64_t bits = from.whole[w];
    to.whole[word_of(w)] |= bits << by;
    if (by) to.whole[word_of(w) + 1] |= bits >> (64 - by);
  }
}

void Evaluator::Machine::Touched::OfWave::clear() {
  for (uint32_t w = first; w <= last; ++w) whole[w] = 0;
  parts.clear(), first = UINT32_MAX, last = 0, writes = atomic = false;
}

void Evaluator::Machine::collect(LdsTouch& t) {
  uint32_t first = UINT32_MAX, last = 0;
  std::vector<Bytes>& all = collected;
  all.clear();
  for (size_t n = 0; n < waves.size(); ++n) {
    Touched::OfWave& of = touched.of_wave[n];
    if (waves[n].problem) of.clear();
    first = std::min(first, of.first), last = std::max(last, of.last);
    t.writes |= of.writes, t.atomic |= of.atomic;
    for (const auto& p : of.parts) all.push_back({p.dword, 1, 1u << n, p.mask});
  }
  const bool parts = !all.empty();
  const auto add = [&](uint32_t dword, uint32_t dwords, uint32_t some) {
    if (!parts && !all.empty() && all.back().end() == dword && all.back().waves == some) all.back().dwords += dwords;
    else if (!parts) all.push_back({dword, dwords, some, 0xf});
    else
      for (uint32_t k = 0; k < dwords; ++k) all.push_back({dword + k, 1, some, 0xf});
  };
  for (uint32_t w = first; w <= last; ++w) {
    uint64_t any = 0, changes = 0;  // dwords whose waves are not those of the dword before
    for (const auto& of : touched.of_wave) any |= of.whole[w], changes |= of.whole[w] ^ of.whole[w] << 1;
    while (any) {
      const int at = std::countr_zero(any), next = std::countr_zero(changes & ~uint64_t{0} << at << 1);
      uint32_t some = 0;
      for (size_t n = 0; n < waves.size(); ++n)
        some |= static_cast<uint32_t>(touched.of_wave[n].whole[w] >> at & 1) << n;
      add(w * 64 + static_cast<uint32_t>(at), static_cast<uint32_t>(next - at), some);
      any &= next < 64 ? ~uint64_t{0} << next : 0;
    }
  }
  if (parts) std::ranges::stable_sort(all, {}, &Bytes::dword);
  t.bytes = all;
}

}  // namespace wavesmith::checker
