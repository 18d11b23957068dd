// Values of registers that follow from lane and wave numbers only, as most LDS addresses do. A value is a number for
// "this instruction on these values"; its lanes are computed on demand, by the simulator's semantics, for every wave of
// the largest workgroup.
#pragma once
#include <memory>
#include <optional>

#include "checker/check.h"

namespace wavesmith::checker {

using Value = int32_t;                             // from 1 on: known
inline constexpr Value unknown = 0, uniform = -1;  // uniform: unknown, but the same in all waves of a workgroup

// By register number: the values of the registers that somebody asks for; the others are unknown.
class RegisterValues {
 public:
  // Where a register's value is: 0 for those that nobody asks for, the others in order.
  struct Places {
    std::array<uint16_t, isa::reg_numbers> of{};
    std::vector<uint16_t> registers{0};  // by place
    explicit Places(const RegBits& asked);
  };
  RegisterValues() = default;
  explicit RegisterValues(const Places& p) : places_(&p), values_(p.registers.size(), unknown) {}
  Value operator[](size_t reg) const { return values_[places_->of[reg]]; }
  void set(size_t reg, Value v) {
    if (const size_t place = places_->of[reg]) values_[place] = v;
  }
  // f(register, value, the other's value), which returns the new value, where they differ. Returns whether it changed.
  template <class F>
  bool join(const RegisterValues& o, F&& f) {
    bool changed = false;
    for (size_t p = 1; p < values_.size(); ++p) {
      if (values_[p] == o.values_[p]) continue;
      const Value joined = f(places_->registers[p], values_[p], o.values_[p]);
      changed |= joined != values_[p], values_[p] = joined;
    }
    return changed;
  }

 private:
  const Places* places_ = nullptr;
  std::vector<Value> values_;
};

struct Values {  // of all registers at one point of the code
  RegisterValues of;
  std::array<Value, 2> within{};  // EXEC is unknown, but a subset of this mask, which the code has saved
  std::array<Value, 128> part{};  // by scalar register: unknown, but a subset of this mask
  std::array<uint64_t, scalar_base / 64>
      inner{};               // VGPRs whose values are valid only in the lanes of the current EXEC, which is unknown
  bool lanes_split = false;  // since a branch on EXEC or VCC: values that differ where paths join differ between waves
  // After a branch that waves may take differently, it is unknown which waves are here. One more than the number of the
  // post-dominator block, or `for_good` if there is none, or a barrier before it.
  int waves_split = 0;
  static constexpr int for_good = -1;
  uint32_t here = 0;  // then one bit per wave that may be here according to the conditions; 0: unknown
};

// LDS bytes that one execution by each wave accesses.
struct Bytes {
  uint32_t dword, dwords, waves;
  uint8_t mask;
  uint32_t end() const { return dword + dwords; }
};  // one bit per wave; one bit per byte of a dword
struct LdsTouch {
  // By dword. A dword accessed whole is listed once, and as one of several where neighbours have the same waves, unless
  // some dword is accessed in parts. Empty with one wave only.
  std::vector<Bytes> bytes;
  bool writes = false, atomic = false;
  bool from_memory = false;      // a load into LDS: not in order with the wave's own accesses
  uint64_t conflict_cycles = 0;  // of all waves
  std::string fault;             // out of bounds or misaligned, in the first lane
  bool refused = false;          // the same in some lane
  bool generic = false;          // FLAT: for the lanes whose address is known to be in LDS
  bool sampled = false;          // at data-dependent addresses: any wave, at a sample of the possible ones
  uint32_t lowest = UINT32_MAX;  // byte
  int number = 0;                // of this one among the evaluator's
};

// The registers that determine the LDS addresses of an access or the tile of the tensor data mover; for FLAT, its whole
// address.
isa::Few<int, 16> lds_address_registers(const Item&);

class Evaluator {
 public:
  using Shape = std::array<uint32_t, 3>;  // of a workgroup, work-items
  // first_group: workgroup 0 of the grid, which always exists; FLAT accesses are analysed too.
  enum class Assume : uint8_t { nothing, first_group };
  // `asked`: the registers of which values matter.
  Evaluator(const Code&, const Entry&, const sim::KernelInfo&, const RegBits& asked, Shape, Assume = Assume::nothing);
  ~Evaluator();
  int waves() const;
  Values entry() const;
  Values nothing() const;  // no value is known
  void step(const Item&, Values&);
  // Returns whether `into` changed.
  bool join(Values& into, const Values& from);
  bool lanes_known(const Values&) const;
  // Restricts the values to the waves that take, or do not take, a conditional branch. False: none.
  bool narrow(const Item&, Values&, bool taken) const;
  // Whether all relevant waves take the conditional branch; none: some may, some may not.
  std::optional<bool> taken(const Item&, const Values&);
  // nullptr if the address is unknown. Where the active lanes are unknown, all that may be active count. Owned by the
  // evaluator.
  const LdsTouch* touch(const Item&, const Values&);

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

// Faults of LDS addresses, the order of LDS accesses between waves, and bank conflicts.
class Report;
void check_lds(const Code&, const Entry&, const sim::KernelInfo&, Report&, const Options&);

}  // namespace wavesmith::checker
