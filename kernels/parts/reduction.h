// How workgroups that each have a part of a sum bring them together. atomic: they add to memory, in any order. ordered:
// the same order, and the same bits, every time.
#pragma once
#include <cstdint>

namespace wavesmith {

enum class Reduction : uint8_t { atomic, ordered };
constexpr Reduction all_reductions[] = {Reduction::atomic, Reduction::ordered};
constexpr const char* name_of(Reduction r) { return r == Reduction::atomic ? "atomic" : "ordered"; }

}  // namespace wavesmith
