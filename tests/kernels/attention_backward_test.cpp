// Attention backward: the f64 reference of `verify` against finite differences of its forward; the kernels against that
// reference on every target, through the command line; strides and the order of waves through the library, by bits.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

#include "generator/dsl/block.h"
#include "isa_tables/names.h"
#include "kernels/attention/backward.h"
#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"
#include "tests/support/command.h"
#include "tools/reference/backward_reference.h"

namespace wavesmith::backward_test {
namespace {

std::vector<double> normal_numbers(size_t n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& each : x) each = normal(random);
  return x;
}

// Rows of a tensor: [head][row][column] with `pad` elements between rows, or [row][head][column] without.
struct Place {
  bool by_head = false;
  uint32_t pad = 0;
};
struct Ran {
  std::vector<uint16_t> gradients;  // dQ, dK, dV as [row][head][column]
  bool padding_kept = true;
  std::vector<uint64_t> conflict_cycles;  // of LDS, by kernel
  uint64_t instructions = 0;
};
// One batch of random tensors, with all checks on; allocations are exactly as large as the tensors.
Ran run_backward(const AttentionBackward& kernels, AttentionBackwardProblem p, const Place& place,
                 const sim::Options& options) {
  const auto dim = static_cast<uint32_t>(kernels.config.head_dim),
             dim_v = static_cast<uint32_t>(kernels.config.dim_v());
  sim::Memory memory;
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  constexpr uint16_t untouched = 0x7fa5;  // a NaN
  struct Tensor {
    uint64_t address;
    uint32_t rows, heads, width;
    AttentionStrides strides;
    std::vector<uint16_t> bits;
    size_t at(uint32_t row, uint32_t head, uint32_t column) const {
      return size_t{row} * strides.row + head * strides.head + column;
    }
  };
  const auto tensor = [&](uint32_t rows, uint32_t heads, uint32_t width, bool filled, AttentionStrides& strides) {
    const uint32_t row = (place.by_head ? 1 : heads) * width + place.pad;
    strides = {uint64_t{rows} * heads * (width + place.pad), place.by_head ? uint64_t{rows} * row : width, row};
    Tensor t{0, rows, heads, width, strides, std::vector<uint16_t>(strides.batch, untouched)};
    for (uint32_t r = 0; r < rows && filled; ++r)
      for (uint32_t h = 0; h < heads; ++h)
        for (uint32_t c = 0; c < width; ++c)
          t.bits[t.at(r, h, c)] = static_cast<uint16_t>(sim::encode(sim::format::bf16, normal(random)));
    t.address = memory.allocate(2 * t.bits.size(), "tensor");
    memory.write(t.address, {reinterpret_cast<const uint8_t*>(t.bits.data()), 2 * t.bits.size()});
    return t;
  };
  const Tensor q = tensor(p.queries, p.heads, dim, true, p.q), k = tensor(p.keys, p.kv_heads, dim, true, p.k),
               v = tensor(p.keys, p.kv_heads, dim_v, true, p.v), o = tensor(p.queries, p.heads, dim_v, true, p.o),
               d_o = tensor(p.queries, p.heads, dim_v, true, p.d_o);
  Tensor gradients[] = {tensor(p.queries, p.heads, dim, false, p.dq), tensor(p.keys, p.kv_heads, dim, false, p.dk),
                        tensor(p.keys, p.kv_heads, dim_v, false, p.dv)};
  std::vector<float> lse(size_t{p.heads} * p.queries, 2.5f);
  const uint64_t at_lse = memory.allocate(4 * lse.size(), "LSE"),
                 rows = memory.allocate(row_bytes(kernels.config, p), "rows"),
                 sums = memory.allocate(std::max<uint64_t>(4, dq_sum_bytes(kernels.config, p)), "sums");
  memory.write(at_lse, {reinterpret_cast<const uint8_t*>(lse.data()), 4 * lse.size()});
  const auto launches = launch(kernels, p,
                               {.o = o.address,
                                .d_o = d_o.address,
                                .q = q.address,
                                .k = k.address,
                                .v = v.address,
                                .lse = at_lse,
                                .dq = gradients[0].address,
                                .dk = gradients[1].address,
                                .dv = gradients[2].address,
                                .rows = rows,
                                .dq_sums = sums});
  Ran out;
  for (size_t i = 0; i < launches.size(); ++i) {
    const auto code = sim::CodeObject::load(assemble(kernels.kernels[i].program).bytes);
    const auto result =
        sim::run(code, code.kernel(""), memory,
                 {.grid = launches[i].grid, .block = launches[i].block, .kernargs = launches[i].kernargs}, options);
    INFO((result.fault ? result.fault->message() : ""));
    REQUIRE_FALSE(result.fault);
    out.conflict_cycles.push_back(result.lds_conflict_cycles);
    out.instructions += result.instructions;
  }
  for (Tensor& g : gradients) {
    memory.read(g.address, {reinterpret_cast<uint8_t*>(g.bits.data()), 2 * g.bits.size()});
    for (uint32_t r = 0; r < g.rows; ++r)
      for (uint32_t h = 0; h < g.heads; ++h)
        for (uint32_t c = 0; c < g.width; ++c) out.gradients.push_back(std::exchange(g.bits[g.at(r, h, c)], untouched));
    out.padding_kept &= std::ranges::count(g.bits, untouched) == static_cast<std::ptrdiff_t>(g.bits.size());
  }
  return out;
}

}  // namespace

TEST_CASE("gradients are the same bits with any strides and in any order of waves", "[attention][backward]") {
  for (const auto& [arch, dim, dim_v] : {std::tuple{isa::Arch::gfx942, 40, 24},
                                         {isa::Arch::gfx1100, 40, 24},
                                         {isa::Arch::gfx950, 72, 104}}) {  // loads directly to LDS
    const AttentionBackward kernels = build_attention_backward({.head_dim = dim, .head_dim_v = dim_v}, arch);
    AttentionBackwardProblem p;
    p.heads = 4, p.kv_heads = 2, p.queries = 150, p.keys = 139, p.mask = Mask::bottom_right;
    const Ran plain = run_backward(kernels, p, {}, {});
    CHECK(std::ranges::count(plain.gradients, 0x7fa5) == 0);
    for (const Place& place : {Place{true, 0}, {true, 16}, {false, 8}}) {
      const Ran other = run_backward(kernels, p, place, {});
      CHECK(other.gradients == plain.gradients);
      CHECK(other.padding_kept);
    }
    sim::Options one_by_one, drawn, late;
    one_by_one.quantum = 1, drawn.seed = 7, late.late = true;
    for (const sim::Options& order : {one_by_one, drawn, late})
      CHECK(run_backward(kernels, p, {}, order).gradients == plain.gradients);
  }
}

TEST_CASE("the reference's gradients are the finite differences of the forward in f64", "[attention][backward]") {
  std::mt19937 random(5);
  struct Case {
    int64_t diagonal;
    std::vector<ScoreMod> scores = {};
    double dropout = 0;
  };
  const Case cases[] = {{INT64_C(1) << 40},
                        {0},
                        {3},
                        {-2},
                        {INT64_C(1) << 40, {soft_cap(0.7f)}},
                        {0, {soft_cap(2), alibi(), window(2, 1)}},
                        {INT64_C(1) << 40, {alibi(), soft_cap(1), soft_cap(3)}, 0.4},
                        {3, {}, 0.25}};
  for (const Case& c : cases) {
    tools::BackwardHead h{.queries = 5, .keys = 7, .dim = 8, .dim_v = 16, .scale = 0.3, .diagonal = c.diagonal};
    h.scores = c.scores, h.head = 1, h.heads = 3, h.dropout = c.dropout;
    for (uint64_t i = 0; i < h.queries * h.keys && c.dropout > 0; ++i) h.dropped.push_back(random() % 4 == 0);
    h.q = normal_numbers(h.queries * h.dim, random), h.k = normal_numbers(h.keys * h.dim, random);
    h.v = normal_numbers(h.keys * h.dim_v, random), h.d_o = normal_numbers(h.queries * h.dim_v, random);
    const auto loss = [&] {
      const auto o = tools::attention_forward(h).o;
      double sum = 0;
      for (size_t i = 0; i < o.size(); ++i) sum += o[i] * h.d_o[i];
      return sum;
    };
    const tools::Gradients g = tools::attention_gradients(h, tools::attention_forward(h).o, {isa::Type::bf16, 0}, 5);
    for (const auto& [x, gradient] : {std::pair{&h.q, &g.dq}, {&h.k, &g.dk}, {&h.v, &g.dv}}) {
      REQUIRE(x->size() == gradient->size());
      for (size_t i = 0; i < x->size(); ++i) {
        const double kept = (*x)[i], step = 1e-5;
        (*x)[i] = kept + step;
        const double above = loss();
        (*x)[i] = kept - step;
        const double below = loss();
        (*x)[i] = kept;
        CHECK((above - below) / (2 * step) == Approx((*gradient)[i]).margin(1e-8).epsilon(1e-7));
      }
    }
  }
}

TEST_CASE("attention backward verifies on every target by the command line, with each option in turn",
          "[attention][backward][cli]") {
  const std::string options[] = {
      "--head-dim 64 --causal --h 2 --hkv 1 --sq 35 --sk 70",
      "--head-dim 64 --sq 131 --sk 33 --mask t",
      "--head-dim 64 --head-dim-v 32 --varlen --h 4 --hkv 2 --sq 20,0,1,40 --sk 33,5,0,70 --mask t",
      "--head-dim 32 --varlen --h 2 --sq 40,70 --sk 20,90 --causal --deterministic",
      "--head-dim 72 --head-dim-v 40 --sq 3 --sk 50 --init int",
      "--head-dim 24 --b 2 --h 3 --hkv 1 --sq 1 --sk 1 --heads-in-turn 4",
      "--head-dim 16 --h 2 --sq 67 --sk 40 --causal --scale 8",
      "--head-dim 64 --reduction atomic --causal --h 4 --hkv 2 --sq 150 --sk 139",
      "--head-dim 56 --reduction atomic --sq 37 --sk 70 --mask t",
      "--head-dim 64 --head-dim-v 32 --reduction atomic --varlen --h 4 --hkv 2 --sq 20,0,1,40 --sk 33,5,0,70",
      "--head-dim 40 --head-dim-v 72 --reduction atomic --sq 67 --sk 130 --causal",
      "--head-dim 64 --soft-cap 0.5 --h 4 --hkv 2 --sq 70 --sk 99",
      "--head-dim 32 --alibi --soft-cap 2 --h 6 --hkv 2 --sq 99 --sk 40 --mask t",
      "--head-dim 64 --window 20,5 --h 2 --sq 150 --sk 170",
      "--head-dim 16 --window 0,0 --sq 90 --sk 33",
      "--head-dim 64 --dropout 0.4 --drop-seed 7 --drop-offset 3 --h 4 --hkv 2 --sq 70 --sk 99 --causal",
      "--head-dim 32 --varlen --dropout 0.9 --window 30,2 --alibi --h 4 --hkv 2 --sq 50,0,9 --sk 31,5,70"};
  size_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const char* type : {"f16", "bf16"}) {
      std::string given = options[next++ % std::size(options)];
      while (std::string_view(target.name) == "gfx908" && given.find("atomic") != given.npos)
        given = options[next++ % std::size(options)];
      const std::string command =
          fmt::format("verify attention --backward --arch {} --type {} {}", target.name, type, given);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

TEST_CASE("attention backward takes changes of the scores and dropout with every reduction and schedule",
          "[attention][backward][cli]") {
  for (const char* arch : {"gfx90a", "gfx942", "gfx950", "gfx1201", "gfx1250"})
    for (const char* options : {"--head-dim 128 --soft-cap 1 --window 30,10 --h 2 --hkv 1 --sq 67 --sk 140",
                                "--head-dim 64 --reduction atomic --alibi --soft-cap 2 --h 4 --hkv 2 --sq 131 --sk 77",
                                "--head-dim 64 --reduction atomic --dropout 0.3 --window 64,3 --h 2 --hkv 1 --sq 131 "
                                "--sk 150 --causal --type f16",
                                "--head-dim 64 --reduction atomic --varlen --dropout 0.2 --alibi --h 2 --hkv 1 --sq "
                                "20,0,70 --sk 33,5,90 --causal"}) {
      const std::string command = fmt::format("verify attention --backward --arch {} {}", arch, options);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

// A program's own change, half of the score, is half of the scale.
TEST_CASE("attention backward takes a change of the scores that a program defines", "[attention][backward]") {
  ScoreMod half{.name = "half",
                .change = [](Block& b, const ScoreMod::Element& e) { b.v_mul_f32(e.score, 0.5f, e.score); },
                .reference = [](const ScoreMod::Point& p) { return p.score / 2; }};
  half.derivative = ScoreMod::Derivative{[](Block& b, const ScoreMod::Element&, Vgpr to) { b.v_mov_b32(to, 0.5f); },
                                         [](const ScoreMod::Point&) { return 0.5; },
                                         [](const ScoreMod::Point&, double) { return 0.0; }};
  AttentionBackwardProblem p;
  p.heads = 4, p.kv_heads = 2, p.queries = 70, p.keys = 50, p.scale = 0.25f;
  ScoreMod without = half;
  without.derivative.reset();
  CHECK_THROWS_WITH(build_attention_backward({.head_dim = 64, .scores = {without}}, isa::Arch::gfx942),
                    Catch::Contains("change 'half' of the scores without a derivative"));
  const auto gradients = [&](int times, float scale) {
    const AttentionBackward kernels = build_attention_backward(
        {.head_dim = 64, .scores = std::vector(static_cast<size_t>(times), half)}, isa::Arch::gfx942);
    p.scale = scale;
    std::vector<double> numbers;
    for (const uint16_t bits : run_backward(kernels, p, {}, {}).gradients)
      numbers.push_back(sim::decode(sim::format::bf16, bits));
    return numbers;
  };
  const auto want = gradients(0, 0.25f);
  for (const int times : {1, 2}) {
    const auto got = gradients(times, 0.25f * static_cast<float>(1 << times));
    REQUIRE(got.size() == want.size());
    double largest = 0, off = 0;
    for (size_t i = 0; i < want.size(); ++i)
      largest = std::max(largest, std::fabs(want[i])), off = std::max(off, std::fabs(got[i] - want[i]));
    CHECK(off < 0x1p-8 * largest);
  }
}

TEST_CASE("tiles outside of a window are not computed by attention backward", "[attention][backward]") {
  for (const Reduction reduction : {Reduction::ordered, Reduction::atomic}) {
    const auto instructions = [&](std::vector<ScoreMod> scores) {
      const AttentionBackward kernels = build_attention_backward(
          {.head_dim = 64, .reduction = reduction, .scores = std::move(scores)}, isa::Arch::gfx942);
      AttentionBackwardProblem p;
      p.heads = p.kv_heads = 1, p.queries = p.keys = 1024;
      return run_backward(kernels, p, {}, {}).instructions;
    };
    CHECK(instructions({window(63, 0)}) * 3 < instructions({window(4000, 4000)}));
  }
}

TEST_CASE("attention backward takes head dimensions of 64 and 128 and others", "[attention][backward][cli]") {
  for (const char* arch : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"})
    for (const char* dims : {"--head-dim 128", "--head-dim 120 --head-dim-v 64"}) {
      const std::string command =
          fmt::format("verify attention --backward --arch {} {} --h 2 --hkv 1 --sq 33 --sk 70 --causal {}", arch, dims,
                      arch[3] == '9' ? "--reduction atomic" : "");
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
    }
}

TEST_CASE("where a wave owns 64 keys, attention backward verifies with each option", "[attention][backward][cli]") {
  for (const char* options :
       {"--head-dim 128 --reduction atomic --h 2 --hkv 1 --sq 131 --sk 300 --causal",  // two heads in turn, odd lengths
        "--head-dim 128 --reduction atomic --sq 300 --sk 131 --mask t --type f16 --init int",
        "--head-dim 128 --reduction atomic --varlen --h 2 --hkv 1 --sq 20,0,1,140 --sk 33,5,0,270 --causal",
        "--head-dim 128 --sq 97 --sk 290 --mask t --deterministic --type f16",
        "--head-dim 96 --head-dim-v 72 --reduction atomic --sq 67 --sk 230 --causal",
        "--head-dim 80 --head-dim-v 128 --reduction atomic --sq 33 --sk 257",
        "--head-dim 128 --reduction atomic --sq 1 --sk 1",
        "--head-dim 128 --reduction atomic --sq 90 --sk 3 --causal"}) {
    const clitest::Ran r = clitest::run_program(fmt::format("verify attention --backward --arch gfx950 {}", options));
    INFO(options << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    CHECK_THAT(r.out, Catch::Contains("256 rows by 4 waves"));
  }
}

TEST_CASE("where tiles are loaded directly to LDS, no access of attention backward's loop conflicts",
          "[attention][backward]") {
  for (const Reduction reduction : {Reduction::ordered, Reduction::atomic}) {
    const AttentionBackward kernels =
        build_attention_backward({.head_dim = 128, .reduction = reduction}, isa::Arch::gfx950);
    AttentionBackwardProblem p;
    p.heads = p.kv_heads = 1, p.keys = 256;
    const auto conflicts = [&](uint32_t queries) {
      p.queries = queries;
      return run_backward(kernels, p, {}, {}).conflict_cycles[1];
    };
    CHECK(kernels.kernels[1].block_rows == 256);
    CHECK(conflicts(64) == conflicts(256));
  }
}

TEST_CASE("heads whose tiles fill an XCD together are dispatched in turn", "[attention][backward]") {
  const AttentionBackward kernels =
      build_attention_backward({.head_dim = 128, .reduction = Reduction::atomic}, isa::Arch::gfx950);
  AttentionBackwardProblem p;
  p.batch = 4, p.heads = p.kv_heads = 16, p.mask = Mask::bottom_right;
  // MI355X: 8 XCDs of 32 CUs, one workgroup of 256 keys on each
  for (const auto& [length, heads] : {std::pair{2048u, 32u}, {4096u, 16u}, {8192u, 8u}, {16384u, 8u}, {1024u, 64u}}) {
    p.queries = p.keys = length;
    CHECK(launch(kernels, p, {})[1].grid[0] == heads);
  }
}

TEST_CASE("attention backward gives zeros where there is nothing to sum", "[attention][backward][cli]") {
  for (const char* problem : {"--sq 0 --sk 10", "--sq 10 --sk 0", "--sq 90 --sk 3 --causal"}) {
    const clitest::Ran r = clitest::run_program(fmt::format("verify attention --backward --head-dim 64 {}", problem));
    INFO(problem << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
}

TEST_CASE("attention backward refuses what it does not take in one line", "[attention][backward][cli]") {
  clitest::refuses("verify attention --backward --sq 4 --soft-cap 0", {"soft cap 0", "positive"});
  clitest::refuses("verify attention --backward --sq 4 --bias", {"--bias", "legal"});
  clitest::refuses("verify attention --backward --sq 4 --dropout 1", {"dropout", "less than 1"});
  clitest::refuses("verify attention --backward --sq 4 --schedule sequential", {"--schedule", "legal"});
  clitest::refuses("verify attention --backward --sq 4 --page-size 16", {"--page-size", "legal"});
  clitest::refuses("verify attention --backward --sq 4 --init special", {"--init", "rand, int"});
  clitest::refuses("attention --backward --arch gfx908 --reduction atomic", {"gfx908", "legal: ordered"});
  clitest::refuses("attention --backward --reduction none", {"--reduction", "atomic ordered"});
  clitest::refuses("attention --backward --reduction atomic --deterministic", {"--deterministic", "ordered"});
  clitest::refuses("attention --reduction atomic", {"--reduction", "--backward"});
  clitest::refuses("attention --backward --head-dim 260", {"head dimension 260", "256"});
  clitest::refuses("attention --backward --arch gfx1100 --head-dim 256", {"gfx1100", "the nearest"});
  clitest::refuses("verify attention --backward --sq 4 --scale -1", {"scale is -1", "legal"});
}

TEST_CASE("attention backward writes one code object with its kernels", "[attention][backward][cli]") {
  const clitest::Directory d;
  const std::string co = d / "b.co", meta = d / "b.json", text = d / "b.s";
  const clitest::Ran made = clitest::run_program(
      fmt::format("attention --backward --arch gfx942 --head-dim 64 -o {} --meta {} --asm {}", co, meta, text));
  INFO(made.out << made.err);
  REQUIRE(made.status == 0);
  for (const char* part : {"_delta", "_dk_dv", "_dq"}) {
    const std::string name = std::string("attention_backward_bf16_d64") + part;
    CHECK_THAT(clitest::text(meta), Catch::Contains(name));
    CHECK_THAT(clitest::text(text), Catch::Contains(".amdhsa_kernel " + name));
    const clitest::Ran checked = clitest::run_program(fmt::format("check {} --kernel {}", co, name));
    INFO(checked.out << checked.err);
    CHECK(checked.status == 0);
  }
  // LLVM agrees with the text of several kernels.
  const int llvm = std::system(
      fmt::format("/usr/lib/llvm-22/bin/llvm-mc -triple amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj {} -o {} && "
                  "/usr/lib/llvm-22/bin/ld.lld -shared {} -o {}",
                  text, d / "b.o", d / "b.o", d / "mc.co")
          .c_str());
  REQUIRE(llvm == 0);
  const auto bytes_of = [](const std::string& path) {
    const auto object = sim::CodeObject::load(runtime::read_file(path));
    std::vector<std::vector<uint8_t>> all;
    for (const auto& kernel : object.kernels()) {
      const auto code = object.code(kernel.entry);
      all.emplace_back(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(kernel.code_end - kernel.entry));
    }
    return all;
  };
  CHECK(bytes_of(co).size() == 3);
  CHECK(bytes_of(co) == bytes_of(d / "mc.co"));
}

}  // namespace wavesmith::backward_test
