#include "simulator/timing/dispatch.h"

#include <algorithm>
#include <queue>

namespace wavesmith::timing {
namespace {

struct Resident {
  size_t number;  // of the die's workgroups
  double left;    // clocks on a full CU
};
struct Cu {
  std::vector<Resident> residents;
  double now = 0;
};
struct Place {  // of a workgroup
  size_t unit;
  double begun, stayed;
};

class Die {
 public:
  Die(u64 die, u64 workgroups, const DispatchShape& s, const std::function<double(u64)>& clocks)
      : die_(die), workgroups_(workgroups), shape_(s), clocks_(clocks), units_(s.units) {
    places_.reserve((workgroups + s.dies - 1) / s.dies);
    for (Cu& u : units_) u.residents.reserve(s.slots);
  }

  Dispatched run() {
    for (u64 slot = 0; slot < shape_.slots; ++slot)
      for (Cu& u : units_) take(u);
    for (size_t i = 0; i < units_.size(); ++i)
      if (!units_[i].residents.empty()) ends_.push({first_end(units_[i]), i});
    double last_end = 0;
    size_t last = units_.size();  // the unit that ends last
    while (!ends_.empty()) {
      const auto [end, i] = ends_.top();
      ends_.pop();
      Cu& u = units_[i];
      advance(u, end);
      if (u.residents.empty()) {
        if (end > last_end) last_end = end, last = i;
      } else ends_.push({first_end(u), i});
    }
    Dispatched d{.end = last_end, .workgroups = {}, .clocks = {}};
    for (size_t n = 0; n < places_.size(); ++n)
      if (places_[n].unit == last) d.workgroups.push_back(workgroup(n)), d.clocks.push_back(places_[n].stayed);
    return d;
  }

 private:
  double speed(const Cu& u) const {
    const size_t n = u.residents.size();
    return shape_.speed.empty() ? static_cast<double>(shape_.slots) / static_cast<double>(n) : shape_.speed[n - 1];
  }
  u64 workgroup(size_t number) const { return die_ + number * shape_.dies; }
  bool take(Cu& u) {
    const size_t number = places_.size();
    if (workgroup(number) >= workgroups_) return false;
    u.residents.push_back({number, clocks_(workgroup(number))});
    places_.push_back({static_cast<size_t>(&u - units_.data()), u.now, 0});
    return true;
  }
  double first_end(const Cu& u) const {
    return u.now + std::ranges::min(u.residents, {}, &Resident::left).left / speed(u);
  }
  // To the end of the workgroup that ends first, whose slot is filled again.
  void advance(Cu& u, double end) {
    const double done = (end - u.now) * speed(u);
    for (Resident& r : u.residents) r.left -= done;
    u.now = end;
    const auto first = std::ranges::min_element(u.residents, {}, &Resident::left);
    const double gone = first->left + 1e-6;
    const size_t before = u.residents.size();
    for (const Resident& r : u.residents)
      if (r.left <= gone) places_[r.number].stayed = end - places_[r.number].begun;
    std::erase_if(u.residents, [&](const Resident& r) { return r.left <= gone; });
    for (size_t n = before - u.residents.size(); n && take(u); --n) {}
  }

  const u64 die_, workgroups_;
  const DispatchShape& shape_;
  const std::function<double(u64)>& clocks_;
  std::vector<Cu> units_;
  std::vector<Place> places_;  // by workgroup of the die
  std::priority_queue<std::pair<double, size_t>, std::vector<std::pair<double, size_t>>, std::greater<>> ends_;
};

}  // namespace

Dispatched dispatch(u64 workgroups, const DispatchShape& s, const std::function<double(u64)>& clocks) {
  Dispatched last;
  for (u64 die = 0; die < s.dies; ++die) {
    Dispatched d = Die(die, workgroups, s, clocks).run();
    if (d.end > last.end) last = std::move(d);
  }
  return last;
}

std::vector<double> find_pace(size_t kinds, u64 slots, const std::vector<double>& speed,
                              const std::vector<Stay>& stays) {
  const auto sums = [&](const auto& clocks_of) {
    std::vector<double> sum(kinds, 0);
    for (size_t i = 0; i < stays.size(); ++i) sum[stays[i].kind] += clocks_of(i);
    return sum;
  };
  const auto clocks = sums([&](size_t i) { return stays[i].clocks; }),
             instructions = sums([&](size_t i) { return stays[i].instructions; });
  std::vector<size_t> nearest(kinds);
  for (size_t k = 0; k < kinds; ++k) {
    const auto away = [&](size_t other) { return std::max(k, other) - std::min(k, other); };
    nearest[k] = stays[0].kind;
    for (const Stay& s : stays)
      if (away(s.kind) < away(nearest[k])) nearest[k] = s.kind;
  }
  std::vector<double> pace(kinds, 0);
  for (size_t k = 0; k < kinds; ++k) pace[k] = clocks[nearest[k]] / std::max(1.0, instructions[nearest[k]]);
  constexpr int steps = 8;  // towards a fixed point; the first two or three do most of it
  for (int step = 0; slots > 1 && step < steps; ++step) {
    const Dispatched d = dispatch(stays.size(), {.slots = slots, .speed = speed},
                                  [&](u64 i) { return pace[stays[i].kind] * stays[i].instructions; });
    const auto modelled = sums([&](size_t i) { return d.clocks[i]; });
    for (size_t k = 0; k < kinds; ++k) pace[k] *= clocks[nearest[k]] / std::max(1.0, modelled[nearest[k]]);
  }
  return pace;
}

}  // namespace wavesmith::timing
