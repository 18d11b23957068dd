#include "tools/bench/peer_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/files.h"
#include "tools/print/exit.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;
constexpr uint32_t most_kernarg = 65536;

// A whole number from 0 to `most`.
double whole(double x, double most, const std::string& what) {
  if (!(x >= 0 && x <= most) || x != std::floor(x))
    throw InputError(fmt::format("{}: {}, legal: a whole number from 0 to {:.0f}", what, x, most));
  return x;
}

template <class T>
std::vector<uint8_t> raw_bytes(T x) {
  std::vector<uint8_t> out(sizeof x);
  std::memcpy(out.data(), &x, sizeof x);
  return out;
}
std::vector<uint8_t> formula_bytes(const std::string& type, double x, const std::string& what) {
  if (type == "u32") return raw_bytes(static_cast<uint32_t>(whole(x, UINT32_MAX, what)));
  if (type == "u64") return raw_bytes(static_cast<uint64_t>(whole(x, 0x1p53, what)));
  if (type == "i32")
    return raw_bytes(static_cast<int32_t>(x < 0 ? -whole(-x, 0x1p31, what) : whole(x, 0x1p31 - 1, what)));
  if (type == "i64") return raw_bytes(static_cast<int64_t>(x < 0 ? -whole(-x, 0x1p53, what) : whole(x, 0x1p53, what)));
  if (type == "u16") return raw_bytes(static_cast<uint16_t>(whole(x, UINT16_MAX, what)));
  if (type == "f32") return raw_bytes(static_cast<float>(x));
  if (type == "f64") return raw_bytes(x);
  throw InputError(
      fmt::format("{}: type '{}' is unknown, legal: u16 u32 u64 i32 i64 f32 f64, or one that ends with *", what, type));
}

PeerFile parse_metadata(const ordered_json& j) {
  PeerFile p;
  p.kernel = j.value("kernel", "");
  const auto& size = j.at("workgroup_size");
  if (size.is_array())
    for (size_t i = 0; i < std::min<size_t>(size.size(), 3); ++i) p.block[i] = size[i].get<uint32_t>();
  else p.block[0] = size.get<uint32_t>();
  const auto& grid = j.at("grid");
  for (size_t i = 0; i < std::min<size_t>(grid.size(), 3); ++i)
    p.grid[i] = grid[i].is_string() ? grid[i].get<std::string>() : grid[i].dump();
  p.dynamic_lds = j.value("dynamic_lds_bytes", 0u);
  for (const auto& a : j.at("arguments")) {
    const auto value = a.contains("value") ? a["value"] : a.at("name");
    p.arguments.push_back({.value = value.is_string() ? value.get<std::string>() : value.dump(),
                           .type = a.at("type").get<std::string>(),
                           .offset = a.at("offset").get<uint32_t>()});
    if (p.arguments.back().offset > most_kernarg)
      throw InputError(fmt::format("offset {}, legal: up to {}", p.arguments.back().offset, most_kernarg));
  }
  p.kernarg_bytes = j.value("kernarg_bytes", 0u);
  if (p.kernarg_bytes > most_kernarg)
    throw InputError(fmt::format("kernarg_bytes {}, legal: up to {}", p.kernarg_bytes, most_kernarg));
  return p;
}

}  // namespace

PeerFile load_peer(const std::string& object, const std::string& metadata) {
  const auto text = runtime::read_file(metadata, uint64_t{1} << 20);
  PeerFile p = [&] {
    try {
      return parse_metadata(ordered_json::parse(text.begin(), text.end()));
    } catch (const nlohmann::json::exception& e) {
      throw InputError(fmt::format("{}: not what `wavesmith gemm --meta` writes: {}", metadata, e.what()));
    } catch (const InputError& e) { throw InputError(fmt::format("{}: {}", metadata, e.what())); }
  }();
  p.name = std::filesystem::path(object).stem();
  p.code = runtime::read_file(object);
  return p;
}

runtime::Launch PeerFile::launch(const Quantities& known,
                                 const std::map<std::string, uint64_t, std::less<>>& buffers) const {
  runtime::Launch l{
      .block = block, .dynamic_lds = dynamic_lds, .cluster = {}, .kernargs = std::vector<uint8_t>(kernarg_bytes)};
  for (size_t i = 0; i < 3; ++i)
    l.grid[i] = static_cast<uint32_t>(whole(evaluate(grid[i], known), UINT32_MAX, fmt::format("{}: grid", name)));
  for (const Argument& a : arguments) {
    const std::string what = fmt::format("{}: argument '{}'", name, a.value);
    std::vector<uint8_t> bytes;
    if (a.type.ends_with('*')) {
      const auto buffer = buffers.find(a.value);
      if (buffer == buffers.end() && a.value != "0") {
        std::string names;
        for (const auto& [b, _] : buffers) names += " " + b;
        throw InputError(fmt::format("{}: there is no such buffer, legal: 0{}", what, names));
      }
      bytes = raw_bytes(buffer == buffers.end() ? uint64_t{0} : buffer->second);
    } else bytes = formula_bytes(a.type, evaluate(a.value, known), what);
    if (l.kernargs.size() < a.offset + bytes.size()) l.kernargs.resize(a.offset + bytes.size());
    std::ranges::copy(bytes, l.kernargs.begin() + a.offset);
  }
  return l;
}

}  // namespace wavesmith::tools
