// Sweeps whose cases take long: the suite tries a part of them, `./dev test --all` (WAVESMITH_ALL=1) all.
#pragma once
#include <cstdint>
#include <cstdlib>

// Of every three cases one, without a period that a sweep's own order could have.
inline bool in_sample(uint32_t number) {
  static const bool all = std::getenv("WAVESMITH_ALL") != nullptr;
  return all || (number * 0x9e3779b9u >> 16) % 3 == 0;
}
