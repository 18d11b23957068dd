// The device: which one it is, its properties in both layouts, attributes, limits and contexts. There is one.
#include <fmt/format.h>

#include <link.h>
#include <cstdlib>

#include <cstring>

#include "isa_tables/timing/timing.h"
#include "runtime/hip_interface/properties.h"
#include "runtime/hip_interface/version.h"
#include "runtime/hip_interface/work.h"
#include "simulator/timing/timing.h"

namespace wavesmith::hip {
namespace {

std::string features(isa::Arch arch) {  // as the driver reports them: what the target has, with XNACK off
  return isa::target(arch).gfx9() ? ":sramecc+:xnack-" : "";
}
SimulatedDevice device_of(isa::Arch arch, const isa::Gpu& gpu) {
  return {arch, &gpu, isa::target(arch).name + features(arch)};
}

// In the program's image, where an address sanitizer knows of objects with gaps between them.
[[gnu::no_sanitize_address]] bool stands_at(uintptr_t at, std::string_view mark) {
  const auto* bytes = reinterpret_cast<const volatile char*>(at);
  for (size_t i = 0; i < mark.size(); ++i)
    if (bytes[i] != mark[i]) return false;
  return true;
}
// The bundle of code objects in the program's own image, whose section starts a page. Initialisers of a program's
// globals may call HIP, which is before its bundles are registered. Null: it has none.
const void* bundle_of_program() {
  const void* found = nullptr;
  dl_iterate_phdr(
      [](dl_phdr_info* program, size_t, void* to) {
        constexpr uintptr_t page = 4096;
        constexpr std::string_view marks[] = {"__CLANG_OFFLOAD_BUNDLE__", "CCOB"};
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          const auto& part = program->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || !(part.p_flags & PF_R)) continue;
          const uintptr_t begin = program->dlpi_addr + part.p_vaddr, end = begin + part.p_filesz;
          for (uintptr_t at = (begin + page - 1) / page * page; at + marks[0].size() <= end; at += page)
            for (const std::string_view mark : marks)
              if (stands_at(at, mark)) {
                *static_cast<const void**>(to) = reinterpret_cast<const void*>(at);
                return 1;
              }
        }
        return 1;  // the first object is the program; no library
      },
      &found);
  return found;
}

SimulatedDevice chosen(State& s) {
  if (const char* named = std::getenv("WAVESMITH_HIP_DEVICE"); named && *named) {
    if (const auto arch = isa::find_arch(named)) return device_of(*arch, timing::default_gpu(*arch));
    if (const isa::Gpu* gpu = isa::find_gpu(named)) return device_of(gpu->arch, *gpu);
    std::string gpus;
    for (const isa::Gpu& g : isa::gpus()) gpus += fmt::format(", {}", g.name);
    complain(fmt::format("WAVESMITH_HIP_DEVICE: '{}' is unknown, legal: {}{}", named, isa::arch_names(), gpus));
    throw Error{hipErrorNoDevice};
  }
  for (const FatBinary& b : s.binaries)
    if (const auto arch = first_target(b.image)) return device_of(*arch, timing::default_gpu(*arch));
  if (const void* image = s.binaries.empty() ? bundle_of_program() : nullptr)
    if (const auto arch = first_target(image)) return device_of(*arch, timing::default_gpu(*arch));
  const isa::Arch arch = *isa::find_arch("gfx942");
  return device_of(arch, timing::default_gpu(arch));
}

int compute_units(const SimulatedDevice& d) { return d.gpu->units; }
int l2_bytes(const SimulatedDevice& d) {  // of one L2
  return static_cast<int>(isa::timing(d.arch).l2_kib) * isa::gpu_timing(*d.gpu).dies / isa::l2s(*d.gpu) << 10;
}
int digit(char c) { return c >= 'a' ? c - 'a' + 10 : c - '0'; }
// "gfx90a": 9 and 0; "gfx1100": 11 and 0.
std::pair<int, int> capability(const SimulatedDevice& d) {
  const std::string_view n = std::string_view(isa::target(d.arch).name).substr(3);
  int major = 0;
  for (const char c : n.substr(0, n.size() - 2)) major = major * 10 + digit(c);
  return {major, digit(n[n.size() - 2])};
}
constexpr int max_threads = 1024, memory_bus_bits = 8192, memory_khz = 2600000, timer_khz = 1000;
// timer_khz is nominal: the timers that kernels read count the wave's instructions (docs/guide/hip_programs.md).
constexpr size_t constant_bytes = size_t{1} << 31;

hipDeviceArch_t arch_features() {
  hipDeviceArch_t a{};
  a.hasGlobalInt32Atomics = a.hasGlobalFloatAtomicExch = a.hasSharedInt32Atomics = a.hasSharedFloatAtomicExch =
      a.hasFloatAtomicAdd = a.hasGlobalInt64Atomics = a.hasSharedInt64Atomics = a.hasDoubles = a.hasWarpVote =
          a.hasWarpBallot = a.hasWarpShuffle = a.hasThreadFenceSystem = a.has3dGrid = 1;
  return a;
}

// The members that both layouts have by the same name.
template <class P>
void fill_common(P& p, const SimulatedDevice& d) {
  const isa::Target& t = isa::target(d.arch);
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s (wavesmith simulator)", d.gpu->name);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", d.name.c_str());
  p.totalGlobalMem = d.bytes();
  p.sharedMemPerBlock = static_cast<size_t>(t.lds_bytes);
  p.regsPerBlock = t.vgpr_file * t.wave_size;
  p.warpSize = t.wave_size;
  p.maxThreadsPerBlock = max_threads;
  for (int& n : p.maxThreadsDim) n = max_threads;
  p.maxGridSize[0] = INT32_MAX, p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.clockRate = d.gpu->mhz * 1000;
  p.memoryClockRate = memory_khz, p.memoryBusWidth = memory_bus_bits;
  p.totalConstMem = constant_bytes;
  std::tie(p.major, p.minor) = capability(d);
  p.multiProcessorCount = compute_units(d);
  p.l2CacheSize = l2_bytes(d);
  p.maxThreadsPerMultiProcessor = t.waves_per_simd * t.simds_per_cu * t.wave_size;
  p.clockInstructionRate = timer_khz;
  p.arch = arch_features();
  p.concurrentKernels = p.canMapHostMemory = p.cooperativeLaunch = p.managedMemory = p.ECCEnabled = 1;
  p.concurrentManagedAccess = p.directManagedMemAccessFromHost = 1;
  p.pciBusID = 3;
  p.maxSharedMemoryPerMultiProcessor = static_cast<size_t>(t.lds_pool);
  p.maxTexture1DLinear = 1 << 27, p.maxTexture1D = 16384;
  p.maxTexture2D[0] = p.maxTexture2D[1] = p.maxTexture3D[0] = p.maxTexture3D[1] = 16384, p.maxTexture3D[2] = 8192;
  p.memPitch = INT32_MAX, p.textureAlignment = p.texturePitchAlignment = 256;
}

Properties6 properties6(const SimulatedDevice& d) {
  Properties6 p;
  fill_common(p, d);
  p.sharedMemPerMultiprocessor = p.maxSharedMemoryPerMultiProcessor;
  p.regsPerMultiprocessor = p.regsPerBlock * isa::target(d.arch).simds_per_cu;
  p.maxBlocksPerMultiProcessor = isa::target(d.arch).groups_per_cu;
  p.unifiedAddressing = p.streamPrioritiesSupported = p.hostRegisterSupported = p.memoryPoolsSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.hostNativeAtomicSupported = p.asyncEngineCount = 1;
  p.sharedMemPerBlockOptin = p.sharedMemPerBlock;
  std::snprintf(p.uuid, sizeof p.uuid, "wavesmith-sim-0");
  return p;
}

int attribute(State& s, hipDeviceAttribute_t a) {
  const Properties6 p = properties6(s.the_device());
  switch (a) {
    case hipDeviceAttributeEccEnabled: return p.ECCEnabled;
    case hipDeviceAttributeAsyncEngineCount: return p.asyncEngineCount;
    case hipDeviceAttributeCanMapHostMemory: return p.canMapHostMemory;
    case hipDeviceAttributeCanUseHostPointerForRegisteredMem: return p.canUseHostPointerForRegisteredMem;
    case hipDeviceAttributeClockRate: return p.clockRate;
    case hipDeviceAttributeComputeMode: return p.computeMode;
    case hipDeviceAttributeConcurrentKernels: return p.concurrentKernels;
    case hipDeviceAttributeConcurrentManagedAccess: return p.concurrentManagedAccess;
    case hipDeviceAttributeCooperativeLaunch: return p.cooperativeLaunch;
    case hipDeviceAttributeDirectManagedMemAccessFromHost: return p.directManagedMemAccessFromHost;
    case hipDeviceAttributeHostNativeAtomicSupported: return p.hostNativeAtomicSupported;
    case hipDeviceAttributeL2CacheSize: return p.l2CacheSize;
    case hipDeviceAttributeManagedMemory: return p.managedMemory;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor: return p.maxBlocksPerMultiProcessor;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
    case hipDeviceAttributeMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case hipDeviceAttributeMaxGridDimX: return p.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY: return p.maxGridSize[1];
    case hipDeviceAttributeMaxGridDimZ: return p.maxGridSize[2];
    case hipDeviceAttributeMaxPitch: return static_cast<int>(p.memPitch);
    case hipDeviceAttributeMaxRegistersPerBlock: return p.regsPerBlock;
    case hipDeviceAttributeMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
    case hipDeviceAttributeMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
    case hipDeviceAttributeSharedMemPerBlockOptin: return static_cast<int>(p.sharedMemPerBlock);
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.maxSharedMemoryPerMultiProcessor);
    case hipDeviceAttributeMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case hipDeviceAttributeMaxTexture1DWidth: return p.maxTexture1D;
    case hipDeviceAttributeMaxTexture1DLinear: return p.maxTexture1DLinear;
    case hipDeviceAttributeMaxTexture2DWidth: return p.maxTexture2D[0];
    case hipDeviceAttributeMaxTexture2DHeight: return p.maxTexture2D[1];
    case hipDeviceAttributeMaxTexture3DWidth: return p.maxTexture3D[0];
    case hipDeviceAttributeMaxTexture3DHeight: return p.maxTexture3D[1];
    case hipDeviceAttributeMaxTexture3DDepth: return p.maxTexture3D[2];
    case hipDeviceAttributeMemoryBusWidth: return p.memoryBusWidth;
    case hipDeviceAttributeMemoryClockRate: return p.memoryClockRate;
    case hipDeviceAttributeComputeCapabilityMajor: return p.major;
    case hipDeviceAttributeComputeCapabilityMinor: return p.minor;
    case hipDeviceAttributeMemoryPoolsSupported: return p.memoryPoolsSupported;
    case hipDeviceAttributeMultiprocessorCount: return p.multiProcessorCount;
    case hipDeviceAttributePciBusId: return p.pciBusID;
    case hipDeviceAttributeStreamPrioritiesSupported: return p.streamPrioritiesSupported;
    case hipDeviceAttributeTextureAlignment: return static_cast<int>(p.textureAlignment);
    case hipDeviceAttributeTexturePitchAlignment: return static_cast<int>(p.texturePitchAlignment);
    case hipDeviceAttributeTotalConstantMemory: return INT32_MAX;
    case hipDeviceAttributeTotalGlobalMem: return INT32_MAX;
    case hipDeviceAttributeUnifiedAddressing: return p.unifiedAddressing;
    case hipDeviceAttributeWarpSize: return p.warpSize;
    case hipDeviceAttributeClockInstructionRate: return p.clockInstructionRate;
    case hipDeviceAttributeArch: return p.major * 100 + p.minor * 10;
    case hipDeviceAttributeCanUseStreamWaitValue:
    case hipDeviceAttributeFineGrainSupport: return 1;
    default: break;
  }
  // HIP 6 put these after what HIP 5 has.
  if (static_cast<int>(a) == 10017) return timer_khz;             // hipDeviceAttributeWallClockRate
  if (static_cast<int>(a) == 90) return p.hostRegisterSupported;  // hipDeviceAttributeHostRegisterSupported
  return 0;                                                       // what the device has not
}

void the_only(int device) { check(device == 0, hipErrorInvalidDevice); }

struct Limits {
  size_t stack = 1024, fifo = 1 << 20, heap = size_t{4} << 20;
} limits;
unsigned device_flags = 0;

}  // namespace

const SimulatedDevice& State::the_device() {
  if (!device) device = chosen(*this);
  return *device;
}

}  // namespace wavesmith::hip

using namespace wavesmith::hip;
namespace {
hipError_t accepted() {
  return call([](State&) {});
}
}  // namespace
extern "C" {
hipError_t hipGetDeviceCount(int* n) {
  return call([&](State& s) { given(n) = 0, s.the_device(), *n = 1; }, true);
}
hipError_t hipSetDevice(int d) {
  return call([&](State&) { the_only(d); });
}
hipError_t hipSetValidDevices(int*, int) { return accepted(); }
hipError_t hipGetDevice(int* d) {
  return call([&](State&) { given(d) = 0; });
}
hipError_t hipDeviceGet(hipDevice_t* d, int ordinal) {
  return call([&](State&) { given(d), the_only(ordinal), *d = 0; });
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int d) {
  return call([&](State& s) { given(p), the_only(d), fill_common(*p, s.the_device()), p->gcnArch = 0; });
}
hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_t* p, int d) { return hipGetDeviceProperties(p, d); }
hipError_t hipGetDevicePropertiesR0600(Properties6* p, int d) {
  return call([&](State& s) { given(p), the_only(d), *p = properties6(s.the_device()); });
}
hipError_t hipChooseDevice(int* d, const hipDeviceProp_t* p) {
  return call([&](State&) { given(d), given(p), *d = 0; });
}
hipError_t hipChooseDeviceR0000(int* d, const hipDeviceProp_t* p) { return hipChooseDevice(d, p); }
hipError_t hipChooseDeviceR0600(int* d, const Properties6* p) {
  return call([&](State&) { given(d), given(p), *d = 0; });
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t a, int d) {
  return call(
      [&](State& s) { given(value), the_only(d), check(a >= 0, hipErrorInvalidValue), *value = attribute(s, a); });
}
hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t d) {
  return call([&](State& s) {
    given(major), given(minor), the_only(d), std::tie(*major, *minor) = capability(s.the_device());
  });
}
hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t d) {
  return call([&](State& s) {
    given(name), the_only(d), check(bytes > 0, hipErrorInvalidValue);
    std::snprintf(name, static_cast<size_t>(bytes), "%s", properties6(s.the_device()).name);
  });
}
hipError_t hipDeviceGetUuid(hipUUID* u, hipDevice_t d) {
  return call([&](State& s) {
    given(u), the_only(d);
    const auto p = properties6(s.the_device());
    std::memcpy(u->bytes, p.uuid, sizeof u->bytes);
  });
}
hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr, int, int) {
  return call([&](State&) { given(value), check(false, hipErrorInvalidDevice); });
}
hipError_t hipDeviceGetPCIBusId(char* id, int bytes, int d) {
  return call([&](State&) {
    given(id), the_only(d), check(bytes > 0, hipErrorInvalidValue);
    const int length = std::snprintf(id, static_cast<size_t>(bytes), "0000:03:00.0");
    check(length < bytes, hipErrorInvalidValue);  // what fits is there
  });
}
hipError_t hipDeviceGetByPCIBusId(int* d, const char* id) {
  return call([&](State&) {
    given(d), given(id);
    unsigned domain = 0, bus = 0, device = 0;
    check(std::sscanf(id, "%x:%x:%x", &domain, &bus, &device) == 3 && domain == 0 && bus == 3 && device == 0,
          hipErrorInvalidValue);
    *d = 0;
  });
}
hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t d) {
  return call([&](State& s) { given(bytes), the_only(d), *bytes = s.the_device().bytes(); });
}
hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  return call([&](State& s) { given(free), given(total), *total = s.the_device().bytes(), *free = *total - s.used; });
}
hipError_t hipDeviceSynchronize() {
  return call([&](State& s) {
    synchronize(s, nullptr);
    s.clock = s.busy_until();
  });
}
hipError_t hipDeviceReset() {
  return call(
      [&](State& s) {
        s.fault = hipSuccess, last_error() = hipSuccess, device_flags = 0;
        while (!s.regions.empty()) release(s, s.regions.begin()->first);
      },
      true);
}
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t c) {
  return call(
      [&](State&) { check(c >= hipFuncCachePreferNone && c <= hipFuncCachePreferEqual, hipErrorInvalidValue); });
}
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* c) {
  return call([&](State&) { given(c) = hipFuncCachePreferNone; });
}
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* c) {
  return call([&](State&) { given(c) = hipSharedMemBankSizeFourByte; });
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig c) {
  return call([&](State&) {
    check(c >= hipSharedMemBankSizeDefault && c <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
  });
}
hipError_t hipDeviceGetLimit(size_t* value, enum hipLimit_t l) {
  return call([&](State&) {
    given(value);
    check(l >= 0 && l <= 2, hipErrorUnsupportedLimit);
    *value = l == 0 ? limits.stack : l == 1 ? limits.fifo : limits.heap;
  });
}
hipError_t hipDeviceSetLimit(enum hipLimit_t l, size_t value) {
  return call([&](State&) {
    check(l >= 0 && l <= 2, hipErrorInvalidValue);
    (l == 0 ? limits.stack : l == 1 ? limits.fifo : limits.heap) = value;
  });
}
hipError_t hipGetDeviceFlags(unsigned* flags) {
  return call([&](State&) { given(flags) = device_flags; });
}
hipError_t hipSetDeviceFlags(unsigned flags) {
  return call([&](State&) {
    const unsigned schedule = flags & hipDeviceScheduleMask;
    check((flags & ~(hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax)) == 0 &&
              (schedule == 0 || schedule == 1 || schedule == 2 || schedule == 4),
          hipErrorInvalidValue);
    device_flags = schedule;
  });
}
hipError_t hipDeviceCanAccessPeer(int* can, int a, int b) {
  return call([&](State&) { given(can), the_only(a), the_only(b), *can = 0; });
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) {
  return call([&](State&) { check(false, hipErrorInvalidDevice); });
}
hipError_t hipDeviceDisablePeerAccess(int d) {
  return call([&](State&) { the_only(d), check(false, hipErrorPeerAccessNotEnabled); });
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](State&) {
    if (least) *least = 1;
    if (greatest) *greatest = -1;
  });
}

// -- Contexts: the device's only one, as a handle that means nothing --
static hipCtx_t the_context() { return reinterpret_cast<hipCtx_t>(&State::get()); }
hipError_t hipCtxCreate(hipCtx_t* c, unsigned, hipDevice_t d) {
  return call([&](State&) { given(c), the_only(d), *c = the_context(); });
}
hipError_t hipCtxDestroy(hipCtx_t c) {
  return call([&](State&) { check(c, hipErrorInvalidValue); });
}
hipError_t hipCtxPopCurrent(hipCtx_t* c) {
  return call([&](State&) {
    if (c) *c = the_context();
  });
}
hipError_t hipCtxPushCurrent(hipCtx_t c) {
  return call([&](State&) { check(c, hipErrorInvalidContext); });
}
hipError_t hipCtxSetCurrent(hipCtx_t) { return accepted(); }
hipError_t hipCtxGetCurrent(hipCtx_t* c) {
  return call([&](State&) { given(c) = the_context(); });
}
hipError_t hipCtxGetDevice(hipDevice_t* d) {
  return call([&](State&) { given(d) = 0; });
}
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
hipError_t hipCtxGetFlags(unsigned* flags) { return hipGetDeviceFlags(flags); }
hipError_t hipCtxGetApiVersion(hipCtx_t, int* v) {
  return call([&](State&) { given(v) = 4; });
}
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t d, unsigned* flags, int* active) {
  return call([&](State&) { given(flags), given(active), the_only(d), *flags = 0, *active = 1; });
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t d) { return hipSetDevice(d); }
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* c, hipDevice_t d) { return hipCtxCreate(c, 0, d); }
hipError_t hipDevicePrimaryCtxReset(hipDevice_t d) { return hipSetDevice(d); }
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t d, unsigned) {
  return call([&](State&) { the_only(d), check(false, hipErrorContextAlreadyInUse); });
}
}
