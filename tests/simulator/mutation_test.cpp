// What the sanitizers are for: a correct kernel from which one wait, barrier, nop or bound is taken away, or made a
// little weaker, is caught, whatever it is and on whatever target. In these kernels every one of them is needed; the
// kernel as it stands is clean. The same for a generated GEMM stands in gemm_test.cpp.
#include <map>

#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

struct Dialect {
  const char *target, *scalar_wait, *load_wait, *lds_wait, *barrier;
  const char* hazard;  // v6 = v5 by a way that needs a nop
  const char* bound;   // EXEC = work-items below s9
};
const char* all_gfx9 =
    "v_mov_b32 v6, 0\nv_add_u32 v7, v5, v6\ns_nop 1\nv_mov_b32_dpp v6, v7 quad_perm:[0,1,2,3] row_mask:0xf "
    "bank_mask:0xf\n";
const char* wide_mask = "v_cmp_gt_u32 vcc, s9, v0\ns_and_saveexec_b64 s[10:11], vcc\n";
const char* narrow_mask = "v_cmp_gt_u32 vcc_lo, s9, v0\ns_and_saveexec_b32 s10, vcc_lo\n";
const char* split = "s_barrier_signal -1\ns_barrier_wait -1\n";
const Dialect dialects[] = {
    {"gfx908", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_barrier\n", all_gfx9,
     wide_mask},
    {"gfx90a", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_barrier\n", all_gfx9,
     wide_mask},
    {"gfx942", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_barrier\n", all_gfx9,
     wide_mask},
    {"gfx950", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_barrier\n", all_gfx9,
     wide_mask},
    {"gfx1100", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_barrier\n",
     "v_rcp_f32 v6, v5\ns_waitcnt_depctr 0xfff\nv_mov_b32 v6, v6\n", narrow_mask},
    {"gfx1201", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0", split,
     "v_mov_b32 v10, v5\nv_mov_b32 v11, v5\nv_mov_b32 v12, v5\nv_mov_b32 v13, v5\nv_wmma_f32_16x16x16_f16 v[20:27], "
     "v[10:13], v[10:13], 0\nv_nop\nv_wmma_f32_16x16x16_f16 v[30:37], v[20:23], v[10:13], 0\nv_mov_b32 v6, v30\n",
     narrow_mask},
    {"gfx1250", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0", "s_wait_dscnt 0x0", split,
     "v_exp_f32 v6, v5\nv_nop\nv_mov_b32 v6, v6\n", narrow_mask},
};
bool is_gfx9(const Dialect& d) { return isa::target(*isa::find_arch(d.target)).wave_size == 64; }

std::string prologue(const Dialect& d) {
  return fmt::format("{} s[4:7], s[0:1], 0x0\nv_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 2, v0\n{}\n{} v3, 508, v1\n",
                     is_gfx9(d) ? "s_load_dwordx4" : "s_load_b128", d.scalar_wait,
                     is_gfx9(d) ? "v_sub_u32" : "v_sub_nc_u32");
}
std::string epilogue(const Dialect& d) {
  return fmt::format("s_movk_i32 s9, 0x7c\n{}{} v1, v6, s[6:7]\ns_endpgm\n", d.bound,
                     is_gfx9(d) ? "global_store_dword" : "global_store_b32");
}
// Two exchanges through the same words of LDS: memory -> LDS -> its mirror image -> LDS -> mirrored back.
std::string two_exchanges(const Dialect& d) {
  const char *write = is_gfx9(d) ? "ds_write_b32" : "ds_store_b32", *read = is_gfx9(d) ? "ds_read_b32" : "ds_load_b32";
  return prologue(d) +
         fmt::format(
             "{load} v2, v1, s[4:5]\n{vm}\n{write} v1, v2\n{ds}\n{barrier}{read} v4, v3\n{ds}\n{barrier}{write} v1, "
             "v4\n{ds}\n{barrier}{read} v5, v3\n{ds}\n",
             fmt::arg("load", is_gfx9(d) ? "global_load_dword" : "global_load_b32"), fmt::arg("vm", d.load_wait),
             fmt::arg("write", write), fmt::arg("ds", d.lds_wait), fmt::arg("barrier", d.barrier),
             fmt::arg("read", read)) +
         d.hazard + epilogue(d);
}
// Memory -> LDS past the registers, then the mirror image. The buffer ends a dword early.
std::string direct(const Dialect& d) {
  const std::string tail =
      fmt::format("{}{} v6, v3\n{}\n", d.barrier, is_gfx9(d) ? "ds_read_b32" : "ds_load_b32", d.lds_wait) + epilogue(d);
  if (!is_gfx9(d)) return prologue(d) + "global_load_async_to_lds_b32 v1, v1, s[4:5]\ns_wait_asynccnt 0x0\n" + tail;
  return prologue(d) +
         "s_mov_b32 s12, s4\ns_mov_b32 s13, s5\ns_movk_i32 s14, 0x1fc\ns_mov_b32 s15, 0x20000\nv_readfirstlane_b32 "
         "s16, v1\ns_mov_b32 m0, s16\ns_nop 0\n"
         "buffer_load_dword v1, s[12:15], 0 offen lds\ns_waitcnt vmcnt(0)\n" +
         tail;
}

struct Mutant {
  std::string kind, text, change;
};
// All that leave out one line, or weaken it by one.
std::vector<Mutant> mutants(const std::string& kernel) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < kernel.size();) {
    const size_t end = kernel.find('\n', at);
    lines.push_back(kernel.substr(at, end - at));
    at = end + 1;
  }
  std::vector<Mutant> out;
  const auto with = [&](size_t i, const std::string& line) {
    std::string s;
    for (size_t k = 0; k < lines.size(); ++k)
      if (const std::string& l = k == i ? line : lines[k]; !l.empty()) s += l + "\n";
    return s;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& l = lines[i];
    const auto kind = l.starts_with("s_wait")                  ? "wait"
                      : l.starts_with("s_barrier")             ? "barrier"
                      : l.starts_with("s_nop") || l == "v_nop" ? "nop"
                      : l.starts_with("s_movk_i32")            ? "bound"
                                                               : "";
    if (!*kind) continue;
    if (kind != std::string("bound")) out.push_back({kind, with(i, ""), "without " + l});
    std::string weaker;
    if (l.starts_with("s_waitcnt_depctr")) weaker = "s_waitcnt_depctr 0x1fff";
    else if (l.ends_with("cnt(0)")) weaker = l.substr(0, l.size() - 2) + "1)";
    else if (l.ends_with("cnt 0x0")) weaker = l.substr(0, l.size() - 1) + "1";
    else if (l == "s_nop 1") weaker = "s_nop 0";
    else if (kind == std::string("bound"))
      weaker = fmt::format("{}{:#x}", l.substr(0, l.find("0x")), std::stoi(l.substr(l.find("0x")), nullptr, 16) + 4);
    if (!weaker.empty()) out.push_back({kind, with(i, weaker), weaker + " for " + l});
  }
  return out;
}

sim::Result run_text(const std::string& target, const std::string& body, uint64_t in_bytes) {
  Bench b(in_bytes, 124 * 4);
  b.fill(std::vector<uint32_t>(in_bytes / 4, 7));
  b.launch.block = {128, 1, 1};
  Assembly a{body};
  a.target = target, a.lds = 512;
  return b.run(a.build());
}

void check_all(const char* target, const std::string& kernel, uint64_t in_bytes, std::map<std::string, int>& kinds) {
  CAPTURE(target, kernel);
  const auto clean = run_text(target, kernel, in_bytes);
  REQUIRE(fault_of(clean) == "none");
  CHECK_FALSE(clean.warning);
  for (const Mutant& m : mutants(kernel)) {
    CAPTURE(m.change);
    const auto broken = run_text(target, m.text, in_bytes);
    // LLVM alone asks for it, or kernels in use do without.
    const bool lenient = m.kind == std::string_view("nop") || m.change.find("depctr") != std::string::npos;
    CHECK((broken.fault || (lenient && broken.warning)));
    ++kinds[m.kind];
  }
}

}  // namespace

TEST_CASE("every wait, barrier, nop and bound of a kernel is missed when it is gone or weaker, on every generation",
          "[sim][mutation]") {
  std::map<std::string, int> kinds;
  for (const Dialect& d : dialects) check_all(d.target, two_exchanges(d), 512, kinds);
  CHECK(kinds["wait"] > 60);
  CHECK(kinds["barrier"] > 20);
  CHECK(kinds["nop"] > 8);
  CHECK(kinds["bound"] == 7);
}

TEST_CASE("loads into LDS are missed when their wait, barrier, M0 nop or bound is gone", "[sim][mutation]") {
  std::map<std::string, int> kinds;
  for (const Dialect& d : dialects)
    if (is_gfx9(d)) check_all(d.target, direct(d), 508, kinds);
    else if (d.target == std::string_view("gfx1250")) check_all(d.target, direct(d), 512, kinds);
  CHECK(kinds["nop"] == 4);
  CHECK(kinds["bound"] == 9);
}
