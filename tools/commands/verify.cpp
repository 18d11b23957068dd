// wavesmith verify: generate a kernel, run it, compare every element with a reference in f64.
#include "tools/commands/verify.h"

namespace wavesmith::tools {

Command add_verify(CLI::App& app) {
  app.require_subcommand(1);
  auto* gemm = app.add_subcommand("gemm", "D = alpha op(A) op(B) + beta C");
  auto* attention = app.add_subcommand("attention", "O = softmax(scale Q K^T + mask) V");
  app.footer("Example:\n  wavesmith verify gemm --arch gfx942 -m 100 -n 77 -k 51");
  return [gemm, verify_gemm = add_verify_gemm(*gemm), verify_attention = add_verify_attention(*attention)] {
    return gemm->parsed() ? verify_gemm() : verify_attention();
  };
}

}  // namespace wavesmith::tools
