// Compares of floats and v_cmp_class: three widths, sixteen predicates, and three forms each (to a mask; gfx9's v_cmpx
// to mask and EXEC; later v_cmpx to EXEC alone). Traps are off, so signalling predicates are the quiet ones.
#include "simulator/lanes_float.h"
#include "simulator/semantics.h"

namespace wavesmith::sim {
namespace {

f64 value(half x) { return x.value; }
f32 value(f32 x) { return x; }
f64 value(f64 x) { return x; }

// Less, equal, greater, unordered: what a predicate holds for (CDNA3 ISA, "VOPC": the low three bits and the
// negations).
enum Ordering { less = 1, equal = 2, greater = 4, unordered = 8 };
template <class T, int holds>
struct Predicate {
  bool operator()(T x, T y) const {
    const auto a = value(x), b = value(y);
    return ((holds & less) && a < b) || ((holds & equal) && a == b) || ((holds & greater) && a > b) ||
           ((holds & unordered) && !(a <= b) && !(a > b));
  }
};
template <class T, int holds>
constexpr Execute compares = compare<Predicate<T, holds>{}>;

constexpr Execute class_f16 =
    compare<([](raw16 a, u16 mask) { return (mask >> float_class<Bits16>(a.bits) & 1) != 0; })>;
constexpr Execute class_f32 = compare<([](b32 a, u32 mask) { return (mask >> float_class<Bits32>(a.bits) & 1) != 0; })>;

struct bits64 {  // an f64 read as bits, with its sign modifiers applied
  u64 bits;
  static constexpr int dwords = 2;
  static void load(const Wave&, const Source& s, const u32* const* in, bits64* out) {
    for (int l = 0; l < W; ++l) out[l].bits = in[0][l] | u64{sign32(in[1][l], s)} << 32;
  }
};
constexpr Execute class_f64 =
    compare<([](bits64 a, u32 mask) { return (mask >> float_class<Bits64>(a.bits) & 1) != 0; })>;

// clang-format off
#define FORMS(name, run)  {"v_cmp_" #name, run}, {"v_cmpx_" #name, run}, {"v_cmpx_" #name "_gfx11", run}
#define TRUE(width, run)  {"v_cmp_tru_" #width, run}, {"v_cmpx_tru_" #width, run}, {"v_cmpx_t_" #width "_gfx11", run}
#define WIDTHS(name, holds)  FORMS(name##_f16, (compares<half, (holds)>)), FORMS(name##_f32, (compares<f32, (holds)>)), FORMS(name##_f64, (compares<f64, (holds)>))
constexpr Semantics rows[] = {
    WIDTHS(f, 0),                          WIDTHS(lt, less),                     WIDTHS(eq, equal),                    WIDTHS(le, less | equal),
    WIDTHS(gt, greater),                   WIDTHS(lg, less | greater),           WIDTHS(ge, greater | equal),          WIDTHS(o, less | equal | greater),
    WIDTHS(u, unordered),                  WIDTHS(nge, unordered | less),        WIDTHS(nlg, unordered | equal),       WIDTHS(ngt, unordered | less | equal),
    WIDTHS(nle, unordered | greater),      WIDTHS(neq, unordered | less | greater), WIDTHS(nlt, unordered | equal | greater),
    TRUE(f16, (compares<half, 15>)),       TRUE(f32, (compares<f32, 15>)),      TRUE(f64, (compares<f64, 15>)),
    FORMS(class_f16, class_f16),           FORMS(class_f32, class_f32),          FORMS(class_f64, class_f64),
};
// clang-format on

}  // namespace

std::span<const Semantics> float_compare_semantics() { return rows; }

}  // namespace wavesmith::sim
