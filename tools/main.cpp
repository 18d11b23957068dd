// Entry point.
#include <exception>

#include "tools/commands/answer.h"
#include "tools/print/console.h"
#include "tools/process.h"

// OpenBLAS's. It starts threads when it is loaded, which spin for some 30 ms; a product starts them again.
extern "C" [[gnu::weak]] int blas_thread_shutdown_();

int main(int argc, char** argv) {
  if (blas_thread_shutdown_) blas_thread_shutdown_();
  wavesmith::tools::keep_freed_memory();
  wavesmith::tools::prepare_console();
  try {
    return wavesmith::tools::answer(argc, argv);
  } catch (const std::exception&) {  // out of memory while reporting an error
    return wavesmith::tools::bad_machine;
  }
}
