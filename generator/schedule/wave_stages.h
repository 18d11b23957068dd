// Alternating waves of one SIMD: barriers separate the stages of an iteration, and half of the waves run one stage
// later, so that one half multiplies while the other loads. s_setprio decides which wave issues when both could.
#pragma once
#include <optional>
#include <vector>

#include "generator/dsl/stream.h"

namespace wavesmith {

struct WaveStage {
  Block block;
  std::optional<int> priority = {};  // 0 to 3; default: 0 if any stage has one, otherwise no s_setprio
};

// Each stage preceded by its priority and followed by s_barrier. Nothing moves across: both are fences for scheduled().
// Error: IsaError for a priority outside 0 to 3, or for fewer than two stages.
Block wave_stages(const std::vector<WaveStage>&, Where = Where::current());

// Runs `body`, in which every wave passes the same number of barriers, with half of the waves one barrier later than
// the others: they wait at one more barrier before it, the others at one more after it. `is_second` is an SGPR, nonzero
// in the later half of the waves (waves i and i + 4 of 8 share a SIMD). Clobbers SCC.
template <class Body>
void ping_pong(Stream& k, Sgpr is_second, Body body, Where w = Where::current()) {
  k.s_cmp_lg_u32(is_second, 0, {}, w);
  k.when_scc(true, "second_half_lags", [&] { k.s_barrier({}, w); }, w);
  body();
  k.s_cmp_lg_u32(is_second, 0, {}, w);
  k.when_scc(false, "first_half_catches_up", [&] { k.s_barrier({}, w); }, w);
}

}  // namespace wavesmith
