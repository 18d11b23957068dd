// s_delay_alu (RDNA3 ISA 16.5, from gfx11 on): tells the hardware how many instructions ago the next instruction's
// operands were computed, so that it issues from other waves instead of stalling. It affects only when the hardware
// switches waves, not results. The conditions, and the merging of states between blocks, are those of LLVM's
// AMDGPUInsertDelayAlu.
#include <algorithm>

#include "generator/dsl/block.h"
#include "generator/passes/cfg.h"
#include "generator/passes/passes.h"
#include "isa_tables/reg_set.h"
#include "isa_tables/timing/timing.h"

namespace wavesmith {
namespace {

constexpr int valu_limit = 5, trans_limit = 4, skip_limit = 6;  // one more than the fields can encode
constexpr uint32_t trans_id = 4, salu_id = 8;  // instid: VALU_DEP_1 to 4 are 1 to 4, TRANS32_DEP_1 5, SALU_CYCLE_1 9
constexpr int second_shift = 7, skip_shift = 4;

enum class Pipe : uint8_t { other, valu, trans, salu };

// How long ago a result was computed: instructions of its pipe since then, and clocks until it is available (0: now).
// For several operands, and where blocks join: the fewest instructions and the most clocks.
struct Delay {
  int valus = valu_limit, valu_clocks = 0, trans = trans_limit, valus_since_trans = valu_limit, trans_clocks = 0,
      salu = 0;
  bool operator==(const Delay&) const = default;
  static Delay of(Pipe pipe, int latency) {
    Delay d;
    if (pipe == Pipe::valu) d.valus = 0, d.valu_clocks = latency;
    if (pipe == Pipe::trans) d.trans = d.valus_since_trans = 0, d.trans_clocks = latency;
    if (pipe == Pipe::salu) d.salu = latency;
    return d;
  }
  void join(const Delay& o) {
    valus = std::min(valus, o.valus), valu_clocks = std::max(valu_clocks, o.valu_clocks);
    trans = std::min(trans, o.trans), valus_since_trans = std::min(valus_since_trans, o.valus_since_trans),
    trans_clocks = std::max(trans_clocks, o.trans_clocks);
    salu = std::max(salu, o.salu);
  }
  // Accounts for one more issued instruction. False: no use has to wait any more.
  bool advance(Pipe pipe, int clocks) {
    valus += pipe == Pipe::valu;
    if (valus >= valu_limit || valu_clocks <= clocks) valus = valu_limit, valu_clocks = 0;
    else valu_clocks -= clocks;
    trans += pipe == Pipe::trans, valus_since_trans += pipe == Pipe::valu;
    if (trans >= trans_limit || trans_clocks <= clocks)
      trans = trans_limit, valus_since_trans = valu_limit, trans_clocks = 0;
    else trans_clocks -= clocks;
    salu = std::max(0, salu - clocks);
    return valu_clocks || trans_clocks || salu;
  }
};
using Results = std::vector<std::pair<int, Delay>>;  // by register, ascending

Results::iterator from(Results& all, int reg) {
  return std::ranges::lower_bound(all, reg, {}, &std::pair<int, Delay>::first);
}
Results::iterator found(Results& all, int reg) {
  const auto at = from(all, reg);
  return at != all.end() && at->first == reg ? at : all.end();
}

class Delays {
 public:
  Delays(std::vector<Node>& nodes, Arch arch) : nodes_(nodes), timing_(isa::timing(arch)) {}

  // The s_delay_alu nodes, each with the index of the node it precedes.
  std::vector<std::pair<size_t, Node>> find() {
    const Cfg cfg = build_cfg(nodes_);
    const auto walk = [&](Results& now, size_t b, bool) {
      last_ = absent;
      for (int i = cfg.blocks[b].begin; i < cfg.blocks[b].end; ++i)
        if (nodes_[i].is_instruction()) step(static_cast<size_t>(i), nodes_[i], now);
      return true;
    };
    auto in = *isa::solve_anew(cfg.edges(), Results{}, {}, walk, [](Results& into, const Results& other, size_t) {
      for (const auto& [r, d] : other)
        if (const auto at = found(into, r); at != into.end()) at->second.join(d);
        else into.emplace(from(into, r), r, d);
    });
    emits_ = true;
    for (size_t b = 0; b < in.size(); ++b) walk(in[b], b, true);
    return std::move(found_);
  }

 private:
  Pipe pipe_of(const Inst& i) const {
    const isa::Info& row = i.info();
    if (row.unit == isa::Unit::trans || (timing_.delay_matrix_as_trans > 0 && row.unit == isa::Unit::xdl))
      return Pipe::trans;
    return row.is_vector() ? Pipe::valu : row.unit == isa::Unit::salu ? Pipe::salu : Pipe::other;
  }
  // Loads, stores and LDS accesses wait for all VALU results before they issue.
  static bool waits_for_valu(const isa::Info& row) { return row.unit == isa::Unit::vmem || row.unit == isa::Unit::lds; }

  template <class F>
  void each(const Inst& i, bool written, F&& f) {
    if (i.dual) return each(isa::half(i, 0), written, f), each(isa::half(i, 1), written, f);
    for (int k = 0; k < i.info().count(); ++k) {
      const Operand& o = i.operands[k];
      if (!o.is_reg() || o.file == File::a ||
          (i.info().operands[k].access == (written ? isa::Access::read : isa::Access::write)))
        continue;
      if (o.file == File::s && o.index == isa::sreg::null) continue;
      for (int r = 0; r < o.dwords; ++r) f(isa::number_of(o) + r);
    }
  }
  void step(size_t at, const Node& n, Results& now) {
    const Pipe pipe = pipe_of(n.inst);
    ++place_;
    if (waits_for_valu(n.inst.info())) now.clear();
    if (pipe != Pipe::other) {
      Delay d;
      each(n.inst, false, [&](int r) {
        if (const auto made = found(now, r); made != now.end()) d.join(made->second), now.erase(made);
      });
      if (emits_) emit(at, n, d);
      const double latency = pipe == Pipe::salu          ? timing_.salu_to_salu
                             : n.inst.info().is_matrix() ? timing_.delay_matrix
                             : pipe == Pipe::trans       ? timing_.trans_latency
                                                         : timing_.valu_latency;
      const Delay made = Delay::of(pipe, static_cast<int>(latency));
      each(n.inst, true, [&](int r) {
        if (const auto at = from(now, r); at != now.end() && at->first == r) at->second = made;
        else now.emplace(at, r, made);
      });
    }
    const int clocks = n.inst.op == Opcode::s_nop ? static_cast<int>(n.inst.operands[0].bits & 15) + 1 : 1;
    std::erase_if(now, [&](auto& made) { return !made.second.advance(pipe, clocks); });
  }
  // A hint holds two dependences: both of this instruction, or one of this and one of the instruction with the previous
  // hint.
  void emit(size_t at, const Node& n, const Delay& d) {
    Few<uint32_t, 3> ids;
    if (d.trans < trans_limit) ids.push_back(trans_id + static_cast<uint32_t>(d.trans));
    if (d.valus < valu_limit && d.valus <= d.valus_since_trans) ids.push_back(static_cast<uint32_t>(d.valus));
    if (d.salu && ids.size < 2) ids.push_back(salu_id + static_cast<uint32_t>(d.salu));
    if (!ids.size) return;
    const int skip = place_ - last_;
    if (ids.size == 1 && last_ != absent && skip < skip_limit) {
      found_.back().second.inst.operands[0].bits |= ids.items[0] << second_shift | static_cast<uint32_t>(skip)
                                                                                       << skip_shift;
      last_ = absent;
      return;
    }
    Inst hint;
    hint.op = Opcode::s_delay_alu;
    hint.operands[0] = isa::imm(static_cast<int32_t>(ids.items[0] | (ids.size > 1 ? ids.items[1] << second_shift : 0)));
    found_.emplace_back(at, n.beside(hint));
    last_ = ids.size > 1 ? absent : place_;
  }
  template <class T, int N>
  using Few = isa::Few<T, N>;

  std::vector<Node>& nodes_;
  const isa::Timing& timing_;
  bool emits_ = false;
  int place_ = 0, last_ = absent;  // instructions so far; place_ of the block's last hint that has room
  std::vector<std::pair<size_t, Node>> found_;
};

}  // namespace

void insert_delays(std::vector<Node>& nodes, Arch arch) {
  if (!isa::info(Opcode::s_delay_alu).on(arch)) return;
  auto hints = Delays(nodes, arch).find();
  std::vector<Node> with;
  with.reserve(nodes.size() + hints.size());
  size_t next = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (; next < hints.size() && hints[next].first == i; ++next) with.push_back(std::move(hints[next].second));
    with.push_back(std::move(nodes[i]));
  }
  nodes = std::move(with);
}

}  // namespace wavesmith
