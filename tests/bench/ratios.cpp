// The ratios this project measures itself by, each against a baseline taken in the same run:
//   generation   DSL to code object of a 128x128x64 kernel, against LLVM's encoder and LLD alone on the same instructions
//   simulation   f16 GEMM of 1024^3 on the simulator, exact and fast, against OpenBLAS sgemm on the same cores
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "kernels/gemm.h"
#include "runtime/device.h"
#include "tests/llvm_target.h"

using namespace wavesmith;

namespace {

template <class F>
double seconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
template <class F>
double median(int times, F f) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(seconds(f));
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[times / 2];
}

// LLVM's encoder alone: the MCInsts are made beforehand, by its disassembler.
double encoder_alone(const std::vector<uint8_t>& text) {
  const LlvmTarget llvm(isa::Arch::gfx942);
  std::vector<llvm::MCInst> insts;
  for (std::span<const uint8_t> rest = text; !rest.empty();) {
    const auto decoded = llvm.decode(rest);
    if (!decoded) break;
    insts.push_back(decoded->first);
    rest = rest.subspan(decoded->second);
  }
  llvm::SmallVector<char, 0> out;
  llvm::SmallVector<llvm::MCFixup, 4> fixups;
  return median(51, [&] {
    out.clear();
    for (const auto& i : insts) llvm.encoder->encodeInstruction(i, out, fixups, *llvm.subtarget);
  });
}

void generation() {
  const GemmConfig config{.block = {128, 128, 64}};
  const auto whole = [&] { return assemble(build_gemm(config, isa::Arch::gfx942)); };
  const double first = seconds(whole), warm = median(51, whole);
  const Program program = build_gemm(config, isa::Arch::gfx942);
  const auto text = encode(program);
  const auto object = object_file(program, text);
  const double encoder = encoder_alone(text), linker = median(51, [&] { isa::link(object); });
  const auto instructions = std::count_if(program.nodes.begin(), program.nodes.end(), [](const Node& n) { return n.directive == Directive::none; });
  fmt::print("generation   {:.2f} x the floor: {:.3f} ms for {} instructions; LLVM's encoder alone {:.3f} ms, LLD alone {:.3f} ms; first in the process {:.1f} ms\n", warm / (encoder + linker),
             warm * 1e3, instructions, encoder * 1e3, linker * 1e3, first * 1e3);
}

double simulate(const BLASLONG n, bool checks, sim::Numerics numerics) {
  const GemmConfig config{.trans_a = true, .block = {256, 256, 64}};
  const auto object = assemble(build_gemm(config, isa::Arch::gfx942));
  sim::Options options;
  options.numerics = numerics;
  if (!checks) options.checks = {.undefined = false, .in_flight = false, .hazards = false, .races = false};
  const auto device = runtime::Device::open("sim", options);
  const auto size = static_cast<uint32_t>(n);
  const std::vector<uint16_t> ones(static_cast<size_t>(n * n), 0x3c00);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(ones.data()), ones.size() * 2);
  const auto a = device->allocate(bytes.size(), "A"), b = device->allocate(bytes.size(), "B"), d = device->allocate(bytes.size(), "D");
  device->write(a, bytes), device->write(b, bytes);
  const auto l = launch(config, {.m = size, .n = size, .k = size, .lda = size, .ldb = size, .ldc = size, .ldd = size}, {.a = a.address, .b = b.address, .d = d.address});
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto outcome = device->launch(object.bytes, {.grid = l.grid, .block = {l.block, 1, 1}, .kernargs = l.kernargs});
    if (outcome.fault) throw std::runtime_error(outcome.fault->message());
    best = std::min(best, outcome.seconds);
  }
  return best;
}

void simulation() {
  const BLASLONG n = 1024;
  const std::vector<float> x(n * n, 1.f);
  std::vector<float> y(n * n);
  const double blas = median(11, [&] { cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1, x.data(), n, x.data(), n, 0, y.data(), n); });
  const double flops = 2.0 * n * n * n;
  for (const auto numerics : {sim::Numerics::exact, sim::Numerics::fast}) {
    const double off = simulate(n, false, numerics), on = simulate(n, true, numerics);
    fmt::print("simulation   {:.1f} % of sgemm with checks off, {:.1f} % with checks on, numerics {}: {:.1f}, {:.1f} and {:.1f} GFLOPS, {} threads\n", 100 * blas / off, 100 * blas / on,
               numerics == sim::Numerics::exact ? "exact" : "fast", flops / off * 1e-9, flops / on * 1e-9, flops / blas * 1e-9, std::thread::hardware_concurrency());
  }
}

}  // namespace

int main() {
  generation();
  simulation();
}
