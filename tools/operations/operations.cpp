// Schemas and command lines from the options that CLI11 holds.
#include "tools/operations/operations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tools/commands/answer.h"
#include "tools/commands/commands.h"
#include "tools/print/console.h"

namespace wavesmith::tools {
namespace {

// The option's first long name, else its short or positional one: also the property's.
std::string name_of(const CLI::Option& o) { return o.get_single_name(); }
bool is_flag(const CLI::Option& o) { return o.get_expected_max() == 0; }
bool is_list(const CLI::Option& o) {
  return !is_flag(o) &&
         (o.get_items_expected_max() > 1 || o.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll);
}
bool is_number(const CLI::Option& o) {
  const std::string type = o.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

Json schema_of(const CLI::Option& o) {
  const std::string type = o.get_type_name();
  Json one{{"type", is_flag(o)                  ? "boolean"
                    : type.starts_with("FLOAT") ? "number"
                    : is_number(o)              ? "integer"
                                                : "string"}};
  Json s = is_list(o) ? Json{{"type", "array"}, {"items", one}} : one;
  std::string text = o.get_description();
  if (const size_t range = type.find(" in ["); range != type.npos) text += "; " + type.substr(range + 1);
  s["description"] = text;
  if (!is_flag(o) && !is_list(o) && !is_number(o) && !o.get_default_str().empty()) s["default"] = o.get_default_str();
  return s;
}

// The options of a command and, where it takes them too, of those above it: each name once, the nearest.
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> all;
  for (const CLI::App* at = &app; at; at = at->get_fallthrough() ? at->get_parent() : nullptr) {
    if (at->get_name() == "wavesmith") break;
    for (const CLI::Option* o : at->get_options()) {
      if (o == at->get_help_ptr() || (at != &app && o->get_positional())) continue;
      if (std::ranges::none_of(all, [&](const CLI::Option* known) { return name_of(*known) == name_of(*o); }))
        all.push_back(o);
    }
  }
  return all;
}

Json input_of(const CLI::App& app) {
  Json properties = Json::object(), required = Json::array();
  for (const CLI::Option* o : options_of(app)) {
    const std::string name = name_of(*o);
    properties[name] = schema_of(*o);
    if (name == "json")
      properties[name] = {{"type", "boolean"}, {"default", true}, {"description", "false: the text that people read"}};
    if (o->get_required()) required.push_back(name);
  }
  properties["files"] = {
      {"type", "object"},
      {"description",
       "files that other arguments name, by name (no folders): assembly text (name.s) as a string; bytes as "
       "{\"base64\": "
       "...}; an .npy array as {\"array\": nested lists, \"type\": \"f32\"}. Files that the call writes come back "
       "likewise"},
      {"additionalProperties",
       {{"anyOf",
         {{{"type", "string"}},
          {{"type", "object"}, {"properties", {{"base64", {{"type", "string"}}}}}, {"required", {"base64"}}},
          {{"type", "object"},
           {"properties", {{"array", Json::object()}, {"type", {{"type", "string"}}}}},
           {"required", {"array", "type"}}}}}}}};
  Json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

void collect(const CLI::App& app, std::vector<std::string> words, std::vector<Operation>& all) {
  words.push_back(app.get_name());
  if (app.get_require_subcommand_min() == 0)
    all.push_back({fmt::format("{}", fmt::join(words, "_")), app.get_description(), words, input_of(app)});
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) collect(*below, words, all);
}

// -- A call's command line --

std::string legal_names(const Operation& op) {
  std::string names;
  for (const auto& [name, _] : op.input["properties"].items()) names += " " + name;
  return names;
}

// One value as the command line has it; lists are joined by commas, as in "grid": [4, 2].
std::string text_of(const Json& v, const std::string& name) {
  if (v.is_string()) return v.get<std::string>();
  if (v.is_number_float()) {
    const double x = v.get<double>();
    return x == std::floor(x) && std::fabs(x) < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{}", x);
  }
  if (v.is_number())
    return v.is_number_unsigned() ? fmt::format("{}", v.get<uint64_t>()) : fmt::format("{}", v.get<int64_t>());
  if (v.is_array() && !v.empty()) {
    std::string all;
    for (const Json& one : v) {
      if (one.is_array()) break;
      all += (all.empty() ? "" : ",") + text_of(one, name);
    }
    if (!all.empty()) return all;
  }
  throw InputError(fmt::format("argument '{}': a value of type {}, legal: a string or a number", name, v.type_name()));
}

void add_option(std::vector<std::string>& words, const CLI::Option& o, const std::string& value) {
  const std::string name = name_of(o);
  words.push_back(o.get_lnames().empty() ? fmt::format("-{}{}", name, value) : fmt::format("--{}={}", name, value));
}

std::vector<std::string> command_line(const Operation& op, const CLI::App& app, const Json& arguments) {
  std::vector<std::string> words = op.words, positional;
  const auto all = options_of(app);
  for (const auto& [name, value] : arguments.items()) {
    if (value.is_null() || name == "json") continue;
    const auto found = std::ranges::find_if(all, [&](const CLI::Option* o) { return name_of(*o) == name; });
    if (found == all.end())
      throw InputError(fmt::format("{}: argument '{}' is unknown, legal:{}", op.name, one_line(name), legal_names(op)));
    const CLI::Option& o = **found;
    if (is_flag(o)) {
      if (!value.is_boolean()) throw InputError(fmt::format("argument '{}': legal: true or false", name));
      if (value.get<bool>()) words.push_back(o.get_lnames().empty() ? "-" + name : "--" + name);
      continue;
    }
    std::vector<std::string> values;
    if (is_list(o) && value.is_array())
      for (const Json& one : value) values.push_back(text_of(one, name));
    else values.push_back(text_of(value, name));
    for (const auto& v : values)
      if (v.find('\0') != v.npos) throw InputError(fmt::format("argument '{}': has a zero byte", name));
      else if (o.get_positional()) positional.push_back(v);
      else add_option(words, o, v);
  }
  const bool has_json = std::ranges::any_of(all, [](const CLI::Option* o) { return name_of(*o) == "json"; });
  if (has_json && arguments.value("json", Json(true)) != Json(false)) words.push_back("--json");
  if (!positional.empty()) words.push_back("--");
  words.insert(words.end(), positional.begin(), positional.end());
  return words;
}

const CLI::App& find_app(const Commands& commands, const Operation& op) {
  const CLI::App* at = &commands.app;
  for (const auto& word : op.words) at = at->get_subcommand(word);
  return *at;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    const Commands commands;
    std::vector<Operation> found;
    for (const auto& [app, _] : commands.all)
      if (is_operation(*app)) collect(*app, {}, found);
    return found;
  }();
  return all;
}

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::find(operations(), name, &Operation::name);
  return found == operations().end() ? nullptr : &*found;
}

CallResult call(const Operation& op, const Json& arguments, runtime::Files& files) {
  CallResult r;
  std::vector<std::string> words;
  try {
    if (!arguments.is_object() && !arguments.is_null()) throw InputError("the arguments are not an object");
    const Commands commands;
    words = command_line(op, find_app(commands, op), arguments);
  } catch (const InputError& e) {
    r.status = bad_input, r.error = one_line(e.what());
    return r;
  }
  const Notes kept(r.notes);
  const runtime::FilesInMemory here(&files);
  const Reply answer = reply(words);
  r.status = answer.status;
  r.error = answer.error.empty() ? "" : one_line(answer.error);
  if (!answer.error.empty()) return r;
  r.document = Json::parse(answer.text, nullptr, /*allow_exceptions=*/false);
  if (r.document.is_discarded() || r.document.is_number()) r.document = answer.text;
  return r;
}

void take_files(Json& arguments, runtime::Files& files) {
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) throw InputError("the arguments are not an object");
  const auto given = arguments.find("files");
  if (given == arguments.end()) return;
  if (!given->is_object()) throw InputError("argument 'files': legal: an object, contents by name");
  for (const auto& [name, content] : given->items()) {
    if (!runtime::is_plain_name(name))
      throw InputError(fmt::format(
          "argument 'files': '{}' is not a plain name, legal: letters, digits and _ - + . inside", one_line(name)));
    files[name] = file_from_json(content, name);
  }
  arguments.erase("files");
}

Json call_json(const Operation& op, Json arguments) {
  runtime::Files files;
  Json reply = Json::object();
  const auto refuse = [&](const std::string& why) {
    return Json{{"status", static_cast<int>(bad_input)}, {"error", one_line(why)}};
  };
  try {
    take_files(arguments, files);
  } catch (const InputError& e) { return refuse(e.what()); }
  const runtime::Files before = files;
  CallResult r = call(op, arguments, files);
  reply["status"] = r.status;
  if (!r.error.empty()) reply["error"] = r.error;
  else reply["result"] = std::move(r.document);
  if (!r.notes.empty()) reply["notes"] = r.notes;
  for (const auto& [name, bytes] : files)
    if (const auto was = before.find(name); was == before.end() || was->second != bytes)
      reply["files"][name] = file_to_json(bytes);
  return reply;
}

Json result_schema() {
  return {{"type", "object"},
          {"properties",
           {{"status",
             {{"type", "integer"},
              {"description",
               "0 success; 1 a fault, a finding or a wrong result; 2 wrong arguments; 3 "
               "a problem of the machine, or a limit"}}},
            {"result", {{"description", "what the command found; a fault is result.fault"}}},
            {"error", {{"type", "string"}, {"description", "one line, where there is no result"}}},
            {"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}},
            {"files", {{"type", "object"}, {"description", "files that the call wrote, as in the arguments"}}}}},
          {"required", {"status"}}};
}

}  // namespace wavesmith::tools
