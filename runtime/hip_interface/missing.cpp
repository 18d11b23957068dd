// The calls that are not implemented, one row of functions.def each, and the call that finds calls by name.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace {

constexpr int success = 0, invalid_value = 1, not_supported = 801;  // hipError_t

int missing(const char* name) {
  static std::mutex lock;
  static std::set<std::string> said;
  const std::lock_guard hold(lock);
  if (said.insert(name).second) fmt::print(stderr, "wavesmith: {} is not supported\n", name);
  return not_supported;
}

}  // namespace

extern "C" {
#define HIP(version, name)
#define MISSING(version, name) \
  int name() { return missing(#name); }
#include "runtime/hip_interface/functions.def"
#undef HIP
#undef MISSING

int hipGetProcAddress(const char* name, void** function, int version, uint64_t, int* status) {
  constexpr int found = 0, not_found = 1;
  if (!name || !*name || !function) return invalid_value;
  std::string symbol = name;
  if (version >= 600 && (symbol == "hipGetDeviceProperties" || symbol == "hipChooseDevice")) symbol += "R0600";
  Dl_info self{};
  dladdr(reinterpret_cast<void*>(&hipGetProcAddress), &self);
  void* library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  *function = library ? dlsym(library, symbol.c_str()) : nullptr;
  if (library) dlclose(library);
  if (status) *status = *function ? found : not_found;
  return *function ? success : 500;  // hipErrorNotFound
}
}
