#include "checker/arrays.h"

#include <algorithm>
#include <set>

namespace wavesmith::checker {
namespace {

int end_of(const Base& b) { return b.reg.file == File::s ? scalar_base + isa::sreg::vcc : scalar_base; }
bool is_base(const Item& item, int reg) {
  return std::any_of(item.bases.begin(), item.bases.end(), [&](const Base& b) { return number_of(b.reg) == reg; });
}

// Transfer over one instruction, backwards: the registers that this and later instructions read by name.
void before(const Item& item, RegBits& named) {
  if (!item.refusal.empty() || item.flow == Flow::call) return named.fill(~uint64_t{0});
  if (item.bases.empty())
    item.writes.each([&](int r) { named[static_cast<size_t>(r / 64)] &= ~(uint64_t{1} << r % 64); });
  item.reads.each([&](int r) {
    if (!is_base(item, r)) named[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
  });
}

}  // namespace

Arrays::Arrays(const Code& code) : code_(code) {
  if (!code.some.indexed) return;
  std::set<int> bases;
  for (const CodeLine& l : code.lines)
    for (const Base& b : l.item->bases) bases.insert(number_of(b.reg));
  bases_.assign(bases.begin(), bases.end());
  isa::States<RegBits> out(code.blocks.size(), RegBits{});
  isa::solve<isa::Direction::backward>(
      edges(code), out,
      [&](RegBits& named, size_t b, bool) {
        for (int i = code.blocks[b].end; i-- > code.blocks[b].begin;)
          before(*code.lines[static_cast<size_t>(i)].item, named);
        return true;
      },
      isa::unite);
  for (const auto& named : out) out_.push_back(*named);
}

RegBits Arrays::elements(int line, const Base& base) const {
  const auto block = std::upper_bound(code_.blocks.begin(), code_.blocks.end(), line,
                                      [](int l, const Span& b) { return l < b.begin; }) -
                     1;
  RegBits named = out_[static_cast<size_t>(block - code_.blocks.begin())], out{};
  for (int i = block->end; i-- > line + 1;) before(*code_.lines[static_cast<size_t>(i)].item, named);
  const int first = number_of(base.reg);
  const auto next = std::upper_bound(bases_.begin(), bases_.end(), first);
  const int end = next == bases_.end() ? end_of(base) : std::min(*next, end_of(base));
  for (int r = first + base.reg.dwords; r < end && !(named[static_cast<size_t>(r / 64)] >> r % 64 & 1); ++r)
    out[static_cast<size_t>(r / 64)] |= uint64_t{1} << r % 64;
  return out;
}

}  // namespace wavesmith::checker
