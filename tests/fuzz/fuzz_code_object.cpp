// libFuzzer's entry: cmake -DWAVESMITH_FUZZ=ON with clang, then fuzz_code_object -max_len=16384 tests/fuzz/corpus
#include "tests/fuzz/code_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  simtest::run_hostile({data, size});
  return 0;
}
