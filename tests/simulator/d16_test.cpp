// Loads into half of a register. With SRAM-ECC the other half becomes zero ("16-bit memory loads write the full 32-bit
// VGPR. Unused bits are set to zero", CDNA1 to CDNA4 ISA, "D16 instructions"; CDNA5 ISA 13.1.2 to 13.1.5), without it
// the half stays.
#include "generator/dsl/kernel.h"
#include "generator/passes/lower.h"
#include "tests/support/memory_kernel.h"

using namespace simtest;

namespace {

// e_flags stand at 48; EF_AMDGPU_FEATURE_SRAMECC_V4 in bits 11:10 (AMDGPUUsage): 1 any, 2 off, 3 on.
std::vector<uint8_t> with_sramecc(std::vector<uint8_t> object, int state) {
  object[49] = static_cast<uint8_t>((object[49] & ~0xc) | state << 2);
  return object;
}
int sramecc_of(const std::vector<uint8_t>& object) { return object[49] >> 2 & 3; }

constexpr uint32_t two_halves = 0x8765fedc;

// One D16 load of every kind of memory and width into a register that held old_value, on memory that repeats `halves`;
// what it leaves there.
struct Load {
  std::string text;
  uint32_t value;
  bool high;
};
std::vector<uint32_t> left_by(const Machine& m, const std::vector<Load>& loads, int state) {
  std::string body = fmt::format("v_mov_b32 v6, s4\nv_mov_b32 v7, s5\nv_mov_b32 v5, 0x{:x}\nds_write_b32 v1, v5\n{}\n",
                                 two_halves, m.lds);
  body += input_resource(m, 4096) + "s_mov_b32 s12, 0\n";
  for (size_t i = 0; i < loads.size(); ++i)
    body += fmt::format(
        "v_mov_b32 v8, 0x{:x}\n{}\n{}\n{}\nglobal_store_dword v1, v8, s[6:7]\ns_add_u32 s6, s6, 256\ns_addc_u32 s7, "
        "s7, 0\n",
        old_value, loads[i].text, m.flat, m.load);
  Bench b(65536, 65536);
  b.launch.block = {static_cast<uint32_t>(lanes(m)), 1, 1};
  b.fill(std::vector<uint32_t>(1024, two_halves));
  Assembly a{start(m) + body + "s_endpgm\n"};
  a.target = m.name, a.lds = 1024;
  auto object = a.build();
  if (state) object = with_sramecc(std::move(object), state);
  REQUIRE(fault_of(b.run(object)) == "none");
  std::vector<uint32_t> out;
  for (size_t i = 0; i < loads.size(); ++i) out.push_back(b.result<uint32_t>(64 * loads.size())[64 * i + 3]);
  return out;
}

const std::vector<Load>& every_load() {
  static const std::vector<Load> all = [] {
    std::vector<Load> l;
    for (const bool high : {false, true})
      for (const auto& [name, lds, value] :
           {std::tuple{"ubyte", "u8", 0xdcu}, {"sbyte", "i8", 0xffdcu}, {"short", "u16", 0xfedcu}}) {
        const std::string d16 = high ? "_d16_hi" : "_d16";
        l.push_back({fmt::format("global_load_{}{} v8, v1, s[4:5]", name, d16), value, high});
        l.push_back({fmt::format("flat_load_{}{} v8, v[6:7]", name, d16), value, high});
        l.push_back({fmt::format("buffer_load_{}{} v8, v1, s[8:11], s12 offen", name, d16), value, high});
        l.push_back({fmt::format("ds_read_{}{} v8, v1", lds, d16), value, high});
      }
    return l;
  }();
  return all;
}

uint32_t wanted(const Load& l, bool keeps) {
  const uint32_t old = keeps ? old_value : 0;
  return l.high ? (old & 0xffff) | l.value << 16 : (old & 0xffff0000) | l.value;
}

bool names(const isa::Few<isa::Operand, 20>& list, int v) {
  return std::any_of(list.begin(), list.end(), [&](const isa::Operand& o) { return o.covers(isa::File::v, v); });
}

}  // namespace

TEST_CASE("loads into half of a register clear the other half where registers have SRAM-ECC, and keep it elsewhere",
          "[sim][memory][d16]") {
  for (const Machine& m : machines)
    for (const int state : {0, 1, 2, 3}) {  // 0: as assembled
      const bool has = isa::target(*isa::find_arch(m.name)).sram_ecc();
      if (state && !has) continue;
      const auto got = left_by(m, every_load(), state);
      for (size_t i = 0; i < got.size(); ++i) {
        CAPTURE(m.name, state, every_load()[i].text);
        CHECK(got[i] == wanted(every_load()[i], !has || state == 2));
      }
    }
}

TEST_CASE("typed loads of 16-bit channels clear or keep what they do not write", "[sim][typed][d16]") {
  for (const char* target : {"gfx942", "gfx1100"}) {
    const Machine& m = machine(target);
    const bool rdna = lanes(m) == 32;
    // One channel of 16 bits, integer: 16_16_16_16 uint of gfx9 (data format 12, number format 4), of gfx11 (format 55,
    // RDNA3 ISA, buffer formats).
    const std::string name = rdna ? "buffer_load_d16_" : "buffer_load_format_d16_";
    const auto run = [&](const std::string& load) {
      const auto r =
          run_on(m,
                 fmt::format(
                     "s_mov_b32 s8, s4\ns_or_b32 s9, s5, 0x80000\ns_movk_i32 s10, 64\ns_mov_b32 s11, 0x{:x}\nv_mov_b32 "
                     "v8, 0x{:x}\nv_mov_b32 v9, v8\n{}\n{}\nv_mov_b32 v10, v8\nv_mov_b32 v11, v9\n"
                     "global_store_dwordx2 v2, v[10:11], s[6:7]\n",
                     rdna ? 4 | 5 << 3 | 6 << 6 | 7 << 9 | 55 << 12 : 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 12 << 15,
                     old_value, load, m.load),
                 std::vector<uint32_t>(1024, two_halves));
      REQUIRE(r.fault() == "none");
      return r.out<std::array<uint32_t, 2>>(1)[0];
    };
    CAPTURE(target);
    const uint32_t old = rdna ? old_value : 0;
    CHECK(run(name + (rdna ? "format_x" : "x") + " v8, v0, s[8:11], 0 idxen")[0] ==
          ((old & 0xffff0000) | (two_halves & 0xffff)));
    CHECK(run((rdna ? std::string("buffer_load_d16_hi_format_x") : "buffer_load_format_d16_hi_x") +
              " v8, v0, s[8:11], 0 idxen")[0] == ((old & 0xffff) | two_halves << 16));
    const auto three = run(name + (rdna ? "format_xyz" : "xyz") + " v[8:9], v0, s[8:11], 0 idxen");
    CHECK(three[0] == two_halves);
    CHECK(three[1] == ((old & 0xffff0000) | (two_halves & 0xffff)));
  }
}

TEST_CASE(
    "a load into half of a register reads the register where it keeps the half, and writes all of it where it does not",
    "[isa][d16][waits]") {
  for (const isa::Target& t : isa::all_targets()) {
    const auto arch = *isa::find_arch(t.name);
    for (const char* text : {"ds_read_u16_d16 v8, v1", "global_load_short_d16_hi v8, v1, s[4:5]",
                             "buffer_load_ubyte_d16 v8, v1, s[8:11], 0 offen"}) {
      INFO(t.name << ": " << text);
      CHECK(names(isa::effects(isa::parse(text, arch), arch).reads, 8) == !t.sram_ecc());
    }
  }
}

// The tail of K as BLAS kernels load it: two halves into two registers whose old contents nobody knows, joined by an
// OR.
TEST_CASE("halves of a K-tail that are loaded apart and joined by OR make a pair on targets with SRAM-ECC",
          "[sim][memory][d16]") {
  for (const char* target : {"gfx908", "gfx90a", "gfx942", "gfx950"}) {
    CAPTURE(target);
    Bench b;
    b.launch.block = {64, 1, 1};
    std::vector<uint16_t> in(2048);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(0x3c00 + i);
    b.fill(in);
    Assembly a{R"(
s_load_dwordx4 s[4:7], s[0:1], 0x0
v_lshlrev_b32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
ds_write_b32 v1, v2
s_waitcnt lgkmcnt(0)
ds_read_u16_d16 v4, v1
ds_read_u16_d16_hi v5, v1 offset:2
s_waitcnt lgkmcnt(0)
v_or_b32 v4, v4, v5
global_load_short_d16 v6, v1, s[4:5]
global_load_short_d16_hi v7, v1, s[4:5] offset:2
s_waitcnt vmcnt(0)
v_or_b32 v6, v6, v7
v_xor_b32 v6, v6, v4
global_store_dword v1, v4, s[6:7]
global_store_dword v1, v6, s[6:7] offset:256
s_endpgm
)"};
    a.target = target, a.lds = 256;
    REQUIRE(fault_of(b.run(a.build())) == "none");
    const auto out = b.result<uint32_t>(128);
    for (size_t l = 0; l < 64; ++l)
      REQUIRE((out[l] == (in[2 * l] | uint32_t{in[2 * l + 1]} << 16) && out[64 + l] == 0));
  }
}

TEST_CASE("compiled kernels that fill halves of registers run with SRAM-ECC and without",
          "[sim][memory][d16][foreign]") {
  const char* source = R"(
typedef ushort ushort2_ __attribute__((ext_vector_type(2)));
kernel void join(global const ushort* in, global ushort2_* out) {
  int l = __builtin_amdgcn_workitem_id_x();
  ushort2_ a = {in[3 * l], in[5 * l + 1]};
  out[l] = a;
})";
  for (const char* target : {"gfx90a", "gfx90a:sramecc-", "gfx90a:sramecc+", "gfx942:sramecc-", "gfx1100", "gfx1250"})
    for (const char* level : {"-O0", "-O3"}) {
      CAPTURE(target, level);
      const auto object = compile(source, fmt::format("-x cl -cl-std=CL2.0 {}", level), ".cl", target);
      CHECK(sim::CodeObject::load(object).loads_keep_half() ==
            (std::string_view(target).ends_with("-") || target == std::string_view("gfx1100")));
      Bench b;
      b.launch.block = {64, 1, 1};
      std::vector<uint16_t> in(2048);
      for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(i * 977 + 5);
      b.fill(in);
      if (target == std::string_view("gfx1250"))
        b.options.checks.in_flight = b.options.checks.xcnt = false;  // clang's -O0 forgets waits for XCNT
      REQUIRE(fault_of(b.run(object, "join")) == "none");
      const auto out = b.result<uint32_t>(64);
      for (size_t l = 0; l < 64; ++l) REQUIRE(out[l] == (in[3 * l] | uint32_t{in[5 * l + 1]} << 16));
    }
}

TEST_CASE("our own code objects say that they run with SRAM-ECC and without", "[codegen][d16]") {
  for (const isa::Arch arch : {isa::Arch::gfx90a, isa::Arch::gfx942, isa::Arch::gfx950, isa::Arch::gfx1100}) {
    Kernel kernel("nothing", arch, 64);
    kernel.k.s_endpgm();
    const auto object = assemble(lower(std::move(kernel))).bytes;
    INFO(isa::target(arch).name);
    CHECK(sramecc_of(object) == (isa::target(arch).sram_ecc() ? 1 : 0));
  }
}
