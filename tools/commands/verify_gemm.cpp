// wavesmith verify gemm: generate a kernel, run it, compare every element with a reference in f64.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tools/commands/verify.h"
#include "tools/options/bench_names.h"
#include "tools/options/gemm_options.h"
#include "tools/options/launch.h"
#include "tools/options/matrices.h"
#include "tools/options/needs.h"
#include "tools/print/console.h"
#include "tools/print/text.h"
#include "tools/reference/accuracy.h"
#include "tools/reference/gemm_case.h"

namespace wavesmith::tools {
namespace {

using nlohmann::ordered_json;

struct VerifyGemm : GemmQuestion {
  OutputFiles files;
  std::string result;
  bool json = false, explain = false;
};

// -m and -n are also the size of D for --cus; with -k, the size that the kernel is chosen for.
GemmOptions with_problem(GemmQuestion& o) {
  o.gemm.add_groups(o.problem);
  GemmOptions g = o.gemm;
  if (g.cus && g.problem.empty() && o.problem.m && o.problem.n)
    g.problem = fmt::format("{}x{}", uint64_t{o.problem.m} * static_cast<uint64_t>(g.epilogue.epilogue().halves()),
                            o.problem.n);
  if (o.problem.m && o.problem.n && o.problem.k) {
    GemmProblem& p = g.size.emplace(o.problem);
    const GemmRequest asked = g.request();
    const auto drop_if_small = [](uint32_t& ld, uint32_t rows) {  // refused later, by the option's name
      if (ld < rows) ld = 0;
    };
    drop_if_small(p.lda, asked.trans_a ? p.k : p.m * static_cast<uint32_t>(asked.epilogue.halves())),
        drop_if_small(p.ldb, asked.trans_b ? p.n : p.k);
    drop_if_small(p.ldc, p.m), drop_if_small(p.ldd, p.m), drop_if_small(p.ld_residual, p.m);
  }
  return g;
}

isa::Opcode instruction_of(const BuiltGemm& g) { return instruction_of(g.config, g.program.arch); }

HostMatrix matrix(const char* name, isa::Type type, uint64_t rows, uint64_t cols, uint32_t& ld, uint64_t& stride,
                  uint32_t batch) {
  const bool ld_given = ld != 0;
  if (!ld) ld = static_cast<uint32_t>(std::max<uint64_t>(rows, 1));
  if (!ld_given && type == isa::Type::i4) ld = (ld + 7) / 8 * 8;  // whole words
  if (!stride) stride = uint64_t{ld} * cols;
  if (ld < rows)
    throw InputError(fmt::format(
        "--ld{}: {}, legal: {} or more",
        name[1] ? "_" + std::string(name) : std::string(1, static_cast<char>(std::tolower(name[0]))), ld, rows));
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
  set(p.m, a.shape[g.trans_a] / static_cast<uint64_t>(g.epilogue.halves())), set(p.k, a.shape[!g.trans_a]),
      set(p.n, b.shape[!g.trans_b]);
}

constexpr uint32_t most_rows = 1u << 30;  // the kernel and OpenBLAS count in 32 bits

void ask(const GemmQuestion& o, const GemmData& p) {
  const double m = p.size.m, n = p.size.n, k = p.size.k, batches = p.size.batch;
  double bytes = 16 * (m * k + k * n + m * n);          // the reference's copies in f64, of a batch
  for (const HostMatrix* x : {&p.a, &p.b, &p.c, &p.d})  // the host's and the device's
    bytes += 2 * (static_cast<double>(x->stride) * (batches - 1) + static_cast<double>(x->ld) * x->cols) *
             isa::bits(x->type) / 8;
  const std::string what = fmt::format("a GEMM of {} x {} x {}{}", p.size.m, p.size.n, p.size.k,
                                       p.size.batch > 1 ? fmt::format(", {} of them,", p.size.batch) : "");
  const double flops = o.device.device == "sim" ? 2 * m * n * k * batches : 0;
  o.force.ask_for({bytes, simulated_seconds(flops, o.device.numerics == "fast", o.device.jobs)}, what);
  if (bytes >= 0x1p62) throw InputError(what + " needs more than 2^62 bytes");
}

// Scalars are scales that leave most results within D's range; absmax is 0 before the launch.
void make_epilogue(const GemmQuestion& o, const GemmConfig& g, GemmData& p) {
  const Init init = o.init == "int" ? Init::ints : o.init == "special" ? Init::special : Init::rand;
  const auto draw = o.device.only_times() ? fill_repeating : fill;
  uint64_t seed = o.seed + 3;
  for (const EpiloguePartInfo& part : epilogue_parts()) {
    if (!g.epilogue.has(part.part)) continue;
    HostMatrix& m = p.epilogue[part.part];
    const isa::Type type = type_of(part, g.output);
    uint32_t one_ld = 0;
    uint64_t one_stride = 0;
    if (part.shape == PartShape::matrix)
      m = matrix(part.name, type, p.size.m, p.size.n, p.size.ld_residual, p.size.stride_residual, p.d.batch);
    else
      m = matrix(part.name, type,
                 part.shape == PartShape::rows ? uint64_t{p.size.m} * static_cast<uint64_t>(g.epilogue.halves(part))
                 : part.shape == PartShape::columns ? p.size.n
                                                    : 1,
                 1, one_ld, one_stride, 1);
    m.fnuz = p.d.fnuz;
    draw(m, init, seed++);
    if (part.shape == PartShape::scalar)
      m.set(0, part.use == PartUse::largest ? 0 : 0.75 + 0.125 * static_cast<double>(seed % 4));
  }
}

// Exponents near that of 1; of special values, now and then the smallest, a large one or NaN. Padding is NaN.
std::vector<uint8_t> random_scales(const GemmQuestion& o, const GemmConfig& g, uint32_t rows, uint32_t k,
                                   uint32_t batch, uint64_t seed) {
  std::vector<uint8_t> bytes(block_scale_bytes(g.block_scales, rows, k, batch), 0xff);
  std::mt19937_64 random(seed);
  for (uint32_t b = 0; b < batch; ++b)
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t block = 0; block < k / 32; ++block) {
        const uint64_t pick = random(), rare = pick >> 8 & 255;
        const bool special = o.init == "special" && rare < 3;
        bytes[block_scale_at(g.block_scales, rows, k, b, row, block)] = static_cast<uint8_t>(!special ? 124 + pick % 7
                                                                                             : rare == 0 ? 0xff
                                                                                             : rare == 1 ? 0
                                                                                                         : 170);
      }
  return bytes;
}

// Powers of two and numbers between, near 1; of special values, now and then 0, the smallest, a large one or NaN.
std::vector<float> random_sum_scales(const GemmQuestion& o, SumScales how, uint32_t rows, uint32_t k, uint32_t batch,
                                     uint64_t seed) {
  std::vector<float> all(sum_scale_count(how, rows, k) * batch);
  std::mt19937_64 random(seed);
  for (float& x : all) {
    const uint64_t pick = random(), rare = pick >> 8 & 255;
    const float rares[] = {0, 0x1p-149f, 0x1p60f, -3, NAN};
    x = o.init == "special" && rare < std::size(rares)
            ? rares[rare]
            : std::ldexp(1 + static_cast<float>(pick >> 40 & 0xffff) * 0x1p-16f, static_cast<int>(pick % 5) - 2);
  }
  return all;
}

// Scales as those of sums, but finite, and zero points of the whole range.
void make_groups(const GemmQuestion& o, const GemmConfig& g, GemmData& p) {
  const bool is_a = g.input == isa::Type::i4;
  const uint64_t groups = group_count(g.groups, is_a ? p.a.cols : p.size.n, p.size.k) * p.size.batch;
  std::mt19937_64 random(o.seed + 6);
  uint32_t ld = 0, ld_zeros = 0;
  uint64_t stride = 0, stride_zeros = 0;
  p.group_scales = matrix("scales of groups", multiplied_a(g), groups, 1, ld, stride, 1);
  p.group_scales.bytes.resize(2 * groups);
  if (g.groups.zero_points) {
    p.zero_points = matrix("zero points", isa::Type::i8, groups, 1, ld_zeros, stride_zeros, 1);
    p.zero_points.bytes.resize(groups);
  }
  for (uint64_t i = 0; i < groups; ++i) {
    const uint64_t pick = random(), rare = pick >> 8 & 255;
    const double rares[] = {0, 0x1p-14, 1024, -3, NAN},
                 usual =
                     std::ldexp(1 + static_cast<double>(pick >> 40 & 0xffff) * 0x1p-16, static_cast<int>(pick % 5) - 5);
    p.group_scales.set(i, o.init == "special" && rare < std::size(rares) ? rares[rare] : usual);
    if (g.groups.zero_points) p.zero_points.set(i, static_cast<double>(pick >> 16 & 15));
  }
}

constexpr const char* legal_matrices = "rand, int, special, or A.npy,B.npy[,C.npy]";

// The files of --init, in its order.
struct InitFiles {
  std::vector<std::string> names;
  std::vector<runtime::Array> arrays;
};
InitFiles load_files(const GemmQuestion& o, const GemmConfig& g) {
  if (o.init.find(".npy") == o.init.npos) return {};
  if (g.block_scales != BlockScales::none || g.sum_scales_a.rows || g.sum_scales_b.rows)
    throw InputError("--init: files with block scales, legal: rand, int or special");
  for (const isa::Type type : {g.input, type_of_b(g)})
    if (type == isa::Type::i4) throw InputError("--init: files with i4, legal: rand, int or special");
  InitFiles files{split(o.init, ','), {}};
  if (files.names.size() < 2 || files.names.size() > 3)
    throw InputError(fmt::format("--init: '{}' names {} files, legal: {}", o.init, files.names.size(), legal_matrices));
  if (files.names.size() == 2 && o.problem.beta != 0)
    throw InputError(fmt::format("--init: beta is {} but C is missing, legal: A.npy,B.npy,C.npy", o.problem.beta));
  for (size_t i = 0; i < files.names.size(); ++i)
    files.arrays.push_back(load_matrix(files.names[i], i < 2 ? g.input : g.output));
  return files;
}

// The sizes and A, B, C and D without their contents. Refuses what takes too much.
GemmData describe_problem(const GemmQuestion& o, const GemmConfig& g, isa::Arch arch, const InitFiles& files) {
  GemmData p{.size = o.problem, .a = {}, .b = {}, .c = {}, .d = {}, .groups = o.gemm.groups()};
  auto& s = p.size;
  if (!files.arrays.empty()) sizes_from(s, g, files.arrays[0], files.arrays[1]);
  if (g.epilogue.gated && s.beta != 0)
    throw InputError(fmt::format("--beta: {} with a gated epilogue, which has no C, legal: 0", s.beta));
  for (const auto& [name, size, given] :
       {std::tuple("-m", s.m, o.given[0]), {"-n", s.n, o.given[1]}, {"-k", s.k, o.given[2]}}) {
    if (!size && !given) throw InputError(fmt::format("{} is missing, legal: 0 or more", name));
    in_range(name, size, 0u, most_rows);
  }
  const uint64_t a_rows = uint64_t{s.m} * static_cast<uint64_t>(g.epilogue.halves());
  const auto matrices = [&](Ragged of) { return g.ragged == of ? s.groups : s.batch; };
  p.a =
      matrix("A", g.input, g.trans_a ? s.k : a_rows, g.trans_a ? a_rows : s.k, s.lda, s.stride_a, matrices(Ragged::n));
  p.b = matrix("B", type_of_b(g), g.trans_b ? s.n : s.k, g.trans_b ? s.k : s.n, s.ldb, s.stride_b, matrices(Ragged::m));
  p.c = matrix("C", g.output, s.m, s.n, s.ldc, s.stride_c, matrices(Ragged::k));
  p.d = matrix("D", g.output, s.m, s.n, s.ldd, s.stride_d, matrices(Ragged::k));
  for (HostMatrix* m : {&p.a, &p.b, &p.c, &p.d}) m->fnuz = isa::target(arch).fnuz_fp8();
  ask(o, p);
  return p;
}

GemmData make_problem(const GemmQuestion& o, const GemmConfig& g, isa::Arch arch) {
  const InitFiles files = load_files(o, g);
  GemmData p = describe_problem(o, g, arch, files);
  auto& s = p.size;
  const uint32_t rows = s.m * static_cast<uint32_t>(g.epilogue.halves());  // of A
  HostMatrix* const all[] = {&p.a, &p.b, &p.c};
  const auto draw = o.device.only_times() ? fill_repeating : fill;
  for (size_t i = 0; i < std::size(all); ++i) {
    if (i < files.arrays.size()) fill_from(*all[i], files.arrays[i], files.names[i]);
    else if (i == 2 && s.beta == 0) continue;  // never read
    else if (o.init == "rand" || !files.names.empty()) draw(*all[i], Init::rand, o.seed + i);
    else if (o.init == "int") draw(*all[i], Init::ints, o.seed + i);
    else if (o.init == "special") draw(*all[i], Init::special, o.seed + i);
    else throw InputError(fmt::format("--init: '{}' is unknown, legal: {}", o.init, legal_matrices));
  }
  make_epilogue(o, g, p);
  if (g.epilogue.quantisation != Quantisation::none) {
    const QuantisationInfo& q = about(g.epilogue.quantisation);
    uint32_t ld = 0;
    uint64_t stride = 0;
    p.scales = matrix("scales", q.e8m0 ? isa::Type::i8 : isa::Type::f32, scales_of(g.epilogue, s.m), s.n, ld, stride,
                      p.d.batch);
    p.scales.bytes.assign(p.scales.elements() * static_cast<uint64_t>(q.bytes()), 0xff);
  }
  if (g.block_scales != BlockScales::none) {
    p.scales_a = random_scales(o, g, rows, s.k, p.a.batch, o.seed + 4);
    p.scales_b = random_scales(o, g, s.n, s.k, p.b.batch, o.seed + 5);
  }
  if (has_weights(g)) make_groups(o, g, p);
  p.sum_scales_a = random_sum_scales(o, g.sum_scales_a, rows, s.k, p.a.batch, o.seed + 4);
  p.sum_scales_b = random_sum_scales(o, g.sum_scales_b, s.n, s.k, p.b.batch, o.seed + 5);
  p.d.bytes.assign(p.d.elements() * static_cast<uint64_t>(isa::bits(p.d.type)) / 8, 0xa5);
  for (uint32_t b = 0; adds_to_d(g) && b < p.d.batch; ++b)  // the parts of K are added to D, which starts as zero
    for (uint32_t c = 0; c < p.d.cols; ++c)
      for (uint32_t r = 0; r < p.d.rows; ++r) p.d.set(p.d.at(b, r, c), 0);
  return p;
}

// Counts the padding elements between D's columns that the kernel changed.
uint64_t overwritten_padding(const HostMatrix& d) {
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

// The bytes of A or B in tiles: of 16 columns of the matrix, 16 bytes each.
std::vector<uint8_t> in_tiles(const HostMatrix& m) {
  const uint64_t ld = uint64_t{m.ld} * static_cast<uint64_t>(isa::bits(m.type)) / 8,
                 stride = m.stride * static_cast<uint64_t>(isa::bits(m.type)) / 8;
  std::vector<uint8_t> out(stride * (m.batch - 1) + ld * m.cols, 0xff);
  for (uint32_t b = 0; b < m.batch; ++b)
    for (uint64_t c = 0; c < m.cols; ++c)
      for (uint64_t i = 0; i < ld && b * stride + c * ld + i < m.bytes.size(); ++i) {
        const uint64_t tile = c / tile_rows * tile_rows * ld;
        const uint64_t to = tile + i / 16 * 256 + c % tile_rows * 16 + i % 16;
        if (b * stride + to < out.size()) out[b * stride + to] = m.bytes[b * stride + c * ld + i];
      }
  return out;
}

}  // namespace

GemmBuffers upload(runtime::Device& device, const BuiltGemm& built, const GemmData& p) {
  GemmBuffers made;
  const auto upload_bytes = [&](const std::vector<uint8_t>& bytes, const char* name) {
    if (bytes.empty()) return runtime::Buffer{};
    made.all.push_back(device.allocate(bytes.size(), name));
    device.write(made.all.back(), bytes);
    return made.all.back();
  };
  const auto upload = [&](const HostMatrix& m) { return upload_bytes(m.bytes, m.name); };
  const auto upload_factor = [&](const HostMatrix& m, MatrixOrder order) {
    return order == MatrixOrder::tiles ? upload_bytes(in_tiles(m), m.name) : upload(m);
  };
  const auto a = upload_factor(p.a, built.config.order_a), b = upload_factor(p.b, built.config.order_b),
             c = upload(p.c);
  made.d = upload(p.d);
  GemmPointers& at = made.at = {.a = a.address, .b = b.address, .c = c.address, .d = made.d.address};
  at.block_scales_a = upload_bytes(p.scales_a, "scales of A").address;
  at.block_scales_b = upload_bytes(p.scales_b, "scales of B").address;
  const auto upload_scales = [&](const std::vector<float>& scales, uint64_t& address, const char* name) {
    const auto* first = reinterpret_cast<const uint8_t*>(scales.data());
    if (!scales.empty()) address = upload_bytes({first, first + 4 * scales.size()}, name).address;
  };
  upload_scales(p.sum_scales_a, at.block_scales_a, "scales of A");
  upload_scales(p.sum_scales_b, at.block_scales_b, "scales of B");
  at.group_scales = upload(p.group_scales).address;
  at.zero_points = upload(p.zero_points).address;
  for (const EpiloguePartInfo& part : epilogue_parts()) {
    const auto buffer = upload(p.epilogue[part.part]);
    at.epilogue[part.part] = buffer.address;
    if (part.use == PartUse::largest) made.absmax = buffer;
  }
  const auto factor = [&](const char* name, double value) {
    uint32_t ld = 0;
    uint64_t stride = 0;
    HostMatrix m = matrix(name, scaled_as(built.config), 1, 1, ld, stride, 1);
    m.bytes.resize(static_cast<size_t>(isa::bits(m.type)) / 8);
    m.set(0, value);
    return upload(m).address;
  };
  if (built.config.epilogue.alpha_on_device) at.alpha = factor("alpha", p.size.alpha);
  if (built.config.epilogue.beta_on_device) at.beta = factor("beta", p.size.beta);
  made.scales = upload(p.scales);
  at.scales = made.scales.address;
  if (built.config.ragged != Ragged::none) {
    const size_t width = built.config.offsets == Offsets::i64 ? 8 : 4;
    std::vector<uint8_t> offsets(width * (p.groups.size() + 1));
    uint64_t end = 0;
    for (size_t i = 0; i <= p.groups.size(); ++i) {
      std::memcpy(&offsets[width * i], &end, width);
      if (i < p.groups.size()) end += p.groups[i];
    }
    at.offsets = upload_bytes(offsets, "offsets").address;
  }
  const std::vector<uint8_t> workspace(workspace_bytes(built.config, p.size));
  at.workspace = upload_bytes(workspace, "workspace").address;
  made.launch = launch(built.config, built.program.arch, p.size, at);
  return made;
}

void download(const runtime::Device& device, const GemmBuffers& from, GemmData& p) {
  device.read(from.d, p.d.bytes);
  if (!p.scales.bytes.empty()) device.read(from.scales, p.scales.bytes);
  if (auto& largest = p.epilogue[EpiloguePart::absmax]; !largest.bytes.empty()) device.read(from.absmax, largest.bytes);
}

namespace {

runtime::Outcome run_on(runtime::Device& device, const BuiltGemm& built, GemmData& p) {
  const GemmBuffers buffers = upload(device, built, p);
  auto outcome = launch(device, built, buffers.launch);
  if (!outcome.fault) download(device, buffers, p);
  return outcome;
}

void save_result(const HostMatrix& d, const std::string& path) {
  const uint64_t width = static_cast<uint64_t>(isa::bits(d.type)) / 8;
  runtime::Array a{.type = stored_as(d.type), .shape = {d.rows, d.cols}, .fortran = true, .bytes = {}};
  for (uint32_t c = 0; c < d.cols; ++c) {
    const auto* column = &d.bytes[d.at(0, 0, c) * width];
    a.bytes.insert(a.bytes.end(), column, column + d.rows * width);
  }
  runtime::save_npy(path, a);
}

// Where small factors are flushed, those whose parts can be small are too.
double least_of(const isa::Target& target, const GemmConfig& g, const isa::Info& row) {
  const double least = row.is_matrix() ? least_factor(target, multiplied_a(g)) : 0;
  return g.split_f32 && least > 0 ? 0x1p-102 : least;
}

}  // namespace

GemmCase make_case(GemmQuestion o) {
  in_range("--batch-count", o.problem.batch, 1u, 65535u);
  const GemmOptions options = with_problem(o);
  if (o.init.find(".npy") == o.init.npos) {  // before a kernel is chosen for it
    const isa::Arch arch = options.target();
    describe_problem(o, choose_gemm(options.request(), arch).config, arch, {});
  }
  GemmCase c{build(options), {}};
  c.data = make_problem(o, c.built.config, c.built.program.arch);
  return c;
}

GemmVerdict verdict(const GemmCase& c) {
  const isa::Target& target = isa::target(c.built.program.arch);
  const isa::Info& row = isa::info(instruction_of(c.built));
  GemmVerdict v =
      compare(c.data, c.built.config,
              {.least = least_of(target, c.built.config, row),
               .aligned = row.is_matrix() ? least_aligned(target, row.matrix, multiplied_a(c.built.config)) : 0});
  v.overwritten = overwritten_padding(c.data.d);
  return v;
}

namespace {

int verify_gemm(const VerifyGemm& o) {
  o.files.check(true);
  const auto device = o.device.open();
  GemmCase asked = make_case(o);
  const BuiltGemm& built = asked.built;
  GemmData& p = asked.data;
  o.files.write(built, launch_facts(built));
  const runtime::Outcome outcome = run_on(*device, built, p);
  if (outcome.fault) return report_fault(*outcome.fault, o.json);
  const GemmVerdict v = verdict(asked);
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
    if (o.explain) explain(built, j);
    print_json(j);
    return v.good() ? good : answer_is_no;
  }
  if (o.explain) fmt::print(out(), "{}\n", choices_text(built));
  Table t;
  describe(built, t);
  const double flops = 2.0 * built.config.epilogue.halves() * p.size.m * p.size.n * p.size.k * p.size.batch;
  t.add(o.device.device == "sim" ? "simulate" : "run",
        fmt::format("{}, {:.3g} GFLOPS, {} x {} x {}", milliseconds(outcome.seconds),
                    flops > 0 ? flops / outcome.seconds * 1e-9 : 0, p.size.m, p.size.n, p.size.k));
  t.add("max error", fmt::format("{:.3g} relative, bound {:.3g}, against OpenBLAS dgemm ({} elements)",
                                 v.worst_relative, v.bound, v.checked));
  o.files.list(t);
  if (!o.result.empty()) t.add("result", o.result);
  t.add("verdict", v.good()  ? "right"
                   : v.wrong ? fmt::format("WRONG: {} elements, first {}", v.wrong, v.first_wrong)
                             : fmt::format("WRONG: {} elements of D's padding overwritten", v.overwritten));
  fmt::print(out(), "{}", t.text());
  return v.good() ? good : answer_is_no;
}

}  // namespace

void declare_gemm_question(CLI::App& app, GemmQuestion& o) {
  auto& p = o.problem;
  o.gemm.declare(app);
  o.force.declare(app);
  const std::tuple<const char*, uint32_t*, const char*> extents[] = {
      {"-m,--m", &p.m, "rows of D"}, {"-n,--n", &p.n, "columns of D"}, {"-k,--k", &p.k, "columns of op(A)"}};
  for (size_t i = 0; i < std::size(extents); ++i) {
    const auto& [name, extent, what] = extents[i];
    app.add_option(name, *extent, what)->each([given = &o.given[i]](const std::string&) { *given = true; });
  }
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
  app.add_option("--ld_residual", p.ld_residual, "as --ldd, for --epilogue residual");
  app.add_option("--stride_residual", p.stride_residual, "as --stride_d, for --epilogue residual");
  app.add_option("--batch-count,--batch_count", p.batch, "default 1");
  app.add_option("--init", o.init, "rand (default), int, special, or files: A.npy,B.npy[,C.npy]");
  app.add_option("--seed", o.seed, "seed of the random matrices");
  declare_bench_names(app, o.gemm, o.init);
}

LaunchOn add_gemm_launch(CLI::App& app) {
  auto o = std::make_shared<GemmQuestion>();
  declare_gemm_question(app, *o);
  o->device.device = "time";  // what takes long on the simulator does not on the timing model
  return [o](runtime::Device& device, const LaunchFor& wanted) {
    o->gemm.gpu = wanted.gpu, o->gemm.cold = wanted.cold;
    GemmCase c = make_case(*o);
    run_on(device, c.built, c.data);
  };
}

Command add_verify_gemm(CLI::App& app) {
  auto o = std::make_shared<VerifyGemm>();
  declare_gemm_question(app, *o);
  o->device.declare(app);
  o->files.declare(app);
  app.add_option("--gpu", o->gemm.gpu, "GPU for which the kernel is chosen; default: the first of the target");
  app.add_option("--result", o->result, "write D (.npy; the first batch)");
  app.add_flag("--json", o->json, "one JSON document on standard output");
  app.add_flag("--explain", o->explain, "print the choices for options that are not given, and their reasons");
  app.footer(
      "Example:\n  wavesmith verify gemm --arch gfx942 --a bf16 --transa t -m 1000 -n 777 -k 515\n"
      "  wavesmith verify gemm -m 1000 -n 777 -k 515 --transA T --a_type f16_r --bias_vector --activation_type gelu\n"
      "  wavesmith verify gemm -m 100 -n 77 -k 5150 --d f32 --split-k 8");
  return [o] { return verify_gemm(*o); };
}

}  // namespace wavesmith::tools
