// wavesmith verify gemm: generate a kernel, run it, compare every element with a reference in f64.
//
// The bound. Products of two numbers of 16 bits or less are exact in f32, of f32 off by one operation. Their sum over
// K, in any order, is off by at most K u sum|a b| with u = 2^-23 for one f32 operation (2^-24 when it rounds to
// nearest; hardware may truncate inside a block). Scaling by alpha and adding beta C are three more operations, a bias
// and each part of a split K one, and rounding to D's type adds its unit roundoff v. So
//   |D - reference| <= ((K + 4) u + v) (|alpha| sum|a b| + |beta C| + |bias|) + half the smallest number of D's type,
// and the relative error printed is |D - reference| over that last parenthesis. The reference itself (f64, K <= 2^31)
// is 2^29 times finer; for f64, u = 2^-52 counts its operations and ours. Factors of xf32 are those that the matrix
// unit reads, truncated to 10 bits of mantissa. Beyond D's largest number infinity is right. i32 is exact, modulo 2^32.
//
// Where the target's matrix unit flushes denormal factors to zero (sim::flushes_denormals), products with such factors
// may be missing: the sum of these |a b| is allowed in addition, and 2^-126 for each product, sum and accumulator that
// may become zero: 3 K. Infinities and NaN follow from the flushed factors: a denormal times infinity is NaN.
//
// Units that align products by their factors' exponents (docs/reference/numerics.md) take a denormal for a number with
// the smallest exponent: in sum|a b| of the bound, such factors count as the smallest normal number.
//
// An activation multiplies the error of its argument by at most 1.13 (gelu; silu 1.1, relu 1). It is x s(y) with s = 1
// / (1 + e^-y): y has an error of at most 6 u |y|, e^-y a further relative error of 2 u, so s one of s (1 - s) (6 u |y|
// + 2 u) < 2 u, because s (1 - s) |y| < 0.23; addition, reciprocal and product add 4 u: 6 u |x| in all.
#include <cblas.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "simulator/numerics/numerics.h"
#include "tools/commands/accuracy.h"
#include "tools/commands/verify.h"
#include "tools/options/bench_names.h"
#include "tools/options/gemm_options.h"
#include "tools/options/launch.h"
#include "tools/options/matrices.h"
#include "tools/options/needs.h"
#include "tools/print/console.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct VerifyGemm {
  GemmOptions gemm;
  DeviceOptions device;
  GemmProblem problem;
  OutputFiles files;
  Force force;
  std::string init = "rand", result;
  uint64_t seed = 1;
  bool json = false, explain = false;
};

// -m and -n are also the size of D for --cus.
GemmOptions with_problem(const VerifyGemm& o) {
  GemmOptions g = o.gemm;
  if (g.cus && g.problem.empty() && o.problem.m && o.problem.n)
    g.problem = fmt::format("{}x{}", o.problem.m, o.problem.n);
  return g;
}

struct GemmData {
  GemmProblem size;
  Matrix a, b, c, d, bias;
};

isa::Opcode instruction_of(const BuiltGemm& g) {
  return g.config.mma ? *g.config.mma : matrix_instructions(g.config, g.program.arch).front();
}

struct Verdict {
  double worst_relative = 0, bound = 0, worst_share = 0;  // share: of what is allowed; at most 1 is right
  uint64_t wrong = 0, checked = 0, overwritten = 0;       // elements; overwritten: of D's padding
  std::string first_wrong;
  bool good() const { return wrong == 0 && overwritten == 0; }
};

Matrix matrix(const char* name, isa::Type type, uint64_t rows, uint64_t cols, uint32_t& ld, uint64_t& stride,
              uint32_t batch) {
  if (!ld) ld = static_cast<uint32_t>(std::max<uint64_t>(rows, 1));
  if (!stride) stride = uint64_t{ld} * cols;
  if (ld < rows)
    throw InputError(fmt::format("--ld{}: {}, legal: {} or more", static_cast<char>(std::tolower(name[0])), ld, rows));
  return {.name = name,
          .type = type == isa::Type::xf32 ? isa::Type::f32 : type,
          .rows = static_cast<uint32_t>(rows),
          .cols = static_cast<uint32_t>(cols),
          .ld = ld,
          .batch = batch,
          .stride = stride};
}

void sizes_from(GemmProblem& p, const GemmConfig& g, const runtime::Array& a, const runtime::Array& b) {
  const auto set = [](uint32_t& size, uint64_t found) {
    if (!size) size = static_cast<uint32_t>(found);
  };
  set(p.m, a.shape[g.trans_a]), set(p.k, a.shape[!g.trans_a]), set(p.n, b.shape[!g.trans_b]);
}

constexpr uint32_t most_rows = 1u << 30;  // the kernel and OpenBLAS count in 32 bits

void ask(const VerifyGemm& o, const GemmData& p) {
  const double m = p.size.m, n = p.size.n, k = p.size.k, batches = p.size.batch;
  double bytes = 16 * (m * k + k * n + m * n);      // the reference's copies in f64, of a batch
  for (const Matrix* x : {&p.a, &p.b, &p.c, &p.d})  // the host's and the device's
    bytes += 2 * (static_cast<double>(x->stride) * (batches - 1) + static_cast<double>(x->ld) * x->cols) *
             isa::bits(x->type) / 8;
  const std::string what =
      fmt::format("verify gemm of {} x {} x {}, {} times,", p.size.m, p.size.n, p.size.k, p.size.batch);
  const double flops = o.device.device == "sim" ? 2 * m * n * k * batches : 0;
  o.force.ask_for({bytes, simulated_seconds(flops, o.device.numerics == "fast", o.device.jobs)}, what);
  if (bytes >= 0x1p62) throw InputError(what + " needs more than 2^62 bytes");
}

GemmData make_problem(const VerifyGemm& o, const GemmConfig& g, isa::Arch arch) {
  GemmData p{.size = o.problem, .a = {}, .b = {}, .c = {}, .d = {}, .bias = {}};
  auto& s = p.size;
  const std::string legal = "rand, int, special, or A.npy,B.npy[,C.npy]";
  std::vector<std::string> files;
  std::vector<runtime::Array> arrays;
  if (o.init.find(".npy") != o.init.npos) {
    files = split(o.init, ',');
    if (files.size() < 2 || files.size() > 3)
      throw InputError(fmt::format("--init: '{}' names {} files, legal: {}", o.init, files.size(), legal));
    if (files.size() == 2 && s.beta != 0)
      throw InputError(fmt::format("--init: beta is {} but C is missing, legal: A.npy,B.npy,C.npy", s.beta));
    for (size_t i = 0; i < files.size(); ++i) arrays.push_back(load_matrix(files[i], i < 2 ? g.input : g.output));
    sizes_from(s, g, arrays[0], arrays[1]);
  }
  for (const auto& [name, size] : {std::pair("-m", s.m), {"-n", s.n}, {"-k", s.k}}) {
    if (!size) throw InputError(fmt::format("verify gemm: {} is missing, legal: 1 or more", name));
    in_range(name, size, 1u, most_rows);
  }
  p.a = matrix("A", g.input, g.trans_a ? s.k : s.m, g.trans_a ? s.m : s.k, s.lda, s.stride_a, s.batch);
  p.b = matrix("B", type_of_b(g), g.trans_b ? s.n : s.k, g.trans_b ? s.k : s.n, s.ldb, s.stride_b, s.batch);
  p.c = matrix("C", g.output, s.m, s.n, s.ldc, s.stride_c, s.batch);
  p.d = matrix("D", g.output, s.m, s.n, s.ldd, s.stride_d, s.batch);
  for (Matrix* m : {&p.a, &p.b}) m->fnuz = isa::target(arch).fnuz_fp8();
  ask(o, p);
  Matrix* const all[] = {&p.a, &p.b, &p.c};
  for (size_t i = 0; i < std::size(all); ++i) {
    if (i < arrays.size()) fill(*all[i], arrays[i], files[i]);
    else if (i == 2 && s.beta == 0) continue;  // never read
    else if (o.init == "rand" || !files.empty()) fill(*all[i], Init::rand, o.seed + i);
    else if (o.init == "int") fill(*all[i], Init::ints, o.seed + i);
    else if (o.init == "special") fill(*all[i], Init::special, o.seed + i);
    else throw InputError(fmt::format("--init: '{}' is unknown, legal: {}", o.init, legal));
  }
  uint32_t bias_ld = 0;
  uint64_t bias_stride = 0;
  p.bias = matrix("bias", g.output, s.m, 1, bias_ld, bias_stride, 1);
  if (g.epilogue.bias)
    fill(p.bias, o.init == "int" ? Init::ints : o.init == "special" ? Init::special : Init::rand, o.seed + 3);
  p.d.bytes.assign(p.d.elements() * static_cast<uint64_t>(isa::bits(p.d.type)) / 8, 0xa5);
  for (uint32_t b = 0; g.split_k > 1 && b < p.d.batch; ++b)  // the parts of K are added to D, which starts as zero
    for (uint32_t c = 0; c < p.d.cols; ++c)
      for (uint32_t r = 0; r < p.d.rows; ++r) p.d.set(p.d.at(b, r, c), 0);
  return p;
}

double activated(Activation a, double x) {
  switch (a) {
    case Activation::relu: return x > 0 || std::isnan(x) ? x : 0;
    case Activation::gelu: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case Activation::silu: return x / (1 + std::exp(-x));
    default: return x;
  }
}

// How factors count: as they are; those below `least` as zeros; or, of sums of absolute values, as at least `least`.
struct Factors {
  bool absolute = false;
  double least = 0;
  bool raised = false;
  double operator()(double x) const {
    if (raised) return x == 0 ? 0 : std::fabs(x) < least ? least : std::fabs(x);
    return seen(absolute ? std::fabs(x) : x, least);
  }
};
// alpha op(A) op(B) + beta C + bias of one batch, or of absolute values.
std::vector<double> product(const GemmData& p, const GemmConfig& g, uint32_t batch, const Factors& factor) {
  const auto part = [&](double x) { return factor.absolute ? std::fabs(x) : x; };
  const auto factors = [&](const Matrix& m) {
    auto w = m.widened(batch);
    for (double& x : w) x = factor(g.input == isa::Type::xf32 ? sim::to_xf32(static_cast<float>(x)) : x);
    return w;
  };
  const auto terms = [&](const Matrix& m) {
    auto w = m.widened(batch);
    for (double& x : w) x = part(x);
    return w;
  };
  const auto a = factors(p.a), b = factors(p.b);
  auto d = p.size.beta != 0 ? terms(p.c) : std::vector<double>(uint64_t{p.d.rows} * p.d.cols);
  const auto as_int = [](uint32_t n) { return static_cast<blasint>(n); };
  cblas_dgemm(CblasColMajor, g.trans_a ? CblasTrans : CblasNoTrans, g.trans_b ? CblasTrans : CblasNoTrans,
              as_int(p.size.m), as_int(p.size.n), as_int(p.size.k), part(p.size.alpha), a.data(), as_int(p.a.rows),
              b.data(), as_int(p.b.rows), part(p.size.beta), d.data(), as_int(p.d.rows));
  if (g.epilogue.bias)
    for (size_t i = 0; i < d.size(); ++i) d[i] += part(p.bias.get(i % p.d.rows));
  return d;
}

// D of i32, modulo 2^32. Sums of products are below 2^53, where f64 is exact.
Verdict compare_integers(const GemmData& p, const GemmConfig& g) {
  Verdict v;
  const auto word = [](double x) { return static_cast<uint64_t>(static_cast<int64_t>(x)); };
  GemmData sums = p;
  sums.size.alpha = 1, sums.size.beta = 0;
  GemmConfig plain = g;
  plain.epilogue.bias = false;
  for (uint32_t batch = 0; batch < p.size.batch; ++batch) {
    const auto ab = product(sums, plain, batch, {});
    for (uint64_t i = 0; i < ab.size(); ++i, ++v.checked) {
      const auto row = static_cast<uint32_t>(i % p.d.rows), col = static_cast<uint32_t>(i / p.d.rows);
      uint64_t want = word(p.size.alpha) * word(ab[i]);
      if (p.size.beta != 0) want += word(p.size.beta) * word(p.c.get(p.c.at(batch, row, col)));
      if (g.epilogue.bias) want += word(p.bias.get(row));
      const auto got = static_cast<int32_t>(p.d.get(p.d.at(batch, row, col)));
      if (got == static_cast<int32_t>(want)) continue;
      v.worst_share = v.worst_relative = INFINITY;
      if (v.wrong++ == 0)
        v.first_wrong =
            fmt::format("D[{},{}] of batch {} is {}, reference {}", row, col, batch, got, static_cast<int32_t>(want));
    }
  }
  return v;
}

// `least`: factors below it may count as zeros; `aligned`: in alignment they count as this much. 0: neither.
Verdict compare(const GemmData& p, const GemmConfig& g, double least, double aligned) {
  if (g.output == isa::Type::i32) return compare_integers(p, g);
  const Precision f = precision(g.output);
  Verdict v;
  const bool active = g.epilogue.activation != Activation::none;
  const double u = g.input == isa::Type::f64 ? 0x1p-52 : 0x1p-23;
  const double sums = (p.size.k + 4.0 + g.epilogue.bias + (g.split_k > 1 ? g.split_k : 0)) * u;
  v.bound = (active ? 1.13 * sums + 6 * 0x1p-23 : sums) + f.roundoff;
  for (uint32_t batch = 0; batch < p.size.batch; ++batch) {
    auto want = product(p, g, batch, {});
    const auto scale = product(p, g, batch, {.absolute = true});
    const auto counted =
        aligned > 0 ? product(p, g, batch, {.absolute = true, .least = aligned, .raised = true}) : scale;
    std::vector<double> lost(want.size());
    if (least > 0) {
      const auto seen_want = product(p, g, batch, {.least = least}),
                 seen_scale = product(p, g, batch, {.absolute = true, .least = least});
      for (size_t i = 0; i < want.size(); ++i) {
        lost[i] = scale[i] - seen_scale[i] + 3 * p.size.k * 0x1p-126 * std::fabs(p.size.alpha);
        if (!std::isfinite(lost[i])) want[i] = seen_want[i], lost[i] = 0;
      }
    }
    if (active)
      for (double& x : want) x = activated(g.epilogue.activation, x);
    for (uint64_t i = 0; i < want.size(); ++i, ++v.checked) {
      const auto row = static_cast<uint32_t>(i % p.d.rows), col = static_cast<uint32_t>(i / p.d.rows);
      const double got = p.d.get(p.d.at(batch, row, col));
      const double share =
          share_of_allowed(got, want[i], v.bound * counted[i] + (active ? 1.13 : 1) * lost[i] + f.half_smallest, f);
      if (std::isfinite(scale[i]) && scale[i] > 0 && std::isfinite(got))
        v.worst_relative = std::max(v.worst_relative, std::fabs(got - want[i]) / scale[i]);
      v.worst_share = std::max(v.worst_share, share);
      if (share > 1 && v.wrong++ == 0)
        v.first_wrong = fmt::format("D[{},{}] of batch {} is {}, reference {}", row, col, batch, got, want[i]);
    }
  }
  return v;
}

// Counts the padding elements between D's columns that the kernel changed.
uint64_t overwritten_padding(const Matrix& d) {
  const uint64_t width = static_cast<uint64_t>(isa::bits(d.type)) / 8;
  std::vector<bool> result(d.elements());
  for (uint32_t b = 0; b < d.batch; ++b)
    for (uint32_t c = 0; c < d.cols; ++c)
      std::fill_n(result.begin() + static_cast<std::ptrdiff_t>(d.at(b, 0, c)), d.rows, true);
  uint64_t count = 0;
  for (uint64_t e = 0; e < result.size(); ++e)
    if (!result[e])
      count += std::any_of(&d.bytes[e * width], &d.bytes[e * width] + width, [](uint8_t x) { return x != 0xa5; });
  return count;
}

runtime::Outcome run_on(runtime::Device& device, const BuiltGemm& built, GemmData& p) {
  const auto upload = [&](const Matrix& m) {
    if (m.bytes.empty()) return runtime::Buffer{};
    const auto b = device.allocate(m.bytes.size(), m.name);
    device.write(b, m.bytes);
    return b;
  };
  const auto a = upload(p.a), b = upload(p.b), c = upload(p.c), d = upload(p.d), bias = upload(p.bias);
  const KernelLaunch l = launch(built.config, built.program.arch, p.size,
                                {.a = a.address, .b = b.address, .c = c.address, .d = d.address, .bias = bias.address});
  auto outcome = launch(device, built, l);
  if (!outcome.fault) device.read(d, p.d.bytes);
  return outcome;
}

void save_result(const Matrix& d, const std::string& path) {
  const uint64_t width = static_cast<uint64_t>(isa::bits(d.type)) / 8;
  runtime::Array a{.type = stored_as(d.type), .shape = {d.rows, d.cols}, .fortran = true, .bytes = {}};
  for (uint32_t c = 0; c < d.cols; ++c) {
    const auto* column = &d.bytes[d.at(0, 0, c) * width];
    a.bytes.insert(a.bytes.end(), column, column + d.rows * width);
  }
  runtime::save_npy(path, a);
}

int verify_gemm(const VerifyGemm& o) {
  in_range("--batch-count", o.problem.batch, 1u, 65535u);
  const auto device = o.device.open();
  const BuiltGemm built = build(with_problem(o));
  GemmData p = make_problem(o, built.config, built.program.arch);
  o.files.write(built, launch_facts(built));
  const runtime::Outcome outcome = run_on(*device, built, p);
  if (outcome.fault) return report_fault(*outcome.fault, o.json);
  const isa::Target& target = isa::target(built.program.arch);
  Verdict v = compare(p, built.config, least_factor(target, built.config.input),
                      least_aligned(target, isa::info(instruction_of(built)).matrix, built.config.input));
  v.overwritten = overwritten_padding(p.d);
  if (!o.result.empty()) save_result(p.d, o.result);

  if (o.json) {
    auto times = seconds(built);
    times["run"] = outcome.seconds;
    ordered_json j = {
        {"good", v.good()},
        {"kernel", built.program.name},
        {"m", p.size.m},
        {"n", p.size.n},
        {"k", p.size.k},
        {"batch_count", p.size.batch},
        {"max_relative_error", v.worst_relative},
        {"bound", v.bound},
        {"share_of_allowed", std::isfinite(v.worst_share) ? ordered_json(v.worst_share) : ordered_json(nullptr)},
        {"checked", v.checked},
        {"wrong", v.wrong},
        {"overwritten", v.overwritten},
        {"fault", nullptr},
        {"seconds", times}};
    if (o.explain) j["choices"] = choices_json(built);
    print_json(j);
    return v.good() ? good : answer_is_no;
  }
  if (o.explain) fmt::print("{}\n", choices_text(built));
  Table t;
  describe(built, t);
  const double flops = 2.0 * p.size.m * p.size.n * p.size.k * p.size.batch;
  t.add(o.device.device == "sim" ? "simulate" : "run",
        fmt::format("{}, {:.3g} GFLOPS, {} x {} x {}", milliseconds(outcome.seconds), flops / outcome.seconds * 1e-9,
                    p.size.m, p.size.n, p.size.k));
  t.add("max error", fmt::format("{:.3g} relative, bound {:.3g}, against OpenBLAS dgemm ({} elements)",
                                 v.worst_relative, v.bound, v.checked));
  o.files.list(t);
  if (!o.result.empty()) t.add("result", o.result);
  t.add("verdict", v.good()  ? "right"
                   : v.wrong ? fmt::format("WRONG: {} elements, first {}", v.wrong, v.first_wrong)
                             : fmt::format("WRONG: {} elements of D's padding overwritten", v.overwritten));
  fmt::print("{}", t.text());
  return v.good() ? good : answer_is_no;
}

void declare_gemm_problem(CLI::App& app, VerifyGemm& o) {
  auto& p = o.problem;
  app.add_option("-m,--m", p.m, "rows of D");
  app.add_option("-n,--n", p.n, "columns of D");
  app.add_option("-k,--k", p.k, "columns of op(A)");
  app.add_option("--alpha", p.alpha, "default 1");
  app.add_option("--beta", p.beta, "default 0");
  for (const auto& [name, ld, stride] : {std::tuple('a', &p.lda, &p.stride_a),
                                         {'b', &p.ldb, &p.stride_b},
                                         {'c', &p.ldc, &p.stride_c},
                                         {'d', &p.ldd, &p.stride_d}}) {
    app.add_option(fmt::format("--ld{}", name), *ld, "leading dimension in elements; default: no padding");
    app.add_option(fmt::format("--stride{0},--stride_{0}", name), *stride,
                   "elements from one batch to the next; default: no gap");
  }
  app.add_option("--batch-count,--batch_count", p.batch, "default 1");
  app.add_option("--init", o.init, "rand (default), int, special, or files: A.npy,B.npy[,C.npy]");
  app.add_option("--seed", o.seed, "seed of the random matrices");
  declare_bench_names(app, o.gemm, o.init);
}

}  // namespace

LaunchOn add_gemm_launch(CLI::App& app) {
  auto o = std::make_shared<VerifyGemm>();
  o->gemm.declare(app);
  declare_gemm_problem(app, *o);
  o->force.declare(app);
  o->device.device = "time";  // what takes long on the simulator does not on the timing model
  return [o](runtime::Device& device) {
    in_range("--batch-count", o->problem.batch, 1u, 65535u);
    const BuiltGemm built = build(with_problem(*o));
    GemmData p = make_problem(*o, built.config, built.program.arch);
    run_on(device, built, p);
  };
}

Command add_verify_gemm(CLI::App& app) {
  auto o = std::make_shared<VerifyGemm>();
  o->gemm.declare(app);
  declare_gemm_problem(app, *o);
  o->device.declare(app);
  o->files.declare(app);
  o->force.declare(app);
  app.add_option("--result", o->result, "write D (.npy; the first batch)");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.add_flag("--explain", o->explain, "print what was chosen for the options left out, and why");
  app.footer(
      "Example:\n  wavesmith verify gemm --arch gfx942 --a bf16 --transa t -m 1000 -n 777 -k 515\n"
      "  wavesmith verify gemm -m 1000 -n 777 -k 515 --transA T --a_type f16_r --bias_vector --activation_type gelu\n"
      "  wavesmith verify gemm -m 100 -n 77 -k 5150 --d f32 --split-k 8");
  return [o] { return verify_gemm(*o); };
}

}  // namespace wavesmith::tools
