// The simulator and its timing model as devices.
#include "runtime/sim_device.h"

#include <algorithm>
#include <list>

#include "simulator/decoded_kernel.h"
#include "simulator/launch.h"

namespace wavesmith::runtime {
namespace {

// What the simulator refuses, as every device says it.
template <class F>
auto refusing(F f) {
  try {
    return f();
  } catch (const sim::LoadError& e) { throw LaunchError(e.what()); }
}

}  // namespace

sim::Launch simulated(const Launch& l) {
  return {.grid = l.grid, .block = l.block, .dynamic_lds = l.dynamic_lds, .cluster = l.cluster, .kernargs = l.kernargs};
}

std::string fault_line(const sim::Fault& f) {
  std::string line = f.message();
  std::ranges::replace(line, '\n', ' ');
  return line;
}

sim::CodeObject load_object(std::span<const uint8_t> bytes) {
  return refusing([&] { return sim::CodeObject::load({bytes.begin(), bytes.end()}); });
}

Enqueue SimMemory::prepare(std::span<const uint8_t> code_object, std::string_view kernel) {
  return
      [this, bytes = std::vector(code_object.begin(), code_object.end()), name = std::string(kernel)](const Launch& l) {
        const Outcome o = launch(bytes, name, l);
        if (o.fault) throw KernelFault(*o.fault);
        enqueued_ += o.seconds;
      };
}

double SimMemory::seconds(const std::function<void()>& work) {
  const double before = enqueued_;
  work();
  return enqueued_ - before;
}

// The latest first; each is loaded and decoded once.
struct SimDevice::Modules {
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
  static constexpr size_t most = 8;
  std::list<Module> all;

  Module& of(std::span<const uint8_t> bytes) {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Module& m) { return std::ranges::equal(m.bytes, bytes); });
    if (known != all.end()) all.splice(all.begin(), all, known);
    else all.push_front({{bytes.begin(), bytes.end()}, sim::CodeObject::load({bytes.begin(), bytes.end()}), {}});
    if (all.size() > most) all.pop_back();
    return all.front();
  }
};

SimDevice::SimDevice(const sim::Options& options) : options_(options), modules_(std::make_unique<Modules>()) {}
SimDevice::~SimDevice() = default;

Outcome SimDevice::launch(std::span<const uint8_t> code_object, std::string_view name, const Launch& launch) {
  return refusing([&] {
    const sim::Launch l = simulated(launch);
    Modules::Module& m = modules_->of(code_object);
    const sim::KernelInfo& kernel = m.object.kernel(name);
    sim::check_launch(m.object, kernel, l);  // before decoding, which trusts the kernel's descriptor
    const auto& program = m.programs.try_emplace(kernel.name, Modules::LazyDecode{m.object, kernel}).first->second;
    last_ = sim::run(m.object, kernel, program, memory_, l, options_);
    Outcome out{.seconds = last_.seconds};
    if (last_.fault) out.fault = fault_line(*last_.fault);
    return out;
  });
}

DeviceInfo TimingDevice::info() const {
  if (!options_.gpu) return {.name = "sim"};
  return {.name = options_.gpu->name,
          .target = isa::target(options_.gpu->arch).name,
          .units = options_.gpu->units,
          .mhz = static_cast<double>(options_.gpu->mhz)};
}

Outcome TimingDevice::launch(std::span<const uint8_t> code_object, std::string_view kernel, const Launch& launch) {
  return refusing([&] {
    last_ = Last{sim::CodeObject::load({code_object.begin(), code_object.end()}), std::string(kernel), {}};
    last_->result = timing::time(last_->object, last_->object.kernel(kernel), memory_, simulated(launch), options_);
    Outcome out{.seconds = last_->result.seconds};
    if (last_->result.fault) out.fault = fault_line(*last_->result.fault);
    if (after_launch_) after_launch_(*last_);
    return out;
  });
}

}  // namespace wavesmith::runtime
