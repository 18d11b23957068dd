// Issue times of whole instruction streams, captured on real RDNA3 and RDNA4 by hardware thread trace: the same
// instructions in the same order through the model, distances between neighbours compared. Waits for memory are left
// out: they tell of the cache, not of the core.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "simulator/timing/stream.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

struct Captured {
  std::string text;
  uint64_t pc = 0;
  int64_t time = 0;
};
using WaveKey = std::tuple<std::string, std::string, std::string>;  // trace, event, wave

// The traces' own notation, name(operand, ...): v[1], v[1:2], s[4:7], VCC_LO. The first operand is the result; one left
// out is v0 or s0.
struct Notation {
  std::string mnemonic;
  std::vector<timing::RegisterRange> registers;
  std::vector<uint32_t> numbers;
};
Notation parse(const std::string& text) {
  Notation n;
  n.mnemonic = text.substr(0, text.find('('));
  const std::string rest = text.substr(std::min(text.size(), n.mnemonic.size()));
  static const std::regex item(R"(([vs])\[(\d+)(?::(\d+))?\]|(VCC_LO|VCC)|(EXEC_LO|EXEC)|\b(\d+)\b)");
  for (auto it = std::sregex_iterator(rest.begin(), rest.end(), item); it != std::sregex_iterator(); ++it) {
    const std::smatch& m = *it;
    const auto reg = [&](int base, int first, int last) {
      n.registers.push_back({static_cast<uint16_t>(base + first), static_cast<uint16_t>(last - first + 1)});
    };
    if (m[1].matched) {
      const int first = std::stoi(m[2]), last = m[3].matched ? std::stoi(m[3]) : first;
      reg(m[1] == "v" ? 0 : isa::scalar_base, first, last);
    } else if (m[4].matched) reg(isa::scalar_base, isa::sreg::vcc, isa::sreg::vcc);
    else if (m[5].matched) reg(isa::scalar_base, isa::sreg::exec, isa::sreg::exec);
    else n.numbers.push_back(static_cast<uint32_t>(std::stoul(m[6])));
  }
  return n;
}

struct Replay {
  isa::Arch arch;
  timing::TimedStream stream;
  std::vector<timing::Static> list;
  explicit Replay(isa::Arch a) : arch(a), stream(a) {}

  // What the tables know of the mnemonic, the registers from the trace. False: no such instruction.
  bool add(const Captured& c) {
    Notation n = parse(c.text);
    for (const char* suffix : {"_e32", "_e64"})
      if (n.mnemonic.ends_with(suffix)) n.mnemonic.resize(n.mnemonic.size() - 4);
    sim::Step st;
    const bool pair = n.mnemonic == "VOPD";  // issues as one
    if (pair) n.mnemonic = "v_mov_b32";
    const auto op = isa::find_opcode(n.mnemonic, arch);
    if (!op) return false;
    st.inst.op = *op, st.row = &isa::info(*op), st.pc = c.pc,
    st.number = static_cast<uint32_t>(stream.program.steps.size()), st.next = static_cast<int>(st.number) + 1;
    const int last = std::max(0, st.row->count() - 1);
    for (int i = 0; i <= last; ++i)
      st.inst.operands[static_cast<size_t>(i)] =
          isa::imm(n.numbers.empty() ? 0 : static_cast<int32_t>(n.numbers.back()));
    const bool stores = st.row->operands[0].access == isa::Access::read;
    size_t results = pair ? 2 : 1;
    const auto scalar = [&](size_t i) { return i < n.registers.size() && n.registers[i].first >= isa::scalar_base; };
    for (int i = 0; i < st.row->count(); ++i) {  // carries and comparisons: named where they are not VCC
      const isa::OperandSpec& o = st.row->operands[i];
      if (o.kind != isa::Kind::mask) continue;
      const bool written = o.access == isa::Access::write, named = written && scalar(static_cast<size_t>(i));
      if (written && i == 0 && !named) results = 0;
      if (named) results = static_cast<size_t>(i) + 1;
      const int vcc = isa::scalar_base + isa::sreg::vcc;
      if (!named) st.cold->touched.add(vcc), (written ? st.cold->writes : st.cold->reads).add(vcc);
    }
    for (size_t i = 0; i < n.registers.size(); ++i) {
      const auto& r = n.registers[i];
      for (int k = r.first; k < r.first + r.count; ++k)
        st.cold->touched.add(k), (i < results && !stores ? st.cold->writes : st.cold->reads).add(k);
    }
    const auto implicit = [&](uint32_t flag, int reg, bool writes) {
      if (st.row->implicit & flag)
        st.cold->touched.add(isa::scalar_base + reg), writes ? st.cold->writes.add(isa::scalar_base + reg) : void();
    };
    implicit(isa::scc_r, isa::sreg::scc, false), implicit(isa::scc_w, isa::sreg::scc, true),
        implicit(isa::vcc_w, isa::sreg::vcc, true), implicit(isa::vcc_r, isa::sreg::vcc, false),
        implicit(isa::exec_w, isa::sreg::exec, true);
    implicit(isa::exec_r, isa::sreg::exec, false);
    stream.program.steps.push_back(std::move(st));
    stream.lines.push_back({});
    return true;
  }
};

struct Errors {
  std::vector<double> all;
  int exact = 0, near = 0, order = 0;
  double model = 0, hardware = 0;
};

bool waits_for_memory(const std::string& text) {
  return text.find("wait") != std::string::npos || text.find("endpgm") != std::string::npos ||
         text.find("barrier") != std::string::npos;
}

// The waves of a launch that the trace holds: a trace is of one SIMD, so that they are in each other's way.
void replay(isa::Arch arch, const std::vector<std::vector<Captured>>& waves, Errors& e) {
  Replay r(arch);
  std::vector<timing::WaveTrace> traces;
  std::vector<std::vector<const Captured*>> kept;
  std::vector<uint64_t> starts;
  int64_t first = INT64_MAX;
  for (const auto& wave : waves) first = std::min(first, wave.empty() ? first : wave[0].time);
  for (const auto& wave : waves) {
    auto& list = kept.emplace_back();
    const auto from = static_cast<uint32_t>(r.stream.program.steps.size());
    for (const Captured& c : wave)
      if (r.add(c)) list.push_back(&c);
    traces.push_back(r.stream.repeat(from, static_cast<uint32_t>(r.stream.program.steps.size()), 1));
    starts.push_back(list.empty() ? 0 : static_cast<uint64_t>(list[0]->time - first));
    for (size_t i = 0; i + 1 < list.size(); ++i)  // a jump in the trace is a branch taken
      if (list[i + 1]->pc < list[i]->pc || list[i + 1]->pc > list[i]->pc + 16)
        r.stream.program.steps[from + i].next = -1;
  }
  const auto result = timing::run(r.stream, traces, 2400, true, starts);
  constexpr double far = 200;  // clocks: something beyond the core
  for (size_t w = 0; w < kept.size(); ++w) {
    const auto at = timing::issue_times(result, static_cast<int>(w));
    for (size_t i = 1; i < kept[w].size() && i < at.size() && kept[w].size() >= 3; ++i) {
      const Captured &now = *kept[w][i], &before = *kept[w][i - 1];
      const double hardware = static_cast<double>(now.time - before.time),
                   model = static_cast<double>(at[i] - at[i - 1]);
      if (waits_for_memory(now.text) || waits_for_memory(before.text) || hardware > far || hardware < 0) continue;
      e.all.push_back(model - hardware), e.model += model, e.hardware += hardware;
      e.exact += model == hardware, e.near += std::abs(model - hardware) <= 2;
    }
  }
}

}  // namespace

void validate_traces(const Sources& s, const Report& report, const Missing& missing) {
  const auto rows = read_csv(s.facts + "/sqtt_timing.csv");
  if (rows.empty()) return missing("traces: no file sqtt_timing.csv in the folder of facts (--facts)");
  std::map<WaveKey, std::vector<Captured>> waves;
  for (const auto& row : rows) {
    if (field(row, "wave").empty() || field(row, "trace").find("gfx1") != 0) continue;
    waves[{field(row, "trace"), field(row, "event"), field(row, "wave")}].push_back(
        {field(row, "instruction"), std::stoull(field(row, "pc")), std::stoll(field(row, "time"))});
  }
  std::map<std::pair<std::string, std::string>, std::vector<std::vector<Captured>>> launches;
  for (auto& [key, wave] : waves) launches[{std::get<0>(key), std::get<1>(key)}].push_back(std::move(wave));
  std::map<std::string, Errors> by_trace;
  for (const auto& [key, list] : launches) {
    const std::string& trace = key.first;
    if (const auto arch = isa::find_arch(trace.substr(0, trace.find('/')))) replay(*arch, list, by_trace[trace]);
  }
  for (auto& [trace, e] : by_trace) {
    if (e.all.empty()) continue;
    const double n = static_cast<double>(e.all.size());
    std::vector<double> sizes;
    for (const double x : e.all) sizes.push_back(std::abs(x));
    std::sort(sizes.begin(), sizes.end());
    report(
        {"traces", trace + ", sum of distances", "clk", e.model, e.hardware,
         fmt::format("{} distances: {:.0f} % exact, {:.0f} % within 2 clk, median error {:.0f}, 90th percentile {:.0f}",
                     e.all.size(), 100 * e.exact / n, 100 * e.near / n, sizes[sizes.size() / 2],
                     sizes[sizes.size() * 9 / 10])});
  }
}

}  // namespace wavesmith::validation
