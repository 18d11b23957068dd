#include "kernels/parts/epilogue.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa_tables/names.h"

namespace wavesmith {
namespace {

// clang-format off
// Errors: silu and gelu are x s(y) with s = 1 / (1 + e^-y), y off by 6 u |y| (u = 2^-23), e^-y by a further relative 2 u, so s by
// s (1 - s) (6 u |y| + 2 u) < 2 u because s (1 - s) |y| < 0.23; addition, reciprocal and product add 4 u. gelu_erf: the
// approximation of Phi is off by 0.63 u (Abramowitz and Stegun 7.1.26, halved), its arithmetic by less than 3 u: measured.
constexpr ActivationInfo all_activations[] = {
    {Activation::relu,     "relu",     1,    0},
    {Activation::gelu,     "gelu",     1.13, 6},   // by tanh
    {Activation::gelu_erf, "gelu-erf", 1.13, 5},
    {Activation::silu,     "silu",     1.1,  6}};  // x / (1 + e^-x)
constexpr ActivationInfo no_activation{Activation::none, "none", 1, 0};

using enum EpiloguePart;
using enum PartShape;
using enum PartUse;
constexpr EpiloguePartInfo all_parts[] = {
    {scale_a,     "scale_a",     scalar,  scales_sum,    false, "scale of A"},
    {scale_b,     "scale_b",     scalar,  scales_sum,    false, "scale of B"},
    {scale_c,     "scale_c",     scalar,  scales_c,      false, "scale of C"},
    {scale_a_row, "scale_a_row", rows,    scales_sum,    false, "scale of each row of op(A)"},
    {scale_b_col, "scale_b_col", columns, scales_sum,    false, "scale of each column of op(B)"},
    {bias,        "bias",        rows,    adds,          true,  "added to each row, before the activation"},
    {bias_col,    "bias_col",    columns, adds,          true,  "added to each column, before the activation"},
    {residual,    "residual",    matrix,  adds_after,    true,  "added after the activation"},
    {absmax,      "absmax",      scalar,  largest,       false, "written: the largest magnitude in D before its scales"},
    {scale_d,     "scale_d",     scalar,  scales_result, false, "multiplies D"},
    {scale_d_row, "scale_d_row", rows,    scales_result, false, "multiplies each row of D"},
    {scale_d_col, "scale_d_col", columns, scales_result, false, "multiplies each column of D"}};
// clang-format on
constexpr QuantisationInfo all_quantisations[] = {{Quantisation::rows128, "quant128", 128, false},
                                                  {Quantisation::mx, "mx", 32, true}};
static_assert(std::size(all_parts) == epilogue_part_count);

}  // namespace

std::span<const ActivationInfo> activations() { return all_activations; }
const ActivationInfo& about(Activation a) {
  const auto* found = std::ranges::find(all_activations, a, &ActivationInfo::activation);
  return found == std::end(all_activations) ? no_activation : *found;
}
const char* name_of(Activation a) { return about(a).name; }
std::span<const QuantisationInfo> quantisations() { return all_quantisations; }
const QuantisationInfo& about(Quantisation q) {
  return *std::ranges::find(all_quantisations, q, &QuantisationInfo::kind);
}
// OCP 8-bit floats 1.0, table 1; CDNA3 ISA 7.2 (FNUZ).
Largest largest_of(isa::Type t, bool fnuz) {
  if (t == isa::Type::bf8) return {57344, 15};
  return fnuz ? Largest{240, 7} : Largest{448, 8};
}
std::span<const EpiloguePartInfo> epilogue_parts() { return all_parts; }
const EpiloguePartInfo& about(EpiloguePart p) { return *std::ranges::find(all_parts, p, &EpiloguePartInfo::part); }

isa::Type type_of(const EpiloguePartInfo& p, isa::Type output) {
  const bool matrix = p.shape == PartShape::matrix;
  return p.of_results && (matrix || isa::bits(output) > 8) ? output : isa::Type::f32;
}
bool is_addition(const EpiloguePartInfo& p) { return p.use == PartUse::adds || p.use == PartUse::adds_after; }

bool Epilogue::has(PartUse use) const {
  return std::ranges::any_of(all_parts, [&](const EpiloguePartInfo& p) { return p.use == use && has(p.part); });
}
bool Epilogue::has_f32_vectors() const {
  return std::ranges::any_of(all_parts, [&](const EpiloguePartInfo& p) {
    return !p.of_results && p.shape != PartShape::scalar && has(p.part);
  });
}
bool Epilogue::is_plain() const {
  return parts.none() && activation == Activation::none && !clamp && !gated && quantisation == Quantisation::none;
}

std::vector<std::string> Epilogue::words() const {
  std::vector<std::string> out;
  const auto add = [&](auto&& uses) {
    for (const EpiloguePartInfo& p : all_parts)
      if (has(p.part) && uses(p.use)) {
        out.emplace_back(p.name);
        std::ranges::replace(out.back(), '_', '-');
      }
  };
  add([](PartUse u) { return u <= PartUse::adds; });
  if (activation != Activation::none) out.emplace_back(name_of(activation));
  if (clamp) out.push_back(fmt::format("clamp:{}:{}", clamp->low, clamp->high));
  if (gated) out.emplace_back("gated");
  add([](PartUse u) { return u > PartUse::adds; });
  if (quantisation != Quantisation::none) out.emplace_back(about(quantisation).name);
  if (!saturate) out.emplace_back("nosat");
  return out;
}
uint64_t scales_of(const Epilogue& e, uint64_t rows) {
  const auto each = static_cast<uint64_t>(about(e.quantisation).rows);
  return (rows + each - 1) / each;
}
std::string violation(const Epilogue& e, isa::Type arithmetic, isa::Type output) {
  const char* d = isa::type_name(output);
  if (e.clamp && !(e.clamp->low <= e.clamp->high))
    return fmt::format("clamp from {} to {}; legal: the lower bound first", e.clamp->low, e.clamp->high);
  if (!e.saturate && !is_float8(output)) return fmt::format("nosat with D of {}; legal: fp8 and bf8", d);
  if (e.quantisation != Quantisation::none) {
    const char* name = about(e.quantisation).name;
    if (!is_float8(output)) return fmt::format("{} with D of {}; legal: fp8 and bf8", name, d);
    if (!e.saturate) return fmt::format("nosat with {}; legal: one of them", name);
  }
  if (e.gated && (e.has(EpiloguePart::scale_c) || e.beta_on_device))
    return "gated with a factor of C, which it does not have; legal: neither scale_c nor beta on the device";
  if (arithmetic == isa::Type::f32) return {};
  std::string what, legal;
  if (e.activation != Activation::none) what = fmt::format("activation {}", name_of(e.activation));
  if (e.clamp) what = "clamp";
  if (e.gated) what = "gated";
  for (const EpiloguePartInfo& p : all_parts)
    if (is_addition(p)) legal += fmt::format("{}, ", p.name);
    else if (e.has(p.part)) what = p.name;
  return what.empty() ? "" : fmt::format("{} with D of {}; legal: {}or D of another type", what, d, legal);
}
Epilogue epilogue_of(std::initializer_list<EpiloguePart> parts, Activation activation) {
  Epilogue e{.activation = activation};
  for (const EpiloguePart p : parts) e.add(p);
  return e;
}

}  // namespace wavesmith
