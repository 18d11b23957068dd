// Element access by type, and ways to fill a matrix.
#include "tools/options/matrices.h"
#include "isa_tables/names.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "simulator/numerics/numerics.h"
#include "tools/print/exit.h"

namespace wavesmith::tools {

using isa::Type;

runtime::Dtype stored_as(Type t) {
  switch (t) {
    case Type::f64: return runtime::Dtype::f8;
    case Type::f16: return runtime::Dtype::f2;
    case Type::bf16: return runtime::Dtype::u2;
    case Type::fp8:
    case Type::bf8: return runtime::Dtype::u1;
    case Type::i8: return runtime::Dtype::i1;
    case Type::i32: return runtime::Dtype::i4;
    default: return runtime::Dtype::f4;
  }
}

const sim::FloatFormat& small_format(Type t, bool fnuz) {
  if (t == Type::fp6) return sim::format::fp6;
  if (t == Type::bf6) return sim::format::bf6;
  if (t == Type::fp4) return sim::format::fp4;
  return t == Type::fp8 ? (fnuz ? sim::format::fp8_fnuz : sim::format::fp8)
                        : (fnuz ? sim::format::bf8_fnuz : sim::format::bf8);
}

namespace {

bool is_integer(Type t) { return t == Type::i8 || t == Type::i32 || t == Type::i4; }

struct Extremes {
  double smallest, normal, large;
};
Extremes extremes(const HostMatrix& m) {
  switch (m.type) {
    case Type::f64: return {0x1p-1074, 0x1p-1022, 1024};
    case Type::f16: return {0x1p-24, 0x1p-14, 1024};
    case Type::bf16: return {0x1p-133, 0x1p-126, 1024};
    case Type::fp8:
    case Type::bf8:
    case Type::fp6:
    case Type::bf6:
    case Type::fp4: {
      const sim::FloatFormat& f = small_format(m.type, m.fnuz);
      return {std::ldexp(1, f.least_exponent() - f.mantissa_bits), std::ldexp(1, f.least_exponent()),
              isa::bits(m.type) == 8 ? 64.0 : 4.0};
    }
    case Type::i8: return {1, -128, 127};
    case Type::i4: return {1, -8, 7};
    case Type::i32: return {1, -0x1p31, 0x1p31 - 1};
    default: return {0x1p-149, 0x1p-126, 1024};
  }
}
// Zeros of both signs, subnormals, the smallest and large numbers, and now and then an infinity or a NaN.
double special_value(const HostMatrix& m, std::mt19937_64& random) {
  const auto [smallest, normal, large] = extremes(m);
  const uint64_t pick = random() % 4096;
  if (is_integer(m.type)) {
    const double values[] = {0, smallest, -smallest, normal, large};
    return values[pick % std::size(values)];
  }
  const double values[] = {0.0, -0.0, smallest, -3 * smallest, normal, -normal, 1.0, -1.5, 2.0, large, -large, 0.25};
  if (pick == 0 && isa::bits(m.type) >= 8) return INFINITY;
  if (pick == 1 && isa::bits(m.type) >= 8) return NAN;
  return values[pick % std::size(values)];
}
// Uniform over [-1, 1), or over an integer's whole range; i32 over 2^16 numbers.
double any_value(Type t, std::mt19937_64& random) {
  if (t == Type::i8) return static_cast<double>(random() % 256) - 128;
  if (t == Type::i4) return static_cast<double>(random() % 16) - 8;
  if (t == Type::i32) return static_cast<double>(random() % 65536) - 32768;
  return std::uniform_real_distribution<double>(-1, 1)(random);
}

template <class T>
T stored(const std::vector<uint8_t>& bytes, uint64_t element) {
  T value;
  std::memcpy(&value, &bytes[element * sizeof(T)], sizeof(T));
  return value;
}
template <class T>
void put(std::vector<uint8_t>& bytes, uint64_t element, T value) {
  std::memcpy(&bytes[element * sizeof(T)], &value, sizeof(T));
}

}  // namespace

// i4: by whole words.
uint64_t HostMatrix::size_bytes() const {
  const uint64_t bytes = (elements() * static_cast<uint64_t>(isa::bits(type)) + 7) / 8;
  return type == Type::i4 ? (bytes + 3) / 4 * 4 : bytes;
}

// Elements below 8 bits follow each other from the lowest bit of a byte on.
double HostMatrix::get(uint64_t e) const {
  if (isa::bits(type) < 8) {
    const auto bits = static_cast<uint64_t>(isa::bits(type)), at_bit = e * bits;
    if (type == Type::i4) return ((bytes[at_bit / 8] >> at_bit % 8 & 15) ^ 8) - 8;
    const uint32_t low = bytes[at_bit / 8], high = at_bit / 8 + 1 < bytes.size() ? bytes[at_bit / 8 + 1] : 0u;
    return sim::decode(small_format(type, fnuz), (low | high << 8) >> at_bit % 8 & ((1u << bits) - 1));
  }
  switch (type) {
    case Type::f64: return stored<double>(bytes, e);
    case Type::f16: return sim::from_f16(stored<uint16_t>(bytes, e));
    case Type::bf16: return sim::from_bf16(stored<uint16_t>(bytes, e));
    case Type::fp8:
    case Type::bf8: return sim::decode(small_format(type, fnuz), stored<uint8_t>(bytes, e));
    case Type::i8: return stored<int8_t>(bytes, e);
    case Type::i32: return stored<int32_t>(bytes, e);
    default: return stored<float>(bytes, e);
  }
}

void HostMatrix::set(uint64_t e, double value) {
  if (isa::bits(type) < 8) {
    const auto bits = static_cast<uint64_t>(isa::bits(type));
    const auto code = type == Type::i4 ? static_cast<uint32_t>(static_cast<int32_t>(value))
                                       : static_cast<uint32_t>(sim::encode(small_format(type, fnuz), value));
    for (uint64_t i = 0; i < bits; ++i) {
      uint8_t& byte = bytes[(e * bits + i) / 8];
      const auto bit = static_cast<uint8_t>(1u << (e * bits + i) % 8);
      byte = static_cast<uint8_t>(code >> i & 1 ? byte | bit : byte & ~bit);
    }
    return;
  }
  switch (type) {
    case Type::f64: return put(bytes, e, value);
    case Type::f16: return put(bytes, e, sim::to_f16(static_cast<float>(value)));
    case Type::bf16: return put(bytes, e, sim::to_bf16(static_cast<float>(value)));
    case Type::fp8:
    case Type::bf8: return put(bytes, e, static_cast<uint8_t>(sim::encode(small_format(type, fnuz), value)));
    case Type::i8: return put(bytes, e, static_cast<int8_t>(value));
    case Type::i32: return put(bytes, e, static_cast<int32_t>(value));
    default: return put(bytes, e, static_cast<float>(value));
  }
}

std::vector<double> HostMatrix::widened(uint32_t b) const {
  std::vector<double> out;
  out.reserve(uint64_t{rows} * cols);
  for (uint32_t c = 0; c < cols; ++c)
    for (uint32_t r = 0; r < rows; ++r) out.push_back(get(at(b, r, c)));
  return out;
}

void fill(HostMatrix& m, Init init, uint64_t seed) {
  std::mt19937_64 random(seed);
  m.bytes.assign(m.size_bytes(), 0xff);
  for (uint32_t b = 0; b < m.batch; ++b)
    for (uint32_t c = 0; c < m.cols; ++c)
      for (uint32_t r = 0; r < m.rows; ++r)
        m.set(m.at(b, r, c), init == Init::rand   ? any_value(m.type, random)
                             : init == Init::ints ? static_cast<double>(random() % 7) - 3
                                                  : special_value(m, random));
}

void fill_repeating(HostMatrix& m, Init init, uint64_t seed) {
  constexpr uint64_t period = 8 * 131071;  // whole bytes in every type; 131071 is prime
  HostMatrix some = m;
  some.rows = some.ld = static_cast<uint32_t>(std::min(m.elements(), period)), some.cols = some.batch = 1;
  fill(some, init, seed);
  const size_t size = m.size_bytes();
  m.bytes.clear(), m.bytes.reserve(size);
  while (m.bytes.size() < size)
    m.bytes.insert(m.bytes.end(), some.bytes.begin(),
                   some.bytes.begin() + static_cast<ptrdiff_t>(std::min(some.bytes.size(), size - m.bytes.size())));
}

runtime::Array load_matrix(const std::string& path, isa::Type type) {
  runtime::Array a = runtime::load_npy(path);
  if (a.type != stored_as(type) || a.shape.size() != 2)
    throw InputError(fmt::format("{}: {}, legal: a two-dimensional array of {} (for {})", path, a.describe(),
                                 runtime::name(stored_as(type)), isa::type_name(type)));
  return a;
}

void fill_from(HostMatrix& m, const runtime::Array& a, const std::string& path) {
  if (a.shape[0] != m.rows || a.shape[1] != m.cols)
    throw InputError(fmt::format("{}: {}, legal: ({}, {}) for {}", path, a.describe(), m.rows, m.cols, m.name));
  const uint64_t width = static_cast<uint64_t>(isa::bits(m.type)) / 8;
  m.bytes.assign(m.elements() * width, 0xff);
  for (uint32_t b = 0; b < m.batch; ++b)
    for (uint32_t c = 0; c < m.cols; ++c)
      for (uint32_t r = 0; r < m.rows; ++r) {
        const uint64_t from = a.fortran ? uint64_t{c} * m.rows + r : uint64_t{r} * m.cols + c;
        std::memcpy(&m.bytes[m.at(b, r, c) * width], &a.bytes[from * width], width);
      }
}

}  // namespace wavesmith::tools
