// Files in JSON: text, base64 (RFC 4648), arrays as lists. JSON has no NaN and no infinities: "nan", "inf", "-inf".
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/npy.h"
#include "simulator/numerics/formats.h"
#include "tools/operations/operations.h"
#include "tools/options/launch.h"
#include "tools/print/exit.h"

namespace wavesmith::tools {
namespace {

using runtime::Array;
using runtime::Dtype;

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(const std::vector<uint8_t>& bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = std::min<size_t>(3, bytes.size() - i);
    uint32_t v = 0;
    for (size_t b = 0; b < 3; ++b) v = v << 8 | (b < n ? bytes[i + b] : 0u);
    for (size_t d = 0; d < 4; ++d) out += d <= n ? digits[v >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

std::vector<uint8_t> from_base64(std::string_view text, const std::string& name) {
  const auto bad = [&] { throw InputError(fmt::format("file '{}': not base64 (RFC 4648)", name)); };
  std::vector<uint8_t> out;
  if (text.size() % 4) bad();
  out.reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
    uint32_t v = 0;
    for (size_t d = 0; d < 4; ++d) {
      const size_t digit = d < 4 - padding ? digits.find(text[i + d]) : 0;
      if (digit == digits.npos) bad();
      v = v << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t b = 0; b < 3 - padding; ++b) out.push_back(static_cast<uint8_t>(v >> (16 - 8 * b)));
  }
  return out;
}

double number(const Json& v, const std::string& name) {
  if (v.is_number()) return v.get<double>();
  if (v == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (v == "inf") return std::numeric_limits<double>::infinity();
  if (v == "-inf") return -std::numeric_limits<double>::infinity();
  throw InputError(fmt::format("file '{}': a {} among the numbers, legal: numbers, \"nan\", \"inf\", \"-inf\"", name,
                               v.type_name()));
}

template <class T>
void put(std::vector<uint8_t>& to, T v) {
  to.insert(to.end(), reinterpret_cast<const uint8_t*>(&v), reinterpret_cast<const uint8_t*>(&v) + sizeof v);
}

struct Encoder {
  Dtype type;
  bool bf16;
  const std::string& name;

  void integer(std::vector<uint8_t>& to, const Json& v) const {
    const int bits = 8 * runtime::size_of(type);
    const bool is_signed = type == Dtype::i1 || type == Dtype::i2 || type == Dtype::i4 || type == Dtype::i8;
    const bool negative = v.is_number_integer() && !v.is_number_unsigned() && v.get<int64_t>() < 0;
    const uint64_t most = is_signed ? (uint64_t{1} << (bits - 1)) - 1 : ~uint64_t{0} >> (64 - bits);
    if (!v.is_number_integer() ||
        (negative ? !is_signed || v.get<int64_t>() < -static_cast<int64_t>(most) - 1 : v.get<uint64_t>() > most))
      throw InputError(fmt::format("file '{}': {} is not a number of type {}", name, v.dump(), runtime::name(type)));
    const uint64_t raw = negative ? static_cast<uint64_t>(v.get<int64_t>()) : v.get<uint64_t>();
    to.insert(to.end(), reinterpret_cast<const uint8_t*>(&raw), reinterpret_cast<const uint8_t*>(&raw) + bits / 8);
  }
  void one(std::vector<uint8_t>& to, const Json& v) const {
    switch (type) {
      case Dtype::f8: return put(to, number(v, name));
      case Dtype::f4: return put(to, static_cast<float>(number(v, name)));
      case Dtype::f2: return put(to, static_cast<uint16_t>(sim::encode(sim::format::f16, number(v, name))));
      case Dtype::u2:
        if (bf16) return put(to, static_cast<uint16_t>(sim::encode(sim::format::bf16, number(v, name))));
        [[fallthrough]];
      default: return integer(to, v);
    }
  }
  // Row-major; the shape is that of the first elements.
  void all(Array& to, const Json& v, size_t depth) const {
    constexpr size_t deepest = 16;
    if (depth > deepest) throw InputError(fmt::format("file '{}': lists deeper than {}", name, deepest));
    if (!v.is_array()) {
      if (depth != to.shape.size()) throw InputError(fmt::format("file '{}': lists of different depth", name));
      return one(to.bytes, v);
    }
    if (depth == to.shape.size() && to.bytes.empty()) to.shape.push_back(v.size());
    if (depth >= to.shape.size() || to.shape[depth] != v.size())
      throw InputError(fmt::format("file '{}': lists of different length or depth", name));
    for (const Json& element : v) all(to, element, depth + 1);
  }
};

Json element(const Array& a, uint64_t i) {
  const uint8_t* at = a.bytes.data() + i * static_cast<uint64_t>(runtime::size_of(a.type));
  const auto get = [&]<class T>(T) {
    T v;
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  const auto real = [](double x) -> Json {
    return std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
  };
  switch (a.type) {
    case Dtype::f2: return real(sim::decode(sim::format::f16, get(uint16_t{})));
    case Dtype::f4: return real(static_cast<double>(get(float{})));
    case Dtype::f8: return real(get(double{}));
    case Dtype::i1: return get(int8_t{});
    case Dtype::i2: return get(int16_t{});
    case Dtype::i4: return get(int32_t{});
    case Dtype::i8: return get(int64_t{});
    case Dtype::u1: return get(uint8_t{});
    case Dtype::u2: return get(uint16_t{});
    case Dtype::u4: return get(uint32_t{});
    case Dtype::u8: return get(uint64_t{});
  }
  return {};
}

// The elements below one index prefix: `first` and `stride` in elements.
Json nested(const Array& a, size_t dim, uint64_t first, const std::vector<uint64_t>& strides) {
  if (dim == a.shape.size()) return element(a, first);
  Json list = Json::array();
  for (uint64_t i = 0; i < a.shape[dim]; ++i) list.push_back(nested(a, dim + 1, first + i * strides[dim], strides));
  return list;
}

Json listed(const Array& a) {
  std::vector<uint64_t> strides(a.shape.size(), 1);
  if (a.fortran)
    for (size_t d = 1; d < strides.size(); ++d) strides[d] = strides[d - 1] * a.shape[d - 1];
  else
    for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * a.shape[d];
  return nested(a, 0, 0, strides);
}

bool starts_with(const std::vector<uint8_t>& bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

}  // namespace

std::vector<uint8_t> file_from_json(const Json& j, const std::string& name) {
  if (j.is_string()) {
    const auto& text = j.get_ref<const std::string&>();
    return {text.begin(), text.end()};
  }
  const auto has = [&](const char* key, bool (*is)(const Json&)) {
    return j.is_object() && j.contains(key) && is(j[key]);
  };
  const auto string = [](const Json& v) { return v.is_string(); };
  if (has("base64", string)) return from_base64(j["base64"].get_ref<const std::string&>(), name);
  if (has("array", [](const Json&) { return true; }) && has("type", string)) {
    const auto type = j["type"].get<std::string>();
    Array a;
    a.type = element_type(type, name);
    Encoder{a.type, type == "bf16", name}.all(a, j["array"], 0);
    return runtime::format_npy(a);
  }
  throw InputError(
      fmt::format("file '{}': legal: a string, {{\"base64\": ...}}, or {{\"array\": ..., \"type\": ...}}", name));
}

Json file_to_json(const std::vector<uint8_t>& bytes) {
  if (starts_with(bytes, "\x93NUMPY")) try {
      const Array a = runtime::parse_npy(bytes, "");
      if (a.count() <= most_listed) return {{"array", listed(a)}, {"type", runtime::name(a.type)}, {"shape", a.shape}};
    } catch (const runtime::FileError&) {}
  const std::string text(bytes.begin(), bytes.end());
  if (text.find('\0') == text.npos) {
    try {
      (void)Json(text).dump();
      return text;
    } catch (const Json::type_error&) {}  // not UTF-8
  }
  return {{"base64", to_base64(bytes)}};
}

}  // namespace wavesmith::tools
