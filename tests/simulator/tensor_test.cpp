// gfx1250's data movers: descriptors of the tensor data mover against nested loops written from the guide's
// section 10.11, and asynchronous loads and stores.
#include <cstring>

#include "tests/support/memory_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

// Fields of a descriptor, bit by bit as in the guide's tables.
struct Bits {
  std::vector<uint32_t> d = std::vector<uint32_t>(16);  // groups 0 (4), 1 (8), 2 (4); group 3 follows
  Bits() { d.resize(20); }
  Bits& set(int group, int at, int count, uint64_t x) {
    const int base = group == 0 ? 0 : group == 1 ? 128 : group == 2 ? 384 : 512;
    for (int b = 0; b < count; ++b)
      if (x >> b & 1) d[static_cast<size_t>((base + at + b) / 32)] |= 1u << (base + at + b) % 32;
    return *this;
  }
};
Bits tile(int data_size_log2, uint32_t lds) {
  Bits b;
  return b.set(0, 0, 2, 1).set(0, 32, 32, lds).set(0, 126, 2, 2).set(1, 16, 2, static_cast<uint64_t>(data_size_log2));
}
// SGPRs s[20:39] hold the groups; the global address is that of a buffer.
std::string descriptor(const Bits& b, const char* base) {
  std::string s;
  for (size_t i = 0; i < 20; ++i) s += fmt::format("s_mov_b32 s{}, {:#x}\n", 20 + i, b.d[i]);
  const int lo = base[0] == 'i' ? 4 : 6;
  return s + fmt::format("s_mov_b32 s22, s{}\ns_or_b32 s23, s23, s{}\n", lo, lo + 1);
}
const std::string two = "s[20:23], s[24:31]\n", four = "s[20:23], s[24:31], s[32:35], s[36:39]\n";
// LDS filled with 0xee, the transfer, then `bytes` of LDS to the output.
std::string transfer_program(const std::string& transfer, int bytes) {
  std::string s = "v_mov_b32 v4, 0xeeeeeeee\n";
  for (int at = 0; at < bytes; at += 128) s += fmt::format("ds_store_b32 v1, v4 offset:{}\n", at);
  s += "s_wait_dscnt 0x0\n" + transfer + "s_wait_tensorcnt 0x0\n";
  for (int at = 0; at < bytes; at += 128)
    s += fmt::format("ds_load_b32 v4, v1 offset:{0}\ns_wait_dscnt 0x0\nglobal_store_b32 v1, v4, s[6:7] offset:{0}\n",
                     at);
  return s;
}
std::vector<uint8_t> loaded(const Bits& b, const std::string& groups, int bytes, const std::vector<uint8_t>& in) {
  const auto r = run_on(machine("gfx1250"),
                        transfer_program(descriptor(b, "in") + "tensor_load_to_lds " + groups, bytes), in, bytes);
  REQUIRE(r.fault() == "none");
  return r.out<uint8_t>(static_cast<size_t>(bytes));
}

}  // namespace

TEST_CASE("a tile of two dimensions is padded in LDS and zero beyond the tensor", "[sim][tensor]") {
  const auto in = pattern(8192);
  // f16 elements, tile 32 x 6, tensor 24 x 5 left, row stride 40; 2 dwords of padding after every 16
  Bits b = tile(1, 64);
  b.set(1, 20, 1, 1)
      .set(1, 22, 3, 3)
      .set(1, 25, 7, 1)
      .set(1, 48, 32, 24)
      .set(1, 80, 32, 5)
      .set(1, 112, 16, 32)
      .set(1, 128, 16, 6)
      .set(1, 160, 48, 40);
  const auto got = loaded(b, two, 1024, in);
  std::vector<uint8_t> want(1024, 0xee);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 32; ++x)
      for (int k = 0; k < 2; ++k) {
        const int linear = (y * 32 + x) * 2 + k;
        want[static_cast<size_t>(64 + linear + linear / 64 * 8)] =
            x < 24 && y < 5 ? in[static_cast<size_t>((y * 40 + x) * 2 + k)] : 0;
      }
  CHECK(got == want);
}

TEST_CASE("tiles of five dimensions walk their strides", "[sim][tensor]") {
  const auto in = pattern(16384);
  const int dim[] = {4, 3, 2, 2, 2}, stride[] = {1, 5, 17, 50, 200};
  Bits b = tile(2, 0);
  b.set(1, 48, 32, 4)
      .set(1, 80, 32, 2)
      .set(1, 112, 16, 4)
      .set(1, 128, 16, 3)
      .set(1, 144, 16, 2)
      .set(1, 160, 48, 5)
      .set(1, 208, 48, 17);
  b.set(2, 0, 32, 2)
      .set(2, 32, 32, 2)
      .set(2, 64, 48, 50)
      .set(2, 112, 16, 2)
      .set(3, 0, 48, 200)
      .set(3, 48, 32, 1)
      .set(3, 80, 16, 2);
  const auto got = loaded(b, four, 512, in);
  std::vector<uint8_t> want;
  for (int e = 0; e < 2; ++e)
    for (int z = 0; z < 2; ++z)
      for (int y = 0; y < 2; ++y)
        for (int r = 0; r < dim[1]; ++r)
          for (int x = 0; x < dim[0]; ++x)
            for (int k = 0; k < 4; ++k)
              want.push_back(r < 2 && e < 1
                                 ? in[static_cast<size_t>(
                                       4 * (x + r * stride[1] + y * stride[2] + z * stride[3] + e * stride[4]) + k)]
                                 : 0);  // the tensor has 2 rows and 1 e left
  want.resize(512, 0xee);
  CHECK(got == want);
}

TEST_CASE("gather picks rows by index and zeroes those outside", "[sim][tensor]") {
  const auto in = pattern(8192);
  const int rows[] = {1, 4, 4, 9};
  Bits b = tile(2, 0);
  b.set(0, 31, 1, 1).set(1, 48, 32, 8).set(1, 80, 32, 9).set(1, 112, 16, 8).set(1, 128, 16, 4).set(1, 160, 48, 16);
  for (int i = 0; i < 4; ++i) b.set(2, 16 * i, 16, static_cast<uint64_t>(rows[i]));
  const auto got = loaded(b, four, 128, in);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 32; ++k)
      CHECK(got[static_cast<size_t>(32 * i + k)] == (rows[i] < 9 ? in[static_cast<size_t>(64 * rows[i] + k)] : 0));
}

TEST_CASE("stores drop what lies outside of the tensor, which is how LDS padding is left out", "[sim][tensor]") {
  // rows of 40 bytes in LDS of which 32 are the tensor's
  Bits b = tile(0, 0);
  b.set(1, 48, 32, 32).set(1, 80, 32, 4).set(1, 112, 16, 40).set(1, 128, 16, 4).set(1, 160, 48, 32);
  const std::string body = "ds_store_b32 v1, v0\nds_store_b32 v1, v0 offset:128\ns_wait_dscnt 0x0\n" +
                           descriptor(b, "out") + "tensor_store_from_lds " + two + "s_wait_tensorcnt 0x0\n";
  const auto r = run_on(machine("gfx1250"), body, pattern(16), 256);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint32_t>(40);
  for (uint32_t y = 0; y < 4; ++y)
    for (uint32_t x = 0; x < 8; ++x) CHECK(out[y * 8 + x] == (y * 10 + x) % 32);
  CHECK(out[32] == 0);
}

TEST_CASE("a tile is in flight until tensorcnt or s_wait_idle covers it, and refused outside of LDS",
          "[sim][tensor][fault]") {
  Bits b = tile(2, 0);
  b.set(1, 48, 32, 32).set(1, 80, 32, 1).set(1, 112, 16, 32).set(1, 128, 16, 1).set(1, 160, 48, 32);
  const auto run = [&](const std::string& wait, int lds) {
    return run_on(machine("gfx1250"),
                  descriptor(b, "in") + "tensor_load_to_lds " + two + wait + "ds_load_b32 v4, v1\ns_wait_dscnt 0x0\n",
                  pattern(4096), lds)
        .result;
  };
  CHECK(fault_of(run("s_wait_tensorcnt 0x0\n", 128)) == "none");
  const auto early = run("s_wait_loadcnt 0x0\ns_wait_dscnt 0x0\ns_wait_asynccnt 0x0\n", 128),
             outside = run("s_wait_tensorcnt 0x0\n", 64);
  REQUIRE(early.fault);
  CHECK(early.fault->kind == Kind::in_flight);
  REQUIRE(outside.fault);
  CHECK(outside.fault->kind == Kind::out_of_bounds);
}

TEST_CASE("asynchronous loads and stores move between memory and LDS, the offset on both sides", "[sim][tensor]") {
  const auto& m = machine("gfx1250");
  const auto in = pattern(4096);
  const std::string body =
      "v_add_nc_u32 v4, 64, v2\nglobal_load_async_to_lds_b128 v4, v2, s[4:5] "
      "offset:32\n{}global_store_async_from_lds_b128 v2, v4, s[6:7] offset:32\ns_wait_asynccnt 0x0\n";
  const auto r = run_on(m, fmt::format(fmt::runtime(body), "s_wait_asynccnt 0x0\n"), in, 1024);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint8_t>(32 + 512);
  for (size_t i = 32; i < out.size(); ++i) REQUIRE(out[i] == in[i]);
  const auto early = run_on(m, fmt::format(fmt::runtime(body), "s_wait_loadcnt 0x0\n"), in, 1024);
  REQUIRE(early.result.fault);
  CHECK(early.result.fault->kind == Kind::in_flight);
}

TEST_CASE("arrivals at a barrier in LDS count down and flip its phase", "[sim][tensor]") {
  const auto& m = machine("gfx1250");
  // two arrivals a phase: pending and initial count 1
  const std::string arrive = "ds_atomic_barrier_arrive_rtn_b64 v[{}:{}], v3, v[4:5]\ns_wait_dscnt 0x0\n";
  const auto r =
      run_on(m,
             "s_mov_b32 exec_lo, 1\nv_mov_b32 v3, 0\nv_mov_b32 v4, 1\nv_mov_b32 v5, 1\nds_store_b64 v3, "
             "v[4:5]\nv_mov_b32 v5, 0\ns_wait_dscnt 0x0\n" +
                 fmt::format(fmt::runtime(arrive), 6, 7) + fmt::format(fmt::runtime(arrive), 8, 9) +
                 "ds_load_b64 v[10:11], v3\ns_wait_dscnt 0x0\nglobal_store_b64 v3, v[6:7], s[6:7]\nglobal_store_b64 "
                 "v3, v[8:9], s[6:7] offset:8\nglobal_store_b64 v3, v[10:11], s[6:7] offset:16\n",
             pattern(16), 64);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint64_t>(3);
  CHECK(out[0] == 0x1'00000001);
  CHECK(out[1] == 0x1'00000000);
  CHECK((out[2] & 0x1fffffff) == 1);  // counts again
  CHECK((out[2] >> 29 & 7) != 0);     // in another phase
}

TEST_CASE("a descriptor of type 0 moves nothing; other types but 2 are refused", "[sim][tensor]") {
  const auto in = pattern(256);
  for (const uint64_t type : {0, 1, 3}) {
    Bits b;  // 16 bytes by 2 rows
    b.set(0, 0, 2, 1)
        .set(0, 126, 2, type)
        .set(1, 48, 32, 16)
        .set(1, 80, 32, 2)
        .set(1, 112, 16, 16)
        .set(1, 128, 16, 2)
        .set(1, 160, 48, 16);
    const auto r =
        run_on(machine("gfx1250"), transfer_program(descriptor(b, "in") + "tensor_load_to_lds " + two, 128), in, 128);
    CAPTURE(type);
    if (type) CHECK(r.fault().find("type is") != std::string::npos);
    else CHECK(r.out<uint8_t>(128) == std::vector<uint8_t>(128, 0xee));
  }
}
