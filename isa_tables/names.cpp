// Names of registers, immediates and cache policies that are computed.
#include "isa_tables/names.h"

#include <fmt/format.h>

#include "isa_tables/dpp.h"

namespace wavesmith::isa {

namespace {
namespace spelled {  // here `cdna1` names a family, not a set of targets
using enum Family;
// clang-format off
constexpr NumberName hwregs[] = {
    {1, "HW_REG_MODE", cdna1, rdna35},           {2, "HW_REG_STATUS", cdna1, rdna35},          {3, "HW_REG_TRAPSTS", cdna1, rdna35},        {4, "HW_REG_HW_ID", cdna1, cdna4},
    {5, "HW_REG_GPR_ALLOC", cdna1, rdna35},      {6, "HW_REG_LDS_ALLOC", cdna1, rdna35},       {7, "HW_REG_IB_STS", cdna1, gfx1250},        {15, "HW_REG_SH_MEM_BASES", cdna1, rdna35},
    {16, "HW_REG_TBA_LO", cdna1, cdna4},         {17, "HW_REG_TBA_HI", cdna1, cdna4},          {18, "HW_REG_TMA_LO", cdna1, cdna4},         {19, "HW_REG_TMA_HI", cdna1, cdna4},
    {20, "HW_REG_XCC_ID", cdna3, cdna4},         {21, "HW_REG_SQ_PERF_SNAPSHOT_DATA", cdna3, cdna4}, {22, "HW_REG_SQ_PERF_SNAPSHOT_DATA1", cdna3, cdna4},
    {23, "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", cdna3, cdna4}, {24, "HW_REG_SQ_PERF_SNAPSHOT_PC_HI", cdna3, cdna4},
    {18, "HW_REG_PERF_SNAPSHOT_PC_LO", rdna3, rdna35},   {19, "HW_REG_PERF_SNAPSHOT_PC_HI", rdna3, rdna35}, {20, "HW_REG_FLAT_SCR_LO", rdna3, rdna35}, {21, "HW_REG_FLAT_SCR_HI", rdna3, rdna35},
    {23, "HW_REG_HW_ID1", rdna3, rdna35},        {24, "HW_REG_HW_ID2", rdna3, rdna35},         {27, "HW_REG_PERF_SNAPSHOT_DATA", rdna3, rdna35}, {29, "HW_REG_SHADER_CYCLES", rdna3, rdna35},
    {1, "HW_REG_WAVE_MODE", rdna4, gfx1250},     {2, "HW_REG_WAVE_STATUS", rdna4, gfx1250},    {4, "HW_REG_WAVE_STATE_PRIV", rdna4, gfx1250}, {5, "HW_REG_WAVE_GPR_ALLOC", rdna4, gfx1250},
    {6, "HW_REG_WAVE_LDS_ALLOC", rdna4, gfx1250}, {10, "HW_REG_PERF_SNAPSHOT_DATA", rdna4, gfx1250}, {11, "HW_REG_PERF_SNAPSHOT_PC_LO", rdna4, gfx1250},
    {12, "HW_REG_PERF_SNAPSHOT_PC_HI", rdna4, gfx1250}, {15, "HW_REG_PERF_SNAPSHOT_DATA1", rdna4, gfx1250}, {16, "HW_REG_PERF_SNAPSHOT_DATA2", rdna4, gfx1250},
    {17, "HW_REG_WAVE_EXCP_FLAG_PRIV", rdna4, gfx1250}, {18, "HW_REG_WAVE_EXCP_FLAG_USER", rdna4, gfx1250}, {19, "HW_REG_WAVE_TRAP_CTRL", rdna4, gfx1250},
    {20, "HW_REG_WAVE_SCRATCH_BASE_LO", rdna4, gfx1250}, {21, "HW_REG_WAVE_SCRATCH_BASE_HI", rdna4, gfx1250}, {23, "HW_REG_WAVE_HW_ID1", rdna4, gfx1250},
    {24, "HW_REG_WAVE_HW_ID2", rdna4, gfx1250},  {26, "HW_REG_WAVE_SCHED_MODE", rdna4, gfx1250}, {28, "HW_REG_IB_STS2", gfx1250, gfx1250},
    {29, "HW_REG_SHADER_CYCLES_LO", rdna4, gfx1250}, {30, "HW_REG_SHADER_CYCLES_HI", rdna4, gfx1250}, {31, "HW_REG_WAVE_DVGPR_ALLOC_LO", rdna4, gfx1250},
    {32, "HW_REG_WAVE_DVGPR_ALLOC_HI", rdna4, gfx1250}, {33, "HW_REG_XNACK_STATE_PRIV", gfx1250, gfx1250}, {34, "HW_REG_XNACK_MASK", gfx1250, gfx1250},
};
constexpr NumberName messages[] = {
    {1, "MSG_INTERRUPT", cdna1, gfx1250},        {4, "MSG_SAVEWAVE", cdna1, cdna4},            {5, "MSG_STALL_WAVE_GEN", cdna1, rdna35},    {6, "MSG_HALT_WAVES", cdna1, rdna35},
    {7, "MSG_ORDERED_PS_DONE", cdna1, cdna4},    {8, "MSG_EARLY_PRIM_DEALLOC", cdna1, cdna4},  {9, "MSG_GS_ALLOC_REQ", cdna1, gfx1250},     {10, "MSG_GET_DOORBELL", cdna1, cdna4},
    {2, "MSG_HS_TESSFACTOR", rdna3, gfx1250},    {3, "MSG_DEALLOC_VGPRS", rdna3, gfx1250},     {10, "MSG_SAVEWAVE_HAS_TDM", gfx1250, gfx1250},
    {2, "MSG_GS", cdna1, cdna4},                 {3, "MSG_GS_DONE", cdna1, cdna4},             {15, "MSG_SYSMSG", cdna1, cdna4},
    {128, "MSG_RTN_GET_DOORBELL", rdna3, gfx1250}, {129, "MSG_RTN_GET_DDID", rdna3, gfx1250},  {130, "MSG_RTN_GET_TMA", rdna3, gfx1250},    {131, "MSG_RTN_GET_REALTIME", rdna3, gfx1250},
    {132, "MSG_RTN_SAVE_WAVE", rdna3, gfx1250},  {133, "MSG_RTN_GET_TBA", rdna3, gfx1250},     {134, "MSG_RTN_GET_TBA_TO_PC", rdna3, gfx1250}, {135, "MSG_RTN_GET_SE_AID_ID", rdna4, gfx1250},
    {136, "MSG_RTN_GET_CLUSTER_BARRIER_STATE", gfx1250, gfx1250},
};
constexpr std::string_view hints[3][8] = {
    {"RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", "0x7"},
    {"RT", "NT", "HT", "WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"},
    {"RT", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "0x5", "CASCADE_NT", "0x7"}};
constexpr std::string_view hint_prefixes[3] = {"TH_LOAD_", "TH_STORE_", "TH_ATOMIC_"};
// clang-format on
}  // namespace spelled
}  // namespace

const char* type_name(Type t) {
  constexpr const char* names[] = {"",    "f64", "f32",    "xf32", "f16", "bf16", "fp8", "bf8", "fp6",
                                   "bf6", "fp4", "f8f6f4", "i32",  "i8",  "u8",   "iu8", "i4",  "iu4"};
  return names[static_cast<int>(t)];
}

int source_count(const Info& row) {
  int n = 0;
  for (const auto& o : row.operands) n += o.kind != Kind::none && o.access == Access::read && o.kind != Kind::mask;
  return n;
}

std::span<const NumberName> hwreg_names() { return spelled::hwregs; }
std::span<const NumberName> message_names() { return spelled::messages; }

std::string_view number_name(std::span<const NumberName> names, int number, Arch arch) {
  const Family f = target(arch).family;
  for (const auto& n : names)
    if (n.number == number && f >= n.from && f <= n.to) return n.name;
  return {};
}

std::optional<int> number_of(std::span<const NumberName> names, std::string_view name, Arch arch) {
  const Family f = target(arch).family;
  for (const auto& n : names)
    if (n.name == name && f >= n.from && f <= n.to) return n.number;
  return {};
}

// A load or store past all caches is last use (write back) at system scope.
std::string hint_name(int th, Hint kind, bool system_scope) {
  const int k = static_cast<int>(kind);
  if (th == 3 && system_scope && kind != Hint::atomic) return fmt::format("{}BYPASS", spelled::hint_prefixes[k]);
  return fmt::format("{}{}", spelled::hint_prefixes[k], spelled::hints[k][th & 7]);
}

std::optional<int> hint_of(std::string_view name) {
  for (int k = 0; k < 3; ++k) {
    if (!name.starts_with(spelled::hint_prefixes[k])) continue;
    const auto tail = name.substr(spelled::hint_prefixes[k].size());
    if (tail == "BYPASS") return 3;
    for (int th = 0; th < 8; ++th)
      if (spelled::hints[k][th] == tail) return th;
  }
  return {};
}

std::string special_name(int index, int dwords) {
  for (const auto& s : special_names)
    if (s.index == index && s.dwords == dwords) return std::string(s.name);
  if (index >= sreg::ttmp0 && index < sreg::m0)
    return dwords == 1 ? fmt::format("ttmp{}", index - sreg::ttmp0)
                       : fmt::format("ttmp[{}:{}]", index - sreg::ttmp0, index - sreg::ttmp0 + dwords - 1);
  if (index == sreg::null) return "null";  // of any width
  return fmt::format("s?{}", index);
}

std::string dpp_name(int ctrl, bool rdna) {
  using namespace dpp_ctrl;
  const auto c = static_cast<uint32_t>(ctrl), n = c & 15;
  if (c < row_shl) return fmt::format("quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
  if (numbered(c, row_shl)) return fmt::format("row_shl:{}", n);
  if (numbered(c, row_shr)) return fmt::format("row_shr:{}", n);
  if (numbered(c, row_ror)) return fmt::format("row_ror:{}", n);
  switch (c) {
    case wave_shl: return "wave_shl:1";
    case wave_rol: return "wave_rol:1";
    case wave_shr: return "wave_shr:1";
    case wave_ror: return "wave_ror:1";
    case row_mirror: return "row_mirror";
    case row_half_mirror: return "row_half_mirror";
    case row_bcast15: return "row_bcast:15";
    case row_bcast31: return "row_bcast:31";
  }
  if (numbered(c, row_share, 0)) return fmt::format("{}:{}", rdna ? "row_share" : "row_newbcast", n);
  if (numbered(c, row_xmask, 0)) return fmt::format("row_xmask:{}", n);
  return fmt::format("dpp_ctrl:0x{:x}", c);
}

}  // namespace wavesmith::isa
