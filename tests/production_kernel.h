// Launches code objects of ROCm/aiter (folder hsa), which are not part of this repository: WAVESMITH_AITER names that folder. Every
// check is on, and a test looks at the whole output, in f64.
#pragma once
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"

namespace production {

using namespace wavesmith;

// The code object, or empty after a warning that says how to get it.
inline std::vector<uint8_t> code_object(const std::string& file) {
  const char* folder = std::getenv("WAVESMITH_AITER");
  const auto path = std::filesystem::path(folder ? folder : "") / file;
  std::ifstream in(path, std::ios::binary);
  if (!folder || !in) {
    WARN(file << " is not run: WAVESMITH_AITER does not name the folder hsa of ROCm/aiter");
    return {};
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Random {
  std::mt19937 bits;
  double normal() {                                        // nearly: twelve uniform numbers
    double s = -6;
    for (int i = 0; i < 12; ++i) s += static_cast<double>(bits()) * 0x1p-32;
    return s;
  }
};

// A matrix of codes and of the values they stand for.
struct Values {
  std::vector<uint8_t> codes;
  std::vector<double> values;
};
inline Values random_values(size_t count, const sim::FloatFormat& f, Random& r, double scale = 1) {
  Values v;
  const size_t bytes = f.bits() / 8;
  v.codes.resize(count * bytes), v.values.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t code = sim::encode(f, scale * r.normal());
    std::memcpy(v.codes.data() + i * bytes, &code, bytes);
    v.values[i] = sim::decode(f, code);
  }
  return v;
}
inline double bf16_at(const std::vector<uint8_t>& bytes, size_t i) { return sim::decode(sim::format::bf16, bytes[2 * i] | bytes[2 * i + 1] << 8); }
inline double f32_at(const std::vector<uint8_t>& bytes, size_t i) {
  float x;
  std::memcpy(&x, bytes.data() + 4 * i, 4);
  return x;
}

// What the checks say of a kernel beyond missing wait states, which are warnings here: docs/production_kernels.md has what is known of both.
// A kernel that orders the reuse of LDS by time alone has to be caught, and has to be right where the waves advance evenly.
enum class Races : uint8_t { none, by_time };

// One launch on a device of its own.
struct Run {
  sim::Memory memory;
  sim::Launch launch;
  sim::Options options;

  uint64_t buffer(const std::string& name, const std::vector<uint8_t>& bytes) {
    const uint64_t p = memory.allocate(std::max<size_t>(bytes.size(), 4), name);
    memory.write(p, bytes);
    return p;
  }
  uint64_t output(const std::string& name, size_t bytes) { return buffer(name, std::vector<uint8_t>(bytes, 0xff)); }       // NaN, if it stays unwritten
  template <class T> void put(size_t offset, T value) {
    if (launch.kernargs.size() < offset + sizeof value) launch.kernargs.resize(offset + sizeof value);
    std::memcpy(launch.kernargs.data() + offset, &value, sizeof value);
  }
  void slots(size_t offset, std::initializer_list<uint32_t> values) {      // dwords, one every 16 bytes
    for (const uint32_t x : values) put(offset, x), offset += 16;
  }
  std::vector<uint8_t> read(uint64_t p, size_t bytes) const {
    std::vector<uint8_t> r(bytes);
    memory.read(p, r);
    return r;
  }
  // With every check, and again without the one of races if the kernel is known for them.
  sim::Result run(const std::vector<uint8_t>& object, Races races) {
    const auto co = sim::CodeObject::load(object);
    const auto& k = co.kernel("");
    launch.kernargs.resize(std::max<size_t>(launch.kernargs.size(), k.kernarg_bytes));
    options.checks.hazard_warnings = true;
    options.checks.uninitialized = sim::Checks::Uninitialized::fault;
    if (races == Races::by_time) {
      const auto first = sim::run(co, k, memory, launch, options);
      REQUIRE(first.fault);
      CHECK((first.fault->kind == sim::Fault::Kind::race || first.fault->kind == sim::Fault::Kind::in_flight));
      options.checks.races = options.checks.in_flight = false;
    }
    const auto result = sim::run(co, k, memory, launch, options);
    CHECK((result.fault ? result.fault->message() : "") == "");
    if (result.warning) CHECK(result.warning->kind == sim::Fault::Kind::hazard);
    if (std::getenv("WAVESMITH_FIGURES")) fmt::print("{:.1f} s, {} of {} instructions lack wait states\n", result.seconds, result.warnings, result.instructions);
    return result;
  }
};

// The worst element of an output, against the error that is allowed there.
struct Errors {
  double largest = 0, error = 0, of_allowed = 0;           // of the reference; |got - wanted|; the worst error / allowed
  size_t count = 0;
  void add(double got, double wanted, double allowed) {
    const double e = got == wanted ? 0 : std::abs(got - wanted);           // both infinite: equal
    largest = std::max(largest, std::isinf(wanted) ? 0 : std::abs(wanted));
    error = std::max(error, std::isnan(e) ? HUGE_VAL : e);
    of_allowed = std::max(of_allowed, std::isnan(e) ? HUGE_VAL : e / allowed);
    ++count;
  }
  std::string text() const { return fmt::format("{} elements, largest {:.4g}, largest error {:.2g} = {:.2g} of the largest, {:.2f} of what rounding allows", count, largest, error, error / largest, of_allowed); }
};

}  // namespace production
