// Attention of `wavesmith bench`: problems to rows of results, columns by the letters of CK's examples.
#pragma once
#include "tools/bench/bench_loop.h"
#include "tools/reference/attention_case.h"

namespace wavesmith::tools {

int bench_attention(const BenchOptions&, const AttentionQuestion&);  // returns the exit status

class AttentionBench : public CaseOnDevice<AttentionBuffers> {
 public:
  using Question = AttentionQuestion;
  static constexpr const char* operation = "attention";
  using Case = AttentionCase;
  static std::vector<std::string> brief() { return {"b", "h", "h_k", "s", "s_k", "d", "d_v", "mask", "prec"}; }
  static void declare(CLI::App& app, Question& q) { declare_attention_question(app, q); }
  static Question on_device(Question q, const BenchTarget& t) {
    if (q.attention.arch.empty()) q.attention.arch = t.arch;
    q.device.device = t.device;
    return q;
  }
  static BenchRow row(const Case&);  // flops: of the products that the mask leaves

  AttentionBench(runtime::Device& device, const AttentionCase& c, uint64_t copies)
      : CaseOnDevice(device, copies, [&] { return upload(device, c); }), case_(c) {}

  std::vector<Implementation> implementations(const Libraries&, const std::vector<PeerFile>&);
  // Every implementation against the reference. The first that is wrong.
  std::string check(const std::vector<Implementation>&, bool verify, std::vector<Measured>&);

 private:
  const AttentionCase& case_;
};

}  // namespace wavesmith::tools
