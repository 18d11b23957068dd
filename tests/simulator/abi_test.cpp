// What a wave finds in its registers, for every combination of what a kernel descriptor can ask for (AMDGPUUsage,
// "Initial Kernel Execution State"), and the hidden arguments of both code object versions in use.
#include "checker/check.h"
#include "simulator/timing/timing.h"
#include "tests/support/simulator_kernel.h"

using namespace simtest;

namespace {

struct Seen {
  std::vector<uint32_t> s, v;
  std::vector<uint8_t> kernargs;
};

// Stores s0 to s31 and v0 to v2 of the lane of work-item 13 at a fixed address; asks for nothing itself.
std::string store_registers(const char* target, uint64_t out) {
  const bool gfx9 = isa::target(*isa::find_arch(target)).wave_size == 64;
  const char* store = gfx9 ? "global_store_dword" : "global_store_b32";
  std::string s =
      fmt::format("s_mov_b32 s40, {:#x}\n s_mov_b32 s41, {:#x}\n s_mov_b32 exec_lo, 0x2000\n v_mov_b32 v10, 0\n",
                  static_cast<uint32_t>(out), out >> 32);
  if (gfx9) s += "s_mov_b32 exec_hi, 0\n";
  for (int i = 0; i < 3; ++i) s += fmt::format("{} v10, v{}, s[40:41] offset:{}\n", store, i, 128 + 4 * i);
  for (int i = 0; i < 32; ++i)
    s += fmt::format("v_mov_b32 v11, s{}\n {} v10, v11, s[40:41] offset:{}\n", i, store, 4 * i);
  return s + "s_endpgm\n";
}

struct Bed {
  Bench bench;
  sim::CodeObject object;
  explicit Bed(const char* target)
      : object([&] {
          Assembly a{store_registers(target, bench.out)};
          a.target = target;
          return sim::CodeObject::load(a.build());
        }()) {
    bench.options.checks.undefined = bench.options.checks.in_flight = bench.options.checks.hazards = false;
    bench.launch.block = {4, 3, 2};
    bench.launch.grid = {5, 4, 3};
    bench.options.jobs = 1;  // the last workgroup writes last
  }
  Seen run(const sim::KernelInfo& k) {
    const auto r = sim::run(object, k, bench.memory, bench.launch, bench.options);
    REQUIRE(fault_of(r) == "none");
    const auto all = bench.result<uint32_t>(64);
    return {{all.begin(), all.begin() + 32}, {all.begin() + 32, all.begin() + 35}, {}};
  }
};

}  // namespace

TEST_CASE("user and system SGPRs come in the ABI's order, in every combination", "[sim][abi]") {
  for (const char* target : {"gfx908", "gfx90a", "gfx942", "gfx1100", "gfx1201"}) {
    Bed bed(target);
    const isa::Target& t = isa::target(bed.object.arch());
    const bool all = t.name == std::string_view("gfx908") || t.name == std::string_view("gfx942");
    for (int mask = 0; mask < 256; mask += all ? 1 : 9)
      for (const int ids : {mask % 8, mask / 32}) {
        sim::KernelInfo k = bed.object.kernel("k");
        const bool buffer = mask & 1;
        k.private_segment_buffer = buffer, k.dispatch_ptr = mask & 2, k.queue_ptr = mask & 4, k.kernarg_ptr = mask & 8;
        k.dispatch_id = mask & 16, k.flat_scratch_init = mask & 32, k.private_segment_size = mask & 64,
        k.workgroup_info = mask & 128;
        k.private_bytes = 48;
        k.user_sgprs = 4 * buffer +
                       2 * (k.dispatch_ptr + k.queue_ptr + k.kernarg_ptr + k.dispatch_id + k.flat_scratch_init) +
                       k.private_segment_size;
        for (int i = 0; i < 3; ++i) k.workgroup_id[i] = ids >> i & 1;
        const Seen seen = bed.run(k);
        CAPTURE(target, mask, ids);
        size_t at = 0;
        const auto next = [&] { return seen.s[at++]; };
        const auto pair = [&] {
          const uint64_t low = next();
          return low | uint64_t{next()} << 32;
        };
        int wrong = 0;
        if (buffer) {
          const auto base = pair();
          wrong += (base & 0xffffffff) == 0 || next() != 0xffffffff;
          next();
        }
        const uint64_t dispatch = k.dispatch_ptr ? pair() : 0, queue = k.queue_ptr ? pair() : 0,
                       kernarg = k.kernarg_ptr ? pair() : 0;
        wrong += (k.dispatch_ptr && !dispatch) + (k.queue_ptr && !queue) + (k.kernarg_ptr && !kernarg);
        wrong += k.dispatch_ptr && k.queue_ptr && dispatch == queue;
        if (k.dispatch_id) pair();
        if (k.flat_scratch_init) wrong += pair() == 0;
        if (k.private_segment_size) wrong += next() != 48;
        REQUIRE(at == static_cast<size_t>(k.user_sgprs));
        const uint32_t last[] = {4, 3, 2};
        if (!t.workgroup_ids_in_ttmp())
          for (int i = 0; i < 3; ++i)
            if (ids >> i & 1) wrong += next() != last[i];
        CHECK(wrong == 0);
      }
  }
}

TEST_CASE("work-item numbers are packed or not, as many as the descriptor asks for", "[sim][abi]") {
  for (const char* target : {"gfx908", "gfx90a", "gfx942", "gfx1100", "gfx1201", "gfx1250"}) {
    Bed bed(target);
    for (int dims = 1; dims <= 3; ++dims) {
      sim::KernelInfo k = bed.object.kernel("k");
      k.workitem_id_dims = dims;
      const Seen seen = bed.run(k);  // item 13 of 4x3x2: x 1, y 0, z 1
      CAPTURE(target, dims);
      if (target == std::string_view("gfx908")) CHECK(seen.v == std::vector<uint32_t>{1, 0, 1});
      else CHECK(seen.v[0] == (1u | (dims > 2 ? 1u << 20 : 0)));
    }
  }
}

TEST_CASE("descriptors that LLVM writes ask for what their directives say, and what the pointers point at is there",
          "[sim][abi]") {
  // The dispatch packet's sizes, the queue's aperture, the kernel's own arguments: through pointers that move as others
  // come before them.
  for (const char* target : {"gfx908", "gfx942"})
    for (const bool queue : {false, true}) {
      const int at = queue ? 4 : 2, args = at;  // dispatch ptr, (queue ptr,) kernarg ptr
      Assembly a{fmt::format(
          "s_load_dwordx2 s[20:21], s[{0}:{1}], 0x8\n s_load_dwordx4 s[24:27], s[0:1], 0x4\n s_load_dword s28, "
          "s[{2}:{3}], {4}\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v10, 0\n s_mov_b64 exec, 1\n"
          "v_mov_b32 v11, s24\n global_store_dword v10, v11, s[20:21]\n v_mov_b32 v11, s26\n global_store_dword v10, "
          "v11, s[20:21] offset:4\n v_mov_b32 v11, s28\n global_store_dword v10, v11, s[20:21] offset:8\n s_endpgm\n",
          args, args + 1, queue ? 2 : 0, queue ? 3 : 1, queue ? "0x40" : "0x0")};
      a.target = target, a.preload = at;  // as many more user SGPRs
      a.directives =
          std::string("  .amdhsa_user_sgpr_dispatch_ptr 1\n") + (queue ? "  .amdhsa_user_sgpr_queue_ptr 1\n" : "");
      Bench b;
      b.launch.block = {32, 2, 1}, b.launch.grid = {3, 1, 1};
      const auto r = b.run(a.build());
      REQUIRE(fault_of(r) == "none");
      const auto out = b.result<uint32_t>(3);
      CHECK(out[0] == (32 | 2 << 16));      // workgroup_size_x, y
      CHECK(out[1] == 96);                  // grid_size_x, in work-items
      if (queue) CHECK(out[2] == 0x20000);  // the LDS aperture's upper half
    }
}

// AMDGPUUsage, "Preloaded Kernel Arguments": firmware that preloads starts 256 bytes after the descriptor's entry,
// which LLVM writes a prologue to; gfx1250 has none.
TEST_CASE("a kernel whose arguments are preloaded is entered after the prologue for firmware that does not preload",
          "[sim][abi][preload][foreign]") {
  const std::string source = R"(
__kernel void k(__global int* in, __global int* out, int a, long b) {
  const int i = __builtin_amdgcn_workitem_id_x();
  out[i] = in[i] * a + (int)(b >> 32);
})";
  for (const char* target : {"gfx90a", "gfx942", "gfx950", "gfx1250"}) {
    CAPTURE(target);
    Bench b;
    std::vector<uint32_t> in(64), want;
    for (uint32_t i = 0; i < 64; ++i) in[i] = i * i, want.push_back(i * i * 5 + 9);
    b.fill(in);
    b.append<uint32_t>(5), b.append<uint32_t>(0), b.append<uint64_t>(uint64_t{9} << 32);
    auto bytes = compile(source, "-x cl -cl-std=CL2.0 -O3 -mllvm -amdgpu-kernarg-preload-count=4", ".cl", target);
    const auto co = sim::CodeObject::load(bytes);
    const sim::KernelInfo& k = co.kernel("k");
    CHECK(k.preload_length == 8);
    const auto symbol = std::ranges::find_if(co.symbols(), [](const sim::Symbol& s) { return s.name == "k"; });
    REQUIRE(symbol != co.symbols().end());
    const bool prologue = target != std::string_view("gfx1250");
    CHECK(k.entry - symbol->address == (prologue ? 256 : 0));
    if (prologue) {  // which nobody may run: as aiter's top-k kernels have it, s_trap 2 in its place
      const auto code = co.code(symbol->address).first(256);
      const auto at = std::search(bytes.begin(), bytes.end(), code.begin(), code.end());
      REQUIRE(at != bytes.end());
      const uint32_t trap = 0xbf920002;
      std::memcpy(&*at, &trap, 4);
    }
    REQUIRE(fault_of(b.run(bytes)) == "none");
    CHECK(b.result<uint32_t>(64) == want);
    const auto trapping = sim::CodeObject::load(bytes);
    CHECK_FALSE(timing::time(trapping, trapping.kernel("k"), b.memory, b.launch, {}).fault);
    checker::Decoder decoder(trapping.arch(), k.wave_size);
    CHECK(checker::check(trapping, trapping.kernel("k"), decoder, {.advice = false}).good());
  }
}

TEST_CASE("descriptors that preload where no target does, or that have no code after the prologue, are refused",
          "[sim][abi][preload]") {
  Assembly a{"s_endpgm\n"};
  a.directives = "  .amdhsa_user_sgpr_kernarg_preload_length 2\n", a.preload = 2;
  CHECK_THROWS_WITH(sim::CodeObject::load(a.build()), Catch::Contains("within the 256 bytes"));
  a.body = "s_trap 2\n.fill 63, 4, 0xbf800000\ns_endpgm\n";
  auto bytes = a.build();
  CHECK_NOTHROW(sim::CodeObject::load(bytes));
  bytes[48] = 0x30;  // e_flags: gfx908
  CHECK_THROWS_WITH(sim::CodeObject::load(bytes),
                    Catch::Contains("preloads 2 dwords of arguments, which gfx908 does not support"));
}

TEST_CASE("hidden arguments of code object versions 4 and 5 are filled in", "[sim][abi][foreign]") {
  const std::string source = R"(
__kernel void k(__global uint* in, __global uint* out) {
  if (__builtin_amdgcn_workitem_id_x() == 0 && __builtin_amdgcn_workgroup_id_x() == 0) {
    out[0] = __builtin_amdgcn_workgroup_size_x();
    out[1] = __builtin_amdgcn_workgroup_size_y();
    out[2] = __builtin_amdgcn_grid_size_x();
    out[3] = __builtin_amdgcn_grid_size_y();
  }
})";
  for (const char* target : {"gfx908", "gfx942", "gfx1100", "gfx1250"})
    for (const char* version : {"4", "5", "6"}) {
      if (version[0] == '4' && target == std::string_view("gfx1250")) continue;
      Bench b;
      b.launch.block = {32, 2, 1}, b.launch.grid = {3, 5, 1};
      const auto r = b.run(
          compile(source, std::string("-x cl -cl-std=CL2.0 -O1 -mcode-object-version=") + version, ".cl", target));
      CAPTURE(target, version);
      REQUIRE(fault_of(r) == "none");
      CHECK(b.result<uint32_t>(4) == std::vector<uint32_t>{32, 2, 96, 10});
    }
}
