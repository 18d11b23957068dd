#include "runtime/bench.h"

#include <algorithm>

namespace wavesmith::runtime {

std::vector<std::vector<double>> bench(Device& device, const std::vector<Iteration>& implementations,
                                       const Iterations& count, const std::function<void()>& flush) {
  std::vector<std::vector<double>> seconds(implementations.size());
  std::vector<uint64_t> iterations(implementations.size());
  for (int round = 0; round < count.rounds; ++round)
    for (size_t i = 0; i < implementations.size(); ++i) {
      const auto run = [&](int times) {
        for (int n = 0; n < times; ++n) implementations[i](iterations[i]++);
      };
      device.seconds([&] { run(count.cold); });
      double total = 0;
      for (int n = 0; flush && n < count.hot; ++n) {
        flush();
        total += device.seconds([&] { run(1); });
      }
      if (!flush) total = device.seconds([&] { run(count.hot); });
      seconds[i].push_back(total / std::max(count.hot, 1));
    }
  return seconds;
}

uint64_t copies_to_rotate(uint64_t rotating, uint64_t bytes) {
  return std::max<uint64_t>(1, bytes ? (rotating + bytes - 1) / bytes : 1);
}

}  // namespace wavesmith::runtime
