// The simulator as a Device.
#include <list>

#include "runtime/device.h"
#include "simulator/decoded_kernel.h"
#include "simulator/launch.h"

namespace wavesmith::runtime {
namespace {

class SimDevice final : public Device {
 public:
  explicit SimDevice(const sim::Options& options) : options_(options) {}

  Buffer allocate(uint64_t bytes, const std::string& name) override { return {memory_.allocate(bytes, name), bytes}; }
  void release(const Buffer& b) override { memory_.release(b.address); }
  void write(const Buffer& b, std::span<const uint8_t> bytes) override { memory_.write(b.address, bytes); }
  void read(const Buffer& b, std::span<uint8_t> bytes) const override { memory_.read(b.address, bytes); }

  Outcome launch(std::span<const uint8_t> code_object, std::string_view name, const sim::Launch& l) override {
    Module& m = module(code_object);
    const sim::KernelInfo& kernel = m.object.kernel(name);
    sim::check_launch(m.object, kernel, l);  // before decoding, which trusts the kernel's descriptor
    Outcome out;
    out.counts =
        sim::run(m.object, kernel, m.programs.try_emplace(kernel.name, LazyDecode{m.object, kernel}).first->second,
                 memory_, l, options_);
    out.fault = out.counts.fault;
    out.seconds = out.counts.seconds;
    return out;
  }

 private:
  // Recently launched code objects, the latest first, so that each is loaded and decoded once.
  struct Module {
    std::vector<uint8_t> bytes;
    sim::CodeObject object;
    std::map<std::string, sim::DecodedKernel> programs;
  };
  struct LazyDecode {
    const sim::CodeObject& object;
    const sim::KernelInfo& kernel;
    operator sim::DecodedKernel() const { return sim::decode(object, kernel); }
  };
  static constexpr size_t most_modules = 8;
  Module& module(std::span<const uint8_t> bytes) {
    const auto known = std::find_if(modules_.begin(), modules_.end(),
                                    [&](const Module& m) { return std::ranges::equal(m.bytes, bytes); });
    if (known != modules_.end()) modules_.splice(modules_.begin(), modules_, known);
    else modules_.push_front({{bytes.begin(), bytes.end()}, sim::CodeObject::load({bytes.begin(), bytes.end()}), {}});
    if (modules_.size() > most_modules) modules_.pop_back();
    return modules_.front();
  }

  sim::Options options_;
  sim::Memory memory_;
  std::list<Module> modules_;
};

}  // namespace

std::unique_ptr<Device> open_sim(const sim::Options& options) { return std::make_unique<SimDevice>(options); }

}  // namespace wavesmith::runtime
