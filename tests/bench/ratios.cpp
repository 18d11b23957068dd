// The ratios this project measures itself by, each against a baseline taken in the same run:
//   generation   DSL to code object of a 128x128x64 kernel, against LLVM's encoder and LLD alone on the same
//                instructions; the check in lower(), of several kernels, against all the rest of their generation
//   simulation   matrix products on the simulator, exact and fast, checks off and on, against OpenBLAS sgemm of the
//   same
//                size on one core; softmax in lane-operations a second; what a second thread is worth
#include <cblas.h>
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "isa_tables/opcodes.h"
#include "kernels/attention/backward.h"
#include "kernels/gemm/gemm.h"
#include "runtime/sim_device.h"
#include "tests/support/llvm_target.h"
#include "tools/process.h"

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

// Of one core, in processor time: what other programs take does not count.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
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
  const auto whole = [&] { return assemble(build_gemm(config, isa::Arch::gfx942, "", {.check = false})); };
  const double first = seconds(whole), warm = median(51, whole);
  const Program program = build_gemm(config, isa::Arch::gfx942);
  const auto code = encode(program);
  const auto object = object_file(program, code);
  const double encoder = encoder_alone(code.text),
               linker = median(51, [&] { isa::link(object, isa::Linked::hardly_larger); });
  const auto instructions = std::ranges::count_if(program.nodes, &Node::is_instruction);
  fmt::print(
      "generation   {:.2f} x the floor: {:.3f} ms for {} instructions; LLVM's encoder alone {:.3f} ms, LLD alone "
      "{:.3f} ms; first in the process {:.1f} ms\n",
      warm / (encoder + linker), warm * 1e3, instructions, encoder * 1e3, linker * 1e3, first * 1e3);
}

// What f() returns in a process of its own, which has generated nothing before if this one has not.
template <class F>
double in_new_process(F f) {
  int ends[2];
  double result = 0;
  if (pipe(ends)) return result;
  const pid_t child = fork();
  if (!child) {
    result = f();
    _exit(write(ends[1], &result, sizeof result) != sizeof result);
  }
  if (read(ends[0], &result, sizeof result) != sizeof result) result = 0;
  waitpid(child, nullptr, 0);
  close(ends[0]), close(ends[1]);
  return result;
}

// DSL to code object without and with the check in lower(), in turn; the best of each, in processor time. First of all
// kernels of a process, then further ones.
void check_beside_generation(const char* what, const std::function<std::vector<Program>(const LowerOptions&)>& build) {
  size_t instructions = 0;
  const auto once = [&](bool check) {
    const double start = processor_seconds();
    const std::vector<Program> programs = build({.check = check});
    for (const Program& p : programs) assemble(p);
    const double taken = processor_seconds() - start;
    instructions = 0;
    for (const Program& p : programs)
      instructions += static_cast<size_t>(std::ranges::count_if(p.nodes, &Node::is_instruction));
    return taken;
  };
  double first_without = 1e9, first_with = 1e9;
  for (int i = 0; i < 5; ++i) {
    first_without = std::min(first_without, in_new_process([&] { return once(false); }));
    first_with = std::min(first_with, in_new_process([&] { return once(true); }));
  }
  in_new_process([&] {
    double without = 1e9, with = 1e9;
    for (int i = 0; i < 41; ++i) without = std::min(without, once(false)), with = std::min(with, once(true));
    fmt::print(
        "generation   {}: {:.2f} ms for {} instructions, the check {:.2f} ms more: {:.0f} %; first in the process "
        "{:.1f} "
        "ms, the check {:.0f} % more\n",
        what, without * 1e3, instructions, (with - without) * 1e3, 100 * (with / without - 1), first_without * 1e3,
        100 * (first_with / first_without - 1));
    std::fflush(stdout);
    return 0.0;
  });
}
void checks() {
  using isa::Arch, isa::Type;
  const auto gemm = [](const char* what, const GemmConfig& config, Arch arch) {
    check_beside_generation(what,
                            [&](const LowerOptions& how) { return std::vector{build_gemm(config, arch, "", how)}; });
  };
  const auto attention = [](const char* what, const AttentionConfig& config, Arch arch) {
    check_beside_generation(
        what, [&](const LowerOptions& how) { return std::vector{build_attention(config, arch, "", how)}; });
  };
  gemm("GEMM 128x128x64, gfx942", {.block = {128, 128, 64}}, Arch::gfx942);
  gemm("GEMM 256x256x64, gfx942", {.block = {256, 256, 64}}, Arch::gfx942);
  gemm("GEMM bf16 TN 256x256x64, direct loads, gfx950",
       {.input = Type::bf16,
        .output = Type::bf16,
        .trans_a = true,
        .block = {256, 256, 64},
        .schedule = GemmSchedule::direct},
       Arch::gfx950);
  gemm("GEMM bf16 TN 128x128x32, gfx1201",
       {.input = Type::bf16, .output = Type::bf16, .trans_a = true, .block = {128, 128, 32}}, Arch::gfx1201);
  gemm("GEMM bf16 TN 128x128x64, data mover, gfx1250",
       {.input = Type::bf16,
        .output = Type::bf16,
        .trans_a = true,
        .block = {128, 128, 64},
        .waves_n = 4,
        .schedule = GemmSchedule::tensor},
       Arch::gfx1250);
  attention("attention, d 128, gfx950", {}, Arch::gfx950);
  attention("attention, decode, d 128, gfx942", {.schedule = AttentionSchedule::decode}, Arch::gfx942);
  check_beside_generation("attention, backward, d 128, gfx942", [](const LowerOptions& how) {
    std::vector<Program> all;
    for (BackwardKernel& k : build_attention_backward({}, Arch::gfx942, "", how).kernels)
      all.push_back(std::move(k.program));
    return all;
  });
}

// -- Simulation --
const sim::Checks no_checks{.undefined = false,
                            .in_flight = false,
                            .hazards = false,
                            .races = false,
                            .xcnt = false,
                            .uninitialized = sim::Checks::Uninitialized::ignore};
struct Setup {
  bool checks = false;
  sim::Numerics numerics = sim::Numerics::fast;
  int jobs = 1;
};
std::unique_ptr<runtime::Device> device_of(const Setup& s) {
  sim::Options options;
  options.numerics = s.numerics, options.jobs = s.jobs;
  if (!s.checks) options.checks = no_checks;
  return std::make_unique<runtime::SimDevice>(options);
}
template <class T>
std::span<const uint8_t> bytes_of(const std::vector<T>& v) {
  return {reinterpret_cast<const uint8_t*>(v.data()), v.size() * sizeof(T)};
}

// The best of several launches: processor seconds, and seconds on the clock.
struct Time {
  double processor = 1e9, clock = 1e9;
};
Time fastest(runtime::Device& device, std::span<const uint8_t> object, const runtime::Launch& l, int times) {
  Time best;
  for (int i = 0; i < times; ++i) {
    const double start = processor_seconds();
    const auto outcome = device.launch(object, "", l);
    if (outcome.fault) throw std::runtime_error(*outcome.fault);
    best = {std::min(best.processor, processor_seconds() - start), std::min(best.clock, outcome.seconds)};
  }
  return best;
}

// As many launches as sgemm has runs, enough that either meets a quiet moment of the host; exact ones take seconds.
int times(const Setup& s) { return s.numerics == sim::Numerics::fast ? 30 : 2; }

// A matrix of four small numbers at random, so that sums are exact, and OpenBLAS's product to compare with: D = A B^T,
// row by row.
template <class T>
struct Problem {
  std::vector<T> a, b;
  std::vector<float> want;
  Problem(int n, const std::array<T, 4>& codes, const std::array<float, 4>& values)
      : a(static_cast<size_t>(n) * static_cast<size_t>(n)), b(a.size()), want(a.size()) {
    std::vector<float> fa(a.size()), fb(a.size());
    uint32_t random = 1;
    for (size_t i = 0; i < a.size(); ++i) {
      random = random * 1664525 + 1013904223;
      a[i] = codes[random >> 30], fa[i] = values[random >> 30], b[i] = codes[random >> 28 & 3],
      fb[i] = values[random >> 28 & 3];
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, fa.data(), n, fb.data(), n, 0, want.data(), n);
  }
};

Time f16_gemm(int n, const Setup& setup) {
  const auto size = static_cast<uint32_t>(n);
  const Problem<uint16_t> p(n, {0xbc00, 0x3800, 0x3c00, 0xb800}, {-1, 0.5f, 1, -0.5f});
  const GemmConfig config{.trans_a = true, .block = {256, 256, 64}};  // column-major: D^T = B A^T
  const auto object = assemble(build_gemm(config, isa::Arch::gfx942));
  const auto device = device_of(setup);
  const auto a = device->allocate(p.b.size() * 2, "A"), b = device->allocate(p.a.size() * 2, "B"),
             d = device->allocate(p.want.size() * 2, "D");
  device->write(a, bytes_of(p.b)), device->write(b, bytes_of(p.a));
  const auto l = launch(config, isa::Arch::gfx942,
                        {.m = size, .n = size, .k = size, .lda = size, .ldb = size, .ldc = size, .ldd = size},
                        {.a = a.address, .b = b.address, .d = d.address});
  const Time best =
      fastest(*device, object.bytes, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}, times(setup));
  std::vector<_Float16> got(p.want.size());
  device->read(d, {reinterpret_cast<uint8_t*>(got.data()), got.size() * 2});
  if (!std::equal(got.begin(), got.end(), p.want.begin(),
                  [](_Float16 x, float y) { return x == static_cast<_Float16>(y); }))
    throw std::runtime_error("f16 GEMM: wrong numbers");
  return best;
}

std::vector<uint8_t> compiled(const std::string& source, const std::string& target) {
  const std::string stem = fmt::format("/tmp/wavesmith_bench_{}", getpid()), in = stem + ".cl", out = stem + ".co";
  std::ofstream(in) << source;
  const auto command = fmt::format(
      "/usr/lib/llvm-22/bin/clang -x cl -cl-std=CL2.0 -O3 -target amdgcn-amd-amdhsa -mcpu={} -nogpulib -w -o {} {}",
      target, out, in);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  std::ifstream file(out, std::ios::binary);
  std::vector<uint8_t> object{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(in), std::filesystem::remove(out);
  return object;
}

// D[n][n] = A[n][n] B[n][n]^T: four waves of 64 x 64 each, operands straight from memory.
const char* const fp8_source = R"(
typedef int v8i __attribute__((ext_vector_type(8)));
typedef float v16f __attribute__((ext_vector_type(16)));
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void gemm(__global const char* a, __global const char* b, __global float* d, int n) {
  const int lane = __builtin_amdgcn_workitem_id_x() & 63, wave = __builtin_amdgcn_workitem_id_x() >> 6;
  const int row = __builtin_amdgcn_workgroup_id_y() * 128 + (wave & 1) * 64, col = __builtin_amdgcn_workgroup_id_x() * 128 + (wave >> 1) * 64;
  v16f c[2][2] = {};
  for (int k = 0; k < n; k += 64) {
    v8i x[2], y[2];
    for (int i = 0; i < 2; ++i) {
      x[i] = *(__global const v8i*)(a + (row + i * 32 + (lane & 31)) * n + k + 32 * (lane >> 5));
      y[i] = *(__global const v8i*)(b + (col + i * 32 + (lane & 31)) * n + k + 32 * (lane >> 5));
    }
    for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) c[i][j] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x[i], y[j], c[i][j], 0, 0, 0, 0, 0, 0);
  }
  for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) for (int e = 0; e < 16; ++e)
    d[(row + 32 * i + 8 * (e / 4) + 4 * (lane >> 5) + e % 4) * n + col + 32 * j + (lane & 31)] = c[i][j][e];
}
)";
Time fp8_gemm(int n, const Setup& setup) {
  const Problem<uint8_t> p(n, {0, 0x38, 0x40, 0xb8}, {0, 1, 2, -1});
  const size_t count = p.a.size();
  const auto device = device_of(setup);
  const auto da = device->allocate(count, "A"), db = device->allocate(count, "B"),
             dd = device->allocate(count * 4, "D");
  device->write(da, p.a), device->write(db, p.b);
  runtime::Launch l{.grid = {static_cast<uint32_t>(n / 128), static_cast<uint32_t>(n / 128), 1},
                    .block = {256, 1, 1},
                    .kernargs = std::vector<uint8_t>(28)};
  const uint64_t pointers[] = {da.address, db.address, dd.address};
  std::memcpy(l.kernargs.data(), pointers, 24), std::memcpy(l.kernargs.data() + 24, &n, 4);
  const Time best = fastest(*device, compiled(fp8_source, "gfx950"), l, times(setup));
  std::vector<float> got(count);
  device->read(dd, {reinterpret_cast<uint8_t*>(got.data()), count * 4});
  if (got != p.want) throw std::runtime_error("fp8 GEMM: wrong numbers");
  return best;
}

// Rows of 1024 floats, one a wave; straight-line code.
const char* const softmax_source = R"(
#define F(x) __builtin_astype(x, float)
#define I(x) __builtin_astype(x, int)
__attribute__((reqd_work_group_size(256, 1, 1))) __kernel void softmax(__global const float* x, __global float* y) {
  const int lane = __builtin_amdgcn_workitem_id_x() & 63;
  const long row = (long)__builtin_amdgcn_workgroup_id_x() * 4 + (__builtin_amdgcn_workitem_id_x() >> 6);
  float4 v[4];
  float m = -1e30f, s = 0;
  for (int i = 0; i < 4; ++i) v[i] = *(__global const float4*)(x + row * 1024 + i * 256 + lane * 4);
  for (int i = 0; i < 4; ++i) for (int k = 0; k < 4; ++k) m = __builtin_fmaxf(m, v[i][k]);
  for (int d = 32; d; d /= 2) m = __builtin_fmaxf(m, F(__builtin_amdgcn_ds_bpermute((lane ^ d) * 4, I(m))));
  for (int i = 0; i < 4; ++i) for (int k = 0; k < 4; ++k) s += v[i][k] = __builtin_amdgcn_exp2f(__builtin_fmaf(v[i][k], 1.442695041f, -m * 1.442695041f));
  for (int d = 32; d; d /= 2) s += F(__builtin_amdgcn_ds_bpermute((lane ^ d) * 4, I(s)));
  const float r = __builtin_amdgcn_rcpf(s);
  for (int i = 0; i < 4; ++i) *(__global float4*)(y + row * 1024 + i * 256 + lane * 4) = v[i] * r;
}
)";
struct Softmax {
  Time time;
  double lane_operations = 0;
};  // VALU instructions of all waves times 64
Softmax softmax(const Setup& setup) {
  constexpr uint32_t rows = 16384;
  const auto object = compiled(softmax_source, "gfx942");
  const auto co = sim::CodeObject::load(object);
  isa::Mc mc(co.arch(), 64);
  const sim::KernelInfo& k = co.kernels()[0];
  double valu = 0;
  for (uint64_t pc = k.entry; pc < k.code_end;) {
    const auto decoded = mc.disassemble(co.code(pc), pc);
    const auto i = isa::parse(decoded.text, co.arch());
    valu += i.info().is_vector();
    if (i.op == isa::Opcode::s_endpgm) break;
    pc += static_cast<uint64_t>(decoded.size);
  }
  const auto device = device_of(setup);
  const std::vector<float> x(size_t{rows} * 1024, 0.5f);
  const auto in = device->allocate(x.size() * 4, "x"), out = device->allocate(x.size() * 4, "y");
  device->write(in, bytes_of(x));
  runtime::Launch l{.grid = {rows / 4, 1, 1}, .block = {256, 1, 1}, .kernargs = std::vector<uint8_t>(16)};
  const uint64_t pointers[] = {in.address, out.address};
  std::memcpy(l.kernargs.data(), pointers, 16);
  return {fastest(*device, object, l, 30), valu * 64 * rows};
}

double sgemm_seconds(BLASLONG n) {
  const std::vector<float> x(static_cast<size_t>(n * n), 1.f);
  std::vector<float> y(x.size());
  double best = 1e9;
  for (int i = 0; i < 15; ++i) {
    const double start = processor_seconds();
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1, x.data(), n, x.data(), n, 0, y.data(), n);
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

template <class F>
void against_sgemm(const char* what, int n, sim::Numerics numerics, F run) {
  const double before = sgemm_seconds(n), off = run(Setup{false, numerics}).processor,
               on = run(Setup{true, numerics}).processor, blas = std::min(before, sgemm_seconds(n)),
               flops = 2.0 * n * n * n * 1e-9;
  fmt::print(
      "simulation   {} {}^3, {}: {:.1f} % of sgemm with checks off, {:.1f} % with checks on ({:.1f} x slower): {:.1f}, "
      "{:.1f} and {:.1f} GFLOPS\n",
      what, n, numerics == sim::Numerics::exact ? "exact" : "fast", 100 * blas / off, 100 * blas / on, on / off,
      flops / off, flops / on, flops / blas);
}

void simulation() {
  const unsigned threads = std::thread::hardware_concurrency();
  openblas_set_num_threads(1);
  fmt::print("simulation   one core each, processor time; sgemm of OpenBLAS, kernels for {}\n",
             openblas_get_corename());
  for (const auto numerics : {sim::Numerics::fast, sim::Numerics::exact}) {
    against_sgemm("f16 GEMM (gfx942)", 2048, numerics, [](const Setup& s) { return f16_gemm(2048, s); });
    against_sgemm("fp8 GEMM (gfx950)", 1024, numerics, [](const Setup& s) { return fp8_gemm(1024, s); });
  }
  const Softmax off = softmax({}), on = softmax({.checks = true}), all = softmax({.jobs = static_cast<int>(threads)});
  fmt::print(
      "simulation   softmax of 64 MiB (gfx942): {:.2f} G lane-operations a second and core with checks off, {:.2f} "
      "with checks on ({:.1f} x slower)\n",
      off.lane_operations / off.time.processor * 1e-9, on.lane_operations / on.time.processor * 1e-9,
      on.time.processor / off.time.processor);
  fmt::print("simulation   {} threads are {:.2f} x as fast as one\n", threads, off.time.clock / all.time.clock);
}

}  // namespace

// OpenBLAS picks its kernel when it is loaded and takes a processor it does not know for the oldest: it is told, and
// the program started anew.
int main(int, char** argv) {
  if (!std::getenv("OPENBLAS_CORETYPE") && (__builtin_cpu_supports("avx512f") || __builtin_cpu_supports("avx2"))) {
    setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512f") ? "SkylakeX" : "Haswell", 1);
    execv("/proc/self/exe", argv);
  }
  tools::keep_freed_memory();  // as the tool does
  checks();                    // before this process has generated anything
  generation();
  simulation();
}
