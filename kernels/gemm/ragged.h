// Grouped GEMM whose sizes are on the device: one dimension is ragged, divided into groups by offsets in memory. Group
// g has rows offsets[g] to offsets[g + 1] of D and of op(A) (m), these columns of D and of op(B) (n), or these k (k).
// m: op(B) is one of `groups` matrices, stride_b apart; n: op(A), stride_a apart; k: D (and C), stride_d apart. What
// has the ragged dimension is one matrix. A host knows the number of groups and the sum of their sizes, or a bound of
// it: the grid has the most tiles that such groups can have, and workgroups without one end at once.
#pragma once
#include <cstdint>

namespace wavesmith {

enum class Ragged : uint8_t { none, m, n, k };
constexpr Ragged all_ragged[] = {Ragged::m, Ragged::n, Ragged::k};
const char* name_of(Ragged);
enum class Offsets : uint8_t { i32, i64 };  // in memory; all of them below 2^32
const char* name_of(Offsets);

}  // namespace wavesmith
