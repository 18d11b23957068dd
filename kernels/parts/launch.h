// What a host needs to launch any of the kernels. LDS size and registers are in the code object.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace wavesmith {

struct KernelLaunch {
  std::array<uint32_t, 3> grid{};          // workgroups
  std::array<uint32_t, 3> block{1, 1, 1};  // work-items of a workgroup
  std::vector<uint8_t> kernargs;
  bool empty() const { return std::ranges::count(grid, 0u) > 0; }  // there is nothing to launch
};

// What a problem takes, one launch or several in order, as a list.
inline std::span<const KernelLaunch> each_launch(const KernelLaunch& l) { return {&l, 1}; }
inline std::span<const KernelLaunch> each_launch(const std::vector<KernelLaunch>& all) { return all; }

}  // namespace wavesmith
