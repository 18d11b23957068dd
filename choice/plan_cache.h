// Plans on disk, one file each, named by a hash of the question. A file that is damaged, of another build of wavesmith
// or an answer to another question is ignored and replaced; one that cannot be written is not. Files are replaced
// whole, so any number of processes may share a folder.
#pragma once
#include <optional>

#include "choice/plan_gemm.h"

namespace wavesmith::choice {

class PlanCache {
 public:
  // `base`: choose_gemm()'s answer, which the plans differ from in what is planned. An empty folder: nothing is kept.
  PlanCache(const PlanOptions&, const GemmRequest&, const GemmConfig& base, Arch, const isa::Gpu&, const GemmProblem&);
  std::optional<GemmPlan> find() const;  // timed and candidates
  void keep(const GemmPlan&) const;

 private:
  std::string folder_, path_, question_;
  GemmConfig base_;
  Arch arch_;
};

}  // namespace wavesmith::choice
