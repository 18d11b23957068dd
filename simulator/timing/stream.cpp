// Text to steps, without a kernel around them.
#include "simulator/timing/stream.h"

#include <fmt/format.h>

#include "isa_tables/mc/mc.h"

namespace wavesmith::timing {

TimedStream::TimedStream(isa::Arch a, int n, u64 pc) : arch(a), lanes(n ? n : isa::target(a).wave_size), pc_(pc) {}

u32 TimedStream::add(const TimedInstruction& l) {
  isa::Mc mc(arch, lanes);
  const auto code = mc.assemble(l.text);
  const auto decoded = mc.disassemble(code, pc_);
  if (decoded.size != static_cast<int>(code.size()))
    throw isa::IsaError(fmt::format("'{}' is not a single instruction of {}", l.text, isa::target(arch).name));
  const isa::Target& t = isa::target(arch);
  sim::KernelInfo kernel;
  kernel.wave_size = lanes, kernel.vgprs = t.vgprs + (t.unified ? t.agprs : 0), kernel.accum_offset = t.vgprs;
  sim::Step st;
  st.inst = mc.instruction(decoded, code), st.size = static_cast<u8>(decoded.size), st.pc = pc_;
  st = sim::shifted(st, {}, t, kernel);
  st.number = static_cast<u32>(program.steps.size()), st.next = static_cast<int>(st.number) + 1, st.pc = pc_,
  st.size = static_cast<u8>(decoded.size);
  pc_ += code.size();
  program.steps.push_back(std::move(st));
  lines.push_back(l);
  return program.steps.back().number;
}

WaveTrace TimedStream::repeat(u32 first, u32 last, int times, u32 stride) const {
  WaveTrace w;
  for (int n = 0; n < times; ++n)
    for (u32 i = first; i < last; ++i) {
      w.steps.push_back(i);
      if (!has_data(program.steps[i])) continue;
      const TimedInstruction& l = lines[i];
      w.data.push_back(data_word(static_cast<u32>(l.sectors.size()), l.conflicts));
      for (const u32 s : l.sectors) w.data.push_back(s + stride * static_cast<u32>(n));
      w.level.resize(w.data.size(), static_cast<u8>(l.level));
    }
  return w;
}

UnitResult run(const TimedStream& s, const std::vector<WaveTrace>& waves, double mhz, bool timeline,
               const std::vector<u64>& starts) {
  const isa::Timing& t = isa::timing(s.arch);
  const auto list = decode(s.program, s.arch, s.lanes);
  Share share;
  share.port = 1 / t.l2_port_bytes;
  share.mall_clocks = t.mall_ns * mhz * 1e-3, share.memory_clocks = t.memory_ns * mhz * 1e-3;
  GroupTrace g;
  g.waves = waves;
  const UnitSetup setup{.arch = s.arch,
                        .program = &s.program,
                        .list = &list,
                        .t = &t,
                        .share = share,
                        .wave_size = s.lanes,
                        .timeline = timeline,
                        .cold_code = false,
                        .most_events = u64{1} << 24,
                        .starts = starts};
  return simulate(setup, {&g});
}

std::vector<u64> issue_times(const UnitResult& r, int wave) {
  std::vector<u64> times;
  for (const Event& e : r.events)
    if (!e.stall && r.waves[e.wave].number == wave) times.push_back(e.start);
  return times;
}

}  // namespace wavesmith::timing
