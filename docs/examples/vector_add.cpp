// c[i] = a[i] + b[i] for any n: arguments, addresses, lane masks. First step of docs/guide/first_kernel.md.
#include <wavesmith/dsl.h>

#include "host.h"

using namespace wavesmith;

// The arguments: order, names, element types. The kernel's loads, the metadata and the host's bytes follow from it.
struct VectorAdd {
  DevicePointer a, b, c;
  uint32_t n;
  void list(auto&& to) { to("a", a, "f32"), to("b", b, "f32"), to("c", c, "f32"), to("n", n); }
};

Program vector_add() {
  Kernel kernel("vector_add", Arch::gfx942, 256);  // 256 lanes a workgroup
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  Arguments<VectorAdd> args(kernel);

  auto a = args.registers(&VectorAdd::a), b = args.registers(&VectorAdd::b), c = args.registers(&VectorAdd::c),
       n = args.registers(&VectorAdd::n);
  auto first = r.s.alloc(1, "first index");
  auto i = r.v.alloc(1, "index, then byte offset"), x = r.v.alloc(1, "a[i]"), y = r.v.alloc(1, "b[i]");

  kernel.load(a), kernel.load(b), kernel.load(c), kernel.load(n);
  k.s_lshl_b32(first, kernel.workgroup[0], 8);
  k.v_add_u32(i, first, kernel.workitem);
  k.v_cmp_gt_u32(vcc, n, i);  // the lanes with n > i
  k.mask_and(exec, exec, vcc);
  k.when_any_lane("past_the_end", [&] {
    k.v_lshlrev_b32(i, 2, i);
    k.global_load_dword(x, i, a);
    k.global_load_dword(y, i, b);
    k.v_add_f32(x, x, y).note = "the waits for x and y are put in front of this";
    k.global_store_dword(i, x, c);
  });
  k.s_endpgm();
  return lower(std::move(kernel));
}

int main(int count, char** words) {
  if (count > 1) return example::write(vector_add(), words[1]);  // the code object alone

  const uint32_t n = 1000;
  std::vector<float> a(n), b(n);
  for (uint32_t i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = 0.5f;

  example::Host host;
  const auto da = host.upload(a, "a"), db = host.upload(b, "b"), dc = host.upload(std::vector<float>(n), "c");
  host.launch(vector_add(), (n + 255) / 256, VectorAdd{.a = da, .b = db, .c = dc, .n = n});

  const auto c = host.download<float>(dc);
  for (uint32_t i = 0; i < n; ++i)
    if (c[i] != a[i] + b[i]) return std::printf("c[%u] is %g\n", i, c[i]), 1;
  std::printf("vector_add: %u sums right\n", n);
}
