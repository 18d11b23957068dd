#include "simulator/offload_bundle.h"

#include <fmt/format.h>
#include <llvm/Object/OffloadBundle.h>

#include <algorithm>
#include <cstring>

#include "simulator/code_object.h"

namespace wavesmith::sim {
namespace {

using Bytes = OffloadBundle::Bytes;
constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic = "CCOB";
constexpr uint64_t most_unpacked = uint64_t{1} << 30;  // bytes of a bundle that was compressed
constexpr uint64_t most_entries = 1024, longest_name = 4096;

bool starts(Bytes b, std::string_view with) {
  return b.size() >= with.size() && std::memcmp(b.data(), with.data(), with.size()) == 0;
}
Bytes part(Bytes b, uint64_t offset, uint64_t size) {
  if (offset > b.size() || size > b.size() - offset)
    throw LoadError(fmt::format("the offload bundle is cut short: {} bytes at {} of {}", size, offset, b.size()));
  return b.subspan(offset, size);
}
template <class T>
T read(Bytes b, uint64_t offset) {
  T t;
  std::memcpy(&t, part(b, offset, sizeof t).data(), sizeof t);
  return t;
}

// Versions 2 and 3 of the header have the size of the file and of the bundle in it: magic, version and method of 2
// bytes each, then both sizes of 4 or 8.
std::vector<uint8_t> decompressed(Bytes b) {
  const auto version = read<uint16_t>(b, 4);
  if (version != 2 && version != 3)
    throw LoadError(
        fmt::format("a compressed offload bundle of version {}; legal: 2 and 3, of clang 19 and later", version));
  const auto size = [&](uint64_t i) {
    return version == 2 ? uint64_t{read<uint32_t>(b, 8 + 4 * i)} : read<uint64_t>(b, 8 + 8 * i);
  };
  if (size(1) > most_unpacked)
    throw LoadError(fmt::format("an offload bundle of {} bytes, compressed; legal: up to {}", size(1), most_unpacked));
  const Bytes packed = part(b, 0, size(0));
  const llvm::StringRef text(reinterpret_cast<const char*>(packed.data()), packed.size());
  auto out = llvm::object::CompressedOffloadBundle::decompress(*llvm::MemoryBuffer::getMemBuffer(text, "", false));
  if (!out) throw LoadError(fmt::format("the offload bundle: {}", llvm::toString(out.takeError())));
  const auto unpacked = (*out)->getBuffer();
  return {unpacked.bytes_begin(), unpacked.bytes_end()};
}

}  // namespace

bool OffloadBundle::is_one(Bytes b) { return starts(b, magic) || starts(b, compressed_magic); }

// Magic, number of entries; of each: offset, size, length of the name, name. All numbers have 8 bytes.
OffloadBundle::OffloadBundle(Bytes bytes) {
  if (starts(bytes, compressed_magic)) unpacked_ = decompressed(bytes), bytes = unpacked_;
  if (!starts(bytes, magic)) throw LoadError(fmt::format("not an offload bundle: one starts with {}", magic));
  uint64_t at = magic.size();
  const auto next = [&] { return at += 8, read<uint64_t>(bytes, at - 8); };
  const uint64_t count = next();
  if (count > most_entries)
    throw LoadError(fmt::format("an offload bundle of {} code objects; legal: up to {}", count, most_entries));
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = next(), size = next(), length = next();
    if (length > longest_name)
      throw LoadError(fmt::format("a name of {} bytes in the offload bundle; legal: up to {}", length, longest_name));
    const Bytes letters = part(bytes, at, length);
    const std::string name(letters.begin(), letters.end());
    if (!std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; }))
      throw LoadError("a name in the offload bundle is no ASCII text");
    at += length;
    const auto target = name.find("gfx");
    if (name.starts_with("hip") && target != name.npos && size)
      entries.push_back({name.substr(target), part(bytes, offset, size)});
  }
}

std::string OffloadBundle::targets() const {
  std::string all;
  for (const Entry& e : entries) all += (all.empty() ? "" : ", ") + e.target;
  return all.empty() ? "no target" : all;
}

}  // namespace wavesmith::sim
