#include "tools/options/epilogue_options.h"

#include <fmt/format.h>

#include "tools/print/exit.h"
#include "tools/print/text.h"

namespace wavesmith::tools {
namespace {

std::string word_of(const EpiloguePartInfo& p) {
  std::string word = p.name;
  std::ranges::replace(word, '_', '-');
  return word;
}
std::string names_of_activations() {
  std::string out;
  for (const ActivationInfo& a : activations()) out += fmt::format(" {}", a.name);
  return out;
}
std::string legal_words() {
  std::string out;
  for (const EpiloguePartInfo& p : epilogue_parts()) out += word_of(p) + " ";
  for (const QuantisationInfo& q : quantisations()) out += fmt::format("{} ", q.name);
  return fmt::format("{}clamp:LOW:HIGH gated nosat, and one of{}, as bias,relu", out, names_of_activations());
}

float number(const std::string& text, const std::string& where) {
  try {
    size_t used = 0;
    const float f = std::stof(text, &used);
    if (used == text.size() && f == f) return f;
  } catch (const std::exception&) {}
  throw InputError(fmt::format("{}: '{}' is not a number, legal: clamp:LOW:HIGH as in clamp:0:6", where, text));
}

struct Option {
  const char* names;
  const char* help;
  const char* values[3];  // legal after 0, which changes nothing; none: a flag
  const char* words[3];   // what they stand for
};
// Those of hipblaslt-bench that mean the same.
constexpr Option of_hipblaslt[] = {
    {"--bias_vector", "as --epilogue bias", {}, {"bias"}},
    {"--scaleA", "1: as --epilogue scale-a; 2: scale-a-row", {"1", "2"}, {"scale-a", "scale-a-row"}},
    {"--scaleB", "1: as --epilogue scale-b; 2: scale-b-col", {"1", "2"}, {"scale-b", "scale-b-col"}},
    {"--scaleC", "1: as --epilogue scale-c", {"1"}, {"scale-c"}},
    {"--scaleD", "1: as --epilogue scale-d", {"1"}, {"scale-d"}},
    {"--scaleAlpha_vector", "as --epilogue scale-a-row", {}, {"scale-a-row"}},
    {"--amaxD", "as --epilogue absmax", {}, {"absmax"}}};

}  // namespace

void EpilogueOptions::declare(CLI::App& app) {
  app.add_option(
      "--epilogue", words,
      fmt::format("operations applied to D before it is stored, comma-separated, in any order: {}", legal_words()));
  app.add_option("--activation_type", activation, "none, clamp or as --epilogue" + names_of_activations());
  app.add_option("--activation_arg1", low, "lower bound of --activation_type clamp");
  app.add_option("--activation_arg2", high, "upper bound of --activation_type clamp");
  for (const Option& o : of_hipblaslt) {
    if (!o.values[0]) {
      app.add_flag_function(
          o.names,
          [this, &o](int64_t n) {
            if (n > 0) more.emplace_back(o.words[0]);
          },
          o.help);
      continue;
    }
    app.add_option_function<std::string>(
           o.names,
           [this, &o](const std::string& text) {
             if (text == "0") return;
             if (text.empty() || text == "true") return void(more.emplace_back(o.words[0]));  // without a value
             std::string legal = "0";
             for (size_t i = 0; i < std::size(o.values) && o.values[i]; ++i) {
               if (text == o.values[i]) return void(more.emplace_back(o.words[i]));
               legal += fmt::format(" {}", o.values[i]);
             }
             throw InputError(fmt::format("{}: '{}' is not available, legal: {}", o.names, text, legal));
           },
           o.help)
        ->expected(0, 1);
  }
  app.add_flag("--alpha-device", alpha_on_device, "the kernel loads alpha from an address (device pointer mode)");
  app.add_flag("--beta-device", beta_on_device, "the kernel loads beta from an address");
}

Epilogue EpilogueOptions::epilogue() const {
  Epilogue e{.alpha_on_device = alpha_on_device, .beta_on_device = beta_on_device};
  const auto add = [&](const std::string& word, const std::string& text, const char* option) {
    const auto refuse = [&] [[noreturn]] {
      throw InputError(fmt::format("{}: '{}' is not understood, legal: {}", option, text, legal_words()));
    };
    for (const EpiloguePartInfo& p : epilogue_parts())
      if (word == word_of(p)) return void(e.add(p.part));
    for (const ActivationInfo& a : activations())
      if (word == a.name) {
        if (e.activation != Activation::none && e.activation != a.activation) refuse();
        return void(e.activation = a.activation);
      }
    if (const auto q = std::ranges::find(quantisations(), word, &QuantisationInfo::name); q != quantisations().end())
      return void(e.quantisation = q->kind);
    if (word == "gated") return void(e.gated = true);
    if (word == "nosat") return void(e.saturate = false);
    const auto parts = split(word, ':');
    if (parts.size() != 3 || parts[0] != "clamp") refuse();
    e.clamp = Clamp{number(parts[1], option), number(parts[2], option)};
  };
  if (!words.empty())
    for (const std::string& word : split(words, ',')) add(word, words, "--epilogue");
  for (const std::string& word : more) e.add(std::ranges::find(epilogue_parts(), word, word_of)->part);
  if (activation == "clamp") {
    if (low.empty() || high.empty())
      throw InputError("--activation_type: clamp without bounds, legal: --activation_arg1 LOW --activation_arg2 HIGH");
    e.clamp = Clamp{number(low, "--activation_arg1"), number(high, "--activation_arg2")};
  } else if (!activation.empty() && activation != "none") {
    const auto found = std::ranges::find(activations(), activation, &ActivationInfo::name);
    if (found == activations().end())
      throw InputError(fmt::format("--activation_type: '{}' is not available, legal: none clamp{}", activation,
                                   names_of_activations()));
    e.activation = found->activation;
  }
  return e;
}

}  // namespace wavesmith::tools
