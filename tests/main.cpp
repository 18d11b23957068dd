// The test program. Its last line is the count of test cases: "N passed, N failed".
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <cstdio>

namespace {

struct Count : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testRunEnded(const Catch::TestRunStats& run) override {
    const auto& cases = run.totals.testCases;
    passed = cases.passed + cases.failedButOk, failed = cases.failed;
    std::atexit([] { std::printf("%zu passed, %zu failed\n", passed, failed); });
  }
  static inline std::size_t passed = 0, failed = 0;
};
CATCH_REGISTER_LISTENER(Count)

}  // namespace
