// Device memory: allocations at addresses of their own with unmapped gaps between them, so that every access outside of one is
// caught and its nearest neighbour can be named.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::sim {

class Memory {
 public:
  struct Allocation {
    uint64_t base = 0, size = 0;
    std::string name;
    std::unique_ptr<uint8_t[]> bytes;
    bool covers(uint64_t address, uint64_t count) const { return address >= base && address - base < size && count <= size - (address - base); }
  };

  // Zero-filled. `align` is a power of two.
  uint64_t allocate(uint64_t bytes, std::string name, uint64_t align = 256);
  void release(uint64_t base);                             // std::out_of_range if `base` is no allocation
  void write(uint64_t address, std::span<const uint8_t> bytes);      // std::out_of_range outside of an allocation
  void read(uint64_t address, std::span<uint8_t> bytes) const;

  const Allocation* find(uint64_t address, uint64_t bytes) const;    // nullptr: not wholly inside one
  std::string describe(uint64_t address) const;            // "16 bytes past the end of 'A' (0x..., 4096 bytes)"
  std::span<const Allocation> allocations() const { return list_; }

 private:
  std::vector<Allocation> list_;                           // by base
  uint64_t next_ = uint64_t{1} << 32;                      // low 4 GiB unmapped: a truncated pointer faults
};

}  // namespace wavesmith::sim
