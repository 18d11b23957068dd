// Device hip: what is declared of HIP's binary interface, and what it does with the stand-ins of tests/support/hip.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__
#endif
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <hip/hip_runtime_api.h>

#include "runtime/hip_abi.h"
#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace clitest;
using Catch::Contains;

namespace {

// A function's result and arguments by their sizes, with a p for a pointer (HIP's handles are pointers).
template <class F>
struct Signature;
template <class R, class... A>
struct Signature<R (*)(A...)> {
  static std::string text() {
    std::string all = fmt::format("{}{}:", sizeof(R), std::is_pointer_v<R> ? "p" : "");
    ((all += fmt::format(" {}{}", sizeof(A), std::is_pointer_v<A> ? "p" : "")), ...);
    return all;
  }
};

Ran on_stand_in(const std::string& arguments, int release, const std::string& target) {
  return run_program(arguments, fmt::format("LD_LIBRARY_PATH={}{} WAVESMITH_STAND_IN_TARGET={}", WAVESMITH_HIP_FOLDER,
                                            release, target));
}

}  // namespace

TEST_CASE("the HIP calls declared by hand have the signatures of HIP's headers", "[runtime][hip]") {
  int count = 0;
#define SAME(result, function, arguments) \
  { \
    CAPTURE(#function); \
    CHECK(Signature<result(*) arguments>::text() == Signature<decltype(&::function)>::text()); \
    ++count; \
  }
  WAVESMITH_HIP_CALLS(SAME)
#undef SAME
  CHECK(count == 18);
  CHECK(static_cast<int>(hip_to_device) == static_cast<int>(hipMemcpyHostToDevice));
  CHECK(static_cast<int>(hip_to_host) == static_cast<int>(hipMemcpyDeviceToHost));
  CHECK(HIP_EXTRA_SIZE == HIP_LAUNCH_PARAM_BUFFER_SIZE);
  CHECK(HIP_EXTRA_END == HIP_LAUNCH_PARAM_END);
  const hip_properties_layout& old = hip_properties[1];  // the headers are of release 5.2
  CHECK(old.target == offsetof(hipDeviceProp_t, gcnArchName));
  CHECK(old.units == offsetof(hipDeviceProp_t, multiProcessorCount));
  CHECK(old.khz == offsetof(hipDeviceProp_t, clockRate));
  CHECK(sizeof(hipDeviceProp_t) < hip_properties_bytes);
}

TEST_CASE("a code object for another target than the GPU's is refused in one line, under every release of HIP",
          "[runtime][hip][cli]") {
  const Directory d;
  simtest::Assembly kernel{"s_endpgm\n"};
  wavesmith::runtime::write_file(d / "k.co", kernel.build());
  const std::string command =
      fmt::format("run {} --device hip --grid 1 --block 64 --buffer b=zeros:8 --arg ptr:b --arg ptr:b", d / "k.co");
  for (const int release : {5, 7}) {
    CAPTURE(release);
    ends_with_line(on_stand_in(command, release, "gfx1100"), 2,
                   {"the code object is for gfx942", "the GPU (stand-in) is a gfx1100", "legal: --arch gfx1100"});
    ends_with_line(on_stand_in(command, release, "gfx90a:sramecc+:xnack-"), 2, {"is a gfx90a; legal: --arch gfx90a"});
  }
}
