// A Stream is a Block with control flow: loops and branches are scopes, so a label's text is never repeated.
#pragma once
#include "generator/dsl/block.h"

namespace wavesmith {

struct LoopOptions {
  bool hot = false;
};  // hot: hazards are errors in it, never s_nops

class Stream : public Block {
 public:
  explicit Stream(Arch arch) : Block(arch) {}
  using Block::operator<<;

  // Runs `body` `trips` times, counting the register down to zero; trips must be at least 1 (guard with when_scc).
  template <class Body>
  void loop(std::string name, Sgpr trips, Body body, LoopOptions options = {}, Where w = Where::current()) {
    const int top = new_label(std::move(name));
    const bool outer = std::exchange(hot_, hot_ || options.hot);
    const size_t first = nodes.size();
    bind(top);
    body();
    s_sub_u32(trips, trips, 1, {}, w);
    s_cmp_lg_u32(trips, 0, {}, w);
    s_cbranch_scc1(LabelArg{isa::label(top)}, {}, w);
    for (size_t i = first; i < nodes.size(); ++i) nodes[i].hot |= hot_;
    hot_ = outer;
  }
  // Runs `body` if SCC equals `value`.
  template <class Body>
  void when_scc(bool value, std::string name, Body body, Where w = Where::current()) {
    const int past = new_label(std::move(name));
    if (value) s_cbranch_scc0(LabelArg{isa::label(past)}, {}, w);
    else s_cbranch_scc1(LabelArg{isa::label(past)}, {}, w);
    body();
    bind(past);
  }
  // Runs `body` if any lane is active.
  template <class Body>
  void when_any_lane(std::string name, Body body, Where w = Where::current()) {
    const int past = new_label(std::move(name));
    s_cbranch_execz(LabelArg{isa::label(past)}, {}, w);
    body();
    bind(past);
  }

  // Takes the nodes from number `first` on, to be placed elsewhere.
  Block cut(size_t first, const char* name) {
    Block b(arch(), name);
    const auto from = nodes.begin() + static_cast<std::ptrdiff_t>(first);
    b.nodes.assign(from, nodes.end());
    nodes.erase(from, nodes.end());
    return b;
  }

  int new_label(std::string name) {
    labels.push_back(std::move(name));
    return static_cast<int>(labels.size()) - 1;
  }
  std::vector<std::string> labels;  // name by number

 private:
  bool hot_ = false;
};

}  // namespace wavesmith
