// 32-bit constants in SGPRs, for instructions that take no literal (VOP3 and VOP3P of gfx9), one register for each
// value. Objects that need constants request them when they are constructed; load() is called once, after all requests.
#pragma once
#include <vector>

#include "generator/dsl/kernel.h"

namespace wavesmith {

class Constants {
 public:
  explicit Constants(Kernel& kernel) : kernel_(kernel) {}
  Constants(const Constants&) = delete;

  // The register of this value. Error: IsaError for a new value after load(); OutOfRegisters.
  Sgpr operator()(uint32_t value, std::string name, Where = Where::current());
  // Emits one s_mov_b32 for each value.
  void load(Where = Where::current());

 private:
  struct Entry {
    uint32_t value;
    Owned<File::s> reg;
  };
  Kernel& kernel_;
  std::vector<Entry> all_;
  bool loaded_ = false;
};

}  // namespace wavesmith
