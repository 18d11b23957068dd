// wavesmith attention --backward: the kernels of the backward pass in one code object, with the description of their
// launches.
#include <fmt/format.h>

#include <chrono>

#include "isa_tables/names.h"
#include "runtime/files.h"
#include "tools/options/attention_options.h"
#include "tools/options/matrices.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

std::vector<Program> BuiltBackward::programs() const {
  std::vector<Program> all;
  for (const BackwardKernel& kernel : kernels.kernels) all.push_back(kernel.program);
  return all;
}

BuiltBackward build_backward(const AttentionOptions& o) {
  const AttentionBackwardConfig config = o.backward_config();
  const isa::Arch arch = o.target();
  o.mask_kind();
  const auto start = std::chrono::steady_clock::now();
  BuiltBackward b{.kernels = build_attention_backward(config, arch, o.kernel, {.check = !o.no_check})};
  b.generate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  b.object = assemble(b.programs());
  b.checked = !o.no_check;
  return b;
}

void describe(const BuiltBackward& b, Table& t) {
  for (const BackwardKernel& kernel : b.kernels.kernels) {
    const Program& p = kernel.program;
    t.add(name_of(kernel.part),
          fmt::format("{} ({}), {} rows by {} waves, {} VGPRs, {} AGPRs, {} bytes of LDS", p.name,
                      isa::target(p.arch).name, kernel.block_rows, p.workgroup_size / isa::target(p.arch).wave_size,
                      p.vgprs, p.agprs, p.lds_bytes));
  }
  t.add("code", fmt::format("{} bytes", b.object.code_bytes));
  t.add("generate",
        milliseconds(b.generate_seconds) + (b.checked ? ", the check included" : ", not checked (--no-check)"));
}

nlohmann::ordered_json backward_facts(const BuiltBackward& b, const AttentionOptions& o) {
  const AttentionBackwardConfig& c = b.kernels.config;
  const bool packed = c.sequences == Sequences::packed;
  const Mask mask = o.mask_kind();
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const BackwardKernel& kernel : b.kernels.kernels) {
    auto facts = launch_facts(kernel.program);
    const auto tiles = [&](const char* rows) { return fmt::format("ceil({} / {})", rows, kernel.block_rows); };
    if (kernel.part == BackwardPart::delta || kernel.part == BackwardPart::convert)
      facts["grid"] = {tiles(packed ? "queries of all sequences" : "queries"), "heads", packed ? "1" : "batch"};
    else
      facts["grid"] = {"heads_in_turn", tiles(kernel.part == BackwardPart::dq ? "queries" : "keys"),
                       "ceil(all_heads / heads_in_turn)"};
    facts["part"] = name_of(kernel.part);
    kernels.push_back(std::move(facts));
  }
  nlohmann::ordered_json j{{"target", isa::target(b.kernels.arch).name}, {"kernels", std::move(kernels)}};
  j["formulas"] = {
      {"order", "launched in this order; each waits for the one before, or those after delta for delta alone"},
      {"strides", packed ? "bytes; all multiples of 16; of batches 0" : "bytes; all multiples of 16"},
      {"rows", packed ? "8 bytes for each query of each head: [head][query of all batches]"
                      : "8 bytes for each query of each head: [batch][head][query]"},
      {"dq_sums", "atomic: f32, [batch][head][query][head_dim] as rows; delta sets them to zero"},
      {"LSE", "f32, natural logarithm, of the forward kernel"},
      {"by_scale", "-1 / scale"},
      {"heads", "of delta, dQ: heads; of dK, dV: heads of K and V"},
      {"all_heads", "heads * batch"},
      {"group", "heads / heads of K and V"},
      {"kv_group", "ceil(2^31 / group)"},
      {"diagonal", mask == Mask::none                 ? "2^29"
                   : mask == Mask::top_left || packed ? "0"
                                                      : "keys - queries"},
      {"scale_log2", "scale * log2(e)"},
      {"heads_in_turn", "1 to all_heads; good: with a mask all_heads, else the number of XCDs"}};
  if (packed) {
    j["formulas"]["queries"] = "of delta: of all sequences; else of the longest one, as keys";
    j["formulas"]["cu_seqlens_q"] =
        "batch + 1 numbers: 0, then rows of Q and O up to each sequence's end; cu_seqlens_k: of K and V";
    j["formulas"]["from_end"] = mask == Mask::bottom_right ? "-1" : "0";
  }
  j["config"] = {
      {"type", isa::type_name(c.type)},    {"head_dim", c.head_dim},
      {"head_dim_v", c.dim_v()},           {"varlen", packed},
      {"reduction", name_of(c.reduction)}, {"mask", mask == Mask::none ? "0" : mask == Mask::top_left ? "t" : "b"}};
  j["code_bytes"] = b.object.code_bytes, j["checked"] = b.checked;
  return j;
}

void write_files(const BuiltBackward& b, const OutputFiles& files, const nlohmann::ordered_json& metadata) {
  files.write(b.object.bytes, [&] { return assembly(b.programs()); }, metadata);
}

int deliver(const BuiltBackward& b, const OutputFiles& files, nlohmann::ordered_json metadata, bool json) {
  write_files(b, files, metadata);
  if (files.on_stdout()) return good;
  if (json) {
    metadata["seconds"] = {
        {"generate", b.generate_seconds}, {"assemble", b.object.encode_seconds}, {"link", b.object.link_seconds}};
    print_json(metadata);
    return good;
  }
  Table t;
  describe(b, t);
  files.list(t);
  fmt::print(out(), "{}", t.text());
  return good;
}

}  // namespace wavesmith::tools
