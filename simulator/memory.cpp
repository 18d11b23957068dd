#include "simulator/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

#ifdef __SANITIZE_THREAD__
extern "C" void AnnotateBenignRaceSized(const char* file, int line, const volatile void* at, size_t bytes,
                                        const char* why);  // of its runtime
#endif

namespace wavesmith::sim {
namespace {
constexpr uint64_t gap = uint64_t{1} << 20;  // unmapped bytes after each allocation, at least
}

void Memory::Pages::operator()(void* p) const {
  if (bytes) munmap(p, bytes);
}

static void* pages(uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  return p;
}
// Not from the heap, which clears what it has been given back.
Memory::Written::Written(uint64_t bytes) : words_(static_cast<uint64_t*>(pages(bytes / 8 + 8)), {bytes / 8 + 8}) {}

static std::unique_ptr<uint8_t[], Memory::Pages> zeroed(uint64_t bytes) {
  void* p = pages(bytes);
  constexpr uint64_t large = uint64_t{4} << 20;
  if (bytes >= large) madvise(p, bytes, MADV_HUGEPAGE);  // fewer TLB misses when a matrix is read column by column
#ifdef __SANITIZE_THREAD__
  // Workgroups run on the host's threads and may race for a byte here: that is the kernel's affair, not the
  // simulator's.
  AnnotateBenignRaceSized(__FILE__, __LINE__, p, bytes, "memory of the simulated device");
#endif
  return {static_cast<uint8_t*>(p), {bytes}};
}

uint64_t Memory::allocate(uint64_t bytes, std::string name, uint64_t align) {
  const uint64_t base = (next_ + align - 1) & ~(align - 1);
  insert({base, bytes, std::move(name), zeroed(std::max<uint64_t>(bytes, 1)), std::make_unique<Written>(bytes)});
  next_ = base + bytes + gap;
  return base;
}

void Memory::insert(Allocation a) {
  list_.insert(std::ranges::upper_bound(list_, a.base, {}, &Allocation::base), std::move(a));
}

void Memory::map(void* host, uint64_t bytes, std::string name) {
  insert({reinterpret_cast<uint64_t>(host), bytes, std::move(name),
          std::unique_ptr<uint8_t[], Pages>(static_cast<uint8_t*>(host), Pages{}), nullptr});
}

Memory Memory::copy() const {
  Memory m(next_);
  for (const Allocation& a : list_) {
    m.list_.push_back({a.base, a.size, a.name, zeroed(std::max<uint64_t>(a.size, 1)), nullptr, a.is_private});
    std::memcpy(m.list_.back().bytes.get(), a.bytes.get(), a.size);
  }
  return m;
}

void Memory::release(uint64_t base) {
  const auto it = std::find_if(list_.begin(), list_.end(), [&](const Allocation& a) { return a.base == base; });
  if (it == list_.end()) throw std::out_of_range(fmt::format("release: {:#x} is not the start of an allocation", base));
  released_.push_back({it->base, it->size, std::move(it->name)});
  if (released_.size() > remembered) released_.pop_front();
  list_.erase(it);
}

void Memory::define(uint64_t base) {
  for (Allocation& a : list_)
    if (a.base == base) a.written.reset();
}
void Memory::make_private(uint64_t base) {
  for (Allocation& a : list_)
    if (a.base == base) a.is_private = true;
}
void Memory::define_all() {
  for (Allocation& a : list_) a.written.reset();
}

const Memory::Allocation* Memory::find(uint64_t address, uint64_t bytes) const {
  auto it =
      std::upper_bound(list_.begin(), list_.end(), address, [](uint64_t a, const Allocation& b) { return a < b.base; });
  if (it == list_.begin()) return nullptr;
  --it;
  return it->covers(address, bytes) ? &*it : nullptr;
}

void Memory::write(uint64_t address, std::span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  const Allocation* a = find(address, bytes.size());
  if (!a)
    throw std::out_of_range(fmt::format("write of {} bytes at {:#x}: {}", bytes.size(), address, describe(address)));
  std::memcpy(a->bytes.get() + (address - a->base), bytes.data(), bytes.size());
  if (bytes.size() == a->size) define(a->base);
  else if (a->written) a->written->mark(address - a->base, bytes.size());
}

void Memory::read(uint64_t address, std::span<uint8_t> bytes) const {
  if (bytes.empty()) return;
  const Allocation* a = find(address, bytes.size());
  if (!a)
    throw std::out_of_range(fmt::format("read of {} bytes at {:#x}: {}", bytes.size(), address, describe(address)));
  std::memcpy(bytes.data(), a->bytes.get() + (address - a->base), bytes.size());
}

std::string Memory::describe(uint64_t address) const {
  uint64_t distance = ~uint64_t{0};
  std::string best = "nothing is allocated";
  const auto consider = [&](uint64_t base, uint64_t size, const std::string& name, bool live) {
    const bool before = address < base, inside = !before && address - base < size;
    const uint64_t d = before ? base - address : inside ? 0 : address - base - size;
    if (d >= distance) return;
    distance = d;
    const std::string where = before    ? fmt::format("{} bytes before", d)
                              : !inside ? fmt::format("{} bytes past the end of", d)
                                        : fmt::format("byte {} of", address - base);
    best = fmt::format("{} {}'{}' ({:#x}, {} bytes)", where, live ? "" : "the freed buffer ", name, base, size);
  };
  for (const Allocation& a : list_) consider(a.base, a.size, a.name, true);
  for (const Released& r : released_) consider(r.base, r.size, r.name, false);
  return best;
}

}  // namespace wavesmith::sim
