// Runs every build of one source of tests/compiled/clang/ on the simulator with all sanitizers on and compares with the
// host: builds are spread over threads, so that failures are collected as text and asserted by the test case.
#pragma once
#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "isa_tables/counters.h"
#include "simulator/simulator.h"
#include "tests/compiled/clang_corpus.h"

namespace clangtest {

using namespace wavesmith;
using Triple = std::array<uint32_t, 3>;

// One build under test.
struct Trial {
  const corpus::Build& build;
  const sim::CodeObject& object;
  const isa::Target& target;
  std::vector<std::string> failures;
  // For builds that were broken on purpose: the one kernel to launch, until it faults.
  std::string only = {};
  uint64_t max_instructions = 5'000'000;
  std::vector<sim::Fault> faults = {};
};

// The launch of kernels with a work-item for each element: its last workgroup is not full.
constexpr int items = 333;
constexpr Triple groups{4, 1, 1}, block{96, 1, 1};

template <class T>
struct Out {
  uint64_t address = 0;
  size_t count = 0;
};

template <class T>
std::string printed(T x) {
  if constexpr (sizeof(T) == 1) return std::to_string(static_cast<int>(x));
  else return fmt::format("{}", x);
}

// One launch: the arguments in the kernel's order, then launch(), then expect().
class Call {
 public:
  Call(Trial& t, const char* kernel) : trial_(t), kernel_(t.object.kernel(kernel)) {}
  int wave() const { return kernel_.wave_size; }

  template <class T>
  Out<T> buffer(const std::vector<T>& initial) {
    const Out<T> b{memory_.allocate(initial.size() * sizeof(T), fmt::format("argument {}", place_)), initial.size()};
    memory_.write(b.address, {reinterpret_cast<const uint8_t*>(initial.data()), initial.size() * sizeof(T)});
    value(b.address);
    return b;
  }
  template <class T>
  Out<T> out(size_t count) {
    return buffer(std::vector<T>(count));
  }
  template <class T>
  void value(T x) {  // std::runtime_error: the kernel's argument has another size
    size_t nth = place_++;
    for (const sim::KernelArg& a : kernel_.args) {
      if (a.hidden() || nth--) continue;
      if (a.size != sizeof x)
        throw std::runtime_error(fmt::format("argument {} has {} bytes, not {}", place_ - 1, a.size, sizeof x));
      launch_.kernargs.resize(std::max<size_t>(launch_.kernargs.size(), a.offset + a.size));
      std::memcpy(launch_.kernargs.data() + a.offset, &x, sizeof x);
      return;
    }
    throw std::runtime_error(fmt::format("no argument {}", place_ - 1));
  }

  void launch(Triple grid, Triple block, uint32_t dynamic_lds = 0) {
    if (!trial_.only.empty() && (trial_.only != kernel_.name || !trial_.faults.empty())) return;
    launch_.grid = grid, launch_.block = block, launch_.dynamic_lds = dynamic_lds;
    sim::Options o;
    o.jobs = 1, o.max_instructions = trial_.max_instructions;
    o.checks.uninitialized = sim::Checks::Uninitialized::fault;
    // LLVM 22 does not look at dual instructions after a transcendental (docs/reference/check.md): a warning there,
    // and the result is compared.
    o.checks.hazard_warnings = std::string_view(trial_.target.name) == "gfx1250" && kernel_.name == "reverse_digits";
    o.checks.undefined_reads = !trial_.only.empty();  // broken builds: the fault is where the checker looks
    o.seed = trial_.build.options == "O3" ? 0 : 7;    // the other builds: waves take turns at random
    o.late = trial_.only.empty() && trial_.build.options != "O3" &&
             trial_.build.options.find("O0") == std::string::npos;  // and some of them: loads land late
    const auto r = sim::run(trial_.object, kernel_, memory_, launch_, o);
    if (r.fault) fail(r.fault->message()), trial_.faults.push_back(*r.fault);
    ran_ = !r.fault;
  }

  template <class T>
  std::vector<T> read(Out<T> b) const {
    std::vector<T> v(b.count);
    memory_.read(b.address, {reinterpret_cast<uint8_t*>(v.data()), v.size() * sizeof(T)});
    return v;
  }
  // Equal, or for floating point no further off than `relative` of the reference; NaN equals NaN.
  template <class T>
  void expect(Out<T> b, const std::vector<T>& want, double relative = 0) {
    if (!ran_) return;
    const auto got = read(b);
    if (want.size() != got.size()) return fail(fmt::format("{} elements, reference {}", got.size(), want.size()));
    for (size_t i = 0; i < got.size(); ++i) {
      bool same = got[i] == want[i];
      if constexpr (std::is_floating_point_v<T>)
        same |= (std::isnan(got[i]) && std::isnan(want[i])) ||
                std::abs(static_cast<double>(got[i]) - want[i]) <= relative * std::abs(static_cast<double>(want[i]));
      if (!same)
        return fail(
            fmt::format("buffer of {} elements: [{}] is {}, not {}", got.size(), i, printed(got[i]), printed(want[i])));
    }
  }
  void fail(const std::string& why) {
    trial_.failures.push_back(fmt::format("{}: {}: {}", trial_.build.name(), kernel_.name, why));
  }
  bool ran() const { return ran_; }

 private:
  Trial& trial_;
  const sim::KernelInfo& kernel_;
  sim::Memory memory_;
  sim::Launch launch_;
  size_t place_ = 0;
  bool ran_ = false;
};

// The launches of each source, for tests of changed builds.
inline std::map<std::string, std::vector<void (*)(Trial&)>>& launches() {
  static std::map<std::string, std::vector<void (*)(Trial&)>> all;
  return all;
}
inline bool remember(const std::string& source, void (*check)(Trial&)) {
  return launches()[source].push_back(check), true;
}

// What is wrong with the builds of `source`, one line each; empty: nothing.
inline std::string failures_of(const std::string& source, void (*check)(Trial&)) {
  const auto s =
      std::find_if(corpus::sources.begin(), corpus::sources.end(), [&](const auto& x) { return x.name == source; });
  if (s == corpus::sources.end()) return "no source " + source;
  const auto builds = corpus::builds_of(*s);
  std::vector<std::string> found(builds.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i; (i = next++) < builds.size();) {
      const corpus::Build& b = builds[i];
      try {
        std::string bytes = corpus::text_of(corpus::compile(b));
        // Without optimisation LLVM 22 forgets waits for XCNT (docs/reference/check.md): as if XNACK were off. e_flags
        // is at 48, its state in bits 9:8.
        if (b.options.ends_with("O0") && isa::counter(isa::WaitCounter::x, *isa::find_arch(b.target)).name)
          bytes[49] = static_cast<char>((bytes[49] & ~3) | 2);
        const auto object = sim::CodeObject::load({bytes.begin(), bytes.end()});
        Trial t{b, object, isa::target(object.arch()), {}};
        check(t);
        for (const auto& f : t.failures) found[i] += f + "\n";
      } catch (const std::exception& e) { found[i] += fmt::format("{}: {}\n", b.name(), e.what()); }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned n = std::max(1u, std::thread::hardware_concurrency()); n > 0; --n) threads.emplace_back(work);
  }
  std::string all;
  for (const auto& f : found) all += f;
  return all;
}

// Test data, the same in every run.
inline std::vector<float> whole_floats(size_t n, int limit,
                                       unsigned seed = 1) {  // from -limit to limit: sums stay exact
  std::minstd_rand random(seed);
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % static_cast<unsigned>(2 * limit + 1)) - limit);
  return v;
}
template <class T>
std::vector<T> whole(size_t n, int64_t from, int64_t to, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> v(n);
  for (auto& x : v) x = static_cast<T>(from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1)));
  return v;
}
template <class T>
std::vector<T> any_bits(size_t n, unsigned seed = 1) {  // all magnitudes alike
  std::mt19937_64 random(seed);
  std::vector<T> v(n);
  for (auto& x : v) x = static_cast<T>(random() >> (random() % (8 * sizeof(T))) >> (64 - 8 * sizeof(T)));
  return v;
}

}  // namespace clangtest

// One test case a source: `check` launches its kernels.
#define CLANG_TEST(name, source, check) \
  [[maybe_unused]] static const bool INTERNAL_CATCH_UNIQUE_NAME(remembered) = clangtest::remember(source, check); \
  TEST_CASE(name, "[clang][sim]") { \
    if (corpus::compiler().empty()) { \
      WARN("clang-22 is not here: skipped"); \
      return; \
    } \
    const std::string wrong = clangtest::failures_of(source, check); \
    CHECK(wrong == ""); \
  }
