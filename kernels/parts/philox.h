// Philox 4x32-10, a random number generator without state: four words from a counter and a key (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011). For hosts that need the numbers of a kernel.
#pragma once
#include <array>
#include <cstdint>

namespace wavesmith {

constexpr int philox_rounds = 10;
constexpr std::array<uint32_t, 2> philox_factors{0xd2511f53, 0xcd9e8d57};  // of words 0 and 2 of the counter
constexpr std::array<uint32_t, 2> philox_steps{0x9e3779b9, 0xbb67ae85};    // of the key from round to round

constexpr std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint64_t key) {
  std::array<uint32_t, 2> k{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
  for (int round = 0; round < philox_rounds; ++round) {
    const uint64_t a = uint64_t{philox_factors[0]} * c[0], b = uint64_t{philox_factors[1]} * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
    k = {k[0] + philox_steps[0], k[1] + philox_steps[1]};
  }
  return c;
}

}  // namespace wavesmith
