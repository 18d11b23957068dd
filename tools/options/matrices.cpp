// Element access by type, and ways to fill a matrix.
#include "tools/options/matrices.h"
#include "isa_tables/names.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "simulator/numerics/numerics.h"
#include "tools/commands/commands.h"

namespace wavesmith::tools {

runtime::Dtype stored_as(isa::Type t) {
  return t == isa::Type::f16 ? runtime::Dtype::f2 : t == isa::Type::bf16 ? runtime::Dtype::u2 : runtime::Dtype::f4;
}

namespace {

// Zeros of both signs, subnormals, the smallest and large numbers, and now and then an infinity or a NaN.
double special_value(isa::Type t, std::mt19937_64& random) {
  const double smallest = t == isa::Type::f16 ? 0x1p-24 : t == isa::Type::bf16 ? 0x1p-133 : 0x1p-149;
  const double normal = t == isa::Type::f16 ? 0x1p-14 : 0x1p-126;
  const double values[] = {0.0, -0.0, smallest, -3 * smallest, normal, -normal, 1.0, -1.5, 2.0, 1024.0, -1024.0, 0.25};
  const uint64_t pick = random() % 4096;
  if (pick == 0) return INFINITY;
  if (pick == 1) return NAN;
  return values[pick % std::size(values)];
}

}  // namespace

double Matrix::get(uint64_t e) const {
  if (type == isa::Type::f32) {
    float f;
    std::memcpy(&f, &bytes[4 * e], 4);
    return f;
  }
  uint16_t h;
  std::memcpy(&h, &bytes[2 * e], 2);
  return type == isa::Type::f16 ? sim::from_f16(h) : sim::from_bf16(h);
}

void Matrix::set(uint64_t e, double value) {
  const auto f = static_cast<float>(value);
  if (type == isa::Type::f32) {
    std::memcpy(&bytes[4 * e], &f, 4);
    return;
  }
  const uint16_t h = type == isa::Type::f16 ? sim::to_f16(f) : sim::to_bf16(f);
  std::memcpy(&bytes[2 * e], &h, 2);
}

std::vector<double> Matrix::widened(uint32_t b) const {
  std::vector<double> out;
  out.reserve(uint64_t{rows} * cols);
  for (uint32_t c = 0; c < cols; ++c)
    for (uint32_t r = 0; r < rows; ++r) out.push_back(get(at(b, r, c)));
  return out;
}

void fill(Matrix& m, Init init, uint64_t seed) {
  std::mt19937_64 random(seed);
  m.bytes.assign(m.elements() * static_cast<uint64_t>(isa::bits(m.type)) / 8, 0xff);
  std::uniform_real_distribution<double> real(-1, 1);
  for (uint32_t b = 0; b < m.batch; ++b)
    for (uint32_t c = 0; c < m.cols; ++c)
      for (uint32_t r = 0; r < m.rows; ++r)
        m.set(m.at(b, r, c), init == Init::rand   ? real(random)
                             : init == Init::ints ? static_cast<double>(random() % 7) - 3
                                                  : special_value(m.type, random));
}

runtime::Array load_matrix(const std::string& path, isa::Type type) {
  runtime::Array a = runtime::load_npy(path);
  if (a.type != stored_as(type) || a.shape.size() != 2)
    throw InputError(fmt::format("{}: {}, legal: a two-dimensional array of {} (for {})", path, a.describe(),
                                 runtime::name(stored_as(type)), isa::type_name(type)));
  return a;
}

void fill(Matrix& m, const runtime::Array& a, const std::string& path) {
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
