// Looking inside a run: a wave's instructions with what they wrote, registers in front of an instruction or at a fault,
// and who touches an address.
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace clitest;
using namespace wavesmith;
using Catch::Contains;

namespace {

// b[i] = a[i] + 1; v_add_u32 is 28 bytes after the entry.
constexpr const char* add_one =
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n s_waitcnt lgkmcnt(0)\n global_load_dword v2, v1, "
    "s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v2, 1, v2\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n";

std::string launch(const Directory& d, const std::string& body, const std::string& target = "gfx942", int lds = 0) {
  simtest::Assembly a{body};
  a.target = target, a.lds = lds;
  wavesmith::runtime::write_file(d / "k.co", a.build());
  return fmt::format(
      "run {} --grid 2 --block 128 --buffer a=fill:1024:05000000 --buffer b=zeros:1024 --arg ptr:a --arg "
      "ptr:b ",
      d / "k.co");
}

// Three times around; LLVM's assembler writes the lines.
constexpr const char* counted =
    ".file 1 \"kernels\" \"author.cpp\"\n .loc 1 42\n s_mov_b32 s8, 3\n k_loop:\n .loc 1 43\n s_sub_u32 s8, s8, 1\n "
    "s_cmp_lg_u32 s8, 0\n .loc 1 44\n s_cbranch_scc1 k_loop\n .loc 1 45\n s_endpgm\n";

// A small generated GEMM and the `run` of one tile with eight k-slices, all zeros.
std::string generated(const Directory& d) {
  REQUIRE(run_program(fmt::format("gemm --tile 64x64x64 --kernel gemm -o {}", d / "g.co")).status == 0);
  std::string run = fmt::format(
      "run {} --grid 1 --buffer a=fill:524288:0000 --buffer d=zeros:524288 --arg ptr:d --arg ptr:d --arg ptr:a --arg "
      "ptr:a --arg u32:64 --arg u32:64",
      d / "g.co");
  for (const char* zero : {"u64:0", "u64:0", "u64:0", "u64:0"})
    run.insert(run.find(" --arg u32"), fmt::format(" --arg {}", zero));
  for (int i = 0; i < 5; ++i) run += " --arg u32:512";  // K and the leading dimensions
  return run + " --arg f32:1 --arg f32:0 ";
}

}  // namespace

TEST_CASE("run --break takes labels and the author's lines, each time they are reached", "[cli][look][lines]") {
  const Directory d;
  const std::string run = launch(d, counted) + "--workgroup 1 --dump s8 ";
  for (const char* where : {"k_loop", "author.cpp:43", "kernels/author.cpp:43"}) {
    const Ran r = run_program(run + "--break " + where);
    INFO(where << "\n" << r.out << r.err);
    CHECK(r.status == 0);
    CHECK_THAT(r.out,
               Contains("s_sub_u32 s8, s8, 1 at kernels/author.cpp:43: workgroup 1,0,0, wave 0\n  s8       0x3\n") &&
                   Contains("  s8       0x2\n") && Contains("  s8       0x1\n"));
  }
  CHECK_THAT(run_program(run + "--break k_loop+8").out, Contains("s_cbranch_scc1 k_loop at kernels/author.cpp:44"));
  refuses(run + "--break author.cpp:7", {"no instruction of 'author.cpp:7'", "kernels/author.cpp"});
  refuses(run + "--break uthor.cpp:43", {"no instruction of 'uthor.cpp:43'"});
  refuses(run + "--break k_lop", {"no label 'k_lop'", "FILE:LINE", "k k_loop with +BYTES"});
}

TEST_CASE("run --trace and faults name the author's lines, and branches their labels", "[cli][look][lines]") {
  const Directory d;
  CHECK_THAT(run_program(launch(d, counted) + "--trace").out, Contains("; kernels/author.cpp:42\n") &&
                                                                  Contains("s_cbranch_scc1 k_loop") &&
                                                                  Contains("; kernels/author.cpp:45\n"));
  const std::string faulty =
      ".file 1 \"kernels\" \"author.cpp\"\n .loc 1 7\n s_nop 0\n .loc 1 8\n v_mov_b32 v2, 0\n v_mov_b32 v3, 0\n "
      "global_load_dword v1, v[2:3], off\n s_endpgm\n";
  const Ran r = run_program(launch(d, faulty));
  CHECK(r.status == 1);
  CHECK_THAT(r.err, Contains("'global_load_dword v1, v[2:3], off' at kernels/author.cpp:8, workgroup"));
  CHECK_THAT(run_program(launch(d, faulty) + "--json").out, Contains("\"where\": \"kernels/author.cpp:8\""));
  const Ran checked = run_program(fmt::format("check {} --no-advice", d / "k.co"));
  CHECK_THAT(checked.out, Contains("author.cpp:8") || Contains("0 findings"));
}

TEST_CASE("generated code objects are debugged by label, line and Block", "[cli][look][lines]") {
  const Directory d;
  const std::string run = generated(d);
  const std::string listing = run_program(fmt::format("inspect {} --listing", d / "g.co")).out;
  const std::string name = "pipeline";  // the loop
  CHECK_THAT(listing, Contains("\npipeline:\n; kernels/gemm/") && Contains("s_cbranch_scc0 pipeline\n"));
  const Ran r = run_program(run + "--break " + name);
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains(" at kernels/gemm/") && Contains("workgroup 0,0,0, wave 0\n  exec_lo  0xffffffff\n"));
  CHECK_THAT(
      run_program(fmt::format("inspect {} --listing --json", d / "g.co")).out,
      Contains("\"label\": \"" + name + "\"") && Contains("\"where\": \"kernels/gemm/") && Contains("\"note\": "));
  const Ran timed = run_program("time" + run.substr(3));
  CHECK_THAT(timed.out, Contains(name + " at kernels/gemm/"));
  CHECK_THAT(run_program("time" + run.substr(3) + "--json").out, Contains("\"where\": \"kernels/gemm/"));
}

TEST_CASE("findings of check name the author's line in text and JSON", "[cli][check][lines]") {
  const Directory d;
  launch(d,
         ".file 1 \"kernels\" \"author.cpp\"\n .loc 1 5\n s_load_dword s4, s[0:1], 0x0\n .loc 1 6\n s_mov_b32 s5, s4\n "
         "s_endpgm\n");
  const std::string command = fmt::format("check {} --no-advice", d / "k.co");
  CHECK_THAT(run_program(command).out,
             Contains(": kernels/author.cpp:6: s_mov_b32 s5, s4: ") && Contains(", kernels/author.cpp:5"));
  CHECK_THAT(run_program(command + " --json").out, Contains("\"where\": \"kernels/author.cpp:6\""));
}

TEST_CASE("run --watch sees scalar memory and LDS", "[cli][look]") {
  const Directory d;
  const std::string scalar =
      "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_mov_b32 s8, 9\n s_waitcnt lgkmcnt(0)\n s_store_dword s8, s[6:7], 0x10\n "
      "s_load_dword s9, s[4:5], 0x10\n s_waitcnt lgkmcnt(0)\n s_dcache_wb\n s_endpgm\n";
  CHECK_THAT(run_program(launch(d, scalar, "gfx90a") + "--watch b+16").out,
             Contains("s_store_dword s8, s[6:7], 0x10: writes b+16: workgroup 0,0,0, wave 0, 4 bytes from"));
  CHECK_THAT(run_program(launch(d, scalar, "gfx90a") + "--watch a+19").out,
             Contains("s_load_dword s9, s[4:5], 0x10: reads a+19: workgroup 1,0,0, wave 1, 4 bytes from"));
  const std::string lds =
      "v_lshlrev_b32 v1, 3, v0\n v_mov_b32 v2, 1\n v_mov_b32 v3, 2\n ds_write_b64 v1, v[2:3]\n s_waitcnt lgkmcnt(0)\n "
      "s_barrier\n ds_read_b32 v4, v1 offset:4\n ds_add_u32 v1, v2\n s_waitcnt lgkmcnt(0)\n s_endpgm\n";
  const Ran r = run_program(launch(d, lds, "gfx942", 1024) + "--watch lds:0x105");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(
      r.out,
      Contains("ds_write_b64 v1, v[2:3]: writes lds:0x105: workgroup 0,0,0, wave 0, lane 32, 8 bytes from 0x100") &&
          Contains(
              "ds_read_b32 v4, v1 offset:4: reads lds:0x105: workgroup 1,0,0, wave 0, lane 32, 4 bytes from 0x104"));
  CHECK(r.out.find("changes") == r.out.npos);
  CHECK_THAT(run_program(launch(d, lds, "gfx942", 1024) + "--watch lds:0x100").out,
             Contains("ds_add_u32 v1, v2: changes lds:0x100: workgroup 0,0,0, wave 0, lane 32, 4 bytes from 0x100"));
  refuses(launch(d, lds, "gfx942", 1024) + "--watch lds:x", {"--watch lds:", "'x'"});
}

TEST_CASE("a workgroup that no CU can hold is refused in the same line by run and time", "[cli][launch]") {
  const Directory d;
  simtest::Assembly a{"s_endpgm"};  // 192 registers of 512: two waves a SIMD, eight a CU
  runtime::write_file(d / "k.co", a.build());
  for (const char* command : {"run", "time"})
    refuses(fmt::format("{} {} --grid 1 --block 1024 --arg u64:0 --arg u64:0", command, d / "k.co"),
            {"k: not one workgroup of 1024 work-items fits on a CU: VGPRs; legal: fewer work-items"});
}

TEST_CASE("run --trace prints a wave's instructions and the registers that each wrote", "[cli][look]") {
  const Directory d;
  const Ran r = run_program(launch(d, add_one) + "--trace --wave 1 --workgroup 1");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  const std::string trace = r.out.substr(0, r.out.find("\n\n") + 1);
  CHECK(lines(trace) == 8);
  CHECK_THAT(trace, Contains("v_lshlrev_b32_e32 v1, 2, v0  ; v1 = [0x100 0x104 0x108") &&
                        Contains("global_load_dword v2, v1, s[4:5]  ; v2 = 0x5\n") &&
                        Contains("v_add_u32_e32 v2, 1, v2  ; v2 = 0x6\n") &&
                        Contains("global_store_dword v1, v2, s[6:7]\n"));
  CHECK_THAT(r.out, Contains("instructions  32 issued"));  // and the rest of the answer
}

TEST_CASE("run --break shows registers as they are before an instruction", "[cli][look]") {
  const Directory d;
  const Ran r = run_program(launch(d, add_one) + "--break k+0x1c --dump v2,s8-s9,exec");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out, Contains("v_add_u32_e32 v2, 1, v2: workgroup 0,0,0, wave 0\n  v2       0x5\n  s8") &&
                        Contains("exec_lo  0xffffffff\n  exec_hi  0xffffffff\n"));
  CHECK_THAT(run_program(launch(d, add_one) + "--dump v2").out,
             Contains("at the end: workgroup 0,0,0, wave 0\n  v2       0x6\n"));
  const Ran nowhere = run_program(launch(d, add_one) + "--break 0x4 --dump v2");
  CHECK(nowhere.status == 0);
  CHECK_THAT(nowhere.err, Contains("--break was not reached"));
}

TEST_CASE("registers at a fault are shown where it happens", "[cli][look]") {
  const Directory d;
  const std::string body =
      "v_mov_b32 v3, 7\n v_mov_b32 v4, v9\n s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n "
      "global_store_dword v4, v3, s[6:7]\n s_endpgm\n";
  for (const char* look : {"--dump v3", "--break k+0x14 --dump v3"}) {
    const Ran r = run_program(launch(d, body) + look);
    INFO(look << "\n" << r.out << r.err);
    CHECK(r.status == 1);
    CHECK_THAT(r.out,
               Contains("global_store_dword v4, v3, s[6:7] (faults): workgroup 0,0,0, wave 0\n  v3       0x7\n"));
    CHECK_THAT(r.err, Contains("v4, which is undefined: it comes from v9, which was never written"));
  }
}

TEST_CASE("run --watch names every access to a byte", "[cli][look]") {
  const Directory d;
  const Ran r = run_program(launch(d, add_one) + "--watch b+9");
  INFO(r.out << r.err);
  CHECK(r.status == 0);
  CHECK_THAT(r.out,
             Contains("global_store_dword v1, v2, s[6:7]: writes b+9: workgroup 1,0,0, wave 0, lane 2, 4 bytes"));
  CHECK(r.out.find("reads") == std::string::npos);
}

TEST_CASE("looks that cannot be are refused with what is legal", "[cli][look]") {
  const Directory d;
  const std::string run = launch(d, add_one);
  refuses(run + "--break nowhere --dump v1", {"no label 'nowhere'", "k with +BYTES"});
  refuses(run + "--break 0x1500 --dump q7", {"'q7'", "legal: v0"});
  refuses(run + "--dump v300", {"'v300'", "gfx942"});
  refuses(run + "--watch c", {"no buffer 'c'", "a b"});
  const Ran json = run_program(run + "--trace --json");
  CHECK(json.status == 2);
  CHECK_THAT(json.err, Contains("--json") && Contains("legal"));
}

TEST_CASE("an address made with a register that nobody wrote is blamed on that register", "[cli][look]") {
  const Directory d;
  const std::string
      load = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_mov_b32 v1, 0\n s_waitcnt lgkmcnt(0)\n",
      store = " s_add_u32 s6, s6, s13\n s_addc_u32 s7, s7, 0\n global_store_dword v1, v1, s[6:7]\n s_endpgm\n";
  for (const char* made :
       {"s_mov_b32 s13, s12\n", "s_lshl_b32 s13, s12, 8\n", "s_mul_i32 s13, s12, 5\n s_add_u32 s13, s13, 4\n"}) {
    const Ran r = run_program(launch(d, load + made + store));
    INFO(made << r.err);
    CHECK(r.status == 1);
    CHECK_THAT(r.err, Contains("reads s6") && Contains("it comes from s12, which was never written"));
  }
}

TEST_CASE("inspect --registers counts live registers by basic block, and with --listing by instruction",
          "[cli][look]") {
  const Directory d;
  launch(d, add_one);
  const Ran r = run_program(fmt::format("inspect {} --registers --listing", d / "k.co"));
  INFO(r.out << r.err);
  REQUIRE(r.status == 0);
  // Counted by hand: v1 (the address) and v2; s[0:1] and s[4:7] at the load of the arguments.
  CHECK_THAT(r.out, Contains("VGPRs AGPRs SGPRs  most at   block\n") && Contains("  2     0     6  "));
  CHECK_THAT(r.out, Contains("  v2   a0   s2    v_add_u32_e32 v2, 1, v2\n") &&
                        Contains("  v2   a0   s2    global_store_dword v1, v2, s[6:7]\n") &&
                        Contains("  v0   a0   s0    s_endpgm\n"));

  launch(d, counted);
  const auto j = nlohmann::json::parse(run_program(fmt::format("inspect {} --registers --json", d / "k.co")).out);
  const auto& blocks = j["kernels"][0]["registers"]["blocks"];
  REQUIRE(blocks.size() == 3);  // before the loop, the loop, after it
  const std::vector<int> instructions = {1, 3, 1}, scalars = {1, 1, 0};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(blocks[i]["instructions"] == instructions[i]);
    CHECK(blocks[i]["live"] == nlohmann::json({{"vgprs", 0}, {"agprs", 0}, {"sgprs", scalars[i]}}));
  }
  CHECK(blocks[1]["label"] == "k_loop");
  CHECK(blocks[1]["where"] == "kernels/author.cpp:43");
}

TEST_CASE("inspect --loops says what each loop issues, inner ones within outer ones", "[cli][look]") {
  const Directory d;
  simtest::Assembly a{
      "s_mov_b32 s8, 3\n outer:\n s_mov_b32 s9, 2\n inner:\n v_add_u32 v1, 1, v1\n v_exp_f32 v2, v1\n "
      "v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]\n ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n "
      "s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 inner\n global_load_dword v4, v1, s[4:5]\n s_sub_u32 "
      "s8, "
      "s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 outer\n s_endpgm\n"};
  a.target = "gfx942";
  runtime::write_file(d / "k.co", a.build());
  const Ran r = run_program(fmt::format("inspect {} --loops --json", d / "k.co"));
  INFO(r.out << r.err);
  REQUIRE(r.status == 0);
  const auto loops = nlohmann::json::parse(r.out)["kernels"][0]["loops"];
  REQUIRE(loops.size() == 2);
  const auto &outer = loops[0], &inner = loops[1];
  CHECK(outer["depth"] == 1);
  CHECK(inner["depth"] == 2);
  CHECK(outer["instructions"] == 13);
  CHECK(inner["instructions"] == 8);
  CHECK(inner["label"] == "inner");
  CHECK(inner["matrix"] == 1);
  CHECK(inner["matrix_clocks"] == 32);  // CDNA3 ISA: 8 passes of 4
  CHECK(inner["valu"] == 1);
  CHECK(inner["transcendental"] == 1);
  CHECK(inner["lds"] == 1);
  CHECK(inner["vector_memory"] == 0);
  CHECK(outer["vector_memory"] == 1);
  CHECK(inner["others_per_matrix_clock"] == 7.0 / 32);
  CHECK(run_program(fmt::format("inspect {} --loops", d / "k.co")).out.find("inner") != std::string::npos);
  a.body = "s_endpgm\n";
  runtime::write_file(d / "k.co", a.build());
  CHECK_THAT(run_program(fmt::format("inspect {} --loops", d / "k.co")).out, Contains("no loops"));
}
