// One loop over the anchors; what differs between interleave() and spread() is how many instructions are due behind an anchor.
#include "generator/interleave.h"

#include <algorithm>
#include <functional>

#include "generator/cfg.h"
#include "isa_tables/issue.h"

namespace wavesmith {
namespace {

bool is_instruction(const Node& n) { return n.directive == Directive::none; }
int instructions(const Block& b) { return static_cast<int>(std::ranges::count_if(b.nodes, is_instruction)); }

struct Cursor {
  const Block* block;
  size_t next = 0;
  int left = 0;

  explicit Cursor(const Block& b) : block(&b), left(instructions(b)) {}
  // Moves one instruction with the directives in front of it; behind the last one also the directives that end the block.
  void place(Block& out) {
    while (!is_instruction(block->nodes[next])) out.nodes.push_back(block->nodes[next++]);
    out.nodes.push_back(block->nodes[next++]);
    if (--left == 0) finish(out);
  }
  void finish(Block& out) { while (next < block->nodes.size()) out.nodes.push_back(block->nodes[next++]); }
};

using Due = std::function<int(size_t side, int anchor)>;   // instructions behind anchor number `anchor`, counted from 1

void check_barrier(const Node& barrier, const std::vector<Cursor>& sides) {
  for (size_t s = 0; s < sides.size(); ++s) {
    const auto& nodes = sides[s].block->nodes;
    for (size_t i = sides[s].next; i < nodes.size(); ++i)
      if (is_instruction(nodes[i]) && !isa::may_cross(barrier.number, nodes[i].inst))
        throw isa::IsaError(fmt::format("{}: interleave: side {} has {} instructions left at sched_barrier(0x{:x}), which {} may not cross; legal is to place them before it",
                                        place(barrier), s, sides[s].left, barrier.number, nodes[i].inst.info().mnemonic));
  }
}

Block merge(const Block& anchors, std::vector<Cursor> sides, const Due& due) {
  Block out(anchors.arch());
  size_t total = anchors.nodes.size();
  for (const auto& s : sides) total += s.block->nodes.size();
  out.nodes.reserve(total);
  for (auto& s : sides) if (!s.left) s.finish(out);        // directives only
  int anchor = 0;
  for (const Node& n : anchors.nodes) {
    if (n.directive == Directive::sched_barrier) check_barrier(n, sides);
    out.nodes.push_back(n);
    if (!is_instruction(n)) continue;
    ++anchor;
    for (size_t s = 0; s < sides.size(); ++s)
      for (int k = due(s, anchor); k > 0 && sides[s].left; --k) sides[s].place(out);
  }
  for (size_t s = 0; s < sides.size(); ++s)
    if (sides[s].left)
      throw isa::IsaError(fmt::format("interleave: side {} left {} of {} instructions after {} anchors", s, sides[s].left, instructions(*sides[s].block), anchor));
  return out;
}

}  // namespace

Block interleave(const Block& anchors, const std::vector<Side>& sides) {
  std::vector<Cursor> cursors;
  for (size_t s = 0; s < sides.size(); ++s) {
    const Slots& x = sides[s].slots;
    if (x.every < 1 || x.count < 1 || x.after < 0)
      throw isa::IsaError(fmt::format("interleave: side {} has every {}, count {}, after {}; legal are every >= 1, count >= 1, after >= 0", s, x.every, x.count, x.after));
    cursors.emplace_back(sides[s].block);
  }
  return merge(anchors, std::move(cursors), [&](size_t s, int anchor) {
    const Slots& x = sides[s].slots;
    return anchor > x.after && (x.until < 0 || anchor <= x.until) && (anchor - x.after) % x.every == 0 ? x.count : 0;
  });
}

Block spread(const Block& anchors, const Block& block) {
  const int64_t gaps = instructions(anchors), n = instructions(block);
  return merge(anchors, {Cursor(block)}, [&](size_t, int anchor) { return static_cast<int>(anchor * n / gaps - (anchor - 1) * n / gaps); });
}

}  // namespace wavesmith
