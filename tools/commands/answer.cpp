// Selects the command; turns every error into one line and its exit status.
#include "tools/commands/answer.h"

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
std::vector<std::string> arguments(std::vector<std::string> out) {
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

// Parses and runs; `words` are without the program's name.
int run(const std::vector<std::string>& words) {
  Commands commands;
  CLI::App& app = commands.app;
  std::string names;
  for (const auto& [command, _] : commands.all) names += " " + command->get_name();
  if (!words.empty() && !words[0].starts_with('-') && (names + " ").find(fmt::format(" {} ", words[0])) == names.npos) {
    throw InputError(fmt::format("command '{}' is unknown, legal:{}", words[0], names));
  }
  if (words.empty()) throw InputError(fmt::format("a command is missing, legal:{} (see wavesmith --help)", names));
  try {
    app.parse(arguments(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {  // --help, --version
      std::ostringstream help, nothing;
      app.exit(e, help, nothing);
      fmt::print(out(), "{}", help.str());
      return good;
    }
    std::string where = "wavesmith --help";
    for (const auto& [command, _] : commands.all)
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
  for (const auto& [command, execute] : commands.all)
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

Reply reply(const std::vector<std::string>& words) {
  Reply r;
  Answer answer;
  try {
    r.status = static_cast<Exit>(run(words));
  } catch (...) {
    std::tie(r.status, r.error) = judge(std::current_exception());
    answer.discard();
    if (std::ranges::find(words, "--json") != words.end())
      print_json({{"error", {{"status", r.status}, {"message", r.error}}}});
  }
  try {
    r.text = answer.text();
  } catch (...) { std::tie(r.status, r.error) = judge(std::current_exception()); }
  return r;
}

int answer(int argc, char** argv) {
  Reply r = reply({argv + 1, argv + argc});
  try {
    print_answer(r.text);
  } catch (...) {
    const auto [refused, what] = judge(std::current_exception());
    if (r.error.empty()) r.status = refused, r.error = what;
  }
  if (!r.error.empty()) say(r.error);
  return r.status;
}

}  // namespace wavesmith::tools
