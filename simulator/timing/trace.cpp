// The recorder: one for each workgroup that is traced, filled on the thread that runs it.
#include "simulator/timing/trace.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <map>

#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"
#include "simulator/launch.h"
#include "simulator/timing/slice.h"

namespace wavesmith::timing {
namespace {

using sim::Step;

constexpr u64 flat_apertures = u64{1} << 48;  // addresses from here on are LDS or private memory

// An access of a wave, and what it comes to.
struct Pattern {
  size_t n = 0;
  u64 lanes = 0;
  int bytes = 0;
  std::array<u64, 64> at{};
  std::vector<u32> sectors;
  std::vector<u16> written;
  u32 lowest = 0, highest = 0;  // of sectors
};
// Are all addresses as far from the other ones as the first is, by whole sectors? Those whose sectors have more than 31
// bits are not compared.
[[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]] bool moved(const u64* from, const u64* to,
                                                                                 size_t n) {
  const u64 by = to[0] - from[0];
  u64 differ = by % sector_bytes, any = 0;
  for (size_t l = 0; l < n; ++l) differ |= (to[l] - from[l]) ^ by, any |= from[l] | to[l];
  return !differ && any < u64{sector_bytes} << 31;
}

// Blocks of memory. Of those that come again most are left out at once, the others when there are many.
class Blocks {
 public:
  void add(u32 block) {
    u32& latest = latest_[block * 0x9e3779b1u >> 20];  // rows of a matrix are often a power of two apart
    if (latest == block + 1) return;
    latest = block + 1, all.push_back(block);
    if (all.size() <= most_) return;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    most_ = std::max(most_, 2 * all.size());
  }
  std::vector<u32> all;

 private:
  size_t most_ = 1 << 14;
  std::array<u32, 4096> latest_{};  // by hash: one more than the block
};

// Stores that do not write because what they store is taken not to be loaded (Computed::needed_but_products).
class Recorder : public sim::Observer {
 public:
  Recorder(GroupTrace& t, const Sliced& s, sim::Memory& memory, const FoundValues* before, bool lines_alone)
      : found(memory, before), trace_(t), sliced_(s), lines_alone_(lines_alone) {
    watches_lds = s.skipped.lds, wants_lds = !lines_alone;
  }
  void executed(const sim::Wave& w, const Step& st) override {
    WaveTrace& t = of(w);
    if (!lines_alone_) t.steps.push_back(st.number);
    const u32 at = t.instructions++;
    if (!sliced_.with_data[st.number]) return;
    if (sliced_.skipped.memory) doubt(st);
    const MemoryOp a = sliced_.accesses[st.number];
    if (a != MemoryOp::none) t.accesses.push_back({at, static_cast<u32>(t.data.size()), st.number});
    else if (lines_alone_) return void(conflicts_ = 0);
    t.data.push_back(data_word(static_cast<u32>(sectors_.size()), conflicts_, others_));
    t.data.insert(t.data.end(), sectors_.begin(), sectors_.end());
    if (a == MemoryOp::store || a == MemoryOp::atomic)
      for (const u16 dwords : written_)
        t.covered.push_back(static_cast<u8>(std::popcount(dwords & 0xffu) | std::popcount(dwords & 0xff00u) << 4));
    sectors_.clear(), written_.clear(), conflicts_ = others_ = 0;
  }
  void passed(const sim::Wave& w, const Step& first, int count) override {
    WaveTrace& t = of(w);
    t.instructions += static_cast<u32>(count);
    if (lines_alone_) return;
    for (u32 n = first.number, end = n + static_cast<u32>(count); n < end; ++n) t.steps.push_back(n);
  }
  void lds(const sim::Wave&, const Step&, u32 first, int, bool, int conflict_cycles) override {
    conflicts_ += static_cast<u32>(conflict_cycles), others_ = partition_of(first);
  }
  void multicast(int workgroups) override { others_ = static_cast<u32>(workgroups) - 1; }
  void lds_bytes(const sim::Wave& w, u32 address, u32 bytes, int, sim::LdsUse use) override {
    const size_t end = (size_t{address} + bytes + 3) / 4;
    if (unwritten_.size() < end) unwritten_.resize(end);
    for (size_t i = address / 4; i < end; ++i)
      if (use == sim::LdsUse::write) unwritten_[i] = sliced_.skipped.stores[static_cast<size_t>(w.at)];
      else disproved |= unwritten_[i];
  }
  void memory(const sim::Wave& w, const Step& st, std::span<const u64> at, u64 lanes, int bytes) override {
    const size_t n = std::min(at.size(), static_cast<size_t>(w.width()));
    found.look(st, at.first(n), lanes, bytes);
    if (st.row->format == isa::Format::scratch) return scratch(w, bytes);
    // Iterations, waves and workgroups repeat each other's accesses at other places.
    static thread_local std::array<Pattern, 256> patterns;
    Pattern& p = patterns[st.number % patterns.size()];
    const bool first = sectors_.empty();
    if (p.n == n && p.lanes == lanes && p.bytes == bytes && moved(p.at.data(), at.data(), n)) {
      const u32 by = static_cast<u32>((at[0] - p.at[0]) / sector_bytes);
      if (first || p.lowest + by > highest_) {
        if (first) hashed_ = 0;
        for (const u32 s : p.sectors) sectors_.push_back(s + by);
        written_.insert(written_.end(), p.written.begin(), p.written.end());
        highest_ = p.highest + by;
        return;
      }
    }
    merge(at.first(n), lanes, bytes);
    if (!first || sectors_.empty()) return;
    p.n = n, p.lanes = lanes, p.bytes = bytes, p.sectors = sectors_, p.written = written_, p.highest = highest_;
    p.lowest = std::ranges::min(sectors_);
    std::ranges::copy(at.first(n), p.at.begin());
  }

  // What stores that do not write would have written, and what was loaded.
  Blocks unwritten, loaded;
  bool disproved = false;  // a load read LDS that such a store should have written
  Found found;

 private:
  void doubt(const Step& st) {
    if (st.row->unit == isa::Unit::lds) return;
    const MemoryOp a = sliced_.accesses[st.number];
    if (a == MemoryOp::prefetch) return;
    Blocks& to = sliced_.skipped.stores[st.number] ? unwritten : loaded;
    if (&to == &loaded && (a == MemoryOp::store || !sliced_.runs[st.number])) return;
    for (const u32 s : sectors_) to.add(s / block_sectors);
  }
  WaveTrace& of(const sim::Wave& w) {
    if (trace_.waves.size() <= static_cast<size_t>(w.number)) trace_.waves.resize(static_cast<size_t>(w.number) + 1);
    return trace_.waves[static_cast<size_t>(w.number)];
  }
  // Sectors that are higher than those before, all of each. False: they are not.
  bool add_higher(u64 first, u64 last) {
    if (last > ~u32{0} || (!sectors_.empty() && first <= highest_)) return false;
    if (sectors_.empty()) hashed_ = 0;
    for (u64 s = first; s <= last; ++s) sectors_.push_back(static_cast<u32>(s));
    written_.resize(sectors_.size(), 0xffff), highest_ = static_cast<u32>(last);
    return true;
  }
  u16& add(u32 sector) {  // the dwords of it that are accessed
    if (sectors_.empty()) hashed_ = 0, highest_ = 0;
    if (sector <= highest_) {
      if (!hashed_) newest_.fill(none), older_.clear();
      for (; hashed_ < sectors_.size(); ++hashed_)
        older_.push_back(std::exchange(newest(sectors_[hashed_]), static_cast<u32>(hashed_)));
      for (u32 at = newest(sector); at != none; at = older_[at])
        if (sectors_[at] == sector) return written_[at];
    } else highest_ = sector;
    sectors_.push_back(sector), written_.push_back(0);
    return written_.back();
  }
  u32& newest(u32 sector) { return newest_[sector * 0x9e3779b1u >> 26]; }
  // Adds the sectors of the lanes' bytes.
  void merge(std::span<const u64> at, u64 lanes, int bytes) {
    const size_t n = at.size();
    u64 known = ~u64{0};  // the sector of `in`, where the lane before was
    u16* in = nullptr;
    for (size_t l = 0; l < n; ++l) {
      if (!(lanes >> l & 1) || at[l] >= flat_apertures) continue;
      const u64 begin = at[l];
      u64 end = begin + static_cast<u64>(bytes);
      for (; l + 1 < n && at[l + 1] == end && lanes >> (l + 1) & 1; ++l) end += static_cast<u64>(bytes);
      if (const u64 last = (end - 1) / sector_bytes; add_higher(begin / sector_bytes, last)) {
        const size_t count = last - begin / sector_bytes + 1;
        written_[written_.size() - count] &= static_cast<u16>(0xffff << begin % sector_bytes / 4);
        known = last, in = &written_.back();
        *in &= static_cast<u16>(0xffff >> (15 - (end - 1) % sector_bytes / 4));
        continue;
      }
      for (u64 s = begin / sector_bytes; s <= (end - 1) / sector_bytes; ++s) {
        const u64 base = s * sector_bytes, from = std::max(begin, base) - base,
                  to = std::min(end, base + sector_bytes) - base;
        if (s != known) known = s, in = &add(static_cast<u32>(s));
        *in |= static_cast<u16>((2u << (to - 1) / 4) - (1u << from / 4));
      }
    }
  }
  void scratch(const sim::Wave& w, int bytes) {  // dwords of all lanes side by side
    for (u64 b = 0; b < static_cast<u64>(bytes) * static_cast<u64>(w.width()); b += sector_bytes)
      add(static_cast<u32>((w.scratch + b) / sector_bytes)) = 0xffff;
  }
  static constexpr u32 block_sectors = 4;
  GroupTrace& trace_;
  const Sliced& sliced_;
  const bool lines_alone_;
  std::vector<bool> unwritten_;  // dwords of LDS
  std::vector<u32> sectors_;
  std::vector<u16> written_;  // parallel to sectors_: a bit for each dword
  static constexpr u32 none = ~u32{0};
  u32 highest_ = 0;               // of sectors_; a higher one is not among them
  size_t hashed_ = 0;             // so many of sectors_ are found by hash, once one is looked for
  std::array<u32, 64> newest_{};  // by hash: the last one in sectors_
  std::vector<u32> older_;        // parallel to sectors_: the one before with the same hash
  u32 conflicts_ = 0, others_ = 0;
};

class Recorders : public sim::Observers {
 public:
  Recorders(const TraceRequest& r, const std::array<u32, 3>& grid, const std::array<u32, 3>& cluster, const Sliced& s,
            Traced& t, sim::Memory& memory)
      : sliced_(s) {
    t.groups.resize(r.groups.size());
    for (size_t i = 0; i < r.groups.size(); ++i) {
      const auto& id = t.groups[i].id = r.groups[i];
      wanted_.emplace(id, i);
      const u64 number =
          id[0] / cluster[0] +
          u64{grid[0] / cluster[0]} * (id[1] / cluster[1] + u64{grid[1] / cluster[1]} * (id[2] / cluster[2]));
      chosen_.push_back(number), wanted_in_order_.emplace(number, i);
    }
    std::ranges::sort(chosen_);
    chosen_.erase(std::unique(chosen_.begin(), chosen_.end()), chosen_.end());
    for (size_t i = 0; i < t.groups.size(); ++i)
      recorders_.push_back(std::make_unique<Recorder>(t.groups[i], sliced_, memory,
                                                      i < r.found.size() ? &r.found[i] : nullptr, r.lines_alone));
  }
  std::optional<std::span<const u64>> chosen() const override { return chosen_; }
  // A load has read what a store that was skipped should have written.
  bool disproved() const {
    std::vector<u32> unwritten;
    for (const auto& r : recorders_) {
      if (r->disproved) return true;
      unwritten.insert(unwritten.end(), r->unwritten.all.begin(), r->unwritten.all.end());
    }
    std::ranges::sort(unwritten);
    return std::ranges::any_of(recorders_, [&](const auto& r) {
      return std::ranges::any_of(r->loaded.all, [&](u32 b) { return std::ranges::binary_search(unwritten, b); });
    });
  }
  void undo() {  // groups run in the grid's order
    for (auto it = wanted_in_order_.rbegin(); it != wanted_in_order_.rend(); ++it) recorders_[it->second]->found.undo();
  }
  bool doubts() const { return sliced_.skipped.lds || sliced_.skipped.memory; }
  sim::Observer* workgroup(const std::array<u32, 3>& id) override {
    const auto it = wanted_.find(id);
    return it == wanted_.end() ? nullptr : recorders_[it->second].get();
  }

 private:
  const Sliced& sliced_;
  std::map<std::array<u32, 3>, size_t> wanted_;
  std::map<u64, size_t> wanted_in_order_;
  std::vector<u64> chosen_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

// Sets Step::idle. does_nothing(step), where nothing is checked.
template <class F>
void find_idle(sim::DecodedKernel& program, F&& does_nothing) {
  u32 idle = 0;
  for (size_t i = program.steps.size(); i-- > 0;) {
    Step& st = program.steps[i];
    st.idle = idle = st.straight && does_nothing(st) ? idle + 1 : 0;
  }
}

const Sliced& slice(SlicedKernel& all, const sim::CodeObject& object, const sim::KernelInfo& kernel,
                    Computed computed) {
  if (const auto known = all.by_values.find(computed); known != all.by_values.end()) return known->second;
  Sliced& s = all.by_values[computed];
  sim::DecodedKernel program = all.decoded ? *all.decoded : sim::decode(object, kernel);
  std::vector<sim::Execute> as_decoded;
  for (const Step& st : program.steps)
    as_decoded.push_back(st.run), s.accesses.push_back(memory_op_of(st)), s.with_data.push_back(has_data(st));
  s.skipped = skip_unneeded(program, computed);
  for (size_t i = 0; i < as_decoded.size(); ++i) s.runs.push_back(program.steps[i].run == as_decoded[i]);
  // Waits have an effect on checks alone, and a trace has none.
  find_idle(program, [&](const Step& st) {
    return !s.with_data[st.number] && (!s.runs[st.number] || (st.row && isa::waits_of(st.inst, object.arch()).any()));
  });
  const auto uses_lds = [&](const Step& st) {
    return st.row && s.runs[st.number] &&
           (st.row->unit == isa::Unit::lds || st.row->format == isa::Format::flat ||
            (isa::memory_of(st.inst) & (isa::lds_read | isa::lds_write)));
  };
  program.uses_lds = std::ranges::any_of(program.steps, uses_lds);
  s.program = std::make_shared<const sim::DecodedKernel>(std::move(program));
  return s;
}

// Where only lines of memory are wanted: accesses to LDS that move no data are passed over.
const Sliced& slice_for_lines(SlicedKernel& all, const sim::CodeObject& object, const sim::KernelInfo& kernel,
                              Computed computed) {
  const Sliced& whole = slice(all, object, kernel, computed);
  if (whole.skipped.lds) return whole;  // they show what has not been written
  const auto [at, first] = all.for_lines.try_emplace(computed, whole);
  Sliced& s = at->second;
  if (!first) return s;
  sim::DecodedKernel program = *whole.program;
  find_idle(program, [&](const Step& st) {
    return st.idle || (st.row && st.row->unit == isa::Unit::lds && s.with_data[st.number] && !s.runs[st.number]);
  });
  s.program = std::make_shared<const sim::DecodedKernel>(std::move(program));
  return s;
}

}  // namespace

const sim::DecodedKernel& decoded(SlicedKernel& all, const sim::CodeObject& object, const sim::KernelInfo& kernel) {
  if (!all.decoded) all.decoded = sim::decode(object, kernel);
  return *all.decoded;
}

bool prefetches(const Step& st) {
  return st.row && (st.inst.op == isa::Opcode::global_prefetch_b8 || st.inst.op == isa::Opcode::flat_prefetch_b8);
}

bool has_data(const Step& st) {
  if (prefetches(st)) return true;
  if (!st.row || st.row->counter == isa::Counter::none) return false;
  return st.row->unit == isa::Unit::lds || st.row->unit == isa::Unit::vmem || st.row->unit == isa::Unit::smem;
}

u64 longest_wave(const Traced& t) {
  u64 n = 0;
  for (const GroupTrace& g : t.groups)
    for (const WaveTrace& w : g.waves) n = std::max<u64>(n, w.steps.size());
  return n;
}

MemoryOp memory_op_of(const Step& st) {
  if (!has_data(st) || st.row->unit == isa::Unit::lds) return MemoryOp::none;
  if (prefetches(st)) return MemoryOp::prefetch;
  if (st.row->unit == isa::Unit::smem) return MemoryOp::scalar;
  if (st.row->implicit & isa::atomic) return MemoryOp::atomic;
  return (isa::memory_of(st.inst) & isa::global_write) && st.cold->writes.count == 0 ? MemoryOp::store : MemoryOp::load;
}

Traced trace(const sim::CodeObject& object, const sim::KernelInfo& kernel, sim::Memory& memory,
             const sim::Launch& launch, const TraceRequest& r, Computed computed) {
  sim::check_launch(object, kernel, launch);  // before decoding, which trusts the kernel's descriptor
  SlicedKernel own;
  const Sliced& sliced =
      (r.lines_alone ? slice_for_lines : slice)(r.sliced ? *r.sliced : own, object, kernel, computed);
  Traced t{.program = sliced.program, .skipped = sliced.skipped.steps};
  Recorders recorders(r, launch.grid, sim::cluster_of(kernel, launch), sliced, t, memory);
  sim::Options o;
  o.checks = sim::Checks::none();
  o.numerics = sim::Numerics::fast;
  o.jobs = r.jobs;
  o.fault_limit = UINT_MAX;
  o.observers = &recorders;
  if (r.most_instructions) o.max_instructions = r.most_instructions;
  const sim::Result result = sim::run(object, kernel, *sliced.program, memory, launch, o);
  recorders.undo();
  for (const sim::Fault& f : result.faults) {
    if (f.kind != sim::Fault::Kind::budget || !r.may_end_early) {
      if (!t.fault) t.fault = f;
      continue;
    }
    for (GroupTrace& g : t.groups)
      if (g.id == f.workgroup) g.truncated = true;
  }
  if (recorders.doubts() && (t.fault || recorders.disproved()))
    return trace(object, kernel, memory, launch, r, Computed::needed);
  return t;
}

}  // namespace wavesmith::timing
