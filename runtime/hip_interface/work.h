// What a stream does, as values: a call makes one, which then runs, or becomes a node of the graph that the stream
// captures.
#pragma once
#include <variant>

#include "runtime/hip_interface/state.h"

namespace wavesmith::hip {

struct Launch {
  hipFunction_t function;
  const void* host_function = nullptr;  // if launched by it
  sim::Launch launch;
};
struct PitchedAddress {
  uint64_t address;
  size_t pitch, slice;  // bytes from row to row, from slice to slice
};
struct Copy {
  PitchedAddress to, from;
  size_t width, height = 1, depth = 1;  // bytes, rows, slices
  hipMemcpyKind kind = hipMemcpyDefault;
  std::optional<hipMemcpy3DParms> given{};  // as the program described it
};
struct Fill {
  PitchedAddress at;
  uint32_t value;
  unsigned element;                     // bytes
  size_t width, height = 1, depth = 1;  // bytes, rows, slices
};
struct HostCall {
  hipHostFn_t function;
  void* data;
};
struct Write {  // hipStreamWriteValue
  uint64_t address, value;
  unsigned bytes;
};
struct RecordEvent {
  hipEvent_t event;
};
struct WaitEvent {
  hipEvent_t event;
};
struct Allocate {
  uint64_t address;
  size_t bytes;
};
struct Free {
  uint64_t address;
};
struct Empty {};
struct ChildGraph {
  hipGraph_t graph;
};
using Work =
    std::variant<Launch, Copy, Fill, HostCall, Write, RecordEvent, WaitEvent, Allocate, Free, Empty, ChildGraph>;

void run(State&, ihipStream_t&, const Work&);
// Runs it, or captures it.
void submit(State&, hipStream_t, Work);
// A call that waits for the device: illegal while the stream captures.
void synchronize(State&, hipStream_t);

void run_launch(State&, ihipStream_t&, const Launch&);                                           // launch.cpp
int occupancy(const SimulatedDevice&, const ihipModuleSymbol_t&, uint64_t items, uint32_t lds);  // workgroups on a CU
void run_copy(State&, ihipStream_t&, const Copy&);                                               // copies.cpp
void run_fill(State&, ihipStream_t&, const Fill&);
void capture(State&, ihipStream_t&, Work);  // graphs.cpp
void invalidate_capture(ihipStream_t&);
void join_capture(ihipStream_t&, const ihipEvent_t&);  // from now on it captures too, after the event
void check_no_capture(const State&);  // hipErrorStreamCaptureImplicit: a stream captures that waits for the default one
void run_graph(State&, ihipStream_t&, hipGraph_t);

// -- Copies as HIP's calls describe them (copies.cpp); hipErrorInvalidValue and others --

Copy linear_copy(State&, const void* to, const void* from, size_t bytes, hipMemcpyKind);
Copy cuboid(State&, const hipMemcpy3DParms*);
Copy to_symbol(State&, const void* variable, const void* from, size_t bytes, size_t offset, hipMemcpyKind);
Copy from_symbol(State&, void* to, const void* variable, size_t bytes, size_t offset, hipMemcpyKind);
Fill fill_of(State&, const hipMemsetParams&);

// -- Modules (modules.cpp) --

constexpr size_t unknown_size = ~size_t{0};  // of an image in memory, which says itself how long it is
hipModule_t load_module(State&, const void* image, size_t bytes, FatBinary* = nullptr);
void unload_module(State&, hipModule_t);
// By the host's function: hipErrorInvalidDeviceFunction.
hipFunction_t kernel_of(State&, const void* host_function);
struct Global {
  uint64_t address;
  size_t bytes;
};
Global global_of(const ihipModule_t*, std::string_view name);  // hipErrorNotFound
Global symbol(State&, const void* host_variable);              // hipErrorInvalidSymbol
// The code object of an image for a device: the image itself, or one of an offload bundle, compressed or not.
// hipErrorInvalidImage, hipErrorNoBinaryForGpu.
std::vector<uint8_t> choose_code(const SimulatedDevice&, const void* image, size_t bytes);
std::optional<isa::Arch> first_target(const void* image);  // in a bundle, that the simulator knows

// Kernel arguments from pointers to each, or from HIP_LAUNCH_PARAM_* pairs.
std::vector<uint8_t> pack(const sim::KernelInfo&, void** params, void** extra);

// -- What kernels print (printf.cpp) --

void prepare_printing(State&, hipFunction_t, sim::Launch&);
void serve_hostcalls(State&);            // from a kernel, while it runs
void print_buffer(State&, hipModule_t);  // after it has run

}  // namespace wavesmith::hip
