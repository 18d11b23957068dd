// Looking inside a run: a wave's instructions with what they wrote, registers in front of an instruction or at a fault,
// and who touches an address.
#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace clitest;
using Catch::Contains;

namespace {

// b[i] = a[i] + 1; v_add_u32 is 28 bytes after the entry.
constexpr const char* add_one =
    "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_lshlrev_b32 v1, 2, v0\n s_waitcnt lgkmcnt(0)\n global_load_dword v2, v1, "
    "s[4:5]\n s_waitcnt vmcnt(0)\n v_add_u32 v2, 1, v2\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n";

std::string launch(const Directory& d, const std::string& body) {
  simtest::Assembly a{body};
  wavesmith::runtime::write_file(d / "k.co", a.build());
  return fmt::format(
      "run {} --grid 2 --block 128 --buffer a=fill:1024:05000000 --buffer b=zeros:1024 --arg ptr:a --arg "
      "ptr:b ",
      d / "k.co");
}

}  // namespace

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
