// Functions called at known addresses: the registers they write, and the lines of a kernel together with theirs.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "checker/code.h"

namespace wavesmith::checker {

class Callees {
 public:
  Callees(const sim::CodeObject& object, Decoder& decoder) : object_(object), decoder_(decoder) {}
  // Fills in code.calls: the registers that each function and its callees write; none where one of them cannot be
  // followed.
  void find(Code&);
  // `code`, for which find() has been called, with the lines of all functions it calls and a copy of their blocks for
  // each call, so that each copy returns to its caller. Spans that enter a function are marked; recursive calls, and
  // those beyond the limit, continue at the next line, as before. None: it has no call to a known address.
  std::optional<Code> whole(const Code&) const;

 private:
  bool follow(uint64_t address, const Operand& way_back, std::set<uint64_t>& seen, RegBits& writes);
  const sim::CodeObject& object_;
  Decoder& decoder_;
  std::map<uint64_t, std::unique_ptr<Code>> functions_;
};

}  // namespace wavesmith::checker
