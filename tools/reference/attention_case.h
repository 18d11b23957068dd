// Attention as `verify`, `time` and `bench` ask for it: kernel, problem and tensors, on the host and on a device.
#pragma once
#include "tools/options/attention_options.h"
#include "tools/options/launch.h"
#include "tools/options/needs.h"
#include "tools/reference/attention_reference.h"

namespace wavesmith::tools {

struct AttentionQuestion {
  AttentionOptions attention;
  DeviceOptions device;
  AttentionProblem problem{.batch = 0, .kv_heads = 0};  // 0: not given
  Force force;
  std::string queries, keys, init = "rand";
  uint64_t seed = 1;
};
// Kernel, problem, tensors; not the device.
void declare_attention_question(CLI::App&, AttentionQuestion&);
struct AttentionCase {
  AttentionOptions options;  // as asked
  BuiltAttention built;
  AttentionProblem problem;
  AttentionTensors tensors;
};
// Generates and fills. InputError, ConfigError.
AttentionCase make_case(const AttentionQuestion&);

struct AttentionBuffers {
  AttentionPointers at;
  std::vector<runtime::Buffer> all;
  runtime::Buffer o, lse;
  std::vector<KernelLaunch> launch;
};
AttentionBuffers upload(runtime::Device&, const AttentionCase&);
void download(const runtime::Device&, const AttentionBuffers&, AttentionTensors&);

}  // namespace wavesmith::tools
