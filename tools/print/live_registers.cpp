#include "tools/print/live_registers.h"

#include <algorithm>
#include <set>

namespace wavesmith::tools {

LiveRegisters live_registers(const sim::CodeObject& co, const sim::KernelInfo& k) {
  const sim::DecodedKernel program = sim::decode(co, k);
  const Pressure pressures = pressure(program, co.arch(), k.wave_size);
  LiveRegisters out;
  out.indirect = pressures.indirect;
  std::set<uint64_t> starts, jumps;  // first instructions of blocks; instructions that do not only fall through
  std::map<uint64_t, uint64_t> ends;
  const auto most = [](Live& into, const Live& l) {
    into.vgprs = std::max(into.vgprs, l.vgprs), into.agprs = std::max(into.agprs, l.agprs),
    into.sgprs = std::max(into.sgprs, l.sgprs);
  };
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const sim::Step& st = program.steps[i];
    most(out.at[st.pc], pressures.at[i]);  // code that runs under several s_set_vgpr_msb has a step for each
    ends[st.pc] = st.pc + st.size;
    if (const std::string_view name = co.name_at(st.pc); !name.empty()) starts.insert(st.pc);
    if (st.target != absent) starts.insert(program.steps[static_cast<size_t>(st.target)].pc);
    if (st.target != absent || st.next == absent) jumps.insert(st.pc);
  }
  bool ended = true;
  uint64_t expected = 0;
  for (const auto& [pc, live] : out.at) {
    if (ended || pc != expected || starts.contains(pc)) {
      const std::string_view name = co.name_at(pc);
      out.blocks.push_back({.pc = pc, .label = name == k.name ? "" : std::string(name), .most = {}, .where = {}});
    }
    LiveBlock& b = out.blocks.back();
    if (!b.instructions++ || live.vgprs + live.agprs > out.at[b.fullest].vgprs + out.at[b.fullest].agprs)
      b.fullest = pc;
    most(b.most, live);
    ended = jumps.contains(pc), expected = ends[pc];
  }
  for (LiveBlock& b : out.blocks) b.where = co.where(b.fullest);
  return out;
}

}  // namespace wavesmith::tools
