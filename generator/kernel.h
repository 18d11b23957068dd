// A kernel: arguments, registers, a stream; then a Program (lowered by the passes), its .s text and its code object.
#pragma once
#include "generator/stream.h"

namespace wavesmith {

struct Argument {
  std::string name, type;    // type: "u32", "f32", "f16*"
  int offset = 0, size = 0;  // bytes in the kernarg segment
  bool pointer = false;
};

struct Kernel {
  // Workgroup size in lanes, one-dimensional. Error: IsaError if it is no multiple of the wave size or above 1024.
  Kernel(std::string name, Arch, int workgroup_size);

  std::string name;
  Arch arch;
  int workgroup_size;
  int lds_bytes = 0;
  std::vector<Argument> arguments;
  Registers r;
  Stream k;

  // What a wave begins with: kernarg segment address, work-group ids, work-item id (x). Where the hardware has the ids
  // in trap registers, lower() puts those that are read into `workgroup`. On gfx1250 they are the grid's in a launch
  // without clusters.
  Owned<File::s> kernargs;
  Owned<File::s> workgroup;  // x, y, z
  Owned<File::v> workitem;

  // Declared in order, each aligned to its size.
  const Argument pointer(std::string name, std::string type = "u8");
  const Argument value(std::string name, std::string type);  // u32 i32 f32 u64 i64
  // Scalar load of consecutive arguments, as many dwords as `dst` has. Error: IsaError when the argument's size does
  // not fit.
  Node& load(Sgpr dst, const Argument& first, Where w = Where::current());
  int kernarg_bytes() const { return arguments.empty() ? 0 : arguments.back().offset + arguments.back().size; }
};

struct Program {
  std::string name;
  Arch arch{};
  int workgroup_size = 0, lds_bytes = 0, kernarg_bytes = 0;
  int vgprs = 0, agprs = 0, sgprs = 0;  // used
  std::vector<Argument> arguments;
  std::vector<std::string> labels;
  std::vector<Node> nodes;  // instructions and labels only

  int total_vgprs() const;   // arch + accumulation registers as the descriptor counts them
  int accum_offset() const;  // first AGPR in a unified file
};

// Work-group ids where they belong, then the passes: waits, hazards. Error: HazardError, IsaError.
Program lower(Kernel&&);

// .text bytes with branches resolved. Error: IsaError (LLVM's message, branch out of range).
std::vector<uint8_t> encode(const Program&);
// Relocatable ELF (code object v5: kernel descriptor, metadata note) around `text`; link() makes the .co of it.
std::vector<uint8_t> object_file(const Program&, std::span<const uint8_t> text);
// What llvm-mc and ld.lld turn into the same .text bytes.
std::string assembly(const Program&);

struct CodeObject {
  std::vector<uint8_t> bytes;
  size_t code_bytes = 0;
  double encode_seconds = 0, link_seconds = 0;  // wall clock
};
CodeObject assemble(const Program&);

}  // namespace wavesmith
