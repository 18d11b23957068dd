// A GEMM as `verify`, `time` and `bench` ask for it: kernel, problem and operands, on the host and on a device.
#pragma once
#include <array>

#include "tools/options/gemm_options.h"
#include "tools/options/launch.h"
#include "tools/options/needs.h"
#include "tools/reference/gemm_reference.h"

namespace wavesmith::tools {

struct GemmQuestion {
  GemmOptions gemm;
  DeviceOptions device;
  GemmProblem problem;
  std::array<bool, 3> given{};  // extents of the problem: 0 is one too
  Force force;
  std::string init = "rand";
  uint64_t seed = 1;
};
// Kernel, problem, operands; not the device.
void declare_gemm_question(CLI::App&, GemmQuestion&);
struct GemmCase {
  BuiltGemm built;
  GemmData data;
};
// Chooses, generates and fills. InputError, ConfigError, OutOfRegisters.
GemmCase make_case(GemmQuestion);

struct GemmBuffers {
  GemmPointers at;
  std::vector<runtime::Buffer> all;
  runtime::Buffer d, scales, absmax;
  KernelLaunch launch;
};
GemmBuffers upload(runtime::Device&, const BuiltGemm&, const GemmData&);
void download(const runtime::Device&, const GemmBuffers&, GemmData&);
// Every element of D, and its padding.
GemmVerdict verdict(const GemmCase&);

}  // namespace wavesmith::tools
