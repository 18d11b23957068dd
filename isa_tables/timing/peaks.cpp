// Rates from the rows: flops / clocks of one SIMD, times the SIMDs of a unit.
#include "isa_tables/timing/peaks.h"

#include <algorithm>
#include <cctype>

#include "isa_tables/inst.h"

namespace wavesmith::isa {
namespace {

constexpr Gpu gpu_rows[] = {
#define GPU(name, arch, units, mhz, gb, tb, mall) {name, Arch::arch, units, mhz, gb, tb, mall},
#include "isa_tables/timing/peaks.def"
#undef GPU
};

double rate(const Info& row, Arch arch, int clocks) {
  return clocks > 0 ? static_cast<double>(row.matrix.flops()) / clocks * target(arch).simds_per_cu : 0;
}

bool multiplies(const Info& row, Type a) {
  if (row.matrix.a == a) return true;
  const Type narrow[] = {Type::i8, Type::iu8, Type::i4,
                         Type::iu4};  // the signed and the either-signed spelling of one width
  if (std::find(narrow, std::end(narrow), a) != std::end(narrow))
    return std::find(narrow, std::end(narrow), row.matrix.a) != std::end(narrow) && bits(row.matrix.a) == bits(a);
  return false;
}

// An f8f6f4 row with both operands in one format.
double f8f6f4_rate(const Info& row, Type a, Arch arch) {
  Inst i{static_cast<Opcode>(&row - table().data())};
  for (uint8_t code = 0; code < 5; ++code)
    if (narrow_format(code) == a) {
      i.mods.cbsz = i.mods.blgp = code;
      return flops_per_clock(i, arch);
    }
  return 0;
}

}  // namespace

std::span<const Gpu> gpus() { return gpu_rows; }
const Gpu* find_gpu(std::string_view name) {
  const auto letters = [](std::string_view text) {
    std::string all;
    for (const unsigned char c : text)
      if (c != ' ') all += static_cast<char>(std::toupper(c));
    return all;
  };
  const std::string wanted = letters(name);
  // A name of two parts, as "MI455X / MI450" or "Radeon 8060S (Strix Halo)", is found by each of them too.
  const auto found = std::find_if(std::begin(gpu_rows), std::end(gpu_rows), [&](const Gpu& g) {
    const std::string_view whole = g.name;
    const auto is = [&](std::string_view part) { return letters(part) == wanted; };
    const size_t slash = whole.find(" / "), bracket = whole.find(" (");
    return is(whole) || (slash != whole.npos && (is(whole.substr(0, slash)) || is(whole.substr(slash + 3)))) ||
           (bracket != whole.npos &&
            (is(whole.substr(0, bracket)) || is(whole.substr(bracket + 2, whole.size() - bracket - 3))));
  });
  return found == std::end(gpu_rows) ? nullptr : &*found;
}

double flops_per_clock(const Info& row, Arch arch) {
  return row.is_matrix() && row.on(arch) ? rate(row, arch, row.clocks(arch)) : 0;
}

double flops_per_clock(const Inst& i, Arch arch) {
  const Info& row = i.info();
  return row.is_matrix() && row.on(arch) ? rate(row, arch, clocks(i, arch)) : 0;
}

double flops_per_clock(Type a, Arch arch) {
  double best = 0;
  for (const Info& row : table()) {
    if (!row.is_matrix() || !row.on(arch) || row.matrix.sparse()) continue;
    best = std::max(best, row.matrix.a == Type::f8f6f4 ? f8f6f4_rate(row, a, arch)
                          : multiplies(row, a)         ? rate(row, arch, row.clocks(arch))
                                                       : 0);
  }
  return best;
}

double peak_tflops(const Gpu& g, Type a) { return flops_per_clock(a, g.arch) * g.units * g.mhz * 1e-6; }

}  // namespace wavesmith::isa
