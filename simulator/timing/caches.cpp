// Cache tags, and the pass that runs the streams of a die's workgroups through them at the same pace.
#include "simulator/timing/caches.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <unordered_set>

namespace wavesmith::timing {

double kept(double bytes, double size) { return std::clamp(2.5 - 2 * bytes / size, 0.0, 1.0); }

namespace {

using Access = WaveTrace::Access;
// One wave's place in its stream.
struct WaveCursor {
  WaveTrace* t;
  bool own;         // its levels are wanted
  size_t next = 0;  // of its accesses
  size_t covered = 0;
  struct Reads {  // sectors; waited: already requested by another CU
    u32 touched = 0, missed = 0, waited = 0;
    double credit = 0, waits = 0;
  } loads, prefetches;
  // Of the second half of what is followed, since the first store to a line that all write is nobody's habit: sectors
  // stored, and those clean before. Where lines are prefetched, reads likewise: no prefetch requests the first ones.
  double stored = 0, dirtied = 0, dirties = 0;
};

// What the L2 knows about a line beside its tag: the turn in which it came, whether all of it is there, and of each
// sector what has been written of it. Stores do not fetch the line: bytes are written under a mask.
struct Content {
  u32 filled = 0;
  u8 covered[2] = {};  // as in WaveTrace::covered
  bool whole : 1 = false;
  u8 dirty : 2 = 0, atomic : 2 = 0;  // a bit for each sector: it is dirty; by an atomic
  u8 owned = 0;                      // likewise: ownership of it was taken
};
constexpr u8 all_covered = 0x88;
u8 together(u8 a, u8 b) {  // the same dword written twice counts twice
  const auto half = [&](int shift) { return std::min(8, (a >> shift & 15) + (b >> shift & 15)) << shift; };
  return static_cast<u8>(half(0) | half(4));
}
bool partial(u8 covered) {
  const auto half = [&](int shift) { return (covered >> shift & 15) % 8 != 0; };
  return half(0) || half(4);
}

// Of what is fetched, the part that the last cache holds since an earlier launch.
double warm_part(const DeviceShape& d, double of_launch) {
  return d.last_cache > 0 && d.warm ? kept(of_launch, d.last_cache) : 0;
}
// Where it is.
Level last_level(const DeviceShape& d) { return d.one_l2 ? Level::l2 : Level::mall; }
// A die's part of the L2. One of all dies has room for a line once, for all dies that access it.
double lines_of_die(const isa::Timing& t, const DeviceShape& d) {
  const double others = d.one_l2 ? (d.dies - 1) * d.others.shared_of_all : 0;
  return t.l2_kib * 1024 / t.l2_line * (1 + others);
}

// The sectors of all waves, in the order in which they come to the L2.
class Pass {
 public:
  // lines: the most that can be accessed.
  Pass(const isa::Timing& t, isa::Arch arch, const DeviceShape& d, double of_launch, u64 followed, bool prefetched,
       u64 lines)
      : followed_(followed),
        prefetched_(prefetched),
        request_shift_(std::countr_zero(static_cast<u32>(t.l1_line) / sector_bytes)),
        line_shift_(std::countr_zero(static_cast<u32>(t.l2_line) / sector_bytes)),
        owns_(t.l2_owns != 0),
        l2_(std::min(static_cast<u64>(lines_of_die(t, d)), std::bit_ceil(lines))),
        contents_(l2_.size()),
        dirtied_(std::make_unique_for_overwrite<std::array<u8*, 2>[]>(l2_.size())),
        shape_(d),
        others_(d.others),
        l2_contention_({arch, isa::channels_of::l2}, d.l2_under_way, 1),
        memory_contention_({arch, isa::channels_of::memory}, d.memory_under_way, d.others.dies) {
    // Beyond a die's L2: the last cache holds the launch's buffers as far as they fit, after an earlier launch; with
    // --cold only lines that another die has fetched.
    has_last_ = d.last_cache > 0;
    if (has_last_ && (d.dies == 1 || d.one_l2)) fetched_.resize(size_t{1} << fetched_bits);
    fits_ = warm_part(d, of_launch);
  }

  // The sectors of one of the wave's instructions. Several CUs share the scalar cache.
  void access(WaveCursor& c, const Access& at, MemoryOp kind) {
    const std::span sectors(&c.t->data[at.data] + 1, c.t->data[at.data] >> 16);
    u8* const levels = c.own ? &c.t->level[at.data] + 1 : nullptr;
    const bool alone = followed_ && at.at >= followed_;  // the neighbours' traces have ended
    WaveCursor::Reads& reads = kind == MemoryOp::prefetch ? c.prefetches : c.loads;
    const auto each = [&](auto&& look) {  // level of a sector, hit
      u32 last = ~u32{0};
      for (size_t i = 0; i < sectors.size(); ++i) {
        const u32 sector = sectors[i], request = sector >> request_shift_;
        u8& level = levels ? levels[i] : nobodys_;
        const bool hit = look(sector, level);
        Contention& contention = hit ? l2_contention_ : memory_contention_;
        if (alone) level |= contention.code();
        else if (kind != MemoryOp::scalar && request != last)
          contention.request(u64{sector} * sector_bytes, levels ? &level : nullptr,
                             hit || others_.shift.empty() ? same_ : others_.shifts(at.step));
        last = request;
      }
    };
    if (kind == MemoryOp::store)
      return each([&](u32 sector, u8& level) {
        const u8 covered = c.t->covered[c.covered++];
        const bool hit = !(alone ? dirties_on(c, sector) : store(c, at.at, sector, level, covered));
        if (alone && !hit) level = static_cast<u8>(write_back());
        return hit;
      });
    u32 missed = 0, waited = 0;
    if (!alone && kind != MemoryOp::atomic) read(sectors, levels, at.step, kind != MemoryOp::scalar, missed, waited);
    else
      each([&](u32 sector, u8& level) {
        const Found found = alone ? goes_on(reads) : load(sector);
        missed += found == Found::not_there, waited += found == Found::coming;
        level = static_cast<u8>(found == Found::there    ? Level::l2
                                : found == Found::coming ? Level::coming
                                                         : beyond(at.step, sector >> line_shift_, level));
        if (kind == MemoryOp::atomic) {
          if (!alone) dirty(sector, level, all_covered, true);
          ++c.covered;
        }
        return found != Found::not_there;
      });
    const auto n = static_cast<u32>(sectors.size());
    f_.l2_lines += n, f_.l2_misses += missed;
    if (!alone && (!prefetched_ || 2 * u64{at.at} >= followed_))
      reads.touched += n, reads.missed += missed, reads.waited += waited;
  }

  // While the neighbours' traces go on. Of a line that is there as a whole, as after a miss, only the first sector is
  // looked up. counts: as requests to a channel.
  void read(std::span<const u32> sectors, u8* levels, u32 step, bool counts, u32& missed, u32& waited) {
    u32 last = ~u32{0};
    for (size_t i = 0; i < sectors.size();) {
      const u32 sector = sectors[i], line = sector >> line_shift_;
      u8& level = levels ? levels[i] : nobodys_;
      const Found found = load(sector);
      missed += found == Found::not_there, waited += found == Found::coming;
      level = static_cast<u8>(found == Found::there    ? Level::l2
                              : found == Found::coming ? Level::coming
                                                       : beyond(step, line, level));
      const bool hit = found != Found::not_there;
      if (const u32 request = sector >> request_shift_; counts && request != last)
        (hit ? l2_contention_ : memory_contention_)
            .request(u64{sector} * sector_bytes, levels ? &level : nullptr,
                     hit || others_.shift.empty() ? same_ : others_.shifts(step));
      last = sector >> request_shift_;
      if (const Content& known = contents_[last_place_]; ++i, known.whole) {
        const bool coming = known.filled == turn_;
        for (; i < sectors.size() && sectors[i] >> line_shift_ == line; ++i) {
          waited += coming;
          if (levels) levels[i] = static_cast<u8>(coming ? Level::coming : Level::l2);
          if (const u32 request = sectors[i] >> request_shift_; counts && request != last)
            l2_contention_.request(u64{sectors[i]} * sector_bytes, levels ? &levels[i] : nullptr, same_);
          last = sectors[i] >> request_shift_;
        }
      }
    }
  }

  // The host will need what access() looks up.
  void expect(const WaveCursor& c, const Access& at) const {
    if (followed_ && at.at >= followed_) return;
    const std::span sectors(&c.t->data[at.data] + 1, c.t->data[at.data] >> 16);
    u32 last = ~u32{0};
    for (const u32 sector : sectors)
      if (const u32 line = sector >> line_shift_; line != last) {
        const Content* const of_set = &contents_[l2_.expect(line)];
        for (const size_t way : {size_t{0}, ways / 2}) __builtin_prefetch(of_set + way, 1);  // lines of 64 bytes
        last = line;
      }
  }

  // All waves have advanced by the pace: lines requested before have arrived.
  void next_turn() { ++turn_; }

  Footprint finish() {
    // What is dirty at the end is written back where each die has an L2 of its own, for the next launch's workgroups
    // are spread over them anew (LLVM's memory model of gfx942: a release to the agent writes the L2 back); a single L2
    // keeps it unless the rest of the launch needs the place.
    size_t left = 0;
    for (const Content& c : contents_) left += c.dirty != 0;
    if ((shape_.dies > 1 && !shape_.one_l2) ||
        static_cast<double>(left) / shape_.of_die > static_cast<double>(l2_.size()))
      for (size_t place = 0; place < contents_.size(); ++place)
        if (contents_[place].dirty) evict(place);
    l2_contention_.finish(), memory_contention_.finish();
    f_.l2_channels = l2_contention_.channels(), f_.memory_channels = memory_contention_.channels();
    f_.l2_contention = l2_contention_.factor(), f_.memory_contention = memory_contention_.factor();
    return f_;
  }

 private:
  enum class Found : u8 { there, coming, not_there };
  Content& content(u32 sector, bool& hit) {
    const u32 line = sector >> line_shift_;
    hit = line == last_line_;  // again: it is the most recent one already
    if (hit) return contents_[last_place_];
    last_line_ = line, last_place_ = l2_.touch(line, hit);
    Content& known = contents_[last_place_];
    if (hit) return known;
    if (known.dirty) evict(last_place_);
    return known = {.filled = turn_};
  }
  Found load(u32 sector) {
    bool hit;
    Content& known = content(sector, hit);
    if (!hit || !(known.whole || known.covered[sector % 2] == all_covered))
      return known.whole = true, known.filled = turn_, Found::not_there;
    return known.filled == turn_ ? Found::coming : Found::there;
  }
  bool store(WaveCursor& c, u32 step, u32 sector, u8& level, u8 covered) {
    const bool fresh = dirty(sector, level, covered, false);
    if (2 * u64{step} >= followed_) c.stored += 1, c.dirtied += fresh;
    return fresh;
  }
  // Is this the first store to the sector since the L2 has it?
  bool dirty(u32 sector, u8& level, u8 covered, bool atomic) {
    bool hit;
    Content& known = content(sector, hit);
    const size_t half = sector % 2;
    known.covered[half] = together(known.covered[half], covered);
    if (known.dirty >> half & 1) return false;
    if (owns_ && !atomic && known.whole && !known.dirty)
      level = static_cast<u8>(Level::coming), known.owned |= 1u << half;
    known.dirty |= 1u << half, dirtied_[last_place_][half] = &level;
    if (atomic) known.atomic |= 1u << half;
    return true;
  }
  void evict(size_t place) {
    const Content& c = contents_[place];
    for (const size_t half : {0, 1}) {
      if (!(c.dirty >> half & 1)) continue;
      u8& level = *dirtied_[place][half];
      const Level to = write_back();
      if (c.atomic >> half & 1) level |= more_bit;
      else if (c.owned >> half & 1) level |= to == Level::memory ? more_bit : 0;
      else
        level = static_cast<u8>((level & contention_bits) | static_cast<u8>(to) |
                                (!c.whole && partial(c.covered[half]) ? more_bit : 0));
    }
  }
  Level write_back() {
    ++f_.written;
    write_credit_ += fits_;
    if (write_credit_ >= 1) return write_credit_ -= 1, last_level(shape_);
    return ++f_.written_here, Level::memory;
  }
  static Found goes_on(WaveCursor::Reads& c) {  // hits and misses in the same proportion as before
    const double n = std::max(1u, c.touched);
    c.credit += c.missed / n, c.waits += c.waited / n;
    if (c.credit >= 1) return c.credit -= 1, Found::not_there;
    return c.waits >= 1 ? (c.waits -= 1, Found::coming) : Found::there;
  }
  bool dirties_on(WaveCursor& c, u32 sector) {
    if (c.stored == 0) return stored_alone_.insert(sector).second;
    c.dirties += c.dirtied / c.stored;
    return c.dirties >= 1 ? (c.dirties -= 1, true) : false;
  }
  Level beyond(u32 number, u32 line, u8& level) {
    const double more = (static_cast<double>(others_.dies) - 1) *
                        others_.shared(number);  // dies that use the line too: one of them fetches it
    if (!fetched_.empty()) {
      credit_ += more / (1 + more);
      if (credit_ >= 1) return credit_ -= 1, Level::coming;
      const u32 place = line * 0x9e3779b1u >> (32 - fetched_bits);
      f_.fetched_again += fetched_[place], fetched_[place] = true;
      f_.fetched.push_back(&level == &nobodys_ ? nullptr : &level);
      return Level::memory;  // as long as fetch_again() does not say so
    }
    credit_ += has_last_ ? std::max(fits_, more / (1 + more)) : 0;
    if (credit_ < 1) return ++f_.fetched_here, Level::memory;
    return credit_ -= 1, Level::mall;
  }

  u64 followed_;
  bool prefetched_;  // some lines are
  int request_shift_, line_shift_;
  bool owns_;
  static constexpr size_t ways = 16;
  Tags<ways> l2_;
  std::vector<Content> contents_;  // by place
  u32 last_line_ = ~u32{0};        // none
  size_t last_place_ = 0;
  // By place and sector, where dirty: the level of the store that made it so. Not touched where nothing is stored.
  std::unique_ptr<std::array<u8*, 2>[]> dirtied_;
  std::unordered_set<u32> stored_alone_;  // sectors, by waves that had not stored before
  u8 nobodys_ = 0;                        // level
  const DeviceShape& shape_;
  const OtherDies& others_;
  static constexpr u8 none_[] = {0};
  std::span<const u8> same_{none_};
  Contention l2_contention_, memory_contention_;
  bool has_last_ = false;
  double fits_ = 0, credit_ = 0, write_credit_ = 0;
  static constexpr int fetched_bits = 24;
  std::vector<bool> fetched_;  // by hash of a line, where it matters
  u32 turn_ = 1;
  Footprint f_;
};

}  // namespace

void fetch_again(Footprint& f, const DeviceShape& d, double of_launch) {
  const double part = std::max(warm_part(d, of_launch), d.again);
  double credit = 0;
  f.fetched_here = 0;
  for (u8* level : f.fetched) {
    credit += part;
    const bool here = credit < 1;
    if (here) ++f.fetched_here;
    else credit -= 1;
    if (level) *level = static_cast<u8>((*level & ~3) | static_cast<u8>(here ? Level::memory : last_level(d)));
  }
}

Footprint find_levels(std::vector<GroupTrace>& groups, size_t own, const sim::DecodedKernel& program, isa::Arch arch,
                      const DeviceShape& d, double of_launch, u64 followed) {
  std::vector<MemoryOp> kind(program.steps.size());
  for (size_t i = 0; i < kind.size(); ++i) kind[i] = memory_op_of(program.steps[i]);
  u64 accessed = 1;
  for (const GroupTrace& g : groups)
    for (const WaveTrace& w : g.waves) accessed += w.data.size();
  Pass pass(isa::timing(arch), arch, d, of_launch, followed, std::ranges::find(kind, MemoryOp::prefetch) != kind.end(),
            accessed);
  std::vector<WaveCursor> cursors;
  size_t longest = 0;
  for (size_t g = 0; g < groups.size(); ++g)
    for (WaveTrace& w : groups[g].waves) {
      if (g < own) w.level.assign(w.data.size(), static_cast<u8>(Level::l2));
      cursors.push_back({.t = &w, .own = g < own});
      longest = std::max<size_t>(longest, w.instructions);
    }
  constexpr u32 none = ~u32{0};
  std::vector<u32> next;  // by cursor: the step of its next access
  const auto next_of = [&](const WaveCursor& c) {
    return c.next < c.t->accesses.size() ? c.t->accesses[c.next].at : none;
  };
  for (const WaveCursor& c : cursors) next.push_back(next_of(c));
  constexpr size_t pace = 16;   // instructions of a wave before the next one's
  size_t turn = 0, stride = 1;  // the order changes, so that no wave is always the first to request a line
  struct Next {
    WaveCursor* of;
    const Access* at;
  };
  std::vector<Next> in_turn;
  for (size_t end = pace; end < longest + pace; end += pace, turn += 7) {
    pass.next_turn();
    do stride = (stride * 5 + 3) % 8191 + 1;
    while (std::gcd(stride, std::max<size_t>(1, cursors.size())) != 1);
    const size_t n = cursors.size(), step = stride % std::max<size_t>(1, n);
    in_turn.clear();
    for (size_t k = 0, i = n ? turn % n : 0; k < n; ++k, i = i + step < n ? i + step : i + step - n) {
      if (next[i] >= end) continue;
      WaveCursor& c = cursors[i];
      do {
        const Access& at = c.t->accesses[c.next++];
        __builtin_prefetch(&c.t->data[at.data]);
        in_turn.push_back({&c, &at});
        next[i] = next_of(c);
      } while (next[i] < end);
    }
    constexpr size_t ahead = 2;  // of the work for an access; the host's memory takes as long
    for (size_t k = 0; k < in_turn.size(); ++k) {
      if (k + ahead < in_turn.size()) pass.expect(*in_turn[k + ahead].of, *in_turn[k + ahead].at);
      pass.access(*in_turn[k].of, *in_turn[k].at, kind[in_turn[k].at->step]);
    }
  }
  Footprint f = pass.finish();
  if (!f.fetched.empty()) fetch_again(f, d, of_launch);
  return f;
}

}  // namespace wavesmith::timing
