// Sweeps whose cases take long: the suite tries a part of them, `./dev test --all` (WAVESMITH_ALL=1) all.
#pragma once
#include <cstdint>
#include <cstdlib>

// Of every ten cases (or `of`) one, without a period that a sweep's own order could have.
inline bool in_sample(uint32_t number, uint32_t of = 10) {
  static const bool all = std::getenv("WAVESMITH_ALL") != nullptr;
  return all || (number * 0x9e3779b9u >> 16) % of == 0;
}
