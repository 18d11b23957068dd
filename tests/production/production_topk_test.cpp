// Routing kernels of ROCm/aiter: softmax over the experts and the largest k of it, and the largest 2048 of a row of
// logits.
#include "tests/production/production_kernel.h"

#include <numeric>

namespace production {

namespace {

struct TopkSoftmax {
  std::string file;
  uint32_t tokens, experts, topk;
  uint32_t tile;  // tokens of a workgroup
  bool bf16, renormalize;
};

void check_topk(const TopkSoftmax& p) {
  const auto object = code_object(p.file);
  if (object.empty()) return;
  Random r{std::mt19937(11)};
  Values x;
  if (p.bf16) x = random_values(static_cast<size_t>(p.tokens) * p.experts, sim::format::bf16, r, 2);
  else x = random_floats(static_cast<size_t>(p.tokens) * p.experts, r, -6, 6);
  Run run;
  const uint32_t stride = p.topk + 3;  // of the output's rows
  const size_t bytes = static_cast<size_t>(p.tokens) * stride * 4;
  const uint64_t index = run.output("indices", bytes), weight = run.output("weights", bytes),
                 logits = run.buffer("logits", x.codes);
  run.arguments<uint64_t, uint64_t, uint64_t>(0, 16, index, weight, logits);
  run.slots(0x30, {p.tokens, p.experts, p.topk, p.renormalize, stride * 4});
  run.launch.grid = {(p.tokens + p.tile - 1) / p.tile, 1, 1}, run.launch.block = {256, 1, 1};
  run.run(object, fmt::format("{} | {} tokens{}", p.file, p.tokens, p.renormalize ? ", renormalized" : ""));
  const auto got_index = run.read(index, bytes), got_weight = run.read(weight, bytes);
  Errors weights, ranks;
  for (size_t t = 0; t < p.tokens; ++t) {
    const double* row = x.values.data() + t * p.experts;
    std::vector<uint32_t> order(p.experts);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return row[a] > row[b]; });
    double sum = 0, chosen = 0;
    for (uint32_t e = 0; e < p.experts; ++e) sum += std::exp(row[e] - row[order[0]]);
    for (uint32_t i = 0; i < p.topk; ++i) chosen += std::exp(row[order[i]] - row[order[0]]);
    for (uint32_t i = 0; i < p.topk; ++i) {
      const auto e = element<uint32_t>(got_index, t * stride + i);
      ranks.add(e < p.experts ? row[e] : NAN, row[order[i]], 0);  // equal logits may stand in any order
      const double wanted = std::exp(row[order[i]] - row[order[0]]) / (p.renormalize ? chosen : sum);
      weights.add(f32_at(got_weight, t * stride + i), wanted,
                  wanted * (p.experts + 32) * 0x1p-24);  // sums of f32; exponents up to 16 times 2^-24
    }
  }
  run.compare({{"weights", weights}, {"chosen logits", ranks}});
}

}  // namespace

TEST_CASE("production softmax and top-k of experts chooses and weighs as the reference", "[.][production]") {
  const std::string arch = GENERATE("gfx942", "gfx950");
  const auto file = [&](const char* name) { return arch + "/topksoftmax/topksoftmax_" + name + ".co"; };
  check_topk({file("4x128x4"), 37, 128, 4, 4, false, true});
  check_topk({file("4x128x6"), 5, 128, 6, 4, false, false});
  check_topk({file("4x256x8_bf16"), 37, 256, 8, 4, true, true});
  check_topk({file("12x256x8"), 37, 256, 8, 12, false, false});
  check_topk({file("4x384x8"), 9, 384, 8, 4, false, true});
  check_topk({file("4x640x8_bf16"), 9, 640, 8, 4, true, false});
}

namespace {

// The largest 2048 of each row's own part, as a set; -1 fills what a shorter row leaves. decode: row r has `length`
// keys less what the later of next_n speculated tokens do not see; prefill: from `start` on.
struct Rows {
  uint32_t first, length;
};
void check_rows(const char* file, bool prefill, uint32_t stride, const std::vector<Rows>& rows) {
  const auto object = code_object(file);
  if (object.empty()) return;
  constexpr uint32_t k = 2048;
  Random r{std::mt19937(12)};
  const auto x = random_floats(static_cast<size_t>(rows.size()) * stride, r, -100, 100);
  Run run;
  const uint64_t logits = run.buffer("logits", x.codes), indices = run.output("indices", rows.size() * k * 4);
  std::vector<uint32_t> starts, ends;
  for (const auto& row : rows) starts.push_back(row.first), ends.push_back(row.first + row.length);
  if (prefill) {
    const uint64_t workspace = run.output("workspace", rows.size() * k * 8);
    run.arguments<uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>(
        0, 0, workspace, logits, run.buffer("starts", starts), run.buffer("ends", ends), indices, 0, stride, 1);
  } else {
    run.arguments<uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t>(0, 0, logits, run.buffer("lengths", ends),
                                                                              indices, stride, 1, 1);
  }
  run.launch.grid = {static_cast<uint32_t>(rows.size()), 1, 1}, run.launch.block = {1024, 1, 1};
  std::string lengths;
  for (const auto& row : rows) lengths += fmt::format("{}{}", lengths.empty() ? "" : ", ", row.length);
  run.run(object, fmt::format("{} | rows of {}", file, lengths));
  const auto got = run.read(indices, rows.size() * k * 4);
  Errors chosen;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* row = x.values.data() + i * stride + rows[i].first;
    std::vector<double> wanted(row, row + rows[i].length), found;
    std::sort(wanted.rbegin(), wanted.rend());
    wanted.resize(std::min<size_t>(wanted.size(), k));
    std::vector<bool> seen(rows[i].length);
    for (size_t j = 0; j < k; ++j) {
      const auto index = element<int32_t>(got, i * k + j);
      if (j >= rows[i].length) {
        chosen.add(index, -1, 0);
        continue;
      }
      const bool fresh = index >= 0 && static_cast<uint32_t>(index) < rows[i].length && !seen[index];
      if (fresh) seen[index] = true;
      found.push_back(fresh ? row[index] : NAN);
    }
    std::sort(found.rbegin(), found.rend());
    for (size_t j = 0; j < wanted.size(); ++j) chosen.add(found[j], wanted[j], 0);
  }
  run.compare({{"chosen logits", chosen}});
}

}  // namespace

TEST_CASE("production top 2048 of a row chooses as the reference", "[.][production]") {
  check_rows("gfx942/topk_per_row_decode/asm_top_k_per_row_decode.co", false, 6000, {{0, 6000}, {0, 2049}, {0, 100}});
  check_rows("gfx942/topk_per_row_prefill/asm_top_k_per_row_prefill.co", true, 6000,
             {{0, 6000}, {100, 4001}, {7, 2049}, {0, 100}});
}

}  // namespace production
