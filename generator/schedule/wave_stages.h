// Waves of one SIMD in turn: the stages of an iteration are separated by barriers, and half of the waves run one stage
// behind, so that one half multiplies while the other loads. s_setprio decides who wins where their instructions
// compete.
#pragma once
#include <optional>
#include <vector>

#include "generator/dsl/stream.h"

namespace wavesmith {

struct WaveStage {
  Block block;
  std::optional<int> priority = {};  // 0 to 3; unnamed: 0 if any stage names one, else s_setprio is left out
};

// Each stage, its priority in front and s_barrier behind. Nothing moves across: both are fences to scheduled().
// Error: IsaError for a priority outside 0 to 3, or for fewer than two stages.
Block wave_stages(const std::vector<WaveStage>&, Where = Where::current());

// Runs `body`, in which every wave meets the same number of barriers, with the waves for which SCC is 1 one barrier
// behind the others: those wait at one more in front of it, the others at one more behind. `is_second` is an SGPR,
// nonzero in waves that lag; it has to be the same for all lanes of a wave, and half of the waves should have it (waves
// i and i + 4 of 8 share a SIMD). Clobbers SCC.
template <class Body>
void ping_pong(Stream& k, Sgpr is_second, Body body, Where w = Where::current()) {
  k.s_cmp_lg_u32(is_second, 0, {}, w);
  k.when_scc(true, "second_half_lags", [&] { k.s_barrier({}, w); }, w);
  body();
  k.s_cmp_lg_u32(is_second, 0, {}, w);
  k.when_scc(false, "first_half_catches_up", [&] { k.s_barrier({}, w); }, w);
}

}  // namespace wavesmith
