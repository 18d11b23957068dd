// One hostile file, for AFL++ or by hand: fuzz_code_object FILE. With the instrumenting compiler of Debian's afl++:
//   AFL_USE_ASAN=1 cmake -B fuzz -G Ninja -DCMAKE_CXX_COMPILER=afl-g++ && AFL_USE_ASAN=1 ninja -C fuzz fuzz_code_object
//   afl-fuzz -i tests/fuzz/corpus -o found -m none -t 5000 -- fuzz/fuzz_code_object @@
#include "tests/fuzz/code_object.h"

#include <fstream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  simtest::run_hostile(bytes);
}
