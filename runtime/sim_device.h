// The simulator as devices: SimDevice runs kernels, TimingDevice predicts the time of their launches.
#pragma once
#include "runtime/device.h"
#include "simulator/simulator.h"
#include "simulator/timing/timing.h"

namespace wavesmith::runtime {

sim::Launch simulated(const Launch&);
std::string fault_line(const sim::Fault&);  // its message in one line
// Of a file: LaunchError.
sim::CodeObject load_object(std::span<const uint8_t> bytes);

// What both devices share: the simulator's memory.
class SimMemory : public Device {
 public:
  Buffer allocate(uint64_t bytes, const std::string& name) override { return {memory_.allocate(bytes, name), bytes}; }
  void release(const Buffer& b) override { memory_.release(b.address); }
  void write(const Buffer& b, std::span<const uint8_t> bytes) override { memory_.write(b.address, bytes); }
  void read(const Buffer& b, std::span<uint8_t> bytes) const override { memory_.read(b.address, bytes); }
  Enqueue prepare(std::span<const uint8_t> code_object, std::string_view kernel) override;
  double seconds(const std::function<void()>& work) override;

 protected:
  sim::Memory memory_;
  double enqueued_ = 0;  // seconds of what ran so far
};

class SimDevice final : public SimMemory {
 public:
  explicit SimDevice(const sim::Options& = {});
  ~SimDevice() override;
  DeviceInfo info() const override { return {.name = "sim"}; }
  Outcome launch(std::span<const uint8_t> code_object, std::string_view kernel, const Launch&) override;
  const sim::Result& last() const { return last_; }  // counts, faults and warnings of the last launch

 private:
  struct Modules;  // launched recently
  sim::Options options_;
  std::unique_ptr<Modules> modules_;
  sim::Result last_;
};

// Seconds are those of the timing model; memory is as after the workgroups that it traces.
class TimingDevice final : public SimMemory {
 public:
  explicit TimingDevice(const timing::Options& options = {}) : options_(options) {}
  DeviceInfo info() const override;
  Outcome launch(std::span<const uint8_t> code_object, std::string_view kernel, const Launch&) override;
  // Of the last launch: its code object, kernel and prediction.
  struct Last {
    sim::CodeObject object;
    std::string kernel;
    timing::Result result;
  };
  const Last* last() const { return last_ ? &*last_ : nullptr; }
  // Is called after each launch.
  void after_launch(std::function<void(const Last&)> then) { after_launch_ = std::move(then); }

 private:
  std::function<void(const Last&)> after_launch_;
  timing::Options options_;
  std::optional<Last> last_;
};

}  // namespace wavesmith::runtime
