// One interface to the devices that run code objects: `sim`, the built-in simulator, and `hip`, a GPU through the HIP
// runtime library, which is loaded on first use. What only the simulator knows is in sim_device.h.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::runtime {

// A problem of the machine: no such device, library not found, out of device memory. One line.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// `spec` is not a known device.
struct DeviceSpecError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The code object or the launch cannot start on this device: another target, sizes, argument bytes. One line.
struct LaunchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// The device stopped the kernel. One line: as Outcome::fault, where launches are enqueued.
struct KernelFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Buffer {
  uint64_t address = 0, bytes = 0;
};  // owned by its Device

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1};    // workgroups
  std::array<uint32_t, 3> block{64, 1, 1};  // work-items
  uint32_t dynamic_lds = 0;                 // bytes, after the static ones
  std::array<uint32_t, 3> cluster{};        // workgroups of a cluster (gfx1250); zeros: from the kernel's metadata
  std::vector<uint8_t> kernargs;            // explicit arguments; hidden ones are filled in from the metadata
};

struct Outcome {
  double seconds = 0;  // of the launch only: the host's wall clock; of a predicting device what it predicts
  std::optional<std::string> fault = {};  // why the kernel was stopped, in one line
};

struct DeviceInfo {
  std::string name;    // "sim", "AMD Instinct MI300X"
  std::string target;  // "gfx942:sramecc+:xnack-"; empty: any
  int units = 0;       // compute units; 0: not known
  double mhz = 0;      // the highest engine clock; 0: not known
};

// Enqueues one launch of a kernel. A device runs what is enqueued in order.
using Enqueue = std::function<void(const Launch&)>;

class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceInfo info() const = 0;
  virtual Buffer allocate(
      uint64_t bytes,
      const std::string& name) = 0;  // zeros; the simulator warns of kernels that read them before they are written
  virtual void release(const Buffer&) = 0;  // no kernel may access it afterwards
  virtual void write(const Buffer&, std::span<const uint8_t>) = 0;
  virtual void read(const Buffer&, std::span<uint8_t>) const = 0;
  // Runs a kernel and waits for its end. Kernel "": the only one of the code object. Errors: DeviceError, LaunchError.
  // Errors of the kernel are faults.
  virtual Outcome launch(std::span<const uint8_t> code_object, std::string_view kernel, const Launch&) = 0;
  // The same, for any number of launches without waiting. Valid as long as the device.
  virtual Enqueue prepare(std::span<const uint8_t> code_object, std::string_view kernel) = 0;
  // Seconds by the device's clock that it takes for what `work` enqueues, and that has ended. Error: KernelFault.
  virtual double seconds(const std::function<void()>& work) = 0;

  // "sim", "hip" or "hip:N". Errors: DeviceSpecError, DeviceError.
  static std::unique_ptr<Device> open(std::string_view spec);
};

}  // namespace wavesmith::runtime
