// DS instructions on the simulator: swizzles against the guide's own pictures, transposes as permutations of elements,
// loads that land in LDS, and what is never written.
#include <cstring>

#include "generator/dsl/block.h"
#include "isa_tables/opcodes.h"
#include "tests/support/memory_kernel.h"
#include "tests/support/one_wave.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {
std::vector<uint32_t> exchanged(const Machine& m, const std::string& instruction, const std::string& before = "") {
  const auto r = run_on(
      m, "v_add3_u32 v3, v0, 1, 0\n" + before + instruction + "\n" + m.lds + "\nglobal_store_dword v1, v4, s[6:7]\n",
      pattern(16), 64);
  INFO(instruction);
  REQUIRE(r.fault() == "none");
  return r.out<uint32_t>(static_cast<size_t>(lanes(m)));
}
}  // namespace

TEST_CASE("ds_swizzle's FFT and rotate modes give the guide's examples", "[sim][lds]") {
  const auto& m = machine("gfx942");
  const auto swizzle = [&](uint32_t offset) {
    return exchanged(m, fmt::format("ds_swizzle_b32 v4, v3 offset:{}", offset));
  };
  const std::vector<uint32_t> fft0{0x1,  0x11, 0x9,  0x19, 0x5,  0x15, 0xd,  0x1d, 0x3,  0x13, 0xb,
                                   0x1b, 0x7,  0x17, 0xf,  0x1f, 0x2,  0x12, 0xa,  0x1a, 0x6,  0x16,
                                   0xe,  0x1e, 0x4,  0x14, 0xc,  0x1c, 0x8,  0x18, 0x10, 0x20};
  const std::vector<uint32_t> fft16{0x1,  0x9,  0x5,  0xd,  0x3,  0xb,  0x7,  0xf,  0x2,  0xa,  0x6,
                                    0xe,  0x4,  0xc,  0x8,  0x10, 0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b,
                                    0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20};
  const std::vector<uint32_t> left1{1,  4,  3,  6,  5,  8,  7,  10, 9,  12, 11, 14, 13, 16, 15, 18,
                                    17, 20, 19, 22, 21, 24, 23, 26, 25, 28, 27, 30, 29, 32, 31, 2};
  const std::vector<uint32_t> right1{31, 2,  1,  4,  3,  6,  5,  8,  7,  10, 9,  12, 11, 14, 13, 16,
                                     15, 18, 17, 20, 19, 22, 21, 24, 23, 26, 25, 28, 27, 30, 29, 32};
  const auto both_halves = [](const std::vector<uint32_t>& got, const std::vector<uint32_t>& want) {
    for (uint32_t l = 0; l < 64; ++l) REQUIRE(got[l] == want[l % 32] + l / 32 * 32);
  };
  both_halves(swizzle(0xe000), fft0);
  both_halves(swizzle(0xe010), fft16);
  both_halves(swizzle(0xc021), left1);
  both_halves(swizzle(0xc421), right1);
  const auto same = swizzle(0xe01f), rotated = swizzle(0xc020), quads = swizzle(0x801b),
             reversed = swizzle(0x1f << 10 | 0x1f), broadcast = swizzle(5 << 5 | 0x18);
  for (uint32_t l = 0; l < 64; ++l) {
    CHECK(same[l] == l + 1);
    CHECK(rotated[l] == (l & 32) + (l + 1) % 32 + 1);
    CHECK(quads[l] == (l ^ 3) + 1);
    CHECK(reversed[l] == (l ^ 31) + 1);
    CHECK(broadcast[l] == (l & 0x38) + 5 + 1);
  }
}

TEST_CASE("permute sends, bpermute fetches; disabled lanes give zero but to bpermute_fi", "[sim][lds]") {
  const auto& m = machine("gfx1200");
  const std::string rotate = "v_add_nc_u32 v5, 4, v1\n";  // four times the next lane; the top one wraps
  const auto sent = exchanged(m, "ds_permute_b32 v4, v5, v3", rotate),
             fetched = exchanged(m, "ds_bpermute_b32 v4, v5, v3", rotate);
  for (uint32_t l = 0; l < 32; ++l) {
    CHECK(sent[l] == (l + 31) % 32 + 1);
    CHECK(fetched[l] == (l + 1) % 32 + 1);
  }
  const std::string even = rotate + "v_mov_b32 v4, 77\ns_mov_b32 exec_lo, 0x55555555\n",
                    all = "\ns_wait_dscnt 0x0\ns_mov_b32 exec_lo, -1\n";
  const auto none = exchanged(m, "ds_bpermute_b32 v4, v5, v3" + all, even),
             any = exchanged(m, "ds_bpermute_fi_b32 v4, v5, v3" + all, even);
  for (uint32_t l = 0; l < 32; ++l) {
    CHECK(none[l] == (l & 1 ? 77 : 0));
    CHECK(any[l] == (l & 1 ? 77 : l + 2));
  }
}

namespace {
// A tile of 16 columns a lane group: element (row, column) of group g has a number of its own; `where` says which lane
// supplies it.
uint32_t element(int bits, int group, int row, int column) {
  return static_cast<uint32_t>(group * 331 + row * 16 + column * 7 + row) & ((1u << bits) - 1);
}
void put(std::vector<uint8_t>& v, size_t byte, int at, int bits, uint32_t x) {
  for (int b = 0; b < bits; ++b)
    if (x >> b & 1) v[byte + static_cast<size_t>((at + b) / 8)] |= static_cast<uint8_t>(1 << (at + b) % 8);
}
enum class PartOrder {
  by_rows,
  by_parts,
  by_fours
};  // by_fours: lane r % 4 + 4 * part + 8 * (r / 4) has part of row r (rocm-systems pull request 10707)
void check_transpose(const Machine& m, const std::string& name, int bits, int bytes, PartOrder order) {
  CAPTURE(m.name, name);
  const int count = bytes * 8 / bits, parts = 16 / count;
  std::vector<uint8_t> in(1024);
  for (int l = 0; l < lanes(m); ++l)
    for (int i = 0; i < count; ++i) {
      const int k = l % 16, row = order == PartOrder::by_rows    ? k / parts
                                  : order == PartOrder::by_parts ? k % count
                                                                 : k % 4 + k / 8 * 4;
      const int part = order == PartOrder::by_rows    ? k % parts
                       : order == PartOrder::by_parts ? k / count
                                                      : k / 4 % 2,
                column = part * count + i;
      put(in, static_cast<size_t>(16 * l), i * bits, bits, element(bits, l / 16, row, column));
    }
  const std::string result = bytes == 8 ? "v[8:9]" : bytes == 12 ? "v[8:10]" : "v[8:11]";
  const std::string body =
      name.starts_with("ds")
          ? fmt::format("global_load_dwordx4 v[4:7], v2, s[4:5]\n{}\nds_write_b128 v2, v[4:7]\n{}\n{} {}, v2\n{}\n",
                        m.load, m.lds, name, result, m.lds)
          : fmt::format("{} {}, v2, s[4:5]\n{}\n", name, result, m.load);
  const auto r = run_on(m,
                        "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_mov_b32 v10, 0\nv_mov_b32 v11, 0\n" + body +
                            "global_store_dwordx4 v2, v[8:11], s[6:7]\n",
                        in, 1024);
  REQUIRE(r.fault() == "none");
  std::vector<uint8_t> want(static_cast<size_t>(16 * lanes(m)));
  for (int l = 0; l < lanes(m); ++l)
    for (int row = 0; row < count; ++row)
      put(want, static_cast<size_t>(16 * l), row * bits, bits, element(bits, l / 16, row, l % 16));
  CHECK(r.out<uint8_t>(want.size()) == want);
}
}  // namespace

TEST_CASE("an arrival that follows asynchronous loads is counted with them, and not with LDS accesses", "[sim][lds]") {
  // LLVM's flags of the instruction: ASYNCcnt without DScnt. A count of 1 in DScnt leaves the load in flight.
  for (const bool waits : {true, false}) {
    Assembly a{
        fmt::format("v_mov_b32 v1, 0\n v_mov_b32 v3, 64\n ds_load_b32 v2, v1\n "
                    "s_wait_alu depctr_vm_vsrc(0)\n ds_atomic_async_barrier_arrive_b64 v3\n "
                    "s_wait_alu depctr_vm_vsrc(0)\n s_wait_dscnt {}\n v_mov_b32 v4, v2\n s_endpgm\n",
                    waits ? 0 : 1)};
    a.target = "gfx1250", a.lds = 128;
    Bench b;
    b.options.checks.undefined = false;
    const auto r = b.run(a.build());
    CAPTURE(waits, fault_of(r));
    CHECK((fault_of(r) == "none") == waits);
    if (!waits) CHECK(kind_of(r) == Kind::in_flight);
  }
}

TEST_CASE("transposing loads of 96 bits write three registers from any one on, unlike other tuples", "[sim][lds]") {
  // LLVM's assembler takes odd ones of these alone (descriptions_test.cpp).
  OneWave cdna4_wave(isa::Arch::gfx950), cdna5_wave(isa::Arch::gfx1250);
  CHECK_NOTHROW(cdna4_wave.step("ds_read_b96_tr_b6 v[9:11], v2"));
  CHECK_NOTHROW(cdna5_wave.step("ds_load_tr6_b96 v[9:11], v2"));
  CHECK_NOTHROW(cdna5_wave.step("global_load_tr6_b96 v[9:11], v[2:3], off"));
  Block block(isa::Arch::gfx950);
  CHECK_NOTHROW(block.ds_read_b96_tr_b6(Vgpr{9, 3}, Vgpr{2, 1}));
  CHECK_THROWS_WITH(block.ds_read_b96(Vgpr{9, 3}, Vgpr{2, 1}), Catch::Contains("must start at a multiple of 2"));
}

TEST_CASE("transposing loads give each lane a column", "[sim][lds]") {
  check_transpose(cdna4, "ds_read_b64_tr_b16", 16, 8, PartOrder::by_rows);
  check_transpose(cdna4, "ds_read_b64_tr_b8", 8, 8, PartOrder::by_rows);
  check_transpose(cdna4, "ds_read_b96_tr_b6", 6, 12, PartOrder::by_rows);
  check_transpose(cdna4, "ds_read_b64_tr_b4", 4, 8, PartOrder::by_rows);
  const auto& m = machine("gfx1250");
  check_transpose(m, "ds_load_tr16_b128", 16, 16, PartOrder::by_parts);
  check_transpose(m, "ds_load_tr8_b64", 8, 8, PartOrder::by_fours);
  check_transpose(m, "ds_load_tr6_b96", 6, 12, PartOrder::by_parts);
  check_transpose(m, "ds_load_tr4_b64", 4, 8, PartOrder::by_parts);
  check_transpose(m, "global_load_tr8_b64", 8, 8, PartOrder::by_parts);
  check_transpose(m, "global_load_tr16_b128", 16, 16, PartOrder::by_parts);
  check_transpose(m, "global_load_tr6_b96", 6, 12, PartOrder::by_parts);
}

TEST_CASE("loads into LDS add M0 and the instruction's offset, and write zero where the buffer ends", "[sim][lds]") {
  const auto in = pattern(4096);
  const auto check = [&](const Machine& m, const std::string& load, int bytes, int m0, int offset, int end) {
    CAPTURE(m.name, load);
    const std::string v = fmt::format(
        "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, {}\ns_mov_b32 s11, 0x20000\ns_mov_b32 m0, "
        "{}\nv_mul_u32_u24 v3, {}, v0\nv_mul_u32_u24 v6, {}, v0\ns_nop 0\n",
        end, m0, bytes, std::bit_ceil(static_cast<unsigned>(bytes)));
    std::string read;
    for (int d = 0; d < bytes / 4; ++d)
      read += fmt::format(
          "ds_read_b32 v5, v6 offset:{}\ns_waitcnt lgkmcnt(0)\nglobal_store_dword v3, v5, s[6:7] offset:{}\n",
          m0 + offset + 4 * d, 4 * d);
    const auto r = run_on(m, v + load + "\ns_waitcnt vmcnt(0)\n" + read, in, 4096);
    REQUIRE(r.fault() == "none");
    auto want = std::vector<uint8_t>(in.begin() + offset, in.begin() + offset + 64 * bytes);
    for (size_t i = 0; i < want.size(); ++i)
      if (static_cast<int>(i) + offset >= end) want[i] = 0;
    CHECK(r.out<uint8_t>(want.size()) == want);
  };
  check(machine("gfx942"), "buffer_load_dword v3, s[8:11], 0 offen offset:16 lds", 4, 128, 16, 200);
  check(machine("gfx908"), "buffer_load_dword v3, s[8:11], 0 offen offset:16 lds", 4, 128, 16, 200);
  check(cdna4, "buffer_load_dwordx4 v3, s[8:11], 0 offen offset:16 lds", 16, 256, 16, 600);
  check(cdna4, "buffer_load_dwordx3 v3, s[8:11], 0 offen offset:16 lds", 12, 256, 16, 4096);
  check(cdna4, "global_load_lds_dwordx4 v3, s[4:5] offset:16", 16, 256, 16, 4096);
  check(machine("gfx942"), "global_load_lds_dword v3, s[4:5] offset:16", 4, 64, 16, 4096);
}

TEST_CASE("append and consume move one counter by the number of active lanes", "[sim][lds]") {
  const auto& m = machine("gfx942");
  const auto s = run_on(m,
                        "v_mov_b32 v3, 0\nv_mov_b32 v4, 100\nds_write_b32 v3, v4 offset:8\ns_mov_b32 m0, -1\ns_waitcnt "
                        "lgkmcnt(0)\ns_mov_b64 exec, 0xff\nds_append v4 offset:8\nds_consume v5 offset:8\n"
                        "ds_append v6 offset:8\ns_waitcnt lgkmcnt(0)\nds_read_b32 v7, v3 offset:8\ns_waitcnt "
                        "lgkmcnt(0)\nglobal_store_dwordx4 v2, v[4:7], s[6:7]\n",
                        pattern(16), 64);
  REQUIRE(s.fault() == "none");
  CHECK(s.out<uint32_t>(4) == std::vector<uint32_t>{100, 108, 100, 108});
}

TEST_CASE("reads of LDS that nobody wrote are a warning, or a fault if asked for", "[sim][lds][fault]") {
  const std::string body =
      "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0\nds_read_b32 v2, v1 offset:4\ns_waitcnt lgkmcnt(0)\ns_endpgm\n";
  Bench b;
  auto r = b.run(body, 512);
  CHECK_FALSE(r.fault);
  REQUIRE(r.warning);
  CHECK(r.warning->kind == Kind::uninitialized);
  CHECK(r.warning->lane == 63);
  CHECK(r.warnings == 1);
  b.options.checks.uninitialized = sim::Checks::Uninitialized::fault;
  r = b.run(body, 512);
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::uninitialized);
  b.options.checks.uninitialized = sim::Checks::Uninitialized::ignore;
  r = b.run(body, 512);
  CHECK_FALSE(r.fault);
  CHECK_FALSE(r.warning);
}
