// Entry point.
#include <exception>

#include "tools/commands/answer.h"
#include "tools/print/console.h"

int main(int argc, char** argv) {
  wavesmith::tools::prepare_console();
  try {
    return wavesmith::tools::answer(argc, argv);
  } catch (const std::exception&) {  // out of memory while reporting an error
    return wavesmith::tools::bad_machine;
  }
}
