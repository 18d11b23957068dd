// The operand columns of the .def files: a name per (kind, width, access). D... is written, X... read and written, the
// rest read.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa::spec {

constexpr OperandSpec make(Kind k, int dwords, Access a = Access::read) { return {k, static_cast<uint8_t>(dwords), a}; }
constexpr OperandSpec D(OperandSpec s) {
  s.access = Access::write;
  return s;
}
constexpr OperandSpec X(OperandSpec s) {
  s.access = Access::both;
  return s;
}
constexpr OperandSpec O(OperandSpec s) {
  s.optional = true;
  return s;
}
constexpr OperandSpec C(OperandSpec s, Constant c) {
  s.constant = c;
  return s;
}

// clang-format off
#define WS_WIDTHS(file) \
    file##1 = make(Kind::file, 1), file##2 = make(Kind::file, 2), file##3 = make(Kind::file, 3), file##4 = make(Kind::file, 4), file##5 = make(Kind::file, 5), file##6 = make(Kind::file, 6), \
    file##8 = make(Kind::file, 8), file##10 = make(Kind::file, 10), file##12 = make(Kind::file, 12), file##16 = make(Kind::file, 16), file##32 = make(Kind::file, 32), \
    D##file##1 = D(file##1), D##file##2 = D(file##2), D##file##3 = D(file##3), D##file##4 = D(file##4), D##file##5 = D(file##5), D##file##6 = D(file##6), \
    D##file##8 = D(file##8), D##file##10 = D(file##10), D##file##12 = D(file##12), D##file##16 = D(file##16), D##file##32 = D(file##32), \
    X##file##1 = X(file##1), X##file##2 = X(file##2), X##file##3 = X(file##3), X##file##4 = X(file##4)
inline constexpr OperandSpec
    WS_WIDTHS(v), WS_WIDTHS(s),
    WS_WIDTHS(va),                                          // loads and stores take AGPRs on gfx90a and later
    a1 = make(Kind::a, 1), Da1 = D(a1),
    ss1 = make(Kind::ssrc, 1), ss2 = make(Kind::ssrc, 2),
    any1 = make(Kind::any, 1), any2 = make(Kind::any, 2),
    sh1 = C(ss1, Constant::f16),                            // a scalar source of f16
    h1 = C(any1, Constant::f16), b1 = C(any1, Constant::bf16),   // f16 or 16-bit integer, bf16, or a pair of them
    i2 = C(any2, Constant::i64), si2 = C(ss2, Constant::i64), d2 = C(any2, Constant::f64), ff2 = C(any2, Constant::f32_pair),
    m2 = make(Kind::mask, 2), Dm2 = D(m2),
    vaddr1 = make(Kind::vaddr, 1), vaddr2 = make(Kind::vaddr, 2), saddr1 = make(Kind::saddr, 1), saddr2 = make(Kind::saddr, 2), Osaddr2 = O(saddr2), Os4 = O(s4),
    bar = make(Kind::barrier, 1), null1 = make(Kind::null, 1), soff = make(Kind::soff, 1), simm = make(Kind::imm, 1), lit = make(Kind::imm, 1), dlit2 = C(make(Kind::imm, 2), Constant::f64), waits = make(Kind::waits, 1), dest = make(Kind::label, 1),
    hwreg = make(Kind::hwreg, 1), message = make(Kind::message, 1), delay = make(Kind::delay, 1), depctr = make(Kind::depctr, 1), gpr_index = make(Kind::gpr_index, 1), version = make(Kind::version, 1);
#undef WS_WIDTHS
// clang-format on

}  // namespace wavesmith::isa::spec
