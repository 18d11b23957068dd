// Offload bundles, as `hipcc --genco` writes them: code objects of several targets in one file, perhaps compressed
// (clang's documentation, "Clang Offload Bundler").
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::sim {

class OffloadBundle {
 public:
  using Bytes = std::span<const uint8_t>;
  struct Entry {
    std::string target;  // "gfx942:sramecc+:xnack-"
    Bytes code;
  };
  static bool is_one(Bytes);
  // The bytes must outlive it. Of an image in memory whose size is unknown, `bytes` reaches beyond its end.
  // Error: LoadError.
  explicit OffloadBundle(Bytes bytes);
  OffloadBundle(OffloadBundle&&) = default;

  std::vector<Entry> entries;   // for AMD's GPUs, in the bundle's order; those without code left out
  std::string targets() const;  // "gfx90a, gfx942", or "no target"

 private:
  std::vector<uint8_t> unpacked_;
};

// "gfx942" of "gfx942:sramecc+:xnack-".
inline std::string_view processor_of(std::string_view target) { return target.substr(0, target.find(':')); }

}  // namespace wavesmith::sim
