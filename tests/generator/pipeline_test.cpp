// Declared pipelines, run: a kernel that doubles a stream of rows must do so for every trip count, slot count and
// lookahead.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "generator/schedule/pipeline.h"
#include "simulator/simulator.h"

using namespace wavesmith;

namespace {

// out[row][lane] = 2 * in[row][lane]: a load phase, a compute phase and a store phase, each with its own lookahead.
Program doubler(int slots, int load_ahead, int compute_ahead) {
  Kernel kernel("doubler", Arch::gfx942, 64);
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const auto in_arg = kernel.pointer("in", "f32");
  kernel.pointer("out", "f32");
  const auto trips_arg = kernel.value("rows", "u32");
  const auto in = r.s.alloc(4, "in, out", 4);
  const auto trips = r.s.alloc(1, "rows left");
  const auto offset = r.v.alloc(1, "lane offset");
  std::vector<Owned<File::v>> row;
  for (int i = 0; i < slots; ++i) row.push_back(r.v.alloc(1, "row"));
  kernel.load(in, in_arg);
  kernel.load(trips, trips_arg);
  k.v_lshlrev_b32(offset, 2, kernel.workitem);
  const auto advance = [](Block& b, Sgpr at) {
    b.s_add_u32(at[0], at[0], 256);
    b.s_addc_u32(at[1], at[1], 0);
  };
  Pipeline p{.slots = slots};
  p.at(ahead(load_ahead), [&](int s) {
    Block b(Arch::gfx942, "load");
    b.global_load_dword(row[s], offset, in.slice(0, 2));
    advance(b, in.slice(0, 2));
    return b;
  });
  p.at(ahead(compute_ahead), [&](int s) {
    Block b(Arch::gfx942, "compute");
    b.v_add_f32(row[s], row[s], row[s]);
    return b;
  });
  p.at(ahead(0), [&](int s) {
    Block b(Arch::gfx942, "store");
    b.global_store_dword(offset, row[s], in.slice(2, 2));
    advance(b, in.slice(2, 2));
    return b;
  });
  p.emit(k, trips, {.hot = true});
  k.s_endpgm();
  return lower(std::move(kernel));
}

}  // namespace

TEST_CASE("a declared pipeline runs every phase once an iteration, for every trip count", "[pipeline]") {
  const int slots = GENERATE(1, 2, 3, 4), load = GENERATE(0, 1, 2, 3), compute = GENERATE(0, 1, 2);
  if (load >= slots || compute > load) return;
  const auto co = sim::CodeObject::load(assemble(doubler(slots, load, compute)).bytes);
  for (uint32_t rows = 0; rows <= 9; ++rows) {
    sim::Memory memory;
    const uint64_t in = memory.allocate(rows * 256 + 4, "in"), out = memory.allocate(rows * 256 + 4, "out");
    std::vector<float> values(rows * 64 + 1, 7);
    for (size_t i = 0; i + 1 < values.size(); ++i) values[i] = static_cast<float>(i);
    memory.write(in, {reinterpret_cast<const uint8_t*>(values.data()), values.size() * 4});
    std::vector<uint8_t> kernargs(20);
    std::memcpy(&kernargs[0], &in, 8);
    std::memcpy(&kernargs[8], &out, 8);
    std::memcpy(&kernargs[16], &rows, 4);
    const auto result = sim::run(co, co.kernel(""), memory, {.kernargs = kernargs});
    INFO("slots " << slots << " load ahead " << load << " compute ahead " << compute << " rows " << rows << " "
                  << (result.fault ? result.fault->message() : ""));
    REQUIRE_FALSE(result.fault);
    std::vector<float> got(values.size());
    memory.read(out, {reinterpret_cast<uint8_t*>(got.data()), got.size() * 4});
    for (size_t i = 0; i < got.size(); ++i) REQUIRE(got[i] == (i + 1 < got.size() ? 2 * values[i] : 0.f));
  }
}

TEST_CASE("the steady loop of a pipeline waits only for the oldest load", "[pipeline]") {
  int waits = 0;
  for (const Node& n : doubler(3, 2, 0).nodes)
    if (n.hot && n.inst.op == Opcode::s_waitcnt && n.is_instruction()) {
      ++waits;
      CHECK(isa::waits_of(n.inst, Arch::gfx942).vm >= 2);  // two younger loads stay in flight
    }
  CHECK(waits == 3);
}

TEST_CASE("what runs beside the first loads stands behind them, before the first wait, and on the path of few trips",
          "[pipeline]") {
  const bool waits = GENERATE(true, false);
  Kernel kernel("beside", Arch::gfx942, 64);
  Stream& k = kernel.k;
  const auto row = kernel.r.v.alloc(2, "row"), once = kernel.r.v.alloc(1, "once");
  const auto trips = kernel.r.s.alloc(1, "trips");
  const auto in = kernel.r.s.alloc(2, "in", 2);
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int s) {
    Block b(Arch::gfx942, "load");
    b.global_load_dword(row[s], kernel.workitem, in);
    if (waits) b.wait_for(row[s]);
    return b;
  });
  p.at(ahead(0), [&](int s) {
    Block b(Arch::gfx942, "use");
    b.v_add_f32(once, once, row[s]);
    return b;
  });
  p.beside_first_loads.emplace(Arch::gfx942, "clear").v_mov_b32(once, 0);
  const size_t first = k.nodes.size();
  p.emit(k, trips);
  std::string order;  // l: load, w: wait, o: once, u: use
  for (size_t i = first; i < k.nodes.size(); ++i) {
    const Node& n = k.nodes[i];
    if (n.as<directive::WaitRegister>()) order += 'w';
    else if (n.is_instruction() && n.inst.op == isa::Opcode::global_load_dword) order += 'l';
    else if (n.is_instruction() && n.inst.op == isa::Opcode::v_mov_b32) order += 'o';
    else if (n.is_instruction() && n.inst.op == isa::Opcode::v_add_f32) order += 'u';
  }
  CAPTURE(order);
  CHECK(order.substr(0, 3) == (waits ? "low" : "oll"));
  CHECK(std::ranges::count(order, 'o') == 2);
  CHECK_THAT(order.substr(order.rfind('o')), Catch::StartsWith(waits ? "olwu" : "olu"));
}

TEST_CASE("what runs beside direct loads is between them, what a load needs before it, and SCC is kept", "[pipeline]") {
  Kernel kernel("between", Arch::gfx942, 64);
  Stream& k = kernel.k;
  const auto late = kernel.r.v.alloc(1, "address of the last loads"), other = kernel.r.v.alloc(1, "any");
  const auto trips = kernel.r.s.alloc(1, "trips"), step = kernel.r.s.alloc(1, "step"), sum = kernel.r.s.alloc(1, "sum");
  const auto in = kernel.r.s.alloc(2, "in", 2);
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int) {
    Block b(Arch::gfx942, "load");
    for (int i = 0; i < 4; ++i) {
      b.s_add_u32(step, step, 64);
      b.global_load_dword(other, i < 2 ? Vgpr(kernel.workitem) : Vgpr(late), in).buffer = 0;
    }
    b.wait_for_lds(0);
    return b;
  });
  p.at(ahead(0), [&](int) { return Block(Arch::gfx942, "use"); });
  Block& aside = p.beside_first_loads.emplace(Arch::gfx942, "aside");
  for (int i = 0; i < 20; ++i) {
    aside.s_cmp_gt_u32(sum, i);
    aside.s_cselect_b32(sum, sum, i);
  }
  aside.v_mov_b32(late, 0);
  const int all = static_cast<int>(aside.size());
  p.emit(k, trips);
  std::string order;  // l: load, +: its address, c: compare, s: select, v: address of the last loads
  for (const Node& n : k.nodes) {
    if (n.as<directive::WaitLds>()) order += 'w';
    if (!n.is_instruction()) continue;
    const auto op = n.inst.op;
    order += op == isa::Opcode::global_load_dword                                       ? "l"
             : op == isa::Opcode::s_add_u32 && n.inst.operands[0].index == step.index   ? "+"
             : op == isa::Opcode::s_cmp_gt_u32 && n.inst.operands[0].index == sum.index ? "c"
             : op == isa::Opcode::s_cselect_b32                                         ? "s"
             : op == isa::Opcode::v_mov_b32                                             ? "v"
                                                                                        : "";
  }
  CAPTURE(order);
  const std::string prologue = order.substr(0, order.find('w'));
  CHECK_THAT(prologue, Catch::StartsWith("+lcs") && Catch::Contains("s+lcs") && Catch::Contains("vl+l"));
  CHECK(std::ranges::count(prologue, 'c') + std::ranges::count(prologue, 's') + 1 == all);
  for (size_t i = 0; i < prologue.size(); ++i)
    if (prologue[i] == 'c') CHECK(prologue.substr(i, 2) == "cs");
}

TEST_CASE("what stands before the drain follows the loop, by the slot of the first iteration drained", "[pipeline]") {
  Stream k(Arch::gfx942);
  const Sgpr trips{0, 1};
  const Vgpr v{0, 1};
  Pipeline p{.slots = 2};
  p.at(ahead(1), [&](int s) {
    Block b(Arch::gfx942, "load");
    b.v_mov_b32(v, s);
    return b;
  });
  p.before_drain = [&](int slot) {
    Block b(Arch::gfx942, "before");
    b.v_add_u32(v, slot, v);
    return b;
  };
  p.at(ahead(0), [&](int s) {
    Block b(Arch::gfx942, "use");
    b.v_xor_b32(v, s, v);
    return b;
  });
  p.emit(k, trips);
  std::string order;  // l: load, u: use, each with its slot; d: before the drain, with its
  for (const Node& n : k.nodes)
    if (n.is_instruction())
      if (const char c = n.inst.op == isa::Opcode::v_mov_b32   ? 'l'
                         : n.inst.op == isa::Opcode::v_add_u32 ? 'd'
                         : n.inst.op == isa::Opcode::v_xor_b32 ? 'u'
                                                               : 0)
        (order += c) += static_cast<char>('0' + n.inst.operands[1].bits);
  // Prologue, the loop of two slots, its exits from the last one on with their drains, a single iteration.
  CHECK(order ==
        "l0"
        "l1u0l0u1"
        "d0u0"
        "d1u1"
        "l0u0");
}

TEST_CASE("segments that cannot be are refused", "[pipeline]") {
  Stream k(Arch::gfx942);
  const auto nothing = [](int) { return Block(Arch::gfx942); };
  const Sgpr a{0, 1}, b{1, 1};
  Pipeline drained{.slots = 2}, late_in_segment{.slots = 2, .past_end = true}, no_such_segment{.past_end = true};
  drained.at(ahead(1), nothing);
  late_in_segment.at(delayed(1).in_segment(1), nothing);
  no_such_segment.at(ahead(0).in_segment(1), nothing);
  CHECK_THROWS_WITH(drained.emit(k, {{a}, {b}}), Catch::Contains("2 segments; legal: one, or more with past_end"));
  CHECK_THROWS_WITH(late_in_segment.emit(k, {{a}, {b}}),
                    Catch::Contains("only in segment 1 runs -1 iterations ahead; legal: 0 and more"));
  CHECK_THROWS_WITH(drained.emit(k, std::vector<Pipeline::Segment>{{.trips = a, .tail = true}}),
                    Catch::Contains("legal: one tail after one segment, without past_end"));
  CHECK_THROWS_WITH(late_in_segment.emit(k, {{.trips = a}, {.trips = b, .tail = true}}),
                    Catch::Contains("legal: one tail after one segment, without past_end"));
  Pipeline another{.past_end = true}, late_before_another{};
  another.at(ahead(0), nothing), late_before_another.at(delayed(1), nothing);
  for (Pipeline* p : {&another, &late_before_another}) {
    p->next.emplace();
    CHECK_THROWS_WITH(p->emit(k, a), Catch::Contains("another problem follows; legal: one segment and a tail"));
  }
  CHECK_THROWS_WITH(no_such_segment.emit(k, a), Catch::Contains("pipeline of 1 segments: a phase only in segment 1"));
}

TEST_CASE("a lookahead that would overwrite live slots is refused", "[pipeline]") {
  CHECK_THROWS_WITH(doubler(2, 2, 0),
                    Catch::Contains("2 slots") && Catch::Contains("2 iterations ahead") && Catch::Contains("0 to 1"));
}

namespace {

// A kernel whose phases write a letter and their slot each, one after the other, so that the order in which they ran
// can be read back.
struct Diary {
  Kernel kernel{"diary", Arch::gfx942, 64};
  Stream& k = kernel.k;
  Owned<File::s> args = kernel.r.s.alloc(2, "out"), trips = kernel.r.s.alloc(2, "trips"),
                 at = kernel.r.s.alloc(1, "byte of the next entry");
  Owned<File::v> entry = kernel.r.v.alloc(1, "entry"), place = kernel.r.v.alloc(1, "its byte");

  Diary() {
    const auto out = kernel.pointer("out", "u32"), t = kernel.value("trips", "u32");
    kernel.value("more", "u32");
    kernel.load(args, out);
    kernel.load(trips, t);
    k.s_mov_b32(at, 0);
  }
  Block write(char letter, int slot = 0) {
    Block b(Arch::gfx942, "write");
    b.v_mov_b32(entry, letter + 256 * slot);
    b.v_mov_b32(place, at);
    b.global_store_dword(place, entry, args);
    b.s_add_u32(at, at, 4);
    return b;
  }
  Pipeline::Stage stage(Ahead by, char letter) {
    return {by, [this, letter](int slot) { return write(letter, slot); }};
  }
};
Block one_by_one(const Block& anchors, const std::vector<Block>& sides) {
  Block out = anchors;
  for (const Block& s : sides) out << s;
  return out;
}
// "a0b1 ...": letters with their slots, in the order in which they ran.
std::string letters_stored(const Program& p, uint32_t trips, uint32_t more = 0) {
  const auto co = sim::CodeObject::load(assemble(p).bytes);
  sim::Memory memory;
  std::vector<uint32_t> out(400);
  const uint64_t to = memory.allocate(out.size() * 4, "out");
  memory.write(to, {reinterpret_cast<const uint8_t*>(out.data()), out.size() * 4});
  std::vector<uint8_t> kernargs(16);
  std::memcpy(&kernargs[0], &to, 8);
  std::memcpy(&kernargs[8], &trips, 4);
  std::memcpy(&kernargs[12], &more, 4);
  const auto result = sim::run(co, co.kernel(""), memory, {.kernargs = kernargs});
  if (result.fault) return result.fault->message();
  memory.read(to, {reinterpret_cast<uint8_t*>(out.data()), out.size() * 4});
  std::string text;
  for (const uint32_t x : out)
    if (x) text += static_cast<char>(x & 255), text += std::to_string(x >> 8);
  return text;
}

}  // namespace

TEST_CASE("phases that may run past the end need no drain, and one that lags runs once before the first iteration",
          "[pipeline]") {
  Diary d;
  Pipeline p{.slots = 2, .past_end = true};
  p.merge(one_by_one, {d.stage(delayed(1), 'o')}, {{d.stage(ahead(1), 'r')}, {d.stage(ahead(0), 'm')}});
  p.at(d.stage(ahead(2).over(2), 'l'));
  p.emit(d.k, d.trips.slice(0, 1));
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  CHECK(letters_stored(program, 0).empty());
  const std::string prologue =
      "l0"
      "r0l1";
  CHECK(letters_stored(program, 1) == prologue +
                                          "o1r1m0l0"
                                          "o0");
  CHECK(letters_stored(program, 2) == prologue +
                                          "o1r1m0l0"
                                          "o0r0m1l1"
                                          "o1");
  CHECK(letters_stored(program, 5) == prologue +
                                          "o1r1m0l0"
                                          "o0r0m1l1"
                                          "o1r1m0l0"
                                          "o0r0m1l1"
                                          "o1r1m0l0"
                                          "o0");
}

TEST_CASE("the segments of a pipeline share a prologue and a drain, whichever of them has no trips", "[pipeline]") {
  Diary d;
  Pipeline p{.slots = 2, .past_end = true};
  p.at(d.stage(ahead(1), 'r'))
      .at(d.stage(ahead(0).in_segment(1), 'h'))
      .at(d.stage(ahead(0), 'm'))
      .at(d.stage(delayed(1), 'o'));
  p.emit(d.k, {{d.trips.slice(0, 1)}, {d.trips.slice(1, 1)}});
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  const std::string plain =
                        "r1m0o1"
                        "r0m1o0",
                    masked[] = {"r1h0m0o1", "r0h1m1o0"};
  CHECK(letters_stored(program, 0, 0).empty());
  CHECK(letters_stored(program, 2, 0) == "r0" + plain + plain + "o1");
  CHECK(letters_stored(program, 0, 1) == "r0" + masked[0] + "o0");
  CHECK(letters_stored(program, 1, 3) == "r0" + plain + masked[0] + masked[1] + masked[0] + "o0");
}

TEST_CASE("a phase that runs ahead in the steps of one segment also runs in the prologue", "[pipeline]") {
  Diary d;
  Pipeline p{.slots = 2, .past_end = true};
  p.at(d.stage(ahead(1), 'r')).at(d.stage(ahead(1).in_segment(1), 'h')).at(d.stage(ahead(0), 'm'));
  p.emit(d.k, {{d.trips.slice(0, 1)}, {d.trips.slice(1, 1)}});
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  CHECK(letters_stored(program, 1, 2) == "r0h0r1m0r0m1r1h1m0r0h0m1");
  CHECK(letters_stored(program, 0, 1) == "r0h0r1h1m0");
}

TEST_CASE("a merge in the prologue and the drain has the sides that run there", "[pipeline]") {
  Diary d;
  Pipeline p{.slots = 2};
  p.merge(one_by_one, {d.stage(ahead(0), 'm')}, {{d.stage(ahead(1), 'r')}});
  p.emit(d.k, d.trips.slice(0, 1));
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  CHECK(letters_stored(program, 1) == "r0m0");
  CHECK(letters_stored(program, 4) ==
        "r0"
        "m0r1"
        "m1r0"
        "m0r1"
        "m1");
}

TEST_CASE("a tail follows the drain, its phases in the order in which an iteration reaches them, its slots going on",
          "[pipeline]") {
  Diary d;
  Pipeline p{.slots = 2};
  p.merge(one_by_one, {d.stage(ahead(0), 'm')},
          {{d.stage(ahead(1).in_segment(0), 'r'), d.stage(ahead(1).in_segment(1), 'e')}});
  p.at(d.stage(ahead(0).in_segment(1), 'c'));
  p.emit(d.k, {{.trips = d.trips.slice(0, 1)}, {.trips = d.trips.slice(1, 1), .tail = true}});
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  CHECK(letters_stored(program, 0).empty());
  CHECK(letters_stored(program, 3) ==
        "r0"
        "m0r1"
        "m1r0"
        "m0");
  CHECK(letters_stored(program, 0, 3) ==
        "e0m0c0"
        "e1m1c1"
        "e0m0c0");
  CHECK(letters_stored(program, 1, 2) ==
        "r0m0"
        "e1m1c1"
        "e0m0c0");
  CHECK(letters_stored(program, 2, 1) ==
        "r0"
        "m0r1"
        "m1"
        "e0m0c0");
  CHECK(letters_stored(program, 3, 2) ==
        "r0"
        "m0r1"
        "m1r0"
        "m0"
        "e1m1c1"
        "e0m0c0");
}

// Problems of as many trips: 'r' runs ahead, 'm' does not. B: begins, S: between two problems, M: in the first steps.
TEST_CASE("a problem that follows is begun in the last iterations of the one before, its first steps are its own",
          "[pipeline]") {
  const int further = GENERATE(0, 1);
  const bool has_first = GENERATE(true, false);
  Diary d;
  const Sgpr trips = d.trips.slice(0, 1), more = d.trips.slice(1, 1);
  const auto all_trips = d.kernel.r.s.alloc(1, "trips of a problem");
  d.k.s_mov_b32(all_trips, trips);
  Pipeline p{.slots = 2};
  Pipeline::Stage read = d.stage(ahead(1), 'r');
  read.begins = 1, read.further = further;
  p.at(read).at(d.stage(ahead(0), 'm'));
  auto& next = p.next.emplace();
  next.test = [&](int none, int least) {
    d.k.s_cmp_lt_u32(all_trips, least);
    d.k.s_cbranch_scc1(LabelArg{isa::label(none)});
    d.k.s_sub_u32(more, more, 1);
    d.k.s_cbranch_scc1(LabelArg{isa::label(none)});
  };
  next.begin = [&](int what) {
    CHECK(what == 1);
    return d.write('B');
  };
  next.prepare = [&] { return d.write('P'); };
  next.between = [&] {
    d.k << d.write('S');
    d.k.s_mov_b32(trips, all_trips);
  };
  if (has_first)
    next.first = [](const Block& steps) {
      Block b = steps;
      for (Node& n : b.nodes)
        if (n.is_instruction() && n.inst.op == isa::Opcode::v_mov_b32 && (n.inst.operands[1].bits & 255) == 'm')
          n.inst.operands[1].bits += 'M' - 'm';
      return b;
    };
  p.emit(d.k, trips);
  d.k.s_endpgm();
  const Program program = lower(std::move(d.kernel));
  const std::string two = has_first ? "r1M0r0M1" : "r1m0r0m1";
  if (further == 0) {  // one iteration behind the loop
    CHECK(letters_stored(program, 2, 1) == (has_first ? "r0r1m0m1" : "r0r1m0B0r0m1P0S0r1m0m1"));
    CHECK(letters_stored(program, 4, 1) == "r0r1m0r0m1r1m0B0r0m1P0S0" + two + "r1m0m1");
    CHECK(letters_stored(program, 4, 2) == "r0r1m0r0m1r1m0B0r0m1P0S0" + two + "r1m0B0r0m1P0S0" + two + "r1m0m1");
    CHECK(letters_stored(program, 3, 1) == "r0r1m0r0m1m0");  // ends in the other slot
  } else {                                                   // two, of which the first one begins
    CHECK(letters_stored(program, 4, 1) == "r0r1m0r0m1B0r1m0r0m1P0S0" + two + "r1m0m1");
    CHECK(letters_stored(program, 4, 0) == "r0r1m0r0m1r1m0m1");
  }
}
