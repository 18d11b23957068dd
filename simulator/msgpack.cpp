#include "simulator/msgpack.h"

namespace wavesmith::sim {
namespace {

struct MsgpackReader {
  std::span<const uint8_t> left;
  static constexpr int deepest = 32;
  size_t items = 0;

  std::optional<uint64_t> big_endian(size_t bytes) {
    if (left.size() < bytes) return {};
    uint64_t x = 0;
    for (size_t i = 0; i < bytes; ++i) x = x << 8 | left[i];
    left = left.subspan(bytes);
    return x;
  }
  bool skip(uint64_t bytes) {
    if (left.size() < bytes) return false;
    left = left.subspan(bytes);
    return true;
  }
  bool number(Msgpack& out, size_t bytes, bool is_signed) {
    const auto x = big_endian(bytes);
    if (!x) return false;
    const int spare = 64 - 8 * static_cast<int>(bytes);
    out.kind = Msgpack::Kind::number;
    out.number = is_signed ? static_cast<uint64_t>(static_cast<int64_t>(*x << spare) >> spare) : *x;
    return true;
  }
  bool text(Msgpack& out, std::optional<uint64_t> bytes) {
    if (!bytes || left.size() < *bytes) return false;
    out.kind = Msgpack::Kind::text;
    out.text = {reinterpret_cast<const char*>(left.data()), static_cast<size_t>(*bytes)};
    return skip(*bytes);
  }
  bool many(Msgpack& out, std::optional<uint64_t> count, bool map, int depth) {
    if (!count || *count > left.size() || depth == deepest) return false;  // an item has a byte at least
    out.kind = map ? Msgpack::Kind::map : Msgpack::Kind::array;
    for (uint64_t i = 0; i < *count * (map ? 2 : 1); ++i)
      if (!item(out.items.emplace_back(), depth + 1)) return false;
    return true;
  }
  bool item(Msgpack& out, int depth) {  // the first byte says what it is (msgpack specification, "Formats")
    const auto first = big_endian(1);
    if (!first || ++items > Msgpack::most_items) return false;
    const auto b = static_cast<unsigned>(*first);
    if (b < 0x80 || b >= 0xe0) {
      out.kind = Msgpack::Kind::number, out.number = b < 0x80 ? b : ~uint64_t{0xff} | b;
      return true;
    }
    if (b < 0x90) return many(out, b & 15, true, depth);
    if (b < 0xa0) return many(out, b & 15, false, depth);
    if (b < 0xc0) return text(out, b & 31);
    const auto length = [&](unsigned base) { return big_endian(size_t{1} << (b - base)); };
    if (b <= 0xc3) return b != 0xc1;  // nil, false, true
    if (b <= 0xc6) {
      const auto n = length(0xc4);
      return n && skip(*n);
    }
    if (b <= 0xc9) {
      const auto n = length(0xc7);
      return n && skip(1) && skip(*n);
    }
    if (b <= 0xcb) return skip(b == 0xca ? 4 : 8);
    if (b <= 0xcf) return number(out, size_t{1} << (b - 0xcc), false);
    if (b <= 0xd3) return number(out, size_t{1} << (b - 0xd0), true);
    if (b <= 0xd8) return skip(1 + (uint64_t{1} << (b - 0xd4)));
    if (b <= 0xdb) return text(out, length(0xd9));
    return many(out, b & 1 ? big_endian(4) : big_endian(2), b >= 0xde, depth);
  }
};

}  // namespace

const Msgpack* Msgpack::find(std::string_view key) const {
  if (kind == Kind::map)
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (items[i].kind == Kind::text && items[i].text == key) return &items[i + 1];
  return nullptr;
}

std::optional<Msgpack> Msgpack::read(std::span<const uint8_t> bytes) {
  Msgpack root;
  MsgpackReader r{bytes};
  if (!r.item(root, 0)) return {};
  return root;
}

}  // namespace wavesmith::sim
