// Both sides of a random program. The host's compiler does not optimise: it shares clang's front end with the device's
// and little else.
#include "tests/compiled/random/run.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <random>

#include "simulator/numerics/numerics.h"
#include "simulator/simulator.h"

namespace wavesmith::random {

namespace fs = std::filesystem;

std::string compiler() {
  for (const char* path : {"/usr/lib/llvm-22/bin/clang", "/usr/bin/clang-22"})
    if (fs::exists(path)) return path;
  return {};
}
std::string Way::name() const {
  return fmt::format("{}{}{} -O{}", target->name, features, wave64 ? " wave64" : "", level);
}

struct Loaded {
  sim::CodeObject object;
};

namespace {

// The kernels' parameters (prelude.h PARAMETERS), as the host's struct and the kernel argument segment both lay them
// out.
struct Arguments {
  uint64_t in, out, own, shared;
  int32_t a_int;
  uint32_t a_uint;
  int64_t a_long;
  float a_float;
  double a_double;
  int16_t a_short;
  uint8_t a_uchar;
  uint16_t a_half;
  alignas(16) uint32_t a_uint4[4];
  int8_t a_char4[4];
  alignas(16) float a_float3[4];
  alignas(16) uint64_t a_ulong2[2];
};

void shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}
constexpr const char* common = "-cl-std=CL2.0 -w -ffp-contract=off -fwrapv -fno-strict-aliasing";

}  // namespace

Trial::Trial(std::string source, fs::path folder) : folder_(std::move(folder)), launches_(launches(source)) {
  const fs::path here = fs::path(WAVESMITH_SOURCE) / "tests" / "compiled" / "random";
  std::ofstream(folder_ / "programs.cl", std::ios::binary) << source;
  const fs::path library = folder_ / "host.so";
  const auto quoted = [&](const char* what) {
    return fmt::format("{0} -target x86_64-pc-linux-gnu -fPIC -mf16c {1} 2>> {2}/host.log", compiler(), what,
                       folder_.string());
  };
  shell(quoted(
      fmt::format(
          "-x cl {0} -DHOST -O0 -Xclang -ffloat16-excess-precision=none -I{1} -c {2}/programs.cl -o {2}/programs.o",
          common, here.string(), folder_.string())
          .c_str()));
  shell(quoted(fmt::format("-O1 {0}/host.c {1}/programs.o -shared -Wl,-Bsymbolic -lm -o {2}", here.string(),
                           folder_.string(), library.string())
                   .c_str()));
  host_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!host_) throw std::runtime_error(dlerror());
}
Trial::~Trial() {
  if (host_) dlclose(host_);
}

// Bytes of every kind of number: any bits, small whole numbers, ordinary floats of each width.
Trial::Image Trial::image(const Launch& l) const {
  std::mt19937_64 random(l.data);
  Image m;
  const auto put = [](std::vector<uint8_t>& to, size_t at, auto x) { std::memcpy(to.data() + at, &x, sizeof x); };
  const auto ordinary = [&] {
    return (static_cast<double>(random() % 20001) - 10000) / static_cast<double>(int64_t{1} << random() % 16);
  };
  m.in.resize(in_bytes);
  for (size_t block = 0; block + 64 <= m.in.size(); block += 64) switch (random() % 6) {
      case 0:
        for (size_t i = 0; i < 64; i += 8) put(m.in, block + i, ordinary());
        break;
      case 1:
        for (size_t i = 0; i < 64; i += 4) put(m.in, block + i, static_cast<float>(ordinary()));
        break;
      case 2:
        for (size_t i = 0; i < 64; i += 2) put(m.in, block + i, sim::to_f16(static_cast<float>(ordinary())));
        break;
      case 3:
        for (size_t i = 0; i < 64; i += 4) put(m.in, block + i, static_cast<int>(random() % 41) - 20);
        break;
      case 4:
        for (size_t i = 0; i < 64; i += 8) put(m.in, block + i, random() >> random() % 64);
        break;
      default:
        for (size_t i = 0; i < 64; i += 8) put(m.in, block + i, random());
    }
  const auto items = static_cast<size_t>(l.block * l.groups);
  m.out.assign(static_cast<size_t>(l.out_bytes), 0xa5), m.own.resize(items * own_bytes),
      m.shared.resize(shared_words * 4);
  for (auto& x : m.own) x = static_cast<uint8_t>(random() >> 20);
  for (size_t i = 0; i < m.shared.size(); i += 4) put(m.shared, i, static_cast<uint32_t>(random() >> 33));
  Arguments a{};
  a.a_int = static_cast<int32_t>(random()) >> random() % 32,
  a.a_uint = static_cast<uint32_t>(random()) >> random() % 32,
  a.a_long = static_cast<int64_t>(random()) >> random() % 64;
  a.a_float = static_cast<float>(ordinary()), a.a_double = ordinary(), a.a_short = static_cast<int16_t>(random()),
  a.a_uchar = static_cast<uint8_t>(random());
  a.a_half = sim::to_f16(static_cast<float>(ordinary()));
  for (auto& x : a.a_uint4) x = static_cast<uint32_t>(random()) >> random() % 32;
  for (auto& x : a.a_char4) x = static_cast<int8_t>(random());
  for (auto& x : a.a_float3) x = static_cast<float>(ordinary());
  for (auto& x : a.a_ulong2) x = random() >> random() % 64;
  m.arguments.resize(sizeof a);
  std::memcpy(m.arguments.data(), &a, sizeof a);
  return m;
}

const Trial::Image& Trial::expected(const Launch& l, int wave, bool gfx9) {
  const auto key = std::tuple(l.kernel, wave, gfx9);
  if (const auto known = expected_.find(key); known != expected_.end()) return known->second;
  Image m = image(l);
  Arguments a;
  std::memcpy(&a, m.arguments.data(), sizeof a);
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::vector<std::unique_ptr<uint8_t, Free>> copies;  // aligned as the largest vector
  const auto give = [&](const std::vector<uint8_t>& v) {
    copies.emplace_back(static_cast<uint8_t*>(std::aligned_alloc(128, (v.size() + 127) / 128 * 128)));
    std::memcpy(copies.back().get(), v.data(), v.size());
    return reinterpret_cast<uint64_t>(copies.back().get());
  };
  const auto take = [](std::vector<uint8_t>& v, uint64_t from) {
    std::memcpy(v.data(), reinterpret_cast<const void*>(from), v.size());
  };
  a.in = give(m.in), a.out = give(m.out), a.own = give(m.own), a.shared = give(m.shared);
  void* const kernel = dlsym(host_, ("host_" + l.kernel).c_str());
  void* const run = dlsym(host_, "w_run");
  if (!kernel || !run) throw std::runtime_error("no program " + l.kernel);
  reinterpret_cast<void (*)(void*, const void*, unsigned, unsigned, unsigned, unsigned)>(run)(
      kernel, &a, static_cast<unsigned>(l.groups), static_cast<unsigned>(l.block), static_cast<unsigned>(wave), gfx9);
  take(m.out, a.out), take(m.own, a.own), take(m.shared, a.shared);
  return expected_.emplace(key, std::move(m)).first->second;
}

std::optional<Failure> Trial::compare(const Launch& l, const Way& way, const Loaded& loaded) {
  const Image& want = expected(l, way.wave(), isa::target(loaded.object.arch()).wave_size == 64);
  const Image m = image(l);
  Arguments a;
  std::memcpy(&a, m.arguments.data(), sizeof a);
  const auto launch_on_device = [&](bool undefined) -> std::optional<Failure> {
    sim::Memory memory;
    const auto give = [&](const std::vector<uint8_t>& v, const char* name) {
      const uint64_t at = memory.allocate(v.size(), name);
      memory.write(at, v);
      return at;
    };
    Arguments on_device = a;
    on_device.in = give(m.in, "in"), on_device.out = give(m.out, "out"), on_device.own = give(m.own, "own"),
    on_device.shared = give(m.shared, "shared");
    sim::Launch launch;
    launch.grid = {static_cast<uint32_t>(l.groups), 1, 1}, launch.block = {static_cast<uint32_t>(l.block), 1, 1};
    launch.kernargs.resize(sizeof a);
    std::memcpy(launch.kernargs.data(), &on_device, sizeof a);
    sim::Options options;
    options.jobs = 1, options.max_instructions = 20'000'000, options.checks.undefined = undefined;
    options.checks.xcnt = false;  // clang 22 forgets such waits for gfx1250 (docs/reference/check.md)
    const sim::Result r = sim::run(loaded.object, loaded.object.kernel(l.kernel), memory, launch, options);
    if (r.fault)
      return Failure{
          r.fault->kind == sim::Fault::Kind::undefined_read ? Failure::Kind::undefined : Failure::Kind::fault, l.kernel,
          r.fault->message(), sim::name(r.fault->kind)};
    std::vector<uint8_t> out(m.out.size()), own(m.own.size()), shared(m.shared.size());
    memory.read(on_device.out, out), memory.read(on_device.own, own), memory.read(on_device.shared, shared);
    const auto differ = [&](const std::vector<uint8_t>& got, const std::vector<uint8_t>& right,
                            const char* name) -> std::optional<Failure> {
      const auto [g, w] = std::mismatch(got.begin(), got.end(), right.begin());
      if (g == got.end()) return {};
      return Failure{Failure::Kind::wrong, l.kernel,
                     fmt::format("{} byte {} is {:#x}, on the host {:#x}", name, g - got.begin(), *g, *w), ""};
    };
    if (auto f = differ(out, want.out, "out")) return f;
    if (auto f = differ(own, want.own, "own")) return f;
    return differ(shared, want.shared, "shared");
  };
  const auto found = launch_on_device(true);
  if (!found || found->kind != Failure::Kind::undefined) return found;
  const auto without = launch_on_device(false);  // is it a value that nobody needs?
  return without ? without : found;
}

std::vector<Failure> Trial::run(const Way& way) {
  const fs::path here = fs::path(WAVESMITH_SOURCE) / "tests" / "compiled" / "random";
  const std::string part = fmt::format("{}/{}{}_{}{}", folder_.string(), way.target->name, way.features, way.level,
                                       way.wave64 ? "_wave64" : "");
  try {  // clang makes two functions of each kernel, and one is enough; a vector that is divided into its elements
         // after a branch meets a defect of LLVM 22 (docs/reference/random_programs.md)
    shell(
        fmt::format("{} -x cl {} -cl-fp32-correctly-rounded-divide-sqrt -mllvm -amdgpu-internalize-symbols -mllvm "
                    "-amdgpu-codegenprepare-break-large-phis=false -target "
                    "amdgcn-amd-amdhsa -nogpulib -mcpu={}{} -O{} {} -I{} {}/programs.cl -o {}.co 2> {}.log",
                    compiler(), common, way.target->name, way.features, way.level,
                    way.wave64                    ? "-mwavefrontsize64 -DWAVE64"
                    : way.target->wave_size == 64 ? "-DWAVE64"
                                                  : "",
                    here.string(), folder_.string(), part, part));
    std::ifstream in(part + ".co", std::ios::binary);
    const Loaded loaded{sim::CodeObject::load({std::istreambuf_iterator<char>(in), {}})};
    std::vector<Failure> all;
    for (const Launch& l : launches_)
      if (auto f = compare(l, way, loaded)) all.push_back(std::move(*f));
    return all;
  } catch (const std::runtime_error& e) { return {{Failure::Kind::refused, "", e.what(), ""}}; }
}

}  // namespace wavesmith::random
