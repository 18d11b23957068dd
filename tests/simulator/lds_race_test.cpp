// Atomic operations of one wave against plain reads of another.
#include <random>

#include "simulator/races.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

// Two waves: the second adds to a word of LDS that the first one reads, with `after` following the read.
std::string reads_and(const std::string& after) {
  Bench b;
  b.launch.block = {128, 1, 1};
  const auto r = b.run(
      "v_mov_b32 v3, 0\nv_mov_b32 v4, 1\nv_readfirstlane_b32 s8, v0\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lfirst\n"
      "ds_add_u32 v3, v4\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_endpgm\n"
      ".Lfirst: ds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\n" +
          after + "s_barrier\ns_endpgm\n",
      64);
  return r.fault ? fmt::format("{} {}", name(r.fault->kind), r.fault->text) : "none";
}

}  // namespace

TEST_CASE(
    "a plain read of what another wave changes atomically is a race unless its wave follows it with an atomic "
    "operation",
    "[sim][race]") {
  CHECK(reads_and("").starts_with("LDS race"));
  CHECK(reads_and("ds_cmpst_rtn_b32 v6, v3, v5, v4\ns_waitcnt lgkmcnt(0)\n") ==
        "none");  // a compare-and-swap loop's one turn
  CHECK(reads_and("ds_add_u32 v3, v4 offset:4\ns_waitcnt lgkmcnt(0)\n").starts_with("LDS race"));  // another place
}

TEST_CASE("a load before a compare-and-swap of the same address is an atomic load, whether it swaps or not",
          "[sim][race]") {
  // As in a hash table, whose word may have another key by now.
  const auto searched = [](const std::string& before, const std::string& offset = "") {
    return reads_and("v_cmp_eq_u32 vcc, 7, v5\ns_cbranch_vccz .Lnext\n" + before + "ds_cmpst_rtn_b32 v6, v3, v5, v4" +
                     offset + "\ns_waitcnt lgkmcnt(0)\n.Lnext:\n");
  };
  CHECK(searched("") == "none");
  CHECK(searched("v_add_u32 v3, 4, v3\n").starts_with("LDS race"));
  CHECK(searched("", " offset:4").starts_with("LDS race"));
  CHECK(searched("s_barrier\n").starts_with("LDS race"));
}

TEST_CASE("a load that a loop repeats until its value ends it is an atomic load", "[sim][race]") {
  // Two waves: the second one sets a word of LDS atomically; the first one waits for it, with the first turn of the
  // loop before it or not.
  const auto waits = [](const std::string& loop, const std::string& set = "ds_or_b32 v3, v4") {
    std::vector<std::string> found;
    for (const char* order : {"round-robin", "random:1", "random:2"}) {
      Bench b;
      b.launch.block = {128, 1, 1};
      sim::parse_order(order, b.options);
      const auto r = b.run(
          "v_mov_b32 v3, 0\nv_mov_b32 v4, 1\nv_mov_b32 v6, 0\nv_readfirstlane_b32 s8, v0\n"
          "ds_write_b32 v3, v6\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_cmp_eq_u32 s8, 0\n"
          "s_cbranch_scc1 .Lfirst\n" +
              set + "\ns_waitcnt lgkmcnt(0)\ns_endpgm\n.Lfirst:\n" + loop + "s_endpgm\n",
          64);
      found.push_back(r.fault ? std::string(name(r.fault->kind)) : "none");
    }
    return found;
  };
  const std::vector<std::string> none(3, "none"), race(3, "LDS race");
  const std::string load = "ds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\nv_cmp_eq_u32 vcc, 0, v5\n";
  CHECK(waits(".Lw:\n" + load + "s_cbranch_vccnz .Lw\n") == none);
  CHECK(waits(load + "s_cbranch_vccz .Ld\n.Lw:\ns_sleep 1\n" + load + "s_cbranch_vccnz .Lw\n.Ld:\n") == none);
  CHECK(waits(".Lw:\nds_read_b32 v5, v3\ns_waitcnt lgkmcnt(0)\nv_readfirstlane_b32 s9, v5\ns_cmp_eq_u32 s9, 0\n"
              "s_cbranch_scc1 .Lw\n") == none);
  CHECK(waits(load) == race);  // no loop
  CHECK(waits("s_mov_b32 s9, 3\n.Lw:\n" + load + "s_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 .Lw\n") ==
        race);  // which its value does not end
  CHECK(waits(".Lw:\n" + load + "ds_write_b32 v3, v6 offset:8\ns_waitcnt lgkmcnt(0)\ns_cbranch_vccnz .Lw\n") ==
        race);  // which does more
  CHECK(waits("v_mov_b32 v3, -4\n.Lw:\nv_add_u32 v3, 4, v3\n" + load + "s_cbranch_vccnz .Lw\n",
              "ds_or_b32 v3, v4")[0] == "LDS race");                                       // a search
  CHECK(waits(".Lw:\n" + load + "s_cbranch_vccnz .Lw\n", "ds_write_b32 v3, v4") == race);  // not set atomically
}

TEST_CASE("the LDS counter alone says when the LDS part of a FLAT access is done", "[sim][race]") {
  // Two waves exchange words: written by FLAT, read after a barrier.
  const auto exchanged = [](const char* target, const char* wait) {
    Bench b;
    b.launch.block = {128, 1, 1};
    Assembly a{
        fmt::format("v_lshlrev_b32 v2, 2, v0\ns_mov_b64 s[8:9], src_shared_base\nv_mov_b32 v3, s9\n"
                    "flat_store_dword v[2:3], v0\n{}\ns_barrier\nv_sub_u32 v4, 0x7f, v0\n"
                    "v_lshlrev_b32 v4, 2, v4\nds_read_b32 v5, v4\ns_endpgm\n",
                    wait)};
    a.target = target, a.lds = 512;
    const auto r = b.run(a.build());
    return r.fault ? std::string(name(r.fault->kind)) : "none";
  };
  for (const char* target : {"gfx90a", "gfx942", "gfx950"}) {
    CAPTURE(target);
    CHECK(exchanged(target, "s_waitcnt lgkmcnt(0)") == "none");
    CHECK(exchanged(target, "s_waitcnt vmcnt(0)") == "LDS race");
    CHECK(exchanged(target, "s_nop 0") == "LDS race");
  }
}

TEST_CASE("a finding names an access of another wave whose place is known, however many have read", "[sim][race]") {
  sim::Races races;
  races.reset(64, true);
  const std::array readers{2, 0, 1};
  for (const int wave : readers) {
    races.step = 10 + wave;
    CHECK_FALSE(races.access(0, 4, wave, sim::LdsUse::read));
  }
  races.step = 20;
  const auto found = races.access(0, 4, 3, sim::LdsUse::write);
  REQUIRE(found);
  CHECK(found->step == 10 + found->wave);
}

TEST_CASE("reads and writes of any width race exactly where some byte of theirs does", "[sim][race]") {
  constexpr uint32_t size = 64, waves = 4;
  struct Byte {
    uint32_t readers = 0, writers = 0;
  };  // since the last barrier
  std::mt19937 random(1);
  int raced = 0;
  for (int round = 0; round < 3000; ++round) {
    sim::Races races;
    races.reset(size, true);
    std::array<Byte, size> bytes{};
    for (int i = 0; i < 60; ++i) {
      if (random() % 4 == 0) races.barrier(), bytes = {};
      const uint32_t width = std::array{1u, 2u, 4u, 8u, 12u, 16u}[random() % 6], unit = std::min(width, 4u),
                     address = random() % ((size - width) / unit + 1) * unit;
      const int wave =
          static_cast<int>(random() % (random() % 4 ? 2 : waves));  // two of them mostly, or every round ends at once
      const bool write = random() % 10 == 0;
      bool conflict = false;
      for (uint32_t b = address; b < address + width; ++b)
        conflict |= ((bytes[b].writers | (write ? bytes[b].readers : 0)) & ~(1u << wave)) != 0;
      const auto use = write ? sim::LdsUse::write : sim::LdsUse::read;
      const bool unopposed = width == 16  ? races.unopposed<16>(&address, 1, wave, use)
                             : width == 8 ? races.unopposed<8>(&address, 1, wave, use)
                                          : width == 4 && races.unopposed<4>(&address, 1, wave, use);
      REQUIRE(!(unopposed && conflict));
      const auto found = unopposed ? std::nullopt : races.access(address, width, wave, use);
      REQUIRE(found.has_value() == conflict);
      if (conflict) {
        ++raced;
        const uint32_t b = found->address;  // where the cell begins that the byte is in
        REQUIRE((b + 16 > address && b < address + width && found->wave != wave));
        break;
      }
      for (uint32_t b = address; b < address + width; ++b) (write ? bytes[b].writers : bytes[b].readers) |= 1u << wave;
    }
  }
  CHECK(raced > 1000);
  CHECK(raced < 2900);  // some go on for long
}
