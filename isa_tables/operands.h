// The operand columns of the .def files: a name per (kind, width, access). D... is written, X... read and written, the rest read.
#pragma once
#include "isa_tables/isa.h"

namespace wavesmith::isa::spec {

constexpr OperandSpec make(Kind k, int dwords, Access a = Access::read) { return {k, static_cast<uint8_t>(dwords), a}; }
constexpr OperandSpec D(OperandSpec s) { s.access = Access::write; return s; }
constexpr OperandSpec X(OperandSpec s) { s.access = Access::both; return s; }

// clang-format off
inline constexpr OperandSpec
    v1 = make(Kind::v, 1), v2 = make(Kind::v, 2), v3 = make(Kind::v, 3), v4 = make(Kind::v, 4), v8 = make(Kind::v, 8),
    Dv1 = D(v1), Dv2 = D(v2), Dv3 = D(v3), Dv4 = D(v4), Xv1 = X(v1), Xv2 = X(v2),
    a1 = make(Kind::a, 1), Da1 = D(a1),
    va1 = make(Kind::va, 1), va2 = make(Kind::va, 2), va3 = make(Kind::va, 3), va4 = make(Kind::va, 4),          // loads and stores take AGPRs on gfx90a and later
    Dva1 = D(va1), Dva2 = D(va2), Dva3 = D(va3), Dva4 = D(va4), Xva1 = X(va1), Xva2 = X(va2), 
    s1 = make(Kind::s, 1), s2 = make(Kind::s, 2), s4 = make(Kind::s, 4), s8 = make(Kind::s, 8), s16 = make(Kind::s, 16),
    Ds1 = D(s1), Ds2 = D(s2), Ds4 = D(s4), Ds8 = D(s8), Ds16 = D(s16), Xs1 = X(s1), Xs2 = X(s2),
    ss1 = make(Kind::ssrc, 1), ss2 = make(Kind::ssrc, 2),
    any1 = make(Kind::any, 1), any2 = make(Kind::any, 2),
    h1 = {Kind::any, 1, Access::read, true},                                                                      // f16, or a pair of them
    m2 = make(Kind::mask, 2), Dm2 = D(m2),
    vaddr1 = make(Kind::vaddr, 1), vaddr2 = make(Kind::vaddr, 2), saddr2 = make(Kind::saddr, 2),
    simm = make(Kind::imm, 1), waits = make(Kind::waits, 1), dest = make(Kind::label, 1);
// clang-format on

}  // namespace wavesmith::isa::spec
