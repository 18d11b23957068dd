// Tags, and the pass that runs the streams of a die's work-groups through them at one pace.
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
  double touched = 0, missed = 0, credit = 0;  // sectors
};

}  // namespace

Footprint find_levels(std::vector<GroupTrace>& groups, const sim::Program& program, const isa::Timing& t, const DeviceShape& d, double of_launch,
                      u64 followed) {
  Footprint f;
  const u32 line_sectors = static_cast<u32>(t.l2_line) / sector_bytes;
  Tags l2(static_cast<u64>(t.l2_kib * 1024 / t.l2_line), 16);
  std::vector<u8> with_data(program.steps.size());
  for (size_t i = 0; i < with_data.size(); ++i) with_data[i] = has_data(program.steps[i]);
  std::vector<Cursor> cursors;
  for (GroupTrace& g : groups)
    for (WaveTrace& w : g.waves) w.level.assign(w.data.size(), static_cast<u8>(Level::l2)), cursors.push_back({&w});
  // What lies beyond the L2: the memory-side cache holds what fits of a launch that is not the first; of a first one, what another die has fetched.
  const double fits = d.mall_bytes > 0 && d.warm
                          ? std::clamp(1.5 - 0.5 * of_launch / d.mall_bytes, 0.0, 1.0) * (of_launch <= d.mall_bytes ? 1.0 : d.mall_bytes / of_launch)
                          : 0;
  const double others = d.mall_bytes > 0 && d.dies > 1 ? 1 - 1.0 / d.dies : 0;  // of lines that all dies read
  // Pages: those of a launch within the reach of translation are there from before; of a larger one the part that does not fit is not.
  f.walked = d.reach_bytes > 0 && of_launch > d.reach_bytes ? 1 - d.reach_bytes / of_launch : 0;
  const u32 page_sectors = static_cast<u32>(t.translation_page * 1024) / sector_bytes;
  std::unordered_set<u32> pages;
  double walk_credit = 0;
  const auto walks = [&](u32 sector) {
    if (f.walked == 0 || !pages.insert(sector / page_sectors).second) return false;
    walk_credit += f.walked;
    return walk_credit >= 1 ? walk_credit -= 1, true : false;
  };
  constexpr size_t pace = 16;                                                   // instructions of a wave before the next one's
  double credit = 0;
  size_t turn = 0, stride = 1;  // the order changes: nobody is always the first to want a line
  for (bool going = true; going; turn += 7) {
    going = false;
    do stride = (stride * 5 + 3) % 8191 + 1;
    while (std::gcd(stride, std::max<size_t>(1, cursors.size())) != 1);
    for (size_t k = 0; k < cursors.size(); ++k) {
      Cursor& c = cursors[(k * stride + turn) % cursors.size()];
      for (size_t n = 0; n < pace && c.step < c.t->steps.size(); ++n, ++c.step) {
        going = true;
        if (!with_data[c.t->steps[c.step]]) continue;
        const u32 sectors = c.t->data[c.data++] >> 16;
        for (u32 i = 0; i < sectors; ++i, ++c.data) {
          bool hit;
          if (followed && c.step >= followed) {  // nobody is beside it any more
            c.credit += c.touched > 0 ? c.missed / c.touched : 0;
            if (!(hit = c.credit < 1)) c.credit -= 1;
          } else {
            l2.touch(c.t->data[c.data] / line_sectors, hit);
            c.touched += 1, c.missed += !hit;
          }
          ++f.l2_lines;
          u8& level = c.t->level[c.data];
          if (walks(c.t->data[c.data])) level = walk_bit;
          if (hit) continue;
          ++f.l2_misses;
          credit += std::max(fits, others * 0.5);
          const bool mall = credit >= 1;
          if (mall) credit -= 1;
          level |= static_cast<u8>(mall ? Level::mall : Level::memory);
        }
      }
    }
  }
  f.memory_share = 1 - std::max(fits, others * 0.5);
  return f;
}

}  // namespace wavesmith::timing
