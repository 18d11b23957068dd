// Hazards that require something between two instructions of one wave: rows of hazards.def, and a tracker that the
// generator's pass, the checker and the simulator feed instruction by instruction. An instruction is one wait state,
// s_nop n is n + 1; some rows count VALU instructions instead, and some end only at an ALU wait.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

// Classes of producers and consumers, as bits. An instruction can be in several.
namespace hazard {
using Classes = uint64_t;
constexpr Classes at(int n) { return Classes{1} << n; }
inline constexpr Classes
    // -- both sides --
    xdl = at(0),
    sgemm = at(1), dgemm = at(2),                             // MFMA and SMFMAC by the type they multiply
    wmma = at(3), swmmac = at(4), wmma_valu = at(5),          // WMMA dense, sparse, and on the VALU pipe (f32)
    matrix = at(6) - 1, acc_read = at(6), acc_write = at(7),  // v_accvgpr_read, v_accvgpr_write
    dot = at(8), setreg = at(9),
    // -- consumers --
    valu = at(10), non_trans = at(11), dpp = at(12),  // VALU other than matrix
    lane_read = at(13), lane_select = at(14),
    lane_access = at(15),  // v_readlane/v_readfirstlane; with a lane operand; either or v_writelane
    permlane_swap = at(16), permlane = at(17), div_fmas = at(18),
    zero_flag = at(19),  // zero_flag: reads VCCZ or EXECZ as data
    vmem = at(20), lds_access = at(21), memory = vmem | lds_access, reads_m0 = at(22), getreg = at(23),
    vgpr_msb = at(24), scalar = at(25), lds_dma = at(26),
    buffer_to_lds = at(27),                        // loads from memory into LDS: global and scratch ones, buffer loads
    async_arrive = at(28), getreg_state = at(29),  // s_getreg of the wave's status or exceptions (gfx12)
    consumers = at(30) - 1,
    // -- producers --
    valu_vgpr = at(32), valu_v = at(33), valu_a = at(34), valu_sgpr = at(35), valu_exec = at(36),
    valu_mask = at(37),                // VALU by what it writes; mask: VCC or EXEC
    trans = at(38), partial = at(39),  // partial: SDWA or op_sel writes part of a register
    salu_m0 = at(40), wide_store = at(41),
    wide_store_sgpr = at(48),  // more than 64 bits of data; with an SGPR as offset
    valu_then_acc = at(42),    // VALU result directly followed by a v_accvgpr_*
    wmma_8bit = at(43),        // f8f6f4 with an 8-bit operand
    priority = at(44),         // s_setprio, s_sethalt
    valu_not_dot = at(47),     // valu_vgpr without dot products
    reused_salu = at(45),
    reused_valu = at(46);  // writes an SGPR that a VALU instruction has read (as a mask, for reused_mask)
// How the registers must overlap for the rule to apply.
enum class Link : uint8_t {
  always,
  reads,
  writes,  // the consumer reads or overwrites the producer's result
  reads_value,
  reads_mask,  // reads it, but not as a lane mask (carry in); as a lane mask
  srcab,
  srcc_same,
  srcc_overlap,
  srcc_partial,   // as SrcA, SrcB, index or scale; as SrcC, same tuple; overlapping, or same tuple and other passes;
                  // overlapping only
  srcc,           // as SrcC in any way
  srcc_other_op,  // as SrcC, same tuple and passes, but another opcode
  select,         // as lane number
  dpp_source,     // as the source that DPP moves between lanes
  over_srcc,
  over_sources,
  over_data,        // the consumer overwrites the producer's SrcC, any source, its store data
  over_first_data,  // the first register of the store data
  over_other_data,  // another register of the store data
  reads_other_op,   // reads, but not as the accumulator of a chain of the same opcode
  writes_other_op,
  same_hwreg,  // the same hardware register number
  reuse,       // SGPR pairs that VALU has read before, written, and read again
  mask_reuse,  // SGPRs that VALU has read as a lane mask, written, and read again
  forwarded,   // reads a result from before and one from after a write of EXEC by SALU, close together
};
// What ends the hazard: wait states; VALU instructions (v_nop too, or real ones only); a zero in a field of
// s_waitcnt_depctr, which is s_wait_alu from gfx12 on. va_vdst: the counted VALU instructions, or two transcendental
// ones, end it too. vm_vsrc and idle (all fields zero) end only at the wait, however far away it is.
enum class Fix : uint8_t { s_nop, v_nop, valu_op, va_vdst, sa_sdst, va_sdst, vm_vsrc, idle };
const char* alu_wait_text(Fix);  // what the wait has: "va_vdst(0)"; empty if the row ends by itself
}  // namespace hazard

struct HazardRule {
  const char* name;
  ArchSet archs;
  hazard::Classes producer, consumer;  // one bit of each suffices
  hazard::Link link;
  std::array<uint8_t, 4> wait_states;  // by producer passes 2 (or fewer), 4, 8, 16
  hazard::Fix fix;
  const char* source;
  bool advice = false;  // stricter than silicon seems to be: our generator obeys it, other kernels get a warning
  bool wave64 = false;  // for waves of 64 lanes only
};
std::span<const HazardRule> hazard_rules();
// Can the opcode be this side of the row for some operands? For listings.
bool can_produce(const HazardRule&, const Info&, Arch);
bool can_consume(const HazardRule&, const Info&, Arch);

// Keeps references to the instructions it was fed for 20 wait states: they must not move or be destroyed for that long.
class HazardTracker {
 public:
  explicit HazardTracker(Arch, int lanes = 0);  // lanes of a wave; 0: the target's own
  struct Need {
    int wait_states = 0;  // still missing before the instruction may issue, in the unit of rule->fix; 1 for ALU waits
    const HazardRule* rule = nullptr;  // the row that requires them
    Inst producer{};
    std::string missing() const;  // "2 more wait states", "an ALU wait with vm_vsrc(0)"
  };
  Need check(const Inst& next) const;
  // Only the missing wait states, without copying the producer; for hot paths.
  int missing(const Inst& next) const { return find(next).wait_states; }
  // True if wait states resolve everything, so that advance(missing()) suffices.
  bool resolved_by_wait_states() const;
  // The fewest instructions before `next` that resolve its hazards; they are issued. Empty: nothing is missing.
  Few<Inst, 24> resolve(const Inst& next);
  void issue(const Inst&);
  void advance(int wait_states);
  // Unknown code has run: VALU may have read any SGPR.
  void assume_sgprs_read() { reuse_.read.bits.fill(~uint64_t{0}); }
  // Merges two states at a control flow join: of equal producers the younger counts.
  void merge(const HazardTracker&);
  bool operator==(const HazardTracker&) const;
  bool identical(const HazardTracker&) const;  // also refers to the same instructions
  bool idle() const { return entries_.empty() && !reuse_.any() && until_wait_ == decltype(until_wait_){}; }

 private:
  enum Clock : uint8_t { states, valus, real_valus, clocks };
  static Clock clock(hazard::Fix);
  struct Span {
    uint16_t first = 0xffff, last = 0;
    bool operator==(const Span&) const = default;
  };
  // A bit for every four registers, the next 512 again from the first bit: tuples that overlap have a bit in common.
  struct Near {
    std::array<uint64_t, 2> bits{};
    void add(Span);
    bool meets(const Near& o) const { return (bits[0] & o.bits[0]) | (bits[1] & o.bits[1]); }
  };
  struct Entry {
    std::array<int, clocks> start{};  // times_ right after the producer
    hazard::Classes classes = 0;
    std::array<uint8_t, clocks> life{};   // after which no row can require more
    uint8_t passes = 0, trans_since = 0;  // index into the four columns; transcendental instructions since
    uint8_t since_exec = long_ago,
            until_exec = long_ago;     // VALU instructions between SALU's last write of EXEC and it; from it to those
                                       // after, a bit each (0 to 2)
    Opcode op{};                       // where a row requires it
    Span writes[2], used, sources[3];  // used: SrcC, or store data
    Near registers{};                  // that these name
    const Inst* inst = nullptr;
    bool same(const Entry& o) const {
      return classes == o.classes && life == o.life && passes == o.passes && trans_since == o.trans_since &&
             since_exec == o.since_exec && until_exec == o.until_exec && op == o.op && writes[0] == o.writes[0] &&
             writes[1] == o.writes[1] && used == o.used && std::equal(sources, sources + 3, o.sources);
    }
  };
  // Pairs of SGPRs that VALU has read, and the SGPRs of them that were overwritten since: a hazard until the next ALU
  // wait.
  struct Sgprs {
    std::array<uint64_t, 2> bits{};
    Sgprs& operator|=(const Sgprs& o) {
      bits[0] |= o.bits[0], bits[1] |= o.bits[1];
      return *this;
    }
    Sgprs operator&(const Sgprs& o) const { return {{bits[0] & o.bits[0], bits[1] & o.bits[1]}}; }
    Sgprs without(const Sgprs& o) const { return {{bits[0] & ~o.bits[0], bits[1] & ~o.bits[1]}}; }
    bool any() const { return bits[0] || bits[1]; }
    bool operator==(const Sgprs&) const = default;
  };
  struct Reuse {
    Sgprs read, by_salu, by_valu;  // read: both of a pair
    const Inst* salu = nullptr;
    const Inst* valu = nullptr;
    bool any() const { return by_salu.any() || by_valu.any(); }
    bool operator==(const Reuse& o) const { return read == o.read && by_salu == o.by_salu && by_valu == o.by_valu; }
  };
  static Sgprs sgprs(const Operand&);
  static Sgprs sgprs(const Inst&, bool written);
  struct Uses;
  struct Found {
    int wait_states = 0;
    const HazardRule* rule = nullptr;
    const Inst* producer = nullptr;
  };
  Found find(const Inst&) const;
  Found find_reuse(const Inst&, hazard::Classes) const;
  Found find_forwarded(const Inst&, hazard::Classes) const;
  static bool meets(const HazardRule&, const Entry&, const Uses&);
  static Span span(const Operand&);
  static Near named_by(const Inst&, hazard::Classes);  // all registers that uses() may have
  Uses uses(const Inst&, hazard::Classes) const;
  uint8_t passes_of(const Inst&) const;
  Entry produced(const Inst&) const;
  void add(Entry, const Inst&);
  void acc_after_valu(const Inst&);
  void reuse_issue(const Inst&);
  void mask_issue(const Inst&);
  void forwarding_issue(const Inst&);
  Found find_until_wait(const Inst&, hazard::Classes) const;
  void alu_wait(const Inst&);
  void end_rules(hazard::Fix);
  void expire();

  static constexpr uint8_t long_ago = 15;
  const struct HazardIndex* index_ = nullptr;  // of the target, shared
  std::array<int, clocks> times_{};
  int next_expiry_ = 0;
  uint8_t since_exec_ = long_ago;
  hazard::Classes live_ = 0;  // classes of all entries
  Reuse reuse_;
  std::array<const Inst*, 3> until_wait_{};  // by such row of the target: its first producer since the wait
  std::vector<Entry> entries_;
};

}  // namespace wavesmith::isa
