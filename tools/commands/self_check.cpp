#include "tools/commands/self_check.h"

#include <fmt/format.h>

#include <chrono>

#include "generator/passes/cfg.h"

namespace wavesmith::tools {

SelfCheck::SelfCheck(const Program& p, bool skip) : program_(p) {
  if (skip) return;
  running_ = std::async(std::launch::async, [&p] {
    const auto start = std::chrono::steady_clock::now();
    // The file itself, encoded for that once more: what `wavesmith check` will see of it, and by the same code.
    const auto file = sim::CodeObject::load(assemble(p).bytes);
    checker::Decoder decoder(p.arch, isa::target(p.arch).wave_size);
    Outcome o{checker::check(file, file.kernel(""), decoder, {.advice = false})};
    o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return o;
  });
}

double SelfCheck::finish() {
  if (!running_.valid()) return 0;
  const Outcome o = running_.get();
  for (const auto& f : o.result.findings) {
    if (f.advice) continue;
    std::string where =
        fmt::format("{:#x}", f.pc);  // and the line that made it, where the instruction list has the finding too
    for (const auto& same : checker::check(program_, {.advice = false}).findings)
      if (same.rule == f.rule && same.instruction == f.instruction) {
        where += fmt::format(", {}", place(program_.nodes[same.pc]));
        break;
      }
    throw CheckFailed(
        fmt::format("{}: the generated kernel fails its own check: {}: {}: {} [{}]: {}; legal: {} (--no-check writes "
                    "it anyway)",
                    f.kernel, where, f.instruction, f.rule, f.source, f.what, f.legal));
  }
  return o.seconds;
}

}  // namespace wavesmith::tools
