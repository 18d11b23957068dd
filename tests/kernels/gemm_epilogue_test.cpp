// The parts of an epilogue, one by one and together, on every target, through the command line: `verify gemm` compares
// with the formula of kernels/parts/epilogue.h in f64, written for it alone.
#include <nlohmann/json.hpp>

#include "isa_tables/opcodes.h"
#include "tests/kernels/gemm_bench.h"
#include "tests/support/command.h"
#include "tests/support/sampling.h"

namespace wavesmith::gemm_bench {
namespace {

using clitest::refuses;
using clitest::run_program;

const char* const targets[] = {"gfx908",  "gfx90a",  "gfx942",  "gfx950", "gfx1100",
                               "gfx1151", "gfx1200", "gfx1201", "gfx1250"};
std::vector<std::string> every_word() {
  std::vector<std::string> words;
  for (const EpiloguePartInfo& p : epilogue_parts()) words.push_back(epilogue_of({p.part}).words().front());
  for (const ActivationInfo& a : activations()) words.emplace_back(a.name);
  words.emplace_back("clamp:-0.75:1.5");
  return words;
}
const std::string everything =
    "bias,bias-col,scale-a,scale-b,scale-c,scale-a-row,scale-b-col,gelu-erf,clamp:-0.5:2,residual,absmax,scale-d,"
    "scale-d-row,scale-d-col";

nlohmann::json right(const std::string& options) {
  const clitest::Ran r = run_program("verify gemm --json " + options);
  INFO("verify gemm " << options << "\n" << r.out << r.err);
  CHECK(r.status == 0);
  return r.status == 0 ? nlohmann::json::parse(r.out) : nlohmann::json{};
}

}  // namespace

TEST_CASE("each part of an epilogue is right on every target, with tails and special values", "[gemm][epilogue]") {
  uint32_t turn = 0;
  const char* const outputs[] = {"f32", "f16", "bf16"};
  const char* const inits[] = {"rand", "special", "int"};
  const char* const sizes[] = {"-m 75 -n 67 -k 20 --beta 0.5", "-m 64 -n 72 -k 9", "-m 1 -n 65 -k 3 --beta 2",
                               "-m 77 -n 3 -k 40 --batch-count 2 --ldd 80"};
  for (const char* target : targets)
    for (const std::string& word : every_word()) {
      if (!in_sample(++turn)) continue;
      right(fmt::format("--arch {} --tile 64x64x64 --epilogue {} --d {} --init {} {}", target, word, outputs[turn % 3],
                        inits[turn / 3 % 3], sizes[turn % 4]));
    }
}

TEST_CASE("all parts of an epilogue together are right on every target", "[gemm][epilogue]") {
  for (const char* target : targets)
    for (const char* output : {"f32", "f16", "bf16"})
      right(
          fmt::format("--arch {} --tile 64x64x64 --epilogue {} --d {} -m 75 -n 67 -k 20 --beta 0.5 --alpha 1.5 "
                      "--batch-count 2 --ld_residual 81 --ldc 80",
                      target, everything, output));
}

TEST_CASE("an epilogue follows sums of every type: of f64 and i32 what only adds", "[gemm][epilogue]") {
  right("--arch gfx90a --a f64 --tile 64x64x16 --epilogue bias,bias-col,residual -m 75 -n 67 -k 20 --beta 2");
  right("--arch gfx942 --a i8 --tile 64x64x128 --epilogue bias,bias-col,residual -m 75 -n 67 -k 20 --beta 2");
  right("--arch gfx1201 --a fp8 --tile 64x64x128 --epilogue " + everything + " -m 75 -n 67 -k 20");
  right("--arch gfx1100 --a i8 --d bf16 --tile 64x64x128 --epilogue scale-a-row,scale-b-col,silu -m 75 -n 67 -k 20");
  refuses("gemm --arch gfx90a --a f64 --epilogue scale-a",
          {"scale_a with D of f64", "legal: bias, bias_col, residual"});
  refuses("gemm --a i8 --epilogue absmax", {"absmax with D of i32", "legal: bias, bias_col, residual"});
  refuses("gemm --a i8 --epilogue clamp:0:6", {"clamp with D of i32"});
}

TEST_CASE("alpha and beta may be on the device, for sums of every type", "[gemm][epilogue]") {
  for (const char* target : targets) {
    right(fmt::format("--arch {} --tile 64x64x64 --alpha-device --beta-device --alpha 1.5 --beta -2 -m 75 -n 67 -k 20",
                      target));
    right(fmt::format("--arch {} --tile 64x64x64 --alpha-device --alpha 1.5 --beta 0.5 -m 75 -n 67 -k 20", target));
  }
  right("--arch gfx90a --a f64 --tile 64x64x16 --alpha-device --beta-device --beta 3 -m 75 -n 67 -k 20");
  right("--arch gfx942 --a i8 --tile 64x64x128 --beta-device --beta 3 --alpha -2 -m 75 -n 67 -k 20");
  right("--d f32 --split-k 3 --tile 64x64x64 --alpha-device --beta-device --beta 3 -m 75 -n 67 -k 200");
  right("--tile 64x64x64 --alpha-device --alpha 0 --beta 1 --init special -m 75 -n 67 -k 20");
}

TEST_CASE("an activation's error is what the table of activations says, over all magnitudes", "[gemm][epilogue]") {
  const ActivationInfo& a = GENERATE(from_range(activations().begin(), activations().end()));
  const GemmConfig config{
      .input = Type::f32, .output = Type::f32, .block = {64, 64, 32}, .epilogue = {.activation = a.activation}};
  const auto code = assemble(build_gemm(config, Arch::gfx942)).bytes;
  // D = f(A B) with K = 1 and B = 1: A's values are the arguments. 2^18 of them, and their negatives.
  constexpr uint32_t rows = 1024, columns = 512;
  std::vector<float> x(rows), y(columns), d(size_t{rows} * columns);
  for (uint32_t i = 0; i < rows; ++i)
    x[i] = std::ldexp(1 + static_cast<float>(i % 32) / 32.0f, static_cast<int>(i) / 32 - 26);
  for (uint32_t i = 0; i < columns; ++i) y[i] = (1 + static_cast<float>(i / 2) / 8192.0f) * (i % 2 ? -1.0f : 1.0f);
  sim::Memory memory;
  const auto place = [&](const std::vector<float>& v, const char* name) {
    const uint64_t at = memory.allocate(v.size() * 4, name);
    memory.write(at, {reinterpret_cast<const uint8_t*>(v.data()), v.size() * 4});
    return at;
  };
  const GemmPointers at{.a = place(x, "A"), .b = place(y, "B"), .d = place(d, "D")};
  const KernelLaunch l =
      launch(config, Arch::gfx942, {.m = rows, .n = columns, .k = 1, .lda = rows, .ldb = 1, .ldd = rows}, at);
  const auto co = sim::CodeObject::load(code);
  REQUIRE_FALSE(sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs}).fault);
  memory.read(at.d, {reinterpret_cast<uint8_t*>(d.data()), d.size() * 4});
  double worst = 0;
  for (uint32_t j = 0; j < columns; ++j)
    for (uint32_t i = 0; i < rows; ++i) {
      const double argument = x[i] * y[j];
      const double error = std::abs(d[size_t{j} * rows + i] - activated(a.activation, argument));
      worst = std::max(worst, error / std::abs(argument) / 0x1p-23);
    }
  CAPTURE(a.name, worst);
  CHECK(worst <= a.error);
  if (a.error > 0) CHECK(worst > 0.2);  // the table is not far too generous
}

TEST_CASE("hipblaslt-bench's names of an epilogue mean the same", "[gemm][epilogue][cli]") {
  const std::string problem = " --tile 64x64x64 -m 70 -n 67 -k 20";
  for (const auto& [theirs, ours] :
       {std::pair("--scaleA 1 --scaleB 2 --scaleD 1 --amaxD --bias_vector --activation_type gelu",
                  "scale_a_scale_b_col_bias_gelu_absmax_scale_d"),
        {"--scaleA 2 --scaleB 1 --scaleC 1", "scale_b_scale_c_scale_a_row"},
        {"--scaleAlpha_vector --activation_type clamp --activation_arg1 -1 --activation_arg2 2.5",
         "scale_a_row_clamp_m1_2p5"},
        {"--scaleC --scaleD", "scale_c_scale_d"},
        {"--scaleA 0 --activation_type none", "2x2"}})
    CHECK(right(theirs + problem)["kernel"].get<std::string>().ends_with(ours));
  refuses("verify gemm --scaleA 3" + problem, {"--scaleA: '3'", "legal: 0 1 2"});
  refuses("verify gemm --activation_type clamp" + problem, {"clamp without bounds", "--activation_arg1 LOW"});
  refuses("verify gemm --activation_type tanh" + problem, {"'tanh'", "legal: none clamp relu gelu gelu-erf silu"});
}

TEST_CASE("an epilogue that cannot be is refused in one line with what is legal", "[gemm][epilogue][cli]") {
  refuses("gemm --epilogue bias,tanh", {"--epilogue: 'bias,tanh'", "relu gelu gelu-erf silu"});
  refuses("gemm --epilogue relu,gelu", {"--epilogue", "one of"});
  refuses("gemm --epilogue clamp:1", {"clamp:LOW:HIGH"});
  refuses("gemm --epilogue clamp:a:1", {"'a' is not a number"});
  refuses("gemm --epilogue clamp:2:1", {"clamp from 2 to 1", "lower bound first"});
  refuses("gemm --epilogue nosat", {"nosat with D of f16", "legal: fp8 and bf8"});
  refuses("gemm --d f32 --split-k 2 --reduction atomic --epilogue scale-a", {"split_k is 2 with an epilogue"});
}

TEST_CASE("8-bit floats are stored by targets that convert to them, saturated or not; refused elsewhere",
          "[gemm][epilogue]") {
  uint32_t turn = 0;
  for (const char* target : targets)
    for (const char* output : {"fp8", "bf8"}) {
      const std::string options = fmt::format("--arch {} --d {} --tile 64x64x64", target, output);
      if (!isa::info(Opcode::v_cvt_pk_fp8_f32).on(*isa::find_arch(target))) {
        refuses("gemm " + options, {"C and D of", "legal: f16 bf16 f32"});
        continue;
      }
      // Some results overflow with alpha 300; whole 16 bytes a lane, or single bytes.
      for (const char* how : {"", "--epilogue nosat", "--epilogue scale-a-row,bias,bias-col,residual,absmax,scale-d",
                              "--init special", "--init special --epilogue nosat,silu"})
        for (const char* size : {"-m 75 -n 67 -k 9 --beta 0.5 --alpha 300", "-m 64 -n 65 -k 9 --beta 40",
                                 "-m 80 -n 3 -k 9 --ldd 84 --alpha 300"})
          if (in_sample(turn++)) right(fmt::format("{} {} {}", options, how, size));
      right(fmt::format("--arch {} --a bf8 --d {} --transa t --tile 128x64x128 -m 130 -n 67 -k 40", target, output));
    }
}

TEST_CASE("i8 results are rounded to the nearest and saturate, on every target", "[gemm][epilogue]") {
  for (const char* target : targets)
    for (const char* how :
         {"--alpha 0.001", "--alpha 0.01 --beta 1", "--alpha 0.002 --epilogue bias,scale-b-col,residual",
          "--alpha 0.001 --epilogue scale-a-row --init special"})
      right(fmt::format("--arch {} --a i8 --d i8 --tile 64x64x128 -m 75 -n 67 -k 40 {}", target, how));
  refuses("gemm --a f16 --d i8", {"C and D of i8 with A of f16", "legal: f16 bf16 f32 fp8 bf8"});
}

TEST_CASE("gated, the second half of op(A)'s rows is multiplied by the activation of the first, on every target",
          "[gemm][epilogue]") {
  uint32_t turn = 0;
  const char* const transposes[] = {"", "--transa t", "--transb t", "--transa t --transb t"};
  const char* const outputs[] = {"f32", "f16", "bf16"};
  for (const char* target : targets)
    for (const char* words :
         {"silu,gated", "gated,bias,gelu,bias-col,scale-a-row,clamp:-1:2,residual,absmax,scale-d-row"})
      for (const char* how : {"-m 75 -n 67 -k 70", "-m 33 -n 3 -k 9 --tile 128x64x64 --init special",
                              "-m 64 -n 65 -k 64 --batch-count 2 --tile 64x64x64", "-m 1 -n 1 -k 1"}) {
        if (!in_sample(++turn)) continue;
        right(fmt::format("--arch {} {} --epilogue {} --d {} {}", target, transposes[(turn + turn / 4) % 4], words,
                          outputs[turn % 3], how));
      }
  right("--arch gfx950 --transa t --schedule direct --tile 128x128x64 -m 100 -n 70 -k 200 --epilogue silu,gated");
  right("--a fp8 --d fp8 --tile 128x64x128 -m 100 -n 70 -k 200 --epilogue silu,gated,scale-a,scale-b,scale-d");
  right("--arch gfx1100 --a i8 --d i8 --tile 128x64x128 -m 100 -n 70 -k 99 --epilogue relu,gated --alpha 0.001");
  // 96 rows a wave: halves of 48 are instructions of 16 rows, not of 32.
  right("--transa t --tile 96x64x64 -m 77 -n 70 -k 99 --epilogue gated");
  right("--arch gfx908 --transa t --tile 192x128x64 -m 100 -n 70 -k 64 --epilogue relu,gated");
  // An activation that underflows times infinity; one that is within its error of zero times a large number.
  right("--arch gfx1100 --epilogue silu,gated --init special -m 65 -n 129 -k 288 --seed 22");
  right("--arch gfx942 --epilogue gelu,gated --init special -m 65 -n 129 -k 288 --seed 9");
  refuses("verify gemm --epilogue gated -m 4 -n 4 -k 4 --beta 1", {"--beta: 1 with a gated", "legal: 0"});
  refuses("gemm --epilogue gated --beta-device", {"gated with a factor of C", "legal: neither"});
  refuses("gemm --a i8 --epilogue gated", {"gated with D of i32"});
  refuses("gemm --d fp8 --tile 32x32x64 --waves 1x1 --epilogue gated", {"gated with D of fp8", "legal: 64 rows"});
}

TEST_CASE("results of every size pass through LDS without conflicts, gated or not", "[gemm][epilogue]") {
  for (const char* name : targets) {
    const Arch arch = *isa::find_arch(name);
    for (const Type output : {Type::f32, Type::f16, Type::fp8})
      for (const bool gated : {false, true}) {
        const GemmConfig config{
            .output = output, .trans_a = true, .block = {128, 64, 64}, .epilogue = {.gated = gated}};
        if (!is_legal(config, arch)) continue;
        sim::Memory memory;
        const GemmPointers at{.a = memory.allocate(256 * 64 * 2, "A"),
                              .b = memory.allocate(64 * 64 * 2, "B"),
                              .d = memory.allocate(128 * 64 * 4, "D")};
        const KernelLaunch l = launch(config, arch, {.m = 128, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldd = 128}, at);
        const auto co = sim::CodeObject::load(assemble(build_gemm(config, arch)).bytes);
        const auto r = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
        INFO(kernel_name(config) << " " << name << " " << (r.fault ? r.fault->message() : ""));
        CHECK_FALSE(r.fault);
        CHECK(r.lds_accesses > 0);
        CHECK(r.lds_conflict_cycles == 0);
      }
  }
}

TEST_CASE("whole, aligned parts of D without C are stored without LDS, and are as right as others",
          "[gemm][epilogue]") {
  struct Kind {
    const char* options;
    Arch arch;
    std::optional<Opcode> mma;
    Type output;
  };
  for (const Kind& kind : {Kind{"--arch gfx950 --d bf16 --mma v_mfma_f32_32x32x16_bf16", Arch::gfx950,
                                Opcode::v_mfma_f32_32x32x16_bf16, Type::bf16},
                           {"--arch gfx950 --d bf16 --mma v_mfma_f32_16x16x32_bf16", Arch::gfx950,
                            Opcode::v_mfma_f32_16x16x32_bf16, Type::bf16},
                           {"--arch gfx90a --d f32 --mma v_mfma_f32_16x16x16_bf16", Arch::gfx90a,
                            Opcode::v_mfma_f32_16x16x16_bf16, Type::f32}}) {
    GemmConfig config{.input = Type::bf16, .output = kind.output, .trans_a = true, .block = {128, 64, 64}};
    config.mma = kind.mma;
    const auto co = sim::CodeObject::load(assemble(build_gemm(config, kind.arch)).bytes);
    const auto accesses = [&](uint32_t m, uint32_t ldd) {
      sim::Memory memory;
      const GemmPointers at{.a = memory.allocate(128 * 64 * 2, "A"),
                            .b = memory.allocate(64 * 64 * 2, "B"),
                            .d = memory.allocate(uint64_t{ldd} * 64 * 4, "D")};
      const KernelLaunch l =
          launch(config, kind.arch, {.m = m, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldd = ldd}, at);
      const auto r = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
      REQUIRE_FALSE(r.fault);
      return r.lds_accesses;
    };
    INFO(kind.options);
    CHECK(accesses(128, 128) < accesses(127, 128));
    if (kind.output == Type::bf16) CHECK(accesses(128, 128) < accesses(128, 129));  // columns not of whole dwords
    for (const char* more : {"-m 256 -n 128", "-m 250 -n 120", "-m 128 -n 64 --ldd 129", "-m 128 -n 128 --beta 2",
                             "-m 128 -n 64 --epilogue gelu,scale-a,scale-d --alpha 0.5 --order late",
                             "-m 128 -n 64 --split-k 2 --reduction ordered", "-m 128 -n 64 --batch-count 2"})
      right(fmt::format("{} --a bf16 --transa t --tile 128x64x64 -k 130 {}", kind.options, more));
  }
}

TEST_CASE("whole, aligned parts of D without C are stored beside the last products by schedule refill",
          "[gemm][epilogue]") {
  const auto stores_before_products = [](const GemmConfig& config) {
    bool stored = false, both = false;
    for (const Node& n : build_gemm(config, Arch::gfx950).nodes) {
      if (!n.is_instruction() || n.inst.info().unit == isa::Unit::branch) stored = false;  // straight-line code
      else if (n.inst.info().is_matrix()) both |= stored;
      else stored |= n.inst.op == Opcode::buffer_store_dwordx4;
    }
    return both;
  };
  GemmConfig config{.input = Type::bf16,
                    .output = Type::bf16,
                    .trans_a = true,
                    .block = {128, 128, 128},
                    .schedule = GemmSchedule::refill};
  CHECK(stores_before_products(config));
  config.stages = 3;
  CHECK_FALSE(stores_before_products(config));
  config.stages = 2, config.output = Type::f32;
  CHECK_FALSE(stores_before_products(config));  // not 16 bytes of a column at a time
  config.mma = Opcode::v_mfma_f32_16x16x32_bf16;
  CHECK(stores_before_products(config));
  const GemmConfig shuffled{.input = Type::fp8,
                            .output = Type::bf16,
                            .trans_a = true,
                            .block = {128, 128, 256},
                            .schedule = GemmSchedule::refill,
                            .block_scales = BlockScales::shuffled};
  CHECK(stores_before_products(shuffled));
  for (const char* kind :
       {"--a bf16 --tile 128x128x128", "--a f16 --d f16 --tile 128x64x128 --mma v_mfma_f32_16x16x32_f16",
        "--a fp8 --d bf16 --tile 128x128x256", "--a mxfp4 --d bf16 --tile 128x128x512",
        "--a mxfp6 --b mxfp4 --d bf16 --tile 128x128x256",
        "--a bf16 --d f32 --tile 128x128x128 --mma v_mfma_f32_16x16x32_bf16",
        "--a mxfp4 --d bf16 --tile 128x128x512 --scale-layout shuffled",
        "--a mxfp8 --d bf16 --tile 128x128x256 --scale-layout shuffled",
        "--a bf16 --tile 128x128x128 --split-k 3 --stream-k 2 --reduction ordered"})
    for (const char* more :
         {"-m 256 -n 128 -k 2048", "-m 128 -n 384 -k 2560", "-m 128 -n 128 -k 1024 --init special --order late",
          "-m 128 -n 256 -k 1056", "-m 250 -n 120 -k 1024", "-m 128 -n 128 -k 1024 --ldd 129",
          "-m 128 -n 128 -k 1024 --beta 2", "-m 128 -n 128 -k 512",
          "-m 128 -n 128 -k 1536 --epilogue gelu,scale-a,scale-d --alpha 0.5 --batch-count 2 --order random:3"})
      right(fmt::format("--arch gfx950 {} --transa t --schedule refill {}", kind, more));
}

TEST_CASE("a quantised D is written with its scales: of f32 for 128 rows, of E8M0 for 32", "[gemm][epilogue]") {
  const char* const inits[] = {"rand", "special"};
  size_t turn = 0;
  for (const char* target : {"gfx942", "gfx950", "gfx1200", "gfx1201", "gfx1250"})
    for (const char* output : {"fp8", "bf8"})
      for (const char* size : {"-m 300 -n 67 -k 20", "-m 128 -n 70 -k 64 --batch-count 2", "-m 1 -n 1 -k 1",
                               "-m 129 -n 35 -k 9 --alpha 1e-20"}) {
        const std::string options =
            fmt::format("--arch {} --d {} --init {} {}", target, output, inits[turn++ % 2], size);
        right(fmt::format("{} --tile {} --epilogue quant128", options,
                          std::string_view(target).starts_with("gfx9") ? "256x64x64 --waves 2x2" : "128x64x64"));
        if (std::string_view(target) != "gfx942") right(options + " --tile 64x64x64 --epilogue mx");
      }
  right("--arch gfx950 --d fp8 --tile 128x64x64 -m 100 -n 67 -k 20 --epilogue silu,gated,mx,absmax,scale-d,residual");
  right(
      "--arch gfx942 --a fp8 --d fp8 --transa t --tile 128x64x128 --waves 1x2 -m 300 -n 67 -k 200 --epilogue "
      "quant128,bias,scale-a-row");
  refuses("gemm --d fp8 --epilogue mx", {"mx on gfx942", "not OCP's", "legal: gfx950 gfx1200 gfx1201 gfx1250"});
  refuses("gemm --epilogue mx", {"mx with D of f16", "legal: fp8 and bf8"});
  refuses("gemm --arch gfx1201 --d fp8 --tile 64x64x64 --epilogue quant128",
          {"rows of D per wave", "legal: multiples of 128"});
  refuses("gemm --arch gfx950 --d fp8 --epilogue mx,nosat", {"nosat with mx"});
}

// What lies beyond D must not count: rows past M repeat the last one's sums with other biases.
TEST_CASE("factors that are NaNs of any bits make every element of D a NaN", "[gemm][epilogue]") {
  for (const Type input : {Type::bf16, Type::fp8})
    for (const EpiloguePart part :
         {EpiloguePart::scale_a, EpiloguePart::scale_d, EpiloguePart::scale_a_row, EpiloguePart::scale_d_col})
      for (const Arch arch : {Arch::gfx942, Arch::gfx1100, Arch::gfx1200}) {
        GemmConfig config{.input = input, .output = Type::bf16, .trans_a = true, .block = {64, 64, 64}};
        config.epilogue = epilogue_of({part});
        if (!is_legal(config, arch)) continue;
        sim::Memory memory;
        GemmPointers at{.a = memory.allocate(64 * 64 * 2, "A"),
                        .b = memory.allocate(64 * 64 * 2, "B"),
                        .d = memory.allocate(64 * 64 * 2, "D")};
        const std::vector<uint8_t> zeros(64 * 64 * 2);
        memory.write(at.a, zeros), memory.write(at.b, zeros);
        const std::vector<uint32_t> nans(64, 0xffffffff);  // rounding carries into the exponent and beyond the sign
        at.epilogue[part] = memory.allocate(nans.size() * 4, "factors");
        memory.write(at.epilogue[part], {reinterpret_cast<const uint8_t*>(nans.data()), 4 * nans.size()});
        const KernelLaunch l = launch(config, arch, {.m = 64, .n = 64, .k = 64, .lda = 64, .ldb = 64, .ldd = 64}, at);
        const auto co = sim::CodeObject::load(assemble(build_gemm(config, arch)).bytes);
        const auto r = sim::run(co, co.kernel(""), memory, {.grid = l.grid, .block = l.block, .kernargs = l.kernargs});
        INFO(kernel_name(config) << " " << isa::target(arch).name << " " << (r.fault ? r.fault->message() : ""));
        REQUIRE_FALSE(r.fault);
        std::vector<uint16_t> d(64 * 64);
        memory.read(at.d, {reinterpret_cast<uint8_t*>(d.data()), 2 * d.size()});
        CHECK(std::ranges::all_of(d, [](uint16_t v) { return (v & 0x7fff) > 0x7f80; }));
      }
}

TEST_CASE("absmax is that of D's elements alone, NaN if one of them is", "[gemm][epilogue]") {
  for (const char* target : targets)
    for (const char* size : {"-m 75 -n 67 -k 5", "-m 3 -n 2 -k 1", "-m 65 -n 64 -k 5 --batch-count 3"})
      right(fmt::format("--arch {} --tile 64x64x64 --epilogue absmax,bias,bias-col --d f32 {}", target, size));
  right("--tile 64x64x64 --epilogue absmax --init special -m 200 -n 200 -k 5");
}

}  // namespace wavesmith::gemm_bench
