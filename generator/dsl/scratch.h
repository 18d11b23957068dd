// Scratch registers of a scope, each with its own name: Scratch s(r); auto key = s.v("key"), chunk = s.v("16-byte
// chunk");
#pragma once
#include <vector>

#include "generator/dsl/registers.h"

namespace wavesmith {

class Scratch {
 public:
  explicit Scratch(Registers& r) : r_(r) {}
  Scratch(const Scratch&) = delete;

  // Tuples have the alignment that operands require. Error: OutOfRegisters with the whole map.
  Vgpr v(std::string name, int dwords = 1, Where w = Where::current()) {
    return v_.emplace_back(r_.v.alloc(dwords, std::move(name), 0, w));
  }
  Sgpr s(std::string name, int dwords = 1, Where w = Where::current()) {
    return s_.emplace_back(r_.s.alloc(dwords, std::move(name), dwords > 2 ? 4 : 0, w));
  }
  Sgpr lane_mask(std::string name, Where w = Where::current()) {
    return s_.emplace_back(r_.lane_mask(std::move(name), w));
  }

 private:
  Registers& r_;
  std::vector<Owned<File::v>> v_;
  std::vector<Owned<File::s>> s_;
};

}  // namespace wavesmith
