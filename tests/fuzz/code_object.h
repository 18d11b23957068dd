// One input of the fuzzers: bytes that may be a code object are loaded, and every kernel in them is run for a moment.
// Whatever they are, it ends: with a LoadError, a fault or a result. What hostile code may use up is bounded by the
// options.
#pragma once
#include <span>

#include "simulator/simulator.h"

namespace simtest {

enum class Ending : uint8_t { refused, fault, done };

inline Ending run_hostile(std::span<const uint8_t> bytes, std::array<uint32_t, 3> grid = {2, 1, 1},
                          std::array<uint32_t, 3> block = {64, 1, 1}, uint32_t dynamic_lds = 256) {
  using namespace wavesmith;
  Ending worst = Ending::refused;
  try {
    const auto object = sim::CodeObject::load({bytes.begin(), bytes.end()});
    size_t left = 4;
    for (const sim::KernelInfo& k : object.kernels()) {
      if (left-- == 0) break;
      try {
        sim::Memory memory;
        sim::Launch launch{.grid = grid, .block = block, .dynamic_lds = dynamic_lds, .cluster = {}, .kernargs = {}};
        for (int i = 0; i < 64; ++i) {  // pointers into two buffers, wherever arguments are
          const uint64_t p = memory.allocations().empty() ? memory.allocate(4096, "a")
                             : i == 1                     ? memory.allocate(4096, "b")
                                                          : memory.allocations()[static_cast<size_t>(i) % 2].base;
          const auto* b = reinterpret_cast<const uint8_t*>(&p);
          launch.kernargs.insert(launch.kernargs.end(), b, b + sizeof p);
        }
        const auto r = sim::run(object, k, memory, launch, {.jobs = 1, .max_instructions = 2000});
        worst = std::max(worst, r.fault ? Ending::fault : Ending::done);
      } catch (const sim::LoadError&) {}
    }
  } catch (const sim::LoadError&) {}
  return worst;
}

}  // namespace simtest
