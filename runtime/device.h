// One interface to the devices that run code objects: `sim`, the built-in simulator, and `hip`, a GPU through the HIP
// runtime library, which is loaded on first use.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/simulator.h"

namespace wavesmith::runtime {

// A problem of the machine: no such device, library not found, out of device memory. One line.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// `spec` is not a known device.
struct DeviceSpecError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Buffer {
  uint64_t address = 0, bytes = 0;
};  // owned by its Device

struct Outcome {
  double seconds = 0;               // of the launch only, host wall clock
  std::optional<sim::Fault> fault;  // sim only
  sim::Result counts;               // sim only
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Buffer allocate(
      uint64_t bytes,
      const std::string& name) = 0;  // zeros; the simulator warns of kernels that read them before they are written
  virtual void release(const Buffer&) = 0;  // no kernel may access it afterwards
  virtual void write(const Buffer&, std::span<const uint8_t>) = 0;
  virtual void read(const Buffer&, std::span<uint8_t>) const = 0;
  // Kernel "": the only one of the code object. Errors: DeviceError; sim::LoadError for a code object or launch that
  // cannot start. Errors of the kernel are faults.
  virtual Outcome launch(std::span<const uint8_t> code_object, std::string_view kernel, const sim::Launch&) = 0;

  // "sim", "hip" or "hip:N". Errors: DeviceSpecError, DeviceError.
  static std::unique_ptr<Device> open(std::string_view spec, const sim::Options& = {});
};

std::unique_ptr<Device> open_sim(const sim::Options&);
std::unique_ptr<Device> open_hip(int ordinal);

}  // namespace wavesmith::runtime
