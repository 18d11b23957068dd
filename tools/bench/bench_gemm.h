// GEMMs of `wavesmith bench`: problems to rows of results, columns as rocblas-bench and hipblaslt-bench name them.
#pragma once
#include "tools/bench/bench_loop.h"
#include "tools/reference/gemm_case.h"

namespace wavesmith::tools {

// With the problems of the list, if there is one. Returns the exit status.
int bench_gemm(const BenchOptions&, const GemmQuestion&);

// What a BLAS library has: no epilogue, no scales, no xf32.
bool is_plain(const GemmConfig&);
// Of its elements, by blas_abi.h.
const char* library_type(const HostMatrix&);

class GemmBench : public CaseOnDevice<GemmBuffers> {
 public:
  using Question = GemmQuestion;
  static constexpr const char* operation = "gemm";
  using Case = GemmCase;
  static std::vector<std::string> brief() {
    return {"transA", "transB", "M", "N", "K", "batch_count", "a_type", "d_type"};
  }
  static void declare(CLI::App& app, Question& q) { declare_gemm_question(app, q); }
  static Question on_device(Question q, const BenchTarget& t) {
    if (q.gemm.arch.empty()) q.gemm.arch = t.arch;
    q.gemm.gpu = t.gpu, q.gemm.cold = t.cold, q.device.device = t.device;
    return q;
  }
  static BenchRow row(const Case&);  // without measurements; bytes: operands read once, D written once

  GemmBench(runtime::Device& device, const GemmCase& c, uint64_t copies)
      : CaseOnDevice(device, copies, [&] { return upload(device, c.built, c.data); }), case_(c) {}

  // The kernel of ours, then the others that the options name.
  std::vector<Implementation> implementations(const Libraries&, const std::vector<PeerFile>&);
  // Ours against the reference where asked for, the others against ours. The first that is wrong.
  std::string check(const std::vector<Implementation>&, bool verify, std::vector<Measured>&);

 private:
  GemmCase result_of(const Implementation&);  // after one iteration on the first copy. KernelFault
  const GemmCase& case_;
};

}  // namespace wavesmith::tools
