// The author's lines in code objects: LLVM's tools read ours, ours reads LLVM's, and damaged sections are harmless.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "generator/dsl/kernel.h"
#include "generator/dsl/origin.h"
#include "kernels/gemm/gemm.h"
#include "runtime/files.h"
#include "tests/support/simulator_kernel.h"

using namespace wavesmith;
using Catch::Contains;

namespace {

// The output of a shell command; `stem` is replaced by a file with these bytes.
std::string printed(const std::string& command, const std::vector<uint8_t>& object) {
  const auto stem = (std::filesystem::temp_directory_path() / fmt::format("wavesmith_lines_{}", getpid())).string();
  runtime::write_file(stem + ".co", object);
  const std::string out = stem + ".txt";
  const int status = std::system(fmt::format("{} {}.co >{} 2>&1", command, stem, out).c_str());
  std::ifstream file(out);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(stem + ".co"), std::filesystem::remove(out);
  INFO(command << "\n" << text);
  CHECK(status == 0);
  return text;
}

// LLVM's file and line of each address.
std::map<uint64_t, std::string> symbolized(const std::vector<uint8_t>& object, const std::vector<uint64_t>& addresses) {
  std::string command = "llvm-symbolizer-22 --no-inlines --output-style=LLVM --functions=none";
  for (const uint64_t a : addresses) command += fmt::format(" {:#x}", a);
  std::map<uint64_t, std::string> all;
  std::istringstream lines(printed(command + " --obj", object));
  size_t n = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && n < addresses.size()) all[addresses[n++]] = line.substr(0, line.rfind(':'));  // no column
  CHECK(n == addresses.size());
  return all;
}

Program two_blocks() {
  Kernel kernel("two_blocks", Arch::gfx942, 64);
  const auto trips = kernel.r.s.alloc(1, "trips");
  const auto v = kernel.r.v.alloc(2, "v");
  Block load(Arch::gfx942, "load"), work(Arch::gfx942, "work");
  load.v_mov_b32(v[0], 1);
  work.v_add_u32(v[1], v[0], v[0]).note = "twice";
  kernel.k.s_mov_b32(trips, 3);
  kernel.k.loop("k_loop", trips, [&] { kernel.k << load << work; });
  kernel.k.s_endpgm();
  return lower(std::move(kernel));
}

// A node's address in the code object, for instructions.
std::vector<std::pair<uint64_t, const Node*>> placed(const Program& p, const sim::CodeObject& co) {
  const auto code = encode(p);
  std::vector<std::pair<uint64_t, const Node*>> all;
  for (size_t i = 0; i < p.nodes.size(); ++i)
    if (p.nodes[i].is_instruction()) all.emplace_back(co.kernel("").entry + code.offsets[i], &p.nodes[i]);
  return all;
}

std::span<const uint8_t> section(const std::vector<uint8_t>& object, std::string_view name) {
  uint64_t table = 0;
  std::memcpy(&table, object.data() + 0x28, 8);
  uint16_t count = 0, names = 0;
  std::memcpy(&count, object.data() + 0x3c, 2), std::memcpy(&names, object.data() + 0x3e, 2);
  const auto field = [&](int i, size_t at) {
    uint64_t x = 0;
    std::memcpy(&x, object.data() + table + 64u * static_cast<size_t>(i) + at, 8);
    return x;
  };
  for (int i = 0; i < count; ++i) {
    const char* own = reinterpret_cast<const char*>(object.data() + field(names, 0x18) + (field(i, 0) & 0xffffffff));
    if (name == own) return {object.data() + field(i, 0x18), field(i, 0x20)};
  }
  return {};
}

}  // namespace

TEST_CASE("LLVM reads the author's line of every instruction, and finds nothing wrong in the sections",
          "[generator][object][lines]") {
  for (const Program& p : {two_blocks(), build_gemm({.trans_a = true, .block = {64, 64, 64}}, Arch::gfx942)}) {
    const auto object = assemble(p).bytes;
    const auto co = sim::CodeObject::load(object);
    CHECK_THAT(printed("llvm-dwarfdump-22 --verify", object), Contains("No errors."));
    std::vector<uint64_t> addresses;
    for (const auto& [address, node] : placed(p, co)) addresses.push_back(address);
    const auto theirs = symbolized(object, addresses);
    size_t wrong = 0;
    for (const auto& [address, node] : placed(p, co)) {
      const auto ours = co.source(address);
      REQUIRE(ours);
      wrong += ours->place() != place(*node) || theirs.at(address) != place(*node) ||
               ours->block != Origin(*node).text() || ours->note != node->note;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("llvm-objdump names labels and lines of a generated kernel", "[generator][object][lines]") {
  const std::string listing = printed("llvm-objdump-22 -d -l", assemble(two_blocks()).bytes);
  CHECK_THAT(listing, Contains("<k_loop>:") && Contains("s_cbranch_scc1 k_loop") && Contains("source_lines_test.cpp:"));
}

TEST_CASE("a code object holds no path of the machine that made it", "[generator][object][lines]") {
  const auto object = assemble(build_gemm({.block = {64, 64, 64}}, Arch::gfx942)).bytes;
  const std::string_view bytes(reinterpret_cast<const char*>(object.data()), object.size());
  CHECK(bytes.find(WAVESMITH_SOURCE) == bytes.npos);
  const auto co = sim::CodeObject::load(object);
  REQUIRE(!co.lines().files().empty());
  for (const auto& file : co.lines().files()) CHECK_THAT(file, Catch::StartsWith("kernels/"));
}

TEST_CASE("the lines of a kernel that clang compiled are those that LLVM's symbolizer names",
          "[simulator][object][lines]") {
  const auto object = simtest::compile(
      "__kernel void k(__global float* a, int n) {\n  float s = 0;\n  for (int i = 0; i < n; ++i)\n    s += a[i];\n  "
      "a[__builtin_amdgcn_workitem_id_x()] = s;\n}\n",
      "-x cl -cl-std=CL2.0 -O1 -g", ".cl");
  const auto co = sim::CodeObject::load(object);
  const auto& k = co.kernel("k");
  std::vector<uint64_t> addresses;
  for (uint64_t pc = k.entry; pc < k.code_end; pc += 4) addresses.push_back(pc);
  const auto theirs = symbolized(object, addresses);
  size_t known = 0;
  for (const uint64_t pc : addresses) {
    const auto ours = co.source(pc);
    const std::string line = theirs.at(pc).substr(theirs.at(pc).rfind(':') + 1);
    INFO(pc << " " << theirs.at(pc));
    CHECK((ours ? ours->line : 0) == (line == "?" ? 0 : std::stoul(line)));
    known += ours.has_value();
  }
  CHECK(known > addresses.size() / 2);
}

TEST_CASE("damaged debug sections name wrong lines or none, and the kernel still loads", "[generator][object][lines]") {
  const auto good = assemble(two_blocks()).bytes;
  const auto entry = sim::CodeObject::load(good).kernel("").entry;
  std::mt19937 random(1);
  for (const char* name : {".debug_line", ".debug_line_str", ".debug_wavesmith"}) {
    const auto bytes = section(good, name);
    REQUIRE(!bytes.empty());
    const auto first = static_cast<size_t>(bytes.data() - good.data());
    for (size_t at = 0; at < bytes.size(); ++at)
      for (const int value : {0x00, 0x7f, 0x80, 0xff, static_cast<int>(random() & 0xff)}) {
        auto bad = good;
        bad[first + at] = static_cast<uint8_t>(value);
        const auto co = sim::CodeObject::load(std::move(bad));
        for (uint64_t pc = entry; pc < entry + 64; pc += 4) (void)co.where(pc);
        (void)co.lines().addresses("source_lines_test.cpp", 50);
      }
  }
}

TEST_CASE("line tables that claim more than they hold are not believed", "[simulator][object][lines]") {
  using Bytes = std::vector<uint8_t>;
  const auto read = [](Bytes header) {  // of a table with this after `header_length`
    Bytes table{5, 0, 8, 0};
    const auto put = [](Bytes& to, uint32_t x) {
      for (int i = 0; i < 4; ++i) to.push_back(static_cast<uint8_t>(x >> 8 * i));
    };
    put(table, static_cast<uint32_t>(header.size()));
    table.insert(table.end(), header.begin(), header.end());
    Bytes all;
    put(all, static_cast<uint32_t>(table.size()));
    all.insert(all.end(), table.begin(), table.end());
    return sim::SourceLines({all, {}, {}, {}});
  };
  // Unit, operations, is_stmt, line base, line range, opcode base 1; then directories: formats, count; files likewise.
  const Bytes many{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
  Bytes no_format{4, 1, 1, 0xfb, 14, 1, 0}, no_range{4, 1, 1, 0xfb, 0, 1, 0, 0, 0, 0},
      one_form{4, 1, 1, 0xfb, 14, 1, 1, 1, 8};
  no_format.insert(no_format.end(), many.begin(), many.end());
  one_form.insert(one_form.end(), many.begin(), many.end());
  for (const Bytes& b : {no_format, no_range, one_form}) CHECK(read(b).files().empty());
}
