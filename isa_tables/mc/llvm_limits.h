// Encodings that LLVM 22's disassembler does not take as the hardware does.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "isa_tables/isa.h"

namespace wavesmith::isa {

// Undefined encodings that crash LLVM 22: the disassembler, on a literal (255 as a source or scalar result) where the
// format has none; the printer, on an SDWA selection that does not exist.
bool kills_llvm(std::span<const uint8_t> code, Arch);
// v_madmk_f16, v_madak_f16 (gfx9), v_fmamk_f16 and v_fmaak_f16 with the literal 255 crash LLVM 22, which confuses it
// with the code of a literal source. The literal is decoded as 254 and replaced in the text.
bool literal_255(std::span<const uint8_t> code, Arch);
// The first instruction with its ignored bits as LLVM requires them; empty if nothing changes.
std::vector<uint8_t> with_usual_bits(std::span<const uint8_t> code, Arch);

}  // namespace wavesmith::isa
