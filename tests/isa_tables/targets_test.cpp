// The facts about targets that LLVM holds too: features, latencies of the ALUs. And the numbering of registers.
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "isa_tables/arch_sets.h"
#include "isa_tables/mc/sample.h"
#include "isa_tables/opcodes.h"
#include "isa_tables/reg_set.h"
#include "isa_tables/timing/issue.h"
#include "isa_tables/timing/timing.h"
#include "tests/support/llvm_target.h"

namespace wavesmith::isa {
namespace {

// Of LLVM's scheduling model, in its own units: issue slots of a wave on gfx9, else clocks.
int latency_in_llvm(const LlvmTarget& llvm, Opcode op, Arch arch) {
  std::vector<uint8_t> code;
  Mc(arch).encode(sample(op, arch), code);
  const auto decoded = llvm.decode(code);
  REQUIRE(decoded);
  const auto& model = llvm.subtarget->getSchedModel();
  const auto* c = model.getSchedClassDesc(llvm.instrs->get(decoded->first.getOpcode()).getSchedClass());
  REQUIRE(c->isValid());
  return llvm::MCSchedModel::computeInstrLatency(*llvm.subtarget, *c);
}

}  // namespace

TEST_CASE("features of targets are those that LLVM's subtargets have", "[isa][targets]") {
  size_t compared = 0;
  for (size_t a = 0; a < all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    const LlvmTarget llvm(arch);
    for (size_t f = 0; f < features().size(); ++f) {
      const FeatureRow& row = features()[f];
      CHECK(*row.source);
      const bool has = target(arch).features >> f & 1;
      CHECK(has == ((row.archs & bit(arch)) != 0));
      std::string name = row.llvm;
      if (name.empty()) continue;
      const bool opposite = name[0] == '!';
      CAPTURE(row.name, target(arch).name);
      // RDNA3 ISA 13.2: "Float atomic add is hardwired to flush input denormals"; LLVM 22 says that gfx11 keeps them.
      const bool differs = row.name == std::string("atomics_flush_f32") && (bit(arch) & sets::gfx11);
      const bool here = (((row.archs & bit(arch)) != 0) != opposite) != differs;
      CHECK(here == llvm.subtarget->checkFeatures("+" + name.substr(opposite)));
      ++compared;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("latencies of the ALUs are those of LLVM's scheduling model, and the issue costs those of the table",
          "[isa][targets][time]") {
  for (size_t a = 0; a < all_targets().size(); ++a) {
    const auto arch = static_cast<Arch>(a);
    const LlvmTarget llvm(arch);
    const Timing& t = timing(arch);
    CAPTURE(target(arch).name);
    for (const Opcode op : {Opcode::v_exp_f32, Opcode::v_rcp_f32, Opcode::v_sin_f32, Opcode::v_sqrt_f16}) {
      const Issue cost = issue_of(sample(op, arch), arch);
      CHECK(cost.busy == t.valu_trans);
      CHECK(cost.ready == std::max(t.valu_trans, t.trans_latency));
      if (arch == Arch::gfx950) continue;  // LLVM's model has the rate of the targets before it
      CHECK(cost.ready == latency_in_llvm(llvm, op, arch) * t.wave_interval);
    }
    if (info(Opcode::v_s_exp_f32).on(arch))
      CHECK(issue_of(sample(Opcode::v_s_exp_f32, arch), arch).ready ==
            latency_in_llvm(llvm, Opcode::v_s_exp_f32, arch));
    CHECK(t.valu_latency == latency_in_llvm(llvm, Opcode::v_add_f32, arch) * t.wave_interval);
    CHECK(t.salu_to_salu == latency_in_llvm(llvm, Opcode::s_mov_b32, arch) * t.wave_interval);
    if (target(arch).wave_size == 32) continue;  // measured there
    CHECK(t.valu_to_memory == latency_in_llvm(llvm, Opcode::v_add_u32, arch) * t.wave_interval);
    CHECK(t.mask_to_valu == latency_in_llvm(llvm, Opcode::v_cmp_lt_f32, arch) * t.wave_interval);
    CHECK(t.salu_to_valu == latency_in_llvm(llvm, Opcode::s_mov_b32, arch) * t.wave_interval);
    CHECK(t.salu_to_branch == latency_in_llvm(llvm, Opcode::s_cmp_eq_u32, arch) * t.wave_interval);
    CHECK(t.valu_wide == latency_in_llvm(llvm, Opcode::v_lshlrev_b64, arch) * t.wave_interval);
  }
}

TEST_CASE("every register of a target has a number of its own, and the number names the register", "[isa][targets]") {
  for (const Target& t : all_targets()) {
    const Arch arch = *find_arch(t.name);
    std::set<int> numbers;
    const auto add = [&](File f, int count) {
      for (int i = 0; i < count; ++i) {
        const Operand o = reg(f, i);
        CHECK(register_of(number_of(o), arch) == o);
        CHECK(number_of(o) < reg_numbers);
        numbers.insert(number_of(o));
      }
    };
    add(File::v, t.vgprs), add(File::a, t.agprs), add(File::s, 256);
    CHECK(numbers.size() == static_cast<size_t>(t.vgprs + t.agprs + 256));
  }
}

}  // namespace wavesmith::isa
