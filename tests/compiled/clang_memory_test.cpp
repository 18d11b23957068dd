// Kernels that clang compiled, on every target: atomics, private memory, function calls, and what the launch gives a
// kernel: ids, hidden arguments, dynamic LDS, arguments of every size.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

#include "tests/compiled/clang_run.h"

namespace clangtest {

namespace {

void atomics(Trial& t) {
  {
    Call c(t, "histogram");
    const auto in = any_bits<uint8_t>(items * 5);
    std::vector<uint32_t> want(256);
    for (const uint8_t x : in) ++want[x];
    c.buffer(in);
    const auto bins = c.out<uint32_t>(256);
    c.value(static_cast<int>(in.size()));
    c.launch(groups, block);
    c.expect(bins, want);
  }
  {
    Call c(t, "integer_atomics");
    const auto words = c.buffer<int>({0, -5, 5, 0, 0, -1, 0});
    const auto wide = c.buffer<int64_t>({0, -1});
    const auto seen = c.out<uint32_t>(items);
    c.value(items);
    c.launch(groups, block);
    std::vector<int> want{items, 0, 0, 0, 0, -1, 0};
    std::vector<int64_t> want_wide(2);
    std::vector<uint32_t> everyone;
    for (int i = 0; i < items; ++i) {
      want[1] = std::max(want[1], i * 7 % 1009), want[2] = std::min(want[2], i * 7 % 1009 - 500);
      want[3] ^= static_cast<int>(static_cast<uint32_t>(i) * 0x9e3779b9u), want[4] |= 1 << i % 23,
          want[5] &= ~(1 << i % 11), want[6] -= i;
      want_wide[0] += int64_t{i} << 30, want_wide[1] = std::max(want_wide[1], int64_t{i * 7 % 1009} << 33);
      everyone.push_back(static_cast<uint32_t>(i + 1));
    }
    c.expect(words, want), c.expect(wide, want_wide);
    auto places = c.read(seen);
    std::sort(places.begin(), places.end());
    if (c.ran() && places != everyone) c.fail("two items got the same old value");
  }
  {
    Call c(t, "exchange_atomics");
    const auto product = c.buffer<uint32_t>({1});
    const auto sum = c.out<float>(1);
    const auto wide = c.out<double>(1);
    c.value(items);
    c.launch(groups, block);
    uint32_t want = 1;
    for (uint32_t i = 0; i < items; ++i) want *= 2 * i + 1;
    c.expect(product, {want}), c.expect(sum, {items * (items - 1) / 2.f}), c.expect(wide, {items * (items - 1) / 2.});
  }
  Call c(t, "lds_atomics");
  const auto out = c.out<int>(16);
  const auto sums = c.out<float>(4);
  c.value(items);
  c.launch(groups, block);
  std::vector<int> want;
  std::vector<float> want_sums;
  for (int g = 0; g < 4; ++g) {
    int count = 0, most = -1;
    uint32_t chain = 0;
    float sum = 0;
    for (int l = 0; l < 96 && g * 96 + l < items; ++l)
      ++count, most = std::max(most, l ^ 5), chain = chain * 3 + 1, sum += static_cast<float>(l);
    want.insert(want.end(), {count, most, 77, static_cast<int>(chain)}), want_sums.push_back(sum);
  }
  c.expect(out, want), c.expect(sums, want_sums);
}

void private_memory(Trial& t) {
  {
    Call c(t, "reverse_digits");
    const auto in = any_bits<uint32_t>(items);
    std::vector<uint32_t> want;
    for (uint32_t n : in) {
      uint32_t reversed = 0;
      for (const uint32_t base = 2 + n % 9; n; n /= base) reversed = reversed * base + n % base;
      want.push_back(reversed);
    }
    c.buffer(in);
    const auto out = c.out<uint32_t>(items);
    c.value(items);
    c.launch(groups, block);
    c.expect(out, want);
  }
  {
    Call c(t, "sort16");
    auto values = any_bits<int16_t>(16 * items);
    c.buffer(values);
    const auto out = c.out<int16_t>(values.size());
    c.value(items);
    c.launch(groups, block);
    for (size_t i = 0; i < values.size(); i += 16)
      std::sort(values.begin() + static_cast<long>(i), values.begin() + static_cast<long>(i) + 16);
    c.expect(out, values);
  }
  {
    Call c(t, "crowd");
    const auto in = whole_floats(items, 50);
    std::vector<float> want;
    for (size_t i = 0; i < items; ++i) {
      float v[48], r = 0;
      for (size_t k = 0; k < 48; ++k) v[k] = in[(i + k * 5) % items];
      for (size_t k = 0; k < 48; ++k) r = r * 0.5f + v[47 - k];
      for (size_t k = 0; k < 48; ++k) r += v[k] * v[47 - k];
      want.push_back(r);
    }
    c.buffer(in);
    const auto out = c.out<float>(items);
    c.value(items);
    c.launch(groups, block);
    c.expect(out, want);
  }
  Call c(t, "flat_pointers");
  const auto in = any_bits<int>(items, 3);
  std::vector<int> want;
  for (int i = 0; i < items; ++i)
    want.push_back(i % 3 == 0 ? i % 96 + (i & 3) : i % 3 == 1 ? (i & 63) * 3 : in[static_cast<size_t>(i)]);
  c.buffer(in);
  const auto out = c.out<int>(items);
  c.value(items);
  c.launch(groups, block);
  c.expect(out, want);
}

void launch(Trial& t) {
  {
    Call c(t, "geometry");
    std::vector<uint32_t> want;
    for (uint32_t g = 0; g < 3 * 2 * 4; ++g)
      for (uint32_t i = 0; i < 20 * 5 * 2; ++i)
        want.push_back(i % 20 | i / 20 % 5 << 8 | i / 100 << 16 | (g % 3 ^ g / 3 % 2 << 2 ^ g / 6 << 4) << 24);
    const auto out = c.out<uint32_t>(want.size());
    c.launch({3, 2, 4}, {20, 5, 2});
    c.expect(out, want);
  }
  {
    Call c(t, "hidden");
    const auto out = c.out<uint32_t>(13);
    c.value('x');
    c.launch({3, 2, 4}, {20, 5, 2});
    c.expect(out, {3, 2, 4, 20, 5, 2, 0, 0, 0, 0, 0, 0, 3});
  }
  {
    Call c(t, "dynamic_lds");
    const auto in = any_bits<int>(4 * 96);
    std::vector<int> want;
    for (size_t i = 0; i < in.size(); ++i)
      want.push_back(static_cast<int>(static_cast<uint32_t>(in[i / 96 * 96 + 95 - i % 96]) + 1000));
    c.buffer(in);
    const auto out = c.out<int>(in.size());
    c.value(uint32_t{16});  // where the dynamic part begins: after the static 4 bytes, aligned
    c.value(1000);
    c.launch(groups, block, 12 + 96 * 4);
    c.expect(out, want);
  }
  {
    Call c(t, "look_up");
    const auto in = any_bits<uint8_t>(items);
    std::vector<int> want;
    for (const uint8_t x : in) want.push_back(static_cast<int>(std::pow(3, x % 10)));
    c.buffer(in);
    const auto out = c.out<int>(items);
    c.value(items);
    c.launch(groups, block);
    c.expect(out, want);
  }
  {
    Call c(t, "look_up_far");
    const auto in = any_bits<uint8_t>(items);
    std::vector<int> want;
    for (const uint8_t x : in)
      want.push_back(x & 1 ? (x >> 1 & 3) * (x >> 1 & 3) : static_cast<int>(std::pow(3, x >> 1 & 3)));
    c.buffer(in);
    const auto out = c.out<int>(items);
    c.value(items);
    c.launch(groups, block);
    c.expect(out, want);
  }
  Call c(t, "arguments");
  c.value(int8_t{-5}), c.value(int64_t{1} << 40), c.value(int16_t{-300}), c.value(std::array<float, 4>{1, 2, 3, 4});
  c.value(uint8_t{200}), c.value(0.125), c.value(std::array<int, 4>{7, 8, 9, 0});
  const auto out = c.out<double>(7);
  c.launch({2, 1, 1}, {64, 1, 1});
  c.expect(out, {-5, 0x1p40, -300, 41, 200, 0.125, 987});
}

void calls(Trial& t) {
  const auto in = whole<int>(items, -20000, 20000);
  {
    Call c(t, "calls");
    std::vector<int> want;
    for (int i = 0; i < items; ++i) {
      const int x = in[static_cast<size_t>(i)];
      const auto square = [](int y) { return y * y + 1; };
      want.push_back(static_cast<int>(static_cast<uint32_t>(square(x)) + static_cast<uint32_t>(square(i)) * 3));
      want.push_back(static_cast<int>(std::to_string(std::abs(x)).size()));
      want.push_back(4 * x + 6 * i - 2);
      want.push_back(x * (i % 6));
    }
    c.buffer(in);
    const auto out = c.out<int>(want.size());
    c.value(items);
    c.launch(groups, block);
    c.expect(out, want);
  }
  Call c(t, "indirect");
  std::vector<int> want;
  for (int i = 0; i < items; ++i) {
    const int x = in[static_cast<size_t>(i)];
    want.push_back(i % 3 == 0 ? -x : i % 3 == 1 ? x + 3 : x * x + 1);
  }
  c.buffer(in);
  const auto out = c.out<int>(items);
  c.value(items);
  c.launch(groups, block);
  c.expect(out, want);
}

template <class T>
void put(std::vector<uint8_t>& bytes, T x) {
  bytes.resize(bytes.size() + sizeof x);
  std::memcpy(bytes.data() + bytes.size() - sizeof x, &x, sizeof x);
}
template <class T>
T get(const uint8_t* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

// Records without padding: wide accesses of LDS and private memory start at any byte.
void unaligned(Trial& t) {
  constexpr Triple three{3, 1, 1}, sixty_four{64, 1, 1};
  constexpr size_t n = 192;
  {
    Call c(t, "unaligned_lds_loads");
    const auto in = any_bits<uint8_t>(1000);
    std::vector<int> from;
    std::vector<uint32_t> want;
    for (size_t i = 0; i < n; ++i) {
      from.push_back(static_cast<int>(i * 37 % (in.size() - 41)));
      const uint8_t* p = in.data() + from.back();
      for (const int at : {0, 4, 8, 12, 17, 21, 26, 34}) want.push_back(get<uint32_t>(p + at));
      want.push_back(get<uint16_t>(p + 39));
    }
    c.buffer(in), c.buffer(from);
    const auto out = c.out<uint32_t>(9 * n);
    c.value(static_cast<int>(in.size()));
    c.launch(three, sixty_four);
    c.expect(out, want);
  }
  {
    Call c(t, "unaligned_lds_stores");
    const auto in = any_bits<uint32_t>(11 * n);
    std::vector<uint8_t> want;
    for (size_t i = 0; i < n; ++i) {
      put(want, static_cast<uint8_t>(i % 64));
      for (size_t k = 0; k < 11; ++k)
        k == 7 ? put(want, static_cast<uint16_t>(in[11 * i + k])) : put(want, in[11 * i + k]);
    }
    c.buffer(in);
    const auto out = c.out<uint8_t>(want.size());
    c.launch(three, sixty_four);
    c.expect(out, want);
  }
  const auto in = any_bits<int32_t>(n);
  const auto wraps = [](auto x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); };
  {
    Call c(t, "unaligned_private");
    struct Small {
      int8_t tag;
      int32_t word;
      int64_t wide;
      int16_t low;
    };
    constexpr int turns = 9;
    std::vector<int32_t> want;
    for (size_t i = 0; i < n; ++i) {
      Small p[5];
      for (size_t k = 0; k < 5; ++k) {
        const int32_t x = in[(i + k) % n], y = in[(i + 2 * k) % n], z = in[(i + 3 * k) % n];
        p[k] = {static_cast<int8_t>(x), wraps(uint32_t(y) * 3), static_cast<int64_t>(z) * 1000003,
                static_cast<int16_t>(static_cast<uint32_t>(x) + k)};
      }
      const auto sum = [](const Small& s) {
        return uint32_t(int32_t{s.tag}) + uint32_t(s.word) + uint32_t(s.wide >> 7) + uint32_t(int32_t{s.low});
      };
      uint32_t r = 0;
      for (size_t k = 0; k < turns; ++k) {
        Small& s = p[(in[(i + k) % n] & 0x7fffffff) % 5];
        r += sum(s);
        s.word = wraps(uint32_t(s.word) + r),
        s.wide ^= static_cast<int64_t>(static_cast<uint64_t>(static_cast<int64_t>(wraps(r))) << 11);
      }
      want.push_back(wraps(r + sum(p[0]) + sum(p[4])));
    }
    c.buffer(in);
    const auto out = c.out<int32_t>(n);
    c.value(static_cast<int>(n)), c.value(turns);
    c.launch(three, sixty_four);
    c.expect(out, want);
  }
  Call c(t, "unaligned_flat");
  std::vector<int32_t> want;
  for (size_t i = 0; i < n; ++i) {
    uint8_t shared[5], mine[16];
    for (size_t k = 0; k < 5; ++k) shared[k] = static_cast<uint8_t>(in[(i + k) % n]);
    for (size_t k = 0; k < 16; ++k) mine[k] = static_cast<uint8_t>(in[(i + k) % n] >> 8);
    uint8_t* where = in[i] & 1 ? shared + 1 : mine + (in[i] >> 1 & 7) + 1;
    const auto before = get<uint32_t>(where), after = before * 3 + static_cast<uint32_t>(i);
    std::memcpy(where, &after, 4);
    want.push_back(wraps(before ^ where[2] * 1009u));
  }
  c.buffer(in);
  const auto out = c.out<int32_t>(n);
  c.value(static_cast<int>(n));
  c.launch(three, sixty_four);
  c.expect(out, want);
}

}  // namespace

CLANG_TEST(
    "compiled accesses of packed records, at any byte of LDS and of private memory, move those bytes on every target",
    "unaligned", unaligned)
CLANG_TEST("compiled atomics on memory and LDS lose nothing on every target", "atomics", atomics)
CLANG_TEST("compiled private arrays, spills and flat pointers hold their values on every target", "private",
           private_memory)
CLANG_TEST("compiled kernels find ids, hidden arguments, dynamic LDS and arguments where the ABI puts them", "launch",
           launch)
CLANG_TEST("compiled function calls, recursion and function pointers come back on every target", "calls", calls)

}  // namespace clangtest
