// A lowered kernel: instructions and labels in their final order, with what the kernel descriptor needs; its text and
// its code object.
#pragma once
#include <array>
#include <span>

#include "generator/dsl/node.h"

namespace wavesmith {

struct Argument {
  std::string name, type;    // type: "u32", "f32", "f16*"
  int offset = 0, size = 0;  // bytes in the kernarg segment
  bool pointer = false;
};

struct Program {
  std::string name;
  Arch arch{};
  int workgroup_size = 0, lds_bytes = 0, kernarg_bytes = 0;
  int preloaded_dwords = 0;             // of the arguments, in SGPRs from 2 on
  std::array<int, 3> cluster{};         // workgroups of a cluster; zeros: the kernel does not say
  int vgprs = 0, agprs = 0, sgprs = 0;  // used
  std::vector<Argument> arguments;
  std::vector<NamedRegisters>
      registers;  // what was allocated under which name; of two that overlap, one after the other
  std::vector<std::string> labels;
  std::vector<Node> nodes;  // instructions and labels only

  int total_vgprs() const;   // VGPRs plus AGPRs, as the descriptor counts them
  int accum_offset() const;  // first AGPR in a unified file
};

struct EncodedProgram {
  std::vector<uint8_t> text;      // .text, with branches resolved
  std::vector<uint32_t> offsets;  // of each node in it
};
// A label is further from a branch than its 16 bits of dwords reach.
struct BranchOutOfRange : isa::IsaError {
  using isa::IsaError::IsaError;
};
// Error: IsaError (LLVM's message), BranchOutOfRange.
EncodedProgram encode(const Program&);
// Relocatable ELF (code object v5: kernel descriptors, metadata note, labels, source lines) of one or more kernels of a
// target; link() turns it into the .co.
std::vector<uint8_t> object_file(std::span<const Program>, std::span<const EncodedProgram>);
inline std::vector<uint8_t> object_file(const Program& p, const EncodedProgram& e) {
  return object_file(std::span(&p, 1), std::span(&e, 1));
}
// Assembly text from which llvm-mc and ld.lld produce the same .text bytes.
std::string assembly(std::span<const Program>);
inline std::string assembly(const Program& p) { return assembly(std::span(&p, 1)); }

struct Assembled {
  std::vector<uint8_t> bytes;
  size_t code_bytes = 0;
  double encode_seconds = 0, link_seconds = 0;  // wall clock
};
Assembled assemble(std::span<const Program>);
inline Assembled assemble(const Program& p) { return assemble(std::span(&p, 1)); }

}  // namespace wavesmith
