// Options to a GemmConfig, and the properties of the built kernel.
#include "tools/options/gemm_options.h"
#include "isa_tables/names.h"

#include <fmt/format.h>

#include "tools/options/matrices.h"
#include "tools/options/needs.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

using isa::Type;
constexpr Type of_a_and_b[] = {Type::f64, Type::f32, Type::xf32, Type::f16, Type::bf16,
                               Type::fp8, Type::bf8, Type::i8,   Type::i4};
constexpr Type of_c_and_d[] = {Type::f64, Type::f32, Type::f16, Type::bf16, Type::fp8, Type::bf8, Type::i32, Type::i8};

constexpr Type of_mx[] = {Type::fp8, Type::bf8, Type::fp6, Type::bf6, Type::fp4};
bool names_mx(const std::string& text) { return text.starts_with("mx"); }

Type type_of(const std::string& text, const char* option, std::span<const Type> legal) {
  std::string word = without_suffix(text), names;
  if (legal.size() == std::size(of_a_and_b) && names_mx(text)) {
    for (const Type t : of_mx)
      if (word == fmt::format("mx{}", isa::type_name(t))) return t;
  }
  for (const char* flavour : {"_fnuz"})  // hipBLASLt's names; a target has one of the two kinds
    if (word.ends_with(flavour)) word.resize(word.size() - std::string_view(flavour).size());
  if (word == "f8") word = "fp8";
  for (const Type t : legal) {
    if (isa::type_name(t) == word) return t;
    names += fmt::format(" {}", isa::type_name(t));
  }
  if (legal.size() == std::size(of_a_and_b))
    for (const Type t : of_mx) names += fmt::format(" mx{}", isa::type_name(t));
  throw InputError(fmt::format("{}: type '{}' is not available, legal:{}", option, text, names));
}
Type default_output(Type input) {
  switch (input) {
    case Type::xf32: return Type::f32;
    case Type::fp8:
    case Type::bf8:
    case Type::fp6:
    case Type::bf6:
    case Type::fp4: return Type::bf16;
    case Type::i8:
    case Type::i4: return Type::i32;
    default: return input;
  }
}

bool transposed(const std::string& text, const char* option) {
  if (text == "n" || text == "N") return false;
  if (text == "t" || text == "T") return true;
  throw InputError(fmt::format("{}: '{}' is unknown, legal: n t", option, text));
}

int positive(const std::string& text, const char* option, const std::string& whole, const char* form) {
  try {
    const uint64_t n = parse_number(text, option);
    if (n >= 1 && n <= 4096) return static_cast<int>(n);
  } catch (const InputError&) {}
  throw InputError(fmt::format("{}: '{}' is not understood, legal: {}", option, whole, form));
}

}  // namespace

void GemmOptions::declare(CLI::App& app) {
  app.add_option("--arch", arch, "target; default: gfx942, or where there is --gpu, that GPU's");
  app.add_option(
      "--a,--a_type", a,
      "type of A: f64, f32, xf32 (f32 in memory), f16 (default), bf16, fp8, bf8, i8 or i4; with scales of 32 k: "
      "mxfp8, mxbf8, mxfp6, mxbf6, mxfp4");
  app.add_option("--b,--b_type", b,
                 "type of B; default: as A. Pairs of different types: fp8 and bf8, two MX types, i4 and f16 or bf16");
  app.add_option(
      "--scale-layout", scale_layout,
      "layout of scales. MX types: plain (default, by rows), shuffled (gfx950: by blocks of 32 rows and 256 k) "
      "or tiles (gfx1250: by tiles of 32 rows and 128 k). i4 with f16 or bf16: plain or transposed (rows contiguous)");
  app.add_option("--group-size,--group_size", group_size,
                 "i4 with f16 or bf16: number of consecutive k that share a scale: 32, 64 or 128 (default)");
  for (const auto& [name, operand, to] : {std::tuple("--shuffle-a", "A", &shuffle_a), {"--shuffle-b", "B", &shuffle_b}})
    app.add_flag(
        name, *to,
        fmt::format("{} is stored in tiles of 16 rows by 16 bytes along k, as by aiter's shuffle_weight", operand));
  app.add_option("--f32-as", f32_as, "f32 (default) or bf16x3: each f32 as a sum of three bf16, by six products");
  app.add_flag("--zero-points", zero_points,
               "i4 with f16 or bf16: elements are 0 to 15, with a zero point for each group");
  for (const auto& [name, to] : {std::pair("--scale-a", &scale_a), {"--scale-b", &scale_b}})
    app.add_option(name, *to,
                   fmt::format("scales of fp8 and bf8 in f32: 1x128 (a row of op(A) or column of op(B), and 128 k) or "
                               "128x128, row-major; 1x128-t, 128x128-t: transposed; block: {}",
                               to == &scale_a ? "1x128" : "128x128"));
  app.add_option("--c,--c_type", c, "type of C; default: as D");
  app.add_option("--d,--d_type", d,
                 "type of D: f16, bf16, f32, fp8, bf8; f64 of f64; i32 and i8 of i8; default: as A, f32 of xf32, bf16 "
                 "of fp8 and bf8, i32 of i8");
  app.add_option("--transa,--transA,--transposeA", transa, "op(A): n (default) or t");
  app.add_option("--transb,--transB,--transposeB", transb, "op(B): n (default) or t");
  app.add_option("--tile", tile, "per workgroup, MxNxK; default: the largest that fits, mostly 256x256x64");
  app.add_option("--cus", cus,
                 "compute units: choose the largest tile that keeps as many of them busy as the best one, within 5 %")
      ->check(CLI::Range(1, 100000));
  app.add_option("--problem", problem, "size of D for --cus, MxN");
  app.add_option("--waves", waves,
                 "division of the tile among waves, MxN; default: parts as square as possible, mostly 2x2");
  app.add_option("--mma", mma,
                 "matrix instruction, for example v_mfma_f32_16x16x16_f16; default: the most products per clock");
  app.add_option("--stages", stages, "LDS buffers of A and of B: 2 (default) to 4, as many as LDS holds");
  app.add_option(
      "--schedule", schedule,
      "staged (default): LDS reads, stores and loads one after another between the matrix instructions; "
      "interleaved: reads and stores alternate (32x32 instructions); direct: loads write to LDS without "
      "registers; refill: direct, and each LDS buffer is reloaded as soon as its k-slice is in registers; stream: "
      "fragments are loaded from memory to registers, for few rows or columns (transa t, transb n); tensor "
      "(gfx1250): the tensor data mover loads k-slices into LDS");
  app.add_option(
         "--prefetch", prefetch,
         "schedule tensor: iterations by which lines are requested into the L2 before the data mover loads them; "
         "0: they are not; default: 1")
      ->check(CLI::Range(0, most_prefetch));
  app.add_option("--cluster", cluster,
                 "schedule tensor: workgroups of a cluster, MxN as in 2x4 (at most 16): those with the same rows or "
                 "columns get them by one read of the L2");
  epilogue.declare(app);
  app.add_flag("--batch", batch, "strided batches; every kernel supports it");
  app.add_option(
      "--split-k,--splitk", split_k,
      "workgroups that share a tile of D, each with a part of K: 1 to 64; default: 1, or chosen for the size");
  app.add_option(
         "--stream-k", stream_k,
         "number of workgroups that run at a time, for example 304: only the tiles of the last, partial round are "
         "split, by --split-k")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--persistent", persistent,
                 "number of workgroups that take the tiles in turn, for example 256; 0: each tile has its own; "
                 "default: chosen for the size")
      ->check(CLI::Range(0, 1 << 20));
  app.add_option("--reduction", reduction,
                 "how --split-k combines sums. atomic: workgroups add to D, which has the type of the sums and is zero "
                 "before the launch; ordered: through a workspace, any D and epilogue, the same bits every time; "
                 "default: atomic where it is legal");
  app.add_option("--grouped", grouped, "groups of m (rows of D), n (columns of D) or k, with sizes in device memory");
  app.add_option("--groups", group_sizes,
                 "sizes of the groups, for example 100,0,33 or 8x128 (eight of 128); their sum is -m, -n or -k");
  app.add_option("--offsets", offsets, "type of the groups' offsets: i32 (default), i64");
  app.add_option("--work-order", order,
                 "order in which workgroups take tiles: columns (default); bandsN: bands of N tiles along m; xcdsN, "
                 "xcdsN_bandsN: each of N XCDs has a contiguous part");
  app.add_option("--kernel", kernel, "name of the kernel; default: from the configuration");
  app.add_flag("--no-check", no_check, "do not check the kernel");
  app.add_flag("--no-cache", no_cache, "choose without the cache of earlier choices (also: WAVESMITH_CACHE=off)");
}

namespace {

isa::Opcode instruction_of(const std::string& text, const GemmRequest& asked, isa::Arch arch) {
  const GemmConfig g{.input = asked.input,
                     .output = asked.output,
                     .trans_a = asked.trans_a,
                     .trans_b = asked.trans_b,
                     .input_b = asked.input_b,
                     .block_scales = asked.block_scales,
                     .sum_scales_a = asked.sum_scales_a,
                     .sum_scales_b = asked.sum_scales_b,
                     .split_f32 = asked.split_f32};
  const auto legal = matrix_instructions(g, arch);
  if (legal.empty()) check(g, arch);  // throws, naming the legal targets
  const auto op = isa::find_opcode(text, arch);
  if (op && std::ranges::find(legal, *op) != legal.end()) return *op;
  std::string names;
  for (const isa::Opcode o : legal) names += fmt::format(" {}", isa::mnemonic(o, arch));
  throw InputError(fmt::format("--mma: '{}' is {}, legal on {} with {}:{}", text, op ? "not usable here" : "unknown",
                               isa::target(arch).name, isa::type_name(g.input), names));
}

}  // namespace

std::pair<int64_t, int64_t> parse_problem(const std::string& text) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2)
    throw InputError(fmt::format("--problem: '{}' is not a size, legal: MxN as in 4096x4096", text));
  const auto side = [](const std::string& part) {
    return static_cast<int64_t>(in_range("--problem", parse_number(part, "--problem"), uint64_t{1}, uint64_t{1} << 31));
  };
  return {side(parts[0]), side(parts[1])};
}

std::vector<uint32_t> GemmOptions::groups() const {
  std::vector<uint32_t> all;
  if (grouped.empty() && !group_sizes.empty())
    throw InputError("--groups: without --grouped, legal: --grouped m, n or k");
  if (group_sizes.empty()) return all;
  constexpr size_t most = 1 << 20;
  for (const std::string& item : split(group_sizes, ',')) {
    const auto parts = split(item, 'x');
    const auto number = [&](const std::string& text, uint64_t least, uint64_t largest) {
      return in_range("--groups", parse_number(text, "--groups (as 100,0,33 or 8x128)"), least, largest);
    };
    if (parts.empty() || parts.size() > 2)
      throw InputError(fmt::format("--groups: '{}' is not understood, legal: 100,0,33 or 8x128", item));
    const auto count = parts.size() == 2 ? number(parts[0], 1, most) : 1;
    all.insert(all.end(), static_cast<size_t>(count), static_cast<uint32_t>(number(parts.back(), 0, 1u << 30)));
    if (all.size() > most) throw InputError(fmt::format("--groups: more than {}, legal: {} or fewer", most, most));
  }
  return all;
}
void GemmOptions::add_groups(GemmProblem& p) const {
  const auto sizes = groups();
  if (grouped.empty()) return;
  const Ragged ragged = request().ragged;
  const char* name = name_of(ragged);
  if (sizes.empty()) throw InputError(fmt::format("--grouped: {} without sizes, legal: --groups 100,0,33", grouped));
  uint64_t sum = 0;
  for (const uint32_t size : sizes) sum += size;
  uint32_t& extent = ragged == Ragged::m ? p.m : ragged == Ragged::n ? p.n : p.k;
  in_range("--groups: their sum", sum, uint64_t{1}, uint64_t{1} << 30);
  if (extent && extent != sum)
    throw InputError(
        fmt::format("-{}: {} with groups of {} in all, legal: {}, or leave it out", name, extent, sum, sum));
  if (p.batch != 1) throw InputError(fmt::format("--batch-count: {} with --grouped, legal: 1", p.batch));
  extent = static_cast<uint32_t>(sum), p.groups = static_cast<uint32_t>(sizes.size());
}

isa::Arch GemmOptions::target() const { return target_of(arch, gpu); }

GemmRequest GemmOptions::request() const {
  GemmRequest g;
  g.input = type_of(a, "--a", of_a_and_b);
  if (!b.empty() && type_of(b, "--b", of_a_and_b) != g.input) g.input_b = type_of(b, "--b", of_a_and_b);
  if (names_mx(a) != names_mx(b.empty() ? a : b))
    throw InputError(fmt::format("--b: {} with A of {}, legal: both of them MX types, or none", b, a));
  if (names_mx(a)) g.block_scales = BlockScales::plain;
  const GemmConfig types{.input = g.input, .input_b = g.input_b};
  if (!has_weights(types) && (group_size || zero_points))
    throw InputError(fmt::format("--{}: with A of {} and B of {}, legal: one of them i4, the other f16 or bf16",
                                 group_size ? "group-size" : "zero-points", isa::type_name(g.input),
                                 isa::type_name(type_of_b(types))));
  if (!f32_as.empty()) {
    if (f32_as != "f32" && f32_as != "bf16x3")
      throw InputError(fmt::format("--f32-as: '{}' is unknown, legal: f32 bf16x3", f32_as));
    if (g.input != Type::f32)
      throw InputError(fmt::format("--f32-as: with A of {}, legal: f32", isa::type_name(g.input)));
    g.split_f32 = f32_as == "bf16x3";
  }
  if (shuffle_a) g.order_a = MatrixOrder::tiles;
  if (shuffle_b) g.order_b = MatrixOrder::tiles;
  if (group_size) g.groups.size = group_size;
  g.groups.zero_points = zero_points;
  if (!scale_layout.empty() && has_weights(types)) {
    g.groups.transposed = scale_layout == "transposed";
    if (!g.groups.transposed && scale_layout != "plain")
      throw InputError(fmt::format("--scale-layout: '{}' is unknown, legal: plain transposed", scale_layout));
  } else if (!scale_layout.empty()) {
    if (!names_mx(a))
      throw InputError(
          fmt::format("--scale-layout: with A of {}, legal: A and B of MX types, or i4 and f16 or bf16", a));
    const auto* const known =
        std::ranges::find_if(block_scale_layouts, [&](BlockScales s) { return name_of(s) == scale_layout; });
    if (known == std::end(block_scale_layouts))
      throw InputError(fmt::format("--scale-layout: '{}' is unknown, legal: plain shuffled tiles", scale_layout));
    g.block_scales = *known;
  }
  for (const auto& [option, text, block, to] : {std::tuple("--scale-a", &scale_a, "1x128", &g.sum_scales_a),
                                                {"--scale-b", &scale_b, "128x128", &g.sum_scales_b}}) {
    if (text->empty()) continue;
    const auto found = find_sum_scales(*text == "block" ? block : *text);
    if (!found)
      throw InputError(fmt::format("{}: '{}' is unknown, legal: block 1x128 1x128-t 128x128 128x128-t", option, *text));
    *to = *found;
  }
  g.output = d.empty() ? default_output(multiplied_a(types)) : type_of(d, "--d", of_c_and_d);
  if (!c.empty() && type_of(c, "--c", of_c_and_d) != g.output)
    throw InputError(fmt::format("--c: {} with D of {}, legal: the same type for both", c, isa::type_name(g.output)));
  const std::string sums = isa::type_name(accumulated({.input = g.input}));
  const std::string asked = compute == "s" ? "f32" : without_suffix(compute.substr(compute.starts_with("c_") ? 2 : 0));
  if (!compute.empty() && asked != sums && !(g.input == Type::xf32 && asked == "xf32"))
    throw InputError(fmt::format("--compute_type: '{}' is not available with A of {}, legal: {}", compute, a, sums));
  g.trans_a = transposed(transa, "--transa");
  g.trans_b = transposed(transb, "--transb");
  const auto sizes = [](const std::string& text, const char* option, size_t count, const char* form) {
    std::vector<int> all;
    for (const std::string& s : split(text, 'x')) all.push_back(positive(s, option, text, form));
    if (all.size() != count) throw InputError(fmt::format("{}: '{}' is not understood, legal: {}", option, text, form));
    return all;
  };
  if (!tile.empty()) {
    const auto t = sizes(tile, "--tile", 3, "MxNxK as in 256x256x64");
    g.block = GemmTile{t[0], t[1], t[2]};
  }
  if (!waves.empty()) {
    const auto w = sizes(waves, "--waves", 2, "MxN as in 2x2");
    g.waves = {w[0], w[1]};
  }
  if (!mma.empty()) g.mma = instruction_of(mma, g, target());
  if (stages) g.stages = stages;
  bool known = schedule.empty();
  for (const GemmSchedule s : all_schedules)
    if (schedule == name_of(s)) g.schedule = s, known = true;
  if (!known)
    throw InputError(
        fmt::format("--schedule: '{}' is unknown, legal: staged interleaved direct refill stream tensor", schedule));
  g.prefetch = prefetch;
  if (!cluster.empty()) {
    const auto c = sizes(cluster, "--cluster", 2, "MxN as in 2x4");
    g.cluster = GemmCluster{c[0], c[1]};
  }
  if ((prefetch.value_or(0) || (g.cluster && g.cluster->groups() > 1)) && !g.schedule)
    g.schedule = GemmSchedule::tensor;  // no other has these
  g.epilogue = epilogue.epilogue();
  for (const Ragged r : all_ragged)
    if (grouped == name_of(r)) g.ragged = r;
  if (!grouped.empty() && g.ragged == Ragged::none)
    throw InputError(fmt::format("--grouped: '{}' is unknown, legal: m n k", grouped));
  if (offsets != "i32" && offsets != "i64")
    throw InputError(fmt::format("--offsets: '{}' is unknown, legal: i32 i64", offsets));
  g.offsets = offsets == "i64" ? Offsets::i64 : Offsets::i32;
  if (split_k) g.split_k = split_k;
  if (stream_k) g.stream_k = stream_k;
  g.persistent = persistent;
  for (const Reduction r : all_reductions)
    if (reduction == name_of(r)) g.reduction = r;
  if (!reduction.empty() && !g.reduction)
    throw InputError(fmt::format("--reduction: '{}' is unknown, legal: atomic ordered", reduction));
  if (!order.empty() && !(g.order = find_order(order)))
    throw InputError(
        fmt::format("--work-order: '{}' is unknown, legal: columns, bandsN (1 to {}), xcdsN (2 to {}), "
                    "xcdsN_bandsN as xcds8_bands4",
                    order, most_band, most_xcds));
  if (!problem.empty() && !cus) throw InputError("--problem: without a number of CUs, legal: --cus N beside it");
  if (cus) {
    if (problem.empty()) throw InputError("--cus: without the size of D, legal: --problem MxN beside it");
    const auto [m, n] = parse_problem(problem);
    g.grid = GemmGrid{m, n, cus};
  }
  return g;
}

namespace {
const isa::Gpu* gpu_of(const std::string& name, isa::Arch arch) {
  if (name.empty()) return nullptr;
  const isa::Gpu* gpu = find_gpu_option(name);
  if (gpu->arch != arch)
    throw InputError(fmt::format("--gpu: {} is a {}, the kernel is for {}; legal: --arch {}", gpu->name,
                                 isa::target(gpu->arch).name, isa::target(arch).name, isa::target(gpu->arch).name));
  return gpu;
}
}  // namespace

BuiltGemm build(const GemmOptions& o) {
  const isa::Arch arch = o.target();
  const GemmRequest asked = o.request();
  const bool by_time = o.size && !asked.block && !asked.grid;
  GemmPlan chosen =
      by_time ? plan_gemm(asked, arch, *o.size,
                          {.gpu = gpu_of(o.gpu, arch), .cache = o.no_cache ? "" : default_cache(), .warm = !o.cold})
              : GemmPlan{choose_gemm(asked, arch)};
  const auto generate = [&](const LowerOptions& how) { return build_gemm(chosen.config, arch, o.kernel, how); };
  return {build_timed({.check = !o.no_check}, generate), std::move(chosen)};
}

void explain(const BuiltGemm& g, nlohmann::ordered_json& j) {
  auto& all = j["choices"] = nlohmann::ordered_json::array();
  for (const Choice& c : g.choices)
    all.push_back({{"what", c.what}, {"value", c.value}, {"given", c.given}, {"why", c.why}});
  if (g.timed.empty()) return;
  auto& timed = j["timed"] = nlohmann::ordered_json::array();
  for (const TimedGemm& t : g.timed)
    timed.push_back({{"kernel", kernel_name(t.config)},
                     {"seconds", t.seconds},
                     {"least_seconds", t.least_seconds},
                     {"limited_by", t.limit}});
}
std::string choices_text(const BuiltGemm& g) {
  Table t;
  for (const Choice& c : g.choices) t.add(c.what, fmt::format("{}: {}", c.value, c.why));
  std::string text = t.text();
  if (g.timed.empty()) return text;
  text += fmt::format("\nThe {} timed, by the timing model; at least: by its tables alone\n", g.timed.size());
  for (const TimedGemm& one : g.timed)
    text += fmt::format("{:9.1f} us, at least {:.1f}  {}  {}\n", one.seconds * 1e6, one.least_seconds * 1e6,
                        kernel_name(one.config), one.limit);
  return text;
}

}  // namespace wavesmith::tools
