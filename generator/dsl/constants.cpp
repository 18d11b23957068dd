#include "generator/dsl/constants.h"

#include <algorithm>

namespace wavesmith {

Sgpr Constants::operator()(uint32_t value, std::string name, Where w) {
  const auto known = std::ranges::find(all_, value, &Entry::value);
  if (known != all_.end()) return known->reg;
  if (loaded_)
    throw isa::IsaError(
        fmt::format("{}: constant 0x{:x} ('{}') is asked for after load(); legal: before it", place(w), value, name));
  return all_.emplace_back(value, kernel_.r.s.alloc(1, std::move(name), 0, w)).reg;
}

void Constants::load(Where w) {
  loaded_ = true;
  for (const Entry& e : all_) kernel_.k.s_mov_b32(e.reg, e.value, {}, w);
}

}  // namespace wavesmith
