// The host side that the examples share: test data, put arrays on a device, pack arguments, launch, read back. Device
// "sim" needs no GPU; "hip" would run the same code object on one.
#pragma once
#include <cstdio>
#include <fstream>
#include <map>

#include <wavesmith/dsl.h>
#include <wavesmith/simulator.h>

namespace example {

using namespace wavesmith;

// D = A B of small numbers: A is rows x depth, row-major; B depth x rows, column-major; D rows x rows, row-major.
struct Product {
  std::vector<uint16_t> a, b;  // f16
  std::vector<float> d;
};
inline Product product(size_t rows, size_t depth) {
  const uint16_t f16[] = {0x0000, 0x3c00, 0x4000, 0xbc00};  // 0, 1, 2, -1
  const float f32[] = {0, 1, 2, -1};
  const auto pick = [](size_t i, size_t salt) { return (i * i + salt * i) / 3 % 4; };
  Product p{std::vector<uint16_t>(rows * depth), std::vector<uint16_t>(rows * depth), std::vector<float>(rows * rows)};
  for (size_t i = 0; i < p.a.size(); ++i) p.a[i] = f16[pick(i, 5)], p.b[i] = f16[pick(i, 7)];
  for (size_t row = 0; row < rows; ++row)
    for (size_t col = 0; col < rows; ++col)
      for (size_t i = 0; i < depth; ++i)
        p.d[row * rows + col] += f32[pick(row * depth + i, 5)] * f32[pick(col * depth + i, 7)];
  return p;
}

// Writes the code object of a kernel, for `wavesmith run` or hipModuleLoad. Returns the exit status.
inline int write(const Program& program, const char* file) {
  const auto bytes = assemble(program).bytes;
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return std::printf("%s: %zu bytes\n", file, bytes.size()) < 0;
}

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
    const runtime::Launch l{.grid = {workgroups, 1, 1},
                            .block = {static_cast<uint32_t>(program.workgroup_size), 1, 1},
                            .dynamic_lds = 0,
                            .cluster = {},
                            .kernargs = kernarg_bytes(arguments)};
    const auto outcome = device_->launch(assemble(program).bytes, program.name, l);
    if (outcome.fault) throw std::runtime_error(*outcome.fault);
  }

 private:
  std::map<uint64_t, runtime::Buffer> buffers_;
  std::unique_ptr<runtime::Device> device_ = runtime::Device::open("sim");
};

}  // namespace example
