// Selects the command; turns every error into one line and its exit status.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "generator/passes/lower.h"
#include "isa_tables/isa.h"
#include "runtime/device.h"
#include "runtime/files.h"
#include "simulator/simulator.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"

namespace wavesmith::tools {
namespace {

// The arguments, last first as CLI11 wants them. Composable Kernel's attention examples write -h_k=4 and -s=512: one
// dash and a whole name.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  const auto is = [&](size_t i, const char* word) { return i < out.size() && out[i] == word; };
  if (is(0, "attention") || ((is(0, "verify") || is(0, "time") || is(0, "bench")) && is(1, "attention")) ||
      (is(0, "bench") && is(1, "kit") && is(3, "attention")))
    for (auto& a : out)
      for (const char* name :
           {"b", "h", "h_k", "s", "s_k", "d", "d_v", "mode", "mask", "lse", "prec", "scale_s", "warmup", "repeat"})
        if (const auto given = std::string("-") + name; a.starts_with(given + "=") || (a == given && a.size() > 2)) {
          a.insert(0, "-");
          break;
        }
  std::reverse(out.begin(), out.end());
  return out;
}

int run(int argc, char** argv) {
  CLI::App app{"wavesmith: generate, check, run and time AMD GPU kernels without a GPU", "wavesmith"};
  app.set_version_flag("--version", "wavesmith " WAVESMITH_VERSION " (LLVM " WAVESMITH_LLVM_VERSION ")");
  app.require_subcommand(1);
  const std::pair<CLI::App*, Command> commands[] = {
      [&] {
        auto* c = app.add_subcommand("gemm", "Generate a matrix multiplication kernel");
        return std::pair{c, add_gemm(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("attention", "Generate a flash attention forward kernel");
        return std::pair{c, add_attention(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("run", "Run a kernel of any code object");
        return std::pair{c, add_run(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("time", "Predict the time of a launch and show where it is spent");
        return std::pair{c, add_time(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("verify", "Generate a kernel, run it and compare with a reference");
        return std::pair{c, add_verify(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("bench", "Time kernels on problems, beside other libraries; compare results");
        return std::pair{c, add_bench(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("inspect", "Show resources, arguments and code of a code object");
        return std::pair{c, add_inspect(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("check", "Check hazards, waits, registers and LDS order of a code object");
        return std::pair{c, add_check(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("isa", "Show instructions of the tables: operands, rates, hazards, counters");
        return std::pair{c, add_isa(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("occupancy", "Show waves per SIMD and what limits them");
        return std::pair{c, add_occupancy(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("layout", "Show where a matrix instruction's operands sit in lanes and registers");
        return std::pair{c, add_layout(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("plan", "Choose instruction, tile, warps and layouts for a dot");
        return std::pair{c, add_plan(*c)};
      }(),
      [&] {
        auto* c = app.add_subcommand("array", "Write an .npy array of random numbers");
        return std::pair{c, add_array(*c)};
      }(),
  };
  std::string names;
  for (const auto& [command, _] : commands) names += " " + command->get_name();
  if (argc > 1 && argv[1][0] != '-' && (names + " ").find(fmt::format(" {} ", argv[1])) == names.npos) {
    throw InputError(fmt::format("command '{}' is unknown, legal:{}", argv[1], names));
  }
  if (argc == 1) throw InputError(fmt::format("a command is missing, legal:{} (see wavesmith --help)", names));
  try {
    app.parse(arguments(argc, argv));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      std::ostringstream help, nothing;
      app.exit(e, help, nothing);
      fmt::print("{}", help.str());
      return good;
    }
    std::string where = "wavesmith --help";
    for (const auto& [command, _] : commands)
      if (command->parsed()) {
        const auto below = command->get_subcommands();
        where =
            fmt::format("wavesmith {}{} --help", command->get_name(), below.empty() ? "" : " " + below[0]->get_name());
      }
    std::string what = e.what();
    if (dynamic_cast<const CLI::ExtrasError*>(&e))
      what = fmt::format("not understood: {}", fmt::join(app.remaining(true), " "));
    throw InputError(fmt::format("{} (see {})", what, where));
  }
  for (const auto& [command, execute] : commands)
    if (command->parsed()) return execute();
  return bad_input;
}

// The exit status and the line of an exception.
std::pair<Exit, std::string> judge(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const runtime::DeviceError& e) { return {bad_machine, e.what()}; } catch (const runtime::MachineError& e) {
    return {bad_machine, e.what()};
  } catch (const AnswerIsNo& e) { return {answer_is_no, e.what()}; } catch (const runtime::KernelFault& e) {
    return {answer_is_no, e.what()};
  } catch (const CheckError& e) {
    return {answer_is_no,
            fmt::format("the generated kernel fails its own check: {} (--no-check writes it anyway)", e.what())};
  } catch (const std::bad_alloc&) {
    return {bad_machine, "out of memory"};
  } catch (const std::length_error&) {  // a container larger than memory
    return {bad_machine, "out of memory"};
  } catch (const std::system_error& e) {  // no threads, no descriptors
    return {bad_machine, e.what()};
  } catch (const std::exception& e) {  // InputError, FileError, LoadError, IsaError, ConfigError, OutOfRegisters, ...
    return {bad_input, e.what()};
  }
}

}  // namespace

int answer(int argc, char** argv) {
  Answer answer;
  Exit status = good;
  std::string why;
  try {
    status = static_cast<Exit>(run(argc, argv));
  } catch (...) {
    std::tie(status, why) = judge(std::current_exception());
    answer.discard();
    if (std::find(argv, argv + argc, std::string_view("--json")) != argv + argc)
      print_json({{"error", {{"status", status}, {"message", why}}}});
  }
  try {
    answer.print();
  } catch (...) {
    const auto [refused, what] = judge(std::current_exception());
    if (why.empty()) status = refused, why = what;
  }
  if (!why.empty()) say(why);
  return status;
}

}  // namespace wavesmith::tools
