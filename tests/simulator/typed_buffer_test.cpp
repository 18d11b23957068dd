// Typed buffer loads and stores: every element format of every generation of resources against its definition.
#include <cmath>

#include "isa_tables/mc/mc.h"
#include "tests/support/memory_kernel.h"

using namespace simtest;

namespace {

struct BufferFormat {
  const char* fields;
  int width[4];
  const char* number;
  int dfmt, nfmt;
};
const BufferFormat buffer_formats[] = {
#define FORMAT(fields, x, y, z, w, number, dfmt, nfmt) {#fields, {x, y, z, w}, #number, dfmt, nfmt},
#include "isa_tables/rows/buffer_formats.def"
#undef FORMAT
};
int bits(const BufferFormat& f) { return f.width[0] + f.width[1] + f.width[2] + f.width[3]; }

// Field i of an element, bit by bit.
uint32_t field(const BufferFormat& f, const uint8_t* bytes, int i) {
  int at = 0;
  for (int k = 0; k < i; ++k) at += f.width[k];
  uint32_t x = 0;
  for (int b = 0; b < f.width[i]; ++b) x |= static_cast<uint32_t>(bytes[(at + b) / 8] >> (at + b) % 8 & 1) << b;
  return x;
}
// What the guides' words say of it, as the bits of a VGPR.
uint32_t expected(const BufferFormat& f, uint32_t x, int width) {
  const std::string_view n = f.number;
  const int64_t s = static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - width)) >> (64 - width);
  const auto real = [](double v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); };
  if (n == "uint") return x;
  if (n == "sint") return static_cast<uint32_t>(s);
  if (n == "uscaled") return real(x);
  if (n == "sscaled") return real(static_cast<double>(s));
  if (n == "unorm") return real(x / (std::exp2(width) - 1));
  if (n == "snorm") return real(std::max(-1.0, static_cast<double>(s) / (std::exp2(width - 1) - 1)));
  if (width == 32) return x;
  const int mantissa = width == 16 ? 10 : width - 5, e = static_cast<int>(x >> mantissa & 31),
            m = static_cast<int>(x & ((1u << mantissa) - 1));
  const double sign = width == 16 && x >> 15 ? -1 : 1;
  if (e == 31) return real(m ? NAN : sign * INFINITY);
  return real(sign * std::ldexp(e ? m + (1 << mantissa) : m, (e ? e : 1) - 15 - mantissa));
}
bool same_element(uint32_t a, uint32_t b) {
  return a == b || (std::isnan(std::bit_cast<float>(a)) && std::isnan(std::bit_cast<float>(b)));
}

uint32_t word3(const Machine& m, size_t format, uint32_t select) {
  const bool gfx9 = lanes(m) == 64;
  return select | (gfx9 ? static_cast<uint32_t>(buffer_formats[format].nfmt << 12 | buffer_formats[format].dfmt << 15)
                        : static_cast<uint32_t>(format + 1) << 12);
}
constexpr uint32_t all_components = 4 | 5 << 3 | 6 << 6 | 7 << 9;
const char* channels[] = {"", "x", "xy", "xyz", "xyzw"};
const char* d16(const Machine& m, const char* kind) {
  return lanes(m) == 64   ? kind[0] == 'l' ? "buffer_load_format_d16_" : "buffer_store_format_d16_"
         : kind[0] == 'l' ? "buffer_load_d16_format_"
                          : "buffer_store_d16_format_";
}
// Of the buffer whose address is in s[base:base+1], into s[8:11]: stride and word 3 come as arguments, so that one
// kernel serves all formats.
std::string resource(int base) {
  return fmt::format("s_mov_b32 s8, s{}\ns_or_b32 s9, s{}, s13\ns_mov_b32 s10, 1024\ns_mov_b32 s11, s12\n", base,
                     base + 1);
}
struct BufferKernel {
  const Machine& m;
  std::vector<uint8_t> object;
  BufferKernel(const Machine& machine, const std::string& body) : m(machine) {
    Assembly a{
        start(m) +
        fmt::format("{} s[12:13], s[0:1], 0x10\n{}\n", lanes(m) == 64 ? "s_load_dwordx2" : "s_load_b64", m.scalar) +
        body + "\ns_endpgm\n"};
    a.target = m.name, a.args = 24;
    object = a.build();
  }
  template <class T>
  Run run(uint32_t word, uint32_t stride, const std::vector<T>& in) const {
    Run r;
    r.bench.emplace(65536, 65536);
    r.bench->launch.block = {static_cast<uint32_t>(lanes(m)), 1, 1};
    r.bench->fill(in);
    r.bench->append(word), r.bench->append(stride << 16);
    r.result = r.bench->run(object);
    return r;
  }
};
std::string wide_store(const Machine& m) { return lanes(m) == 64 ? "global_store_dwordx4" : "global_store_b128"; }

}  // namespace

TEST_CASE("the formats of gfx11 and gfx12 resources have LLVM's numbers", "[sim][typed][mc]") {
  for (const isa::Arch arch : {isa::Arch::gfx1100, isa::Arch::gfx1200}) {
    isa::Mc mc(arch);
    for (size_t i = 0; i < std::size(buffer_formats); ++i) {
      std::string number = buffer_formats[i].number;
      for (char& c : number) c = static_cast<char>(std::toupper(c));
      if (number == "REAL") number = "FLOAT";
      const char* soff = arch == isa::Arch::gfx1100 ? "0" : "null";
      CHECK(mc.assemble(fmt::format("tbuffer_load_format_x v0, v1, s[0:3], {} format:[BUF_FMT_{}_{}] offen", soff,
                                    buffer_formats[i].fields, number)) ==
            mc.assemble(fmt::format("tbuffer_load_format_x v0, v1, s[0:3], {} format:{} offen", soff, i + 1)));
    }
  }
}

TEST_CASE("typed loads widen every field of every format", "[sim][typed]") {
  const auto in = pattern(65536);
  for (const char* target : {"gfx908", "gfx942", "gfx1100", "gfx1200"}) {
    const Machine& m = machine(target);
    const BufferKernel kernel(
        m,
        resource(4) + fmt::format("buffer_load_format_xyzw v[4:7], v0, s[8:11], {} idxen\n{}\n{} v2, v[4:7], s[6:7]\n",
                                  std::string_view(target) == "gfx1200" ? "null" : "0", m.load, wide_store(m)));
    for (size_t i = 0; i < std::size(buffer_formats); ++i) {
      const size_t bytes = static_cast<size_t>(bits(buffer_formats[i]) / 8);
      const auto r = kernel.run(word3(m, i, all_components), static_cast<uint32_t>(bytes), in);
      CAPTURE(target, buffer_formats[i].fields, buffer_formats[i].number);
      REQUIRE(r.fault() == "none");
      const auto out = r.out<std::array<uint32_t, 4>>(static_cast<size_t>(lanes(m)));
      int wrong = 0;
      for (size_t l = 0; l < out.size(); ++l)
        for (int k = 0; k < 4; ++k)
          wrong += !same_element(out[l][static_cast<size_t>(k)],
                                 buffer_formats[i].width[k]
                                     ? expected(buffer_formats[i], field(buffer_formats[i], in.data() + l * bytes, k),
                                                buffer_formats[i].width[k])
                                     : 0);
      CHECK(wrong == 0);
    }
  }
}

namespace {
int fields(const BufferFormat& f) { return (f.width[0] > 0) + (f.width[1] > 0) + (f.width[2] > 0) + (f.width[3] > 0); }
// Whether what is stored from registers is what was loaded into them; in 16 bits those hold integers, f16 and whatever
// has 11 bits.
bool exact(const BufferFormat& f, bool half) {
  if (!half) return true;
  const std::string_view n = f.number;
  if (std::max(f.width[0], f.width[1]) > 16) return false;
  return n == "uint" || n == "sint" || n == "real" || ((n == "uscaled" || n == "sscaled") && f.width[0] <= 10);
}
int differing(const BufferFormat& f, const std::vector<uint8_t>& in, const std::vector<uint8_t>& out) {
  const size_t bytes = static_cast<size_t>(bits(f) / 8);
  int wrong = 0;
  for (size_t at = 0; at + bytes <= out.size(); at += bytes)
    for (int k = 0; k < fields(f); ++k) {
      const uint32_t was = field(f, in.data() + at, k), is = field(f, out.data() + at, k);
      const bool both_least =
          f.number == std::string_view("snorm") && was == 1u << (f.width[k] - 1);  // -1 has two codes
      wrong += is != was && !both_least;
    }
  return wrong;
}
}  // namespace

TEST_CASE("what a typed load has read, a typed store writes back, in 32 and in 16 bits", "[sim][typed]") {
  const auto any = pattern(65536);
  auto finite = any;
  for (uint8_t& x : finite) x &= 0x3b;  // no NaN, whose payload f32 would change
  for (const char* target : {"gfx942", "gfx1100"}) {
    const Machine& m = machine(target);
    for (const bool half : {false, true})
      for (int n = 1; n <= 4; ++n) {
        const std::string load = half ? d16(m, "load") : "buffer_load_format_",
                          store = half ? d16(m, "store") : "buffer_store_format_";
        const int registers = half ? (n + 1) / 2 : n;
        const std::string v = registers == 1 ? "v4" : fmt::format("v[4:{}]", 3 + registers);
        const BufferKernel kernel(
            m, "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n" + resource(4) +
                   fmt::format("{}{} {}, v0, s[8:11], 0 idxen\n{}\ns_nop 0\n", load, channels[n], v, m.load) +
                   resource(6) + fmt::format("s_nop 4\n{}{} {}, v0, s[8:11], 0 idxen\n", store, channels[n], v));
        for (size_t i = 0; i < std::size(buffer_formats); ++i) {
          const BufferFormat& f = buffer_formats[i];
          if (fields(f) != n || !exact(f, half)) continue;
          const auto& in = f.number == std::string_view("real") ? finite : any;
          const auto r = kernel.run(word3(m, i, all_components), static_cast<uint32_t>(bits(f) / 8), in);
          CAPTURE(target, f.fields, f.number, half);
          REQUIRE(r.fault() == "none");
          CHECK(differing(f, in, r.out<uint8_t>(static_cast<size_t>(lanes(m) * bits(f) / 8))) == 0);
        }
      }
  }
}

TEST_CASE("DST_SEL chooses fields and constants, an invalid format reads zeros, and what is out of range is dropped",
          "[sim][typed]") {
  const Machine& m = machine("gfx1100");
  const std::vector<uint32_t> in(1024, 0x44332211);
  const size_t rgba8 = 45, f16x2 = 28;  // 8_8_8_8 uint, 16_16 float
  const BufferKernel kernel(m, resource(4) +
                                   "v_lshlrev_b32 v3, 6, v0\nbuffer_load_format_xyzw v[4:7], v3, s[8:11], 0 idxen\n" +
                                   m.load + "\nglobal_store_b128 v2, v[4:7], s[6:7]\n");
  const auto get = [&](uint32_t word) {
    const auto r = kernel.run(word, 4, in);
    REQUIRE(r.fault() == "none");
    return r.out<std::array<uint32_t, 4>>(32);
  };
  CHECK(get(word3(m, rgba8, 6 | 1 << 3 | 0 << 6 | 4 << 9))[0] == std::array<uint32_t, 4>{0x33, 1, 0, 0x11});
  CHECK(get(word3(m, f16x2, 1 | 1 << 3 | 7 << 6 | 4 << 9))[0] ==
        std::array<uint32_t, 4>{0x3f800000, 0x3f800000, 0, std::bit_cast<uint32_t>((1 + 0x211 / 1024.f) * 0x1p-7f)});
  CHECK(get(all_components)[0] == std::array<uint32_t, 4>{});
  CHECK(get(word3(m, rgba8, all_components))[15][0] == 0x11);  // 1024 records
  CHECK(get(word3(m, rgba8, all_components))[16] == std::array<uint32_t, 4>{});
  CHECK(get(word3(m, rgba8, 4 | 1 << 3))[16] == std::array<uint32_t, 4>{0, 1, 0, 0});
}

TEST_CASE("a typed access that silicon would not make as written is refused", "[sim][typed][fault]") {
  const Machine& m = machine("gfx1100");
  const std::vector<uint32_t> in(1024, 0x44332211);
  const auto fault = [&](const std::string& text) {
    return BufferKernel(m, resource(6) + "v_mov_b32 v4, 0\nv_mov_b32 v3, 1\n" + text)
        .run(word3(m, 45, all_components) | 3u << 28, 4, in)
        .fault();
  };
  CHECK(fault("buffer_load_format_x v5, v3, s[8:11], 0 offen").find("multiple of 4") != std::string::npos);
  CHECK(fault("buffer_store_format_x v4, v0, s[8:11], 0 idxen").find("field 1 from no channel") != std::string::npos);
}
