// One instruction as a value, shared by the generator, the passes, the assembler, the disassembler and the simulator.
// Its text form is LLVM's assembly syntax; parse(print(i)) == i.
#pragma once
#include <bit>
#include <string>
#include <vector>

#include "isa_tables/absent.h"
#include "isa_tables/isa.h"

namespace wavesmith::isa {

enum class File : uint8_t { none, v, a, s, imm, label, off };

// Numbers of the scalar registers other than s0..s105. The same for all targets; encodings differ, text does not.
namespace sreg {
inline constexpr uint16_t vcc = 106, ttmp0 = 108, m0 = 124, null = 125, exec = 126;
inline constexpr uint16_t flat_scratch = 128, xnack_mask = 130;
inline constexpr uint16_t shared_base = 235, shared_limit = 236, private_base = 237, private_limit = 238;
inline constexpr uint16_t scratch_base = 230, pops_wave = 239;
inline constexpr uint16_t mode = 240;  // not an operand: what mode_r and mode_w of a row access
inline constexpr uint16_t vccz = 251, execz = 252, scc = 253, lds_direct = 254;
}  // namespace sreg

struct Operand {
  File file = File::none;
  uint8_t dwords = 0;  // of a register tuple
  uint16_t index = 0;  // first register; label number
  // Immediate: raw bits in the operand's type (f16 constants in the low half). For a 64-bit operand: an inline constant
  // as 32 bits (dwords 1), a literal as its 64-bit value (dwords 2).
  uint32_t bits = 0;
  bool neg = false, abs = false, sext = false;  // VOP3/SDWA source modifiers
  uint8_t part = 0;   // of a 16-bit operand written v0.l (1) or v0.h (2); equivalent to op_sel
  uint32_t high = 0;  // upper half of a 64-bit literal
  bool operator==(const Operand&) const = default;
  bool is_reg() const { return file == File::v || file == File::a || file == File::s; }
  bool covers(File f, int i) const { return file == f && i >= index && i < index + dwords; }
};
constexpr Operand reg(File f, int index, int dwords = 1) {
  return {f, static_cast<uint8_t>(dwords), static_cast<uint16_t>(index)};
}
constexpr Operand imm(int32_t value) { return {File::imm, 1, 0, static_cast<uint32_t>(value)}; }
inline Operand immf(float value) { return {File::imm, 1, 0, std::bit_cast<uint32_t>(value)}; }
Operand immd(double value);  // of an f64 operand
constexpr Operand label(int number) { return {File::label, 0, static_cast<uint16_t>(number)}; }
constexpr Operand off() { return {File::off}; }

enum Flag : uint32_t {
  offen = 1,
  idxen = 2,
  sc0 = 4,
  nt = 8,
  sc1 = 16,
  lds = 32,
  tfe = 64,
  gds = 128,
  clamp = 256,
  glc = 512,
  slc = 1024,
  dlc = 2048,
  nv = 1 << 12,
  scale_offset = 1 << 13,
  fetch_inactive = 1 << 14,
  a_reuse = 1 << 15,
  b_reuse = 1 << 16,
  high_half = 1 << 17,
};
enum class Sdwa : uint8_t { byte0, byte1, byte2, byte3, word0, word1, dword };

// Everything that follows the operands. Defaults print nothing.
struct Mods {
  int32_t offset = 0;                // MUBUF/FLAT/SMEM bytes, DS bytes
  uint8_t offset0 = 0, offset1 = 0;  // ds_read2 and friends, in elements
  uint32_t flags = 0;
  uint8_t omod = 0;  // 1: *2, 2: *4, 3: /2
  uint8_t op_sel = 0, op_sel_hi = 0xf, neg_lo = 0,
          neg_hi = 0;  // bit i: source i; op_sel bit 3: destination. op_sel_hi 0xf = default (all ones)
  uint8_t cbsz = 0, abid = 0, blgp = 0;  // f8f6f4: cbsz and blgp are the formats of A and B on every target
  uint8_t th = 0,
          scope =
              0;  // gfx12: temporal hint and scope as encoded; rows that return set their bit of the hint themselves
  uint8_t bitop3 = 0, byte_sel = 0, scale_sel = 0, index_key = 0;
  uint8_t scale = 0, scale_fmt = 0;             // of gfx1250's scaled WMMA: A in the low nibble, B in the high one
  uint8_t format = 0;                           // of a typed buffer access, as encoded
  bool dpp = false, sdwa = false, e64 = false;  // e64: forces the long encoding where the short one suffices
  bool dpp8 = false;                            // dpp_ctrl holds eight lane numbers of 3 bits
  uint32_t dpp_ctrl = 0;                        // as encoded (ISA guide, DPP_CTRL)
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false;
  Sdwa dst_sel = Sdwa::dword, src0_sel = Sdwa::dword, src1_sel = Sdwa::dword;
  uint8_t dst_unused = 0;  // 0: UNUSED_PAD, 1: UNUSED_SEXT, 2: UNUSED_PRESERVE
  bool operator==(const Mods&) const = default;
  bool has(Flag f) const { return flags & f; }
};

struct Inst {
  Opcode op{};
  std::array<Operand, max_operands> operands{};
  Mods mods{};
  bool dual = false;  // a pair issued as one: `second` has operands 4 to 7
  Opcode second{};
  bool operator==(const Inst&) const = default;
  const Info& info() const { return isa::info(op); }  // of the first half of a pair
  const OperandSpec& spec(int i) const {
    return dual && i >= max_operands / 2 ? isa::info(second).operands[i - max_operands / 2] : info().operands[i];
  }
};
// A half of a pair as a separate instruction: both read before either writes. And a pair of two instructions;
// v_cndmask's mask counts as VCC unless mods.e64 selects the encoding that names it.
Inst half(const Inst&, int which);
Inst paired(const Inst& first, const Inst& second);

// What extends the register number of each operand, where more follows from a mode than the encoding holds: 0 to 2
// sources by their position, 3 the destination, -1 nothing. An accumulator and what a buffer access moves go with the
// destination. (CDNA5 ISA 3.3.2.3; LLVM's AMDGPULowerVGPREncoding for buffers and loads into LDS)
std::array<int8_t, max_operands> register_slots(const Info&);
inline constexpr int vgpr_bank = 256;  // VGPRs that an encoding names; s_set_vgpr_msb selects the bank of each slot

// Registers read and written, implicit ones included (SCC, VCC, EXEC, M0 as File::s tuples). A tuple per entry.
// MFMA with an inline constant as C, LDS-direct loads and the like are already resolved.
template <class T, int Capacity>
struct Few {  // a few values in place; never more than Capacity by construction
  std::array<T, Capacity> items{};
  int size = 0;
  void push_back(const T& t) { items[size++] = t; }
  const T* begin() const { return items.data(); }
  const T* end() const { return items.data() + size; }
};
struct Effects {
  Few<Operand, 20> reads;
  Few<Operand, 10> writes;
};
Effects effects(const Inst&, Arch, int lanes = 0);  // lanes per wave; 0: the target's default

// Width of an operand in dwords: the row's, except for lane masks of wave32 and operands whose width follows from their
// element format.
int dwords(const Inst&, int operand, Arch, int lanes = 0);
// Why no MFMA unit defines what CBSZ and ABID ask for, or C and D that share some registers; empty: it does (CDNA3 ISA
// 7.1.5, CDNA4 ISA 7.1.6; LLVM). Inferred: the same on gfx908 and gfx90a, whose guides state no more than CBSZ up to 4.
std::string undefined_product(const Inst&);
// Clocks from the issue of a matrix instruction to the next on its SIMD: the row's, halved for the narrow formats of
// f8f6f4.
int clocks(const Inst&, Arch);

// The counters of all targets (counters.def) and a wait for some of them: at most this many events may remain;
// absent: no wait for this counter.
enum class WaitCounter : uint8_t { vm, lgkm, exp, vs, km, sample, bvh, async, tensor, x };
inline constexpr int wait_counters = 10;
struct Waits {
  int vm = absent, lgkm = absent, exp = absent, vs = absent, km = absent, sample = absent, bvh = absent, async = absent,
      tensor = absent,
      x = absent;  // in WaitCounter's order
  bool operator==(const Waits&) const = default;
  int& operator[](int c);  // by the number of the counter
  int operator[](int c) const { return const_cast<Waits&>(*this)[c]; }
  bool any() const { return !(*this == Waits{}); }
};
// One instruction with the counts it has fields for, its other fields at "no wait". Error: IsaError if it is not a wait
// instruction of the target.
Inst wait_instruction(Opcode, const Waits&, Arch);
// The fewest instructions that wait for all that `w` names. Error: IsaError if the target has no such counter.
Few<Inst, wait_counters> wait_instructions(const Waits& w, Arch);
// What an instruction waits for; empty if it is not a wait.
Waits waits_of(const Inst&, Arch);
bool may_wait(Opcode, Arch);  // whether that may be something

// The value of a constant as that operand reads it, 32-bit ones in the low half. (CDNA3 ISA 6.2.1, RDNA4 ISA 4.1, CDNA5
// ISA 4.1 and 7.7.)
uint64_t constant(const Operand&, const OperandSpec&);
// Do these 32 bits have an inline constant in a 64-bit operand?
bool inline_constant(uint32_t bits);
// The registers that an operand is read from: only one of a scalar pair where that one supplies both halves of packed
// f32.
inline Operand read_from(const Inst& inst, int operand, Arch arch) {
  Operand o = inst.operands[operand];
  if (o.file == File::s && inst.spec(operand).constant == Constant::f32_pair && target(arch).one_scalar_feeds_pairs())
    o.dwords = 1;
  return o;
}

std::string print(const Inst&, Arch, std::string_view label_prefix = ".L");
// Error: IsaError that states what is wrong in `text` and what would be legal. Labels are numbers after the prefix; a
// bare number as branch target (disassembly) becomes an immediate in dwords relative to the next instruction.
Inst parse(std::string_view text, Arch);
std::string print(const Operand&);

}  // namespace wavesmith::isa
