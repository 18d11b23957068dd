// A kernel while it is being written: arguments, registers, a stream. lower() (generator/passes/lower.h) turns it into
// a Program.
#pragma once
#include "generator/dsl/program.h"
#include "generator/dsl/stream.h"

namespace wavesmith {

struct Kernel {
  // Workgroup size in lanes, one-dimensional. Error: IsaError if it is not a multiple of the wave size or exceeds 1024.
  Kernel(std::string name, Arch, int workgroup_size, Where = Where::current());

  std::string name;
  Arch arch;
  int workgroup_size;
  std::array<int, 3> cluster{};  // workgroups of a cluster (gfx1250); zeros: left to the launch
  Where where;                   // the line that made it
  int lds_bytes = 0;
  std::vector<Argument> arguments;
  Registers r;
  Stream k;

  // The initial state of a wave: kernarg segment address, workgroup ids, work-item id (x). Where the hardware passes
  // the ids in trap registers, lower() copies those that are read into `workgroup`. On gfx1250 they are the position in
  // the grid, with and without clusters, and VCC is overwritten.
  Owned<File::s> kernargs;
  Owned<File::s> workgroup;  // x, y, z
  Owned<File::v> workitem;

  // Declared in order, each aligned to its size.
  const Argument pointer(std::string name, std::string type = "u8");
  const Argument value(std::string name, std::string type);  // u32 i32 f32 u64 i64
  // Scalar load of consecutive arguments, as many dwords as `dst` has. Error: IsaError unless that is 1, 2, 4, 8 or 16.
  Node& load(Sgpr dst, const Argument& first, Where w = Where::current());
  // Into registers() of Arguments (generator/dsl/arguments.h).
  template <class Group>
    requires requires(const Group& g) { g.first().offset; }
  Node& load(const Group& g, Where w = Where::current()) {
    return load(g, g.first(), w);
  }
  int kernarg_bytes() const { return arguments.empty() ? 0 : arguments.back().offset + arguments.back().size; }
};

}  // namespace wavesmith
