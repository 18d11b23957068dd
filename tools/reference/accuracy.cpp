#include "tools/reference/accuracy.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "simulator/numerics/formats.h"
#include "simulator/numerics/matrix.h"
#include "tools/options/launch.h"
#include "tools/options/matrices.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"

namespace wavesmith::tools {

Precision precision(isa::Type t, bool fnuz) {
  if (t == isa::Type::fp8 || t == isa::Type::bf8) {
    const sim::FloatFormat& f = small_format(t, fnuz);
    const double largest = sim::decode(f, f.largest());
    return {std::ldexp(1, -1 - f.mantissa_bits), std::ldexp(1, f.least_exponent() - f.mantissa_bits - 1),
            largest + std::ldexp(1, std::ilogb(largest) - f.mantissa_bits - 1)};
  }
  if (t == isa::Type::i8) return {0, 0.5, INFINITY};
  if (t == isa::Type::f16) return {0x1p-11, 0x1p-25, 65520};
  if (t == isa::Type::bf16) return {0x1p-8, 0x1p-126, 0x1.ffp127};
  if (t == isa::Type::f64) return {0x1p-53, 0x1p-1022, INFINITY};
  return {0x1p-24, 0x1p-126, 0x1.ffffffp127};
}

double least_factor(const isa::Target& t, isa::Type type) {
  return sim::flushes_denormals(t.family, type) ? sim::power_of_two(sim::least_exponent(type, t.fnuz_fp8())) : 0;
}

double least_aligned(const isa::Target& t, const isa::Matrix& x, isa::Type type) {
  if (type == isa::Type::i8 || !sim::aligns(sim::summation(t.family, x, {type, x.k, 1}).how)) return 0;
  return sim::power_of_two(sim::least_exponent(type, t.fnuz_fp8()));
}

double share_of_allowed(double got, double want, double allowed, const Precision& f) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) == std::isnan(got) ? 0 : INFINITY;
  if (std::isinf(got) && (std::signbit(got) ? -want : want) + allowed >= f.overflows_at) return 0;
  if (std::isinf(want) || std::isinf(got)) return want == got ? 0 : INFINITY;
  return got == want ? 0 : std::fabs(got - want) / allowed;
}

int report_fault(const std::string& fault, bool json) {
  if (json) print_json({{"good", false}, {"fault", fault}});
  else say(fault);
  return answer_is_no;
}

}  // namespace wavesmith::tools
