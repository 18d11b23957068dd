// Devices and files.
#include <catch2/catch.hpp>

#include <filesystem>

#include "runtime/device.h"
#include "runtime/files.h"

using namespace wavesmith::runtime;
namespace fs = std::filesystem;

TEST_CASE("a device name that does not exist is refused with the legal ones", "[runtime]") {
  for (const char* name : {"", "cuda", "hip:", "hip:x", "hip:-1", "hip:1x"}) CHECK_THROWS_WITH(Device::open(name), Catch::Contains("legal: sim, hip, hip:N"));
}

TEST_CASE("without a GPU the hip device says hipErrorNoDevice in one line", "[runtime][hip]") {
  if (fs::exists("/dev/kfd")) { WARN("there may be a GPU: skipped"); return; }
  try {
    Device::open("hip");
    FAIL("opened");
  } catch (const DeviceError& e) {
    CHECK_THAT(e.what(), Catch::Contains("hipErrorNoDevice") && Catch::Contains("libamdhip64.so"));
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
  }
}

TEST_CASE("simulator buffers start as zeros and keep what is written", "[runtime]") {
  const auto device = Device::open("sim");
  const Buffer a = device->allocate(5, "a"), b = device->allocate(5, "b");
  CHECK(a.address % 256 == 0);
  CHECK(a.address != b.address);
  std::vector<uint8_t> seen(5, 1);
  device->read(a, seen);
  CHECK(seen == std::vector<uint8_t>(5, 0));
  device->write(a, std::vector<uint8_t>{1, 2, 3, 4, 5});
  device->read(a, seen);
  CHECK(seen == std::vector<uint8_t>{1, 2, 3, 4, 5});
  device->read(b, seen);
  CHECK(seen == std::vector<uint8_t>(5, 0));
}

TEST_CASE("a file is replaced whole, and a failed write leaves the old one and no litter", "[runtime]") {
  const fs::path dir = fs::temp_directory_path() / "wavesmith_runtime_test";
  fs::remove_all(dir);
  fs::create_directories(dir / "taken");
  const std::string file = dir / "f";
  write_file(file, "one");
  write_file(file, "two!");
  CHECK(read_file(file) == std::vector<uint8_t>{'t', 'w', 'o', '!'});
  CHECK_THROWS_WITH(write_file(dir / "taken", "x"), Catch::Contains("taken"));
  CHECK_THROWS_WITH(write_file(dir / "no" / "f", "x"), Catch::Contains("No such file"));
  CHECK_THROWS_WITH(read_file(dir), Catch::Contains("is a directory"));
  CHECK(std::distance(fs::directory_iterator(dir), {}) == 2);
  fs::remove_all(dir);
}
