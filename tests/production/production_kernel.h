// Launches code objects of ROCm/aiter (folder hsa), which are not part of this repository: WAVESMITH_AITER names that
// folder. Every kernel runs with the default checks; a test looks at the whole output, in f64. WAVESMITH_FIGURES=1
// prints the rows of docs/reference/production_launches.md.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <utility>

#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"

namespace production {

using namespace wavesmith;
using enum sim::Fault::Kind;
using Bytes = std::vector<uint8_t>;

// The code object, or empty after a warning that says how to get it.
inline Bytes code_object(const std::string& file) {
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
  double uniform() { return static_cast<double>(bits()) * 0x1p-32; }
  double normal() {  // nearly: twelve uniform numbers
    double s = -6;
    for (int i = 0; i < 12; ++i) s += uniform();
    return s;
  }
};

// A matrix of codes and of the values they stand for.
struct Values {
  Bytes codes;
  std::vector<double> values;
};
// Of `bytes` bytes a code, from f(i) rounded.
template <class F>
Values make_values(size_t count, const sim::FloatFormat& f, F&& value) {
  Values v;
  const size_t bytes = f.bits() / 8;
  v.codes.resize(count * bytes), v.values.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t code = sim::encode(f, value(i));
    std::memcpy(v.codes.data() + i * bytes, &code, bytes);
    v.values[i] = sim::decode(f, code);
  }
  return v;
}
inline Values random_values(size_t count, const sim::FloatFormat& f, Random& r, double scale = 1) {
  return make_values(count, f, [&](size_t) { return scale * r.normal(); });
}
inline Values random_bytes(size_t count, Random& r) {  // int8
  Values v;
  for (size_t i = 0; i < count; ++i)
    v.codes.push_back(static_cast<uint8_t>(r.bits())), v.values.push_back(static_cast<int8_t>(v.codes.back()));
  return v;
}
inline Values random_floats(size_t count, Random& r, double least, double most) {
  Values v;
  v.codes.resize(count * 4);
  for (size_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(least + (most - least) * r.uniform());
    std::memcpy(v.codes.data() + 4 * i, &x, 4), v.values.push_back(x);
  }
  return v;
}
template <class T>
Bytes bytes_of(const std::vector<T>& v) {
  const auto* p = reinterpret_cast<const uint8_t*>(v.data());
  return {p, p + v.size() * sizeof(T)};
}
template <class T>
T element(const Bytes& bytes, size_t i) {
  T x;
  std::memcpy(&x, bytes.data() + i * sizeof x, sizeof x);
  return x;
}
inline double bf16_at(const Bytes& bytes, size_t i) {
  return sim::decode(sim::format::bf16, element<uint16_t>(bytes, i));
}
inline double f16_at(const Bytes& bytes, size_t i) {
  return sim::decode(sim::format::f16, element<uint16_t>(bytes, i));
}
inline double f32_at(const Bytes& bytes, size_t i) { return element<float>(bytes, i); }

// Rows of `k` bytes in blocks of 16 rows by 16 bytes, the blocks of 16 rows beside each other: [rows/16][k/16][16][16].
inline Bytes shuffled(const Bytes& b, size_t rows, size_t k) {
  Bytes out(b.size());
  for (size_t n = 0; n < rows; ++n)
    for (size_t x = 0; x < k; ++x) out[((n / 16 * (k / 16) + x / 16) * 16 + n % 16) * 16 + x % 16] = b[n * k + x];
  return out;
}

inline std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// The worst element of an output, against the error that is allowed there.
struct Errors {
  double largest = 0, error = 0, of_allowed = 0;  // of the reference; |got - wanted|; the worst error / allowed
  size_t count = 0;
  void add(double got, double wanted, double allowed) {
    const double e = got == wanted ? 0 : std::abs(got - wanted);  // both infinite: equal
    largest = std::max(largest, std::isinf(wanted) ? 0 : std::abs(wanted));
    error = std::max(error, std::isnan(e) ? HUGE_VAL : e);
    of_allowed = std::max(of_allowed, std::isnan(e) ? HUGE_VAL : e == 0 ? 0 : e / allowed);
    ++count;
  }
  std::string text() const {
    return fmt::format(
        "{} elements, largest {:.4g}, largest error {:.2g} = {:.2g} of the largest, {:.2f} of what rounding allows",
        count, largest, error, error / largest, of_allowed);
  }
};

// The classes of findings that stop a launch with the default checks, and an order in which its result is wrong
// without them; empty: none.
struct Finding {
  std::string classes, order;
};
inline Finding known_finding(const std::string& title) {
  static const std::map<std::string, Finding> known = {
#define FINDING(title, classes, order) {title, {classes, order}},
#include "tests/production/production_findings.def"
#undef FINDING
  };
  const auto k = known.find(title);
  return k == known.end() ? Finding{} : k->second;
}

// A device of its own, and the launches on it, one after the other.
struct Run {
  sim::Memory memory;
  sim::Launch launch;
  sim::Options options;
  std::vector<std::pair<uint64_t, size_t>> buffers;

  uint64_t buffer(const std::string& name, const Bytes& bytes) {
    const uint64_t p = memory.allocate(std::max<size_t>(bytes.size(), 4), name);
    memory.write(p, bytes);
    buffers.emplace_back(p, bytes.size());
    return p;
  }
  template <class T>
  uint64_t buffer(const std::string& name, const std::vector<T>& values) {
    return buffer(name, bytes_of(values));
  }
  uint64_t output(const std::string& name, size_t bytes) {
    return buffer(name, Bytes(bytes, 0xff));
  }  // NaN, if it stays unwritten
  template <class T>
  void put(size_t offset, T value) {
    if (launch.kernargs.size() < offset + sizeof value) launch.kernargs.resize(offset + sizeof value);
    std::memcpy(launch.kernargs.data() + offset, &value, sizeof value);
  }
  // Arguments one after the other, each in a slot of `slot` bytes (0: packed).
  template <class... T>
  void arguments(size_t offset, size_t slot, T... values) {
    ((put(offset, values), offset += slot ? slot : sizeof values), ...);
  }
  void slots(size_t offset, std::initializer_list<uint32_t> values) {  // dwords, one every 16 bytes
    for (const uint32_t x : values) put(offset, x), offset += 16;
  }
  Bytes read(uint64_t p, size_t bytes) const {
    Bytes r(bytes);
    memory.read(p, r);
    return r;
  }

  // With the default checks; where one of them stops the kernel, this launch again without that one.
  // production_findings.def names the classes that do.
  void run(const Bytes& object, const std::string& title) {
    const auto co = sim::CodeObject::load(object);
    const auto& k = co.kernel("");
    launch.kernargs.resize(std::max<size_t>(launch.kernargs.size(), k.kernarg_bytes));
    title_ = title;
    if (const char* order = std::getenv("WAVESMITH_ORDER")) return run_in_order(co, k, order);
    std::vector<Bytes> before;
    for (const auto& [p, size] : buffers) before.push_back(read(p, size));
    std::set<std::string> stops;
    for (sim::Options now = options;;) {
      result_ = sim::run(co, k, memory, launch, now);
      if (!result_.fault) break;
      INFO(title_ << ": " << result_.fault->message());
      if (std::getenv("WAVESMITH_FIGURES")) fmt::print("  {}\n", result_.fault->message());
      stops.insert(sim::name(result_.fault->kind));
      REQUIRE(relax(now.checks, result_.fault->kind));
      for (size_t i = 0; i < buffers.size(); ++i) memory.write(buffers[i].first, before[i]);
    }
    stopped_ = fmt::format("{}", fmt::join(stops, ", "));
    CHECK(title_ + ": " + stopped_ == title_ + ": " + known_finding(title_).classes);
  }
  // Every element is within its bound, and the launch has its row in docs/reference/production_launches.md, which
  // WAVESMITH_FIGURES prints.
  void compare(std::initializer_list<std::pair<const char*, Errors>> outputs) const {
    if (order_.size()) return compare_in_order(outputs);
    std::string errors;
    for (const auto& [name, e] : outputs) {
      INFO(title_ << ": " << name << ": " << e.text());
      CHECK(e.of_allowed <= 1);
      errors += fmt::format("{}{} {:.2g}", errors.empty() ? "" : ", ", name, e.error / e.largest);
      if (std::getenv("WAVESMITH_FIGURES")) fmt::print("  {}: {}\n", name, e.text());
    }
    std::string kernel = title_;
    kernel.erase(kernel.find(".co |"), 3);
    const std::string order = known_finding(title_).order;
    const std::string row = fmt::format("| {} | {} | {} | {} | {} |\n", kernel, errors,
                                        stopped_.empty() ? "runs" : stopped_, order, result_.warnings);
    if (std::getenv("WAVESMITH_FIGURES")) fmt::print("{}", row);
    std::ifstream in(WAVESMITH_SOURCE "/docs/reference/production_launches.md");
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }

 private:
  std::string title_, stopped_, order_;
  sim::Result result_;

  // WAVESMITH_ORDER: what a check stops runs without checks in that order, and its result must be wrong. `known`: in
  // the one of production_findings.def. Options of `wavesmith run`: --order, --quantum.
  void run_in_order(const sim::CodeObject& co, const sim::KernelInfo& k, const std::string& order) {
    const Finding known = known_finding(title_);
    order_ = order != "known" ? order : known.order.empty() ? "none" : known.order;
    sim::Options now = options;
    now.jobs = 0;
    if (!known.classes.empty() && order_ != "none") {
      now.checks = sim::Checks::none();
      std::istringstream words(order_);
      for (std::string option, value; words >> option >> value;)
        if (option == "--order") sim::parse_order(value, now);
        else now.quantum = std::stoi(value);
    }
    result_ = sim::run(co, k, memory, launch, now);
  }
  void compare_in_order(std::initializer_list<std::pair<const char*, Errors>> outputs) const {
    const Finding known = known_finding(title_);
    if (known.classes.empty() || order_ == "none") return;
    double worst = 0;
    for (const auto& [name, e] : outputs) worst = std::max(worst, e.of_allowed);
    const std::string outcome = result_.fault ? "stops: " + result_.fault->message()
                                              : fmt::format("error {:.3g} of what rounding allows", worst);
    if (std::getenv("WAVESMITH_FIGURES")) fmt::print("{} | {}: {}\n", title_, order_, outcome);
    INFO(title_ << " in order " << order_ << ": " << outcome);
    CHECK((result_.fault || worst > 1));
  }
  static bool relax(sim::Checks& c, sim::Fault::Kind kind) {  // false: no check, or one that is off already
    const auto off = [](bool& check) { return std::exchange(check, false); };
    switch (kind) {
      case undefined_read: return off(c.undefined);
      case in_flight: return std::exchange(c.in_flight, false) || off(c.xcnt);
      case race: return off(c.races);
      case hazard: return !std::exchange(c.hazard_warnings, true);
      default: return false;
    }
  }
};

}  // namespace production
