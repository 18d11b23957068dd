// Live registers of a kernel by basic block, for `inspect --registers`.
#pragma once
#include <map>
#include <string>

#include "tools/print/report_liveness.h"

namespace wavesmith::tools {

struct LiveBlock {
  uint64_t pc = 0;  // of its first instruction
  std::string label;
  int instructions = 0;
  Live most;             // the most of each file at one of its instructions
  uint64_t fullest = 0;  // pc of the first instruction with the most VGPRs and AGPRs
  std::string where;     // that instruction's source line, if the code object has it
};
struct LiveRegisters {
  std::vector<LiveBlock> blocks;  // in the order of addresses, of the code reachable from the entry
  std::map<uint64_t, Live> at;    // by pc
  int indirect = 0;               // as Pressure::indirect
};
LiveRegisters live_registers(const sim::CodeObject&, const sim::KernelInfo&);

}  // namespace wavesmith::tools
