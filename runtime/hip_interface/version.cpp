#include "runtime/hip_interface/version.h"

#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

namespace wavesmith::hip {
namespace {

// The digit of "libamdhip64.so.N" among what a loaded object needs; 0: none.
int needed_by(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    const char* names = nullptr;
    for (const auto* d = entries; d->d_tag != DT_NULL; ++d)  // glibc has relocated the address
      if (d->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (!names || reinterpret_cast<uintptr_t>(names) < 4096) continue;
    if (object.dlpi_addr && reinterpret_cast<uintptr_t>(names) < object.dlpi_addr) names += object.dlpi_addr;  // vdso
    constexpr const char stem[] = "libamdhip64.so.";
    for (const auto* d = entries; d->d_tag != DT_NULL; ++d)
      if (d->d_tag == DT_NEEDED && std::strncmp(names + d->d_un.d_val, stem, sizeof stem - 1) == 0)
        return names[d->d_un.d_val + sizeof stem - 1] - '0';
  }
  return 0;
}

}  // namespace

int major_version() {
  static const int found = [] {
    int n = 0;
    if (const char* named = std::getenv("WAVESMITH_HIP_VERSION")) n = std::atoi(named);
    if (!n)
      dl_iterate_phdr([](dl_phdr_info* o, size_t, void* to) { return *static_cast<int*>(to) = needed_by(*o); }, &n);
    return n >= 5 && n <= 7 ? n : 6;
  }();
  return found;
}

int version() {  // the last minor version of each whose calls are listed in functions.def
  switch (major_version()) {
    case 5: return 50221153;
    case 7: return 70000000;
    default: return 60342131;
  }
}

}  // namespace wavesmith::hip
