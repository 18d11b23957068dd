// libwavesmith_hip: programs compiled by clang as HIP programs are, run with the library in libamdhip64's place; they
// check their own results. Then the calls that Triton and tinygrad make, through dlopen as they do.
#include <dlfcn.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "tests/compiled/clang_corpus.h"
#include "tests/support/command.h"

#ifdef WAVESMITH_HIP_LIBRARY
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <hip/hip_runtime_api.h>

extern "C" hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                       unsigned, unsigned, hipStream_t, void**);  // of HIP 6

using namespace clitest;

namespace {

const std::string folder = std::filesystem::path(WAVESMITH_HIP_LIBRARY).parent_path().string();
const std::string programs = WAVESMITH_SOURCE "/tests/runtime/hip_interface/programs/";
const std::string device_library = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";  // Debian's rocm-device-libs

std::string compiler() {
  if (!std::string_view(WAVESMITH_SANITIZE).empty()) return {};  // g++'s run-time library is not clang's
  const std::string c = corpus::compiler();
  if (c.empty()) WARN("clang-22 is not here: skipped");
  return c;
}

// For kernels that print.
const std::string printing = "--offload-arch=gfx90a -mcode-object-version=5 --rocm-device-lib-path=" + device_library;
bool has_device_library() {
  const bool there = std::filesystem::exists(device_library);
  if (!there) WARN("rocm-device-libs is not here: skipped");
  return there;
}

struct Program {
  std::string name, flags = "--offload-arch=gfx942 -nogpulib";
};
void compile(const Program& p, const std::string& to) {
  const std::string command = fmt::format(
      "{} -x hip -std=c++17 -O1 -nogpuinc -D__HIP_PLATFORM_AMD__ {} {}{}.hip -o {} -L{} -lamdhip64 -lstdc++ 2>&1",
      compiler(), p.flags, programs, p.name, to, folder);
  CAPTURE(command);
  REQUIRE(std::system(command.c_str()) == 0);
}
Ran run(const std::string& program, const std::string& environment = "") {
  return run_command(fmt::format("{} LD_LIBRARY_PATH={} timeout 60 {}", environment, folder, program));
}
Ran compile_and_run(const Program& p, const std::string& environment = "") {
  const Directory d;
  compile(p, d / "program");
  return run(d / "program", environment);
}
void passes(const Ran& r) {
  CAPTURE(r.out, r.err);
  CHECK(r.status == 0);
  CHECK(r.out == "passed\n");
  CHECK(r.err.empty());
}

}  // namespace

TEST_CASE("a HIP program launches, has variables, managed and host memory, streams, events, occupancy, planes",
          "[hip_interface]") {
  if (compiler().empty()) return;
  passes(compile_and_run({"launches"}));
}

TEST_CASE("a HIP program may have variables and no kernel, and asks for the device before main", "[hip_interface]") {
  if (compiler().empty()) return;
  passes(compile_and_run({"variables", "--offload-arch=gfx942 -nogpulib -DLANES=64"}));
  passes(compile_and_run({"variables", "--offload-arch=gfx1201 -nogpulib -DLANES=32"}));
}

TEST_CASE("a HIP program captures and builds graphs; its code objects may be compressed", "[hip_interface]") {
  if (compiler().empty()) return;
  passes(compile_and_run({"graphs", "--offload-arch=gfx908 --offload-arch=gfx942 -nogpulib --offload-compress"},
                         "WAVESMITH_HIP_DEVICE=MI300X"));
}

TEST_CASE("the example that launches a GEMM made offline runs without a GPU", "[hip_interface]") {
  const Directory d;
  const std::string kernel = d / "gemm.co";
  REQUIRE(run_program("gemm --arch gfx942 --a f16 --d f32 --tile 128x128x64 --kernel gemm -o " + kernel).status == 0);
  const Ran r = run(WAVESMITH_BUILD "/example_launch_with_hip " + kernel);
  CAPTURE(r.err);
  CHECK(r.status == 0);
  CHECK(r.out == "0 of 60000 elements wrong\n");
  CHECK(run(WAVESMITH_BUILD "/example_launch_with_hip " + (d / "missing.co")).status == 3);
}

TEST_CASE("a kernel's fault is an error of the HIP program, with the simulator's line", "[hip_interface]") {
  if (compiler().empty()) return;
  const Directory d;
  compile({"faults"}, d / "program");
  const Ran r = run(d / "program");
  CHECK(r.status == 0);
  CHECK(r.out == "passed\n");
  CHECK(lines(r.err) == 1);
  for (const char* part : {"writePi: out of bounds", "workgroup (1,0,0), wave 0, lane 36",
                           "0 bytes past the end of 'hipMalloc 1' (", "400 bytes"})
    CHECK_THAT(r.err, Catch::Contains(part));

  const Ran unknown = run(d / "program", "WAVESMITH_HIP_DEVICE=MI1");
  CHECK(unknown.status == 1);
  CHECK_THAT(unknown.out, Catch::Contains("hipErrorNoDevice"));
  CHECK_THAT(unknown.err, Catch::Contains("'MI1' is unknown, legal: gfx908") && Catch::Contains("MI355X"));
  const Ran other = run(d / "program", "WAVESMITH_HIP_DEVICE=gfx950");
  CHECK(other.status == 1);
  CHECK_THAT(other.err, Catch::Contains("no code for gfx950:sramecc+:xnack-; there is for: gfx942"));
}

TEST_CASE("the order of waves of a HIP program is given by variables", "[hip_interface][order]") {
  if (compiler().empty()) return;
  const Directory d;
  compile({"order"}, d / "program");
  const auto said = [&](const std::string& variables) {
    return run(d / "program", "WAVESMITH_HIP_SANITIZE=none " + variables).out;
  };
  CHECK(said("WAVESMITH_HIP_QUANTUM=1") == "passed\n");
  CHECK(said("WAVESMITH_HIP_QUANTUM=1000") == "wrong\n");
  CHECK(said("WAVESMITH_HIP_QUANTUM=1 WAVESMITH_HIP_ORDER=random:1") == "passed\n");
  CHECK(said("WAVESMITH_HIP_QUANTUM=100 WAVESMITH_HIP_ORDER=late,random:1") == "wrong\n");
  CHECK_THAT(run(d / "program").err, Catch::Contains("LDS race"));
  const Ran unknown = run(d / "program", "WAVESMITH_HIP_ORDER=sideways");
  CHECK_THAT(unknown.err, Catch::Contains("WAVESMITH_HIP_ORDER: 'sideways' is unknown, legal: round-robin, late"));
}

TEST_CASE("kernels print, with hostcall and with a buffer; an assertion ends in hipErrorAssert", "[hip_interface]") {
  if (compiler().empty()) return;
  if (!has_device_library()) return;
  for (const char* kind : {"-mprintf-kind=hostcall", "-mprintf-kind=buffered -DBUFFERED"}) {
    CAPTURE(kind);
    const Ran r = compile_and_run({"prints", fmt::format("{} {}", printing, kind)});
    CHECK(r.status == 0);
    CHECK(r.out ==
          "item 0: -42 -21.00 constant|ab  |%|z\nitem 2: -42 -21.00 constant|ab  |%|z\n"
          "assertion of item 5\npassed\n");
    CHECK_THAT(r.err, Catch::Contains("failsPi: illegal") && Catch::Contains("s_trap 2"));
  }
}

TEST_CASE(
    "workgroups of a cooperative launch wait for each other by GWS; more waves print at once than a workgroup has",
    "[hip_interface]") {
  if (compiler().empty() || !has_device_library()) return;
  const Ran r = compile_and_run({"cooperative", printing});
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  std::set<std::string> printed;
  std::string line;
  for (std::istringstream in(r.out); std::getline(in, line);) printed.insert(line);
  CHECK(printed.size() == 104 * 16 + 1);
  CHECK(printed.contains("passed"));
  for (int group = 0; group < 104; ++group)
    for (int wave = 0; wave < 16; ++wave) CHECK(printed.contains(fmt::format("{}.{}", group, wave)));
}

// The calls of Triton's driver (third_party/amd/backend/driver.c and the launchers it writes) and of tinygrad's HIP
// backend (runtime/ops_hip.py), found by name.
namespace {

struct Library {
  void* handle = dlopen(WAVESMITH_HIP_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  template <class F>
  F* find(const char* name) const {
    auto* f = reinterpret_cast<F*>(dlsym(handle, name));
    CAPTURE(name);
    REQUIRE(f);
    return f;
  }
};
#define CALLS(library, name) auto* const name = (library).find<decltype(::name)>(#name)

}  // namespace

TEST_CASE("the calls of Triton's and tinygrad's HIP drivers work through dlopen", "[hip_interface]") {
  if (corpus::compiler().empty()) return;
  const std::string object = text(corpus::compile({"launch", "gfx942", "", "O3", "-O3"}).string());
  const Library hip;
  REQUIRE(hip.handle);
  CALLS(hip, hipGetErrorString);
  CALLS(hip, hipGetLastError);
  CALLS(hip, hipGetDeviceCount);
  CALLS(hip, hipSetDevice);
  CALLS(hip, hipGetDevice);
  CALLS(hip, hipGetDeviceProperties);
  CALLS(hip, hipMalloc);
  CALLS(hip, hipFree);
  CALLS(hip, hipMemcpy);
  CALLS(hip, hipMemcpyAsync);
  CALLS(hip, hipDeviceSynchronize);
  CALLS(hip, hipModuleLoadData);
  CALLS(hip, hipModuleLoadDataEx);
  CALLS(hip, hipModuleUnload);
  CALLS(hip, hipModuleGetFunction);
  CALLS(hip, hipModuleLaunchKernel);
  CALLS(hip, hipModuleLaunchCooperativeKernel);
  CALLS(hip, hipFuncGetAttribute);
  CALLS(hip, hipPointerGetAttribute);
  CALLS(hip, hipEventRecord);
  CALLS(hip, hipEventSynchronize);
  CALLS(hip, hipEventElapsedTime);
  CALLS(hip, hipEventDestroy);
  CALLS(hip, hipEventCreate);
  const auto good = [&](hipError_t e) {
    CAPTURE(hipGetErrorString(e));
    REQUIRE(e == hipSuccess);
  };
  int devices = 0, device = -1;
  good(hipGetDeviceCount(&devices));
  good(hipSetDevice(0));
  good(hipGetDevice(&device));
  CHECK(devices == 1);
  hipDeviceProp_t p;
  good(hipGetDeviceProperties(&p, 0));
  CHECK(std::string(p.gcnArchName) == "gfx942:sramecc+:xnack-");
  CHECK(p.sharedMemPerBlock == 65536);
  CHECK(p.warpSize == 64);
  CHECK(p.multiProcessorCount == 304);

  hipModule_t module;
  hipFunction_t function;
  good(hipModuleLoadDataEx(&module, object.data(), 0, nullptr, nullptr));
  CHECK(hipModuleGetFunction(&function, module, "nothing") == hipErrorNotFound);
  good(hipModuleGetFunction(&function, module, "geometry"));
  int registers = 0;
  good(hipFuncGetAttribute(&registers, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
  CHECK(registers > 0);
  void* out = nullptr;
  good(hipMalloc(&out, 19200));
  void* same = nullptr;
  good(hipPointerGetAttribute(&same, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, out));
  CHECK(same == out);
  // Of HIP 5.5, not in Debian's header.
  auto* const set = hip.find<hipError_t(const void*, hipPointer_attribute, hipDeviceptr_t)>("hipPointerSetAttribute");
  constexpr auto sync = HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS;
  uint32_t flag = 1, read = 2;
  good(hipPointerGetAttribute(&read, sync, out));
  CHECK(read == 0);
  good(set(&flag, sync, static_cast<char*>(out) + 8));
  good(hipPointerGetAttribute(&read, sync, out));
  CHECK(read == 1);
  CHECK(set(nullptr, sync, out) == hipErrorInvalidValue);
  CHECK(set(&flag, HIP_POINTER_ATTRIBUTE_MAPPED, out) == hipErrorInvalidValue);
  CHECK(set(&flag, sync, &flag) == hipErrorInvalidDevicePointer);
  flag = 2;
  CHECK(set(&flag, sync, out) == hipErrorInvalidValue);
  hipEvent_t start, stop;
  good(hipEventCreate(&start));
  good(hipEventCreate(&stop));
  good(hipEventRecord(start, nullptr));
  void* params[] = {&out};
  good(hipModuleLaunchKernel(function, 3, 2, 4, 20, 5, 2, 0, nullptr, params, nullptr));
  good(hipEventRecord(stop, nullptr));
  good(hipEventSynchronize(stop));
  float ms = 0;
  good(hipEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0);
  std::vector<uint32_t> ids(4800), again(4800);
  good(hipMemcpy(ids.data(), out, 19200, hipMemcpyDeviceToHost));
  CHECK(ids[199] == (19 | 4 << 8 | 1 << 16));
  CHECK(ids[4799] == (19 | 4 << 8 | 1 << 16 | uint32_t{2 ^ 1 << 2 ^ 3 << 4} << 24));

  // Packed arguments, as tinygrad passes them.
  good(hipMemcpyAsync(out, again.data(), 19200, hipMemcpyHostToDevice, nullptr));
  size_t bytes = sizeof out;
  void* packed[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &out, HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  good(hipModuleLaunchKernel(function, 3, 2, 4, 20, 5, 2, 0, nullptr, nullptr, packed));
  good(hipModuleLaunchCooperativeKernel(function, 3, 2, 4, 20, 5, 2, 0, nullptr, params));
  good(hipDeviceSynchronize());
  good(hipMemcpy(again.data(), out, 19200, hipMemcpyDeviceToHost));
  CHECK(again == ids);
  for (const hipEvent_t e : {start, stop}) good(hipEventDestroy(e));
  good(hipFree(out));
  good(hipModuleUnload(module));
  good(hipModuleLoadData(&module, object.data()));
  good(hipModuleUnload(module));
  CHECK(hipModuleUnload(module) == hipErrorNotFound);
  CHECK(hipModuleLoadData(&module, "not a code object, but long enough to be the header of one: 64 bytes") ==
        hipErrorInvalidImage);
  CHECK(hipGetLastError() == hipErrorInvalidImage);
}

TEST_CASE("an offload bundle in a file that says something wrong of itself is refused", "[hip_interface][hostile]") {
  if (corpus::compiler().empty()) return;
  const std::string object = text(corpus::compile({"launch", "gfx942", "", "O3", "-O3"}).string());
  const Library hip;
  REQUIRE(hip.handle);
  CALLS(hip, hipModuleLoad);
  CALLS(hip, hipModuleUnload);
  const Directory d;
  const auto load = [&](const std::string& file) {
    std::ofstream(d / "bundle", std::ios::binary) << file;
    hipModule_t module;
    const int screen = dup(STDERR_FILENO);  // the library says there what is wrong
    REQUIRE(freopen((d / "said").c_str(), "w", stderr));
    const hipError_t e = hipModuleLoad(&module, (d / "bundle").c_str());
    fflush(stderr);
    dup2(screen, STDERR_FILENO);
    close(screen);
    if (e == hipSuccess) CHECK(hipModuleUnload(module) == hipSuccess);
    return e;
  };
  const auto number = [](uint64_t n, size_t bytes = 8) { return std::string(reinterpret_cast<char*>(&n), bytes); };
  const std::string magic = "__CLANG_OFFLOAD_BUNDLE__", name = "hipv4-amdgcn-amd-amdhsa--gfx942";
  const auto bundle = [&](uint64_t count, uint64_t offset, uint64_t size, uint64_t length) {
    return magic + number(count) + number(offset) + number(size) + number(length) + name + object;
  };
  const uint64_t header = magic.size() + 32 + name.size(), huge = ~uint64_t{0};
  CHECK(load(bundle(1, header, object.size(), name.size())) == hipSuccess);
  for (const std::string& wrong :
       {bundle(1, header + 1, object.size(), name.size()), bundle(1, header, object.size() + 1, name.size()),
        bundle(1, huge, object.size(), name.size()), bundle(1, header, huge, name.size()),
        bundle(1, header, huge - header + 1, name.size()), bundle(huge, header, object.size(), name.size()),
        bundle(1, header, object.size(), 4095).substr(0, header), bundle(1, header, object.size(), huge),
        magic + number(1023), magic + number(1).substr(1), magic, std::string("CCOB"),
        "CCOB" + number(3, 2) + number(1, 2) + number(huge) + number(64) + number(0) + object,
        "CCOB" + number(3, 2) + number(1, 2) + number(40) + number(uint64_t{1} << 40) + number(0) + object,
        "CCOB" + number(2, 2) + number(1, 2) + number(~0u, 4) + number(64, 4) + number(0) + object,
        "CCOB" + number(2, 2) + number(7, 2) + number(40, 4) + number(64, 4) + number(0) + object})
    CHECK(load(wrong) == hipErrorInvalidImage);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string file = bundle(1, header, object.size(), name.size());
    for (int k = 0; k < 2; ++k) file[random() % header] = static_cast<char>(random());
    if (i % 4 == 0) file.resize(random() % header);
    const hipError_t e = load(file);
    CHECK((e == hipSuccess || e == hipErrorInvalidImage || e == hipErrorNoBinaryForGpu || e == hipErrorInvalidValue));
  }
}
#endif
