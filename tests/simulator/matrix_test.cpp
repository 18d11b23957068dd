// Matrix arithmetic bit for bit: every published case of tests/facts/vectors, first against the definition of the sum,
// then through the instruction itself. The cases come from a model that was validated on silicon, not from this
// simulator.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "simulator/numerics/matrix.h"
#include "simulator/numerics/numerics.h"
#include "tests/support/matrix_bench.h"

using namespace wavesmith;
using isa::Type;
using simtest::bits_of, simtest::value_of;

namespace {

std::vector<uint8_t> from_base64(const std::string& text) {
  std::vector<uint8_t> out;
  uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const int v = c >= 'A' && c <= 'Z'   ? c - 'A'
                  : c >= 'a' && c <= 'z' ? c - 'a' + 26
                  : c >= '0' && c <= '9' ? c - '0' + 52
                  : c == '+'             ? 62
                  : c == '/'             ? 63
                                         : -1;
    if (v < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(v);
    if ((have += 6) >= 8) out.push_back(static_cast<uint8_t>(bits >> (have -= 8)));
  }
  return out;
}

struct PublishedCase {
  isa::Family family;
  isa::Arch arch;
  std::string instr, kind;
  int m, n, k;
  Type a, b, d;
  int per_lane;  // elements of A a lane holds
  std::vector<uint8_t> A, B, C, D;
};

// The suffix of a mnemonic: shape, then types. cdna3 writes both 8-bit types.
void read_types(PublishedCase& c) {
  const auto has = [&](const char* s) { return c.instr.find(s, 6) != std::string::npos; };
  c.d = c.instr.starts_with("v_mfma_f64") ? Type::f64 : Type::f32;
  c.a = c.b = c.d == Type::f64 ? Type::f64
              : has("xf32")    ? Type::xf32
              : has("bf16")    ? Type::bf16
              : has("f16")     ? Type::f16
                               : Type::f32;
  if (has("fp8") || has("bf8"))
    c.a = has("_bf8_") ? Type::bf8 : Type::fp8, c.b = c.instr.ends_with("bf8") ? Type::bf8 : Type::fp8;
}

const std::vector<PublishedCase>& published_cases() {
  static const auto all = [] {
    std::vector<PublishedCase> out;
    const std::string path = WAVESMITH_SOURCE "/tests/facts/vectors/mfma_numerics.jsonl.gz";
    REQUIRE(std::ifstream(path));
    FILE* in = popen(("gzip -dc '" + path + "'").c_str(), "r");
    std::string text(1 << 16, '\0'), whole;
    for (size_t n; (n = fread(text.data(), 1, text.size(), in)) > 0;) whole.append(text, 0, n);
    pclose(in);
    std::istringstream lines(whole);
    for (std::string line; std::getline(lines, line);) {
      const auto j = nlohmann::json::parse(line);
      PublishedCase c{};
      const auto arch = j["arch"].get<std::string>();
      c.family = arch == "CDNA1" ? isa::Family::cdna1 : arch == "CDNA2" ? isa::Family::cdna2 : isa::Family::cdna3;
      c.arch = arch == "CDNA1" ? isa::Arch::gfx908 : arch == "CDNA2" ? isa::Arch::gfx90a : isa::Arch::gfx942;
      c.instr = j["instr"].get<std::string>(), c.kind = j["kind"].get<std::string>(), c.m = j["m"].get<int>(),
      c.n = j["n"].get<int>(), c.k = j["k"].get<int>();
      read_types(c);
      c.per_lane = c.a == Type::bf16 && c.family != isa::Family::cdna3 && !c.instr.ends_with("_1k") ? 2
                   : c.a == Type::f16 || c.a == Type::bf16                                          ? 4
                                                                                                    : 1;
      c.A = from_base64(j["A"].get<std::string>()), c.B = from_base64(j["B"].get<std::string>()),
      c.C = from_base64(j["C"].get<std::string>()), c.D = from_base64(j["D"].get<std::string>());
      out.push_back(std::move(c));
    }
    return out;
  }();
  return all;
}

template <class T>
T element(const std::vector<uint8_t>& bytes, int i) {
  T x;
  std::memcpy(&x, bytes.data() + static_cast<size_t>(i) * sizeof x, sizeof x);
  return x;
}

sim::Factor factor(Type t, const std::vector<uint8_t>& bytes, int i) {
  float x = 0;
  switch (t) {
    case Type::f16: x = sim::from_f16(element<uint16_t>(bytes, i)); break;
    case Type::bf16: x = sim::from_bf16(element<uint16_t>(bytes, i)); break;
    case Type::fp8: x = sim::from_fp8(bytes[static_cast<size_t>(i)], true); break;
    case Type::bf8: x = sim::from_bf8(bytes[static_cast<size_t>(i)], true); break;
    case Type::xf32: x = sim::to_xf32(element<float>(bytes, i)); break;
    default: x = element<float>(bytes, i);
  }
  return {x, sim::exponent_of(x, sim::least_exponent(t, true))};
}

uint32_t canonical(float x) { return std::isnan(x) ? 0x7fc00000 : std::bit_cast<uint32_t>(x); }

}  // namespace

TEST_CASE("the sum of a matrix unit is the published model's bit for bit", "[matrix][numerics]") {
  std::map<std::string, int> wrong;
  int checked = 0;
  for (const PublishedCase& c : published_cases()) {
    if (c.d == Type::f64) continue;
    const isa::Matrix shape{isa::MatrixKind::mfma,
                            static_cast<uint8_t>(c.m),
                            static_cast<uint8_t>(c.n),
                            static_cast<uint8_t>(c.k),
                            1,
                            c.a,
                            c.b,
                            c.d,
                            c.d};
    const sim::Summation rule = sim::summation(c.family, shape, {c.a, c.k, c.per_lane});
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        std::vector<sim::Factor> a, b;
        for (int k = 0; k < c.k; ++k)
          a.push_back(factor(c.a, c.A, i * c.k + k)), b.push_back(factor(c.b, c.B, k * c.n + j));
        const float got = sim::accumulate(rule, a, b, element<float>(c.C, i * c.n + j)),
                    want = element<float>(c.D, i * c.n + j);
        ++checked;
        if (canonical(got) != canonical(want))
          ++wrong[fmt::format("{} {} {}", isa::target(c.arch).name, c.instr, c.kind)];
      }
  }
  for (const auto& [name, n] : wrong) UNSCOPED_INFO(name << ": " << n << " elements differ");
  CHECK(wrong.empty());
  CHECK(checked > 100000);
}

TEST_CASE("matrix units with the flushing flag flush denormal operands and results, others do not",
          "[matrix][numerics]") {
  for (const isa::Target& t : isa::all_targets())
    for (const Type a : {Type::f16, Type::bf16}) {
      const isa::Matrix shape{isa::MatrixKind::mfma, 16, 16, 16, 1, a, a, Type::f32, Type::f32};
      const sim::Summation rule = sim::summation(t.family, shape, {a, 16, 4});
      const int least = sim::least_exponent(a, t.fnuz_fp8());
      const auto value = [&](double x) { return sim::Factor{static_cast<float>(x), std::max(std::ilogb(x), least)}; };
      const std::vector<sim::Factor> denormal(rule.group, value(sim::power_of_two(least - 1))),
          one(rule.group, value(1));
      CAPTURE(t.name, static_cast<int>(a), rule.source);
      CHECK((sim::accumulate(rule, denormal, one, 0) == 0) == sim::flushes_denormals(t.family, a));
      CHECK((sim::accumulate(rule, one, denormal, 0) == 0) == sim::flushes_denormals(t.family, a));
    }
  CHECK(sim::flushes_denormals(isa::Family::cdna2, Type::f16));  // MMA-Sim, CDNA2
}

namespace {

uint64_t raw(Type t, const std::vector<uint8_t>& bytes, int i) {
  switch (isa::bits(t)) {
    case 8: return bytes[static_cast<size_t>(i)];
    case 16: return element<uint16_t>(bytes, i);
    case 32: return element<uint32_t>(bytes, i);
    default: return element<uint64_t>(bytes, i);
  }
}
bool same(Type t, uint64_t x, uint64_t y) {
  if (t == Type::f64) return x == y || (std::isnan(std::bit_cast<double>(x)) && std::isnan(std::bit_cast<double>(y)));
  return canonical(std::bit_cast<float>(static_cast<uint32_t>(x))) ==
         canonical(std::bit_cast<float>(static_cast<uint32_t>(y)));
}

}  // namespace

TEST_CASE("every published matrix case comes out bit for bit in every block", "[matrix][numerics]") {
  using enum isa::MatrixOperand;
  std::map<std::string, int> wrong;
  for (const PublishedCase& c : published_cases()) {
    const auto op = isa::find_opcode(c.instr, c.arch);
    CAPTURE(c.instr, isa::target(c.arch).name);
    REQUIRE(op);
    simtest::MatrixBench bench(*op, c.arch);
    const isa::Matrix& x = bench.shape();
    REQUIRE((x.m == c.m && x.n == c.n && x.k == c.k));
    for (int block = 0; block < x.blocks; ++block) {
      for (int i = 0; i < c.m; ++i)
        for (int k = 0; k < c.k; ++k) bench.put(a, {block, i, k}, raw(c.a, c.A, i * c.k + k));
      for (int k = 0; k < c.k; ++k)
        for (int j = 0; j < c.n; ++j) bench.put(b, {block, k, j}, raw(c.b, c.B, k * c.n + j));
      for (int i = 0; i < c.m; ++i)
        for (int j = 0; j < c.n; ++j) bench.put(isa::MatrixOperand::c, {block, i, j}, raw(c.d, c.C, i * c.n + j));
    }
    bench.run();
    for (int block = 0; block < x.blocks; ++block)
      for (int i = 0; i < c.m; ++i)
        for (int j = 0; j < c.n; ++j)
          if (!same(c.d, bench.get({block, i, j}), raw(c.d, c.D, i * c.n + j)))
            ++wrong[fmt::format("{} {} {}", isa::target(c.arch).name, c.instr, c.kind)];
  }
  for (const auto& [name, n] : wrong) UNSCOPED_INFO(name << ": " << n << " elements differ");
  CHECK(wrong.empty());
  CHECK(published_cases().size() == 512);
}

TEST_CASE("vector kernels and the definition of the sum agree on any exponents", "[matrix][numerics]") {
  using enum isa::MatrixOperand;
  struct Subject {
    const char* mnemonic;
    isa::Arch arch;
  };
  const Subject subjects[] = {
      {"v_mfma_f32_32x32x8_f16", isa::Arch::gfx942},       {"v_mfma_f32_16x16x16_bf16", isa::Arch::gfx942},
      {"v_mfma_f32_4x4x4_16b_f16", isa::Arch::gfx942},     {"v_mfma_f32_16x16x32_fp8_bf8", isa::Arch::gfx942},
      {"v_mfma_f32_16x16x8_xf32", isa::Arch::gfx942},      {"v_mfma_f32_16x16x32_f16", isa::Arch::gfx950},
      {"v_wmma_f32_16x16x16_f16", isa::Arch::gfx1100},     {"v_wmma_f32_16x16x16_bf16", isa::Arch::gfx1201},
      {"v_wmma_f32_16x16x16_fp8_bf8", isa::Arch::gfx1201}, {"v_wmma_f32_16x16x32_bf16", isa::Arch::gfx1250}};
  std::mt19937 random(11);
  const auto draw = [&](int spread, int center) {  // some zeros, exponents over `spread` binades
    const double x = std::ldexp(1 + std::generate_canonical<double, 24>(random),
                                center - static_cast<int>(random() % static_cast<unsigned>(spread)));
    return random() % 9 == 0 ? 0.0 : random() % 2 ? x : -x;
  };
  for (const auto& [mnemonic, arch] : subjects)
    for (const int spread : {1, 4, 12, 28})
      for (const int c_exponent : {-40, -8, 0, 3, 6, 9, 14, 20, 60, 110}) {
        simtest::MatrixBench bench(*isa::find_opcode(mnemonic, arch), arch);
        const isa::Matrix& x = bench.shape();
        CAPTURE(mnemonic, isa::target(arch).name, spread, c_exponent);
        std::vector<sim::Factor> A(static_cast<size_t>(x.m * x.k)), B(static_cast<size_t>(x.k * x.n));
        std::vector<float> C(static_cast<size_t>(x.m * x.n));
        const auto as_factor = [&](Type t, uint64_t bits) {
          const float v = t == Type::xf32 ? sim::to_xf32(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                          : static_cast<float>(value_of(t, arch, bits));
          return sim::Factor{v, sim::exponent_of(v, sim::least_exponent(t, arch == isa::Arch::gfx942))};
        };
        for (int i = 0; i < x.m; ++i)
          for (int k = 0; k < x.k; ++k) {
            const uint64_t bits = bits_of(x.a, arch, draw(spread, 3));
            bench.put(a, {0, i, k}, bits);
            A[static_cast<size_t>(i * x.k + k)] = as_factor(x.a, bits);
          }
        for (int k = 0; k < x.k; ++k)
          for (int j = 0; j < x.n; ++j) {
            const uint64_t bits = bits_of(x.b, arch, draw(spread, 3));
            bench.put(b, {0, k, j}, bits);
            B[static_cast<size_t>(j * x.k + k)] = as_factor(x.b, bits);
          }
        for (size_t i = 0; i < C.size(); ++i)
          bench.put(c, {0, static_cast<int>(i) / x.n, static_cast<int>(i) % x.n},
                    std::bit_cast<uint32_t>(C[i] = static_cast<float>(draw(4, c_exponent))));
        bench.run();
        const isa::Family family = isa::target(arch).family;
        const sim::Summation rule = sim::summation(family, x, {x.a, x.k, bench.layout(a).items()});
        int wrong = 0;
        for (int i = 0; i < x.m; ++i)
          for (int j = 0; j < x.n; ++j) {
            const float want = sim::accumulate(rule, std::span(A).subspan(static_cast<size_t>(i * x.k), x.k),
                                               std::span(B).subspan(static_cast<size_t>(j * x.k), x.k),
                                               C[static_cast<size_t>(i * x.n + j)]);
            wrong += canonical(want) != static_cast<uint32_t>(bench.get({0, i, j}));
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("fast sums stay within the error bound of recursive summation", "[matrix][numerics]") {
  using enum isa::MatrixOperand;
  std::mt19937 random(31);
  std::normal_distribution<double> normal;
  for (const char* mnemonic : {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x16_bf16", "v_mfma_f32_16x16x32_fp8_fp8"}) {
    const auto op = *isa::find_opcode(mnemonic, isa::Arch::gfx942);
    simtest::MatrixBench exact(op, isa::Arch::gfx942), fast(op, isa::Arch::gfx942, {}, sim::Numerics::fast);
    const isa::Matrix& x = exact.shape();
    std::vector<double> size(static_cast<size_t>(x.m * x.n)), row(static_cast<size_t>(x.m * x.k));
    const auto draw = [&](isa::MatrixOperand o, Type t, isa::Element e) {
      const uint64_t bits = bits_of(t, isa::Arch::gfx942, normal(random));
      exact.put(o, e, bits), fast.put(o, e, bits);
      return value_of(t, isa::Arch::gfx942, bits);
    };
    for (int i = 0; i < x.m; ++i)
      for (int k = 0; k < x.k; ++k) row[static_cast<size_t>(i * x.k + k)] = draw(a, x.a, {0, i, k});
    for (int k = 0; k < x.k; ++k)
      for (int j = 0; j < x.n; ++j) {
        const double v = draw(b, x.b, {0, k, j});
        for (int i = 0; i < x.m; ++i)
          size[static_cast<size_t>(i * x.n + j)] += std::fabs(v * row[static_cast<size_t>(i * x.k + k)]);
      }
    for (int i = 0; i < x.m; ++i)
      for (int j = 0; j < x.n; ++j) size[static_cast<size_t>(i * x.n + j)] += std::fabs(draw(c, Type::f32, {0, i, j}));
    exact.run(), fast.run();
    // Fast: k roundings of 2^-24 of at most the sum of magnitudes. Exact: each product cut below 2^-24 of twice the
    // largest, two floors and a rounding a group.
    double worst = 0, differ = 0;
    for (int i = 0; i < x.m; ++i)
      for (int j = 0; j < x.n; ++j) {
        const double e = value_of(Type::f32, isa::Arch::gfx942, exact.get({0, i, j})),
                     f = value_of(Type::f32, isa::Arch::gfx942, fast.get({0, i, j}));
        worst = std::max(worst, std::fabs(e - f) / size[static_cast<size_t>(i * x.n + j)]);
        differ += e != f;
      }
    CHECK(worst <= (x.k + 2 * x.k + 4 * 3) * 0x1p-24);
    CHECK(differ > 0);  // the two are not the same thing
  }
}
