// Matrix products that are put off: as long as nobody looks at an accumulator, the pairs of A and B that go into it are
// only noted, and then summed in one pass over it. A and B are kept as f32 from one instruction to the next, until
// their registers are written. Sums are those of one instruction after the other, bit for bit: each element is added to
// in the same order.
#pragma once
#include "simulator/matrix.h"

namespace wavesmith::sim {

struct Program;
// Numbers the operands and accumulators of a program's matrix steps; says which steps look at accumulators, and which
// write operands.
void mark_deferred(Program&);

class DeferredProducts {
 public:
  explicit DeferredProducts(const Program&);
  // Notes the step's product. False: nothing was done, since this step (Step::chain) has something of its own under
  // this wave's MODE.
  bool put_off(Wave&, const Step&);
  // Does what was put off: before anything but put_off touches an accumulator.
  void settle(Wave&);
  // The step (any step, without one) has written registers that may hold A or B.
  void written(const Step& st) {
    for (const u16 n : st.feeds) fragments_[n].valid = false;
  }
  void written() {
    for (Fragment& f : fragments_) f.valid = false;
  }
  // A (0) or B (1) of a step that has a fragment there: good until this fragment is made anew.
  const Gathered& fragment(Wave&, const Step&, int side, bool coded);
  // Another work-group has the registers.
  void reset();

 private:
  static constexpr u32 most_links = 32;
  struct Chain {
    const Plan* plan = nullptr;
    int accumulator = 0;
    u32 count = 0;
    Factors links[most_links];
  };
  struct alignas(64) Fragment {  // what each look needs lies in one line of the host's cache
    const f32* x = nullptr;
    u32 noted = 0;  // the round in which a link last referred to it
    bool valid = false, coded = false;
    std::vector<u32> memory;  // elements, codes
    Gathered gathered;
  };
  Fragment& current(Wave&, const Step&, int side, bool coded);
  void make(Wave&, const Step&, int side, bool coded, Fragment&);
  const f32* note(Wave&, const Step&, int side);
  void start(Wave&, const Step&, Chain&);
  void forget();

  std::vector<Chain> chains_;        // by Step::chain
  std::vector<Fragment> fragments_;  // by Step::fragment
  std::vector<u16> started_;         // chains with links
  RegBits pending_{};                // registers of their accumulators
  u32 round_ = 1;                    // counts settlements
  size_t noted_bytes_ = 0;
  std::vector<std::vector<u32>> retired_,
      spare_;  // memory of what links refer to but registers no longer hold; memory for reuse
};

}  // namespace wavesmith::sim
