// Predictions beside published figures: rows that build/wavesmith_validate prints and docs/reference/timing.md keeps.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "isa_tables/absent.h"
#include "simulator/code_object.h"
#include "simulator/timing/timing.h"

namespace wavesmith::validation {

struct Row {
  std::string group, name, unit;
  double predicted = 0, published = 0;
  std::string note;
  std::string set = "";  // set_of
  double ratio() const { return published ? predicted / published : 0; }
};
struct Sources {
  std::string facts, production,
      peers;           // folders: facts/*.csv; hsa of ROCm/aiter; hipblaslt/, hipkittens/, sgemm/, wmma/ (peers.h)
  int most_rows = 24;  // of one table of kernels; 0: all
  int jobs = 0;
  int problems = absent;     // whose candidates are ranked; absent: a number that goes with the rows
  std::string problem = "";  // competition: these alone, whose names contain this
};
using Report = std::function<void(const Row&)>;
using Missing = std::function<void(const std::string&)>;

void validate_micro(const Sources&, const Report&, const Missing&);
void validate_attention(const Sources&, const Report&, const Missing&);
void validate_gemm(const Sources&, const Report&, const Missing&);
void validate_hipblaslt(const Sources&, const Report&, const Missing&);
void validate_rdna3(const Sources&, const Report&, const Missing&);
void validate_ablations(const Sources&, const Report&, const Missing&);
void validate_traces(const Sources&, const Report&, const Missing&);
void validate_ordinary(const Sources&, const Report&, const Missing&);
void validate_compiler(const Sources&, const Report&, const Missing&);
void validate_aiter(const Sources&, const Report&, const Missing&);
void validate_competition(const Sources&, const Report&, const Missing&);
void validate_attention_competition(const Sources&, const Report&, const Missing&);
void validate_backward_competition(const Sources&, const Report&, const Missing&);
void validate_decode_competition(const Sources&, const Report&, const Missing&);

// "visible": a parameter was fitted to this row among others; "held out": none was. Half of the rows each, by a hash of
// the name.
std::string set_of(const std::string& name);
std::string clock_note(const timing::Result&);  // what a note says of the clock

// Error: std::runtime_error that names the file.
sim::CodeObject load_object(const std::string& file);
// Rows of a CSV file with a header, quoted fields understood; empty if the file is not there.
std::vector<std::vector<std::pair<std::string, std::string>>> read_csv(const std::string& path);
std::string field(const std::vector<std::pair<std::string, std::string>>& row, const std::string& name);
uint32_t whole_number(const std::string& s);             // 0 if there is none
std::vector<uint64_t> numbers(const std::string& text);  // in "size=256x256_mask3 iters=51": 256, 256, 3, 51

// f(i) for all i, on several host threads; 0: all cores. What one of them throws ends all, and is thrown again here.
template <class F>
void each(size_t count, int jobs, F&& f) {
  std::atomic<size_t> next = 0;
  const size_t n = jobs > 0 ? static_cast<size_t>(jobs) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::future<void>> threads;
  for (size_t t = 0; t < std::min(n, count); ++t)
    threads.push_back(std::async(std::launch::async, [&] {
      try {
        for (size_t i; (i = next++) < count;) f(i);
      } catch (...) {
        next = count;
        throw;
      }
    }));
  for (auto& t : threads) t.wait();
  for (auto& t : threads) t.get();
}
// About `most` of them, evenly over what `key` sorts by; 0: all.
template <class Row, class Key>
std::vector<Row> sample(std::vector<Row> rows, int most, Key&& key) {
  std::ranges::stable_sort(rows, {}, key);
  if (most <= 0 || rows.size() <= static_cast<size_t>(most)) return rows;
  std::vector<Row> out;
  for (size_t i = 0; i < static_cast<size_t>(most); ++i)
    out.push_back(rows[(2 * i + 1) * rows.size() / (2 * static_cast<size_t>(most))]);
  return out;
}

}  // namespace wavesmith::validation
