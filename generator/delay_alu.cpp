// s_delay_alu (RDNA3 ISA 16.5, from gfx11 on): tells the hardware how far back a result was made that the next instruction needs, so that it
// lets other waves issue instead of stalling one that cannot go on. It changes no result, only when waves take turns; the conditions are
// those of LLVM's AMDGPUInsertDelayAlu. A dependence on a result that comes in from another block is left to the hardware.
#include <algorithm>

#include "generator/block.h"
#include "generator/passes.h"
#include "isa_tables/alu_latency.h"

namespace wavesmith {
namespace {

constexpr int valu_limit = 5, trans_limit = 4, skip_limit = 6;     // one more than the fields can say
constexpr uint32_t trans_id = 4, salu_id = 8;                      // instid: VALU_DEP_1 to 4 are 1 to 4, TRANS32_DEP_1 5, SALU_CYCLE_1 9
constexpr int second_shift = 7, skip_shift = 4;

enum class Pipe : uint8_t { other, valu, trans, salu };

struct Made { Pipe pipe = Pipe::other; int clock = 0, valus = 0, trans = 0, latency = 0; };   // counts in front of the producer

struct Delay { int valus = valu_limit, trans = trans_limit, valus_since_trans = valu_limit, salu = 0; };

class Delays {
 public:
  Delays(std::vector<Node>& nodes, Arch arch) : nodes_(nodes), latency_(isa::alu_latency(arch)) {}

  // A node to put in front of each that gets one.
  std::vector<std::pair<size_t, Node>> find() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& n = nodes_[i];
      if (n.directive == Directive::none) step(i, n);
      else new_block();
    }
    return std::move(found_);
  }

 private:
  static constexpr int scalars = 2048, registers = scalars + 512;

  Pipe pipe_of(const Inst& i) const {
    const isa::Info& row = i.info();
    if (row.unit == isa::Unit::trans || (latency_.matrix_is_trans && row.unit == isa::Unit::xdl)) return Pipe::trans;
    return row.is_vector() ? Pipe::valu : row.unit == isa::Unit::salu ? Pipe::salu : Pipe::other;
  }
  // Loads, stores and LDS wait for all of VALU before they issue.
  static bool waits_for_valu(const isa::Info& row) { return row.unit == isa::Unit::vmem || row.unit == isa::Unit::lds; }

  void new_block() { since_ = clock_, last_ = -1; }
  template <class F> void each(const Inst& i, bool written, F&& f) {
    if (i.dual) return each(isa::half(i, 0), written, f), each(isa::half(i, 1), written, f);
    for (int k = 0; k < i.info().count(); ++k) {
      const Operand& o = i.operands[k];
      if (!o.is_reg() || o.file == File::a || (i.info().operands[k].access == (written ? isa::Access::read : isa::Access::write))) continue;
      if (o.file == File::s && o.index == isa::sreg::null) continue;
      for (int r = 0; r < o.dwords; ++r) f(made_[static_cast<size_t>((o.file == File::s ? scalars : 0) + o.index + r)]);
    }
  }
  void step(size_t at, const Node& n) {
    const Pipe pipe = pipe_of(n.inst);
    if (waits_for_valu(n.inst.info())) since_ = clock_;
    if (pipe != Pipe::other) {
      Delay d;
      each(n.inst, false, [&](Made& m) { depend(d, m), m = {}; });
      emit(at, n, d);
    }
    if (pipe != Pipe::other) {
      const int latency = pipe == Pipe::salu ? latency_.salu : n.inst.info().is_matrix() ? latency_.matrix : pipe == Pipe::trans ? latency_.trans : latency_.valu;
      each(n.inst, true, [&](Made& m) { m = {pipe, clock_, valus_, trans_, latency}; });
    }
    clock_ += n.inst.op == Opcode::s_nop ? static_cast<int>(n.inst.operands[0].bits & 15) + 1 : 1;
    valus_ += pipe == Pipe::valu, trans_ += pipe == Pipe::trans;
    if (n.inst.info().implicit & (isa::pc_w | isa::ends)) new_block();
  }
  void depend(Delay& d, const Made& m) const {
    const int left = m.latency - (clock_ - m.clock);
    if (m.pipe == Pipe::other || m.clock < since_ || left <= 0) return;
    if (m.pipe == Pipe::valu) d.valus = std::min(d.valus, valus_ - m.valus);
    if (m.pipe == Pipe::salu) d.salu = std::max(d.salu, left);
    if (m.pipe == Pipe::trans) d.trans = std::min(d.trans, trans_ - m.trans), d.valus_since_trans = std::min(d.valus_since_trans, valus_ - m.valus);
  }
  // Two dependences fit: of this instruction, or its one and that of the last that got a hint.
  void emit(size_t at, const Node& n, const Delay& d) {
    Few<uint32_t, 3> ids;
    if (d.trans < trans_limit) ids.push_back(trans_id + static_cast<uint32_t>(d.trans));
    if (d.valus < valu_limit && (d.trans >= trans_limit || d.valus <= d.valus_since_trans)) ids.push_back(static_cast<uint32_t>(d.valus));
    if (d.salu && ids.size < 2) ids.push_back(salu_id + static_cast<uint32_t>(d.salu));
    if (!ids.size) return;
    const int skip = static_cast<int>(at) - last_;         // no labels between
    if (ids.size == 1 && last_ >= 0 && skip < skip_limit) {
      found_.back().second.inst.operands[0].bits |= ids.items[0] << second_shift | static_cast<uint32_t>(skip) << skip_shift;
      last_ = -1;
      return;
    }
    Node hint;
    hint.inst.op = Opcode::s_delay_alu;
    hint.inst.operands[0] = isa::imm(static_cast<int32_t>(ids.items[0] | (ids.size > 1 ? ids.items[1] << second_shift : 0)));
    hint.hot = n.hot, hint.block = n.block, hint.where = n.where, hint.iteration = n.iteration, hint.ahead = n.ahead;
    found_.emplace_back(at, std::move(hint));
    last_ = ids.size > 1 ? -1 : static_cast<int>(at);
  }
  template <class T, int N> using Few = isa::Few<T, N>;

  std::vector<Node>& nodes_;
  isa::AluLatency latency_;
  std::vector<Made> made_ = std::vector<Made>(registers);
  int clock_ = 0, valus_ = 0, trans_ = 0;
  int since_ = 0, last_ = -1;                              // what was made before `since_` does not count; the node behind the last hint that has room, -1: none
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
