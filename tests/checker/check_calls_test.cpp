// Registers in flight across calls: into a function that does not wait, and out of one that leaves loads on their way.
// The simulator, which runs the same kernels, says which are wrong.
#include "checker/check.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using isa::Arch;

namespace {

using Found = std::vector<std::string>;

// "instruction: what the finding names as in flight" of each finding in the kernel k.
Found findings(const std::vector<uint8_t>& file) {
  const auto object = sim::CodeObject::load(file);
  checker::Decoder decoder(object.arch(), object.kernel("k").wave_size);
  Found out;
  for (const auto& f : checker::check(object, object.kernel("k"), decoder, {.advice = false}).findings)
    out.push_back(fmt::format("{}: {}: {}", f.instruction, f.rule, f.what.substr(0, f.what.find(" at "))));
  return out;
}

struct CallDialect {
  const char *target, *load, *move, *vmem;
};
constexpr CallDialect call_dialects[] = {{"gfx942", "global_load_dword", "v_mov_b32", "s_waitcnt vmcnt(0)"},
                                         {"gfx1100", "global_load_b32", "v_mov_b32", "s_waitcnt vmcnt(0)"},
                                         {"gfx1200", "global_load_b32", "v_mov_b32", "s_wait_loadcnt 0x0"}};

// A kernel that loads v2 and calls a function, which moves v2, loads v3 and returns; the kernel then moves v3.
std::vector<uint8_t> kernel(const CallDialect& d, const char* before_call, const char* at_entry, const char* at_return,
                            const char* after_call) {
  Assembly a{
      fmt::format("v_mov_b32 v1, 0\n{1} v2, v1, s[0:1]\n{3}\ns_call_b64 s[30:31], .Lf\n{6}\n{2} v4, "
                  "v3\ns_endpgm\n.Lf:\n{4}\n{2} v5, v2\n{1} v3, v1, s[0:1]\n{5}\ns_setpc_b64 s[30:31]\n",
                  d.target, d.load, d.move, before_call, at_entry, at_return, after_call)};
  a.target = d.target;
  return a.build();
}

}  // namespace

TEST_CASE("loads in flight at a call are so in the function, and those in flight at its return are so after the call",
          "[check]") {
  for (const CallDialect& d : call_dialects) {
    CAPTURE(d.target);
    const auto into = fmt::format("v_mov_b32 v5, v2: register in flight: reads v2 while {} v2, v1, s[0:1]", d.load),
               out_of = fmt::format("v_mov_b32 v4, v3: register in flight: reads v3 while {} v3, v1, s[0:1]", d.load);
    const auto judge = [&](const char* before, const char* entry, const char* at_return, const char* after,
                           const Found& want) {
      CAPTURE(before, entry, at_return, after);
      const auto file = kernel(d, before, entry, at_return, after);
      CHECK(findings(file) == want);
      Bench b;
      const auto r = b.run(file);
      CHECK((r.fault && r.fault->kind == sim::Fault::Kind::in_flight) == !want.empty());
    };
    const char* wait = d.vmem;
    judge("", wait, wait, "", {});  // clang's way
    judge(wait, "", "", wait, {});
    judge("", "", wait, "", {into});
    judge("", wait, "", "", {out_of});
    judge("", "", "", "", {out_of, into});
  }
}

TEST_CASE("what is in flight at one call of a function is not so after another", "[check]") {
  const auto file = [](const char* after) {
    return Assembly{
        fmt::format("v_mov_b32 v1, 0\nv_mov_b32 v6, 0\ns_call_b64 s[30:31], .Lf\nv_mov_b32 v7, v6\nglobal_load_dword "
                    "v6, v1, s[0:1]\ns_call_b64 s[30:31], .Lf\n{}\nv_mov_b32 v8, v6\ns_endpgm\n"
                    ".Lf:\nv_mov_b32 v5, 1\ns_setpc_b64 s[30:31]\n",
                    after)}
        .build();
  };
  CHECK(findings(file("s_waitcnt vmcnt(0)")).empty());
  CHECK(findings(file("s_nop 0")) ==
        Found{"v_mov_b32 v8, v6: register in flight: reads v6 while global_load_dword v6, v1, s[0:1]"});
}

TEST_CASE("calls follow one another down the tree, the address of a call is waited for, and recursion ends",
          "[check]") {
  const auto nested = [](const char* at_return) {
    return Assembly{fmt::format("v_mov_b32 v1, 0\ns_call_b64 s[30:31], .Lf\nv_mov_b32 v4, v3\ns_endpgm\n"
                                ".Lf:\ns_mov_b64 s[34:35], s[30:31]\ns_call_b64 s[30:31], .Lg\ns_mov_b64 s[30:31], "
                                "s[34:35]\ns_setpc_b64 s[30:31]\n"
                                ".Lg:\nglobal_load_dword v3, v1, s[0:1]\n{}\ns_setpc_b64 s[30:31]\n",
                                at_return)}
        .build();
  };
  CHECK(findings(nested("s_waitcnt vmcnt(0)")).empty());
  CHECK(findings(nested("s_nop 0")) ==
        Found{"v_mov_b32 v4, v3: register in flight: reads v3 while global_load_dword v3, v1, s[0:1]"});
  CHECK(findings(Assembly{"s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_swappc_b64 s[30:31], s[4:5]\ns_endpgm\n"}.build()) ==
        Found{"s_swappc_b64 s[30:31], s[4:5]: register in flight: reads s4 while s_load_dwordx2 s[4:5], s[0:1], 0"});
  const char* recursive =
      "v_mov_b32 v1, 0\ns_mov_b32 s8, 3\nglobal_load_dword v2, v1, s[0:1]\ns_call_b64 s[30:31], .Lf\ns_endpgm\n"
      ".Lf:\nv_mov_b32 v5, v2\ns_sub_u32 s8, s8, 1\ns_cmp_eq_u32 s8, 0\ns_cbranch_scc1 .Lback\ns_call_b64 s[30:31], "
      ".Lf\n.Lback:\ns_setpc_b64 s[30:31]\n";
  CHECK(findings(Assembly{recursive}.build()) ==
        Found{"v_mov_b32 v5, v2: register in flight: reads v2 while global_load_dword v2, v1, s[0:1]"});
}
