// The instruction set as data: targets, operand signatures and one table row per instruction, all read from the .def files
// beside this header. What can be derived from a row (MFMA operand widths, lane layout) is derived, never listed.
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
#include "arch.def"
#undef ARCH
};
using ArchSet = uint32_t;                                  // one bit a target, bit number = Arch
constexpr ArchSet bit(Arch a) { return ArchSet{1} << static_cast<int>(a); }

struct Target {
  const char* name;
  Family family;
  uint32_t elf_mach;                                       // EF_AMDGPU_MACH_*
  int wave_size;                                           // lanes
  int vgprs, agprs;                                        // addressable per lane by one wave
  bool unified;                                            // AGPRs follow VGPRs in one file
  int vgpr_granule, tuple_align;                           // registers
  int sgprs;                                               // addressable, without VCC and traps
  int lds_bytes, lds_granule;                              // per workgroup
  int waves_per_simd, simds_per_cu;                        // from gfx11 on per WGP: what shares one LDS
  int vgpr_file, vgpr_code_granule;                        // registers per lane of a SIMD; what the descriptor counts in
  int lds_pool, groups_per_cu;                             // bytes that all workgroups of a CU share; workgroups of several waves
};
const Target& target(Arch);
std::span<const Target> all_targets();
std::optional<Arch> find_arch(std::string_view name);
std::string arch_names();                                  // "gfx908 gfx90a ...", for messages

struct IsaError : std::runtime_error { using std::runtime_error::runtime_error; };

// -- Rows ------------------------------------------------------------------------------------------------------------
// ds2: two element offsets instead of one in bytes.
enum class Format : uint8_t { sop1, sop2, sopk, sopc, sopp, smem, vop1, vop2, vop3, vop3p, vopc, mai, ds, ds2, mubuf, global, flat, scratch };
// The unit an instruction issues to (CDNA3 ISA 4.x; timing.csv "issue").
enum class Unit : uint8_t { salu, branch, message, smem, valu, trans, xdl, lds, vmem };
// What a row does to the wait counters; the mapping to a target's counters is in counters.def. `flat` moves two or three; flat_store
// is a flat row without result, no row says it. exported: exports and LDS parameter loads.
enum class Counter : uint8_t { none, load, store, lds, smem, flat, flat_store, message, sample, bvh, exported, async_load, async_store, tensor };

enum class Kind : uint8_t {
  none,
  v, a, va,        // VGPR, AGPR, either
  s,               // SGPR tuple, VCC, EXEC, M0, ...
  ssrc,            // scalar source: SGPR, inline constant or literal
  any,             // VALU source: VGPR, SGPR, inline constant or literal
  mask,            // lane mask: VCC or an SGPR pair (wave64), one SGPR (wave32)
  vaddr,           // VGPR address or `off`
  saddr,           // SGPR base or `off`
  vac,             // matrix accumulator source: VGPR, AGPR or inline constant
  imm,             // plain immediate (simm16, hwreg, ...)
  waits,           // s_waitcnt fields
  label,           // branch target
};
enum class Access : uint8_t { read, write, both };
struct OperandSpec {
  Kind kind = Kind::none;
  uint8_t dwords = 0;
  Access access = Access::read;
  bool half = false;                                      // a constant is read as f16
  bool operator==(const OperandSpec&) const = default;
};

// Registers an instruction touches without naming them.
enum Implicit : uint16_t { none = 0, scc_w = 1, scc_r = 2, exec_w = 4, exec_r = 8, vcc_r = 16, vcc_w = 32, m0_r = 64, pc_w = 128, ends = 256 };

enum class Type : uint8_t { none, f64, f32, xf32, f16, bf16, fp8, bf8, i8, i32, u8, i4 };
int bits(Type);

// Shape of a matrix instruction: D[m,n] = A[m,k] * B[k,n] + C[m,n], `blocks` times. Zero m: not a matrix instruction.
struct Matrix {
  uint8_t m = 0, n = 0, k = 0, blocks = 0;
  Type a{}, b{}, d{};
  uint8_t passes = 0;                                      // of 4 clocks
  int flops() const { return 2 * m * n * k * blocks; }
};

enum class Opcode : uint16_t {
#define OP(mnemonic, ...) mnemonic,
#define MFMA(mnemonic, ...) mnemonic,
#include "instructions.def"
#undef OP
#undef MFMA
};

inline constexpr int max_operands = 6;
struct Info {
  const char* mnemonic;
  Format format;
  Unit unit;
  Counter counter;
  uint16_t implicit;
  ArchSet archs;
  std::array<OperandSpec, max_operands> operands;
  Matrix matrix{};
  int count() const { int n = 0; while (n < max_operands && operands[n].kind != Kind::none) ++n; return n; }
  bool on(Arch a) const { return archs & bit(a); }
  bool is_matrix() const { return matrix.m != 0; }
  bool is_vector() const { return unit == Unit::valu || unit == Unit::trans || unit == Unit::xdl; }
};
const Info& info(Opcode);
std::span<const Info> table();                             // index = Opcode
std::optional<Opcode> find_opcode(std::string_view mnemonic);
std::string nearest(std::string_view mnemonic);            // closest spelling, for messages; empty if none is close
std::string archs_with(const Info&);                       // "gfx942 gfx950"

}  // namespace wavesmith::isa
