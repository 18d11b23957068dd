// c[i] = a[i] + b[i] for any n: arguments, addresses, lane masks. First step of docs/guide/first_kernel.md.
#include "generator/passes/lower.h"
#include "host.h"

using namespace wavesmith;

Program vector_add() {
  Kernel kernel("vector_add", Arch::gfx942, 256);  // 256 lanes a workgroup
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const Argument a_arg = kernel.pointer("a", "f32"), b_arg = kernel.pointer("b", "f32"),
                 c_arg = kernel.pointer("c", "f32"), n_arg = kernel.value("n", "u32");

  auto a = r.s.alloc(2, "a"), b = r.s.alloc(2, "b"), c = r.s.alloc(2, "c"), n = r.s.alloc(1, "n"),
       first = r.s.alloc(1, "first index");
  auto i = r.v.alloc(1, "index, then byte offset"), x = r.v.alloc(1, "a[i]"), y = r.v.alloc(1, "b[i]");

  kernel.load(a, a_arg), kernel.load(b, b_arg), kernel.load(c, c_arg), kernel.load(n, n_arg);
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

int main() {
  const uint32_t n = 1000;
  std::vector<float> a(n), b(n);
  for (uint32_t i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = 0.5f;

  example::Host host;
  const auto da = host.upload(a, "a"), db = host.upload(b, "b"), dc = host.upload(std::vector<float>(n), "c");
  host.launch(vector_add(), (n + 255) / 256, da, db, dc, n);

  const auto c = host.download<float>(dc);
  for (uint32_t i = 0; i < n; ++i)
    if (c[i] != a[i] + b[i]) return std::printf("c[%u] is %g\n", i, c[i]), 1;
  std::printf("vector_add: %u sums right\n", n);
}
