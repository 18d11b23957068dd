// Managed memory: always where both sides need it. Advice and prefetches change nothing but what the attributes of a
// range say.
#include <cstring>

#include "runtime/hip_interface/work.h"

using namespace wavesmith::hip;

namespace {

// The region that has these bytes, which must be managed.
struct Range {
  Region* region;
  uint64_t first, end;  // bytes of the region
};
Range managed(State& s, const void* p, size_t bytes) {
  check(p && bytes, hipErrorInvalidValue);
  const auto* r = find_region(s, number(p));
  check(r && r->second.kind == Region::Kind::managed, hipErrorInvalidValue);
  const uint64_t first = number(p) - r->first;
  check(bytes <= r->second.bytes - first, hipErrorInvalidValue);
  return {&s.regions.at(r->first), first, first + bytes};
}

template <class F>
void change(const Range& range, F&& f) {
  auto& advice = range.region->advice;
  for (const uint64_t at : {range.first, range.end}) {
    const auto next = advice.upper_bound(at);
    const Advice before = next == advice.begin() ? Advice{} : std::prev(next)->second;
    advice.emplace(at, before);
  }
  for (auto it = advice.find(range.first); it->first != range.end; ++it) f(it->second);
}

// f of the range's bytes; if they differ, `mixed`.
template <class F>
int of_all(const Range& range, int mixed, F&& f) {
  const auto& advice = range.region->advice;
  auto next = advice.upper_bound(range.first);
  const int value = f(next == advice.begin() ? Advice{} : std::prev(next)->second);
  for (; next != advice.end() && next->first < range.end; ++next)
    if (f(next->second) != value) return mixed;
  return value;
}

void range_attribute(void* to, size_t bytes, hipMemRangeAttribute which, const Range& range) {
  constexpr int none = Advice::nowhere;
  check(to && bytes && bytes % 4 == 0 && (bytes == 4 || which == hipMemRangeAttributeAccessedBy), hipErrorInvalidValue);
  std::vector<int> values(bytes / 4, none);
  switch (static_cast<int>(which)) {
    case hipMemRangeAttributeReadMostly:
      values[0] = of_all(range, 0, [](const Advice& a) { return a.read_mostly; });
      break;
    case hipMemRangeAttributePreferredLocation:
      values[0] = of_all(range, none, [](const Advice& a) { return a.preferred; });
      break;
    case hipMemRangeAttributeLastPrefetchLocation:
      values[0] = of_all(range, none, [](const Advice& a) { return a.prefetched; });
      break;
    case hipMemRangeAttributeCoherencyMode:
      values[0] = of_all(range, hipMemRangeCoherencyModeIndeterminate, [](const Advice& a) { return a.coarse; });
      break;
    case hipMemRangeAttributeAccessedBy: {
      size_t n = 0;
      if (of_all(range, 0, [](const Advice& a) { return a.accessed_by_host; })) values[n++] = hipCpuDeviceId;
      if (n < values.size() && of_all(range, 0, [](const Advice& a) { return a.accessed_by_device; })) values[n] = 0;
      break;
    }
    default: check(false, hipErrorInvalidValue);
  }
  std::memcpy(to, values.data(), bytes);
}

}  // namespace

extern "C" {
hipError_t hipMemPrefetchAsync(const void* p, size_t bytes, int device, hipStream_t stream) {
  return call([&](State& s) {
    s.stream(stream), check(p && bytes, hipErrorInvalidValue);
    check(device == 0 || device == hipCpuDeviceId, hipErrorInvalidDevice);
    change(managed(s, p, bytes), [&](Advice& a) { a.prefetched = device; });
  });
}
hipError_t hipMemAdvise(const void* p, size_t bytes, hipMemoryAdvise advice, int device) {
  return call([&](State& s) {
    check(device == 0 || device == hipCpuDeviceId, hipErrorInvalidDevice);
    const Range range = managed(s, p, bytes);
    const auto accessed = device == 0 ? &Advice::accessed_by_device : &Advice::accessed_by_host;
    switch (static_cast<int>(advice)) {
      case hipMemAdviseSetReadMostly: return change(range, [](Advice& a) { a.read_mostly = true; });
      case hipMemAdviseUnsetReadMostly: return change(range, [](Advice& a) { a.read_mostly = false; });
      case hipMemAdviseSetPreferredLocation: return change(range, [&](Advice& a) { a.preferred = device; });
      case hipMemAdviseUnsetPreferredLocation: return change(range, [](Advice& a) { a.preferred = Advice::nowhere; });
      case hipMemAdviseSetAccessedBy: return change(range, [&](Advice& a) { a.*accessed = true; });
      case hipMemAdviseUnsetAccessedBy: return change(range, [&](Advice& a) { a.*accessed = false; });
      case hipMemAdviseSetCoarseGrain: return change(range, [](Advice& a) { a.coarse = true; });
      case hipMemAdviseUnsetCoarseGrain: return change(range, [](Advice& a) { a.coarse = false; });
      default: check(false, hipErrorInvalidValue);
    }
  });
}
hipError_t hipMemRangeGetAttribute(void* to, size_t bytes, hipMemRangeAttribute which, const void* p, size_t count) {
  return call([&](State& s) { range_attribute(to, bytes, which, managed(s, p, count)); });
}
hipError_t hipMemRangeGetAttributes(void** to, size_t* bytes, hipMemRangeAttribute* which, size_t n, const void* p,
                                    size_t count) {
  return call([&](State& s) {
    check(to && bytes && which && n, hipErrorInvalidValue);
    const Range range = managed(s, p, count);
    for (size_t i = 0; i < n; ++i) range_attribute(to[i], bytes[i], which[i], range);
  });
}
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* p, size_t, unsigned flags) {
  return call([&](State& s) {
    s.stream(stream);
    check(flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle,
          hipErrorInvalidValue);
    managed(s, p, 1);
  });
}
}
