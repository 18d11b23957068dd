// ROCm/aiter's measured launches against the model: how far each time is off, and whether of all kernels that aiter has
// for a problem the model has the measured winner among its three fastest.
//
// The times come from aiter's tuner (aiter/test_common.py, run_perftest): after 10 warm-up calls, 101 calls in a row
// with as many copies of all arguments as fit into the device, so that nothing of a call's data is in a cache unless
// all copies fit; the mean of the profiler's times of the kernels on the device, without outliers. These contain what a
// launch costs by itself: the smallest launches of the table take 3.4 us. Where the output is cleared before, that
// kernel's time is part of the sum: another launch, and its bytes at memory's peak.
#include "tests/validation/aiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "isa_tables/timing/timing.h"

namespace wavesmith::validation {
namespace {

namespace fs = std::filesystem;

constexpr double copies = 101;

// -- Tables --

constexpr std::pair<double, const char*> sizes[] = {
    {20, "below 20 us"}, {100, "20 to 100 us"}, {1e30, "100 us and more"}};
size_t size_of(const Measured& w) { return w.us < sizes[0].first ? 0 : w.us < sizes[1].first ? 1 : 2; }

double quantile(std::vector<double> v, double q) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, static_cast<size_t>(q * static_cast<double>(v.size())))];
}

void print_line(const std::string& title, const std::vector<double>& ratios) {
  if (ratios.empty()) return;
  std::vector<double> errors;
  for (const double x : ratios) errors.push_back(std::abs(x - 1));
  const auto within = [&](double d) {
    return 100.0 * static_cast<double>(std::ranges::count_if(errors, [&](double e) { return e <= d; })) /
           static_cast<double>(errors.size());
  };
  fmt::print("{:<46} {:>5} {:>7.2f} {:>7.0f} % {:>7.0f} % {:>7.0f} % {:>7.0f} %\n", title, ratios.size(),
             quantile(ratios, 0.5), 100 * quantile(errors, 0.5), 100 * quantile(errors, 0.9), within(0.10),
             within(0.25));
}

struct Ratio {
  const Measured* row;
  double value;
};
void print_tables(const std::vector<Ratio>& ratios) {
  fmt::print("\n{:<46} {:>5} {:>7} {:>9} {:>9} {:>9} {:>9}\n", "aiter: predicted / measured", "rows", "median", "error",
             "90th", "10 %", "25 %");
  const auto where = [&](auto&& of) {
    std::vector<double> v;
    for (const Ratio& r : ratios)
      if (of(*r.row)) v.push_back(r.value);
    return v;
  };
  std::map<std::pair<std::string, std::string>, int> groups;
  for (const Ratio& r : ratios) ++groups[{r.row->family(), r.row->gpu->name}];
  for (const auto& [group, count] : groups)
    for (size_t s = 0; s < std::size(sizes); ++s)
      print_line(fmt::format("{} {}, {}", group.first, group.second, sizes[s].second), where([&](const Measured& w) {
                   return w.family() == group.first && w.gpu->name == group.second && size_of(w) == s;
                 }));
  for (size_t s = 0; s < std::size(sizes); ++s)
    print_line(fmt::format("all, {}", sizes[s].second), where([&](const Measured& w) { return size_of(w) == s; }));
  for (const size_t half : {0u, 1u})
    print_line(half ? "20 us and more, held-out rows" : "20 us and more, visible rows",
               where([&](const Measured& w) { return size_of(w) > 0 && w.line % 2 == half; }));
}

void print_contents(const std::vector<Measured>& rows) {
  struct Count {
    size_t rows = 0, left_out = 0, launches = 0, by_size[std::size(sizes)] = {};
  };
  std::map<std::pair<std::string, std::string>, Count> counts;
  for (const Measured& w : rows) {
    Count& c = counts[{w.family(), w.gpu->name}];
    ++c.rows, ++c.by_size[size_of(w)], c.left_out += !w.left_out.empty();
    sim::Memory memory;
    const sim::Launch l = prepare(w, named_kernel(w.file), memory).launch;
    c.launches += l.grid[0] && l.grid[1] && l.grid[2] && !l.kernargs.empty();
  }
  fmt::print("\n{:<32} {:>5} {:>8} {:>11} {:>12} {:>12} {:>9}\n", "aiter_measured.csv", "rows", "launches",
             "below 20 us", "20 to 100", "100 and more", "left out");
  for (const auto& [group, c] : counts)
    fmt::print("{:<32} {:>5} {:>8} {:>11} {:>12} {:>12} {:>9}\n", group.first + " " + group.second, c.rows, c.launches,
               c.by_size[0], c.by_size[1], c.by_size[2], c.left_out);
}

// About `most` of them, evenly over families, parts and times.
auto by_family_and_time(const Measured& w) { return std::tuple(w.family(), w.gpu->units, w.us); }

// -- Ranking --

// Where in the order of the predicted times the measured winner is: 0 is the fastest.
struct Ranked {
  size_t candidates = 0, place = 0;
  size_t kernel_place = 0;  // among kernels, each with its fastest split of K
  double of_best = 1;       // its time over the fastest one's
};
void print_ranking(const std::vector<Measured>& rows, const std::vector<Ranked>& ranked) {
  fmt::print("\n{:<46} {:>7} {:>10} {:>7} {:>7} {:>14} {:>11}\n", "aiter: the measured winner among its candidates",
             "shapes", "candidates", "first", "first 3", "kernel first 3", "within 5 %");
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < rows.size(); ++i)
    if (ranked[i].candidates > 3)
      groups[fmt::format("{} {}", rows[i].family(), rows[i].gpu->name)].push_back(i), groups["~ all"].push_back(i);
  for (const auto& [name, members] : groups) {
    const auto share = [&](auto&& yes) {
      return fmt::format("{:.0f} %", 100.0 * static_cast<double>(std::ranges::count_if(members, yes)) /
                                         static_cast<double>(members.size()));
    };
    size_t candidates = 0;
    for (const size_t i : members) candidates += ranked[i].candidates;
    fmt::print("{:<46} {:>7} {:>10.0f} {:>7} {:>7} {:>14} {:>11}\n", name == "~ all" ? "all" : name, members.size(),
               static_cast<double>(candidates) / static_cast<double>(members.size()),
               share([&](size_t i) { return ranked[i].place == 0; }),
               share([&](size_t i) { return ranked[i].place < 3; }),
               share([&](size_t i) { return ranked[i].kernel_place < 3; }),
               share([&](size_t i) { return ranked[i].of_best <= 1.05; }));
  }
}

}  // namespace

Timed time_kernel(const std::string& production, const Measured& w, const AiterKernel& kernel,
                  std::optional<bool> warm) {
  const auto object = load_object(production + "/" + kernel.file);
  sim::Memory memory;
  PreparedLaunch p = prepare(w, kernel, memory);
  const sim::KernelInfo& code = object.kernel("");
  p.launch.kernargs.resize(std::max<size_t>(p.launch.kernargs.size(), code.kernarg_bytes));
  timing::Options o;
  o.gpu = w.gpu, o.jobs = 1;
  o.warm = warm.value_or(copies * p.argument_bytes <= w.gpu->mall_mb * 1048576.0);
  const timing::Result r = timing::time(object, code, memory, p.launch, o);
  const double clearing = p.cleared_bytes > 0 ? r.launch_seconds + p.cleared_bytes / (w.gpu->tb_per_s * 1e12) : 0;
  return {r.seconds + clearing, r.clock_mhz,           r.trace_seconds + r.model_seconds,
          r.trace_seconds,      timing::name(r.limit), r.fault ? r.fault->message() : ""};
}

void validate_aiter(const Sources& s, const Report& report, const Missing& missing) {
  std::vector<Measured> rows = measured_launches(s.facts);
  if (rows.empty()) return missing("aiter: no file aiter_measured.csv in the folder of facts (--facts)");
  if (s.production.empty()) {
    print_contents(rows);
    return missing("aiter: no folder of its kernels (--production)");
  }
  std::erase_if(rows, [&](const Measured& w) {
    return !w.left_out.empty() || (w.shape() + " " + w.file).find(s.problem) == std::string::npos;
  });
  const AiterKernels kernels = aiter_kernels(s.production);
  const auto kernel = [&](const std::string& file) {
    const auto k = kernels.find(file);
    return k == kernels.end() ? named_kernel(file) : k->second;
  };
  const auto there = [&](const std::string& file) { return fs::exists(s.production + "/" + file); };
  const auto begin = std::chrono::steady_clock::now();

  const auto taken = sample(rows, s.most_rows, by_family_and_time);
  std::vector<Timed> timed(taken.size());
  each(taken.size(), s.jobs, [&](size_t i) {
    if (there(taken[i].file)) timed[i] = time_kernel(s.production, taken[i], kernel(taken[i].file));
    else timed[i].fault = taken[i].file + " is not there";
  });
  std::vector<Ratio> ratios;
  for (size_t i = 0; i < taken.size(); ++i) {
    const Measured& w = taken[i];
    const Timed& t = timed[i];
    if (!t.fault.empty()) {
      missing(fmt::format("aiter: {}: {}", w.shape(), t.fault));
      continue;
    }
    report({"aiter " + w.family(), fmt::format("{} {}", w.shape(), w.file.substr(w.file.rfind('_') + 1)), "us",
            t.seconds * 1e6, w.us,
            fmt::format("{:.0f} MHz, {}; {:.2f} s; row {}", t.mhz, t.limit, t.host_seconds, w.line)});
    ratios.push_back({&w, t.seconds * 1e6 / w.us});
  }
  print_tables(ratios);
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  fmt::print("\n{} launches in {:.0f} s: {:.1f} a second\n", taken.size(), seconds(),
             static_cast<double>(taken.size()) / seconds());

  // Every candidate of some problems.
  constexpr int shapes_of_all = 60;
  if (s.problems == 0) return;
  const auto ranked_rows = sample(rows,
                                  s.problems > 0    ? s.problems
                                  : s.most_rows > 0 ? std::max(1, s.most_rows / 6)
                                                    : shapes_of_all,
                                  by_family_and_time);
  struct Candidate {
    size_t row;
    AiterKernel kernel;
    uint32_t split;
    double seconds;
  };
  std::vector<Candidate> all;
  for (size_t i = 0; i < ranked_rows.size(); ++i)
    for (const auto& [kernel, split] : candidates(ranked_rows[i], kernels))
      if (there(kernel.file)) all.push_back({i, kernel, split, 0});
  each(all.size(), s.jobs, [&](size_t i) {
    Measured w = ranked_rows[all[i].row];
    w.split = all[i].split;
    const Timed t = time_kernel(s.production, w, all[i].kernel);
    all[i].seconds = t.fault.empty() ? t.seconds : -1;
  });
  std::vector<Ranked> ranked(ranked_rows.size());
  for (size_t i = 0; i < ranked_rows.size(); ++i) {
    const Candidate* winner = nullptr;
    for (const Candidate& c : all)
      if (c.row == i && c.kernel.file == ranked_rows[i].file && c.split == ranked_rows[i].split) winner = &c;
    if (!winner || winner->seconds < 0) continue;
    std::map<std::string, double> kernels;
    for (const Candidate& c : all) {
      if (c.row != i || c.seconds < 0) continue;
      ++ranked[i].candidates, ranked[i].place += c.seconds < winner->seconds;
      const auto [best, fresh] = kernels.emplace(c.kernel.file, c.seconds);
      if (!fresh) best->second = std::min(best->second, c.seconds);
    }
    const Candidate* fastest = winner;
    for (const Candidate& c : all)
      if (c.row == i && c.seconds >= 0 && c.seconds < fastest->seconds) fastest = &c;
    for (const auto& [file, seconds] : kernels) {
      ranked[i].kernel_place += seconds < kernels[winner->kernel.file];
      ranked[i].of_best = std::max(ranked[i].of_best, winner->seconds / seconds);
    }
    const auto says = [&](const Candidate& c) {
      return fmt::format("{} / {}: {:.1f} us", fs::path(c.kernel.file).stem().string(), c.split, c.seconds * 1e6);
    };
    if (ranked[i].place)
      fmt::print("{}: place {} of {}; measured winner {} ({:.1f} measured); fastest {}\n", ranked_rows[i].shape(),
                 ranked[i].place + 1, ranked[i].candidates, says(*winner), ranked_rows[i].us, says(*fastest));
  }
  print_ranking(ranked_rows, ranked);
  fmt::print("\n{} launches in {:.0f} s, all together\n", taken.size() + all.size(), seconds());
}

}  // namespace wavesmith::validation
