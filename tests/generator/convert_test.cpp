// Conversions of pairs of f32 on every target, against the definition of rounding: the nearest of all values of the
// narrow type, and of two equally near ones that with an even code.
#include "generator/dsl/convert.h"

#include <algorithm>
#include <cmath>

#include "isa_tables/names.h"
#include "tests/support/dsl_kernel.h"

using namespace wavesmith;
using isa::Type;

namespace {

// A narrow type by its fields. `fnuz`: gfx942's 8-bit types, whose only special code is 0x80, a NaN.
struct Narrow {
  int exponent_bits, mantissa_bits, bias;
  bool infinities, fnuz;
  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }
  // The value of a code without its sign; NaN for NaN codes.
  double value(uint32_t code) const {
    const uint32_t exponent = code >> mantissa_bits, mantissa = code & ((1u << mantissa_bits) - 1);
    const bool top = exponent == (1u << exponent_bits) - 1;
    if (infinities && top) return mantissa ? NAN : INFINITY;
    if (!infinities && !fnuz && code + 1 == sign()) return NAN;
    const double m = std::ldexp(mantissa, -mantissa_bits);
    return exponent ? std::ldexp(1 + m, static_cast<int>(exponent) - bias) : std::ldexp(m, 1 - bias);
  }
  double largest() const {
    uint32_t code = sign() - 1;
    while (!std::isfinite(value(code))) --code;
    return value(code);
  }
  // Codes of finite numbers are in the order of their values.
  uint32_t rounded(float x, Ties ties = Ties::even) const {
    const double v = std::fabs(static_cast<double>(x));
    uint32_t low = 0, high = sign() - 1;
    while (!std::isfinite(value(high))) --high;
    const uint32_t last = high;
    while (high - low > 1) (value((low + high) / 2) <= v ? low : high) = (low + high) / 2;
    // Beyond the last the next value would be as far from it as the one before.
    if (v >= value(last)) low = last, high = last + 1;
    const double above = high > last ? 2 * value(last) - value(last - 1) : value(high);
    const double to_low = v - value(low), to_high = above - v;
    const uint32_t code = to_low < to_high || (to_low == to_high && low % 2 == 0 && ties == Ties::even) ? low : high;
    return fnuz && code == 0 ? 0 : code | (std::signbit(x) ? sign() : 0);
  }
  bool is_nan(uint32_t code) const { return fnuz ? code == sign() : std::isnan(value(code & (sign() - 1))); }
};
Narrow narrow(Type t, Arch arch) {
  const bool fnuz = isa::target(arch).fnuz_fp8();
  switch (t) {
    case Type::f16: return {5, 10, 15, true, false};
    case Type::bf16: return {8, 7, 127, true, false};
    case Type::fp8: return {4, 3, fnuz ? 8 : 7, false, fnuz};
    default: return {5, 2, fnuz ? 16 : 15, !fnuz, fnuz};
  }
}

// Values, neighbours and ties of the narrow type, and floats of all kinds; for 8-bit types only values in range, as
// overflow depends on the mode.
std::vector<uint32_t> inputs(const Narrow& n, Nans nans) {
  std::vector<uint32_t> in;
  const auto add = [&](uint32_t bits) {
    const float x = std::bit_cast<float>(bits);
    if (n.bits() == 8 && std::fabs(x) > n.largest()) return;
    if (std::isnan(x) && nans == Nans::quiet_16) bits = (bits | 1u << 22) & 0xffff0000;
    in.push_back(bits), in.push_back(bits ^ 1u << 31);
  };
  const uint32_t step = n.bits() == 8 ? 1 : 61;
  for (uint32_t code = 0; code < n.sign(); code += step) {
    const double a = n.value(code), b = n.value(code + 1);
    for (const double x : {a, (a + b) / 2, a * 1.0000001, (a + b) / 2 * 0.9999999})
      if (std::isfinite(x)) add(std::bit_cast<uint32_t>(static_cast<float>(x)));
  }
  for (const uint32_t x : {0x7f800000u, 0x7f800001u, 0x7fbfffffu, 0x7fc00000u, 0x7fffffffu, 0x7fff8000u, 0x7fff7fffu,
                           0x7f7fffffu, 0x7f7f8000u, 0x7f7f7fffu, 0x00000001u, 0x007fffffu, 0x00008000u, 0x00018000u,
                           0x477fefffu, 0x477ff000u, 0x33000000u, 0x33000001u})
    add(x);
  for (const uint32_t x : dsltest::random_words(1000)) add(x);
  std::shuffle(in.begin(), in.end(), std::mt19937(1));
  in.resize((in.size() + 127) / 128 * 128, 0);
  return in;
}

void check_result(const Narrow& n, uint32_t from, uint32_t got, Ties ties) {
  const float x = std::bit_cast<float>(from);
  INFO(fmt::format("0x{:08x}, {}: got 0x{:x}", from, x, got));
  if (std::isnan(x)) {
    REQUIRE(n.is_nan(got & (2 * n.sign() - 1)));
  } else {
    REQUIRE(got == n.rounded(x, ties));
  }
}

bool has_type(Type t, Arch arch) {  // all have 16-bit types; 8-bit ones CDNA3 and 4, gfx12 and gfx1250
  const std::string_view name = isa::target(arch).name;
  return isa::bits(t) == 16 || name == "gfx942" || name == "gfx950" || name.starts_with("gfx12");
}

}  // namespace

TEST_CASE("the rounding of the test is that of the formats", "[generator][convert]") {
  CHECK(narrow(Type::f16, Arch::gfx942).rounded(65519) == 0x7bff);
  CHECK(narrow(Type::f16, Arch::gfx942).rounded(65520) == 0x7c00);
  CHECK(narrow(Type::bf16, Arch::gfx942).rounded(-1.00390625f) == 0xbf80);  // a tie
  CHECK(narrow(Type::bf16, Arch::gfx942).rounded(1.01171875f) == 0x3f82);
  CHECK(narrow(Type::fp8, Arch::gfx950).largest() == 448);
  CHECK(narrow(Type::fp8, Arch::gfx942).largest() == 240);
  CHECK(narrow(Type::bf8, Arch::gfx950).largest() == 57344);
  CHECK(narrow(Type::bf8, Arch::gfx942).largest() == 57344);
}

TEST_CASE("pairs of f32 are rounded to nearest on every target, and a NaN stays one", "[generator][convert]") {
  dsltest::on_every_target([](Arch arch) {
    for (const Type type : {Type::f16, Type::bf16, Type::fp8, Type::bf8}) {
      if (!has_type(type, arch)) continue;
      for (const auto& [nans, ties] :
           {std::pair(Nans::any, Ties::even), {Nans::quiet_16, Ties::even}, {Nans::quiet_16, Ties::away}}) {
        const Narrow n = narrow(type, arch);
        const auto in = inputs(n, nans);
        INFO(isa::type_name(type));
        const Ties chosen =
            type == Type::bf16 && !isa::info(isa::Opcode::v_cvt_pk_bf16_f32).on(arch) ? ties : Ties::even;
        const auto groups = static_cast<uint32_t>(in.size() / 128);
        const bool pairs = n.bits() == 16;
        const int outs = pairs ? 6 : 1;  // packed; one by one; packed into the place of the second, and widened again
        const auto got = dsltest::run_items(
            {.arch = arch, .grid = {groups, 1, 1}, .ins = 2, .outs = outs}, in, [&](const dsltest::Item& i) {
              Constants constants(i.kernel);
              const PairConversion to(constants, arch, type, nans, ties);
              constants.load();
              auto scratch = i.kernel.r.v.alloc(2, "scratch");
              auto low = i.kernel.r.v.alloc(1, "low"), high = i.kernel.r.v.alloc(1, "high");
              auto low_too = i.kernel.r.v.alloc(1, "low"), high_too = i.kernel.r.v.alloc(1, "high");
              for (const auto& [l, h] : {std::pair(&low, &high), {&low_too, &high_too}})
                i.k.v_mov_b32(*l, i.in[0]), i.k.v_mov_b32(*h, i.in[1]);
              i.k.v_mov_b32(i.out[0], 0);
              to.pack(i.k, i.out[0], low, high, {scratch[0], scratch[1]});
              if (!pairs) return;
              const auto places = to.round(i.k, i.in[0], i.in[1], {scratch[0], scratch[1]});
              for (size_t j : {0, 1}) {
                const auto& [reg, half] = places[j];
                if (half == Half::high) i.k.v_lshrrev_b32(i.out[1 + j], 16, reg);
                else i.k.v_and_b32(i.out[1 + j], 0xffff, reg);
              }
              to.pack(i.k, high_too, low_too, high_too, {scratch[0], scratch[1]});
              i.k.v_mov_b32(i.out[3], high_too);
              widen_half(i.k, type, i.out[4], high_too, Half::low);
              widen_half(i.k, type, high_too, high_too, Half::high);
              i.k.v_mov_b32(i.out[5], high_too);
            });
        for (size_t item = 0; 2 * item < in.size(); ++item)
          for (size_t j : {0, 1}) {
            const uint32_t* out = &got[item * static_cast<size_t>(outs)];
            check_result(n, in[2 * item + j], out[0] >> j * n.bits() & (2 * n.sign() - 1), chosen);
            if (!pairs) continue;
            check_result(n, in[2 * item + j], out[1 + j], chosen);
            CHECK(out[3] == out[0]);
            const float wide = std::bit_cast<float>(out[4 + j]),
                        value = static_cast<float>(n.value(out[1 + j] & 0x7fff));
            if (std::isnan(value)) CHECK(std::isnan(wide));
            else CHECK(std::bit_cast<uint32_t>(wide) == std::bit_cast<uint32_t>(out[1 + j] >> 15 ? -value : value));
          }
      }
    }
  });
}

TEST_CASE("a pair is one instruction where the target has a packed conversion, of f16 never more than two",
          "[generator][convert]") {
  const auto instructions = [](Arch arch, Type type, Nans nans = Nans::any, Ties ties = Ties::even) {
    Kernel kernel("k", arch, 64);
    Constants constants(kernel);
    const PairConversion to(constants, arch, type, nans, ties);
    Block b(arch);
    auto v = kernel.r.v.alloc(4, "values");
    to.pack(b, v[0], v[0], v[1], {v[2], v[3]});
    return b.size();
  };
  for (const Arch arch : {Arch::gfx950, Arch::gfx1250})
    for (const Type type : {Type::f16, Type::bf16, Type::fp8, Type::bf8}) CHECK(instructions(arch, type) == 1);
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx1100, Arch::gfx1201}) {
    CHECK(instructions(arch, Type::f16) == 2);
    CHECK(instructions(arch, Type::bf16, Nans::quiet_16) == 5);
    CHECK(instructions(arch, Type::bf16, Nans::quiet_16, Ties::away) == 3);
    CHECK(instructions(arch, Type::bf16) == 11);
  }
}

TEST_CASE("a conversion that a target does not have is refused with the targets that have it", "[generator][convert]") {
  Kernel kernel("k", Arch::gfx90a, 64);
  Constants constants(kernel);
  const auto convert = [&] { PairConversion(constants, Arch::gfx90a, Type::fp8); };
  const std::string line = fmt::format("convert_test.cpp:{}", __LINE__ - 1);
  CHECK_THROWS_WITH(convert(), Catch::Contains(line) && Catch::Contains("gfx942"));
  CHECK_THROWS_WITH(PairConversion(constants, Arch::gfx90a, Type::f64), Catch::Contains("legal: f16, bf16, fp8, bf8"));
}
