#include "tools/options/built.h"

#include <fmt/format.h>

#include <map>

#include "runtime/files.h"
#include "tools/print/console.h"
#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {

using nlohmann::ordered_json;

runtime::Outcome launch(runtime::Device& device, const Built& b, const KernelLaunch& l) {
  if (l.empty()) return {};  // results without elements
  return device.launch(b.object.bytes, b.program.name,
                       {.grid = l.grid, .block = l.block, .dynamic_lds = 0, .cluster = {}, .kernargs = l.kernargs});
}

runtime::Outcome launch(runtime::Device& device, const Built& b, const std::vector<KernelLaunch>& launches) {
  runtime::Outcome all{};
  for (const KernelLaunch& l : launches) {
    auto outcome = launch(device, b, l);
    if (outcome.fault) return outcome;
    all.seconds += outcome.seconds;
  }
  return all;
}

void describe(const Built& b, Table& t) {
  const Program& p = b.program;
  const LoopReport loop = report(p);
  t.add("kernel", fmt::format("{} ({})", p.name, isa::target(p.arch).name));
  t.add("registers", fmt::format("{} VGPRs, {} AGPRs, {} SGPRs", p.vgprs, p.agprs, p.sgprs));
  t.add("LDS", fmt::format("{} bytes", p.lds_bytes));
  t.add("code",
        fmt::format("{} bytes, {} instructions", b.object.code_bytes,
                    std::count_if(p.nodes.begin(), p.nodes.end(), [](const Node& n) { return n.is_instruction(); })));
  t.add("main loop", fmt::format("{:.4f} other instructions per matrix cycle ({} / {})", loop.slots_per_matrix_cycle(),
                                 loop.other_instructions, loop.matrix_cycles));
  t.add("generate",
        milliseconds(b.generate_seconds) + (b.checked ? ", the check included" : ", not checked (--no-check)"));
  t.add("assemble", milliseconds(b.object.encode_seconds));
  t.add("link", milliseconds(b.object.link_seconds));
}

ordered_json launch_facts(const Program& p) {
  ordered_json args = ordered_json::array();
  for (const auto& a : p.arguments)
    args.push_back({{"name", a.name}, {"type", a.type}, {"offset", a.offset}, {"size", a.size}});
  return {{"kernel", p.name},
          {"target", isa::target(p.arch).name},
          {"workgroup_size", p.workgroup_size},
          {"kernarg_bytes", p.kernarg_bytes},
          {"arguments", args},
          {"lds_bytes", p.lds_bytes},
          {"registers", {{"vgprs", p.vgprs}, {"agprs", p.agprs}, {"sgprs", p.sgprs}}}};
}
ordered_json launch_facts(const Built& b) {
  ordered_json facts = launch_facts(b.program);
  facts["code_bytes"] = b.object.code_bytes, facts["checked"] = b.checked;
  return facts;
}
ordered_json seconds(const Built& b) {
  return {{"generate", b.generate_seconds}, {"assemble", b.object.encode_seconds}, {"link", b.object.link_seconds}};
}
ordered_json main_loop(const Built& b) {
  const LoopReport loop = report(b.program);
  return {{"matrix_cycles", loop.matrix_cycles},
          {"other_instructions", loop.other_instructions},
          {"slots_per_matrix_cycle", loop.slots_per_matrix_cycle()}};
}

void OutputFiles::declare(CLI::App& app) {
  const auto named = [](const std::string& file) { return file.empty() ? "'' is no file name" : std::string(); };
  app.add_option("-o,--output", object, "write the code object (.co); -: to standard output")->check(named);
  app.add_option("--asm", assembly, "write the assembly (.s)")->check(named);
  app.add_option("--meta", meta, "write what a host needs to launch the kernel (.json)")->check(named);
}
bool OutputFiles::on_stdout() const { return object == "-" || assembly == "-" || meta == "-"; }
void OutputFiles::check(bool answer_follows) const {
  std::map<std::string, std::string> options;
  for (const auto& [option, file] : {std::pair("-o", object), {"--asm", assembly}, {"--meta", meta}})
    if (const auto [known, is_new] = options.emplace(file, option); !file.empty() && !is_new)
      throw InputError(fmt::format("{} and {}: both name {}, legal: a file each", known->second, option, file));
  if (answer_follows && on_stdout())
    throw InputError(fmt::format("{} -: standard output has the answer, legal: a file", options["-"]));
}
void OutputFiles::write(std::span<const uint8_t> bytes, const std::function<std::string()>& listing,
                        const ordered_json& metadata) const {
  const auto put = [](const std::string& file, std::string_view text) {
    if (file == "-") std::fwrite(text.data(), 1, text.size(), out());
    else if (!file.empty()) runtime::write_file(file, text);
  };
  put(object, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  put(assembly, assembly.empty() ? "" : listing());
  put(meta, meta.empty() ? "" : json_text(metadata) + "\n");
}
void OutputFiles::write(const Built& b, const ordered_json& metadata) const {
  write(b.object.bytes, [&] { return wavesmith::assembly(b.program); }, metadata);
}
void OutputFiles::list(Table& t) const {
  if (!object.empty()) t.add("code object", object);
  if (!assembly.empty()) t.add("assembly", assembly);
  if (!meta.empty()) t.add("metadata", meta);
}

int deliver(const Built& b, ordered_json metadata, const OutputFiles& files, bool json) {
  files.write(b, metadata);
  if (files.on_stdout()) return good;
  if (json) {
    metadata["main_loop"] = main_loop(b), metadata["seconds"] = seconds(b);
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
