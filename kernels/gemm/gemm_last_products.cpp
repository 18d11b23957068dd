// Schedule refill, the last iteration where the workgroup's part of D is whole: its products in the order of tiles
// instead of k, so that results are converted and stored beside the products of further tiles. Behind the last product
// all CUs would wait for the L2s to take their tiles of D at once.
#include "generator/dsl/scratch.h"
#include "generator/schedule/interleave.h"
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// Tuples of results: of two tiles (32x32) or pairs of tiles (16x16), or of one, with both k-slices' fragments of A and,
// twice, of a tile of B. 0: impossible.
int Gemm::results_beside_products() const {
  if (!refill || cfg.stages != 2 || (loads_scales() && !shuffled()) || scales_sums() || cfg.split_f32 ||
      (has_workspace(cfg) && !cfg.stream_k) || !stores_from_registers() ||
      (is_float8(cfg.output) && cfg.epilogue.saturate))
    return 0;
  std::vector<Vgpr> dead{packed, fetched_scales.address};
  const auto add = [&](const auto& registers) { dead.insert(dead.end(), registers.begin(), registers.end()); };
  for (const TileOperand* o : {&A, &B}) {
    add(o->on_the_way), add(o->fetch_address), add(o->load_address), add(o->scales.address);
    for (const auto& stage : o->store_address) add(stage);
    for (size_t set = 1; set < o->fragment.size(); ++set) add(o->fragment[set]);
    if (loads_scales()) add(o->scales.loaded[1]);
  }
  const int most = r.v.high_water() + isa::occupancy(kernel.arch, needs()).vgprs_free;
  for (const int results : {2 * direct_steps(), direct_steps()}) {
    std::vector<int> tuples(static_cast<size_t>(results), result_dwords());
    for (int step = 1; step < 2 * fragments; ++step) {
      tuples.insert(tuples.end(), static_cast<size_t>(A.tiles()), of(A).fragment_dwords());
      tuples.insert(tuples.end(), static_cast<size_t>(std::min(2, B.tiles())), of(B).fragment_dwords());
    }
    tuples.push_back(1);  // the byte offset in D
    if (const auto registers = r.v.high_water_with(tuples, dead); registers && *registers <= most) return results;
  }
  return 0;
}

// Continues at `label` if it may, where scales are those of an even iteration.
Block Gemm::test_last_products(int slot, int label) {
  const size_t first = k.nodes.size();
  k.s_mov_b32(t[1], 0);
  if (cfg.stream_k) k.s_xor_b32(t[1], is_whole, 1);
  if (!one_segment()) k.s_or_b32(t[1], t[1], rest);
  for (const TileOperand* o : {&A, &B}) {
    k.s_min_u32(t[2], o->rows_left, o->rows);
    k.s_sub_u32(t[2], o->rows, t[2]);
    k.s_or_b32(t[1], t[1], t[2]);
  }
  test_zero(beta);
  k.s_cselect_b32(t[2], 0, 1);
  k.s_or_b32(t[1], t[1], t[2]);
  k.s_or_b32(t[0], ldd, strides[&Args::stride_d][0]);
  k.s_lshl_b32(t[0], t[0], out_shift);
  k.s_or_b32(t[0], t[0], pointers[&Args::d][0]);
  k.s_and_b32(t[0], t[0], 3);
  k.s_or_b32(t[1], t[0], t[1]);
  k.when_scc(false, "not_last_products", [&] {
    for (const TileOperand* o : {&A, &B})
      for (size_t i = 0; loads_scales() && slot % 2 && i < o->scales.loaded[0].size(); ++i)
        for (int d = 0; d < o->scales.loaded[0][i].dwords; ++d)
          k.v_mov_b32(o->scales.loaded[0][i][d], o->scales.loaded[1][i][d]);
    k.s_branch(LabelArg{isa::label(label)});
  });
  return cut(first, "test_last_products");
}

void Gemm::last_products(int label, int tuples) {
  const int drained = k.new_label("drained");
  k.s_branch(LabelArg{isa::label(drained)});
  k.bind(label);
  Block all(k.arch(), "last_products");
  if (fetches_scales) all << read_fetched_scales(1);
  packed.free(), fetched_scales.address.free();
  for (TileOperand* o : {&A, &B}) {
    o->resource.free(), o->on_the_way.clear(), o->fetch_address.clear(), o->load_address.clear();
    o->store_address.clear(), o->scales.address.clear();
    if (loads_scales()) o->scales.loaded[1].clear();
    for (size_t set = 1; set < o->fragment.size(); ++set) o->fragment[set].clear();
  }
  out = {.d = r.s.alloc(4, "D buffer resource", 4),
         .first_column = r.s.alloc(1, "of the stores"),
         .alpha = r.s.alloc(2, "alpha, of f32 twice", 2),
         .d_step = r.s.alloc(1, "bytes of D between columns")};
  Scratch s(r);
  std::vector<Vgpr> results;
  for (int i = 0; i < tuples; ++i) results.push_back(s.v("results", result_dwords()));
  const int steps = 2 * fragments;  // of both k-slices
  std::vector<std::vector<VAArg>> a, b;
  for (int step = 0; step < steps; ++step) {  // the first one's have been read
    a.emplace_back(), b.emplace_back();
    for (int tm = 0; tm < A.tiles(); ++tm)
      a.back().push_back(step ? VAArg(s.v("A fragment", of(A).fragment_dwords())) : A.fragment_of(0, tm));
    for (int tn = 0; tn < B.tiles(); ++tn)
      b.back().push_back(!step    ? B.fragment_of(0, tn)
                         : tn < 2 ? VAArg(s.v("B fragment", of(B).fragment_dwords()))
                                  : b.back()[static_cast<size_t>(tn - 2)]);
  }
  // First what the first k-slice suffices for, while the second one arrives: the fragments that have been read, and two
  // columns of tiles. Then tile after tile, two in turn, whose products do not wait for each other.
  struct Product {
    int step, tn, tm;
  };
  std::vector<Product> order;
  const auto columns = [&](int end, int first, int last) {
    for (int step = first; step < last; ++step)
      for (int column = 0; column < end; ++column)
        for (int tm = 0; tm < A.tiles(); ++tm) order.push_back({step, column, tm});
  };
  const auto by_tiles = [&](int tn, int first) {
    for (int tm = 0; tm < A.tiles(); tm += 2)
      for (int step = first; step < steps; ++step)
        for (int i = tm; i < std::min(tm + 2, A.tiles()); ++i) order.push_back({step, tn, i});
  };
  const int early = std::min(2, B.tiles());
  columns(B.tiles(), 0, 1);
  columns(early, 1, fragments);
  const size_t second = order.size();  // the first product of the second k-slice
  for (int tn = 0; tn < B.tiles(); ++tn) by_tiles(tn, tn < early ? fragments : 1);
  // Fragments are read some products ahead.
  constexpr size_t ahead = 6;
  const auto barrier = second - std::min(second, ahead);
  std::vector<std::vector<std::function<void(Block&)>>> reads(order.size());
  const auto read = [&](TileOperand& o, int step, int tile, size_t use, size_t free) {
    const size_t at = std::max({use - std::min(use, ahead), free, step < fragments ? 0 : barrier});
    reads[at].push_back([=, this, &o, into = (o.is_a ? a : b)[static_cast<size_t>(step)][static_cast<size_t>(tile)]](
                            Block& to) { read_fragment(to, o, step / fragments, step % fragments, tile, into); });
  };
  const auto first_of = [&](auto&& is) { return static_cast<size_t>(std::ranges::find_if(order, is) - order.begin()); };
  for (int step = 1; step < steps; ++step) {
    for (int tn = 0; tn < B.tiles(); ++tn) {
      const auto of = [&](int column) { return [=](const Product& p) { return p.step == step && p.tn == column; }; };
      size_t free = 0;  // the registers, of the column two before
      for (size_t i = 0; tn > 1 && i < order.size(); ++i)
        if (of(tn - 2)(order[i])) free = i + 1;
      read(B, step, tn, first_of(of(tn)), free);
    }
    for (int tm = 0; tm < A.tiles(); ++tm)
      read(A, step, tm, first_of([&](const Product& p) { return p.step == step && p.tm == tm; }), 0);
  }
  std::vector<int> complete(static_cast<size_t>(tiles()));  // products until they are
  out.d_at = r.v.alloc(1, "byte offset in D");              // the last one: tuples need more in a row
  int products = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == barrier) {
      for (TileOperand* o : {&A, &B}) all.wait_for_lds(o->tag(1));
      all.barrier();
    }
    for (const auto& emit : reads[i]) emit(all);
    const auto [step, tn, tm] = order[i];
    for (int part = 0; part < atom.parts(); ++part) {
      const isa::Operand d = acc(product_of(tn, tm));
      const VAArg of_a = a[static_cast<size_t>(step)][static_cast<size_t>(tm)],
                  of_b = b[static_cast<size_t>(step)][static_cast<size_t>(tn)];
      const int k_slice = step / fragments, of_slice = step % fragments;
      if (scaled())
        atom.multiply(all, d, of_a, of_b, scale_of(A, tm, k_slice, of_slice), scale_of(B, tn, k_slice, of_slice));
      else atom.multiply(all, d, of_a, of_b, part);
      complete[static_cast<size_t>(product_of(tn, tm))] = ++products;
    }
  }
  std::vector<PacedSide> stores;
  epilogue_code.beside_products(true);
  const auto beside = [&](int after, auto&& emit) {
    const size_t first = k.nodes.size();
    emit();
    stores.push_back({cut(first, "results"), after});
  };
  beside(0, [&] {
    place_part();
    begin_results();
    epilogue_code.declare(0, 1, d_rows());  // scalar operands
    epilogue_code.begin(epilogue_pointers(), {});
    begin_direct_stores();
  });
  size_t turn = 0;
  for (int tn = 0; tn < B.tiles(); ++tn) {
    if (tn) beside(0, [&] { next_direct_columns(); });
    for (int tm = 0; tm < A.tiles(); tm += direct_tiles()) {
      std::vector<DirectStep> rows;
      for (int i = 0; i < direct_steps(); ++i)
        rows.push_back({tn, tm, i * stored_rows, results[turn++ % results.size()]});
      beside(complete[static_cast<size_t>(product_of(tn, tm + direct_tiles() - 1))] + 2, [&] { store_directly(rows); });
    }
  }
  epilogue_code.beside_products(false);
  k << paced(all, stores);
  if (fetches_scales) k << loaded_scales();
  k.s_endpgm();
  k.bind(drained);
  out = {};
}

}  // namespace wavesmith::gemm
