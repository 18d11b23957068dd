// A GPU through libamdhip64, opened with dlopen on first use. Only calls whose ABI is
// the same in every release since 5.0 are used (no hipDeviceProp_t).
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#include <hip/hip_runtime_api.h>

#include "runtime/device.h"

namespace wavesmith::runtime {
namespace {

constexpr const char* library_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"};

struct Hip {
  std::string library;
#define HIP_CALL(name) decltype(&::name) name = nullptr;
#define HIP_CALLS \
  HIP_CALL(hipGetErrorName) \
  HIP_CALL(hipGetDeviceCount) \
  HIP_CALL(hipSetDevice) \
  HIP_CALL(hipFree) \
  HIP_CALL(hipMemset) \
  HIP_CALL(hipMemcpy) \
  HIP_CALL(hipModuleLoadData) \
  HIP_CALL(hipModuleUnload) \
  HIP_CALL(hipModuleGetFunction) HIP_CALL(hipModuleLaunchKernel) HIP_CALL(hipDeviceSynchronize)
  HIP_CALLS
#undef HIP_CALL
  hipError_t (*hipMalloc)(void**, size_t) = nullptr;  // the header overloads the name

  Hip() {
    void* handle = nullptr;
    for (const char* name : library_names)
      if ((handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))) {
        library = name;
        break;
      }
    if (!handle)
      throw DeviceError(
          fmt::format("device hip: the HIP runtime is not installed (looked for {})", fmt::join(library_names, ", ")));
#define HIP_CALL(name) \
  if (!(name = reinterpret_cast<decltype(name)>(::dlsym(handle, #name)))) \
    throw DeviceError(fmt::format("device hip: {} has no {}", library, #name));
    HIP_CALLS
    hipMalloc = reinterpret_cast<decltype(hipMalloc)>(::dlsym(handle, "hipMalloc"));
#undef HIP_CALL
  }  // never closed: the runtime keeps threads

  void check(hipError_t e, std::string_view doing) const {
    if (e != hipSuccess) throw DeviceError(fmt::format("device hip: {}: {} ({})", doing, hipGetErrorName(e), library));
  }
};

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

class HipDevice final : public Device {
 public:
  explicit HipDevice(int ordinal) {
    int count = 0;
    hip_.check(hip_.hipGetDeviceCount(&count), "looking for a GPU");
    if (ordinal >= count)
      throw DeviceError(
          fmt::format("device hip:{}: no such device, there are {} (hip:0 to hip:{})", ordinal, count, count - 1));
    hip_.check(hip_.hipSetDevice(ordinal), "hipSetDevice");
  }
  ~HipDevice() override {
    for (void* p : buffers_) (void)hip_.hipFree(p);
  }

  Buffer allocate(uint64_t bytes, const std::string& name) override {
    void* p = nullptr;
    hip_.check(hip_.hipMalloc(&p, bytes ? bytes : 1), fmt::format("allocating {} bytes for '{}'", bytes, name));
    buffers_.push_back(p);
    hip_.check(hip_.hipMemset(p, 0, bytes), "hipMemset");
    return {reinterpret_cast<uint64_t>(p), bytes};
  }
  void release(const Buffer& b) override {
    std::erase(buffers_, pointer(b.address));
    hip_.check(hip_.hipFree(pointer(b.address)), "hipFree");
  }
  void write(const Buffer& b, std::span<const uint8_t> bytes) override {
    hip_.check(hip_.hipMemcpy(pointer(b.address), bytes.data(), bytes.size(), hipMemcpyHostToDevice),
               "hipMemcpy to the device");
  }
  void read(const Buffer& b, std::span<uint8_t> bytes) const override {
    hip_.check(hip_.hipMemcpy(bytes.data(), pointer(b.address), bytes.size(), hipMemcpyDeviceToHost),
               "hipMemcpy from the device");
  }

  Outcome launch(std::span<const uint8_t> code_object, std::string_view name, const sim::Launch& l) override {
    if (l.cluster != std::array<uint32_t, 3>{})
      throw DeviceError(
          "device hip: HIP takes a cluster's size in hipDrvLaunchKernelEx, which the headers of this build (HIP 5) do "
          "not have; legal: --device sim, or no --cluster");
    const std::string kernel = sim::CodeObject::load({code_object.begin(), code_object.end()}).kernel(name).name;
    hipModule_t module{};
    hip_.check(hip_.hipModuleLoadData(&module, code_object.data()), "hipModuleLoadData");
    const auto unload = [this](hipModule_t m) { (void)hip_.hipModuleUnload(m); };
    const std::unique_ptr<std::remove_pointer_t<hipModule_t>, decltype(unload)> owner(module, unload);
    hipFunction_t function{};
    hip_.check(hip_.hipModuleGetFunction(&function, module, kernel.c_str()),
               fmt::format("hipModuleGetFunction '{}'", kernel));

    auto kernargs = l.kernargs;
    size_t size = kernargs.size();
    void* config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, kernargs.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      HIP_LAUNCH_PARAM_END};
    const auto start = std::chrono::steady_clock::now();
    hip_.check(hip_.hipModuleLaunchKernel(function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                                          l.dynamic_lds, nullptr, nullptr, config),
               fmt::format("hipModuleLaunchKernel '{}'", kernel));
    hip_.check(hip_.hipDeviceSynchronize(), fmt::format("running '{}'", kernel));
    return {.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
            .fault = {},
            .counts = {}};
  }

 private:
  Hip hip_;
  std::vector<void*> buffers_;
};

}  // namespace

std::unique_ptr<Device> open_hip(int ordinal) { return std::make_unique<HipDevice>(ordinal); }

}  // namespace wavesmith::runtime
