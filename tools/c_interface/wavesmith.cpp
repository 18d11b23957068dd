// The C interface (include/wavesmith/wavesmith.h) on the operations: no exception leaves a function.
#include <wavesmith/wavesmith.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <iterator>
#include <new>
#include <system_error>

#include "runtime/npy.h"
#include "tools/commands/answer.h"
#include "tools/operations/operations.h"
#include "tools/print/console.h"

using namespace wavesmith;
using namespace wavesmith::tools;

struct wavesmith_session {
  runtime::Files files;
  std::string result = "null", error, notes;
  runtime::Array array;  // the last one got
};

namespace {

constexpr int header[] = {WAVESMITH_GOOD, WAVESMITH_NO, WAVESMITH_BAD_INPUT, WAVESMITH_MACHINE};
static_assert(header[good] == good && header[answer_is_no] == answer_is_no && header[bad_input] == bad_input &&
              header[bad_machine] == bad_machine);

int refuse(wavesmith_session& s, int status, const char* why) noexcept {
  try {
    s.error = one_line(why);
  } catch (...) { s.error.clear(); }
  return status;
}

// The status of `work`, or of what it throws.
template <class Work>
int guarded(wavesmith_session* s, Work work) noexcept {
  if (!s) return bad_input;
  try {
    s->error.clear();
    return work();
  } catch (const std::bad_alloc&) {
    return refuse(*s, bad_machine, "out of memory");
  } catch (const std::length_error&) {
    return refuse(*s, bad_machine, "out of memory");
  } catch (const std::system_error& e) { return refuse(*s, bad_machine, e.what()); } catch (const std::exception& e) {
    return refuse(*s, bad_input, e.what());
  } catch (...) { return refuse(*s, bad_machine, "an unknown failure"); }
}

std::string given(const char* text) { return text ? one_line(text) : "NULL"; }

void check_name(const char* name) {
  if (!name || !runtime::is_plain_name(name))
    throw InputError(
        fmt::format("file '{}' is not a plain name, legal: letters, digits and _ - + . inside", given(name)));
}

runtime::Dtype type_called(const char* name) {
  using enum runtime::Dtype;
  for (const auto type : {f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8})
    if (name && std::strcmp(name, runtime::name(type)) == 0) return type;
  throw InputError(fmt::format("type '{}' is unknown, legal: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8", given(name)));
}

// The bytes of an array; InputError where they are too many.
size_t bytes_of(const runtime::Array& a, const char* name) {
  uint64_t bytes = static_cast<uint64_t>(runtime::size_of(a.type));
  for (const uint64_t length : a.shape)
    if (length == 0) return 0;
  for (const uint64_t length : a.shape)
    if (__builtin_mul_overflow(bytes, length, &bytes) || bytes > runtime::largest_file)
      throw InputError(fmt::format("array '{}' is too large, legal: up to {} bytes", name, runtime::largest_file));
  return bytes;
}

void to_c_order(runtime::Array& a) {
  if (!a.fortran) return;
  const auto size = static_cast<size_t>(runtime::size_of(a.type));
  std::vector<uint8_t> out(a.bytes.size());
  const uint64_t count = a.count();
  for (uint64_t i = 0; i < count; ++i) {  // in C order
    uint64_t rest = i, from = 0, stride = count;
    for (size_t d = a.shape.size(); d-- > 0;) {
      stride /= a.shape[d];
      from += rest % a.shape[d] * stride;
      rest /= a.shape[d];
    }
    std::memcpy(out.data() + i * size, a.bytes.data() + from * size, size);
  }
  a.bytes = std::move(out);
  a.fortran = false;
}

const void* pointer_to(const std::vector<uint8_t>& bytes) {
  return bytes.empty() ? static_cast<const void*>("") : bytes.data();  // NULL says that there is none
}

}  // namespace

extern "C" {

const char* wavesmith_version() { return version(); }

const char* wavesmith_operations() try {
  static const std::string all = [] {
    Json list = Json::array();
    for (const Operation& op : operations())
      list.push_back({{"name", op.name}, {"description", op.description}, {"input", op.input}});
    return json_text(list, -1);
  }();
  return all.c_str();
} catch (...) { return nullptr; }

wavesmith_session* wavesmith_open() try { return new wavesmith_session; } catch (...) {
  return nullptr;
}
void wavesmith_close(wavesmith_session* s) { delete s; }

int wavesmith_put(wavesmith_session* s, const char* name, const void* bytes, size_t size) {
  return guarded(s, [&] {
    check_name(name);
    if (size && !bytes) throw InputError(fmt::format("file '{}': bytes is NULL, size {}", name, size));
    if (size > runtime::largest_file)
      throw InputError(fmt::format("file '{}' is too large, legal: up to {} bytes", name, runtime::largest_file));
    const auto* from = static_cast<const uint8_t*>(bytes);
    s->files[name] = size ? std::vector<uint8_t>(from, from + size) : std::vector<uint8_t>();
    return good;
  });
}

int wavesmith_put_array(wavesmith_session* s, const char* name, const char* type, size_t rank, const uint64_t* shape,
                        const void* elements) {
  return guarded(s, [&] {
    check_name(name);
    constexpr size_t most_dimensions = 32;
    if (rank > most_dimensions)
      throw InputError(fmt::format("array '{}': {} dimensions, legal: up to {}", name, rank, most_dimensions));
    if (rank && !shape) throw InputError(fmt::format("array '{}': shape is NULL, rank {}", name, rank));
    runtime::Array a;
    a.type = type_called(type);
    if (rank) a.shape.assign(shape, shape + rank);
    const size_t bytes = bytes_of(a, name);
    if (bytes && !elements) throw InputError(fmt::format("array '{}': elements is NULL, {} bytes", name, bytes));
    const auto* from = static_cast<const uint8_t*>(elements);
    if (bytes) a.bytes.assign(from, from + bytes);
    s->files[name] = runtime::format_npy(a);
    return good;
  });
}

int wavesmith_call(wavesmith_session* s, const char* operation, const char* arguments) {
  return guarded(s, [&] {
    s->result = "null", s->notes.clear();
    const Operation* op = find_operation(operation ? operation : "");
    if (!op) {
      std::string legal;
      for (const Operation& one : operations()) legal += " " + one.name;
      throw InputError(fmt::format("operation '{}' is unknown, legal:{}", given(operation), legal));
    }
    Json parsed = Json::object();
    if (arguments) parsed = Json::parse(arguments, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) throw InputError("the arguments are not JSON");
    take_files(parsed, s->files);
    const CallResult r = call(*op, parsed, s->files);
    s->result = json_text(r.document, -1);
    s->error = r.error;
    s->notes = fmt::format("{}", fmt::join(r.notes, "\n"));
    return r.status;
  });
}

const char* wavesmith_result(const wavesmith_session* s) { return s ? s->result.c_str() : "null"; }
const char* wavesmith_error(const wavesmith_session* s) { return s ? s->error.c_str() : "the session is NULL"; }
const char* wavesmith_notes(const wavesmith_session* s) { return s ? s->notes.c_str() : ""; }

size_t wavesmith_file_count(const wavesmith_session* s) { return s ? s->files.size() : 0; }
const char* wavesmith_file_name(const wavesmith_session* s, size_t number) {
  if (!s || number >= s->files.size()) return nullptr;
  return std::next(s->files.begin(), static_cast<ptrdiff_t>(number))->first.c_str();
}
const void* wavesmith_get(const wavesmith_session* s, const char* name, size_t* size) {
  if (size) *size = 0;
  if (!s || !name) return nullptr;
  const auto found = s->files.find(std::string_view(name));
  if (found == s->files.end()) return nullptr;
  if (size) *size = found->second.size();
  return pointer_to(found->second);
}
const void* wavesmith_get_array(wavesmith_session* s, const char* name, const char** type, size_t* rank,
                                const uint64_t** shape) {
  const int status = guarded(s, [&] {
    const auto found = s->files.find(std::string_view(name ? name : ""));
    if (found == s->files.end()) throw InputError(fmt::format("file '{}' does not exist", given(name)));
    s->array = runtime::parse_npy(found->second, found->first);
    to_c_order(s->array);
    return good;
  });
  if (status != good) return nullptr;
  const runtime::Array& a = s->array;
  if (type) *type = runtime::name(a.type);
  if (rank) *rank = a.shape.size();
  if (shape) *shape = a.shape.data();
  return pointer_to(a.bytes);
}

}  // extern "C"
