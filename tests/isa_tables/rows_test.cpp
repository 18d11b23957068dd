// Every row of isa_tables on every target that has it: executed once on a wave of its own, it either does something or
// says why not.
#include <set>

#include "isa_tables/mc/sample.h"
#include "tests/support/one_wave.h"

using namespace simtest;

namespace {

// Rows that stop the run on purpose, each with its reason in the fault: they need the trap handler, the fork stack,
// dynamic VGPRs, the debugger or all workgroups at once, none of which a functional run of one launch has.
const std::set<std::string> refused = {
    "ds_gws_init",       "ds_gws_barrier",    "ds_gws_sema_v",
    "ds_gws_sema_br",    "ds_gws_sema_p",     "ds_gws_sema_release_all",  // one workgroup runs at a time
    "s_cbranch_g_fork",  "s_cbranch_i_fork",  "s_cbranch_join",           // fork stack
    "s_rfe_b64",         "s_rfe_restore_b64", "s_trap",
    "s_endpgm_saved",  // trap handler, context save
    "s_alloc_vgpr",      "s_code_end",        "s_sethalt",
    "s_setkill",         "s_sendmsg",         "s_sendmsghalt",
    "s_sendmsg_rtn_b32", "s_sendmsg_rtn_b64",
};

// Rows that take a group's size from a register and stop at the 0 that stands there.
const std::set<std::string> sized = {"v_permlane_bcast_b32", "v_permlane_down_b32", "v_permlane_up_b32",
                                     "v_permlane_xor_b32"};

struct Whole {  // a wave with LDS and device memory around it
  sim::Memory memory;
  sim::KernelInfo kernel;
  sim::Options options;
  sim::Result counts;
  sim::Cluster cluster;
  sim::Workgroup group;
  sim::Wave wave;
  std::vector<uint32_t> storage = std::vector<uint32_t>(sim::Wave::vector_regs * sim::Wave::lanes + 16);

  explicit Whole(isa::Arch arch) : wave(arch) {
    const isa::Target& t = isa::target(arch);
    kernel.wave_size = t.wave_size, kernel.vgprs = t.vgprs + (t.unified ? t.agprs : 0), kernel.accum_offset = t.vgprs,
    kernel.sgprs = t.sgprs;
    options.checks.hazards = options.checks.races = false;
    group.target = &t, group.kernel = &kernel, group.options = &options, group.memory = &memory, group.counts = &counts,
    group.cluster = &cluster;
    group.lds.resize(4096), group.dma_dwords.resize(1025);
    wave.group = &group;
    wave.v = storage.data() + (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64 / 4;
    wave.all = kernel.wave_size == 64 ? ~uint64_t{0} : 0xffffffff;
    wave.set_exec(wave.all);
    wave.written.fill(~uint64_t{0});
    memory.allocate(65536, "memory");  // at 2^32: an even register 0 and an odd one 1 are its address
    for (int s = 1; s < 106; s += 2) wave.s[s] = 1;
    for (int r = 1; r < 256; r += 2) std::fill_n(wave.vreg(r), 64, 1);
  }
};

}  // namespace

TEST_CASE("every row of every target executes, but for those that cannot", "[sim][rows]") {
  int ran = 0;
  std::set<std::string> stopped;
  for (size_t a = 0; a < isa::all_targets().size(); ++a) {
    const auto arch = static_cast<isa::Arch>(a);
    for (size_t i = 0; i < isa::table().size(); ++i) {
      const isa::Info& row = isa::table()[i];
      if (!row.on(arch) || row.refused & isa::bit(arch)) continue;
      Whole w(arch);
      sim::Step st;
      st.inst = isa::sample(static_cast<isa::Opcode>(i), arch), st.size = 8;
      st = sim::shifted(st, {}, *w.group.target, w.kernel);
      INFO(isa::print(st.inst, arch) << " on " << w.group.target->name << ": " << st.cold->refusal);
      REQUIRE(st.run);
      w.wave.written_lanes = w.wave.exec();
      st.run(w.wave, st);
      ++ran;
      if (!w.wave.problem) continue;
      using enum sim::Fault::Kind;
      const auto kind = w.wave.problem->kind;
      INFO(w.wave.problem->why);
      if (kind == illegal || kind == unknown_instruction) stopped.insert(row.mnemonic);
      else CHECK((kind == out_of_bounds || kind == misaligned));
    }
  }
  CHECK(ran > 10000);
  for (const std::string& m : stopped) {
    CAPTURE(m);
    CHECK((refused.contains(m) || sized.contains(m)));
  }
  for (const std::string& m : refused) {  // the list names no row that runs
    CAPTURE(m);
    CHECK(isa::find_opcode(m));
  }
}
