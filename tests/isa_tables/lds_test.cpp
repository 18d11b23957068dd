// LDS phases and bank conflicts: expectations are the groups and times that timing.csv quotes from measurements.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include "isa_tables/lds.h"

namespace wavesmith::isa {

namespace {

// Cycles lost when lane l of `lanes` accesses address(l), all lanes active.
template <class F>
int lost(Family f, LdsAccess access, int bytes, int lanes, F address) {
  std::vector<uint32_t> at;
  for (int l = 0; l < lanes; ++l) at.push_back(static_cast<uint32_t>(address(l)));
  return lds_conflict_cycles(lds_phases(f, access, bytes), at, ~uint64_t{0}, bytes);
}

std::set<int> phase(Family f, LdsAccess access, int bytes, int number) {
  const LdsPhases& p = lds_phases(f, access, bytes);
  const auto first = p.order.begin() + number * p.lanes;
  return {first, first + p.lanes};
}

}  // namespace

TEST_CASE("the lanes of a phase are those measured", "[lds]") {
  CHECK(phase(Family::cdna3, LdsAccess::read, 16, 0) == std::set<int>{0, 1, 2, 3, 20, 21, 22, 23});
  CHECK(phase(Family::cdna3, LdsAccess::read, 16, 3) == std::set<int>{12, 13, 14, 15, 24, 25, 26, 27});
  CHECK(phase(Family::cdna3, LdsAccess::read, 16, 5) == std::set<int>{36, 37, 38, 39, 48, 49, 50, 51});
  CHECK(phase(Family::cdna3, LdsAccess::write, 16, 1) == std::set<int>{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(phase(Family::cdna4, LdsAccess::read, 16, 1) ==
        std::set<int>{4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 28, 29, 30, 31});
  CHECK(phase(Family::cdna4, LdsAccess::read, 12, 1) == std::set<int>{4, 5, 6, 7, 16, 17, 18, 19});
  CHECK(phase(Family::cdna4, LdsAccess::read, 8, 1).size() == 32);
  CHECK(phase(Family::gfx1250, LdsAccess::read, 16, 1).size() == 16);
  // nod-ai/amd-shark-ai, docs/empirical-lds: W7900 and RX 9070 XT.
  CHECK(phase(Family::rdna3, LdsAccess::read, 16, 1) == std::set<int>{4, 5, 6, 7, 16, 17, 18, 19});
  CHECK(phase(Family::rdna3, LdsAccess::read, 8, 1).size() == 16);
  CHECK(phase(Family::rdna4, LdsAccess::read, 16, 1) == std::set<int>{8, 9, 10, 11, 12, 13, 14, 15});
}

TEST_CASE("every width of every target serves each lane once, with no conflict when lanes are neighbours", "[lds]") {
  for (const Target& t : all_targets())
    for (const LdsAccess access : {LdsAccess::read, LdsAccess::write})
      for (const int bytes : {1, 2, 4, 8, 12, 16}) {
        INFO(t.name << " " << bytes << " bytes");
        const LdsPhases& p = lds_phases(t.family, access, bytes);
        CHECK(std::set<int>(p.order.begin(), p.order.begin() + t.wave_size).size() == static_cast<size_t>(t.wave_size));
        CHECK(*std::max_element(p.order.begin(), p.order.begin() + t.wave_size) == t.wave_size - 1);
        CHECK(p.lanes * std::max(bytes, 4) <= 4 * p.banks);
        if (bytes != 12) CHECK(lost(t.family, access, bytes, t.wave_size, [&](int l) { return l * bytes; }) == 0);
      }
}

// timing.csv, gfx942: ds_read_b32 at a stride of 32 dwords takes 64 cycles for 64 lanes; the same dword is broadcast.
TEST_CASE("strides and broadcasts cost what was measured on gfx942", "[lds]") {
  const auto read = [](int bytes, auto address) { return lost(Family::cdna3, LdsAccess::read, bytes, 64, address); };
  CHECK(read(4, [](int l) { return 128 * l; }) == 64 - 2);
  CHECK(read(4, [](int) { return 256; }) == 0);
  CHECK(read(4, [](int l) { return 8 * l; }) == 2);  // half the banks, each twice in both phases
  CHECK(read(16, [](int l) { return l % 16 * 128 + l / 16 * 16; }) ==
        8 * 3);  // eight rows of 128 bytes: lanes 0-3 meet in one column, 20-23 in the next
  CHECK(lost(Family::cdna4, LdsAccess::read, 4, 64, [](int l) { return 256 * l; }) == 63);
}

// As many dword accesses as a lane touches dwords, less the cycles of the aligned access.
TEST_CASE("an access that starts inside of a dword costs what its dwords cost one after the other", "[lds]") {
  const auto cycles = [](Family f, int lanes, int bytes, auto address) {
    std::vector<uint32_t> at;
    for (int l = 0; l < lanes; ++l) at.push_back(static_cast<uint32_t>(address(l)));
    return lds_conflict_cycles(f, LdsAccess::read, at, ~uint64_t{0}, bytes);
  };
  CHECK(cycles(Family::cdna3, 64, 4, [](int l) { return 4 * l; }) == 0);
  CHECK(cycles(Family::cdna3, 64, 4, [](int l) { return 4 * l + 1; }) == 2 * 2 - 2);
  CHECK(cycles(Family::cdna3, 64, 2, [](int l) { return 4 * l + 1; }) == 0);  // within the dword
  CHECK(cycles(Family::cdna3, 64, 2, [](int l) { return 4 * l + 3; }) == 2 * 2 - 2);
  CHECK(cycles(Family::cdna3, 64, 16, [](int l) { return 16 * l; }) == 0);
  CHECK(cycles(Family::cdna3, 64, 16, [](int l) { return 16 * l + 2; }) ==
        5 * 2 * 4 - 8);  // four lanes of a phase in each bank
  CHECK(cycles(Family::cdna3, 64, 16, [](int l) { return 16 * l + (l == 5 ? 2 : 0); }) > 0);
  CHECK(cycles(Family::rdna3, 32, 8, [](int l) { return 8 * l + 1; }) == 3 * 1 * 2 - 2);
}

TEST_CASE("inactive lanes cost nothing", "[lds]") {
  std::vector<uint32_t> apart(64);
  for (uint32_t l = 0; l < 64; ++l) apart[l] = 128 * l;
  const LdsPhases& p = lds_phases(Family::cdna3, LdsAccess::read, 4);
  CHECK(lds_conflict_cycles(p, apart, 0b11, 4) == 1);
  CHECK(lds_conflict_cycles(p, apart, 0b1, 4) == 0);
  CHECK_THROWS_WITH(lds_phases(Family::cdna3, LdsAccess::read, 20),
                    Catch::Contains("20 bytes") && Catch::Contains("12 16"));
}

}  // namespace wavesmith::isa
