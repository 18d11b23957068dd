#include "choice/tunables.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa_tables/names.h"

namespace wavesmith::choice {
namespace {

// Numbers with x between them.
template <size_t n>
bool read_numbers(const std::string& word, const std::array<int*, n>& to) {
  const char *at = word.data(), *end = at + word.size();
  for (size_t i = 0; i < n; ++i) {
    if (i && (at == end || *at++ != 'x')) return false;
    const auto [next, error] = std::from_chars(at, end, *to[i]);
    if (error != std::errc{}) return false;
    at = next;
  }
  return at == end;
}
template <class T>
bool read_name(std::span<const T> all, T& to, const std::string& word) {
  const auto known = std::ranges::find(all, word, [](T x) { return std::string(name_of(x)); });
  if (known != all.end()) to = *known;
  return known != all.end();
}

constexpr Tunable all[] = {
    {"tile", [](const GemmRequest& r) { return r.block.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}x{}x{}", c.block.m, c.block.n, c.block.k); },
     [](GemmConfig& c, const std::string& word, Arch) {
       return read_numbers<3>(word, {&c.block.m, &c.block.n, &c.block.k});
     },
     [](GemmRequest& r, const GemmConfig& c) { r.block = c.block; }},
    {"waves", [](const GemmRequest& r) { return r.waves.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}x{}", c.waves_m, c.waves_n); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<2>(word, {&c.waves_m, &c.waves_n}); },
     [](GemmRequest& r, const GemmConfig& c) { r.waves = {c.waves_m, c.waves_n}; }},
    {"instruction", [](const GemmRequest& r) { return r.mma.has_value(); },
     [](const GemmConfig& c, Arch arch) { return std::string(c.mma ? isa::mnemonic(*c.mma, arch) : "-"); },
     [](GemmConfig& c, const std::string& word, Arch arch) {
       c.mma.reset();
       return word == "-" || (c.mma = isa::find_opcode(word, arch));
     },
     [](GemmRequest& r, const GemmConfig& c) { r.mma = c.mma; }},
    {"stages", [](const GemmRequest& r) { return r.stages.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}", c.stages); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<1>(word, {&c.stages}); },
     [](GemmRequest& r, const GemmConfig& c) { r.stages = c.stages; }},
    {"schedule", [](const GemmRequest& r) { return r.schedule.has_value(); },
     [](const GemmConfig& c, Arch) { return std::string(name_of(c.schedule)); },
     [](GemmConfig& c, const std::string& word, Arch) {
       return read_name<GemmSchedule>(all_schedules, c.schedule, word);
     },
     [](GemmRequest& r, const GemmConfig& c) { r.schedule = c.schedule; }},
    {"prefetch", [](const GemmRequest& r) { return r.prefetch.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}", c.prefetch); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<1>(word, {&c.prefetch}); },
     [](GemmRequest& r, const GemmConfig& c) { r.prefetch = c.prefetch; }},
    {"cluster", [](const GemmRequest& r) { return r.cluster.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}x{}", c.cluster.m, c.cluster.n); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<2>(word, {&c.cluster.m, &c.cluster.n}); },
     [](GemmRequest& r, const GemmConfig& c) { r.cluster = c.cluster; }},
    {"split-k", [](const GemmRequest& r) { return r.split_k.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}", c.split_k); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<1>(word, {&c.split_k}); },
     [](GemmRequest& r, const GemmConfig& c) { r.split_k = c.split_k; }},
    {"reduction", [](const GemmRequest& r) { return r.reduction.has_value(); },
     [](const GemmConfig& c, Arch) { return std::string(name_of(c.reduction)); },
     [](GemmConfig& c, const std::string& word, Arch) {
       return read_name<Reduction>(all_reductions, c.reduction, word);
     },
     [](GemmRequest& r, const GemmConfig& c) { r.reduction = c.reduction; }},
    {"stream-k", [](const GemmRequest& r) { return r.stream_k.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}", c.stream_k); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<1>(word, {&c.stream_k}); },
     [](GemmRequest& r, const GemmConfig& c) { r.stream_k = c.stream_k; }},
    {"persistent", [](const GemmRequest& r) { return r.persistent.has_value(); },
     [](const GemmConfig& c, Arch) { return fmt::format("{}", c.persistent); },
     [](GemmConfig& c, const std::string& word, Arch) { return read_numbers<1>(word, {&c.persistent}); },
     [](GemmRequest& r, const GemmConfig& c) { r.persistent = c.persistent; }},
    {"order", [](const GemmRequest& r) { return r.order.has_value(); },
     [](const GemmConfig& c, Arch) { return name_of(c.order); },
     [](GemmConfig& c, const std::string& word, Arch) {
       const auto o = find_order(word);
       if (o) c.order = *o;
       return o.has_value();
     },
     [](GemmRequest& r, const GemmConfig& c) { r.order = c.order; }},
};

}  // namespace

std::span<const Tunable> tunables() { return all; }

}  // namespace wavesmith::choice
