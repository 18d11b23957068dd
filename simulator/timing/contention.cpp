// The estimate counts pairs of lines in one channel: with C even channels a pair meets with probability 1 / C, for any
// number of lines (the fullest channel's load, or sums of squares, would need a correction for few lines). Deviations
// that chance explains (three standard deviations) are not counted as contention.
#include "simulator/timing/contention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace wavesmith::timing {

u8 contention_code(double factor) {
  return static_cast<u8>(std::clamp(std::lround(4 * std::log2(std::max(1.0, factor))), 0l, 31l) << 2);
}

double contention_factor(u8 level) {
  static const auto factors = [] {
    std::array<double, 32> f;
    for (size_t i = 0; i < f.size(); ++i) f[i] = std::exp2(0.25 * static_cast<double>(i));
    return f;
  }();
  return factors[(level & contention_bits) >> 2];
}

namespace {

// Calls f(wave, step, first sector's place in WaveTrace::data, sectors) for each access of the first `most`
// instructions of each wave.
template <class F>
void accesses(const GroupTrace& g, size_t most, F f) {
  for (size_t w = 0; w < g.waves.size(); ++w) {
    const WaveTrace& t = g.waves[w];
    for (const WaveTrace::Access& a : t.accesses) {
      if (a.at >= most) break;
      f(w, a.step, t.data.data() + a.data + 1, t.data[a.data] >> 16);
    }
  }
}

// By wave and step, the first sector that the wave touches there.
constexpr u32 no_sector = ~u32{0};
std::vector<u32> first_sectors(const GroupTrace& g, size_t steps) {
  std::vector<u32> first(g.waves.size() * steps, no_sector);
  accesses(g, ~size_t{0}, [&](size_t w, u32 s, const u32* sector, u32 n) {
    if (u32& of = first[w * steps + s]; n && of == no_sector) of = *sector;
  });
  return first;
}

// Sectors, a bit each: those of an access are neighbours.
class SectorSet {
 public:
  void insert(u32 sector) { page(sector)[word(sector)] |= bit(sector); }
  bool contains(u32 sector) const {
    const Page* known = find(sector);
    return known && (*known)[word(sector)] & bit(sector);
  }

 private:
  static constexpr u32 page_sectors = 1024, tables = 1024, table_pages = (u64{1} << 32) / page_sectors / tables;
  using Page = std::array<u64, page_sectors / 64>;
  using Table = std::array<std::unique_ptr<Page>, table_pages>;
  static size_t word(u32 sector) { return sector % page_sectors / 64; }
  static u64 bit(u32 sector) { return u64{1} << sector % 64; }
  const Page* find(u32 sector) const {
    const auto& table = tables_[sector / page_sectors / table_pages];
    return table ? (*table)[sector / page_sectors % table_pages].get() : nullptr;
  }
  Page& page(u32 sector) {
    auto& table = tables_[sector / page_sectors / table_pages];
    if (!table) table = std::make_unique<Table>();
    auto& page = (*table)[sector / page_sectors % table_pages];
    if (!page) page = std::make_unique<Page>();
    return *page;
  }
  std::vector<std::unique_ptr<Table>> tables_{tables};
};

void count_shared(OtherDies& d, const std::vector<GroupTrace>& mine, const std::vector<GroupTrace>& others,
                  size_t steps) {
  size_t start = 0;  // steps traced of the others; twice as many of the first die, since paces differ
  for (const GroupTrace& g : others)
    for (const WaveTrace& w : g.waves) start = std::max<size_t>(start, w.instructions);
  SectorSet lines;
  for (const GroupTrace& g : mine)
    accesses(g, 2 * start, [&](size_t, u32, const u32* sector, u32 n) {
      for (u32 i = 0; i < n; ++i) lines.insert(sector[i]);
    });
  std::vector<std::pair<double, double>> of(steps);  // shared, all
  for (const GroupTrace& g : others)
    accesses(g, start, [&](size_t, u32 s, const u32* sector, u32 n) {
      for (u32 i = 0; i < n; ++i) of[s].first += lines.contains(sector[i]), of[s].second += 1;
    });
  d.share.resize(steps);
  double shared = 0, all = 0;
  for (size_t s = 0; s < of.size(); ++s) {
    d.share[s] = of[s].second > 0 ? static_cast<float>(of[s].first / of[s].second) : 0;
    shared += of[s].first, all += of[s].second;
  }
  d.shared_of_all = all > 0 ? shared / all : 0;
}

}  // namespace

OtherDies other_dies(const std::vector<GroupTrace>& mine, const std::vector<GroupTrace>& others,
                     const sim::DecodedKernel& program, const isa::Channels& channels) {
  const size_t steps = program.steps.size();
  OtherDies d{.dies = others.size() + 1, .shift = std::vector<u8>(steps * (others.size() + 1), 0)};
  count_shared(d, mine, others, steps);
  const auto first = first_sectors(mine[0], steps);
  std::vector<u8> accessed(steps);
  accesses(mine[0], ~size_t{0}, [&](size_t, u32 s, const u32*, u32) { accessed[s] = 1; });
  for (size_t k = 0; k < others.size(); ++k) {
    const auto theirs = first_sectors(others[k], steps);
    for (size_t s = 0; s < steps; ++s)
      for (size_t at = s; accessed[s] && at < std::min(first.size(), theirs.size()); at += steps) {  // waves
        if (first[at] == no_sector || theirs[at] == no_sector) continue;
        d.shift[s * d.dies + k + 1] =
            static_cast<u8>(channels.of(u64{first[at]} * sector_bytes) ^ channels.of(u64{theirs[at]} * sector_bytes));
        break;
      }
  }
  return d;
}

Contention::Contention(const isa::Channels& c, double under_way, size_t dies)
    : window_(std::max<size_t>(2 * c.count(), static_cast<size_t>(under_way))),
      dies_(static_cast<double>(dies)),
      lines_(c.count(), 0) {
  if (c.count() == 1) return;
  while (!c.of(u64{1} << block_bits_)) ++block_bits_;
  for (size_t byte = 0; byte < of_byte_.size(); ++byte)
    for (u64 value = 0; value < 256; ++value) of_byte_[byte][value] = static_cast<u8>(c.of(value << 8 * byte));
}

void Contention::request(u64 address, u8* level, std::span<const u8> shifts) {
  if (lines_.size() == 1) return;
  if (address >> block_bits_ != block_) {
    block_ = address >> block_bits_, channel_ = 0;  // an exclusive or of address bits
    for (size_t byte = 0; address; ++byte, address >>= 8) channel_ ^= of_byte_[byte][address & 255];
  }
  for (const u8 s : shifts) met_ += lines_[channel_ ^ s];
  for (const u8 s : shifts) ++lines_[channel_ ^ s];
  if (level) waiting_.push_back(level);
  if (++requests_ >= window_) close();
}

void Contention::close() {
  if (!requests_) return;
  const double n = static_cast<double>(requests_),
               even = n * (n - 1) / 2 / channels(),  // pairs of one die's accesses that meet
      meet = 2 * static_cast<double>(met_) / (2 * dies_ * dies_);
  std::ranges::fill(lines_, 0);
  const double factor = meet > even + 3 * std::sqrt(even) + 1 ? meet / even : 1;
  if (const u8 code = contention_code(factor))
    for (u8* level : waiting_) *level |= code;
  counted_ += n, weighted_ += n * factor;
  code_ = contention_code(this->factor());
  waiting_.clear(), met_ = 0, requests_ = 0;
}

}  // namespace wavesmith::timing
