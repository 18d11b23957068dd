// Ordinary kernels, as a compiler makes them, against kernel times measured on MI300A
// (tests/facts/mi300_hw_measurements.csv): our own OpenCL of the same computations with the published launch geometry,
// compiled by clang at run time. Times are hipEvent times and hold the launch.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "tests/validation/ordinary_kernels.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

struct Call {
  sim::Memory memory;
  sim::Launch launch;
  template <class T>
  void value(T x) {
    auto& k = launch.kernargs;
    k.resize((k.size() + sizeof x - 1) / sizeof x * sizeof x);
    const auto* b = reinterpret_cast<const uint8_t*>(&x);
    k.insert(k.end(), b, b + sizeof x);
  }
  void buffer(uint64_t bytes) { value(memory.allocate(bytes, "buffer")); }
};

// The launch of a row; empty for a test that is not among ours.
std::string prepare(const std::string& test, const std::vector<uint64_t>& n, Call& c) {
  const auto grid = [&](uint64_t items, uint32_t group) {
    c.launch.grid = {static_cast<uint32_t>((items + group - 1) / group), 1, 1}, c.launch.block = {group, 1, 1};
  };
  if (test == "vectoradd") {
    for (int i = 0; i < 3; ++i) c.buffer(4 * n[0]);
    c.value(static_cast<uint32_t>(n[0])), grid(n[0], 256);
    return test;
  }
  if (test == "relu") {
    c.value(static_cast<uint32_t>(n[0])), c.buffer(4 * n[0]), c.buffer(4 * n[0]), grid(n[0], 256);
    return test;
  }
  if (test == "fir") {
    c.buffer(4 * n[0]), c.buffer(4 * n[1]), c.buffer(4 * n[0]), c.buffer(4 * n[1] + 4),
        c.value(static_cast<uint32_t>(n[1])), grid(n[0], 256);
    return test;
  }
  if (test == "simpleconvolution") {
    const uint64_t pitch = n[0] + n[2] - 1;
    c.buffer(4 * pitch * (n[1] + n[2] - 1)), c.buffer(4 * n[2] * n[2]), c.buffer(4 * n[0] * n[1]);
    for (const uint64_t x : {n[0], n[1], n[2], pitch}) c.value(static_cast<uint32_t>(x));
    grid(n[0] * n[1], 64);
    return "convolution";
  }
  if (test == "nbody") {
    c.buffer(16 * n[0]), c.buffer(16 * n[0]), c.value(static_cast<uint32_t>(n[0])), c.value(0.005f), c.value(50.0f);
    for (int i = 0; i < 3; ++i) c.buffer(16 * n[0]);
    c.value(256u), grid(n[0], 256);
    return n[0] % 256 ? "" : test;
  }
  if (test == "matrixtranspose") {
    c.buffer(4 * n[0] * n[1]), c.buffer(4 * n[0] * n[1]), c.value(static_cast<uint32_t>(n[0] / 4)),
        c.value(static_cast<uint32_t>(n[0] / 64));
    c.launch.grid = {static_cast<uint32_t>(n[0] / 64), static_cast<uint32_t>(n[0] / 64), 1},
    c.launch.block = {16, 16, 1};
    return n[0] % 64 ? "" : "transpose";
  }
  if (test == "matrixmultiplication") {
    for (int i = 0; i < 3; ++i) c.buffer(4 * n[0] * n[0]);
    c.value(static_cast<uint32_t>(n[0])), c.buffer(16 * n[0] * n[0] / 4);
    c.value(8), c.value(static_cast<int>(n[0] / 32));
    c.launch.grid = {static_cast<uint32_t>(n[0] / 32), static_cast<uint32_t>(n[0] / 32), 1}, c.launch.block = {8, 8, 1};
    return n[0] % 32 ? "" : "product";
  }
  return "";
}

// Tests of many launches one after the other, on data that the host sends first. `of`: the n-th kind of launch, and
// how often it comes.
struct Sequence {
  std::string kernel;
  uint64_t sent = 0;  // bytes
  std::vector<int> times;
};
Sequence sequence_of(const std::string& test, uint64_t n) {
  const int log = std::countr_zero(n);
  if (test == "fastwalshtransform")
    return {"walsh", 4 * n, std::vector<int>(static_cast<size_t>(log), 1)};  // step 1, 2, 4 ...
  if (test == "floydwarshall") return {"paths", 8 * n * n, {static_cast<int>(n)}};
  Sequence s{"sort", 4 * n, {}};
  for (int apart = 0; apart < log; ++apart)
    s.times.push_back(log - apart);  // every stage from this distance on has a pass of it
  return s;
}
void prepare(const Sequence& s, uint64_t n, int kind, Call& c) {
  c.buffer(s.sent);
  const auto groups = [&](uint32_t size) {
    c.launch.grid = {static_cast<uint32_t>(n / 2 / size), 1, 1}, c.launch.block = {size, 1, 1};
  };
  if (s.kernel == "walsh") c.value(1 << kind), groups(256);
  else if (s.kernel == "sort") c.value(kind), c.value(0), c.value(1), groups(64);
  else {
    c.buffer(4 * n * n), c.value(static_cast<uint32_t>(n)), c.value(static_cast<uint32_t>(n / 2));
    c.launch.grid = {static_cast<uint32_t>(n / 8), static_cast<uint32_t>(n / 8), 1}, c.launch.block = {8, 8, 1};
  }
}
constexpr double sent_per_second = 55e9;  // bytes: the same set's memcopy_h2d of 16 to 256 MB

// Where kernels take most of the time: below, it is that of launches, which overlap by an amount nobody says.
bool long_enough(const std::string& test, uint64_t n) {
  return test == "floydwarshall"
             ? n >= 1024
             : (test == "fastwalshtransform" || test == "bitonicsort") && n >= (1 << 20) && n <= (1 << 26);
}

}  // namespace

void validate_ordinary(const Sources& s, const Report& report, const Missing& missing) {
  const auto rows = read_csv(s.facts + "/mi300_hw_measurements.csv");
  if (rows.empty())
    return missing("ordinary kernels: no file mi300_hw_measurements.csv in the folder of facts (--facts)");
  const auto bytes = ordinary_kernels();
  if (bytes.empty()) return missing("ordinary kernels: no clang-22 to compile them");
  const auto object = sim::CodeObject::load(bytes);
  constexpr uint64_t most_items = uint64_t{1} << 25;
  std::map<std::string, std::vector<double>> errors;
  std::map<std::string, bool> seen;
  for (const auto& row : rows) {
    const std::string test = field(row, "test"), config = field(row, "config"),
                      size = config.substr(0, config.find(' '));
    if (field(row, "category") != "kernel_time" || seen[test + size]) continue;
    const auto n = numbers(size);
    const bool transposition = test == "matrixtranspose";  // of which large ones ask for translation
    if (n.empty() ||
        (!transposition && !long_enough(test, n[0]) && n[0] * (n.size() > 1 && n[1] > 64 ? n[1] : 1) > most_items))
      continue;
    timing::Options o;
    o.gpu = isa::find_gpu("MI300A"), o.jobs = s.jobs;
    std::string note;
    const auto seconds = [&](const std::string& kernel, Call& c) {
      const timing::Result r = timing::time(object, object.kernel(kernel), c.memory, c.launch, o);
      note = r.fault ? "FAULT " + r.fault->why : timing::name(r.limit);
      return r.seconds;
    };
    double predicted = 0;
    if (long_enough(test, n[0])) {
      const Sequence q = sequence_of(test, n[0]);
      predicted = static_cast<double>(q.sent) / sent_per_second;
      for (size_t kind = 0; kind < q.times.size(); ++kind) {
        Call c;
        prepare(q, n[0], static_cast<int>(kind), c);
        predicted += q.times[kind] * seconds(q.kernel, c);
      }
    } else {
      Call c;
      const std::string kernel = prepare(test, n, c);
      if (kernel.empty()) continue;
      predicted = seconds(kernel, c);
    }
    seen[test + size] = true;
    const double published = std::strtod(field(row, "value").c_str(), nullptr) * 1e3;
    report({"ordinary kernels, MI300A", test + " " + size, "us", predicted * 1e6, published, note});
    errors[test].push_back(std::abs(std::log(predicted * 1e6 / published)));
  }
  for (auto& [test, e] : errors) {
    std::sort(e.begin(), e.end());
    const auto percent = [](double log) { return 100 * (std::exp(log) - 1); };
    report({"ordinary kernels, error", test, "% median", percent(e[e.size() / 2]), 0,
            fmt::format("{} sizes, 90th percentile {:.0f} %", e.size(), percent(e[e.size() * 9 / 10]))});
  }
}

}  // namespace wavesmith::validation
