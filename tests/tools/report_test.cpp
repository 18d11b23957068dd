// The pages of inspect --report and time --report: what they hold against what the tool says elsewhere, and how they
// behave in headless Chromium. Where chromium or node is not here, the second half says so and is skipped.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "runtime/files.h"
#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;
using namespace clitest;
using nlohmann::json;

namespace {

std::string out_of(const Directory& s, const std::string& command) {
  INFO(command);
  REQUIRE(status_of(fmt::format("{} > {} 2> {}", command, s / "out", s / "err")) == 0);
  return text(s / "out");
}

// What stands in the page for its scripts.
json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="data">)";
  const size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

// A GEMM of 256 x 256 x 128 in tiles of 64 x 64, timed: 16 workgroups.
std::string timed_gemm(const Directory& s, const std::string& options) {
  out_of(s, fmt::format("{} gemm --arch gfx942 --tile 64x64x64 -o {}", WAVESMITH_TOOL, s / "g.co"));
  const char* buffers =
      "--buffer d=zeros:131072 --buffer a=zeros:131072 --buffer b=zeros:131072 --arg ptr:d --arg ptr:d --arg ptr:a "
      "--arg ptr:b";
  const char* numbers =
      "--arg u64:0 --arg u64:0 --arg u64:0 --arg u64:0 --arg u32:256 --arg u32:256 --arg u32:256 "  // strides; m, n, k:
                                                                                                    // enough for the
                                                                                                    // loop
      "--arg u32:256 --arg u32:256 --arg u32:256 --arg u32:256 --arg f32:1 --arg f32:0";  // lda ... ldd, alpha, beta
  return fmt::format("{} time {} --grid 4,4 --block 256 {} {} {}", WAVESMITH_TOOL, s / "g.co", buffers, numbers,
                     options);
}

std::string first_of(std::initializer_list<const char*> programs) {
  for (const char* p : programs)
    if (status_of(fmt::format("command -v {} > /dev/null", p)) == 0) return p;
  return {};
}

// The page in Chromium after these steps, as tests/report/browse.mjs tells it; null: no browser here.
json browse(const Directory& s, const std::string& page, const json& steps) {
  const std::string node = first_of({"node", "nodejs"}),
                    chromium = first_of({"chromium", "chromium-browser", "google-chrome"});
  if (node.empty() || chromium.empty()) {
    WARN((node.empty() ? "node" : "chromium") << " is not here: skipped");
    return nullptr;
  }
  std::ofstream(s / "steps.json") << steps.dump();
  const std::string driver = std::string(WAVESMITH_SOURCE) + "/tests/report/browse.mjs";
  const json found = json::parse(out_of(
      s, fmt::format("{} {} $(command -v {}) {} \"$(cat {})\"", node, driver, chromium, page, s / "steps.json")));
  INFO(found.dump(1));
  CHECK(found["errors"].empty());
  CHECK(found["requests"].empty());
  return found["values"];
}

}  // namespace

TEST_CASE("register pressure is what a hand count of live values finds", "[report]") {
  const Directory s;
  simtest::Assembly a;
  a.vgprs = 16, a.agprs = 8;
  a.body = R"(
  v_mov_b32 v1, 1
  v_mov_b32 v2, 2
  s_mov_b32 s4, 3
loop:
  v_add_u32 v3, v1, v2
  v_accvgpr_write_b32 a0, v3
  v_add_u32 v1, v1, v3
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 loop
  v_accvgpr_read_b32 v4, a0
  v_mov_b32 v5, v4
  s_endpgm
)";
  const auto bytes = a.build();
  runtime::write_file(s / "k.co", bytes);
  out_of(s, fmt::format("{} inspect {} --report {}", WAVESMITH_TOOL, s / "k.co", s / "k.html"));
  const json code = data_of(text(s / "k.html"))["code"];
  //                                    mov  mov  smov add  acc  add  sub  cmp  br   read mov  end
  CHECK(code["vgprs"] == std::vector<int>{1, 2, 2, 3, 3, 3, 2, 2, 2, 1, 2, 0});
  CHECK(code["agprs"] == std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0});
  CHECK(code["sgprs"] == std::vector<int>{0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0});
  CHECK(code["target"][8] == 3);
}

TEST_CASE("no kernel has more live registers than it asks for", "[report]") {
  const Directory s;
  const auto most = [](const json& column) { return *std::max_element(column.begin(), column.end()); };
  for (const char* make :
       {"gemm --arch gfx942 --tile 256x256x64", "gemm --arch gfx90a --tile 64x64x64", "attention --arch gfx942"}) {
    CAPTURE(make);
    out_of(s, fmt::format("{} {} -o {}", WAVESMITH_TOOL, make, s / "k.co"));
    out_of(s, fmt::format("{} inspect {} --report {}", WAVESMITH_TOOL, s / "k.co", s / "k.html"));
    const json d = data_of(text(s / "k.html"));
    for (const char* file : {"vgprs", "agprs", "sgprs"}) {
      CAPTURE(file);
      CHECK(most(d["code"][file]) <= d["kernel"][file]);
      CHECK(d["kernel"][file] <= d["kernel"][fmt::format("most_{}", file)]);
      CHECK(most(d["code"][file]) > d["kernel"][file].get<int>() / 4);
    }
  }
}

TEST_CASE("a report is one page that names no other place, and holds what --json and --trace say", "[report]") {
  const Directory s;
  const json said =
      json::parse(out_of(s, timed_gemm(s, fmt::format("--json --report {} --trace {}", s / "g.html", s / "g.trace"))));
  const std::string page = text(s / "g.html");
  for (const char* outside : {"src=", "@import", "url(", "stylesheet"}) CHECK(page.find(outside) == page.npos);
  CHECK(page.find("default-src 'none'") != page.npos);  // and the browser is told to fetch nothing
  const json d = data_of(page);
  CHECK(d["time"]["cycles"] == said["cycles"]);
  CHECK(d["time"]["limited_by"] == said["limited_by"]);
  CHECK(d["occupancy"]["limited_by"] == said["occupancy_limited_by"]);
  REQUIRE(!said["loops"].empty());
  CHECK(d["time"]["loops"][0]["advice"] == said["loops"][0]["advice"]);
  size_t issued = 0, events = 0, traced = 0;
  for (const auto& n : d["spent"]["issued"]) issued += n > 0;
  CHECK(issued == said["instructions_timed"].size());
  for (const auto& w : d["timeline"]["waves"]) events += w["events"].size() / 4;
  const json trace = json::parse(text(s / "g.trace"));
  for (const auto& e : trace["traceEvents"]) traced += e["ph"] == "X";
  CHECK(events == traced);
  CHECK(events > 1000);
}

TEST_CASE("a report that cannot be written is one line and status 2, and leaves nothing", "[report]") {
  const Directory s;
  CHECK(status_of(timed_gemm(s, fmt::format("--report {}/no/where.html > {} 2> {}", s.path(), s / "out", s / "err"))) ==
        2);
  const std::string err = text(s / "err");
  CHECK(std::count(err.begin(), err.end(), '\n') == 1);
  CHECK(err.find("no/where.html") != err.npos);
  CHECK(status_of(fmt::format("{} inspect {} --report {}/no/where.html > {} 2> {}", WAVESMITH_TOOL, s / "g.co",
                              s.path(), s / "out", s / "err")) == 2);
  CHECK(s.files() == 3);  // g.co, out, err
}

TEST_CASE("the page shows in a browser what the JSON says, zooms, folds, finds, and keeps to its width",
          "[report][browser]") {
  const Directory s;
  const json said = json::parse(out_of(s, timed_gemm(s, fmt::format("--json --report {}", s / "g.html")))),
             d = data_of(text(s / "g.html"));
  const char* canvas = "JSON.stringify({ ...document.querySelector('#timeline canvas').dataset })";
  const char* ask = R"((() => {
    const all = (what) => [...document.querySelectorAll(what)], first = (what) => document.querySelector(what);
    const right = (e) => e.getBoundingClientRect().right;
    return JSON.stringify({ limit: first('#tile-limit b').textContent, cycles: first('#tile-cycles b').textContent, binds: first('#occupancy .binds').dataset.by,
      rows: first('#listing').dataset.rows, shown: all('#listing tr[data-row]').length, loops: all('#loops tbody tr').length,
      points: all('#roofline circle').length,
      wide: all('main *').filter((e) => !e.closest('svg') && right(e) > innerWidth + 1).length });
  })())";
  const auto eval = [](const char* e) { return json{{"eval", e}}; };
  const char* ground = "getComputedStyle(document.body).backgroundColor";
  const json steps = {eval(ask),
                      eval(canvas),
                      {{"wheel", {"#timeline canvas", -400}}},
                      eval(canvas),
                      {{"click", "#fit"}},
                      eval(canvas),
                      {{"click", "#timeline canvas"}},
                      {{"key", "+"}},
                      {{"key", "ArrowRight"}},
                      eval(canvas),
                      {{"click", "[data-simd=CU]"}},
                      eval(canvas),
                      {{"click", "#unfold"}},
                      {{"size", {2560, 1440}}},
                      {{"scheme", "dark"}},
                      eval(ask),
                      eval(ground),
                      {{"click", "#scheme"}},
                      eval(ground),
                      eval("document.querySelectorAll('#listing tr.selected').length")};
  const json v = browse(s, s / "g.html", steps);
  if (v.is_null()) return;
  const auto object = [&](size_t i) { return json::parse(v[i].get<std::string>()); };
  const auto number = [](const json& x) { return std::stod(x.get<std::string>()); };
  const auto width = [&](const json& c) { return number(c["to"]) - number(c["from"]); };

  const json at_first = object(0), all = object(1), wheeled = object(2), fitted = object(3), moved = object(4),
             cu = object(5), at_last = object(6);
  CHECK(at_first["limit"] == said["limited_by"]);
  auto cycles = at_first["cycles"].get<std::string>();
  cycles.erase(std::remove(cycles.begin(), cycles.end(), ','), cycles.end());
  CHECK(std::stod(cycles) == Approx(said["cycles"].get<double>()).margin(0.51));
  CHECK(at_first["binds"] == said["occupancy_limited_by"]);
  CHECK(at_first["loops"] ==
        std::count_if(said["loops"].begin(), said["loops"].end(), [](const json& l) { return l["share"] >= 0.02; }));
  CHECK(at_first["points"] > 0);
  CHECK(number(at_first["rows"]) == d["code"]["pc"].size());
  CHECK(at_first["shown"] < d["code"]["pc"].size());
  CHECK(at_last["shown"] == d["code"]["pc"].size());
  CHECK(at_first["wide"] == 0);
  CHECK(at_last["wide"] == 0);

  size_t bars = 0;
  for (const auto& w : d["timeline"]["waves"]) bars += w["events"].size() / 4;
  CHECK(number(all["bars"]) == bars);
  CHECK(number(all["waves"]) == d["timeline"]["waves"].size());
  CHECK(number(cu["rows"]) >= number(all["rows"]) * 2);  // the waves of one SIMD, then of all
  CHECK(width(wheeled) < 0.8 * width(all));
  CHECK(width(fitted) == Approx(width(all)));
  CHECK(width(moved) == Approx(width(all) / 1.6).epsilon(0.01));
  CHECK(number(moved["from"]) > 0.5 * (width(all) - width(moved)));
  CHECK(v[7] != v[8]);  // dark by the system's wish, light by the switch
  CHECK(v[9] == 1);     // the click on a bar chose its instruction in the listing
}

TEST_CASE("a page without times has the parts that need none", "[report][browser]") {
  const Directory s;
  out_of(s, fmt::format("{} attention --arch gfx942 -o {}", WAVESMITH_TOOL, s / "k.co"));
  out_of(s, fmt::format("{} inspect {} --report {}", WAVESMITH_TOOL, s / "k.co", s / "k.html"));
  const char* sections = "[...document.querySelectorAll('main > section[id]')].map((e) => e.id).join(' ')";
  const char* curves = "document.querySelectorAll('.pressure path.curve').length";
  const char* find =
      "document.activeElement.value = 'v_mfma', document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { "
      "key: 'Enter' }))";
  const char* chosen = "document.querySelector('.selected .code').textContent";
  const json v =
      browse(s, s / "k.html",
             {{{"eval", sections}}, {{"eval", curves}}, {{"key", "/"}}, {{"eval", find}}, {{"eval", chosen}}});
  if (v.is_null()) return;
  CHECK(v[0] == "summary registers code");
  CHECK(v[1] == 3);  // VGPRs, AGPRs, SGPRs
  CHECK(v[3].get<std::string>().starts_with("v_mfma"));
}
