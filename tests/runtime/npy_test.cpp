// Arrays on disk.
#include <catch2/catch.hpp>

#include "runtime/npy.h"

using namespace wavesmith::runtime;

namespace {

std::vector<uint8_t> npy(std::string header, std::vector<uint8_t> data, int major = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(major);
  out += '\0';
  out += static_cast<char>(header.size());
  out += std::string(major == 1 ? 1 : 3, '\0') + header;
  std::vector<uint8_t> bytes(out.begin(), out.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

Array load(const std::vector<uint8_t>& file) { return parse_npy(file, "x.npy"); }

}  // namespace

TEST_CASE("an array comes back from its file as it was, in every type and order", "[npy]") {
  for (const Dtype t : {Dtype::f2, Dtype::f4, Dtype::f8, Dtype::i1, Dtype::i2, Dtype::i4, Dtype::i8, Dtype::u1,
                        Dtype::u2, Dtype::u4, Dtype::u8})
    for (const bool fortran : {false, true})
      for (const auto& shape : {std::vector<uint64_t>{}, {7}, {3, 5}, {2, 0, 4}, {64, 8, 0, 2}, {1, 2, 3, 4}}) {
        Array a{.type = t, .shape = shape, .fortran = fortran, .bytes = {}};
        for (uint64_t i = 0; i < a.count() * static_cast<uint64_t>(size_of(t)); ++i)
          a.bytes.push_back(static_cast<uint8_t>(i * 37 + 1));
        const auto file = format_npy(a);
        INFO(a.describe());
        CHECK((file.size() - a.bytes.size()) % 64 == 0);
        const Array b = load(file);
        CHECK(b.type == a.type);
        CHECK(b.shape == a.shape);
        CHECK(b.fortran == a.fortran);
        CHECK(b.bytes == a.bytes);
      }
}

TEST_CASE("headers of all three format versions are read, keys in any order", "[npy]") {
  for (const int major : {1, 2, 3}) {
    const Array a = load(npy("{\"shape\": (2,), 'fortran_order':False, 'descr': '<u2'}\n", {1, 2, 3, 4}, major));
    CHECK(a.shape == std::vector<uint64_t>{2});
    CHECK(a.type == Dtype::u2);
  }
}

TEST_CASE("a bad .npy file is refused with its name, the reason and what is legal", "[npy]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(load({1, 2, 3}), Contains("x.npy") && Contains("not an .npy file"));
  CHECK_THROWS_WITH(load(npy("", {}, 9)), Contains("9.0") && Contains("1.0 to 3.0"));
  CHECK_THROWS_WITH(load(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", {0, 0, 0, 0})),
                    Contains("'>f4'") && Contains("little-endian"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", {})),
                    Contains("'<c8'") && Contains("f2 f4 f8"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", {0, 0, 0, 0})),
                    Contains("needs 12 bytes") && Contains("has 4"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", {})),
                    Contains("bytes of data"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<f4', 'shape': (3,), }", {})), Contains("fortran_order"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", {})), Contains("shape"));
  CHECK_THROWS_WITH(load(npy("{'descr': '<f4', 'fortran_order': False, 'sha", {})), Contains("x.npy"));
  auto cut = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", {});
  cut.resize(20);
  CHECK_THROWS_WITH(load(cut), Contains("truncated"));
}

TEST_CASE("every truncation of an .npy file is refused, none crashes", "[npy]") {
  const auto file =
      format_npy({.type = Dtype::f4, .shape = {2, 2}, .fortran = false, .bytes = std::vector<uint8_t>(16)});
  for (size_t n = 0; n < file.size(); ++n)
    CHECK_THROWS_AS(load({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)}), FileError);
}
