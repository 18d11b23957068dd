// The .s of kernels. llvm-mc assembles it to the same .text bytes.
#include <algorithm>

#include "generator/dsl/origin.h"
#include "generator/object/descriptor.h"
#include "generator/passes/passes.h"

namespace wavesmith {
namespace {

std::string target_lines(Arch arch) {
  return fmt::format("\t.amdgcn_target \"amdgcn-amd-amdhsa--{}\"\n\t.amdhsa_code_object_version 5\n",
                     isa::target(arch).name);
}
std::string header(const Program& p) {
  return fmt::format("\t.text\n\t.protected {}\n\t.globl {}\n\t.p2align 8\n\t.type {},@function\n{}:\n", p.name, p.name,
                     p.name, p.name);
}

// `end`: the label after its code.
std::string descriptor(const Program& p, const std::string& end) {
  std::string out = fmt::format("{}:\n\t.size {}, {}-{}\n\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel {}\n", end, p.name,
                                end, p.name, p.name);
  const auto set = [&](const char* name, int value) { out += fmt::format("\t\t.amdhsa_{} {}\n", name, value); };
  set("group_segment_fixed_size", p.lds_bytes);
  set("kernarg_size", p.kernarg_bytes);
  set("user_sgpr_kernarg_segment_ptr", 1);
  if (p.preloaded_dwords) set("user_sgpr_kernarg_preload_length", p.preloaded_dwords);
  set("system_sgpr_workgroup_id_x", 1);
  set("system_sgpr_workgroup_id_y", 1);
  set("system_sgpr_workgroup_id_z", 1);
  set("next_free_vgpr", std::max(p.total_vgprs(), 1));
  set("next_free_sgpr", p.sgprs);
  if (isa::target(p.arch).unified) set("accum_offset", p.accum_offset());
  set("float_denorm_mode_32", 3);
  return out + "\t.end_amdhsa_kernel\n\n";
}

// The name of each register, in order of the first register. Names of the same registers are in order of allocation.
std::string register_map(const Program& p) {
  auto all = p.registers;
  std::ranges::stable_sort(all, {},
                           [](const NamedRegisters& r) { return std::pair(r.registers.file, r.registers.index); });
  std::string out = all.empty() ? "" : "\t; registers\n";
  for (size_t i = 0; i < all.size(); ++i) {
    const bool again = i && all[i].registers == all[i - 1].registers;
    if (again) out.insert(out.size() - 1, "; " + all[i].name);
    else out += fmt::format("\t;   {:<10} {}\n", isa::print(all[i].registers), all[i].name);
  }
  return out;
}

// Number of consecutive instructions from `first` on with one origin.
int run_length(const std::vector<Node>& nodes, size_t first) {
  const Origin from(nodes[first]);
  size_t i = first;
  while (i < nodes.size() && nodes[i].is_instruction() && Origin(nodes[i]) == from) ++i;
  return static_cast<int>(i - first);
}

// Labels are numbered from `first` on.
Program with_labels_from(Program p, size_t first) {
  p.labels.insert(p.labels.begin(), first, "");
  for (Node& n : p.nodes) {
    if (auto* label = n.directive ? std::get_if<directive::Label>(&*n.directive) : nullptr)
      label->id += static_cast<int>(first);
    else if (isa::Operand& o = n.inst.operands[0]; n.is_instruction() && o.file == File::label)
      o.index = static_cast<uint16_t>(o.index + first);
  }
  return p;
}

// Four or more consecutive instructions of one Block get a line with its name before them; fewer get a comment after
// the first instruction.
std::string code(const Program& p) {
  std::string out = header(p) + register_map(p);
  Origin last;
  for (size_t i = 0; i < p.nodes.size(); ++i) {
    const Node& n = p.nodes[i];
    if (const auto* label = n.as<directive::Label>()) {
      out += fmt::format(".L{}:  ; {}\n", label->id, p.labels[label->id]);
      continue;
    }
    const Origin from(n);
    const bool names = !from.block.empty() && from != last, own_line = names && run_length(p.nodes, i) >= 4;
    last = from;
    if (own_line) out += fmt::format("\t; -- {}\n", from.text());
    const Inst encoded = in_banks(n.inst);
    out += "\t" + isa::print(encoded, p.arch);
    if (!(encoded == n.inst)) out += "  ; " + isa::print(n.inst, p.arch);
    if (names && !own_line) out += "  ; -- " + from.text();
    if (!n.note.empty()) out += (names && !own_line ? ": " : "  ; ") + n.note;
    out += '\n';
  }
  return out;
}

}  // namespace

std::string assembly(std::span<const Program> programs) {
  std::string out = target_lines(programs[0].arch);
  size_t labels = 0;
  for (const Program& p : programs) {
    out += labels ? code(with_labels_from(p, labels)) : code(p);
    out += descriptor(p, &p == programs.data() ? ".Lend" : fmt::format(".Lend_{}", p.name));
    labels += p.labels.size();
  }
  return out + "\t.amdgpu_metadata\n" + metadata_yaml(programs) + "\t.end_amdgpu_metadata\n";
}

}  // namespace wavesmith
