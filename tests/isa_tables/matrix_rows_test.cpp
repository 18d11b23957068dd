// The matrix rows against facts collected from AMD's calculator, the ISA guides and LLVM: shape, registers a lane,
// clocks.
#include <catch2/catch.hpp>

#include "isa_tables/mc/mc.h"
#include "isa_tables/opcodes.h"
#include "tests/support/csv.h"

namespace wavesmith::isa {

namespace {

int format_code(const std::string& type) {
  for (int code = 0; const char* name : {"fp8", "bf8", "fp6", "bf6", "fp4"}) {
    if (type == name) return code;
    ++code;
  }
  return 0;
}

}  // namespace

TEST_CASE("matrix rows have the shapes, register counts and clocks that the facts state", "[isa][matrix]") {
  const auto facts = csv::facts("matrix_instructions.csv");
  for (const auto& f : facts) {
    const std::string mnemonic = f.at("mnemonic"), target_name = f.at("arch");
    INFO(target_name << ": " << mnemonic << " " << f.at("a_type") << " " << f.at("b_type"));
    const Arch arch = find_arch(target_name).value();
    const auto op = find_opcode(mnemonic, arch);
    REQUIRE(op);
    const Info& row = info(*op);
    const bool undocumented = row.refused & bit(arch);
    CHECK((row.on(arch) || undocumented));
    const Matrix& x = row.matrix;
    CHECK(std::to_string(x.m) + "x" + std::to_string(x.n) + "x" + std::to_string(x.k) ==
          f.at("M") + "x" + f.at("N") + "x" + f.at("K"));
    CHECK(std::to_string(x.blocks) == f.at("blocks"));
    Inst inst{*op};
    if (x.a == Type::f8f6f4) {
      inst.mods.cbsz = static_cast<uint8_t>(format_code(f.at("a_type")));
      inst.mods.blgp = static_cast<uint8_t>(format_code(f.at("b_type")));
    }
    CHECK(dwords(inst, 1, arch) == std::stoi(f.at("a_vgprs")));
    CHECK(dwords(inst, 2, arch) == std::stoi(f.at("b_vgprs")));
    if (!x.sparse()) {
      CHECK(dwords(inst, 0, arch) == std::stoi(f.at("d_vgprs")));
      CHECK(dwords(inst, 3, arch) == std::stoi(f.at("c_vgprs")));
    } else {
      CHECK(dwords(inst, 0, arch) == std::max(std::stoi(f.at("d_vgprs")), std::stoi(f.at("c_vgprs"))));
      CHECK(dwords(inst, 3, arch) == std::stoi(f.at("index_vgprs")));
    }
    if (x.scale_block) CHECK(dwords(inst, 4, arch) == std::stoi(f.at("scale_vgprs")));
    if (!undocumented) CHECK(std::to_string(clocks(inst, arch)) == f.at("cycles_clk"));
  }
}

TEST_CASE("gfx12's 16x16x16 WMMA is refused on gfx1250, where LLVM takes it and the ISA guide has none",
          "[isa][matrix]") {
  const Info& row = info(Opcode::v_wmma_f32_16x16x16_f16);
  CHECK_FALSE(row.on(Arch::gfx1250));
  CHECK(Mc(Arch::gfx1250).assembles("v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]"));
  CHECK_THROWS_WITH(parse("v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]", Arch::gfx1250),
                    Catch::Contains("not available on gfx1250"));
}

}  // namespace wavesmith::isa
