// What a literal or an inline constant means, for every row and encoding that can have one: against the value that
// LLVM's disassembler makes of the same bytes, and by execution against the same value in a register.
#include <llvm/MC/MCExpr.h>

#include <cmath>

#include "generator/dsl/block.h"
#include "isa_tables/mc/sample.h"
#include "tests/support/lane_program.h"
#include "tests/support/llvm_target.h"
#include "tests/support/one_wave.h"
#include "tests/support/sampling.h"

namespace wavesmith::isa {

using namespace simtest;

namespace {

// A target of each family.
constexpr Arch families[] = {Arch::gfx908,  Arch::gfx90a,  Arch::gfx942,  Arch::gfx950,
                             Arch::gfx1100, Arch::gfx1150, Arch::gfx1200, Arch::gfx1250};

bool wide(const OperandSpec& s) {
  return (s.dwords == 2 && s.constant != Constant::f32_pair) || s.constant == Constant::f64;
}
bool takes_constants(const Info& row, const OperandSpec& s) {
  const bool indices =
      row.format == Format::vop3 && std::string_view(row.mnemonic).starts_with("v_perm_pk16");  // no numbers
  return (wide(s) || s.dwords == 1) && !indices && s.access == Access::read &&
         (s.kind == Kind::any || s.kind == Kind::ssrc || s.kind == Kind::vac);
}

std::string with_replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  return at == text.npos ? std::string() : text.replace(at, what.size(), by);
}

// Where LLVM 22's disassembler shows floats in another format than the operand has.
const char* llvm_is_wrong(const Info& row, const Inst& form) {
  const std::string_view m = row.mnemonic;
  if (form.mods.sdwa) return "it takes all 16-bit operands of SDWA for f16, and no packed ones";
  if ((row.implicit & mix) && m.ends_with("bf16"))
    return "bf16 is half of the f32 constant (LLVM pull request 183487, later than 22)";
  if (row.format == Format::sop1 && (m.ends_with("_f16")))
    return "it takes the operand for f32; floats are encoded by the size of the source (CDNA5 ISA 4.1)";
  if (m.starts_with("v_cvt_pk_f32_fp8") || m.starts_with("v_cvt_pk_f32_bf8"))
    return "no inline constants for floats of less than 16 bits (CDNA5 ISA 4.1)";
  if (m.find("_class_f16") != m.npos) return "the mask is no float";
  return nullptr;
}

struct LlvmConstants : LlvmTarget {
  using LlvmTarget::LlvmTarget;
  // The constant that stands where `registers` has one; nothing: another instruction, or none.
  std::optional<uint64_t> constant(const std::vector<uint8_t>& bytes, const std::vector<uint8_t>& registers) const {
    const auto with = decode(bytes), without = decode(registers);
    if (!with || !without || with->first.getNumOperands() != without->first.getNumOperands()) return {};
    for (unsigned k = 0; k < with->first.getNumOperands(); ++k) {
      const auto &a = with->first.getOperand(k), &b = without->first.getOperand(k);
      if (!b.isReg() || a.isReg()) continue;
      int64_t value = 0;
      if (a.isImm()) return static_cast<uint64_t>(a.getImm());
      if (a.isExpr() && a.getExpr()->evaluateAsAbsolute(value)) return static_cast<uint64_t>(value);
    }
    return {};
  }
};

// One constant operand of one row in one encoding.
struct ConstantOperand {
  Inst sample;
  std::string text, with_registers;
  int operand;
  Operand from;
};

// Each operand of a row that can be a constant, in the short encoding, the long one, with DPP and SDWA, and as a half
// of a pair.
template <class F>
void each_case(Opcode op, Arch arch, Mc& mc, std::span<const char* const> constants, F&& f) {
  const Info& row = info(op);
  std::vector<Inst> forms{sample(op, arch)};
  if (row.is_vector() && !row.is_matrix()) {
    for (const auto set : {+[](Mods& m) { m.e64 = true; },
                           +[](Mods& m) {
                             m.dpp = true;
                             m.dpp_ctrl = 0x1b;
                           },
                           +[](Mods& m) { m.sdwa = true; }})
      set(forms.emplace_back(forms[0]).mods);
    Inst other = sample(Opcode::v_mov_b32, arch);
    for (Operand& o : other.operands)
      if (o.file == File::v) o.index += 3;
    if (pair_form(op, Opcode::v_mov_b32, arch) != PairForm::none) forms.push_back(paired(forms[0], other));
  }
  for (const Inst& form : forms) {
    const std::string text = print(form, arch);
    if (&form != &forms[0] && !mc.assembles(text)) continue;
    for (int i = 0; i < row.count(); ++i)
      if (takes_constants(row, row.operands[i]) && form.operands[i].is_reg())
        for (const char* c : constants) {
          const std::string changed = with_replaced(text, print(form.operands[i]), c);
          if (!changed.empty() && mc.assembles(changed)) f(ConstantOperand{form, changed, text, i, form.operands[i]});
        }
  }
}

// What LLVM says; a literal of 32 bits of a signed integer as the guides expand it ("Literal Expansion to 64 bits").
uint64_t meant(uint64_t llvm, const OperandSpec& spec, const Operand& ours, bool literal_32) {
  return literal_32 && llvm >> 32 == 0 && ours.dwords == 2 && spec.constant == Constant::i64
             ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(llvm)))
             : llvm;
}

}  // namespace

TEST_CASE("a constant is the value that LLVM's disassembler says, in every row and encoding that takes one",
          "[isa][mc][constants]") {
  int narrow = 0;
  constexpr const char* constants[] = {
      "-16", "4.0", "0.15915494", "0x40600000", "0x80000001", "0x40612345789abcde", "lit64(0x40600000)"};
  int cases = 0;
  for (const Arch arch : families) {
    Mc mc(arch);
    const LlvmConstants llvm(arch);
    for (size_t i = 0; i < table().size(); ++i) {
      if (!table()[i].on(arch) || !in_sample(static_cast<uint32_t>(i))) continue;
      each_case(static_cast<Opcode>(i), arch, mc, constants, [&](const ConstantOperand& c) {
        const auto bytes = mc.assemble(c.text);
        const auto theirs = llvm.constant(bytes, mc.assemble(c.with_registers));
        if (!theirs) return;
        INFO(target(arch).name << ": " << c.text);
        const Inst inst = mc.instruction(mc.disassemble(bytes, 0), bytes);
        REQUIRE(inst.operands[c.operand].file == File::imm);
        const OperandSpec& spec = table()[i].operands[c.operand];
        const auto ours = constant(inst.operands[c.operand], spec);
        if (!wide(spec)) {
          if (!llvm_is_wrong(table()[i], c.sample))
            CHECK(fmt::format("{:x}", static_cast<uint32_t>(ours)) ==
                  fmt::format("{:x}", static_cast<uint32_t>(*theirs)));
          ++narrow;
          return;
        }
        CHECK(fmt::format("{:x}", ours) ==
              fmt::format("{:x}", meant(*theirs, spec, inst.operands[c.operand],
                                        mc.disassemble(bytes, 0).text.find("lit64") == std::string::npos)));
        ++cases;
        std::vector<uint8_t> again;  // encoded anew it is that value again
        CHECK_NOTHROW(mc.encode(inst, again));
        const Inst reread = mc.instruction(mc.disassemble(again, 0), again);
        CHECK(constant(reread.operands[c.operand], spec) == ours);
      });
    }
  }
  CHECK(cases > 300);
  CHECK(narrow > 3000);
}

// v1 = 3 | 2 in f16 (low | high), v2 = 10 in f32, v3 = 100.
TEST_CASE("constants of mixed, packed and dot operations have the width that the operand is read with",
          "[sim][constants]") {
  const auto half = [](uint32_t bits) {
    const int e = static_cast<int>(bits >> 10 & 31);
    return e ? std::ldexp(1024 + (bits & 1023), e - 25) : std::ldexp(bits & 1023, -24);
  };
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx1100, Arch::gfx1200, Arch::gfx1250}) {
    OneWave w(arch);
    const auto run = [&](const std::string& text, uint32_t pair = 0x40004200) {
      w.fill(0, 0), w.fill(1, pair), w.fill(2, std::bit_cast<uint32_t>(10.f)),
          w.fill(3, std::bit_cast<uint32_t>(100.f));
      w.run(text);
      INFO(target(arch).name << ": " << text << " " << w.fault());
      REQUIRE(w.fault().empty());
      return w.v(0)[1];
    };
    const auto as_float = [&](const std::string& text) { return std::bit_cast<float>(run(text)); };
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, 4.0 op_sel_hi:[1,0,0]") == 34);
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, 4.0 op_sel_hi:[1,0,1]") == 34);
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, -0.5 op_sel_hi:[1,0,1]") == 29.5f);
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, 4.0 op_sel:[0,0,1] op_sel_hi:[1,0,1]") ==
          30);  // above an f16 constant is zero
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, 0.15915494 op_sel_hi:[1,0,0]") == std::fma(3.f, 10.f, 0.15915494f));
    CHECK(as_float("v_fma_mix_f32 v0, v1, v2, 0.15915494 op_sel_hi:[1,0,1]") == static_cast<float>(30 + half(0x3118)));
    if (arch == Arch::gfx1250) {  // 3.0 | 2.0 in bf16
      const auto bf16 = [&](const char* text) { return std::bit_cast<float>(run(text, 0x40004040)); };
      CHECK(bf16("v_fma_mix_f32_bf16 v0, v1, v2, 4.0 op_sel_hi:[1,0,0]") == 34);
      CHECK(bf16("v_fma_mix_f32_bf16 v0, v1, v2, 4.0 op_sel:[0,0,1] op_sel_hi:[1,0,1]") == 34);
      CHECK(bf16("v_fma_mix_f32_bf16 v0, v1, v2, 4.0 op_sel_hi:[1,0,1]") ==
            30);  // below half of an f32 constant there is nothing
    }
    const bool gfx9 = target(arch).family <= Family::cdna4;
    CHECK(half(run("v_pk_fmac_f16 v0, 4.0, v1") & 0xffff) == 12);
    CHECK(half(run("v_pk_fmac_f16 v0, 4.0, v1") >> 16) == (gfx9 ? 0 : 8));
    if (arch == Arch::gfx1100) CHECK(as_float("v_dot2acc_f32_f16 v0, 4.0, v1") == 20);
    if (arch == Arch::gfx942) CHECK(as_float("v_dot2c_f32_f16 v0, 4.0, v1") == 12);
    if (gfx9) CHECK(run("v_dot2_i32_i16 v0, 4.0, v1, 0") == (0x4080 * 0x4000));  // the f32 constant: 0 | 0x4080
    if (arch == Arch::gfx1200 || arch == Arch::gfx1250) {
      w.run("v_s_sqrt_f16 s4, 4.0");
      CHECK(half(w.s(4) & 0xffff) == 2);
    }
  }
}

namespace {

// A wave whose registers hold what nothing else does, and what an instruction left in it.
void prepare(OneWave& w) {
  for (int r = 0; r < 130; ++r)
    for (uint32_t l = 0; l < 64; ++l) w.v(r)[l] = 0x3f000000 + static_cast<uint32_t>(r) * 0x10203 + l * 7;
  for (int r = 0; r < 106; ++r) w.s(r) = 0x40100000 + static_cast<uint32_t>(r) * 0x20301;
  w.s(sreg::vcc) = 0x55555555, w.s(sreg::vcc + 1) = 0x33333333;
  w.wave.scc = true;
  w.wave.set_exec(w.wave.all);
}
struct Left {
  std::vector<uint32_t> vector, scalar;
  bool scc;
  uint64_t exec;
  std::string fault;
  bool operator==(const Left&) const = default;
};
Left left_in(OneWave& w, const std::string& text) {
  w.run(text);
  Left l{{}, {w.wave.s, w.wave.s + 108}, w.wave.scc, w.wave.exec(), w.fault()};
  for (int r = 32; r < 48; ++r) l.vector.insert(l.vector.end(), w.v(r), w.v(r) + w.width());
  return l;
}

}  // namespace

TEST_CASE("an instruction computes the same of a constant and of a register that holds it", "[sim][constants]") {
  constexpr const char* constants[] = {"-16", "4.0", "0x40600000"};
  int cases = 0;
  for (const Arch arch : {Arch::gfx90a, Arch::gfx942, Arch::gfx1100, Arch::gfx1200, Arch::gfx1250}) {
    Mc mc(arch);
    const LlvmConstants llvm(arch);
    OneWave w(arch);
    for (size_t i = 0; i < table().size(); ++i) {
      const Info& row = table()[i];
      const bool alu =
          (row.is_vector() && !row.is_matrix() && row.operands[0].kind != Kind::s) || row.unit == Unit::salu;
      if (!row.on(arch) || !alu || !sim::semantics(static_cast<Opcode>(i)) ||
          (row.implicit & (pc_w | ends | mode_w | relative | m0_r)))
        continue;
      each_case(static_cast<Opcode>(i), arch, mc, constants, [&](const ConstantOperand& c) {
        const OperandSpec& spec = row.operands[c.operand];
        if (!wide(spec)) return;
        const auto bytes = mc.assemble(c.text);
        const auto theirs = llvm.constant(bytes, mc.assemble(c.with_registers));
        if (!theirs) return;
        const auto value = meant(*theirs, spec, mc.instruction(mc.disassemble(bytes, 0), bytes).operands[c.operand],
                                 mc.disassemble(bytes, 0).text.find("lit64") == std::string::npos);
        INFO(target(arch).name << ": " << c.text);
        prepare(w);
        const Left constant = left_in(w, c.text);
        prepare(w);
        for (int k = 0; k < spec.dwords; ++k) {
          const uint32_t word = static_cast<uint32_t>(value >> 32 * k);
          if (c.from.file == File::v) w.fill(c.from.index + k, word);
          else w.s(c.from.index + k) = word;
        }
        Left reg = left_in(w, c.with_registers);
        for (int k = 0; k < spec.dwords; ++k)
          if (c.from.file == File::s &&
              reg.scalar[static_cast<size_t>(c.from.index + k)] == static_cast<uint32_t>(value >> 32 * k))
            reg.scalar[static_cast<size_t>(c.from.index + k)] = constant.scalar[static_cast<size_t>(c.from.index + k)];
        for (int k = 0; k < spec.dwords; ++k)  // and where the register stood among the results
          if (const int at = c.from.index + k - 32; c.from.file == File::v && at >= 0 && at < 16)
            std::copy_n(constant.vector.begin() + at * w.width(), w.width(), reg.vector.begin() + at * w.width());
        CHECK((constant == reg));
        ++cases;
      });
    }
  }
  CHECK(cases > 300);
}

TEST_CASE("f64 constants of gfx12 are the doubles they stand for", "[sim][constants]") {
  struct Sum {
    const char* text;
    double want;
  };
  for (const Arch arch : {Arch::gfx1200, Arch::gfx1201, Arch::gfx1250}) {
    OneWave w(arch);
    const auto run = [&](const std::string& text) {
      w.fill_pair(2, std::bit_cast<uint64_t>(2.0)), w.fill_pair(4, std::bit_cast<uint64_t>(10.0));
      w.run(text);
      INFO(target(arch).name << ": " << text << " " << w.fault());
      return std::bit_cast<double>(w.pair(0, 3));
    };
    for (const Sum& s : {Sum{"v_mul_f64 v[0:1], 0x40080000, v[2:3]", 6},
                         {"v_add_f64 v[0:1], 0x40080000, v[2:3]", 5},
                         {"v_min_num_f64 v[0:1], 0x3ff80000, v[2:3]", 1.5},
                         {"v_max_num_f64 v[0:1], 0x40080000, v[2:3]", 3},
                         {"v_mul_f64 v[0:1], 4.0, v[2:3]", 8},
                         {"v_mul_f64_e64 v[0:1], 0x40080000, -v[2:3]", -6},
                         {"v_fma_f64 v[0:1], 0x40080000, v[2:3], v[4:5]", 16},
                         {"v_rcp_f64 v[0:1], 0x40800000", 1.0 / 512}})
      CHECK(run(s.text) == s.want);
    if (arch != Arch::gfx1250) continue;
    for (const Sum& s : {Sum{"v_mul_f64 v[0:1], 0x3ff8000000000001, v[2:3]", 3.0000000000000004},
                         {"v_add_f64 v[0:1], lit64(0x40080000), v[2:3]", 2},
                         {"v_fmamk_f64 v[0:1], v[2:3], 0x40080000, v[4:5]", 16},
                         {"v_fmaak_f64 v[0:1], v[2:3], v[4:5], 0x40080000", 23},
                         {"v_dual_mul_f64 v[0:1], 4.0, v[2:3] :: v_dual_mov_b32 v7, v6", 8},
                         {"v_dual_add_f64 v[0:1], -1.0, v[2:3] :: v_dual_mov_b32 v7, v6", 1}})
      CHECK(run(s.text) == s.want);
  }
}

TEST_CASE("32-bit literals of 64-bit integers are extended by sign where the operation is signed, by zero elsewhere",
          "[sim][constants]") {
  for (const Arch arch : {Arch::gfx942, Arch::gfx1100, Arch::gfx1200}) {
    OneWave w(arch);
    INFO(target(arch).name);
    w.s(4) = 1;
    w.run("s_ashr_i64 s[0:1], 0x80000002, s4");
    CHECK((w.s(0) == 0xc0000001 && w.s(1) == 0xffffffff));
    w.run("s_lshr_b64 s[0:1], 0x80000002, s4");
    CHECK((w.s(0) == 0x40000001 && w.s(1) == 0));
    w.run("s_mov_b64 s[0:1], 0x80000002");
    CHECK((w.s(0) == 0x80000002 && w.s(1) == 0));
  }
}

TEST_CASE("packed f32 takes both halves from one SGPR on gfx1250, and from a pair on CDNA", "[sim][constants]") {
  const auto run = [](Arch arch, const std::string& text) {
    OneWave w(arch);
    w.s(2) = std::bit_cast<uint32_t>(3.f), w.s(3) = std::bit_cast<uint32_t>(5.f);
    w.fill(2, std::bit_cast<uint32_t>(10.f)), w.fill(3, std::bit_cast<uint32_t>(100.f));
    w.run(text);
    INFO(text << " " << w.fault());
    return std::pair(std::bit_cast<float>(w.v(0)[1]), std::bit_cast<float>(w.v(1)[1]));
  };
  CHECK(run(Arch::gfx942, "v_pk_mul_f32 v[0:1], s[2:3], v[2:3]") == std::pair(30.f, 500.f));
  CHECK(run(Arch::gfx942, "v_pk_mul_f32 v[0:1], s[2:3], v[2:3] op_sel_hi:[0,1]") == std::pair(30.f, 300.f));
  CHECK(run(Arch::gfx1250, "v_pk_mul_f32 v[0:1], s[2:3], v[2:3] op_sel_hi:[0,1]") == std::pair(30.f, 300.f));
  CHECK(run(Arch::gfx1250, "v_pk_add_f32 v[0:1], v[2:3], s[2:3] op_sel_hi:[1,0]") == std::pair(13.f, 103.f));
  CHECK(run(Arch::gfx1250, "v_pk_fma_f32 v[0:1], v[2:3], s[2:3], v[2:3] op_sel_hi:[1,0,1]") == std::pair(40.f, 400.f));
  CHECK(run(Arch::gfx1250, "v_pk_mul_f32 v[0:1], 4.0, v[2:3]") == std::pair(40.f, 400.f));
  CHECK(run(Arch::gfx1250, "v_pk_mul_f32 v[0:1], 0x40400000, v[2:3]") == std::pair(30.f, 300.f));
  for (const Arch arch : {Arch::gfx942, Arch::gfx1250}) {
    const auto reads = effects(parse("v_pk_mul_f32 v[0:1], s[2:3], v[2:3] op_sel_hi:[0,1]", arch), arch).reads;
    CHECK(std::any_of(reads.begin(), reads.end(), [](const Operand& o) { return o.covers(File::s, 3); }) ==
          (arch == Arch::gfx942));
  }
}

TEST_CASE("an f64 operand takes immd, and refuses a float that is no inline constant", "[generator][constants]") {
  for (const double x : {0.0, 4.0, -0.5, 3.0, 0.1})
    CHECK(constant(immd(x), {.kind = Kind::any, .dwords = 2, .constant = Constant::f64}) == std::bit_cast<uint64_t>(x));
  Block block(Arch::gfx1250);
  CHECK_THROWS_WITH(block.v_mul_f64(Vgpr{0, 2}, 3.f, Vgpr{2, 2}),
                    Catch::Contains("constants_test.cpp:") && Catch::Contains("immd"));
  block.v_mul_f64(Vgpr{0, 2}, immd(3.0), Vgpr{2, 2});
  CHECK(print(block.nodes.back().inst, Arch::gfx1250).find("0x40080000") != std::string::npos);
  block.v_mul_f64(Vgpr{0, 2}, 4.f, Vgpr{2, 2});
  CHECK(print(block.nodes.back().inst, Arch::gfx1250).find("4.0") != std::string::npos);
}

TEST_CASE("compiled kernels multiply doubles by constants on every target of gfx12, at every level",
          "[sim][constants][foreign]") {
  for (const char* target : {"gfx1200", "gfx1201", "gfx1250"})
    for (const char* level : {"-O0", "-O1", "-O2", "-O3"}) {
      CAPTURE(target, level);
      const auto object = compile(
          "kernel void scale(global const double* a, global double* b) { int i = __builtin_amdgcn_workitem_id_x(); "
          "b[i] = a[i] * 3.0; b[64 + i] = fma(a[i], 0.1, 4.0) - 1.5; }",
          fmt::format("-x cl -cl-std=CL2.0 -Dfma=__builtin_fma {}", level), ".cl", target);
      Bench b;
      b.launch.block = {64, 1, 1};
      std::vector<double> in(64);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i) * 0.37 - 5;
      b.fill(in);
      if (target == std::string_view("gfx1250"))
        b.options.checks.in_flight = b.options.checks.xcnt = false;  // clang's -O0 forgets waits for XCNT
      REQUIRE(fault_of(b.run(object, "scale")) == "none");
      const auto out = b.result<double>(128);
      for (size_t i = 0; i < 64; ++i)
        REQUIRE((out[i] == in[i] * 3.0 && out[64 + i] == std::fma(in[i], 0.1, 4.0) - 1.5));
    }
}

}  // namespace wavesmith::isa
