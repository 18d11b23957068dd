// `wavesmith serve` as clients meet it: the reference client of npm's @modelcontextprotocol/sdk, and messages that it
// would not send.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/support/command.h"

using namespace clitest;
using nlohmann::json;

namespace {

const std::string example = std::string(WAVESMITH_SOURCE) + "/docs/examples/double.s";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const size_t at = text.find(what);
  REQUIRE(at != text.npos);
  return text.replace(at, what.size(), with);
}
std::string mended() { return replaced(text(example), "\tv_add_f32", "\ts_waitcnt vmcnt(0)\n\tv_add_f32"); }
// Counts: a loop that repeats a state is found.
std::string endless() { return replaced(mended(), "\ts_endpgm", "again:\n\ts_add_u32 s2, s2, 1\n\ts_branch again"); }

// A server, line by line.
class Server {
 public:
  explicit Server(const std::string& options = "") {
    int in[2], out[2];
    REQUIRE(pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(pipe2(out, O_CLOEXEC) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0), dup2(out[1], 1);
      const std::string command = "exec " WAVESMITH_TOOL " serve " + options;
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]), close(out[1]);
    to_ = in[1], from_ = out[0];
  }
  ~Server() {
    close_input();
    close(from_);
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  }
  Server(const Server&) = delete;

  void send(const std::string& line) {
    const std::string all = line + "\n";
    for (size_t at = 0; at < all.size();) {
      const ssize_t n = write(to_, all.data() + at, all.size() - at);
      REQUIRE(n > 0);
      at += static_cast<size_t>(n);
    }
  }
  void request(int id, const std::string& method, const json& parameters = json::object()) {
    send(json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump());
  }
  void call(int id, const std::string& tool, const json& arguments) {
    request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  // The next message; none within so many seconds.
  std::optional<json> next(double seconds = hangs_after) {
    for (;;) {
      if (const size_t end = got_.find('\n'); end != got_.npos) {
        const auto message = json::parse(got_.substr(0, end));
        got_.erase(0, end + 1);
        return message;
      }
      pollfd ready{from_, POLLIN, 0};
      if (poll(&ready, 1, static_cast<int>(seconds * 1000)) != 1) return {};
      char chunk[4096];
      const ssize_t n = read(from_, chunk, sizeof chunk);
      if (n <= 0) return {};
      got_.append(chunk, static_cast<size_t>(n));
    }
  }
  void initialize() {
    request(0, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", json::object()}});
    REQUIRE((*next())["result"]["protocolVersion"] == "2025-11-25");
  }
  void close_input() {
    if (to_ >= 0) close(std::exchange(to_, -1));
  }
  int wait() {
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int error_of(const std::string& line) {
    send(line);
    const auto m = next();
    REQUIRE(m);
    return m->at("error").at("code").get<int>();
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string got_;
};

json launch(const std::string& source) {
  json numbers = json::array();
  for (int i = 0; i < 64; ++i) numbers.push_back(i);
  return {{"file", {"k.s"}},  {"grid", "1"},
          {"block", "64"},    {"buffer", {"x=inout:x.npy"}},
          {"arg", {"ptr:x"}}, {"files", {{"k.s", source}, {"x.npy", {{"array", numbers}, {"type", "f32"}}}}}};
}
json forever() {
  auto j = launch(endless());
  j["max-instructions"] = uint64_t{1} << 60;
  return j;
}
const json& result(const json& message) { return message.at("result").at("structuredContent"); }

}  // namespace

TEST_CASE("the reference client of the Model Context Protocol gets faults, results and times", "[serve]") {
  const std::string folder = WAVESMITH_BUILD "/serve_client", source = WAVESMITH_SOURCE "/tests/serve";
  const std::string install = fmt::format(
      "mkdir -p {0} && cd {0} && {{ cmp -s {1}/package-lock.json installed || {{ cp {1}/package*.json . && npm ci "
      "--ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 && cp package-lock.json installed; }}; "
      "}} "
      ">log 2>&1",
      folder, source);
  if (std::system(install.c_str()) != 0) {
    WARN("not run: npm cannot install the client, see " << folder << "/log");
    return;
  }
  const Directory d;
  const int status = std::system(fmt::format("cd {} && timeout 60 node {}/client.mjs {} {} >{} 2>{}", folder, source,
                                             WAVESMITH_TOOL, example, d / "out", d / "err")
                                     .c_str());
  INFO(text(d / "err"));
  REQUIRE(status == 0);
  const json seen = json::parse(text(d / "out"));
  CHECK(seen["server"]["name"] == "wavesmith");
  for (const char* tool : {"run", "check", "time", "explain", "inspect", "plan", "isa", "layout", "gemm", "attention",
                           "verify_gemm", "time_gemm"}) {
    CAPTURE(tool);
    CHECK(std::ranges::find(seen["tools"], json(tool)) != seen["tools"].end());
  }
  const json& fault = seen["broken"]["structuredContent"]["result"]["fault"];
  CHECK(fault["kind"] == "register in flight");
  CHECK(fault["where"] == "k.s:13");
  CHECK(seen["broken"]["isError"] == false);
  CHECK(seen["checked"]["structuredContent"]["result"]["files"][0]["findings"].size() == 1);
  const json& good = seen["mended"]["structuredContent"];
  CHECK(good["status"] == 0);
  for (int i = 0; i < 64; ++i) CHECK(good["files"]["x.npy"]["array"][i] == 2 * i);
  CHECK(seen["timed"]["structuredContent"]["result"]["seconds"] > 1e-7);
  CHECK(seen["refused"]["isError"] == true);
  CHECK_THAT(seen["refused"]["structuredContent"]["error"].get<std::string>(), Catch::Contains("'grids' is unknown"));
  CHECK(seen["unknown"] == -32602);
  CHECK(seen["cancelled"] == "cancelled");
  CHECK(seen["after"]["structuredContent"]["status"] == 0);
}

TEST_CASE("serve answers malformed messages as JSON-RPC says", "[serve]") {
  Server s("--message 4000");
  CHECK(s.error_of("{") == -32700);
  CHECK(s.error_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}") == -32700);
  CHECK(s.error_of("[]") == -32600);
  CHECK(s.error_of("3") == -32600);
  CHECK(s.error_of(R"({"id":1,"method":"ping"})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":null,"method":"ping"})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":{},"method":"ping"})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":1,"method":4})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":1})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})") == -32602);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})") == -32600);  // before initialize
  CHECK(s.error_of(std::string(5000, ' ') + "{}") == -32600);
  CHECK(s.error_of(std::string(2000, '[')) == -32700);
  s.send("");
  s.send(R"({"jsonrpc":"2.0","method":"notifications/anything"})");
  s.send(R"({"jsonrpc":"2.0","id":7,"result":{}})");
  s.request(1, "ping");
  CHECK(s.next()->at("result") == json::object());
  s.initialize();
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}})") == -32600);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":"a","method":"resources/list"})") == -32601);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"serve"}})") == -32602);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"isa","arguments":3}})") ==
        -32602);
  CHECK(s.error_of(R"({"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x"}})") == -32602);
}

TEST_CASE("serve negotiates the revision of the protocol", "[serve]") {
  for (const auto& [asked, given] :
       {std::pair("2025-06-18", "2025-06-18"), {"2024-11-05", "2024-11-05"}, {"1999-01-01", "2025-11-25"}}) {
    Server s;
    s.request(1, "initialize", {{"protocolVersion", asked}});
    CHECK(s.next()->at("result").at("protocolVersion") == given);
  }
}

TEST_CASE("names in a call of serve are never paths", "[serve]") {
  Server s;
  s.initialize();
  const Directory d;
  s.call(1, "check", {{"file", {"/etc/hostname"}}});
  CHECK_THAT(result(*s.next())["error"].get<std::string>(), Catch::Contains("not among the files"));
  s.call(2, "array", {{"file", d / "x.npy"}, {"type", "f32"}, {"shape", "4"}});
  CHECK(result(*s.next())["status"] == 2);
  CHECK(d.files() == 0);
  s.call(3, "check", {{"file", {"k.s"}}, {"arch", "gfx942"}, {"files", {{"k.s", "\t.incbin \"/etc/hostname\"\n"}}}});
  CHECK_THAT(result(*s.next())["error"].get<std::string>(), Catch::Contains("k.s:1:"));
  s.call(4, "check", {{"file", {"../k.s"}}, {"files", {{"../k.s", ""}}}});
  CHECK_THAT(result(*s.next())["error"].get<std::string>(), Catch::Contains("not a plain name"));
  s.call(5, "array", {{"file", "x.npy"}, {"type", "f32"}, {"shape", "4"}});
  CHECK(result(*s.next())["files"]["x.npy"]["array"].size() == 4);
}

TEST_CASE("a kernel that never ends meets serve's limit, and others are answered meanwhile", "[serve]") {
  const int limit = *WAVESMITH_SANITIZE ? 30 : 1;  // of seconds: the other call has to end within it
  Server s(fmt::format("--seconds {} --calls 2", limit));
  s.initialize();
  s.call(1, "run", forever());
  s.call(2, "run", launch(mended()));
  const auto first = s.next(), second = s.next();
  CHECK(first->at("id") == 2);
  CHECK(result(*first)["files"]["x.npy"]["array"][63] == 126);
  CHECK(second->at("id") == 1);
  CHECK(second->at("result").at("isError") == true);
  CHECK_THAT(result(*second)["error"].get<std::string>(), Catch::Contains(fmt::format("limit of {} s", limit)));
}

TEST_CASE("a call of serve has no more memory than its limit", "[serve]") {
  if (!std::string_view(WAVESMITH_SANITIZE).empty()) return;  // no limit there: the sanitizer's own memory counts
  Server s("--memory 536870912");
  s.initialize();
  auto j = launch(mended());
  j["buffer"] = {"x=zeros:4000000000"}, j["force"] = true;
  s.call(1, "run", j);
  const auto m = s.next();
  CHECK(result(*m)["status"] == 3);
  CHECK_THAT(result(*m)["error"].get<std::string>(), Catch::Contains("memory"));
  s.request(2, "ping");
  CHECK(s.next()->at("id") == 2);
}

TEST_CASE("a cancelled call of serve is ended and not answered", "[serve]") {
  Server s("--calls 1");
  s.initialize();
  s.call(1, "run", forever());
  s.call(2, "isa", {{"instruction", "s_endpgm"}});  // waits for the first
  s.request(3, "ping");
  CHECK(s.next()->at("id") == 3);
  s.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  CHECK(s.next()->at("id") == 2);
  s.request(4, "ping");
  CHECK(s.next()->at("id") == 4);
}

TEST_CASE("serve answers what is in progress when its input closes, and ends", "[serve]") {
  Server s;
  s.initialize();
  s.call(1, "run", launch(mended()));
  s.close_input();
  CHECK(result(*s.next())["status"] == 0);
  CHECK_FALSE(s.next());
  CHECK(s.wait() == 0);
}

TEST_CASE("the calls that the guide for agents shows are answered as it says", "[serve][docs]") {
  const std::string page = text(std::string(WAVESMITH_SOURCE) + "/docs/guide/agents.md");
  std::vector<json> calls;
  for (size_t at = 0; (at = page.find("\n{\"", at)) != page.npos; ++at) {
    const json shown = json::parse(page.substr(at + 1, page.find('\n', at + 1) - at - 1));
    if (shown.contains("name")) calls.push_back(shown);
    else CHECK(shown["mcpServers"]["wavesmith"]["args"][0] == "serve");
  }
  REQUIRE(calls.size() == 4);
  Server s;
  s.initialize();
  const auto answer = [&](json call, const std::string& source) {
    if (call["arguments"].contains("files")) call["arguments"]["files"]["k.s"] = source;
    s.request(1, "tools/call", call);
    return result(*s.next());
  };
  const std::string broken = text(example), repaired = mended();
  const json found = answer(calls[0], broken)["result"]["files"][0]["findings"];
  REQUIRE(found.size() == 1);
  CHECK(found[0]["rule"] == "register in flight");
  CHECK(found[0]["where"] == "k.s:13");
  CHECK(found[0]["legal"] == "s_waitcnt vmcnt(0) before it");
  CHECK(answer(calls[1], broken)["result"]["fault"]["kind"] == "register in flight");
  CHECK(answer(calls[2], broken)["status"] == 0);
  const json good = answer(calls[1], repaired);
  CHECK(good["status"] == 0);
  for (int i = 0; i < 64; ++i) CHECK(good["files"]["x.npy"]["array"][i] == 2 * (i + 1));
  CHECK(answer(calls[3], repaired)["result"]["seconds"] > 1e-7);
}

TEST_CASE("assembly text is checked, run and inspected like its code object", "[serve][cli]") {
  const Directory d;
  const Ran found = run_program("check " + example);
  CHECK(found.status == 1);
  CHECK_THAT(found.out, Catch::Contains("double.s:13") && Catch::Contains("register in flight"));
  REQUIRE(run_program(fmt::format("gemm --arch gfx942 --tile 64x64x64 -o {0}/g.co --asm {0}/g.s", d.path())).status ==
          0);
  const auto listing = [&](const char* file) {
    const json all = json::parse(run_program(fmt::format("inspect {} --listing --json", d / file)).out);
    std::string out;
    for (const auto& line : all["kernels"][0]["listing"]) {
      auto instruction = line["instruction"].get<std::string>();
      if (instruction.find("branch") != instruction.npos)
        instruction.resize(instruction.find(' '));  // labels are not kept
      out += fmt::format("{} {} {}\n", line["pc"].get<int>(), line["bytes"].get<int>(), instruction);
    }
    return out;
  };
  CHECK(listing("g.co").size() > 1000);
  CHECK((listing("g.s") == listing("g.co")));
  wavesmith::runtime::write_file(d / "bad.s", replaced(text(example), "v_add_f32_e32", "v_foo"));
  refuses("check " + (d / "bad.s"), {"bad.s:13:", "invalid instruction"});
  wavesmith::runtime::write_file(d / "none.s", std::string_view("\ts_endpgm\n"));
  refuses("check " + (d / "none.s"), {"names no target", "--arch"});
}
