#include "tools/self_check.h"

#include <fmt/format.h>

#include <chrono>

#include "generator/cfg.h"

namespace wavesmith::tools {

SelfCheck::SelfCheck(const Program& p, bool skip) : program_(p) {
  if (skip) return;
  running_ = std::async(std::launch::async, [&p] {
    const auto start = std::chrono::steady_clock::now();
    Outcome o{checker::check(p, {.advice = false})};
    o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return o;
  });
}

double SelfCheck::finish() {
  if (!running_.valid()) return 0;
  const Outcome o = running_.get();
  for (const auto& f : o.result.findings)
    if (!f.advice)
      throw CheckFailed(fmt::format("{}: the generated kernel fails its own check: {}: {}: {} [{}]: {}; legal: {} (--no-check writes it all the same)", f.kernel,
                                    place(program_.nodes[f.pc]), f.instruction, f.rule, f.source, f.what, f.legal));
  return o.seconds;
}

}  // namespace wavesmith::tools
