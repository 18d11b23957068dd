// The launch options: buffers, arguments, sizes, checks. Shared by the commands that run a code object.
#pragma once
#include <CLI/CLI.hpp>

#include "runtime/npy.h"
#include "runtime/sim_device.h"
#include "tools/options/needs.h"

namespace wavesmith::tools {

struct DeviceOptions {
  std::string device = "sim", sanitize = "all", numerics = "exact", order = "round-robin";
  int jobs = 0, quantum = sim::Options{}.quantum;
  uint64_t max_instructions = sim::default_max_instructions;
  unsigned fault_limit = 1;
  void declare(CLI::App&);
  bool only_times() const { return device == "time"; }  // nobody reads the results of a launch
  // Observers require the simulator, which then runs one workgroup after the other. InputError, DeviceError
  std::unique_ptr<runtime::Device> open(sim::Observers* = nullptr) const;
};

struct LaunchOptions {
  std::string kernel, grid, block, cluster;
  uint64_t lds = 0;
  std::vector<std::string> buffers, args, ats;
  Force force;
  void declare(CLI::App&);
};

struct NamedBuffer {
  std::string name, save_to;  // save_to: "" or an .npy file written after a good run
  bool output = false;        // output only: its initial contents are undefined
  runtime::Array array;       // initial contents, and the type and shape of the saved array
  runtime::Buffer device;
};

// Buffers on the device and the kernarg segment, from the options. Errors: InputError, FileError.
struct Prepared {
  std::vector<NamedBuffer> buffers;
  std::string kernel;
  runtime::Launch launch;
};
// The type by which an array of f32, bf16, u8, ... is stored; InputError naming `spec`.
runtime::Dtype element_type(const std::string& text, const std::string& spec);
Prepared prepare(const LaunchOptions&, const sim::KernelInfo&, runtime::Device&);
void save_outputs(const Prepared&, const runtime::Device&);

}  // namespace wavesmith::tools
