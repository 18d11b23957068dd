// The tables themselves, and look-ups by name. The only place where rows become values.
#include "isa_tables/isa.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa_tables/operands.h"

namespace wavesmith::isa {
namespace {

// Target sets of the .def columns.
constexpr ArchSet cdna1 = bit(Arch::gfx908), cdna2 = bit(Arch::gfx90a), cdna3 = bit(Arch::gfx942), cdna4 = bit(Arch::gfx950);
constexpr ArchSet rdna3 = bit(Arch::gfx1100) | bit(Arch::gfx1101) | bit(Arch::gfx1102) | bit(Arch::gfx1103);
constexpr ArchSet rdna35 = bit(Arch::gfx1150) | bit(Arch::gfx1151) | bit(Arch::gfx1152);
constexpr ArchSet rdna4 = bit(Arch::gfx1200) | bit(Arch::gfx1201), gfx1250 = bit(Arch::gfx1250);
constexpr ArchSet cdna = cdna1 | cdna2 | cdna3 | cdna4, gfx9 = cdna, gfx11 = rdna3 | rdna35, gfx12 = rdna4 | gfx1250;
constexpr ArchSet gfx90a_up = cdna2 | cdna3 | cdna4, cdna34 = cdna3 | cdna4, rdna = gfx11 | gfx12;
constexpr ArchSet gfx90a_up_1250 = gfx90a_up | gfx1250, cdna34_1250 = cdna34 | gfx1250, cdna4_1250 = cdna4 | gfx1250;
constexpr ArchSet gfx9_to_11 = gfx9 | gfx11, gfx9_to_12 = gfx9 | gfx11 | rdna4, all = cdna | gfx11 | gfx12;
constexpr Target targets[] = {
#define ARCH(name, family, mach, wave, vgprs, agprs, unified, granule, align, sgprs, lds, lds_granule, waves, simds, file, code, pool, groups) \
  {#name, Family::family, mach, wave, vgprs, agprs, unified, granule, align, sgprs, lds, lds_granule, waves, simds, file, code, pool, groups},
#include "isa_tables/arch.def"
#undef ARCH
};

// Operand widths of a matrix instruction on wave64: elements of a tile times blocks, spread over the lanes.
constexpr Info mfma_row(const char* name, Matrix x, ArchSet archs) {
  const auto dwords = [&](int rows, int cols, int width) { return static_cast<uint8_t>(rows * cols * x.blocks * width / 64 / 32); };
  constexpr auto width = [](Type t) { return t == Type::f64 ? 64 : t == Type::f32 || t == Type::i32 || t == Type::xf32 ? 32 : t == Type::f16 || t == Type::bf16 ? 16 : t == Type::i4 ? 4 : 8; };
  const uint8_t a = dwords(x.m, x.k, width(x.a)), b = dwords(x.k, x.n, width(x.b)), d = dwords(x.m, x.n, width(x.d));
  return {name, Format::mai, Unit::xdl, Counter::none, 0, archs,
          {OperandSpec{Kind::va, d, Access::write}, OperandSpec{Kind::va, a}, OperandSpec{Kind::va, b}, OperandSpec{Kind::vac, d}}, x};
}

constexpr Info rows[] = {
#define OP(mnemonic, format, unit, counter, implicit, archs, ...) []() constexpr -> Info { using namespace spec; \
    return {#mnemonic, Format::format, Unit::unit, Counter::counter, static_cast<uint16_t>(implicit), (archs), {__VA_ARGS__}}; }(),
#define MFMA(mnemonic, m, n, k, blocks, a, b, d, passes, archs) \
  mfma_row(#mnemonic, {m, n, k, blocks, Type::a, Type::b, Type::d, passes}, (archs)),
#include "isa_tables/instructions.def"
#undef OP
#undef MFMA
};
static_assert(rows[static_cast<int>(Opcode::v_mfma_f32_32x32x8_f16)].operands[0].dwords == 16);
static_assert(rows[static_cast<int>(Opcode::v_mfma_f32_4x4x4_16b_f16)].operands[1].dwords == 2);

int distance(std::string_view a, std::string_view b) {     // Levenshtein
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}

std::string names_of(ArchSet set) {
  std::string out;
  for (size_t i = 0; i < std::size(targets); ++i)
    if (set >> i & 1) out += (out.empty() ? "" : " ") + std::string(targets[i].name);
  return out;
}

}  // namespace

const Target& target(Arch a) { return targets[static_cast<int>(a)]; }
std::span<const Target> all_targets() { return targets; }
std::string arch_names() { return names_of(~ArchSet{0}); }
std::optional<Arch> find_arch(std::string_view name) {
  for (size_t i = 0; i < std::size(targets); ++i)
    if (targets[i].name == name) return static_cast<Arch>(i);
  return {};
}

int bits(Type t) {
  switch (t) {
    case Type::f64: return 64;
    case Type::f32: case Type::xf32: case Type::i32: return 32;
    case Type::f16: case Type::bf16: return 16;
    case Type::fp8: case Type::bf8: case Type::i8: case Type::u8: return 8;
    case Type::i4: return 4;
    case Type::none: return 0;
  }
  return 0;
}

const Info& info(Opcode op) { return rows[static_cast<int>(op)]; }
std::span<const Info> table() { return rows; }
std::string archs_with(const Info& i) { return names_of(i.archs); }

std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  static const auto* index = [] {
    auto* map = new std::unordered_map<std::string_view, Opcode>;
    for (size_t i = 0; i < std::size(rows); ++i) map->emplace(rows[i].mnemonic, static_cast<Opcode>(i));
    return map;
  }();
  const auto found = index->find(mnemonic);
  return found == index->end() ? std::nullopt : std::optional(found->second);
}

std::string nearest(std::string_view mnemonic) {
  const auto best = std::min_element(std::begin(rows), std::end(rows), [&](const Info& a, const Info& b) {
    return distance(a.mnemonic, mnemonic) < distance(b.mnemonic, mnemonic);
  });
  return distance(best->mnemonic, mnemonic) <= 4 ? best->mnemonic : "";
}

}  // namespace wavesmith::isa
