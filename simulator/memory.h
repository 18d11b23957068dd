// Device memory: allocations at unique addresses with unmapped gaps between them, so that every access outside is
// caught and the nearest allocation can be named. Addresses are never reused, so a pointer into a released allocation
// is recognised. Written bytes are tracked with one bit each, until all of an allocation has been written.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::sim {

class Memory {
 public:
  struct Pages {
    uint64_t bytes = 0;  // 0: not owned
    void operator()(void*) const;
  };  // of the host, untouched until used
  // One bit per byte; threads may mark concurrently.
  class Written {
   public:
    explicit Written(uint64_t bytes);
    void mark(uint64_t at, uint64_t count) {
      each(at, count, [&](uint64_t& w, uint64_t m) {
        if (std::atomic_ref a(w); (a.load(std::memory_order_relaxed) & m) != m)
          a.fetch_or(m, std::memory_order_relaxed);
        return true;
      });
    }
    void forget(uint64_t at, uint64_t count) {
      each(at, count, [](uint64_t& w, uint64_t m) {
        std::atomic_ref(w).fetch_and(~m, std::memory_order_relaxed);
        return true;
      });
    }
    bool all(uint64_t at, uint64_t count) const {
      return each(at, count, [](uint64_t& w, uint64_t m) {
        return (std::atomic_ref(w).load(std::memory_order_relaxed) & m) == m;
      });
    }

   private:
    template <class F>
    bool each(uint64_t at, uint64_t count, F&& f) const {
      for (const uint64_t end = at + count; at < end;) {
        const uint64_t n = std::min(end - at, 64 - at % 64), mask = (n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1)
                                                                    << at % 64;
        if (!f(words_[at / 64], mask)) return false;
        at += n;
      }
      return true;
    }
    std::unique_ptr<uint64_t[], Pages> words_;
  };
  struct Allocation {
    uint64_t base = 0, size = 0;
    std::string name;
    std::unique_ptr<uint8_t[], Pages> bytes;  // large pages where available
    std::unique_ptr<Written> written;         // nullptr: all of it
    bool is_private = false;  // of lanes: undefined bytes are loaded and stored like undefined registers
    bool covers(uint64_t address, uint64_t count) const {
      return address >= base && address - base < size && count <= size - (address - base);
    }
  };

  static constexpr uint64_t lowest = uint64_t{1} << 32;  // low 4 GiB unmapped: a truncated pointer faults
  Memory() = default;
  explicit Memory(uint64_t first) : next_(first) {}  // the address of the first allocation

  // Zeros, but counted as never written. `align` is a power of two.
  uint64_t allocate(uint64_t bytes, std::string name, uint64_t align = 256);
  // Memory of the host, which the device sees at the same address and which counts as written; it belongs to the
  // caller and must not overlap another allocation.
  void map(void* host, uint64_t bytes, std::string name);
  Memory copy() const;          // the same allocations at the same addresses with bytes of their own
  void release(uint64_t base);  // std::out_of_range if `base` is not an allocation
  void write(uint64_t address, std::span<const uint8_t> bytes);  // std::out_of_range outside of an allocation
  void define(uint64_t base);  // the whole allocation that starts there counts as written from now on
  void define_all();
  void make_private(uint64_t base);
  void read(uint64_t address, std::span<uint8_t> bytes) const;

  const Allocation* find(uint64_t address, uint64_t bytes) const;  // nullptr: not wholly inside one
  // "16 bytes past the end of 'A' (0x..., 4096 bytes)"; inside of an allocation "byte 16 of 'A' (..."; released ones
  // are named as well.
  std::string describe(uint64_t address) const;
  std::span<const Allocation> allocations() const { return list_; }

 private:
  struct Released {
    uint64_t base, size;
    std::string name;
  };
  static constexpr size_t remembered = 4096;
  void insert(Allocation);
  std::vector<Allocation> list_;   // by base
  std::deque<Released> released_;  // the most recent ones
  uint64_t next_ = lowest;
};

}  // namespace wavesmith::sim
