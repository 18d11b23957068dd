// Scalar, global, flat, private and buffer memory on the simulator. Expectations are byte arithmetic on a pattern, the
// address formulas of the ISA guides written out again, and what a missing wait must lead to.
#include <cstring>

#include "tests/support/memory_kernel.h"

using namespace simtest;
using Kind = sim::Fault::Kind;

namespace {

// What a load leaves in a register that held `old`, from the words of the ISA guides: bytes; sign; which half is
// written. With ECC the other half is zero.
struct NarrowLoad {
  const char* name;
  int bytes;
  bool sign;
  char half;
};
const NarrowLoad loads[] = {
    {"ubyte", 1, false, 'a'},        {"sbyte", 1, true, 'a'},        {"ushort", 2, false, 'a'},
    {"sshort", 2, true, 'a'},        {"ubyte_d16", 1, false, 'l'},   {"ubyte_d16_hi", 1, false, 'h'},
    {"sbyte_d16", 1, true, 'l'},     {"sbyte_d16_hi", 1, true, 'h'}, {"short_d16", 2, false, 'l'},
    {"short_d16_hi", 2, false, 'h'}, {"dword", 4, false, 'a'},       {"dwordx2", 8, false, 'a'},
    {"dwordx3", 12, false, 'a'},     {"dwordx4", 16, false, 'a'}};

std::array<uint32_t, 4> expected(const NarrowLoad& n, const uint8_t* p, bool ecc) {
  std::array<uint32_t, 4> r{old_value, old_value, old_value, old_value};
  if (n.bytes >= 4) {
    std::memcpy(r.data(), p, static_cast<size_t>(n.bytes));
    return r;
  }
  int32_t x = n.bytes == 1 ? p[0] : p[0] + 256 * p[1];
  if (n.sign && x >= (n.bytes == 1 ? 128 : 32768)) x -= n.bytes == 1 ? 256 : 65536;
  const uint32_t low = static_cast<uint32_t>(x) & 0xffff;
  const uint32_t old = ecc ? 0 : old_value;
  r[0] = n.half == 'a'   ? static_cast<uint32_t>(x)
         : n.half == 'l' ? (old & 0xffff0000) + low
                         : (old & 0xffff) + low * 65536;
  return r;
}
bool has_ecc(const Machine& m) {
  return m.name != std::string_view("gfx1100") && m.name != std::string_view("gfx1200");
}
std::string registers(int bytes) { return bytes <= 4 ? "v4" : fmt::format("v[4:{}]", 3 + bytes / 4); }
const std::string fill =
    fmt::format("v_mov_b32 v4, {0}\nv_mov_b32 v5, {0}\nv_mov_b32 v6, {0}\nv_mov_b32 v7, {0}\n", old_value);
const std::string keep = "\nglobal_store_dwordx4 v2, v[4:7], s[6:7]\n";

// One load and where the bytes are that it must deliver, from 16 * lane on.
struct LoadCase {
  NarrowLoad load;
  std::string body;
  const char* wait;
  int offset;
};
void check_loads(const Machine& m, const std::vector<LoadCase>& all, int scratch = 0) {
  const auto in = pattern(4096);
  std::string body;
  for (const LoadCase& a : all)
    body += fill + a.body + a.wait + keep + "s_add_u32 s6, s6, 1024\ns_addc_u32 s7, s7, 0\n";
  const auto r = run_on(m, body, in, 0, scratch);
  CAPTURE(m.name);
  REQUIRE(r.fault() == "none");
  const auto out = r.out<uint32_t>(256 * all.size());
  for (size_t k = 0; k < all.size(); ++k)
    for (int l = 0; l < lanes(m); ++l) {
      const auto want = expected(all[k].load, in.data() + 16 * l + all[k].offset, has_ecc(m));
      CAPTURE(all[k].body, l);
      for (size_t i = 0; i < 4; ++i) REQUIRE(out[256 * k + 4 * static_cast<size_t>(l) + i] == want[i]);
    }
}

}  // namespace

TEST_CASE("global, flat and buffer loads of every width deliver their bytes on every generation", "[sim][memory]") {
  const Machine m = GENERATE(from_range(std::begin(machines), std::end(machines)));
  std::vector<LoadCase> all;
  for (const NarrowLoad& n : loads) {
    all.push_back({n, fmt::format("global_load_{} {}, v2, s[4:5] offset:3\n", n.name, registers(n.bytes)), m.load, 3});
    all.push_back(
        {n,
         fmt::format(
             "v_mov_b32 v8, s4\nv_lshl_add_u32 v8, v0, 4, v8\nv_mov_b32 v9, s5\nflat_load_{} {}, v[8:9] offset:5\n",
             n.name, registers(n.bytes)),
         m.flat, 5});
    all.push_back(
        {n,
         input_resource(m, 4096) + fmt::format("s_mov_b32 s12, 8\nbuffer_load_{} {}, v2, s[8:11], s12 offen offset:4\n",
                                               n.name, registers(n.bytes)),
         m.load, 12});
  }
  check_loads(m, all);
}

TEST_CASE("private memory keeps what each lane stores, whatever the widths of store and load", "[sim][memory]") {
  const Machine m = GENERATE(from_range(std::begin(machines), std::end(machines)));
  const std::string move = fmt::format(
      "global_load_dwordx4 v[12:15], v2, s[4:5]\n{}\nscratch_store_dwordx4 v3, v[12:15], off offset:12\nscratch_load_",
      m.load);
  std::vector<LoadCase> all;
  for (const NarrowLoad& n : loads)
    for (const int at : {0, 1, 2, 3})
      if (at + n.bytes <= 16)
        all.push_back({n,
                       "v_mov_b32 v3, 4\ns_mov_b32 s8, 12\n" + move +
                           fmt::format("{} {}, off, s8 offset:{}\n", n.name, registers(n.bytes), 4 + at),
                       m.load, at});
  check_loads(m, all, 64);
}

TEST_CASE("private memory ends where the kernel's does", "[sim][memory][fault]") {
  const Machine m = GENERATE(from_range(std::begin(machines), std::end(machines)));
  CAPTURE(m.name);
  const std::string at = "v_mov_b32 v3, {}\nscratch_store_dword v3, v0, off\n";
  CHECK(run_on(m, fmt::format(fmt::runtime(at), 60), pattern(16), 0, 64).fault() == "none");
  const auto r = run_on(m, fmt::format(fmt::runtime(at), 64), pattern(16), 0, 64);
  REQUIRE(r.result.fault);
  CHECK(r.result.fault->kind == Kind::out_of_bounds);
}

TEST_CASE("flat addresses reach LDS and private memory through their apertures", "[sim][memory]") {
  const Machine m = GENERATE(from_range(std::begin(machines), std::end(machines)));
  if (std::string(m.name) == "gfx1250") return;  // its private aperture is not in src_private_base
  CAPTURE(m.name);
  for (const char* aperture : {"src_shared_base", "src_private_base"}) {
    CAPTURE(aperture);
    const bool shared = aperture[4] == 's';
    const auto r = run_on(
        m,
        fmt::format("s_mov_b64 s[8:9], {}\nv_mov_b32 v9, s9\nv_mov_b32 v8, {}\nv_xor_b32 v3, 0x1234, v0\nv_mov_b32 "
                    "v10, 4\nflat_store_dword v[8:9], v3\n{}\n{} v4, {}\n{}\nglobal_store_dword v1, v4, s[6:7]\n",
                    aperture, shared ? "v1" : "8",
                    std::string(m.name) >= "gfx12" && m.name[3] == '1' && m.name[4] == '2' ? "s_wait_storecnt_dscnt 0x0"
                                                                                           : m.flat,
                    shared ? "ds_read_b32" : "scratch_load_dword", shared ? "v1" : "v10, off offset:4",
                    shared ? m.lds : m.load),
        pattern(16), 1024, 32);
    REQUIRE(r.fault() == "none");
    const auto out = r.out<uint32_t>(static_cast<size_t>(lanes(m)));
    for (uint32_t l = 0; l < out.size(); ++l) CHECK(out[l] == (l ^ 0x1234));
  }
}

TEST_CASE("compiled kernels keep arrays in private memory", "[sim][memory][foreign]") {
  const std::string target = GENERATE("gfx908", "gfx90a", "gfx942");
  CAPTURE(target);
  const auto object = compile(R"(
kernel void turn(global const int* in, global int* out) {
  volatile int a[16];
  int l = __builtin_amdgcn_workitem_id_x();
#pragma nounroll
  for (int i = 0; i < 16; ++i) a[(i * 5 + l) & 15] = in[i] + l;
  int s = 0;
#pragma nounroll
  for (int i = 0; i < 16; ++i) s = (s << 1 ^ s >> 31) ^ a[(i + in[i]) & 15];
  out[l] = s;
})",
                              "-x cl -cl-std=CL2.0 -O1", ".cl", target);
  Bench b;
  std::vector<int> in(16);
  for (int i = 0; i < 16; ++i) in[static_cast<size_t>(i)] = i * i + 3;
  b.fill(in);
  b.launch.block = {128, 1, 1};
  REQUIRE(fault_of(b.run(object, "turn")) == "none");
  const auto out = b.result<int>(128);
  for (int l = 0; l < 128; ++l) {
    int a[16];
    for (int i = 0; i < 16; ++i) a[(i * 5 + l) & 15] = in[static_cast<size_t>(i)] + l;
    int s = 0;
    for (int i = 0; i < 16; ++i)
      s = (static_cast<int>(static_cast<uint32_t>(s) << 1) ^ s >> 31) ^ a[(i + in[static_cast<size_t>(i)]) & 15];
    REQUIRE(out[static_cast<size_t>(l)] == s);
  }
}

TEST_CASE("scalar buffer loads give zero dword by dword beyond the bounds", "[sim][memory]") {
  const auto in = pattern(4096);
  const auto dword = [&](size_t at) {
    uint32_t x;
    std::memcpy(&x, in.data() + at, 4);
    return x;
  };
  const auto run = [&](uint32_t word1, uint32_t records) {
    const auto& m = machine("gfx942");
    const auto r =
        run_on(m,
               fmt::format(
                   "s_mov_b32 s8, s4\ns_or_b32 s9, s5, {}\ns_mov_b32 s10, {}\ns_mov_b32 s11, 0x20000\ns_mov_b32 s12, "
                   "8\ns_buffer_load_dwordx4 s[16:19], s[8:11], s12\n"
                   "s_waitcnt lgkmcnt(0)\nv_mov_b32 v4, s16\nv_mov_b32 v5, s17\nv_mov_b32 v6, s18\nv_mov_b32 v7, s19\n",
                   word1, records) +
                   keep,
               in);
    REQUIRE(r.fault() == "none");
    return r.out<uint32_t>(4);
  };
  CHECK(run(0, 16) == std::vector<uint32_t>{dword(8), dword(12), 0, 0});
  CHECK(run(8 << 16, 2) == std::vector<uint32_t>{dword(8), dword(12), 0, 0});  // two records of 8 bytes
  CHECK(run(0, 4096) == std::vector<uint32_t>{dword(8), dword(12), dword(16), dword(20)});
}

TEST_CASE("a scalar buffer of gfx12 ends after its records times their stride, whatever the stride's scale",
          "[sim][memory]") {
  const auto in = pattern(4096);
  const auto dword = [&](size_t at) {
    uint32_t x;
    std::memcpy(&x, in.data() + at, 4);
    return x;
  };
  const auto run = [&](const char* target, const std::string& resource) {
    const auto r = run_on(machine(target),
                          resource +
                              "s_mov_b32 s12, 8\ns_buffer_load_b128 s[16:19], s[8:11], s12 offset:0x0\ns_wait_kmcnt "
                              "0x0\nv_mov_b32 v4, s16\nv_mov_b32 v5, s17\nv_mov_b32 v6, s18\nv_mov_b32 v7, s19\n" +
                              keep,
                          in);
    REQUIRE(r.fault() == "none");
    return r.out<uint32_t>(4);
  };
  // gfx1250: base 56:0, records 101:57, stride 121:108, its scale 123:122 (CDNA5 ISA 9.6); gfx1200: stride 61:48,
  // records 95:64, scale 115:114 (RDNA4 ISA 9.4).
  const auto cdna5 = [](uint32_t records, uint32_t stride, uint32_t scale) {
    return fmt::format("s_mov_b32 s8, s4\ns_or_b32 s9, s5, 0x{:x}\ns_mov_b32 s10, {}\ns_mov_b32 s11, 0x{:x}\n",
                       records << 25, records >> 7, stride << 12 | scale << 26);
  };
  const auto rdna4 = [](uint32_t records, uint32_t stride, uint32_t scale) {
    return fmt::format("s_mov_b32 s8, s4\ns_or_b32 s9, s5, 0x{:x}\ns_mov_b32 s10, {}\ns_mov_b32 s11, 0x{:x}\n",
                       stride << 16, records, scale << 18);
  };
  const std::vector<uint32_t> half{dword(8), dword(12), 0, 0}, all{dword(8), dword(12), dword(16), dword(20)};
  for (const uint32_t scale : {0u, 3u}) {
    CAPTURE(scale);
    CHECK(run("gfx1250", cdna5(2, 8, scale)) == half);
    CHECK(run("gfx1250", cdna5(3, 8, scale)) == all);
    CHECK(run("gfx1250", cdna5(16, 0, scale)) == half);
    CHECK(run("gfx1200", rdna4(2, 8, scale)) == half);
    CHECK(run("gfx1200", rdna4(3, 8, scale)) == all);
  }
}

TEST_CASE("narrow scalar loads of gfx12 extend as they say", "[sim][memory]") {
  const auto& m = machine("gfx1200");
  std::vector<uint8_t> in(64);
  in[5] = 0x80, in[6] = 0x91;
  const auto r = run_on(m,
                        "s_load_u8 s8, s[4:5], 0x5\ns_load_i8 s9, s[4:5], 0x5\ns_load_u16 s10, s[4:5], 0x6\ns_mov_b32 "
                        "s12, 2\ns_load_i16 s11, s[4:5], s12 offset:0x4\ns_wait_kmcnt 0x0\n"
                        "v_mov_b32 v4, s8\nv_mov_b32 v5, s9\nv_mov_b32 v6, s10\nv_mov_b32 v7, s11\n" +
                            keep,
                        in);
  REQUIRE(r.fault() == "none");
  CHECK(r.out<uint32_t>(4) == std::vector<uint32_t>{0x80, 0xffffff80, 0x91, 0x91});
}

TEST_CASE("a scalar load past the arguments is caught and names them", "[sim][memory][fault]") {
  Bench b;
  const auto r = b.run("s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_endpgm\n");
  REQUIRE(r.fault);
  CHECK(r.fault->kind == Kind::out_of_bounds);
  CHECK(r.fault->why.find("kernel arguments") != std::string::npos);
}

namespace {
// Loads one dword a lane through a resource: index = lane, offset = lane % 3 * 4. Returns what each lane got.
std::vector<uint32_t> through(const Machine& m, const std::array<uint32_t, 2>& word1_base_or, uint32_t records,
                              uint32_t word3, const char* mode, const std::vector<uint32_t>& in) {
  const auto r =
      run_on(m,
             fmt::format("s_mov_b32 s8, s4\ns_or_b32 s9, s5, {}\ns_mov_b32 s10, {}\ns_mov_b32 s11, {}\ns_mov_b32 s12, "
                         "{}\nv_mov_b32 v4, v0\nv_and_b32 v5, 1, v0\nv_lshlrev_b32 v5, 2, v5\n"
                         "buffer_load_dword v6, {}\n{}\nglobal_store_dword v1, v6, s[6:7]\n",
                         word1_base_or[0], records, word3, word1_base_or[1], mode, m.load),
             in);
  REQUIRE(r.fault() == "none");
  return r.out<uint32_t>(static_cast<size_t>(lanes(m)));
}
std::vector<uint32_t> counting(size_t n) {
  std::vector<uint32_t> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = static_cast<uint32_t>(i) + 1000;
  return v;
}
}  // namespace

TEST_CASE("structured buffers count records, raw ones bytes, on gfx9", "[sim][memory][buffer]") {
  const auto& m = machine("gfx942");
  const auto in = counting(4096);
  // stride 8, index and offset: lane l reads dword 2 l + (l & 1); 10 records
  auto out = through(m, {8u << 16, 0}, 10, 0x20000, "v[4:5], s[8:11], s12 idxen offen", in);
  for (uint32_t l = 0; l < 64; ++l) CHECK(out[l] == (l < 10 ? 1000 + 2 * l + (l & 1) : 0));
  // the scalar offset moves the address and not the check of records
  out = through(m, {8u << 16, 16}, 10, 0x20000, "v[4:5], s[8:11], s12 idxen offen", in);
  for (uint32_t l = 0; l < 64; ++l) CHECK(out[l] == (l < 10 ? 1004 + 2 * l + (l & 1) : 0));
  // no index: raw, in bytes, although there is a stride
  out = through(m, {8u << 16, 0}, 4, 0x20000, "v5, s[8:11], s12 offen", in);
  for (uint32_t l = 0; l < 64; ++l) CHECK(out[l] == (l & 1 ? 0 : 1000));
}

TEST_CASE("a buffer resource without a format is switched off", "[sim][memory][buffer]") {
  const auto in = counting(64);
  for (const auto& [arch, none, some] : {std::tuple{"gfx908", 0u, 0x20000u},
                                         {"gfx942", 0u, 0x20000u},
                                         {"gfx1100", 3u << 28, 3u << 28 | 0x14000u},
                                         {"gfx1200", 3u << 28, 3u << 28 | 0x14000u}}) {
    CAPTURE(arch);
    CHECK(through(machine(arch), {0, 0}, 256, none, "v5, s[8:11], s12 offen", in)[1] == 0);
    CHECK(through(machine(arch), {0, 0}, 256, some, "v5, s[8:11], s12 offen", in)[1] == 1001);
  }
}

TEST_CASE("swizzled buffers with ADD_TID interleave the records of gfx9", "[sim][memory][buffer]") {
  const auto& m = machine("gfx942");
  const auto in = counting(4096);
  // swizzle, ADD_TID, 16 indices, stride 64, elements of 4 bytes: CDNA3 ISA 9.1.5.2
  const auto out =
      through(m, {64u << 16 | 1u << 31, 4}, 0xffffffff, 1u << 23 | 1u << 21, "v5, s[8:11], s12 offen offset:8", in);
  for (uint32_t l = 0; l < 64; ++l) {
    const uint32_t index = l, offset = (l & 1) * 4 + 8;
    const uint32_t bytes = 4 + (index / 16 * 64 + offset / 4 * 4) * 16 + index % 16 * 4 + offset % 4;
    CHECK(out[l] == 1000 + bytes / 4);
  }
}

TEST_CASE("a gfx9 buffer with swizzling enabled is linear where neither an index nor ADD_TID is used",
          "[sim][memory][buffer]") {
  const auto& m = machine("gfx942");
  const auto out = through(m, {2048u << 16 | 3u << 30, 4}, 20, 0x110000, "v5, s[8:11], s12 offen offset:8",
                           counting(4096));  // as HipKittens makes them
  for (uint32_t l = 0; l < 64; ++l) CHECK(out[l] == (l & 1 ? 1004 : 1003));
  CHECK(through(m, {2048u << 16 | 3u << 30, 4}, 16, 0x110000, "v5, s[8:11], s12 offen offset:8", counting(4096))[1] ==
        0);
}

TEST_CASE("a dword that ends beyond a gfx9 buffer is out of range, and offsets wrap at 32 bits",
          "[sim][memory][buffer]") {  // gfx950: ROCm/rocm-systems pull request 10928
  for (const Machine& m : {machine("gfx942"), cdna4}) {
    CHECK(through(m, {0, 0}, 6, 0x20000, "v5, s[8:11], s12 offen", counting(64))[1] == 0);  // bytes 4 to 7 of 6
    CHECK(through(m, {0, 0}, 8, 0x20000, "v5, s[8:11], s12 offen", counting(64))[1] == 1001);
    const auto r =
        run_on(m,
               std::string("s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 64\ns_mov_b32 s11, 0x20000\nv_mov_b32 "
                           "v5, -12\nbuffer_load_dword v6, v5, s[8:11], 0 offen offset:16\n") +
                   m.load + "\nglobal_store_dword v1, v6, s[6:7]\n",
               counting(64));
    REQUIRE(r.fault() == "none");
    CHECK(r.out<uint32_t>(1)[0] == 1001);
  }
}

TEST_CASE("a gfx9 buffer that is linear and indexed takes no lane's number",
          "[sim][memory][buffer]") {  // gfx950: the same pull request
  const auto out =
      through(cdna4, {8u << 16, 0}, 10, 1u << 23 | 1u << 15, "v[4:5], s[8:11], s12 idxen offen", counting(4096));
  for (uint32_t l = 0; l < 64; ++l) CHECK(out[l] == (l < 10 ? 1000 + 2 * l + (l & 1) : 0));
}

TEST_CASE(
    "swizzled buffers of gfx11 and gfx12 take an index or the lane's number, and the scalar offset after the swizzle",
    "[sim][memory][buffer]") {
  // Seen on gfx1100 and gfx1201: rocjitsu's test of rdna_buffer_address. Stride 32, elements of 4 bytes, 8 indices,
  // range mode 2.
  const uint32_t word3 = 2u << 28 | 0x14000;
  for (const char* target : {"gfx1100", "gfx1200"}) {
    const auto& m = machine(target);
    const auto at = [](uint32_t index, uint32_t offset) {
      return 1000 + ((index / 8 * 32 + offset / 4 * 4) * 8 + index % 8 * 4 + 4) / 4;
    };
    const auto both =
        through(m, {32u << 16 | 1u << 30, 4}, 64, word3 | 1u << 23, "v[4:5], s[8:11], s12 idxen offen", counting(4096));
    const auto lane =
        through(m, {32u << 16 | 1u << 30, 4}, 64, word3 | 1u << 23, "v5, s[8:11], s12 offen", counting(4096));
    const auto none = through(m, {32u << 16 | 1u << 30, 4}, 64, word3, "v5, s[8:11], s12 offen", counting(4096));
    for (uint32_t l = 0; l < 32; ++l) {
      CHECK(both[l] == at(l, (l & 1) * 4));
      CHECK(lane[l] == at(l, (l & 1) * 4));
      CHECK(none[l] == 1001 + (l & 1));
    }
  }
}

TEST_CASE("the four range modes of gfx11 differ as its guide says", "[sim][memory][buffer]") {
  const auto& m = machine("gfx1100");
  const auto in = counting(4096);
  const auto mode = [](uint32_t n) { return n << 28 | 0x14000; };
  const auto read = [&](uint32_t stride, uint32_t records, uint32_t n, uint32_t scalar) {
    return through(m, {stride << 16, scalar}, records, mode(n), "v[4:5], s[8:11], s12 idxen offen", in);
  };
  // 0: index and offset + payload <= stride
  auto out = read(4, 10, 0, 0);
  for (uint32_t l = 0; l < 32; ++l) CHECK(out[l] == (l < 10 && !(l & 1) ? 1000 + l : 0));
  // 1: index only
  out = read(4, 10, 1, 0);
  for (uint32_t l = 0; l < 32; ++l) CHECK(out[l] == (l < 10 ? 1000 + l + (l & 1) : 0));
  // 2: everything unless empty
  out = read(4, 1, 2, 0);
  for (uint32_t l = 0; l < 32; ++l) CHECK(out[l] == 1000 + l + (l & 1));
  CHECK(read(4, 0, 2, 0)[5] == 0);
  // 3: raw, offset + payload within the bytes less the scalar offset
  out = read(4, 12, 3, 8);
  for (uint32_t l = 0; l < 32; ++l) CHECK(out[l] == (l & 1 ? 0 : 1002 + l));
}

TEST_CASE("a scalar load in flight leaves the order of LDS reads before it known", "[sim][memory]") {
  const auto& m = machine("gfx942");
  const std::string body =
      "ds_write_b32 v1, v0\nds_read_b32 v4, v1\nds_read_b32 v5, v1\ns_load_dword s12, s[0:1], 0x0\ns_waitcnt "
      "lgkmcnt({})\nv_mov_b32 v6, v4\ns_waitcnt lgkmcnt(0)\n";
  CHECK(run_on(m, fmt::format(fmt::runtime(body), 1), pattern(16), 1024).fault() == "none");
  const auto r =
      run_on(m, fmt::format(fmt::runtime(body), 2), pattern(16), 1024);  // the scalar load may have been first
  REQUIRE(r.result.fault);
  CHECK(r.result.fault->kind == Kind::in_flight);
}

TEST_CASE("each generation's counters cover their own operations and no others", "[sim][memory][fault]") {
  const auto fails = [](const char* target, const std::string& body) {
    return run_on(machine(target), body, pattern(64), 1024).result.fault.has_value();
  };
  const std::string load = "global_load_dword v4, v1, s[4:5]\n", use = "v_mov_b32 v5, v4\n",
                    read = "ds_write_b32 v1, v0\nds_read_b32 v4, v1\n";
  CHECK_FALSE(fails("gfx1200", load + "s_wait_loadcnt 0x0\n" + use));
  CHECK(fails("gfx1200", load + "s_wait_dscnt 0x0\ns_wait_kmcnt 0x0\ns_wait_storecnt 0x0\n" + use));
  CHECK_FALSE(fails("gfx1200", read + "s_wait_dscnt 0x0\n" + use));
  CHECK(fails("gfx1200", read + "s_wait_loadcnt 0x0\ns_wait_kmcnt 0x0\n" + use));
  CHECK_FALSE(fails("gfx1200", read + load.substr(0, 0) + "s_wait_idle\n" + use));
  // gfx11: stores do not move vmcnt, so the load is covered by vmcnt(0) only; gfx9 counts them together
  const std::string then_store = load + "global_store_dword v1, v0, s[6:7]\n";
  CHECK(fails("gfx1100", then_store + "s_waitcnt vmcnt(1)\n" + use));
  CHECK_FALSE(fails("gfx942", then_store + "s_waitcnt vmcnt(1)\n" + use));
}

TEST_CASE("in a kernel, too, odd rows of a product of gfx11 are those of B's second copy", "[sim][matrix]") {
  std::string text =
      "v_add_nc_u32 v10, 1, v0\nv_cvt_f32_u32 v10, v10\nv_cvt_f16_f32 v10, v10\nv_and_b32 v10, 0xffff, v10\n";
  for (int r = 2; r < 10; ++r) text += fmt::format("v_mov_b32 v{}, 0x3c003c00\n", r);
  for (int r = 11; r < 18; ++r) text += fmt::format("v_mov_b32 v{}, 0\n", r);
  const std::string multiply = "v_wmma_f32_16x16x16_f16 v[24:31], v[2:9], v[10:17], 0\n";
  const auto r =
      run_on(machine("gfx1100"),
             text + multiply + "v_nop\nv_nop\n" + multiply + "v_nop\nv_nop\nglobal_store_dword v1, v24, s[6:7]\n",
             counting(4));
  REQUIRE(r.fault() == "none");
  const auto out = r.out<float>(32);
  for (int l = 0; l < 32; ++l) CHECK(out[static_cast<size_t>(l)] == static_cast<float>(l + 1));
}
