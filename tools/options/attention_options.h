// The attention kernel a user asks for, in this project's words (--head-dim 128 --causal) or the letters of Composable
// Kernel's examples
// (-d=128 -mask=b).
#pragma once
#include <CLI/CLI.hpp>

#include "kernels/attention/backward.h"
#include "tools/options/built.h"

namespace wavesmith::tools {

struct AttentionOptions {
  std::string arch, gpu;  // gpu: for the target, where there is no arch
  std::string type = "bf16", o_type, q_type, kv_type, kernel;
  std::string scale_rows, v_type;
  int page_size = 0;
  int latent_rows = 0;
  bool latent = false, sinks = false, prefix = false, bias = false, documents = false;
  float dropout = 0;
  int head_dim = 128, head_dim_v = 0;
  std::string mask = "0", schedule, window_keys;
  std::optional<float> cap;
  int mode = 0;  // Composable Kernel's option for varlen: 1
  bool causal = false, lse = false, gqa = false, varlen = false, no_check = false, with_alibi = false;
  bool backward = false, deterministic = false, explain = false;
  std::string reduction;
  void declare(CLI::App&);
  isa::Arch target() const;                         // InputError
  AttentionConfig config() const;                   // InputError
  AttentionBackwardConfig backward_config() const;  // InputError
  Mask mask_kind() const;                           // InputError
  bool packed() const { return varlen || mode == 1; }
};

struct BuiltAttention : Built {
  AttentionConfig config;
  std::string schedule_because;  // why this schedule
  std::string schedule() const;  // with its reason
};
BuiltAttention build(const AttentionOptions&);  // InputError, ConfigError

struct BuiltBackward {
  AttentionBackward kernels;
  Assembled object;
  double generate_seconds = 0;
  bool checked = false;
  std::vector<Program> programs() const;
};
BuiltBackward build_backward(const AttentionOptions&);  // InputError, ConfigError
void describe(const BuiltBackward&, Table&);
// Each kernel's facts with its grid, and what the host fills in.
nlohmann::ordered_json backward_facts(const BuiltBackward&, const AttentionOptions&);
void write_files(const BuiltBackward&, const OutputFiles&, const nlohmann::ordered_json& metadata);  // FileError
int deliver(const BuiltBackward&, const OutputFiles&, nlohmann::ordered_json metadata, bool json);

}  // namespace wavesmith::tools
