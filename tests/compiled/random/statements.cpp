// Random statements. Barriers and operations across lanes stand where the whole group, or wave, comes by; loops end
// after a few turns.
#include "tests/compiled/random/writer.h"

namespace wavesmith::random {

Piece Writer::statements(Where w, int count) {
  Piece all = list();
  for (int i = 0; i < count; ++i) all.children.push_back(statement(w));
  return all;
}

Piece Writer::statement(Where w) {
  const bool deep = w.depth > 0;
  for (;;) switch (below(20)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5: return in_kernel_ && w.flow == Flow::group && chance(25) ? uniform_assignment() : assignment();
      case 6:
      case 7:
        if (deep) return branch(w);
        break;
      case 8:
      case 9:
        if (deep) return loop(w);
        break;
      case 10:
        if (deep) return choice(w);
        break;
      case 11:
      case 12: return call();
      case 13:
      case 14: return memory();
      case 15:
        if (in_kernel_ && w.flow == Flow::group) return exchange();
        break;
      case 16:
      case 17:
        if (in_kernel_ && crosses_lanes_ && w.flow != Flow::lane) return across_lanes(w);
        break;
      case 18:
        if (in_kernel_) return atomic(w);
        break;
      default:
        if (w.loop && chance(50)) {
          uniform_ = w.flow == Flow::group;
          Piece n = line(fmt::format("if ($) {};\n", pick({"break", "continue"})), {condition(2)});
          uniform_ = false;
          if (w.flow == Flow::lane || w.flow == Flow::group) return n;
        }
    }
}

Piece Writer::assignment() {
  std::vector<Variable> targets;
  for (const Variable& v : variables_)
    if (v.assignable) targets.push_back(v);
  if (targets.empty()) return line(";\n");
  const Variable& v = pick(targets);
  if (v.type.count > 1 && chance(25))
    return line(fmt::format("{}.s{:x} = $;\n", v.name, below(v.type.count)), {expression(v.type.element(), 3)});
  if (v.type.count > 1 && chance(15))
    return line(fmt::format("(({}*)&{})[$] = $;\n", v.type.element().name(), v.name),
                {index(v.type.count == 3 ? 2 : v.type.count, 1), expression(v.type.element(), 3)});
  if (!v.type.real() && chance(15))
    return line(
        fmt::format("{} {}= $;\n", v.name, pick({"+", "-", "*", "^", v.type.element_bytes() == 8 ? "^" : "|", "&"})),
        {expression(v.type, 2)});
  return line(fmt::format("{} = $;\n", v.name), {expression(v.type, 2 + below(2))});
}

// Of a variable that is the same in all of the group, here where all come by.
Piece Writer::uniform_assignment() {
  std::vector<Variable> targets;
  for (const Variable& v : uniform_variables_)
    if (v.assignable) targets.push_back(v);
  if (targets.empty()) return assignment();
  const Variable& v = pick(targets);
  uniform_ = true;
  Piece n = line(fmt::format("{} = $;\n", v.name), {expression(v.type, 3)});
  uniform_ = false;
  return n;
}

Piece Writer::branch(Where w) {
  Where inner{w.flow, w.depth - 1, w.loop};
  Piece condition_node;
  if (w.flow == Flow::group && in_kernel_ && chance(25)) {
    uniform_ = true;
    condition_node = condition(2);
    uniform_ = false;
  } else if (w.flow != Flow::lane && in_kernel_ && chance(25)) {
    condition_node = make({Scalar::i32}, fmt::format("(READ_FIRST(lid / WAVE) & 1) == {}", below(2))),
    inner.flow = Flow::wave;
  } else {
    condition_node = condition(3), inner.flow = Flow::lane;
  }
  if (inner.flow != w.flow) inner.loop = false;  // a break would divide the group
  if (w.flow == Flow::lane) inner.loop = w.loop;
  Piece then = statements(inner, 1 + below(2));
  if (chance(50)) return line("if ($) {\n$}\n", {std::move(condition_node), std::move(then)});
  return line("if ($) {\n$} else {\n$}\n",
              {std::move(condition_node), std::move(then), statements(inner, 1 + below(3))});
}

Piece Writer::loop(Where w) {
  Where inner{w.flow, w.depth - 1, true};
  const std::string counter = fresh("i");
  Piece trips = make({Scalar::i32}, std::to_string(1 + below(5)));
  if (chance(40)) {
    uniform_ = w.flow == Flow::group;
    trips = make({Scalar::i32}, "((int)($) & 3)", {expression(integer_type(), 2)});
    uniform_ = false;
    if (w.flow == Flow::wave) inner.flow = Flow::lane;
  } else if (in_kernel_ && chance(40)) {
    trips = make({Scalar::i32}, "((int)($) & 7)", {expression(integer_type(), 2)}), inner.flow = Flow::lane;
  }
  variables_.push_back({counter, {Scalar::i32}, false});
  if (inner.flow == Flow::group && in_kernel_) uniform_variables_.push_back(variables_.back());
  Piece body = statements(inner, 1 + below(3));
  std::erase_if(variables_, [&](const Variable& v) { return v.name == counter; });
  std::erase_if(uniform_variables_, [&](const Variable& v) { return v.name == counter; });
  if (chance(70))
    return line(fmt::format("for (int {0} = 0, n{0} = $; {0} < n{0}; ++{0}) {{\n$}}\n", counter),
                {std::move(trips), std::move(body)});
  return line(fmt::format("{{ int {0} = -1, n{0} = $; do {{\n++{0};\n$}} while ({0} + 1 < n{0}); }}\n", counter),
              {std::move(trips), std::move(body)});
}

Piece Writer::choice(Where w) {
  Where inner{w.flow, w.depth - 1, false};
  if (w.flow == Flow::group && in_kernel_ && chance(30)) uniform_ = true;
  else inner.flow = Flow::lane;
  Piece n = line("switch ($) {\n", {make({Scalar::i32}, "((int)($) & 7)", {expression(integer_type(), 2)})});
  uniform_ = false;
  for (int label = below(3); label < 8; label += 1 + below(3)) {
    n.text += label > 5 && chance(50) ? "default:\n$" : fmt::format("case {}:\n$", label);
    n.children.push_back(statements(inner, 1 + below(2)));
    if (n.text.find("default") != std::string::npos) label = 8;
    if (chance(70)) n.text += "break;\n";
  }
  n.text += "}\n";
  return n;
}

// A function with a pointer: into private memory, LDS or the work-item's own device memory, through generic addresses.
Piece Writer::call() {
  for (int tries = 0; tries < 4 && !functions_.empty(); ++tries) {
    const Function& f = pick(functions_);
    if (f.pointee.scalar == Scalar::none) continue;
    std::string places = fmt::format("({}*)(own + gid * 64)", f.pointee.name());
    if (!in_kernel_) places.clear();
    Parts parts;
    for (const Array& a : arrays_)
      if (a.type == f.pointee && a.aligned && (places.empty() || chance(60)))
        places = "&" + a.text, parts = {index(a.elements, 1)};
    if (places.empty()) continue;
    Piece n = line("", {});
    for (const Variable& v : variables_)
      if (v.assignable && v.type == f.result) n.text = v.name + " = ";
    n.text += f.name + "(";
    for (const Type p : f.parameters) n.text += "$, ", n.children.push_back(expression(p, 2));
    n.text += places + ");\n";
    for (Piece& p : parts) n.children.push_back(std::move(p));
    return n;
  }
  return assignment();
}

// Everybody writes a value to LDS, all wait, and everybody reads somebody else's, whole or, of integers, in pieces of
// another type. The last barrier is there because LLVM 22 may forget the wait before one when the reads came a turn of
// a loop earlier (LLVM pull request 220357).
Piece Writer::exchange() {
  for (int tries = 0; tries < 20; ++tries) {
    const Variable& v = pick(variables_);
    if (!v.assignable) continue;
    Type written = v.type;
    if (!v.type.real() && v.type.count != 3 && chance(40)) written = scalar_type().of(v.type.count);
    if (written.real() && written != v.type) written = v.type;
    const int elements = block_ * written.bytes() / v.type.bytes();
    if (elements < 1) continue;
    const bool permuted = chance(50);
    return line(fmt::format("BARRIER(); ((local {}*)exchanged)[lid{}] = $; BARRIER();\n{} = ((local const "
                            "{}*)exchanged)[$ % {}]; BARRIER();\n",
                            written.name(), permuted ? fmt::format(" ^ {}", below(block_ & -block_)) : "", v.name,
                            v.type.name(), elements),
                {expression(written, 2),
                 make({Scalar::u32}, chance(50) ? fmt::format("(lid + {})", below(block_)) : "((uint)($))",
                      {make({Scalar::u32}, "((uint)$ + lid)", {leaf({Scalar::u32})})})});
  }
  return assignment();
}

Piece Writer::across_lanes(Where w) {
  std::vector<Variable> targets;
  for (const Variable& v : variables_)
    if (v.assignable && v.type.count == 1 && !v.type.real()) targets.push_back(v);
  if (targets.empty()) return assignment();
  const Variable& v = pick(targets);
  const auto value = [&] {
    return make({Scalar::u32}, "((uint)$)", {expression(chance(70) ? Type{Scalar::u32} : integer_type(), 2)});
  };
  const auto same = [&] {  // in all of the wave
    uniform_ = w.flow == Flow::group;
    Piece n = uniform_ ? expression({Scalar::u32}, 2) : literal({Scalar::u32});
    uniform_ = false;
    return n;
  };
  const auto control = [&]() -> int {
    switch (below(6)) {
      case 0: return below(256);  // quad_perm
      case 1: return 0x101 + below(15);
      case 2: return 0x111 + below(15);
      case 3: return 0x121 + below(15);
      default: return 0x140 + below(2);
    }
  };
  const std::string target = fmt::format("{} = ({})", v.name, v.type.name());
  // The mask is ours alone: a row or bank that is left out keeps `old`.
  const int rows = chance(60) ? 15 : below(16), banks = chance(60) ? 15 : below(16);
  switch (below(12)) {
    case 0: return line(target + "READ_FIRST($);\n", {value()});
    case 1: return line(target + "READ_LANE($, $ & (WAVE - 1));\n", {value(), same()});
    case 2:
      return line(target + "BPERMUTE((lid + $) & (WAVE - 1), $);\n",
                  {make({Scalar::u32}, "((uint)$)", {expression(integer_type(), 2)}), value()});
    case 3: return line(target + "PERMUTE((lid + $) & (WAVE - 1), $);\n", {same(), value()});
    case 4:
      return line(fmt::format("{}SWIZZLE($, {:#x});\n", target, chance(50) ? 0x8000 | below(256) : below(0x8000)),
                  {value()});
    case 5:
    case 6:
      return line(fmt::format("{}DPP($, $, {:#x}, {:#x}, {:#x}, {});\n", target, control(), rows, banks, below(2)),
                  {value(), value()});
    case 7: {
      const int gfx9[] = {0x130, 0x134, 0x138, 0x13c, 0x142, 0x143};
      return line(fmt::format("{}DPP_FAMILY($, $, {:#x}, {:#x}, {:#x}, {:#x}, {});\n", target, gfx9[below(6)],
                              0x150 + below(32), rows, banks, below(2)),
                  {value(), value()});
    }
    case 8: return line(fmt::format("{}BALLOT($);\n", target), {condition(3)});
    case 9: {
      static constexpr const char* names[] = {"add_u32", "and_b32", "or_b32",  "xor_b32",
                                              "min_u32", "max_u32", "min_i32", "max_i32"};
      const int op = below(8);
      return line(fmt::format("{}REDUCE({}, {}, $);\n", target, names[op], op), {value()});
    }
    case 10:
      return line(fmt::format("{}PERMLANE16($, {:#x}u, {:#x}u, {});\n", target, static_cast<uint32_t>(bits()),
                              static_cast<uint32_t>(bits()), below(2)),
                  {value()});
    default: {  // a move and an operation that may become one instruction
      return line(fmt::format("{}(DPP(0, $, {:#x}, 15, 15, 1) {} ((uint)$));\n", target, control(),
                              pick({"+", "&", "|", "^", "-"})),
                  {value(), value()});
    }
  }
}

Piece Writer::atomic(Where) {
  const bool lds = chance(50);
  if (chance(60)) {  // on everybody's words: each word sees one operation, whose order does not matter
    static constexpr const char* ops[] = {"fetch_add", "fetch_or",  "fetch_and", "fetch_xor",
                                          "fetch_min", "fetch_max", "fetch_add", "fetch_sub"};
    const int word = below(8);
    if (lds)
      return line(fmt::format("ATOMIC({}, local, uint, &counted[{}], $, 1);\n", ops[word], word),
                  {expression({Scalar::u32}, 2)});
    return line(fmt::format("ATOMIC({}, global, uint, shared + {}, $, 2);\n", ops[word], word),
                {expression({Scalar::u32}, 2)});
  }
  // On the work-item's own word, whose old value comes back.
  const bool wide = chance(40);
  const Type t{wide ? Scalar::u64 : Scalar::u32};
  const std::string space = lds ? "local" : "global",
                    place = lds ? fmt::format("&owned[lid * 2{}]", wide ? "" : fmt::format(" + {}", below(2)))
                                : fmt::format("own + gid * 64 + {}", wide ? 32 + 8 * below(4) : 32 + 4 * below(8));
  for (const Variable& v : variables_)
    if (v.assignable && v.type.count == 1 && !v.type.real() && chance(40)) {
      if (chance(15)) {
        const std::string expected = fresh("e");
        return line(fmt::format("{{ {0} {1} = $; {2} = ({3})(SWAP_IF({4}, {0}, {5}, &{1}, $, {6}) + 2 * {1}); }}\n",
                                t.name(), expected, v.name, v.type.name(), space, place, lds ? 1 : 2),
                    {expression(t, 1), expression(t, 2)});
      }
      return line(fmt::format("{} = ({})ATOMIC({}, {}, {}, {}, $, {});\n", v.name, v.type.name(),
                              pick({"fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor", "fetch_min",
                                    "fetch_max", "exchange"}),
                              space, t.name(), place, lds ? 1 : 2),
                  {expression(t, 2)});
    }
  return assignment();
}

// Stores: to arrays in private memory and LDS, members of structures, unaligned bytes of the work-item's own memory.
Piece Writer::memory() {
  if (in_kernel_ && chance(20)) {
    const Type t = integer_type();
    for (const Variable& v : variables_)
      if (v.assignable && v.type.count == 1 && !v.type.real() && chance(30))
        return line(fmt::format("*(global {0}_unaligned*)(own + gid * 64 + ($ & 15)) = $; {1} = *(global "
                                "{2}_unaligned*)(own + gid * 64 + ($ & 15));\n",
                                t.name(), v.name, v.type.name()),
                    {make({Scalar::u32}, "((uint)$)", {leaf({Scalar::u32})}), expression(t, 2),
                     make({Scalar::u32}, "((uint)$)", {leaf({Scalar::u32})})});
  }
  if (arrays_.empty()) return assignment();
  const Array& a = pick(arrays_);
  return line(fmt::format("{} = $;\n", a.text), {index(a.elements, 2), expression(a.type, 3)});
}

}  // namespace wavesmith::random
