// Functions behind calls whose address the code says: what they write, and the lines of a kernel together with theirs.
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
  // Fills in code.calls: what functions write, each with all those that it calls; nothing where one of them cannot be
  // followed.
  void find(Code&);
  // `code`, for which find() has been called, with the lines of all functions it leads to and a copy of their blocks
  // for each call, so that execution comes back to where it came from. Spans that lead into a function say so; calls of
  // a function that is not done yet (recursion), and those beyond the limit, lead on to the next line, as they did.
  // None: it calls nothing that is known.
  std::optional<Code> whole(const Code&) const;

 private:
  bool follow(uint64_t address, const Operand& way_back, std::set<uint64_t>& seen, RegBits& writes);
  const sim::CodeObject& object_;
  Decoder& decoder_;
  std::map<uint64_t, std::unique_ptr<Code>> functions_;
};

}  // namespace wavesmith::checker
