// Builds the tables from the .def rows, and looks rows up by name.
#include "isa_tables/isa.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa_tables/arch_sets.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/operands.h"

namespace wavesmith::isa {
namespace {

using namespace sets;  // the target sets of the .def columns

constexpr FeatureRow feature_rows[] = {
#define FEATURE(name, archs, llvm, source) {#name, llvm, source, archs},
#include "isa_tables/features.def"
#undef FEATURE
};
constexpr uint64_t features_of(Arch a) {
  static_assert(std::size(feature_rows) <= 64);
  uint64_t set = 0;
  for (size_t i = 0; i < std::size(feature_rows); ++i) set |= uint64_t{(feature_rows[i].archs & bit(a)) != 0} << i;
  return set;
}

constexpr Target targets[] = {
#define ARCH(name, family, mach, wave, vgprs, agprs, unified, granule, align, sgprs, lds, lds_granule, waves, simds, \
             file, code, pool, groups, resources) \
  {#name, \
   Family::family, \
   mach, \
   wave, \
   vgprs, \
   agprs, \
   unified, \
   granule, \
   align, \
   sgprs, \
   lds, \
   lds_granule, \
   waves, \
   simds, \
   file, \
   code, \
   pool, \
   groups, \
   ResourceFormat::resources, \
   features_of(Arch::name)},
#include "isa_tables/arch.def"
#undef ARCH
};

// The clocks columns of mfma.def and wmma.def. `undocumented`: LLVM assembles it, the ISA guide does not list it.
constexpr int undocumented = -1;
constexpr std::array<int8_t, 8> passes(int cdna1, int cdna2, int cdna3, int cdna4) {
  return {static_cast<int8_t>(4 * cdna1),
          static_cast<int8_t>(4 * cdna2),
          static_cast<int8_t>(4 * cdna3),
          static_cast<int8_t>(4 * cdna4),
          0,
          0,
          0,
          0};
}
constexpr std::array<int8_t, 8> clocks(int gfx11, int gfx12, int gfx1250) {
  return {0,
          0,
          0,
          0,
          static_cast<int8_t>(gfx11),
          static_cast<int8_t>(gfx11),
          static_cast<int8_t>(gfx12),
          static_cast<int8_t>(gfx1250)};
}
constexpr ArchSet families_where(std::array<int8_t, 8> clocks, bool there) {
  ArchSet set = 0;
  for (size_t i = 0; i < std::size(targets); ++i)
    if (const int c = clocks[static_cast<int>(targets[i].family)]; there ? c > 0 : c < 0) set |= ArchSet{1} << i;
  return set;
}

// Operand widths of a matrix instruction follow from its shape: the elements of a tile, times blocks, over the lanes of
// a wave (64 on CDNA, 32 on RDNA). gfx11 holds A and B twice and a 16-bit C or D one element a register.
constexpr Info matrix_row(const char* name, Matrix x) {
  const bool cdna_row = x.kind == MatrixKind::mfma || x.kind == MatrixKind::smfmac, gfx11_row = x.gfx11();
  const int lanes = cdna_row ? 64 : 32;
  const auto dwords = [&](int elements, int width) {
    return static_cast<uint8_t>((elements * x.blocks * width / lanes + 31) / 32);
  };
  const auto accumulator = [&](Type t) { return dwords(x.m * x.n, gfx11_row ? 32 : bits(t)); };
  const int copies = gfx11_row ? 2 : 1, kept = x.sparse() ? 2 : 1;
  const Kind source = cdna_row ? Kind::va : Kind::v;
  OperandSpec a{source, dwords(x.m * x.k * copies / kept, bits(x.a))}, b{source, dwords(x.k * x.n * copies, bits(x.b))};
  if (x.a == Type::f8f6f4) a.follows = Follows::format_a, b.follows = Follows::format_b;
  const OperandSpec c{
      .kind = Kind::vac, .dwords = accumulator(x.c), .constant = x.c == Type::f64 ? Constant::f64 : Constant::plain};
  const OperandSpec d{source, accumulator(x.sparse() ? x.c : x.d), x.sparse() ? Access::both : Access::write};
  Info row{name,
           cdna_row ? Format::mai : Format::vop3p,
           Unit::xdl,
           Counter::none,
           cdna_row && x.d != Type::i32 ? uint32_t{mode_r} : 0u,
           families_where(x.clocks, true),
           {},
           x,
           families_where(x.clocks, false)};
  if (x.sparse())
    row.operands = {d, a, b, OperandSpec{Kind::v, dwords(x.m * x.k, 1)}};  // two index bits per kept element
  else row.operands = {d, a, b, c};
  if (x.scale_block) {
    const uint8_t scales = x.scale_block == 16 ? 2 : 1;  // four K blocks per dword; gfx950 takes scales only from VGPRs
    row.operands[4] = row.operands[5] = {cdna_row ? Kind::v : Kind::any, scales};
  }
  return row;
}

constexpr auto rows = [] {
  auto all_rows = std::to_array<Info>({
#define OP(mnemonic, format, unit, counter, implicit, archs, ...) \
  []() constexpr -> Info { \
    using namespace spec; \
    return {#mnemonic, Format::format, Unit::unit, Counter::counter, static_cast<uint32_t>(implicit), \
            (archs),   {__VA_ARGS__}}; \
  }(),
#define MATRIX(mnemonic, kind, m, n, k, blocks, a, b, c, d, scale_block, clocks) \
  matrix_row(#mnemonic, {MatrixKind::kind, m, n, k, blocks, Type::a, Type::b, Type::c, Type::d, scale_block, clocks}),
#include "isa_tables/rows/instructions.def"
#undef OP
#undef MATRIX
  });
#define REFUSE(op, where) \
  all_rows[static_cast<int>(Opcode::op)].archs &= ~(where), all_rows[static_cast<int>(Opcode::op)].refused |= (where);
#include "isa_tables/rows/refused.def"
#undef REFUSE
  return all_rows;
}();
static_assert(rows[static_cast<int>(Opcode::v_mfma_f32_32x32x8_f16)].operands[0].dwords == 16);
static_assert(rows[static_cast<int>(Opcode::v_mfma_f32_4x4x4_16b_f16)].operands[1].dwords == 2);

// Other names of a row: LLVM's names on some targets.
struct Spelling {
  Opcode op;
  const char* name;
  ArchSet archs;
};
constexpr Spelling spellings[] = {
#define SPELL(op, name, archs) {Opcode::op, #name, (archs)},
#include "isa_tables/rows/spelling.def"
#undef SPELL
};

constexpr auto pairings = [] {
  std::array<Pairing, std::size(rows)> all{};
#define DUAL(op, ...) all[static_cast<int>(Opcode::op)] = {__VA_ARGS__};
#include "isa_tables/rows/vopd.def"
#undef DUAL
  return all;
}();

struct Names {
  std::unordered_map<std::string_view, std::vector<Opcode>> ops;  // every spelling
  std::array<std::vector<const char*>, std::size(targets)> printed;
  Names() {
    for (size_t i = 0; i < std::size(rows); ++i) ops[rows[i].mnemonic].push_back(static_cast<Opcode>(i));
    for (auto& names : printed)
      for (const Info& row : rows) names.push_back(row.mnemonic);
    for (const Spelling& s : spellings) {
      auto& known = ops[s.name];
      if (std::find(known.begin(), known.end(), s.op) == known.end()) known.push_back(s.op);
      for (size_t a = 0; a < std::size(targets); ++a)
        if (s.archs >> a & 1) printed[a][static_cast<int>(s.op)] = s.name;
    }
  }
};
const Names& names() {
  static const Names all;
  return all;
}

int distance(std::string_view a, std::string_view b) {  // edit distance; a swap of neighbours is one edit
  std::vector<int> before, last, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::span<const FeatureRow> features() { return feature_rows; }
const Target& target(Arch a) { return targets[static_cast<int>(a)]; }
std::span<const Target> all_targets() { return targets; }
std::string arch_names(ArchSet set) {
  std::string out;
  for (size_t i = 0; i < std::size(targets); ++i)
    if (set >> i & 1) out += (out.empty() ? "" : " ") + std::string(targets[i].name);
  return out;
}
std::optional<Arch> find_arch(std::string_view name) {
  for (size_t i = 0; i < std::size(targets); ++i)
    if (targets[i].name == name) return static_cast<Arch>(i);
  return {};
}

PairForm pair_form(Opcode first, Opcode second, Arch arch) {
  const Pairing &x = pairings[static_cast<int>(first)], &y = pairings[static_cast<int>(second)];
  return x.first & y.second & bit(arch)             ? PairForm::vopd
         : x.long_first & y.long_second & bit(arch) ? PairForm::vopd3
                                                    : PairForm::none;
}
Pairing pairing(Opcode op) { return pairings[static_cast<int>(op)]; }
constinit const Info* const first_info = rows.data();
std::span<const Info> table() { return rows; }
std::string archs_with(const Info& i) { return arch_names(i.archs); }

const char* mnemonic(Opcode op, Arch arch) { return names().printed[static_cast<int>(arch)][static_cast<int>(op)]; }

std::span<const Opcode> find_opcodes(std::string_view mnemonic) {
  const auto found = names().ops.find(mnemonic);
  return found == names().ops.end() ? std::span<const Opcode>() : found->second;
}

size_t row_of(const char* mnemonic) {
  const auto known = find_opcodes(mnemonic);
  if (known.empty()) throw IsaError(fmt::format("no row is called '{}'; legal: {}", mnemonic, nearest(mnemonic)));
  return static_cast<size_t>(known.front());
}
std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  const auto known = find_opcodes(mnemonic);
  return known.empty() ? std::nullopt : std::optional(known[0]);
}

std::optional<Opcode> find_opcode(std::string_view mnemonic, Arch arch) {
  const auto known = find_opcodes(mnemonic);
  for (const Opcode op : known)
    if ((info(op).archs | info(op).refused) & bit(arch)) return op;
  return known.empty() ? std::nullopt : std::optional(known[0]);
}

std::string nearest(std::string_view mnemonic) {
  static thread_local std::unordered_map<std::string, std::string>
      known;  // a disassembly may ask for one name many times
  if (const auto it = known.find(std::string(mnemonic)); it != known.end()) return it->second;
  if (known.size() > 1000) known.clear();
  std::string_view best;
  int least = 5;
  for (const auto& [name, ops] : names().ops)
    if (const int d = distance(name, mnemonic); d < least || (d == least && d < 5 && name < best))
      least = d, best = name;
  return known[std::string(mnemonic)] = best;
}

}  // namespace wavesmith::isa
