// Launches: a kernel runs on the simulator at the call. Its time is that of the timing model, which is asked only on
// streams whose time an event looks at.
#include <fmt/format.h>

#include <unordered_map>

#include "runtime/hip_interface/work.h"
#include "simulator/launch.h"
#include "simulator/occupancy.h"
#include "simulator/timing/timing.h"

namespace wavesmith::hip {
namespace {

constexpr double launch_seconds = 5e-6;  // inferred: of a kernel that the timing model has no parameters for

// The outcome for the program. A trap is what assert ends with.
hipError_t code_of(const sim::Fault& f) {
  switch (f.kind) {
    case sim::Fault::Kind::out_of_bounds:
    case sim::Fault::Kind::misaligned: return hipErrorIllegalAddress;
    default: return f.text.starts_with("s_trap") ? hipErrorAssert : hipErrorLaunchFailure;
  }
}

// Seconds of a launch, run on a copy of the memory. Launches that differ in nothing but the values in memory are taken
// to be alike.
double predicted(State& s, const Launch& l) {
  static std::unordered_map<std::string, double> known;
  std::string key = fmt::format("{} {} {} {} ", static_cast<const void*>(l.function), fmt::join(l.launch.grid, ","),
                                fmt::join(l.launch.block, ","), l.launch.dynamic_lds);
  key.append(l.launch.kernargs.begin(), l.launch.kernargs.end());
  if (const auto k = known.find(key); k != known.end()) return k->second;
  double seconds = launch_seconds;
  try {
    sim::Memory copy = s.memory.copy();
    timing::Options o;
    o.gpu = s.the_device().gpu;
    o.alike = true;
    o.detail = 500'000, o.beside = 500'000, o.longest = 1'000'000;
    sim::Launch alone = l.launch;
    alone.hidden.clear(), alone.cooperative = false;
    const auto t = timing::time(l.function->module->object, *l.function->kernel, copy, alone, o);
    if (!t.fault) seconds = t.seconds;
  } catch (const std::exception&) {}  // no parameters for this target
  return known[key] = seconds;
}

bool prints(const ihipModuleSymbol_t& f) {
  return std::ranges::any_of(f.kernel->args, [](const auto& a) { return a.value_kind == "hidden_hostcall_buffer"; });
}

struct CallConfiguration {
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
};
thread_local std::vector<CallConfiguration> configurations;

std::array<uint32_t, 3> triple(dim3 d) { return {d.x, d.y, d.z}; }

struct Request {
  hipFunction_t function;
  const void* host_function = nullptr;
  dim3 grid, block;
  size_t lds;
  void **params, **extra = nullptr;
  bool cooperative = false;
};

unsigned resident_groups(State& s, const ihipModuleSymbol_t& f, uint64_t items, uint32_t lds) {
  const SimulatedDevice& d = s.the_device();
  return static_cast<unsigned>(occupancy(d, f, items, lds)) * static_cast<unsigned>(d.gpu->units);
}

Launch launch_of(State& s, const Request& r) {
  const sim::KernelInfo& k = *r.function->kernel;
  check(r.grid.x && r.grid.y && r.grid.z && r.block.x && r.block.y && r.block.z,
        r.cooperative ? hipErrorInvalidConfiguration : hipErrorInvalidValue);
  const uint64_t items = uint64_t{r.block.x} * r.block.y * r.block.z;
  const isa::Target& t = isa::target(s.the_device().arch);
  check(r.block.x <= 1024 && r.block.y <= 1024 && r.block.z <= 1024 && items <= 1024, hipErrorInvalidConfiguration);
  check(k.lds_bytes + r.lds <= static_cast<size_t>(t.lds_bytes),
        r.cooperative ? hipErrorCooperativeLaunchTooLarge : hipErrorInvalidConfiguration);
  Launch l{r.function, r.host_function, {}};
  l.launch.grid = triple(r.grid), l.launch.block = triple(r.block);
  l.launch.dynamic_lds = static_cast<uint32_t>(r.lds);
  l.launch.cooperative = r.cooperative;
  l.launch.kernargs = pack(k, r.params, r.extra);
  if (r.cooperative)
    check(uint64_t{r.grid.x} * r.grid.y * r.grid.z <= resident_groups(s, *r.function, items, l.launch.dynamic_lds),
          hipErrorCooperativeLaunchTooLarge);
  try {
    sim::check_launch(r.function->module->object, k, l.launch);
  } catch (const sim::LoadError& e) {
    complain(e.what());
    throw Error{items > static_cast<uint64_t>(k.max_workgroup_size) ? hipErrorLaunchFailure
                                                                    : hipErrorInvalidConfiguration};
  }
  return l;
}

// What the compiler's library finds by hidden_multigrid_sync_arg, for cooperative_groups::grid_group.
struct GridBarrier {
  uint64_t of_all_grids = 0;
  uint32_t grid = 0, grids = 1;
  uint64_t items_before = 0, items = 0;
  uint32_t counted[2] = {};
  uint32_t workgroups = 0;
};
uint64_t grid_barrier(State& s, const sim::Launch& l) {
  GridBarrier b;
  b.workgroups = l.grid[0] * l.grid[1] * l.grid[2];
  b.items = uint64_t{b.workgroups} * l.block[0] * l.block[1] * l.block[2];
  const uint64_t at = s.memory.allocate(sizeof b, "grid barrier");
  s.memory.write(at, {reinterpret_cast<const uint8_t*>(&b), sizeof b});
  return at;
}

}  // namespace

int occupancy(const SimulatedDevice& d, const ihipModuleSymbol_t& f, uint64_t items, uint32_t lds) {
  try {
    return isa::occupancy(d.arch, sim::resources(d.arch, *f.kernel, items, lds)).groups;
  } catch (const isa::IsaError&) { return 0; }
}

Launch launch_of_node(State& s, const hipKernelNodeParams& p) {
  check(p.func, hipErrorInvalidDeviceFunction);
  check(!p.kernelParams || !p.extra, hipErrorInvalidValue);
  return launch_of(s, {kernel_of(s, p.func), p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra});
}

void run_launch(State& s, ihipStream_t& stream, const Launch& given_launch) {
  ihipModuleSymbol_t& f = *given_launch.function;
  const sim::CodeObject& object = f.module->object;
  if (!f.program) f.program = sim::decode(object, *f.kernel);
  Launch l = given_launch;
  l.launch.image = f.module->image;
  const double seconds = stream.timed && !prints(f) && !l.launch.cooperative ? predicted(s, l) : launch_seconds;
  prepare_printing(s, &f, l.launch);
  uint64_t barrier = 0;
  if (l.launch.cooperative) l.launch.hidden["hidden_multigrid_sync_arg"] = barrier = grid_barrier(s, l.launch);
  const sim::Result r = sim::run(object, *f.kernel, *f.program, s.memory, l.launch, s.options);
  if (barrier) s.memory.release(barrier);
  serve_hostcalls(s);
  print_buffer(s, f.module);
  stream.clock = std::max(stream.clock, s.clock) + seconds;
  if (r.warning && !std::exchange(f.warned, true)) complain("warning: " + r.warning->message());
  for (const sim::Fault& fault : r.faults) complain(fault.message());
  if (r.fault) s.fault = code_of(*r.fault);
}

}  // namespace wavesmith::hip

using namespace wavesmith;
using namespace wavesmith::hip;
namespace {
hipError_t launch(const void* host, dim3 grid, dim3 block, void** params, size_t lds, hipStream_t stream,
                  bool cooperative = false) {
  return call([&](State& s) {
    check(host, hipErrorInvalidDeviceFunction);
    submit(s, stream, launch_of(s, {kernel_of(s, host), host, grid, block, lds, params, nullptr, cooperative}));
  });
}
hipError_t launch_function(hipFunction_t f, dim3 grid, dim3 block, size_t lds, hipStream_t stream, void** params,
                           void** extra, bool cooperative = false) {
  return call([&](State& s) {
    check(f, hipErrorInvalidHandle);
    check(!params || !extra, hipErrorInvalidValue);
    submit(s, stream, launch_of(s, {f, nullptr, grid, block, lds, params, extra, cooperative}));
  });
}
struct Launched {
  hipEvent_t start, stop;
  hipStream_t stream;
  void begin() const {
    if (start) static_cast<void>(hipEventRecord(start, stream));
  }
  hipError_t end(hipError_t e) const { return e == hipSuccess && stop ? hipEventRecord(stop, stream) : e; }
};
hipError_t launch_items(hipFunction_t f, dim3 items, dim3 block, size_t lds, Launched around, void** params,
                        void** extra) {
  if (!block.x || !block.y || !block.z || items.x % block.x || items.y % block.y || items.z % block.z)
    return call([](State&) { check(false, hipErrorInvalidConfiguration); });
  around.begin();
  return around.end(launch_function(f, dim3(items.x / block.x, items.y / block.y, items.z / block.z), block, lds,
                                    around.stream, params, extra));
}
}  // namespace
extern "C" {
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  configurations.push_back({grid, block, lds, stream});
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* lds, hipStream_t* stream) {
  return call(
      [&](State&) {
        check(!configurations.empty(), hipErrorMissingConfiguration);
        const auto& c = configurations.back();
        *grid = c.grid, *block = c.block, *lds = c.lds, *stream = c.stream;
        configurations.pop_back();
      },
      true);
}
hipError_t hipLaunchKernel(const void* host, dim3 grid, dim3 block, void** params, size_t lds, hipStream_t stream) {
  return launch(host, grid, block, params, lds, stream);
}
hipError_t hipExtLaunchKernel(const void* host, dim3 grid, dim3 block, void** params, size_t lds, hipStream_t stream,
                              hipEvent_t start, hipEvent_t stop, int) {
  const Launched around{start, stop, stream};
  around.begin();
  return around.end(launch(host, grid, block, params, lds, stream));
}
struct LaunchConfig {  // hipLaunchConfig_t of HIP 6.4
  dim3 grid, block;
  size_t lds;
  hipStream_t stream;
  void* attributes;
  unsigned count;
};
hipError_t hipLaunchKernelExC(const LaunchConfig* c, const void* host, void** params) {
  if (!c) return hipErrorInvalidValue;
  return launch(host, c->grid, c->block, params, c->lds, c->stream);
}
hipError_t hipLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** params, unsigned lds,
                                      hipStream_t stream) {
  return launch(host, grid, block, params, lds, stream, true);
}
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* list, int count, unsigned flags) {
  constexpr unsigned all_flags = hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
  if (!list || count != 1 || flags > all_flags) return call([](State&) { check(false, hipErrorInvalidValue); });
  return launch(list->func, list->gridDim, list->blockDim, list->args, list->sharedMem, list->stream, true);
}
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* list, int count, unsigned flags) {
  return hipLaunchCooperativeKernelMultiDevice(list, count, flags);
}
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                 unsigned bz, unsigned lds, hipStream_t stream, void** params, void** extra) {
  return launch_function(f, dim3(gx, gy, gz), dim3(bx, by, bz), lds, stream, params, extra);
}
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                            unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void** params) {
  return launch_function(f, dim3(gx, gy, gz), dim3(bx, by, bz), lds, stream, params, nullptr, true);
}
hipError_t extended_launch(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t,
                           hipStream_t, void**, void**, hipEvent_t, hipEvent_t,
                           uint32_t) __asm__("hipExtModuleLaunchKernel");
hipError_t extended_launch(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz,
                           size_t lds, hipStream_t stream, void** params, void** extra, hipEvent_t start,
                           hipEvent_t stop, uint32_t) {
  return launch_items(f, dim3(x, y, z), dim3(bx, by, bz), lds, {start, stop, stream}, params, extra);
}

// The oldest way to launch.
static thread_local std::vector<uint8_t> arguments;
hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t lds, hipStream_t stream) {
  arguments.clear();
  return __hipPushCallConfiguration(grid, block, lds, stream);
}
hipError_t hipSetupArgument(const void* value, size_t bytes, size_t offset) {
  arguments.resize(std::max(arguments.size(), offset + bytes));
  const auto* p = static_cast<const uint8_t*>(value);
  std::copy(p, p + bytes, arguments.begin() + static_cast<ptrdiff_t>(offset));
  return hipSuccess;
}
hipError_t hipLaunchByPtr(const void* host) {
  return call([&](State& s) {
    check(!configurations.empty(), hipErrorMissingConfiguration);
    const auto c = configurations.back();
    configurations.pop_back();
    size_t bytes = arguments.size();
    void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     HIP_LAUNCH_PARAM_END};
    submit(s, c.stream, launch_of(s, {kernel_of(s, host), host, c.grid, c.block, c.lds, nullptr, extra}));
  });
}

// -- Attributes and occupancy --
static void attributes(State& s, hipFunction_t f, hipFuncAttributes& a) {
  const sim::KernelInfo& k = *f->kernel;
  const auto limit = static_cast<uint32_t>(isa::target(s.the_device().arch).lds_bytes);
  a = {};
  a.binaryVersion = a.ptxVersion = 10;
  a.localSizeBytes = k.private_bytes;
  a.sharedSizeBytes = k.lds_bytes;
  a.maxDynamicSharedSizeBytes = f->dynamic_lds_limit.value_or(static_cast<int>(limit - k.lds_bytes));
  a.preferredShmemCarveout = f->carveout;
  a.maxThreadsPerBlock = k.max_workgroup_size;
  a.numRegs = k.vgprs;
}
hipError_t hipFuncGetAttributes(hipFuncAttributes* a, const void* host) {
  return call([&](State& s) {
    given(a), check(host, hipErrorInvalidDeviceFunction);
    attributes(s, kernel_of(s, host), *a);
  });
}
hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute which, hipFunction_t f) {
  return call([&](State& s) {
    given(value), check(f, hipErrorInvalidDeviceFunction);
    hipFuncAttributes a;
    attributes(s, f, a);
    switch (which) {
      case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(a.sharedSizeBytes); break;
      case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = a.maxThreadsPerBlock; break;
      case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break;
      case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(a.localSizeBytes); break;
      case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = a.numRegs; break;
      case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
      case HIP_FUNC_ATTRIBUTE_BINARY_VERSION: *value = a.ptxVersion; break;
      case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = a.maxDynamicSharedSizeBytes; break;
      case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = 0; break;
      default: throw Error{hipErrorInvalidValue};
    }
  });
}
hipError_t hipFuncSetAttribute(const void* host, hipFuncAttribute which, int value) {
  return call([&](State& s) {
    check(host, hipErrorInvalidDeviceFunction);
    const hipFunction_t f = kernel_of(s, host);
    check(which == hipFuncAttributeMaxDynamicSharedMemorySize || which == hipFuncAttributePreferredSharedMemoryCarveout,
          hipErrorInvalidValue);
    const bool bytes = which == hipFuncAttributeMaxDynamicSharedMemorySize;
    const int most = bytes ? isa::target(s.the_device().arch).lds_bytes - static_cast<int>(f->kernel->lds_bytes) : 100;
    check(value >= (bytes ? 0 : -1) && value <= most, hipErrorInvalidValue);
    if (bytes) f->dynamic_lds_limit = value;
    else f->carveout = value;
  });
}
static hipError_t configure(const void* host, int choice, int most) {
  return call([&](State& s) {
    check(host, hipErrorInvalidDeviceFunction);
    check(choice >= 0 && choice <= most, hipErrorInvalidValue);
    kernel_of(s, host);
  });
}
hipError_t hipFuncSetCacheConfig(const void* host, hipFuncCache_t c) {
  return configure(host, c, hipFuncCachePreferEqual);
}
hipError_t hipFuncSetSharedMemConfig(const void* host, hipSharedMemConfig c) {
  return configure(host, c, hipSharedMemBankSizeEightByte);
}

static void active_blocks(State& s, int* blocks, hipFunction_t f, int block, size_t lds) {
  given(blocks), check(block > 0, hipErrorInvalidValue);
  check(lds <= UINT32_MAX, hipErrorInvalidValue);
  const auto most = static_cast<int>(f->kernel->max_workgroup_size);
  *blocks = block > most ? 0 : occupancy(s.the_device(), *f, static_cast<uint64_t>(block), static_cast<uint32_t>(lds));
}
// The block with the most waves on a CU; of those with as many, the largest.
static void best_block(State& s, int* grid, int* block, hipFunction_t f, size_t lds, int limit) {
  given(grid), given(block), check(limit >= 0, hipErrorInvalidValue);
  const SimulatedDevice& d = s.the_device();
  const int wave = f->kernel->wave_size,
            most = limit ? std::min(limit, f->kernel->max_workgroup_size) : f->kernel->max_workgroup_size;
  int best = 0;
  for (int items = std::min(wave, most); items <= most; items += wave) {
    const int waves =
        occupancy(d, *f, static_cast<uint64_t>(items), static_cast<uint32_t>(lds)) * ((items + wave - 1) / wave);
    if (waves >= best && waves)
      best = waves, *block = items, *grid = waves / ((items + wave - 1) / wave) * d.gpu->units;
  }
  check(best, hipErrorInvalidConfiguration);
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t f, int block, size_t lds) {
  return call([&](State& s) { check(f, hipErrorInvalidHandle), active_blocks(s, blocks, f, block, lds); });
}
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, hipFunction_t f, int block,
                                                                       size_t lds, unsigned flags) {
  if (flags > 1) return call([](State&) { check(false, hipErrorInvalidValue); });
  return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, block, lds);
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int block, size_t lds) {
  return call([&](State& s) {
    check(host, hipErrorInvalidDeviceFunction);
    active_blocks(s, blocks, kernel_of(s, host), block, lds);
  });
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int block, size_t lds,
                                                                 unsigned flags) {
  if (flags > 1) return call([](State&) { check(false, hipErrorInvalidValue); });
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block, lds);
}
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, hipFunction_t f, size_t lds, int limit) {
  return call([&](State& s) { check(f, hipErrorInvalidHandle), best_block(s, grid, block, f, lds, limit); });
}
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, hipFunction_t f, size_t lds,
                                                            int limit, unsigned flags) {
  if (flags > 1) return call([](State&) { check(false, hipErrorInvalidValue); });
  return hipModuleOccupancyMaxPotentialBlockSize(grid, block, f, lds, limit);
}
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* host, size_t lds, int limit) {
  return call([&](State& s) {
    check(host, hipErrorInvalidDeviceFunction);
    best_block(s, grid, block, kernel_of(s, host), lds, limit);
  });
}
}

// Declared as C++ in HIP 5's header.
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                                    uint32_t bz, size_t lds, hipStream_t stream, void** params, void** extra,
                                    hipEvent_t start, hipEvent_t stop, uint32_t flags) {
  return extended_launch(f, x, y, z, bx, by, bz, lds, stream, params, extra, start, stop, flags);
}
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by,
                                    uint32_t bz, size_t lds, hipStream_t stream, void** params, void** extra,
                                    hipEvent_t start, hipEvent_t stop) {
  return extended_launch(f, x, y, z, bx, by, bz, lds, stream, params, extra, start, stop, 0);
}
