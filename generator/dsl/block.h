// A Block is a value: instructions in the author's order, with notes, and directives that the passes lower. One method
// per table row; the compiler checks register files; widths and availability are checked when the method is called.
#pragma once
#include "generator/dsl/node.h"
#include "isa_tables/half.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/operands.h"

namespace wavesmith {

// Types of operand arguments, by what the row allows. Numbers become immediates; floats become their f32 bits (f16
// where the row says half).
struct VArg {
  Operand o;
  VArg(Vgpr r) : o(r.operand()) {}
};
struct AArg {
  Operand o;
  AArg(Agpr r) : o(r.operand()) {}
};
struct SArg {
  Operand o;
  SArg(Sgpr r) : o(r.operand()) {}
};
struct VAArg {
  Operand o;
  VAArg(Vgpr r) : o(r.operand()) {}
  VAArg(Agpr r) : o(r.operand()) {}
  VAArg slice(int first, int dwords, Where w = Where::current()) const {
    if (o.file == File::a) return Agpr{o.index, o.dwords}.slice(first, dwords, w);
    return Vgpr{o.index, o.dwords}.slice(first, dwords, w);
  }
};
struct SSrcArg {
  Operand o;
  SSrcArg(Sgpr r) : o(r.operand()) {}
  SSrcArg(int64_t i) : o(isa::imm(static_cast<int32_t>(i))) {
    if (i < INT32_MIN || i > UINT32_MAX) o.dwords = 2, o.high = static_cast<uint32_t>(i >> 32);
  }
  SSrcArg(int i) : o(isa::imm(i)) {}
  SSrcArg(uint32_t i) : o(isa::imm(static_cast<int32_t>(i))) {}
  SSrcArg(float f) : o(isa::immf(f)) {}
};
struct AnyArg : SSrcArg {
  using SSrcArg::SSrcArg;
  AnyArg(Vgpr r) : SSrcArg(0) { o = r.operand(); }
  AnyArg(Operand x) : SSrcArg(0) { o = x; }
};
// 16-bit sources: a float is converted to that type.
template <isa::Constant C>
Operand short_float(float f) {
  return isa::imm(C == isa::Constant::f16 ? isa::half_bits(f) : isa::bfloat_bits(f));
}
template <isa::Constant C>
struct ShortArg : AnyArg {
  using AnyArg::AnyArg;
  ShortArg(float f) : AnyArg(short_float<C>(f)) {}
};
struct ScalarHalfArg : SSrcArg {
  using SSrcArg::SSrcArg;
  ScalarHalfArg(float f) : SSrcArg(0) { o = short_float<isa::Constant::f16>(f); }
};
struct Off {};
inline constexpr Off off;
struct VAddrArg {
  Operand o;
  VAddrArg(Vgpr r) : o(r.operand()) {}
  VAddrArg(Off) : o(isa::off()) {}
};
struct SAddrArg {
  Operand o;
  SAddrArg(Sgpr r) : o(r.operand()) {}
  SAddrArg(Off) : o(isa::off()) {}
};
struct VACArg {
  Operand o;
  VACArg(Vgpr r) : o(r.operand()) {}
  VACArg(Agpr r) : o(r.operand()) {}
  VACArg(int i) : o(isa::imm(i)) {}
  VACArg(float f) : o(isa::immf(f)) {}
};
// A literal of v_fmaak_f32 and the like is the number's bits (std::bit_cast), not the number.
struct ImmArg {
  Operand o;
  ImmArg(int i) : o(isa::imm(i)) {}
  ImmArg(float) = delete;
  ImmArg(double) = delete;
};
struct LabelArg {
  Operand o;
};
// clang-format off
template <isa::Kind K> struct ArgOf;
template <> struct ArgOf<isa::Kind::v> { using type = VArg; };          template <> struct ArgOf<isa::Kind::a> { using type = AArg; };
template <> struct ArgOf<isa::Kind::va> { using type = VAArg; };        template <> struct ArgOf<isa::Kind::s> { using type = SArg; };
template <> struct ArgOf<isa::Kind::ssrc> { using type = SSrcArg; };    template <> struct ArgOf<isa::Kind::any> { using type = AnyArg; };
template <> struct ArgOf<isa::Kind::mask> { using type = SArg; };       template <> struct ArgOf<isa::Kind::vaddr> { using type = VAddrArg; };
template <> struct ArgOf<isa::Kind::saddr> { using type = SAddrArg; };  template <> struct ArgOf<isa::Kind::vac> { using type = VACArg; };
template <> struct ArgOf<isa::Kind::imm> { using type = ImmArg; };      template <> struct ArgOf<isa::Kind::waits> { using type = ImmArg; };
template <> struct ArgOf<isa::Kind::label> { using type = LabelArg; };     template <> struct ArgOf<isa::Kind::soff> { using type = SSrcArg; };
template <> struct ArgOf<isa::Kind::gpr_index> { using type = ImmArg; }; template <> struct ArgOf<isa::Kind::version> { using type = ImmArg; };
template <> struct ArgOf<isa::Kind::barrier> { using type = SSrcArg; }; template <> struct ArgOf<isa::Kind::null> { using type = SArg; };
template <> struct ArgOf<isa::Kind::hwreg> { using type = ImmArg; };    template <> struct ArgOf<isa::Kind::message> { using type = ImmArg; };
template <> struct ArgOf<isa::Kind::delay> { using type = ImmArg; };    template <> struct ArgOf<isa::Kind::depctr> { using type = ImmArg; };
// clang-format on
template <isa::OperandSpec S>
using Arg = std::conditional_t<
    S.constant != isa::Constant::f16 && S.constant != isa::Constant::bf16, typename ArgOf<S.kind>::type,
    std::conditional_t<
        S.kind == isa::Kind::ssrc, ScalarHalfArg,
        std::conditional_t<S.kind == isa::Kind::any, ShortArg<S.constant>, typename ArgOf<S.kind>::type>>>;
// -x and |x| as VALU sources.
inline Operand neg(AnyArg a) {
  a.o.neg = true;
  return a.o;
}
inline Operand abs(AnyArg a) {
  a.o.abs = true;
  return a.o;
}

inline constexpr int workgroup_barrier = -1;  // for s_barrier_signal and s_barrier_wait (gfx12 guides)

class Block {
 public:
  explicit Block(Arch arch, const char* name = "") : arch_(arch), name_(name) {}
  Arch arch() const { return arch_; }
  std::vector<Node> nodes;

  // Appends one instruction. Error: IsaError naming the author's line, the operand and what would be legal.
  Node& emit(Opcode, std::initializer_list<Operand>, const Mods&, Where);
  // A matrix instruction chosen at run time.
  Node& mfma(Opcode op, VAArg d, VAArg a, VAArg b, VACArg c, Where w = Where::current()) {
    return emit(op, {d.o, a.o, b.o, c.o}, {}, w);
  }
  // Two instructions as one (VOPD). Error: IsaError if there are not two, or the target does not pair them so.
  Node& dual(const Block& two, Where w = Where::current());
  // A load, store or LDS access whose width is chosen at run time.
  Node& buffer(Opcode op, VAArg data, VAddrArg address, Sgpr resource, SSrcArg soffset, const Mods& m = {},
               Where w = Where::current()) {
    return emit(op, {data.o, address.o, resource.operand(), soffset.o}, m, w);
  }

  // Workgroup barrier: s_barrier, or signal and wait, by target. It waits for no memory access: call wait_for_lds()
  // before it.
  void barrier(Where w = Where::current());
  // Scalar instructions over lane masks, as wide as the target's waves: mask_and(exec, exec, vcc) is s_and_b64 or
  // s_and_b32. Where a mask has one dword, vcc and exec mean their lower halves.
#define LANE_MASK1(mn, op32, op64) \
  Node& mn(SArg d, SSrcArg a, Where w = Where::current()) { return mask(Opcode::op32, Opcode::op64, {d.o, a.o}, w); }
#define LANE_MASK2(mn, op32, op64) \
  Node& mn(SArg d, SSrcArg a, SSrcArg b, Where w = Where::current()) { \
    return mask(Opcode::op32, Opcode::op64, {d.o, a.o, b.o}, w); \
  }
#include "generator/dsl/lane_masks.def"
#undef LANE_MASK1
#undef LANE_MASK2

  // -- Directives --
  void wait_for(VAArg r, Where w = Where::current()) { append(directive::WaitRegister{r.o}, w); }
  void wait_for(Sgpr r, Where w = Where::current()) { append(directive::WaitRegister{r.operand()}, w); }
  void wait_for_lds(int buffer, Where w = Where::current()) { append(directive::WaitLds{buffer}, w); }
  void wait_for_lds(Where w = Where::current()) { append(directive::WaitLds{}, w); }
  // LLVM's sched_barrier(mask): with 0 nothing crosses. It orders scheduled() and interleave(); it emits nothing.
  void sched_barrier(int mask = 0, Where w = Where::current()) { append(directive::SchedBarrier{mask}, w); }
  // LLVM's sched_group_barrier and iglp_opt: directives for scheduled() (generator/schedule/schedule.h), which removes
  // them.
  void sched_group_barrier(int mask, int count, int sync, Where w = Where::current()) {
    append(directive::SchedGroup{mask, count, sync}, w);
  }
  void iglp_opt(int option, Where w = Where::current()) { append(directive::IglpOpt{option}, w); }
  // `label`: of the Stream that takes the Block.
  void bind(int label, Where w = Where::current()) { append(directive::Label{label}, w); }
  void comment(std::string text) { pending_note_ = std::move(text); }

  Block& operator<<(const Block& b) {
    nodes.insert(nodes.end(), b.nodes.begin(), b.nodes.end());
    return *this;
  }
  size_t size() const { return nodes.size(); }

  // -- One method per row: k.v_add_f32(dst, a, b), k.ds_read_b128(dst, addr, {.offset = 64}) --
#define WS_ARG(n, s) Arg<isa::spec::s> a##n
#define WS_M0(mn) \
  Node& mn(const Mods& m = {}, Where w = Where::current()) { return emit(Opcode::mn, {}, m, w); }
#define WS_M1(mn, s0) \
  Node& mn(WS_ARG(0, s0), const Mods& m = {}, Where w = Where::current()) { return emit(Opcode::mn, {a0.o}, m, w); }
#define WS_M2(mn, s0, s1) \
  Node& mn(WS_ARG(0, s0), WS_ARG(1, s1), const Mods& m = {}, Where w = Where::current()) { \
    return emit(Opcode::mn, {a0.o, a1.o}, m, w); \
  }
#define WS_M3(mn, s0, s1, s2) \
  Node& mn(WS_ARG(0, s0), WS_ARG(1, s1), WS_ARG(2, s2), const Mods& m = {}, Where w = Where::current()) { \
    return emit(Opcode::mn, {a0.o, a1.o, a2.o}, m, w); \
  }
#define WS_M4(mn, s0, s1, s2, s3) \
  Node& mn(WS_ARG(0, s0), WS_ARG(1, s1), WS_ARG(2, s2), WS_ARG(3, s3), const Mods& m = {}, \
           Where w = Where::current()) { \
    return emit(Opcode::mn, {a0.o, a1.o, a2.o, a3.o}, m, w); \
  }
#define WS_M5(mn, s0, s1, s2, s3, s4) \
  Node& mn(WS_ARG(0, s0), WS_ARG(1, s1), WS_ARG(2, s2), WS_ARG(3, s3), WS_ARG(4, s4), const Mods& m = {}, \
           Where w = Where::current()) { \
    return emit(Opcode::mn, {a0.o, a1.o, a2.o, a3.o, a4.o}, m, w); \
  }
#define WS_PICK(_0, _1, _2, _3, _4, _5, NAME, ...) NAME
#define OP(mn, format, unit, counter, implicit, archs, ...) \
  WS_PICK(mn __VA_OPT__(, ) __VA_ARGS__, WS_M5, WS_M4, WS_M3, WS_M2, WS_M1, WS_M0)(mn __VA_OPT__(, ) __VA_ARGS__)
#define WS_mfma(mn) \
  Node& mn(VAArg d, VAArg a, VAArg b, VACArg c, const Mods& m = {}, Where w = Where::current()) { \
    return emit(Opcode::mn, {d.o, a.o, b.o, c.o}, m, w); \
  }
#define WS_wmma(mn) WS_mfma(mn)
#define WS_smfmac(mn) \
  Node& mn(VAArg d, VAArg a, VAArg b, VArg index, const Mods& m = {}, Where w = Where::current()) { \
    return emit(Opcode::mn, {d.o, a.o, b.o, index.o}, m, w); \
  }
#define WS_swmmac(mn) WS_smfmac(mn)
#define WS_scaled(mn) \
  Node& mn(VAArg d, VAArg a, VAArg b, VACArg c, AnyArg scale_a, AnyArg scale_b, const Mods& m = {}, \
           Where w = Where::current()) { \
    return emit(Opcode::mn, {d.o, a.o, b.o, c.o, scale_a.o, scale_b.o}, m, w); \
  }
#define WS_SCALE0(mn, kind) WS_##kind(mn)
#define WS_SCALE16(mn, kind) WS_scaled(mn)
#define WS_SCALE32(mn, kind) WS_scaled(mn)
#define MATRIX(mn, kind, m, n, k, blocks, a, b, c, d, scale_block, clocks) WS_SCALE##scale_block(mn, kind)
#include "isa_tables/rows/instructions.def"
#undef OP
#undef MATRIX
#undef WS_mfma
#undef WS_wmma
#undef WS_smfmac
#undef WS_swmmac
#undef WS_scaled
#undef WS_SCALE0
#undef WS_SCALE16
#undef WS_SCALE32
#undef WS_PICK
#undef WS_M0
#undef WS_M1
#undef WS_M2
#undef WS_M3
#undef WS_M4
#undef WS_M5
#undef WS_ARG

 protected:
  Node& mask(Opcode narrow, Opcode wide, std::initializer_list<Operand>, Where);
  void append(Directive, Where);
  Arch arch_;
  const char* name_;
  std::string pending_note_;
};

}  // namespace wavesmith
