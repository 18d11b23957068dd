// Workgroups that share a block of D, each with its part of K (Reduction::ordered). Every wave writes its sums to the
// workspace as its accumulators have them, 16 bytes a lane, and counts itself; of the waves with the same part of D the
// last to come adds all sums, in the order of K, and goes on to the epilogue. Nobody waits for another workgroup, so
// any number of them may run at a time; the sums are the same whoever comes last.
#include "kernels/gemm/gemm_kernel.h"
#include "kernels/parts/device_scope.h"

namespace wavesmith::gemm {
namespace {

constexpr int quad = 4;           // dwords of an access
constexpr int most_at_once = 8;   // parts whose loads overlap
constexpr int spare_vgprs = 128;  // up to here registers cost no wave of a SIMD that the accumulators leave

constexpr int fewest_quads = 3;

// The free registers below `limit`, in fours; at least three times four.
std::vector<Owned<File::v>> free_quads(Registers& r, int limit) {
  std::vector<Owned<File::v>> all;
  const auto below_limit = [&](std::optional<int> first) { return first && *first + quad <= limit; };
  while (all.size() < fewest_quads || below_limit(r.v.next_free(quad, quad)))
    all.push_back(r.v.alloc(quad, "sums of other workgroups", quad));
  return all;
}

}  // namespace

int Gemm::sum_chunks() const { return A.tiles() * B.tiles() * atom.items * atom.item_dwords / quad; }

// Calls back with (chunk, product, its first register) of every 16 bytes that a lane has.
void Gemm::each_sum(int first, int count, const std::function<void(int chunk, int product, int of_it)>& f) const {
  const int of_product = atom.items * atom.item_dwords / quad;
  for (int c = first; c < first + count; ++c) f(c, c / of_product, c % of_product * quad);
}

void Gemm::store_sums(Sgpr resource, Vgpr at_lane) {
  Scratch s(r);
  const bool copied = acc.agprs() && !isa::target(kernel.arch).unified;  // stores take no AGPRs
  const Vgpr copies[] = {s.v("sums on their way", quad), s.v("sums on their way", quad)};
  const Sgpr offset = s.s("bytes before");
  const int step = wave * chunk_bytes, in_reach = isa::reach(isa::Format::mubuf, kernel.arch) / step;
  each_sum(0, sum_chunks(), [&](int chunk, int product, int first) {
    if (chunk % in_reach == 0) k.s_mov_b32(offset, chunk * step);
    VAArg from = acc.part(product, first, quad);
    if (copied) {
      const Vgpr copy = copies[chunk % 2];
      for (int i = 0; i < quad; ++i) acc.read(k, copy[i], product, first + i);
      from = copy;
    }
    k.buffer(Opcode::buffer_store_dwordx4, from, at_lane, resource, offset,
             device_store(kernel.arch, chunk % in_reach * step));
  });
}

void Gemm::add_dwords(Vgpr sum, Vgpr more) {
  for (int i = 0; i < quad; i += acc_bytes / 4) {
    if (accumulator == Type::f64) k.v_add_f64(sum.slice(i, 2), sum.slice(i, 2), more.slice(i, 2));
    else if (accumulator == Type::i32) k.v_add_u32(sum[i], sum[i], more[i]);
    else k.v_add_f32(sum[i], sum[i], more[i]);
  }
}

// `resource`: the first part's sums; the next one's are `part_bytes` further.
void Gemm::add_sums(Sgpr resource, Vgpr at_lane, int parts, int part_bytes) {
  Scratch s(r);
  const Sgpr offset = s.s("bytes before"), base = s.s("of the first part", 2), trips = s.s("rounds of parts");
  const auto quads = free_quads(r, std::max(r.v.high_water(), spare_vgprs));
  const int at_once = std::clamp(static_cast<int>(quads.size()) / 2 - 1, 1, std::min(parts, most_at_once)),
            chunks = std::min(sum_chunks(), static_cast<int>(quads.size()) / (at_once + 1)), step = wave * chunk_bytes;
  for (int i : {0, 1}) k.s_mov_b32(base[i], resource[i]);
  for (int first = 0; first < sum_chunks(); first += chunks) {
    const int count = std::min(chunks, sum_chunks() - first);
    const auto sum = [&](int chunk) -> Vgpr { return quads[static_cast<size_t>(chunk - first)]; };
    const auto add = [&](int of_parts) {
      const auto loaded = [&](int part, int chunk) -> Vgpr {
        return quads[static_cast<size_t>(count * (part + 1) + chunk - first)];
      };
      for (int part = 0; part < of_parts; ++part)
        each_sum(first, count, [&](int chunk, int, int) {
          k.s_mov_b32(offset, part * part_bytes + chunk * step);
          k.buffer(Opcode::buffer_load_dwordx4, loaded(part, chunk), at_lane, resource, offset,
                   device_load(kernel.arch));
        });
      for (int part = 0; part < of_parts; ++part)
        each_sum(first, count, [&](int chunk, int, int) { add_dwords(sum(chunk), loaded(part, chunk)); });
      k.s_add_u32(resource[0], resource[0], of_parts * part_bytes);
      k.s_addc_u32(resource[1], resource[1], 0);
    };
    each_sum(first, count, [&](int chunk, int, int) {
      for (int i = 0; i < quad; ++i) k.v_mov_b32(sum(chunk)[i], 0);
    });
    if (const int rounds = parts / at_once; rounds == 1) add(at_once);
    else {
      k.s_mov_b32(trips, rounds);
      k.loop("parts_of_k", trips, [&] { add(at_once); });
    }
    if (parts % at_once) add(parts % at_once);
    each_sum(first, count, [&](int chunk, int product, int of_it) {
      for (int i = 0; i < quad; ++i) acc.write(k, product, of_it + i, sum(chunk)[i]);
    });
    for (int i : {0, 1}) k.s_mov_b32(resource[i], base[i]);
  }
}

// Stream-K: workgroups have the tiles in turn, then the further parts of those that are split, all first ones, all
// second ones and so on.
void Gemm::take_streamed_tile() {
  k.comment("stream-K: this workgroup's tile, or part of one");
  Scratch s(r);
  const Sgpr all = s.s("tiles"), whole = s.s("those that are not split"), further = s.s("number of the further part"),
             parted = s.s("those that are");
  kernel.load(t.slice(0, 2), args[&Args::tiles_m]);
  kernel.load(whole, args[&Args::whole_tiles]);
  k.s_mul_i32(all, t[0], t[1]);
  k.s_mul_i32(own_tile, kernel.workgroup[1], t[0]);
  k.s_add_u32(own_tile, own_tile, kernel.workgroup[0]);
  k.s_mov_b32(own_part, 0);
  k.s_sub_u32(parted, all, whole);
  no_tile = k.new_label("no_tile");
  k.s_sub_u32(further, own_tile, all);  // SCC: none
  k.when_scc(false, "first_part", [&] {
    divide(kernel, own_part, further, parted);
    k.s_mul_i32(t[0], own_part, parted);
    k.s_sub_u32(own_tile, further, t[0]);
    k.s_add_u32(own_tile, own_tile, whole);
    k.s_add_u32(own_part, own_part, 1);
    k.s_cmp_ge_u32(own_part, cfg.split_k);
    k.s_cbranch_scc1(LabelArg{isa::label(*no_tile)});
  });
  k.s_cmp_lt_u32(own_tile, whole);
  k.s_cselect_b32(is_whole, 1, 0);
}
// All of K, or a part.
void Gemm::take_streamed_part() {
  kernel.load(t.slice(1, 1), args[&Args::k_per_split]);
  k.s_cmp_lg_u32(is_whole, 0);
  k.s_cselect_b32(t[1], -1, t[1]);
  take_part(own_part, t[1]);
}

// Runs `rest` in the wave that comes last, with the whole sums.
void Gemm::share_sums(const std::function<void()>& rest) {
  k.comment("sums of this part of K");
  const int part_bytes = cfg.block.m * cfg.block.n * acc_bytes, wave_bytes = part_bytes / waves;
  const int whole = k.new_label("whole_sums");
  if (cfg.stream_k) {
    k.s_cmp_lg_u32(is_whole, 0);
    k.s_cbranch_scc1(LabelArg{isa::label(whole)});
  }
  std::optional<Scratch> own(std::in_place, r);
  Scratch& s = *own;
  const Sgpr resource = s.s("sums' buffer resource", 4), base = s.s("address of sums", 2),
             tile = s.s("number of the wave's part of D"), parts = s.s("parts of K");
  kernel.load(t.slice(0, 2), args[&Args::tiles_m]);  // and tiles_n
  if (cfg.stream_k) {                                // of the tiles that are split
    kernel.load(t.slice(2, 1), args[&Args::whole_tiles]);
    k.s_mul_i32(t[0], t[0], t[1]);
    k.s_sub_u32(t[0], t[0], t[2]);
    k.s_mul_i32(tile, batch(), t[0]);
    k.s_add_u32(tile, tile, own_tile);
    k.s_sub_u32(tile, tile, t[2]);
  } else {
    k.s_mul_i32(tile, own_batch, t[1]);
    k.s_add_u32(tile, tile, kernel.workgroup[1]);
    k.s_mul_i32(tile, tile, t[0]);
    k.s_add_u32(tile, tile, kernel.workgroup[0]);
  }
  k.s_mul_i32(t[3], wave_n, cfg.waves_m);
  k.s_add_u32(t[3], t[3], wave_m);
  const auto sums_of = [&](int part_count) {  // `base` and `resource`: those of tile * part_count (+ own_part)
    kernel.load(base, args[&Args::partial_sums]);
    k.s_mul_i32(parts, tile, part_count);
    k.s_add_u32(parts, parts, own_part);
    k.s_mov_b32(resource[0], part_bytes);
    at.add_product(base, parts, resource[0]);
    k.s_mov_b32(resource[0], wave_bytes);
    at.add_product(base, t[3], resource[0]);
    raw_buffer(k, resource, base, no_bound);
  };
  const Vgpr at_lane = s.v("lane's bytes in 16 of each");
  k.v_lshlrev_b32(at_lane, log2(chunk_bytes), lane);
  sums_of(cfg.split_k);
  store_sums(resource, at_lane);
  kernel.load(base, args[&Args::arrivals]);
  k.s_mul_i32(tile, tile, waves);
  k.s_add_u32(t[0], tile, t[3]);
  k.s_mov_b32(parts, 4);
  k.s_mov_b32(tile, t[0]);
  at.add_product(base, tile, parts);
  const Sgpr counter = s.s("counter's buffer resource", 4);
  raw_buffer(k, counter, base, 4);
  k.s_mov_b32(parts, cfg.split_k);
  count_arrival(kernel, {counter, parts, x, y, t[3]});
  k.when_scc(true, "others_to_come", [&] {
    k.s_mul_i32(t[3], own_part, part_bytes);
    k.s_sub_u32(resource[0], resource[0], t[3]);
    k.s_subb_u32(resource[1], resource[1], 0);
    add_sums(resource, at_lane, cfg.split_k, part_bytes);
    own.reset();
    if (cfg.stream_k) k.bind(whole);
    rest();
  });
}

}  // namespace wavesmith::gemm
