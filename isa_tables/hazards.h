// Hazards that need wait states between two instructions of one wave: rows of hazards.def, and a tracker that both the generator's
// pass and the simulator's checker feed instruction by instruction. An instruction is one wait state, s_nop n is n + 1.
#pragma once
#include <span>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Bits by which rows name producers and consumers. An instruction has several at once.
namespace hazard {
enum Class : uint32_t {
  xdl = 1, sgemm = 2, dgemm = 4, matrix = 7,               // matrix instructions: by the type they multiply
  valu = 8, non_trans = 16, dpp = 32,                      // VALU other than matrix
  lane_read = 64, lane_select = 128, lane_access = 256,    // v_readlane/v_readfirstlane; with a lane operand; either or v_writelane
  div_fmas = 512, zero_flag = 1024,                        // reads VCCZ or EXECZ as data
  vmem = 2048, lds_access = 4096, memory = vmem | lds_access, reads_m0 = 8192,
  valu_vgpr = 1 << 14, valu_sgpr = 1 << 15, valu_exec = 1 << 16, valu_mask = 1 << 17,   // VALU by what it writes; mask: VCC or EXEC
  trans = 1 << 18, partial = 1 << 19,                      // partial: SDWA or op_sel writes part of a register
  salu_m0 = 1 << 20, wide_store = 1 << 21,                 // more than 64 bits of data, no SGPR offset
};
inline constexpr uint32_t consumers = (1 << 14) - 1;
// How the registers must meet for the rule to hold.
enum class Link : uint8_t {
  always,
  reads, writes,                                           // the consumer reads or overwrites what the producer wrote
  srcab, srcc_same, srcc_overlap,                          // as SrcA or SrcB; as SrcC, same tuple; overlapping, or same tuple and other passes
  select,                                                  // as lane number
  over_srcc, over_data,                                    // the consumer overwrites the producer's SrcC, its store data
};
}  // namespace hazard

struct HazardRule {
  const char* name;
  ArchSet archs;
  uint32_t producer, consumer;                             // hazard::Class bits; one of each suffices
  hazard::Link link;
  std::array<uint8_t, 4> wait_states;                      // by producer passes 2, 4, 8, 16
  const char* source;
};
std::span<const HazardRule> hazard_rules();

// Refers to the instructions it was fed while they are in flight (20 wait states): they have to stay where they are as long.
class HazardTracker {
 public:
  explicit HazardTracker(Arch);
  struct Need {
    int wait_states = 0;                                   // still missing before the instruction may issue
    const HazardRule* rule = nullptr;                      // the row that demands them
    Inst producer{};
  };
  Need check(const Inst& next) const;
  // Missing wait states only, without the copy of the producer: what a hot path wants.
  int missing(const Inst& next) const { return find(next).wait_states; }
  void issue(const Inst&);
  void advance(int wait_states);
  // Both sides of a join: the younger of equal producers counts. Error: IsaError past 44 producers in flight (one path has at
  // most 20).
  void merge(const HazardTracker&);
  bool operator==(const HazardTracker&) const;
  bool idle() const { return size_ == 0; }

  HazardTracker(const HazardTracker& o) noexcept { *this = o; }
  HazardTracker& operator=(const HazardTracker&);          // copies what is in flight, not the capacity

 private:
  struct Span { uint16_t first = 0xffff, last = 0; bool operator==(const Span&) const = default; };
  struct Entry {
    int start = 0;                                         // time_ right behind the producer
    uint32_t classes = 0;
    uint8_t life = 0, passes = 0;                          // wait states after which no row can ask for more; index into the four columns
    Span writes[2], used;                                  // used: SrcC, or store data
    bool same(const Entry& o) const { return classes == o.classes && life == o.life && passes == o.passes && writes[0] == o.writes[0] && writes[1] == o.writes[1] && used == o.used; }
  };
  struct Uses;
  struct Found { int wait_states = 0; const HazardRule* rule = nullptr; int entry = -1; };
  Found find(const Inst&) const;
  static bool meets(const HazardRule&, const Entry&, const Uses&);
  static Span span(const Operand&);
  static Uses uses(const Inst&, uint32_t classes);
  void expire();

  static constexpr int longest = 20;                       // wait states, of all rows: as many producers can live on one path
  static constexpr int capacity = 64, join_limit = capacity - longest;
  const struct HazardIndex* index_ = nullptr;              // of the target, shared
  int time_ = 0, next_expiry_ = 0, size_ = 0;
  uint32_t live_ = 0;                                      // classes of all entries
  std::array<Entry, capacity> entries_;
  std::array<const Inst*, capacity> producers_;
};

}  // namespace wavesmith::isa
