// Matrix arithmetic bit for bit: every published case of ../shared/vectors, first against the definition of the sum, then through the
// instruction itself. The cases come from a model that was validated on silicon, not from this simulator.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "simulator/numerics.h"
#include "simulator/numerics_matrix.h"

using namespace wavesmith;
using isa::Type;

namespace {

std::vector<uint8_t> from_base64(const std::string& text) {
  std::vector<uint8_t> out;
  uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const int v = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
    if (v < 0) break;
    bits = bits << 6 | static_cast<uint32_t>(v);
    if ((have += 6) >= 8) out.push_back(static_cast<uint8_t>(bits >> (have -= 8)));
  }
  return out;
}

struct Case {
  isa::Family family;
  isa::Arch arch;
  std::string instr, kind;
  int m, n, k;
  Type a, b, d;
  int per_lane;                                            // elements of A a lane holds
  std::vector<uint8_t> A, B, C, D;
};

// The suffix of a mnemonic: shape, then types. cdna3 writes both 8-bit types.
void read_types(Case& c) {
  const auto has = [&](const char* s) { return c.instr.find(s, 6) != std::string::npos; };
  c.d = c.instr.starts_with("v_mfma_f64") ? Type::f64 : Type::f32;
  c.a = c.b = c.d == Type::f64 ? Type::f64 : has("xf32") ? Type::xf32 : has("bf16") ? Type::bf16 : has("f16") ? Type::f16 : Type::f32;
  if (has("fp8") || has("bf8")) c.a = has("_bf8_") ? Type::bf8 : Type::fp8, c.b = c.instr.ends_with("bf8") ? Type::bf8 : Type::fp8;
}

const std::vector<Case>& cases() {
  static const auto all = [] {
    std::vector<Case> out;
    const std::string path = WAVESMITH_SOURCE "/../shared/vectors/mfma_numerics.jsonl.gz";
    if (!std::ifstream(path)) return out;
    FILE* in = popen(("gzip -dc '" + path + "'").c_str(), "r");
    std::string text(1 << 16, '\0'), whole;
    for (size_t n; (n = fread(text.data(), 1, text.size(), in)) > 0;) whole.append(text, 0, n);
    pclose(in);
    std::istringstream lines(whole);
    for (std::string line; std::getline(lines, line);) {
      const auto j = nlohmann::json::parse(line);
      Case c{};
      const std::string arch = j["arch"];
      c.family = arch == "CDNA1" ? isa::Family::cdna1 : arch == "CDNA2" ? isa::Family::cdna2 : isa::Family::cdna3;
      c.arch = arch == "CDNA1" ? isa::Arch::gfx908 : arch == "CDNA2" ? isa::Arch::gfx90a : isa::Arch::gfx942;
      c.instr = j["instr"], c.kind = j["kind"], c.m = j["m"], c.n = j["n"], c.k = j["k"];
      read_types(c);
      const int blocks = c.m == 4 ? 16 : 0;                // of one register of A, where that is needed below
      c.per_lane = c.a == Type::bf16 && c.family != isa::Family::cdna3 && !c.instr.ends_with("_1k") ? 2 : c.a == Type::f16 || c.a == Type::bf16 ? 4 : 1 + 0 * blocks;
      c.A = from_base64(j["A"]), c.B = from_base64(j["B"]), c.C = from_base64(j["C"]), c.D = from_base64(j["D"]);
      out.push_back(std::move(c));
    }
    return out;
  }();
  return all;
}

template <class T> T element(const std::vector<uint8_t>& bytes, int i) {
  T x;
  std::memcpy(&x, bytes.data() + static_cast<size_t>(i) * sizeof x, sizeof x);
  return x;
}

sim::Factor factor(Type t, const std::vector<uint8_t>& bytes, int i) {
  float x = 0;
  switch (t) {
    case Type::f16: x = sim::from_f16(element<uint16_t>(bytes, i)); break;
    case Type::bf16: x = sim::from_bf16(element<uint16_t>(bytes, i)); break;
    case Type::fp8: x = sim::from_fp8(bytes[static_cast<size_t>(i)], 3, true); break;
    case Type::bf8: x = sim::from_fp8(bytes[static_cast<size_t>(i)], 2, true); break;
    case Type::xf32: x = sim::to_xf32(element<float>(bytes, i)); break;
    default: x = element<float>(bytes, i);
  }
  return {x, sim::exponent_of(x, sim::least_exponent(t, true))};
}

uint32_t canonical(float x) { return std::isnan(x) ? 0x7fc00000 : std::bit_cast<uint32_t>(x); }

}  // namespace

TEST_CASE("the sum of a matrix unit is the published model's bit for bit", "[matrix][numerics]") {
  if (cases().empty()) { WARN("../shared/vectors is not here: skipped"); return; }
  std::map<std::string, int> wrong;
  int checked = 0;
  for (const Case& c : cases()) {
    if (c.d == Type::f64) continue;
    const isa::Matrix shape{static_cast<uint8_t>(c.m), static_cast<uint8_t>(c.n), static_cast<uint8_t>(c.k), 1, c.a, c.b, c.d};
    const sim::Summation rule = sim::summation(c.family, shape, c.per_lane);
    for (int i = 0; i < c.m; ++i)
      for (int j = 0; j < c.n; ++j) {
        std::vector<sim::Factor> a, b;
        for (int k = 0; k < c.k; ++k) a.push_back(factor(c.a, c.A, i * c.k + k)), b.push_back(factor(c.b, c.B, k * c.n + j));
        const float got = sim::accumulate(rule, a, b, element<float>(c.C, i * c.n + j)), want = element<float>(c.D, i * c.n + j);
        ++checked;
        if (canonical(got) != canonical(want)) {
          if (!wrong[fmt::format("{} {} {}", static_cast<int>(c.family), c.instr, c.kind)]++) fmt::print("{} {} {}: [{},{}] got {:a} want {:a} c {:a}\n", static_cast<int>(c.family) + 1, c.instr, c.kind, i, j, got, want, element<float>(c.C, i * c.n + j));
        }
      }
  }
  for (const auto& [name, n] : wrong) UNSCOPED_INFO(name << ": " << n << " elements differ");
  CHECK(wrong.empty());
  CHECK(checked > 100000);
}
