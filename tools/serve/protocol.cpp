#include "tools/serve/protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/commands/answer.h"
#include "tools/print/console.h"

namespace wavesmith::tools {
namespace {

// The revisions whose messages we speak; the first is the newest. 2025-03-26 is not among them: it has batches.
constexpr std::string_view revisions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

enum Code { parse_error = -32700, invalid_request = -32600, no_method = -32601, invalid_params = -32602 };

constexpr const char* instructions =
    "AMD GPU kernels without a GPU. Send assembly text as a file of a call, {\"file\": \"k.s\", \"arch\": \"gfx942\", "
    "\"files\": {\"k.s\": \"...\"}}. check analyses waits and hazards, run executes it on a simulator with sanitizers "
    "and reports faults, time predicts cycles and their limits, explain describes a fault and its remedy. "
    "status: 0 success, 1 a wrong result, a fault or a finding, 2 wrong arguments, 3 a limit or a problem of the "
    "machine.";

std::string dump(const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); }

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

// A tool's result (CallToolResult) from that of call_json.
Json tool_result(const Json& result) {
  const int status = result["status"].get<int>();
  Json content = Json::array();
  if (result.contains("error")) content.push_back({{"type", "text"}, {"text", result["error"]}});
  content.push_back({{"type", "text"}, {"text", dump(result)}});
  return {
      {"content", content}, {"structuredContent", result}, {"isError", status == bad_input || status == bad_machine}};
}

std::string run_call(const Operation& op, Json arguments) {
  return dump(tool_result(call_json(op, std::move(arguments))));
}

Json tools() {
  Json all = Json::array();
  for (const Operation& op : operations())
    all.push_back({{"name", op.name},
                   {"description", op.description},
                   {"inputSchema", op.input},
                   {"outputSchema", result_schema()},
                   {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  return all;
}

}  // namespace

void Protocol::send(const Json& message) { output_ += dump(message) + "\n"; }
void Protocol::reply(const Json& id, Json result) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}
void Protocol::error(const Json& id, int code, const std::string& text) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", one_line(text)}}}});
}
bool Protocol::in_use(const Json& id) const {
  const auto same = [&](const auto& one) { return one.id == id; };
  return std::ranges::any_of(running_, same) || std::ranges::any_of(waiting_, same);
}

void Protocol::refuse_line(size_t longest) {
  error(nullptr, invalid_request, fmt::format("a message is longer than the limit of {} bytes", longest));
}

void Protocol::line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == text.npos) return;
  Json m = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (m.is_discarded()) return error(nullptr, parse_error, "not JSON");
  message(m);
}

void Protocol::message(Json& m) {
  if (!m.is_object()) return error(nullptr, invalid_request, "a message is an object");
  const bool has_id = m.contains("id");
  const Json id = has_id && is_id(m["id"]) ? m["id"] : Json(nullptr);
  if (m.value("jsonrpc", Json()) != "2.0") return error(id, invalid_request, "jsonrpc is \"2.0\"");
  if (!m.contains("method")) {
    if (m.contains("result") || m.contains("error")) return;  // answers nothing we asked
    return error(id, invalid_request, "method is missing");
  }
  if (!m["method"].is_string()) return error(id, invalid_request, "method is a string");
  if (has_id && id.is_null()) return error(id, invalid_request, "id is a string or an integer");
  Json parameters = m.value("params", Json::object());
  const auto method = m["method"].get<std::string>();
  if (!parameters.is_object()) {
    if (has_id) error(id, invalid_params, "params is an object");
  } else if (has_id) request(method, id, parameters);
  else notification(method, parameters);
}

void Protocol::request(const std::string& method, const Json& id, Json& parameters) {
  if (in_use(id)) return error(id, invalid_request, "a request with this id is in progress");
  if (method == "ping") return reply(id, Json::object());
  if (method == "initialize") {
    if (initialized_) return error(id, invalid_request, "the session is initialized already");
    const Json asked = parameters.value("protocolVersion", Json());
    if (!asked.is_string()) return error(id, invalid_params, "protocolVersion is a string");
    const auto known = std::ranges::find(revisions, asked.get<std::string>());
    initialized_ = true;
    return reply(id, {{"protocolVersion", known == std::end(revisions) ? revisions[0] : *known},
                      {"capabilities", {{"tools", Json::object()}}},
                      {"serverInfo", {{"name", "wavesmith"}, {"title", "wavesmith"}, {"version", version()}}},
                      {"instructions", instructions}});
  }
  if (!initialized_) return error(id, invalid_request, "initialize is first");
  if (method == "tools/list") {
    if (parameters.contains("cursor")) return error(id, invalid_params, "there is one page: no cursor is legal");
    return reply(id, {{"tools", tools()}});
  }
  if (method == "tools/call") return call(id, parameters);
  error(id, no_method, fmt::format("method '{}' is unknown", method));
}

void Protocol::notification(const std::string& method, const Json& parameters) {
  if (method != "notifications/cancelled" || !parameters.contains("requestId")) return;
  const auto asked = [&](const auto& one) { return one.id == parameters["requestId"]; };
  std::erase_if(running_, asked);  // ends its process; nothing answers a cancelled request
  std::erase_if(waiting_, asked);
  start_waiting();
}

void Protocol::call(const Json& id, Json& parameters) {
  const Json name = parameters.value("name", Json());
  if (!name.is_string()) return error(id, invalid_params, "name is a string");
  const Operation* const op = find_operation(name.get<std::string>());
  if (!op)
    return error(id, invalid_params, fmt::format("tool '{}' is unknown, see tools/list", name.get<std::string>()));
  Json arguments = parameters.contains("arguments") ? std::move(parameters["arguments"]) : Json::object();
  if (!arguments.is_object()) return error(id, invalid_params, "arguments is an object");
  waiting_.push_back({id, op, std::move(arguments)});
  start_waiting();
}

void Protocol::start_waiting() {
  while (!waiting_.empty() && running_.size() < at_once_) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      running_.push_back({next.id, std::make_unique<Worker>(
                                       limits_, [&] { return run_call(*next.operation, std::move(next.arguments)); })});
    } catch (const runtime::MachineError& e) {
      reply(next.id, tool_result({{"status", static_cast<int>(bad_machine)}, {"error", e.what()}}));
    }
  }
}

void Protocol::finish(size_t i) {
  auto& [id, worker] = running_[i];
  const auto [answer, failure] = worker->end();
  if (failure.empty()) output_ += fmt::format("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}}\n", dump(id), answer);
  else reply(id, tool_result({{"status", static_cast<int>(bad_machine)}, {"error", failure}}));
  running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
  start_waiting();
}

}  // namespace wavesmith::tools
