#include "simulator/timing/dispatch.h"

#include <algorithm>
#include <queue>

namespace wavesmith::timing {
namespace {

struct Resident {
  size_t number;  // in the order in which the CU got them
  double left;    // clocks on a full CU
};
struct Cu {
  std::vector<Resident> residents;
  std::vector<u64> got;
  std::vector<double> begun, stayed;
  double now = 0;
};

class Die {
 public:
  Die(u64 die, u64 workgroups, const DispatchShape& s, const std::function<double(u64)>& clocks)
      : next_(die), workgroups_(workgroups), shape_(s), clocks_(clocks), units_(s.units) {}

  Dispatched run() {
    for (u64 slot = 0; slot < shape_.slots; ++slot)
      for (Cu& u : units_) take(u);
    for (size_t i = 0; i < units_.size(); ++i)
      if (!units_[i].residents.empty()) ends_.push({first_end(units_[i]), i});
    Dispatched d;
    while (!ends_.empty()) {
      const auto [end, i] = ends_.top();
      ends_.pop();
      Cu& u = units_[i];
      advance(u, end);
      if (u.residents.empty()) {
        if (end > d.end) d = {end, u.got, u.stayed};
      } else ends_.push({first_end(u), i});
    }
    return d;
  }

 private:
  double speed(const Cu& u) const {
    const size_t n = u.residents.size();
    return shape_.speed.empty() ? static_cast<double>(shape_.slots) / static_cast<double>(n) : shape_.speed[n - 1];
  }
  bool take(Cu& u) {
    if (next_ >= workgroups_) return false;
    u.residents.push_back({u.got.size(), clocks_(next_)}), u.got.push_back(next_);
    u.begun.push_back(u.now), u.stayed.push_back(0);
    next_ += shape_.dies;
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
      if (r.left <= gone) u.stayed[r.number] = end - u.begun[r.number];
    std::erase_if(u.residents, [&](const Resident& r) { return r.left <= gone; });
    for (size_t n = before - u.residents.size(); n && take(u); --n) {}
  }

  u64 next_;
  const u64 workgroups_;
  const DispatchShape& shape_;
  const std::function<double(u64)>& clocks_;
  std::vector<Cu> units_;
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
