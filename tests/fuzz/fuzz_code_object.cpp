// One hostile file, for AFL++ or by hand: fuzz_code_object FILE. With the instrumenting compiler of Debian's afl++:
//   CC=afl-gcc CXX=afl-g++ cmake -S . -B fuzz -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 && ninja -C fuzz fuzz_code_object
//   afl-fuzz -i tests/fuzz/corpus -o found -m none -t 5000+ -- fuzz/fuzz_code_object @@
// What adds coverage (found/default/queue/*+cov) joins the corpus.
#include "tests/fuzz/code_object.h"

#include <fstream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  simtest::run_hostile(bytes);
}
