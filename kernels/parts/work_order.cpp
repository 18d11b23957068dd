#include "kernels/parts/work_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace wavesmith {

std::string name_of(const WorkOrder& o) {
  if (o.plain()) return "columns";
  std::string name = o.xcds > 1 ? fmt::format("xcds{}", o.xcds) : "";
  if (o.band) name += fmt::format("{}bands{}", name.empty() ? "" : "_", o.band);
  return name;
}

std::optional<WorkOrder> find_order(std::string_view name) {
  if (name == "columns") return WorkOrder{};
  WorkOrder o;
  const std::string_view whole = name;
  const auto take = [&](std::string_view word, int& value) {
    if (!name.starts_with(word)) return;
    name.remove_prefix(word.size());
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (error == std::errc{}) name.remove_prefix(static_cast<size_t>(end - name.data()));
  };
  take("xcds", o.xcds);
  if (o.xcds > 1 && name.starts_with("_")) name.remove_prefix(1);
  take("bands", o.band);
  const bool legal = o.xcds >= 1 && o.xcds <= most_xcds && o.band >= 0 && o.band <= most_band;
  if (!legal || name_of(o) != whole) return {};  // one name of each
  return o;
}

TileNumber tile_of(const WorkOrder& o, uint32_t number, TileNumber tiles) {
  const auto xcds = static_cast<uint32_t>(o.xcds), each = tiles.m * tiles.n / xcds, more = tiles.m * tiles.n % xcds;
  const uint32_t xcd = number % xcds, at = xcd * each + std::min(xcd, more) + number / xcds;
  if (!o.band) return {at % tiles.m, at / tiles.m};
  const auto band = static_cast<uint32_t>(o.band), first = at / (band * tiles.n) * band;
  const uint32_t height = std::min(band, tiles.m - first), within = at % (band * tiles.n);
  return {first + within % height, within / height};
}

}  // namespace wavesmith
