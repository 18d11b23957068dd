// Times launches as the BLAS benchmarks do: cold iterations, then hot ones between two of the device's time stamps;
// several implementations in turn, round by round, so that each meets the same state of the machine.
#pragma once
#include "runtime/device.h"

namespace wavesmith::runtime {

struct Iterations {
  int cold = 2, hot = 10, rounds = 5;  // of a round; rounds: samples of each implementation
};
// Enqueues one iteration; the argument counts the iterations of an implementation.
using Iteration = std::function<void(uint64_t)>;

// Seconds of an iteration, [implementation][round]: the mean over a round's hot iterations. With `flush`, which is
// enqueued before each hot iteration and not timed, each is timed alone.
std::vector<std::vector<double>> bench(Device&, const std::vector<Iteration>& implementations, const Iterations&,
                                       const std::function<void()>& flush = {});

// The number of copies of buffers of `bytes` bytes together that fill `rotating` bytes: at least 1.
uint64_t copies_to_rotate(uint64_t rotating, uint64_t bytes);

}  // namespace wavesmith::runtime
