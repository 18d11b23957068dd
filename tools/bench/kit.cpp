// A kit's cases are launches as a device sees them: buffers, their contents, a kernel and its arguments. They are
// recorded by a device that runs nothing. Contents of large buffers are drawn from a few of their elements by a hash
// that the host program has too, so that a kit is small and results can be checked there.
#include "tools/bench/kit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "isa_tables/names.h"
#include "runtime/files.h"
#include "tools/bench/bench_attention.h"
#include "tools/bench/bench_gemm.h"
#include "tools/bench/bench_loop.h"
#include "tools/print/console.h"

extern "C" const char wavesmith_kit_program[], wavesmith_kit_program_end[], wavesmith_kit_script[],
    wavesmith_kit_script_end[];

namespace wavesmith::tools {
namespace {

constexpr uint64_t pointer_tag = 0x4b17;    // bits 63:48 of a recorded buffer's address; bits 47:40 its number
constexpr size_t bytes_as_they_are = 1024;  // of a buffer; larger ones are drawn from their elements
constexpr int values_of_pattern = 64, expected_values = 64;

// As kit_hash of kit.c.
uint32_t kit_hash(uint32_t seed, uint64_t i) {
  uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + seed;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<uint32_t>(x >> 33);
}

struct Pattern {
  uint32_t seed = 0;
  uint64_t width = 1;
  std::vector<uint8_t> values = {};  // empty: zeros
};
// By where the host's bytes are.
using Patterns = std::map<const uint8_t*, Pattern>;

void fill_by(const Pattern& p, std::vector<uint8_t>& bytes) {
  const uint64_t count = p.values.size() / p.width;
  for (uint64_t i = 0; (i + 1) * p.width <= bytes.size(); ++i)
    std::memcpy(&bytes[i * p.width], &p.values[kit_hash(p.seed, i) % count * p.width], p.width);
}

// Draws all elements, padding too, from some of those in the matrix.
void draw(HostMatrix& m, Patterns& patterns) {
  if (m.bytes.size() <= bytes_as_they_are) return;
  Pattern p{.seed = static_cast<uint32_t>(patterns.size() + 1),
            .width = std::max<uint64_t>(1, static_cast<uint64_t>(isa::bits(m.type)) / 8)};
  for (uint32_t i = 0; i < values_of_pattern; ++i) {
    const uint64_t element = m.at(0, kit_hash(0, i) % m.rows, kit_hash(1, i) % m.cols) *
                             static_cast<uint64_t>(isa::bits(m.type)) / 8 / p.width;
    p.values.insert(p.values.end(), &m.bytes[element * p.width], &m.bytes[element * p.width] + p.width);
  }
  fill_by(p, m.bytes);
  patterns[m.bytes.data()] = std::move(p);
}
// One value in every byte: what a result is before the launch.
void draw_result(std::vector<uint8_t>& bytes, bool zero, Patterns& patterns) {
  if (bytes.empty()) return;
  patterns[bytes.data()] = zero ? Pattern{} : Pattern{.seed = 0, .width = 1, .values = {0xa5}};
}

class Recorder final : public runtime::Device {
 public:
  explicit Recorder(const Patterns& patterns) : patterns_(patterns) {}
  runtime::DeviceInfo info() const override { return {}; }
  runtime::Buffer allocate(uint64_t bytes, const std::string&) override {
    text_.push_back(fmt::format("buffer {} zero\n", bytes));
    return {pointer_tag << 48 | (text_.size() - 1) << 40, bytes};
  }
  void release(const runtime::Buffer&) override {}
  void write(const runtime::Buffer& b, std::span<const uint8_t> bytes) override {
    std::string& text = text_[number(b.address)];
    if (const auto p = patterns_.find(bytes.data()); p != patterns_.end()) {
      if (p->second.values.empty()) return;
      text = fmt::format("buffer {} elements {} {} {} {:02x}\n", bytes.size(), p->second.seed, p->second.width,
                         p->second.values.size() / p->second.width, fmt::join(p->second.values, ""));
    } else if (std::ranges::any_of(bytes, [](uint8_t b) { return b != 0; }))
      text = fmt::format("buffer {} bytes {:02x}\n", bytes.size(), fmt::join(bytes, ""));
  }
  void read(const runtime::Buffer&, std::span<uint8_t>) const override {}
  runtime::Outcome launch(std::span<const uint8_t>, std::string_view, const runtime::Launch&) override { return {}; }
  runtime::Enqueue prepare(std::span<const uint8_t>, std::string_view) override { return {}; }
  double seconds(const std::function<void()>&) override { return 0; }

  static size_t number(uint64_t address) { return address >> 40 & 0xff; }
  std::string buffers() const { return fmt::format("{}", fmt::join(text_, "")); }

 private:
  const Patterns& patterns_;
  std::vector<std::string> text_;
};

std::string launch_text(const KernelLaunch& l, const std::string& file, const std::string& kernel) {
  std::string text = fmt::format("kernel {} {} {} {} 0\narguments {} {:02x}\n", file, kernel, fmt::join(l.grid, " "),
                                 fmt::join(l.block, " "), l.kernargs.size(), fmt::join(l.kernargs, ""));
  for (size_t at = 0; at + 8 <= l.kernargs.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, &l.kernargs[at], 8);
    if (word >> 48 == pointer_tag) text += fmt::format("pointer {} {}\n", at, Recorder::number(word));
  }
  return text;
}

// Some elements of D in f64, where nothing but alpha and beta is applied to the product, and what they may be off by.
std::string expected_text(const GemmCase& c, const GemmBuffers& buffers) {
  const GemmConfig& g = c.built.config;
  const GemmData& p = c.data;
  struct {
    isa::Type type;
    int mantissa;
  } constexpr checked[] = {
      {isa::Type::f64, 52}, {isa::Type::f32, 23}, {isa::Type::f16, 10}, {isa::Type::bf16, 7}, {isa::Type::i32, 60}};
  const auto d = std::ranges::find_if(checked, [&](const auto& t) { return t.type == g.output; });
  if (d == std::end(checked) || !is_plain(g)) return "";
  std::string text = fmt::format("result {} {}\n", Recorder::number(buffers.d.address), isa::type_name(g.output));
  const double u = g.input == isa::Type::f64 ? 0x1p-52 : 0x1p-23;
  std::mt19937_64 random(1);
  for (int i = 0; i < expected_values; ++i) {
    const auto b = static_cast<uint32_t>(random() % p.size.batch), row = static_cast<uint32_t>(random() % p.size.m),
               col = static_cast<uint32_t>(random() % p.size.n);
    double sum = 0, size = 0;
    for (uint32_t k = 0; k < p.size.k; ++k) {
      const double x = p.a.get(g.trans_a ? p.a.at(b, k, row) : p.a.at(b, row, k)) *
                       p.b.get(g.trans_b ? p.b.at(b, col, k) : p.b.at(b, k, col));
      sum += x, size += std::fabs(x);
    }
    const double old = p.size.beta != 0 ? p.size.beta * p.c.get(p.c.at(b, row, col)) : 0,
                 value = p.size.alpha * sum + old;
    const double allowed = (p.size.k + 8.0) * u * (std::fabs(p.size.alpha) * size + std::fabs(old)) +
                           std::ldexp(std::fabs(value), -d->mantissa) + 0x1p-24;
    text += fmt::format("expect {} {:.17g} {:.3g}\n", p.d.at(b, row, col), value, allowed);
  }
  return text;
}

// What rocBLAS and hipBLASLt are asked, where they have it.
std::string library_text(const GemmCase& c, const GemmBuffers& buffers) {
  const GemmConfig& g = c.built.config;
  if (!is_plain(c.built.config)) return "";
  const GemmProblem& s = c.data.size;
  std::string text = fmt::format("gemm {} {} {} {} {} {} {:.17g} {:.17g}", g.trans_a ? 1 : 0, g.trans_b ? 1 : 0, s.m,
                                 s.n, s.k, s.batch, s.alpha, s.beta);
  const GemmPointers& at = buffers.at;
  for (const auto& [m, address] :
       {std::pair(&c.data.a, at.a), {&c.data.b, at.b}, {&c.data.c, at.c ? at.c : at.d}, {&c.data.d, at.d}})
    text += fmt::format(" {} {} {} {}", library_type(*m), m->ld, m->stride, Recorder::number(address));
  return text + "\n";
}

void refuse_empty(const KernelLaunch& l) {
  if (l.empty())
    throw InputError("bench kit: nothing to launch, the result has no elements; legal: extents of 1 or more");
}

std::string recorded(GemmCase& c, const std::string& file) {
  Patterns patterns;
  for (HostMatrix* m : {&c.data.a, &c.data.b, &c.data.c}) draw(*m, patterns);
  for (const EpiloguePartInfo& part : epilogue_parts()) draw(c.data.epilogue[part.part], patterns);
  draw_result(c.data.d.bytes, c.built.config.split_k > 1, patterns);
  draw_result(c.data.scales.bytes, false, patterns);
  Recorder recorder(patterns);
  const GemmBuffers buffers = upload(recorder, c.built, c.data);
  refuse_empty(buffers.launch);
  return recorder.buffers() + launch_text(buffers.launch, file, c.built.program.name) + expected_text(c, buffers) +
         library_text(c, buffers);
}
std::string recorded(AttentionCase& c, const std::string& file) {
  Patterns patterns;
  for (HostMatrix* m : {&c.tensors.q, &c.tensors.k, &c.tensors.v}) draw(*m, patterns);
  draw_result(c.tensors.o.bytes, false, patterns);
  if (!c.tensors.lse.empty()) patterns[reinterpret_cast<const uint8_t*>(c.tensors.lse.data())] = {};
  Recorder recorder(patterns);
  const AttentionBuffers buffers = upload(recorder, c);
  if (buffers.launch.size() > 1)
    throw InputError(
        fmt::format("bench kit: {} of {} splits takes {} launches, legal: cases of one, as with --splits 1",
                    c.built.program.name, buffers.launch[0].grid[1], buffers.launch.size()));
  refuse_empty(buffers.launch[0]);
  return recorder.buffers() + launch_text(buffers.launch[0], file, c.built.program.name);
}

template <class Bench>
int write_cases(const std::string& folder, const BenchOptions& o, const typename Bench::Question& base) {
  namespace fs = std::filesystem;
  if (o.device != "sim")
    throw InputError(
        fmt::format("bench kit: --device {}, legal: leave it out; the kit's run.sh takes --device N", o.device));
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)))
    throw InputError(fmt::format("bench kit {}: it exists, legal: a folder that is new or empty", folder));
  std::string cases;
  BenchRun run{.operation = Bench::operation, .made_with = {{"version", WAVESMITH_VERSION}}, .rows = {}};
  std::map<std::string, std::vector<uint8_t>> kernels;  // by file
  BenchDevice on = open_device(o);
  each_problem<Bench>(o, base, [&](const BenchOptions& own, const typename Bench::Question& asked) {
    auto c = make_case(Bench::on_device(asked, target_of(own, on)));
    std::string file = fmt::format("kernels/{}_{}.co", isa::target(c.built.program.arch).name, c.built.program.name);
    if (const auto known = kernels.find(file); known != kernels.end() && known->second != c.built.object.bytes)
      file = fmt::format("kernels/{}.co", run.rows.size());
    kernels[file] = c.built.object.bytes;
    cases += fmt::format("case {} {} {}_{}\n{}end\n", run.rows.size(), isa::target(c.built.program.arch).name,
                         Bench::operation, run.rows.size(), recorded(c, file));
    run.rows.push_back(Bench::row(c));
    run.rows.back().measured.push_back({.by = "wavesmith", .kernel = c.built.program.name, .us = {}});
  });
  fs::create_directories(folder + "/kernels", error);
  if (error) throw runtime::FileError(fmt::format("{}: {}", folder, error.message()));
  for (const auto& [file, bytes] : kernels) runtime::write_file(folder + "/" + file, bytes);
  runtime::write_file(folder + "/cases.txt", cases);
  runtime::write_file(
      folder + "/bench.c",
      std::string_view(wavesmith_kit_program, static_cast<size_t>(wavesmith_kit_program_end - wavesmith_kit_program)));
  runtime::write_file(
      folder + "/run.sh",
      std::string_view(wavesmith_kit_script, static_cast<size_t>(wavesmith_kit_script_end - wavesmith_kit_script)));
  fs::permissions(folder + "/run.sh", fs::perms::owner_exec | fs::perms::group_exec, fs::perm_options::add, error);
  runtime::write_file(folder + "/kit.json", json_text(to_json(run)) + "\n");
  fmt::print(out(),
             "{}: {}, {}; copy it to a machine with a GPU, run run.sh there, and give what it wrote to bench import\n",
             folder, counted(run.rows.size(), "case"), counted(kernels.size(), "kernel"));
  return good;
}

}  // namespace

int write_kit(const std::string& folder, const BenchOptions& o, const GemmQuestion& q) {
  return write_cases<GemmBench>(folder, o, q);
}
int write_kit(const std::string& folder, const BenchOptions& o, const AttentionQuestion& q) {
  return write_cases<AttentionBench>(folder, o, q);
}

int import_kit(const std::string& folder, const std::string& results, const BenchOptions& o) {
  const std::string facts = folder + "/kit.json", file = results.empty() ? folder + "/results.csv" : results;
  const auto json = runtime::read_file(facts, uint64_t{64} << 20),
             bytes = runtime::read_file(file, uint64_t{256} << 20);
  BenchRun run = results_from_json({json.begin(), json.end()}, facts);
  std::string table, wrong;
  int comments = 0;
  for (const std::string& line : split(std::string(bytes.begin(), bytes.end()), '\n'))
    if (line.starts_with("# ") && line.find(' ', 2) != line.npos) {
      ++comments;
      run.made_with.emplace_back(line.substr(2, line.find(' ', 2) - 2), line.substr(line.find(' ', 2) + 1));
    } else table += line + "\n";
  run.made_with.emplace_back("device", "hip"), run.made_with.emplace_back("predicted", "false");
  const auto rows = parse_csv(table, file);
  const std::vector<std::string> header{"case", "implementation", "version", "round", "us", "error"};
  if (rows.empty() || rows[0].cells != header)
    throw InputError(
        fmt::format("{}: not what a kit's run.sh writes, legal: columns {}", file, fmt::join(header, ",")));
  for (BenchRow& r : run.rows) r.measured.front().us.clear();
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto& cells = rows[i].cells;
    const std::string where = fmt::format("{}:{}", file, rows[i].line + comments);
    if (cells.size() != header.size())
      throw InputError(fmt::format("{}: {} cells, legal: {}", where, cells.size(), header.size()));
    const uint64_t id = parse_number(cells[0], where + ": case");
    if (id >= run.rows.size()) throw InputError(fmt::format("{}: case {}, the kit has {}", where, id, run.rows.size()));
    auto& measured = run.rows[id].measured;
    auto m = std::ranges::find(measured, cells[1], &Measured::by);
    if (m == measured.end()) m = measured.insert(m, {.by = cells[1], .kernel = "", .us = {}});
    m->us.push_back(parse_time(cells[4], where + ": us"));
    if (parse_time(cells[5].starts_with("-") ? "0"
                   : cells[5] == "inf"       ? "1e9"
                                             : cells[5],
                   where + ": error") > 1 &&
        wrong.empty())
      wrong = fmt::format("case {}: {} is wrong by {} of what is allowed", id, cells[1], cells[5]);
  }
  std::erase_if(run.rows, [](const BenchRow& r) { return r.measured.front().us.empty(); });  // another target's
  if (run.rows.empty()) throw InputError(file + ": no results");
  return deliver(o, run, run.operation == "gemm" ? GemmBench::brief() : AttentionBench::brief(), wrong);
}

}  // namespace wavesmith::tools
