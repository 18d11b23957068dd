// verify attention and time attention: what forward and backward share.
#pragma once
#include "tools/commands/verify.h"
#include "tools/options/matrices.h"
#include "tools/reference/attention_case.h"

namespace wavesmith::tools {

struct VerifyAttention : AttentionQuestion {
  OutputFiles files;
  bool json = false;
};

using Lengths = std::vector<uint32_t>;
// The lengths given: one number, or one per batch. One number for packed sequences: random lengths with that mean.
Lengths lengths(const std::string& text, const char* option, const AttentionQuestion&, uint32_t batch, uint64_t seed);
Init init_of(const std::string& word);
void load_rows(HostMatrix&, const std::string& path, const std::vector<uint64_t>& shape);  // in C order

// verify_backward.cpp
int verify_backward(const VerifyAttention&);
void launch_backward(const AttentionQuestion&, runtime::Device&);

}  // namespace wavesmith::tools
