// Basic blocks over a list of nodes: a block starts at a label or after a branch. Blocks are in program order, which is
// also the order in which the passes walk them; back edges make them iterate.
#pragma once
#include <cstring>

#include "generator/dsl/node.h"
#include "isa_tables/dataflow.h"

namespace wavesmith {

struct Cfg {
  struct Span {
    int begin = 0, end = 0;          // nodes [begin, end)
    int next[2] = {absent, absent};  // fall through, branch target
  };
  std::vector<Span> blocks;
  isa::Edges edges() const {
    return isa::Edges(blocks.size(), [&](size_t b, auto f) {
      f(blocks[b].next[0]);
      if (blocks[b].next[1] != blocks[b].next[0]) f(blocks[b].next[1]);
    });
  }
};

// Error: IsaError for a branch whose target is not a label of the list.
inline Cfg build_cfg(const std::vector<Node>& nodes) {
  Cfg cfg;
  std::vector<int> block_of_label;
  std::vector<std::pair<int, int>> branches;  // block, node
  const auto leaves = [](const Node& n) {
    return n.is_instruction() && (n.inst.info().implicit & (isa::pc_w | isa::ends));
  };
  const int size = static_cast<int>(nodes.size());
  bool left = true;  // the previous node ends its block
  for (int i = 0; i < size; ++i) {
    const auto* label = nodes[i].as<directive::Label>();
    if (label || left) {
      if (i) cfg.blocks.back().end = i;
      cfg.blocks.push_back({i, size, {absent, absent}});
    }
    if (label) {
      if (label->id >= static_cast<int>(block_of_label.size())) block_of_label.resize(label->id + 1, absent);
      block_of_label[label->id] = static_cast<int>(cfg.blocks.size()) - 1;
    }
    left = leaves(nodes[i]);
    if (left) branches.emplace_back(static_cast<int>(cfg.blocks.size()) - 1, i);
  }
  const int count = static_cast<int>(cfg.blocks.size());
  for (int b = 0; b + 1 < count; ++b) cfg.blocks[b].next[0] = b + 1;
  for (auto [b, i] : branches) {
    const auto& row = nodes[i].inst.info();
    const bool conditional = row.implicit & (isa::scc_r | isa::vcc_r | isa::exec_r);
    if (!conditional) cfg.blocks[b].next[0] = absent;
    if (row.implicit & isa::ends) continue;
    const Operand& target = nodes[i].inst.operands[0];
    const int found =
        target.file == isa::File::label && target.index < block_of_label.size() ? block_of_label[target.index] : absent;
    if (found == absent)
      throw isa::IsaError(fmt::format("{}: {}: the branch target is not a label of this kernel; legal: a label",
                                      place(nodes[i]), row.mnemonic));
    cfg.blocks[b].next[1] = found;
  }
  return cfg;
}

}  // namespace wavesmith
