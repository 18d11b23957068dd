#include "simulator/deferred.h"

#include <algorithm>
#include <map>

#include "simulator/decoded_kernel.h"
#include "simulator/matrix_operands.h"

namespace wavesmith::sim {
namespace {
constexpr size_t most_noted = 96 << 10;  // bytes; for several waves this fits into the host's L2

// f(word of RegBits, its bits) for a range of registers.
template <class F>
void each_word(int reg, int count, F&& f) {
  for (const int end = reg + count; reg < end;) {
    const int n = std::min(64 - reg % 64, end - reg);
    f(static_cast<size_t>(reg / 64), (~u64{0} >> (64 - n)) << reg % 64);
    reg += n;
  }
}
bool meets(const RegBits& bits, int reg, int count) {
  u64 common = 0;
  each_word(reg, count, [&](size_t word, u64 mask) { common |= bits[word] & mask; });
  return common != 0;
}
void add(RegBits& bits, int reg, int count) {
  each_word(reg, count, [&](size_t word, u64 mask) { bits[word] |= mask; });
}
}  // namespace

// -- What a program's steps have to do with it --
void mark_deferred(DecodedKernel& p) {
  struct RegisterRange {
    int reg, count;
  };
  std::vector<RegisterRange> fragments;
  std::map<std::pair<const OperandPlan*, int>, i16> fragment_of;
  std::map<std::pair<const MatrixPlan*, int>, i16> chain_of;
  const auto number = [](auto& map, const auto& key) {
    return map.try_emplace(key, static_cast<i16>(map.size())).first->second;
  };
  RegBits accumulators{};
  for (Step& st : p.steps) {
    if (!st.plan || !st.run || !st.plan->refusal.empty()) continue;
    p.multiplies = true;
    for (const int i : {0, 1}) {
      const OperandPlan& s = i == 0 ? st.plan->a : st.plan->b;
      if (!plain(input_of(*st.plan, st, i == 0)) || st.src[i].from != Source::From::vector) continue;
      st.fragment[i] = number(fragment_of, std::pair{&s, int{st.src[i].reg}});
      if (fragment_of.size() > fragments.size()) fragments.push_back({st.src[i].reg, s.registers});
    }
    if (!can_wait(st)) continue;
    st.chain = number(chain_of, std::pair{st.plan, int{st.dst}});
    add(accumulators, st.dst, st.plan->d.registers);
  }
  p.fragments = fragments.size(), p.chains = chain_of.size();
  RegBits read{};
  for (const RegisterRange& f : fragments) add(read, f.reg, f.count);
  for (Step& st : p.steps) {
    if (!st.row) continue;
    const auto reads_one = [&](int i) {
      return meets(accumulators, st.src[i].reg, (i == 0 ? st.plan->a : st.plan->b).registers);
    };
    st.anywhere = st.row->implicit & isa::relative;
    st.settles = st.chain != absent ? reads_one(0) || reads_one(1) : st.cold->touched.meets(accumulators);
    if (st.cold->writes.meets(read)) {
      RegBits writes{};
      st.cold->writes.add_to(writes);
      for (size_t n = 0; n < fragments.size(); ++n)
        if (meets(writes, fragments[n].reg, fragments[n].count)) st.feeds.push_back(static_cast<u16>(n));
    }
    st.concerns_matrices = p.multiplies && (st.anywhere || st.settles || !st.feeds.empty());
  }
}

// -- While it runs --
DeferredProducts::DeferredProducts(const DecodedKernel& p) : chains_(p.chains), fragments_(p.fragments) {}

void DeferredProducts::forget() {
  for (const u16 n : started_) chains_[n].count = 0;
  started_.clear();
  pending_ = {};
  noted_bytes_ = 0, ++round_;
  std::ranges::move(retired_, std::back_inserter(spare_));
  retired_.clear();
}
void DeferredProducts::reset() { forget(), written(); }

void DeferredProducts::settle(Wave& w) {
  if (started_.empty()) return;
  for (const u16 n : started_) {
    const Chain& c = chains_[n];
    const MatrixPlan& p = *c.plan;
    fma_kernel(p.b.extent)({p.a.extent, p.a.depth}, {c.links, c.count}, p.rows,
                           reinterpret_cast<f32*>(w.vreg(c.accumulator)));
  }
  forget();
}

// The first product of a chain: copies C to where D will be.
void DeferredProducts::start(Wave& w, const Step& st, Chain& chain) {
  const Source& c = st.src[2];
  const int count = st.plan->d.registers;
  const auto elements = static_cast<size_t>(count) * Wave::lanes;
  if (meets(pending_, st.dst, count) || (c.from == Source::From::vector && meets(pending_, c.reg, count))) settle(w);
  if (c.from == Source::From::constant) std::fill_n(w.vreg(st.dst), elements, c.bits[0]);
  else if (c.reg != st.dst) std::memmove(w.vreg(st.dst), w.vreg(c.reg), elements * sizeof(u32));
  chain.plan = st.plan, chain.accumulator = st.dst;
  started_.push_back(static_cast<u16>(st.chain));
  add(pending_, st.dst, count);
}

void DeferredProducts::make(Wave& w, const Step& st, int side, bool coded, Fragment& f) {
  const OperandPlan& s = side == 0 ? st.plan->a : st.plan->b;
  const size_t count = s.runs.size() * static_cast<size_t>(s.width), line = 16,
               size = count * (coded ? 2 : 1) + line;  // dwords
  if (f.noted == round_) retired_.push_back(std::move(f.memory)), f.memory.clear();
  if (f.memory.size() < size) {
    const auto fits = std::ranges::find_if(spare_, [&](const auto& m) { return m.size() >= size; });
    if (fits == spare_.end()) f.memory.resize(size);
    else std::swap(f.memory, *fits), std::swap(*fits, spare_.back()), spare_.pop_back();
  }
  u32* aligned = f.memory.data() + (line - reinterpret_cast<uintptr_t>(f.memory.data()) / sizeof(u32) % line) % line;
  f.gathered.x = reinterpret_cast<f32*>(aligned), f.gathered.codes = coded ? aligned + count : nullptr;
  convert_runs(w.vreg(st.src[side].reg), s, st.plan->fnuz, f.gathered.x);
  if (coded) {
    f.gathered.range = {};
    exponent_codes(f.gathered.x, least_exponent(s.type, st.plan->fnuz), static_cast<int>(count), f.gathered.codes,
                   f.gathered.range);
    pair_codes(f.gathered.codes, static_cast<int>(count) / s.extent, s.extent);
  }
  f.x = f.gathered.x, f.valid = true, f.coded = coded, f.noted = 0;
}

DeferredProducts::Fragment& DeferredProducts::current(Wave& w, const Step& st, int side, bool coded) {
  Fragment& f = fragments_[static_cast<size_t>(st.fragment[side])];
  if (!f.valid || f.coded < coded) make(w, st, side, coded, f);
  return f;
}
const Gathered& DeferredProducts::fragment(Wave& w, const Step& st, int side, bool coded) {
  return current(w, st, side, coded).gathered;
}

const f32* DeferredProducts::note(Wave& w, const Step& st, int side) {
  Fragment& f = current(w, st, side, false);
  if (f.noted != round_) f.noted = round_, noted_bytes_ += f.memory.size() * sizeof(u32);
  return f.x;
}

bool DeferredProducts::put_off(Wave& w, const Step& st) {
  if (w.fp16_overflow || w.group->options->numerics != Numerics::fast) return settle(w), false;
  Chain& c = chains_[static_cast<size_t>(st.chain)];
  if (noted_bytes_ > most_noted || c.count == most_links) settle(w);
  const Source& addend = st.src[2];
  if (c.count == 0 || addend.from != Source::From::vector || addend.reg != st.dst) start(w, st, c);
  Factors& link = c.links[c.count++];
  link.a = note(w, st, 0), link.b = note(w, st, 1);
  return true;
}

}  // namespace wavesmith::sim
