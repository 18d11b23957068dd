// Predictions beside published figures: rows that `wavesmith time --agreement` prints and docs/timing.md keeps.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "simulator/timing/timing.h"

namespace wavesmith::tools {

struct AgreementRow {
  std::string group, name, unit;
  double predicted = 0, published = 0;
  std::string note;
  double ratio() const { return published ? predicted / published : 0; }
};
struct AgreementSources {
  std::string facts, production,
      peers;           // folders: facts/*.csv; hsa of ROCm/aiter; hipblaslt/, hipkittens/, sgemm/ (peers.h)
  int most_rows = 24;  // of one table of kernels
  int jobs = 0;
};
using Report = std::function<void(const AgreementRow&)>;
using Missing = std::function<void(const std::string&)>;

void micro_agreement(const AgreementSources&, const Report&, const Missing&);
void attention_agreement(const AgreementSources&, const Report&, const Missing&);
void gemm_agreement(const AgreementSources&, const Report&, const Missing&);
void hipblaslt_agreement(const AgreementSources&, const Report&, const Missing&);
void ablation_agreement(const AgreementSources&, const Report&, const Missing&);
void trace_agreement(const AgreementSources&, const Report&, const Missing&);
void ordinary_agreement(const AgreementSources&, const Report&, const Missing&);
void compiler_agreement(const AgreementSources&, const Report&, const Missing&);

// Rows of a CSV file with a header, quoted fields understood; empty if the file is not there.
std::vector<std::vector<std::pair<std::string, std::string>>> read_csv(const std::string& path);
std::string field(const std::vector<std::pair<std::string, std::string>>& row, const std::string& name);

}  // namespace wavesmith::tools
