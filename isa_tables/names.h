// Spellings shared by the printer and the parser: special registers, flags, DPP controls, SDWA selectors.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "isa_tables/inst.h"

namespace wavesmith::isa {

struct SpecialName { std::string_view name; uint16_t index; uint8_t dwords; };
// clang-format off
inline constexpr SpecialName special_names[] = {
    {"vcc", sreg::vcc, 2},   {"vcc_lo", sreg::vcc, 1},   {"vcc_hi", sreg::vcc + 1, 1},
    {"exec", sreg::exec, 2}, {"exec_lo", sreg::exec, 1}, {"exec_hi", sreg::exec + 1, 1},
    {"m0", sreg::m0, 1},     {"null", sreg::null, 1},    {"scc", sreg::scc, 1}, {"src_scc", sreg::scc, 1},
    {"flat_scratch", sreg::flat_scratch, 2}, {"flat_scratch_lo", sreg::flat_scratch, 1}, {"flat_scratch_hi", sreg::flat_scratch + 1, 1},
    {"xnack_mask", sreg::xnack_mask, 2},     {"xnack_mask_lo", sreg::xnack_mask, 1},     {"xnack_mask_hi", sreg::xnack_mask + 1, 1},
    {"src_shared_base", sreg::shared_base, 2},   {"src_shared_limit", sreg::shared_limit, 2},
    {"src_private_base", sreg::private_base, 2}, {"src_private_limit", sreg::private_limit, 2},
    {"src_vccz", sreg::vccz, 1}, {"src_execz", sreg::execz, 1}, {"src_lds_direct", sreg::lds_direct, 1},
};
inline constexpr std::pair<Flag, std::string_view> flag_names[] = {
    {idxen, "idxen"}, {offen, "offen"}, {clamp, "clamp"}, {sc0, "sc0"}, {nt, "nt"}, {sc1, "sc1"},
    {glc, "glc"}, {slc, "slc"}, {dlc, "dlc"}, {tfe, "tfe"}, {gds, "gds"}, {lds, "lds"},
};
inline constexpr std::string_view sdwa_names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
inline constexpr std::string_view dst_unused_names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
// clang-format on

std::string special_name(int index, int dwords);           // "vcc", "exec_lo", "ttmp[4:5]"
std::string dpp_name(int ctrl);                            // "quad_perm:[0,1,2,3]", "row_shl:1"; DPP_CTRL of the GCN3/CDNA guides

}  // namespace wavesmith::isa
