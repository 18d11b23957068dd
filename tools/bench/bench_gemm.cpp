#include "tools/bench/bench_gemm.h"

#include <fmt/format.h>

#include <cmath>

#include "isa_tables/names.h"
#include "runtime/blas_peer.h"
#include "runtime/hip_abi.h"
// after it
#include "runtime/blas_abi.h"
#include "tools/options/matrices.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

std::string benchmark_type(isa::Type t, bool mx) {
  const bool named_alike = t == isa::Type::f64 || t == isa::Type::f32 || t == isa::Type::f16 || t == isa::Type::bf16 ||
                           t == isa::Type::i8 || t == isa::Type::i32;
  return mx ? fmt::format("mx{}", isa::type_name(t)) : fmt::format("{}{}", isa::type_name(t), named_alike ? "_r" : "");
}

Columns problem_columns(const GemmCase& c) {
  const GemmConfig& g = c.built.config;
  const GemmData& p = c.data;
  const bool mx = g.block_scales != BlockScales::none;
  const auto number = [](auto x) { return fmt::format("{}", x); };
  Columns columns{{"transA", g.trans_a ? "T" : "N"},
                  {"transB", g.trans_b ? "T" : "N"},
                  {"M", number(p.size.m)},
                  {"N", number(p.size.n)},
                  {"K", number(p.size.k)},
                  {"alpha", number(p.size.alpha)},
                  {"lda", number(p.a.ld)},
                  {"stride_a", number(p.a.stride)},
                  {"beta", number(p.size.beta)},
                  {"ldb", number(p.b.ld)},
                  {"stride_b", number(p.b.stride)},
                  {"ldc", number(p.c.ld)},
                  {"stride_c", number(p.c.stride)},
                  {"ldd", number(p.d.ld)},
                  {"stride_d", number(p.d.stride)},
                  {"batch_count", number(p.size.batch)},
                  {"a_type", benchmark_type(g.input, mx)},
                  {"b_type", benchmark_type(type_of_b(g), mx)},
                  {"c_type", benchmark_type(g.output, false)},
                  {"d_type", benchmark_type(g.output, false)},
                  {"compute_type", benchmark_type(accumulated(g), false)}};
  if (g.ragged != Ragged::none) {
    columns.emplace_back("grouped", name_of(g.ragged));
    columns.emplace_back("groups", fmt::format("{}", fmt::join(p.groups, ",")));
    if (g.offsets != Offsets{}) columns.emplace_back("offsets", name_of(g.offsets));
  }
  if (has_weights(g)) {
    columns.emplace_back("group-size", number(g.groups.size));
    if (g.groups.zero_points) columns.emplace_back("zero-points", "true");
    if (g.groups.transposed) columns.emplace_back("scale-layout", "transposed");
  }
  if (g.split_f32) columns.emplace_back("f32-as", "bf16x3");
  for (const auto& [name, order] : {std::pair("shuffle-a", g.order_a), {"shuffle-b", g.order_b}})
    if (order == MatrixOrder::tiles) columns.emplace_back(name, "true");
  if (by_32_rows(g.block_scales)) columns.emplace_back("scale-layout", name_of(g.block_scales));
  if (g.sum_scales_a != SumScales{}) columns.emplace_back("scale-a", name_of(g.sum_scales_a));
  if (g.sum_scales_b != SumScales{}) columns.emplace_back("scale-b", name_of(g.sum_scales_b));
  if (!g.epilogue.words().empty())
    columns.emplace_back("epilogue", fmt::format("{}", fmt::join(g.epilogue.words(), ",")));
  return columns;
}

Columns config_columns(const BuiltGemm& b) {
  const GemmConfig& g = b.config;
  const isa::Arch arch = b.program.arch;
  return {{"arch", isa::target(arch).name},
          {"tile", fmt::format("{}x{}x{}", g.block.m, g.block.n, g.block.k)},
          {"waves", fmt::format("{}x{}", g.waves_m, g.waves_n)},
          {"mma", isa::mnemonic(instruction_of(g, arch), arch)},
          {"stages", fmt::format("{}", g.stages)},
          {"schedule", name_of(g.schedule)},
          {"split_k", fmt::format("{}", g.split_k)},
          {"order", name_of(g.order)}};
}

// As a BLAS library takes it. LaunchError: the kernel does more than a library's GEMM.
blas_gemm library_gemm(const GemmCase& c) {
  const GemmConfig& g = c.built.config;
  if (!is_plain(g)) throw InputError("--against: with an epilogue, scales or xf32, legal: a plain GEMM");
  const auto matrix = [](const HostMatrix& m) {
    return blas_matrix{.type = library_type(m), .ld = m.ld, .stride = static_cast<int64_t>(m.stride)};
  };
  const GemmData& p = c.data;
  return {.trans_a = g.trans_a,
          .trans_b = g.trans_b,
          .m = p.size.m,
          .n = p.size.n,
          .k = p.size.k,
          .batch = p.size.batch,
          .alpha = p.size.alpha,
          .beta = p.size.beta,
          .a = matrix(p.a),
          .b = matrix(p.b),
          .c = matrix(p.c),
          .d = matrix(p.d)};
}

Quantities quantities(const GemmData& p) {
  const GemmProblem& s = p.size;
  const auto number = [](auto x) { return static_cast<double>(x); };
  return {{"m", number(s.m)},
          {"n", number(s.n)},
          {"k", number(s.k)},
          {"batch", number(s.batch)},
          {"lda", number(p.a.ld)},
          {"ldb", number(p.b.ld)},
          {"ldc", number(p.c.ld)},
          {"ldd", number(p.d.ld)},
          {"stride_a", number(p.a.stride)},
          {"stride_b", number(p.b.stride)},
          {"stride_c", number(p.c.stride)},
          {"stride_d", number(p.d.stride)},
          {"alpha", s.alpha},
          {"beta", s.beta}};
}

// ||D - ours|| / ||ours||, as rocblas-bench's norm_error.
double norm_error(const HostMatrix& d, const HostMatrix& ours) {
  double difference = 0, size = 0;
  for (uint32_t b = 0; b < d.batch; ++b)
    for (uint32_t c = 0; c < d.cols; ++c)
      for (uint32_t r = 0; r < d.rows; ++r) {
        const double x = d.get(d.at(b, r, c)), y = ours.get(ours.at(b, r, c));
        if (std::isfinite(y)) size += y * y;
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        difference += (x - y) * (x - y);
      }
  return difference == 0 ? 0 : size > 0 && std::isfinite(difference) ? std::sqrt(difference / size) : INFINITY;
}
// What two right results may differ by: each is rounded to D's type once and to the accumulator's for each k.
double most_norm_error(const GemmCase& c) {
  const GemmConfig& g = c.built.config;
  const double u = g.input == isa::Type::f64 ? 0x1p-52 : 0x1p-23;
  const int mantissa = g.output == isa::Type::f64    ? 52
                       : g.output == isa::Type::f32  ? 23
                       : g.output == isa::Type::f16  ? 10
                       : g.output == isa::Type::bf16 ? 7
                       : g.output == isa::Type::fp8  ? 3
                       : g.output == isa::Type::bf8  ? 2
                                                     : 30;
  return std::ldexp(1, -mantissa) + (c.data.size.k + 4.0) * u;
}

}  // namespace

bool is_plain(const GemmConfig& g) {
  return g.epilogue.words().empty() && g.ragged == Ragged::none && g.block_scales == BlockScales::none &&
         g.sum_scales_a == SumScales{} && g.sum_scales_b == SumScales{} && g.input != isa::Type::xf32 &&
         !has_weights(g);
}

const char* library_type(const HostMatrix& m) {
  const bool fnuz = m.fnuz && (m.type == isa::Type::fp8 || m.type == isa::Type::bf8);
  return !fnuz ? isa::type_name(m.type) : m.type == isa::Type::fp8 ? "fp8_fnuz" : "bf8_fnuz";
}

BenchRow GemmBench::row(const Case& c) {
  const auto bytes = [](const HostMatrix& m) {
    return static_cast<double>(m.rows) * m.cols * m.batch * isa::bits(m.type) / 8;
  };
  const GemmData& p = c.data;
  return {.problem = problem_columns(c),
          .config = config_columns(c.built),
          .flops = 2.0 * c.built.config.epilogue.halves() * p.size.m * p.size.n * p.size.k * p.size.batch,
          .bytes = bytes(p.a) + bytes(p.b) + bytes(p.d) + (p.size.beta != 0 ? bytes(p.c) : 0),
          .measured = {}};
}

std::vector<Implementation> GemmBench::implementations(const Libraries& libraries, const std::vector<PeerFile>& files) {
  std::vector<Implementation> all{ours(case_.built)};
  for (const auto& [name, peer] : libraries)
    all.push_back({name, "", [this, enqueue = peer->prepare(library_gemm(case_))](uint64_t i) {
                     const GemmPointers& at = copy(i).at;
                     const auto pointer = [](uint64_t address) { return reinterpret_cast<void*>(address); };
                     const uint64_t c = at.c ? at.c : at.d;  // not read where beta is 0
                     enqueue({.a = pointer(at.a), .b = pointer(at.b), .c = pointer(c), .d = pointer(at.d)});
                   }});
  for (const PeerFile& f : files)
    all.push_back({f.name, f.kernel, [this, &f, enqueue = device_.prepare(f.code, f.kernel)](uint64_t i) {
                     const GemmPointers& at = copy(i).at;
                     enqueue(f.launch(quantities(case_.data), {{"A", at.a}, {"B", at.b}, {"C", at.c}, {"D", at.d}}));
                   }});
  return all;
}

GemmCase GemmBench::result_of(const Implementation& i) {
  GemmCase c = case_;
  device_.write(copies_[0].d, c.data.d.bytes);  // padding, and zeros for parts of K
  device_.seconds([&] { i.enqueue(0); });
  download(device_, copies_[0], c.data);
  return c;
}

std::string GemmBench::check(const std::vector<Implementation>& all, bool verify, std::vector<Measured>& measured) {
  const GemmCase ours = result_of(all[0]);
  std::string wrong;
  if (verify) {
    const GemmVerdict v = verdict(ours);
    measured[0].error = v.worst_relative;
    if (!v.good())
      wrong = fmt::format("{}: wrong: {} elements, {} of D's padding; first {}", all[0].kernel, v.wrong, v.overwritten,
                          v.first_wrong);
  }
  for (size_t i = 1; i < all.size(); ++i) {
    const double error = norm_error(result_of(all[i]).data.d, ours.data.d), most = most_norm_error(ours);
    measured[i].error = error;
    if (!(error <= most) && wrong.empty())
      wrong = fmt::format("{} and {} differ by {:.3g} of the norm, two right results by {:.3g} at most", all[i].by,
                          all[0].by, error, most);
  }
  return wrong;
}

int bench_gemm(const BenchOptions& o, const GemmQuestion& q) { return bench_operation<GemmBench>(o, q); }

}  // namespace wavesmith::tools
