// The GEMM kernels against a naive product in double precision, written without looking at the kernel. Every run has all checks
// on; device allocations are exactly as large as the matrices, with unmapped space around them, so nothing outside is touched.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "isa_tables/mc.h"
#include "kernels/gemm.h"
#include "simulator/simulator.h"

using namespace wavesmith;
using isa::Type;

namespace {

// -- Number formats, the slow and obvious way --
double from_bits(uint32_t bits, Type t) {
  if (t == Type::f32 || t == Type::bf16) {
    const uint32_t b = t == Type::bf16 ? bits << 16 : bits;
    float f;
    std::memcpy(&f, &b, 4);
    return f;
  }
  const int sign = bits >> 15 & 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction ? NAN : sign ? -INFINITY : INFINITY;
  const double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return sign ? -magnitude : magnitude;
}
uint32_t random_bits(std::mt19937& g, Type t) {            // multiples of 1/64 in [-1, 1]: exact in every format
  const float v = static_cast<float>(static_cast<int>(g() % 129) - 64) / 64;
  uint32_t b;
  std::memcpy(&b, &v, 4);
  if (t == Type::f32) return b;
  if (t == Type::bf16) return b >> 16;
  if (v == 0) return 0;
  return (b >> 16 & 0x8000) | ((b >> 23 & 255) - 112) << 10 | (b >> 13 & 1023);
}
// Unit roundoff of the stored result.
double roundoff(Type t) { return t == Type::f32 ? 0x1p-24 : t == Type::f16 ? 0x1p-11 : 0x1p-8; }

struct Matrix {                                            // column-major, `batch` of them `stride` apart
  Type type;
  uint32_t rows, cols, ld, batch;
  std::vector<uint8_t> bytes;
  uint64_t stride() const { return cols ? uint64_t{ld} * (cols - 1) + rows : 0; }    // as tight as can be
  size_t at(uint32_t r, uint32_t c, uint32_t z) const { return (z * stride() + uint64_t{c} * ld + r) * width(); }
  int width() const { return isa::bits(type) / 8; }
  double get(uint32_t r, uint32_t c, uint32_t z) const {
    uint32_t b = 0;
    std::memcpy(&b, &bytes[at(r, c, z)], width());
    return from_bits(b, type);
  }
};
Matrix random_matrix(std::mt19937& g, Type t, uint32_t rows, uint32_t cols, uint32_t pad, uint32_t batch) {
  Matrix m{t, rows, cols, rows + pad, batch, {}};
  m.bytes.resize(m.stride() * batch * m.width());
  for (size_t i = 0; i < m.bytes.size(); i += m.width()) {
    const bool padding = i / m.width() % m.stride() % m.ld >= rows;
    const uint32_t b = padding ? UINT32_MAX : random_bits(g, t);   // NaN: nothing of it may come into a sum, not even times zero
    std::memcpy(&m.bytes[i], &b, m.width());
  }
  return m;
}

struct Case {
  GemmConfig config;
  uint32_t m, n, k, pad = 0, batch = 1;
  float alpha = 1, beta = 0;
};

struct Outcome { sim::Result result; double error = 0, bound = 0; bool padding_kept = true; };

Outcome run(const Case& t, const std::vector<uint8_t>& code) {
  std::mt19937 g(t.m * 31 + t.n * 7 + t.k);
  const auto& cfg = t.config;
  Matrix a = cfg.trans_a ? random_matrix(g, cfg.input, t.k, t.m, t.pad, t.batch) : random_matrix(g, cfg.input, t.m, t.k, t.pad, t.batch);
  Matrix b = cfg.trans_b ? random_matrix(g, cfg.input, t.n, t.k, t.pad, t.batch) : random_matrix(g, cfg.input, t.k, t.n, t.pad, t.batch);
  Matrix c = random_matrix(g, cfg.output, t.m, t.n, t.pad, t.batch), d = random_matrix(g, cfg.output, t.m, t.n, t.pad, t.batch);
  const Matrix before = d;
  sim::Memory memory;
  const auto place = [&](const Matrix& m, const char* name) {
    const uint64_t at = memory.allocate(m.bytes.size(), name);
    memory.write(at, m.bytes);
    return at;
  };
  const uint64_t pa = place(a, "A"), pb = place(b, "B"), pc = t.beta != 0 ? place(c, "C") : 0, pd = place(d, "D");
  const GemmProblem problem{t.m, t.n, t.k, a.ld, b.ld, c.ld, d.ld, a.stride(), b.stride(), c.stride(), d.stride(), t.batch, t.alpha, t.beta};
  const GemmLaunch l = launch(cfg, problem, {pa, pb, pc, pd});
  const auto co = sim::CodeObject::load(code);
  Outcome out;
  out.result = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = {l.block, 1, 1}, .kernargs = l.kernargs});
  memory.read(pd, d.bytes);
  // |error| <= k u32 sum|a b| |alpha| for any order of summation in f32 (Higham, Accuracy and Stability, 3.1), plus one f32
  // rounding each for alpha, beta, and one of the output format. Relative to the largest sum of magnitudes.
  double largest = 0;
  for (uint32_t z = 0; z < t.batch; ++z)
    for (uint32_t j = 0; j < t.n; ++j)
      for (uint32_t i = 0; i < t.m; ++i) {
        double sum = 0, magnitude = 0;
        for (uint32_t x = 0; x < t.k; ++x) {
          const double p = (cfg.trans_a ? a.get(x, i, z) : a.get(i, x, z)) * (cfg.trans_b ? b.get(j, x, z) : b.get(x, j, z));
          sum += p;
          magnitude += std::abs(p);
        }
        const double want = t.alpha * sum + (t.beta != 0 ? t.beta * c.get(i, j, z) : 0);
        const double scale = std::abs(t.alpha) * magnitude + (t.beta != 0 ? std::abs(t.beta * c.get(i, j, z)) : 0);
        largest = std::max(largest, scale);
        const double error = std::abs(d.get(i, j, z) - want);
        out.error = std::isnan(error) ? INFINITY : std::max(out.error, error);
      }
  out.bound = ((t.k + 3) * 0x1p-24 + roundoff(cfg.output) * 1.01) * largest;
  for (uint32_t z = 0; z < t.batch; ++z)
    for (uint32_t j = 0; j + 1 < t.n; ++j)
      for (uint32_t i = t.m; i < d.ld; ++i) out.padding_kept &= !std::memcmp(&d.bytes[d.at(i, j, z)], &before.bytes[before.at(i, j, z)], d.width());
  return out;
}

void check_right(const Case& t) {
  const Outcome o = run(t, assemble(build_gemm(t.config, Arch::gfx942)).bytes);
  INFO(kernel_name(t.config) << " m " << t.m << " n " << t.n << " k " << t.k << " pad " << t.pad << " alpha " << t.alpha << " beta " << t.beta);
  INFO((o.result.fault ? o.result.fault->message() : "no fault"));
  CHECK_FALSE(o.result.fault);
  CHECK(o.error <= o.bound);
  CHECK(o.padding_kept);
}

constexpr Tile small{64, 64, 64};
const std::vector<Tile> tiles = {{256, 256, 64}, {128, 128, 64}, {64, 64, 64}, {256, 128, 64}, {64, 256, 64}, {128, 64, 64}};

}  // namespace

TEST_CASE("every transpose, type and scaling is right at awkward sizes", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const Type in = GENERATE(Type::f16, Type::bf16), out = GENERATE(Type::f16, Type::bf16, Type::f32);
  check_right({{in, out, ta, tb, small}, 77, 69, 135, 3, 2, 1.5f, -0.5f});
}

TEST_CASE("every size from one up is right, tight or padded", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  struct Size { uint32_t m, n, k; };
  const auto s = GENERATE(Size{1, 1, 1}, Size{1, 65, 64}, Size{65, 1, 63}, Size{64, 64, 64}, Size{31, 33, 1}, Size{128, 64, 128}, Size{63, 130, 97});
  check_right({{Type::f16, Type::f32, ta, tb, small}, s.m, s.n, s.k});
  check_right({{Type::f16, Type::f32, ta, tb, small}, s.m, s.n, s.k, 1});
}

TEST_CASE("every tile and division into waves is right", "[gemm]") {
  const auto tile = GENERATE(Tile{256, 256, 64}, Tile{128, 128, 64}, Tile{128, 256, 64}, Tile{256, 64, 64});
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  check_right({{Type::bf16, Type::f32, ta, tb, tile}, 260, 259, 200, 0});
}

TEST_CASE("beta zero does not read C and alpha zero reads neither A nor B", "[gemm]") {
  Case t{{Type::f16, Type::f32, true, false, small}, 40, 50, 70, 0, 1, 1, -0.0f};
  const auto code = assemble(build_gemm(t.config, Arch::gfx942)).bytes;
  CHECK_FALSE(run(t, code).result.fault);                  // C is a null pointer
  t.alpha = 0;
  const Outcome o = run(t, code);
  CHECK_FALSE(o.result.fault);
  CHECK(o.error == 0);
}

TEST_CASE("blocks at the edge, few iterations and misaligned columns are right for every transpose", "[gemm]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const auto tile = GENERATE(Tile{64, 64, 64}, Tile{128, 64, 64});
  const uint32_t k = GENERATE(64u, 71u, 72u, 128u, 136u, 192u, 201u, 256u, 320u);    // the loop's exits; its last block gone or there at an edge
  check_right({{Type::f16, Type::f32, ta, tb, tile}, 64, 64, k, 1});                 // columns at every multiple of 2 bytes
  check_right({{Type::f16, Type::f32, ta, tb, tile}, 9, 71, k, 0, 2});               // tight: nothing may be read behind the matrix
  check_right({{Type::f16, Type::f32, ta, tb, tile}, 1, 1, k});
}

TEST_CASE("no LDS access conflicts, for any transpose and tile", "[gemm]") {
  const auto tile = GENERATE(from_range(tiles));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const Case t{{Type::f16, Type::f32, ta, tb, tile}, 256, 256, 200};                 // three iterations and the rest of K
  const Outcome o = run(t, assemble(build_gemm(t.config, Arch::gfx942)).bytes);
  REQUIRE_FALSE(o.result.fault);
  CHECK(o.error <= o.bound);
  CHECK(o.result.lds_accesses > 0);
  CHECK(o.result.lds_conflict_cycles == 0);
}

TEST_CASE("a kernel with one wait, barrier or s_nop taken out, or one wait a little weaker, is caught", "[gemm][sim][mutation]") {
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  // bf16 results: rounding them is the one place that needs s_nop (a VALU comparison's mask read by v_cndmask).
  // C read; six whole blocks and one for the rest of K; then the loop's other exit, and too few blocks for the loop, the slots going on in the rest.
  Case t{{Type::f16, Type::bf16, ta, tb, small}, 64, 64, 424, 0, 1, 1, 1};
  const Program good = build_gemm(t.config, Arch::gfx942);
  const Outcome whole = run(t, assemble(good).bytes);
  REQUIRE_FALSE(whole.result.fault);
  REQUIRE_FALSE(whole.result.warning);
  int tried = 0, caught = 0, nops = 0;
  std::string missed;
  for (size_t i = 0; i < good.nodes.size(); ++i) {
    const Node& n = good.nodes[i];
    const Opcode op = n.inst.op;
    if (n.directive != Directive::none || (op != Opcode::s_waitcnt && op != Opcode::s_barrier && op != Opcode::s_nop)) continue;
    CHECK_FALSE((n.hot && op == Opcode::s_nop));
    Program broken = good;
    broken.nodes.erase(broken.nodes.begin() + static_cast<int>(i));
    const auto attempt = [&](const char* how) {
      ++tried;
      const auto code = assemble(broken).bytes;
      const bool found = std::ranges::any_of(std::array{424u, 488u, 104u, 168u}, [&](uint32_t depth) {
        t.k = depth;
        const Outcome o = run(t, code);
        return o.result.fault || o.result.warning;         // a mask's wait states are advice (hazards.def)
      });
      caught += found;
      if (!found) missed += fmt::format("not caught: {} {} at node {}, written in {} line {}\n", how, isa::print(n.inst, Arch::gfx942), i, n.block, n.where.line());
    };
    attempt("without");
    nops += op == Opcode::s_nop;
    if (op != Opcode::s_waitcnt || ta || tb) continue;     // one layout will do for each count one weaker
    broken = good;
    for (int c = 0; c < isa::wait_counters; ++c) {
      isa::Waits w = isa::waits_of(n.inst, Arch::gfx942);
      if (w[c] < 0) continue;
      ++w[c];
      broken.nodes[i].inst = isa::wait_instruction(op, w, Arch::gfx942);
      attempt("one weaker:");
    }
  }
  INFO(kernel_name(t.config) << "\n" << missed);
  CHECK(caught == tried);
  CHECK(tried > 30);
  CHECK(nops > 0);
}

TEST_CASE("configurations that cannot be are refused with what is legal", "[gemm]") {
  CHECK_THROWS_WITH(build_gemm({.block = {100, 64, 64}}, Arch::gfx942), Catch::Contains("100x64x64") && Catch::Contains("64, 128 or 256"));
  CHECK_THROWS_WITH(build_gemm({.block = {64, 64, 32}}, Arch::gfx942), Catch::Contains("legal is 64"));
  CHECK_THROWS_WITH(build_gemm({.block = {256, 256, 64}, .waves_m = 1, .waves_n = 4}, Arch::gfx1100), Catch::Contains("gfx1100"));
  CHECK_THROWS_WITH(build_gemm({.input = Type::f32}, Arch::gfx942), Catch::Contains("f16 or bf16"));
  CHECK_THROWS_WITH(launch({}, {.m = 8, .n = 8, .k = 8, .lda = 7, .ldb = 8, .ldd = 8}, {}), Catch::Contains("lda is 7"));
  CHECK_THROWS_WITH(launch({.trans_a = true}, {.m = 256, .n = 8, .k = 8, .lda = 1 << 23, .ldb = 8, .ldd = 256}, {}), Catch::Contains("lda is 8388608") && Catch::Contains("or less"));
  CHECK_NOTHROW(launch({.trans_a = true}, {.m = 256, .n = 8, .k = 8, .lda = 1 << 22, .ldb = 8, .ldd = 256}, {}));
}

TEST_CASE("the printed assembly gives llvm-mc and ld.lld the same bytes, and the same input the same file", "[gemm][mc]") {
  const Program p = build_gemm({.trans_a = true, .block = {128, 128, 64}}, Arch::gfx942);
  const auto ours = assemble(p).bytes;
  CHECK(ours == assemble(build_gemm({.trans_a = true, .block = {128, 128, 64}}, Arch::gfx942)).bytes);
  char dir[] = "/tmp/wavesmith-test-XXXXXX";
  REQUIRE(mkdtemp(dir));
  const std::string base = std::string(dir) + "/k";
  std::ofstream(base + ".s") << assembly(p);
  std::ofstream(base + ".co", std::ios::binary).write(reinterpret_cast<const char*>(ours.data()), static_cast<std::streamsize>(ours.size()));
  const std::string commands = "cd " + std::string(dir) +
                               " && llvm-mc-22 -triple amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj k.s -o k.o && ld.lld-22 -shared k.o -o theirs.co && for s in .text .rodata .note; do "
                               "llvm-objcopy-22 -O binary -j $s k.co ours.bin && llvm-objcopy-22 -O binary -j $s theirs.co theirs.bin && cmp ours.bin theirs.bin && test -s ours.bin || exit 1; done";
  CHECK(std::system(commands.c_str()) == 0);
  std::system(("rm -r " + std::string(dir)).c_str());
}
