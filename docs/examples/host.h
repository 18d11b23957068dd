// The host side that the examples share: put arrays on a device, pack arguments, launch, read back. Device "sim" needs
// no GPU; "hip" would run the same code object on one.
#pragma once
#include <cstdio>
#include <map>

#include <wavesmith/dsl.h>
#include <wavesmith/simulator.h>

namespace example {

using namespace wavesmith;

class Host {
 public:
  template <class T>
  DevicePointer upload(const std::vector<T>& values, const char* name) {
    const auto b = device_->allocate(values.size() * sizeof(T), name);
    device_->write(b, {reinterpret_cast<const uint8_t*>(values.data()), b.bytes});
    buffers_[b.address] = b;
    return {b.address};
  }
  template <class T>
  std::vector<T> download(DevicePointer p) {
    const runtime::Buffer& b = buffers_.at(p.address);
    std::vector<T> values(b.bytes / sizeof(T));
    device_->read(b, {reinterpret_cast<uint8_t*>(values.data()), b.bytes});
    return values;
  }
  template <class S>
  void launch(const Program& program, uint32_t workgroups, const S& arguments) {
    const sim::Launch l{.grid = {workgroups, 1, 1},
                        .block = {static_cast<uint32_t>(program.workgroup_size), 1, 1},
                        .dynamic_lds = 0,
                        .cluster = {},
                        .kernargs = kernarg_bytes(arguments)};
    const auto outcome = device_->launch(assemble(program).bytes, program.name, l);
    if (outcome.fault) throw std::runtime_error(outcome.fault->message());
  }

 private:
  std::map<uint64_t, runtime::Buffer> buffers_;
  std::unique_ptr<runtime::Device> device_ = runtime::Device::open("sim");
};

}  // namespace example
