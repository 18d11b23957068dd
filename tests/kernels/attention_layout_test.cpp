// Attention's layouts against the formulas of the CDNA guides: every element that a lane multiplies is traced back to
// the work-item that stored it to LDS, and to the row and column that it loaded.
#include <catch2/catch.hpp>

#include <map>
#include <random>

#include "isa_tables/lds.h"
#include "isa_tables/transpose.h"
#include "kernels/attention/layouts.h"

namespace wavesmith::attention {
namespace {

uint32_t at(const isa::LinearLayout& l, const char* axis, int value, const char* output) {
  return l.at({{axis, static_cast<uint32_t>(value)}}, output);
}

struct Element {
  int key, column;
  bool operator==(const Element&) const = default;
};
using Memory = std::map<uint32_t, Element>;  // what is at a byte of LDS

int column_of(const LdsTile& t, int item, int in_block) {
  const bool blocks = t.loads.outputs().back().name == "block";
  return in_block + (blocks ? static_cast<int>(at(t.loads, "lane", item, "block")) * t.block_columns : 0);
}
// Where a store goes that a constant pattern and offset take from the lane's first one.
uint32_t stored(const LdsTile& t, const AddressSet::At& to, int lane) {
  return (at(t.loads.then(t.layout), "lane", lane, "byte") ^ t.stores.patterns()[to.address]) +
         static_cast<uint32_t>(to.offset);
}
// K, and V as in memory: 16 bytes of a row for each work-item and load, directly in the order of the lanes.
Memory rows(Layouts& layouts, const LdsTile& t, const Shapes& s) {
  Memory lds;
  for (int item = 0; item < t.rounds * s.lanes; ++item)
    for (int e = 0; e < 8; ++e) {
      const uint32_t place =
          s.direct ? 16u * static_cast<uint32_t>(item) : stored(t, layouts.key_store(item / s.lanes), item % s.lanes);
      lds[place + 2u * static_cast<uint32_t>(e)] = {
          static_cast<int>(at(t.loads, "lane", item, "row")),
          column_of(t, item, static_cast<int>(at(t.loads, "lane", item, "chunk")) * 8 + e)};
    }
  return lds;
}
// V, a run of keys of a column.
Memory columns(Layouts& layouts, const Shapes& s) {
  Memory lds;
  const LdsTile& t = layouts.v;
  for (int item = 0; item < t.rounds * s.lanes; ++item)
    for (int odd : {0, 1}) {
      const uint32_t place = stored(t, layouts.value_store(item / s.lanes, odd), item % s.lanes);
      for (int i = 0; i < s.run(); ++i)
        lds[place + 2u * static_cast<uint32_t>(i)] = {
            static_cast<int>(at(t.loads, "lane", item, "key") | at(layouts.weights, "element", i, "key")),
            column_of(t, item, static_cast<int>(at(t.loads, "lane", item, "column")) + odd)};
    }
  return lds;
}

uint32_t address(const LdsTile& t, const AddressSet::At& from, int lane, const Shapes& s) {
  const int extent = s.atom.extent;
  const uint32_t first = t.reads.at(
      {{"query", static_cast<uint32_t>(lane % extent)}, {"group", static_cast<uint32_t>(lane / extent)}}, "byte");
  return (first ^ t.fragments.patterns()[from.address]) + static_cast<uint32_t>(from.offset);
}
// The row of item `i` of a lane's result. CDNA3 ISA 7.1.4 (32x32): groups of four rows. RDNA4 ISA 7.12.2, CDNA5 ISA
// 7.12.2: eight rows. RDNA3 ISA 7.9: every other row; there the rows of A are permuted, which makes them eight as well.
int row_of(int i, int lane, const Shapes& s) {
  return s.atom.extent == 32 ? 8 * (i / 4) + 4 * (lane / 32) + i % 4 : 8 * (lane / 16) + i;
}
// And the row of A that a lane supplies.
int supplied(int lane, const Shapes& s) {
  const int row = lane % s.atom.extent;
  return s.atom.a.groups() == 1 ? row / 2 + row % 2 * 8 : row;
}
// The key of P's element `e` in the right operand.
int key_of(int e, int lane, const Shapes& s) {
  const int items = s.atom.items;
  return s.atom.a.groups() == 1 ? e : s.atom.extent * (e / items) + row_of(e % items, lane, s);
}

void check_keys(Layouts& layouts, const Shapes& s) {
  const Memory lds = rows(layouts, layouts.k, s);
  int wrong = 0;
  for (int part = 0; part < s.parts(); ++part)
    for (int chunk = 0; chunk < s.dim / 8; chunk += s.atom.a.groups())
      for (int lane = 0; lane < s.atom.lanes; ++lane)
        for (int e = 0; e < 8; ++e) {
          const int group = s.atom.a.groups() == 1 ? 0 : lane / s.atom.extent;
          wrong += lds.at(address(layouts.k, layouts.key_read(part, chunk), lane, s) + 2u * static_cast<uint32_t>(e)) !=
                   Element{s.atom.extent * part + supplied(lane, s), 8 * (chunk + group) + e};
        }
  CHECK(wrong == 0);
}

void check_values(Layouts& layouts, const Shapes& s) {
  const Memory lds = s.direct ? rows(layouts, layouts.v, s) : columns(layouts, s);
  const int got = layouts.value_elements();
  int wrong = 0;
  for (int d = 0; d < s.dim_v / s.atom.extent; ++d)
    for (int e = 0; e < layouts.weight_elements(); ++e)
      for (int lane = 0; lane < s.atom.lanes; ++lane) {
        const auto from = layouts.value_read(e / got * got, d);
        // CDNA4 ISA 11.4: of the four lanes that supply a row of 16 columns, the one that has the lane's column.
        const int supplier = s.direct ? lane / 16 * 16 + 4 * (e % 4) + lane % 16 / 4 : lane,
                  part = s.direct ? lane % 4 : e % got;
        const uint32_t byte = address(layouts.v, from, supplier, s) +
                              (2u * static_cast<uint32_t>(part) ^ static_cast<uint32_t>(from.first));
        wrong += lds.at(byte) != Element{key_of(e, lane, s), s.atom.extent * d + supplied(lane, s)};
      }
  CHECK(wrong == 0);
}

void check_conflicts(const Shapes& s, int bytes, isa::LdsAccess kind, const std::function<uint32_t(int)>& address) {
  for (int wave = 0; wave < (kind == isa::LdsAccess::write ? s.lanes / s.atom.lanes : 1); ++wave) {
    std::vector<uint32_t> all;
    for (int lane = 0; lane < s.atom.lanes; ++lane) all.push_back(address(s.atom.lanes * wave + lane));
    CHECK(isa::lds_conflict_cycles(isa::target(s.atom.arch).family, kind, all, ~uint64_t{0}, bytes) == 0);
  }
}

}  // namespace

TEST_CASE("attention multiplies the elements that its fragments stand for, without LDS conflicts",
          "[attention][layout]") {
  using isa::Arch, isa::Opcode;
  struct Of {
    Arch arch;
    Opcode mma;
    bool direct;
    int waves = 8;
    bool both = false;
  };
  for (const Of& of : {Of{Arch::gfx908, Opcode::v_mfma_f32_32x32x4bf16, false},
                       {Arch::gfx90a, Opcode::v_mfma_f32_32x32x8_f16, false},
                       {Arch::gfx942, Opcode::v_mfma_f32_32x32x8_bf16, false},
                       {Arch::gfx942, Opcode::v_mfma_f32_32x32x8_bf16, false, 4},
                       {Arch::gfx950, Opcode::v_mfma_f32_32x32x16_bf16, true},
                       {Arch::gfx950, Opcode::v_mfma_f32_32x32x16_bf16, true, 4, true},
                       {Arch::gfx950, Opcode::v_mfma_f32_32x32x16_bf16, false},
                       {Arch::gfx1100, Opcode::v_wmma_f32_16x16x16_bf16_gfx11, false},
                       {Arch::gfx1201, Opcode::v_wmma_f32_16x16x16_f16, false},
                       {Arch::gfx1250, Opcode::v_wmma_f32_16x16x32_f16, false}})
    for (const auto& [dim, dim_v] :
         {std::pair(64, 64), {128, 128}, {64, 128}, {128, 64}, {32, 96}, {192, 128}, {160, 32}, {256, 256}}) {
      if (of.direct && (dim % 64 || dim_v % 64 || dim > 192)) continue;
      if (of.both && dim != dim_v) continue;
      const isa::Type type = isa::info(of.mma).matrix.a;
      const Atom atom(of.mma, of.arch, type, type);
      const Shapes s{.atom = atom,
                     .direct = of.direct,
                     .dim = dim,
                     .dim_v = dim_v,
                     .keys = std::max(dim, dim_v) > 64 ? 32 : 64,
                     .lanes = of.waves * atom.lanes,
                     .both = of.both};
      CAPTURE(isa::target(of.arch).name, dim, dim_v, of.direct, of.both);
      Layouts layouts(s);
      for (int lane = 0; lane < atom.lanes; ++lane)
        for (int e = 0; e < s.parts() * atom.items; ++e)
          CHECK(layouts.key(e) + lane / atom.extent * layouts.group_rows() ==
                atom.extent * (e / atom.items) + row_of(e % atom.items, lane, s));
      CHECK(layouts.partner() == atom.extent);
      check_keys(layouts, s);
      check_values(layouts, s);
      const auto read = [&](const LdsTile& t, const AddressSet::At& from) {
        return [&t, &s, from](int lane) { return address(t, from, lane, s); };
      };
      check_conflicts(s, 16, isa::LdsAccess::read, read(layouts.k, layouts.key_read(0, 0)));
      check_conflicts(s, of.direct ? 8 : 16, isa::LdsAccess::read, read(layouts.v, layouts.value_read(0, 0)));
      if (of.direct) continue;
      check_conflicts(s, 16, isa::LdsAccess::write,
                      [&](int item) { return at(layouts.k.loads.then(layouts.k.layout), "lane", item, "byte"); });
      if (of.arch == Arch::gfx950) continue;  // 16-byte stores of 32 keys: no swizzle suits them beside the reads
      check_conflicts(s, 2 * s.run(), isa::LdsAccess::write,
                      [&](int item) { return at(layouts.v.loads.then(layouts.v.layout), "lane", item, "byte"); });
    }
}

TEST_CASE("accesses a constant displacement apart share an address but for an exclusive or", "[layout][lds]") {
  std::mt19937 rng(3);
  for (int round = 0; round < 100; ++round) {
    isa::LinearLayout base({{"lane", 6}}, {{"byte", 13}});
    for (int i = 0; i < 6; ++i) base.move("lane", i, "byte", static_cast<uint32_t>(rng()) & 0xff0);
    AddressSet set(base, 16);
    for (int n = 0; n < 8; ++n) {
      const uint32_t displacement = static_cast<uint32_t>(rng()) & 0x1fff;
      const auto from = set.at(displacement);
      int wrong = 0;
      for (uint32_t lane = 0; lane < 64; ++lane) {
        const uint32_t address = base.at({{"lane", lane}}, "byte");
        const uint32_t start = (address ^ set.patterns()[from.address]) + static_cast<uint32_t>(from.offset);
        wrong += (start ^ static_cast<uint32_t>(from.first)) != (address ^ displacement) || start % 16;
      }
      CHECK(wrong == 0);
    }
  }
}

}  // namespace wavesmith::attention
