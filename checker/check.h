// Static analysis of a kernel's code: wait states, registers in flight, registers never written, registers and LDS
// beyond what is allocated, LDS order between waves, code that runs off its end. docs/reference/check.md states what
// each rule proves and what it leaves out. A finding is meant to be a fault on some path of the control flow; indirect
// jumps and calls are assumed to define every register and to complete every load.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "checker/code.h"

namespace wavesmith::checker {

struct Finding {
  std::string kernel;
  uint64_t pc = 0;  // in a file: code object address; otherwise the number of the node
  std::string instruction, rule, source;
  std::string where;        // the author's line and Block, if known
  std::string what, legal;  // what is wrong here; what would be legal
  bool advice = false;      // correct, but slower than necessary
};

struct Result {
  std::vector<Finding> findings;  // by pc, advice included
  uint64_t instructions = 0;      // reachable, of all kernels and functions
  bool good() const {
    return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return !f.advice; });
  }
  void add(Result&&);
};

// What the hardware allocates for a kernel, and the state at its entry.
struct Entry {
  std::string name;
  RegBits written{};
  int vgprs = 256, agprs = 0, sgprs = 106;  // allocated, by register name
  int lds_bytes = 0;                        // limit of addresses
  int workgroup_size = 1024;                // the largest, lanes
  bool function = false;                    // called by others: its registers are unknown
  std::optional<int> unset_offset;          // the scratch offset's SGPR, where the descriptor does not request it
};
Entry entry_of(const sim::KernelInfo&, Arch);

struct Options {
  bool advice = true;
};

// One kernel of a code object, with the functions it calls at known addresses.
Result check(const sim::CodeObject&, const sim::KernelInfo&, Decoder&, const Options& = {});
// A function of the symbol table that is not a kernel.
Result check(const sim::CodeObject&, const sim::Symbol&, Decoder&, const Options& = {});
// Code that is not in a file (generator/passes/check_program.h); `kernel` describes how its waves start.
Result check(const Code&, const Entry&, const sim::KernelInfo& kernel, const Options& = {});

}  // namespace wavesmith::checker
