// Program control and messages: branches, jumps, M0-relative scalar moves, sleeping and halting, and instructions that
// have no effect in a functional model. Instructions that need a trap handler, a debugger or another agent are refused
// with the reason.
#include <fmt/format.h>

#include "isa_tables/names.h"
#include "simulator/access.h"
#include "simulator/scalar.h"
#include "simulator/vskip.h"

namespace wavesmith::sim {
namespace {

void branch(Wave& w, const Step& st) { w.next = st.target; }
template <auto taken>
void branch_if(Wave& w, const Step& st) {
  if (taken(w)) w.next = st.target;
}
void end(Wave& w, const Step&) { w.ended = true; }
void nothing(Wave&, const Step&) {}
template <size_t reason>
void refuse(Wave& w, const Step&) {
  constexpr const char* reasons[] = {
      "forks control flow with the hardware stack: not modelled",
      "returns from a trap handler, but the wave is not in one",
      "kills the wave",
      "is not meant to be executed: it pads the space after a program",
      "saves the wave's context: context switches are not modelled",
      "changes the number of VGPRs: dynamic VGPRs are not modelled",
  };
  w.fail(Fault::Kind::illegal, reasons[reason]);
}
enum : size_t { forks, returns_from_trap, kills, padding, saves_context, reallocates };

u64 following(const Step& st) { return st.pc + st.size; }
void getpc(Wave& w, const Step& st) { w.set_pair(st.dst, w.group->image + following(st)); }
void setpc(Wave& w, const Step& st) {
  int i = 0;
  w.jump = source<u64>(w, st, i);
}
void swappc(Wave& w, const Step& st) {
  int i = 0;
  w.jump = source<u64>(w, st, i);
  w.set_pair(st.dst, w.group->image + following(st));
}
void call(Wave& w, const Step& st) {
  w.set_pair(st.dst, w.group->image + following(st));
  w.next = st.target;
}
void add_pc(Wave& w, const Step& st) {
  int i = 0;
  w.jump = w.group->image + following(st) + source<u64>(w, st, i);
}

// Two passes over the halves of EXEC in wave64 (RDNA3 ISA, S_SUBVECTOR_LOOP_BEGIN/END): the register keeps the other
// half.
void subvector_begin(Wave& w, const Step& st) {
  const u64 e = w.exec();
  const u16 keep = st.dst;
  if (e == 0) {
    w.next = st.target;
    return;
  }
  if (static_cast<u32>(e) == 0) {
    w.s[keep] = static_cast<u32>(e);
    return;
  }  // the second half alone
  w.s[keep] = static_cast<u32>(e >> 32);
  w.set_exec(static_cast<u32>(e));
}
void subvector_end(Wave& w, const Step& st) {
  const u64 e = w.exec();
  const u16 keep = st.dst;
  if (e >> 32) {  // the second pass is over
    w.set_exec(w.s[keep] | (e & ~u64{0xffffffff}));
  } else if (w.s[keep] != 0) {  // on to the second half
    const u32 other = w.s[keep];
    w.s[keep] = static_cast<u32>(e);
    w.set_exec(u64{other} << 32);
    w.next = st.target;
  }
}

// -- Scalar registers relative to M0 ---
bool relative(Wave& w, int reg, int dwords) {
  const int limit = w.group->target->sgprs;
  if (reg >= 0 && reg + dwords <= limit) return true;
  w.fail(Fault::Kind::illegal, fmt::format("M0 selects s{}, legal: s0 to s{}", reg, limit - dwords));
  return false;
}
void mark(Wave& w, int reg, int dwords) {
  for (int k = 0; k < dwords; ++k) w.written[(scalar_base + reg + k) / 64] |= u64{1} << (scalar_base + reg + k) % 64;
}
bool known(Wave& w, int reg, int dwords) {
  for (int k = 0; k < dwords; ++k) {
    const int r = scalar_base + reg + k;
    if (w.group->options->checks.in_flight && (w.async.in_flight[r / 64] >> r % 64 & 1))
      return w.fail(Fault::Kind::in_flight, fmt::format("reads s{} while a load into it is in flight", reg + k)), false;
    if (w.group->options->checks.undefined && !(w.written[r / 64] >> r % 64 & 1))
      return w.fail(Fault::Kind::undefined_read, fmt::format("reads s{}, which was never written", reg + k)), false;
  }
  return true;
}
template <class T>
void move_from(Wave& w, const Step& st) {
  constexpr int n = sizeof(T) / 4;
  const int reg = st.src[0].reg + static_cast<int>(w.s[sreg::m0]);
  if (!relative(w, reg, n) || !known(w, reg, n)) return;
  if constexpr (n == 2) put(w, st, w.pair(reg));
  else put(w, st, w.s[reg]);
}
template <class T>
void move_to(Wave& w, const Step& st) {
  constexpr int n = sizeof(T) / 4;
  const int reg = st.src[0].reg + static_cast<int>(w.s[sreg::m0]);
  if (!relative(w, reg, n)) return;
  int i = 1;
  const T x = source<T>(w, st, i);
  if constexpr (n == 2) w.set_pair(reg, x);
  else w.s[reg] = x;
  mark(w, reg, n);
}
void move_both(Wave& w, const Step& st) {  // offsets in M0[9:0] for the source, M0[25:16] for the destination
  const int from = st.src[1].reg + static_cast<int>(w.s[sreg::m0] & 0x3ff),
            to = st.src[0].reg + static_cast<int>(w.s[sreg::m0] >> 16 & 0x3ff);
  if (!relative(w, from, 1) || !known(w, from, 1) || !relative(w, to, 1)) return;
  w.s[to] = w.s[from];
  mark(w, to, 1);
}

// -- VGPRs relative to M0 (gfx9): s_set_gpr_idx_on and its companions; Runner::step applies it ---
void index_on(Wave& w, const Step& st) {
  int i = 0;
  const u32 index = source<u32>(w, st, i);
  w.s[sreg::m0] = (w.s[sreg::m0] & ~0xf0ffu) | (index & 0xff) | (st.src[1].bits[0] & 15) << 12;
  w.indexed = true;
}
void index_off(Wave& w, const Step&) { w.indexed = false; }
void index_set(Wave& w, const Step& st) {
  int i = 0;
  w.s[sreg::m0] = (w.s[sreg::m0] & ~0xffu) | (source<u32>(w, st, i) & 0xff);
}
void index_mode(Wave& w, const Step& st) {
  w.s[sreg::m0] = (w.s[sreg::m0] & ~0xf000u) | (st.src[0].bits[0] & 15) << 12;
}
// Vector instructions are skipped from here on and do not increment counters; Runner::step applies it (Vega ISA,
// CDNA1-4 ISA, S_SETVSKIP).
void skip_vector(Wave& w, const Step& st) {
  int i = 0;
  const u32 a = source<u32>(w, st, i), b = source<u32>(w, st, i);
  w.mode_rest = (w.mode_rest & ~vskip) | (a >> (b & 31) & 1) * vskip;
}

// -- Messages, halting, time ---
void halt(Wave& w, const Step& st) {
  if (st.src[0].bits[0] & 1) w.fail(Fault::Kind::illegal, "halts the wave: the simulator has nothing that resumes it");
}
void setkill(Wave& w, const Step& st) {
  if (st.src[0].bits[0] & 1) refuse<kills>(w, st);
}
void trap(Wave& w, const Step& st) {
  w.fail(Fault::Kind::illegal,
         fmt::format("traps (number {}): there is no trap handler, the queue would end in an error",
                     st.src[0].bits[0] & 0xff));
}
std::string message_name(const Wave& w, u32 number) {
  const auto name = isa::number_name(isa::message_names(), static_cast<int>(number), w.arch);
  return name.empty() ? fmt::format("message {}", number) : std::string(name);
}
void sendmsg(Wave& w, const Step& st) {
  const u32 number = st.src[0].bits[0] & 0xff;
  const std::string name = message_name(w, number);
  if (name == "MSG_INTERRUPT" && w.group->options->interrupt) return w.group->options->interrupt();
  if (name != "MSG_DEALLOC_VGPRS")
    return w.fail(Fault::Kind::illegal, fmt::format("sends {}: not modelled; legal: MSG_DEALLOC_VGPRS", name));
  for (int r = 0; r < Wave::vector_regs; ++r) w.written_mask[r] = 0;  // the registers are deallocated
  for (int word = 0; word < Wave::vector_regs / 64; ++word) w.written[word] = 0;
  w.lane_bits.clear();
}
template <int dwords>
void sendmsg_return(Wave& w, const Step& st) {
  const std::string name = message_name(w, st.src[0].bits[0] & 0xff);
  if (name == "MSG_RTN_GET_REALTIME") return deliver(w, st, w.issued, dwords);
  w.fail(Fault::Kind::illegal, fmt::format("requests {}: not modelled; legal: MSG_RTN_GET_REALTIME", name));
}
void cycles(Wave& w, const Step& st) { w.set_pair(st.dst, w.issued); }

constexpr Semantics rows[] = {
    {"s_branch", branch},
    {"s_cbranch_scc0", branch_if<([](const Wave& w) { return !w.scc; })>},
    {"s_cbranch_scc1", branch_if<([](const Wave& w) { return w.scc; })>},
    {"s_cbranch_vccz", branch_if<([](const Wave& w) { return w.mask(sreg::vcc) == 0; })>},
    {"s_cbranch_vccnz", branch_if<([](const Wave& w) { return w.mask(sreg::vcc) != 0; })>},
    {"s_cbranch_execz", branch_if<([](const Wave& w) { return w.exec() == 0; })>},
    {"s_cbranch_execnz", branch_if<([](const Wave& w) { return w.exec() != 0; })>},
    {"s_cbranch_cdbgsys", nothing},  // the debug conditions are 0 without a debugger
    {"s_cbranch_cdbguser", nothing},
    {"s_cbranch_cdbgsys_or_user", nothing},
    {"s_cbranch_cdbgsys_and_user", nothing},
    {"s_cbranch_g_fork", refuse<forks>},
    {"s_cbranch_i_fork", refuse<forks>},
    {"s_cbranch_join", refuse<forks>},
    {"s_getpc_b64", getpc},
    {"s_setpc_b64", setpc},
    {"s_swappc_b64", swappc},
    {"s_call_b64", call},
    {"s_add_pc_i64", add_pc},
    {"s_rfe_b64", refuse<returns_from_trap>},
    {"s_rfe_restore_b64", refuse<returns_from_trap>},
    {"s_subvector_loop_begin", subvector_begin},
    {"s_subvector_loop_end", subvector_end},

    {"s_movrels_b32", move_from<u32>},
    {"s_movrels_b64", move_from<u64>},
    {"s_movreld_b32", move_to<u32>},
    {"s_movreld_b64", move_to<u64>},
    {"s_movrelsd_2_b32", move_both},
    {"s_set_gpr_idx_on", index_on},
    {"s_set_gpr_idx_off", index_off},
    {"s_set_gpr_idx_idx", index_set},
    {"s_set_gpr_idx_mode", index_mode},
    {"s_setvskip", skip_vector},

    {"s_endpgm", end},
    {"s_endpgm_saved", refuse<saves_context>},
    {"s_code_end", refuse<padding>},
    {"s_alloc_vgpr", refuse<reallocates>},
    {"s_sethalt", halt},
    {"s_setkill", setkill},
    {"s_trap", trap},
    {"s_sendmsg", sendmsg},
    {"s_sendmsghalt", sendmsg},
    {"s_sendmsg_rtn_b32", sendmsg_return<1>},
    {"s_sendmsg_rtn_b64", sendmsg_return<2>},
    {"s_get_shader_cycles_u64", cycles},

    {"s_nop", nothing},
    {"s_version", nothing},
    {"s_sleep", nothing},
    {"s_sleep_var", nothing},
    {"s_monitor_sleep", nothing},
    {"s_wakeup", nothing},
    {"s_setprio", nothing},
    {"s_setprio_inc_wg", nothing},
    {"s_icache_inv", nothing},
    {"s_clause", nothing},
    {"s_delay_alu", nothing},
    {"s_waitcnt_depctr", nothing},  // s_wait_alu
    {"s_wait_event", nothing},
    {"s_set_inst_prefetch_distance", nothing},
    {"s_incperflevel", nothing},
    {"s_decperflevel", nothing},
    {"s_ttracedata", nothing},
    {"s_ttracedata_imm", nothing},
};

}  // namespace

void deliver(Wave& w, const Step& st, u64 value, int dwords) {
  if (dwords == 2) w.set_pair(st.dst, value);
  else if (st.dst != sreg::null) w.s[st.dst] = static_cast<u32>(value);
  Pending p;
  p.cls = isa::counter_class(*st.row);
  p.first = static_cast<u16>(scalar_base + st.dst), p.count = static_cast<u16>(st.dst == sreg::null ? 0 : dwords);
  p.pc = st.pc, p.step = st.number;
  issue(w, std::move(p));
}

std::span<const Semantics> control_semantics() { return rows; }

}  // namespace wavesmith::sim
