// Devices and files.
#include <catch2/catch.hpp>

#include <filesystem>

#include "runtime/device.h"
#include "runtime/files.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith::runtime;
namespace fs = std::filesystem;

TEST_CASE("a device name that does not exist is refused with the legal ones", "[runtime]") {
  for (const char* name : {"", "cuda", "hip:", "hip:x", "hip:-1", "hip:1x"})
    CHECK_THROWS_WITH(Device::open(name), Catch::Contains("legal: sim, hip, hip:N"));
}

TEST_CASE("without a GPU the hip device says hipErrorNoDevice in one line", "[runtime][hip]") {
  if (fs::exists("/dev/kfd")) {
    WARN("there may be a GPU: skipped");
    return;
  }
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

// More code objects than a device keeps, in turns, each of which stores a number of its own.
TEST_CASE("a device runs the code object it is given, whatever it has run before", "[runtime]") {
  const auto device = Device::open("sim");
  const Buffer out = device->allocate(4, "out");
  std::vector<std::vector<uint8_t>> objects;
  for (int i = 0; i < 11; ++i) {
    simtest::Assembly a{
        fmt::format("s_load_dwordx2 s[2:3], s[0:1], 0x0\n v_mov_b32 v0, 0\n v_mov_b32 v1, {}\n s_waitcnt lgkmcnt(0)\n "
                    "global_store_dword v0, v1, s[2:3]\n s_endpgm\n",
                    100 + i)};
    objects.push_back(a.build());
  }
  std::vector<uint8_t> kernargs(16);
  std::memcpy(kernargs.data(), &out.address, 8);
  const auto run = [&](const std::vector<uint8_t>& object) {
    const wavesmith::runtime::Outcome o =
        device->launch(object, "", {.grid = {1, 1, 1}, .block = {1, 1, 1}, .kernargs = kernargs});
    REQUIRE_FALSE(o.fault);
    uint32_t seen = 0;
    device->read(out, {reinterpret_cast<uint8_t*>(&seen), 4});
    return seen;
  };
  for (int round = 0; round < 2; ++round)
    for (uint32_t i = 0; i < 11; ++i)
      for (const uint32_t n : {i, i, (i + 4) % 11}) CHECK(run(objects[n]) == 100 + n);
  CHECK_THROWS_WITH(device->launch(objects[0], "other", {.kernargs = kernargs}), Catch::Contains("other"));
  CHECK_THROWS_AS(device->launch(objects[0], "other", {.kernargs = kernargs}), LaunchError);
  CHECK_THROWS_WITH(device->launch(objects[0], "", {.grid = {0, 1, 1}, .kernargs = kernargs}),
                    Catch::Contains("empty grid"));
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
