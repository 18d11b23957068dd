// Kernel arguments and the ABI's initial registers (AMDGPUUsage, "Initial Kernel Execution State": kernarg pointer,
// then ids).
#include "generator/dsl/kernel.h"

#include <algorithm>
#include <cctype>

namespace wavesmith {

Kernel::Kernel(std::string n, Arch a, int size, Where w)
    : name(std::move(n)), arch(a), workgroup_size(size), where(w), r(a), k(a) {
  const auto letter = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '$';
  };  // an ELF symbol's; '@' begins a version
  if (name.empty() || name.size() > 255 || std::isdigit(static_cast<unsigned char>(name[0])) ||
      !std::ranges::all_of(name, letter) || name == "." || name.ends_with(".kd"))
    throw isa::IsaError(fmt::format(
        "{}: kernel name '{}'; legal: 1 to 255 letters, digits, '_', '.' and '$', not starting with a digit and not "
        "ending in .kd",
        place(w), name));
  const int wave = isa::target(a).wave_size;
  if (size < wave || size > 1024 || size % wave)
    throw isa::IsaError(
        fmt::format("{}: {}: a workgroup of {} lanes; legal: multiples of {} up to 1024", place(w), name, size, wave));
  kernargs = r.s.alloc(2, "kernel argument address");
  workgroup = r.s.alloc(3, "workgroup id x, y, z", 1);
  workitem = r.v.alloc(1, "work-item id");
  k.nodes.reserve(4096);  // a megabyte once: growing would touch, and fault in, twice as much
}

namespace {
const Argument& declare(std::vector<Argument>& all, Argument a) {
  const int end = all.empty() ? 0 : all.back().offset + all.back().size;
  a.offset = (end + a.size - 1) / a.size * a.size;
  return all.emplace_back(std::move(a));
}
}  // namespace

const Argument Kernel::pointer(std::string n, std::string type) {
  return declare(arguments, {std::move(n), std::move(type) + "*", 0, 8, true});
}
const Argument Kernel::value(std::string n, std::string type) {
  const int size = type == "u64" || type == "i64" || type == "f64" ? 8 : 4;
  return declare(arguments, {std::move(n), std::move(type), 0, size, false});
}

Node& Kernel::load(Sgpr dst, const Argument& a, Where w) {
  static constexpr std::pair<int, Opcode> widths[] = {{1, Opcode::s_load_dword},
                                                      {2, Opcode::s_load_dwordx2},
                                                      {4, Opcode::s_load_dwordx4},
                                                      {8, Opcode::s_load_dwordx8},
                                                      {16, Opcode::s_load_dwordx16}};
  for (const auto& [dwords, op] : widths)
    if (dwords == dst.dwords) {
      Node& n = k.emit(op, {dst.operand(), kernargs.operand(), isa::imm(a.offset)}, {}, w);
      n.note = a.name;
      return n;
    }
  throw isa::IsaError(
      fmt::format("{}: scalar load of '{}' into {} dwords; legal: 1, 2, 4, 8, 16", place(w), a.name, dst.dwords));
}

}  // namespace wavesmith
