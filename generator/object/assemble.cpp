// Program -> bytes. Branches are the only instructions whose encoding depends on others: simm16 counts dwords from the
// next one.
#include <chrono>
#include <set>
#include <string_view>

#include "generator/dsl/program.h"
#include "generator/passes/passes.h"
#include "isa_tables/mc/mc.h"

namespace wavesmith {
namespace {

isa::Mc& mc_for(Arch arch) {  // encoding templates are built once per target and thread
  thread_local std::map<Arch, isa::Mc> all;
  const auto it = all.find(arch);
  return it != all.end() ? it->second : all.emplace(arch, isa::Mc(arch)).first->second;
}

}  // namespace

EncodedProgram encode(const Program& p) {
  struct Fixup {
    size_t at;
    int label;
    const Node* node;
  };
  EncodedProgram out;
  std::vector<uint8_t>& text = out.text;
  text.reserve(p.nodes.size() * 8), out.offsets.reserve(p.nodes.size());
  std::vector<int64_t> address(p.labels.size(), -1);
  std::vector<Fixup> fixups;
  isa::Mc& mc = mc_for(p.arch);
  std::vector<Inst> code;
  std::vector<const Node*> of_code;
  code.reserve(p.nodes.size()), of_code.reserve(p.nodes.size());
  for (const Node& n : p.nodes)
    if (!n.as<directive::Label>()) code.push_back(in_banks(n.inst)), of_code.push_back(&n);
  std::vector<uint32_t> begins;
  try {
    mc.encode(code, text, begins);
  } catch (const isa::IsaError& e) {
    throw isa::IsaError(fmt::format("{}: {}", place(*of_code[begins.size() - 1]), e.what()));
  }
  begins.push_back(static_cast<uint32_t>(text.size()));
  size_t next = 0;  // instruction
  for (const Node& n : p.nodes) {
    const uint32_t at = begins[next];
    out.offsets.push_back(at);
    if (const auto* label = n.as<directive::Label>()) {
      if (address[label->id] >= 0)
        throw isa::IsaError(
            fmt::format("{}: label '{}' is bound a second time; legal: once", place(n), p.labels[label->id]));
      address[label->id] = at;
      continue;
    }
    const Operand& first = n.inst.operands[0];
    if (first.file == File::label) fixups.push_back({at, first.index, &n});
    ++next;
  }
  for (const auto& f : fixups) {
    const int64_t distance = (address[f.label] - static_cast<int64_t>(f.at) - 4) / 4;
    if (address[f.label] < 0)
      throw isa::IsaError(fmt::format("{}: {} to '{}', which is not bound; legal: a label that is", place(*f.node),
                                      f.node->inst.info().mnemonic, p.labels[f.label]));
    if (distance < INT16_MIN || distance > INT16_MAX)
      throw BranchOutOfRange(fmt::format("{}: {} to '{}': {} dwords away; legal: -32768 to 32767", place(*f.node),
                                         f.node->inst.info().mnemonic, p.labels[f.label], distance));
    text[f.at] = static_cast<uint8_t>(distance);
    text[f.at + 1] = static_cast<uint8_t>(distance >> 8);
  }
  return out;
}

Assembled assemble(std::span<const Program> programs) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto seconds = [](auto from, auto to) { return std::chrono::duration<double>(to - from).count(); };
  if (programs.empty()) throw isa::IsaError("no program to assemble; legal: one or more");
  std::set<std::string_view> names;
  for (const Program& p : programs) {
    if (p.arch != programs[0].arch)
      throw isa::IsaError(fmt::format("kernels '{}' of {} and '{}' of {} in one code object; legal: one target",
                                      programs[0].name, isa::target(programs[0].arch).name, p.name,
                                      isa::target(p.arch).name));
    if (!names.insert(p.name).second)
      throw isa::IsaError(fmt::format("two kernels are named '{}'; legal: a name of its own for each", p.name));
  }
  Assembled co;
  const auto start = now();
  std::vector<EncodedProgram> code;
  for (const Program& p : programs) code.push_back(encode(p)), co.code_bytes += code.back().text.size();
  const auto encoded = now();
  co.bytes = isa::link(object_file(programs, code), isa::Linked::hardly_larger);
  co.encode_seconds = seconds(start, encoded);
  co.link_seconds = seconds(encoded, now());
  return co;
}

}  // namespace wavesmith
