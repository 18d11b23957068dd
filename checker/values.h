// Which registers hold something that follows from the numbers of a lane and its wave alone, and what: LDS addresses
// mostly do. A value is a number for "this instruction on these values"; what it is in each lane is only worked out
// when asked, by the simulator's own semantics, for every wave of the largest work-group.
#pragma once
#include <memory>
#include <optional>

#include "checker/check.h"

namespace wavesmith::checker {

using Value = int32_t;                             // from 1 on: known
inline constexpr Value unknown = 0, uniform = -1;  // uniform: not known, but the same in all waves of a work-group

struct Values {  // of all registers at a place
  std::vector<Value> of = std::vector<Value>(isa::reg_words * 64, unknown);
  std::array<Value, 2> within{};  // EXEC is not known, but part of this mask, which the code has kept
  std::array<Value, 128> part{};  // by scalar register: not known, but no bits beyond this mask's
  std::array<uint64_t, scalar_base / 64>
      inner{};               // VGPRs whose values hold only for lanes of the present EXEC, which is not known
  bool lanes_split = false;  // since a branch on EXEC or VCC: what differs where paths join, differs between waves
  // Behind a branch that waves may take differently: which ones are here is not known. One more than the number of the
  // block where they meet again, or `for_good`, because there is none, or a barrier before.
  int waves_split = 0;
  static constexpr int for_good = -1;
  uint32_t here = 0;  // then, a bit each: no waves but these, which the conditions on the way say; 0: not known
};

// LDS bytes that one execution by each wave touches.
struct Bytes {
  uint32_t dword, waves;
  uint8_t mask;
};  // a bit a wave; a bit a byte of the dword
struct LdsTouch {
  std::vector<Bytes> bytes;  // a dword accessed whole stands here once; with one wave only: none
  bool writes = false, atomic = false;
  bool from_memory = false;                    // a load into LDS: not in order with the wave's own accesses
  uint64_t accesses = 0, conflict_cycles = 0;  // of all waves
  std::string fault;                           // out of bounds, misaligned, already in the first lane
  bool refused = false;                        // so in some lane
  bool generic = false;                        // FLAT: of the lanes whose address is known to be of LDS
  bool sampled = false;                        // at addresses that data make: any wave, some of those it may have
  uint32_t lowest = UINT32_MAX;                // byte
};

// The registers that the LDS addresses of an access, or the tile of the tensor data mover, follow from; of FLAT, its
// whole address.
std::vector<int> lds_address_registers(const Item&);

class Evaluator {
 public:
  using Shape = std::array<uint32_t, 3>;  // of a work-group, work-items
  // first_group: the work-group is number 0 of the grid, which is always there, and FLAT accesses are looked at too.
  enum class Assume : uint8_t { nothing, first_group };
  Evaluator(const Code&, const Entry&, const sim::Kernel&, Shape, Assume = Assume::nothing);
  ~Evaluator();
  int waves() const;
  Values entry() const;
  void step(const Item&, Values&);
  // Whether `into` changed.
  bool join(Values& into, const Values& from);
  bool lanes_known(const Values&) const;
  // Behind a conditional branch that is taken, or not: which waves still are there. False: none.
  bool narrow(const Item&, Values&, bool taken) const;
  // Whether all waves that matter take the conditional branch; nothing: some may, some may not.
  std::optional<bool> taken(const Item&, const Values&);
  // Nothing if the address is not known. Where the active lanes are not known all that may be are taken. Owned by the
  // evaluator.
  const LdsTouch* touch(const Item&, const Values&);

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

// The fault in LDS addresses, the order of LDS accesses between waves, and bank conflicts.
class Report;
void check_lds(const Code&, const Entry&, const sim::Kernel&, Report&, const Options&);

}  // namespace wavesmith::checker
