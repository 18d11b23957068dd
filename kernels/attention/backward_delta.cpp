// A few lanes share a query. delta: each multiplies 16 bytes of its rows of O and dO, and they add their sums in a
// tree. A workgroup is (queries / block, head, batch).
#include "kernels/attention/backward_delta.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "generator/dsl/buffer_resource.h"
#include "generator/dsl/convert.h"
#include "generator/dsl/scratch.h"
#include "kernels/attention/layouts.h"
#include "kernels/parts/address.h"

namespace wavesmith::attention {
namespace {

// What the kernels share: each lane has eight columns of a query.
struct QueryRows {
  Kernel& kernel;
  const int lanes;
  Stream& k = kernel.k;
  Registers& r = kernel.r;
  const int block = delta_workgroup / lanes;
  Owned<File::s> resource = r.s.alloc(4, "buffer resource", 4), t = r.s.alloc(3, "scratch"),
                 first = r.s.alloc(1, "first query"), left = r.s.alloc(1, "queries left");
  AddressMath at{k, t};
  Owned<File::v> query = r.v.alloc(1, "query of the lane in its block"), chunk = r.v.alloc(1, "chunk of the row"),
                 address = r.v.alloc(1, "address"), x = r.v.alloc(1, "scratch x");

  void begin(Sgpr queries) {
    k.s_lshl_b32(first, kernel.workgroup[0], log2(block));
    k.s_sub_u32(left, queries, first);
    k.s_min_u32(left, left, block);
    k.v_lshrrev_b32(query, log2(lanes), kernel.workitem);
    k.v_and_b32(chunk, lanes - 1, kernel.workitem);
  }
  // Moves `base` to the block's first query, whose rows are `row` bytes apart, the last one `width` bytes long.
  void buffer(Sgpr base, Sgpr by_batch, Sgpr by_head, SSrcArg row, int width) {
    at.add_strided(base, by_batch, kernel.workgroup[2]);
    at.add_strided(base, by_head, kernel.workgroup[1]);
    k.s_mul_i32(t[0], first, row);
    k.s_mul_hi_u32(t[1], first, row);
    k.s_add_u32(base[0], base[0], t[0]);
    k.s_addc_u32(base[1], base[1], t[1]);
    k.s_sub_u32(t[0], left, 1);
    k.s_mul_i32(t[0], t[0], row);
    k.s_add_u32(t[0], t[0], width);
    raw_buffer(k, resource, base, t[0]);
  }
  // The same of the `columns` of a tensor; the lane's address.
  void columns(Sgpr base, Sgpr by_batch, Sgpr by_head, SSrcArg row, int columns, int bytes) {
    buffer(base, by_batch, by_head, row, bytes * columns);
    k.s_mov_b32(t[0], row);
    k.v_mul_lo_u32(address, query, t[0]);
    k.v_lshl_add_u32(address, chunk, log2(bytes * fragment_elements), address);
    k.v_cmp_gt_u32(vcc, columns / fragment_elements, chunk);
    k.v_mov_b32(x, out_of_range);  // beyond every bound
    k.v_cndmask_b32(address, x, address, vcc);
  }
};

struct Delta : QueryRows {
  const AttentionBackwardConfig& cfg;

  using Args = DeltaArguments;
  Arguments<Args> args{kernel, cfg};
  Arguments<Args>::Loaded pointers = args.registers(&Args::o, &Args::rows),
                          strides = args.registers(&Args::o_batch, &Args::rows_head),
                          sizes = args.registers(&Args::o_row, &Args::by_scale);
  Owned<File::v> y = r.v.alloc(1, "scratch y"), lse = r.v.alloc(1, "LSE"), sum = r.v.alloc(1, "sum of dO * O"),
                 results = r.v.alloc(2, "-LSE / scale, -delta", 2);
  Owned<File::v> o = r.v.alloc(4, "O", 4), d_o = r.v.alloc(4, "dO", 4);

  void load(Vgpr to, Sgpr base, Sgpr by_batch, Sgpr by_head, Sgpr row) {
    columns(base, by_batch, by_head, row, cfg.dim_v(), element_bytes);
    k.buffer_load_dwordx4(to, address, resource, 0, {.flags = isa::offen});
  }
  void clear_dq() {
    k.comment("the sums of dQ are zero");
    const auto sums = args.registers(&Args::dq_sums, &Args::dq_sums),
               of_dq = args.registers(&Args::dq_batch, &Args::dq_head);
    kernel.load(sums), kernel.load(of_dq);
    columns(sums[&Args::dq_sums], of_dq[&Args::dq_batch], of_dq[&Args::dq_head], 4 * cfg.head_dim, cfg.head_dim, 4);
    for (int i = 0; i < 4; ++i) k.v_mov_b32(o[i], 0);
    for (const int at : {0, 16}) k.buffer_store_dwordx4(o, address, resource, 0, {.offset = at, .flags = isa::offen});
  }
  void build() {
    for (const auto* group : {&pointers, &strides, &sizes}) kernel.load(*group);
    const Sgpr queries = sizes[&Args::queries];
    begin(queries);
    load(o, pointers[&Args::o], strides[&Args::o_batch], strides[&Args::o_head], sizes[&Args::o_row]);
    load(d_o, pointers[&Args::d_o], strides[&Args::do_batch], strides[&Args::do_head], sizes[&Args::do_row]);
    buffer(pointers[&Args::lse], strides[&Args::lse_batch], strides[&Args::lse_head], 4, 4);
    k.v_lshlrev_b32(address, 2, query);
    k.buffer_load_dword(lse, address, resource, 0, {.flags = isa::offen});
    k.v_mov_b32(sum, 0);
    for (int i = 0; i < 4; ++i)
      for (const Half half : {Half::low, Half::high}) {
        widen_half(k, cfg.type, x, o[i], half), widen_half(k, cfg.type, y, d_o[i], half);
        k.v_fma_f32(sum, x, y, sum);
      }
    for (int by = 1; by < lanes; by *= 2) {  // each lane adds that of lane ^ by
      k.ds_swizzle_b32(x, sum, {.offset = by << 10 | 0x1f});
      k.v_add_f32(sum, sum, x);
    }
    if (cfg.reduction == Reduction::atomic) clear_dq();
    k.comment("a query that sees no key has P = 0");
    k.v_mul_f32(results[0], sizes[&Args::by_scale], lse);
    k.v_mov_b32(x, -std::numeric_limits<float>::infinity());
    k.v_cmp_eq_f32(vcc, lse, x);
    k.v_cndmask_b32(results[0], results[0], x, vcc);
    k.v_xor_b32(results[1], 0x80000000u, sum);
    buffer(pointers[&Args::rows], strides[&Args::rows_batch], strides[&Args::rows_head], 8, 8);
    k.v_lshlrev_b32(address, 3, query);
    k.v_cmp_eq_u32(vcc, 0, chunk);
    k.mask_and(exec, exec, vcc);
    k.buffer_store_dwordx2(results, address, resource, 0, {.flags = isa::offen});
    k.s_endpgm();
  }
};

struct Convert : QueryRows {
  const AttentionBackwardConfig& cfg;

  using Args = ConvertArguments;
  Arguments<Args> args{kernel, cfg};
  Arguments<Args>::Loaded pointers = args.registers(&Args::dq_sums, &Args::dq),
                          strides = args.registers(&Args::sums_batch, &Args::dq_head),
                          sizes = args.registers(&Args::dq_row, &Args::queries),
                          scale = args.registers(&Args::scale, &Args::scale);
  Constants constants{kernel};
  PairConversion narrow{constants, kernel.arch, cfg.type, Nans::quiet_16};
  Owned<File::v> y = r.v.alloc(1, "scratch y"), sums = r.v.alloc(8, "sums of dQ", 4);

  void build() {
    for (const auto* group : {&pointers, &strides, &sizes, &scale}) kernel.load(*group);
    constants.load();
    begin(sizes[&Args::queries]);
    columns(pointers[&Args::dq_sums], strides[&Args::sums_batch], strides[&Args::sums_head], 4 * cfg.head_dim,
            cfg.head_dim, 4);
    for (const int i : {0, 4})
      k.buffer_load_dwordx4(sums.slice(i, 4), address, resource, 0, {.offset = 4 * i, .flags = isa::offen});
    for (int i = 0; i < 8; ++i) k.v_mul_f32(sums[i], scale[&Args::scale], sums[i]);
    for (int i = 0; i < 8; i += 2) narrow.pack(k, sums[i / 2], sums[i], sums[i + 1], {x, y});
    columns(pointers[&Args::dq], strides[&Args::dq_batch], strides[&Args::dq_head], sizes[&Args::dq_row], cfg.head_dim,
            element_bytes);
    k.buffer_store_dwordx4(sums.slice(0, 4), address, resource, 0, {.flags = isa::offen});
    k.s_endpgm();
  }
};

}  // namespace

int lanes_of_query(const AttentionBackwardConfig& c) {
  const int columns = c.reduction == Reduction::atomic ? std::max(c.head_dim, c.dim_v()) : c.dim_v();
  return static_cast<int>(std::bit_ceil(static_cast<uint32_t>(columns / fragment_elements)));
}

Program build_delta(const AttentionBackwardConfig& cfg, Arch arch, const std::string& name,
                    const LowerOptions& options) {
  Kernel kernel(name, arch, delta_workgroup);
  Delta{{kernel, lanes_of_query(cfg)}, cfg}.build();
  return lower(std::move(kernel), options);
}
Program build_convert(const AttentionBackwardConfig& cfg, Arch arch, const std::string& name,
                      const LowerOptions& options) {
  Kernel kernel(name, arch, delta_workgroup);
  Convert{{kernel, lanes_of_query(cfg)}, cfg}.build();
  return lower(std::move(kernel), options);
}

}  // namespace wavesmith::attention
