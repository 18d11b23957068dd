// Error codes, and what has no device in it: initialisation, versions, profiling marks.
#include <fmt/format.h>

#include <cstdlib>

#include "isa_tables/isa.h"
#include "runtime/hip_interface/state.h"
#include "runtime/hip_interface/version.h"

namespace wavesmith::hip {
namespace {

struct Row {
  int number;
  const char *name, *text;
};
constexpr Row error_rows[] = {
#define ERROR(number, name, text) {number, #name, text},
#include "runtime/hip_interface/errors.def"
#undef ERROR
};
const Row* find(hipError_t e) {
  for (const Row& r : error_rows)
    if (r.number == static_cast<int>(e)) return &r;
  return nullptr;
}
hipError_t none() { return hipSuccess; }

}  // namespace

hipError_t& last_error() {
  static thread_local hipError_t e = hipSuccess;
  return e;
}

void complain(std::string_view line) {
  std::fflush(stdout);
  fmt::print(stderr, "wavesmith: {}\n", line);
}

hipError_t report(std::exception_ptr p) {
  try {
    std::rethrow_exception(p);
  } catch (const Error& e) { return e.code; } catch (const std::bad_alloc&) {
    return hipErrorOutOfMemory;
  } catch (const std::exception& e) {
    complain(e.what());
    return hipErrorUnknown;
  }
}

}  // namespace wavesmith::hip

using namespace wavesmith::hip;
extern "C" {
const char* hipGetErrorName(hipError_t e) {
  const Row* r = find(e);
  return r ? r->name : "hipErrorUnknown";
}
const char* hipGetErrorString(hipError_t e) {
  const Row* r = find(e);
  return r ? r->text : "unknown error";
}
hipError_t hipDrvGetErrorName(hipError_t e, const char** name) {
  if (!name || !find(e)) return hipErrorInvalidValue;
  return *name = find(e)->name, hipSuccess;
}
hipError_t hipDrvGetErrorString(hipError_t e, const char** text) {
  if (!text || !find(e)) return hipErrorInvalidValue;
  return *text = find(e)->text, hipSuccess;
}
hipError_t hipPeekAtLastError() { return State::get().fault ? State::get().fault : last_error(); }
hipError_t hipGetLastError() {
  const hipError_t e = hipPeekAtLastError();
  return last_error() = hipSuccess, e;
}
hipError_t hipExtGetLastError() { return hipGetLastError(); }

hipError_t hipInit(unsigned flags) {
  return call([&](State& s) { check(flags == 0, hipErrorInvalidValue), s.the_device(); });
}
hipError_t hipDriverGetVersion(int* v) {
  return call([&](State&) { given(v) = version(); }, true);
}
hipError_t hipRuntimeGetVersion(int* v) { return hipDriverGetVersion(v); }
const char* hipApiName(uint32_t) { return "unknown"; }  // ROCm numbers its calls for tracers
hipError_t hipProfilerStart() { return none(); }
hipError_t hipProfilerStop() { return none(); }
}
