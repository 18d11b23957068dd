// Code objects in memory: ELF files, and offload bundles (clang's documentation, "Clang Offload Bundler"), which
// may be compressed. Sizes are not passed with them; each format says its own.
#include <elf.h>
#include <fmt/format.h>
#include <llvm/Object/OffloadBundle.h>

#include <algorithm>
#include <cstring>

#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

using Bytes = std::span<const uint8_t>;
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic = "CCOB",
                           elf_magic =
                               "\x7f"
                               "ELF";

constexpr uint64_t most_unpacked = uint64_t{1} << 30;  // bytes of a bundle that was compressed

// What a file says of itself is checked against its size; an image in memory without one (unknown_size) is trusted.
Bytes part(Bytes b, uint64_t offset, uint64_t size) {
  check(offset <= b.size() && size <= b.size() - offset, hipErrorInvalidImage);
  return b.subspan(offset, size);
}
template <class T>
T read(Bytes b, uint64_t offset) {
  T t;
  std::memcpy(&t, part(b, offset, sizeof t).data(), sizeof t);
  return t;
}
bool starts(Bytes b, std::string_view magic) {
  return b.size() >= magic.size() && std::memcmp(b.data(), magic.data(), magic.size()) == 0;
}

struct Entry {
  std::string target;  // "gfx942:sramecc+:xnack-"
  Bytes code;
};

// Magic, number of entries; of each: offset, size, length of the name, name. All numbers have 8 bytes.
std::vector<Entry> entries(Bytes bundle) {
  std::vector<Entry> all;
  uint64_t at = bundle_magic.size();
  const auto next = [&] { return at += 8, read<uint64_t>(bundle, at - 8); };
  const uint64_t count = next();
  check(count < 1024, hipErrorInvalidImage);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = next(), size = next(), length = next();
    check(length < 4096, hipErrorInvalidImage);
    const Bytes name_bytes = part(bundle, at, length);
    const std::string name(name_bytes.begin(), name_bytes.end());
    check(std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; }), hipErrorInvalidImage);
    at += length;
    const auto target = name.find("gfx");
    if (name.starts_with("hip") && target != name.npos && size)
      all.push_back({name.substr(target), part(bundle, offset, size)});
  }
  return all;
}

// Versions 2 and 3 of the header have the size of the file and of the bundle in it: magic, version and method of 2
// bytes each, then both sizes of 4 or 8.
std::vector<uint8_t> decompressed(Bytes b) {
  const auto version = read<uint16_t>(b, 4);
  if (version != 2 && version != 3) {
    complain(fmt::format("a compressed offload bundle of version {}; legal: 2 and 3, of clang 19 and later", version));
    throw Error{hipErrorInvalidImage};
  }
  const auto size = [&](int i) {
    return version == 2 ? uint64_t{read<uint32_t>(b, 8 + 4 * static_cast<uint64_t>(i))}
                        : read<uint64_t>(b, 8 + 8 * static_cast<uint64_t>(i));
  };
  if (size(1) > most_unpacked) {
    complain(fmt::format("an offload bundle of {} bytes, compressed; legal: up to {}", size(1), most_unpacked));
    throw Error{hipErrorInvalidImage};
  }
  const Bytes packed = part(b, 0, size(0));
  const llvm::StringRef text(reinterpret_cast<const char*>(packed.data()), packed.size());
  auto out = llvm::object::CompressedOffloadBundle::decompress(*llvm::MemoryBuffer::getMemBuffer(text, "", false));
  if (!out) {
    complain(llvm::toString(out.takeError()));
    throw Error{hipErrorInvalidImage};
  }
  const auto unpacked = (*out)->getBuffer();
  return {unpacked.bytes_begin(), unpacked.bytes_end()};
}

size_t elf_size(Bytes b) {
  const auto h = read<Elf64_Ehdr>(b, 0);
  uint64_t end = h.e_shoff + uint64_t{h.e_shnum} * h.e_shentsize;
  for (int i = 0; i < h.e_phnum; ++i) {
    const auto s = read<Elf64_Phdr>(b, h.e_phoff + static_cast<uint64_t>(i) * h.e_phentsize);
    end = std::max(end, s.p_offset + s.p_filesz);
  }
  return end;
}

std::string_view processor(std::string_view target) { return target.substr(0, target.find(':')); }
// Features that the target names must not contradict the device's.
bool fits(const SimulatedDevice& d, std::string_view target) {
  if (processor(target) != isa::target(d.arch).name) return false;
  for (const std::string_view feature : {"sramecc", "xnack"}) {
    const auto of = [&](std::string_view t) {
      const auto at = t.find(feature);
      return at == t.npos ? '\0' : t[at + feature.size()];
    };
    if (of(target) && of(d.name) && of(target) != of(d.name) && feature == "sramecc") return false;
  }
  return true;
}

}  // namespace

std::vector<uint8_t> choose_code(const SimulatedDevice& d, const void* image, size_t bytes) {
  Bytes b(static_cast<const uint8_t*>(given(image ? &image : nullptr)), bytes);
  if (starts(b, elf_magic)) {
    if (bytes == unknown_size) b = part(b, 0, elf_size(b));
    return {b.begin(), b.end()};
  }
  std::vector<uint8_t> unpacked;
  if (starts(b, compressed_magic)) unpacked = decompressed(b), b = unpacked;
  check(starts(b, bundle_magic), hipErrorInvalidImage);
  std::string there;
  for (const Entry& e : entries(b)) {
    if (fits(d, e.target)) return {e.code.begin(), e.code.end()};
    there += (there.empty() ? "" : ", ") + e.target;
  }
  complain(fmt::format("no code for {}; there is for: {}", d.name, there.empty() ? "no target" : there));
  throw Error{hipErrorNoBinaryForGpu};
}

std::optional<isa::Arch> first_target(const void* image) {
  Bytes b(static_cast<const uint8_t*>(image), unknown_size);
  std::vector<uint8_t> unpacked;
  if (starts(b, compressed_magic)) unpacked = decompressed(b), b = unpacked;
  if (starts(b, bundle_magic))
    for (const Entry& e : entries(b))
      if (const auto arch = isa::find_arch(processor(e.target))) return arch;
  return {};
}

}  // namespace wavesmith::hip
