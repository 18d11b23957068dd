// What the command line says of a launch beyond its grid: clusters, and the order in which waves take turns.
#include <sys/wait.h>

#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "runtime/files.h"
#include "runtime/npy.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct Tool {
  fs::path dir = fs::temp_directory_path() / fmt::format("wavesmith_launch_{}", getpid());
  Tool() { fs::create_directories(dir); }
  ~Tool() { fs::remove_all(dir); }
  std::string file(const std::string& name, const Assembly& a) const { return file(name, a.build()); }
  std::string file(const std::string& name, const std::vector<uint8_t>& bytes) const {
    runtime::write_file((dir / name).string(), bytes);
    return (dir / name).string();
  }
  // Exit status; with a bad one the line of error.
  std::pair<int, std::string> operator()(const std::string& arguments) const {
    const auto err = (dir / "err").string();
    const int status =
        std::system(fmt::format("{} {} >{} 2>{}", WAVESMITH_TOOL, arguments, (dir / "said").string(), err).c_str());
    const auto bytes = runtime::read_file(err);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, std::string(bytes.begin(), bytes.end())};
  }
  std::string out() const { return (dir / "out.npy").string(); }
  std::vector<uint32_t> words() const {
    const auto a = runtime::load_npy(out());
    std::vector<uint32_t> v(a.bytes.size() / 4);
    std::memcpy(v.data(), a.bytes.data(), v.size() * 4);
    return v;
  }
};

// Each workgroup stores {workgroups of its cluster - 1, its own place in it} at its number in the grid.
Assembly places() {
  Assembly a{
      "s_load_b128 s[4:7], s[0:1], 0x0\n s_and_b32 s8, ttmp6, 15\n s_bfe_u32 s9, ttmp6, 0x40018\n s_bfe_u32 s10, "
      "ttmp6, 0x4000c\n s_add_co_i32 s10, s10, 1\n s_mul_i32 s10, s10, ttmp9\n s_add_co_i32 s10, s10, s8\n"
      "s_lshl_b32 s9, s9, 8\n s_or_b32 s9, s9, s8\n s_lshl_b32 s10, s10, 2\n v_mov_b32 v1, s10\n v_mov_b32 v2, s9\n "
      "s_wait_kmcnt 0x0\n global_store_b32 v1, v2, s[6:7]\n s_endpgm\n"};
  a.target = "gfx1250";
  return a;
}
// The first workgroup waits at the cluster's barrier, the others never signal it.
Assembly stuck() {
  Assembly a{
      "s_and_b32 s8, ttmp6, 15\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc0 .Lwait\n s_barrier_signal -3\n.Lwait:\n "
      "s_barrier_wait -3\n s_endpgm\n"};
  a.target = "gfx1250";
  return a;
}
// In LLVM IR; clang writes clusters of 2x1x1 into the kernel's metadata.
const char* fixed = R"(target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %in, ptr addrspace(1) %o) "amdgpu-cluster-dims"="2,1,1" { ret void })";

// Wave 0 reads what wave 1 writes to LDS, some fifty instructions later and without a barrier: right if both waves
// advance evenly.
const Assembly by_time{
    [] {
      std::string body =
          "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_readfirstlane_b32 s8, v0\n v_mov_b32 v1, 0\n v_mov_b32 v2, 77\n "
          "s_waitcnt lgkmcnt(0)\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lread\n"
          "ds_write_b32 v1, v2\n s_endpgm\n.Lread:\n";
      for (int i = 0; i < 50; ++i) body += "s_nop 0\n";
      return body + "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n global_store_dword v1, v3, s[6:7]\n s_endpgm\n";
    }(),
    64};

}  // namespace

TEST_CASE("kernel.workgroup is the position in the grid with and without clusters", "[cli][cluster][wave_ops]") {
  const Tool tool;
  constexpr uint32_t nx = 6, ny = 4, nz = 2;
  Kernel kernel("k", isa::Arch::gfx1250, 32);
  Stream& k = kernel.k;
  const Argument to = kernel.pointer("out", "u32");
  auto out = kernel.r.s.alloc(2, "out"), place = kernel.r.s.alloc(1, "number of the workgroup"),
       ids = kernel.r.s.alloc(1, "ids"), id = kernel.r.s.alloc(1, "shifted id");
  auto at = kernel.r.v.alloc(1, "offset"), value = kernel.r.v.alloc(1, "ids, in lanes");
  kernel.load(out, to);
  k.s_mul_i32(place, kernel.workgroup[2], static_cast<int>(ny));
  k.s_add_u32(place, place, kernel.workgroup[1]);
  k.s_mul_i32(place, place, static_cast<int>(nx));
  k.s_add_u32(place, place, kernel.workgroup[0]);
  k.s_lshl_b32(id, kernel.workgroup[1], 8);
  k.s_or_b32(ids, kernel.workgroup[0], id);
  k.s_lshl_b32(id, kernel.workgroup[2], 16);
  k.s_or_b32(ids, ids, id);
  k.s_lshl_b32(place, place, 2);
  k.v_mov_b32(at, place), k.v_mov_b32(value, ids);
  k.global_store_dword(at, value, out);
  k.s_endpgm();
  const auto co = tool.file("ids.co", assemble(lower(std::move(kernel))).bytes);
  for (const char* clusters : {"", " --cluster 1,1,1", " --cluster 2,1,1", " --cluster 1,4,2", " --cluster 3,2,2"}) {
    CAPTURE(clusters);
    const auto [status, err] = tool(fmt::format("run {} --grid {},{},{} --buffer o=out:u32:{}:{} --arg ptr:o{}", co, nx,
                                                ny, nz, nx * ny * nz, tool.out(), clusters));
    CAPTURE(err);
    REQUIRE(status == 0);
    const auto words = tool.words();
    REQUIRE(words.size() == nx * ny * nz);
    for (uint32_t z = 0, i = 0; z < nz; ++z)
      for (uint32_t y = 0; y < ny; ++y)
        for (uint32_t x = 0; x < nx; ++x, ++i) REQUIRE(words[i] == (x | y << 8 | z << 16));
  }
}

TEST_CASE("run and time take a cluster's size, and refuse one that is none", "[cli][cluster]") {
  const Tool tool;
  const std::string args = fmt::format(
      " --grid 8 --block 32 --buffer i=zeros:64 --buffer o=out:u32:8:{} --arg ptr:i --arg ptr:o", tool.out());
  const std::string co = tool.file("places.co", places());
  REQUIRE(tool("run " + co + args + " --cluster 4").first == 0);
  CHECK(tool.words() == std::vector<uint32_t>{0x300, 0x301, 0x302, 0x303, 0x300, 0x301, 0x302, 0x303});
  REQUIRE(tool("run " + co + args).first == 0);
  CHECK(tool.words() == std::vector<uint32_t>(8, 0));
  CHECK(tool("time " + co + args + " --cluster 2").first == 0);
  const std::string other = tool.file("other.co", Assembly{"s_endpgm\n"}),
                    two = tool.file("two.co", compile(fixed, "-x ir -O1", ".ll", "gfx1250"));
  for (const char* good : {"", " --cluster 2"}) CHECK(tool("run " + two + args + good).first == 0);
  const struct {
    std::string file, cluster;
    const char* why;
  } bad[] = {{co, "3", "is not a multiple of clusters of 3x1x1"},
             {co, "4,2,4", "legal: 1 to 16"},
             {co, "0", "out of range"},
             {co, "1,x", "--cluster"},
             {other, "2", "gfx942 has none, legal: 1x1x1"},
             {two, "4", "compiled for 2x1x1"},
             {two, "1", "compiled for 2x1x1"},
             {two, "2 --grid 1", "not a multiple of clusters of 2x1x1"}};
  for (const char* command : {"run ", "time "})
    for (const auto& b : bad) {
      const auto [status, err] =
          tool(command + b.file + (b.cluster.find("--grid") == b.cluster.npos ? args : args.substr(9)) + " --cluster " +
               b.cluster);
      CAPTURE(command, b.cluster, err);
      CHECK(status == 2);
      CHECK_THAT(err, Contains(b.why));
      CHECK(std::count(err.begin(), err.end(), '\n') == 1);
    }
  const auto [status, err] = tool("run " + tool.file("stuck.co", stuck()) + args + " --cluster 4");
  CHECK(status == 1);
  CHECK_THAT(
      err, Contains("waits at the cluster's barrier, where 1 of 4 workgroups have signaled and no other wave can run"));
}

TEST_CASE("a launch through HIP refuses a cluster's size in one line", "[cli][cluster][hip]") {
  const Tool tool;
  const std::string command = fmt::format(
      "run {} --device hip --grid 8 --block 32 --buffer i=zeros:64 --buffer o=out:u32:8:{} --arg ptr:i --arg ptr:o",
      tool.file("places.co", places()), tool.out());
  REQUIRE(setenv("LD_LIBRARY_PATH", WAVESMITH_HIP_FOLDER "7", 1) == 0);  // tests/support/hip/runtime.cpp
  REQUIRE(setenv("WAVESMITH_STAND_IN_TARGET", "gfx1250", 1) == 0);
  const auto plain = tool(command), clusters = tool(command + " --cluster 4");
  unsetenv("LD_LIBRARY_PATH"), unsetenv("WAVESMITH_STAND_IN_TARGET");
  CHECK(plain == std::pair(0, std::string()));
  CHECK(tool.words() == std::vector<uint32_t>{8032, 0, 0, 0, 0, 0, 0, 0});
  CHECK(clusters.first == 3);
  CHECK_THAT(clusters.second, Contains("--cluster") && Contains("legal: --device sim, or no --cluster"));
  CHECK(std::count(clusters.second.begin(), clusters.second.end(), '\n') == 1);
}

TEST_CASE("a kernel that orders LDS by time alone is right with one quantum and wrong with another", "[cli][order]") {
  const Tool tool;
  const std::string command = fmt::format(
      "run {} --grid 1 --block 128 --buffer i=zeros:64 --buffer o=out:u32:1:{} --arg ptr:i --arg ptr:o --sanitize none",
      tool.file("by_time.co", by_time), tool.out());
  const auto result = [&](const std::string& options) {
    const auto [status, err] = tool(command + options);
    CAPTURE(options, err);
    REQUIRE(status == 0);
    return tool.words().at(0);
  };
  CHECK(result(" --quantum 8") == 77);
  CHECK(result(" --quantum 64") != 77);
  CHECK(result("") == result(" --quantum 64 --order round-robin"));
  int right = 0;
  for (int seed = 1; seed <= 8; ++seed) right += result(fmt::format(" --order random:{}", seed)) == 77;
  CHECK(right > 0);
  for (const char* bad : {" --order sideways", " --order random:", " --order random:0", " --order late:0",
                          " --order late:x", " --quantum 0"})
    CHECK(tool(command + bad).first == 2);
}

TEST_CASE("a kernel that uses a load without a wait is right by default and wrong with --order late", "[cli][order]") {
  const Tool tool;
  const struct {
    const char *target, *arguments, *value;  // the waits for its arguments and for the value
  } rows[] = {{"gfx942", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"},
              {"gfx1100", "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"},
              {"gfx1201", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0"},
              {"gfx1250", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0"}};
  for (const auto& r : rows)
    for (const bool waits : {false, true}) {
      CAPTURE(r.target, waits);
      Assembly a{
          fmt::format("s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_mov_b32 v1, 0\n v_mov_b32 v2, 5\n {}\n "
                      "global_load_dword v2, v1, s[4:5]\n {}\n global_store_dword v1, v2, s[6:7]\n s_endpgm\n",
                      r.arguments, waits ? r.value : "")};
      a.target = r.target;
      const std::string command = fmt::format(
          "run {} --grid 1 --block 1 --buffer i=fill:64:2a000000 --buffer o=out:u32:1:{} --arg ptr:i --arg ptr:o "
          "--sanitize none",
          tool.file("load.co", a), tool.out());
      REQUIRE(tool(command).first == 0);
      CHECK(tool.words().at(0) == 42);
      REQUIRE(tool(command + " --order late").first == 0);
      CHECK(tool.words().at(0) == (waits ? 42 : 5));
      for (const int n : {1, 2, 3, 100}) {  // the store is the next instruction after the load
        CAPTURE(n);
        REQUIRE(tool(fmt::format("{} --order late:{}", command, n)).first == 0);
        CHECK(tool.words().at(0) == (waits || n == 1 ? 42 : 5));
      }
    }
}

TEST_CASE("commands take a code object out of an offload bundle, by its target if there are several", "[cli][bundle]") {
  const Tool tool;
  const auto number = [](uint64_t n) { return std::string(reinterpret_cast<const char*>(&n), sizeof n); };
  const auto bundle = [&](const std::vector<std::string>& targets) {
    const std::string start = "__CLANG_OFFLOAD_BUNDLE__" + number(targets.size() + 1),
                      host = number(0) + number(0) + number(4) + "host";
    uint64_t at = start.size() + host.size();
    for (const std::string& t : targets) at += 24 + std::strlen("hipv4-amdgcn-amd-amdhsa--") + t.size();
    std::string head = start + host, code;
    for (const std::string& t : targets) {
      Assembly a{"s_endpgm\n"};
      const std::string name = "hipv4-amdgcn-amd-amdhsa--" + t, target = t.substr(0, t.find(':'));
      a.target = target.c_str();
      const auto object = a.build();
      head += number(at + code.size()) + number(object.size()) + number(name.size()) + name;
      code.append(object.begin(), object.end());
    }
    const std::string all = head + code;
    return tool.file(fmt::format("bundle{}.co", targets.size()), std::vector<uint8_t>(all.begin(), all.end()));
  };
  const std::string launch = " --grid 1 --block 64 --arg u64:0 --arg u64:0";
  const auto one = bundle({"gfx1201"});
  for (const std::string& command :
       {"inspect " + one, "check " + one, "run " + one + launch, "time " + one + launch + " --gpu rx9070xt"}) {
    CAPTURE(command);
    const auto [status, said] = tool(command);
    CHECK(status == 0);
    CHECK(said == "");
  }
  const auto three = bundle({"gfx942", "gfx90a:xnack-", "gfx90a:xnack+"});
  for (const char* target : {"gfx942", "GFX942", "gfx90a:xnack-"})
    CHECK(tool(fmt::format("inspect {} --arch {}", three, target)).first == 0);
  for (const char* arch : {"", " --arch gfx90a", " --arch gfx950"}) {
    const auto [status, said] = tool("inspect " + three + arch);
    CHECK(status == 2);
    CHECK(said == fmt::format("wavesmith: {}: an offload bundle with code for gfx942, gfx90a:xnack-, gfx90a:xnack+, "
                              "legal: --arch with one of them\n",
                              three));
  }
  CHECK(tool("inspect " + bundle({})).second.ends_with("the offload bundle has no code for AMD's GPUs\n"));
  const auto whole = runtime::read_file(one);
  for (const size_t size : {size_t{24}, size_t{40}, size_t{150}, whole.size() - 1}) {
    const auto [status, said] = tool("inspect " + tool.file("cut.co", {whole.begin(), whole.begin() + size}));
    CHECK(status == 2);
    CHECK_THAT(said, Contains("cut.co: the offload bundle is cut short: ") && Catch::EndsWith("\n"));
  }
}
