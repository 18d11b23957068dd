// The simulator as a Device.
#include "runtime/device.h"

namespace wavesmith::runtime {
namespace {

class SimDevice final : public Device {
 public:
  explicit SimDevice(const sim::Options& options) : options_(options) {}

  Buffer allocate(uint64_t bytes, const std::string& name) override { return {memory_.allocate(bytes, name), bytes}; }
  void release(const Buffer& b) override { memory_.release(b.address); }
  void write(const Buffer& b, std::span<const uint8_t> bytes) override { memory_.write(b.address, bytes); }
  void read(const Buffer& b, std::span<uint8_t> bytes) const override { memory_.read(b.address, bytes); }

  Outcome launch(std::span<const uint8_t> code_object, const Dispatch& d) override {
    const auto co = sim::CodeObject::load({code_object.begin(), code_object.end()});
    Outcome out;
    out.counts = sim::run(co, co.kernel(d.kernel), memory_, {.grid = d.grid, .block = d.block, .dynamic_lds = d.dynamic_lds, .kernargs = d.kernargs}, options_);
    out.fault = out.counts.fault;
    out.seconds = out.counts.seconds;
    return out;
  }

 private:
  sim::Options options_;
  sim::Memory memory_;
};

}  // namespace

std::unique_ptr<Device> open_sim(const sim::Options& options) { return std::make_unique<SimDevice>(options); }

}  // namespace wavesmith::runtime
