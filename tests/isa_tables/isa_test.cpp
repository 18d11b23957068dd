// Every row of the tables against LLVM MC, on every target.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <random>

#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/sample.h"
#include "tests/support/csv.h"
#include "tests/support/sampling.h"

namespace wavesmith::isa {

namespace {

std::vector<Arch> all_archs() {
  std::vector<Arch> out;
  for (size_t i = 0; i < all_targets().size(); ++i) out.push_back(static_cast<Arch>(i));
  return out;
}

// Calls `each(opcode, arch, mc)` for every row on every one of `archs` it is for.
template <class F>
void for_every_row(const std::vector<Arch>& archs, F each) {
  for (const Arch arch : archs) {
    Mc mc(arch);
    for (size_t i = 0; i < table().size(); ++i)
      if (table()[i].on(arch)) each(static_cast<Opcode>(i), arch, mc);
  }
}

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string out;
  for (const uint8_t b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

}  // namespace

TEST_CASE("every table row assembles exactly where it says", "[isa][mc]") {
  for (const Arch arch : all_archs()) {
    Mc mc(arch);
    for (size_t i = 0; i < table().size(); ++i) {
      const std::string text = print(sample(static_cast<Opcode>(i), arch), arch);
      INFO(target(arch).name << ": " << text);
      CHECK(mc.assembles(text) == (table()[i].on(arch) || (table()[i].refused & bit(arch))));
    }
  }
}

TEST_CASE("what is printed parses to the same instruction", "[isa]") {
  for_every_row(all_archs(), [](Opcode op, Arch arch, Mc&) {
    const Inst inst = sample(op, arch);
    const std::string text = print(inst, arch);
    INFO(target(arch).name << ": " << text);
    Inst back;
    CHECK_NOTHROW(back = parse(text, arch));
    CHECK(back == inst);
  });
}

TEST_CASE("an encoded instruction is what LLVM assembles from its text", "[isa][mc]") {
  for_every_row(all_archs(), [](Opcode op, Arch arch, Mc& mc) {
    const Inst inst = sample(op, arch);
    const std::string text = print(inst, arch);
    INFO(target(arch).name << ": " << text);
    std::vector<uint8_t> bytes;
    CHECK_NOTHROW(mc.encode(inst, bytes));
    std::vector<uint8_t> expected;
    CHECK_NOTHROW(expected = mc.assemble(text));
    CHECK(hex(bytes) == hex(expected));
  });
}

TEST_CASE("instructions encoded together are what each of them encodes to, and a refused one is the last begun",
          "[isa][mc]") {
  for (const Arch arch : all_archs()) {
    INFO(target(arch).name);
    std::vector<Inst> all;
    for (size_t i = 0; i < table().size(); ++i)
      if (table()[i].on(arch)) all.push_back(sample(static_cast<Opcode>(i), arch));
    Mc together(arch), alone(arch);
    std::vector<uint8_t> bytes;
    std::vector<uint32_t> begins;
    together.encode(all, bytes, begins);
    REQUIRE(begins.size() == all.size());
    CHECK(together.encoded_by_text() < static_cast<int>(all.size()) / 10);
    begins.push_back(static_cast<uint32_t>(bytes.size()));
    for (size_t i = 0; i < all.size(); ++i) {
      std::vector<uint8_t> expected;
      alone.encode(all[i], expected);
      INFO(print(all[i], arch));
      CHECK(hex({bytes.begin() + begins[i], bytes.begin() + begins[i + 1]}) == hex(expected));
    }
    CHECK(together.encoded_by_text() == alone.encoded_by_text());
  }
  // Shapes that LLVM refuses do not spoil those beside them.
  Mc mc(Arch::gfx942);
  Inst wrong = parse("v_mov_b32 v0, v1", Arch::gfx942);
  wrong.operands[1] = reg(File::v, 2000, 1);
  const std::vector<Inst> code = {parse("v_add_u32 v1, v2, v3", Arch::gfx942), parse("s_wait_xcnt 0", Arch::gfx1250),
                                  parse("s_nop 3", Arch::gfx942), wrong};
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> begins;
  CHECK_THROWS_AS(mc.encode(code, bytes, begins), IsaError);
  CHECK(begins.size() == 2);
  CHECK(hex(bytes) == hex(mc.assemble("v_add_u32 v1, v2, v3")));
  begins.clear(), bytes.clear();
  CHECK_THROWS_AS(mc.encode(std::vector{code[0], code[2], wrong}, bytes, begins), IsaError);
  CHECK(begins.size() == 3);
}

TEST_CASE("what is encoded often is encoded as at first, with any registers and offsets", "[isa][mc]") {
  constexpr int warm = 30, checked = 8;
  uint32_t number = 0;
  for (const Arch arch : all_archs()) {
    std::mt19937 g(static_cast<unsigned>(arch));
    const auto below = [&](int n) { return static_cast<int>(g() % static_cast<unsigned>(std::max(n, 1))); };
    Mc often(arch), at_first(arch);
    for (size_t op = 0; op < table().size(); ++op) {
      if (!table()[op].on(arch) || !in_sample(number++, 3)) continue;
      for (int turn = 0; turn < warm + checked; ++turn) {
        Inst inst = sample(static_cast<Opcode>(op), arch);
        // In half of the rows a constant in each of its instructions, of one kind: inline, literal, or a field's.
        const int constants[] = {below(65), -1 - below(16), 0x1000 + below(1 << 30), static_cast<int>(g()), below(16)};
        for (int i = 0; i < max_operands; ++i) {
          Operand& o = inst.operands[i];
          const Kind kind = o.file == File::none ? Kind::none : inst.spec(i).kind;
          const bool takes_one = kind == Kind::any || kind == Kind::ssrc || kind == Kind::soff || kind == Kind::vac;
          if (takes_one && i > 0 && !inst.dual && (op + static_cast<size_t>(i)) % 4 < 2) {
            o = imm(kind == Kind::soff ? constants[0] : constants[op / 8 % 4]),
            o.dwords = inst.spec(i).dwords == 2 ? 2 : 1;
            break;
          }
          if (o.file == File::imm && kind == Kind::imm && inst.info().format == Format::sopp) o = imm(constants[4]);
        }
        for (Operand& o : inst.operands) {
          const bool scalar = o.file == File::s;
          if (!o.is_reg() || (scalar && o.index >= sreg::vcc)) continue;
          const int tuple = scalar ? (o.dwords > 2 ? 4 : o.dwords) : o.dwords > 1 ? target(arch).tuple_align : 1;
          o.index = static_cast<uint16_t>(below(((scalar ? 100 : 256) - o.dwords) / tuple) * tuple);
        }
        if (inst.mods.offset) inst.mods.offset = 1 + below(4095);
        if (turn < warm) inst.mods.offset0 &= static_cast<uint8_t>(below(256)), inst.mods.offset1 &= inst.mods.offset0;
        const auto encoded = [&](Mc& mc) {
          std::vector<uint8_t> bytes;
          try {
            mc.encode(inst, bytes);
          } catch (const IsaError& e) { return std::string(e.what()); }
          return hex(bytes);
        };
        const std::string now = encoded(often);
        if (turn < warm) continue;
        INFO(target(arch).name << ": " << print(inst, arch));
        CHECK(now == encoded(at_first));
      }
    }
  }
}

TEST_CASE("disassembled instructions parse, print and assemble to the same bytes", "[isa][mc]") {
  for_every_row(all_archs(), [](Opcode op, Arch arch, Mc& mc) {
    const std::string text = print(sample(op, arch), arch);
    std::vector<uint8_t> bytes;
    CHECK_NOTHROW(bytes = mc.assemble(text));
    const auto decoded = mc.disassemble(bytes, 0);
    INFO(target(arch).name << ": " << text << " disassembles to " << decoded.text);
    REQUIRE(decoded.size == static_cast<int>(bytes.size()));
    std::vector<uint8_t> again;
    CHECK_NOTHROW(again = mc.assemble(print(parse(decoded.text, arch), arch)));
    CHECK(hex(again) == hex(bytes));
  });
}

// What production code objects are made of, and how llvm-objdump prints it. Columns: class, mnemonic, ..., example,
// example_file.
TEST_CASE("every instruction found in shipped code objects has a row and keeps its bytes through text", "[isa][mc]") {
  for (const auto& [name, arch] :
       {std::pair{"gfx942", Arch::gfx942}, {"gfx950", Arch::gfx950}, {"gfx1250", Arch::gfx1250}}) {
    const auto lines = csv::facts(fmt::format("mnemonics_{}.csv", name));
    Mc mc(arch);
    for (const auto& row : lines) {
      const std::string& example = row.at("example");
      INFO(name << ": " << example);
      if (example.find(" label_") != example.npos) continue;  // a name out of its object
      std::vector<uint8_t> expected, encoded, printed;
      Inst inst;
      CHECK_NOTHROW(inst = parse(example, arch));
      if (inst.info().format == Format::vop3p && arch == Arch::gfx1250 && !mc.assembles(example))
        continue;  // LLVM 22 prints what it does not read: an SGPR pair without op_sel_hi:0
      CHECK_NOTHROW(expected = mc.assemble(example));
      CHECK_NOTHROW(mc.encode(inst, encoded));
      CHECK_NOTHROW(printed = mc.assemble(print(inst, arch)));
      CHECK(hex(encoded) == hex(expected));
      CHECK(hex(printed) == hex(expected));
    }
  }
}

TEST_CASE("gfx1250 words with ignored bits as AMD's assembler leaves them decode as LLVM's own", "[isa][mc]") {
  Mc mc(Arch::gfx1250);
  struct Word {
    int dword;
    uint32_t clear;
  };
  struct Case {
    const char* text;
    std::vector<Word> ignored;
  };  // tests/facts/gfx1250.md 5
  for (const auto& [text, ignored] :
       {Case{"tensor_load_to_lds s[0:3], s[4:11]", {{0, 0x00400001}, {1, 0xff000000}}},
        Case{"tensor_store_from_lds s[0:3], s[4:11]", {{0, 0x00400001}, {1, 0xff000000}}},
        Case{"tensor_load_to_lds s[20:23], s[24:31], s[32:35], s[36:39] th:TH_LOAD_HT scope:SCOPE_DEV",
             {{0, 0x00400001}, {1, 0xff000000}}},
        Case{"v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v48, v49", {{1, 0x07fc0000}}},
        Case{"v_wmma_scale16_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v[48:49], v[50:51]",
             {{1, 0x07fc0000}}},
        Case{"v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[40:55], v56, v57 "
             "matrix_b_scale:MATRIX_SCALE_ROW1",
             {{1, 0x07fc0000}, {2, 0x4000}, {3, 0x18000000}}},
        Case{"v_wmma_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[40:55]", {{0, 0x4000}, {1, 0x18000000}}}}) {
    auto bytes = mc.assemble(text);
    const auto usual = mc.disassemble(bytes, 0);
    for (const Word& w : ignored)
      for (int k = 0; k < 4; ++k) bytes[4 * w.dword + k] &= static_cast<uint8_t>(~(w.clear >> 8 * k));
    INFO(text);
    const auto decoded = mc.disassemble(bytes, 0);
    CHECK(decoded.size == static_cast<int>(bytes.size()));
    CHECK(decoded.text == usual.text);
    CHECK(hex(mc.assemble(print(parse(decoded.text, Arch::gfx1250), Arch::gfx1250))) == hex(mc.assemble(text)));
  }
}

TEST_CASE("wave64 code of a wave32 target names masks in pairs", "[isa][mc]") {
  for (const Arch arch : {Arch::gfx1100, Arch::gfx1201}) {
    Mc mc(arch, 64);
    for (const char* text :
         {"v_cmp_lt_f32 vcc, v1, v2", "v_cndmask_b32 v0, v1, v2, s[4:5]", "s_and_b64 exec, exec, vcc",
          "v_add_co_u32 v0, s[6:7], v1, v2", "v_readfirstlane_b32 s4, v1"}) {
      INFO(target(arch).name << ": " << text);
      std::vector<uint8_t> bytes;
      CHECK_NOTHROW(mc.encode(parse(text, arch), bytes));
      CHECK(hex(bytes) == hex(mc.assemble(text)));
      CHECK(hex(mc.assemble(print(parse(mc.disassemble(bytes, 0).text, arch), arch))) == hex(bytes));
    }
    const auto writes = effects(parse("v_cmp_lt_f32 vcc, v1, v2", arch), arch, 64).writes;
    CHECK(writes.items[0].dwords == 2);
  }
  CHECK_THROWS_WITH(Mc(Arch::gfx1250, 64), Catch::Contains("no waves of 64"));
}

TEST_CASE("every form of a vector instruction that LLVM reads keeps its bytes through text", "[isa][mc]") {
  for (const Arch arch : all_archs()) {
    Mc mc(arch);
    const bool rdna = !target(arch).agprs;
    std::vector<Mods> forms;
    for (const auto set : {+[](Mods& m) {
                             m.dpp = true;
                             m.dpp_ctrl = 0x1b;
                           },
                           +[](Mods& m) {
                             m.dpp = true;
                             m.dpp_ctrl = 0x111;
                             m.row_mask = 0xa;
                             m.bound_ctrl = true;
                           },
                           +[](Mods& m) {
                             m.dpp = m.dpp8 = true;
                             m.dpp_ctrl = 076543210;
                           },
                           +[](Mods& m) {
                             m.dpp = true;
                             m.dpp_ctrl = 0x152;
                             m.flags = fetch_inactive;
                           },
                           +[](Mods& m) {
                             m.dpp = m.e64 = true;
                             m.dpp_ctrl = 0x163;
                           },
                           +[](Mods& m) {
                             m.sdwa = true;
                             m.src0_sel = Sdwa::word1;
                             m.dst_sel = Sdwa::byte2;
                             m.dst_unused = 2;
                           },
                           +[](Mods& m) { m.e64 = true; }, +[](Mods& m) { m.flags = clamp; },
                           +[](Mods& m) { m.omod = 3; }, +[](Mods& m) { m.op_sel = 9; },
                           +[](Mods& m) {
                             m.neg_lo = 1;
                             m.op_sel_hi = 0xe;
                           }}) {
      forms.emplace_back();
      set(forms.back());
    }
    std::vector<int> taken(forms.size());
    for (size_t i = 0; i < table().size(); ++i) {
      if (!table()[i].on(arch) || !table()[i].is_vector() || table()[i].is_matrix()) continue;
      for (size_t f = 0; f < forms.size(); ++f) {
        if (!in_sample(static_cast<uint32_t>(i * forms.size() + f), 4)) continue;
        Inst inst = sample(static_cast<Opcode>(i), arch);
        const uint8_t op_sel_hi = inst.mods.op_sel_hi;
        inst.mods = forms[f];
        if (op_sel_hi == 0) inst.mods.op_sel_hi = 0;
        const std::string text = print(inst, arch);
        if (!mc.assembles(text)) continue;  // not every instruction has every form
        INFO(target(arch).name << ": " << text);
        std::vector<uint8_t> bytes;
        CHECK_NOTHROW(mc.encode(parse(text, arch), bytes));
        CHECK(hex(bytes) == hex(mc.assemble(text)));
        ++taken[f];
        const auto decoded = mc.disassemble(bytes, 0);
        if (mc.assemble(decoded.text) != bytes)
          continue;  // LLVM prints some long encodings (v_nop_e64) as their short ones
        CHECK(hex(mc.assemble(print(parse(decoded.text, arch), arch))) == hex(bytes));
      }
    }
    CHECK(taken[0] > 20);
    CHECK((taken[2] > 20) == rdna);
    CHECK((taken[5] > 20) == !rdna);
    CHECK(taken[6] > 100);
  }
}

TEST_CASE("pairs are made of rows, and encode as their text does", "[isa][mc]") {
  int pairs = 0;
  for (const Arch arch : all_archs()) {
    Mc mc(arch);
    for (size_t x = 0; x < table().size(); ++x)
      for (size_t y = 0; y < table().size(); ++y) {
        const auto first = static_cast<Opcode>(x), second = static_cast<Opcode>(y);
        if (pair_form(first, second, arch) == PairForm::none) continue;
        Inst a = sample(first, arch), b = sample(second, arch);
        for (Operand& o : b.operands)
          if (o.file == File::v) o.index += 3;  // other banks, other parity
        const Inst pair = paired(a, b);
        const std::string text = print(pair, arch);
        INFO(target(arch).name << ": " << text);
        CHECK(parse(text, arch) == pair);
        std::vector<uint8_t> bytes, expected;
        CHECK_NOTHROW(mc.encode(pair, bytes));
        CHECK_NOTHROW(expected = mc.assemble(text));
        CHECK(hex(bytes) == hex(expected));
        const auto decoded = mc.disassemble(bytes, 0);
        CHECK(hex(mc.assemble(print(parse(decoded.text, arch), arch))) == hex(bytes));
        ++pairs;
      }
  }
  CHECK(pairs > 1000);
}

TEST_CASE("pairs that are encoded often are encoded as their text is", "[isa][mc]") {
  constexpr int warm = 30, checked = 8;
  uint32_t number = 0, pairs = 0;
  for (const Arch arch : all_archs()) {
    std::mt19937 g(static_cast<unsigned>(arch));
    Mc mc(arch);
    for (size_t x = 0; x < table().size(); ++x)
      for (size_t y = 0; y < table().size(); ++y) {
        const auto first = static_cast<Opcode>(x), second = static_cast<Opcode>(y);
        if (pair_form(first, second, arch) == PairForm::none || !in_sample(number++, 40)) continue;
        ++pairs;
        for (int turn = 0; turn < warm + checked; ++turn) {
          Inst a = sample(first, arch), b = sample(second, arch);
          for (Inst* half : {&a, &b})
            for (Operand& o : half->operands)
              if (o.file == File::v)  // of the same bank and parity, and on the same side of v128: one shape
                o.index = static_cast<uint16_t>(o.index % 4 + (half == &b ? 3 : 0) + 4 * (g() % 30) + pairs % 2 * 128);
          const Inst pair = paired(a, b);
          std::vector<uint8_t> bytes;
          REQUIRE_NOTHROW(mc.encode(pair, bytes));
          const std::string text = print(pair, arch);
          INFO(target(arch).name << ": " << text);
          if (turn >= warm) CHECK(hex(bytes) == hex(mc.assemble(text)));
        }
      }
  }
  CHECK(pairs > 25);
}

TEST_CASE("one template serves every register and number of its shape", "[isa][mc]") {
  Mc mc(Arch::gfx942);
  for (const char* text : {"v_add_f32 v1, v2, v3", "v_add_f32 v250, v251, v252", "v_add_f32 v1, 1.0, v3",
                           "v_add_f32 v1, 0x12345, v3", "v_add_f32 v1, 0x54321, v3", "v_add_f32 v1, s7, v3",
                           "ds_read_b128 v[4:7], v1 offset:16", "ds_read_b128 v[8:11], v2 offset:65520",
                           "ds_read_b128 v[8:11], v2", "v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]",
                           "v_mfma_f32_32x32x8_f16 a[16:31], v[12:13], v[6:7], 0", "s_waitcnt vmcnt(3)",
                           "s_waitcnt vmcnt(0) lgkmcnt(2)", "s_mov_b32 s5, 0x80000000", "s_mov_b32 s5, -1"}) {
    INFO(text);
    std::vector<uint8_t> bytes;
    mc.encode(parse(text, Arch::gfx942), bytes);
    CHECK(hex(bytes) == hex(mc.assemble(text)));
  }
}

TEST_CASE("a mnemonic that does not exist is refused with the nearest that does", "[isa]") {
  CHECK_THROWS_WITH(parse("v_add_f23 v0, v1, v2", Arch::gfx942), Catch::Contains("v_add_f32"));
}

}  // namespace wavesmith::isa
