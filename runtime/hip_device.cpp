#include "runtime/hip_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "runtime/hip_abi.h"
#include "runtime/sim_device.h"

namespace wavesmith::runtime {
namespace {

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

class HipDevice final : public Device {
 public:
  explicit HipDevice(int ordinal) {
    if (const char* missing = hip_load(&hip_))
      throw DeviceError(*missing ? fmt::format("device hip: {} has no {}", hip_.name, missing)
                                 : fmt::format("device hip: the HIP runtime is not installed (looked for {})",
                                               fmt::join(hip_libraries, ", ")));
    int count = 0;
    check(hip_.hipGetDeviceCount(&count), "looking for a GPU");
    if (ordinal >= count)
      throw DeviceError(
          fmt::format("device hip:{}: no such device, there are {} (hip:0 to hip:{})", ordinal, count, count - 1));
    check(hip_.hipSetDevice(ordinal), "hipSetDevice");
    std::vector<char> properties(hip_properties_bytes);
    check(hip_.properties(properties.data(), ordinal), hip_.layout->function);
    const auto number = [&](size_t at) {
      int x = 0;
      std::memcpy(&x, &properties[at], sizeof x);
      return x;
    };
    const auto text = [&](size_t at) { return std::string(&properties[at], ::strnlen(&properties[at], 256)); };
    info_ = {.name = text(0),
             .target = text(hip_.layout->target),
             .units = number(hip_.layout->units),
             .mhz = number(hip_.layout->khz) / 1000.0};
  }
  ~HipDevice() override {
    for (void* p : buffers_) hip_.hipFree(p);
  }

  DeviceInfo info() const override { return info_; }
  Buffer allocate(uint64_t bytes, const std::string& name) override {
    void* p = nullptr;
    check(hip_.hipMalloc(&p, bytes ? bytes : 1), fmt::format("allocating {} bytes for '{}'", bytes, name));
    buffers_.push_back(p);
    check(hip_.hipMemset(p, 0, bytes), "hipMemset");
    return {reinterpret_cast<uint64_t>(p), bytes};
  }
  void release(const Buffer& b) override {
    std::erase(buffers_, pointer(b.address));
    check(hip_.hipFree(pointer(b.address)), "hipFree");
  }
  void write(const Buffer& b, std::span<const uint8_t> bytes) override {
    check(hip_.hipMemcpy(pointer(b.address), bytes.data(), bytes.size(), hip_to_device), "hipMemcpy to the device");
  }
  void read(const Buffer& b, std::span<uint8_t> bytes) const override {
    check(hip_.hipMemcpy(bytes.data(), pointer(b.address), bytes.size(), hip_to_host), "hipMemcpy from the device");
  }

  Outcome launch(std::span<const uint8_t> code_object, std::string_view name, const Launch& l) override {
    const Enqueue enqueue = prepare(code_object, name);
    const auto start = std::chrono::steady_clock::now();
    enqueue(l);
    Outcome out;
    out.fault = ended();
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
  }

  Enqueue prepare(std::span<const uint8_t> code_object, std::string_view name) override {
    const sim::CodeObject object = load_object(code_object);
    refuse_other_target(isa::target(object.arch()).name);
    const std::string kernel = [&] {
      try {
        return object.kernel(name).name;
      } catch (const sim::LoadError& e) { throw LaunchError(e.what()); }
    }();
    void *module = nullptr, *function = nullptr;
    check(hip_.hipModuleLoadData(&module, code_object.data()), "hipModuleLoadData");
    const std::shared_ptr<void> owner(  // std::function copies what it holds
        module, [unload = hip_.hipModuleUnload](void* m) { unload(m); });
    check(hip_.hipModuleGetFunction(&function, module, kernel.c_str()),
          fmt::format("hipModuleGetFunction '{}'", kernel));
    return [this, owner, function, kernel](const Launch& l) { start(function, kernel, l); };
  }

  double seconds(const std::function<void()>& work) override {
    void* events[2] = {};
    const auto destroy = [this](void** all) {
      for (void* e : {all[0], all[1]})
        if (e) hip_.hipEventDestroy(e);
    };
    const std::unique_ptr<void*, decltype(destroy)> owner(events, destroy);
    for (void*& e : events) check(hip_.hipEventCreate(&e), "hipEventCreate");
    check(hip_.hipEventRecord(events[0], nullptr), "hipEventRecord");
    work();
    check(hip_.hipEventRecord(events[1], nullptr), "hipEventRecord");
    if (const int error = hip_.hipEventSynchronize(events[1]))
      throw KernelFault(error_line(error, "hipEventSynchronize"));
    float milliseconds = 0;
    check(hip_.hipEventElapsedTime(&milliseconds, events[0], events[1]), "hipEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  std::string error_line(int error, std::string_view doing) const {
    return fmt::format("device hip: {}: {} ({})", doing, hip_.hipGetErrorName(error), hip_.name);
  }
  void check(int error, std::string_view doing) const {
    if (error) throw DeviceError(error_line(error, doing));
  }
  // Waits for what is enqueued. The line of the fault that stopped it.
  std::optional<std::string> ended() const {
    if (const int error = hip_.hipDeviceSynchronize()) return error_line(error, "running the kernel");
    return {};
  }
  void refuse_other_target(const std::string& target) const {
    const std::string own = info_.target.substr(0, info_.target.find(':'));
    if (target != own)
      throw LaunchError(fmt::format("device hip: the code object is for {}, the GPU ({}) is a {}; legal: --arch {}",
                                    target, info_.name, own, own));
  }
  void start(void* function, const std::string& kernel, const Launch& l) const {
    if (l.cluster != std::array<uint32_t, 3>{})
      throw DeviceError(
          "device hip: hipModuleLaunchKernel takes no cluster size; legal: --device sim, or no --cluster (the size the "
          "kernel was compiled for)");
    auto kernargs = l.kernargs;
    size_t size = kernargs.size();
    void* extra[] = {HIP_EXTRA_POINTER, kernargs.data(), HIP_EXTRA_SIZE, &size, HIP_EXTRA_END};
    check(hip_.hipModuleLaunchKernel(function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                                     l.dynamic_lds, nullptr, nullptr, extra),
          fmt::format("hipModuleLaunchKernel '{}'", kernel));
  }

  hip_calls hip_{};
  DeviceInfo info_;
  std::vector<void*> buffers_;
};

}  // namespace

std::unique_ptr<Device> open_hip(int ordinal) { return std::make_unique<HipDevice>(ordinal); }

}  // namespace wavesmith::runtime
