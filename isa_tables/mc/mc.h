// Wrapper of LLVM MC: Inst <-> bytes for one target. Encoding goes Inst -> MCInst through a template per row and
// operand shape (a printed sample, parsed once by LLVM's assembler); decoding goes bytes -> MCInst -> text -> Inst once
// per instruction.
#pragma once
#include <memory>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

class Mc {
 public:
  // For waves of `lanes` (0: the target's default); wave64 code of a wave32 target has masks in register pairs. Error:
  // IsaError if the target has no such waves.
  explicit Mc(Arch, int lanes = 0);
  ~Mc();
  Mc(Mc&&) noexcept;
  Arch arch() const;

  // Appends the encoding (4 to 20 bytes) to `out`. A label operand encodes as 0; the caller patches simm16.
  // Error: IsaError with LLVM's message and the rejected text.
  void encode(const Inst&, std::vector<uint8_t>& out);
  // All of them in turn, and where each begins in `out`; on an error the last one begun is the one refused. Faster
  // where shapes of instructions are new: LLVM's parser runs once for all of them.
  void encode(std::span<const Inst>, std::vector<uint8_t>& out, std::vector<uint32_t>& begins);
  // Number of the calls of encode() that used LLVM's text parser, which is slow: shapes whose operands a template
  // cannot place (64-bit literals, 16-bit halves written v0.l).
  int encoded_by_text() const;
  // Does LLVM's assembler accept this text for the target?
  bool assembles(std::string_view text);
  // All bytes of a text of several instructions; error as encode.
  std::vector<uint8_t> assemble(std::string_view text);

  struct Decoded {
    int size = 0;
    std::string text;
  };  // size 0: not an instruction; text as LLVM prints it
  Decoded disassemble(std::span<const uint8_t> code, uint64_t pc);
  // The result of disassemble() for `code` as a value. Error: IsaError for a text that is not in the tables.
  Inst instruction(const Decoded&, std::span<const uint8_t> code) const;

 private:
  struct Impl;
  void encode_first(std::span<const Inst>, std::vector<uint8_t>& out);
  std::unique_ptr<Impl> impl_, halves_;
  // LLVM with 16-bit operands in halves of VGPRs (v0.h), where its default for the target is without; nullptr
  // elsewhere.
  Impl* halves();
};

// Links one relocatable ELF in process with LLD (as `ld.lld -shared`). Thread-safe. Error: std::runtime_error with
// LLD's message. hardly_larger: the linked file has no more than headers and padding of a few pages beside the object's
// bytes, as of a generated kernel; of assembly text anybody may have written nothing is known.
enum class Linked : uint8_t { of_any_size, hardly_larger };
std::vector<uint8_t> link(std::span<const uint8_t> object, Linked = Linked::of_any_size);

}  // namespace wavesmith::isa
