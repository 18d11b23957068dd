// Spellings shared by the printer and the parser: special registers, flags, DPP controls, SDWA selectors.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

struct SpecialName {
  std::string_view name;
  uint16_t index;
  uint8_t dwords;
};
// clang-format off
inline constexpr SpecialName special_names[] = {
    {"vcc", sreg::vcc, 2},   {"vcc_lo", sreg::vcc, 1},   {"vcc_hi", sreg::vcc + 1, 1},
    {"exec", sreg::exec, 2}, {"exec_lo", sreg::exec, 1}, {"exec_hi", sreg::exec + 1, 1},
    {"m0", sreg::m0, 1},     {"null", sreg::null, 1},    {"scc", sreg::scc, 1}, {"src_scc", sreg::scc, 1},
    {"flat_scratch", sreg::flat_scratch, 2}, {"flat_scratch_lo", sreg::flat_scratch, 1}, {"flat_scratch_hi", sreg::flat_scratch + 1, 1},
    {"xnack_mask", sreg::xnack_mask, 2},     {"xnack_mask_lo", sreg::xnack_mask, 1},     {"xnack_mask_hi", sreg::xnack_mask + 1, 1},
    {"src_shared_base", sreg::shared_base, 2},   {"src_shared_limit", sreg::shared_limit, 2},
    {"src_private_base", sreg::private_base, 2}, {"src_private_limit", sreg::private_limit, 2},
    {"src_flat_scratch_base_lo", sreg::scratch_base, 1}, {"src_flat_scratch_base_hi", sreg::scratch_base + 1, 1},
    {"src_pops_exiting_wave_id", sreg::pops_wave, 1},
    {"src_vccz", sreg::vccz, 1}, {"src_execz", sreg::execz, 1}, {"src_lds_direct", sreg::lds_direct, 1},
};
inline constexpr std::pair<Flag, std::string_view> flag_names[] = {
    {idxen, "idxen"}, {offen, "offen"}, {clamp, "clamp"}, {sc0, "sc0"}, {nt, "nt"}, {sc1, "sc1"},
    {glc, "glc"}, {slc, "slc"}, {dlc, "dlc"}, {tfe, "tfe"}, {gds, "gds"}, {lds, "lds"}, {nv, "nv"}, {scale_offset, "scale_offset"},
    {a_reuse, "matrix_a_reuse"}, {b_reuse, "matrix_b_reuse"}, {high_half, "high"},
};
inline constexpr std::string_view sdwa_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
inline constexpr std::string_view dst_unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
// clang-format on

const char* type_name(Type);    // "bf16"; "" for none
int source_count(const Info&);  // operands that modifiers refer to: those read, without lane masks
// Numbers with names: a register for s_getreg_b32, a message for s_sendmsg. `from` to `to`: the families that use the
// name.
struct NumberName {
  uint16_t number;
  std::string_view name;
  Family from, to;
};
std::span<const NumberName> hwreg_names();
// A field of a hardware register: the immediate of s_getreg and s_setreg (all guides, S_GETREG_B32).
struct HwregField {
  int number;                    // 5:0, see hwreg_names()
  int first_bit = 0, bits = 32;  // 10:6, and less one 15:11
  static constexpr HwregField of(uint32_t encoded) {
    return {static_cast<int>(encoded & 63), static_cast<int>(encoded >> 6 & 31),
            static_cast<int>(encoded >> 11 & 31) + 1};
  }
  constexpr int encoded() const { return number | first_bit << 6 | (bits - 1) << 11; }
  bool operator==(const HwregField&) const = default;
};
inline constexpr int mode_hwreg = 1;  // HW_REG_MODE, on all targets
inline constexpr HwregField mode_fp16_ovfl{mode_hwreg, 23, 1}, mode_vskip{mode_hwreg, 28, 1},
    mode_replay{mode_hwreg, 25, 1};
std::span<const NumberName> message_names();
std::string_view number_name(std::span<const NumberName>, int number, Arch);  // empty: none
std::optional<int> number_of(std::span<const NumberName>, std::string_view name, Arch);

// Operations of a message, bits 4 and up of s_sendmsg on CDNA.
inline constexpr std::pair<std::string_view, int> message_operations[] = {{"GS_OP_NOP", 0},
                                                                          {"GS_OP_CUT", 1},
                                                                          {"GS_OP_EMIT", 2},
                                                                          {"GS_OP_EMIT_CUT", 3},
                                                                          {"SYSMSG_OP_ECC_ERR_INTERRUPT", 1},
                                                                          {"SYSMSG_OP_REG_RD", 2},
                                                                          {"SYSMSG_OP_HOST_TRAP_ACK", 3},
                                                                          {"SYSMSG_OP_TTRACE_PC", 4}};

inline constexpr std::pair<std::string_view, uint32_t> version_names[] = {
    {"UC_VERSION_GFX10", 4},        {"UC_VERSION_GFX11", 6},        {"UC_VERSION_GFX12", 9},
    {"UC_VERSION_W64_BIT", 0x2000}, {"UC_VERSION_W32_BIT", 0x4000}, {"UC_VERSION_MDP_BIT", 0x8000}};
inline constexpr std::string_view gpr_index_names[] = {"SRC0", "SRC1", "SRC2", "DST"};
// Fields of s_delay_alu and of s_waitcnt_depctr / s_wait_alu.
inline constexpr std::string_view delay_ids[] = {
    "NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",        "VALU_DEP_3",   "VALU_DEP_4",   "TRANS32_DEP_1",
    "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3"};
inline constexpr std::string_view delay_skips[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
struct DepctrField {
  std::string_view name;
  uint8_t shift, bits;
};
inline constexpr DepctrField depctr_fields[] = {
    {"depctr_va_vdst", 12, 4}, {"depctr_va_sdst", 9, 3}, {"depctr_va_ssrc", 8, 1}, {"depctr_hold_cnt", 7, 1},
    {"depctr_vm_vsrc", 2, 3},  {"depctr_va_vcc", 1, 1},  {"depctr_sa_sdst", 0, 1}};
// gfx12's temporal hint, whose names depend on the kind of access. In both directions; "TH_LOAD_NT", 1.
enum class Hint : uint8_t { load, store, atomic };
std::string hint_name(int th, Hint, bool system_scope);
std::optional<int> hint_of(std::string_view name);
inline constexpr std::string_view scope_names[] = {"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
inline constexpr std::string_view matrix_format_names[] = {"MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6",
                                                           "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"};
inline constexpr std::string_view matrix_scale_names[] = {"MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1"};
inline constexpr std::string_view matrix_scale_format_names[] = {"MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3",
                                                                 "MATRIX_SCALE_FMT_E4M3"};

std::string special_name(int index, int dwords);  // "vcc", "exec_lo", "ttmp[4:5]"
// "quad_perm:[0,1,2,3]", "row_shl:1": DPP_CTRL of the GCN3/CDNA guides. 0x150 to 0x15f is row_newbcast on CDNA,
// row_share on RDNA.
std::string dpp_name(int ctrl, bool rdna);

}  // namespace wavesmith::isa
