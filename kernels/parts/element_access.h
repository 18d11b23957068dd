// Loads and stores of single elements through a buffer resource, by their size.
#pragma once
#include <algorithm>

#include "isa_tables/opcodes.h"

namespace wavesmith {

struct ElementAccess {
  int bytes;
  isa::Opcode load, store, store_high;  // store_high: of the element in the high half of a register
};
inline constexpr ElementAccess element_accesses[] = {
    {1, isa::Opcode::buffer_load_ubyte, isa::Opcode::buffer_store_byte, isa::Opcode::buffer_store_byte_d16_hi},
    {2, isa::Opcode::buffer_load_ushort, isa::Opcode::buffer_store_short, isa::Opcode::buffer_store_short_d16_hi},
    {4, isa::Opcode::buffer_load_dword, isa::Opcode::buffer_store_dword, {}},
    {8, isa::Opcode::buffer_load_dwordx2, isa::Opcode::buffer_store_dwordx2, {}}};
inline const ElementAccess& access_of(int bytes) {
  return *std::ranges::find(element_accesses, bytes, &ElementAccess::bytes);
}

}  // namespace wavesmith
