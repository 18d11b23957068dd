// Finds LDS accesses of different waves that no barrier orders: at least one a write, same byte. Each 16 bytes record
// their last writer and their readers since the last barrier; bytes that are accessed in parts are tracked by dwords,
// or by bytes, from then on. An operation still in flight when its wave arrives at a barrier is recorded in the next
// interval as well: it may execute there. A named barrier orders only its members: from the first one on, a vector
// clock per wave states from which interval on the accesses of each other wave are unordered with its own, until a
// barrier of the whole workgroup synchronises all. Only the readers of the last interval of a dword are known, so a
// race with an older reader may be missed. A plain read of bytes that other waves modify atomically looks like an
// atomic load: it is accepted if its wave follows it with an atomic operation on the same bytes (as in a
// compare-and-swap loop), otherwise it is a race at the end of the interval. Loads that are known to be atomic
// (atomic_loads.h) conflict only with plain writes before them. Writes of the value that another wave has written
// are not a race by default: the bytes are the same in any order, also where both are loads from memory that are still
// in flight. This is known only after the instruction: doubts() holds them until then.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace wavesmith::sim {

enum class LdsUse : uint8_t { read, write, atomic };  // atomics of several waves do not conflict with each other

class Races {
 public:
  struct Conflict {
    int wave;
    bool wrote;
    uint32_t address;
    int step;
  };  // the other wave (absent: a load into LDS in flight), its access, the byte, its step (absent: unknown)
  struct Suspect {
    uint32_t address;
    int wave, other, step, other_step;
  };  // wave reads what `other` modifies atomically; absent: unknown
  struct Doubt {
    Conflict with;
    uint32_t bytes;
    std::array<uint8_t, 16> before;
  };
  int step = 0;                                     // of the next access
  const std::vector<bool>* atomic_loads = nullptr;  // by step (atomic_loads.h); empty: none
  const Suspect* suspect() const { return suspects_.empty() ? nullptr : suspects_.data(); }
  bool doubtful() const { return !doubts_.empty(); }
  // Holds back the finding that these at most 16 bytes, which a load in flight will write, are written by another load.
  // False: it counts whatever their value.
  bool doubt_landing(uint32_t address, uint32_t bytes) {
    if (lds_) doubt({absent, true, address, absent}, bytes);
    return lds_;
  }
  // The first of the doubts whose bytes have changed; all are settled then.
  std::optional<Conflict> settle_doubts();

  // `lds`: compared to find writes of one value; nullptr: they are races too.
  void reset(uint32_t bytes, bool enabled, const uint8_t* lds = nullptr);
  bool enabled() const { return enabled_; }
  bool enable(bool on) { return std::exchange(enabled_, on); }  // what it was
  void barrier() { ++interval_, partial_ = false; }
  // Named barriers. A wave's accesses before its signal are ordered before another wave's accesses after its wait for
  // the same completion.
  using Clock = std::array<uint32_t, 32>;  // by wave: its accesses of earlier intervals are ordered before
  void signal_named(int wave, Clock& barrier);
  void waited_named(int wave, const Clock& completed);
  // A wave's accesses between its signal and its wait may execute on either side of the barrier: they count on both.
  void signal(int wave) { signaled_[static_cast<size_t>(wave)] = interval_; }
  void waited(int wave) { signaled_[static_cast<size_t>(wave)] = 0; }
  // `ahead`: the access counts as done after the next barrier.
  std::optional<Conflict> access(uint32_t address, uint32_t bytes, int wave, LdsUse use, bool ahead = false);
  // Reads or writes of `bytes` at many addresses, in the common case without conflicts, tracked in whole cells. False:
  // call access() for each, including those already recorded.
  template <uint32_t bytes>
  bool unopposed(const uint32_t* at, int count, int wave, LdsUse use);

 private:
  // Interval numbers (0: never), waves; tags of the last write, the first read and the last read by another wave than
  // that.
  struct Cell {
    uint32_t written = 0, read = 0, writers = 0, readers = 0, write_tag = 0, read_tags[2] = {};
    bool atomic = false;
  };
  bool loads_atomically() const {
    return atomic_loads && !atomic_loads->empty() && (*atomic_loads)[static_cast<size_t>(step)];
  }
  uint32_t tag(int wave) const { return static_cast<uint32_t>(step) << 5 | static_cast<uint32_t>(wave); }
  static int step_of(uint32_t tag, int wave) {
    return static_cast<int>(tag & 31) == wave ? static_cast<int>(tag >> 5) : absent;
  }
  // One of these waves, whose step is known if there is such a one.
  static int known_of(uint32_t waves, std::initializer_list<uint32_t> tags) {
    for (const uint32_t t : tags)
      if (waves >> (t & 31) & 1) return static_cast<int>(t & 31);
    return __builtin_ctz(waves);
  }
  static int reading_step(const Cell& c, int wave) {
    return std::max(step_of(c.read_tags[0], wave), step_of(c.read_tags[1], wave));
  }
  bool unopposed(Cell&, uint32_t interval, uint32_t me, uint32_t tag, LdsUse use) const;
  static void note_read(Cell&, uint32_t interval, uint32_t me, uint32_t tag);
  std::optional<Conflict> touch(Cell&, uint32_t interval, int wave, LdsUse use, uint32_t address, uint32_t spare);
  void doubt(const Conflict&, uint32_t bytes);
  uint32_t unordered(uint32_t others, uint32_t when, uint32_t now, int wave) const;
  void split_quad(uint32_t quad);
  void split(uint32_t dword);
  void add(const Suspect& s) {
    constexpr size_t most = 256;  // more would say nothing new
    if (suspects_.size() < most && std::none_of(suspects_.begin(), suspects_.end(), [&](const Suspect& x) {
          return x.address == s.address && x.wave == s.wave;
        }))
      suspects_.push_back(s);
  }
  std::optional<Conflict> record(uint32_t interval, uint32_t address, uint32_t bytes, int wave, LdsUse use, bool spare);
  bool enabled_ = false;
  const uint8_t* lds_ = nullptr;
  std::vector<Doubt> doubts_;
  uint32_t interval_ = 1;
  std::array<uint32_t, 32> signaled_{};  // by wave: the interval of a signal not waited for yet; 0: none
  bool partial_ = false;                 // since_ counts; else all accesses of interval_ are unordered
  std::array<Clock, 32> since_{};
  std::vector<Cell> quads_, dwords_, bytes_;  // the finer ones hold what counts where the coarser is split
  std::vector<uint8_t> quad_is_split_, is_split_;
  std::vector<Suspect> suspects_;
};

// Of these other waves, the ones whose accesses in interval `when` are not ordered before this wave's in interval
// `now`.
inline uint32_t Races::unordered(uint32_t others, uint32_t when, uint32_t now, int wave) const {
  if (!partial_ || !others) return when >= now ? others : 0;
  uint32_t left = 0;
  for (uint32_t m = others; m; m &= m - 1) {
    const int o = __builtin_ctz(m);
    if (when >= std::min(now, since_[static_cast<size_t>(wave)][static_cast<size_t>(o)])) left |= m & -m;
  }
  return left;
}

inline void Races::signal_named(int wave, Clock& barrier) {
  if (!partial_) {
    for (Clock& c : since_) c.fill(interval_);
    partial_ = true;
  }
  for (size_t i = 0; i < barrier.size(); ++i) barrier[i] = std::max(barrier[i], since_[static_cast<size_t>(wave)][i]);
  barrier[static_cast<size_t>(wave)] = ++interval_;  // accesses after the signal belong to the next interval
}
inline void Races::waited_named(int wave, const Clock& completed) {
  if (!partial_) return;  // there was a barrier of all waves in between
  for (size_t i = 0; i < completed.size(); ++i)
    since_[static_cast<size_t>(wave)][i] = std::max(since_[static_cast<size_t>(wave)][i], completed[i]);
}

inline void Races::note_read(Cell& c, uint32_t now, uint32_t me, uint32_t tag) {
  if (c.read < now) c.read = now, c.readers = 0, c.read_tags[0] = tag;
  else if ((c.read_tags[0] ^ tag) & 31) c.read_tags[1] = tag;
  c.readers |= me;
}

// The common case, inline: no conflict with another wave, and no atomic operation.
inline bool Races::unopposed(Cell& c, uint32_t now, uint32_t me, uint32_t tag, LdsUse use) const {
  if (partial_ || use == LdsUse::atomic || (use == LdsUse::read && loads_atomically()) ||
      (c.written >= now && (c.writers & ~me)))
    return false;
  if (use == LdsUse::read) return note_read(c, now, me, tag), true;
  if (c.read >= now && (c.readers & ~me)) return false;
  if (c.written < now) c.written = now, c.writers = 0;
  c.writers |= me, c.write_tag = tag;
  c.atomic = false;
  return true;
}

template <uint32_t bytes>
bool Races::unopposed(const uint32_t* at, int count, int wave, LdsUse use) {
  constexpr uint32_t cell = bytes == 16 ? 16 : 4;
  const uint32_t me = 1u << wave, mine = tag(wave);
  if (bytes % cell || signaled_[static_cast<size_t>(wave)]) return false;
  for (int i = 0; i < count; ++i) {
    if (at[i] % cell) return false;
    for (uint32_t a = at[i]; a < at[i] + bytes; a += cell) {
      if (quad_is_split_[a / 16] == (cell == 16) || (cell == 4 && is_split_[a / 4])) return false;
      if (!unopposed(cell == 16 ? quads_[a / 16] : dwords_[a / 4], interval_, me, mine, use)) return false;
    }
  }
  return true;
}

inline void Races::doubt(const Conflict& c, uint32_t bytes) {
  if (std::any_of(doubts_.begin(), doubts_.end(),
                  [&](const Doubt& o) { return o.with.address == c.address && o.bytes >= bytes; }))
    return;
  Doubt d{c, bytes, {}};
  std::copy_n(lds_ + c.address, bytes, d.before.begin());
  doubts_.push_back(d);
}
inline std::optional<Races::Conflict> Races::settle_doubts() {
  const auto changed = std::find_if(doubts_.begin(), doubts_.end(), [&](const Doubt& d) {
    return !std::equal(d.before.begin(), d.before.begin() + d.bytes, lds_ + d.with.address);
  });
  const auto first = changed == doubts_.end() ? std::nullopt : std::optional(changed->with);
  doubts_.clear();
  return first;
}

// `spare`: bytes of the cell if writes of one value are no races, else 0.
[[gnu::noinline]] inline std::optional<Races::Conflict> Races::touch(Cell& c, uint32_t now, int wave, LdsUse use,
                                                                     uint32_t address, uint32_t spare) {
  const uint32_t me = 1u << wave;
  if (const uint32_t w = unordered(c.writers & ~me, c.written, now, wave); w && !(c.atomic && use == LdsUse::atomic)) {
    const int other = known_of(w, {c.write_tag});
    const Conflict with{other, true, address, step_of(c.write_tag, other)};
    const bool mine_too =
        spare && !c.atomic && c.written >= now && (c.writers & me);  // the same bytes, or it would have been reported
    if (c.atomic && use == LdsUse::read && loads_atomically()) return {};
    if (c.atomic && use == LdsUse::read) add({address, wave, other, step, with.step});
    else if (spare && !c.atomic && use == LdsUse::write) doubt(with, spare);
    else if (use != LdsUse::read || !mine_too) return with;
  }
  if (use == LdsUse::read && loads_atomically()) return {};
  if (use == LdsUse::read) return note_read(c, now, me, tag(wave)), std::nullopt;
  uint32_t before = unordered(c.readers & ~me, c.read, now, wave);
  if (use == LdsUse::atomic) {
    for (uint32_t m = before; m; m &= m - 1)
      add({address, __builtin_ctz(m), wave, reading_step(c, __builtin_ctz(m)), step});
    c.readers &= ~(before | me), before = 0;  // they are suspects now; this wave's own read was followed by its atomic
    std::erase_if(suspects_, [&](const Suspect& s) { return s.address == address && s.wave == wave; });
  }
  if (before) {
    const int other = known_of(before, {c.read_tags[0], c.read_tags[1]});
    const Conflict with{other, false, address, reading_step(c, other)};
    if (!spare || c.atomic || c.written < now || (before & ~c.writers)) return with;
    doubt(with, spare);  // they read back what they had written
  }
  if (c.written < now) c.written = now, c.writers = 0, c.atomic = true;
  c.writers |= me, c.write_tag = tag(wave);
  c.atomic &= use == LdsUse::atomic;
  return {};
}

inline void Races::split_quad(uint32_t q) {
  quad_is_split_[q] = 1;
  for (int i = 0; i < 4; ++i) dwords_[q * 4 + i] = quads_[q], is_split_[q * 4 + i] = 0;
}
inline void Races::split(uint32_t d) {
  if (bytes_.empty()) bytes_.resize(dwords_.size() * 4);
  is_split_[d] = 1;
  for (int i = 0; i < 4; ++i) bytes_[d * 4 + i] = dwords_[d];
}

inline std::optional<Races::Conflict> Races::access(uint32_t address, uint32_t bytes, int wave, LdsUse use,
                                                    bool ahead) {
  const uint32_t since = signaled_[static_cast<size_t>(wave)];
  if (since && !ahead)
    for (uint32_t i = since; i <= std::max(interval_, since + 1); ++i)
      if (auto c = record(i, address, bytes, wave, use, lds_)) return c;
  if (since && !ahead) return std::nullopt;
  const auto conflict = record(interval_ + ahead, address, bytes, wave, use, lds_);
  if (ahead) doubts_.clear();  // nothing is written now: another value would have been found at the earlier of the two
  return conflict;
}

inline std::optional<Races::Conflict> Races::record(uint32_t now, uint32_t address, uint32_t bytes, int wave,
                                                    LdsUse use, bool spare) {
  const uint32_t mine = tag(wave);
  const uint32_t end = std::min(address + bytes, static_cast<uint32_t>(quads_.size()) * 16), me = 1u << wave;
  while (address < end) {
    const uint32_t q = address / 16, d = address / 4;
    if (!quad_is_split_[q]) {
      if (address % 16 == 0 && end - address >= 16) {
        if (!unopposed(quads_[q], now, me, mine, use))
          if (auto c = touch(quads_[q], now, wave, use, address, spare ? 16 : 0)) return c;
        address += 16;
        continue;
      }
      split_quad(q);
    }
    if (address % 4 == 0 && end - address >= 4 && !is_split_[d]) {
      if (!unopposed(dwords_[d], now, me, mine, use))
        if (auto c = touch(dwords_[d], now, wave, use, address, spare ? 4 : 0)) return c;
      address += 4;
      continue;
    }
    if (!is_split_[d]) split(d);
    if (auto c = touch(bytes_[address], now, wave, use, address, spare ? 1 : 0)) return c;
    ++address;
  }
  return {};
}

inline void Races::reset(uint32_t size, bool enabled, const uint8_t* lds) {
  enabled_ = enabled;
  lds_ = lds;
  doubts_.clear();
  interval_ = 1;
  partial_ = false;
  signaled_ = {};
  suspects_.clear();
  bytes_.clear();
  const uint32_t quads = enabled ? (size + 15) / 16 : 0;
  quads_.assign(quads, {});
  quad_is_split_.assign(quads, 0);
  dwords_.resize(quads * 4);
  is_split_.resize(quads * 4);
}

}  // namespace wavesmith::sim
