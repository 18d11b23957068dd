// Inputs of launches: drawn one by one, or repeating for launches that are only timed.
#include <catch2/catch.hpp>

#include "isa_tables/names.h"
#include "tools/options/matrices.h"

using namespace wavesmith;
using tools::HostMatrix;

TEST_CASE("inputs of a launch that is only timed are the usual ones, again and again", "[cli][time]") {
  constexpr uint32_t period = 8 * 131071;
  for (const isa::Type type : {isa::Type::f64, isa::Type::bf16, isa::Type::fp8, isa::Type::fp6, isa::Type::i4}) {
    CAPTURE(isa::type_name(type));
    const HostMatrix whole{.name = "A", .type = type, .rows = 1024, .cols = 1500, .ld = 1024, .stride = 1024 * 1500};
    HostMatrix usual = whole, repeating = whole;
    fill(usual, tools::Init::rand, 7);
    fill_repeating(repeating, tools::Init::rand, 7);
    REQUIRE(repeating.bytes.size() == usual.bytes.size());
    for (const uint64_t e : {uint64_t{0}, uint64_t{1}, uint64_t{1024}, uint64_t{period - 1}}) {
      CHECK(repeating.get(e) == usual.get(e));
      if (e + period < whole.elements()) CHECK(repeating.get(e + period) == usual.get(e));
    }
  }
  HostMatrix padded{.name = "A", .type = isa::Type::f16, .rows = 3, .cols = 5, .ld = 7, .batch = 2, .stride = 40};
  fill_repeating(padded, tools::Init::ints, 1);
  CHECK(padded.bytes.size() == padded.size_bytes());
  HostMatrix none{.name = "A", .type = isa::Type::f16};
  fill_repeating(none, tools::Init::rand, 1);
  CHECK(none.bytes.empty());
}
