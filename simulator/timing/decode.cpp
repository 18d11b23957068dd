// Joins instruction rows, issue classes and wait tables into one record per step.
#include "simulator/timing/decode.h"

#include <algorithm>
#include <bit>
#include <span>

#include "isa_tables/lds.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/timing/issue.h"

namespace wavesmith::timing {
namespace {

using isa::Opcode;
using sim::Step;

// f(first, count) for each run of registers, ascending.
template <class F>
void each_run(std::span<const isa::RegPart> ascending, F&& f) {
  int first = 0, count = 0;
  for (const isa::RegPart& p : ascending)
    for (u64 m = p.mask; m;) {
      const int bit = std::countr_zero(m), length = std::countr_one(m >> bit), reg = p.word * 64 + bit;
      if (count && first + count == reg) count += length;
      else {
        if (count) f(first, count);
        first = reg, count = length;
      }
      m = bit + length == 64 ? 0 : m >> (bit + length) << (bit + length);
    }
  if (count) f(first, count);
}
std::vector<RegisterRange> ranges(isa::RegSet set) {
  const std::span parts(set.parts.begin(), static_cast<size_t>(set.count));
  std::ranges::sort(parts, {}, &isa::RegPart::word);
  size_t runs = 0;
  each_run(parts, [&](int, int) { ++runs; });
  std::vector<RegisterRange> out;
  out.reserve(runs);
  each_run(parts, [&](int first, int count) { out.push_back({static_cast<u16>(first), static_cast<u16>(count)}); });
  return out;
}

struct TimingDecoder {
  isa::Arch arch;
  int wave_size;
  const isa::Timing& t;
  const isa::Target& target;

  int halves() const { return std::max(1, wave_size / target.wave_size); }  // a wave64 on 32 lanes issues twice

  void vector(const Step& st, Static& s) const {
    const isa::Info& row = *st.row;
    s.reader = Reader::valu;
    if (row.is_matrix()) {
      s.unit = timing::IssueUnit::matrix, s.made = Made::matrix, s.reader = Reader::matrix, s.tracked = true;
      s.busy = isa::clocks(st.inst, arch) * halves();
      s.matrix_on_valu = row.unit != isa::Unit::xdl || t.matrix_on_valu > 0;
      s.shadow = s.matrix_on_valu      ? s.busy
                 : t.matrix_shadow > 0 ? std::min(s.busy, static_cast<int>(t.matrix_shadow))
                                       : s.busy - isa::slot_clocks(arch) * isa::hidden_slots(st.inst, arch);
      return;
    }
    s.unit = row.unit == isa::Unit::trans ? timing::IssueUnit::trans : timing::IssueUnit::valu;
    s.made = row.unit == isa::Unit::trans ? Made::trans : Made::valu;
    s.busy = static_cast<int>(isa::valu_clocks(st.inst, t)) * halves();
    s.late = s.made == Made::trans ? std::max(0, s.busy - static_cast<int>(t.trans_latency))
                                   : s.busy - static_cast<int>(t.valu_full);
    for (int i = 0; i < row.count(); ++i)
      if (row.operands[i].kind == isa::Kind::mask)
        (row.operands[i].access == isa::Access::read ? s.reads_mask : s.makes_mask) = true;
    s.packed = row.format == isa::Format::vop3p && row.operands[0].dwords == 2 && t.matrix_after_packed > 0;
  }

  void lds(const Step& st, Static& s) const {
    s.unit = timing::IssueUnit::lds, s.reader = Reader::memory;
    const auto m = isa::memory_of(st.inst);
    s.store = st.cold->writes.count == 0, s.crossbar = m == isa::no_memory, s.atomic = st.row->implicit & isa::atomic;
    const bool two = st.row->format == isa::Format::ds2;
    // Of two addresses: the result has the bytes of both, a source those of one.
    lds_cost(s, two && !s.store ? std::max(4, data_bytes(st) / 2) : data_bytes(st), two ? 2 : 1);
  }
  void lds_cost(Static& s, int bytes, int accesses) const {
    s.bytes = bytes * accesses;
    const auto& p =
        isa::lds_phases(target.family, s.store ? isa::LdsAccess::write : isa::LdsAccess::read, std::min(16, bytes));
    s.lds_clocks = accesses * std::max(1, wave_size / p.lanes) * (s.atomic ? 2 : 1);
    const double data = static_cast<double>(s.bytes) * wave_size;
    s.lds_in =
        static_cast<int>(t.lds_address_clocks + (s.store || s.crossbar || s.atomic ? data / t.lds_write_bytes : 0));
    s.lds_out = s.store ? 0 : std::max(1, static_cast<int>(data / t.lds_port_bytes));
    s.busy = std::max({s.lds_clocks, s.lds_in, s.lds_out});
  }

  void vmem(const Step& st, Static& s) const {
    s.unit = timing::IssueUnit::vmem, s.reader = Reader::memory;
    const auto m = isa::memory_of(st.inst);
    s.to_lds = (m & isa::lds_write) && (m & isa::global_read) && st.cold->writes.count == 0;
    s.store = (m & isa::global_write) && st.cold->writes.count == 0;
    s.atomic = st.row->implicit & isa::atomic;
    s.prefetch = prefetches(st), s.tensor = st.row->format == isa::Format::tensor;
    s.bytes = s.prefetch ? 0 : data_bytes(st);
    s.busy = s.tensor ? static_cast<int>(t.vmem_address_clocks)
                      : static_cast<int>(
                            std::max(t.vmem_address_clocks, static_cast<double>(s.bytes) * wave_size / t.vmem_bytes));
  }

  void control(const Step& st, Static& s) const {
    s.unit = timing::IssueUnit::internal, s.reader = Reader::scalar;
    const u32 value = st.inst.operands[0].bits;
    const isa::Opcode op = st.inst.op;
    if (op == Opcode::s_nop) s.pause = static_cast<int>((value & 15) + 1) * static_cast<int>(t.nop_clocks);
    if (op == Opcode::s_sleep) s.pause = static_cast<int>((value & 127) * t.sleep_clocks);
    if (op == Opcode::s_setprio) s.priority = static_cast<int8_t>(value & 3);
    if (op == Opcode::s_barrier) s.signal = s.wait = 1;
    const bool whole = static_cast<int16_t>(value) ==
                       -1;  // the workgroup's own barrier; named and cluster barriers are not waited for
    if (whole && (op == Opcode::s_barrier_signal || op == Opcode::s_barrier_signal_isfirst)) s.signal = 1;
    if (whole && op == Opcode::s_barrier_wait) s.wait = 1;
    s.wait_for = isa::waits_of(st.inst, arch);
    s.waits = s.wait_for.any();
  }

  // C, and D of accumulating instructions, are forwarded inside the pipe.
  static void forward(const Step& st, Static& s) {
    isa::RegSet others = st.cold->touched, accumulators = st.cold->writes;
    if (st.sources > 2 && st.src[2].from == sim::Source::From::vector)
      for (int k = 0; k < std::max<int>(st.src[2].dwords, s.writes.empty() ? 0 : s.writes[0].count); ++k)
        accumulators.add(st.src[2].reg + k);
    for (int i = 0; i < accumulators.count; ++i)
      for (int k = 0; k < others.count; ++k)
        if (others.parts[k].word == accumulators.parts[i].word) others.parts[k].mask &= ~accumulators.parts[i].mask;
    for (int k = 0; k < 2 && k < st.sources; ++k)  // A or B may overlap C
      for (int r = 0; st.src[k].from == sim::Source::From::vector && r < st.src[k].dwords; ++r)
        others.add(st.src[k].reg + r);
    s.reads = ranges(others), s.accumulators = ranges(accumulators);
  }

  Static one(const Step& st) const {
    Static s;
    s.pc = st.pc, s.line = static_cast<u32>(st.pc / static_cast<u64>(t.icache_line));
    s.straddles = t.straddle_clocks > 0 && st.size > 4 &&
                  st.pc / static_cast<u64>(t.fetch_bytes) != (st.pc + st.size - 1) / static_cast<u64>(t.fetch_bytes);
    s.unit = timing::IssueUnit::internal;
    if (!st.row) return s;
    const isa::Info& row = *st.row;
    s.data = has_data(st);
    s.ends = row.implicit & isa::ends;
    if (row.is_vector() || row.is_matrix()) vector(st, s);
    else switch (row.unit) {
        case isa::Unit::lds: lds(st, s); break;
        case isa::Unit::vmem: vmem(st, s); break;
        case isa::Unit::smem:
          s.unit = timing::IssueUnit::smem, s.reader = Reader::scalar, s.busy = static_cast<int>(t.issue_period);
          break;
        case isa::Unit::branch:
          s.unit = timing::IssueUnit::branch, s.reader = Reader::branch, s.branch = true,
          s.busy = static_cast<int>(t.issue_period);
          break;
        case isa::Unit::salu:
          s.unit = timing::IssueUnit::salu, s.made = Made::scalar, s.reader = Reader::scalar,
          s.busy = static_cast<int>(t.issue_period);
          if (row.implicit & isa::mode_r) s.late = static_cast<int>(t.salu_float - t.salu_to_salu);
          if (const auto multiplies = {Opcode::s_mul_i32, Opcode::s_mul_hi_i32, Opcode::s_mul_hi_u32,
                                       Opcode::s_mulk_i32, Opcode::s_mul_u64};
              std::ranges::find(multiplies, st.inst.op) != multiplies.end())
            s.late = static_cast<int>(t.salu_multiply - t.salu_to_salu);
          break;
        default: control(st, s);
      }
    if (row.implicit & isa::pc_w) s.branch = true;
    for (const isa::CounterEvent& e : isa::counter_events(row, arch))
      if (row.counter != isa::Counter::none) s.event[s.events++] = e;
    isa::RegSet reads = st.cold->touched;  // less registers that are only overwritten
    isa::RegBits kept{};
    for (int i = 0; i < st.cold->reads.count; ++i) kept[st.cold->reads.parts[i].word] |= st.cold->reads.parts[i].mask;
    for (int i = 0; i < st.cold->writes.count; ++i)
      for (int k = 0; k < reads.count; ++k)
        if (reads.parts[k].word == st.cold->writes.parts[i].word)
          reads.parts[k].mask &= ~st.cold->writes.parts[i].mask | kept[reads.parts[k].word];
    s.reads = ranges(reads), s.writes = ranges(st.cold->writes);
    if (row.is_matrix()) forward(st, s);
    return s;
  }
};

}  // namespace

int data_bytes(const Step& st) {
  const auto m = isa::memory_of(st.inst);
  const bool to_lds = (m & isa::lds_write) && (m & isa::global_read), result = st.cold->writes.count || to_lds;
  int written = 0, widest = 1;
  for (int i = 0; i < st.row->count(); ++i) {
    const auto& o = st.row->operands[i];
    const bool vector = o.kind == isa::Kind::v || o.kind == isa::Kind::a || o.kind == isa::Kind::va;
    if (o.access != isa::Access::read) written += o.dwords;
    else if (vector) widest = std::max<int>(widest, o.dwords);
  }
  return 4 * (result && written ? written : widest);
}

std::vector<Static> decode(const sim::DecodedKernel& p, isa::Arch arch, int wave_size) {
  const TimingDecoder d{arch, wave_size, isa::timing(arch), isa::target(arch)};
  std::vector<Static> out;
  out.reserve(p.steps.size());
  for (const Step& st : p.steps) out.push_back(d.one(st));
  return out;
}

}  // namespace wavesmith::timing
