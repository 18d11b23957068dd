// LLVM MC at arm's length: Inst <-> bytes for one target. Encoding goes Inst -> MCInst through a template per row and
// operand shape (a printed sample, parsed once by LLVM's assembler); decoding goes bytes -> MCInst -> text -> Inst once
// per instruction.
#pragma once
#include <memory>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

class Mc {
 public:
  // A wave of `lanes` (0: the target's own size); wave64 code of a wave32 target names its masks in pairs. Error:
  // IsaError if the target runs no such wave.
  explicit Mc(Arch, int lanes = 0);
  ~Mc();
  Mc(Mc&&) noexcept;
  Arch arch() const;

  // Appends the encoding (4 to 20 bytes) to `out`. A label operand encodes as 0; the caller patches simm16.
  // Error: IsaError with LLVM's own message and the text it refused.
  void encode(const Inst&, std::vector<uint8_t>& out);
  // How many of the calls above had to take the slow way over LLVM's text parser: shapes whose operands a
  // template cannot place (64-bit literals, 16-bit halves written v0.l).
  int encoded_by_text() const;
  // Does LLVM's assembler take this text for the target?
  bool assembles(std::string_view text);
  // All bytes of a text of several instructions; error as encode.
  std::vector<uint8_t> assemble(std::string_view text);

  struct Decoded {
    int size = 0;
    std::string text;
  };  // size 0: no instruction; text as LLVM prints it
  Decoded disassemble(std::span<const uint8_t> code, uint64_t pc);
  // What disassemble() gave for `code` as a value. Error: IsaError for a text the tables do not know.
  Inst instruction(const Decoded&, std::span<const uint8_t> code) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Links one relocatable ELF in process with LLD (as `ld.lld -shared`). Thread-safe. Error: std::runtime_error with
// LLD's message.
std::vector<uint8_t> link(std::span<const uint8_t> object);

}  // namespace wavesmith::isa
