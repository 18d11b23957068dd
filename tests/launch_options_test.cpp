// What the command line says of a launch beyond its grid: the order in which waves take turns.
#include <sys/wait.h>

#include "runtime/files.h"
#include "runtime/npy.h"
#include "tests/simulator_kernel.h"

using namespace simtest;
namespace fs = std::filesystem;

namespace {

struct Tool {
  fs::path dir = fs::temp_directory_path() / fmt::format("wavesmith_launch_{}", getpid());
  Tool() { fs::create_directories(dir); }
  ~Tool() { fs::remove_all(dir); }
  std::string file(const std::string& name, const Assembly& a) const {
    const auto bytes = a.build();
    runtime::write_file((dir / name).string(), bytes);
    return (dir / name).string();
  }
  // Exit status; with a bad one the line of error.
  std::pair<int, std::string> operator()(const std::string& arguments) const {
    const auto err = (dir / "err").string();
    const int status = std::system(fmt::format("{} {} >{} 2>{}", WAVESMITH_TOOL, arguments, (dir / "said").string(), err).c_str());
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

// Wave 0 reads what wave 1 writes to LDS, some fifty instructions later and without a barrier: right if both waves advance evenly.
const Assembly by_time{[] {
  std::string body = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n v_readfirstlane_b32 s8, v0\n v_mov_b32 v1, 0\n v_mov_b32 v2, 77\n s_waitcnt lgkmcnt(0)\n s_cmp_eq_u32 s8, 0\n s_cbranch_scc1 .Lread\n"
                     "ds_write_b32 v1, v2\n s_endpgm\n.Lread:\n";
  for (int i = 0; i < 50; ++i) body += "s_nop 0\n";
  return body + "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n global_store_dword v1, v3, s[6:7]\n s_endpgm\n";
}(), 64};

}  // namespace

TEST_CASE("a kernel that orders LDS by time alone is right with one quantum and wrong with another", "[cli][order]") {
  const Tool tool;
  const std::string command = fmt::format("run {} --grid 1 --block 128 --buffer i=zeros:64 --buffer o=out:u32:1:{} --arg ptr:i --arg ptr:o --sanitize none", tool.file("by_time.co", by_time), tool.out());
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
  for (const char* bad : {" --order sideways", " --order random:", " --order random:0", " --quantum 0"}) CHECK(tool(command + bad).first == 2);
}
