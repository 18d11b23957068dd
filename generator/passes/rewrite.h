// Removes and inserts nodes in place: a list of nodes is too large to copy in every pass.
#pragma once
#include <utility>
#include <vector>

#include "generator/dsl/node.h"

namespace wavesmith {

// Collects new nodes in program order, then inserts them and removes the nodes that are not kept.
class Rewrite {
 public:
  explicit Rewrite(std::vector<Node>& nodes) : nodes_(nodes) {}
  void insert(size_t before, Node n) { inserted_.push_back({before, std::move(n)}); }
  // Keeps the nodes for which `keep(node)` holds. Nodes inserted before a removed node take its place.
  template <class Keep>
  void apply(Keep keep) {
    size_t kept = 0, next = 0;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      while (next < inserted_.size() && inserted_[next].before == i) inserted_[next++].before = kept;
      if (!keep(nodes_[i])) continue;
      if (kept != i) nodes_[kept] = std::move(nodes_[i]);
      ++kept;
    }
    nodes_.resize(kept);
    nodes_.resize(kept + inserted_.size());
    for (size_t to = nodes_.size(); !inserted_.empty();
         inserted_.pop_back()) {  // backwards, so that every node moves to a free place
      while (kept > inserted_.back().before) nodes_[--to] = std::move(nodes_[--kept]);
      nodes_[--to] = std::move(inserted_.back().node);
    }
  }

 private:
  struct Insertion {
    size_t before;
    Node node;
  };
  std::vector<Node>& nodes_;
  std::vector<Insertion> inserted_;
};

inline bool is_instruction_or_label(const Node& n) { return n.is_instruction() || n.as<directive::Label>(); }

}  // namespace wavesmith
