// The host side that the examples share: put arrays on a device, pack arguments, launch, read back. Device "sim" needs
// no GPU; "hip" would run the same code object on one.
#pragma once
#include <cstdio>
#include <cstring>

#include "generator/dsl/kernel.h"
#include "generator/schedule/interleave.h"
#include "runtime/device.h"

namespace example {

using namespace wavesmith;

class Host {
 public:
  template <class T>
  runtime::Buffer upload(const std::vector<T>& values, const char* name) {
    const auto b = device_->allocate(values.size() * sizeof(T), name);
    device_->write(b, {reinterpret_cast<const uint8_t*>(values.data()), b.bytes});
    return b;
  }
  template <class T>
  std::vector<T> download(const runtime::Buffer& b) {
    std::vector<T> values(b.bytes / sizeof(T));
    device_->read(b, {reinterpret_cast<uint8_t*>(values.data()), b.bytes});
    return values;
  }
  // Arguments in declaration order: a Buffer is its address, a number itself. Each is aligned to its size, as the
  // kernel declares it.
  template <class... Args>
  void launch(const Program& program, uint32_t workgroups, Args... args) {
    runtime::Dispatch d{.kernel = program.name,
                        .grid = {workgroups, 1, 1},
                        .block = {static_cast<uint32_t>(program.workgroup_size), 1, 1},
                        .dynamic_lds = 0,
                        .kernargs = {}};
    (pack(d.kernargs, args), ...);
    const auto outcome = device_->launch(assemble(program).bytes, d);
    if (outcome.fault) throw std::runtime_error(outcome.fault->message());
  }

 private:
  static void pack(std::vector<uint8_t>& out, const runtime::Buffer& b) { pack(out, b.address); }
  template <class T>
  static void pack(std::vector<uint8_t>& out, T value) {
    out.resize((out.size() + sizeof value - 1) / sizeof value * sizeof value + sizeof value);
    std::memcpy(out.data() + out.size() - sizeof value, &value, sizeof value);
  }
  std::unique_ptr<runtime::Device> device_ = runtime::Device::open("sim");
};

}  // namespace example
