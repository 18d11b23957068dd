/* What is used of HIP's C interface, by its binary interface: nothing of HIP is needed to build. All of it is the same
   in every release from 5.2 on but hipGetDeviceProperties, whose structure grew in 6.0 together with the function's
   name. C and C++: a benchmark kit (tools/bench/kit) is compiled as C. */
#ifndef WAVESMITH_HIP_ABI_H
#define WAVESMITH_HIP_ABI_H
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* clang-format off */
/* Handles are pointers and errors are int; 0 is success. */
#define WAVESMITH_HIP_CALLS(CALL) \
  CALL(const char*, hipGetErrorName, (int error)) \
  CALL(int, hipGetDeviceCount, (int* count)) \
  CALL(int, hipSetDevice, (int device)) \
  CALL(int, hipRuntimeGetVersion, (int* version)) \
  CALL(int, hipMalloc, (void** p, size_t bytes)) \
  CALL(int, hipFree, (void* p)) \
  CALL(int, hipMemset, (void* p, int value, size_t bytes)) \
  CALL(int, hipMemcpy, (void* to, const void* from, size_t bytes, int kind)) \
  CALL(int, hipModuleLoadData, (void** module, const void* image)) \
  CALL(int, hipModuleUnload, (void* module)) \
  CALL(int, hipModuleGetFunction, (void** function, void* module, const char* name)) \
  CALL(int, hipModuleLaunchKernel, (void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds, void* stream, void** params, void** extra)) \
  CALL(int, hipDeviceSynchronize, (void)) \
  CALL(int, hipEventCreate, (void** event)) \
  CALL(int, hipEventDestroy, (void* event)) \
  CALL(int, hipEventRecord, (void* event, void* stream)) \
  CALL(int, hipEventSynchronize, (void* event)) \
  CALL(int, hipEventElapsedTime, (float* milliseconds, void* start, void* stop))
/* clang-format on */

enum { hip_to_device = 1, hip_to_host = 2 }; /* hipMemcpyKind */
/* Entries of hipModuleLaunchKernel's `extra`. */
#define HIP_EXTRA_POINTER ((void*)1)
#define HIP_EXTRA_SIZE ((void*)2)
#define HIP_EXTRA_END ((void*)3)

/* hipDeviceProp_t: bytes from its start, of gfx names as "gfx942:sramecc+:xnack-", compute units, clock in kHz. */
struct hip_properties_layout {
  const char* function;
  size_t target, units, khz;
};
static const struct hip_properties_layout hip_properties[] = {
    {"hipGetDevicePropertiesR0600", 1160, 388, 348}, /* from 6.0; in 7.0 under this name alone */
    {"hipGetDeviceProperties", 396, 336, 308},       /* to 5.7; 6.x has it for programs built before */
};
enum { hip_properties_bytes = 8192 }; /* larger than any release's structure */

struct hip_calls {
  void* library;
  const char* name;
#define WAVESMITH_MEMBER(result, function, arguments) result(*function) arguments;
  WAVESMITH_HIP_CALLS(WAVESMITH_MEMBER)
#undef WAVESMITH_MEMBER
  int (*properties)(void* structure, int device);
  const struct hip_properties_layout* layout;
};

static const char* const hip_libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                            "libamdhip64.so", "/opt/rocm/lib/libamdhip64.so"};

static inline void* first_library(const char* const* names, size_t count, const char** found) {
  for (size_t i = 0; i < count; ++i) {
    void* const library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return *found = names[i], library;
  }
  return *found = NULL, (void*)NULL;
}

/* `function`: where its pointer goes. False: the library has none of that name. */
static inline int library_symbol(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* NULL: done. Otherwise the missing function, or "" if there is no library. The library stays open: it keeps threads.
 */
static inline const char* hip_load(struct hip_calls* hip) {
  hip->library = first_library(hip_libraries, sizeof hip_libraries / sizeof *hip_libraries, &hip->name);
  if (!hip->library) return "";
#define WAVESMITH_SYMBOL(result, function, arguments) \
  if (!library_symbol(hip->library, #function, &hip->function)) return #function;
  WAVESMITH_HIP_CALLS(WAVESMITH_SYMBOL)
#undef WAVESMITH_SYMBOL
  for (size_t i = 0; i < 2; ++i) {
    hip->layout = &hip_properties[i];
    if (library_symbol(hip->library, hip->layout->function, &hip->properties)) return NULL;
  }
  return hip_properties[0].function;
}
#endif
