// Deferred matrix products: until an accumulator is read, the pairs of A and B that go into it are only recorded, and
// then summed in one pass over it. A and B are cached as f32 until their registers are written. Sums equal those of
// sequential execution bit for bit: each element is accumulated in the same order.
#pragma once
#include "simulator/matrix.h"

namespace wavesmith::sim {

struct DecodedKernel;
// Numbers the operands and accumulators of a program's matrix steps; marks the steps that read accumulators and those
// that write operands.
void mark_deferred(DecodedKernel&);

class DeferredProducts {
 public:
  explicit DeferredProducts(const DecodedKernel&);
  // Records the step's product. False: nothing was done, because this step (Step::chain) cannot be deferred under this
  // wave's MODE.
  bool put_off(Wave&, const Step&);
  // Computes the deferred products. Call before anything except put_off accesses an accumulator.
  void settle(Wave&);
  // The step (any step, if none is given) has written registers that may hold A or B.
  void written(const Step& st) {
    for (const u16 n : st.feeds) fragments_[n].valid = false;
  }
  void written() {
    for (Fragment& f : fragments_) f.valid = false;
  }
  // A (0) or B (1) of a step with a fragment there: valid until this fragment is rebuilt.
  const Gathered& fragment(Wave&, const Step&, int side, bool coded);
  // The registers now belong to another workgroup.
  void reset();

 private:
  static constexpr u32 most_links = 32;
  struct Chain {
    const MatrixPlan* plan = nullptr;
    int accumulator = 0;
    u32 count = 0;
    Factors links[most_links];
  };
  struct alignas(64) Fragment {  // what each access needs is in one line of the host's cache
    const f32* x = nullptr;
    u32 noted = 0;  // the last round in which a link referred to it
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
      spare_;  // storage that links refer to but registers no longer hold; storage for reuse
};

}  // namespace wavesmith::sim
