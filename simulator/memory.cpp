#include "simulator/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace wavesmith::sim {
namespace {
constexpr uint64_t gap = uint64_t{1} << 20;                // unmapped bytes behind each allocation, at least
}

uint64_t Memory::allocate(uint64_t bytes, std::string name, uint64_t align) {
  const uint64_t base = (next_ + align - 1) & ~(align - 1);
  list_.push_back({base, bytes, std::move(name), std::make_unique<uint8_t[]>(std::max<uint64_t>(bytes, 1))});
  next_ = base + bytes + gap;
  return base;
}

void Memory::release(uint64_t base) {
  const auto it = std::find_if(list_.begin(), list_.end(), [&](const Allocation& a) { return a.base == base; });
  if (it == list_.end()) throw std::out_of_range(fmt::format("release: {:#x} is not the start of an allocation", base));
  list_.erase(it);
}

const Memory::Allocation* Memory::find(uint64_t address, uint64_t bytes) const {
  auto it = std::upper_bound(list_.begin(), list_.end(), address, [](uint64_t a, const Allocation& b) { return a < b.base; });
  if (it == list_.begin()) return nullptr;
  --it;
  return it->covers(address, bytes) ? &*it : nullptr;
}

void Memory::write(uint64_t address, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const Allocation* a = find(address, bytes.size());
  if (!a) throw std::out_of_range(fmt::format("write of {} bytes at {:#x}: {}", bytes.size(), address, describe(address)));
  std::memcpy(a->bytes.get() + (address - a->base), bytes.data(), bytes.size());
}

void Memory::read(uint64_t address, std::span<uint8_t> bytes) const {
  if (bytes.empty()) return;
  const Allocation* a = find(address, bytes.size());
  if (!a) throw std::out_of_range(fmt::format("read of {} bytes at {:#x}: {}", bytes.size(), address, describe(address)));
  std::memcpy(bytes.data(), a->bytes.get() + (address - a->base), bytes.size());
}

std::string Memory::describe(uint64_t address) const {
  if (list_.empty()) return "nothing is allocated";
  const Allocation* best = nullptr;
  uint64_t distance = ~uint64_t{0};
  for (const Allocation& a : list_) {
    const uint64_t d = address < a.base ? a.base - address : address - a.base < a.size ? 0 : address - (a.base + a.size);
    if (d < distance) distance = d, best = &a;
  }
  const std::string where = address < best->base                ? fmt::format("{} bytes before", distance)
                            : address - best->base < best->size ? fmt::format("{} bytes before the end of", best->base + best->size - address)
                                                                : fmt::format("{} bytes past the end of", distance);
  return fmt::format("{} '{}' ({:#x}, {} bytes)", where, best->name, best->base, best->size);
}

}  // namespace wavesmith::sim
