// Random expressions: defined for every value of their parts, with one result in every compiler.
#include "tests/compiled/random/writer.h"

namespace wavesmith::random {

Type Writer::scalar_type() {
  using enum Scalar;
  static const std::vector<Scalar> weighted = {i8,  u8,  i16, u16, i32, i32, i32, u32, u32, u32, i64,
                                               i64, u64, u64, f16, f16, f32, f32, f32, f64, f64};
  return {pick(weighted), 1};
}
Type Writer::any_type() {
  static const std::vector<int> counts = {1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 4, 8, 16};
  return scalar_type().of(pick(counts));
}
Type Writer::integer_type() {
  for (;;)
    if (const Type t = scalar_type(); !t.real()) return t;
}

Piece Writer::literal(Type t) {
  std::string text;
  if (!t.real()) {
    int64_t v = 0;
    switch (below(6)) {
      case 0: v = below(81) - 16; break;  // inline constants
      case 1:
        v = static_cast<int64_t>((uint64_t{1} << below(8 * t.element_bytes())) - static_cast<uint64_t>(below(3)) + 1);
        break;
      case 2: v = static_cast<int64_t>(bits()) >> below(64); break;
      case 3: v = below(2) ? -1 : 0; break;
      case 4: v = static_cast<int64_t>(0xff00ff00ff00ff00u >> below(9)); break;
      default: v = below(1000) - 300;
    }
    text = fmt::format("{:#x}UL", static_cast<uint64_t>(v));
  } else {
    if (chance(50))
      text = pick({"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494", "0.0", "-0.0", "3.0",
                   "0.1", "100.0", "1e-3", "65504.0", "6e-8"});
    else text = fmt::format("{}.{}", below(2000) - 1000, below(1000));
    if (t.scalar == Scalar::f32) text += "f";
    if (t.scalar == Scalar::f16) text += "h";
    if (chance(4)) text = "(1.0f / 0.0f)";
  }
  return make(t, t.count > 1 ? fmt::format("(({})(({})({})))", t.name(), t.element().name(), text)
                             : fmt::format("(({})({}))", t.name(), text));
}

// Conversions of scalars, and between vectors of as many elements.
Piece Writer::converted(Type to, Type from, Piece part) {
  if (to == from) return part;
  if (to.count > 1) {
    if (from.real() && !to.real())  // as bits, cut or repeated
      return converted(to,
                       Type{from.scalar == Scalar::f16   ? Scalar::i16
                            : from.scalar == Scalar::f32 ? Scalar::i32
                                                         : Scalar::i64,
                            to.count},
                       make({}, fmt::format("bits_{}($)", from.name()), {std::move(part)}));
    // Halves are made of whole numbers that they and a float hold exactly: what lies beyond is rounded twice by some
    // compilers.
    if (to.scalar == Scalar::f16 && !from.real() && from.scalar > Scalar::i16)
      return make(to, fmt::format("__builtin_convertvector(__builtin_convertvector($, short{0}), half{0})", to.count),
                  {std::move(part)});
    return make(to, fmt::format("__builtin_convertvector($, {})", to.name()), {std::move(part)});
  }
  if (from.real() && !to.real()) return make(to, fmt::format("{}_to_{}($)", from.name(), to.name()), {std::move(part)});
  if (to.scalar == Scalar::f16 && !from.real() && from.scalar > Scalar::i16)
    return make(to, "((half)(short)($))", {std::move(part)});
  return make(to, fmt::format("(({})($))", to.name()), {std::move(part)});
}

// Of no type: a reduced program keeps its bounds. ONE is 1 that LLVM does not see (docs/reference/random_programs.md).
Piece Writer::index(int elements, int depth) {
  if (elements == 1) return make({}, "0");
  if (chance(25)) return make({}, std::to_string(below(elements)));
  return make({}, elements == 2 ? "((int)($) & ONE())" : fmt::format("((int)($) & {})", elements - 1),
              {expression(integer_type(), depth)});
}

Piece Writer::leaf(Type t) {
  if (chance(18)) return literal(t);
  const auto& variables = uniform_ ? uniform_variables_ : variables_;
  for (int tries = 0; tries < 6 && !variables.empty(); ++tries) {
    const Variable& v = pick(variables);
    if (v.type == t) return make(t, v.name);
    if (tries < 3) continue;
    if (v.type.count == t.count && (t.count > 1 || v.type.count == 1))
      return converted(t, v.type, make(v.type, v.name));
    if (v.type.count > 1 && t.count == 1)
      return converted(t, v.type.element(),
                       make(v.type.element(), fmt::format("{}.s{:x}", v.name, below(v.type.count))));
  }
  if (!uniform_ && chance(30) && !arrays_.empty())
    if (const Array& a = pick(arrays_); a.type.count == t.count)
      return converted(t, a.type, make(a.type, a.text, {index(a.elements, 0)}));
  if (chance(30) && !tables_.empty())
    if (const Array& a = pick(tables_); a.type.count == t.count)
      return converted(t, a.type, make(a.type, a.text, {index(a.elements, 0)}));
  if (in_kernel_ && chance(30)) {  // the input, aligned or not
    if (chance(70)) return make(t, fmt::format("((global const {}*)in)[$]", t.name()), {index(4096 / t.bytes(), 0)});
    if (t.count == 1)
      return make(t, fmt::format("(*(global const {}_unaligned*)(in + $))", t.name()), {index(4096, 0)});
  }
  if (in_kernel_ && !uniform_ && t.count == 1 && chance(30))
    return converted(t, {Scalar::u32}, make({Scalar::u32}, "lid"));
  return literal(t);
}

Piece Writer::condition(int depth) {
  const Type t = scalar_type();
  switch (below(5)) {
    case 0: return make({Scalar::i32}, "($ != 0)", {expression(integer_type(), depth - 1)});
    case 1:
      return make({Scalar::i32}, fmt::format("($ {} $)", pick({"&&", "||"})),
                  {make({Scalar::i32}, "($ != 0)", {expression(t, depth - 1)}),
                   make({Scalar::i32}, "($ > 0)", {expression(scalar_type(), depth - 1)})});
    case 2: return make({Scalar::i32}, "(($ & 1) != 0)", {expression(integer_type(), depth - 1)});
    default:
      return make({Scalar::i32}, fmt::format("($ {} $)", pick({"<", ">", "<=", ">=", "==", "!="})),
                  {expression(t, depth - 1), expression(t, depth - 1)});
  }
}

// LLVM 22 must not know that 32 bits of one side of `|` of 64 bits are ones (docs/reference/random_programs.md), nor of
// a sum that saturates, which it makes such an operation: the part is hidden, or the operation another one.
static std::string hidden(Type t, bool hide) {
  if (!hide || t.element_bytes() < 8) return "$";
  return fmt::format("($ ^ ({})({})ZERO())", t.name(), t.element().name());
}
static std::string_view either(std::string_view op, Type t) { return op == "|" && t.element_bytes() == 8 ? "^" : op; }
Piece Writer::minimum_or_sum(Type t, int depth) {
  Parts parts{expression(t, depth - 1), expression(t, depth - 1)};
  const auto op = pick({"min", "max", "add_sat", "sub_sat"});
  return make(t, fmt::format("__builtin_elementwise_{}($, {})", op, hidden(t, op == "add_sat")), std::move(parts));
}

Piece Writer::builtin(Type t, int depth) {
  const auto part = [&] { return expression(t, depth - 1); };
  const std::string name = t.name();
  switch (below(12)) {
    case 0: return minimum_or_sum(t, depth);
    case 1:
      return make(t, fmt::format("(({})__builtin_elementwise_{}($))", name, pick({"popcount", "bitreverse"})),
                  {part()});
    case 2:
      return make(t, fmt::format("(({})__builtin_elementwise_{}($, $, $))", name, pick({"fshl", "fshr"})),
                  {part(), part(), part()});
    case 3: return make(t, fmt::format("high_{}($, $)", name), {part(), part()});
    case 4:
      return make(t, fmt::format("(({})__builtin_{}((ulong)($) | 1))", name, pick({"clzl", "ctzl", "popcountl"})),
                  {part()});
    case 5:
      return make(t, fmt::format("(({})__builtin_{}((uint)($) | 1))", name, pick({"clz", "ctz", "popcount"})),
                  {part()});
    case 6:
      return make(t, fmt::format("(({}){}($))", name, pick({"__builtin_bswap16", "__builtin_bswap32", "swap64"})),
                  {part()});
    case 7:
      return make(t,
                  fmt::format("(({})(($ >> {}) & {:#x}))", name, below(8 * t.element_bytes()),
                              (2u << below(8 * std::min(4, t.element_bytes()))) - 1),
                  {part()});
    case 8: {
      Parts parts{part(), part()};
      const int right = below(8), left = below(8);
      return make(t, fmt::format("(({})($ << {} {} $ >> {}))", name, left, either("|", t), right), std::move(parts));
    }
    case 9: {  // of a vector's elements
      static const std::vector<int> counts = {2, 4, 8, 16};
      Parts parts{expression(t.of(pick(counts)), depth - 1)};
      const auto op = pick({"add", "xor", "or", "and", "min", "max"});
      return make(t, fmt::format("__builtin_reduce_{}($)", op == "or" && t.element_bytes() == 8 ? "xor" : op),
                  std::move(parts));
    }
    case 10: {
      static const std::vector<Scalar> reals = {Scalar::f16, Scalar::f32, Scalar::f64};
      const Type r{pick(reals)};
      return make(t, fmt::format("(({})bits_{}($))", name, r.name()), {expression(r, depth - 1)});
    }
    default:
      return make(t, fmt::format("(({})((long)(int)($) * (long)(int)($) + (long)($)))", name),
                  {part(), part(), part()});
  }
}

Piece Writer::integer(Type t, int depth) {
  const auto part = [&] { return expression(t, depth - 1); };
  const std::string name = t.name();
  switch (below(12)) {
    case 0:
    case 1:
    case 2: {
      Parts parts{part(), part()};
      const auto op = pick({"+", "-", "*", "&", "|", "^"});
      return make(t, fmt::format("(({})($ {} {}))", name, op, hidden(t, op == "|")), std::move(parts));
    }
    case 3:
      return make(t, fmt::format("(({})($ {} $))", name, pick({"<<", ">>"})),
                  {part(), expression(integer_type(), depth - 1)});
    case 4:
      return make(t, fmt::format("{}_{}($, $)", pick({"divide", "modulo"}), name),
                  {part(), chance(40) ? literal(t) : part()});
    case 5: {
      const auto sign = pick({"-", "~", "!"});
      if (sign == "~" && t.element_bytes() == 8) return make(t, fmt::format("(({})($ ^ ALL_ONES()))", name), {part()});
      return make(t, fmt::format("(({})({}$))", name, sign), {part()});
    }
    case 6: return make(t, fmt::format("(({})$)", name), {condition(depth)});
    case 7: return make(t, fmt::format("(({})($ ? $ : $))", name), {condition(depth), part(), part()});
    case 8: {
      const Type from = scalar_type();
      return converted(t, from, expression(from, depth - 1));
    }
    case 9:
    case 10: return builtin(t, depth);
    default: {
      Parts parts{part(), part(), part()};
      const auto second = pick({"&", "|", "^", "+"}), first = pick({"&", "|", "^", "+", "<<"});
      return make(t, fmt::format("(({})($ {} $ {} $))", name, either(first, t), either(second, t)), std::move(parts));
    }
  }
}

Piece Writer::real(Type t, int depth) {
  const auto part = [&] { return expression(t, depth - 1); };
  const std::string name = t.name();
  switch (below(11)) {
    case 0:
    case 1:
    case 2: return make(t, fmt::format("($ {} $)", pick({"+", "-", "*"})), {part(), part()});
    case 3:
      return make(t, t.scalar == Scalar::f16 ? "fma_half($, $, $)" : "__builtin_elementwise_fma($, $, $)",
                  {part(), part(), part()});
    case 4: return make(t, "($ / $)", {part(), part()});
    case 5: return make(t, fmt::format("(-$)"), {part()});
    case 6:
      return make(t,
                  fmt::format("__builtin_elementwise_{}($)",
                              pick({"abs", "floor", "ceil", "trunc", "rint", "sqrt", "roundeven", "round"})),
                  {part()});
    case 7: return make(t, "($ ? $ : $)", {condition(depth), part(), part()});
    case 8: {
      const Type from = scalar_type();
      return converted(t, from, expression(from, depth - 1));
    }
    case 9:
      if (t.scalar != Scalar::f16)
        return make(t, fmt::format("__builtin_ldexp{}($, (int)($) & 31)", t.scalar == Scalar::f32 ? "f" : ""),
                    {part(), expression(integer_type(), depth - 1)});
      [[fallthrough]];
    default: return make(t, fmt::format("($ * $ {} $)", pick({"+", "-"})), {part(), part(), part()});
  }
}

Piece Writer::vector(Type t, int depth) {
  const auto part = [&] { return expression(t, depth - 1); };
  const std::string name = t.name();
  switch (below(10)) {
    case 0: return make(t, fmt::format("(({})($))", name), {expression(t.element(), depth - 1)});
    case 1: {
      if (t.count > 4) break;
      Piece n = make(t, fmt::format("(({})(", name));
      for (int i = 0; i < t.count; ++i)
        n.text += i ? ", $" : "$", n.children.push_back(expression(t.element(), depth - 1));
      n.text += "))";
      return n;
    }
    case 2: {  // elements of another vector
      const Type from = t.of(1 << (1 + below(4)));
      std::string order;
      for (int i = 0; i < t.count; ++i) order += fmt::format("{:x}", below(from.count));
      return make(t, fmt::format("($).s{}", order), {expression(from, depth - 1)});
    }
    case 3: {
      const Type from = scalar_type().of(t.count);
      return converted(t, from, expression(from, depth - 1));
    }
    case 4: {  // a comparison chooses element by element: masks are as wide as what they choose of
      if (t.real())
        return make(t, fmt::format("($ {} $ ? $ : $)", pick({"<", ">", "==", "!=", "<=", ">="})),
                    {part(), part(), part(), part()});
      return make(t, fmt::format("($ {} $ ? $ : $)", pick({"<", ">", "==", "!="})), {part(), part(), part(), part()});
    }
    case 5:
      if (t.real())
        return make(t, fmt::format("__builtin_elementwise_{}($)", pick({"abs", "floor", "trunc", "sqrt"})), {part()});
      return minimum_or_sum(t, depth);
    case 6:
      if (t.real() && t == Type{Scalar::f16, 2}) return make(t, "fma_half2($, $, $)", {part(), part(), part()});
      if (t.real() && t.scalar != Scalar::f16)
        return make(t, "__builtin_elementwise_fma($, $, $)", {part(), part(), part()});
      if (t.real()) return make(t, "(-$)", {part()});
      return make(t, fmt::format("($ {} $)", pick({"<<", ">>"})), {part(), part()});
    case 7:
      if (t.count <= 4 && !t.real())  // LLVM 22 at -O0 divides -1u by a small number as if it had 24 bits
        return make(
            t,
            fmt::format("(({4} {1} (($ & ({0})(({2}){3})) | ({0})(({2})1)))", name, pick({"/", "%"}),
                        t.element().name(), t.is_signed() ? 127 : 255, t.scalar == Scalar::u32 ? "($ >> 1))" : "$)"),
            {part(), part()});
      return make(t, "($ * $ + $)", {part(), part(), part()});
    default: break;
  }
  Parts parts{part(), part()};
  const auto op = t.real() ? pick({"+", "-", "*"}) : pick({"+", "-", "*", "&", "|", "^"});
  return make(t, fmt::format("($ {} {})", op, hidden(t, op == "|")), std::move(parts));
}

Piece Writer::expression(Type t, int depth) {
  if (depth <= 0 || chance(15)) return leaf(t);
  if (!uniform_ && chance(8))
    for (const Function& f : functions_)
      if (f.result == t && f.pointee.scalar == Scalar::none && chance(50)) {
        Piece n = make(t, f.name + "(");
        for (const Type p : f.parameters)
          n.text += n.children.empty() ? "$" : ", $", n.children.push_back(expression(p, depth - 2));
        n.text += ")";
        return n;
      }
  return t.count > 1 ? vector(t, t.count > 4 ? std::min(depth, 2) : depth)
         : t.real()  ? real(t, depth)
                     : integer(t, depth);
}

}  // namespace wavesmith::random
