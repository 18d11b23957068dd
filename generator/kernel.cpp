// Kernel arguments and the ABI's initial registers (AMDGPUUsage, "Initial Kernel Execution State": kernarg pointer,
// then ids).
#include "generator/kernel.h"

#include <algorithm>
#include <cctype>

#include "generator/cfg.h"
#include "generator/passes.h"

namespace wavesmith {

Kernel::Kernel(std::string n, Arch a, int size) : name(std::move(n)), arch(a), workgroup_size(size), r(a), k(a) {
  const auto letter = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '$';
  };  // an ELF symbol's; '@' begins a version
  if (name.empty() || name.size() > 255 || std::isdigit(static_cast<unsigned char>(name[0])) ||
      !std::ranges::all_of(name, letter) || name == "." || name.ends_with(".kd"))
    throw isa::IsaError(
        fmt::format("kernel name '{}'; legal are 1 to 255 letters, digits, '_', '.' and '$', of which a digit is not "
                    "the first and .kd not the end",
                    name));
  const int wave = isa::target(a).wave_size;
  if (size < wave || size > 1024 || size % wave)
    throw isa::IsaError(
        fmt::format("{}: a workgroup of {} lanes; legal are multiples of {} up to 1024", name, size, wave));
  kernargs = r.s.alloc(2, "kernel argument address");
  workgroup = r.s.alloc(3, "work-group id x, y, z", 1);
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
      fmt::format("{}: scalar load of '{}' into {} dwords; legal are 1, 2, 4, 8, 16", name, a.name, dst.dwords));
}

int Program::accum_offset() const { return (std::max(vgprs, 1) + 3) / 4 * 4; }
int Program::total_vgprs() const {
  const auto& t = isa::target(arch);
  return t.unified && agprs ? accum_offset() + agprs : std::max(vgprs, agprs);
}

namespace {
// gfx12, gfx1250: x in ttmp9, y and z the halves of ttmp7 (AMDGPUUsage, "Initial Kernel Execution State").
void bring_workgroup_ids(Kernel& k) {
  if (!isa::target(k.arch).work_group_ids_in_ttmp()) return;
  constexpr Sgpr x{isa::sreg::ttmp0 + 9, 1}, yz{isa::sreg::ttmp0 + 7, 1};
  std::array<bool, 3> read{};
  for (const Node& n : k.k.nodes) {
    if (n.directive != Directive::none) continue;
    for (const Operand& o : isa::effects(n.inst, k.arch).reads)
      for (int i = 0; i < 3; ++i) read[i] |= o.covers(File::s, k.workgroup.index + i);
  }
  Block b(k.arch, "work-group ids");
  if (read[0]) b.s_mov_b32(k.workgroup[0], x);
  if (read[1]) b.s_and_b32(k.workgroup[1], yz, 0xffff);
  if (read[2]) b.s_lshr_b32(k.workgroup[2], yz, 16);
  k.k.nodes.insert(k.k.nodes.begin(), b.nodes.begin(), b.nodes.end());
}
}  // namespace

Program lower(Kernel&& k) {
  bring_workgroup_ids(k);
  Program p;
  p.name = k.name;
  p.arch = k.arch;
  p.workgroup_size = k.workgroup_size;
  p.lds_bytes = k.lds_bytes;
  p.kernarg_bytes = k.kernarg_bytes();
  p.vgprs = k.r.v.high_water();
  p.agprs = k.r.a.high_water();
  p.sgprs = k.r.s.high_water();
  p.arguments = std::move(k.arguments);
  p.labels = std::move(k.k.labels);
  p.nodes = std::move(k.k.nodes);
  if (k.lds_bytes > isa::target(p.arch).lds_bytes)
    throw isa::IsaError(fmt::format("{}: {} bytes of LDS, {} has {}", p.name, k.lds_bytes, isa::target(p.arch).name,
                                    isa::target(p.arch).lds_bytes));
  for (const Node& n : p.nodes)
    if (n.directive == Directive::sched_group || n.directive == Directive::iglp)
      throw isa::IsaError(fmt::format(
          "{}: {} orders nothing outside of scheduled(); legal is `k << scheduled(block)` with it in the block",
          place(n), n.directive == Directive::iglp ? "iglp_opt" : "sched_group_barrier"));
  insert_waits(p.nodes, p.arch);
  resolve_hazards(p.nodes, p.arch);
  insert_delays(p.nodes, p.arch);
  return p;
}

}  // namespace wavesmith
