// The state behind the interface: one simulated device, its memory, the program's code objects, streams and events.
// Everything runs at the call, in the caller's thread and under one lock: a stream is a position in simulated time and
// a graph that is being captured, not a queue.
#pragma once
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "isa_tables/timing/peaks.h"
#include "runtime/hip_interface/hip.h"
#include "simulator/decoded_kernel.h"
#include "simulator/simulator.h"

struct hipUserObject;  // graphs.h

namespace wavesmith::hip {

struct Error {  // of a call: what it returns
  hipError_t code;
};
inline uint64_t number(const void* p) { return reinterpret_cast<uint64_t>(p); }
inline void check(bool good, hipError_t otherwise) {
  if (!good) throw Error{otherwise};
}

struct SimulatedDevice {
  isa::Arch arch;
  const isa::Gpu* gpu;
  std::string name;  // as gcnArchName: with its features
  uint64_t bytes() const { return static_cast<uint64_t>(gpu->memory_gb) << 30; }
};

// Memory that the program asked for.
// What a program has said of managed memory; only hipMemRangeGetAttribute shows it.
struct Advice {
  static constexpr int nowhere = -2;  // hipInvalidDeviceId
  bool read_mostly = false, coarse = false, accessed_by_host = false, accessed_by_device = false;
  int preferred = nowhere, prefetched = nowhere;  // hipCpuDeviceId or a device
};
struct Region {
  enum class Kind : uint8_t { device, host, managed, registered };
  Kind kind{};
  uint64_t bytes = 0;
  unsigned flags = 0;
  hipMemPool_t pool = nullptr;
  bool of_graph = false;              // of a node: it stays when a node frees it, for the graph's next launch
  bool sync_memops = false;           // copies are complete when they return, here as everywhere
  std::map<uint64_t, Advice> advice;  // from this byte to the next one's; of bytes before the first: none
  bool of_host() const { return kind != Kind::device; }
};

// Code objects of a program, chosen when the device is known.
struct FatBinary {
  const void* image = nullptr;
  struct Variable {
    void* host;
    std::string name;
    size_t bytes;
    void** managed = nullptr;  // the host's pointer to it
  };
  std::map<const void*, std::string> kernels;  // by host function
  std::vector<Variable> variables;
  hipModule_t module = nullptr;  // once loaded
};

struct Captured;  // graphs.h

}  // namespace wavesmith::hip

struct ihipModuleSymbol_t {  // a kernel of a module
  ihipModule_t* module;
  const wavesmith::sim::KernelInfo* kernel;
  std::optional<wavesmith::sim::DecodedKernel> program;  // once launched
  std::optional<int> dynamic_lds_limit{};                // as hipFuncSetAttribute leaves it; none: what the target has
  int carveout = 0;                                      // likewise
  bool warned = false;
};

struct ihipModule_t {
  wavesmith::sim::CodeObject object;
  uint64_t image = 0;
  std::map<std::string, ihipModuleSymbol_t, std::less<>> functions;
  std::map<uint64_t, std::string> formats;  // of printf, by hash
};

struct ihipStream_t {
  unsigned flags = hipStreamDefault;
  int priority = 0;
  double clock = 0;    // seconds of simulated time when its work is done
  bool timed = false;  // an event has been recorded: the time of launches matters
  std::shared_ptr<wavesmith::hip::Captured> capture;
  std::vector<hipGraphNode_t> last;  // captured nodes that the next one depends on
};

struct ihipEvent_t {
  unsigned flags = hipEventDefault;
  bool recorded = false;
  double clock = 0;
  std::shared_ptr<wavesmith::hip::Captured> capture;  // the last record was captured
  std::vector<hipGraphNode_t> nodes;
};

struct ihipMemPoolHandle_t {
  uint64_t threshold = 0, used = 0, most_used = 0;
  int reuse[3] = {1, 1, 1};
};

namespace wavesmith::hip {

struct State {
  std::recursive_mutex lock;
  // Above what a truncated pointer reaches, below where the host places anything.
  sim::Memory memory{uint64_t{1} << 45};
  std::map<uint64_t, Region> regions;
  uint64_t used = 0, allocations = 0;
  std::list<FatBinary> binaries;
  std::list<ihipModule_t> modules;
  std::set<hipStream_t> streams;
  std::set<hipEvent_t> events;
  ihipStream_t null_stream, thread_stream;
  ihipMemPoolHandle_t default_pool;
  hipMemPool_t pool = &default_pool;
  std::set<hipMemPool_t> pools;
  std::set<hipGraph_t> graphs;
  std::set<hipGraphExec_t> executables;
  std::set<hipUserObject*> objects;
  double clock = 0;                   // of the host
  hipError_t fault = hipSuccess;      // of a kernel: every later call returns it
  uint64_t hostcall = 0, printf = 0;  // buffers, once needed
  std::optional<SimulatedDevice> device;
  sim::Options options;

  static State& get();
  const SimulatedDevice& the_device();  // hipErrorNoDevice
  // The stream, which must exist; 0, 1 and 2 are the default ones.
  ihipStream_t& stream(hipStream_t);
  ihipEvent_t& event(hipEvent_t);
  double busy_until() const;  // of all streams
};

// The region that holds an address, or nullptr.
const std::pair<const uint64_t, Region>* find_region(const State&, uint64_t address);
uint64_t allocate(State&, size_t bytes, Region::Kind, unsigned flags, size_t align = 256);
void release(State&, uint64_t address);
// Where the host reads and writes `bytes` at an address of device or host. hipErrorInvalidValue: they leave a buffer.
uint8_t* host_bytes(State&, uint64_t address, size_t bytes);
void mark_written(State&, uint64_t address, size_t bytes);

// -- Calls --

hipError_t& last_error();         // of the calling thread
void complain(std::string_view);  // a line on standard error
hipError_t report(std::exception_ptr);

// A call: under the lock, with exceptions turned into error codes, and none after a kernel's fault.
template <class F>
hipError_t call(F&& f, bool after_fault = false) {
  State& s = State::get();
  const std::lock_guard hold(s.lock);
  hipError_t result = s.fault;
  if (result == hipSuccess || after_fault) {
    try {
      if constexpr (std::is_void_v<decltype(f(s))>) {
        f(s);
        result = hipSuccess;
      } else result = f(s);
    } catch (...) { result = report(std::current_exception()); }
  }
  if (result != hipSuccess) last_error() = result;
  return result;
}
template <class T>
T& given(T* p) {
  check(p, hipErrorInvalidValue);
  return *p;
}

}  // namespace wavesmith::hip
