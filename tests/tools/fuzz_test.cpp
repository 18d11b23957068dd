// Malformed and hostile code objects end with a message: the corpus of tests/fuzz, mutated the same way in every run.
// What the fuzzers find beyond that joins the corpus.
#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <sstream>

#include "tests/fuzz/code_object.h"
#include "tests/support/command.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

using Bytes = std::vector<uint8_t>;

std::vector<Bytes> loader_corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(std::string(WAVESMITH_SOURCE) + "/tests/fuzz/corpus/loader"))
    files.push_back(e.path());
  std::sort(files.begin(), files.end());
  std::vector<Bytes> all;
  for (const auto& f : files) {
    std::ifstream in(f, std::ios::binary);
    all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return all;
}

template <class T>
T get(const Bytes& b, size_t at) {
  T x{};
  if (at + sizeof x <= b.size()) std::memcpy(&x, &b[at], sizeof x);
  return x;
}

// Where a mutation may bite: headers, notes, symbols and strings, the descriptor, the code.
struct Part {
  size_t at, size;
};
std::vector<Part> parts(const Bytes& b) {
  std::vector<Part> p = {{0, b.size()}, {0, 64}};
  const uint64_t program = get<uint64_t>(b, 32), section = get<uint64_t>(b, 40);
  const uint16_t programs = get<uint16_t>(b, 56), sections = get<uint16_t>(b, 60);
  p.push_back({program, programs * 56u}), p.push_back({section, sections * 64u});
  for (size_t i = 0; i < programs; ++i)
    p.push_back({get<uint64_t>(b, program + 56 * i + 8), get<uint64_t>(b, program + 56 * i + 32)});
  std::erase_if(p, [&](const Part& x) { return x.size == 0 || x.at >= b.size() || x.size > b.size() - x.at; });
  return p;
}

void mutate(Bytes& b, const std::vector<Part>& where, std::mt19937& random) {
  constexpr uint64_t odd[] = {0,           1,          0x7f,       0x80,       0xff,        0x7fff,
                              0xffff,      0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
                              ~uint64_t{0}};
  for (uint32_t n = 1 + random() % 4; n; --n) {
    const Part p = where[random() % where.size()];
    const size_t at = p.at + random() % p.size;
    if (at >= b.size()) continue;
    switch (random() % 6) {
      case 0: b[at] = static_cast<uint8_t>(random()); break;
      case 1: b[at] ^= static_cast<uint8_t>(1u << random() % 8); break;
      case 2:
      case 3: {  // a telling number of 2, 4 or 8 bytes, in place
        const uint64_t x = odd[random() % std::size(odd)];
        const size_t size = size_t{2} << random() % 3, start = at / size * size;
        if (start + size <= b.size()) std::memcpy(&b[start], &x, size);
        break;
      }
      case 4: {  // a word from elsewhere: another instruction, another offset
        const size_t from = random() % b.size() / 4 * 4, to = at / 4 * 4;
        if (std::max(from, to) + 4 <= b.size())
          std::memcpy(&b[to],
                      Bytes(b.begin() + static_cast<long>(from), b.begin() + static_cast<long>(from) + 4).data(), 4);
        break;
      }
      case 5:
        if (random() % 16 == 0) b.resize(at);
        break;
    }
  }
}

}  // namespace

TEST_CASE("every file of the corpus runs or is refused", "[sim][fuzz]") {
  const auto all = loader_corpus();
  REQUIRE(all.size() >= 24);
  int done = 0;
  for (const Bytes& b : all) done += run_hostile(b) != Ending::refused;
  CHECK(done >= 20);
}

TEST_CASE("a mutated code object ends with a message, never with a crash", "[sim][fuzz]") {
  std::mt19937 random(20240607);
  const auto all = loader_corpus();
  int endings[3] = {};
  for (int i = 0; i < 3000; ++i) {
    Bytes b = all[random() % all.size()];
    if (b.empty()) continue;
    mutate(b, parts(b), random);
    ++endings[static_cast<int>(run_hostile(b))];
  }
  for (const int n : endings) CHECK(n > 100);  // all kinds of ends are reached
}

TEST_CASE("random bytes for code end in a fault or an end", "[sim][fuzz]") {
  int faults = 0;
  std::mt19937 random(7);
  for (const isa::Target& t : isa::all_targets()) {
    Assembly a{"s_nop 0\n.rept 64\ns_nop 0\n.endr\ns_endpgm\n"};
    a.target = t.name, a.lds = 64;
    const Bytes good = a.build();
    const Bytes word = {0, 0, 0x80, 0xbf, 0, 0, 0x80, 0xbf};
    const auto code = std::search(good.begin(), good.end(), word.begin(), word.end());
    REQUIRE(code != good.end());
    for (int i = 0; i < 100; ++i) {
      Bytes b = good;
      const auto at = b.begin() + (code - good.begin());
      for (int k = 0; k < 64; ++k)
        at[k * 4 + 0] = static_cast<uint8_t>(random()), at[k * 4 + 1] = static_cast<uint8_t>(random()),
                   at[k * 4 + 2] = static_cast<uint8_t>(random()), at[k * 4 + 3] = static_cast<uint8_t>(random());
      faults += run_hostile(b) == Ending::fault;
    }
  }
  CHECK(faults > 0);
}

TEST_CASE("absurd launches are refused in one line that says what would be legal", "[sim][fuzz][load]") {
  Bench b;
  Assembly a{"s_endpgm\n"};
  const auto co = sim::CodeObject::load(a.build());
  const auto refused = [&](auto change) {
    sim::Launch l = b.launch;
    sim::KernelInfo k = co.kernel("k");
    change(l, k);
    try {
      sim::run(co, k, b.memory, l, b.options);
    } catch (const sim::LoadError& e) { return std::string(e.what()); }
    return std::string("ran");
  };
  using L = sim::Launch&;
  using K = sim::KernelInfo&;
  CHECK(refused([](L l, K) { l.grid = {0xffffffff, 0xffffffff, 0xffffffff}; }).find("up to 2^31") != std::string::npos);
  CHECK(refused([](L l, K) { l.grid = {1u << 22, 1u << 22, 1u << 20}; }).find("up to 2^31") !=
        std::string::npos);  // the product is 0 in 64 bits
  CHECK(refused([](L l, K) { l.grid = {0, 5, 5}; }).find("empty grid") != std::string::npos);
  CHECK(refused([](L l, K) { l.block = {1u << 31, 1u << 31, 4}; }).find("takes 1 to 1024") != std::string::npos);
  CHECK(refused([](L l, K k) {
          l.block = {4096, 1, 1};
          k.max_workgroup_size = -1;
        }).find("takes 1 to") != std::string::npos);
  CHECK(refused([](L l, K) { l.dynamic_lds = 0xffffffff; }).find("bytes of LDS") != std::string::npos);
  CHECK(refused([](L l, K k) {
          l.dynamic_lds = 0x80000000, k.lds_bytes = 0x80000000;
        }).find("4294967296 bytes of LDS") != std::string::npos);
  CHECK(refused([](L, K k) { k.private_bytes = 0x7fffffff; }).find("private memory per wave") != std::string::npos);
  CHECK(refused([](L, K k) { k.kernarg_bytes = 0xffffffff; }).find("bytes of arguments") != std::string::npos);
  CHECK(refused([](L, K k) { k.wave_size = 32; }).find("waves of 32 lanes") != std::string::npos);
}

TEST_CASE("every file of the fuzzers' corpora ends by itself", "[fuzz][hostile]") {
  const clitest::Directory scratch;
  const std::string corpora = std::string(WAVESMITH_SOURCE) + "/tests/fuzz/corpus";
  const bool libfuzzer = std::string_view(WAVESMITH_SANITIZE).find("fuzzer") != std::string_view::npos;
  std::set<std::string> kept, known;
  for (const auto& e : std::filesystem::directory_iterator(corpora)) {
    INFO(e.path());
    const std::string input = e.path().filename().string();
    const auto command =
        fmt::format("cd {} && {} {} {}/* >/dev/null 2>&1", scratch / ".",
                    libfuzzer ? fmt::format("WAVESMITH_FUZZ_INPUT={}", input) : WAVESMITH_FUZZ,
                    libfuzzer ? WAVESMITH_FUZZ " -rss_limit_mb=8192 -detect_leaks=0" : input, e.path().string());
    CHECK(std::system(command.c_str()) == 0);
    kept.insert(input);
  }
  // Without libFuzzer it lists the inputs that it knows.
  if (libfuzzer) return;
  CHECK(std::system(fmt::format("{} > {}", WAVESMITH_FUZZ, scratch / "inputs").c_str()) == 0);
  std::istringstream names(clitest::text(scratch / "inputs"));
  for (std::string name; names >> name;) known.insert(name);
  CHECK(kept == known);
}
