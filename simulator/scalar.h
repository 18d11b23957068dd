// Scalar instructions as functions of their sources: `one<f>` turns a function into an instruction. SCC comes from the
// function: `scc<T>` carries it with the result, `nz` sets it for a result that is not zero, bool is SCC only,
// `scc_in` reads it.
#pragma once
#include <bit>
#include <tuple>

#include "simulator/semantics.h"

namespace wavesmith::sim {

template <class T>
struct scc {
  T value;
  bool set;
};
struct scc_in {
  bool set;
};

// The next source of the instruction; `i` counts them.
template <class T>
T source(Wave& w, const Step& st, int& i) {
  if constexpr (std::is_same_v<T, const Wave&>) {  // no source
    return w;
  } else if constexpr (std::is_same_v<T, scc_in>) {
    return {w.scc};
  } else {
    const Source& s = st.src[i++];
    if constexpr (sizeof(T) == 8) {
      const u64 x = s.from == Source::From::constant
                        ? s.bits[0] | u64{s.bits[1]} << 32
                        : scalar(w, s.reg) | u64{s.reg >= sreg::shared_base ? 0 : scalar(w, s.reg + 1)} << 32;
      return std::bit_cast<T>(s.from == Source::From::scalar && s.reg >= sreg::shared_base &&
                                      s.reg <= sreg::private_limit
                                  ? u64{scalar(w, s.reg)} << 32
                                  : x);
    } else {
      return std::bit_cast<T>(s.from == Source::From::constant ? s.bits[0] : scalar(w, s.reg));
    }
  }
}

template <class T>
void put(Wave& w, const Step& st, T x) {
  if constexpr (sizeof(T) == 8) w.set_pair(st.dst, std::bit_cast<u64>(x));
  else if (st.dst != sreg::null) w.s[st.dst] = std::bit_cast<u32>(x);
}

template <class R>
struct Put {
  static void result(Wave& w, const Step& st, R r) { put(w, st, r); }
};
template <>
struct Put<bool> {
  static void result(Wave& w, const Step&, bool r) { w.scc = r; }
};
template <class T>
struct Put<scc<T>> {
  static void result(Wave& w, const Step& st, scc<T> r) {
    put(w, st, r.value);
    w.scc = r.set;
  }
};

template <class F>
struct Scalar : Scalar<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Scalar<R (C::*)(A...) const> {
  template <auto f>
  static void run(Wave& w, const Step& st) {
    int i = 0;
    const std::tuple<A...> in{source<A>(w, st, i)...};
    Put<R>::result(w, st, std::apply(f, in));
  }
};
template <auto f>
void one(Wave& w, const Step& st) {
  Scalar<decltype(f)>::template run<f>(w, st);
}

// Result and SCC = result is not zero.
template <class T>
scc<T> nz(T x) {
  return {x, x != 0};
}

}  // namespace wavesmith::sim
