// fuzz INPUT FILE...: the files as that input, one after the other. Built for libFuzzer (./dev fuzz),
// WAVESMITH_FUZZ_INPUT names the input.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "runtime/files.h"
#include "tests/fuzz/inputs.h"

namespace {

const fuzz::Input* find(std::string_view name) {
  const auto all = fuzz::inputs();
  const auto i = std::find_if(all.begin(), all.end(), [&](const fuzz::Input& x) { return name == x.name; });
  if (i != all.end()) return &*i;
  for (const auto& x : all) std::printf("%s\n", x.name);
  return nullptr;
}

}  // namespace

#ifdef WAVESMITH_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static const fuzz::Input* input =
      find(std::getenv("WAVESMITH_FUZZ_INPUT") ? std::getenv("WAVESMITH_FUZZ_INPUT") : "");
  if (!input) std::exit(2);
  input->run({bytes, size});
  return 0;
}
#else
int main(int argc, char** argv) {
  const auto* input = find(argc > 1 ? argv[1] : "");
  if (!input) return argc == 1 ? 0 : 2;
  try {
    for (int i = 2; i < argc; ++i) input->run(wavesmith::runtime::read_file(argv[i]));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fuzz: %s\n", e.what());
    return 1;
  }
}
#endif
