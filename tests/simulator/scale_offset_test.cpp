// SCALE_OFFSET of gfx1250: the offset register counts elements. "ScaleFactor is determined by the instruction's data
// size. E.g. B8 = 1, B16 = 2, B96 = 12" (CDNA5 ISA 8.1.1), for simple scalar loads, and for vector memory where an SGPR
// base and a VGPR offset meet, or a VGPR offset into scratch (10.2). LLVM says which instructions take it; the bytes
// come from the names that it prints.
#include "isa_tables/mc/sample.h"
#include "tests/support/one_wave.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

constexpr isa::Arch arch = isa::Arch::gfx1250;

// Bits in the last part of "s_load_u16", "global_load_tr6_b96", "flat_atomic_pk_add_bf16" (two of them); 0: no number.
int bytes_of(std::string_view name) {
  const auto part = name.substr(name.rfind('_') + 1);
  const auto digits = part.find_first_of("0123456789");
  if (digits == part.npos) return 0;
  return std::stoi(std::string(part.substr(digits))) / 8 * (name.find("_pk_") != name.npos ? 2 : 1);
}

// The row with v40 or s5 as the offset and s[2:3] (scratch: s2, or none) as the base.
isa::Inst scaled(isa::Opcode op, bool base = true) {
  isa::Inst i = isa::sample(op, arch);
  const isa::Info& row = i.info();
  for (int k = 0; k < row.count(); ++k) {
    const auto& o = row.operands[k];
    if (o.kind == isa::Kind::vaddr) i.operands[k] = isa::reg(isa::File::v, 40);
    if (o.kind == isa::Kind::saddr && base) i.operands[k] = isa::reg(isa::File::s, 2, o.dwords);
    if (o.kind == isa::Kind::soff) i.operands[k] = isa::reg(isa::File::s, 5);
    if (row.format == isa::Format::smem && k == 1) i.operands[k] = isa::reg(isa::File::s, 2, 2);
  }
  i.mods = {};
  i.mods.flags |= isa::scale_offset;
  return i;
}
bool has_offset(const isa::Info& row) {
  return row.format == isa::Format::smem || row.format == isa::Format::global || row.format == isa::Format::flat ||
         row.format == isa::Format::scratch;
}

// The address at which an access to memory that is not there stops.
std::optional<uint64_t> address_of(OneWave& m, const std::string& text) {
  m.run(text);
  return m.wave.problem ? std::optional(m.wave.problem->address) : std::nullopt;
}

}  // namespace

TEST_CASE(
    "scale_offset multiplies the offset register by the bytes of the access, in every instruction that may carry it",
    "[sim][memory][scale_offset]") {
  isa::Mc mc(arch);
  sim::Memory nothing;
  OneWave m(arch);
  m.wave.group->memory = &nothing, m.wave.group->lds.assign(1024, 0);
  constexpr uint64_t base = 0x7000'0000'0000;
  int checked = 0;
  std::string refused;
  for (const isa::Info& row : isa::table()) {
    const auto op = static_cast<isa::Opcode>(&row - isa::table().data());
    if (!row.on(arch) || !has_offset(row)) continue;
    const std::string name = isa::mnemonic(op, arch), text = isa::print(scaled(op), arch);
    if (!mc.assembles(text)) {
      refused += name + " ";
      continue;
    }
    CAPTURE(text);
    const auto bytes = static_cast<uint64_t>(bytes_of(name));
    if (name.find("prefetch") != name.npos || name.find("block") != name.npos) continue;  // no fault; no bytes named
    REQUIRE(bytes > 0);
    m.wave.set_exec(m.wave.all), m.fill(64, 0);  // v64: where asynchronous stores find their data in LDS
    m.s(2) = static_cast<uint32_t>(base), m.s(3) = static_cast<uint32_t>(base >> 32);
    if (row.format == isa::Format::smem) {
      for (const uint32_t index : {16u, 0x8000'0000u}) {
        m.s(5) = index;
        CHECK(address_of(m, text) == base + index * bytes);
      }
    } else if (row.format == isa::Format::scratch) {
      m.s(2) = 64, m.fill(40, 16);
      CHECK(address_of(m, text) == 64 + 16 * bytes);
      CHECK(address_of(m, isa::print(scaled(op, false), arch)) == 16 * bytes);
    } else {
      for (const int index : {16, -16}) {
        m.fill(40, static_cast<uint32_t>(index));
        CHECK(address_of(m, text) == base + static_cast<uint64_t>(int64_t{index}) * bytes);
      }
    }
    ++checked;
  }
  CHECK(checked > 200);
  for (const char* without : {"s_buffer_load_b32", "s_buffer_load_u8", "global_load_addtid_b32"})
    CHECK(refused.find(without) != refused.npos);
}

TEST_CASE("scaled scalar and vector loads of clang's code for gfx1250 find their elements",
          "[sim][memory][scale_offset][foreign]") {
  const char* source = R"(
constant uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
kernel void pick(global const uint* in, global uint* out) {
  uint l = __builtin_amdgcn_workitem_id_x();
  uint uniform = __builtin_amdgcn_readfirstlane(in[l + 1]) & 15;
  out[l] = table[uniform] * 1000 + ((constant uchar*)table)[4 * uniform] * 100 + in[in[l] & 255];
})";
  const auto object = compile(source, "-x cl -cl-std=CL2.0 -O3", ".cl", "gfx1250");
  Bench b;
  b.launch.block = {32, 1, 1};
  std::vector<uint32_t> in(1024);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * 37 + 5);
  b.fill(in);
  b.options.checks.xcnt = false;  // clang 22 forgets such waits
  REQUIRE(fault_of(b.run(object, "pick")) == "none");
  constexpr uint32_t table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
  const auto out = b.result<uint32_t>(32);
  for (size_t l = 0; l < 32; ++l) CHECK(out[l] == table[in[1] & 15] * 1100 + in[in[l] & 255]);
}
