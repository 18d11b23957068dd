// The recorder: one for each workgroup that is traced, filled on the thread that runs it.
#include "simulator/timing/trace.h"

#include <algorithm>
#include <climits>
#include <map>

#include "simulator/timing/slice.h"

namespace wavesmith::timing {
namespace {

using sim::Step;

constexpr u64 flat_apertures = u64{1} << 48;  // addresses from here on are LDS or private memory

class Recorder : public sim::Observer {
 public:
  explicit Recorder(GroupTrace& t) : trace_(t) {}
  void executed(const sim::Wave& w, const Step& st) override {
    WaveTrace& t = of(w);
    t.steps.push_back(st.number);
    if (!has_data(st)) return;
    t.data.push_back(data_word(static_cast<u32>(sectors_.size()), conflicts_));
    t.data.insert(t.data.end(), sectors_.begin(), sectors_.end());
    sectors_.clear(), conflicts_ = 0;
  }
  void lds(const sim::Wave&, const Step&, int, bool, int conflict_cycles) override {
    conflicts_ += static_cast<u32>(conflict_cycles);
  }
  void memory(const sim::Wave& w, const Step& st, std::span<const u64> at, u64 lanes, int bytes) override {
    const size_t n = std::min(at.size(), static_cast<size_t>(w.width()));
    if (st.row->format == isa::Format::scratch) return scratch(w, bytes);
    for (size_t l = 0; l < n; ++l) {
      if (!(lanes >> l & 1) || at[l] >= flat_apertures) continue;
      for (u64 s = at[l] / sector_bytes; s <= (at[l] + static_cast<u64>(bytes) - 1) / sector_bytes; ++s)
        add(static_cast<u32>(s));
    }
  }

 private:
  WaveTrace& of(const sim::Wave& w) {
    if (trace_.waves.size() <= static_cast<size_t>(w.number)) trace_.waves.resize(static_cast<size_t>(w.number) + 1);
    return trace_.waves[static_cast<size_t>(w.number)];
  }
  void add(u32 sector) {
    if (sectors_.empty() ||
        (sectors_.back() != sector && std::find(sectors_.rbegin(), sectors_.rend(), sector) == sectors_.rend()))
      sectors_.push_back(sector);
  }
  void scratch(const sim::Wave& w, int bytes) {  // dwords of all lanes side by side
    for (u64 b = 0; b < static_cast<u64>(bytes) * static_cast<u64>(w.width()); b += sector_bytes)
      add(static_cast<u32>((w.scratch + b) / sector_bytes));
  }
  GroupTrace& trace_;
  std::vector<u32> sectors_;
  u32 conflicts_ = 0;
};

class Recorders : public sim::Observers {
 public:
  Recorders(const TraceRequest& r, Traced& t) : traced_(t) {
    t.groups.resize(r.groups.size());
    for (size_t i = 0; i < r.groups.size(); ++i)
      t.groups[i].id = r.groups[i], wanted_.emplace(r.groups[i], i),
      recorders_.push_back(std::make_unique<Recorder>(t.groups[i]));
  }
  void decoded(sim::DecodedKernel& p) override {
    traced_.skipped = skip_unneeded(p);
    traced_.program = p;
  }
  sim::Observer* workgroup(const std::array<u32, 3>& id) override {
    const auto it = wanted_.find(id);
    return it == wanted_.end() ? nullptr : recorders_[it->second].get();
  }

 private:
  Traced& traced_;
  std::map<std::array<u32, 3>, size_t> wanted_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

}  // namespace

bool has_data(const Step& st) {
  if (!st.row || st.row->counter == isa::Counter::none) return false;
  return st.row->unit == isa::Unit::lds || st.row->unit == isa::Unit::vmem || st.row->unit == isa::Unit::smem;
}

u64 longest_wave(const Traced& t) {
  u64 n = 0;
  for (const GroupTrace& g : t.groups)
    for (const WaveTrace& w : g.waves) n = std::max<u64>(n, w.steps.size());
  return n;
}

Traced trace(const sim::CodeObject& object, const sim::KernelInfo& kernel, sim::Memory& memory,
             const sim::Launch& launch, const TraceRequest& r) {
  Traced t;
  Recorders recorders(r, t);
  sim::Options o;
  o.checks = sim::Checks::none();
  o.numerics = sim::Numerics::fast;
  o.jobs = r.jobs;
  o.fault_limit = UINT_MAX;
  o.observers = &recorders;
  if (r.most_instructions) o.max_instructions = r.most_instructions;
  const sim::Result result = sim::run(object, kernel, memory, launch, o);
  for (const sim::Fault& f : result.faults) {
    if (f.kind != sim::Fault::Kind::budget || !r.may_end_early) {
      if (!t.fault) t.fault = f;
      continue;
    }
    for (GroupTrace& g : t.groups)
      if (g.id == f.workgroup) g.truncated = true;
  }
  return t;
}

}  // namespace wavesmith::timing
