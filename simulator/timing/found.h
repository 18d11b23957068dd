// Values that atomics return, from memory that other workgroups change: which workgroup of several comes last, say.
// Workgroups are traced some at a time and several times over. So a run of all of them (kinds.h) records what each one
// found; those that are traced alone find the same; and every run leaves this memory as it was.
#pragma once
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/memory.h"
#include "simulator/observer.h"

namespace wavesmith::timing {

using sim::u32, sim::u64, sim::u8;

struct FoundValue {
  u64 address;
  std::array<u8, 8> bytes;
  u8 count;
};
using FoundValues = std::vector<FoundValue>;  // in the order of a workgroup's atomics, whose waves may run in another

inline bool returns_value(const sim::Step& st) {
  return st.row && (st.row->implicit & isa::returns) && (st.row->implicit & isa::atomic) &&
         st.row->unit != isa::Unit::lds;
}

// Of a workgroup.
class Found {
 public:
  explicit Found(sim::Memory& memory, const FoundValues* before = nullptr) : memory_(memory) {
    if (before)
      for (const FoundValue& v : *before) before_[v.address].values.push_back(&v);
  }
  // Before an atomic executes. With values of an earlier run, those are put there.
  void look(const sim::Step& st, std::span<const u64> at, u64 lanes, int bytes) {
    if (!returns_value(st)) return;
    for (size_t l = 0; l < at.size() && l < 64; ++l) {
      const u64 size = std::min<u64>(static_cast<u64>(bytes), 8);
      if (!(lanes >> l & 1) || !memory_.find(at[l], size)) continue;
      FoundValue v{.address = at[l], .bytes = {}, .count = static_cast<u8>(size)};
      memory_.read(v.address, {v.bytes.data(), v.count});
      values.push_back(v);
      if (const auto at_this = before_.find(v.address); at_this != before_.end())
        if (auto& [next, earlier] = at_this->second; next < earlier.size())
          memory_.write(v.address, {earlier[next++]->bytes.data(), v.count});
    }
  }
  // The last workgroup's changes first.
  void undo() {
    for (size_t i = values.size(); i-- > 0;)
      memory_.write(values[i].address, {values[i].bytes.data(), values[i].count});
  }
  FoundValues values;

 private:
  struct Earlier {
    size_t next = 0;
    std::vector<const FoundValue*> values{};
  };
  sim::Memory& memory_;
  std::unordered_map<u64, Earlier> before_;  // by address
};

}  // namespace wavesmith::timing
