// Schedule refill, the last iteration where the workgroup's part of D is whole: its products in the order of tiles
// instead of k, so that results are converted and stored beside the products of further tiles. Behind the last product
// all CUs would wait for the L2s to take their tiles of D at once.
#include "generator/dsl/scratch.h"
#include "generator/schedule/interleave.h"
#include "isa_tables/occupancy.h"
#include "kernels/gemm/gemm_kernel.h"

namespace wavesmith::gemm {

// The results of a tile (32x32) or a pair of tiles (16x16) at a time, or of two, take the registers of B's fragments
// that have been read, where those are as large: their products are the first. Else registers of their own.
bool Gemm::results_in_fragments() const {
  return of(B).fragment_dwords() >= result_dwords() && B.tiles() >= direct_steps();
}
// Tuples of results, besides both k-slices' fragments of A and, twice, of a tile of B. 0: impossible.
int Gemm::results_beside_products() const {
  if (!refill || cfg.stages != 2 || scales_sums() || cfg.split_f32 || (has_workspace(cfg) && !cfg.stream_k) ||
      !stores_from_registers(false) || (is_float8(cfg.output) && cfg.epilogue.saturate))
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
    if (results_in_fragments() && results > B.tiles()) continue;
    std::vector<int> tuples(static_cast<size_t>(results_in_fragments() ? 0 : results), result_dwords());
    for (int step = 1; step < 2 * fragments; ++step) {
      tuples.insert(tuples.end(), static_cast<size_t>(A.tiles()), of(A).fragment_dwords());
      tuples.insert(tuples.end(), static_cast<size_t>(std::min(2, B.tiles())), of(B).fragment_dwords());
    }
    tuples.push_back(1);  // the byte offset in D
    const std::vector<int> of_epilogue = epilogue_code.registers(0, 1);
    tuples.insert(tuples.end(), of_epilogue.begin(), of_epilogue.end());
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
  add_misaligned(t[1], pointers[&Args::d], strides[&Args::stride_d]);
  k.when_scc(false, "not_last_products", [&] {
    for (const TileOperand* o : {&A, &B})
      for (size_t i = 0; loads_scales() && slot % 2 && i < o->scales.loaded[0].size(); ++i)
        for (int d = 0; d < o->scales.loaded[0][i].dwords; ++d)
          k.v_mov_b32(o->scales.loaded[0][i][d], o->scales.loaded[1][i][d]);
    k.s_branch(LabelArg{isa::label(label)});
  });
  return k.cut(first, "test_last_products");
}

struct Gemm::LastProducts {
  Gemm& of;
  Scratch scratch{of.r};
  const int steps = 2 * of.fragments;        // of both k-slices
  std::vector<std::vector<VAArg>> a{}, b{};  // fragments by step and tile
  struct Product {
    int step, tn, tm;
  };
  std::vector<Product> order{};
  size_t barrier = 0;                 // the product before which the second k-slice is there
  std::vector<int> complete{};        // matrix instructions until a tile is
  static constexpr size_t ahead = 6;  // products, of the reads of their fragments

  VAArg fragment(const TileOperand& o, int step, int tile) const {
    return (o.is_a ? a : b)[static_cast<size_t>(step)][static_cast<size_t>(tile)];
  }
  // Those of the first step have been read. Columns of tiles take turns with two sets of B.
  void declare_fragments() {
    for (int step = 0; step < steps; ++step) {
      a.emplace_back(), b.emplace_back();
      for (int tm = 0; tm < of.A.tiles(); ++tm)
        a.back().push_back(step ? VAArg(scratch.v("A fragment", of.of(of.A).fragment_dwords()))
                                : of.A.fragment_of(0, tm));
      for (int tn = 0; tn < of.B.tiles(); ++tn)
        b.back().push_back(!step    ? of.B.fragment_of(0, tn)
                           : tn < 2 ? VAArg(scratch.v("B fragment", of.of(of.B).fragment_dwords()))
                                    : b.back()[static_cast<size_t>(tn - 2)]);
    }
  }
  // First what the first k-slice suffices for, while the second one arrives: the fragments that have been read, and two
  // columns of tiles. Then tile after tile, two in turn, whose products do not wait for each other.
  void find_order() {
    const int tiles = of.A.tiles(), early = std::min(2, of.B.tiles());
    for (int step = 0; step < of.fragments; ++step)
      for (int tn = 0; tn < (step ? early : of.B.tiles()); ++tn)
        for (int tm = 0; tm < tiles; ++tm) order.push_back({step, tn, tm});
    barrier = order.size() - std::min(order.size(), ahead);
    for (int tn = 0; tn < of.B.tiles(); ++tn)
      for (int tm = 0; tm < tiles; tm += 2)
        for (int step = tn < early ? of.fragments : 1; step < steps; ++step)
          for (int i = tm; i < std::min(tm + 2, tiles); ++i) order.push_back({step, tn, i});
  }
  // What is read before each product: the fragments of one some products later, as soon as their registers are free.
  std::vector<Block> reads() const {
    std::vector<Block> before(order.size(), Block(of.k.arch(), "read_fragments"));
    const auto read = [&](TileOperand& o, int step, int tile) {
      const auto uses = [&](int other) {
        return [=, &o](const Product& p) { return p.step == step && (o.is_a ? p.tm : p.tn) == other; };
      };
      const auto use = static_cast<size_t>(std::ranges::find_if(order, uses(tile)) - order.begin());
      size_t at = std::max(use - std::min(use, ahead), step < of.fragments ? 0 : barrier);
      for (size_t i = at; !o.is_a && tile > 1 && i < use; ++i)
        if (uses(tile - 2)(order[i])) at = i + 1;
      of.read_fragment(before[at], o, step / of.fragments, step % of.fragments, tile, fragment(o, step, tile));
    };
    for (int step = 1; step < steps; ++step) {
      for (int tn = 0; tn < of.B.tiles(); ++tn) read(of.B, step, tn);
      for (int tm = 0; tm < of.A.tiles(); ++tm) read(of.A, step, tm);
    }
    return before;
  }
  void multiply(Block& to) {
    const std::vector<Block> before = reads();
    complete.resize(static_cast<size_t>(of.tiles()));
    int products = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == barrier) {
        for (TileOperand* o : {&of.A, &of.B}) to.wait_for_lds(o->tag(1));
        to.barrier();
      }
      to << before[i];
      const auto [step, tn, tm] = order[i];
      const int tile = of.product_of(tn, tm);
      const VAArg of_a = fragment(of.A, step, tm), of_b = fragment(of.B, step, tn);
      for (int part = 0; part < of.atom.parts(); ++part) {
        of.multiply_tile(to, tn, tm, of_a, of_b, step / of.fragments, step % of.fragments, part);
        complete[static_cast<size_t>(tile)] = ++products;
      }
    }
  }
};

void Gemm::last_products(int label, int tuples) {
  const int drained = k.new_label("drained");
  k.s_branch(LabelArg{isa::label(drained)});
  k.bind(label);
  Block all(k.arch(), "last_products");
  if (fetches_scales) all << read_fetched_scales(1);
  if (loads_scales() && shifts_scales()) all << prepare_scales(0, false);
  packed.free(), fetched_scales.address.free();
  for (TileOperand* o : {&A, &B}) {
    o->resource.free(), o->on_the_way.clear(), o->fetch_address.clear(), o->load_address.clear();
    o->store_address.clear(), o->scales.address.clear();
    if (loads_scales()) o->scales.loaded[1].clear();
    for (size_t set = 1; set < o->fragment.size(); ++set) o->fragment[set].clear();
  }
  LastProducts products{*this};
  std::vector<Vgpr> results;
  for (int i = 0; i < tuples; ++i)
    results.push_back(results_in_fragments() ? B.fragment[0][static_cast<size_t>(i)].slice(0, result_dwords())
                                             : products.scratch.v("results", result_dwords()));
  products.declare_fragments();
  out = {.m = m0_,
         .n = n0,
         .d = r.s.alloc(4, "D buffer resource", 4),
         .first_column = r.s.alloc(1, "of the stores"),
         .alpha = r.s.alloc(2, "alpha, of f32 twice", 2),
         .d_step = r.s.alloc(1, "bytes of D between columns"),
         .d_at = r.v.alloc(1, "byte offset in D")};
  products.find_order();
  products.multiply(all);
  std::vector<PacedSide> stores;
  epilogue_code.beside_products(true);
  const auto beside = [&](int after, auto&& emit) {
    const size_t first = k.nodes.size();
    emit();
    stores.push_back({k.cut(first, "results"), after});
  };
  beside(0, [&] {
    place_part(m0_, n0);
    begin_results();
    epilogue_code.declare(0, 1, d_rows());  // scalar operands
    epilogue_code.begin(epilogue_pointers(), {});
    begin_direct_stores();
  });
  constexpr int late = 2;  // matrix instructions after which a result can be read
  size_t turn = 0;
  for (int tn = 0; tn < B.tiles(); ++tn) {
    if (tn) beside(0, [&] { next_direct_columns(); });
    for (int tm = 0; tm < A.tiles(); tm += direct_tiles()) {
      std::vector<DirectStep> rows;
      for (int i = 0; i < direct_steps(); ++i)
        rows.push_back(direct_step(tn, tm, i * stored_rows, results[turn++ % results.size()]));
      const int last = product_of(tn, tm + direct_tiles() - 1);
      beside(products.complete[static_cast<size_t>(last)] + late, [&] { store_directly(rows); });
    }
  }
  epilogue_code.beside_products(false);
  k << paced(all, stores);
  if (fetches_scales) k << loaded_scales();
  end_tile();
  k.bind(drained);
  out = {};
}

}  // namespace wavesmith::gemm
