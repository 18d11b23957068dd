// Guarantees of the DSL: registers owned by scope, errors that name the author's line, comments that reach the .s,
// notes that LLVM's tools read, and encodings that do not go through text.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "generator/dsl/emit_offset.h"
#include "generator/dsl/kernel.h"
#include "generator/dsl/scratch.h"
#include "generator/passes/lower.h"
#include "generator/schedule/interleave.h"
#include "generator/schedule/pipeline.h"
#include "generator/schedule/wave_stages.h"
#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/sample.h"
#include "isa_tables/offsets.h"
#include "kernels/gemm/gemm.h"
#include "runtime/files.h"

using namespace wavesmith;
using Catch::Contains;

namespace {

Kernel small(Arch arch = Arch::gfx942) { return Kernel("small", arch, 64); }

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> part{};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  while (const size_t n = fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
  pclose(pipe);
  return out;
}

}  // namespace

TEST_CASE("registers return to their pool at the end of their scope", "[generator][registers]") {
  Registers r(Arch::gfx942);
  const auto kept = r.v.alloc(3, "kept");
  uint16_t first = 0;
  {
    const auto inner = r.v.alloc(8, "inner");
    first = inner.index;
    CHECK(r.v.alloc(1, "beside").index != inner.index);
  }
  CHECK(r.v.alloc(8, "again").index == first);
  auto moved = r.v.alloc(2, "moved");
  const uint16_t index = moved.index;
  const auto owner = std::move(moved);
  moved.free();  // NOLINT: a moved-from owner owns nothing
  CHECK(r.v.alloc(2, "other").index != index);
  CHECK(r.v.high_water() >= first + 8);
}

TEST_CASE("a pool says where its registers would end with more tuples", "[generator][registers]") {
  Registers r(Arch::gfx90a);
  const auto kept = r.v.alloc(3, "kept");
  const int before = r.v.high_water();
  const auto with = r.v.high_water_with({1, 8, 3});
  CHECK(r.v.high_water() == before);
  const auto one = r.v.alloc(1, "one"), eight = r.v.alloc(8, "eight"), three = r.v.alloc(3, "three");
  CHECK(with == r.v.high_water());
  CHECK(!r.v.high_water_with({255, 255}));
}

TEST_CASE("tuples are aligned where the target asks for it", "[generator][registers]") {
  for (const auto& [arch, even] : {std::pair(Arch::gfx908, false),
                                   {Arch::gfx90a, true},
                                   {Arch::gfx942, true},
                                   {Arch::gfx950, true},
                                   {Arch::gfx1100, false},
                                   {Arch::gfx1201, false},
                                   {Arch::gfx1250, true}}) {
    Registers r(arch);
    const auto one = r.v.alloc(1, "one"), pair = r.v.alloc(2, "pair");
    INFO(isa::target(arch).name);
    CHECK(one.index == 0);
    CHECK(pair.index == (even ? 2 : 1));
    isa::Mc mc(arch);  // LLVM says the same: an odd tuple does not assemble exactly where even ones are asked for
    CHECK(mc.assembles(fmt::format("{} v[1:2], v[4:5], off",
                                   isa::target(arch).wave_size == 64 ? "global_load_dwordx2" : "global_load_b64")) ==
          !even);
  }
}

TEST_CASE("running out of registers prints who holds which", "[generator][registers]") {
  Registers r(Arch::gfx942);
  const auto a = r.v.alloc(250, "fragments of A"), b = r.v.alloc(4, "addresses");
  CHECK_THROWS_AS(r.v.alloc(16, "C"), OutOfRegisters);
  CHECK_THROWS_WITH(r.v.alloc(16, "C"), Contains("out of v-registers: need 16 for 'C', 254 of 256 in use") &&
                                            Contains("v[0:249] fragments of A") && Contains("v[250:253] addresses"));
}

TEST_CASE("a wrong width or target is refused at the author's line", "[generator]") {
  Kernel k = small();
  const auto narrow = k.r.v.alloc(1, "narrow"), wide = k.r.v.alloc(4, "wide");
  const auto load = [&] { k.k.global_load_dwordx4(narrow, wide.slice(0, 2), off); };
  const std::string line = fmt::format("generator_test.cpp:{}", __LINE__ - 1);
  CHECK_THROWS_WITH(load(), Contains(line) && Contains("global_load_dwordx4"));
  CHECK_THROWS_WITH(k.k.v_mfma_f32_32x32x8_f16(wide, wide.slice(0, 2), wide.slice(2, 2), 0),
                    Contains("generator_test.cpp:") && Contains("16"));
  CHECK_THROWS_WITH(k.k.ds_read_b64_tr_b16(wide.slice(0, 2), narrow),
                    Contains("generator_test.cpp:") && Contains("gfx950"));
  CHECK_THROWS_WITH(wide.slice(3, 2), Contains("slice(3, 2)") && Contains("0 to 3"));
  CHECK(k.k.nodes.empty());  // and nothing of it remains
}

TEST_CASE("the author's comments reach the assembly", "[generator]") {
  Kernel k = small();
  const auto v = k.r.v.alloc(1, "v");
  k.k.comment("the answer, for once");
  k.k.v_mov_b32(v, 42);
  k.k.s_endpgm();
  CHECK_THAT(assembly(lower(std::move(k))), Contains("v_mov_b32") && Contains("the answer, for once"));
}

TEST_CASE("llvm-readelf reads the notes and the arguments of a kernel", "[generator][object]") {
  const auto path = std::filesystem::temp_directory_path() / "wavesmith_generator_test.co";
  Kernel k("noted", Arch::gfx942, 256);
  k.pointer("input", "f16");
  k.value("count", "u32");
  k.k.s_endpgm();
  const auto object = assemble(lower(std::move(k))).bytes;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
  const std::string notes = output_of("llvm-readelf-22 --notes " + path.string());
  std::filesystem::remove(path);
  for (const char* wanted :
       {"amdgcn-amd-amdhsa--gfx942", ".name:           noted", ".symbol:         noted.kd",
        ".max_flat_workgroup_size: 256", ".wavefront_size: 64", ".name:           input",
        ".value_kind:     global_buffer", ".name:           count", ".value_kind:     by_value", ".offset:         8"})
    CHECK_THAT(notes, Contains(wanted));
  CHECK(notes.find("warning") == std::string::npos);
}

TEST_CASE("kernels are encoded without passing through text", "[generator][mc]") {
  for (const auto& [trans_a, trans_b] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    const Program p = build_gemm({.trans_a = trans_a, .trans_b = trans_b}, Arch::gfx942);
    isa::Mc mc(p.arch);
    std::vector<uint8_t> bytes;
    for (const Node& n : p.nodes)
      if (n.is_instruction()) mc.encode(n.inst, bytes);
    CHECK(mc.encoded_by_text() == 0);
  }
}

// From gfx11 on the short encodings of 16-bit operands have seven bits for a VGPR.
TEST_CASE("rows with VGPRs from v130 on have the bytes of LLVM's assembler", "[generator][mc]") {
  const Arch arch = GENERATE(Arch::gfx942, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250);
  isa::Mc mc(arch);
  int same = 0;
  for (size_t i = 0; i < isa::table().size(); ++i) {
    if (!isa::table()[i].on(arch)) continue;
    isa::Inst inst = isa::sample(static_cast<Opcode>(i), arch);
    bool moved = false;
    for (size_t o = 0; o < inst.operands.size(); ++o)
      if (auto& operand = inst.operands[o]; operand.file == isa::File::v && operand.dwords == 1)
        operand.index = static_cast<uint16_t>(130 + 3 * o), moved = true;
    if (!moved || !mc.assembles(isa::print(inst, arch))) continue;
    std::vector<uint8_t> bytes;
    mc.encode(inst, bytes);
    INFO(isa::print(inst, arch));
    CHECK(bytes == mc.assemble(isa::print(inst, arch)));
    ++same;
  }
  CHECK(same > 500);
}

TEST_CASE("rows are encoded by templates, but for 64-bit literals and halves", "[generator][mc]") {
  std::set<std::string> by_text;
  int rows = 0;
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    isa::Mc mc(static_cast<Arch>(a));
    for (size_t i = 0; i < isa::table().size(); ++i) {
      if (!isa::table()[i].on(mc.arch())) continue;
      const int before = mc.encoded_by_text();
      std::vector<uint8_t> bytes;
      mc.encode(isa::sample(static_cast<Opcode>(i), mc.arch()), bytes);
      ++rows;
      if (mc.encoded_by_text() != before) by_text.insert(std::string(isa::table()[i].mnemonic));
    }
  }
  CHECK(rows > 16000);
  CHECK(by_text ==
        std::set<std::string>{"v_fmaak_f64", "v_fmamk_f64", "v_mov_b16"});  // literals of 64 bits, halves of registers
}

TEST_CASE("errors of registers and of what LLVM refuses name the author's line", "[generator]") {
  const auto here = [](int line) { return Contains(fmt::format("generator_test.cpp:{}: ", line)); };
  Kernel k = small();
  const auto wide = k.r.v.alloc(4, "wide", 4);
  const auto s = k.r.s.alloc(4, "s", 4);
  CHECK_THROWS_WITH(wide.slice(3, 2), here(__LINE__));
  CHECK_THROWS_WITH(wide[4], here(__LINE__));
  CHECK_THROWS_WITH(k.r.v.alloc(300, "too much"), here(__LINE__));
  CHECK_THROWS_WITH(k.r.v.alloc(0, "nothing"), here(__LINE__) && Contains("alloc(0) for 'nothing'; legal: 1 to 255"));
  CHECK_THROWS_WITH(k.r.s.alloc(-1, "less"), here(__LINE__));
  const auto refused = [&](int line, auto write) {
    Kernel one = small();
    write(one.k);
    one.k.s_endpgm();
    INFO(line);
    CHECK_THROWS_WITH(assemble(lower(std::move(one), {.check = false})), here(line));  // what it reads is not written
  };
  refused(__LINE__, [&](Stream& b) { b.v_add3_u32(wide[0], s[0], s[1], wide[1]); });         // two scalars
  refused(__LINE__, [&](Stream& b) { b.v_add3_u32(wide[0], 12345678, wide[0], wide[1]); });  // a literal in VOP3
  refused(__LINE__, [&](Stream& b) { b.v_readlane_b32(s[0], wide[0], 100); });
  refused(__LINE__, [&](Stream& b) { b.v_mov_b32(wide[0], wide[1], {.dpp = true, .dpp_ctrl = 0x1ff}); });
  refused(__LINE__, [&](Stream& b) { b.v_mad_i16(wide[0], 1.0f, wide[1], wide[2]); });  // not of i16
  const auto block = [&](int line, auto merge) {
    INFO(line);
    CHECK_THROWS_WITH(merge(), here(line));
  };
  Block anchor(Arch::gfx942), side(Arch::gfx942);
  anchor.s_nop(0);
  side.s_nop(1), side.s_nop(2);
  block(__LINE__ - 1, [&] { return interleave(anchor, {{side}}); });
  isa::LinearLayout layout;
  const Vgpr x{1, 1};
  const AxisValue none[] = {{"no such axis", x}};
  block(__LINE__, [&] { return emit_offset(anchor, x, layout, "byte", none, {}); });
  block(__LINE__, [&] { Pipeline{}.emit(k.k, std::vector<Pipeline::Segment>{}); });
  block(__LINE__, [&] { return wave_stages({}); });
  block(__LINE__, [&] { return Kernel("0", Arch::gfx942, 64); });
  block(__LINE__, [&] { return Kernel("k", Arch::gfx942, 65); });
}

TEST_CASE("floats are constants of the type that an operand has", "[generator][mc]") {
  isa::Mc mc(Arch::gfx1201);
  Block b(Arch::gfx1201);
  const Vgpr v{1, 1}, w{2, 1};
  b.v_add_f16(v, 1.0f, w);
  b.v_add_f16(v, 0.1f, w);
  b.v_add_f32(v, 1.0f, w);
  b.v_fma_f16(v, v, -4.0f, w);
  const char* texts[] = {"v_add_f16 v1, 1.0, v2", "v_add_f16 v1, 0x2e66, v2", "v_add_f32 v1, 1.0, v2",
                         "v_fma_f16 v1, v1, -4.0, v2"};
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    std::vector<uint8_t> bytes;
    mc.encode(b.nodes[i].inst, bytes);
    CHECK(bytes == mc.assemble(texts[i]));
  }
}

TEST_CASE("mixed-precision multiply-adds take f32 sources unless op_sel_hi says f16", "[generator][mc]") {
  isa::Mc mc(Arch::gfx942);
  Block b(Arch::gfx942);
  const Vgpr v{1, 1}, w{2, 1};
  b.v_fma_mixlo_f16(v, w, w, w);
  b.v_fma_mixlo_f16(v, w, w, w, {.op_sel_hi = 0b101});
  b.v_fma_mixlo_f16(v, w, w, w, {.op_sel_hi = 0b111});
  const char* texts[] = {"v_fma_mixlo_f16 v1, v2, v2, v2", "v_fma_mixlo_f16 v1, v2, v2, v2 op_sel_hi:[1,0,1]",
                         "v_fma_mixlo_f16 v1, v2, v2, v2 op_sel_hi:[1,1,1]"};
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    std::vector<uint8_t> bytes;
    mc.encode(b.nodes[i].inst, bytes);
    CHECK(bytes == mc.assemble(texts[i]));
  }
}

TEST_CASE("a linked kernel is the same and hardly larger than its object, however much is linked", "[generator][mc]") {
  std::vector<Program> kernels;
  for (const int m : {64, 128, 256})
    for (const bool ta : {false, true})
      kernels.push_back(build_gemm({.trans_a = ta, .block = {m, 128, 64}}, Arch::gfx950, "", {.check = false}));
  for (const size_t count : {size_t{1}, kernels.size()}) {
    std::vector<EncodedProgram> code;
    for (size_t i = 0; i < count; ++i) code.push_back(encode(kernels[i]));
    const auto object = object_file(std::span(kernels).first(count), code);
    const auto linked = isa::link(object, isa::Linked::hardly_larger);
    CHECK(linked == isa::link(object));
    CHECK(linked.size() <= object.size() + (1 << 15));
  }
  const std::vector<uint8_t> none(1 << 20);  // larger than a pipe
  CHECK_THROWS_WITH(isa::link(none, isa::Linked::hardly_larger), Catch::Contains("lld"));
}

TEST_CASE("immediate offsets are refused exactly where LLVM's encoding does not hold them", "[generator][mc]") {
  const auto write = [](Block& b, Opcode op, int offset) {
    isa::Inst i = isa::sample(op, b.arch());
    i.mods.offset = offset;
    const auto& ops = i.operands;
    if (isa::info(op).format == isa::Format::smem)
      return b.emit(op, {ops[0], ops[1], isa::imm(offset)}, {}, Where::current()).inst;
    if (isa::info(op).count() == 3) return b.emit(op, {ops[0], ops[1], ops[2]}, i.mods, Where::current()).inst;
    if (isa::info(op).count() == 2) return b.emit(op, {ops[0], ops[1]}, i.mods, Where::current()).inst;
    return b.emit(op, {ops[0], ops[1], ops[2], ops[3]}, i.mods, Where::current()).inst;
  };
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    isa::Mc mc(arch);
    for (const Opcode op :
         {Opcode::ds_read_b32, Opcode::buffer_load_dword, Opcode::global_load_dword, Opcode::flat_load_dword,
          Opcode::scratch_load_dword, Opcode::s_load_dword, Opcode::s_buffer_load_dword}) {
      if (!isa::info(op).on(arch)) continue;
      INFO(isa::target(arch).name << " " << isa::info(op).mnemonic);
      auto range = *isa::offset_range(isa::info(op).format, arch);
      if (op == Opcode::s_buffer_load_dword) range.low = 0;
      Block b(arch);
      for (const int offset : {range.low, range.high}) {  // LLVM reads back what it wrote
        const isa::Inst i = write(b, op, offset);
        std::vector<uint8_t> bytes;
        mc.encode(i, bytes);
        const isa::Inst back = isa::parse(mc.disassemble(bytes, 0).text, arch);
        CHECK(back.mods.offset == i.mods.offset);
        if (offset) CHECK(isa::print(back, arch) == isa::print(i, arch));  // of s_buffer_load 0 is `null`
      }
      for (const int offset : {range.low - 1, range.high + 1}) {
        CHECK_THROWS_AS(write(b, op, offset), isa::IsaError);
        isa::Inst i = isa::sample(op, arch);  // LLVM refuses it too, or writes something else
        if (isa::info(op).format == isa::Format::smem) i.operands[2] = isa::imm(offset);
        else i.mods.offset = offset;
        const std::string text = isa::print(i, arch);
        if (mc.assembles(text)) CHECK(isa::parse(mc.disassemble(mc.assemble(text), 0).text, arch) != i);
      }
    }
  }
}

TEST_CASE("scratch registers have names of their own, and the .s begins with the map of all names",
          "[generator][registers]") {
  Kernel kernel = small();
  const auto kept = kernel.r.v.alloc(2, "kept");
  {
    Scratch s(kernel.r);
    const Vgpr key = s.v("key"), pair = s.v("pair", 2);
    CHECK(s.s("resource", 4).index % 4 == 0);
    CHECK(pair.index % 2 == 0);
    kernel.k.v_mov_b32(key, 1);
  }
  Scratch s(kernel.r);
  kernel.k.v_mov_b32(s.v("chunk"), 2);
  kernel.k.s_endpgm();
  const std::string text = assembly(lower(std::move(kernel)));
  CHECK_THAT(text, Contains("\t; registers\n\t;   v0         work-item id\n\t;   v1         key; chunk\n"
                            "\t;   v[2:3]     kept\n\t;   v[4:5]     pair\n"
                            "\t;   s[0:1]     kernel argument address\n"));
}
