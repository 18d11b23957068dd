// Code objects in memory: ELF files, and offload bundles (clang's documentation, "Clang Offload Bundler"), which
// may be compressed. Sizes are not passed with them; each format says its own.
#include <elf.h>
#include <fmt/format.h>
#include <llvm/Object/OffloadBundle.h>

#include <cstring>

#include "runtime/hip_interface/work.h"

namespace wavesmith::hip {
namespace {

using Bytes = std::span<const uint8_t>;
constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic = "CCOB",
                           elf_magic =
                               "\x7f"
                               "ELF";

template <class T>
T read(const uint8_t* p) {
  T t;
  std::memcpy(&t, p, sizeof t);
  return t;
}
bool starts(const void* p, std::string_view magic) { return std::memcmp(p, magic.data(), magic.size()) == 0; }

struct Entry {
  std::string target;  // "gfx942:sramecc+:xnack-"
  Bytes code;
};

// Magic, number of entries; of each: offset, size, length of the name, name. All numbers have 8 bytes.
std::vector<Entry> entries(const uint8_t* bundle) {
  std::vector<Entry> all;
  const uint8_t* at = bundle + bundle_magic.size();
  const auto next = [&] { return at += 8, read<uint64_t>(at - 8); };
  const uint64_t count = next();
  check(count < 1024, hipErrorInvalidImage);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = next(), size = next(), length = next();
    check(length < 4096, hipErrorInvalidImage);
    const std::string name(reinterpret_cast<const char*>(at), length);
    at += length;
    const auto target = name.find("gfx");
    if (name.starts_with("hip") && target != name.npos && size)
      all.push_back({name.substr(target), {bundle + offset, size}});
  }
  return all;
}

// Versions 2 and 3 of the header have the size of the file: magic, version and method of 2 bytes each, then 4 or 8.
size_t compressed_size(const uint8_t* p) {
  switch (read<uint16_t>(p + 4)) {
    case 2: return read<uint32_t>(p + 8);
    case 3: return read<uint64_t>(p + 8);
    default:
      complain(fmt::format("a compressed offload bundle of version {}; legal: 2 and 3, of clang 19 and later",
                           read<uint16_t>(p + 4)));
      throw Error{hipErrorInvalidImage};
  }
}

std::vector<uint8_t> decompressed(const uint8_t* p) {
  const llvm::StringRef text(reinterpret_cast<const char*>(p), compressed_size(p));
  auto out = llvm::object::CompressedOffloadBundle::decompress(*llvm::MemoryBuffer::getMemBuffer(text, "", false));
  if (!out) {
    complain(llvm::toString(out.takeError()));
    throw Error{hipErrorInvalidImage};
  }
  const auto b = (*out)->getBuffer();
  return {b.bytes_begin(), b.bytes_end()};
}

size_t elf_size(const uint8_t* p) {
  const auto h = read<Elf64_Ehdr>(p);
  uint64_t end = h.e_shoff + uint64_t{h.e_shnum} * h.e_shentsize;
  for (int i = 0; i < h.e_phnum; ++i) {
    const auto s = read<Elf64_Phdr>(p + h.e_phoff + static_cast<uint64_t>(i) * h.e_phentsize);
    end = std::max(end, s.p_offset + s.p_filesz);
  }
  return end;
}

std::string_view processor(std::string_view target) { return target.substr(0, target.find(':')); }
// Features that the target names must not contradict the device's.
bool fits(const Device& d, std::string_view target) {
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

std::vector<uint8_t> choose_code(const Device& d, const void* image, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(given(image ? &image : nullptr));
  check(bytes >= sizeof(Elf64_Ehdr), hipErrorInvalidImage);
  if (starts(p, elf_magic)) return {p, p + (bytes == unknown_size ? elf_size(p) : bytes)};
  std::vector<uint8_t> unpacked;
  if (starts(p, compressed_magic)) unpacked = decompressed(p), p = unpacked.data();
  check(starts(p, bundle_magic), hipErrorInvalidImage);
  std::string there;
  for (const Entry& e : entries(p)) {
    if (fits(d, e.target)) return {e.code.begin(), e.code.end()};
    there += (there.empty() ? "" : ", ") + e.target;
  }
  complain(fmt::format("no code for {}; there is for: {}", d.name, there.empty() ? "no target" : there));
  throw Error{hipErrorNoBinaryForGpu};
}

std::optional<isa::Arch> first_target(const void* image) {
  const auto* p = static_cast<const uint8_t*>(image);
  std::vector<uint8_t> unpacked;
  if (starts(p, compressed_magic)) unpacked = decompressed(p), p = unpacked.data();
  if (starts(p, bundle_magic))
    for (const Entry& e : entries(p))
      if (const auto arch = isa::find_arch(processor(e.target))) return arch;
  return {};
}

}  // namespace wavesmith::hip
