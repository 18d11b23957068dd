// If any stage sets a priority, stages without one reset it to 0, so that no stage inherits its predecessor's.
#include "generator/schedule/wave_stages.h"

#include <algorithm>

namespace wavesmith {

Block wave_stages(const std::vector<WaveStage>& stages, Where w) {
  if (stages.size() < 2)
    throw isa::IsaError(fmt::format("{}: wave_stages: {} stages; legal: two or more", place(w), stages.size()));
  const bool named = std::ranges::any_of(stages, [](const WaveStage& s) { return s.priority.has_value(); });
  Block out(stages[0].block.arch(), "wave stages");
  for (const WaveStage& s : stages) {
    const int priority = s.priority.value_or(0);
    if (priority < 0 || priority > 3)
      throw isa::IsaError(fmt::format("{}: wave_stages: priority {}; legal: 0 to 3", place(w), priority));
    if (named) out.s_setprio(priority, {}, w);
    out << s.block;
    out.s_barrier({}, w);
  }
  return out;
}

}  // namespace wavesmith
