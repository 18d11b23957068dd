// A generated kernel: program, code object, times; its properties as a table or JSON; its files.
#pragma once
#include <CLI/CLI.hpp>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "generator/passes/lower.h"
#include "kernels/parts/launch.h"
#include "kernels/parts/loop_report.h"
#include "runtime/device.h"

namespace wavesmith::tools {

struct Built {
  Program program;
  wavesmith::Assembled object;
  double generate_seconds = 0;  // DSL, passes and check; the object has the times of assembly and link
  bool checked = false;
};
// Generates with `build` and assembles. Error: those of `build`.
template <class Build>
Built build_timed(const LowerOptions& options, Build build) {
  const auto start = std::chrono::steady_clock::now();
  Built b;
  b.program = build(options);
  b.generate_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  b.object = assemble(b.program);
  b.checked = options.check;
  return b;
}

// Runs it. Errors: as Device::launch.
runtime::Outcome launch(runtime::Device&, const Built&, const KernelLaunch&);
// One after the other, with the seconds of all.
runtime::Outcome launch(runtime::Device&, const Built&, const std::vector<KernelLaunch>&);

// Kernel, registers, LDS, code bytes, main loop and times as rows.
struct Table;
void describe(const Built&, Table&);
// What a host needs to launch it, except the grid: kernel, target, workgroup size, arguments, LDS, registers, code
// bytes.
nlohmann::ordered_json launch_facts(const Built&);
nlohmann::ordered_json launch_facts(const Program&);
nlohmann::ordered_json seconds(const Built&);
nlohmann::ordered_json main_loop(const Built&);

// -o, --asm, --meta of the generating commands. One of them may be `-`, standard output.
struct OutputFiles {
  std::string object, assembly, meta;
  void declare(CLI::App&);
  bool on_stdout() const;                 // no table then
  void check(bool answer_follows) const;  // each has a name of its own, and standard output one writer; InputError
  // The files that are named; FileError
  void write(std::span<const uint8_t> bytes, const std::function<std::string()>& listing,
             const nlohmann::ordered_json& metadata) const;
  void write(const Built&, const nlohmann::ordered_json& metadata) const;
  void list(Table&) const;
};
// The output of a generating command: the files, and the properties as a table or one JSON document. Returns the exit
// status.
int deliver(const Built&, nlohmann::ordered_json metadata, const OutputFiles&, bool json);

}  // namespace wavesmith::tools
