// The planner against what others state: the cases and lowerings of compilers' own tests, their instruction tables, and
// corner values.
#include "kernels/plan/plan.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "kernels/plan/recommend.h"
#include "tests/support/csv.h"

namespace wavesmith::plan {

using Catch::Contains;
using isa::Arch;

namespace {

struct Ask {
  Arch arch;
  DotShape shape;
  Elem a = Elem::f16, b = Elem::f16, c = Elem::f32;
  int waves = 4, nonkdim = 0, kpack = 1;
  Chain chain{};
  Remainder remainder = Remainder::as_stated;
};

Problem problem(const Ask& q) {
  Problem p;
  p.arch = q.arch, p.shape = q.shape, p.waves = q.waves, p.nonkdim = q.nonkdim, p.kpack = q.kpack, p.chain = q.chain,
  p.remainder = q.remainder;
  p.a.type = q.a, p.b.type = q.b, p.c = q.c;
  return p;
}
Plan plan_for(const Ask& q) { return plan::plan(problem(q)); }
std::string shape_of(const Plan& p) { return p.instruction ? fmt::format("{}x{}x{}", p.m, p.n, p.k) : name(p.kind); }
std::string rules(const Plan& p) {
  std::string out;
  for (const auto& d : p.decisions) out += d.subject + " = " + d.value + ": " + d.rule + "\n";
  return out;
}
Problem scaled(Arch arch, DotShape s, Elem a, Elem b) {
  Problem p = problem({arch, s, a, b});
  p.scaled = true;
  for (DotOperand* o : {&p.a, &p.b})
    if (is_f8f6f4(o->type)) o->scale.state = Scale::present;
  return p;
}
constexpr Chain tail{false, false, true}, head_a{true, false, false}, head_b{false, true, false};

std::string entry(const char* arch, int m, int n, int k, const std::string& types, int k_base) {
  return fmt::format("{} {}x{}x{} {} kBase {}", arch, m, n, k, types, k_base);
}

std::set<std::string> table_of(Arch arch, const char* as) {
  std::set<std::string> out;
  for (const InstructionCandidate& c : candidates(arch))
    out.insert(entry(as, c.m, c.n, c.k,
                     fmt::format("{} {} {}{}", name(c.a), name(c.b), name(c.d),
                                 c.scale_block ? fmt::format(" scaled{}", c.scale_block) : ""),
                     c.k_base));
  return out;
}

void compare(const std::set<std::string>& stated, const std::set<std::string>& ours,
             const std::set<std::string>& not_ours, const std::set<std::string>& only_ours) {
  for (const auto& e : stated) {
    INFO("stated: " << e);
    CHECK((ours.count(e) == 1) != (not_ours.count(e) == 1));
  }
  for (const auto& e : ours) {
    INFO("ours: " << e);
    CHECK((stated.count(e) == 1) != (only_ours.count(e) == 1));
  }
  for (const auto& e : not_ours) {
    INFO("exception that is none: " << e);
    CHECK(stated.count(e));
  }
  for (const auto& e : only_ours) {
    INFO("exception that is none: " << e);
    CHECK(ours.count(e));
  }
}

int number(const std::string& s) { return std::stoi(s); }

}  // namespace

TEST_CASE("the MFMA table read from the instruction table is the one compilers choose from", "[plan]") {
  const auto rows = csv::facts("planner_mfma_table.csv");
  std::set<std::string> stated, ours;
  for (const auto& r : rows) {
    const bool narrow = r.at("a_type").starts_with("f4E2M1FN("), xf32 = r.at("a_type").starts_with("tf32");
    const std::string types = narrow ? "f8f6f4 f8f6f4 f32 scaled32"
                              : xf32 ? "xf32 xf32 f32"
                                     : r.at("a_type") + " " + r.at("b_type") + " " + r.at("acc_type");
    stated.insert(entry(r.at("arch").c_str(), number(r.at("M")), number(r.at("N")), number(r.at("K")), types,
                        number(r.at("kBase"))));
  }
  for (const auto& [arch, as] : {std::pair{Arch::gfx908, "gfx908"},
                                 {Arch::gfx90a, "gfx90a"},
                                 {Arch::gfx942, "gfx942"},
                                 {Arch::gfx950, "gfx950"}})
    ours.merge(table_of(arch, as));
  compare(
      stated, ours,
      // planner_spec 13e: K = 2 for 16 instructions of kBase 2 duplicates data; the rule of all other entries gives 32.
      {"gfx908 64x4x2 bf16 bf16 f32 kBase 2", "gfx908 4x64x2 bf16 bf16 f32 kBase 2"},
      {"gfx908 64x4x32 bf16 bf16 f32 kBase 2", "gfx908 4x64x32 bf16 bf16 f32 kBase 2",
       // gfx90a keeps gfx908's bf16 instruction beside the _1k one: a second alternative for K = 32.
       "gfx90a 64x4x32 bf16 bf16 f32 kBase 2", "gfx90a 4x64x32 bf16 bf16 f32 kBase 2",
       // The same instructions without scale operands; the stated table has one entry for both.
       "gfx950 32x32x64 f8f6f4 f8f6f4 f32 kBase 32", "gfx950 16x16x128 f8f6f4 f8f6f4 f32 kBase 32"});
  // planner_spec 13f: K = 4 on gfx90a is gfx908's one-block instruction, not the two-block _1k of the stated table.
  const Plan k4 = plan_for({Arch::gfx90a, {32, 32, 4}, Elem::bf16, Elem::bf16});
  REQUIRE(k4.instruction);
  CHECK(mnemonic(*k4.instruction, Arch::gfx90a) == std::string("v_mfma_f32_32x32x4bf16"));
  CHECK(k4.instruction->row->matrix.blocks == 1);
}

TEST_CASE("the WMMA table read from the instruction table is the one compilers choose from", "[plan]") {
  const auto rows = csv::facts("planner_wmma_table.csv");
  std::set<std::string> stated, ours;
  for (const auto& r : rows) {
    const std::string arch = r.at("version") == "1" ? "gfx1100" : r.at("version") == "2" ? "gfx1200" : "gfx1250";
    const bool narrow = r.at("a_type").starts_with("e4m3|"),
               by16 = r.at("intrinsic").find("scale16") != std::string::npos;
    const std::string types = narrow ? fmt::format("f8f6f4 f8f6f4 f32 scaled{}", by16 ? 16 : 32)
                                     : r.at("a_type") + " " + r.at("b_type") + " " + r.at("d_type");
    stated.insert(
        entry(arch.c_str(), number(r.at("M")), number(r.at("N")), number(r.at("K")), types, number(r.at("kBase"))));
  }
  for (const auto& [arch, as] :
       {std::pair{Arch::gfx1100, "gfx1100"}, {Arch::gfx1200, "gfx1200"}, {Arch::gfx1250, "gfx1250"}})
    ours.merge(table_of(arch, as));
  // gfx1250 has more than its compilers list: 16-bit accumulators, formats without scales, 32x16 for two fp4 operands.
  std::set<std::string> only_ours{"gfx1250 16x16x32 f16 f16 f16 kBase 16",
                                  "gfx1250 16x16x32 bf16 bf16 bf16 kBase 16",
                                  "gfx1250 16x16x128 f8f6f4 f8f6f4 f32 kBase 64",
                                  "gfx1250 32x16x128 f4E2M1FN f4E2M1FN f32 kBase 128",
                                  "gfx1250 32x16x128 f4E2M1FN f4E2M1FN f32 scaled32 kBase 128",
                                  "gfx1250 32x16x128 f4E2M1FN f4E2M1FN f32 scaled16 kBase 128"};
  for (const char* a : {"f8E4M3FN", "f8E5M2"})
    for (const char* b : {"f8E4M3FN", "f8E5M2"})
      for (int k : {64, 128}) only_ours.insert(fmt::format("gfx1250 16x16x{} {} {} f16 kBase {}", k, a, b, k / 2));
  compare(stated, ours, {}, only_ours);
  CHECK(table_of(Arch::gfx1151, "x") == table_of(Arch::gfx1100, "x"));
  CHECK(table_of(Arch::gfx1201, "x") == table_of(Arch::gfx1200, "x"));
}

// -- Lowering: what a finished layout becomes -------------------------------------------------------------------------
namespace {

std::string bare(std::string s) {  // an intrinsic's or mnemonic's name without what differs by dialect
  for (const char* prefix : {"rocdl.", "llvm.amdgcn.", "v_"})
    if (s.starts_with(prefix)) s = s.substr(std::string(prefix).size());
  if (s.ends_with(".tied")) s.resize(s.size() - 5);  // the same instruction, its op_sel chooses a half
  for (char& c : s)
    if (c == '.') c = '_';
  return s;
}

Elem lowering_type(const std::string& s,
                   const FamilyTraits& t) {  // "e5m2 (tensor) e4m3 (format)": what the instruction is told counts
  const size_t format = s.find(" (format)");
  return find_elem(format == s.npos ? s : s.substr(s.rfind(' ', format - 1) + 1, format - s.rfind(' ', format - 1) - 1),
                   t);
}

std::vector<int> integers(const std::string& s) {
  std::vector<int> out;
  for (size_t i = 0; i < s.size();) {
    if (!isdigit(static_cast<unsigned char>(s[i]))) {
      ++i;
      continue;
    }
    size_t used = 0;
    out.push_back(std::stoi(s.substr(i), &used));
    i += used;
  }
  return out;
}

// The row that a finished layout is lowered to: exact shape, operands swapped where the layout is transposed
// (planner_spec 11.2, 11.3).
struct Lowering {
  InstructionCandidate instruction;
  bool swapped;
  int64_t count;
  int64_t zero_filled;
};  // count: a wave's; zero_filled: of k_base elements
struct InstructionShape {
  int m, n, k;
  bool transposed;
  int waves = 1;
};
Lowering lower(isa::Arch arch, const InstructionShape& instruction, const Types& types, DotShape shape,
               bool scaled = false) {
  const auto as_operand = [&](Elem e) { return scaled ? Elem::f8f6f4 : e; };
  const Elem a = as_operand(instruction.transposed ? types.b : types.a),
             b = as_operand(instruction.transposed ? types.a : types.b);
  const auto list = alternatives(arch, {instruction.m, instruction.n, a, b, types.d, scaled ? 32 : 0});
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const InstructionCandidate& c) { return c.k == instruction.k; });
  if (found == list.end()) {
    std::string legal;
    for (const InstructionCandidate& c : list) legal += fmt::format(" {}x{}x{}", c.m, c.n, c.k);
    throw PlanError(fmt::format("{} has no {}x{}x{} instruction of {} x {} -> {}, legal:{}", isa::target(arch).name,
                                instruction.m, instruction.n, instruction.k, name(a), name(b), name(types.d),
                                legal.empty() ? " none" : legal));
  }
  const int64_t tiles = ceil_div(shape.m, instruction.m) * ceil_div(shape.n, instruction.n),
                steps = ceil_div(shape.k, instruction.k);
  const int64_t missing =
      shape.k < instruction.k ? found->k_base - ceil_div(found->k_base * shape.k, instruction.k) : 0;
  return {*found, instruction.transposed, ceil_div(tiles, instruction.waves) * steps * found->per_step, missing};
}

}  // namespace

TEST_CASE("every stated layout lowers to the stated instruction", "[plan]") {
  const auto rows = csv::facts("lowering_cases.csv");
  for (const auto& r : rows) {
    INFO(r.at("layout") << " " << r.at("instrShape") << " " << r.at("a_type") << " x " << r.at("b_type") << ", "
                        << r.at("source"));
    const Arch arch = find_target(r.at("arch"));
    const FamilyTraits& t = traits(arch);
    const auto instr = integers(r.at("instrShape"));
    const bool narrow = r.at("layout").find("_scaled") != std::string::npos;
    const auto ms = integers(r.at("M")), ns = integers(r.at("N")),
               ks = integers(r.at("K"));  // "2x16": batch, then M; "32|64": any of them
    const bool batched = r.at("M").find('x') != std::string::npos;
    const Types types{lowering_type(r.at("a_type"), t), lowering_type(r.at("b_type"), t), find_elem(r.at("d_type"), t),
                      find_elem(r.at("d_type"), t)};
    const DotShape s{batched ? ms[1] : ms[0], ns[0], ks[0]};
    const int waves = narrow ? 4 : 1;  // as the tests launch them
    const Lowering l =
        lower(arch, {instr[0], instr[1], instr[2], r.at("isTransposed") == "true", waves}, types, s, narrow);
    CHECK(bare(mnemonic(l.instruction, arch)) == bare(r.at("exp_intrinsic")));
    if (const auto counts = integers(r.at("exp_count")); !counts.empty() && !batched) {
      // `.tied`: an instruction takes two tiles' accumulators in one register, so it is issued once for each all the
      // same; 4 tiles, 2 registers.
      const int64_t tied = r.at("exp_intrinsic").ends_with(".tied") ? 2 : 1;
      CHECK(l.count == counts[0] * tied);
    }
    if (batched) CHECK(l.count == 2);  // K = 32 is two steps of 16, for each matrix of the batch
    const std::string& operands = r.at("exp_operand_types");
    if (operands.starts_with("vector<")) CHECK(l.instruction.k_base == integers(operands)[0]);
    if (operands.find("x16xi32") == std::string::npos &&
        operands.starts_with("(i32, vector<16xi32>, i32, vector<8xi32>"))
      CHECK(l.swapped);  // fp8 first: B
    if (r.at("note").find("zero-filled") != std::string::npos) CHECK(l.zero_filled == 32);
  }
}

TEST_CASE("a layout no instruction has is refused with those that exist", "[plan]") {
  CHECK_THROWS_WITH(lower(Arch::gfx942, {32, 32, 16, true}, {Elem::f16, Elem::f16, Elem::f32, Elem::f32}, {32, 32, 32}),
                    Contains("gfx942 has no 32x32x16") && Contains("legal: 32x32x8"));
}

// -- Corner values (planner_spec 15) and defects not to copy (13) --
TEST_CASE("tiles follow the smaller of M and N", "[plan]") {
  CHECK(shape_of(plan_for({Arch::gfx942, {8, 8, 64}})) == "fma");
  CHECK(shape_of(plan_for({Arch::gfx942, {8, 64, 64}})) == "4x64x64");
  CHECK(shape_of(plan_for({Arch::gfx942, {64, 8, 64}})) == "64x4x64");
  CHECK(shape_of(plan_for({Arch::gfx942, {64, 2, 64}})) == "fma");
  CHECK(shape_of(plan_for({Arch::gfx90a, {32, 32, 64}, Elem::f64, Elem::f64, Elem::f64})) == "16x16x4");
  CHECK(shape_of(plan_for({Arch::gfx90a, {8, 64, 64}, Elem::f64, Elem::f64, Elem::f64})) == "fma");
  CHECK(plan_for({Arch::gfx90a, {32, 32, 64}, Elem::f64, Elem::f64, Elem::f64}).accumulator_bits == 64);
}

TEST_CASE("K is fitted to the alternatives, and what does not divide is left to the vector unit", "[plan]") {
  CHECK(shape_of(plan_for({Arch::gfx950, {32, 32, 8}})) == "32x32x8");
  CHECK(shape_of(plan_for({Arch::gfx950, {32, 32, 16}})) == "32x32x16");
  const Plan k4 = plan_for({Arch::gfx950, {32, 32, 4}});
  CHECK(shape_of(k4) == "fma");
  CHECK(k4.vdot);
  const Plan i8 = plan_for({Arch::gfx950, {16, 16, 16}, Elem::i8, Elem::i8, Elem::i32});
  CHECK(i8.subkind == "unchanged (V_DOT form: i8 x i8 -> i32, K%4==0)");
  const Plan fp8 = plan_for({Arch::gfx950, {16, 16, 64}, Elem::f8e4m3, Elem::f8e4m3});
  CHECK(shape_of(fp8) == "16x16x32");
  CHECK(fp8.subkind == "regular");
  CHECK(plan_for({Arch::gfx950, {16, 16, 128}, Elem::f8e4m3, Elem::f8e5m2}).subkind == "f8f6f4_unscaled");
}

TEST_CASE("kWidth of a chain's tail is 4 for 16-bit operands, after emulation too", "[plan]") {
  CHECK(plan_for({Arch::gfx942, {64, 64, 64}, Elem::f8e4m3, Elem::f8e4m3, Elem::f32, 4, 0, 1, tail}).kwidth_a == 4);
  const Plan bf16 = plan_for({Arch::gfx908, {64, 64, 64}, Elem::bf16, Elem::bf16, Elem::f32, 4, 0, 1, tail});
  CHECK(bf16.kwidth_a == 4);
  CHECK(bf16.instruction->k_base == 2);
  CHECK(
      plan_for({Arch::gfx942, {64, 64, 64}, Elem::f8e4m3_fnuz, Elem::f8e4m3_fnuz, Elem::f32, 4, 0, 2, tail}).kwidth_a ==
      8);  // kPack is not for tails
}

TEST_CASE("mixed 16-bit operands go to f16 on WMMA and to f32 on MFMA targets", "[plan]") {
  const Plan wmma = plan_for({Arch::gfx1100, {32, 32, 32}, Elem::f16, Elem::bf16});
  CHECK(shape_of(wmma) == "16x16x16");
  CHECK(wmma.types.b == Elem::f16);
  CHECK(plan_for({Arch::gfx942, {32, 32, 32}, Elem::f16, Elem::bf16}).subkind == "legalised to f32");
  CHECK(plan_for({Arch::gfx1250, {32, 32, 16}}).kwidth_a == 8);
  CHECK(plan_for({Arch::gfx1250, {32, 32, 1}}).kind == DotKind::fma);
}

TEST_CASE("the cheapest WMMA conversion decides, ties go to f16", "[plan]") {
  const auto inputs = [](Elem a, Elem b, int wmma) {
    const auto t = cheapest_types({a, b, Elem::f32, Elem::f32}, wmma);
    return t ? std::string(name(t->types.a)) + " " + name(t->types.b) : "none";
  };
  CHECK(inputs(Elem::f16, Elem::bf16, 2) == "f16 f16");
  CHECK(inputs(Elem::f8e4m3_fnuz, Elem::f8e4m3_fnuz, 2) == "f16 f16");
  CHECK(inputs(Elem::f8e5m2, Elem::f8e5m2, 1) == "f16 f16");
  CHECK(inputs(Elem::f8e4m3, Elem::f8e5m2, 2) == "f8E4M3FN f8E5M2");  // mixed FP8 stays mixed (13c)
  for (const Elem e : {Elem::f64, Elem::i16, Elem::i32}) CHECK(inputs(e, e, 3) == "none");
  CHECK((inputs(Elem::f32, Elem::f32, 2) == "none" && inputs(Elem::f32, Elem::f32, 3) == "f32 f32"));
  const Plan mixed = plan_for({Arch::gfx1250, {64, 64, 128}, Elem::f8e4m3, Elem::f8e5m2});
  CHECK(std::string(mnemonic(*mixed.instruction, Arch::gfx1250)) == "v_wmma_f32_16x16x128_fp8_bf8");
  CHECK(mixed.casts.empty());
}

TEST_CASE("xf32 is for TF32 requests on the target that has it", "[plan]") {
  Problem p = problem({Arch::gfx942, {64, 64, 64}, Elem::f32, Elem::f32});
  p.tf32 = true;
  CHECK(shape_of(plan::plan(p)) == "32x32x4");
  CHECK(plan::plan(p).kwidth_a == 2);
  p.arch = Arch::gfx950;
  CHECK(shape_of(plan::plan(p)) == "32x32x2");
}

TEST_CASE("kPack is applied only where both operands permute K alike and K has room", "[plan]") {
  CHECK(plan_for({Arch::gfx942, {64, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 0, 2}).kwidth_a == 8);
  CHECK(plan_for({Arch::gfx942, {4, 64, 128}, Elem::f16, Elem::f16, Elem::f32, 1, 0, 2}).kwidth_a == 4);  // 13a
  CHECK(plan_for({Arch::gfx942, {64, 64, 8}, Elem::f16, Elem::f16, Elem::f32, 4, 0, 2}).kwidth_a == 4);   // 13b
  CHECK(plan_for({Arch::gfx950, {64, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 0, 2}).kwidth_a ==
        8);  // forced to 1: kBase alone
}

TEST_CASE("small results on WMMA targets fall back without an error", "[plan]") {
  const Plan p = plan_for({Arch::gfx1201, {8, 64, 64}});  // 13d
  CHECK(p.kind == DotKind::fma);
  CHECK_THAT(rules(p), Contains("13d"));
}

TEST_CASE("warps follow the role of the dot", "[plan]") {
  CHECK(plan_for({Arch::gfx942, {128, 128, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 0, 1, head_a}).warps ==
        std::vector{4, 1});
  CHECK(plan_for({Arch::gfx942, {16, 128, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 0, 1, tail}).warps ==
        std::vector{1, 4});
  CHECK(plan_for({Arch::gfx942, {64, 4, 64}, Elem::f16, Elem::f16, Elem::f32, 4}).warps ==
        std::vector{4, 1});  // swapped once, over-subscribed in M
  Problem batched = problem({Arch::gfx942, {32, 32, 32}});
  batched.batch = 8;
  CHECK(plan::plan(batched).warps == std::vector{4, 1, 1});
}

TEST_CASE("a CDNA4 head takes two tiles along the dimension its consumer shares", "[plan]") {
  const Plan a = plan_for({Arch::gfx950, {128, 16, 128}, Elem::bf16, Elem::bf16, Elem::f32, 4, 0, 1, head_a});
  CHECK(a.tiles == std::vector{2, 1});
  CHECK(a.transposed);
  const Plan b = plan_for({Arch::gfx950, {16, 128, 128}, Elem::bf16, Elem::bf16, Elem::f32, 4, 0, 1, head_b});
  CHECK(b.tiles == std::vector{1, 2});
  CHECK_FALSE(b.transposed);
  CHECK(plan_for({Arch::gfx942, {128, 16, 128}, Elem::bf16, Elem::bf16, Elem::f32, 4, 0, 1, head_a}).tiles ==
        std::vector{1, 1});
}

// -- dot_scaled ------------------------------------------------------------------------------------------------------
TEST_CASE("dot_scaled falls from the native instruction to decomposition to emulation", "[plan]") {
  Problem p = scaled(Arch::gfx950, {128, 128, 128}, Elem::f8e4m3, Elem::f4e2m1);
  CHECK(plan::plan(p).subkind == "scaled_native");
  p.waves = 1;
  const Plan one = plan::plan(p);
  CHECK(one.kind == DotKind::decomposed);
  CHECK_THAT(rules(one), Contains("one warp only"));
  p = scaled(Arch::gfx942, {128, 128, 128}, Elem::f8e4m3, Elem::bf16);
  const Plan emulated = plan::plan(p);
  CHECK(emulated.kind == DotKind::emulated);
  CHECK(emulated.warps == std::vector{4, 1});
  p = scaled(Arch::gfx942, {128, 128, 128}, Elem::f8e4m3, Elem::f8e4m3);  // two scales: nothing else handles them there
  CHECK(plan::plan(p).kind == DotKind::decomposed);
  p = scaled(Arch::gfx942, {4, 64, 128}, Elem::bf16, Elem::f8e4m3);  // 13j: no scale layout for 4x64
  CHECK(plan::plan(p).kind == DotKind::decomposed);
  CHECK(shape_of(plan::plan(p)) == "4x64x64");
  p = scaled(Arch::gfx1100, {64, 64, 64}, Elem::f8e4m3, Elem::f4e2m1);
  CHECK(plan::plan(p).subkind == "wmma");
}

TEST_CASE("formats and their codes are the instruction set's", "[plan]") {
  for (int code = 0; code < 5; ++code)
    CHECK(format_code(elem(isa::narrow_format(code), traits(Arch::gfx950))) == code);  // 13h: e2m3 2, e3m2 3
  CHECK(plan::plan(scaled(Arch::gfx950, {64, 64, 128}, Elem::f6e2m3, Elem::f6e3m2)).subkind == "scaled_native");
}

TEST_CASE("an operand packed along M or N is read transposed, or unpacked where nothing does that", "[plan]") {
  Problem p = scaled(Arch::gfx1250, {64, 64, 128}, Elem::f4e2m1, Elem::f4e2m1);
  p.a.k_packed = false;
  const Plan native = plan::plan(p);
  CHECK(native.subkind == "scaled_native");
  CHECK_THAT(fmt::format("{}", fmt::join(native.notes, "; ")),
             Contains("A: packed along M"));  // 13i: k_pack = false is not ignored
  p = scaled(Arch::gfx950, {64, 64, 128}, Elem::f4e2m1, Elem::bf16);
  p.a.k_packed = false;
  CHECK(plan::plan(p).kind == DotKind::decomposed);
  CHECK_THAT(rules(plan::plan(p)), Contains("generic decomposition"));
}

TEST_CASE("tiles per warp follow the width of the scales' loads", "[plan]") {
  Problem p = scaled(Arch::gfx950, {128, 128, 256}, Elem::f4e2m1, Elem::f4e2m1);
  p.nonkdim = 16, p.waves = 8;
  CHECK(plan::plan(p).tiles == std::vector{1, 1});  // row-major: one scale at a time whatever the tiles
  p.a.scale.memory = p.b.scale.memory = shuffled_for(16, 128, 8);
  CHECK(plan::plan(p).tiles == std::vector{2, 2});
  p.b.scale.memory = {};
  CHECK(plan::plan(p).tiles == std::vector{2, 1});
  p.shape.m = 16, p.a.scale.state = Scale::constant, p.a.scale.memory = {}, p.b.scale.memory = shuffled_for(16, 128, 8);
  CHECK(plan::plan(p).tiles == std::vector{1, 2});  // limited by M
}

// -- Beyond the stated rules -----------------------------------------------------------------------------------------
TEST_CASE("shapes that are no powers of two are padded and masked", "[plan]") {
  const Plan p = plan_for({Arch::gfx942, {100, 200, 100}});
  CHECK(p.kind == DotKind::mfma);
  CHECK(p.padded.m % p.m == 0);
  CHECK(p.padded.n % p.n == 0);
  CHECK(p.padded.k % p.k == 0);
  CHECK(p.padded.m >= 100);
  CHECK(p.padded.m - 100 < p.m);
  CHECK(p.notes.size() >= 2);
  CHECK(shape_of(plan_for({Arch::gfx942, {48, 48, 64}})) == "16x16x16");  // 32x32 would multiply 64 x 64
  CHECK(shape_of(plan_for({Arch::gfx950, {64, 64, 24}})) == "32x32x8");   // 16 would pad K to 32
  CHECK(shape_of(plan_for({Arch::gfx1100, {12, 20, 50}})) == "16x16x16");
}

TEST_CASE("tiles smaller than an instruction are planned either way", "[plan]") {
  CHECK(plan_for({Arch::gfx942, {8, 8, 64}}).vdot);
  const Plan padded = plan_for({Arch::gfx942, {8, 8, 4}, Elem::f16, Elem::f16, Elem::f32, 1, 0, 1, {}, Remainder::pad});
  CHECK(shape_of(padded) == "16x16x16");
  CHECK((padded.padded.m == 16 && padded.padded.k == 16));
  CHECK(shape_of(plan_for(
            {Arch::gfx1201, {8, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 1, 0, 1, {}, Remainder::pad})) == "16x16x16");
}

TEST_CASE("operands outside LDS keep their layout and say what replaces the staging", "[plan]") {
  Problem p = problem({Arch::gfx942, {64, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 16, 1, tail});
  p.a.source = OperandSource::registers, p.b.source = OperandSource::global;
  const Plan out = plan::plan(p);
  CHECK(out.kwidth_a == out.kwidth_b);  // or K would be permuted differently in A and B
  CHECK_THAT(fmt::format("{}", fmt::join(out.notes, "; ")),
             Contains("already in place") && Contains("cover 32 bytes of a row"));  // 4 groups of 4 x f16
  p.chain = {};
  CHECK_THAT(fmt::format("{}", fmt::join(plan::plan(p).notes, "; ")), Contains("exchange between lanes"));
}

TEST_CASE("each decision of a plan names its rule", "[plan]") {
  const Plan p = plan_for({Arch::gfx950, {128, 128, 64}});
  for (const auto& d : p.decisions) {
    INFO(d.subject);
    CHECK_THAT(d.rule, Contains("(planner ") || Contains("(ours"));
  }
  CHECK_THAT(rules(p), Contains("MFMA tile, min(M,N) >= 32 (planner 4)"));
}

TEST_CASE("whatever is planned has a layout, uses every wave once and multiplies whole instructions", "[plan]") {
  int with_instruction = 0;
  for (size_t arch = 0; arch < isa::all_targets().size(); ++arch)
    for (const auto& [a, c] : {std::pair{Elem::f16, Elem::f32},
                               {Elem::bf16, Elem::f16},
                               {Elem::i8, Elem::i32},
                               {Elem::f8e4m3, Elem::f32},
                               {Elem::f64, Elem::f64}})
      for (const DotShape s :
           {DotShape{4, 64, 64}, {16, 16, 128}, {16, 256, 32}, {64, 32, 64}, {256, 128, 64}, {100, 60, 72}})
        for (const Chain chain : {Chain{}, head_a, head_b, tail})
          for (const int waves : {1, 4, 8}) {
            const Plan p = plan_for({static_cast<Arch>(arch), s, a, a, c, waves, 0, 2, chain});
            if (!p.instruction) continue;
            ++with_instruction;
            INFO(isa::target(static_cast<Arch>(arch)).name << " " << s.m << "x" << s.n << "x" << s.k << " " << name(a)
                                                           << "\n"
                                                           << rules(p));
            CHECK(p.warps[0] * p.warps[1] == waves);
            CHECK(p.instruction->row->on(static_cast<Arch>(arch)));
            CHECK((p.padded.m % p.m == 0 && p.padded.n % p.n == 0 && p.padded.k % p.k == 0));
            CHECK(p.kwidth_a == p.kwidth_b);
            const LayoutEncoding e = encoding(p);
            const auto extent = [](int64_t n) { return static_cast<int>(n); };
            CHECK(result_layout(e, {extent(s.m), extent(s.n)}).input_bits("register") > 0);
            CHECK(operand_layout(e, OperandSide::a, p.kwidth_a, {extent(s.m), extent(s.k)}).input_bits("lane") ==
                  operand_layout(e, OperandSide::b, p.kwidth_b, {extent(s.k), extent(s.n)}).input_bits("lane"));
          }
  CHECK(with_instruction > 1000);
}

TEST_CASE("fp8 is the target's own flavour", "[plan]") {
  CHECK(find_elem("fp8", traits(Arch::gfx942)) == Elem::f8e4m3_fnuz);
  CHECK(find_elem("bf8", traits(Arch::gfx950)) == Elem::f8e5m2);
  CHECK(find_elem("f8_r", traits(Arch::gfx1201)) == Elem::f8e4m3);
  CHECK(shape_of(plan_for({Arch::gfx942, {64, 64, 64}, Elem::f8e4m3_fnuz, Elem::f8e5m2_fnuz})) == "32x32x16");
  CHECK(shape_of(plan_for({Arch::gfx950, {64, 64, 64}, Elem::f8e4m3_fnuz, Elem::f8e4m3_fnuz})) ==
        "fma");  // no FNUZ there
}

TEST_CASE("input that no rule speaks about is refused with what would be legal", "[plan]") {
  CHECK_THROWS_WITH(plan_for({Arch::gfx942, {64, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 3}),
                    Contains("waves 3") && Contains("power of two"));
  CHECK_THROWS_WITH(plan_for({Arch::gfx942, {64, 64, 64}, Elem::f16, Elem::f16, Elem::f32, 4, 4}),
                    Contains("nonkdim 4") && Contains("16, 32"));
  CHECK_THROWS_WITH(plan_for({Arch::gfx942, {64, 0, 64}}), Contains("64x0x64"));
  CHECK_THROWS_WITH(find_elem("f17", traits(Arch::gfx942)), Contains("'f17'") && Contains("bf16"));
  CHECK_THROWS_WITH(find_target("gfx941"), Contains("'gfx941'") && Contains("gfx942"));
  CHECK_THROWS_WITH(plan::plan(scaled(Arch::gfx950, {64, 64, 48}, Elem::f8e4m3, Elem::f8e4m3)),
                    Contains("multiple of 32"));
}

// -- Dataflow --------------------------------------------------------------------------------------------------------
TEST_CASE("attention's products are found to be a chain", "[plan]") {
  const Graph g = parse_graph("s = dot(q, k)\nmax = reduce(s)\np = exp(s, max)\nh = truncate(p)\no = dot(h, v, acc)\n");
  const Chain s = g.chain(g.find("s")), o = g.chain(g.find("o"));
  CHECK((s.head_a && !s.head_b && !s.tail));
  CHECK((o.tail && !o.head_a && !o.head_b));
}

TEST_CASE("what looks like a chain but is none is not taken for one", "[plan]") {
  Graph g;
  const auto q = g.argument("q"), k = g.argument("k"), v = g.argument("v");
  const auto s = g.dot("s", q, k, v);
  g.dot("accumulates", q, v, s);  // feeding the accumulator alone
  const auto t = g.op("transpose", {s});
  g.dot("right", q, t, v);  // operand B
  const auto branch = g.region(0);
  g.dot("elsewhere", t, v, v, branch);  // another region
  CHECK_FALSE(g.chain(s).head_a);
  CHECK(g.chain(s).head_b);
  CHECK_FALSE(g.chain(g.find("right")).tail);  // tail looks at operand A only
  CHECK_FALSE(g.chain(g.find("elsewhere")).tail);
}

TEST_CASE("a pipelined loop's chain shows once carried values are followed", "[plan]") {
  Graph g;
  const auto q = g.argument("q"), k = g.argument("k"), v = g.argument("v"), p = g.argument("p of the last iteration"),
             acc = g.argument("acc");
  const auto s = g.dot("s", q, k, acc), o = g.dot("o", p, v, acc);
  const auto soft = g.op("softmax", {s});
  g.carry(soft, p), g.carry(o, acc);
  CHECK_FALSE(g.chain(s).head_a);
  CHECK_FALSE(g.chain(o).tail);
  CHECK(g.chain(s, Graph::Carried::followed).head_a);
  CHECK(g.chain(o, Graph::Carried::followed).tail);
}

TEST_CASE("a dot can be both head and tail, and a bad graph names its line", "[plan]") {
  const Graph g = parse_graph("s = dot(q, k)\np = f(s)\no = dot(p, v)\nx = f(o)\ny = dot(x, w)  # third\n");
  const Chain middle = g.chain(g.find("o"));
  CHECK((middle.head_a && middle.tail));
  CHECK_THROWS_WITH(parse_graph("s = dot(q, k)\nnonsense\n"), Contains("line 2") && Contains("nonsense"));
  CHECK_THROWS_WITH(g.find("z"), Contains("legal: s o y"));
}

// -- Recommendations -------------------------------------------------------------------------------------------------

TEST_CASE("f32 runs on WMMA where there is an instruction for it, on the vector unit elsewhere", "[plan]") {
  const Plan p = plan_for({.arch = Arch::gfx1250, .shape = {64, 64, 32}, .a = Elem::f32, .b = Elem::f32});
  CHECK(shape_of(p) == "16x16x4");
  CHECK((p.kwidth_a == 2 && p.kwidth_b == 2));
  CHECK(plan_for({.arch = Arch::gfx1250, .shape = {64, 64, 32}, .a = Elem::f16, .b = Elem::f16}).k == 32);
  CHECK(plan_for({.arch = Arch::gfx1201, .shape = {64, 64, 32}, .a = Elem::f32, .b = Elem::f32}).kind == DotKind::fma);
}

}  // namespace wavesmith::plan
