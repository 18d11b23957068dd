// Code objects in memory: ELF files and offload bundles. Sizes are not passed with them; each format says its own.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/hip_interface/work.h"
#include "simulator/offload_bundle.h"

namespace wavesmith::hip {
namespace {

using sim::OffloadBundle, sim::processor_of;
using Bytes = OffloadBundle::Bytes;
constexpr std::string_view elf_magic =
    "\x7f"
    "ELF";

// Of an image in memory, which is trusted.
template <class T>
T read(const uint8_t* image, uint64_t offset) {
  T t;
  return std::memcpy(&t, image + offset, sizeof t), t;
}
size_t elf_size(const uint8_t* image) {
  const auto h = read<Elf64_Ehdr>(image, 0);
  uint64_t end = h.e_shoff + uint64_t{h.e_shnum} * h.e_shentsize;
  for (int i = 0; i < h.e_phnum; ++i) {
    const auto s = read<Elf64_Phdr>(image, h.e_phoff + static_cast<uint64_t>(i) * h.e_phentsize);
    end = std::max(end, s.p_offset + s.p_filesz);
  }
  return end;
}

OffloadBundle bundle_of(Bytes b) {
  try {
    return OffloadBundle(b);
  } catch (const sim::LoadError& e) {
    complain(e.what());
    throw Error{hipErrorInvalidImage};
  }
}

// Features that the target names must not contradict the device's.
bool fits(const SimulatedDevice& d, std::string_view target) {
  if (processor_of(target) != isa::target(d.arch).name) return false;
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
  if (b.size() >= elf_magic.size() && std::memcmp(b.data(), elf_magic.data(), elf_magic.size()) == 0) {
    if (bytes == unknown_size) b = b.first(elf_size(b.data()));
    return {b.begin(), b.end()};
  }
  check(OffloadBundle::is_one(b), hipErrorInvalidImage);
  const OffloadBundle bundle = bundle_of(b);
  for (const OffloadBundle::Entry& e : bundle.entries)
    if (fits(d, e.target)) return {e.code.begin(), e.code.end()};
  complain(fmt::format("no code for {}; there is for: {}", d.name, bundle.targets()));
  throw Error{hipErrorNoBinaryForGpu};
}

std::optional<isa::Arch> first_target(const void* image) {
  const Bytes b(static_cast<const uint8_t*>(image), unknown_size);
  if (!OffloadBundle::is_one(b)) return {};
  const OffloadBundle bundle = bundle_of(b);
  for (const OffloadBundle::Entry& e : bundle.entries)
    if (const auto arch = isa::find_arch(processor_of(e.target))) return arch;
  return {};
}

}  // namespace wavesmith::hip
