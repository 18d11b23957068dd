// The loop of a benchmark over problems, for any operation: bench_gemm.cpp and bench_attention.cpp have one class each,
// which keeps a problem on a device.
#pragma once
#include <fmt/format.h>

#include "runtime/blas_peer.h"
#include "tools/bench/bench_options.h"
#include "tools/options/built.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

using Libraries = std::vector<std::pair<std::string, runtime::BlasPeer*>>;

// What a kernel is generated for: target, GPU of the tables ("": none known), the device's name in estimates, and
// whether buffers rotate, so that operands are in no cache.
struct BenchTarget {
  std::string arch, gpu, device;
  bool cold = false;
};
BenchTarget target_of(const BenchOptions&, const BenchDevice&);

// A problem's buffers on a device, several times where they rotate. Buffers: .all, .launch.
template <class Buffers>
class CaseOnDevice {
 public:
  template <class Upload>
  CaseOnDevice(runtime::Device& device, uint64_t copies, Upload upload) : device_(device) {
    for (uint64_t i = 0; i < copies; ++i) copies_.push_back(upload());
  }
  ~CaseOnDevice() {
    for (const Buffers& copy : copies_)
      for (const runtime::Buffer& b : copy.all) try {
          device_.release(b);
        } catch (const runtime::DeviceError&) {}  // of a device that is lost, whose error is on its way
  }
  CaseOnDevice(const CaseOnDevice&) = delete;

 protected:
  const Buffers& copy(uint64_t i) const { return copies_[i % copies_.size()]; }
  Implementation ours(const Built& built) {
    return {"wavesmith", built.program.name,
            [this, enqueue = device_.prepare(built.object.bytes, built.program.name)](uint64_t i) {
              for (const KernelLaunch& l : each_launch(copy(i).launch))
                if (!l.empty())
                  enqueue({.grid = l.grid, .block = l.block, .dynamic_lds = 0, .cluster = {}, .kernargs = l.kernargs});
            }};
  }
  runtime::Device& device_;
  std::vector<Buffers> copies_;
};

// Calls f(options, question) for each problem of the list, or once.
template <class Bench, class F>
void each_problem(const BenchOptions& o, const typename Bench::Question& base, F f) {
  if (o.problems.empty()) return f(o, base);
  for (const ListedProblem& problem : read_problem_list(o.problems)) {
    typename Bench::Question question = base;
    BenchOptions own = o;
    CLI::App app("", Bench::operation);
    own.declare_iterations(app);
    Bench::declare(app, question);
    parse_problem(app, problem, o.problems);
    try {
      f(own, question);
    } catch (const InputError& e) { throw InputError(fmt::format("{}:{}: {}", o.problems, problem.line, e.what())); }
  }
}

// Bench: see GemmBench. Returns the exit status.
template <class Bench>
int bench_operation(const BenchOptions& o, const typename Bench::Question& base) {
  o.check();
  const std::vector<PeerFile> files = load_peers(o);
  std::vector<std::unique_ptr<runtime::BlasPeer>> opened;
  Libraries libraries;
  BenchDevice on;
  BenchRun run{.operation = Bench::operation, .made_with = {}, .rows = {}};
  std::string wrong;
  each_problem<Bench>(o, base, [&](const BenchOptions& own, const typename Bench::Question& asked) {
    if (!on.device || on.model) on = open_device(own);
    for (size_t i = opened.size(); i < o.against.size(); ++i) {
      opened.push_back(std::make_unique<runtime::BlasPeer>(o.against[i]));
      libraries.emplace_back(o.against[i], opened.back().get());
    }
    const auto c = make_case(Bench::on_device(asked, target_of(own, on)));
    BenchRow row = Bench::row(c);
    const auto bytes = static_cast<uint64_t>(row.bytes);
    Bench bench(*on.device, c, on.model ? 1 : runtime::copies_to_rotate(own.rotating << 20, bytes));
    const auto all = bench.implementations(libraries, files);
    row.measured = measure(own, on, all, c.built.program.arch);
    for (auto& column : measured_with(own, on)) row.config.push_back(std::move(column));
    std::string found;
    if (!on.model && (own.verify || all.size() > 1)) found = bench.check(all, own.verify, row.measured);
    if (on.model && own.verify) {
      runtime::SimDevice simulator;
      Bench functional(simulator, c, 1);
      found = functional.check(functional.implementations({}, files), true, row.measured);
    }
    if (wrong.empty()) wrong = found;
    run.rows.push_back(std::move(row));
  });
  run.made_with = made_with(o, on);
  for (size_t i = 0; i < opened.size(); ++i) run.made_with.emplace_back(o.against[i], opened[i]->version());
  return deliver(o, run, Bench::brief(), wrong);
}

}  // namespace wavesmith::tools
