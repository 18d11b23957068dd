// Cache tags, and the pass that runs the streams of a die's workgroups through them at the same pace.
#include "simulator/timing/caches.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

namespace wavesmith::timing {

Tags::Tags(u64 lines, int ways) : ways_(ways) {
  sets_ = std::bit_floor(std::max<u32>(1, static_cast<u32>(lines / static_cast<u64>(ways))));
  bits_ = std::max(1u, static_cast<u32>(std::countr_zero(sets_)));
  lines_.resize(static_cast<size_t>(sets_) * static_cast<size_t>(ways));
}

void Tags::clear() { std::fill(lines_.begin(), lines_.end(), Line{}); }

Tags::Line& Tags::touch(u32 line, bool& hit) {
  Line* set = &lines_[static_cast<size_t>(set_of(line)) * static_cast<size_t>(ways_)];
  Line* oldest = set;
  ++clock_;
  for (int w = 0; w < ways_; ++w) {
    if (set[w].tag == line) return hit = true, set[w].used = clock_, set[w];
    if (set[w].used < oldest->used) oldest = &set[w];
  }
  hit = false;
  *oldest = {line, clock_, 0};
  return *oldest;
}

namespace {

// One wave's place in its stream.
struct Cursor {
  WaveTrace* t;
  size_t step = 0, data = 0;
  double touched = 0, missed = 0, waited = 0, credit = 0,
         waits = 0;  // sectors; waited: already requested by another CU
};

// The sectors of all waves, in the order in which they come to the L2.
class Pass {
 public:
  Pass(const isa::Timing& t, isa::Arch arch, const DeviceShape& d, double of_launch, u64 followed)
      : followed_(followed),
        request_sectors_(static_cast<u32>(t.l1_line) / sector_bytes),
        line_sectors_(static_cast<u32>(t.l2_line) / sector_bytes),
        page_sectors_(static_cast<u32>(t.translation_page * 1024) / sector_bytes),
        l2_(static_cast<u64>(t.l2_kib * 1024 / t.l2_line), 16),
        others_(d.others),
        l2_contention_({arch, isa::channels_of::l2}, d.l2_under_way, 1),
        memory_contention_({arch, isa::channels_of::memory}, d.memory_under_way, d.others.dies) {
    // Beyond the L2: the memory-side cache holds the launch's buffers as far as they fit, after an earlier launch; with
    // --cold only lines that another die has fetched.
    has_mall_ = d.mall_bytes > 0;
    fits_ = has_mall_ && d.warm ? std::clamp(1.5 - 0.5 * of_launch / d.mall_bytes, 0.0, 1.0) *
                                      (of_launch <= d.mall_bytes ? 1.0 : d.mall_bytes / of_launch)
                                : 0;
    // Address translation: pages within the reach are present from before; of larger launches the rest misses.
    f_.walked = d.reach_bytes > 0 && of_launch > d.reach_bytes ? 1 - d.reach_bytes / of_launch : 0;
  }

  // The sectors of the wave's next instruction. vector: not through the scalar cache, which several CUs share.
  void access(Cursor& c, bool vector) {
    const u32 sectors = c.t->data[c.data++] >> 16;
    const bool alone = followed_ && c.step >= followed_;  // the neighbours' traces have ended
    u32 last = ~u32{0};
    for (u32 i = 0; i < sectors; ++i, ++c.data) {
      const u32 sector = c.t->data[c.data], request = sector / request_sectors_;
      const Found found = alone ? goes_on(c) : touch(c, sector / line_sectors_);
      const bool hit = found != Found::not_there;
      ++f_.l2_lines, f_.l2_misses += !hit;
      u8& level = c.t->level[c.data];
      level = static_cast<u8>(found == Found::there    ? Level::l2
                              : found == Found::coming ? Level::coming
                                                       : beyond(c.t->steps[c.step]));
      if (walks(sector)) level |= walk_bit;
      Contention& contention = hit ? l2_contention_ : memory_contention_;
      if (alone) level |= contention_code(contention.factor());
      else if (vector && request != last)
        contention.request(u64{sector} * sector_bytes, level,
                           hit || others_.shift.empty() ? same_ : others_.shifts(c.t->steps[c.step]));
      last = request;
    }
  }

  // All waves have advanced by the pace: lines requested before have arrived.
  void next_turn() { ++turn_; }

  Footprint finish() {
    l2_contention_.finish(), memory_contention_.finish();
    f_.memory_share = f_.l2_misses ? 1 - static_cast<double>(in_mall_) / static_cast<double>(f_.l2_misses) : 1;
    f_.l2_channels = l2_contention_.channels(), f_.memory_channels = memory_contention_.channels();
    f_.l2_contention = l2_contention_.factor(), f_.memory_contention = memory_contention_.factor();
    return f_;
  }

 private:
  enum class Found : u8 { there, coming, not_there };
  Found touch(Cursor& c, u32 line) {
    bool hit;
    Tags::Line& l = l2_.touch(line, hit);
    if (!hit) l.filled = turn_;
    const Found found = !hit ? Found::not_there : l.filled == turn_ ? Found::coming : Found::there;
    c.touched += 1, c.missed += !hit, c.waited += found == Found::coming;
    return found;
  }
  static Found goes_on(Cursor& c) {  // hits and misses in the same proportion as before
    const double n = std::max(1.0, c.touched);
    c.credit += c.missed / n, c.waits += c.waited / n;
    if (c.credit >= 1) return c.credit -= 1, Found::not_there;
    return c.waits >= 1 ? (c.waits -= 1, Found::coming) : Found::there;
  }
  Level beyond(u32 step) {
    const double more = (static_cast<double>(others_.dies) - 1) *
                        others_.shared(step);  // dies that use the line too: one of them fetches it
    credit_ += has_mall_ ? std::max(fits_, more / (1 + more)) : 0;
    if (credit_ < 1) return Level::memory;
    return credit_ -= 1, ++in_mall_, Level::mall;
  }
  bool walks(u32 sector) {
    if (f_.walked == 0 || !pages_.insert(sector / page_sectors_).second) return false;
    walk_credit_ += f_.walked;
    return walk_credit_ >= 1 ? (walk_credit_ -= 1, true) : false;
  }

  u64 followed_;
  u32 request_sectors_, line_sectors_, page_sectors_;
  Tags l2_;
  const OtherDies& others_;
  static constexpr u8 none_[] = {0};
  std::span<const u8> same_{none_};
  Contention l2_contention_, memory_contention_;
  bool has_mall_ = false;
  double fits_ = 0, credit_ = 0, walk_credit_ = 0;
  u64 in_mall_ = 0, turn_ = 1;
  std::unordered_set<u32> pages_;
  Footprint f_;
};

}  // namespace

Footprint find_levels(std::vector<GroupTrace>& groups, const sim::DecodedKernel& program, isa::Arch arch,
                      const DeviceShape& d, double of_launch, u64 followed) {
  Pass pass(isa::timing(arch), arch, d, of_launch, followed);
  enum : u8 { none, scalar, vector };
  std::vector<u8> with_data(program.steps.size());
  for (size_t i = 0; i < with_data.size(); ++i)
    with_data[i] = !has_data(program.steps[i]) ? none : program.steps[i].row->unit == isa::Unit::smem ? scalar : vector;
  std::vector<Cursor> cursors;
  for (GroupTrace& g : groups)
    for (WaveTrace& w : g.waves) w.level.assign(w.data.size(), static_cast<u8>(Level::l2)), cursors.push_back({&w});
  constexpr size_t pace = 16;   // instructions of a wave before the next one's
  size_t turn = 0, stride = 1;  // the order changes, so that no wave is always the first to request a line
  for (bool going = true; going; turn += 7) {
    going = false;
    pass.next_turn();
    do stride = (stride * 5 + 3) % 8191 + 1;
    while (std::gcd(stride, std::max<size_t>(1, cursors.size())) != 1);
    for (size_t k = 0; k < cursors.size(); ++k) {
      Cursor& c = cursors[(k * stride + turn) % cursors.size()];
      for (size_t n = 0; n < pace && c.step < c.t->steps.size(); ++n, ++c.step) {
        going = true;
        if (const u8 d = with_data[c.t->steps[c.step]]) pass.access(c, d == vector);
      }
    }
  }
  return pass.finish();
}

}  // namespace wavesmith::timing
