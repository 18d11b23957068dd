// The evaluator of values: the simulator's registers for every wave of a workgroup, the instructions that defined each
// value, and their results once computed. values.h is the interface for the rules.
#pragma once
#include <map>
#include <unordered_map>

#include "checker/in_flight.h"
#include "checker/values.h"
#include "isa_tables/opcodes.h"
#include "simulator/launch.h"
#include "simulator/observer.h"

namespace wavesmith::checker {

namespace sreg = isa::sreg;
constexpr int exec_lo = scalar_base + sreg::exec;
constexpr bool is_vector_number(int reg) { return reg < scalar_base; }

// The register contents of all waves: 64 lanes of each, or one scalar of each.
struct Data {
  std::vector<uint32_t> bits;
  std::vector<uint64_t> valid;  // lanes, by wave; scalars: all or none
};

bool reads_other_lanes(const Inst&);
inline bool is_or(Opcode op) { return op == Opcode::s_or_b32 || op == Opcode::s_or_b64; }
inline bool is_and(Opcode op) { return op == Opcode::s_and_b32 || op == Opcode::s_and_b64; }
inline bool is_and_not(Opcode op) { return op == Opcode::s_andn2_b32 || op == Opcode::s_andn2_b64; }
inline bool is_and_save(Opcode op) { return op == Opcode::s_and_saveexec_b32 || op == Opcode::s_and_saveexec_b64; }
bool is_move(const Inst&);

// A workgroup's state. A thread keeps one for its next evaluator: to get the memory anew would take a tenth of a check.
// What registers and LDS held before has no effect: results follow from values that are written before.
struct GroupState {
  sim::Workgroup group{};
  std::vector<sim::Wave> waves;
  std::vector<uint32_t> registers;
};
class LentGroup {
 public:
  LentGroup() : state_(spare_ ? std::move(spare_) : std::make_unique<GroupState>()) {}
  LentGroup(const LentGroup&) = delete;
  LentGroup& operator=(const LentGroup&) = delete;
  ~LentGroup() { spare_ = std::move(state_); }
  GroupState* operator->() const { return state_.get(); }

 private:
  static thread_local std::unique_ptr<GroupState> spare_;
  std::unique_ptr<GroupState> state_;
};

struct Evaluator::Machine {
  using Inputs = std::vector<std::pair<uint16_t, Value>>;
  // item nullptr: a merge: the first input's value, except in the lanes of EXEC.
  struct Expression {
    const Item* item;
    Inputs in;
    Value first = unknown;  // of the values it makes, in the order of the item's writes
  };
  struct Def {
    int expression;
    uint16_t reg;
  };
  struct Key {
    const Item* item = nullptr;
    Inputs in;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& k) const {
      uint64_t h = reinterpret_cast<uintptr_t>(k.item);
      for (const auto& [reg, v] : k.in)
        h = (h ^ (uint64_t{reg} << 32 | static_cast<uint32_t>(v))) * 0x9e3779b97f4a7c15, h ^= h >> 29;
      return h;
    }
  };

  const Code& code;
  sim::KernelInfo kernel;
  sim::Memory memory;
  sim::Options options;
  sim::Launch launch;
  sim::Launched launched{};
  sim::Cluster cluster{};
  sim::Result counts;
  LentGroup lent;
  std::span<sim::Wave> waves;
  const RegBits asked_registers;
  const RegisterValues::Places places;
  const Values nothing{.of = RegisterValues(places)};
  Values start = nothing;
  std::vector<Expression> expressions;
  std::vector<Def> defs{{absent, 0}};  // by Value
  std::vector<char> same;              // by Value: independent of lane and wave numbers
  std::vector<char> sampled;           // by Value: from memory only, independent of lane and wave numbers
  std::map<const Item*, Value> loaded;
  std::vector<std::unique_ptr<Data>> data;     // by Value, once computed
  std::unordered_map<Key, Value, Hash> known;  // Expression::first
  std::map<const Item*, sim::Step> steps;
  sim::Step raw;                                             // of step_of()
  Items items;                                               // of halves
  std::map<const Item*, std::array<const Item*, 2>> halves;  // of pairs
  std::unordered_map<Key, std::unique_ptr<LdsTouch>, Hash> touches;
  std::map<std::pair<const LdsTouch*, uint32_t>, std::unique_ptr<LdsTouch>> parts_of_touches;  // by waves
  int made_touches = 0;
  Key asked, asked_touch;  // kept to reuse their storage, as are the next
  std::vector<uint64_t> active, sure;
  std::vector<Bytes> collected;
  struct Touched : sim::Observer {  // LDS bytes of one instruction
    struct Part {
      uint32_t dword;
      uint8_t mask;
    };
    struct OfWave {
      std::vector<uint64_t> whole;            // one bit per dword accessed whole
      std::vector<Part> parts;                // of others
      uint32_t first = UINT32_MAX, last = 0;  // words of `whole` with all that is touched
      bool writes = false, atomic = false;
      int64_t begin() const { return int64_t{first} * 256; }  // bytes
      int64_t end() const { return (int64_t{last} + 1) * 256; }
      void clear();
    };
    std::vector<OfWave> of_wave;
    bool tiles = false;  // an atomic access is the arrival at a barrier, outside the tile
    Touched() { watches_lds = true; }
    void executed(const sim::Wave&, const sim::Step&) override {}
    void lds(const sim::Wave&, const sim::Step&, uint32_t, int, bool, int) override {}
    void memory(const sim::Wave&, const sim::Step&, std::span<const uint64_t>, uint64_t, int) override {}
    void lds_bytes(const sim::Wave&, uint32_t address, uint32_t bytes, int, sim::LdsUse) override;
    void shift(size_t wave, int32_t dwords);  // it touches what wave 0 does, shifted
  } touched;
  using Parts = std::vector<std::pair<int, Value>>;
  Parts parts;
  bool usable = false;
  bool waves_said = false;  // the metadata states the maximum number of waves
  bool first_group;         // Assume::first_group
  int exec_words;
  uint64_t somewhere = 0;  // an address in memory that loads may read
  // An access that was evaluated. The bytes of the same instruction with another offset or address are those, shifted.
  struct Run {
    Inst inst;
    Inputs in;
    const LdsTouch* touch;
    uint32_t end;
  };
  std::vector<Run> runs;

  Machine(const Code&, const Entry&, const sim::KernelInfo&, const RegBits& asked, Shape, Assume);
  void set_start(const Entry&, const isa::Target&);
  Value make(int expression, uint16_t reg, bool is_same);  // the current value of a register
  Value make_later(int expression, uint16_t reg, bool is_same);

  // -- The machine's registers (machine.cpp) --
  Data read(int reg);
  void write(size_t wave, int reg, const Data&);
  const sim::Step& step_of(const Item&);
  // Runs the instruction on every wave; false: in some lane an input is unknown, or the simulator refuses it. `sure`
  // receives the lanes whose inputs are known.
  bool run(const Item&, const Inputs&, std::vector<uint64_t>& active, std::vector<uint64_t>* sure = nullptr);
  bool run_wave(size_t n, const Item&, const Inputs&, uint64_t& active, uint64_t* sure = nullptr);
  const Data* get(Value);  // nullptr: cannot be computed
  void evaluate(int number);
  void keep_others(const Expression&);

  // -- EXEC and the masks it is made of (masks.cpp) --
  static void set_inner(Values&, int reg, bool inner);
  static bool any_inner(const RegView&, const Values&);
  static void widen(Values&);  // lanes are re-enabled: values computed without them are unknown in them
  bool takes_lanes_away(const Inst&) const;
  bool is_exec(const Operand& o) const { return o.file == File::s && o.index == sreg::exec; }
  Value exec(const Values&) const;
  bool is_full(const Values&);  // of EXEC that is known: all lanes of all waves
  bool mask_step(const Item&, Values&);
  Value mask_or_more(const Values&, const Operand&, int word) const;
  Value tighter(Value a, Value b, int word) const {
    return a <= 0 || a == start.of[static_cast<size_t>(exec_lo + word)] ? std::max(b, a) : a;
  }
  void find_parts(const Item&, const Values&, Parts&) const;
  Value most_lanes(const Values&, int word) const;
  void branch(const Item&, Values&) const;
  std::optional<std::vector<uint32_t>> condition(
      const Item&, const Values&);  // by wave, nonzero: the register that the branch tests is set
  std::optional<bool> taken(const Item&, const Values&);
  bool narrow(const Item&, Values&, bool taken);
  uint32_t all_waves() const { return waves.size() < 32 ? (1u << waves.size()) - 1 : ~0u; }

  // -- The effect on known values (values.cpp) --
  Value inputs(const Item&, const Values&, Inputs&) const;
  bool all_same(const Inputs&) const;
  void forget(const Item&, Values&, Value what);
  void step(const Item&, Values&);
  void single(const Item&, Values&);
  static bool writes_scalars(const Item&);
  void effect(const Item&, Values&);
  Value in_other_lanes(const Values&, int reg);
  bool drop_factor(const Inst&, const Values&, Inputs&);
  Value in_most_lanes(const Values&, Inputs&) const;
  bool only_data(const Item&, const Inputs&) const;
  void load(const Item&, Values&);

  // -- LDS (lds_touch.cpp) --
  const LdsTouch* touch(const Item&, const Values&);
  const LdsTouch* touch_generic(const Item&, const Values&);
  const LdsTouch* only(const LdsTouch&, uint32_t some_waves);
  void run_generic(const Item&, const Inputs&, LdsTouch&);
  bool can_shift(const Item&, const Inputs&) const;
  std::optional<int32_t> distance(Value from, Value to);
  std::optional<int32_t> distance_of_wave(const Inputs&, size_t n);
  bool shift_touch(const Item&, const Inputs&, LdsTouch&);
  void remember(const Item&, const Inputs&, const LdsTouch&);
  void run_touch(const Item&, const Inputs&, LdsTouch&);
  void read_somewhere(sim::Wave&, const Item&, int address) const;
  void finish(LdsTouch&, bool of_data) const;
  void collect(LdsTouch&);  // what the waves have touched; nothing of a wave that has faulted
};

}  // namespace wavesmith::checker
