#include "isa_tables/linear_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa_tables/isa.h"

namespace wavesmith::isa {

int rank(std::vector<uint64_t> vectors) {
  int found = 0;
  for (size_t i = 0; i < vectors.size(); ++i) {
    const uint64_t v = vectors[i];
    if (!v) continue;
    ++found;
    for (size_t j = i + 1; j < vectors.size(); ++j)
      if (vectors[j] >> std::countr_zero(v) & 1) vectors[j] ^= v;
  }
  return found;
}

int LinearLayout::width(const std::vector<Axis>& axes) {
  int n = 0;
  for (const Axis& a : axes) n += a.bits;
  return n;
}

std::pair<int, int> LinearLayout::place(const std::vector<Axis>& axes, std::string_view name) {
  int first = 0;
  for (const Axis& a : axes) {
    if (a.name == name) return {first, a.bits};
    first += a.bits;
  }
  std::string legal;
  for (const Axis& a : axes) legal += " " + a.name;
  throw IsaError(fmt::format("layout: no axis '{}', legal:{}", name, legal));
}

LinearLayout::LinearLayout(std::vector<Axis> inputs, std::vector<Axis> outputs)
    : in_(std::move(inputs)), out_(std::move(outputs)) {
  for (const auto* side : {&in_, &out_}) {
    for (size_t i = 0; i < side->size(); ++i) {
      const Axis& a = (*side)[i];
      if (a.bits < 0 || a.bits > 32)
        throw IsaError(fmt::format("layout: axis '{}' of {} bits, legal: 0 to 32", a.name, a.bits));
      for (size_t j = 0; j < i; ++j)
        if ((*side)[j].name == a.name) throw IsaError(fmt::format("layout: two axes '{}' on one side", a.name));
    }
    if (width(*side) > 64) throw IsaError(fmt::format("layout: {} bits on a side, legal: 0 to 64", width(*side)));
  }
  bases_.resize(static_cast<size_t>(input_bits()));
}

LinearLayout LinearLayout::identity(std::string_view input, std::string_view output, int bits) {
  LinearLayout l({{std::string(input), bits}}, {{std::string(output), bits}});
  for (int i = 0; i < bits; ++i) l.bases_[static_cast<size_t>(i)] = uint64_t{1} << i;
  return l;
}

LinearLayout& LinearLayout::move(std::string_view input, int bit, std::string_view output, uint32_t value) {
  const auto [from, from_bits] = place(in_, input);
  const auto [to, to_bits] = place(out_, output);
  if (bit < 0 || bit >= from_bits)
    throw IsaError(fmt::format("layout: '{}' has no bit {}, legal: 0 to {}", input, bit, from_bits - 1));
  if (static_cast<int>(std::bit_width(value)) > to_bits)
    throw IsaError(fmt::format("layout: '{}' cannot move by {}, it has {} bits", output, value, to_bits));
  bases_[static_cast<size_t>(from + bit)] ^= uint64_t{value} << to;
  return *this;
}

uint32_t LinearLayout::basis(std::string_view input, int bit, std::string_view output) const {
  const auto [from, from_bits] = place(in_, input);
  const auto [to, to_bits] = place(out_, output);
  if (bit < 0 || bit >= from_bits)
    throw IsaError(fmt::format("layout: '{}' has no bit {}, legal: 0 to {}", input, bit, from_bits - 1));
  return static_cast<uint32_t>(bases_[static_cast<size_t>(from + bit)] >> to & ((uint64_t{1} << to_bits) - 1));
}

uint64_t LinearLayout::packed(uint64_t input) const {
  uint64_t out = 0;
  for (size_t i = 0; i < bases_.size(); ++i)
    if (input >> i & 1) out ^= bases_[i];
  return out;
}

uint32_t LinearLayout::at(const Point& point, std::string_view output) const {
  uint64_t input = 0;
  for (const auto& [name, value] : point) {
    const auto [first, bits] = place(in_, name);
    if (static_cast<int>(std::bit_width(value)) > bits)
      throw IsaError(fmt::format("layout: {} is {}, legal: 0 to {}", name, value, (uint64_t{1} << bits) - 1));
    input |= uint64_t{value} << first;
  }
  const auto [first, bits] = place(out_, output);
  return static_cast<uint32_t>(packed(input) >> first & ((uint64_t{1} << bits) - 1));
}

bool LinearLayout::has(const std::vector<Axis>& axes, std::string_view name) {
  return std::ranges::find(axes, name, &Axis::name) != axes.end();
}

LinearLayout LinearLayout::then(const LinearLayout& next) const {
  std::vector<Axis> out = next.out_;
  std::vector<std::pair<int, const Axis*>>
      kept;  // outputs of this map that `next` does not consume, with their position
  int first = 0;
  for (const Axis& a : out_) {
    if (!has(next.in_, a.name)) kept.emplace_back(first, &a), out.push_back(a);
    first += a.bits;
  }
  LinearLayout l(in_, std::move(out));
  for (size_t i = 0; i < bases_.size(); ++i) {
    uint64_t input = 0;
    int to = 0;
    for (const Axis& a : next.in_) {
      const auto [from, bits] = has(out_, a.name) ? place(out_, a.name) : std::pair(0, 0);
      const uint64_t value = bases_[i] >> from & ((uint64_t{1} << bits) - 1);
      if (static_cast<int>(std::bit_width(value)) > a.bits)
        throw IsaError(fmt::format("layout: '{}' has {} bits where the next layout takes {}", a.name, bits, a.bits));
      input |= value << to;
      to += a.bits;
    }
    l.bases_[i] = next.packed(input);
    int at = next.output_bits();
    for (const auto& [from, axis] : kept) {
      l.bases_[i] |= (bases_[i] >> from & ((uint64_t{1} << axis->bits) - 1)) << at;
      at += axis->bits;
    }
  }
  return l;
}

LinearLayout LinearLayout::operator*(const LinearLayout& high) const {
  const auto joined = [](std::vector<Axis> low, const std::vector<Axis>& more) {
    for (const Axis& a : more) {
      const auto same = std::ranges::find(low, a.name, &Axis::name);
      if (same == low.end()) low.push_back(a);
      else same->bits += a.bits;
    }
    return low;
  };
  LinearLayout l(joined(in_, high.in_), joined(out_, high.out_));
  const auto bits_of = [](const std::vector<Axis>& axes, const std::string& name) {
    const auto same = std::ranges::find(axes, name, &Axis::name);
    return same == axes.end() ? 0 : same->bits;
  };
  const auto add = [&](const LinearLayout& part, bool above) {
    for (const Axis& a : part.in_)
      for (int i = 0; i < a.bits; ++i)
        for (const Axis& o : part.out_)
          l.move(a.name, i + (above ? bits_of(in_, a.name) : 0), o.name,
                 part.basis(a.name, i, o.name) << (above ? bits_of(out_, o.name) : 0));
  };
  add(*this, false), add(high, true);
  return l;
}

LinearLayout LinearLayout::with_outputs(std::vector<Axis> axes) const {
  LinearLayout l(in_, std::move(axes));
  if (l.output_bits() != output_bits())
    throw IsaError(fmt::format("layout: other outputs of {} bits, legal: {}", l.output_bits(), output_bits()));
  l.bases_ = bases_;
  return l;
}

int LinearLayout::rank() const { return isa::rank(bases_); }

LinearLayout LinearLayout::inverse() const {
  if (!injective() || !surjective())
    throw IsaError(fmt::format("layout: no inverse, {} input bits and {} output bits have rank {}", input_bits(),
                               output_bits(), rank()));
  std::vector<uint64_t> image = bases_, origin(bases_.size());
  for (size_t i = 0; i < origin.size(); ++i) origin[i] = uint64_t{1} << i;
  LinearLayout l(out_, in_);
  for (size_t bit = 0; bit < image.size(); ++bit) {  // Gauss-Jordan: image[bit] becomes the unit vector of `bit`
    size_t pivot = bit;
    while (!(image[pivot] >> bit & 1)) ++pivot;
    std::swap(image[bit], image[pivot]), std::swap(origin[bit], origin[pivot]);
    for (size_t i = 0; i < image.size(); ++i)
      if (i != bit && image[i] >> bit & 1) image[i] ^= image[bit], origin[i] ^= origin[bit];
  }
  l.bases_ = std::move(origin);
  return l;
}

std::string to_string(const LinearLayout& l) {
  std::string out;
  for (const auto& a : l.inputs()) {
    out += a.name + ":";
    for (int i = 0; i < a.bits; ++i) {
      std::string parts;
      for (const auto& o : l.outputs())
        if (const uint32_t v = l.basis(a.name, i, o.name))
          parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", o.name, v);
      out += fmt::format(" [{}]", parts.empty() ? "0" : parts);
    }
    out += "\n";
  }
  return out;
}

}  // namespace wavesmith::isa
