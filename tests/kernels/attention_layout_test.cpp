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

// K, and V as in memory: 16 bytes of a row for each work-item, directly in the order of the lanes.
Memory rows(const LdsTile& t, bool direct) {
  Memory lds;
  for (int item = 0; item < lanes; ++item)
    for (int e = 0; e < 8; ++e) {
      const uint32_t place =
          direct ? 16u * static_cast<uint32_t>(item) : at(t.loads.then(t.layout), "lane", item, "byte");
      lds[place + 2u * static_cast<uint32_t>(e)] = {static_cast<int>(at(t.loads, "lane", item, "row")),
                                                    static_cast<int>(at(t.loads, "lane", item, "chunk")) * 8 + e};
    }
  return lds;
}
// V, four keys of a column in 8 bytes.
Memory columns(Layouts& layouts) {
  Memory lds;
  const LdsTile& t = layouts.v;
  for (int item = 0; item < lanes; ++item)
    for (int odd : {0, 1}) {
      const auto to = layouts.value_store(odd);
      const uint32_t place = (at(t.loads.then(t.layout), "lane", item, "byte") ^ t.stores.patterns()[to.address]) +
                             static_cast<uint32_t>(to.offset);
      for (int i = 0; i < 4; ++i)
        lds[place + 2u * static_cast<uint32_t>(i)] = {static_cast<int>(at(t.loads, "lane", item, "key")) + i,
                                                      static_cast<int>(at(t.loads, "lane", item, "column")) + odd};
    }
  return lds;
}

uint32_t address(const LdsTile& t, const AddressSet::At& from, int lane) {
  const uint32_t first =
      t.reads.at({{"query", static_cast<uint32_t>(lane % 32)}, {"chunk", static_cast<uint32_t>(lane / 32)}}, "byte");
  return (first ^ t.fragments.patterns()[from.address]) + static_cast<uint32_t>(from.offset);
}
// CDNA3 ISA 7.1.4, of a 32x32 result: the row of a register.
int row_of(int reg, int lane) { return 8 * (reg / 4) + 4 * (lane / 32) + reg % 4; }

void check_keys(Layouts& layouts, const Shapes& s) {
  const Memory lds = rows(layouts.k, s.direct);
  int wrong = 0;
  for (int part = 0; part < s.keys / 32; ++part)
    for (int step = 0; step < s.dim / 16; ++step)
      for (int lane = 0; lane < 64; ++lane)
        for (int e = 0; e < 8; ++e)
          wrong += lds.at(address(layouts.k, layouts.key_read(part, step), lane) + 2u * static_cast<uint32_t>(e)) !=
                   Element{32 * part + lane % 32, 16 * step + 8 * (lane / 32) + e};
  CHECK(wrong == 0);
}

void check_values(Layouts& layouts, const Shapes& s) {
  const Memory lds = s.direct ? rows(layouts.v, true) : columns(layouts);
  const int got = layouts.value_elements();
  int wrong = 0;
  for (int d = 0; d < s.dim_v / 32; ++d)
    for (int e = 0; e < s.keys / 2; ++e)
      for (int lane = 0; lane < 64; ++lane) {
        const auto from = layouts.value_read(e / got * got, d);
        // CDNA4 ISA 11.4: of the four lanes that supply a row of 16 columns, the one that has the lane's column.
        const int supplier = s.direct ? lane / 16 * 16 + 4 * (e % 4) + lane % 16 / 4 : lane,
                  part = s.direct ? lane % 4 : e % got;
        const uint32_t byte =
            address(layouts.v, from, supplier) + (2u * static_cast<uint32_t>(part) ^ static_cast<uint32_t>(from.first));
        wrong += lds.at(byte) != Element{32 * (e / 16) + row_of(e % 16, lane), 32 * d + lane % 32};
      }
  CHECK(wrong == 0);
}

void check_conflicts(const Shapes& s, int bytes, isa::LdsAccess kind, const std::function<uint32_t(int)>& address) {
  for (int wave = 0; wave < (kind == isa::LdsAccess::write ? waves : 1); ++wave) {
    std::vector<uint32_t> all;
    for (int lane = 0; lane < 64; ++lane) all.push_back(address(64 * wave + lane));
    CHECK(isa::lds_conflict_cycles(isa::target(s.arch).family, kind, all, ~uint64_t{0}, bytes) == 0);
  }
}

}  // namespace

TEST_CASE("attention multiplies the elements that its fragments stand for, without LDS conflicts",
          "[attention][layout]") {
  using isa::Arch, isa::Opcode;
  for (const auto& [arch, mma, direct] : {std::tuple(Arch::gfx90a, Opcode::v_mfma_f32_32x32x8_f16, false),
                                          {Arch::gfx942, Opcode::v_mfma_f32_32x32x8_bf16, false},
                                          {Arch::gfx950, Opcode::v_mfma_f32_32x32x16_bf16, true}})
    for (const int dim : {64, 128})
      for (const int dim_v : {64, 128}) {
        const Shapes s{mma, arch, direct, dim, dim_v, tile_bytes / 2 / std::max(dim, dim_v)};
        CAPTURE(isa::target(arch).name, dim, dim_v);
        Layouts layouts(s);
        for (int lane : {0, 1, 31, 32, 63})
          for (int e = 0; e < s.keys / 2; ++e)
            CHECK(layouts.key(e) + lane / 32 * layouts.chunk_rows() == 32 * (e / 16) + row_of(e % 16, lane));
        CHECK(layouts.partner() == 32);
        check_keys(layouts, s);
        check_values(layouts, s);
        const auto read = [&](const LdsTile& t, const AddressSet::At& from) {
          return [&t, from](int lane) { return address(t, from, lane); };
        };
        check_conflicts(s, 16, isa::LdsAccess::read, read(layouts.k, layouts.key_read(0, 1)));
        check_conflicts(s, direct ? 8 : 16, isa::LdsAccess::read, read(layouts.v, layouts.value_read(0, 1)));
        if (direct) continue;
        check_conflicts(s, 16, isa::LdsAccess::write,
                        [&](int item) { return at(layouts.k.loads.then(layouts.k.layout), "lane", item, "byte"); });
        check_conflicts(s, 8, isa::LdsAccess::write,
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
