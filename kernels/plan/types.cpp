// Names and properties of element types; the families' rows.
#include "kernels/plan/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace wavesmith::plan {
namespace {

enum class Class : uint8_t { other, real, integer };
struct Row {
  Elem elem;
  const char* name;
  int bits;
  Class kind;
  int f8f6f4_code;
  const char* words;
};  // words: what users write, in lower case

// clang-format off
constexpr Row elems[] = {
    {Elem::none,        "none",        0,  Class::other,   -1, ""},
    {Elem::f64,         "f64",         64, Class::real,    -1, "f64 fp64 f64_r"},
    {Elem::f32,         "f32",         32, Class::real,    -1, "f32 fp32 f32_r"},
    {Elem::xf32,        "xf32",        32, Class::real,    -1, "xf32 tf32 xf32_r"},
    {Elem::f16,         "f16",         16, Class::real,    -1, "f16 fp16 f16_r"},
    {Elem::bf16,        "bf16",        16, Class::real,    -1, "bf16 bf16_r"},
    {Elem::f8e4m3,      "f8E4M3FN",    8,  Class::real,     0, "f8e4m3fn f8e4m3 e4m3 mxfp8"},
    {Elem::f8e5m2,      "f8E5M2",      8,  Class::real,     1, "f8e5m2 e5m2 mxbf8"},
    {Elem::f8e4m3_fnuz, "f8E4M3FNUZ",  8,  Class::real,    -1, "f8e4m3fnuz"},
    {Elem::f8e5m2_fnuz, "f8E5M2FNUZ",  8,  Class::real,    -1, "f8e5m2fnuz"},
    {Elem::f6e3m2,      "f6E3M2FN",    6,  Class::real,     3, "f6e3m2fn f6e3m2 e3m2 mxbf6"},
    {Elem::f6e2m3,      "f6E2M3FN",    6,  Class::real,     2, "f6e2m3fn f6e2m3 e2m3 mxfp6"},
    {Elem::f4e2m1,      "f4E2M1FN",    4,  Class::real,     4, "f4e2m1fn f4e2m1 e2m1 mxfp4"},
    {Elem::i4,          "i4",          4,  Class::integer, -1, "i4"},
    {Elem::i8,          "i8",          8,  Class::integer, -1, "i8 i8_r"},
    {Elem::u8,          "u8",          8,  Class::integer, -1, "u8"},
    {Elem::i16,         "i16",         16, Class::integer, -1, "i16"},
    {Elem::i32,         "i32",         32, Class::integer, -1, "i32 i32_r"},
    {Elem::f8f6f4,      "f8f6f4",      8,  Class::other,   -1, ""},
};
// clang-format on
constexpr const Row& row(Elem e) { return elems[static_cast<int>(e)]; }
static_assert(row(Elem::f8f6f4).elem == Elem::f8f6f4);

using isa::Family;
using P = Pattern;
const std::vector<P> cdna_patterns{P::dot, P::emulate, P::decompose_generic},
    rdna_patterns{P::decompose_generic, P::dot},
    gfx1250_patterns{P::scaled_native, P::decompose, P::dot, P::decompose_generic},
    cdna4_patterns{P::scaled_native, P::decompose, P::dot, P::emulate, P::decompose_generic};
const std::vector<Elem> f16_i8{Elem::f16, Elem::i8}, f16_i8_bf16{Elem::f16, Elem::i8, Elem::bf16};

// planner_spec 1, 2, 4, 9. `decompose_generic` on CDNA and GFX1250 is ours, as the last resort: the documented compiler
// does not lower a dot_scaled with two scales on CDNA1-3 (8.3), or one packed along M or N that no native form takes
// (8.2). clang-format off
const FamilyTraits families[] = {
    // family            name       mfma wmma fnuz   xf32   emulates kpack1 bf16 scale vdot      patterns
    {Family::cdna1, "CDNA1", 1, 0, false, false, true, false, false, f16_i8, cdna_patterns},
    {Family::cdna2, "CDNA2", 2, 0, false, false, true, false, false, f16_i8, cdna_patterns},
    {Family::cdna3, "CDNA3", 3, 0, true, true, true, false, false, f16_i8, cdna_patterns},
    {Family::cdna4, "CDNA4", 4, 0, false, false, false, true, true, f16_i8_bf16, cdna4_patterns},
    {Family::rdna3, "RDNA3", 0, 1, false, false, false, false, false, f16_i8, rdna_patterns},
    {Family::rdna35, "RDNA3.5", 0, 1, false, false, false, false, false, f16_i8, rdna_patterns},
    {Family::rdna4, "RDNA4", 0, 2, false, false, false, false, false, f16_i8, rdna_patterns},
    {Family::gfx1250, "GFX1250", 0, 3, false, false, false, false, false, {}, gfx1250_patterns},
};
// clang-format on

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

const char* name(Elem e) { return row(e).name; }
int bits(Elem e) { return row(e).bits; }
bool is_float(Elem e) { return row(e).kind == Class::real; }
bool is_int(Elem e) { return row(e).kind == Class::integer; }
bool is_ocp_fp8(Elem e) { return e == Elem::f8e4m3 || e == Elem::f8e5m2; }
bool is_f8f6f4(Elem e) { return row(e).f8f6f4_code >= 0; }
int format_code(Elem e) { return row(e).f8f6f4_code; }

const char* name(Pattern p) {
  constexpr const char* names[] = {"native scaled instruction", "decomposition", "generic decomposition",
                                   "matrix instruction", "emulation with 16-bit operands"};
  return names[static_cast<int>(p)];
}

const FamilyTraits& traits(isa::Family f) {
  const FamilyTraits& t = families[static_cast<int>(f)];
  if (t.family != f) throw std::logic_error("planner: families are not in the order of isa::Family");
  return t;
}

Elem elem(isa::Type type, const FamilyTraits& t) {
  switch (type) {
    case isa::Type::f64: return Elem::f64;
    case isa::Type::f32: return Elem::f32;
    case isa::Type::xf32: return Elem::xf32;
    case isa::Type::f16: return Elem::f16;
    case isa::Type::bf16: return Elem::bf16;
    case isa::Type::fp8: return t.fnuz ? Elem::f8e4m3_fnuz : Elem::f8e4m3;
    case isa::Type::bf8: return t.fnuz ? Elem::f8e5m2_fnuz : Elem::f8e5m2;
    case isa::Type::fp6: return Elem::f6e2m3;
    case isa::Type::bf6: return Elem::f6e3m2;
    case isa::Type::fp4: return Elem::f4e2m1;
    case isa::Type::f8f6f4: return Elem::f8f6f4;
    case isa::Type::i4:
    case isa::Type::iu4: return Elem::i4;
    case isa::Type::i8:
    case isa::Type::iu8: return Elem::i8;
    case isa::Type::i32: return Elem::i32;
    default: return Elem::none;
  }
}

Elem find_elem(std::string_view word, const FamilyTraits& t) {
  const std::string w = lower(word);
  if (w == "fp8" || w == "f8_r") return elem(isa::Type::fp8, t);
  if (w == "bf8" || w == "bf8_r") return elem(isa::Type::bf8, t);
  for (const Row& r : elems)
    if (!w.empty() && fmt::format(" {} ", r.words).find(fmt::format(" {} ", w)) != std::string::npos) return r.elem;
  throw PlanError(fmt::format(
      "type '{}' is unknown, legal: f64 f32 xf32 f16 bf16 fp8 bf8 i4 i8 i16 i32 mxfp8 mxbf8 mxfp6 mxbf6 mxfp4 "
      "f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ",
      word));
}

isa::Arch find_target(std::string_view word) {
  if (const auto a = isa::find_arch(word)) return *a;
  throw PlanError(fmt::format("target '{}' is unknown, legal: {}", word, isa::arch_names()));
}

}  // namespace wavesmith::plan
