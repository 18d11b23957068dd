// The instruction set as data: targets, operand signatures and one table row per instruction, all read from the .def
// files beside this header. What follows from a row (MFMA operand widths, lane layout) is derived, never listed.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wavesmith::isa {

// -- Targets ---------------------------------------------------------------------------------------------------------
enum class Family : uint8_t { cdna1, cdna2, cdna3, cdna4, rdna3, rdna35, rdna4, gfx1250 };
enum class Arch : uint8_t {
#define ARCH(name, ...) name,
#include "isa_tables/arch.def"
#undef ARCH
};
enum class ResourceFormat : uint8_t { gfx9, gfx11, gfx12, gfx1250 };  // of a buffer resource (V#)
using ArchSet = uint32_t;                                             // one bit per target, bit number = Arch
constexpr ArchSet bit(Arch a) { return ArchSet{1} << static_cast<int>(a); }

enum class Feature : uint8_t {
#define FEATURE(name, ...) name,
#include "isa_tables/features.def"
#undef FEATURE
};
struct FeatureRow {
  const char *name, *llvm, *source;  // llvm: LLVM's name of it, "!" before its opposite; empty: none
  ArchSet archs;
};
std::span<const FeatureRow> features();  // index = Feature

struct Target {
  const char* name;
  Family family;
  uint32_t elf_mach;                 // EF_AMDGPU_MACH_*
  int wave_size;                     // lanes
  int vgprs, agprs;                  // addressable per lane by one wave
  bool unified;                      // AGPRs follow VGPRs in one file
  int vgpr_granule, tuple_align;     // registers
  int sgprs;                         // addressable, without VCC and traps
  int lds_bytes, lds_granule;        // per workgroup
  int waves_per_simd, simds_per_cu;  // per WGP from gfx11 on: those that share one LDS
  int vgpr_file, vgpr_code_granule;  // registers per lane of a SIMD; unit of the descriptor's count
  int lds_pool, groups_per_cu;       // bytes that all workgroups of a CU share; workgroups of several waves
  ResourceFormat resources;
  uint64_t features;  // one bit a row of features.def, which says what each means
#define FEATURE(name, ...) \
  constexpr bool name() const { return features >> static_cast<int>(Feature::name) & 1; }
#include "isa_tables/features.def"
#undef FEATURE

  const char* cu() const { return wave_size == 64 ? "CU" : "WGP"; }  // whose SIMDs share one LDS
  bool runs_wave(int lanes) const { return lanes == wave_size || (lanes == 64 && wave64()); }
};
const Target& target(Arch);
std::span<const Target> all_targets();
std::optional<Arch> find_arch(std::string_view name);
std::string arch_names(ArchSet = ~ArchSet{0});  // "gfx908 gfx90a ...", for messages
template <class Holds>
std::string archs_where(Holds holds) {
  ArchSet set = 0;
  for (size_t i = 0; i < all_targets().size(); ++i)
    if (holds(static_cast<Arch>(i))) set |= bit(static_cast<Arch>(i));
  return arch_names(set);
}

struct IsaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// -- Rows ------------------------------------------------------------------------------------------------------------
// ds2: two element offsets instead of one in bytes.
// The short encoding where a row has two. gws: a DS encoding that always carries the gds bit.
enum class Format : uint8_t {
  sop1,
  sop2,
  sopk,
  sopc,
  sopp,
  smem,
  vop1,
  vop2,
  vop3,
  vop3p,
  vopc,
  mai,
  ds,
  ds2,
  gws,
  mubuf,
  mtbuf,
  global,
  flat,
  scratch,
  tensor
};
// The unit an instruction issues to (CDNA3 ISA 4.x; timing.csv "issue").
enum class Unit : uint8_t { salu, branch, message, smem, valu, trans, xdl, lds, vmem };
// The effect of a row on the wait counters; counters.def maps it to a target's counters. `flat` increments two or
// three; flat_store, a flat row without result, is not used in rows. exported: exports and LDS parameter loads.
// async_barrier: an arrival in LDS that follows the wave's asynchronous loads.
enum class Counter : uint8_t {
  none,
  load,
  store,
  lds,
  smem,
  flat,
  flat_store,
  message,
  sample,
  bvh,
  exported,
  async_load,
  async_store,
  async_barrier,
  tensor
};

enum class Kind : uint8_t {
  none,
  v,
  a,
  va,       // VGPR, AGPR, either
  s,        // SGPR tuple, VCC, EXEC, M0, ...
  ssrc,     // scalar source: SGPR, inline constant or literal
  any,      // VALU source: VGPR, SGPR, inline constant or literal
  mask,     // lane mask: VCC or an SGPR pair (wave64), one SGPR (wave32)
  vaddr,    // VGPR address or `off`
  saddr,    // SGPR base or `off`
  vac,      // matrix accumulator source: VGPR, AGPR or inline constant
  barrier,  // number of a barrier: immediate or M0
  null,     // always `null`
  soff,     // offset of a scalar load: immediate, SGPR, or an SGPR with the immediate as a modifier
  imm,      // plain immediate (simm16, the constant of v_fmamk_f32, ...)
  hwreg,
  message,
  delay,
  depctr,
  gpr_index,
  version,  // immediates with a text form of their own: s_getreg_b32, s_sendmsg, s_delay_alu, s_wait_alu,
            // s_set_gpr_idx_on
  waits,    // s_waitcnt fields
  label,    // branch target
};
enum class Access : uint8_t { read, write, both };
enum class Follows : uint8_t {
  nothing,
  format_a,
  format_b
};  // whose element format determines the width of an f8f6f4 operand
// How a constant is converted to the operand. plain: as 32 bits; in 64 bits, an inline float is a double, an inline
// integer is sign-extended, a literal of 32 bits is zero-extended. i64: such a literal is sign-extended; f64: it is the
// upper half. f32_pair: 32 bits supply both halves.
enum class Constant : uint8_t { plain, f16, bf16, i64, f64, f32_pair };
struct OperandSpec {
  Kind kind = Kind::none;
  uint8_t dwords = 0;  // of the widest format where the width follows from a format
  Access access = Access::read;
  Constant constant = Constant::plain;
  bool optional = false;  // may be absent at the end: `off`, not printed
  Follows follows = Follows::nothing;
  bool operator==(const OperandSpec&) const = default;
};

// Registers that an instruction accesses implicitly, and other properties of a row. mode: rounding, denormals etc.
// atomic: reads, modifies and writes memory in one step; returns: the text has the target's flag for returning the old
// value.
enum Implicit : uint32_t {
  none = 0,
  scc_w = 1,
  scc_r = 2,
  exec_w = 4,
  exec_r = 8,
  vcc_r = 16,
  vcc_w = 32,
  m0_r = 64,
  pc_w = 128,
  ends = 256,
  m0_w = 1 << 9,
  mode_r = 1 << 10,
  mode_w = 1 << 11,
  flat_scr_r = 1 << 12,
  atomic = 1 << 13,
  returns = 1 << 14,
  stores = 1 << 16,      // writes memory although its counter does not show it
  every_lane = 1 << 17,  // a vector instruction that EXEC does not mask
  keeps = 1 << 19,       // the first operand keeps the parts that are not written; it is not a source
  relative = 1 << 18,    // M0 is added to its register numbers: the named registers are bases
  // Dword k of the result depends on no dwords above k of the last source (of the first in a row that `keeps`):
  // undefined source dwords make those result dwords undefined, which is not a fault by itself.
  carries = 1 << 20,
  odd_result = 1 << 21,  // the result may start at any register (LLVM 22's assembler; ISA guides do not mention it)
  mix = 1 << 15,         // op_sel_hi selects the sources that are f16; default 0
};

// fp8 and bf8 are the target's own flavour: FNUZ on gfx942, OCP on gfx950, gfx12 and gfx1250. iu8/iu4: signed where
// neg_lo says so. f8f6f4: fp8, bf8, fp6, bf6 or fp4 as selected by the instruction's format fields (cbsz and blgp;
// matrix_a_fmt and matrix_b_fmt on gfx1250).
enum class Type : uint8_t {
  none,
  f64,
  f32,
  xf32,
  f16,
  bf16,
  fp8,
  bf8,
  fp6,
  bf6,
  fp4,
  f8f6f4,
  i32,
  i8,
  u8,
  iu8,
  i4,
  iu4
};
constexpr int bits(Type t) {
  constexpr uint8_t width[] = {0, 64, 32, 32, 16, 16, 8, 8, 6, 6, 4, 8, 32, 8, 8, 8, 4, 4};
  return width[static_cast<int>(t)];
}
// The element format that a format field selects: 0 fp8, 1 bf8, 2 fp6 (e2m3), 3 bf6 (e3m2), 4 fp4; none if out of
// range.
constexpr Type narrow_format(int code) {
  return code >= 0 && code < 5 ? static_cast<Type>(static_cast<int>(Type::fp8) + code) : Type::none;
}

// smfmac and swmmac: A is 2:4 sparse along K, with an index operand; D is also C. Scaled rows have two scale operands
// at the end.
enum class MatrixKind : uint8_t { none, mfma, smfmac, wmma, swmmac };

// Shape of a matrix instruction: D[m,n] = A[m,k] * B[k,n] + C[m,n], `blocks` times.
struct Matrix {
  MatrixKind kind = MatrixKind::none;
  uint8_t m = 0, n = 0, k = 0, blocks = 0;
  Type a{}, b{}, c{}, d{};
  uint8_t scale_block = 0;  // elements of K that share one scale (32 or 16); 0: no scales
  std::array<int8_t, 8>
      clocks{};  // issue to issue on one SIMD, by Family; 0: not there, -1: LLVM assembles it, the ISA guide has none
  int flops() const { return 2 * m * n * k * blocks; }
  constexpr bool gfx11() const { return clocks[static_cast<int>(Family::rdna3)] > 0; }  // its layouts are others
  constexpr bool sparse() const { return kind == MatrixKind::smfmac || kind == MatrixKind::swmmac; }
};

enum class Opcode : uint16_t;  // opcodes.h has the enumerators

inline constexpr int max_operands = 8;  // of a pair of VOPD halves: four each
struct Info {
  const char* mnemonic;
  Format format;
  Unit unit;
  Counter counter;
  uint32_t implicit;
  ArchSet archs;
  std::array<OperandSpec, max_operands> operands;
  Matrix matrix{};
  ArchSet refused = 0;  // LLVM assembles it there, the ISA guide does not have it: refused
  int count() const {
    int n = 0;
    while (n < max_operands && operands[n].kind != Kind::none) ++n;
    return n;
  }
  bool on(Arch a) const { return archs & bit(a); }
  bool is_matrix() const { return matrix.kind != MatrixKind::none; }
  int clocks(Arch a) const {
    return matrix.clocks[static_cast<int>(target(a).family)];
  }  // of a matrix instruction; f8f6f4: see clocks(Inst, Arch)
  int passes(Arch a) const { return clocks(a) / 4; }
  bool is_vector() const { return unit == Unit::valu || unit == Unit::trans || unit == Unit::xdl; }
};
extern const Info* const first_info;
inline const Info& info(Opcode op) { return first_info[static_cast<int>(op)]; }
// Vector register tuples of that operand start at a multiple of this.
int tuple_align(const Info&, int operand, Arch);
// How it accesses an operand on that target: with SRAM-ECC, a load into half of a register writes all of it.
Access access(const Info&, int operand, Arch);
struct Pairing {
  ArchSet first = 0, second = 0, long_first = 0, long_second = 0;
};  // targets on which a row may be one half of a pair (vopd.def)
Pairing pairing(Opcode);
enum class PairForm : uint8_t { none, vopd, vopd3 };
PairForm pair_form(Opcode first, Opcode second, Arch);  // the shorter form that supports both
std::span<const Info> table();                          // index = Opcode
const char* mnemonic(Opcode, Arch);   // as LLVM prints it for that target; a row has one name for all targets
size_t row_of(const char* mnemonic);  // index into table(). Error: IsaError if no row is called so
std::optional<Opcode> find_opcode(std::string_view mnemonic);  // by any of its spellings
std::optional<Opcode> find_opcode(std::string_view mnemonic,
                                  Arch);  // the one of that spelling that the target has; else any of it
std::span<const Opcode> find_opcodes(
    std::string_view mnemonic);                  // all rows of that spelling: operands and flags tell them apart
std::string nearest(std::string_view mnemonic);  // closest spelling, for messages; empty if there is none
std::string archs_with(const Info&);             // "gfx942 gfx950"

}  // namespace wavesmith::isa
