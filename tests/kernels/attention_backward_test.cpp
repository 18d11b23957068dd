// Attention backward: the f64 reference of `verify` against finite differences of its forward; the kernels against that
// reference on every target, through the command line; order of workgroups; strides and bounds through the library.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

#include "isa_tables/names.h"
#include "kernels/attention/backward.h"
#include "simulator/numerics/formats.h"
#include "simulator/simulator.h"
#include "tests/support/command.h"
#include "tools/commands/backward_reference.h"

namespace wavesmith::backward_test {
namespace {

std::vector<double> normal_numbers(size_t n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& each : x) each = normal(random);
  return x;
}

}  // namespace

TEST_CASE("the reference's gradients are the finite differences of the forward in f64", "[attention][backward]") {
  std::mt19937 random(5);
  for (const int64_t diagonal : {INT64_C(1) << 40, INT64_C(0), INT64_C(3), INT64_C(-2)}) {
    tools::BackwardHead h{.queries = 5, .keys = 7, .dim = 8, .dim_v = 16, .scale = 0.3, .diagonal = diagonal};
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
      "--head-dim 16 --h 2 --sq 67 --sk 40 --causal --scale 8"};
  size_t next = 0;
  for (const auto& target : isa::all_targets())
    for (const char* type : {"f16", "bf16"}) {
      const std::string command = fmt::format("verify attention --backward --arch {} --type {} {}", target.name, type,
                                              options[next++ % std::size(options)]);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
      CHECK_THAT(r.out, Catch::Contains("right"));
    }
}

TEST_CASE("attention backward takes head dimensions of 64 and 128 and others", "[attention][backward][cli]") {
  for (const char* arch : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"})
    for (const char* dims : {"--head-dim 128", "--head-dim 120 --head-dim-v 64"}) {
      const std::string command =
          fmt::format("verify attention --backward --arch {} {} --h 2 --hkv 1 --sq 33 --sk 70 --causal", arch, dims);
      const clitest::Ran r = clitest::run_program(command);
      INFO(command << "\n" << r.out << r.err);
      CHECK(r.status == 0);
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
  clitest::refuses("verify attention --backward --sq 4 --soft-cap 3", {"--backward", "masks alone"});
  clitest::refuses("verify attention --backward --sq 4 --schedule sequential", {"--schedule", "legal"});
  clitest::refuses("verify attention --backward --sq 4 --page-size 16", {"--page-size", "legal"});
  clitest::refuses("verify attention --backward --sq 4 --init special", {"--init", "rand, int"});
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
