// Generated BLAS kernels, hipBLASLt's TensileLite, D = alpha op(A) op(B) + beta C: not part of this repository;
// WAVESMITH_BLAS names a folder that tests/production/blas/generate.py wrote. Arguments go by the names in the code
// object's metadata; what their values are follows the generator's host code
// (tensilelite/Tensile/Source/lib/source/ContractionSolution.cpp: kernelArgs, singleCallArgs, generateSingleCall).
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/production/production_kernel.h"

namespace production {

namespace {

// ld: elements between columns beyond the rows. split: of K, among as many workgroups. grid: of stream-K, 0 for other
// kernels.
struct Size {
  uint32_t m, n, k, batch;
  double alpha, beta;
  uint32_t pad, split, grid;
};

struct Type {
  const sim::FloatFormat* format;
  uint32_t bytes;
  double roundoff;
};  // no format: f32 and f64 by bytes, integers if the roundoff is 0
Type type_of(const std::string& name, bool fnuz) {
  using namespace sim::format;
  if (name == "f16") return {&f16, 2, 0x1p-11};
  if (name == "bf16") return {&bf16, 2, 0x1p-8};
  if (name == "fp8") return {fnuz ? &fp8_fnuz : &fp8, 1, 0};
  if (name == "bf8") return {fnuz ? &bf8_fnuz : &bf8, 1, 0};
  if (name == "i8") return {nullptr, 1, 0};
  if (name == "i32") return {nullptr, 4, 0};
  return {nullptr, name == "f64" ? 8u : 4u, name == "f64" ? 0x1p-53 : 0x1p-24};
}
struct Types {
  Type a, b, d, sum;
  bool integers;
};
Types types_of(const std::string& kind, bool fnuz) {  // as generate.py names them: of A and B, of D if it is another
  const auto bar = kind.find('_');
  const std::string in = kind.substr(0, bar), out = bar != kind.npos ? kind.substr(bar + 1)
                                                    : in == "xf32"   ? "f32"
                                                    : in == "i8"     ? "i32"
                                                                     : in;
  const Type sum = type_of(in == "i8" ? "i32" : in == "f64" ? "f64" : "f32", fnuz), d = type_of(out, fnuz);
  if (in == "fp8bf8") return {type_of("fp8", fnuz), type_of("bf8", fnuz), d, sum, false};
  return {type_of(in, fnuz), type_of(in, fnuz), d, sum, in == "i8"};
}

double get(const Type& t, const std::vector<uint8_t>& bytes, size_t i) {
  const uint8_t* p = bytes.data() + i * t.bytes;
  const auto as = [&](auto value) {
    std::memcpy(&value, p, sizeof value);
    return value;
  };
  if (t.format) return sim::decode(*t.format, t.bytes == 2 ? as(uint16_t{}) : *p);
  if (t.bytes == 8) return as(double{});
  if (t.bytes == 1) return as(int8_t{});
  return t.roundoff == 0 ? as(int32_t{}) : as(float{});
}
void set(const Type& t, std::vector<uint8_t>& bytes, size_t i, double value) {
  uint8_t* p = bytes.data() + i * t.bytes;
  const auto as = [&](auto x) { std::memcpy(p, &x, sizeof x); };
  if (t.format) {
    const uint32_t code = sim::encode(*t.format, value);
    std::memcpy(p, &code, t.bytes);
  } else if (t.bytes == 8) as(value);
  else if (t.bytes == 1) as(static_cast<int8_t>(value));
  else if (t.roundoff == 0) as(static_cast<int32_t>(value));
  else as(static_cast<float>(value));
}

// Column-major. Numbers that every format of the kernel holds: of bf16, so that xf32 is exact, and no denormals of f16,
// which gfx90a drops.
struct Matrix {
  Type type;
  uint32_t rows, cols, ld, batch;
  std::vector<uint8_t> bytes = {};
  size_t at(uint32_t r, uint32_t c, uint32_t z) const { return (size_t{z} * cols + c) * ld + r; }
  double operator()(uint32_t r, uint32_t c, uint32_t z) const { return get(type, bytes, at(r, c, z)); }
  void fill(Random& random) {
    bytes.resize(size_t{batch} * cols * ld * type.bytes);
    for (size_t i = 0; i < size_t{batch} * cols * ld; ++i) {
      const double x = random.normal();
      const double value = !type.format && (type.bytes == 1 || type.roundoff == 0) ? std::round(40 * x)
                           : std::fabs(x) < 0x1p-5 ? 0.25
                                                   : sim::decode(sim::format::bf16, sim::encode(sim::format::bf16, x));
      set(type, bytes, i, value);
    }
  }
};

// What the host's division by multiplying takes (Hacker's Delight, 10-9, unsigned): x / d is the high half of x M,
// shifted.
struct Magic {
  uint32_t number, shift;
};
Magic magic(uint32_t d) {
  for (uint32_t s = 0; s <= 32; ++s) {
    const unsigned __int128 power = static_cast<unsigned __int128>(1) << (32 + s), number = (power + d - 1) / d;
    if (number * d - power <= (static_cast<unsigned __int128>(1) << s))
      return {static_cast<uint32_t>(number), s | (number >> 32 ? 0x80000000u : 0)};
  }
  return {};
}

uint32_t parts(uint32_t x, uint32_t of) { return (x + of - 1) / of; }

// A launch with the checks as they are by default. A fault that leaves numbers to look at is noted, and the launch is
// made again without that check.
struct Launched {
  std::vector<std::string> found;
  std::string fault;
  uint64_t warnings = 0;
  Errors errors;
};

class Blas {
 public:
  Blas(nlohmann::json facts, std::vector<uint8_t> object, const Size& s)
      : facts_(std::move(facts)),
        object_(std::move(object)),
        s_(s),
        types_(types_of(facts_["type"].get<std::string>(), facts_["arch"] == "gfx942")) {
    const auto trans = facts_["trans"].get<std::string>();
    const auto matrix = [&](const Type& t, uint32_t rows, uint32_t cols) {
      return Matrix{t, rows, cols, rows + s.pad, s.batch};
    };
    a_ = trans[0] == 't' ? matrix(types_.a, s.k, s.m) : matrix(types_.a, s.m, s.k),
    b_ = trans[1] == 't' ? matrix(types_.b, s.n, s.k) : matrix(types_.b, s.k, s.n);
    c_ = d_ = matrix(types_.d, s.m, s.n);
    Random random{std::mt19937(s.m + s.k)};
    for (Matrix* x : {&a_, &b_, &c_, &d_}) x->fill(random);
  }

  Launched run() {
    Launched out;
    sim::Checks checks;
    while (true) {
      Run r;
      prepare(r);
      r.options.checks = checks;
      const auto co = sim::CodeObject::load(object_);
      const auto& k = co.kernel("");
      place(r, k);
      const auto result = sim::run(co, k, r.memory, r.launch, r.options);
      out.warnings = result.warnings;
      if (!result.fault) {
        compare(r, out.errors);
        return out;
      }
      using Kind = sim::Fault::Kind;
      const auto drop = [&](bool& check, bool to) {
        const bool was = check != to;
        check = to;
        return was;
      };
      const Kind kind = result.fault->kind;
      const bool again = kind == Kind::hazard           ? drop(checks.hazard_warnings, true)
                         : kind == Kind::undefined_read ? drop(checks.undefined, false)
                         : kind == Kind::in_flight      ? drop(checks.in_flight, false)
                         : kind == Kind::race           ? drop(checks.races, false)
                                                        : false;
      if (!again) {
        out.fault = result.fault->message();
        return out;
      }
      out.found.push_back(result.fault->message());
    }
  }

 private:
  uint32_t fact(const char* name) const { return facts_[name].get<uint32_t>(); }
  bool is(const char* name, const char* value) const { return facts_[name] == value; }
  bool stream_k() const { return fact("StreamK") != 0; }
  bool into_workspace() const { return s_.split > 1 && is("GlobalSplitUAlgorithm", "MultipleBuffer"); }
  bool joined_at_once() const { return is("GlobalSplitUAlgorithm", "MultipleBufferSingleKernel"); }
  bool added() const { return s_.split > 1 && is("GlobalSplitUAlgorithm", "SingleBuffer"); }
  size_t sums() const { return size_t{s_.m} * s_.n * s_.batch; }

  void prepare(Run& r) {
    if (added())  // the host has beta C there before
      for (size_t i = 0; i < d_.bytes.size() / d_.type.bytes; ++i)
        set(d_.type, d_.bytes, i, s_.beta * get(c_.type, c_.bytes, i));
    to_.a = r.buffer("A", a_.bytes), to_.b = r.buffer("B", b_.bytes), to_.c = r.buffer("C", c_.bytes),
    to_.d = r.buffer("D", d_.bytes);
    const size_t tiles = size_t{fact("MacroTile0")} * fact("MacroTile1");
    to_.workspace = r.output("workspace", types_.sum.bytes * (stream_k() ? s_.grid * tiles : s_.split * sums()));
    to_.flags = r.buffer("flags", std::vector<uint8_t>(1 << 16));
  }

  void place(Run& r, const sim::KernelInfo& kernel) {
    std::map<std::string, const sim::KernelArg*> names;
    for (const auto& arg : kernel.args) names[arg.name] = &arg;
    const auto put = [&](const std::string& name, auto value) {
      const auto at = names.find(name);
      if (at == names.end()) return;
      r.put(at->second->offset, value);
      names.erase(at);
    };
    const uint32_t x = parts(s_.m, fact("MacroTile0")), y = parts(s_.n, fact("MacroTile1")), tiles = x * y * s_.batch,
                   split = stream_k() ? 0 : s_.split;
    const bool three = facts_["arch"].get<std::string>().starts_with("gfx12");
    if (stream_k()) r.launch.grid = {s_.grid, 1, 1};
    else if (three) r.launch.grid = {x, y * split, s_.batch};
    else r.launch.grid = {tiles * split, 1, 1};
    r.launch.block = {fact("NumThreads"), 1, 1};

    const uint32_t stagger =
        (fact("StaggerU") & 255) | (fact("_staggerStrideShift") << 8 & 0x1f00) | fact("StaggerUMapping") << 13;
    put("Gemm info", 1u);
    put("kernel info0", (split & 0x3fff) | stagger << 16);
    put("kernel info1", 0xffffffffu << 22 | 1u << 16 | (fact("WorkGroupMapping") & 0xffff));
    put("numWG", r.launch.grid[0]);
    put("SizesFree0", s_.m), put("SizesFree1", s_.n), put("SizesFree2", s_.batch), put("SizesSum0", s_.k);
    const bool apart = into_workspace() || (joined_at_once() && s_.split > 1);
    put("D", apart ? to_.workspace : to_.d), put("C", into_workspace() ? to_.workspace : to_.c), put("A", to_.a),
        put("B", to_.b);
    put("AddressWS", to_.workspace), put("AddressFlags", to_.flags);
    put("dstD", to_.d), put("Synchronizer", to_.flags), put("GSUSync", 0u);
    for (const auto& [name, m] : {std::pair("D", &d_), {"C", &c_}, {"A", &a_}, {"B", &b_}})
      put(fmt::format("stride{}0", name), m->ld), put(fmt::format("stride{}1", name), m->ld * m->cols);
    const auto number = [&](const char* name, double value) {
      if (types_.integers) put(name, static_cast<int32_t>(value));
      else if (types_.sum.bytes == 8) put(name, value);
      else put(name, static_cast<float>(value));
    };
    number("alpha", s_.alpha), number("beta", s_.beta);
    if (stream_k()) {
      const uint32_t iterations = parts(s_.k, fact("DepthU")), all = tiles * iterations;
      for (const auto& [name, value] : {std::pair("ProblemNumGroupTiles0", x), {"ItersPerTile", iterations}})
        put(fmt::format("MagicNumber{}", name), magic(value).number),
            put(fmt::format("MagicShift{}", name), magic(value).shift);
      put("MagicNumProblemNumGroupTiles0By1", magic(x * y).number),
          put("MagicShiftProblemNumGroupTiles0By1", magic(x * y).shift);
      put("ItersPerTile", iterations), put("TotalIters", all);
      const uint32_t shared = tiles % s_.grid == 0 ? s_.grid : tiles > s_.grid ? s_.grid + tiles % s_.grid : tiles;
      put("SKItersPerWG", fact("StreamK") == 1 ? parts(all, s_.grid) : shared * iterations / s_.grid);
      put("skGrid", s_.grid), put("skTiles", shared), put("skExtraIters", shared * iterations % s_.grid);
    }
    r.launch.kernargs.resize(std::max<size_t>(r.launch.kernargs.size(), kernel.kernarg_bytes));
    for (const auto& [name, arg] : names) FAIL("an argument that nobody has set: " << name);
  }

  void compare(const Run& r, Errors& e) const {
    const auto got = r.read(to_.d, d_.bytes.size()),
               halves = r.read(to_.workspace, into_workspace() ? types_.sum.bytes * s_.split * sums() : 0);
    const bool ta = facts_["trans"].get<std::string>()[0] == 't', tb = facts_["trans"].get<std::string>()[1] == 't';
    const double one = types_.integers ? 0 : types_.sum.bytes == 8 ? 0x1p-52 : 0x1p-23;
    for (uint32_t z = 0; z < s_.batch; ++z)
      for (uint32_t j = 0; j < s_.n; ++j)
        for (uint32_t i = 0; i < d_.ld; ++i) {
          if (i >= s_.m) {  // between columns
            e.add(get(d_.type, got, d_.at(i, j, z)), get(d_.type, d_.bytes, d_.at(i, j, z)), 1e-30);
            continue;
          }
          double sum = 0, magnitude = 0;
          for (uint32_t k = 0; k < s_.k; ++k) {
            const double p = (ta ? a_(k, i, z) : a_(i, k, z)) * (tb ? b_(j, k, z) : b_(k, j, z));
            sum += p, magnitude += std::fabs(p);
          }
          if (into_workspace()) {  // parts of the sum alone; the host adds them up
            double all = 0;
            for (uint32_t part = 0; part < s_.split; ++part)
              all += get(types_.sum, halves, (size_t{part} * s_.batch + z) * s_.m * s_.n + size_t{j} * s_.m + i);
            e.add(all, sum, (s_.k + 3) * one * magnitude);
            continue;
          }
          const double want = s_.alpha * sum + s_.beta * c_(i, j, z),
                       scale = std::fabs(s_.alpha) * magnitude + std::fabs(s_.beta * c_(i, j, z));
          e.add(get(d_.type, got, d_.at(i, j, z)), want,
                (s_.k + 3 + s_.split) * one * scale + d_.type.roundoff * std::fabs(want) +
                    (types_.integers ? 0.5 : 0x1p-25));
        }
  }

  nlohmann::json facts_;
  std::vector<uint8_t> object_;
  Size s_;
  Types types_;
  Matrix a_, b_, c_, d_;
  struct {
    uint64_t a, b, c, d, workspace, flags;
  } to_{};
};

std::vector<Size> sizes_for(const nlohmann::json& f) {
  const auto m = f["MacroTile0"].get<uint32_t>(), n = f["MacroTile1"].get<uint32_t>(), k = f["DepthU"].get<uint32_t>();
  if (f["StreamK"] != 0)
    return {{2 * m, 2 * n, 4 * k, 1, 1, 0, 0, 1, 3}, {2 * m - 3, n + 5, 3 * k + 7, 2, 1.5, -0.5, 0, 1, 5}};
  std::vector<Size> all = {
      {m, n, 2 * k, 1, 1, 0, 0, 1, 0},                   // whole tiles
      {m + 7, 2 * n - 5, 3 * k + 5, 1, 2, -3, 5, 1, 0},  // edges of all three, padding
      {m - 1, n + 1, k - 1, 2, 1, 1, 0, 1, 0},           // less than one step of K; batches
      {m + 8, n, 5 * k + 2, 1, 2, 0, 8, 1, 0},
  };
  const uint32_t split = std::max(2u, f["GlobalSplitU"].get<uint32_t>());
  all.push_back({m + 3, n + 2, 4 * k + 3, 1, 1, f["GlobalSplitUAlgorithm"] == "SingleBuffer" ? 2.0 : 0.0, 0, split, 0});
  return all;
}

}  // namespace

TEST_CASE("generated BLAS kernels give the reference's numbers", "[.][blas]") {
  const char* folder = std::getenv("WAVESMITH_BLAS");
  if (!folder) {
    WARN("not run: WAVESMITH_BLAS does not name a folder that tests/production/blas/generate.py wrote");
    return;
  }
  const char* only = std::getenv("WAVESMITH_BLAS_ONLY");  // part of a name
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json" && (!only || entry.path().stem().string().find(only) != std::string::npos))
      files.insert(entry.path());
  REQUIRE_FALSE(files.empty());
  for (auto path : files) {
    std::ifstream text(path);
    const auto facts = nlohmann::json::parse(text);
    std::ifstream in(path.replace_extension(".co"), std::ios::binary);
    const std::vector<uint8_t> object{std::istreambuf_iterator<char>(in), {}};
    for (const Size& s : sizes_for(facts)) {
      const std::string what =
          fmt::format("{} {}x{}x{} batch {} alpha {} beta {} padding {} split {} grid {}", path.stem().string(), s.m,
                      s.n, s.k, s.batch, s.alpha, s.beta, s.pad, s.split, s.grid);
      INFO(what);
      const Launched l = Blas(facts, object, s).run();
      if (std::getenv("WAVESMITH_FIGURES"))
        fmt::print("{}: {}; {} warnings; found {}{}\n", what, l.fault.empty() ? l.errors.text() : "FAULT " + l.fault,
                   l.warnings, l.found.size(), l.found.empty() ? "" : fmt::format(": {}", fmt::join(l.found, " | ")));
      CHECK(l.fault == "");
      CHECK(l.errors.of_allowed <= 1);
    }
  }
}

}  // namespace production
