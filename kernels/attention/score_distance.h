// Key minus query, both counted from their ends, in the forms in which the changes of a kernel's scores count it.
#pragma once
#include "generator/dsl/block.h"
#include "kernels/attention/score_mods.h"

namespace wavesmith::attention {

class ScoreDistance {
 public:
  ScoreDistance(Registers& r, const std::vector<ScoreMod>& scores) {
    if (count_distances(scores, ScoreMod::Distance::i32)) i32_ = r.v.alloc(1, "key minus query, from their ends");
    if (count_distances(scores, ScoreMod::Distance::f32)) f32_ = r.v.alloc(1, "key minus query, as f32");
  }
  void begin(Block& b, Vgpr distance) const {
    if (i32_.dwords) b.v_mov_b32(i32_, distance);
    if (f32_.dwords) b.v_cvt_f32_i32(f32_, distance);
  }
  void add(Block& b, int rows) const {
    if (i32_.dwords) b.v_add_u32(i32_, rows, i32_);
    if (f32_.dwords) b.v_add_f32(f32_, static_cast<float>(rows), f32_);
  }
  void take_off(Block& b, Sgpr rows, Vgpr scratch) const {
    if (i32_.dwords) b.v_subrev_u32(i32_, rows, i32_);
    if (!f32_.dwords) return;
    b.v_cvt_f32_u32(scratch, rows);
    b.v_sub_f32(f32_, f32_, scratch);
  }
  Vgpr of(const ScoreMod& mod) const {
    if (mod.counts == ScoreMod::Distance::none) return {};
    return mod.counts == ScoreMod::Distance::i32 ? i32_ : f32_;
  }

 private:
  Owned<File::v> i32_, f32_;
};

}  // namespace wavesmith::attention
