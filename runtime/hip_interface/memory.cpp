// Memory: of the device, of the host (which kernels reach at the same address), of both; pools; what a pointer is.
#include <fmt/format.h>

#include <cstring>

#include "runtime/hip_interface/version.h"
#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

constexpr size_t pitch_unit = 256, unregistered_limit = size_t{1} << 47;
size_t pitch_of(size_t width) { return (width + pitch_unit - 1) / pitch_unit * pitch_unit; }
void* pointer(uint64_t at) { return reinterpret_cast<void*>(at); }

void allocate_into(State& s, void** p, size_t bytes, Region::Kind kind, unsigned flags = 0) {
  given(p) = nullptr;
  if (bytes) *p = pointer(allocate(s, bytes, kind, flags));
}
void free_region(State& s, void* p, bool of_host) {
  if (!p) return;
  const auto it = s.regions.find(number(p));
  check(it != s.regions.end(), hipErrorInvalidValue);
  const Region::Kind k = it->second.kind;
  check(of_host ? k == Region::Kind::host : k == Region::Kind::device || k == Region::Kind::managed,
        hipErrorInvalidValue);
  release(s, number(p));
}

// hipMemoryType of either interface.
int memory_type(Region::Kind k) {
  const bool five = version() < 60000000;
  switch (k) {
    case Region::Kind::device: return five ? 1 : 2;
    case Region::Kind::managed: return five ? 1 : 3;
    default: return five ? 0 : 1;
  }
}

void allocate_pool(State& s, void** p, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  given(p) = nullptr;
  if (!bytes) return;
  const uint64_t at = allocate(s, bytes, Region::Kind::device, 0);
  s.regions.at(at).pool = pool;
  pool->used += bytes, pool->most_used = std::max(pool->most_used, pool->used);
  *p = pointer(at);
  if (s.stream(stream).capture) s.regions.at(at).of_graph = true, submit(s, stream, Allocate{at, bytes});
}
hipMemPool_t pool_of(State& s, hipMemPool_t p) {
  check(p && (p == &s.default_pool || s.pools.contains(p)), hipErrorInvalidValue);
  return p;
}

}  // namespace
}  // namespace wavesmith::hip

using namespace wavesmith::hip;
using Kind = Region::Kind;
extern "C" {
hipError_t hipMalloc(void** p, size_t bytes) {
  return call([&](State& s) { allocate_into(s, p, bytes, Kind::device); });
}
hipError_t hipExtMallocWithFlags(void** p, size_t bytes, unsigned flags) {
  return call([&](State& s) {
    check(flags <= 4 && (flags != hipMallocSignalMemory || bytes == 8), hipErrorInvalidValue);
    allocate_into(s, p, bytes, flags == hipMallocSignalMemory ? Kind::managed : Kind::device,
                  flags);  // the host polls it
  });
}
hipError_t hipHostMalloc(void** p, size_t bytes, unsigned flags) {
  return call([&](State& s) {
    given(p);
    constexpr unsigned coherence = hipHostMallocCoherent | hipHostMallocNonCoherent;
    check((flags & coherence) != coherence, hipErrorInvalidValue);
    check((flags & ~(coherence | hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                     hipHostMallocNumaUser)) == 0,
          hipErrorInvalidValue);
    allocate_into(s, p, bytes, Kind::host, flags);
  });
}
hipError_t hipExtHostAlloc(void** p, size_t bytes, unsigned flags) { return hipHostMalloc(p, bytes, flags); }
hipError_t hipHostAlloc(void** p, size_t bytes, unsigned flags) { return hipHostMalloc(p, bytes, flags); }
hipError_t hipMallocHost(void** p, size_t bytes) { return hipHostMalloc(p, bytes, 0); }
hipError_t hipMemAllocHost(void** p, size_t bytes) { return hipHostMalloc(p, bytes, 0); }
hipError_t hipMallocManaged(void** p, size_t bytes, unsigned flags) {
  return call([&](State& s) {
    check(flags == hipMemAttachGlobal || flags == hipMemAttachHost, hipErrorInvalidValue);
    check(bytes, hipErrorInvalidValue);
    check(bytes <= s.the_device().bytes(), hipErrorOutOfMemory);
    allocate_into(s, p, bytes, Kind::managed, flags);
  });
}
hipError_t hipFree(void* p) {
  return call([&](State& s) { free_region(s, p, false); });
}
hipError_t hipHostFree(void* p) {
  return call([&](State& s) { free_region(s, p, true); });
}
hipError_t hipFreeHost(void* p) { return hipHostFree(p); }
hipError_t hipMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  return call([&](State& s) {
    given(p), given(pitch);
    *pitch = pitch_of(width);
    check(!height || *pitch <= SIZE_MAX / height, hipErrorOutOfMemory);
    check(*pitch >= width, hipErrorOutOfMemory);
    allocate_into(s, p, *pitch * height, Kind::device);
  });
}
hipError_t hipMemAllocPitch(hipDeviceptr_t* p, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return call([](State&) { check(false, hipErrorInvalidValue); });
  if (!width || !height) return call([](State&) { check(false, hipErrorInvalidValue); });
  return hipMallocPitch(p, pitch, width, height);
}
hipError_t hipMalloc3D(hipPitchedPtr* p, hipExtent e) {
  return call([&](State& s) {
    given(p);
    *p = {nullptr, pitch_of(e.width), e.width, e.height};
    check(p->pitch >= e.width, hipErrorOutOfMemory);
    check(!e.height || !e.depth || p->pitch <= SIZE_MAX / e.height / e.depth, hipErrorOutOfMemory);
    allocate_into(s, &p->ptr, p->pitch * e.height * e.depth, Kind::device);
  });
}
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return call([&](State& s) {
    given(device), check(host, hipErrorInvalidValue), check(flags == 0, hipErrorInvalidValue);
    const auto* r = find_region(s, number(host));
    check(r && r->second.of_host(), hipErrorInvalidValue);
    *device = host;
  });
}
hipError_t hipHostGetFlags(unsigned* flags, void* host) {
  return call([&](State& s) {
    given(flags);
    const auto* r = find_region(s, number(host));
    check(r && (r->second.kind == Kind::host || r->second.kind == Kind::registered) && r->first == number(host),
          hipErrorInvalidValue);
    *flags = r->second.flags;
  });
}
hipError_t hipHostRegister(void* host, size_t bytes, unsigned flags) {
  return call([&](State& s) {
    check(host && bytes, hipErrorInvalidValue);
    check(bytes < unregistered_limit && (flags & ~0xfu) == 0, hipErrorInvalidValue);
    const auto next = s.regions.lower_bound(number(host));
    check(!find_region(s, number(host)) && (next == s.regions.end() || next->first >= number(host) + bytes),
          hipErrorHostMemoryAlreadyRegistered);
    s.memory.map(host, bytes, fmt::format("hipHostRegister {}", ++s.allocations));
    s.regions.emplace(number(host), Region{Kind::registered, bytes, flags});
  });
}
hipError_t hipHostUnregister(void* host) {
  return call([&](State& s) {
    check(host, hipErrorInvalidValue);
    const auto it = s.regions.find(number(host));
    check(it != s.regions.end() && it->second.kind == Kind::registered, hipErrorHostMemoryNotRegistered);
    release(s, number(host));
  });
}

// -- What a pointer is --
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* a, const void* p) {
  return call([&](State& s) {
    given(a), check(p, hipErrorInvalidValue);
    *a = {};
    const auto* r = find_region(s, number(p));
    if (!r && version() >= 60000000) {  // memory of the host that HIP does not know: hipMemoryTypeUnregistered
      a->device = -2;
      return;
    }
    check(r, hipErrorInvalidValue);
    a->memoryType = static_cast<hipMemoryType>(memory_type(r->second.kind));
    a->devicePointer = const_cast<void*>(p);
    a->hostPointer = r->second.of_host() ? const_cast<void*>(p) : nullptr;
    a->isManaged = r->second.kind == Kind::managed;
    a->allocationFlags = r->second.flags;
  });
}
static void pointer_attribute(State& s, void* to, hipPointer_attribute which, const void* p) {
  const auto* r = find_region(s, number(p));
  const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  if (!r) return void(std::memset(to, 0, which == HIP_POINTER_ATTRIBUTE_IS_MANAGED ? 1 : 4));
  const Region& g = r->second;
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT: put(static_cast<void*>(&s)); break;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: put(uint32_t(memory_type(g.kind))); break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: put(p); break;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
      check(g.of_host(), hipErrorInvalidValue);
      put(p);
      break;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID: put(r->first); break;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED: put(g.kind == Kind::managed); break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: put(0); break;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: put(r->first); break;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE: put(g.bytes); break;
    case HIP_POINTER_ATTRIBUTE_MAPPED: put(true); break;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: put(uint32_t{3}); break;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: put(uint32_t{g.sync_memops}); break;
    default: throw Error{hipErrorNotSupported};
  }
}
hipError_t hipPointerGetAttribute(void* to, hipPointer_attribute which, hipDeviceptr_t p) {
  return call([&](State& s) {
    check(to && p, hipErrorInvalidValue);
    check(find_region(s, number(p)), hipErrorInvalidValue);
    pointer_attribute(s, to, which, p);
  });
}
hipError_t hipPointerSetAttribute(const void* value, hipPointer_attribute which, hipDeviceptr_t p) {
  return call([&](State& s) {
    check(value && p && which == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, hipErrorInvalidValue);
    uint32_t flag;
    std::memcpy(&flag, value, sizeof flag);
    check(flag <= 1, hipErrorInvalidValue);
    const auto* r = find_region(s, number(p));
    check(r, hipErrorInvalidDevicePointer);
    s.regions.at(r->first).sync_memops = flag;
  });
}
hipError_t hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute* which, void** to, hipDeviceptr_t p) {
  return call([&](State& s) {
    check(count && which && to && p, hipErrorInvalidValue);
    for (unsigned i = 0; i < count; ++i) pointer_attribute(s, to[i], which[i], p);
  });
}
hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t p) {
  return call([&](State& s) {
    const auto* r = find_region(s, number(p));
    check(r, hipErrorNotFound);
    if (base) *base = pointer(r->first);
    if (bytes) *bytes = r->second.bytes;
  });
}
hipError_t hipMemPtrGetInfo(void* p, size_t* bytes) {
  return call([&](State& s) {
    given(bytes), *bytes = 0;
    if (!p) return;
    const auto* r = find_region(s, number(p));
    check(r && r->first == number(p), hipErrorInvalidValue);
    *bytes = r->second.bytes;
  });
}

// -- Pools: they only count --
hipError_t hipMallocAsync(void** p, size_t bytes, hipStream_t stream) {
  return call([&](State& s) { s.stream(stream), allocate_pool(s, p, bytes, s.pool, stream); });
}
hipError_t hipMallocFromPoolAsync(void** p, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  return call([&](State& s) { s.stream(stream), allocate_pool(s, p, bytes, pool_of(s, pool), stream); });
}
hipError_t hipFreeAsync(void* p, hipStream_t stream) {
  return call([&](State& s) {
    check(p, hipErrorInvalidValue);
    if (s.stream(stream).capture) submit(s, stream, Free{number(p)});
    else free_region(s, p, false);
  });
}
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int d) {
  return call([&](State& s) { given(pool), check(d == 0, hipErrorInvalidDevice), *pool = &s.default_pool; });
}
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int d) {
  return call([&](State& s) { given(pool), check(d == 0, hipErrorInvalidValue), *pool = s.pool; });
}
hipError_t hipDeviceSetMemPool(int d, hipMemPool_t pool) {
  return call([&](State& s) { check(d == 0, hipErrorInvalidValue), s.pool = pool_of(s, pool); });
}
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* p) {
  return call([&](State& s) {
    given(pool), given(p);
    check(p->allocType == hipMemAllocationTypePinned && p->location.type == hipMemLocationTypeDevice &&
              p->location.id == 0,
          hipErrorInvalidValue);
    check(p->handleTypes == hipMemHandleTypeNone || p->handleTypes == hipMemHandleTypePosixFileDescriptor,
          hipErrorInvalidValue);
    *pool = *s.pools.insert(new ihipMemPoolHandle_t).first;
  });
}
hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return call([&](State& s) {
    check(pool != &s.default_pool, hipErrorInvalidValue);
    pool_of(s, pool);
    for (auto& [at, r] : s.regions)
      if (r.pool == pool) r.pool = nullptr;
    if (s.pool == pool) s.pool = &s.default_pool;
    s.pools.erase(pool);
    delete pool;
  });
}
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  return call([&](State& s) { pool_of(s, pool); });
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr which, void* value) {
  return call([&](State& s) {
    pool_of(s, pool), given(value ? &value : nullptr);
    const auto v = *static_cast<const uint64_t*>(value);
    if (which >= hipMemPoolReuseFollowEventDependencies && which <= hipMemPoolReuseAllowInternalDependencies)
      pool->reuse[which - hipMemPoolReuseFollowEventDependencies] = *static_cast<const int*>(value);
    else if (which == hipMemPoolAttrReleaseThreshold) pool->threshold = v;
    else if ((which == hipMemPoolAttrReservedMemHigh || which == hipMemPoolAttrUsedMemHigh) && v == 0)
      pool->most_used = pool->used;
    else throw Error{hipErrorInvalidValue};
  });
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr which, void* value) {
  return call([&](State& s) {
    pool_of(s, pool), given(value ? &value : nullptr);
    auto& number = *static_cast<uint64_t*>(value);
    switch (which) {
      case hipMemPoolReuseFollowEventDependencies:
      case hipMemPoolReuseAllowOpportunistic:
      case hipMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = pool->reuse[which - hipMemPoolReuseFollowEventDependencies];
        break;
      case hipMemPoolAttrReleaseThreshold: number = pool->threshold; break;
      case hipMemPoolAttrReservedMemCurrent:
      case hipMemPoolAttrUsedMemCurrent: number = pool->used; break;
      case hipMemPoolAttrReservedMemHigh:
      case hipMemPoolAttrUsedMemHigh: number = pool->most_used; break;
      default: throw Error{hipErrorInvalidValue};
    }
  });
}
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* list, size_t count) {
  return call([&](State& s) {
    pool_of(s, pool), check(list && count, hipErrorInvalidValue);
    for (size_t i = 0; i < count; ++i)
      check(list[i].location.type == hipMemLocationTypeDevice && list[i].location.id == 0, hipErrorInvalidDevice);
  });
}
hipError_t hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t pool, hipMemLocation* at) {
  return call([&](State& s) {
    given(flags), given(at), pool_of(s, pool);
    check(at->type == hipMemLocationTypeDevice && at->id == 0, hipErrorInvalidValue);
    *flags = hipMemAccessFlagsProtReadWrite;
  });
}
}
