// Orders of tiles: a permutation, in bands and parts as their names say; the emitted instructions against the host's
// map and, for division, against C++.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "kernels/gemm/choose.h"
#include "kernels/parts/take_tile.h"
#include "tests/support/command.h"
#include "tests/support/dsl_kernel.h"

namespace wavesmith {
namespace {

const WorkOrder orders[] = {{}, {4, 1}, {1, 1}, {0, 8}, {8, 8}, {3, 6}, {5, 4}, {256, 32}};
const TileNumber grids[] = {{1, 1}, {7, 1}, {1, 9}, {8, 8}, {16, 5}, {13, 11}, {5, 64}};

std::vector<TileNumber> all_tiles(const WorkOrder& o, TileNumber tiles) {
  std::vector<TileNumber> all;
  for (uint32_t i = 0; i < tiles.m * tiles.n; ++i) all.push_back(tile_of(o, i, tiles));
  return all;
}

}  // namespace

TEST_CASE("every order takes every tile once, each XCD a contiguous part of it", "[order]") {
  for (const WorkOrder& o : orders)
    for (const TileNumber grid : grids) {
      INFO(name_of(o) << " of " << grid.m << "x" << grid.n);
      const auto all = all_tiles(o, grid);
      std::vector<int> taken(all.size());
      for (const TileNumber t : all) {
        REQUIRE((t.m < grid.m && t.n < grid.n));
        ++taken[t.n * grid.m + t.m];
      }
      CHECK(std::ranges::count(taken, 1) == static_cast<long>(taken.size()));
      // What the XCDs have, one after the other, is the order without them.
      std::vector<TileNumber> parts;
      for (int xcd = 0; xcd < o.xcds; ++xcd)
        for (size_t i = static_cast<size_t>(xcd); i < all.size(); i += static_cast<size_t>(o.xcds))
          parts.push_back(all[i]);
      CHECK(parts == all_tiles({o.band, 1}, grid));
    }
}

TEST_CASE("a band is finished before the next one, all its rows of a column before the next column", "[order]") {
  const auto all = all_tiles({4, 1}, {10, 3});  // bands of 4, 4 and 2 tiles
  size_t i = 0;
  for (const auto& [first, height] : {std::pair(0u, 4u), {4u, 4u}, {8u, 2u}})
    for (uint32_t n = 0; n < 3; ++n)
      for (uint32_t m = first; m < first + height; ++m) CHECK(all[i++] == TileNumber{m, n});
  CHECK(all_tiles({}, {3, 2})[4] == TileNumber{1, 1});
}

TEST_CASE("orders have one name each", "[order]") {
  for (const WorkOrder& o : orders) CHECK(find_order(name_of(o)) == o);
  for (const char* name : {"", "rows", "bands", "bands0", "bands257", "xcds1", "xcds33", "xcds8_", "xcds8bands4",
                           "_bands4", "bands4_xcds8", "bands+4", "bands-4", "bands04", "xcds8_bands4 "}) {
    INFO(name);
    CHECK_FALSE(find_order(name));
  }
}

TEST_CASE("a workgroup takes the tile of the host's map, on every target", "[order]") {
  size_t next = 0;
  dsltest::on_every_target([&](Arch arch) {
    for (const WorkOrder& o : orders) {
      if (o.plain()) continue;
      const TileNumber grid = grids[next++ % std::size(grids)];
      const TileGrid extents{{}, {}, next % 2 ? 48 : 64, next % 3 ? 256 : 80};
      const auto rows = (grid.m - 1) * static_cast<uint32_t>(extents.tile_rows) + 1 + static_cast<uint32_t>(next % 48),
                 columns = grid.n * static_cast<uint32_t>(extents.tile_cols);
      const auto lanes = static_cast<size_t>(isa::target(arch).wave_size);
      const auto got =
          dsltest::run_items({.arch = arch, .lanes = static_cast<int>(lanes), .grid = {grid.m, grid.n, 1}, .outs = 2},
                             std::vector<uint32_t>(lanes * grid.m * grid.n), [&](const dsltest::Item& item) {
                               Registers& r = item.kernel.r;
                               auto m = r.s.alloc(1, "rows"), n = r.s.alloc(1, "columns"),
                                    to_m = r.s.alloc(1, "tile of m"), to_n = r.s.alloc(1, "tile of n");
                               item.k.s_mov_b32(m, rows), item.k.s_mov_b32(n, columns);
                               take_tile(item.kernel, o, {m, n, extents.tile_rows, extents.tile_cols}, {to_m, to_n});
                               item.k.v_mov_b32(item.out[0], to_m), item.k.v_mov_b32(item.out[1], to_n);
                             });
      INFO(name_of(o) << " of " << grid.m << "x" << grid.n);
      for (uint32_t i = 0; i < grid.m * grid.n; ++i)
        CHECK(tile_of(o, i, grid) == TileNumber{got[2 * lanes * i], got[2 * lanes * i + 1]});
    }
  });
}

TEST_CASE("scalar division is exact", "[order]") {
  std::vector<uint32_t> numbers;
  const auto add = [&](uint32_t n, uint32_t d) { numbers.push_back(n), numbers.push_back(std::max(d, 1u)); };
  for (const uint32_t d : {1u, 2u, 3u, 5u, 7u, 48u, 255u, 65537u, 0x1234567u, 0x7fffffffu, 0x80000001u, 0xffffffffu})
    for (const uint32_t n : {0u, 1u, d - 1, d, d + 1, 2 * d - 1, 0x7fffffffu, 0xfffffffeu, 0xffffffffu, 0u - d})
      add(n, d);
  const auto random = dsltest::random_words(600);
  for (size_t i = 0; i + 3 < random.size(); i += 3) {
    const uint32_t d = random[i] >> random[i + 1] % 32, q = random[i + 2] / std::max(d, 1u);
    add(random[i + 2], d), add(q * std::max(d, 1u) - 1, d);
  }
  const uint32_t pairs = static_cast<uint32_t>(numbers.size() / 2);
  for (const Arch arch : {Arch::gfx908, Arch::gfx942, Arch::gfx1100, Arch::gfx1201, Arch::gfx1250}) {
    const auto lanes = static_cast<size_t>(isa::target(arch).wave_size);
    std::vector<uint32_t> input(2 * lanes * pairs);
    for (size_t i = 0; i < input.size(); ++i) input[i] = numbers[2 * (i / 2 / lanes) + i % 2];
    const auto got =
        dsltest::run_items({.arch = arch, .lanes = static_cast<int>(lanes), .grid = {pairs, 1, 1}, .ins = 2}, input,
                           [&](const dsltest::Item& item) {
                             Registers& r = item.kernel.r;
                             auto n = r.s.alloc(1, "n"), d = r.s.alloc(1, "d"), q = r.s.alloc(1, "q");
                             item.k.v_readfirstlane_b32(n, item.in[0]), item.k.v_readfirstlane_b32(d, item.in[1]);
                             divide(item.kernel, q, n, d);
                             item.k.v_mov_b32(item.out[0], q);
                           });
    INFO(isa::target(arch).name);
    for (size_t i = 0; i < pairs; ++i) {
      INFO(numbers[2 * i] << " / " << numbers[2 * i + 1]);
      CHECK(got[i * lanes] == numbers[2 * i] / numbers[2 * i + 1]);
    }
  }
}

TEST_CASE("scalar division by a constant is exact below 2^31", "[order]") {
  for (const int d : {1, 2, 3, 5, 6, 7, 11, 13, 32, 48, 80, 96, 112, 144, 160, 192, 224, 240, 4095}) {
    std::vector<uint32_t> numbers{0, 1, 0x7fffffffu, 0x7ffffffeu};
    for (const uint32_t q : {1u, 2u, 1000u, 0x7fffffffu / static_cast<uint32_t>(d)})
      for (const int near : {-1, 0, 1}) numbers.push_back(q * static_cast<uint32_t>(d) + static_cast<uint32_t>(near));
    for (const uint32_t n : dsltest::random_words(20)) numbers.push_back(n >> 1);
    std::erase_if(numbers, [](uint32_t n) { return n >> 31; });
    std::vector<uint32_t> input;
    for (const uint32_t n : numbers) input.insert(input.end(), 64, n);
    const auto got = dsltest::run_items({.arch = Arch::gfx942, .grid = {static_cast<uint32_t>(numbers.size()), 1, 1}},
                                        input, [&](const dsltest::Item& item) {
                                          auto n = item.kernel.r.s.alloc(1, "n");
                                          item.k.v_readfirstlane_b32(n, item.in[0]);
                                          divide(item.kernel, n, n, d);
                                          item.k.v_mov_b32(item.out[0], n);
                                        });
    for (size_t i = 0; i < numbers.size(); ++i) {
      INFO(numbers[i] << " / " << d);
      CHECK(got[64 * i] == numbers[i] / static_cast<uint32_t>(d));
    }
  }
}

TEST_CASE("a GEMM in any order verifies on every target, with tiles left over", "[gemm][order][cli]") {
  size_t next = 0;
  for (const auto& target : isa::all_targets()) {
    if (matrix_instructions({}, *isa::find_arch(target.name)).empty()) continue;
    const char* names[] = {"bands2", "xcds8_bands2", "xcds3", "xcds8", "xcds6_bands3"};
    const char* order = names[next++ % std::size(names)];
    const std::string command = fmt::format(
        "verify gemm --arch {} --transa t --tile 64x64x64 --work-order {} -m 300 -n 170 -k 70 --batch-count 2 --beta 1",
        target.name, order);
    const clitest::Ran r = clitest::run_program(command);
    INFO(command << "\n" << r.out << r.err);
    CHECK(r.status == 0);
  }
  CHECK(next >= 9);
  CHECK(clitest::run_program(
            "verify gemm --tile 32x32x64 --work-order xcds8_bands4 --d f32 --split-k 3 -m 129 -n 65 -k 500")
            .status == 0);
  clitest::refuses("gemm --work-order rows", {"--work-order", "'rows'", "legal: columns, bandsN (1 to 256)"});
  CHECK_THROWS_WITH(check({.order = {.band = -1}}, Arch::gfx942),
                    Catch::Contains("bands of -1 tiles; legal: 1 to 256"));
  CHECK_THROWS_WITH(check({.order = {.xcds = 0}}, Arch::gfx942), Catch::Contains("0 XCDs; legal: 1 to 32"));
}

TEST_CASE("the order is in the kernel's name and metadata, the grid is that of every order", "[gemm][order][cli]") {
  const auto meta = [](const std::string& options) {
    const clitest::Ran r = clitest::run_program("gemm --no-check --json --tile 128x128x64 " + options);
    INFO(r.err);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(r.out);
  };
  const auto plain = meta(""), banded = meta("--work-order xcds8_bands4");
  CHECK(plain["config"]["order"] == "columns");
  CHECK(banded["config"]["order"] == "xcds8_bands4");
  CHECK(banded["kernel"] == plain["kernel"].get<std::string>() + "_xcds8_bands4");
  CHECK(banded["grid"] == plain["grid"]);
  CHECK(banded["arguments"] == plain["arguments"]);
  const GemmConfig c{.block = {32, 32, 64}, .order = {4, 8}};
  CHECK_THROWS_WITH(
      launch(c, Arch::gfx942, {.m = 1u << 31, .n = 32, .k = 1, .lda = 1u << 31, .ldb = 1, .ldd = 1u << 31}, {}),
      Catch::Contains("legal"));
}

}  // namespace wavesmith
