// Changes of the scores between K Q^T and the softmax, as flex attention's score_mod and mask_mod: the kernel applies
// those of its configuration one after the other to each scaled score. A mask sets scores to minus infinity; causal
// masks, which skip keys as well, are AttentionProblem's.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generator/dsl/registers.h"

namespace wavesmith {

class Block;

struct ScoreMod {
  std::string name;  // in the kernel's name
  // Code for one score of the lane. `kept`: a register of the lane that `prepare` sets; x, y: scratch. VCC may be
  // overwritten.
  struct Element {
    Vgpr score;     // f32, scale * q k, changed by earlier ones
    Vgpr distance;  // of the lane: plus `key` the key's place relative to the query's, both counted from their ends:
    int key;        // key - keys - (query - queries)
    Vgpr kept, x, y;
  };
  std::function<void(Block&, const Element&)> change;
  bool keeps = false;  // it has a register `kept`
  enum class Distance : uint8_t { none, i32, f32 };
  Distance counts = Distance::i32;  // what Element::distance is. f32 is exact below 2^24
  // Once, before the first score. `head`: of the lane's query.
  struct Before {
    Vgpr kept, head;
    Sgpr heads;
    Vgpr x;
  };
  std::function<void(Block&, const Before&)> prepare = [](Block&, const Before&) {};
  // The reference: the score, and a bound of the error that the code adds to it.
  struct Point {
    double score;
    int64_t distance;
    uint32_t head, heads;
  };
  std::function<double(const Point&)> reference;
  std::function<double(const Point&)> error = [](const Point&) { return 0.0; };
  // Attention backward: the derivative of the changed score with respect to the one before. It takes changes with one,
  // and those that only_adds: what is added does not depend on the score, or is minus infinity.
  struct Derivative {
    // Code that follows `change`; Element::score is the changed score, and stays.
    std::function<void(Block&, const Element&, Vgpr to)> code;
    // The reference, of the score before, and a bound of its error where that score is off by `off`.
    std::function<double(const Point&)> reference;
    std::function<double(const Point&, double off)> error;
  };
  std::optional<Derivative> derivative{};
  bool only_adds = false;
  // Distances outside of [-before, after] are minus infinity: tiles that have no others are not computed.
  struct Band {
    int before = 1 << 30, after = 1 << 30;
  };
  Band band{};
  bool only_masks_band = false;  // a kernel may mask the band without `change`
};

// The distances that all changes leave.
inline ScoreMod::Band band_of(const std::vector<ScoreMod>& scores) {
  ScoreMod::Band all;
  for (const ScoreMod& mod : scores)
    all.before = std::min(all.before, mod.band.before), all.after = std::min(all.after, mod.band.after);
  return all;
}

inline bool count_distances(const std::vector<ScoreMod>& scores, ScoreMod::Distance how) {
  return std::ranges::any_of(scores, [&](const ScoreMod& mod) { return mod.counts == how; });
}

// cap * tanh(score / cap). Error: ConfigError unless cap is positive and finite.
ScoreMod soft_cap(float cap);
// score - 2^(-8 (head + 1) / heads) |distance| (attention with linear biases).
ScoreMod alibi();
// Sliding window: minus infinity unless -left <= distance <= right. Error: ConfigError for negative numbers or 2^30.
ScoreMod window(int left, int right);

}  // namespace wavesmith
