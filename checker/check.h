// What is wrong with a kernel, proven from its code alone: wait states, registers in flight, registers never written,
// registers and LDS beyond what is allocated, LDS order between waves, code that runs off its end.
// docs/reference/check.md says what each rule proves and what it leaves out: a finding is meant to be a fault on some
// path of the control flow; code that jumps where it does not say, or calls what cannot be followed, is taken to come
// with every register written and nothing in flight.
#pragma once
#include <string>
#include <vector>

#include "checker/code.h"

namespace wavesmith::checker {

struct Finding {
  std::string kernel;
  uint64_t pc = 0;  // in a file: code object address; else the number of the node
  std::string instruction, rule, source;
  std::string what, legal;  // what is wrong here; what would be right
  bool advice = false;      // it is right, but wasteful
};

struct Result {
  std::vector<Finding> findings;  // by pc; advice among them
  uint64_t instructions = 0;      // reached, of all kernels and functions
  bool good() const {
    return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return !f.advice; });
  }
  void add(Result&&);
};

// What the hardware gives a kernel, and what its first instruction finds.
struct Entry {
  std::string name;
  RegBits written{};
  int vgprs = 256, agprs = 0, sgprs = 106;  // allocated, as the instruction names them
  int lds_bytes = 0;                        // what an address may reach
  int workgroup_size = 1024;                // the largest, lanes
  bool function = false;                    // called by others: nothing is known about registers
  int unset_offset = -1;                    // the scratch offset's SGPR, where the descriptor does not ask for one
};
Entry entry_of(const sim::Kernel&, Arch);

struct Options {
  bool advice = true;
};

// One kernel of a code object. Functions it calls are followed as far as the registers they may write.
Result check(const sim::CodeObject&, const sim::Kernel&, Decoder&, const Options& = {});
// A function of the symbol table that is no kernel.
Result check(const sim::CodeObject&, const sim::Symbol&, Decoder&, const Options& = {});
// Code that is of no file (generator/passes/check_program.h); `kernel` says how its waves start.
Result check(const Code&, const Entry&, const sim::Kernel& kernel, const Options& = {});

}  // namespace wavesmith::checker
