// Programs whose results others saw on silicon (tests/facts/README.md): each runs here from its bytes and must
// leave the same registers.
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/lane_program.h"

using namespace simtest;
using nlohmann::json;

namespace {

const std::string vectors_path = std::string(WAVESMITH_SOURCE) + "/tests/facts/vectors/hw_vectors.jsonl";

std::string longs(const std::string& hex) {  // the bytes of one instruction
  std::string s = ".byte ";
  for (size_t i = 0; i < hex.size(); i += 2) s += (i ? ", 0x" : "0x") + hex.substr(i, 2);
  return s + "\n";
}

struct Wanted {
  std::string reg;
  int index = 0;
  std::map<int, uint32_t> lanes;
};  // lane -1: a scalar
std::vector<Wanted> wanted(const json& vector) {
  std::vector<Wanted> all;
  for (const auto& [reg, value] : vector["asserted"].items()) {
    Wanted w{reg};
    if (value.is_object())
      for (const auto& [lane, bits] : value.items())
        w.lanes[std::stoi(lane)] = static_cast<uint32_t>(bits.get<uint64_t>());
    else w.lanes[-1] = static_cast<uint32_t>(value.get<uint64_t>());
    all.push_back(w);
  }
  return all;
}

// Registers as the vectors want them at the start; afterwards the wanted ones are stored, 64 dwords each, from lane
// registers.
std::string vector_program(const json& vector, const isa::Target& t, const std::vector<Wanted>& want) {
  const auto lanes = vector["lanes"].get<int>(), wave = vector["wave"].get<int>();
  const bool old = t.family <= isa::Family::cdna4, wide = wave == 64;
  std::string s = "s_mov_b64 s[80:81], s[0:1]\nv_and_b32 v255, 0x3ff, v0\n";
  for (int i = 0; i < 16; ++i) s += fmt::format("v_mov_b32 v{0}, 0\ns_mov_b32 s{0}, 0\n", i);
  s += "s_mov_b64 vcc, 0\ns_cmp_eq_u32 s0, 1\n";  // SCC = 0
  const uint64_t mask = lanes >= wave ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
  s += fmt::format("s_mov_b32 exec_lo, 0x{:x}\n", static_cast<uint32_t>(mask));
  if (wide) s += fmt::format("s_mov_b32 exec_hi, 0x{:x}\n", static_cast<uint32_t>(mask >> 32));
  for (const auto& hex : vector["hex"]) s += longs(hex.get<std::string>());
  s += "s_cselect_b32 s94, 1, 0\ns_mov_b32 s95, exec_lo\ns_mov_b32 s96, vcc_lo\n";
  s += wide ? "s_mov_b64 exec, -1\n" : "s_mov_b32 exec_lo, -1\n";
  s += t.workgroup_ids_in_ttmp() ? "s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_storecnt 0x0\ns_wait_kmcnt 0x0\n"
                                 : "s_waitcnt vmcnt(0) lgkmcnt(0)\n";
  s += fmt::format("{} s[90:91], s[80:81], 0x8\n{}\nv_lshlrev_b32 v254, 2, v255\n",
                   old ? "s_load_dwordx2" : "s_load_b64",
                   t.workgroup_ids_in_ttmp() ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)");
  for (size_t i = 0; i < want.size(); ++i) {
    const std::string& r = want[i].reg;
    const std::string from = r == "scc" ? "s94" : r == "exec" ? "s95" : r == "vcc" ? "s96" : r;
    s += fmt::format("v_mov_b32 v253, {}\n{} v254, v253, s[90:91] offset:{}\n", from,
                     old ? "global_store_dword" : "global_store_b32", 256 * i);
  }
  return s + "s_endpgm\n";
}

// The vectors were taken with f32 denormals flushed: one of them multiplies a denormal by two.
struct VectorOutcome {
  std::string wrong, not_run;
};
VectorOutcome run_vector(const json& vector) {
  const isa::Arch arch = *isa::find_arch(vector["arch"].get<std::string>());
  const auto want = wanted(vector);
  const std::string text = vector_program(vector, isa::target(arch), want);
  Bench bench(65536, 256 * std::max<size_t>(want.size(), 1));
  bench.options.checks = {.undefined = false, .in_flight = true, .hazards = false, .races = false};
  bench.launch.block = {std::max(vector["wave"].get<uint32_t>(), vector["lanes"].get<uint32_t>()), 1, 1};
  const auto r = bench.run(kernel_object(arch, text, {.denorm_f32 = 0}, 1024, vector["wave"].get<int>()));
  if (r.fault && r.fault->kind == sim::Fault::Kind::unknown_instruction) return {{}, r.fault->text};
  if (r.fault) return {r.fault->message(), {}};
  const auto out = bench.result<uint32_t>(64 * want.size());
  VectorOutcome o;
  for (size_t i = 0; i < want.size(); ++i)
    for (const auto& [lane, bits] : want[i].lanes)
      if (const uint32_t got = out[64 * i + std::max(lane, 0)]; got != bits)
        o.wrong += fmt::format(" {}[{}] is 0x{:08x}, silicon has 0x{:08x}", want[i].reg, lane, got, bits);
  return o;
}

}  // namespace

TEST_CASE("programs leave the registers that they left on silicon", "[sim][vectors]") {
  std::ifstream file(vectors_path);
  REQUIRE(file);
  int count = 0, right = 0;
  std::map<std::string, int> not_run;
  for (std::string line; std::getline(file, line);) {
    const json vector = json::parse(line);
    ++count;
    const VectorOutcome o = run_vector(vector);
    const std::string text = vector["asm"].dump();
    if (!o.not_run.empty()) ++not_run[o.not_run.substr(0, o.not_run.find(' '))];
    else if (!o.wrong.empty()) FAIL_CHECK(vector["arch"] << " " << text << ":" << o.wrong);
    else ++right;
  }
  // LLVM 22 does not decode these bytes: their list may shrink, never grow.
  static const std::map<std::string, int> known = {{"(no", 4}};
  int missing = 0;
  for (const auto& [name, n] : not_run) {
    INFO(name << " does not run in " << n << " of the vectors");
    CHECK((known.contains(name) && n <= known.at(name)));
    missing += n;
  }
  CHECK(count >= 326);
  CHECK(right + missing == count);
}
