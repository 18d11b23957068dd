// LLVM's scheduling model beside ours, instruction by instruction: the latency that the compiler believes in, and the
// clocks it has a matrix instruction take the pipe. For targets nobody has measured it is the one public source. Asked
// of llvm-mca at run time; like rows are one line.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "isa_tables/mc/mc.h"
#include "isa_tables/mc/sample.h"
#include "runtime/files.h"
#include "simulator/timing/stream.h"
#include "tests/validation/validation.h"

namespace wavesmith::validation {
namespace {

using isa::Arch, isa::Opcode;

struct Subject {
  Opcode op;
  std::string text;      // as LLVM's disassembler has it
  std::string consumer;  // reads its result
};

// What reads the first register that the instruction writes; empty: it writes none that can be named.
std::string consumer_of(const isa::Inst& i, const isa::Info& row) {
  const isa::Operand& d = i.operands[0];
  if (row.operands[0].access == isa::Access::read) return "";
  switch (d.file) {
    case isa::File::v: return fmt::format("v_mov_b32 v255, v{}", d.index);
    case isa::File::a: return fmt::format("v_accvgpr_read_b32 v255, a{}", d.index);
    case isa::File::s: return fmt::format("s_mov_b32 s99, {}", isa::print(isa::reg(d.file, d.index)));
    default: return "";
  }
}

// The vector, matrix and scalar arithmetic of a target.
std::vector<Subject> subjects(Arch arch) {
  std::vector<Subject> list;
  isa::Mc mc(arch);
  for (size_t o = 0; o < isa::table().size(); ++o) {
    const auto op = static_cast<Opcode>(o);
    const isa::Info& row = isa::info(op);
    if (!row.on(arch) || !(row.is_vector() || row.is_matrix() || row.unit == isa::Unit::salu) ||
        (row.implicit & (isa::pc_w | isa::ends)))
      continue;
    const isa::Inst inst = isa::sample(op, arch);
    std::vector<uint8_t> code;
    mc.encode(inst, code);
    const auto d = mc.disassemble(code, 0);
    if (const std::string c = consumer_of(inst, row); d.size == static_cast<int>(code.size()) && !c.empty())
      list.push_back({op, d.text, c});
  }
  return list;
}

struct Scheduled {
  double latency = 0, interval = 0;
};
// In LLVM's own units: issue slots of a wave on gfx9, else clocks. Empty: no llvm-mca, or it does not take the text.
std::vector<Scheduled> ask_llvm(const std::vector<Subject>& list, Arch arch) {
  const auto stem = (std::filesystem::temp_directory_path() / fmt::format("wavesmith_mca_{}", getpid())).string();
  std::string text;
  for (const Subject& s : list) text += s.text + "\n";
  runtime::write_file(stem + ".s", text);
  std::vector<Scheduled> out;
  for (const char* program : {"llvm-mca-22", "/usr/lib/llvm-22/bin/llvm-mca"}) {
    const auto command =
        fmt::format("{} -mtriple=amdgcn-amd-amdhsa -mcpu={} -instruction-tables -json -o {}.json {}.s 2>/dev/null",
                    program, isa::target(arch).name, stem, stem);
    if (std::system(command.c_str()) != 0) continue;
    const auto bytes = runtime::read_file(stem + ".json");
    const auto answer = nlohmann::json::parse(bytes.begin(), bytes.end());
    for (const auto& i : answer["CodeRegions"][0]["InstructionInfoView"]["InstructionList"])
      out.push_back({i["Latency"].get<double>(), i["RThroughput"].get<double>()});
    break;
  }
  std::error_code ignored;
  std::filesystem::remove(stem + ".s", ignored), std::filesystem::remove(stem + ".json", ignored);
  return out.size() == list.size() ? out : std::vector<Scheduled>{};
}

struct Ours {
  timing::IssueUnit unit;
  double latency = 0, busy = 0;
};
Ours ask_model(const Subject& s, Arch arch) {
  timing::TimedStream stream(arch);
  stream.add({s.text}), stream.add({s.consumer});
  const auto at = timing::issue_times(timing::run(stream, {stream.all()}, 2100, true), 0);
  const timing::Static first = timing::decode(stream.program, arch, stream.lanes)[0];
  return {first.unit, static_cast<double>(at[1] - at[0]), static_cast<double>(first.busy)};
}

// Instructions with the same pair of figures: one line.
class Lines {
 public:
  void add(const std::string& what, double ours, double theirs, const Subject& s) {
    lines_[{what, ours, theirs}].emplace_back(isa::info(s.op).mnemonic);
    ++all_, near_ += std::abs(ours / theirs - 1) <= 0.15;
  }
  void report_to(const Report& report, const char* target) const {
    report({"LLVM's scheduling model", fmt::format("{}: within 15 %, of {} figures", target, all_), "%",
            100.0 * near_ / all_, 0, ""});
    for (const auto& [key, ops] : lines_) {
      const auto& [what, ours, theirs] = key;
      report({"LLVM's scheduling model",
              fmt::format("{}, {} instruction{}", what, ops.size(), ops.size() > 1 ? "s" : ""), "clk", ours, theirs,
              fmt::format("{}{}", ops[0], ops.size() > 1 ? " ..." : "")});
    }
  }

 private:
  std::map<std::tuple<std::string, double, double>, std::vector<std::string>> lines_;
  int all_ = 0, near_ = 0;
};

}  // namespace

void validate_compiler(const Sources&, const Report& report, const Missing& missing) {
  for (const Arch arch :
       {Arch::gfx908, Arch::gfx90a, Arch::gfx942, Arch::gfx950, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {
    const auto list = subjects(arch);
    const auto llvm = ask_llvm(list, arch);
    if (llvm.empty()) return missing("LLVM's scheduling model: no llvm-mca of LLVM 22");
    const isa::Timing& t = isa::timing(arch);
    Lines lines;
    for (size_t i = 0; i < list.size(); ++i) {
      const Ours ours = ask_model(list[i], arch);
      const auto name = [&](const char* what) {
        return fmt::format("{} {} {}", isa::target(arch).name, timing::name(ours.unit), what);
      };
      const bool unknown = ours.unit == timing::IssueUnit::matrix && llvm[i].latency <= t.valu_latency &&
                           t.wave_interval == 1;  // WMMA of RDNA stands there as any VALU
      if (!unknown) lines.add(name("latency"), ours.latency, llvm[i].latency * t.wave_interval, list[i]);
      if (ours.unit == timing::IssueUnit::matrix && llvm[i].interval > 1)
        lines.add(name("interval"), ours.busy, llvm[i].interval * t.wave_interval, list[i]);
    }
    lines.report_to(report, isa::target(arch).name);
  }
}

}  // namespace wavesmith::validation
