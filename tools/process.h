// What a process of ours sets up before anything else.
#pragma once
#include <malloc.h>

namespace wavesmith::tools {

// Freed memory stays with the process, up to 64 MiB at the heap's end. By default glibc returns what exceeds 128 KiB,
// and generation and the check, which free some hundred KiB again and again, would wait for new pages every time.
inline void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

}  // namespace wavesmith::tools
