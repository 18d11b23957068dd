// Reads msgpack, the format of a code object's metadata, into a tree. Unlike LLVM's reader it accepts any input without
// crashing: depth and counts are checked against the input. Text refers to the bytes read.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace wavesmith::sim {

struct Msgpack {
  enum class Kind : uint8_t { other, number, text, array, map };  // other: nil, booleans, floats, binary
  Kind kind = Kind::other;
  uint64_t number = 0;  // a negative one as its two's complement
  std::string_view text;
  std::vector<Msgpack> items;  // of a map: key, value, key, value

  const Msgpack* find(std::string_view key) const;       // nullptr: not a map, or not in it
  static constexpr size_t most_items = size_t{1} << 21;  // about 100 bytes of memory each
  static std::optional<Msgpack> read(std::span<const uint8_t>);
};

}  // namespace wavesmith::sim
